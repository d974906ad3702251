"""Importing devicekit costs nothing and brings nothing."""

import os
import subprocess
import sys

import pytest

import devicekit

LOADED = """
import sys
sys.path.insert(0, %r)
before = set(sys.modules)
import devicekit
after = set(sys.modules)
import json
print(json.dumps(sorted(after - before)))
"""


def test_import_loads_nothing_else(run_json):
    folder = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
    # -S: the site module of an environment may import things of its own through .pth files.
    # What lets a fork wait for imports has to be there before any other import.
    own = ["devicekit", "devicekit.children", "devicekit.children.fork_imports"]
    assert [name for name in run_json(LOADED % folder, flags=["-S"]) if name not in sys.builtin_module_names] == own


def test_every_public_name_is_there():
    for name in devicekit.__all__:
        assert getattr(devicekit, name) is not None
        assert name in dir(devicekit)


def test_an_unknown_name_is_an_attribute_error():
    try:
        devicekit.no_such_name  # noqa: B018
    except AttributeError as error:
        assert "no_such_name" in str(error)
    else:
        raise AssertionError("no AttributeError")


def test_a_misspelled_name_says_what_was_meant():
    for wrong, right in (("atuo", "auto"), ("slect_device", "select_device"), ("resolv_", "resolve")):
        with pytest.raises(AttributeError, match="did you mean %s[?]" % right):
            getattr(devicekit, wrong)


def test_deciding_imports_no_framework_and_prints_nothing(python):
    code = (
        "import devicekit, sys; s = devicekit.select_device('auto'); devicekit.diagnose();"
        "assert s.changes == () and s.verified is None;"
        "bad = [m for m in ('tensorflow', 'keras', 'jax', 'torch', 'numpy', 'ctypes') if m in sys.modules];"
        "assert not bad, bad"
    )
    if os.name == "nt":  # there ctypes asks for the memory
        code = code.replace(", 'ctypes'", "")
    assert python(code) == ""


def test_rules_whose_import_was_interrupted_are_imported_again():
    code = """
import sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "devicekit.diagnosis.rules.rocm":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
import devicekit
from devicekit.testing import load
machine = load("linux-cpu")
try:
    devicekit.diagnose(machine)
except KeyboardInterrupt:
    for name in [name for name in sys.modules if name.startswith("devicekit.diagnosis.rules.")]:
        if not name.endswith(".registry"):
            del sys.modules[name]  # as Python does with the one in which it comes
    devicekit.diagnose(machine)
    print("works")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "works\n", done.stderr
