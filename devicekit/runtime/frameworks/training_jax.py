"""Training with Keras 3 on JAX: on one device, on several (`keras.distribution.DataParallel`), and in several processes."""

from time import perf_counter
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

import jax

from .training import TimedStep, Training, counted, shapes_of


class _TimedIterator:
    """An iterator over batches that counts the seconds until each is there."""

    __slots__ = ("_batches", "last", "seconds")

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self.seconds = 0.0
        self.last: Any = None

    def __iter__(self) -> "_TimedIterator":
        return self

    def __next__(self) -> Any:
        started = perf_counter()
        self.last = next(self._batches)
        self.seconds += perf_counter() - started
        return self.last


class JaxTraining(Training):
    """Keras calls ``train_function(state, iterator)``, which takes the batches from a Python iterator."""

    framework = "jax"

    def synchronize(self, outputs: Any = None) -> None:
        if outputs is not None:
            jax.block_until_ready(outputs)

    def run(self, function: Any, arguments: Tuple[Any, ...]) -> Tuple[Any, Optional[float]]:
        timed = _TimedIterator(arguments[1])
        return function(arguments[0], timed), timed.seconds

    def timed(self, function: Any, arguments: Tuple[Any, ...], batches: int) -> TimedStep:
        jax.block_until_ready(arguments[0])
        timed = _TimedIterator(arguments[1])
        started = perf_counter()
        outputs = function(arguments[0], timed)
        returned = perf_counter()
        self.synchronize(outputs)
        ended = perf_counter()
        compute_s = max(0.0, ended - started - timed.seconds)
        return TimedStep(outputs, timed.seconds, compute_s, shapes_of(timed.last), ended - returned)

    def programs(self, function: Any) -> Optional[int]:
        counts = [item._cache_size() for item in counted(function, "_cache_size")]
        return max(counts) if counts else None

    def memory(self) -> Dict[str, Optional[int]]:
        device = jax.local_devices()[0]
        if device.platform == "cpu":
            return {}
        stats = device.memory_stats() or {}
        return {"peak_bytes": stats.get("peak_bytes_in_use"), "limit_bytes": stats.get("bytes_limit")}


def join(coordinator: str, size: int, index: int) -> None:
    """Let this process join the others; it waits for them.

    Raises
    ------
    RuntimeError
        If JAX has started its devices already.
    """
    if _joined():
        return
    jax.distributed.initialize(coordinator_address=coordinator, num_processes=size, process_id=index)


def _joined() -> bool:
    asked = getattr(jax.distributed, "is_initialized", None)  # from 0.4.36 on
    if asked is not None:
        return bool(asked())
    from jax._src import distributed

    return distributed.global_state.client is not None


def data_parallel(numbers: Sequence[int], processes: int = 1) -> Any:
    """Put `DataParallel` over these accelerators in effect, and return it; no numbers: over what JAX takes by itself.

    With several processes each brings its own part of the data, in the same number of batches; Keras shards datasets of
    `tf.data` alone by itself, and refuses all others, which is therefore off.
    """
    import keras

    devices = None
    if processes == 1:
        listed = jax.local_devices()
        if numbers:
            wanted = [device for device in listed if _number(device) in numbers]
            listed = wanted or listed[: len(numbers)]  # the user's own list of visible devices names other ones
        devices = ["%s:%d" % (device.platform, device.id) for device in listed]
    options = {} if processes == 1 else {"auto_shard_dataset": False}
    distribution = _make(keras.distribution.DataParallel, devices, options)
    keras.distribution.set_distribution(distribution)
    return distribution


def _make(kind: Any, devices: Any, options: Any) -> Any:
    try:
        return kind(devices=devices, **options)
    except TypeError:  # before Keras 3.5 there is no auto_shard_dataset
        return kind(devices=devices)


def _number(device: Any) -> int:
    number = getattr(device, "local_hardware_id", None)
    return int(device.id) if number is None else int(number)
