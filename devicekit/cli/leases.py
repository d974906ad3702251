"""``devicekit leases``: which process holds which device, and which processes wait."""

import argparse
from typing import Any, List

from ..report.terminal import Style
from .arguments import json_output
from .inputs import examine
from .output import show


def add_leases(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "leases",
        example="devicekit leases",
        status="0: fine; 2: wrong use",
        parents=[json_output()],
        help="show which processes hold or wait for devices reserved with devicekit run",
    )
    parser.add_argument("--machine", metavar="FILE", help="use the devices of a snapshot ('-': standard input)")
    parser.set_defaults(run=_leases)


def _leases(options: argparse.Namespace) -> int:
    from ..cluster.lease.listing import read_leases

    show(options.json, read_leases(examine(options.machine)), leases_text)
    return 0


def leases_text(found: Any, style: Style) -> str:
    """Return which process holds which device, and which processes wait."""
    from ..cluster.lease.holder_records import span

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
