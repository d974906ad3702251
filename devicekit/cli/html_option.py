"""``--html FILE``: the result as a page, beside what is printed."""

import argparse
import time
from typing import Any, Callable, Optional

__all__ = ["add_html", "check_html", "write_html"]


def add_html(parser: Any) -> None:
    """Add the option to a command's parser or to a group of it."""
    parser.add_argument("--html", metavar="FILE", help="write a page as well: one file, to be opened in a browser")


def check_html(path: Optional[str], plots: bool = True) -> None:
    """See that a page can be made, before minutes are spent on what it shows; nothing is asked for without a path.

    Raises
    ------
    DevicekitError
        Where Jinja2, or for a page with plots matplotlib, is missing.
    """
    if path is not None:
        from ..report.pages import require_pages

        require_pages(plots)


def write_html(options: argparse.Namespace, render: Callable[..., str], *values: Any) -> None:
    """Write a page where ``--html`` was given: what `render` makes of the values.

    Raises
    ------
    DevicekitError
        Where it cannot be made or written.
    """
    if options.html is not None:
        from ..report.page import write_page

        write_page(options.html, render(*values, made=time.strftime("%d %B %Y, %H:%M")))
