"""The batches that training takes, and the weights that its controls start from."""

from typing import Any, Iterator, List, Tuple

import numpy as np

from .nests import flatten, rebuild

Batches = List[Tuple[Any, Any]]


def batches_of(inputs: Any, targets: Any, steps: int, batch_size: int, generator: np.random.RandomState) -> Batches:
    """Return batches in a random order, going through the examples as often as it takes."""
    count = len(flatten(inputs)[0][1])
    size = min(batch_size, count)

    def endless() -> Iterator[int]:
        while True:
            for place in generator.permutation(count):
                yield int(place)

    stream = endless()
    made = []
    for _ in range(steps):
        chosen = [next(stream) for _ in range(size)]
        made.append(
            tuple(rebuild(values, [item[chosen] for _, item in flatten(values)]) for values in (inputs, targets))
        )
    return [(one, other) for one, other in made]


def cast(values: Any, double: bool) -> Any:
    """Return arrays with floats in float32, or in float64."""
    wanted = np.float64 if double else np.float32
    leaves = [item.astype(wanted) if item.dtype.kind == "f" else item for _, item in flatten(values)]
    return rebuild(values, leaves)


def moved(start: List[np.ndarray], seed: int) -> List[List[np.ndarray]]:
    """Return the weights that the controls start from: all moved by at most a unit in the last place, and one."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, 3])
    everywhere, single = [], [item.copy() for item in start]
    for item in start:
        if item.dtype.kind != "f":
            everywhere.append(item)
            continue
        target = np.where(generator.randint(0, 2, item.shape) > 0, np.inf, -np.inf).astype(item.dtype)
        everywhere.append(np.where(generator.randint(0, 2, item.shape) > 0, np.nextafter(item, target), item))
    floats = [place for place, item in enumerate(single) if item.dtype.kind == "f" and item.size]
    if floats:
        largest = max(floats, key=lambda place: single[place].size)
        values = single[largest].reshape(-1)
        values[values.size // 2] = np.nextafter(values[values.size // 2], np.array(np.inf, values.dtype))
        single[largest] = values.reshape(start[largest].shape)
    return [everywhere, single]


def moved_as(values: Any, size: float, seed: int) -> Any:
    """Return arrays with floats moved by a relative ``size`` at most, as a coarser arithmetic rounds factors."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, 5])

    def one(item: np.ndarray) -> np.ndarray:
        return (item * (1.0 + size * generator.uniform(-1.0, 1.0, item.shape))).astype(item.dtype)

    return rebuild(values, [one(item) if item.dtype.kind == "f" else item for _, item in flatten(values)])
