"""The kernel's lock on an open file: ``flock``, on Windows ``msvcrt.locking``.

It ends with the last process that has the file open. On POSIX a process that inherits the descriptor holds the lock
too, so that what a killed process has started keeps it.
"""

import errno
import os
import sys

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def unlock(handle: int) -> None:
        """Free the lock, for all that hold it."""
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock(handle: int) -> None:
        """Free the lock, for all that hold it."""
        fcntl.flock(handle, fcntl.LOCK_UN)


def try_lock(handle: int) -> bool:
    """Lock an open file; return False if another process has it.

    Raises
    ------
    OSError
        If there are no locks on this file system.
    """
    try:
        _lock(handle)
    except OSError as error:
        # 0: Wine's C library gives no reason.
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK, 0):
            return False
        raise
    return True
