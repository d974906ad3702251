"""The memory of a training step on TensorFlow, which Keras 3 compiles with XLA: compiled for the processor, from shapes."""

from typing import Any, Dict

import tensorflow as tf

from .live_memory import Step, xla_operations, xla_parts


def parts(step: Step) -> Dict[str, int]:
    """Return what a step needs next to its arguments; the optimizer's work in place of its state needs no more."""
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
