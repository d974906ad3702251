"""A broken environment of tiny wheels, made once for each installer; a test works on a copy."""

import os
import shutil
import subprocess
import sys

import pytest
from tiny import Patient, broken_wheels, variables

from devicekit.remedy.installers import find_uv


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Wheels of an environment that does not work."""
    folder = tmp_path_factory.mktemp("wheels")
    broken_wheels(folder)
    return folder


def make(folder, wheels, installer):
    uv, python = find_uv(), os.path.join("bin" if os.name == "posix" else "Scripts", "python")
    environment = variables(folder, wheels, UV_CACHE_DIR=str(folder / "cache"))
    prefix = folder / "environment"
    pins = [name[: -len("-py3-none-any.whl")].replace("-", "==") for name in sorted(os.listdir(str(wheels)))]
    if installer == "uv":
        calls = [[uv, "venv", "-q", "--python", sys.executable, str(prefix)]]
        calls += [[uv, "pip", "install", "-q", "--no-deps", "--python", str(prefix), *pins]]
    else:
        calls = [[sys.executable, "-m", "venv", str(prefix)]]
        calls += [[str(prefix / python), "-m", "pip", "install", "-q", "--no-deps", "--no-compile", *pins]]
    for call in calls:
        subprocess.run(call, env=environment, cwd=str(folder), check=True, stdin=subprocess.DEVNULL)
    return prefix


@pytest.fixture(scope="session")
def environments(tmp_path_factory, wheels):
    """Return the environment of an installer; made when it is asked for."""
    made = {}

    def get(installer):
        if installer not in made:
            made[installer] = make(tmp_path_factory.mktemp(installer), wheels, installer)
        return made[installer]

    return get


@pytest.fixture
def patient_of(tmp_path, environments, wheels):
    """Return a copy of the environment of an installer, with wheels of its own next to the shared ones."""

    def copy(installer="pip", **more):
        if installer == "uv" and find_uv() is None:
            pytest.skip("uv is not installed")
        prefix, own = tmp_path / "environment", tmp_path / "wheels"
        shutil.copytree(str(environments(installer)), str(prefix), symlinks=True)
        shutil.copytree(str(wheels), str(own))
        return Patient(prefix, own, tmp_path, UV_CACHE_DIR=str(tmp_path / "cache"), **more)

    return copy


@pytest.fixture
def patient(patient_of):
    """A broken environment with pip."""
    return patient_of()
