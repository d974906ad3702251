"""The report of ``devicekit fix``: what is wrong, what is done, and what works before and after."""

from typing import Iterable, List, Sequence, Tuple

from ..diagnosis.findings import Finding
from ..remedy.result import Attempt, Change, Remedy
from ..runtime.verification import FrameworkVerification
from .terminal import PLAIN, Style, command_lines, step_lines
from .verification import observed_text

_COLORS = {
    "nothing-wrong": "good", "fixed": "good", "undone": "good", "planned": "warning", "better": "warning",
    "restored": "error", "no-plan": "error",
}  # fmt: skip

#: Outcomes of an attempt.
_OUTCOMES = {
    "works": "done, and it works", "better": "done, and more works than before", "planned": "not tried",
    "not-better": "no help: undone", "failed": "could not be installed: undone",
}  # fmt: skip


def remedy_text(remedy: Remedy, style: Style = PLAIN, again: bool = False) -> str:
    """Return the report of ``devicekit fix``; ``again``: below the one of the plan, which says what is wrong."""
    lines = [] if again else [style.paint("devicekit fix: %s" % style.plain(remedy.python), "head"), style.rule]
    if remedy.findings and not again:
        lines += [style.paint("What is wrong", "head"), *_findings(remedy.findings, style), ""]
    if remedy.attempts:
        plan = remedy.outcome == "planned"
        lines += [style.paint("What would be done" if plan else "What was done", "head")]
        shown = [item for item in remedy.attempts if plan or item.outcome != "planned"]
        for number in range(1, len(shown) + 1):
            lines += _attempt(shown[:number], style, plan)
        lines.append("")
    elif remedy.changes:
        lines += [style.paint("Changes", "head"), *_changes(remedy.changes, style), ""]
    if remedy.left and remedy.outcome != "fixed":
        lines += [style.paint("Left to you", "head")]
        for step in remedy.left:
            lines += step_lines(step, _WHO.get(step.who, step.who), style, who=False)
        lines.append("")
    lines += _before_and_after(remedy, style)
    if remedy.remaining:
        lines += [style.paint("Still wrong", "head"), *_findings(remedy.remaining, style), ""]
    if remedy.undo:
        lines += ["To undo it:", *command_lines(style, remedy.undo), ""]
    # A plan's summary is its first way, which is above already.
    planned = remedy.outcome == "planned" and remedy.attempts
    summary = "Nothing has been changed yet." if planned else remedy.summary
    rule = [] if lines[-1:] == [style.rule] else [style.rule]
    lines += [*rule, *(style.paint(line, _COLORS.get(remedy.outcome, "warning")) for line in style.wrap(summary))]
    return "\n".join(lines) + "\n"


_WHO = {"user": "you", "admin": "as admin", "reboot": "restart"}


def _findings(findings: Iterable[Finding], style: Style) -> List[str]:
    lines: List[str] = []
    for item in findings:
        lines.append("  %s %s" % (style.paint(item.severity, item.severity), style.paint(item.code, "head")))
        lines += style.wrap(item.summary, "    ")
    return lines


def _attempt(several: Sequence[Attempt], style: Style, plan: bool) -> List[str]:
    """Return the lines of the last one of several attempts."""
    attempt, start = several[-1], "  %d. " % len(several)
    where = " In a new environment: %s." % attempt.environment if attempt.environment else ""
    text = attempt.reason + where
    content = (attempt.changes, attempt.aside, attempt.unset)
    same = any((item.changes, item.aside, item.unset) == content for item in several[:-1])
    if same:
        text = "The same, with everything that the framework requires."
    text = "If that does not help: %s" % text if len(several) > 1 and plan else text
    lines = style.wrap(text, start, "     ")
    lines += _changes(() if same else attempt.changes, style)
    lines += [
        "     %s, renamed to %s.aside" % (path, path.replace("\\", "/").rpartition("/")[2]) for path in attempt.aside
    ]
    if plan and attempt.unsure:
        lines += style.wrap("Not certain: %s." % attempt.unsure.rstrip("."), "     ")
    return lines + _outcome(attempt, style, plan)


def _outcome(attempt: Attempt, style: Style, plan: bool) -> List[str]:
    if plan:
        return []
    detail = ": %s" % attempt.detail if attempt.detail else ""
    return style.wrap(_OUTCOMES.get(attempt.outcome, attempt.outcome) + detail, "     -> ", "        ")


def _changes(changes: Tuple[Change, ...], style: Style) -> List[str]:
    width = max((len(item.name) for item in changes), default=0)
    lines = []
    for item in changes:
        if item.before is None:
            text = "%s (new)" % item.after
        elif item.after is None:
            text = "%s, removed" % item.before
        elif item.before == item.after:
            text = "%s, installed again" % item.after
        else:
            text = "%s -> %s" % (item.before, item.after)
        lines.append("     %s  %s" % (style.plain(item.name).ljust(width), style.plain(text)))
    return lines


def _before_and_after(remedy: Remedy, style: Style) -> List[str]:
    lines: List[str] = []
    # What a file in the working folder hides there, the trials do not meet: nothing in that folder is run.
    moved = any(item.aside for item in remedy.attempts) and all(item.works for item in remedy.before)
    where = " (tried outside of the working folder)" if moved else ""
    for title, several in (("Before", remedy.before), ("After", remedy.after)):
        if several:
            lines += [style.paint(title + where, "head"), *_frameworks(several, style), ""]
    return lines


def _frameworks(several: Tuple[FrameworkVerification, ...], style: Style) -> List[str]:
    lines: List[str] = []
    for item in several:
        state = style.paint("works", "good") if item.works else style.paint("does not work", "error")
        head = "%s %s" % (item.framework, item.version or "")
        lines.append("  %s: %s" % (style.plain(head.strip()), state))
        lines += style.wrap(observed_text(item), "    ")
    return lines
