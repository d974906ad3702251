"""Whether the random numbers of dropout and noise are random on a device: what such a layer makes of ones in training."""

import math
from typing import Any, List

import numpy as np

from ....runtime.frameworks.keras_model import public_class
from ....runtime.frameworks.tensors import HostArray
from ..random_state import why_not_random
from ..result import Difference
from ..tolerance import unit_roundoff
from .recorded_calls import Call
from .runner import Work

#: Layers that draw one number for each element, and whether the attribute that says how much is a part that is dropped.
_DRAWING = {"Dropout": ("rate", True), "GaussianDropout": ("rate", True), "GaussianNoise": ("stddev", False)}

_COUNT = 8192

#: With fewer that are dropped, or kept, chance decides what is seen of them.
_LEAST_RATE = 0.05


def random_numbers(runner: Any, call: Call, labels: Difference) -> List[Difference]:
    """Return the difference if a layer that draws random numbers draws such on a device that are not; none if they are."""
    name, of_keras = public_class(call.layer)
    first = next((leaf for leaf in Work(call.args, call.kwargs, []).leaves if isinstance(leaf, HostArray)), None)
    if not of_keras or name not in _DRAWING or first is None or getattr(call.layer, "noise_shape", None):
        return []
    attribute, dropped = _DRAWING[name]
    amount = float(getattr(call.layer, attribute))
    if dropped and not _LEAST_RATE <= amount <= 1 - _LEAST_RATE:
        return []
    spread = math.sqrt(amount / (1 - amount)) if dropped else amount
    if not first.is_float or spread < 16 * unit_roundoff(first.dtype):
        return []
    row = int(np.prod(first.array.shape[1:]))
    ones = np.ones((-(-_COUNT // max(1, row)),) + first.array.shape[1:], first.array.dtype)
    work = Work((HostArray(ones, first.dtype),), {"training": True}, runner.weights(call.layer))
    try:
        on_device = runner.for_device(call.layer, work, labels.device)
        outcome = runner.run(on_device, work, labels.device, False, lambda *_: None, None)
    except Exception:  # a kernel that is missing shows in training
        return []
    reason = why_not_random((outcome.outputs[0].array - 1.0) / spread, row)
    about = labels.replace(kind="operation", what="output in training", ran_on=outcome.ran_on)
    return [about.replace(detail="its random numbers, standardized, " + reason)] if reason else []
