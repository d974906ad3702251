"""Train a small Keras model on handwritten digits, on the best device that really works here.

The data set is the one that scikit-learn ships: 1797 pictures of 8 by 8 pixels. Run it from anywhere:

    python examples/train_digits.py
"""

import devicekit

# The first working line: everything about devices is settled before TensorFlow is imported.
selection = devicekit.auto(seed=0)

import sys

import numpy as np
from sklearn.datasets import load_digits
from tensorflow import keras


def load():
    """Return training and test data: pictures (N, 8, 8, 1) in [0, 1] and labels (N,)."""
    digits = load_digits()
    pictures = (digits.images / 16.0).astype("float32")[..., np.newaxis]
    order = np.random.RandomState(0).permutation(len(pictures))
    pictures, labels = pictures[order], digits.target[order].astype("int64")
    return (pictures[:1400], labels[:1400]), (pictures[1400:], labels[1400:])


def build():
    """Return a small convolutional network."""
    return keras.models.Sequential(
        [
            keras.Input(shape=(8, 8, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )


def main():
    """Train, measure, and say on which device and why."""
    print(selection)
    (x, y), (x_test, y_test) = load()
    model = build()
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=32, epochs=12, verbose=0)
    _, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print("test accuracy: %.1f %% on %s" % (100 * accuracy, selection.device))
    return 0 if accuracy > 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
