"""What every verb prints: text for this terminal, or JSON. Nothing else in the command writes to a standard stream."""

import errno
import io
import json
import os
import re
import shutil
import sys
import time
from typing import Any, Callable, Optional

from ..errors import DevicekitError, is_without_reader, printable
from ..report.terminal import Style
from ..runtime.settings import read_settings

#: Begins the colors of `terminal_style` until they are printed. The number is another one in each process, so that no text of
#: others has it, nor is taken for a color.
_ESCAPE = "\033%x" % id(object())
_COLOR = re.compile(_ESCAPE + "(\\[[0-9;]+m)")

#: The exit status after Ctrl-C, as a shell reports it (128 and the number of SIGINT).
INTERRUPTED = 130


def show(as_json: bool, record: Any, text: Callable[[Any, Style], str]) -> None:
    """Print a record as JSON, or as the text that ``text`` makes of it."""
    if as_json:
        print_json(record.to_dict())
    else:
        print_text(text(record, terminal_style()))


def print_json(data: Any) -> None:
    """Print plain data as JSON."""
    print_text(json.dumps(data, indent=1) + "\n")


def print_text(text: str) -> None:
    """Print text on standard output; characters that it cannot encode become question marks.

    Raises
    ------
    StreamError
        If it is closed or full; BrokenPipeError if its reader has seen enough.
    """
    try:
        sys.stdout.write(_safe(sys.stdout, text))
    except OSError as error:
        raise unwritable(error) from error


def unwritable(error: OSError) -> Exception:
    """Return what to raise where standard output could not be written: BrokenPipeError, or StreamError with the reason."""
    if is_without_reader(error):
        return BrokenPipeError(errno.EPIPE, "its reader has ended")
    return StreamError("standard output cannot be written: %s" % (error.strerror or error))


def print_error(text: str) -> None:
    """Print text on standard error at once; if that is not possible, no one can be told."""
    try:
        sys.stderr.write(_safe(sys.stderr, text))
        sys.stderr.flush()
    except (OSError, ValueError):
        discard(sys.stderr)


def print_message(text: str) -> None:
    """Print a message of the command on standard error."""
    print_error("devicekit: %s\n" % text)


def print_note(text: str) -> None:
    """Print a message that can be left out, as ``--quiet`` asks."""
    if not read_settings().quiet:
        print_message(text)


def _safe(stream: Any, text: str) -> str:
    """Return a text in which only devicekit's own colors are control characters, and those on a terminal only."""
    escape = ("\033%s" if stream.isatty() else "%.0s").__mod__
    parts = enumerate(_COLOR.split(text))
    text = "".join(escape(part) if number % 2 else printable(part, lines=True) for number, part in parts)
    encoding = getattr(stream, "encoding", None) or "ascii"
    return text.encode(encoding, "replace").decode(encoding)


class StreamError(DevicekitError):
    """Standard output is closed, or cannot take what is printed."""


class _Closed(io.TextIOBase):
    """Stands for a standard stream that was closed before this process began; Python has None then."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = self

    def _fail(self, *_: Any) -> Any:
        raise OSError(errno.EBADF, "it is closed")

    read = readline = write = _fail


def open_streams() -> None:
    """Let every standard stream be one: a closed one is None, and its number is given to the next file that is opened."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Takes the lowest free number: this one. Commands do not inherit it: the stream is closed for them as well.
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _Closed())


def discard(stream: Any) -> None:
    """Let what is left in the buffer of a stream go nowhere: Python would fail to write it when it ends."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):  # it is not a file
        pass


def check_writable(path: str) -> None:
    """Raise DevicekitError if a file cannot be written, before hours of work; one that is not there is created."""
    try:
        open(path, "ab").close()
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def cannot_write(path: str, error: Exception) -> DevicekitError:
    """Return the error of a file that could not be written."""
    return DevicekitError("%s cannot be written: %s" % (path, getattr(error, "strerror", None) or error))


def write_text(path: str, text: str) -> None:
    """Write a text file whole or not at all; raise DevicekitError if that is not possible."""
    from ..runtime.scratch import replace_file

    try:
        replace_file(path, text.replace("\n", os.linesep).encode("utf-8"))
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def terminal_style(stream: Any = None) -> Style:
    """Return the width of the terminal, and whether a stream (standard output) shows colors and characters beyond ASCII."""
    stream = sys.stdout if stream is None else stream
    terminal = stream.isatty()
    color = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if color and os.name == "nt":
        # Windows consoles before 10 have no ANSI colors; the newer ones set one of these variables.
        color = any(name in os.environ for name in ("WT_SESSION", "ANSICON", "ConEmuANSI", "TERM_PROGRAM"))
    encoding = (getattr(stream, "encoding", None) or "ascii").lower()
    columns = shutil.get_terminal_size((100, 24)).columns
    return Style(width=max(40, min(columns, 120)), color=color, unicode="utf" in encoding, escape=_ESCAPE)


def check_drawing(path: Optional[str]) -> None:
    """Raise DevicekitError without matplotlib, before minutes are spent on what a page with drawings shows."""
    if path is not None:
        from ..report.figures.drawing import require_matplotlib

        require_matplotlib()


def made_now() -> str:
    """Return the date and time as they are shown on a page."""
    return time.strftime("%d %B %Y, %H:%M")


def write_record(path: str, record: Any) -> None:
    """Write the page of a record."""
    from ..report.rendering import record_page

    write_page(path, record_page(record, made=made_now()))


def write_page(path: str, html: str) -> None:
    """Write a page as UTF-8, whole or not at all; raise DevicekitError with the file and the cause."""
    from ..runtime.scratch import replace_file

    content = html.encode("utf-8")
    try:
        replace_file(path, content)
    except (OSError, ValueError) as error:  # a ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise DevicekitError("cannot write the page to %r: %s" % (path, reason)) from error
