"""What calls a plain function in one framework: on a device, in a dtype, with its gradients."""

import contextlib
import random
from typing import Any, Callable, ContextManager, Iterator, Optional, Sequence, Tuple

import numpy as np

from ....records import Record
from ..nests import flatten, rebuild
from ..operations.operation import rounded

__all__ = [
    "FLOATS",
    "Arguments",
    "Called",
    "Caller",
    "Result",
    "Value",
    "caller",
    "describe",
    "place",
    "weights_of_sum",
]

#: The dtypes of which there are gradients, from the coarsest to the finest.
FLOATS = ("bfloat16", "float16", "float32", "float64")


class Value(Record):
    """An array that a function is called with.

    Attributes
    ----------
    array : numpy.ndarray
        Of floats as float64, which holds all of them exactly; others as they are.
    dtype : str
        The dtype that it has in the framework.
    """

    array: np.ndarray
    dtype: str

    @property
    def is_float(self) -> bool:
        """Whether there is a gradient for it."""
        return self.dtype in FLOATS


class Result(Record):
    """An array that came back.

    Attributes
    ----------
    label : str
        ``"output"``, ``"output logits"``, ``"gradient of input 0"``.
    array : numpy.ndarray
        bfloat16 as float32.
    dtype : str
    ran_on : str
        Where the framework says that it lies.
    """

    label: str
    array: np.ndarray
    dtype: str
    ran_on: str = ""


class Called(Record):
    """What one call gave.

    Attributes
    ----------
    outputs : tuple of Result
    gradients : tuple of Result
        Of ``sum(output * weights)`` over all float outputs, for those float inputs that they depend on.
    gradient_error : str
        Why there are no gradients, "" where there are.
    elsewhere : tuple of str
        What the framework said it ran on the processor for want of a kernel.
    """

    outputs: Tuple[Result, ...]
    gradients: Tuple[Result, ...] = ()
    gradient_error: str = ""
    elsewhere: Tuple[str, ...] = ()


class Caller:
    """Calls functions in one framework, in this process, and leaves its global state as it was.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    """

    framework: str = ""

    def read(self, leaf: Any) -> Optional[Value]:
        """Return an argument as a `Value`; None where it is no array, so that it is handed on as it is."""
        if isinstance(leaf, (np.ndarray, np.generic)):
            return numpy_value(np.asarray(leaf))
        return None

    def call(
        self, function: Callable[..., Any], arguments: "Arguments", device: str, seed: int, gradients: bool
    ) -> Called:
        """Call a function on a device, as `devicekit.device_scope` knows it.

        Raises
        ------
        Exception
            Whatever the function raises.
        """
        raise NotImplementedError

    def draws(self, function: Callable[..., Any], arguments: "Arguments") -> bool:
        """Return whether random numbers are drawn from keys or seeds inside: in float64 they would be other ones."""
        return False

    def settings(self, device: str) -> Tuple[str, ...]:
        """Return the user's settings of the framework that lower the precision of float32, as text; nothing is changed."""
        return ()


class Arguments(Record):
    """What a function is called with: its arguments, and a `Value` (or None: hand it on as it is) for each leaf of them."""

    nest: Tuple[Any, ...]
    values: Tuple[Optional[Value], ...]

    @property
    def labels(self) -> Tuple[str, ...]:
        """The path of each leaf, as in ``"0"``."""
        return tuple(path for path, _ in flatten(self.nest))

    @property
    def differentiable(self) -> Tuple[int, ...]:
        """The numbers of the leaves that a gradient is computed for."""
        return tuple(number for number, value in enumerate(self.values) if value is not None and value.is_float)

    def with_dtype(self, dtype: str) -> "Arguments":
        """Return them with all floats in one dtype."""
        return Arguments(
            self.nest,
            tuple(Value(item.array, dtype) if item is not None and item.is_float else item for item in self.values),
        )

    def moved(self, seed: int) -> "Arguments":
        """Return them with every float of the finest dtype moved to one of its neighbours, up or down by chance.

        Where there are float32 and bfloat16, results may be exact to float32. Whole numbers stay: a function may mean 0 and
        1, and nothing between them.
        """
        generator = np.random.RandomState(seed & 0xFFFFFFFF)
        finest = max(
            (FLOATS.index(item.dtype) for item in self.values if item is not None and item.is_float), default=-1
        )
        return Arguments(
            self.nest,
            tuple(
                _moved(item, generator) if item is not None and item.dtype == FLOATS[finest] else item
                for item in self.values
            ),
        )

    def with_leaves(self, leaves: Sequence[Any]) -> Tuple[Any, ...]:
        """Return what to call the function with, made of these leaves."""
        return tuple(rebuild(self.nest, leaves))


def _moved(value: Value, generator: np.random.RandomState) -> Value:
    if not value.is_float:
        return value
    up = generator.random_sample(value.array.shape) < 0.5
    array = np.asarray(value.array)
    with np.errstate(all="ignore"):
        whole = (array == np.round(array)) | ~np.isfinite(array)
        if value.dtype in ("float32", "float64"):
            kind = np.dtype(value.dtype).type
            near = np.nextafter(array.astype(kind), np.where(up, kind(np.inf), kind(-np.inf)))
            near = near.astype(np.float64)
        else:
            step = 2.0**-10 if value.dtype == "float16" else 2.0**-7
            near = rounded(array * np.where(up, 1 + step, 1 - step / 2), value.dtype)
        near = np.where(np.isfinite(near), near, array)
    return Value(np.where(whole, array, near), value.dtype)


def numpy_value(array: np.ndarray) -> Value:
    """Return an array of NumPy's as a `Value`: what is no number raises.

    NumPy makes float64 of everything, and frameworks compute in float32: so that is what is tried.
    """
    name = str(array.dtype)
    if name == "float64":
        return Value(rounded(array, "float32"), "float32")
    return float_value(array, name)


def float_value(array: np.ndarray, dtype: str) -> Value:
    """Return an array with the dtype that it has in a framework."""
    if array.dtype == object or (array.dtype.kind in "SUV" and dtype not in FLOATS):
        raise ValueError("an input of dtype %s cannot be compared; give arrays of numbers" % dtype)
    if dtype in FLOATS:
        return Value(array.astype(np.float64), dtype)
    return Value(array, dtype)


def weights_of_sum(shape: Tuple[int, ...], seed: int, number: int, dtype: str) -> np.ndarray:
    """Return what an output is multiplied with before the sum of which the gradient is taken: float64, exact in ``dtype``."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, number])
    signs = generator.choice([-1.0, 1.0], shape)
    return rounded(np.asarray(generator.uniform(0.25, 1.0, shape) * signs), dtype if dtype in FLOATS else "float32")


def labelled(first: str, path: str) -> str:
    """Return ``"output"``, or ``"output logits"`` where there is more than one."""
    return "%s %s" % (first, path) if path else first


def place(device: str, framework: str) -> ContextManager[Any]:
    """Return the scope of a device; it yields the Selection.

    Raises
    ------
    DeviceUnavailableError
        On entry, where the device was named and cannot be used.
    """
    from ....runtime.scope import device_scope

    name = "tensorflow" if framework == "tensorflow1" else framework
    return device_scope(device, framework=name, require=device != "auto")


@contextlib.contextmanager
def python_seeds(seed: int) -> Iterator[None]:
    """Seed Python's and NumPy's generators, and put them back afterwards."""
    states = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def describe(error: BaseException) -> str:
    """Return an exception in one line of bounded length."""
    text = " ".join(str(error).split())
    return "%s: %s" % (type(error).__name__, text[:400]) if text else type(error).__name__


def caller(framework: Optional[str]) -> Caller:
    """Return what calls functions of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "jax":
        from .callers_jax import JaxCaller

        return JaxCaller()
    if framework == "torch":
        from .callers_torch import TorchCaller

        return TorchCaller()
    if framework == "tensorflow1":
        from .callers_tensorflow1 import TensorFlow1Caller

        return TensorFlow1Caller()
    from .callers_tensorflow import TensorFlowCaller

    return TensorFlowCaller()
