"""Verdicts on the repeated call of a layer, and on a whole model."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ....errors import one_line
from ....logs.errors import is_missing_kernel
from ....runtime.frameworks.keras_model import public_class
from ....runtime.frameworks.tensors import HostArray, rebuild
from ..measures import measure
from ..random_state import why_not_random
from ..result import VERDICTS, Difference, Measure
from ..verdict import Expected, failed, noted, unsupported
from .coarse_products import (
    coarsest_shown,
    lone_products,
    shown_by_products,
    vanishes_with_short_factors,
    without_excuses,
    without_short_result,
)
from .recorded_calls import Call
from .reference import DrawsRandomNumbers, Reference, arrays_in
from .rounding_verdict import (
    CONSTANT,
    SATURATED,
    Check,
    Rounding,
    coarse_verdict,
    constant_verdict,
    plain_verdict,
    row_sizes,
    saturated_verdict,
    stress_verdict,
    verdict_on,
    without_common_factor,
)
from .runner import Cotangent, LayerOutcome, Work, names_of
from .sizes import Sizes, coarsest, ratio_of, sizes_of
from .ways import Way, way_of_whole, ways_to_call

#: Directions in which a derivative is taken.
_DIRECTIONS = 3

#: Distances, relative to the size of what is moved. With the larger one the curvature shows, with the smaller one rounding:
#: a gradient is doubted where it agrees with neither.
_DISTANCES = (1e-4, 1e-6)

#: How far apart the two may be, relative to the size of the derivatives: kinks, such as relu's, cost a little.
_APART = 0.02

#: Layers that draw one number for each element; how many of those are looked at.
_DRAWING = ("Dropout", "GaussianDropout", "GaussianNoise")
_DRAWN = 8192
_LEAST_AMOUNT = 0.05

_Compute = Callable[[Work], LayerOutcome]


class GradientProblem(NamedTuple):
    """``place``: as in `LayerOutcome.gradients`."""

    place: int
    measure: Measure


def gradient_problems(
    compute: _Compute, work: Work, trained: List[int], found: LayerOutcome, cotangent: Cotangent, seed: int
) -> List[GradientProblem]:
    """Compare gradients with central differences, in float64.

    Nothing is said of a gradient that is missing or zero everywhere, as behind ``stop_gradient``, nor of a layer that is
    constant around its input, as one that rounds and has a straight-through gradient: both are made on purpose.
    """
    problems = []
    for place, gradient in enumerate(found.gradients):
        if gradient is None or not np.any(gradient) or not np.all(np.isfinite(gradient)):
            continue
        generator = np.random.RandomState([seed & 0xFFFFFFFF, 31, place])
        directions = [generator.standard_normal(gradient.shape) for _ in range(_DIRECTIONS)]
        claimed = np.array([float(np.vdot(gradient, direction)) for direction in directions])
        worst: Optional[Measure] = None
        for distance in _DISTANCES:
            seen = np.array([_slope(compute, work, trained, place, d, distance, cotangent) for d in directions])
            size = max(float(np.sqrt(np.mean(seen**2))), float(np.linalg.norm(gradient)))
            if not np.any(seen) or not np.all(np.isfinite(seen)) or np.abs(claimed - seen).max() <= _APART * size:
                worst = None
                break
            worst = measure(claimed, seen, dtype="float64", tolerance=_APART, magnitude=np.full(seen.shape, size))
        if worst is not None:
            problems.append(GradientProblem(place, worst))
    return problems


def _slope(
    compute: _Compute, work: Work, trained: List[int], place: int, direction: Any, distance: float, cotangent: Cotangent
) -> float:
    """The derivative of the weighted sum of outputs in a direction, as a central difference."""
    number = work.inputs[place] if place < len(work.inputs) else -1
    held = work.leaves[number] if number >= 0 else work.weights[trained[place - len(work.inputs)]]
    values = np.asarray(held.array, dtype=np.float64)
    step = distance * max(float(np.sqrt(np.mean(values**2))), 1e-3)
    sums = []
    for sign in (1.0, -1.0):
        moved = HostArray(values + sign * step * direction, "float64")
        if number >= 0:
            leaves = list(work.leaves)
            leaves[number] = moved
            args, kwargs = rebuild((work.args, work.kwargs), leaves)
            changed = Work(args, kwargs, work.weights)
        else:
            weights = list(work.weights)
            weights[trained[place - len(work.inputs)]] = moved
            changed = Work(work.args, work.kwargs, weights)
        total = 0.0
        for index, output in enumerate(compute(changed).outputs):
            weighting = cotangent(index, output.array.shape, output.dtype) if output.is_float else None
            if weighting is not None:
                total += float(np.vdot(output.array.astype(np.float64), weighting.astype(np.float64)))
        sums.append(total)
    return (sums[0] - sums[1]) / (2.0 * step)


class Subject:
    """What is compared, and with what.

    Parameters
    ----------
    runner : Runner
    framework : str
    seed : int
    corners : bool
        Whether layers are also called with inputs that reach the corners of their kernels.

    Attributes
    ----------
    agreed : set
        What layers are like (`Runner.likeness`) that agreed in every way of calling them.
    """

    def __init__(self, runner: Any, framework: str, seed: int, corners: bool = True) -> None:
        self.runner = runner
        self.framework = framework
        self.seed = seed
        self.corners = corners
        self.agreed: Set[Any] = set()
        self._places: Dict[str, str] = {}

    def place(self, device: str) -> str:
        """Return the framework's name of a device."""
        if device not in self._places:
            self._places[device] = self.runner.place(device)
        return self._places[device]


class _Case(NamedTuple):
    """A way of calling a layer, and what is right for it."""

    way: Way
    reference: Reference

    @property
    def work(self) -> Work:
        """The arguments and weights of the call."""
        return self.way.work


def compare_call(subject: Subject, call: Call, number: int, devices: Sequence[str]) -> List[Difference]:
    """Compare one call of one layer on devices: outputs, and gradients of its inputs and weights.

    A layer that is like one which agreed in all ways of calling it is called once.
    """
    runner, layer = subject.runner, call.layer
    try:
        cases = _cases(subject, call)
    except Exception as error:  # whatever the user's layer raises on the CPU, now that it is called alone
        about = Difference("layer", call.path, call.operation, "output", "", subject.framework, "agrees", depth=number)
        return [_not_compared(about, device, error) for device in devices]
    if not cases:
        return []
    found: List[Difference] = []
    for device in devices:
        found += _on_device(subject, call, number, device, cases)
    if _are_of_another(found, cases[0]):
        return compare_call(subject, call, number, devices)
    if all(item.verdict == "agrees" for item in found):
        subject.agreed.add(runner.likeness(layer, cases[0].work))
    if not public_class(layer)[1] and not cases[0].reference.note:
        found += _doubtful_gradients(subject, call, number, cases[0])
    return found


def _are_of_another(found: Sequence[Difference], case: _Case) -> bool:
    """Whether these are the differences of a layer from what was made of its configuration."""
    return any(item.verdict == "differs" for item in found) and case.reference.is_of_another(case.work)


def _cases(subject: Subject, call: Call) -> List[_Case]:
    runner, layer = subject.runner, call.layer
    found: List[_Case] = []
    for way in ways_to_call(runner, call, subject.seed, subject.corners):
        if found and runner.likeness(layer, found[0].work) in subject.agreed:
            break
        try:
            reference = Reference(runner, layer, way.work, way.cotangent, _no_head, repeatable=bool(found))
        except Exception:  # whatever the layer makes of inputs that it was not written for
            if way.optional:
                continue
            raise
        found.append(_Case(way, reference))
    return found


def _on_device(subject: Subject, call: Call, number: int, device: str, cases: Sequence[_Case]) -> List[Difference]:
    runner, layer = subject.runner, call.layer
    labels = Difference("layer", call.path, call.operation, "", device, subject.framework, "differs", depth=number)
    worst: Dict[str, Difference] = {}
    not_random = random_numbers(runner, call, labels)
    first: List[LayerOutcome] = []
    shown, arithmetic = False, ""
    for case in cases:
        way, before = case.way, [item for one in first[-1:] for item in arrays_in(one) if item is not None]
        try:
            on_device = runner.for_device(layer, case.work, device)
            if way.stale and any(item.verdict == "differs" for item in worst.values()):
                # It may be one call behind: what the first call should have given comes with the second, then.
                again = runner.run(on_device, cases[0].work, device, False, cases[0].way.cotangent, None)
                before += [item.array for item in again.outputs]
            outcome = runner.run(on_device, case.work, device, False, way.cotangent, None)
        except Exception as error:  # whatever the framework raises on the device
            known = way.optional and any(item.verdict == "differs" for item in worst.values())
            return list(worst.values()) + ([] if known else [_failure(labels, _suffix("output", call), error)])
        whats, sizes = _whats(runner, layer, outcome, call), sizes_of(call, case.work, outcome.outputs)
        computed = _Computed(labels, case, outcome, whats, sizes, layer, before if way.stale else (), arithmetic)
        first.append(outcome)
        items = _judged(subject, computed)
        # An arithmetic shows with the inputs of every day; what shows with others only is not that.
        asked = (runner, layer, case, device, whats, items)
        if case is cases[0]:
            shown = shown_by_products(layer, items) and vanishes_with_short_factors(*asked)
            arithmetic = _arithmetics(items)[0] if shown else ""
        alone = set() if shown or way.stress else lone_products(*asked)
        for item in without_excuses(layer, items, shown, alone):
            if way.note and item.verdict != "agrees":
                item = noted(item, way.note)
            before_it = worst.get(item.what)
            if before_it is None or _badness(item) > _badness(before_it):
                worst[item.what] = item
    return list(worst.values()) + not_random


def random_numbers(runner: Any, call: Call, labels: Difference) -> List[Difference]:
    """Return the difference if a layer draws random numbers on a device that are not: dropout and noise, of ones in training.

    With fewer that are dropped, or kept, than `_LEAST_AMOUNT` of all, chance decides what is seen of them.
    """
    layer, (name, of_keras) = call.layer, public_class(call.layer)
    amount = getattr(layer, "rate" if "Dropout" in name else "stddev", 0.0)
    known = of_keras and name in _DRAWING and not getattr(layer, "noise_shape", None)
    if not known or not _LEAST_AMOUNT <= amount <= 1 - _LEAST_AMOUNT:
        return []
    try:
        given, row = call.args[0], call.args[0].array[:1].size
        ones = np.ones((-(-_DRAWN // row),) + given.array.shape[1:], given.array.dtype)
        work = Work((HostArray(ones, given.dtype),), {"training": True}, runner.weights(layer))
        on_device = runner.for_device(layer, work, labels.device)
        outcome = runner.run(on_device, work, labels.device, False, lambda *_: None, None)
        spread = amount if name == "GaussianNoise" else (amount / (1 - amount)) ** 0.5
        reason = why_not_random((outcome.outputs[0].array - 1.0) / spread, row)
    except Exception:  # a kernel that is missing shows in training
        return []
    about = labels.replace(kind="operation", what="output in training", ran_on=outcome.ran_on, detail=reason)
    return [about] if reason else []


class _Computed(NamedTuple):
    """What a device computed in one case.

    Attributes
    ----------
    labels : Difference
        What the differences of this subject have in common.
    whats : sequence of str
        What each array of the outcome is called.
    layer : object
        The model's own, or the model.
    before : sequence of numpy.ndarray
        Earlier results.
    arithmetic : str
        The coarser one in which this is known to be computed; "" if none is known.
    """

    labels: Difference
    case: _Case
    outcome: LayerOutcome
    whats: Sequence[str]
    sizes: Sizes
    layer: Any
    before: Sequence[np.ndarray] = ()
    arithmetic: str = ""


def _judged(subject: Subject, computed: _Computed) -> List[Difference]:
    """Judge every array of an outcome."""
    outcome, reference = computed.outcome, computed.case.reference
    outputs, gradients = len(outcome.outputs), len(outcome.gradients)
    dtypes = [item.dtype for item in outcome.outputs]
    own = coarsest([computed.sizes.dtype] + dtypes) or "float32"
    dtypes += [own] * gradients + [item.dtype for item in outcome.updates]
    right = reference.arrays
    found: List[Difference] = []
    for place, actual in enumerate(arrays_in(outcome)):
        if computed.case.way.stress and place >= outputs:
            break
        is_gradient = outputs <= place < outputs + gradients
        kind = "gradient" if is_gradient and computed.labels.kind == "layer" else computed.labels.kind
        about = computed.labels.replace(kind=kind, what=computed.whats[place], ran_on=outcome.ran_on)
        wanted = right[place] if place < len(right) else None
        if actual is None or wanted is None:
            found += _one_is_missing(about, actual, wanted, is_gradient)
            continue
        dtype = coarsest([dtypes[place], own]) if "float" in dtypes[place] else dtypes[place]
        sizes = computed.sizes
        expected = Expected(
            wanted,
            dtype,
            sizes.backward if is_gradient else sizes.forward,
            sizes.depth * (2 if reference.note else 1) * (2 if is_gradient else 1),
            magnitude=row_sizes(wanted, dtype, sizes.forward) if computed.case.way.stress else None,
            stale=[item for item in computed.before if item.shape == actual.shape],
        )
        check = Check(about, actual, expected, place)
        item = _checked(subject, computed, check, found if is_gradient else ())
        item = without_short_result(computed.layer, item, actual, computed.case.work)
        if place >= outputs + gradients:
            item = _not_updated(subject, computed, item, actual, place - outputs - gradients)
        found.append(item)
    return found


def _not_updated(
    subject: Subject, computed: _Computed, item: Difference, actual: np.ndarray, number: int
) -> Difference:
    """Return the verdict on a moving statistic: no rounding explains that it is what it was before."""
    weights, trained = computed.case.work.weights, set(subject.runner.trained(computed.layer))
    before = [weight.array for place, weight in enumerate(weights) if place not in trained][number:][:1]
    if item.verdict == "agrees" or not before or not np.array_equal(before[0], actual):
        return item
    return item.replace(verdict="differs", arithmetic="", detail="not updated: equal to what it was before the call")


def _one_is_missing(about: Difference, actual: Any, wanted: Any, is_gradient: bool) -> List[Difference]:
    """The difference if only one of device and reference has an array; a gradient that is zero is as good as none."""
    if actual is None and (wanted is None or (is_gradient and not np.any(wanted))):
        return []
    if actual is not None and not np.any(actual):
        return []
    detail = "there is none, and the reference has one" if actual is None else "the reference has none"
    return [about.replace(detail=detail)]


def _checked(subject: Subject, computed: _Computed, check: Check, before: Sequence[Difference]) -> Difference:
    """Return the verdict on one array; ``before``: on the layer's outputs, if it is a gradient."""
    case, reference, dtype = computed.case, computed.case.reference, check.expected.dtype
    rounding = Rounding(reference, case.work, subject.seed)
    verdict = plain_verdict(check) or (stress_verdict if case.way.stress else verdict_on)(check, rounding)
    coarse = [computed.arithmetic] if computed.arithmetic else _arithmetics(before)
    if "gradient" in check.subject.what and (verdict.verdict == "differs" or not coarse):
        verdict = saturated_verdict(verdict, check, rounding)
        verdict = constant_verdict(verdict, computed.layer, check, rounding)
    if verdict.verdict == "differs" and coarse:
        verdict = coarse_verdict(verdict, coarse[0], check, rounding)
    if dtype in ("bfloat16", "float16") and not case.way.stress:
        verdict = without_common_factor(verdict, check, rounding)
    device, ran_on = computed.labels.device, computed.outcome.ran_on
    elsewhere = bool(ran_on) and ran_on != subject.place(device)
    if elsewhere and verdict.verdict == "agrees" and "float" in dtype:
        verdict = verdict.replace(verdict="unsupported", detail="no kernel on %s: it ran on %s" % (device, ran_on))
    if reference.note and (check.place == 0 or verdict.verdict != "agrees"):
        verdict = noted(verdict, reference.note)
    return verdict


def _arithmetics(items: Sequence[Difference]) -> List[str]:
    """Return the coarser arithmetics that the verdicts on outputs show."""
    return [item.arithmetic for item in items if item.verdict == "reduced-precision" and item.kind != "gradient"]


def _doubtful_gradients(subject: Subject, call: Call, number: int, case: _Case) -> List[Difference]:
    runner, layer = subject.runner, call.layer
    trained = runner.trained(layer)
    reference = case.reference
    problems = gradient_problems(
        reference.compute, case.work, trained, reference.outcome, case.way.cotangent, subject.seed
    )
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
    subject: Subject,
    inputs: Any,
    targets: Any,
    loss: Any,
    sizes: Sizes,
    devices: Sequence[str],
    layers: Sequence[Difference],
) -> List[Difference]:
    """Compare a model from end to end, in inference: outputs, loss, and the gradient of every weight.

    ``layers``: the verdicts on its layers, which show in which arithmetic a device computes.
    """
    runner, model = subject.runner, subject.runner.model
    with_loss = targets is not None and loss is not None
    way = way_of_whole(runner, inputs, with_loss, subject.seed)
    work, cotangent = way.work, way.cotangent

    def make_head(double: bool) -> Any:
        return runner.head(loss, targets, double) if with_loss else None

    name = str(getattr(model, "name", "") or type(model).__name__)
    about = Difference("model", name, public_class(model)[0], "output", "", subject.framework, "differs")
    try:
        reference = Reference(runner, model, work, cotangent, make_head)
    except Exception as error:  # whatever the user's model raises on the CPU
        return [_not_compared(about, device, error) for device in devices]
    case = _Case(way, reference)
    found: List[Difference] = []
    for device in devices:
        labels = about.replace(device=device)
        try:
            on_device = runner.for_device(model, work, device)
            outcome = runner.run(on_device, work, device, False, cotangent, make_head(False))
        except Exception as error:  # whatever the framework raises on the device
            found.append(_failure(labels, "output", error))
            continue
        whats = _whats(runner, model, outcome, None, with_loss)
        computed = _Computed(labels, case, outcome, whats, sizes, model, arithmetic=coarsest_shown(layers, device))
        found += _through_lost(_judged(subject, computed), layers)
    if _are_of_another(found, case):
        return compare_whole(subject, inputs, targets, loss, sizes, devices, layers)
    runner.forget()
    return found


def _through_lost(found: Sequence[Difference], layers: Sequence[Difference]) -> List[Difference]:
    """Return the verdicts on a model without those on gradients that come back through what leaves nothing of them.

    A gradient that has vanished there, or whose variance is that of a constant, says nothing of a device.
    """
    lost = {
        item.device: (item.name, why)
        for item in reversed(layers)
        for why in (SATURATED, CONSTANT)
        if why in item.detail
    }

    def one(item: Difference) -> Difference:
        if item.verdict != "differs" or "gradient" not in item.what or item.device not in lost:
            return item
        return item.replace(verdict="not-compared", arithmetic="", detail="of %s, %s" % lost[item.device])

    return [one(item) for item in found]


def _whats(runner: Any, layer: Any, outcome: LayerOutcome, call: Optional[Call], with_loss: bool = False) -> List[str]:
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


def _badness(item: Difference) -> Tuple[int, bool, float]:
    """Return what is larger for what is worse, and of what is equally bad for what is recognized."""
    if item.measure is None or item.verdict == "differs":  # the first that is recognized says most
        return VERDICTS.index(item.verdict), bool(item.detail), 0.0
    return (
        VERDICTS.index(item.verdict),
        bool(item.detail),
        ratio_of(item.measure.max_relative_error, item.measure.tolerance),
    )


def _failure(labels: Difference, what: str, error: Exception) -> Difference:
    text = one_line(error, 300)
    make = unsupported if is_missing_kernel(error) else failed
    return make(labels.replace(what=what), text)


def _not_compared(about: Difference, device: str, error: Exception) -> Difference:
    detail = "could not be repeated on the CPU: %s" % one_line(error, 300)
    if isinstance(error, DrawsRandomNumbers):
        detail = "it draws random numbers in inference too"
    return about.replace(device=device, verdict="not-compared", detail=detail)


def _no_head(_: bool) -> None:
    return None
