"""Choosing among the devices of a machine; pure, on simulated machines."""

import os

import pytest

from devicekit import select_device
from devicekit.choose import why_not
from devicekit.framework_choice import choose_framework
from devicekit.matrix import Matrix
from devicekit.probe import read_machine
from devicekit.rules import diagnose
from devicekit.simulated import SimulatedHost

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


def test_exclude_policy_and_memory():
    assert select_device(machine=SERVER, exclude=["gpu:0", "gpu:1"]).device == "gpu:2"
    assert select_device("gpu", machine=SERVER, exclude=["cuda"]).device == "cpu"
    assert select_device(machine=SERVER, policy=lambda candidates: candidates[-1]).device == "gpu:7"
    assert select_device(machine=SERVER, policy="index").device == "gpu:0"
    windows = machine("windows-amd-directml-plugin")  # 12 GB, as the registry says
    assert select_device("gpu", machine=windows, min_memory="8GiB").device == "gpu:0"
    assert select_device("gpu", machine=windows, min_memory="16GiB").device == "cpu"


@pytest.mark.parametrize(
    "options",
    [
        {"policy": "fastest-of-all"},
        {"exclude": "gpu:0"},
        {"exclude": ["banana"]},
        {"min_memory": "lots"},
        {"framework": "caffe"},
    ],
)
def test_wrong_use_says_what_is_accepted(options):
    with pytest.raises(ValueError, match="accepted are|not the string|such as '8GiB'"):
        select_device(machine=SERVER, **options)


def test_the_user_s_restriction_is_kept():
    restricted = machine("linux-nvidia-restricted")
    assert select_device("gpu:1", machine=restricted).device == "gpu:1"
    assert select_device("gpu:2", machine=restricted).device == "cpu"  # only two of the four are left
    hidden = select_device("gpu", machine=machine("linux-nvidia-hidden"))
    assert (hidden.device, hidden.findings[0].code) == ("cpu", "device-hidden")


def test_why_not():
    matrix = Matrix()
    assert why_not(diagnose(SERVER, matrix), "gpu:0") == ()
    (finding,) = why_not(diagnose(machine("linux-nvidia-driver-missing"), matrix), "cuda")
    assert finding.code == "driver-missing"
    assert why_not(diagnose(machine("linux-no-gpu"), matrix), "gpu")[0].code == "no-gpu"
    with pytest.raises(ValueError, match="accepted are"):
        why_not(diagnose(SERVER, matrix), "banana")


BOTH = {"tensorflow": "2.20.0", "keras": "3.11.3", "jax": "0.7.0", "torch": "2.8.0", "numpy": "2.1.3"}


@pytest.mark.parametrize(
    "host, asked, framework",
    [
        ({"python": {"installed": BOTH}}, None, "tensorflow"),
        ({"python": {"installed": BOTH}, "env": {"KERAS_BACKEND": "jax"}}, None, "jax"),
        ({"python": {"installed": BOTH}, "env": {"KERAS_BACKEND": "jax"}}, "tensorflow", "tensorflow"),
        ({"python": {"installed": BOTH}, "env": {"KERAS_BACKEND": "openvino"}}, None, "tensorflow"),
        (
            {"python": {"installed": BOTH, "modules": [["tensorflow", "2.20.0"]]}, "env": {"KERAS_BACKEND": "jax"}},
            None,
            "tensorflow",
        ),
        (
            {"python": {"installed": BOTH}, "home": "/h", "files": {"/h/.keras/keras.json": '{"backend": "torch"}'}},
            None,
            "torch",
        ),
        ({"python": {"installed": {"jax": "0.7.0", "keras": "3.11.3"}}}, None, "jax"),
        ({"python": {"installed": {"tensorflow-directml": "1.15.8"}}}, None, "tensorflow1"),
        ({"python": {"installed": {}}}, None, None),
    ],
)
def test_which_framework_is_meant(make_machine, host, asked, framework):
    assert choose_framework(read_machine(make_machine(**host)), asked) == framework


def test_a_framework_that_is_not_set_up_yet_is_left_alone(make_machine):
    there = read_machine(make_machine(python={"installed": BOTH}, env={"KERAS_BACKEND": "jax"}))
    selection = select_device(machine=there)
    assert (selection.device, selection.framework, selection.fallback) == ("auto", "jax", False)
    assert selection.findings[0].code == "framework-unsupported"
    assert select_device("gpu", machine=there).fallback
