"""Verdicts on the repeated call of a layer, and on a whole model."""

import math
import zlib
from typing import Any, Container, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ....logs.errors import NO_KERNEL, classify_error
from ..keras_model import public_class
from ..nests import flatten, rebuild
from ..operations.operation import rounded
from ..result import VERDICTS, Difference
from ..verdict import failed, unsupported
from .clone import variables
from .finite_differences import gradient_problems
from .recorded_calls import Call, Held
from .reference import DrawsRandomNumbers, Reference, Weights, arrays_in, line_of, other_inputs
from .rounding_verdict import coarse_verdict, is_plainly_good, verdict_on
from .runner import Outcome, Work, names_of
from .sizes import Sizes, coarsest, ratio_of, sizes_of

__all__ = ["Subject", "Way", "compare_call", "compare_whole", "way_of_whole", "ways_to_call"]

_RANDOM = ("Dropout", "Random", "Noise", "AlphaDropout", "GaussianDropout")


class Subject:
    """What is compared, and with what.

    Parameters
    ----------
    runner : Runner
    framework : str
    seed : int
    """

    def __init__(self, runner: Any, framework: str, seed: int) -> None:
        self.runner = runner
        self.framework = framework
        self.seed = seed
        self._places: Dict[str, str] = {}

    def place(self, device: str) -> str:
        """Return the framework's name of a device."""
        if device not in self._places:
            self._places[device] = self.runner.place(device)
        return self._places[device]


class Way(NamedTuple):
    """One of the ways in which a layer is called, with weights of its outputs of its own: so gradients differ, too."""

    work: Work
    cotangent: Weights
    remark: str
    stale: bool


class _Case(NamedTuple):
    """A way of calling a layer, and what is right for it."""

    work: Work
    cotangent: Weights
    remark: str
    stale: bool
    reference: Reference


def ways_to_call(runner: Any, call: Call, seed: int) -> List[Way]:
    """Return the ways in which a recorded call is repeated; none where there is nothing to compare."""
    first = Work(call.args, call.kwargs, runner.weights(call.layer))
    if not any(isinstance(leaf, Held) for leaf in first.leaves):
        return []
    works = [(first, "", False), (other_inputs(first), "", True)]
    if _has_training_mode(call):
        works.append((first._replace(kwargs=dict(first.kwargs, training=True)), "in training", False))
    return [
        Way(work, _cotangent(seed + place, call.path), remark, stale)
        for place, (work, remark, stale) in enumerate(works)
    ]


def way_of_whole(runner: Any, inputs: Any, with_loss: bool, seed: int) -> Way:
    """Return how the whole model is called: in inference, with the gradient of the loss where there is one."""
    model = runner.model
    given = rebuild(inputs, [Held(leaf, str(leaf.dtype)) for _, leaf in flatten(inputs)])
    name = str(getattr(model, "name", "") or type(model).__name__)
    work = Work((given,), {"training": False}, runner.weights(model))
    return Way(work, _of_loss if with_loss else _cotangent(seed, name), "", False)


def compare_call(subject: Subject, call: Call, number: int, devices: Sequence[str]) -> List[Difference]:
    """Compare one call of one layer on devices: outputs, and gradients of its inputs and weights.

    The layer is called twice, the second time with other inputs, so that a result which stays from before is seen; and
    once more in training where it has a training mode without randomness.
    """
    runner, layer = subject.runner, call.layer
    try:
        cases = [
            _Case(*way, Reference(runner, layer, way.work, way.cotangent, _no_head))
            for way in ways_to_call(runner, call, subject.seed)
        ]
    except DrawsRandomNumbers:
        labels = [_Labels("layer", call.path, call.operation, device, subject.framework, number) for device in devices]
        return [_not_compared(item) for item in labels]
    if not cases:
        return []
    found: List[Difference] = []
    for device in devices:
        found += _on_device(subject, call, number, device, cases)
    if not public_class(layer)[1] and not cases[0].reference.remark:
        found += _doubtful_gradients(subject, call, number, cases[0])
    return found


def _on_device(subject: Subject, call: Call, number: int, device: str, cases: Sequence[_Case]) -> List[Difference]:
    runner, layer = subject.runner, call.layer
    labels = _Labels("layer", call.path, call.operation, device, subject.framework, number)
    worst: Dict[str, Difference] = {}
    before: List[np.ndarray] = []
    for case in cases:
        try:
            on_device = runner.for_device(layer, case.work, device)
            if case.stale and any(item.verdict == "differs" for item in worst.values()):
                # It may be one call behind: what the first call should have given comes with the second, then.
                again = runner.run(on_device, cases[0].work, device, False, cases[0].cotangent, None)
                before += [item.array for item in again.outputs]
            outcome = runner.run(on_device, case.work, device, False, case.cotangent, None)
        except Exception as error:  # whatever the framework raises on the device
            return list(worst.values()) + [_failure(labels, _suffix("output", call), error)]
        sizes = sizes_of(call, case.work, outcome.outputs)
        whats = _whats(runner, layer, outcome, call)
        known_good = {what for what, item in worst.items() if item.verdict == "agrees"}
        parts = _judged(
            subject, labels, case.work, case.reference, outcome, whats, sizes, before if case.stale else (), known_good
        )
        before = [item for item in arrays_in(outcome) if item is not None]
        for item in parts:
            if case.remark and item.verdict != "agrees":
                item = item.replace(detail="; ".join(filter(None, (item.detail, case.remark))))
            known = worst.get(item.what)
            if known is None or _badness(item) > _badness(known):
                worst[item.what] = item
    return list(worst.values())


class _Labels(NamedTuple):
    """What differences of one subject have in common."""

    kind: str
    name: str
    operation: str
    device: str
    framework: str
    depth: int


def _judged(
    subject: Subject,
    labels: _Labels,
    work: Work,
    reference: Reference,
    outcome: Outcome,
    whats: Sequence[str],
    sizes: Sizes,
    before: Sequence[np.ndarray] = (),
    known_good: Container[str] = (),
) -> List[Difference]:
    """Judge every array of an outcome; what is known to be good and is plainly so again is left out."""
    right = reference.arrays
    outputs, gradients = len(outcome.outputs), len(outcome.gradients)
    dtypes = [item.dtype for item in outcome.outputs]
    own = coarsest([sizes.dtype] + dtypes) or "float32"
    dtypes += [own] * gradients + [item.dtype for item in outcome.updates]
    elsewhere = bool(outcome.ran_on) and outcome.ran_on != subject.place(labels.device)
    found = []
    for place, actual in enumerate(arrays_in(outcome)):
        is_gradient = outputs <= place < outputs + gradients
        wanted = right[place] if place < len(right) else None
        if actual is None and (wanted is None or (is_gradient and not np.any(wanted))):
            continue
        kind = "gradient" if is_gradient and labels.kind == "layer" else labels.kind
        base = Difference(
            kind, labels.name, labels.operation, whats[place], labels.device, labels.framework, "differs",
            ran_on=outcome.ran_on, depth=labels.depth,
        )  # fmt: skip
        if actual is None or wanted is None:
            if actual is not None and not np.any(actual):
                continue
            detail = "there is none, and the reference has one" if actual is None else "the reference has none"
            found.append(base.replace(detail=detail))
            continue
        dtype = coarsest([dtypes[place], own]) if "float" in dtypes[place] else dtypes[place]
        accumulation = sizes.backward if is_gradient else sizes.forward
        depth = sizes.depth * (2 if reference.remark else 1) * (2 if is_gradient else 1)
        if whats[place] in known_good and is_plainly_good(actual, wanted, dtype, accumulation, depth):
            continue
        verdict = verdict_on(
            base, actual, wanted, dtype, accumulation, depth,
            reference, work, subject.seed, place,
            [item for item in before if item.shape == actual.shape],
        )  # fmt: skip
        coarse = [item.arithmetic for item in found if item.verdict == "reduced-precision" and item.kind != "gradient"]
        if verdict.verdict == "differs" and is_gradient and coarse:
            verdict = coarse_verdict(
                verdict, coarse[0], actual, wanted, dtype, accumulation, depth, reference, work, subject.seed, place
            )
        if elsewhere and verdict.verdict == "agrees" and "float" in dtype:
            detail = "no kernel on %s: it ran on %s" % (labels.device, outcome.ran_on)
            verdict = verdict.replace(verdict="unsupported", detail=detail)
        if reference.remark and (place == 0 or verdict.verdict != "agrees"):
            verdict = verdict.replace(detail="; ".join(filter(None, (verdict.detail, reference.remark))))
        found.append(verdict)
    return found


def _doubtful_gradients(subject: Subject, call: Call, number: int, case: _Case) -> List[Difference]:
    runner, layer = subject.runner, call.layer
    trained = runner.trained(layer)
    reference = case.reference
    problems = gradient_problems(reference.compute, case.work, trained, reference.outcome, case.cotangent, subject.seed)
    whats = _whats(runner, layer, reference.outcome, call)
    return [
        Difference(
            "gradient", call.path, call.operation, whats[len(reference.outcome.outputs) + problem.place],
            "cpu", subject.framework, "differs", problem.measure, depth=number,
            detail="the gradient does not match a finite difference, on the CPU in float64 (right where it is reversed or "
            "replaced on purpose)",
        )
        for problem in problems
    ]  # fmt: skip


def compare_whole(
    subject: Subject, inputs: Any, targets: Any, loss: Any, sizes: Sizes, devices: Sequence[str]
) -> List[Difference]:
    """Compare a model from end to end, in inference: outputs, loss, and the gradient of every weight."""
    runner, model = subject.runner, subject.runner.model
    with_loss = targets is not None and loss is not None
    work, cotangent, _, _ = way_of_whole(runner, inputs, with_loss, subject.seed)

    def make_head(double: bool) -> Any:
        return runner.head(loss, targets, double) if with_loss else None

    name = str(getattr(model, "name", "") or type(model).__name__)
    each = [_Labels("model", name, public_class(model)[0], device, subject.framework, -1) for device in devices]
    try:
        reference = Reference(runner, model, work, cotangent, make_head)
    except DrawsRandomNumbers:
        return [_not_compared(labels) for labels in each]
    found: List[Difference] = []
    for labels, device in zip(each, devices):
        try:
            on_device = runner.for_device(model, work, device)
            outcome = runner.run(on_device, work, device, False, cotangent, make_head(False))
        except Exception as error:  # whatever the framework raises on the device
            found.append(_failure(labels, "output", error))
            continue
        whats = _whats(runner, model, outcome, None, with_loss)
        found += _judged(subject, labels, work, reference, outcome, whats, sizes)
    runner.forget()
    return found


def _whats(runner: Any, layer: Any, outcome: Outcome, call: Optional[Call], with_loss: bool = False) -> List[str]:
    """Return what each array of an outcome is called."""
    count = len(outcome.outputs) - with_loss
    outputs = ["output"] if count == 1 else ["output %d" % i for i in range(count)]
    names, trained = names_of(layer), runner.trained(layer)
    inputs = len(outcome.gradients) - len(trained)
    gradients = ["gradient of input %d" % i for i in range(inputs)] + ["gradient of %s" % names[i] for i in trained]
    others = [name for i, name in enumerate(names) if i not in set(trained)]
    whats = ["loss"] * with_loss + outputs + gradients + others[: len(outcome.updates)]
    return whats if call is None else [_suffix(what, call) for what in whats]


def _suffix(what: str, call: Call) -> str:
    return what if call.number == 1 else "%s, call %d" % (what, call.number)


def _has_training_mode(call: Call) -> bool:
    """Whether a layer does something else in training, and the same every time: batch normalisation."""
    if "training" not in call.kwargs or hasattr(call.layer, "return_sequences"):
        return False
    trained = {id(item) for item in getattr(call.layer, "trainable_variables", None) or ()}
    others = [item for item in variables(call.layer) if id(item) not in trained and "float" in str(item.dtype)]
    inside = [call] + call.inner
    return bool(others) and not any(_is_random(item.layer) for item in inside) and call.layer.trainable


def _is_random(layer: Any) -> bool:
    rate = getattr(layer, "rate", None) or getattr(layer, "dropout", None)
    return bool(rate) or any(word in public_class(layer)[0] for word in _RANDOM)


def _badness(item: Difference) -> Tuple[int, bool, float]:
    """Return what is larger for what is worse, and of what is equally bad for what is recognised."""
    error = item.measure.max_relative_error if item.measure is not None else math.inf
    allowed = item.measure.tolerance if item.measure is not None else 1.0
    return VERDICTS.index(item.verdict), bool(item.detail), ratio_of(error, allowed)


def _failure(labels: _Labels, what: str, error: Exception) -> Difference:
    named = dict(labels._asdict(), what=what)
    depth = named.pop("depth")
    text = "%s: %s" % (type(error).__name__, line_of(error))
    make = unsupported if classify_error(text) in NO_KERNEL else failed
    return make(detail=text, **named).replace(depth=depth)


def _not_compared(labels: _Labels) -> Difference:
    return Difference(
        labels.kind, labels.name, labels.operation, "output", labels.device, labels.framework, "agrees", depth=labels.depth,
        detail="not compared: it draws random numbers in inference too",
    )  # fmt: skip


def _no_head(_: bool) -> None:
    return None


def _cotangent(seed: int, name: str) -> Weights:
    """Return fixed weights of outputs, which every dtype from bfloat16 on has exactly."""

    def weights(number: int, shape: Tuple[int, ...], _: str) -> Optional[np.ndarray]:
        generator = np.random.RandomState([seed & 0xFFFFFFFF, zlib.crc32(name.encode("utf-8")), number])
        values = generator.uniform(0.25, 1.0, shape) * generator.choice([-1.0, 1.0], shape)
        return rounded(values, "bfloat16").astype(np.float32)

    return weights


def _of_loss(number: int, shape: Tuple[int, ...], _: str) -> Optional[np.ndarray]:
    return np.ones(shape, np.float32) if number == 0 else None
