"""Holds known lines of this process back from standard error, also those that native code prints.

File descriptor 2 is a pipe meanwhile, which a small process reads. A thread of this process could wait for Python's lock while
the code that holds it waits for the pipe, and a crash would take along what is held back.
"""

import os
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import lost_if_unheard
from .process_tree import end_all, leave
from .scripts import python_command
from .spawn import CANNOT_START, CREATE_NEW_PROCESS_GROUP, TIMED_OUT, Process, spawn
from .stderr_filter_child import is_readable

#: How long to wait for the start of the process, which takes longer on Windows, and for its answer at the end.
_PATIENCE_S = 3.0 if os.name == "posix" else 10.0


class StderrFilter:
    """Context manager that holds known messages back; does nothing if there is no standard error, or no process for it.

    Everything else is passed on in order and unchanged. Afterwards the descriptor is what it was; processes that were started
    meanwhile may keep theirs. On Windows it does this for what uses the system's C library, as Python and the frameworks do.

    Parameters
    ----------
    forms : sequence of sequence of str
        The messages: of each a text that is in its first line, and regular expressions for its whole lines.

    Attributes
    ----------
    show : bool
        Whether to show at the end what was held back; so it is if the block raises.
    held : tuple of str
        The lines that were held back, when it has ended.
    """

    def __init__(self, forms: Sequence[Sequence[str]]) -> None:
        self.show = False
        self.held: Tuple[str, ...] = ()
        self._forms = tuple(tuple(form) for form in forms)
        self._mark = "\1devicekit %s " % os.urandom(8).hex()
        self._process: "Optional[Process[bytes]]" = None
        #: The real standard error, the pipe, and where the process answers, while it runs.
        self._open: List[int] = []
        #: This process, from when the descriptor is the pipe.
        self._owner: Optional[int] = None

    def __enter__(self) -> "StderrFilter":
        if self._forms and _is_possible():
            try:
                self._begin()
            except CANNOT_START:
                self._end()
            except BaseException:
                self._end()
                raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.show = self.show or kind is not None
        self._end()

    def _begin(self) -> None:
        self._open.append(os.dup(2))
        reading, writing = os.pipe()
        self._open.append(writing)
        try:
            answers, answering = os.pipe()
            self._open.append(answers)
            command = python_command(sys.executable, ("-I", "-S"), "children/stderr_filter_child.py")
            command += (self._mark, *("\n".join(form) for form in self._forms))
            # To write to a console of Windows it must be one of its processes; those of a new group get no Ctrl-C from it.
            options: Dict[str, Any] = {"creationflags": CREATE_NEW_PROCESS_GROUP} if _is_console(2) else {}
            try:
                self._process = spawn(
                    command, os.environ, stdin=reading, stdout=answering, stderr=self._open[0], **options
                )
            finally:
                os.close(answering)
        finally:
            os.close(reading)
        if self._answer() != b"ready":
            raise RuntimeError("the filter did not start")
        _flush()
        self._owner = os.getpid()
        _write_console_through(self._open[0])
        os.dup2(writing, 2)

    def _end(self) -> None:
        """Restore the descriptor, and let the process show or return what it holds."""
        try:
            if self._owner is not None:
                _flush()
                self._say_end()
        finally:
            # Unless the program has redirected it meanwhile.
            if self._owner is not None and _is_same(self._open[1], 2):
                os.dup2(self._open[0], 2)
                _write_console_through(2)
            elif self._owner is not None and _is_console(self._open[0]):
                self._open.pop(0)  # which Python's standard error still uses
        try:
            if self._process is not None and self._owner is None:
                end_all(self._process, None, 0.1)
            elif self._process is not None and self._owner == os.getpid():
                self.held = tuple(self._answer().decode("utf-8", "replace").splitlines())
        finally:
            for descriptor in self._open:
                os.close(descriptor)
            self._open = []
        if self._process is not None and self._owner == os.getpid():
            try:
                self._process.wait(0.5)
            except TIMED_OUT:  # a process that was started meanwhile still prints through it
                leave(self._process)

    def _say_end(self) -> None:
        if self._owner == os.getpid():  # and not in a process that was forked in the block
            try:
                os.write(self._open[1], ("%s%s\n" % (self._mark, "show" if self.show else "drop")).encode("ascii"))
            except OSError:  # it was killed
                pass

    def _answer(self) -> bytes:
        """Return what the process answers next, or the beginning of that if it does not end in time."""
        answers, found = self._open[2], b""
        deadline = time.monotonic() + _PATIENCE_S
        while not found.endswith(b"\0") and is_readable(answers, max(0.0, deadline - time.monotonic())):
            chunk = os.read(answers, 1 << 17)
            if not chunk:
                break
            found += chunk
        return found.rstrip(b"\0")


def _is_possible() -> bool:
    """Whether there is a standard error, and an interpreter for the process."""
    frozen = getattr(sys, "frozen", False)  # then `sys.executable` is the program itself
    return sys.__stderr__ is not None and bool(sys.executable) and not frozen


def _is_console(descriptor: int) -> bool:
    """Whether a descriptor is a console of Windows: `os.isatty` is true of NUL as well."""
    if sys.platform != "win32":
        return False
    import ctypes
    import msvcrt

    handle, mode = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor)), ctypes.c_uint32()
    return bool(ctypes.WinDLL("kernel32").GetConsoleMode(handle, ctypes.byref(mode)))


def _write_console_through(descriptor: int) -> None:
    """Let Python's standard error use another descriptor of the console of Windows, if that is where it writes.

    It gives its texts to the console itself, and fails where its descriptor has become a pipe. The object stays what it was:
    loggers hold it.
    """
    buffer = getattr(sys.__stderr__, "buffer", None)
    raw: Any = getattr(buffer, "raw", buffer)
    if type(raw).__name__ == "_WindowsConsoleIO":
        raw.__init__(descriptor, "wb", closefd=False)


def _is_same(one: int, other: int) -> bool:
    try:
        if sys.platform == "win32":  # pipes have no number there
            import ctypes
            import msvcrt

            handles = [ctypes.c_void_p(msvcrt.get_osfhandle(descriptor)) for descriptor in (one, other)]
            compare = getattr(ctypes.WinDLL("kernelbase"), "CompareObjectHandles", None)
            return compare is None or bool(compare(*handles))  # it is there from Windows 10 on
        return os.path.sameopenfile(one, other)
    except OSError:  # closed
        return False


def _flush() -> None:
    """Write out what Python has buffered, so that it goes where it was meant to."""
    with lost_if_unheard():
        sys.stderr.flush()
    if sys.platform == "win32":  # and what native code has: its standard error is not buffered on Windows, but by Wine
        import ctypes

        ctypes.CDLL("ucrtbase").fflush(None)
