"""`devicekit run --watch`: what is measured of a command and all that it starts, and what is concluded."""

import json
import os
import signal
import subprocess
import sys

import pytest

from devicekit.children.foreground import run_listening
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe.host_load import HostLoad, ProcessTree, read_host_load, read_shared_once
from devicekit.watch import CommandRecord, CommandReport
from devicekit.watch.command_causes import findings, used_gpus
from devicekit.watch.command_watch import CommandWatch
from devicekit.watch.gpu_loads import loads_for
from devicekit.watch.training_record import GpuSample, HostSample

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRON = dict(os.environ, PYTHONPATH=ROOT)
RUN = [sys.executable, "-m", "devicekit", "run", "--watch"]
GIB = 2**30

posix = pytest.mark.only_on("posix", reason="signals, shells and terminals of POSIX")
linux = pytest.mark.only_on("linux", reason="/proc of Linux")


# What is concluded.


def gpus(count=40, index=0, own=1, **values):
    """Return samples of a GPU, one each second; its memory grows when it is used."""
    found = []
    for number in range(count):
        used = 20 * GIB if own and number else GIB
        sample = GpuSample(
            float(number), index, 93, used, 80 * GIB, 1900, 1980, 71, 690.0, 700.0, 700.0, others=0, own=own
        )
        found.append(sample.replace(**values))
    return tuple(found)


def hosts(own=60.0, busy=90.0, idle=70.0, periods=None, throttled=None, memory=4 * GIB, queued=1.0):
    zero = 0 if periods else None
    first = HostSample(0.0, HostLoad(0.0, 0.0, 0.0, 1, zero, zero, GIB, 0.0))
    return (first, HostSample(40.0, HostLoad(own, busy, idle, 3, periods, throttled, memory, queued)))


HEALTHY = CommandRecord(
    name="train.py", status=0, seconds=40.0, cpu_s=60.0, processors=4.0, processes=3, memory_peak_bytes=4 * GIB,
    memory_granted_bytes=16 * GIB, hosts=hosts(), gpus=gpus(), frameworks=("tensorflow",),
)  # fmt: skip
IDLE = gpus(own=0, others=None)
UNUSED = HEALTHY.replace(gpus=IDLE)

PLANTED = {
    "on-the-cpu": ("device-unused", UNUSED),
    "leased-and-unused": ("device-unused", UNUSED.replace(frameworks=(), cpu_s=1.0, leased=("gpu:0",))),
    "one-of-two": ("device-unused", HEALTHY.replace(gpus=gpus() + gpus(index=1, own=0), leased=("gpu:0", "gpu:1"))),
    "hot": ("clocks-limited", HEALTHY.replace(gpus=gpus(limited_by=("thermal",)))),
    "second-gpu-hot": ("clocks-limited", HEALTHY.replace(gpus=gpus() + gpus(index=1, limited_by=("thermal",)))),
    "two-programs": ("shared-device", HEALTHY.replace(gpus=gpus(others=1))),
    "quota": ("host-starved", HEALTHY.replace(hosts=hosts(periods=500, throttled=300))),
    "hog": ("host-starved", HEALTHY.replace(hosts=hosts(own=30.0, busy=158.0, idle=2.0, queued=60.0))),
    "full-machine": ("memory-bound", HEALTHY.replace(hosts=hosts(memory=int(15.5 * GIB)))),
}

JUST_NOT = {
    "healthy": HEALTHY,
    "no-gpu": HEALTHY.replace(gpus=(), gpus_unknown="there is no sign of an NVIDIA GPU"),
    "nothing-known": CommandRecord("train.py"),
    "no-framework": UNUSED.replace(frameworks=()),
    "hidden-by-the-user": UNUSED.replace(hidden_by="CUDA_VISIBLE_DEVICES"),
    "only-a-service-was-asked": UNUSED.replace(cpu_s=1.0, hosts=hosts(own=1.0, busy=158.0, idle=2.0)),
    "too-short": UNUSED.replace(gpus=IDLE[:20]),
    # In a container no process is listed; the memory tells that one is there.
    "not-listed": HEALTHY.replace(gpus=tuple(item.replace(own=0, others=None) for item in gpus())),
    "driver-does-not-list": HEALTHY.replace(gpus=gpus(own=None, others=None)),
    "other-gpu-hot": HEALTHY.replace(gpus=gpus() + gpus(index=1, own=0, limited_by=("thermal",))),
    "others-on-another-gpu": HEALTHY.replace(gpus=gpus() + gpus(index=1, own=0, others=None)),
    "both-leased-are-used": HEALTHY.replace(gpus=gpus() + gpus(index=1), leased=("gpu:0", "gpu:1")),
    "slices-of-one": HEALTHY.replace(leased=("MIG-1", "MIG-2")),
}


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_cause_is_found_and_none_other(name):
    code, record = PLANTED[name]
    (finding,) = findings(record)
    assert finding.code == code
    assert finding.evidence
    assert finding.fix
    again = CommandRecord.from_dict(json.loads(json.dumps(CommandReport.of(record).to_dict()))["record"])
    assert CommandReport.of(again) == CommandReport.of(record)


@pytest.mark.parametrize("name", sorted(JUST_NOT))
def test_a_healthy_command_has_no_finding(name):
    assert [finding.code for finding in findings(JUST_NOT[name])] == []


def test_a_report_shows_itself_and_says_what_is_unknown():
    text = str(CommandReport.of(HEALTHY.replace(name="<b>\x1b[31m")))
    assert "1.5 of 4 on average, 60 s in all, 3 processes; other programs: 0.75" in text
    assert "GPU 0      utilization 93 %, memory 20.0 GiB of 80.0 GiB at most, clock 1900 of 1980 MHz" in text
    assert "unknown: PCIe" in text
    assert "Whether it waits for its data cannot be seen" in text
    assert "\x1b" not in text
    assert "<b>" not in CommandReport.of(HEALTHY.replace(name="<b>"))._repr_html_()
    unknown = str(CommandReport.of(CommandRecord("x", gpus_unknown="the driver is broken")))
    assert unknown.count("unknown") == 3
    assert "the driver is broken" in unknown
    assert "Too little was seen" in unknown


# What is measured.


STAT = "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 %d 0 0 0 20 0 1 0 %d 1000 %d 1844 0"


def machine_with(make_machine, *processes):
    files = {"/proc/stat": "cpu  900 0 0 900 0 0 0 0 0 0\n"}
    for number, parent, ticks, began in processes:
        files["/proc/%d/stat" % number] = STAT % (number, "a) b", parent, ticks, began, 10)
    return make_machine(files=files)


def test_a_tree_keeps_what_has_left_it_and_what_has_ended(make_machine):
    tree = ProcessTree(42)
    load = read_host_load(
        machine_with(make_machine, (42, 1, 100, 5), (43, 42, 50, 6), (44, 43, 10, 7), (9, 1, 7, 1)), tree
    )
    assert (load.processes, tree.numbers) == (3, {42, 43, 44})
    first = load.own_cpu_s
    # 43 has ended outside of the tree; 44 is a daemon now.
    load = read_host_load(machine_with(make_machine, (42, 1, 100, 5), (44, 1, 10, 7), (9, 1, 7, 1)), tree)
    assert (load.processes, load.own_cpu_s) == (2, first)
    # The command has ended; its number belongs to another program.
    load = read_host_load(machine_with(make_machine, (42, 1, 999, 90), (44, 1, 150, 7)), tree)
    assert tree.numbers == {44}
    assert first < load.own_cpu_s < 3 * first


def test_processes_on_gpus_are_those_of_the_tree():
    loads = [{"index": 0, "pids": [7, 9, 11]}, {"index": 1, "pids": [8]}, {"index": 2}, {}, "garbage"]
    assert [(item["index"], item["own"], item["others"]) for item in loads_for(loads, {7, 9})] == [
        (0, 2, 1), (1, 0, None), (2, None, None),
    ]  # fmt: skip
    assert sorted(used_gpus(HEALTHY.replace(gpus=gpus() + gpus(index=3, own=0)))) == [0]


def python(code):
    return [sys.executable, "-c", code]


def watched(*words, options=(), **streams):
    streams = dict({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}, **streams)
    process = subprocess.Popen([*RUN, *options, "--", *words], env=ENVIRON, **streams)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_output_and_status_are_the_commands_own_and_the_report_is_below():
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 999); sys.stderr.buffer.write(b'\\0\\xff'); sys.exit(%d)"
    for status in (0, 3):
        returned, out, err = watched(*python(code % status))
        assert (returned, out) == (status, bytes(range(256)) * 999)
        assert err.startswith(b"\0\xff")
        assert b"and ended with status %d" % status in err[2:]
        assert b"Processors" in err


def test_a_failure_is_explained_above_it_unless_quiet():
    words = python("raise SystemExit('CUDA error: no kernel image is available for execution on the device')")
    _, _, err = watched(*words)
    assert 0 < err.index(b"compute-capability-unsupported") < err.index(b"Processors")
    status, _, err = watched(*words, options=["-q"])
    assert status == 1
    assert b"compute-capability-unsupported" not in err
    assert b"Processors" in err


BURN = "import time\nend = time.process_time() + 1.0\nwhile time.process_time() < end: pass"


@linux
def test_the_whole_tree_is_measured():
    hold = "held = bytearray(150 << 20); import time; time.sleep(3)"
    code = "import subprocess, sys\nrun = [subprocess.Popen([sys.executable, '-c', code]) for code in %r]\n" % [
        BURN,
        hold,
    ]
    status, out, err = watched(*python(code + "[process.wait() for process in run]"), options=["--json"])
    assert (status, out) == (0, b"")
    record = CommandRecord.from_dict(json.loads(err.decode())["record"])
    assert record.cpu_s >= 1.0
    assert record.processes >= 3
    assert record.memory_peak_bytes > 150 << 20
    assert record.seconds > 1.5
    assert record.memory_granted_bytes > GIB
    assert record.processors >= 0.1
    assert record.gpus or record.gpus_unknown
    assert record.hosts[-1].at_s > 0.5


@linux
def test_a_daemon_that_goes_on_is_counted_while_the_command_runs():
    burn = BURN.replace("1.0", "0.5") + "\ntime.sleep(60)"
    code = (
        "import os, subprocess, sys, time\nprocess = subprocess.Popen([sys.executable, '-c', %r],"
        " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)\n"
        "time.sleep(4); print(process.pid)" % burn
    )
    _, out, err = watched(*python(code), options=["--json"])
    os.kill(int(out), signal.SIGKILL)
    assert json.loads(err.decode())["record"]["cpu_s"] > 0.2


@posix
def test_what_ends_at_once_or_cannot_be_started():
    status, out, err = watched("true")
    assert (status, out) == (0, b"")
    assert b"true ran for" in err
    status, out, err = watched("no-such-program-of-tests")
    assert (status, out) == (127, b"")
    assert err == b"devicekit: no-such-program-of-tests cannot be run: No such file or directory\n"


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_signal_that_ends_the_command_ends_this_process(signals, name):
    number = int(getattr(signal, name))
    status, _, err = watched("/bin/sh", "-c", "kill -%d $$" % number)
    assert status == -number
    assert b"was ended by %s" % name.encode() in err


@posix
def test_ctrl_c_on_a_terminal_reaches_the_command_and_the_report_follows():
    from terminal_tools import start_on_terminal

    code = (
        "import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *now: sys.exit(5))\n"
        "print('on', flush=True)\ntime.sleep(60)"
    )
    # Where the tests themselves run in the background, a shell has let them ignore Ctrl-C.
    start = (
        "import signal, subprocess, sys; signal.signal(signal.SIGINT, lambda *now: None)\n"
        "print('status', subprocess.call(sys.argv[1:]), flush=True); input()"
    )
    pid, terminal = start_on_terminal([sys.executable, "-c", start, *RUN, "--", *python(code)], ENVIRON)
    seen = b""
    for key, until in ((b"", b"on\r\n"), (b"\x03", b"status 5\r\n"), (b"\n", b"")):
        os.write(terminal, key)
        while seen.count(b"status 5\r\n") < (2 if key == b"\x03" else 0) or until not in seen:
            seen += os.read(terminal, 1000)
    assert os.waitpid(pid, 0)[1] == 0
    assert seen.startswith(b"on\r\n^C")
    assert b"and ended with status 5\r\n" in seen
    assert b"Processors" in seen
    os.close(terminal)


@posix
def test_a_terminal_shows_the_same_as_without_it():
    from terminal_tools import shown_on_terminal

    code = "import os, sys; print(sys.stdin.isatty(), sys.stdout.isatty(), *os.get_terminal_size(1)); sys.exit(7)"
    direct = shown_on_terminal(python(code), columns=101)
    status, seen = shown_on_terminal([*RUN, "--", *python(code)], ENVIRON, columns=101)
    assert (status, seen[: len(direct[1])]) == direct
    assert b"Processors" in seen[len(direct[1]) :]


@linux
def test_a_command_that_prints_all_the_time_is_looked_at_and_nothing_is_left():
    code = "import sys, time\nend = time.time() + 1.5\nwhile time.time() < end: sys.stdout.write('x' * 999)"
    watch, parts = CommandWatch(LiveHost(), {"CUDA_VISIBLE_DEVICES": ""}), []
    before = set(os.listdir("/proc/self/fd"))
    assert run_listening(python(code), ENVIRON, parts.append, watcher=watch) == 0
    record = watch.record("x", 0)
    assert len(record.hosts) >= 3
    assert record.hidden_by == "CUDA_VISIBLE_DEVICES"
    assert record.seconds > 1.4
    assert set(os.listdir("/proc/self/fd")) == before
    assert sum(map(len, parts)) > 999


@linux
def test_memory_that_two_processes_share_counts_once():
    code = "import os, time\nheld = bytearray(b'x') * (100 << 20)\nos.fork()\nos.write(1, b'%d\\n' % os.getpid())\n"
    code += "time.sleep(60)"
    process = subprocess.Popen(python(code), stdout=subprocess.PIPE, start_new_session=True)
    try:
        numbers = [int(process.stdout.readline()) for _ in range(2)]
        tree = ProcessTree(process.pid)
        load = read_host_load(LiveHost(), tree)
        assert tree.numbers == set(numbers)
        assert load.memory_bytes > 200 << 20
        once = read_shared_once(LiveHost(), numbers)
        assert once is None or 100 << 20 < once < 150 << 20
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_what_is_leased_for_it_is_in_the_report(tmp_path):
    environ = dict(ENVIRON, DEVICEKIT_LEASE_DIR=str(tmp_path))
    options = ["--json", "--gpus", "2", "--machine", "linux-eight-gpus"]
    command = [*RUN, *options, "--", *python("pass")]
    done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    leased, report = map(json.loads, done.stderr.decode().splitlines())
    assert (done.returncode, report["findings"]) == (0, [])
    assert report["record"]["leased"] == leased["devices"] == ["gpu:0", "gpu:1"]
