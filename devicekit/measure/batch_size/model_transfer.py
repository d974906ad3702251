"""A Keras model on its way into another process: layers and what it was compiled with as JSON, weights next to them.

Nothing is pickled. Weights do not change what memory a step takes, but some layers (`Normalization`, lookups) cannot
compute before they have theirs. Examples do not travel: their shapes and dtypes do, of which others are made up.
"""

import contextlib
import json
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

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


#: So many different examples are made; a larger batch repeats them.
_DIFFERENT = 64

#: What is made up as another dtype, since NumPy has none of that name.
_NUMPY_DTYPES = {"bfloat16": "float32", "float8_e4m3fn": "float32", "float8_e5m2": "float32"}


class Examples:
    """What the arguments ``x`` and ``y`` are like: their specs, and how many examples there are, None if no one knows."""

    def __init__(self, x: Any, y: Any, count: Optional[int]) -> None:
        self.x, self.y, self.count = x, y, count


def examples_of(x: Any, y: Any) -> Examples:
    """Look at the examples: arrays, lists or dictionaries of arrays, or a data set that yields batches.

    Raises
    ------
    ValueError
        Where they are something else, or do not have the same number of examples.
    """
    batch = _first_batch(x)
    if batch is not None:
        if y is not None:
            raise ValueError("a data set has its targets in itself: leave y out")
        x, y = batch[0], batch[1] if len(batch) > 1 else None
    lengths: List[int] = []
    inputs = spec_of(x, "x", lengths)
    targets = None if y is None else spec_of(y, "y", lengths)
    if len(set(lengths)) != 1 or not lengths[0]:
        raise ValueError(
            "x and y need the same number of examples, at least one, along their first axis; found %s"
            % sorted(set(lengths))
        )
    return Examples(inputs, targets, None if batch is not None else lengths[0])


def _first_batch(x: Any) -> Optional[Tuple[Any, ...]]:
    """The first batch of a data set of ``tf.data``, Keras or PyTorch; None if it is none."""
    if isinstance(x, (list, tuple, dict)) or hasattr(x, "shape") or hasattr(x, "to_numpy"):
        return None
    if not (hasattr(x, "__iter__") or hasattr(x, "__getitem__")):
        raise ValueError("x is a %s: give arrays, lists or dictionaries of arrays, or a data set" % type(x).__name__)
    try:
        first = x[0] if hasattr(x, "__getitem__") and hasattr(x, "__len__") else next(iter(x))
    except (StopIteration, IndexError):
        raise ValueError("the data set yields nothing") from None
    return tuple(first) if isinstance(first, (list, tuple)) else (first,)


def spec_of(values: Any, what: str, lengths: List[int]) -> Dict[str, Any]:
    """Return shapes, dtypes and the range of integers as plain data; the numbers of examples are added to the list.

    Raises
    ------
    ValueError
        If there are texts, objects, or ragged or sparse tensors among them.
    """
    if isinstance(values, dict):
        return {"dict": {str(key): spec_of(item, "%s[%r]" % (what, key), lengths) for key, item in values.items()}}
    several = isinstance(values, (list, tuple)) and any(hasattr(item, "shape") for item in values)
    if several:
        items = [spec_of(item, "%s[%d]" % (what, number), lengths) for number, item in enumerate(values)]
        return {"tuple" if isinstance(values, tuple) else "list": items}
    kind = type(values).__name__
    if "Ragged" in kind or "Sparse" in kind or kind in ("csr_matrix", "csc_matrix", "coo_matrix"):
        raise ValueError("%s is a %s; give a dense array, padded where its rows have several lengths" % (what, kind))
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if not hasattr(values, "shape") or not hasattr(values, "dtype"):
        try:
            values = np.asarray(values)
        except ValueError as error:
            raise ValueError("%s is not an array: %s" % (what, error)) from None
    return _array(values, what, lengths)


def _array(values: Any, what: str, lengths: List[int]) -> Dict[str, Any]:
    shape = [int(getattr(size, "value", size)) for size in values.shape]  # TensorFlow 1.15's sizes are objects
    name = str(getattr(values.dtype, "name", values.dtype)).replace("torch.", "")
    if not name.startswith(("float", "int", "uint", "bool", "bfloat", "complex")):
        raise ValueError("%s holds %s; only numbers and booleans can be made up in another process" % (what, name))
    if not shape:
        raise ValueError("%s is a single number, not an array of examples" % what)
    lengths.append(shape[0])
    spec: Dict[str, Any] = {"shape": shape[1:], "dtype": name}
    if name.startswith(("int", "uint")):
        # Identifiers must be ones that the model's tables have; of what no one has seen, only 0 is sure.
        largest = int(values.max() if hasattr(values, "max") else np.max(values)) if 0 not in shape else 0
        spec["largest"] = max(0, largest)
    return spec


def made_up(spec: Any, count: int, seed: int = 0) -> Any:
    """Return made-up examples: numbers from 0 to 1, and integers up to the largest of the real ones."""
    if spec is None:
        return None
    if "dict" in spec:
        return {key: made_up(item, count, seed) for key, item in spec["dict"].items()}
    for kind, make in (("list", list), ("tuple", tuple)):
        if kind in spec:
            return make(made_up(item, count, seed) for item in spec[kind])
    generator = np.random.RandomState(seed)
    shape, name = [min(count, _DIFFERENT)] + list(spec["shape"]), spec["dtype"]
    if "largest" in spec:
        base = generator.randint(0, min(spec["largest"], (1 << 31) - 2) + 1, size=shape).astype(name)
    elif name == "bool":
        base = generator.uniform(size=shape) < 0.5
    else:
        base = generator.uniform(size=shape).astype(_NUMPY_DTYPES.get(name, name))
    if len(base) == count:
        return base
    return np.take(base, np.arange(count) % len(base), axis=0)
