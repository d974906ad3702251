"""Makes the models in the worker with layers of Keras: Keras 2 and 3, tf_keras, and tf.keras of TensorFlow 1.15.

A user's own is made by a function in a module, or from the architecture of a model.

Weights are random. No file is read and nothing is loaded from a network.
"""

import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple

from .data import Part
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


def architecture_of(network: Any) -> str:
    """Return the layers of a model of Keras as JSON, for the worker; weights do not change the speed.

    Raises
    ------
    ValueError
        If the model cannot be written as JSON.
    """
    try:
        return str(network.to_json())
    except (NotImplementedError, TypeError, ValueError) as error:
        raise ValueError(
            "the model cannot be handed to another process (%s): give a function that makes it, as 'module:function'"
            % (str(error).strip() or type(error).__name__)
        ) from error


def load_own(keras: Any, task: Dict[str, Any]) -> Any:
    """Return the model that a task's ``architecture`` or ``module:function`` stands for.

    Raises
    ------
    ValueError
        If it cannot be made in this process, or is not a model of Keras.
    """
    if task.get("architecture"):
        try:
            return keras.models.model_from_json(task["architecture"])
        except (TypeError, ValueError) as error:
            raise ValueError(
                "the model has layers that another process does not know (%s): give a function that makes it, as"
                " 'module:function'" % str(error).strip().splitlines()[0]
            ) from error
    from importlib import import_module

    module, _, name = str(task["model"]).partition(":")
    made = import_module(module)
    for part in name.split("."):
        made = getattr(made, part)
    network = made() if callable(made) and not hasattr(made, "layers") else made
    if not hasattr(network, "layers") or not hasattr(network, "inputs"):
        raise ValueError("%s gave %s, not a model of Keras" % (task["model"], type(network).__name__))
    return network


def parts_of_network(network: Any, shape: Optional[Any]) -> Tuple[Any, Any]:
    """Return what a batch of a model consists of, from its inputs and outputs.

    Raises
    ------
    ValueError
        If a size is open and the task does not say the shape, or the model has no inputs yet.
    """
    if not network.inputs:
        raise ValueError("the model does not know its inputs yet: begin it with an Input layer, or call its build()")
    return (_side(network.inputs, shape, False), _side(network.outputs, None, True))


def _side(tensors: List[Any], shape: Optional[Any], outputs: bool) -> Any:
    parts = []
    for tensor in tensors:
        sizes = list(tensor.shape)[1:]
        sizes = [getattr(size, "value", size) for size in sizes]  # TensorFlow 1.15's sizes are objects
        if shape is not None and len(tensors) == 1:
            sizes = list(shape)
        if any(size is None for size in sizes):
            raise ValueError(
                "the model's %s of shape %s has a size that is open: give shape="
                % ("output" if outputs else "input", tuple(sizes))
            )
        dtype = getattr(tensor.dtype, "name", tensor.dtype)
        integer = str(dtype).startswith(("int", "uint")) and not outputs
        images = len(sizes) == 3 and sizes[-1] in (1, 3, 4) and not outputs
        kind = "integer" if integer else "image" if images else "real"
        parts.append(Part(tuple(int(size) for size in sizes), kind))
    return parts[0] if len(parts) == 1 else parts


def unit_of(parts: Tuple[Any, Any]) -> str:
    """Return what one example of a batch is."""
    first = parts[0][0] if isinstance(parts[0], list) else parts[0]
    if first.kind == "image":
        return "images"
    return "sequences" if first.kind == "integer" and len(first.shape) == 1 else "examples"
