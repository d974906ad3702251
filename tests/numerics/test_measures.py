"""Figures are right if they are easy to get wrong: subnormals, zero, infinity, NaN, other dtypes, empty and huge arrays."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.measure.numerics.measures import measure, plain_measure, typical, ulp

FLOATS = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
INF = float("inf")
NAN = float("nan")


def look(actual, reference, dtype="float32", **more):
    return measure(np.asarray(actual), np.asarray(reference), dtype=dtype, tolerance=1e-6, **more)


def distance_to_neighbour(value, kind):
    """The next number away from zero, as the format itself has it."""
    number = kind(abs(value))
    return float(np.nextafter(number, kind(np.inf))) - float(number)


@pytest.mark.parametrize("name", sorted(FLOATS))
@given(data=st.data())
def test_a_unit_in_the_last_place_is_the_distance_to_the_next_number(name, data):
    kind = FLOATS[name]
    width = {"float16": 16, "float32": 32, "float64": 64}[name]
    value = data.draw(st.floats(width=width, allow_nan=False, allow_infinity=False))
    if abs(value) == float(np.finfo(kind).max):
        value = 1.0
    assert float(ulp(value, name)) == distance_to_neighbour(value, kind)


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**126), max_value=2.0**126),
    st.integers(1, 50),
)
def test_steps_to_the_next_number_are_counted(value, steps):
    start = np.float32(value)
    moved = start
    for _ in range(steps):
        moved = np.nextafter(moved, np.float32(np.inf))
    counted = look([moved], [np.float64(start)]).max_ulp
    # Units change at powers of two, at most once in so few steps.
    assert 0.5 * steps <= counted <= 2 * steps


def test_units_at_zero_and_among_subnormals_are_the_smallest_number():
    smallest = float(np.nextafter(np.float32(0), np.float32(1)))
    assert float(ulp(0.0, "float32")) == smallest == float(ulp(1e-40, "float32"))
    assert float(ulp(0.0, "bfloat16")) == 2.0**-133
    assert look([3 * smallest], [0.0]).max_ulp == 3
    assert look([2 * smallest], [5 * smallest]).max_ulp == 3


def test_units_of_bfloat16_and_of_integers():
    assert float(ulp(1.0, "bfloat16")) == 2.0**-7
    assert look([1.0 + 2.0**-7], [1.0], "bfloat16").max_ulp == 1
    assert look([7], [4], "int32").max_ulp == 3
    assert look([True, False], [True, True], "bool").max_ulp == 1


def test_beyond_the_largest_number_infinity_is_right():
    found = look([INF, -INF, 65504], [1e6, -1e6, 65504], "float16")
    assert (found.nonfinite, found.max_relative_error, found.max_ulp) == (0, 0, 0)
    assert look([65504.0], [1e6], "float16").nonfinite == 1


@pytest.mark.parametrize(
    "actual, reference, nonfinite",
    [
        ([NAN, 1], [NAN, 1], 0),
        ([INF, -INF], [INF, -INF], 0),
        ([INF, 1], [-INF, 1], 1),
        ([NAN, 1], [1, 1], 1),
        ([1, 1], [NAN, INF], 2),
        ([INF, 1], [NAN, 1], 1),
    ],
)
def test_what_is_not_finite_is_counted_where_it_is_not_the_same(actual, reference, nonfinite):
    found = look(actual, reference)
    assert found.nonfinite == nonfinite
    assert (found.max_relative_error == INF) == bool(nonfinite)
    assert (found.max_ulp == INF) == bool(nonfinite)
    assert found.mean_relative_error == 0


def test_errors_are_relative_to_what_was_summed():
    reference = np.array([1.0, -1.0, 1e-9, 1.0])
    found = look([1.0, -1.0, 1e-9 + 1e-7, 1.0], reference)
    assert found.max_relative_error == pytest.approx(1e-7 / math.sqrt(0.75), rel=1e-3)
    known = look([1.0, -1.0, 1e-9 + 1e-7, 1.0], reference, magnitude=np.full(4, 100.0))
    assert known.max_relative_error == pytest.approx(1e-9, rel=1e-3)


def test_a_few_huge_numbers_do_not_hide_the_others():
    reference = np.ones(1000)
    reference[:10] = -1e9  # as an attention's mask
    actual = reference.copy()
    actual[500] = 1.01
    assert look(actual, reference).max_relative_error == pytest.approx(0.01 / 16, rel=0.01)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30))
def test_the_typical_size_lies_between_the_numbers(values):
    sizes = np.abs(np.array(values))
    found = typical(np.array(values))
    assert found <= sizes.max() * (1 + 1e-9)
    assert found >= 0
    assert (found == 0) == (sizes.max() == 0)


def test_cosine():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(1000)
    assert look(values * 3, values).cosine == pytest.approx(1)
    assert look(-values, values).cosine == pytest.approx(-1)
    assert look(values, rng.standard_normal(1000)).cosine == pytest.approx(0, abs=0.1)
    assert look(np.zeros(3), np.zeros(3)).cosine == 1
    assert look(np.zeros(3), np.ones(3)).cosine == 0
    assert look(np.full(4, 1e300), np.full(4, 1e300), "float64").cosine == pytest.approx(1)
    assert look(np.full(4, 1e-300), np.full(4, 1e-300), "float64").cosine == pytest.approx(1)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "bool", "complex64"])
def test_every_shape_and_dtype(shape, dtype):
    values = np.ones(shape, dtype)
    found = measure(
        values, values.astype("complex128" if dtype == "complex64" else "float64"), dtype=dtype, tolerance=0
    )
    assert (found.max_relative_error, found.mean_relative_error, found.max_ulp, found.nonfinite) == (0, 0, 0, 0)
    assert found.shape == shape
    assert found.cosine == 1
    assert found.to_dict()["shape"] == list(shape)


def test_parts_of_complex_numbers_are_compared():
    found = look(np.array([1 + 1j], np.complex64), np.array([1 + 2j]), "complex64")
    assert found.max_relative_error == pytest.approx(0.5)


def test_other_shapes_and_no_numbers_are_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\) for \(3, 2\)"):
        look(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="numbers are needed"):
        look(["a"], ["a"])


def test_what_is_ignored_does_not_count():
    found = look([1, NAN, 3], [1, 2, 30], ignore=np.array([False, True, True]))
    assert (found.max_relative_error, found.nonfinite, found.max_ulp) == (0, 0, 0)


def test_a_view_that_is_not_contiguous():
    values = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    assert look(values.transpose(2, 0, 1), values.transpose(2, 0, 1).astype(np.float64)).max_ulp == 0


def test_memory_does_not_grow_with_the_array():
    values = np.ones(4 << 20, np.float32)  # 16 MiB
    reference = values.astype(np.float64)
    values[-1] = 2
    tracemalloc.start()
    try:
        found = look(values, reference)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.max_relative_error == pytest.approx(1)
    assert peak < 120 << 20  # all of it in float64, several times, would be 200 MiB and more


def test_what_is_plainly_good_is_measured_alike():
    right = np.random.RandomState(5).standard_normal((300, 700))
    right[0, :5] = 0, 1e-40, 2, -4, 1e-30
    actual = right.astype(np.float32)
    options = {"dtype": "float32", "tolerance": 1e-5}
    plain, full = plain_measure(actual, right, **options), measure(actual, right, **options)
    assert (plain.shape, plain.nonfinite, plain.tolerance) == (full.shape, full.nonfinite, full.tolerance)
    for name in ("max_relative_error", "mean_relative_error", "max_ulp", "cosine"):
        assert getattr(plain, name) == pytest.approx(getattr(full, name), rel=1e-6), name


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.01], ids=str)
def test_what_takes_a_closer_look(value):
    right = np.ones(100)
    actual = right.astype(np.float32)
    actual[50] = value
    assert plain_measure(actual, right, dtype="float32", tolerance=1e-5) is None
    assert plain_measure(actual[:99], right, dtype="float32", tolerance=1e-5) is None
    assert plain_measure(actual, right, dtype="int32", tolerance=0.0) is None
