"""``devicekit verify``: run each framework in a child process, to test what ``doctor`` predicts, or what devices compute."""

import argparse
from typing import Any, List, Optional, Sequence, Tuple

from ..errors import DevicekitError, DeviceUnavailableError, text_of, unknown_name
from .arguments import add_html, json_output
from .inputs import interpreter_of
from .output import check_drawing, print_json, print_text, show, terminal_style, write_record

_FRAMEWORKS = ("tensorflow", "jax", "torch")

#: Options that mean nothing without ``--numerics``: attribute and option.
_ONLY_NUMERICS = (("devices", "--device"), ("operations", "--operations"), ("seed", "--seed"), ("html", "--html"))


def add_verify(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "verify",
        example="devicekit verify --python .venv/bin/python",
        parents=[json_output()],
        help="import each framework, compute and train: is doctor right?",
    )
    parser.add_argument("--python", metavar="PATH", help="test another Python interpreter or virtual environment")
    parser.add_argument(
        "--framework",
        dest="frameworks",
        action="append",
        nargs="+",
        metavar="NAME",
        help="test only these (default: all that are installed)",
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for each framework (default: 120)"
    )
    _add_numerics(parser)
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    if _numerics_requested(options):
        return _verify_numerics(options)
    from ..report.rendering import verification_data
    from ..report.verification import verification_text
    from ..runtime.verify import verify_interpreter

    interpreter = interpreter_of(options.python)
    names = [name for group in options.frameworks for name in group] if options.frameworks else None
    verification = verify_interpreter(interpreter, names, options.timeout)
    if options.json:
        print_json(verification_data(verification))
    else:
        from ..resolver.result import quoted

        snapshot = "devicekit snapshot" + (" --python %s" % quoted(options.python) if options.python else "")
        print_text(verification_text(verification, terminal_style(), snapshot))
    return 0 if verification.works and not verification.shadowed else 1


def _add_numerics(parser: argparse.ArgumentParser) -> None:
    """Add the options of the numerics to the parser of ``verify``."""
    group = parser.add_argument_group("numerics")
    group.add_argument(
        "--numerics",
        action="store_true",
        help="compute about 190 operations and their gradients on each device, and compare them with the CPU",
    )
    group.add_argument(
        "--device",
        dest="devices",
        action="append",
        nargs="+",
        metavar="NAME",
        help="test only these (default: the CPU and every device that may be usable)",
    )
    group.add_argument(
        "--operations", action="append", nargs="+", metavar="GLOB", help="test only these: 'conv2d*', '*softmax*'"
    )
    group.add_argument("--seed", type=int, metavar="N", help="seed of the inputs (default: 0)")
    add_html(group)


def _numerics_requested(options: argparse.Namespace) -> bool:
    """Return whether ``--numerics`` was given; raise ValueError for another option that needs it."""
    for name, option in _ONLY_NUMERICS:
        if not options.numerics and getattr(options, name) is not None:
            raise ValueError("%s needs --numerics" % option)
    return bool(options.numerics)


def _verify_numerics(options: argparse.Namespace) -> int:
    """Run the suite, print its result, and return the exit status."""
    if options.python:
        raise ValueError(
            "--numerics needs devicekit in that environment; run: %s -m devicekit verify --numerics" % options.python
        )
    from ..children.progress import Progress
    from ..report.comparison import comparison_text
    from ..runtime.settings import read_settings

    check_drawing(options.html)
    targets = _numerics_targets(_flat(options.frameworks), _flat(options.devices))
    try:
        from ..measure.numerics.operations.suite import run_suite
    except ImportError as error:
        raise DevicekitError("--numerics needs NumPy, which cannot be imported: %s" % text_of(error)) from error
    quiet = read_settings().quiet
    comparison = run_suite(
        targets,
        seed=options.seed or 0,
        operations=_flat(options.operations) or None,
        watch=lambda what: Progress(what, quiet),
        case_timeout_s=options.timeout,
    )
    show(options.json, comparison, comparison_text)
    if options.html:
        write_record(options.html, comparison)
    return 0 if comparison.agrees else 1


def _numerics_targets(frameworks: Sequence[str] = (), devices: Sequence[str] = ()) -> Tuple[Tuple[str, str], ...]:
    """Return frameworks and devices to compute with, as `devicekit.measure.numerics.operations.suite.run_suite` takes them.

    By default all frameworks that can be imported, and the CPU and all devices that are or may be usable. Raises
    ValueError for an unknown name, DeviceUnavailableError for a device or framework that cannot be used.
    """
    from ..api import select_device
    from ..diagnosis.diagnose import diagnose
    from ..runtime.notices import unavailable

    for name in frameworks:
        if name not in _FRAMEWORKS:
            raise ValueError(unknown_name("framework", name, _FRAMEWORKS))
    diagnosis = diagnose()
    statuses = {status.framework: status for status in diagnosis.frameworks}
    ready = [name for name in _FRAMEWORKS if name in statuses and statuses[name].will_import is not False]
    for name in frameworks:
        if name not in ready:
            because = "it cannot be imported (see devicekit doctor)" if name in statuses else "it is not installed"
            raise DeviceUnavailableError("cannot test %s: %s" % (name, because))
    if not ready:
        raise DeviceUnavailableError("no framework can be imported in this environment; see devicekit doctor")
    found: List[Tuple[str, str]] = []
    for framework in frameworks or ready:
        for device in devices:
            selection = select_device(device, framework=framework)
            if selection.fallback:
                raise unavailable(selection)
            found.append((framework, selection.device))
        if not devices:
            usable = [item.device for item in diagnosis.candidates_for(framework) if item.usable is not False]
            found += [(framework, device) for device in dict.fromkeys(["cpu", *usable])]
    return tuple(dict.fromkeys(found))


def _flat(groups: Optional[Sequence[Sequence[str]]]) -> List[str]:
    """Return the names that ``action="append", nargs="+"`` collects; commas separate names."""
    return [name for group in groups or () for item in group for name in _names(item)]


def _names(text: str) -> List[str]:
    # The name of an operation can contain a comma: "conv2d 3x3 stride 2 same, odd size".
    return [text] if " " in text else [name for name in text.split(",") if name]
