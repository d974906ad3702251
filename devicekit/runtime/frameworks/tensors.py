"""Arrays, gradients, placement and random state of a framework: what it takes to compute the same thing on two devices.

One `Tensors` class per framework is in the module next to this one that is named after it. What compares numbers
(`devicekit.measure.numerics`) is written once on top of them.
"""

import contextlib
import re
from typing import Any, Callable, ContextManager, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ...records import Record

#: The dtypes that have gradients, from the coarsest to the finest.
FLOATS = ("bfloat16", "float16", "float32", "float64")

#: From two lists of tensors, the first of them with gradients, to outputs and to whatever else the caller wants back.
Function = Callable[[List[Any], List[Any]], Tuple[List[Any], List[Any]]]

#: From the number, shape and dtype of an output to the tensor that its gradient is multiplied by; None: no part in it.
Weigh = Callable[[int, Tuple[int, ...], str], Optional[Any]]

#: Returns the operators that ran on the CPU so far because the device has no kernel for them.
Fallbacks = Callable[[], Tuple[str, ...]]

#: What PyTorch warns of when it runs an operator on the CPU because the device has no kernel for it
#: (aten/src/ATen/mps/MPSFallback.mm; torch-directml uses the same words).
_FALLBACK = re.compile(
    r"[Tt]he operator '([\w:.]+)' is not currently supported on the (\w+) backend and will fall back"
)


def fallback_operators(messages: Iterable[str]) -> Tuple[str, ...]:
    """Return the operators that PyTorch's warnings say ran on the CPU, each once, in order.

    >>> fallback_operators(["The operator 'aten::median' is not currently supported on the MPS backend and will fall back to"
    ...                     " run on the CPU. This may have performance implications."])
    ('aten::median',)
    """
    found = [match.group(1) for match in map(_FALLBACK.search, messages) if match is not None]
    return tuple(dict.fromkeys(found))


class HostArray(Record):
    """The values of a tensor in host memory.

    Attributes
    ----------
    array : numpy.ndarray
        In a dtype that holds all values exactly; bfloat16 as float32 or float64.
    dtype : str
        The dtype in the framework.
    """

    array: np.ndarray
    dtype: str

    @property
    def is_float(self) -> bool:
        """Whether it can have a gradient."""
        return self.dtype in FLOATS


class Pulled(NamedTuple):
    """The result of a vector-Jacobian product.

    Attributes
    ----------
    outputs, more : list
        What the function returned.
    gradients : list
        For each differentiated tensor; None if no output depends on it.
    error : Exception or None
        Why there are no gradients, although the function itself ran.
    """

    outputs: List[Any]
    more: List[Any]
    gradients: List[Optional[Any]]
    error: Optional[Exception] = None

    def checked(self) -> "Pulled":
        """Return it, or raise `error`."""
        if self.error is not None:
            raise self.error
        return self


class Tensors:
    """The tensors of one framework.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    compiles : bool
        Whether every new shape is compiled, which costs more than the computation of a small array.
    tree : module
        With ``flatten`` and ``pack_sequence_as`` of nested tensors, if the framework has one.
    """

    framework: str = ""
    compiles: bool = False
    tree: Any = None

    # Devices

    def devices(self) -> Tuple[str, ...]:
        """Return the framework's names of the devices it can use, the CPU first."""
        raise NotImplementedError

    def on(self, device: str) -> ContextManager[Any]:
        """Return a scope that computes on a device, by the framework's name."""
        raise NotImplementedError

    def device_of(self, tensor: Any) -> str:
        """Return the framework's name of the device that holds a tensor, as in ``"gpu:0"``."""
        raise NotImplementedError

    def fallbacks(self) -> ContextManager[Fallbacks]:
        """Return a scope that notes which operators run on the CPU for lack of a kernel, if the framework says so."""
        return contextlib.nullcontext(tuple)

    # Conversion

    def is_tensor(self, value: Any) -> bool:
        """Return whether a value is an array of the framework, with values or without."""
        raise NotImplementedError

    def is_composite(self, value: Any) -> bool:
        """Return whether a tensor consists of several: sparse, ragged."""
        return False

    def is_traced(self, value: Any) -> bool:
        """Return whether a tensor has no values because its code is being traced."""
        raise NotImplementedError

    def inner_leaves(self, value: Any) -> Optional[List[Any]]:
        """Return what is in a container that was registered with the framework; None for anything else."""
        return None

    def dtype(self, name: str) -> Any:
        """Return the framework's own object for a dtype."""
        raise NotImplementedError

    def dtype_of(self, tensor: Any) -> str:
        """Return the name of a tensor's dtype."""
        return str(tensor.dtype)

    def to_tensor(self, array: np.ndarray, dtype: str, copy: bool = True) -> Any:
        """Return a tensor with these values on the device of the open scope.

        Parameters
        ----------
        copy : bool
            Whether it must be in the device's own memory; if not, nothing is computed on the device to get it there.
        """
        raise NotImplementedError

    def to_numpy(self, value: Any) -> np.ndarray:
        """Return the values of a tensor; bfloat16 as float32."""
        raise NotImplementedError

    def variable_to_numpy(self, variable: Any) -> np.ndarray:
        """Return the values of a Keras variable, as its ``assign`` takes them."""
        return self.to_numpy(variable)

    # Computation

    def double_precision(self) -> ContextManager[Any]:
        """Return a scope in which the framework has float64."""
        return contextlib.nullcontext()

    def without_gradients(self) -> ContextManager[Any]:
        """Return a scope in which nothing is recorded for gradients."""
        return contextlib.nullcontext()

    def vjp(
        self,
        function: Function,
        values: List[Any],
        others: List[Any],
        weigh: Weigh,
        key: Any = None,
        loops: bool = False,
    ) -> Pulled:
        """Run a function and pull weights of its outputs back to its first tensors (a vector-Jacobian product).

        Parameters
        ----------
        values : list of tensors
            Those to differentiate by.
        others : list
            The rest.
        weigh : callable
            Gives the weights of each output of a float dtype.
        key : object
            What the function does, apart from the shapes and dtypes of its arguments: a framework that compiles does so once
            for each key. None: run it eagerly.
        loops : bool
            Whether it has a long loop, which TensorFlow compiles, too: eagerly it would take it step by step.

        Raises
        ------
        Exception
            Whatever the function raises; errors of the backward pass alone are in `Pulled.error`.
        """
        raise NotImplementedError

    def on_cpu(self, function: Callable[[List[Any]], List[Any]], values: List[Any]) -> List[Any]:
        """Compute a function on the CPU, and its gradient as well, whatever device the program is on.

        Parameters
        ----------
        function : callable
            From tensors to tensors. With Keras 3 it holds no tensor and no variable of its own.

        Raises
        ------
        DevicekitError
            Inside a program that the framework compiles for one device, in which nothing can be left to another.
        """
        raise NotImplementedError

    def forget(self) -> None:
        """Drop compiled programs."""

    # State

    def seeded(self, seed: int) -> ContextManager[Any]:
        """Return a scope in which the framework's generators start from a seed; their state is restored at the end."""
        return contextlib.nullcontext()

    def draws_random_numbers(self, function: Callable[..., Any], tensors: Sequence[Any]) -> bool:
        """Return whether a function of tensors draws random numbers inside the framework, as far as its program shows."""
        return False

    def precision_settings(self) -> Tuple[str, ...]:
        """Return the user's settings that lower the precision of float32 on accelerators, as text; changes nothing."""
        return ()

    def _weights(self, outputs: Sequence[Any], weigh: Weigh) -> List[Optional[Any]]:
        """The weights of each output; None for those that have none."""
        return [
            weigh(number, tuple(int(size) for size in output.shape), self.dtype_of(output))
            if self._has_gradient(output)
            else None
            for number, output in enumerate(outputs)
        ]

    def _has_gradient(self, output: Any) -> bool:
        return self.is_tensor(output) and not self.is_composite(output) and "float" in self.dtype_of(output)


@contextlib.contextmanager
def restored(target: Any, names: Sequence[str]) -> Iterator[Dict[str, Any]]:
    """Restore attributes of an object at the end; yields those it has."""
    before = {name: getattr(target, name) for name in names if hasattr(target, name)}
    try:
        yield before
    finally:
        for name, value in before.items():
            setattr(target, name, value)


def per_axis(value: Any, count: int) -> Tuple[int, ...]:
    """One number for each axis."""
    return (int(value),) * count if isinstance(value, int) else tuple(int(item) for item in value)


def same_padding(size: int, kernel: int, stride: int, dilation: int = 1) -> Tuple[int, int]:
    """Return how much ``padding="same"`` adds before and after one axis: TensorFlow's and Keras's rule.

    The output has ``ceil(size / stride)`` elements, and where the sum of both is odd, one more is added after.
    """
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def flatten(value: Any) -> Tuple[Tuple[str, Any], ...]:
    """Return the leaves of nested lists, tuples and dictionaries, each with the path to it.

    The path of a value that is not a nest is ``""``; of others it reads like ``"0"`` or ``"logits.1"``. None holds nothing and
    is left out.
    """
    return tuple(_leaves(value, ()))


def _leaves(value: Any, path: Tuple[str, ...]) -> Iterator[Tuple[str, Any]]:
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or range(len(value))
        items: Iterable[Tuple[Any, Any]] = zip(names, value)
    elif is_mapping(value):
        items = [(key, value[key]) for key in value]
    else:
        yield ".".join(path), value
        return
    for name, item in items:
        yield from _leaves(item, path + (str(name),))


def rebuild(value: Any, leaves: Iterable[Any]) -> Any:
    """Return a structure of the same shape with other leaves, in the order of `flatten`."""
    return _rebuild(value, iter(leaves))


def _rebuild(value: Any, leaves: Iterator[Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        items: List[Any] = [_rebuild(item, leaves) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items)
    if is_mapping(value):
        return type(value)((key, _rebuild(value[key], leaves)) for key in value)
    return next(leaves)


def is_mapping(value: Any) -> bool:
    """Whether something has keys and values, as a dict and the frozen kinds of it that frameworks have."""
    from collections.abc import Mapping

    return isinstance(value, Mapping)
