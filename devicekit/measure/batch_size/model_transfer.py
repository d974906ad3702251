"""A Keras model on its way into another process: layers and what it was compiled with as JSON, weights next to them.

Nothing is pickled. Weights do not change what memory a step takes, but some layers (`Normalization`, lookups) cannot
compute before they have theirs.
"""

import contextlib
import json
import os
import sys
from typing import Any, Dict

from ...errors import DevicekitError, first_line
from ...records import parse_json
from ...runtime.frameworks.keras_model import is_model, keras_of

_INSTEAD = (
    "give a function that returns the compiled model instead, as 'module:function' or the function itself, from a module"
    " that can be imported"
)


def packed(model: Any, folder: str, mode: str) -> Dict[str, Any]:
    """Return what another process needs to make the model; what is large is written to files in the folder.

    Parameters
    ----------
    model : Keras model, str or callable
        A function is named by its module, ``"module:function"``.
    folder : str
        This user's own.
    mode : {"training", "inference"}

    Raises
    ------
    ValueError
        If it is neither, or a function that another process cannot import.
    DevicekitError
        If the model cannot be written down, or is to be trained and was not compiled.
    """
    if isinstance(model, str):
        module, colon, name = model.partition(":")
        if not (module and colon and name):
            raise ValueError("model=%r names no function: it is written as 'module:function'" % model)
        return {"function": model}
    if not is_model(model):
        return {"function": _name_of(model)}
    keras = keras_of(model)
    if mode == "training" and not _is_compiled(model):
        raise DevicekitError(
            "the model was not compiled, so its loss and optimizer are unknown: call model.compile(optimizer, loss)"
            " before, or ask for mode='inference'"
        )
    if type(model).__module__ == "__main__" or not hasattr(model, "get_config"):
        raise DevicekitError("%s is a class of this program's main file: %s" % (type(model).__name__, _INSTEAD))
    task = {
        "keras": _package(model, keras.generation),
        "generation": keras.generation,
        "framework": keras.framework,
        "floatx": str(keras.module.backend.floatx()),
    }
    try:
        task.update(_pack_3(model, keras.module, folder) if keras.generation == 3 else _pack_2(model, folder))
    except Exception as error:  # layers of the user raise what they like when they are asked for their config
        raise DevicekitError(
            "the model cannot be handed to another process (%s): %s" % (first_line(error), _INSTEAD)
        ) from error
    return task


def _name_of(function: Any) -> str:
    if not callable(function):
        raise ValueError(
            "model must be a compiled Keras model, or a function that returns one, not %s" % type(function).__name__
        )
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<unknown>")
    if module in (None, "__main__") or "<" in name:
        raise DevicekitError(
            "another process cannot import %s of %s: put it in its own module, at the top level"
            % (name, "this program's main file" if module == "__main__" else module)
        )
    return "%s:%s" % (module, name)


def _is_compiled(model: Any) -> bool:
    compiled = getattr(model, "compiled", None)
    return bool(getattr(model, "optimizer", None)) if compiled is None else bool(compiled)


def _package(model: Any, generation: int) -> str:
    homes = [base.__module__.partition(".")[0] for base in type(model).__mro__]
    return "tf_keras" if "tf_keras" in homes else "keras" if generation == 3 else "tensorflow.keras"


def _pack_3(model: Any, keras: Any, folder: str) -> Dict[str, Any]:
    config = keras.saving.serialize_keras_object(model)
    with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as stream:
        json.dump(config, stream)
    if model.built:
        model.save_weights(os.path.join(folder, "model.weights.h5"))
    return {"folder": folder, "weights": bool(model.built)}


def _pack_2(model: Any, folder: str) -> Dict[str, Any]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Keras 2.13 and later recommend their own new format
        model.save(os.path.join(folder, "model.h5"), save_format="h5")
    return {"folder": folder}


def unpacked(task: Dict[str, Any]) -> Any:
    """Return the model, in the worker.

    Raises
    ------
    ValueError
        If it cannot be made here; the message says what to do.
    """
    from importlib import import_module

    if task.get("function"):
        module, _, name = str(task["function"]).partition(":")
        made: Any = import_module(module)
        for part in name.split("."):
            made = getattr(made, part)
        model = made() if not hasattr(made, "train_on_batch") or isinstance(made, type) else made
        if not hasattr(model, "train_on_batch"):
            raise ValueError("%s returned a %s, not a Keras model" % (task["function"], type(model).__name__))
        return model
    folder = task["folder"]
    if task["generation"] == 3:
        keras = import_module("keras")
        _set_floatx(keras, task)
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as stream:
            config = parse_json(stream.read(), own=True)
        with _trusted():
            model = _read(lambda: keras.saving.deserialize_keras_object(config))
        if task["weights"]:
            model.load_weights(os.path.join(folder, "model.weights.h5"))
        return model
    keras = import_module("tf_keras") if task["keras"] == "tf_keras" else import_module("tensorflow").keras
    _set_floatx(keras, task)
    return _read(lambda: keras.models.load_model(os.path.join(folder, "model.h5")))


def _set_floatx(keras: Any, task: Dict[str, Any]) -> None:
    if str(keras.backend.floatx()) != task["floatx"]:
        keras.backend.set_floatx(task["floatx"])


def _trusted() -> Any:
    """Allow functions in `Lambda` layers: the file was written by the process that started this one, for no one else."""
    module = sys.modules.get("keras.src.saving.serialization_lib")
    scope = getattr(module, "SafeModeScope", None)
    return contextlib.nullcontext() if scope is None else scope(False)


def _read(read: Any) -> Any:
    try:
        return read()
    except (TypeError, ValueError, AttributeError, ImportError) as error:
        raise ValueError(
            "the model has parts that another process does not know (%s): %s" % (first_line(error), _INSTEAD)
        ) from error
