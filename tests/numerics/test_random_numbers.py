"""Random numbers of layers: which are taken for random, and which are not, whatever the seed."""

import numpy as np
import pytest

from devicekit.measure.numerics.layers.compare_call import random_numbers
from devicekit.measure.numerics.layers.recorded_calls import Call
from devicekit.measure.numerics.layers.runner import LayerOutcome
from devicekit.measure.numerics.random_state import why_not_random
from devicekit.measure.numerics.result import Difference
from devicekit.runtime.frameworks.tensors import HostArray

SHAPE = (512, 16)


@pytest.mark.parametrize("seed", range(50))
def test_what_a_generator_draws_is_random(seed):
    rng = np.random.RandomState(seed)
    for rate in (0.05, 0.5, 0.95):
        kept = (rng.uniform(size=SHAPE) >= rate) / (1 - rate)
        assert why_not_random((kept - 1) / np.sqrt(rate / (1 - rate)), SHAPE[1]) == ""
    assert why_not_random(rng.standard_normal(SHAPE), SHAPE[1]) == ""
    assert why_not_random(rng.standard_normal(4096)) == ""


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda z: np.full_like(z, 0.3), "its random numbers have the mean 0.3, and not 0"),
        (lambda z: z * 0.7, "its random numbers have the variance less 1 -0.5"),
        (
            lambda z: np.concatenate([z[:256], z[:256]]),
            "its random numbers have the correlation 4096 apart 0.97, and not 0",
        ),
        (lambda z: np.repeat(z[:1] - z[:1].mean(), 512, axis=0), ""),
        (lambda z: np.repeat(z[:, ::2], 2, axis=1), "its random numbers have the correlation 1 apart 0.5, and not 0"),
        (lambda z: np.where(z > 3, np.nan, z), "its random numbers have the mean nan"),
    ],
    ids=["constant", "range", "halves", "one for all examples", "pairs", "NaN"],
)
def test_what_is_wrong_with_random_numbers_is_said(change, text):
    z = np.random.RandomState(0).standard_normal(SHAPE)
    found = why_not_random(change(z), SHAPE[1])
    assert found
    assert found.startswith(text)


class Dropout:
    def __init__(self, rate):
        self.rate = rate


Dropout.__module__ = "keras.src.layers.regularization.dropout"


class Drawing:
    """A device that draws from NumPy's generator, and what it forgets to do."""

    def __init__(self, scaled=True, raises=False):
        self.scaled, self.raises, self.seen = scaled, raises, []

    def weights(self, layer):
        return []

    def for_device(self, layer, work, device):
        return layer

    def run(self, layer, work, device, double, cotangent, head):
        if self.raises:
            raise ValueError("no kernel")
        x = work.args[0].array
        self.seen.append((x.shape, work.kwargs))
        kept = np.random.RandomState(1).uniform(size=x.shape) >= layer.rate
        return LayerOutcome([HostArray(x * kept / ((1 - layer.rate) if self.scaled else 1), "float32")], [], [], device)


def looked_at(runner, rate):
    call = Call(
        Dropout(rate), "block/dropout", 1, (HostArray(np.zeros((8, 12), np.float32), "float32"),), {"training": False}
    )
    labels = Difference("layer", "block/dropout", "Dropout", "", "gpu:0", "jax", "differs")
    return random_numbers(runner, call, labels)


def test_a_dropout_that_does_not_scale_is_wrong():
    right = Drawing()
    assert looked_at(right, 0.3) == []
    assert right.seen == [((683, 12), {"training": True})]
    (found,) = looked_at(Drawing(scaled=False), 0.3)
    assert (found.name, found.what, found.verdict) == ("block/dropout", "output in training", "differs")
    assert "its random numbers have the mean -0.4" in found.detail


def test_nothing_is_said_of_a_dropout_that_hardly_drops_or_cannot_run():
    for runner, rate in ((Drawing(scaled=False), 0.01), (Drawing(scaled=False), 0.0), (Drawing(raises=True), 0.3)):
        assert looked_at(runner, rate) == []
