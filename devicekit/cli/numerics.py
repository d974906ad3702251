"""``devicekit verify --numerics``: the suite of operations on every device that can be used."""

import argparse
from typing import List, Optional, Sequence, Tuple

from ..errors import DevicekitError
from .arguments import add_html
from .html import check_drawing, made_now, write_page

__all__ = ["add_numerics", "numerics_targets", "verify_numerics"]

_FRAMEWORKS = ("tensorflow", "jax", "torch")

#: Options that mean nothing without ``--numerics``: attribute and option.
_ONLY_NUMERICS = (("devices", "--device"), ("operations", "--operations"), ("seed", "--seed"), ("html", "--html"))


def add_numerics(parser: argparse.ArgumentParser) -> None:
    """Add the options of the numerics to the parser of ``verify``."""
    group = parser.add_argument_group("numbers")
    group.add_argument(
        "--numerics",
        action="store_true",
        help="compute some 190 operations and their gradients on each device: does it compute what the CPU computes?",
    )
    group.add_argument(
        "--device",
        dest="devices",
        action="append",
        nargs="+",
        metavar="NAME",
        help="only these (default: the CPU and every device that may be usable)",
    )
    group.add_argument(
        "--operations", action="append", nargs="+", metavar="GLOB", help="only these, as in 'conv2d*' or '*softmax*'"
    )
    group.add_argument("--seed", type=int, metavar="N", help="of the inputs (default: 0)")
    add_html(group)


def verify_numerics(options: argparse.Namespace) -> Optional[int]:
    """Run the suite, print what it found, and return the exit status; None where it was not asked for.

    Raises
    ------
    ValueError
        Where options do not go together.
    DeviceUnavailableError
        Where a device that is named cannot be used.
    DevicekitError
        Where there is no framework to compute with.
    """
    if not options.numerics:
        for name, option in _ONLY_NUMERICS:
            if getattr(options, name) is not None:
                raise ValueError("%s is an option of 'verify --numerics'" % option)
        return None
    if options.python:
        raise ValueError(
            "--numerics computes where devicekit is installed; run it there: %s -m devicekit verify --numerics"
            % options.python
        )
    from ..children.progress import Progress
    from ..runtime.settings import read_settings
    from .main import _print, _print_json, _style

    check_drawing(options.html)
    targets = numerics_targets(_flat(options.frameworks), _flat(options.devices))
    try:
        from ..measure.numerics.operations.suite import run_suite
    except ImportError as error:
        raise DevicekitError("the results are judged with NumPy, which cannot be imported: %s" % error) from error
    quiet = read_settings().quiet
    found = run_suite(
        targets,
        seed=options.seed or 0,
        operations=_flat(options.operations) or None,
        watch=lambda what: Progress(what, quiet),
        case_timeout_s=options.timeout,
    )
    if options.json:
        _print_json(found.to_dict())
    else:
        from ..report.comparison import comparison_text

        _print(comparison_text(found, _style()))
    if options.html:
        from ..report.rendering import record_page

        write_page(options.html, record_page(found, made=made_now()))
    return 0 if found.agrees else 1


def numerics_targets(frameworks: Sequence[str] = (), devices: Sequence[str] = ()) -> Tuple[Tuple[str, str], ...]:
    """Return frameworks and devices to compute with, as `devicekit.measure.numerics.operations.suite.run_suite` takes them.

    Parameters
    ----------
    frameworks : sequence of {"tensorflow", "jax", "torch"}
        By default all that are installed and can be imported.
    devices : sequence of str
        See `devicekit.select_device`; by default the CPU and all that are usable, or may be.

    Raises
    ------
    ValueError
        For an unknown framework or device.
    DeviceUnavailableError
        Where a device that is named cannot be used with a framework.
    DevicekitError
        Where there is no framework.
    """
    from ..api import select_device
    from ..diagnosis.diagnose import diagnose
    from ..runtime.notices import unavailable

    for name in frameworks:
        if name not in _FRAMEWORKS:
            raise ValueError("unknown framework %r; accepted are %s" % (name, ", ".join(_FRAMEWORKS)))
    diagnosis = diagnose()
    statuses = {status.framework: status for status in diagnosis.frameworks}
    ready = [name for name in _FRAMEWORKS if name in statuses and statuses[name].will_import is not False]
    for name in frameworks:
        if name not in ready:
            because = "its import is blocked (devicekit doctor)" if name in statuses else "it is not installed"
            raise DevicekitError("%s cannot compute here: %s" % (name, because))
    if not ready:
        raise DevicekitError(
            "there is no framework to compute with; devicekit and the framework go into one environment, for example: "
            "pip install devicekit tensorflow"
        )
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
    """Return what ``action="append", nargs="+"`` gathers; names with commas between them are several."""
    return [name for group in groups or () for item in group for name in _names(item)]


def _names(text: str) -> List[str]:
    # An operation's own name may have a comma: "conv2d 3x3 stride 2 same, odd size".
    return [text] if " " in text else [name for name in text.split(",") if name]
