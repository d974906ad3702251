"""What `devicekit.auto` was asked for besides the device: checked before anything is done."""

from numbers import Integral
from typing import Optional, Union

from ..errors import unknown_name
from ..records import Record
from ..selection.policies import Policy, checked_policy
from ..selection.request import parse_memory
from .settings import VERIFY, read_settings


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
