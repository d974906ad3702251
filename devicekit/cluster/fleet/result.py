"""What was found on many machines. Pure data."""

from typing import ClassVar, NamedTuple, Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Record, ShownInNotebooks
from ..diff.result import MachineDiff


class FleetNode(Record):
    """One machine of a fleet.

    Attributes
    ----------
    name : str
        As it was given or as the node calls itself. Names stand in nothing but the result itself.
    group : int or None
        Its place in `Fleet.groups`; None if nothing is known of it.
    problem : str
        Why nothing is known of it, "" otherwise.
    """

    name: str
    group: Optional[int] = None
    problem: str = ""


class FleetGroup(Record):
    """Machines of which the same is to be said.

    Attributes
    ----------
    nodes : tuple of str
    platform : str
        What ``"auto"`` (or the device that was asked for) would take: ``"cuda"``, ..., ``"cpu"``, or "" for nothing.
    framework : str or None
    usable : int
        Accelerators that can be used, or may be.
    accelerators : int
        Accelerators that were found.
    fallback : bool
        Whether that is less than what was asked for, or than what is there.
    findings : tuple of Finding
        With evidence and commands of ``example``: on the other machines numbers of devices and processes may be others.
    example : str
        The machine of which the findings are shown.
    diff : MachineDiff or None
        What is different from the first group, and which difference explains it; None for the first group, and for those
        that were not compared.
    """

    nodes: Tuple[str, ...]
    platform: str
    framework: Optional[str]
    usable: int
    accelerators: int
    fallback: bool
    findings: Tuple[Finding, ...] = ()
    example: str = ""
    diff: Optional[MachineDiff] = None

    @property
    def broken(self) -> bool:
        """Whether there is an error."""
        return any(item.severity == "error" for item in self.findings)


class UnusualValue(NamedTuple):
    """A value that few machines have, and which machines these are. ``value`` is None if they have no such thing."""

    value: Optional[str]
    nodes: Tuple[str, ...]


class FleetDifference(Record):
    """One thing in which some machines are unlike the others.

    Attributes
    ----------
    name : str
        As in `FactChange.name`: ``"NVIDIA driver"``.
    kind : str
        As in `FactChange.kind`.
    usual : str or None
        What most have; None if most have no such thing.
    unusual : tuple of UnusualValue
        What else there is, and on which nodes; the most common first.
    """

    name: str
    kind: str
    usual: Optional[str]
    unusual: Tuple[UnusualValue, ...]

    @property
    def nodes(self) -> Tuple[str, ...]:
        """All nodes that are unlike the others."""
        return tuple(name for _, names in self.unusual for name in names)


class Fleet(ShownInNotebooks, Record):
    """What was found on many machines.

    Attributes
    ----------
    nodes : tuple of FleetNode
        All of them, those of which nothing is known as well; by name.
    groups : tuple of FleetGroup
        The largest first.
    differences : tuple of FleetDifference
        The rarest first.
    states : int
        How many different machines there are, apart from serial numbers, addresses and what changes by itself.
    problems : tuple of str
        What went wrong with the gathering as a whole.
    """

    schema: ClassVar[Optional[int]] = 1
    _document = "fleet"
    _made_by = "devicekit fleet --json"
    _json = ("healthy", "known", "states", "nodes", "groups", "differences", "problems")

    nodes: Tuple[FleetNode, ...]
    groups: Tuple[FleetGroup, ...] = ()
    differences: Tuple[FleetDifference, ...] = ()
    states: int = 0
    problems: Tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """The number of machines that were judged."""
        return sum(node.group is not None for node in self.nodes)

    @property
    def failures(self) -> Tuple[FleetNode, ...]:
        """The nodes of which nothing is known, with the reasons."""
        return tuple(node for node in self.nodes if node.group is None)

    @property
    def healthy(self) -> bool:
        """Whether every machine could be judged, and none has an error."""
        return not self.failures and not self.problems and not any(group.broken for group in self.groups)

    def group_of(self, name: str) -> Optional[FleetGroup]:
        """Return the group of a node, None if nothing is known of it."""
        for node in self.nodes:
            if node.name == name and node.group is not None:
                return self.groups[node.group]
        return None

    def __str__(self) -> str:
        text = "devicekit: %d of %d nodes judged, %d with an error" % (
            self.known,
            len(self.nodes),
            sum(len(group.nodes) for group in self.groups if group.broken),
        )
        return text + (", %d groups" % len(self.groups) if len(self.groups) > 1 else "")
