"""Training results in a log: a rising loss, the same tensor printed with different values. Only a weak sign. Pure."""

import math
from typing import List, Optional, Sequence, Tuple

#: Number of epochs in a row in which the loss must rise, and by what factor in total.
_RISES = ((5, 1.5), (4, 2.0))

#: Values that should be equal differ by less than this, relatively; larger differences are other values.
_CLOSE = 0.01


def rising_loss(losses: Sequence[float]) -> Optional[str]:
    """Return a sentence if the training loss rises for several epochs, or becomes NaN or infinite."""
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
    """Return a sentence if a tensor was printed twice with slightly different values, or with NaN in one of them.

    Two tensors count as the same if the text after their values (shape, type, device) is the same.
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
