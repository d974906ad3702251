"""Records what each layer of a model is given in one run, so that the call can be repeated alone and elsewhere."""

import contextlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ....runtime.frameworks.keras_model import layers_of, public_class, variables_of
from ....runtime.frameworks.tensors import flatten, rebuild

#: Calls of one layer that are kept: of a layer that is used in several places, or of a cell, called at every time step.
MOST_CALLS = 4

#: Calls of one layer inside one call of another: the first steps of a cell.
_MOST_INSIDE = 2


@dataclass(eq=False)
class Call:
    """One call of one layer.

    Attributes
    ----------
    layer : object
        The model's own.
    path : str
        Names of the layers that it was called in, and its own: ``"encoder/block_2/attention"``.
    number : int
        Which call of this layer it is, from 1.
    args, kwargs : tuple, dict
        What its ``call`` got, arrays as `HostArray`.
    outer : Call or None
        The recorded call inside which it was made.
    inner : list of Call
        The recorded calls that were made inside it.
    """

    layer: Any
    path: str
    number: int
    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]
    outer: "Optional[Call]" = None
    inner: "List[Call]" = field(default_factory=list)

    @property
    def operation(self) -> str:
        """The class of the layer; of a wrapper with that of what it wraps."""
        wrapped = getattr(self.layer, "layer", None) or getattr(self.layer, "forward_layer", None)
        name = public_class(self.layer)[0]
        return "%s(%s)" % (name, public_class(wrapped)[0]) if wrapped is not None else name


@contextlib.contextmanager
def unchanged(model: Any, read: Callable[[Any], Any]) -> Iterator[None]:
    """Restore everything that running a model changes in it: values of its variables, and attributes of its layers.

    Parameters
    ----------
    read : callable
        From a variable to its value as an array.
    """
    attributes = [(item, dict(vars(item))) for item in _parts(model) if hasattr(item, "__dict__")]
    values = [(variable, read(variable)) for variable in variables_of(model)]
    try:
        yield
    finally:
        for variable, value in values:
            if not np.array_equal(read(variable), value):
                variable.assign(value)
        for item, before in attributes:
            now = vars(item)
            for name in [name for name in now if name not in before]:
                del now[name]
            now.update(before)


def record(
    model: Any,
    run: Callable[[], Any],
    hold: Callable[[Any], Optional[Any]],
    inside_graph: Callable[[Any], bool],
    plain: Callable[[Any], Any] = lambda function: function,
) -> List[Call]:
    """Run a model and return the calls of the layers inside it, in the order in which they were started.

    ``hold``: from an array of the framework to a `HostArray`; None for anything else. Calls with an array that is
    ``inside_graph``, without a value, are compared as a part of the layer that they belong to. ``plain`` marks a function
    that the framework is not to translate.
    """
    recorder = _Recorder(hold, inside_graph)
    parts = [item for item in _parts(model) if item is not model and hasattr(item, "call")]
    before: List[Tuple[Any, Any]] = []
    try:
        for item in parts:
            # In the instance's dictionary, past the layer's own tracking of attributes; the class is left alone.
            before.append((item, vars(item).get("call")))
            # Keras 1.15 and 2 read and cache the signature, which is the original's.
            getattr(item, "_call_fn_args", None)
            getattr(item, "_call_accepts_kwargs", None)
            vars(item)["call"] = plain(recorder.watched(item, item.call))
        run()
    finally:
        for item, own in before:
            if own is None:
                vars(item).pop("call", None)
            else:  # as those that Keras 2 makes of TensorFlow's functions have
                vars(item)["call"] = own
    return recorder.calls


def reset_states(model: Any) -> None:
    """Let the recurrent layers that keep their state from call to call start from zeros."""
    for layer in layers_of(model):
        if getattr(layer, "stateful", False) and hasattr(layer, "reset_states"):
            layer.reset_states()


class _Recorder:
    """Notes the calls of layers, in the order in which they start."""

    def __init__(self, hold: Callable[[Any], Optional[Any]], inside_graph: Callable[[Any], bool]) -> None:
        self.calls: List[Call] = []
        self._hold, self._inside_graph = hold, inside_graph
        self._open: List[Call] = []
        self._names: List[str] = []
        self._counts: Dict[int, int] = {}

    def watched(self, layer: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a layer's ``call`` that notes itself."""

        def call(*args: Any, **kwargs: Any) -> Any:
            started = self._start(layer, args, kwargs)
            self._names.append(str(layer.name))
            try:
                return original(*args, **kwargs)
            finally:
                self._names.pop()
                if started is not None:
                    self._open.pop()

        return call

    def _start(self, layer: Any, args: Any, kwargs: Any) -> Optional[Call]:
        outer = self._open[-1] if self._open else None
        leaves = [leaf for _, leaf in flatten((args, kwargs))]
        inside = sum(item.layer is layer for item in outer.inner) if outer is not None else 0
        number = self._counts.get(id(layer), 0) + 1
        if number > MOST_CALLS or inside >= _MOST_INSIDE or any(self._inside_graph(leaf) for leaf in leaves):
            return None
        self._counts[id(layer)] = number
        held = rebuild((args, kwargs), [_held_or_same(leaf, self._hold) for leaf in leaves])
        started = Call(layer, "/".join([*self._names, str(layer.name)]), number, held[0], held[1], outer)
        self.calls.append(started)
        self._open.append(started)
        if outer is not None:
            outer.inner.append(started)
        return started


def _held_or_same(leaf: Any, hold: Callable[[Any], Optional[Any]]) -> Any:
    held = hold(leaf)
    return leaf if held is None else held


def _parts(model: Any) -> List[Any]:
    """The layers, and Keras 3's operations, which are what a functional model's arithmetic is made of."""
    found = layers_of(model)
    known = {id(item) for item in found}
    for layer in list(found):
        for operation in getattr(layer, "operations", None) or ():
            if id(operation) not in known:
                known.add(id(operation))
                found.append(operation)
    return found
