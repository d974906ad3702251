"""``devicekit tune``: faster settings that do not change results."""

import argparse
from typing import Any

from .arguments import json_output, let_import, model
from .output import show


def add_tune(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "tune",
        example="devicekit tune --model mobilenet",
        parents=[model(), json_output()],
        help="find faster settings that do not change results",
    )
    parser.add_argument("--device", default="auto", metavar="DEVICE", help="one device (default: auto)")
    parser.add_argument("--framework", metavar="NAME", help="tensorflow, jax or torch")
    parser.add_argument("--batch_size", "--batch-size", type=int, metavar="N", help="examples in a step")
    parser.add_argument(
        "--option",
        dest="options",
        action="append",
        metavar="NAME",
        help="try only this option; repeat for more: threads, onednn, allocator, tf32, precision, fpmath, xla, compile, "
        "prefetch",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=180.0,
        metavar="SECONDS",
        help="start no new measurement after this time; a larger budget continues an earlier run (default: 180)",
    )
    parser.add_argument("--refresh", action="store_true", help="measure again, even if there is a cached result")
    parser.set_defaults(run=_tune)


def _tune(options: argparse.Namespace) -> int:
    from ..measure.tuning.tune import tune
    from ..report.benchmark import tuning_text

    let_import(options.model)
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
    show(options.json, tuning, tuning_text)
    return 0
