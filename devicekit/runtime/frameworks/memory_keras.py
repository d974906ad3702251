"""One training step of a Keras 3 model as a function without state, and what its arguments are like: nothing is computed."""

import contextlib
import functools
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .keras_model import keras_of
from .live_memory import Spec, Step, xla_operations, xla_parts


def step_of(model: Any, batch_size: int, optimizer: Any) -> Step:
    """Return the training step of a Keras 3 model for a batch.

    Raises
    ------
    ValueError
        If the model does not say what its inputs are.
    """
    import keras

    tensors = getattr(model, "inputs", None)
    if not tensors:
        raise ValueError(
            "the model does not say what its inputs are: make it with keras.Input, or as a functional model"
        )
    if not model.trainable_variables:
        raise ValueError("the model has no trainable variables: nothing is trained")
    structure = getattr(getattr(model, "_functional", model), "_inputs_struct", tensors[0])
    inputs, outputs = [_spec(item, batch_size) for item in tensors], [_spec(item, batch_size) for item in model.outputs]
    losses = _losses(keras, model, len(outputs))
    built = _built(keras, model, optimizer)

    def loss(trainable: Any, others: Any, values: Sequence[Any], targets: Sequence[Any]) -> Tuple[Any, Any]:
        data = keras.tree.pack_sequence_as(structure, list(values))
        if trainable is None:
            result, added = model(data, training=True), model.losses
        else:
            result, others, added = model.stateless_call(trainable, others, data, training=True, return_losses=True)
        found = [
            keras.ops.mean(keras.ops.cast(function(target, item), "float32"))
            for function, target, item in zip(losses, targets, keras.tree.flatten(result))
        ]
        return sum([*found[1:], *added], found[0]), (result, others)

    return Step(
        loss,
        built.stateless_apply,
        [_spec(item) for item in model.trainable_variables],
        [_spec(item) for item in model.non_trainable_variables],
        [_spec(item) for item in built.variables],
        inputs,
        [_target(*pair) for pair in zip(losses, outputs)],
        [getattr(item, "value", item) for item in model.trainable_variables],
    )


def _spec(value: Any, batch_size: int = 0) -> Spec:
    import keras

    shape = tuple(value.shape)
    if batch_size and shape and shape[0] is None:
        shape = (batch_size, *shape[1:])
    dtype = str(keras.backend.standardize_dtype(value.dtype))
    if None in shape:
        open_shape = tuple(value.shape)
        raise ValueError(
            "an input or output has the shape %s, which is open: give keras.Input the sizes that the data has"
            % (open_shape,)
        )
    if dtype == "string":
        raise ValueError("an input of texts: only what is computed of numbers takes memory of the device")
    return Spec(shape, dtype)


def _losses(keras: Any, model: Any, count: int) -> List[Any]:
    """Return the loss of each output; where the model was not compiled one that needs as much memory as most."""
    given = getattr(model, "loss", None)
    if isinstance(given, dict):
        given = [given.get(name) for name in model.output_names]
    given = list(given) if isinstance(given, (list, tuple)) else [given] * count
    found = [keras.losses.get(item) or keras.losses.MeanSquaredError() for item in given]
    return found if len(found) == count else found[:1] * count


def _target(loss: Any, output: Spec) -> Spec:
    name = str(getattr(loss, "name", "") or getattr(loss, "__name__", ""))
    return Spec(output.shape[:-1], "int32") if "sparse" in name else output


def _built(keras: Any, model: Any, optimizer: Any) -> Any:
    """Return a copy of an optimizer whose variables have shapes and no values."""
    copy = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    from keras.src.backend.common import global_state

    waiting = list(global_state.get_global_attribute("uninitialized_variables", []) or [])
    try:
        with keras.StatelessScope(initialize_variables=False), _numbers_wait(keras.Variable):
            copy.build(model.trainable_variables)
    finally:  # or the next scope would give them values
        global_state.set_global_attribute("uninitialized_variables", waiting)
    return copy


@contextlib.contextmanager
def _numbers_wait(kind: Any) -> Iterator[None]:
    """Let a variable that an optimizer makes of a number (Nadam, Adafactor) wait for its value, as others do."""
    own = "__init__" in vars(kind)
    original = kind.__init__

    @functools.wraps(original)
    def waiting(self: Any, initializer: Any, shape: Any = None, *args: Any, **options: Any) -> None:
        if isinstance(initializer, (int, float)):
            value, shape = initializer, ()
            original(self, lambda shape, dtype: value, shape, *args, **options)
        else:
            original(self, initializer, shape, *args, **options)

    kind.__init__ = waiting
    try:
        yield
    finally:
        if own:
            kind.__init__ = original
        else:
            del kind.__init__


@contextlib.contextmanager
def with_precision(model: Any, precision: Any) -> Iterator[None]:
    """Let the layers of a model compute with another dtype policy."""
    import keras

    if precision is None:
        yield
        return
    policy = keras.dtype_policies.get(precision)
    if policy.variable_dtype != "float32":
        raise ValueError("precision=%r is for the variables too: make the model with this policy" % precision)
    before = [(layer, layer._dtype_policy) for layer in model._flatten_layers() if hasattr(layer, "_dtype_policy")]
    try:
        for layer, _ in before:
            layer._dtype_policy = policy
        yield
    finally:
        for layer, old in before:
            layer._dtype_policy = old


def layer_outputs(model: Any, batch_size: int) -> Dict[str, Tuple[Any, int]]:
    """Return the layers of a model with the elements of their outputs, by name."""
    found: Dict[str, Tuple[Any, int]] = {}
    for layer in model.layers:
        count = 0
        for node in getattr(layer, "_inbound_nodes", ()):
            for tensor in node.output_tensors:
                size = 1
                for length in tensor.shape:
                    size *= batch_size if length is None else length
                count += size
        found[layer.name] = (layer, count)
    return found


def optimizer_of(value: Any) -> Any:
    """Return an optimizer of Keras 3, from its name or configuration too.

    Raises
    ------
    ValueError
        If it is not one.
    """
    import keras

    return keras.optimizers.get(value)


def can_recompute() -> bool:
    """Whether ``keras.RematScope`` (Keras 3.9) works here.

    In Keras 3.15, `fit` below it fails on TensorFlow (``recompute_grad`` takes no keywords in a graph), and on JAX for a model
    with dropout or batch normalization.
    """
    import keras

    return hasattr(keras, "RematScope") and keras.backend.backend() == "torch"


def peak_parts(model: Any, batch_size: int, optimizer: Any, precision: Any) -> Tuple[Step, Dict[str, int]]:
    """Return the step of a Keras 3 model, and what it needs next to its arguments at the peak, by part.

    Raises
    ------
    ValueError
        If it does not say what its inputs are, or is not compiled with XLA on TensorFlow.
    """
    keras = keras_of(model)
    if keras.framework == "tensorflow" and not model.jit_compile:
        refusing = [layer.name for layer in model._flatten_layers() if not getattr(layer, "supports_jit", True)]
        raise ValueError(
            "without XLA, TensorFlow does not fix what runs when, and so what is in memory at once: "
            + (
                "Keras turns it off for a model with %s" % ", ".join(refusing[:3])
                if refusing
                else "call model.compile(..., jit_compile=True), which is the default where there is a GPU"
            )
        )
    if keras.framework != "torch" and "16" in (precision or str(model.compute_dtype)):
        raise ValueError(
            "%s: what half precision needs is not known before a GPU runs it, as XLA computes it in float32 on the processor"
            % keras.framework
        )
    step = step_of(model, batch_size, optimizer)
    with with_precision(model, precision):
        if keras.framework == "jax":
            return step, _parts_jax(step)
        if keras.framework == "torch":
            from .memory_torch import parts

            return step, parts(step)
        return step, _parts_tensorflow(step)


def _parts_jax(step: Step) -> Dict[str, int]:
    """Return what a step on JAX needs next to its arguments: compiled for the processor, from shapes alone."""
    import jax

    def run(state: Any, inputs: Any, targets: Any) -> Any:
        trainable, others, optimizer = state
        gradient = jax.value_and_grad(step.loss, has_aux=True)
        (loss, (_, others)), gradients = gradient(trainable, others, inputs, targets)
        return loss, (*step.update(optimizer, gradients, trainable), others)

    def abstract(specs: List[Spec]) -> List[Any]:
        return [jax.ShapeDtypeStruct(*spec) for spec in specs]

    state = (abstract(step.trainable), abstract(step.others), abstract(step.optimizer))
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        lowered = jax.jit(run, donate_argnums=0).lower(state, abstract(step.inputs), abstract(step.targets))
        return xla_parts(xla_operations(lowered.compile().as_text()))


def _parts_tensorflow(step: Step) -> Dict[str, int]:
    """Return what a step on TensorFlow needs next to its arguments: compiled with XLA, for the processor, from shapes.

    The optimizer's work in place of its state needs no more.
    """
    import tensorflow as tf

    variables = step.variables

    def run(*values: Any) -> Any:
        inputs, targets = values[: len(step.inputs)], values[len(step.inputs) :]
        with tf.GradientTape() as tape:
            loss, _ = step.loss(None, None, inputs, targets)
        gradients = tape.gradient(loss, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [loss, *(value - tf.convert_to_tensor(change) for value, change in zip(variables, gradients))]

    function = tf.function(run, jit_compile=True, autograph=False)
    specs = [tf.TensorSpec(*spec) for spec in step.inputs + step.targets]
    text = function.experimental_get_compiler_ir(*specs)(stage="optimized_hlo", platform_name="CPU")
    return xla_parts(xla_operations(text))
