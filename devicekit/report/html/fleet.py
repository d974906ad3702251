"""A fleet, and what changed between two machines."""

from typing import Any, Dict, List, Tuple

from ...cluster.diff.result import MachineDiff
from ...cluster.fleet.result import Fleet, FleetGroup
from ...diagnosis.findings import Evidence, Finding
from ..amounts import count
from ..fleet import consequence_text, names_of, unlike
from .components import Report, Section, Table, Tag, element

#: A page stays small, whatever the size of the fleet; what is left out is in the JSON.
_MOST_GROUPS, _MOST_FINDINGS, _MOST_NAMES = 300, 40, 400


def fleet_report(fleet: Fleet) -> Report:
    """Return the groups with their findings, how nodes differ from the others, and what is not known."""
    broken = sum(len(group.nodes) for group in fleet.groups if group.broken)
    tags = [Tag("error", "%s with an error" % count(broken, "node"))] if broken else []
    if fleet.failures:
        tags.append(Tag("unknown", "%s not checked" % count(len(fleet.failures), "node")))
    groups = fleet.groups[:_MOST_GROUPS]
    sections = [
        Section("Groups", [_groups(fleet), *[_members(group, number) for number, group in enumerate(groups, 1)]])
    ]
    differences = [
        (item.name, text, names_of(nodes)) for item in fleet.differences for text, nodes in unlike(item, fleet)
    ]
    alike = element("p", "None: all nodes are alike, apart from serial numbers, addresses and what changes by itself.")
    table = Table("Rarest first", ("What", "Difference", "Nodes"), differences, stacked=True)
    sections.append(Section("Differences between the nodes", [table if differences else alike]))
    failures = [("collection", text) for text in fleet.problems] + [
        (node.name, node.problem) for node in fleet.failures
    ]
    if failures:
        table = Table("Nodes without a snapshot that could be checked", ("Node", "Reason"), failures, stacked=True)
        sections.append(Section("Not checked", [table]))
    return Report(
        "fleet",
        "%s, %s" % (count(len(fleet.nodes), "node"), count(len(fleet.groups), "group")),
        "%d of them could be checked. Nodes with the same devices and findings form a group." % fleet.known,
        tags or [Tag("good", "all nodes were checked, and none has an error")],
        _findings(fleet)[:_MOST_FINDINGS],
        "No node has a finding.",
        sections,
        "This page loads nothing from elsewhere. It contains the names of the nodes: consider that before you share it.",
    )


def _findings(fleet: Fleet) -> List[Finding]:
    """Return every finding once, with the nodes that have it; the worst first, then the most common."""
    groups: Dict[Tuple[str, str], List[Tuple[int, FleetGroup, Finding]]] = {}
    for number, group in enumerate(fleet.groups, 1):
        for item in group.findings:
            groups.setdefault((item.code, item.summary), []).append((number, group, item))
    order = {"error": 0, "warning": 1, "info": 2}
    merged = [(sum(len(group.nodes) for _, group, _ in rows), rows) for rows in groups.values()]
    merged.sort(key=lambda pair: (order.get(pair[1][0][2].severity, 3), -pair[0]))
    return [_finding(number, rows, fleet) for number, rows in merged]


def _finding(number: int, rows: List[Tuple[int, FleetGroup, Finding]], fleet: Fleet) -> Finding:
    _, first, item = rows[0]
    evidence = [
        Evidence("group %d, %s: %s" % (place, count(len(group.nodes), "node"), names_of(group.nodes)), "")
        for place, group, _ in rows[:_MOST_FINDINGS]
    ]
    if number > 1:
        evidence.append(Evidence("numbers and commands are those of %s" % first.example, ""))
    summary = "On %d of %s: %s" % (number, count(fleet.known, "node"), item.summary)
    evidence += item.evidence
    return Finding(item.code, item.severity, summary, tuple(evidence), item.fix, item.blocks, item.url)


def _groups(fleet: Fleet) -> Table:
    heads = (
        "Group",
        "Nodes",
        "Best device",
        "Accelerators usable",
        "Findings",
        "Differs from the first group because of",
    )
    rows = [_group(group, number) for number, group in enumerate(fleet.groups, 1)]
    return Table("Nodes with the same devices and findings", heads, rows, (1,), stacked=True)


def _group(group: FleetGroup, number: int) -> Tuple[Any, ...]:
    codes = ", ".join(dict.fromkeys(item.code for item in group.findings)) or "none"
    because: List[str] = []
    for item in group.diff.consequences if group.diff is not None else ():
        causes = _causes(item.causes)
        if causes:
            because.append("%s: %s" % (item.name if item.finding is not None else consequence_text(item), causes))
    return (
        "Group %d" % number,
        str(len(group.nodes)),
        "%s with %s" % (group.platform or "no device", group.framework or "no framework"),
        "%d of %d" % (group.usable, group.accelerators),
        Tag("fails" if group.broken else "warning" if group.fallback else "ok", codes),
        "; ".join(because[:3]),
    )


def _causes(causes: Tuple[Tuple[str, ...], ...]) -> str:
    return "; or ".join(" and ".join(names) for names in causes)


def _members(group: FleetGroup, number: int) -> Any:
    more = len(group.nodes) - _MOST_NAMES
    names = ", ".join(group.nodes[:_MOST_NAMES]) + (" and %d more" % more if more > 0 else "")
    title = "Group %d: %s" % (number, count(len(group.nodes), "node"))
    return element("details", element("summary", title), element("p", names))


def machine_diff_report(diff: MachineDiff) -> Report:
    """Return what changed, its consequences, and the change that explains each of them."""
    worse = sum(item.worse for item in diff.consequences)
    tag = Tag("error", "%s worse" % count(worse, "thing")) if worse else Tag("good", "no new error")
    consequences = [
        (
            item.name,
            item.change,
            item.after or item.before or "" if item.finding is not None else consequence_text(item),
            _causes(item.causes),
        )
        for item in diff.consequences
    ]
    changes = [
        (item.name, item.before or "none", item.after or "none", element("code", item.undo)) for item in diff.facts
    ]
    tables = [
        Table("Consequences", ("What", "Change", "Now", "Because of"), consequences),
        Table("Changes", ("What", "Before", "After", "Undo"), changes),
    ]
    sections = [Section(table.caption, [table]) for table in tables]
    return Report("diff", count(len(diff.facts), "change"), "", [tag], (), "", sections)
