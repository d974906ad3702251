"""An accelerator that a plug-in adds, in the real TensorFlow: the example of the documentation over simulated hardware."""

import os
import shutil

import pytest
from live_prelude import only_tf2
from platform_prelude import install_example

pytestmark = only_tf2

TRAIN = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import devicekit
asked = sys.argv[1]
selection = devicekit.auto(asked)
import numpy as np
import tensorflow as tf
def place(variable):
    inner = getattr(variable, "value", variable)
    return (variable if callable(inner) else inner).device.rpartition("device:")[2]
def train():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=False)
    history = model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0).history["loss"]
    return sorted({place(weight) for weight in model.weights}), history
places, losses = train()
scopes = {}
for device in sys.argv[2:]:
    with devicekit.device_scope(device) as inside:
        scopes[device] = [inside.device, inside.platform, tf.constant([1.0]).device.rpartition("device:")[2]]
print(json.dumps({
    "selection": selection.to_dict(), "places": places, "losses": losses, "scopes": scopes,
    "visible": [device.device_type for device in tf.config.get_visible_devices()],
    "allocator": os.environ.get("NPU_ALLOCATOR"),
}))
"""


@pytest.fixture(scope="module")
def npu(simulated_gpu, tmp_path_factory):
    """The variables with which the real TensorFlow has two NPUs, and devicekit the plug-in for them."""
    site, variables = install_example(tmp_path_factory.mktemp("npu"))
    simulated = simulated_gpu["PYTHONPATH"].split(os.pathsep)[-1]
    (site / "tensorflow-plugins").mkdir()
    library = os.path.join(simulated, "tensorflow-plugins", "libdevicekit_simulated.so")
    shutil.copyfile(library, str(site / "tensorflow-plugins" / "libnpu_tensorflow.so"))
    return dict(variables, DEVICEKIT_SIM_TYPE="NPU", DEVICEKIT_SIM_PLATFORM="ACME", DEVICEKIT_SIM_MEMORY_MB="256")


def test_a_model_is_trained_on_it(program, npu):
    data = program(TRAIN, "npu:1", "npu:1", "npu:0", "cpu", env=npu)
    selection = data["selection"]
    assert (selection["device"], selection["platform"], selection["name"]) == ("npu:1", "npu", "Acme NPU 500")
    assert (selection["verified"], selection["fallback"]) == (True, False)
    changes = {change["name"]: change["value"] for change in selection["changes"]}
    assert changes["NPU_ALLOCATOR"] == data["allocator"] == "grow"
    assert changes["visible_devices"] == "[/physical_device:NPU:1]"
    assert data["visible"] == ["CPU", "NPU"]
    assert data["places"] == ["NPU:0"]  # TensorFlow counts what is visible
    assert data["losses"][1] < data["losses"][0]
    assert data["scopes"]["npu:1"] == ["npu:1", "npu", "NPU:0"]
    assert data["scopes"]["npu:0"][0] == "cpu"  # it is hidden
    assert data["scopes"]["cpu"] == ["cpu", "cpu", "CPU:0"]


def test_a_gpu_is_none_of_them(program, npu):
    data = program(TRAIN, "gpu", env=npu)
    assert (data["selection"]["device"], data["selection"]["fallback"]) == ("cpu", True)
    # TensorFlow makes all devices of a type of which none is visible, unless it is told not to.
    assert data["places"] == ["CPU:0"]
    assert data["visible"] == ["CPU"]
    assert data["allocator"] is None


def test_without_the_plug_in_it_is_a_strangers(program, npu):
    code = """
import json, devicekit
found = devicekit.diagnose().candidates
try:
    devicekit.select_device("npu")
    message = ""
except ValueError as error:
    message = str(error)
print(json.dumps({"platforms": [item.platform for item in found], "message": message}))
"""
    assert program(code, env=npu) == {"platforms": ["npu", "npu", "cpu"], "message": ""}
    data = program(code, env=dict(npu, DEVICEKIT_PLUGINS="0"))
    assert data["platforms"] == ["pluggable", "cpu"]
    assert "unknown device 'npu'" in data["message"]


def test_verify_computes_on_each(program, npu):
    code = """
import json, devicekit
found = devicekit.verify("tensorflow").frameworks[0]
seen = found.observed
print(json.dumps([seen.imports, seen.computes, list(seen.devices), list(found.predicted.devices)]))
"""
    # Whether a model trains is another matter: Keras 3 compiles with XLA by itself, and this device has none.
    assert program(code, env=npu) == [True, True, ["CPU:0", "NPU:0", "NPU:1"], ["CPU:0"]]
