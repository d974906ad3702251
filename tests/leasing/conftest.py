"""A machine with four GPUs, a folder for leases, and programs that take some."""

import json
import os
import subprocess
import sys

import pytest
from leasing_tools import HERE
from recorded_machines import load_machine


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Return the path of a snapshot of a machine with eight GPUs."""
    path = tmp_path_factory.mktemp("server") / "server.json"
    path.write_text(json.dumps(load_machine("linux-nvidia-server").to_dict()), encoding="utf-8")
    return str(path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder for leases of this test."""
    monkeypatch.setenv("DEVICEKIT_LEASE_DIR", str(tmp_path / "leases"))
    monkeypatch.delenv("DEVICEKIT_LEASED", raising=False)
    return str(tmp_path / "leases")


@pytest.fixture
def start(folder, server):
    """Return a function that starts a program which holds devices; all are ended in the end."""
    running = []

    def begin(device="gpu", count=1, timeout=100, env=None, **options):
        command = [sys.executable, os.path.join(HERE, "holder.py"), server, device, str(count), str(timeout)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, **(env or {})), **options
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()
        try:
            process.stdin.close()
        except BrokenPipeError:  # what was to be written will not be read
            pass
