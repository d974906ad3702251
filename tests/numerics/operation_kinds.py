"""What each kind of operation of the suite computes, in every framework: the contract of the engines."""

#: What each `Operation.operation` computes: inputs, "->", outputs, and what the attributes mean.
KINDS = {
    # Products
    "matmul": "a, b -> a @ b over the last two axes; transpose_a, transpose_b: swap these first",
    "einsum": "a, b -> numpy.einsum(equation, a, b)",
    "dense": "x, kernel, bias -> x @ kernel + bias",
    "conv1d": "x (n, w, in), kernel (k, in / groups, out) -> cross-correlation; strides, dilation: one number; "
    "padding; groups",
    "conv2d": "x (n, h, w, in), kernel (kh, kw, in / groups, out); strides, dilation: pairs; padding; groups",
    "conv3d": "x (n, d, h, w, in), kernel (kd, kh, kw, in, out); strides: triple; padding",
    "depthwise_conv2d": "x, kernel (kh, kw, in, multiplier) -> channel i * multiplier + m; strides, dilation: pairs; padding",
    "separable_conv2d": "x, depthwise (kh, kw, in, multiplier), pointwise (1, 1, in * multiplier, out); strides; padding",
    "conv2d_transpose": "x, kernel (kh, kw, out, in) -> the gradient of a conv2d whose input has output_size (pair); "
    "strides; padding",
    "attention": "q, k, v (n, heads, time, size), mask (time, time), int32 -> softmax(where(mask, q k^T * scale, -30000)) v",
    "lstm": "x (n, time, in), kernel (in, 4 u), recurrent (u, 4 u), bias (4 u) -> all h (n, time, u), last c; gates in the "
    "order input, forget, cell, output; sigmoid and tanh; zeros first",
    "gru": "x (n, time, in), kernel (in, 3 u), recurrent (u, 3 u), bias (2, 3 u) -> all h; gates in the order update z, "
    "reset r, candidate: h' = tanh(x W + b0 + r * (h U + b1)); h = z * h + (1 - z) * h'; zeros first",
    # Pooling and resizing
    "max_pool1d": "x; size, strides: one number; padding",
    "max_pool2d": "x; size, strides: pairs; padding",
    "max_pool3d": "x; size, strides: triples; padding",
    "average_pool2d": "x; size, strides: pairs; padding; what is padded does not count",
    "average_pool3d": "x; size, strides: triples; padding; what is padded does not count",
    **dict.fromkeys(("global_average_pool2d", "global_max_pool2d"), "x -> (n, channels)"),
    "upsample_nearest": "x -> every pixel repeated factor (pair) times",
    "resize_bilinear": "x -> size (pair); half-pixel centers, no antialiasing, in the tried dtype or float32",
    # Normalization
    "batch_norm_training": "x, scale, offset -> normalized over all axes but the last, biased variance; epsilon",
    "batch_norm_inference": "x, scale, offset, mean, variance -> the same with given statistics; epsilon",
    "layer_norm": "x, scale, offset -> over the last axis; epsilon",
    "group_norm": "x (n, h, w, c), scale, offset -> over h, w and c / groups neighboring channels; groups; epsilon",
    "rms_norm": "x, scale -> x / sqrt(mean of squares over the last axis + epsilon) * scale",
    # Softmax and losses, over the last axis; losses one a row
    **dict.fromkeys(("softmax", "log_softmax"), "x"),
    "softmax_cross_entropy": "logits, labels (probabilities)",
    "sparse_softmax_cross_entropy": "logits, labels (int32)",
    "sigmoid_cross_entropy": "logits, labels -> elementwise",
    # Tables and indices
    "embedding": "table, ids (int32) -> rows of the table; the gradient is dense",
    "gather": "x, indices (int32, one axis) -> taken along axis",
    "scatter_add": "x, indices (int32), updates -> x with updates[i] added to row indices[i]; indices repeat",
    "scatter_update": "x, indices (int32), updates -> x with row indices[i] replaced; indices differ",
    "segment_sum": "x, segments (int32, unsorted) -> rows added up by segment; count",
    "one_hot": "indices (int32) -> depth columns of the tried dtype",
    # Reductions over axes (a tuple), which vanish
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "logsumexp"), "x; axes"),
    "variance": "x; axes; biased",
    "l2_norm": "x; axes: square root of the sum of squares",
    "cumsum": "x; axis",
    **dict.fromkeys(("argmax", "argmin"), "x; axis -> int32; the first of equal ones"),
    "sort": "x -> sorted along the last axis; descending",
    "top_k": "x -> the k largest of the last axis, descending, and their indices (int32)",
    # Elementwise, one input
    **dict.fromkeys(("identity", "relu", "relu6", "silu", "softplus", "tanh", "sigmoid", "erf", "exp"), "x"),
    **dict.fromkeys(("expm1", "log", "log1p", "sqrt", "square", "abs", "sin", "cos", "floor"), "x"),
    "leaky_relu": "x; slope",
    "elu": "x; exp(x) - 1 below 0",
    "gelu": "x; approximate: by tanh, else by erf",
    "rsqrt": "x -> 1 / sqrt(x)",
    "reciprocal": "x -> 1 / x",
    "round": "x -> nearest whole number, halves to even",
    "is_finite": "x -> int32, 1 where it is",
    # Elementwise, two inputs of one shape, or that broadcast as NumPy does
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum"), "a, b"),
    "power": "a, b -> a ** b",
    "less": "a, b -> int32, 1 where a < b",
    "equal": "a, b -> int32, 1 where a == b",
    "where": "mask (int32), a, b -> a where mask is not 0, else b",
    "integer_add": "a, b (int32) -> int32, wraps around",
    "integer_multiply": "a, b (int32) -> int32",
    "integer_floor_divide": "a, b (int32) -> int32, rounded down as in Python",
    "integer_floor_mod": "a, b (int32) -> int32, with the sign of b",
    # Casts
    "cast": "x -> to ('float16', 'bfloat16', 'float32' or 'int32', which truncates), and back to the tried dtype; int32 stays",
    "quantise_int8": "x -> clip(round halves to even(x / scale), -128, 127) as int8, given back as int32",
    "dequantise_int8": "x (int32 with int8's values), cast to int8 first -> x * scale in the tried dtype",
    # Data movement
    "concat": "a, b -> along axis",
    "split": "x -> count equal parts along axis",
    "pad": "x; paddings: pairs; mode 'constant' (zeros), 'reflect'",
    "transpose": "x; permutation",
    "strided_slice": "x; begin, end, strides: one number an axis, as in x[begin:end:stride]",
    "tile": "x; multiples",
    "reverse": "x; axis",
    "depth_to_space": "x (n, h, w, c); block; as TensorFlow: (n, h, w, b, b, c / b^2), b by b moved to h and w",
}
