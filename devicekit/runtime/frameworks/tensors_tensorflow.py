"""TensorFlow tensors: eager ones, and those of TensorFlow 1.15's graphs."""

import contextlib
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import tensorflow as tf

from ...errors import DevicekitError
from .tensors import Function, Pulled, Tensors, Weigh, restored


class TensorFlowTensors(Tensors):
    """TensorFlow 2 in eager mode."""

    framework = "tensorflow"
    tree = tf.nest

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

    def on_cpu(self, function: Callable[[List[Any]], List[Any]], values: List[Any]) -> List[Any]:
        _check_not_in_xla()
        results: List[Any] = []

        def compute(*given: Any) -> Any:
            with tf.device(self.cpu):
                parts = [tf.identity(item) for item in given]  # one tensor may be there twice
            # The gradient is computed by a tape of its own, so that its operations are made in the scope of the CPU, too:
            # TensorFlow places those of an outer tape where the outer tape is asked for them.
            with tf.device(self.cpu), self._recording(parts) as gradient:
                results[:] = function(tf.nest.pack_sequence_as(values, parts, expand_composites=True))
                flat = [tf.identity(item) for item in tf.nest.flatten(results, expand_composites=True)]

            def backward(*up: Any, **options: Any) -> Any:
                variables = list(options.get("variables") or ())
                pairs = [(o, u) for o, u in zip(flat, up) if o.dtype.is_floating and u is not None]
                places = [place for place, part in enumerate(parts) if part.dtype.is_floating]
                with tf.device(self.cpu):
                    sources = [parts[place] for place in places] + variables
                    found = gradient([o for o, _ in pairs], sources, [tf.identity(u) for _, u in pairs])
                inner: List[Any] = [None] * len(parts)
                for place, item in zip(places, found):
                    inner[place] = item
                return (inner, found[len(places) :]) if variables else inner

            return flat, backward

        flat = tf.custom_gradient(compute)(*tf.nest.flatten(values, expand_composites=True))
        found: List[Any] = tf.nest.pack_sequence_as(results, flat, expand_composites=True)
        return found

    #: In TensorFlow's own words, for `on_cpu`.
    cpu = "/device:CPU:0"

    @contextlib.contextmanager
    def _recording(self, parts: Sequence[Any]) -> Iterator[Callable[..., Any]]:
        """Record what is computed from tensors and from variables; yields what makes gradients."""
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([part for part in parts if part.dtype.is_floating])
            yield tape.gradient

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
    def _recording(self, parts: Sequence[Any]) -> Iterator[Callable[..., Any]]:
        yield tf.gradients  # a tape does not know the loops of these graphs

    @contextlib.contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield  # a graph has a seed of its own

    def draws_random_numbers(self, function: Callable[..., Any], tensors: Sequence[Any]) -> bool:
        return False

    def precision_settings(self) -> Tuple[str, ...]:
        return ()


def _check_not_in_xla() -> None:
    """See that what is being traced is not compiled by XLA for an accelerator."""
    from tensorflow.python.ops import control_flow_util  # private, and the same in 1.15 and 2.21

    if tf.executing_eagerly() or not control_flow_util.GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph()):
        return
    if any(device.device_type != "CPU" for device in tf.config.experimental.list_physical_devices()):
        raise DevicekitError(
            "XLA compiles a program for one device, so that on_cpu cannot leave a part of it to the CPU: compile the model "
            "with jit_compile=False, and leave jit_compile out of tf.function"
        )
