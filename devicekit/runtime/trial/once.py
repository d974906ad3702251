"""Results of the self-test are cached; of many processes that need the same one, one runs it and the others wait for it."""

import errno
import os
import time
from typing import Any, Callable, Dict, Optional, Tuple

from ...children.locks import try_lock
from ..cache import JsonCache
from .fingerprint import SCHEMA, stamp
from .result import OUTCOMES, TIMEOUT_S, Trial

#: A device that failed may be free or fixed soon; one that worked works until something under the fingerprint changes.
_FAILED_LIFE_S = 600.0
_WORKS_LIFE_S = 30 * 24 * 3600.0

_CACHE = JsonCache("self-test", SCHEMA, _WORKS_LIFE_S)

_MOST_FILES = 2000


def load_result(folder: str, key: str) -> Optional[Trial]:
    """Return the result for a fingerprint; None if there is none, or it is too old, damaged, or not ours.

    A result is no longer valid when one of the native files that the trial loaded has changed.
    """
    found = _CACHE.read(folder, _CACHE.name(key), key, _decode, _life_of)
    return None if found is None else found[1]


def _life_of(trial: Trial) -> float:
    return _WORKS_LIFE_S if trial.outcome == "works" else _FAILED_LIFE_S


def _decode(data: Dict[str, Any]) -> Trial:
    trial = Trial.from_dict(data["trial"])
    if trial.outcome not in OUTCOMES or trial.outcome == "not-run":
        raise ValueError("no outcome")
    stamps = {str(path): (int(when), int(size)) for path, when, size in data["files"]}
    if any(stamp(path) != then for path, then in stamps.items()):
        raise ValueError("a file that it loaded has changed")
    return trial.replace(files=tuple(stamps))


def save_result(folder: str, key: str, trial: Trial) -> Optional[str]:
    """Cache a result; return what went wrong, None if nothing did. The file is replaced as a whole."""
    if trial.outcome == "not-run":
        return None
    # If it works, what it printed does not matter.
    values = trial.replace(files=(), output="" if trial.outcome == "works" else trial.output).to_dict()
    stamps = [(path, stamp(path)) for path in trial.files[:_MOST_FILES]]
    files = [(path, then[0], then[1]) for path, then in stamps if then is not None]
    return _CACHE.write(folder, _CACHE.name(key), key, {"trial": values, "files": files})


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
