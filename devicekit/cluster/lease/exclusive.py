"""``auto(exclusive=True)``: the device of a plan is leased before it is set up, and kept until the process ends."""

import os
from typing import List, Optional, Sequence, Tuple

from ...diagnosis.findings import Candidate, Evidence, Finding, Fix, Kind
from ...errors import LeaseTimeoutError
from ...machine.facts import Machine
from ...runtime.pipeline import Setup
from ...runtime.settings import read_settings
from ...selection.plan import Plan, number_of, to_cpu
from ...selection.policies import Policy
from ...selection.selection import Change
from .eligible_devices import candidates_of, plan_of
from .held import Lease
from .lease import take_devices

#: Leases are given back by the end of the process.
_kept: List[Lease] = []


def lease_devices(setup: Setup) -> Setup:
    """Lease the devices of a plan for this process; a stage of `devicekit.auto`."""
    if read_settings().in_trial:  # a self-test starts another process for a device that this one may hold
        return setup
    options = setup.options
    plan, changes = take_for(
        setup.plan, setup.machine, options.framework, options.policy, options.wait_s, options.require
    )
    return setup.with_plan(plan, changes)


def take_for(
    plan: Plan, machine: Machine, framework: Optional[str], policy: Policy, timeout_s: Optional[float], require: bool
) -> Tuple[Plan, Tuple[Change, ...]]:
    """Lease what a plan is about; return the plan for what was leased, and what was changed for that.

    ``plan`` was decided without regard to what others hold. If no device becomes free within ``timeout_s``, ``require``
    raises LeaseTimeoutError, otherwise the plan is for the CPU. Raises LeaseError if nothing can be leased on this
    machine.
    """
    request = plan.request
    if request.kind == "cpu":
        return plan, ()
    free = plan_of(request, 1, machine, framework, None, (), policy)
    if not free.devices:
        return plan, ()  # there is nothing to be leased: the plan says why
    plan = free
    count = len(plan.indices)
    try:
        held = take_devices(candidates_of(plan, count), count, machine, plan.framework, timeout_s)
    except LeaseTimeoutError as error:
        if require:
            raise
        return to_cpu(plan, _busy(error)), ()
    _kept.append(held)
    change = Change(
        "environment", "DEVICEKIT_LEASED", held.environment["DEVICEKIT_LEASED"], os.environ.get("DEVICEKIT_LEASED")
    )
    os.environ[change.name] = change.value  # what this process starts shares the devices
    return _for_these(plan, held.candidates), (change,)


def _for_these(plan: Plan, devices: Sequence[Candidate]) -> Plan:
    """The plan for what was leased; nothing else may take its place, for that was not leased."""
    if tuple(devices) == plan.devices:
        return plan.replace(alternatives=(), reason="%s; leased for this process alone" % plan.reason)
    first = devices[0]
    return plan.replace(
        device="%s:%s" % (first.device.partition(":")[0], ",".join(str(number_of(item)) for item in devices)),
        platform=first.platform,
        name=first.name,
        indices=tuple(number_of(item) for item in devices),
        memory_bytes=first.memory_bytes,
        devices=tuple(devices),
        alternatives=(),
        reason="%s was free first; leased for this process alone" % first.device,
    )


def _busy(error: LeaseTimeoutError) -> Finding:
    return Kind("device-busy", "warning").finding(
        "Exclusive use of a device was requested, but none became free in time.",
        tuple(Evidence(line, "devicekit leases") for line in error.holders),
        (Fix("Wait longer, or without a limit", "devicekit.auto(exclusive=True)"),),
    )
