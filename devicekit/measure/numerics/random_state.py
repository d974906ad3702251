"""Random numbers of the user's process: what is drawn inside is drawn again afterwards."""

import contextlib
import random
import sys
from typing import Any, Dict, Iterator, List

import numpy as np

from ...runtime.frameworks import tensors_of
from ...runtime.frameworks.keras_model import layers_of

#: How many standard deviations the mean of random numbers is never off by.
_SURE = 8.0


@contextlib.contextmanager
def python_seeds(seed: int) -> Iterator[None]:
    """Seed Python's and NumPy's generators, and restore them at the end."""
    states = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


@contextlib.contextmanager
def kept_random(framework: str) -> Iterator[None]:
    """Restore the state of Python's, NumPy's, Keras's and the framework's generators, also after an exception.

    Making a layer draws from them, for its initial weights.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(python_seeds(0))
        stack.enter_context(tensors_of(framework).seeded(0))
        for name in ("keras.backend", "tf_keras.backend", "tf_keras.src.backend", "keras.src.backend"):
            # Keras 2 draws the seeds of layers from a generator of its own, once it was seeded; private.
            holder = getattr(sys.modules.get(name), "_SEED_GENERATOR", None)
            generator = getattr(holder, "generator", None)
            if generator is not None:
                stack.callback(generator.setstate, generator.getstate())
        unnamed = _global_generator()
        if unnamed is not None:
            stack.callback(unnamed.state.assign, np.array(tensors_of(framework).variable_to_numpy(unnamed.state)))
        yield


@contextlib.contextmanager
def other_draws(framework: str) -> Iterator[None]:
    """Let Keras 3's random operations take other seeds than those they are given (private, as of 3.0)."""
    home: Any = sys.modules.get("keras.src.backend.%s.random" % framework)
    draw = getattr(home, "draw_seed", None)
    if draw is None:
        yield
        return
    home.draw_seed = lambda seed: draw(seed) + 1
    try:
        yield
    finally:
        home.draw_seed = draw


def generator_states(model: Any) -> List[Any]:
    """Return the variables that hold the state of the random generators which a model draws from, each once.

    They are not among ``model.get_weights()``. Keras 3 has a ``SeedGenerator`` for each layer, and one for what names none;
    layers of Keras 2 hold their ``tf.random.Generator`` in an object of their own, private.
    """
    held = [value for layer in layers_of(model) for value in list(vars(layer).values())]
    found: Dict[int, Any] = {}
    for value in [*held, _global_generator()]:
        for generator in value if isinstance(value, (list, tuple)) else (value,):
            generator = getattr(generator, "_generator", generator)
            state: Any = getattr(generator, "state", None)
            if type(generator).__name__ in ("SeedGenerator", "Generator") and hasattr(state, "assign"):
                found.setdefault(id(state), state)
    return list(found.values())


def why_not_random(values: np.ndarray, row: int = 1) -> str:
    """Return what is wrong with random numbers that should have the mean 0 and the variance 1; "" if nothing is.

    ``row``: after how many numbers those of the next example begin.
    """
    values = values.astype(np.float64).reshape(-1)
    figures = [("mean", values), ("variance less 1", values**2 - 1)]
    figures += [("correlation %d apart" % lag, values[lag:] * values[:-lag]) for lag in (1, row, values.size // 2)]
    for what, found in figures:
        if not abs(found.mean()) <= _SURE * found.std() / found.size**0.5:  # also if one is not a number
            return "its random numbers have the %s %.2g, and not 0" % (what, found.mean())
    return ""


def _global_generator() -> Any:
    """Return Keras 3's generator for random operations that name none (private, as of 3.0); None if there is none yet."""
    state = sys.modules.get("keras.src.backend.common.global_state")
    return state.get_global_attribute("global_seed_generator") if state is not None else None
