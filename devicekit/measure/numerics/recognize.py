"""What a wrong result looks like, in words: the fault behind it is often known by its look.

Every pattern is tested on the wrong elements alone. An element that is right says nothing for a pattern, and a pattern
that holds of the right ones as well (a shift of a constant, the transpose of a symmetric matrix) is none.
"""

import itertools
import math
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .measures import blocks, real, typical

#: Arrays are looked at up to this size; of larger ones the part around the first wrong element.
_LIMIT = 1 << 22

#: A pattern that this many of the wrong elements follow explains them; borders and a few others may differ.
_MOST = 0.98

#: How many times what counts as equal something must be apart to be a pattern.
_CLEARLY = 8.0

#: Beyond this tolerance too much looks like too much.
_COARSE = 0.05


class _Look(NamedTuple):
    """The arrays in float64, which elements are wrong, and how near two numbers are to count as equal."""

    actual: Any
    reference: Any
    wrong: Any
    near: Any


def wrong_elements(
    actual: Any, reference: Any, *, dtype: str, tolerance: float, magnitude: Any = None, ignore: Any = None
) -> Any:
    """Return which elements are outside the tolerance, as an array of bool of the reference's shape."""
    parts = [
        block.error > tolerance
        for block in blocks(
            actual, reference, dtype=dtype, magnitude=magnitude, ignore=ignore, near=min(0.5, tolerance)
        )
    ]
    shape = real(reference).shape
    return np.concatenate(parts).reshape(shape) if parts else np.zeros(shape, dtype=bool)


class Recognized(NamedTuple):
    """What is recognized.

    Attributes
    ----------
    pattern : str
        The outcome of the values, such as ``"zeros"`` or ``"wrong sign"``; "" if nothing is recognized.
    place : str
        Where they are, such as ``"only in 61..63 of axis 1, the last 3 of 64"``; "" if they are everywhere, or the
        pattern says it.
    wrong : numpy.ndarray of bool
        Which elements are outside the tolerance.
    factor : float
        By which the result is too large or too small, if that is the pattern; else 1.
    """

    pattern: str
    place: str
    wrong: Any
    factor: float = 1.0

    def __str__(self) -> str:
        start = "" if self.pattern or not self.place else "wrong "
        return start + ", ".join(part for part in (self.pattern, self.place) if part)


def recognize(
    actual: Any,
    reference: Any,
    *,
    dtype: str,
    tolerance: float,
    stale: Sequence[Any] = (),
    magnitude: Any = None,
    ignore: Any = None,
) -> Recognized:
    """Return what a wrong result looks like.

    Elements further off than ``tolerance`` are wrong. ``stale``: earlier results and inputs with as many elements.

    Returns
    -------
    Recognized
        As a text: ``"zeros, only in 61..63 of axis 1, the last 3 of 64"``, ``"the right result times 1/8"``, ``""``.
    """
    wrong = wrong_elements(actual, reference, dtype=dtype, tolerance=tolerance, magnitude=magnitude, ignore=ignore)
    if not wrong.any():
        return Recognized("", "", wrong)
    found, right, part = real(actual), real(reference), wrong
    arrays = [(number, real(item)) for number, item in enumerate(stale)]
    older = [(number, array.reshape(found.shape)) for number, array in arrays if array.size == found.size]
    where = place(wrong) if wrong.size <= _LIMIT else ""
    if wrong.size > _LIMIT:
        window = _window(wrong)
        found, right, part = found[window], right[window], wrong[window]
        older = [(number, array[window]) for number, array in older]
    floor = typical(right)
    look = _Look(
        found.astype(np.float64),
        right.astype(np.float64),
        part,
        lambda value: 4 * tolerance * np.maximum(np.abs(value), floor),
    )
    with np.errstate(all="ignore"):
        pattern, factor = _values(look, older, tolerance), 1.0
        if not pattern and tolerance < _COARSE and np.count_nonzero(part) >= 3:
            pattern, factor = _scaled(look, look.actual[part], look.reference[part])
        if not pattern and tolerance < _COARSE:
            pattern = _rearranged(look, tolerance)
            where = "" if pattern else where
    return Recognized(pattern, where, wrong, factor)


def _window(wrong: Any) -> Tuple[slice, ...]:
    """Return a part of a huge array along its first axis that has the first wrong element in it."""
    flat = wrong.reshape(wrong.shape[0], -1)
    first = int(np.argmax(flat.any(axis=1)))
    rows = max(1, _LIMIT // flat.shape[1])
    return (slice(first, first + rows),)


def _values(look: _Look, older: Sequence[Tuple[int, Any]], tolerance: float) -> str:
    """Recognize the outcome of the wrong elements' values."""
    found, right = look.actual[look.wrong], look.reference[look.wrong]
    text = _nonfinite(found, right)
    if text:
        return text
    if not found.any():
        return "zeros"
    for number, array in older:
        earlier = array.reshape(look.actual.shape).astype(np.float64)[look.wrong]
        # A single number is soon met again, and an earlier result that is as wrong as this one says nothing.
        if (len(found) > 2 or found.size == look.actual.size) and np.array_equal(found, earlier):
            which = "an input or earlier result (number %d)" % number
            return "stale: equal to %s, so that the buffer was not written" % which
    if tolerance >= _COARSE or len(found) < 3:
        return ""
    return _clipped(look, found, right)


def _nonfinite(found: Any, right: Any) -> str:
    nan, infinite = np.isnan(found), np.isinf(found)
    parts: List[str] = []
    for mask, wanted, name in ((nan, np.isnan(right), "NaN"), (infinite, np.isinf(right), "infinity")):
        count = int(np.count_nonzero(mask & ~wanted))
        if count:
            parts.append("%s in %d element%s" % (name, count, "" if count == 1 else "s"))
    lost = int(np.count_nonzero(np.isfinite(found) & ~np.isfinite(right)))
    if lost:
        kind = "NaN" if np.isnan(right).any() else "infinity"
        parts.append("finite numbers where %s is right, in %d elements" % (kind, lost))
    both = int(np.count_nonzero(infinite & np.isinf(right)))
    if both and not parts:
        parts.append("infinity of the wrong sign")
    return " and ".join(parts)


def _clipped(look: _Look, found: Any, right: Any) -> str:
    """Saturated: the wrong elements have the largest or smallest value that there is, and should be beyond it."""
    ends = np.unique(found)
    if len(ends) > 2 or not look.actual.size > len(found):
        return ""
    low, high = float(ends[0]), float(ends[-1])
    beyond = ((found == high) & (right > high)) | ((found == low) & (right < low))
    finite = look.actual[np.isfinite(look.actual)]
    at_ends = set(ends.tolist()) <= {float(finite.min()), float(finite.max())}
    if not (at_ends and beyond.all()):
        return ""
    return "clipped at %s" % " and ".join("%.6g" % float(end) for end in ends)


def _scaled(look: _Look, found: Any, right: Any) -> Tuple[str, float]:
    """Wrong sign, a constant factor, or a constant added; and the factor, 1 if it is none."""
    usable = right != 0
    # Nearly equal numbers are a multiple of each other and a constant apart, whatever has happened to them.
    if np.count_nonzero(usable) < 3 or np.ptp(right) < _CLEARLY * float(np.median(look.near(right))):
        return "", 1.0
    large = np.abs(right) >= np.median(np.abs(right[usable]))
    factor = float(np.median(found[large] / right[large]))
    scaled = factor * right
    near = look.near(right)
    if math.isfinite(factor) and factor != 0 and float(np.median(np.abs(scaled - right) / near)) > _CLEARLY:
        if _mostly(np.abs(found - scaled) <= look.near(scaled)):
            sign = abs(factor + 1) < 1e-3
            return "wrong sign" if sign else "the right result times %s" % _factor(factor), factor
    added = float(np.median(found - right))
    if abs(added) > _CLEARLY * float(np.median(near)) and _mostly(np.abs(found - right - added) <= near):
        return "the right result plus %.6g" % added, 1.0
    return "", 1.0


def _factor(factor: float) -> str:
    """Return a factor with what it probably is: a sum in place of a mean, or the reverse."""
    size = abs(factor)
    whole = round(1 / size) if size < 1 else round(size)
    exact = (1 / size) if size < 1 else size
    if whole >= 2 and abs(exact - whole) < 1e-3 * whole:
        text = "1/%d" % whole if size < 1 else "%d" % whole
        return ("-" if factor < 0 else "") + text
    return "%.6g" % factor


def _mostly(holds: Any) -> bool:
    return bool(holds.size) and float(np.count_nonzero(holds)) >= _MOST * holds.size


def _rearranged(look: _Look, tolerance: float) -> str:
    """Recognize right numbers at wrong places: shifted, transposed, reversed, permuted."""
    found, right = look.actual[look.wrong], look.reference[look.wrong]
    if len(found) < 4 or not np.isfinite(found).all():
        return ""
    if float(np.median(np.abs(found - right) / look.near(right))) < _CLEARLY:
        return ""
    for text, moved, valid in itertools.chain(_shifts(look), _transposes(look), _reversals(look)):
        if _explains(look, moved, valid):
            return text
    # Sorted numbers lie so dense in a large array that any two such arrays look alike.
    if len(found) * tolerance < 0.1:
        ordered = np.sort(right)
        if np.ptp(right) > 0 and bool(np.all(np.abs(np.sort(found) - ordered) <= look.near(ordered))):
            return "the right numbers in another order"
    return ""


def _explains(look: _Look, moved: Callable[[], Any], valid: Optional[Tuple[slice, ...]]) -> bool:
    """Return whether the reference, moved, is what was found at the wrong elements."""
    candidate = moved()
    region = valid if valid is not None else (Ellipsis,)
    wrong = look.wrong[region]
    if np.count_nonzero(wrong) < max(4, 0.5 * np.count_nonzero(look.wrong)):
        return False
    found, right = look.actual[region][wrong], candidate[wrong]
    # Most candidates are refused by a few elements.
    few = slice(None, None, max(1, len(found) // 64))
    if not _mostly(np.abs(found[few] - right[few]) <= look.near(right[few])):
        return False
    return _mostly(np.abs(found - right) <= look.near(right))


_Candidate = Tuple[str, Callable[[], Any], Optional[Tuple[slice, ...]]]


def _shifts(look: _Look) -> Iterator[_Candidate]:
    """Yield the reference shifted by one along one axis, and along two: padding that is off by one."""
    reference = look.reference
    axes = [axis for axis in range(reference.ndim) if reference.shape[axis] >= 3]
    for count in (1, 2):
        for chosen in itertools.combinations(axes, count):
            for steps in itertools.product((1, -1), repeat=count):
                to: List[slice] = [slice(None)] * reference.ndim
                source = list(to)
                for axis, step in zip(chosen, steps):
                    to[axis] = slice(1, None) if step > 0 else slice(None, -1)
                    source[axis] = slice(None, -1) if step > 0 else slice(1, None)
                text = " and ".join("%+d along axis %d" % (step, axis) for axis, step in zip(chosen, steps))
                yield "shifted by %s" % text, _view(reference, tuple(source)), tuple(to)


def _view(array: Any, region: Tuple[slice, ...]) -> Callable[[], Any]:
    return lambda: array[region]


def _transposes(look: _Look) -> Iterator[_Candidate]:
    """Yield the reference with two axes exchanged, as far as it then has the shape, or the same memory layout."""
    reference = look.reference
    for first, second in itertools.combinations(range(reference.ndim), 2):
        if reference.shape[first] > 1 and reference.shape[second] > 1:
            yield "axes %d and %d transposed" % (first, second), _swapped(reference, first, second), None


def _swapped(array: Any, first: int, second: int) -> Callable[[], Any]:
    return lambda: np.swapaxes(array, first, second).reshape(array.shape)


def _reversals(look: _Look) -> Iterator[_Candidate]:
    reference = look.reference
    for axis in range(reference.ndim):
        if reference.shape[axis] > 1:
            yield "reversed along axis %d" % axis, _reversed(reference, axis), None


def _reversed(array: Any, axis: int) -> Callable[[], Any]:
    return lambda: np.flip(array, axis)


#: From this part of the elements on, errors are everywhere.
_EVERYWHERE = 0.9


def share(wrong: Any) -> str:
    """Return how many elements are wrong: ``"in 12 of 4096 elements"``; "" for all of them."""
    count = int(np.count_nonzero(wrong))
    return "" if count == wrong.size else "in %d of %d elements" % (count, wrong.size)


def place(wrong: Any) -> str:
    """Return where the wrong elements sit, "" if they are spread over the array.

    Parameters
    ----------
    wrong : numpy.ndarray of bool

    Returns
    -------
    str
        ``"only at (3, 5)"``, ``"only in 61..63 of axis 1, the last 3 of 64"``, ``"only at the border of axes 1 and 2"``.
    """
    count = int(np.count_nonzero(wrong))
    if wrong.ndim == 0 or count == 0 or count >= _EVERYWHERE * wrong.size:
        return ""
    if count == 1:
        where = [int(index) for index in np.argwhere(wrong)[0]]
        return "only at (%s)" % ", ".join(str(index) for index in where)
    parts: List[str] = []
    inside = 1
    for axis in range(wrong.ndim):
        others = tuple(other for other in range(wrong.ndim) if other != axis)
        indices = np.flatnonzero(wrong.any(axis=others))
        text = _range(indices, wrong.shape[axis], axis)
        inside *= len(indices) if text else wrong.shape[axis]
        if text:
            parts.append(text)
    if not parts:
        return _border(wrong)
    filled = "" if count >= _EVERYWHERE * inside else " (%d of %d elements there)" % (count, inside)
    return "only in %s%s" % (" and ".join(parts), filled)


def _range(indices: Any, size: int, axis: int) -> str:
    """Return which indices of an axis are concerned, "" if nearly all are, or they follow no rule."""
    if len(indices) >= _EVERYWHERE * size:
        return "" if len(indices) == size or size - len(indices) > 3 else _tail(indices, size, axis)
    first, last = int(indices[0]), int(indices[-1])
    steps = np.unique(np.diff(indices))
    if len(indices) == 1:
        return "%d of axis %d (0 to %d)" % (first, axis, size - 1)
    if len(steps) == 1 and steps[0] == 1:
        return _tail(indices, size, axis)
    if len(steps) == 1 and len(indices) > 2:
        return "every %d. of axis %d from %d to %d" % (steps[0], axis, first, last)
    if len(indices) <= 4:
        return "%s of axis %d (0 to %d)" % (", ".join(str(int(index)) for index in indices), axis, size - 1)
    return ""


def _tail(indices: Any, size: int, axis: int) -> str:
    """Return a run of indices in words; "" if it is none."""
    first, last, count = int(indices[0]), int(indices[-1]), len(indices)
    if last - first + 1 != count:
        return ""
    which = "the last %d" % count if last == size - 1 else "the first %d" % count if first == 0 else "%d" % count
    return "%d..%d of axis %d, %s of %d" % (first, last, axis, which, size)


def _border(wrong: Any) -> str:
    """Return which axes have errors at their ends only, if that holds of two or three axes together."""
    long = [axis for axis in range(wrong.ndim) if wrong.shape[axis] >= 5]
    for width, count in itertools.product((1, 2), (2, 3)):
        for axes in itertools.combinations(long, count):
            if not wrong[_core(wrong.ndim, axes, width)].any():
                names = ", ".join(str(axis) for axis in axes[:-1]) + " and %d" % axes[-1]
                return "only at the border of axes %s, %d wide" % (names, width)
    return ""


def _core(ndim: int, axes: Tuple[int, ...], width: int) -> Tuple[slice, ...]:
    return tuple(slice(width, -width) if axis in axes else slice(None) for axis in range(ndim))
