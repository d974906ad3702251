"""What a log shows of results: losses that rise, the same tensor printed with other values. A weak sign, never more. Pure."""

import math
from typing import List, Optional, Sequence, Tuple

__all__ = ["different_tensors", "rising_loss"]

#: So many epochs in a row the loss has to rise, and so much in all.
_RISES = ((5, 1.5), (4, 2.0))

#: Values that are meant to be the same differ by less than this, relatively; others are other values.
_CLOSE = 0.01


def rising_loss(losses: Sequence[float]) -> Optional[str]:
    """Say that the loss of training rises, where it does so for several epochs, or stops being a number."""
    finite = [value for value in losses if math.isfinite(value)]
    if finite and len(finite) < len(losses) and math.isfinite(losses[0]):
        return "The training loss becomes %s after %g." % ("not a number", finite[-1])
    for count, factor in _RISES:
        last = list(losses[-count:])
        if len(last) == count and last[-1] >= factor * last[0] and all(one < two for one, two in zip(last, last[1:])):
            return _rises(last)
    return None


def _rises(last: Sequence[float]) -> str:
    return "The training loss rises from epoch to epoch: %s." % ", ".join("%g" % value for value in last)


def different_tensors(printed: Sequence[Tuple[str, str]]) -> Optional[str]:
    """Say that a tensor was printed twice with values that are nearly, or not even nearly, the same.

    Two tensors count as the same where what stands behind their values (shape, type, device) is the same.
    """
    for (one, kind), (two, other) in zip(printed, printed[1:]):
        if kind != other or one == two:
            continue
        left, right = _numbers(one), _numbers(two)
        if not left or len(left) != len(right):
            continue
        for a, b in zip(left, right):
            if math.isfinite(a) != math.isfinite(b):
                return "The same computation gives %s once and %s another time." % (one.strip(), two.strip())
            if a != b and math.isfinite(a) and abs(a - b) <= _CLOSE * max(abs(a), abs(b)):
                return "The same computation gives %s once and %s another time." % (one.strip(), two.strip())
    return None


def _numbers(text: str) -> List[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []
