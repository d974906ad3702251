"""Runs an operation of the suite in one framework, in this process, and notices where it really ran.

JAX, PyTorch and TensorFlow 2 run it eagerly, TensorFlow 1.15 as a graph in a session.
"""

import contextlib
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ....errors import one_line, text_of
from ....logs.errors import is_missing_kernel
from ....records import Record
from ....runtime.frameworks import tensors_of
from ....runtime.frameworks.tensors import FLOATS
from .operation import Operation, cotangent

#: From the name of a kind to the function of its options and inputs.
Kinds = Dict[str, Callable[..., Any]]


class OperationOutcome(Record):
    """The outcome of one operation.

    Attributes
    ----------
    outputs : tuple of numpy.ndarray
        In the dtype that the framework gave; bfloat16 as float32.
    gradients : tuple of numpy.ndarray
        One for each of ``operation.differentiated``, of ``sum(output * cotangent)`` over all float outputs.
    ran_on : str
        If it ran (the framework's own name of the device); "" if the framework does not say. If parts of it ran elsewhere
        than on the requested device, the name of that other device.
    error : str
        The error message, "" if there was none.
    unsupported : bool
        Whether the device has no kernel for it, or not in this dtype: then ``error`` says so, and ``outputs`` and
        ``gradients`` are those from elsewhere, if it could run anywhere.
    """

    outputs: Tuple[np.ndarray, ...] = ()
    gradients: Tuple[np.ndarray, ...] = ()
    ran_on: str = ""
    error: str = ""
    unsupported: bool = False


class Engine:
    """Runs the operations of `devicekit.measure.numerics.operations.catalog` in one framework.

    An engine lives in a worker of its own, where `devicekit.auto` has set the device, and may change global state.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    """

    framework: str = ""

    def devices(self) -> Tuple[str, ...]:
        """Return the framework's own names of the devices that it can use, the CPU first."""
        raise NotImplementedError

    def device_name(self, device: str) -> str:
        """Return the framework's own name for one of devicekit's: ``"cpu"``, ``"gpu:0"``.

        Raises
        ------
        LookupError
            If the framework has no such device.
        """
        from ....runtime.frameworks import adapter
        from ....selection.request import parse_request

        name = adapter(self.framework).device_name(parse_request(device))
        if name is None:
            raise LookupError("%s has no device %r; it has %s" % (self.framework, device, ", ".join(self.devices())))
        return name

    def kinds(self) -> Tuple[str, ...]:
        """Return what it can compute: kinds of operations."""
        raise NotImplementedError

    def dtypes(self, device: str) -> Tuple[str, ...]:
        """Return the dtypes to try on a device (the framework's own name); ``"float64"`` if it has that."""
        return ("float64", "float32", "float16", "bfloat16")

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> OperationOutcome:
        """Compute an operation and its gradients on a device.

        What the device or the framework cannot do raises nothing: it is an `OperationOutcome`.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The inputs, as `devicekit.measure.numerics.operations.input_values.arrays` returns them: float64, to be cast to
            ``dtype``, or int32.
        dtype : str
            ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        device : str
            The framework's own name, such as ``"/device:GPU:0"``.
        seed : int
            For `cotangent`.
        """
        raise NotImplementedError


class _Run(NamedTuple):
    """One run of an operation: the arguments of `Engine.run`."""

    operation: Operation
    arrays: Sequence[np.ndarray]
    dtype: str
    device: str
    seed: int

    @property
    def on_cpu(self) -> bool:
        """Whether the device is the CPU."""
        return self.device.rpartition("device:")[2].lower().startswith("cpu")


class EagerEngine(Engine):
    """What the eager frameworks have in common."""

    def __init__(self, kinds: Kinds) -> None:
        self.tensors = tensors_of(self.framework)
        self._kinds = kinds

    def devices(self) -> Tuple[str, ...]:
        return self.tensors.devices()

    def kinds(self) -> Tuple[str, ...]:
        return tuple(self._kinds)

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> OperationOutcome:
        return self._attempt(_Run(operation, arrays, dtype, device, seed))

    def _attempt(self, run: _Run) -> OperationOutcome:
        """Run it; report an exception of the framework as an outcome."""
        try:
            return self._compute(run, self._kinds[run.operation.operation])
        except Exception as error:  # of the framework's own
            return OperationOutcome(error=one_line(error), unsupported=is_missing_kernel(error))

    def _compute(self, run: _Run, kind: Callable[..., Any], key: Any = None) -> OperationOutcome:
        tensors, operation, dtype = self.tensors, run.operation, run.dtype
        differentiated = operation.differentiated
        others = [number for number in range(len(operation.inputs)) if number not in differentiated]
        options: Dict[str, Any] = dict(operation.options, dtype=tensors.dtype(dtype), device=run.device)

        def function(sources: List[Any], rest: List[Any]) -> Tuple[List[Any], List[Any]]:
            inputs = dict(zip([*differentiated, *others], [*sources, *rest]))
            found = kind(options, *[inputs[number] for number in sorted(inputs)])
            return list(found) if isinstance(found, (tuple, list)) else [found], []

        def weigh(number: int, shape: Tuple[int, ...], of: str) -> Any:
            return (
                tensors.to_tensor(cotangent(operation, shape, run.seed, number, dtype), of, False)
                if of in FLOATS
                else None
            )

        with tensors.double_precision() if dtype == "float64" else contextlib.nullcontext(), tensors.on(run.device):
            inputs = [
                tensors.to_tensor(array, dtype if item.kind == "float" else item.kind, False)
                for item, array in zip(operation.inputs, run.arrays)
            ]
            sources, rest = [inputs[i] for i in differentiated], [inputs[i] for i in others]
            outputs, _, gradients, _ = tensors.vjp(function, sources, rest, weigh, key).checked()
            if any(item is None for item in gradients):
                raise ValueError("no gradient of input %d" % differentiated[[i is None for i in gradients].index(True)])
            return OperationOutcome(
                tuple(tensors.to_numpy(item) for item in outputs),
                tuple(tensors.to_numpy(item) for item in gradients),
                self._ran_on([*outputs, *gradients], run.device),
            )

    def _ran_on(self, results: Sequence[Any], device: str) -> str:
        return ", ".join(sorted({self.tensors.device_of(item) for item in results}))


class JaxEngine(EagerEngine):
    """JAX 0.4 and later: each operation is compiled together with its gradients, as models are.

    The default precision of products is left as the user has it.
    """

    framework = "jax"

    def __init__(self) -> None:
        from ....runtime.frameworks.kinds_jax import KINDS, NOT_COMPILED

        super().__init__(KINDS)
        self._not_compiled = NOT_COMPILED

    def _compute(self, run: _Run, kind: Callable[..., Any], key: Any = None) -> OperationOutcome:
        # Another seed, and another device of the kind, compile nothing again.
        compiled = run.operation.operation not in self._not_compiled
        return super()._compute(run, kind, (run.operation.name, run.dtype) if compiled else None)


#: PyTorch devices without float64: Apple's Metal has none, and DirectML has it for a few operations only.
_NO_FLOAT64 = ("mps", "privateuseone", "dml")


class TorchEngine(EagerEngine):
    """PyTorch 2. Operators that fall back to the CPU are noted."""

    framework = "torch"

    def __init__(self) -> None:
        from ....runtime.frameworks.kinds_torch import KINDS

        super().__init__(KINDS)

    def dtypes(self, device: str) -> Tuple[str, ...]:
        every = super().dtypes(device)
        return every[1:] if device.partition(":")[0] in _NO_FLOAT64 else every

    def _attempt(self, run: _Run) -> OperationOutcome:
        with self.tensors.fallbacks() as operators:
            outcome = super()._attempt(run)
        if outcome.error or not operators():
            return outcome
        text = "no kernel on %s for %s: run on the processor instead" % (run.device, ", ".join(operators()))
        return OperationOutcome(outcome.outputs, outcome.gradients, "cpu:0", text, True)


class TensorFlowEngine(EagerEngine):
    """TensorFlow 2 in eager mode.

    An operation first runs with soft placement off, which refuses what has no kernel on the device; then with soft
    placement on, as users run it, to see where it goes instead.
    """

    framework = "tensorflow"

    def __init__(self) -> None:
        import tensorflow as tf

        from ....runtime.frameworks.kinds_tensorflow import KINDS, REFERENCES

        super().__init__({name: _bound(tf, kind) for name, kind in KINDS.items()})
        self._references = {name: _bound(tf, kind) for name, kind in REFERENCES.items()}
        self._config: Any = tf.config

    def _attempt(self, run: _Run) -> OperationOutcome:
        if run.on_cpu:
            return self._on_cpu(run)
        kind = self._kinds[run.operation.operation]
        try:
            with self._soft_placement(False):
                return self._compute(run, kind)
        except Exception as error:
            problem, missing = message(error), is_missing_kernel(error)
        if not missing:
            return OperationOutcome(error=problem)
        try:  # let TensorFlow choose, as it does by default
            with self._soft_placement(True):
                outcome = self._compute(run, kind)
        except Exception as error:
            return OperationOutcome(error=message(error), unsupported=True)
        return OperationOutcome(outcome.outputs, outcome.gradients, outcome.ran_on, problem, True)

    @contextlib.contextmanager
    def _soft_placement(self, soft: bool) -> Any:
        before = self._config.get_soft_device_placement()
        self._config.set_soft_device_placement(soft)
        try:
            yield
        finally:
            self._config.set_soft_device_placement(before)

    def _on_cpu(self, run: _Run) -> OperationOutcome:
        """Run on the CPU; what has no kernel even there is made of smaller operations, to compare devices with."""
        name = run.operation.operation
        kinds = [self._kinds[name]]
        if name in self._references:
            kinds = [self._references[name]] if run.dtype == "float64" else [*kinds, self._references[name]]
        for kind in kinds:
            try:
                outcome = self._compute(run, kind)
            except Exception as error:
                outcome = OperationOutcome(error=message(error), unsupported=is_missing_kernel(error))
            if not outcome.unsupported:
                break
        if run.dtype == "bfloat16" and any(item.shape == (0,) for item in outcome.outputs):
            # As TensorFlow 2.10 does with oneDNN on a CPU without AVX-512; in a graph it raises.
            return OperationOutcome(error="an empty tensor: no bfloat16 on this CPU", unsupported=True)
        return outcome

    def _ran_on(self, results: Sequence[Any], device: str) -> str:
        return worst([self.tensors.device_of(item) for item in results], device)


def _bound(module: Any, kind: Callable[..., Any]) -> Callable[..., Any]:
    """A kind of TensorFlow's as a function of options and inputs."""
    return lambda options, *inputs: kind(module, inputs, options)


def worst(devices: Sequence[str], requested: str) -> str:
    """Return a device other than the requested one, if there is one, else the requested one."""
    names = [name.rpartition("device:")[2] for name in devices]
    wanted = requested.rpartition("device:")[2]
    others = [name for name in names if name.upper() != wanted.upper()]
    return "/device:" + (others or names or [wanted])[0]


def message(error: BaseException) -> str:
    """Return an error's first lines with the operation's name, without TensorFlow's lists of devices and kernels."""
    text = text_of(error)
    operation: Optional[Any] = re.search(r"\[Op:(\w+)\]", text)
    text = re.sub(r"\{\{function_node .*?\}\}\s*", "", text).partition("All available devices")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    short = " ".join(lines[:2])
    named = operation is not None and operation.group(1) not in short
    return ("%s: %s%s" % (type(error).__name__, operation.group(1) + ": " if operation and named else "", short))[:400]


class GraphEngine(Engine):
    """TensorFlow 1.15: one graph and one session for each operation.

    The session is first made without soft placement, which refuses a node that has no kernel on the device; then with it,
    as most programs for DirectML are, to see where that node goes instead. Nothing of the graph is rewritten or folded:
    what is compared are the kernels.
    """

    framework = "tensorflow1"

    def __init__(self) -> None:
        import tensorflow as tf

        from ....runtime.frameworks.kinds_tensorflow import KINDS, REFERENCES

        self.tensors = tensors_of(self.framework)
        self._v1: Any = tf.compat.v1
        self._v2: Any = tf.compat.v2
        self._kinds = KINDS
        self._references = REFERENCES

    def devices(self) -> Tuple[str, ...]:
        return self.tensors.devices()

    def kinds(self) -> Tuple[str, ...]:
        return tuple(self._kinds)

    def dtypes(self, device: str) -> Tuple[str, ...]:
        return ("float64", "float32", "float16")

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> OperationOutcome:
        case = (operation, arrays, dtype, device, seed)
        on_cpu = device.rpartition("device:")[2].upper().startswith("CPU")
        # The gradient of a grouped convolution is not refused by the CPU's kernel of 1.15: it crashes the process.
        composed = on_cpu and (dtype == "float64" or operation.options.get("groups", 1) > 1)
        problem = ""
        while True:
            try:
                found = self._run(*case, composed=composed, soft=bool(problem))
                return OperationOutcome(found.outputs, found.gradients, found.ran_on, problem, bool(problem))
            except Exception as error:
                missing = is_missing_kernel(error)
                if problem or not missing:
                    return OperationOutcome(error=problem or message(error), unsupported=bool(problem) or missing)
                if on_cpu and (composed or operation.operation not in self._references):
                    return OperationOutcome(error=message(error), unsupported=True)
                if on_cpu:
                    composed = True
                else:
                    problem = message(error)

    def _run(
        self,
        operation: Operation,
        arrays: Sequence[np.ndarray],
        dtype: str,
        device: str,
        seed: int,
        composed: bool,
        soft: bool,
    ) -> OperationOutcome:
        tf = self._v1
        wanted = tf.as_dtype(dtype)
        function = self._kinds[operation.operation]
        if composed:
            function = self._references.get(operation.operation, function)
        options: Dict[str, Any] = dict(operation.options, dtype=wanted)
        with tf.Graph().as_default():
            # Fed, not constant: a constant could be folded, on the CPU. Where they lie does not matter.
            given = [item if item.dtype.kind == "i" else item.astype(wanted.as_numpy_dtype) for item in arrays]
            feeds = [tf.placeholder(item.dtype, item.shape) for item in given]
            with tf.device(device):
                inputs = [tf.identity(feed) for feed in feeds]
                sources = [inputs[index] for index in operation.differentiated]
                found = function(self._v2, inputs, options)
                outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
                gradients: List[Any] = []
                if sources:
                    targets = [(index, item) for index, item in enumerate(outputs) if item.dtype.is_floating]
                    weights = []
                    for index, item in targets:
                        values = cotangent(operation, tuple(item.shape.as_list()), seed, index, dtype)
                        given.append(values.astype(item.dtype.as_numpy_dtype))
                        with tf.device(None):
                            feeds.append(tf.placeholder(item.dtype, item.shape))
                        weights.append(tf.identity(feeds[-1]))
                    found = tf.gradients([item for _, item in targets], sources, grad_ys=weights)
                    gradients = [tf.convert_to_tensor(item) for item in found]
            with tf.Session(config=self._config(soft)) as session:
                seen = tf.RunMetadata()
                asked = tf.RunOptions(output_partition_graphs=True)
                fetched = session.run([list(outputs), gradients], dict(zip(feeds, given)), asked, seen)
        return OperationOutcome(
            tuple(np.asarray(item) for item in fetched[0]),
            tuple(np.asarray(item) for item in fetched[1]),
            worst(_places(seen, feeds), device),
        )

    def _config(self, soft: bool) -> Any:
        config = self._v1.ConfigProto(allow_soft_placement=soft)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
        return config


def _places(seen: Any, feeds: Sequence[Any]) -> List[str]:
    """Return the devices on which nodes ran, without those that only feed and fetch."""
    places: Dict[str, None] = {}
    fed = {feed.op.name for feed in feeds}
    for graph in seen.partition_graphs:
        for node in graph.node:
            moves = node.op in ("_Send", "_Recv", "_HostSend", "_HostRecv", "_Arg", "_Retval", "Const", "NoOp")
            if not moves and node.name not in fed and node.device:
                places[node.device] = None
    return list(places)
