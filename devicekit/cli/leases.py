"""``devicekit leases``: who holds which device, and who waits."""

import argparse
from typing import Any

__all__ = ["add_leases"]


def add_leases(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "leases", help="show which process holds which device by devicekit run or devicekit.lease, and who waits"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--machine", metavar="FILE", help="of the devices of a snapshot ('-': standard input)")
    parser.set_defaults(run=_leases, python=None)


def _leases(options: argparse.Namespace) -> int:
    from ..cluster.lease.listing import read_leases
    from .main import _examine, _print, _print_json, _style

    found = read_leases(_examine(options))
    if options.json:
        _print_json(found.to_dict())
    else:
        from ..report.leases import leases_text

        _print(leases_text(found, _style()))
    return 0
