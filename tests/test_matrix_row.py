"""The requirements of a framework, and what is here: a cell fails if and only if a finding says so."""

import os

import pytest
import recorded_machines
from checks import for_each

import devicekit
from devicekit.diagnosis.codes import CODES
from devicekit.diagnosis.findings import Evidence, Finding
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.report.compatibility_table import _CODES, matrix_row
from devicekit.report.screen import doctor_screen
from devicekit.report.terminal import Style

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


def row_of(name, framework="tensorflow"):
    machine = read_machine(SimulatedHost(os.path.join(MACHINES, name)))
    return matrix_row(machine, devicekit.diagnose(machine), framework)


def states(row):
    return {cell.part: cell.state for cell in row.cells}


@pytest.mark.parametrize(
    "name, part",
    [
        ("linux-nvidia-no-cudnn", "cuDNN"),
        ("linux-nvidia-no-cuda-libraries", "CUDA"),
        ("linux-nvidia-driver-too-old", "Driver"),
        ("linux-nvidia-driver-mismatch", "Driver"),
        ("linux-nvidia-maxwell", "Compute capability"),
        ("linux-numpy-2-under-2.10", "NumPy"),
        ("linux-protobuf-4-under-2.10", "protobuf"),
        ("linux-keras-3-under-2.10", "Keras"),
        ("linux-missing-dependency", "Dependencies"),
        ("linux-python-3.15", "Python"),
        ("linux-no-avx", "Processor"),
        ("linux-glibc-too-old", "System"),
        ("linux-nvidia-tensorflow-cpu", "Build"),
        ("linux-amd-gfx-unsupported", "GPU target"),
    ],
)
def test_the_failing_cell(name, part):
    row = row_of(name)
    assert [cell.part for cell in row.cells if cell.state == "fails"] == [part]
    (cell,) = [cell for cell in row.cells if cell.state == "fails"]
    assert cell.code in _CODES[part]
    assert cell.because


def test_on_a_healthy_machine_all_cells_are_ok():
    row = row_of("linux-nvidia-server")
    assert set(states(row).values()) == {"ok"}
    cells = {cell.part: cell for cell in row.cells}
    assert (cells["CUDA"].needs, cells["Driver"].needs) == ("12.5.1", ">=525.60.13")
    assert cells["Compute capability"].here == "8.0"


def test_what_a_more_severe_cause_hides_is_not_ok():
    found = states(row_of("linux-nvidia-driver-missing"))
    assert found["Driver"] == "fails"
    assert found["CUDA"] != "ok"
    assert found["cuDNN"] != "ok"


def test_a_framework_other_than_the_target_has_a_row():
    assert states(row_of("linux-nvidia-jax-beside-broken-tensorflow"))["NumPy"] == "fails"
    assert states(row_of("linux-nvidia-jax-beside-broken-tensorflow"))["cuDNN"] == "fails"
    assert "fails" not in states(row_of("linux-nvidia-jax-beside-broken-tensorflow", "jax")).values()


def test_a_machine_without_a_gpu_needs_none():
    found = states(row_of("linux-no-gpu"))
    assert found["Build"] == "not needed"
    assert "cuDNN" not in found


@pytest.mark.parametrize("framework, name", [("jax", "linux-nvidia-jax-cuda12"), ("torch", "linux-nvidia-torch-cu126")])
def test_other_frameworks(framework, name):
    row = row_of(name, framework)
    assert row.framework == framework
    assert states(row)["CUDA"] == "ok"


def test_what_is_not_installed_shows_the_newest_release():
    row = row_of("linux-nothing-installed")
    assert not row.installed
    assert states(row)["protobuf"] == "unknown"
    assert "Build" not in states(row)


def test_every_code_of_a_cell_is_a_code():
    assert {code for codes in _CODES.values() for code in codes} <= set(CODES)


@for_each("name", recorded_machines.NAMES)
def test_a_cell_fails_exactly_where_a_finding_of_its_framework_says_so(name):
    machine, diagnosis = recorded_machines.load_machine(name), recorded_machines.diagnosis(name)
    for framework in ("tensorflow", "jax", "torch"):
        row = matrix_row(machine, diagnosis, framework)
        for cell in row.cells if row is not None else ():
            codes = {item.code for item in diagnosis.findings if item.blocks and item.concerns(framework)}
            assert (cell.state == "fails") == bool(codes & set(_CODES[cell.part])), cell
            assert cell.state in ("ok", "fails", "unknown", "not needed")
            assert cell.because or cell.state == "ok", cell


@pytest.mark.parametrize(
    "texts, here",
    [
        (["numpy 2.1.3; needed is numpy<2"], "numpy 2.1.3"),
        (["not-there>=1.0 is not installed"], "not-there"),
        (["six is not installed", "wrapt is not installed"], ""),
        (["tensorflow-metal was made for another release"], ""),
    ],
)
def test_the_package_that_is_wrong_is_named(texts, here):
    machine = recorded_machines.load_machine("linux-no-gpu")
    evidence = tuple(Evidence(text) for text in texts)
    finding = Finding("dependency-incompatible", "error", "It does not work.", evidence, (), ("tensorflow",))
    row = matrix_row(machine, devicekit.diagnose(machine).replace(findings=(finding,)), "tensorflow")
    (cell,) = [item for item in row.cells if item.part == "Dependencies"]
    assert (cell.state, cell.here) == ("fails", here)


def test_the_screen_names_the_package_that_is_wrong():
    machine = recorded_machines.load_machine("linux-missing-dependency")
    diagnosis, selection = devicekit.diagnose(machine), devicekit.select_device(machine=machine)
    assert "[x] absl-py  [x] TensorFlow" in doctor_screen(machine, diagnosis, selection, Style())
    assert cells_here("macos-metal-under-2.20") == ["tensorflow-metal 1.2.0"]


def cells_here(name):
    return [cell.here for cell in row_of(name).cells if cell.part == "Dependencies"]
