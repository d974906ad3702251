"""The products of the suite in JAX: matrices, convolutions, attention and recurrent layers; see `kinds_jax`."""

from typing import Any, Callable, Dict

from .kinds_jax import Options, each
from .operation import same_padding


def _matmul(options: Options, a: Any, b: Any) -> Any:
    import jax.numpy as jnp

    a = jnp.swapaxes(a, -1, -2) if options.get("transpose_a") else a
    b = jnp.swapaxes(b, -1, -2) if options.get("transpose_b") else b
    return jnp.matmul(a, b)


def _einsum(options: Options, a: Any, b: Any) -> Any:
    import jax.numpy as jnp

    return jnp.einsum(options["equation"], a, b)


def _dense(options: Options, x: Any, kernel: Any, bias: Any) -> Any:
    import jax.numpy as jnp

    return jnp.dot(x, kernel) + bias


def _convolution(axes: int) -> Callable[..., Any]:
    letters = "DHW"[3 - axes :]
    layout = ("N%sC" % letters, "%sIO" % letters, "N%sC" % letters)

    def convolution(options: Options, x: Any, kernel: Any, groups: int = 0) -> Any:
        from jax import lax

        return lax.conv_general_dilated(
            x,
            kernel,
            each(options.get("strides", 1), axes),
            options.get("padding", "valid").upper(),
            rhs_dilation=each(options.get("dilation", 1), axes),
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
    from jax import lax

    strides, sizes = each(options.get("strides", 1), 2), each(options["output_size"], 2)
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
    import jax.numpy as jnp
    from jax import nn

    scores = jnp.einsum("nhqd,nhkd->nhqk", q, k) * options["scale"]
    scores = jnp.where(mask != 0, scores, jnp.asarray(-30000.0, scores.dtype))
    return jnp.einsum("nhqk,nhkd->nhqd", nn.softmax(scores, axis=-1), v)


def _lstm(options: Options, x: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax, nn

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
    import jax.numpy as jnp
    from jax import lax, nn

    def step(h: Any, now: Any) -> Any:
        xz, xr, xh = jnp.split(now @ kernel + bias[0], 3, axis=-1)
        hz, hr, hh = jnp.split(h @ recurrent + bias[1], 3, axis=-1)
        z = nn.sigmoid(xz + hz)
        h = z * h + (1 - z) * jnp.tanh(xh + nn.sigmoid(xr + hr) * hh)
        return h, h

    zeros = jnp.zeros((x.shape[0], recurrent.shape[0]), x.dtype)
    return jnp.swapaxes(lax.scan(step, zeros, jnp.swapaxes(x, 0, 1))[1], 0, 1)


LINEAR: Dict[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "einsum": _einsum,
    "dense": _dense,
    "conv1d": _convolution(1),
    "conv2d": _conv2d,
    "conv3d": _convolution(3),
    "depthwise_conv2d": _depthwise,
    "separable_conv2d": _separable,
    "conv2d_transpose": _conv2d_transpose,
    "attention": _attention,
    "lstm": _lstm,
    "gru": _gru,
}
