"""Is training on a device different, or wrong? Pure: curves in, verdict out.

Two trainings that differ by one rounding move apart: slowly at first, then as fast as the training is chaotic. That says
nothing against a device. Three scales tell it from a wrong gradient, which shows at the first step:

- what float32 itself leaves open: one rounding of each weight for every step;
- what the reference does when one of its weights is moved by one unit in the last place (the rounding controls). A device
  rounds all weights in another way and not one, so that its distance is larger by the square root of their number;
- what the reference does with another seed: nothing that is still training goes much further than that.
"""

import math
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from .result import Divergence, amount
from .tolerance import tolerance, unit_roundoff

#: How many times further than the controls a device may be: a control is one sample of what rounding does.
MARGIN = 8.0

#: How many times further than with another seed: two distances of the same kind.
_SEED_MARGIN = 1.5

#: Length of sums and number of layers that the first loss may have behind it.
_LONGEST_SUM = 4096
_DEPTH = 64

#: Unit roundoffs of a coarse arithmetic by which gradients are off, each with its sum's 0.6 and 50 layers behind it.
_COARSE_STEPS = 4.0

#: Steps that are early: chaos has not set in.
_FIRST = 3

#: How large the leap is at most, relative to what the first step with another seed does, if one activation of one example
#: goes the other way at its kink (a Conv3D with ReLU on TensorFlow: 0.001). A wrong gradient comes at every step.
_LEAP = 0.004

_Curves = Union[Sequence[float], Sequence[Sequence[float]]]


def allowed_drift(
    rounding: _Curves,
    seed: Sequence[float] = (),
    *,
    steps: int,
    dtype: str = "float32",
    parameters: int = 1,
    moved_weights: int = 1,
) -> Tuple[float, ...]:
    """Return how far weights may be from the reference's after each step by rounding alone.

    ``rounding``: relative distance of all weights after each step, for one or more controls; ``seed``: with another seed.
    ``moved_weights``: how many of the ``parameters`` each control moved by a unit in the last place; all of them where it
    was computed in another precision.
    """
    controls = _several(rounding)
    scale = math.sqrt(max(1.0, parameters / max(1, moved_weights)))
    unit = unit_roundoff(dtype)
    allowed: List[float] = []
    for step in range(1, steps + 1):
        # A leap of the loss is met a little earlier or later.
        seen = step + max(1, step // 4)
        control = max((_finite(value) for curve in controls for value in curve[:seen]), default=0.0)
        least = 2 * unit * math.sqrt(step)
        drift = MARGIN * max(least, scale * control)
        other = max((_finite(value) for value in seed[:seen]), default=0.0) * _SEED_MARGIN
        # With a seed that changes nothing (no dropout, one batch) the distance is that of rounding, and no bound.
        allowed.append(min(drift, other) if other > MARGIN * least else drift)
    return tuple(allowed)


class Curves(NamedTuple):
    """Two trainings step by step, and what is known of how far apart two right ones may be.

    Attributes
    ----------
    loss, reference_loss : sequence of float
        Before each step.
    weights : sequence of float
        ``norm(device - reference) / norm(reference)`` of all weights after each step.
    rounding, seed, dtype, parameters, moved_weights
        See `allowed_drift`. Random numbers (dropout, order) are the same on the device and on the reference.
    coarse
        As ``rounding``, by the arithmetic in which the device is known to compute.
    """

    loss: Sequence[float]
    reference_loss: Sequence[float]
    weights: Sequence[float]
    rounding: _Curves
    seed: Sequence[float] = ()
    dtype: str = "float32"
    parameters: int = 1
    moved_weights: int = 1
    coarse: _Curves = ()


def judge_drift(
    optimizer: str, device: str, framework: str, curves: Curves, arithmetic: Optional[str] = None
) -> Divergence:
    """Return the verdict on a training.

    Parameters
    ----------
    arithmetic : {None, "tf32", "bfloat16", "float16"}
        In which the device is known to compute. None: float32, or TF32 on a device that is not the CPU.

    Returns
    -------
    Divergence
        ``failed`` if there are no weights; ``differs`` with its first step if a distance is beyond what rounding explains,
        or something is not finite on the device alone.
    """
    controls = _several(curves.rounding)
    longest = max((len(curve) for curve in controls), default=0)
    shown = tuple(max(curve[step] for curve in controls if len(curve) > step) for step in range(longest))
    coarse = arithmetic if arithmetic is not None or device == "cpu" or curves.dtype != "float32" else "tf32"
    verdict, detail, first_step = _verdict(curves, coarse)
    return Divergence(
        optimizer=optimizer,
        device=device,
        framework=framework,
        loss=tuple(curves.loss),
        reference_loss=tuple(curves.reference_loss),
        weights=tuple(curves.weights),
        rounding=shown,
        seed=tuple(curves.seed),
        verdict=verdict,
        first_step=first_step,
        detail=detail,
    )


def _verdict(curves: Curves, coarse: Optional[str]) -> Tuple[str, str, Optional[int]]:
    """Return verdict, detail and first wrong step; ``coarse``: in which the device may compute instead of float32."""
    weights, seed, steps = curves.weights, curves.seed, len(curves.weights)
    if not steps:
        return "failed", "no step was made", None
    problem = _losses(curves.loss, curves.reference_loss, curves.dtype, coarse)
    if problem is not None:
        return "differs", problem[1], problem[0]
    allowed = allowed_drift(
        curves.rounding,
        seed,
        steps=steps,
        dtype=curves.dtype,
        parameters=curves.parameters,
        moved_weights=curves.moved_weights,
    )
    first = next((step for step in range(steps) if not weights[step] <= allowed[step]), None)
    if first is None:
        most = max(weight / limit for weight, limit in zip(weights, allowed))
        return "agrees", "at most %.2g of what rounding explains" % most, None
    if not math.isfinite(weights[first]):
        return "differs", "weights are not finite from step %d" % (first + 1), first + 1
    text = "%s times as far as rounding explains at step %d" % (amount(weights[first] / allowed[first]), first + 1)
    if seed and _finite(seed[min(first, len(seed) - 1)]) > 0:
        part = weights[first] / seed[min(first, len(seed) - 1)]
        text += ", %.2g of what another seed does" % part
        if _leaps_once(weights, allowed, seed, first):
            return (
                "agrees",
                "%s: one small leap, as where a rounding decides what an activation lets through" % text,
                None,
            )
        if coarse is not None and (_as_coarse(weights, allowed, seed, curves.dtype, coarse) or _as_controls(curves)):
            return "agrees", "%s: as far as %s takes it, and no further" % (text, coarse), None
    return "differs", text, first + 1


def _leaps_once(weights: Sequence[float], allowed: Sequence[float], seed: Sequence[float], first: int) -> bool:
    """Whether the distance is what rounding explains before and after one small leap at a step, which is not the first one."""
    leap = weights[first] - weights[first - 1] if first else math.inf
    after = zip(weights[first:], allowed[first:])
    return leap <= _LEAP * seed[0] < math.inf and all(abs(weight - leap) <= limit for weight, limit in after)


def _several(rounding: _Curves) -> Tuple[Tuple[float, ...], ...]:
    """Return one curve or several as several."""
    single: List[float] = []
    curves: List[Tuple[float, ...]] = []
    for item in rounding:
        if isinstance(item, (int, float)):
            single.append(float(item))
        else:
            curves.append(tuple(float(value) for value in item))
    return (tuple(single),) if single else tuple(curves)


def _finite(value: float) -> float:
    """A control that ran away says that anything is possible, not that nothing is."""
    return value if math.isfinite(value) else math.inf


def _losses(
    loss: Sequence[float], reference_loss: Sequence[float], dtype: str, arithmetic: Optional[str]
) -> Optional[Tuple[int, str]]:
    """Return the step at which the loss alone shows that something is wrong, and what."""
    for step, (own, right) in enumerate(zip(loss, reference_loss)):
        if math.isfinite(right) and not math.isfinite(own):
            return step + 1, "the loss is %s at step %d, on the reference %.6g" % (own, step + 1, right)
    if loss and reference_loss and math.isfinite(reference_loss[0]):
        apart = abs(loss[0] - reference_loss[0])
        limit = tolerance(dtype, accumulation=_LONGEST_SUM, depth=_DEPTH, arithmetic=arithmetic)
        if apart > limit * max(abs(reference_loss[0]), 1e-3):
            text = "the first loss is %.6g and not %.6g: the forward pass differs"
            return 1, text % (loss[0], reference_loss[0])
    return None


def _as_controls(curves: Curves) -> bool:
    """Return whether a training goes no further than those whose factors are rounded in the device's arithmetic.

    Adam's first steps are signs of gradients, and which of the small ones turn depends on the model.
    """
    if not _several(curves.coarse):
        return False
    allowed = allowed_drift(curves.coarse, curves.seed, steps=len(curves.weights), dtype=curves.dtype)
    return all(weight <= limit for weight, limit in zip(curves.weights, allowed))


def _as_coarse(
    weights: Sequence[float], allowed: Sequence[float], seed: Sequence[float], dtype: str, arithmetic: str
) -> bool:
    """Return whether a coarser arithmetic explains a drift: small next to the steps themselves, and growing as rounding grows.

    Another seed's first steps are other steps of about the same size; the coarse roundings of gradients are a few unit
    roundoffs of them. Adam's first step hides all but the signs of gradients, so that one step says too little.
    """
    limit = _COARSE_STEPS * unit_roundoff(arithmetic)
    for weight, other, explained in list(zip(weights, seed, allowed))[:_FIRST]:
        if weight > max(limit * _finite(other), explained):
            return False
    enlarged = unit_roundoff(arithmetic) / unit_roundoff(dtype)
    bound = _SEED_MARGIN * max(_finite(value) for value in seed)
    return all(weight <= min(enlarged * explained, bound) for weight, explained in zip(weights, allowed))
