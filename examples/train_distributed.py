"""Train a small Keras model on handwritten digits in several processes at once, and go on after one of them was killed.

Needs TensorFlow 2.10 or later and scikit-learn. Two processes on this machine:

    devicekit launch --workers 2 examples/train_distributed.py --backup /tmp/digits

Each process trains on its part of every batch; the gradients are added up, so all end with the same weights. Where it was
interrupted, the same command goes on with the epoch that had not ended. Without `devicekit launch` it trains alone.
"""

import argparse
import os
import sys

import devicekit

# Before TensorFlow does anything: which devices, which processes, and how they exchange gradients.
strategy = devicekit.strategy()

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow import keras

BATCH = 100
KERAS_3 = hasattr(keras, "version")


def load():
    """Return pictures (N, 8, 8, 1) in [0, 1] and labels (N,), the same in every process."""
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))[:1700]
    return (digits.images[order, ..., np.newaxis] / 16.0).astype("float32"), digits.target[order].astype("int64")


def build():
    """Return a small network, compiled; called within the strategy's scope."""
    layers = [
        keras.Input(shape=(8, 8, 1)),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(10),
    ]
    model = keras.Sequential(layers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none" if KERAS_3 else "auto")
    model.compile(optimizer="adam", loss=loss)
    return model


def train(model, batches, epochs, backup, index):
    """Train with `model.fit`, or where Keras 3 cannot do that in several processes, with a loop that does the same."""
    callbacks = []
    if backup:
        # Keras 2 lets one process write for all; in the loop below each process has its own.
        folder = os.path.join(backup, "worker-%d" % index) if KERAS_3 else backup
        callbacks.append(keras.callbacks.BackupAndRestore(folder))
    callbacks.append(keras.callbacks.LambdaCallback(on_epoch_end=report))
    if not KERAS_3:
        model.fit(batches, epochs=epochs, callbacks=callbacks, verbose=0)
        return
    train_batch = make_step(model)
    together = keras.callbacks.CallbackList(callbacks, model=model)
    together.on_train_begin()
    shared = strategy.experimental_distribute_dataset(batches)
    for epoch in range(getattr(model, "_initial_epoch", None) or 0, epochs):
        losses = [float(train_batch(batch)) for batch in shared]
        together.on_epoch_end(epoch, {"loss": sum(losses) / len(losses)})
    together.on_train_end()


def make_step(model):
    """Return a function that trains on one batch in all processes and returns the mean loss."""
    with strategy.scope():
        model.optimizer.build(model.trainable_variables)

    def step(batch):
        pictures, labels = batch
        with tf.GradientTape() as tape:
            losses = model.loss(labels, model(pictures, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return loss

    @tf.function
    def train_batch(batch):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(batch,)), axis=None)

    return train_batch


def report(epoch, logs):
    """Print one line for each epoch."""
    print("epoch %d: loss %.4f" % (epoch + 1, logs["loss"]), flush=True)


def main():
    """Train, and print what shows that all processes have the same weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--backup", help="a folder for what is needed to go on after an interruption")
    options = parser.parse_args()
    index = int(os.environ.get("RANK", "0"))
    pictures, labels = load()
    batches = tf.data.Dataset.from_tensor_slices((pictures, labels)).batch(BATCH)
    with strategy.scope():
        model = build()
    train(model, batches, options.epochs, options.backup, index)
    weights = [np.asarray(weight) for weight in model.get_weights()]
    # A forward pass of one's own: `predict` would wait for all the other processes.
    scores = np.asarray(model(pictures[:500], training=False))
    accuracy = float(np.mean(scores.argmax(axis=1) == labels[:500]))
    print("process %d of %d: accuracy %.3f" % (index + 1, strategy.num_replicas_in_sync, accuracy))
    print("weights: %.9f" % sum(float(np.abs(weight).sum(dtype="float64")) for weight in weights))
    return 0 if accuracy > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
