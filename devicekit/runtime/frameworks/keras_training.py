"""The `Training` of a model, and the class that its Keras wants callbacks to be of."""

import sys
from typing import Any

from .training import Training


def _keras_of(model: Any) -> str:
    """Return the module of the Keras that a model's class is of: ``"keras"``, ``"tf_keras"`` or ``"tensorflow"``."""
    roots = [kind.__module__.partition(".")[0] for kind in type(model).__mro__]
    return next((root for root in roots if root in ("keras", "tf_keras", "tensorflow")), "")


def _is_keras3(module: Any) -> bool:
    return str(getattr(module, "__version__", "")).partition(".")[0] >= "3" and hasattr(module, "config")


def training_of(model: Any) -> Training:
    """Return the `Training` of a model of Keras.

    Raises
    ------
    TypeError
        If it is not a model of Keras, or Keras computes with something else than TensorFlow, JAX and PyTorch.
    """
    root = _keras_of(model)
    framework = "tensorflow" if root else ""
    keras = sys.modules.get("keras")
    if root == "keras" and _is_keras3(keras):
        framework = str(getattr(keras, "config").backend())  # noqa: B009 - a module that may be any
    if framework == "jax":
        from .training_jax import JaxTraining

        return JaxTraining()
    if framework == "torch":
        from .training_torch import TorchTraining

        return TorchTraining()
    if framework == "tensorflow":
        from .training_tensorflow import tensorflow_training

        return tensorflow_training()
    raise TypeError("%s: a model of Keras on TensorFlow, JAX or PyTorch is expected" % type(model).__name__)


def replay_of(model: Any, framework: str) -> Any:
    """Return the `Replay` of a model of Keras on a framework (``"tensorflow"``, ``"jax"``, ``"torch"``)."""
    if framework == "jax":
        from .replay_jax import JaxReplay

        return JaxReplay(model)
    if framework == "torch":
        from .replay_torch import TorchReplay

        return TorchReplay(model)
    from .replay_tensorflow import TensorFlowReplay

    return TensorFlowReplay(model)


def callback_base() -> Any:
    """Return ``keras.callbacks.Callback`` of the Keras that this program uses; one is imported if none is yet.

    Raises
    ------
    ImportError
        If there is none.
    """
    keras = sys.modules.get("keras")
    legacy = sys.modules.get("tf_keras")
    tensorflow = sys.modules.get("tensorflow")
    if keras is not None and hasattr(keras, "callbacks"):
        return keras.callbacks.Callback
    if legacy is not None:
        return legacy.callbacks.Callback
    if tensorflow is not None:
        return tensorflow.keras.callbacks.Callback
    try:
        import keras as imported
    except ImportError:  # TensorFlow 1.15 and early 2.x bring their own
        import tensorflow as tf

        return tf.keras.callbacks.Callback
    return imported.callbacks.Callback
