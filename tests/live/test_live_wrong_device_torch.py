"""The same faults in a device of PyTorch."""

import pytest
from wrong_device import CASES, COARSE, PROGRAM, check, check_coarse


@pytest.mark.parametrize("fault", sorted(CASES))
def test_pytorch(program, simulated_torch, fault):
    check(program(PROGRAM, env=dict(simulated_torch, DEVICEKIT_SIM_FAULT=fault)), fault)


def test_tensor_cores_are_no_fault(program, simulated_torch):
    found = program(COARSE, env=dict(simulated_torch, DEVICEKIT_SIM_FAULT="tf32"))
    check_coarse(found, "images", "sequences")


@pytest.mark.parametrize("fault", ["tf32input", "tf32filter"])
def test_neither_are_they_where_only_one_gradient_uses_them(program, simulated_torch, fault):
    found = program(COARSE, env=dict(simulated_torch, DEVICEKIT_SIM_FAULT=fault))
    check_coarse(found)
    assert (found["images"]["severities"], found["sequences"]["severities"]) == (["info"], [])
