"""``devicekit fleet``: many machines at once."""

import argparse
from typing import Any

from ..cluster.fleet.result import Fleet
from ..errors import DevicekitError
from .arguments import add_html
from .html import made_now, write_page

__all__ = ["add_fleet"]


def add_fleet(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "fleet", help="judge many machines, and say which are unlike the others and why"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--from",
        dest="folder",
        metavar="DIR",
        help="snapshots, one file a node: devicekit snapshot -o 'DIR/{node}.json'",
    )
    source.add_argument(
        "--ray", nargs="?", const="", metavar="ADDRESS", help="every node of a Ray cluster (default: the one Ray finds)"
    )
    source.add_argument(
        "--command", metavar="LINE", help="a command that asks all nodes: 'srun -N 128 devicekit snapshot --line'"
    )
    source.add_argument("--each", metavar="LINE", help="a command for each of --nodes: 'ssh {node} devicekit snapshot'")
    parser.add_argument("--nodes", default="", metavar="LIST", help="a,b,gpu[01-20]; with --command: who has to answer")
    parser.add_argument("--device", default="auto", help="the device that is wanted on each (default: auto)")
    parser.add_argument(
        "--timeout",
        type=float,
        default=120.0,
        metavar="S",
        help="seconds: for each node with --each, else for all together (default: 120)",
    )
    parser.add_argument(
        "--parallel", type=int, default=32, metavar="N", help="with --each: so many at a time (default: 32)"
    )
    parser.add_argument("--output", "-o", metavar="DIR", help="keep the snapshots there, for --from")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_html(parser)
    parser.set_defaults(run=_fleet)


def _fleet(options: argparse.Namespace) -> int:
    from ..children.progress import Progress
    from ..cluster.fleet.examine import examine_fleet
    from ..runtime.settings import read_settings
    from .main import _print, _print_json, _style

    if all(item is None for item in (options.folder, options.ray, options.command, options.each)):
        raise ValueError("where do the snapshots come from? name one of --from DIR, --ray, --command LINE, --each LINE")
    with Progress("0 nodes so far", read_settings().quiet) as progress:

        def tick(number: int) -> None:
            progress.say("%d nodes so far" % number)
            progress.tick()

        fleet = examine_fleet(
            options.folder,
            ray=(options.ray or True) if options.ray is not None else False,
            command=options.command,
            each=options.each,
            nodes=options.nodes,
            device=options.device,
            timeout_s=options.timeout,
            parallel=options.parallel,
            keep=options.output,
            tick=tick,
        )
    if not fleet.nodes:
        because = "; ".join(fleet.problems) or "what the command printed is no snapshot"
        raise DevicekitError("no node gave a snapshot: %s" % because)
    if options.json:
        _print_json(fleet.to_dict())
    else:
        from ..report.fleet import fleet_text

        _print(fleet_text(fleet, _style()))
    if options.html is not None:
        from ..report.rendering import record_page

        write_page(options.html, record_page(fleet, made=made_now()))
    return _status(options, fleet)


def _status(options: argparse.Namespace, fleet: Fleet) -> int:
    missed = options.device not in ("auto", "fastest") and any(group.fallback for group in fleet.groups)
    return 0 if fleet.healthy and not missed else 1
