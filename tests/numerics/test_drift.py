"""A training that rounds in another way is different; one with a wrong gradient is wrong, from the first step on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.measure.numerics.drift import Curves, allowed_drift, judge_drift
from devicekit.measure.numerics.training import batches_of

STEPS = 12
POSITIVE = st.floats(1e-9, 1e-2)


def distance(one, other):
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


def train(optimizer="sgd", seed=0, order=1, move=None, fault=None, steps=STEPS, bits=np.float32):
    """Train two layers on data that the seed orders, and return the losses and the weights after each step."""
    rng = np.random.default_rng(7)
    inputs, targets = rng.standard_normal((64, 20)).astype(bits), rng.standard_normal((64, 3)).astype(bits)
    weights = [rng.standard_normal(shape).astype(bits) / 4 for shape in ((20, 32), (32, 3))]
    if move is not None:
        flat = weights[move % 2].reshape(-1)
        flat[move % flat.size] = np.nextafter(flat[move % flat.size], bits(9))
    first = [np.zeros_like(item) for item in weights]
    second = [np.zeros_like(item) for item in weights]
    ordering = np.random.default_rng(seed)
    losses, path = [], []
    for step in range(1, steps + 1):
        rows = ordering.permutation(64)[:32]
        x, y = inputs[rows][::order], targets[rows][::order]
        hidden = np.maximum(x @ weights[0], 0)
        wrong = hidden @ weights[1] - y
        losses.append(float(np.mean(wrong**2)))
        back = 2 * wrong / wrong.size
        gradients = [x.T @ ((back @ weights[1].T) * (hidden > 0)), hidden.T @ back]
        if fault:
            gradients = fault(gradients)
        for item, gradient, mean, square in zip(weights, gradients, first, second):
            if optimizer == "sgd":
                item -= bits(0.1) * gradient
            else:
                mean += (gradient - mean) * bits(0.1)
                square += (gradient**2 - square) * bits(0.001)
                item -= (
                    bits(0.001) * (mean / bits(1 - 0.9**step)) / (np.sqrt(square / bits(1 - 0.999**step)) + bits(1e-7))
                )
        path.append(np.concatenate([item.reshape(-1) for item in weights]))
    return losses, path


def curve(path, reference):
    return [distance(one, other) for one, other in zip(path, reference)]


def judged(optimizer, device="gpu:0", controls=(), **changes):
    loss, reference = train(optimizer)
    own, path = train(optimizer, **changes)
    rounding = [curve(train(optimizer, move=move)[1], reference) for move in (3, 100)]
    seed = curve(train(optimizer, seed=1)[1], reference)
    curves = Curves(own, loss, curve(path, reference), rounding, seed, parameters=reference[0].size)
    curves = curves._replace(coarse=[curve(train(optimizer, fault=item)[1], reference) for item in controls])
    return judge_drift(optimizer, device, "tensorflow", curves)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_another_order_of_sums_is_different_and_not_wrong(optimizer):
    found = judged(optimizer, order=-1)
    assert found.verdict == "agrees", found.detail
    assert found.first_step is None
    assert len(found.rounding) == STEPS
    assert any(found.weights)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_another_precision_of_the_reference_is_rounding(optimizer):
    assert judged(optimizer, bits=np.float64).verdict == "agrees"


FAULTS = {
    "sign": lambda gradients: [-gradients[0], gradients[1]],
    "transposed": lambda gradients: [gradients[0].reshape(32, 20).T.copy(), gradients[1]],
    "tail": lambda gradients: [np.where(np.arange(32) > 28, 0, gradients[0]), gradients[1]],
    "offset": lambda gradients: [gradients[0], gradients[1] + np.float32(1e-3)],
}


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("fault", sorted(FAULTS))
@pytest.mark.parametrize("device", ["cpu", "gpu:0"])
def test_a_wrong_gradient_shows_at_the_first_steps(optimizer, fault, device):
    found = judged(optimizer, device, fault=FAULTS[fault])
    # Adam's first step is as long as the learning rate whatever the gradient is: only its signs show.
    step = 2 if (optimizer, fault) == ("adam", "offset") else 1
    assert (found.verdict, found.first_step) == ("differs", step), found.detail
    assert "as rounding explains at step %d" % step in found.detail


def test_a_wrong_factor_shows_with_sgd_only():
    # Adam divides the factor out again: the training is right.
    factor = lambda gradients: [gradients[0] / 32, gradients[1]]  # noqa: E731
    assert judged("sgd", fault=factor).verdict == "differs"


def coarse(gradients, seed=0):
    rng = np.random.default_rng(seed)
    return [item * (1 + 3e-4 * rng.standard_normal(item.shape)).astype(np.float32) for item in gradients]


def coarse_terms(gradients, seed=0):
    """The errors of sums whose terms cancel: small gradients may turn their sign, which is all that Adam sees at first."""
    rng = np.random.default_rng(seed)
    return [
        item + np.float32(1e-3) * item.std() * rng.standard_normal(item.shape).astype(item.dtype) for item in gradients
    ]


def test_reduced_precision_is_different_on_a_gpu_and_wrong_on_the_cpu():
    found = judged("sgd", fault=coarse)
    assert found.verdict == "agrees"
    assert "tf32" in found.detail
    assert judged("sgd", "cpu", fault=coarse).verdict == "differs"


def test_controls_in_the_arithmetic_of_the_device_explain_what_adam_makes_of_it():
    assert judged("adam", fault=coarse_terms).verdict == "differs"
    controls = [lambda gradients, seed=seed: coarse_terms(gradients, seed) for seed in (1, 2)]
    found = judged("adam", fault=coarse_terms, controls=controls)
    assert found.verdict == "agrees"
    assert "tf32" in found.detail
    for fault in ("sign", "tail", "transposed"):
        assert judged("adam", fault=FAULTS[fault], controls=controls).verdict == "differs"


def test_a_loss_that_is_not_finite():
    found = judge_drift("adam", "gpu:0", "jax", Curves([1.0, float("nan")], [1.0, 0.9], [1e-7, 1e-7], [1e-8, 1e-8]))
    assert (found.verdict, found.first_step) == ("differs", 2)
    assert "nan" in found.detail
    both = judge_drift(
        "adam", "gpu:0", "jax", Curves([1.0, float("nan")], [1.0, float("nan")], [1e-7, 1e-7], [1e-8, 1e-8])
    )
    assert both.verdict == "agrees"


def test_another_first_loss_is_a_wrong_forward_pass():
    found = judge_drift("sgd", "gpu:0", "jax", Curves([1.3, 1.0], [1.0, 0.9], [1e-7, 1e-7], [1e-8, 1e-8]))
    assert (found.verdict, found.first_step) == ("differs", 1)
    assert "forward pass" in found.detail


def test_weights_that_are_not_finite_and_no_steps():
    found = judge_drift("sgd", "cpu", "jax", Curves([1.0], [1.0], [float("nan")], [1e-8]))
    assert (found.verdict, found.first_step) == ("differs", 1)
    assert judge_drift("sgd", "cpu", "jax", Curves([], [], [], [])).verdict == "failed"


@pytest.mark.parametrize(
    "weights, verdict",
    [
        (
            [0, 2e-9, 7e-9, 8e-9, 8.72e-6, 8.71e-6, 8.6e-6],
            "agrees",
        ),  # one activation at its kink, of a Conv3D with ReLU
        (
            [8.7e-6, 8.7e-6, 8.7e-6, 8.7e-6, 8.7e-6, 8.7e-6, 8.7e-6],
            "differs",
        ),  # at the first step nothing has been rounded yet
        ([0, 2e-9, 7e-9, 8e-9, 8.72e-6, 1.5e-5, 2.2e-5], "differs"),  # it goes on
        ([0, 2e-9, 7e-9, 8e-9, 8.72e-4, 8.72e-4, 8.72e-4], "differs"),  # as large as a gradient
        ([0, 2e-9, 7e-9, 8e-9, 8.72e-6, 8.71e-6, float("nan")], "differs"),
    ],
)
def test_one_small_leap_is_a_rounding_that_decided(weights, verdict):
    rounding, seed = [6.5e-8] * 7, [8e-3, 1.4e-2, 1.5e-2, 2.2e-2, 2.8e-2, 2.7e-2, 2.6e-2]
    found = judge_drift(
        "sgd", "cpu", "tensorflow", Curves([1.0] * 7, [1.0] * 7, weights, rounding, seed, parameters=16)
    )
    assert found.verdict == verdict
    assert ("one small leap" in found.detail) == (verdict == "agrees")


def test_a_later_wrong_step_is_found_before_chaos():
    found = judge_drift(
        "sgd", "cpu", "jax", Curves([1.0] * 4, [1.0] * 4, [1e-7, 1e-7, 1e-3, 1e-2], [[1e-9] * 4, [2e-9] * 4])
    )
    assert (found.verdict, found.first_step) == ("differs", 3)
    assert found.rounding == (2e-9,) * 4


@given(st.lists(POSITIVE, min_size=1, max_size=20), st.integers(1, 10**6), POSITIVE)
def test_rounding_explains_itself_and_more_with_more_parameters(rounding, parameters, seed):
    steps = len(rounding)
    allowed = allowed_drift(rounding, steps=steps)
    assert all(limit > own for limit, own in zip(allowed, rounding))
    assert all(a >= b for a, b in zip(allowed_drift(rounding, steps=steps, parameters=parameters), allowed))
    bounded = allowed_drift(rounding, [seed] * steps, steps=steps, parameters=parameters)
    assert all(limit > 0 for limit in bounded)
    assert list(allowed) == sorted(allowed)


def test_chaos_explains_everything_up_to_another_seed():
    rounding = [10.0 ** (step - 8) for step in range(8)]
    allowed = allowed_drift(rounding, [0.05] * 8, steps=8, parameters=10000)
    assert allowed[0] < 1e-3
    assert max(allowed) == pytest.approx(0.075)


@pytest.mark.parametrize("count", [8, 20])
def test_another_seed_has_other_examples_and_not_the_same_in_another_order(count):
    examples = np.arange(count)
    generator = np.random.RandomState(1)
    one, other = (batches_of(examples, examples, 4, 8, generator, others) for others in (False, True))
    assert all(len(batch) == 8 for batch, _ in one + other)
    assert any(sorted(a) != sorted(b) for (a, _), (b, _) in zip(one, other))
    everything = [sorted(batch) == list(range(count)) for batch, _ in one]
    assert all(everything) == (count == 8)
