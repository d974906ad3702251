"""Runs the suite's operations in JAX, each compiled together with its gradients, as models are."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from ..functions.caller import FLOATS, describe
from ..functions.callers_jax import double_precision, where
from ..missing import is_missing_kernel
from .engine import Engine, Outcome
from .kinds_jax import KINDS, NOT_COMPILED
from .kinds_jax_linear import LINEAR
from .operation import Operation, cotangent

__all__ = ["JaxEngine"]

_ALL = dict(LINEAR, **KINDS)


class JaxEngine(Engine):
    """JAX 0.4 and later. The default precision of products is left as the user has it."""

    framework = "jax"

    def __init__(self) -> None:
        import jax

        accelerators = [device for device in jax.local_devices() if device.platform != "cpu"]
        try:
            processors = jax.local_devices(backend="cpu")
        except RuntimeError:  # JAX_PLATFORMS leaves it out
            processors = []
        self._devices = {"cpu:%d" % number: device for number, device in enumerate(processors)}
        self._devices.update(
            ("%s:%d" % ("tpu" if device.platform == "tpu" else "gpu", number), device)
            for number, device in enumerate(accelerators)
        )
        self._functions: Dict[Tuple[str, str], Tuple[Callable[..., Any], Callable[..., Any]]] = {}

    def devices(self) -> Tuple[str, ...]:
        return tuple(self._devices)

    def kinds(self) -> Tuple[str, ...]:
        return tuple(_ALL)

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> Outcome:
        if dtype == "float64":
            with double_precision():
                return self._run(operation, arrays, dtype, device, seed)
        return self._run(operation, arrays, dtype, device, seed)

    def _run(self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int) -> Outcome:
        import jax

        place = self._devices[device]
        try:
            with jax.default_device(place):
                inputs = [
                    jax.device_put(
                        np.asarray(array).astype(jax.dtypes.canonicalize_dtype(_kind(item.kind, dtype))), place
                    )
                    for item, array in zip(operation.inputs, arrays)
                ]
                outputs_of, compute = self._compiled(operation, dtype)
                weights = [
                    jax.device_put(cotangent(operation, item.shape, seed, number, dtype).astype(item.dtype), place)
                    for number, item in enumerate(
                        jax.eval_shape(outputs_of, *inputs) if operation.differentiated else ()
                    )
                    if _is_float(item)
                ]
                outputs, gradients = compute(inputs, weights)
                read = [_read(item) for item in outputs], [_read(item) for item in gradients]
        except Exception as error:  # of JAX's own, or XLA's
            return Outcome(error=describe(error), unsupported=is_missing_kernel(error))
        places = sorted({where(item) for item in list(outputs) + list(gradients)})
        return Outcome(tuple(read[0]), tuple(read[1]), ", ".join(places))

    def _compiled(self, operation: Operation, dtype: str) -> Tuple[Callable[..., Any], Callable[..., Any]]:
        """Return what computes an operation; another seed, and another device of the kind, compile nothing anew."""
        import jax

        key = (operation.name, dtype)
        if key not in self._functions:
            outputs_of, compute = _computation(jax, operation, dtype)
            if operation.operation not in NOT_COMPILED:
                compute = jax.jit(compute)
            self._functions[key] = (outputs_of, compute)
        return self._functions[key]


def _kind(kind: str, dtype: str) -> str:
    return dtype if kind == "float" else kind


def _computation(jax: Any, operation: Operation, dtype: str) -> Tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the function from inputs to outputs, and that from inputs and cotangents to outputs and gradients."""
    function, options = _ALL[operation.operation], dict(operation.options, dtype=dtype)
    wanted = operation.differentiated

    def outputs_of(*inputs: Any) -> Tuple[Any, ...]:
        found = function(options, *inputs)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    def compute(inputs: Sequence[Any], weights: Sequence[Any]) -> Tuple[Tuple[Any, ...], Tuple[Any, ...]]:
        if not wanted:
            return outputs_of(*inputs), ()

        def of_floats(*floats: Any) -> Tuple[List[Any], Tuple[Any, ...]]:
            given = list(inputs)
            for number, item in zip(wanted, floats):
                given[number] = item
            found = outputs_of(*given)
            return [item for item in found if _is_float(item)], found

        _, pull_back, outputs = jax.vjp(of_floats, *[inputs[number] for number in wanted], has_aux=True)
        return outputs, pull_back(list(weights))

    return outputs_of, compute


def _is_float(item: Any) -> bool:
    return str(item.dtype) in FLOATS


def _read(array: Any) -> np.ndarray:
    found: np.ndarray = np.asarray(array.astype("float32") if str(array.dtype) == "bfloat16" else array)
    return found
