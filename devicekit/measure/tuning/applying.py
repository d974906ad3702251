"""What tuning has found, put in effect by `devicekit.auto`: variables before the framework is imported, calls after.

What the user has set stays. What comes too late, or is the program's own to write (``jit_compile``, an input pipeline),
is said and not done.
"""

import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ...diagnosis.commands import this_shell
from ...diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ...errors import DevicekitError, foreign_code, one_line
from ...machine.facts import Machine
from ...runtime.pipeline import Setup
from ...selection.plan import Plan
from ...selection.selection import Change, Selection
from .result import TunedOption, Tuning

#: Read when the devices are initialized; all other variables at the import, and LD_PRELOAD when the process starts.
_READ_LATE = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "TF_GPU_ALLOCATOR", "NPROC")

#: What only the program, or the shell that starts it, can set.
_NOT_OURS = ("xla", "prefetch", "torch_compile", "LD_PRELOAD")


class Tuned(NamedTuple):
    """The tuning to put in effect; None if there is none, and then why."""

    tuning: Optional[Tuning]
    late: Tuple[TunedOption, ...] = ()
    note: str = ""


class Tuner:
    """Two stages of `devicekit.auto`: what tuning found is prepared before the framework is set up, and finished after."""

    def __init__(self) -> None:
        self._tuned = Tuned(None)

    def prepare(self, setup: Setup) -> Setup:
        """Add variables to the plan."""
        plan, self._tuned = prepare(setup.plan, setup.machine, setup.options.measure)
        return setup.with_plan(plan)

    def finish(self, setup: Setup) -> Setup:
        """Make calls to the framework."""
        return setup.replace(selection=finish(setup.selection, self._tuned, setup.options.precision))


def prepare(plan: Plan, machine: Machine, model: Optional[str]) -> Tuple[Plan, Tuned]:
    """Return the plan with the variables of the last tuning of its device.

    Parameters
    ----------
    model : str or None
        The model to tune with if nothing is known of the machine in this state; None: nothing is measured.
    """
    if not plan.importable or plan.framework is None or plan.device == "auto":
        return plan, Tuned(None)
    tuning, note = _tuning(plan, machine, model)
    if tuning is None:
        return plan, Tuned(None, note=note)
    variables: Dict[str, str] = {}
    late: List[TunedOption] = []
    for item in tuning.kept:
        if any(name in _NOT_OURS for name, _ in item.environment):
            continue
        unset = [(name, value) for name, value in item.environment if name not in os.environ]
        if any(_too_late(name, plan) for name, _ in unset):
            late.append(item)
        else:
            variables.update(unset)
    return plan.replace(environment=plan.environment + tuple(variables.items())), Tuned(tuning, tuple(late))


def _tuning(plan: Plan, machine: Machine, model: Optional[str]) -> Tuple[Optional[Tuning], str]:
    from ...runtime.current import current_changes
    from ...runtime.settings import cache_folder, read_settings
    from ...runtime.speed_cache import state_of
    from .cache import newest

    framework = str(plan.framework)
    state = state_of(machine, current_changes())
    found = newest(cache_folder(), state, framework, plan.device)
    if found is not None or read_settings().in_trial:
        return found, ""
    if model is None:
        return None, "nothing was tuned yet (devicekit tune --device %s)" % plan.device
    from .tune import tune

    try:
        return tune(model, device=plan.device, framework=name_of(plan.framework)), ""
    except DevicekitError as error:
        return None, "nothing could be tuned: %s" % str(error).rstrip(".")


def _too_late(name: str, plan: Plan) -> bool:
    if name_of(plan.framework) not in sys.modules:
        return False
    if name not in _READ_LATE:
        return True
    from ...runtime.frameworks import is_running

    return is_running(plan.framework)


def finish(selection: Selection, tuned: Tuned, precision: Optional[str]) -> Selection:
    """Make the calls that were kept, and say what is in effect.

    Parameters
    ----------
    selection : Selection
        What `devicekit.runtime.apply` has made of the plan.
    tuned : Tuned
        As `prepare` returned it.
    precision : str or None
        The policy that the caller has asked for, which stays.
    """
    tuning = tuned.tuning
    if tuning is None:
        return selection if not tuned.note else _with_reason(selection, tuned.note)
    if selection.device != tuning.device or selection.verified is False:
        return _with_reason(selection, "the tuning of %s is not applied" % tuning.device)
    changes: List[Change] = []
    in_force: List[str] = []
    yours: List[str] = []
    parts: List[str] = []
    for item in tuning.kept:
        if item in tuned.late:
            continue
        if any(name in _NOT_OURS for name, _ in item.settings + item.environment):
            yours += list(item.calls) + ["%s=%s" % pair for pair in item.environment]
            continue
        try:
            with foreign_code():
                made = [_call(selection, name, value, precision) for name, value in item.settings]
        except Exception as error:  # Keras is imported for this, and may be broken while its framework is not
            parts.append("%s cannot be set: %s" % (item.name, one_line(error)))
            continue
        changes += [change for each in made for change in each]
        if all(made):  # an option of variables alone has no calls
            in_force.append("%s %s" % (item.name, item.setting))
    if in_force:
        gain = "" if tuning.gain is None else ", %.2f times as fast with %s" % (tuning.gain, tuning.model)
        parts.append("tuned: %s%s" % (", ".join(in_force), gain))
    elif not parts and not yours and not tuned.late:
        parts.append("tuned: the framework's defaults were the fastest")
    if yours:
        parts.append("faster still, and yours to write: %s" % ", ".join(yours))
    findings = selection.findings
    if tuned.late:
        findings += (_came_late(selection, tuned.late),)
    selection = selection.replace(changes=selection.changes + tuple(changes), findings=findings)
    return _with_reason(selection, "; ".join(parts)) if parts else selection


def _with_reason(selection: Selection, text: str) -> Selection:
    return selection.replace(reason="%s; %s" % (selection.reason, text) if selection.reason else text)


def _call(selection: Selection, name: str, value: Any, precision: Optional[str]) -> List[Change]:
    """Make one call; nothing if the user has decided otherwise."""
    if name == "precision":
        return _set_precision(selection, str(value), precision)
    if name == "intra_op_threads" and selection.framework == "torch":
        return _set_torch_threads(int(value))
    if name == "tf32" and selection.framework == "torch":
        return _allow_tf32()
    return []


def _set_precision(selection: Selection, value: str, asked: Optional[str]) -> List[Change]:
    from ...runtime.frameworks import adapter

    keras: Any = sys.modules.get("keras")
    policy = getattr(getattr(keras, "mixed_precision", None), "dtype_policy", None)
    if asked is not None or (callable(policy) and policy().name != "float32"):
        return []
    return [adapter(selection.framework).set_precision(value)]


def _set_torch_threads(number: int) -> List[Change]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    return [Change("torch", "num_threads", str(number), str(before))]


def _allow_tf32() -> List[Change]:
    import torch

    changes = []
    for name, module in (("cuda.matmul", torch.backends.cuda.matmul), ("cudnn", torch.backends.cudnn)):
        changes.append(Change("torch", "backends.%s.allow_tf32" % name, "True", str(module.allow_tf32)))
        module.allow_tf32 = True
    return changes


def _came_late(selection: Selection, late: Tuple[TunedOption, ...]) -> Finding:
    names = ", ".join("%s %s" % (item.name, item.setting) for item in late)
    variables = [pair for item in late for pair in item.environment]
    name = name_of(selection.framework)
    return Kind("runtime-already-initialized", "warning").finding(
        "%s was imported before devicekit was called: the tuned settings are not applied (%s)." % (name, names),
        (Evidence("%s is imported" % name, "sys.modules"),),
        (
            Fix(
                "Call devicekit.auto(tune=True) before the framework is imported, best in the first line of the program",
                changes="code",
            ),
            this_shell().set_all_fix("Set it in the shell that starts the program", variables, instead=True),
        ),
    )
