"""JAX arrays."""

import functools
import inspect
from typing import Any, Callable, ContextManager, Dict, List, Optional, Sequence, Tuple

import jax
import numpy as np

from .tensors import Function, Pulled, Tensors, Weigh, restored

#: How a program for the CPU that runs only a few times is compiled, at a third of the usual cost for a layer: without the
#: compiler of fused kernels, and in one part. At level 0 large convolutions take 20 times as long.
_QUICK = {
    "xla_backend_optimization_level": 1,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}


class JaxTensors(Tensors):
    """JAX 0.4 and later, compiled as Keras compiles: equal work, as the many convolutions of a model, is compiled once."""

    framework = "jax"
    compiles = True

    def __init__(self) -> None:
        self._programs: Dict[Any, Any] = {}
        self._wide_before = bool(jax.config.jax_enable_x64)

    def devices(self) -> Tuple[str, ...]:
        return tuple(self._table())

    @staticmethod
    def _table() -> Dict[str, Any]:
        accelerators = [device for device in jax.local_devices() if device.platform != "cpu"]
        try:
            processors = jax.local_devices(backend="cpu")
        except RuntimeError:  # JAX_PLATFORMS leaves it out
            processors = []
        table = {"cpu:%d" % number: device for number, device in enumerate(processors)}
        table.update(
            ("%s:%d" % ("tpu" if device.platform == "tpu" else "gpu", number), device)
            for number, device in enumerate(accelerators)
        )
        return table

    def on(self, device: str) -> ContextManager[Any]:
        scope: ContextManager[Any] = jax.default_device(self._table()[device])
        return scope

    def device_of(self, tensor: Any) -> str:
        return ", ".join(sorted("%s:%d" % (device.platform, device.id) for device in tensor.devices()))

    def is_tensor(self, value: Any) -> bool:
        if not isinstance(value, jax.Array):
            return False
        return not jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)  # a key is not a number

    def is_traced(self, value: Any) -> bool:
        return isinstance(value, jax.core.Tracer)

    def inner_leaves(self, value: Any) -> Optional[List[Any]]:
        if hasattr(value, "dtype") or isinstance(value, (bool, int, float, complex)):
            return None
        return list(jax.tree_util.tree_leaves(value))

    def dtype(self, name: str) -> Any:
        return name

    def to_tensor(self, array: np.ndarray, dtype: str, copy: bool = True) -> Any:
        if dtype in ("int64", "uint64") and not self._wide_before:  # as everywhere in JAX
            dtype = dtype.replace("64", "32")
        # Always a new array: a compiled function may take the ones it is given. NumPy makes it, for JAX would compile a copy
        # for each shape.
        return jax.device_put(np.array(array, dtype=jax.dtypes.canonicalize_dtype(dtype)))

    def to_numpy(self, value: Any) -> np.ndarray:
        bfloat16 = isinstance(value, jax.Array) and str(value.dtype) == "bfloat16"
        array: np.ndarray = np.asarray(value.astype("float32") if bfloat16 else value)
        return array

    def variable_to_numpy(self, variable: Any) -> np.ndarray:
        array: np.ndarray = np.asarray(variable.value)
        return array

    def double_precision(self) -> ContextManager[Any]:
        """Return a scope in which JAX has float64, in this thread only."""
        switch: Any = getattr(jax, "enable_x64", None)
        if switch is None:  # up to 0.7
            from jax import experimental

            switch = experimental.enable_x64
        scope: ContextManager[Any] = switch(True)
        return scope

    def vjp(
        self,
        function: Function,
        values: List[Any],
        others: List[Any],
        weigh: Weigh,
        key: Any = None,
        loops: bool = False,
    ) -> Pulled:
        if key is not None:
            known = (key, tuple((item.shape, str(item.dtype)) for item in values + others))
            try:
                if known not in self._programs:
                    # On the CPU only: on a device, what is compiled is what is compared.
                    wide = any(str(item.dtype) == "float64" for item in values + others)
                    quickly = wide and _default_device().platform == "cpu"
                    once = jax.jit(function)  # so that its Python code, Keras's mostly, runs once
                    with restored(jax.lax, ["conv_general_dilated"]) as usual:
                        if quickly:
                            vars(jax.lax).update({name: functools.partial(_as_product, usual[name]) for name in usual})
                        outputs, _ = jax.eval_shape(once, values, others)
                    self._programs[known] = (_compiled(functools.partial(self._program, once), quickly), outputs)
                program, shapes = self._programs[known]
                return Pulled(*program(values, others, self._all_weights(shapes, weigh) if values else []))
            except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):
                pass  # it looks at values, and cannot be compiled
        outputs, more = function(values, others)
        try:
            pulled = (
                self._program(function, values, others, self._all_weights(outputs, weigh)) if values else ((), (), [])
            )
        except Exception as error:  # a loop of unknown length, or a callback, has no gradient
            return Pulled(outputs, more, [None] * len(values), error)
        return Pulled(outputs, more, pulled[2])

    def _all_weights(self, outputs: Sequence[Any], weigh: Weigh) -> List[Any]:
        """The weights of the float outputs; zeros for those that have none."""
        pairs = [(o, w) for o, w in zip(outputs, self._weights(outputs, weigh)) if self._has_gradient(o)]
        return [jax.device_put(np.zeros(o.shape, o.dtype)) if w is None else w for o, w in pairs]

    def _has_gradient(self, output: Any) -> bool:
        return _is_float(output)  # the outputs of a traced function are shapes only

    @staticmethod
    def _program(function: Function, values: List[Any], others: List[Any], weights: List[Any]) -> Any:
        if not values:
            return (*function(values, others), [])

        def of_floats(given: List[Any]) -> Tuple[List[Any], Tuple[List[Any], List[Any]]]:
            outputs, more = function(given, others)
            return [item for item in outputs if _is_float(item)], (outputs, more)

        _, back, (outputs, more) = jax.vjp(of_floats, values, has_aux=True)
        (gradients,) = back(weights)
        return outputs, more, list(gradients)

    def on_cpu(self, function: Callable[[List[Any]], List[Any]], values: List[Any]) -> List[Any]:
        cpu = jax.local_devices(backend="cpu")[0]
        if _default_device() == cpu:
            return function(values)
        # Read now, with what Keras notes for this thread: a callback runs in another one.
        program, shapes = _read(function, cpu, values)

        def compute(given: List[Any]) -> List[Any]:
            found: List[Any] = program(given)
            return found

        computed = jax.custom_vjp(compute)

        def forward(given: List[Any]) -> Tuple[List[Any], List[Any]]:
            return computed(given), given

        def backward(given: List[Any], up: List[Any]) -> Tuple[List[Any]]:
            places = [place for place, item in enumerate(given) if _is_float(item)]
            floats = [item for item, shape in zip(up, shapes) if _is_float(shape)]

            def pull(everything: List[Any]) -> List[Any]:
                def of_floats(some: List[Any]) -> List[Any]:
                    filled = list(everything[: len(given)])
                    for place, item in zip(places, some):
                        filled[place] = item
                    return [item for item in function(filled) if _is_float(item)]

                _, back = jax.vjp(of_floats, [everything[place] for place in places])
                return list(back(list(everything[len(given) :]))[0])

            gradients, _ = _read(pull, cpu, [*given, *floats])
            pulled = iter(gradients([*given, *floats]))
            return ([next(pulled) if _is_float(item) else None for item in given],)

        computed.defvjp(forward, backward)
        results: List[Any] = computed(values)
        return results

    def forget(self) -> None:
        self._programs.clear()

    def draws_random_numbers(self, function: Callable[..., Any], tensors: Sequence[Any]) -> bool:
        try:
            program = str(jax.make_jaxpr(function)(*tensors))
        except Exception:  # its steps depend on values, so it cannot be read, and counts as deterministic
            return False
        return any(name in program for name in ("random_bits", "threefry2x32", "rng_bit_generator", "rng_uniform"))

    def precision_settings(self) -> Tuple[str, ...]:
        precision = jax.config.jax_default_matmul_precision
        return () if precision is None else ("jax_default_matmul_precision = %s" % precision,)


def _is_float(value: Any) -> bool:
    return "float" in str(getattr(value, "dtype", ""))


def _compiled(function: Callable[..., Any], quickly: bool) -> Any:
    """Return a compiled function; one that is run a few times, for reference, is not worth the time of optimizing it."""
    options = _quick_options() if quickly else {}
    return jax.jit(function, compiler_options=options) if options else jax.jit(function)


@functools.lru_cache(maxsize=None)
def _quick_options() -> Dict[str, Any]:
    """Return those of `_QUICK` that this release's compiler has; it refuses a program with others."""
    if "compiler_options" not in inspect.signature(jax.jit).parameters:
        return {}
    known = {}
    for name, value in _QUICK.items():
        try:
            jax.jit(lambda: 0, compiler_options={name: value}).lower().compile()
        except Exception:  # whatever this release raises for an option of another one
            continue
        known[name] = value
    return known


def _as_product(usual: Any, lhs: Any, rhs: Any, window_strides: Any, padding: Any, *more: Any, **rest: Any) -> Any:
    """Return a convolution in float64 as one product if XLA takes a hundred times as long, element by element.

    That is so for kernels larger than the input, and for the gradient of strides.
    """
    rank, sizes = lhs.ndim - 2, rhs.shape[:-2]
    last = (0, rank + 1, *range(1, rank + 1))
    numbers = (last, (rank + 1, rank, *range(rank)), last)
    plain = rest == {"rhs_dilation": (1,) * rank, "dimension_numbers": numbers, "feature_group_count": 1}
    few = np.prod(sizes) <= 9 and isinstance(padding, str) and str(lhs.dtype) == "float64"
    if not plain or not few or (max(window_strides) == 1 and np.all(np.less_equal(sizes, lhs.shape[1:-1]))):
        return usual(lhs, rhs, window_strides, padding, *more, **rest)
    around = jax.lax.padtype_to_pads(lhs.shape[1:-1], sizes, window_strides, padding)
    padded = jax.numpy.pad(lhs, [(0, 0), *around, (0, 0)])
    ends = np.subtract(padded.shape[1:-1], sizes) + 1
    parts = [padded[(slice(None), *map(slice, place, place + ends, window_strides))] for place in np.ndindex(*sizes)]
    return jax.numpy.concatenate(parts, axis=-1) @ rhs.reshape(-1, rhs.shape[-1])


def _default_device() -> Any:
    """The device that JAX computes on where nothing says otherwise."""
    default = jax.config.jax_default_device
    if isinstance(default, str):
        return jax.local_devices(backend=default)[0]
    return default if default is not None else jax.local_devices()[0]


def _read(function: Callable[[List[Any]], List[Any]], device: Any, values: List[Any]) -> Tuple[Callable[..., Any], Any]:
    """Return a function that is computed on a device, also inside a program for another one, and the shapes of its results."""
    from jax.extend.core import jaxpr_as_fun

    with jax.default_device(device):
        program, shapes = jax.make_jaxpr(function, return_shape=True)(values)
        arguments = [jax.ShapeDtypeStruct(item.shape, item.dtype) for item in program.in_avals]
        # Compiled now: inside a callback of the same processor, compiling would wait for itself.
        compiled = jax.jit(jaxpr_as_fun(program)).lower(*arguments).compile()

    def compute(given: List[Any]) -> List[np.ndarray]:
        with jax.default_device(device):
            return [np.asarray(item) for item in compiled(*(np.asarray(item) for item in given))]

    def call(given: List[Any]) -> List[Any]:
        if any(isinstance(item, jax.core.Tracer) for item in given):
            found: List[Any] = jax.pure_callback(compute, shapes, given)
            return found
        return [jax.numpy.asarray(item) for item in compute(given)]

    return call, shapes
