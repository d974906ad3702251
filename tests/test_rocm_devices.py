"""Which AMD GPUs ROCm's variables leave, and in which order: what its runtime and HIP make of each value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.diagnosis.rules.rocm_devices import target_of, visible_gpus
from devicekit.machine.facts import AmdGpu, Fact, Process
from devicekit.matrix.matrix import BUNDLED
from devicekit.matrix.queries import has_code_for

#: Two with a serial number, one without.
GPUS = (
    AmdGpu("a", "gfx90a", uuid="GPU-4f2a5a1b7c3d9e10", node=1),
    AmdGpu("b", "gfx908", uuid="GPU-4f2a5a1b00000001", node=2),
    AmdGpu("c", "gfx1036", node=3),
)


def process(**environ):
    return Process(tuple(sorted(environ.items())), (), Fact.absent(), Fact.absent())


def left(**environ):
    return visible_gpus(GPUS, process(**environ)).indices


@pytest.mark.parametrize(
    "value, indices",
    [
        ("0", (0,)), ("2,0", (2, 0)), ("0,1,2,0", (0, 1, 2)), (" 1 , 0", (1, 0)), ("0,0,1", (0,)), ("1,7,0", (1,)),
        ("0x1", (1,)), ("01", (1,)), ("+2", (2,)), ("-0", (0,)), ("08", ()), ("1.0", ()), ("a", ()), ("-1", ()), ("", ()),
        (",0", ()), ("GPU-4f2a5a1b7", (0,)), ("gpu-4F2A5A1B0,0", (1, 0)), ("GPU-4f2a", ()), ("GPU-", ()), ("GPU-XX", ()),
        ("GPU-4f2a5a1b7c3d9e100", ()), ("G", ()), ("2,1,0,x", (2, 1, 0)),
    ],
)  # fmt: skip
def test_what_the_runtime_leaves(value, indices):
    visible = visible_gpus(GPUS, process(ROCR_VISIBLE_DEVICES=value))
    assert visible.indices == indices
    assert visible.hidden_by == ("" if indices else "ROCR_VISIBLE_DEVICES")


@pytest.mark.parametrize(
    "value, indices",
    [
        ("0", (0,)), ("2,0", (2, 0)), ("0,0,1", (0, 1)), ("1,7,0", (1,)), ("1,", (1,)), ("", (0, 1, 2)), (" 0", ()),
        ("01", ()), ("-1", ()), ("1,,0", (1,)), ("GPU-4f2a", (0,)), ("GPU-4F2A", ()), ("GPU-XX,0", (2, 0)), ("none", ()),
        ("GPU-4f2a5a1b00000001", (1,)),
    ],
)  # fmt: skip
def test_what_hip_leaves(value, indices):
    assert left(HIP_VISIBLE_DEVICES=value) == indices
    assert left(CUDA_VISIBLE_DEVICES=value) == indices


def test_hip_counts_what_the_runtime_left():
    assert left(ROCR_VISIBLE_DEVICES="2,1", HIP_VISIBLE_DEVICES="1") == (1,)
    hidden = visible_gpus(GPUS, process(ROCR_VISIBLE_DEVICES="1", HIP_VISIBLE_DEVICES="1"))
    assert hidden == ((), "HIP_VISIBLE_DEVICES")


def test_which_variable_counts():
    assert left(HIP_VISIBLE_DEVICES="1", CUDA_VISIBLE_DEVICES="0") == (1,)
    assert left(HIP_VISIBLE_DEVICES="", CUDA_VISIBLE_DEVICES="2") == (2,)
    assert left(GPU_DEVICE_ORDINAL="1") == (0, 1, 2)
    assert visible_gpus((), process(ROCR_VISIBLE_DEVICES="")) == ((), "")


@given(st.text("0123456789,-x GPU", max_size=12), st.text("0123456789,-x GPU", max_size=12))
def test_no_value_does_harm(runtime, hip):
    visible = visible_gpus(GPUS, process(ROCR_VISIBLE_DEVICES=runtime, HIP_VISIBLE_DEVICES=hip))
    assert len(set(visible.indices)) == len(visible.indices) <= 3
    assert bool(visible.hidden_by) == (not visible.indices)


@pytest.mark.parametrize(
    "environ, target",
    [
        ({}, "gfx90a"), ({"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, "gfx1030"),
        ({"HSA_OVERRIDE_GFX_VERSION": "9.0.10"}, "gfx90a"),
        ({"HSA_OVERRIDE_GFX_VERSION_1": "11.0.0", "HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, "gfx1100"),
        ({"HSA_OVERRIDE_GFX_VERSION_2": "11.0.0"}, "gfx90a"), ({"HSA_OVERRIDE_GFX_VERSION": "gfx1030"}, None),
        ({"HSA_OVERRIDE_GFX_VERSION": "10.3"}, None), ({"HSA_OVERRIDE_GFX_VERSION": "64.0.0"}, None),
        ({"HSA_OVERRIDE_GFX_VERSION": "10.3.0 "}, None),
    ],
)  # fmt: skip
def test_what_rocm_takes_a_gpu_for(environ, target):
    assert target_of(GPUS[0], process(**environ)) == target


def test_a_gpu_is_offered_what_runs_on_it():
    """What `resolve` offers, `has_code_for` and the rules agree with: one table."""
    wrong = []
    project = BUNDLED.project("tensorflow-rocm")
    for version in project.versions:
        row = BUNDLED.rocm(version)
        for target in ("gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100"):
            answer = has_code_for("tensorflow-rocm", version, target)
            if (answer.status == "compatible") != (target in row.gfx):
                wrong.append((version, target, answer))
    assert not wrong
    assert has_code_for("tensorflow-rocm", "2.14.0.600", "gfx1100").status == "incompatible"
    assert has_code_for("tensorflow", "2.20.0", "gfx1100").status == "unknown"


def test_every_release_says_on_what_it_runs():
    assert not [version for version in BUNDLED.project("tensorflow-rocm").versions if not BUNDLED.rocm(version).gfx]
