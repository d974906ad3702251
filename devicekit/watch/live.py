"""What `Monitor` shows while it trains: a line on a terminal, a table in a notebook, scalars for TensorBoard.

All of it is what the recorder has anyway, at most once a second.

Scalars are written without TensorBoard or TensorFlow: neither is there everywhere, nor imported unasked. The file is a
sequence of records, each framed as TensorFlow's ``TFRecordWriter`` does, of the protocol buffer ``Event``
(tensorflow/core/util/event.proto), of which this writes the time, the step and ``summary.value`` with ``tag`` and
``simple_value``.
"""

import os
import struct
import sys
import time
from time import perf_counter
from typing import Any, List, Mapping, Optional

from ..children.progress import Progress, in_notebook, is_watched
from ..errors import DevicekitError, log
from .recorder import Recorder
from .result import LiveFigures

#: Folder and file of TensorBoard's "run": other writers' files in one folder would hide each other.
_RUN = "devicekit"


def _table() -> List[int]:
    found = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        found.append(value)
    return found


_CRC = _table()


def crc32c(data: bytes) -> int:
    """Return the checksum of Castagnoli.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    value = 0xFFFFFFFF
    for byte in data:
        value = _CRC[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def framed(data: bytes) -> bytes:
    """Return a record as it is in a file: its length and its bytes, each with a checksum."""

    def masked(part: bytes) -> bytes:
        value = crc32c(part)
        return struct.pack("<I", (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def _varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found, value = found + bytes([value & 0x7F | 0x80]), value >> 7
    return found + bytes([value])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def event(wall_s: float, step: int, scalars: Mapping[str, float]) -> bytes:
    """Return an ``Event`` with scalars; without any, the one that a file begins with."""
    data = b"\x09" + struct.pack("<d", wall_s)
    if not scalars:
        return data + _field(3, b"brain.Event:2")
    values = [
        _field(1, _field(1, tag.encode("utf-8")) + b"\x15" + struct.pack("<f", value)) for tag, value in scalars.items()
    ]
    return data + b"\x10" + _varint(step) + _field(5, b"".join(values))


class EventFile:
    """The file of one `Monitor`; trainings that follow each other continue its steps.

    Parameters
    ----------
    folder : str or os.PathLike
        A folder of this machine; it is made if it does not exist.

    Raises
    ------
    TypeError, ValueError
        If it is not the path of such a folder.
    """

    def __init__(self, folder: Any) -> None:
        try:
            path = os.fspath(folder)
        except TypeError:
            path = None
        if not isinstance(path, str):
            raise TypeError("tensorboard=%r: the path of a folder is expected" % (folder,))
        if not path or "://" in path or "\0" in path:
            text = "tensorboard=%r: a folder of this machine is expected; copy it elsewhere after the training" % path
            raise ValueError(text)
        self._folder = os.path.join(os.path.abspath(path), _RUN)
        self._name = ""
        self._stream: Any = None
        self._before = self._last = 0

    def open(self) -> None:
        """Begin, or continue: the steps to come are counted from the last one on.

        Raises DevicekitError if nothing can be written there.
        """
        self._before = self._last
        begin = not self._name
        self._name = self._name or "events.out.tfevents.%010d.devicekit.%d" % (time.time(), os.getpid())
        try:
            os.makedirs(self._folder, exist_ok=True)
            self._stream = open(os.path.join(self._folder, self._name), "ab")  # noqa: SIM115 - open while it trains
            if begin:
                self._append(event(time.time(), 0, {}))
        except OSError as error:
            self._name = ""
            raise DevicekitError(
                "tensorboard=: cannot write to %s: %s" % (self._folder, error.strerror or error)
            ) from error

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        """Add scalars of a step. A disk that is full ends this, and not the training."""
        if self._stream is None or not scalars:
            return
        self._last = self._before + step
        try:
            self._append(event(time.time(), self._last, scalars))
        except OSError as error:
            log("warning", "no more scalars are written for TensorBoard: %s", error)
            self.close()

    def _append(self, data: bytes) -> None:
        self._stream.write(framed(data))
        self._stream.flush()

    def close(self) -> None:
        """End, until the next `open`."""
        stream, self._stream = self._stream, None
        if stream is not None:
            try:
                stream.close()
            except OSError:  # what could not be written before
                pass

    def __getstate__(self) -> Any:
        # A copy, also one in another process, writes its own file.
        return dict(vars(self), _stream=None, _name="")


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
