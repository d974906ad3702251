"""A progress line in the terminal, shown after the first second and erased at the end."""

import sys
import time
from typing import Any


class Progress:
    """Context manager; call `tick` about once a second while waiting.

    Only a person sees the line: standard error must be a terminal, or the output of a notebook's cell.
    """

    def __init__(self, what: str, quiet: bool = False) -> None:
        self._what = what
        self._stream = None if quiet or not _is_watched(sys.stderr) else sys.stderr
        self._started = time.monotonic()
        self._length = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._length:
            self._write("\r%s\r" % (" " * self._length))

    def say(self, what: str) -> None:
        """Wait for something else from now on; the seconds go on."""
        self._what = what

    def tick(self) -> None:
        """Show the line with the seconds so far, from the first second on."""
        seconds = time.monotonic() - self._started
        if self._stream is not None and seconds >= 1.0:
            line = "devicekit: %s ... %d s" % (self._what, seconds)
            self._length = max(self._length, len(line))
            self._write("\r" + line.ljust(self._length))

    def _write(self, text: str) -> None:
        try:
            assert self._stream is not None
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone, or the stream was closed
            self._stream, self._length = None, 0


def _is_watched(stream: Any) -> bool:
    if type(stream).__module__.partition(".")[0] == "ipykernel":
        return True
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # none at all, a user's own class, or a closed one
        return False
