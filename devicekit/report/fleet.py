"""The reports of ``devicekit fleet`` and ``devicekit diff``."""

from typing import Dict, List, Optional, Sequence, Tuple

from ..cluster.diff.result import Consequence, FactChange, MachineDiff
from ..cluster.fleet.result import Fleet, FleetDifference, FleetGroup
from .amounts import count
from .terminal import Style, finding_lines

#: Shown for something that is absent.
_NONE = "none"


def diff_text(diff: MachineDiff, style: Style, everything: bool = False) -> str:
    """Return the report of ``devicekit diff``; ``everything``: with what changes by itself or only moved."""
    lines: List[str] = []
    if diff.consequences:
        lines.append(style.paint("Consequences", "head"))
        lines += _consequences(diff, style)
    facts = diff.changes if everything else diff.facts
    lines.append(style.paint("Changes", "head"))
    lines += [line for item in facts for line in change_lines(item, style)] or ["  none that matter"]
    left_out = [] if everything else _left_out(diff)
    if left_out:
        lines += ["", "  not shown: %s (use --all)" % " and ".join(left_out)]
    return "\n".join([*lines, style.rule, _conclusion(diff, style)]) + "\n"


def _left_out(diff: MachineDiff) -> List[str]:
    volatile = sum(item.weight == "volatile" for item in diff.changes)
    places = sum(item.weight == "place" for item in diff.changes)
    found = ["%s of what changes by itself" % count(volatile, "change")] if volatile else []
    return found + (["%s of place only" % count(places, "change")] if places else [])


def _consequences(diff: MachineDiff, style: Style) -> List[str]:
    """Return findings one by one, and other consequences grouped by their causes."""
    lines: List[str] = []
    rest: Dict[Tuple[Tuple[str, ...], ...], List[Consequence]] = {}
    for item in diff.consequences:
        if item.finding is None:
            rest.setdefault(item.causes, []).append(item)
        elif item.change == "vanished":
            lines += style.wrap("%s is fixed: %s" % (item.name, item.before or ""), "  ", "  ")
            lines += [*cause_lines(item.causes, diff, style), ""]
        else:
            head = finding_lines(item.finding, style)
            lines += ["  " + line if line else line for line in head[:-1]]
            lines += [*cause_lines(item.causes, diff, style), ""]
    for causes, items in rest.items():
        for item in items:
            mark = style.paint("worse", "error") if item.worse else style.paint("other", "info")
            lines.append("  %s %s" % (mark, style.plain(consequence_text(item))))
        lines += [*cause_lines(causes, diff, style), ""]
    return lines


def consequence_text(item: Consequence) -> str:
    """Return what changed: ``gpu:0: usable (cuda) -> blocked by driver-too-old (cuda)``."""
    name = {"choice": "the best device", "unjudged": "rule %s could not be evaluated" % item.name}.get(
        item.kind, item.name
    )
    before, after = item.before or _NONE, item.after or _NONE
    return "%s: %s -> %s" % (name, before, after)


def cause_lines(causes: Tuple[Tuple[str, ...], ...], diff: MachineDiff, style: Style) -> List[str]:
    """Return the changes that explain something, and how to undo them."""
    lines: List[str] = []
    for place, names in enumerate(causes):
        for number, name in enumerate(names):
            change = diff.change(name)
            start = "    because" if not place and not number else "    and    " if number else "    or     "
            lines += style.wrap(_change(change, name, style), start + "  ", " " * 13)
            if change is not None and change.undo:
                lines.append(" " * 13 + "undo: " + style.paint(style.plain(change.undo), "good"))
    return lines


def _change(change: Optional[FactChange], name: str, style: Style) -> str:
    if change is None:
        return name
    arrow = "\u2192" if style.unicode else "->"
    return "%s: %s %s %s" % (name, change.before or _NONE, arrow, change.after or _NONE)


def change_lines(item: FactChange, style: Style) -> List[str]:
    """Return the lines of a change, with its details if there are several."""
    lines = style.wrap(_change(item, item.name, style), "  ", "      ")
    for label, before, after in item.details[1:4]:
        lines += style.wrap("%s: %s -> %s" % (label, before or _NONE, after or _NONE), "      ", "        ")
    if len(item.details) > 4:
        lines.append("      and %d more" % (len(item.details) - 4))
    return lines


def _conclusion(diff: MachineDiff, style: Style) -> str:
    if diff.worse:
        return style.paint("Something that worked no longer works, or there is a new error.", "error")
    if not diff.facts and not diff.consequences:
        return style.paint("No differences that matter.", "good")
    return style.paint("%s; no new error." % count(len(diff.facts), "change"), "good")


#: Number of nodes that are named.
_MOST_NAMES = 8
#: Number of groups, differences, and values of a difference; the rest is counted, and in the JSON.
_MOST_GROUPS, _MOST_DIFFERENCES, _MOST_VALUES = 12, 40, 4


def fleet_text(fleet: Fleet, style: Style) -> str:
    """Return the report of ``devicekit fleet``."""
    lines = [style.paint("%s, %d checked, %s" % (
        count(len(fleet.nodes), "node"), fleet.known, count(len(fleet.groups), "group")), "head"), style.rule]  # fmt: skip
    for number, group in enumerate(fleet.groups[:_MOST_GROUPS]):
        lines += _group(group, number, fleet, style)
    if len(fleet.groups) > _MOST_GROUPS:
        rest = fleet.groups[_MOST_GROUPS:]
        lines += [
            "and %s with %s" % (count(len(rest), "more group"), count(sum(len(g.nodes) for g in rest), "node")),
            "",
        ]
    if fleet.differences:
        lines += [style.paint("Differences", "head"), *_differences(fleet, style), ""]
    if fleet.failures or fleet.problems:
        lines += [style.paint("Not checked", "head"), *_failures(fleet, style), ""]
    return "\n".join([*lines, style.rule, _verdict(fleet, style)]) + "\n"


def group_title(group: FleetGroup, fleet: Fleet) -> str:
    """Return ``3 of 128 nodes: cpu with tensorflow, 0 of 8 accelerators usable``."""
    text = "%d of %s: %s" % (len(group.nodes), count(fleet.known, "node"), group.platform or "no device")
    text += " with %s" % group.framework if group.framework else ", no framework"
    if group.accelerators:
        text += ", %d of %s usable" % (group.usable, count(group.accelerators, "accelerator"))
    return text


def names_of(nodes: Sequence[str]) -> str:
    """Return the first names of a list and how many more there are."""
    more = len(nodes) - _MOST_NAMES
    return ", ".join(nodes[:_MOST_NAMES]) + (" and %d more" % more if more > 0 else "")


def unlike(item: FleetDifference, fleet: Fleet) -> List[Tuple[str, Tuple[str, ...]]]:
    """Return which nodes differ from most nodes, the most common difference first.

    ``3 of 128 nodes have 535.104.05, the others 550.54.15``; ``1 of 128 nodes has none, the others accessible``.
    """
    usual = item.usual or "none"
    rest = "most" if len(item.unusual) > 1 else "the others"
    found = []
    for value, nodes in item.unusual:
        number = "%d of %s" % (len(nodes), count(fleet.known, "node"))
        verb = "has" if len(nodes) == 1 else "have"
        found.append(("%s %s %s, %s %s" % (number, verb, value or "none", rest, usual), nodes))
    return found


def _group(group: FleetGroup, number: int, fleet: Fleet, style: Style) -> List[str]:
    bad = group.broken or group.fallback
    kind = "error" if group.broken else "warning" if bad or group.findings else "good"
    lines = [style.paint(style.plain(group_title(group, fleet)), kind)]
    lines += style.wrap(names_of(group.nodes), "  ", "      ")
    if group.findings and len(group.nodes) > 1:
        lines += style.wrap("numbers and commands are those of %s:" % group.example, "  ", "      ")
    for finding in group.findings:
        lines += ["  " + line if line else line for line in finding_lines(finding, style)[:-1]]
    if group.diff is not None:
        lines += _because(group.diff, style)
    elif number and not group.findings:
        lines.append("  (not compared with the first group)")
    return lines if lines[-1] == "" else [*lines, ""]


def _because(diff: MachineDiff, style: Style) -> List[str]:
    """Return what explains that a group differs from the first one; each explanation once."""
    found: Dict[Tuple[Tuple[str, ...], ...], List[str]] = {}
    for item in diff.consequences:
        found.setdefault(item.causes, []).append(item.name if item.finding is not None else consequence_text(item))
    lines: List[str] = []
    for causes, texts in found.items():
        if causes:
            more = " and %d more" % (len(texts) - 2) if len(texts) > 2 else ""
            lines += style.wrap("differs from the first group: %s%s" % ("; ".join(texts[:2]), more), "  ", "      ")
            lines += cause_lines(causes, diff, style)
    return lines


def _differences(fleet: Fleet, style: Style) -> List[str]:
    lines: List[str] = []
    for item in fleet.differences[:_MOST_DIFFERENCES]:
        for place, (text, nodes) in enumerate(unlike(item, fleet)[:_MOST_VALUES]):
            label = item.name if not place else ""
            lines += style.wrap("%s: %s (%s)" % (label or "and", text, names_of(nodes)), "  ", "      ")
        if len(item.unusual) > _MOST_VALUES:
            lines.append("    and %s" % count(len(item.unusual) - _MOST_VALUES, "more value"))
    if len(fleet.differences) > _MOST_DIFFERENCES:
        lines.append("  and %s" % count(len(fleet.differences) - _MOST_DIFFERENCES, "more difference"))
    return lines


def _failures(fleet: Fleet, style: Style) -> List[str]:
    lines = [line for text in fleet.problems for line in style.wrap(text, "  ", "      ")]
    because: Dict[str, List[str]] = {}
    for node in fleet.failures:
        because.setdefault(node.problem, []).append(node.name)
    for problem, nodes in sorted(because.items(), key=lambda item: -len(item[1]))[:_MOST_DIFFERENCES]:
        lines += style.wrap("%s: %s" % (names_of(nodes), problem), "  ", "      ")
    if len(because) > _MOST_DIFFERENCES:
        lines.append("  and %s" % count(len(because) - _MOST_DIFFERENCES, "more reason"))
    return lines


def _verdict(fleet: Fleet, style: Style) -> str:
    broken = sum(len(group.nodes) for group in fleet.groups if group.broken)
    parts = ["%s with an error" % count(broken, "node")] if broken else []
    if fleet.failures:
        parts.append("%s not checked" % count(len(fleet.failures), "node"))
    if fleet.problems and not parts:
        parts.append("some snapshots could not be collected")
    warned = sum(len(group.nodes) for group in fleet.groups if group.findings and not group.broken)
    if parts and warned:
        parts.append("%s with a warning or note" % count(warned, "node"))
    if parts:
        return style.paint(", ".join(parts) + ".", "error")
    if warned:
        return style.paint("No errors; %s with a warning or note." % count(warned, "node"), "warning")
    return style.paint("No problems found.", "good")
