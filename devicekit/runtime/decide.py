"""`plan_for`: a request becomes a plan for this machine, with its diagnosis and the speeds that were measured on it."""

from typing import Iterable, Optional, Sequence, Union

from ..diagnosis.diagnose import diagnose
from ..machine.detect import detect_now, real_machine, stand_ins
from ..machine.facts import Machine
from ..selection.choose import choose
from ..selection.plan import Plan
from ..selection.policies import Policy
from ..selection.request import Request, parse_memory
from ..selection.situation import Criteria

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..selection.throughput import Throughput


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
