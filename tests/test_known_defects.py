"""Every row of ``defects.json`` on a machine that it applies to, and on one that it just does not.

Whole machines stand in ``machines``; these are variants of them.
"""

import json
import os
import re

import pytest
from recorded_machines import FOLDER

from devicekit import diagnose
from devicekit.diagnosis.codes import code_pages
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import host_data
from devicekit.matrix.gpu_support import capability_number, code_for
from devicekit.matrix.matrix import Matrix, accepts
from devicekit.matrix.target import Target
from devicekit.selection.choose import choose
from devicekit.selection.plan import without_unproven
from devicekit.selection.request import parse_request

TWO, ONE, JAX = "linux-nvidia-two-kinds", "linux-nvidia-one-gpu", "linux-nvidia-jax-cuda12"
TORCH, METAL, MPS = "linux-nvidia-torch-cu126", "macos-apple-silicon-metal", "macos-apple-silicon-torch-mps"
ROCM = "linux-amd-rocm"


def variant(make_machine, name, installed=None, env=None, replace=(), files=()):
    """Return a machine like a recorded one: other distributions and variables, texts replaced by others."""
    text = json.dumps(host_data(os.path.join(FOLDER, name)))
    for old, new in replace:
        assert old in text, old
        text = text.replace(old, new)
    host = json.loads(text)
    host["env"].update(env or {})
    host["files"].update(files)
    host["python"]["installed"].update(installed or {})
    return read_machine(make_machine(**host))


def named(machine):
    """The names of the rows that a diagnosis says."""
    texts = [seen.text for item in diagnose(machine).findings for seen in item.evidence]
    return {row["name"] for row in Matrix()._table("defects") if any("(%s)" % row["name"] in text for text in texts)}


def nvidia(cudnn, cublas, **more):
    return dict(more, **{"nvidia-cudnn-cu12": cudnn, "nvidia-cublas-cu12": cublas})


def torch(version, **more):
    return {"installed": dict(more, torch=version), "replace": [("2.9.1", version)]}


BLACKWELL = "linux-nvidia-torch-blackwell"
B200 = [("NVIDIA GeForce RTX 5090", "NVIDIA B200")]
CU128 = [("2.6.0+cu124", "2.8.0+cu128"), ("'12.4'", "'12.8'")]
WITH_JAX = {"jax": "0.6.2", "jaxlib": "0.6.2", "jax-cuda12-plugin": "0.6.2", "jax-cuda12-pjrt": "0.6.2"}
OLD_JAX = dict.fromkeys(WITH_JAX, "0.6.1")
CUPTI = {"/venv/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12": ""}
VNNI = [("avx512f\\n", "avx512f avx512_vnni\\n")]


#: Of a PyTorch that someone has compiled for old GPUs.
OWN_BUILD = [("2.8.0+rocm6.4", "2.8.0+gitba56102")]


def polaris(target):
    """A card of AMD's under PyTorch for ROCm 6.4."""
    node = "/sys/class/kfd/kfd/topology/nodes/1/"
    text = "simd_count 144\ngfx_target_version %d\nlocation_id 768\ndomain 0\n" % target
    return {node + "properties": text, node + "gpu_id": "1\n", node + "name": "polaris10\n"}


#: The row's name, a machine that it applies to, and others that it just does not apply to.
CASES = {
    "cudnn-cublas-several-gpus": (
        (TWO, {"installed": nvidia("9.10.0.56", "12.9.0.13")}),
        (TWO, {"installed": nvidia("9.10.1.4", "12.9.0.13")}),
        (TWO, {"installed": nvidia("9.3.0.75", "12.8.4.1")}),
        (ONE, {"installed": nvidia("9.3.0.75", "12.9.0.13")}),
    ),
    "jax-refuses-several-gpus": (
        (TWO, {"installed": nvidia("9.8.0.87", "12.9.0.13", **WITH_JAX), "files": CUPTI}),
        (TWO, {"installed": nvidia("9.8.0.87", "12.9.0.13", **OLD_JAX), "files": CUPTI}),
        (TWO, {"installed": nvidia("9.10.2.21", "12.9.0.13", **WITH_JAX), "files": CUPTI}),
    ),
    "jax-refuses-cudnn-9.10.0": (
        (JAX, {"installed": nvidia("9.10.0.56", "12.9.1.4")}),
        (JAX, {"installed": nvidia("9.10.1.4", "12.9.1.4")}),
        (JAX, {"installed": nvidia("9.10.0.56", "12.9.1.4"), "env": {"JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1"}}),
    ),
    "cudnn-9.10.0": (
        (BLACKWELL, {"installed": nvidia("9.10.0.56", "12.9.1.4"), "replace": CU128}),
        (BLACKWELL, {"installed": nvidia("9.10.2.21", "12.9.1.4"), "replace": CU128}),
        (ONE, {"installed": nvidia("9.10.0.56", "12.9.1.4")}),
    ),
    "cublas-tensor-memory": (
        (BLACKWELL, {"installed": nvidia("9.16.0.29", "12.8.4.1"), "replace": CU128 + B200}),
        (BLACKWELL, {"installed": nvidia("9.16.0.29", "12.8.4.1"), "replace": CU128}),
        (BLACKWELL, {"installed": nvidia("9.16.0.29", "12.6.4.1"), "replace": CU128 + B200}),
    ),
    "cudnn-conv3d": (
        (ONE, {"installed": nvidia("9.13.0.50", "12.5.3.2")}),
        (ONE, {"installed": nvidia("9.16.0.29", "12.5.3.2")}),
        (ONE, {"installed": nvidia("9.7.1.26", "12.5.3.2")}),
    ),
    "onednn-matmul-vnni": (
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.13.1"}, "replace": VNNI}),
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.13.1"}}),
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.14.1"}, "replace": VNNI}),
        (
            "linux-no-gpu",
            {"installed": {"tensorflow-cpu": "2.13.1"}, "replace": VNNI, "env": {"TF_ENABLE_ONEDNN_OPTS": "0"}},
        ),
    ),
    "gfx803-rocblas": (
        ("linux-amd-torch-rocm", {"files": polaris(80003), "replace": OWN_BUILD}),
        ("linux-amd-torch-rocm", {"files": polaris(90000), "replace": OWN_BUILD}),
        # PyTorch's own build has no code for it, which is worse.
        ("linux-amd-torch-rocm", {"files": polaris(80003)}),
    ),
    "tensorflow-metal-training": ((METAL, {}), (METAL, {"installed": {"tensorflow-metal": "0.2.0"}})),
    "torch-mps-before-2.0": ((MPS, torch("1.13.1")), (MPS, torch("2.0.1"))),
    "torch-mps-addcmul": ((MPS, torch("2.3.1")), (MPS, torch("2.4.0"))),
    "torch-mps-long-products": ((MPS, torch("2.13.0")), (MPS, {"replace": [("Apple M2", "Apple M4")]})),
    "torch-directml-eye": (("windows-onnxruntime-twice", {}), (ONE, {})),
    "tensorflow-triton": (
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.20.0", "triton": "3.8.0"}}),
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.20.0", "triton": "3.6.0"}}),
        ("linux-no-gpu", {"installed": {"tensorflow-cpu": "2.19.1", "triton": "3.8.0"}}),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_row_is_said_where_it_applies_and_only_there(make_machine, name):
    fires, *others = CASES[name]
    assert name in named(variant(make_machine, fires[0], **fires[1]))
    for base, changes in others:
        assert name not in named(variant(make_machine, base, **changes)), changes


@pytest.mark.parametrize("chosen, imports", [("torch", False), ("tensorflow", True), ("", True)])
def test_what_keras_imports_ends_tensorflows_import(make_machine, chosen, imports):
    installed = {"tensorflow-cpu": "2.20.0", "keras": "3.12.0", "torch": "2.9.1", "triton": "3.8.0"}
    machine = variant(make_machine, "linux-no-gpu", installed=installed, env={"KERAS_BACKEND": chosen})
    diagnosis = diagnose(machine)
    status = diagnosis.framework("tensorflow")
    assert (status.will_import, status.cause) == ((True, None) if imports else (False, "known-defect"))
    assert diagnosis.framework("torch").will_import is True
    steps = [step.command for step in diagnosis.by_code("known-defect").fix if step.instead]
    assert steps == ([] if imports else ["unset KERAS_BACKEND"])


@pytest.mark.parametrize("preset", [True, False])
def test_what_the_start_of_python_sets_no_shell_unsets(make_machine, preset):
    machine = variant(make_machine, "linux-no-gpu", env={"TF_XLA_FLAGS": "--tf_no_such_flag"})
    process = machine.process.replace(preset=("TF_XLA_FLAGS",) if preset else ())
    step = diagnose(machine.replace(process=process)).by_code("environment-variable-fatal").fix[0]
    assert step.command == (None if preset else "unset TF_XLA_FLAGS")
    assert ("sitecustomize.py" in step.text) is preset


def test_every_row_has_a_case():
    # The GPU decides alone, and resolve asks as well: below.
    others = {"tensorflow-blackwell", "tensorflow-ampere-cuda10"}
    assert {row["name"] for row in Matrix()._table("defects")} == set(CASES) | others


def test_what_jax_refuses_is_not_usable_for_jax(make_machine):
    machine = variant(make_machine, JAX, installed=nvidia("9.10.0.56", "12.9.1.4"))
    diagnosis = diagnose(machine)
    gpu = diagnosis.candidates_for("jax")[0]
    assert (gpu.usable, gpu.blocked_by) == (False, ("known-defect",))
    assert diagnosis.framework("jax").devices == ("TFRT_CPU_0",)
    assert diagnosis.by_code("known-defect").fix[0].command.endswith('"nvidia-cudnn-cu12>=9.10.1,<9.11"')


def test_a_gpu_that_is_reported_to_fail_is_listed_and_only_a_self_test_makes_it_usable(make_machine):
    machine = variant(make_machine, "linux-nvidia-blackwell")
    diagnosis = diagnose(machine)
    gpu = diagnosis.candidates[0]
    assert (gpu.usable, gpu.listed, gpu.reported_to_fail) == (None, True, True)
    assert "GPU:0" in diagnosis.framework("tensorflow").devices
    finding = diagnosis.by_code("compute-capability-unsupported")
    assert finding.summary.endswith("it lists the GPU, and operations on it are reported by users to fail.")
    for text, device in (("auto", "cpu"), ("gpu:0", "gpu:0")):  # asked for by name, it is a decision of the user's
        plan = choose(machine, diagnosis, parse_request(text))
        assert (plan.device, plan.verify) == ("gpu:0", True)
        assert without_unproven(plan).device == device
    assert without_unproven(choose(machine, diagnosis, parse_request("auto"))).cause.code == finding.code


def test_a_gpu_newer_than_the_build_without_reports_is_open(make_machine):
    machine = variant(make_machine, "linux-nvidia-blackwell", replace=B200)
    gpu = diagnose(machine).candidates[0]
    assert (gpu.usable, gpu.listed, gpu.reported_to_fail) == (None, True, False)
    assert without_unproven(choose(machine, diagnose(machine), parse_request("auto"))).device == "gpu:0"
    # The wheels have machine code for Hopper and Ada.
    for name in ("NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 4090"):
        machine = variant(make_machine, "linux-nvidia-blackwell", replace=[(B200[0][0], name)])
        assert diagnose(machine).findings == ()


def test_the_page_says_which_gpus_each_release_has_machine_code_for():
    """The table of compute-capability-unsupported, against what was read from the wheels."""
    matrix, rows = Matrix(), []
    for line in code_pages()["compute-capability-unsupported"].splitlines():
        found = re.match(r"\| (2\.\d+)(?: to (2\.\d+))? \| ([\d.]+) to ([\d.]+) \|", line)
        if found is not None:
            rows.append((found.group(1), found.group(2) or found.group(1), found.group(3), found.group(4)))
    assert len(rows) == 4
    wrong = []
    for version in matrix.project("tensorflow").versions:
        for build in matrix.project("tensorflow").release(version).builds:
            covering = [row for row in rows if accepts(">=%s,<=%s.99" % row[:2], version)]
            if build.kind != "cuda" or not build.capabilities or not covering:
                continue
            for text in ("3.5", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"):
                kind = code_for(build, Target("", "linux", "x86_64", capabilities=(text,))).kind
                said = capability_number(covering[0][2]) <= capability_number(text) <= capability_number(covering[0][3])
                if (kind == "machine") != said:
                    wrong.append((version, text, kind))
    assert wrong == []


@pytest.mark.parametrize(
    "name, changes, text",
    [
        (
            "linux-nvidia-blackwell",
            [("570.124.06", "560.35.03")],
            "at least 570 is needed for compute capability 12.0.",
        ),
        (
            JAX,
            [("550.54.15", "535.104.05"), ("NVIDIA L4", "NVIDIA B200")],
            "at least 570 is needed for",
        ),
        (BLACKWELL, [*CU128, ("570.86.10", "550.54.14")], "at least 570 is needed for compute capability 12.0."),
    ],
)
def test_the_gpu_itself_needs_a_driver(make_machine, name, changes, text):
    finding = diagnose(variant(make_machine, name, replace=changes)).by_code("driver-too-old")
    assert text in finding.summary
    assert "to 570 or later" in finding.fix[0].text
