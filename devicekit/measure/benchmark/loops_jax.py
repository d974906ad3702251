"""The loop with Keras 3 on JAX: Keras's own training step under `jax.jit`, as `fit` runs it."""

from typing import Any, Optional

from .step_loop import Job, Loop, compile_model, peak_of_process


class JaxLoop(Loop):
    """Training or inference. The state is donated to each step, so that it is updated where it lies."""

    def __init__(self, keras: Any, network: Any, job: Job) -> None:
        import jax

        if job.xla is False:
            raise NotImplementedError("JAX compiles every step by XLA: leave xla out")
        self._jax, self._training = jax, job.mode == "training"
        compile_model(keras, network, job)
        weights = [item.value for item in network.trainable_variables]
        others = [item.value for item in network.non_trainable_variables]
        if self._training:
            network.optimizer.build(network.trainable_variables)
            self._state: Any = (
                weights,
                others,
                [item.value for item in network.optimizer.variables],
                [item.value for item in network.metrics_variables],
            )
            self._run = jax.jit(network.train_step, donate_argnums=0)
        else:
            self._state = (weights, others)
            self._run = jax.jit(
                lambda state, data: network.stateless_call(state[0], state[1], data[0], training=False)[0]
            )
        self._batches = job.on_device(jax.device_put)

    def step(self) -> None:
        result = self._run(self._state, next(self._batches))
        if self._training:
            self._state = result = result[1]
        self._jax.block_until_ready(result)

    def flops_per_step(self) -> Optional[float]:
        # What XLA's own model of the program says; it counts the body of a loop once.
        program = self._run.lower(self._state, next(self._batches))
        if "stablehlo.while" in program.as_text():
            return None
        cost = program.cost_analysis()
        flops = (cost[0] if isinstance(cost, list) and cost else cost or {}).get("flops")
        return float(flops) if flops and flops > 0 else None

    def memory_peak(self) -> Optional[int]:
        leaf = self._jax.tree_util.tree_leaves(self._state)[0]
        (device,) = leaf.devices()
        if device.platform == "cpu":
            return peak_of_process()
        counted = device.memory_stats() or {}
        peak = counted.get("peak_bytes_in_use")
        return None if peak is None else int(peak)
