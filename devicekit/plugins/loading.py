"""Finds the plug-ins that are installed, loads those of this very interpreter, once, and checks that each is as it should be.

They are found by the entry points of the distributions that have some for devicekit, which imports nothing.
"""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..children.locks import ForkSafeLock
from ..diagnosis.findings import PLATFORMS
from ..machine.entry_points import GROUP, VARIABLE, switched_off
from ..machine.facts import Distribution, PlatformFacts, Python
from ..machine.host import Host
from .calls import PluginError
from .interface import API_VERSION, Platform

#: Words of device strings that are taken.
_TAKEN = frozenset((*PLATFORMS, "auto", "fastest", "cpu", "dml", "mps", "mig"))

_NAME = re.compile(r"[a-z][a-z0-9]{0,30}$")
_VALUE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")


class EntryPoint(NamedTuple):
    """An entry point. ``problem``: why it cannot be used, "" where nothing is known against it."""

    name: str
    value: str
    distribution: str
    version: str
    folder: str
    problem: str = ""


def parse_entry_points(text: str) -> List[Tuple[str, str]]:
    """Return the names and values of the group of plug-ins.

    ::

        [console_scripts]
        acme-smi = acme.smi:main

        [devicekit.platforms]
        npu = devicekit_npu:NpuPlatform
    """
    found: List[Tuple[str, str]] = []
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line.rstrip("]").lstrip("[").strip() == GROUP
        elif inside and line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            found.append((name.strip(), value.partition("[")[0].strip()))
    return found


def find(host: Host, python: Python) -> List[EntryPoint]:
    """Return the entry points of plug-ins in the order of the path, each with what is wrong with it.

    The working folder is left out: nothing is loaded from there.
    """
    if switched_off(host.environ().get(VARIABLE, "")):
        return []
    found: List[EntryPoint] = []
    for item in _candidates(host, python):
        try:
            text = host.read_text(host.join(host.expand(item.location), "entry_points.txt"), 64 << 10)
        except OSError:  # most have none
            continue
        folder = host.path.dirname(host.expand(item.location))
        for name, target in parse_entry_points(text):
            problem = _problem(name, target, found)
            found.append(EntryPoint(name, target, item.name, item.version.or_none() or "", folder, problem))
    return found


def _candidates(host: Host, python: Python) -> Iterable[Distribution]:
    interpreter = host.interpreter
    seen = set()
    for item in python.distributions.or_none() or ():
        if item.name not in python.plugin_distributions:
            continue
        folder = host.path.dirname(host.expand(item.location))
        here = host.path.normpath(folder) == host.path.normpath(interpreter.cwd or "?")
        if (here and folder not in interpreter.site_paths) or item.name in seen:
            continue
        seen.add(item.name)  # of two copies Python imports the first
        yield item


def _problem(name: str, value: str, before: List[EntryPoint]) -> str:
    if not _NAME.match(name):
        return "its name is %.40r, expected lower-case letters and digits" % name
    if name in _TAKEN:
        return "its name '%s' is one of devicekit's own" % name
    if not _VALUE.match(value):
        return "its entry point is %.80r, not as in module:Class" % value
    other = next((item for item in before if item.name == name), None)
    if other is not None:
        return "its name '%s' is taken by %s, which comes first on the path" % (name, other.distribution)
    return ""


#: The frameworks with devices of their own.
FRAMEWORKS = ("tensorflow", "jax", "torch")

_lock = ForkSafeLock()
_loaded: Dict[str, Platform] = {}


def load(entry: EntryPoint, folder: str = "") -> Platform:
    """Return the platform of an entry point; its module is imported at the first call.

    Parameters
    ----------
    entry : EntryPoint
    folder : str
        The working folder, from which nothing is loaded.

    Raises
    ------
    PluginError
        Where what is there is no platform, or not of this interface.
    Exception
        Whatever its import raises.
    """
    with _lock:
        known = _loaded.get(entry.value)
    if known is not None:
        return known
    module, _, path = entry.value.partition(":")
    _refuse_foreign(module, entry, folder)
    found: Any = import_module(module)
    for name in path.split("."):
        if not hasattr(found, name):
            raise PluginError("the module %s has no %s" % (module, path))
        found = getattr(found, name)
    platform = checked(found() if isinstance(found, type) else found, entry.name)
    with _lock:
        return _loaded.setdefault(entry.value, platform)


def _refuse_foreign(module: str, entry: EntryPoint, folder: str) -> None:
    """Refuse a module that a file in the working folder shadows."""
    top = module.partition(".")[0]
    if top in sys.modules or not folder or folder == entry.folder:
        return
    spec = find_spec(top)
    origin = "" if spec is None or spec.origin is None else spec.origin
    shadows = "%s%s" % (top, ".py"), "%s/__init__.py" % top
    if origin.replace("\\", "/") in tuple("%s/%s" % (folder.replace("\\", "/").rstrip("/"), name) for name in shadows):
        raise PluginError("a file in the working folder shadows its module %s: nothing is loaded from there" % top)


def checked(platform: object, name: str) -> Platform:
    """Return what an entry point led to, where it is a platform of that name.

    Raises
    ------
    PluginError
        Where it is none; the text says what it is.
    """
    if not isinstance(platform, Platform):
        raise PluginError("it is a %s, not a devicekit.plugins.Platform" % type(platform).__name__)
    if platform.api_version != API_VERSION or isinstance(platform.api_version, bool):
        raise PluginError(
            "it was written for version %.20r of the interface, and this devicekit has version %d"
            % (platform.api_version, API_VERSION)
        )
    if platform.name != name:
        raise PluginError("it calls itself %.40r, and its entry point '%s'" % (platform.name, name))
    if not isinstance(platform.frameworks, Mapping):
        raise PluginError("its 'frameworks' is not a mapping")
    for framework, kind in platform.frameworks.items():
        if framework not in FRAMEWORKS or not isinstance(kind, str) or not kind.isidentifier():
            raise PluginError(
                "its 'frameworks' says %.60r; the keys are %s" % ({framework: kind}, ", ".join(FRAMEWORKS))
            )
    for attribute in ("libraries", "variables"):
        value = getattr(platform, attribute)
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(x, str) for x in value):
            raise PluginError("its %r is not a list of strings" % attribute)
    if not isinstance(platform.title, str) or not isinstance(platform.url, str):
        raise PluginError("its 'title' or 'url' is not a string")
    return platform


def at_hand(reported: Sequence[PlatformFacts]) -> Tuple[Platform, ...]:
    """Return the platforms of a machine's facts whose plug-ins are installed here, loaded."""
    wanted = [item for item in reported if item.facts.known]
    if not wanted:
        return ()
    if any(_known(item) is None for item in wanted):
        from ..machine.detect import real_machine

        real_machine()
    return tuple(platform for platform in map(_known, wanted) if platform is not None)


def _known(reported: PlatformFacts) -> Optional[Platform]:
    with _lock:
        found = _loaded.get(reported.entry)
    return found if found is not None and found.name == reported.name else None
