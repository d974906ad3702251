"""What `devicekit.measure.numerics.operations.catalog.KINDS` defines, in TensorFlow.

Each function gets the module (the interface of TensorFlow 2, in 1.15 too), the input tensors and the attributes, and
returns a tensor or a tuple of them. They are what Keras calls, so that a device's own kernels are met.
"""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from .tensors import same_padding

Function = Callable[[Any, Sequence[Any], Dict[str, Any]], Any]


def _conv1d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.convolution(x[0], x[1], [o["strides"]], o["padding"].upper(), dilations=[o["dilation"]])


def _conv2d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.convolution(x[0], x[1], o["strides"], o["padding"].upper(), dilations=o["dilation"])


def _conv2d_by_groups(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    """One convolution a group: if there is no kernel for all together."""
    if o["groups"] == 1:
        return _conv2d(tf, x, o)
    parts = zip(tf.split(x[0], o["groups"], axis=-1), tf.split(x[1], o["groups"], axis=-1))
    return tf.concat([_conv2d(tf, part, o) for part in parts], axis=-1)


def _depthwise(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    strides = [1, *o["strides"], 1]
    return tf.nn.depthwise_conv2d(x[0], x[1], strides, o["padding"].upper(), dilations=o["dilation"])


def _separable(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.separable_conv2d(x[0], x[1], x[2], [1, *o["strides"], 1], o["padding"].upper())


def _conv2d_transpose(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    shape = [x[0].shape[0], *o["output_size"], x[1].shape[2]]
    return tf.nn.conv2d_transpose(x[0], x[1], shape, list(o["strides"]), o["padding"].upper())


def _attention(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    queries, keys, values, mask = x
    scores = tf.linalg.matmul(queries, keys, transpose_b=True) * tf.constant(o["scale"], queries.dtype)
    visible = tf.broadcast_to(tf.not_equal(mask, 0), scores.shape)
    masked = tf.where(visible, scores, tf.ones_like(scores) * tf.cast(-30000.0, scores.dtype))
    return tf.linalg.matmul(tf.nn.softmax(masked), values)


def _lstm(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Tuple[Any, Any]:
    sequence, kernel, recurrent, bias = x

    def one(carry: Any, given: Any) -> Any:
        gates = tf.nn.bias_add(tf.linalg.matmul(given, kernel) + tf.linalg.matmul(carry[0], recurrent), bias)
        into, forget, candidate, out = tf.split(gates, 4, axis=-1)
        cell = tf.sigmoid(forget) * carry[1] + tf.sigmoid(into) * tf.tanh(candidate)
        return tf.sigmoid(out) * tf.tanh(cell), cell

    zeros = tf.zeros([sequence.shape[0], recurrent.shape[0]], sequence.dtype)
    states, cells = _steps(tf, one, sequence, (zeros, zeros))
    return tf.transpose(states, [1, 0, 2]), cells[-1]


def _gru(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    sequence, kernel, recurrent, bias = x

    def one(carry: Any, given: Any) -> Any:
        update, reset, fresh = tf.split(tf.nn.bias_add(tf.linalg.matmul(given, kernel), bias[0]), 3, axis=-1)
        inner = tf.nn.bias_add(tf.linalg.matmul(carry[0], recurrent), bias[1])
        inner_update, inner_reset, inner_state = tf.split(inner, 3, axis=-1)
        update = tf.sigmoid(update + inner_update)
        candidate = tf.tanh(fresh + tf.sigmoid(reset + inner_reset) * inner_state)
        return (update * carry[0] + (1 - update) * candidate,)

    zeros = tf.zeros([sequence.shape[0], recurrent.shape[0]], sequence.dtype)
    (states,) = _steps(tf, one, sequence, (zeros,))
    return tf.transpose(states, [1, 0, 2])


def _steps(tf: Any, one: Callable[[Any, Any], Any], sequence: Any, carry: Tuple[Any, ...]) -> Any:
    """Return the carries after each step, stacked; in a graph by a loop, as recurrent layers are there."""
    if not tf.executing_eagerly():
        return tf.scan(one, tf.transpose(sequence, [1, 0, 2]), initializer=carry)
    found = []
    for given in tf.unstack(sequence, axis=1):
        carry = one(carry, given)
        found.append(carry)
    return [tf.stack(items) for items in zip(*found)]


def _windows(tf: Any, x: Any, o: Dict[str, Any], fill: float) -> List[Any]:
    """Return one slice for each place in a window of three axes: pooling has no kernel for float64 there."""
    size, strides, shape = o["size"], o["strides"], [int(length) for length in x.shape]
    if o["padding"] == "same":
        around = [same_padding(shape[i + 1], size[i], strides[i]) for i in range(3)]
        x = tf.pad(x, [(0, 0), *around, (0, 0)], constant_values=tf.cast(fill, x.dtype))
    counts = [(int(x.shape[i + 1]) - size[i]) // strides[i] + 1 for i in range(3)]
    found = []
    for place in [(a, b, c) for a in range(size[0]) for b in range(size[1]) for c in range(size[2])]:
        ends = [place[i] + (counts[i] - 1) * strides[i] + 1 for i in range(3)]
        found.append(tf.strided_slice(x, [0, *place, 0], [shape[0], *ends, shape[4]], [1, *strides, 1]))
    return found


def _average_pool3d_by_slices(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    counts = tf.add_n(_windows(tf, tf.ones_like(x[0]), o, 0.0))
    return tf.add_n(_windows(tf, x[0], o, 0.0)) / counts


def _upsample(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    size = [x[0].shape[i + 1] * o["factor"][i] for i in range(2)]
    return tf.image.resize(x[0], size, method="nearest")


def _resize(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.compat.v1.image.resize_bilinear(x[0], o["size"], align_corners=False, half_pixel_centers=True)


def _resize_by_products(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    """The same as products with matrices of weights: the kernel gives float32 whatever it gets."""
    rows, columns = (_weights(int(x[0].shape[i + 1]), o["size"][i]) for i in range(2))
    across = tf.einsum("nhwc,vw->nhvc", x[0], tf.constant(columns, x[0].dtype))
    return tf.einsum("nhvc,uh->nuvc", across, tf.constant(rows, x[0].dtype))


def _weights(size: int, wanted: int) -> List[List[float]]:
    """Each output pixel's weights of the input pixels, with half-pixel centers."""
    rows = []
    for place in range(wanted):
        center = min(max((place + 0.5) * size / wanted - 0.5, 0.0), size - 1.0)
        low = min(int(center), max(size - 2, 0))
        row = [0.0] * size
        row[low] = 1.0 - (center - low)
        row[min(low + 1, size - 1)] += center - low
        rows.append(row)
    return rows


def _batch_norm_training(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    scale, offset = (tf.cast(item, tf.float32) for item in x[1:])
    return tf.compat.v1.nn.fused_batch_norm(x[0], scale, offset, epsilon=o["epsilon"], is_training=True)[0]


def _batch_norm_by_moments(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    mean, variance = tf.nn.moments(x[0], axes=list(range(len(x[0].shape) - 1)))
    return tf.nn.batch_normalization(x[0], mean, variance, x[2], x[1], o["epsilon"])


def _batch_norm_inference(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    scale, offset, mean, variance = (tf.cast(item, tf.float32) for item in x[1:])
    given = {"mean": mean, "variance": variance, "epsilon": o["epsilon"], "is_training": False}
    return tf.compat.v1.nn.fused_batch_norm(x[0], scale, offset, **given)[0]


def _layer_norm(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    mean, variance = tf.nn.moments(x[0], axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x[0], mean, variance, x[2], x[1], o["epsilon"])


def _group_norm(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    shape = [int(length) for length in x[0].shape]
    groups = o["groups"]
    parts = tf.reshape(x[0], [*shape[:-1], groups, shape[-1] // groups])
    mean, variance = tf.nn.moments(parts, axes=[1, 2, 4], keepdims=True)
    normal = tf.nn.batch_normalization(parts, mean, variance, None, None, o["epsilon"])
    return tf.reshape(normal, shape) * x[1] + x[2]


def _rms_norm(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    mean = tf.reduce_mean(tf.square(x[0]), axis=-1, keepdims=True)
    return x[0] * tf.math.rsqrt(mean + tf.constant(o["epsilon"], x[0].dtype)) * x[1]


def _sparse_cross_entropy(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x[1], logits=x[0])


def _scatter(update: bool) -> Function:
    def run(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
        function = tf.tensor_scatter_nd_update if update else tf.tensor_scatter_nd_add
        return function(x[0], tf.expand_dims(x[1], 1), x[2])

    return run


def _reduction(name: str) -> Function:
    return lambda tf, x, o: getattr(tf, name)(x[0], axis=list(o["axes"]))


def _top_k(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Tuple[Any, Any]:
    values, indices = tf.math.top_k(x[0], k=o["k"], sorted=True)
    return values, indices


def _gelu(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    if hasattr(tf.nn, "gelu"):  # from 2.4 on
        return tf.nn.gelu(x[0], approximate=o["approximate"])
    half = tf.cast(0.5, x[0].dtype)
    if o["approximate"]:
        inner = tf.cast(0.7978845608028654, x[0].dtype) * (x[0] + tf.cast(0.044715, x[0].dtype) * tf.pow(x[0], 3))
        return half * x[0] * (1 + tf.tanh(inner))
    return half * x[0] * (1 + tf.math.erf(x[0] * tf.cast(0.7071067811865476, x[0].dtype)))


def _number(name: str) -> Function:
    """A function of ``tf.math`` without attributes, of one or two inputs."""
    return lambda tf, x, o: getattr(tf.math, name)(*x)


def _verdict(name: str) -> Function:
    return lambda tf, x, o: tf.cast(getattr(tf.math, name)(*x), tf.int32)


def _cast(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    wanted = tf.as_dtype(o["to"])
    found = tf.cast(x[0], wanted)
    return found if wanted.is_integer else tf.cast(found, x[0].dtype)


def _quantise(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    steps = tf.round(x[0] / tf.cast(o["scale"], x[0].dtype))
    return tf.cast(tf.cast(tf.clip_by_value(steps, -128, 127), tf.int8), tf.int32)


def _activation(name: str) -> Function:
    return lambda tf, x, o: getattr(tf.nn, name)(x[0])


#: Every kind that TensorFlow computes.
KINDS: Dict[str, Function] = {
    "matmul": lambda tf, x, o: tf.linalg.matmul(x[0], x[1], transpose_a=o["transpose_a"], transpose_b=o["transpose_b"]),
    "einsum": lambda tf, x, o: tf.einsum(o["equation"], x[0], x[1]),
    "dense": lambda tf, x, o: tf.nn.bias_add(tf.linalg.matmul(x[0], x[1]), x[2]),
    "conv1d": _conv1d,
    "conv2d": _conv2d,
    "conv3d": lambda tf, x, o: tf.nn.conv3d(x[0], x[1], [1, *o["strides"], 1], o["padding"].upper()),
    "depthwise_conv2d": _depthwise,
    "separable_conv2d": _separable,
    "conv2d_transpose": _conv2d_transpose,
    "attention": _attention,
    "lstm": _lstm,
    "gru": _gru,
    "max_pool1d": lambda tf, x, o: tf.nn.max_pool1d(x[0], o["size"], o["strides"], o["padding"].upper()),
    "max_pool2d": lambda tf, x, o: tf.nn.max_pool2d(x[0], o["size"], o["strides"], o["padding"].upper()),
    "max_pool3d": lambda tf, x, o: tf.nn.max_pool3d(x[0], o["size"], o["strides"], o["padding"].upper()),
    "average_pool2d": lambda tf, x, o: tf.nn.avg_pool2d(x[0], o["size"], o["strides"], o["padding"].upper()),
    "average_pool3d": lambda tf, x, o: tf.nn.avg_pool3d(x[0], o["size"], o["strides"], o["padding"].upper()),
    "global_average_pool2d": lambda tf, x, o: tf.reduce_mean(x[0], axis=[1, 2]),
    "global_max_pool2d": lambda tf, x, o: tf.reduce_max(x[0], axis=[1, 2]),
    "upsample_nearest": _upsample,
    "resize_bilinear": _resize,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_inference": _batch_norm_inference,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax_cross_entropy": lambda tf, x, o: tf.nn.softmax_cross_entropy_with_logits(labels=x[1], logits=x[0]),
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": lambda tf, x, o: tf.nn.sigmoid_cross_entropy_with_logits(labels=x[1], logits=x[0]),
    "embedding": lambda tf, x, o: tf.nn.embedding_lookup(x[0], x[1]),
    "gather": lambda tf, x, o: tf.gather(x[0], x[1], axis=o["axis"]),
    "scatter_add": _scatter(False),
    "scatter_update": _scatter(True),
    "segment_sum": lambda tf, x, o: tf.math.unsorted_segment_sum(x[0], x[1], o["count"]),
    "one_hot": lambda tf, x, o: tf.one_hot(x[0], o["depth"], dtype=o["dtype"]),
    "variance": lambda tf, x, o: tf.math.reduce_variance(x[0], axis=list(o["axes"])),
    "l2_norm": lambda tf, x, o: tf.norm(x[0], axis=o["axes"][0]),
    "cumsum": lambda tf, x, o: tf.cumsum(x[0], axis=o["axis"]),
    "argmax": lambda tf, x, o: tf.argmax(x[0], axis=o["axis"], output_type=tf.int32),
    "argmin": lambda tf, x, o: tf.argmin(x[0], axis=o["axis"], output_type=tf.int32),
    "sort": lambda tf, x, o: tf.sort(x[0], axis=-1, direction="DESCENDING" if o["descending"] else "ASCENDING"),
    "top_k": _top_k,
    "identity": lambda tf, x, o: tf.identity(x[0]),
    "leaky_relu": lambda tf, x, o: tf.nn.leaky_relu(x[0], alpha=o["slope"]),
    "gelu": _gelu,
    "silu": lambda tf, x, o: x[0] * tf.sigmoid(x[0]),
    "divide": lambda tf, x, o: x[0] / x[1],
    "power": _number("pow"),
    "where": lambda tf, x, o: tf.where(tf.not_equal(x[0], 0), x[1], x[2]),
    "integer_add": _number("add"),
    "integer_multiply": _number("multiply"),
    "integer_floor_divide": _number("floordiv"),
    "integer_floor_mod": _number("floormod"),
    "cast": _cast,
    "quantise_int8": _quantise,
    "dequantise_int8": lambda tf, x, o: tf.cast(tf.cast(x[0], tf.int8), o["dtype"]) * tf.cast(o["scale"], o["dtype"]),
    "concat": lambda tf, x, o: tf.concat([x[0], x[1]], axis=o["axis"]),
    "split": lambda tf, x, o: tuple(tf.split(x[0], o["count"], axis=o["axis"])),
    "pad": lambda tf, x, o: tf.pad(x[0], o["paddings"], mode=o["mode"].upper()),
    "transpose": lambda tf, x, o: tf.transpose(x[0], o["permutation"]),
    "strided_slice": lambda tf, x, o: tf.strided_slice(x[0], list(o["begin"]), list(o["end"]), list(o["strides"])),
    "tile": lambda tf, x, o: tf.tile(x[0], o["multiples"]),
    "reverse": lambda tf, x, o: tf.reverse(x[0], [o["axis"]]),
    "depth_to_space": lambda tf, x, o: tf.nn.depth_to_space(x[0], o["block"]),
}
KINDS.update((name, _activation(name)) for name in ("softmax", "log_softmax", "relu", "relu6", "elu"))
KINDS.update((name, _number(name)) for name in ("softplus", "tanh", "sigmoid", "erf", "exp", "expm1", "log", "log1p"))
KINDS.update((name, _number(name)) for name in ("sqrt", "rsqrt", "reciprocal", "square", "abs", "sin", "cos", "floor"))
KINDS.update((name, _number(name)) for name in ("round", "add", "subtract", "multiply", "maximum", "minimum"))
KINDS.update((name, _verdict(name)) for name in ("is_finite", "less", "equal"))
KINDS.update((name, _reduction("reduce_" + name)) for name in ("sum", "mean", "max", "min", "prod", "logsumexp"))

#: Made of operations that every CPU has: for the reference in float64, and where the CPU has no kernel of its own.
REFERENCES: Dict[str, Function] = {
    "conv2d": _conv2d_by_groups,
    "max_pool3d": lambda tf, x, o: tf.reduce_max(tf.stack(_windows(tf, x[0], o, -1e30)), axis=0),
    "average_pool3d": _average_pool3d_by_slices,
    "resize_bilinear": _resize_by_products,
    "batch_norm_training": _batch_norm_by_moments,
    "batch_norm_inference": lambda tf, x, o: tf.nn.batch_normalization(x[0], x[3], x[4], x[2], x[1], o["epsilon"]),
}
