"""The part of the suite that runs in a worker: computes cases on one device and writes each result to a file."""

import os
from importlib import import_module
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from .catalog import OPERATIONS, magnitudes
from .engine import Engine, OperationOutcome
from .input_values import arrays
from .operation import Operation


def run_cases(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Compute cases one after the other; a worker's function.

    Parameters
    ----------
    task : dict
        ``framework``, ``device``: as in `Selection`; ``engine``: ``"module:class"`` of another engine than devicekit's, or
        ""; ``seed``; ``folder`` for the results; ``cases``: lists of number, operation's name, dtype and role.
        Roles: ``reference``, in float64; ``magnitude``, of absolute values in float64; ``result``, in the dtype itself. For
        all of them the inputs are what the dtype has exactly.
    say : callable
        Told ``begun=number`` before a case and ``done=number`` after it, with how it went; before all of them ``ready``
        with the framework's names.
    """
    made = _engine(task)
    place = made.device_name(task["device"])
    dtypes = made.dtypes(place)
    say(ready=place, framework=made.framework)
    by_name = {item.name: item for item in OPERATIONS}
    for number, name, dtype, role in task["cases"]:
        say(begun=number)
        outcome = _outcome(made, by_name[name], dtype, role, place, task["seed"], dtypes)
        if outcome.outputs and not outcome.unsupported:
            try:
                _save(result_path(task["folder"], number), outcome)
            except OSError as error:  # a full disk is not the device's fault
                return {"unwritten": error.strerror or str(error)}
        say(done=number, ran_on=outcome.ran_on, error=outcome.error[:600], unsupported=outcome.unsupported)
    return {"cases": len(task["cases"])}


def result_path(folder: str, number: int) -> str:
    """Return the file of a case's results."""
    return os.path.join(folder, "%d.npz" % number)


def load(path: str) -> Tuple[Tuple[np.ndarray, ...], Tuple[np.ndarray, ...]]:
    """Read outputs and gradients of a case."""
    with np.load(path, allow_pickle=False) as found:
        counts = [sum(name.startswith(kind) for name in found.files) for kind in ("output", "gradient")]
        outputs = tuple(found["output%d" % index] for index in range(counts[0]))
        return outputs, tuple(found["gradient%d" % index] for index in range(counts[1]))


def _engine(task: Dict[str, Any]) -> Engine:
    if task["engine"]:
        module, _, name = task["engine"].partition(":")
        found: Engine = getattr(import_module(module), name)()
        return found
    import devicekit

    from ....diagnosis.findings import name_of

    selection = devicekit.auto(task["device"], framework=name_of(task["framework"]), verify="never")
    if selection.fallback or (selection.device == "cpu") != (task["device"] == "cpu"):
        raise RuntimeError(selection.reason)
    return engine(selection.framework)


def _outcome(
    made: Engine, operation: Operation, dtype: str, role: str, place: str, seed: int, dtypes: Tuple[str, ...]
) -> OperationOutcome:
    wanted = dtype if role == "result" else "float64"
    if wanted not in dtypes:
        return OperationOutcome(error="%s has no %s there" % (made.framework, wanted), unsupported=True)
    operation = operation.replace(dtypes=(dtype,))  # the one that a reference is for
    if role == "magnitude":
        operation = magnitudes(operation)
    return made.run(operation, arrays(operation, seed, dtype), wanted, place, seed)


def _save(path: str, outcome: OperationOutcome) -> None:
    values: Dict[str, Any] = {"output%d" % index: item for index, item in enumerate(outcome.outputs)}
    values.update(("gradient%d" % index, item) for index, item in enumerate(outcome.gradients))
    np.savez(path, **values)


def engine(framework: Optional[str]) -> Engine:
    """Return the engine of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "tensorflow1":
        from .engine import GraphEngine

        return GraphEngine()
    from .engine import JaxEngine, TensorFlowEngine, TorchEngine

    if framework == "jax":
        return JaxEngine()
    return TorchEngine() if framework == "torch" else TensorFlowEngine()
