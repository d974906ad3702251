"""What is asked for, by its text or the variable, and the plan for it on this machine, with the speeds measured on it."""

from typing import Iterable, Optional, Sequence, Tuple, Union

from ..diagnosis.diagnose import diagnose
from ..diagnosis.findings import Finding
from ..machine.detect import detect_now, real_machine, stand_ins
from ..machine.facts import Machine
from ..selection.choose import choose
from ..selection.plan import Plan
from ..selection.policies import Policy
from ..selection.request import Request, parse_memory, parse_request
from ..selection.situation import Criteria
from .notices import setting_finding, setting_findings
from .settings import read_settings

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..selection.throughput import Throughput


def requested(device: str) -> Tuple[Request, Tuple[Finding, ...]]:
    """Return what is asked for, by the variable if the caller leaves it open, and what is wrong with the variables."""
    settings = read_settings()
    findings = setting_findings(settings)
    request = parse_request(device)
    if request.kind == "auto" and settings.device:
        try:
            request = parse_request(settings.device)
        except ValueError as error:
            findings = (setting_finding("DEVICEKIT_DEVICE", str(error)), *findings)
    return request, findings


def plan_for(
    request: Request,
    framework: Optional[str],
    machine: Optional[Machine] = None,
    min_memory: Union[int, str, None] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
    measured: "Optional[Sequence[Throughput]]" = None,
) -> Plan:
    """Return what would have to be done; see `select_device`.

    ``measured``: figures of benchmarks; by default those that were kept of this machine, and none of another one, nor of
    one that a test has put in its place.
    """
    examined = machine if machine is not None else detect_now()
    least = None if min_memory is None else parse_memory(min_memory, "min_memory")
    if measured is None:
        measured = ()
        # Without a policy figures decide between cards of several kinds that are equally free.
        kinds = {gpu.name for gpu in examined.driver.gpus.or_none() or ()} if policy is None else set()
        wanted = request.fastest or policy == "fastest" or len(kinds) > 1
        if wanted and (not stand_ins.get() if machine is None else machine == real_machine()):
            from .speed_cache import cached_speeds

            measured = cached_speeds(examined)
    criteria = Criteria(framework, least, exclude, policy, measured)
    return choose(examined, diagnose(examined), request, criteria)
