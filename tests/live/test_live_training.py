"""Steps of training on the CPU next to themselves: what is compared, what is left out, and that nothing else changes."""

from live_prelude import PRELUDE

PROGRAM = (
    PRELUDE
    + """
import numpy as np
import devicekit
warnings.simplefilter("ignore")
keras = tf.keras
layers = keras.layers
model = keras.Sequential([
    layers.InputLayer((6, 6, 2)),
    layers.Conv2D(3, 3, activation="relu"),
    layers.Dropout(0.5),
    layers.Flatten(),
    layers.Dense(4, activation="softmax"),
])
model.compile("sgd", "sparse_categorical_crossentropy")
generator = np.random.RandomState(0)
x, y = generator.standard_normal((12, 6, 6, 2)).astype("float32"), generator.randint(0, 4, 12)
model.train_on_batch(x, y)
before, predicted = [np.array(item) for item in model.get_weights()], model.predict(x)
found = devicekit.compare(model, x, y, devices="cpu", steps=3, batch_size=4, seed=5)
same = all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
again = np.array_equal(predicted, model.predict(x))
model.train_on_batch(x, y)  # what it was compiled with is still there
curves = [(item.loss, item.reference_loss, item.weights, item.rounding, item.seed) for item in found.divergences]
print(json.dumps({
    "same": bool(same), "again": bool(again), "agrees": found.agrees, "rate": model.layers[-3].rate,
    "optimizers": [item.optimizer for item in found.divergences],
    "verdicts": sorted({item.verdict for item in found.divergences}),
    "steps": sorted({len(curve) for item in curves for curve in item}),
    "repeats": all(item.loss == item.reference_loss and max(item.weights) == 0 for item in found.divergences),
    "falls": all(0 < max(item.rounding) < max(item.seed) for item in found.divergences),
}))
"""
)


def test_the_cpu_beside_itself(program):
    found = program(PROGRAM)
    optimizers = found.pop("optimizers")
    # AdamW came with Keras 2.11.
    assert optimizers in (["sgd", "momentum", "adam", "adamw"], ["sgd", "momentum", "adam"])
    expected = {"same": True, "again": True, "agrees": True, "rate": 0.5, "verdicts": ["agrees"], "steps": [3]}
    assert found == dict(expected, repeats=True, falls=True)
