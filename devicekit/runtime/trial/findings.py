"""Turns the result of a self-test or an operation into a finding that names the root cause. Pure."""

import re
from typing import List, Optional, Sequence, Tuple

from ...diagnosis.commands import this_shell
from ...diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ...diagnosis.frameworks import TITLES
from ...logs.context import Known
from ...logs.engine import read_log
from ...logs.scrub import scrub
from ...selection.plan import Plan
from .result import Trial

#: Vendors of the GPUs that a platform drives: what a log says of a missing library only counts where there is a GPU.
_VENDORS = {"cuda": "nvidia", "rocm": "amd", "metal": "apple", "xpu": "intel"}

#: What lists the devices.
_LISTING = {
    "tensorflow": ("python", "-c", "import tensorflow as tf; print(tf.config.list_physical_devices())"),
    "jax": ("python", "-c", "import jax; print(jax.devices())"),
    "torch": ("python", "-c", "import torch; print(torch.cuda.is_available(), torch.cuda.device_count())"),
}

#: What is computed at each stage of a self-test.
_OPERATIONS = {
    "product": "a matrix product",
    "elementwise": "an elementwise operation",
    "random": "a random operation",
    "convolution": "a convolution",
    "train": "a training step",
}

#: Says no more than what the trial showed already.
_NOTHING_NEW = ("framework-broken", "no-gpu")


def _explained(text: str, plan: Plan, blocks: Tuple[str, ...], severity: str) -> Optional[Finding]:
    """Return what `explain` says of a text, where it names a cause or a clear symptom."""
    known = Known()
    known.vendors = {_VENDORS.get(plan.platform, "other")}
    found = read_log(text, known, "trial's output")
    if not found.certain:
        return None
    finding = next((item for item in found.findings if item.code not in _NOTHING_NEW), None)
    return None if finding is None else finding.replace(severity=severity, blocks=blocks)


def judge_error(error: str, message: str, plan: Plan, stage: str, output: str = "") -> Finding:
    """Return the finding for an exception that an operation on the device raised."""
    text = "%s: %s" % (error, scrub(message.strip()))
    if error == "ArithmeticError":
        return _wrong(plan, message, stage)
    if error == "NoKernel":
        title = TITLES[name_of(plan.framework)]
        return _finding(
            "op-unsupported",
            "The %s has no kernel for %s in this %s." % (_label(plan), _OPERATIONS.get(stage, stage), title),
            plan,
            message,
            (Fix("Bring the device's plug-in to the version that this %s needs" % title),),
        )
    blocks = plan.device_names
    found = _explained("%s\n%s" % (text, output), plan, blocks, "warning")
    if found is not None:
        return _at_stage(found, plan, stage)
    if plan.framework == "jax" and not plan.indices:
        return Kind("environment-variable-fatal", "warning").finding(
            "JAX cannot start the platforms in JAX_PLATFORMS, and the CPU is not among them.",
            _evidence(text, ()),
            (
                this_shell().unset_fix("JAX_PLATFORMS", "Let JAX choose"),
                this_shell().set_fix("Leave it the CPU", "JAX_PLATFORMS", "cpu", instead=True),
            ),
        )
    return _finding(
        "driver-unhealthy",
        "The %s is present, but %s on it fails." % (_label(plan), _operation(stage)),
        plan,
        text,
        (
            this_shell().restart_fix("Restart the machine"),
            Fix("If it happens again, update the device's driver", who="admin", changes="driver"),
        ),
    )


def judge_trial(trial: Trial, plan: Plan) -> Finding:
    """Return the finding for a trial that did not work, with what did work on the device."""
    finding = _judged(trial, plan)
    done = [_OPERATIONS[name] for name in trial.passed if name in _OPERATIONS]
    if trial.stage not in _OPERATIONS or not done:
        return finding
    return finding.replace(evidence=(*finding.evidence, Evidence("worked before: %s" % ", ".join(done), "trial")))


def _judged(trial: Trial, plan: Plan) -> Finding:
    output = _last_lines(trial.output)
    if trial.outcome == "wrong":
        return _wrong(plan, trial.detail, trial.stage)
    if trial.stage in ("start", "import"):
        text = "%s: %s\n%s" % (trial.error, trial.detail, trial.output)
        name = name_of(plan.framework)
        found = _explained(text, plan, (name, "keras"), "error")
        if found is not None:
            return found
        return Kind("framework-broken", "error", (name, "keras")).finding(
            "Importing %s does not work here: %s." % (TITLES[name], trial.detail or trial.error),
            _evidence(trial.detail, output),
            (Fix("Reinstall it in a fresh environment", changes="packages"),),
        )
    if trial.error == "NoDevice":
        return nothing_listed(plan, trial.devices, output)
    if trial.outcome == "raised":
        return judge_error(trial.error, trial.detail, plan, trial.stage, trial.output)
    found = _explained(trial.output, plan, plan.device_names, "warning")
    if found is not None:
        return _at_stage(found, plan, trial.stage)
    if trial.stage == "list":
        verb = "listing the devices"
    else:
        verb = "%s on the %s" % (_operation(trial.stage), _label(plan))
    ending = "hangs" if trial.outcome == "hung" else "kills the process"
    code = "driver-unhealthy" if trial.stage == "list" else "device-lost"
    summary = "%s %s: %s." % (verb[0].upper() + verb[1:], ending, trial.detail)
    fixes = (
        Fix("Update the device's driver", who="admin", changes="driver"),
        this_shell().restart_fix("Restart the machine"),
    )
    finding = _finding(code, summary, plan, trial.detail, fixes)
    return Finding(
        finding.code, finding.severity, finding.summary, _evidence(trial.detail, output), finding.fix, finding.blocks
    )


def nothing_listed(plan: Plan, listed: Sequence[str], output: Sequence[str] = ()) -> Finding:
    """Return the finding for a framework that does not list the device that was expected."""
    seen = ", ".join(listed) or "no accelerator"
    name = name_of(plan.framework)
    return _finding(
        "driver-unhealthy",
        "%s does not list the %s that this machine seems to have." % (TITLES[name], _label(plan)),
        plan,
        "listed: %s" % seen,
        (this_shell().run_fix("Read what %s says of it" % TITLES[name], *_LISTING[name]),),
        output,
    )


def _operation(stage: str) -> str:
    """What failed; a self-test begins with a product, and without one nothing else is tried."""
    return _OPERATIONS[stage] if stage in _OPERATIONS and stage != "product" else "the first operation"


def _at_stage(finding: Finding, plan: Plan, stage: str) -> Finding:
    """Say which operation failed on a device that has computed others."""
    if stage not in _OPERATIONS or stage == "product":
        return finding
    operation = _OPERATIONS[stage].partition(" ")[2].capitalize()
    return finding.replace(summary="%s on the %s: %s" % (operation, _label(plan), finding.summary))


def _wrong(plan: Plan, message: str, stage: str) -> Finding:
    place = " in %s" % _OPERATIONS[stage] if stage in _OPERATIONS else ""
    return _finding(
        "numerics-divergent",
        "The %s computes wrong results%s." % (_label(plan), place),
        plan,
        message,
        (Fix("Update the device's driver; do not train on it as it is", who="admin", changes="driver"),),
    )


def _label(plan: Plan) -> str:
    return "%s (%s)" % (plan.device, plan.name) if plan.name else plan.device


def _finding(
    code: str, summary: str, plan: Plan, seen: str, fix: Tuple[Fix, ...], output: Sequence[str] = ()
) -> Finding:
    blocks = plan.device_names
    return Finding(code, "warning", summary, _evidence(seen, output), fix, blocks)


def _evidence(seen: str, output: Sequence[str]) -> Tuple[Evidence, ...]:
    evidence = [Evidence(seen[:1000], "trial")] if seen else []
    return tuple(evidence + [Evidence(line, "trial's output") for line in output])


def _last_lines(output: str) -> List[str]:
    """The last lines that say what went wrong, without the notices of a normal start."""
    lines = [
        scrub(line.strip())
        for line in output.splitlines()
        if re.search(r"[EFW] |rror|HRESULT|Check failed|abort", line)
    ]
    return [line[:300] for line in lines[-3:]]
