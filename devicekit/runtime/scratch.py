"""A folder for the time of some work, and a clear error where there is no room for it."""

import errno
import shutil
import tempfile
from contextlib import contextmanager
from typing import Iterator, Optional

from ..errors import DevicekitError

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
