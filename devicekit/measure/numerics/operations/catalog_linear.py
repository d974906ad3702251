"""Products of the suite: matrices, convolutions, attention and recurrent layers, with what each element adds up."""

from typing import Any, Tuple

import numpy as np

from .operation import Input, Operation

#: The dtypes that mixed precision uses, for the operations that matter most there.
ALL_FLOATS = ("float32", "float16", "bfloat16")


def _product(values: Tuple[int, ...]) -> int:
    return int(np.prod(values))


def _matmul(
    name: str,
    left: Tuple[int, ...],
    right: Tuple[int, ...],
    transpose: Tuple[bool, bool] = (False, False),
    dtypes: Tuple[str, ...] = ("float32",),
    values: str = "normal",
) -> Operation:
    rows, length = (left[-1], left[-2]) if transpose[0] else (left[-2], left[-1])
    columns = right[-2] if transpose[1] else right[-1]
    inputs = (Input("a", left, values, accumulation=columns), Input("b", right, values, accumulation=rows))
    attributes = (("transpose_a", transpose[0]), ("transpose_b", transpose[1]))
    return Operation(name, "matmul", inputs, attributes, length, dtypes=dtypes, scale="absolute")


def _convolution(
    name: str,
    kind: str,
    x: Tuple[int, ...],
    kernel: Tuple[int, ...],
    *,
    outputs: int,
    dtypes: Tuple[str, ...] = ("float32",),
    **attributes: Any,
) -> Operation:
    """``outputs``: places of the output in the whole batch, which a kernel's gradient adds up."""
    if kind == "depthwise_conv2d":
        taps, back = _product(kernel[:-2]), _product(kernel[:-2]) * kernel[-1]
    else:
        taps, back = _product(kernel[:-1]), _product(kernel[:-2]) * kernel[-1] // attributes.get("groups", 1)
    inputs = (Input("x", x, accumulation=back), Input("kernel", kernel, "weights", accumulation=outputs))
    given = dict({"strides": 1, "padding": "same", "dilation": 1, "groups": 1}, **attributes)
    if kind not in ("conv1d", "conv2d"):
        del given["groups"]
    if kind == "conv3d":
        del given["dilation"]
    return Operation(name, kind, inputs, tuple(given.items()), taps, dtypes=dtypes, scale="absolute")


def _conv2d(
    name: str,
    x: Tuple[int, int, int, int],
    kernel: Tuple[int, int, int, int],
    size: Tuple[int, int],
    stride: int = 1,
    kind: str = "conv2d",
    dilation: int = 1,
    dtypes: Tuple[str, ...] = ("float32",),
    **attributes: Any,
) -> Operation:
    """``size``: height and width of the output."""
    return _convolution(
        "%s %s" % (kind, name),
        kind,
        x,
        kernel,
        outputs=x[0] * size[0] * size[1],
        dtypes=dtypes,
        strides=(stride, stride),
        **dict(attributes, dilation=(dilation, dilation)),
    )


def _separable(name: str, stride: int, size: int) -> Operation:
    inputs = (
        Input("x", (2, 13, 13, 8), accumulation=9 * 2 * 16),
        Input("depthwise kernel", (3, 3, 8, 2), "weights", high=2.8, accumulation=2 * size * size * 16),
        Input("pointwise kernel", (1, 1, 16, 16), "weights", accumulation=2 * size * size * 9),
    )
    attributes = (("strides", (stride, stride)), ("padding", "same"))
    return Operation("separable_conv2d " + name, "separable_conv2d", inputs, attributes, 9 * 16, 2, scale="absolute")


def _transposed(name: str, kernel: int, stride: int, padding: str, size: int) -> Operation:
    """From 7 by 7 pixels to ``size`` by ``size``."""
    inputs = (
        Input("x", (2, 7, 7, 8), accumulation=kernel * kernel * 6),
        Input("kernel", (kernel, kernel, 6, 8), "weights", accumulation=2 * 49),
    )
    attributes = (("strides", (stride, stride)), ("padding", padding), ("output_size", (size, size)))
    # As many taps of the kernel as overlap in one pixel.
    overlap = ((kernel + stride - 1) // stride) ** 2
    return Operation("conv2d_transpose " + name, "conv2d_transpose", inputs, attributes, overlap * 8, scale="absolute")


def _attention(
    name: str, queries: Tuple[int, int, int, int], mask: str, dtypes: Tuple[str, ...] = ("float32",)
) -> Operation:
    _, _, time, size = queries
    inputs = (
        Input("q", queries, accumulation=time + size),
        Input("k", queries, accumulation=time + size),
        Input("v", queries, accumulation=time),
        Input("mask", (time, time), mask, high=0.8, kind="int32"),
    )
    # Two products and a softmax behind each other.
    return Operation(name, "attention", inputs, (("scale", size**-0.5),), time + size, 4, dtypes=dtypes)


def _recurrent(name: str, kind: str, steps: int, units: int, dtypes: Tuple[str, ...] = ("float32",)) -> Operation:
    batch, size, gates = 4, 12, 4 if kind == "lstm" else 3
    biases = (gates * units,) if kind == "lstm" else (2, gates * units)
    inputs = (
        Input("x", (batch, steps, size), accumulation=gates * units),
        Input("kernel", (size, gates * units), "weights", accumulation=batch * steps),
        Input("recurrent kernel", (units, gates * units), "weights", accumulation=batch * steps),
        Input("bias", biases, "normal", 0.0, 0.1, accumulation=batch * steps),
    )
    return Operation(name, kind, inputs, (), size + units, steps, dtypes=dtypes)


def _einsum(
    name: str, equation: str, a: Tuple[int, ...], b: Tuple[int, ...], lengths: Tuple[int, int, int]
) -> Operation:
    inputs = (Input("a", a, accumulation=lengths[1]), Input("b", b, accumulation=lengths[2]))
    return Operation("einsum " + name, "einsum", inputs, (("equation", equation),), lengths[0], scale="absolute")


def _dense(rows: int, inputs: int, units: int, dtypes: Tuple[str, ...]) -> Operation:
    given = (
        Input("x", (rows, inputs), accumulation=units),
        Input("kernel", (inputs, units), "weights", accumulation=rows),
        Input("bias", (units,), accumulation=rows),
    )
    title = "dense %d to %d" % (inputs, units)
    return Operation(title, "dense", given, (), inputs + 1, dtypes=dtypes, scale="absolute")


LINEAR: Tuple[Operation, ...] = (
    _matmul("matmul 64x128 by 128x96", (64, 128), (128, 96), dtypes=ALL_FLOATS),
    _matmul("matmul odd sizes 37x61 by 61x29", (37, 61), (61, 29)),
    _matmul("matmul of a row 1x512 by 512x64", (1, 512), (512, 64)),
    _matmul("matmul long k 16x4096 by 4096x16", (16, 4096), (4096, 16), dtypes=ALL_FLOATS),
    _matmul("matmul transposed left", (96, 48), (96, 40), (True, False)),
    _matmul("matmul transposed right", (48, 96), (40, 96), (False, True), ALL_FLOATS),
    _matmul("matmul batched 3x4x24x32 by 3x4x32x20", (3, 4, 24, 32), (3, 4, 32, 20), dtypes=ALL_FLOATS),
    _matmul("matmul batched transposed right", (6, 24, 32), (6, 20, 32), (False, True)),
    _einsum("attention scores bthd,bshd->bhts", "bthd,bshd->bhts", (2, 12, 3, 16), (2, 10, 3, 16), (16, 10, 12)),
    _einsum("projection abc,cde->abde", "abc,cde->abde", (2, 11, 24), (24, 3, 8), (24, 24, 22)),
    _dense(32, 256, 64, ALL_FLOATS),
    _dense(16, 2048, 10, ("float32",)),
    _conv2d("3x3 same", (2, 14, 14, 16), (3, 3, 16, 24), (14, 14), dtypes=ALL_FLOATS),
    _conv2d("1x1", (2, 13, 13, 32), (1, 1, 32, 48), (13, 13), dtypes=ALL_FLOATS),
    _conv2d("3x3 valid", (2, 13, 11, 8), (3, 3, 8, 12), (11, 9), padding="valid"),
    _conv2d("3x3 stride 2 same, odd size", (2, 15, 15, 8), (3, 3, 8, 12), (8, 8), 2),
    _conv2d("3x3 stride 2 same, even size", (2, 14, 14, 8), (3, 3, 8, 12), (7, 7), 2, dtypes=ALL_FLOATS),
    _conv2d("1x1 stride 2", (2, 14, 14, 16), (1, 1, 16, 24), (7, 7), 2),
    _conv2d("5x5 same", (1, 12, 12, 6), (5, 5, 6, 10), (12, 12)),
    _conv2d("4x4 same", (1, 12, 12, 6), (4, 4, 6, 10), (12, 12)),
    _conv2d("7x7 stride 2 of an image", (2, 32, 32, 3), (7, 7, 3, 16), (16, 16), 2),
    _conv2d("1x7 same", (1, 12, 15, 6), (1, 7, 6, 8), (12, 15)),
    _conv2d("3x3 dilation 2", (1, 16, 16, 6), (3, 3, 6, 8), (16, 16), dilation=2),
    _conv2d("3x3 dilation 3 valid", (1, 17, 16, 6), (3, 3, 6, 8), (11, 10), padding="valid", dilation=3),
    _conv2d("3x3 in 4 groups", (2, 12, 12, 16), (3, 3, 4, 24), (12, 12), groups=4),
    _conv2d("3x3 of 256 channels", (1, 5, 5, 256), (3, 3, 256, 64), (5, 5)),
    _conv2d("3x3 same", (2, 14, 14, 16), (3, 3, 16, 1), (14, 14), kind="depthwise_conv2d", dtypes=ALL_FLOATS),
    _conv2d("3x3 stride 2 same", (2, 14, 14, 8), (3, 3, 8, 1), (7, 7), 2, kind="depthwise_conv2d"),
    _conv2d("5x5 valid, multiplier 2", (1, 13, 13, 6), (5, 5, 6, 2), (9, 9), padding="valid", kind="depthwise_conv2d"),
    _conv2d("3x3 dilation 2", (1, 15, 15, 6), (3, 3, 6, 1), (15, 15), dilation=2, kind="depthwise_conv2d"),
    _separable("3x3 same", 1, 13),
    _separable("3x3 stride 2 same", 2, 7),
    _transposed("3x3 stride 2 same", 3, 2, "same", 14),
    _transposed("4x4 stride 2 valid", 4, 2, "valid", 16),
    _transposed("3x3 stride 1 same", 3, 1, "same", 7),
    _convolution("conv1d 3 same", "conv1d", (4, 50, 12), (3, 12, 16), outputs=200),
    _convolution("conv1d 5 stride 2 same", "conv1d", (4, 50, 12), (5, 12, 16), outputs=100, strides=2),
    _convolution(
        "conv1d 3 dilation 4 valid", "conv1d", (2, 50, 8), (3, 8, 12), outputs=84, padding="valid", dilation=4
    ),
    _convolution("conv3d 3x3x3 same", "conv3d", (1, 7, 8, 9, 4), (3, 3, 3, 4, 6), outputs=504, strides=(1, 1, 1)),
    _convolution(
        "conv3d 3x3x3 stride 2 same", "conv3d", (1, 7, 8, 9, 4), (3, 3, 3, 4, 6), outputs=80, strides=(2, 2, 2)
    ),
    _attention("attention 4 heads", (2, 4, 20, 16), "some", ALL_FLOATS),
    _attention("attention causal", (2, 2, 33, 24), "causal"),
    _recurrent("lstm 16 steps", "lstm", 16, 20, ("float32", "float16")),
    _recurrent("lstm 60 steps", "lstm", 60, 8),
    _recurrent("gru 16 steps", "gru", 16, 20, ("float32", "float16")),
    _recurrent("gru 60 steps", "gru", 60, 8),
)
