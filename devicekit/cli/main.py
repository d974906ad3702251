"""The ``devicekit`` command.

Exit status 0: fine; 1: an error was found, or the requested device cannot be used; 2: wrong use.
"""

import argparse
import itertools
import sys
from typing import Optional, Sequence

from .. import __version__
from ..errors import DevicekitError, DeviceUnavailableError, text_of
from ..runtime.settings import be_quiet, read_settings
from .bench import add_bench
from .compare import add_compare
from .completion import add_completion
from .devices import add_devices
from .diff import add_diff
from .doctor import add_doctor
from .explain import add_explain
from .fix import add_fix
from .fleet import add_fleet
from .launch import add_launch
from .leases import add_leases
from .matrix import add_matrix
from .mcp import add_mcp
from .output import INTERRUPTED, StreamError, discard, open_streams, print_message, print_note, unwritable
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
    ("Check", (add_verify, add_compare, add_bench, add_tune, add_devices)),
    ("Compare machines", (add_snapshot, add_diff, add_fleet)),
    ("Share", (add_run, add_leases, add_launch)),
    ("Integrate", (add_completion, add_mcp)),
)

#: Verbs that run code of others, frameworks above all, and are not what a user asked to run: nothing that it starts stays.
_LEAVE_NOTHING = ("fix", "verify", "compare", "bench", "tune", "fleet", "launch")

#: Options of verbs that people write before the verb.
_OF_VERBS = ("-q", "--quiet", "-v", "--verbose")

#: What is installed with devicekit, unless someone removed it or left it out.
_NEEDED = ("packaging", "platformdirs", "resolvelib")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command and return its exit status."""
    open_streams()
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments), arguments is None)
        finally:
            _flush()
    except KeyboardInterrupt:
        print_message("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader (head, less) has seen enough
        return 0
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in _NEEDED:
            raise
        print_message("%s, which it needs, is not installed: %s -m pip install %s" % (name, sys.executable, name))
        return 2
    except StreamError as error:
        print_message(str(error))
        return 2


def _run(given: Sequence[str], alone: bool) -> int:
    parser = command_parser()
    rest = list(itertools.dropwhile(_OF_VERBS.__contains__, given))
    if rest[:1] == ["help"]:  # devicekit help doctor
        given = [*rest[1:2], "--help"]
    else:  # devicekit -q doctor
        given = [*rest[:1], *given[: len(given) - len(rest)], *rest[1:]] if rest else []
    options, unknown = parser.parse_known_args(given)
    if unknown:
        parser.verbs.get(given[0], parser).reject(unknown)
    if not hasattr(options, "run"):
        parser.print_help(sys.stderr)
        return 2
    for name in ("python", "machine", "into", "explain"):
        if getattr(options, name, None) == "":  # else another environment would be meant than the caller's
            parser.verbs[given[0]].error("argument --%s: it is empty; is a variable not set?" % name)
    be_quiet(options.quiet)
    _report_settings()
    try:
        leaves_nothing = given[0] in _LEAVE_NOTHING
        starts = leaves_nothing or any(getattr(options, name, None) for name in ("python", "install"))
        if alone and starts and sys.platform.startswith("linux"):
            from ..children.guard import go_on_below_guard

            go_on_below_guard(getattr(options, "grace", 0.0) + 5.0)
        if not leaves_nothing:
            return int(options.run(options))
        from ..children.process_tree import adopting

        with adopting():
            return int(options.run(options))
    except (StreamError, BrokenPipeError):
        raise
    except DeviceUnavailableError as error:
        print_message(str(error))
        return 1
    except (DevicekitError, ValueError, OSError) as error:  # such as a full disk
        print_message(text_of(error))
        return 2
    finally:
        be_quiet(False)


def _report_settings() -> None:
    """Say which variables of devicekit are ignored."""
    settings = read_settings()
    for _, problem in settings.problems:
        print_note(problem)
    if settings.device and not settings.quiet:  # an unknown one has the machine examined: it may be a plug-in's
        from ..selection.request import parse_request

        try:
            parse_request(settings.device)
        except ValueError as error:
            print_note("DEVICEKIT_DEVICE is ignored: %s" % error)


def _flush() -> None:
    """Write what is still in the buffer: that may fail too, and Python must not complain about it when it ends."""
    try:
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout)
        raise unwritable(error) from error


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
