"""`Monitor`: a Keras callback that ends with why a training is slow."""

import atexit
import os
import sys
from typing import Any, Dict, Optional, Union

from ..children.progress import is_watched
from ..errors import DeviceWarning, FallbackWarning, lost_if_unheard, notify
from .keras_callback import as_callback, keep_exit_status, speaks
from .nan_guard import NanGuard
from .recorder import Recorder
from .result import MonitorReport


class Monitor:
    """Watches `model.fit`, and says at the end whether it is slow and why: ``model.fit(x, y, callbacks=[Monitor()])``.

    For Keras 3 on TensorFlow, JAX and PyTorch, tf.keras 2 and 1.15. It measures each step, and splits the time of some, which
    it synchronizes with the device, into waiting for the batch and computing; where variables and results are; the compiled
    versions of the step; processors and their quota; and of GPUs of NVIDIA and AMD load, clocks, power and other processes.

    At the end of the training, also after Ctrl-C and when something raises, the report is written to standard error if that is
    a terminal or a notebook; otherwise each finding is a `DeviceWarning`. The log ``devicekit`` has them in any case.
    Of several processes that train together only the first one writes and warns.

    Parameters
    ----------
    live : bool
        Whether to show the figures while it trains, about once a second: a line on a terminal, a table in a notebook.
    tensorboard : str, os.PathLike or None
        A folder to write them to as scalars for TensorBoard, whatever the framework and without TensorBoard being installed.
        In its folder ``devicekit``; None: not written.
    nan : bool
        Whether to look for the first NaN as well, as a `NanGuard` does: its finding is said at once, and is in the report.
    quiet : bool
        Whether to write no report and to give no warnings; `report` has everything.

    Attributes
    ----------
    report : MonitorReport or None
        What was measured, and the findings: so far while it trains. None before the first training.

    Examples
    --------
    >>> monitor = devicekit.Monitor()                                          # doctest: +SKIP
    >>> model.fit(x, y, callbacks=[monitor])                                   # doctest: +SKIP
    >>> [finding.code for finding in monitor.report.findings]                  # doctest: +SKIP
    ['input-bound']
    """

    # What Keras 2 asks of a callback: it gets tensors and not numbers, which would have to be waited for.
    _supports_tf_logs = True

    def __new__(
        cls,
        *,
        live: bool = False,
        tensorboard: "Union[str, os.PathLike[str], None]" = None,
        nan: bool = False,
        quiet: bool = False,
    ) -> "Monitor":
        """Return an object of a class that is a callback of Keras, too."""
        made: "Monitor" = object.__new__(as_callback(cls))
        return made

    def __init__(
        self,
        *,
        live: bool = False,
        tensorboard: "Union[str, os.PathLike[str], None]" = None,
        nan: bool = False,
        quiet: bool = False,
    ) -> None:
        super().__init__()
        self._quiet = quiet
        self._shown = live
        self._events: Any = None
        self._live: Any = None
        if tensorboard is not None:
            from .live import EventFile

            self._events = EventFile(tensorboard)
        # It is handed on what Keras calls; another guard in the list of callbacks shares its copy of the state.
        self._guard: Any = NanGuard(quiet=quiet) if nan else None
        self._recorder: Optional[Recorder] = None
        self._final: Optional[MonitorReport] = None

    @property
    def report(self) -> Optional[MonitorReport]:
        """What was measured, and the findings."""
        if self._recorder is not None and self._final is None:
            self._recorder.look()
        if self._recorder is None or self._final is not None:
            return self._final
        return self._concluded()

    def _concluded(self) -> MonitorReport:
        return MonitorReport.of(self._recording().record(), self._guard.report if self._guard is not None else None)

    def to_dict(self) -> Dict[str, Any]:
        """Return the report as plain data for JSON; empty before the first training."""
        report = self.report
        return report.to_dict() if report is not None else {}

    def __str__(self) -> str:
        report = self.report
        return str(report) if report is not None else "devicekit: nothing was trained with this monitor yet"

    def _repr_html_(self) -> str:
        report = self.report
        return report._repr_html_() if report is not None else ""

    # What Keras calls.

    def set_model(self, model: Any) -> None:
        """Take the model. Keras 3 copies the state from JAX whenever a callback's ``model`` is asked for, so it is not."""
        self._watched = model
        if self._guard is not None:
            self._guard.set_model(model)

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to watch."""
        self._finish("interrupted")  # an earlier training that raised outside of its steps
        if self._guard is not None:  # it says first what it has seen
            self._guard.on_train_begin(logs)
        # Of several processes that train together, the first one shows what all of them do.
        shown, events = (self._shown, self._events) if speaks(os.environ) else (False, None)
        if events is not None:
            events.open()
        self._recorder, self._final = Recorder(self._watched, self._finish), None
        self._recorder.begin()
        atexit.register(self._at_exit)
        if shown or events is not None:
            from .live import LiveView

            bar = (getattr(self, "params", None) or {}).get("verbose") in (1, "auto")
            self._live = LiveView(self._recorder, shown, events, bar)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Leave out what is between epochs."""
        self._recording().pause()
        if self._guard is not None:
            self._guard.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Let Keras write the epoch's line."""
        if self._live is not None:
            self._live.hide()
        if self._guard is not None:
            self._guard.on_epoch_end(epoch, logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """Leave out a validation."""
        if self._recorder is not None:
            self._recorder.pause()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Take the time."""
        if self._guard is not None:
            self._guard.on_train_batch_begin(batch, logs)
        self._recording().batch_begins()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Take the time."""
        self._recording().batch_ends(logs)
        if self._live is not None:
            self._live.look()

    def on_train_end(self, logs: Any = None) -> None:
        """Conclude."""
        if self._guard is not None:
            self._guard.on_train_end(logs)
        self._finish("finished")

    def _recording(self) -> Recorder:
        assert self._recorder is not None  # Keras begins with on_train_begin
        return self._recorder

    def _at_exit(self) -> None:
        self._finish("interrupted")
        keep_exit_status()

    def _finish(self, how: str) -> None:
        if self._recorder is None or self._final is not None:
            return
        atexit.unregister(self._at_exit)
        self._recorder.end(how)
        if self._live is not None:
            self._live.close()
            self._live = None
        self._final = report = self._concluded()
        quiet = self._quiet or not speaks(os.environ)
        shown = not quiet and is_watched(sys.stderr)
        if shown:
            with lost_if_unheard():
                sys.stderr.write("%s\n" % report)
        for finding in report.findings:
            family = FallbackWarning if finding.code == "device-unused" else DeviceWarning
            notify(finding, family, quiet or shown or finding.severity == "info")
