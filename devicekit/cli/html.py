"""``--html FILE``: the result as a page, in addition to what is printed."""

import time
from pathlib import Path
from typing import Any, Optional
from uuid import uuid4

from ..errors import DevicekitError


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
    """Write a page as UTF-8, whole or not at all: an existing file stays as it is if the page cannot be written.

    Links are followed, and what is not a file (``/dev/stdout``) is written to. Raises DevicekitError with the file and
    the cause.
    """
    content = html.encode("utf-8")
    try:
        target = Path(path)
        if not path.strip() or target.is_dir():
            raise IsADirectoryError(0, "this is a folder; name a file in it" if path.strip() else "it has no name")
        target = target.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        # In the same folder, because a file cannot be moved from one disk to another in one step.
        part = target.parent / (".%s.%s.part" % (target.name[:40], uuid4().hex[:12]))
        try:
            part.write_bytes(content)
            if target.exists():
                part.chmod(target.stat().st_mode & 0o777)
            part.replace(target)
        except BaseException:
            if part.exists():
                part.unlink()
            raise
    except (OSError, ValueError) as error:  # a ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise DevicekitError("cannot write the page to %r: %s" % (path, reason)) from error
