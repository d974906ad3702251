"""Of many processes that need the same result, one runs the self-test and the others wait for it."""

import errno
import os
import time
from typing import Callable, Optional, Tuple

from ...children.locks import try_lock
from .cached_results import load_result, save_result
from .result import TIMEOUT_S, Trial

_POLL_S = 0.1


def find_out(
    folder: str,
    key: str,
    run: Callable[[], Trial],
    cached: bool = True,
    timeout_s: float = TIMEOUT_S,
    tick: Optional[Callable[[], None]] = None,
) -> Tuple[Trial, Optional[str]]:
    """Return the result for a fingerprint, from the cache or from a self-test; and why it cannot be cached, or None.

    Parameters
    ----------
    folder, key : str
        Where results are cached, and the fingerprint.
    run : callable
        Runs the self-test.
    cached : bool
        Whether a cached result will do; otherwise every process runs the self-test.
    timeout_s : float
        How long to wait for another process that is trying, in seconds; after that this one tries itself.
    tick : callable or None
        Called now and then while another process is waited for.
    """
    if not cached:
        trial = run()
        return trial, save_result(folder, key, trial)
    known = load_result(folder, key)
    if known is not None:
        return known, None
    turn = _Turn(folder, key)
    deadline = time.monotonic() + timeout_s
    try:
        while not turn.take() and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            known = load_result(folder, key)
            if known is not None:
                return known, None
            if tick is not None:
                tick()
        known = load_result(folder, key)  # another process may have finished just before this one's turn came
        if known is not None:
            return known, None
        trial = run()
        return trial, save_result(folder, key, trial)
    finally:
        turn.release()


class _Turn:
    """The right to try what a fingerprint stands for, one process at a time.

    It is a lock on a file that is there as long as a process tries. The kernel takes the lock back from a process that
    dies, and a process that is forked meanwhile does not hold it. If files cannot be made or locked, every process
    has the right.
    """

    def __init__(self, folder: str, key: str) -> None:
        self._path = os.path.join(folder, "self-test-%s.lock" % key)
        self._descriptor = -1
        self._mine = False
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError:  # then the file cannot be made either
            pass

    def take(self) -> bool:
        """Return False while another process has the turn."""
        for _ in range(100):
            if self._descriptor < 0 and not self._open():
                return True
            if not self._lock():
                return False
            if self._is_current():
                self._mine = True
                return True
            self._close()  # the process that had the turn has removed the file: the next one makes another
        return True

    def release(self) -> None:
        """Let the next one try: closing the file gives the lock back."""
        if self._mine and os.name != "nt":
            self._remove()
        self._close()
        if self._mine and os.name == "nt":  # where it cannot be removed while anybody has it open
            self._remove()
        self._mine = False

    def _open(self) -> bool:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            self._descriptor = os.open(self._path, flags, 0o600)
        except OSError:  # a read-only file system, a folder of another user, no descriptors
            return False
        return True

    def _lock(self) -> bool:
        try:
            if os.name == "nt":
                return try_lock(self._descriptor)
            import fcntl

            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            return True
        except OSError as error:
            # Whatever else it says, this file system has no locks.
            return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
        return True

    def _is_current(self) -> bool:
        if os.name == "nt":
            return True
        try:
            here, there = os.fstat(self._descriptor), os.stat(self._path)
        except OSError:
            return False
        return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)

    def _remove(self) -> None:
        try:
            os.unlink(self._path)
        except OSError:  # on Windows: another process waits for it, or has taken it
            pass

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
