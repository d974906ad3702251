"""What finding the first NaN of a training needs of Keras and of the framework below it.

A `Replay` keeps the batch of each step, copies a model's whole state to the host and back, repeats a step with the function
that `fit` compiled, and traces a step: it runs it eagerly and looks at what goes into and out of each layer, both ways.
"""

import contextlib
import functools
import re
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from .training import NonFinite, leaves

#: The floating-point types that have a NumPy of their own kind only through another package.
_SMALL = ("bfloat16", "float8")


class State(NamedTuple):
    """A model's state: the variables with their names and values, and what the framework's random numbers depend on."""

    names: Tuple[str, ...]
    values: Tuple[np.ndarray, ...]
    variables: Tuple[Any, ...] = ()
    random: Any = None

    @property
    def nbytes(self) -> int:
        return sum(value.nbytes for value in self.values)


class Traced(NamedTuple):
    """A traced step: the first value that is not finite, and the largest that is, in magnitude."""

    first: Optional[NonFinite]
    largest: float


class Usual(NamedTuple):
    """What is not finite in a step that goes well, such as a mask of minus infinity: places, and operations that make it."""

    places: FrozenSet[Tuple[str, str]] = frozenset()
    operations: Tuple[str, ...] = ()


NOTHING = Usual()


class Held:
    """An iterator that remembers the batches that it gave; ``kept``: makes what is remembered."""

    def __init__(self, iterator: Any, kept: Callable[[Any], Any] = lambda batch: batch) -> None:
        self._iterator, self._kept = iterator, kept
        self.batches: List[Any] = []

    def __iter__(self) -> "Held":
        return self

    def __next__(self) -> Any:
        return self._given(next(self._iterator))

    def get_next(self) -> Any:
        return self._given(self._iterator.get_next())

    def _given(self, batch: Any) -> Any:
        self.batches.append(self._kept(batch))
        return batch


class Done(Exception):
    """Ends a traced step once the gradients are known."""


def as_float(value: Any) -> Optional[np.ndarray]:
    """Return an array of a floating-point type as NumPy's, None for anything else."""
    array: np.ndarray = np.asarray(value)
    if array.dtype.kind == "f":
        return array
    return np.asarray(array, "float32") if array.dtype.name.startswith(_SMALL) else None


def is_finite(array: Optional[np.ndarray]) -> bool:
    """Return whether an array has no NaN and no infinity."""
    if array is None or array.size == 0:
        return True
    if array.dtype.itemsize >= 4:  # one pass, and nothing allocated; a sum of squares may overflow
        flat = array.reshape(-1)
        with np.errstate(all="ignore"):
            if np.isfinite(np.dot(flat, flat)):
                return True
    return bool(np.isfinite(array).all())


def unfit(state: State) -> List[str]:
    """Return the names of the variables that are not finite. A metric may be NaN, and the scale of a loss infinite."""
    return [name for name, value in zip(state.names, state.values) if _is_kept(name) and not is_finite(as_float(value))]


def _is_kept(name: str) -> bool:
    return not name.startswith("metrics/") and "scale" not in name.rpartition("/")[2]


def _dtype_of(tensor: Any) -> str:
    """Return the name of a floating-point tensor's type, "" of anything else."""
    return "".join(re.findall(r"b?float\w+", str(getattr(tensor, "dtype", "")))[:1])


def size_of(values: Any) -> int:
    """Return the bytes of the arrays in a batch."""
    total = 0
    for leaf in leaves(values):
        known = getattr(leaf, "nbytes", None)
        if isinstance(known, int):
            total += known
            continue
        shape, dtype = getattr(leaf, "shape", None), getattr(leaf, "dtype", None)
        counter = getattr(shape, "num_elements", None)  # TensorFlow's: None of a ragged tensor
        count = 64 if shape is None else (counter() if counter is not None else None) or 1024
        total += count * int(getattr(dtype, "itemsize", None) or getattr(dtype, "size", None) or 8)
    return total


class Trace:
    """Collects what is seen while one step runs eagerly. ``usual``: what to pass over; None: all is collected as usual."""

    def __init__(
        self, to_array: Callable[[Any], Optional[np.ndarray]], batch_size: Optional[int], usual: Optional[Usual] = None
    ) -> None:
        self._to_array = to_array
        self._usual, self.collects = usual, usual is None
        self._passed: List[str] = list((usual or NOTHING).operations)
        self.places: Set[Tuple[str, str]] = set()
        self._batch_size = batch_size
        self.stack: List[str] = []
        self._ranges: List[List[float]] = []
        self.first: Optional[NonFinite] = None
        self.largest = 0.0
        self.gradients = False
        self._operation = [("", "")] * 2  # and the type of its result
        self._forward_ended = self.updating = False

    def traced(self) -> Traced:
        first = self.first
        if first is not None and not first.operation:
            first = first.replace(operation=self._operation[first.phase == "gradient"][0])
        return Traced(first, self.largest)

    def usual(self) -> Usual:
        return Usual(frozenset(self.places), tuple(self._passed))

    def enter(self, name: str) -> None:
        self._ranges.append([])
        self.stack.append(name)

    def leave(self) -> None:
        self.stack.pop()
        self._ranges.pop()

    def forward(self, name: str, is_input: bool, tensor: Any, phase: str = "forward") -> None:
        array = self._to_array(tensor)
        if is_input and array is not None and self._ranges:
            finite = array[np.isfinite(array)]
            if finite.size:
                self._ranges[-1] += [float(finite.min()), float(finite.max())]
        converted = self._operation[0][0].lower() in ("cast", "_to_copy")  # for this layer
        if is_input and len(self.stack) < 2:
            phase = "input"
        elif is_input and not converted:
            name = self.stack[-2]  # between its layers
        self.see(phase, name, tensor, array)

    def loss(self, tensor: Any) -> None:
        self.forward("the loss", False, tensor, "loss")
        self._forward_ended = True

    def gradient(self, name: str, is_input: bool, parent: str, tensor: Any) -> None:
        if is_input:
            source = name
        else:  # it was wrong before it came here
            source = parent if self.gradients and parent else "the loss"
        self.see("gradient", source, tensor)
        self.gradients = self._forward_ended = True

    def update(self, state: State, before: List[str]) -> None:
        """See the state after the update; ``before``: what was not finite without it."""
        for name, value in zip(state.names, state.values):
            if name not in before and _is_kept(name):
                self.see("update", name, value, as_float(value))

    def operation(self, name: str, inputs: Any, outputs: Any) -> None:
        if self._operation[self._forward_ended][0]:
            return
        found = [self._to_array(item) for item in leaves(outputs)]
        if all(map(is_finite, found)) or not all(is_finite(self._to_array(item)) for item in leaves(inputs)):
            return
        if self._usual is None:
            self._passed.append(name)
        elif name in self._passed:
            self._passed.remove(name)
        else:
            self._operation[self._forward_ended] = name, next(filter(None, map(_dtype_of, leaves(outputs))))

    def see(self, phase: str, name: str, tensor: Any, array: Optional[np.ndarray] = None) -> None:
        array = self._to_array(tensor) if array is None else array
        if array is None or not array.size:
            return
        finite = np.isfinite(array)
        if finite.any():
            self.largest = max(self.largest, float(np.abs(array[finite]).max()))
        if finite.all() or self.first is not None:
            return
        if self._usual is None or (phase, name) in self._usual.places:
            self.places.add((phase, name))
            return
        nans = int(np.isnan(array).sum())
        rows: Tuple[int, ...] = ()
        if phase in ("forward", "input") and array.ndim and array.shape[0] == self._batch_size:
            bad = ~finite.reshape(array.shape[0], -1).all(axis=1)
            rows = tuple(int(row) for row in np.flatnonzero(bad)[:5])
        inputs = self._ranges[-1] if self._ranges else []
        low, high = min(inputs, default=None), max(inputs, default=None)
        operation, dtype = self._operation[phase in ("gradient", "update")]
        dtype, infinities = dtype or _dtype_of(tensor), int((~finite).sum()) - nans
        self.first = NonFinite(phase, name, operation, dtype, nans, infinities, rows, low, high)


class Replay:
    """What it needs of a framework."""

    framework = ""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._current: Any = None

    # While it trains.

    def prepare(self, function: Any, arguments: Tuple[Any, ...]) -> None:
        """Let the first step's variables be made before it runs, where the framework makes them in that step."""

    def variable_count(self) -> int:
        """Return how many variables there are so far: some are made in the first step."""
        try:
            return len(all_variables(self.model))
        except ValueError:  # Keras 2: none yet
            return 0

    def call(self, function: Any, arguments: Tuple[Any, ...], copy: bool) -> Tuple[Any, Optional[List[Any]]]:
        """Call the training function; return its outputs, and the batches that it used, None if they cannot be had."""
        raise NotImplementedError

    def logs(self, outputs: Any) -> Any:
        return outputs

    def state(self, outputs: Any = None, copy: bool = True) -> State:
        """Return the state; ``outputs``: of the last call of the training function."""
        raise NotImplementedError

    # After it.

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """In this scope the model's state may be changed. After it, it is as before."""
        before = self.state()
        try:
            yield
        finally:
            self.load(before)

    def load(self, state: State) -> None:
        raise NotImplementedError

    def step(self, function: Any, batch: Any) -> Any:
        """Repeat a step from the state that was loaded; return its logs."""
        raise NotImplementedError

    def device(self) -> str:
        raise NotImplementedError

    def to_array(self, tensor: Any) -> Optional[np.ndarray]:
        """Return the values of a floating-point tensor, None for anything else and for what has no values."""
        raise NotImplementedError

    def widened(self, tensor: Any) -> Any:
        """Return a floating-point tensor of a batch in float64, and anything else as it is."""
        raise NotImplementedError

    def observe(self, tensor: Any, forward: Callable[[Any], None], backward: Callable[[Any], None]) -> Any:
        """Report the values of a tensor, and return one of the same values that reports its gradient."""
        if self.to_array(tensor) is None:
            return tensor
        forward(tensor)
        return self.probe(tensor, backward)

    def probe(self, tensor: Any, backward: Callable[[Any], None]) -> Any:
        raise NotImplementedError

    def map(self, function: Callable[[Any], Any], values: Any) -> Any:
        import keras

        return keras.tree.map_structure(function, values)

    def run_step(self, batch: Any) -> None:
        self.model.train_step(batch)

    def computing(self, trace: Trace, on_cpu: bool, double: bool) -> Any:
        """Return a scope with the device and the precision, in which operations are reported."""
        raise NotImplementedError

    def usual(self, batch: Any) -> Usual:
        """Run a step that goes well, from the loaded state; return what is not finite in it. The state is changed."""
        return self._run(batch, False, False, None).usual()

    def trace(self, batch: Any, on_cpu: bool = False, double: bool = False, usual: Usual = NOTHING) -> Traced:
        """Run one step from the loaded state eagerly, and look at each layer. The state is changed."""
        return self._run(batch, on_cpu, double, usual).traced()

    def _run(self, batch: Any, on_cpu: bool, double: bool, usual: Optional[Usual]) -> Trace:
        if double:
            batch = self.map(self.widened, batch)
        sizes = [getattr(leaf, "shape", None) for leaf in leaves(batch)]
        first = next((shape[0] for shape in sizes if shape is not None and len(shape)), None)
        trace = Trace(self.to_array, first, usual)
        with contextlib.ExitStack() as scopes:
            self._hook(trace, scopes)
            scopes.enter_context(self.computing(trace, on_cpu, double))
            with contextlib.suppress(Done):
                self.run_step(batch)
        return trace

    # Hooks. They are put into the objects' own dictionaries, past what Keras tracks.

    def _hook(self, trace: Trace, scopes: contextlib.ExitStack) -> None:
        for name, layer in layers_of(self.model):
            if callable(getattr(layer, "call", None)):
                put(scopes, layer, "call", self._watched(trace, name, layer))
        if callable(getattr(self.model, "compute_loss", None)):
            put(scopes, self.model, "compute_loss", self._watched_loss(trace, self.model.compute_loss))
        optimizers = optimizers_of(self.model)
        for optimizer in optimizers:
            for method in ("stateless_apply", "apply", "apply_gradients"):
                if callable(getattr(optimizer, method, None)):
                    watched = self._watched_apply(trace, method, getattr(optimizer, method), len(optimizers) == 1)
                    put(scopes, optimizer, method, watched)

    def double(self, scopes: contextlib.ExitStack) -> None:
        """Let Keras 3 compute in float64, and variables say that they are."""
        import keras

        core, types = keras.src.backend.core, keras.src.backend.common.dtypes
        cast = core.cast
        put(scopes, core, "cast", lambda x, dtype: cast(x, "float64" if "float" in str(dtype) else dtype))
        put(scopes, types, "BIT64_TO_BIT32_DTYPE", {})  # results of float64 would be float32
        compiled = getattr(self.model, "_compile_loss", None)
        losses = [compiled, *leaves([list(item) for item in getattr(compiled, "_flat_losses", None) or ()])]
        parts = [*losses, *self.model.metrics, *all_variables(self.model).values()]
        for item in [layer for _, layer in layers_of(self.model)] + parts:
            if hasattr(item, "_dtype_policy"):
                put(scopes, item, "_dtype_policy", keras.DTypePolicy("float64"))
            if "float" in str(getattr(item, "_dtype", "")):
                put(scopes, item, "_dtype", "float64")

    def _watched(self, trace: Trace, name: str, layer: Any) -> Any:
        call = layer.call

        @functools.wraps(call)
        def watched(*args: Any, **kwargs: Any) -> Any:
            trace.enter(name)
            parent = trace.stack[-2] if len(trace.stack) > 1 else ""

            def seen(tensor: Any, is_input: bool) -> Any:
                observed = self.observe(
                    tensor,
                    lambda value: trace.forward(name, is_input, value),
                    lambda gradient: trace.gradient(name, is_input, parent, gradient),
                )
                if observed is not tensor and getattr(tensor, "_keras_mask", None) is not None:
                    observed._keras_mask = tensor._keras_mask
                return observed

            try:
                args, kwargs = self.map(lambda tensor: seen(tensor, True), (args, kwargs))
                return self.map(lambda tensor: seen(tensor, False), call(*args, **kwargs))
            finally:
                trace.leave()

        return watched

    def _watched_loss(self, trace: Trace, compute: Any) -> Any:
        @functools.wraps(compute)
        def watched(*args: Any, **kwargs: Any) -> Any:
            loss = compute(*args, **kwargs)
            return self.observe(loss, trace.loss, lambda gradient: None)

        return watched

    def _watched_apply(self, trace: Trace, method: str, apply: Any, ends: bool) -> Any:
        @functools.wraps(apply)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if trace.updating:  # one of these methods calls another
                return apply(*args, **kwargs)
            if method == "apply_gradients":
                pairs = list(args[0])
                args = (pairs, *args[1:])
            else:
                given = args[1] if method == "apply" and len(args) > 1 else self.model.trainable_variables
                pairs = list(zip(args[method == "stateless_apply"], given or self.model.trainable_variables))
            for gradient, variable in pairs:
                if gradient is not None:
                    trace.see("gradient", owner(self.model, variable), gradient)
            trace.gradients = True
            if not ends:
                return apply(*args, **kwargs)
            # A strategy may refuse to update outside of its scope.
            with contextlib.suppress(Exception):
                if trace.first is None and not trace.collects:
                    before, trace.updating = unfit(self.state(copy=False)), True
                    result = apply(*args, **kwargs)
                    outputs = (None, (result[0], self._current[1], result[1])) if method == "stateless_apply" else None
                    trace.update(self.state(outputs, False), before)
            raise Done

        return watched


def put(scopes: contextlib.ExitStack, target: Any, name: str, value: Any) -> None:
    """Set an attribute of an object until the scopes end."""
    held = target.__dict__
    before = held.get(name, held)  # itself: it has none
    held[name] = value
    scopes.callback(lambda: held.pop(name) if before is held else held.__setitem__(name, before))


def layers_of(model: Any) -> List[Tuple[str, Any]]:
    """Return the layers of a model, those in layers too, and the operations of a functional one, with their names."""
    found: List[Any] = [model]
    if hasattr(model, "_flatten_layers"):
        found += [layer for layer in model._flatten_layers() if layer is not model]
    for layer in list(found):
        operations = getattr(layer, "_operations", None) or ()
        found += [item for item in operations if not any(item is other for other in found)]
    names = [str(getattr(layer, "name", "")) for layer in found]
    paths = [str(getattr(layer, "path", "") or name) for layer, name in zip(found, names)]
    return [(name if names.count(name) == 1 else path, layer) for layer, name, path in zip(found, names, paths)]


def optimizers_of(model: Any) -> List[Any]:
    """Return the optimizers that a model has as attributes; a custom ``train_step`` may use several."""
    found: List[Any] = []
    for value in [getattr(model, "optimizer", None), *list(vars(model).values())]:
        if hasattr(value, "apply_gradients") and not any(value is other for other in found):
            found.append(value)
    return found


def owner(model: Any, variable: Any) -> str:
    """Return the name of the innermost layer that has a variable."""
    for name, layer in reversed(layers_of(model)):
        own = getattr(layer, "_trainable_variables", None) or getattr(layer, "_trainable_weights", None) or ()
        if any(item is variable for item in own):
            return str(name)
    return name_of(variable)


def name_of(variable: Any) -> str:
    """Return the path of a variable."""
    return str(getattr(variable, "path", None) or getattr(variable, "name", ""))


def all_variables(model: Any) -> Dict[str, Any]:
    """Return every variable that a step may change, by a unique name."""
    groups = [("", list(getattr(model, "variables", None) or model.weights))]
    for optimizer in optimizers_of(model):
        own = optimizer.variables() if callable(optimizer.variables) else optimizer.variables
        groups.append(("optimizer/", list(own)))
    metrics = getattr(model, "metrics_variables", None)
    if metrics is None:
        metrics = [variable for metric in model.metrics for variable in metric.variables]
    groups.append(("metrics/", list(metrics)))
    found: Dict[str, Any] = {}
    seen: Set[int] = set()
    for prefix, variables in groups:
        for variable in variables:
            if id(variable) not in seen:
                seen.add(id(variable))
                name = prefix + name_of(variable)
                found[name if name not in found else "%s_%d" % (name, len(found))] = variable
    return found
