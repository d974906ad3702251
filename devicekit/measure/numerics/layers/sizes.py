"""How many terms the sums of a layer have, how many operations follow each other in it, and in which dtype."""

import math
from typing import Any, List, NamedTuple, Sequence

import numpy as np

from ....runtime.frameworks.keras_model import public_class
from ....runtime.frameworks.tensors import HostArray
from .clone import variables
from .recorded_calls import Call
from .runner import Work

_FROM_FINE = ("float64", "float32", "float16", "bfloat16")


class Sizes(NamedTuple):
    """What a tolerance follows from; see `devicekit.measure.numerics.tolerance.tolerance`.

    Attributes
    ----------
    forward, backward : int
        Terms in the longest sum behind an output, and behind a gradient.
    depth : int
    dtype : str
        What the layer computes in; "" if it says nothing.
    """

    forward: int
    backward: int
    depth: int
    dtype: str


def sizes_of(call: Call, work: Work, outputs: Sequence[HostArray]) -> Sizes:
    """Return the lengths of the sums in one call of a layer."""
    layer = call.layer
    inputs = [leaf.array for leaf in work.leaves if isinstance(leaf, HostArray)]
    given = max([int(array.size) for array in inputs] or [1])
    made = max([int(item.array.size) for item in outputs] or [1])
    forward, fan_out = _fans(layer, work.weights)
    # What has no kernel sums over what it makes smaller, or over its last axis: pooling, reductions, softmax, norms.
    ratio = -(-given // max(1, made))
    last = max([int(array.shape[-1]) for array in inputs if array.ndim] or [1])
    forward = max(forward, ratio, last)
    steps = _steps(layer, inputs)
    if "Attention" in public_class(layer)[0] or steps > 1:
        forward = max([forward] + [int(array.shape[1]) for array in inputs if array.ndim > 2])
    if work.kwargs.get("training") is True:  # statistics of the batch
        forward = max(forward, given // max(1, last))
    positions = max(made // max(1, int(outputs[0].array.shape[-1])) if outputs and outputs[0].array.ndim else 1, 1)
    backward = max(forward, fan_out, positions, given // max(1, last))
    return Sizes(forward, backward, 2 * (1 + _operations(call)) * steps, coarsest(_dtypes(layer)))


def sizes_of_whole(calls: Sequence[Call], layers: Sequence[Any]) -> Sizes:
    """Return the same for a whole model: its longest sum, and all its layers one after the other."""
    longest, steps = 1, 1
    for call in calls:
        weights = [HostArray(np.empty(tuple(item.shape), np.bool_), "bool") for item in variables(call.layer)]
        longest = max(longest, *_fans(call.layer, weights))
        arrays = [leaf.array for leaf in Work(call.args, call.kwargs, []).leaves if isinstance(leaf, HostArray)]
        steps = max(steps, _steps(call.layer, arrays))
        longest = max([longest] + [array.size // array.shape[-1] for array in arrays if array.size])
    return Sizes(longest, longest, max(1, 2 * len(calls) * steps), coarsest_of(layers))


def coarsest_of(layers: Sequence[Any]) -> str:
    """Return the dtype with the fewest digits in which one of some layers computes."""
    return coarsest([dtype for layer in layers for dtype in _dtypes(layer)])


def coarsest(dtypes: Sequence[str]) -> str:
    """Return the dtype with the fewest digits, "" of none."""
    known = [dtype for dtype in dtypes if dtype in _FROM_FINE]
    return max(known, key=_FROM_FINE.index) if known else ""


def _fans(layer: Any, weights: Sequence[HostArray]) -> List[int]:
    if public_class(layer)[0] == "Embedding":  # looks up, and sums nothing
        return [1, 1]
    kernels = [item.array.shape for item in weights if item.array.ndim > 1]
    shapes = [(int(np.prod(shape[:-1])), int(np.prod(shape)) // max(1, int(shape[-2]))) for shape in kernels]
    return [max([size[i] for size in shapes] or [1]) for i in (0, 1)]


def _operations(call: Call) -> int:
    return sum(1 + _operations(inner) for inner in call.inner)


def _steps(layer: Any, inputs: Sequence[np.ndarray]) -> int:
    """Time steps of a recurrent layer, each of which starts from the one before."""
    inside = [layer] + [getattr(layer, name, None) for name in ("layer", "forward_layer")]
    if not any(hasattr(item, "return_sequences") for item in inside):
        return 1
    return max([int(array.shape[1]) for array in inputs if array.ndim > 2] or [1])


def _dtypes(layer: Any) -> List[str]:
    found = getattr(layer, "compute_dtype", None) or getattr(layer, "_compute_dtype", None)
    return [str(found)] if found else []


def ratio_of(error: float, allowed: float) -> float:
    """Return an error in units of what is allowed."""
    if math.isnan(error):
        return math.inf
    return error / allowed if allowed > 0 else (math.inf if error > 0 else 0.0)
