"""What plug-ins tell of platforms that devicekit itself does not know, with the environment variables that they read."""

from dataclasses import replace
from typing import Dict, Sequence

from ...plugins.interface import Platform
from ...plugins.probes import read_platforms
from ..facts import Machine
from ..host import Host

__all__ = ["with_platforms"]


def with_platforms(machine: Machine, host: Host, handed: Sequence[Platform]) -> Machine:
    """Return a machine with what the plug-ins tell of it."""
    told = read_platforms(host, machine.python, handed)
    if not told:
        return machine
    environ = host.environ()
    values: Dict[str, str] = dict(machine.process.environ)
    for name in [name for item in told for name in item.variables]:
        if name in environ:
            values.setdefault(name, host.scrub(environ[name]))
    process = replace(machine.process, environ=tuple(sorted(values.items())))
    return replace(machine, platforms=told, process=process)
