"""Arguments that several verbs have, as argparse's parents."""

import argparse
import os
import sys
from typing import Any, List


def json_output() -> argparse.ArgumentParser:
    """Return a parent with ``--json``."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def examined() -> argparse.ArgumentParser:
    """Return a parent with what is examined, and for which device."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--machine", metavar="FILE", help="examine a snapshot ('-': standard input) instead of this machine"
    )
    group.add_argument("--python", metavar="PATH", help="examine another Python interpreter or virtual environment")
    parser.add_argument("--device", default="auto", metavar="DEVICE", help="the device to use (default: auto)")
    return parser


def model() -> argparse.ArgumentParser:
    """Return a parent with the model that is trained, its data, and ``--seed``."""
    from ..measure.benchmark.models import NAMES

    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--model",
        default="resnet50",
        metavar="NAME",
        help="%s, or module:function for your own (default: resnet50)" % ", ".join(NAMES),
    )
    parser.add_argument(
        "--shape", type=shape_of, metavar="64,64,3", help="shape of one example (default: that of the model)"
    )
    parser.add_argument(
        "--input-pipeline",
        "--input_pipeline",
        action="store_true",
        help="read a new batch at each step (default: reuse one batch that stays on the device)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of weights and data (default: 0)")
    return parser


def file_name(text: str) -> str:
    """Return the name of a file to write next to what is printed: "-", which is standard output elsewhere, is refused."""
    if text == "-":
        raise argparse.ArgumentTypeError("name a file: standard output is for the command's other output")
    return text


def add_html(parser: Any) -> None:
    """Add ``--html`` to a parser or to a group of it."""
    parser.add_argument(
        "--html", type=file_name, metavar="FILE", help="also write a page: one file to open in a browser"
    )


def shape_of(text: str) -> List[int]:
    """Return the sizes of ``64,64,3`` or ``64x64x3``; refuse anything else."""
    try:
        return [int(size) for size in text.replace("x", ",").split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError("sizes expected, as in 64,64,3, not %r" % text) from None


def let_import(model: str) -> None:
    """Let ``module:function`` be found in the working folder, after what is installed."""
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted, and nothing is found in it
        return
    if ":" in model and not {"", folder} & set(sys.path):
        sys.path.append(folder)
