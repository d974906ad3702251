"""Who may take which devices now. Pure.

First come, first served, per device: a process that came earlier gets what is free of what it waits for, and as long as
that is not enough, it is reserved for it. So requests for one device cannot overtake a request for two forever, and a
request for one certain device does not keep others from the rest.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...diagnosis.findings import Candidate


def keys_of(candidates: Sequence[Candidate]) -> Dict[str, str]:
    """Return the key of every accelerator of one framework, the unusable ones too, by its device string.

    The address on the bus comes first, because it is known with and without the driver's management library, so two
    processes agree if one lacks that; then the identifier. A slice of a GPU in MIG mode is named after the GPU and
    itself (``ADDRESS+MIG-...``), so that it conflicts with the whole. What shares an address otherwise (partitions of
    one AMD GPU) is distinguished by its identifier. If only the name is known, its number among those of that name
    counts.
    """
    places: Dict[str, int] = {}
    for item in candidates:
        places[item.location.lower()] = places.get(item.location.lower(), 0) + 1
    found: Dict[str, str] = {}
    seen: List[str] = []
    for item in candidates:
        place = item.location.lower()
        if item.platform == "cpu":
            continue
        if place.startswith("adapter"):
            key = "directx " + place
        elif place and item.uuid and (item.uuid.startswith("MIG-") or places[place] > 1):
            key = "%s+%s" % (place, item.uuid)
        elif place or item.uuid:
            key = place or item.uuid
        else:
            label = "%s %s" % (item.platform or "gpu", item.name)
            key = "%s #%d" % (label, seen.count(label))
            seen.append(label)
        found[item.device] = key
    return found


class Wish(NamedTuple):
    """What a process waits for: so many of these devices, the preferred ones first. ``number``: its place in the queue."""

    number: int
    keys: Tuple[str, ...]
    wanted: int


def conflict(first: str, second: str) -> bool:
    """Return whether two keys mean the same piece of hardware: the same device, or a GPU and a slice of it.

    >>> conflict("07:00.0", "07:00.0+MIG-a"), conflict("07:00.0+MIG-a", "07:00.0+MIG-b")
    (True, False)
    """
    return first == second or first.startswith(second + "+") or second.startswith(first + "+")


def pick(keys: Sequence[str], count: int, taken: Iterable[str]) -> Tuple[str, ...]:
    """Return the first so many keys, or fewer, that conflict neither with what is taken nor with one another."""
    unfree = list(taken)
    found: List[str] = []
    for key in keys:
        if len(found) < count and not any(conflict(key, other) for other in unfree):
            found.append(key)
            unfree.append(key)
    return tuple(found)


def grant(mine: Wish, others: Sequence[Wish], held: Iterable[str]) -> Optional[Tuple[str, ...]]:
    """Return what a wish may take now, None if it has to wait.

    ``others``: the wishes of waiting processes, of which only earlier ones count; ``held``: the keys that are held.
    """
    taken = list(held)
    for wish in sorted(other for other in others if other.number < mine.number):
        taken += pick(wish.keys, wish.wanted, taken)
    found = pick(mine.keys, mine.wanted, taken)
    return found if len(found) == mine.wanted else None


def least_changes(keys: Sequence[str], ahead: Sequence[Wish]) -> int:
    """Return how often a device must at least be taken or given back, or a process leave, before a wish can be granted.

    Of those ahead who want the same device as the wish does, all that remain must be served with others: so there are fewer of
    them than devices. Each that does not remain was one change.
    """
    rivals = [wish for wish in ahead if any(key in wish.keys for key in keys)]
    devices = set(keys).union(*(wish.keys for wish in rivals))
    fewest = min(sum(key in wish.keys for wish in rivals) for key in keys)
    return max(1, fewest + 1 - len(devices))
