"""Of many processes that need the same verdict, one tries and the others wait for what it finds."""

import errno
import os
import time
from typing import Callable, Optional, Tuple

from .cached_results import load_verdict, save_verdict
from .result import TIMEOUT_S, Trial

__all__ = ["find_out"]

_POLL_S = 0.1


def find_out(
    folder: str,
    key: str,
    run: Callable[[], Trial],
    cached: bool = True,
    timeout_s: float = TIMEOUT_S,
    tick: Optional[Callable[[], None]] = None,
) -> Tuple[Trial, Optional[str]]:
    """Return the verdict under a fingerprint, from the cache or from a trial; and why it could not be kept, or None.

    Parameters
    ----------
    folder, key : str
        Where results are cached, and the fingerprint.
    run : callable
        Runs the trial.
    cached : bool
        Whether a verdict that is kept will do; otherwise everybody tries.
    timeout_s : float
        How long to wait for another process that is trying, in seconds; after that this one tries itself.
    tick : callable or None
        Called now and then while another process is waited for.
    """
    if not cached:
        trial = run()
        return trial, save_verdict(folder, key, trial)
    known = load_verdict(folder, key)
    if known is not None:
        return known, None
    turn = _Turn(folder, key)
    deadline = time.monotonic() + timeout_s
    try:
        while not turn.take() and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            known = load_verdict(folder, key)
            if known is not None:
                return known, None
            if tick is not None:
                tick()
        known = load_verdict(folder, key)  # somebody may have found out just before this one's turn came
        if known is not None:
            return known, None
        trial = run()
        return trial, save_verdict(folder, key, trial)
    finally:
        turn.release()


class _Turn:
    """The right to try what a fingerprint stands for, one process at a time.

    It is a lock on a file that is there as long as somebody tries. The kernel takes the lock back from a process that
    dies, and a process that is forked meanwhile does not hold it. Where files cannot be made or locked, everybody has
    the right.
    """

    def __init__(self, folder: str, key: str) -> None:
        self._path = os.path.join(folder, "trial-%s.lock" % key)
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
            self._close()  # whoever had the turn has removed the file: the next one makes another
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
        except OSError:  # a file system for reading only, a folder of somebody else, no descriptors
            return False
        return True

    def _lock(self) -> bool:
        try:
            if os.name == "nt":
                import msvcrt

                msvcrt.locking(self._descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            else:
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
