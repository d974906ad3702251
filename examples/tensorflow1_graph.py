"""TensorFlow 1.15, also as tensorflow-directml: `auto` and `device_scope` in graphs, sessions and tf.keras."""

import sys

import devicekit

selection = devicekit.auto(seed=0)


def main():
    """Compute in a session and train on digits, both where `auto` decided."""
    print(selection)
    if selection.framework != "tensorflow1":
        print('this example needs TensorFlow 1.15: Python 3.7 and  pip install "devicekit[directml]"')
        return 2
    import tensorflow as tf
    from sklearn.datasets import load_digits

    with devicekit.device_scope():
        left = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        product = tf.matmul(left, left, name="product")
    with devicekit.device_scope("cpu"):
        total = tf.reduce_sum(product, name="total")
    print("product is placed on %s, total on %s" % (product.device, total.device))
    with tf.compat.v1.Session() as session:
        print("total:", session.run(total))
    digits = load_digits()
    x, y = (digits.data / 16.0).astype("float32"), digits.target
    with devicekit.device_scope():
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(64, activation="relu", input_shape=(64,)),
                tf.keras.layers.Dense(10, activation="softmax"),
            ]
        )
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        model.fit(x[:1400], y[:1400], epochs=20, verbose=0)
        _, accuracy = model.evaluate(x[1400:], y[1400:], verbose=0)
    print("test accuracy: %.1f %% on %s" % (100 * accuracy, selection.device))
    return 0


if __name__ == "__main__":
    sys.exit(main())
