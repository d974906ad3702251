"""The suite as data: its values, shapes and lengths of sums are what they say."""

import numpy as np
import pytest
from checks import for_each
from operation_kinds import KINDS

from devicekit.measure.numerics.operations.catalog import OPERATIONS, magnitudes, select
from devicekit.measure.numerics.operations.input_values import EDGES, RECIPES, arrays
from devicekit.measure.numerics.operations.operation import Input, Operation, cotangent, rounded
from devicekit.runtime.frameworks.tensors import same_padding

NAMES = [item.name for item in OPERATIONS]
CONVOLUTIONS = [item for item in OPERATIONS if item.operation in ("conv1d", "conv2d", "conv3d", "depthwise_conv2d")]


def by_name(name):
    (found,) = [item for item in OPERATIONS if item.name == name]
    return found


def test_every_case_has_a_name_of_its_own_and_every_kind_is_defined_and_tried():
    assert len(set(NAMES)) == len(NAMES)
    assert {item.operation for item in OPERATIONS} == set(KINDS)
    assert all(item.name.startswith(("cast", item.operation)) or item.operation in item.name for item in OPERATIONS)


def test_tensorflow_computes_every_kind():
    from devicekit.runtime.frameworks.kinds_tensorflow import KINDS as IN_TENSORFLOW
    from devicekit.runtime.frameworks.kinds_tensorflow import REFERENCES

    assert set(IN_TENSORFLOW) == set(KINDS)
    assert set(REFERENCES) <= set(KINDS)


@for_each("operation", OPERATIONS, ids=NAMES)
def test_the_inputs_are_numbers_that_the_dtype_has(operation):
    assert operation.scale in ("norm", "largest", "element", "absolute")
    assert min(operation.accumulation, operation.depth) >= 1
    for dtype in operation.dtypes:
        assert dtype in ("float32", "float16", "bfloat16")
        for item, values in zip(operation.inputs, arrays(operation, 3, dtype)):
            assert item.values in RECIPES
            assert values.shape == item.shape
            if item.kind == "int32":
                assert values.dtype == np.int32
            else:
                assert values.dtype == np.float64
                np.testing.assert_array_equal(values, rounded(values, dtype))


def test_the_same_seed_gives_the_same_values_and_another_one_others():
    operation = by_name("conv2d 3x3 same")
    once, again, other = (arrays(operation, seed) for seed in (5, 5, 6))
    for left, right, third in zip(once, again, other):
        np.testing.assert_array_equal(left, right)
        assert not np.array_equal(left, third)
    # Two inputs of one operation are not the same numbers either.
    left, right = arrays(by_name("add"), 0)
    assert not np.array_equal(left, right)


def test_float32_inputs_need_all_their_bits():
    """Otherwise TF32, which drops thirteen of them, could not be distinguished from float32."""
    x = arrays(by_name("matmul 64x128 by 128x96"), 0)[0]
    assert np.mean(x == rounded(x, "float16")) < 0.01


@pytest.mark.parametrize(
    "value, bfloat16, float16",
    [
        (1.0 + 2.0**-8, 1.0, 1.0 + 2.0**-8),  # a tie, to even
        (1.0 + 3 * 2.0**-8, 1.0 + 2.0**-6, 1.0 + 3 * 2.0**-8),
        (1.0 + 2.0**-8 + 2.0**-20, 1.0 + 2.0**-7, 1.0 + 2.0**-8),
        (-65520.0, -65536.0, -np.inf),
        (3.4e38, np.inf, np.inf),
        (np.nan, np.nan, np.nan),
        (-np.inf, -np.inf, -np.inf),
        (2.0**-30, 2.0**-30, 0.0),
    ],
)
def test_rounding_is_to_the_nearest_and_to_even(value, bfloat16, float16):
    np.testing.assert_allclose(rounded(np.array([value]), "bfloat16"), [bfloat16], rtol=1e-9)
    np.testing.assert_array_equal(rounded(np.array([value]), "float16"), [float16])
    np.testing.assert_array_equal(rounded(np.array([value]), "float64"), [value])


def test_an_unknown_dtype_is_refused():
    with pytest.raises(ValueError, match="'float8'; known are float64, float32, float16 and bfloat16"):
        rounded(np.ones(2), "float8")


def test_cotangents_keep_away_from_zero_and_belong_to_the_dtype_that_a_reference_is_for():
    operation = by_name("softmax")
    values = cotangent(operation, (40, 30), 1)
    assert np.abs(values).min() >= 0.25
    assert np.abs(values).max() <= 1.0
    assert set(np.sign(values).ravel()) == {-1.0, 1.0}
    assert not np.array_equal(values, cotangent(operation, (40, 30), 1, 1))
    half = Operation("softmax", "softmax", operation.inputs, dtypes=("float16",))
    np.testing.assert_array_equal(
        cotangent(half, (40, 30), 1, dtype="float64"), cotangent(half, (40, 30), 1, dtype="float16")
    )


def test_magnitudes_are_the_same_numbers_without_signs():
    operation = by_name("dense 256 to 64")
    without = magnitudes(operation)
    for left, right in zip(arrays(operation, 2), arrays(without, 2)):
        np.testing.assert_array_equal(np.abs(left), right)
    np.testing.assert_array_equal(np.abs(cotangent(operation, (4,), 2)), cotangent(without, (4,), 2))


@pytest.mark.parametrize(
    "size, kernel, stride, dilation, padding",
    [
        (14, 3, 1, 1, (1, 1)),
        (14, 3, 2, 1, (0, 1)),
        (15, 3, 2, 1, (1, 1)),
        (12, 4, 1, 1, (1, 2)),
        (32, 7, 2, 1, (2, 3)),
        (16, 3, 1, 2, (2, 2)),
        (14, 1, 2, 1, (0, 0)),
    ],
)
def test_same_padding_is_that_of_tensorflow(size, kernel, stride, dilation, padding):
    assert same_padding(size, kernel, stride, dilation) == padding


@for_each("operation", CONVOLUTIONS, ids=[item.name for item in CONVOLUTIONS])
def test_convolutions_add_up_as_many_products_as_they_say(operation):
    x, kernel = operation.inputs
    options = operation.options
    spatial = x.shape[1:-1]

    def each(value):
        return value if isinstance(value, tuple) else (value,) * len(spatial)

    strides, dilation = each(options["strides"]), each(options.get("dilation", 1))
    places, taps = x.shape[0], 1
    for size, window, stride, spread in zip(spatial, kernel.shape, strides, dilation):
        total = sum(same_padding(size, window, stride, spread)) if options["padding"] == "same" else 0
        places *= (size + total - (window - 1) * spread - 1) // stride + 1
        taps *= window
    groups = options.get("groups", 1)
    assert kernel.accumulation == places
    if operation.operation == "depthwise_conv2d":
        assert kernel.shape[-2] == x.shape[-1]
        assert (operation.accumulation, x.accumulation) == (taps, taps * kernel.shape[-1])
    else:
        assert kernel.shape[-2] * groups == x.shape[-1]
        assert (operation.accumulation, x.accumulation) == (taps * kernel.shape[-2], taps * kernel.shape[-1] // groups)


@for_each("name", [item.name for item in OPERATIONS if item.operation == "matmul"])
def test_products_add_up_as_many_terms_as_they_say(name):
    operation = by_name(name)
    options = operation.options
    a, b = (np.ones(item.shape) for item in operation.inputs)
    left = np.swapaxes(a, -1, -2) if options["transpose_a"] else a
    right = np.swapaxes(b, -1, -2) if options["transpose_b"] else b
    product = left @ right
    assert product.max() == operation.accumulation
    assert operation.inputs[0].accumulation == product.shape[-1]
    assert operation.inputs[1].accumulation == product.shape[-2]


def test_what_must_not_be_equal_is_not():
    """Where two are the largest, devices may take either for the gradient."""
    for operation in OPERATIONS:
        for index, item in enumerate(operation.inputs):
            if item.values == "distinct":
                for dtype in operation.dtypes:
                    values = arrays(operation, 1, dtype)[index]
                    assert len(np.unique(values)) == values.size, (operation.name, dtype)


def test_the_recipes_make_what_they_promise():
    def values(recipe, shape, low=0.0, high=1.0):
        return arrays(Operation("case", "identity", (Input("x", shape, recipe, low, high),)), 0)[0]

    canceling = values("canceling", (4096,), high=0.5)
    assert abs(canceling.sum()) < 1.0 < 1e5 < np.abs(canceling).sum()
    subnormal = values("subnormal", (300,), -126)
    assert 0 < np.abs(subnormal).max() < np.finfo(np.float32).tiny
    assert np.isnan(values("with NaN", (20, 30), high=3)).any(axis=1).sum() == 7
    rows, columns = values("edge rows", (len(EDGES),) * 2), values("edge columns", (len(EDGES),) * 2)
    assert len({repr(pair) for pair in zip(rows.ravel(), columns.ravel())}) == len(EDGES) ** 2
    np.testing.assert_allclose(values("probabilities", (5, 7)).sum(axis=1), 1.0, rtol=1e-6)
    assert np.isfinite(values("finite edges", (60,))).all()


def test_patterns_select_by_name_and_by_kind():
    assert select() == OPERATIONS
    assert {item.operation for item in select("conv2d")} == {"conv2d"}
    assert {item.operation for item in select("conv2d*")} == {"conv2d", "conv2d_transpose"}
    both = select(["lstm 16 steps", "matmul*"])
    assert [item.operation for item in both].count("lstm") == 1
    assert both == tuple(item for item in OPERATIONS if item in both)  # in the suite's order
    with pytest.raises(ValueError, match="no operation matches 'conv9d'; there are: matmul, "):
        select(["matmul*", "conv9d"])
