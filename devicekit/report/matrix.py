"""The report of ``devicekit matrix``, as text and as plain data."""

from typing import Any, Dict, List, Optional

from ..matrix.matrix import TENSORFLOW_OWNERS, Matrix, accepts
from ..matrix.projects import Build, Project, Release, sort_key
from .amounts import with_age


def matching(project: Project, version: Optional[str]) -> List[Release]:
    """Return the releases of a version: one, all of a minor release, or all without a version."""
    exact = project.release(version) if version else None
    if exact is not None:
        return [exact]
    if version and accepts(">=0", version) is None:
        raise ValueError("%r is not a version of %s" % (version, project.name))
    wanted = sort_key(version) if version else ()
    found = [project.release(item) for item in project.versions if sort_key(item)[: len(wanted)] == wanted]
    return [item for item in found if item is not None]


def matrix_data(project: Project, releases: List[Release], matrix: Matrix, asked: Optional[str]) -> Dict[str, Any]:
    """Return releases as plain data for JSON."""
    nearest = project.nearest(asked) if asked and not releases else None
    return {
        "project": project.name,
        "asked": asked,
        "date": matrix.date,
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
                "libraries": _libraries(release, build, matrix),
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


def _libraries(release: Release, build: Build, matrix: Matrix) -> Dict[str, List[str]]:
    """Return the file names of the native libraries that a build opens, by operating system."""
    found: Dict[str, List[str]] = {}
    row, line = matrix.cuda(build.cuda), matrix.cudnn(build.cudnn) if build.cudnn else None
    systems = {platform.partition("_")[0] for platform, _ in build.wheels} if row is not None else set()
    if row is not None and "win" in systems:
        found["windows"] = [name for _, name in row.windows_libraries]
        found["windows"] += [line.windows_library] if line is not None else []
    if row is not None and "manylinux" in systems:
        traced = matrix.libraries(release.version) if release.project in TENSORFLOW_OWNERS else ()
        found["linux"] = list(traced) or [name for _, name in row.libraries] + (
            [line.library] if line is not None else []
        )
    return found


def matrix_text(project: Project, releases: List[Release], matrix: Matrix, asked: Optional[str]) -> str:
    """Return releases as text."""
    lines: List[str] = []
    if asked and not releases:
        nearest = project.nearest(asked)
        text = (
            "has the same wheels as this release, and was not read"
            if asked in project.unread
            else ("is unknown; the nearest known release")
        )
        lines.append("%s %s %s:" % (project.name, asked, text))
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
            for system, names in build["libraries"].items():
                lines.append("    opens on %s: %s" % (system, ", ".join(names)))
            for label, key in (("GPU code", "capabilities"), ("requires", "requires")):
                lines += ["    %s: %s" % (label, ", ".join(build[key]))] if build[key] else []
            lines.append("    source: %s" % build["source"])
        for hold in data["not_declared"]:
            what = "needs %s" % ", ".join(hold["needs"]) if hold["needs"] else "does not work for %s" % hold["goal"]
            python = " (Python %s)" % hold["python"] if hold["python"] else ""
            lines.append("  undeclared: %s%s: %s" % (what, python, hold["because"]))
            lines.append("    seen: %s" % hold["seen"])
    lines += ["", "Bundled data of %s" % with_age(matrix.date)]
    return "\n".join(lines).strip("\n") + "\n"


def _python(tag: str) -> str:
    return {"py3": "3"}.get(tag, "3.%s" % tag[3:].replace("+", " and later"))
