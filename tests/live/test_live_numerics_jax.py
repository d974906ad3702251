"""The suite's operations and plain functions on the real JAX; two devices of the CPU stand for two devices."""

import engines_prelude
import functions_prelude

TWO = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
FUNCTIONS = 'OTHER = "cpu:1"\n' + functions_prelude.PRELUDE + "import jax\nimport jax.numpy as jnp\n"

#: Cases whose definition has most to go wrong: each is compiled several times.
SOME = (
    "conv2d 3x3 stride 2 same, odd size", "depthwise_conv2d 5x5*", "conv2d_transpose 4x4*", "attention causal",
    "lstm 16 steps", "gru 16 steps", "max_pool2d 3x3 stride 2 same", "average_pool2d 3x3 stride 2*", "resize_bilinear 12x9*",
    "batch_norm_training of*", "group_norm*", "sparse_softmax_cross_entropy of*", "embedding ids*", "segment_sum*", "top_k*",
    "cast to float16", "quantise_int8 h*", "pad by*", "strided_slice*", "depth_to_space*", "matmul transposed right",
)  # fmt: skip


def test_operations_agree_with_float64(program):
    code = """
import jax
made = engine("jax")
missing = set(KINDS) - set(made.kinds())
before = jax.config.jax_enable_x64
chosen = [item for item in select(%r)]
wrong, largest = checked(made, chosen, "cpu:1")
print(json.dumps([sorted(missing), wrong, largest, before == jax.config.jax_enable_x64, len(chosen)]))
"""
    missing, wrong, largest, same, count = program(engines_prelude.PRELUDE + code % (SOME,), env=TWO, timeout=600)
    assert (missing, wrong, same) == ([], [], True)
    assert 0 < largest < 1
    assert count >= len(SOME)


def test_it_says_where_it_ran(program):
    code = """
made = engine("jax")
operation = select("matmul odd*")[0]
found = made.run(operation, arrays(operation, 0), "float32", "cpu:1", 0)
wide = made.run(operation, arrays(operation, 0), "float64", "cpu:0", 0)
print(json.dumps([made.devices(), made.device_name("cpu"), found.ran_on, found.error, str(wide.outputs[0].dtype)]))
"""
    devices, name, ran_on, error, dtype = program(engines_prelude.PRELUDE + code, env=TWO)
    assert devices == ["cpu:0", "cpu:1"]
    assert (name, ran_on, error, dtype) == ("cpu:0", "cpu:1", "", "float64")


FAULTS = """
def there():
    device = jax.config.jax_default_device
    return device is not None and device.id == 1
@jax.custom_vjp
def halved(y): return jnp.tanh(y)
halved.defvjp(lambda y: (jnp.tanh(y),) * 2, lambda result, up: (up * (1 - result**2) * (0.5 if there() else 1.0),))
@jax.custom_vjp
def reduced(a, b):
    if there():
        a, b = (jnp.asarray(rounded(np.asarray(item), 10)) for item in (a, b))
    return a @ b
reduced.defvjp(lambda a, b: (a @ b, (a, b)), lambda kept, up: (up @ kept[1].T, kept[0].T @ up))
def padded(a, k):
    sides = (2, 0) if there() else (1, 1)
    return jax.lax.conv_general_dilated(a, k, (1, 1), (sides, sides), dimension_numbers=("NHWC", "HWIO", "NHWC"))
def silent(a):
    return a.at[3, 5].set(jnp.nan) if there() else a * 1
seen = {
    "wrong gradient": found(halved, jnp.asarray(x)), "reduced precision": found(reduced, jnp.asarray(x), w),
    "padding": found(padded, image, kernel), "silent NaN": found(silent, jnp.asarray(x)),
    "clean": found(jax.jit(lambda a, b: jax.nn.softmax(jnp.tanh(a @ b))), x, w),
}
print(json.dumps(seen))
"""


def test_planted_faults_are_named(program):
    functions_prelude.check_faults(program(FUNCTIONS + FAULTS, env=TWO), "cpu:1")


CLEAN = """
def mlp(p, a): return jax.nn.softmax(jax.nn.relu(a @ p["w"]))
def norm(a): return {"mean": a.mean(), "norm": (a - a.mean(0)) / a.std(0)}
def loss(a, i): return -jnp.take_along_axis(jax.nn.log_softmax(30 * a), i[:, None], 1)
wrong = []
functions = [jax.jit(item) for item in (mlp, norm, loss)]
for seed in range(10):
    rng = np.random.RandomState(seed)
    x, w = rng.standard_normal((32, 64)), rng.standard_normal((64, 16))
    for function, inputs in zip(functions, (({"w": w}, x), (x + 10,), (x, np.arange(32)))):
        items = examine_function(function, inputs, ["cpu"], "jax", seed).differences
        wrong += [[seed, item.name, item.what, item.verdict, item.detail] for item in items if item.verdict != "agrees"]
print(json.dumps(wrong))
"""


def test_clean_functions_agree(program):
    assert program(FUNCTIONS + CLEAN, env=TWO) == []


def test_references_and_random_functions(program):
    code = """
cases = {
    "plain": lambda a: jnp.tanh(a), "key": lambda a: a + jax.random.normal(jax.random.key(0), a.shape),
    "numpy": lambda a: a * np.random.rand(), "cast": lambda a: a.astype(jnp.float32),
}
x64, said = jax.config.jax_enable_x64, {}
for name, function in cases.items():
    try:
        said[name] = examine_function(function, (jnp.asarray(x),), ["cpu"]).reference
    except ValueError as error:
        said[name] = str(error)
print(json.dumps([said, x64 == jax.config.jax_enable_x64]))
"""
    said, same = program(FUNCTIONS + code, env=TWO)
    assert said["plain"] == "cpu in float64 with jax"
    assert "draws other random numbers in float64" in said["key"]
    assert "draws random numbers" in said["numpy"]
    assert "computes in that even where it is given float64" in said["cast"]
    assert same


def test_a_function_is_read_once_and_options_of_another_release_are_left_out(program):
    code = """
import json
import numpy as np
from devicekit.runtime.frameworks import tensors_jax
tensors_jax._QUICK["xla_of_another_release"] = 1
tensors, read = tensors_jax.JaxTensors(), []
one, other = (np.random.RandomState(seed).normal(size=(5, 5)) for seed in (0, 1))
def product(values, _):
    read.append(str(values[0].dtype))
    return [values[0] @ values[1]], []
def pulled(dtype):
    values = [tensors.to_tensor(array, dtype) for array in (one, other)]
    weigh = lambda number, shape, dtype: tensors.to_tensor(np.ones(shape), dtype)
    for _ in range(2):
        found = tensors.vjp(product, values, [], weigh, "product").checked()
    return found
narrow = pulled("float32")
with tensors.double_precision():
    wide = pulled("float64")
right = [one @ other, np.ones((5, 5)) @ other.T, one.T @ np.ones((5, 5))]
for found, limit in ((narrow, 1e-5), (wide, 1e-13)):
    assert all(np.allclose(a, b, rtol=0, atol=limit) for a, b in zip(found.outputs + found.gradients, right))
print(json.dumps([read, sorted(tensors_jax._quick_options())]))
"""
    read, options = program(code, env=TWO)
    assert read == ["float32", "float64"]
    assert "xla_backend_optimization_level" in options
    assert "xla_of_another_release" not in options


def test_slow_convolutions_of_the_reference_are_products(program):
    code = """
import json
import jax
import numpy as np
from devicekit.runtime.frameworks import tensors_jax
usual, called = jax.lax.conv_general_dilated, []
def counted(*args, **rest):
    called.append(args[1].shape)
    return usual(*args, **rest)
jax.lax.conv_general_dilated = counted
tensors, generator, wrong, used = tensors_jax.JaxTensors(), np.random.RandomState(0), [], []
CASES = [  # input, kernel, strides, padding
    ((2, 2, 2, 3), (3, 3, 3, 5), (1, 1), "SAME"),
    ((2, 2, 3, 3), (3, 3, 3, 5), (2, 1), "SAME"),
    ((2, 7, 8, 3), (3, 2, 3, 5), (2, 3), "SAME"),
    ((2, 7, 8, 3), (1, 1, 3, 5), (2, 2), "VALID"),
    ((2, 9, 3), (4, 3, 5), (2,), "VALID"),
    ((2, 2, 3, 4, 3), (2, 2, 2, 3, 5), (2, 2, 2), "SAME"),
    ((2, 7, 8, 3), (3, 3, 3, 5), (1, 1), "SAME"),  # from here on XLA is fast, or the convolution is another
    ((2, 9, 9, 3), (4, 4, 3, 5), (2, 2), "SAME"),
    ((2, 7, 7, 4), (3, 3, 1, 4), (2, 2), "SAME"),
]
def convolution(strides, padding, convolve, values, _):
    rank = len(strides)
    last = (0, rank + 1, *range(1, rank + 1))
    numbers = jax.lax.ConvDimensionNumbers(last, (rank + 1, rank, *range(rank)), last)
    groups = values[0].shape[-1] // values[1].shape[-2]
    convolve = convolve or jax.lax.conv_general_dilated
    return [convolve(values[0], values[1], strides, padding, rhs_dilation=(1,) * rank, dimension_numbers=numbers,
                     feature_group_count=groups)], []
weigh = lambda number, shape, dtype: tensors.to_tensor(np.cos(np.arange(np.prod(shape))).reshape(shape), dtype)
for dtype in ("float64", "float32"):
    for given, kernel, strides, padding in CASES:
        before = len(called)
        with tensors.double_precision():
            values = [tensors.to_tensor(generator.normal(size=shape), dtype) for shape in (given, kernel)]
            results = []
            for key, convolve in (("kept", usual), ("changed", None)):
                function = lambda values, others, convolve=convolve: convolution(strides, padding, convolve, values, others)
                pulled = tensors.vjp(function, values, [], weigh, (key, strides, padding)).checked()
                results.append([np.asarray(item) for item in pulled.outputs + pulled.gradients])
        if not all(a.shape == b.shape and np.allclose(a, b, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-12)
                   for a, b in zip(*results)):
            wrong.append([dtype, given, kernel])
        used.append(len(called) > before)
print(json.dumps([wrong, used, jax.lax.conv_general_dilated is counted]))
"""
    wrong, used, restored = program(code, env=TWO)
    assert wrong == []
    assert used == [False] * 6 + [True] * 3 + [True] * 9  # what is compared is as the user's
    assert restored
