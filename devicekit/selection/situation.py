"""What a plan is decided from: the request, the target framework, and the devices that match. Pure."""

from typing import Iterable, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..errors import listed
from ..machine.facts import Machine
from ..records import Record
from .device_ids import numbered
from .framework import FrameworkChoice, choose_target
from .plan import number_of
from .policies import Policy
from .request import Request, parse_request
from .throughput import Throughput


class Criteria(Record):
    """What the caller asks for besides the device.

    Attributes
    ----------
    framework : str or None
        One of `devicekit.diagnosis.frameworks.FRAMEWORKS`.
    min_memory_bytes : int or None
        Leave out accelerators with less memory. One whose memory is unknown stays in.
    exclude : iterable of str
        Devices and platforms to leave out, such as ``"gpu:1"`` or ``"directml"``.
    policy : None, str or callable
        Among several: see `devicekit.selection.policies.ordered`.
    measured : sequence of Throughput
        Figures of this machine in its present state, the newest first.
    count : int
        How many devices a policy function is asked for; the plan is for the first, the others begin its alternatives.
    """

    framework: Optional[str] = None
    min_memory_bytes: Optional[int] = None
    exclude: Iterable[str] = ()
    policy: Policy = None
    measured: Sequence[Throughput] = ()
    count: int = 1


class Situation(Record):
    """A request on a machine, with everything that decides.

    Attributes
    ----------
    machine : Machine
    diagnosis : Diagnosis
        With the findings about the choice of the framework.
    request : Request
        With numbers instead of identifiers.
    framework : FrameworkChoice
    importable : bool
        Whether the framework can be imported, as far as is known.
    accelerators : tuple of Candidate
        All that the framework might use.
    matching : tuple of Candidate
        Those that the request and the criteria allow, usable or not.
    allows_cpu : bool
        Whether the CPU may be chosen instead of a slower accelerator.
    problem : str
        What is wrong with an identifier in the request.
    too_small : str
        Which accelerators have too little memory, where no other one matches.
    """

    machine: Machine
    diagnosis: Diagnosis
    request: Request
    framework: FrameworkChoice
    importable: bool
    accelerators: Tuple[Candidate, ...] = ()
    matching: Tuple[Candidate, ...] = ()
    allows_cpu: bool = False
    problem: str = ""
    too_small: str = ""

    @property
    def usable(self) -> Tuple[Candidate, ...]:
        """The matching accelerators that nothing blocks, if the framework can be imported."""
        if not self.importable or self.request.kind not in ("auto", "gpu", "tpu"):
            return ()
        return tuple(item for item in self.matching if item.usable is not False)


def examine(machine: Machine, diagnosis: Diagnosis, request: Request, criteria: Criteria) -> Situation:
    """Find the framework and the devices for a request.

    Raises
    ------
    ValueError
        If the framework is unknown, or ``exclude`` contains something that is not a device.
    """
    framework = choose_target(machine, diagnosis, request, criteria.framework)
    diagnosis = diagnosis.replace(findings=_findings(diagnosis, framework))
    status = diagnosis.framework(name_of(framework.name))
    importable = framework.name is not None and (status is None or status.will_import is not False)
    situation = Situation(machine, diagnosis, request, framework, importable)
    if framework.unsupported:
        return situation
    accelerators = _accelerators(diagnosis, framework.name, request)
    excluded = [numbered(item, accelerators, machine)[0] for item in _excluded(criteria.exclude, machine)]
    request, problem = numbered(request, accelerators, machine)
    unwanted = [item for item in excluded if item.kind in ("gpu", "tpu")]
    matching = [
        item
        for item in accelerators
        if _matches(item, request) and not any(_matches(item, other) for other in unwanted)
    ]
    least = criteria.min_memory_bytes
    small = [item for item in matching if least is not None and item.memory_bytes and item.memory_bytes < least]
    matching = [item for item in matching if item not in small]
    too_small = ", ".join("%s (%s) has %.4g GiB" % (item.device, item.name, _gib(item.memory_bytes)) for item in small)
    return situation.replace(
        request=request,
        accelerators=tuple(accelerators),
        matching=tuple(matching),
        allows_cpu=request.kind == "auto" and not any(item.kind == "cpu" for item in excluded),
        problem=problem,
        too_small="%s, and %.4g GiB were asked for" % (too_small, _gib(least)) if small and not matching else "",
    )


def _gib(size_bytes: Optional[int]) -> float:
    return (size_bytes or 0) / 2.0**30


def first_in(cause: Optional[Finding], findings: Tuple[Finding, ...]) -> Tuple[Finding, ...]:
    """Return the findings with the cause before all others."""
    if cause is None:
        return findings
    return (cause,) + tuple(item for item in findings if item is not cause)


def _findings(diagnosis: Diagnosis, framework: FrameworkChoice) -> Tuple[Finding, ...]:
    findings = diagnosis.findings
    if framework.environment:  # a variable gives Keras the framework that it lacks
        findings = tuple(
            item for item in findings if not (item.code == "framework-missing" and item.blocks == ("keras",))
        )
    return findings + framework.findings


def _accelerators(diagnosis: Diagnosis, framework: Optional[str], request: Request) -> List[Candidate]:
    accelerators = [item for item in diagnosis.candidates_for(framework) if item.platform != "cpu"]
    if framework != "jax":  # the others take a TPU by calls of their own, around which the program is written
        accelerators = [item for item in accelerators if item.platform != "tpu"]
    return accelerators + _further_devices(accelerators, request)


def _further_devices(accelerators: List[Candidate], request: Request) -> List[Candidate]:
    """Return the requested devices after a plug-in's first one: how many it has is known only when it runs."""
    last = next((item for item in reversed(accelerators) if item.platform == "pluggable"), None)
    listed = [number_of(item) for item in accelerators]
    if last is None:
        return []
    return [last.replace(device="gpu:%d" % index) for index in request.indices if index > max(listed)]


def _matches(candidate: Candidate, request: Request) -> bool:
    if request.kind not in ("auto", "gpu", "tpu") or candidate.platform == "cpu":
        return False
    if request.kind != "auto" and (request.kind == "tpu") != (candidate.platform == "tpu"):
        return False
    if request.platform is not None and candidate.platform != request.platform:
        return False
    if candidate.device_type and request.platform is None and request.kind == "gpu":
        return False  # a plug-in's device is not a GPU, and has its own numbers
    if request.identifiers and not request.indices:  # the device of that identifier is not here
        return False
    return not request.indices or number_of(candidate) in request.indices


def _excluded(exclude: Iterable[str], machine: Machine) -> List[Request]:
    return [parse_request(item, machine.platforms) for item in listed(exclude, "exclude", "devices, as ['gpu:1']")]
