"""Whether the products of a layer show the coarse arithmetic that its errors look like: nothing else excuses them."""

from typing import Any, Dict, List, Sequence, Set

import numpy as np

from ....runtime.frameworks.keras_model import public_class
from ....runtime.frameworks.tensors import HostArray
from ..measures import measure
from ..result import Difference
from ..tolerance import ARITHMETICS
from .clone import variables
from .reference import arrays_in
from .runner import Work, names_of
from .ways import with_short_factors

#: Keras's layers and operations that multiply arrays without having a weight for it.
_MULTIPLY = ("Dot", "Attention", "Matmul", "Einsum", "Inner", "Outer", "Vdot", "Correlate", "Conv")

#: A coarse elementary function of a layer without weights: up to a quarter of TF32's roundoff, relatively.
_SLIGHT = 1.0 / 8192

_REDUCED = "reduced-precision"

#: How many different numbers show that results are rounded, and how many of float32's bits these formats lack.
_SEVERAL = 4
_LOST = (("bfloat16", 16), ("float16", 13))

#: Keras's operations that multiply arrays, none of which is a weight.
_WITHOUT_KERNEL = ("Dot", "Matmul", "Einsum")

#: Keras's layers whose products have inputs and weights as factors, and nothing that the layer has computed.
_OF_INPUTS = (
    "Dense", "EinsumDense", "LSTMCell", "GRUCell", "SimpleRNNCell", "Conv1D", "Conv2D", "Conv3D",
    "DepthwiseConv1D", "DepthwiseConv2D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose",
)  # fmt: skip

#: What is left of an error that comes from rounded factors, if there is nothing to round in them: sums, as tensor cores cut
#: them, and a fast convolution's sums of factors.
_LEFT = 1.0 / 8

#: Activations that are straight but for kinks: what comes back through them has the factors that went in.
_STRAIGHT = ("", "linear", "relu", "leaky_relu", "relu6")


def has_products(layer: Any) -> bool:
    """Return whether a layer multiplies arrays, so that it may do so in a coarser arithmetic; a layer of the user may."""
    name, of_keras = public_class(layer)
    if not of_keras or any(word in name for word in _MULTIPLY):
        return True
    return bool(kernels_of(layer))


def kernels_of(layer: Any) -> Set[str]:
    """Return the names of a layer's weights that inputs are multiplied by; a table that is looked up is none of them."""
    if public_class(layer)[0] == "Embedding":
        return set()
    trained = {id(item) for item in getattr(layer, "trainable_variables", None) or ()}
    pairs = zip(names_of(layer), variables(layer))
    return {name for name, item in pairs if id(item) in trained and len(item.shape) > 1}


def shown_by_products(layer: Any, items: Sequence[Difference]) -> bool:
    """Return whether the verdicts on a layer's first call, for ordinary inputs, show that its products are coarser."""
    verdicts: Dict[str, str] = {item.what.partition(", call")[0]: item.verdict for item in items}
    if not has_products(layer):
        return False
    if not any(verdict == _REDUCED for what, verdict in verdicts.items() if what.startswith("output")):
        return False
    kernels = [verdicts[what] for what in ("gradient of %s" % name for name in kernels_of(layer)) if what in verdicts]
    return not kernels or any(verdict != "agrees" for verdict in kernels)


def vanishes_with_short_factors(
    runner: Any, layer: Any, case: Any, device: str, whats: Sequence[str], items: Sequence[Difference]
) -> bool:
    """Return whether a coarse output is exact if there is nothing to round in the factors of the layer's products.

    What is coarse even then is not its products, but what it does with them. True where that cannot be found out.
    """
    coarse = [item for item in items if is_excused(item) and item.kind == "layer" and item.arithmetic != "float16"]
    if not coarse or not _of_inputs(layer) or not runner.weights_are_free:
        return True
    return not any(_with_short_factors(runner, layer, case, device, whats, coarse))


def lone_products(
    runner: Any, layer: Any, case: Any, device: str, whats: Sequence[str], items: Sequence[Difference]
) -> Set[str]:
    """Return which products of a layer are coarse in themselves, while others are exact.

    cuDNN has a kernel for each of output, gradient of the input and gradient of the kernel, and takes what is fastest for
    the shape: one of the three may use tensor cores where the others do not.
    """
    products = ("output", "gradient of input", *("gradient of %s" % name for name in kernels_of(layer)))
    coarse = [item for item in items if has_products(layer) and is_excused(item) and item.what.startswith(products)]
    if not coarse or not public_class(layer)[1]:
        return set()
    bends = getattr(getattr(layer, "activation", None), "__name__", "")
    # Where factors cannot be chosen, as those that come back through an activation, only the finest is believed.
    free = runner.weights_are_free and _of_inputs(layer)
    left = _with_short_factors(runner, layer, case, device, whats, coarse) if free else []

    def coarse_in_itself(place: int, item: Difference) -> bool:
        if free and bends in _STRAIGHT:
            return not left[place]
        if free and item.what.startswith("output"):
            return not left[place] or _is_slight(item)  # a coarse activation
        return item.arithmetic == "tf32"

    return {item.what for place, item in enumerate(coarse) if coarse_in_itself(place, item)}


def _of_inputs(layer: Any) -> bool:
    name, of_keras = public_class(layer)
    return of_keras and name in _OF_INPUTS


def _with_short_factors(
    runner: Any, layer: Any, case: Any, device: str, whats: Sequence[str], coarse: Sequence[Difference]
) -> List[bool]:
    """Return for each coarse array whether it is wrong even with factors in which there is nothing to round."""
    short, cotangent = with_short_factors(case.work), case.reference.cotangent
    right = arrays_in(case.reference.compute(short))
    found = arrays_in(runner.run(runner.for_device(layer, short, device), short, device, False, cotangent, None))
    wrong = []
    for item in coarse:
        place = whats.index(item.what)
        error = measure(found[place], right[place], dtype="float32", tolerance=1.0).max_relative_error
        wrong.append(item.measure is None or error > _LEFT * item.measure.max_relative_error)
    return wrong


def is_excused(item: Difference) -> bool:
    """Return whether a coarser arithmetic is the excuse of a float32 array; sums of half precision need no products."""
    return item.verdict == _REDUCED and item.measure is not None and item.measure.dtype == "float32"


def _is_slight(item: Difference) -> bool:
    return item.measure is not None and item.measure.max_relative_error <= _SLIGHT


def without_short_result(layer: Any, item: Difference, actual: np.ndarray, work: Work) -> Difference:
    """Return the verdict on an array: what has half precision's digits only was rounded itself, and not its factors.

    Products of two rounded factors have more, unless a factor is short from the start, as pixels are.
    """
    factors = [leaf.array for leaf in work.leaves if isinstance(leaf, HostArray) and leaf.is_float]
    factors += [weight.array for weight in work.weights if weight.is_float and weight.array.ndim > 1]
    if not is_excused(item) or item.arithmetic == "float16" or not kernels_of(layer) or any(map(_short, factors)):
        return item
    name = _short(actual)
    if not name or len(np.unique(actual[actual != 0])) < _SEVERAL:
        return item
    return item.replace(verdict="differs", arithmetic="", detail="rounded to %s; float32 is expected" % name)


def _short(values: np.ndarray) -> str:
    """Return the half precision whose digits are enough for all these numbers, or ""."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return next((name for name, lost in _LOST if not np.any(bits & ((1 << lost) - 1))), "")


def without_excuses(layer: Any, items: Sequence[Difference], shown: bool, alone: Set[str]) -> List[Difference]:
    """Return the verdicts on a layer with "reduced-precision" only if its products show that; ``alone``: these do."""
    if shown:
        return list(items)
    weights = bool(variables(layer))

    def strict(item: Difference) -> Difference:
        if not is_excused(item) or item.what in alone:
            return item
        if _is_slight(item) and not weights and public_class(layer)[1]:  # an elementary function, as of an activation
            return item
        detail = "no coarser arithmetic explains it: the products of this layer are as exact as they should be"
        if not has_products(layer):
            detail = "no coarser arithmetic explains it: this layer multiplies nothing"
        return item.replace(verdict="differs", arithmetic="", detail=detail)

    return [strict(item) for item in items]


def coarsest_shown(items: Sequence[Difference], device: str) -> str:
    """Return the coarsest arithmetic that the layers of a model show on a device instead of float32; "" if none."""
    own = [item for item in items if item.kind != "model" and item.device == device and is_excused(item)]
    shown = {item.arithmetic for item in own if item.measure and item.measure.max_relative_error > _SLIGHT}
    return next((name for name in reversed(ARITHMETICS) if name in shown), "")


def as_layers_show(items: Sequence[Difference]) -> List[Difference]:
    """Return all verdicts with "reduced-precision" where no other layer shows the contrary.

    A layer has to show the arithmetic of a whole model. One coarser than TF32, which libraries choose product by product, is
    a setting: an attention, whose factors cannot be chosen, has it only if layers have it whose factors can.
    """
    layers = [item for item in items if item.kind != "model"]
    single = [
        item for item in layers if item.operation in _OF_INPUTS and item.measure and item.measure.dtype == "float32"
    ]
    asked = {item.device for item in single}
    shown = {item.device for item in single if item.verdict == _REDUCED}

    def strict(item: Difference) -> Difference:
        inside = "Attention" in item.operation or item.operation in _WITHOUT_KERNEL
        if is_excused(item) and inside and item.arithmetic != "tf32" and item.device in asked - shown:
            return item.replace(verdict="differs", arithmetic="", detail="the products of other layers are exact")
        return item

    found = [strict(item) for item in items]
    excused = {item.device for item in found if item.kind != "model" and item.verdict == _REDUCED}
    detail = "no layer shows a coarser arithmetic that would explain it"
    return [
        item.replace(verdict="differs", arithmetic="", detail=detail)
        if item.kind == "model" and is_excused(item) and layers and item.device not in excused
        else item
        for item in found
    ]
