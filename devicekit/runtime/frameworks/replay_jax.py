"""Finding the first NaN of a training with Keras 3 on JAX."""

import contextlib
import io
import re
from functools import partial
from typing import Any, Callable, Iterator, List, Optional, Tuple

import jax
import keras
import numpy as np

from .replay import NOTHING, Held, Replay, State, Trace, Traced, Usual, as_float, name_of


class JaxReplay(Replay):
    """Keras calls ``train_function(state, iterator)``, which returns the logs and the new state, and frees the old one."""

    framework = "jax"

    def call(self, function: Any, arguments: Tuple[Any, ...], copy: bool) -> Tuple[Any, Optional[List[Any]]]:
        # A generator may write the next batch into the same array.
        copied = partial(keras.tree.map_structure, lambda x: x.copy() if isinstance(x, np.ndarray) else x)
        held = Held(arguments[1], copied) if copy else Held(arguments[1])
        return function(arguments[0], held), held.batches

    def logs(self, outputs: Any) -> Any:
        return outputs[0]

    def _variables(self) -> List[Tuple[str, Any]]:
        model = self.model
        return [
            ("", model.trainable_variables), ("", model.non_trainable_variables),
            ("optimizer/", model.optimizer.variables if model.optimizer is not None else []),
            ("metrics/", model.metrics_variables),
        ]  # fmt: skip

    def variable_count(self) -> int:
        return sum(len(variables) for _, variables in self._variables())

    def state(self, outputs: Any = None, copy: bool = True) -> State:
        groups = self._variables()
        names = [prefix + name_of(variable) for prefix, variables in groups for variable in variables]
        if outputs is None and self._current is None:
            values = [variable.value for _, variables in groups for variable in variables]
        else:
            values = [value for group in (self._current if outputs is None else outputs[1]) for value in group]
        arrays = [np.array(value, copy=True) if copy else np.asarray(value) for value in values]
        return State(tuple(names), tuple(arrays), tuple(len(variables) for _, variables in groups))

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        # Nothing is changed: the state of each step is an argument.
        try:
            yield
        finally:
            self._current = None
            overrides = getattr(self.model, "_losses_override", None)
            if overrides:
                overrides.clear()

    def load(self, state: State) -> None:
        values, groups = list(state.values), []
        for length in state.variables:
            groups.append([jax.numpy.array(value) for value in values[:length]])
            values = values[length:]
        self._current = tuple(groups)

    def step(self, function: Any, batch: Any) -> Any:
        logs, self._current = function(self._current, iter([batch]))
        return logs

    def device(self) -> str:
        found = {device.platform for value in self._current[0] for device in value.devices()}
        return "cpu" if found <= {"cpu"} else sorted(found)[-1]

    def to_array(self, tensor: Any) -> Optional[np.ndarray]:
        if isinstance(tensor, jax.core.Tracer) or not isinstance(tensor, (jax.Array, np.ndarray)):
            return None
        return as_float(tensor)

    def widened(self, tensor: Any) -> Any:
        array = self.to_array(tensor)
        return tensor if array is None else array.astype("float64")

    def observe(self, tensor: Any, forward: Callable[[Any], None], backward: Callable[[Any], None]) -> Any:
        if not isinstance(tensor, jax.Array) or not jax.numpy.issubdtype(tensor.dtype, jax.numpy.floating):
            return tensor

        # Below `jax.grad` a tensor has no values outside of such a function.
        @jax.custom_vjp  # type: ignore[untyped-decorator]
        def identity(value: Any) -> Any:
            forward(value)
            return value

        def before(value: Any) -> Any:
            forward(value)
            return value, None

        def after(_: Any, gradient: Any) -> Any:
            backward(gradient)
            return (gradient,)

        identity.defvjp(before, after)
        return identity(tensor)

    @contextlib.contextmanager
    def computing(self, trace: Trace, on_cpu: bool, double: bool) -> Iterator[None]:
        with contextlib.ExitStack() as scopes:
            if double:
                self.double(scopes)
                wide = getattr(jax, "enable_x64", None)  # a scope from 0.8 on
                scopes.enter_context(wide(True) if wide is not None else jax.experimental.enable_x64())
                self._current = self.map(self.widened, self._current)
            if on_cpu:
                cpu = jax.local_devices(backend="cpu")[0]
                self._current = jax.device_put(self._current, cpu)
                scopes.enter_context(jax.default_device(cpu))
            yield

    def usual(self, batch: Any) -> Usual:
        before = self._current
        usual = super().usual(batch)
        self._current = before
        return usual._replace(operations=tuple(filter(None, (self._operation(batch, False, False, [jax.debug_infs]),))))

    def trace(self, batch: Any, on_cpu: bool = False, double: bool = False, usual: Usual = NOTHING) -> Traced:
        before = self._current
        traced = super().trace(batch, on_cpu, double, usual)
        first = traced.first
        if first is None or first.phase == "input" or (usual.operations and not first.nans):
            return traced  # where infinity is usual, JAX would stop at what is
        self._current = before
        # The logarithm of zero times zero: what comes first is infinite, and then NaN.
        flags = [jax.debug_nans] if usual.operations else [jax.debug_nans, jax.debug_infs]
        name = self._operation(batch, on_cpu, double, flags)
        return traced if name is None else traced._replace(first=first.replace(operation=name))

    def _operation(self, batch: Any, on_cpu: bool, double: bool, flags: List[Any]) -> Optional[str]:
        """Return the operation at which JAX itself stops, "" if it does not name it, None if it does not stop."""
        if double:
            batch = self.map(self.widened, batch)
        with contextlib.ExitStack() as scopes:
            scopes.enter_context(self.computing(Trace(self.to_array, None), on_cpu, double))
            scopes.enter_context(contextlib.redirect_stdout(io.StringIO()))  # JAX prints how it searches
            for flag in flags:
                scopes.enter_context(flag(True))
            try:
                self.run_step(batch)
            except FloatingPointError as error:
                found = re.search(r"encountered in (?:jit\()?(\w+)", str(error))
                return found.group(1) if found else ""
        return None

    def run_step(self, batch: Any) -> None:
        batch = self.map(lambda value: value if value is None else jax.numpy.asarray(value), batch)
        self.model.train_step(self._current, batch)
