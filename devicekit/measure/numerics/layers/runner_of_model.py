"""Which runner repeats the layers of a model."""

from typing import Any

from ....runtime.frameworks.keras_model import Keras
from .runner import CopyingRunner, Runner


def runner_of(model: Any, keras: Keras) -> Runner:
    """Return what runs the layers of a model."""
    if keras.generation == 3:
        return Runner(model, keras)
    import tensorflow as tf

    if tf.executing_eagerly():
        return CopyingRunner(model, keras)
    from .graph_runner import GraphRunner

    return GraphRunner(model, keras)
