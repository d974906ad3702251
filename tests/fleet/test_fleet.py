"""Fleets: collected from files, diagnosed, grouped, compared and reported."""

import copy
import json
import os
import random

import pytest
from fleets import load_generator, template, write

import devicekit
from devicekit import DevicekitError, Machine
from devicekit.cli.main import main
from devicekit.cluster import examine_fleet
from devicekit.cluster.fleet.groups import LIMIT_BYTES
from devicekit.report.fleet import fleet_text
from devicekit.report.terminal import Style

BASE = template()


def changed(**changes):
    """Return a snapshot with something different."""
    data = copy.deepcopy(BASE)
    for name, value in changes.items():
        if name == "driver":
            for word in ("nvidia_version", "nvidia_kernel_version", "nvidia_library_version"):
                data["driver"][word] = {"status": "value", "value": value, "source": "x"}
        elif name == "without":
            data["driver"]["nodes"] = [item for item in data["driver"]["nodes"] if item["path"] != value]
        elif name == "variable":
            data["process"]["environ"].append(value)
        else:
            package = next(item for item in data["python"]["distributions"]["value"] if item["name"] == name)
            package["version"]["value"] = value
    return data


@pytest.fixture
def folder(tmp_path):
    """Seven nodes: four alike, an old driver, a missing device node, a truncated file."""
    alike = {"n%d" % number: BASE for number in range(4)}
    cut = json.dumps(BASE)[:5000]
    return write(tmp_path, old=changed(driver="470.82.01"), uvm=changed(without="/dev/nvidia-uvm"), cut=cut, **alike)


def test_who_is_unlike_the_others_and_why(folder):
    fleet = examine_fleet(folder)
    assert (fleet.known, len(fleet.nodes), fleet.states) == (6, 7, 3)
    assert [group.nodes for group in fleet.groups] == [("n0", "n1", "n2", "n3"), ("old",), ("uvm",)]
    assert {item.name: (item.usual, item.unusual) for item in fleet.differences} == {
        "NVIDIA driver": ("550.54.15", (("470.82.01", ("old",)),)),
        "/dev/nvidia-uvm": ("accessible", ((None, ("uvm",)),)),
    }
    for name, code, cause in (
        ("old", "driver-too-old", "NVIDIA driver"),
        ("uvm", "driver-unhealthy", "/dev/nvidia-uvm"),
    ):
        group = fleet.group_of(name)
        assert [item.code for item in group.findings] == [code]
        assert group.findings[0].fix
        (found,) = [item for item in group.diff.consequences if item.name == code]
        assert found.causes == ((cause,),)
    (broken,) = fleet.failures
    assert broken.name == "cut"
    assert "truncated" in broken.problem
    assert not fleet.healthy
    assert fleet.group_of("cut") is None


def test_the_text_says_how_many_of_how_many(folder):
    text = fleet_text(examine_fleet(folder), Style(width=100))
    assert "NVIDIA driver: 1 of 6 nodes has 470.82.01, the others 550.54.15 (old)" in text
    assert "/dev/nvidia-uvm: 1 of 6 nodes has none, the others accessible (uvm)" in text
    assert "4 of 6 nodes: cuda with tensorflow, 8 of 8 accelerators usable" in text
    assert "cut: the snapshot is not JSON (it seems to be truncated)" in text
    assert "because  NVIDIA driver: 550.54.15 -> 470.82.01" in text
    assert text.splitlines()[-1] == "1 node not checked, 2 nodes with a warning or note."


def test_most_are_right_even_where_the_most_common_machine_is_not(tmp_path):
    nodes = {"odd%d" % number: changed(numpy="2.1.1") for number in range(3)}
    nodes.update(("own%d" % number, changed(variable=["XLA_FLAGS", "--x=%d" % number])) for number in range(4))
    fleet = examine_fleet(write(tmp_path, **nodes))
    numpy = next(item for item in fleet.differences if item.name == "numpy")
    assert numpy.usual == "2.1.3"
    assert numpy.unusual == (("2.1.1", ("odd0", "odd1", "odd2")),)


def test_nodes_that_differ_in_serial_numbers_alone_are_one_state(tmp_path):
    generator, made = random.Random(1), load_generator()
    nodes = {}
    for number in range(12):
        node = made.node(json.dumps(BASE), generator, number)
        node["native"].update(release="6.1", cpu_model=BASE["native"]["cpu_model"])
        for word in ("python", "process"):
            node[word] = BASE[word]
        node["driver"]["nodes"] = BASE["driver"]["nodes"]
        for word in ("nvidia_version", "nvidia_kernel_version", "nvidia_library_version"):
            node["driver"][word] = BASE["driver"][word]
        for gpu in node["driver"]["gpus"]["value"]:
            gpu["memory_free_bytes"]["value"] = gpu["memory_bytes"]["value"] - generator.randrange(1 << 33)
        nodes["n%d" % number] = node
    fleet = examine_fleet(write(tmp_path, **nodes))
    assert (fleet.states, len(fleet.groups), fleet.differences) == (1, 1, ())
    assert fleet.healthy


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "is empty"),
        ("{}", "no 'schema' number"),
        ("[" * 100000, "nested too deeply"),
        ('{"schema": 1, "python": ' + "[" * 100000, "nested too deeply"),
        ('{"schema": 99}', "upgrade devicekit"),
        ('{"schema": 1}', "lacks fields"),
        ("nonsense", "not JSON"),
        ('"' + "x" * (LIMIT_BYTES + 10) + '"', "has more than 4 MiB"),
        (json.dumps(dict(BASE, native=3)), "should be an object"),
        (
            json.dumps(dict(BASE, driver=dict(BASE["driver"], gpus={"status": "value", "value": [3]}))),
            "should be an object",
        ),
        ('{"schema": 1, "secret": 2}', "fields that this devicekit does not know"),
    ],
    ids=range(11),  # Windows takes no variable, as pytest makes of a name, of 100,000 characters
)
def test_what_is_no_snapshot_is_listed_with_the_reason(tmp_path, text, problem):
    fleet = examine_fleet(write(tmp_path, bad=text, good=BASE))
    assert problem in fleet.failures[0].problem
    assert fleet.groups[0].nodes == ("good",)


def test_a_volatile_value_of_a_wrong_kind_does_not_slip_through(tmp_path):
    data = copy.deepcopy(BASE)
    data["driver"]["gpus"]["value"][0]["memory_free_bytes"] = {"status": "value", "value": "much"}
    fleet = examine_fleet(write(tmp_path, good=BASE, bad=data))
    assert [node.name for node in fleet.failures] == ["bad"]


def test_json_is_complete_and_the_snapshots_can_be_kept(folder, tmp_path, capsys):
    kept = tmp_path / "kept"
    assert main(["fleet", "--from", folder, "--json", "--output", str(kept)]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["healthy"] is False
    assert {node["name"] for node in data["nodes"]} == {"n0", "n1", "n2", "n3", "old", "uvm", "cut"}
    assert data["groups"][1]["findings"][0]["code"] == "driver-too-old"
    assert data["groups"][1]["findings"][0]["fix"]
    assert data["groups"][1]["diff"]["consequences"][0]["causes"] == [["NVIDIA driver"]]
    assert examine_fleet(str(kept)) == examine_fleet(folder)
    assert examine_fleet(machines={"a": Machine.from_dict(BASE)}).groups[0].nodes == ("a",)


def test_the_status_asks_for_the_device_that_is_wanted(tmp_path, capsys):
    good = write(tmp_path, a=BASE, b=BASE)
    assert main(["fleet", "--from", good]) == 0
    write(tmp_path, c=changed(variable=["CUDA_VISIBLE_DEVICES", "-1"]))
    assert main(["fleet", "--from", good]) == 0
    assert main(["fleet", "--from", good, "--device", "gpu"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--from", "/nonexistent/folder"], "cannot be read"),
        ([], "choose a source"),
        (["--from", ".", "--timeout", "0"], "above zero"),
        (["--from", ".", "--device", "banana"], "unknown device"),
    ],
)
def test_wrong_use_is_one_message(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["fleet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_one_source_has_to_be_named(tmp_path):
    with pytest.raises(ValueError, match="name one source"):
        examine_fleet()
    with pytest.raises(ValueError, match="folder and ray"):
        examine_fleet(str(tmp_path), ray=True)
    with pytest.raises(DevicekitError, match="no file"):
        examine_fleet(str(tmp_path))


def test_what_is_hostile_stays_text(tmp_path):
    evil = "<script>alert(1)</script>\x1b[31m\u202e"
    data = changed(variable=["XLA_FLAGS", evil], driver="470.82.01")
    fleet = examine_fleet(machines={evil: Machine.from_dict(data), "b": Machine.from_dict(BASE)})
    text, html = fleet_text(fleet, Style(unicode=True)), fleet._repr_html_()
    assert "\x1b" not in text + html
    assert "<script" not in html


def test_a_fleet_is_judged_without_a_machine_of_its_own(folder, python):
    """No framework, and nothing of this machine, is looked at."""
    code = (
        "import sys, devicekit; fleet = devicekit.cluster.examine_fleet(sys.argv[1]); print(fleet);"
        "bad = [name for name in ('tensorflow', 'numpy', 'ray') if name in sys.modules];"
        "assert not bad, bad"
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
    assert "6 of 7 nodes judged" in python(code, folder, env={"PYTHONPATH": root})


def test_numbers_and_commands_are_those_of_a_node_that_is_named(tmp_path):
    nodes = {}
    for number in range(3):
        data = copy.deepcopy(BASE)
        gpu = data["driver"]["gpus"]["value"][number]
        gpu["memory_free_bytes"]["value"] = 1 << 20
        gpu["processes"] = {
            "status": "value",
            "value": [{"pid": 7000 + number, "memory_bytes": gpu["memory_bytes"]["value"] - 1, "kind": "compute"}],
        }
        nodes["n%d" % number] = data
    fleet = examine_fleet(write(tmp_path, **nodes))
    (group,) = fleet.groups  # whichever of its GPUs it is
    assert group.example == "n0"
    (finding,) = group.findings
    assert any("7000" in (fix.command or "") for fix in finding.fix)
    assert "numbers and commands are those of n0" in fleet_text(fleet, Style())
    assert "those of n0" in fleet._repr_html_()
