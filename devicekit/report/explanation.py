"""The report of ``devicekit explain``."""

from typing import List

from ..logs.engine import Explanation
from .terminal import Style, finding_lines

_MOST_HARMLESS = 12


def explanation_text(explanation: Explanation, style: Style) -> str:
    """Return the report of ``devicekit explain LOG``."""
    lines: List[str] = []
    for number, finding in enumerate(explanation.findings):
        if number == 1:
            lines += [style.paint("Also found", "head"), ""]
        lines += finding_lines(finding, style)
    if explanation.harmless:
        lines += [style.paint("Harmless", "head")]
        for item in explanation.harmless[:_MOST_HARMLESS]:
            lines.append("  %d: %s" % (item.number, style.plain(item.line)[: max(40, style.width - 8)]))
            lines += style.wrap(item.because, "      ")
        if len(explanation.harmless) > _MOST_HARMLESS:
            lines.append("  and %d more" % (len(explanation.harmless) - _MOST_HARMLESS))
        lines.append("")
    worst = explanation.findings[0] if explanation.findings else None
    if worst is None:
        text = "No problems found." if explanation.harmless else "devicekit does not recognize any line."
        lines.append(style.paint(text, "good" if explanation.harmless else "warning"))
    elif worst.code == "user-code-error":
        lines.append(
            style.paint("The program itself made the error; no problem with its environment is shown.", "warning")
        )
        lines.append("More about it: devicekit explain %s" % worst.code)
    elif worst.severity == "info":
        condition = "" if worst.code == "no-gpu" else " if the machine has no GPU"
        lines.append(style.paint("No problems found%s." % condition, "good"))
        if worst.code != "no-gpu":
            lines.append("If it has a GPU, use --here, --machine or --facts: devicekit explain --help")
    else:
        likely = "The most likely cause is" if explanation.certain else "There is only a weak sign of"
        text = "%s %s." % (likely, worst.code)
        if worst.code == "cause-unknown":
            known = explanation.certain
            text = "No code names this cause." if known else "devicekit does not know the cause of this error."
        lines.append(style.paint(text, worst.severity))
        lines.append("More about it: devicekit explain %s" % worst.code)
    return "\n".join(lines) + "\n"
