"""The products of the suite in PyTorch: matrices, convolutions, attention and recurrent layers; see `kinds_torch`."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from .operation import same_padding

Options = Any


def each(value: Any, count: int) -> Tuple[int, ...]:
    """One number for each axis."""
    return (int(value),) * count if isinstance(value, int) else tuple(int(item) for item in value)


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
    import torch.nn.functional as F  # noqa: N812

    flat = [amount for pair in reversed(pairs) for amount in pair]
    return F.pad(x, flat, value=value), (0,) * len(pairs)


def _matmul(options: Options, a: Any, b: Any) -> Any:
    a = a.transpose(-1, -2) if options.get("transpose_a") else a
    b = b.transpose(-1, -2) if options.get("transpose_b") else b
    return a @ b


def _einsum(options: Options, a: Any, b: Any) -> Any:
    import torch

    return torch.einsum(options["equation"], a, b)


def _dense(options: Options, x: Any, kernel: Any, bias: Any) -> Any:
    import torch.nn.functional as F  # noqa: N812

    return F.linear(x, kernel.t(), bias)


def _convolution(axes: int) -> Callable[..., Any]:
    def convolution(options: Options, x: Any, kernel: Any) -> Any:
        # (k, in, out) of Keras is (out, in, k) here.
        weight = kernel.movedim((-1, -2), (0, 1))
        return _convolve(axes, options, x, weight, int(options.get("groups", 1)))

    return convolution


def _convolve(axes: int, options: Options, x: Any, weight: Any, groups: int) -> Any:
    import torch.nn.functional as F  # noqa: N812

    strides, dilation = each(options.get("strides", 1), axes), each(options.get("dilation", 1), axes)
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
    import torch.nn.functional as F  # noqa: N812

    strides, sizes = each(options.get("strides", 1), 2), each(options["output_size"], 2)
    before = [low for low, _ in paddings(options, sizes, kernel.shape[:2], strides, (1, 1))]
    whole = F.conv_transpose2d(channels_first(x), kernel.permute(3, 2, 0, 1), None, strides)
    # What the padding of the convolution had added is cut off again; what no kernel reached is zero.
    cut = []
    for axis in (1, 0):
        cut += [-before[axis], sizes[axis] + before[axis] - whole.shape[2 + axis]]
    return channels_last(F.pad(whole, cut))


def _attention(options: Options, q: Any, k: Any, v: Any, mask: Any) -> Any:
    import torch

    scores = torch.einsum("nhqd,nhkd->nhqk", q, k) * options["scale"]
    scores = torch.where(mask != 0, scores, torch.tensor(-30000.0, dtype=scores.dtype, device=scores.device))
    return torch.einsum("nhqk,nhkd->nhqd", torch.softmax(scores, dim=-1), v)


def _lstm(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    import torch

    zeros = x.new_zeros((1, x.shape[0], recurrent.shape[0]))
    weights = [kernel.t(), recurrent.t(), bias, torch.zeros_like(bias)]
    # As in training, for cuDNN has no gradient otherwise; nothing is dropped.
    states, _, last = torch.lstm(x, (zeros, zeros), weights, True, 1, 0.0, True, False, True)
    return states, last[0]


def _gru(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    import torch

    def ordered(gates: Any) -> Any:  # reset, update, candidate
        z, r, h = torch.chunk(gates, 3, dim=-1)
        return torch.cat([r, z, h], dim=-1)

    zeros = x.new_zeros((1, x.shape[0], recurrent.shape[0]))
    weights = [ordered(kernel).t(), ordered(recurrent).t(), ordered(bias[0]), ordered(bias[1])]
    return torch.gru(x, zeros, weights, True, 1, 0.0, True, False, True)[0]


LINEAR: Dict[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "einsum": _einsum,
    "dense": _dense,
    "conv1d": _convolution(1),
    "conv2d": _convolution(2),
    "conv3d": _convolution(3),
    "depthwise_conv2d": _depthwise,
    "separable_conv2d": _separable,
    "conv2d_transpose": _conv2d_transpose,
    "attention": _attention,
    "lstm": _lstm,
    "gru": _gru,
}
