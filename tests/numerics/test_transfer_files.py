"""What travels to a worker comes out as it went in."""

import numpy as np

from devicekit.measure.numerics.layers.runner import LayerOutcome
from devicekit.measure.numerics.transfer_worker import read_nest, read_outcome, write_nest, write_outcome
from devicekit.runtime.frameworks.tensors import HostArray


def test_nests_of_arrays(tmp_path):
    value = {"a": np.arange(3), "b": [np.ones((2, 2), np.float32), None]}
    again = read_nest(str(tmp_path), write_nest(str(tmp_path), "inputs", value))
    assert list(again) == ["a", "b"]
    np.testing.assert_array_equal(again["a"], value["a"])
    assert again["b"][0].dtype == np.float32
    assert again["b"][1] is None


def test_a_single_array(tmp_path):
    again = read_nest(str(tmp_path), write_nest(str(tmp_path), "inputs", np.float32([1, 2])))
    np.testing.assert_array_equal(again, np.float32([1, 2]))


def test_outcomes(tmp_path):
    outcome = LayerOutcome(
        [HostArray(np.float32([1.5]), "bfloat16")],
        [None, np.float32([2])],
        [HostArray(np.int32([3]), "int32")],
        "cpu:0",
    )
    again = read_outcome(str(tmp_path), write_outcome(str(tmp_path), "call0", outcome))
    assert (again.outputs[0].dtype, again.outputs[0].array.tolist()) == ("bfloat16", [1.5])
    assert again.gradients[0] is None
    assert again.gradients[1].tolist() == [2.0]
    assert (again.updates[0].dtype, again.updates[0].array.tolist(), again.ran_on) == ("int32", [3], "cpu:0")
