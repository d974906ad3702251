"""`Lease`: devices that are held, and what this process holds altogether."""

import os
import threading
from typing import Any, Dict, List, Sequence, Tuple

from ...children.locks import ForkSafeLock
from ...diagnosis.findings import Candidate
from ...errors import LeaseError
from .locks import guard
from .queue import Queue

_lock = ForkSafeLock()
#: What this process holds: keys, and the thread that took them.
_held: Dict[str, int] = {}


if hasattr(os, "register_at_fork"):
    # A forked process holds nothing of what its parent holds.
    os.register_at_fork(after_in_child=_held.clear)


def held_by_this_thread() -> List[str]:
    """Return the keys of the devices that this very thread has leased."""
    with _lock:
        return [key for key, thread in _held.items() if thread == threading.get_ident()]


class Lease:
    """Devices that no other process gets from devicekit until they are released; a context manager.

    Attributes
    ----------
    devices : tuple of str
        Their names in this process: ``("gpu:0", "gpu:2")``.
    device : str
        The same as one device string (``"gpu:0,2"``), for `devicekit.auto` and `devicekit.select_device`.
    candidates : tuple of Candidate
        What is known of them.
    environment : dict of str to str
        Variables for a process that is started with them: it sees these devices only, and may lease them again itself.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        environment: Dict[str, str],
        queue: Queue,
        taken: Sequence[Tuple[str, Any]],
        unrestricted: str = "",
    ) -> None:
        self.candidates: Tuple[Candidate, ...] = tuple(candidates)
        self.environment = environment
        #: Why the variables restrict a process to none of these devices, "" if they do.
        self.unrestricted = unrestricted
        self._queue = queue
        self._taken = tuple(taken)
        self._released = False
        self._process = os.getpid()
        self._guards = guard(queue.folder) if self._taken else ()
        with _lock:
            _held.update((key, threading.get_ident()) for key, _ in self._taken)

    @property
    def devices(self) -> Tuple[str, ...]:
        """The names of the devices in this process."""
        return tuple(item.device for item in self.candidates)

    @property
    def device(self) -> str:
        """All devices as one device string."""
        kind = self.devices[0].partition(":")[0]
        return "%s:%s" % (kind, ",".join(name.partition(":")[2] for name in self.devices))

    @property
    def handles(self) -> Tuple[int, ...]:
        """The open files of the locks, by which another program holds them that inherits these."""
        return tuple(lock.descriptor for _, lock in self._taken) + self._guards

    def release(self) -> None:
        """Release the devices. Does nothing the second time, or in a process that was forked from the holder."""
        if self._ends() and self._taken:
            self._queue.give_back(self._taken)

    def hand_over(self) -> None:
        """Leave the devices to the processes that have inherited `handles`: they are free when the last of these has ended."""
        if self._ends():
            for _, lock in self._taken:
                lock.hand_over()

    def _ends(self) -> bool:
        """Note that this process holds the devices no longer; return whether it did."""
        with _lock:
            if self._released or self._process != os.getpid():
                return False
            self._released = True
            for key, _ in self._taken:
                _held.pop(key, None)
        for handle in self._guards:
            os.close(handle)
        return True

    def __enter__(self) -> "Lease":
        if self._released:
            raise LeaseError("this lease was released; request a new one")
        return self

    def __exit__(self, *error: Any) -> None:
        self.release()

    def __str__(self) -> str:
        return self.device

    def __repr__(self) -> str:
        return "<Lease of %s%s>" % (", ".join(self.devices), ", given back" if self._released else "")
