"""`devicekit launch` with the real TensorFlow: processes that train together over the loopback, one of them killed."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from live_prelude import only_tf2

pytestmark = [only_tf2, pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")]

EXAMPLE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "train_distributed.py"
)
PATIENCE_S = 300
EPOCHS = 8


@pytest.fixture
def launch(tmp_path):
    """Return a function that starts the example with two workers, and sees that nothing of it is left in the end."""
    variables = dict(
        os.environ,
        TF_CPP_MIN_LOG_LEVEL="3",
        PYTHONDONTWRITEBYTECODE="",
        DEVICEKIT_CACHE_DIR=str(tmp_path / "cache"),
        DEVICEKIT_TEST_WORKERS=str(tmp_path),
        PYTHONWARNINGS="ignore",
    )
    if importlib.util.find_spec("tf_keras") is not None:
        variables["TF_USE_LEGACY_KERAS"] = "1"  # then it trains with model.fit, else with a loop of its own
    started = []

    def run(*arguments):
        command = [sys.executable, "-m", "devicekit", "launch", "--workers", "2", "--devices", "cpu", "--grace", "5"]
        command += [EXAMPLE, "--backup", str(tmp_path / "backup"), *arguments]
        with (tmp_path / "errors").open("wb") as errors:
            process = subprocess.Popen(
                command,
                cwd=str(tmp_path),
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE_S)
        process.stdout.close()
    assert not ours(tmp_path)


def ours(folder):
    """The workers of this test that are still there: numbers of processes and of workers."""
    mark = ("DEVICEKIT_TEST_WORKERS=%s\0" % folder).encode()
    found = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            with open("/proc/%s/environ" % name, "rb") as stream:
                variables = stream.read() + b"\0"
            if name.isdigit() and mark in variables and b"\0DEVICEKIT_LAUNCH=" in variables:
                found[int(name)] = int(variables.partition(b"\0RANK=")[2].partition(b"\0")[0])
        except (OSError, ValueError):  # it has ended, or is no process
            pass
    return found


def epochs(text, worker=0):
    return [int(number) for number in re.findall(r"\[worker %d\] epoch (\d+):" % worker, text)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are found in /proc")
def test_one_is_killed_and_a_restart_goes_on(launch, tmp_path):
    process = launch("--epochs", "1000")
    for line in process.stdout:
        if line.startswith(b"[worker 1] epoch 3:"):
            break
    (victim,) = [pid for pid, rank in ours(tmp_path).items() if rank == 1]
    os.kill(victim, signal.SIGKILL)
    process.stdout.read()
    assert process.wait(PATIENCE_S) == 128 + signal.SIGKILL
    errors = (tmp_path / "errors").read_text(errors="replace")
    assert "devicekit launch: worker 1 was ended by SIGKILL" in errors
    assert "; ending worker 0" in errors
    deadline = time.monotonic() + 10
    while ours(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not ours(tmp_path)

    # The same command once more: it goes on with the epoch that had not ended, and ends after the last one.
    process = launch("--epochs", str(EPOCHS))
    text = process.stdout.read().decode("utf-8", "replace")
    assert process.wait(PATIENCE_S) == 0, (tmp_path / "errors").read_text(errors="replace")[-4000:]
    for worker in (0, 1):
        seen = epochs(text, worker)
        assert seen == list(range(seen[0], EPOCHS + 1))
        assert seen[0] >= 3
    weights = re.findall(r"\[worker (\d)\] weights: ([\d.]+)", text)
    assert sorted(rank for rank, _ in weights) == ["0", "1"]
    assert weights[0][1] == weights[1][1]
