"""A Keras model on a device: from end to end, and each of its layers alone, for what it gets in the reference's run.

Layers are compared one by one so that the one which computes something else is named, and not those behind it: a call of
a layer is repeated on the device with the very arrays that the layer gets on the CPU. The reference is the same layer made
again in float64. A layer that calls others is to blame only where those agree.

Then: whether the model is right on the device if the CPU computes the layers that the device has wrong, and what that costs.
"""

import time
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ....errors import DevicekitError, one_line
from ....runtime.frameworks.keras_model import Keras, keras_of, layers_of, public_class
from ..result import Difference, Divergence, LeftToCpu
from .clone import is_container
from .coarse_products import as_layers_show
from .compare_call import Subject, compare_call, compare_whole
from .graph_runner import runner_of
from .recorded_calls import Call
from .sizes import sizes_of_whole
from .ways import way_of_whole


def check_model(model: Any) -> None:
    """See that a model can be compared.

    Raises
    ------
    ValueError
        If it has no weights yet.
    """
    if not getattr(model, "built", False):
        name = getattr(model, "name", "the model")
        raise ValueError("%r has no weights yet: call it on some examples first, or build it" % name)


def loss_of(model: Any, loss: Any) -> Any:
    """Return the loss that was given, or that the model is compiled with; None if there is none."""
    if loss is not None:
        return loss
    return getattr(model, "loss", None) or None


def compare_model(
    model: Any,
    inputs: Any,
    targets: Any,
    loss: Any,
    devices: Sequence[str],
    framework: str,
    seed: int,
    say: Callable[..., None],
) -> Tuple[Difference, ...]:
    """Compare a model on each device with the CPU in float64; it is left as it was, also if something is raised.

    Returns
    -------
    tuple of Difference
        Those of layers in the order in which the layers run, then those of the whole model.

    Raises
    ------
    DevicekitError
        If the model raises on the CPU.
    """
    keras = keras_of(model)
    runner = runner_of(model, keras)
    found: List[Difference] = []
    with runner.unchanged():
        try:
            calls = _recorded(runner, inputs)
            say("layers")
            subject = Subject(runner, framework, seed)
            found += _of_layers(subject, calls, devices, say)
            sizes = sizes_of_whole([call for call in calls if not call.inner], layers_of(model))
            found += compare_whole(subject, inputs, targets, loss, sizes, devices, found)
            found += _looked_again(subject, calls, found, say)
            say("model")
        finally:
            runner.forget_all()
    return tuple(as_layers_show(only_the_cause(found)))


def _recorded(runner: Any, inputs: Any) -> List[Call]:
    try:
        calls: List[Call] = runner.record(inputs)
    except (KeyboardInterrupt, DevicekitError):
        raise
    except Exception as error:  # whatever the user's model raises
        message = "the model raises on the CPU already, so that there is nothing to compare with: %s"
        raise DevicekitError(message % one_line(error)) from error
    return calls


def _looked_again(
    subject: Subject, calls: Sequence[Call], found: Sequence[Difference], say: Callable[..., None]
) -> List[Difference]:
    """Call all layers twice, with other inputs of the same shape, if the model alone is wrong: a gradient may be stale."""
    subject = Subject(subject.runner, subject.framework, subject.seed, corners=False)
    wrong = [item for item in found if item.verdict == "differs"]
    alone = {item.device for item in wrong} - {item.device for item in wrong if item.kind != "model"}
    again = _of_layers(subject, calls, sorted(alone), say) if alone else []
    return [item for item in again if item.verdict == "differs"]


def _of_layers(
    subject: Subject, calls: Sequence[Call], devices: Sequence[str], say: Callable[..., None]
) -> List[Difference]:
    found: List[Difference] = []
    agreeing: List[Call] = []
    for number, call in enumerate(calls):
        if is_container(call.layer) or call.outer in agreeing:
            agreeing += [call] if call.outer in agreeing else []
            continue
        differences = compare_call(subject, call, number, devices)
        found += differences
        subject.runner.forget()
        say("layers")
        if public_class(call.layer)[1] and all(item.verdict == "agrees" for item in differences):
            agreeing.append(call)  # the cells and projections of Keras's own layers are not what people know
    return found


def only_the_cause(differences: Sequence[Difference]) -> List[Difference]:
    """Leave out what a layer has wrong because a layer inside it is wrong: that is the one to name."""
    wrong = {
        (item.device, item.name)
        for item in differences
        if item.verdict not in ("agrees", "not-compared", "unsupported")
    }

    def blameless(item: Difference) -> bool:
        inside = item.name + "/"
        return item.kind == "model" or not any(
            device == item.device and name.startswith(inside) for device, name in wrong
        )

    return [item for item in differences if blameless(item)]


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
