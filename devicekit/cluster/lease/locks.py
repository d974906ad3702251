"""One lock: a file that a process holds through the kernel, which frees it when the process ends, however it ends.

It is ``fcntl.flock``, on Windows ``msvcrt.locking``, on files that belong to several users:

- An existing file is opened without ``O_CREAT``: with ``fs.protected_regular``, which systemd sets, the kernel refuses that
  in a sticky folder for another user's file, even to root (proc_sys_fs(5)). It is never emptied, and no link is followed.
- A file that is made gets the permissions of its folder, whatever the umask is.
- A process that was forked from the holder does not hold it and cannot free it.

Files are never removed: a lock on a file that is gone would exclude no other process.
"""

import errno
import os
import stat
import sys
import time
import weakref
from typing import Optional, Tuple

from ...children.locks import try_lock, unlock
from ...errors import LeaseError
from .folder import LeaseFolder

#: How long the process that makes a file may take to open it for others.
_PATIENCE_S = 1.0

_POLL_S = 0.005


def _is_new(path: str) -> bool:
    try:
        return abs(time.time() - os.lstat(path).st_ctime) < 2 * _PATIENCE_S
    except OSError:
        return True


def open_shared(path: str, mode: int) -> int:
    """Open a file of several users for reading and writing, create it if it does not exist; return its descriptor.

    Raises LeaseError if it is a link, not a regular file, has several names, or cannot be opened.
    """
    flags = os.O_RDWR
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            try:
                handle = os.open(path, flags)
            except FileNotFoundError:
                try:
                    handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, mode)
                except FileExistsError:  # another process was faster
                    continue
                if hasattr(os, "fchmod"):
                    os.fchmod(handle, mode)
        except OSError as error:
            if error.errno == errno.EACCES and time.monotonic() < give_up and _is_new(path):
                time.sleep(0.01)  # another process has made it this moment and not yet opened it for others
                continue
            why = "it is a link" if error.errno == errno.ELOOP else error.strerror
            raise LeaseError("%s cannot be opened: %s" % (path, why)) from error
        status = os.fstat(handle)
        # Another name of a file: another user could have linked it here to have it overwritten.
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(handle)
            raise LeaseError("%s is not a file of devicekit; remove it" % path)
        return handle


if sys.platform == "win32":

    def guard(folder: LeaseFolder) -> Tuple[int, ...]:
        """Keep what cleans up old files from the folder; nothing does that here."""
        return ()

else:
    import fcntl

    def guard(folder: LeaseFolder) -> Tuple[int, ...]:
        """Keep systemd-tmpfiles from the folder while a device is held; return the open files that do, to be closed.

        It removes files from /tmp that were not touched for days, and spares folders on which a process has a lock of this
        kind ("Using /tmp/ and /var/tmp/ safely", systemd.io).
        """
        handle = os.open(folder.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:  # it is being cleaned at this moment: the device's file has just been opened, and is not old
            pass
        return (handle,)


def _try_lock(handle: int) -> bool:
    try:
        return try_lock(handle)
    except OSError as error:
        raise LeaseError(
            "the file system of the folder for leases does not support locks: %s" % error.strerror
        ) from error


class Lock:
    """A lock that this process holds; any thread may release it. ``descriptor``: the open file, None after `release`."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: Optional[int] = descriptor
        self._holder = os.getpid()
        _held.add(self)

    def release(self) -> None:
        """Free the lock. In a process that was forked from the holder this only closes the file."""
        handle, self.descriptor = self.descriptor, None
        _held.discard(self)
        if handle is not None:
            # Closed alone, it would stay locked as long as a process has a copy that was started without closing it.
            if self._holder == os.getpid():
                unlock(handle)
            os.close(handle)

    def hand_over(self) -> None:
        """Close the file without freeing the lock: it lasts as long as a process that has inherited the file."""
        handle, self.descriptor = self.descriptor, None
        _held.discard(self)
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        # A process that gives up waiting without saying so must not keep its place in the queue.
        self.release()


#: What this process holds.
_held: "weakref.WeakSet[Lock]" = weakref.WeakSet()


def _forget() -> None:
    """In a forked process: close what the parent holds, which unlocks nothing."""
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _is_still_there(handle: int, path: str) -> bool:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(handle), there)


def is_held(path: str) -> bool:
    """Return whether a process holds the lock on a file; raise LeaseError if it cannot be opened."""
    if not os.path.lexists(path):
        return False
    handle = open_shared(path, 0o666)
    try:
        if not _try_lock(handle):
            return True
        unlock(handle)
        return False
    finally:
        os.close(handle)


def take(folder: LeaseFolder, name: str, timeout_s: float = 0.0) -> Optional[Lock]:
    """Return the lock on a file of the folder, None if another process holds it all that time.

    Raises LeaseError if the file cannot be opened.
    """
    path, give_up = folder.join(name), time.monotonic() + timeout_s
    while True:
        handle = open_shared(path, folder.file_mode)
        try:
            # If the file was removed in the meantime, the lock is on a file that no other process will find.
            if _try_lock(handle) and _is_still_there(handle, path):
                if folder.is_replaced():
                    raise LeaseError("the folder for leases %s was replaced; request the devices again" % folder.path)
                lock, handle = Lock(handle), -1
                return lock
        finally:
            if handle >= 0:
                os.close(handle)
        if time.monotonic() >= give_up:
            return None
        time.sleep(_POLL_S)
