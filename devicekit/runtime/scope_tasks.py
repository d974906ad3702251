"""Scopes in coroutines: a framework's device belongs to the thread, a scope in a coroutine belongs to the task.

While any task holds a scope, every callback that the event loop runs is given the device of its own context, and the
thread gets its device back afterwards. The hook is `asyncio.Handle._run`, through which all of asyncio's own loops run
callbacks; it is put in place by the first such scope and taken out by the last. On loops that do not use it (uvloop,
trio) a scope must not be held across an ``await``; decorated coroutine functions then have the same limit.
"""

import contextvars
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from ..children.fork_safe import ForkSafeLock

#: What the current task (more exactly: context) wants: the thread state of each framework.
_wanted: "contextvars.ContextVar[Optional[Dict[str, Any]]]" = contextvars.ContextVar("devicekit_device", default=None)

_lock = ForkSafeLock()
_holders = 0
_original: Optional[Callable[[Any], Any]] = None
#: The device that each event loop's thread had when its first scope was entered, of each framework that has scopes there.
_base: Dict[int, Dict[str, Tuple[Any, Any]]] = {}


def _run_step(handle: Any) -> Any:
    """Run a callback of an event loop on its own context's device."""
    original = _original
    thread = threading.get_ident()
    base = _base.get(thread)
    if original is None or base is None:
        return (original or type(handle)._run)(handle)
    wanted = handle._context.get(_wanted) or {}
    for name, (framework, outside) in base.items():
        framework.force(wanted.get(name, outside))
    try:
        return original(handle)
    finally:
        for framework, outside in base.values():
            framework.force(outside)


def _hold(framework: Any) -> None:
    global _holders, _original
    import asyncio

    with _lock:
        _holders += 1
        thread = threading.get_ident()
        base = _base.get(thread, {})
        if framework.name not in base:
            # A new table: a step that runs now goes through the old one.
            _base[thread] = dict(base, **{framework.name: (framework, framework.state())})
            # The step that runs now began before the hook: have the thread's device restored soon after it.
            asyncio.get_event_loop().call_soon(_nothing)
        if _original is None:
            handle_class: Any = asyncio.Handle
            _original = handle_class._run
            handle_class._run = _run_step


def _nothing() -> None:
    """A callback whose only purpose is the hook around it."""


def _release() -> None:
    global _holders, _original
    import asyncio

    with _lock:
        _holders -= 1
        if _holders == 0 and _original is not None:
            handle_class: Any = asyncio.Handle
            handle_class._run = _original
            _original = None
            _base.clear()


class TaskScope:
    """A scope that belongs to the running task."""

    __slots__ = ("_before", "_framework", "_name", "_wanted_before")

    def __init__(self, framework: Any, name: Optional[str]) -> None:
        self._framework = framework
        self._name = name

    def __enter__(self) -> None:
        _hold(self._framework)
        framework = self._framework
        self._before = framework.state()
        # The framework itself merges the name with the current device; only the result is kept.
        context = framework.scope_factory()(self._name)
        context.__enter__()
        state = framework.state()
        context.__exit__(None, None, None)
        framework.force(state)
        self._wanted_before = _wanted.get()
        _wanted.set(dict(self._wanted_before or {}, **{framework.name: state}))

    def __exit__(self, *error: Any) -> None:
        # Not by a token: an asynchronous generator may be closed in another context than it was started in.
        _wanted.set(self._wanted_before)
        self._framework.force(self._before)
        _release()
