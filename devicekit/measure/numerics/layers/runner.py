"""Repeats one call of one layer, or of the whole model: on a device, in a dtype, with its gradients. Eager frameworks."""

import contextlib
import functools
import sys
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ....errors import one_line
from ....runtime.frameworks import tensors_of
from ....runtime.frameworks.keras_model import Keras, layers_of, public_class
from ....runtime.frameworks.tensors import HostArray, Tensors, flatten, rebuild
from ....runtime.on_cpu import leave_to_cpu
from ..random_state import kept_random
from .clone import NotClonable, again, again_whole, fit_together, global_float64, known_classes, variables
from .recorded_calls import Call, record, reset_states, unchanged

#: From the number, shape and dtype of an output to what its gradient is multiplied by; None: it has no part in it.
Cotangent = Callable[[int, Tuple[int, ...], str], Optional[np.ndarray]]

#: From the outputs of a model to its loss, in the framework.
Head = Callable[[List[Any]], Any]


#: Weights of a copy that is kept for other layers: 8 MB in float64.
_SHARED = 1 << 20

#: Time steps that TensorFlow takes one by one; more of them are compiled.
_FEW_STEPS = 16


class Work(NamedTuple):
    """What is computed: arrays as `HostArray`.

    Attributes
    ----------
    args, kwargs : tuple, dict
    weights : list of HostArray
        In the order of the layer's variables.
    """

    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]
    weights: List[HostArray]

    @property
    def leaves(self) -> List[Any]:
        """What the arguments hold, in order."""
        return [leaf for _, leaf in flatten((self.args, self.kwargs))]

    @property
    def inputs(self) -> List[int]:
        """The places among `leaves` for which there is a gradient."""
        return [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, HostArray) and leaf.is_float]


@dataclass
class LayerOutcome:
    """What a layer, or a model, computed.

    Attributes
    ----------
    outputs : list of HostArray
        The loss first, if there is one.
    gradients : list of numpy.ndarray or None
        For each of `Work.inputs`, then for each weight that is trained.
    updates : list of HostArray
        The weights that are not trained, after the call.
    ran_on : str
    """

    outputs: List[HostArray]
    gradients: List[Optional[np.ndarray]]
    updates: List[HostArray]
    ran_on: str = ""


class Runner:
    """Keras 3 on each of its frameworks: values of variables are passed in, so that nothing is assigned."""

    #: Whether a layer that cannot be made again can be given other weights.
    weights_are_free = True

    def __init__(self, model: Any, keras: Keras) -> None:
        self.model = model
        self.keras = keras
        self.tensors: Tensors = tensors_of(keras.framework)
        self.known = known_classes(model)
        self._recurrent = [(layer, layer.use_cudnn) for layer in layers_of(model) if hasattr(layer, "use_cudnn")]
        self._copies: Dict[Any, Any] = {}
        self._shared: Dict[Any, Any] = {}
        self._likenesses: Dict[int, Tuple[Any, Any]] = {}
        self._left: List[Tuple[Any, Any]] = []
        self._unlike: List[Any] = []

    def leave_to_cpu(self, layers: Sequence[Any]) -> None:
        """Let the CPU compute these layers of the model from now on, inside `unchanged`; none of them: no longer any."""
        self.forget_all()
        for layer, own in self._left:
            if own is None:
                vars(layer).pop("call", None)
            else:
                vars(layer)["call"] = own
        self._left = [(layer, vars(layer).get("call")) for layer in layers]
        for layer in layers:
            leave_to_cpu(layer, self.keras)

    def record(self, inputs: Any) -> List[Call]:
        """Run the model on the CPU and return the calls of its layers."""
        tensors = self.tensors
        with self.scope("cpu", False):
            given = self._made(inputs, False)
            # Its variables may be on another device, where XLA on the CPU, as for groups of a convolution, cannot read them.
            weights = self._hand_in(self.model, self.weights(self.model), False)
            hold = functools.partial(held, tensors)
            call = functools.partial(self._call, self.model, (given,), {"training": False}, weights)
            calls = record(self.model, call, hold, tensors.is_traced)
            if self.weights_are_free:  # states are not among a layer's variables, and a copy starts from zeros
                reset_states(self.model)
            return calls

    @contextlib.contextmanager
    def scope(self, device: str, double: bool) -> Iterator[None]:
        """Compute on a device, in float64 if requested."""
        with computing_on(device, self.tensors, double):
            try:
                self._use_cudnn(device != "cpu")
                yield
            finally:
                self._use_cudnn(True)

    def _use_cudnn(self, allowed: bool) -> None:
        """Let recurrent layers do without: with a GPU, Keras 3 calls cuDNN in the scope of the CPU as well."""
        for layer, own in self._recurrent:
            layer.use_cudnn = own if allowed else False

    def unchanged(self) -> ContextManager[None]:
        """Return a scope after which the model is as it was before, and so are random numbers."""
        scope = contextlib.ExitStack()
        scope.enter_context(kept_random(self.keras.framework))
        scope.enter_context(unchanged(self.model, self.tensors.variable_to_numpy))
        return scope  # type: ignore[return-value]

    def place(self, device: str) -> str:
        """Return the framework's name of a device, as `LayerOutcome.ran_on` has it."""
        with self.scope(device, False):
            return self.tensors.device_of(self.tensors.to_tensor(np.zeros(1, np.float32), "float32"))

    def weights(self, layer: Any) -> List[HostArray]:
        """Return the values of a layer's variables."""
        return [HostArray(self.tensors.variable_to_numpy(item), _dtype(item)) for item in variables(layer)]

    def likeness(self, layer: Any, work: Work) -> Any:
        """Return what is equal for calls that do the same with other numbers; layers of the user are like themselves only."""
        leaves = [(leaf.dtype, leaf.array.shape) if isinstance(leaf, HostArray) else repr(leaf) for leaf in work.leaves]
        return self._likeness_of(layer), tuple(leaves), tuple(sorted(work.kwargs))

    def _likeness_of(self, layer: Any) -> Any:
        if id(layer) not in self._likenesses:
            self._likenesses[id(layer)] = layer, _alike(layer)  # with the layer, or another could get its number
        return self._likenesses[id(layer)][1]

    def trained(self, layer: Any) -> List[int]:
        """Return the places of the variables that there is a gradient for."""
        wanted = {id(item) for item in getattr(layer, "trainable_variables", None) or ()}
        return [i for i, item in enumerate(variables(layer)) if id(item) in wanted and "float" in _dtype(item)]

    def forget(self) -> None:
        """Let the copies go that were made so far, but for those that serve other layers as well."""
        self._copies.clear()
        self._likenesses.clear()

    def forget_all(self) -> None:
        """Let everything go."""
        self.forget()
        self._shared.clear()
        self.tensors.forget()

    def in_float64(self, layer: Any, work: Work) -> Any:
        """Return the layer again, in float64, with weights of its own.

        Raises
        ------
        NotClonable
        """
        if any(layer is one for one in self._unlike):
            raise NotClonable("made again from its configuration it computes something else")
        return self._copy(layer, work, "cpu", True)

    def is_unlike(self, layer: Any, work: Work) -> bool:
        """Whether a layer made again in its own dtype gives something else: a configuration need not say all. Remembered."""
        if not self.weights_are_free:  # a device has copies, too
            return False
        both = (layer, self._copy(layer, work, "cpu", False))
        own, other = (self.run(one, work, "cpu", False, lambda *_: None).outputs for one in both)
        unlike = not all(nearly_equal(a.array, b.array) for a, b in zip(own, other))
        self._unlike += [layer] if unlike else []
        return unlike

    def for_device(self, layer: Any, work: Work, device: str) -> Any:
        """Return what computes on a device as the layer does."""
        return layer

    def _copy(self, layer: Any, work: Work, device: str, double: bool) -> Any:
        key: Any = (id(layer), device, double)
        copies = self._copies
        if self._serves_others(layer):
            key, copies = (
                (self._likeness_of(layer), str([item.array.shape for item in work.weights]), double),
                self._shared,
            )
        if key not in copies:
            make = again_whole if layer is self.model else again
            with self.scope(device, double), global_float64(self.keras, double):
                copy = make(layer, self.keras, self.known, double)
                if variables(layer) and not self._build_as(copy, layer):
                    self._build(copy, work, double)
                fit_together(layer, copy)
            if not double:
                leave_copies_to_cpu(layer, copy, [left for left, _ in self._left], self.keras)
            copies[key] = copy
        return copies[key]

    def _serves_others(self, layer: Any) -> bool:
        """Whether a copy of a layer is good for all that are like it: weights are passed in, and few enough to be kept."""
        size = sum(int(np.prod(item.shape)) for item in variables(layer))
        return self.weights_are_free and layer is not self.model and size <= _SHARED and bool(public_class(layer)[1])

    def _build_as(self, copy: Any, layer: Any) -> bool:
        """Build a copy without running it, if the layer knows how it was built; return whether that was all."""
        try:
            config = layer.get_build_config() if hasattr(layer, "get_build_config") else None
            if config and not copy.built:
                copy.build_from_config(config)
            fit_together(layer, copy)
        except Exception:  # the custom layers for which this does not work are called instead
            return False
        return bool(getattr(copy, "built", True))

    def _build(self, copy: Any, work: Work, double: bool) -> None:
        args, kwargs = self._made((work.args, work.kwargs), double)
        try:
            copy(*args, **kwargs)
        except Exception as error:  # whatever the layer's own code raises in the other dtype
            raise NotClonable(one_line(error, 200)) from error

    def run(
        self, subject: Any, work: Work, device: str, double: bool, cotangent: Cotangent, head: Optional[Head] = None
    ) -> LayerOutcome:
        """Compute on a device; ``subject`` is from `in_float64` or `for_device`."""
        tensors = self.tensors
        with self.scope(device, double):
            leaves, inputs, trained = work.leaves, work.inputs, self.trained(subject)
            given = [make(tensors, leaf, double) if isinstance(leaf, HostArray) else leaf for leaf in leaves]
            held_in = [i for i, leaf in enumerate(leaves) if isinstance(leaf, HostArray)]
            fixed = [i for i in held_in if i not in inputs]
            weights = self._hand_in(subject, work.weights, double)
            untrained = [i for i in range(len(weights)) if i not in trained]

            def function(values: List[Any], others: List[Any]) -> Tuple[List[Any], List[Any]]:
                # Nothing of this call may stay in here: if it is compiled, it serves all calls that are alike.
                now: List[Any] = [None] * (len(inputs) + len(fixed) + len(trained) + len(untrained))
                filled = list(given)
                for place, value in zip(inputs + fixed, values[: len(inputs)] + others[: len(fixed)]):
                    filled[place] = value
                for place, value in zip(trained + untrained, values[len(inputs) :] + others[len(fixed) :]):
                    now[place] = value
                args, kwargs = rebuild((work.args, work.kwargs), filled)
                result, after = self._call(subject, args, kwargs, now[: len(weights)])
                outputs = [item for _, item in flatten(result) if tensors.is_tensor(item)]
                return ([head(outputs)] + outputs if head is not None else outputs), after

            def weigh(number: int, shape: Tuple[int, ...], dtype: str) -> Any:
                weights = cotangent(number, shape, dtype)
                return None if weights is None else tensors.to_tensor(weights, dtype)

            values = [given[i] for i in inputs] + [weights[i] for i in trained]
            others = [given[i] for i in fixed] + [weights[i] for i in untrained]
            constants = [(i, repr(leaf)) for i, leaf in enumerate(leaves) if i not in held_in]
            key = (self._likeness_of(subject), device, double, head is not None, str(constants), tuple(work.kwargs))
            loops = _steps(subject, work) > _FEW_STEPS
            outputs, after, gradients, _ = tensors.vjp(function, values, others, weigh, key, loops).checked()
            return LayerOutcome(
                [item for item in (held(tensors, output) for output in outputs) if item is not None],
                [None if item is None else tensors.to_numpy(item) for item in gradients],
                [item for item in (held(tensors, variable) for variable in after) if item is not None],
                tensors.device_of(outputs[-1]) if outputs else "",
            )

    def _hand_in(self, subject: Any, weights: Sequence[HostArray], double: bool) -> List[Any]:
        return [make(self.tensors, item, double) for item in weights]

    def _call(self, subject: Any, args: Any, kwargs: Any, weights: List[Any]) -> Tuple[Any, List[Any]]:
        own = variables(subject)
        with self.keras.module.StatelessScope(list(zip(own, weights))) as scope:
            result = subject(*args, **kwargs)
        trained = set(self.trained(subject))
        after = [scope.get_current_value(item) for i, item in enumerate(own) if i not in trained]
        return result, after

    def head(self, loss: Any, targets: Any, double: bool) -> Head:
        """Return the function from a model's outputs to its loss."""
        losses = self.keras.module.losses

        def one(given: Any, target: Any, output: Any) -> Any:
            with global_float64(self.keras, double):
                if hasattr(given, "get_config"):
                    given = type(given).from_config(given.get_config())
                function = given if callable(given) else losses.get(given)
                value = function(self._made(target, double), output)
            mean = self.keras.module.ops.mean if self.keras.generation == 3 else self.keras.module.backend.mean
            return mean(value) if len(value.shape) else value

        wanted = [item for _, item in flatten(targets)]
        given = [item for _, item in flatten(loss)]

        def total(outputs: List[Any]) -> Any:
            if len(wanted) != len(outputs) or len(given) not in (1, len(outputs)):
                raise ValueError(
                    "%d outputs, %d targets and %d losses do not go together" % (len(outputs), len(wanted), len(given))
                )
            each = given * len(outputs) if len(given) == 1 else given
            parts = [one(a, b, c) for a, b, c in zip(each, wanted, outputs)]
            return sum(parts[1:], parts[0])

        return total

    def _made(self, values: Any, double: bool) -> Any:
        """Make arrays on the device of what is held, or NumPy's."""
        leaves = []
        for _, leaf in flatten(values):
            values_of = HostArray(leaf, str(leaf.dtype)) if isinstance(leaf, np.ndarray) else leaf
            leaves.append(make(self.tensors, values_of, double) if isinstance(values_of, HostArray) else leaf)
        return rebuild(values, leaves)


class CopyingRunner(Runner):
    """Keras 2, whose variables cannot be exchanged: a copy of each layer, with its variables on each device."""

    weights_are_free = False

    def for_device(self, layer: Any, work: Work, device: str) -> Any:
        try:
            return self._copy(layer, work, device, False)
        except NotClonable:
            return layer  # its variables stay if they are; TensorFlow copies what is read to the device

    def _hand_in(self, subject: Any, weights: Sequence[HostArray], double: bool) -> List[Any]:
        own = variables(subject)
        if any(subject is copy for copy in self._copies.values()):
            for variable, values in zip(own, weights):
                variable.assign(make(self.tensors, values, double))
            reset_states(subject)
        return own

    def _call(self, subject: Any, args: Any, kwargs: Any, weights: List[Any]) -> Tuple[Any, List[Any]]:
        result = subject(*args, **kwargs)
        trained = set(self.trained(subject))
        return result, [item for i, item in enumerate(variables(subject)) if i not in trained]


def leave_copies_to_cpu(original: Any, copy: Any, layers: Sequence[Any], keras: Keras) -> None:
    """Let the CPU compute those layers of a copy that are copies of these layers."""
    for one, other in zip(layers_of(original), layers_of(copy)):
        if any(one is layer for layer in layers):
            leave_to_cpu(other, keras)


def nearly_equal(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two results are the same, but for rounding."""
    with np.errstate(all="ignore"):
        return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-3, atol=1e-6, equal_nan=True))


def names_of(layer: Any) -> List[str]:
    """Return the names of a layer's variables, as short as they can be distinguished: ``"kernel"``, ``"cell/kernel"``."""
    paths = [str(getattr(item, "path", item.name)).partition(":")[0].split("/") for item in variables(layer)]
    names = []
    for path in paths:
        for length in range(1, len(path) + 1):
            name = "/".join(path[-length:])
            if sum("/".join(other[-length:]) == name for other in paths) == 1:
                break
        names.append("/".join(path[-length:]))
    return names


def _alike(layer: Any) -> Any:
    """Return what is equal for layers that do the same, apart from their weights: the layer itself for the user's own."""
    plain = all(public_class(item)[1] and not hasattr(item, "finalize_state") for item in layers_of(layer))
    if hasattr(layer, "get_config") and plain:
        try:
            config = dict(layer.get_config(), name="")
        except Exception:  # whatever its parts raise; then it is like no other
            return layer
        # Functions of the user may have one name.
        return type(layer).__name__, repr(config), repr(getattr(layer, "activation", None))
    return layer


def _steps(subject: Any, work: Work) -> int:
    """Return how many time steps something recurrent takes; 0 if nothing is recurrent."""
    if not any(hasattr(item, "return_sequences") for item in layers_of(subject)):
        return 0
    arrays = [leaf.array for leaf in work.leaves if isinstance(leaf, HostArray)]
    return max([int(array.shape[1]) for array in arrays if array.ndim > 1] or [0])


def _dtype(variable: Any) -> str:
    return str(getattr(variable.dtype, "name", variable.dtype)).replace("torch.", "").replace("_ref", "")


# The scope in which a layer computes: a device, in float64 or in the model's own dtype.


@contextlib.contextmanager
def computing_on(device: str, tensors: Tensors, double: bool) -> Iterator[None]:
    """Make tensors, and compute with them, on a device; in float64 if requested."""
    from ....diagnosis.findings import name_of
    from ....runtime.scope import device_scope

    wide = tensors.double_precision() if double else contextlib.nullcontext()
    with wide, _keeping_float64(double), device_scope(device, framework=name_of(tensors.framework)):
        yield


def make(tensors: Tensors, array: HostArray, double: bool) -> Any:
    """Return a tensor on the device of the open scope; floats in float64 if requested."""
    return tensors.to_tensor(array.array, "float64" if double and array.is_float else array.dtype)


def held(tensors: Tensors, value: Any) -> Optional[HostArray]:
    """Return the values of a tensor or of a NumPy array; None for anything else, or if it has no values yet."""
    own = getattr(value, "value", None)
    if own is not None and not callable(own):  # what a variable of Keras 3 holds, as the state of a stateful layer
        value = own
    if isinstance(value, np.ndarray):
        return HostArray(value, str(value.dtype))
    if not tensors.is_tensor(value) or tensors.is_traced(value):
        return None
    return HostArray(tensors.to_numpy(value), tensors.dtype_of(value))


@contextlib.contextmanager
def _keeping_float64(double: bool) -> Iterator[None]:
    """Let Keras 3 compute products of float64 in float64: its rules of promotion, private, make float32 of it (as of 3.0)."""
    table = getattr(sys.modules.get("keras.src.backend.common.dtypes"), "BIT64_TO_BIT32_DTYPE", None)
    before = table.get("float64") if double and isinstance(table, dict) else None
    if table is None or before is None:
        yield
        return
    table["float64"] = "float64"
    try:
        yield
    finally:
        table["float64"] = before
