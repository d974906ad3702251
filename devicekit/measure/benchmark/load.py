"""What other programs make of the processors while this process computes. Only for worker processes.

Linux counts the time of each processor; what this process and the idle loop did not use, others did. Time that the
hypervisor took away ("steal") counts as theirs.
"""

import os
import time
from typing import List, NamedTuple, Optional, Set

#: A larger share of the processors than this makes figures doubtful.
LOAD_LIMIT = 0.05

#: The kernel samples who computes, by default 100 times a second: so many seconds may be counted wrongly.
_SAMPLING_S = 0.05


class Load(NamedTuple):
    """What others used during a span of time: a share of the processors, from 0 to 1, and whether that is too much."""

    share: float
    seconds: float
    busy: bool


class _Reading(NamedTuple):
    clock_s: float
    others_s: float


class LoadWatch:
    """Watches the processors that this process may use. Elsewhere than on Linux it knows nothing."""

    def __init__(self) -> None:
        self._cpus: Set[int] = set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()
        self._begin = self._read()

    def begin(self) -> None:
        """Begin a span of time."""
        self._begin = self._read()

    def end(self) -> Optional[Load]:
        """Return what others used since `begin`; None if that is not known."""
        before, after = self._begin, self._read()
        if before is None or after is None or after.clock_s <= before.clock_s:
            return None
        span = after.clock_s - before.clock_s
        used = max(0.0, after.others_s - before.others_s)
        room = span * len(self._cpus)
        return Load(min(1.0, used / room), span, used > LOAD_LIMIT * room + _SAMPLING_S)

    def _read(self) -> Optional[_Reading]:
        if not self._cpus:
            return None
        own = os.times()
        try:
            with open("/proc/stat", encoding="ascii") as stream:
                busy = busy_seconds(stream.read(), self._cpus, float(os.sysconf("SC_CLK_TCK")))
        except (OSError, ValueError):
            return None
        # With its children, such as a compiler's processes.
        ours = own.user + own.system + own.children_user + own.children_system
        return None if busy is None else _Reading(time.perf_counter(), busy - ours)


def busy_seconds(text: str, cpus: Set[int], ticks: float) -> Optional[float]:
    """Return how long some processors were busy since the system started; None if the text does not have them all.

    The text is that of ``/proc/stat``::

        cpu  30 1 20 900 5 0 2 1 0 0
        cpu0 10 1 15 450 5 0 2 1 0 0

    The columns are user, nice, system, idle, iowait, irq, softirq, steal and two of guests, which are part of user.
    """
    found: List[float] = []
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name[:3] == "cpu" and name[3:].isdigit() and int(name[3:]) in cpus:
            columns = [int(word) for word in rest.split()]
            found.append((sum(columns[:8]) - sum(columns[3:5])) / ticks)
    return sum(found) if len(found) == len(cpus) else None
