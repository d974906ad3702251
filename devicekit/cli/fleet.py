"""``devicekit fleet``: compare many machines."""

import argparse
from typing import Any

from ..cluster.fleet.result import Fleet
from ..errors import DevicekitError
from .arguments import add_html, json_output
from .output import show, write_record


def add_fleet(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "fleet",
        example="devicekit fleet --from snapshots",
        parents=[json_output()],
        help="compare many machines and find the odd ones out",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--from",
        dest="folder",
        metavar="DIR",
        help="a folder of snapshots, one file per node: devicekit snapshot -o 'DIR/{node}.json'",
    )
    source.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="all nodes of a Ray cluster (default: the one that Ray finds)",
    )
    parser.add_argument(
        "--device", default="auto", metavar="DEVICE", help="the device to use on each node (default: auto)"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="for all nodes of a Ray cluster (default: 120)",
    )
    parser.add_argument("--output", "-o", metavar="DIR", help="save the snapshots in this folder, for --from")
    add_html(parser)
    parser.set_defaults(run=_fleet)


def _fleet(options: argparse.Namespace) -> int:
    from ..children.progress import Progress
    from ..cluster.fleet.examine import examine_fleet
    from ..report.fleet import fleet_text
    from ..runtime.settings import read_settings

    if options.folder is None and options.ray is None:
        raise ValueError("choose a source: --from DIR or --ray")
    with Progress("0 nodes so far", read_settings().quiet) as progress:
        fleet = examine_fleet(
            options.folder,
            ray=(options.ray or True) if options.ray is not None else False,
            device=options.device,
            timeout_s=options.timeout,
            keep=options.output,
            tick=lambda number: progress.say("%d nodes so far" % number),
        )
    if not fleet.nodes:
        because = "; ".join(fleet.problems) or "the cluster has no nodes"
        raise DevicekitError("no node returned a snapshot: %s" % because)
    show(options.json, fleet, fleet_text)
    if options.html is not None:
        write_record(options.html, fleet)
    return _status(options, fleet)


def _status(options: argparse.Namespace, fleet: Fleet) -> int:
    missed = options.device not in ("auto", "fastest") and any(group.fallback for group in fleet.groups)
    return 0 if fleet.healthy and not missed else 1
