"""From what happened in a trial or an operation to a finding that names the root cause. Pure."""

import re
from typing import List, Sequence, Tuple

from ..choose import Plan
from ..findings import Evidence, Finding, Fix
from .start import Trial

__all__ = ["judge_error", "judge_trial", "nothing_listed"]

#: What an exception's text says, first match first: pattern, code, sentence, way out.
_SIGNATURES: Tuple[Tuple[str, str, str, str], ...] = (
    (
        r"no kernel image is available",
        "compute-capability-unsupported",
        "This build has no code for a GPU of this generation.",
        "Use a release of the framework that supports the GPU's compute capability",
    ),
    (
        r"ResourceExhausted|out of memory|\bOOM\b|CUDA_ERROR_OUT_OF_MEMORY|Dst tensor is not initialized",
        "out-of-memory",
        "The device's memory is exhausted: another process holds it, or too much was asked for at once.",
        "See who holds the device's memory (nvidia-smi), end it, or choose another device",
    ),
    (
        r"No OpKernel|no kernel|Could not find device for node|No registered '",
        "op-unsupported",
        "The device has no kernel for an operation as simple as a matrix product.",
        "Use another build of the framework for this device, or the CPU",
    ),
    (
        r"device (removed|lost|hung)|DXGI_ERROR_DEVICE|CUDA_ERROR_LAUNCH|CUDA_ERROR_ILLEGAL",
        "device-lost",
        "The device was lost while it computed.",
        "Restart the machine; if it happens again, update the device's driver",
    ),
)


def judge_error(error: str, message: str, plan: Plan, stage: str) -> Finding:
    """Return the finding for an exception that an operation on the device raised."""
    text = "%s: %s" % (error, message.strip())
    for pattern, code, summary, way_out in _SIGNATURES:
        if re.search(pattern, text[:4000]):
            return _finding(code, summary, plan, text, (Fix(way_out),))
    if error == "ArithmeticError":
        return _wrong(plan, message)
    return _finding(
        "driver-unhealthy",
        "The %s is there, but the first operation on it fails." % _label(plan),
        plan,
        text,
        (Fix("Restart the machine; if it happens again, update the device's driver"),),
    )


def judge_trial(trial: Trial, plan: Plan) -> Finding:
    """Return the finding for a trial that did not work."""
    output = _last_lines(trial.output)
    if trial.outcome == "wrong":
        return _wrong(plan, trial.detail)
    if trial.stage in ("start", "import"):
        return Finding(
            "framework-broken",
            "error",
            "Importing TensorFlow does not work here: %s." % (trial.detail or trial.error),
            _evidence(trial.detail, output),
            (Fix("Install it anew in a fresh environment"),),
            ("tensorflow", "keras"),
        )
    if trial.error == "NoDevice":
        return nothing_listed(plan, trial.devices, output)
    if trial.outcome == "raises":
        return judge_error(trial.error, trial.detail, plan, trial.stage)
    verb = "listing the devices" if trial.stage == "list" else "the first operation on the %s" % _label(plan)
    ending = "hangs" if trial.outcome == "hangs" else "kills the process"
    code = "driver-unhealthy" if trial.stage == "list" else "device-lost"
    summary = "%s %s: %s." % (verb[0].upper() + verb[1:], ending, trial.detail)
    finding = _finding(code, summary, plan, trial.detail, (Fix("Restart the machine, and update the device's driver"),))
    return Finding(
        finding.code, finding.severity, finding.summary, _evidence(trial.detail, output), finding.fix, finding.blocks
    )


def nothing_listed(plan: Plan, listed: Sequence[str], output: Sequence[str] = ()) -> Finding:
    """Return the finding for a framework that does not list the device that was expected."""
    seen = ", ".join(listed) or "no accelerator"
    return _finding(
        "driver-unhealthy",
        "TensorFlow does not list the %s that this machine seems to have." % _label(plan),
        plan,
        "listed: %s" % seen,
        (
            Fix(
                "Read what TensorFlow says of it",
                'python -c "import tensorflow as tf; print(tf.config.list_physical_devices())"',
            ),
        ),
        output,
    )


def _wrong(plan: Plan, message: str) -> Finding:
    return _finding(
        "numerics-divergent",
        "The %s computes wrong results." % _label(plan),
        plan,
        message,
        (Fix("Update the device's driver; do not train on it as it is"),),
    )


def _label(plan: Plan) -> str:
    return "%s (%s)" % (plan.device, plan.name) if plan.name else plan.device


def _finding(
    code: str, summary: str, plan: Plan, seen: str, fix: Tuple[Fix, ...], output: Sequence[str] = ()
) -> Finding:
    blocks = tuple("gpu:%d" % index for index in plan.indices)
    return Finding(code, "warning", summary, _evidence(seen, output), fix, blocks)


def _evidence(seen: str, output: Sequence[str]) -> Tuple[Evidence, ...]:
    evidence = [Evidence(seen[:1000], "trial")] if seen else []
    return tuple(evidence + [Evidence(line, "trial's output") for line in output])


def _last_lines(output: str) -> List[str]:
    """The last lines that say what went wrong, without the notices of a normal start."""
    lines = [line.strip() for line in output.splitlines() if re.search(r"[EFW] |rror|HRESULT|Check failed|abort", line)]
    return [line[:300] for line in lines[-3:]]
