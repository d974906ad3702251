"""Sets up a framework for the devices of plug-ins: the adapter, and the plug-in's own call."""

import os
import sys
from typing import Any, Dict, Optional, Tuple

from ..children.locks import ForkSafeLock
from ..diagnosis.findings import Finding, name_of
from ..machine.facts import Machine, PlatformFacts
from ..plugins.calls import PluginError, call
from ..plugins.loading import at_hand
from ..selection.plan import Plan
from ..selection.request import Request
from .frameworks import Adapter, adapter

_lock = ForkSafeLock()
#: What `prepare` was called for in this process, and how it failed.
_prepared: Dict[Tuple[str, str], Optional[PluginError]] = {}


def others(machine: Machine, framework: Optional[str], device_type: str = "") -> Tuple[str, ...]:
    """Return what a framework calls the devices of the other plug-ins."""
    kinds = [item.device_type(name_of(framework)) for item in machine.platforms if item.facts.known]
    return tuple(dict.fromkeys(kind for kind in kinds if kind and kind != device_type))


def adapter_for(machine: Machine, framework: Optional[str], platform: str, device_type: str) -> Adapter:
    """Return the adapter of a framework, with the devices of the platform registered if it is a plug-in's.

    Raises
    ------
    PluginError
        If the plug-in's own call fails.
    ImportError
        Or whatever else the framework's import raises.
    """
    result = adapter(framework, device_type, others(machine, framework, device_type))
    facts = machine.platform(platform) if device_type else None
    if facts is not None:
        prepare(facts, name_of(framework))
    return result


def prepare(facts: PlatformFacts, framework: str) -> None:
    """Call the plug-in's `Platform.prepare`, once per process and framework.

    Raises
    ------
    PluginError
        If it fails, or the plug-in is not installed; the second time as well.
    """
    key = (facts.entry, framework)
    with _lock:
        if key not in _prepared:
            platform = next(iter(at_hand((facts,))), None)
            _prepared[key] = None
            try:
                if platform is None:
                    raise PluginError("it is not installed here")
                # What it prints is shown to the user: nothing here is machine-readable output.
                call("its 'prepare' for %s" % framework, platform.prepare, framework)
            except PluginError as error:
                _prepared[key] = error
        problem = _prepared[key]
    if problem is not None:
        raise PluginError(str(problem))


def scope_adapter(machine: Machine, plan: Plan, request: Request) -> Tuple[Adapter, str, Optional[Finding]]:
    """Return the adapter for a scope, the platform if it is a plug-in's, and the finding against that.

    The plug-in's variables are set here, as long as the framework is not imported.
    """
    if not machine.platforms:
        return adapter(plan.framework), "", None
    framework = name_of(plan.framework)
    platform = str(request.platform) if request.foreign else plan.platform if plan.device_type else ""
    kind = dict(request.device_types).get(framework, "") if request.foreign else plan.device_type
    if framework not in sys.modules:
        for name, value in plan.device_environment:
            os.environ.setdefault(name, value)
    try:
        return adapter_for(machine, plan.framework, platform, kind), platform, None
    except PluginError as error:
        without = adapter(plan.framework, "", others(machine, framework))
        return without, "", broken_finding(machine, platform, str(error))


def broken_finding(machine: Machine, platform: str, problem: str) -> Finding:
    """Return the finding about a plug-in that fails while a framework is set up."""
    from ..diagnosis.rules.plugins import broken

    return broken(machine.platform(platform) or PlatformFacts(platform, platform, "", ""), problem)


def task_for(machine: Machine, framework: str, platform: str, device_type: str) -> Dict[str, Any]:
    """Return what a self-test needs to know of plug-ins, as plain data; it imports them by these names."""
    facts = machine.platform(platform) if device_type else None
    loaded = facts is not None and facts.entry.partition(":")[0] in sys.modules
    return {
        "device_type": device_type,
        "others": list(others(machine, framework, device_type)),
        "prepare": facts.entry if facts is not None and loaded else "",
    }
