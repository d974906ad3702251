"""Makes classes of devicekit callbacks of the Keras that this program uses."""

from typing import Any, Dict, Mapping

from ..cluster.strategy.cluster_environment import parse_cluster
from ..runtime.frameworks.keras_training import callback_base

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
