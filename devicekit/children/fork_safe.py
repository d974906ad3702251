"""Locks that survive a fork: a child in which another thread's lock stays locked would wait for ever.

Only the forking thread is alive in the child. So a fork waits until the other threads have left what these locks protect,
which also keeps it out of half of an import; if that takes too long, the child gets a new lock.
"""

import os
import threading
import time
import weakref
from typing import Any, List

#: How long a fork waits for all locks together: a thread that asks a hanging driver holds one for longer.
_PATIENCE_S = 2.0


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
