"""What is asked for, by its text or the variable, and the plan for it on this machine, with the speeds measured on it.

`Options` are what `devicekit.auto` was asked for otherwise.
"""

from numbers import Integral
from typing import Iterable, Optional, Sequence, Tuple, Union

from ..diagnosis.diagnose import diagnose
from ..diagnosis.findings import Finding
from ..errors import unknown_name
from ..machine.detect import detect_now, real_machine, stand_ins
from ..machine.facts import Machine
from ..records import Record
from ..selection.choose import choose
from ..selection.plan import Plan
from ..selection.policies import Policy, checked_policy
from ..selection.request import Request, parse_memory, parse_request
from ..selection.situation import Criteria
from .notices import setting_finding, setting_findings
from .settings import VERIFY, read_settings

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


class Options(Record):
    """The arguments of `devicekit.auto`; ``measure`` is the name of a model, or None."""

    framework: Optional[str] = None
    memory: Union[int, str, None] = "grow"
    precision: Optional[str] = None
    verify: str = "cached"
    seed: Optional[int] = None
    policy: Policy = None
    measure: Optional[str] = None
    tune: bool = False
    exclusive: Union[bool, float] = False
    require: bool = False
    verbose: Optional[bool] = None
    quiet: Optional[bool] = None

    def checked(self) -> "Options":
        """Return the options with amounts as numbers, and with what ``DEVICEKIT_VERIFY`` says.

        Raises
        ------
        ValueError
            If one is not accepted; the message lists what is.
        """
        if self.verify not in VERIFY:
            raise ValueError(unknown_name("verify", self.verify, VERIFY))
        if not isinstance(self.tune, bool):
            raise ValueError("tune must be True or False, not %r" % (self.tune,))
        if self.quiet is not None and not isinstance(self.quiet, bool):
            raise ValueError("quiet must be True, False or None, not %r" % (self.quiet,))
        if not isinstance(self.exclusive, bool) and not (
            isinstance(self.exclusive, (int, float)) and self.exclusive >= 0
        ):
            raise ValueError(
                "exclusive must be True, False or the maximum number of seconds to wait, not %r" % (self.exclusive,)
            )
        if self.seed is not None and not (isinstance(self.seed, Integral) and 0 <= self.seed < 1 << 32):
            raise ValueError("seed must be an integer from 0 to %d, or None, not %r" % ((1 << 32) - 1, self.seed))
        memory, verify = self.memory, self.verify
        if memory not in ("grow", "all", None):
            memory = parse_memory(memory, "memory", "'grow', 'all', ")
        if verify == "cached":
            verify = read_settings().verify or verify
        return self.replace(memory=memory, verify=verify, policy=checked_policy(self.policy))

    @property
    def for_setup(self) -> "Options":
        """The options on which the setup depends: the others count only for what is raised and shown."""
        return self.replace(require=False, verbose=None, quiet=None)

    @property
    def wait_s(self) -> Optional[float]:
        """How long to wait for exclusive use at most, in seconds; None for as long as it takes."""
        return None if self.exclusive is True else float(self.exclusive)
