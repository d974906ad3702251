"""Which changes cause a difference in the findings, by experiment: some are undone, and the machine is diagnosed again.

No table says which change can cause which finding: the rules themselves decide, through the same `diagnose` and `choose`
as for any machine. The search is delta debugging (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing
Input", IEEE Transactions on Software Engineering 28, 2002): a set is reported only if it makes the difference and none
of its members can be left out.
"""

from typing import Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...diagnosis.diagnose import run_rules
from ...diagnosis.findings import Diagnosis, Finding
from ...machine.facts import Machine
from ...matrix.matrix import Matrix
from ...selection.choose import choose
from ...selection.request import parse_request
from .change_groups import ChangeGroup, with_undone

#: What is said about: kind, name, and what else tells it from others.
Key = Tuple[str, str, str]

#: So many ways to undo one consequence are looked for.
_MOST_CAUSES = 3


class Statement(NamedTuple):
    """What is said. ``works``: whether that is that something can be used, None if it says nothing of that."""

    text: str
    works: Optional[bool] = None
    finding: Optional[Finding] = None


Outcome = Mapping[Key, Statement]


def outcome(machine: Machine, matrix: Matrix, apart: FrozenSet[Tuple[str, str]] = frozenset()) -> Dict[Key, Statement]:
    """Return everything that devicekit says of a machine.

    ``apart``: codes and what they block that have several findings, which only their texts distinguish.
    """
    return said_of(machine, run_rules(machine, matrix), apart)


def said_of(
    machine: Machine, diagnosis: Diagnosis, apart: FrozenSet[Tuple[str, str]] = frozenset()
) -> Dict[Key, Statement]:
    """Return what a diagnosis says, and what would be chosen."""
    said: Dict[Key, Statement] = {}
    for item in diagnosis.findings:
        blocks = " ".join(item.blocks)
        special = item.summary if (item.code, blocks) in apart else ""
        works = False if item.severity == "error" else None
        said[("finding", item.code, "%s|%s" % (blocks, special))] = Statement(item.summary, works, item)
    for status in diagnosis.frameworks:
        text = {True: "works", False: "cannot be imported", None: "not judged"}[status.will_import]
        text += ": %s" % status.cause if status.cause else ""
        said[("framework", status.framework, "")] = Statement(text, status.will_import)
    for candidate in diagnosis.candidates:
        if candidate.usable is None:
            text = "only the self-test can tell"
        else:
            text = "usable" if candidate.usable else "blocked by %s" % (", ".join(candidate.blocked_by) or "the build")
        said[("device", candidate.device, "")] = Statement(
            "%s%s" % (text, " (%s)" % candidate.platform if candidate.platform else ""), candidate.usable is not False
        )
    plan = choose(machine, diagnosis, parse_request("auto"))
    chosen = "%s with %s" % (plan.platform or "nothing", plan.framework or "no framework")
    said[("choice", "auto", "")] = Statement(chosen, plan.platform not in ("cpu", ""))
    for rule in diagnosis.not_evaluated:
        said[("unjudged", rule.code, "")] = Statement(rule.because)
    return said


def several(diagnosis: Diagnosis) -> FrozenSet[Tuple[str, str]]:
    """Return the codes, with what they block, of which a diagnosis has more than one finding."""
    keys = [(item.code, " ".join(item.blocks)) for item in diagnosis.findings]
    return frozenset(key for key in keys if keys.count(key) > 1)


class Experiments:
    """Undoes changes and sees what is said then; each set is tried once.

    ``changes`` are all of them: with all undone, ``after`` is ``before``. ``apart``: see `outcome`.
    """

    def __init__(
        self,
        before: Machine,
        after: Machine,
        changes: Sequence[ChangeGroup],
        matrix: Matrix,
        apart: FrozenSet[Tuple[str, str]],
    ) -> None:
        self.changes = tuple(changes)
        self._before, self._after, self._matrix, self._apart = before, after, matrix, apart
        self._said: Dict[FrozenSet[int], Outcome] = {}

    def with_changes_undone(self, numbers: FrozenSet[int]) -> Outcome:
        """Return what is said of the second machine with these changes undone."""
        if numbers not in self._said:
            paths = frozenset(path for number in numbers for path in self.changes[number].paths)
            machine = with_undone(self._before, self._after, paths)
            try:
                self._said[numbers] = outcome(machine, self._matrix, self._apart)
            except Exception:
                # Facts of two machines can contradict one another in ways that no machine's do. What cannot be judged
                # explains nothing; that both machines can be judged as they are was seen before.
                self._said[numbers] = {("unjudged", "", ""): Statement("not judged")}
        return self._said[numbers]

    def judged(self, numbers: FrozenSet[int]) -> bool:
        """Return whether anything can be said of the second machine with these changes undone."""
        return ("unjudged", "", "") not in self.with_changes_undone(numbers)


def explain(key: Key, experiments: Experiments, known: Sequence[FrozenSet[int]] = ()) -> Tuple[FrozenSet[int], ...]:
    """Return the smallest sets of changes that cause the statement of ``key``: undone, it is as it was before.

    ``known``: what explained other statements, tried first.
    """
    everything = frozenset(range(len(experiments.changes)))
    wanted, now = (
        experiments.with_changes_undone(everything).get(key),
        experiments.with_changes_undone(frozenset()).get(key),
    )
    in_words = wanted is None or now is None or wanted.works == now.works

    def is_as_before(numbers: FrozenSet[int]) -> bool:
        return experiments.judged(numbers) and _alike(
            experiments.with_changes_undone(numbers).get(key), wanted, in_words
        )

    found: List[FrozenSet[int]] = [item for item in known if len(item) == 1 and is_as_before(item)]
    # What matters is looked for first: the rest stays as it is where that is enough.
    facts = frozenset(number for number in everything if experiments.changes[number].change.weight == "fact")
    for pool in (facts, everything):
        while len(found) < _MOST_CAUSES:
            left = pool - frozenset().union(*found)
            if not left or not is_as_before(left):
                break
            found.append(_smallest(left, is_as_before))
        if found:
            break
    return tuple(sorted(found, key=lambda item: (len(item), sorted(item))))


def _alike(one: Optional[Statement], other: Optional[Statement], in_words: bool) -> bool:
    """Whether two statements say the same: in the same words, or whether it works, where that is what changed."""
    if one is None or other is None:
        return one is other
    return one.works == other.works and (one.text == other.text or not in_words)


def _smallest(numbers: FrozenSet[int], holds: Callable[[FrozenSet[int]], bool]) -> FrozenSet[int]:
    """Return a part of a set for which something holds and none of whose members can be left out, in ever smaller blocks."""
    kept = sorted(numbers)
    size = max(1, len(kept) // 2)
    while True:
        spared = False
        start = 0
        while start < len(kept) and len(kept) > 1:
            block = kept[start : start + size]
            rest = [item for item in kept if item not in block]
            if rest and holds(frozenset(rest)):
                kept, spared = rest, True
            else:
                start += size
        if size == 1 and not spared:
            return frozenset(kept)
        size = max(1, size // 2)
