"""Programs made by PyInstaller, which the hook of the package makes whole. `nox -s onefile` installs PyInstaller."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, os, warnings
import devicekit
print("started", flush=True)
planned = devicekit.select_device()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    applied = devicekit.auto()
commands = [fix.command for finding in applied.findings for fix in finding.fix if fix.command]
explained = [finding.code for finding in devicekit.explain("failed call to cuInit: CUDA_ERROR_NO_DEVICE")]
print(json.dumps({"planned": planned.device, "applied": applied.device, "commands": commands, "explained": explained}))
"""


def test_a_frozen_program_has_everything_and_never_starts_itself(tmp_path):
    pytest.importorskip("PyInstaller")
    (tmp_path / "program.py").write_text(PROGRAM)
    made = subprocess.run(
        [sys.executable, "-m", "PyInstaller", "-y", "--log-level", "ERROR", "--onefile", "program.py"],
        cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout.decode("utf-8", "replace")[-2000:]
    path = os.path.join(str(tmp_path), "dist", "program")
    done = subprocess.run([path], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    lines = done.stdout.decode().splitlines()
    assert lines.count("started") == 1
    data = json.loads(lines[-1])
    assert data["planned"] == data["applied"]
    assert data["explained"] == ["no-gpu"]
    assert [command for command in data["commands"] if path in command] == []
