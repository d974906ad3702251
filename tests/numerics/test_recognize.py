"""Each look of a wrong result is named, and nothing is named that is not there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devicekit.measure.numerics.recognize import place, recognize, share

LIMIT = 1e-5


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def seen(actual, reference, **more):
    return str(recognize(np.asarray(actual), np.asarray(reference), dtype="float32", tolerance=LIMIT, **more))


def noise(array, seed=1):
    """Clean rounding: every pattern must be seen through it."""
    return (array * (1 + numbers(*array.shape, seed=seed) * 5e-8)).astype(np.float32)


RIGHT = numbers(4, 16, 12)


def changed(change):
    copy = noise(RIGHT)
    change(copy)
    return copy


def put(where, value):
    def change(array):
        array[where] = value

    return change


@pytest.mark.parametrize(
    "actual, text",
    [
        (noise(RIGHT), ""),
        (changed(put((1, 2, 3), np.nan)), "NaN in 1 element, only at (1, 2, 3)"),
        (changed(put(Ellipsis, np.nan)), "NaN in 768 elements"),
        (changed(put((slice(None), 3), np.inf)), "infinity in 48 elements, only in 3 of axis 1 (0 to 15)"),
        (np.zeros_like(RIGHT), "zeros"),
        (changed(put((slice(None), slice(12, None)), 0)), "zeros, only in 12..15 of axis 1, the last 4 of 16"),
        (changed(put((slice(0, 1),), 0)), "zeros, only in 0 of axis 0 (0 to 3)"),
        (-noise(RIGHT), "wrong sign"),
        (noise(RIGHT) / 12, "the right result times 1/12"),
        (noise(RIGHT) * -3, "the right result times -3"),
        (noise(RIGHT) * 1.25, "the right result times 1.25"),
        (noise(RIGHT) + np.float32(0.5), "the right result plus 0.5"),
        (np.clip(noise(RIGHT), -1, 1), "clipped at -1 and 1"),
        (np.minimum(noise(RIGHT), 1), "clipped at 1"),
        (np.roll(noise(RIGHT), 1, 1), "shifted by +1 along axis 1"),
        (np.roll(noise(RIGHT), -1, 2), "shifted by -1 along axis 2"),
        (np.roll(noise(RIGHT), (1, 1), (1, 2)), "shifted by +1 along axis 1 and +1 along axis 2"),
        (noise(RIGHT).transpose(0, 2, 1).reshape(RIGHT.shape), "axes 1 and 2 transposed"),
        (noise(RIGHT)[:, ::-1], "reversed along axis 1"),
        (np.random.default_rng(3).permutation(noise(RIGHT).ravel()).reshape(RIGHT.shape), "in another order"),
        (changed(lambda array: array.__imul__(np.where(np.arange(12) == 5, -1, 1))), "wrong sign, only in 5 of axis 2"),
        (
            changed(lambda array: put((slice(None), slice(None, None, 4)), 0)(array)),
            "zeros, only in every 4. of axis 1",
        ),
    ],
)
def test_patterns(actual, text):
    found = seen(actual, RIGHT)
    assert text in found
    assert bool(text) == bool(found)


def test_some_elements_of_one_channel():
    actual = noise(RIGHT)
    actual[:, ::3, 5] += numbers(4, 6, seed=7).astype(np.float32)
    assert seen(actual, RIGHT) == "wrong only in every 3. of axis 1 from 0 to 15 and 5 of axis 2 (0 to 11)"


def test_a_wrong_border():
    actual = noise(RIGHT)
    inner = actual[:, 1:-1, 1:-1].copy()
    actual[:] = numbers(*RIGHT.shape, seed=8)
    actual[:, 1:-1, 1:-1] = inner
    assert seen(actual, RIGHT) == "wrong only at the border of axes 1 and 2, 1 wide"


def test_a_stale_buffer_is_an_earlier_array():
    earlier, other = noise(numbers(*RIGHT.shape, seed=5)), noise(numbers(7, seed=6))
    text = "stale: equal to an input or earlier result (number 1), so that the buffer was not written"
    assert seen(earlier, RIGHT, stale=(other, earlier)) == text
    half = noise(RIGHT)
    half[2:] = earlier[2:]
    assert seen(half, RIGHT, stale=(other, earlier)) == text + ", only in 2..3 of axis 0, the last 2 of 4"
    assert "stale" not in seen(earlier, RIGHT, stale=(other, noise(earlier)))


def test_a_buffer_of_another_shape_is_recognized():
    earlier = numbers(16, 48, seed=5).astype(np.float32)
    assert "number 0" in seen(earlier.reshape(RIGHT.shape), RIGHT, stale=(earlier,))


def test_what_should_not_be_finite():
    right = np.array([1.0, np.nan, np.inf, 4.0])
    assert seen([1.0, 0.0, 0.0, 4.0], right).startswith("finite numbers where NaN is right, in 2 elements")
    assert "infinity of the wrong sign" in seen([1.0, np.nan, -np.inf, 4.0], right)


@pytest.mark.parametrize(
    "wrong", [numbers(4, 16, 12, seed=9), np.abs(numbers(4, 16, 12, seed=9)) + 1, RIGHT**3 + RIGHT]
)
def test_other_numbers_are_no_pattern(wrong):
    assert seen(wrong.astype(np.float32), RIGHT) == ""


@pytest.mark.parametrize("level", [3e-5, 3e-4, 3e-3])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_coarse_rounding_is_no_pattern(level, seed):
    right = numbers(6, 40, seed=seed)
    for reference in (right, np.abs(right), right + 100):
        actual = (reference * (1 + level * numbers(6, 40, seed=seed ^ 1))).astype(np.float32)
        assert recognize(actual, reference, dtype="float32", tolerance=LIMIT).pattern == ""


def test_a_symmetric_or_constant_array_has_no_transpose_and_no_shift():
    ones = np.ones((8, 8))
    assert seen(ones * 2, ones) == ""  # any factor, any constant
    symmetric = numbers(8, 8)
    symmetric = symmetric + symmetric.T
    assert "transposed" not in seen(-symmetric, symmetric)


def test_one_number_has_no_pattern():
    assert seen(np.float32(2), np.float64(1)) == ""
    assert seen([2.0], [1.0]) == ""


def test_a_huge_array_is_looked_at_in_part():
    right = numbers(5000, 1000)
    actual = right.astype(np.float32)
    actual[4000:] *= -1
    assert seen(actual, right) == "wrong sign"


@pytest.mark.parametrize(
    "shape, where, text",
    [
        ((64,), slice(61, None), "only in 61..63 of axis 0, the last 3 of 64"),
        ((64,), slice(0, 5), "only in 0..4 of axis 0, the first 5 of 64"),
        ((8, 8), (2, slice(3, 5)), "only in 2 of axis 0 (0 to 7) and 3..4 of axis 1, 2 of 8"),
        ((8, 8), (slice(None), slice(None)), ""),
        ((8, 8), (3, 3), "only at (3, 3)"),
        ((8, 8), ([1, 5], slice(None)), "only in 1, 5 of axis 0 (0 to 7)"),
    ],
)
def test_places(shape, where, text):
    wrong = np.zeros(shape, bool)
    wrong[where] = True
    assert place(wrong) == text


def test_scattered_elements_have_no_place():
    wrong = np.random.default_rng(0).random((20, 20)) < 0.3
    assert place(wrong) == ""
    assert share(wrong) == "in %d of 400 elements" % wrong.sum()
    assert share(np.ones(3, bool)) == ""
