"""The plan for the CPU: because it was requested, or because something blocks every accelerator. Pure."""

from typing import List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..diagnosis.frameworks import TITLES
from ..machine.facts import Machine
from .plan import Plan, missing_device
from .request import Request
from .situation import Situation, first_in


def cpu_plan(situation: Situation) -> Plan:
    """Return the plan for the CPU, with the reason why it is not for an accelerator."""
    machine, diagnosis, request = situation.machine, situation.diagnosis, situation.request
    framework, importable = situation.framework, situation.importable
    name = name_of(framework.name)
    cpu = next(item for item in diagnosis.candidates_for(framework.name) if item.platform == "cpu")
    cause = _cause_for(situation)
    if request.kind == "cpu":
        fallback, reason = False, "asked for"
    elif request.kind == "auto":
        fallback = cause is not None and _is_alarming(cause, situation)
        reason = cause.summary if cause is not None else situation.too_small or "no accelerator was found"
    else:
        fallback = True
        why = cause.summary if cause is not None else _why_none(situation)
        reason = "'%s' was asked for: %s" % (request.text, why)
        cause = cause or missing_device(request.text, why)
    if cause is not None and not _works(situation):
        reason = cause.summary
    return Plan(
        request=request,
        framework=framework.name,
        device="cpu",
        platform="cpu",
        name=cpu.name,
        importable=importable,
        verify=importable and _is_doubtful(machine, diagnosis, name),
        environment=framework.environment + (_guards(machine, diagnosis) if name == "tensorflow" else ()),
        fallback=fallback,
        findings=first_in(cause, diagnosis.findings),
        cause=cause,
        reason=reason.rstrip("."),
    )


def unidentified_plan(situation: Situation) -> Plan:
    """Return the plan for the CPU if an identifier names no device, or several."""
    plan = cpu_plan(situation.replace(matching=()))
    if not (situation.importable and situation.accelerators):
        return plan  # what blocks every device comes first
    return plan.replace(reason="'%s' was asked for: %s" % (situation.request.text[:80], situation.problem))


def unsupported_plan(situation: Situation) -> Plan:
    """Return the plan that changes nothing, for a framework that devicekit does not set up."""
    request, framework = situation.request, situation.framework
    (finding,) = framework.findings
    return Plan(
        request, framework.name, "auto", "", "", findings=first_in(finding, situation.diagnosis.findings),
        importable=False, cause=finding, fallback=request.kind != "auto", reason=finding.summary.rstrip("."),
    )  # fmt: skip


def _cause_for(situation: Situation) -> Optional[Finding]:
    """Return the finding that decided against an accelerator; None if the CPU was requested and works."""
    diagnosis, request, framework = situation.diagnosis, situation.request, situation.framework
    if framework.name is None and framework.findings:
        return framework.findings[0]
    works = _works(situation)
    if request.kind == "cpu" and works:
        return None
    if request.foreign and situation.importable:
        return _foreign_cause(diagnosis, request, situation.matching)
    candidates = situation.matching or _considered(situation.accelerators, request)
    return _cause(diagnosis, works, candidates, name_of(framework.name))


def _works(situation: Situation) -> bool:
    """Whether the framework works at all: it can be imported, and has its devices listed without an end of the process."""
    blocked = (item.usable is False for item in situation.diagnosis.candidates_for(situation.framework.name))
    return situation.importable and not all(blocked)


def _is_alarming(cause: Finding, situation: Situation) -> bool:
    """Whether a GPU that cannot be used is worth a warning; a note about another framework than the default is, too."""
    name = name_of(situation.framework.name)
    return cause.severity != "info" or (
        situation.framework.aside and any(block.startswith(name + ".") for block in cause.blocks)
    )


def _why_none(situation: Situation) -> str:
    if situation.problem:
        return situation.problem
    if situation.request.foreign:
        return _foreign_reason(situation.diagnosis, situation.request, situation.framework.name)
    return situation.too_small or what_there_is(situation.accelerators) or "no accelerator was found"


def what_there_is(accelerators: Sequence[Candidate]) -> str:
    """Return the accelerators in words, "" if there are none."""
    names = dict.fromkeys(item.name for item in accelerators)
    same = [(name, [item.device for item in accelerators if item.name == name]) for name in names]
    listed = ", ".join("%s (%s)" % (", ".join(devices), name) for name, devices in same)
    return "there is %s" % listed if listed else ""


def _cause(diagnosis: Diagnosis, works: bool, candidates: Sequence[Candidate], framework: str) -> Optional[Finding]:
    """Return the finding that decided: against the framework, the requested device, any device, or that there is none."""
    if not works:
        blocked = {framework, framework + ".devices"}
        first = next((finding for finding in diagnosis.findings if blocked & set(finding.blocks)), None)
        if first is not None:
            return first
    for candidate in candidates:
        for code in candidate.blocked_by:
            blocking = diagnosis.by_code(code, framework)
            if blocking is not None:
                return blocking
    general = (finding for finding in diagnosis.findings if finding.keeps_from_gpus(framework))
    return next(general, diagnosis.by_code("no-gpu"))


# Devices of plug-ins.


def _considered(accelerators: Sequence[Candidate], request: Request) -> List[Candidate]:
    """Return the accelerators whose findings can explain why a request is not met."""
    return [item for item in accelerators if not item.device_type or request.kind == "auto"]


def _foreign_cause(diagnosis: Diagnosis, request: Request, matching: Sequence[Candidate]) -> Optional[Finding]:
    """Return the finding that decided against the asked devices, None where there are no such devices."""
    for candidate in matching:
        for code in candidate.blocked_by:
            for finding in diagnosis.findings:
                if finding.code == code and {candidate.device, request.platform} & set(finding.blocks):
                    return finding
            found = diagnosis.by_code(code)
            if found is not None:
                return found
    return next((item for item in diagnosis.findings if request.platform in item.blocks), None)


def _foreign_reason(diagnosis: Diagnosis, request: Request, framework: Optional[str]) -> str:
    """Return why there is none of the asked devices, in words, where no finding says it."""
    kinds = dict(request.device_types)
    if framework is not None and kinds and name_of(framework) not in kinds:
        return "its plug-in has devices for %s, not for %s" % (
            ", ".join(TITLES[name] for name in kinds), TITLES[framework]
        )  # fmt: skip
    listed = [item for item in diagnosis.candidates_for(framework) if item.platform == request.platform]
    why = next((item.because for item in diagnosis.not_evaluated if item.code == request.platform), "")
    return what_there_is(listed) or why or "no such device was found"


# What only a run shows.


def _is_doubtful(machine: Machine, diagnosis: Diagnosis, framework: str) -> bool:
    """Whether the import of a framework, or its list of devices, might fail in a way that only a run shows.

    Not so for a known release without GPU support, or for one with it if there is neither a GPU nor a driver.
    """
    status = diagnosis.framework(framework)
    if status is not None and status.will_import is None:
        return True
    unused = ("cpu-only-build", "directml-missing", "metal-plugin-missing")
    has_driver = bool(machine.driver.libraries.or_none())
    for item in diagnosis.candidates_for(framework):
        can_open = (
            has_driver or not machine.driver.libraries.known if item.platform == "cuda" else item.platform != "cpu"
        )
        if item.platform and can_open and not any(code in unused for code in item.blocked_by):
            return True
    build = machine.python.build(framework)
    return has_driver and build is not None and bool(build.cuda.or_none())


def _guards(machine: Machine, diagnosis: Diagnosis) -> Tuple[Tuple[str, str], ...]:
    """Return the variables without which the framework would die although only the CPU is requested.

    TensorFlow 1.15's DirectML build asks DXCore when devices are listed; without /dev/dxg that aborts the process.
    A folder without the library in TF_DIRECTML_PATH keeps it from loading DirectML at all (measured on 1.15.8).
    """
    directml = machine.directml
    libraries = {item.name for item in directml.libraries.or_none() or ()}
    blocked = any("directml" in finding.blocks for finding in diagnosis.findings)
    if (
        blocked
        and directml.bundled.or_none()
        and "libdxcore.so" in libraries
        and (directml.dxg.or_none() is None or (directml.failure and not directml.adapters.or_none()))
    ):
        # Also in place of another folder: what DirectML is loaded from there asks the same DXCore.
        return (("TF_DIRECTML_PATH", "/nonexistent"),)
    return ()
