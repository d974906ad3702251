"""Machines as folders: one that is like another lists only what differs."""

import importlib.util
import json
import os

import pytest
import recorded_machines
from checks import for_each
from recorded_machines import FOLDER, SIMULATED

from devicekit.errors import MachineFileError
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import MAX_LAYERS, SimulatedHost, host_data

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BASE = {
    "system": "linux",
    "env": {"HOME": "/home/maria", "LANG": "C"},
    "files": {"/etc/a": "a", "/etc/b": "b"},
    "folders": ["/dev", "/sys"],
    "answers": {"nvml": {"gpus": [{"index": 0, "memory": None}]}},
}


@pytest.fixture
def machines(tmp_path):
    """Return a function that writes the ``host.json`` of machines by their names."""

    def write(**hosts):
        for name, host in hosts.items():
            (tmp_path / name / "root" / "opt").mkdir(parents=True)
            (tmp_path / name / "root" / "opt" / name).write_bytes(b"\0" + name.encode())
            (tmp_path / name / "host.json").write_text(json.dumps(host), encoding="utf-8")
        return lambda name: str(tmp_path / name)

    return write


def test_objects_are_merged_null_removes_and_the_rest_is_replaced(machines):
    changes = {
        "like": "base",
        "env": {"LANG": None, "CUDA_VISIBLE_DEVICES": "-1"},
        "files": {"/etc/b": "changed", "/etc/c": "c"},
        "folders": ["/proc"],
        "answers": None,
        "architecture": "aarch64",
    }
    folder = machines(base=BASE, other=changes)
    assert host_data(folder("base")) == BASE
    assert host_data(folder("other")) == {
        "system": "linux",
        "env": {"HOME": "/home/maria", "CUDA_VISIBLE_DEVICES": "-1"},
        "files": {"/etc/a": "a", "/etc/b": "changed", "/etc/c": "c"},
        "folders": ["/proc"],
        "architecture": "aarch64",
    }
    host = SimulatedHost(folder("other"))
    assert (host.read_bytes("/etc/a"), host.read_bytes("/etc/b")) == (b"a", b"changed")
    assert host.architecture == "aarch64"
    assert host.info("/dev") is None


def test_null_in_a_list_is_null(machines):
    folder = machines(base=BASE, other={"like": "base", "answers": {"nvml": {"gpus": [{"index": None}]}}})
    assert host_data(folder("other"))["answers"] == {"nvml": {"gpus": [{"index": None}]}}


def test_files_below_root_are_those_of_all_layers(machines):
    folder = machines(
        base=BASE,
        middle={"like": "base", "files": {"/opt/base": None}},
        top={"like": "middle", "files": {"/opt/top": "own files are not removed by what comes before them"}},
    )
    assert [entry.name for entry in SimulatedHost(folder("base")).list_dir("/opt")] == ["base"]
    assert [entry.name for entry in SimulatedHost(folder("middle")).list_dir("/opt")] == ["middle"]
    assert [entry.name for entry in SimulatedHost(folder("top")).list_dir("/opt")] == ["middle", "top"]
    assert SimulatedHost(folder("top")).read_bytes("/opt/middle") == b"\0middle"


@pytest.mark.parametrize(
    "hosts, message",
    [
        ({"a": {"like": "a"}}, "is like itself: a -> a"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, "is like itself: a -> b -> a"),
        (
            {"a": {"like": "b"}, "b": {"like": "c"}, "c": {"like": "d"}, "d": BASE},
            "builds on more than 2 machines: a -> b -> c -> d",
        ),
        ({"a": {"like": "missing"}}, "missing is not a simulated machine: .*host.json"),
        ({"a": {"like": "../a"}}, '"like" must be the name of a folder next to it, got "../a"'),
        ({"a": {"like": ".."}}, '"like" must be the name of a folder next to it'),
        ({"a": {"like": ["b"]}}, '"like" must be the name of a folder next to it, got ."b".'),
        ({"a": {}}, 'host.json has no "system"'),
        ({"a": []}, "host.json is not a JSON object"),
    ],
    ids=["itself", "circle", "long chain", "missing", "path", "parent", "list", "no system", "no object"],
)
def test_wrong_folders_are_named(machines, hosts, message):
    folder = machines(**hosts)
    with pytest.raises(MachineFileError, match=message):
        SimulatedHost(folder("a"))


def test_the_longest_chain_is_used():
    depths = []
    for name in SIMULATED:
        depth = 1
        while True:
            with open(os.path.join(FOLDER, name, "host.json"), encoding="utf-8") as stream:
                name = json.load(stream).get("like")
            if name is None:
                break
            depth += 1
        depths.append(depth)
    assert max(depths) == MAX_LAYERS


# The tool.


@pytest.fixture
def tool(monkeypatch):
    spec = importlib.util.spec_from_file_location("machine_folder", os.path.join(ROOT, "tools", "machine_folder.py"))
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    spec.loader.exec_module(module)
    return module


def test_every_host_is_laid_out_for_reading(tool, capsys):
    assert tool.main(["format", "--check"]) == 0, (
        "run: python tools/machine_folder.py format\n%s" % capsys.readouterr().out
    )


def test_the_folders_stay_short():
    lines = 0
    for name in SIMULATED:
        with open(os.path.join(FOLDER, name, "host.json"), encoding="utf-8") as stream:
            lines += len(stream.readlines())
    assert lines / len(SIMULATED) < 25, (
        "machines that repeat another one: python tools/machine_folder.py like NAME BASE"
    )


def test_differences_make_the_other_machine(tool, machines):
    names = ["linux-nvidia-server", "linux-no-gpu", "macos-intel", "windows-processor", "wsl1"]
    hosts = {name: host_data(os.path.join(FOLDER, name)) for name in names}
    for name in names:
        for base in names:
            changes = tool.differences(hosts[base], hosts[name])
            base_folder, other = "base-%s-%s" % (base, name), "other-%s-%s" % (base, name)
            folder = machines(**{base_folder: hosts[base], other: dict(changes, like=base_folder)})
            assert host_data(folder(other)) == hosts[name]
            assert json.loads(tool.text_of(changes)) == changes


def test_a_user_s_snapshot_becomes_a_machine(tool, tmp_path, monkeypatch, capsys):
    name = "wsl2-nvidia-no-cuda-libraries"
    copy = tmp_path / "bug-report"
    copy.mkdir()
    with open(os.path.join(FOLDER, name, "snapshot.json"), "rb") as stream:
        (copy / "snapshot.json").write_bytes(stream.read())
    for module in (tool, recorded_machines):
        monkeypatch.setattr(module, "FOLDER", str(tmp_path))
    monkeypatch.setattr(recorded_machines, "SIMULATED", [])
    with pytest.raises(AssertionError, match="tools/machine_folder.py expected bug-report"):
        recorded_machines.expected("bug-report")
    assert tool.main(["expected", "bug-report"]) == 0
    assert "write a title" in capsys.readouterr().out
    written = json.loads((copy / "expected.json").read_text(encoding="utf-8"))
    monkeypatch.undo()
    kept = recorded_machines.expected(name)
    assert dict(written, title=kept["title"], just_not=kept["just_not"]) == kept


@for_each("name", [name for name in recorded_machines.NAMES if name not in SIMULATED])
def test_a_snapshot_is_not_read_as_a_simulated_machine(name):
    with pytest.raises(MachineFileError):
        read_machine(SimulatedHost(os.path.join(FOLDER, name)))


def test_windows_may_be_on_another_drive(tmp_path):
    """Each machine with files of Windows' own, moved: all that is known of it is the same."""
    names = [name for name in SIMULATED if SimulatedHost(os.path.join(FOLDER, name)).is_dir("C:\\Windows")]
    assert "windows-no-msvc-runtime" in names
    for name in SIMULATED:
        with open(os.path.join(FOLDER, name, "host.json"), encoding="utf-8") as stream:
            text = stream.read()
        for part in ("Windows", "Program Files"):
            text = text.replace("C:\\\\%s\\\\" % part, "D:\\\\%s\\\\" % part)
        host = json.loads(text)
        if "like" not in host:
            host["env"] = dict(host.get("env", {}), SystemRoot="D:\\Windows", ProgramFiles="D:\\Program Files")
        (tmp_path / name).mkdir()
        (tmp_path / name / "host.json").write_text(json.dumps(host), encoding="utf-8")
    for name in names:
        there, moved = (read_machine(SimulatedHost(os.path.join(folder, name))) for folder in (FOLDER, str(tmp_path)))
        text = json.dumps(moved.to_dict())
        for part in ("Windows", "Program Files"):
            text = text.replace("D:\\\\" + part, "C:\\\\" + part)
        assert json.loads(text) == there.to_dict(), name


@pytest.mark.parametrize("text", ["", "Windows", "\\\\server\\share", "D:Windows", "/tmp"])
def test_the_folder_of_windows_is_absolute_whatever_the_environment_says(make_machine, text):
    host = make_machine(system="windows", env={"SystemRoot": text, "ProgramFiles": text})
    assert (host.system_folder(), host.system_folder("PROGRAMFILES")) == ("C:\\Windows", "C:\\Program Files")


HOME_ON_WINDOWS = (
    "C:\\Users\\Maria Lopez\\venv",
    "c:\\users\\maria lopez\\venv",
    "C:\\USERS\\MARIA LOPEZ\\venv",
    "C:/Users/Maria Lopez\\venv",
    "c:/users/maria lopez\\venv",
    "C:\\Users\\MARIAL~1\\venv",
    "c:/users/marial~12\\venv",
    "C:\\Users\\MA3F0C~1\\venv",
    "C:\\\\Users\\\\Maria Lopez\\venv",
)


@pytest.mark.parametrize("path", HOME_ON_WINDOWS)
def test_windows_has_many_spellings_of_a_home(machines, path):
    host = SimulatedHost(machines(box={"system": "windows", "home": "C:\\Users\\Maria Lopez"})("box"))
    assert host.scrub("in %s: no" % path) == "in ~\\venv: no"
    assert host.scrub(path[: -len("\\venv")]) == "~"
    assert host.expand(host.scrub(path)) == HOME_ON_WINDOWS[0]


def test_another_home_is_not_the_own_one(machines):
    write = machines(
        box={"system": "windows", "home": "C:\\Users\\maria.lopez"}, linux={"system": "linux", "home": "/home/maria"}
    )
    host = SimulatedHost(write("box"))
    for path in (
        "C:\\Users\\maria.lopez2\\x",
        "D:\\Users\\maria.lopez",
        "C:\\Users\\maria\\x",
        "C:\\Users\\MARIA~1\\x",
    ):
        assert host.scrub(path) == path
    assert host.scrub("C:\\Users\\MARIA~1.LOP\\x") == "~\\x"
    linux = SimulatedHost(write("linux"))
    assert (linux.scrub("/home/maria/x"), linux.scrub("/home/Maria/x")) == ("~/x", "/home/Maria/x")


@pytest.mark.only_on("posix", reason="Windows has no FIFO in a folder")
def test_a_fifo_in_a_machines_place_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(str(tmp_path / "host.json"))
    with pytest.raises(MachineFileError, match=r"host\.json is not a regular file"):
        SimulatedHost(str(tmp_path))
