"""Facts, findings and a request become a `Plan`. Pure: nothing is queried, set or imported, and speeds are handed in."""

from typing import Dict, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix, Kind, name_of
from ..machine.facts import Machine
from ..records import Record
from .cpu_plan import cpu_plan, unidentified_plan, unsupported_plan, what_there_is
from .plan import Plan, missing_device, number_of
from .policies import Order, checked_policy, ordered
from .request import Request
from .situation import Criteria, Situation, examine, first_in
from .throughput import Throughput


class Ranking(Record):
    """Devices that were measured with the same work.

    Attributes
    ----------
    rows : tuple of Throughput
        The fastest first, one for each device, at least two.
    """

    rows: Tuple[Throughput, ...]

    @property
    def devices(self) -> Tuple[str, ...]:
        """The devices, the fastest first."""
        return tuple(row.device for row in self.rows)

    @property
    def cpu(self) -> Optional[Throughput]:
        """The CPU's figures, None where it was not measured."""
        return next((row for row in self.rows if row.device == "cpu"), None)

    def __str__(self) -> str:
        """What was measured, the fastest first."""
        first = self.rows[0]
        speeds = ", ".join("%s %s" % (row.device, _figure(row)) for row in self.rows)
        return "%s of %s: %s %s/s" % (first.mode, first.model, speeds, first.unit)


def rank(rows: Sequence[Throughput], framework: Optional[str], devices: Sequence[str]) -> Optional[Ranking]:
    """Return the devices by their speed.

    Parameters
    ----------
    rows : sequence of Throughput
        Figures of this machine in its present state, the newest first.
    framework : str or None
        Whose figures count; TensorFlow 1.15 is one of TensorFlow's releases.
    devices : sequence of str
        The devices among which is chosen.

    Returns
    -------
    Ranking or None
        Only what was measured with the same model, mode, precision, compiler and input can be compared. Of several such
        benchmarks the one that has most of the devices counts, of those the newest. None where none has two of them.

    Notes
    -----
    The batch size may differ from device to device: each is measured with what fits. An accelerator that is slower than the
    CPU by no more than the noise of both comes before it.
    """
    groups: Dict[Tuple[object, ...], Dict[str, Throughput]] = {}
    for row in rows:
        if row.device not in devices or name_of(row.framework) != name_of(framework) or not row.per_second:
            continue
        same = (row.model, row.mode, row.precision, row.xla, row.input_pipeline)
        groups.setdefault(same, {}).setdefault(row.device, row)
    if not groups:
        return None
    best = max(groups.values(), key=len)  # of several with as many, the first: the newest
    if len(best) < 2:
        return None
    return Ranking(tuple(_ordered(list(best.values()))))


def _ordered(rows: List[Throughput]) -> List[Throughput]:
    ordered = sorted(rows, key=lambda row: -(row.per_second or 0.0))
    cpu = next((row for row in ordered if row.device == "cpu"), None)
    if cpu is None:
        return ordered
    ahead = [row for row in ordered if row is not cpu and not is_faster(cpu, row)]
    return ahead + [cpu] + [row for row in ordered if row is not cpu and row not in ahead]


def is_faster(first: Throughput, second: Throughput) -> bool:
    """Return whether one is faster than the other by more than the noise.

    Between rows of several processes that is: their intervals do not overlap. Of a single process only the steps are known:
    by more than twice the standard error of their difference.
    """
    if not first.per_second or not second.per_second:
        return bool(first.per_second)
    if first.interval is not None and second.interval is not None:
        return first.interval[0] > second.interval[1]
    error = ((first.uncertainty or 0.0) ** 2 + (second.uncertainty or 0.0) ** 2) ** 0.5
    return bool(first.per_second - second.per_second > 2.0 * error)


def slower_than_cpu(row: Throughput, cpu: Throughput) -> Optional[Finding]:
    """Return the finding that an accelerator is slower than the CPU; None where it is not, or only by the noise."""
    if row.device == "cpu" or not row.per_second or not cpu.per_second or not is_faster(cpu, row):
        return None
    label = "%s (%s)" % (row.device, row.name) if row.name else row.device
    work = "in %s of %s" % (row.mode, row.model)
    return Kind("slower-than-cpu", "warning").finding(
        "%s is slower than the CPU %s: %s against %s %s per second."
        % (label, work, _figure(row), _figure(cpu), row.unit),
        (_evidence(row), _evidence(cpu)),
        (
            Fix(
                "Use the CPU for work of this size; auto('fastest') takes what was measured as the faster",
                'devicekit.auto("cpu")',
            ),
            Fix(
                "Or give the device more to do at a time: a larger batch, as far as its memory goes",
                "devicekit bench --model %s --batch_size auto" % row.model,
            ),
        ),
    )


def _evidence(row: Throughput) -> Evidence:
    error = " +/- %.2g" % row.uncertainty if row.uncertainty else ""
    text = "%s%s %s per second, batch size %d, %d steps" % (
        _figure(row), error, row.unit, row.batch_size, len(row.step_seconds)
    )  # fmt: skip
    return Evidence(text, "devicekit bench --model %s, on %s" % (row.model, row.device))


def _figure(row: Throughput) -> str:
    return "%.3g" % (row.per_second or 0.0) if (row.per_second or 0.0) < 1000 else "%.0f" % (row.per_second or 0.0)


def choose(machine: Machine, diagnosis: Diagnosis, request: Request, criteria: Criteria = Criteria()) -> Plan:  # noqa: B008 - frozen
    """Decide which device to use, and what is to be done for it.

    Parameters
    ----------
    machine, diagnosis
        What is known, and what follows from it.
    request : Request
        The requested device.
    criteria : Criteria
        What else the caller asks for.

    Raises
    ------
    ValueError
        If ``framework`` or ``policy`` is unknown, or ``exclude`` contains something that is not a device.
    """
    criteria = criteria.replace(policy=checked_policy(criteria.policy))
    situation = examine(machine, diagnosis, request, criteria)
    if situation.framework.unsupported:
        return unsupported_plan(situation)
    if situation.problem:
        return unidentified_plan(situation)
    if not situation.usable:
        return cpu_plan(situation)
    if (criteria.policy == "fastest" or request.fastest) and not situation.request.indices:
        return fastest_plan(situation, criteria.measured)
    return accelerator_plan(situation, criteria)


def accelerator_plan(situation: Situation, criteria: Criteria) -> Plan:
    """Return the plan for the usable accelerator that the policy prefers."""
    usable = situation.usable
    if situation.request.indices:
        return _plan_for(situation, Order(usable))
    speeds: Sequence[str] = ()
    if criteria.policy is None and len({item.name for item in usable}) > 1:  # equal cards are equally fast
        ranking = rank(criteria.measured, situation.framework.name, [item.device for item in usable])
        speeds = ranking.devices if ranking is not None else ()
    return _plan_for(situation, ordered(usable, criteria.policy, speeds, criteria.count))


def fastest_plan(situation: Situation, measured: Sequence[Throughput]) -> Plan:
    """Return the plan for the fastest device that was measured, the CPU included; without figures, for the first one."""
    usable, framework = situation.usable, situation.framework.name
    devices = [item.device for item in usable] + ["cpu"] * situation.allows_cpu
    ranking = rank(measured, framework, devices)
    if ranking is None:
        plan = _plan_for(situation, ordered(usable, "index"))
        failed = next((row for row in measured if row.problem and _is_of(row, framework, devices)), None)
        return plan.replace(reason=plan.reason + _why_unmeasured(devices, failed))
    if ranking.devices[0] == "cpu":
        plan = cpu_plan(situation)
    else:
        plan = _plan_for(situation, Order(_by_speed(usable, ranking)))
    return _with_figures(plan, ranking, devices)


def _plan_for(situation: Situation, order: Order) -> Plan:
    """Return the plan for the first of some accelerators, or for those that the request names."""
    request, candidates = situation.request, order.candidates
    picked = candidates[:1]
    if request.indices:
        numbers = {number_of(item): item for item in candidates}
        picked = tuple(numbers[index] for index in request.indices if index in numbers)
    first, framework = picked[0], situation.framework
    kind = first.device.partition(":")[0]
    indices = tuple(number_of(item) for item in picked)
    unusable = ["%s:%d" % (kind, index) for index in request.indices if index not in indices]
    reason = _reason(situation, picked, order.reason)
    cause = None
    if unusable:
        cause = _cause_against(situation, unusable)
        reason += " (not usable: %s)" % ", ".join(unusable)
    return Plan(
        request=request,
        framework=framework.name,
        device=kind + ":" + ",".join(str(index) for index in indices),
        platform=first.platform,
        name=first.name,
        indices=indices,
        verify=True,
        environment=framework.environment + first.environment,
        libraries=situation.diagnosis.libraries_for(framework.name) if first.platform == "cuda" else (),
        memory_bytes=first.memory_bytes,
        fallback=bool(unusable),
        findings=first_in(cause, situation.diagnosis.findings),
        cause=cause,
        reason=reason,
        alternatives=() if request.indices else candidates[1:],
        devices=picked,
        device_type=first.device_type,
        device_environment=first.environment,
    )


def _cause_against(situation: Situation, devices: Sequence[str]) -> Finding:
    """Return why the first of some requested devices cannot be used: what blocks it, or that it is not here."""
    blocking = next((item.blocked_by for item in situation.accelerators if item.device == devices[0]), ())
    for code in blocking:
        finding = situation.diagnosis.by_code(code, name_of(situation.framework.name))
        if finding is not None:
            return finding
    return missing_device(devices[0], what_there_is(situation.accelerators))


def _reason(situation: Situation, picked: Sequence[Candidate], why_first: str) -> str:
    request = situation.request
    if why_first:
        return why_first if picked[0].usable else "%s; a self-test decides whether it works" % why_first
    if any(item.usable is None for item in picked):
        found = "the first accelerator that may work" if request.kind == "auto" else "asked for"
        return "%s; a self-test decides" % found
    return "the first usable accelerator" if request.kind == "auto" or not request.indices else "asked for and usable"


def _by_speed(usable: Sequence[Candidate], ranking: Ranking) -> Tuple[Candidate, ...]:
    """Return the fastest first, then what was not measured; what is slower than the CPU is left out."""
    order = list(ranking.devices)
    ahead = order[: order.index("cpu")] if "cpu" in order else order
    first = [item for name in ahead for item in usable if item.device == name]
    return (*first, *(item for item in usable if item.device not in order))


def _is_of(row: Throughput, framework: Optional[str], devices: Sequence[str]) -> bool:
    return name_of(row.framework) == name_of(framework) and row.device in devices


def _why_unmeasured(devices: Sequence[str], failed: Optional[Throughput]) -> str:
    """Say how to get figures, or why there are none; nothing if there is only one device."""
    if len(devices) < 2:
        return ""
    if failed is not None:
        return "; the speed of %s could not be measured: %s" % (failed.device, failed.problem.rstrip("."))
    return "; their speeds were not measured yet (devicekit bench --compare %s)" % ",".join(devices)


def _with_figures(plan: Plan, ranking: Ranking, devices: Sequence[str]) -> Plan:
    slower = [slower_than_cpu(row, ranking.cpu) for row in ranking.rows] if ranking.cpu is not None else []
    slow = tuple(item for item in slower if item is not None)
    unmeasured = [name for name in devices if name not in ranking.devices]
    reason = "the fastest in " + str(ranking)
    if unmeasured:
        reason += " (not measured: %s)" % ", ".join(unmeasured)
    if plan.device != "cpu":
        return plan.replace(by_speed=True, reason=reason, findings=plan.findings + slow)
    cause = slow[0] if slow else None
    return plan.replace(by_speed=True, reason=reason, fallback=False, findings=slow + plan.findings, cause=cause)
