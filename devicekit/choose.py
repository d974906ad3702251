"""Facts, findings and a request become one Plan. Pure: nothing is asked, set or imported."""

from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, List, Optional, Sequence, Tuple, Union

from .facts import Machine
from .findings import Candidate, Diagnosis, Finding, name_of
from .framework_switch import Meant, meant_framework
from .request import Request, parse_request
from .selection import Change, Selection

__all__ = ["Plan", "choose", "next_plan", "to_cpu", "why_not"]

Policy = Union[None, str, Callable[[Sequence[Candidate]], Candidate]]

#: Names of policies. ``index``: the first usable device in the framework's own order.
POLICIES = ("index",)


@dataclass(frozen=True)
class Plan:
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

    .. versionadded:: 0.1.0
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
    findings: Tuple[Finding, ...] = field(default=())
    cause: Optional[Finding] = None
    reason: str = ""
    alternatives: Tuple[Candidate, ...] = ()

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


def choose(
    machine: Machine,
    diagnosis: Diagnosis,
    request: Request,
    framework: Optional[str] = None,
    min_memory_bytes: Optional[int] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
) -> Plan:
    """Decide.

    Parameters
    ----------
    machine, diagnosis
        What is known, and what follows from it.
    request : Request
        The device that was asked for.
    framework : str or None
        The framework that was asked for, one of `devicekit.framework_choice.FRAMEWORKS`.
    min_memory_bytes : int or None
        Leave out accelerators with less memory. One whose memory is not known stays in.
    exclude : iterable of str
        Devices and platforms to leave out, such as ``"gpu:1"`` or ``"directml"``.
    policy : None, str or callable
        Among several: a name of `POLICIES`, or a function from usable candidates to one of them.

    Raises
    ------
    ValueError
        Where ``framework`` or ``policy`` is unknown, or ``exclude`` has no devices in it.
    """
    if policy is not None and not callable(policy) and policy not in POLICIES:
        raise ValueError("unknown policy %r; accepted are %s or a function" % (policy, ", ".join(POLICIES)))
    meant = meant_framework(machine, diagnosis, request, framework)
    known = diagnosis.findings
    if meant.environment:  # Keras is told what it lacks
        known = tuple(item for item in known if not (item.code == "framework-missing" and item.blocks == ("keras",)))
    diagnosis = replace(diagnosis, findings=known + meant.findings)
    if meant.unsupported:
        (finding,) = meant.findings
        return Plan(
            request, meant.framework, "auto", "", "", findings=_first(finding, diagnosis.findings), importable=False,
            cause=finding, fallback=request.kind != "auto", reason=finding.summary.rstrip("."),
        )  # fmt: skip
    chosen = meant.framework
    status = diagnosis.framework(name_of(chosen))
    importable = not (status is not None and status.will_import is False) and chosen is not None
    excluded = _excluded(exclude)
    accelerators = [item for item in diagnosis.candidates_for(chosen) if item.platform != "cpu"]
    if chosen != "jax":  # the others take a TPU by calls of their own, around which the program is written
        accelerators = [item for item in accelerators if item.platform != "tpu"]
    accelerators += _further_devices(accelerators, request)
    matching = [item for item in accelerators if _matches(item, request) and not _is_excluded(item, excluded)]
    if min_memory_bytes is not None:
        matching = [item for item in matching if item.memory_bytes is None or item.memory_bytes >= min_memory_bytes]
    usable = [item for item in matching if item.usable is not False]
    if request.kind in ("auto", "gpu", "tpu") and usable and importable:
        return _accelerator_plan(diagnosis, request, meant, usable, policy)
    return _cpu_plan(machine, diagnosis, request, meant, importable, accelerators, matching)


def _further_devices(accelerators: List[Candidate], request: Request) -> List[Candidate]:
    """Return the asked devices behind a plug-in's first one: how many it brings shows only when it runs."""
    last = next((item for item in reversed(accelerators) if item.platform == "pluggable"), None)
    listed = [_number(item) for item in accelerators]
    if last is None:
        return []
    return [replace(last, device="gpu:%d" % index) for index in request.indices if index > max(listed)]


def _accelerator_plan(
    diagnosis: Diagnosis, request: Request, meant: Meant, usable: List[Candidate], policy: Policy
) -> Plan:
    if request.indices:
        numbers = {_number(item): item for item in usable}
        picked = [numbers[index] for index in request.indices if index in numbers]
    else:
        # One of which only a trial can tell whether it works comes after those that are known to.
        sure = [item for item in usable if item.usable] or usable
        picked = [policy(tuple(usable)) if callable(policy) else sure[0]]
    indices = tuple(_number(item) for item in picked)
    first = picked[0]
    lost = [index for index in request.indices if index not in indices]
    reason = "the first usable accelerator" if request.kind == "auto" or not request.indices else "asked for and usable"
    if any(item.usable is None for item in picked):
        reason = (
            "the first accelerator that may work; a trial decides"
            if request.kind == "auto"
            else "asked for; a trial decides"
        )
    if lost:
        reason += " (not usable: %s)" % ", ".join("gpu:%d" % index for index in lost)
    return Plan(
        request=request,
        framework=meant.framework,
        device=first.device.partition(":")[0] + ":" + ",".join(str(index) for index in indices),
        platform=first.platform,
        name=first.name,
        indices=indices,
        verify=True,
        environment=meant.environment,
        libraries=diagnosis.libraries_for(meant.framework) if first.platform == "cuda" else (),
        memory_bytes=first.memory_bytes,
        fallback=bool(lost),
        findings=diagnosis.findings,
        reason=reason,
        alternatives=() if request.indices else tuple(item for item in usable if item is not first),
    )


def next_plan(plan: Plan, cause: Finding) -> Optional[Plan]:
    """Return the plan for the next alternative after a finding against the present device; None where there is none."""
    if not plan.alternatives:
        return None
    candidate = plan.alternatives[0]
    return replace(
        plan,
        device=candidate.device,
        platform=candidate.platform,
        name=candidate.name,
        indices=(_number(candidate),),
        memory_bytes=candidate.memory_bytes,
        fallback=True,
        findings=(cause,) + tuple(finding for finding in plan.findings if finding is not cause),
        cause=cause,
        reason="%s cannot be used: %s" % (plan.device, cause.summary.rstrip(".")),
        alternatives=plan.alternatives[1:],
    )


def to_cpu(plan: Plan, cause: Finding) -> Plan:
    """Return the plan for the CPU after a finding against everything else."""
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
        libraries=(),
    )


def _cpu_plan(
    machine: Machine,
    diagnosis: Diagnosis,
    request: Request,
    meant: Meant,
    importable: bool,
    accelerators: List[Candidate],
    matching: List[Candidate],
) -> Plan:
    name = name_of(meant.framework)
    cpu = next(item for item in diagnosis.candidates_for(meant.framework) if item.platform == "cpu")
    cause = None
    if not (request.kind == "cpu" and importable):
        cause = _cause(diagnosis, importable, matching or accelerators, name)
    if meant.framework is None and meant.findings:
        cause = meant.findings[0]
    alarming = cause is not None and (
        cause.severity != "info" or (meant.aside and any(block.startswith(name + ".") for block in cause.blocks))
    )
    if request.kind == "cpu":
        fallback, reason = False, "asked for"
    elif request.kind == "auto":
        fallback = alarming
        reason = cause.summary if cause is not None else "no accelerator was found"
    else:
        fallback = True
        reason = "'%s' was asked for: " % request.text + (cause.summary if cause else _nothing(request, accelerators))
    if not importable and cause is not None:
        reason = cause.summary
    return Plan(
        request=request,
        framework=meant.framework,
        device="cpu",
        platform="cpu",
        name=cpu.name,
        importable=importable,
        verify=importable and _is_doubtful(machine, diagnosis, name),
        environment=meant.environment + (_guards(machine, diagnosis) if name == "tensorflow" else ()),
        fallback=fallback,
        findings=_first(cause, diagnosis.findings),
        cause=cause,
        reason=reason.rstrip("."),
    )


def _is_doubtful(machine: Machine, diagnosis: Diagnosis, framework: str) -> bool:
    """Whether a framework would do something at its import, or when it lists the devices, that nobody has seen work.

    Not so for a known release without GPU support, or with it where neither GPU nor driver is about.
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


def _nothing(request: Request, accelerators: List[Candidate]) -> str:
    if not accelerators:
        return "no accelerator was found"
    return "there is " + ", ".join("%s (%s)" % (item.device, item.name) for item in accelerators)


def _cause(diagnosis: Diagnosis, importable: bool, wanted: List[Candidate], framework: str) -> Optional[Finding]:
    """The finding that decided: against the framework, against the wanted device, against any, or that there is none."""
    if not importable:
        for finding in diagnosis.findings:
            if framework in finding.blocks or framework + ".devices" in finding.blocks:
                return finding
    for candidate in wanted:
        for code in candidate.blocked_by:
            found = diagnosis.by_code(code, framework)
            if found is not None:
                return found
    for finding in diagnosis.findings:
        if finding.keeps_from_gpus(framework):
            return finding
    return diagnosis.by_code("no-gpu")


def _guards(machine: Machine, diagnosis: Diagnosis) -> Tuple[Tuple[str, str], ...]:
    """Variables without which the framework would die although only the CPU is wanted.

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


def _first(cause: Optional[Finding], findings: Tuple[Finding, ...]) -> Tuple[Finding, ...]:
    if cause is None:
        return findings
    return (cause,) + tuple(item for item in findings if item is not cause)


def _number(candidate: Candidate) -> int:
    return int(candidate.device.partition(":")[2])


def _matches(candidate: Candidate, request: Request) -> bool:
    if request.kind not in ("auto", "gpu", "tpu") or candidate.platform == "cpu":
        return False
    if (request.kind == "tpu" and candidate.platform != "tpu") or (
        request.kind == "gpu" and candidate.platform == "tpu"
    ):
        return False
    if request.platform is not None and candidate.platform != request.platform:
        return False
    return not request.indices or _number(candidate) in request.indices


def _excluded(exclude: Iterable[str]) -> List[Request]:
    if isinstance(exclude, str):
        raise ValueError("exclude is a list of devices, such as ('gpu:1',), not the string %r" % exclude)
    return [parse_request(item) for item in exclude]


def _is_excluded(candidate: Candidate, excluded: List[Request]) -> bool:
    return any(item.kind in ("gpu", "tpu") and _matches(candidate, item) for item in excluded)


def why_not(diagnosis: Diagnosis, device: str) -> Tuple[Finding, ...]:
    """Return the findings that stand between a request and its device; empty where it is usable.

    Raises
    ------
    ValueError
        Where the device string is unknown.
    """
    request = parse_request(device)
    matching = [item for item in diagnosis.candidates if _matches(item, request)]
    if any(item.usable for item in matching):
        return ()
    codes = [code for item in matching for code in item.blocked_by]
    found = [finding for finding in diagnosis.findings if finding.code in codes]
    if not matching:
        cause = _cause(diagnosis, True, [], "tensorflow")
        found = [cause] if cause is not None else []
    return tuple(found)
