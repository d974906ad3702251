"""The suite's operations and plain functions on the real JAX; two devices of the processor stand for two devices."""

import engines_prelude
import functions_prelude
import pytest

TWO = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
FUNCTIONS = 'OTHER = "cpu:1"\n' + functions_prelude.PRELUDE + "import jax\nimport jax.numpy as jnp\n"

#: One case of most kinds: each is compiled several times.
SOME = """
seen, chosen = set(), []
for operation in select():
    if operation.operation not in seen and operation.operation not in SKIPPED:
        seen.add(operation.operation)
        chosen.append(operation)
"""


def test_operations_agree_with_float64(program):
    code = """
import jax
made = engine("jax")
missing = set(KINDS) - set(made.kinds())
before = jax.config.jax_enable_x64
SKIPPED = ("lstm", "gru", "conv3d", "max_pool3d", "average_pool3d", "separable_conv2d", "less", "minimum", "min", "argmin")
%s
wrong, largest = checked(made, chosen, "cpu:1")
print(json.dumps([sorted(missing), wrong, largest, before == jax.config.jax_enable_x64, len(chosen)]))
"""
    missing, wrong, largest, same, count = program(engines_prelude.PRELUDE + code % SOME, env=TWO, timeout=600)
    assert (missing, wrong, same) == ([], [], True)
    assert 0 < largest < 1
    assert count > 60


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


@pytest.mark.parametrize(
    "function, words",
    [
        ("lambda a: jnp.tanh(a)", "cpu in float64 with jax"),
        ("lambda a: a + jax.random.normal(jax.random.key(0), a.shape)", "draws other random numbers in float64"),
        ("lambda a: a * np.random.rand()", "draws random numbers"),
        ("lambda a: a.astype(jnp.float32)", "computes in that even where it is given float64"),
    ],
)
def test_references_and_random_functions(program, function, words):
    code = """
x64 = jax.config.jax_enable_x64
try:
    text = examine_function(FUNCTION, (jnp.asarray(x),), ["cpu"]).reference
except ValueError as error:
    text = str(error)
print(json.dumps([text, x64 == jax.config.jax_enable_x64]))
"""
    text, same = program(FUNCTIONS + code.replace("FUNCTION", function), env=TWO)
    assert words in text
    assert same
