"""The loop with Keras 3 on PyTorch: Keras's own training step, as `fit` runs it."""

from typing import Any, Optional

from .step_loop import Job, Loop, compile_model, peak_of_process


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
