"""How the values of an input are made: one function a recipe, named as in `Input.values`. NumPy alone."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

from .operation import Input, Operation, generator_of, rounded

#: Numbers at which arithmetic goes wrong: zeros of both signs, infinities, NaN, the ends of float16's, bfloat16's and
#: float32's range, and neighbors of 1. Subnormal numbers of float32 are apart, since devices may flush them to zero.
EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    float("inf"),
    float("-inf"),
    float("nan"),
    1.0 + 2.0**-23,
    1.0 - 2.0**-24,
    2.0**-120,
    -(2.0**-120),
    65504.0,
    -65504.0,
    65520.0,
    2.0**-14,
    (2.0 - 2.0**-23) * 2.0**127,
    -(2.0 - 2.0**-23) * 2.0**127,
    16777216.0,
    -2.5,
    0.5,
)


def arrays(operation: Operation, seed: int, dtype: str = "float32") -> Tuple[np.ndarray, ...]:
    """Return the inputs of an operation.

    Float inputs are float64 arrays whose values ``dtype`` has exactly: so the same numbers go into the operation on every
    device and, in float64, into the reference, and rounding of the inputs is no part of what is measured.

    Parameters
    ----------
    seed : int
        Together with the operation's name it determines the values.
    dtype : {"float32", "float16", "bfloat16", "float64"}
        In which the operation is going to be run.
    """
    found = []
    for number, item in enumerate(operation.inputs):
        values = make(item, generator_of(seed, operation.name, number))
        if operation.scale == "magnitude" and item.kind == "float":
            values = np.abs(values)
        found.append(rounded(values, dtype) if item.kind == "float" else values.astype(np.int32))
    return tuple(found)


def make(item: Input, generator: np.random.RandomState) -> np.ndarray:
    """Return the values of an input.

    Raises
    ------
    KeyError
        If there is no such recipe.
    """
    values: np.ndarray = np.asarray(RECIPES[item.values](item, generator), dtype=np.float64).reshape(item.shape)
    return values


def _weights(item: Input, generator: np.random.RandomState) -> Any:
    """As layers begin: normal, with a deviation that keeps the size of activations; times ``high``."""
    fan_in = max(int(np.prod(item.shape[:-1])), 1)
    return item.high * generator.standard_normal(item.shape) / np.sqrt(fan_in)


def _distinct(item: Input, generator: np.random.RandomState) -> Any:
    """Different multiples of ``high`` around zero, in random order: no ties. float16 has up to 2,048 of them exactly."""
    count = int(np.prod(item.shape))
    return (generator.permutation(count) - count // 2) * item.high


def _magnitudes(item: Input, generator: np.random.RandomState) -> Any:
    """Positive numbers, their decimal exponents spread evenly from ``low`` to ``high``."""
    return 10.0 ** generator.uniform(item.low, item.high, item.shape)


def _signed_magnitudes(item: Input, generator: np.random.RandomState) -> Any:
    return _magnitudes(item, generator) * generator.choice([-1.0, 1.0], item.shape)


def _canceling(item: Input, generator: np.random.RandomState) -> Any:
    """Every number with its negative, in random order, and ``high`` more: the sum is tiny next to the terms."""
    count = int(np.prod(item.shape))
    half: Any = np.float32(generator.standard_normal(count // 2) * 1000.0).astype(np.float64)
    values = np.concatenate([half, -half, np.full(count - 2 * len(half), item.high)])
    return values[generator.permutation(count)]


def _probabilities(item: Input, generator: np.random.RandomState) -> Any:
    """Rows of positive numbers that add up to one."""
    values = generator.uniform(0.05, 1.0, item.shape)
    return values / values.sum(axis=-1, keepdims=True)


def _some(item: Input, generator: np.random.RandomState) -> Any:
    """1 with the probability ``high``, else 0; the first of each row is 1."""
    values = (generator.uniform(0.0, 1.0, item.shape) < item.high).astype(np.float64)
    values[..., 0] = 1.0
    return values


def _finite_edges(item: Input, generator: np.random.RandomState) -> Any:
    """Those of `EDGES` that are finite, and not at the very end of float32's range."""
    return np.resize(np.array([value for value in EDGES if abs(value) < 1e30]), item.shape)


def _edge_columns(item: Input, generator: np.random.RandomState) -> Any:
    return np.repeat(np.array(EDGES)[None, :], len(EDGES), axis=0)


def _with_nan(item: Input, generator: np.random.RandomState) -> Any:
    """Normal numbers; one in ``high`` rows of the last axis holds a NaN at a random place."""
    values = generator.standard_normal(item.shape)
    rows = values.reshape(-1, item.shape[-1])
    for row in range(0, len(rows), max(int(item.high), 1)):
        rows[row, generator.randint(item.shape[-1])] = np.nan
    return rows


RECIPES: Dict[str, Callable[[Input, np.random.RandomState], Any]] = {
    # Mean ``low``, standard deviation ``high``.
    "normal": lambda item, generator: item.low + item.high * generator.standard_normal(item.shape),
    "uniform": lambda item, generator: generator.uniform(item.low, item.high, item.shape),
    "weights": _weights,
    "distinct": _distinct,
    # Whole numbers from ``low`` up to, not including, ``high``; repeated.
    "whole": lambda item, generator: generator.randint(int(item.low), int(item.high), item.shape),
    # Different whole numbers from 0 up to, not including, ``high``.
    "permutation": lambda item, generator: generator.permutation(int(item.high))[: int(np.prod(item.shape))],
    "magnitudes": _magnitudes,
    "signed magnitudes": _signed_magnitudes,
    "canceling": _canceling,
    # ``low`` everywhere: rounding errors that add up instead of averaging out.
    "constant": lambda item, generator: np.full(item.shape, item.low),
    "probabilities": _probabilities,
    # 1 if a row may look at a column: at itself and what is before it.
    "causal": lambda item, generator: np.tril(np.ones(item.shape)),
    "some": _some,
    # `EDGES` over and over.
    "edges": lambda item, generator: np.resize(np.array(EDGES), item.shape),
    "finite edges": _finite_edges,
    # Row i holds the i-th of `EDGES`; with `_edge_columns` every one meets every other.
    "edge rows": lambda item, generator: np.repeat(np.array(EDGES)[:, None], len(EDGES), axis=1),
    "edge columns": _edge_columns,
    # Between 0 and 2 to the power of ``low``, a format's smallest normal number; of both signs.
    "subnormal": lambda item, generator: generator.uniform(-1.0, 1.0, item.shape) * 2.0**item.low,
    "with NaN": _with_nan,
}
