"""Locks between processes and between threads.

Between processes: the kernel's lock on an open file, ``flock``, on Windows ``msvcrt.locking``. It ends with the last process
that has the file open. On POSIX a process that inherits the descriptor holds the lock too, so that what a killed process has
started keeps it.

Between threads: locks that survive a fork. A child in which another thread's lock stays locked would wait for ever, and only
the forking thread is alive in it. So a fork waits until the other threads have left what these locks protect, which also
keeps it out of half of an import; if that takes too long, the child gets a new lock.
"""

import errno
import os
import sys
import threading
import time
import weakref
from typing import Any, List

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


_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


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
        # Windows says EACCES; Wine's C library gives no reason, so that the number may be one of an earlier call.
        windows = os.name == "nt" and error.errno not in (errno.EBADF, errno.EINVAL)
        if windows or error.errno in _TAKEN:
            return False
        raise
    return True


#: How long a fork waits for all locks together: a thread that asks a hanging driver holds one for longer, and one that waits
#: for the plug-in which forks holds one for as long as a plug-in may take.
_PATIENCE_S = 0.5


class ForkSafeLock:
    """A lock for ``with``, which the thread that has it may take again. There is one kind: for modules and for objects."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def __enter__(self) -> "ForkSafeLock":
        self._lock.acquire()
        return self

    def __exit__(self, *error: Any) -> None:
        self._lock.release()


_locks: "weakref.WeakSet[ForkSafeLock]" = weakref.WeakSet()
#: The locks that the fork which is being made has taken; a fork inside a fork's handlers there is not.
_taken: List[ForkSafeLock] = []


def _before() -> None:
    end = time.monotonic() + _PATIENCE_S
    for lock in list(_locks):
        if lock._lock.acquire(timeout=max(0.0, end - time.monotonic())):
            _taken.append(lock)


def _in_parent() -> None:
    while _taken:
        _taken.pop()._lock.release()


def _in_child() -> None:
    for lock in list(_locks):
        if lock not in _taken:
            lock._lock = threading.RLock()
    _in_parent()


if hasattr(os, "register_at_fork"):  # not on Windows, where there is no fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
