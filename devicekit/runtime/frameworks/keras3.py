"""What Keras 3 on JAX and on PyTorch have in common: precision and seed, which Keras itself keeps."""

import importlib.util
import random

from ...selection.selection import Change
from .interface import Adapter


class Keras3Adapter(Adapter):
    """A framework that Keras 3 computes with, and that also does without Keras."""

    def set_precision(self, precision: str) -> Change:
        import keras

        before = str(getattr(keras.mixed_precision.dtype_policy(), "name", ""))
        keras.mixed_precision.set_dtype_policy(precision)
        return Change(self.name, "keras dtype policy", precision, before)

    def set_seed(self, seed: int) -> Change:
        if importlib.util.find_spec("keras") is not None:
            import keras

            keras.utils.set_random_seed(seed)
        else:
            import numpy

            random.seed(seed)
            numpy.random.seed(seed)
            self.seed_alone(seed)
        return Change(self.name, "random seed", str(seed))

    def seed_alone(self, seed: int) -> None:
        """Seed the framework's own generators, where Keras is not there to do it."""
