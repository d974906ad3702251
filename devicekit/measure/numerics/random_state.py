"""Keeps the random numbers of the user's process: what is drawn inside is drawn again afterwards."""

import contextlib
import sys
from typing import Iterator

from .functions.caller import python_seeds

__all__ = ["kept_random"]


@contextlib.contextmanager
def kept_random(framework: str) -> Iterator[None]:
    """Put back the state of Python's, NumPy's, Keras's and the framework's generators, also after an exception.

    Making a layer draws from them, for its initial weights.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(python_seeds(0))
        if framework == "tensorflow":
            from .functions.callers_tensorflow import seeded

            stack.enter_context(seeded(0))
        elif framework == "torch":
            from .functions.callers_torch import seeded as torch_seeded

            stack.enter_context(torch_seeded(0))
        for name in ("keras.backend", "tf_keras.backend", "tf_keras.src.backend", "keras.src.backend"):
            # Keras 2 draws the seeds of layers from a generator of its own, once it was seeded; private.
            holder = getattr(sys.modules.get(name), "_SEED_GENERATOR", None)
            generator = getattr(holder, "generator", None)
            if generator is not None:
                stack.callback(generator.setstate, generator.getstate())
        yield
