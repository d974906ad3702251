"""Calls a plain function in one framework: on a device, in a dtype, with its gradients."""

import contextlib
import copy
from typing import Any, Callable, ContextManager, List, Optional, Sequence, Tuple

import numpy as np

from ....errors import one_line
from ....records import Record
from ....runtime.frameworks import tensors_of
from ....runtime.frameworks.tensors import FLOATS, Fallbacks, HostArray, flatten, rebuild
from ..operations.operation import rounded
from ..random_state import python_seeds


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
        If the framework says that it lies.
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
        Why there are no gradients, "" if there are.
    elsewhere : tuple of str
        What the framework said it ran on the CPU for lack of a kernel.
    """

    outputs: Tuple[Result, ...]
    gradients: Tuple[Result, ...] = ()
    gradient_error: str = ""
    elsewhere: Tuple[str, ...] = ()


class Arguments(Record):
    """The arguments of a function, and for each leaf of them a `HostArray`, or None if it is passed on as it is."""

    nest: Tuple[Any, ...]
    values: Tuple[Optional[HostArray], ...]

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
            tuple(HostArray(item.array, dtype) if item is not None and item.is_float else item for item in self.values),
        )

    def moved(self, seed: int) -> "Arguments":
        """Return them with every float of the finest dtype moved to one of its neighbors, up or down by chance.

        If there are float32 and bfloat16, results may be exact to float32. Whole numbers stay: a function may mean 0 and
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


def _moved(value: HostArray, generator: np.random.RandomState) -> HostArray:
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
    return HostArray(np.where(whole, array, near), value.dtype)


def numpy_value(array: np.ndarray) -> HostArray:
    """Return an array of NumPy's as a `HostArray`: what is not a number raises.

    NumPy makes float64 of everything, and frameworks compute in float32: so that is what is tried.
    """
    name = str(array.dtype)
    if name == "float64":
        return HostArray(rounded(array, "float32"), "float32")
    return float_value(array, name)


def float_value(array: np.ndarray, dtype: str) -> HostArray:
    """Return an array with the dtype that it has in a framework."""
    if array.dtype == object or (array.dtype.kind in "SUV" and dtype not in FLOATS):
        raise ValueError("an input of dtype %s cannot be compared; give arrays of numbers" % dtype)
    if dtype in FLOATS:
        return HostArray(array.astype(np.float64), dtype)
    return HostArray(array, dtype)


def weights_of_sum(shape: Tuple[int, ...], seed: int, number: int, dtype: str) -> np.ndarray:
    """Return what an output is multiplied with before the sum of which the gradient is taken: float64, exact in ``dtype``."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, number])
    signs = generator.choice([-1.0, 1.0], shape)
    return rounded(np.asarray(generator.uniform(0.25, 1.0, shape) * signs), dtype if dtype in FLOATS else "float32")


def labeled(first: str, path: str) -> str:
    """Return ``"output"``, or ``"output logits"`` if there is more than one."""
    return "%s %s" % (first, path) if path else first


def on_device(device: str, framework: str) -> ContextManager[Any]:
    """Return the scope of a device; it yields the Selection.

    Raises
    ------
    DeviceUnavailableError
        On entry, if the device was named and cannot be used.
    """
    from ....runtime.scope import device_scope

    name = "tensorflow" if framework == "tensorflow1" else framework
    return device_scope(device, framework=name, require=device != "auto")


class Caller:
    """Calls functions in one framework, in this process, and leaves its global state as it was.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    """

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self.tensors = tensors_of(framework)

    def read(self, leaf: Any) -> Optional[HostArray]:
        """Return an argument as a `HostArray`; None if it is not an array, so that it is passed on as it is."""
        if self.tensors.is_tensor(leaf) and not self.tensors.is_composite(leaf):
            return float_value(self.tensors.to_numpy(leaf), self.tensors.dtype_of(leaf))
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
        """Return whether random numbers are drawn from keys or seeds inside: in float64 they would be different."""
        return False

    def settings(self, device: str) -> Tuple[str, ...]:
        """Return the user's settings of the framework that lower the precision of float32, as text; changes nothing."""
        return ()


class EagerCaller(Caller):
    """JAX, PyTorch, and TensorFlow 2 in eager mode. What the function has compiled stays compiled.

    A `torch.nn.Module` is copied, moved to the device, and the gradients of its parameters are returned too.
    """

    def call(
        self, function: Callable[..., Any], arguments: "Arguments", device: str, seed: int, gradients: bool
    ) -> Called:
        tensors = self.tensors
        with contextlib.ExitStack() as scopes:
            if any(value is not None and value.dtype in ("float64", "complex128") for value in arguments.values):
                scopes.enter_context(tensors.double_precision())
            selection = scopes.enter_context(on_device(device, self.framework))
            scopes.enter_context(python_seeds(seed))
            scopes.enter_context(tensors.seeded(seed))
            # On the CPU nothing falls back, so that the user's warnings need not be touched.
            unheard: ContextManager[Fallbacks] = contextlib.nullcontext(tuple)
            elsewhere = scopes.enter_context(unheard if device == "cpu" else tensors.fallbacks())
            function, parameters = self._moved_module(function, arguments, self._enter(scopes, selection.device))
            leaves, sources = self._leaves(arguments), arguments.differentiable
            paths: List[str] = []
            counted: List[int] = []

            def of_tensors(values: List[Any], _: List[Any]) -> Tuple[List[Any], List[Any]]:
                given = list(leaves)
                for number, value in zip(sources, values):
                    given[number] = value
                found = self._flatten(function(*arguments.with_leaves(given)))
                paths[:] = [path for path, _ in found]
                return [leaf for _, leaf in found], []

            def weigh(_: int, shape: Tuple[int, ...], dtype: str) -> Any:
                if dtype not in FLOATS:
                    return None
                counted.append(1)
                return tensors.to_tensor(weights_of_sum(shape, seed, len(counted) - 1, dtype), dtype)

            if not gradients:
                with tensors.without_gradients():
                    outputs, _ = of_tensors([leaves[number] for number in sources], [])
                return Called(self._results(paths, outputs), elsewhere=elsewhere())
            values = [leaves[number] for number in sources] + [parameter for _, parameter in parameters]
            pulled = tensors.vjp(of_tensors, values, [], weigh)
            results = self._results(paths, pulled.outputs)
            names = [labeled("gradient of input", arguments.labels[number]) for number in sources]
            names += ["gradient of %s" % name for name, _ in parameters]
            if pulled.error is not None:
                return Called(results, (), one_line(pulled.error), elsewhere())
            pairs = [(name, item) for name, item in zip(names, pulled.gradients) if item is not None and counted]
            return Called(results, tuple(Result(name, *self._read(item)) for name, item in pairs), "", elsewhere())

    def draws(self, function: Callable[..., Any], arguments: "Arguments") -> bool:
        with on_device("cpu", self.framework) as selection, contextlib.ExitStack() as scopes:
            self._enter(scopes, selection.device)
            scopes.enter_context(python_seeds(0))
            scopes.enter_context(self.tensors.seeded(0))
            leaves = self._leaves(arguments)
            numbers = [number for number, value in enumerate(arguments.values) if value is not None]

            def of_tensors(*tensors: Any) -> List[Any]:
                given = list(leaves)
                for number, tensor in zip(numbers, tensors):
                    given[number] = tensor
                return [leaf for _, leaf in self._flatten(function(*arguments.with_leaves(given)))]

            return self.tensors.draws_random_numbers(of_tensors, [leaves[number] for number in numbers])

    def settings(self, device: str) -> Tuple[str, ...]:
        if device.startswith("cpu") and self.framework != "jax":
            return ()
        return self.tensors.precision_settings()

    def _enter(self, scopes: contextlib.ExitStack, device: str) -> str:
        """Let PyTorch's tensors be made on the device, which its own functions do not take from a scope; return its name."""
        if self.framework != "torch":
            return ""
        from ....runtime.frameworks import adapter
        from ....selection.request import parse_request

        name = adapter("torch").device_name(parse_request(device))
        name = "cpu" if name in (None, "cpu:0") else str(name)
        scopes.enter_context(self.tensors.on(name))
        return name

    def _moved_module(self, function: Any, arguments: "Arguments", device: str) -> Tuple[Any, List[Tuple[str, Any]]]:
        """Return a copy of a `torch.nn.Module` on a device and its parameters; any other function as it is, and none."""
        if self.framework != "torch":
            return function, []
        import torch

        if not isinstance(function, torch.nn.Module):
            return function, []
        # In the dtype of the inputs; as it is if they have none, or several.
        dtypes = {value.dtype for value in arguments.values if value is not None and value.is_float}
        module = copy.deepcopy(function).to(device, self.tensors.dtype(dtypes.pop()) if len(dtypes) == 1 else None)
        return module, [(name, item) for name, item in module.named_parameters() if item.requires_grad]

    def _leaves(self, arguments: "Arguments") -> List[Any]:
        return [
            leaf if value is None else self.tensors.to_tensor(value.array, value.dtype)
            for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
        ]

    def _flatten(self, value: Any) -> List[Tuple[str, Any]]:
        found: List[Tuple[str, Any]] = []
        for path, leaf in flatten(value):
            inner = self.tensors.inner_leaves(leaf)
            if inner is None:
                found.append((path, leaf))
            else:  # a tree of another kind, registered with the framework
                found += [(("%s.%d" % (path, number)).strip("."), item) for number, item in enumerate(inner)]
        return found

    def _results(self, paths: Sequence[str], leaves: Sequence[Any]) -> Tuple[Result, ...]:
        return tuple(Result(labeled("output", path), *self._read(leaf)) for path, leaf in zip(paths, leaves))

    def _read(self, leaf: Any) -> Tuple[np.ndarray, str, str]:
        tensors = self.tensors
        array = tensors.to_numpy(leaf)
        if not tensors.is_tensor(leaf) or tensors.is_composite(leaf):
            return array, str(array.dtype), ""
        return array, tensors.dtype_of(leaf), tensors.device_of(leaf)
