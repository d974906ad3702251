"""From what a trial showed to a finding: it names the framework that was tried."""

import os

import pytest

from devicekit.runtime.trial.findings import judge_error, judge_trial
from devicekit.runtime.trial.result import COMPUTING, Trial
from devicekit.selection.plan import Plan
from devicekit.selection.request import parse_request

TITLES = {"tensorflow": "TensorFlow", "tensorflow1": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}


def plan(framework, indices=(0,)):
    return Plan(parse_request("gpu"), framework, "gpu:0", "cuda", "NVIDIA L4", indices)


@pytest.mark.parametrize("framework", sorted(TITLES))
def test_the_framework_is_named(framework):
    name = "tensorflow" if framework == "tensorflow1" else framework
    broken = judge_trial(Trial("raised", "import", "no such symbol: frobnicate", "ImportError"), plan(framework))
    assert (broken.code, broken.severity, broken.blocks) == ("framework-broken", "error", (name, "keras"))
    assert broken.summary.startswith("Importing %s does not work here" % TITLES[framework])
    missing = judge_trial(Trial("raised", "list", "no such accelerator is listed", "NoDevice"), plan(framework))
    assert missing.summary.startswith("%s does not list the gpu:0 (NVIDIA L4)" % TITLES[framework])
    assert ("import %s" % name) in missing.fix[0].command
    assert missing.blocks == ("gpu:0",)


def test_platforms_that_jax_cannot_start_are_no_fault_of_a_device():
    message = "Unable to initialize backend 'cuda': (set JAX_PLATFORMS='' to automatically choose an available backend)"
    finding = judge_error("RuntimeError", message, plan("jax", ()), "product")
    assert (finding.code, finding.blocks) == ("environment-variable-fatal", ())
    assert finding.fix[0].command == ("Remove-Item Env:JAX_PLATFORMS" if os.name == "nt" else "unset JAX_PLATFORMS")
    assert "unable to initialize" in finding.evidence[0].text.lower()


#: Of an NVIDIA L4: how far a self-test came, how it failed, and the finding's code and summary.
STAGES = [
    (
        Trial("raised", "elementwise", "no kernel image is available for execution on the device", "RuntimeError"),
        "compute-capability-unsupported",
        "Elementwise operation on the gpu:0 (NVIDIA L4): This build has no code for the GPU's compute capability.",
    ),
    (
        Trial("raised", "elementwise", "it has no kernel on the device: it ran on CPU:0", "NoKernel"),
        "op-unsupported",
        "The gpu:0 (NVIDIA L4) has no kernel for an elementwise operation in this TensorFlow.",
    ),
    (
        Trial("wrong", "random", "random numbers from 0 to 1 have a variance of 0 instead of 0.083", "Wrong"),
        "numerics-divergent",
        "The gpu:0 (NVIDIA L4) computes wrong results in a random operation.",
    ),
    (
        Trial("raised", "convolution", "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "RuntimeError"),
        "cudnn-version-mismatch",
        "Convolution on the gpu:0 (NVIDIA L4): cuDNN could not start: ",
    ),
    (
        Trial("raised", "convolution", "something that no one has seen", "InternalError"),
        "driver-unhealthy",
        "The gpu:0 (NVIDIA L4) is present, but a convolution on it fails.",
    ),
    (
        Trial("hung", "convolution", "no answer within 90 s"),
        "device-lost",
        "A convolution on the gpu:0 (NVIDIA L4) hangs: no answer within 90 s.",
    ),
    (
        Trial("raised", "train", "libdevice not found at ./libdevice.10.bc", "InternalError"),
        "xla-toolchain-missing",
        "Training step on the gpu:0 (NVIDIA L4): XLA cannot find libdevice",
    ),
    (
        Trial("died", "train", "it was ended by signal SIGABRT"),
        "device-lost",
        "A training step on the gpu:0 (NVIDIA L4) kills the process: it was ended by signal SIGABRT.",
    ),
    (
        Trial("died", "product", "it was ended by signal SIGSEGV"),
        "device-lost",
        "The first operation on the gpu:0 (NVIDIA L4) kills the process: it was ended by signal SIGSEGV.",
    ),
]


@pytest.mark.parametrize("trial, code, summary", STAGES, ids=["%s %s" % (row[0].stage, row[1]) for row in STAGES])
def test_the_stage_is_named_with_what_works(trial, code, summary):
    finding = judge_trial(trial.replace(passed=("start", "import", "list", *before(trial.stage))), plan("tensorflow"))
    assert (finding.code, finding.blocks) == (code, ("gpu:0",))
    assert finding.summary.startswith(summary)
    worked = [item.text for item in finding.evidence if item.text.startswith("worked before: ")]
    if trial.stage == "product":
        assert worked == []
    else:
        assert worked[0].startswith("worked before: a matrix product")
        assert ("a random operation" in worked[0]) == (trial.stage in ("convolution", "train"))


def before(stage):
    return COMPUTING[: COMPUTING.index(stage)]
