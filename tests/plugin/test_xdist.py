"""The plug-in under pytest-xdist."""

import re

pytest_plugins = ["pytester"]

CODE = """
import pytest

def test_each(each_device): pass

@pytest.mark.requires_device("gpu", count=8)
def test_eight(): pass

@pytest.mark.requires_device("directml")
def test_directml(): pass
"""


def test_workers_run_what_one_process_would(run):
    result = run(CODE, "-n", "2", machine="linux-eight-gpus")
    result.assert_outcomes(passed=10, skipped=1)
    text = result.stdout.str()
    assert len(re.findall("^devicekit: gpu:0 ", text, re.M)) == 1
    assert "SKIPPED [1] test_it.py:8: requires directml: " in text


def test_workers_get_the_requested_devices(run):
    result = run(CODE, "-n", "2", "--device", "gpu:1,3", "--device=cpu", machine="linux-eight-gpus")
    result.assert_outcomes(passed=4, skipped=1)
    assert run(CODE, "-n", "2", "--device", "gpu", machine="linux-cpu").ret == 4


def test_workers_collect_what_the_first_process_found(run):
    # Between the start of the first process and that of a worker a device may go: all must collect the same tests.
    conftest = """
def pytest_configure(config):
    if hasattr(config, "workerinput"):
        simulated_machine("linux-cpu").__enter__()
"""
    code = "import devicekit\n\ndef test_each(each_device): assert devicekit.select_device().device == 'cpu'\n"
    run(code, "-n", "2", machine="linux-nvidia", conftest=conftest).assert_outcomes(passed=2)


def test_a_worker_that_does_not_use_it_examines_nothing(run):
    code = """
import sys

def test_it():
    assert "devicekit.api" not in sys.modules
"""
    run(code, "-n", "1", machine=None).assert_outcomes(passed=1)


def test_a_wrong_marker_is_reported_once(run):
    code = """
import pytest

@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.requires_device("gpuu"))])
def test_it(x): pass
"""
    result = run(code, "-n", "2")
    assert result.ret in (1, 2)
    words = "the marker requires_device has wrong arguments: unknown device 'gpuu'"
    result.stdout.fnmatch_lines(["*test_it.py::test_it[[]2[]]: %s*" % words])
    assert "INTERNALERROR" not in result.stdout.str()
