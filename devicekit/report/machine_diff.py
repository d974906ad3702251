"""What changed between two machines, as text."""

import textwrap
from typing import Dict, List, Optional, Tuple

from ..cluster.diff.result import Consequence, FactChange, MachineDiff
from .amounts import count
from .terminal import Style, finding_lines

__all__ = ["cause_lines", "diff_text", "said"]

#: What stands for something that is not there.
_NONE = "none"


def diff_text(diff: MachineDiff, style: Style, everything: bool = False) -> str:
    """Return the report of ``devicekit diff``; ``everything``: with what is volatile and what is only elsewhere."""
    lines: List[str] = []
    if diff.consequences:
        lines.append(style.paint("What that did", "head"))
        lines += _consequences(diff, style)
    facts = diff.changes if everything else diff.facts
    lines.append(style.paint("What changed", "head"))
    lines += [line for item in facts for line in change_lines(item, style)] or ["  nothing that matters"]
    left_out = [] if everything else _left_out(diff)
    if left_out:
        lines += ["", "  left out: %s; --all shows them" % " and ".join(left_out)]
    return "\n".join([*lines, style.rule, _verdict(diff, style)]) + "\n"


def _left_out(diff: MachineDiff) -> List[str]:
    volatile = sum(item.weight == "volatile" for item in diff.changes)
    places = sum(item.weight == "place" for item in diff.changes)
    found = ["%d of what changes by itself" % volatile] if volatile else []
    return found + (["%d of what is the same in another place" % places] if places else [])


def _consequences(diff: MachineDiff, style: Style) -> List[str]:
    """Findings one by one; what else follows from the same causes together."""
    lines: List[str] = []
    rest: Dict[Tuple[Tuple[str, ...], ...], List[Consequence]] = {}
    for item in diff.consequences:
        if item.finding is None:
            rest.setdefault(item.causes, []).append(item)
        elif item.change == "vanished":
            lines += _wrapped(style, "%s is gone: %s" % (item.name, item.before or ""), "  ", "  ")
            lines += [*cause_lines(item.causes, diff, style), ""]
        else:
            head = finding_lines(item.finding, style)
            lines += ["  " + line if line else line for line in head[:-1]]
            lines += [*cause_lines(item.causes, diff, style), ""]
    for causes, items in rest.items():
        for item in items:
            mark = style.paint("worse", "error") if item.worse else style.paint("other", "info")
            lines.append("  %s %s" % (mark, style.plain(said(item))))
        lines += [*cause_lines(causes, diff, style), ""]
    return lines


def said(item: Consequence) -> str:
    """Return what became of something: ``gpu:0: usable (cuda) -> blocked by driver-too-old (cuda)``."""
    name = {"choice": "the best device", "unjudged": "rule %s could not be decided" % item.name}.get(
        item.kind, item.name
    )
    before, after = item.before or _NONE, item.after or _NONE
    return "%s: %s -> %s" % (name, before, after)


def cause_lines(causes: Tuple[Tuple[str, ...], ...], diff: MachineDiff, style: Style) -> List[str]:
    """Lay out what is responsible, and how it was undone."""
    lines: List[str] = []
    for place, names in enumerate(causes):
        for number, name in enumerate(names):
            change = diff.change(name)
            start = "    because" if not place and not number else "    and    " if number else "    or     "
            lines += _wrapped(style, _change(change, name, style), start + "  ", " " * 13)
            if change is not None and change.undo:
                lines.append(" " * 13 + "put back: " + style.paint(style.plain(change.undo), "good"))
    return lines


def _change(change: Optional[FactChange], name: str, style: Style) -> str:
    if change is None:
        return name
    arrow = "\u2192" if style.unicode else "->"
    return "%s: %s %s %s" % (name, change.before or _NONE, arrow, change.after or _NONE)


def change_lines(item: FactChange, style: Style) -> List[str]:
    """Lay out one change, with its details where there are several."""
    lines = _wrapped(style, _change(item, item.name, style), "  ", "      ")
    for label, before, after in item.details[1:4]:
        lines += _wrapped(style, "%s: %s -> %s" % (label, before or _NONE, after or _NONE), "      ", "        ")
    if len(item.details) > 4:
        lines.append("      and %d more" % (len(item.details) - 4))
    return lines


def _wrapped(style: Style, text: str, first: str, later: str) -> List[str]:
    return textwrap.wrap(
        style.plain(text),
        max(40, style.width),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _verdict(diff: MachineDiff, style: Style) -> str:
    if diff.worse:
        return style.paint("Something that worked before does not work any more, or there is a new error.", "error")
    if not diff.facts and not diff.consequences:
        return style.paint("Nothing that matters is different.", "good")
    return style.paint("%s; no new error." % count(len(diff.facts), "change"), "good")
