"""The memory of a training step on JAX: compiled for the processor, from shapes alone."""

from typing import Any, Dict, List

import jax

from .live_memory import Spec, Step, xla_operations, xla_parts


def parts(step: Step) -> Dict[str, int]:
    """Return what a step needs next to its arguments."""

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
