"""What a `device_scope` places things on: request, plan, the framework's name for the device, and a warning if it is less."""

import sys
from typing import NamedTuple, Optional, Tuple

from ..diagnosis.findings import Finding, name_of
from ..errors import FallbackWarning, notify, text_of
from ..machine.detect import real_machine
from ..machine.facts import Machine
from ..selection.plan import Plan, missing_device
from ..selection.request import Request, parse_request
from ..selection.selection import Selection
from .current import current_selection
from .decide import plan_for
from .frameworks import Adapter
from .notices import family_of, named_request, setting_findings, unavailable
from .plugin_devices import scope_adapter
from .settings import read_settings


class Target(NamedTuple):
    """A device of a framework: ``name`` is what the framework calls it; there is no adapter if there is no framework.

    ``is_less``: whether it is not what was asked for.
    """

    selection: Selection
    name: Optional[str] = None
    adapter: Optional[Adapter] = None
    is_less: bool = False


def resolve(device: Optional[str], framework: Optional[str], require: bool) -> Target:
    """Find the device for a scope: the machine's facts first, then what the framework lists.

    Raises
    ------
    DeviceUnavailableError
        With ``require``, if the device cannot be used.
    """
    settings = read_settings()
    for finding in setting_findings(settings):
        notify(finding, family_of(finding), settings.quiet)
    request, framework = _requested(device, framework)
    machine = real_machine()
    # Of several devices, the first that the framework sees.
    plan = plan_for(request, framework, machine, policy="index")
    target = _without_framework(plan) or _with_framework(plan, machine)
    if target.is_less:
        if require:
            raise unavailable(target.selection)
        for finding in target.selection.findings[:1]:
            notify(finding, FallbackWarning, settings.quiet, named_request(target.selection))
    return target


def _requested(device: Optional[str], framework: Optional[str]) -> Tuple[Request, Optional[str]]:
    """Return what is asked for; what the caller leaves open is what `auto` chose."""
    current = current_selection()
    if device is None:
        device = current.device.partition(",")[0] if current is not None else "auto"
    if framework is None and current is not None and current.framework is not None and current.device != "auto":
        framework = name_of(current.framework)
    return parse_request(device), framework


def _without_framework(plan: Plan) -> Optional[Target]:
    """Return the target if there is no framework, none that devicekit supports, or one that cannot be imported.

    The body's own import raises the error, as it would without a scope.
    """
    selection = plan.selection()
    framework = name_of(selection.framework)
    supported = selection.framework is not None and selection.device != "auto"
    if supported and (framework in sys.modules or not any(framework in item.blocks for item in plan.findings)):
        return None
    return Target(selection, is_less=True)


def _with_framework(plan: Plan, machine: Machine) -> Target:
    """Ask the framework for the device."""
    request, selection = plan.request, plan.selection()
    unidentified = bool(request.identifiers) and not plan.indices
    if plan.by_speed or (request.identifiers and not unidentified):  # the framework is asked for what was decided
        request = parse_request(plan.device)
    if plan.libraries and name_of(plan.framework) not in sys.modules:
        from .preload import load

        load(plan.libraries)
    adapter, platform, problem = scope_adapter(machine, plan, request)
    name = None
    try:
        if not unidentified and problem is None:
            name = adapter.device_name(request)
    except Exception as error:  # the framework cannot start its devices
        selection = _without_devices(selection, adapter, error)
    if problem is not None:
        selection = _cpu_for(selection, problem)
    is_less = name is None and (request.kind != "auto" or _fell_back(plan))
    if name is None:
        name = adapter.cpu
    if name.rpartition("/device:")[2].lower().rpartition(":")[0].endswith("cpu"):
        if is_less and request.kind == "cpu":
            missing = missing_device(selection.requested, "%s does not list it" % adapter.title, adapter.title)
            selection = _cpu_for(selection, missing)
        selection = _on_cpu(selection, adapter, name, is_less)
    else:
        selection = _on_accelerator(selection, adapter, name, request, platform)
    return Target(selection, name, adapter, is_less)


def _fell_back(plan: Plan) -> bool:
    """Whether the CPU is less than the best device that this machine has, if the caller leaves the choice open."""
    if plan.device == "cpu":
        return plan.fallback
    current = current_selection()  # if `auto` left the CPU only, it has answered
    return current is None or not current.device.startswith("cpu")


def _on_cpu(selection: Selection, adapter: Adapter, name: str, is_less: bool) -> Selection:
    reason = selection.reason
    if is_less and selection.device != "cpu":
        asked = named_request(selection) or selection.device
        reason = "'%s' is not visible to %s" % (asked, adapter.title)
        cause = missing_device(asked, _why_invisible(adapter), adapter.title)
        selection = selection.replace(name="", findings=(cause, *selection.findings))
    number = name.rpartition(":")[2]
    return selection.replace(
        device="cpu" if number == "0" else "cpu:%s" % number, platform="cpu", reason=reason, fallback=is_less
    )


def _why_invisible(adapter: Adapter) -> str:
    """Return why a framework does not list a device that this machine has."""
    current = current_selection()
    if current is None or current.device == "auto":
        return "%s does not list it" % adapter.title
    return "devicekit.auto(%r) left %s in this process" % (
        current.requested, "the CPU only" if current.device.startswith("cpu") else "%s and the CPU" % current.device
    )  # fmt: skip


def _on_accelerator(selection: Selection, adapter: Adapter, name: str, request: Request, platform: str) -> Selection:
    kind, _, number = name.rpartition("/device:")[2].rpartition(":")
    # The machine's number if that was asked for; the framework's own counts the visible devices.
    shown = request.indices[0] if request.indices and not request.native else int(number)
    selection = selection.replace(
        device="%s:%d" % (platform or ("tpu" if kind == "tpu" else "gpu"), shown), fallback=False
    )
    if selection.platform != "cpu":
        return selection
    # The framework lists what the facts did not promise.
    reason = "asked for, and listed by %s" % adapter.title
    return selection.replace(platform=platform or adapter.platform(name), name="", reason=reason)


def _without_devices(selection: Selection, adapter: Adapter, error: Exception) -> Selection:
    """Hide the devices that the framework cannot start, so that the CPU computes."""
    from .trial.findings import judge_error

    plan = Plan(parse_request(selection.requested), selection.framework, "cpu", "cpu", "")
    finding = judge_error(type(error).__name__, text_of(error), plan, "list")
    finding = next((item for item in selection.findings if item.code == finding.code), finding)  # it was predicted
    others = tuple(item for item in selection.findings if item is not finding)
    adapter.reset()
    adapter.set_visible(())
    return _cpu_for(selection.replace(findings=others), finding)


def _cpu_for(selection: Selection, finding: Finding) -> Selection:
    """Return the CPU instead of what a finding blocks."""
    return selection.replace(
        device="cpu",
        platform="cpu",
        name="",
        findings=(finding,) + tuple(selection.findings),
        reason=finding.summary.rstrip("."),
    )
