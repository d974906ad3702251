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
