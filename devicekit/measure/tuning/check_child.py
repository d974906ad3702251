"""A short training whose course can be compared with that in another process: the part of a worker that checks a setting.

What is compared are the model's outputs, the losses, and the distances of all weights after each step. Weights are not
sent: a linear sketch of a thousand sums of randomly signed weights keeps distances to a few per cent (Charikar, Chen and
Farach-Colton 2004, "Finding frequent items in data streams"; Johnson and Lindenstrauss 1984).
"""

from typing import Any, Dict, List

import numpy as np

from ..benchmark.child import prepare
from ..benchmark.data import one_batch

#: Steps of the training.
STEPS = 8

#: Sums of a sketch, and elements of the outputs that are sent.
_WIDTH = 1024
_MOST_OUTPUTS = 16384

#: Plain gradient descent with momentum: an adaptive method divides by the gradients' size, so that what is rounding in a
#: small gradient would show as large as any other.
_RATE = 0.01
_MOMENTUM = 0.9


def train(keras: Any, framework: str, task: Dict[str, Any], *, controls: bool) -> Dict[str, Any]:
    """Train the task's model again from the same weights, and return how that went.

    Parameters
    ----------
    controls : bool
        Whether to train also with every weight moved by a rounding, and with another batch: what results may differ by.
    """
    found: Dict[str, Any] = {"plain": _course(keras, framework, task, 0, 0)}
    if controls:
        found["rounding"] = [_course(keras, framework, task, 0, number) for number in (1, 2)]
        found["seed"] = _course(keras, framework, task, 1, 0)
    return found


def _course(keras: Any, framework: str, task: Dict[str, Any], batch: int, rounding: int) -> Dict[str, Any]:
    from ...runtime.frameworks import adapter

    adapter(framework).set_seed(int(task["seed"]))
    network, job, _ = prepare(keras, task)
    inputs, targets = one_batch(job.parts, job.batch_size, int(task["seed"]) + batch)
    _compile(keras, network, job)
    if rounding:
        network.set_weights(_moved(network.get_weights(), rounding))
    outputs = _first(network.predict_on_batch(inputs))
    sketch = _Sketch(network.get_weights())
    losses: List[float] = []
    sketches = [sketch.of(network.get_weights())]
    for _ in range(STEPS):
        losses.append(float(np.asarray(_first(network.train_on_batch(inputs, targets))).reshape(-1)[0]))
        network.reset_metrics()
        sketches.append(sketch.of(network.get_weights()))
    return {
        "outputs": np.asarray(outputs, dtype="float64").reshape(-1)[:_MOST_OUTPUTS].tolist(),
        "losses": losses,
        "sketches": sketches,
        "parameters": int(network.count_params()),
        "layers": len(network.layers),
    }


def _compile(keras: Any, network: Any, job: Any) -> None:
    """Compile as `devicekit.measure.benchmark.step_loop.compile_model` does, with another optimizer."""
    import inspect

    options: Dict[str, Any] = {}
    if job.xla is not None and "jit_compile" in inspect.signature(network.compile).parameters:
        options["jit_compile"] = job.xla
    elif job.settings.get("torch_compile"):
        options["jit_compile"] = True
    loss: Any = "mse"
    if job.loss == "own":
        loss = network.loss
    elif job.loss != "squares":
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=job.loss == "logits")
    network.compile(optimizer=keras.optimizers.SGD(_RATE, momentum=_MOMENTUM), loss=loss, **options)


def _moved(weights: List[Any], number: int) -> List[Any]:
    """Return weights each of which is moved by half a unit in the last place on average, up or down."""
    generator = np.random.RandomState(number)
    return [
        np.nextafter(item, np.where(generator.uniform(size=item.shape) < 0.5, -np.inf, np.inf).astype(item.dtype))
        if item.dtype.kind == "f"
        else item
        for item in map(np.asarray, weights)
    ]


class _Sketch:
    """The same random signs and places for the same shapes, in every process."""

    def __init__(self, weights: List[Any]) -> None:
        generator = np.random.RandomState(0)
        self._places = []
        for item in weights:
            size = int(np.asarray(item).size)
            places = generator.randint(0, _WIDTH, size=size).astype("int32")
            self._places.append((places, generator.randint(0, 2, size=size).astype("int8") * 2 - 1))

    def of(self, weights: List[Any]) -> List[float]:
        """Return the sketch; what is not finite stays so."""
        total = np.zeros(_WIDTH)
        for item, (places, signs) in zip(weights, self._places):
            values = np.asarray(item).astype("float64").reshape(-1) * signs
            total += np.bincount(places, weights=values, minlength=_WIDTH)
        return [float(value) for value in total]


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, (list, tuple)) else values
