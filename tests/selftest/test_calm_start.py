"""`auto()` holds harmless start-up lines back where a person would read them, and only while it starts the framework."""

import pytest
from test_import_first import TERMINAL

LINE = "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"
PRINTS = "os.write(2, b'%s\\nsomething else\\n')" % LINE
#: What `TERMINAL` runs with standard error on a terminal.
AUTO = "import warnings; warnings.simplefilter('ignore'); import devicekit; devicekit.auto(%s)"
PIPE = """
import json, subprocess, sys
done = subprocess.run([sys.executable, "-c", sys.argv[1]], stderr=subprocess.PIPE)
print(json.dumps([done.returncode, done.stderr.decode()]))
"""


@pytest.fixture
def seen(patient, monkeypatch):
    """Return a function that runs a program and returns the lines on its standard error."""
    patient.environ.pop("TF_CPP_MIN_LOG_LEVEL", None)
    patient.environ["DEVICEKIT_VERIFY"] = "never"  # no self-test: only this process imports

    def run(where, code, prints=PRINTS, **variables):
        patient.behaves(**{"import": prints})
        patient.environ.update(variables)
        status, text = patient.run(where, code)
        assert status == 0, text
        return text.splitlines()

    return run


def test_a_terminal_shows_only_what_is_not_known(seen):
    assert seen(TERMINAL, AUTO % "") == ["something else"]


def test_a_log_file_has_every_line_unless_it_is_asked_to_be_quiet(seen):
    assert seen(PIPE, AUTO % "") == [LINE, "something else"]
    assert seen(PIPE, AUTO % "quiet=True") == ["something else"]
    assert seen(TERMINAL, AUTO % "quiet=False") == [LINE, "something else"]


def test_who_says_what_tensorflow_logs_is_obeyed(seen):
    assert seen(TERMINAL, AUTO % "quiet=True", TF_CPP_MIN_LOG_LEVEL="0") == [LINE, "something else"]


def test_if_the_import_fails_every_line_is_shown(seen):
    lines = seen(TERMINAL, AUTO % "quiet=True", PRINTS + "; raise ImportError('no')")
    assert sorted(lines) == [LINE, "something else"]


def test_if_the_import_crashes_every_line_is_shown(seen):
    code = """
import os, subprocess, sys
done = subprocess.run([sys.executable, "-c", %r])
assert done.returncode == -6, done.returncode
""" % (AUTO % "quiet=True")
    assert sorted(seen(PIPE, code, PRINTS + "; os.abort()")) == [LINE, "something else"]


def test_what_only_decides_does_not_touch_standard_error(seen):
    code = """
import os, devicekit
before = os.fstat(2)
devicekit.select_device(), devicekit.diagnose()
import sys
assert os.fstat(2) == before
assert "devicekit.children.stderr_filter" not in sys.modules
"""
    assert seen(PIPE, code) == []


def test_another_value_for_quiet_is_refused():
    import devicekit

    with pytest.raises(ValueError, match="quiet must be True, False or None"):
        devicekit.auto(quiet="yes")
