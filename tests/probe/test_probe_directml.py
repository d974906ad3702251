"""DirectX: what is asked, and the process that asks, on DXCore and DXGI that are simulated below it."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

import devicekit
from devicekit.children.scripts import script_path
from devicekit.machine.probe.directml import ask_directx, parse_directx, read_directml

CHILD = os.path.join(os.path.dirname(os.path.abspath(devicekit.__file__)), "machine", "probe", "directx_child.py")
HARDWARE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hardware")
REGISTRY = "SOFTWARE\\Microsoft\\DirectX"

ADAPTERS = """\
Intel(R) Iris(R) Xe Graphics|8086|9a49|31.0.101.5522|134217728|0|1|1
Without types|1002|73df|27.20.1.1|12868124672|0|1|0|c000|-80
Old card|1002|6779|15.200.0.0|1073741824|0|1|0|a100
Compute card|10de|2235|32.0.15.6094|48000000000|0|1|0|1000|1|0
Neural processor|8086|7d1d|32.0.100.3104|0|0|1|1|1000|1|0|1
Without DirectML|1002|1|1.2.3.4|900|0|1|0|c000|1|1|0|0
Without operators|1002|2|1.2.3.4|800|0|1|0|c000|1|1|0|1|0
Microsoft Basic Render Driver|1414|8c|10.0.22621.1|0|0|0
Behind it|1002|3|1.2.3.4|0|0
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("hardware_build", os.path.join(HARDWARE, "build.py"))
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    if build.compiler() is None:
        pytest.fail("simulated hardware needs a C++ compiler (g++)")
    folder = build.build_directx(str(tmp_path_factory.mktemp("directx")))
    with open(os.path.join(folder, "adapters.txt"), "w", encoding="utf-8") as stream:
        stream.write(ADAPTERS)
    return folder


def ask(libraries, code=None, task=None, **environ):
    """Run the child, or code in its place, and return its last line."""
    variables = {"LD_LIBRARY_PATH": libraries, "DEVICEKIT_SIM_ADAPTERS": os.path.join(libraries, "adapters.txt")}
    order = {"function": CHILD, "task": task or {"directml": "libdirectml.so"}, "path": None, "limit_s": 60}
    command = [sys.executable, "-I", "-S"] + (
        ["-c", code] if code else [script_path("children/child.py"), json.dumps(order)]
    )
    done = subprocess.run(
        command,
        env=dict(os.environ, **dict(variables, **environ)),
        capture_output=True,
        timeout=60,
    )
    return json.loads(done.stdout.decode().strip().splitlines()[-1])


def outcomes(answer):
    return [(item.name, item.direct3d, item.directml) for item in parse_directx(answer)]


def test_dxcore(libraries):
    answer = ask(libraries)["result"]
    assert outcomes(answer) == [
        ("Compute card", True, True),
        ("Without types", True, False),
        ("Old card", False, None),
        ("Without DirectML", True, False),
        ("Without operators", True, False),
        ("Intel(R) Iris(R) Xe Graphics", True, True),
        ("Neural processor", True, True),
        ("Microsoft Basic Render Driver", None, None),
    ]
    assert (answer["source"], answer["failure"]) == ("DXCore", "")
    found = {item.name: item for item in parse_directx(answer)}
    assert found["Without types"].problem == "its driver lacks the data type int16"
    assert "0x887a0004" in found["Without DirectML"].problem
    assert found["Compute card"].compute_only
    assert not found["Compute card"].neural
    assert found["Neural processor"].neural
    assert found["Microsoft Basic Render Driver"].software
    iris = found["Intel(R) Iris(R) Xe Graphics"]
    assert (iris.vendor_id, iris.device_id, iris.driver_version) == ("8086", "9a49", "31.0.101.5522")
    assert iris.memory_bytes == 134217728


#: The functions that run on Windows, with the names of Windows' libraries led to the simulated ones.
ON_WINDOWS = """
import ctypes, json, runpy, sys
child = runpy.run_path(%r)
names = {"dxgi.dll": "libdxgi.so", "d3d12.dll": "libd3d12.so"}
load = lambda name: ctypes.CDLL(names.get(name, name))
answer = child["list_dxgi"](load)
child["judge"](answer, load, "d3d12.dll", "libdirectml.so", 60)
print(json.dumps(answer))
"""


def test_dxgi(libraries):
    answer = ask(libraries, ON_WINDOWS % CHILD)
    assert outcomes(answer) == [
        ("Without types", True, False),
        ("Old card", False, None),
        ("Without DirectML", True, False),
        ("Without operators", True, False),
        ("Intel(R) Iris(R) Xe Graphics", True, True),
        ("Microsoft Basic Render Driver", None, None),
    ]
    assert (answer["source"], answer["failure"]) == ("DXGI", "")
    iris = parse_directx(answer)[4]
    assert (iris.vendor_id, iris.device_id, iris.driver_version) == ("8086", "9a49", "31.0.101.5522")
    assert (iris.memory_bytes, iris.software) == (134217728, False)


def test_dxgi_before_it_could_sort(libraries):
    """The file's order, and software adapters do not end it."""
    answer = ask(libraries, ON_WINDOWS % CHILD, DEVICEKIT_SIM_DXGI="old")
    assert next(name for name, _, _ in outcomes(answer)) == "Intel(R) Iris(R) Xe Graphics"
    assert outcomes(answer)[-1] == ("Behind it", True, True)


def test_a_factory_that_fails(libraries):
    for code in (None, ON_WINDOWS % CHILD):
        answer = ask(libraries, code, DEVICEKIT_SIM_ADAPTERS="fail")
        answer = answer.get("result", answer)
        assert (answer["adapters"], answer["failure"].split()[-1]) == ([], "0xd0000001")


def test_a_library_that_is_not_there(libraries, tmp_path):
    assert "libdxcore.so" in ask(libraries, LD_LIBRARY_PATH=str(tmp_path))["message"]
    answer = ask(libraries, task={"directml": str(tmp_path / "libdirectml.so")})["result"]
    assert "libdirectml.so" in answer["unloadable"]
    assert {item.directml for item in parse_directx(answer)} == {None}


def test_no_time_left(libraries):
    answer = ask(libraries, task={"directml": "libdirectml.so", "seconds": -1})["result"]
    assert {(item.direct3d, item.directml) for item in parse_directx(answer)} == {(None, None)}
    assert parse_directx(answer)[0].problem


# Who is asked, and when.

SITE = "/venv/lib/python3.11/site-packages"
PLUGIN = {SITE + "/tensorflow-plugins/directml/libdirectml.d6f03b30.so": ""}
DXCORE = {"libdxcore.so": "/usr/lib/wsl/lib/libdxcore.so"}
ANSWER = {
    "source": "DXCore",
    "failure": "",
    "adapters": [
        {"name": "AMD Radeon\0", "vendor_id": 0x1002, "device_id": 0x73DF, "direct3d": True, "directml": True}
    ],
}


def test_nobody_is_asked_without_a_directml_build(make_machine):
    assert ask_directx(make_machine(loader_cache=DXCORE, nodes={"/dev/dxg": True})).question is None
    assert ask_directx(make_machine(files=PLUGIN)).question is None
    assert ask_directx(make_machine(files=PLUGIN, loader_cache=DXCORE)).question is not None
    assert ask_directx(make_machine(system="macos", files=PLUGIN)).question is None
    torch = {SITE + "/torch_directml/__init__.py": ""}
    assert ask_directx(make_machine(files=torch, loader_cache=DXCORE)).question is not None


def test_what_dxcore_says(make_machine):
    facts = read_directml(make_machine(files=PLUGIN, loader_cache=DXCORE, answers={"directx": ANSWER}))
    assert (facts.adapters.source, facts.adapters.value[0].name) == ("DXCore", "AMD Radeon")
    assert (facts.ordered, facts.answered, facts.loads.value) == (True, True, True)


def test_no_answer_is_not_no_adapter(make_machine):
    facts = read_directml(make_machine(files=PLUGIN, loader_cache=DXCORE, nodes={"/dev/dxg": True}))
    assert not facts.adapters.known
    assert not facts.answered


def test_windows_has_the_registry_when_dxgi_does_not_answer(make_machine):
    keys = {"a": {"Description": "AMD Radeon", "VendorId": 0x1002, "DeviceId": 0x73DF, "MaxD3D12FeatureLevel": 0xC100}}
    site = "C:\\venv\\Lib\\site-packages\\tensorflow-plugins\\directml\\DirectML.d6.dll"
    host = {"system": "windows", "registry": {REGISTRY: keys}, "files": {site: ""}}
    facts = read_directml(make_machine(**host))
    assert (facts.adapters.value[0].feature_level, facts.ordered, facts.answered) == (0xC100, False, False)
    assert facts.failure
    facts = read_directml(make_machine(answers={"directx": dict(ANSWER, source="DXGI")}, **host))
    assert (facts.adapters.value[0].feature_level, facts.ordered, facts.answered) == (0xC100, True, True)
    assert facts.registered[0].name == "AMD Radeon"


def test_the_registry_keeps_cards_that_are_gone_and_other_keys(make_machine):
    card = {"Description": "Radeon RX 580", "VendorId": 4098, "DeviceId": 26591}
    keys = {
        "{1}": dict(card, LastSeen=132), "{2}": dict(card, Description="Radeon VII", LastSeen=133),
        "{3}": dict(card, LastSeen="?"),
        "Settings": {"LastSeen": 999},
    }  # fmt: skip
    found = read_directml(make_machine(system="windows", registry={REGISTRY: keys})).adapters.content
    assert [item.name for item in found] == ["Radeon VII", "Radeon RX 580"]


def test_a_folder_without_directml(make_machine):
    for value, loads in (("/nowhere", False), ("", None)):
        facts = read_directml(make_machine(files=PLUGIN, loader_cache=DXCORE, env={"TF_DIRECTML_PATH": value}))
        assert facts.loads.or_none() is loads
