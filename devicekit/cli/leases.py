"""``devicekit leases``: which process holds which device, and which processes wait."""

import argparse
from typing import Any

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
    from ..report.leases import leases_text

    show(options.json, read_leases(examine(options.machine)), leases_text)
    return 0
