"""Shapes and dtypes of examples, as JSON, and made-up examples of the same: what lets another process try a batch."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

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
