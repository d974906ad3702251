"""Many machines become groups of which the same is to be said, and what is unlike the others. Pure."""

import re
import sys
import zlib
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...diagnosis.diagnose import run_rules
from ...diagnosis.findings import Diagnosis
from ...errors import MachineFileError, one_line
from ...machine.facts import Machine
from ...machine.snapshot import parse_machine
from ...matrix.matrix import BUNDLED
from ...selection.choose import choose
from ...selection.plan import Plan
from ...selection.request import Request
from ..diff.change_groups import change_groups
from ..diff.compare_machines import compare_machines
from ..diff.result import MachineDiff
from ..diff.walk import differences
from .fingerprint import kind_of, plain_machine, shortcut
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
