"""What has to change in an environment so that the set in it works as a whole. Pure."""

from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..matrix.matrix import Matrix
from ..matrix.target import Target
from .engine import Conflict, Need, solve
from .sets import best_set


def repair(
    matrix: Matrix,
    target: Target,
    installed: Mapping[str, str],
    roots: Sequence[str],
    goal: str = "",
    missing: Sequence[str] = (),
) -> Optional[Tuple[str, ...]]:
    """Return what to install so that an environment works, as little as possible.

    Parameters
    ----------
    matrix : Matrix
    target : Target
    installed : mapping of str to str
        What is there. A version that fits is not changed.
    roots : sequence of str
        Requirements that have to be true: the framework as it is, its plug-in. One with extras is installed in any case.
    goal : str, optional
        The platform that has to be reached.
    missing : sequence of str
        Names of what is not there and has to be; what else is not there was no problem so far.

    Returns
    -------
    tuple of str or None
        Exact requirements; None if no such set is known.
    """
    try:
        solution = solve(matrix, target, [Need(text) for text in roots], installed=installed, goal=goal)
    except Conflict:
        return None
    extras: Dict[str, List[str]] = {}
    for text in roots:
        requirement = Requirement(text)
        extras.setdefault(canonicalize_name(requirement.name), []).extend(sorted(requirement.extras))
    changed = []
    for name, version in solution.versions.items():
        wanted = name in installed or name in missing or name in extras
        if wanted and (installed.get(name) != version or extras.get(name)):
            named = "[%s]" % ",".join(extras[name]) if extras.get(name) else ""
            changed.append("%s%s==%s" % (name, named, version))
    return tuple(changed)


def set_for(
    matrix: Matrix, target: Target, goal: str, keep: str = "", frameworks: Tuple[str, ...] = ("tensorflow",)
) -> Optional[Tuple[str, ...]]:
    """Return what to install for frameworks on a goal into an empty environment, None if that is impossible."""
    bounds = (Need(keep, because="it is to be kept"),) if keep else ()
    answer = best_set(goal, frameworks, target, bounds, matrix)[0]
    return answer.requirements if answer is not None else None
