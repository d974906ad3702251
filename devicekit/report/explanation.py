"""What `explain` prints. Pure."""

import textwrap
from typing import List

from ..logs.engine import Explanation
from .terminal import Style, finding_lines

__all__ = ["explanation_text"]

_MOST_HARMLESS = 12


def explanation_text(found: Explanation, style: Style) -> str:
    """Return the report of ``devicekit explain LOG``."""
    lines: List[str] = []
    for number, finding in enumerate(found.findings):
        if number == 1:
            lines += [style.paint("Also found", "head"), ""]
        lines += finding_lines(finding, style)
    if found.harmless:
        lines += [style.paint("Harmless", "head")]
        for item in found.harmless[:_MOST_HARMLESS]:
            lines.append("  %d: %s" % (item.number, style.plain(item.line)[: max(40, style.width - 8)]))
            lines += textwrap.wrap(
                style.plain(item.because), style.width, initial_indent="      ", subsequent_indent="      "
            )
        if len(found.harmless) > _MOST_HARMLESS:
            lines.append("  and %d more" % (len(found.harmless) - _MOST_HARMLESS))
        lines.append("")
    worst = found.findings[0] if found.findings else None
    if worst is None:
        says = "Nothing in it is wrong." if found.harmless else "No line of it is known to devicekit."
        lines.append(style.paint(says, "good" if found.harmless else "warning"))
    elif worst.severity == "info":
        says = (
            "Nothing in it is wrong" if worst.code == "no-gpu" else "Nothing in it is wrong if this machine has no GPU"
        )
        lines.append(style.paint(says + ".", "good"))
        if worst.code != "no-gpu":
            lines.append("If it has one, say so, with --here or --facts: devicekit explain --help")
    else:
        sure = "The cause is most likely" if found.certain else "Only a weak sign was found; it may be"
        lines.append(style.paint("%s %s." % (sure, worst.code), worst.severity))
        lines.append("More about it: devicekit explain %s" % worst.code)
    return "\n".join(lines) + "\n"
