"""Diffs and fleets as HTML fragments, for notebooks; every value is escaped. See `html`."""

from typing import List

from ..cluster.diff.result import FactChange, MachineDiff
from ..cluster.fleet.result import Fleet
from .amounts import count, sign
from .fleet import group_title, names_of, unlike
from .html import (
    HTML_HEAD,
    html_box,
    html_code,
    html_findings,
    html_more,
    html_paragraph,
    html_strong,
    html_table,
    html_text,
)
from .machine_diff import said

__all__ = ["fleet_html", "machine_diff_html"]

_MOST_ROWS = 12


def machine_diff_html(diff: MachineDiff) -> str:
    """Return what changed, what that did and because of what."""
    worse = sum(item.worse for item in diff.consequences)
    told = (
        "%s %s" % (sign("error"), count(worse, "thing") + " got worse") if worse else "%s no new error" % sign("good")
    )
    parts = [html_paragraph("%s · %s" % (html_strong(count(len(diff.facts), "change")), html_text(told)), HTML_HEAD)]
    rows = [
        (
            html_code(item.name),
            html_text(item.change),
            html_text(item.after or item.before or "" if item.finding is not None else said(item)),
            html_text("; or ".join(" and ".join(names) for names in item.causes)),
        )
        for item in diff.consequences
    ]
    if rows:
        parts.append(html_table("What that did", ("what", "", "", "because of"), rows[:_MOST_ROWS]) + _rest(len(rows)))
    changes = [_change(item) for item in diff.facts]
    if changes:
        heads = ("what", "before", "after", "put back")
        parts.append(html_table("What changed", heads, changes[:_MOST_ROWS]) + _rest(len(changes)))
    return html_box(parts)


def _change(item: FactChange) -> List[str]:
    return [
        html_text(item.name),
        html_text(item.before or "none"),
        html_text(item.after or "none"),
        html_code(item.undo),
    ]


def fleet_html(fleet: Fleet) -> str:
    """Return the groups with their findings, what is unlike the others, and what is not known."""
    healthy = "%s nothing is wrong" % sign("good") if fleet.healthy else "%s not everything is well" % sign("error")
    head = "%s · %s · %s" % (
        html_strong(count(len(fleet.nodes), "node")),
        count(len(fleet.groups), "group"),
        html_text(healthy),
    )
    parts = [html_paragraph(head, HTML_HEAD)]
    for group in fleet.groups[:_MOST_ROWS]:
        inner = [html_paragraph(html_text(names_of(group.nodes))), *html_findings(group.findings)]
        if group.findings and len(group.nodes) > 1:
            inner.append(html_paragraph("Numbers and commands are those of %s." % html_text(group.example)))
        parts.append(html_more(group_title(group, fleet), "".join(inner)))
    parts.append(_rest(len(fleet.groups)))
    rows = [(html_text(item.name), html_text(text), html_text(names_of(nodes))) for item in fleet.differences
            for text, nodes in unlike(item, fleet)]  # fmt: skip
    if rows:
        table = html_table("What is unlike the others", ("what", "who", "nodes"), rows[:_MOST_ROWS])
        parts.append(table + _rest(len(rows)))
    failures = [(html_text(node.name), html_text(node.problem)) for node in fleet.failures]
    if failures:
        parts.append(html_table("Not known", ("node", "why"), failures[:_MOST_ROWS]) + _rest(len(failures)))
    return html_box(parts)


def _rest(number: int) -> str:
    return html_paragraph("and %d more" % (number - _MOST_ROWS)) if number > _MOST_ROWS else ""
