"""Place parts of a program: `device_scope` around `model.fit`, around operations, and as a decorator.

Where there is no GPU, the CPU is split into two logical devices, so that there is something to choose from. For
TensorFlow 2; see tensorflow1_graph.py for 1.15.
"""

import sys
import warnings

import devicekit


@devicekit.device_scope("/CPU:0")
def on_the_cpu(values):
    """Sum on the CPU, wherever the caller computes."""
    import tensorflow as tf

    return tf.reduce_sum(values)


def where(tensor):
    """Return the last part of a device name, as in ``GPU:0``."""
    return tensor.device.rpartition("device:")[2]


def variable_place(variable):
    """Return where the variable of a layer is: Keras 3 wraps TensorFlow's own variable."""
    inner = getattr(variable, "value", None)
    return where(variable if inner is None or callable(inner) else inner)


def main():
    """Train on one device, compute on another, and ask TensorFlow where things are."""
    import numpy as np
    import tensorflow as tf

    if tf.__version__.startswith("1."):
        print("this example needs TensorFlow 2; tensorflow1_graph.py is for 1.15")
        return 2
    device = "gpu:0"
    if not tf.config.list_physical_devices("GPU"):
        # Before anything is computed: TensorFlow fixes its devices with the first operation.
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
        device = "/CPU:1"  # TensorFlow's own name, which counts logical devices
    rng = np.random.RandomState(0)
    x = rng.rand(256, 8).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)])
    with devicekit.device_scope(device) as selection:
        print("device:", selection.device)
        # Variables are made here, at the first batch, and stay where they were made.
        model.compile(optimizer="adam", loss="mse")
        history = model.fit(x, y, epochs=3, verbose=0)
        values = tf.ones((4, 4)) * 2.0
        total = on_the_cpu(values)
        after = tf.identity(values)  # the decorated function is left: this device again
    print("losses:", ", ".join("%.3f" % loss for loss in history.history["loss"]))
    print("weights are on", variable_place(model.weights[0]))
    print("values are on", where(values), "and their sum on", where(total), "and a copy on", where(after))
    with warnings.catch_warnings():
        # A device that is not there is the CPU, with a warning that names the reason; here it is expected.
        warnings.simplefilter("ignore", devicekit.FallbackWarning)
        with devicekit.device_scope("gpu:7") as selection:
            print("gpu:7 is", selection.device, "- fallback:", selection.fallback)
    return 0


if __name__ == "__main__":
    sys.exit(main())
