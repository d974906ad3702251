"""`compare` of Keras models on JAX; the CPU is given to JAX twice."""

from compare_models import CLEAN, FAULTS, JAX, JAX_FAULTS, check_faults

TWICE = {"KERAS_BACKEND": "jax", "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}


def test_planted_faults_are_named_with_their_layer_and_no_other(program):
    found = program(JAX + FAULTS + JAX_FAULTS + "print(json.dumps(plant('cpu:1')))", env=TWICE, timeout=900)
    assert len(found) == 5
    check_faults(found)


def test_a_wrong_layer_is_left_to_the_cpu_and_compared_again(program):
    code = """
generator = np.random.RandomState(0)
x, y = generator.normal(size=(16, 8)).astype("float32"), generator.normal(size=(16, 3)).astype("float32")
model = FAULTY["WrongGradient"]()
model.compile("sgd", "mse")
found = devicekit.compare(model, x, y, devices="cpu:1", optimizers=["sgd"], steps=2)
left = [[item.layers, item.agrees, item.detail] for item in found.left_to_cpu]
print(json.dumps([[[item.label, item.verdict] for item in found.divergences], left]))
"""
    rows, left = program(JAX + FAULTS + code, env=TWICE, timeout=900)
    assert rows == [
        ["SGD, as compiled", "differs"], ["SGD, as compiled, steps compiled by jax.jit", "differs"], ["sgd", "differs"],
        ["sgd, steps compiled by jax.jit", "differs"],
    ]  # fmt: skip
    assert left == [[["planted"], True, ""]]


def test_a_wrong_layer_of_mixed_precision_is_left_to_the_cpu(program):
    code = """
class Larger(keras.layers.Dense):
    def call(self, x):
        return super().call(x) * (1.5 if on_the_device(x) else 1.0)
layers = [keras.Input((8,)), Larger(8, dtype="mixed_bfloat16", name="planted"), keras.layers.Dense(3)]
found = devicekit.compare(keras.Sequential(layers), devices="cpu:1")
print(json.dumps([[item.layers, item.agrees, item.detail] for item in found.left_to_cpu]))
"""
    assert program(JAX + FAULTS + code, env=TWICE, timeout=900) == [[["planted"], True, ""]]


def test_compiled_steps_of_mixed_precision_leave_out_roundings(program):
    code = """
import json, devicekit, numpy as np
L = keras.layers
keras.utils.set_random_seed(1)
start = keras.Input((8, 16))
half = dict(dtype="mixed_bfloat16")
normal = L.LayerNormalization(**half)(start)
hidden = start + L.MultiHeadAttention(2, 8, **half)(normal, normal)
hidden = hidden + L.Dense(16, **half)(L.Dense(32, "gelu", **half)(L.LayerNormalization(**half)(hidden)))
model = keras.Model(start, L.Dense(5)(L.GlobalAveragePooling1D(**half)(hidden)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
x = np.random.RandomState(0).standard_normal((16, 8, 16)).astype("float32")
found = devicekit.compare(model, x, np.arange(16) % 5, devices="cpu", optimizers=["sgd"])
print(json.dumps([[item.verdict, item.compiled_by] for item in found.divergences]))
"""
    verdicts = program(JAX + code, env={"KERAS_BACKEND": "jax"}, timeout=900)
    assert verdicts == [["agrees", ""], ["agrees", "jax.jit"]] * 2


def test_models_without_a_fault_raise_nothing(program):
    code = """
wide = jax.config.jax_enable_x64
for seed, name in enumerate(("dense", "attention", "subclassed")):
    keras.utils.set_random_seed(seed)
    model = MODELS[name]()
    before = [np.array(item) for item in model.get_weights()]
    comparison = devicekit.compare(model, inputs_of(name, seed), devices="cpu:1", seed=seed)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    assert comparison.agrees and not comparison.findings, (name, named(comparison, "cpu:1"))
assert keras.config.floatx() == "float32" and keras.config.dtype_policy().name == "float32"
assert jax.config.jax_enable_x64 == wide
print(json.dumps(comparison.reference))
"""
    assert program(JAX + FAULTS + CLEAN + code, env=TWICE, timeout=900).startswith("cpu in float64 with jax")
