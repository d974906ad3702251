"""`devicekit launch` with real processes: small scripts instead of training."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import pytest

#: Generous, for machines that have a lot to do; nothing here waits that long.
PATIENCE_S = 120

POSIX = pytest.mark.only_on("posix", reason="signals and groups of processes are POSIX")
TREES = pytest.mark.skipif(
    not sys.platform.startswith(("linux", "win32")), reason="what left its group is found on Linux and Windows only"
)

OURS = (
    "TF_CONFIG",
    "RANK",
    "WORLD_SIZE",
    "JAX_PROCESS_ID",
    "KERAS_DISTRIBUTION_PROCESS_ID",
    "MASTER_ADDR",
    "MASTER_PORT",
)


def environment():
    return {name: value for name, value in os.environ.items() if name not in OURS and not name.startswith("SLURM_")}


@pytest.fixture
def start(tmp_path, signals):
    """Return a function that starts the command on a script, with the processor only, and returns the process."""
    started = []

    def run(script, *options, **others):
        (tmp_path / "work.py").write_text(script, encoding="utf-8")
        command = [sys.executable, "-m", "devicekit", "launch", "--devices", "cpu", *options]
        command += others.pop("what", ["work.py"])
        process = subprocess.Popen(
            command,
            cwd=str(tmp_path),
            env=dict(environment(), **others.pop("env", {})),
            stdin=others.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert not others, others
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()


@pytest.fixture
def launch(start):
    """Return a function that runs the command to its end and returns status, output and errors."""

    def run(*arguments, **options):
        process = start(*arguments, **options)
        out, err = process.communicate(timeout=PATIENCE_S)
        texts = [text.decode("utf-8", "replace").replace(os.linesep, "\n") for text in (out, err)]
        return (process.returncode, *texts)

    return run


def wait_for(path, count=1):
    """Wait until so many files with a name's beginning are there, and return what they hold."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = sorted(item for item in path.parent.iterdir() if item.name.startswith(path.name))
        texts = [item.read_text() for item in found]
        if len(texts) >= count and all(texts):
            return texts
        time.sleep(0.05)
    raise AssertionError("%s did not appear" % path)


def gone(pid):
    """Wait until a process has ended; a zombie has ended too."""
    if os.name == "nt":
        kernel = ctypes.WinDLL("kernel32")
        process = kernel.OpenProcess(0x100000, False, pid)  # SYNCHRONIZE
        return not process or kernel.WaitForSingleObject(process, 1000 * PATIENCE_S) == 0
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            with open("/proc/%d/stat" % pid) as stream:
                if stream.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except ProcessLookupError:
            return True
        except FileNotFoundError:  # macOS, or it ended just now
            pass
        time.sleep(0.05)
    return False


HELLO = """
import json, os, sys
print("hello from", os.environ["RANK"], sys.argv[1:])
print("an error from", os.environ["RANK"], file=sys.stderr)
sys.stdout.write("no end of line")
"""


def test_lines_say_who_said_them(launch):
    status, out, err = launch(HELLO, "--workers", "2", what=["work.py", "--lr", "0.1", "--workers", "9"])
    assert status == 0
    for rank in (0, 1):
        assert "[worker %d] hello from %d ['--lr', '0.1', '--workers', '9']\n" % (rank, rank) in out
        assert "[worker %d] no end of line\n" % rank in out
        assert "[worker %d] an error from %d\n" % (rank, rank) in err
    assert "devicekit launch" not in err


def test_a_module(launch):
    status, out, _ = launch(HELLO, "--workers", "2", what=["-m", "work", "--lr", "0.1"])
    assert status == 0
    assert "[worker 1] hello from 1 ['--lr', '0.1']\n" in out


def test_workers_find_each_other(launch):
    script = """
import json, os, socket, time
config = json.loads(os.environ["TF_CONFIG"])
host, port = config["cluster"]["worker"][0].split(":")
if config["task"]["index"] == 0:
    with socket.socket() as listener:
        listener.bind((host, int(port)))
        listener.listen(1)
        connection, _ = listener.accept()
        print("heard", connection.recv(100))
else:
    for _ in range(600):
        try:
            with socket.create_connection((host, int(port)), timeout=1) as connection:
                connection.sendall(b"worker 1")
            break
        except OSError:
            time.sleep(0.1)
"""
    status, out, _ = launch(script, "--workers", "2")
    assert (status, out) == (0, "[worker 0] heard b'worker 1'\n")


def test_the_first_failure_ends_all(launch, tmp_path):
    script = """
import os, sys, time
if os.environ["RANK"] == "1":
    while len([name for name in os.listdir(".") if name.startswith("up-")]) < 2:
        time.sleep(0.05)
    sys.exit(7)
with open("up-" + os.environ["RANK"], "w") as stream:
    stream.write("up")
time.sleep(600)
"""
    status, out, err = launch(script, "--workers", "3", "--json", "--summary", "summary.json")
    assert status == 7
    assert "devicekit launch: worker 1 ended with status 7 after" in err
    assert "; ending worker 0, worker 2 (killed after 10 s)" in err
    summary = json.loads(out.strip().splitlines()[-1])
    assert summary == json.loads((tmp_path / "summary.json").read_text())
    assert (summary["status"], summary["failed"]["label"]) == (7, "worker 1")
    assert summary["reason"].startswith("worker 1 ended with status 7")
    others = [item for item in summary["workers"] if item["label"] != "worker 1"]
    assert [(item["asked"], item["devices"]) for item in others] == [(True, ["cpu"])] * 2


@POSIX
def test_a_killed_worker_is_named_with_its_signal(launch):
    script = """
import os, signal, time
if os.environ["RANK"] == "0":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(600)
"""
    status, _, err = launch(script, "--workers", "2")
    assert status == 128 + signal.SIGKILL
    assert "worker 0 was ended by SIGKILL (by hand, or by the system for want of memory)" in err


#: Ignores what asks it to end, has a child that left its group, and says when it is ready.
STUBBORN = """
import os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
with open("pids-" + os.environ["RANK"], "w") as stream:
    stream.write("%d %d" % (os.getpid(), child.pid))
time.sleep(600)
"""


def pids(texts):
    return [int(word) for text in texts for word in text.split()]


@POSIX
def test_who_ignores_it_is_killed(start, tmp_path):
    process = start(STUBBORN, "--workers", "2", "--grace", "0.5")
    found = pids(wait_for(tmp_path / "pids-", 2))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert b"SIGTERM: passed on to worker 0, worker 1 (killed after 0.5 s)" in err
    assert b"did not end within 0.5 s and will be killed" in err
    if sys.platform.startswith("linux"):
        assert all(gone(pid) for pid in found)


@POSIX
def test_the_second_signal_kills(start, tmp_path):
    process = start(STUBBORN, "--workers", "2", "--grace", "600")
    wait_for(tmp_path / "pids-", 2)
    process.send_signal(signal.SIGINT)
    assert b"SIGINT: passed on to worker 0, worker 1" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGINT
    assert b"SIGINT: killing worker 0, worker 1" in err


@POSIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_reaches_the_workers_as_it_is(start, tmp_path, name):
    script = (
        """
import os, signal, sys, time
def take(number, frame):
    print("took", signal.Signals(number).name, flush=True)
    sys.exit(0)
signal.signal(signal.%s, take)
with open("up-" + os.environ["RANK"], "w") as stream:
    stream.write("up")
time.sleep(600)
"""
        % name
    )
    process = start(script, "--workers", "2")
    wait_for(tmp_path / "up-", 2)
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + getattr(signal, name)
    assert sorted(out.splitlines()) == [("[worker %d] took %s" % (rank, name)).encode() for rank in (0, 1)]


@TREES
def test_no_worker_outlives_a_launcher_that_was_killed(start, tmp_path):
    process = start(STUBBORN, "--workers", "2", "--grace", "0.5")
    found = pids(wait_for(tmp_path / "pids-", 2))
    process.kill()
    assert all(gone(pid) for pid in found)


@pytest.mark.only_on("linux", reason="found in /proc")
def test_what_left_session_and_environment_does_not_outlive_it_either(start, tmp_path):
    """The guard looks every two seconds; ``wait`` in the worker is longer than that."""
    process = start(STUBBORN.replace("start_new_session=True", "start_new_session=True, env={}"), "--grace", "0.5")
    worker, child = pids(wait_for(tmp_path / "pids-"))
    time.sleep(5)
    process.kill()
    assert gone(worker)
    assert gone(child)


@TREES
def test_what_a_worker_leaves_behind_ends_with_the_launch(launch, tmp_path):
    script = STUBBORN.replace("time.sleep(600)\n", "sys.exit(0)\n")
    script = script.replace("import time; sys.exit(0)", "import time; time.sleep(600)")
    status, _, _ = launch(script, "--workers", "1")
    assert status == 0
    assert all(gone(pid) for pid in pids(wait_for(tmp_path / "pids-")))


def test_a_flood_of_output_comes_through_whole(launch):
    script = """
import os, sys
for number in range(20000):
    print("line %05d of %s" % (number, os.environ["RANK"]))
"""
    status, out, _ = launch(script, "--workers", "3", env={"PYTHONUNBUFFERED": "0"})
    assert status == 0
    for rank in range(3):
        prefix = "[worker %d] " % rank
        lines = [line for line in out.splitlines() if line.startswith(prefix)]
        assert lines == ["%sline %05d of %d" % (prefix, number, rank) for number in range(20000)]


def test_bytes_and_endless_lines(start):
    script = """
import sys
sys.stdout.buffer.write(b"\\xff\\xfe caf\\xc3\\xa9 \\x00\\n" + b"x" * (3 << 20) + b"\\nlast\\n")
"""
    process = start(script, "--workers", "1")
    out, _ = process.communicate(timeout=PATIENCE_S)
    lines = out.split(b"\n")
    assert lines[0] == b"[worker 0] \xff\xfe caf\xc3\xa9 \x00"
    assert all(line.startswith(b"[worker 0] ") for line in lines[:-1])
    long = [line[len(b"[worker 0] ") :] for line in lines[1:-2]]
    assert b"".join(long) == b"x" * (3 << 20)
    assert len(long) >= 3
    assert lines[-2:] == [b"[worker 0] last", b""]


def test_the_work_goes_on_when_nobody_reads(start, tmp_path):
    script = """
import os
for number in range(20000):
    print("line", number)
with open("done", "w") as stream:
    stream.write("done")
raise SystemExit(9)
"""
    process = start(script, "--workers", "1")
    process.stdout.readline()
    process.stdout.close()
    assert wait_for(tmp_path / "done") == ["done"]
    process.stderr.read()
    assert process.wait(PATIENCE_S) == 9  # the outcome of the work is reported all the same


@POSIX
@pytest.mark.only_on("linux", reason="needs /dev/full")
@pytest.mark.parametrize(("where", "why"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")])
def test_output_that_is_lost_is_a_line_and_a_status(tmp_path, where, why):
    (tmp_path / "work.py").write_text("print('a result')", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", '"$0" -m devicekit launch --devices cpu work.py %s' % where, sys.executable],
        cwd=str(tmp_path), env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.decode() == "devicekit launch: stdout cannot be written: %s\n" % why


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "0"], "--workers must be at least 1, got 0"),
        (["--grace", "0"], "--grace is 0"),
        (["--framework", "mxnet"], "unknown framework"),
        (["--summary", "no/such/folder.json"], "cannot be written"),
    ],
)
def test_wrong_use(launch, options, words):
    status, out, err = launch(HELLO, *options)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def test_no_script(launch):
    status, _, err = launch(HELLO, what=[])
    assert (status, "nothing to start" in err) == (2, True)
    status, _, err = launch(HELLO, what=["missing.py"])
    assert (status, "no such file: missing.py" in err) == (2, True)


def test_who_belongs_to_others_starts_nobody(launch):
    status, out, err = launch(HELLO, "--workers", "2", env={"TF_CONFIG": "{}"})
    assert (status, out) == (2, "")
    assert "TF_CONFIG is set" in err


def test_a_dry_run_starts_nobody(launch):
    status, out, _ = launch(HELLO, "--workers", "2", "--dry-run", "--json")
    assert status == 0
    plans = json.loads(out)
    assert [plan["variables"]["RANK"] for plan in plans] == ["0", "1"]
    assert plans[0]["command"][-1] == "work.py"
    status, out, _ = launch(HELLO, "--workers", "2", "--dry-run")
    assert "  WORLD_SIZE=2\n" in out
    assert "hello" not in out
