"""Errors that say that a device has no kernel, as the frameworks put it, and errors that do not."""

import pytest

from devicekit.errors import one_line
from devicekit.logs.errors import is_missing_kernel
from devicekit.runtime.frameworks.tensors import fallback_operators


@pytest.mark.parametrize(
    "error",
    [
        NotImplementedError("The operator 'aten::median' is not currently implemented for the MPS device."),
        RuntimeError("Could not run 'aten::empty.memory_format' with arguments from the 'sim' backend."),
        RuntimeError("\"lstm_cpu\" not implemented for 'Half'"),
        ValueError("No OpKernel was registered to support Op 'Conv3D' used by node x with these attrs"),
        ValueError("Could not satisfy device specification '/device:DML:0'"),
        RuntimeError("UNIMPLEMENTED: sort is not implemented"),
        TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64."),
    ],
)
def test_no_kernel(error):
    assert is_missing_kernel(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("shapes (3,) and (4,) not aligned"),
        RuntimeError("CUDA out of memory"),
        RuntimeError("Expected all tensors to be on the same device, but found at least two devices"),
    ],
)
def test_another_error(error):
    assert not is_missing_kernel(error)


def test_operators_that_fell_back_are_named_once():
    text = "The operator 'aten::%s' is not currently supported on the MPS backend and will fall back to run on the CPU."
    assert fallback_operators([text % "median", "something else", text % "cummax", text % "median"]) == (
        "aten::median",
        "aten::cummax",
    )


def test_keras_puts_a_part_in_bold():
    error = ValueError("Exception encountered when calling Dense.call().\n\n\x1b[1mWrong shape\x1b[0m\n\nArguments: x")
    expected = "ValueError: Exception encountered when calling Dense.call(). Wrong shape Arguments: x"
    assert one_line(error) == expected
