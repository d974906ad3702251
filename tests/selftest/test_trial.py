"""The child in which a device is tried: whatever it does, there is a result in time and nothing stays behind."""

import json
import os
import shutil
import sys
import textwrap
import time

import pytest

from devicekit.children.call import Child, Command
from devicekit.runtime.trial.once import load_result, save_result
from devicekit.runtime.trial.result import DeviceTask, Trial
from devicekit.runtime.trial.run import trial_of, try_device

POSIX = os.name == "posix"


def child(body, timeout_s=20.0):
    """Run a child that first says how far it came, as the real one does, and then misbehaves."""
    start = "import json, os, signal, sys, time\nprint(json.dumps({'protocol': 1, 'say': {'stage': 'product'}}), flush=True)\n"
    command = Command((sys.executable, "-S", "-c", start + textwrap.dedent(body)))
    return trial_of(Child(command).wait(timeout_s))


def test_it_works():
    trial = child("print(json.dumps({'protocol': 1, 'result': {'outcome': 'works', 'devices': ['GPU:0']}}))")
    assert (trial.outcome, trial.devices) == ("works", ("GPU:0",))


@pytest.mark.only_on("posix", reason="signals are POSIX's")
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGILL", "SIGABRT", "SIGKILL", "SIGBUS"])
def test_it_is_killed(name):
    trial = child("os.kill(os.getpid(), signal.%s)" % name)
    assert (trial.outcome, trial.stage) == ("died", "product")
    assert name in trial.detail


def test_it_exits_without_an_answer():
    for status in (0, 7):
        trial = child("sys.exit(%d)" % status)
        assert trial.outcome == "died"
        assert "status %d and no answer" % status in trial.detail


def test_it_hangs_also_when_it_ignores_the_request_to_end():
    started = time.time()
    trial = child("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)", timeout_s=3.0)
    assert trial.outcome == "hung"
    assert "3 s" in trial.detail
    assert time.time() - started < 15


@pytest.mark.only_on("posix", reason="process groups are POSIX's")
def test_a_grandchild_is_ended_too():
    trial = child(
        """
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
        print(json.dumps({'protocol': 1, 'say': {'devices': [str(pid)]}}), flush=True)
        time.sleep(600)
        """,
        timeout_s=3.0,
    )
    assert trial.outcome == "hung"
    grandchild = int(trial.devices[0])
    for _ in range(50):
        try:
            with open("/proc/%d/stat" % grandchild) as stream:
                if stream.read().rpartition(")")[2].split()[0] == "Z":
                    return  # it has ended; anyone who adopted it has not looked yet
            os.kill(grandchild, 0)
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError("the grandchild lives on")


def test_it_prints_very_much():
    trial = child(
        "for _ in range(30): sys.stderr.write('x' * 1000000)\nprint('y' * 5000000)\nsys.exit(3)", timeout_s=120
    )
    assert trial.outcome == "died"
    assert len(trial.output) <= 81 << 10


def test_it_closes_its_descriptors():
    assert child("os.close(1); os.close(2); time.sleep(0.2)").outcome == "died"


def test_what_it_said_counts_even_if_it_dies_afterwards():
    body = "print(json.dumps({'protocol': 1, 'result': {'outcome': 'works'}}), flush=True); os.abort()"
    assert child(body).outcome == "works"


def test_garbage_is_no_answer():
    assert (
        child('print(\'{\'); print(\'[]\'); print(\'{"protocol": 2, "result": {"outcome": "works"}}\')').outcome
        == "died"
    )


def test_it_cannot_be_started(tmp_path):
    trial = try_device(DeviceTask(0), executable=str(tmp_path / "no-python"))
    assert trial.outcome == "not-run"
    assert "could not be started" in trial.detail


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_the_real_child_without_the_framework_says_so(tmp_path, run_json, framework):
    code = """
import json, sys
sys.path = [p for p in sys.path if "site-packages" not in p]
from devicekit.runtime.trial.result import DeviceTask
from devicekit.runtime.trial.run import try_device
trial = try_device(DeviceTask(0, framework="%s", libraries=["/nowhere/libcusolver.so.11"]))
print(json.dumps([trial.outcome, trial.stage, trial.error]))
"""
    import devicekit

    folder = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
    code = (code % framework).replace("from devicekit", "sys.path.append(%r)\nfrom devicekit" % str(tmp_path))
    # Of Python 3.12 and later, copy2 calls a function that Wine 8 lacks.
    shutil.copytree(os.path.join(folder, "devicekit"), str(tmp_path / "devicekit"), copy_function=shutil.copyfile)
    assert run_json(code) == ["raised", "import", "ModuleNotFoundError"]


TRIAL = Trial("works", "product", devices=("GPU:0",))


def test_results_are_cached(tmp_path):
    folder = str(tmp_path / "cache")
    assert load_result(folder, "k") is None
    assert save_result(folder, "k", TRIAL) is None
    assert load_result(folder, "k") == TRIAL
    assert load_result(folder, "other") is None
    assert os.listdir(folder) == ["self-test-k.json"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": 1}',
        '{"schema": 1, "key": "k", "time": 1e99, "trial": {"outcome": "works"}}',
        "\x00",
    ],
)
def test_a_damaged_result_is_ignored(tmp_path, content):
    (tmp_path / "self-test-k.json").write_text(content)
    assert load_result(str(tmp_path), "k") is None


def test_a_failure_is_forgotten_sooner_than_a_success(tmp_path):
    for trial, expected in ((TRIAL, TRIAL), (Trial("died", "product", "SIGSEGV"), None)):
        save_result(str(tmp_path), "k", trial)
        path = tmp_path / "self-test-k.json"
        data = json.loads(path.read_text())
        path.write_text(json.dumps(dict(data, time=data["time"] - 3600)))
        assert load_result(str(tmp_path), "k") == expected


def test_what_was_not_run_is_not_kept(tmp_path):
    assert save_result(str(tmp_path), "k", Trial("not-run")) is None
    assert os.listdir(str(tmp_path)) == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    problem = save_result(str(tmp_path / "file" / "cache"), "k", TRIAL)
    assert "file" in problem


@pytest.mark.only_on("posix", reason="a limit on the size of files is POSIX's")
def test_a_full_disk_leaves_nothing_behind(tmp_path, python):
    # A limit on the file size is what a full disk is to a program: the write fails half-way.
    code = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
from devicekit.runtime.trial.once import save_result
from devicekit.runtime.trial.result import Trial
print(save_result(sys.argv[1], "k", Trial("works", "product")))
"""
    folder = tmp_path / "cache"
    assert "File too large" in python(code, str(folder))
    assert os.listdir(str(folder)) == []
