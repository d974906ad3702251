"""Calls plain functions in TensorFlow 2."""

import contextlib
from typing import Any, Callable, Iterator, List, Optional, Tuple

import numpy as np

from ..nests import flatten
from .caller import (
    FLOATS,
    Arguments,
    Called,
    Caller,
    Result,
    Value,
    describe,
    float_value,
    labelled,
    place,
    python_seeds,
    weights_of_sum,
)

__all__ = ["TensorFlowCaller", "seeded"]


class TensorFlowCaller(Caller):
    """TensorFlow 2 in eager mode; what the function has compiled with ``tf.function`` stays compiled."""

    framework = "tensorflow"

    def read(self, leaf: Any) -> Optional[Value]:
        import tensorflow as tf

        if not isinstance(leaf, (tf.Tensor, tf.Variable)):
            return super().read(leaf)
        array, dtype, _ = _read(tf, leaf)
        return float_value(array, dtype)

    def call(
        self, function: Callable[..., Any], arguments: Arguments, device: str, seed: int, gradients: bool
    ) -> Called:
        import tensorflow as tf

        with place(device, "tensorflow"), python_seeds(seed), seeded(seed):
            leaves = [
                leaf if value is None else _tensor(tf, value.array, value.dtype)
                for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
            ]
            tape: Any
            with tf.GradientTape() if gradients else contextlib.nullcontext() as tape:
                for number in arguments.differentiable if gradients else ():
                    tape.watch(leaves[number])
                found = flatten(function(*arguments.with_leaves(leaves)))
            outputs = tuple(Result(labelled("output", path), *_read(tf, leaf)) for path, leaf in found)
            if not gradients or not arguments.differentiable:
                return Called(outputs)
            try:
                return Called(outputs, self._gradients(tf, tape, [leaf for _, leaf in found], arguments, leaves, seed))
            except Exception as error:  # an operation may have none
                return Called(outputs, gradient_error=describe(error))

    def draws(self, function: Callable[..., Any], arguments: Arguments) -> bool:
        import tensorflow as tf

        with place("cpu", "tensorflow"), python_seeds(0), seeded(0):
            leaves = [
                leaf if value is None else _tensor(tf, value.array, value.dtype)
                for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
            ]

            def of_nothing() -> List[Any]:
                return [leaf for _, leaf in flatten(function(*arguments.with_leaves(leaves)))]

            try:
                graph = tf.function(of_nothing).get_concrete_function().graph.as_graph_def()
            except Exception:  # it needs values while it runs: then it cannot be read, and is taken for deterministic
                return False
        nodes = list(graph.node) + [node for item in graph.library.function for node in item.node_def]
        return any("Random" in node.op or "Multinomial" in node.op for node in nodes)

    def settings(self, device: str) -> Tuple[str, ...]:
        import tensorflow as tf

        if device.startswith("cpu"):
            return ()
        on = tf.config.experimental.tensor_float_32_execution_enabled
        return ("TensorFlow's TF32 execution is on, as it is by default",) if on() else ()

    def _gradients(
        self, tf: Any, tape: Any, outputs: List[Any], arguments: Arguments, leaves: List[Any], seed: int
    ) -> Tuple[Result, ...]:
        outputs = [item for item in outputs if isinstance(item, tf.Tensor) and item.dtype.name in FLOATS]
        if not outputs:
            return ()
        weights = [
            _tensor(tf, weights_of_sum(tuple(item.shape), seed, number, item.dtype.name), item.dtype.name)
            for number, item in enumerate(outputs)
        ]
        found = tape.gradient(
            outputs, [leaves[number] for number in arguments.differentiable], output_gradients=weights
        )
        return tuple(
            Result(labelled("gradient of input", arguments.labels[number]), *_read(tf, tf.convert_to_tensor(item)))
            for number, item in zip(arguments.differentiable, found)
            if item is not None
        )


def _tensor(tf: Any, array: np.ndarray, dtype: str) -> Any:
    # The identity is computed where the scope is; a constant may lie in host memory.
    kind = tf.as_dtype(dtype)
    return tf.identity(tf.constant(array.astype(kind.as_numpy_dtype), kind))


def _read(tf: Any, leaf: Any) -> Tuple[np.ndarray, str, str]:
    if not isinstance(leaf, (tf.Tensor, tf.Variable)):
        if isinstance(leaf, tf.IndexedSlices):
            return _read(tf, tf.convert_to_tensor(leaf))
        array = np.asarray(getattr(leaf, "numpy", lambda: leaf)())
        return array, str(array.dtype), ""
    name = leaf.dtype.name
    values = np.asarray(leaf.numpy())
    where = str(leaf.device).rpartition("/device:")[2]
    return values.astype(np.float32) if name == "bfloat16" else values, name, where


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed TensorFlow's operations, and put the seed and what was drawn from it back afterwards."""
    import tensorflow as tf
    from tensorflow.python.eager import context as eager  # private: there is no public way to ask for the seed

    context = eager.context()
    names = [name for name in ("_seed", "_rng") if hasattr(context, name)]
    before = {name: getattr(context, name) for name in names}
    drawn = context._rng.getstate() if before.get("_rng") is not None else None
    tf.random.set_seed(seed)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        if drawn is not None:
            context._rng.setstate(drawn)
