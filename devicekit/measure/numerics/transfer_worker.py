"""Runs a Keras 3 model that another process has written down on this process's framework, layer by layer, on the CPU.

What travels between the two is in a folder: arrays as .npz without pickles, the rest as JSON.
"""

import json
import os
import zlib
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ...errors import one_line
from ...records import parse_json
from ...runtime.frameworks.tensors import HostArray, rebuild
from .layers.recorded_calls import Call
from .layers.runner import Cotangent, LayerOutcome, Runner, Work
from .layers.ways import Way, way_of_whole, ways_to_call


def run_model(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Compute the calls of a model's layers that a folder holds; a worker's function.

    Parameters
    ----------
    task : dict
        ``framework``, ``folder`` to read from, ``results`` to write to, ``seed``.
    say : callable
        Told where the work is, for progress.

    Returns
    -------
    dict
        ``calls``: for the number of each call its outcomes by the key of the way to call it, or ``error``; ``whole``: the
        same of the model.
    """
    import devicekit

    selection = devicekit.auto("cpu", framework=task["framework"], verify="never")
    import keras

    from ...runtime.frameworks.keras_model import keras_of

    if keras.backend.backend() != task["framework"]:
        raise RuntimeError("Keras computes with %s: %s" % (keras.backend.backend(), selection.reason))
    folder, about = task["folder"], read_json(task["folder"], "about")
    keras.config.set_floatx(about["floatx"])
    custom = _imported(about["custom"])
    with keras.saving.custom_object_scope(custom):
        # safe_mode: code that is written down as bytes is not run.
        model = keras.saving.deserialize_keras_object(about["model"], safe_mode=True)
        loss = keras.saving.deserialize_keras_object(about["loss"], safe_mode=True) if about["loss"] else None
    runner = Runner(model, keras_of(model))
    inputs = read_nest(folder, about["inputs"])
    runner.record(inputs)  # builds what is not built yet
    _set_weights(model, folder, about["weights"])
    calls = {(call.path, call.number): call for call in runner.record(inputs)}
    say(stage="layers")
    found: Dict[str, Dict[str, Any]] = {}
    for wanted in about["calls"]:
        call = calls.get((wanted["path"], wanted["number"]))
        found[str(wanted["place"])] = _repeated(task, runner, call, wanted)
        say(stage="layers")
    whole = _whole(task, runner, about, inputs, loss)
    write_json(task["results"], "outcomes", {"calls": found, "whole": whole})
    return {"calls": len(found), "version": keras.__version__}


def _imported(names: Sequence[Tuple[str, str]]) -> Dict[str, Any]:
    """Import the user's classes; this runs their modules, as the process has that sent them."""
    found = {}
    for module, name in names:
        value: Any = import_module(module)
        for part in name.split(".") if name else ():
            value = getattr(value, part)
        if name:
            found[name.rpartition(".")[2]] = value
    return found


def _set_weights(model: Any, folder: str, weights: Sequence[Dict[str, Any]]) -> None:
    own = list(model.weights)
    shapes = [list(map(int, item.shape)) for item in own]
    if shapes != [item["shape"] for item in weights]:
        raise ValueError(
            "made again from its configuration the model has other weights: %s, not %s"
            % (shapes, [item["shape"] for item in weights])
        )
    for variable, value in zip(own, read_arrays(folder, "weights", len(own))):
        variable.assign(value)


def _repeated(task: Dict[str, Any], runner: Runner, call: Any, wanted: Dict[str, Any]) -> Dict[str, Any]:
    """Compute one call with what the layer was given in the process that the model comes from."""
    if call is None:
        return {"error": "the layer is not called here"}
    arrays = read_arrays(task["folder"], "call%d" % wanted["place"], len(wanted["dtypes"]))
    held = [HostArray(array, dtype) for array, dtype in zip(arrays, wanted["dtypes"]) if array is not None]
    ways = ways_to_call(runner, call, task["seed"], corners=False)
    if not ways:
        return {}
    leaves = ways[0].work.leaves
    if sum(isinstance(leaf, HostArray) for leaf in leaves) != len(held):
        return {"error": "the layer is given other arguments here"}
    given = iter(held)
    args, kwargs = rebuild(
        (call.args, call.kwargs), [next(given) if isinstance(leaf, HostArray) else leaf for leaf in leaves]
    )
    same = Call(call.layer, call.path, call.number, args, kwargs, call.outer, call.inner)
    found = {}
    for place, way in enumerate(ways_to_call(runner, same, task["seed"], corners=False)):
        name = "call%d-%d" % (wanted["place"], place)
        found[key_of(way.work, way.cotangent)] = _outcome(task, runner, call.layer, way, None, name)
    return found


def _whole(task: Dict[str, Any], runner: Runner, about: Dict[str, Any], inputs: Any, loss: Any) -> Dict[str, Any]:
    targets = read_nest(task["folder"], about["targets"]) if about["targets"] else None
    with_loss = targets is not None and loss is not None
    way = way_of_whole(runner, inputs, with_loss, task["seed"])
    head = runner.head(loss, targets, False) if with_loss else None
    return {key_of(way.work, way.cotangent): _outcome(task, runner, runner.model, way, head, "whole")}


def _outcome(task: Dict[str, Any], runner: Runner, subject: Any, way: Way, head: Any, name: str) -> Dict[str, Any]:
    try:
        on_device = runner.for_device(subject, way.work, "cpu")
        outcome = runner.run(on_device, way.work, "cpu", False, way.cotangent, head)
    except Exception as error:  # whatever the framework, or the user's layer on it, raises
        return {"error": one_line(error)}
    return write_outcome(task["results"], name, outcome)


def key_of(work: Work, cotangent: Cotangent) -> str:
    """Return what tells one way of calling a layer from the others: the same in every process."""
    found = zlib.crc32(repr(work.kwargs.get("training")).encode("ascii"))
    for leaf in work.leaves:
        if isinstance(leaf, HostArray):
            found = zlib.crc32(np.ascontiguousarray(leaf.array).tobytes(), found)
    weights = cotangent(0, (8,), "float32")
    return "%08x" % zlib.crc32(b"" if weights is None else np.asarray(weights, np.float32).tobytes(), found)


def write_json(folder: str, name: str, values: Any) -> None:
    """Write plain data."""
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as stream:
        json.dump(values, stream)


def read_json(folder: str, name: str) -> Any:
    """Read plain data."""
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as stream:
        return parse_json(stream.read(), own=True)


def write_arrays(folder: str, name: str, arrays: Sequence[Optional[np.ndarray]]) -> None:
    """Write arrays in order; None if there is none."""
    present: Dict[str, Any] = {"a%d" % number: item for number, item in enumerate(arrays) if item is not None}
    np.savez(os.path.join(folder, name + ".npz"), **present)


def read_arrays(folder: str, name: str, count: int) -> List[Optional[np.ndarray]]:
    """Read this many arrays, None for those that there were none of."""
    with np.load(os.path.join(folder, name + ".npz"), allow_pickle=False) as found:
        return [found["a%d" % number] if "a%d" % number in found.files else None for number in range(count)]


def write_nest(folder: str, name: str, value: Any) -> Dict[str, Any]:
    """Write lists and dictionaries of arrays; return what `read_nest` needs."""
    arrays: List[Optional[np.ndarray]] = []

    def plan(item: Any) -> Any:
        if isinstance(item, dict):
            return {"dict": [[key, plan(inner)] for key, inner in item.items()]}
        if isinstance(item, (list, tuple)):
            return {"list": [plan(inner) for inner in item]}
        arrays.append(None if item is None else np.asarray(item))
        return len(arrays) - 1

    made = {"name": name, "plan": plan(value), "count": 0}
    made["count"] = len(arrays)
    write_arrays(folder, name, arrays)
    return made


def read_nest(folder: str, made: Dict[str, Any]) -> Any:
    """Read what `write_nest` wrote."""
    arrays = read_arrays(folder, made["name"], made["count"])

    def build(item: Any) -> Any:
        if isinstance(item, int):
            return arrays[item]
        if "dict" in item:
            return {key: build(inner) for key, inner in item["dict"]}
        return [build(inner) for inner in item["list"]]

    return build(made["plan"])


def write_outcome(folder: str, name: str, outcome: LayerOutcome) -> Dict[str, Any]:
    """Write what a layer computed; return what `read_outcome` needs."""
    held = outcome.outputs + outcome.updates
    write_arrays(folder, name, [item.array for item in held] + list(outcome.gradients))
    return {
        "name": name,
        "dtypes": [item.dtype for item in held],
        "outputs": len(outcome.outputs),
        "gradients": len(outcome.gradients),
        "ran_on": outcome.ran_on,
    }


def read_outcome(folder: str, made: Dict[str, Any]) -> LayerOutcome:
    """Read what `write_outcome` wrote."""
    count = len(made["dtypes"])
    arrays = read_arrays(folder, made["name"], count + made["gradients"])
    held = [HostArray(array, dtype) for array, dtype in zip(arrays, made["dtypes"]) if array is not None]
    return LayerOutcome(held[: made["outputs"]], arrays[count:], held[made["outputs"] :], made["ran_on"])
