"""Devices that compute wrong, each in its own way: the layer is named, and so is what training makes of it."""

import pytest
from live_prelude import only_tf2
from wrong_device import CASES, PROGRAM, check

pytestmark = only_tf2


@pytest.mark.parametrize("fault", sorted(CASES))
def test_tensorflow(program, simulated_gpu, fault):
    found = program(PROGRAM, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT=fault))
    details = check(found, fault)
    assert found["compiled"] == ["", "tf.function"]
    assert {"nan": "NaN in", "padding": "shifted by", "stale": "earlier"}.get(fault, "") in details
