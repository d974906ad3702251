"""Choosing among the devices of a machine; pure, on simulated machines."""

import os
import re

import pytest

from devicekit import select_device
from devicekit.diagnosis.diagnose import diagnose, run_rules
from devicekit.diagnosis.findings import Candidate, Diagnosis, Finding
from devicekit.diagnosis.frameworks import choose_framework
from devicekit.machine.facts import Fact, Xid
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.matrix.matrix import Matrix
from devicekit.selection.choose import choose
from devicekit.selection.request import parse_request
from devicekit.selection.situation import Criteria
from devicekit.testing import load, machines

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


def machine(name):
    return read_machine(SimulatedHost(os.path.join(FOLDER, name)))


SERVER = machine("linux-nvidia-server")


@pytest.mark.parametrize(
    "request_, device, fallback",
    [
        ("auto", "gpu:0", False),
        ("gpu", "gpu:0", False),
        ("gpu:3", "gpu:3", False),
        ("gpu:0,2", "gpu:0,2", False),
        ("cuda:7", "gpu:7", False),
        ("/GPU:1", "gpu:1", False),
        ("cpu", "cpu", False),
        ("gpu:8", "cpu", True),
        ("gpu:7,8", "gpu:7", True),
        ("rocm", "cpu", True),
        ("directml:0", "cpu", True),
        ("tpu", "cpu", True),
    ],
)
def test_requests_on_a_server_with_eight_gpus(request_, device, fallback):
    selection = select_device(request_, machine=SERVER)
    assert (selection.device, selection.fallback, selection.requested) == (device, fallback, request_)
    assert (selection.changes, selection.verified) == ((), None)
    assert selection.reason


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_a_fallback_has_its_cause_as_the_first_finding(framework):
    """Otherwise nothing would warn, or of something else."""
    silent = []
    requests = (
        "auto",
        "gpu",
        "gpu:1",
        "gpu:0,9",
        "cuda:0",
        "rocm:0",
        "directml:0",
        "metal",
        "xpu:0",
        "tpu",
        "gpu:GPU-9",
    )
    for name in machines():
        for request in requests:
            selection = select_device(request, machine=load(name), framework=framework)
            if not selection.fallback:
                continue
            cause = selection.findings[0] if selection.findings else None
            explains = cause and (cause.code == "device-not-found" or cause.summary.rstrip(".") in selection.reason)
            if not explains and not (request == "gpu:GPU-9" and cause and cause.blocks):
                silent.append((name, request, selection.reason, cause))
    assert silent == []


def test_exclude_policy_and_memory():
    assert select_device(machine=SERVER, exclude=["gpu:0", "gpu:1"]).device == "gpu:2"
    assert select_device("gpu", machine=SERVER, exclude=["cuda"]).device == "cpu"
    assert select_device(machine=SERVER, policy=lambda candidates: candidates[-1]).device == "gpu:7"
    assert select_device(machine=SERVER, policy="index").device == "gpu:0"
    windows = machine("windows-amd-directml-plugin")  # 12 GB, as the registry says
    assert select_device("gpu", machine=windows, min_memory="8GiB").device == "gpu:0"
    small = select_device("gpu", machine=windows, min_memory="16GiB")
    assert small.device == "cpu"
    assert re.search(r"'gpu' was asked for: gpu:0 \(.+\) has [\d.]+ GiB, and 16 GiB were asked for$", small.reason)
    assert select_device(machine=windows, min_memory="16GiB").reason.endswith("and 16 GiB were asked for")


@pytest.mark.parametrize(
    "options",
    [
        {"policy": "fastest-of-all"},
        {"exclude": "gpu:0"},
        {"exclude": None},
        {"exclude": ["banana"]},
        {"min_memory": "lots"},
        {"framework": "caffe"},
    ],
)
def test_wrong_use_says_what_is_accepted(options):
    with pytest.raises(
        ValueError, match="accepted are|exclude is a list of devices, as .*, not ('gpu:0'|None)|such as '8GiB'"
    ):
        select_device(machine=SERVER, **options)


def test_the_user_s_restriction_is_kept():
    restricted = machine("linux-nvidia-restricted")
    assert select_device("gpu:1", machine=restricted).device == "gpu:1"
    assert select_device("gpu:2", machine=restricted).device == "cpu"  # only two of the four are left
    hidden = select_device("gpu", machine=machine("linux-nvidia-hidden"))
    assert (hidden.device, hidden.findings[0].code) == ("cpu", "device-hidden")


BOTH = {"tensorflow": "2.20.0", "keras": "3.11.3", "jax": "0.7.0", "torch": "2.8.0", "numpy": "2.1.3"}
WRITTEN = {"home": "/h", "files": {"/h/.keras/keras.json": '{"backend": "tensorflow"}'}}
SETTINGS = {"home": "/h", "files": {"/h/.keras/keras.json": '{"backend": "torch"}'}}


def host(installed=BOTH, loaded=(), backend="", env=None, **more):
    """A machine's host.json: what is installed, what is imported, and the variables."""
    modules = [[name, installed.get(name, "1.0")] for name in loaded]
    python = {"installed": installed, "modules": modules, "keras_backend": backend}
    return dict({"python": python, "env": env or {}}, **more)


def without(*names):
    return {name: version for name, version in BOTH.items() if name not in names}


@pytest.mark.parametrize(
    "there, asked, framework",
    [
        # The argument.
        (host(), "tensorflow", "tensorflow"),
        (host(), "jax", "jax"),
        (host(env={"KERAS_BACKEND": "jax"}), "tensorflow", "tensorflow"),
        (host(env={"KERAS_BACKEND": "jax"}, loaded=["keras"], backend="jax"), "torch", "torch"),
        (host(without("jax")), "jax", None),
        (host(without("tensorflow")), "tensorflow", None),
        # What is imported: Keras with its backend,
        (host(loaded=["tensorflow", "keras", "jax"], backend="jax", env={"KERAS_BACKEND": "torch"}), None, "jax"),
        (host(loaded=["torch", "keras"], backend="tensorflow"), "keras", "tensorflow"),
        (host(dict(BOTH, keras="2.15.0"), loaded=["keras"], env={"KERAS_BACKEND": "jax"}), None, "tensorflow"),
        # a library alone,
        (host(loaded=["tensorflow"], env={"KERAS_BACKEND": "jax"}), None, "tensorflow"),
        (host(loaded=["torch"]), None, "torch"),
        (host(loaded=["torch"]), "keras", "tensorflow"),
        (host(loaded=["jax"], **SETTINGS), None, "jax"),
        # of several the one that Keras would take, else the first.
        (host(loaded=["tensorflow", "torch"], **SETTINGS), None, "torch"),
        (host(loaded=["tensorflow", "jax"], env={"KERAS_BACKEND": "jax"}), None, "jax"),
        (host(loaded=["jax", "torch"]), None, "jax"),
        (host(loaded=["tensorflow", "tf_keras", "jax"]), None, "tensorflow"),
        # KERAS_BACKEND, keras.json.
        (host(), None, "tensorflow"),
        (host(env={"KERAS_BACKEND": "jax"}), None, "jax"),
        (host(env={"KERAS_BACKEND": "jax"}, **SETTINGS), "keras", "jax"),
        (host(env={"KERAS_BACKEND": "openvino"}), None, "tensorflow"),
        (host(without("jax"), env={"KERAS_BACKEND": "jax"}), None, "tensorflow"),
        (host(**SETTINGS), None, "torch"),
        (host(env={"TF_USE_LEGACY_KERAS": "1"}, **SETTINGS), None, "tensorflow"),
        (host(env={"TF_USE_LEGACY_KERAS": "1", "KERAS_BACKEND": "jax"}), None, "jax"),
        # Keras 2 has no other backend than TensorFlow; without any Keras no one reads the variable.
        (host(dict(BOTH, keras="2.15.0"), env={"KERAS_BACKEND": "jax"}), None, "tensorflow"),
        (host(dict(BOTH, keras="2.15.0"), **SETTINGS), None, "tensorflow"),
        (host(without("keras"), env={"KERAS_BACKEND": "jax"}), None, "tensorflow"),
        # What is installed.
        (host({"jax": "0.7.0", "keras": "3.11.3"}), None, "jax"),
        (host({"jax": "0.7.0", "torch": "2.8.0"}), None, "jax"),
        (host({"torch": "2.8.0", "keras": "3.11.3"}), "keras", "torch"),
        (host({"tensorflow-directml": "1.15.8"}), None, "tensorflow1"),
        (host({"tensorflow-directml": "1.15.8"}), "any", "tensorflow1"),
        (host({}), None, None),
        (host({}), "any", None),
    ],
)
def test_which_framework_is_meant(make_machine, there, asked, framework):
    assert choose_framework(read_machine(make_machine(**there)), asked) == framework


GPU, NO_GPU = Candidate("gpu:0", "cuda", "L4", True, memory_bytes=24 << 30), Candidate("gpu:0", "", "L4", False)
CPU = Candidate("cpu", "cpu", "Xeon", True)


def decide(make_machine, there, asked, request="auto", gpus=("jax",)):
    """Choose on a machine where only these frameworks can use its GPU."""
    found = read_machine(make_machine(**there))
    devices = tuple((name, (GPU if name in gpus else NO_GPU, CPU)) for name in ("tensorflow", "jax", "torch"))
    diagnosis = Diagnosis(candidates=devices[0][1], by_framework=devices)
    return choose(found, diagnosis, parse_request(request), Criteria(asked))


def codes(plan):
    return [finding.code for finding in plan.findings]


@pytest.mark.parametrize(
    "there, asked, framework, device, environment",
    [
        (host(), "any", "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(**SETTINGS), "any", "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(loaded=["tensorflow"]), "any", "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(without("keras")), "any", "jax", "gpu:0", ()),
        # No one asked for another one.
        (host(), None, "tensorflow", "cpu", ()),
        (host(), "keras", "tensorflow", "cpu", ()),
        (host(), "tensorflow", "tensorflow", "cpu", ()),
        # Where one is named, Keras is told.
        (host(), "jax", "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(), "torch", "torch", "cpu", (("KERAS_BACKEND", "torch"),)),
        (host(**SETTINGS), "tensorflow", "tensorflow", "cpu", (("KERAS_BACKEND", "tensorflow"),)),
        (host(without("tensorflow")), "keras", "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(without("tensorflow")), None, "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        # Keras writes its default into the file at its first import; what else it names is another user's wish.
        (host(without("tensorflow"), **WRITTEN), None, "jax", "gpu:0", (("KERAS_BACKEND", "jax"),)),
        (host(without("tensorflow", "torch"), **SETTINGS), None, "jax", "gpu:0", ()),
        (host(env={"KERAS_BACKEND": "jax"}), "jax", "jax", "gpu:0", ()),
        (host(loaded=["keras"], backend="jax"), "jax", "jax", "gpu:0", ()),
    ],
)
def test_another_framework_and_what_keras_is_told(make_machine, there, asked, framework, device, environment):
    plan = decide(make_machine, there, asked)
    assert (plan.framework, plan.device, plan.environment) == (framework, device, environment)
    assert "keras-backend-differs" not in codes(plan)
    assert plan.memory_bytes == (24 << 30 if device == "gpu:0" else None)


@pytest.mark.parametrize(
    "there, asked, framework, evidence",
    [
        (host(env={"KERAS_BACKEND": "tensorflow"}), "any", "tensorflow", "KERAS_BACKEND=tensorflow"),
        (host(loaded=["keras"], backend="torch"), "any", "torch", "it was imported with the backend torch"),
        (host(dict(BOTH, keras="2.15.0")), "any", "tensorflow", "Keras before 3 computes with TensorFlow only"),
        (host(env={"KERAS_BACKEND": "torch"}), "jax", "jax", "KERAS_BACKEND=torch"),
        (host(loaded=["keras"], backend="tensorflow"), "jax", "jax", "it was imported with the backend tensorflow"),
    ],
)
def test_keras_stays_where_the_user_or_its_import_has_put_it(make_machine, there, asked, framework, evidence):
    plan = decide(make_machine, there, asked)
    (finding,) = [finding for finding in plan.findings if finding.code == "keras-backend-differs"]
    assert (plan.framework, plan.environment, finding.severity) == (framework, (), "warning")
    assert finding.evidence[0].text == evidence
    assert finding.fix[-1].command == (None if "before 3" in evidence else "export KERAS_BACKEND=jax")


def test_any_stays_where_nothing_is_gained(make_machine):
    assert decide(make_machine, host(), "any", gpus=("tensorflow", "jax")).framework == "tensorflow"
    assert decide(make_machine, host(), "any", gpus=()).framework == "tensorflow"
    assert decide(make_machine, host(), "any", request="cpu").framework == "tensorflow"
    assert decide(make_machine, host(), "any", request="rocm").framework == "tensorflow"
    assert decide(make_machine, host(), "any", request="gpu:1").framework == "tensorflow"
    assert decide(make_machine, host(without("jax")), "any").framework == "tensorflow"
    assert decide(make_machine, host(), "any", gpus=("torch",)).framework == "torch"


def test_a_framework_that_is_not_there_is_named(make_machine):
    there = read_machine(make_machine(**host(without("jax"))))
    selection = select_device(machine=there, framework="jax")
    assert (selection.device, selection.framework, selection.fallback) == ("cpu", None, True)
    assert selection.findings[0].code == "framework-missing"
    assert selection.reason == "JAX was asked for and is not installed in this Python environment"


def test_a_framework_that_is_not_set_up_is_left_alone(make_machine):
    installed = dict(BOTH, openvino="2025.1")
    there = read_machine(make_machine(**host(installed, env={"KERAS_BACKEND": "numpy"})))
    selection = select_device(machine=there)
    assert (selection.device, selection.framework, selection.fallback) == ("auto", "numpy", False)
    assert selection.findings[0].code == "framework-unsupported"
    assert select_device("gpu", machine=there).fallback
    assert select_device(machine=there, framework="jax").framework == "jax"


@pytest.mark.parametrize(
    "name, asked, framework, device, verify",
    [
        ("linux-nvidia-jax-cuda12", None, "jax", "gpu:0", True),
        ("linux-nvidia-jax-cpu-only", None, "jax", "cpu", False),
        ("linux-nvidia-torch-cu126", None, "torch", "gpu:0", True),
        ("linux-nvidia-torch-cpu", None, "torch", "cpu", False),
        ("linux-nvidia-tensorflow-cpu-and-torch", None, "tensorflow", "cpu", False),
        ("linux-nvidia-tensorflow-cpu-and-torch", "any", "torch", "gpu:0", True),
        ("linux-tpu-jax", None, "jax", "tpu:0", True),
        ("macos-apple-silicon-torch-mps", None, "torch", "gpu:0", True),
    ],
)
def test_whole_machines_with_other_frameworks(name, asked, framework, device, verify):
    there = machine(name)
    plan = choose(there, run_rules(there, Matrix()), parse_request("auto"), Criteria(asked))
    assert (plan.framework, plan.device, plan.verify) == (framework, device, verify)
    assert plan.environment == ((("KERAS_BACKEND", "torch"),) if asked == "any" else ())


def test_what_keeps_a_framework_from_the_gpu_counts_when_it_is_asked_for(make_machine):
    remark = Finding("cuda-library-missing", "info", "JAX finds no CUDA.", blocks=("jax.cuda",))
    blocked = GPU.replace(usable=False, blocked_by=("cuda-library-missing",))
    devices = tuple((name, (blocked if name == "jax" else NO_GPU, CPU)) for name in ("tensorflow", "jax", "torch"))
    diagnosis = Diagnosis((remark,), devices[0][1], by_framework=devices)
    found = read_machine(make_machine(**host()))
    plan = choose(found, diagnosis, parse_request("auto"), Criteria("jax"))
    assert (plan.device, plan.fallback, plan.cause) == ("cpu", True, remark)
    assert not choose(found, diagnosis, parse_request("auto")).fallback


TPU = Candidate("tpu:0", "tpu", "TPU v5e", True)


def test_a_tpu_is_for_jax(make_machine):
    found = read_machine(make_machine(**host()))
    devices = tuple((name, (TPU, CPU)) for name in ("tensorflow", "jax", "torch"))
    diagnosis = Diagnosis(candidates=(TPU, CPU), by_framework=devices)
    for request, framework, device in (
        ("auto", "jax", "tpu:0"), ("tpu", "jax", "tpu:0"), ("tpu:0", "jax", "tpu:0"), ("gpu", "jax", "cpu"),
        ("auto", "tensorflow", "cpu"), ("tpu", "torch", "cpu"),
    ):  # fmt: skip
        assert choose(found, diagnosis, parse_request(request), Criteria(framework)).device == device
    assert choose(found, diagnosis, parse_request("auto"), Criteria("jax", exclude=["tpu"])).device == "cpu"


def test_errors_of_the_past_are_counted_in_words():
    made = machine("linux-nvidia-one-gpu")
    xids = (Xid("0000:01:00.0", 43, 1), Xid("0000:01:00.0", 31, 2))
    made = made.replace(driver=made.driver.replace(xids=Fact.of(xids, source="the kernel's log")))
    said = [item.summary for item in diagnose(made).findings if item.code == "driver-unhealthy"]
    assert any("an error once since" in text and "(Xid 43)" in text for text in said)
    assert any("an error 2 times since" in text and "(Xid 31)" in text for text in said)
