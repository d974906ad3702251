"""Finding the first NaN of a training with Keras on TensorFlow: Keras 3 and tf.keras 2."""

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np
import tensorflow as tf

from .replay import (
    NOTHING,
    Held,
    Replay,
    State,
    Trace,
    Traced,
    Usual,
    all_variables,
    as_float,
    layers_of,
    optimizers_of,
    put,
)
from .training import counted, leaves, steps_per_execution
from .training_tensorflow import TensorFlowTraining


class TensorFlowReplay(Replay):
    """Keras calls ``train_function(iterator)``, which takes the batch inside of the compiled function.

    So that function's Python is compiled once more, with the batch as another result: the same graph, without a copy.
    """

    framework = "tensorflow"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._compiled: Tuple[Any, Any] = (None, None)
        self._spec: Any = None
        self._others: List[Any] = []

    def prepare(self, function: Any, arguments: Tuple[Any, ...]) -> None:
        # Compiling makes the variables of the optimizer and of metrics, with what they begin with.
        optimizer: Any = getattr(self.model, "optimizer", None)
        own_step = type(self.model).train_step.__module__.startswith("keras.")
        self._function_with_batch(function, arguments)
        if own_step and self.model.built and not getattr(optimizer, "built", True):  # run_eagerly
            optimizer.build(self.model.trainable_variables)

    def _function_with_batch(self, function: Any, arguments: Tuple[Any, ...]) -> Any:
        several = steps_per_execution(self.model) > 1
        if several or not isinstance(arguments[0], (tf.data.Iterator, tf.distribute.DistributedIterator)):
            return None
        if self._compiled[0] is not function:
            self._compiled = function, self._with_batch(function, arguments[0])
        return self._compiled[1]

    def call(self, function: Any, arguments: Tuple[Any, ...], copy: bool) -> Tuple[Any, Optional[List[Any]]]:
        compiled = self._function_with_batch(function, arguments)
        if compiled is None:
            return function(*arguments), None
        iterator = arguments[0]
        self._spec = iterator.element_spec
        try:
            outputs, batch = compiled(iterator)
        except tf.errors.OutOfRangeError:
            raise StopIteration from None
        return outputs, [batch]

    def _with_batch(self, function: Any, iterator: Any) -> Optional[Callable[[Any], Tuple[Any, Any]]]:
        inner = next(iter(counted(function, "python_function")), None)
        python = function if inner is None else inner.python_function

        def step(iterator: Any) -> Tuple[Any, Any]:
            held = Held(iterator)
            outputs = python(held)
            if inner is not None and hasattr(outputs, "get_value"):  # Keras 3 returns an Optional
                outputs = outputs.get_value()
            return outputs, held.batches[0]

        if inner is None:  # run_eagerly
            return step
        compiled: Callable[[Any], Tuple[Any, Any]] = tf.function(step)
        try:
            concrete = compiled.get_concrete_function(iterator)  # type: ignore[attr-defined]
        except Exception:  # a training function of another form; where the model itself is wrong, Keras's own says so
            return None
        known = {id(_value(item)) for item in all_variables(self.model).values()}
        if isinstance(iterator, tf.data.Iterator):  # not of parts of variables that a strategy distributes
            self._others = [item for item in concrete.graph.variables if id(item) not in known]
        return compiled

    def _variables(self) -> Dict[str, Any]:
        """Return the model's variables, and the program's own that a step uses. As metrics, these may have any values."""
        found = all_variables(self.model)
        found.update(("metrics/%d/%s" % (number, item.name), item) for number, item in enumerate(self._others))
        return found

    def variable_count(self) -> int:
        return super().variable_count() + len(self._others)

    def state(self, outputs: Any = None, copy: bool = True) -> State:
        found = self._variables()
        values = tuple((np.array if copy else np.asarray)(_value(item).numpy()) for item in found.values())
        return State(tuple(found), values, tuple(found.values()))

    def load(self, state: State) -> None:
        held = {id(variable): value for variable, value in zip(state.variables, state.values)}
        for variable in self._variables().values():
            if id(variable) in held:
                variable.assign(held[id(variable)])

    def step(self, function: Any, batch: Any) -> Any:
        if any(map(_is_split, leaves(batch))) or not tf.is_tensor(leaves(batch)[0]):
            return function(iter([batch]))
        return self._compiled[1](TensorFlowTraining().holding(batch, self._spec))[0]

    def trace(self, batch: Any, on_cpu: bool = False, double: bool = False, usual: Usual = NOTHING) -> Traced:
        replicas = max([len(leaf.values) for leaf in leaves(batch) if _is_split(leaf)], default=1)
        largest = 0.0
        for number in range(replicas):
            part = self.map(lambda leaf: leaf.values[number] if _is_split(leaf) else leaf, batch)  # noqa: B023
            traced = super().trace(part, on_cpu, double, usual)
            largest = max(largest, traced.largest)
            if traced.first is not None:
                break
        return traced._replace(largest=largest)

    def device(self) -> str:
        names = {_value(item).device for item in self.model.trainable_variables}
        return "cpu" if all("CPU" in name.upper() for name in names) else sorted(names)[-1]

    def to_array(self, tensor: Any) -> Optional[np.ndarray]:
        if _is_split(tensor):
            parts = [self.to_array(part) for part in tensor.values]
            return None if any(part is None for part in parts) else np.concatenate(parts)
        if isinstance(tensor, tf.IndexedSlices):
            tensor = tensor.values
        is_dense = isinstance(tensor, tf.Tensor) and hasattr(tensor, "numpy") and tensor.dtype.is_floating
        return as_float(tensor.numpy()) if is_dense else None

    def widened(self, tensor: Any) -> Any:
        return tf.cast(tensor, tf.float64) if isinstance(tensor, tf.Tensor) and tensor.dtype.is_floating else tensor

    def probe(self, tensor: Any, backward: Callable[[Any], None]) -> Any:
        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def identity(value: Any) -> Any:
            def gradient(upstream: Any) -> Any:
                backward(upstream)
                return upstream

            return tf.identity(value), gradient

        return identity(tensor)

    def map(self, function: Callable[[Any], Any], values: Any) -> Any:
        return tf.nest.map_structure(function, values)

    def double(self, scopes: contextlib.ExitStack) -> None:
        made: Dict[int, Any] = {}

        def wide(variable: Any) -> Any:
            if not isinstance(variable, tf.Variable) or not variable.dtype.is_floating:
                return variable
            if id(variable) not in made:
                made[id(variable)] = other = tf.Variable(tf.cast(variable, tf.float64), trainable=variable.trainable)
                other._unique_id = variable._unique_id  # by which an optimizer knows it
            return made[id(variable)]

        items = [layer for _, layer in layers_of(self.model)] + optimizers_of(self.model)
        if not hasattr(self.model, "_compute_dtype_object"):  # Keras 3
            super().double(scopes)
            items = [self.model, *all_variables(self.model).values()]
        for item in items:
            if hasattr(item, "_compute_dtype_object"):
                put(scopes, item, "_dtype_policy", tf.keras.mixed_precision.Policy("float64"))
                put(scopes, item, "_compute_dtype_object", tf.float64)
            for name, value in list(vars(item).items()):
                if isinstance(value, tf.Variable):
                    put(scopes, item, name, wide(value))
                elif isinstance(value, list) and any(isinstance(part, tf.Variable) for part in value):
                    put(scopes, item, name, list(map(wide, value)))

    @contextlib.contextmanager
    def computing(self, trace: Trace, on_cpu: bool, double: bool) -> Iterator[None]:
        from tensorflow.python.framework import op_callbacks

        def seen(op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> None:
            if graph is None:
                trace.operation(_text(op_type), list(inputs), list(outputs))

        with contextlib.ExitStack() as scopes:
            if on_cpu:
                scopes.enter_context(tf.device("CPU:0"))
            if double:
                self.double(scopes)
            op_callbacks.add_op_callback(seen)
            scopes.callback(op_callbacks.remove_op_callback, seen)
            yield


def _is_split(value: Any) -> bool:
    """Return whether each replica of a distribution strategy has a value of its own."""
    return type(value).__name__ == "PerReplica"


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _value(variable: Any) -> Any:
    """Return the framework's own of a variable of Keras 3."""
    return getattr(variable, "_value", variable) if type(variable).__module__.startswith("keras.") else variable
