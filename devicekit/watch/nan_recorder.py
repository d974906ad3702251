"""Keeps the last good state of a training and the batches since then, and looks at times for what is not finite."""

import math
from time import perf_counter
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

from ..errors import log, one_line
from ..runtime.frameworks.replay import Replay, State, as_float, is_finite, size_of, unfit
from ..runtime.frameworks.training import steps_per_execution
from .training_record import VALIDATION, DataSource, NanRecord

#: Of the time, at most one part in this many goes into looking at the state; while memory is short, one in `_SHORT`.
_RARE, _SHORT = 250, 50

#: Steps between two looks at the loss, and before the first at the state; seconds between looks at the loss of slow steps.
_LOSS, _FIRST, _LOSS_S = 16, 10, 5.0


class KeptStep(NamedTuple):
    """A step since the last good state: its number, epoch, batch number, batch (None if it was not kept) and logs."""

    step: int
    epoch: int
    number: int
    batch: Any
    logs: Any


class Window(NamedTuple):
    """What is known when something is not finite."""

    good: Optional[State]
    steps: Tuple[KeptStep, ...]
    seen_in: str
    seen_step: int
    problem: str
    norm_start: Optional[float]


class NanRecorder:
    """One training.

    Parameters
    ----------
    replay : Replay
        Of the model.
    found : callable
        Called once, with the training function and the `Window`, when something is not finite.
    memory_bytes : int
        For batches and state.
    every : int or None
        Steps between two looks at the state; None: as often as costs little.
    """

    def __init__(
        self, replay: Replay, found: Callable[[Any, Window], None], memory_bytes: int, every: Optional[int]
    ) -> None:
        self.replay, self.listeners = replay, [found]
        self._memory, self._every = memory_bytes, every
        self._steps: List[KeptStep] = []
        self._looked = self._bytes = self._count = 0
        self._position = (0, 0)
        self._good: Optional[State] = None
        self._ignored = frozenset([""])
        self._problem = ""
        self._cost_s, self._checked_at, self._looked_at = 0.0, 0.0, perf_counter()
        self._norm: Optional[float] = None
        self._outputs: Any = None
        self.over = False
        #: What the guards of this training share: where they save the step, what was found, whether a terminal shows it.
        self.saves: List[Optional[str]] = []
        self.record: Optional[NanRecord] = None
        self.shown = False
        #: Why nothing is watched any more, "" if it is; and a loss that is not finite and that no step shows.
        self.gave_up = ""
        self.unseen: Optional[NanRecord] = None
        self.validation: Any = None
        self.copies = True
        self.function: Any = None
        self.fit_end: Any = None

    def begin(self, source: DataSource, validation: Any) -> None:
        self.validation = validation
        self.copies = source.kind not in ("arrays", "tf.data")
        self._start()

    def _start(self) -> None:
        self._take()
        if self._good is not None:
            self._ignored = frozenset(unfit(self._good))
            self._norm = norm_of(self._good)

    def at(self, epoch: Optional[int] = None, batch: Optional[int] = None) -> None:
        old_epoch, old_batch = self._position
        self._position = (old_epoch if epoch is None else epoch, old_batch if batch is None else batch)

    def step(self, *arguments: Any) -> Any:
        if not self._count and not self.over:
            self._prepare(arguments)
        if self.over:
            return self.function(*arguments)
        try:
            outputs, batches = self.replay.call(self.function, arguments, self.copies)
        except BaseException as error:
            # TensorFlow has an exception of its own for the end of the data of an epoch.
            if not isinstance(error, StopIteration) and type(error).__name__ != "OutOfRangeError":
                self.interrupted()
            raise
        try:
            self._after(outputs, batches)
        except Exception as error:  # the training goes on, whatever is the matter with its guard
            self.give_up(error)
        return outputs

    def _prepare(self, arguments: Any) -> None:
        try:
            self.replay.prepare(self.function, arguments)
            if self._good is None or self.replay.variable_count() != len(self._good.names):
                self._start()
        except Exception as error:
            self.give_up(error)

    def interrupted(self) -> None:
        """A step raised, or Ctrl-C ended it: what was not finite before is reported, and nothing is watched any more."""
        try:
            if self._loss_step() is not None:
                self._check(True)
        except Exception as error:
            self.give_up(error)
        self._stop()

    def _stop(self) -> None:
        self.over = True
        self._good = self._outputs = None
        self._forget()

    def give_up(self, error: Exception) -> None:
        self._stop()
        self.gave_up = "NanGuard watched %d steps, and then no more: %s" % (self._count, one_line(error))
        log("warning", "%s", self.gave_up)

    def _after(self, outputs: Any, batches: Optional[List[Any]]) -> None:
        batch = batches[0] if batches is not None and len(batches) == 1 else None
        if batch is None and not self._problem:
            self._problem = "The batches of such a step cannot be kept: set steps_per_execution=1."
        self._steps.append(KeptStep(self._count, *self._position, batch, self.replay.logs(outputs)))
        self._bytes += size_of(batch)
        self._count += 1
        self._outputs = outputs
        if self._count == 1 and self._good is not None and self.replay.variable_count() != len(self._good.names):
            self._good = None  # a step of one's own has made variables: what they began with is not known
        pending = len(self._steps) - self._looked
        look = pending >= _LOSS or (pending > 1 and perf_counter() - self._looked_at > _LOSS_S)
        if (look and self._loss_step() is not None) or self._due():
            self._check(True)

    def end(self) -> None:
        self._outputs = None
        if not self.over and self._steps:
            try:
                self._check(False)
            except Exception as error:
                self.give_up(error)
        self._stop()

    def epoch_ends(self, logs: Any) -> None:
        """Note a loss of an epoch that is not finite and that no step shows: of its validation, or once nothing is watched."""
        if self.unseen is not None or not isinstance(logs, dict):
            return
        validated = {str(name)[4:]: value for name, value in logs.items() if str(name).startswith("val_")}
        trained = {name: value for name, value in logs.items() if not str(name).startswith("val_")}
        found = NanRecord(
            self.replay.framework, str(getattr(self.replay.model, "name", "")), seen_step=max(0, self._count - 1)
        )
        if not loss_is_finite(trained, self.replay.model):
            self.unseen = found.replace(problem=self.gave_up) if self.gave_up else None
        elif not loss_is_finite(validated, self.replay.model):
            self.unseen = found.replace(seen_in=VALIDATION)

    def _due(self) -> bool:
        count = len(self._steps)
        if self._every is not None:
            return count >= self._every
        if self._good is None:
            return True
        passed_s = perf_counter() - self._checked_at
        if self._bytes + self._good.nbytes > self._memory:
            if passed_s > _SHORT * self._cost_s:
                return True
            self._steps = [step._replace(batch=None) for step in self._steps]
            self._problem = (
                "The batches since the last good state do not fit into %.2g GB: give NanGuard(memory_gb=...) more."
                % (self._memory / 1e9)
            )
            self._bytes = 0
        return count >= _FIRST and passed_s > _RARE * self._cost_s

    def _take(self) -> None:
        started = perf_counter()
        try:
            state: Optional[State] = self.replay.state(self._outputs)
        except ValueError:  # Keras 2 builds the model in the first step
            state = None
        self._checked_at = perf_counter()
        self._cost_s = self._checked_at - started
        self._good = state

    def _loss_step(self) -> Optional[int]:
        """Return the index of the first step whose loss is not finite, of those that were not looked at."""
        self._looked_at = perf_counter()
        for index in range(self._looked, len(self._steps)):
            if not loss_is_finite(self._steps[index].logs, self.replay.model):
                return index
            self._looked = index + 1
        return None

    def _check(self, go_on: bool) -> None:
        bad = self._loss_step()
        state = None
        started = perf_counter()
        if bad is None:
            state = self.replay.state(self._outputs, copy=go_on)
            if set(unfit(state)) <= self._ignored:
                self._good = state
                self._forget()
                self._problem = ""
                self._checked_at = perf_counter()
                self._cost_s = self._checked_at - started
                return
        self.over = True
        seen = self._steps[-1 if bad is None else bad]
        each = steps_per_execution(self.replay.model)
        window = Window(
            self._good, tuple(self._steps), "weights" if bad is None else "loss", (seen.step + 1) * each - 1,
            self._problem, self._norm,
        )  # fmt: skip
        self._forget()
        self._good = None
        for found in self.listeners:
            found(self.function, window)

    def _forget(self) -> None:
        self._steps, self._looked, self._bytes = [], 0, 0


def loss_is_finite(logs: Any, model: Any) -> bool:
    """Return whether the losses in a step's logs are finite; what is not a number is. A metric may be called a loss."""
    if not isinstance(logs, dict):
        return True
    for name, value in logs.items():
        if str(name).endswith("loss"):
            try:
                if not math.isfinite(float(value)) and not (name != "loss" and str(name).endswith(_metrics(model))):
                    return False
            except (TypeError, ValueError):
                continue
    return True


def _metrics(model: Any) -> Tuple[str, ...]:
    """Return the names of the metrics that a model was compiled with."""
    compiled = getattr(model, "_compile_metrics", None) or getattr(model, "compiled_metrics", None)
    return tuple(str(metric.name) for metric in getattr(compiled, "metrics", None) or ())


def norm_of(state: State) -> float:
    """Return the norm of the model's own floating-point variables."""
    total = 0.0
    for name, value in zip(state.names, state.values):
        array = as_float(value)
        if array is not None and not name.startswith(("metrics/", "optimizer/")) and is_finite(array):
            flat = array.reshape(-1)
            total += float(np.einsum("i,i", flat, flat, dtype="float64"))  # without a copy, and it does not overflow
    return math.sqrt(total)
