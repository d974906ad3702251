"""The operations of the suite in JAX, as models on JAX write them; see `devicekit.measure.numerics.operations.catalog.KINDS`.

Each function takes the operation's options, with the tried dtype as ``"dtype"``, and its inputs.
"""

from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

import jax
import jax.image
import jax.numpy as jnp
import jax.ops
import numpy as np
from jax import lax, nn

from .tensors import per_axis, same_padding

Options = Mapping[str, Any]

#: XLA leaves out a cast to fewer bits and back inside one compiled program, unless it is told not to
#: (``xla_allow_excess_precision``); alone each cast is carried out.
NOT_COMPILED = ("cast", "quantise_int8", "dequantise_int8")


def _wide(x: Any) -> Any:
    """Statistics of 16-bit numbers are computed in float32, as Keras and Flax do."""
    return x.astype("float32") if x.dtype.itemsize < 4 else x


# Products


def _matmul(options: Options, a: Any, b: Any) -> Any:
    a = jnp.swapaxes(a, -1, -2) if options.get("transpose_a") else a
    b = jnp.swapaxes(b, -1, -2) if options.get("transpose_b") else b
    return jnp.matmul(a, b)


def _convolution(axes: int) -> Callable[..., Any]:
    letters = "DHW"[3 - axes :]
    layout = ("N%sC" % letters, "%sIO" % letters, "N%sC" % letters)

    def convolution(options: Options, x: Any, kernel: Any, groups: int = 0) -> Any:
        return lax.conv_general_dilated(
            x,
            kernel,
            per_axis(options.get("strides", 1), axes),
            options.get("padding", "valid").upper(),
            rhs_dilation=per_axis(options.get("dilation", 1), axes),
            dimension_numbers=layout,
            feature_group_count=groups or int(options.get("groups", 1)),
        )

    return convolution


_conv2d = _convolution(2)


def _depthwise(options: Options, x: Any, kernel: Any) -> Any:
    height, width, inputs, multiplier = kernel.shape
    return _conv2d(options, x, kernel.reshape(height, width, 1, inputs * multiplier), inputs)


def _separable(options: Options, x: Any, depthwise: Any, pointwise: Any) -> Any:
    return _conv2d({}, _depthwise(options, x, depthwise), pointwise)


def _conv2d_transpose(options: Options, x: Any, kernel: Any) -> Any:
    strides, sizes = per_axis(options.get("strides", 1), 2), per_axis(options["output_size"], 2)
    paddings = []
    for axis in range(2):
        before = 0
        if options.get("padding", "valid") == "same":
            before = same_padding(sizes[axis], kernel.shape[axis], strides[axis])[0]
        low = kernel.shape[axis] - 1 - before
        spread = (x.shape[1 + axis] - 1) * strides[axis] + 1
        paddings.append((low, sizes[axis] - 1 + kernel.shape[axis] - spread - low))
    flipped = kernel[::-1, ::-1]
    return lax.conv_general_dilated(
        x, flipped, (1, 1), paddings, lhs_dilation=strides, dimension_numbers=("NHWC", "HWOI", "NHWC")
    )


def _attention(options: Options, q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = jnp.einsum("nhqd,nhkd->nhqk", q, k) * options["scale"]
    scores = jnp.where(mask != 0, scores, jnp.asarray(-30000.0, scores.dtype))
    return jnp.einsum("nhqk,nhkd->nhqd", nn.softmax(scores, axis=-1), v)


def _lstm(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    def step(state: Any, now: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(now @ kernel + h @ recurrent + bias, 4, axis=-1)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[0], recurrent.shape[0]), x.dtype)
    (_, c), states = lax.scan(step, (zeros, zeros), jnp.swapaxes(x, 0, 1))
    return jnp.swapaxes(states, 0, 1), c


def _gru(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    def step(h: Any, now: Any) -> Any:
        xz, xr, xh = jnp.split(now @ kernel + bias[0], 3, axis=-1)
        hz, hr, hh = jnp.split(h @ recurrent + bias[1], 3, axis=-1)
        z = nn.sigmoid(xz + hz)
        h = z * h + (1 - z) * jnp.tanh(xh + nn.sigmoid(xr + hr) * hh)
        return h, h

    zeros = jnp.zeros((x.shape[0], recurrent.shape[0]), x.dtype)
    return jnp.swapaxes(lax.scan(step, zeros, jnp.swapaxes(x, 0, 1))[1], 0, 1)


# Pooling and resizing


def _windows(options: Options, axes: int) -> Tuple[Tuple[int, ...], Tuple[int, ...], str]:
    size = per_axis(options["size"], axes)
    strides = per_axis(options.get("strides", size), axes)
    return (1,) + size + (1,), (1,) + strides + (1,), options.get("padding", "valid").upper()


def _max_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, *_windows(options, axes))

    return pool


def _average_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        windows = _windows(options, axes)
        zero = np.array(0, x.dtype)
        counts = lax.reduce_window(jnp.ones((1,) + x.shape[1:-1] + (1,), x.dtype), zero, lax.add, *windows)
        return lax.reduce_window(x, zero, lax.add, *windows) / counts

    return pool


def _upsample(options: Options, x: Any) -> Any:
    rows, columns = per_axis(options["factor"], 2)
    return jnp.repeat(jnp.repeat(x, rows, axis=1), columns, axis=2)


def _resize(options: Options, x: Any) -> Any:
    shape = (x.shape[0],) + per_axis(options["size"], 2) + (x.shape[-1],)
    return jax.image.resize(x, shape, "bilinear", antialias=False)


# Normalization


def _normalize(x: Any, axes: Sequence[int], epsilon: float) -> Any:
    wide = _wide(x)
    mean = jnp.mean(wide, axis=tuple(axes), keepdims=True)
    variance = jnp.var(wide, axis=tuple(axes), keepdims=True)
    return (wide - mean) * lax.rsqrt(variance + epsilon)


def _scaled(x: Any, normal: Any, scale: Any, offset: Any) -> Any:
    return (normal * scale + offset).astype(x.dtype)


def _batch_norm_training(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    return _scaled(x, _normalize(x, range(x.ndim - 1), options["epsilon"]), scale, offset)


def _batch_norm_inference(options: Options, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    normal = (_wide(x) - mean) * lax.rsqrt(_wide(variance) + options["epsilon"])
    return _scaled(x, normal, scale, offset)


def _group_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    count, height, width, channels = x.shape
    groups = int(options["groups"])
    grouped = x.reshape(count, height, width, groups, channels // groups)
    return _scaled(x, _normalize(grouped, (1, 2, 4), options["epsilon"]).reshape(x.shape), scale, offset)


def _rms_norm(options: Options, x: Any, scale: Any) -> Any:
    wide = _wide(x)
    mean = jnp.mean(wide * wide, axis=-1, keepdims=True)
    return (wide * lax.rsqrt(mean + options["epsilon"]) * scale).astype(x.dtype)


# Losses


def _cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return -jnp.sum(labels * nn.log_softmax(logits, axis=-1), axis=-1)


def _sparse_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    rows = nn.log_softmax(logits, axis=-1)
    return -jnp.take_along_axis(rows, labels[..., None], axis=-1)[..., 0]


def _sigmoid_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))


# Tables and indices


# Reductions, sorting


def _over_axes(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(jnp, name)(x, axis=tuple(options["axes"]))


def _sort(options: Options, x: Any) -> Any:
    found = jnp.sort(x, axis=-1)
    return found[..., ::-1] if options.get("descending") else found


# Casts


def _cast(options: Options, x: Any) -> Any:
    there = x.astype(options["to"])
    return there if options["to"] == "int32" else there.astype(x.dtype)


def _quantise(options: Options, x: Any) -> Any:
    return jnp.clip(jnp.round(x / options["scale"]), -128, 127).astype("int8").astype("int32")


# Data movement


def _pad(options: Options, x: Any) -> Any:
    return jnp.pad(x, tuple(tuple(pair) for pair in options["paddings"]), mode=options.get("mode", "constant"))


def _depth_to_space(options: Options, x: Any) -> Any:
    count, height, width, channels = x.shape
    block = int(options["block"])
    parts = x.reshape(count, height, width, block, block, channels // block**2).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(count, height * block, width * block, channels // block**2)


def _array(name: str, integer: bool = False) -> Callable[..., Any]:
    """A function of `jax.numpy` of the inputs alone."""
    function = getattr(jnp, name)
    if integer:
        return lambda options, *inputs: function(*inputs).astype("int32")
    return lambda options, *inputs: function(*inputs)


def _activation(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(nn, name)(x)


def _primitive(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(lax, name)(x)


KINDS: Dict[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "einsum": lambda options, a, b: jnp.einsum(options["equation"], a, b),
    "dense": lambda options, x, kernel, bias: jnp.dot(x, kernel) + bias,
    "conv1d": _convolution(1),
    "conv2d": _conv2d,
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
    "global_average_pool2d": lambda options, x: jnp.mean(x, axis=(1, 2)),
    "global_max_pool2d": lambda options, x: jnp.max(x, axis=(1, 2)),
    "upsample_nearest": _upsample,
    "resize_bilinear": _resize,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_inference": _batch_norm_inference,
    "layer_norm": lambda options, x, scale, offset: _scaled(x, _normalize(x, (-1,), options["epsilon"]), scale, offset),
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax": _activation("softmax"),
    "log_softmax": _activation("log_softmax"),
    "softmax_cross_entropy": _cross_entropy,
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "embedding": lambda options, table, ids: jnp.take(table, ids, axis=0),
    "gather": lambda options, x, indices: jnp.take(x, indices, axis=int(options["axis"])),
    "scatter_add": lambda options, x, indices, updates: x.at[indices].add(updates),
    "scatter_update": lambda options, x, indices, updates: x.at[indices].set(updates),
    "segment_sum": lambda options, x, segments: jax.ops.segment_sum(x, segments, num_segments=int(options["count"])),
    "one_hot": lambda options, indices: nn.one_hot(indices, int(options["depth"]), dtype=options["dtype"]),
    "sum": _over_axes("sum"),
    "mean": _over_axes("mean"),
    "max": _over_axes("max"),
    "min": _over_axes("min"),
    "prod": _over_axes("prod"),
    "variance": _over_axes("var"),
    "logsumexp": lambda options, x: nn.logsumexp(x, axis=tuple(options["axes"])),
    "l2_norm": lambda options, x: jnp.sqrt(jnp.sum(x * x, axis=tuple(options["axes"]))),
    "cumsum": lambda options, x: jnp.cumsum(x, axis=int(options["axis"])),
    "argmax": lambda options, x: jnp.argmax(x, axis=int(options["axis"])).astype("int32"),
    "argmin": lambda options, x: jnp.argmin(x, axis=int(options["axis"])).astype("int32"),
    "sort": _sort,
    "top_k": lambda options, x: lax.top_k(x, int(options["k"])),
    "identity": lambda options, x: jnp.array(x),
    "leaky_relu": lambda options, x: nn.leaky_relu(x, options["slope"]),
    "gelu": lambda options, x: nn.gelu(x, approximate=bool(options.get("approximate"))),
    "erf": _primitive("erf"),
    "rsqrt": _primitive("rsqrt"),
    "round": _array("round"),
    "is_finite": _array("isfinite", integer=True),
    "less": _array("less", integer=True),
    "equal": _array("equal", integer=True),
    "where": lambda options, mask, a, b: jnp.where(mask != 0, a, b),
    "integer_add": _array("add"),
    "integer_multiply": _array("multiply"),
    "integer_floor_divide": _array("floor_divide"),
    "integer_floor_mod": _array("mod"),
    "cast": _cast,
    "quantise_int8": _quantise,
    "dequantise_int8": lambda options, x: x.astype("int8").astype(options["dtype"]) * options["scale"],
    "concat": lambda options, *inputs: jnp.concatenate(inputs, axis=int(options["axis"])),
    "split": lambda options, x: tuple(jnp.split(x, int(options["count"]), axis=int(options["axis"]))),
    "pad": _pad,
    "transpose": lambda options, x: jnp.transpose(x, tuple(options["permutation"])),
    "strided_slice": lambda options, x: x[tuple(map(slice, options["begin"], options["end"], options["strides"]))],
    "tile": lambda options, x: jnp.tile(x, tuple(options["multiples"])),
    "reverse": lambda options, x: jnp.flip(x, axis=options["axis"]),
    "depth_to_space": _depth_to_space,
}
KINDS.update((name, _activation(name)) for name in ("relu", "relu6", "elu", "silu", "softplus", "sigmoid"))
KINDS.update((name, _array(name)) for name in ("tanh", "exp", "expm1", "log", "log1p", "sqrt", "reciprocal", "square"))
KINDS.update((name, _array(name)) for name in ("abs", "sin", "cos", "floor", "add", "subtract", "multiply", "divide"))
KINDS.update((name, _array(name)) for name in ("maximum", "minimum", "power"))
