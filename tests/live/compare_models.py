"""The start of programs that compare models: layers with a fault that shows on one device only, and models without one."""

#: `PRELUDE` needs a name `keras`, and a function `on_the_device(x)`: whether this runs where the faults are.
FAULTS = """
import json, os, sys, warnings
import numpy as np
import devicekit
L = keras.layers
V3 = keras.__version__.startswith("3.")
if V3:
    ops = keras.ops
    cast, matmul, conv, stop = ops.cast, ops.matmul, ops.conv, ops.stop_gradient
    pad, array = ops.pad, ops.convert_to_tensor
else:
    cast, matmul, stop, pad, array = tf.cast, tf.matmul, tf.stop_gradient, tf.pad, tf.convert_to_tensor
    conv = lambda x, k, s, p: tf.nn.conv2d(x, k, s, p.upper())

class Product(L.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(name="kernel", shape=(int(shape[-1]), int(shape[-1])), initializer="glorot_uniform")
    def call(self, x):
        return matmul(x, self.kernel)

class WrongGradient(Product):
    def call(self, x):
        if on_the_device(x):
            return matmul(x, 1.5 * self.kernel - stop(0.5 * self.kernel))
        return matmul(x, self.kernel)

class ReducedPrecision(Product):
    def call(self, x):
        if on_the_device(x):
            less = lambda value: cast(cast(value, "bfloat16"), "float32")
            return matmul(less(x), less(array(self.kernel)))
        return matmul(x, self.kernel)

class StaleBuffer(Product):
    last = None
    def call(self, x):
        y = matmul(x, self.kernel)
        if on_the_device(x):
            before, self.last = self.last, y
            return y if before is None else before
        return y

class SilentNaN(Product):
    def call(self, x):
        y = matmul(x, self.kernel)
        if on_the_device(x):
            hole = np.zeros((1, int(y.shape[-1])), "float32")
            hole[0, 2] = np.nan
            return y + array(hole)
        return y

class ShiftedPadding(L.Layer):
    def build(self, shape):
        size = (3, 3, int(shape[-1]), int(shape[-1]))
        self.kernel = self.add_weight(name="kernel", shape=size, initializer="glorot_uniform")
    def call(self, x):
        ends = [2, 0] if on_the_device(x) else [1, 1]
        return conv(pad(x, [[0, 0], ends, [1, 1], [0, 0]]), self.kernel, 1, "valid")

def between_dense(layer):
    return keras.Sequential([keras.Input((8,)), L.Dense(8, activation="tanh"), layer, L.Dense(3)])

def between_convolutions(layer):
    parts = [L.Conv2D(4, 3, padding="same", activation="relu"), layer, L.MaxPooling2D(), L.Flatten(), L.Dense(3)]
    return keras.Sequential([keras.Input((8, 8, 3))] + parts)

FAULTY = {
    "WrongGradient": lambda: between_dense(WrongGradient(name="planted")),
    "ReducedPrecision": lambda: between_dense(ReducedPrecision(name="planted")),
    "StaleBuffer": lambda: between_dense(StaleBuffer(name="planted")),
    "SilentNaN": lambda: between_dense(SilentNaN(name="planted")),
    "ShiftedPadding": lambda: between_convolutions(ShiftedPadding(name="planted")),
}

def named(comparison, *devices):
    found = {}
    for item in comparison.differences:
        if item.verdict != "agrees" and item.kind != "model" and item.device in devices:
            found.setdefault(item.name, []).append([item.what, item.verdict, item.arithmetic, item.detail])
    return found

def plant(device):
    # What a coarse arithmetic looks like depends on the weights: with few of them bfloat16 may look like another.
    keras.utils.set_random_seed(7) if hasattr(keras.utils, "set_random_seed") else tf.compat.v1.set_random_seed(7)
    return {name: named(devicekit.compare(make(), devices=("cpu", device)), "cpu", device) for name, make in FAULTY.items()}
"""

CLEAN = """
class Block(L.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.inner = L.Dense(units, activation="relu", name="inner")
        self.norm = L.LayerNormalization(name="norm")
    def call(self, x):
        return self.norm(self.inner(x)) + x
    def get_config(self):
        return dict(super().get_config(), units=self.units)

class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = Block(6, name="first"), Block(6, name="second"), L.Dense(1, name="last")
    def call(self, x, training=False):
        return self.last(self.second(self.first(x)) * 0.5)

def dense():
    layers = [L.Dense(16, activation="relu"), L.BatchNormalization(), L.Dropout(0.3), L.Dense(4, activation="softmax")]
    return keras.Sequential([keras.Input((12,))] + layers)

def convolution():
    layers = [L.Conv2D(4, 3, padding="same", activation="relu"), L.MaxPooling2D(), L.SeparableConv2D(4, 3)]
    return keras.Sequential([keras.Input((8, 8, 3))] + layers + [L.Flatten(), L.Dense(2)])

def recurrent():
    layers = [L.Embedding(30, 6, mask_zero=True), L.Bidirectional(L.LSTM(5, return_sequences=True)), L.GRU(4)]
    return keras.Sequential([keras.Input((3,))] + layers + [L.Dense(1)])

def attention():
    start = keras.Input((6, 8))
    inner = L.LayerNormalization()(L.MultiHeadAttention(2, 4)(start, start) + start)
    end = L.TimeDistributed(L.Dense(8, activation="gelu"))(inner)
    return keras.Model(start, [end, L.GlobalMaxPooling1D()(end)])

def nested():
    one, other, twice = keras.Input((6,), name="one"), keras.Input((6,), name="other"), L.Dense(6, name="twice")
    inner = keras.Sequential([keras.Input((6,)), L.Dense(6, activation="tanh")], name="inner")
    return keras.Model([one, other], L.Dense(1)(L.Concatenate()([inner(twice(one)), inner(twice(other))])))

def subclassed():
    model = Subclassed()
    model(np.zeros((2, 6), "float32"))
    return model

def composed():
    start = keras.Input((6,))
    return keras.Model(start, L.Dense(1)(Block(6, name="block")(start)))

MODELS = {model.__name__: model for model in (dense, convolution, recurrent, attention, nested, subclassed)}
if not V3 and V1:
    MODELS["composed"] = composed
def inputs_of(name, seed):
    return np.random.RandomState(seed).normal(size=(4, 6)).astype("float32") if name == "subclassed" else None
"""

#: Layers of Keras 3 that draw random numbers in inference, as a variational autoencoder does: other ones in float64.
DRAWING = """
class Drawing(L.Layer):
    def __init__(self, seed, **options):
        super().__init__(**options)
        self.held = {"seed": keras.random.SeedGenerator(3) if seed == "held" else seed}
    def call(self, x):
        return x + keras.random.normal(ops.shape(x), dtype=x.dtype, seed=self.held["seed"])
    def get_config(self):
        seed = self.held["seed"]
        return dict(super().get_config(), seed=seed if seed in (None, 3) else "held")

def drawing(seed):
    model = keras.Sequential([keras.Input((8,)), L.Dense(4), Drawing(seed, name="draws"), L.Dense(1, name="last")])
    found = devicekit.compare(model, devices="cpu", seed=1)
    verdicts = {item.name: item.verdict for item in found.differences if item.kind != "model"}
    return found.agrees, verdicts["draws"], verdicts["last"]
"""

#: A graph has no values when it is built: what is stale there comes from a variable.
GRAPH_FAULTS = """
class StaleBuffer(Product):
    def call(self, x):
        y = matmul(x, self.kernel)
        if not on_the_device(x):
            return y
        kept = []
        def stale(value):
            kept.append(value)
            return kept[-2] if len(kept) > 1 else value
        result = tf.numpy_function(stale, [y], y.dtype)
        result.set_shape(y.shape)
        return result
FAULTY["StaleBuffer"] = lambda: between_dense(StaleBuffer(name="planted"))
"""

TENSORFLOW = """
import tensorflow as tf
keras = tf.keras
V1 = tf.__version__.startswith("1.")
cpu = (tf.config.experimental if V1 else tf.config).list_physical_devices("CPU")[0]
if not V1:
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration() for _ in range(2)])
def on_the_device(x): return x.device.endswith("CPU:1")
"""

JAX = """
import jax, keras
CURRENT = lambda: jax.config.jax_default_device
def on_the_device(x): return getattr(CURRENT(), "id", 0) == 1
"""

#: Compiled code is traced once: what is stale there comes from outside.
JAX_FAULTS = """
KEPT = []
def stale(value):
    KEPT.append(np.array(value))
    return KEPT[-2] if len(KEPT) > 1 else KEPT[-1]
@jax.custom_vjp
def product(x, kernel):
    y = x @ kernel
    return jax.pure_callback(stale, jax.ShapeDtypeStruct(y.shape, y.dtype), y)
product.defvjp(lambda x, kernel: (product(x, kernel), (x, kernel)), lambda kept, up: (up @ kept[1].T, kept[0].T @ up))
class StaleBuffer(Product):
    def call(self, x):
        kernel = array(self.kernel)
        return product(x, kernel) if on_the_device(x) else matmul(x, kernel)
FAULTY["StaleBuffer"] = lambda: between_dense(StaleBuffer(name="planted"))
"""

TORCH = """
import torch, keras
def on_the_device(x): return x.device.type == "sim"
"""


def check_faults(found):
    """Check what `plant` returns: each fault is named with its layer, by what it is, and no other layer is named."""
    assert {name: list(layers) for name, layers in found.items()} == {name: ["planted"] for name in found}
    whats = {name: {item[0]: item for item in layers["planted"]} for name, layers in found.items()}
    assert list(whats["WrongGradient"]) == ["gradient of kernel"]
    assert whats["WrongGradient"]["gradient of kernel"][1] == "differs"
    assert whats["ReducedPrecision"]["output"][1:3] == ["reduced-precision", "bfloat16"]
    assert whats["SilentNaN"]["output"][1] == "differs"
    assert "NaN" in whats["SilentNaN"]["output"][3]
    assert whats["StaleBuffer"]["output"][1] == "differs"
    assert "stale" in whats["StaleBuffer"]["output"][3]
    assert whats["ShiftedPadding"]["output"][1] == "differs"
    assert "shifted" in whats["ShiftedPadding"]["output"][3]
