"""The operations of the suite in PyTorch, as its models write them; see `devicekit.measure.numerics.operations.catalog.KINDS`.

Each function takes the operation's options, with the tried dtype as ``"dtype"`` and the device as ``"device"``, and its
inputs. PyTorch has the channels first: axes are moved on the way in and out.
"""

from typing import Any, Callable, Dict, Sequence, Tuple

import numpy as np

from .kinds_torch_linear import LINEAR, Options, channels_first, channels_last, each, padded, paddings


def _torch() -> Any:
    import torch

    return torch


def _functional() -> Any:
    import torch.nn.functional

    return torch.nn.functional


def _alone(name: str, integer: bool = False) -> Callable[..., Any]:
    """A function of `torch` of the inputs alone."""

    def apply(options: Options, *inputs: Any) -> Any:
        found = getattr(_torch(), name)(*inputs)
        return found.int() if integer else found

    return apply


def _activation(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(_functional(), name)(x)


# Pooling and resizing


def _windows(options: Options, x: Any, axes: int) -> Tuple[Tuple[int, ...], Tuple[int, ...], Sequence[Tuple[int, int]]]:
    size = each(options["size"], axes)
    strides = each(options.get("strides", size), axes)
    return size, strides, paddings(options, x.shape[1:-1], size, strides, (1,) * axes)


def _max_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        size, strides, pairs = _windows(options, x, axes)
        x, padding = padded(channels_first(x), pairs, float("-inf"))
        return channels_last(getattr(_functional(), "max_pool%dd" % axes)(x, size, strides, padding))

    return pool


def _average_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        size, strides, pairs = _windows(options, x, axes)
        function = getattr(_functional(), "avg_pool%dd" % axes)
        first = channels_first(x)
        grown, padding = padded(first, pairs)
        found = function(grown, size, strides, padding, count_include_pad=False)
        if grown is not first:
            # What was padded beforehand has been counted: divide by the part that was not.
            ones = padded(_torch().ones_like(first[:1, :1]), pairs)[0]
            found = found / function(ones, size, strides)
        return channels_last(found)

    return pool


def _upsample(options: Options, x: Any) -> Any:
    found = _functional().interpolate(
        channels_first(x), scale_factor=tuple(map(float, each(options["factor"], 2))), mode="nearest"
    )
    return channels_last(found)


def _resize(options: Options, x: Any) -> Any:
    size = each(options["size"], 2)
    found = _functional().interpolate(
        channels_first(x), size=size, mode="bilinear", align_corners=False, antialias=False
    )
    return channels_last(found)


# Normalization


def _batch_norm_training(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    first = channels_first(x)
    found = _functional().batch_norm(first, None, None, scale, offset, True, 0.0, options["epsilon"])
    return channels_last(found)


def _batch_norm_inference(options: Options, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    if mean.requires_grad or variance.requires_grad:  # PyTorch's function has no gradient for them
        return (x - mean) * _torch().rsqrt(variance + options["epsilon"]) * scale + offset
    found = _functional().batch_norm(channels_first(x), mean, variance, scale, offset, False, 0.0, options["epsilon"])
    return channels_last(found)


def _layer_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    return _functional().layer_norm(x, x.shape[-1:], scale, offset, options["epsilon"])


def _group_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    found = _functional().group_norm(channels_first(x), int(options["groups"]), scale, offset, options["epsilon"])
    return channels_last(found)


def _rms_norm(options: Options, x: Any, scale: Any) -> Any:
    function = getattr(_functional(), "rms_norm", None)  # since 2.4
    if function is not None:
        return function(x, x.shape[-1:], scale, options["epsilon"])
    mean = x.square().mean(dim=-1, keepdim=True)
    return x * _torch().rsqrt(mean + options["epsilon"]) * scale


# Losses


def _cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return _functional().cross_entropy(logits, labels, reduction="none")


def _sparse_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return _functional().cross_entropy(logits, labels.long(), reduction="none")


def _sigmoid_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return _functional().binary_cross_entropy_with_logits(logits, labels, reduction="none")


# Tables and indices


def _segment_sum(options: Options, x: Any, segments: Any) -> Any:
    zeros = x.new_zeros((int(options["count"]),) + tuple(x.shape[1:]))
    return zeros.index_add(0, segments, x)


def _one_hot(options: Options, indices: Any) -> Any:
    return _functional().one_hot(indices.long(), int(options["depth"])).to(options["dtype"])


# Reductions, sorting


def _over_axes(name: str, **more: Any) -> Callable[..., Any]:
    return lambda options, x: getattr(_torch(), name)(x, dim=tuple(options["axes"]), **more)


def _prod(options: Options, x: Any) -> Any:
    for axis in sorted((axis % x.dim() for axis in options["axes"]), reverse=True):
        x = x.prod(dim=axis)
    return x


def _l2_norm(options: Options, x: Any) -> Any:
    return _torch().linalg.vector_norm(x, dim=tuple(options["axes"]))


def _top_k(options: Options, x: Any) -> Any:
    values, indices = x.topk(int(options["k"]), dim=-1)
    return values, indices.int()


# Casts


def _cast(options: Options, x: Any) -> Any:
    there = x.to(getattr(_torch(), options["to"]))
    return there if options["to"] == "int32" else there.to(x.dtype)


def _quantise(options: Options, x: Any) -> Any:
    return _torch().round(x / options["scale"]).clamp(-128, 127).to(_torch().int8).int()


def _dequantise(options: Options, x: Any) -> Any:
    return x.to(_torch().int8).to(options["dtype"]) * options["scale"]


# Data movement


def _strided_slice(options: Options, x: Any) -> Any:
    return x[tuple(map(slice, options["begin"], options["end"], options["strides"]))]


def _pad(options: Options, x: Any) -> Any:
    pairs = [tuple(pair) for pair in options["paddings"]]
    if options.get("mode", "constant") == "constant":
        return padded(x, pairs)[0] if any(low != high for low, high in pairs) else _pad_all(x, pairs)
    if x.dim() == 4 and pairs[0] == pairs[3] == (0, 0):  # images
        flat = [amount for pair in reversed(pairs[1:3]) for amount in pair]
        return channels_last(_functional().pad(channels_first(x), flat, mode="reflect"))
    for axis, pair in enumerate(pairs):  # PyTorch reflects the last axes only
        order = np.pad(np.arange(x.shape[axis]), pair, mode="reflect")
        x = x.index_select(axis, _torch().as_tensor(order, device=x.device))
    return x


def _pad_all(x: Any, pairs: Sequence[Tuple[int, int]]) -> Any:
    return _functional().pad(x, [amount for pair in reversed(pairs) for amount in pair])


def _depth_to_space(options: Options, x: Any) -> Any:
    count, height, width, channels = x.shape
    block = int(options["block"])
    parts = x.reshape(count, height, width, block, block, channels // block**2).permute(0, 1, 3, 2, 4, 5)
    return parts.reshape(count, height * block, width * block, channels // block**2)


def _flip(options: Options, x: Any) -> Any:
    return _torch().flip(x, dims=each(options["axis"], 1))


KINDS: Dict[str, Callable[..., Any]] = {
    "max_pool1d": _max_pool(1),
    "max_pool2d": _max_pool(2),
    "max_pool3d": _max_pool(3),
    "average_pool2d": _average_pool(2),
    "average_pool3d": _average_pool(3),
    "global_average_pool2d": lambda options, x: x.mean(dim=(1, 2)),
    "global_max_pool2d": lambda options, x: x.amax(dim=(1, 2)),
    "upsample_nearest": _upsample,
    "resize_bilinear": _resize,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_inference": _batch_norm_inference,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax": lambda options, x: _torch().softmax(x, dim=-1),
    "log_softmax": lambda options, x: _torch().log_softmax(x, dim=-1),
    "softmax_cross_entropy": _cross_entropy,
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "embedding": lambda options, table, ids: _functional().embedding(ids, table),
    "gather": lambda options, x, indices: x.index_select(int(options["axis"]), indices),
    "scatter_add": lambda options, x, indices, updates: x.index_add(0, indices, updates),
    "scatter_update": lambda options, x, indices, updates: x.index_copy(0, indices.long(), updates),
    "segment_sum": _segment_sum,
    "one_hot": _one_hot,
    "sum": _over_axes("sum"),
    "mean": _over_axes("mean"),
    "max": _over_axes("amax"),
    "min": _over_axes("amin"),
    "prod": _prod,
    "variance": _over_axes("var", unbiased=False),
    "logsumexp": _over_axes("logsumexp"),
    "l2_norm": _l2_norm,
    "cumsum": lambda options, x: x.cumsum(dim=int(options["axis"])),
    "argmax": lambda options, x: x.argmax(dim=int(options["axis"])).int(),
    "argmin": lambda options, x: x.argmin(dim=int(options["axis"])).int(),
    "sort": lambda options, x: x.sort(dim=-1, descending=bool(options.get("descending")))[0],
    "top_k": _top_k,
    "identity": lambda options, x: x.clone(),
    "leaky_relu": lambda options, x: _functional().leaky_relu(x, options["slope"]),
    "gelu": lambda options, x: _functional().gelu(x, approximate="tanh" if options.get("approximate") else "none"),
    "is_finite": _alone("isfinite", integer=True),
    "less": _alone("lt", integer=True),
    "equal": _alone("eq", integer=True),
    "where": lambda options, mask, a, b: _torch().where(mask != 0, a, b),
    "power": _alone("pow"),
    "integer_add": _alone("add"),
    "integer_multiply": _alone("mul"),
    "integer_floor_divide": lambda options, a, b: _torch().div(a, b, rounding_mode="floor"),
    "integer_floor_mod": _alone("remainder"),
    "cast": _cast,
    "quantise_int8": _quantise,
    "dequantise_int8": _dequantise,
    "concat": lambda options, *inputs: _torch().cat(inputs, dim=int(options["axis"])),
    "split": lambda options, x: _torch().chunk(x, int(options["count"]), dim=int(options["axis"])),
    "pad": _pad,
    "transpose": lambda options, x: x.permute(*options["permutation"]),
    "strided_slice": _strided_slice,
    "tile": lambda options, x: x.repeat(*options["multiples"]),
    "reverse": _flip,
    "depth_to_space": _depth_to_space,
}
KINDS.update((name, _activation(name)) for name in ("relu", "relu6", "elu", "silu", "softplus"))
KINDS.update((name, _alone(name)) for name in ("tanh", "sigmoid", "erf", "exp", "expm1", "log", "log1p", "sqrt"))
KINDS.update((name, _alone(name)) for name in ("rsqrt", "reciprocal", "square", "abs", "sin", "cos", "floor", "round"))
KINDS.update((name, _alone(name)) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum"))
KINDS.update(LINEAR)
