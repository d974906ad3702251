"""Two workers that train in turns, block by block, under the orders of this process; and what is a gain, and what noise.

Speeds on a shared machine drift by more than most settings bring. Two processes that take turns, block by block, meet
the same drift, so that the ratio of two neighboring blocks is free of most of it; the median of these ratios is free
of single bad blocks. What is left differs from process to process (where memory lies, which core a thread got): that
is seen in the ratio of two processes with the same settings, and a gain must be larger than it.
"""

import math
import os
import queue
import threading
import time
from contextlib import ExitStack
from statistics import median
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ...children.call import ChildReport, run_child
from ...errors import DevicekitError
from ...runtime.scratch import scratch_folder

_FUNCTION = "devicekit.measure.tuning.child:take_turns"

#: Pairs of blocks. Fewer say nothing of their noise.
_FEWEST, _MOST = 4, 12


#: A gain that is smaller is not worth a setting, however sure it is.
_SMALLEST = 0.03

#: Standard errors.
_SURE = 2.0

#: Consistent with the normal distribution's: 1.4826 times the median absolute deviation is its standard deviation, and the
#: median's standard error is 1.2533 times the mean's.
_DEVIATION = 1.4826
_MEDIAN = 1.2533


class Gain(NamedTuple):
    """A ratio of speeds and its standard error, both of the logarithm."""

    logarithm: float
    error: float

    @property
    def ratio(self) -> float:
        """How many times as fast."""
        return math.exp(self.logarithm)

    def wins(self, noise: "Noise") -> bool:
        """Whether it is more than chance, more than the noise, and more than nothing worth a setting."""
        return self.logarithm - _SURE * self.error > 0 and self.logarithm > noise.logarithm


class Noise(NamedTuple):
    """The largest ratio that says nothing, as a logarithm."""

    logarithm: float

    @property
    def ratio(self) -> float:
        """As a ratio of speeds."""
        return math.exp(self.logarithm)


def gain_of(pairs: Sequence[Tuple[float, float]]) -> Gain:
    """Return the gain from the seconds of a step without and with the setting, pair by pair.

    Parameters
    ----------
    pairs : sequence of (float, float)
        At least one.
    """
    logarithms = [math.log(before / after) for before, after in pairs]
    middle = median(logarithms)
    if len(logarithms) < 3:
        return Gain(middle, abs(max(logarithms) - min(logarithms)) or abs(middle))
    deviation = _DEVIATION * median([abs(item - middle) for item in logarithms])
    return Gain(middle, _MEDIAN * deviation / math.sqrt(len(logarithms)))


def noise_of(same: Gain) -> Noise:
    """Return the noise from the "gain" of a process with the same settings."""
    return Noise(max(math.log1p(_SMALLEST), abs(same.logarithm) + same.error))


class RacerEnded(DevicekitError):
    """A worker ended, or took too long, before it had done what it was told; the message says why.

    Attributes
    ----------
    racer : Racer
    """

    def __init__(self, message: str, racer: "Racer") -> None:
        super().__init__(message)
        self.racer = racer


class _Abandoned(Exception):
    """No one waits for the worker any more."""


class Racer:
    """A worker that trains on command. A context manager: it is ended in any case.

    Parameters
    ----------
    task : dict
        See `devicekit.measure.tuning.child.take_turns`; the folder is added.
    environment : sequence of (str, str or None)
        Variables to set or to remove.
    timeout_s : float
        Seconds after which it is ended, whatever it does.
    tick : callable
        Called now and then while it is waited for.
    """

    def __init__(
        self,
        task: Dict[str, Any],
        environment: Sequence[Tuple[str, Optional[str]]],
        timeout_s: float,
        tick: Callable[[], None],
    ) -> None:
        self._task, self._environment, self._timeout_s, self._tick = task, environment, timeout_s, tick
        self._said: "queue.Queue[Any]" = queue.Queue()
        self._orders = 0
        self._abandoned = False
        self.ready: Dict[str, Any] = {}

    def __enter__(self) -> "Racer":
        self._stack = ExitStack()
        self._folder = self._stack.enter_context(scratch_folder())
        self._thread = threading.Thread(target=self._run, name="devicekit-tune", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._abandoned = error[0] is not None
        if not self._abandoned:
            self._order("stop")
            self._thread.join(5.0)
        self._abandoned = True
        self._thread.join()
        self._stack.__exit__(*error)

    def _run(self) -> None:
        try:
            report = run_child(
                _FUNCTION,
                dict(self._task, folder=self._folder),
                timeout_s=self._timeout_s,
                environment=self._environment,
                on_message=self._said.put,
                tick=self._end_where_abandoned,
            )
            self._said.put(report)
        except _Abandoned:
            return
        except BaseException as error:  # belongs to the thread that waits
            self._said.put(error)

    def _end_where_abandoned(self) -> None:
        if self._abandoned:
            raise _Abandoned()

    def _order(self, text: str) -> None:
        path = os.path.join(self._folder, "order-%d" % self._orders)
        with open(path + ".new", "w", encoding="ascii") as stream:
            stream.write(text)
        os.replace(path + ".new", path)  # as a whole: the worker looks for it all the time
        self._orders += 1

    def wait(self, stage: str, timeout_s: float) -> Dict[str, Any]:
        """Return what the worker says when it comes to a stage.

        Raises
        ------
        RacerEnded
            If it does not within the time, or ends before.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise RacerEnded("it took more than %.0f s" % timeout_s, self)
            try:
                message = self._said.get(timeout=min(left, 0.5))
            except queue.Empty:
                self._tick()
                continue
            if isinstance(message, BaseException):
                raise message
            if isinstance(message, ChildReport):
                raise RacerEnded(_why(message), self)
            if message.get("stage") == stage:
                return dict(message)

    def warm_up(self, timeout_s: float) -> None:
        """Wait until the worker is ready to train; ``ready`` holds what it said of itself."""
        self.ready = self.wait("ready", timeout_s)

    def block(self, timeout_s: float) -> float:
        """Let the worker train for a block; return the seconds of a step."""
        self._order("block")
        done = self.wait("block", timeout_s)
        return float(done["seconds"]) / int(done["steps"])

    def check(self, timeout_s: float, controls: bool = False) -> Dict[str, Any]:
        """Let the worker train again for the comparison; see `devicekit.measure.tuning.check_child.train`."""
        self._order("controls" if controls else "check")
        return self.wait("check", timeout_s)


def race(base: Racer, other: Racer, seconds: float, noise: Optional[Noise] = None) -> Gain:
    """Return the gain of a worker over another, from pairs of blocks in the order ABBA.

    Parameters
    ----------
    base, other : Racer
        Both ready.
    seconds : float
        After this many no more pairs are begun, but four are measured in any case.
    noise : Noise or None
        If the gain is more than this and not sure yet, it goes on, for three times the seconds at most.

    Raises
    ------
    RacerEnded
        If one of them ends.
    """
    began = time.monotonic()
    pairs: List[Tuple[float, float]] = []
    # A block may meet a machine that is many times as busy as in the warm-up.
    limit = 60.0 + 20.0 * (base.ready["step_s"] + other.ready["step_s"])
    while True:
        if len(pairs) % 2:
            after = other.block(limit)
            before = base.block(limit)
        else:
            before = base.block(limit)
            after = other.block(limit)
        pairs.append((before, after))
        if len(pairs) < _FEWEST:
            continue
        gain, taken = gain_of(pairs), time.monotonic() - began
        unsure = noise is not None and gain.logarithm > noise.logarithm and not gain.wins(noise)
        if (taken >= seconds or len(pairs) >= _MOST) and not (
            unsure and taken < 3 * seconds and len(pairs) < 3 * _MOST
        ):
            return gain


def _why(report: ChildReport) -> str:
    from ..benchmark.outcome import problem_of

    return problem_of(report).rstrip(".")
