"""Calls plain functions in JAX."""

import contextlib
from typing import Any, Callable, ContextManager, Iterator, List, Optional, Tuple

import numpy as np

from ..nests import flatten
from .caller import (
    FLOATS,
    Arguments,
    Called,
    Caller,
    Result,
    Value,
    describe,
    float_value,
    labelled,
    place,
    python_seeds,
    weights_of_sum,
)

__all__ = ["JaxCaller", "double_precision", "where"]


def double_precision() -> ContextManager[Any]:
    """Return a scope in which JAX has float64, in this thread only; what was set before comes back."""
    import jax

    switch: Any = getattr(jax, "enable_x64", None)
    if switch is None:  # older releases have it there
        import jax.experimental

        switch = jax.experimental.enable_x64
    scope: ContextManager[Any] = switch(True)
    return scope


def where(array: Any) -> str:
    """Return the device of an array, as in ``"gpu:0"``; several with a comma."""
    return ", ".join(sorted("%s:%d" % (device.platform, device.id) for device in array.devices()))


class JaxCaller(Caller):
    """JAX 0.4 and later."""

    framework = "jax"

    def read(self, leaf: Any) -> Optional[Value]:
        import jax

        if not isinstance(leaf, jax.Array):
            return super().read(leaf)
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return None  # a key is no number
        name = str(leaf.dtype)
        return float_value(np.asarray(leaf.astype("float32") if name == "bfloat16" else leaf), name)

    def call(
        self, function: Callable[..., Any], arguments: Arguments, device: str, seed: int, gradients: bool
    ) -> Called:
        import jax

        with self._precision(arguments), place(device, "jax"), python_seeds(seed):
            found = function(*arguments.with_leaves(self._leaves(arguments)))
            outputs = tuple(Result(labelled("output", path), *_read(leaf)) for path, leaf in _flatten(found))
            if not gradients or not arguments.differentiable:
                return Called(outputs)
            try:
                return Called(outputs, self._gradients(jax, function, arguments, seed))
            except Exception as error:  # it may have none, as a loop of unknown length or a callback
                return Called(outputs, gradient_error=describe(error))

    def draws(self, function: Callable[..., Any], arguments: Arguments) -> bool:
        import jax

        with place("cpu", "jax"), python_seeds(0):
            leaves = self._leaves(arguments)
            numbers = [number for number, value in enumerate(arguments.values) if value is not None]

            def of_arrays(*arrays: Any) -> List[Any]:
                given = list(leaves)
                for number, item in zip(numbers, arrays):
                    given[number] = item
                return [leaf for _, leaf in _flatten(function(*arguments.with_leaves(given)))]

            try:
                program = str(jax.make_jaxpr(of_arrays)(*[leaves[number] for number in numbers]))
            except Exception:  # its steps depend on values: then it cannot be read, and is taken for deterministic
                return False
        return any(name in program for name in ("random_bits", "threefry2x32", "rng_bit_generator", "rng_uniform"))

    def settings(self, device: str) -> Tuple[str, ...]:
        import jax

        precision = jax.config.jax_default_matmul_precision
        return () if precision is None else ("jax_default_matmul_precision = %s" % precision,)

    @contextlib.contextmanager
    def _precision(self, arguments: Arguments) -> Iterator[None]:
        if any(value is not None and value.dtype in ("float64", "complex128") for value in arguments.values):
            with double_precision():
                yield
        else:
            yield

    def _leaves(self, arguments: Arguments) -> List[Any]:
        """New arrays each time: a compiled function may take those that it was given."""
        import jax.numpy as jnp

        return [
            leaf if value is None else jnp.array(value.array, dtype=_dtype(value))
            for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
        ]

    def _gradients(self, jax: Any, function: Callable[..., Any], arguments: Arguments, seed: int) -> Tuple[Result, ...]:
        leaves, numbers = self._leaves(arguments), arguments.differentiable

        def floats_only(*floats: Any) -> List[Any]:
            given = list(leaves)
            for number, item in zip(numbers, floats):
                given[number] = item
            found = [leaf for _, leaf in _flatten(function(*arguments.with_leaves(given)))]
            return [leaf for leaf in found if str(getattr(leaf, "dtype", "")) in FLOATS]

        outputs, pull_back = jax.vjp(floats_only, *[leaves[number] for number in numbers])
        if not outputs:
            return ()
        weights = [
            jax.numpy.array(weights_of_sum(item.shape, seed, index, str(item.dtype)), dtype=item.dtype)
            for index, item in enumerate(outputs)
        ]
        labels = arguments.labels
        return tuple(
            Result(labelled("gradient of input", labels[number]), *_read(item))
            for number, item in zip(numbers, pull_back(weights))
        )


def _dtype(value: Value) -> Any:
    import jax

    # As JAX itself would: 64 bits only where that is switched on.
    return jax.dtypes.canonicalize_dtype(value.dtype)


def _flatten(value: Any) -> List[Tuple[str, Any]]:
    import jax

    found: List[Tuple[str, Any]] = []
    for path, leaf in flatten(value):
        if hasattr(leaf, "dtype") or isinstance(leaf, (bool, int, float, complex)):
            found.append((path, leaf))
        else:  # a tree of somebody else's kind, registered with JAX
            inner = jax.tree_util.tree_leaves(leaf)
            found += [(("%s.%d" % (path, number)).strip("."), item) for number, item in enumerate(inner)]
    return found


def _read(leaf: Any) -> Tuple[np.ndarray, str, str]:
    import jax

    if not isinstance(leaf, jax.Array):
        array = np.asarray(leaf)
        return array, str(array.dtype), ""
    name = str(leaf.dtype)
    return np.asarray(leaf.astype("float32") if name == "bfloat16" else leaf), name, where(leaf)
