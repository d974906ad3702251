"""`device_scope`: a context manager and decorator that places what is inside on a device.

It uses the framework's own scope. Where that belongs to a thread and the code is a coroutine, whose steps share the
thread with other tasks, every task keeps its own device.
"""

import contextvars
import functools
import inspect
import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple, TypeVar

from ..children.locks import ForkSafeLock
from ..selection.request import parse_request
from ..selection.selection import Selection

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


F = TypeVar("F", bound=Callable[..., Any])


class _Place(NamedTuple):
    """A resolved device: what is yielded, the framework's name, and the framework's scope."""

    selection: Selection
    name: Optional[str]
    factory: Optional[Callable[[Optional[str]], Any]]
    framework: Any
    #: Where the framework has them: what sets the thread to the device, and what sets it back.
    enter: Optional[Callable[[], Any]] = None
    leave: Optional[Callable[[Any], Any]] = None


#: Stands for a scope where there is nothing to place, in the form of what a switch leaves to be done.
_NOTHING = (lambda before: None, None)

#: Resolved devices. Only what cannot change any more is kept: the framework's devices are fixed once it runs.
_places: Dict[Tuple[Optional[str], Optional[str], bool], _Place] = {}
_accepted: Set[Optional[str]] = set()
# What is looked up on every entry.
_modules = sys.modules
_thread_number = threading.get_ident


def forget_devices() -> None:
    """Resolve devices again, after `auto` has changed which are visible."""
    with _lock:
        _places.clear()


class device_scope:
    """Place variables, operations and ``model.fit`` on a device.

    Parameters
    ----------
    device : str or None
        See `devicekit.select_device`; exactly one device. Numbers count the machine's accelerators in the framework's
        order; TensorFlow's own names (``"/CPU:1"``) count its logical devices. ``"cpu:1"``: the second of several, where
        TensorFlow's CPU was split or JAX was given more. By default what `devicekit.auto` chose.
    framework : {"tensorflow", "keras", "jax", "torch"} or None
        See `devicekit.select_device`.
    require : bool
        Whether to raise where the device cannot be used; otherwise the CPU is used, with a warning.

    Yields
    ------
    Selection
        The device in use.

    Raises
    ------
    DeviceUnavailableError
        On entry, with ``require=True``.
    ValueError
        Where the device string is unknown or names several devices.

    Notes
    -----
    Re-entrant, nests, and restores the outer device, also after an exception. Every thread has its own scopes. In a
    coroutine the scope belongs to the task: it is left while the task waits, and entered again when it goes on. As a
    decorator it works on functions, generator functions and coroutine functions.
    """

    __slots__ = ("_context", "_key", "_others", "_thread")

    def __init__(self, device: Optional[str] = None, *, framework: Optional[str] = None, require: bool = False) -> None:
        try:
            if device not in _accepted:
                _accept(device)
        except TypeError:  # a list, say, which no set can hold
            _accept(device)
        self._key = (device, framework, require)
        self._context: Any = None
        # Entries after the first one: the same object may be entered again, and in several threads.
        self._others: Optional[List[Tuple[int, Any]]] = None

    def __enter__(self) -> Selection:
        place = _places.get(self._key) or _resolve(self._key)
        events = _modules.get("asyncio.events")
        if place.factory is None:
            context: Any = _NOTHING
        elif events is not None and events._get_running_loop() is not None:
            context = TaskScope(place.framework, place.name)
            context.__enter__()
        elif place.enter is not None:
            context = (place.leave, place.enter())
        else:
            context = place.factory(place.name)
            context.__enter__()
        if self._context is None:
            self._context = context
            self._thread = _thread_number()
        else:
            self._others = (self._others or []) + [(_thread_number(), context)]
        return place.selection

    def __exit__(self, *error: Any) -> None:
        if self._others:
            context = self._innermost()
        else:
            context, self._context = self._context, None
        if type(context) is tuple:
            leave, before = context
            leave(before)
        else:
            context.__exit__(*error)

    def _innermost(self) -> Any:
        """Take out what this thread entered last."""
        thread = _thread_number()
        others = self._others or []
        for position in reversed(range(len(others))):
            if others[position][0] == thread:
                return others.pop(position)[1]
        context = self._context
        # The next entry takes the place of the first, so that leaving it is found there.
        self._thread, self._context = others.pop(0)
        return context

    def __call__(self, function: F) -> F:
        """Return the function so wrapped that its body runs in the scope."""
        device, framework, require = self._key

        def again() -> device_scope:
            return device_scope(device, framework=framework, require=require)

        return wrap(function, again)


def wrap(function: F, again: Callable[[], Any]) -> F:
    """Return a function, coroutine function or generator function whose body runs in a scope; ``again`` makes one."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def in_task(*args: Any, **kwargs: Any) -> Any:
            with again():
                return await function(*args, **kwargs)

        return in_task  # type: ignore[return-value]
    if inspect.isgeneratorfunction(function):
        return _wrap_generator(function, again)  # type: ignore[return-value]

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with again():
            return function(*args, **kwargs)

    return inside  # type: ignore[return-value]


def _wrap_generator(function: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    """Enter the scope for each step of a generator, so that its caller is not left in it."""

    @functools.wraps(function)
    def stepwise(*args: Any, **kwargs: Any) -> Any:
        steps = function(*args, **kwargs)
        send, value = steps.send, None
        while True:
            try:
                with again():
                    item = send(value)
            except StopIteration as end:
                return end.value
            try:
                value = yield item
                send = steps.send
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:
                send, value = steps.throw, error

    return stepwise


def _accept(device: Optional[str]) -> None:
    """Check a device string once."""
    if device is not None and parse_request(device).count > 1:
        raise ValueError(
            "a scope is one device, %r are several; use tf.distribute or keras.distribution for those" % device
        )
    _accepted.add(device)


def _resolve(key: Tuple[Optional[str], Optional[str], bool]) -> _Place:
    """Find the device behind a string, and keep it if it cannot change any more."""
    from .scope_target import resolve

    target = resolve(*key)
    adapter = target.adapter
    if adapter is None:
        return _Place(target.selection, None, None, None)
    switch = adapter.switch(str(target.name)) or ()
    place = _Place(target.selection, target.name, adapter.scope_factory(), adapter, *switch)
    if adapter.settled():
        with _lock:
            _places[key] = place
    return place
