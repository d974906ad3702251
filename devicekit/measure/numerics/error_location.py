"""Where in an array errors sit, in words."""

import itertools
from typing import Any, List, Tuple

import numpy as np

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
