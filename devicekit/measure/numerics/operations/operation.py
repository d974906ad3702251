"""What an operation of the suite is, and the values of its inputs. Data only; NumPy alone."""

import zlib
from typing import Any, Dict, Tuple

import numpy as np

from ....records import Record


class Input(Record):
    """One input of an operation.

    Attributes
    ----------
    name : str
        What people call it: ``"x"``, ``"kernel"``, ``"bias"``. A gradient is named after it.
    shape : tuple of int
    values : str
        How values are made; one of the recipes of `devicekit.measure.numerics.operations.input_values`.
    low, high : float
        Bounds, or what else the recipe needs.
    kind : {"float", "int32"}
        ``"float"``: it is given in the dtype that is tried.
    accumulation : int
        How many products or terms are added up in an element of its gradient; 0: as many as in the output.
    differentiable : bool
        Whether the gradient for it is computed; of a float input only.
    """

    name: str
    shape: Tuple[int, ...]
    values: str = "normal"
    low: float = 0.0
    high: float = 1.0
    kind: str = "float"
    accumulation: int = 0
    differentiable: bool = True


class Operation(Record):
    """One case of the suite.

    Attributes
    ----------
    name : str
        The operation with its case, such as ``"conv2d 3x3 stride 2 same"``; unique.
    operation : str
        What is computed; defined in tests/numerics/operation_kinds.py.
    inputs : tuple of Input
    attributes : tuple of (str, object)
        Everything that frameworks could understand differently; see `options`.
    accumulation : int
        How many products or terms are added up in one element of the output.
    depth : int
        How many roundings follow one another, next to those of the accumulation: the steps of an LSTM, for example.
    differentiable : bool
        Whether gradients are computed too.
    dtypes : tuple of str
        In which it is tried, out of ``"float32"``, ``"float16"`` and ``"bfloat16"``.
    scale : {"norm", "largest", "element", "absolute", "magnitude"}
        What an error is relative to: the typical size of the array (``"norm"``) or its largest element (``"largest"``,
        where most are next to nothing; of a gradient at least 1, the size of the cotangents); each element's own value
        (``"element"``, for functions whose small results matter as much as their large ones); or what the same operation
        gives for the absolute values of its inputs (``"absolute"``, the size of the terms of sums that may cancel; for
        what is linear in each input). ``"magnitude"`` is that run itself: inputs and cotangents without their signs.
    exact : bool
        Whether nothing is rounded, so that every element must be right to the last bit.
    """

    name: str
    operation: str
    inputs: Tuple[Input, ...]
    attributes: Tuple[Tuple[str, Any], ...] = ()
    accumulation: int = 1
    depth: int = 1
    differentiable: bool = True
    dtypes: Tuple[str, ...] = ("float32",)
    scale: str = "norm"
    exact: bool = False

    @property
    def options(self) -> Dict[str, Any]:
        """The attributes as a dictionary."""
        return dict(self.attributes)

    @property
    def differentiated(self) -> Tuple[int, ...]:
        """The indices of the inputs for which gradients are computed, in order; none if it is not differentiable."""
        if not self.differentiable:
            return ()
        return tuple(i for i, item in enumerate(self.inputs) if item.kind == "float" and item.differentiable)


def cotangent(
    operation: Operation, shape: Tuple[int, ...], seed: int, index: int = 0, dtype: str = "float32"
) -> np.ndarray:
    """Return what the gradient of an output is multiplied with: the gradient is that of ``sum(output * cotangent)``.

    Parameters
    ----------
    shape : tuple of int
        Of the output.
    index : int
        Which of the outputs, counted from 0.
    dtype : str
        In which the operation is run; float64 arrays come back, whose values the dtype has exactly. In float64 it is run
        as the reference for the first of ``operation.dtypes``, and the values are those of that.
    """
    if dtype == "float64":
        dtype = operation.dtypes[0]
    generator = generator_of(seed, operation.name, 1000 + index)
    values: np.ndarray = np.asarray(generator.uniform(0.25, 1.0, shape) * generator.choice([-1.0, 1.0], shape))
    return rounded(np.abs(values) if operation.scale == "magnitude" else values, dtype)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return float64 values rounded to the nearest ones, ties to even, that a dtype has.

    Raises
    ------
    ValueError
        If the dtype is not one of the suite's.
    """
    values = np.asarray(values, dtype=np.float64)
    if dtype == "float64":
        return values
    with np.errstate(all="ignore"):
        if dtype in ("float32", "float16"):
            return values.astype(dtype).astype(np.float64)
        if dtype != "bfloat16":
            raise ValueError("unknown dtype %r; known are float64, float32, float16 and bfloat16" % dtype)
        bits = np.ascontiguousarray(values.astype(np.float32)).view(np.uint32)
        nearest = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
        cut = np.where(np.isnan(values), bits, nearest) & np.uint32(0xFFFF0000)
        found: np.ndarray = cut.astype(np.uint32).view(np.float32).reshape(values.shape).astype(np.float64)
        return found


def generator_of(seed: int, name: str, number: int) -> np.random.RandomState:
    """Return a generator whose stream is the same with every NumPy release (RandomState is frozen, NEP 19)."""
    return np.random.RandomState([seed & 0xFFFFFFFF, zlib.crc32(name.encode("utf-8")), number])
