"""`auto(exclusive=True)` with a real framework on simulated hardware: one process has the GPU, the next one does not."""

import json
import os
import subprocess
import sys

import pytest
from live_prelude import only_tf2

pytestmark = only_tf2

PROGRAM = """
import json, sys, warnings
import devicekit
warnings.simplefilter("ignore")
selection = devicekit.auto("gpu", exclusive=json.loads(sys.argv[1]))
import tensorflow as tf
print(json.dumps({
    "device": selection.device, "reason": selection.reason, "codes": [item.code for item in selection.findings],
    "changes": [change.name for change in selection.changes], "again": devicekit.auto("gpu", exclusive=0).device,
    "visible": [device.device_type for device in tf.config.get_visible_devices()],
}), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def start(simulated_gpu, tmp_path):
    """Return a function that starts the program with so long to wait."""
    running = []
    folders = {"DEVICEKIT_LEASE_DIR": str(tmp_path / "leases"), "DEVICEKIT_CACHE_DIR": str(tmp_path / "cache")}

    def begin(exclusive):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(exclusive)],
            cwd=str(tmp_path),
            env=dict(os.environ, **simulated_gpu, **folders, TF_CPP_MIN_LOG_LEVEL="3"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stdin.close()


def told(process):
    return json.loads(process.stdout.readline().decode())


def test_one_process_has_the_gpu_until_it_ends(start):
    first = start(True)
    data = told(first)
    assert (data["device"], data["visible"], data["again"]) == ("gpu:0", ["CPU", "GPU"], "gpu:0")
    assert data["reason"].endswith("leased for this process alone")
    assert data["changes"][0] == "DEVICEKIT_LEASED"
    second = told(start(0.5))
    assert (second["device"], second["visible"], second["codes"][0]) == ("cpu", ["CPU"], "device-busy")
    assert "DEVICEKIT_LEASED" not in second["changes"]
    first.kill()
    assert told(start(60))["device"] == "gpu:0"
