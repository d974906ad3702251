"""A framework's arrays, scopes and gradients, as far as repeating the call of a layer needs them."""

import contextlib
import functools
import sys
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .recorded_calls import Held

__all__ = ["Arrays", "Cotangent", "Pulled", "arrays_of"]

#: From the number, shape and dtype of an output to what its gradient is multiplied with; None: it has no part in it.
Cotangent = Callable[[int, Tuple[int, ...], str], Optional[np.ndarray]]

#: From the arrays that there are gradients for, and others, to outputs and to what else is to be returned.
Function = Callable[[List[Any], List[Any]], Tuple[List[Any], List[Any]]]

#: Outputs, what else was returned, and gradients, None for what the outputs do not depend on.
Pulled = Tuple[List[Any], List[Any], List[Any]]


class Arrays:
    """What layers are compared with in one framework, eagerly."""

    framework = ""

    def hold(self, value: Any) -> Optional[Held]:
        """Return an array of the framework, or of NumPy, as NumPy's; None for what is no array, or has no values yet."""
        if isinstance(value, np.ndarray):
            return Held(value, str(value.dtype))
        return self._hold(value) if self.is_array(value) and not self.inside_graph(value) else None

    def _hold(self, value: Any) -> Held:
        raise NotImplementedError

    def is_array(self, value: Any) -> bool:
        """Return whether something is an array of the framework, with values or without."""
        raise NotImplementedError

    def inside_graph(self, value: Any) -> bool:
        """Return whether it has no values, because its code is being traced."""
        raise NotImplementedError

    def make(self, held: Held, double: bool) -> Any:
        """Return an array on the device whose scope is open; with ``double`` in float64 where it is of floats."""
        raise NotImplementedError

    def where(self, value: Any) -> str:
        """Return the framework's name of the device that an array lies on."""
        raise NotImplementedError

    def pull(self, function: Function, values: List[Any], others: List[Any], cotangent: Cotangent, key: Any) -> Pulled:
        """Run a function and pull weights of its outputs back to its first arguments (a vector-Jacobian product).

        Parameters
        ----------
        key : object
            What the function does, beside the shapes and dtypes of its arguments: where it is compiled, that is done once
            for each key.
        """
        raise NotImplementedError

    def forget(self) -> None:
        """Let go what was compiled."""

    def scope(self, device: str, double: bool) -> ContextManager[None]:
        """Return a scope in which arrays are made, and computed with, on a device; in float64 where that is asked for."""
        from ....diagnosis.findings import name_of
        from ....runtime.scope import device_scope

        @contextlib.contextmanager
        def placed() -> Iterator[None]:
            with self.wide(double), _keeping_float64(double), device_scope(device, framework=name_of(self.framework)):
                yield

        return placed()

    def wide(self, double: bool) -> ContextManager[Any]:
        """Return a scope in which the framework has float64 at all."""
        return contextlib.nullcontext()

    def read(self, variable: Any) -> np.ndarray:
        """Return the value of a variable, as ``assign`` takes it back."""
        value: np.ndarray = np.asarray(variable.numpy())
        return value

    def _weights(self, outputs: Sequence[Any], cotangent: Cotangent) -> List[Any]:
        made: List[Any] = []
        for number, output in enumerate(outputs):
            dtype = _label(output.dtype)
            shape = tuple(int(size) for size in output.shape)
            weights = cotangent(number, shape, dtype) if "float" in dtype else None
            made.append(None if weights is None else self.make(Held(weights, dtype), False))
        return made


class TensorFlowArrays(Arrays):
    """Eager TensorFlow."""

    framework = "tensorflow"

    def __init__(self) -> None:
        import tensorflow as tf

        self._tf = tf

    def is_array(self, value: Any) -> bool:
        return bool(self._tf.is_tensor(value)) or isinstance(value, self._tf.Variable)

    def inside_graph(self, value: Any) -> bool:
        return bool(self._tf.is_tensor(value)) and isinstance(value, self._tf.Tensor) and not hasattr(value, "numpy")

    def _hold(self, value: Any) -> Held:
        dtype = _label(value.dtype)
        values = self._tf.cast(value, self._tf.float32) if dtype == "bfloat16" else value
        return Held(np.asarray(values.numpy()), dtype)

    def make(self, held: Held, double: bool) -> Any:
        dtype = "float64" if double and held.is_float else held.dtype
        if dtype == "bfloat16":
            return self._tf.cast(self._tf.constant(held.array, self._tf.float32), dtype)
        # A constant of a numpy array may lie in host memory; the identity is computed where the scope is.
        return self._tf.identity(self._tf.constant(held.array, dtype))

    def where(self, value: Any) -> str:
        return str(value.device).rpartition("/")[2].replace("device:", "")

    def pull(self, function: Function, values: List[Any], others: List[Any], cotangent: Cotangent, key: Any) -> Pulled:
        tf = self._tf
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            for value in values:
                tape.watch(value)
            outputs, more = function(values, others)
        pairs = [(o, weight) for o, weight in zip(outputs, self._weights(outputs, cotangent)) if weight is not None]
        if not pairs or not values:
            return outputs, more, [None] * len(values)
        found = tape.gradient([a for a, _ in pairs], values, output_gradients=[b for _, b in pairs])
        return outputs, more, [None if item is None else tf.convert_to_tensor(item) for item in found]


class JaxArrays(Arrays):
    """JAX, compiled as Keras compiles: what runs alike, as the many convolutions of a model, is compiled once."""

    framework = "jax"

    def __init__(self) -> None:
        import jax

        self._jax = jax
        self._programs: Dict[Any, Any] = {}
        self._wide_before = bool(jax.config.jax_enable_x64)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self._jax.Array)

    def inside_graph(self, value: Any) -> bool:
        return isinstance(value, self._jax.core.Tracer)

    def _hold(self, value: Any) -> Held:
        dtype = _label(value.dtype)
        if dtype == "bfloat16":
            value = value.astype("float32")
        return Held(np.asarray(value), dtype)

    def make(self, held: Held, double: bool) -> Any:
        dtype = "float64" if double and held.is_float else held.dtype
        if dtype in ("int64", "uint64") and not self._wide_before:  # as everywhere in JAX
            dtype = dtype.replace("64", "32")
        return self._jax.numpy.asarray(held.array, dtype=dtype)

    def where(self, value: Any) -> str:
        return ", ".join(sorted(str(device) for device in value.devices()))

    def wide(self, double: bool) -> ContextManager[Any]:
        if not double:
            return contextlib.nullcontext()
        switch: Any = getattr(self._jax, "enable_x64", None)
        if switch is None:  # up to 0.7
            from jax import experimental

            switch = experimental.enable_x64
        entered: ContextManager[Any] = switch(True)
        return entered

    def read(self, variable: Any) -> np.ndarray:
        value: np.ndarray = np.asarray(variable.value)
        return value

    def pull(self, function: Function, values: List[Any], others: List[Any], cotangent: Cotangent, key: Any) -> Pulled:
        jax = self._jax
        known = (key, tuple((item.shape, str(item.dtype)) for item in values + others))
        try:
            if known not in self._programs:
                outputs, _ = jax.eval_shape(function, values, others)
                self._programs[known] = (jax.jit(functools.partial(self._program, function)), outputs)
            program, shapes = self._programs[known]
            return program(values, others, self._all_weights(shapes, cotangent))  # type: ignore[no-any-return]
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):  # the layer looks at values, and cannot be compiled
            outputs, _ = function(values, others)
            return self._program(function, values, others, self._all_weights(outputs, cotangent))

    def _all_weights(self, outputs: Sequence[Any], cotangent: Cotangent) -> List[Any]:
        """The weights of the floating outputs; zeros for those that have none."""
        made = zip(outputs, self._weights(outputs, cotangent))
        zeros = self._jax.numpy.zeros
        return [zeros(o.shape, o.dtype) if w is None else w for o, w in made if "float" in _label(o.dtype)]

    def _program(self, function: Function, values: List[Any], others: List[Any], weights: List[Any]) -> Pulled:
        def of_floats(given: List[Any]) -> Tuple[List[Any], Tuple[List[Any], List[Any]]]:
            outputs, more = function(given, others)
            return [item for item in outputs if "float" in _label(item.dtype)], (outputs, more)

        _, back, (outputs, more) = self._jax.vjp(of_floats, values, has_aux=True)
        (found,) = back(weights)
        return outputs, more, list(found)

    def forget(self) -> None:
        self._programs.clear()


class TorchArrays(Arrays):
    """PyTorch."""

    framework = "torch"

    def __init__(self) -> None:
        import torch

        self._torch = torch

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self._torch.Tensor)

    def inside_graph(self, value: Any) -> bool:
        torch = self._torch
        if not isinstance(value, torch.Tensor):
            return False
        # Inside vmap a tensor stands for many; fake and meta tensors have no values.
        return bool(torch._C._functorch.is_functorch_wrapped_tensor(value)) or value.device.type == "meta"

    def _hold(self, value: Any) -> Held:
        dtype = _label(value.dtype)
        value = value.detach().cpu()
        return Held((value.float() if dtype == "bfloat16" else value).numpy().copy(), dtype)

    def make(self, held: Held, double: bool) -> Any:
        from ....runtime.frameworks.torch_keras import keras_core

        dtype = "float64" if double and held.is_float else held.dtype
        value = self._torch.as_tensor(np.array(held.array), dtype=getattr(self._torch, dtype), device="cpu")
        return value.to(str(keras_core().get_device()))

    def where(self, value: Any) -> str:
        return str(value.device)

    def read(self, variable: Any) -> np.ndarray:
        value = getattr(variable, "value", variable).detach().cpu()
        array: np.ndarray = np.array((value.float() if value.dtype == self._torch.bfloat16 else value).numpy())
        return array

    def pull(self, function: Function, values: List[Any], others: List[Any], cotangent: Cotangent, key: Any) -> Pulled:
        torch = self._torch
        leaves = [value.detach().requires_grad_(True) for value in values]
        with torch.enable_grad():
            outputs, more = function(leaves, others)
            pairs = [
                (o, w) for o, w in zip(outputs, self._weights(outputs, cotangent)) if w is not None and o.requires_grad
            ]
            if not pairs or not leaves:
                return outputs, more, [None] * len(values)
            found = torch.autograd.grad(
                [output for output, _ in pairs], leaves, [weight for _, weight in pairs], allow_unused=True
            )
        return outputs, more, list(found)


def arrays_of(framework: str) -> Arrays:
    """Return the arrays of a framework that computes eagerly."""
    if framework == "jax":
        return JaxArrays()
    if framework == "torch":
        return TorchArrays()
    return TensorFlowArrays()


@contextlib.contextmanager
def _keeping_float64(double: bool) -> Iterator[None]:
    """Let Keras 3 compute products of float64 in float64: its rules of promotion, private, make float32 of it (as of 3.0)."""
    table = getattr(sys.modules.get("keras.src.backend.common.dtypes"), "BIT64_TO_BIT32_DTYPE", None)
    before = table.get("float64") if double and isinstance(table, dict) else None
    if table is None or before is None:
        yield
        return
    table["float64"] = "float64"
    try:
        yield
    finally:
        table["float64"] = before


def _label(dtype: Any) -> str:
    return str(getattr(dtype, "name", dtype)).replace("torch.", "")
