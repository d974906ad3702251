"""DirectML: what devicekit predicts, and what the real wheels list, on adapters that are simulated below them.

Adapters, their filters and their order come from tests/hardware/directx.cc; ``tools/check_directml.py`` goes through many more
cases than the few in here.
"""

import datetime
import importlib.util
import os
import random
import sys

import pytest

import devicekit

HARDWARE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hardware")
CASES = 12


def directml_build():
    """Which DirectML build of TensorFlow is installed, None for none."""
    python = devicekit.detect().python
    if python.distribution("tensorflow-directml"):
        return "fork"
    return "plugin" if python.distribution("tensorflow-directml-plugin") else None


BUILD = directml_build()
pytestmark = pytest.mark.skipif(BUILD is None, reason="there is no DirectML build of TensorFlow")
only_plugin = pytest.mark.skipif(BUILD != "plugin", reason="of the plug-in alone")

#: Whatever there is, and can go wrong with an adapter; not in the order of performance.
ADAPTERS = [
    "NVIDIA GeForce RTX 4070|10de|2786|32.0.15.6094|8415870976|0",
    "Old card|1002|6779|15.200.0.0|1073741824|0|1|0|a100",
    "Driver without types|1002|73df|27.20.1.1|12868124672|0|1|0|c000|-80",
    "Compute card|10de|2235|32.0.15.6094|48000000000|0|1|0|1000|1|0",
    "Intel(R) AI Boost|8086|7d1d|32.0.100.3104|0|17000000000|1|1|1000|1|0|1",
    "Intel(R) Iris(R) Xe Graphics|8086|9a49|32.0.101.5972|134217728|17000000000|1|1",
    "Microsoft Basic Render Driver|1414|8c|10.0.22621.1|0|0|0",
    "Indirect display|1414|8d|10.0.22621.1|0|0",
]


def cases_module():
    spec = importlib.util.spec_from_file_location("directx_cases", os.path.join(HARDWARE, "directx_cases.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_random_adapters_and_variables(simulated_directx, monkeypatch):
    """Other cases every day; the seed is in the message of the one that differs."""
    cases = cases_module()
    folder = simulated_directx([])["LD_LIBRARY_PATH"]
    monkeypatch.setenv("LD_LIBRARY_PATH", folder)
    monkeypatch.setenv("DEVICEKIT_SIM_ADAPTERS", "")
    seed = int(datetime.date.today().strftime("%Y%m%d"))
    generator = random.Random(seed)
    lister = cases.Lister(sys.executable, folder)
    try:
        assert lister.flavor == BUILD
        for number in range(CASES):
            adapters, value = cases.random_case(generator)
            listed = lister.names(adapters, value)
            predicted = cases.predict(lister.write(adapters), value, BUILD, folder)
            assert predicted == listed, "seed %d, case %d: %r, %r" % (seed, number, value, adapters)
        assert lister.names("fail", None) == cases.predict("fail", None, BUILD, folder) == 6
    finally:
        lister.close()


#: What devicekit predicts of this machine, and then what is so.
COMPARE = """
import json
import devicekit
machine = devicekit.detect()
diagnosis = devicekit.diagnose(machine)
predicted = diagnosis.framework("tensorflow").devices
import tensorflow as tf
listed = tf.config.experimental.list_physical_devices()
print(json.dumps({
    "predicted": sorted(item for item in predicted if not item.startswith("XLA_")),
    "listed": sorted(item.name.rpartition("physical_device:")[2] for item in listed if not item.name.count("XLA_")),
    "candidates": [[item.name, item.usable, item.blocked_by] for item in diagnosis.candidates if item.platform == "directml"],
    "codes": [item.code for item in diagnosis.findings],
}))
"""


@pytest.mark.parametrize(
    "value, names",
    [
        (None, ["Compute card", "NVIDIA GeForce RTX 4070", "Intel(R) Iris(R) Xe Graphics", "Intel(R) AI Boost"]),
        ("3,0", ["Intel(R) Iris(R) Xe Graphics", "Compute card"]),
        ("0,0", ["Compute card", "Compute card"]),
        ("2,9,0", ["NVIDIA GeForce RTX 4070"]),
        ("1", []),  # the driver without types is counted, and then left out
        ("-1", []),
    ],
)
def test_the_whole_way(program, simulated_directx, value, names):
    """From the process that asks DXCore to the names and numbers that a user sees, next to what TensorFlow lists."""
    variables = simulated_directx(ADAPTERS)
    if value is not None:
        variables["DML_VISIBLE_DEVICES"] = value
    data = program(COMPARE, env=variables)
    assert data["predicted"] == data["listed"]
    if names:
        assert [name for name, _, _ in data["candidates"]][: len(names)] == names
        assert len(data["listed"]) == 1 + len(names)
        usable = [name for name, usable, _ in data["candidates"] if usable is not False]
        assert usable == [name for name in names if "AI Boost" not in name]
    else:
        assert "device-hidden" in data["codes"]
        assert not [name for name, usable, _ in data["candidates"] if usable is not False]


def test_a_folder_without_directml(program, simulated_directx, tmp_path):
    data = program(COMPARE, env=dict(simulated_directx(ADAPTERS), TF_DIRECTML_PATH=str(tmp_path)))
    assert data["predicted"] == data["listed"] == ["CPU:0"]
    assert data["codes"][0] == "directml-missing"


@only_plugin
def test_a_plug_in_that_is_there_twice(program, python, tmp_path):
    """The same folder under a second name is enough: TensorFlow registers the platform twice, and the import is aborted."""
    site = os.path.dirname(importlib.util.find_spec("tensorflow").submodule_search_locations[0])
    again = tmp_path / "again" / "site-packages"
    again.mkdir(parents=True)
    (again / "tensorflow-plugins").symlink_to(os.path.join(site, "tensorflow-plugins"))
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(again))))
    assert "already registered" in python("import tensorflow", env={"PYTHONPATH": path}, status=-6)
    found = program(
        "import devicekit, json; f = devicekit.diagnose().findings[0]; print(json.dumps([f.code, f.severity, f.blocks]))",
        env={"PYTHONPATH": path},
    )
    assert found == ["distributions-conflict", "error", ["tensorflow"]]
