"""Functions called in a child process: what comes back, whatever the outcome."""

import os
import sys

import pytest

from devicekit.children.call import OUTCOMES, run_child
from devicekit.logs.errors import ran_out_of_memory

#: A module that a worker may call, since its name begins with devicekit's.
TASKS = "devicekit._tasks_of_tests"

SOURCE = """
import os, sys, time

def echo(task, say):
    print("printed by Python")
    os.write(1, b"printed by native code")
    say(stage="half", done=1)
    return {"task": task, "variable": os.environ.get("DEVICEKIT_TEST_VARIABLE"), "argv": sys.argv}

def fail(task, say):
    raise LookupError("nothing of that name")

def no_memory(task, say):
    raise MemoryError("Unable to allocate 4 TiB")

def die(task, say):
    os.abort()

def leave(task, say):
    os._exit(3)

def hang(task, say):
    say(stage="sleeping")
    time.sleep(600)
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Return a function that runs one of the tasks above in a worker."""
    import devicekit

    # The worker finds devicekit by the path of this process; the module is found in the package.
    folder = tmp_path / "site" / "devicekit_tasks"
    folder.mkdir(parents=True)
    (folder / "_tasks_of_tests.py").write_text(SOURCE, encoding="utf-8")
    hook = tmp_path / "site" / "sitecustomize.py"
    hook.write_text("import devicekit\ndevicekit.__path__.append(%r)\n" % str(folder), encoding="utf-8")
    assert os.path.isdir(os.path.dirname(devicekit.__file__))
    package = os.path.dirname(os.path.dirname(devicekit.__file__))

    def run(name, task=None, **options):
        path = os.pathsep.join([str(tmp_path / "site"), package])
        options.setdefault("timeout_s", 60.0)
        environment = [("PYTHONPATH", path)] + list(options.pop("environment", ()))
        return run_child(TASKS + ":" + name, task or {}, environment=environment, **options)

    return run


def test_the_result_comes_back_and_nothing_that_was_printed(work):
    heard = []
    report = work("echo", {"a": [1, 2]}, on_message=heard.append, environment=[("DEVICEKIT_TEST_VARIABLE", "x")])
    assert report.outcome == "done", report
    assert report.result == {"task": {"a": [1, 2]}, "variable": "x", "argv": [""]}
    assert heard == [{"stage": "start"}, {"stage": "half", "done": 1}] == list(report.said)
    assert "printed by Python" in report.output
    assert "printed by native code" in report.output


@pytest.mark.parametrize(
    "name, outcome, memory",
    [("fail", "raised", False), ("no_memory", "raised", True), ("die", "died", False), ("leave", "died", False)],
)
def test_whatever_becomes_of_it_is_one_of_the_outcomes(work, name, outcome, memory):
    report = work(name)
    assert report.outcome == outcome, report
    assert outcome in OUTCOMES
    assert ran_out_of_memory(report) is memory
    assert report.result is None


def test_an_exception_has_its_type_and_its_message(work):
    report = work("fail")
    assert (report.error, report.detail) == ("LookupError", "nothing of that name")
    assert "Traceback" in report.output


def test_a_worker_that_hangs_is_ended_and_its_place_is_shown(work):
    report = work("hang", timeout_s=3.0)
    assert report.outcome == "hung"
    assert "3 s" in report.detail
    if sys.platform != "win32":
        assert "in hang" in report.output


def test_what_the_listener_raises_is_raised_here(work):
    def listener(said):
        if said.get("stage") == "sleeping":
            raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        work("hang", on_message=listener)


def test_an_interpreter_that_is_not_there(work):
    report = work("echo", executable="/nonexistent/python")
    assert report.outcome == "not-run"
    assert "could not be started" in report.detail


def test_only_functions_of_devicekit_are_called():
    report = run_child("os:getcwd", {}, timeout_s=60.0)
    assert (report.outcome, report.error) == ("raised", "ValueError")
    assert "functions of devicekit" in report.detail


def test_a_frozen_program_is_not_started_again(monkeypatch):
    """PyInstaller's programs are their own ``sys.executable``: as a child it would do all its work once more, and again."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    report = run_child("devicekit.errors:did_you_mean", {}, timeout_s=10.0)
    assert report.outcome == "not-run"
    assert "frozen" in report.detail
