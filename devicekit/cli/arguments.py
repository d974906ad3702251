"""Options that more than one verb has."""

import argparse
from typing import Any, List

from ..measure.benchmark.models import NAMES

__all__ = ["add_html", "add_model", "add_shape"]


def add_html(parser: Any) -> None:
    """Add ``--html`` to a verb's parser or to a group of it."""
    parser.add_argument("--html", metavar="FILE", help="also write a page: one file to open in a browser")


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add ``--model``: one of those that people know, or the user's own."""
    parser.add_argument(
        "--model",
        default="resnet50",
        metavar="NAME",
        help="%s, or module:function for your own (default: resnet50)" % ", ".join(NAMES),
    )


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add ``--shape``, with commas or as in ``64x64x3``."""
    parser.add_argument("--shape", type=_shape, metavar="64,64,3", help="of one example, instead of the model's own")


def _shape(text: str) -> List[int]:
    return [int(size) for size in text.replace("x", ",").split(",")]
