"""Reads what a child prints and keeps a bounded part of it: a child may print a gigabyte."""

import os
import threading

__all__ = ["Reader"]

#: The cause often stands in the first lines, the error in the last.
_HEAD_BYTES = 16 << 10
_TAIL_BYTES = 64 << 10


class Reader:
    """Reads a pipe to its end in a thread; keeps its beginning and its end. Closes the pipe when it is done.

    Parameters
    ----------
    descriptor : int
        The end of the pipe to read from; owned from now on.

    Raises
    ------
    RuntimeError
        Where no thread can be started; the pipe is closed then, too.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._head = b""
        self._tail = b""
        self._after_head = 0
        self._thread = threading.Thread(target=self._read, name="devicekit-trial", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            os.close(descriptor)
            raise

    def _read(self) -> None:
        try:
            while True:
                chunk = os.read(self._descriptor, 1 << 16)
                if not chunk:
                    return
                room = _HEAD_BYTES - len(self._head)
                if room > 0:
                    self._head, chunk = self._head + chunk[:room], chunk[room:]
                self._after_head += len(chunk)
                self._tail = (self._tail + chunk)[-_TAIL_BYTES:]
        except OSError:  # a pipe that cannot be read any more has ended
            return
        finally:
            os.close(self._descriptor)

    def join(self) -> None:
        """Wait for the end, but not for a process that could not be ended and holds the pipe open."""
        self._thread.join(2.0)

    def text(self) -> str:
        """Return what was kept."""
        left_out = self._after_head - len(self._tail)
        middle = b"\n... %d bytes left out ...\n" % left_out if left_out > 0 else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")
