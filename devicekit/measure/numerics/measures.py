"""How far an array is from its reference, in figures that the field uses.

The relative error of element i is ``|a_i - r_i| / max(|r_i|, s_i)``. Where an element is small because large terms
canceled, its rounding error has the size of the terms and not of the element; ``s`` is that size. Where the caller knows
it (``magnitude``) it is that; else it is the root mean square of the reference, at most 16 times the median of what is
not zero, so that a few huge numbers (a mask of -1e9) do not hide errors in all others. It is never below the dtype's
smallest normal number: what is smaller has an absolute precision.

Errors are computed in float64, block by block: the memory that is needed does not grow with the array. Integers beyond
2**53 are compared to float64's precision.
"""

import math
from typing import Any, Iterator, NamedTuple, Optional, Tuple

import numpy as np

from .result import Measure
from .tolerance import FORMATS, Format

#: Elements that are looked at together: 8 MiB for each of the arrays in float64.
_BLOCK = 1 << 20

#: Elements from which the median is taken.
_SAMPLE = 1 << 14

#: Sums of squares above this have lost nothing to underflow.
_LEAST = 1e-200

#: Elements that are looked at together where nothing is wrong: they stay in the processor's cache.
_SMALL_BLOCK = 1 << 16

#: ULP and cosine of larger arrays where nothing is wrong are those of as many elements.
_MANY = 1 << 20

#: A few elements that are this many times larger than most say nothing of the size of the others' terms.
_OUTLIER = 16.0


class Block(NamedTuple):
    """A part of two arrays, side by side, in float64.

    Attributes
    ----------
    start : int
        Place of its first element in the flattened arrays.
    actual, reference : numpy.ndarray
    error : numpy.ndarray
        Relative error of each element: 0 for two equal infinities and for two that are not a number; infinite where only
        one of the two is so.
    finite : numpy.ndarray of bool
        If both are finite.
    """

    start: int
    actual: Any
    reference: Any
    error: Any
    finite: Any


def format_of(dtype: str) -> Optional[Format]:
    """Return the format of a dtype's numbers (of the parts of a complex one); None for integers and booleans."""
    return FORMATS.get({"complex64": "float32", "complex128": "float64"}.get(dtype, dtype))


def real(values: Any) -> Any:
    """Return an array of real numbers; a complex one has one more axis, for its two parts."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1)
    if array.dtype.kind in "OSUMm":
        raise ValueError("cannot compare arrays of %s: numbers are needed" % array.dtype)
    return array


def shape_problem(actual: Any, reference: Any) -> str:
    """Return what is wrong with an array's shape, "" if nothing is."""
    found, wanted = np.shape(actual), np.shape(reference)
    return "" if found == wanted else "shape %s for %s" % (found, wanted)


def ulp(reference: Any, dtype: str) -> Any:
    """Return the unit in the last place of a dtype at real numbers.

    The distance of the two numbers of the dtype around the value; at a power of two the larger one; among subnormal
    numbers and at zero the smallest positive number; beyond the largest number that of the largest (Muller, *On the
    definition of ulp(x)*, INRIA research report 5504, 2005). 1 for integers.

    Parameters
    ----------
    reference : array_like
        In float64.
    """
    form = format_of(dtype)
    values = np.asarray(reference, dtype=np.float64)
    if form is None:
        return np.ones_like(values)
    # The exponents as they are stored; 0, as of zero and of float64's subnormal numbers, is below every other.
    stored = (np.ascontiguousarray(values).view(np.int64) >> 52) & 0x7FF
    exponent = np.clip(stored - 1023, form.emin, form.emax) - (form.precision - 1)
    if form.emin - form.precision + 1 > -1023:  # normal numbers of float64, made from their exponents
        return ((exponent + 1023) << 52).view(np.float64).reshape(values.shape)
    # The C int that the function takes everywhere: NumPy's own integers are longer on some systems.
    return np.ldexp(1.0, exponent.astype(np.intc)).reshape(values.shape)


def _flat(values: Any) -> Any:
    return real(values).reshape(-1)


def typical(reference: Any) -> float:
    """Return the size of what is compared: root mean square, at most 16 times the median of what is not zero."""
    reference = reference.reshape(-1)
    mean = _root_mean_square(reference)
    if mean == 0.0:
        return 0.0
    sample = np.abs(reference[:: max(1, reference.size // _SAMPLE)].astype(np.float64))
    sample = sample[np.isfinite(sample) & (sample > 0)]
    return min(mean, _OUTLIER * float(np.median(sample))) if sample.size else mean


def _root_mean_square(flat: Any) -> float:
    """Return it for what is finite; 0 of nothing."""
    with np.errstate(all="ignore"):
        total = sum(_squares(flat[start : start + _BLOCK]) for start in range(0, flat.size, _BLOCK))
    if flat.size and math.isfinite(total) and total > _LEAST:
        return math.sqrt(total / flat.size)
    largest, total, count = 0.0, 0.0, 0
    for start in range(0, flat.size, _BLOCK):
        part = np.abs(flat[start : start + _BLOCK].astype(np.float64))
        part = part[np.isfinite(part)]
        top = float(part.max()) if part.size else 0.0
        if top > largest:
            # Squares are taken of numbers up to 1: those of the numbers themselves could be infinite, or zero.
            total, largest = total * (largest / top) ** 2, top
        if largest > 0:
            scaled = part / largest
            total += _dot(scaled, scaled)
        count += int(part.size)
    return largest * math.sqrt(total / count) if count else 0.0


def _squares(part: Any) -> float:
    values = part.astype(np.float64)
    return _dot(values, values)


def blocks(
    actual: Any, reference: Any, *, dtype: str, magnitude: Any = None, ignore: Any = None, near: float = 0.0
) -> Iterator[Block]:
    """Yield the arrays part by part with their errors; those of elements to ``ignore`` do not count.

    A reference as ``near`` to the dtype's largest number, relatively, may as well be infinite.
    """
    flat, wanted = _flat(actual), _flat(reference)
    sizes = None if magnitude is None else np.broadcast_to(_flat(magnitude), wanted.shape)
    skip = None if ignore is None else np.asarray(ignore).reshape(-1)
    form = format_of(dtype)
    least = form.smallest_normal if form is not None else 1.0
    floor = max(least, typical(wanted) if sizes is None else 0.0)
    for start in range(0, wanted.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        found, right = flat[part].astype(np.float64), wanted[part].astype(np.float64)
        with np.errstate(all="ignore"):
            if form is not None:
                found, right = _saturated(found, right, form, near)
            finite = np.isfinite(found) & np.isfinite(right)
            size = np.maximum(np.abs(right), floor)
            if sizes is not None:
                terms = np.abs(sizes[part].astype(np.float64))
                size = np.maximum(size, np.where(np.isfinite(terms), terms, 0.0))
            error = np.abs(found - right) / size
            same = (found == right) | (np.isnan(found) & np.isnan(right))
            error = np.where(same, 0.0, np.where(finite, error, np.inf))
        if skip is not None:
            error = np.where(skip[part], 0.0, error)
            finite = finite | skip[part]
        yield Block(start, found, right, error, finite)


def _saturated(found: Any, right: Any, form: Format, near: float) -> Tuple[Any, Any]:
    """Let what the dtype cannot hold be infinite in both, and what is at its very edge count as equal."""
    low, top = form.largest * (1.0 - near), form.largest * (1.0 + near)
    size = np.abs(right)
    high = (size >= low) & (size <= top) & (np.abs(found) >= low) & (np.sign(found) == np.sign(right))
    over = np.abs(right) > form.largest * (1.0 + form.unit_roundoff / 2)
    right = np.where(over, np.copysign(np.inf, right), right)
    return np.where(high, right, found), right


def measure(
    actual: Any, reference: Any, *, dtype: str, tolerance: float, magnitude: Any = None, ignore: Any = None
) -> Measure:
    """Return how far an array is from its reference.

    ``reference``: what is right, mostly in float64, for the same inputs in the same precision. ``dtype``: of what was
    computed; bfloat16 is given as float32. ``magnitude``: size of the terms behind each element, such as
    ``sqrt(abs(a)**2 @ abs(b)**2)``, if it is known. ``ignore``: elements whose error does not count.

    Returns
    -------
    Measure
        With NaN in both an element is equal; with NaN or infinity in one only, ``max_relative_error`` and ``max_ulp`` are
        infinite and the mean is that of the others. Of an empty array all errors are 0.

    Raises
    ------
    ValueError
        If the shapes differ, or there are no numbers.
    """
    problem = shape_problem(actual, reference)
    if problem:
        raise ValueError("the arrays have different shapes: %s" % problem)
    largest, total, count, units, nonfinite = 0.0, 0.0, 0, 0.0, 0
    dot, left_norm, right_norm = 0.0, 0.0, 0.0
    scale = _largest(actual), _largest(reference)
    for block in blocks(actual, reference, dtype=dtype, magnitude=magnitude, ignore=ignore, near=min(0.5, tolerance)):
        largest = max(largest, float(block.error.max()))
        wrong = np.isinf(block.error)
        nonfinite += int(np.count_nonzero(wrong & ~block.finite))
        total += float(block.error[~wrong].sum())
        count += int(np.count_nonzero(~wrong))
        pair = np.isfinite(block.actual) & np.isfinite(block.reference)
        found, right = block.actual[pair], block.reference[pair]
        with np.errstate(all="ignore"):
            distance = np.abs(found - right) / ulp(right, dtype)
        counted = distance[block.error[pair] > 0]
        units = max(units, float(counted.max()) if counted.size else 0.0)
        found, right = found / scale[0], right / scale[1]
        dot += _dot(found, right)
        left_norm += _dot(found, found)
        right_norm += _dot(right, right)
    return Measure(
        dtype=dtype,
        shape=tuple(int(size) for size in np.shape(actual)),
        max_relative_error=largest,
        mean_relative_error=total / count if count else 0.0,
        max_ulp=math.inf if nonfinite else units,
        cosine=_cosine(dot, left_norm, right_norm),
        nonfinite=nonfinite,
        tolerance=tolerance,
    )


def plain_measure(
    actual: Any, reference: Any, *, dtype: str, tolerance: float, magnitude: Any = None
) -> Optional[Measure]:
    """Return what `measure` does for an array that is within its tolerance everywhere, in one pass; else None.

    Of more than a million elements ``max_ulp`` and ``cosine`` are those of a sample of about as many; errors are of all.
    """
    form, shape = format_of(dtype), np.shape(actual)
    if form is None or shape != np.shape(reference) or actual.dtype.kind != "f" or reference.dtype.kind != "f":
        return None
    flat, wanted = actual.reshape(-1), reference.reshape(-1)
    if not flat.size:
        return None
    sizes = None if magnitude is None else _flat(magnitude)
    floor = max(form.smallest_normal, typical(wanted) if sizes is None else 0.0)
    largest, total, units = 0.0, 0.0, 0.0
    dots = np.zeros(3)
    every = -(-flat.size // _MANY)
    with np.errstate(all="ignore"):
        for number, start in enumerate(range(0, flat.size, _SMALL_BLOCK)):
            part = slice(start, start + _SMALL_BLOCK)
            found, right = flat[part].astype(np.float64), wanted[part].astype(np.float64, copy=False)
            # Arrays are used again: most of the time of this loop is that of memory.
            distance, size = found - right, np.abs(right)
            np.abs(distance, out=distance)
            np.maximum(size, floor if sizes is None else np.maximum(sizes[part], floor), out=size)
            if not float(size.max()) <= form.largest:  # also if one is not a number
                return None
            error = np.divide(distance, size, out=size)
            top = float(error.max())
            if not top <= tolerance:
                return None
            largest, total = max(largest, top), total + float(error.sum())
            if number % every == 0:
                units = max(units, float((distance / ulp(right, dtype)).max()))
                dots += (_dot(found, right), _dot(found, found), _dot(right, right))
    if not np.all(np.isfinite(dots)):
        return None
    lengths = tuple(int(size) for size in shape)
    return Measure(dtype, lengths, largest, total / flat.size, units, _cosine(*map(float, dots)), 0, tolerance)


def _largest(values: Any) -> float:
    """Return the largest finite absolute value, 1 if there is none: dividing by it keeps squares finite."""
    flat, largest = _flat(values), 0.0
    for start in range(0, flat.size, _BLOCK):
        part = np.abs(flat[start : start + _BLOCK].astype(np.float64))
        part = part[np.isfinite(part)]
        largest = max(largest, float(part.max()) if part.size else 0.0)
    return largest or 1.0


def _dot(one: Any, other: Any) -> float:
    # Not NumPy's dot: on a busy machine the threads of its library wait for each other longer than they compute.
    return float(np.einsum("i,i->", one, other))


def _cosine(dot: float, left: float, right: float) -> float:
    if left == 0.0 or right == 0.0:
        return 1.0 if left == right else 0.0
    return max(-1.0, min(1.0, dot / math.sqrt(left) / math.sqrt(right)))
