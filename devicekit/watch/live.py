"""What `Monitor` shows while it trains: a line on a terminal, a table in a notebook, scalars for TensorBoard.

All of it is what the recorder has anyway, at most once a second.
"""

import os
import sys
from time import perf_counter
from typing import Any, Optional

from ..children.progress import Progress, in_notebook, is_watched
from .event_file import EventFile
from .recorder import Recorder
from .result import LiveFigures

#: Seconds between two looks; and of the time, at most one part in so many goes into showing.
_PAUSE_S, _RARE = 1.0, 200


class LiveView:
    """Shows what a recorder measured last.

    Parameters
    ----------
    recorder : Recorder
        Of the training.
    shown : bool
        Whether a line or a table is shown, if a person can see it.
    events : EventFile or None
        Where the scalars go.
    below : bool
        Whether Keras rewrites a line of progress of its own.
    """

    def __init__(self, recorder: Recorder, shown: bool, events: Optional[EventFile], below: bool) -> None:
        self._recorder, self._events = recorder, events
        self._table: Optional[_Table] = None
        self._line: Optional[Progress] = None
        if shown and in_notebook(sys.stderr):
            self._table = _Table()
        elif shown and is_watched(sys.stderr):
            # Windows' older consoles cannot move the cursor up.
            self._line = Progress("the first steps", below=below and os.name != "nt")
            self._line.__enter__()
        # Before Keras writes anything, which a table would cut in two, and before the first step: it imports what shows it.
        figures = LiveFigures(recorder.recent())
        if self._table is not None:
            self._table.show(figures)
        elif self._line is not None:
            str(figures)
        self._seen = 0
        self._look_at = perf_counter() + _PAUSE_S

    def look(self) -> None:
        """Show the figures, if it is time."""
        started = perf_counter()
        if started < self._look_at:
            return
        self._show()
        took = perf_counter() - started
        self._recorder.charge(took)
        self._look_at = started + max(_PAUSE_S, _RARE * took)

    def _show(self) -> None:
        figures = LiveFigures(self._recorder.recent())
        self._seen = figures.record.steps
        if self._line is not None:
            self._line.say(str(figures))
        if self._table is not None:
            self._table.show(figures)
        if self._events is not None:
            self._events.write(figures.record.steps, figures.scalars())

    def hide(self) -> None:
        """Take the line away until the next look: Keras is about to write a line."""
        if self._line is not None:
            self._line.hide()

    def close(self) -> None:
        """Show the last figures, and end."""
        if self._line is not None:
            self._line.__exit__()
            self._line = None
        if self._recorder.steps > self._seen:
            self._show()
        if self._events is not None:
            self._events.close()


class _Table:
    """A table in the cell that trains, which is replaced by the next one."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, figures: LiveFigures) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(figures, display_id=True)
        else:
            self._handle.update(figures)
