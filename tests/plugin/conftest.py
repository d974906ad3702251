"""Runs of pytest with the plug-in in child processes, so that what a conftest.py sets up stays there."""

import importlib.util

import pytest

collect_ignore = []
# `nox -s plugin` has it.
if importlib.util.find_spec("xdist") is None:
    collect_ignore.append("test_xdist.py")

SIMULATED = """
from devicekit.testing import simulated_machine

simulated_machine(%r).__enter__()
"""


@pytest.fixture
def run(pytester, pytestconfig):
    """Return a function that runs pytest on a test file, as on a bundled machine, with warnings as errors."""
    # A checkout that is on the path but not installed has no entry point.
    loaded = [] if pytestconfig.pluginmanager.hasplugin("devicekit") else ["-p", "devicekit.testing.pytest_plugin"]

    def run_pytest(code, *arguments, machine="linux-cpu", conftest="", ini=""):
        pytester.makepyfile(test_it=code)
        pytester.makeconftest((SIMULATED % machine if machine else "") + conftest)
        pytester.makeini("[pytest]\n" + ini)
        always = ["-p", "no:cacheprovider", "--strict-markers", "--strict-config", "-W", "error", "-rs"]
        return pytester.runpytest_subprocess(*loaded, *always, *arguments, timeout=300)

    run_pytest.loaded = loaded
    return run_pytest
