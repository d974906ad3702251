"""Whether a setting leaves the results as they were, judged from two short trainings in NumPy."""

import numpy as np
import pytest

from devicekit.measure.tuning.check_child import STEPS, _moved, _Sketch
from devicekit.measure.tuning.fidelity import judge_results

WIDTH, OUTPUTS, EXAMPLES = 96, 10, 32
HALF = np.float16


def rounded(values, kind):
    """Round as an arithmetic does."""
    if kind == "bfloat16":
        bits = np.asarray(values, "float32").view("uint32")
        bits = bits + 0x7FFF + ((bits >> 16) & 1)
        return (bits & np.uint32(0xFFFF0000)).view("float32")
    if kind == "float16":
        return np.asarray(values, "float32").astype(HALF).astype("float32")
    return np.asarray(values, "float32")


def course(kind=None, batch=0, moved=0, gradient=1.0, scale=1.0, nan_at=None, order=False, frozen=0):
    """Train two layers by hand; ``scale`` stands for a loss scale, without which small gradients underflow."""
    generator = np.random.RandomState(0)
    weights = [generator.normal(0, 0.1, (64, WIDTH)), generator.normal(0, 0.1, (WIDTH, OUTPUTS))]
    weights = [item.astype("float32") for item in weights]
    if moved:
        weights = [np.asarray(item) for item in _moved(weights, moved)]
    data = np.random.RandomState(100 + batch)
    inputs = data.normal(size=(EXAMPLES, 64)).astype("float32")
    targets = data.normal(size=(EXAMPLES, OUTPUTS)).astype("float32")
    sketch = _Sketch(weights)
    sketches, losses = [sketch.of(weights)], []

    def product(left, right):
        left, right = rounded(left, kind), rounded(right, kind)
        if order:  # the same sum in another order
            left, right = left[:, ::-1], right[::-1]
        return rounded(np.matmul(left, right, dtype="float32"), kind)

    outputs = None
    for step in range(STEPS):
        hidden = np.maximum(product(inputs, weights[0]), 0)
        found = product(hidden, weights[1])
        outputs = found if outputs is None else outputs
        losses.append(float(np.mean((found - targets) ** 2)) if step != nan_at else float("nan"))
        error = rounded(2 * (found - targets) / found.size * scale, kind)
        second = product(hidden.T, error)
        first = product(inputs.T, product(error, weights[1].T) * (hidden > 0))
        if step >= frozen:
            weights = [
                (item - 0.05 * gradient * change / scale).astype("float32")
                for item, change in zip(weights, (first, second))
            ]
        sketches.append(sketch.of(weights))
    return {
        "outputs": outputs.astype("float64").reshape(-1).tolist(),
        "losses": losses,
        "sketches": sketches,
        "parameters": sum(item.size for item in weights),
        "layers": 3,
    }


@pytest.fixture(scope="module")
def reference():
    return {
        "plain": course(),
        "rounding": [course(moved=1), course(moved=2)],
        "seed": course(batch=1),
    }


def judged(reference, arithmetic=None, **changes):
    return judge_results(
        {"plain": course(**changes)}, reference, arithmetic=arithmetic, device="cpu", framework="tensorflow"
    )


def test_the_same_results_are_the_same(reference):
    assert judged(reference) == (True, "results are the same to the last bit")


def test_another_order_of_sums_is_allowed(reference):
    verdict = judged(reference, order=True)
    assert verdict.agrees, verdict
    assert "training drifts" in verdict.detail


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_a_coarser_arithmetic_only_where_it_is_declared(reference, kind):
    declared = judged(reference, kind, kind=kind, scale=1024.0)
    assert declared.agrees, declared
    assert "%s explains" % kind in declared.detail
    assert not judged(reference, None, kind=kind, scale=1024.0).agrees


def test_float16_without_a_loss_scale_is_found(reference):
    # What underflows: gradients of which float16 has no number.
    verdict = judged(reference, "float16", kind="float16", scale=1e-5)
    assert not verdict.agrees
    assert "update" in verdict.detail or "no weight was changed" in verdict.detail


def test_steps_that_a_loss_scale_skips_are_allowed(reference):
    assert judged(reference, "float16", kind="float16", scale=1024.0, frozen=2).agrees
    verdict = judged(reference, "float16", kind="float16", scale=1024.0, frozen=STEPS)
    assert verdict == (False, "no weight was changed in the first %d steps" % STEPS)


@pytest.mark.parametrize("arithmetic", [None, "bfloat16"])
def test_a_wrong_gradient_is_found_in_any_arithmetic(reference, arithmetic):
    for wrong in (1.5, -1.0, 0.0):
        assert not judged(reference, arithmetic, kind=arithmetic, gradient=wrong).agrees


@pytest.mark.parametrize("arithmetic", [None, "bfloat16"])
def test_nan_is_found(reference, arithmetic):
    verdict = judged(reference, arithmetic, kind=arithmetic, nan_at=5)
    assert not verdict.agrees
    assert "nan at step 6" in verdict.detail


def test_other_weights_at_the_beginning_compare_with_nothing(reference):
    found = course()
    found["sketches"] = [[value + 1.0 for value in item] for item in found["sketches"]]
    verdict = judge_results({"plain": found}, reference, arithmetic=None, device="cpu", framework="jax")
    assert verdict == (False, "the model did not begin with the same weights, so that nothing can be compared")


def test_a_sketch_keeps_distances():
    generator = np.random.RandomState(3)
    weights = [generator.normal(size=(300, 200)), generator.normal(size=5000)]
    other = [item + 1e-3 * generator.normal(size=item.shape) for item in weights]
    sketch = _Sketch(weights)
    found = np.linalg.norm(np.subtract(sketch.of(other), sketch.of(weights)))
    right = np.sqrt(sum(np.sum((a - b) ** 2) for a, b in zip(weights, other)))
    assert found == pytest.approx(right, rel=0.1)
