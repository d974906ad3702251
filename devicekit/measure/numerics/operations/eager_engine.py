"""Runs the suite eagerly: in JAX, PyTorch and TensorFlow 2, and notices where each operation really ran."""

import contextlib
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ....errors import one_line, text_of
from ....logs.errors import is_missing_kernel
from ....runtime.frameworks import tensors_of
from ....runtime.frameworks.tensors import FLOATS
from .engine import Engine, Kinds, OperationOutcome
from .operation import Operation, cotangent


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
