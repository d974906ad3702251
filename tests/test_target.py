"""What a target takes: tags of wheels against systems, C libraries and Python versions."""

import pytest

from devicekit.diagnosis.view import View
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import PLATFORMS, Target, macos_version, target_for


@pytest.mark.parametrize(
    "system, tag, takes",
    [
        (Target("3.11", "linux", "x86_64", "2.36"), "manylinux_2_17_x86_64", True),
        (Target("3.11", "linux", "x86_64", "2.12"), "manylinux_2_17_x86_64", False),
        (Target("3.11", "linux", "x86_64"), "manylinux_2_17_x86_64", True),
        (Target("3.11", "linux", "x86_64", "musl"), "manylinux_2_17_x86_64", False),
        (Target("3.11", "linux", "aarch64", "2.36"), "manylinux_2_17_x86_64", False),
        (Target("3.11", "linux", "aarch64", "2.36"), "manylinux_2_17_aarch64", True),
        (Target("3.11", "linux", "x86_64", "2.36"), "linux_x86_64", True),
        (Target("3.11", "macos", "aarch64", macos="14"), "macosx_12_0_arm64", True),
        (Target("3.11", "macos", "aarch64", macos="11"), "macosx_12_0_arm64", False),
        (Target("3.11", "macos", "aarch64"), "macosx_12_0_x86_64", False),
        (Target("3.11", "macos", "x86_64"), "macosx_10_9_universal2", True),
        (Target("3.11", "windows", "x86_64"), "win_amd64", True),
        (Target("3.11", "windows", "aarch64"), "win_arm64", True),
        (Target("3.11", "windows", "x86_64", bits=32), "win_amd64", False),
        (Target("3.11", "windows", "x86_64"), "manylinux_2_17_x86_64", False),
        (Target("3.11", "linux", "riscv64"), "win_amd64", False),
        (Target("3.11", "windows", "x86_64", bits=32), "any", True),
    ],
)
def test_platform_tags(system, tag, takes):
    assert system.takes_platform(tag) is takes


@pytest.mark.parametrize(
    "tag, pythons",
    [("cp311", ["3.11"]), ("cp38+", ["3.8", "3.9", "3.11", "3.13"]), ("py3", ["3.7", "3.8", "3.9", "3.11", "3.13"])],
)
def test_python_tags(tag, pythons):
    every = ["3.7", "3.8", "3.9", "3.11", "3.13"]
    assert [python for python in every if target_for("linux-x86_64", python).takes_python(tag)] == pythons


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platforms_have_one_name(platform):
    assert target_for(platform, "3.11").platform == platform


@pytest.mark.parametrize(
    "text, version", [("20.6.0", "11"), ("24.1", "15"), ("25.0", "26"), ("19.6", "10.15"), ("13.2", "13.2"), ("", None)]
)
def test_darwin(text, version):
    assert macos_version(text) == version


def test_the_target_of_a_machine(make_machine):
    from devicekit.machine.probe import read_machine

    host = make_machine(python={"version": "3.10.4", "installed": {}}, architecture="x86_64")
    found = View(read_machine(host), Matrix()).target
    assert (found.python, found.platform, found.described) == ("3.10", "linux-x86_64", True)
    assert found.vendors == ()
    assert found.driver is None
