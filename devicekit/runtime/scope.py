"""`device_scope`: a context manager and decorator that places what is inside on a device.

It uses the framework's own scope. Where that belongs to a thread and the code is a coroutine, whose steps share the
thread with other tasks, `devicekit.runtime.scope_tasks` keeps every task on its own device.
"""

import functools
import inspect
import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple, TypeVar

from ..children.fork_safe import ForkSafeLock
from ..selection.request import parse_request
from ..selection.selection import Selection

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
_lock = ForkSafeLock()
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
            from .scope_tasks import TaskScope

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
