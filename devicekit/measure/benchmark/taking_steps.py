"""Takes the steps of a measurement: those of the warm-up, and those that count, which no other program disturbs.

Warm-up is distinguished from steady state by the times of the steps alone. The first steps of a program trace, compile,
choose algorithms and fill caches; how many they are differs between devices by orders of magnitude. So a fixed number of
warm-up steps is only a beginning: warm-up goes on as long as the times still fall (Georges, Buytaert and Eeckhout 2007,
"Statistically rigorous Java performance evaluation"; Barrett and others 2017, "Virtual machine warmup blows hot and cold"),
up to a limit, and what was measured is tested for a trend.

Trend: the test of Mann (1945) and Kendall, which looks at the order of all pairs only, so that single slow steps do not
matter, and the slope of Sen (1968), the median of the slopes of all pairs.
"""

import glob
import os
import time
from statistics import median
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set

from .step_loop import Loop

_RAPL = "/sys/class/powercap/intel-rapl:[0-9]"


class EnergyMeter:
    """Reads a counter of energy.

    Parameters
    ----------
    read : callable or None
        Returns joules since some time in the past, None if it cannot.
    """

    def __init__(self, read: Optional[Callable[[], Optional[float]]] = None) -> None:
        self._read = read

    def joules(self) -> Optional[float]:
        """Return what the counter shows; None if there is none."""
        return None if self._read is None else self._read()


def meter_of(platform: str, uuid: str) -> EnergyMeter:
    """Return the meter of a device.

    Parameters
    ----------
    platform : str
        As in `Selection.platform`.
    uuid : str
        Of an NVIDIA GPU; without it there is no meter.
    """
    if platform == "cuda" and uuid:
        return EnergyMeter(_nvml(uuid))
    if platform == "cpu":
        paths = sorted(glob.glob(_RAPL + "/energy_uj"))
        return EnergyMeter((lambda: _rapl(paths)) if paths and _rapl(paths) is not None else None)
    return EnergyMeter()


def _rapl(paths: List[str]) -> Optional[float]:
    """Return the joules of all packages."""
    total = 0
    for path in paths:
        try:
            with open(path, encoding="ascii") as stream:
                total += int(stream.read())
        except (OSError, ValueError):
            return None
    return total / 1e6


def _nvml(uuid: str) -> Optional[Callable[[], Optional[float]]]:
    try:
        import pynvml  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(uuid.encode("ascii"))
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    except pynvml.NVMLError:
        return None

    def read() -> Optional[float]:
        try:
            return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000.0
        except pynvml.NVMLError:
            return None

    return read


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


#: Seconds of steps that are judged together: over less, the system's counters of time are too coarse.
_WINDOW_S = 1.0

#: Of a measurement without a limit of time: it ends after so many times the steps that were asked for.
_MOST_TRIES = 4


class Steps(NamedTuple):
    """What was measured.

    Attributes
    ----------
    warmup, seconds : list of float
        Seconds of each step.
    loaded : int
        Steps that don't count, because other programs were busy.
    load : float or None
        Share of the processors that others used during the steps that count.
    under_load : bool
        Whether there are too few undisturbed steps, so that the disturbed ones count.
    energy_joules : float or None
        What the device took for the steps that count.
    """

    warmup: List[float]
    seconds: List[float]
    loaded: int
    load: Optional[float]
    under_load: bool
    energy_joules: Optional[float]


class _Window(NamedTuple):
    steps: List[float]
    load: Optional[Load]
    energy_joules: Optional[float]

    @property
    def quiet(self) -> bool:
        return self.load is None or not self.load.busy


class _Taker:
    """Takes steps one by one, and says now and then how far it is."""

    def __init__(self, loop: Loop, say: Callable[..., None], clock: Callable[[], float]) -> None:
        self._loop, self._say, self.clock, self._said = loop, say, clock, 0.0

    def take(self, stage: str, done: int, of: int) -> float:
        before = self.clock()
        if before - self._said >= 0.5:
            self._said = before
            self._say(stage=stage, done=done, of=of)
        before = self.clock()
        self._loop.step()
        return self.clock() - before


def take_steps(
    loop: Loop,
    task: Dict[str, Any],
    say: Callable[..., None],
    meter: EnergyMeter,
    watch: Any = None,
    clock: Any = time.perf_counter,
) -> Steps:
    """Take the steps of the warm-up, then those that count.

    Parameters
    ----------
    loop : Loop
    task : dict
        See `devicekit.measure.benchmark.child.measure`.
    say : callable
    meter : EnergyMeter
    watch : LoadWatch or None
    clock : callable
    """
    budget = float(task["seconds"]) if task["seconds"] else float("inf")
    count, least = int(task["num_batches"]), min(int(task["num_batches"]), int(task["min_batches"]))
    taker = _Taker(loop, say, clock)
    # The first step is traced and compiled in most frameworks: neither its time nor what it takes of the limit counts.
    warmup = [taker.take("compile", 0, 1)]
    began = clock()
    _warm_up(taker, warmup, int(task["num_warmup_batches"]), budget)
    watch, windows, quiet, taken = watch or LoadWatch(), [], 0, 0
    while quiet < count:
        window = _window(taker, count - quiet, quiet, count, watch, meter)
        windows.append(window)
        taken += len(window.steps)
        quiet += len(window.steps) if window.quiet else 0
        spent = clock() - began > budget
        if (spent and taken >= least) or taken >= _MOST_TRIES * count:
            break
    return _summary(warmup, windows, least)


def _warm_up(taker: _Taker, warmup: List[float], least: int, budget: float) -> None:
    """Take steps until they don't get faster any more, for half of the time at most."""
    began, least = taker.clock(), max(1, least)
    while len(warmup) < least or (still_warming(warmup) and len(warmup) < 10 * least):
        warmup.append(taker.take("warm-up", len(warmup), least))
        if taker.clock() - began > budget / 2:
            break


def _window(taker: _Taker, most: int, done: int, of: int, watch: LoadWatch, meter: EnergyMeter) -> _Window:
    steps: List[float] = []
    watch.begin()
    energy = meter.joules()
    began = taker.clock()
    while not steps or (len(steps) < most and taker.clock() - began < _WINDOW_S):
        steps.append(taker.take("measure", done + len(steps), of))
    after, load = meter.joules(), watch.end()
    # Counters of processors begin again at zero after some thousands of seconds.
    unknown = energy is None or after is None or after < energy
    return _Window(steps, load, None if unknown else (after or 0.0) - (energy or 0.0))


def _summary(warmup: List[float], windows: List[_Window], least: int) -> Steps:
    quiet = [window for window in windows if window.quiet]
    enough = sum(len(window.steps) for window in quiet) >= max(least, 1)
    counted = quiet if enough else windows
    loads = [window.load for window in counted if window.load is not None]
    span = sum(load.seconds for load in loads)
    energies = [window.energy_joules for window in counted]
    return Steps(
        warmup,
        [seconds for window in counted for seconds in window.steps],
        sum(len(window.steps) for window in windows if window not in counted),
        sum(load.share * load.seconds for load in loads) / span if span else None,
        not enough,
        None if None in energies else sum(energy for energy in energies if energy is not None),
    )


#: So many of the last steps are looked at.
_WINDOW = 5

#: A change over all steps that is smaller than this part of a step's time is none that matters.
_SMALLEST_CHANGE = 0.05

#: The normal distribution's quantile for a test at 1 % on both sides.
_LIMIT = 2.576

#: The longest series of which all pairs are looked at.
_MOST = 400


def still_warming(seconds: Sequence[float]) -> bool:
    """Return whether the last steps were still getting faster.

    Parameters
    ----------
    seconds : sequence of float
        Times of the warm-up's steps so far; the first, in which the program is traced and compiled, does not count.
    """
    window = list(seconds[1:])[-_WINDOW:]
    if len(window) < 3:
        return False
    falling = _concordance(window) <= -(len(window) * (len(window) - 1) // 2 - 2)
    return falling and window[0] - window[-1] > _SMALLEST_CHANGE * median(window)


def trend(seconds: Sequence[float]) -> Optional[float]:
    """Return by which part of a step's time the steps got slower (or faster: negative) from the first to the last.

    None if chance explains it, or there are fewer than six steps.
    """
    values = list(seconds)
    count = len(values)
    if count < 6:
        return None
    if count > _MOST:
        values = values[:: count // _MOST + 1]
        count = len(values)
    score = _concordance(values)
    deviation = (count * (count - 1) * (2 * count + 5) / 18.0) ** 0.5
    if abs(score) - 1 <= _LIMIT * deviation:
        return None
    slopes = [
        (values[later] - values[earlier]) / (later - earlier)
        for earlier in range(count)
        for later in range(earlier + 1, count)
    ]
    return median(slopes) * (count - 1) / median(values)


def is_steady(seconds: Sequence[float]) -> bool:
    """Return whether the steps show no trend that matters."""
    change = trend(seconds)
    return change is None or abs(change) <= _SMALLEST_CHANGE


def _concordance(values: Sequence[float]) -> int:
    """Pairs that rise minus pairs that fall."""
    return sum(
        (later > earlier) - (later < earlier)
        for position, earlier in enumerate(values)
        for later in values[position + 1 :]
    )
