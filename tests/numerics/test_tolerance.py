"""Tolerances follow from the format and the length of sums, and lie between clean and coarse arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding import ORDERS, exact, factors, rounded

from devicekit.measure.numerics.measures import measure
from devicekit.measure.numerics.tolerance import ARITHMETICS, FORMATS, tolerance, unit_roundoff

DTYPES = st.sampled_from(["float64", "float32", "float16", "bfloat16"])
ANY = st.sampled_from([None, *ARITHMETICS])
LENGTHS = st.integers(1, 1 << 24)


@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
def test_formats_are_numpys(name):
    form, info = FORMATS[name], np.finfo(name)
    assert form.unit_roundoff == info.eps / 2 == unit_roundoff(name)
    assert form.smallest_normal == info.tiny
    assert form.largest == info.max


def test_bfloat16_and_tf32_have_the_range_of_float32():
    assert FORMATS["bfloat16"].smallest_normal == FORMATS["tf32"].smallest_normal == np.finfo("float32").tiny
    assert unit_roundoff("tf32") == unit_roundoff("float16") == 2.0**-11
    assert unit_roundoff("bfloat16") == 2.0**-8


@given(DTYPES, ANY, LENGTHS, LENGTHS, st.integers(1, 1000), st.integers(1, 1000))
def test_longer_sums_and_deeper_models_are_allowed_no_less(dtype, arithmetic, one, other, depth, deeper):
    shorter, longer = sorted((one, other))
    shallow, deep = sorted((depth, deeper))
    first = tolerance(dtype, accumulation=shorter, depth=shallow, arithmetic=arithmetic)
    assert first <= tolerance(dtype, accumulation=longer, depth=shallow, arithmetic=arithmetic)
    assert first <= tolerance(dtype, accumulation=shorter, depth=deep, arithmetic=arithmetic)
    assert 0 < first <= 1


@given(LENGTHS, st.integers(1, 100))
def test_coarser_arithmetic_is_allowed_more(accumulation, depth):
    limits = [tolerance("float32", accumulation=accumulation, depth=depth, arithmetic=name) for name in ARITHMETICS[:2]]
    assert tolerance("float64", accumulation=accumulation, depth=depth) <= tolerance(
        "float32", accumulation=accumulation, depth=depth
    )
    assert tolerance("float32", accumulation=accumulation, depth=depth) <= limits[0] <= limits[1]


def test_integers_are_exact():
    assert tolerance("int32") == tolerance("bool") == tolerance("uint8", accumulation=9) == 0.0
    assert tolerance("complex64") == tolerance("float32")


@pytest.mark.parametrize(
    "options", [{"dtype": "float8"}, {"dtype": "float32", "arithmetic": "posit"}, {"dtype": "float32", "depth": 0}]
)
def test_what_is_not_known_is_refused(options):
    with pytest.raises(ValueError, match="known are|at least 1"):
        tolerance(options.pop("dtype"), **options)


@pytest.mark.parametrize("inner", [64, 512, 2048])
@pytest.mark.parametrize("kind", ["normal", "positive", "heavy"])
def test_clean_sums_stay_below_half_of_it(inner, kind):
    rng = np.random.default_rng(inner)
    a, b = factors(rng, 8, inner, 16, kind)
    limit = tolerance("float32", accumulation=inner)
    for order in ORDERS:
        found = measure(order(a, b), exact(a, b), dtype="float32", tolerance=limit)
        assert found.max_relative_error < 0.5 * limit, order.__name__


@pytest.mark.parametrize("inner", [64, 512, 4096])
@pytest.mark.parametrize("name, least", [("tf32", 30), ("bfloat16", 250)])
def test_coarse_products_are_far_beyond_it(inner, name, least):
    rng = np.random.default_rng(inner)
    a, b = factors(rng, 32, inner, 32)
    limit = tolerance("float32", accumulation=inner)
    for cut in (False, True):
        coarse = rounded(a, name, cut) @ rounded(b, name, cut)
        found = measure(coarse, exact(a, b), dtype="float32", tolerance=limit)
        assert found.max_relative_error > least * limit
        assert found.max_relative_error < tolerance("float32", accumulation=inner, arithmetic=name)
