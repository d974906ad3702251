"""When a step is synchronized, and what is kept of the others: a bounded number of figures for any training. Pure."""

import heapq
from typing import List, Optional, Tuple

from .training_record import StepSample, StepWindow

#: Steps at the beginning that trace, compile and fill caches; they count for nothing but `first_step_s`.
WARM_UP = 3

#: The pauses between synchronized steps: short at first, so that a short training has samples, then long, since a synchronized
#: step cannot overlap with the one before.
_FIRST_PAUSES = (4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80)
_PAUSE = 120

_WINDOW_S = 1.0
_MOST = 400
_LONGEST = 20


class StepClock:
    """Takes the times of the steps, and makes samples and windows of them."""

    def __init__(self) -> None:
        self.steps = 0
        self.first_step_s: Optional[float] = None
        self.samples: List[StepSample] = []
        self._windows: List[StepWindow] = []
        self._open: Optional[StepWindow] = None
        self._longest: List[float] = []
        self._last_end: Optional[float] = None
        self._next_sample = WARM_UP + 1
        self._sampled = self._thinned = 0
        self._beside_sample = False

    def due(self) -> bool:
        """Return whether the step that begins now shall be synchronized."""
        return self.steps >= self._next_sample

    def pause(self) -> None:
        """Forget when the last step ended: what comes now (an epoch's end, a validation) is left out."""
        self._last_end = None

    def gap(self, began_s: float) -> Optional[float]:
        """Return the seconds since the end of the step before, None for the first of an epoch."""
        return None if self._last_end is None else max(0.0, began_s - self._last_end)

    def sampled(self, sample: StepSample, ended_s: float) -> None:
        """Take a synchronized step."""
        self.samples.append(sample)
        if len(self.samples) > _MOST:
            self.samples = self.samples[::2]
            self._thinned += 1
        pause = _FIRST_PAUSES[self._sampled] if self._sampled < len(_FIRST_PAUSES) else _PAUSE * 2**self._thinned
        self._sampled += 1
        self.steps += 1
        self._next_sample = self.steps + pause
        self._last_end, self._beside_sample = ended_s, True

    def stepped(self, began_s: float, ended_s: float, wait_s: Optional[float]) -> None:
        """Take a step that was not synchronized."""
        period_s = None if self._last_end is None else ended_s - self._last_end
        if self.steps == 0:
            self.first_step_s = ended_s - began_s
        if self.steps >= WARM_UP and period_s is not None and not self._beside_sample:
            self._add(ended_s, period_s, wait_s)
        self.steps += 1
        self._last_end, self._beside_sample = ended_s, False

    def _add(self, ended_s: float, period_s: float, wait_s: Optional[float]) -> None:
        if len(self._longest) < _LONGEST:
            heapq.heappush(self._longest, period_s)
        else:
            heapq.heappushpop(self._longest, period_s)
        window = self._open or StepWindow(ended_s - period_s, 0, 0.0, None if wait_s is None else 0.0)
        wait = None if wait_s is None or window.wait_s is None else window.wait_s + wait_s
        self._open = StepWindow(window.at_s, window.steps + 1, window.seconds + period_s, wait)
        if self._open.seconds >= _WINDOW_S:
            self._windows.append(self._open)
            self._open = None
            if len(self._windows) > _MOST:
                self._windows = merged(self._windows)

    def windows(self) -> Tuple[StepWindow, ...]:
        """Return the windows so far, the open one included."""
        return tuple(self._windows + ([self._open] if self._open is not None else []))

    def longest(self) -> Tuple[float, ...]:
        """Return the longest steps, the longest first."""
        return tuple(sorted(self._longest, reverse=True))


def merged(windows: List[StepWindow]) -> List[StepWindow]:
    """Return half as many windows: each two neighbors as one."""
    found = []
    for first, second in zip(windows[::2], windows[1::2]):
        waits = (first.wait_s, second.wait_s)
        wait = None if waits[0] is None or waits[1] is None else waits[0] + waits[1]
        found.append(StepWindow(first.at_s, first.steps + second.steps, first.seconds + second.seconds, wait))
    return found + windows[len(found) * 2 :]
