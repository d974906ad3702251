"""Facts, findings and a request become a `Plan`. Pure: nothing is queried, set or imported."""

from ..diagnosis.findings import Diagnosis
from ..machine.facts import Machine
from .accelerator_plan import accelerator_plan, fastest_plan
from .cpu_plan import cpu_plan, unidentified_plan, unsupported_plan
from .plan import Plan
from .policies import checked_policy
from .request import Request
from .situation import Criteria, examine


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
