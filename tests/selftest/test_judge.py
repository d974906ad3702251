"""From what a trial showed to a finding: it names the framework that was tried."""

import pytest

from devicekit.runtime.trial.findings import judge_error, judge_trial
from devicekit.runtime.trial.result import Trial
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
    finding = judge_error("RuntimeError", message, plan("jax", ()), "compute")
    assert (finding.code, finding.blocks) == ("environment-variable-fatal", ())
    assert finding.fix[0].command == "unset JAX_PLATFORMS"
    assert "unable to initialize" in finding.evidence[0].text.lower()
