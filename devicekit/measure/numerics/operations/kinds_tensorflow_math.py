"""What `measure.numerics.operations.KINDS` defines, in TensorFlow: mathematics, order, indices, casts, data movement."""

from typing import Any, Callable, Dict, Sequence, Tuple

Function = Callable[[Any, Sequence[Any], Dict[str, Any]], Any]


def _embedding(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.nn.embedding_lookup(x[0], x[1])


def _scatter(update: bool) -> Function:
    def run(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
        function = tf.tensor_scatter_nd_update if update else tf.tensor_scatter_nd_add
        return function(x[0], tf.expand_dims(x[1], 1), x[2])

    return run


def _one_hot(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.one_hot(x[0], o["depth"], dtype=o["dtype"])


def _reduction(name: str) -> Function:
    def run(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
        return getattr(tf, name)(x[0], axis=list(o["axes"]))

    return run


def _variance(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.math.reduce_variance(x[0], axis=list(o["axes"]))


def _l2_norm(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.norm(x[0], axis=o["axes"][0])


def _sort(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.sort(x[0], axis=-1, direction="DESCENDING" if o["descending"] else "ASCENDING")


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

    def run(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
        return getattr(tf.math, name)(*x)

    return run


def _verdict(name: str) -> Function:
    def run(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
        return tf.cast(getattr(tf.math, name)(*x), tf.int32)

    return run


def _cast(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    wanted = tf.as_dtype(o["to"])
    found = tf.cast(x[0], wanted)
    return found if wanted.is_integer else tf.cast(found, x[0].dtype)


def _quantise(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    steps = tf.round(x[0] / tf.cast(o["scale"], x[0].dtype))
    return tf.cast(tf.cast(tf.clip_by_value(steps, -128, 127), tf.int8), tf.int32)


def _dequantise(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.cast(tf.cast(x[0], tf.int8), o["dtype"]) * tf.cast(o["scale"], o["dtype"])


def _slice(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Any:
    return tf.strided_slice(x[0], list(o["begin"]), list(o["end"]), list(o["strides"]))


def _split(tf: Any, x: Sequence[Any], o: Dict[str, Any]) -> Tuple[Any, ...]:
    return tuple(tf.split(x[0], o["count"], axis=o["axis"]))


MATH: Dict[str, Function] = {
    "embedding": _embedding,
    "gather": lambda tf, x, o: tf.gather(x[0], x[1], axis=o["axis"]),
    "scatter_add": _scatter(False),
    "scatter_update": _scatter(True),
    "segment_sum": lambda tf, x, o: tf.math.unsorted_segment_sum(x[0], x[1], o["count"]),
    "one_hot": _one_hot,
    "sum": _reduction("reduce_sum"),
    "mean": _reduction("reduce_mean"),
    "max": _reduction("reduce_max"),
    "min": _reduction("reduce_min"),
    "prod": _reduction("reduce_prod"),
    "logsumexp": _reduction("reduce_logsumexp"),
    "variance": _variance,
    "l2_norm": _l2_norm,
    "cumsum": lambda tf, x, o: tf.cumsum(x[0], axis=o["axis"]),
    "argmax": lambda tf, x, o: tf.argmax(x[0], axis=o["axis"], output_type=tf.int32),
    "argmin": lambda tf, x, o: tf.argmin(x[0], axis=o["axis"], output_type=tf.int32),
    "sort": _sort,
    "top_k": _top_k,
    "identity": lambda tf, x, o: tf.identity(x[0]),
    "relu": lambda tf, x, o: tf.nn.relu(x[0]),
    "relu6": lambda tf, x, o: tf.nn.relu6(x[0]),
    "leaky_relu": lambda tf, x, o: tf.nn.leaky_relu(x[0], alpha=o["slope"]),
    "elu": lambda tf, x, o: tf.nn.elu(x[0]),
    "gelu": _gelu,
    "silu": lambda tf, x, o: x[0] * tf.sigmoid(x[0]),
    "softplus": _number("softplus"),
    "tanh": _number("tanh"),
    "sigmoid": _number("sigmoid"),
    "erf": _number("erf"),
    "exp": _number("exp"),
    "expm1": _number("expm1"),
    "log": _number("log"),
    "log1p": _number("log1p"),
    "sqrt": _number("sqrt"),
    "rsqrt": _number("rsqrt"),
    "reciprocal": _number("reciprocal"),
    "square": _number("square"),
    "abs": _number("abs"),
    "sin": _number("sin"),
    "cos": _number("cos"),
    "floor": _number("floor"),
    "round": _number("round"),
    "is_finite": _verdict("is_finite"),
    "add": _number("add"),
    "subtract": _number("subtract"),
    "multiply": _number("multiply"),
    "divide": lambda tf, x, o: x[0] / x[1],
    "maximum": _number("maximum"),
    "minimum": _number("minimum"),
    "power": _number("pow"),
    "less": _verdict("less"),
    "equal": _verdict("equal"),
    "where": lambda tf, x, o: tf.where(tf.not_equal(x[0], 0), x[1], x[2]),
    "integer_add": _number("add"),
    "integer_multiply": _number("multiply"),
    "integer_floor_divide": _number("floordiv"),
    "integer_floor_mod": _number("floormod"),
    "cast": _cast,
    "quantise_int8": _quantise,
    "dequantise_int8": _dequantise,
    "concat": lambda tf, x, o: tf.concat([x[0], x[1]], axis=o["axis"]),
    "split": _split,
    "pad": lambda tf, x, o: tf.pad(x[0], o["paddings"], mode=o["mode"].upper()),
    "transpose": lambda tf, x, o: tf.transpose(x[0], o["permutation"]),
    "strided_slice": _slice,
    "tile": lambda tf, x, o: tf.tile(x[0], o["multiples"]),
    "reverse": lambda tf, x, o: tf.reverse(x[0], [o["axis"]]),
    "depth_to_space": lambda tf, x, o: tf.nn.depth_to_space(x[0], o["block"]),
}
