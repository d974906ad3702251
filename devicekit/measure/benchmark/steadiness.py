"""Warm-up distinguished from steady state, from the times of the steps alone. Pure.

The first steps of a program trace, compile, choose algorithms and fill caches; how many they are differs between
devices by orders of magnitude. So a fixed number of warm-up steps is only a beginning: warm-up goes on as long as the
times still fall (Georges, Buytaert and Eeckhout 2007, "Statistically rigorous Java performance evaluation"; Barrett and
others 2017, "Virtual machine warmup blows hot and cold"), up to a limit, and what was measured is tested for a trend.

Trend: the test of Mann (1945) and Kendall, which looks at the order of all pairs only, so that single slow steps do not
matter, and the slope of Sen (1968), the median of the slopes of all pairs.
"""

from statistics import median
from typing import Optional, Sequence

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
