"""Some steps of training on a device, compared with the same steps on the CPU and with what rounding or another seed changes.

Every training starts from the same weights and takes the same batches in the same order:

- the reference: the CPU in the model's own dtype;
- the device;
- the controls, on the CPU, which say how far two right trainings may be apart: in float64 (where the model cannot be made
  again in that: with every weight moved by at most one unit in the last place); with one weight moved by that;
- another seed: the same examples in another order; where each batch has all of them, drawn with replacement.

Dropout and noise are left out. What else draws random numbers (augmentation, a sampling layer) draws the same in every
training: generators start from one state. If that is not enough, nothing is judged. `measure.numerics.drift` judges.
"""

import contextlib
import copy
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ...errors import DevicekitError, one_line, text_of
from ...logs.errors import is_missing_kernel
from ...runtime.frameworks.keras_model import Keras, keras_of, layers_of, public_class
from ...runtime.frameworks.tensors import Tensors, flatten, rebuild
from .drift import Curves, judge_drift
from .layers.clone import NotClonable, again_whole, fit_together, global_float64, known_classes
from .layers.recorded_calls import reset_states
from .layers.runner import leave_copies_to_cpu
from .layers.sizes import coarsest_of
from .random_state import generator_states, python_seeds, why_not_random
from .result import Divergence
from .tolerance import unit_roundoff
from .verdict import noted

Batches = List[Tuple[Any, Any]]


def batches_of(
    inputs: Any, targets: Any, steps: int, batch_size: int, generator: np.random.RandomState, others: bool = False
) -> Batches:
    """Return batches in a random order, going through the examples as often as it takes.

    ``others``: of other examples. If each batch has all of them, another order is but another rounding of their mean: then
    they are drawn with replacement.
    """
    count = len(flatten(inputs)[0][1])
    size = min(batch_size, count)

    def endless() -> Iterator[int]:
        again = others and size == count
        while True:
            yield from map(int, generator.randint(count, size=count) if again else generator.permutation(count))

    stream = endless()
    made = []
    for _ in range(steps):
        chosen = [next(stream) for _ in range(size)]
        made.append(
            tuple(rebuild(values, [item[chosen] for _, item in flatten(values)]) for values in (inputs, targets))
        )
    return [(one, other) for one, other in made]


def cast(values: Any, double: bool) -> Any:
    """Return arrays with floats in float32, or in float64."""
    wanted = np.float64 if double else np.float32
    leaves = [item.astype(wanted) if item.dtype.kind == "f" else item for _, item in flatten(values)]
    return rebuild(values, leaves)


def moved(start: List[np.ndarray], seed: int) -> List[List[np.ndarray]]:
    """Return the weights that the controls start from: all moved by at most a unit in the last place, and one."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, 3])
    everywhere, single = [], [item.copy() for item in start]
    for item in start:
        if item.dtype.kind != "f":
            everywhere.append(item)
            continue
        target = np.where(generator.randint(0, 2, item.shape) > 0, np.inf, -np.inf).astype(item.dtype)
        everywhere.append(np.where(generator.randint(0, 2, item.shape) > 0, np.nextafter(item, target), item))
    floats = [place for place, item in enumerate(single) if item.dtype.kind == "f" and item.size]
    if floats:
        largest = max(floats, key=lambda place: single[place].size)
        values = single[largest].reshape(-1)
        values[values.size // 2] = np.nextafter(values[values.size // 2], np.array(np.inf, values.dtype))
        single[largest] = values.reshape(start[largest].shape)
    return [everywhere, single]


def moved_as(values: Any, size: float, seed: int) -> Any:
    """Return arrays with floats moved by a relative ``size`` at most, as a coarser arithmetic rounds factors."""
    generator = np.random.RandomState([seed & 0xFFFFFFFF, 5])

    def one(item: np.ndarray) -> np.ndarray:
        return (item * (1.0 + size * generator.uniform(-1.0, 1.0, item.shape))).astype(item.dtype)

    return rebuild(values, [one(item) if item.dtype.kind == "f" else item for _, item in flatten(values)])


#: The rates at which a model that learns at all learns something in a few steps, and no model of common size runs away:
#: Keras's own defaults.
OPTIMIZERS: Dict[str, Tuple[str, Dict[str, float]]] = {
    "sgd": ("SGD", {"learning_rate": 0.01}),
    "momentum": ("SGD", {"learning_rate": 0.01, "momentum": 0.9}),
    "adam": ("Adam", {"learning_rate": 0.001}),
    "adamw": ("AdamW", {"learning_rate": 0.001, "weight_decay": 0.004}),
}

#: What draws random numbers while a model is trained, and how much; a number that is 0 turns it off.
_RANDOM = ("rate", "stddev", "dropout", "recurrent_dropout")

#: Of each weight this many elements are followed: the distance of a large model is estimated from them.
_FOLLOWED = 4096

#: If no one says how many steps: this many, or the fewest if all trainings together would take longer than that, and then
#: only the first optimizers. A wrong gradient shows at the first step, a drift at the second. In seconds of the CPU, all
#: threads together, which do not depend on what else the machine has to do.
_MOST_STEPS = 10
_LEAST_STEPS = 2
_BUDGET_S = 20.0

#: What is spent on training with compiled steps: with the first optimizer in any case, with more while it is not used up.
_COMPILED_S = 10.0

#: How often a training is repeated as a coarser arithmetic may change it.
_COARSE_CONTROLS = 2

#: Relative difference of two losses of the first steps beyond which two trainings on the CPU are not the same training.
_SAME_LOSS = 1e-3


class Run(NamedTuple):
    """A training that was made.

    Attributes
    ----------
    loss : list of float
        Before each step.
    weights : list of list of numpy.ndarray
        After each step: of each weight the elements that are followed, float64.
    """

    loss: List[float]
    weights: List[List[np.ndarray]]


def optimizers_of(keras: Keras) -> Dict[str, Any]:
    """Return the optimizers that a Keras has, by the names of `OPTIMIZERS`; AdamW came with Keras 2.11."""
    found = {}
    home = keras.module.optimizers
    for name, (kind, _) in OPTIMIZERS.items():
        made = getattr(home, kind, None) or getattr(getattr(home, "experimental", None), kind, None)
        if made is not None:
            found[name] = made
    return found


class TrainingTask(NamedTuple):
    """What to train a model with.

    Attributes
    ----------
    inputs, targets : arrays, or lists or dictionaries of them
        NumPy's, all examples.
    loss : str or callable
    optimizers : sequence of str
        Of `OPTIMIZERS`; one that this Keras does not have is left out.
    steps : int or None
        None: ten, or two if all trainings together would take more than 20 seconds of the CPU; if that is not enough for
        all optimizers, for the first ones only.
    batch_size : int
    seed : int
        For the order of the examples and for what the controls move.
    arithmetics : mapping of str to str
        The coarser arithmetic that layers show on a device instead of float32; devices without one are left out.
    """

    inputs: Any
    targets: Any
    loss: Any
    optimizers: Sequence[str]
    steps: Optional[int]
    batch_size: int
    seed: int
    arithmetics: Mapping[str, str] = {}


def compare_training(
    model: Any,
    task: TrainingTask,
    devices: Sequence[str],
    framework: str,
    say: Callable[..., None],
    left_to_cpu: Sequence[Any] = (),
) -> Tuple[Divergence, ...]:
    """Train copies of a model on each device and on the CPU, and compare how far they move apart.

    ``left_to_cpu``: layers of the model that the CPU computes while the others are on the device.

    Returns
    -------
    tuple of Divergence
        For each optimizer in turn, the model's own first, one for each device; and one more with the step compiled as the
        user compiled it, while there is time. What could not be compared is among them, with the reason.
    """
    keras = keras_of(model)
    known = optimizers_of(keras)
    makers = _own_optimizer(model)
    makers.update((name, _maker(known[name], OPTIMIZERS[name][1])) for name in task.optimizers if name in known)
    trainer = _Trainer(model, keras, task, say, left_to_cpu)
    if not trainer.parameters:
        return ()
    try:
        return tuple(_compare(trainer, makers, devices, framework, task))
    finally:
        trainer.close()


_Makers = Dict[str, Callable[[], Any]]


def _compare(
    trainer: "_Trainer", makers: _Makers, devices: Sequence[str], framework: str, task: TrainingTask
) -> List[Divergence]:
    steps, names, note = task.steps, list(makers), ""
    found: List[Divergence] = []
    compiled_s: Dict[str, float] = {}
    try:
        if steps is None:
            count, steps = _affordable(trainer, len(names), 4 + len(devices), task.batch_size)
            names = names[:count]
            note = "%d of %d steps, for more take too long" % (steps, _MOST_STEPS) if steps < _MOST_STEPS else ""
        for name in names:
            standard = _standard(trainer, makers[name], task._replace(steps=steps))
            own = [_on_device(trainer, name, makers[name], device, framework, standard) for device in devices]
            if sum(compiled_s.values()) + max(compiled_s.values(), default=0.0) <= _COMPILED_S:
                begun = time.process_time()
                own += _compare_compiled(trainer, name, makers[name], devices, framework, standard)
                compiled_s[name] = time.process_time() - begun
            found += [noted(item, standard.note) for item in own]
        found = [noted(item, note) for item in found]
        reason = "not tried: all trainings would take more than %.0f s of the CPU" % _BUDGET_S
        reason += "; name optimizers and steps"
    except _NothingToCompareWith as error:
        reason = str(error)
    tried = {item.optimizer for item in found}
    rest = ", ".join(name for name in makers if name not in tried)
    late = ", ".join(name for name in names if name in tried and name not in compiled_s)
    why = "not tried: compiled, more optimizers would take more than %.0f s of the CPU; name them" % _COMPILED_S
    found += [_not_compared(late, device, framework, why, trainer.compiler) for device in devices if late]
    return found + [_not_compared(rest, device, framework, reason) for device in devices if rest]


class _NothingToCompareWith(Exception):
    """The CPU cannot train the model, or does it in another way every time."""


class _Standard(NamedTuple):
    """What a training is judged by: the batches, and on the CPU the same training, its controls and another seed."""

    batches: Batches
    right: Run
    rounding: List[List[float]]
    seeds: List[float]
    arithmetics: Mapping[str, str]
    note: str = ""


def _standard(trainer: "_Trainer", make: Callable[[], Any], task: TrainingTask) -> _Standard:
    """Train on the CPU with an optimizer.

    Raises
    ------
    _NothingToCompareWith
    """
    order = np.random.RandomState(task.seed & 0xFFFFFFFF)
    batches, others = (
        batches_of(task.inputs, task.targets, task.steps or _MOST_STEPS, task.batch_size, order, others)
        for others in (False, True)
    )
    right = _on_cpu(trainer, make, batches, trainer.start)
    finite = _finite_steps(right)
    if not finite:
        raise _NothingToCompareWith("training on the CPU gives no finite weights, as where a dtype overflows")
    note = "up to step %d: the next gives no finite weights on the CPU" % finite if finite < len(batches) else ""
    batches, right = batches[:finite], Run(right.loss[:finite], right.weights[:finite])
    trainer.find_random_numbers(batches[0][0])
    controls = _controls(trainer, make, batches, task.seed, trainer.draws)
    if _another_loss(controls[0], right) and _another_loss(_on_cpu(trainer, make, batches, trainer.start), right):
        raise _NothingToCompareWith("two trainings from the same start differ on the CPU: it is not deterministic")
    rounding = [_distances(control, right) for control in controls]
    seeds = _distances(_on_cpu(trainer, make, others, trainer.start), right)
    return _Standard(batches, right, rounding, seeds, task.arithmetics, note)


def _on_device(
    trainer: "_Trainer",
    name: str,
    make: Callable[[], Any],
    device: str,
    framework: str,
    standard: _Standard,
    compiled: bool = False,
) -> Divergence:
    """Train on a device and judge that."""
    right, by = standard.right, trainer.compiler if compiled else ""
    if trainer.draws and not trainer.draws_alike(device):
        reason = "not deterministic: the model draws random numbers, and %s draws others than the CPU" % device
        wrong = why_not_random(trainer.normal_numbers(device))
        found = _not_compared(name, device, framework, wrong or reason, by)
        return found.replace(verdict="failed") if wrong else found
    try:
        own = trainer.train(device, False, make, standard.batches, trainer.start, compiled)
    except Exception as error:  # kernels raise whatever they like
        return _failed(name, device, framework, right, error).replace(compiled_by=by)
    size, apart = trainer.parameters, _distances(own, right)
    curves = Curves(own.loss, right.loss, apart, standard.rounding, standard.seeds, parameters=size, moved_weights=size)
    arithmetic = standard.arithmetics.get(device)
    if arithmetic is None and (compiled or trainer.draws or not trainer.has_double):
        # A weight that moves by a unit of float32 is the same in that, and compilers leave out roundings between operations.
        arithmetic = trainer.coarse
    found = judge_drift(name, device, framework, curves, arithmetic)
    if found.verdict == "differs" and arithmetic is not None:
        curves = curves._replace(coarse=_coarse_controls(trainer, make, standard, arithmetic))
        found = judge_drift(name, device, framework, curves, arithmetic)
    return found.replace(compiled_by=by)


def _coarse_controls(
    trainer: "_Trainer", make: Callable[[], Any], standard: _Standard, arithmetic: str
) -> List[List[float]]:
    """Return how far the CPU's training goes where weights and examples are off as factors are in a coarser arithmetic.

    Of two trainings with other starts, what they have added to them is compared.
    """
    size, curves = 2 * unit_roundoff(arithmetic), []
    for seed in range(_COARSE_CONTROLS):
        start = moved_as(trainer.start, size, seed)
        batches = [(moved_as(inputs, size, seed), targets) for inputs, targets in standard.batches]
        run = _on_cpu(trainer, make, batches, start)
        begun = [one - other for one, other in zip(trainer.follow(start), trainer.follow(trainer.start))]
        weights = [[one - other for one, other in zip(step, begun)] for step in run.weights]
        curves.append(_distances(run._replace(weights=weights), standard.right))
    return curves


def _compare_compiled(
    trainer: "_Trainer",
    name: str,
    make: Callable[[], Any],
    devices: Sequence[str],
    framework: str,
    standard: _Standard,
) -> List[Divergence]:
    """Train with the step compiled as `model.fit` compiles it; nothing if it does not.

    The standard is the CPU's own step by step, so that a fault which only compiled code has is seen on the CPU, too.
    """
    if not trainer.compiler:
        return []
    first = _on_device(trainer, name, make, "cpu", framework, standard, True)
    reason = ""
    if first.verdict in ("failed", "unsupported"):
        reason = "compiled, training on the CPU fails: " + first.detail
    if trainer.draws and first.verdict == "differs":
        reason = "not deterministic: the model draws random numbers, and compiled on the CPU it draws others"
    if reason:
        return [_not_compared(name, device, framework, reason, trainer.compiler) for device in devices]
    return [
        first if device == "cpu" else _on_device(trainer, name, make, device, framework, standard, True)
        for device in devices
    ]


def _finite_steps(run: Run) -> int:
    """Return how many steps were made before the first after which weights are not finite."""
    broken = (
        step for step, weights in enumerate(run.weights) if not all(np.all(np.isfinite(item)) for item in weights)
    )
    return next(broken, len(run.weights))


def _another_loss(run: Run, right: Run) -> bool:
    """Return whether two trainings on the CPU, at most a rounding apart, go apart at once."""
    pairs = [(a, b) for a, b in zip(run.loss[:_LEAST_STEPS], right.loss) if np.isfinite(a) and np.isfinite(b)]
    return any(abs(a - b) > _SAME_LOSS * max(abs(a), abs(b), 1e-3) for a, b in pairs)


def _affordable(trainer: "_Trainer", count: int, trainings: int, batch_size: int) -> Tuple[int, int]:
    """Return for how many of the optimizers there is time, at least one, and how many steps to make with each."""
    each_s = max(trainings * trainer.seconds_of_a_step(batch_size), 1e-6)
    count = max(1, min(count, int(_BUDGET_S / (each_s * _LEAST_STEPS))))
    return count, _MOST_STEPS if each_s * count * _MOST_STEPS <= _BUDGET_S else _LEAST_STEPS


def _controls(trainer: "_Trainer", make: Callable[[], Any], batches: Batches, seed: int, draws: bool) -> List[Run]:
    everywhere, single = moved(trainer.start, seed)
    controls = [_on_cpu(trainer, make, batches, single)]
    if trainer.has_double and not draws:  # in float64 generators draw other numbers
        try:
            return [*controls, trainer.train("cpu", True, make, batches, trainer.start)]
        except Exception:  # whatever the user's layers raise in a dtype that they were not written for
            trainer.has_double = False
    return [*controls, _on_cpu(trainer, make, batches, everywhere)]


def _on_cpu(trainer: "_Trainer", make: Callable[[], Any], batches: Batches, start: List[np.ndarray]) -> Run:
    try:
        return trainer.train("cpu", False, make, batches, start)
    except Exception as error:  # whatever the user's model raises
        message = (
            text_of(error) if isinstance(error, DevicekitError) else "training on the CPU fails: " + one_line(error)
        )
        raise _NothingToCompareWith(message) from error


def _failed(optimizer: str, device: str, framework: str, right: Run, error: Exception) -> Divergence:
    verdict = "unsupported" if is_missing_kernel(error) else "failed"
    return Divergence(optimizer, device, framework, (), tuple(right.loss), (), (), (), verdict, None, one_line(error))


def _not_compared(optimizer: str, device: str, framework: str, reason: str, compiled_by: str = "") -> Divergence:
    return Divergence(
        optimizer, device, framework, (), (), (), (), (), "not-compared", None, reason, compiled_by=compiled_by
    )


def _maker(kind: Any, options: Dict[str, float]) -> Callable[[], Any]:
    return lambda: kind(**options)


def _own_optimizer(model: Any) -> _Makers:
    """Return what makes the optimizer that a model is compiled with, by its name; nothing if it cannot be made again."""
    own: Any = getattr(model, "optimizer", None)
    try:
        kind, config = type(own), own.get_config()
        kind.from_config(copy.deepcopy(config))  # some take their configuration apart
    except Exception:  # there is none, or it is one of TensorFlow's own, which have no configuration
        return {}
    name = type(getattr(own, "inner_optimizer", own)).__name__  # of one that scales the loss
    return {"%s, as compiled" % name: lambda: kind.from_config(copy.deepcopy(config))}


def _compiler(model: Any, keras: Keras) -> str:
    """Return what compiles the steps that `model.fit` makes, as the user compiled the model; "" if they are not compiled.

    A model that is not compiled yet is looked at as Keras compiles without options, but without XLA.
    """
    if keras.generation == 1 or getattr(model, "run_eagerly", False):
        return ""
    ready = getattr(model, "optimizer", None) is not None
    with_xla = ready and bool(getattr(model, "jit_compile", None) or getattr(model, "_jit_compile", None))
    if keras.framework == "tensorflow":
        return "XLA" if with_xla else "tf.function"
    if keras.framework == "jax":
        return "jax.jit" if with_xla or not ready else ""
    return "torch.compile" if with_xla else ""


class _Trainer:
    """Makes copies of a model, each on a device and in a dtype, and trains them."""

    def __init__(
        self, model: Any, keras: Keras, task: TrainingTask, say: Callable[..., None], left_to_cpu: Sequence[Any]
    ) -> None:
        from .layers.graph_runner import runner_of

        #: What `model.fit` compiles a step with; "" if it does not.
        self.compiler = _compiler(model, keras)
        if left_to_cpu and self.compiler == "XLA" and keras.framework == "tensorflow":
            self.compiler = "tf.function"  # as Keras does for a model with such layers
        #: Whether the model draws random numbers in training: see `find_random_numbers`.
        self.draws = False
        self._searched = False
        self._left_to_cpu = left_to_cpu

        self._model, self._keras, self._loss, self._say = model, keras, task.loss, say
        self.data = (task.inputs, task.targets)
        self._known = known_classes(model)
        runner = runner_of(model, keras)
        self._scope, self._seed = runner.scope, task.seed
        self._tensors: Tensors = runner.tensors
        self._states = [runner.tensors.variable_to_numpy(item) for item in generator_states(model)]
        self.start: List[np.ndarray] = [np.array(item) for item in model.get_weights()]
        self._trained = _trained(model)
        self.parameters = sum(self.start[place].size for place in self._trained)
        self._followed = [_places(self.start[place].size) for place in self._trained]
        self.has_double = True
        #: In what the model itself computes instead of float32; None for that.
        self.coarse = {"bfloat16": "bfloat16", "float16": "float16"}.get(coarsest_of(layers_of(model)))
        self._copies: Dict[Tuple[str, bool], Any] = {}
        self._session: Any = None

    def seconds_of_a_step(self, batch_size: int) -> float:
        """Return how many seconds of the CPU a step takes there."""
        inputs, targets = self.data
        batches = batches_of(inputs, targets, 2, batch_size, np.random.RandomState(0))
        times = [time.process_time()]
        tell, self._say = self._say, lambda *_: times.append(time.process_time())
        try:
            _on_cpu(self, _maker(optimizers_of(self._keras)["sgd"], OPTIMIZERS["sgd"][1]), batches, self.start)
        finally:
            self._say = tell
        return times[2] - times[1]  # the first step has the making of the copy in it

    def train(
        self,
        device: str,
        double: bool,
        make: Callable[[], Any],
        batches: Batches,
        start: List[np.ndarray],
        compiled: bool = False,
    ) -> Run:
        """Make a copy on a device with weights to start from and take a step with each batch."""
        with self._own_graph(), self._scope(device, double), global_float64(self._keras, double), self._seeded():
            model = self._copy_on(device, double)
            model.set_weights(start)
            reset_states(model)
            for state, value in zip(generator_states(model), self._states):
                state.assign(value)
            model.compile(optimizer=make(), loss=_fresh(self._loss), **self._compile_options(compiled))
            run = Run([], [])
            for inputs, targets in batches:
                run.loss.append(_step(model, cast(inputs, double), cast(targets, double)))
                run.weights.append(self.follow(model.get_weights()) + self._averages(model.optimizer))
                self._say("training")
            return run

    @contextlib.contextmanager
    def _seeded(self, more: int = 0) -> Iterator[None]:
        """Let what draws random numbers without a generator in the model's layers draw the same every time."""
        seed = (self._seed + more) & 0x7FFFFFFF
        with python_seeds(seed), self._tensors.seeded(seed):
            yield

    def find_random_numbers(self, inputs: Any) -> None:
        """See once whether the model gives something else in training mode if generators are in another state."""
        if self._searched or self._keras.generation == 1:
            return  # a graph's seeds are fixed when it is built
        self._searched = True
        outputs = []
        for more in (1, 2):
            with self._scope("cpu", False), self._seeded(more):
                given = self._copy_on("cpu", False)(cast(inputs, False), training=True)
                tensors = [item for _, item in flatten(given) if self._tensors.is_tensor(item)]
                outputs.append([self._tensors.to_numpy(item) for item in tensors])
        self.draws = not all(np.array_equal(one, other, equal_nan=True) for one, other in zip(*outputs))

    def draws_alike(self, device: str) -> bool:
        """Return whether a device draws the random numbers that the CPU draws from the same seed."""
        one, other = self.normal_numbers("cpu"), self.normal_numbers(device)
        return bool(np.allclose(one, other, rtol=1e-3, atol=1e-3))

    def normal_numbers(self, device: str) -> np.ndarray:
        """Return normally distributed numbers that a device draws."""
        with self._scope(device, False), self._seeded():
            if self._keras.generation == 3:
                return self._tensors.to_numpy(self._keras.module.random.normal((4096,), seed=7))
            import tensorflow as tf

            return self._tensors.to_numpy(tf.random.normal((4096,), seed=7))

    def _copy_on(self, device: str, double: bool) -> Any:
        key = (device, double)
        if key not in self._copies:
            self._copies[key] = self._copy(double)
            if device != "cpu":
                leave_copies_to_cpu(self._model, self._copies[key], self._left_to_cpu, self._keras)
        return self._copies[key]

    @contextlib.contextmanager
    def _own_graph(self) -> Iterator[None]:
        """With TensorFlow 1.15: its own graph and session, with which Keras would otherwise replace the user's."""
        if self._keras.generation != 1:
            yield
            return
        import tensorflow as tf

        if self._session is None:
            self._session = tf.compat.v1.Session(graph=tf.Graph())
        with self._session.graph.as_default(), self._session.as_default():
            yield

    def close(self) -> None:
        """Give the session back."""
        if self._session is not None:
            self._session.close()

    def _copy(self, double: bool) -> Any:
        try:
            # A graph has what its layers were while it was built.
            with _still(self._model) if self._keras.generation == 1 else contextlib.nullcontext():
                model = again_whole(self._model, self._keras, self._known, double)
            if not getattr(model, "built", False) or not model.weights:
                model(cast(self._example(), double))
            fit_together(self._model, model)
        except NotClonable as error:
            if double:
                raise
            raise DevicekitError(
                "the model cannot be made again: %s; give what it names a get_config()" % error
            ) from error
        for layer, name, _ in _random_parts(model):
            setattr(layer, name, 0.0)
        return model

    def _example(self) -> Any:
        return rebuild(self.data[0], [item[:1] for _, item in flatten(self.data[0])])

    def _compile_options(self, compiled: bool) -> Dict[str, Any]:
        """Return what `compile` gets. Mostly without tracing, which would take longer than the few steps that are made."""
        if self._keras.generation == 1:
            return {}
        options = {"run_eagerly": not compiled}
        if self._keras.generation == 3 or (compiled and self.compiler == "XLA"):
            options["jit_compile"] = compiled and self.compiler != "tf.function"
        return options

    def follow(self, weights: Sequence[Any]) -> List[np.ndarray]:
        """Return the elements of weights that are followed."""
        return [
            np.asarray(weights[place]).reshape(-1)[places].astype(np.float64)
            for place, places in zip(self._trained, self._followed)
        ]

    def _averages(self, optimizer: Any) -> List[np.ndarray]:
        """Return the elements that are followed of the moving averages of weights, if an optimizer has them (`use_ema`)."""
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        averages = getattr(optimizer, "_model_variables_moving_average", None) or ()
        held = [self._tensors.variable_to_numpy(item).reshape(-1) for item in averages]
        return [item[_places(item.size)].astype(np.float64) for item in held]


def _step(model: Any, inputs: Any, targets: Any) -> float:
    """Make one step of training and return the loss before it."""
    model.reset_metrics()
    owner = next(kind for kind in type(model).__mro__ if "train_step" in vars(kind) or kind is object)
    if owner is object or public_class(owner)[1]:
        result = model.train_on_batch(inputs, targets)
        return float(np.asarray(result[0] if isinstance(result, (list, tuple)) else result))
    # A step of the user's own gets what `fit` gives it: pairs, as Keras's guide unpacks them, without weights of samples.
    count = len(flatten(inputs)[0][1])
    figures = model.fit(inputs, targets, batch_size=count, epochs=1, shuffle=False, verbose=0).history
    values = figures.get("loss") or next(iter(figures.values()), [float("nan")])
    return float(np.asarray(values[0]))


def _trained(model: Any) -> List[int]:
    """Return the places of the weights that training changes, moving statistics too, among ``model.get_weights()``."""
    wanted = {id(item) for item in model.trainable_weights}
    for layer in layers_of(model):
        if getattr(layer, "trainable", False) and hasattr(layer, "moving_variance"):
            wanted |= {id(item) for item in getattr(layer, "non_trainable_variables", None) or ()}
    return [place for place, item in enumerate(model.weights) if id(item) in wanted]


def _places(size: int) -> Any:
    """Return which elements of a weight are followed: all, or as many as are enough, evenly spread."""
    if size <= _FOLLOWED:
        return np.arange(size)
    return np.unique(np.linspace(0, size - 1, _FOLLOWED).astype(np.int64))


def _random_parts(model: Any) -> List[Tuple[Any, str, float]]:
    """Return what draws random numbers in training: layers with the attribute that says how much, and its value."""
    found = []
    for layer in layers_of(model):
        for name in _RANDOM:
            value = getattr(layer, name, None)
            # A property is shown by a layer that takes it from its cell, which is among the layers itself.
            if isinstance(value, float) and not isinstance(getattr(type(layer), name, None), property):
                found.append((layer, name, value))
    return found


@contextlib.contextmanager
def _still(model: Any) -> Iterator[None]:
    """Turn off what draws random numbers in training, for as long as copies are made."""
    parts = _random_parts(model)
    try:
        for layer, name, _ in parts:
            setattr(layer, name, 0.0)
        yield
    finally:
        for layer, name, value in parts:
            setattr(layer, name, value)


def _fresh(loss: Any) -> Any:
    """Return losses with no state of the user and in the dtype in effect: objects of Keras are made again."""
    return rebuild(
        loss,
        [type(one).from_config(one.get_config()) if hasattr(one, "get_config") else one for _, one in flatten(loss)],
    )


def _distances(run: Run, right: Run) -> List[float]:
    """Return the distance of all weights from the reference's after each step, relative to the reference's size."""
    found = []
    for own, reference in zip(run.weights, right.weights):
        with np.errstate(all="ignore"):
            apart = sum(float(np.sum((a - b) ** 2)) for a, b in zip(own, reference))
            size = sum(float(np.sum(b**2)) for b in reference)
        found.append(float(np.sqrt(apart / size)) if size > 0 else float(np.sqrt(apart)))
    return found
