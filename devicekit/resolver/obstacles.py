"""Why a set does not exist, in sentences. Pure."""

from itertools import combinations
from typing import Dict, List, Sequence, Set, Tuple

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ..matrix.matrix import Matrix, accepts
from ..matrix.projects import sort_key
from ..matrix.target import Target
from .engine import Conflict, Need, Solution, available, parsed
from .goals import Stack


def clash(one: Solution, other: Solution, target: Target, matrix: Matrix) -> str:
    """Return which project two sets want in versions that cannot meet, "" if they could share an environment."""
    for name in sorted(set(one.needs) & set(other.needs)):
        sides = []
        for solution in (one, other):
            declared = [need for need in solution.needs[name] if need.by.partition(" ")[0] != name and need.by]
            exact = [need for need in declared if parsed(need.text).specifier]
            sides.append(exact or declared)
        if not sides[0] or not sides[1]:
            continue
        bounds = [parsed(need.text).specifier for need in sides[0] + sides[1]]
        versions = [release.version for release, _ in available(matrix, name, target)]
        if any(all(bound.contains(version, prereleases=True) for bound in bounds) for version in versions):
            continue
        # Two that exclude one another say it best; else the tightest of each side.
        pairs = [(left, right) for left in sides[0] for right in sides[1] if not _meet(left, right, versions)]
        left, right = pairs[0] if pairs else (_tightest(sides[0]), _tightest(sides[1]))
        return "%s, but %s" % (_side(left), _side(right))
    return _shared_file(one, other, matrix)


def _shared_file(one: Solution, other: Solution, matrix: Matrix) -> str:
    """Return which projects of two sets write the same file, "" if none do."""
    for name in sorted(one.versions):
        for file, writers in matrix.overlaps(name):
            rivals = [item for item in writers if item != name and item in other.versions]
            sets = ((one, name), (other, rivals[0])) if rivals else ()
            if sets and all(accepts(writers[item], side.versions[item]) for side, item in sets):
                sides = [_side(next((need for need in side.needs[item] if need.by), Need(item))) for side, item in sets]
                return "%s and %s, which both write %s" % (sides[0], sides[1], file)
    return ""


def _meet(left: Need, right: Need, versions: Sequence[str]) -> bool:
    bounds = (parsed(left.text).specifier, parsed(right.text).specifier)
    return any(all(bound.contains(version, prereleases=True) for bound in bounds) for version in versions)


def _tightest(needs: Sequence[Need]) -> Need:
    return max(needs, key=lambda need: ("==" in need.text, "<" in need.text))


def obstacles_of(
    conflict: Conflict,
    way: Sequence[Stack],
    keep: Sequence[Need],
    target: Target,
    matrix: Matrix,
    alone: Sequence[Solution] = (),
) -> Tuple[str, ...]:
    """Return what prevents it of a set: what no wheel exists for, else which requirements cannot meet.

    ``alone``: the sets that each framework would have in its own environment.
    """
    found: List[str] = []
    kept = {canonicalize_name(parsed(need.text).name): need for need in keep}
    for need in [need for item in way for need in item.roots] + list(keep):
        text = _missing(need, target, matrix)
        if text:
            found.append(text)
    if found:
        return tuple(dict.fromkeys(found))
    clashes = [clash(one, other, target, matrix) for one, other in combinations(alone, 2)]
    if any(clashes):
        return tuple("these cannot meet: %s" % text for text in dict.fromkeys(clashes) if text)
    for name, reason in conflict.rejected.items():
        if name == conflict.project or name in {parsed(need.text).name for item in way for need in item.roots}:
            found.append(reason)
    sides = _sides(conflict.needs)
    if len(sides) > 1:
        found.append("these cannot meet: %s" % "; ".join(sides))
    elif sides and not found:
        found.append("no release for %s meets %s" % (target.label, sides[0]))
    if not conflict.needs:
        found.append("the search for a set was given up: keep less, or ask for fewer frameworks at a time")
    if not found:
        found.append("no set for %s was found" % target.label)
    for name, need in kept.items():
        if (
            any(canonicalize_name(parsed(item.text).name) == name for item in conflict.needs)
            and need not in conflict.needs
        ):
            found.append("%s is to be kept" % need.text)
    return tuple(found)


def _sides(needs: Sequence[Need]) -> List[str]:
    """Return each party to a conflict once: of many releases of one project the newest speaks for all."""
    found: Dict[Tuple[str, str], List[Need]] = {}
    # What was asked for without a bound is no party.
    for need in [item for item in needs if item.by or parsed(item.text).specifier] or needs:
        parties = found.setdefault((need.by.partition(" ")[0], parsed(need.text).name), [])
        parties.append(need)
    sides = []
    for (by, _), parties in found.items():
        first = max(parties, key=lambda need: (sort_key(need.by), bool(need.because)))
        others = len({need.by for need in parties}) - 1
        same = "" if not by or not others else "another release" if others == 1 else "%d other releases" % others
        sides.append(_side(first) + (" (and so %s %s)" % ("does" if others == 1 else "do", same) if same else ""))
    return list(dict.fromkeys(sides))


def _side(need: Need) -> str:
    requirement = parsed(need.text)
    plain = "%s%s" % (requirement.name, requirement.specifier)
    if need.because and need.by:
        return "%s needs %s (%s)" % (need.by, plain, need.because)
    if need.by:
        return "%s needs %s" % (need.by, plain)
    return "%s (%s)" % (plain, need.because) if need.because else plain


def _missing(need: Need, target: Target, matrix: Matrix) -> str:
    """Say that no wheel of what a requirement admits exists for a target, "" if one does."""
    requirement = parsed(need.text)
    project = matrix.project(canonicalize_name(requirement.name))
    if project is None:
        return ""
    bounds: SpecifierSet = requirement.specifier
    exact = [item.version for item in bounds if item.operator == "=="]
    versions = dict.fromkeys([*project.versions, *project.unread, *(item for item in exact if project.like(item))])
    admitted = [version for version in versions if bounds.contains(version, prereleases=True)]
    plain = "%s%s" % (project.name, bounds)
    if not project.versions:
        return "no release of %s has a wheel" % project.name
    if not admitted:
        span = "%s to %s" % (project.versions[0], project.versions[-1])
        return "no known release meets %s; the bundled data of %s have %s" % (plain, project.date, span)
    likes = {release.version for release in map(project.like, admitted) if release is not None}
    if any(release.version in likes for release, _ in available(matrix, project.name, target)):
        return ""
    if set(admitted) <= project.yanked and not set(admitted) & set(exact):
        return "every release that meets %s was yanked from the package index" % plain
    pythons: Set[str] = set()
    platforms: Set[str] = set()
    for version in likes:
        release = project.release(version)
        for build in release.builds if release is not None else ():
            for platform, tags in build.wheels:
                platforms.add(_system(platform))
                if target.takes_platform(platform):
                    pythons.update(tags)
    if pythons == {"py3"}:
        wanted = sorted({release.requires_python for release in map(project.release, likes) if release is not None})
        return "%s asks for Python %s, this is %s" % (plain, " or ".join(wanted), target.python)
    if pythons:
        numbers = sorted(int(tag[3:].rstrip("+")) for tag in pythons if tag.startswith("cp3"))
        span = "3.%d to 3.%d" % (numbers[0], numbers[-1]) if numbers[0] != numbers[-1] else "3.%d" % numbers[0]
        return "%s has wheels for Python %s only, not for %s" % (plain, span, target.python)
    if target.bits == 32:
        return "%s has no wheel for a 32-bit Python" % plain
    if target.libc == "musl":
        return "%s has no wheel for musl: it needs a system with glibc" % plain
    return "%s has wheels for %s only, not for %s" % (plain, ", ".join(sorted(platforms)), target.platform)


def _system(platform: str) -> str:
    """Return a platform tag in words.

    >>> _system("manylinux_2_17_x86_64"), _system("macosx_12_0_arm64"), _system("win_amd64")
    ('Linux x86_64 (glibc 2.17)', 'macOS 12.0 arm64', 'Windows amd64')
    """
    head, _, rest = platform.partition("_")
    if head == "win":
        return "Windows %s" % rest
    if head in ("manylinux", "macosx"):
        major, minor, architecture = rest.split("_", 2)
        if head == "macosx":
            return "macOS %s.%s %s" % (major, minor, architecture)
        return "Linux %s (glibc %s.%s)" % (architecture, major, minor)
    return platform


def same_reasons_once(obstacles: Sequence[str]) -> Tuple[str, ...]:
    """Return obstacles without repetition: releases of a project that fail for one reason are named together.

    >>> same_reasons_once(["a 2.1: too old", "b 1.0: no wheel", "a 1.9: too old"])
    ('a 2.1 and 1.9: too old', 'b 1.0: no wheel')
    """
    versions: Dict[Tuple[str, str], List[str]] = {}
    for text in dict.fromkeys(obstacles):
        label, _, reason = text.partition(": ")
        project, _, version = label.partition(" ")
        is_release = bool(reason) and bool(version) and " " not in version
        versions.setdefault((project, reason) if is_release else (text, ""), []).append(version)
    return tuple(
        "%s %s: %s" % (project, " and ".join(found), reason) if reason else project
        for (project, reason), found in versions.items()
    )
