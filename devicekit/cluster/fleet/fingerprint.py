"""A machine without what tells it from another one of its kind, and without what changes by itself. Pure.

Serial numbers and addresses of devices are replaced by their order. What is free of a device's memory, and who uses it, is
replaced by what the rules make of it (`diagnosis.rules.device_use`). So machines with equal fingerprints have the same
findings, and one diagnosis is enough for all of them. It works on the plain data of a snapshot: to make records of ten
thousand of them would take a minute. What does not have the expected shape stays as it is, for the reader to refuse.
"""

import json
import re
from hashlib import blake2b
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ...diagnosis.rules.device_use import NEARLY_FULL
from ...records import parse_json

#: The words of a machine in which something is its own; the others are taken as they are written.
_OWN = ("driver", "native", "oneapi", "process", "rocm")
#: Where a word of a machine begins in what ``devicekit snapshot`` writes.
_WORD = re.compile(r'\n "(\w+)": ')

_ADDRESS = re.compile(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(\.[0-7])?\Z")
_UUID = re.compile(r"[\w-]{9,80}\Z", re.ASCII)
_MARK = re.compile("\x02([^\x03]*)\x03")
#: Machines of one kind report some pages more or less.
_MEMORY_STEP_BYTES = 1 << 28


class Kind(NamedTuple):
    """``fingerprint`` of a machine, and the ``text`` that it is of, which `plain_machine` makes data again."""

    fingerprint: bytes
    text: str


def kind_of(data: Any) -> Kind:
    """Return what a snapshot's data have in common with those of its kind. The data are changed."""
    text = _common(data, _as_json)
    return Kind(blake2b(text.encode("ascii"), digest_size=16).digest(), text)


def shortcut(content: bytes) -> Optional[bytes]:
    """Return a hash that only snapshots of one kind share, in a third of the time; None if it cannot be made.

    Only the words in which something is its own are read. What is wrong in the others makes another hash.
    """
    try:
        parts = _WORD.split(content.decode("utf-8").rstrip())
        if parts[0] != "{" or not parts[-1].endswith("\n}"):
            return None
        parts[-1] = parts[-1][:-2]
        words = dict(zip(parts[1::2], parts[2::2]))
        own = {name: parse_json(words.pop(name).rstrip(",")) for name in _OWN if name in words}
        # Not as JSON, which takes twice as long: it is not read again.
        found = blake2b(_common(own, repr).encode("utf-8", "surrogatepass"), digest_size=16)
        if len(words) + len(own) != len(parts) // 2:
            return None
    except ValueError:  # no snapshot, or one that another program has written: it is read as a whole
        return None
    for name, text in words.items():
        found.update(("\0%s\0%s" % (name, text.rstrip(","))).encode("utf-8"))
    return found.digest()


def _as_json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


def _common(data: Any, written: Callable[[Any], str]) -> str:
    """Return what data have in common with those of their kind, as text with marks in it. The data are changed."""
    names: Dict[str, str] = {}
    if isinstance(data, dict):
        _still(data)
        names = _names(data)
        _whole_uuids(data, [name for name in names if "-" in name])
    text = written(data)
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return text


def plain_machine(text: str) -> Any:
    """Return the data of a `Kind`, with serial numbers and addresses that no device has."""
    return json.loads(_MARK.sub(lambda found: _placeholder(found.group(1)), text))


def _members(data: Any, *path: str) -> Iterator[Dict[str, Any]]:
    """Yield the objects of a list that is a fact."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    values = data.get("value") if isinstance(data, dict) and data.get("status") == "value" else data
    for item in values if isinstance(values, list) else ():
        if isinstance(item, dict):
            yield item


def _number(record: Dict[str, Any], name: str) -> Any:
    """Return the number that a fact, or a plain field, has; None if it has none."""
    value = record.get(name)
    if isinstance(value, dict):
        value = value.get("value") if value.get("status") == "value" else None
    return value if type(value) is int and value >= 0 else None


def _put(record: Dict[str, Any], name: str, value: Any) -> None:
    """Replace a number that is there."""
    if _number(record, name) is None:
        return
    if isinstance(record[name], dict):
        record[name]["value"] = value
    else:
        record[name] = value


# What changes by itself.


def _still(data: Dict[str, Any]) -> None:
    native = data.get("native")
    if isinstance(native, dict):
        size = _number(native, "memory_bytes")
        if size is not None and size > 16 * _MEMORY_STEP_BYTES:
            _put(native, "memory_bytes", (size + _MEMORY_STEP_BYTES // 2) // _MEMORY_STEP_BYTES * _MEMORY_STEP_BYTES)
    for gpu in _members(data, "driver", "gpus"):
        slices = list(_members(gpu, "mig_devices"))
        full = [_steady_memory(item) for item in [gpu, *slices]]
        _put(gpu, "memory_used_bytes", 0)
        _put(gpu, "utilization_percent", 0)
        _put(gpu, "ecc_errors_total", 0)
        if not (slices and any(full)):
            _steady_processes(gpu, any(full))
    for gpu in _members(data, "rocm", "gpus"):
        _put(gpu, "memory_used_bytes", 0)


def _steady_memory(record: Dict[str, Any]) -> bool:
    """Make the free memory all or nothing, and return whether the rules call that nearly full."""
    total, free = _number(record, "memory_bytes"), _number(record, "memory_free_bytes")
    if free is None:
        return False
    full = bool(total) and free < NEARLY_FULL * total
    _put(record, "memory_free_bytes", 0 if full else total or 1)
    return full


def _steady_processes(gpu: Dict[str, Any], full: bool) -> None:
    """Leave of the processes of a GPU what the rules look at: their kinds, and whether they fill it."""
    fact, mode = gpu.get("processes"), gpu.get("compute_mode")
    users = list(_members(gpu, "processes"))
    if not users or not isinstance(fact, dict) or len(users) != len(fact["value"]):
        return
    if not all(
        set(item) == {"pid", "memory_bytes", "kind"}
        and type(item["pid"]) is int
        and (item["memory_bytes"] is None or type(item["memory_bytes"]) is int)
        and isinstance(item["kind"], str)
        for item in users
    ):
        return
    usual = not isinstance(mode, dict) or mode.get("value") in (None, "default")
    if usual and not full:
        fact["value"] = []
        return
    total = _number(gpu, "memory_bytes") or 0
    filled = 2 * sum(item["memory_bytes"] or 0 for item in users) >= total
    kinds = sorted({item["kind"] for item in users})
    fact["value"] = [{"pid": 0, "memory_bytes": total if filled and full else 0, "kind": kind} for kind in kinds]


# What names one machine's devices.


def _names(data: Dict[str, Any]) -> Dict[str, str]:
    """Return what to put in place of every serial number and address."""
    uuids: List[str] = []
    addresses: Dict[str, Tuple[Any, ...]] = {}
    for path, field in (
        (("driver", "gpus"), "bus_id"), (("driver", "displays"), "address"), (("driver", "xids"), "bus_id"),
        (("rocm", "gpus"), "bus_id"), (("oneapi", "gpus"), "bus_id"),
    ):  # fmt: skip
        for item in _members(data, *path):
            for record in (item, *_members(item, "mig_devices")):
                uuid = record.get("uuid")
                if isinstance(uuid, str) and _UUID.match(uuid) and uuid not in uuids:
                    uuids.append(uuid)
            text = item.get(field)
            found = _ADDRESS.match(text) if isinstance(text, str) else None
            if isinstance(text, str) and found is not None:
                domain, bus, device, function = found.groups()
                addresses[text] = (int(domain or "0", 16), int(bus, 16), int(device, 16), function or "")
    places = {key: place for place, key in enumerate(sorted({key[:3] for key in addresses.values()}))}
    names = {uuid: "\x02U%s/%d/%d\x03" % (uuid[:4], len(uuid), place) for place, uuid in enumerate(uuids)}
    for text, key in addresses.items():
        names[text] = "\x02A%d/%d/%s\x03" % (len(text.partition(":")[0]), places[key[:3]], key[3])
    return names


def _placeholder(mark: str) -> str:
    first, second, third = mark[1:].rsplit("/", 2)
    if mark[0] == "U":
        return first + third.rjust(max(1, int(second) - len(first)), "0")
    return "%s:%02x:00%s" % ("0" * int(first), int(second) % 256, third)


def _whole_uuids(data: Dict[str, Any], uuids: List[str]) -> None:
    """Write out the serial numbers that a variable has the beginnings of."""
    process = data.get("process")
    pairs = process.get("environ") if isinstance(process, dict) else None
    for pair in pairs if isinstance(pairs, list) else ():
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(item, str) for item in pair)):
            continue
        if pair[0].endswith("VISIBLE_DEVICES") and "-" in pair[1]:
            pair[1] = ",".join(_whole(part, uuids) for part in pair[1].split(","))


def _whole(part: str, uuids: List[str]) -> str:
    matching = [uuid for uuid in uuids if part.startswith(("GPU-", "MIG-")) and uuid.startswith(part.strip())]
    return matching[0] if len(matching) == 1 else part
