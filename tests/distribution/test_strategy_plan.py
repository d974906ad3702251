"""Which devices and processes train together, on simulated machines."""

import functools
import json
import os

import pytest
from recorded_machines import SIMULATED

import devicekit
from devicekit.cluster.strategy.strategy_plan import set_of_devices
from devicekit.diagnosis.findings import Candidate, Diagnosis
from devicekit.machine.facts import Fact
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.selection.plan import Plan
from devicekit.selection.request import parse_request

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "machines")
TF_CONFIG = {"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})}


@functools.lru_cache(maxsize=None)
def machine(name):
    return read_machine(SimulatedHost(os.path.join(MACHINES, name)))


def plan(name, devices="auto", environ=None, **options):
    return devicekit.cluster.plan_strategy(devices, machine=machine(name), environ=environ or {}, **options)


def codes(found):
    return [item.code for item in found.findings]


@pytest.mark.parametrize(
    ("name", "kind", "devices", "ops"),
    [
        ("linux-nvidia-server", "mirrored", ["gpu:%d" % index for index in range(8)], "nccl"),
        ("wsl2-nvidia", "one-device", ["gpu:0"], None),
        ("windows-directml-adapter-twice", "mirrored", ["gpu:0", "gpu:1"], "reduction-to-one-device"),
        ("linux-amd-rocm", "one-device", ["gpu:0"], None),
        ("macos-apple-silicon-metal", "one-device", ["gpu:0"], None),
        ("linux-nvidia-mig", "one-device", ["gpu:0"], None),
        ("linux-nvidia-restricted", "mirrored", ["gpu:0", "gpu:1"], "nccl"),
        ("linux-no-gpu", "one-device", ["cpu"], None),
        ("windows-amd-directml-plugin", "one-device", ["gpu:0"], None),
    ],
)
def test_what_a_machine_gets(name, kind, devices, ops):
    found = plan(name)
    assert (found.kind, list(found.devices), found.cross_device_ops) == (kind, devices, ops)
    assert found.reason
    assert found.cluster is None


def test_copies_add_up_the_gradients_where_nccl_is_not():
    # AMD's GPUs; and NVIDIA's on Windows, as the same names on another system.
    found = plan("linux-amd-visible-in-another-order", "gpu:0,1")
    assert (found.kind, found.cross_device_ops) == ("mirrored", "hierarchical-copy")
    assert "NCCL needs CUDA" in found.reason


def test_unlike_devices_are_left_out():
    found = plan("linux-nvidia-two-kinds")
    assert (found.kind, found.devices) == ("one-device", ("gpu:0",))
    assert codes(found)[0] == "devices-unlike"
    first = found.findings[0]
    assert first.severity == "warning"
    assert "gpu:1 (Tesla T4, 15 GiB)" in first.summary
    assert first.fix[0].command == "devicekit.strategy('gpu:0,1')"


def test_named_devices_are_taken_although_they_differ():
    found = plan("linux-nvidia-two-kinds", "gpu:0,1")
    assert (found.kind, found.devices, found.cross_device_ops) == ("mirrored", ("gpu:0", "gpu:1"), "nccl")
    assert codes(found)[0] == "devices-unlike"
    assert "unlike devices" in found.reason


def test_devices_alike_are_not_called_unlike():
    two = machine("linux-nvidia-two-kinds")
    cards = two.driver.gpus.value
    third = cards[1].replace(index=2, bus_id="0000:09:00.0", uuid="GPU-11111111-2222-3333-4444-000000000002")
    three = two.replace(driver=two.driver.replace(gpus=Fact.of((*cards, third), "NVML")))
    found = devicekit.cluster.plan_strategy("gpu:0,1", machine=three, environ={})
    assert found.findings == ()
    assert "2 devices of one kind" in found.reason
    assert "devices-unlike" not in codes(plan("linux-nvidia-server"))
    assert "devices-unlike" not in codes(plan("linux-nvidia-server", "gpu:0,1"))


def test_a_hybrid_laptop_trains_on_one_gpu():
    found = plan("windows-hybrid-directml-plugin")
    assert (found.kind, found.devices) == ("one-device", ("gpu:0",))
    assert codes(found)[0] == "devices-unlike"


@pytest.mark.parametrize("name", ["linux-nvidia-gpu-lost", "linux-nvidia-needs-reset"])
def test_a_half_broken_set_is_refused(name):
    found = plan(name)
    assert found.kind == "refused"
    assert (found.findings[0].code, found.findings[0].severity) == ("driver-unhealthy", "error")
    assert codes(found).count("driver-unhealthy") == 1
    assert found.findings[0].fix[0].command.startswith("devicekit.strategy('gpu:")
    # What it says is what works.
    way = found.findings[0].fix[0].command.split("'")[1]
    assert plan(name, way).kind == "one-device"


def test_a_card_that_is_too_old_is_not_half_a_set():
    found = plan("linux-nvidia-one-old-card")
    assert (found.kind, found.devices) == ("one-device", ("gpu:0",))


def test_a_gpu_that_somebody_has_is_left_to_him_unless_it_is_named():
    assert plan("linux-nvidia-gpu-busy").devices == ("gpu:1",)
    found = plan("linux-nvidia-gpu-busy", "gpu:0,1")
    assert (found.kind, found.findings[0].code) == ("refused", "device-busy")


def test_a_device_that_is_not_there():
    found = plan("linux-nvidia-server", "gpu:6,7,8")
    assert (found.kind, codes(found)[0]) == ("refused", "no-gpu")
    assert found.findings[0].fix[0].command == "devicekit.strategy('gpu:6,7')"


def test_devices_of_different_platforms_cannot_train_together():
    devices = tuple(
        Candidate("gpu:%d" % index, platform, "one of a kind", True)
        for index, platform in enumerate(["cuda", "directml"])
    )
    base = Plan(parse_request("gpu:0,1"), "tensorflow", "gpu:0,1", "cuda", "one of a kind", indices=(0, 1))
    found = set_of_devices(Diagnosis(candidates=devices), base)
    assert (found.code, found.severity) == ("devices-unlike", "error")
    assert "gpu:0 (cuda), gpu:1 (directml)" in found.summary


def test_memory_that_differs_a_little_is_the_same():
    sizes = (85_000, 82_000, 60_000)
    devices = tuple(Candidate("gpu:%d" % n, "cuda", "A100", True, memory_bytes=size) for n, size in enumerate(sizes))
    base = Plan(parse_request("gpu"), "tensorflow", "gpu:1", "cuda", "A100", indices=(1,))
    alike, notes = set_of_devices(Diagnosis(candidates=devices), base)
    assert [item.device for item in alike] == ["gpu:0", "gpu:1"]
    assert [item.code for item in notes] == ["devices-unlike"]


def test_devices_keep_the_order_in_which_they_were_named():
    assert plan("linux-nvidia-server", "gpu:5,2").devices == ("gpu:5", "gpu:2")


def test_workers_of_tensorflow():
    found = plan("linux-nvidia-server", environ=TF_CONFIG)
    assert (found.kind, found.communication, len(found.devices)) == ("multi-worker-mirrored", "nccl", 8)
    assert (found.cluster.size, found.cluster.index) == (2, 1)
    cpu = plan("linux-no-gpu", environ=TF_CONFIG)
    assert (cpu.kind, cpu.communication, cpu.devices) == ("multi-worker-mirrored", "ring", ("cpu",))
    assert plan("windows-nvidia-tensorflow-2.10", environ=TF_CONFIG).communication == "ring"


SLURM = {
    "SLURM_JOB_ID": "9",
    "SLURM_STEP_ID": "0",
    "SLURM_PROCID": "3",
    "SLURM_LOCALID": "1",
    "SLURM_NTASKS": "4",
    "SLURM_STEP_NODELIST": "n[1-2]",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2)",
}


def test_processes_of_one_machine_do_not_share_devices():
    found = plan("linux-nvidia-server", environ=SLURM)
    assert (found.kind, found.devices) == ("multi-worker-mirrored", ("gpu:4", "gpu:5", "gpu:6", "gpu:7"))
    # They were distributed before: what is visible is this process's own.
    for variables in ({"SLURM_GPUS_PER_TASK": "8"}, {"DEVICEKIT_LAUNCH": "1"}):
        assert len(plan("linux-nvidia-server", environ=dict(SLURM, **variables)).devices) == 8


def test_an_evaluator_works_alone():
    environ = {"TF_CONFIG": TF_CONFIG["TF_CONFIG"].replace('"type": "worker"', '"type": "evaluator"')}
    found = plan("linux-nvidia-server", environ=environ)
    assert (found.kind, found.devices, found.cluster) == ("one-device", ("gpu:0",), None)


def test_fit_of_keras_3_is_warned_of_with_several_workers():
    found = plan("linux-nvidia-tensorflow-2.21", environ=TF_CONFIG)
    assert found.kind == "multi-worker-mirrored"
    (finding,) = [item for item in found.findings if item.code == "keras-incompatible"]
    assert (finding.severity, finding.blocks) == ("warning", ("keras.fit",))
    # Neither with Keras 2 under its name of today, nor where TensorFlow itself still has Keras 2, nor with one process.
    assert "keras-incompatible" not in codes(
        plan("linux-nvidia-tensorflow-2.21", environ=dict(TF_CONFIG, TF_USE_LEGACY_KERAS="1"))
    )
    assert "keras-incompatible" not in codes(plan("windows-nvidia-tensorflow-2.10", environ=TF_CONFIG))
    assert "keras-incompatible" not in codes(plan("linux-nvidia-tensorflow-2.21"))


def test_tensorflow_needs_the_addresses_of_all():
    environ = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "a"}
    found = plan("linux-nvidia-server", environ=environ)
    assert (found.kind, codes(found)[0]) == ("refused", "setting-invalid")
    assert "devicekit launch" in found.findings[0].fix[1].command


def test_tensorflow_1_says_what_it_can():
    several = plan("windows-hybrid-directml-fork", "gpu:0,1")
    assert (several.framework, several.kind) == ("tensorflow1", "mirrored")
    assert several.cross_device_ops == "reduction-to-one-device"
    found = plan("windows-hybrid-directml-fork", environ=TF_CONFIG)
    assert (found.kind, codes(found)[0]) == ("refused", "framework-unsupported")


def test_keras_on_jax():
    found = plan(
        "linux-nvidia-jax-cuda12", framework="jax", environ={"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "a"}
    )
    assert (found.kind, found.framework) == ("data-parallel", "jax")
    assert "2 processes (torchrun)" in found.reason
    assert plan("linux-nvidia-jax-cuda12", framework="jax").kind == "data-parallel"


def test_keras_on_pytorch_trains_on_one_device():
    name = "linux-nvidia-torch-cu126"
    one = plan(name, framework="torch")
    assert (one.kind, one.devices) == ("one-device", ("gpu:0",))
    found = plan(name, framework="torch", environ={"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "a"})
    assert (found.kind, codes(found)[0]) == ("refused", "framework-unsupported")
    assert "DistributedDataParallel" in found.findings[0].fix[0].text
    assert found.findings[0].severity == "error"


def test_a_framework_that_cannot_be_imported_is_refused():
    found = plan("linux-nothing-installed")
    assert (found.kind, codes(found)[0]) == ("refused", "framework-missing")


def test_a_broken_variable_is_an_error_not_a_plan():
    with pytest.raises(ValueError, match="TF_CONFIG is not valid JSON"):
        plan("linux-no-gpu", environ={"TF_CONFIG": "{"})
    with pytest.raises(ValueError, match="unknown device"):
        plan("linux-no-gpu", "gpus")


def test_json():
    found = plan("linux-nvidia-server", environ=TF_CONFIG)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["kind"] == "multi-worker-mirrored"
    assert data["devices"] == ["gpu:%d" % index for index in range(8)]
    assert data["cluster"]["source"] == "TF_CONFIG"
    assert str(found).startswith("devicekit: multi-worker-mirrored on gpu:0, ")


def test_every_machine_has_a_plan():
    for name in SIMULATED:
        for environ in ({}, TF_CONFIG):
            found = plan(name, environ=environ)
            assert found.kind in ("one-device", "mirrored", "multi-worker-mirrored", "data-parallel", "refused"), name
            assert found.reason or found.findings, name
            assert bool(found.devices) == (found.kind != "refused"), name
            json.dumps(found.to_dict())


def test_variables_that_are_ignored_are_reported(monkeypatch):
    monkeypatch.setenv("DEVICEKIT_DEVICE", "banana")
    monkeypatch.setenv("DEVICEKIT_VERIFY", "neverr")
    found = devicekit.cluster.plan_strategy("auto", environ={})
    sources = [item.evidence[0].source for item in found.findings if item.code == "setting-invalid"]
    assert sources == ["DEVICEKIT_DEVICE", "DEVICEKIT_VERIFY"]
