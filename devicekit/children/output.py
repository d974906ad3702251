"""Reads what a child prints, in threads, within bounds: a child may print a gigabyte."""

import os
import threading
from typing import Any, Callable, Dict, List, Optional

from ..errors import DevicekitError
from ..records import parse_json
from .child import PROTOCOL

#: The cause is often in the first lines, the error in the last.
_HEAD_BYTES = 16 << 10
_TAIL_BYTES = 64 << 10

#: Results of measurements have up to some megabytes; a longer line is skipped.
_LONGEST_LINE_BYTES = 16 << 20

#: More than any child answers, in all: one that prints so much is not ours, and is ended.
_MOST_BYTES = 256 << 20
_MOST_LINES = 100000
MOST_ANSWER_BYTES = 64 << 20
#: The same of another interpreter, which is whatever the user names: it says where its files are, and whether devices work.
FOREIGN_ANSWER_BYTES = 1 << 20

#: Of a tool of the system: the kernel's log, and a list of packages, have some megabytes.
MOST_TEXT_BYTES = 32 << 20

#: Read at once: what a pipe holds on Linux (``pipe(7)``).
PART_BYTES = 1 << 16

#: How long to wait for the end of a pipe that a process which could not be ended still holds.
_JOIN_S = 2.0


def not_written(error: OSError) -> DevicekitError:
    """Return what to raise where a command's output was lost, which it has not learned if all of it fits into a pipe."""
    return DevicekitError("what the command has printed could not be written: %s" % error.strerror)


class Reader:
    """Reads a pipe to its end in a thread, and closes it.

    Parameters
    ----------
    descriptor : int
        The end of the pipe to read from; owned from now on.

    Raises
    ------
    RuntimeError
        If no thread can be started; the pipe is closed then, too.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._thread = threading.Thread(target=self._read, name="devicekit-child", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            os.close(descriptor)
            raise

    def _read(self) -> None:
        try:
            while True:
                chunk = os.read(self._descriptor, PART_BYTES)
                if not chunk:
                    return
                self.take(chunk)
        except OSError:  # a pipe that cannot be read any more has ended
            return
        finally:
            os.close(self._descriptor)

    def take(self, chunk: bytes) -> None:
        """Process what was read."""
        raise NotImplementedError

    def join(self, timeout_s: float = _JOIN_S) -> bool:
        """Wait for the end of the pipe; return whether it was reached."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()


class BoundedText(Reader):
    """Keeps the beginning and the end of what is printed."""

    def __init__(self, descriptor: int) -> None:
        self._head = b""
        self._tail = b""
        self._after_head = 0
        super().__init__(descriptor)

    def take(self, chunk: bytes) -> None:
        room = _HEAD_BYTES - len(self._head)
        if room > 0:
            self._head, chunk = self._head + chunk[:room], chunk[room:]
        self._after_head += len(chunk)
        self._tail = (self._tail + chunk)[-_TAIL_BYTES:]

    def text(self) -> str:
        """Return what was kept."""
        left_out = self._after_head - len(self._tail)
        middle = b"\n... %d bytes left out ...\n" % left_out if left_out > 0 else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")


class WholeText(Reader):
    """Keeps all that is printed, up to a limit; what prints more finds its pipe closed, which ends it as a rule."""

    def __init__(self, descriptor: int) -> None:
        self._parts: List[bytes] = []
        self._bytes = 0
        self.too_much = False
        super().__init__(descriptor)

    def take(self, chunk: bytes) -> None:
        self._bytes += len(chunk)
        if self._bytes > MOST_TEXT_BYTES:
            self._parts, self.too_much = [], True
            raise OSError("too much")
        self._parts.append(chunk)

    def text(self) -> str:
        """Return what was printed."""
        return b"".join(self._parts).decode("utf-8", "replace")


class Messages(Reader):
    """Collects the JSON lines of the protocol and passes on what a child says; skips everything else.

    Parameters
    ----------
    descriptor : int
        See `Reader`.
    on_message : callable or None
        Called in the thread with what the child says; see `failure`.
    most_bytes : int
        Of all lines that may be of the protocol.
    """

    def __init__(
        self,
        descriptor: int,
        on_message: Optional[Callable[[Dict[str, Any]], None]] = None,
        most_bytes: int = MOST_ANSWER_BYTES,
    ) -> None:
        self.messages: List[Dict[str, Any]] = []
        #: What `on_message` raised; it belongs to the thread that waits.
        self.failure: Optional[BaseException] = None
        self._on_message = on_message
        self._most_bytes = most_bytes
        self._longest_bytes = min(_LONGEST_LINE_BYTES, most_bytes)
        self._line: List[bytes] = []
        self._line_bytes = 0
        self._bytes = self._message_bytes = self._lines = 0
        #: Whether it printed more than any child does; the rest is dropped.
        self.too_much = False
        super().__init__(descriptor)

    def take(self, chunk: bytes) -> None:
        self._bytes += len(chunk)
        if self._bytes > _MOST_BYTES or self._message_bytes > self._most_bytes or self._lines > _MOST_LINES:
            self.too_much = True
        if self.too_much:
            return
        *ended, rest = chunk.split(b"\n")
        self._lines += len(ended)
        for part in ended:
            self._add(part)
            if self._line_bytes <= self._longest_bytes:
                self._parse(b"".join(self._line))
            self._line, self._line_bytes = [], 0
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._line_bytes += len(part)
        if self._line_bytes <= self._longest_bytes:
            self._line.append(part)
        else:
            self._line = []

    def _parse(self, line: bytes) -> None:
        if not line.startswith(b"{"):
            return
        # Also of what is not the child's in the end: it takes time and memory to find out.
        self._message_bytes += len(line)
        try:
            message = parse_json(line)
        except ValueError:  # not the child's
            return
        if not isinstance(message, dict) or message.pop("protocol", None) != PROTOCOL:
            return
        self.messages.append(message)
        said = message.get("say")
        if self._on_message is not None and isinstance(said, dict) and self.failure is None:
            try:
                self._on_message(said)
            except BaseException as error:
                self.failure = error
