"""``devicekit diff``: what changed between two snapshots, and which change explains what is found now."""

import argparse
from typing import Any

from ..machine.facts import Machine

__all__ = ["add_diff"]


def add_diff(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "diff", help="say what changed between two snapshots, and which change is why it does not work any more"
    )
    parser.add_argument(
        "before", nargs="?", metavar="BEFORE", help="a snapshot of when it worked ('-': standard input)"
    )
    after = parser.add_mutually_exclusive_group()
    after.add_argument("after", nargs="?", metavar="AFTER", help="another snapshot (default: this machine now)")
    after.add_argument("--here", action="store_true", help="compare with this machine as it is now")
    after.add_argument(
        "--python", metavar="PATH", help="compare with another interpreter or environment of this machine"
    )
    parser.add_argument("--all", action="store_true", help="with what changes by itself, and what is only elsewhere")
    parser.add_argument("--no-causes", action="store_true", help="do not look for what is responsible")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_diff)


def _diff(options: argparse.Namespace) -> int:
    from ..cluster.diff.compare_machines import compare_machines
    from ..machine.snapshot import load_machine
    from .main import _print, _print_json, _style

    if options.before is None:
        raise ValueError(
            "compare with what? name a snapshot of when it worked; to make one: devicekit snapshot -o good.json"
        )
    if options.before == options.after == "-":
        raise ValueError("only one of the two snapshots can come from standard input")
    before = load_machine(options.before)
    diff = compare_machines(before, _after(options), causes=not options.no_causes)
    if options.json:
        _print_json(diff.to_dict())
    else:
        from ..report.machine_diff import diff_text

        _print(diff_text(diff, _style(), options.all))
    return 1 if diff.worse else 0


def _after(options: argparse.Namespace) -> Machine:
    from .main import _examine

    return _examine(argparse.Namespace(machine=options.after, python=options.python))
