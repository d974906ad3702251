"""TensorFlow tensors: eager ones, and those of TensorFlow 1.15's graphs."""

import contextlib
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import tensorflow as tf

from .tensors import Function, Pulled, Tensors, Weigh, restored


class TensorFlowTensors(Tensors):
    """TensorFlow 2 in eager mode."""

    framework = "tensorflow"

    def devices(self) -> Tuple[str, ...]:
        return tuple("/device:" + device.name.rpartition("device:")[2] for device in tf.config.list_logical_devices())

    def on(self, device: str) -> ContextManager[Any]:
        scope: ContextManager[Any] = tf.device(device)
        return scope

    def device_of(self, tensor: Any) -> str:
        return str(tensor.device).rpartition("/")[2].replace("device:", "")

    def is_tensor(self, value: Any) -> bool:
        return bool(tf.is_tensor(value)) or isinstance(value, tf.Variable)

    def is_composite(self, value: Any) -> bool:
        return not isinstance(value, (tf.Tensor, tf.Variable))

    def is_traced(self, value: Any) -> bool:
        return bool(tf.is_tensor(value)) and isinstance(value, tf.Tensor) and not hasattr(value, "numpy")

    def dtype(self, name: str) -> Any:
        return tf.as_dtype(name)

    def dtype_of(self, tensor: Any) -> str:
        return str(tensor.dtype.name)

    def to_tensor(self, array: np.ndarray, dtype: str, copy: bool = True) -> Any:
        kind = tf.as_dtype(dtype)
        constant = tf.constant(array.astype(kind.as_numpy_dtype), kind)
        # A constant may be in host memory; the identity is computed on the device.
        return tf.identity(constant) if copy else constant

    def to_numpy(self, value: Any) -> np.ndarray:
        if isinstance(value, tf.IndexedSlices):
            value = tf.convert_to_tensor(value)
        array: np.ndarray = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        return array.astype(np.float32) if getattr(value, "dtype", None) == tf.bfloat16 else array

    def variable_to_numpy(self, variable: Any) -> np.ndarray:
        array: np.ndarray = np.asarray(variable.numpy())
        return array

    def __init__(self) -> None:
        self._programs: Dict[Any, Any] = {}

    def vjp(
        self,
        function: Function,
        values: List[Any],
        others: List[Any],
        weigh: Weigh,
        key: Any = None,
        loops: bool = False,
    ) -> Pulled:
        if loops and key is not None and tf.executing_eagerly():
            try:
                return self._compiled(function, values, others, weigh, key)
            except (tf.errors.OpError, TypeError, ValueError, NotImplementedError, AttributeError):
                pass  # it looks at values, or has an operation without a gradient in graphs
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(values)
            outputs, more = function(values, others)
        gradients: List[Any] = [None] * len(values)
        try:
            pairs = [(o, w) for o, w in zip(outputs, self._weights(outputs, weigh) if values else ()) if w is not None]
            if pairs:
                gradients = tape.gradient([o for o, _ in pairs], values, output_gradients=[w for _, w in pairs])
                gradients = [None if item is None else tf.convert_to_tensor(item) for item in gradients]
        except Exception as error:  # an operation may have none
            return Pulled(outputs, more, [None] * len(values), error)
        return Pulled(outputs, more, gradients)

    def _compiled(self, function: Function, values: List[Any], others: List[Any], weigh: Weigh, key: Any) -> Pulled:
        """Run a function and its gradient as graphs, which are kept for calls that are alike."""
        if key not in self._programs:

            def pulled(given: List[Any], rest: List[Any], weights: List[Any]) -> Any:
                with tf.GradientTape(watch_accessed_variables=False) as tape:
                    tape.watch(given)
                    outputs, _ = function(given, rest)
                chosen = [item for item in outputs if self._has_gradient(item)]
                return tape.gradient(chosen, given, weights, unconnected_gradients="none")

            self._programs[key] = tf.function(function), tf.function(pulled)
        forward, backward = self._programs[key]
        outputs, more = forward(values, others)
        weights = self._weights(outputs, weigh) if values else []
        gradients: List[Any] = [None] * len(values)
        if any(item is not None for item in weights):
            pairs = [(o, w) for o, w in zip(outputs, weights) if self._has_gradient(o)]
            gradients = backward(values, others, [tf.zeros_like(o) if w is None else w for o, w in pairs])
            gradients = [None if item is None else tf.convert_to_tensor(item) for item in gradients]
        return Pulled(list(outputs), list(more), list(gradients))

    def forget(self) -> None:
        self._programs.clear()

    @contextlib.contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        from tensorflow.python.eager import context as eager  # private: there is no public way to ask for the seed

        context = eager.context()
        with restored(context, ("_seed", "_rng")) as before:
            generator = before.get("_rng")
            drawn = generator.getstate() if generator is not None else None
            tf.random.set_seed(seed)
            try:
                yield
            finally:
                if generator is not None:
                    generator.setstate(drawn)

    def draws_random_numbers(self, function: Callable[..., Any], tensors: Sequence[Any]) -> bool:
        try:
            graph = tf.function(lambda: function(*tensors)).get_concrete_function().graph.as_graph_def()
        except Exception:  # it needs values while it runs, so it cannot be read, and counts as deterministic
            return False
        nodes = list(graph.node) + [node for item in graph.library.function for node in item.node_def]
        return any("Random" in node.op or "Multinomial" in node.op for node in nodes)

    def precision_settings(self) -> Tuple[str, ...]:
        on = tf.config.experimental.tensor_float_32_execution_enabled
        return ("TensorFlow's TF32 execution is on, as it is by default",) if on() else ()


class GraphTensors(TensorFlowTensors):
    """TensorFlow 1.15: tensors of graphs, which have values in a session only."""

    framework = "tensorflow1"

    def devices(self) -> Tuple[str, ...]:
        logical = tf.compat.v1.config.experimental.list_logical_devices()
        names = ["/device:" + device.name.rpartition("device:")[2] for device in logical]
        return tuple(name for name in names if "XLA_" not in name)

    def dtype_of(self, tensor: Any) -> str:
        return str(tensor.dtype.base_dtype.name)

    def to_tensor(self, array: np.ndarray, dtype: str, copy: bool = True) -> Any:
        value = tf.constant(array, tf.float32 if dtype == "bfloat16" else dtype)
        return tf.cast(value, dtype) if dtype == "bfloat16" else value

    def to_numpy(self, value: Any) -> np.ndarray:
        """Return what a session returned; bfloat16 as float32."""
        array: np.ndarray = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        return np.asarray(array, dtype=np.float32) if array.dtype.name == "bfloat16" else array

    @contextlib.contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield  # a graph has a seed of its own

    def draws_random_numbers(self, function: Callable[..., Any], tensors: Sequence[Any]) -> bool:
        return False

    def precision_settings(self) -> Tuple[str, ...]:
        return ()
