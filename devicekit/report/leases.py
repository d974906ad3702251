"""The report of ``devicekit leases``."""

from typing import Any, List

from ..cluster.lease.holder_records import span
from .terminal import Style


def leases_text(found: Any, style: Style) -> str:
    """Return which process holds which device, and which processes wait."""
    lines: List[str] = []
    for row in found.devices:
        if row.held:
            who = "held by process %d (%s)" % (row.holder_pid, row.command) if row.holder_pid is not None else "held"
            if row.holder_pid is None and row.command:
                who += " by " + row.command
            who += " for %s" % span(row.held_s) if row.held_s is not None else ""
            state = style.paint(style.plain(who), "warning")
        else:
            state = style.paint("free", "good")
        lines.append("%-8s %s: %s" % (row.device or "-", style.plain(row.name), state))
    if not found.devices:
        lines.append("There is no accelerator here, and none is leased.")
    for place, row in enumerate(found.waiting):
        who = "process %d (%s)" % (row.pid, row.command) if row.pid is not None else "a process"
        what = (
            "%d of %s" % (row.wanted, ", ".join(row.devices))
            if row.wanted < len(row.devices)
            else ", ".join(row.devices)
        )
        time = " for %s" % span(row.waited_s) if row.waited_s is not None else ""
        lines.append(style.plain("%-8s %s waits%s: %s" % ("%d." % (place + 1), who, time, what)))
    return "\n".join(lines) + "\n"
