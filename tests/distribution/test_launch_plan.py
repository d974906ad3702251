"""Which processes `devicekit launch` starts, with which variables and devices, on simulated machines."""

import json
import os

import pytest

from devicekit import DevicekitError, DeviceUnavailableError, diagnose
from devicekit.cluster.launch.launch_plan import FIRST, LAST, Order, free_ports, plan_launch
from devicekit.cluster.strategy.cluster_environment import parse_cluster
from devicekit.cluster.strategy.device_shares import hidden_variables, share_out, visible_variables
from devicekit.machine.facts import Fact
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "machines")
SCRIPT = (__file__,)
SLURM = {
    "SLURM_JOB_ID": "9",
    "SLURM_STEP_ID": "0",
    "SLURM_PROCID": "1",
    "SLURM_LOCALID": "1",
    "SLURM_NTASKS": "4",
    "SLURM_STEP_NODELIST": "n[1-2]",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2)",
}


def machine(name):
    return read_machine(SimulatedHost(os.path.join(MACHINES, name)))


def launch(name, environ=None, **order):
    specs, _ = plan_launch(Order(SCRIPT, **order), environ or {}, machine(name))
    return [dict(spec.variables) for spec in specs], specs


def accelerators(name):
    return [item for item in diagnose(machine(name)).candidates if item.platform != "cpu"]


def test_two_workers_know_each_other():
    found, specs = launch("linux-no-gpu", workers=2)
    assert [spec.index for spec in specs] == [0, 1]
    configs = [json.loads(variables["TF_CONFIG"]) for variables in found]
    assert configs[0]["cluster"] == configs[1]["cluster"]
    assert [config["task"] for config in configs] == [{"type": "worker", "index": 0}, {"type": "worker", "index": 1}]
    ports = [int(address.split(":")[1]) for address in configs[0]["cluster"]["worker"]]
    ports += [int(found[0]["MASTER_PORT"]), int(found[0]["JAX_COORDINATOR_ADDRESS"].split(":")[1])]
    assert len(set(ports)) == 4
    assert [variables["RANK"] for variables in found] == ["0", "1"]
    assert [variables["JAX_PROCESS_ID"] for variables in found] == ["0", "1"]
    for variables in found:
        assert variables["WORLD_SIZE"] == variables["JAX_NUM_PROCESSES"] == variables["LOCAL_WORLD_SIZE"] == "2"
        assert variables["MASTER_ADDR"] == "127.0.0.1"


def test_a_worker_reads_what_was_set_for_it():
    found, _ = launch("linux-no-gpu", workers=3)
    for index, variables in enumerate(found):
        for without in ((), ("TF_CONFIG",), ("TF_CONFIG", "RANK"), ("TF_CONFIG", "RANK", "JAX_NUM_PROCESSES")):
            cluster = parse_cluster({key: value for key, value in variables.items() if key not in without})
            assert (cluster.size, cluster.index) == (3, index)


def test_one_worker_is_no_cluster():
    (variables,), _ = launch("linux-no-gpu", workers=1)
    assert "TF_CONFIG" not in variables
    assert parse_cluster(variables) is None


def test_variables_of_one_framework():
    found, _ = launch("linux-no-gpu", workers=2, framework="jax")
    assert "TF_CONFIG" not in found[0]
    assert found[0]["KERAS_BACKEND"] == "jax"
    found, _ = launch("linux-no-gpu", {"KERAS_BACKEND": "torch"}, workers=2, framework="tensorflow")
    assert "JAX_PROCESS_ID" not in found[0]
    assert "KERAS_BACKEND" not in found[0]


def test_where_to_meet_is_the_users_to_say():
    environ = {"MASTER_ADDR": "10.1.1.1", "MASTER_PORT": "5000"}
    found, _ = launch("linux-no-gpu", environ, workers=2)
    assert not {"MASTER_ADDR", "MASTER_PORT"} & set(found[0])


@pytest.mark.parametrize("name", ["TF_CONFIG", "RANK", "JAX_PROCESS_ID"])
def test_who_belongs_to_others_starts_nobody(name):
    with pytest.raises(DevicekitError, match=name + " is set"):
        launch("linux-no-gpu", {name: "0"}, workers=2)


def test_each_worker_gets_devices_of_its_own():
    found, specs = launch("linux-nvidia-server", workers=4)
    assert [variables["CUDA_VISIBLE_DEVICES"] for variables in found] == ["0,1", "2,3", "4,5", "6,7"]
    assert specs[3].devices == ("gpu:6", "gpu:7")


def test_as_many_workers_as_devices_where_nothing_is_said():
    assert len(launch("linux-nvidia-server")[1]) == 8
    assert len(launch("linux-no-gpu")[1]) == 1


def test_what_is_over_stays_idle():
    specs, notes = plan_launch(Order(SCRIPT, workers=3), {}, machine("linux-nvidia-server"))
    assert [spec.devices for spec in specs] == [("gpu:0", "gpu:1"), ("gpu:2", "gpu:3"), ("gpu:4", "gpu:5")]
    assert notes == ["gpu:6, gpu:7: not used, because every process gets the same number of devices"]


def test_what_lets_gpus_wait_for_each_other_is_said_before():
    _, notes = plan_launch(Order(SCRIPT, workers=8), {}, machine("linux-nvidia-server-of-cards"))
    assert [note.rpartition(" ")[2] for note in notes] == [
        "[shared-memory-too-small]", "[peer-access-unsupported]", "[gpu-link-degraded]",
    ]  # fmt: skip
    assert "4 of 16 PCIe lanes" in notes[2]
    assert plan_launch(Order(SCRIPT, workers=8), {}, machine("linux-nvidia-server-linked"))[1] == []


def test_gpus_that_differ_are_named_unless_those_in_use_are_alike():
    two = machine("linux-nvidia-two-kinds")
    (note,) = plan_launch(Order(SCRIPT, workers=2), {}, two)[1]
    assert "gpu:0 (NVIDIA L40S, 45 GiB), gpu:1 (Tesla T4, 15 GiB). [devices-unlike]" in note
    cards = two.driver.gpus.value
    third = cards[1].replace(index=2, bus_id="0000:09:00.0", uuid="GPU-11111111-2222-3333-4444-000000000002")
    three = two.replace(driver=two.driver.replace(gpus=Fact.of((*cards, third), "NVML")))
    assert "devices-unlike" in plan_launch(Order(SCRIPT), {}, three)[1][0]
    assert plan_launch(Order(SCRIPT, devices="gpu:0,1"), {}, three)[1] == []


def test_no_two_workers_share_a_device():
    with pytest.raises(DevicekitError, match="9 processes for 8 devices") as raised:
        launch("linux-nvidia-server", workers=9)
    assert "--devices cpu" in str(raised.value)


def test_the_processor_is_for_everybody():
    found, specs = launch("linux-nvidia-server", workers=9, devices="cpu")
    assert {variables["DEVICEKIT_DEVICE"] for variables in found} == {"cpu"}
    assert specs[8].devices == ("cpu",)
    assert "DEVICEKIT_DEVICE" not in launch("linux-no-gpu", {"DEVICEKIT_DEVICE": "auto"}, devices="cpu")[0][0]


def test_named_devices():
    found, _ = launch("linux-nvidia-server", workers=2, devices="gpu:5,2")
    assert sorted(variables["CUDA_VISIBLE_DEVICES"] for variables in found) == ["2", "5"]
    examined = machine("linux-nvidia-restricted-by-uuid")
    second = [item.uuid for item in diagnose(examined).candidates][1]
    specs, _ = plan_launch(Order(SCRIPT, devices="gpu:" + second), dict(examined.process.environ), examined)
    assert [dict(spec.variables)["CUDA_VISIBLE_DEVICES"] for spec in specs] == [second]
    with pytest.raises(DeviceUnavailableError):
        launch("linux-nvidia-server", workers=2, devices="gpu:7,8")
    with pytest.raises(DeviceUnavailableError):
        launch("linux-no-gpu", workers=2, devices="gpu")


def test_what_the_user_hides_stays_hidden():
    # This machine has CUDA_VISIBLE_DEVICES set, to two of four devices in an order of its own.
    examined = machine("linux-nvidia-restricted")
    environ = dict(examined.process.environ)
    allowed = environ["CUDA_VISIBLE_DEVICES"].split(",")
    specs, _ = plan_launch(Order(SCRIPT, workers=2), environ, examined)
    assert [dict(spec.variables)["CUDA_VISIBLE_DEVICES"] for spec in specs] == allowed[:2]


def test_the_users_list_may_name_devices_by_uuid():
    environ = {"CUDA_VISIBLE_DEVICES": "GPU-aaaa, GPU-bbbb"}
    devices = accelerators("linux-nvidia-server")
    assert visible_variables(devices[1:2], environ) == (("CUDA_VISIBLE_DEVICES", "GPU-bbbb"),)
    with pytest.raises(ValueError, match="has no entry 2"):
        visible_variables(devices[2:3], environ)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("linux-amd-visible-in-another-order", "HIP_VISIBLE_DEVICES"),
        ("windows-directml-adapter-twice", "DML_VISIBLE_DEVICES"),
    ],
)
def test_other_platforms_have_variables_of_their_own(name, variable):
    assert visible_variables(accelerators(name)[1:2], {}) == ((variable, "1"),)


def test_on_amd_the_variable_that_the_user_has_set_is_the_one_that_counts():
    devices = accelerators("linux-amd-visible-in-another-order")
    assert visible_variables(devices[:1], {"CUDA_VISIBLE_DEVICES": "1,0"}) == (("CUDA_VISIBLE_DEVICES", "1"),)


def test_slices_are_named_by_their_uuid():
    ((name, value),) = visible_variables(accelerators("linux-nvidia-mig")[:1], {})
    assert name == "CUDA_VISIBLE_DEVICES"
    assert value.startswith("MIG-")


def test_apples_gpu_cannot_be_shared_out():
    with pytest.raises(ValueError, match="metal"):
        visible_variables(accelerators("macos-apple-silicon-metal"), {})
    with pytest.raises(DevicekitError, match="2 processes for 1 devices"):
        launch("macos-apple-silicon-metal", workers=2)
    assert launch("macos-apple-silicon-metal", workers=1)[1][0].devices == ("gpu:0",)


def test_sharing_out():
    devices = accelerators("linux-nvidia-server")
    assert share_out(devices, 9) is None
    assert [len(group) for group in share_out(devices, 5)] == [1] * 5
    assert hidden_variables(devices, {}) == (("DEVICEKIT_DEVICE", "cpu"), ("CUDA_VISIBLE_DEVICES", "-1"))


def test_a_task_of_slurm_starts_its_part():
    specs, _ = plan_launch(Order(SCRIPT, workers=1), SLURM, machine("linux-nvidia-server"))
    (spec,) = specs
    variables = dict(spec.variables)
    assert (spec.index, spec.local_rank, variables["WORLD_SIZE"]) == (1, 1, "4")
    # Two tasks on a machine with eight devices; this is the second one.
    assert variables["CUDA_VISIBLE_DEVICES"] == "4,5,6,7"
    addresses = json.loads(variables["TF_CONFIG"])["cluster"]["worker"]
    assert [address.split(":")[0] for address in addresses] == ["n1", "n1", "n2", "n2"]
    assert len(set(addresses)) == 4
    # Every task comes to the same addresses.
    other = dict(SLURM, SLURM_PROCID="2", SLURM_LOCALID="0")
    (theirs,), _ = plan_launch(Order(SCRIPT, workers=1), other, machine("linux-nvidia-server"))
    assert json.loads(dict(theirs.variables)["TF_CONFIG"])["cluster"]["worker"] == addresses
    # Nothing said of workers: one for each device.
    specs, _ = plan_launch(Order(SCRIPT), SLURM, machine("linux-nvidia-server"))
    assert [spec.index for spec in specs] == [4, 5, 6, 7]
    assert dict(specs[0].variables)["CUDA_VISIBLE_DEVICES"] == "4"


def test_devices_that_slurm_gave_to_a_task_are_not_shared_again():
    environ = dict(SLURM, SLURM_GPUS_PER_TASK="8")
    specs, _ = plan_launch(Order(SCRIPT, workers=2), environ, machine("linux-nvidia-server"))
    assert [dict(spec.variables)["CUDA_VISIBLE_DEVICES"] for spec in specs] == ["0,1,2,3", "4,5,6,7"]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"workers": 0}, "--workers must be at least 1, got 0"),
        ({"framework": "mxnet"}, "unknown framework 'mxnet'"),
        ({"devices": "gpus"}, "unknown device"),
        ({"port": 70000}, "--port must be from 1 to 64999, got 70000"),
    ],
)
def test_wrong_use(order, words):
    with pytest.raises(ValueError, match=words):
        launch("linux-no-gpu", **order)


def test_nothing_to_start():
    with pytest.raises(DevicekitError, match="nothing to start"):
        plan_launch(Order(()), {}, machine("linux-no-gpu"))
    with pytest.raises(DevicekitError, match="no such file: missing.py"):
        plan_launch(Order(("missing.py",)), {}, machine("linux-no-gpu"))


def test_free_ports():
    import socket

    found = free_ports(20)
    assert len(set(found)) == 20
    assert all(FIRST <= port < LAST for port in found)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", found[0]))  # still free
    assert free_ports(0) == []
