"""Runs the suite in TensorFlow 2, eagerly, and notices where each operation really ran."""

import re
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ....logs.errors import NO_KERNEL, classify_error
from .engine import Engine, Outcome
from .operation import Operation, cotangent

__all__ = ["TensorFlowEngine", "message", "no_kernel", "worst"]


def no_kernel(error: BaseException) -> bool:
    """Return whether an exception means that an operation does not exist on the device, rather than that it failed."""
    if type(error).__name__ == "NotFoundError":
        return True
    return classify_error(error, arguments_valid=True) in NO_KERNEL


def message(error: BaseException) -> str:
    """Return an error's first lines with the operation's name, without TensorFlow's lists of devices and kernels."""
    text = str(error)
    operation = re.search(r"\[Op:(\w+)\]", text)
    text = re.sub(r"\{\{function_node .*?\}\}\s*", "", text).partition("All available devices")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    short = " ".join(lines[:2])
    named = operation is not None and operation.group(1) not in short
    return ("%s: %s%s" % (type(error).__name__, operation.group(1) + ": " if operation and named else "", short))[:400]


class TensorFlowEngine(Engine):
    """TensorFlow 2 in eager mode.

    An operation is first run with soft placement off, which refuses what has no kernel on the device; then with soft
    placement on, as users run it, to see where it goes instead.
    """

    framework = "tensorflow"

    def __init__(self) -> None:
        import tensorflow as tf

        from .kinds_tensorflow import KINDS, REFERENCES

        self._tf: Any = tf
        self._kinds = KINDS
        self._references = REFERENCES

    def devices(self) -> Tuple[str, ...]:
        return tuple(
            "/device:" + device.name.rpartition("device:")[2] for device in self._tf.config.list_logical_devices()
        )

    def kinds(self) -> Tuple[str, ...]:
        return tuple(self._kinds)

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> Outcome:
        if device.rpartition("device:")[2].upper().startswith("CPU"):
            return self._on_cpu(operation, arrays, dtype, device, seed)
        before = self._tf.config.get_soft_device_placement()
        self._tf.config.set_soft_device_placement(False)
        try:
            return self._run(operation, arrays, dtype, device, seed)
        except Exception as error:
            problem, missing = message(error), no_kernel(error)
        finally:
            self._tf.config.set_soft_device_placement(before)
        if not missing:
            return Outcome(error=problem)
        return self._elsewhere(operation, arrays, dtype, device, seed, problem)

    def _on_cpu(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int
    ) -> Outcome:
        """Run on the CPU; what has no kernel even there is made of smaller operations, to compare devices with."""
        composed = dtype == "float64"
        while True:
            try:
                found = self._run(operation, arrays, dtype, device, seed, composed)
                if dtype == "bfloat16" and any(item.shape == (0,) for item in found.outputs):
                    # As TensorFlow 2.10 does with oneDNN on a CPU without AVX-512; in a graph it raises.
                    return Outcome(error="an empty tensor: no bfloat16 on this CPU", unsupported=True)
                return found
            except Exception as error:
                if composed or operation.operation not in self._references or not no_kernel(error):
                    return Outcome(error=message(error), unsupported=no_kernel(error))
                composed = True

    def _elsewhere(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int, problem: str
    ) -> Outcome:
        """Let TensorFlow choose, as it does by default, and see where it runs."""
        before = self._tf.config.get_soft_device_placement()
        self._tf.config.set_soft_device_placement(True)
        try:
            found = self._run(operation, arrays, dtype, device, seed)
        except Exception as error:
            return Outcome(error=message(error), unsupported=True)
        finally:
            self._tf.config.set_soft_device_placement(before)
        return Outcome(found.outputs, found.gradients, found.ran_on, problem, True)

    def _run(
        self,
        operation: Operation,
        arrays: Sequence[np.ndarray],
        dtype: str,
        device: str,
        seed: int,
        composed: bool = False,
    ) -> Outcome:
        tf = self._tf
        wanted = tf.as_dtype(dtype)
        function = self._kinds[operation.operation]
        if composed:
            function = self._references.get(operation.operation, function)
        options: Dict[str, Any] = dict(operation.options, dtype=wanted)
        places: List[str] = []
        with tf.device(device):
            inputs = [self._tensor(array, wanted) for array in arrays]
            sources = [inputs[index] for index in operation.differentiated]
            with tf.GradientTape() as tape:
                tape.watch(sources)
                found = function(tf, inputs, options)
            outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
            gradients: List[Any] = []
            if sources:
                targets = [(index, item) for index, item in enumerate(outputs) if item.dtype.is_floating]
                weights = [
                    self._tensor(cotangent(operation, tuple(item.shape), seed, index, dtype), item.dtype)
                    for index, item in targets
                ]
                gradients = tape.gradient([item for _, item in targets], sources, output_gradients=weights)
                gradients = [tf.convert_to_tensor(item) for item in gradients]
        for item in [*outputs, *gradients]:
            place = str(item.device)
            if place not in places:
                places.append(place)
        return Outcome(
            tuple(self._array(item) for item in outputs),
            tuple(self._array(item) for item in gradients),
            worst(places, device),
        )

    def _tensor(self, array: np.ndarray, dtype: Any) -> Any:
        if array.dtype.kind == "i":
            return self._tf.constant(array)
        return self._tf.constant(array.astype(dtype.as_numpy_dtype))

    def _array(self, tensor: Any) -> np.ndarray:
        found: np.ndarray = np.asarray(tensor.numpy())
        return found.astype(np.float32) if tensor.dtype == self._tf.bfloat16 else found


def worst(places: Sequence[str], device: str) -> str:
    """Return the place that is not the device, where there is one, else the device."""
    short = [place.rpartition("/device:")[2] for place in places]
    wanted = device.rpartition("device:")[2]
    others = [place for place in short if place.upper() != wanted.upper()]
    return "/device:" + (others or short or [wanted])[0]
