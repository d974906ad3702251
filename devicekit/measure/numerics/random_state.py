"""Random numbers of the user's process: what is drawn inside is drawn again afterwards."""

import contextlib
import random
import sys
from typing import Iterator

import numpy as np

from ...runtime.frameworks import tensors_of


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
        yield
