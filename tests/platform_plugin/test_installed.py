"""The package of examples/devicekit-npu, installed by pip from its source into this environment, as a user would."""

import json
import os
import shutil
import subprocess
import sys

import pytest

EXAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")


@pytest.fixture
def root(tmp_path):
    """The folder in which the driver of the NPU shows two devices; this user may open the first."""
    for number in range(2):
        folder = tmp_path / "npu" / "sys" / "class" / "npu" / ("npu%d" % number)
        folder.mkdir(parents=True)
        (folder / "model").write_text("Acme NPU 500\n", encoding="utf-8")
        (folder / "memory_bytes").write_text("1073741824\n", encoding="utf-8")
    driver = tmp_path / "npu" / "sys" / "module" / "npu"
    driver.mkdir(parents=True)
    (driver / "version").write_text("2.1.4\n", encoding="utf-8")
    (tmp_path / "npu" / "dev").mkdir()
    (tmp_path / "npu" / "dev" / "npu0").write_text("", encoding="utf-8")
    return str(tmp_path / "npu")


@pytest.fixture
def command(tmp_path):
    """Return a function that runs the installed command and returns its status and output."""

    def run(*arguments, **environ):
        program = os.path.join(os.path.dirname(sys.executable), "devicekit")
        done = subprocess.run(
            [program, *arguments],
            cwd=str(tmp_path),
            env=dict(os.environ, DEVICEKIT_CACHE_DIR=str(tmp_path / "cache"), **environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    return run


def test_doctor_lists_it_and_what_it_found(command, root):
    _, text = command("doctor", "--json", NPU_ROOT=root)
    data = json.loads(text)
    (plugin,) = data["plugins"]
    expected = {"name": "npu", "title": "Acme NPU", "distribution": "devicekit-npu", "version": "1.0.0"}
    assert dict(plugin, **expected) == plugin
    assert (plugin["status"], plugin["problems"]) == ("value", [])
    denied = [item for item in data["findings"] if item["code"] == "device-permission-denied"]
    assert [item["blocks"] for item in denied] == [["npu:1"]]
    assert "devicekit-npu 1.0.0, for npu, works" in command("doctor", "--verbose", NPU_ROOT=root)[1]


def test_where_there_is_no_npu_nothing_is_said(command, tmp_path):
    _, text = command("doctor", "--json", NPU_ROOT=str(tmp_path))
    data = json.loads(text)
    assert data["plugins"][0]["status"] == "absent"
    assert not [item for item in data["findings"] if "npu" in json.dumps(item["blocks"])]


def test_its_rows_are_a_goal(command, root):
    status, text = command("resolve", "npu", "--python", "3.11", "--platform", "linux-x86_64", "--json")
    data = json.loads(text)
    assert status == 0
    assert "npu-tensorflow>=3" in data["requirements"]
    assert any(item["name"] == "tensorflow" and item["version"].startswith("2.") for item in data["pins"])
    status, text = command("resolve", "npu", "--python", "3.11", "--platform", "windows-amd64")
    assert status == 1
    assert "knows of nothing for tensorflow on" in text


def test_its_word_is_accepted_and_forgotten_with_it(command, root):
    assert command("devices", "--device", "npu:0", NPU_ROOT=root)[0] in (0, 1)
    status, text = command("devices", "--device", "npu:0", NPU_ROOT=root, DEVICEKIT_PLUGINS="0")
    assert status == 2
    assert "unknown device 'npu:0'" in text


def test_a_snapshot_is_judged_with_it_and_read_without_it(command, root, tmp_path):
    snapshot = str(tmp_path / "machine.json")
    command("snapshot", "--output", snapshot, NPU_ROOT=root)
    _, text = command("doctor", "--json", "--machine", snapshot)
    assert "device-permission-denied" in [item["code"] for item in json.loads(text)["findings"]]
    _, text = command("doctor", "--verbose", "--machine", snapshot, DEVICEKIT_PLUGINS="0")
    assert "the plug-in devicekit-npu 1.0.0 is not installed here" in " ".join(text.split())


def test_one_for_a_later_devicekit_is_a_finding(command, root, tmp_path):
    source = str(tmp_path / "source")
    shutil.copytree(os.path.join(EXAMPLE, "devicekit-npu"), source)
    module = os.path.join(source, "devicekit_npu", "__init__.py")
    with open(module, encoding="utf-8") as stream:
        text = stream.read()
    with open(module, "w", encoding="utf-8") as stream:
        stream.write(text.replace("api_version = 1", "api_version = 2"))
    target = str(tmp_path / "later")
    # What it needs is installed; a build in an isolated environment would ask the registry.
    install = ["install", "--no-deps", "--no-build-isolation", "--target", target, source]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *install], check=True, timeout=600)
    status, text = command("devices", "--device", "npu", NPU_ROOT=root, PYTHONPATH=target)
    assert status == 1
    _, text = command("doctor", "--json", NPU_ROOT=root, PYTHONPATH=target)
    (finding,) = [item for item in json.loads(text)["findings"] if item["code"] == "plugin-broken"]
    assert "version 2 of the interface" in finding["summary"]
    assert finding["severity"] == "warning"
