"""The report of ``devicekit leases``, and how a holder or a waiting process is put into words."""

from typing import Any, List, Mapping

from .terminal import Style

__all__ = ["described", "leases_text", "printable", "span"]


def leases_text(found: Any, style: Style) -> str:
    """Return who holds what, and who waits; ``found``: `devicekit.cluster.lease.listing.Leases`."""
    lines: List[str] = []
    for row in found.devices:
        if row.held:
            who = "held" if row.holder_pid is None else "held by process %d (%s)" % (row.holder_pid, row.command)
            who += " for %s" % span(row.held_s) if row.held_s is not None else ""
            state = style.paint(style.plain(who), "warning")
        else:
            state = style.paint("free", "good")
        lines.append("%-8s %s: %s" % (row.device or "-", style.plain(row.name), state))
    if not found.devices:
        lines.append("There is no accelerator here, and nothing is leased.")
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


def described(record: Mapping[str, Any], now_s: float) -> str:
    """Return who wrote a record: ``process 4242 (train.py) for 3 min``; ``now_s`` as `time.time` gives it."""
    pid, since = record.get("pid"), record.get("since")
    if not isinstance(pid, int):
        return "a process that has not said which"
    text = "process %d (%s)" % (pid, printable(record.get("command", "")))
    return text + (" for %s" % span(now_s - since) if isinstance(since, (int, float)) else "")


def printable(text: object) -> str:
    """Return what another user wrote without what a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in str(text)[:80])


def span(seconds: float) -> str:
    """Return a length of time in one unit.

    >>> span(0.4), span(90), span(7200), span(200000)
    ('0 s', '1 min', '2 h', '2 d')
    """
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return "%d %s" % (seconds // size, unit)
    return "%d s" % max(0, seconds)
