"""A progress line, shown after the first second, rewritten each second, and erased at the end."""

import os
import sys
import threading
import time
from typing import Any, List

from ..errors import foreign_code, printable
from .locks import ForkSafeLock

#: Those that are shown, the innermost last: only that one is drawn.
_shown: "List[Progress]" = []


class Progress:
    """Context manager that shows what is waited for, and for how long.

    Only a person sees the line: standard error must be a terminal, or the output of a notebook's cell. ``below``: it is on the
    row below the current one, which another line of progress rewrites.
    """

    def __init__(self, what: str, quiet: bool = False, below: bool = False) -> None:
        self._what = what
        # The other one begins with a carriage return: the cursor need not be back in its column.
        self._before, self._after = ("\n\r", "\x1b[A\r") if below else ("\r", "")
        self._hidden = False
        self._stream = None if quiet or not is_watched(sys.stderr) else sys.stderr
        self._started = time.monotonic()
        self._line, self._length = "", 0
        self._lock = ForkSafeLock()
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._run, name="devicekit-progress", daemon=True)

    def __enter__(self) -> "Progress":
        if self._stream is not None:
            for other in _shown:
                other._erase()
            _shown.append(self)
            try:
                self._clock.start()
            except RuntimeError:  # no thread can be started: then only `tick` draws
                pass
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._clock.is_alive():
            self._clock.join(1.0)
        if self in _shown:
            _shown.remove(self)
        self._erase()

    def _run(self) -> None:
        while not self._ended.wait(1.0):
            self.tick()

    def say(self, what: str) -> None:
        """Wait for something else from now on; the seconds go on."""
        with self._lock:
            changed, self._what, self._hidden = what != self._what, what, False
        if changed and self._length:
            self.tick()

    def hide(self) -> None:
        """Erase the line until something else is said: others are about to write."""
        with self._lock:
            self._hidden = True
        self._erase()

    def tick(self) -> None:
        """Show the line with the seconds so far, from the first second on; called each second as it is."""
        with self._lock:
            seconds = time.monotonic() - self._started
            if self._stream is None or self._ended.is_set() or seconds < 1.0 or self._hidden:
                return
            if _shown and _shown[-1] is not self:
                return
            end = " ... %d s" % seconds
            line = _encodable("devicekit: " + printable(self._what), self._stream)
            line = _cut(line, _columns(self._stream) - len(end) - 1) + end
            if line != self._line:
                width, self._line = _width(line), line
                self._write(self._before + line + " " * (self._length - width) + self._after)
                self._length = width

    def _erase(self) -> None:
        with self._lock:
            if self._length:
                self._write(self._before + " " * self._length + (self._after or "\r"))
                self._line, self._length = "", 0

    def _write(self, text: str) -> None:
        try:
            assert self._stream is not None
            with foreign_code():
                self._stream.write(text)
                self._stream.flush()
        except Exception:  # the terminal is gone, the stream was closed, or is an object of the program's
            self._stream, self._length = None, 0


def in_notebook(stream: Any) -> bool:
    """Return whether a stream is the output of a notebook's cell."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"


def is_watched(stream: Any) -> bool:
    """Return whether a person sees what is written: a terminal, or the output of a notebook's cell."""
    if in_notebook(stream):
        return True
    try:
        with foreign_code():
            return bool(stream.isatty())
    except Exception:  # none at all, a closed one, or an object of the program's, which may raise anything
        return False


def _encodable(text: str, stream: Any) -> str:
    """Return a text in the characters that a stream has."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def _columns(stream: Any) -> int:
    try:
        with foreign_code():
            return os.get_terminal_size(stream.fileno()).columns or 80
    except Exception:  # a notebook, or an object of the program's
        return 80


def _width(text: str) -> int:
    """Return the number of columns that a text takes."""
    if all(item < "\u0300" for item in text):
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(item) else 2 if east_asian_width(item) in "WF" else 1 for item in text)


def _cut(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into a number of columns."""
    if _width(text) <= columns:
        return text
    while text and _width(text) > columns - 3:
        text = text[:-1]
    return text.rstrip() + "..."
