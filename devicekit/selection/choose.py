"""Facts, findings and a request become one Plan. Pure: nothing is asked, set or imported."""

from typing import Iterable, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..machine.facts import Machine
from .device_ids import is_named, numbered
from .framework import Meant, meant_framework
from .plan import Plan, number_of
from .plugin_devices import considered, foreign_cause, foreign_reason
from .policies import Policy, checked_policy, ordered
from .request import Request, parse_request

# Names that type checkers know: figures are looked at only where "fastest" was asked for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ranking import Ranking
    from .throughput import Throughput

__all__ = ["choose", "why_not"]


def choose(
    machine: Machine,
    diagnosis: Diagnosis,
    request: Request,
    framework: Optional[str] = None,
    min_memory_bytes: Optional[int] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
    measured: "Sequence[Throughput]" = (),
    count: int = 1,
) -> Plan:
    """Decide.

    Parameters
    ----------
    machine, diagnosis
        What is known, and what follows from it.
    request : Request
        The device that was asked for.
    framework : str or None
        The framework that was asked for, one of `devicekit.diagnosis.frameworks.FRAMEWORKS`.
    min_memory_bytes : int or None
        Leave out accelerators with less memory. One whose memory is not known stays in.
    exclude : iterable of str
        Devices and platforms to leave out, such as ``"gpu:1"`` or ``"directml"``.
    policy : None, str or callable
        Among several: see `devicekit.selection.policies.ordered`.
    measured : sequence of Throughput
        Figures of this machine in its present state, the newest first.
    count : int
        How many a function is asked for; the plan is for the first, the others begin its alternatives.

    Raises
    ------
    ValueError
        Where ``framework`` or ``policy`` is unknown, or ``exclude`` has no devices in it.
    """
    policy = checked_policy(policy)
    meant = meant_framework(machine, diagnosis, request, framework)
    known = diagnosis.findings
    if meant.environment:  # Keras is told what it lacks
        known = tuple(item for item in known if not (item.code == "framework-missing" and item.blocks == ("keras",)))
    diagnosis = diagnosis.replace(findings=known + meant.findings)
    if meant.unsupported:
        (finding,) = meant.findings
        return Plan(
            request, meant.framework, "auto", "", "", findings=_first(finding, diagnosis.findings), importable=False,
            cause=finding, fallback=request.kind != "auto", reason=finding.summary.rstrip("."),
        )  # fmt: skip
    chosen = meant.framework
    status = diagnosis.framework(name_of(chosen))
    importable = not (status is not None and status.will_import is False) and chosen is not None
    excluded = _excluded(exclude, machine)
    accelerators = [item for item in diagnosis.candidates_for(chosen) if item.platform != "cpu"]
    if chosen != "jax":  # the others take a TPU by calls of their own, around which the program is written
        accelerators = [item for item in accelerators if item.platform != "tpu"]
    accelerators += _further_devices(accelerators, request)
    request, problem = numbered(request, accelerators, machine)
    excluded = [numbered(item, accelerators, machine)[0] for item in excluded]
    if problem:
        return _unidentified(machine, diagnosis, request, meant, importable, accelerators, problem)
    matching = [item for item in accelerators if _matches(item, request) and not _is_excluded(item, excluded)]
    if min_memory_bytes is not None:
        matching = [item for item in matching if item.memory_bytes is None or item.memory_bytes >= min_memory_bytes]
    usable = [item for item in matching if item.usable is not False]
    if request.kind in ("auto", "gpu", "tpu") and usable and importable:
        if (policy == "fastest" or request.fastest) and not request.indices:
            from .ranking import rank

            with_cpu = request.kind == "auto" and not any(item.kind == "cpu" for item in excluded)
            devices = [item.device for item in usable] + ["cpu"] * with_cpu
            ranking = rank(measured, meant.framework, devices)
            if ranking is not None and ranking.devices[0] == "cpu":
                plan = _cpu_plan(machine, diagnosis, request, meant, importable, accelerators, matching)
            else:
                by_speed = usable if ranking is None else _by_speed(usable, ranking)
                plan = _accelerator_plan(diagnosis, request, meant, by_speed, "index" if ranking is None else _first_of)
            own = [row for row in measured if name_of(row.framework) == name_of(chosen) and row.device in devices]
            return _ranked(plan, ranking, devices, next((row for row in own if row.problem), None))
        return _accelerator_plan(diagnosis, request, meant, usable, policy, measured, count)
    return _cpu_plan(machine, diagnosis, request, meant, importable, accelerators, matching)


def _further_devices(accelerators: List[Candidate], request: Request) -> List[Candidate]:
    """Return the asked devices behind a plug-in's first one: how many it brings shows only when it runs."""
    last = next((item for item in reversed(accelerators) if item.platform == "pluggable"), None)
    listed = [number_of(item) for item in accelerators]
    if last is None:
        return []
    return [last.replace(device="gpu:%d" % index) for index in request.indices if index > max(listed)]


def _first_of(usable: Sequence[Candidate]) -> Candidate:
    return usable[0]


def _by_speed(usable: List[Candidate], ranking: "Ranking") -> List[Candidate]:
    """Return the fastest first, then what was not measured; what is slower than the CPU is left out."""
    order = list(ranking.devices)
    ahead = order[: order.index("cpu")] if "cpu" in order else order
    first = [item for name in ahead for item in usable if item.device == name]
    return first + [item for item in usable if item.device not in order]


def _ranked(plan: Plan, ranking: "Optional[Ranking]", devices: List[str], failed: "Optional[Throughput]") -> Plan:
    """Return the plan with what the figures say, or with how to get some, or why there are none."""
    if ranking is None:
        if len(devices) < 2:
            return plan
        hint = "their speeds were not measured yet (devicekit bench --compare %s)" % ",".join(devices)
        if failed is not None:
            hint = "the speed of %s could not be measured: %s" % (failed.device, failed.problem.rstrip("."))
        return plan.replace(reason="%s; %s" % (plan.reason, hint))
    from .ranking import slower_than_cpu

    slower = [slower_than_cpu(row, ranking.cpu) for row in ranking.rows] if ranking.cpu is not None else []
    slow = tuple(item for item in slower if item is not None)
    unmeasured = [name for name in devices if name not in ranking.devices]
    reason = "the fastest in " + str(ranking)
    if unmeasured:
        reason += " (not measured: %s)" % ", ".join(unmeasured)
    if plan.device != "cpu":
        return plan.replace(by_speed=True, reason=reason, findings=plan.findings + slow)
    return plan.replace(
        by_speed=True,
        reason=reason,
        fallback=False,
        findings=slow + plan.findings,
        cause=slow[0] if slow else None,
    )


def _accelerator_plan(
    diagnosis: Diagnosis,
    request: Request,
    meant: Meant,
    usable: List[Candidate],
    policy: Policy,
    measured: "Sequence[Throughput]" = (),
    count: int = 1,
) -> Plan:
    why = ""
    if request.indices:
        numbers = {number_of(item): item for item in usable}
        picked = [numbers[index] for index in request.indices if index in numbers]
    else:
        found, why = ordered(usable, policy, _speeds(usable, meant, measured) if policy is None else (), count)
        picked, usable = [found[0]], list(found)
    indices = tuple(number_of(item) for item in picked)
    first = picked[0]
    lost = [index for index in request.indices if index not in indices]
    reason = "the first usable accelerator" if request.kind == "auto" or not request.indices else "asked for and usable"
    if any(item.usable is None for item in picked):
        reason = (
            "the first accelerator that may work; a trial decides"
            if request.kind == "auto"
            else "asked for; a trial decides"
        )
    if why and policy is not _first_of:
        reason = why if picked[0].usable else "%s; a trial decides whether it works" % why
    if lost:
        reason += " (not usable: %s)" % ", ".join("%s:%d" % (first.device.partition(":")[0], index) for index in lost)
    return Plan(
        request=request,
        framework=meant.framework,
        device=first.device.partition(":")[0] + ":" + ",".join(str(index) for index in indices),
        platform=first.platform,
        name=first.name,
        indices=indices,
        verify=True,
        environment=meant.environment + first.environment,
        libraries=diagnosis.libraries_for(meant.framework) if first.platform == "cuda" else (),
        memory_bytes=first.memory_bytes,
        fallback=bool(lost),
        findings=diagnosis.findings,
        reason=reason,
        alternatives=() if request.indices else tuple(item for item in usable if item is not first),
        devices=tuple(picked),
        device_type=first.device_type,
        device_environment=first.environment,
    )


def _speeds(usable: List[Candidate], meant: Meant, measured: "Sequence[Throughput]") -> Tuple[str, ...]:
    """The devices that were measured, the fastest first; equal cards are equally fast."""
    if not measured or len({item.name for item in usable}) < 2:
        return ()
    from .ranking import rank

    ranking = rank(measured, meant.framework, [item.device for item in usable])
    return ranking.devices if ranking is not None else ()


def _unidentified(
    machine: Machine,
    diagnosis: Diagnosis,
    request: Request,
    meant: Meant,
    importable: bool,
    accelerators: List[Candidate],
    problem: str,
) -> Plan:
    """The CPU, where an identifier stands for no device, or for several."""
    plan = _cpu_plan(machine, diagnosis, request, meant, importable, accelerators, [])
    if plan.cause is not None and (not importable or not accelerators):
        return plan  # what stands in the way of everything comes first
    return plan.replace(reason="'%s' was asked for: %s" % (request.text[:80], problem))


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
        if request.foreign and importable:
            cause = foreign_cause(diagnosis, request, matching)
        else:
            cause = _cause(diagnosis, importable, matching or considered(accelerators, request), name)
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
        nothing = foreign_reason(diagnosis, request, meant.framework) if request.foreign else _nothing(accelerators)
        reason = "'%s' was asked for: " % request.text + (cause.summary if cause else nothing)
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


def _nothing(accelerators: List[Candidate]) -> str:
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


def _matches(candidate: Candidate, request: Request) -> bool:
    if request.kind not in ("auto", "gpu", "tpu") or candidate.platform == "cpu":
        return False
    if (request.kind == "tpu" and candidate.platform != "tpu") or (
        request.kind == "gpu" and candidate.platform == "tpu"
    ):
        return False
    if request.platform is not None and candidate.platform != request.platform:
        return False
    if candidate.device_type and request.platform is None and request.kind == "gpu":
        return False  # what a plug-in brings is no GPU, and has numbers of its own
    if request.identifiers and not request.indices:  # what they stand for is not here
        return False
    return not request.indices or number_of(candidate) in request.indices


def _excluded(exclude: Iterable[str], machine: Machine) -> List[Request]:
    if isinstance(exclude, str):
        raise ValueError("exclude is a list of devices, such as ('gpu:1',), not the string %r" % exclude)
    return [parse_request(item, machine.platforms) for item in exclude]


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
    matching = [item for item in diagnosis.candidates if _matches(item, request) or is_named(request, item)]
    if any(item.usable for item in matching):
        return ()
    codes = [code for item in matching for code in item.blocked_by]
    found = [finding for finding in diagnosis.findings if finding.code in codes]
    if not matching:
        cause = _cause(diagnosis, True, [], "tensorflow")
        found = [cause] if cause is not None else []
    return tuple(found)
