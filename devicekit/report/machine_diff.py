"""The report of ``devicekit diff``."""

from typing import Dict, List, Optional, Tuple

from ..cluster.diff.result import Consequence, FactChange, MachineDiff
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
    return "\n".join([*lines, style.rule, _verdict(diff, style)]) + "\n"


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


def _verdict(diff: MachineDiff, style: Style) -> str:
    if diff.worse:
        return style.paint("Something that worked no longer works, or there is a new error.", "error")
    if not diff.facts and not diff.consequences:
        return style.paint("No differences that matter.", "good")
    return style.paint("%s; no new error." % count(len(diff.facts), "change"), "good")
