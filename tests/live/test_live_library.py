"""The library of the guide and the fixtures of the plug-in for pytest, with a framework."""

import importlib.util
import os
import re

IN_FORCE = """
import pytest
import tensorflow as tf

@pytest.mark.requires_framework("tensorflow", ">=2")
def test_device(device):
    assert device.device == "cpu"
    assert tf.constant(1.0).device.endswith("CPU:0")

def test_nothing_is_left(each_device):
    assert each_device.device == "cpu"
    assert each_device.reason == "asked for"
"""


def guide():
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "test_guide_library.py")
    spec = importlib.util.spec_from_file_location("guide_library", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_library_of_the_guide_learns(tmp_path, pytestconfig):
    tools = guide()
    tools.write_files(tmp_path)
    (tmp_path / "tests" / "test_in_force.py").write_text(IN_FORCE, encoding="utf-8")
    installed = pytestconfig.pluginmanager.hasplugin("devicekit")
    variables = {"DEVICEKIT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
    status, text = tools.run_tests(tmp_path, installed, "--device", "cpu", **variables)
    assert status == 0, text
    # On TensorFlow 2.10 there is Keras 2, and on 1.15 none next to it.
    learns = re.search(r"test_it_learns\[cpu\] (PASSED|SKIPPED)", text)
    assert learns, text
    assert learns.group(1) == "PASSED" or re.search(
        r"requires keras>=3: (keras 2\.\d+\.\d+ is installed|\[framework-missing\])", text
    ), text
    assert re.search(r"test_nothing_is_left\[cpu\] PASSED", text), text
    assert "requires gpu with 4GiB: this run was started with --device cpu" in text
