"""The loops with Keras 3 on JAX and on PyTorch: Keras's own training step, as `fit` runs it."""

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


class TorchLoop(Loop):
    """Training or inference, eagerly, or by ``torch.compile`` where the settings say so."""

    def __init__(self, keras: Any, network: Any, job: Job) -> None:
        import torch

        if job.xla is not None:
            raise NotImplementedError("PyTorch does not compile by XLA: leave xla out")
        self._torch = torch
        compile_model(keras, network, job)
        if job.mode == "training":

            def step(batch: Any) -> Any:
                return network.train_step(batch)

            network.train()
        else:

            def step(batch: Any) -> Any:
                with torch.no_grad():
                    return network(batch[0], training=False)

            network.eval()
        self._eager = step
        self._run = torch.compile(step) if job.settings.get("torch_compile") else step
        self._batches = job.on_device(keras.ops.convert_to_tensor)
        self._layers = list(network.layers)
        self._kind = str(network.weights[0].value.device.type)

    def step(self) -> None:
        self._run(next(self._batches))
        wait = getattr(getattr(self._torch, self._kind, None), "synchronize", None)
        if wait is not None:
            wait()

    def flops_per_step(self) -> Optional[float]:
        try:
            from torch.utils.flop_counter import FlopCounterMode  # since 2.1
        except ImportError:
            return None
        if self._kind != "cpu" and any(type(layer).__name__ in ("LSTM", "GRU") for layer in self._layers):
            return None  # cuDNN's recurrent layers are not counted
        with FlopCounterMode(display=False) as counter:
            self._eager(next(self._batches))
        return float(counter.get_total_flops()) or None

    def memory_peak(self) -> Optional[int]:
        if self._kind == "cpu":
            return peak_of_process()
        count = getattr(getattr(self._torch, self._kind, None), "max_memory_allocated", None)
        return None if count is None else int(count())
