"""Writes a page to the file that its reader named: the whole of it, or nothing."""

from pathlib import Path
from uuid import uuid4

from ..errors import DevicekitError

__all__ = ["write_page"]


def write_page(path: str, html: str) -> None:
    """Write a page as UTF-8, the whole of it or nothing: what was there before stays where it cannot be written.

    Parameters
    ----------
    path : str
        The file; it is replaced where it exists. A link is followed, and what is no file (``/dev/stdout``) is written to.
    html : str

    Raises
    ------
    DevicekitError
        Where it cannot be written; the message names the file and the cause.
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
        # Beside it, for a file cannot be moved in one step from one disk to another.
        beside = target.parent / (".%s.%s.part" % (target.name[:40], uuid4().hex[:12]))
        try:
            beside.write_bytes(content)
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o777)
            beside.replace(target)
        except BaseException:
            if beside.exists():
                beside.unlink()
            raise
    except (OSError, ValueError) as error:  # a ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise DevicekitError("the page cannot be written to %r: %s" % (path, reason)) from error
