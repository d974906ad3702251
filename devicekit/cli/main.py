"""The ``devicekit`` command. Exit status 0: fine; 1: an error was found, or the asked device cannot be used; 2: wrong use."""

import argparse
import os
import sys
from dataclasses import replace
from typing import Any, Optional, Sequence, Tuple

from .. import __version__
from ..diagnosis.findings import Diagnosis
from ..errors import DevicekitError
from ..machine.facts import Machine
from ..selection.selection import Selection
from .arguments import add_html
from .bench import add_bench
from .diff import add_diff
from .fleet import add_fleet
from .html import made_now, write_page
from .launch import add_launch
from .leases import add_leases
from .numerics import add_numerics, verify_numerics
from .run import add_run
from .snapshot import add_snapshot
from .tune import add_tune

__all__ = ["main"]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="devicekit", description="Which device can Keras and TensorFlow run on here, and why not?"
    )
    parser.add_argument("--version", action="version", version="devicekit %s" % __version__)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND")
    doctor = verbs.add_parser("doctor", help="say what was found, what is chosen, what is wrong and what to type")
    _examined(doctor)
    doctor.add_argument("--device", default="auto", help="the device that is wanted (default: auto)")
    add_html(doctor)
    doctor.add_argument("--explain", metavar="CODE", help="show the page of a finding code instead")
    doctor.set_defaults(run=_doctor)
    devices = verbs.add_parser("devices", help="list the devices, usable or blocked by what")
    _examined(devices)
    devices.add_argument("--device", default="auto", help="the device that is wanted (default: auto)")
    devices.set_defaults(run=_devices)
    explain = verbs.add_parser("explain", help="say what a log means, or show the page of a finding code")
    explain.add_argument(
        "log", nargs="?", metavar="LOG|CODE", help="a file, '-' for standard input, or a code such as cudnn-missing"
    )
    explain.add_argument("--clipboard", action="store_true", help="explain what was copied")
    explain.add_argument("--json", action="store_true", help="print JSON")
    known = explain.add_mutually_exclusive_group()
    known.add_argument("--facts", metavar="FILE", help="JSON with what is known of the machine the log comes from")
    known.add_argument("--machine", metavar="FILE", help="a snapshot of the machine the log comes from")
    known.add_argument("--here", action="store_true", help="the log comes from this machine")
    explain.set_defaults(run=_explain)
    add_snapshot(verbs)
    _resolve_parser(
        verbs.add_parser("resolve", help="say which releases work together for a goal, and how to install them")
    )
    matrix = verbs.add_parser(
        "matrix", help="show what is known of a release: wheels, requirements, what it was built for"
    )
    matrix.add_argument("project", help="as on the package registry: tensorflow, keras, jax, nvidia-cudnn-cu12, ...")
    matrix.add_argument("version", nargs="?", help="a release (2.15.1) or a minor release (2.15); default: all")
    matrix.add_argument("--json", action="store_true", help="print JSON")
    matrix.set_defaults(run=_matrix)
    _verify_parser(
        verbs.add_parser("verify", help="import each framework, compute and train in child processes: is doctor right?")
    )
    add_bench(verbs)
    add_diff(verbs)
    add_fleet(verbs)
    add_launch(verbs)
    add_tune(verbs)
    add_run(verbs)
    add_leases(verbs)
    return parser


def _verify_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--python", metavar="PATH", help="try another interpreter or virtual environment")
    parser.add_argument(
        "--framework",
        dest="frameworks",
        action="append",
        nargs="+",
        metavar="NAME",
        help="only these (default: all found)",
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for each framework (default: 120)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_numerics(parser)
    parser.set_defaults(run=_verify)


def _resolve_parser(parser: argparse.ArgumentParser) -> None:
    from ..matrix.target import PLATFORMS
    from ..report.resolution import FORMATS
    from ..resolver.goals import FRAMEWORKS, GOALS

    parser.add_argument(
        "goal", nargs="?", default="fastest", metavar="GOAL", help="%s (default: fastest)" % ", ".join(GOALS)
    )
    parser.add_argument("--framework", default="tensorflow", metavar="NAME", help=", ".join(FRAMEWORKS))
    parser.add_argument("--with", dest="also", action="append", default=[], metavar="NAME", help="one more framework")
    parser.add_argument("--python", dest="python_version", metavar="3.10", help="for another Python version")
    parser.add_argument("--platform", metavar="NAME", help="for another platform: %s" % ", ".join(PLATFORMS))
    parser.add_argument("--gpu", metavar="NAME", help="for another GPU: nvidia, amd, 6.1, 'GeForce GTX 1080', ...")
    parser.add_argument(
        "--keep", action="append", default=[], metavar="REQUIREMENT", help="must stay true: 'tensorflow==2.10.*'"
    )
    parser.add_argument("--format", choices=FORMATS, help="only what an installer reads, instead of the explanation")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--machine", metavar="FILE", help="for the machine of a snapshot ('-': standard input)")
    parser.set_defaults(run=_resolve)


def _examined(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--machine", metavar="FILE", help="examine a snapshot ('-': standard input) instead of this machine"
    )
    group.add_argument(
        "--python", metavar="PATH", help="examine another interpreter or virtual environment, from outside"
    )


def _examine(options: argparse.Namespace) -> Machine:
    """The machine that the options name."""
    if getattr(options, "machine", None):
        from ..machine.snapshot import load_machine

        return load_machine(options.machine)
    from ..machine.host import LiveHost
    from ..machine.interpreter import command_interpreter, other_interpreter
    from ..machine.probe import read_machine

    interpreter = other_interpreter(options.python) if options.python else command_interpreter()
    return read_machine(LiveHost(interpreter), deep=True)


def _judge(options: argparse.Namespace) -> Tuple[Machine, Diagnosis, Selection]:
    from ..diagnosis.diagnose import diagnose
    from ..runtime.decide import plan_for
    from ..selection.request import parse_request

    # Before the machine is looked at, so that wrong use is told at once; a snapshot may have words of its own.
    request = None if options.machine else parse_request(options.device)
    machine = _examine(options)
    request = request or parse_request(options.device, machine.platforms)
    measured = None
    if request.fastest and not options.machine:
        from ..runtime.speed_cache import cached_speeds

        measured = cached_speeds(machine)
    selection = plan_for(request, None, machine, measured=measured).selection()
    diagnosis = diagnose(machine)
    slower = tuple(item for item in selection.findings if item.code == "slower-than-cpu")  # of figures, not of a rule
    return machine, replace(diagnosis, findings=diagnosis.findings + slower), selection


def _doctor(options: argparse.Namespace) -> int:
    if options.explain:
        return _page(options.explain)
    machine, diagnosis, selection = _judge(options)
    if options.json:
        from ..report.data import doctor_data

        _print_json(doctor_data(machine, diagnosis, selection))
    else:
        from ..report.terminal import doctor_text

        _print(doctor_text(machine, diagnosis, selection, _style()))
    if options.html is not None:
        from ..report.html.diagnosis import doctor_page

        write_page(options.html, doctor_page(machine, diagnosis, selection, made=made_now()))
    return _status(options, diagnosis, selection)


def _devices(options: argparse.Namespace) -> int:
    machine, diagnosis, selection = _judge(options)
    if options.json:
        from ..report.data import devices_data

        _print_json(devices_data(machine, diagnosis, selection))
    else:
        from ..report.terminal import devices_text

        _print(devices_text(diagnosis, selection, _style()))
    return _status(options, diagnosis, selection)


def _status(options: argparse.Namespace, diagnosis: Diagnosis, selection: Selection) -> int:
    broken = any(finding.severity == "error" for finding in diagnosis.findings)
    return 1 if broken or (options.device not in ("auto", "fastest") and selection.fallback) else 0


def _resolve(options: argparse.Namespace) -> int:
    from .. import resolve
    from ..report.resolution import formatted, resolution_text

    options.python = None  # of the command: which interpreter to examine; --python is a version here
    machine = _examine(options)
    keep, also = tuple(options.keep), tuple(options.also)
    answer = resolve(
        options.goal,
        framework=options.framework,
        machine=machine,
        python=options.python_version,
        platform=options.platform,
        gpu=options.gpu,
        keep=keep,
        also=also,
    )
    here = ".".join(machine.python.version.split(".")[:2])
    if options.json or options.format == "json":
        _print_json(answer.to_dict())
    elif options.format and answer.possible:
        _print(formatted(answer, options.format, here))
    else:
        print(resolution_text(answer, here), end="", file=sys.stderr if options.format else sys.stdout)
    return 0 if answer.possible else 1


def _matrix(options: argparse.Namespace) -> int:
    from ..matrix.matrix import Matrix
    from ..report.matrix import matching, matrix_data, matrix_text

    matrix = Matrix()
    project = matrix.project(options.project.lower().replace("_", "-"))
    if project is None:
        raise ValueError(
            "the matrix holds nothing of %r; it knows %s" % (options.project, ", ".join(matrix.projects()))
        )
    releases = matching(project, options.version)
    if options.json:
        _print_json(matrix_data(project, releases, matrix, options.version))
    else:
        _print(matrix_text(project, releases, matrix, options.version))
    return 0 if releases else 1


def _verify(options: argparse.Namespace) -> int:
    status = verify_numerics(options)
    if status is not None:
        return status
    from ..machine.interpreter import command_interpreter, other_interpreter
    from ..runtime.verify import verify_interpreter

    interpreter = other_interpreter(options.python) if options.python else command_interpreter()
    names = [name for group in options.frameworks for name in group] if options.frameworks else None
    found = verify_interpreter(interpreter, names, options.timeout)
    if options.json:
        from ..report.data import verification_data

        _print_json(verification_data(found))
    else:
        import shlex

        from ..report.verification import verification_text

        snapshot = "devicekit snapshot" + (" --python %s" % shlex.quote(options.python) if options.python else "")
        _print(verification_text(found, _style(), snapshot))
    return 0 if found.works else 1


def _explain(options: argparse.Namespace) -> int:
    from .inputs import clipboard, is_code, open_log, read_facts

    if options.log is None and not options.clipboard:
        raise DevicekitError("nothing to explain: name a file, '-' for standard input, --clipboard, or a finding code")
    if options.log is not None and is_code(options.log):
        return _page(options.log)
    from ..logs.explain import explain_log

    facts = read_facts(options.facts) if options.facts else None
    machine = None
    if options.machine or options.here:
        options.python = None
        machine = _examine(options)
    if options.clipboard:
        found = explain_log(clipboard(), machine, facts=facts, source="clipboard")
    else:
        with open_log(options.log) as stream:
            found = explain_log(stream, machine, facts=facts, source="log" if options.log == "-" else options.log)
    if options.json:
        _print_json(found.to_dict())
    else:
        from ..report.explanation import explanation_text

        _print(explanation_text(found, _style()))
    return 1 if any(item.severity == "error" for item in found.findings) else 0


def _page(code: str) -> int:
    import pkgutil

    from ..diagnosis.codes import CODES, MEASURED_CODES

    known = sorted(CODES + MEASURED_CODES)
    if code not in known:
        raise DevicekitError("there is no finding code '%s'; the codes are: %s" % (code[:60], ", ".join(known)))
    page = pkgutil.get_data("devicekit", "diagnosis/pages/%s.md" % code)
    _print((page or b"").decode("utf-8"))
    return 0


def _print_json(data: Any) -> None:
    import json

    _print(json.dumps(data, indent=1) + "\n")


def _print(text: str) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def _style() -> Any:
    import shutil

    from ..report.terminal import Style

    terminal = sys.stdout.isatty()
    colour = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if colour and os.name == "nt":
        # Windows consoles before 10 have no ANSI colours; those that have them say so in one of these ways.
        colour = any(name in os.environ for name in ("WT_SESSION", "ANSICON", "ConEmuANSI", "TERM_PROGRAM"))
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    columns = shutil.get_terminal_size((100, 24)).columns
    return Style(width=max(40, min(columns, 100)), colour=colour, unicode="utf" in encoding)
