"""The data that a comparison runs on: the caller's, cut to some examples, or made up after the model's inputs."""

import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ...runtime.frameworks.keras_model import layers_of
from ...runtime.frameworks.tensors import flatten, rebuild

#: How many examples a comparison of layers looks at, by default: gradients add up over them, and errors are not rarer in more.
EXAMPLES = 8


def examples_for(model: Any) -> int:
    """Return how many examples a model is compared with: as many as it takes, if that is fixed, as of a stateful one."""
    shapes = [tuple(tensor.shape) for tensor in _inputs_of(model)]
    return next((int(shape[0]) for shape in shapes if shape and shape[0]), EXAMPLES)


def plain(values: Any, what: str) -> Any:
    """Return arrays, or a list or dictionary of arrays, as NumPy's.

    Raises
    ------
    ValueError
        If there is something else inside: ragged or sparse tensors, text, generators, data sets.
    """
    if isinstance(values, dict):
        return {name: plain(item, "%s[%r]" % (what, name)) for name, item in values.items()}
    if isinstance(values, tuple) or (isinstance(values, list) and any(hasattr(item, "shape") for item in values)):
        return [plain(item, "%s[%d]" % (what, i)) for i, item in enumerate(values)]
    kind = type(values).__name__
    if "Ragged" in kind or "Sparse" in kind:
        raise ValueError(
            "%s is a %s; give it as a dense array, padded where its rows have several lengths" % (what, kind)
        )
    if hasattr(values, "detach"):  # PyTorch's, which may be on a device
        values = values.detach().cpu()
    if not hasattr(values, "shape") and not isinstance(values, (list, int, float)):
        raise ValueError("%s is a %s, not an array; of a data set give one batch: next(iter(dataset))" % (what, kind))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows of several lengths are objects up to NumPy 1.23, with a warning
            array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError("%s is not an array: %s" % (what, error)) from None
    if str(array.dtype) == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf":
        raise ValueError(
            "%s holds %s; only numbers and booleans can be compared. Of a model that takes text, compare the part behind its "
            "text layers" % (what, array.dtype)
        )
    return array


def examples(values: Any, what: str) -> int:
    """Return how many examples arrays hold.

    Raises
    ------
    ValueError
        If there is none, or they do not hold equally many.
    """
    lengths = {item.shape[0] if item.ndim else 0 for _, item in flatten(values)}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            "%s needs at least one example, equally many in every array; found %s" % (what, sorted(lengths))
        )
    return int(lengths.pop())


def first(values: Any, count: int) -> Any:
    """Return the first examples only."""
    return rebuild(values, [item[:count] for _, item in flatten(values)])


def make_inputs(model: Any, seed: int, count: int) -> Any:
    """Return made-up examples for a model: normally distributed, or indices that all its embeddings have.

    Raises
    ------
    ValueError
        If the model does not say what it takes.
    """
    wanted = _inputs_of(model)
    if not wanted:
        raise ValueError("this model does not say what it takes, as one with a call() of its own: give inputs")
    embeddings = [layer.input_dim for layer in layers_of(model) if type(layer).__name__ == "Embedding"]
    most = min(embeddings) if embeddings else 2
    made: List[np.ndarray] = []
    for number, tensor in enumerate(wanted):
        generator = np.random.RandomState([seed & 0xFFFFFFFF, 77, number])
        shape = (count,) + tuple(int(size or 16) for size in tuple(tensor.shape)[1:])
        dtype = str(getattr(tensor.dtype, "name", tensor.dtype))
        if "float" in dtype and not (embeddings and len(shape) == 2):
            made.append(generator.standard_normal(shape).astype(np.float32))
        elif dtype == "bool":
            made.append(generator.randint(0, 2, shape).astype(bool))
        else:
            made.append(generator.randint(0, most, shape).astype(np.float32 if "float" in dtype else np.int32))
    names: Optional[List[str]] = None
    structure: Any = getattr(model, "_inputs_struct", None)
    if isinstance(structure, dict):
        names = list(structure)
    elif isinstance(getattr(model, "_nested_inputs", None), dict):  # Keras 2's name of the same
        names = list(model._nested_inputs)
    if names is not None:
        by_name: Dict[str, np.ndarray] = dict(zip(sorted(names), made))
        return by_name
    return made[0] if len(made) == 1 else made


def _inputs_of(model: Any) -> List[Any]:
    try:
        return list(model.inputs or ())
    except (AttributeError, ValueError):  # not built
        return []


def sample(model: Any, inputs: Any, targets: Any, seed: int, most: int) -> Tuple[Any, Any, str]:
    """Return inputs, targets, and a word on where they come from.

    Raises
    ------
    ValueError
        Where they cannot be used, or do not go together.
    """
    if inputs is None:
        if targets is not None:
            raise ValueError("targets were given without inputs")
        return make_inputs(model, seed, min(most, examples_for(model))), None, "made-up inputs"
    inputs = plain(inputs, "inputs")
    count = examples(inputs, "inputs")
    if targets is not None:
        targets = plain(targets, "targets")
        if examples(targets, "targets") != count:
            raise ValueError("%d inputs do not go with %d targets" % (count, examples(targets, "targets")))
    used = min(most, count)
    word = "%d of %d examples" % (used, count) if used < count else "%d example%s" % (count, "s" * (count > 1))
    return first(inputs, used), first(targets, used), word
