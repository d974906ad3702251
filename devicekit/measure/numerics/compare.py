"""`compare`: whether a device computes what the CPU computes, for a model or a function of the user."""

import contextlib
import time
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple, Union

from ...diagnosis.findings import Finding, name_of
from ...errors import DevicekitError, listed, unknown_name
from .result import Comparison, Difference, Divergence, LeftToCpu

_FRAMEWORKS = ("tensorflow", "jax", "torch")
_OPTIMIZERS = ("sgd", "momentum", "adam", "adamw")

_Say = Callable[..., None]


def compare(
    fn_or_model: Any,
    inputs: Any = None,
    targets: Any = None,
    *,
    devices: Union[str, Sequence[str]] = ("cpu", "auto"),
    framework: Optional[str] = None,
    frameworks: Optional[Sequence[str]] = None,
    loss: Any = None,
    optimizers: Sequence[str] = _OPTIMIZERS,
    steps: Optional[int] = None,
    batch_size: Optional[int] = None,
    seed: int = 0,
) -> Comparison:
    """Compare what devices compute with what the CPU computes in float64: outputs, gradients, and steps of training.

    A Keras model is compared from end to end and layer by layer. Each layer is given what it gets in the reference's run,
    so that the one which computes something else is named, and not those behind it. With targets, training is compared
    as well: the drift from the reference, next to the drift that rounding alone causes.

    Parameters
    ----------
    fn_or_model : Keras model or callable
        A model with weights, of any Keras; or a function of arrays that returns arrays.
    inputs : array, or list or dictionary of arrays
        Examples along the first axis, as for ``model.fit``; of a function, its arguments. Of a model, by default, random
        numbers of the shapes that it takes.
    targets : array, or list or dictionary of arrays, or None
        As for ``model.fit``. With them the loss is compared, and training.
    devices : str or sequence of str
        What to compare; see `devicekit.select_device`. ``"auto"``: the best that can be used. Names of the same device
        count once. ``"cpu"`` compares the CPU in the model's own dtype with the CPU in float64.
    framework : {"tensorflow", "jax", "torch"} or None
        What a function is written for; by default what its arguments belong to, or what is imported. A model has its own.
    frameworks : sequence of str or None
        Two or more of these: the same Keras 3 model is compared between them, on the CPU, in fresh processes.
    loss : str or callable or None
        As for ``model.compile``; by default the one that the model is compiled with.
    optimizers : sequence of {"sgd", "momentum", "adam", "adamw"}
        What to train with; before them with the one that the model is compiled with, if there is one.
    steps : int or None
        Steps of training with each optimizer; 0 for none. By default, if there are targets and a loss, 10, or 2 if
        10 take more than 20 seconds of the CPU; of a large model with the first of the optimizers only.
    batch_size : int or None
        How many examples are looked at, and in a step of training; by default 8.
    seed : int
        For made-up inputs, the weights of gradients, and training's order.

    Returns
    -------
    Comparison
        ``agrees`` says whether all is within the tolerance that follows from dtype, depth and length of sums;
        ``first_difference`` is the first layer that is not; ``findings`` have it in words.

    Raises
    ------
    ValueError
        If an argument is not one of the accepted.
    DeviceUnavailableError
        If a device that is named cannot be used; ``"auto"`` is then the CPU.
    DevicekitError
        If the reference itself cannot be computed: the model raises on the CPU.

    Notes
    -----
    Runs in this process, and leaves the model as it was: weights, states, metrics, optimizer, seeds, and Keras's dtype
    policy. Layers are compared in inference, and those that have a training mode without randomness (batch normalization)
    in that as well; dropout is compared in inference only. What raises on the CPU, gives something else every time or does
    not fit into the time is ``"not-compared"``, with the reason; the rest is compared all the same.
    """
    from ...runtime.frameworks.keras_model import is_model
    from .difference_findings import findings

    names = _check(devices, framework, frameworks, optimizers, steps, batch_size, seed)
    question = _Question(inputs, targets, loss, names, tuple(optimizers), steps, batch_size, seed)
    model = is_model(fn_or_model)
    _check_subject(fn_or_model, model, framework, question, frameworks)
    started = time.monotonic()
    with _progress() as say:
        if not model:
            parts = _function(fn_or_model, question, framework, say)
        elif frameworks:
            parts = _frameworks(fn_or_model, question, frameworks, say)
        else:
            parts = _model(fn_or_model, question, say)
    found = findings(parts.differences, parts.divergences, parts.left_to_cpu)
    subject, seconds = _name(fn_or_model), time.monotonic() - started
    return Comparison(
        *parts[:4],
        findings=parts.unused + found,
        subject=subject,
        seed=seed,
        seconds=seconds,
        left_to_cpu=parts.left_to_cpu,
    )


class _Question(NamedTuple):
    """The arguments of `compare` that say what to compare."""

    inputs: Any
    targets: Any
    loss: Any
    devices: Tuple[str, ...]
    optimizers: Tuple[str, ...]
    steps: Optional[int]
    batch_size: Optional[int]
    seed: int


class _Parts(NamedTuple):
    """The first fields of a `Comparison`, and its last; ``unused``: why ``"auto"`` is not a better device."""

    reference: str
    devices: Tuple[str, ...]
    differences: Tuple[Difference, ...]
    divergences: Tuple[Divergence, ...] = ()
    left_to_cpu: Tuple[LeftToCpu, ...] = ()
    unused: Tuple[Finding, ...] = ()


def _check_subject(
    subject: Any, model: bool, framework: Optional[str], question: _Question, frameworks: Optional[Sequence[str]]
) -> None:
    from ...runtime.frameworks.keras_model import keras_of

    if not model and not callable(subject):
        raise ValueError("compare takes a Keras model or a function, not a %s" % type(subject).__name__)
    if model and framework is not None and framework != name_of(keras_of(subject).framework):
        own = name_of(keras_of(subject).framework)
        raise ValueError("the model computes with %s, not with %s" % (own, framework))
    training = question.targets is not None or question.loss is not None or question.steps
    if not model and (training or frameworks):
        raise ValueError("targets, loss, steps and frameworks are for Keras models; this is a function")


@contextlib.contextmanager
def _progress() -> Iterator[_Say]:
    """Show a line of progress; yields what is called now and then."""
    from ...children.progress import Progress
    from ...runtime.settings import read_settings

    with Progress("comparing", read_settings().quiet) as progress:
        yield lambda *_, **__: progress.tick()


def _model(model: Any, question: _Question, say: _Say) -> _Parts:
    from ...runtime.frameworks.keras_model import keras_of
    from .layers.coarse_products import coarsest_shown
    from .layers.compare_layers import Attempt, check_model, compare_model, leave_wrong_layers_to_cpu, loss_of
    from .samples import examples_for, sample

    keras = keras_of(model)
    check_model(model)
    inputs, targets, _, devices, optimizers, steps, batch_size, seed = question
    batch_size = batch_size or examples_for(model)
    some_inputs, some_targets, which = sample(model, inputs, targets, seed, batch_size)
    loss = loss_of(model, question.loss)
    if steps and (targets is None or loss is None):
        raise ValueError("steps of training need targets and a loss: give both, or compile the model with a loss")
    if targets is not None and loss is None:
        raise ValueError("targets need a loss: give loss, or compile the model with one")
    labels, unused = _resolve(devices, keras.framework)
    say()
    differences = compare_model(model, some_inputs, some_targets, loss, labels, keras.framework, seed, say)
    divergences: Tuple[Divergence, ...] = ()
    train = None
    if targets is not None and steps != 0 and optimizers:
        shown = {label: coarsest_shown(differences, label) for label in labels}
        train = _training(model, question._replace(loss=loss, batch_size=batch_size), say, shown)
        divergences = train(labels)
    attempt = Attempt(some_inputs, some_targets, loss, seed, train)
    left = leave_wrong_layers_to_cpu(model, keras, attempt, differences, divergences)
    reference = "cpu in float64 with %s, %s" % (keras.framework, which)
    return _Parts(reference, labels, tuple(differences), divergences, left, unused)


def _training(
    model: Any, question: _Question, say: _Say, shown: Dict[str, str]
) -> Callable[..., Tuple[Divergence, ...]]:
    """Return what trains on devices, with all optimizers or some, and with layers left to the CPU.

    ``shown``: the coarser arithmetic that layers show on each device, "" for none.
    """
    from ...runtime.frameworks.keras_model import keras_of
    from .random_state import kept_random
    from .samples import plain
    from .training import TrainingTask, compare_training

    framework = keras_of(model).framework
    whole = (plain(question.inputs, "inputs"), plain(question.targets, "targets"))
    everything = TrainingTask(
        *whole,
        question.loss,
        question.optimizers,
        question.steps,
        question.batch_size or 0,
        question.seed,
        {device: name for device, name in shown.items() if name},
    )

    def train(
        devices: Sequence[str], like: Sequence[Divergence] = (), left_to_cpu: Sequence[Any] = ()
    ) -> Tuple[Divergence, ...]:
        task = everything
        if like:
            names = tuple(name for name in task.optimizers if any(item.optimizer == name for item in like))
            task = task._replace(optimizers=names, steps=max(1, *(len(item.loss) for item in like)))
        with kept_random(framework):
            return compare_training(model, task, devices, framework, say, left_to_cpu)

    return train


def _function(fn: Any, question: _Question, framework: Optional[str], say: _Say) -> _Parts:
    from .functions.examine import examine_function, with_release, written_for

    inputs = question.inputs
    if inputs is None:
        raise ValueError("a function needs inputs: the arrays to call it with")
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    found = with_release(framework) if framework else written_for(fn, arguments)
    if found is None:
        raise ValueError(
            "what %s is written for is not clear: say framework='tensorflow', 'jax' or 'torch'" % _name(fn)
        )
    labels, unused = _resolve(question.devices, found)
    report = examine_function(fn, inputs, labels, found, question.seed, say)
    return _Parts(report.reference, labels, report.differences, unused=unused)


def _frameworks(model: Any, question: _Question, frameworks: Sequence[str], say: _Say) -> _Parts:
    from ...runtime.frameworks.keras_model import keras_of
    from .layers.compare_layers import check_model, loss_of
    from .samples import examples_for, sample
    from .transfer import compare_frameworks

    keras = keras_of(model)
    if keras.generation != 3:
        raise ValueError("only a Keras 3 model runs on several frameworks; this is one of Keras %d" % keras.generation)
    check_model(model)
    most, seed = question.batch_size or examples_for(model), question.seed
    inputs, targets, which = sample(model, question.inputs, question.targets, seed, most)
    loss = loss_of(model, question.loss)
    differences = compare_frameworks(model, inputs, targets, loss, tuple(frameworks), seed, say)
    labels = tuple("%s cpu" % name for name in frameworks)
    return _Parts("cpu in float64 with %s, %s" % (keras.framework, which), labels, tuple(differences))


def _check(
    devices: Any, framework: Any, frameworks: Any, optimizers: Any, steps: Any, batch_size: Any, seed: Any
) -> Tuple[str, ...]:
    """Check what can be checked without looking at the model; return the devices.

    Raises
    ------
    ValueError
        If an argument is not one of the accepted.
    """
    from ...selection.request import parse_request

    names = (devices,) if isinstance(devices, str) else tuple(listed(devices, "devices", "device strings"))
    if not names:
        raise ValueError("devices is empty; give at least one, such as 'cpu' or 'gpu'")
    for name in names:
        if parse_request(name).count > 1:
            raise ValueError("%r names several devices; give each on its own: devices=('gpu:0', 'gpu:1')" % name)
    if framework is not None:
        _one_of(framework, _FRAMEWORKS, "framework")
    if frameworks is not None:
        given = listed(frameworks, "frameworks", "names")
        for name in given:
            _one_of(name, _FRAMEWORKS, "framework")
        if len(set(given)) != len(given) or len(given) < 2:
            raise ValueError("frameworks are two or more different ones of %s" % ", ".join(_FRAMEWORKS))
    for name in listed(optimizers, "optimizers", "names"):
        _one_of(name, _OPTIMIZERS, "optimizer")
    for value, what, least in ((steps, "steps", 0), (batch_size, "batch_size", 1)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            raise ValueError("%s is a whole number of at least %d, not %r" % (what, least, value))
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 1 << 32:
        raise ValueError("seed is a whole number from 0 to 4294967295, not %r" % (seed,))
    return names


def _one_of(value: Any, accepted: Sequence[str], what: str) -> None:
    if value not in accepted:
        raise ValueError(unknown_name(what, value, accepted))


def _resolve(devices: Sequence[str], framework: str) -> Tuple[Tuple[str, ...], Tuple[Finding, ...]]:
    """Return the devices' names as in `Selection.device`, each once, and why one that is left open is not a better one.

    Raises
    ------
    DeviceUnavailableError
        If one that was named cannot be used.
    """
    from ...runtime.scope import device_scope
    from ...selection.request import parse_request
    from ...selection.selection import fallback_causes

    found: Dict[str, None] = {}
    unused: Tuple[Finding, ...] = ()
    for name in devices:
        any_device = parse_request(name).kind == "auto"
        with device_scope(name, framework=name_of(framework), require=not any_device) as selection:
            if selection.device == "auto":
                raise DevicekitError("%s cannot be used here: %s" % (framework, selection.reason))
            found.setdefault(selection.device)
            unused = fallback_causes(selection) or unused
    return tuple(found), unused


def _name(subject: Any) -> str:
    name = getattr(subject, "name", None) or getattr(subject, "__name__", None)
    return name if isinstance(name, str) else type(subject).__name__
