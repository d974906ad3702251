"""`devicekit.auto` as a straight line: request, plan, stages that acquire what the plan needs, apply, check.

Every stage takes a `Setup` and returns it with its own part done. `run` calls them in order; which ones there are, its
caller says: leasing, measuring and tuning belong to packages above this one.
"""

from typing import Callable, Sequence, Tuple

from ..errors import log
from ..machine.detect import real_machine, stand_ins
from ..machine.facts import Machine
from ..records import Record
from ..selection.plan import Plan
from ..selection.request import Request
from ..selection.selection import Change, Selection
from .current import lock, selection_for, set_current
from .decide import Options, plan_for, requested
from .notices import announce, unavailable
from .settings import read_settings


class Setup(Record):
    """A device on its way from a request to a framework that uses it.

    Attributes
    ----------
    request : Request
    options : Options
    machine : Machine
        This machine, as it was when the plan was made.
    plan : Plan
        What is to be done.
    selection : Selection
        What was done; as long as nothing was, what the plan promises.
    changes : tuple of Change
        What stages changed before the plan was applied.
    """

    request: Request
    options: Options
    machine: Machine
    plan: Plan
    selection: Selection
    changes: Tuple[Change, ...] = ()

    @classmethod
    def begin(cls, request: Request, options: Options) -> "Setup":
        """Plan what was asked for."""
        machine = real_machine()
        plan = plan_for(request, options.framework, machine, policy=options.policy)
        return cls(request, options, machine, plan, plan.selection())

    def with_plan(self, plan: Plan, changes: Sequence[Change] = ()) -> "Setup":
        """Return the setup with another plan."""
        return self.replace(plan=plan, selection=plan.selection(), changes=self.changes + tuple(changes))


Stage = Callable[[Setup], Setup]


def apply(setup: Setup) -> Setup:
    """Set the framework up as planned."""
    from .apply import apply_plan

    return setup.replace(selection=apply_plan(setup.plan, setup.machine, setup.options))


def run(device: str, options: Options, stages: Sequence[Stage] = (apply,)) -> Selection:
    """Plan a device, take it through the stages, and check what came of it.

    Parameters
    ----------
    device : str
        See `devicekit.auto`.
    options : Options
    stages : sequence of Stage
        `apply` among them.

    Raises
    ------
    DeviceUnavailableError
        With ``options.require``, if the device cannot be used.
    ValueError
        If the device or an option is not accepted.
    """
    request, findings = requested(device)
    options = options.checked()
    if stand_ins.get():
        log(
            "warning",
            "auto() sets up this real machine, even inside simulated_machine(); select_device() answers for the simulated one",
        )
    arguments = (request, options.for_setup)
    with lock:
        selection = selection_for(arguments)
        if selection is None:
            setup = Setup.begin(request, options)
            if options.require and _is_less(setup.selection, request):  # known without importing a framework
                raise unavailable(setup.selection)
            for stage in stages:
                setup = stage(setup)
            selection = setup.selection.replace(
                findings=setup.selection.findings + tuple(findings), changes=setup.changes + setup.selection.changes
            )
            set_current(arguments, selection)
            from .scope import forget_devices

            forget_devices()
    _check(selection, request, options)
    return selection


def _check(selection: Selection, request: Request, options: Options) -> None:
    """Raise if less than what is required can be used; warn of what the user must know."""
    if options.require and _is_less(selection, request):
        raise unavailable(selection)
    announce(selection, read_settings().quiet, options.verbose)


def _is_less(selection: Selection, request: Request) -> bool:
    """Whether less is set up than was required."""
    if request.kind == "cpu":
        return selection.verified is False or (
            selection.fallback and selection.device == "cpu" and bool(request.indices)
        )
    if request.fastest and selection.device == "cpu":
        return selection.fallback  # it may be the fastest
    return selection.device in ("cpu", "auto")
