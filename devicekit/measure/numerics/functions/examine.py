"""Compares a plain function of arrays between devices: its results, and its gradients for every float that it is given.

What a device may differ by is not known for a function whose inside no one sees. So the function is also called on the
CPU with every input moved to a neighboring number: what that changes in the results is what rounding does to them
(Monte Carlo arithmetic, with the perturbation at the inputs: Parker, *Monte Carlo Arithmetic*, UCLA CSD-970002, 1997).
"""

import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np

from ....errors import one_line
from ....logs.errors import is_missing_kernel
from ....records import Record
from ....runtime.frameworks.tensors import FLOATS, HostArray, flatten
from ..random_state import python_seeds
from ..result import Difference
from ..verdict import Expected, failed, judge, unsupported
from .caller import Arguments, Called, Caller, EagerCaller, Result, labeled, on_device, weights_of_sum

#: Modules and the framework that they stand for.
_FRAMEWORKS = {
    "tensorflow": "tensorflow",
    "tensorflow_core": "tensorflow",
    "tf_keras": "tensorflow",
    "jax": "jax",
    "jaxlib": "jax",
    "flax": "jax",
    "equinox": "jax",
    "optax": "jax",
    "torch": "torch",
    "torchvision": "torch",
}


def written_for(function: Any, arguments: Sequence[Any]) -> Optional[str]:
    """Return ``"tensorflow"``, ``"tensorflow1"``, ``"jax"`` or ``"torch"``; None if that is not clear."""
    for _, leaf in flatten(tuple(arguments)):
        found = _of_class(type(leaf))
        if found is not None:
            return with_release(found)
    named = set(_named(function, 0))
    if "keras" in named:
        named.discard("keras")
        named.add(_keras_backend())
    named.discard("")
    return with_release(named.pop()) if len(named) == 1 else None


def _of_class(kind: Any) -> Optional[str]:
    for base in getattr(kind, "__mro__", ()):
        found = _FRAMEWORKS.get(str(base.__module__).partition(".")[0])
        if found is not None:
            return found
    return None


def _keras_backend() -> str:
    keras = sys.modules.get("keras")
    if keras is None or str(getattr(keras, "__version__", "3")).startswith("2."):
        return "tensorflow"
    return str(keras.backend.backend())


def with_release(framework: str) -> str:
    """TensorFlow 1.15 goes by a separate name."""
    version = str(getattr(sys.modules.get("tensorflow"), "__version__", "2"))
    return "tensorflow1" if framework == "tensorflow" and version.startswith("1.") else framework


def _named(function: Any, depth: int) -> Iterator[str]:
    """Yield the frameworks that a function's code, and that of its own functions, names."""
    own = _of_class(type(function))
    if own is not None:
        yield own
        return
    for wrapped in ("func", "__wrapped__", "python_function", "__func__"):
        function = getattr(function, wrapped, function)
    code = getattr(function, "__code__", None)
    if code is None:
        method = vars(type(function)).get("__call__")
        if isinstance(method, types.FunctionType) and depth == 0:
            for found in _named(method, 1):
                yield found
        return
    values = dict(getattr(function, "__globals__", {}))
    cells = zip(code.co_freevars, getattr(function, "__closure__", None) or ())
    for name, cell in cells:
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    for name in _names(code):
        value = values.get(name, sys.modules.get(name))
        module = value.__name__ if isinstance(value, types.ModuleType) else str(getattr(value, "__module__", ""))
        package = module.partition(".")[0]
        if package in _FRAMEWORKS:
            yield _FRAMEWORKS[package]
        elif package == "keras":
            yield "keras"
        elif isinstance(value, types.FunctionType) and depth < 2:
            for found in _named(value, depth + 1):
                yield found


def _names(code: Any) -> Set[str]:
    found = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


class GraphCaller(Caller):
    """TensorFlow 1.15. The function is called while the graph is built; arguments are arrays of NumPy's.

    Its variables must be made inside the function; they are initialized with the seed.
    """

    def read(self, leaf: Any) -> Optional[HostArray]:
        import tensorflow as tf

        if isinstance(leaf, (tf.Tensor, tf.Variable)) and not hasattr(leaf, "numpy"):
            raise ValueError("with TensorFlow 1.15 the inputs are NumPy arrays: a tensor of a graph has no value")
        return super().read(leaf.numpy() if isinstance(leaf, (tf.Tensor, tf.Variable)) else leaf)

    def call(
        self, function: Callable[..., Any], arguments: Arguments, device: str, seed: int, gradients: bool
    ) -> Called:
        import tensorflow as tf

        v1 = tf.compat.v1
        with python_seeds(seed), v1.Graph().as_default() as graph, on_device(device, "tensorflow1"):
            v1.set_random_seed(seed)
            leaves = [
                leaf if value is None else v1.placeholder(value.dtype, value.array.shape)
                for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
            ]
            feeds = {
                leaf: value.array.astype(leaf.dtype.as_numpy_dtype)
                for leaf, value in zip(leaves, arguments.values)
                if value is not None
            }
            found = [
                (path, v1.convert_to_tensor(leaf)) for path, leaf in flatten(function(*arguments.with_leaves(leaves)))
            ]
            labels = [labeled("output", path) for path, _ in found]
            fetches, problem = [leaf for _, leaf in found], ""
            if gradients and arguments.differentiable:
                try:
                    for label, item in self._gradients(v1, fetches, arguments, leaves, seed):
                        labels.append(label)
                        fetches.append(item)
                except Exception as error:  # an operation may have none
                    problem = one_line(error)
            initial = v1.global_variables_initializer()
            with v1.Session(graph=graph, config=v1.ConfigProto(allow_soft_placement=True)) as session:
                session.run(initial)
                arrays = session.run(fetches, feeds)
        results = [
            Result(label, self.tensors.to_numpy(array), item.dtype.base_dtype.name)
            for label, item, array in zip(labels, fetches, arrays)
        ]
        return Called(tuple(results[: len(found)]), tuple(results[len(found) :]), problem)

    def _gradients(
        self, v1: Any, outputs: List[Any], arguments: Arguments, leaves: List[Any], seed: int
    ) -> List[Tuple[str, Any]]:
        outputs = [item for item in outputs if item.dtype.base_dtype.name in FLOATS]
        if not outputs:
            return []
        weights = []
        for number, item in enumerate(outputs):
            shape = item.shape
            if not shape.is_fully_defined():
                raise ValueError("the shape of an output is not known before it is computed")
            made = weights_of_sum(tuple(shape.as_list()), seed, number, item.dtype.base_dtype.name)
            weights.append(v1.constant(made, item.dtype.base_dtype))
        found = v1.gradients(outputs, [leaves[number] for number in arguments.differentiable], weights)
        return [
            (labeled("gradient of input", arguments.labels[number]), v1.convert_to_tensor(item))
            for number, item in zip(arguments.differentiable, found)
            if item is not None
        ]


#: How often the inputs are moved.
_MOVES = 2

#: Operations behind one another in a function whose inside is not known: few, for what moving the inputs shows counts too.
_DEPTH = 4

#: The longest sum that is allowed for without being shown by moving the inputs.
_LONGEST_SUM = 1 << 16

#: A result that two dtypes compute from inputs of their own; the reference of the first is the second.
_DOUBLE = {"complex64": "complex128", "complex128": "complex128"}


class FunctionReport(Record):
    """What `examine_function` found, and what it was compared with.

    Attributes
    ----------
    differences : tuple of Difference
    reference : str
        As in `Comparison.reference`: ``"cpu in float64 with jax"``, or the CPU's own dtype and why.
    """

    differences: Tuple[Difference, ...]
    reference: str


def examine_function(
    function: Callable[..., Any],
    inputs: Any,
    devices: Sequence[str],
    framework: Optional[str] = None,
    seed: int = 0,
    say: Optional[Callable[..., None]] = None,
) -> FunctionReport:
    """Compare a function's results and gradients on devices with the CPU's in float64.

    The function is called in this process, on the CPU six times and once or twice on each device; what it changes in
    itself stays changed. Seeds, and what was drawn from them, are restored.

    Arguments are arrays of the framework or of NumPy, whose float64 is taken as float32, or nests of them; what is not an
    array is passed on as it is. The gradients of a `torch.nn.Module`'s parameters are compared, too.

    Raises
    ------
    ValueError
        If there is nothing to compare: the result changes from call to call, or depends on random numbers, or there is
        none; or the framework is not clear.
    Exception
        What the function raises on the CPU.
    """
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    framework = framework or written_for(function, arguments)
    if framework is None:
        raise ValueError(
            "what %s is written for is not clear: say framework='tensorflow', 'jax' or 'torch', or give arrays of the "
            "framework as inputs" % name_of_function(function)
        )
    work = _Work(function, _caller(framework), arguments, seed, say or (lambda: None))
    work.check_repeatable()
    work.find_reference()
    work.find_noise()
    found: List[Difference] = []
    for device in devices:
        found += work.judge_device(device)
    return FunctionReport(tuple(found), work.reference_text)


class _Work:
    """One function and what the CPU makes of it."""

    def __init__(
        self, function: Callable[..., Any], tool: Caller, arguments: Tuple[Any, ...], seed: int, say: Callable[[], None]
    ) -> None:
        self.function, self.tool, self.seed, self._say = function, tool, seed, say
        self.title = name_of_function(function)
        self.arguments = Arguments(arguments, tuple(tool.read(leaf) for _, leaf in flatten(arguments)))
        self.first = self._call(self.arguments, "cpu", seed)
        if not self.first.outputs:
            raise ValueError("%s returns no arrays: there is nothing to compare" % self.title)
        for item in self.first.outputs:
            if item.array.dtype.kind not in "biufc":
                raise ValueError(
                    "%s returns %s (%s), which is not a number" % (self.title, item.array.dtype, item.label)
                )
        self.reference: Dict[str, np.ndarray] = {}
        self.reference_text = ""
        self._exact = True
        self._noise: Dict[str, np.ndarray] = {}
        sizes = [value.array.size for value in self.arguments.values if value is not None and value.is_float]
        self._accumulation = max(1, min(max(sizes, default=1), _LONGEST_SUM))

    def _call(self, arguments: Arguments, device: str, seed: int, gradients: bool = True) -> Called:
        self._say()
        return self.tool.call(self.function, arguments, device, seed, gradients)

    def check_repeatable(self) -> None:
        """Raise where two calls on the CPU give different results."""
        if self._changed(self._call(self.arguments, "cpu", self.seed, gradients=False)):
            raise ValueError(
                "%s gives another result at every call, on the CPU and with the same seed, so that nothing can be said of "
                "devices: it draws random numbers, or keeps a state. Switch dropout off (training=False, model.eval()), or "
                "make the random numbers an input" % self.title
            )
        if self._changed(self._call(self.arguments, "cpu", self.seed + 1, gradients=False)):
            raise ValueError(
                "%s draws random numbers, and devices and dtypes draw different ones from the same seed, so that nothing can "
                "be said of them. Switch dropout off (training=False, model.eval()), or make the random numbers an input"
                % self.title
            )

    def _changed(self, called: Called) -> bool:
        if [item.label for item in called.outputs] != [item.label for item in self.first.outputs]:
            return True
        pairs = zip(called.outputs, self.first.outputs)
        return any(self._judge(again.array, item.array, item, "cpu").verdict != "agrees" for again, item in pairs)

    def find_reference(self) -> None:
        """Call the function in float64; if that cannot be, the CPU's own result is the reference."""
        dtypes = sorted({value.dtype for value in self.arguments.values if value is not None and value.is_float})
        own = "cpu in %s with %s" % (" and ".join(dtypes) or "its own dtype", self.tool.framework)
        self.reference = {item.label: item.array for item in self._results(self.first)}
        self.reference_text, self._exact = own, False
        if not dtypes:
            return
        try:
            called = self._call(self.arguments.with_dtype("float64"), "cpu", self.seed)
        except Exception as error:
            self.reference_text = "%s, for the function does not take float64 (%s)" % (own, one_line(error, 120))
            return
        exact = {item.label: item for item in self._results(called)}
        for item in self._results(self.first):
            if item.dtype in FLOATS or item.dtype in _DOUBLE:
                better = exact.get(item.label)
                wanted = _DOUBLE.get(item.dtype, "float64")
                if better is None or better.dtype != wanted or better.array.shape != item.array.shape:
                    self.reference_text = "%s, for the function computes in that even where it is given float64" % own
                    return
        if self.tool.draws(self.function, self.arguments):
            self.reference_text = "%s, for the function draws other random numbers in float64" % own
            return
        for item in self._results(self.first):
            if item.dtype in FLOATS or item.dtype in _DOUBLE:
                self.reference[item.label] = exact[item.label].array
        self.reference_text, self._exact = "cpu in float64 with %s" % self.tool.framework, True

    def find_noise(self) -> None:
        """See how much of each result is a matter of rounding, by moving the inputs."""
        for number in range(_MOVES):
            moved = self._call(self.arguments.moved(self.seed + number), "cpu", self.seed)
            arrays = {item.label: item.array for item in self._results(moved)}
            for item in self._results(self.first):
                other = arrays.get(item.label)
                if other is None or other.shape != item.array.shape or item.array.dtype.kind not in "fc":
                    continue
                with np.errstate(all="ignore"):
                    distance = np.abs(np.asarray(other, dtype=_wide(other)) - item.array)
                distance = np.where(np.isfinite(distance), distance, 0.0)
                before = self._noise.get(item.label)
                self._noise[item.label] = distance if before is None else np.maximum(before, distance)

    def _baseline(self, item: Result, device: str) -> Optional[np.ndarray]:
        """Return a result that rounding alone may lead to.

        On another device the CPU's own error counts as well; on the CPU that is what is judged.
        """
        noise = self._noise.get(item.label)
        if noise is None:
            return None
        right, usual = self.reference[item.label], item.array
        baseline: np.ndarray
        with np.errstate(all="ignore"):
            away = np.asarray(usual, dtype=_wide(usual)) - right
            if device == "cpu":
                away = noise
            baseline = right + np.where(np.abs(away) < noise, noise, away)
        return baseline

    def judge_device(self, device: str) -> List[Difference]:
        """Return what a device computes differently."""
        called = self.first
        if device != "cpu":
            try:
                called = self._call(self.arguments, device, self.seed)
            except Exception as error:
                if type(error).__name__ == "DeviceUnavailableError":
                    raise
                return [self._outcome(error, one_line(error), "output", device)]
        found = [
            unsupported(self._subject("output", device).replace(operation=name), "ran on the processor instead", "cpu")
            for name in called.elsewhere
        ]
        arrays = {item.label: item for item in self._results(called)}
        for item in self._results(self.first):
            mine = arrays.get(item.label)
            if mine is not None:
                found.append(self._compared(mine, item, device))
            elif not called.gradient_error:
                found.append(failed(self._subject(item.label, device), "the device returned nothing for it"))
        if called.gradient_error and not self.first.gradient_error:
            found.append(self._outcome(RuntimeError(called.gradient_error), called.gradient_error, "gradients", device))
        return found

    def _compared(self, mine: Result, item: Result, device: str) -> Difference:
        if device != "cpu" and not device.startswith("cpu") and item.dtype in FLOATS and _on_processor(mine.ran_on):
            detail = "computed on %s, and not on %s" % (mine.ran_on, device)
            return unsupported(self._subject(item.label, device), detail, mine.ran_on)
        if mine.dtype != item.dtype:
            detail = "%s, where the CPU returns %s" % (mine.dtype, item.dtype)
            return failed(self._subject(item.label, device), detail, mine.ran_on)
        judged = self._judge(mine.array, self.reference[item.label], item, device, mine.ran_on)
        settings = self.tool.settings(device)
        if judged.verdict != "reduced-precision" or not settings:
            return judged
        detail = "; ".join(filter(None, (judged.detail, ", ".join(settings))))
        return judged.replace(detail=detail)

    def _judge(
        self, array: np.ndarray, reference: np.ndarray, item: Result, device: str, ran_on: str = ""
    ) -> Difference:
        expected = Expected(
            reference,
            item.dtype,
            self._accumulation,
            # Against a reference that is rounded itself, twice the tolerance.
            _DEPTH if self._exact else 4 * _DEPTH,
            baseline=self._baseline(item, device) if self.reference else None,
            magnitude=self._size(reference) if device == "cpu" and item.array.dtype.kind in "fc" else None,
            stale=[value.array for value in self.arguments.values if value is not None],
        )
        return judge(self._subject(item.label, device).replace(ran_on=ran_on), array, expected)

    def _size(self, reference: np.ndarray) -> Any:
        """Return what errors of the CPU itself are relative to: all of the array.

        Its smallest elements may be what is left of a difference of large numbers (1 - softmax), which float64 alone can
        tell from zero. Another device may be as far off there as the CPU is, so that this is not needed for those.
        """
        finite = np.abs(reference[np.isfinite(reference)])
        largest = float(finite.max()) if finite.size else 0.0
        size = largest * float(np.sqrt(np.mean((finite / largest) ** 2))) if largest > 0 else 0.0
        return np.maximum(np.where(np.isfinite(reference), np.abs(reference), 0.0), size) * self._accumulation**0.5

    def _outcome(self, error: BaseException, text: str, what: str, device: str) -> Difference:
        if "same device" in text and self.tool.framework == "torch":
            text += " (what the function holds itself stays where it is: give a torch.nn.Module, which is moved, or tensors)"
        make = unsupported if is_missing_kernel(error) else failed
        return make(self._subject(what, device), text)

    def _subject(self, what: str, device: str) -> Difference:
        return Difference("function", self.title, self.title, what, device, self.tool.framework, "differs")

    @staticmethod
    def _results(called: Called) -> Tuple[Result, ...]:
        return called.outputs + called.gradients


def _caller(framework: str) -> Caller:
    """Return what calls functions of a framework; this imports the framework."""
    if framework != "tensorflow1":
        return EagerCaller(framework)

    return GraphCaller(framework)


def name_of_function(function: Any) -> str:
    """Return what people call a function; of an object its class."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "the function" if name == "<lambda>" else str(name)


def _wide(array: np.ndarray) -> Any:
    return np.complex128 if array.dtype.kind == "c" else np.float64


def _on_processor(place: str) -> bool:
    return place.lower().startswith("cpu")
