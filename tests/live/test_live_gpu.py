"""`auto()` and `device_scope` on accelerators: TensorFlow's own, real device mechanism over simulated hardware."""

import pytest
from live_prelude import only_tf2
from test_live_auto import AUTO, REPORT

pytestmark = only_tf2


def test_a_gpu_that_works_is_used(program, simulated_gpu):
    data = program(AUTO + REPORT, env=simulated_gpu)
    selection = data["selection"]
    assert (selection["device"], selection["verified"], selection["fallback"]) == ("gpu:0", True, False)
    assert data["visible"] == ["CPU", "GPU"]
    names = [change["name"] for change in selection["changes"]]
    assert names == ["visible_devices", "memory_growth of /physical_device:GPU:0"]
    assert data["losses"][1] < data["losses"][0]
    assert data["warnings"] == []


def test_the_verdict_is_cached(program, simulated_gpu, tmp_path):
    program(AUTO + REPORT, env=simulated_gpu)
    (verdict,) = (tmp_path / "cache").iterdir()
    before = verdict.stat().st_mtime_ns
    program(AUTO + REPORT, env=simulated_gpu)
    assert verdict.stat().st_mtime_ns == before
    program(AUTO + REPORT, env=dict(simulated_gpu, DEVICEKIT_VERIFY="always"))
    assert verdict.stat().st_mtime_ns > before


@pytest.mark.parametrize(
    "fault, code",
    [
        ("crash", "device-lost"),
        ("abort", "device-lost"),
        ("raise", "driver-unhealthy"),
        ("wrong", "numerics-divergent"),
        ("oom", "out-of-memory"),
        ("create", "driver-unhealthy"),
    ],
)
def test_a_gpu_that_fails_falls_back_for_real(program, simulated_gpu, fault, code):
    data = program(AUTO + REPORT, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT=fault))
    selection = data["selection"]
    assert (selection["device"], selection["fallback"], selection["verified"]) == ("cpu", True, True)
    assert selection["findings"][0]["code"] == code
    assert data["visible"] == ["CPU"]
    assert data["losses"][1] < data["losses"][0]
    assert [item[:2] for item in data["warnings"]] == [["FallbackWarning", code]]


def test_a_gpu_that_fails_in_this_process_only_is_given_up(program, simulated_gpu):
    """The verdict of yesterday says that it works; today it does not."""
    program(AUTO + REPORT, env=simulated_gpu)
    data = program(AUTO + REPORT, env=dict(simulated_gpu, DEVICEKIT_SIM_FAULT="raise"))
    selection = data["selection"]
    assert (selection["device"], selection["fallback"], selection["verified"]) == ("cpu", True, True)
    assert data["visible"] == ["CPU"]
    assert data["losses"][1] < data["losses"][0]
    assert "runtime" in [change["name"] for change in selection["changes"]]


def test_no_place_for_the_verdict_is_said_and_stops_nothing(program, simulated_gpu, tmp_path):
    (tmp_path / "file").write_text("")
    data = program(AUTO + REPORT, env=dict(simulated_gpu, DEVICEKIT_CACHE_DIR=str(tmp_path / "file")))
    assert data["selection"]["device"] == "gpu:0"
    assert [item[:2] for item in data["warnings"]] == [["ConfigurationWarning", "cache-unwritable"]]


def test_the_cpu_was_asked_for(program, simulated_gpu):
    data = program(AUTO + REPORT, "cpu", env=simulated_gpu)
    assert (data["selection"]["device"], data["visible"], data["warnings"]) == ("cpu", ["CPU"], [])


def test_scopes_on_gpus(program, simulated_gpu):
    code = """
import json
import tensorflow as tf
import devicekit
places = {}
with devicekit.device_scope("gpu:1") as selection:
    places["gpu:1"] = tf.Variable([1.0]).device
    with devicekit.device_scope("cpu"):
        places["cpu"] = tf.Variable([1.0]).device
    places["back"] = tf.Variable([1.0]).device
with devicekit.device_scope("/GPU:0"):
    places["/GPU:0"] = tf.Variable([1.0]).device
print(json.dumps([{k: v.rpartition("device:")[2] for k, v in places.items()}, selection.device]))
"""
    places, device = program(code, env=simulated_gpu)
    assert places == {"gpu:1": "GPU:1", "cpu": "CPU:0", "back": "GPU:1", "/GPU:0": "GPU:0"}
    assert device == "gpu:1"


def test_a_number_means_the_same_gpu_before_and_after_auto(program, simulated_gpu):
    code = """
import json, warnings
warnings.simplefilter("ignore")
import devicekit
import tensorflow as tf
tf.config.set_visible_devices(tf.config.list_physical_devices("GPU")[1], "GPU")
with devicekit.device_scope("gpu:1") as there:
    place = tf.Variable([1.0]).device
with devicekit.device_scope("gpu:0") as hidden:
    other = tf.Variable([1.0]).device
print(json.dumps([place, there.fallback, other, hidden.fallback, there.device, hidden.device, hidden.platform]))
"""
    place, there, other, hidden, *shown = program(code, env=simulated_gpu)
    assert shown == ["gpu:1", "cpu", "cpu"]
    assert place.endswith("GPU:0")  # TensorFlow's number among the visible
    assert not there
    assert other.endswith("CPU:0")
    assert hidden
