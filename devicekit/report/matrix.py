"""The report of ``devicekit matrix``, as text and as plain data."""

import re
import textwrap
from typing import Any, Dict, List, Optional, Sequence

from ..matrix.bounds import allowed, requirement_parts
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


#: Columns of the text: a terminal's.
_WIDTH = 80

#: Requirements that decide with what a release works; the others are in the JSON form.
_DECIDING = (
    "numpy", "protobuf", "keras", "jaxlib", "ml-dtypes", "h5py", "setuptools", "tensorflow", "tensorflow-cpu", "torch",
)  # fmt: skip

_SYSTEMS = {
    "manylinux": "Linux", "musllinux": "Linux (musl)", "linux": "Linux", "macosx": "macOS", "win": "Windows", "any": "any",
}  # fmt: skip

_KINDS = {"cpu": "CPU only", "empty": "no code: it installs another build"}


def matrix_text(project: Project, releases: List[Release], matrix: Matrix, asked: Optional[str]) -> str:
    """Return releases as text: of several, a line each and the newest one in full; everything else is in the JSON form."""
    lines: List[str] = []
    if asked and not releases:
        nearest = project.nearest(asked)
        text = (
            "has the same wheels as this release, and was not read"
            if asked in project.unread
            else ("is unknown; the nearest known release")
        )
        lines += ["%s %s %s:" % (project.name, asked, text), ""]
        releases = [nearest] if nearest is not None else []
    if len(releases) > 1:
        lines += [_one_line(release, _release(release, matrix)) for release in releases] + [""]
    for release in releases[-1:]:
        lines += _in_full(release, matrix)
    lines += ["", "Bundled data of %s. Every wheel and requirement: --json" % with_age(matrix.date)]
    return "\n".join(lines).strip("\n") + "\n"


def _one_line(release: Release, data: Dict[str, Any]) -> str:
    kinds = dict.fromkeys(_kind(build) for build in data["builds"] if build["kind"] != "empty")
    text = "%-12s  Python %-14s %s" % (release.version, _pythons(data["pythons"]), "; ".join(filter(None, kinds)))
    return (text + (" (withdrawn)" if release.yanked else "")).rstrip()


def _in_full(release: Release, matrix: Matrix) -> List[str]:
    data = _release(release, matrix)
    lines = ["%s %s%s" % (release.project, release.version, " (withdrawn)" if release.yanked else "")]
    for build in data["builds"]:
        for platform, tags in build["wheels"].items():
            facts = (_platform(platform), "Python " + _pythons(tags), _kind(build))
            lines += _wrapped("", ", ".join(filter(None, facts)))
        lines += _wrapped("GPU code", ", ".join(build["capabilities"]), 4)
        for system, names in build["libraries"].items():
            lines += _wrapped("opens on %s" % {"linux": "Linux", "windows": "Windows"}[system], ", ".join(names), 4)
    needs = dict.fromkeys(text for build in data["builds"] for text in build["requires"] if ";" not in text)
    split = (requirement_parts(text) for text in needs)
    lines += _wrapped(
        "declared", "; ".join("%s %s" % (name, _ordered(text)) for name, text in split if name in _DECIDING)
    )
    works = ((name, allowed(matrix, release.project, release.version, "", name)) for name in _DECIDING)
    lines += _wrapped("measured", "; ".join("%s %s" % (name, _ordered(text)) for name, text in works if text))
    for hold in data["not_declared"]:
        what = "needs %s" % ", ".join(hold["needs"]) if hold["needs"] else "does not work for %s" % hold["goal"]
        python = " (Python %s)" % hold["python"] if hold["python"] else ""
        lines += _wrapped("undeclared", "%s%s: %s (seen: %s)" % (what, python, hold["because"], hold["seen"]))
    return lines


def _wrapped(label: str, text: str, indent: int = 2) -> List[str]:
    """Return ``label: text`` in lines of the width, nothing for no text."""
    start = " " * indent
    whole = "%s: %s" % (label, text) if label else text
    if not text:
        return []
    return textwrap.wrap(
        whole,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=start + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _ordered(bounds: str) -> str:
    """Return bounds with the lower one first, as people read them; versions that are left out are in the JSON form."""
    parts = [text for text in bounds.split(",") if not text.startswith("!=")]
    return ",".join(sorted(parts, key=lambda text: text.startswith("<")))


def _kind(build: Dict[str, Any]) -> str:
    """Return for what a build was made: ``CUDA 12.2, cuDNN 8``."""
    parts = ["CUDA %s" % build["cuda"]] if build["cuda"] else []
    parts += ["cuDNN %s" % build["cudnn"]] if build["cudnn"] else []
    kind = build["kind"] or ""
    return ", ".join(parts) or _KINDS.get(kind, kind)


def _platform(tag: str) -> str:
    """Return ``Linux x86_64`` for ``manylinux_2_17_x86_64``."""
    found = re.match(r"([a-z]+?)(?:(?:_?\d+)+)?_?((?:x86_64|aarch64|arm64|amd64|universal2|ppc64le|i686|32)?)$", tag)
    if found is None or found.group(1) not in _SYSTEMS:
        return tag
    return " ".join(filter(None, (_SYSTEMS[found.group(1)], found.group(2))))


def _pythons(tags: Sequence[str]) -> str:
    """Return ``3.9 to 3.12`` for ``cp39``, ``cp310``, ``cp311``, ``cp312``."""
    names = [_python(tag) for tag in tags]
    minors = [int(name[2:]) for name in names if re.match(r"3\.\d+$", name)]
    if len(minors) == len(names) > 2 and minors == list(range(minors[0], minors[0] + len(minors))):
        return "%s to %s" % (names[0], names[-1])
    return ", ".join(names)


def _python(tag: str) -> str:
    return {"py3": "3"}.get(tag, "3.%s" % tag[3:].replace("+", " and later"))
