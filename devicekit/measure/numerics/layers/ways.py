"""The ways in which a recorded call of a layer is repeated: as it was, and with inputs that reach the corners of its kernels.

- as recorded;
- ``stress``: as many examples, each of another kind: large, few different values (ties), zeros, subnormal numbers, beyond
  where tanh and sigmoid saturate. Outputs alone are compared: at ties and kinks a gradient has several right values;
- an odd number of other examples: what is left over when rows are taken eight at a time;
- one other example, unless that has to be compiled;
- in training, if the layer has a training mode without randomness.

From the third on, trained weights whose elements are all equal get other values.
"""

import math
import zlib
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ....runtime.frameworks.keras_model import public_class
from ....runtime.frameworks.tensors import HostArray, flatten, rebuild
from ..operations.operation import rounded
from ..tolerance import FORMATS
from .clone import variables
from .recorded_calls import Call
from .runner import Cotangent, Work

_RANDOM = ("Dropout", "Random", "Noise", "AlphaDropout", "GaussianDropout")

#: Numbers of examples that a layer is called with again, if it was given more than that.
_FEWER = (3, 1)

#: Of normally distributed inputs: what is far beyond where elementary functions saturate (the exponential at 88.7), and what
#: is just beyond.
_LARGE = 64.0
_SATURATED = 4.0


class Way(NamedTuple):
    """One of the ways in which a layer is called, with weights of its outputs of its own: so gradients differ, too.

    Attributes
    ----------
    note : str
        What is said of it where the layer is wrong in this way only.
    stale : bool
        If a result may be left from a call before.
    optional : bool
        If it is left out where the CPU cannot do it.
    stress : bool
        If outputs alone are compared, one example at a time.
    """

    work: Work
    cotangent: Cotangent
    note: str = ""
    stale: bool = False
    optional: bool = False
    stress: bool = False


def ways_to_call(runner: Any, call: Call, seed: int, corners: bool = True) -> List[Way]:
    """Return the ways in which a recorded call is repeated; none if there is nothing to compare.

    Parameters
    ----------
    corners : bool
        If not, other inputs of the same kind take the place of those that reach the corners.
    """
    first = Work(call.args, call.kwargs, runner.weights(call.layer))
    if not any(isinstance(leaf, HostArray) for leaf in first.leaves):
        return []
    own = [_cotangent(seed + place, call.path) for place in range(4)]
    ways = [Way(first, own[0])]
    other = first
    if runner.weights_are_free:
        weights = list(first.weights)
        for place in runner.trained(call.layer):  # what is not trained may be held elsewhere, too
            weights[place] = unequal(weights[place], seed)
        other = first._replace(weights=weights)
    if corners:
        note = "with inputs that are large, equal, zero or subnormal"
        ways.append(Way(stress_inputs(first), _no_gradients, note, stale=True, optional=True, stress=True))
        for count, cotangent in zip(_fewer(runner, call, _count(first)), (own[1], own[3])):
            note = "with %d example%s" % (count, "s" * (count > 1))
            ways.append(Way(fewer_inputs(other, count), cotangent, note, optional=True))
    else:
        ways.append(Way(other_inputs(first), own[1], stale=True))
    if _has_training_mode(call):
        ways.append(Way(other._replace(kwargs=dict(first.kwargs, training=True)), own[2], "in training"))
    return ways


def way_of_whole(runner: Any, inputs: Any, with_loss: bool, seed: int) -> Way:
    """Return how the whole model is called: in inference, with the gradient of the loss if there is one."""
    model = runner.model
    given = rebuild(inputs, [HostArray(leaf, str(leaf.dtype)) for _, leaf in flatten(inputs)])
    name = str(getattr(model, "name", "") or type(model).__name__)
    work = Work((given,), {"training": False}, runner.weights(model))
    return Way(work, _of_loss if with_loss else _cotangent(seed, name))


def other_inputs(work: Work) -> Work:
    """Return other examples of the same kind: in reverse order, and floats a little smaller."""
    return _changed(work, lambda held: _other(held, held.array.shape[0]) if held.array.ndim else held)


def fewer_inputs(work: Work, count: int) -> Work:
    """Return that many other examples; what is not along the first axis stays as it is."""
    every = _count(work)
    return _changed(work, lambda held: _other(held, count) if held.array.shape[:1] == (every,) else held)


def _fewer(runner: Any, call: Call, given: int) -> List[int]:
    """Return with how many examples a layer is called again; a compiler of its own shapes does it for what multiplies."""
    counts = [count for count in _FEWER if count < given]
    if runner.tensors.compiles:
        return counts[:1] if any(len(item.shape) > 1 for item in variables(call.layer)) else []
    return counts


def _count(work: Work) -> int:
    """Return how many examples there are: as long as the first array is."""
    lengths = [leaf.array.shape[0] for leaf in work.leaves if isinstance(leaf, HostArray) and leaf.array.ndim > 1]
    return int(lengths[0]) if lengths else 0


def _other(held: HostArray, count: int) -> HostArray:
    values = held.array[::-1][:count]
    if not held.is_float or _holds_whole_numbers(held.array):
        return HostArray(values.copy(), held.dtype)
    return _rounded(0.75 * values.astype(np.float64), held)


def stress_inputs(work: Work) -> Work:
    """Return as many examples, each of a kind that reaches a corner of elementary functions, comparisons and products."""
    return _changed(work, _stressed)


def _stressed(held: HostArray) -> HostArray:
    array = held.array
    if not array.ndim:
        return held
    if not held.is_float or _holds_whole_numbers(array):
        return HostArray(array[::-1].copy(), held.dtype)
    values: np.ndarray = np.where(np.isfinite(array), array, 0.0)[::-1].astype(np.float64)
    size = float(np.sqrt(np.mean(values**2))) or 1.0
    least = FORMATS[held.dtype].smallest_normal
    with np.errstate(all="ignore"):
        kinds = (
            _LARGE * values,
            np.clip(np.round(values / size), -1.0, 1.0) * size,  # ties
            np.zeros_like(values),
            _SATURATED * np.sign(values) + values / size,
            0.3 * least * values / size,  # subnormal
            math.sqrt(least) * values / size,  # tiny, but not subnormal
            values,
        )
    number = np.arange(array.shape[0]) if array.ndim > 1 else np.arange(array.size)
    chosen: np.ndarray = number % len(kinds)
    result = values.copy()
    for place, kind in enumerate(kinds):
        result[chosen == place] = kind[chosen == place]
    return _rounded(result, held)


def unequal(held: HostArray, seed: int) -> HostArray:
    """Return a weight with others if its elements are all equal, as of a new bias: zeros hide whether they are added."""
    array = held.array
    if not held.is_float or array.size < 2 or np.any(array != array.flat[0]):
        return held
    moves = np.random.RandomState([seed & 0xFFFFFFFF, 61]).uniform(-0.25, 0.25, array.shape)
    return _rounded(moves * array + array if array.any() else moves, held)


def without_subnormals(work: Work) -> Work:
    """Return the same inputs as a device takes them that has no subnormal numbers."""

    def one(held: HostArray) -> HostArray:
        if not held.is_float:
            return held
        tiny = np.abs(held.array) < FORMATS[held.dtype].smallest_normal
        return HostArray(np.where(tiny, np.zeros_like(held.array), held.array), held.dtype)

    return _changed(work, one)


def with_short_factors(work: Work) -> Work:
    """Return inputs and weights that every arithmetic from bfloat16 on has exactly: then their products are exact, too."""

    def one(held: HostArray) -> HostArray:
        if not held.is_float:
            return held
        return HostArray(rounded(held.array, "bfloat16").astype(held.array.dtype), held.dtype)

    changed = _changed(work, one)
    return changed._replace(weights=[one(item) for item in changed.weights])


def _holds_whole_numbers(array: np.ndarray) -> bool:
    """Whether floats are indices: those of an embedding may not become others than there are."""
    return bool(array.size) and bool(np.all(array == np.round(array)))


def _rounded(values: np.ndarray, held: HostArray) -> HostArray:
    return HostArray(rounded(values, held.dtype).astype(held.array.dtype), held.dtype)


def _changed(work: Work, change: Any) -> Work:
    leaves = [change(leaf) if isinstance(leaf, HostArray) else leaf for leaf in work.leaves]
    args, kwargs = rebuild((work.args, work.kwargs), leaves)
    return Work(args, kwargs, work.weights)


def _has_training_mode(call: Call) -> bool:
    """Whether a layer does something else in training, and the same every time: batch normalization."""
    if "training" not in call.kwargs or hasattr(call.layer, "return_sequences"):
        return False
    trained = {id(item) for item in getattr(call.layer, "trainable_variables", None) or ()}
    others = [item for item in variables(call.layer) if id(item) not in trained and "float" in str(item.dtype)]
    inside = [call] + call.inner
    return bool(others) and not any(_is_random(item.layer) for item in inside) and call.layer.trainable


def _is_random(layer: Any) -> bool:
    rate = getattr(layer, "rate", None) or getattr(layer, "dropout", None)
    return bool(rate) or any(word in public_class(layer)[0] for word in _RANDOM)


def _cotangent(seed: int, name: str) -> Cotangent:
    """Return fixed weights of outputs between a quarter and one, odd numbers of a few bits: no product has fewer digits."""

    def weights(number: int, shape: Tuple[int, ...], _: str) -> Optional[np.ndarray]:
        generator = np.random.RandomState([seed & 0xFFFFFFFF, zlib.crc32(name.encode("utf-8")), number])
        count = int(np.prod(shape, dtype=np.int64))
        drawn = np.frombuffer(generator.bytes(2 * count), "<u2")
        sizes = ((65 + 2 * ((drawn >> 1) % 96)) / np.float32(256)).astype(np.float32)
        signed: np.ndarray = np.where(drawn & 1, sizes, -sizes).reshape(shape)
        return signed

    return weights


def _of_loss(number: int, shape: Tuple[int, ...], _: str) -> Optional[np.ndarray]:
    return np.ones(shape, np.float32) if number == 0 else None


def _no_gradients(number: int, shape: Tuple[int, ...], _: str) -> Optional[np.ndarray]:
    return None
