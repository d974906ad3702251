"""`detect`: this machine's facts, looked up once. It loads the probes and nothing else of devicekit."""

import os
import sys
import threading
from typing import TYPE_CHECKING, Mapping, Optional, Tuple

from .host import WATCHED_MODULES, LiveHost
from .probe import read_machine

if TYPE_CHECKING:
    from .facts import Machine

__all__ = ["detect", "detect_now", "look_at_every_file"]

_lock = threading.RLock()
_machine: "Optional[Machine]" = None
_environment_then: Tuple[Optional[str], ...] = ()


def detect(*, refresh: bool = False) -> "Machine":
    """Return what is known of this machine. Imports no framework, runs nothing, changes nothing.

    Parameters
    ----------
    refresh : bool
        Whether to look again instead of returning what the first call in this process found.

    .. versionadded:: 0.1.0
    """
    global _machine, _environment_then
    with _lock:
        if _machine is None or refresh:
            before = dict(os.environ)
            _machine = read_machine(LiveHost())
            _environment_then = _environment(before)
        return _machine


def _environment(environ: Mapping[str, str]) -> Tuple[Optional[str], ...]:
    """The variables that a machine records."""
    from .probe.process import VARIABLES

    return tuple(map(environ.get, VARIABLES))


def detect_now() -> "Machine":
    """Return this machine, with the frameworks that are imported by now and the variables that are set by now."""
    machine = detect()
    loaded = tuple(name for name in WATCHED_MODULES if name in sys.modules)
    if (
        loaded != tuple(module.name for module in machine.process.modules)
        or _environment(os.environ) != _environment_then
    ):
        machine = detect(refresh=True)
    return machine


def look_at_every_file() -> "Machine":
    """Return this machine after a look at every file of the installed frameworks, which takes longer."""
    return read_machine(LiveHost(), deep=True)
