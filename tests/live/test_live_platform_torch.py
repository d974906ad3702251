"""An accelerator that a plug-in adds and registers by a call of its own, in the real PyTorch over a simulated device."""

import os
import shutil

import pytest
from platform_prelude import install_example

TRAIN = """
import json, sys, warnings
warnings.simplefilter("ignore")
import devicekit
selection = devicekit.auto(sys.argv[1])
import keras
import numpy as np
model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
model.compile("adam", "mse")
losses = model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0).history["loss"]
scopes = {}
for device in sys.argv[2:]:
    with devicekit.device_scope(device) as inside:
        scopes[device] = [inside.device, str(keras.ops.ones(2).device)]
places = sorted({str(weight.value.device) for weight in model.weights})
print(json.dumps({"selection": selection.to_dict(), "places": places, "losses": losses, "scopes": scopes}))
"""


@pytest.fixture
def npu(simulated_torch, tmp_path):
    """The variables with which PyTorch can have two NPUs, once someone imports ``torch_npu``."""
    site, variables = install_example(tmp_path)
    simulated = simulated_torch["PYTHONPATH"].split(os.pathsep)[-1]
    shutil.copyfile(
        os.path.join(simulated, "libdevicekit_simulated_torch.so"), str(site / "libdevicekit_simulated_torch.so")
    )
    with open(os.path.join(simulated, "devicekit_simulated_torch.py"), encoding="utf-8") as stream:
        text = stream.read().replace('"sim"', '"npu"').replace('"torch.sim"', '"torch.npu"')
    (site / "torch_npu.py").write_text(text + "\n\nload()\n", encoding="utf-8")
    return dict(variables, KERAS_BACKEND="torch")


def test_a_model_is_trained_on_it(program, npu):
    data = program(TRAIN, "npu:1", "npu", "cpu", env=npu)
    selection = data["selection"]
    assert (selection["device"], selection["verified"], selection["fallback"]) == ("npu:1", True, False)
    assert data["places"] == ["npu:1"]
    assert data["losses"][1] < data["losses"][0]
    assert data["scopes"] == {"npu": ["npu:0", "npu:0"], "cpu": ["cpu", "cpu"]}


def test_a_registration_that_fails_is_a_finding(program, npu):
    site = npu["PYTHONPATH"].split(os.pathsep)[-1]
    with open(os.path.join(site, "torch_npu.py"), "w") as stream:
        stream.write("raise ImportError('libnpu.so.2: cannot open shared object file')\n")
    data = program(TRAIN, "npu", "npu:1", env=npu)
    selection = data["selection"]
    assert (selection["device"], selection["fallback"], data["places"]) == ("cpu", True, ["cpu"])
    assert selection["findings"][0]["code"] == "plugin-broken"
    assert "libnpu.so.2: cannot open" in selection["reason"]
    assert data["scopes"]["npu:1"] == ["cpu", "cpu"]
