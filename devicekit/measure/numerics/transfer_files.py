"""What travels between this process and a worker in a folder: arrays as .npz without pickles, the rest as JSON."""

import json
import os
import zlib
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from ...records import parse_json
from ...runtime.frameworks.tensors import HostArray
from .layers.runner import Cotangent, LayerOutcome, Work


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
