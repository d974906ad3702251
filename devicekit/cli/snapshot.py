"""``devicekit snapshot``: the facts about this machine as a file, to be examined elsewhere."""

import argparse
import json
from typing import Any

from .inputs import examine
from .output import print_text, write_text


def add_snapshot(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "snapshot",
        example="devicekit snapshot > machine.json",
        status="0: fine; 2: wrong use",
        help="write the facts about this machine, for 'doctor --machine', 'diff' and 'fleet'",
    )
    parser.add_argument("--json", action="store_true", help="print JSON (a snapshot always is JSON)")
    parser.add_argument("--python", metavar="PATH", help="examine another Python interpreter or virtual environment")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="write to a file instead of standard output; {node} is replaced by the name of this machine",
    )
    parser.set_defaults(run=_snapshot)


def _snapshot(options: argparse.Namespace) -> int:
    from ..machine.live_host import LiveHost
    from ..report.shareable import names_of, shareable

    host = LiveHost()
    machine = shareable(examine(python=options.python), names_of(host))
    text = json.dumps(machine.to_dict(), indent=1) + "\n"
    if not options.output:
        print_text(text)
        return 0
    path = options.output.replace("{node}", host.node.partition(".")[0] or "node")
    write_text(path, text)
    return 0
