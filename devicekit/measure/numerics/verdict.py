"""The verdict on an array that a device computed."""

import math
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ...records import Record
from .measures import format_of, measure, real, shape_problem
from .recognize import Recognized, recognize, share, wrong_elements
from .result import Difference, Measure
from .tolerance import ARITHMETICS, FORMATS, tolerance, unit_roundoff

#: How much worse than the CPU in the same precision a device may be where the CPU itself is far from the exact result: its
#: sums have another order, and the same badly conditioned operation enlarges their errors.
CONDITION = 8.0

#: The error of reduced precision is everywhere; a fault that is as small sits in a part of the array.
_SPREAD = 0.2

#: A quarter of TF32's roundoff: a few elements that are off by less come from a coarse elementary function, as long as
#: each has its first digits right. Where a whole channel of small numbers is wrong, it has not.
_SLIGHT = 1.0 / 8192
_CORRECT = 0.01

#: Root mean square of products of two normal numbers, in means of their absolute values.
_SIGNED = math.pi / 2

#: Elements in which the CPU itself is off by this many tolerances, if the others are not, stand at a jump.
_JUMP = 1000.0

#: Elements that are looked at together.
_BLOCK = 1 << 20

#: F(4x4, 3x3) of Winograd's convolution, with which cuDNN and oneDNN multiply less and round more, has errors of up to
#: three tolerances; see `docs/explanation/numerics.md`.
_WINOGRAD = 8.0

_ROUNDS = {
    "finer": "less exact than float32, finer than TF32",
    "tf32": "like TF32: factors of products with 10 bits behind the point, as tensor cores take them",
    "bfloat16": "like bfloat16: factors of products with 7 bits behind the point",
    "float16": "like sums in float16",
}


class _Case(NamedTuple):
    """What is allowed for one array."""

    allowed: float
    condition: float
    note: str
    ignore: Any
    flushed: int


class Expected(Record):
    """What an array should be, and what it may be off by.

    Attributes
    ----------
    reference : array_like
        The CPU's result in float64, for the same inputs as they are in ``dtype``.
    dtype : str
        In which the device computed.
    accumulation, depth : int
        Length of the longest sum, and operations one after the other: see `devicekit.measure.numerics.tolerance.tolerance`.
    baseline : array_like or None
        The CPU's result in ``dtype``. It shows how badly conditioned the case is: if it is itself far from the reference,
        the device may be `CONDITION` times as far.
    magnitude : array_like or None
        Sum of the absolute values of the terms of each element (``abs(a) @ abs(b)``). Terms of both signs add up to the
        square root of their number times their size, so that errors are relative to about this divided by
        ``sqrt(accumulation)``.
    stale : sequence of array_like
        Earlier results and inputs, which a buffer that was not written may still hold.
    """

    reference: Any
    dtype: str
    accumulation: int = 1
    depth: int = 1
    baseline: Any = None
    magnitude: Any = None
    stale: Sequence[Any] = ()


def judge(subject: Difference, actual: Any, expected: Expected) -> Difference:
    """Return what was compared with the verdict on what a device computed: agrees, reduced-precision or differs.

    bfloat16 is given as float32.
    """
    subject = subject.replace(verdict="differs")
    problem = shape_problem(actual, expected.reference)
    if problem:
        return subject.replace(detail=problem)
    dtype, accumulation = expected.dtype, expected.accumulation
    shape = tuple(int(size) for size in np.shape(actual))
    actual, reference = real(actual), real(expected.reference)
    baseline = None if expected.baseline is None else real(expected.baseline)
    magnitude = shown_terms(expected)
    limit = tolerance(dtype, accumulation=accumulation, depth=expected.depth)
    case = _case(actual, reference, baseline, magnitude, dtype, limit)
    options = {"dtype": dtype, "tolerance": case.allowed, "magnitude": magnitude, "ignore": case.ignore}
    figures = measure(actual, reference, **options)
    subject = subject.replace(measure=figures.replace(shape=shape), arithmetic=_own(dtype))
    if figures.nonfinite == 0 and figures.max_relative_error <= case.allowed:
        flushed = "subnormal numbers are flushed to zero" if case.flushed else ""
        return subject.replace(verdict="agrees", detail=_joined(case.note, flushed))
    seen = recognize(actual, reference, stale=expected.stale, **options)
    if (not seen.pattern or _cut(seen.factor, accumulation)) and figures.nonfinite == 0:
        arithmetic, note = _arithmetic(figures, subject.operation, expected, case, _Spread(actual, reference, seen))
        if arithmetic:
            verdict = "agrees" if arithmetic == dtype == "float32" else "reduced-precision"
            return subject.replace(verdict=verdict, arithmetic=arithmetic, detail=_joined(note, case.note))
    where = str(seen) or _joined("wrong " + share(seen.wrong) if share(seen.wrong) else "")
    return subject.replace(arithmetic="", detail=_joined(where, case.note))


def unsupported(subject: Difference, detail: str = "", ran_on: str = "") -> Difference:
    """Return the difference for an operation without a kernel on the device; ``ran_on``: if it ran instead."""
    return subject.replace(verdict="unsupported", ran_on=ran_on, detail=detail)


def failed(subject: Difference, detail: str, ran_on: str = "") -> Difference:
    """Return the difference for what raised, or ended its process; ``detail``: the error's message."""
    return subject.replace(verdict="failed", ran_on=ran_on, detail=detail)


def shown_terms(expected: Expected) -> Optional[Any]:
    """Return the size that each element has if its terms have both signs, None if that of its terms is not known."""
    if expected.magnitude is None:
        return None
    reference = real(expected.reference)
    size = np.abs(np.asarray(expected.magnitude)).astype(np.float64)
    size = size[..., None] if reference.ndim > np.ndim(expected.reference) else size  # of a complex one for both parts
    return np.broadcast_to(size, reference.shape) * min(1.0, _SIGNED / math.sqrt(expected.accumulation))


def noted(item: Any, note: str) -> Any:
    """Return a difference or divergence that says one thing more."""
    return item.replace(detail=_joined(item.detail, note))


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _own(dtype: str) -> str:
    return dtype if dtype in FORMATS else ""


def _case(actual: Any, reference: Any, baseline: Any, magnitude: Any, dtype: str, limit: float) -> _Case:
    """Look at what the CPU itself makes of it in the same precision."""
    flushed = _where(_flushed, dtype, actual, reference)
    if baseline is None or baseline.shape != reference.shape:
        return _Case(limit, 1.0, "", _some(flushed), _count(flushed))
    strange = _where(_strange, dtype, baseline, reference)
    # Where the CPU overflows on the way, or has another opinion of NaN than in float64, the device may do as either.
    like_one = ~_where(_strange, dtype, actual, reference) | ~_where(_strange, dtype, actual, baseline)
    ignore = _some(flushed | (strange & like_one))
    if limit == 0.0:
        return _Case(limit, 1.0, "", ignore, _count(flushed))
    skip = strange | _where(_flushed, dtype, baseline, reference)
    own = measure(baseline, reference, dtype=dtype, tolerance=limit, magnitude=magnitude, ignore=skip)
    error, note = own.max_relative_error, ""
    if error > _JUMP * limit:
        jumps = _jumps(baseline, reference, dtype, magnitude, skip, limit)
        if jumps is not None:
            note = "at a jump in %d elements, where the CPU in %s takes the other side too" % (_count(jumps), dtype)
            ignore = jumps if ignore is None else ignore | jumps
            own = measure(baseline, reference, dtype=dtype, tolerance=limit, magnitude=magnitude, ignore=skip | jumps)
            error = own.max_relative_error
    allowed = max(limit, CONDITION * error)
    # A usual error is well below the tolerance; only one above it says that the case enlarges errors.
    condition = allowed / limit if error > limit / 2 else 1.0
    if dtype in FORMATS and dtype != "float64" and _nothing_left(own.mean_relative_error, reference, magnitude, dtype):
        # Not one digit is right on the CPU: the exact result is nothing but what float64 left over when large terms
        # canceled. Its size tells that of the terms.
        allowed = condition = max(allowed, CONDITION * unit_roundoff(dtype) / unit_roundoff("float64"))
        note = "large terms cancel: the CPU has no correct digit in %s either" % dtype
    elif error > limit:
        note = "badly conditioned: the CPU itself is off by %.2g in %s" % (error, dtype)
    return _Case(allowed, condition, note, ignore, _count(flushed))


def _nothing_left(error: float, reference: Any, magnitude: Any, dtype: str) -> bool:
    """Return whether zeros would be nearly as good as what the CPU computes."""
    if error < 0.05:
        return False
    zeros = measure(np.zeros(reference.shape, bool), reference, dtype=dtype, tolerance=0.0, magnitude=magnitude)
    return error > 0.5 * zeros.mean_relative_error


def _jumps(baseline: Any, reference: Any, dtype: str, magnitude: Any, skip: Any, limit: float) -> Optional[Any]:
    """Find the few elements in which the CPU itself is far off: rounding decides a comparison there."""
    far = wrong_elements(baseline, reference, dtype=dtype, tolerance=_JUMP * limit, magnitude=magnitude, ignore=skip)
    return far if 0 < _count(far) <= far.size / 100 else None


def _where(test: Callable[[Any, Any, str], Any], dtype: str, found: Any, right: Any) -> Any:
    """Return where a test of two arrays holds, block by block: in float64 they need more memory than they have here."""
    mask = np.zeros(right.size, dtype=bool)
    flat, wanted = found.reshape(-1), right.reshape(-1)
    for start in range(0, mask.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        with np.errstate(all="ignore"):
            mask[part] = test(flat[part].astype(np.float64), wanted[part].astype(np.float64), dtype)
    return mask.reshape(right.shape)


def _flushed(found: Any, right: Any, dtype: str) -> Any:
    """GPUs and oneDNN take subnormal numbers for zero, which is not a fault."""
    form = format_of(dtype)
    if form is None:
        return np.zeros(right.shape, dtype=bool)
    size = np.abs(right)
    return (found == 0) & (size < form.smallest_normal) & (size >= form.smallest_normal * 2 * form.unit_roundoff)


def _strange(found: Any, right: Any, dtype: str) -> Any:
    """Infinity or NaN in one of the two only, or not the same."""
    form = format_of(dtype)
    if form is not None:
        right = np.where(np.abs(right) > form.largest, np.copysign(np.inf, right), right)
    same = (found == right) | (np.isnan(found) & np.isnan(right))
    return ~same & ~(np.isfinite(found) & np.isfinite(right))


def _some(mask: Any) -> Optional[Any]:
    return mask if mask.any() else None


def _count(mask: Any) -> int:
    return int(np.count_nonzero(mask))


def _cut(factor: float, accumulation: int) -> bool:
    """Return whether a factor is that of cut bits: two cut factors are too small by 1.44 unit roundoffs on average.

    The mean of ``u / m`` over significands m between 1 and 2 that are distributed as the logarithm is ``u / (2 ln 2)``, and
    each of the two is cut by up to ``2 u``. Sums of one sign show nothing else.
    """
    units = [(1.0 - factor) / unit_roundoff(name) for name in ("tf32", "bfloat16")]
    return accumulation > 1 and any(1.0 < unit < 2.0 for unit in units)


class _Spread:
    """How the wrong elements lie among the others."""

    def __init__(self, actual: Any, reference: Any, seen: Recognized) -> None:
        there = (reference != 0) | (actual != 0)
        self.place = seen.place or share(seen.wrong)
        #: Which part of the elements that are not zero is wrong.
        self.part = _count(seen.wrong) / max(1, _count(there))
        right, found = reference[seen.wrong].astype(np.float64), actual[seen.wrong].astype(np.float64)
        with np.errstate(all="ignore"):
            #: The error of a wrong element in the middle, relative to that element alone.
            self.own_error = float(np.median(np.abs(found - right) / np.abs(right)))


def _arithmetic(found: Measure, operation: str, expected: Expected, case: _Case, spread: _Spread) -> Tuple[str, str]:
    """Return the finest arithmetic that explains an error, and what to say of it; empty if none does."""
    dtype, accumulation, depth = expected.dtype, expected.accumulation, expected.depth
    largest, mean = found.max_relative_error, found.mean_relative_error
    if dtype == "float32" and "conv" in operation.lower() and largest <= _WINOGRAD * case.allowed:
        if mean <= unit_roundoff("tf32") / 16 * case.condition and spread.own_error < _CORRECT:
            return "float32", "rounded as a fast convolution (Winograd) rounds"
    half = dtype in ("float16", "bfloat16")
    if dtype == "float32" and spread.part < _SPREAD:
        if largest <= _SLIGHT * case.condition and spread.own_error < _CORRECT:
            return "tf32", "less exact than float32 should be %s" % spread.place
        return "", ""
    if half and spread.place and spread.part < _SPREAD and largest > 4 * case.allowed:
        return "", ""
    for name in [dtype] if half else ARITHMETICS if dtype == "float32" else ():
        limit = tolerance(dtype, accumulation=accumulation, depth=depth, arithmetic=name) * case.condition
        usual = 2 * unit_roundoff(name) * math.sqrt(depth) * case.condition
        if name == "float16" or half:
            usual *= max(1.0, math.sqrt(accumulation))
        if largest <= min(limit, 0.5) and mean <= usual:
            if half:
                return name, "sums are rounded to %s" % name
            finer = mean < unit_roundoff(name) / 8
            return name, _ROUNDS["finer" if finer and name == "tf32" else name]
    return "", ""
