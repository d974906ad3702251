"""Small files that devicekit keeps in the user's cache folder: read only where they are this user's, replaced as a whole."""

import os
import stat
import time
from typing import Callable, Optional

__all__ = ["LIMIT_BYTES", "read_own", "tidy", "write_whole"]

#: A file that is larger is none of ours.
LIMIT_BYTES = 1 << 20


def read_own(path: str) -> str:
    """Return the text of a small regular file of this user that nobody else can write. A link is followed nowhere.

    Raises
    ------
    OSError
        Where it is not there or cannot be read.
    ValueError
        Where it is somebody else's, can be written by others, is too large, no regular file, or no text.
    """
    # Without O_NONBLOCK a FIFO of that name would be waited for.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    with open(os.open(path, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LIMIT_BYTES:
            raise ValueError("no file of ours")
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise ValueError("somebody else's, or somebody else could write it")
        return stream.read(LIMIT_BYTES + 1).decode("utf-8")


def write_whole(folder: str, name: str, text: str, prefix: str) -> Optional[str]:
    """Put a file in the place of the one of that name, for this user only; return what went wrong, None where nothing did.

    Parameters
    ----------
    folder, name : str
        Where, and what it is called. The folder is made where it is not there.
    text : str
        What it holds.
    prefix : str
        Beginning of the name of the temporary file, by which `tidy` finds it where this process is killed.
    """
    import tempfile

    temporary = ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=prefix, dir=folder)  # for this user only
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(temporary, os.path.join(folder, name))
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        return "%s: %s" % (folder, error.strerror or error)
    return None


def tidy(folder: str, life_s: Callable[[str], Optional[float]]) -> None:
    """Remove the files that have outlived their time: ``life_s`` says it for a name, None for what is not ours."""
    now = time.time()
    try:
        names = os.listdir(folder)
    except OSError:  # a folder that may be written but not read
        return
    for name in names:
        life, path = life_s(name), os.path.join(folder, name)
        try:
            if life is not None and now - os.lstat(path).st_mtime > life:
                os.unlink(path)
        except OSError:  # another process was faster, or it is somebody else's
            continue
