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
from .fleet import add_fleet
from .launch import add_launch
from .leases import add_leases
from .matrix import add_matrix
from .resolve import add_resolve
from .run import add_run
from .snapshot import add_snapshot
from .tune import add_tune
from .verify import add_verify

#: In the order of ``devicekit --help``: those that most people need first.
_VERBS = (
    add_doctor, add_explain, add_resolve, add_run,
    add_devices, add_verify, add_matrix,
    add_bench, add_tune,
    add_leases, add_launch,
    add_snapshot, add_diff, add_fleet,
)  # fmt: skip


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command and return its exit status."""
    parser = command_parser()
    options = parser.parse_args(arguments)
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


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the command with all verbs."""
    parser = argparse.ArgumentParser(
        prog="devicekit",
        description="See which devices Keras and TensorFlow can use here, and fix the ones they cannot.",
    )
    parser.add_argument("--version", action="version", version="devicekit %s" % __version__)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND")
    for add_verb in _VERBS:
        add_verb(verbs)
    return parser
