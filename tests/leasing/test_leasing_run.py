"""`devicekit run` and `devicekit leases` as they are typed, and ``auto(exclusive=True)``."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from leasing_tools import answer_of, until
from recorded_machines import load_machine

from devicekit import LeaseTimeoutError, auto, lease
from devicekit.cli.main import main
from devicekit.cluster.lease.exclusive import take_for
from devicekit.cluster.lease.folder import open_folder
from devicekit.cluster.lease.queue import Queue
from devicekit.runtime.decide import Options, plan_for
from devicekit.selection.request import parse_request

SERVER = load_machine("linux-nvidia-server")
UUID = "GPU-11111111-2222-3333-4444-00000000000%d"
SHOW = "import os, sys; print(os.environ['CUDA_VISIBLE_DEVICES'], os.getpid()); sys.exit(7)"


@pytest.fixture
def command(folder, server):
    """Return a function that starts ``devicekit run`` on the server."""
    running = []

    def begin(*arguments, **options):
        words = [sys.executable, "-m", "devicekit", "run", "--machine", server, *arguments]
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def finished(process):
    out, err = process.communicate(timeout=200)
    return process.returncode, out.decode(), err.decode()


def test_the_command_sees_only_what_was_leased_and_its_status_is_passed_on(command, folder):
    process = command("--gpus", "2", "--json", "--", sys.executable, "-c", SHOW)
    status, out, err = finished(process)
    assert status == 7, err
    visible, _ = out.split()
    assert visible == "%s,%s" % (UUID % 0, UUID % 1)
    said = json.loads(err)
    assert said["devices"] == ["gpu:0", "gpu:1"]
    assert said["uuids"] == [UUID % 0, UUID % 1]
    assert said["environment"]["CUDA_VISIBLE_DEVICES"] == visible
    assert Queue(open_folder(folder)).holdings() == []


@pytest.mark.only_on("posix", reason="a process of Windows cannot be replaced")
def test_where_nothing_would_be_said_it_becomes_the_command(command, folder):
    process = command("--gpus", "1", "--quiet", "--", sys.executable, "-c", SHOW)
    status, out, err = finished(process)
    assert (status, err) == (7, "")
    assert int(out.split()[1]) == process.pid


@pytest.mark.only_on("posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGINT"])
def test_signals_reach_the_command_and_end_the_lease(command, folder, signals, name):
    number = getattr(signal, name)
    code = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); print('on', flush=True); time.sleep(300)"
    process = command("--device", "gpu:3", "--", sys.executable, "-c", code)
    assert process.stdout.readline() == b"on\n"
    queue = Queue(open_folder(folder))
    (holding,) = queue.holdings()
    assert (holding.record["pid"], holding.record["uuid"]) == (process.pid, UUID % 3)
    assert holding.record["command"].startswith("python")
    process.send_signal(number)
    assert process.wait() == -number
    until(lambda: queue.holdings() == [])  # where devicekit itself is killed, the kernel kills the command


@pytest.mark.only_on("posix", reason="Windows' locks are not inherited")
def test_what_the_command_leaves_behind_keeps_the_lease(command, folder, server, capsys):
    """A shell that starts something in the background and ends: the device is still in use."""
    process = command("--gpus", "1", "--", "/bin/sh", "-c", "sleep 300 & echo $!")
    child = int(process.stdout.readline())
    process.stdout.close()
    queue = Queue(open_folder(folder))
    try:
        process.wait()
        assert len(queue.holdings()) == 1
        if sys.platform.startswith("linux"):  # who it is, for those who wait and in the list
            until(lambda: queue.holders()[0].record["command"] == "sleep")  # until then it is the shell's copy
            assert queue.holders()[0].record["pid"] == child
            with pytest.raises(LeaseTimeoutError, match=r"held by process %d \(sleep\) for" % child):
                lease("gpu", 8, machine=SERVER, timeout_s=0)
            assert main(["leases", "--machine", server]) == 0
            assert "held by process %d (sleep)" % child in capsys.readouterr().out
    finally:
        os.kill(child, signal.SIGKILL)
    until(lambda: queue.holdings() == [])
    process.stdout = open(os.devnull, "rb")  # noqa: SIM115 - what the fixture closes


@pytest.mark.only_on("windows", reason="elsewhere the kernel kills the command")
def test_a_command_ends_with_devicekit(command, folder):
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(300)"
    process = command("--device", "gpu:3", "--", sys.executable, "-c", code)
    kernel = ctypes.WinDLL("kernel32")
    started = kernel.OpenProcess(0x100000, False, int(process.stdout.readline()))  # SYNCHRONIZE
    queue = Queue(open_folder(folder))
    assert started
    assert len(queue.holdings()) == 1
    process.kill()
    assert kernel.WaitForSingleObject(started, 60000) == 0
    until(lambda: queue.holdings() == [])


@pytest.mark.only_on("windows", reason="elsewhere locks are inherited")
def test_what_the_command_leaves_behind_is_waited_for(command, folder):
    code = (
        "import subprocess, sys; kept = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)']);"
        "print(kept.pid, flush=True); import os; os._exit(7)"
    )
    process = command("--device", "gpu:3", "--", sys.executable, "-c", code)
    left = int(process.stdout.readline())
    assert b"a process that it has started still runs: waiting" in process.stderr.readline()
    queue = Queue(open_folder(folder))
    assert len(queue.holdings()) == 1
    os.kill(left, signal.SIGTERM)  # that is TerminateProcess
    assert process.wait(60) == 7
    assert queue.holdings() == []


@pytest.mark.only_on("windows", reason="exceptions of Windows")
def test_the_code_of_an_exception_is_passed_on(command):
    code = "import ctypes; ctypes.windll.kernel32.ExitProcess(ctypes.c_uint32(0xC0000005))"
    assert finished(command("--", sys.executable, "-c", code))[0] == 0xC0000005


@pytest.mark.only_on("windows", reason="how Windows looks for programs")
def test_a_command_is_what_path_has_and_may_be_a_script(command, tmp_path):
    """Left to itself, Windows takes what is next to the interpreter first, and finds no scripts by their names."""
    (tmp_path / "python.cmd").write_text("@echo off\necho this one %1\n", encoding="ascii")
    environment = dict(os.environ, PATH=str(tmp_path) + os.pathsep + os.environ["PATH"])
    status, out, err = finished(command("--", "python", "train.py", env=environment))
    assert (status, out.strip()) == (0, "this one train.py"), err


@pytest.mark.only_on("windows", reason="elsewhere a script may be a program")
def test_a_script_without_its_interpreter(command, tmp_path):
    script = tmp_path / "train.py"
    script.write_text("print(1)", encoding="ascii")
    status, out, err = finished(command("--", str(script)))
    assert (status, out) == (126, "")
    assert "it is not a program. Put its interpreter before a script: devicekit run -- python train.py" in err


def test_a_program_in_it_may_ask_for_its_device_again(command, server):
    code = (
        "import sys, devicekit; from devicekit.machine.snapshot import load_machine\n"
        "print(devicekit.lease('gpu:5', machine=load_machine(sys.argv[1]), timeout_s=0).device)"
    )
    status, out, err = finished(command("--device", "gpu:5", "--", sys.executable, "-c", code, server))
    assert (status, out.strip()) == (0, "gpu:5"), err


def test_it_says_why_it_waits_and_gives_up(command, folder):
    with lease("gpu", 8, machine=SERVER):
        # Long enough for a machine that is busy: what is said of the wait comes after the first look.
        status, out, err = finished(command("--gpus", "1", "--timeout", "5", "--", sys.executable, "-c", SHOW))
        assert (status, out) == (1, "")
        waits = r"devicekit: waiting for a device \(\d+ s\): gpu:0 and 7 more are held by process %d" % os.getpid()
        assert re.search(waits, err), err
        assert "did not become free within 5 s" in err
        assert "held by process %d" % os.getpid() in err
        status, out, err = finished(
            command("--gpus", "1", "--timeout", "0.5", "--quiet", "--", sys.executable, "-c", SHOW)
        )
        assert "waiting for" not in err


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        ((), 2, "no command to run"),
        (("--",), 2, "no command to run"),
        (("--gpus", "0", "--", "true"), 2, "count must be a whole number of at least 1"),
        (("--device", "banana", "--", "true"), 2, "accepted are"),
        (("--gpus", "1", "--timeout", "-1", "--", "true"), 2, "timeout_s"),
        (("--timeout", "5", "--", "true"), 2, "name them by --gpus or --device"),
        (("--policy", "best", "--", "true"), 2, "unknown policy"),
        (("--gpus", "9", "--", "true"), 1, "9 devices were requested for 'gpu', but only 8 can be used here"),
        (("--device", "GPU-9", "--", "true"), 1, "there is no GPU-9 here"),
    ],
)
def test_wrong_use(folder, server, capsys, arguments, status, message):
    assert main(["run", "--machine", server, *arguments]) == status
    assert message in capsys.readouterr().err
    assert not os.path.exists(folder)


def test_a_command_that_is_not_there(command, folder):
    status, out, err = finished(command("--gpus", "1", "--", "no-such-command-anywhere"))
    assert (status, out) == (127, "")
    assert "devicekit: no-such-command-anywhere cannot be run: " in err
    assert Queue(open_folder(folder)).holdings() == []


def test_gpus_are_leased_where_no_framework_is_installed_beside_devicekit(folder):
    from devicekit.cluster.lease.eligible_devices import hardware_of

    bare = load_machine("linux-nvidia-tensorflow-cpu-and-torch")
    assert plan_for(parse_request("gpu"), None, bare).device == "cpu"
    (gpu,) = hardware_of(parse_request("gpu"), 1, bare)
    assert (gpu.device, gpu.platform, gpu.usable) == ("gpu:0", "cuda", True)
    assert hardware_of(parse_request("rocm"), 1, bare) == ()
    assert hardware_of(parse_request("gpu:1"), 1, bare) == ()
    assert hardware_of(parse_request("gpu"), 2, bare) == ()
    for name in (
        "linux-nvidia-driver-missing",
        "linux-nvidia-hidden",
        "linux-no-gpu",
        "linux-nvidia-permission-denied",
    ):
        assert hardware_of(parse_request("gpu"), 1, load_machine(name)) == ()


def test_the_list_of_leases(start, folder, server, capsys):
    holder = start("gpu:1")
    answer_of(holder)
    assert main(["leases", "--machine", server, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = {row["device"]: row for row in data["devices"]}
    assert (data["schema"], len(rows), data["waiting"]) == (1, 8, [])
    assert (rows["gpu:1"]["held"], rows["gpu:1"]["holder_pid"], rows["gpu:1"]["command"]) == (
        True,
        holder.pid,
        "holder.py",
    )
    assert (rows["gpu:0"]["held"], rows["gpu:0"]["holder_pid"]) == (False, None)
    assert main(["leases", "--machine", server]) == 0
    text = capsys.readouterr().out
    assert "gpu:0    NVIDIA A100-SXM4-40GB: free" in text
    assert "gpu:1    NVIDIA A100-SXM4-40GB: held by process %d (holder.py) for" % holder.pid in text
    # What this process does not see is shown with what its holder has said of it.
    alone = load_machine("linux-no-gpu")
    from devicekit.cluster.lease.listing import read_leases

    (row,) = read_leases(alone).devices
    assert (row.device, row.name, row.uuid, row.held) == ("", "NVIDIA A100-SXM4-40GB", UUID % 1, True)


def exclusive(request, timeout_s=None, require=False, machine=SERVER, policy=None):
    plan = plan_for(parse_request(request), None, machine, policy=policy)
    return take_for(plan, machine, None, policy, timeout_s, require)


@pytest.fixture
def kept(monkeypatch):
    """Give back what is kept until the process ends, and forget it."""
    from devicekit.cluster.lease import exclusive as module

    monkeypatch.setenv("DEVICEKIT_LEASED", "")
    yield
    while module._kept:
        module._kept.pop().release()


def test_auto_takes_what_is_free_and_keeps_it(start, folder, kept):
    holder = start("gpu:0")
    assert answer_of(holder)["devices"] == ["gpu:0"]
    plan, (change,) = exclusive("auto")
    assert (plan.device, plan.indices, plan.alternatives) == ("gpu:1", (1,), ())
    assert plan.reason == "gpu:1 was free first; leased for this process alone"
    assert (change.name, os.environ["DEVICEKIT_LEASED"]) == ("DEVICEKIT_LEASED", change.value)
    assert answer_of(start("gpu:1", timeout=0, env={"DEVICEKIT_LEASED": ""}))["error"] == "LeaseTimeoutError"
    # Asked once more, in this process or one that it starts, it is the same device again.
    again, _ = exclusive("gpu")
    assert again.device == "gpu:1"
    assert answer_of(start("gpu:1", timeout=0, env={"DEVICEKIT_LEASED": change.value}))["devices"] == ["gpu:1"]


def test_auto_falls_to_the_cpu_or_raises_where_nothing_becomes_free(start, folder, kept):
    holder = start("gpu:2")
    answer_of(holder)
    plan, changes = exclusive("gpu:2", timeout_s=0)
    assert (plan.device, plan.fallback, changes) == ("cpu", True, ())
    assert plan.cause.code == "device-busy"
    assert "gpu:2 is held by process %d" % holder.pid in plan.cause.evidence[0].text
    with pytest.raises(LeaseTimeoutError):
        exclusive("gpu:2", timeout_s=0, require=True)
    both, _ = exclusive("gpu:3,4", timeout_s=0)
    assert (both.device, both.reason) == ("gpu:3,4", "asked for and usable; leased for this process alone")


def test_there_is_nothing_to_lease_of_a_cpu(folder, kept):
    for request, machine in (
        ("cpu", SERVER),
        ("auto", load_machine("linux-no-gpu")),
        ("gpu", load_machine("linux-no-gpu")),
    ):
        plan, changes = exclusive(request, machine=machine)
        assert (plan.device, changes) == ("cpu", ())
    assert not os.path.exists(folder)


def test_how_long_auto_waits():
    assert Options(exclusive=True).checked().wait_s is None
    assert [Options(exclusive=seconds).checked().wait_s for seconds in (0, 2.5)] == [0.0, 2.5]
    for wrong in ("yes", -1, None, float("nan")):
        with pytest.raises(ValueError, match="exclusive must be True, False or the maximum number of seconds"):
            Options(exclusive=wrong).checked()
    with pytest.raises(ValueError, match="exclusive must be True"):
        auto("cpu", exclusive="yes")


def test_what_keeps_every_program_from_a_gpu_is_said_before_what_is_wrong_with_this_environment():
    from devicekit.cluster.lease.eligible_devices import of_the_machine, plan_of

    bare = load_machine("linux-nothing-installed")
    plan = plan_of(parse_request("gpu"), 1, bare)
    assert plan.cause.code == "framework-missing"
    assert of_the_machine(plan).reason == "This machine has no GPU"
    free = plan_of(parse_request("gpu"), 1, SERVER)
    assert of_the_machine(free) is free
