"""The operations of the suite in JAX, as models on JAX write them; see `devicekit.measure.numerics.operations.catalog.KINDS`.

Each function takes the operation's options, with the tried dtype as ``"dtype"``, and its inputs.
"""

from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

import numpy as np

Options = Mapping[str, Any]

#: XLA leaves out a cast to fewer bits and back inside one compiled program, unless it is told not to
#: (``xla_allow_excess_precision``); alone each cast is carried out.
NOT_COMPILED = ("cast", "quantise_int8", "dequantise_int8")


def _jnp() -> Any:
    import jax.numpy

    return jax.numpy


def _lax() -> Any:
    import jax.lax

    return jax.lax


def _nn() -> Any:
    import jax.nn

    return jax.nn


def each(value: Any, count: int) -> Tuple[int, ...]:
    """One number for each axis."""
    return (int(value),) * count if isinstance(value, int) else tuple(int(item) for item in value)


def _wide(x: Any) -> Any:
    """Statistics of 16-bit numbers are computed in float32, as Keras and Flax do."""
    return x.astype("float32") if x.dtype.itemsize < 4 else x


# Pooling and resizing


def _windows(options: Options, axes: int) -> Tuple[Tuple[int, ...], Tuple[int, ...], str]:
    size = each(options["size"], axes)
    strides = each(options.get("strides", size), axes)
    return (1,) + size + (1,), (1,) + strides + (1,), options.get("padding", "valid").upper()


def _max_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        lax = _lax()
        return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, *_windows(options, axes))

    return pool


def _average_pool(axes: int) -> Callable[..., Any]:
    def pool(options: Options, x: Any) -> Any:
        lax, windows = _lax(), _windows(options, axes)
        zero = np.array(0, x.dtype)
        counts = lax.reduce_window(_jnp().ones((1,) + x.shape[1:-1] + (1,), x.dtype), zero, lax.add, *windows)
        return lax.reduce_window(x, zero, lax.add, *windows) / counts

    return pool


def _upsample(options: Options, x: Any) -> Any:
    rows, columns = each(options["factor"], 2)
    return _jnp().repeat(_jnp().repeat(x, rows, axis=1), columns, axis=2)


def _resize(options: Options, x: Any) -> Any:
    import jax.image

    shape = (x.shape[0],) + each(options["size"], 2) + (x.shape[-1],)
    return jax.image.resize(x, shape, "bilinear", antialias=False)


# Normalization


def _normalise(x: Any, axes: Sequence[int], epsilon: float) -> Any:
    jnp = _jnp()
    wide = _wide(x)
    mean = jnp.mean(wide, axis=tuple(axes), keepdims=True)
    variance = jnp.var(wide, axis=tuple(axes), keepdims=True)
    return (wide - mean) * _lax().rsqrt(variance + epsilon)


def _scaled(x: Any, normal: Any, scale: Any, offset: Any) -> Any:
    return (normal * scale + offset).astype(x.dtype)


def _batch_norm_training(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    return _scaled(x, _normalise(x, range(x.ndim - 1), options["epsilon"]), scale, offset)


def _batch_norm_inference(options: Options, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    normal = (_wide(x) - mean) * _lax().rsqrt(_wide(variance) + options["epsilon"])
    return _scaled(x, normal, scale, offset)


def _layer_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    return _scaled(x, _normalise(x, (-1,), options["epsilon"]), scale, offset)


def _group_norm(options: Options, x: Any, scale: Any, offset: Any) -> Any:
    count, height, width, channels = x.shape
    groups = int(options["groups"])
    grouped = x.reshape(count, height, width, groups, channels // groups)
    return _scaled(x, _normalise(grouped, (1, 2, 4), options["epsilon"]).reshape(x.shape), scale, offset)


def _rms_norm(options: Options, x: Any, scale: Any) -> Any:
    wide = _wide(x)
    mean = _jnp().mean(wide * wide, axis=-1, keepdims=True)
    return (wide * _lax().rsqrt(mean + options["epsilon"]) * scale).astype(x.dtype)


# Losses


def _cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    return -_jnp().sum(labels * _nn().log_softmax(logits, axis=-1), axis=-1)


def _sparse_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    rows = _nn().log_softmax(logits, axis=-1)
    return -_jnp().take_along_axis(rows, labels[..., None], axis=-1)[..., 0]


def _sigmoid_cross_entropy(options: Options, logits: Any, labels: Any) -> Any:
    jnp = _jnp()
    return jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))


# Tables and indices


def _segment_sum(options: Options, x: Any, segments: Any) -> Any:
    import jax.ops

    return jax.ops.segment_sum(x, segments, num_segments=int(options["count"]))


def _one_hot(options: Options, indices: Any) -> Any:
    return _nn().one_hot(indices, int(options["depth"]), dtype=options["dtype"])


# Reductions, sorting


def _over_axes(name: str, **more: Any) -> Callable[..., Any]:
    def reduce(options: Options, x: Any) -> Any:
        return getattr(_jnp(), name)(x, axis=tuple(options["axes"]), **more)

    return reduce


def _logsumexp(options: Options, x: Any) -> Any:
    return _nn().logsumexp(x, axis=tuple(options["axes"]))


def _l2_norm(options: Options, x: Any) -> Any:
    return _jnp().sqrt(_jnp().sum(x * x, axis=tuple(options["axes"])))


def _sort(options: Options, x: Any) -> Any:
    found = _jnp().sort(x, axis=-1)
    return found[..., ::-1] if options.get("descending") else found


def _top_k(options: Options, x: Any) -> Any:
    return _lax().top_k(x, int(options["k"]))


# Casts


def _cast(options: Options, x: Any) -> Any:
    there = x.astype(options["to"])
    return there if options["to"] == "int32" else there.astype(x.dtype)


def _quantise(options: Options, x: Any) -> Any:
    jnp = _jnp()
    return jnp.clip(jnp.round(x / options["scale"]), -128, 127).astype("int8").astype("int32")


def _dequantise(options: Options, x: Any) -> Any:
    return x.astype("int8").astype(options["dtype"]) * options["scale"]


# Data movement


def _strided_slice(options: Options, x: Any) -> Any:
    return x[tuple(map(slice, options["begin"], options["end"], options["strides"]))]


def _pad(options: Options, x: Any) -> Any:
    return _jnp().pad(x, tuple(tuple(pair) for pair in options["paddings"]), mode=options.get("mode", "constant"))


def _depth_to_space(options: Options, x: Any) -> Any:
    count, height, width, channels = x.shape
    block = int(options["block"])
    parts = x.reshape(count, height, width, block, block, channels // block**2).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(count, height * block, width * block, channels // block**2)


def _array(name: str, integer: bool = False) -> Callable[..., Any]:
    """A function of `jax.numpy` of the inputs alone."""

    def apply(options: Options, *inputs: Any) -> Any:
        found = getattr(_jnp(), name)(*inputs)
        return found.astype("int32") if integer else found

    return apply


def _activation(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(_nn(), name)(x)


def _primitive(name: str) -> Callable[..., Any]:
    return lambda options, x: getattr(_lax(), name)(x)


KINDS: Dict[str, Callable[..., Any]] = {
    "max_pool1d": _max_pool(1),
    "max_pool2d": _max_pool(2),
    "max_pool3d": _max_pool(3),
    "average_pool2d": _average_pool(2),
    "average_pool3d": _average_pool(3),
    "global_average_pool2d": lambda options, x: _jnp().mean(x, axis=(1, 2)),
    "global_max_pool2d": lambda options, x: _jnp().max(x, axis=(1, 2)),
    "upsample_nearest": _upsample,
    "resize_bilinear": _resize,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_inference": _batch_norm_inference,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax": _activation("softmax"),
    "log_softmax": _activation("log_softmax"),
    "softmax_cross_entropy": _cross_entropy,
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "embedding": lambda options, table, ids: _jnp().take(table, ids, axis=0),
    "gather": lambda options, x, indices: _jnp().take(x, indices, axis=int(options["axis"])),
    "scatter_add": lambda options, x, indices, updates: x.at[indices].add(updates),
    "scatter_update": lambda options, x, indices, updates: x.at[indices].set(updates),
    "segment_sum": _segment_sum,
    "one_hot": _one_hot,
    "sum": _over_axes("sum"),
    "mean": _over_axes("mean"),
    "max": _over_axes("max"),
    "min": _over_axes("min"),
    "prod": _over_axes("prod"),
    "variance": _over_axes("var"),
    "logsumexp": _logsumexp,
    "l2_norm": _l2_norm,
    "cumsum": lambda options, x: _jnp().cumsum(x, axis=int(options["axis"])),
    "argmax": lambda options, x: _jnp().argmax(x, axis=int(options["axis"])).astype("int32"),
    "argmin": lambda options, x: _jnp().argmin(x, axis=int(options["axis"])).astype("int32"),
    "sort": _sort,
    "top_k": _top_k,
    "identity": lambda options, x: _jnp().array(x),
    "leaky_relu": lambda options, x: _nn().leaky_relu(x, options["slope"]),
    "gelu": lambda options, x: _nn().gelu(x, approximate=bool(options.get("approximate"))),
    "erf": _primitive("erf"),
    "rsqrt": _primitive("rsqrt"),
    "round": _array("round"),
    "is_finite": _array("isfinite", integer=True),
    "less": _array("less", integer=True),
    "equal": _array("equal", integer=True),
    "where": lambda options, mask, a, b: _jnp().where(mask != 0, a, b),
    "integer_add": _array("add"),
    "integer_multiply": _array("multiply"),
    "integer_floor_divide": _array("floor_divide"),
    "integer_floor_mod": _array("mod"),
    "cast": _cast,
    "quantise_int8": _quantise,
    "dequantise_int8": _dequantise,
    "concat": lambda options, *inputs: _jnp().concatenate(inputs, axis=int(options["axis"])),
    "split": lambda options, x: tuple(_jnp().split(x, int(options["count"]), axis=int(options["axis"]))),
    "pad": _pad,
    "transpose": lambda options, x: _jnp().transpose(x, tuple(options["permutation"])),
    "strided_slice": _strided_slice,
    "tile": lambda options, x: _jnp().tile(x, tuple(options["multiples"])),
    "reverse": lambda options, x: _jnp().flip(x, axis=options["axis"]),
    "depth_to_space": _depth_to_space,
}
KINDS.update((name, _activation(name)) for name in ("relu", "relu6", "elu", "silu", "softplus", "sigmoid"))
KINDS.update((name, _array(name)) for name in ("tanh", "exp", "expm1", "log", "log1p", "sqrt", "reciprocal", "square"))
KINDS.update((name, _array(name)) for name in ("abs", "sin", "cos", "floor", "add", "subtract", "multiply", "divide"))
KINDS.update((name, _array(name)) for name in ("maximum", "minimum", "power"))
