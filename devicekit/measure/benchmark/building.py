"""Makes the models with layers of Keras: Keras 2 and 3, tf_keras, and tf.keras of TensorFlow 1.15.

Weights are random. No file is read and nothing is loaded from a network.
"""

import inspect
from typing import Any, Callable, Dict, Tuple

from .models import Model


def build(keras: Any, model: Model) -> Tuple[Any, bool]:
    """Return the model of Keras, and whether its outputs are logits instead of probabilities.

    Parameters
    ----------
    keras : module
        The Keras to take.
    model : Model
        What to make.
    """
    if model.unit == "images":
        return _application(keras, model)
    builders: Dict[str, Callable[[Any, Model], Any]] = {"transformer": _transformer, "lstm": _lstm, "mlp": _mlp}
    return builders[model.name](keras, model), True


def _application(keras: Any, model: Model) -> Tuple[Any, bool]:
    """A network of ``keras.applications``."""
    applications = keras.applications
    make = {
        "resnet50": getattr(applications, "ResNet50", None),
        "mobilenet": getattr(applications, "MobileNet", None),
        "vgg16": getattr(applications, "VGG16", None),
    }[model.name]
    if make is None:
        raise LookupError("keras.applications of %s has no %s" % (getattr(keras, "__version__", "?"), model.name))
    options: Dict[str, Any] = {"weights": None, "input_shape": model.shape, "classes": model.classes}
    # Logits, which the loss takes in one stable operation; from TensorFlow 2.2 on.
    logits = "classifier_activation" in inspect.signature(make).parameters
    if logits:
        options["classifier_activation"] = None
    network = make(**options)
    # Mixed precision asks for outputs in float32; in float32 this is the identity, and costs nothing.
    outputs = keras.layers.Activation("linear", dtype="float32", name="outputs")(network.outputs[0])
    return keras.Model(network.inputs, outputs, name=model.name), logits


def _mlp(keras: Any, model: Model) -> Any:
    layers = keras.layers
    inputs = keras.Input(shape=model.shape, name="features")
    hidden = inputs
    for number in range(3):
        hidden = layers.Dense(1024, activation="relu", name="dense_%d" % number)(hidden)
    return keras.Model(inputs, _classifier(layers, model, hidden), name=model.name)


def _lstm(keras: Any, model: Model) -> Any:
    layers = keras.layers
    inputs = keras.Input(shape=model.shape, dtype="int32", name="tokens")
    hidden = layers.Embedding(model.vocabulary, 128, name="embedding")(inputs)
    hidden = layers.LSTM(256, return_sequences=True, name="lstm_0")(hidden)
    hidden = layers.LSTM(256, name="lstm_1")(hidden)
    return keras.Model(inputs, _classifier(layers, model, hidden), name=model.name)


def _transformer(keras: Any, model: Model, width: int = 256, heads: int = 4, depth: int = 4) -> Any:
    """An encoder with normalization before each part: it trains without tricks (Xiong and others 2020, arXiv:2002.04745)."""
    layers = keras.layers
    inputs = keras.Input(shape=model.shape, dtype="int32", name="tokens")
    hidden = layers.Embedding(model.vocabulary, width, name="embedding")(inputs)
    hidden = _positions(keras, model.shape[0], width)(hidden)
    for number in range(depth):
        normal = layers.LayerNormalization(epsilon=1e-6, name="norm_%d_attention" % number)(hidden)
        hidden = layers.Add(name="add_%d_attention" % number)([hidden, _attention(keras, normal, width, heads, number)])
        normal = layers.LayerNormalization(epsilon=1e-6, name="norm_%d_dense" % number)(hidden)
        inner = layers.Dense(4 * width, activation="relu", name="dense_%d_in" % number)(normal)
        inner = layers.Dense(width, name="dense_%d_out" % number)(inner)
        hidden = layers.Add(name="add_%d_dense" % number)([hidden, inner])
    hidden = layers.LayerNormalization(epsilon=1e-6, name="norm")(hidden)
    hidden = layers.GlobalAveragePooling1D(name="pool")(hidden)
    return keras.Model(inputs, _classifier(layers, model, hidden), name=model.name)


def _classifier(layers: Any, model: Model, hidden: Any) -> Any:
    logits = layers.Dense(model.classes, name="logits")(hidden)
    return layers.Activation("linear", dtype="float32", name="outputs")(logits)


def _positions(keras: Any, length: int, width: int) -> Any:
    """A layer that adds a learned vector for each position."""

    class Positions(keras.layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.table = self.add_weight(name="table", shape=(length, width), initializer="uniform", trainable=True)
            super().build(shape)

        def call(self, inputs: Any) -> Any:
            return inputs + self.table

        def compute_output_shape(self, shape: Any) -> Any:
            return shape

    return Positions(name="positions")


def _attention(keras: Any, hidden: Any, width: int, heads: int, number: int) -> Any:
    layers = keras.layers
    name = "attention_%d" % number
    if hasattr(layers, "MultiHeadAttention"):  # from TensorFlow 2.4 on
        return layers.MultiHeadAttention(heads, width // heads, name=name)(hidden, hidden)
    import tensorflow as tf

    size, length = width // heads, int(hidden.shape[1])

    def split(value: Any) -> Any:
        return tf.transpose(tf.reshape(value, (-1, length, heads, size)), (0, 2, 1, 3))

    def attend(values: Any) -> Any:
        query, key, value = map(split, values)
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / size**0.5)
        return tf.reshape(tf.transpose(tf.matmul(weights, value), (0, 2, 1, 3)), (-1, length, width))

    parts = [layers.Dense(width, name="%s_%s" % (name, part))(hidden) for part in ("query", "key", "value")]
    return layers.Dense(width, name="%s_output" % name)(layers.Lambda(attend, name=name)(parts))
