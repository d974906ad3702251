"""What devicekit's callbacks need of the Keras that this program uses: their class, what `fit` was given, that it has ended.

What it was given is what Keras's own objects say; nothing is taken from them or changed. That it has ended is seen if nothing
tells the callbacks so: something raised outside of a step.
"""

import contextlib
import sys
import weakref
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ..cluster.strategy.cluster_environment import parse_cluster
from ..runtime.frameworks.keras_training import callback_base
from .training_record import DataSource

#: The classes that are both one of devicekit's and a callback of one Keras.
_classes: Dict[Any, Any] = {}

#: The attributes of such a callback that belong to a running training.
_RUNNING = ("_live", "_model", "_recorder", "_replay", "_watched")


def as_callback(kind: Any) -> Any:
    """Return a subclass of a class that is a ``keras.callbacks.Callback`` as well, of the Keras that this program uses.

    It is made when the first object is, so that ``import devicekit`` imports no Keras.
    """
    base = callback_base()
    if issubclass(kind, base):
        return kind
    if (kind, base) not in _classes:
        _classes[kind, base] = type(
            kind.__name__,
            (kind, base),
            {"__doc__": kind.__doc__, "__module__": kind.__module__, "__reduce__": _reduced},
        )
    return _classes[kind, base]


def speaks(environ: Mapping[str, str]) -> bool:
    """Return whether this process writes and warns: of those that train together only the first one does."""
    try:
        cluster = parse_cluster(environ)
    except ValueError:  # what sets up the training says what is wrong
        return True
    return cluster is None or (cluster.index == 0 and cluster.role == "worker")


def _reduced(callback: Any) -> Any:
    """How such a callback is copied and pickled: its options and report, without the training that it watches."""
    state = {name: None if name in _RUNNING else value for name, value in vars(callback).items()}
    if "_final" in state:
        state["_final"] = callback.report
    return _as_new, (type(callback).__bases__[0],), state


def _as_new(kind: Any) -> Any:
    return kind.__new__(kind)


#: The longest chain of datasets that is followed, and how many frames `fit` is away at most.
_LONGEST, _FRAMES = 40, 40

_KINDS = (
    ("PyDataset", "PyDataset"), ("KerasSequence", "PyDataset"), ("TorchDataLoader", "DataLoader"),
    ("Generator", "generator"), ("Dataset", "tf.data"), ("TFDataset", "tf.data"), ("Array", "arrays"),
    ("Tensor", "arrays"), ("DataHandler", "arrays"),
)  # fmt: skip


class RunningFit(NamedTuple):
    """The `fit` that calls a callback: data, the list of callbacks, which lives as long as it runs, validation data."""

    source: DataSource = DataSource()
    callbacks: Any = None
    validation: Any = None


def running_fit() -> RunningFit:
    """Return what the `fit` that is running in this thread was given, as far as it is found.

    A callback is told neither. Keras 3 has an ``epoch_iterator`` in its frame, tf.keras 2 a ``data_handler``, each with an
    adapter.
    """
    frame: Any = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name == "fit":
            handler = frame.f_locals.get("epoch_iterator") or frame.f_locals.get("data_handler")
            adapter = getattr(handler, "data_adapter", None) or getattr(handler, "_adapter", None)
            if adapter is not None:
                found = frame.f_locals
                return RunningFit(describe(adapter), found.get("callbacks"), found.get("validation_data"))
        frame = frame.f_back
    return RunningFit()


def describe(adapter: Any) -> DataSource:
    """Return what one of Keras's data adapters gets its batches from."""
    name = type(adapter).__name__
    kind = next((kind for part, kind in _KINDS if part in name), "")
    if kind == "PyDataset":
        source = getattr(adapter, "py_dataset", adapter)
        workers = getattr(source, "workers", getattr(adapter, "_workers", None))
        processes = getattr(source, "use_multiprocessing", getattr(adapter, "_use_multiprocessing", None))
        return DataSource(kind, _number(workers), processes if isinstance(processes, bool) else None)
    if kind == "DataLoader":
        workers = _number(getattr(getattr(adapter, "_dataloader", None), "num_workers", None))
        return DataSource(kind, workers, bool(workers))
    if kind == "tf.data":
        return DataSource(kind, operations=operations(getattr(adapter, "_dataset", None)))
    return DataSource(kind)


def _number(value: Any) -> Optional[int]:
    return int(value) if isinstance(value, int) else None


def operations(dataset: Any) -> Tuple[str, ...]:
    """Return the parts of a ``tf.data`` pipeline from the last to the first: ``("Prefetch", "Batch", "Map", "Range")``."""
    found = []
    for _ in range(_LONGEST):
        if dataset is None:
            break
        found.append(type(dataset).__name__.strip("_").replace("Dataset", "").replace("V2", ""))
        dataset = getattr(dataset, "_input_dataset", None)
    return tuple(found)


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
