"""``devicekit diff``: what changed between two snapshots, and which change explains the findings."""

import argparse
from typing import Any

from .arguments import json_output
from .inputs import examine, read_snapshot
from .output import show


def add_diff(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "diff",
        example="devicekit diff before.json after.json",
        parents=[json_output()],
        help="show what changed between two snapshots, and what broke because of it",
    )
    parser.add_argument(
        "before", nargs="?", metavar="BEFORE", help="a snapshot from when it worked ('-': standard input)"
    )
    after = parser.add_mutually_exclusive_group()
    after.add_argument("after", nargs="?", metavar="AFTER", help="another snapshot (default: this machine now)")
    after.add_argument("--here", action="store_true", help="compare with this machine as it is now")
    after.add_argument("--python", metavar="PATH", help="compare with another Python interpreter or environment")
    parser.add_argument(
        "--all", action="store_true", help="show also what changes by itself, and what only moved to another place"
    )
    parser.add_argument("--no-causes", action="store_true", help="do not search for the changes that explain findings")
    parser.set_defaults(run=_diff)


def _diff(options: argparse.Namespace) -> int:
    from ..cluster.diff.compare_machines import compare_machines
    from ..machine.live_host import LiveHost
    from ..report.fleet import diff_text
    from ..report.shareable import names_of, shareable

    if options.before is None:
        raise ValueError(
            "name a snapshot from when it worked to compare with; to make one: devicekit snapshot -o good.json"
        )
    if options.before == options.after == "-":
        raise ValueError("only one of the two snapshots can come from standard input")
    names = names_of(LiveHost())
    # Both without names of users and folders, as a snapshot is: what is masked in one only would be a change.
    before = shareable(read_snapshot(options.before), names)
    after = shareable(examine(options.after, options.python), names)
    diff = compare_machines(before, after, causes=not options.no_causes)
    show(options.json, diff, lambda record, style: diff_text(record, style, options.all))
    return 1 if diff.worse else 0
