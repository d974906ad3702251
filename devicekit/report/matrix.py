"""Rows of the matrix as text and as plain data."""

from typing import Any, Dict, List, Optional

from ..matrix import Matrix
from ..projects import Project, Release, sort_key

__all__ = ["matching", "matrix_data", "matrix_text"]


def matching(project: Project, version: Optional[str]) -> List[Release]:
    """Return the releases that a version names: one, or all of a minor release; all of them without a version."""
    exact = project.release(version) if version else None
    if exact is not None:
        return [exact]
    wanted = sort_key(version) if version else ()
    found = [project.release(item) for item in project.versions if sort_key(item)[: len(wanted)] == wanted]
    return [item for item in found if item is not None]


def matrix_data(project: Project, releases: List[Release], matrix: Matrix, asked: Optional[str]) -> Dict[str, Any]:
    """Return releases as plain data for JSON."""
    nearest = project.nearest(asked) if asked and not releases else None
    return {
        "project": project.name,
        "asked": asked,
        "date": project.date,
        "known": bool(releases),
        "nearest": nearest.version if nearest is not None else None,
        "releases": [_release(item, matrix) for item in releases or ([nearest] if nearest is not None else [])],
    }


def _release(release: Release, matrix: Matrix) -> Dict[str, Any]:
    pythons = sorted({tag for build in release.builds for tag in build.pythons}, key=sort_key)
    return {
        "version": release.version,
        "requires_python": release.requires_python,
        "pythons": pythons,
        "yanked": release.yanked,
        "builds": [
            {
                "wheels": {platform: list(tags) for platform, tags in build.wheels},
                "requires": list(build.requires),
                "kind": build.kind or None,
                "cuda": build.cuda or None,
                "cudnn": build.cudnn or None,
                "capabilities": list(build.capabilities),
                "libraries": _libraries(build.cuda, build.cudnn, build.wheels[0][0], matrix),
                "protobuf": build.protobuf or None,
                "plugins": list(build.plugins),
                "source": build.source,
            }
            for build in release.builds
        ],
        "not_declared": [
            {"needs": list(hold.needs), "because": hold.because, "goal": hold.goal or None, "python": hold.python or None,
             "seen": hold.seen}
            for hold in matrix.holds(release.project, release.version, "")
        ],
    }  # fmt: skip


def _libraries(cuda: str, cudnn: str, platform: str, matrix: Matrix) -> List[str]:
    """The names under which a build opens NVIDIA's libraries."""
    row = matrix.cuda(cuda)
    if row is None:
        return []
    windows = platform.startswith("win")
    line = matrix.cudnn(cudnn) if cudnn else None
    names = [name for _, name in (row.windows_libraries if windows else row.libraries)]
    if line is not None:
        names.append(line.windows_library if windows else line.library)
    return names


def matrix_text(project: Project, releases: List[Release], matrix: Matrix, asked: Optional[str]) -> str:
    """Return releases for a person."""
    lines: List[str] = []
    if asked and not releases:
        nearest = project.nearest(asked)
        lines.append("%s %s is not known; the nearest release that is known says:" % (project.name, asked))
        releases = [nearest] if nearest is not None else []
    for release in releases:
        lines += ["", "%s %s" % (project.name, release.version) + (" (withdrawn)" if release.yanked else "")]
        data = _release(release, matrix)
        for build in data["builds"]:
            for platform, tags in build["wheels"].items():
                lines.append("  %s: Python %s" % (platform, ", ".join(_python(tag) for tag in tags)))
            facts = [build["kind"] or ""]
            facts += ["CUDA %s" % build["cuda"]] if build["cuda"] else []
            facts += ["cuDNN %s" % build["cudnn"]] if build["cudnn"] else []
            facts += ["protobuf code: %s" % build["protobuf"]] if build["protobuf"] else []
            text = ", ".join(item for item in facts if item)
            lines += ["    built for: %s" % text] if text else []
            for label, key in (("GPU code", "capabilities"), ("opens", "libraries"), ("requires", "requires")):
                lines += ["    %s: %s" % (label, ", ".join(build[key]))] if build[key] else []
            lines.append("    source: %s" % build["source"])
        for hold in data["not_declared"]:
            what = "needs %s" % ", ".join(hold["needs"]) if hold["needs"] else "does not do for %s" % hold["goal"]
            where = " (Python %s)" % hold["python"] if hold["python"] else ""
            lines.append("  not declared: %s%s: %s" % (what, where, hold["because"]))
            lines.append("    seen: %s" % hold["seen"])
    return "\n".join(lines).strip("\n") + "\n"


def _python(tag: str) -> str:
    return {"py3": "3"}.get(tag, "3.%s" % tag[3:].replace("+", " and later"))
