"""The programs that are measured, as text: each runs in a fresh process."""

_TRAIN = """
import numpy as np
from tensorflow import keras
layers = [keras.layers.Dense(128, activation="relu"), keras.layers.Dense(128, activation="relu"), keras.layers.Dense(10)]
model = keras.Sequential(layers)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
rng = np.random.RandomState(0)
model.fit(rng.rand(4096, 64).astype("float32"), rng.randint(0, 10, 4096), batch_size=64, epochs=6, verbose=0)
"""

#: What people write by hand today: see which GPUs there are, let their memory grow, run something.
HAND = (
    """
import tensorflow as tf
gpus = tf.config.list_physical_devices("GPU")
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
"""
    + _TRAIN
)

AUTO = (
    """
import devicekit
devicekit.auto()
"""
    + _TRAIN
)

#: Enter and leave, interleaved, the best of several repeats of each, in microseconds.
SCOPE = """
import json, os, sys, timeit
import tensorflow as tf
import devicekit
scope = devicekit.device_scope
def ours():
    with scope("cpu"): pass
def theirs():
    with tf.device("/CPU:0"): pass
def ours_nested():
    with scope("cpu"):
        with scope("cpu"): pass
def theirs_nested():
    with tf.device("/CPU:0"):
        with tf.device("/CPU:0"): pass
def ours_native():
    with scope("/CPU:0"): pass
def best(pair):
    times = [[], []]
    for _ in range(15):
        for number, function in enumerate(pair):
            times[number].append(timeit.timeit(function, number=10000) * 100)
    return [min(values) for values in times]
pairs = {"'cpu'": (ours, theirs), "nested": (ours_nested, theirs_nested), "'/CPU:0'": (ours_native, theirs)}
for pair in pairs.values():
    for function in pair:
        function()
print(json.dumps({name: best(pair) for name, pair in pairs.items()}))
"""
