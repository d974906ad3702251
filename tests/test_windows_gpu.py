"""The ways to use a GPU of AMD or Intel on Windows: in order, for the GPU's generation, with commands that work."""

import os

import pytest
import recorded_machines

import devicekit
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import host_data
from devicekit.matrix.matrix import BUNDLED
from devicekit.matrix.windows_gpu import ways_on_windows


def goals(vendor, gpu, framework="tensorflow", build=None):
    return [(way.goal, way.wsl) for way in ways_on_windows(vendor, gpu, framework, BUNDLED, build)]


@pytest.mark.parametrize(
    "vendor, gpu, expected",
    [
        ("amd", "AMD Radeon RX 7900 XTX", [("rocm", True), ("rocm", False), ("directml", False)]),
        ("amd", "AMD Radeon RX 9060 XT", [("rocm", True), ("rocm", False), ("directml", False)]),
        ("amd", "AMD Radeon 8060S", [("rocm", True), ("rocm", False), ("directml", False)]),
        ("amd", "Radeon RX 6700 XT", [("rocm", False), ("directml", False)]),
        ("amd", "Radeon RX 580 Series", [("directml", False)]),
        ("amd", "gfx803", [("directml", False)]),
        ("intel", "Intel(R) Arc(TM) A770 Graphics", [("xpu", False), ("directml", False)]),
        ("intel", "Xe2-LPG", [("xpu", False), ("directml", False)]),
        ("intel", "Intel(R) UHD Graphics 770", [("directml", False)]),
        ("qualcomm", "Adreno X1-85", []),
    ],
)
def test_what_serves_best_comes_first_and_directml_last(vendor, gpu, expected):
    assert goals(vendor, gpu) == expected
    assert all(way.certain for way in ways_on_windows(vendor, gpu, "tensorflow", BUNDLED))


def test_for_a_gpu_that_is_not_known_it_says_which_gpus_a_way_is_for():
    ways = ways_on_windows("amd", "AMD Radeon(TM) Graphics", "keras", BUNDLED)
    assert [way.certain for way in ways] == [False, False, False, True]
    assert [("if the GPU is one of" in way.text) for way in ways] == [True, True, True, False]


def test_windows_10_has_directml_only():
    assert goals("amd", "RX 7900 XTX", build=19045) == [("directml", False)]
    assert goals("amd", "RX 7900 XTX", build=22631)[0] == ("rocm", True)


def test_the_commands_resolve_to_a_set():
    seen = set()
    for row in BUNDLED.windows_gpu():
        if not row["resolve"] or row["resolve"] in seen:
            continue
        seen.add(row["resolve"])
        goal, *rest = row["resolve"].split()
        options = dict(zip(rest[::2], rest[1::2]))
        answer = devicekit.resolve(
            goal,
            framework=options.get("--framework", "tensorflow"),
            also=tuple(value for name, value in options.items() if name == "--with"),
            platform="windows-amd64",
            python=options.get("--python", "3.12"),
            gpu=row["targets"][0] if row["targets"][:1] and row["maker"] == "amd" else row["maker"] or None,
        )
        assert answer.possible, (row["resolve"], answer.obstacles)
        assert answer.goal == row["goal"]
    assert len(seen) > 2


@pytest.mark.parametrize(
    "name, expected",
    [
        ("AMD Radeon RX 7900 XTX", ["WSL 2 with ROCm", "AMD's wheels for Windows 11", "torch-directml"]),
        ("AMD Radeon RX 580", ["torch-directml"]),
        ("Intel(R) Arc(TM) A770 Graphics", ["PyTorch's build for Intel GPUs"]),
        ("Intel(R) UHD Graphics 770", ["torch-directml"]),
    ],
)
def test_doctor_lists_them_for_pytorch(make_machine, name, expected):
    host = host_data(os.path.join(recorded_machines.FOLDER, "windows-amd-directml-plugin"))
    host["python"]["installed"] = {"torch": "2.10.0", "numpy": "2.2.0"}
    adapter = host["registry"]["SOFTWARE\\Microsoft\\DirectX"]["{1111}"]
    adapter.update(Description=name, VendorId=0x8086 if name.startswith("Intel") else 0x1002)
    machine = read_machine(make_machine(**dict(host, release="10.0.22631")))
    (finding,) = [item for item in devicekit.diagnose(machine).findings if item.code == "gpu-vendor-unsupported"]
    assert len(finding.fix) == len(expected), [item.text for item in finding.fix]
    assert all(part in item.text for part, item in zip(expected, finding.fix))
