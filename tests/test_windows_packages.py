"""Windows' wheels of TensorFlow: empty ones that require another at their version."""

import devicekit
from devicekit.machine.probe import read_machine


def codes(make_machine, **installed):
    packages = {name.replace("_", "-"): version for name, version in installed.items()}
    python = {"version": "3.10.11", "installed": dict(packages, numpy="1.26.4", protobuf="3.19.6", keras="2.10.0")}
    return devicekit.diagnose(read_machine(make_machine(system="windows", python=python))).by_code(
        "distributions-conflict"
    )


def test_an_empty_wheel_next_to_what_it_requires_is_no_conflict(make_machine):
    assert codes(make_machine, tensorflow_cpu="2.10.0", tensorflow_intel="2.10.0") is None
    assert codes(make_machine, tensorflow="2.10.0", tensorflow_intel="2.10.0") is None


def test_a_whole_wheel_of_another_release_is_one(make_machine):
    finding = codes(make_machine, tensorflow_cpu="2.9.3", tensorflow_intel="2.10.0")
    assert "tensorflow-cpu 2.9.3 and tensorflow-intel 2.10.0" in finding.summary


def test_several_builds_of_onnxruntime_share_a_folder(make_machine):
    assert codes(make_machine, tensorflow="2.10.0", onnxruntime="1.17.3") is None
    # They are in conflict without a framework, too.
    assert "onnxruntime-gpu" in codes(make_machine, onnxruntime="1.17.3", onnxruntime_gpu="1.16.3").summary
    finding = codes(make_machine, tensorflow="2.10.0", onnxruntime="1.17.3", onnxruntime_gpu="1.16.3")
    assert "onnxruntime-gpu 1.16.3 and onnxruntime 1.17.3" in finding.summary
    assert finding.fix[0].packages.install == ("onnxruntime-gpu",)
    finding = codes(make_machine, tensorflow="2.10.0", onnxruntime_gpu="1.16.3", onnxruntime_directml="1.17.3")
    assert finding.fix[0].packages.install == ("onnxruntime-directml",)
