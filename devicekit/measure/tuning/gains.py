"""A gain distinguished from noise, from pairs of blocks of steps that took turns. Pure.

Speeds on a shared machine drift by more than most settings bring. Two processes that take turns, block by block, meet
the same drift, so that the ratio of two neighboring blocks is free of most of it; the median of these ratios is free
of single bad blocks. What is left differs from process to process (where memory lies, which core a thread got): that
is seen in the ratio of two processes with the same settings, and a gain must be larger than it.
"""

import math
from statistics import median
from typing import NamedTuple, Sequence, Tuple

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
