"""The examples that a comparison runs on."""

import numpy as np
import pytest

from devicekit.measure.numerics.samples import examples, first, plain, sample
from devicekit.runtime.frameworks.tensors import flatten


def test_arrays_lists_and_dictionaries():
    values = plain({"a": np.ones((3, 2)), "b": [np.ones((3, 1)), np.zeros((3, 4))]}, "inputs")
    assert examples(values, "inputs") == 3
    assert [item.shape for _, item in flatten(first(values, 2))] == [(2, 2), (2, 1), (2, 4)]
    assert plain([[1.0, 2.0], [3.0, 4.0]], "inputs").shape == (2, 2)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array(["text"]), "only numbers.*behind its text layers"),
        ([np.ones(2), "text"], r"inputs\[1\] is a str"),
        (iter([1, 2]), "next\\(iter"),
        ([[1.0], [2.0, 3.0]], "not an array|only numbers"),
        (np.array([object()]), "only numbers"),
    ],
)
def test_what_is_no_array(values, words):
    with pytest.raises(ValueError, match=words):
        plain(values, "inputs")


def test_examples_go_together():
    with pytest.raises(ValueError, match="equally many"):
        examples([np.ones((3, 2)), np.ones((2, 2))], "inputs")
    with pytest.raises(ValueError, match="at least one example"):
        examples(np.ones((0, 2)), "inputs")
    with pytest.raises(ValueError, match="3 inputs do not go with 2 targets"):
        sample(None, np.ones((3, 2)), np.ones(2), 0, 8)
    with pytest.raises(ValueError, match="without inputs"):
        sample(None, None, np.ones(2), 0, 8)


def test_only_some_examples_are_used_and_that_is_said():
    inputs, targets, word = sample(None, np.arange(20.0).reshape(10, 2), np.arange(10), 0, 4)
    assert inputs.shape == (4, 2)
    assert targets.tolist() == [0, 1, 2, 3]
    assert word == "4 of 10 examples"
    assert sample(None, np.ones((1, 2)), None, 0, 4)[1:] == (None, "1 example")
