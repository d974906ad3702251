"""Calls into plug-ins: what they raise is turned into one kind of error, and what they print is kept from the output."""

import os
import sys
import threading
from typing import Any, Callable, Dict, List, Tuple

from ..children.locks import ForkSafeLock
from ..errors import DevicekitError, UnknownFactError, first_line


class PluginError(DevicekitError):
    """A plug-in did what it must not; the text says what."""


class _Aside:
    """Replaces standard output: what marked threads write is collected, everything else is passed on."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.kept: Dict[int, List[str]] = {}

    def write(self, text: str) -> int:
        kept = self.kept.get(threading.get_ident())
        if kept is None:  # without a console there is no output at all
            return int(self._real.write(text) or 0) if self._real is not None else len(text)
        kept.append(str(text)[:1000] if len(kept) < 100 else "")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


_lock = ForkSafeLock()
_open: List[_Aside] = []


def inside() -> bool:
    """Return whether this thread is in a call to a plug-in, which then asks devicekit something."""
    return any(threading.get_ident() in aside.kept for aside in tuple(_open))


def _begin() -> _Aside:
    with _lock:
        if not _open or sys.stdout is not _open[-1]:
            _open.append(_Aside(sys.stdout))
            sys.stdout = _open[-1]
        aside = _open[-1]
        aside.kept[threading.get_ident()] = []
        return aside


def _end(aside: _Aside) -> List[str]:
    with _lock:
        kept = aside.kept.pop(threading.get_ident(), [])
        _close_if_unused(aside)
        return kept


def _close_if_unused(aside: _Aside) -> None:
    # Other threads may still use it, and other code may have replaced it.
    if not aside.kept and aside in _open:
        if sys.stdout is aside:
            sys.stdout = aside._real
        _open.remove(aside)


def _in_child() -> None:
    """After a fork: the other threads that were in a plug-in are not in this process, and new ones may get their numbers."""
    own = threading.get_ident()
    for aside in reversed(tuple(_open)):
        aside.kept = {thread: kept for thread, kept in aside.kept.items() if thread == own}
        _close_if_unused(aside)


if hasattr(os, "register_at_fork"):  # not on Windows, where there is no fork
    os.register_at_fork(after_in_child=_in_child)


def call(what: str, function: Callable[..., Any], *arguments: Any) -> Tuple[Any, str]:
    """Call a function of a plug-in; return what it returned, and what it printed.

    Raises
    ------
    UnknownFactError
        As the function raised it: it asked for a fact that is not known.
    PluginError
        Where it raised anything else.
    """
    aside = _begin()
    try:
        result = function(*arguments)
    except (UnknownFactError, PluginError):
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a SystemExit, a GeneratorExit, one of its own
        raise PluginError("%s raised %s" % (what, first_line(error))) from error
    finally:
        printed = "".join(_end(aside)).strip()
    return result, printed
