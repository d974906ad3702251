"""The verdict on one array of a layer, with an eye on how far rounding of the layer's inputs would have moved it."""

from typing import Any, Dict, Sequence

import numpy as np

from ..measures import measure
from ..result import Difference
from ..tolerance import tolerance, unit_roundoff
from ..verdict import judge
from .reference import Reference
from .runner import Work

__all__ = ["coarse_verdict", "is_plainly_good", "verdict_on"]

#: How often the reference is computed anew with its inputs moved by as much as rounding may move them, where something is
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


def is_plainly_good(actual: np.ndarray, right: np.ndarray, dtype: str, accumulation: int, depth: int) -> bool:
    """Whether a large array is within half its tolerance, without figures: those of its first judgement are kept."""
    if actual.size < _LARGE or actual.shape != right.shape or "float" not in dtype:
        return False
    with np.errstate(all="ignore"):
        furthest = float(np.max(np.abs(actual - right)))
        sizes = np.abs(right.reshape(-1)[:: max(1, right.size // _LARGE)])
        size = min(float(np.sqrt(np.mean(sizes**2))), 16.0 * float(np.median(sizes)))
    return furthest <= 0.5 * tolerance(dtype, accumulation=accumulation, depth=depth) * size


def verdict_on(
    base: Difference,
    actual: np.ndarray,
    right: np.ndarray,
    dtype: str,
    accumulation: int,
    depth: int,
    reference: Reference,
    work: Work,
    seed: int,
    place: int,
    stale: Sequence[np.ndarray],
) -> Difference:
    """Judge one array; where it is outside its tolerance, look at how far rounding of the inputs would have moved it.

    Parameters
    ----------
    base : Difference
        What the difference is of.
    actual, right : numpy.ndarray
    dtype, accumulation, depth
        See `devicekit.measure.numerics.verdict.judge`.
    reference : Reference
        Whose result ``right`` is, for ``work``.
    seed : int
        For how inputs are moved.
    place : int
        Of ``right`` in `Reference.arrays`.
    stale : sequence of numpy.ndarray
        Earlier results.
    """
    named: Dict[str, Any] = {
        "dtype": dtype, "accumulation": accumulation, "depth": depth, "stale": stale, "kind": base.kind, "name": base.name,
        "operation": base.operation, "what": base.what, "device": base.device, "framework": base.framework,
        "ran_on": base.ran_on, "layer_depth": base.depth,
    }  # fmt: skip
    first = judge(actual, right, **named)
    if first.verdict == "agrees" or "float" not in dtype or actual.shape != right.shape or first.measure is None:
        return first
    limit = tolerance(dtype, accumulation=accumulation)
    with np.errstate(all="ignore"):
        distance = np.abs(actual.astype(np.float64) - right.astype(np.float64))
    whole = base.kind == "model"
    for times in _TIMES[:2] if whole else _TIMES:
        furthest = reference.envelope(work, limit, seed, times)[place]
        if furthest is None or not np.all(np.isfinite(furthest)):
            return first
        noise = float(np.mean(furthest)) > _NOISE * float(np.mean(np.abs(right)))
        if noise:
            # All of the reference cancels, as for the bias of an attention's keys: what is left is float64's own rounding.
            furthest = furthest * (unit_roundoff(dtype) / unit_roundoff("float64"))
        allowed = _MARGIN * (furthest + float(np.mean(furthest)))
        if whole and "gradient" in base.what and np.mean(distance > allowed) <= _FEW:
            size = float(np.sqrt(np.mean(np.square(right))))
            allowed = np.maximum(allowed, _MARGIN * reference.largest_move(limit) * size)
        again = judge(np.where(distance <= allowed, right, actual), right, **named)
        if again.verdict == "agrees":
            return _excused(first, again, allowed, right, dtype, noise, float(np.mean(distance > 0)))
        if np.mean(distance > allowed) > _FEW:
            return first
    return first


def coarse_verdict(
    item: Difference,
    arithmetic: str,
    actual: np.ndarray,
    right: np.ndarray,
    dtype: str,
    accumulation: int,
    depth: int,
    reference: Reference,
    work: Work,
    seed: int,
    place: int,
) -> Difference:
    """Look again at a gradient that is outside its tolerance, of a layer whose output shows a coarser arithmetic.

    Where such an arithmetic moves what goes into relu or a pooling over a kink, the gradient jumps: that is the same coarse
    arithmetic, and no other fault. The inputs are moved as far as it may move them.
    """
    if actual.shape != right.shape or item.measure is None:
        return item
    limit = tolerance(dtype, accumulation=accumulation, depth=depth, arithmetic=arithmetic)
    furthest = reference.envelope(work, limit, seed, _TIMES[-1])[place]
    if furthest is None or not np.all(np.isfinite(furthest)):
        return item
    with np.errstate(all="ignore"):
        distance = np.abs(actual.astype(np.float64) - right.astype(np.float64))
        size = float(np.sqrt(np.mean(np.square(right))))
    if not np.all(distance <= _MARGIN * (furthest + float(np.mean(furthest))) + limit * size):
        return item
    detail = "as far as %s moves it over kinks" % arithmetic
    return item.replace(verdict="reduced-precision", arithmetic=arithmetic, detail=detail)


def _excused(
    first: Difference, again: Difference, allowed: np.ndarray, right: np.ndarray, dtype: str, noise: bool, share: float
) -> Difference:
    detail = "badly conditioned: rounding of its inputs moves it as far (%.2g of the elements)" % share
    found = again.measure
    if not noise and first.measure is not None:  # the error as it is, beside the largest that would have passed
        most = measure(right + allowed, right, dtype=dtype, tolerance=0.0).max_relative_error
        found = first.measure.replace(tolerance=max(first.measure.tolerance, most))
    return again.replace(measure=found, detail="; ".join(filter(None, (again.detail, detail))))
