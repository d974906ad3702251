"""Compares a model that a function makes, in this process, which must be a fresh one: the body of a worker.

The worker can crash or hang with the device; the command that started it says so.
"""

import os
from importlib import import_module
from typing import Any, Callable, Dict, Optional, Tuple

from ...errors import DevicekitError


def compare_named(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Make a model, compare it, and return the comparison as plain data.

    Parameters
    ----------
    task : dict
        ``subject``: ``"module:function"``, whose function returns a model, or a model with inputs, or with inputs and
        targets; or a name of `devicekit.measure.benchmark.models.NAMES`. ``framework``, ``devices``, ``steps``,
        ``optimizers``, ``batch_size``, ``seed``: of `devicekit.compare`, None for its defaults. ``reproducer``: a folder
        for `write_reproducer`, or None.
    say : callable
        Called with the stage.

    Raises
    ------
    DevicekitError
        If there is no such module or function, or it returns something else.
    """
    from ...runtime.scope import device_scope
    from .compare import compare
    from .reproducer import write_reproducer

    say(stage="import")
    if task["framework"]:
        os.environ["KERAS_BACKEND"] = task["framework"]
    say(stage="model")
    try:
        model, inputs, targets = _subject(task)
    except (DevicekitError, ImportError, SyntaxError):
        raise
    except Exception:
        # Initializers may be what a broken device fails in; what it makes of the layers is still to be seen.
        with device_scope("cpu", framework=task["framework"]):
            model, inputs, targets = _subject(task)
    say(stage="compare")
    names = ("devices", "steps", "optimizers", "batch_size", "seed")
    options = {name: task[name] for name in names if task[name] is not None}
    comparison = compare(model, inputs, targets, **options)
    files: Tuple[str, ...] = ()
    if task["reproducer"]:
        say(stage="reproducer")
        files = write_reproducer(comparison, model, task["reproducer"], inputs)
    return {"comparison": comparison.to_dict(), "files": list(files)}


def _subject(task: Dict[str, Any]) -> Tuple[Any, Any, Any]:
    """Return the model, and inputs and targets if there are any."""
    from ..benchmark.models import model_named

    known = model_named(task["subject"])
    if known is not None:
        return _known(known, task)
    module, _, name = task["subject"].partition(":")
    found = _imported(module, name)
    from ...runtime.frameworks.keras_model import is_model

    made = found() if callable(found) and not is_model(found) else found
    parts = tuple(made) if isinstance(made, (tuple, list)) else (made,)
    if not 1 <= len(parts) <= 3 or not is_model(parts[0]):
        raise DevicekitError(
            "%s returned %s; expected a Keras model, (model, inputs) or (model, inputs, targets)"
            % (task["subject"], _kinds(parts))
        )
    model, inputs, targets = (*parts, None, None)[:3]
    return model, inputs, targets


def _kinds(parts: Tuple[Any, ...]) -> str:
    names = ", ".join(type(part).__name__ for part in parts[:4])
    return "(%s)" % names if len(parts) > 1 else names or "nothing"


def _imported(module: str, name: str) -> Any:
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module + ".").startswith(error.name + "."):
            raise DevicekitError("there is no module %r, neither installed nor in this folder" % module) from None
        raise
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise DevicekitError("the module %r has no %r" % (module, name)) from None
    return found


def _known(known: Any, task: Dict[str, Any]) -> Tuple[Any, Any, Optional[Any]]:
    """Return a model that devicekit knows by name, compiled, with its own kind of data."""
    from ..benchmark.building import build
    from ..benchmark.child import DEFAULTS, keras_for
    from ..benchmark.data import one_batch, parts_of
    from ..benchmark.models import resized

    keras = keras_for(task["framework"] or "tensorflow")
    model = resized(known, dict(DEFAULTS, shape=task["shape"]))
    network, logits = build(keras, model)
    inputs, targets = one_batch(parts_of(model), task["batch_size"] or 8, task["seed"] or 0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=logits)
    network.compile(optimizer=keras.optimizers.SGD(0.01), loss=loss)
    return network, inputs, targets
