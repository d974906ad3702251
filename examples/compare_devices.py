"""Does the device compute what the CPU computes? Layer by layer, and over some steps of training.

Run it with any framework that Keras runs on: ``python examples/compare_devices.py [DEVICE ...]``.
"""

import sys

import numpy as np

import devicekit

devices = sys.argv[1:] or ["cpu", "auto"]
selection = devicekit.auto()  # also decides which framework Keras runs on
print(selection)

if selection.framework in ("tensorflow", "tensorflow1"):
    from tensorflow import keras
else:
    import keras

layers = keras.layers
model = keras.Sequential(
    [
        layers.InputLayer((16, 16, 3)),
        layers.Conv2D(8, 3, padding="same", activation="relu", name="first_convolution"),
        layers.BatchNormalization(name="normalization"),
        layers.MaxPooling2D(name="pooling"),
        layers.Conv2D(16, 3, strides=2, activation="relu", name="second_convolution"),
        layers.Flatten(name="flatten"),
        layers.Dense(10, activation="softmax", name="classes"),
    ]
)
model.compile(loss="sparse_categorical_crossentropy")

generator = np.random.RandomState(0)
images = generator.standard_normal((64, 16, 16, 3)).astype("float32")
classes = generator.randint(0, 10, 64)

comparison = devicekit.compare(model, images, classes, devices=devices, steps=4, optimizers=["sgd", "adam"])
print(comparison)

print("%-20s %-22s %-8s %12s %12s" % ("layer", "what", "device", "error", "tolerance"))
for item in comparison.differences:
    if item.measure is not None and item.kind in ("layer", "gradient"):
        figures = (item.name, item.what, item.device, item.measure.max_relative_error, item.measure.tolerance)
        print("%-20s %-22s %-8s %12.2g %12.2g  %s" % (*figures, item.verdict))
for item in comparison.divergences:
    last = item.weights[-1] if item.weights else float("nan")
    print(
        "trained with %s on %s: %s, weights %.2g apart (%s)"
        % (item.optimizer, item.device, item.verdict, last, item.detail)
    )
for finding in comparison.findings:
    print("%s [%s] %s" % (finding.severity, finding.code, finding.summary))
sys.exit(0 if comparison.agrees else 1)
