"""The operations of the suite in PyTorch, as its models write them; see `devicekit.measure.numerics.operations.catalog.KINDS`.

Each function takes the operation's options, with the tried dtype as ``"dtype"`` and the device as ``"device"``, and its
inputs. PyTorch has the channels first: axes are moved on the way in and out.
"""

from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from .tensors import per_axis, same_padding

Options = Mapping[str, Any]


def _alone(name: str, integer: bool = False) -> Callable[..., Any]:
    """A function of `torch` of the inputs alone."""

    def apply(options: Options, *inputs: Any) -> Any:
        found = getattr(torch, name)(*inputs)
        return found.int() if integer else found

    return apply


def _activation(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(F, name)(x)


# Products


def channels_first(x: Any) -> Any:
    """PyTorch's order of axes from the suite's; no copy, as for a model with the memory format channels_last."""
    return x.movedim(-1, 1)


def channels_last(x: Any) -> Any:
    """The suite's order of axes from PyTorch's."""
    return x.movedim(1, -1)


def paddings(
    options: Options, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> List[Tuple[int, int]]:
    """Return what is added before and after each axis."""
    if options.get("padding", "valid") == "valid":
        return [(0, 0)] * len(sizes)
    return [same_padding(*item) for item in zip(sizes, kernel, strides, dilation)]


def padded(x: Any, pairs: Sequence[Tuple[int, int]], value: float = 0.0) -> Tuple[Any, Tuple[int, ...]]:
    """Return an array with what has to be added to it, and what the operation itself can add: as much on both sides."""
    if all(low == high for low, high in pairs):
        return x, tuple(low for low, _ in pairs)
    flat = [amount for pair in reversed(pairs) for amount in pair]
    return F.pad(x, flat, value=value), (0,) * len(pairs)


def _matmul(options: Options, a: Any, b: Any) -> Any:
    a = a.transpose(-1, -2) if options.get("transpose_a") else a
    b = b.transpose(-1, -2) if options.get("transpose_b") else b
    return a @ b


def _convolution(axes: int) -> Callable[..., Any]:
    def convolution(options: Options, x: Any, kernel: Any) -> Any:
        # (k, in, out) of Keras is (out, in, k) here.
        weight = kernel.movedim((-1, -2), (0, 1))
        return _convolve(axes, options, x, weight, int(options.get("groups", 1)))

    return convolution


def _convolve(axes: int, options: Options, x: Any, weight: Any, groups: int) -> Any:
    strides, dilation = per_axis(options.get("strides", 1), axes), per_axis(options.get("dilation", 1), axes)
    pairs = paddings(options, x.shape[1:-1], weight.shape[2:], strides, dilation)
    x, padding = padded(channels_first(x), pairs)
    function = (F.conv1d, F.conv2d, F.conv3d)[axes - 1]
    return channels_last(function(x, weight, None, strides, padding, dilation, groups))


def _depthwise(options: Options, x: Any, kernel: Any) -> Any:
    height, width, inputs, multiplier = kernel.shape
    weight = kernel.permute(2, 3, 0, 1).reshape(inputs * multiplier, 1, height, width)
    return _convolve(2, options, x, weight, inputs)


def _separable(options: Options, x: Any, depthwise: Any, pointwise: Any) -> Any:
    return _convolve(2, {}, _depthwise(options, x, depthwise), pointwise.permute(3, 2, 0, 1), 1)


def _conv2d_transpose(options: Options, x: Any, kernel: Any) -> Any:
    strides, sizes = per_axis(options.get("strides", 1), 2), per_axis(options["output_size"], 2)
    before = [low for low, _ in paddings(options, sizes, kernel.shape[:2], strides, (1, 1))]
    whole = F.conv_transpose2d(channels_first(x), kernel.permute(3, 2, 0, 1), None, strides)
    # What the padding of the convolution had added is cut off again; what no kernel reached is zero.
    cut = []
    for axis in (1, 0):
        cut += [-before[axis], sizes[axis] + before[axis] - whole.shape[2 + axis]]
    return channels_last(F.pad(whole, cut))


def _attention(options: Options, q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = torch.einsum("nhqd,nhkd->nhqk", q, k) * options["scale"]
    scores = torch.where(mask != 0, scores, torch.tensor(-30000.0, dtype=scores.dtype, device=scores.device))
    return torch.einsum("nhqk,nhkd->nhqd", torch.softmax(scores, dim=-1), v)


def _lstm(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    zeros = x.new_zeros((1, x.shape[0], recurrent.shape[0]))
    # cuDNN takes no transposed view.
    weights = [kernel.t().contiguous(), recurrent.t().contiguous(), bias, torch.zeros_like(bias)]
    # As in training, for cuDNN has no gradient otherwise; nothing is dropped.
    states, _, last = torch.lstm(x, (zeros, zeros), weights, True, 1, 0.0, True, False, True)
    return states, last[0]


def _gru(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    def ordered(gates: Any) -> Any:  # reset, update, candidate
        z, r, h = torch.chunk(gates, 3, dim=-1)
        return torch.cat([r, z, h], dim=-1)

    zeros = x.new_zeros((1, x.shape[0], recurrent.shape[0]))
    weights = [ordered(kernel).t().contiguous(), ordered(recurrent).t().contiguous(), *map(ordered, bias)]
    return torch.gru(x, zeros, weights, True, 1, 0.0, True, False, True)[0]


# Pooling and resizing


def _windows(options: Options, x: Any, axes: int) -> Tuple[Tuple[int, ...], Tuple[int, ...], Sequence[Tuple[int, int]]]:
    size = per_axis(options["size"], axes)
    strides = per_axis(options.get("strides", size), axes)
    return size, strides, paddings(options, x.shape[1:-1], size, strides, (1,) * axes)


def _max_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        size, strides, pairs = _windows(options, x, axes)
        x, padding = padded(channels_first(x), pairs, float("-inf"))
        return channels_last(getattr(F, "max_pool%dd" % axes)(x, size, strides, padding))

    return pool


def _average_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        size, strides, pairs = _windows(options, x, axes)
        function = getattr(F, "avg_pool%dd" % axes)
        first = channels_first(x)
        grown, padding = padded(first, pairs)
        found = function(grown, size, strides, padding, count_include_pad=False)
        if grown is not first:
            # What was padded beforehand has been counted: divide by the part that was not.
            ones = padded(torch.ones_like(first[:1, :1]), pairs)[0]
            found = found / function(ones, size, strides)
        return channels_last(found)

    return pool


def _upsample(options: Options, x: Any) -> Any:
    found = F.interpolate(
        channels_first(x), scale_factor=tuple(map(float, per_axis(options["factor"], 2))), mode="nearest"
    )
    return channels_last(found)


def _resize(options: Options, x: Any) -> Any:
    size = per_axis(options["size"], 2)
    found = F.interpolate(channels_first(x), size=size, mode="bilinear", align_corners=False, antialias=False)
    return channels_last(found)


# Normalization


def _batch_norm_training(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    first = channels_first(x)
    found = F.batch_norm(first, None, None, scale, offset, True, 0.0, options["epsilon"])
    return channels_last(found)


def _batch_norm_inference(options: Options, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    if mean.requires_grad or variance.requires_grad:  # PyTorch's function has no gradient for them
        return (x - mean) * torch.rsqrt(variance + options["epsilon"]) * scale + offset
    found = F.batch_norm(channels_first(x), mean, variance, scale, offset, False, 0.0, options["epsilon"])
    return channels_last(found)


def _group_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    found = F.group_norm(channels_first(x), int(options["groups"]), scale, offset, options["epsilon"])
    return channels_last(found)


def _rms_norm(options: Options, x: Any, scale: Any) -> Any:
    function = getattr(F, "rms_norm", None)  # since 2.4
    if function is not None:
        return function(x, x.shape[-1:], scale, options["epsilon"])
    mean = x.square().mean(dim=-1, keepdim=True)
    return x * torch.rsqrt(mean + options["epsilon"]) * scale


# Losses


def _sparse_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return F.cross_entropy(logits, labels.long(), reduction="none")


def _sigmoid_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return F.binary_cross_entropy_with_logits(logits, labels, reduction="none")


# Tables and indices


def _segment_sum(options: Options, x: Any, segments: Any) -> Any:
    zeros = x.new_zeros((int(options["count"]),) + tuple(x.shape[1:]))
    return zeros.index_add(0, segments, x)


# Reductions, sorting


def _over_axes(name: str, **more: Any) -> Callable[..., Any]:
    return lambda options, x: getattr(torch, name)(x, dim=tuple(options["axes"]), **more)


def _prod(options: Options, x: Any) -> Any:
    for axis in sorted((axis % x.dim() for axis in options["axes"]), reverse=True):
        x = x.prod(dim=axis)
    return x


def _top_k(options: Options, x: Any) -> Any:
    values, indices = x.topk(int(options["k"]), dim=-1)
    return values, indices.int()


# Casts


def _cast(options: Options, x: Any) -> Any:
    there = x.to(getattr(torch, options["to"]))
    return there if options["to"] == "int32" else there.to(x.dtype)


# Data movement


def _pad(options: Options, x: Any) -> Any:
    pairs = [tuple(pair) for pair in options["paddings"]]
    if options.get("mode", "constant") == "constant":
        return padded(x, pairs)[0] if any(low != high for low, high in pairs) else _pad_all(x, pairs)
    if x.dim() == 4 and pairs[0] == pairs[3] == (0, 0):  # images
        flat = [amount for pair in reversed(pairs[1:3]) for amount in pair]
        return channels_last(F.pad(channels_first(x), flat, mode="reflect"))
    for axis, pair in enumerate(pairs):  # PyTorch reflects the last axes only
        order = np.pad(np.arange(x.shape[axis]), pair, mode="reflect")
        x = x.index_select(axis, torch.as_tensor(order, device=x.device))
    return x


def _pad_all(x: Any, pairs: Sequence[Tuple[int, int]]) -> Any:
    return F.pad(x, [amount for pair in reversed(pairs) for amount in pair])


def _depth_to_space(options: Options, x: Any) -> Any:
    count, height, width, channels = x.shape
    block = int(options["block"])
    parts = x.reshape(count, height, width, block, block, channels // block**2).permute(0, 1, 3, 2, 4, 5)
    return parts.reshape(count, height * block, width * block, channels // block**2)


KINDS: Dict[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "einsum": lambda options, a, b: torch.einsum(options["equation"], a, b),
    "dense": lambda options, x, kernel, bias: F.linear(x, kernel.t(), bias),
    "conv1d": _convolution(1),
    "conv2d": _convolution(2),
    "conv3d": _convolution(3),
    "depthwise_conv2d": _depthwise,
    "separable_conv2d": _separable,
    "conv2d_transpose": _conv2d_transpose,
    "attention": _attention,
    "lstm": _lstm,
    "gru": _gru,
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
    "layer_norm": lambda options, x, scale, offset: F.layer_norm(x, x.shape[-1:], scale, offset, options["epsilon"]),
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax": lambda options, x: torch.softmax(x, dim=-1),
    "log_softmax": lambda options, x: torch.log_softmax(x, dim=-1),
    "softmax_cross_entropy": lambda options, logits, labels: F.cross_entropy(logits, labels, reduction="none"),
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "embedding": lambda options, table, ids: F.embedding(ids, table),
    "gather": lambda options, x, indices: x.index_select(int(options["axis"]), indices),
    "scatter_add": lambda options, x, indices, updates: x.index_add(0, indices, updates),
    "scatter_update": lambda options, x, indices, updates: x.index_copy(0, indices.long(), updates),
    "segment_sum": _segment_sum,
    "one_hot": lambda options, indices: F.one_hot(indices.long(), int(options["depth"])).to(options["dtype"]),
    "sum": _over_axes("sum"),
    "mean": _over_axes("mean"),
    "max": _over_axes("amax"),
    "min": _over_axes("amin"),
    "prod": _prod,
    "variance": _over_axes("var", unbiased=False),
    "logsumexp": _over_axes("logsumexp"),
    "l2_norm": lambda options, x: torch.linalg.vector_norm(x, dim=tuple(options["axes"])),
    "cumsum": lambda options, x: x.cumsum(dim=int(options["axis"])),
    "argmax": lambda options, x: x.argmax(dim=int(options["axis"])).int(),
    "argmin": lambda options, x: x.argmin(dim=int(options["axis"])).int(),
    "sort": lambda options, x: x.sort(dim=-1, descending=bool(options.get("descending")))[0],
    "top_k": _top_k,
    "identity": lambda options, x: x.clone(),
    "leaky_relu": lambda options, x: F.leaky_relu(x, options["slope"]),
    "gelu": lambda options, x: F.gelu(x, approximate="tanh" if options.get("approximate") else "none"),
    "is_finite": _alone("isfinite", integer=True),
    "less": _alone("lt", integer=True),
    "equal": _alone("eq", integer=True),
    "where": lambda options, mask, a, b: torch.where(mask != 0, a, b),
    "power": _alone("pow"),
    "integer_add": _alone("add"),
    "integer_multiply": _alone("mul"),
    "integer_floor_divide": lambda options, a, b: torch.div(a, b, rounding_mode="floor"),
    "integer_floor_mod": _alone("remainder"),
    "cast": _cast,
    "quantise_int8": lambda options, x: torch.round(x / options["scale"]).clamp(-128, 127).to(torch.int8).int(),
    "dequantise_int8": lambda options, x: x.to(torch.int8).to(options["dtype"]) * options["scale"],
    "concat": lambda options, *inputs: torch.cat(inputs, dim=int(options["axis"])),
    "split": lambda options, x: torch.chunk(x, int(options["count"]), dim=int(options["axis"])),
    "pad": _pad,
    "transpose": lambda options, x: x.permute(*options["permutation"]),
    "strided_slice": lambda options, x: x[tuple(map(slice, options["begin"], options["end"], options["strides"]))],
    "tile": lambda options, x: x.repeat(*options["multiples"]),
    "reverse": lambda options, x: torch.flip(x, dims=per_axis(options["axis"], 1)),
    "depth_to_space": _depth_to_space,
}
KINDS.update((name, _activation(name)) for name in ("relu", "relu6", "elu", "silu", "softplus"))
KINDS.update((name, _alone(name)) for name in ("tanh", "sigmoid", "erf", "exp", "expm1", "log", "log1p", "sqrt"))
KINDS.update((name, _alone(name)) for name in ("rsqrt", "reciprocal", "square", "abs", "sin", "cos", "floor", "round"))
KINDS.update((name, _alone(name)) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum"))
