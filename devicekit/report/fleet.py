"""The report of ``devicekit fleet``."""

from typing import Dict, List, Sequence, Tuple

from ..cluster.diff.result import MachineDiff
from ..cluster.fleet.result import Fleet, FleetDifference, FleetGroup
from .amounts import count
from .machine_diff import cause_lines, consequence_text
from .terminal import Style, finding_lines

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
