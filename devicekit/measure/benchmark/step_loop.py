"""What a loop is given, and what it must do: the same for every framework."""

import sys
from types import MappingProxyType
from typing import Any, Callable, Iterator, Mapping, Optional, Tuple

from ...records import Record
from .data import Batch


class Job(Record):
    """What is to be measured in a worker.

    Attributes
    ----------
    mode : {"training", "inference"}
    xla : bool or None
        None: as Keras would do by itself.
    batch_size : int
    parts : tuple
        What a batch consists of; see `devicekit.measure.benchmark.data`.
    loss : {"logits", "probabilities", "squares", "own"}
        Cross-entropy of logits or of probabilities with labels; the mean squared error; what the model was compiled with.
    optimizer : {"momentum", "adam"}
    input_pipeline : bool
    seed : int
    settings : dict
        What `devicekit.measure.benchmark.settings` applies; a loop reads ``prefetch`` and ``torch_compile``.
    """

    mode: str
    xla: Optional[bool]
    batch_size: int
    parts: Tuple[Any, Any]
    loss: str
    optimizer: str
    input_pipeline: bool = False
    seed: int = 0
    settings: Mapping[str, Any] = MappingProxyType({})

    def batch(self) -> Batch:
        """Return the batch that every step takes, in the CPU's memory."""
        from .data import one_batch

        return one_batch(self.parts, self.batch_size, self.seed)

    def on_device(self, put: Callable[[Any], Any]) -> Iterator[Any]:
        """Yield batches on the framework's default device: one and the same, or one after the other.

        Parameters
        ----------
        put : callable
            From an array to the framework's on that device. It may be called in another thread, which has no scope of the
            framework's, but the same default device.
        """
        from .data import ahead, batches, mapped

        def move(batch: Batch) -> Any:
            return tuple(mapped(put, side) for side in batch)

        if self.input_pipeline:
            prefetch = self.settings.get("prefetch")
            source = batches(self.parts, self.batch_size, self.seed)
            yield from ahead(source, 2 if prefetch is None else int(prefetch), move)
        one = move(self.batch())
        while True:
            yield one


class Loop:
    """One step after the other.

    Attributes
    ----------
    xla : bool or None
        Whether the steps are compiled by XLA; None if the framework has no choice.
    """

    xla: Optional[bool] = None

    def step(self) -> None:
        """Take one step and wait until the device has done it."""
        raise NotImplementedError

    def flops_per_step(self) -> Optional[float]:
        """Return the floating-point operations of a step, as the framework counts them; None if it can't. After a step."""
        return None

    def memory_peak(self) -> Optional[int]:
        """Return the most bytes that were in use on the device, None if the framework does not say."""
        raise NotImplementedError


def optimizer_for(keras: Any, job: Job) -> Any:
    """Return the job's optimizer."""
    return keras.optimizers.Adam(1e-3) if job.optimizer == "adam" else keras.optimizers.SGD(0.01, momentum=0.9)


def compile_model(keras: Any, network: Any, job: Job, **options: Any) -> None:
    """Give the model its optimizer and its loss. Keras adds loss scaling under ``mixed_float16``."""
    if job.loss == "own":
        return
    if job.loss == "squares":
        loss = "mse"
    else:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=job.loss == "logits")
    network.compile(optimizer=optimizer_for(keras, job), loss=loss, **options)


def peak_of_process() -> Optional[int]:
    """Return the largest amount of physical memory that this process has held, in bytes; None if that is not told.

    All of it counts: the interpreter and the framework's libraries (some 300 to 700 MB), the model, and the data. On
    Linux it is ``VmHWM`` of ``/proc/self/status``: what ``getrusage`` says there begins with the peak of the process that
    started this one.
    """
    if sys.platform == "win32":
        return None
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/self/status", encoding="ascii", errors="replace") as stream:
                lines = [line.split() for line in stream if line.startswith("VmHWM:")]
        except OSError:  # some sandboxes have no /proc
            return None
        return int(lines[0][1]) * 1024 if lines else None
    import resource

    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


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
