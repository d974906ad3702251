"""``--html FILE``: the result as a page, in addition to what is printed."""

import time
from typing import Any, Optional

from ..errors import DevicekitError
from ..runtime.scratch import replace_file


def check_drawing(path: Optional[str]) -> None:
    """Raise DevicekitError without matplotlib, before minutes are spent on what a page with drawings shows."""
    if path is not None:
        from ..report.figures.drawing import require_matplotlib

        require_matplotlib()


def made_now() -> str:
    """Return the date and time as they are shown on a page."""
    return time.strftime("%d %B %Y, %H:%M")


def write_record(path: str, record: Any) -> None:
    """Write the page of a record."""
    from ..report.rendering import record_page

    write_page(path, record_page(record, made=made_now()))


def write_page(path: str, html: str) -> None:
    """Write a page as UTF-8, whole or not at all; raise DevicekitError with the file and the cause."""
    content = html.encode("utf-8")
    try:
        replace_file(path, content)
    except (OSError, ValueError) as error:  # a ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise DevicekitError("cannot write the page to %r: %s" % (path, reason)) from error
