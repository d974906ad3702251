"""The real nvidia-ml-py, in the real child, on a library that tells what a text says (tests/hardware/nvml.c)."""

import importlib.util
import json
import os
import sys
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devicekit import Machine, diagnose
from devicekit.children.foreground import run_listening
from devicekit.machine.driver_query import LiveQuestion
from devicekit.machine.facts import Fact, GpuProcess, Xid
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.driver import read_driver
from devicekit.machine.probe.nvml import parse_bus_id, parse_since_start, parse_xids
from devicekit.machine.probe.nvml_question import NvmlQuestion
from devicekit.machine.simulated import SimulatedHost
from devicekit.watch.command_causes import findings, used_gpus
from devicekit.watch.command_watch import CommandWatch
from devicekit.watch.gpu_loads import GpuLoads
from devicekit.watch.result import CommandReport

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = "/venv/lib/python3.11/site-packages"
#: A machine on which NVML is there and worth asking.
BOX = {
    "nodes": {"/dev/nvidiactl": True, "/dev/nvidia-uvm": True},
    "files": {"/lib/libnvidia-ml.so.1": "", SITE + "/pynvml.py": ""},
    "loader_cache": {"libnvidia-ml.so.1": "/lib/libnvidia-ml.so.1"},
}
LINUX = pytest.mark.only_on("linux", reason="the simulated library is built for Linux")


class Box(SimulatedHost):
    """A simulated machine whose driver is asked in a real child, which loads the simulated library."""

    deadline_s = 20.0

    def ask(self, name, task=None):
        script = os.path.join(os.path.dirname(sys.modules["devicekit.machine.probe"].__file__), name + "_child.py")
        task = {"pynvml": importlib.util.find_spec("pynvml").origin}
        self.question = LiveQuestion(script, task, time.monotonic() + self.deadline_s, self.deadline_s)
        return self.question


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Build the simulated library; where there is no compiler, that is said by a failure."""
    spec = importlib.util.spec_from_file_location("build", os.path.join(TESTS, "hardware", "build.py"))
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    return build.build_nvml(str(tmp_path_factory.mktemp("hardware")))


@pytest.fixture
def ask(library, tmp_path, monkeypatch):
    """Return a function that returns the driver's facts on a machine with this hardware."""

    def run(text, deadline_s=20.0, **host):
        monkeypatch.setenv("LD_LIBRARY_PATH", library)
        monkeypatch.setenv("SIM_NVML", text)
        folder = tmp_path / "machine"
        folder.mkdir(exist_ok=True)
        data = dict(BOX, system="linux")
        data.update({key: dict(data.get(key, {}), **value) for key, value in host.items()})
        (folder / "host.json").write_text(json.dumps(data), encoding="utf-8")
        box = Box(str(folder))
        box.deadline_s = deadline_s
        return read_driver(box)

    return run


def children():
    """The processes that this one has started and that run the child."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stream:
                state, parent = stream.read().rpartition(")")[2].split()[:2]
            with open("/proc/%s/cmdline" % name) as stream:
                command = stream.read()
        except OSError:
            continue
        if int(parent) == os.getpid() and "nvml_child" in command and state != "Z":
            found.append(name)
    return found


def knows_recovery():
    """Whether this nvidia-ml-py is of 2024 or later."""
    with open(importlib.util.find_spec("pynvml").origin, encoding="utf-8") as stream:
        return "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION" in stream.read()


FULL = """driver=550.54.15
nvml=12.550.54.15
cuda=12.4
gpu=NVIDIA A100-SXM4-40GB
 bus=00000000:0B:00.0
 mem=40960/40000
 cc=8.0
 util=42
 ecc=1/7
 rows=1/0
 recovery=1
 persistence=1
 mode=3
 pcie=16/16
 nvlinks=11
 clock=210/1410
 power=62/350/400
 proc=4242:900
 proc=4243:-1:g
 mig=0
"""


@LINUX
def test_how_gpus_are_connected(ask):
    driver = ask("gpu=NVIDIA A\n pcie=16/16\n nvlinks=1101\ngpu=NVIDIA A\n pcie=4/16\n peer=1\ngpu=NVIDIA B")
    first, second, third = driver.gpus.value
    assert (first.pcie_width.value, first.pcie_width_max.value, first.nvlinks.value) == (
        16,
        16,
        (True, True, False, True),
    )
    assert (second.pcie_width.value, second.pcie_width_max.value, second.nvlinks.status) == (4, 16, "absent")
    assert (third.pcie_width.status, third.nvlinks.status) == ("absent", "absent")
    pairs = [(item.first, item.second, item.state) for item in driver.peers.value]
    one, two, three = first.bus_id, second.bus_id, third.bus_id
    assert pairs == [(one, two, "chipset"), (one, three, "works"), (two, three, "chipset")]
    assert ask("gpu=NVIDIA A").peers.status == "absent"
    assert "Insufficient" in ask("gpu=A\ngpu=B\nfail=nvmlDeviceGetP2PStatus:4").peers.problem


@LINUX
def test_everything_of_one_gpu(ask):
    driver = ask(FULL)
    (gpu,) = driver.gpus.value
    mib = 1 << 20
    assert (driver.nvidia_version.value, driver.nvml.value, driver.cuda_version.value) == (
        "550.54.15", "12.550.54.15", "12.4",
    )  # fmt: skip
    assert (gpu.name, gpu.bus_id, gpu.index) == ("NVIDIA A100-SXM4-40GB", "0000:0b:00.0", 0)
    assert (gpu.memory_bytes.value, gpu.memory_free_bytes.value) == (40960 * mib, 40000 * mib)
    assert gpu.memory_used_bytes.value == 960 * mib
    assert (gpu.compute_capability.value, gpu.utilization_percent.value) == ("8.0", 42)
    assert (gpu.ecc_errors.value, gpu.ecc_errors_total.value, gpu.memory_repair.value) == (1, 7, "pending")
    assert (gpu.persistence.value, gpu.compute_mode.value) == (True, "exclusive")
    assert gpu.recovery.or_none() == ("reset" if knows_recovery() else None)
    assert gpu.processes.value == (GpuProcess(4242, 900 * mib), GpuProcess(4243, None, "graphics"))
    assert gpu.mig_enabled.value is False
    assert gpu.mig_devices.status == "absent"
    assert (gpu.clock_max_mhz.value, gpu.power_limit_w.value) == (1410, 350.0)
    assert gpu.problem == ""


@LINUX
@pytest.mark.parametrize("count", [0, 1, 2, 8, 16])
def test_any_number_of_gpus(ask, count):
    driver = ask("".join("gpu=NVIDIA L4\n bus=00000000:%02x:00.0\n" % (15 - n) for n in range(count)))
    gpus = driver.gpus.or_none() or ()
    assert len(gpus) == count
    assert [gpu.index for gpu in gpus] == list(range(count))
    assert [gpu.bus_id for gpu in gpus] == sorted(gpu.bus_id for gpu in gpus)
    assert driver.nvml.known
    assert all(gpu.ecc_errors.status == gpu.mig_enabled.status == "absent" for gpu in gpus)


@LINUX
def test_slices(ask):
    text = "gpu=NVIDIA A100\n mig=1\n"
    text += " migdev=MIG-1111:3:0:4864:NVIDIA A100 MIG 1g.5gb\n migdev=MIG-2222:4:0:9856:NVIDIA A100 MIG 2g.10gb\n"
    (gpu,) = ask(text).gpus.value
    assert gpu.mig_enabled.value is True
    assert [(item.uuid, item.profile, item.gpu_instance) for item in gpu.mig_devices.value] == [
        ("MIG-1111", "1g.5gb", 3), ("MIG-2222", "2g.10gb", 4),
    ]  # fmt: skip
    assert gpu.mig_devices.value[1].memory_bytes == 9856 << 20
    assert gpu.utilization_percent.status == "absent"  # NVML tells none of a GPU in MIG mode
    assert ask("gpu=NVIDIA A100\n mig=1\n").gpus.value[0].mig_devices.value == ()


@LINUX
@pytest.mark.parametrize("code", [*range(1, 31), 999])
def test_each_way_not_to_start(ask, code):
    driver = ask("gpu=NVIDIA L4\nfail=nvmlInit:%d\n" % code)
    assert driver.nvml_error.value == code
    assert "(NVML error %d)" % code in driver.nvml.problem
    assert not driver.nvml_silent
    assert not driver.nvml.known


#: What fails, and which facts of a GPU then have no value; each by itself.
CALLS = {
    "nvmlDeviceGetName": (),
    "nvmlDeviceGetUUID": (),
    "nvmlDeviceGetCudaComputeCapability": ("compute_capability",),
    "nvmlDeviceGetUtilizationRates": ("utilization_percent",),
    "nvmlDeviceGetPersistenceMode": ("persistence",),
    "nvmlDeviceGetComputeMode": ("compute_mode",),
    "nvmlDeviceGetTotalEccErrors": ("ecc_errors", "ecc_errors_total"),
    "nvmlDeviceGetFieldValues": ("recovery",),
    "nvmlDeviceGetMaxClockInfo": ("clock_max_mhz",),
    "nvmlDeviceGetEnforcedPowerLimit": ("power_limit_w",),
    "nvmlDeviceGetMigMode": ("mig_enabled", "mig_devices"),
}


@LINUX
@pytest.mark.parametrize("code, status", [(3, "absent"), (4, "unknown"), (999, "unknown")])
@pytest.mark.parametrize("function", sorted(CALLS))
def test_one_call_that_fails_takes_nothing_else_along(ask, function, code, status):
    (gpu,) = ask("%sfail=%s:%d\n" % (FULL, function, code)).gpus.value
    facts = {name: value for name, value in vars(gpu).items() if isinstance(value, Fact)}
    others = set() if knows_recovery() else {"recovery"}
    without = [name for name, value in facts.items() if value.status != "value" and name != "mig_devices"]
    assert set(without) == (set(CALLS[function]) | others) - {"mig_devices"}
    for name in set(without) - others:
        assert facts[name].status == status
        assert "NVML error %d" % code in facts[name].problem
    assert gpu.problem == ""


@LINUX
def test_old_drivers_lack_functions(ask):
    lacking = ["nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetRemappedRows", "nvmlSystemGetCudaDriverVersion_v2"]
    lacking += ["nvmlDeviceGet%sRunningProcesses_v3" % kind for kind in ("Compute", "Graphics")]
    driver = ask(FULL + " pages=1\n" + "".join("lacks=%s\n" % name for name in lacking))
    (gpu,) = driver.gpus.value
    assert gpu.memory_bytes.value == 40960 << 20
    assert [item.pid for item in gpu.processes.value] == [4242, 4243]
    assert gpu.memory_repair.value == "pending"  # retired pages, which cards before Ampere have
    assert driver.cuda_version.value == "12.4"


@LINUX
@pytest.mark.parametrize(
    "function", ["nvmlInit", "nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex", "nvmlDeviceGetUUID"]
)
def test_a_driver_that_hangs_costs_the_deadline_and_no_more(ask, function):
    started = time.monotonic()
    driver = ask("gpu=NVIDIA L4\nhang=%s\n" % function, deadline_s=0.5)
    assert time.monotonic() - started < 5.0
    assert driver.nvml.problem == "no answer within 0.5 s"
    assert driver.nvml_silent
    assert driver.nvml_error.status == "absent"
    assert children() == []


@LINUX
@pytest.mark.parametrize("way", ["crash", "garbage"])
@pytest.mark.parametrize("function", ["nvmlInit", "nvmlDeviceGetComputeMode"])
def test_a_library_that_dies_or_talks_nonsense(ask, way, function):
    driver = ask("gpu=NVIDIA L4\n%s=%s\n" % (way, function))
    assert driver.nvml_silent
    assert "gave no answer" in driver.nvml.problem
    assert ("SIGSEGV" in driver.nvml.problem) == (way == "crash")
    assert children() == []


@LINUX
def test_a_lost_gpu_keeps_the_name_that_the_kernel_module_has(ask):
    information = "Model: \t\t NVIDIA %s\nGPU UUID: \t GPU-%s\nBus Location: \t 0000:%s:00.0\nDevice Minor: \t %d\n"
    files = dict(BOX["files"])
    for minor, (name, bus) in enumerate((("L4", "07"), ("L40S", "08"), ("T4", "09"))):
        path = "/proc/driver/nvidia/gpus/0000:%s:00.0/information" % bus
        files[path] = information % (name, bus * 4, bus, minor)
    files["/var/log/kern.log"] = "kernel: [    0.000000] Linux version 6.5.0\n"
    text = "gpu=NVIDIA L4\n bus=00000000:07:00.0\ngpu=x\n bus=00000000:08:00.0\nfail=nvmlDeviceGetHandleByIndex:15:1\n"
    nodes = {"/dev/nvidia0": True, "/dev/nvidia1": True}
    driver = ask(text, files=files, nodes=nodes)
    # The third one has no node: in a container the kernel module lists the GPUs of other containers too.
    assert [(gpu.name, gpu.bus_id) for gpu in driver.gpus.value] == [
        ("NVIDIA L4", "0000:07:00.0"), ("NVIDIA L40S", "0000:08:00.0"),
    ]  # fmt: skip
    assert [gpu.problem for gpu in driver.gpus.value] == ["", "GPU is lost (NVML error 15)"]
    nodes["/dev/nvidia2"] = True
    third = ask(text, files=files, nodes=nodes).gpus.value[2]
    assert (third.name, third.problem) == ("NVIDIA T4", "the kernel module lists it, NVML does not")


@LINUX
def test_a_gpu_that_is_lost_while_it_is_asked(ask):
    (gpu,) = ask("gpu=NVIDIA L4\nfail=nvmlDeviceGetComputeMode:15\n").gpus.value
    assert gpu.problem == "GPU is lost (NVML error 15)"
    assert gpu.memory_bytes.known


@LINUX
def test_a_damaged_nvidia_ml_py_says_nothing_of_the_driver(tmp_path, library, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", library)
    (tmp_path / "pynvml.py").write_text("raise RuntimeError('half a file')\n")
    script = os.path.join(os.path.dirname(sys.modules["devicekit.machine.probe"].__file__), "nvml_child.py")
    task = {"pynvml": str(tmp_path / "pynvml.py")}
    answer = LiveQuestion(script, task, time.monotonic() + 20, 20).answer()
    assert answer == {"unusable": "nvidia-ml-py cannot be loaded: RuntimeError: half a file"}


@LINUX
def test_gpus_are_watched_until_that_ends(library, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", library)
    text = (
        "gpu=NVIDIA L4\n mem=100/60\n util=97\n clock=900/2000\n temp=88\n power=70/72/72\n limits=0x24\n pcie=8/16\n"
    )
    monkeypatch.setenv("SIM_NVML", text + "proc=%d:30\n proc=999999:40\ngpu=NVIDIA T4\n util=3\n" % os.getpid())
    loads = GpuLoads(time.monotonic, {"pynvml": importlib.util.find_spec("pynvml").origin})
    try:
        deadline = time.monotonic() + 60.0
        while len(loads.samples()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        first = loads.samples()[0]
    finally:
        loads.close()
    assert children() == []
    # The other GPU is not this process's.
    assert {sample.index for sample in loads.samples()} == {0}
    assert (first.utilization_percent, first.memory_bytes, first.memory_used_bytes) == (97, 100 << 20, 40 << 20)
    assert (first.clock_mhz, first.clock_max_mhz, first.temperature_c) == (900, 2000, 88)
    assert (first.power_w, first.power_limit_w, first.power_default_w) == (70.0, 72.0, 72.0)
    assert (first.pcie_width, first.pcie_width_max, first.limited_by, first.others) == (
        8,
        16,
        ("power-cap", "thermal"),
        1,
    )


class Planted(CommandWatch):
    """A watch whose simulated driver lists the command, as soon as its number is known."""

    path = ""

    def begin(self, number, job=0):
        with open(self.path, "a") as stream:
            stream.write(" proc=%d:900\n" % number)
        super().begin(number)


@LINUX
@pytest.mark.parametrize("listed", [True, False])
def test_a_command_is_watched_on_its_gpus(library, monkeypatch, tmp_path, listed):
    monkeypatch.setenv("LD_LIBRARY_PATH", library)
    path = tmp_path / "gpus"
    path.write_text(
        "gpu=NVIDIA T4\n util=3\ngpu=NVIDIA L4\n mem=100/60\n util=97\n clock=900/2000\n limits=0x20\n proc=999999:40\n"
    )
    monkeypatch.setenv("SIM_NVML", "@%s" % path)
    task = {"pynvml": importlib.util.find_spec("pynvml").origin}
    kind = Planted if listed else CommandWatch
    watch = kind(LiveHost(), {}, ("gpu:0",), NvmlQuestion(task=task))
    watch.path = str(path)
    command = [sys.executable, "-c", "import time; time.sleep(8)"]
    assert run_listening(command, os.environ, lambda part: None, watcher=watch) == 0
    assert children() == []
    assert [thread.name for thread in threading.enumerate() if "devicekit" in thread.name] == []
    record = watch.record("x", 0)
    assert {sample.index for sample in record.gpus} == {0, 1}
    assert sorted(used_gpus(record)) == ([1] if listed else [])
    codes = [finding.code for finding in findings(record)]
    text = str(CommandReport.of(record))
    if listed:
        assert {(item.own, item.others) for item in used_gpus(record)[1]} == {(1, 1)}
        assert set(codes) >= {"clocks-limited", "shared-device"}
        assert "GPU 1      utilization 97 %" in text
    else:
        assert "no process of the command was seen on GPU 0 or GPU 1" in text


@LINUX
def test_a_driver_that_fails_leaves_the_gpus_unknown(library, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", library)
    monkeypatch.setenv("SIM_NVML", "fail=nvmlInit:18")
    task = {"pynvml": importlib.util.find_spec("pynvml").origin}
    watch = CommandWatch(LiveHost(), {}, (), NvmlQuestion(task=task))
    run_listening([sys.executable, "-c", "import time; time.sleep(8)"], os.environ, lambda part: None, watcher=watch)
    record = watch.record("x", 0)
    assert (record.gpus, children()) == ((), [])
    assert "ersion" in record.gpus_unknown  # of library and driver, which do not match


@LINUX
def test_the_facts_survive_json(ask, make_machine):
    driver = ask(FULL + "gpu=b\n mig=1\n migdev=MIG-1:1:0:100:b MIG 1g.5gb\n")
    machine = read_machine(make_machine())
    machine = Machine(**dict(vars(machine), driver=driver))
    assert Machine.from_dict(json.loads(json.dumps(machine.to_dict()))) == machine


class Mute(SimulatedHost):
    def ask(self, name, task=None):
        raise AssertionError("%s was asked" % name)


@pytest.mark.parametrize(
    "host, reason",
    [
        ({"nodes": {}}, "there is no sign of an NVIDIA GPU"),
        ({"loader_cache": {"libc.so.6": "/lib/libc.so.6"}}, "libnvidia-ml.so.1 was not found"),
        ({"files": {"/project/pynvml.py": ""}}, "nvidia-ml-py is not installed"),  # the working folder does not count
        ({"system": "macos", "files": {}}, "there is no sign of an NVIDIA GPU"),
        (
            {"system": "windows", "files": {"C:\\Windows\\System32\\kernel32.dll": ""}, "loader_cache": {}},
            "nvml.dll was not found",
        ),
    ],
)
def test_nobody_is_asked_without_need(tmp_path, host, reason):
    (tmp_path / "host.json").write_text(json.dumps(dict(BOX, **dict({"system": "linux"}, **host))), encoding="utf-8")
    driver = read_driver(Mute(str(tmp_path)))
    assert not driver.nvml.or_none()
    assert driver.nvml.problem == reason
    assert not driver.nvml_silent


def test_windows_without_files_of_the_kernel(make_machine):
    answer = {
        "driver_version": "552.22",
        "nvml_version": "12.552.22",
        "gpus": [{"index": 0, "name": "NVIDIA GeForce RTX 3060", "bus_id": "00000000:01:00.0", "memory": [1, 1, 0]}],
    }
    files = {"C:\\Windows\\System32\\nvml.dll": "", "C:\\venv\\Lib\\site-packages\\pynvml.py": ""}
    driver = read_driver(make_machine(system="windows", files=files, answers={"nvml": answer}))
    assert [gpu.name for gpu in driver.gpus.value] == ["NVIDIA GeForce RTX 3060"]
    assert driver.nvidia_version.value == "552.22"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"gpus": 3},
        {"gpus": [1, "x", None]},
        {"gpus": [{}]},
        {"gpus": [{"name": 5, "memory": ["a"], "processes": [7]}]},
    ]
    + [{"error": "x"}, {"xids": [1, None]}, {"gpus": [{"mig_enabled": True, "mig_devices": [{}, 3]}]}],
)
def test_answers_of_any_form_are_survived(make_machine, answer):
    driver = read_driver(make_machine(**dict(BOX, answers={"nvml": answer})))
    for gpu in driver.gpus.or_none() or ():
        assert gpu.name == "NVIDIA GPU"
        assert not gpu.memory_bytes.known


KEYS = (
    "index name uuid bus_id memory capability mig_enabled mig_devices processes ecc_errors recovery error pid kind xids"
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "absent", "unknown", *KEYS.split()]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(["gpus", "error", "text", "xids", "nvml_version", "driver_version"]), ANYTHING)
    | st.fixed_dictionaries({"gpus": st.lists(st.dictionaries(st.sampled_from(KEYS.split()), ANYTHING), max_size=3)})
)
def test_whatever_the_child_says_facts_are_made_of_it(tmp_path, answer):
    (tmp_path / "host.json").write_text(
        json.dumps(dict(BOX, system="linux", answers={"nvml": answer})), encoding="utf-8"
    )
    machine = read_machine(SimulatedHost(str(tmp_path)))
    assert Machine.from_dict(json.loads(json.dumps(machine.to_dict()))) == machine
    for item in diagnose(machine).not_evaluated:
        assert "the rule failed" not in item.because


def test_bus_ids_in_any_spelling():
    assert parse_bus_id("00000000:0B:00.0") == parse_bus_id("0000:0b:00.0") == parse_bus_id("0B:00.0") == "0000:0b:00.0"
    assert parse_bus_id("00010000:0B:00.0") == "10000:0b:00.0"
    assert parse_bus_id("nonsense") == parse_bus_id("") == ""


LOG = """Nov 20 08:00:00 box kernel: [    0.000000] Linux version 6.5.0-1020-generic (buildd@lcy02)
Nov 20 09:00:00 box kernel: [ 3600.000000] NVRM: Xid (PCI:0000:07:00): 79, pid='<unknown>', GPU has fallen off the bus.
Nov 21 08:00:00 box kernel: [    0.000000] Linux version 6.5.0-1020-generic (buildd@lcy02)
Nov 21 08:10:00 box kernel: [  600.000000] NVRM: Xid (PCI:0000:0B:00): 31, pid=77, name=python, Ch 0000000b
Nov 21 08:10:01 box kernel: [  601.000000] NVRM: Xid (PCI:0000:0B:00): 31, pid=77, name=python, Ch 0000000b
"""


def test_errors_of_the_driver_since_the_start():
    assert parse_xids(LOG) == (Xid("0000:07:00.0", 79), Xid("0000:0b:00.0", 31, 2))
    assert parse_xids(parse_since_start(LOG)) == (Xid("0000:0b:00.0", 31, 2),)
    # The start is further up than the part that was read: the stamps say where the last one was.
    tail = LOG.splitlines()
    assert parse_xids(parse_since_start("\n".join([tail[1], *tail[3:]]))) == (Xid("0000:0b:00.0", 31, 2),)
    assert parse_since_start("Nov 21 box kernel: NVRM: Xid (PCI:0000:0B:00): 31, pid=77\n") is None
    assert parse_xids("NVRM: Xid (0000:81:00): 13, Graphics Exception") == (Xid("0000:81:00.0", 13),)
    assert parse_xids("") == ()


def test_the_log_is_read_where_the_driver_does_not_answer(make_machine):
    host = dict(BOX, answers={"nvml": "no answer within 2 s"})
    logged = make_machine(**dict(host, files=dict(BOX["files"], **{"/var/log/kern.log": LOG})))
    assert read_driver(logged).xids.value == (Xid("0000:0b:00.0", 31, 2),)
    tool = dict(BOX["files"], **{"/usr/bin/dmesg": ""})
    ring = {"/usr/bin/dmesg": {"stdout": "[ 1.0] NVRM: Xid (PCI:0000:0B:00): 79, GPU has fallen off the bus.\n"}}
    assert read_driver(make_machine(**dict(host, files=tool, commands=ring))).xids.value == (Xid("0000:0b:00.0", 79),)
    refused = {"/usr/bin/dmesg": {"status": 1, "stderr": "dmesg: read kernel buffer failed: Operation not permitted"}}
    found = read_driver(make_machine(**dict(host, files=tool, commands=refused))).xids
    assert not found.known
    assert "Operation not permitted" in found.problem


def test_slices_without_nvml(make_machine):
    files = {
        "/proc/driver/nvidia/gpus/0000:07:00.0/information": "Model: NVIDIA A100\nGPU UUID: GPU-????\nDevice Minor: 0\n",
        "/proc/driver/nvidia/capabilities/gpu0/mig/gi3/access": "DeviceFileMinor: 30\n",
        "/proc/driver/nvidia/capabilities/gpu0/mig/gi3/ci0/access": "DeviceFileMinor: 31\n",
        "/proc/driver/nvidia/capabilities/gpu0/mig/gi5/ci0/access": "DeviceFileMinor: 51\n",
    }
    (gpu,) = read_driver(make_machine(files=files)).gpus.value
    assert gpu.uuid == ""
    assert gpu.mig_enabled.value is True
    assert [(item.gpu_instance, item.compute_instance) for item in gpu.mig_devices.value] == [(3, 0), (5, 0)]


METER = """
import json, sys
from devicekit.measure.benchmark.taking_steps import meter_of
meter = meter_of("cuda", sys.argv[1])
before, after = meter.joules(), meter.joules()
print(json.dumps([before, after]))
"""


@LINUX
def test_energy_is_read_where_the_driver_counts_it(library, run_json):
    text = "gpu=NVIDIA A\ngpu=NVIDIA B\n uuid=GPU-b\n energy=7000\n"
    variables = {"LD_LIBRARY_PATH": library, "SIM_NVML": text}
    # The first reading finds out whether there is a counter.
    assert run_json(METER, "GPU-b", env=variables) == [8.5, 10.0]
    assert run_json(METER, "GPU-10000000-1111-2222-3333-444444444444", env=variables) == [None, None]
    assert run_json(METER, "GPU-missing", env=variables) == [None, None]
