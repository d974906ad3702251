"""What watching ``model.fit`` needs of Keras and of the framework below it.

A `Training` synchronizes the device, times one call of the training function with the wait for its batch apart, counts the
compiled versions of the step, and knows where tensors are. `keras_training` has that of a model.
"""

from time import perf_counter
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...records import Record


class NonFinite(Record):
    """The first value of a step that is NaN or infinite.

    Attributes
    ----------
    phase : str
        ``"input"``, ``"forward"``, ``"loss"``, ``"gradient"`` or ``"update"``.
    name : str
        The layer; of an update the variable.
    operation : str
        The framework's name of the operation, "" if it is not known.
    dtype : str
        Of the values.
    nans, infinities : int
        Number of elements.
    rows : tuple of int
        The first examples of the batch that are concerned, as far as that can be seen.
    low, high : float or None
        The range of what went into the layer.
    """

    phase: str
    name: str
    operation: str = ""
    dtype: str = ""
    nans: int = 0
    infinities: int = 0
    rows: Tuple[int, ...] = ()
    low: Optional[float] = None
    high: Optional[float] = None


class TimedStep(NamedTuple):
    """The outputs of a step with the seconds of its parts; see `devicekit.watch.training_record.StepSample`."""

    outputs: Any
    wait_s: Optional[float]
    compute_s: Optional[float]
    shapes: str = ""
    device_s: Optional[float] = None


class Training:
    """What watching needs of a framework.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    wraps : bool
        Whether Keras looks its training function up at each step, so that it can be wrapped while it trains.
    fetches_before : bool
        Whether Keras gets the batch before the step begins: then the time between two steps is the wait for data.
    """

    framework: str = ""
    wraps: bool = True
    fetches_before: bool = False

    def synchronize(self, outputs: Any = None) -> None:
        """Wait until the device has done all that it was given, at least what gives these outputs."""

    def run(self, function: Any, arguments: Tuple[Any, ...]) -> Tuple[Any, Optional[float]]:
        """Call the training function; return its outputs, and the seconds of the wait for data if that is seen."""
        return function(*arguments), None

    def timed(self, function: Any, arguments: Tuple[Any, ...], batches: int) -> TimedStep:
        """Call the training function for this many batches, synchronized before and after."""
        self.synchronize()
        started = perf_counter()
        outputs = function(*arguments)
        returned = perf_counter()
        self.synchronize(outputs)
        ended = perf_counter()
        return TimedStep(outputs, None, ended - started, device_s=ended - returned)

    def release(self) -> None:
        """Let go of what is kept from one timed step to the next."""

    def programs(self, function: Any) -> Optional[int]:
        """Return the number of compiled versions of the training function, None if the framework does not count them."""
        return None

    def hear_traces(self, hearer: Callable[[str], None]) -> Callable[[], None]:
        """Call this with the name of each function of the program that is traced, until what is returned is called."""
        return lambda: None

    def devices_of(self, values: Any) -> Tuple[str, ...]:
        """Return the names of the devices that hold these tensors, variables, or structures of them."""
        from . import tensors_of

        tensors = tensors_of(self.framework)
        # A variable of Keras 3 has the framework's own tensor in it.
        owns = (
            getattr(leaf, "_value", None) if type(leaf).__module__.startswith("keras.") else leaf
            for leaf in leaves(values)
        )
        found = {tensors.device_of(tensor) for tensor in owns if tensors.is_tensor(tensor)}
        return tuple(sorted(filter(None, found)))

    def accelerators(self) -> Tuple[str, ...]:
        """Return the framework's names of the accelerators that it uses; does not start any."""
        from . import tensors_of

        return tuple(name for name in tensors_of(self.framework).devices() if not name.lower().startswith("cpu"))

    def memory(self) -> Dict[str, Optional[int]]:
        """Return ``peak_bytes``, ``limit_bytes`` and ``retries`` of the accelerator's memory, as far as it is counted."""
        return {}


def leaves(values: Any) -> List[Any]:
    """Return what is in nested dicts, lists and tuples."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, (list, tuple)):
        return [leaf for value in values for leaf in leaves(value)]
    return [values]


def shapes_of(batch: Any) -> str:
    """Return the shapes of a batch's arrays as a text.

    >>> shapes_of(None)
    ''
    """
    shapes = [getattr(leaf, "shape", None) for leaf in leaves(batch)]
    return " ".join("x".join(str(size) for size in shape) for shape in shapes if shape is not None)


def counted(function: Any, name: str, depth: int = 6) -> Iterable[Any]:
    """Yield what has an attribute of this name among a function and all that it closes over."""
    seen: Set[int] = set()
    level = [function]
    for _ in range(depth):
        following: List[Any] = []
        for item in level:
            if id(item) in seen:
                continue
            seen.add(id(item))
            if hasattr(item, name):
                yield item
            inner = getattr(item, "__wrapped__", None), getattr(item, "python_function", None)
            following += [value for value in inner if callable(value)]
            for cell in getattr(item, "__closure__", None) or ():
                try:
                    value = cell.cell_contents
                except ValueError:  # not filled yet
                    continue
                following += [value] if callable(value) else []
        level = following


def steps_per_execution(model: Any) -> int:
    """Return how many steps a call of a model's training function does. Keras 2 has that in a variable, maybe mirrored."""
    value: Any = getattr(model, "steps_per_execution", None)
    if value is None:
        value = getattr(model, "_steps_per_execution", None)
    if hasattr(value, "numpy"):
        value = value.numpy()
    return int(value or 1)


def names_of(devices: Sequence[str]) -> Tuple[str, ...]:
    """Return device names in lower case, each once: ``("cpu:0",)``."""
    return tuple(sorted({name.lower() for name in devices}))
