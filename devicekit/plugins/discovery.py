"""Which plug-ins are installed: by the entry points of the distributions that have some for devicekit. Nothing is imported."""

import re
from typing import Iterable, List, NamedTuple, Tuple

from ..diagnosis.findings import PLATFORMS
from ..machine.entry_points import GROUP, VARIABLE, switched_off
from ..machine.facts import Distribution, Python
from ..machine.host import Host

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
