"""The plug-in on simulated machines: no NPU is needed, and no framework."""

import json
import os

import pytest
from devicekit_npu import NpuPlatform

from devicekit.plugins.simulation import judge, machine_from

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


@pytest.fixture
def examine(tmp_path):
    """Return a function that judges the machine with two NPUs, changed as a test needs it."""
    with open(os.path.join(MACHINES, "two-npus", "host.json"), encoding="utf-8") as stream:
        host = json.load(stream)

    def run(files=(), env=()):
        host["files"].update(files)
        host["env"] = dict(env)
        (tmp_path / "host.json").write_text(json.dumps(host), encoding="utf-8")
        return judge(machine_from(str(tmp_path), NpuPlatform()), NpuPlatform())

    return run


def npus(diagnosis):
    return [(item.device, item.usable, item.blocked_by) for item in diagnosis.candidates if item.platform == "npu"]


def test_two_npus_one_of_which_may_be_opened(examine):
    diagnosis = examine()
    assert npus(diagnosis) == [("npu:0", None, ()), ("npu:1", False, ("device-permission-denied",))]
    assert diagnosis.by_code("plugin-broken") is None


def test_an_old_driver_blocks_both(examine):
    diagnosis = examine(files={"/sys/module/npu/version": "2.0.9\n"})
    assert all("npu-driver-too-old" in codes for _, _, codes in npus(diagnosis))


def test_the_users_variable_counts(examine):
    diagnosis = examine(env={"NPU_VISIBLE_DEVICES": ""})
    assert npus(diagnosis) == []
    assert diagnosis.by_code("device-hidden") is not None
