"""`detect`: this machine's facts, looked up once. It loads the probes and nothing else of devicekit."""

import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Mapping, Optional, Tuple

from ..children.locks import ForkSafeLock
from .host import WATCHED_MODULES
from .live_host import LiveHost
from .probe import read_machine

if TYPE_CHECKING:
    from .facts import Machine


#: The machines that `devicekit.testing.simulated_machine` has put in this one's place, the innermost last: of each thread
#: and of each task its own.
stand_ins: "ContextVar[Tuple[Machine, ...]]" = ContextVar("devicekit_stand_ins", default=())

_lock = ForkSafeLock()
_machine: "Optional[Machine]" = None
_environment_then: Tuple[Optional[str], ...] = ()


def detect(*, refresh: bool = False) -> "Machine":
    """Return what is known of this machine. Imports no framework, runs nothing, changes nothing.

    Parameters
    ----------
    refresh : bool
        Whether to look again instead of returning what the first call in this process found.
    """
    others = stand_ins.get()
    return others[-1] if others else _look(refresh)


def _look(refresh: bool) -> "Machine":
    """Return the real machine."""
    global _machine, _environment_then
    with _lock:
        if _machine is None or refresh:
            before = dict(os.environ)
            _machine = read_machine(LiveHost())
            _environment_then = _environment(before)
        return _machine


def _environment(environ: Mapping[str, str]) -> Tuple[Optional[str], ...]:
    """The variables that a machine records, those of its plug-ins among them."""
    from .probe.process import VARIABLES

    further = [name for item in _machine.platforms for name in item.variables] if _machine is not None else []
    return tuple(map(environ.get, (*VARIABLES, *further)))


def detect_now() -> "Machine":
    """Return the machine to decide for: this one as it is now, or what a test has put in its place."""
    others = stand_ins.get()
    return others[-1] if others else real_machine()


def real_machine() -> "Machine":
    """Return this machine, with the frameworks that are imported by now and the variables that are set by now.

    Whatever acts (sets up a framework, runs something on a device) asks this and never `detect_now`.
    """
    machine = _look(False)
    loaded = tuple(name for name in WATCHED_MODULES if name in sys.modules)
    if (
        loaded != tuple(module.name for module in machine.process.modules)
        or _environment(os.environ) != _environment_then
    ):
        machine = _look(True)
    return machine


def look_at_every_file() -> "Machine":
    """Return this machine after a look at every file of the installed frameworks, which takes longer."""
    return read_machine(LiveHost(), deep=True)
