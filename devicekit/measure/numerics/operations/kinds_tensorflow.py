"""What `devicekit.measure.numerics.operations.catalog.KINDS` defines, in TensorFlow: products, layers, normalization, losses.

Each function gets the module (the interface of TensorFlow 2, in 1.15 too), the input tensors and the attributes, and
returns a tensor or a tuple of them. They are what Keras calls, so that a device's own kernels are met.
"""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from .kinds_tensorflow_math import MATH
from .operation import same_padding

Function = Callable[[Any, Sequence[Any], Dict[str, Any]], Any]


def _matmul(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.linalg.matmul(x[0], x[1], transpose_a=o["transpose_a"], transpose_b=o["transpose_b"])


def _einsum(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.einsum(o["equation"], x[0], x[1])


def _dense(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.bias_add(tf.linalg.matmul(x[0], x[1]), x[2])


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


def _conv3d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.conv3d(x[0], x[1], [1, *o["strides"], 1], o["padding"].upper())


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


def _max_pool1d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.max_pool1d(x[0], o["size"], o["strides"], o["padding"].upper())


def _max_pool2d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.max_pool2d(x[0], o["size"], o["strides"], o["padding"].upper())


def _max_pool3d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.max_pool3d(x[0], o["size"], o["strides"], o["padding"].upper())


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


def _max_pool3d_by_slices(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.reduce_max(tf.stack(_windows(tf, x[0], o, -1e30)), axis=0)


def _average_pool3d_by_slices(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    counts = tf.add_n(_windows(tf, tf.ones_like(x[0]), o, 0.0))
    return tf.add_n(_windows(tf, x[0], o, 0.0)) / counts


def _average_pool2d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.avg_pool2d(x[0], o["size"], o["strides"], o["padding"].upper())


def _average_pool3d(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.avg_pool3d(x[0], o["size"], o["strides"], o["padding"].upper())


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


def _batch_norm_given(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.batch_normalization(x[0], x[3], x[4], x[2], x[1], o["epsilon"])


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


def _cross_entropy(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.softmax_cross_entropy_with_logits(labels=x[1], logits=x[0])


def _sparse_cross_entropy(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x[1], logits=x[0])


def _sigmoid_cross_entropy(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=x[1], logits=x[0])


LAYERS: Dict[str, Function] = {
    "matmul": _matmul,
    "einsum": _einsum,
    "dense": _dense,
    "conv1d": _conv1d,
    "conv2d": _conv2d,
    "conv3d": _conv3d,
    "depthwise_conv2d": _depthwise,
    "separable_conv2d": _separable,
    "conv2d_transpose": _conv2d_transpose,
    "attention": _attention,
    "lstm": _lstm,
    "gru": _gru,
    "max_pool1d": _max_pool1d,
    "max_pool2d": _max_pool2d,
    "max_pool3d": _max_pool3d,
    "average_pool2d": _average_pool2d,
    "average_pool3d": _average_pool3d,
    "global_average_pool2d": lambda tf, x, o: tf.reduce_mean(x[0], axis=[1, 2]),
    "global_max_pool2d": lambda tf, x, o: tf.reduce_max(x[0], axis=[1, 2]),
    "upsample_nearest": _upsample,
    "resize_bilinear": _resize,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_inference": _batch_norm_inference,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "softmax": lambda tf, x, o: tf.nn.softmax(x[0]),
    "log_softmax": lambda tf, x, o: tf.nn.log_softmax(x[0]),
    "softmax_cross_entropy": _cross_entropy,
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
}

#: Every kind that TensorFlow computes.
KINDS: Dict[str, Function] = dict(LAYERS, **MATH)

#: Made of operations that every CPU has: for the reference in float64, and where the CPU has no kernel of its own.
REFERENCES: Dict[str, Function] = {
    "conv2d": _conv2d_by_groups,
    "max_pool3d": _max_pool3d_by_slices,
    "average_pool3d": _average_pool3d_by_slices,
    "resize_bilinear": _resize_by_products,
    "batch_norm_training": _batch_norm_by_moments,
    "batch_norm_inference": _batch_norm_given,
}
