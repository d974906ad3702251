"""The same faults in a device of PyTorch."""

import pytest
from wrong_device import CASES, PROGRAM, check


@pytest.mark.parametrize("fault", sorted(CASES))
def test_pytorch(program, simulated_torch, fault):
    check(program(PROGRAM, env=dict(simulated_torch, DEVICEKIT_SIM_FAULT=fault)), fault)
