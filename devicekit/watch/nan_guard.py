"""`NanGuard`: a Keras callback that finds the first NaN of a training."""

import os
import sys
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from ..children.progress import is_watched
from ..errors import DeviceWarning, log, lost_if_unheard, notify, one_line
from ..runtime.frameworks.keras_training import replay_of, training_of
from .keras_callback import FitEnd, as_callback, running_fit, speaks
from .result import NanReport
from .training_record import VALIDATION, NanRecord


class NanGuard:
    """Finds the first NaN or infinity of `model.fit`, and why: ``model.fit(x, y, callbacks=[NanGuard()])``.

    For Keras 3 on TensorFlow, JAX and PyTorch, and tf.keras 2. It looks at the loss of each step, and at times at all weights;
    it keeps a copy of the last good state and the batches since then. When something is not finite, it repeats these steps,
    and then the first bad one: layer by layer, forward and backward, and on the CPU in float64. So it names the step, batch,
    layer and operation, and whether data, model, precision or device are the cause. The model's state is as before afterwards.
    A step that loss scaling skips is not a finding. Of several processes that train together only the first one writes and
    warns.

    Parameters
    ----------
    stop : bool
        Whether to stop the training once it is found. If not, the training goes on as without a guard.
    save : str, os.PathLike or None
        A ``.npz`` file for the batch and the state before the step; None: not written.
    every : int or None
        Steps between two looks at the weights. None: as often as costs little.
    memory_gb : float
        The most that batches and state may take of the host's memory. If they do not fit, the report says so.
    quiet : bool
        Whether to write no report and to give no warning; `report` has everything.

    Attributes
    ----------
    report : NanReport or None
        None as long as everything is finite.

    Examples
    --------
    >>> guard = devicekit.NanGuard()                                           # doctest: +SKIP
    >>> model.fit(x, y, callbacks=[guard])                                     # doctest: +SKIP
    >>> guard.report.findings[0].code                                          # doctest: +SKIP
    'operation-undefined'
    """

    # What Keras 2 asks of a callback: it gets tensors and not numbers, which would have to be waited for.
    _supports_tf_logs = True

    def __new__(
        cls,
        *,
        stop: bool = False,
        save: "Union[str, os.PathLike[str], None]" = None,
        every: Optional[int] = None,
        memory_gb: float = 2.0,
        quiet: bool = False,
    ) -> "NanGuard":
        """Return an object of a class that is a callback of Keras, too."""
        made: "NanGuard" = object.__new__(as_callback(cls))
        return made

    def __init__(
        self,
        *,
        stop: bool = False,
        save: "Union[str, os.PathLike[str], None]" = None,
        every: Optional[int] = None,
        memory_gb: float = 2.0,
        quiet: bool = False,
    ) -> None:
        super().__init__()
        if every is not None and (not isinstance(every, int) or every < 1):
            raise ValueError("every=%r: a number of steps from 1 on is expected" % (every,))
        if not memory_gb > 0:
            raise ValueError("memory_gb=%r: a number above 0 is expected" % (memory_gb,))
        self._save = _checked(save)
        self._stop, self._every, self._quiet = stop, every, quiet
        self._memory = int(memory_gb * 1e9)
        self._recorder: Any = None
        self._replay: Any = None
        self._gave_up = ""
        self.report: Optional[NanReport] = None

    def to_dict(self) -> Dict[str, Any]:
        """Return the report as plain data for JSON; empty if there is none."""
        return self.report.to_dict() if self.report is not None else {}

    def __str__(self) -> str:
        if self.report is not None:
            return str(self.report)
        return "devicekit: %s" % (self._gave_up or "no NaN or infinity was seen")

    def _repr_html_(self) -> str:
        return self.report._repr_html_() if self.report is not None else ""

    # What Keras calls.

    def set_model(self, model: Any) -> None:
        """Take the model. Keras 3 copies the state from JAX whenever a callback's ``model`` is asked for, so it is not."""
        self._watched = model

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to watch."""
        from .nan_recorder import NanRecorder

        self._end()
        training = training_of(self._watched)
        if not training.wraps:
            raise RuntimeError(
                "NanGuard needs TensorFlow 2, JAX or PyTorch, and this is TensorFlow 1. Use keras.callbacks.TerminateOnNaN "
                "here, and tf.add_check_numerics_ops() in a graph of yours to see which operation it is."
            )
        self.report, self._gave_up = None, ""
        fit = running_fit()
        if self._replay is None or self._replay.model is not self._watched:
            self._replay = replay_of(self._watched, training.framework)
        running = _running(self._watched)
        if running is not None:  # another guard watches this training: one copy of the state is enough
            running.listeners.append(self._found)
            running.saves.append(self._save)
            self._recorder = running
            return
        self._recorder = recorder = NanRecorder(self._replay, self._found, self._memory, self._every)
        recorder.saves.append(self._save)
        recorder.begin(fit.source, fit.validation)
        if fit.callbacks is not None and type(fit.callbacks).__name__ == "CallbackList":
            recorder.fit_end = FitEnd(fit.callbacks, self._lost)
        _wrap(self._watched, recorder)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Note the epoch."""
        self._recorder.at(epoch=epoch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Look at the losses that no step shows."""
        self._recorder.epoch_ends(logs)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Note the number of the batch."""
        self._recorder.at(batch=batch)

    def on_train_end(self, logs: Any = None) -> None:
        """Look a last time."""
        self._end()

    def _end(self) -> None:
        if self._recorder is not None:
            recorder = self._recorder
            recorder.end()
            _unwrap(self._watched, recorder)
            if self.report is None and recorder.unseen is not None:
                self._conclude(recorder, self._with_validation(recorder))
            self._gave_up, self._recorder = recorder.gave_up, None

    def _lost(self, how: str) -> None:
        if self._recorder is None:
            return
        if how == "gone":  # from anywhere: there no step can be repeated
            self._recorder.over = True
        else:
            self._recorder.interrupted()
        self._end()

    def _found(self, function: Any, window: Any) -> None:
        recorder = self._recorder
        record = recorder.record
        if record is None:  # no other guard of this training has looked
            saves = list(dict.fromkeys(filter(None, recorder.saves)))
            record = recorder.record = self._investigated(function, window, saves)
        if record.saved and self._save:
            record = record.replace(saved=self._save)
        self._conclude(recorder, record)

    def _conclude(self, recorder: Any, record: NanRecord) -> None:
        self.report = report = NanReport.of(record)
        if self._stop:
            self._watched.stop_training = True
        quiet = self._quiet or not speaks(os.environ)
        shown = not quiet and is_watched(sys.stderr)
        if shown and not recorder.shown:
            recorder.shown = True
            with lost_if_unheard():
                sys.stderr.write("%s\n" % report)
        notify(report.findings[0], DeviceWarning, quiet or shown)

    def _with_validation(self, recorder: Any) -> NanRecord:
        from .nan_replay import with_validation

        record: NanRecord = recorder.unseen
        if record.seen_in == VALIDATION:
            try:
                record = with_validation(record, self._replay, recorder.validation)
            except Exception as error:  # data of another kind
                log("debug", "the validation data cannot be read: %s", one_line(error))
        return record

    def _investigated(self, function: Any, window: Any, saves: Sequence[str]) -> NanRecord:
        from .nan_replay import investigate

        replay = self._replay
        try:
            return investigate(replay, function, window, saves)
        except Exception as error:  # a model's own code fails when it is repeated: the training must go on all the same
            problem = "The steps could not be repeated: %s" % one_line(error)
            return NanRecord(
                replay.framework, seen_in=window.seen_in, seen_step=window.seen_step, problem=problem[:500]
            )


def _checked(save: Any) -> Optional[str]:
    """Return the path of the file to save, or raise what is wrong with it: at the first NaN it would be too late."""
    if save is None:
        return None
    try:
        path = os.fspath(save)
    except TypeError:
        raise TypeError("save=%r: the path of a .npz file is expected" % (save,)) from None
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.basename(path) or not os.path.isdir(folder):
        raise ValueError("save=%r: a .npz file in a folder that exists is expected" % (save,))
    return str(path)


def _holder(model: Any) -> Tuple[Any, str]:
    """Return the object, and its attribute, that has the training function of Keras itself: others may wrap it."""
    holder, name = model, "train_function"
    while True:
        inner = getattr(getattr(holder, name, None), "__self__", None)
        if not hasattr(inner, "_wrapped"):
            return holder, name
        holder, name = inner, "_wrapped"


def _running(model: Any) -> Any:
    recorder = getattr(getattr(*_holder(model), None), "nan_recorder", None)
    return None if recorder is None or recorder.over else recorder


def _wrap(model: Any, recorder: Any) -> None:
    holder, name = _holder(model)
    function: Any = getattr(holder, name)
    if hasattr(function, "nan_recorder"):  # of a training that raised
        function = function.nan_recorder.function
    recorder.function = function

    def step(*arguments: Any) -> Any:
        return recorder.step(*arguments)

    step.__wrapped__ = function  # type: ignore[attr-defined]
    step.nan_recorder = recorder  # type: ignore[attr-defined]
    setattr(holder, name, step)


def _unwrap(model: Any, recorder: Any) -> None:
    recorder.over = True
    if recorder.fit_end is not None:
        recorder.fit_end.forget()
        recorder.fit_end = None
    holder, name = _holder(model)
    function = recorder.function
    if getattr(getattr(holder, name, None), "nan_recorder", None) is recorder:
        setattr(holder, name, function)
