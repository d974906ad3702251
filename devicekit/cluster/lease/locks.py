"""One lock: a file that a process holds through the kernel, which frees it when the process is gone, however it ends.

It is `filelock`'s lock (``fcntl.flock``; on Windows its own class, ``msvcrt.locking``) with what files need that belong to
several users:

- An existing file is opened without ``O_CREAT``: with ``fs.protected_regular``, which systemd sets, the kernel refuses that
  in a sticky folder for another user's file, even to root (proc_sys_fs(5)). It is never emptied, and no link is followed.
- A file that is made gets the permissions of its folder, whatever the umask is.
- A process that was forked from the holder does not hold it and cannot free it: filelock before 3.25 would unlock it for the
  parent, too, when the child ends.

Files are never removed: a lock on a file that is gone would exclude nobody.
"""

import errno
import os
import stat
import sys
import time
import weakref
from typing import Any, Dict, Optional, Tuple

from filelock import BaseFileLock, FileLock, Timeout

from ...errors import LeaseError
from .folder import LeaseFolder

__all__ = ["Lock", "guard", "is_held", "open_shared", "take"]

#: How long the one who makes a file may take from making it to opening it for others.
_PATIENCE_S = 1.0

#: Any thread may give back what another one has taken. Before filelock 3.11 no lock belonged to a thread.
_OPTIONS: Dict[str, Any] = (
    {"thread_local": False} if "thread_local" in BaseFileLock.__init__.__code__.co_varnames else {}
)

_CONTENTION = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK)


def open_shared(path: str, mode: int) -> int:
    """Open a file of several users for reading and writing, and make it where it is not there; return its descriptor.

    Raises
    ------
    LeaseError
        Where it is a link, no regular file, has several names, or cannot be opened.
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
            if error.errno == errno.EACCES and time.monotonic() < give_up:
                time.sleep(0.01)  # another process has made it this moment and not yet opened it for others
                continue
            why = "it is a link" if error.errno == errno.ELOOP else error.strerror
            raise LeaseError("%s cannot be opened: %s" % (path, why)) from error
        status = os.fstat(handle)
        # Another name of a file: somebody could have linked it here to have it written over.
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(handle)
            raise LeaseError("%s is no file of devicekit's; remove it" % path)
        return handle


if sys.platform == "win32":
    Lock = FileLock

    def guard(folder: LeaseFolder) -> Tuple[int, ...]:
        """Keep what cleans up old files from the folder; nothing does that here."""
        return ()

    def is_held(path: str) -> bool:
        """Return whether somebody holds the lock on a file."""
        if not os.path.exists(path):
            return False
        try:
            with FileLock(path).acquire(timeout=0):
                return False
        except Timeout:
            return True

else:
    import fcntl

    class Lock(BaseFileLock):
        """A lock on a file of several users; see the module. ``acquire`` and ``release`` are filelock's."""

        #: See `LeaseFolder.file_mode`.
        file_mode = 0o666

        def _acquire(self) -> None:
            handle = open_shared(self.lock_file, self.file_mode)
            try:
                locked = _try_lock(handle)
                # Where somebody has removed the file in the meantime, the lock is on a file that nobody else will find.
                if locked and not _is_still_there(handle, self.lock_file):
                    locked = False
            except BaseException:
                os.close(handle)
                raise
            if not locked:
                os.close(handle)
                return
            self._holder = os.getpid()
            self._keep(handle)
            _held.add(self)

        def _release(self) -> None:
            handle = self.descriptor
            self._keep(None)
            _held.discard(self)
            if handle is not None:
                # Closed alone, it would stay locked as long as a process has a copy that was started without closing it.
                if self._holder == os.getpid():
                    fcntl.flock(handle, fcntl.LOCK_UN)
                os.close(handle)

        @property
        def descriptor(self) -> Optional[int]:
            """The open file, None while the lock is not held."""
            handle: Optional[int] = getattr(self._place(), self._name())
            return handle

        def _keep(self, handle: Optional[int]) -> None:
            setattr(self._place(), self._name(), handle)

        # filelock keeps the open file in an object beside the lock from 3.11 on, and in the lock itself before.
        def _place(self) -> Any:
            return getattr(self, "_context", self)

        def _name(self) -> str:
            return "lock_file_fd" if hasattr(self, "_context") else "_lock_file_fd"

    #: What this process holds.
    _held: "weakref.WeakSet[Lock]" = weakref.WeakSet()

    def _forget() -> None:
        """In a forked process: close what the parent holds, which unlocks nothing."""
        for lock in list(_held):
            lock._release()

    os.register_at_fork(after_in_child=_forget)

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _CONTENTION:
                return False
            raise LeaseError("the file system of the folder for leases keeps no locks: %s" % error.strerror) from error
        return True

    def _is_still_there(handle: int, path: str) -> bool:
        try:
            there = os.lstat(path)
        except FileNotFoundError:
            return False
        own = os.fstat(handle)
        return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)

    def guard(folder: LeaseFolder) -> Tuple[int, ...]:
        """Keep systemd-tmpfiles from the folder while a device is held; return the open files that do, to be closed.

        It removes files from /tmp that were not touched for days, and spares folders on which somebody has a lock of this
        kind ("Using /tmp/ and /var/tmp/ safely", systemd.io).
        """
        handle = os.open(folder.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:  # it is being cleaned at this moment: the device's file has just been opened, and is not old
            pass
        return (handle,)

    def is_held(path: str) -> bool:
        """Return whether somebody holds the lock on a file.

        Raises
        ------
        LeaseError
            Where it cannot be opened.
        """
        if not os.path.lexists(path):
            return False
        handle = open_shared(path, Lock.file_mode)
        try:
            return not _try_lock(handle)
        finally:
            os.close(handle)


def take(folder: LeaseFolder, name: str, timeout_s: float = 0.0) -> Optional[Any]:
    """Take the lock on a file of the folder; return it, None where another process holds it all that time.

    Raises
    ------
    LeaseError
        Where the file cannot be opened.
    """
    path = folder.join(name)
    lock: Any = Lock(path, **_OPTIONS)
    if sys.platform != "win32":
        lock.file_mode = folder.file_mode
    try:
        lock.acquire(timeout=timeout_s, poll_interval=0.005)
    except Timeout:
        return None
    return lock
