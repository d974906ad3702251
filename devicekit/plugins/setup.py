"""Sets up a framework for a device of a plug-in's platform: its adapter, and the plug-in's own call."""

import os
import sys
import threading
from typing import Any, Dict, Optional, Tuple

from ..diagnosis.findings import Finding, name_of
from ..machine.facts import Machine, PlatformFacts
from ..runtime.frameworks import Adapter, adapter
from ..selection.plan import Plan
from ..selection.request import Request
from .calls import PluginError, call
from .loading import at_hand

__all__ = ["adapter_for", "broken_finding", "others", "prepare", "scope_tool", "task_for"]

_lock = threading.RLock()
#: What `prepare` was called for in this process, and what came of it.
_prepared: Dict[Tuple[str, str], Optional[PluginError]] = {}


def others(machine: Machine, framework: Optional[str], device_type: str = "") -> Tuple[str, ...]:
    """Return what a framework calls the devices of plug-ins that are not meant."""
    kinds = [item.device_type(name_of(framework)) for item in machine.platforms if item.facts.known]
    return tuple(dict.fromkeys(kind for kind in kinds if kind and kind != device_type))


def adapter_for(machine: Machine, framework: Optional[str], platform: str, device_type: str) -> Adapter:
    """Return the adapter of a framework, with the devices of the platform registered where it is a plug-in's.

    Raises
    ------
    PluginError
        Where the plug-in's own call fails.
    ImportError
        Or whatever else the framework's import raises.
    """
    found = adapter(framework, device_type, others(machine, framework, device_type))
    told = machine.platform(platform) if device_type else None
    if told is not None:
        prepare(told, name_of(framework))
    return found


def prepare(told: PlatformFacts, framework: str) -> None:
    """Call the plug-in's `Platform.prepare`, once in a process for a framework.

    Raises
    ------
    PluginError
        Where it fails, or the plug-in is not here; the second time as well.
    """
    key = (told.entry, framework)
    with _lock:
        if key not in _prepared:
            platform = next(iter(at_hand((told,))), None)
            _prepared[key] = None
            try:
                if platform is None:
                    raise PluginError("it is not installed here")
                # What it prints is its user's to see: this is no report.
                call("its 'prepare' for %s" % framework, platform.prepare, framework)
            except PluginError as error:
                _prepared[key] = error
        problem = _prepared[key]
    if problem is not None:
        raise PluginError(str(problem))


def scope_tool(machine: Machine, plan: Plan, request: Request) -> Tuple[Adapter, str, Optional[Finding]]:
    """Return the adapter for a scope, the word for its device where that is a plug-in's, and what speaks against it.

    What the plug-in wants to be set is set here, as long as the framework is not imported.
    """
    framework = name_of(plan.framework)
    word = str(request.platform) if request.foreign else plan.platform if plan.device_type else ""
    kind = dict(request.device_types).get(framework, "") if request.foreign else plan.device_type
    if framework not in sys.modules:
        for name, value in plan.device_environment:
            os.environ.setdefault(name, value)
    try:
        return adapter_for(machine, plan.framework, word, kind), word, None
    except PluginError as error:
        found = adapter(plan.framework, "", others(machine, framework))
        return found, "", broken_finding(machine, word, str(error))


def broken_finding(machine: Machine, platform: str, problem: str) -> Finding:
    """Return the finding about a plug-in that fails at work."""
    from ..diagnosis.rules.broken_plugins import broken

    return broken(machine.platform(platform) or PlatformFacts(platform, platform, "", ""), problem)


def task_for(machine: Machine, framework: str, platform: str, device_type: str) -> Dict[str, Any]:
    """Return what a child has to know of plug-ins to try a device, as plain data; it imports them by these names."""
    told = machine.platform(platform) if device_type else None
    loaded = told is not None and told.entry.partition(":")[0] in sys.modules
    return {
        "device_type": device_type,
        "others": list(others(machine, framework, device_type)),
        "prepare": told.entry if told is not None and loaded else "",
    }
