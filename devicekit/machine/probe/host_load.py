"""What the processors of this machine do: a program and what it started, other programs, and the quota's throttling.

Linux only; elsewhere everything but this process's own time is unknown.
"""

import os
from typing import Collection, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from ...records import Record
from ..host import Host
from .cgroup import parse_cpu_list, read_throttling

#: More processes than this are not looked at: it would take longer than the rest of a look.
_MOST_PROCESSES = 3000


class HostLoad(Record):
    """Counters since the start of the machine or of the process: only their differences mean something.

    Attributes
    ----------
    own_cpu_s : float
        Processor time of the program: of its process and of the processes that it started.
    busy_cpu_s : float or None
        Processor time of all programs, on the processors that this one may use.
    idle_cpu_s : float or None
        Time in which these processors had nothing to do, waiting for disks included.
    processes : int or None
        How many of the processes are this program's.
    periods, throttled_periods : int or None
        Scheduling periods of the control group with a quota, and those in which it was used up.
    memory_bytes : int or None
        Physical memory of these processes; what they share counts in each.
    queued_s : float or None
        How long the threads of these processes could have run and waited for a processor.
    stolen_s : float or None
        How long the hypervisor ran other virtual machines on these processors.
    """

    own_cpu_s: float
    busy_cpu_s: Optional[float] = None
    idle_cpu_s: Optional[float] = None
    processes: Optional[int] = None
    periods: Optional[int] = None
    throttled_periods: Optional[int] = None
    memory_bytes: Optional[int] = None
    queued_s: Optional[float] = None
    stolen_s: Optional[float] = None


class ProcessStat(NamedTuple):
    """A process: its parent, processor time in ticks (its ended children included), pages in memory, when it began."""

    number: int
    parent: int
    ticks: int
    pages: int
    began: int


class ProcessTree:
    """A process and all that it started, also what has left it since: a daemon belongs to it once it was seen.

    Parameters
    ----------
    number : int
        Of the process.

    Attributes
    ----------
    numbers : frozenset of int
        The processes that it consisted of at the last look.
    """

    def __init__(self, number: int) -> None:
        self.numbers: FrozenSet[int] = frozenset([number])
        self._began: Dict[int, int] = {}
        self._ticks = self._gone_ticks = 0

    def take(self, processes: Dict[int, ProcessStat]) -> List[ProcessStat]:
        """Return those of a machine's processes that belong to it now."""
        if not processes:  # too many to look at, this time
            return []
        # A number that was seen with another start has been given to another program meanwhile.
        waiting = [
            number
            for number in self.numbers
            if number in processes and self._began.get(number, processes[number].began) == processes[number].began
        ]
        children: Dict[int, List[int]] = {}
        for process in processes.values():
            children.setdefault(process.parent, []).append(process.number)
        found: Dict[int, ProcessStat] = {}
        while waiting:
            number = waiting.pop()
            if number not in found:
                found[number] = processes[number]
                waiting += children.get(number, [])
        self.numbers = frozenset(found)
        self._began = {number: process.began for number, process in found.items()}
        return list(found.values())

    def ticks(self, tree: Collection[ProcessStat]) -> int:
        """Return the processor time of what `take` returned, with that of processes which have ended outside of the tree."""
        now = sum(process.ticks for process in tree)
        self._gone_ticks += max(0, self._ticks - now)
        self._ticks = now
        return now + self._gone_ticks


def read_host_load(host: Host, program: Optional[ProcessTree] = None) -> HostLoad:
    """Return the counters of now, of this process and what it started, or of another program."""
    times = os.times()
    own_cpu_s = times.user + times.system + times.children_user + times.children_system if program is None else 0.0
    if host.system != "linux":  # a /proc that someone made on Windows tells nothing
        return HostLoad(own_cpu_s)
    try:
        if program is None:
            program = ProcessTree(parse_process(host.read_text("/proc/self/stat", 4096)).number)
        allowed = _allowed(host, min(program.numbers, default=0))
        busy, idle, stolen = parse_processors(host.read_text("/proc/stat", 1 << 20), allowed)
        tree = program.take(_processes(host))
    except (OSError, ValueError):  # a sandbox without /proc
        return HostLoad(own_cpu_s)
    # Windows cannot be asked: this is a recorded machine there, and what Linux has on x86-64 is assumed.
    tick, page = (os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")) if hasattr(os, "sysconf") else (100, 4096)
    throttling = read_throttling(host)
    return HostLoad(
        own_cpu_s=program.ticks(tree) / tick if tree else own_cpu_s,
        busy_cpu_s=busy / tick if tree else None,
        idle_cpu_s=idle / tick,
        processes=len(tree) or None,
        periods=throttling[0] if throttling else None,
        throttled_periods=throttling[1] if throttling else None,
        memory_bytes=sum(item.pages for item in tree) * page if tree else None,
        queued_s=_queued(host, tree),
        stolen_s=stolen / tick,
    )


def _allowed(host: Host, number: int) -> Sequence[range]:
    """Return the numbers of the processors that a process may use; empty if that is not known."""
    for line in (host.text_or_none("/proc/%d/status" % number, 1 << 16) or "").splitlines():
        name, _, value = line.partition(":")
        if name == "Cpus_allowed_list":
            return parse_cpu_list(value)
    return ()


def _queued(host: Host, tree: Sequence[ProcessStat]) -> Optional[float]:
    """Return how long the threads of processes waited for a processor; None if the kernel does not count it."""
    ran = waited = 0
    for process in tree:
        folder = "/proc/%d/task" % process.number
        for name in host.names_if_any(folder):
            words = (host.text_or_none("%s/%s/schedstat" % (folder, name), 4096) or "").split()
            if len(words) == 3:  # nanoseconds, see the kernel's Documentation/scheduler/sched-stats.rst
                ran, waited = ran + int(words[0]), waited + int(words[1])
    return waited / 1e9 if ran else None


def read_shared_once(host: Host, numbers: Collection[int]) -> Optional[int]:
    """Return the physical memory of processes, in which what they share counts once; None if one of them does not tell.

    The kernel walks all of their pages for that.
    """
    total = 0
    for number in numbers:
        try:
            total += parse_shared_once(host.read_text("/proc/%d/smaps_rollup" % number, 4096))
        except FileNotFoundError:  # it has ended meanwhile; a kernel before 4.14 has none for any
            if host.exists("/proc/%d/stat" % number):
                return None
        except (OSError, ValueError):  # another user's, or a sandbox
            return None
    return total or None


def parse_shared_once(text: str) -> int:
    r"""Return the bytes of a ``/proc/N/smaps_rollup``, of shared pages this process's part (``proc(5)``).

    >>> parse_shared_once("55d0-7ffe ---p 00000000 00:00 0 [rollup]\nRss:    8 kB\nPss:    4 kB\n")
    4096

    Raises
    ------
    ValueError
        If it is something else.
    """
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "Pss:":
            return int(words[1]) * 1024
    raise ValueError("not understood: %r" % text[:40])


def parse_processors(text: str, allowed: Sequence[range] = ()) -> Tuple[int, int, int]:
    r"""Return how long processors were busy, idle and stolen, in clock ticks, of ``/proc/stat`` (``proc(5)``).

    ``allowed``: those that count; by default all do, and if none of them is listed.

    Time for the guests of virtual machines is part of ``user`` and not counted twice.

    >>> parse_processors("cpu  100 5 20 900 30 0 1 40 7 0\ncpu0 1 2 3 4\n")
    (126, 930, 40)
    >>> parse_processors("cpu 9 0 0 9 0 0 0\ncpu0 1 0 0 2 0 0 0\ncpu1 3 0 0 4 0 0 0\nctxt 5\n", [range(1, 2)])
    (3, 4, 0)

    Raises
    ------
    ValueError
        If it is something else.
    """
    busy = left = stolen = 0
    lines = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    named = [line for line in lines[1:] if any(int(line[0][3:]) in numbers for numbers in allowed)]
    for words in named or lines[:1]:
        user, nice, system, idle, wait, interrupts, soft = map(int, words[1:8])
        busy, left = busy + user + nice + system + interrupts + soft, left + idle + wait
        stolen += sum(map(int, words[8:9]))
    if not busy + left:
        raise ValueError("not understood: %r" % text[:40])
    return busy, left, stolen


def parse_process(text: str) -> ProcessStat:
    """Return what a ``/proc/N/stat`` says. The program's name is in parentheses, and may have blanks and parentheses itself.

    >>> parse_process("42 (a) b) S 7 42 42 0 -1 4194560 9 0 0 0 30 4 2 1 20 0 1 0 5 1000 250 1844")
    ProcessStat(number=42, parent=7, ticks=37, pages=250, began=5)

    Raises
    ------
    ValueError
        If it is something else.
    """
    number, _, rest = text.partition(" (")
    words = rest.rpartition(") ")[2].split()
    if len(words) < 22:
        raise ValueError("not understood: %r" % text[:40])
    return ProcessStat(int(number), int(words[1]), sum(map(int, words[11:15])), int(words[21]), int(words[19]))


def _processes(host: Host) -> Dict[int, ProcessStat]:
    """Return the processes of the machine; none if there are too many to look at."""
    numbers = [name for name in host.list_names("/proc") if name.isdigit()]
    found: Dict[int, ProcessStat] = {}
    for name in numbers if len(numbers) <= _MOST_PROCESSES else ():
        try:
            process = parse_process(host.read_text("/proc/%s/stat" % name, 4096))
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        found[process.number] = process
    return found
