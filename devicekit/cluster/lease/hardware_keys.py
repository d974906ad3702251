"""What a lock is called: after the piece of hardware, not after its number in this process. Pure."""

from typing import Dict, List, Sequence

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
