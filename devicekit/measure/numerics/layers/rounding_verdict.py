"""The verdict on one array of a layer, with an eye on how far rounding of the layer's inputs would have moved it."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ....runtime.frameworks.keras_model import public_class
from ..measures import measure, plain_measure
from ..recognize import wrong_elements
from ..result import Difference, Measure
from ..tolerance import FORMATS, tolerance, unit_roundoff
from ..verdict import Expected, judge, noted, shown_terms
from .reference import Reference, arrays_in, distance
from .runner import Work
from .ways import without_subnormals

#: How often the reference is computed again with its inputs moved by as much as rounding may move them, if something is
#: outside its tolerance; more often where few elements are left. A gradient jumps where an input is at a kink, as relu's,
#: and whether a certain one does is a matter of chance.
_TIMES = (2, 6, 30)

#: What part of the elements is few.
_FEW = 0.05

#: How many times as far as the moved references an element may be; and beyond how many times that more of them do not help.
_MARGIN = 4.0
_HOPELESS = 8.0

#: How many times as far as the inputs a result moves on average if it is chaotic.
_CHAOTIC = 100.0

#: Rounding in float64 moves nothing by more than this part of the largest number of a layer; what moves further jumps.
_JUMP = 2.0**-40

_OVERFLOWN = "%d elements are as on the CPU in %s, where something overflows that does not in float64"
SATURATED = "the activation is saturated: its gradient's terms cancel"
CONSTANT = "what is normalized is constant: its variance is what rounding leaves"

#: A factor is common to all elements from this many unit roundoffs on, if it is as many times what their errors leave open,
#: and if there are as many elements of about one size.
_COMMON = 4.0
_SURE = 6.0
_ENOUGH = 16.0
_FLUSHED = "subnormal numbers are flushed to zero"


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
    """How far rounding of what a layer gets and computes moves its results: ``seed`` says how its inputs are moved."""

    reference: Reference
    work: Work
    seed: int

    def furthest(self, place: int, size: float, times: int, arithmetic: str) -> Optional[np.ndarray]:
        """Return how far each element of an array moves; None if that is unknown, or not finite everywhere.

        What is computed in between is rounded, too, and where large terms of that cancel, as in the gradient of an attention
        whose keys are alike, the inputs say nothing of it. If they are moved by as little as float64 rounds, its own
        rounding shows: that of a coarser arithmetic is as much larger as its unit roundoff.
        """
        found = self.reference.envelope(self.work, size, self.seed, times)[place]
        if found is None or not np.all(np.isfinite(found)):
            return None
        if not self.reference.note:
            enlarged = unit_roundoff(arithmetic) / unit_roundoff("float64")
            least = self.reference.envelope(self.work, size / enlarged, self.seed, times)[place]
            if least is not None:
                jumps = ~(least <= _JUMP * self.reference.largest)
                found = np.maximum(found, np.where(jumps, 0.0, least * enlarged))
        return found


def plain_verdict(check: Check) -> Optional[Difference]:
    """Return the verdict on an array that is within its tolerance, looked at once; None if it takes a closer look."""
    expected = check.expected
    limit = tolerance(expected.dtype, accumulation=expected.accumulation, depth=expected.depth)
    magnitude = shown_terms(expected)
    figures = plain_measure(
        check.actual, expected.reference, dtype=expected.dtype, tolerance=limit, magnitude=magnitude
    )
    if figures is None:
        return None
    arithmetic = expected.dtype if expected.dtype in FORMATS else ""
    detail = _FLUSHED if magnitude is not None and np.any((check.actual == 0) & (expected.reference != 0)) else ""
    return check.subject.replace(verdict="agrees", measure=figures, arithmetic=arithmetic, detail=detail)


def row_sizes(right: np.ndarray, dtype: str, accumulation: int) -> Optional[np.ndarray]:
    """Return `Expected.magnitude` for examples of very different sizes: each element is as large as its example.

    Examples of subnormal numbers are larger: a device may take those for zero.
    """
    form = FORMATS.get(dtype)
    if form is None or right.ndim < 2 or right.dtype.kind != "f" or not right.size:
        return None
    squares = np.where(np.isfinite(right), right, 0.0).astype(np.float64) ** 2
    size = np.sqrt(squares.mean(axis=tuple(range(1, right.ndim)), keepdims=True))
    size = np.maximum(size, form.smallest_normal / form.unit_roundoff)
    result: np.ndarray = np.broadcast_to(size * math.sqrt(accumulation), right.shape)
    return result


def stress_verdict(check: Check, rounding: Rounding) -> Difference:
    """Judge one array that was computed for inputs at the corners: as exact as the CPU in the same dtype is enough there.

    An example in which the CPU itself is far off, as one of subnormal numbers, says nothing of the others.
    """
    baseline, expected = rounding.reference.in_own_dtype(rounding.work)[check.place], check.expected
    right, dtype = expected.reference, expected.dtype
    if "float" not in dtype and check.actual.shape == right.shape:
        # Which of some numbers is the largest depends on whether subnormal ones are zero, then all are.
        check = check._replace(actual=np.where(_subnormal_rows(rounding.work, right), right, check.actual))
    if baseline is not None and baseline.shape == right.shape == check.actual.shape and right.ndim > 1:
        limit = tolerance(dtype, accumulation=expected.accumulation, depth=expected.depth)
        wrong = wrong_elements(baseline, right, dtype=dtype, tolerance=limit, magnitude=shown_terms(expected))
        off = wrong.reshape(len(wrong), -1).any(axis=1).reshape((-1,) + (1,) * (right.ndim - 1))
        others = check._replace(actual=np.where(off, right, check.actual))
        found = _as_exact(others, np.where(off, right, baseline), rounding)
        if found.verdict != "agrees":
            return found
    return _as_exact(check, baseline, rounding)


def _subnormal_rows(work: Work, result: np.ndarray) -> np.ndarray:
    """Return which examples of a result have subnormal numbers among their inputs, to be broadcast over it."""
    found = np.zeros(result.shape[:1] + (1,) * (result.ndim - 1), bool)
    for one, other in zip(work.leaves, without_subnormals(work).leaves):
        array = getattr(one, "array", None)
        if array is not None and result.ndim and array.shape[:1] == result.shape[:1]:
            found |= (array != other.array).reshape(len(array), -1).any(axis=1).reshape(found.shape)
    return found


def _as_exact(check: Check, baseline: Any, rounding: Rounding) -> Difference:
    """Judge one array; a device may take subnormal numbers that go in for zero."""
    expected = check.expected.replace(baseline=baseline)
    found = judge(check.subject, check.actual, expected)
    if found.verdict == "agrees" or check.actual.shape != expected.reference.shape:
        return found
    flushed = rounding.reference.in_own_dtype(without_subnormals(rounding.work))[check.place]
    if flushed is None or flushed.shape != check.actual.shape:
        return found
    with np.errstate(all="ignore"):
        same = np.isclose(
            check.actual.astype(np.float64), flushed.astype(np.float64), rtol=1e-5, atol=0, equal_nan=True
        )
    again = judge(check.subject, np.where(same, expected.reference, check.actual), expected)
    return noted(again, _FLUSHED) if again.verdict == "agrees" else found


def verdict_on(check: Check, rounding: Rounding) -> Difference:
    """Judge one array; if it is outside its tolerance, look at how far rounding of the inputs would have moved it."""
    subject, actual, expected, place = check
    right, dtype = expected.reference, expected.dtype
    first = judge(subject, actual, expected)
    if first.verdict == "agrees" or "float" not in dtype or actual.shape != right.shape or first.measure is None:
        return first
    flushed = _without_subnormals(check, rounding)
    if flushed is not None:
        return flushed
    overflown = _overflown(check, rounding)
    if np.any(overflown):
        excused = np.where(np.abs(right) > FORMATS[dtype].largest, np.copysign(np.inf, right), right)
        found: Difference = verdict_on(check._replace(actual=np.where(overflown, excused, actual)), rounding)
        found = noted(found, _OVERFLOWN % (int(np.sum(overflown)), dtype))
        return found.replace(verdict="not-compared") if found.verdict == "agrees" and subject.device == "cpu" else found
    limit = tolerance(dtype, accumulation=expected.accumulation)
    apart = distance(actual, right)
    whole = subject.kind == "model"
    for times in _TIMES:
        furthest = rounding.furthest(place, limit, times, dtype)
        if furthest is None:
            return first
        size, others = float(np.sqrt(np.mean(np.square(right)))), float(np.mean(furthest))
        if others > _CHAOTIC * limit * size:  # which elements leap is chance
            others = float(np.max(furthest))
        allowed = _MARGIN * (furthest + others)
        if whole and "gradient" in subject.what and np.mean(apart > allowed) <= _FEW:
            allowed = np.maximum(allowed, _MARGIN * rounding.reference.largest_move(limit) * size)
        again = judge(subject, np.where(apart <= allowed, right, actual), expected)
        if again.verdict == "agrees":
            detail = "badly conditioned: rounding of its inputs moves it as far (%.2g of the elements)"
            again = noted(again, detail % float(np.mean(apart > 0)))
            nothing_left = np.mean(allowed) > np.mean(np.abs(right))  # as of the bias of an attention's keys
            return again if nothing_left else _with_real_error(again, first.measure, allowed, expected)
        if np.mean(apart > _HOPELESS * allowed) > _FEW:
            return first
    return first


def _without_subnormals(check: Check, rounding: Rounding) -> Optional[Difference]:
    """Return the verdict on an array that is right for inputs whose subnormal numbers are zero; None if it is not."""
    given = without_subnormals(rounding.work)
    pairs = [(a.array, b.array) for a, b in zip(rounding.work.leaves, given.leaves) if hasattr(a, "array")]
    if all(np.array_equal(a, b, equal_nan=True) for a, b in pairs):
        return None
    right = arrays_in(rounding.reference.compute(given))[check.place]
    found = judge(check.subject, check.actual, check.expected.replace(reference=right))
    return noted(found, _FLUSHED) if found.verdict == "agrees" else None


def _overflown(check: Check, rounding: Rounding) -> np.ndarray:
    """Return which elements are what they are because something overflows: on the CPU in the same dtype they are the same.

    That is known of what is not finite, and if squares of the inputs overflow.
    """
    actual, (right, dtype) = check.actual, (check.expected.reference, check.expected.dtype)
    most = FORMATS[dtype].largest ** 0.5 if dtype in FORMATS else np.inf
    large = any(np.any(np.abs(rounding.work.leaves[i].array) > most) for i in rounding.work.inputs)
    own = (
        rounding.reference.in_own_dtype(rounding.work)[check.place]
        if large or not np.all(np.isfinite(actual))
        else None
    )
    if own is None or own.shape != right.shape:
        return np.zeros(right.shape, bool)
    with np.errstate(all="ignore"):
        alike = np.isclose(actual, own, rtol=1e-3, atol=0) & ~np.isclose(actual, right, rtol=1e-3, atol=0) & large
    found: np.ndarray = np.isfinite(right) & (alike | ~(np.isfinite(own) | np.isfinite(actual)))
    return found


def coarse_verdict(item: Difference, arithmetic: str, check: Check, rounding: Rounding) -> Difference:
    """Look again at an array that is outside its tolerance, of a layer or model that computes in a coarser arithmetic.

    If such an arithmetic moves what goes into relu or a pooling over a kink, the gradient jumps; an activation enlarges the
    errors of large inputs. That is the same coarse arithmetic, and no other fault. The inputs are moved as far as it may
    move them.
    """
    actual, expected = check.actual, check.expected
    right = expected.reference
    if actual.shape != right.shape or item.measure is None:
        return item
    summed = expected.accumulation
    limit = tolerance(expected.dtype, accumulation=summed, depth=expected.depth, arithmetic=arithmetic)
    furthest = rounding.furthest(check.place, limit, _TIMES[-1], arithmetic)
    if furthest is None:
        return item
    with np.errstate(all="ignore"):
        size = float(np.sqrt(np.mean(np.square(right))))
    if not np.all(distance(actual, right) <= _MARGIN * (furthest + float(np.mean(furthest))) + limit * size):
        return item
    detail = "as far as %s moves it" % arithmetic
    return item.replace(verdict="reduced-precision", arithmetic=arithmetic, detail=detail)


def saturated_verdict(found: Difference, check: Check, rounding: Rounding) -> Difference:
    """Look again at a gradient that has vanished, as behind an activation that is sure of every example.

    What is left of ``y * (g - sum(g * y))``, ``g * y * (1 - y)`` or ``g * (1 - y * y)`` is then far smaller than its terms,
    which are rounded. With smaller weights the gradient is as large as those. A fused attention rounds terms, too, that no
    weights show: what the CPU computes for inputs that are nearly the same is then as far apart as it is from what is right.
    """
    right, expected = check.expected.reference, check.expected
    if found.verdict == "agrees" or found.measure is None or check.actual.shape != right.shape:
        return found
    unit, work, reference = unit_roundoff(expected.dtype), rounding.work, rounding.reference
    terms = reference.vanished_terms(work)[check.place]
    spread = reference.own_spread(work, 2 * unit, rounding.seed, check.place)
    if terms is None or spread is None or not np.all(np.isfinite(terms)):
        return found
    apart = distance(check.actual, right)
    lost = max(tolerance("float32", accumulation=expected.accumulation), 2 * unit) * (terms + float(np.mean(terms)))
    vanished = (apart <= _MARGIN * lost) & (terms > 0) | (apart <= _MARGIN * (spread + float(np.mean(spread))))
    again = verdict_on(check._replace(actual=np.where(vanished, right, check.actual)), rounding)
    return noted(again, SATURATED) if again.verdict == "agrees" else found


def constant_verdict(found: Difference, layer: Any, check: Check, rounding: Rounding) -> Difference:
    """Look again at the gradient of what is normalized, where that is constant.

    Keras computes a variance as ``mean(x ** 2) - mean(x) ** 2``. Of a constant, the order of the sums decides what is left.
    """
    name, of_keras = public_class(layer)
    places = rounding.work.inputs
    if found.verdict == "agrees" or not (of_keras and name.endswith("Normalization") and places):
        return found
    given = rounding.work.leaves[places[0]].array.astype(np.float64)
    if given.shape != check.actual.shape:
        return found
    others = np.where(_is_constant(given), check.expected.reference, check.actual)
    if judge(check.subject, others, check.expected).verdict != "agrees":
        return found
    return check.subject.replace(verdict="not-compared", detail=CONSTANT)


def _is_constant(given: np.ndarray) -> np.ndarray:
    """Return which elements are of a channel, the last axis, or of an example that is constant."""

    def along(axes: Any) -> np.ndarray:
        most = np.sqrt(unit_roundoff("float32")) * np.max(np.abs(given), axis=axes, keepdims=True)
        found: np.ndarray = np.ptp(given, axis=axes, keepdims=True) <= most
        return found

    axes = tuple(range(given.ndim))
    return np.broadcast_to(along(axes[:-1]) | along(axes[1:]), given.shape)


def without_common_factor(item: Difference, check: Check, rounding: Rounding) -> Difference:
    """Return the verdict on an array of half precision: roundings have both signs, and make no result larger as a whole.

    Sums that are cut to it, or long ones of one sign, do become smaller.
    """
    expected, unit = check.expected, unit_roundoff(check.expected.dtype)
    limits = _COMMON * unit * math.sqrt(expected.depth), expected.accumulation * unit
    if item.verdict in ("agrees", "reduced-precision") and _common_factor(check.actual, expected.reference, *limits):
        factor = _common_factor(check.actual, rounding.reference.in_own_dtype(rounding.work)[check.place], *limits)
        if factor:
            return item.replace(verdict="differs", arithmetic="", detail="the right result times %.3g" % factor)
    return item


def _common_factor(actual: np.ndarray, right: Any, limit: float, more_below: float) -> float:
    """Return the factor of all elements, if it is further from 1 than a limit and than their errors leave open; else 0."""
    found, wanted = actual.astype(np.float64), np.asarray(right, np.float64)
    with np.errstate(all="ignore"):
        squares = wanted**2
        total = squares.sum()
        factor = float((found * wanted).sum() / total)
        doubt = np.sqrt(((found - factor * wanted) ** 2 * squares).sum()) / total
        enough = total**2 > _ENOUGH * (squares**2).sum()
    limit = max(limit + more_below * (factor < 1), _SURE * doubt)
    return factor if enough and abs(factor - 1) > limit else 0.0


def _with_real_error(item: Difference, real: Measure, allowed: np.ndarray, expected: Expected) -> Difference:
    """Give the error as it is, next to the largest that would have passed."""
    right = expected.reference
    most = measure(right + allowed, right, dtype=expected.dtype, tolerance=0.0).max_relative_error
    return item.replace(measure=real.replace(tolerance=max(real.tolerance, most)))
