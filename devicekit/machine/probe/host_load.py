"""What the processors of this machine do: this program and what it started, other programs, and the quota's throttling.

Linux only; elsewhere everything but this process's own time is unknown.
"""

import os
from typing import Dict, List, Optional, Tuple

from ...records import Record
from ..host import Host
from .cgroup import read_throttling

#: More processes than this are not looked at: it would take longer than the rest of a look.
_MOST_PROCESSES = 3000


class HostLoad(Record):
    """Counters since the start of the machine or of the process: only their differences mean something.

    Attributes
    ----------
    own_cpu_s : float
        Processor time of this process and of the processes that it started.
    busy_cpu_s : float or None
        Processor time of all programs on this machine.
    idle_cpu_s : float or None
        Time in which its processors had nothing to do, waiting for disks included.
    processes : int or None
        How many of the processes are this program's.
    periods, throttled_periods : int or None
        Scheduling periods of the control group with a quota, and those in which it was used up.
    memory_bytes : int or None
        Physical memory of this process and of the processes that it started; what they share counts in each.
    """

    own_cpu_s: float
    busy_cpu_s: Optional[float] = None
    idle_cpu_s: Optional[float] = None
    processes: Optional[int] = None
    periods: Optional[int] = None
    throttled_periods: Optional[int] = None
    memory_bytes: Optional[int] = None


def read_host_load(host: Host) -> HostLoad:
    """Return the counters of now."""
    times = os.times()
    own_cpu_s = times.user + times.system + times.children_user + times.children_system
    try:
        busy, idle = parse_processors(host.read_text("/proc/stat", 4096))
        tree = _own_tree(host)
    except (OSError, ValueError):  # not Linux, or a sandbox without /proc
        return HostLoad(own_cpu_s)
    tick = float(os.sysconf("SC_CLK_TCK"))
    throttling = read_throttling(host)
    return HostLoad(
        own_cpu_s=sum(item[1] for item in tree) / tick if tree else own_cpu_s,
        busy_cpu_s=busy / tick if tree else None,
        idle_cpu_s=idle / tick,
        processes=len(tree) or None,
        periods=throttling[0] if throttling else None,
        throttled_periods=throttling[1] if throttling else None,
        memory_bytes=sum(item[2] for item in tree) * os.sysconf("SC_PAGE_SIZE") if tree else None,
    )


def parse_processors(text: str) -> Tuple[int, int]:
    r"""Return how long all processors were busy and idle, in clock ticks, of ``/proc/stat`` (``proc(5)``).

    Time for the guests of virtual machines is part of ``user`` and not counted twice; stolen time was another machine's.

    >>> parse_processors("cpu  100 5 20 900 30 0 1 40 7 0\ncpu0 1 2 3 4\n")
    (126, 930)

    Raises
    ------
    ValueError
        If it is something else.
    """
    words = text.split("\n", 1)[0].split()
    if len(words) < 8 or words[0] != "cpu":
        raise ValueError("not understood: %r" % text[:40])
    user, nice, system, idle, wait, interrupts, soft = map(int, words[1:8])
    return user + nice + system + interrupts + soft, idle + wait


def parse_process(text: str) -> Tuple[int, int, int, int]:
    """Return number, parent, processor time in ticks (its ended children included) and pages of a ``/proc/N/stat``.

    The program's name is in parentheses, and may have blanks and parentheses itself.

    >>> parse_process("42 (a) b) S 7 42 42 0 -1 4194560 9 0 0 0 30 4 2 1 20 0 1 0 5 1000 250 1844")
    (42, 7, 37, 250)

    Raises
    ------
    ValueError
        If it is something else.
    """
    number, _, rest = text.partition(" (")
    words = rest.rpartition(") ")[2].split()
    if len(words) < 22:
        raise ValueError("not understood: %r" % text[:40])
    return int(number), int(words[1]), sum(map(int, words[11:15])), int(words[21])


def _own_tree(host: Host) -> List[Tuple[int, int, int]]:
    """Return number, ticks and pages of this process and of all that it started; none if there are too many to look at."""
    own = parse_process(host.read_text("/proc/self/stat", 4096))[0]
    numbers = [name for name in host.list_names("/proc") if name.isdigit()]
    if len(numbers) > _MOST_PROCESSES:
        return []
    processes: Dict[int, Tuple[int, int, int]] = {}
    for name in numbers:
        try:
            number, parent, ticks, pages = parse_process(host.read_text("/proc/%s/stat" % name, 4096))
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        processes[number] = (parent, ticks, pages)
    tree, waiting = [], [own]
    while waiting:
        number = waiting.pop()
        if number in processes:
            tree.append((number, *processes[number][1:]))
        waiting += [child for child, values in processes.items() if values[0] == number]
    return tree
