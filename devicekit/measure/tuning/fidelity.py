"""Does a setting leave the results as they were? Pure: two short trainings in, a result with its figures out.

A setting that only changes the order of sums must agree as two devices must that both compute in float32: see
`devicekit.measure.numerics.drift`. A coarser arithmetic (TF32, bfloat16, float16) changes every result by design; it is kept
where outputs and the first update are within that arithmetic's own tolerance, and training goes as far as with the
reference, within what another batch changes.
"""

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from ..numerics.drift import Curves, judge_drift
from ..numerics.measures import measure
from ..numerics.tolerance import tolerance

#: The longest sum that is reckoned with behind one output.
_LONGEST_SUM = 4096

#: Gradients and outputs in a coarse arithmetic that are further off than this have lost their first digit.
_WORST = 0.5

#: Two losses of the same kind, as in `devicekit.measure.numerics.drift`.
_SEED_MARGIN = 1.5

#: Of the steps, this many may be left out at the beginning, while the loss scale is searched for.
_SKIPPED = 3


class Fidelity(NamedTuple):
    """Whether the results stay, and the figures for it."""

    agrees: bool
    detail: str


def judge_results(
    found: Dict[str, Any], reference: Dict[str, Any], *, arithmetic: Optional[str], device: str, framework: str
) -> Fidelity:
    """Judge a setting by its training.

    Parameters
    ----------
    found : dict
        What `devicekit.measure.tuning.check_child.train` returned with the setting.
    reference : dict
        What it returned without, with the controls.
    arithmetic : str or None
        The coarser arithmetic that the setting is known to compute in.
    device, framework : str
        If both were computed.
    """
    own, right = found["plain"], reference["plain"]
    start = _distance(own["sketches"][0], right["sketches"][0]) / max(_size(right["sketches"][0]), 1e-30)
    if not start <= (1e-6 if arithmetic is None else 1e-2):
        return Fidelity(False, "the model did not begin with the same weights, so that nothing can be compared")
    outputs = _outputs(own, right, arithmetic)
    if not outputs.agrees:
        return outputs
    if all(own[name] == right[name] for name in ("outputs", "losses", "sketches")):
        return Fidelity(True, "results are the same to the last bit")
    if arithmetic is None:
        training = _training(own, reference, device, framework)
    else:
        training = _coarse_training(own, reference, arithmetic)
    return Fidelity(
        training.agrees, "; ".join([outputs.detail, training.detail]) if training.agrees else training.detail
    )


def _outputs(own: Dict[str, Any], right: Dict[str, Any], arithmetic: Optional[str]) -> Fidelity:
    actual, expected = np.asarray(own["outputs"]), np.asarray(right["outputs"])
    if actual.shape != expected.shape:
        return Fidelity(False, "the outputs have another shape")
    depth = max(1, int(right["layers"]))
    allowed = _tolerance(depth, arithmetic)
    seen = measure(actual, expected, dtype="float32", tolerance=allowed)
    if seen.nonfinite:
        return Fidelity(False, "%d of %d outputs are not finite" % (seen.nonfinite, actual.size))
    text = "outputs differ by %.2g at most, relative to their size (%.2g is allowed)"
    return Fidelity(seen.max_relative_error <= allowed, text % (seen.max_relative_error, allowed))


def _tolerance(depth: int, arithmetic: Optional[str]) -> float:
    if arithmetic == "float16":  # what is stored is rounded to it, sums are kept in float32
        return min(_WORST, tolerance("float16", accumulation=_LONGEST_SUM, depth=depth))
    allowed = tolerance("float32", accumulation=_LONGEST_SUM, depth=depth, arithmetic=arithmetic)
    return allowed if arithmetic is None else min(_WORST, allowed)


def _training(own: Dict[str, Any], reference: Dict[str, Any], device: str, framework: str) -> Fidelity:
    right = reference["plain"]
    parameters = int(right["parameters"])
    curves = Curves(
        own["losses"],
        right["losses"],
        _drift(own, right),
        [_drift(item, right) for item in reference["rounding"]],
        _drift(reference["seed"], right),
        parameters=parameters,
        moved_weights=parameters,
    )
    verdict = judge_drift("momentum", device, framework, curves)
    return Fidelity(verdict.verdict == "agrees", "training drifts by " + verdict.detail)


def _coarse_training(own: Dict[str, Any], reference: Dict[str, Any], arithmetic: str) -> Fidelity:
    right = reference["plain"]
    own_updates, updates = _updates(own["sketches"]), _updates(right["sketches"])
    # Keras's loss scale begins high and is halved at each overflow; a step that overflows changes no weight.
    skipped = next((step for step, update in enumerate(own_updates) if _size(update) != 0.0), len(own_updates))
    if skipped > _SKIPPED:
        return Fidelity(False, "no weight was changed in the first %d steps" % skipped)
    # Forwards and backwards.
    allowed = _tolerance(2 * max(1, int(right["layers"])), arithmetic)
    size = _size(updates[0])
    error = _distance(own_updates[skipped], updates[0]) / size if size > 0 else math.inf
    if not error <= allowed:
        text = "the first update of the weights differs by %.2g of its size, and %s explains %.2g"
        return Fidelity(False, text % (error, arithmetic, allowed))
    losses, expected = own["losses"][skipped:], right["losses"]
    other = reference["seed"]["losses"]
    for step, loss in enumerate(losses):
        if not math.isfinite(loss) and math.isfinite(expected[step]):
            return Fidelity(False, "the loss is %s at step %d" % (loss, step + 1 + skipped))
    last = len(losses) - 1
    apart = abs(losses[last] - expected[last])
    bound = max(_SEED_MARGIN * abs(other[last] - expected[last]), allowed * max(abs(expected[0]), 1e-3))
    text = "the first update differs by %.2g of its size, and %s explains %.2g; the loss at step %d is %.4g, and without %.4g"
    figures = (error, arithmetic, allowed, last + 1, losses[last], expected[last])
    return Fidelity(apart <= bound, text % figures)


def _drift(own: Dict[str, Any], right: Dict[str, Any]) -> List[float]:
    """Relative distance of all weights after each step."""
    pairs = list(zip(own["sketches"], right["sketches"]))[1:]
    return [_distance(first, second) / max(_size(second), 1e-30) for first, second in pairs]


def _updates(sketches: Sequence[Any]) -> List[Any]:
    arrays = [np.asarray(item) for item in sketches]
    return [after - before for before, after in zip(arrays, arrays[1:])]


def _distance(first: Any, second: Any) -> float:
    return _size(np.asarray(first) - np.asarray(second))


def _size(values: Any) -> float:
    return float(np.linalg.norm(np.asarray(values)))
