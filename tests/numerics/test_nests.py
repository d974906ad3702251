"""Nested structures of arrays, and the framework that a function is written for."""

import collections
import functools

import numpy as np
import pytest

from devicekit.measure.numerics.functions.examine import written_for
from devicekit.runtime.frameworks.tensors import flatten, rebuild

Pair = collections.namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    "value, paths",
    [
        (1, [""]),
        ([1, 2], ["0", "1"]),
        ({"b": 1, "a": (2, 3)}, ["b", "a.0", "a.1"]),
        (Pair(1, [2]), ["left", "right.0"]),
        (collections.OrderedDict(x=None, y=4), ["y"]),
        ((), []),
    ],
)
def test_leaves_are_taken_out_and_put_back(value, paths):
    found = flatten(value)
    assert [path for path, _ in found] == paths
    again = rebuild(value, [leaf for _, leaf in found])
    assert again == value
    assert type(again) is type(value)


def test_an_array_is_a_leaf():
    array = np.zeros((2, 2))
    assert flatten([array])[0][1] is array


def plain(x):
    return x


def test_a_function_that_names_no_framework_is_written_for_none():
    assert written_for(plain, [np.zeros(3)]) is None
    assert written_for(functools.partial(plain, 1), []) is None
    assert written_for(lambda x: np.tanh(x), []) is None
