"""Many machines become groups of which the same is to be said, and what is unlike the others. Pure.

Machines are grouped by a fingerprint: a machine without what tells it from another one of its kind, and without what changes
by itself. Serial numbers and addresses of devices are replaced by their order. What is free of a device's memory, and who uses
it, is replaced by what the rules make of it (`diagnosis.rules.device_use`). So machines with equal fingerprints have the same
findings, and one diagnosis is enough for all of them. It works on the plain data of a snapshot: to make records of ten
thousand of them would take a minute. What does not have the expected shape stays as it is, for the reader to refuse.
"""

import json
import re
import sys
import zlib
from hashlib import blake2b
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ...diagnosis.diagnose import run_rules
from ...diagnosis.findings import Diagnosis
from ...diagnosis.rules.device_use import NEARLY_FULL
from ...errors import MachineFileError, one_line
from ...machine.facts import Machine
from ...machine.snapshot import parse_machine
from ...matrix.matrix import BUNDLED
from ...records import parse_json
from ...selection.choose import choose
from ...selection.plan import Plan
from ...selection.request import Request
from ..diff.change_groups import change_groups, differences
from ..diff.compare_machines import compare_machines
from ..diff.result import MachineDiff
from .result import Fleet, FleetDifference, FleetGroup, FleetNode, UnusualValue

#: A snapshot of an environment with a thousand distributions has well under a megabyte.
LIMIT_BYTES = 4 << 20

#: So many groups are compared with the largest one, change by change: that takes up to half a second each.
_MOST_COMPARED = 20

#: Which of its devices it is, who uses it and how much is free does not make a machine a case of its own.
_ANY_DEVICE = re.compile(
    r"gpu:\d+|\bGPU \d+|\b[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d|\bprocess \d+|\b[\d.]+ of [\d.]+ GiB"
)

#: Kinds of changes that distinguish the machines of every fleet.
_OF_ITSELF = ("process", "other")


class _State:
    """Machines that are alike but for serial numbers, addresses and what changes by itself."""

    __slots__ = ("group", "nodes", "packed")

    def __init__(self, text: str, group: int) -> None:
        self.packed = zlib.compress(text.encode("ascii"), 1)  # ten thousand records at once would take gigabytes
        self.group = group
        self.nodes: List[str] = []

    def machine(self) -> Machine:
        return Machine.from_dict(plain_machine(zlib.decompress(self.packed).decode("ascii")))


class Judge:
    """Takes snapshots one by one and keeps of each no more than is needed; ``request`` is the device that each should use."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._states: Dict[bytes, _State] = {}
        self._known: Dict[bytes, _State] = {}
        self._groups: List[FleetGroup] = []
        self._numbers: Dict[Any, int] = {}
        self._failures: Dict[str, str] = {}
        self._names: Dict[str, int] = {}

    def _own_name(self, name: str) -> str:
        """Return a name that no other node has."""
        number = self._names[name] = self._names.get(name, 0) + 1
        return name if number == 1 else self._own_name("%s (%d)" % (name, number))

    def fail(self, name: str, problem: str) -> None:
        """Take a node of which there is no snapshot."""
        self._failures[self._own_name(name)] = problem

    def add(self, name: str, content: bytes) -> None:
        """Take a snapshot. What is none becomes a node with a problem."""
        try:
            if len(content) > LIMIT_BYTES:
                raise MachineFileError(
                    "the snapshot has more than %d MiB; one made by 'devicekit snapshot' has less than one"
                    % (LIMIT_BYTES >> 20)
                )
            quick = shortcut(content)
            state = self._known.get(quick) if quick is not None else None
            if state is None:
                state = self._state(name, content)
                if quick is not None:
                    self._known[quick] = state
        except MachineFileError as error:
            self.fail(name, str(error))
        except RecursionError:
            self.fail(name, "the snapshot is nested too deeply to be a machine file")
        except (
            Exception
        ) as error:  # words that contradict one another, as no machine's do: one node must not stop the others
            self.fail(name, "the snapshot cannot be judged: %s" % one_line(error))
        else:
            state.nodes.append(self._own_name(name))

    def _state(self, name: str, content: bytes) -> _State:
        kind = kind_of(parse_machine("the snapshot", content))
        state = self._states.get(kind.fingerprint)
        if state is None:
            state = _State(kind.text, self._group(name, content, kind.text))
            self._states[kind.fingerprint] = state
        return state

    def _group(self, name: str, content: bytes, text: str) -> int:
        """Return the number of the group of a machine of a new kind."""
        found, plan = self._judge(Machine.from_dict(plain_machine(text)))
        usable, accelerators = _accelerators(found, plan)
        said = tuple(
            (item.code, item.severity, _ANY_DEVICE.sub("#", " ".join(item.blocks)), _ANY_DEVICE.sub("#", item.summary))
            for item in found.findings
        )
        key = (said, plan.platform, plan.framework, plan.fallback, usable, accelerators)
        if key not in self._numbers:
            # What is shown of a group are evidence and fixes of a real machine, with its own numbers.
            shown, _ = self._judge(Machine.from_dict(parse_machine("the snapshot", content)))
            self._numbers[key] = len(self._groups)
            self._groups.append(
                FleetGroup((), plan.platform, plan.framework, usable, accelerators, plan.fallback, shown.findings, name)
            )
        return self._numbers[key]

    def _judge(self, machine: Machine) -> Tuple[Diagnosis, Plan]:
        found = run_rules(machine, BUNDLED)
        return found, choose(machine, found, self._request)

    def result(self, problems: Sequence[str] = ()) -> Fleet:
        """Return what was found on all of them."""
        states = sorted(self._states.values(), key=lambda state: (-len(state.nodes), min(state.nodes)))
        members: Dict[int, List[str]] = {}
        for state in states:
            members.setdefault(state.group, []).extend(state.nodes)
        order = sorted(members, key=lambda number: (-len(members[number]), min(members[number])))
        groups = [
            self._groups[number].replace(
                nodes=tuple(sorted(members[number])), diff=self._compared(states, order, place)
            )
            for place, number in enumerate(order)
        ]
        nodes = [FleetNode(name, place) for place, group in enumerate(groups) for name in group.nodes]
        nodes += [FleetNode(name, None, problem) for name, problem in self._failures.items()]
        return Fleet(
            nodes=tuple(sorted(nodes, key=lambda node: node.name)),
            groups=tuple(groups),
            differences=_unlike(states),
            states=len(states),
            problems=tuple(problems),
        )

    def _compared(self, states: Sequence[_State], order: Sequence[int], place: int) -> Optional[MachineDiff]:
        """Return what tells a group from the largest one, between the most common machines of both."""
        if not 0 < place <= _MOST_COMPARED:
            return None
        usual, other = (next(state for state in states if state.group == order[number]) for number in (0, place))
        found = compare_machines(usual.machine(), other.machine())
        named = {name for item in found.consequences for names in item.causes for name in names}
        return MachineDiff(tuple(item for item in found.changes if item.name in named), found.consequences)


def _accelerators(found: Diagnosis, plan: Plan) -> Tuple[int, int]:
    """Return how many accelerators can be used, or may be, and how many there are."""
    devices = [item for item in found.candidates_for(plan.framework) if item.platform != "cpu"]
    return sum(item.usable is not False for item in devices), len(devices)


class _Tally:
    """Who has what of one thing, apart from those that have what the first state has."""

    def __init__(self, kind: str, usual: Optional[str]) -> None:
        self.kind, self.usual = kind, usual
        self.others: Dict[Optional[str], List[str]] = {}


def _unlike(states: Sequence[_State]) -> Tuple[FleetDifference, ...]:
    """Return in which things machines differ from the others, the rarest first."""
    if not states:
        return ()
    everybody = [name for state in states for name in state.nodes]
    first = states[0].machine()
    tallies: Dict[Tuple[str, str], _Tally] = {}
    for state in states[1:]:
        machine = state.machine()
        for item in change_groups(first, machine, tuple(differences(first, machine))):
            change = item.change
            if change.weight != "fact" or change.kind in _OF_ITSELF or not change.details:
                continue
            label, usual, value = change.details[0]
            tally = tallies.setdefault((change.name, label), _Tally(change.kind, usual))
            text = None if value is None else sys.intern(value)
            tally.others.setdefault(text, []).extend(state.nodes)
    found = [_difference(name, tally, everybody) for (name, _), tally in tallies.items()]
    return tuple(sorted(found, key=lambda item: (len(item.nodes), item.name)))


def _difference(name: str, tally: _Tally, everybody: Sequence[str]) -> FleetDifference:
    others = {name for names in tally.others.values() for name in names}
    values = dict(tally.others)
    values[tally.usual] = [name for name in everybody if name not in others] + values.get(tally.usual, [])
    ordered = sorted(values.items(), key=lambda item: (-len(item[1]), item[0] or ""))
    usual = ordered[0][0]
    unusual = tuple(UnusualValue(value, tuple(sorted(names))) for value, names in ordered[1:] if names)
    return FleetDifference(name, tally.kind, usual, unusual)


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
