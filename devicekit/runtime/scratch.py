"""Files that are written whole, a folder for the time of some work, and a clear error where there is no room for it."""

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional
from uuid import uuid4

from ..errors import DevicekitError


def replace_file(path: str, content: bytes) -> None:
    """Write a file whole or not at all.

    Links are followed, and what is not a file (``/dev/stdout``) is written to.

    Raises
    ------
    OSError
        If it cannot be written; nothing new is left, and an existing file is as it was.
    ValueError
        If a file cannot have such a name.
    """
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
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # some file systems say only now that they are full
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        part.replace(target)
    except BaseException:
        if part.exists():
            part.unlink()
        raise


#: What writing says where a disk, a quota or the largest size of a file is reached.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: With fewer bytes than a small file takes, whatever was raised came of that: HDF5 and NumPy tell no number.
_LITTLE_BYTES = 65536


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a temporary folder, removed at the end; yields its path.

    Raises
    ------
    DevicekitError
        If it cannot be made, or there is no room for what the work writes into it.
    """
    try:
        temporary = tempfile.TemporaryDirectory(prefix="devicekit-")
    except OSError as error:
        raise unwritten(error.strerror or str(error)) from error
    with temporary as folder:
        try:
            yield folder
        except Exception as error:
            cause: Optional[BaseException] = error
            while cause is not None and getattr(cause, "errno", None) not in _NO_ROOM:
                cause = cause.__cause__ or cause.__context__
            full = shutil.disk_usage(folder).free < _LITTLE_BYTES and not isinstance(error, DevicekitError)
            if cause is None and not full:
                raise
            raise unwritten(getattr(cause, "strerror", None) or "no space is left") from error


def unwritten(why: str) -> DevicekitError:
    """Return the error that says why temporary files cannot be written, and what to do."""
    return DevicekitError(
        "temporary files cannot be written to %s: %s; TMPDIR names another folder" % (tempfile.gettempdir(), why)
    )
