"""The places at which two machines differ, and machines in which some of them are undone. Pure.

Whatever is undone, the result is a machine; with all places undone it is exactly the first one. So every experiment of
`causes` ends.
"""

from typing import Any, Collection, Dict, Iterator, List, NamedTuple, Set, Tuple

from ...machine import facts
from ...machine.facts import Fact
from ...records import Record

Path = Tuple[str, ...]

#: The value in a `Difference` if one of the machines has nothing at that place.
MISSING = None

#: Ends of paths that name no place in the machine: where a fact was read, and the order of a list.
SOURCE, ORDER = "#source", "#order"

#: Records that are taken as they are, because a part of one alone means nothing, and what identifies them in a list.
_NAMED_BY: Dict[type, Tuple[str, ...]] = {
    facts.Distribution: ("name",),
    facts.DeviceNode: ("path",),
    facts.DxAdapter: ("name",),
    facts.FrameworkBuild: ("package",),
    facts.ImportPackage: ("name",),
    facts.Installation: ("path",),
    facts.IntelGpu: ("bus_id",),
    facts.Library: ("name",),
    facts.LoadedModule: ("name",),
    facts.Opener: ("framework",),
    facts.PciDisplay: ("address",),
    facts.PlatformFacts: ("name",),
    facts.PluginLibrary: ("path",),
    facts.Verdict: ("subject",),
    facts.Xid: ("bus_id", "number"),
}

#: By their vendors' identifiers where the two machines have some in common, by their place otherwise.
_BY_UUID = (facts.Gpu, facts.AmdGpu, facts.MigDevice)


class Difference(NamedTuple):
    """One place: its path, and what the two machines have there."""

    path: Path
    before: Any
    after: Any


def differences(before: Any, after: Any, path: Path = ()) -> Iterator[Difference]:
    """Yield the places at which two machines (or parts of them) differ."""
    if _same(before, after):
        return
    if not _are_taken_apart(before, after):
        yield Difference(path, before, after)
    elif isinstance(before, Fact):
        yield from differences(before.content, after.content, path)
        if (before.source, before.problem) != (after.source, after.problem):
            yield Difference((*path, SOURCE), before, after)
    elif isinstance(before, tuple):
        first, second = _by_key(before, after)
        for key in [*first, *(key for key in second if key not in first)]:
            if key not in first or key not in second:
                yield Difference((*path, key), first.get(key, MISSING), second.get(key, MISSING))
            else:
                yield from differences(first[key], second[key], (*path, key))
        if _is_reordered(first, second):
            yield Difference((*path, ORDER), before, after)
    else:
        for name in before._fields:
            yield from differences(getattr(before, name), getattr(after, name), (*path, name))


def with_undone(before: Any, after: Any, back: Collection[Path], path: Path = ()) -> Any:
    """Return the second machine with the values of the first one at some of the places at which they differ."""
    if _same(before, after):
        return after
    if not _are_taken_apart(before, after):
        return before if path in back else after
    if isinstance(before, Fact):
        content = with_undone(before.content, after.content, back, path)
        read = before if (*path, SOURCE) in back else after
        return Fact(after.status, content, read.source, read.problem)
    if isinstance(before, tuple):
        return _list_put_back(before, after, back, path)
    values = {
        name: with_undone(getattr(before, name), getattr(after, name), back, (*path, name)) for name in before._fields
    }
    return type(after)(**values)


def _list_put_back(before: Tuple[Any, ...], after: Tuple[Any, ...], back: Collection[Path], path: Path) -> Any:
    first, second = _by_key(before, after)
    kept: Dict[str, Any] = {}
    for key in {**first, **second}:
        if key in first and key in second:
            kept[key] = with_undone(first[key], second[key], back, (*path, key))
        elif (key in first) == ((*path, key) in back):
            kept[key] = first[key] if key in first else second[key]
    leading, other = (first, second) if (*path, ORDER) in back else (second, first)
    order = [key for key in leading if key in kept]
    previous = None
    for key in other:
        if key not in kept:
            continue
        if key not in leading:
            order.insert(0 if previous is None else order.index(previous) + 1, key)
        previous = key
    return tuple(kept[key] for key in order)


def _same(before: Any, after: Any) -> bool:
    return before is after or (type(before) is type(after) and bool(before == after))


def _are_taken_apart(before: Any, after: Any) -> bool:
    """Whether the parts of two unlike values are compared one by one."""
    if type(before) is not type(after):
        return False
    if isinstance(before, Fact):
        return before.status == after.status == "value" and (
            _same(before.content, after.content) or _are_taken_apart(before.content, after.content)
        )
    if isinstance(before, tuple):
        return all(_is_pair(item) or type(item) in _NAMED_BY or isinstance(item, _BY_UUID) for item in before + after)
    return isinstance(before, Record) and type(before) not in _NAMED_BY


def _is_pair(item: Any) -> bool:
    """Whether it is a name with a value, as variables are."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)


def _by_key(before: Tuple[Any, ...], after: Tuple[Any, ...]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    shared = {getattr(item, "uuid", "") for item in before} & {getattr(item, "uuid", "") for item in after} - {""}
    return _keyed(before, bool(shared)), _keyed(after, bool(shared))


def _keyed(items: Tuple[Any, ...], by_uuid: bool) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    seen: Set[str] = set()
    for place, item in enumerate(items):
        if _is_pair(item):
            key = str(item[0])
        elif isinstance(item, _BY_UUID):
            key = (item.uuid if by_uuid else "") or "%d" % place
        else:
            key = " ".join(str(getattr(item, name)) for name in _NAMED_BY[type(item)])
        number = 1
        unique = key
        while unique in seen:
            number += 1
            unique = "%s (%d)" % (key, number)
        seen.add(unique)
        found[unique] = item
    return found


def _is_reordered(first: Dict[str, Any], second: Dict[str, Any]) -> bool:
    common: List[str] = [key for key in first if key in second]
    return common != [key for key in second if key in first]
