"""TensorFlow 1.15, also as tensorflow-directml: `auto` and `device_scope` in graphs, sessions and tf.keras."""

import sys

import devicekit


def placement(session, fetch, feed):
    """Run something in a session and return its value, and on which device TensorFlow ran each operation.

    ``operation.device`` is what was asked for; what really happened is in the statistics of a run.
    """
    import tensorflow as tf

    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    statistics = tf.compat.v1.RunMetadata()
    value = session.run(fetch, feed, options=options, run_metadata=statistics)
    where = {}
    for device in statistics.step_stats.dev_stats:
        for node in device.node_stats:
            where[node.node_name] = device.device.rpartition("device:")[2]
    return value, where


def compute():
    """Compute in a graph: a product where `auto` decided, its sum on the CPU."""
    import tensorflow as tf

    with tf.Graph().as_default():
        # Values that are fed: what is constant TensorFlow computes beforehand, and then there is nothing left to place.
        left = tf.compat.v1.placeholder(tf.float32, (2, 2), name="left")
        with devicekit.device_scope():
            product = tf.matmul(left, left, name="product")
        with devicekit.device_scope("cpu"):
            total = tf.reduce_sum(product, name="total")
        # Where an operation has no kernel for a device, TensorFlow 1.15 takes another one only if it is allowed to.
        with tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(allow_soft_placement=True)) as session:
            value, where = placement(session, total, {left: [[1.0, 2.0], [3.0, 4.0]]})
    print("total: %s" % value)
    for operation in (product.op, total.op):
        print("%-7s asked: %-14s ran on: %s" % (operation.name, operation.device, where.get(operation.name, "?")))


def train():
    """Train on scikit-learn's handwritten digits where `auto` decided, and return the test accuracy."""
    import numpy as np
    import tensorflow as tf
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.data))  # the last pictures are by other writers
    x, y = (digits.data[order] / 16.0).astype("float32"), digits.target[order]
    with devicekit.device_scope():
        layers = [tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10, activation="softmax")]
        model = tf.keras.models.Sequential(layers)
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        model.fit(x[:1400], y[:1400], epochs=20, verbose=0)
        _, accuracy = model.evaluate(x[1400:], y[1400:], verbose=0)
    return accuracy


def main():
    """Compute in a session and train on digits."""
    # Asked first, because it imports nothing: with another TensorFlow this program ends at once.
    if devicekit.select_device().framework != "tensorflow1":
        print('this example needs TensorFlow 1.15: Python 3.7 and  pip install "devicekit[directml,examples]"')
        return 2
    selection = devicekit.auto(seed=0)
    print(selection)
    compute()
    accuracy = train()
    print("test accuracy: %.1f %% on %s" % (100 * accuracy, selection.device))
    return 0 if accuracy > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
