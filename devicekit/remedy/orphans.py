"""NVIDIA's distributions that only a replaced release needed, and that lie in the way of what comes. Pure."""

from typing import Dict, FrozenSet, List, Set, Tuple

from ..machine.facts import Distribution, Machine
from ..matrix.matrix import Matrix, normal_name


def orphans(before: Machine, after: Machine, matrix: Matrix, required: FrozenSet[str]) -> Tuple[str, ...]:
    """Return the names of what nothing needs any more after a change, where what is new writes some of the same files.

    An installer leaves them, and the later one of two distributions overwrites the files of the other: so does PyTorch for
    CUDA 13 in the place of one for CUDA 12. ``required``: what distributions require that the facts do not have.
    """
    there, now = _distributions(before), _distributions(after)
    kept = {name for name in there if name in now and now[name].version.or_none() == there[name].version.or_none()}
    left = _brought(there, [name for name in there if name not in kept]) & kept
    needed = [{normal_name(text) for text in item.requires} for name, item in now.items() if name not in left]
    needed.append(set(required))
    while any(left & names for names in needed):
        still = {name for name in left if any(name in names for names in needed)}
        left -= still
        needed = [{normal_name(text) for text in now[name].requires} for name in still]
    new = set(now) - set(there)
    rivals = {name for own in left for _, writers in matrix.overlaps(own) for name in writers}
    return tuple(sorted(left)) if rivals & new else ()


def _distributions(machine: Machine) -> Dict[str, Distribution]:
    return {item.name: item for item in machine.python.distributions.value or ()}


def _brought(there: Dict[str, Distribution], names: List[str]) -> Set[str]:
    """Return NVIDIA's distributions that these require, and that those require."""
    found: Set[str] = set()
    waiting = list(names)
    while waiting:
        for text in there[waiting.pop()].requires:
            name = normal_name(text)
            if name.startswith("nvidia-") and name in there and name not in found:
                found.add(name)
                waiting.append(name)
    return found
