"""Whether a model is right on a device if the CPU computes the layers that the device has wrong, and what that costs."""

import time
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ....errors import one_line
from ....runtime.frameworks.keras_model import Keras, layers_of
from ..result import Difference, Divergence, LeftToCpu
from .compare_call import Subject, compare_call, compare_whole
from .graph_runner import runner_of
from .recorded_calls import Call
from .sizes import sizes_of_whole
from .ways import way_of_whole

#: How often a pass of the model is timed; the fastest counts, if another one is nearly as fast.
_TIMES = 6
_STEADY = 1.25

#: From devices, earlier trainings and layers that the CPU computes to what these trainings are like then.
Train = Callable[[Sequence[str], Sequence[Divergence], Sequence[Any]], Sequence[Divergence]]

_WRONG = ("differs", "failed")


class Attempt(NamedTuple):
    """What is tried again.

    Attributes
    ----------
    inputs, targets, loss
        As for `compare_model`.
    seed : int
    train : callable or None
    """

    inputs: Any
    targets: Any
    loss: Any
    seed: int
    train: Optional[Train]


def leave_wrong_layers_to_cpu(
    model: Any,
    keras: Keras,
    attempt: Attempt,
    differences: Sequence[Difference],
    divergences: Sequence[Divergence],
) -> Tuple[LeftToCpu, ...]:
    """Compare again what was wrong on each device, with its wrong layers left to the CPU as `devicekit.on_cpu` does it.

    Parameters
    ----------
    model : Keras model
        It is left as it was.

    Returns
    -------
    tuple of LeftToCpu
        One for each device, other than the CPU, on which a layer is wrong.
    """
    if keras.generation == 1:
        return ()  # a graph's layers are not called again
    found: List[LeftToCpu] = []
    for device in dict.fromkeys(item.device for item in differences):
        own = [item for item in differences if item.device == device and item.kind != "model"]
        names = tuple(dict.fromkeys(item.name for item in own if item.verdict in _WRONG))
        astray = [item for item in divergences if item.device == device and item.verdict in _WRONG]
        if device != "cpu" and names:
            rest = [item for item in own if item.name not in names]
            found.append(_attempt(model, keras, attempt, device, names, rest, astray))
    return tuple(found)


def _attempt(
    model: Any,
    keras: Keras,
    attempt: Attempt,
    device: str,
    names: Tuple[str, ...],
    rest: Sequence[Difference],
    astray: Sequence[Divergence],
) -> LeftToCpu:
    runner = runner_of(model, keras)
    result = LeftToCpu(device, keras.framework, names, False)
    with runner.unchanged():
        try:
            calls: List[Call] = runner.record(attempt.inputs)
            layers = list({id(call.layer): call.layer for call in calls if call.path in names}.values())
            for layer in layers:
                if not hasattr(layer, "built"):
                    text = "%s is an operation: compute it in a layer, which on_cpu takes, and compare again"
                    return result.replace(detail=text % layer.name)
            runner.leave_to_cpu(layers)
            subject = Subject(runner, keras.framework, attempt.seed)
            again: List[Any] = []
            for number, call in enumerate(calls):
                if call.path in names:
                    again += compare_call(subject, call, number, [device])
            sizes = sizes_of_whole([call for call in calls if not call.inner], layers_of(model))
            again += compare_whole(subject, attempt.inputs, attempt.targets, attempt.loss, sizes, [device], rest)
            if astray and attempt.train is not None:
                again += attempt.train([device], astray, layers)
            wrong = [item for item in again if item.verdict in _WRONG]
            if wrong:
                return result.replace(detail="; ".join(_still(item) for item in wrong[:3]))
            return result.replace(agrees=True, slowdown=_slowdown(runner, layers, attempt, device))
        except Exception as error:  # whatever the framework raises with the layer there
            return result.replace(detail=one_line(error, 300))
        finally:
            runner.forget_all()


def _still(item: Any) -> str:
    if isinstance(item, Divergence):
        return "training with %s is still wrong: %s" % (item.label, item.detail)
    return "%s of %s is still wrong: %s" % (item.what, item.name, item.detail or "outside its tolerance")


def _slowdown(runner: Any, layers: Sequence[Any], attempt: Attempt, device: str) -> Optional[float]:
    """Return how many times as long a forward and backward pass takes with layers on the CPU.

    None if times are too different for a figure, as under the load of other programs.
    """
    way = way_of_whole(runner, attempt.inputs, False, attempt.seed)

    def seconds() -> Optional[float]:
        on_device = runner.for_device(runner.model, way.work, device)
        times = []
        for _ in range(_TIMES + 1):  # the first one compiles
            started = time.perf_counter()
            runner.run(on_device, way.work, device, False, way.cotangent, None)
            times.append(time.perf_counter() - started)
        first, second = sorted(times[1:])[:2]
        return first if second <= _STEADY * first else None

    with_cpu = seconds()
    runner.leave_to_cpu(())
    alone = seconds()
    runner.leave_to_cpu(layers)
    return with_cpu / max(alone, 1e-9) if with_cpu is not None and alone is not None else None
