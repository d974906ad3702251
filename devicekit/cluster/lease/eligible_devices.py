"""Which devices a request for a lease accepts, how many, and how long it waits. Nothing is leased here."""

from typing import Iterable, Optional, Sequence, Tuple, Union

from ...diagnosis.findings import Candidate
from ...errors import DeviceUnavailableError
from ...machine.facts import Machine
from ...selection.device_ids import numbered
from ...selection.plan import Plan, number_of
from ...selection.policies import Policy, checked_policy, ordered
from ...selection.request import Request, parse_memory


def machine_now() -> Machine:
    """Return this machine as it is at this moment: what is in use changes while one waits."""
    from ...machine.detect import detect, real_machine, stand_ins

    if not stand_ins.get():
        detect(refresh=True)
    return real_machine()  # never one that a test has put in its place: locks are real


def checked_count(count: Optional[int], request: Request) -> int:
    """Return how many devices are wanted; raise ValueError if that is not a number of devices, or more than are named."""
    if request.kind == "cpu":
        raise ValueError("only accelerators can be leased, not the CPU")
    if count is None:
        return request.count or 1
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError("count must be a whole number of at least 1, got %r" % (count,))
    if request.count and count > request.count:
        raise ValueError("cannot lease %d devices of %r, which names %d" % (count, request.text, request.count))
    return count


def checked_timeout(timeout_s: Optional[float]) -> Optional[float]:
    """Return how long to wait, in seconds; raise ValueError if it is not a length of time."""
    if timeout_s is None:
        return None
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not timeout_s >= 0:
        raise ValueError("timeout_s must be a number of seconds (at least 0) or None, got %r" % (timeout_s,))
    return timeout_s


def plan_of(
    request: Request,
    count: int,
    machine: Machine,
    framework: Optional[str] = None,
    min_memory: Union[int, str, None] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
) -> Plan:
    """Return the plan for a request as if no other program held a device: those that do are waited for."""
    from ...diagnosis.diagnose import diagnose
    from ...runtime.speed_cache import cached_speeds
    from ...selection.choose import choose
    from ...selection.situation import Criteria

    diagnosis = diagnose(machine)
    diagnosis = diagnosis.replace(
        candidates=_without_busy(diagnosis.candidates),
        by_framework=tuple((name, _without_busy(items)) for name, items in diagnosis.by_framework),
    )
    measured = cached_speeds(machine) if request.fastest or policy == "fastest" else ()
    least = None if min_memory is None else parse_memory(min_memory, "min_memory")
    criteria = Criteria(framework, least, exclude, policy, measured, count)
    return choose(machine, diagnosis, request, criteria)


def _without_busy(candidates: Sequence[Candidate]) -> Tuple[Candidate, ...]:
    return tuple(
        item.replace(usable=None, blocked_by=()) if item.blocked_by == ("device-busy",) else item for item in candidates
    )


def candidates_of(plan: Plan, count: int) -> Tuple[Candidate, ...]:
    """Return the accelerators that would do for a plan, the preferred ones first.

    Raises DeviceUnavailableError if there are none, or fewer than are wanted.
    """
    from ...runtime.notices import unavailable

    if not plan.devices or (plan.request.count and plan.fallback):
        raise unavailable(plan.selection())
    found = plan.devices + plan.alternatives
    if len(found) < count:
        raise DeviceUnavailableError(
            "%d devices were requested for '%s', but only %d can be used here: %s"
            % (count, plan.request.text, len(found), ", ".join(item.device for item in found)),
            plan.findings,
        )
    return found


#: What keeps every program from a device; all other findings are about the Python environment that devicekit itself runs in.
_OF_THE_MACHINE = {
    "no-gpu", "driver-missing", "driver-mismatch", "driver-unhealthy", "driver-shadowed", "wsl-without-gpu", "device-hidden",
    "container-without-gpu", "device-permission-denied", "directml-missing", "directml-unsupported", "rocm-missing",
}  # fmt: skip


def hardware_of(
    request: Request, count: int, machine: Machine, min_memory: Union[int, str, None] = None, policy: Policy = None
) -> Tuple[Candidate, ...]:
    """Return the accelerators that would do for a program that brings its own framework, the preferred ones first.

    None if nothing on this machine fits, or if its driver does not work.
    """
    from ...diagnosis.diagnose import diagnose

    least = 0 if min_memory is None else parse_memory(min_memory, "min_memory")
    there = []
    for item in diagnose(machine).candidates:
        platform = item.platform or _platform(item, machine)
        if item.platform != "cpu" and platform and not _OF_THE_MACHINE.intersection(item.blocked_by):
            there.append(item.replace(platform=platform, usable=True, blocked_by=()))
    request, problem = numbered(request, there, machine)
    fitting = [
        item
        for item in there
        if not problem
        and request.platform in (None, item.platform)
        and (not request.indices or number_of(item) in request.indices)
        and (item.memory_bytes is None or item.memory_bytes >= least)
    ]
    named = len(request.indices)
    if not fitting or len(fitting) < max(count, named):
        return ()
    return ordered(fitting, checked_policy(policy), (), count).candidates


def of_the_machine(plan: Plan) -> Plan:
    """Return the plan with what keeps every program from the devices as its cause, where there is such a thing.

    A program that brings its own framework does not depend on the one that is installed with devicekit.
    """
    cause = next((item for item in plan.findings if item.code in _OF_THE_MACHINE), None)
    if cause is None:
        return plan
    others = tuple(item for item in plan.findings if item is not cause)
    return plan.replace(cause=cause, findings=(cause, *others), reason=cause.summary.rstrip("."))


def _platform(candidate: Candidate, machine: Machine) -> str:
    """By what a program would reach a GPU that no framework here can use, "" if unknown."""
    place = candidate.location
    if any(place and place == gpu.bus_id for gpu in machine.rocm.gpus.or_none() or ()):
        return "rocm"
    if any(place and place == gpu.bus_id for gpu in machine.oneapi.gpus.or_none() or ()):
        return "xpu"
    gpus = [gpu for gpu in machine.driver.gpus.or_none() or () if gpu.vendor == "nvidia" and not gpu.problem]
    return "cuda" if any(place and place == gpu.bus_id for gpu in gpus) else ""
