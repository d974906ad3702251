"""``devicekit snapshot``: what is known of this machine, for another one to judge."""

import argparse
from typing import Any

from ..errors import DevicekitError

__all__ = ["add_snapshot"]


def add_snapshot(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "snapshot", help="write what is known of this machine, for 'doctor --machine', 'diff' and 'fleet' elsewhere"
    )
    parser.add_argument("--json", action="store_true", help="as JSON (a snapshot always is)")
    parser.add_argument("--python", metavar="PATH", help="examine another interpreter or virtual environment")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="write to a file instead of standard output; {node} in it becomes the name of this machine",
    )
    parser.add_argument(
        "--line", action="store_true", help="print one line, the name of this machine before it: for 'fleet --command'"
    )
    parser.set_defaults(run=_snapshot)


def _snapshot(options: argparse.Namespace) -> int:
    import json

    from ..machine.host import LiveHost
    from .main import _examine, _print

    if options.line and options.output:
        raise ValueError("--line is for standard output: leave out --output")
    machine = _examine(options).to_dict()
    if options.line:
        _print("%s: %s\n" % (LiveHost().node.partition(".")[0] or "node", json.dumps(machine)))
        return 0
    text = json.dumps(machine, indent=1) + "\n"
    if not options.output:
        _print(text)
        return 0
    path = options.output.replace("{node}", LiveHost().node.partition(".")[0] or "node")
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise DevicekitError("%s cannot be written: %s" % (path, error.strerror or error)) from error
    return 0
