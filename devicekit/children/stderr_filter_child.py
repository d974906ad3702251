"""Passes lines on to standard error and holds known ones back. Run by its path, isolated.

The first argument is the mark, which begins the line that ends the filter. The others are the known messages: a text that
is in the first line, and a pattern for each line. ``ready`` goes to standard output first. After the mark comes ``drop`` or
``show``: what was held back goes to standard output, or to standard error as well; each answer ends with a null byte. From
there on everything is passed on, for processes that have inherited the pipe. A pipe that ends without a mark is that of a
crash: what was held back is shown.
"""

import os
import select
import sys
import time

#: Longer lines, and more than this in all, are not held back.
_MOST_BYTES = 1 << 16

#: How long to wait for the end of a line: it may be a prompt, or a progress bar.
_PATIENCE_S = 0.2

# The types are comments: this file is also run alone.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Sequence  # noqa: F401


class Filter:
    """Holds known messages back."""

    def __init__(self, forms, mark):  # type: (Sequence[Sequence[str]], bytes) -> None
        self._forms = [[line.encode("utf-8") for line in form] for form in forms]
        self._mark = mark
        self._following = []  # type: List[bytes]
        self._rest = b""
        self._begun = False
        self.held = b""
        #: What follows the mark, None before it.
        self.end = None  # type: bytes | None

    def take(self, data):  # type: (bytes) -> bytes
        """Return what is to be passed on of what came in."""
        shown = []
        *lines, self._rest = (self._rest + data).split(b"\n")  # not by splitlines: progress bars have carriage returns
        lines = [line + b"\n" for line in lines]
        for number, line in enumerate(lines):
            before, found, after = line.partition(self._mark)
            if found:
                self.end = after.strip()
                shown += [before] + lines[number + 1 :] + [self.flush()]
                break
            if self._begun or not self._is_known(line):
                shown.append(line)
            else:
                self.held += line
            self._begun = False
        if len(self._rest) > _MOST_BYTES:
            shown.append(self.flush())
        return b"".join(shown)

    def waits(self):  # type: () -> bool
        """Return whether a line has not ended yet."""
        return bool(self._rest)

    def flush(self):  # type: () -> bytes
        """Return the beginning of a line whose end does not come."""
        self._begun = self._begun or bool(self._rest)
        shown, self._rest = self._rest, b""
        return shown

    def _is_known(self, line):  # type: (bytes) -> bool
        if len(self.held) + len(line) > _MOST_BYTES:
            return False
        if self._following and _matches(self._following[0], line):
            self._following = self._following[1:]
            return True
        self._following = []
        for has, first, *following in self._forms:
            if has in line and _matches(first, line):
                self._following = following
                return True
        return False


def _matches(pattern, line):  # type: (bytes, bytes) -> bool
    import re  # half of the time that this process takes: only if it is needed

    return re.match(pattern + b"\\n", line) is not None


if sys.platform == "win32":

    def is_readable(descriptor, timeout_s):  # type: (int, float) -> bool
        """Return whether a pipe has something to read, or has ended, within a time: Windows has no call that waits for it."""
        import _winapi
        import msvcrt

        deadline = time.monotonic() + timeout_s
        while True:
            try:
                if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]:
                    return True
            except OSError:  # it has ended
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.005)

else:

    def is_readable(descriptor, timeout_s):  # type: (int, float) -> bool
        """Return whether a pipe has something to read, or has ended, within a time."""
        poll = select.poll()  # unlike select it takes every number
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(1000 * timeout_s))


def write(data):  # type: (bytes) -> None
    """Write to standard error, which may be a terminal that takes no more for now."""
    while data:
        try:
            data = data[os.write(2, data) :]
        except BlockingIOError:
            select.select([], [2], [], 1.0)
        except OSError:  # its reader has gone: the pipe is still emptied, so that no process waits
            return


def main(mark, *forms):  # type: (str, str) -> None
    """Filter until the pipe ends."""
    if sys.platform == "win32":  # Ctrl-Break reaches every process of the console
        import signal

        signal.signal(signal.SIGBREAK, signal.SIG_IGN)
    lines = Filter([form.split("\n") for form in forms], mark.encode("ascii"))
    os.write(1, b"ready\0")
    while lines.end is None:
        if lines.waits() and not is_readable(0, _PATIENCE_S):
            write(lines.flush())
            continue
        data = os.read(0, 1 << 16)
        if not data:
            write(lines.held + lines.flush())
            return
        write(lines.take(data))
    if lines.end == b"show":
        write(lines.held)
    os.write(1, lines.held + b"\0")
    while True:
        data = os.read(0, 1 << 16)
        if not data:
            return
        write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
