"""`verify()` on the real frameworks: what was predicted comes true."""

import pytest
from live_prelude import only_tf2

VERIFY = """
import json, sys
import devicekit
found = devicekit.verify(timeout_s=240.0)
assert "tensorflow" not in sys.modules
print(json.dumps(found.to_dict()))
"""


@pytest.mark.smoke
def test_the_prediction_comes_true(program):
    data = program(VERIFY, timeout=900)
    rows = {row["framework"]: row for row in data["frameworks"]}
    assert "tensorflow" in rows
    for name, row in rows.items():
        assert row["differences"] == [], row
        assert (row["agrees"], row["works"]) == (True, True), row
        assert row["observed"]["devices"] == row["predicted"]["devices"], name
        assert row["observed"]["stage"] == "train"
    assert (data["agrees"], data["works"]) == (True, True)


@only_tf2
def test_a_gpu_that_works(program, simulated_gpu):
    (row,) = program(VERIFY.replace("verify(", "verify('tensorflow', "), env=simulated_gpu, timeout=300)["frameworks"]
    assert row["observed"]["devices"] == ["CPU:0", "GPU:0", "GPU:1"]
    # It computed on both. Keras 3 then trains by XLA, which the simulated hardware does not have.
    assert (row["observed"]["stage"], row["observed"]["computes"]) == ("train", True), row
    assert not any("lists" in text for text in row["differences"])  # of an unknown plug-in only a run can tell


@only_tf2
def test_a_gpu_that_crashes(program, simulated_gpu):
    """It is listed and dies at the first operation: the diagnosis, which runs nothing, cannot know."""
    environ = dict(simulated_gpu, DEVICEKIT_SIM_FAULT="crash")
    (row,) = program(VERIFY.replace("verify(", "verify('tensorflow', "), env=environ, timeout=300)["frameworks"]
    observed = row["observed"]
    assert (observed["outcome"], observed["stage"], observed["imports"]) == ("died", "product", True), row
    assert row["works"] is False
