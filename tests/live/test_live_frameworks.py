"""`compare` of one Keras 3 model between TensorFlow and JAX, each in a separate process."""

import os

import pytest

#: A module of the user's: a layer that is wrong on one framework only, each in another way.
LAYERS = """
import keras
ON_JAX = keras.backend.backend() == "jax"
@keras.saving.register_keras_serializable("mine")
class Sided(keras.layers.Layer):
    # Pads as "same" does, and on JAX one too far to the left.
    def call(self, x):
        return keras.ops.pad(x, [[0, 0], [2, 0], [0, 0]] if ON_JAX else [[0, 0], [1, 1], [0, 0]])
@keras.saving.register_keras_serializable("mine")
class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=shape[-1:], initializer="ones", name="scale")
    def call(self, x):
        stopped = keras.ops.stop_gradient(x * self.scale)
        return 0.5 * (x * self.scale) + 0.5 * stopped if ON_JAX else x * self.scale
@keras.saving.register_keras_serializable("mine")
class Holed(keras.layers.Layer):
    def call(self, x):
        return x + keras.ops.log(keras.ops.relu(x) * 0) if ON_JAX else x * 1
"""

START = """
import json
import numpy as np
import keras, devicekit
from keras import layers
keras.utils.set_random_seed(SEED)
rng = np.random.RandomState(SEED)
x = rng.standard_normal((4, 10, 3)).astype("float32")
y = np.eye(3)[rng.randint(0, 3, 4)].astype("float32")
def said(**options):
    before = [np.array(item) for item in model.get_weights()]
    try:
        found = devicekit.compare(model, x, frameworks=("tensorflow", "jax"), **options)
    except (ValueError, devicekit.DevicekitError) as error:
        return str(error)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    wrong = [[item.framework, item.device, item.name, item.what, item.verdict, item.detail]
             for item in found.differences if item.verdict != "agrees"]
    return [found.agrees, wrong, sorted({item.framework for item in found.differences}),
            sorted({item.kind for item in found.differences}), found.reference]
"""

CLEAN = """
model = keras.Sequential([
    keras.Input((10, 3)), layers.Conv1D(6, 3, padding="same", strides=2), layers.BatchNormalization(), layers.ReLU(),
    layers.GRU(5), layers.Dropout(0.5), layers.Dense(3, activation="softmax"),
])
print(json.dumps(said(targets=y, loss="categorical_crossentropy", steps=0)))
"""


@pytest.fixture
def between(program, tmp_path):
    """Return a function that runs a program with the user's module, on a backend."""
    (tmp_path / "my_layers.py").write_text(LAYERS)

    def run(code, backend="tensorflow", seed=0):
        path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(tmp_path))))
        env = {"KERAS_BACKEND": backend, "PYTHONPATH": path}
        return program(START.replace("SEED", str(seed)) + code, env=env, timeout=900)

    return run


def test_frameworks_agree(between):
    agrees, wrong, frameworks, kinds, reference = between(CLEAN)
    assert (agrees, wrong) == (True, [])
    assert frameworks == ["jax", "tensorflow"]
    assert kinds == ["gradient", "layer", "model"]
    assert reference.startswith("cpu in float64 with tensorflow")


def test_the_layer_that_differs_is_named(between):
    code = """
import my_layers
model = keras.Sequential([
    keras.Input((10, 3)), layers.Dense(4), my_layers.Sided(), layers.Dense(4), my_layers.Scaled(), layers.Dense(4),
    my_layers.Holed(), layers.Dense(2),
])
print(json.dumps(said()))
"""
    agrees, wrong, _, _, _ = between(code)
    assert not agrees
    assert {item[0] for item in wrong} == {"jax"}
    layers = {}
    for _, _, name, what, _, detail in wrong:
        layers.setdefault(name, {})[what] = detail
    model = [name for name in layers if name.startswith("sequential")]
    assert set(layers) - set(model) == {"sided", "scaled", "holed"}
    assert "shifted by +1" in layers["sided"]["output"]
    assert "output" not in layers["scaled"]
    assert "1/2" in layers["scaled"]["gradient of input 0"]
    assert "gradient of scale" in layers["scaled"]
    assert layers["holed"]["output"]


@pytest.mark.parametrize(
    "made, words",
    [
        ("layers.Lambda(lambda z: z * 2)", ["has a Python lambda", "register_keras_serializable"]),
        ("Mine()", ["Mine is defined in the script itself", "register_keras_serializable"]),
        ("layers.Dense(2, activation=twice)", ["dense", "the function twice", "register"]),
    ],
)
def test_what_another_process_cannot_make_again(between, made, words):
    code = """
class Mine(layers.Layer):
    def call(self, z): return z * 2
def twice(z): return z * 2
model = keras.Sequential([keras.Input((10, 3)), %s])
print(json.dumps(said()))
"""
    message = between(code % made)
    assert isinstance(message, str), message
    assert all(word in message for word in words), message
