"""A user's own model: from a function in a module, or from the architecture of a model, in the worker."""

from typing import Any, Dict, List, Optional, Tuple

from ...records import parse_json
from .data import Part


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


def layers_of(architecture: str) -> int:
    """Return how many layers an architecture has, for the report."""
    config = parse_json(architecture, own=True).get("config")
    return len(config.get("layers", ())) if isinstance(config, dict) else 0
