"""`compare_machines`: what changed, and which change explains what is found now. Pure."""

import re
from typing import Dict, FrozenSet, List, Optional, Tuple

from ...diagnosis.commands import Shell, place_of
from ...diagnosis.diagnose import run_rules
from ...diagnosis.findings import Packages
from ...machine.facts import Machine
from ...matrix.matrix import BUNDLED
from .causes import Experiments, Key, Statement, explain, said_of, several
from .change_groups import ChangeGroup, change_groups, differences
from .result import Consequence, FactChange, MachineDiff

_ORDER = {"finding": 0, "framework": 1, "device": 2, "choice": 3, "unjudged": 4}


def compare_machines(before: Machine, after: Machine, *, causes: bool = True) -> MachineDiff:
    """Say what changed between two machines, or one machine at two times, and which change explains what is found now.

    For everything that is said of the one machine and not of the other (a finding, a device that can be used, what
    ``"auto"`` takes) single changes, then groups of them, are undone, and the machine is diagnosed again: the
    smallest set that makes the difference is its cause.

    Parameters
    ----------
    before, after : Machine
        As `devicekit.detect` or a snapshot has them; of the same system or not.
    causes : bool, optional
        Whether to look for causes, which takes some milliseconds for each change.

    Returns
    -------
    MachineDiff

    Examples
    --------
    >>> machine = devicekit.detect()
    >>> devicekit.cluster.compare_machines(machine, machine).changes
    ()
    """
    changes = [
        item._replace(change=item.change.replace(undo=_undo(item, before, after)))
        for item in change_groups(before, after, tuple(differences(before, after)))
    ]
    found = {number: run_rules(machine, BUNDLED) for number, machine in enumerate((before, after))}
    apart = several(found[0]) | several(found[1])
    old, new = said_of(before, found[0], apart), said_of(after, found[1], apart)
    keys = [key for key in {**new, **old} if _is_other(old.get(key), new.get(key))]
    experiments = Experiments(before, after, changes, BUNDLED, apart)
    known: List[FrozenSet[int]] = []
    consequences = []
    for key in keys:
        sets: Tuple[FrozenSet[int], ...] = ()
        if causes:
            sets = explain(key, experiments, known)
            known += [item for item in sets if item not in known]
        names = tuple(tuple(changes[number].change.name for number in sorted(item)) for item in sets)
        consequences.append(_consequence(key, old.get(key), new.get(key), names))
    consequences.sort(key=_rank)
    return MachineDiff(tuple(item.change for item in changes), tuple(consequences))


def _rank(item: Consequence) -> Tuple[int, int, bool]:
    """New findings, which explain the rest, then what does not work any more."""
    found = item.finding
    new = found is not None and (found.severity != "info" or bool(found.blocks)) and item.change != "vanished"
    return 0 if new else 1 if item.worse else 2, _ORDER[item.kind], item.change != "appeared"


def _is_other(old: Optional[Statement], new: Optional[Statement]) -> bool:
    if old is None or new is None:
        return True
    return (old.text, old.works) != (new.text, new.works)


def _consequence(
    key: Key, old: Optional[Statement], new: Optional[Statement], causes: Tuple[Tuple[str, ...], ...]
) -> Consequence:
    kind, name, _ = key
    said = new or old
    if old is None:
        # A device or framework that is there now and does not work is news, and nothing that worked before.
        worse = kind == "finding" and new is not None and new.works is False
    else:
        worse = old.works is True and (new is None or new.works is False)
    if kind == "finding" and old is not None and new is not None:
        worse = new.works is False and old.works is not False
    return Consequence(
        kind=kind,
        name=name,
        change="appeared" if old is None else "vanished" if new is None else "changed",
        before=None if old is None else old.text,
        after=None if new is None else new.text,
        worse=worse,
        finding=said.finding if said is not None else None,
        causes=causes,
    )


# How it was before.

#: What is inserted into a command unchanged: names and versions come from files that others made.
_NAME, _VERSION = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z"), re.compile(r"[0-9][0-9A-Za-z.!+]*\Z")
_PLAIN = re.compile(r"[\w@%+=:,./ -]*\Z", re.ASCII)


def _undo(item: ChangeGroup, before: Machine, after: Machine) -> Optional[str]:
    """Return the command that makes one change undone, None if there is none."""
    change = item.change
    alike = before.native.system == after.native.system and before.python.version[:4] == after.python.version[:4]
    if change.weight != "fact" or not alike:
        return None
    if change.kind == "package":
        return _undo_package(item, before, after)
    if change.kind == "variable":
        return _undo_variable(change, Shell(place_of(after)))
    return None


def _undo_package(item: ChangeGroup, before: Machine, after: Machine) -> Optional[str]:
    names = [path[2] for path in item.paths if path[:2] == ("python", "distributions") and len(path) > 2]
    if len(names) != 1 or not _NAME.match(names[0]):
        return None
    versions: Dict[str, Optional[str]] = {}
    for word, machine in (("old", before), ("new", after)):
        found = [part for part in machine.python.distributions.or_none() or () if part.name == names[0]]
        if len(found) > 1:
            return None
        versions[word] = (found[0].version.or_none() or "") if found else None
    old, new = versions["old"], versions["new"]
    if old is None:
        return _line(after, Packages(remove=(names[0],)))
    if old == new or not _VERSION.match(old):
        return None
    return _line(after, Packages(install=("%s==%s" % (names[0], old),)))


def _line(machine: Machine, packages: Packages) -> str:
    shell = Shell(place_of(machine))
    return shell.line(shell.packages(packages))


def _undo_variable(change: FactChange, shell: Shell) -> Optional[str]:
    name = change.name.partition(" ")[2]
    if not re.match(r"[A-Za-z_]\w*\Z", name, re.ASCII):
        return None
    if change.before is None:
        return shell.line(shell.unset_variable(name))
    # What is scrubbed ("~", "<user>") or cut is not what it was.
    if not _PLAIN.match(change.before) or change.before.endswith("..."):
        return None
    return shell.line(shell.set_variable(name, change.before))
