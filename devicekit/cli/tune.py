"""``devicekit tune``: what makes training faster on a device."""

import argparse
from typing import Any

from .arguments import add_model, add_shape

__all__ = ["add_tune"]


def add_tune(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "tune", help="find the settings that make training faster on a device and leave its results as they are"
    )
    add_model(parser)
    parser.add_argument("--device", default="auto", metavar="DEVICE", help="one device (default: auto)")
    parser.add_argument("--framework", metavar="NAME", help="tensorflow, jax or torch")
    parser.add_argument("--batch_size", "--batch-size", type=int, metavar="N", help="examples in a step")
    add_shape(parser)
    parser.add_argument(
        "--input-pipeline",
        "--input_pipeline",
        action="store_true",
        help="a new batch each step; otherwise the same one",
    )
    parser.add_argument(
        "--option",
        dest="options",
        action="append",
        metavar="NAME",
        help="try only this one; may be repeated: threads, onednn, allocator, tf32, precision, fpmath, xla, compile, prefetch",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=180.0,
        metavar="S",
        help="begin nothing more after so many seconds (default: 180)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of weights and data (default: 0)")
    parser.add_argument("--refresh", action="store_true", help="measure anew what was measured before in this state")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_tune)


def _tune(options: argparse.Namespace) -> int:
    from ..measure.tuning.tune import tune
    from .main import _print, _print_json, _style

    tuning = tune(
        options.model,
        device=options.device,
        framework=options.framework,
        batch_size=options.batch_size,
        shape=options.shape,
        input_pipeline=options.input_pipeline,
        options=options.options,
        budget_s=options.budget,
        seed=options.seed,
        refresh=options.refresh,
    )
    if options.json:
        _print_json(tuning.to_dict())
    else:
        from ..report.benchmark import tuning_text

        _print(tuning_text(tuning, _style()))
    return 0
