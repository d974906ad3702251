"""Examples that another process makes up: the same shapes and dtypes, and integers that the real ones allow."""

import json

import numpy as np
import pytest

from devicekit.measure.batch_size.model_transfer import examples_of, made_up


def again(spec, count):
    """Make examples from what has travelled as JSON."""
    return made_up(json.loads(json.dumps(spec)), count)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"])
@pytest.mark.parametrize("count", [1, 64, 200])
def test_arrays_keep_their_shape_and_dtype(dtype, count):
    found = examples_of(np.ones((5, 3, 2), dtype), np.arange(5))
    inputs, targets = again(found.x, count), again(found.y, count)
    assert (inputs.shape, inputs.dtype) == ((count, 3, 2), np.dtype(dtype))
    assert targets.shape == (count,)
    assert 0 <= targets.min() <= targets.max() <= 4
    assert found.count == 5


def test_lists_and_dictionaries_stay_what_they_are():
    x = {"image": np.zeros((4, 8), "float32"), "pair": (np.zeros((4, 1)), np.full((4, 2), 7))}
    found = examples_of(x, [np.zeros((4, 3)), np.zeros((4,), "int32")])
    inputs, targets = again(found.x, 6), again(found.y, 6)
    assert inputs["image"].shape == (6, 8)
    assert isinstance(inputs["pair"], tuple)
    assert inputs["pair"][1].max() <= 7
    assert [item.shape for item in targets] == [(6, 3), (6,)]
    assert examples_of([[1.0, 2.0], [3.0, 4.0]], None).y is None


def test_a_data_set_is_looked_at_by_its_first_batch():
    class Sequence:
        def __len__(self):
            return 9

        def __getitem__(self, number):
            return np.zeros((16, 3)), np.zeros((16,), "int64")

    found = examples_of(Sequence(), None)
    assert (found.count, again(found.x, 2).shape, again(found.y, 2).dtype) == (None, (2, 3), np.dtype("int64"))
    assert examples_of(iter([(np.zeros((2, 5)),)]), None).y is None
    with pytest.raises(ValueError, match="leave y out"):
        examples_of(Sequence(), np.zeros(16))
    with pytest.raises(ValueError, match="yields nothing"):
        examples_of(iter([]), None)


@pytest.mark.parametrize(
    "x, y, message",
    [
        (np.zeros((3, 2)), np.zeros(4), "the same number of examples"),
        (np.zeros((0, 2)), np.zeros(0), "at least one"),
        (np.array(["a", "b"]), None, "x holds .*; only numbers"),
        (np.array([object()]), None, "only numbers"),
        ({"a": np.zeros((2, 1)), "b": np.array(["x", "y"])}, None, r"x\['b'\] holds"),
        (np.float32(3.0), None, "single number"),
        (5, None, "x is a int"),
    ],
)
def test_what_cannot_be_made_up_is_refused(x, y, message):
    with pytest.raises(ValueError, match=message):
        examples_of(x, y)
