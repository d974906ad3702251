"""What a comparison of layers does without a framework: recording calls, finite differences, tolerances' lengths."""

import numpy as np
import pytest
from rounding import exact, factors, rounded

from devicekit.measure.numerics.layers.coarse_products import as_layers_show, without_short_result
from devicekit.measure.numerics.layers.compare_call import gradient_problems
from devicekit.measure.numerics.layers.compare_layers import only_the_cause
from devicekit.measure.numerics.layers.recorded_calls import Call, record, unchanged
from devicekit.measure.numerics.layers.reference import Reference
from devicekit.measure.numerics.layers.rounding_verdict import (
    Check,
    Rounding,
    constant_verdict,
    row_sizes,
    saturated_verdict,
    stress_verdict,
    verdict_on,
    without_common_factor,
)
from devicekit.measure.numerics.layers.runner import LayerOutcome, Work
from devicekit.measure.numerics.layers.sizes import coarsest, sizes_of
from devicekit.measure.numerics.layers.ways import fewer_inputs, stress_inputs, unequal
from devicekit.measure.numerics.result import Difference, Measure
from devicekit.measure.numerics.verdict import Expected, judge
from devicekit.runtime.frameworks.tensors import HostArray


class Layer:
    """As much of a layer as a recording needs."""

    def __init__(self, name, function, *inside):
        self.name, self.function, self.inside = name, function, inside

    def _flatten_layers(self, include_self, recursive):
        return self.inside

    def __call__(self, *args, **kwargs):
        return self.call(*args, **kwargs)

    def call(self, x, training=None):
        return self.function(x)


def hold(value):
    return HostArray(value, str(value.dtype)) if isinstance(value, np.ndarray) else None


def test_calls_are_recorded_with_their_places_and_nothing_stays():
    cell = Layer("cell", lambda x: x + 1)
    block = Layer("block", lambda x: cell(cell(cell(x))), cell)
    last = Layer("last", lambda x: 2 * x)
    model = Layer("model", lambda x: last(block(x), training=False), block, last)
    x = np.ones((2, 3))
    calls = record(model, lambda: model(x), hold, lambda value: False)
    assert [(call.path, call.number) for call in calls] == [
        ("block", 1), ("block/cell", 1), ("block/cell", 2), ("last", 1)
    ]  # fmt: skip
    assert calls[1].outer is calls[0]
    assert calls[0].inner == calls[1:3]
    assert calls[3].kwargs == {"training": False}
    assert calls[3].args[0].array.tolist() == (x + 3).tolist()
    assert "call" not in vars(block)
    assert model(x).tolist() == (2 * (x + 3)).tolist()


def test_a_recording_that_ends_with_an_error_leaves_the_layers_alone():
    def stop(_):
        raise KeyboardInterrupt

    inner = Layer("inner", stop)
    inner.call = own = inner.call
    model = Layer("model", inner, inner)
    with pytest.raises(KeyboardInterrupt):
        record(model, lambda: model(np.ones(2)), hold, lambda value: False)
    assert vars(inner)["call"] is own


def test_what_has_no_values_yet_belongs_to_the_layer_around_it():
    inner = Layer("inner", lambda x: x)
    model = Layer("model", lambda x: outer(x), Layer("unused", None))
    outer = Layer("outer", lambda x: inner("symbol"), inner)
    model.inside = (outer,)
    calls = record(
        model, lambda: model(np.ones(2)), hold, lambda value: value == "symbol" if isinstance(value, str) else False
    )
    assert [call.path for call in calls] == ["outer"]


def test_attributes_are_put_back():
    layer = Layer("layer", None)

    def change():
        with unchanged(layer, lambda variable: variable):
            layer.name, layer.added = "other", 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()
    assert layer.name == "layer"
    assert not hasattr(layer, "added")


def weights(number, shape, dtype):
    return np.random.RandomState(number).normal(size=shape)


@pytest.mark.parametrize(
    ("function", "gradient", "places"),
    [
        (np.sin, lambda x, up: up * np.cos(x), []),
        (np.sin, lambda x, up: 2 * up * np.cos(x), [0]),
        (np.sin, lambda x, up: -up * np.cos(x), [0]),
        (np.sin, lambda x, up: 0 * x, []),  # stopped on purpose
        (np.sin, lambda x, up: None, []),
        (np.round, lambda x, up: up, []),  # straight through
        (lambda x: np.maximum(x, 0), lambda x, up: up * (x > 0), []),
        (lambda x: np.cumsum(x, axis=1), lambda x, up: up, [0]),
    ],
)
def test_gradients_are_compared_with_finite_differences(function, gradient, places):
    def compute(work):
        x = work.args[0].array
        up = weights(0, x.shape, "float64")
        return LayerOutcome([HostArray(function(x), "float64")], [gradient(x, up)], [])

    work = Work((HostArray(np.random.RandomState(7).normal(size=(6, 5)), "float32"),), {}, [])
    found = gradient_problems(compute, work, [], compute(work), weights, 0)
    assert [item.place for item in found] == places


def test_lengths_of_sums():
    x = HostArray(np.ones((8, 10, 10, 4)), "float32")
    layer = Layer("layer", None)
    layer.variables, layer.compute_dtype = [], "float16"
    call = Call(layer, "layer", 1, (x,), {})
    kernel = HostArray(np.ones((3, 3, 4, 6)), "float32")
    sizes = sizes_of(call, Work((x,), {}, [kernel]), [HostArray(np.ones((8, 10, 10, 6)), "float32")])
    assert sizes.forward == 3 * 3 * 4
    assert sizes.backward == 8 * 10 * 10
    assert sizes.dtype == "float16"
    pooled = sizes_of(call, Work((x,), {}, []), [HostArray(np.ones((8, 4)), "float32")])
    assert pooled.forward == 100
    assert coarsest(["float32", "bfloat16", "float16"]) == "bfloat16"
    assert coarsest(["int32"]) == ""


def test_only_the_layer_that_is_wrong_inside_is_named():
    def difference(name, verdict, kind="layer"):
        return Difference(kind, name, "Dense", "output", "gpu:0", "tensorflow", verdict)

    given = [
        difference("block", "differs"),
        difference("block/inner", "differs"),
        difference("block/other", "agrees"),
        difference("blocks", "differs"),
        difference("model", "differs", "model"),
    ]
    assert only_the_cause(given) == given[1:]


def test_fewer_examples_leave_alone_what_has_none():
    examples, table = HostArray(np.ones((8, 3)), "float32"), HostArray(np.ones((5, 3)), "float32")
    work = Work((examples, table), {}, [])
    assert [leaf.array.shape for leaf in fewer_inputs(work, 1).leaves] == [(1, 3), (5, 3)]


@pytest.mark.parametrize(("start", "dtype"), [(0.0, "float32"), (1.0, "float32"), (-3e-5, "float32"), (1.0, "float16")])
def test_weights_that_are_all_equal_get_values_of_their_own(start, dtype):
    given = np.full((4, 5), start, dtype)
    found = unequal(HostArray(given, dtype), 3).array
    assert found.dtype == given.dtype
    assert len(np.unique(found)) > 10
    assert np.all(np.abs(found - start) <= 0.2501 * (abs(start) or 1.0))


def test_weights_that_are_trained_stay_as_they_are():
    for values in (np.arange(4.0, dtype="float32"), np.ones(1, "float32"), np.full(4, 7)):
        assert unequal(HostArray(values, str(values.dtype)), 3).array is values


class AsTheCpu:
    """A reference whose own dtype takes subnormal numbers for zero, as TensorFlow's threads do."""

    def in_own_dtype(self, work):
        x = work.args[0].array
        return [np.sqrt(np.where(x < np.finfo(np.float32).tiny, np.float32(0), x))]


@pytest.mark.parametrize("number", range(3))
def test_an_example_that_the_cpu_gets_wrong_excuses_no_other(number):
    x = np.abs(np.random.RandomState(number).normal(size=(3, 16))).astype(np.float32)
    x[0], x[1] = 1e-39, x[1] * np.float32(1e-19)
    right = np.sqrt(x.astype(np.float64))
    work = Work((HostArray(x, "float32"),), {}, [])
    about = Difference("layer", "root", "Sqrt", "output", "gpu:0", "tensorflow", "differs")
    expected = Expected(right, "float32", 16, 2, magnitude=row_sizes(right, "float32", 16))

    def verdict(actual):
        check = Check(about, actual.astype(np.float32), expected, 0)
        return stress_verdict(check, Rounding(AsTheCpu(), work, 0)).verdict

    assert verdict(right) == verdict(np.where(x < 1e-38, 0.0, right)) == "agrees"
    wrong = right.copy()
    wrong[number] *= 20 if number == 0 else 0
    assert verdict(wrong) == "differs"


class Squares:
    """A layer's reference: squares times a half, which overflow on the CPU in float32; one output, no gradients."""

    note, largest, cotangent = "", 1e38, staticmethod(weights)

    def compute(self, work):
        square = work.args[0].array.astype(np.float64) ** 2
        return LayerOutcome([HostArray(square * 0.5, "float64")], [], [])

    def in_own_dtype(self, work):
        with np.errstate(all="ignore"):
            return [work.args[0].array ** 2 * np.float32(0.5)]

    def envelope(self, work, size, seed, times):
        return [2 * size * self.compute(work).outputs[0].array]

    def largest_move(self, size):
        return size


def judged_squares(x, actual, device):
    reference, work = Squares(), Work((HostArray(x, "float32"),), {}, [])
    about = Difference("layer", "square", "Square", "output", device, "tensorflow", "differs")
    expected = Expected(reference.compute(work).outputs[0].array, "float32")
    return verdict_on(Check(about, np.asarray(actual, np.float32), expected, 0), Rounding(reference, work, 0)).verdict


def test_what_overflows_on_the_cpu_too_is_no_fault_of_a_device():
    x = np.array([[1e19, 1.5e19, 2.3e19]], np.float32)
    assert judged_squares(x, [[5e37, 1.125e38, np.inf]], "gpu:0") == "agrees"
    assert judged_squares(x, [[5e37, 1.125e38, np.inf]], "cpu") == "not-compared"
    for wrong in ([[5e37, np.inf, np.inf]], [[5e37, np.nan, 2.645e38]], [[5e37, 2e38, np.inf]]):
        assert judged_squares(x, wrong, "gpu:0") == "differs"


def test_subnormal_inputs_may_be_zero_and_no_others():
    x = np.array([[1e-39, 1.0, 2.0]], np.float32)

    class Doubles(Squares):
        def compute(self, work):
            return LayerOutcome([HostArray(np.float64(2.0**70) * work.args[0].array, "float64")], [], [])

    work = Work((HostArray(x, "float32"),), {}, [])
    about = Difference("layer", "double", "Double", "output", "gpu:0", "tensorflow", "differs")
    expected = Expected(Doubles().compute(work).outputs[0].array, "float32", magnitude=np.full(x.shape, 1e-18))
    for values, verdict in (([0.0, 1.0, 2.0], "agrees"), ([0.0, 0.0, 2.0], "differs")):
        actual = (np.array([values]) * 2.0**70).astype(np.float32)
        assert verdict_on(Check(about, actual, expected, 0), Rounding(Doubles(), work, 0)).verdict == verdict


def test_the_largest_of_subnormal_numbers_is_any_of_them():
    x = np.array([[1e-39, 3e-39, 2e-39], [1.0, 3.0, 2.0]], np.float32)
    about = Difference("layer", "largest", "Argmax", "output", "cpu", "tensorflow", "differs")

    class Largest(AsTheCpu):
        def in_own_dtype(self, work):
            return [np.array([0, 1])]

    def verdict(*actual):
        check = Check(about, np.array(actual), Expected(np.array([1, 1]), "int64"), 0)
        work = Work((HostArray(x, "float32"),), {}, [])
        return stress_verdict(check, Rounding(Largest(), work, 0)).verdict

    assert verdict(2, 1) == "agrees"
    assert verdict(1, 2) == "differs"


def test_inputs_that_are_not_finite_leave_the_corners_finite():
    x = np.ones((8, 4), np.float32)
    x[3] = np.nan
    assert np.all(np.isfinite(stress_inputs(Work((HostArray(x, "float32"),), {}, [])).args[0].array))


class OfBfloat16:
    """A reference whose own dtype rounds the exact result."""

    def __init__(self, right):
        self.right = right

    def in_own_dtype(self, work):
        return [rounded(self.right.astype(np.float32), "bfloat16")]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["normal", "positive"])
def test_half_precision_makes_no_result_larger_as_a_whole(kind, seed):
    a, b = (rounded(item, "bfloat16") for item in factors(np.random.RandomState(seed), inner=64, kind=kind))
    right = exact(a, b)
    about = Difference("layer", "dense", "Dense", "output", "gpu:0", "jax", "agrees")

    def verdict(actual, before="agrees"):
        check = Check(about, actual, Expected(right, "bfloat16", 64, 2), 0)
        rounding = Rounding(OfBfloat16(right), Work((), {}, []), 0)
        return without_common_factor(about.replace(verdict=before), check, rounding)

    for cut in (False, True):
        total = np.zeros(right.shape, np.float32)
        for k in range(a.shape[1]):
            total = rounded(total + np.outer(a[:, k], b[k]), "bfloat16", cut)
        assert verdict(total).verdict == "agrees"
    assert verdict(rounded(right.astype(np.float32), "bfloat16")).verdict == "agrees"
    for before in ("agrees", "reduced-precision"):
        found = verdict(rounded(right.astype(np.float32) * 1.05, "bfloat16"), before)
        assert (found.verdict, found.detail) == ("differs", "the right result times 1.05")
    assert verdict(right * 1.05, "not-compared").verdict == "not-compared"


class Weight:
    name, dtype, shape = "kernel", "float32", (16, 8)


def judged_product(x, kernel, actual):
    layer = Layer("dense", None)
    layer.variables = layer.trainable_variables = [Weight()]
    work = Work((HostArray(x, "float32"),), {}, [HostArray(kernel, "float32")])
    about = Difference("layer", "dense", "Dense", "output", "gpu:0", "tensorflow", "differs")
    right = x.astype(np.float64) @ kernel.astype(np.float64)
    found = judge(about, actual, Expected(right, "float32", accumulation=16))
    assert found.verdict == "reduced-precision"
    return without_short_result(layer, found, actual, work).verdict


@pytest.mark.parametrize("seed", range(20))
def test_a_rounded_result_is_not_taken_for_coarse_products(seed):
    rng = np.random.RandomState(seed)
    x, kernel = (rng.normal(size=shape).astype(np.float32) for shape in ((8, 16), (16, 8)))
    pixels, unit = rng.randint(0, 256, x.shape).astype(np.float32), np.eye(16, 8, dtype=np.float32)
    for name in ("tf32", "bfloat16"):
        short_x, short_kernel = rounded(x, name), rounded(kernel, name)
        assert judged_product(x, kernel, short_x @ short_kernel) == "reduced-precision"
        assert judged_product(pixels, kernel, pixels @ short_kernel) == "reduced-precision"
        assert judged_product(x, unit, short_x @ unit) == "reduced-precision"
        assert judged_product(x, kernel, rounded(x @ kernel, name)) == "differs"


@pytest.mark.parametrize(
    ("arithmetic", "dense", "verdict"),
    [
        ("bfloat16", "agrees", "differs"),
        ("bfloat16", "reduced-precision", "reduced-precision"),
        ("tf32", "agrees", "reduced-precision"),
        ("bfloat16", None, "reduced-precision"),
    ],
)
def test_an_attention_is_not_coarser_than_the_layers_next_to_it(arithmetic, dense, verdict):
    def difference(operation, found, device="gpu:0"):
        size = Measure("float32", (3,), 0.01, 0.003, 8e4, 1.0, 0, 2e-6)
        return Difference("layer", operation, operation, "output", device, "jax", found, size, arithmetic=arithmetic)

    items = [difference("MultiHeadAttention", "reduced-precision"), difference("Dense", "agrees", "cpu")]
    items += [difference("Dense", dense)] if dense else []
    assert as_layers_show(items)[0].verdict == verdict


def activated(kind, z, pulled):
    """Return what an activation gives, and the gradient of its input."""
    if kind == "tanh":
        y = np.tanh(z)
        return y, pulled * (1 - y * y)
    if kind == "normalized":
        centered = z - z.mean(axis=-1, keepdims=True)
        size = np.sqrt((centered**2).mean(axis=-1, keepdims=True))
        y = centered / size
        inner = pulled - pulled.mean(axis=-1, keepdims=True) - y * (pulled * y).mean(axis=-1, keepdims=True)
        return y, inner / size
    with np.errstate(over="ignore"):
        y = 1 / (1 + np.exp(-z)) if kind == "sigmoid" else np.exp(z - z.max(axis=-1, keepdims=True))
    if kind == "sigmoid":
        return y, pulled * y * (1 - y)
    y = y / y.sum(axis=-1, keepdims=True)
    return y, y * (pulled - (pulled * y).sum(axis=-1, keepdims=True))


class DenseRunner:
    """Runs a dense layer with an activation, its name, in NumPy."""

    weights_are_free = True

    def trained(self, layer):
        return [0, 1]

    def in_float64(self, layer, work):
        return layer

    def for_device(self, layer, work, device):
        return layer

    def run(self, layer, work, device, double, cotangent, head):
        dtype = np.float64 if double else np.float32
        x, kernel, bias = (item.array.astype(dtype) for item in (work.args[0], *work.weights))
        z = x @ kernel + bias
        y, back = activated(layer, z, cotangent(0, z.shape, "").astype(dtype))
        return LayerOutcome([HostArray(y, str(y.dtype))], [back @ kernel.T, x.T @ back, back.sum(axis=0)], [])


@pytest.mark.parametrize("size", [1.0, 100.0])
@pytest.mark.parametrize("kind", ["sigmoid", "tanh", "softmax", "normalized"])
def test_a_gradient_that_has_vanished_is_not_judged_by_what_is_left_of_it(kind, size):
    rng, runner = np.random.RandomState(5), DenseRunner()
    x = rng.normal(size=(8, 8)).astype(np.float32)
    kernel, bias = (size * rng.normal(size=shape).astype(np.float32) for shape in ((8, 6), (6,)))
    work = Work((HostArray(x, "float32"),), {}, [HostArray(kernel, "float32"), HostArray(bias, "float32")])
    reference = Reference(runner, kind, work, weights, lambda _: None, repeatable=True)
    own = runner.run(kind, work, "cpu", False, weights, None)

    def verdict(place, actual, dtype="float32"):
        about = Difference("gradient", "last", "Dense", "gradient of input 0", "cpu", "tensorflow", "differs")
        check = Check(about, actual, Expected(reference.arrays[place], dtype, 8, 2), place)
        rounding = Rounding(reference, work, 0)
        return saturated_verdict(verdict_on(check, rounding), check, rounding).verdict

    for place, actual in enumerate(own.gradients, 1):
        assert verdict(place, actual) == "agrees"
        terms = np.maximum(reference.vanished_terms(work)[place], np.abs(actual)).astype(np.float32)
        assert verdict(place, actual + 0.002 * terms) != "agrees"
        if size > 1 and kind != "normalized":  # it has vanished
            assert verdict(place, actual + 0.025 * terms, "float16") != "agrees"


class AttentionRunner(DenseRunner):
    """Runs an attention without weights over ten values; in float32 its gradient is the difference of two sums."""

    def trained(self, layer):
        return []

    def run(self, layer, work, device, double, cotangent, head):
        query, keys, values = (item.array.astype(np.float64 if double else np.float32) for item in work.args)
        pulled = cotangent(0, query.shape, "").astype(query.dtype)
        y, back = activated("softmax", query @ keys.T, pulled @ values.T)
        out = y @ values
        if not double:
            back = y * (pulled @ values.T - (pulled * out)[:, ::-1].cumsum(axis=1)[:, -1:])
        return LayerOutcome([HostArray(out, str(out.dtype))], [back @ keys], [])


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_a_gradient_of_nothing_but_roundings_is_judged_by_those_of_the_cpu(size):
    rng, runner = np.random.RandomState(2), AttentionRunner()
    arrays = [(scale * rng.normal(size=shape)).astype(np.float32) for scale, shape in (
        (1, (6, 12)), (size, (10, 12)), (size, (10, 12)),
    )]  # fmt: skip
    work = Work(tuple(HostArray(item, "float32") for item in arrays), {}, [])
    reference = Reference(runner, "attention", work, weights, lambda _: None, repeatable=True)
    own = runner.run("attention", work, "cpu", False, weights, None).gradients[0]

    def verdict(actual, judged=True):
        about = Difference("gradient", "last", "Attention", "gradient of input 0", "cpu", "torch", "differs")
        check = Check(about, actual, Expected(reference.arrays[1], "float32", 12, 4), 1)
        rounding = Rounding(reference, work, 0)
        found = verdict_on(check, rounding)
        return (saturated_verdict(found, check, rounding) if judged else found).verdict

    assert verdict(own) == "agrees"
    assert size == 1.0 or verdict(own, judged=False) == "differs"
    assert verdict(own * np.float32(1.01 if size == 1.0 else 100)) == "differs"
    one_wrong = own.copy()
    one_wrong[1] += 100 * np.abs(own).max()
    assert verdict(one_wrong) == "differs"


def test_the_largest_number_of_a_reference_is_looked_for_once():
    """Each gradient of a model that takes a closer look asks, and a model has millions of numbers."""
    runner, looked = DenseRunner(), []

    class Counted(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *given, **options):
            looked.append(ufunc.__name__)
            return getattr(ufunc, method)(*(np.asarray(item) for item in given), **options)

    work = Work((HostArray(np.ones((2, 3), np.float32), "float32"),), {}, [])
    work.weights.extend(HostArray(np.ones(shape, np.float32), "float32") for shape in ((3, 4), (4,)))
    reference = Reference(runner, "tanh", work, weights, lambda _: None, repeatable=True)
    reference.outcome.gradients[0] = np.array([[-5.0, np.inf]]).view(Counted)
    assert [reference.largest, reference.largest] == [5.0, 5.0]
    assert looked.count("isfinite") == 1


class NormalizationRunner(DenseRunner):
    """Normalizes channels with the variance as Keras computes it, by sums from front to back."""

    def trained(self, layer):
        return []

    def run(self, layer, work, device, double, cotangent, head):
        x = work.args[0].array.astype(np.float64 if double else np.float32)
        mean, squares = (np.cumsum(item, axis=0, dtype=x.dtype)[-1] / x.dtype.type(len(x)) for item in (x, x * x))
        size = 1 / np.sqrt(squares - mean * mean + x.dtype.type(1e-3))
        y, pulled = (x - mean) * size, cotangent(0, x.shape, "").astype(x.dtype)
        gradient = size * (pulled - pulled.mean(axis=0) - y * (pulled * y).mean(axis=0))
        return LayerOutcome([HostArray(y, str(y.dtype))], [gradient], [])


def test_the_gradient_of_a_constant_that_is_normalized_is_not_compared():
    runner = NormalizationRunner()
    layer = type("BatchNormalization", (), {"__module__": "keras.layers"})()
    x = np.random.RandomState(0).normal(size=(300, 4)).astype(np.float32)
    x[:, 1:3] = 3.7, 2.9

    def verdict(x, factor):
        work = Work((HostArray(x, "float32"),), {}, [])
        reference = Reference(runner, layer, work, weights, lambda _: None, repeatable=True)
        actual = runner.run(layer, work, "cpu", False, weights, None).gradients[0] * factor
        about = Difference("gradient", "last", "BatchNormalization", "gradient of input 0", "cpu", "torch", "differs")
        check = Check(about, actual, Expected(reference.arrays[1], "float32", 300, 3), 1)
        rounding = Rounding(reference, work, 0)
        return constant_verdict(verdict_on(check, rounding), layer, check, rounding).verdict

    one_wrong = np.float32([1, 1, 1, 1.5])
    assert verdict(x, 1) == "not-compared"
    assert verdict(x, one_wrong) not in ("agrees", "not-compared")
    assert verdict(x[:, ::3], 1) == "agrees"
    assert verdict(x[:, ::3], one_wrong[::3]) == "differs"
