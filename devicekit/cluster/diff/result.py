"""What changed between two machines and what that did. Pure data."""

from typing import ClassVar, Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Record, ShownInNotebooks


class FactChange(Record):
    """One thing that is different: a package, the driver, a GPU, a variable.

    Attributes
    ----------
    name : str
        What it is, unique in its diff: ``"numpy"``, ``"NVIDIA driver"``, ``"variable CUDA_VISIBLE_DEVICES"``.
    kind : str
        ``"package"``, ``"driver"``, ``"gpu"``, ``"library"``, ``"device node"``, ``"variable"``, ``"container"``,
        ``"processor"``, ``"limit"``, ``"python"``, ``"system"``, ``"setting"``, ``"process"`` or ``"other"``.
    before, after : str or None
        The first of the details; None if there is no such thing.
    weight : {"fact", "volatile", "place"}
        ``volatile``: changes by itself all the time (free memory, processes). ``place``: the same thing elsewhere, or
        read in another way.
    details : tuple of (str, str or None, str or None)
        Everything that is different of it: what, before, after.
    undo : str or None
        What to type to have it as it was before, where one command does that.
    """

    name: str
    kind: str
    before: Optional[str]
    after: Optional[str]
    weight: str = "fact"
    details: Tuple[Tuple[str, Optional[str], Optional[str]], ...] = ()
    undo: Optional[str] = None

    def __str__(self) -> str:
        if self.before is None:
            return "%s: new, %s" % (self.name, self.after)
        if self.after is None:
            return "%s: gone, was %s" % (self.name, self.before)
        return "%s: %s -> %s" % (self.name, self.before, self.after)


class Consequence(Record):
    """Something that devicekit says of one machine and not, or not in the same way, of the other.

    Attributes
    ----------
    kind : {"finding", "framework", "device", "choice", "unjudged"}
        ``choice``: what ``"auto"`` would take. ``unjudged``: a rule that cannot be decided, for want of a fact.
    name : str
        Code of the finding or rule, name of the framework or device.
    change : {"appeared", "vanished", "changed"}
    before, after : str or None
        What was said; of a finding its summary.
    worse : bool
        Whether something works on the first machine that does not on the second one.
    finding : Finding or None
        The finding that appeared, changed or vanished, with its evidence and fixes.
    causes : tuple of tuple of str
        Names of changes. Each tuple is a smallest set of them that makes the difference: if only they were undone, this
        would be as before. With several tuples, any one of them does. Empty where that was not asked for.
    """

    kind: str
    name: str
    change: str
    before: Optional[str] = None
    after: Optional[str] = None
    worse: bool = False
    finding: Optional[Finding] = None
    causes: Tuple[Tuple[str, ...], ...] = ()


class MachineDiff(ShownInNotebooks, Record):
    """What changed between two machines, and which change explains what devicekit says now.

    Attributes
    ----------
    changes : tuple of FactChange
        Those of weight first.
    consequences : tuple of Consequence
        What got worse first.
    """

    schema: ClassVar[Optional[int]] = 1
    _document = "diff of two machines"
    _made_by = "devicekit diff --json"
    _json = ("worse", "changes", "consequences")

    changes: Tuple[FactChange, ...] = ()
    consequences: Tuple[Consequence, ...] = ()

    @property
    def facts(self) -> Tuple[FactChange, ...]:
        """The changes that are neither volatile nor only a matter of places."""
        return tuple(item for item in self.changes if item.weight == "fact")

    @property
    def worse(self) -> bool:
        """Whether there is a new error, or something worked on the first machine that does not on the second one."""
        return any(item.worse for item in self.consequences)

    def change(self, name: str) -> Optional[FactChange]:
        """Return the change of a name, or None."""
        return next((item for item in self.changes if item.name == name), None)

    def __str__(self) -> str:
        if not self.facts and not self.consequences:
            return "devicekit: nothing that matters is different"
        text = "devicekit: %s" % _count(len(self.facts), "change")
        worse = [item for item in self.consequences if item.worse and item.causes]
        if worse:
            first = worse[0]
            text += "; %s %s because of %s" % (first.name, first.change, " and ".join(first.causes[0]))
        return text


def _count(number: int, noun: str) -> str:
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")
