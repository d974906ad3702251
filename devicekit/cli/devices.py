"""``devicekit devices``: the devices, and what blocks them."""

import argparse
from typing import Any

from .arguments import examined, json_output
from .doctor import decide, exit_status
from .output import print_json, print_text, terminal_style


def add_devices(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser = verbs.add_parser(
        "devices",
        example="devicekit devices --json",
        parents=[json_output(), examined()],
        help="list devices and what blocks them",
    )
    parser.set_defaults(run=_devices)


def _devices(options: argparse.Namespace) -> int:
    from ..report.rendering import devices_data
    from ..report.terminal import devices_text

    machine, diagnosis, selection = decide(options)
    if options.json:
        print_json(devices_data(machine, diagnosis, selection))
    else:
        print_text(devices_text(diagnosis, selection, terminal_style()))
    return exit_status(options, diagnosis, selection)
