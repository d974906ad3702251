"""A fleet as a page. See `pages`."""

from typing import Any, Dict, List, Tuple

from ..cluster.fleet.result import Fleet, FleetGroup
from ..diagnosis.findings import Finding
from .amounts import count
from .fleet import names_of, unlike
from .machine_diff import said
from .pages import render_page, tag

__all__ = ["fleet_page"]

#: A page stays small, whatever the size of the fleet; what is left out is in the JSON.
_MOST_ROWS, _MOST_FINDINGS, _MOST_NAMES = 300, 40, 400


def fleet_page(fleet: Fleet, *, made: str = "") -> str:
    """Return the page of ``devicekit fleet --html``. The names of the nodes stand on it.

    Parameters
    ----------
    fleet : Fleet
    made : str, optional
        When, as it is to stand on the page.

    Raises
    ------
    DevicekitError
        Where Jinja2 is not installed.
    """
    broken = sum(len(group.nodes) for group in fleet.groups if group.broken)
    verdict = [tag("error", "%s with an error" % count(broken, "node"))] if broken else []
    if fleet.failures:
        verdict.append(tag("unknown", "%s not judged" % count(len(fleet.failures), "node")))
    unequal = [(item.name, text, names_of(nodes)) for item in fleet.differences for text, nodes in unlike(item, fleet)]
    failures = [(node.name, node.problem) for node in fleet.failures]
    return render_page(
        "fleet.html",
        "",
        made,
        title="devicekit fleet: %s" % count(len(fleet.nodes), "node"),
        eyebrow="devicekit fleet",
        heading="%s, %s" % (count(len(fleet.nodes), "node"), count(len(fleet.groups), "group")),
        lead="%d of them could be judged. Nodes of which the same is to be said are one group." % fleet.known,
        verdict=verdict or [tag("good", "every node could be judged, and none has an error")],
        findings=_findings(fleet)[:_MOST_FINDINGS],
        groups=[_row(group, number) for number, group in enumerate(fleet.groups[:_MOST_ROWS], 1)],
        members=[_members(group, number) for number, group in enumerate(fleet.groups[:_MOST_ROWS], 1)],
        unequal=unequal[:_MOST_ROWS],
        failures=[("the gathering", text) for text in fleet.problems] + failures[:_MOST_ROWS],
        left_out=max(0, len(unequal) - _MOST_ROWS) + max(0, len(failures) - _MOST_ROWS),
    )


def _findings(fleet: Fleet) -> List[Dict[str, Any]]:
    """Return every finding once, with the nodes that have it; the worst first, then the most common."""
    found: Dict[Tuple[str, str], List[Any]] = {}
    for number, group in enumerate(fleet.groups, 1):
        for item in group.findings:
            found.setdefault((item.code, item.summary), [item, 0, [], group.example])
            row = found[(item.code, item.summary)]
            row[1] += len(group.nodes)
            row[2].append("group %d, %s: %s" % (number, count(len(group.nodes), "node"), names_of(group.nodes)))
    order = {"error": 0, "warning": 1, "info": 2}
    ordered = sorted(found.values(), key=lambda row: (order.get(row[0].severity, 3), -row[1]))
    return [_finding(item, nodes, number, example, fleet) for item, number, nodes, example in ordered]


def _finding(item: Finding, nodes: List[str], number: int, example: str, fleet: Fleet) -> Dict[str, Any]:
    evidence = [{"text": text, "source": ""} for text in nodes[:_MOST_FINDINGS]]
    if number > 1:
        evidence.append({"text": "numbers and commands are those of %s" % example, "source": ""})
    evidence += [{"text": seen.text, "source": seen.source} for seen in item.evidence]
    return {
        "code": item.code,
        "severity": item.severity,
        "summary": "On %d of %s: %s" % (number, count(fleet.known, "node"), item.summary),
        "evidence": evidence,
        "fix": list(item.fix),
        "url": item.url,
    }


def _row(group: FleetGroup, number: int) -> Tuple[Any, ...]:
    codes = ", ".join(dict.fromkeys(item.code for item in group.findings)) or "none"
    state = tag("fails" if group.broken else "warning" if group.fallback else "ok", codes)
    because: List[str] = []
    if group.diff is not None:
        for item in group.diff.consequences:
            text = "; or ".join(" and ".join(names) for names in item.causes)
            if text:
                because.append("%s: %s" % (item.name if item.finding is not None else said(item), text))
    return (
        "Group %d" % number,
        str(len(group.nodes)),
        "%s with %s" % (group.platform or "no device", group.framework or "no framework"),
        "%d of %d" % (group.usable, group.accelerators),
        state,
        "; ".join(because[:3]),
    )


def _members(group: FleetGroup, number: int) -> Dict[str, str]:
    more = len(group.nodes) - _MOST_NAMES
    text = ", ".join(group.nodes[:_MOST_NAMES]) + (" and %d more" % more if more > 0 else "")
    return {"title": "Group %d: %s" % (number, count(len(group.nodes), "node")), "text": text}
