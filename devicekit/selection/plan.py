"""`Plan`: what is to be done for a request, and the plans that follow where it turns out not to work. Pure."""

from typing import Iterable, Optional, Tuple

from ..diagnosis.findings import Candidate, Evidence, Finding, Fix, Kind
from ..records import Record
from .request import Request
from .selection import Change, Selection


class Plan(Record):
    """What is to be done.

    Attributes
    ----------
    request : Request
        What was asked for.
    framework : str or None
        ``tensorflow``, ``tensorflow1``, ``jax``, ``torch`` or None.
    device : str
        The device that was decided on, as in `Selection.device`.
    platform, name : str
        Of that device.
    indices : tuple of int
        The framework's numbers of the accelerators to use; empty for the CPU.
    importable : bool
        Whether the framework can be imported at all, as far as is known.
    verify : bool
        Whether only a trial in a child process can tell that the device works; for the CPU: whether importing the
        framework and listing the devices may kill or hang the process.
    environment : tuple of (str, str)
        Variables to set before the framework is imported.
    libraries : tuple of str
        Paths of libraries to load before the framework is imported, which would not find them itself.
    memory_bytes : int or None
        Of the first accelerator to use, where it is known.
    fallback : bool
        Whether this is less than what was asked for, or than what is there.
    findings : tuple of Finding
        All that was found, the one that decided first.
    cause : Finding or None
        The finding that decided against a better device.
    reason : str
        One sentence.
    alternatives : tuple of Candidate
        Other accelerators that would do, for the case that a trial decides against this one.
    by_speed : bool
        Whether figures of a benchmark decided.
    device_type : str
        What the framework calls the device, where it is of a plug-in's platform; "" for all others.
    device_environment : tuple of (str, str)
        The part of ``environment`` that is for this device alone.
    devices : tuple of Candidate
        The accelerators that were decided on; empty for the CPU.
    """

    request: Request
    framework: Optional[str]
    device: str
    platform: str
    name: str
    indices: Tuple[int, ...] = ()
    importable: bool = True
    verify: bool = False
    environment: Tuple[Tuple[str, str], ...] = ()
    libraries: Tuple[str, ...] = ()
    memory_bytes: Optional[int] = None
    fallback: bool = False
    findings: Tuple[Finding, ...] = ()
    cause: Optional[Finding] = None
    reason: str = ""
    alternatives: Tuple[Candidate, ...] = ()
    by_speed: bool = False
    device_type: str = ""
    device_environment: Tuple[Tuple[str, str], ...] = ()
    devices: Tuple[Candidate, ...] = ()

    @property
    def device_names(self) -> Tuple[str, ...]:
        """The accelerators to use, one by one: ``("gpu:0", "gpu:2")``."""
        word = self.device.partition(":")[0] if self.device_type else "gpu"
        return tuple("%s:%d" % (word, index) for index in self.indices)

    def selection(self, changes: Iterable[Change] = (), verified: Optional[bool] = None) -> Selection:
        """Return the plan as what was selected, with what was changed and verified for it."""
        return Selection(
            device=self.device,
            framework=self.framework,
            platform=self.platform,
            name=self.name,
            fallback=self.fallback,
            findings=self.findings,
            changes=tuple(changes),
            verified=verified,
            reason=self.reason,
            requested=self.request.text,
        )


def next_plan(plan: Plan, cause: Finding) -> Optional[Plan]:
    """Return the plan for the next alternative after a finding against the present device; None where there is none."""
    if not plan.alternatives:
        return None
    candidate = plan.alternatives[0]
    return plan.replace(
        device=candidate.device,
        platform=candidate.platform,
        name=candidate.name,
        indices=(number_of(candidate),),
        devices=(candidate,),
        memory_bytes=candidate.memory_bytes,
        fallback=True,
        findings=(cause,) + tuple(finding for finding in plan.findings if finding is not cause),
        cause=cause,
        reason="%s cannot be used: %s" % (plan.device, cause.summary.rstrip(".")),
        alternatives=plan.alternatives[1:],
        environment=_without_device(plan) + candidate.environment,
        device_type=candidate.device_type,
        device_environment=candidate.environment,
    )


def to_cpu(plan: Plan, cause: Finding) -> Plan:
    """Return the plan for the CPU after a finding against everything else."""
    others = tuple(finding for finding in plan.findings if finding is not cause)
    return plan.replace(
        device="cpu",
        platform="cpu",
        name="",
        indices=(),
        devices=(),
        verify=False,
        fallback=True,
        findings=(cause,) + others,
        cause=cause,
        reason=cause.summary.rstrip("."),
        alternatives=(),
        libraries=(),
        environment=_without_device(plan),
        device_type="",
        device_environment=(),
    )


def without_unproven(plan: Plan) -> Plan:
    """Return the plan for a run without self-tests: none for a device that is reported to fail, unless it was asked for."""
    while plan.request.kind == "auto" and any(item.reported_to_fail for item in plan.devices):
        cause = next(item for item in plan.findings if item.code == "compute-capability-unsupported")
        plan = next_plan(plan, cause) or to_cpu(plan, cause)
    return plan


def _without_device(plan: Plan) -> Tuple[Tuple[str, str], ...]:
    """The variables that are not for the plan's device alone."""
    return tuple(pair for pair in plan.environment if pair not in plan.device_environment)


def number_of(candidate: Candidate) -> int:
    """Return the number of an accelerator in its framework's order."""
    return int(candidate.device.partition(":")[2])


_NOT_FOUND = Kind("device-not-found", "warning")


def missing_device(requested: str, because: str, source: str = "the devices of this machine") -> Finding:
    """Return the finding that nothing here is what was requested.

    Parameters
    ----------
    requested : str
        The request as the caller wrote it.
    because : str
        What there is instead, in words.
    source : str
        Where that was seen.
    """
    because = because.rstrip(".")
    return _NOT_FOUND.finding(
        "The requested device %r was not found: %s." % (requested[:80], because),
        (Evidence(because, source),),
        (Fix("List the devices, and request one of them or 'auto'", "devicekit devices"),),
    )
