"""The ``devicekit`` command.

Exit status 0: fine; 1: an error was found, or the requested device cannot be used; 2: wrong use.
"""

import argparse
import os
import sys
from typing import Optional, Sequence

from .. import __version__
from ..errors import DevicekitError
from .bench import add_bench
from .devices import add_devices
from .diff import add_diff
from .doctor import add_doctor
from .explain import add_explain
from .fix import add_fix
from .fleet import add_fleet
from .launch import add_launch
from .leases import add_leases
from .matrix import add_matrix
from .parser import CommandParser, Verbs
from .resolve import add_resolve
from .run import add_run
from .snapshot import add_snapshot
from .tune import add_tune
from .verify import add_verify

#: As ``devicekit --help`` lists them: what most people need comes first.
_GROUPS = (
    ("Start here", (add_doctor, add_fix, add_explain)),
    ("Install", (add_resolve, add_matrix)),
    ("Check", (add_verify, add_bench, add_tune, add_devices)),
    ("Compare machines", (add_snapshot, add_diff, add_fleet)),
    ("Share", (add_run, add_leases, add_launch)),
)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command and return its exit status."""
    parser = command_parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["help"]:  # devicekit help doctor
        given = [*given[1:2], "--help"]
    options, unknown = parser.parse_known_args(given)
    if unknown:
        parser.verbs.get(given[0], parser).reject(unknown)
    if not hasattr(options, "run"):
        parser.print_help(sys.stderr)
        return 2
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader (head, less) has seen enough; Python must not complain about it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DevicekitError, ValueError) as error:
        print("devicekit: %s" % error, file=sys.stderr)
        return 2


def command_parser() -> CommandParser:
    """Return the parser of the command with all verbs."""
    parser = CommandParser(
        prog="devicekit",
        usage="devicekit [-h] [--version] COMMAND ...",
        description="See which devices Keras and TensorFlow can use here, and fix the ones they cannot.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version="devicekit %s" % __version__)
    verbs = Verbs(parser)
    for title, group in _GROUPS:
        verbs.add_group(title, group)
    parser.epilog = verbs.listing() + "\n\n'devicekit COMMAND --help' has the options and an example of each."
    return parser
