"""A minimal reproducer of a wrong result: one script and one file of arrays, which run without devicekit."""

import io
import json
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ...errors import DevicekitError
from ...runtime.frameworks.keras_model import Keras, keras_of, public_class
from ...runtime.frameworks.tensors import HostArray, flatten, rebuild
from ...runtime.scratch import replace_file
from .layers.graph_runner import runner_of
from .layers.recorded_calls import Call
from .reproducer_script import script_for
from .result import Comparison, Difference
from .samples import examples_for, sample


def write_reproducer(comparison: Comparison, model: Any, folder: str, inputs: Any = None) -> Tuple[str, ...]:
    """Write a script that computes the first wrong layer on the CPU and on the device, and shows how they differ.

    The script needs the framework and Keras only: it holds the layer's configuration, ``reproduce.npz`` next to it the
    weights and the input that the layer got in the comparison. Attach both to a report to the device's maker.

    Parameters
    ----------
    comparison : Comparison
        Of `devicekit.compare`.
    model : Keras model
        The one that was compared.
    folder : str
        Where to write ``reproduce.py`` and ``reproduce.npz``; made if it does not exist.
    inputs : arrays or None
        As they were given to `devicekit.compare`.

    Returns
    -------
    tuple of str
        The files; empty if no layer alone is wrong on an accelerator.

    Raises
    ------
    DevicekitError
        If the layer or its call cannot be written down, or the files cannot be written.
    """
    wrong = _first_wrong(comparison)
    if wrong is None:
        return ()
    keras = keras_of(model)
    runner = runner_of(model, keras)
    some, _, _ = sample(model, inputs, None, comparison.seed, examples_for(model))
    with runner.unchanged():
        try:
            call = _call_of(runner.record(some), wrong)
            place = runner.place(wrong.device)
        finally:
            runner.forget_all()
    arrays, layout = _arrays(call)
    weights = [np.asarray(value) for value in call.layer.get_weights()]
    arrays.update(("weight_%d" % number, value) for number, value in enumerate(weights))
    script = script_for(
        keras.framework,
        _module(keras),
        config=_configuration(call.layer, keras),
        layout=layout,
        device=place,
        about=wrong,
        seed=comparison.seed,
    )
    return _written(folder, script, arrays)


def _first_wrong(comparison: Comparison) -> Optional[Difference]:
    alone = ("layer", "gradient")
    found = [item for item in comparison.differences if item.kind in alone and item.device != "cpu"]
    wrong = [item for item in found if item.verdict == "differs"] or [
        item for item in found if item.verdict == "failed"
    ]
    return wrong[0] if wrong else None


def _call_of(calls: List[Call], wrong: Difference) -> Call:
    _, _, number = wrong.what.partition(", call ")
    for call in calls:
        if call.path == wrong.name and call.number == int(number or 1):
            return call
    raise DevicekitError("the model no longer calls %s, so that its input is not known" % wrong.name)


def _arrays(call: Call) -> Tuple[Dict[str, Any], str]:
    """Return the arrays of a call by name, and its arguments as JSON with those names in their places."""
    arrays: Dict[str, Any] = {}
    leaves: List[Any] = []
    for _, leaf in flatten((list(call.args), dict(call.kwargs))):
        if isinstance(leaf, HostArray):
            name = "input_%d" % len(arrays)
            arrays[name] = leaf.array
            leaves.append({"array": name, "dtype": leaf.dtype})
        else:
            leaves.append(leaf)
    args, kwargs = rebuild((list(call.args), dict(call.kwargs)), leaves)
    try:
        return arrays, json.dumps([list(args), kwargs])
    except (TypeError, ValueError) as error:
        raise DevicekitError("the call of %s cannot be written down: %s" % (call.path, error)) from error


def _configuration(layer: Any, keras: Keras) -> str:
    try:
        if keras.generation == 3:
            return json.dumps(keras.module.saving.serialize_keras_object(layer))
        config: Dict[str, Any] = dict(keras.module.layers.serialize(layer))
        if not public_class(layer)[1]:
            config["module"] = type(layer).__module__
        return json.dumps(config)
    except (NotImplementedError, TypeError, ValueError) as error:
        raise DevicekitError(
            "the layer %s has no configuration that can be written: %s" % (layer.name, error)
        ) from error


def _module(keras: Keras) -> str:
    """Return the name to import Keras by."""
    name = str(keras.module.__name__)
    return name if name in ("keras", "tf_keras") and keras.generation != 1 else "tensorflow.keras"


def _written(folder: str, script: str, arrays: Dict[str, Any]) -> Tuple[str, ...]:
    paths = tuple(os.path.join(folder, name) for name in ("reproduce.py", "reproduce.npz"))
    try:
        os.makedirs(folder, exist_ok=True)
        content = io.BytesIO()
        np.savez(content, **arrays)
        replace_file(paths[1], content.getvalue())
        replace_file(paths[0], script.encode("utf-8"))
    except OSError as error:
        raise DevicekitError("%s cannot be written: %s" % (folder, error.strerror or error)) from error
    return paths
