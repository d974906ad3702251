"""Training with Keras 3 on JAX."""

from time import perf_counter
from typing import Any, Dict, Iterator, Optional, Tuple

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
        self.synchronize(outputs)
        return TimedStep(
            outputs, timed.seconds, max(0.0, perf_counter() - started - timed.seconds), shapes_of(timed.last)
        )

    def programs(self, function: Any) -> Optional[int]:
        counts = [item._cache_size() for item in counted(function, "_cache_size")]
        return max(counts) if counts else None

    def memory(self) -> Dict[str, Optional[int]]:
        device = jax.local_devices()[0]
        if device.platform == "cpu":
            return {}
        stats = device.memory_stats() or {}
        return {"peak_bytes": stats.get("peak_bytes_in_use"), "limit_bytes": stats.get("bytes_limit")}
