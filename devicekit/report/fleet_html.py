"""Diffs and fleets as HTML fragments, for notebooks; every value is escaped. See `html`."""

from typing import List

from ..fleet_result import Fleet
from ..machine_diff import FactChange, MachineDiff
from .amounts import count, sign
from .fleet import group_title, names_of, unlike
from .html import _HEAD, _box, _code, _findings, _more, _paragraph, _strong, _table, _text
from .machine_diff import said

__all__ = ["fleet_html", "machine_diff_html"]

_MOST_ROWS = 12


def machine_diff_html(diff: MachineDiff) -> str:
    """Return what changed, what that did and because of what."""
    worse = sum(item.worse for item in diff.consequences)
    told = (
        "%s %s" % (sign("error"), count(worse, "thing") + " got worse") if worse else "%s no new error" % sign("good")
    )
    parts = [_paragraph("%s · %s" % (_strong(count(len(diff.facts), "change")), _text(told)), _HEAD)]
    rows = [
        (
            _code(item.name),
            _text(item.change),
            _text(item.after or item.before or "" if item.finding is not None else said(item)),
            _text("; or ".join(" and ".join(names) for names in item.causes)),
        )
        for item in diff.consequences
    ]
    if rows:
        parts.append(_table("What that did", ("what", "", "", "because of"), rows[:_MOST_ROWS]) + _rest(len(rows)))
    changes = [_change(item) for item in diff.facts]
    if changes:
        heads = ("what", "before", "after", "put back")
        parts.append(_table("What changed", heads, changes[:_MOST_ROWS]) + _rest(len(changes)))
    return _box(parts)


def _change(item: FactChange) -> List[str]:
    return [_text(item.name), _text(item.before or "none"), _text(item.after or "none"), _code(item.undo)]


def fleet_html(fleet: Fleet) -> str:
    """Return the groups with their findings, what is unlike the others, and what is not known."""
    healthy = "%s nothing is wrong" % sign("good") if fleet.healthy else "%s not everything is well" % sign("error")
    head = "%s · %s · %s" % (
        _strong(count(len(fleet.nodes), "node")),
        count(len(fleet.groups), "group"),
        _text(healthy),
    )
    parts = [_paragraph(head, _HEAD)]
    for group in fleet.groups[:_MOST_ROWS]:
        inner = [_paragraph(_text(names_of(group.nodes))), *_findings(group.findings)]
        if group.findings and len(group.nodes) > 1:
            inner.append(_paragraph("Numbers and commands are those of %s." % _text(group.example)))
        parts.append(_more(group_title(group, fleet), "".join(inner)))
    parts.append(_rest(len(fleet.groups)))
    rows = [(_text(item.name), _text(text), _text(names_of(nodes))) for item in fleet.differences
            for text, nodes in unlike(item, fleet)]  # fmt: skip
    if rows:
        table = _table("What is unlike the others", ("what", "who", "nodes"), rows[:_MOST_ROWS])
        parts.append(table + _rest(len(rows)))
    failures = [(_text(node.name), _text(node.problem)) for node in fleet.failures]
    if failures:
        parts.append(_table("Not known", ("node", "why"), failures[:_MOST_ROWS]) + _rest(len(failures)))
    return _box(parts)


def _rest(number: int) -> str:
    return _paragraph("and %d more" % (number - _MOST_ROWS)) if number > _MOST_ROWS else ""
