"""That a `fit` has ended which could tell no callback so: something raised outside of a step."""

import contextlib
import sys
import weakref
from typing import Any, Callable, List, Optional


class FitEnd:
    """Calls a function once when a `fit` has ended by an exception.

    At once if a callback raises, else when its list of callbacks goes. An exception that is kept delays that. IPython keeps
    the last one, so there it looks after each cell.

    Parameters
    ----------
    callbacks : object
        Keras's list of callbacks, which lives at least as long as `fit` runs.
    ended : callable
        Called with ``"interrupted"`` or ``"failed"``; with ``"gone"`` if `fit` is not there any more, from anywhere.
    """

    def __init__(self, callbacks: Any, ended: Callable[[str], None]) -> None:
        self._callbacks = weakref.ref(callbacks)
        self._ended: Optional[Callable[[str], None]] = ended
        weakref.finalize(callbacks, self._call, "gone").atexit = False
        _watchers(callbacks).append(self._call)
        interactive = sys.modules.get("IPython")
        self._shell: Any = interactive.get_ipython() if interactive is not None else None
        if self._shell is not None:
            self._shell.events.register("post_run_cell", self.look)

    def look(self, result: Any = None) -> None:
        """Call it if `fit` has ended. IPython calls this with the result of a cell."""
        callbacks = self._callbacks()
        if callbacks is None or not _runs(callbacks):
            error = getattr(result, "error_in_exec", None)
            self._call("failed" if isinstance(error, Exception) else "interrupted")

    def forget(self) -> None:
        """Watch no more: it has ended."""
        callbacks, shell = self._callbacks(), self._shell
        self._ended = self._shell = None
        if callbacks is not None and self._call in _watchers(callbacks):
            _watchers(callbacks).remove(self._call)
        if shell is not None:
            shell.events.unregister("post_run_cell", self.look)

    def _call(self, how: str) -> None:
        ended = self._ended
        if ended is not None:
            self.forget()
            ended(how)


def keep_exit_status() -> None:
    """Let a program that Ctrl-C has ended keep SIGINT's status when something was imported at its exit.

    Python forgets it whenever a string is evaluated, as each NamedTuple does.
    """
    if getattr(sys, "last_type", None) is KeyboardInterrupt and not hasattr(sys, "ps1"):
        with contextlib.suppress(KeyboardInterrupt):
            exec("raise KeyboardInterrupt")  # noqa: S102 - a constant


def _runs(callbacks: Any) -> bool:
    """Return whether a `fit` with this list of callbacks runs in any thread. An exception may keep its frame longer."""
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_code.co_name == "fit" and frame.f_locals.get("callbacks") is callbacks:
                return True
            frame = frame.f_back  # type: ignore[assignment]
    return False


def _watchers(callbacks: Any) -> List[Callable[[str], None]]:
    """Return the functions that are called with how it ended when one of a list of callbacks raises."""
    if "_devicekit_watchers" not in vars(callbacks):
        watchers: List[Callable[[str], None]] = []
        callbacks._devicekit_watchers = watchers
        for name in dir(type(callbacks)):
            if name.startswith("on_"):
                setattr(callbacks, name, _watched(method_of(callbacks, name), watchers))
    found: List[Callable[[str], None]] = callbacks._devicekit_watchers
    return found


def _watched(method: Callable[..., Any], watchers: List[Callable[[str], None]]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return method(*arguments, **options)
        except BaseException as error:
            for watcher in list(watchers):
                watcher("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise

    return call


def method_of(target: Any, name: str) -> Callable[..., Any]:
    """Return a method of an object that does not keep the object alive."""
    if name in vars(target):
        own: Callable[..., Any] = vars(target)[name]
        return own
    held, function = weakref.ref(target), getattr(type(target), name)
    return lambda *arguments, **options: function(held(), *arguments, **options)
