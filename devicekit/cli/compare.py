"""``devicekit compare``: whether a device computes for a model what the CPU computes."""

import argparse
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

from ..errors import DevicekitError, DeviceUnavailableError, did_you_mean
from .arguments import add_html, json_output, let_import, shape_of
from .output import check_drawing, print_note, show, write_record

_FUNCTION = "devicekit.measure.numerics.compare_child:compare_named"
_FRAMEWORKS = ("tensorflow", "jax", "torch")


def add_compare(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "compare",
        example="devicekit compare mymodule:make_model --device gpu:0 --reproducer report",
        parents=[json_output()],
        help="compare each layer of a model on a device with the CPU",
        status="0: all agrees; 1: something is computed wrong, or the device or framework is not there; 2: wrong use, or the"
        " model cannot be run",
    )
    parser.add_argument(
        "model",
        metavar="MODULE:FUNCTION",
        help="a function that returns a Keras model, or (model, inputs), or (model, inputs, targets), which also compares "
        "training; or the name of a model as for bench",
    )
    parser.add_argument(
        "--device", dest="devices", metavar="DEVICES", help="cpu,gpu:0,... (default: the CPU and the best device)"
    )
    parser.add_argument("--framework", choices=_FRAMEWORKS, help="of Keras 3: the backend to compute with")
    parser.add_argument("--steps", type=int, metavar="N", help="steps of training with each optimizer; 0: no training")
    parser.add_argument(
        "--optimizer", dest="optimizers", action="append", metavar="NAME", help="train only with this one"
    )
    parser.add_argument("--batch_size", "--batch-size", type=int, metavar="N", help="examples to look at (default: 8)")
    parser.add_argument("--shape", type=shape_of, metavar="64,64,3", help="of one example, for a model given by name")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of made-up inputs (default: 0)")
    parser.add_argument(
        "--reproducer",
        metavar="FOLDER",
        help="also write a script that shows the first wrong result without devicekit",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=1800.0,
        metavar="SECONDS",
        help="end the comparison after this time (default: 1800)",
    )
    add_html(parser)
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    from ..measure.numerics.result import Comparison
    from ..records import decode
    from ..report.comparison import comparison_text

    check_drawing(options.html)
    if not options.timeout > 0:
        raise ValueError("--timeout must be more than 0 seconds, not %g" % options.timeout)
    if options.reproducer and os.path.isfile(options.reproducer):
        raise DevicekitError("%s is a file: name a folder for --reproducer" % options.reproducer)
    result = _in_child(options)
    comparison = Comparison.from_dict(result["comparison"])
    files = decode(Tuple[str, ...], result.get("files", []), "files")
    show(options.json, comparison, comparison_text)
    if options.html:
        write_record(options.html, comparison)
    if files:
        print_note("wrote %s: run the script with %s" % (" and ".join(files), sys.executable))
    elif options.reproducer:
        print_note("nothing to reproduce: no layer alone is wrong on an accelerator")
    return 0 if comparison.agrees else 1


def _in_child(options: argparse.Namespace) -> Dict[str, Any]:
    """Compare in a process of its own, which the device may crash or hang."""
    from ..children.call import run_child
    from ..children.progress import Progress
    from ..measure.benchmark.arguments import named_frameworks
    from ..runtime.settings import read_settings

    let_import(options.model)
    with Progress("comparing %s" % options.model, read_settings().quiet) as progress:
        report = run_child(
            _FUNCTION,
            _task(options),
            timeout_s=options.timeout,
            on_message=lambda message: progress.say("comparing %s: %s" % (options.model, message.get("stage", ""))),
            tick=progress.tick,
        )
    if report.outcome == "done":
        if not isinstance(report.result, dict) or "comparison" not in report.result:  # of the model's, not of ours
            raise DevicekitError("the model's process has answered with something else than a comparison")
        return report.result
    stage = next((said["stage"] for said in reversed(report.said) if "stage" in said), "start")
    if report.outcome == "raised":
        if report.error in ("ImportError", "ModuleNotFoundError"):
            named_frameworks(options.framework)  # of NumPy or of Keras's backend, if there is no framework
        name = "" if report.error in ("DevicekitError", "DeviceUnavailableError", "ValueError") else report.error + ": "
        kind = DeviceUnavailableError if report.error == "DeviceUnavailableError" else DevicekitError
        raise kind("%s%s" % (name, report.detail))
    raise DevicekitError("the comparison ended in the stage %r: %s" % (stage, report.detail))


def _task(options: argparse.Namespace) -> Dict[str, Any]:
    from ..measure.benchmark.models import NAMES

    module, colon, name = options.model.partition(":")
    if options.model not in NAMES and not (module and colon and name):
        near = did_you_mean(options.model, NAMES, "")
        message = "unknown model %r%s; accepted are MODULE:FUNCTION and %s"
        raise ValueError(message % (options.model, near, ", ".join(NAMES)))
    return {
        "subject": options.model,
        "framework": options.framework,
        "devices": _devices(options.devices),
        "steps": options.steps,
        "optimizers": options.optimizers,
        "batch_size": options.batch_size,
        "seed": options.seed,
        "shape": options.shape,
        "reproducer": options.reproducer and os.path.abspath(options.reproducer),
    }


def _devices(text: Optional[str]) -> Optional[List[str]]:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
