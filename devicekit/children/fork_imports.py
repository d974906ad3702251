"""A fork waits until other threads have imported what they are importing of devicekit.

A module that is being imported is locked, and in the child the thread that would unlock it is not there: the child's own
import of it would wait for ever. If waiting takes too long, the child forgets what was half imported, and imports it again:
a module may need a lock that the fork has taken by now, as that of `logging`.

What the forking thread itself is importing is another matter: a signal handler that forks in the midst of an import, and its
child, get the half-imported module of any package, as in an import that goes in a circle. The child's error says so.
`devicekit/__init__.py` loads this before anything else, so it imports only what every interpreter has.
"""

import _imp
import sys
import time
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

#: How long a fork waits.
_PATIENCE_S = 2.0

#: Whether the fork that is being made has taken the lock without which no import begins.
_taken = False

#: What was half imported then. In the child it cannot be found out: the frames of other threads are gone.
_half: "List[str]" = []


def _before() -> None:
    global _taken, _half
    end = time.monotonic() + _PATIENCE_S
    _imp.acquire_lock()
    _half = _others_import()
    while _half and time.monotonic() < end:
        _imp.release_lock()
        time.sleep(0.001)
        _imp.acquire_lock()
        _half = _others_import()
    _taken = True


def _in_parent() -> None:
    global _taken
    if _taken:  # not if another thread imported this while a fork was being made
        _taken = False
        _imp.release_lock()


def _in_child() -> None:
    for name in _half:
        _locks().pop(name, None)
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]
    _in_parent()


def _others_import() -> "List[str]":
    """Return what threads other than this one have half imported, if devicekit is among it or imports it.

    A module's lock is there as long as its import takes; one without an owner is about to be taken.
    """
    owners: "Dict[Any, List[str]]" = {}
    for name, reference in list(_locks().items()):
        lock = reference()
        if lock is not None:
            owners.setdefault(getattr(lock, "owner", None), []).append(name)
    owners.pop(get_ident(), None)
    if not owners:
        return []
    frames = sys._current_frames()
    frames.pop(get_ident())  # a frame that holds itself would keep the locks that it has seen, as if they were in use
    return [name for owner, names in owners.items() if _is_ours(names, frames.get(owner)) for name in names]


def _is_ours(names: "List[str]", frame: "Any") -> bool:
    """Return whether something of devicekit is imported, or is what imports: its own imports are lazy."""
    if any(name.partition(".")[0] == "devicekit" for name in names):
        return True
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == "devicekit":
            return True
        frame = frame.f_back
    return False


def _locks() -> "Dict[str, Any]":
    """Return the locks of modules by name. Private, and the same in Python 3.7 to 3.13: there is no other way to ask."""
    locks: "Dict[str, Any]" = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    return locks


try:
    from posix import register_at_fork
except ImportError:  # Windows has no fork
    pass
else:
    register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
