"""The real nvidia-ml-py in the real child of a Windows Python, on an nvml.dll that tells what a text says."""

import json
import os
import shutil
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "tests", "hardware")]

import build  # noqa: E402
from windows_environment import Windows  # noqa: E402

GPU = "driver=552.22\ncuda=12.4\ngpu=NVIDIA GeForce RTX 4060\nmem=8188/7000\ncc=8.9\nproc=4711:512\n"

#: NVML is asked without a hurry: a process of Wine's takes long to start.
ASKS = """
import json, sys
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
import devicekit
machine = read_machine(LiveHost(deadline_s=float(sys.argv[1])))
diagnosis = devicekit.diagnose(machine)
codes = [[item.code for item in diagnosis.findings], [item.code for item in diagnosis.not_evaluated]]
print("ANSWER " + json.dumps([machine.driver.to_dict(), codes]))
"""

PLACES = {"now": ("windows", "system32"), "before": ("Program Files", "NVIDIA Corporation", "NVSMI")}


@pytest.fixture(scope="module")
def windows():
    with Windows(os.environ["DEVICEKIT_TEST_WINDOWS"]) as environment:
        yield environment


@pytest.fixture
def ask(windows, tmp_path):
    """Return a function that returns what is known of the driver where nvml.dll is in a place and tells what a text says."""
    placed = []

    def run(text, place="now", deadline_s=60):
        folder = os.path.join(windows.drive, *PLACES[place])
        os.makedirs(folder, exist_ok=True)
        placed.append(shutil.copy(build.build_nvml_dll(str(tmp_path)), folder))
        status, output = windows.run(["-c", ASKS, str(deadline_s)], 200, SIM_NVML=text)
        assert status == 0, output[-3000:]
        return json.loads(output.splitlines()[-1][len("ANSWER ") :])

    yield run
    for path in placed:
        os.unlink(path)


@pytest.mark.parametrize("place", PLACES)
def test_the_gpu_is_seen(ask, place):
    driver, (found, _) = ask(GPU, place)
    assert "no-gpu" not in found
    (gpu,) = driver["gpus"]["value"]
    assert (gpu["name"], gpu["memory_bytes"]["value"]) == ("NVIDIA GeForce RTX 4060", 8188 << 20)
    assert (gpu["compute_capability"]["value"], gpu["processes"]["value"][0]["pid"]) == ("8.9", 4711)
    assert (driver["nvidia_version"]["value"], driver["cuda_version"]["value"]) == ("552.22", "12.4")
    assert driver["nvml"]["source"].lower() == "\\".join(("C:", *PLACES[place], "nvml.dll")).lower()


@pytest.mark.parametrize(
    "rule, words",
    [("hang=nvmlInit", "no answer within"), ("crash=nvmlInit", ""), ("fail=nvmlInit:9", "Driver Not Loaded")],
)
def test_a_driver_that_fails_is_unknown_and_not_absent(ask, rule, words):
    driver, codes = ask(GPU + rule + "\n", deadline_s=20)
    assert driver["nvml"]["status"] == "unknown"
    assert words in driver["nvml"]["problem"]
    assert "no-gpu" not in codes[0]
