"""`auto()` and `device_scope` on accelerators: TensorFlow's own, real device mechanism over simulated hardware."""

import json
import os
import subprocess
import sys

import pytest
from live_prelude import only_tf2
from selftest_prelude import stages
from test_live_auto import AUTO, REPORT

pytestmark = only_tf2

#: Where a model's weights are, after training; logical names, which count what is visible.
WEIGHTS = """
def place(variable):
    inner = getattr(variable, "value", variable)
    return (variable if callable(inner) else inner).device.rpartition("device:")[2]
def trained_on():
    layers = [tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile("adam", "mse", jit_compile=False)
    model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), verbose=0)
    return sorted({place(weight) for weight in model.weights})
"""


@pytest.fixture(scope="module")
def hanging(simulated_gpu, tmp_path_factory):
    """A program on a GPU that never answers. It waits out a trial's limit, so it starts first and is asked last."""
    folder = tmp_path_factory.mktemp("hanging")
    environ = dict(os.environ, **simulated_gpu, DEVICEKIT_SIM_FAULT="hang", DEVICEKIT_CACHE_DIR=str(folder / "cache"))
    process = subprocess.Popen(
        [sys.executable, "-c", AUTO + REPORT],
        cwd=str(folder),
        env=dict(environ, TF_CPP_MIN_LOG_LEVEL="3"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.kill()
    process.communicate()


@pytest.fixture(scope="module", autouse=True)
def _started(request):
    """Start it with the first test that runs, where the last one is going to."""
    if any(item.name == "test_a_gpu_that_hangs_falls_back_for_real" for item in request.session.items):
        request.getfixturevalue("hanging")


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
        ("missing", "op-unsupported"),
        ("oom", "out-of-memory"),
        ("create", "driver-unhealthy"),
        ("missing@Tanh", "op-unsupported"),
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


#: An operation that a stage of the self-test is the first to run.
FIRST = {
    "product": "MatMul",
    "elementwise": "Tanh",
    "random": "StatelessRandom",
    "convolution": "Conv2D",
    "train": "TanhGrad",
}
ENDINGS = {"raise": "raised", "wrong": "wrong", "crash": "died", "abort": "died", "hang": "hung"}


def test_a_fault_is_seen_at_its_stage(program, simulated_gpu):
    # Wrong values at each stage, the other endings at some: tests/selftest/test_stages.py has all, without a framework.
    # The limit of what hangs leaves time for the import.
    cases = [("wrong", stage) for stage in FIRST] + [("raise", "product"), ("raise", "train"), ("crash", "elementwise")]
    cases += [("crash", "convolution"), ("abort", "random"), ("hang", "convolution")]
    faults = ["%s@%s" % (fault, FIRST[stage]) for fault, stage in cases]
    limits = [(fault, 30.0) if fault.startswith("hang") else fault for fault in faults]
    found = stages(program, "DEVICEKIT_SIM_FAULT", {}, ["", *limits], env=simulated_gpu)
    gpu = "/physical_device:GPU:0"
    right = [(fault, ENDINGS[kind], stage, gpu) for fault, (kind, stage) in zip(faults, cases)]
    assert found == [("", "works", "train", gpu), *right]


def test_a_gpu_that_fails_in_this_process_only_is_given_up(program, simulated_gpu):
    """The result of yesterday says that it works; today it does not."""
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


@pytest.mark.parametrize("asked, logical", [("gpu:1", ["GPU:0"]), ("gpu:0,1", ["GPU:0", "GPU:1"])])
def test_one_of_several_gpus_or_all(program, simulated_gpu, asked, logical):
    code = """
import numpy as np
import tensorflow as tf
seen = [device for device in tf.config.get_visible_devices() if device.device_type == "GPU"]
growth = [tf.config.experimental.get_memory_growth(device) for device in seen]
listed = [device.name.rpartition("device:")[2] for device in tf.config.list_logical_devices("GPU")]
print(json.dumps([selection.to_dict(), [device.name for device in seen], growth, listed, trained_on()]))
"""
    selection, names, growth, listed, weights = program(AUTO + WEIGHTS + code, asked, env=simulated_gpu)
    assert (selection["device"], selection["verified"], selection["fallback"]) == (asked, True, False)
    assert names == ["/physical_device:GPU:" + number for number in asked[4:].split(",")]
    assert (growth, listed, weights) == ([True] * len(names), logical, ["GPU:0"])


@pytest.mark.parametrize("asked", ["gpu:2", "gpu:0,2"])
def test_a_number_that_no_gpu_has(program, simulated_gpu, asked):
    data = program(AUTO + REPORT, asked, env=simulated_gpu)
    selection = data["selection"]
    assert (selection["device"], selection["fallback"], data["visible"]) == ("cpu", True, ["CPU"])
    assert "GPU:0, /physical_device:GPU:1" in selection["findings"][0]["evidence"][0]["text"]


def test_a_limit_that_tensorflow_ignores_is_said_and_memory_grows(program, simulated_gpu):
    """Plug-ins' devices take no limit; TensorFlow accepts one and says nothing."""
    code = """
import warnings
import devicekit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto(memory="64MiB")
import json
import tensorflow as tf
gpu = tf.config.list_physical_devices("GPU")[0]
told = [w.message.finding.code for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
growth = tf.config.experimental.get_memory_growth(gpu)
tf.zeros(100 << 18)  # 100 MiB: the limit would not let it
print(json.dumps([selection.device, told, growth, [change.name for change in selection.changes]]))
"""
    device, told, growth, changes = program(code, env=simulated_gpu)
    assert (device, told, growth) == ("gpu:0", ["setting-invalid"], True)
    assert changes == ["visible_devices", "memory_growth of /physical_device:GPU:0"]


def test_fit_in_a_scope_and_the_memory_that_it_takes(program, simulated_gpu):
    code = """
import json
import numpy as np
import tensorflow as tf
import devicekit
seen = {}
with devicekit.device_scope("gpu:1"):
    seen["gpu:1"] = trained_on()
    with devicekit.device_scope("cpu"):
        seen["cpu"] = trained_on()
    seen["back"] = trained_on()
seen["outside"] = trained_on()
with devicekit.device_scope("gpu:1"):
    block = tf.zeros(10 << 18)
used = [tf.config.experimental.get_memory_info("GPU:%d" % number)["peak"] >> 20 for number in range(2)]
print(json.dumps([seen, used[0] < 10 <= used[1]]))
"""
    seen, right = program(WEIGHTS + code, env=simulated_gpu)
    assert seen == {"gpu:1": ["GPU:1"], "cpu": ["CPU:0"], "back": ["GPU:1"], "outside": ["GPU:0"]}
    assert right


def test_a_gpu_that_hangs_falls_back_for_real(hanging):
    data = json.loads(hanging.communicate(timeout=300)[0].decode().strip().splitlines()[-1])
    selection = data["selection"]
    assert (selection["device"], selection["fallback"], selection["verified"]) == ("cpu", True, True)
    assert "no answer within" in selection["findings"][0]["summary"]
    assert data["visible"] == ["CPU"]
    assert data["losses"][1] < data["losses"][0]
    assert [item[:2] for item in data["warnings"]] == [["FallbackWarning", "device-lost"]]
