"""Keeps a worker that tries how much fits from taking the memory of the machine: its own limit fails before the machine does.

The limit is what is free now, less a reserve. On Linux the kernel holds it (``RLIMIT_DATA``, which since Linux 4.7 counts
all private memory that can be written, `setrlimit(2)`): an allocation beyond it fails, as it does on an accelerator.
Everywhere else, and next to it, a thread watches how much is in use and ends the process. Should the kernel still run out
of memory, it kills this process before all others (``oom_score_adj``, `proc(5)`).
"""

import os
import sys
import threading
import time
from typing import Dict, List, Optional

#: The part of the free memory that is left to everybody else, and its least amount.
RESERVE = 0.1
RESERVE_BYTES = 256 << 20

_INTERVAL_S = 0.02


def available_bytes() -> Optional[int]:
    """Return how much memory this process could still take without swapping, None if the system does not say."""
    from ...machine.live_host import LiveHost
    from ...machine.probe.cgroup import memory_left

    found = [_free_bytes(), memory_left(LiveHost())]
    known = [value for value in found if value is not None]
    return min(known) if known else None


def _free_bytes() -> Optional[int]:
    if sys.platform.startswith("linux"):
        try:
            return _fields("/proc/meminfo").get("MemAvailable")
        except OSError:  # some sandboxes have no /proc
            return None
    if hasattr(os, "sysconf"):
        # macOS does not tell what is free by a call of Python's: all of it, less the reserve, is what there is to take.
        try:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            return None
    from ...machine.windows import memory_bytes

    return memory_bytes() or None


def limit_memory(most_bytes: Optional[int], on_processor: bool) -> Optional[int]:
    """Limit what this process may take from now on; return that in bytes, None if nothing is known of the memory.

    Parameters
    ----------
    most_bytes : int or None
        A lower limit, for work on the CPU.
    on_processor : bool
        Whether the CPU computes. For an accelerator only the watching thread is started: drivers map address space
        far beyond what they use.
    """
    free = available_bytes()
    grant = None if free is None else max(0, free - max(RESERVE_BYTES, int(free * RESERVE)))
    if on_processor and most_bytes is not None:
        grant = most_bytes if grant is None else min(grant, most_bytes)
    _be_first_to_go()
    if grant is None:
        return None
    if on_processor and sys.platform.startswith("linux"):
        _limit_data(grant)
    now = _resident_bytes()
    if now is not None:
        threading.Thread(target=_watch, args=(now + grant,), name="devicekit-memory", daemon=True).start()
    return grant


class Room:
    """What `limit_memory` granted to this process, and how much of it was taken so far."""

    def __init__(self, granted_bytes: int) -> None:
        self._granted = max(1, granted_bytes)
        self._before = self._held()

    def share(self) -> float:
        """Return the largest part of it that was taken at any time; 0 if the system does not say."""
        grown = [now - before for before, now in zip(self._before, self._held())]
        return max([0, *grown]) / self._granted

    def _held(self) -> List[int]:
        """The most that was resident, and what the limit counts, which no one keeps the peak of."""
        if not sys.platform.startswith("linux"):
            return []
        try:
            fields = _fields("/proc/self/status")
        except OSError:  # some sandboxes have no /proc
            return []
        return [fields.get("VmHWM", 0), fields.get("VmData", 0)]


def _be_first_to_go() -> None:
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
            stream.write("1000")
    except OSError:  # not Linux, or not allowed: the limits hold all the same
        pass


def _limit_data(grant: int) -> None:
    import resource

    try:
        used = _fields("/proc/self/status").get("VmData", 0)
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = used + grant
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
    except (OSError, ValueError):  # a sandbox: the watching thread is left
        pass


def _watch(most: int) -> None:
    """End this process when it holds more than that."""
    while True:
        now = _resident_bytes()
        if now is None:
            return
        if now > most:
            text = "devicekit: out of memory: %d MB are in use, %d MB were granted\n" % (now >> 20, most >> 20)
            os.write(2, text.encode("ascii"))
            os._exit(77)
        time.sleep(_INTERVAL_S)


def _resident_bytes() -> Optional[int]:
    """What this process holds; if only that is reported, the most that it has ever held."""
    try:
        if sys.platform.startswith("linux"):
            with open("/proc/self/statm", encoding="ascii") as stream:
                return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        import resource
    except (OSError, ImportError):  # a sandbox; Windows, whose allocations fail at the limit of what is committed
        return None
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


def _fields(path: str) -> Dict[str, int]:
    """The amounts of a file such as ``/proc/meminfo``, in bytes."""
    found: Dict[str, int] = {}
    with open(path, encoding="ascii", errors="replace") as stream:
        for line in stream:
            name, _, value = line.partition(":")
            words = value.split()
            if len(words) == 2 and words[1] == "kB" and words[0].isdigit():
                found[name] = int(words[0]) * 1024
    return found
