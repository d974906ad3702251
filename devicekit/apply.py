"""Carries a Plan out: a trial in a child, variables, the framework's settings, one operation; or the CPU, for real.

Every change is recorded. Whatever fails turns into one finding that names the root cause, and the CPU.
"""

import os
from dataclasses import dataclass, replace
from typing import Any, List, Optional, Tuple

from .choose import Plan
from .facts import Machine
from .findings import Evidence, Finding, Fix
from .frameworks import Adapter, adapter
from .selection import Change, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .selftest import Trial

__all__ = ["Options", "apply_plan"]


@dataclass(frozen=True)
class Options:
    """What `auto` was told besides the device."""

    memory: Any = "grow"
    precision: Optional[str] = None
    verify: str = "cached"
    seed: Optional[int] = None


def apply_plan(plan: Plan, machine: Machine, options: Options) -> Selection:
    """Carry a plan out and return what came of it. Never raises for a device or a framework that does not work."""
    changes: List[Change] = []
    if not plan.importable:
        return plan.selection(
            changes, verified=False if plan.framework in (None, "tensorflow", "tensorflow1") else None
        )
    notes: List[Finding] = []
    if plan.verify and options.verify != "never" and not _too_late_to_try(plan):
        plan, note = _try_first(plan, machine, options)
        notes += note
        if not plan.importable:
            return _with(plan, notes).selection(changes, verified=False)
    _set_environment(plan, changes)
    try:
        framework = adapter(plan.framework)
    except Exception as error:  # the import of a framework can raise anything
        return _with(_unimportable(plan, machine, error), notes).selection(changes, verified=False)
    try:
        selection = _configure(_with(plan, notes), framework, options, changes)
    except Exception as error:  # what was imported is not what its name says, or half of it is gone
        return _with(_unimportable(plan, machine, error), notes).selection(changes, verified=False)
    return _finish(selection, framework, options, changes)


def _too_late_to_try(plan: Plan) -> bool:
    """Whether the framework runs in this process already: then a trial elsewhere decides nothing any more.

    Neither does one within a trial, where the import of something calls `auto`: that would try without end.
    """
    import sys

    from .settings import read_settings

    if read_settings().in_trial:
        return True
    return "tensorflow" in sys.modules and (not plan.indices or adapter(plan.framework).initialized())


def _with(plan: Plan, notes: List[Finding]) -> Plan:
    return replace(plan, findings=plan.findings + tuple(notes)) if notes else plan


def _set_environment(plan: Plan, changes: List[Change]) -> None:
    for name, value in plan.environment:
        changes.append(Change("environment", name, value, os.environ.get(name)))
        os.environ[name] = value


def _try_first(plan: Plan, machine: Machine, options: Options) -> Tuple[Plan, List[Finding]]:
    """Try the plan's device in a child, and after a failure the next one, until one works or none is left."""
    from .choose import next_plan
    from .selftest.judge import judge_trial

    notes: List[Finding] = []
    while True:
        trial = _verdict(plan, machine, options, notes)
        if trial.outcome in ("works", "not-run"):
            return plan, notes
        finding = judge_trial(trial, plan)
        following = next_plan(plan, finding) if trial.stage == "compute" else None
        if following is None:
            break
        plan = following
    if trial.stage == "import":
        # Looking at every file may tell why.
        return _to_cpu(replace(plan, importable=False), _cause_in_files() or finding), notes
    if trial.stage == "list" and trial.outcome in ("dies", "hangs"):
        # They must be hidden before the framework looks, and whether that helps can kill the process as well.
        plan = _hide(plan, machine, finding)
        again = _verdict(plan, machine, options, notes)
        return replace(plan, importable=again.outcome in ("works", "not-run")), notes
    return _to_cpu(plan, finding), notes


def _verdict(plan: Plan, machine: Machine, options: Options, notes: List[Finding]) -> "Trial":
    """Look up or run the trial of the plan's first device; of the import alone where it has none."""
    from .selftest import find_out, fingerprint
    from .selftest.progress import Progress
    from .settings import cache_folder, read_settings

    index = plan.indices[0] if plan.indices else None
    grow = index is not None and options.memory == "grow"
    key = fingerprint(machine, index, grow, plan.environment)
    what = "trying %s in a separate process" % (plan.device if plan.indices else "TensorFlow")
    with Progress(what, read_settings().quiet) as progress:

        def run() -> "Trial":
            from .selftest.start import try_device

            return try_device(index, grow, environment=plan.environment, tick=progress.tick)

        cached = options.verify == "cached"
        trial, problem = find_out(cache_folder(), key, run, cached, tick=progress.tick)
    if problem is not None and not notes:
        notes.append(_cache_finding(problem))
    return trial


def _hide(plan: Plan, machine: Machine, finding: Finding) -> Plan:
    """Turn a plan whose devices cannot even be listed into the CPU with the devices hidden."""
    hidden: Tuple[Tuple[str, str], ...] = (("CUDA_VISIBLE_DEVICES", "-1"), ("DML_VISIBLE_DEVICES", "-1"))
    if plan.platform == "rocm" or machine.rocm.kfd.or_none():
        hidden += (("HIP_VISIBLE_DEVICES", "-1"),)
    if plan.platform == "directml" or machine.directml.bundled.or_none():
        # DirectML builds look at the adapters before they look at the variable.
        hidden += (("TF_DIRECTML_PATH", "/nonexistent"),)
    given = {name for name, _ in hidden}
    environment = tuple(pair for pair in plan.environment if pair[0] not in given) + hidden
    changed = _to_cpu(replace(plan, environment=environment), finding)
    return replace(changed, fallback=plan.request.kind != "cpu")


def _cache_finding(problem: str) -> Finding:
    return Finding(
        "cache-unwritable",
        "warning",
        "The verdict of the trial cannot be kept, so that every start repeats it.",
        (Evidence(problem, "DEVICEKIT_CACHE_DIR or the user's cache folder"),),
        (Fix("Set DEVICEKIT_CACHE_DIR to a folder that can be written"),),
    )


def _to_cpu(plan: Plan, cause: Finding) -> Plan:
    """Turn a plan into the CPU, because of a finding."""
    others = tuple(finding for finding in plan.findings if finding is not cause)
    return replace(
        plan,
        device="cpu",
        platform="cpu",
        name="",
        indices=(),
        verify=False,
        fallback=True,
        findings=(cause,) + others,
        cause=cause,
        reason=cause.summary.rstrip("."),
        alternatives=(),
    )


def _cause_in_files() -> Optional[Finding]:
    """Look at every file of the framework, which takes a while, for what keeps it from being imported."""
    from .api import deep_findings

    for finding in deep_findings():
        if finding.severity == "error" and "tensorflow" in finding.blocks:
            return finding
    return None


def _unimportable(plan: Plan, machine: Machine, error: Exception) -> Plan:
    """The import raised although nothing spoke against it: look at every file before calling it unexplained."""
    cause = _cause_in_files()
    if cause is not None:
        return _to_cpu(replace(plan, importable=False), cause)
    text = "%s: %s" % (type(error).__name__, str(error).strip().splitlines()[0] if str(error).strip() else "")
    finding = Finding(
        "framework-broken",
        "error",
        "TensorFlow cannot be imported: %s." % text[:300].rstrip("."),
        (Evidence(text[:1000], "import tensorflow"),),
        (Fix("Install it anew in a fresh environment"),),
        ("tensorflow", "keras"),
    )
    return _to_cpu(replace(plan, importable=False), finding)


def _configure(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> Selection:
    """Set what must be set before the devices are initialised, then run one operation."""
    listed = framework.accelerators()
    if plan.indices and max(plan.indices) >= len(listed):
        from .selftest.judge import nothing_listed

        plan = _to_cpu(plan, nothing_listed(plan, listed))
    try:
        _set_devices(plan, framework, options, changes)
    except RuntimeError as error:
        return _too_late(plan, framework, str(error), changes)
    verified: Optional[bool] = None
    if options.verify != "never":
        try:
            framework.smoke(bool(plan.indices))
            verified = True
        except Exception as error:  # kernels raise whatever they like
            if not plan.indices:
                return _to_cpu(plan, _cpu_broken(error)).selection(changes, verified=False)
            from .selftest.judge import judge_error

            plan = _to_cpu(plan, judge_error(type(error).__name__, str(error), plan, "compute"))
            verified = _leave(plan, framework, options, changes)
    return plan.selection(changes, verified)


def _set_devices(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> None:
    change = framework.set_visible(plan.indices)
    if change is not None:
        changes.append(change)
    if plan.indices and options.memory in ("all", None):
        return
    if plan.indices:
        changes += framework.set_memory(options.memory)


def _leave(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> bool:
    """After a failed operation: give the runtime up, hide the accelerators, and see that the CPU computes."""
    framework.reset()
    changes.append(Change("tensorflow", "runtime", "reset after a failed operation"))
    _set_devices(plan, framework, options, changes)
    framework.smoke(False)
    return True


def _cpu_broken(error: Exception) -> Finding:
    text = "%s: %s" % (type(error).__name__, str(error)[:1000])
    return Finding(
        "framework-broken",
        "error",
        "TensorFlow was imported, but cannot multiply two matrices on the CPU.",
        (Evidence(text, "a 2 by 2 matrix product"),),
        (Fix("Install it anew in a fresh environment"),),
        ("tensorflow", "keras"),
    )


def _too_late(plan: Plan, framework: Adapter, message: str, changes: List[Change]) -> Selection:
    """The devices are fixed: say what is in force instead of what was wanted."""
    visible = framework.visible()
    wanted = plan.device
    finding = Finding(
        "runtime-already-initialized",
        "warning",
        "TensorFlow had initialised its devices before devicekit was called: '%s' cannot be set up any more, visible stay %s."
        % (wanted, ", ".join(visible) or "no accelerators"),
        (Evidence(message.strip()[:500], "tf.config"),),
        (
            Fix("Call devicekit.auto() before the first operation, best in the first line of the program"),
            Fix("Or place single parts of the program", "with devicekit.device_scope(%r): ..." % plan.request.text),
        ),
        (),
        "https://www.tensorflow.org/api_docs/python/tf/config/set_visible_devices",
    )
    in_force = "gpu:0" if visible else "cpu"
    plan = replace(
        plan,
        device=in_force,
        platform=plan.platform if visible and plan.indices else "pluggable" if visible else "cpu",
        name=visible[0] if visible else "",
        fallback=in_force != wanted,
        findings=(finding,) + plan.findings,
        cause=finding,
        reason=finding.summary.rstrip("."),
    )
    return plan.selection(changes, verified=None)


def _finish(selection: Selection, framework: Adapter, options: Options, changes: List[Change]) -> Selection:
    """Set precision and seed, which can be set at any time."""
    findings = selection.findings
    try:
        if options.precision is not None:
            changes.append(framework.set_precision(options.precision))
        if options.seed is not None:
            changes.append(framework.set_seed(options.seed))
    except ValueError:  # a policy that Keras does not know: wrong use, which its own message explains
        raise
    except Exception as error:  # Keras is imported for this, and may be broken while TensorFlow is not
        text = "%s: %s" % (type(error).__name__, str(error)[:1000])
        findings += (
            Finding(
                "framework-broken",
                "error",
                "Keras cannot be set up: precision or seed is not in force.",
                (Evidence(text, "tf.keras"),),
                (Fix("Run devicekit doctor, and mend what it says of Keras"),),
                ("keras",),
            ),
        )
    return selection.replace(changes=tuple(changes), findings=findings)
