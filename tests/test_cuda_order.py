"""Which NVIDIA GPUs a CUDA program sees, and in which order."""

import pytest
from recorded_machines import load_machine

from devicekit import diagnose, select_device
from devicekit.diagnosis.rules.cuda_order import cuda_view, hidden_from_cuda, parse_number, parse_visible
from devicekit.diagnosis.view import View
from devicekit.machine.probe import read_machine
from devicekit.matrix.matrix import BUNDLED
from devicekit.report.terminal import Style, devices_text

SITE = "/venv/lib/python3.11/site-packages"


def gpu(index, name="NVIDIA L4", capability="8.9", memory_mib=23034, slices=None, **more):
    uuid = "GPU-%d%d%d%d-aaaa" % ((index,) * 4)
    found = {
        "index": index,
        "name": name,
        "uuid": uuid,
        "bus_id": "0000:%02x:00.0" % (index + 7),
        "capability": capability,
    }
    found["mig_enabled"] = False
    found["memory"] = [memory_mib << 20, memory_mib << 20, 0]
    if slices is not None:
        found["mig_enabled"] = True
        found["mig_devices"] = [
            {"uuid": uid, "name": name + " MIG 1g.5gb", "gpu_instance": gi, "compute_instance": ci, "memory": [1, 1, 0]}
            for uid, gi, ci in slices
        ]
    return dict(found, **more)


@pytest.fixture
def view(make_machine):
    """Return a function that makes the view of a machine with these GPUs and variables."""

    def make(*gpus, driver="550.54.15", **env):
        host = make_machine(
            env=env,
            nodes={"/dev/nvidiactl": True, "/dev/nvidia-uvm": True},
            files={
                "/lib/libnvidia-ml.so.1": "",
                "/lib/libcuda.so.1": "",
                "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  Tue\n" % driver,
                "/proc/version": "Linux version 6.5.0-1020-generic (buildd@lcy02) (gcc 12) #20 SMP\n",
                SITE + "/pynvml.py": "",
                SITE + "/tensorflow/__init__.py": "",
                SITE + "/tensorflow/python/platform/build_info.py": "build_info = {'is_cuda_build': True}\n",
            },
            folders=["/sys/bus/pci/devices"],
            loader_cache={"libnvidia-ml.so.1": "/lib/libnvidia-ml.so.1", "libcuda.so.1": "/lib/libcuda.so.1"},
            answers={"nvml": {"driver_version": driver, "nvml_version": "12", "gpus": list(gpus), "xids": []}},
            python={"installed": {"tensorflow": "2.20.0", "numpy": "2.1.0"}},
        )
        return View(read_machine(host), BUNDLED)

    return make


def numbers(view):
    return [device.gpu.index for device in cuda_view(view).devices]


@pytest.mark.parametrize(
    "value, seen",
    [
        ("0", [0]), ("1,0", [1, 0]), ("2,1,0,3", [2, 1, 0, 3]), ("0,2,-1,1", [0, 2]), ("0,9,1", [0]), ("9", []), ("", []),
        ("-1", []), ("0,0", []), ("1,2,1", []), ("nonsense", []), ("0,x,1", [0]), (" 1 , 2 ", [1, 2]),
        ("1gpu,2ampere", [1, 2]), ("+1", [1]), ("01", [1]), ("99999999999", []), (",0", []), ("0,", [0]),
        ("NoDevFiles", []), ("0x1", [0]), ("1.5", [1]),
        ("GPU-1111-aaaa", [1]), ("GPU-1", [1]), ("GPU-3,GPU-0", [3, 0]), ("GPU-", []), ("GPU-9", []),
        ("GPU-1,GPU-9,GPU-2", [1]), ("GPU-1,GPU-1111", []), ("GPU-1,GPU-1", []), ("GPU-1,0", [1]), ("0,GPU-1", [0]),
        ("gpu-1", []), ("MIG-1", []),
    ],
)  # fmt: skip
def test_the_variable(view, value, seen):
    """As CUDA's documents say, and PyTorch's own reading of the variable where they are silent."""
    made = view(*map(gpu, range(4)), CUDA_VISIBLE_DEVICES=value)
    assert numbers(made) == seen
    assert hidden_from_cuda(made) == (not seen)
    assert cuda_view(made).remark == ""
    codes = [item.code for item in diagnose(made.machine).findings]
    assert ("device-hidden" in codes) == (not seen)


def test_without_the_variable_all_are_seen_in_bus_order(view):
    made = view(*map(gpu, range(3)))
    assert numbers(made) == [0, 1, 2]
    assert not cuda_view(made).restricted
    assert not hidden_from_cuda(made)


def test_different_cards_come_fastest_first_and_that_is_a_guess(view):
    cards = (gpu(0, "Tesla T4", "7.5"), gpu(1, "NVIDIA L40S", "8.9", 46068), gpu(2, "NVIDIA L4", "8.9"))
    made = view(*cards)
    assert numbers(made) == [1, 2, 0]
    assert "CUDA_DEVICE_ORDER" in cuda_view(made).remark
    assert all("CUDA_DEVICE_ORDER" in item.remark for item in diagnose(made.machine).candidates[:-1])
    assert numbers(view(*cards, CUDA_VISIBLE_DEVICES="0")) == [1]
    assert cuda_view(view(*cards, CUDA_VISIBLE_DEVICES="0")).remark
    ordered = view(*cards, CUDA_DEVICE_ORDER="PCI_BUS_ID")
    assert (numbers(ordered), cuda_view(ordered).remark) == ([0, 1, 2], "")
    named = view(*cards, CUDA_VISIBLE_DEVICES="GPU-0,GPU-1")
    assert (numbers(named), cuda_view(named).remark) == ([0, 1], "")


SLICES = [("MIG-a1", 1, 0), ("MIG-a2", 1, 1), ("MIG-b1", 2, 0)]


def slices(view):
    return [device.slice.uuid if device.slice else device.gpu.uuid for device in cuda_view(view).devices]


def test_before_driver_570_a_program_sees_one_slice(view):
    cards = (gpu(0), gpu(1, slices=SLICES), gpu(2, slices=[("MIG-c1", 5, 0)]))
    made = view(*cards)
    assert slices(made) == ["MIG-a1"]
    assert "one slice" in cuda_view(made).remark
    for value, seen in (
        ("MIG-b1", ["MIG-b1"]), ("MIG-a2,MIG-c1", ["MIG-a2"]), ("MIG-c", ["MIG-c1"]), ("MIG-a", []), ("MIG-x", []),
        ("MIG-GPU-1111-aaaa/2/0", ["MIG-b1"]), ("MIG-GPU-1111-aaaa/9/0", []), ("GPU-0", ["GPU-0000-aaaa"]),
        ("GPU-1", ["MIG-a1"]), ("0", ["GPU-0000-aaaa"]), ("2", ["MIG-c1"]),
    ):  # fmt: skip
        assert slices(view(*cards, CUDA_VISIBLE_DEVICES=value)) == seen, value


def test_from_driver_570_on_one_slice_of_each_instance(view):
    cards = (gpu(0), gpu(1, slices=SLICES), gpu(2, slices=[("MIG-c1", 5, 0)]))
    made = view(*cards, driver="570.86.15")
    assert slices(made) == ["GPU-0000-aaaa", "MIG-a1", "MIG-b1", "MIG-c1"]
    both = view(*cards, driver="570.86.15", CUDA_VISIBLE_DEVICES="MIG-a2,MIG-a1,MIG-c1")
    assert slices(both) == ["MIG-a2", "MIG-c1"]


def test_a_slice_is_a_device_with_its_own_memory(view):
    made = view(gpu(0, slices=[("MIG-a1", 1, 0)]))
    device = diagnose(made.machine).candidates[0]
    assert (device.device, device.name, device.uuid, device.memory_bytes) == (
        "gpu:0",
        "NVIDIA L4 MIG 1g.5gb",
        "MIG-a1",
        1,
    )


def test_lost_gpus_are_not_counted(view):
    made = view(gpu(0, error="GPU is lost (NVML error 15)"), gpu(1), gpu(2))
    assert numbers(made) == [1, 2]
    found = [(item.uuid, "driver-unhealthy" in item.blocked_by) for item in diagnose(made.machine).candidates]
    assert found[:3] == [("GPU-1111-aaaa", False), ("GPU-2222-aaaa", False), ("GPU-0000-aaaa", True)]


def test_numbers_as_strtoul_reads_them():
    assert [parse_number(text) for text in ("3", " 3x", "-3", "x3", "", "1234567890")] == [3, 3, -3, -1, -1, -1]
    assert parse_visible("GPU-a,GPU-b,1") == (("GPU-a", "GPU-b"), ())


@pytest.mark.parametrize(
    "least, device", [("1GiB", "gpu:0"), ("40GiB", "gpu:0"), ("44GiB", "gpu:0"), ("46GiB", "cpu"), (45 << 30, "cpu")]
)
def test_memory_that_is_asked_for_is_measured_on_the_real_one(least, device):
    machine = load_machine("linux-nvidia-two-kinds")  # 45.0 and 15.0 GiB
    assert select_device(machine=machine, min_memory=least).device == device
    small = select_device(machine=machine, min_memory=least, exclude=("gpu:0",)).device
    assert small == ("gpu:1" if least == "1GiB" else "cpu")


USED = {"pid": 4242, "kind": "compute", "memory": 22400 << 20}


def codes(view):
    return [(item.code, item.blocks) for item in diagnose(view.machine).findings if item.code != "cuda-library-missing"]


@pytest.mark.parametrize(
    "mode, kind, busy",
    [
        ("exclusive", "compute", True), ("exclusive-thread", "compute", True), ("default", "compute", False),
        ("exclusive", "graphics", False), ("exclusive", "mps", False), ("prohibited", "graphics", True),
    ],
)  # fmt: skip
def test_a_gpu_that_another_program_holds(view, mode, kind, busy):
    made = view(gpu(0), gpu(1, compute_mode=mode, processes=[{"pid": 7, "kind": kind, "memory": 1}]))
    assert (("device-busy", ("gpu:1",)) in codes(made)) == busy
    hidden = view(gpu(0), gpu(1, compute_mode=mode, processes=[USED]), CUDA_VISIBLE_DEVICES="0")
    assert ("device-busy", ("gpu:1",)) not in codes(hidden)


@pytest.mark.parametrize("free_mib, full", [(100, True), (1100, True), (1300, False), (23034, False)])
def test_a_gpu_whose_memory_another_program_has(view, free_mib, full):
    total = 23034
    made = view(gpu(0, memory=[total << 20, free_mib << 20, (total - free_mib) << 20], processes=[USED]), gpu(1))
    assert (("out-of-memory", ()) in codes(made)) == full
    if full:
        (finding,) = [item for item in diagnose(made.machine).findings if item.code == "out-of-memory"]
        assert "process 4242" in finding.summary
        assert finding.fix[0].command == "kill 4242"


def test_what_the_command_says_of_a_gpu(view):
    made = view(gpu(0, slices=[("MIG-a1", 1, 0), ("MIG-b1", 2, 0)]), gpu(1, memory=[23034 << 20, 12000 << 20, 0]))
    diagnosis = diagnose(made.machine)
    text = devices_text(diagnosis, select_device(machine=made.machine), Style(width=200))
    assert "NVIDIA L4 MIG 1g.5gb [cuda], 0.0 of 0.0 GiB free: " in text
    assert "compute capability 8.9, MIG-a1, 0000:07:00.0\n" in text
    assert "with this driver a program sees one slice" in text
    made = view(gpu(1, memory=[23034 << 20, 12000 << 20, 0]))
    text = devices_text(diagnose(made.machine), select_device(machine=made.machine), Style(width=200))
    assert "NVIDIA L4 [cuda], 11.7 of 22.5 GiB free: " in text
    assert "compute capability 8.9, GPU-1111-aaaa, 0000:08:00.0\n" in text
    data = diagnose(made.machine).candidates[0].to_dict()
    assert (data["uuid"], data["memory_free_bytes"], data["remark"]) == ("GPU-1111-aaaa", 12000 << 20, "")
