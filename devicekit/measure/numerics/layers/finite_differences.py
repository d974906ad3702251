"""Whether the gradient of a layer of the user belongs to what the layer computes: no device needed to be wrong."""

from typing import Any, Callable, List, NamedTuple, Optional

import numpy as np

from ....runtime.frameworks.tensors import HostArray
from ..measures import measure
from ..nests import rebuild
from ..result import Measure
from .runner import Cotangent, LayerOutcome, Work

#: Directions in which a derivative is taken.
_DIRECTIONS = 3

#: Distances, relative to the size of what is moved. With the larger one the curvature shows, with the smaller one rounding:
#: a gradient is doubted where it agrees with neither.
_DISTANCES = (1e-4, 1e-6)

#: How far apart the two may be, relative to the size of the derivatives: kinks, such as relu's, cost a little.
_APART = 0.02

_Compute = Callable[[Work], LayerOutcome]


class GradientProblem(NamedTuple):
    """``place``: as in `LayerOutcome.gradients`."""

    place: int
    measure: Measure


def gradient_problems(
    compute: _Compute, work: Work, trained: List[int], found: LayerOutcome, cotangent: Cotangent, seed: int
) -> List[GradientProblem]:
    """Compare gradients with central differences, in float64.

    Nothing is said of a gradient that is missing or zero everywhere, as behind ``stop_gradient``, nor of a layer that is
    constant around its input, as one that rounds and has a straight-through gradient: both are made on purpose.

    Parameters
    ----------
    compute : callable
        Runs the layer in float64.
    trained : list of int
        The places of the weights that there are gradients for.
    found : LayerOutcome
        What ``compute(work)`` gave.
    """
    problems = []
    for place, gradient in enumerate(found.gradients):
        if gradient is None or not np.any(gradient) or not np.all(np.isfinite(gradient)):
            continue
        generator = np.random.RandomState([seed & 0xFFFFFFFF, 31, place])
        directions = [generator.standard_normal(gradient.shape) for _ in range(_DIRECTIONS)]
        claimed = np.array([float(np.vdot(gradient, direction)) for direction in directions])
        worst: Optional[Measure] = None
        for distance in _DISTANCES:
            seen = np.array([_slope(compute, work, trained, place, d, distance, cotangent) for d in directions])
            size = max(float(np.sqrt(np.mean(seen**2))), float(np.linalg.norm(gradient)))
            if not np.any(seen) or not np.all(np.isfinite(seen)) or np.abs(claimed - seen).max() <= _APART * size:
                worst = None
                break
            worst = measure(claimed, seen, dtype="float64", tolerance=_APART, magnitude=np.full(seen.shape, size))
        if worst is not None:
            problems.append(GradientProblem(place, worst))
    return problems


def _slope(
    compute: _Compute, work: Work, trained: List[int], place: int, direction: Any, distance: float, cotangent: Cotangent
) -> float:
    """The derivative of the weighted sum of outputs in a direction, as a central difference."""
    number = work.inputs[place] if place < len(work.inputs) else -1
    held = work.leaves[number] if number >= 0 else work.weights[trained[place - len(work.inputs)]]
    values = np.asarray(held.array, dtype=np.float64)
    step = distance * max(float(np.sqrt(np.mean(values**2))), 1e-3)
    sums = []
    for sign in (1.0, -1.0):
        moved = HostArray(values + sign * step * direction, "float64")
        if number >= 0:
            leaves = list(work.leaves)
            leaves[number] = moved
            args, kwargs = rebuild((work.args, work.kwargs), leaves)
            changed = Work(args, kwargs, work.weights)
        else:
            weights = list(work.weights)
            weights[trained[place - len(work.inputs)]] = moved
            changed = Work(work.args, work.kwargs, weights)
        total = 0.0
        for index, output in enumerate(compute(changed).outputs):
            weighting = cotangent(index, output.array.shape, output.dtype) if output.is_float else None
            if weighting is not None:
                total += float(np.vdot(output.array.astype(np.float64), weighting.astype(np.float64)))
        sums.append(total)
    return (sums[0] - sums[1]) / (2.0 * step)
