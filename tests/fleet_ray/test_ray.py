"""Every node of a real Ray cluster is asked, in its own environment; what does not answer is named with the reason."""

import json
import os
import subprocess
import sys
import tempfile

import pytest

import devicekit

TIMEOUT_S = 240.0


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "devicekit", "fleet", "--timeout", str(TIMEOUT_S), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=tempfile.gettempdir(),  # in the checkout, `-m` would take the devicekit that is there
        timeout=2 * TIMEOUT_S,
    )
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@pytest.fixture(scope="module")
def found(cluster, tmp_path_factory):
    """What the command says, and the folder in which it keeps the snapshots."""
    folder = tmp_path_factory.mktemp("kept")
    status, out, err = run("--ray", cluster.address, "--json", "-o", str(folder))
    assert status == 1, err  # a node that could not be judged
    return json.loads(out), folder


def test_every_node_answers_for_its_own_environment(found):
    data, folder = found
    assert {node["name"]: node["group"] is not None for node in data["nodes"]} == {
        "head": True, "hidden": True, "bare": False,
    }  # fmt: skip
    values = {}
    for name in ("head", "hidden"):
        machine = devicekit.Machine.from_dict(json.loads((folder / (name + ".json")).read_text()))
        # The node's own value, and not what Ray makes of it for a task without GPUs.
        values[name] = machine.process.env("CUDA_VISIBLE_DEVICES")
        assert machine.python.executable
    assert values == {"head": os.environ.get("CUDA_VISIBLE_DEVICES"), "hidden": "-1"}
    assert not (folder / "bare.json").exists()


def test_the_difference_between_them_is_named(found):
    data, _ = found
    unlike = {item["name"]: item for item in data["differences"]}
    assert unlike["variable CUDA_VISIBLE_DEVICES"]["unusual"] == [{"value": "-1", "nodes": ["hidden"]}]
    assert set(unlike) == {"variable CUDA_VISIBLE_DEVICES"}


def test_a_node_without_devicekit_says_what_to_type_there(found):
    data, _ = found
    (problem,) = [node["problem"] for node in data["nodes"] if node["name"] == "bare"]
    assert "No module named 'devicekit'" in problem
    assert "-m pip install devicekit" in problem


def test_the_report_names_the_nodes(cluster):
    status, out, _ = run("--ray", cluster.address)
    assert status == 1
    assert "1 of 2 nodes has -1" in out
    assert "bare: ModuleNotFoundError" in out


def test_a_program_on_the_cluster_stays_connected(cluster, tmp_path, monkeypatch):
    import ray

    # Ray puts the working folder of a program on the path of its tasks: in the checkout every node would have devicekit.
    monkeypatch.chdir(tmp_path)

    ray.init(address=cluster.address, logging_level="ERROR")
    try:
        fleet = devicekit.cluster.examine_fleet(ray=True, timeout_s=TIMEOUT_S)
        assert fleet.known == 2
        assert ray.is_initialized()
        late = devicekit.cluster.examine_fleet(ray=True, timeout_s=0.01)
        assert {node.problem for node in late.nodes} == {"no answer within 0.01 s"}
    finally:
        ray.shutdown()


def test_a_cluster_that_is_not_there_is_one_message():
    # Ray itself would wait for ever, or nearly.
    status, out, err = run("--ray", "127.0.0.1:1")
    assert status == 2
    assert out == ""
    assert err.startswith("devicekit: no Ray cluster can be reached at '127.0.0.1:1': ")
    assert len(err.splitlines()) == 1
