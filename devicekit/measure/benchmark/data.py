"""Random data of the shape that a model takes: the same for the same seed, on every device and framework."""

from functools import partial
from typing import Any, Callable, Iterator, List, Tuple

import numpy as np

from ...records import Record
from .models import Model

#: Inputs and targets, each an array, or a list of arrays where a model has several.
Batch = Tuple[Any, Any]

#: The most memory that the raw examples of an input pipeline take.
_POOL_BYTES = 64 << 20


class Part(Record):
    """One array of a batch.

    Attributes
    ----------
    shape : tuple of int
        Of one example.
    kind : {"image", "real", "integer"}
    below : int
        Integers are drawn from 0 to one below this.
    """

    shape: Tuple[int, ...]
    kind: str = "real"
    below: int = 2

    def draw(self, generator: Any, count: int, raw: bool) -> Any:
        """Return this many examples, as the model takes them, or raw as they would lie in memory before."""
        shape = (count,) + self.shape
        if self.kind == "integer":
            return generator.randint(0, self.below, size=shape).astype("int32")
        if self.kind == "image" and raw:
            return generator.randint(0, 256, size=shape).astype("uint8")
        return generator.uniform(-1.0, 1.0, size=shape).astype("float32")

    @property
    def size_bytes(self) -> int:
        """What one raw example takes."""
        return int(np.prod(self.shape, dtype="int64")) * (1 if self.kind == "image" else 4)


def parts_of(model: Model) -> Tuple[Part, Part]:
    """Return what one batch of a model that devicekit knows consists of."""
    labels = Part((), "integer", model.classes)
    if model.vocabulary:
        return Part(model.shape, "integer", model.vocabulary), labels
    return Part(model.shape, "image" if model.unit == "images" else "real"), labels


def mapped(function: Callable[..., Any], *values: Any) -> Any:
    """Call a function with an array, or with each of several."""
    if isinstance(values[0], list):
        return [function(*items) for items in zip(*values)]
    return function(*values)


def one_batch(parts: Tuple[Any, Any], batch_size: int, seed: int) -> Batch:
    """Return one batch as the model takes it."""
    generator = np.random.RandomState(seed)
    inputs, targets = (mapped(lambda part: part.draw(generator, batch_size, False), side) for side in parts)
    return inputs, targets


def pool(parts: Tuple[Any, Any], batch_size: int, seed: int) -> Batch:
    """Return raw examples to draw batches from."""
    generator = np.random.RandomState(seed)
    every: List[Part] = [part for side in parts for part in (side if isinstance(side, list) else [side])]
    size = max(1, sum(part.size_bytes for part in every))
    count = max(batch_size, min(4096, _POOL_BYTES // size))
    inputs, targets = (mapped(lambda part: part.draw(generator, count, True), side) for side in parts)
    return inputs, targets


def prepare(values: Any, flip: Any) -> Any:
    """Return raw examples as the model takes them: images mirrored where ``flip`` says so, and scaled to -1 to 1."""
    if values.dtype != "uint8":
        return values
    scaled = values.astype("float32") / 127.5 - 1.0
    scaled[flip] = scaled[flip, :, ::-1]
    return scaled


def batches(parts: Tuple[Any, Any], batch_size: int, seed: int) -> Iterator[Batch]:
    """Yield batch after batch without end, each drawn at random from the pool and prepared by NumPy."""
    inputs, targets = pool(parts, batch_size, seed)
    count = len(_first(targets))
    generator = np.random.RandomState(seed + 1)
    while True:
        chosen = generator.randint(0, count, size=batch_size)
        flip = generator.uniform(size=batch_size) < 0.5
        yield mapped(partial(_taken, chosen, flip), inputs), mapped(partial(_taken, chosen, flip), targets)


def _taken(chosen: Any, flip: Any, values: Any) -> Any:
    return prepare(values[chosen], flip)


def ahead(source: Iterator[Batch], count: int, move: Callable[[Batch], Any]) -> Iterator[Any]:
    """Yield what ``move`` makes of each batch, up to ``count`` of them prepared ahead by a thread."""
    if count <= 0:
        for batch in source:
            yield move(batch)
        return
    import queue
    import threading

    ready: "queue.Queue[Any]" = queue.Queue(count)
    failed: List[BaseException] = []

    def work() -> None:
        try:
            for batch in source:
                ready.put(move(batch))
        except BaseException as error:  # belongs to the thread that waits
            failed.append(error)
            ready.put(None)

    threading.Thread(target=work, name="devicekit-batches", daemon=True).start()
    while True:
        batch = ready.get()
        if failed:
            raise failed[0]
        yield batch


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) else values
