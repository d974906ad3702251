"""The fastest device, by figures that are handed in; pure, on simulated machines."""

import os

import pytest

from devicekit import select_device
from devicekit.cli.main import main
from devicekit.machine.facts import Machine
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.measure.benchmark.stage import checked_model
from devicekit.runtime.decide import plan_for
from devicekit.selection.choose import is_faster, rank, slower_than_cpu
from devicekit.selection.plan import next_plan
from devicekit.selection.request import parse_request
from devicekit.selection.throughput import Throughput

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


def machine(name):
    return read_machine(SimulatedHost(os.path.join(FOLDER, name)))


SERVER = machine("linux-nvidia-server")
WINDOWS = machine("windows-amd-directml-plugin")
ALONE = machine("linux-no-gpu")


def row(device, rate, model="resnet50", noise=0.0, **more):
    """Figures of so many images a second: ten steps of a batch of 32."""
    seconds = [32.0 / rate * (1 + noise * (-1) ** number) for number in range(10)] if rate else []
    values = {"framework": "tensorflow", "mode": "training", "precision": "float32", "xla": None, "unit": "images"}
    return Throughput(model=model, device=device, batch_size=32, step_seconds=tuple(seconds), **dict(values, **more))


def plan(rows, request="fastest", where=SERVER, **options):
    return plan_for(parse_request(request), None, where, measured=rows, **options)


def test_the_fastest_is_taken():
    chosen = plan([row("gpu:0", 300), row("gpu:3", 900), row("gpu:1", 500), row("cpu", 20)])
    assert (chosen.device, chosen.indices, chosen.fallback, chosen.by_speed) == ("gpu:3", (3,), False, True)
    assert chosen.reason.startswith(
        "the fastest in training of resnet50: gpu:3 900, gpu:1 500, gpu:0 300, cpu 20 images/s"
    )
    assert "not measured: gpu:2, gpu:4" in chosen.reason
    assert chosen.verify


def test_a_trial_that_fails_leads_to_the_second_fastest_and_never_behind_the_cpu():
    chosen = plan([row("gpu:0", 10), row("gpu:3", 900), row("gpu:1", 500), row("cpu", 20)])
    assert [item.device for item in chosen.alternatives][:2] == ["gpu:1", "gpu:2"]  # gpu:2 was not measured
    assert "gpu:0" not in [item.device for item in chosen.alternatives]
    cause = slower_than_cpu(row("gpu:0", 10), row("cpu", 20))
    assert next_plan(chosen, cause).device == "gpu:1"


def test_an_accelerator_that_is_slower_leaves_the_cpu_by_choice():
    chosen = plan([row("gpu:0", 3.1, name="Radeon RX 6700 XT"), row("cpu", 7.4)], where=WINDOWS)
    selection = chosen.selection()
    assert (selection.device, selection.platform, selection.fallback) == ("cpu", "cpu", False)
    first = selection.findings[0]
    assert (first.code, first.severity) == ("slower-than-cpu", "warning")
    assert first.summary == (
        "gpu:0 (Radeon RX 6700 XT) is slower than the CPU in training of resnet50: 3.1 against 7.4 images per second."
    )
    assert "cpu 7.4, gpu:0 3.1 images/s" in selection.reason
    assert (chosen.indices, chosen.libraries, chosen.alternatives) == ((), (), ())


def test_the_noise_of_both_does_not_decide_against_an_accelerator():
    near = [row("cpu", 10.1, noise=0.3), row("gpu:0", 10.0, noise=0.3)]
    assert plan(near, where=WINDOWS).device == "gpu:0"
    assert not [item for item in plan(near, where=WINDOWS).findings if item.code == "slower-than-cpu"]
    assert plan([row("cpu", 10.1), row("gpu:0", 10.0)], where=WINDOWS).device == "cpu"


def test_without_figures_it_is_auto_with_what_to_type():
    usual = select_device("auto", machine=SERVER)
    selection = select_device("fastest", machine=SERVER)
    assert (selection.device, selection.fallback) == (usual.device, False)
    assert selection.findings == usual.findings
    assert "devicekit bench --compare gpu:0,gpu:1,gpu:2,gpu:3,gpu:4,gpu:5,gpu:6,gpu:7,cpu" in selection.reason
    # One device alone is no comparison.
    assert "devicekit bench" in plan([row("gpu:0", 300)]).reason
    assert not plan([row("gpu:0", 300)]).by_speed


def test_where_there_is_only_the_cpu_there_is_nothing_to_measure():
    selection = select_device("fastest", machine=ALONE)
    usual = select_device("auto", machine=ALONE)
    assert (selection.device, selection.reason, selection.fallback) == (usual.device, usual.reason, usual.fallback)
    assert "bench" not in selection.reason


def test_the_policy_chooses_among_what_is_asked_for():
    rows = [row("gpu:0", 300), row("gpu:3", 900), row("cpu", 2000)]
    assert plan(rows, "gpu", policy="fastest").device == "gpu:3"  # the CPU was not asked for
    assert plan(rows, "auto", policy="fastest").device == "cpu"
    assert plan(rows, "gpu:0", policy="fastest").device == "gpu:0"  # a number is a number
    assert plan(rows, "auto").device == "gpu:0"
    assert plan(rows, "cpu", policy="fastest").device == "cpu"
    assert plan(rows, exclude=["cpu"]).device == "gpu:3"
    assert plan(rows, exclude=["cpu", "gpu:3"]).device == "gpu:0"
    assert plan(rows, exclude=["cpu", "gpu:3"]).by_speed is False
    assert plan(rows, min_memory="900GiB").device == "cpu"


def test_only_the_same_work_is_compared_and_only_with_the_same_framework():
    other = [row("gpu:0", 300), row("cpu", 900, model="mlp")]
    assert rank(other, "tensorflow", ["gpu:0", "cpu"]) is None
    assert rank([row("gpu:0", 300), row("cpu", 900, precision="mixed_float16")], "tensorflow", ["gpu:0", "cpu"]) is None
    jax = [row("gpu:0", 300, framework="jax"), row("cpu", 900, framework="jax")]
    assert rank(jax, "tensorflow", ["gpu:0", "cpu"]) is None
    assert rank(jax, "jax", ["gpu:0", "cpu"]).devices == ("cpu", "gpu:0")
    first = [row("gpu:0", 3, framework="tensorflow1"), row("cpu", 9, framework="tensorflow1")]
    assert rank(first, "tensorflow1", ["gpu:0", "cpu"]).devices == ("cpu", "gpu:0")


def test_the_benchmark_with_most_devices_counts_then_the_newest():
    rows = [
        row("gpu:0", 1, model="mlp"), row("cpu", 2, model="mlp"),
        row("gpu:0", 300), row("gpu:1", 400), row("cpu", 20), row("cpu", 5000),
    ]  # fmt: skip
    assert rank(rows, "tensorflow", ["gpu:0", "gpu:1", "cpu"]).devices == ("gpu:1", "gpu:0", "cpu")
    assert rank(rows, "tensorflow", ["gpu:0", "cpu"]).rows[0].model == "mlp"  # as many devices, and newer
    assert rank(rows, "tensorflow", ["gpu:7", "cpu"]) is None


def test_what_could_not_be_measured_has_no_rank():
    rows = [row("gpu:0", 0, problem="out of memory"), row("cpu", 20)]
    chosen = plan(rows, where=WINDOWS)
    assert (chosen.device, chosen.by_speed) == ("gpu:0", False)  # as auto would, whose trial decides
    assert chosen.reason.endswith("the speed of gpu:0 could not be measured: out of memory")


def test_findings_of_the_slower_ones_come_last_where_an_accelerator_wins():
    chosen = plan([row("gpu:0", 10), row("gpu:1", 500), row("cpu", 20)])
    assert chosen.device == "gpu:1"
    assert chosen.findings[-1].code == "slower-than-cpu"
    assert "gpu:0" in chosen.findings[-1].summary


def test_the_finding_needs_figures_of_both_and_another_device():
    assert slower_than_cpu(row("cpu", 1), row("cpu", 2)) is None
    assert slower_than_cpu(row("gpu:0", 3), row("cpu", 2)) is None
    assert slower_than_cpu(row("gpu:0", 0, problem="x"), row("cpu", 2)) is None
    assert is_faster(row("cpu", 2), row("gpu:0", 0, problem="x"))
    (device, cpu) = slower_than_cpu(row("gpu:0", 1, noise=0.1), row("cpu", 2)).evidence
    assert "images per second, batch size 32, 10 steps" in device.text
    assert "+/-" in device.text
    assert "devicekit bench --model resnet50" in cpu.source


def test_figures_of_this_machine_do_not_decide_for_another(tmp_path, monkeypatch):
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path))
    restored = Machine.from_dict(SERVER.to_dict())
    assert not plan_for(parse_request("fastest"), None, restored).by_speed


@pytest.mark.parametrize("text", ["fastest:0", "fastest:", "the fastest"])
def test_what_is_no_such_request(text):
    with pytest.raises(ValueError, match="accepted are 'auto', 'fastest', 'cpu'"):
        parse_request(text)


def test_it_is_parsed_as_a_kind_of_auto():
    request = parse_request("Fastest")
    assert (request.kind, request.fastest, request.indices) == ("auto", True, ())
    assert not parse_request("auto").fastest


def test_what_may_be_measured():
    assert checked_model(True) == "mobilenet"
    assert checked_model(False) is None
    assert checked_model("resnet50") == "resnet50"
    with pytest.raises(ValueError, match="unknown measure='alexnet'; accepted are True, False, 'resnet50'"):
        checked_model("alexnet")


def test_the_command_line_knows_it(tmp_path, capsys):
    import json

    path = tmp_path / "machine.json"
    path.write_text(json.dumps(SERVER.to_dict()), encoding="utf-8")
    assert main(["doctor", "--device", "fastest", "--json", "--machine", str(path)]) == 0
    selection = json.loads(capsys.readouterr().out)["selection"]
    assert (selection["device"], selection["requested"]) == ("gpu:0", "fastest")
    assert "devicekit bench --compare" in selection["reason"]
    assert main(["devices", "--device", "fastest", "--machine", str(path)]) == 0
    assert "gpu:0" in capsys.readouterr().out
