"""Devices that compute wrong, each in its own way: the layer is named, and so is what training makes of it."""

import pytest
from live_prelude import only_tf2
from wrong_device import CASES, COARSE, PROGRAM, check, check_coarse

pytestmark = only_tf2


@pytest.mark.parametrize("fault", sorted(CASES))
def test_tensorflow(program, simulated_gpu, fault):
    found = program(PROGRAM, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT=fault))
    details = check(found, fault)
    assert found["compiled"] == ["", "tf.function"]
    assert {"nan": "NaN in", "padding": "shifted by", "stale": "earlier"}.get(fault, "") in details


def test_tensor_cores_are_no_fault_and_excuse_none(program, simulated_gpu):
    check_coarse(program(COARSE, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT="tf32")), "images", "sequences")
    wrong = program(COARSE, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT="tf32,gradient"))["images"]
    assert wrong["wrong"][0] == "bent: gradient of kernel" or "straight: gradient of kernel" in wrong["wrong"], wrong
    assert "sgd" in wrong["astray"]
