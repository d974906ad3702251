"""The verdict on one array of a layer, with an eye on how far rounding of the layer's inputs would have moved it."""

from typing import NamedTuple, Optional

import numpy as np

from ..measures import measure
from ..result import Difference, Measure
from ..tolerance import tolerance, unit_roundoff
from ..verdict import Expected, judge
from .reference import Reference
from .runner import Work

#: How often the reference is computed again with its inputs moved by as much as rounding may move them, if something is
#: outside its tolerance; more often where few elements are left. A gradient jumps where an input is at a kink, as relu's,
#: and whether a certain one does is a matter of chance.
_TIMES = (2, 6, 30)

#: What part of the elements is few.
_FEW = 0.05

#: How many times as far as the moved references an element may be.
_MARGIN = 4.0

#: Elements from which an array is looked at quickly the second time.
_LARGE = 4096

#: Where a reference moves by so much of its size, it holds nothing but rounding.
_NOISE = 0.25


class Check(NamedTuple):
    """One array of a layer, and what it should be.

    Attributes
    ----------
    subject : Difference
        What the array is.
    actual : numpy.ndarray
    expected : Expected
        The reference is an array.
    place : int
        Of the reference in `Reference.arrays`.
    """

    subject: Difference
    actual: np.ndarray
    expected: Expected
    place: int


class Rounding(NamedTuple):
    """How far rounding of a layer's inputs moves its results: ``seed`` says how the inputs are moved."""

    reference: Reference
    work: Work
    seed: int

    def furthest(self, place: int, size: float, times: int) -> Optional[np.ndarray]:
        """Return how far each element of an array moves; None if that is unknown, or not finite everywhere."""
        found = self.reference.envelope(self.work, size, self.seed, times)[place]
        return found if found is not None and np.all(np.isfinite(found)) else None


def is_plainly_good(check: Check) -> bool:
    """Whether a large array is within half its tolerance, without figures: those of its first verdict are kept."""
    actual, right, dtype = check.actual, check.expected.reference, check.expected.dtype
    if actual.size < _LARGE or actual.shape != right.shape or "float" not in dtype:
        return False
    with np.errstate(all="ignore"):
        furthest = float(np.max(np.abs(actual - right)))
        sizes = np.abs(right.reshape(-1)[:: max(1, right.size // _LARGE)])
        size = min(float(np.sqrt(np.mean(sizes**2))), 16.0 * float(np.median(sizes)))
    return (
        furthest <= 0.5 * tolerance(dtype, accumulation=check.expected.accumulation, depth=check.expected.depth) * size
    )


def verdict_on(check: Check, rounding: Rounding) -> Difference:
    """Judge one array; if it is outside its tolerance, look at how far rounding of the inputs would have moved it."""
    subject, actual, expected, place = check
    right, dtype = expected.reference, expected.dtype
    first = judge(subject, actual, expected)
    if first.verdict == "agrees" or "float" not in dtype or actual.shape != right.shape or first.measure is None:
        return first
    limit = tolerance(dtype, accumulation=expected.accumulation)
    distance = _distance(actual, right)
    whole = subject.kind == "model"
    for times in _TIMES[:2] if whole else _TIMES:
        furthest = rounding.furthest(place, limit, times)
        if furthest is None:
            return first
        noise = float(np.mean(furthest)) > _NOISE * float(np.mean(np.abs(right)))
        if noise:
            # All of the reference cancels, as for the bias of an attention's keys: what is left is float64's own rounding.
            furthest = furthest * (unit_roundoff(dtype) / unit_roundoff("float64"))
        allowed = _MARGIN * (furthest + float(np.mean(furthest)))
        if whole and "gradient" in subject.what and np.mean(distance > allowed) <= _FEW:
            size = float(np.sqrt(np.mean(np.square(right))))
            allowed = np.maximum(allowed, _MARGIN * rounding.reference.largest_move(limit) * size)
        again = judge(subject, np.where(distance <= allowed, right, actual), expected)
        if again.verdict == "agrees":
            detail = "badly conditioned: rounding of its inputs moves it as far (%.2g of the elements)"
            again = _joined(again, detail % float(np.mean(distance > 0)))
            return again if noise else _with_real_error(again, first.measure, allowed, expected)
        if np.mean(distance > allowed) > _FEW:
            return first
    return first


def coarse_verdict(item: Difference, arithmetic: str, check: Check, rounding: Rounding) -> Difference:
    """Look again at a gradient that is outside its tolerance, of a layer whose output shows a coarser arithmetic.

    If such an arithmetic moves what goes into relu or a pooling over a kink, the gradient jumps: that is the same coarse
    arithmetic, and no other fault. The inputs are moved as far as it may move them.
    """
    actual, expected = check.actual, check.expected
    right = expected.reference
    if actual.shape != right.shape or item.measure is None:
        return item
    limit = tolerance(expected.dtype, accumulation=expected.accumulation, depth=expected.depth, arithmetic=arithmetic)
    furthest = rounding.furthest(check.place, limit, _TIMES[-1])
    if furthest is None:
        return item
    with np.errstate(all="ignore"):
        size = float(np.sqrt(np.mean(np.square(right))))
    if not np.all(_distance(actual, right) <= _MARGIN * (furthest + float(np.mean(furthest))) + limit * size):
        return item
    detail = "as far as %s moves it over kinks" % arithmetic
    return item.replace(verdict="reduced-precision", arithmetic=arithmetic, detail=detail)


def _distance(actual: np.ndarray, right: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        distance: np.ndarray = np.abs(actual.astype(np.float64) - right.astype(np.float64))
    return distance


def _joined(item: Difference, detail: str) -> Difference:
    return item.replace(detail="; ".join(filter(None, (item.detail, detail))))


def _with_real_error(item: Difference, real: Measure, allowed: np.ndarray, expected: Expected) -> Difference:
    """Give the error as it is, next to the largest that would have passed."""
    right = expected.reference
    most = measure(right + allowed, right, dtype=expected.dtype, tolerance=0.0).max_relative_error
    return item.replace(measure=real.replace(tolerance=max(real.tolerance, most)))
