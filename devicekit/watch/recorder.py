"""Collects what was measured while a model is trained. It judges nothing."""

import heapq
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..machine.detect import detect
from ..machine.live_host import LiveHost
from ..machine.probe.host_load import read_host_load
from ..machine.probe.nvml_question import nvml_task
from ..runtime.current import current_selection
from ..runtime.frameworks.keras_training import training_of
from ..runtime.frameworks.training import TimedStep, Training, names_of, steps_per_execution
from .gpu_loads import GpuLoads
from .keras_callback import FitEnd, method_of, running_fit
from .training_record import DataSource, DeviceMemory, HostSample, StepSample, StepWindow, TrainingRecord

#: Steps at the beginning that trace, compile and fill caches; they count for nothing but `first_step_s`.
WARM_UP = 3

#: The pauses between synchronized steps: short at first, so that a short training has samples, then long, since a synchronized
#: step cannot overlap with the one before.
_FIRST_PAUSES = (4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80)
_PAUSE = 120

#: After the first few, at most one part in this many of the time goes into what a synchronized step takes besides itself.
_RARE, _FREE = 500, 5

_WINDOW_S = 1.0
_MOST = 400
_LONGEST = 20


class StepClock:
    """Takes the times of the steps, and makes samples and windows of them."""

    def __init__(self) -> None:
        self.steps = 0
        self.first_step_s: Optional[float] = None
        self.samples: List[StepSample] = []
        self._windows: List[StepWindow] = []
        # The window that is not full yet, in numbers: a record for each step would be most of what a step costs.
        self._open_steps, self._open_at_s, self._open_s = 0, 0.0, 0.0
        self._open_wait_s: Optional[float] = None
        self._longest: List[float] = []
        self._last_end: Optional[float] = None
        self._next_sample = WARM_UP + 1
        self._sampled = self._thinned = 0
        self._beside_sample = False

    def due(self) -> bool:
        """Return whether the step that begins now shall be synchronized."""
        return self.steps >= self._next_sample

    def pause(self) -> None:
        """Forget when the last step ended: what comes now (an epoch's end, a validation) is left out."""
        self._last_end = None

    def gap(self, began_s: float) -> Optional[float]:
        """Return the seconds since the end of the step before, None for the first of an epoch."""
        return None if self._last_end is None else max(0.0, began_s - self._last_end)

    def sampled(self, sample: StepSample, ended_s: float, extra_s: float = 0.0) -> None:
        """Take a synchronized step. ``extra_s``: what it took besides the step itself."""
        self.samples.append(sample)
        if len(self.samples) > _MOST:
            self.samples = self.samples[::2]
            self._thinned += 1
        pause = _PAUSE * 2**self._thinned
        if self._sampled < len(_FIRST_PAUSES):
            pause = _FIRST_PAUSES[self._sampled]
        self._sampled += 1
        if self._sampled >= _FREE:
            # By what a step usually takes: this one may have found its batch ready.
            windows = self.windows()
            seconds = sum(window.seconds for window in windows)
            if seconds:
                steps = sum(window.steps for window in windows)
                pause = max(pause, min(int(_RARE * extra_s * steps / seconds), 10**6))
        self.steps += 1
        self._next_sample = self.steps + pause
        self._last_end, self._beside_sample = ended_s, True

    def stepped(self, began_s: float, ended_s: float, wait_s: Optional[float]) -> None:
        """Take a step that was not synchronized."""
        period_s = None if self._last_end is None else ended_s - self._last_end
        if self.steps == 0:
            self.first_step_s = ended_s - began_s
        if self.steps >= WARM_UP and period_s is not None and not self._beside_sample:
            self._add(ended_s, period_s, wait_s)
        self.steps += 1
        self._last_end, self._beside_sample = ended_s, False

    def _add(self, ended_s: float, period_s: float, wait_s: Optional[float]) -> None:
        if len(self._longest) < _LONGEST:
            heapq.heappush(self._longest, period_s)
        else:
            heapq.heappushpop(self._longest, period_s)
        if not self._open_steps:
            self._open_at_s, self._open_s, self._open_wait_s = ended_s - period_s, 0.0, 0.0
        self._open_steps += 1
        self._open_s += period_s
        self._open_wait_s = None if wait_s is None or self._open_wait_s is None else self._open_wait_s + wait_s
        if self._open_s >= _WINDOW_S:
            self._windows, self._open_steps = list(self.windows()), 0
            if len(self._windows) > _MOST:
                self._windows = merged(self._windows)

    def windows(self) -> Tuple[StepWindow, ...]:
        """Return the windows so far, the open one included."""
        last = StepWindow(self._open_at_s, self._open_steps, self._open_s, self._open_wait_s)
        return (*self._windows, *[last][: self._open_steps])

    def longest(self) -> Tuple[float, ...]:
        """Return the longest steps, the longest first."""
        return tuple(sorted(self._longest, reverse=True))


def merged(windows: List[StepWindow]) -> List[StepWindow]:
    """Return half as many windows: each two neighbors as one."""
    found = []
    for first, second in zip(windows[::2], windows[1::2]):
        waits = (first.wait_s, second.wait_s)
        wait = None if waits[0] is None or waits[1] is None else waits[0] + waits[1]
        found.append(StepWindow(first.at_s, first.steps + second.steps, first.seconds + second.seconds, wait))
    return found + windows[len(found) * 2 :]


#: Seconds between two looks at the processors, which take a millisecond or so.
_PAUSE_S = 5.0


class Recorder:
    """One training.

    Parameters
    ----------
    model : keras.Model
        It is compiled.
    failed : callable
        Called with ``"interrupted"`` or ``"failed"`` when a step raises.
    """

    def __init__(self, model: Any, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._started = perf_counter()
        self._model = model
        self._training: Training = training_of(model)
        self._clock = StepClock()
        self._host = LiveHost()
        self._hosts: List[HostSample] = []
        self._programs: List[Tuple[str, int]] = []
        self._traced: Dict[str, int] = {}
        self._hear_no_more: Callable[[], None] = lambda: None
        self._wrapped: Any = None
        self._own_s = 0.0
        self._began: Optional[float] = None
        self._look_at = 0.0
        self._source = DataSource()
        self._result_devices: Tuple[str, ...] = ()
        self._ended, self._end_s = "running", 0.0
        self._asked_s: Optional[float] = None
        self._told_s: Optional[float] = None
        self._fit_end: Optional[FitEnd] = None
        self._gpus = GpuLoads(self._now, nvml_task(self._host).task, host=self._host)

    def _now(self) -> float:
        return perf_counter() - self._started

    # The training, from its beginning to its end.

    def begin(self) -> None:
        """Wrap the training function, and take the first looks."""
        fit = running_fit()
        self._source = fit.source
        if fit.callbacks is not None and type(fit.callbacks).__name__ == "CallbackList":
            self._fit_end = FitEnd(fit.callbacks, self._lost)
            if self._training.fetches_before:
                self._time_callbacks(fit.callbacks)
        if self._training.wraps:
            self._wrapped = self._model.train_function
            self._model.train_function = self._step
        self._hear_no_more = self._training.hear_traces(self._hear)
        self._look()

    def _hear(self, name: str) -> None:
        if self._clock.steps > WARM_UP and (name in self._traced or len(self._traced) < _MOST):
            self._traced[name] = self._traced.get(name, 0) + 1

    def _time_callbacks(self, callbacks: Any) -> None:
        """Note when Keras has called all callbacks of a step, and when it begins to call those of the next one.

        What is between the two is the wait for the batch.
        """
        begin, end = (method_of(callbacks, name) for name in ("on_train_batch_begin", "on_train_batch_end"))

        def on_train_batch_begin(*arguments: Any, **options: Any) -> Any:
            self._asked_s = self._now()
            return begin(*arguments, **options)

        def on_train_batch_end(*arguments: Any, **options: Any) -> Any:
            try:
                return end(*arguments, **options)
            finally:
                self._told_s = self._now()

        callbacks.on_train_batch_begin, callbacks.on_train_batch_end = on_train_batch_begin, on_train_batch_end

    def _gap(self, began: float) -> Optional[float]:
        gap_s = self._clock.gap(began)
        if gap_s is None or self._asked_s is None or self._told_s is None:
            return gap_s
        return min(gap_s, max(0.0, self._asked_s - self._told_s))

    def _lost(self, how: str) -> None:
        if self._ended == "running":
            self._failed("interrupted" if how == "gone" else how)

    def look(self) -> None:
        """Notice that `fit` has ended, if it has and said nothing."""
        if self._fit_end is not None:
            self._fit_end.look()

    def end(self, how: str) -> None:
        """Undo what `begin` did. ``how``: ``"finished"``, ``"interrupted"`` or ``"failed"``."""
        if self._ended != "running":
            return
        self._ended, self._end_s = how, self._now()
        self._hear_no_more()
        self._training.release()
        if self._fit_end is not None:
            self._fit_end.forget()
            self._fit_end = None
        try:
            if self._wrapped is not None:
                self._count_programs()
                self._unwrap()
            self._look()
        finally:
            self._gpus.close()

    def _unwrap(self) -> None:
        """Take this recorder out of the training function, which others may have wrapped again."""
        holder, name = self._model, "train_function"
        while True:
            function: Any = getattr(holder, name, None)
            inner = getattr(function, "__self__", None)
            if inner is self:
                setattr(holder, name, self._wrapped)
                return
            if isinstance(inner, Recorder):
                holder, name = inner, "_wrapped"
            elif hasattr(function, "nan_recorder"):
                holder, name = function.nan_recorder, "function"
            else:
                return  # fit() has made a new one

    def pause(self) -> None:
        """What comes now is not a step: the beginning or end of an epoch, a validation."""
        self._clock.pause()

    # Steps. Where the training function can be wrapped, it is; else Keras's calls around a step are all there is.

    def _step(self, *arguments: Any) -> Any:
        began = self._now()
        due = self._clock.due()
        gap_s = self._gap(began) if self._training.fetches_before else None
        try:
            if due:
                step = self._training.timed(self._wrapped, arguments, steps_per_execution(self._model))
                self._sampled(step if gap_s is None else step._replace(wait_s=gap_s), began)
                return step.outputs
            outputs, wait_s = self._training.run(self._wrapped, arguments)
        except StopIteration:  # the data of an epoch are used up
            raise
        except BaseException as error:
            # TensorFlow has an exception of its own for the end of the data.
            if type(error).__name__ != "OutOfRangeError":
                self._failed("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise
        self._clock.stepped(began, self._now(), gap_s if wait_s is None else wait_s)
        return outputs

    def batch_begins(self) -> None:
        """A step begins."""
        self._began = self._now()

    def batch_ends(self, logs: Any) -> None:
        """A step has ended; ``logs`` are its results."""
        now = self._now()
        if not self._training.wraps and self._began is not None:
            gap_s = self._clock.gap(self._began)
            if self._clock.due():
                self._sampled(TimedStep(logs, gap_s, now - self._began), self._began)
            else:
                self._clock.stepped(self._began, now, gap_s)
        if now >= self._look_at:
            self._look()
            self._count_programs()

    def _sampled(self, step: TimedStep, began: float) -> None:
        ended = self._now()
        sample = StepSample(self._clock.steps, began, step.wait_s, step.compute_s, step.shapes, step.device_s)
        # TensorFlow's batch is put into a dataset again.
        itself = (step.compute_s or 0.0) + (step.wait_s or 0.0)
        self._clock.sampled(sample, ended, max(0.0, ended - began - itself) if itself else 0.0)
        if not self._result_devices:
            self._result_devices = names_of(self._training.devices_of(step.outputs))
        if len(self._clock.samples) <= 12:
            self._count_programs()
        self._own_s += self._now() - ended

    # Looks at the machine.

    def _look(self) -> None:
        started = self._now()
        self._hosts.append(HostSample(started, read_host_load(self._host)))
        self._gpus.look()
        if len(self._hosts) > _MOST:
            self._hosts = self._hosts[::2]
        took = self._now() - started
        self._own_s += took
        # A machine with thousands of processes takes longer to look at: at most one part in a thousand of the time.
        self._look_at = started + max(_PAUSE_S, 1000 * took)

    def _count_programs(self) -> None:
        number = self._training.programs(self._wrapped) if self._wrapped is not None else None
        if number is None or len(self._programs) >= _MOST:
            return
        step = str(self._clock.steps)
        if self._programs and self._programs[-1][0] == step:
            self._programs.pop()
        self._programs.append((step, number))

    # What was measured.

    def recent(self) -> TrainingRecord:
        """Return what was measured last, for what is shown while it trains; asks neither the framework nor the machine."""
        return TrainingRecord(
            framework=self._training.framework,
            model=str(getattr(self._model, "name", "")),
            seconds=self._now(),
            steps=self._clock.steps,
            samples=tuple(self._clock.samples[-8:]),
            windows=self._clock.windows()[-5:],
            hosts=tuple(self._hosts[-1:]),
            gpus=tuple({sample.index: sample for sample in self._gpus.samples()[-64:]}.values()),
        )

    @property
    def steps(self) -> int:
        """Calls of the training function so far."""
        return self._clock.steps

    def charge(self, seconds: float) -> None:
        """Count time that something else took for the monitor."""
        self._own_s += seconds

    def record(self) -> TrainingRecord:
        """Return what was measured so far."""
        model, training, selection = self._model, self._training, current_selection()
        finished = self._ended != "running"
        variables = getattr(model, "variables", None) or getattr(model, "weights", [])
        memory = training.memory()
        return TrainingRecord(
            framework=training.framework,
            model=str(getattr(model, "name", "")),
            parameters=_parameters(model),
            steps_per_execution=steps_per_execution(model),
            jit=_jit(model),
            selected=selection.device if selection is not None else "",
            accelerators=training.accelerators(),
            variable_devices=names_of(training.devices_of(list(variables)[:200])),
            result_devices=self._result_devices,
            source=self._source,
            seconds=self._end_s if finished else self._now(),
            steps=self._clock.steps,
            first_step_s=self._clock.first_step_s,
            samples=tuple(self._clock.samples),
            windows=self._clock.windows(),
            longest_steps_s=self._clock.longest(),
            programs=tuple(self._programs),
            traced=tuple(self._traced.items()),
            hosts=tuple(self._hosts),
            gpus=self._gpus.samples(),
            memory=DeviceMemory(**memory) if memory else None,
            memory_granted_bytes=detect().native.usable_memory_bytes,
            ended=self._ended,
            monitor_s=self._own_s,
        )


def _jit(model: Any) -> Optional[bool]:
    value = getattr(model, "jit_compile", getattr(model, "_jit_compile", None))
    return value if isinstance(value, bool) else None


def _parameters(model: Any) -> Optional[int]:
    try:
        return int(model.count_params())
    except ValueError:  # not built
        return None
