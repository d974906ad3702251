"""What a layer should give: itself again in float64 on the CPU, and how far rounding alone may move that."""

import contextlib
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ....errors import one_line, text_of
from ....runtime.frameworks.keras_model import layers_of, public_class
from ....runtime.frameworks.tensors import HostArray, rebuild
from ..random_state import other_draws
from .clone import NotClonable
from .runner import Cotangent, LayerOutcome, Work, nearly_equal

#: From whether it is to be in float64 to the function from outputs to the loss, None if there is none.
MakeHead = Callable[[bool], Any]

#: What weights are multiplied by until no activation is saturated.
_SCALES = tuple(4.0**-power for power in range(1, 9))

#: How many times as large its terms are if a gradient has vanished.
_VANISHED = 8.0

#: How often the CPU computes the same for inputs that are nearly the same: what then differs is its own rounding.
_OFTEN = 6


class DrawsRandomNumbers(Exception):
    """A layer gives something else every time, also in inference: there is nothing to compare."""


def _seed_moved(work: Work, outcome: LayerOutcome) -> bool:
    """Whether one of Keras's generators, whose state is among the weights, was drawn from."""
    before = [item for item in work.weights if item.dtype == "uint32" and item.array.shape == (2,)]
    after = [item for item in outcome.updates if item.dtype == "uint32" and item.array.shape == (2,)]
    return any(not np.array_equal(a.array, b.array) for a, b in zip(before, after))


class Reference:
    """The result that is taken for right: the layer made again in float64, or itself where that cannot be.

    Attributes
    ----------
    outcome : LayerOutcome
    note : str
        Why it is not in float64; "" if it is.
    cotangent : callable
        The weights of its outputs.

    Parameters
    ----------
    repeatable : bool
        Whether it is known that the layer gives the same every time.
    """

    def __init__(
        self,
        runner: Any,
        layer: Any,
        work: Work,
        cotangent: Cotangent,
        make_head: MakeHead,
        repeatable: bool = False,
    ) -> None:
        self.note = ""
        self._runner, self._own = runner, layer
        self.cotangent = cotangent
        self.weights_are_free = True
        self._envelopes: Dict[float, Dict[int, np.ndarray]] = {}
        self._moves: Dict[float, int] = {}
        self._largest_moves: Dict[float, float] = {}
        self._vanished_terms: List[Optional[np.ndarray]] = []
        self._nearby: List[List[Optional[np.ndarray]]] = []
        self._largest: Optional[float] = None
        self._run = runner.run
        self._rest: Tuple[Any, ...] = (cotangent, make_head)
        try:
            self._layer: Any = runner.in_float64(layer, work)
            self._double = True
            self.outcome = self.compute(work)
            if any(item.is_float and item.dtype != "float64" for item in self.outcome.outputs):
                raise NotClonable("it computes in %s whatever its dtype" % self.outcome.outputs[0].dtype)
        except Exception as error:  # whatever the user's layer raises in a dtype that it was not written for
            self._layer = runner.for_device(layer, work, "cpu")
            self._double = False
            self.weights_are_free = runner.weights_are_free
            self.outcome = self.compute(work)
            reason = text_of(error) if isinstance(error, NotClonable) else one_line(error, 300)
            self.note = "compared with the CPU in the same dtype, for it cannot be made again in float64: %s" % reason

        if _seed_moved(work, self.outcome) or not (repeatable or self._repeatable(runner, layer, work)):
            raise DrawsRandomNumbers

    def _repeatable(self, runner: Any, layer: Any, work: Work) -> bool:
        """Whether the CPU gives the same twice, from other seeds, too; of Keras's own layers that is known."""
        if all(public_class(item)[1] for item in layers_of(layer)):
            return True
        cotangent, make_head = self._rest
        own = runner.for_device(layer, work, "cpu")
        outputs = []
        for draws in (contextlib.nullcontext(), other_draws(runner.keras.framework)):
            with draws:
                outputs.append(runner.run(own, work, "cpu", False, cotangent, make_head(False)).outputs)
        return all(nearly_equal(a.array, b.array) for a, b in zip(*outputs))

    def is_of_another(self, work: Work) -> bool:
        """Whether the layer made again does something else than the layer: then the next reference is the layer itself."""
        return self._double and bool(self._runner.is_unlike(self._own, work))

    def compute(self, work: Work) -> LayerOutcome:
        """Compute the same for other inputs and weights."""
        cotangent, make_head = self._rest
        found: LayerOutcome = self._run(self._layer, work, "cpu", self._double, cotangent, make_head(self._double))
        return found

    def in_own_dtype(self, work: Work) -> List[Optional[np.ndarray]]:
        """Return what the CPU computes in the layer's own dtype."""
        cotangent, make_head = self._rest
        subject = self._runner.for_device(self._own, work, "cpu")
        return arrays_in(self._run(subject, work, "cpu", False, cotangent, make_head(False)))

    def own_spread(self, work: Work, size: float, seed: int, place: int) -> Optional[np.ndarray]:
        """Return how far apart the CPU's results in the layer's own dtype are if inputs are moved by a relative ``size``."""
        if not self._nearby:
            moved = [_moved(work, size, seed + number, self.weights_are_free) for number in range(_OFTEN)]
            self._nearby = [self.in_own_dtype(one) for one in moved]
        found = [arrays[place] for arrays in self._nearby]
        return None if any(item is None for item in found) else np.ptp(found, axis=0)

    @property
    def arrays(self) -> List[Optional[np.ndarray]]:
        return arrays_in(self.outcome)

    @property
    def largest(self) -> float:
        """The largest finite number of the result."""
        if self._largest is None:  # every array that takes a closer look asks
            sizes = [np.abs(item[np.isfinite(item)]).max(initial=0.0) for item in self.arrays if item is not None]
            self._largest = float(max(sizes, default=0.0))
        return self._largest

    def envelope(self, work: Work, size: float, seed: int, times: int) -> List[Optional[np.ndarray]]:
        """Return how far each element moves at most where inputs and weights are moved ``times`` by a relative ``size``."""
        right = self.arrays
        known = self._envelopes.setdefault(size, {})
        while self._moves.get(size, 0) < times:
            number = self._moves[size] = self._moves.get(size, 0) + 1
            moved = arrays_in(self.compute(_moved(work, size, seed + number - 1, self.weights_are_free)))
            for place, (item, one) in enumerate(zip(right, moved)):
                if item is not None and one is not None and item.shape == one.shape:
                    known[place] = np.fmax(known.get(place, np.nan), distance(one, item))
                    if place < len(self.outcome.outputs) or not item.size:
                        continue
                    with np.errstate(all="ignore"):
                        scale = float(np.sqrt(np.mean(np.square(item.astype(np.float64)))))
                    if scale:
                        largest = float(np.max(known[place])) / scale
                        self._largest_moves[size] = max(self._largest_moves.get(size, 0.0), largest)
        return [known.get(place) for place in range(len(right))]

    def vanished_terms(self, work: Work) -> List[Optional[np.ndarray]]:
        """Return how large the terms of each gradient are that is far larger with smaller weights (inputs, if there are none).

        0 for all others. A gradient of what is scaled is multiplied by the scale: one that only grows because its weight
        shrinks, as before a normalization, is not larger. Its terms, without that, are those of the first scale that counts.
        """
        if not self._vanished_terms:
            trained = self._runner.trained(self._own) if self.weights_are_free else []
            inputs = len(self.outcome.outputs) + len(work.inputs)
            zero = np.zeros(())
            found = [None if item is None else np.zeros(item.shape) for item in self.arrays]
            largest = [None if item is None else _VANISHED * distance(item, zero) for item in self.arrays]
            for scale in _SCALES:
                factors = functools.partial(np.full, fill_value=scale)
                smaller = arrays_in(self.compute(_multiplied(work, factors, not trained, trained)))
                for place, (most, item) in enumerate(zip(largest, smaller)):
                    if most is not None and item is not None and item.shape == most.shape:
                        terms = distance(item, zero) / (1.0 if place >= inputs or not trained else scale)
                        found[place] = np.where(scale * terms > most, terms, found[place])
                        largest[place] = np.fmax(most, scale * terms)
            self._vanished_terms = found
        return self._vanished_terms

    def largest_move(self, moved_by: float) -> float:
        """Return how far `envelope` has moved an element of any gradient so far, relative to the size of that gradient."""
        return self._largest_moves.get(moved_by, 0.0)


def distance(actual: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return how far each element is from the right one."""
    with np.errstate(all="ignore"):
        apart: np.ndarray = np.abs(actual.astype(np.float64) - right.astype(np.float64))
    return apart


def arrays_in(outcome: LayerOutcome) -> List[Optional[np.ndarray]]:
    """Return all arrays of an outcome in one list: outputs, gradients, updates."""
    outputs = [item.array for item in outcome.outputs]
    return outputs + list(outcome.gradients) + [item.array for item in outcome.updates]


def _moved(work: Work, size: float, seed: int, weights_too: bool) -> Work:
    generator = np.random.RandomState([seed & 0xFFFFFFFF, 59])

    def factors(shape: Tuple[int, ...]) -> Any:
        return 1.0 + size * generator.uniform(-1.0, 1.0, shape)

    return _multiplied(work, factors, True, range(len(work.weights)) if weights_too else ())


def _multiplied(work: Work, factors: Callable[[Tuple[int, ...]], Any], inputs: bool, weights: Sequence[int]) -> Work:
    """Return what goes into a call with floats multiplied by factors of their shape: inputs, and weights of some places."""

    def one(held: Any) -> Any:
        if not isinstance(held, HostArray) or not held.is_float:
            return held
        return HostArray(held.array.astype(np.float64) * factors(held.array.shape), held.dtype)

    args, kwargs = rebuild((work.args, work.kwargs), [one(leaf) if inputs else leaf for leaf in work.leaves])
    return Work(args, kwargs, [one(item) if place in weights else item for place, item in enumerate(work.weights)])
