"""Passes on what a process prints, line by line, with the name of the process before each line."""

import errno
import io
import os
import sys
import threading
import time
from typing import IO, Any, Dict, Optional

from ...children.foreground import write_through
from ...children.locks import ForkSafeLock

#: A longer line is passed on in parts, each on a line of its own: memory must not grow with it.
LONGEST_LINE_BYTES = 1 << 20

#: Lines of different processes do not mix.
_lock = ForkSafeLock()

#: Streams that take nothing any more, and why: "" if the reader has seen enough (head).
_gone: Dict[str, str] = {}


def lost_output() -> str:
    """Return why lines were lost that someone waits for, "" if none were."""
    with _lock:
        return "; ".join("%s cannot be written: %s" % pair for pair in sorted(_gone.items()) if pair[1])


class Passer:
    """Reads an unbuffered pipe in its own thread until it ends, and writes each line, after a prefix, to stdout or stderr."""

    def __init__(self, pipe: Optional[IO[bytes]], stream: str, prefix: str) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._stream = stream
        self._prefix = prefix.encode("utf-8", "replace")
        self._thread = threading.Thread(target=self._pass_on, name="devicekit-pass", daemon=True)
        self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait until all is passed on, or that many seconds: another process may hold the pipe open."""
        self._thread.join(timeout_s)

    def _pass_on(self) -> None:
        rest = b""
        with self._pipe:
            while True:
                try:
                    part = os.read(self._pipe.fileno(), 1 << 16)
                except OSError:
                    part = b""
                if not part:
                    break
                lines = (rest + part).split(b"\n") if b"\n" in part else [rest + part]
                rest = lines.pop()
                while len(rest) >= LONGEST_LINE_BYTES:
                    lines.append(rest[:LONGEST_LINE_BYTES])
                    rest = rest[LONGEST_LINE_BYTES:]
                if lines:
                    self._write(b"".join(self._prefix + line + b"\n" for line in lines))
        if rest:
            self._write(self._prefix + rest + b"\n")

    def _write(self, data: bytes) -> None:
        with _lock:
            if self._stream in _gone:
                return
            try:
                stream: Any = getattr(sys, self._stream)
                stream.flush()
                if os.name == "posix":
                    _write_all(stream.fileno(), data)
                else:  # a console of Windows takes bytes of UTF-8 from Python only
                    write_through(stream, data)
            except (OSError, ValueError, AttributeError) as error:  # the work goes on
                _gone[self._stream] = _why(error)


def _why(error: Exception) -> str:
    # Windows calls a pipe without a reader an invalid argument.
    if isinstance(error, BrokenPipeError) or (os.name == "nt" and getattr(error, "errno", None) == errno.EINVAL):
        return ""
    closed = isinstance(error, (io.UnsupportedOperation, AttributeError))
    return "it is closed" if closed else getattr(error, "strerror", None) or str(error)


def _write_all(descriptor: int, data: bytes) -> None:
    """Write without a buffer, in which a reader that has gone would leave something to fail with at the end."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # the output is a pipe that does not block
            time.sleep(0.01)
