"""Programs on a terminal of their own (POSIX)."""

import os
import sys

import pytest

pty = pytest.importorskip("pty")


def start_on_terminal(command, environ, columns=80):
    """Start a program on a new terminal; return its process number and the other end of the terminal."""
    import fcntl
    import struct
    import termios

    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvpe(command[0], list(command), environ)
    return pid, terminal


def read_to_end(terminal):
    """Return what is shown until all programs on a terminal have ended."""
    seen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux: they have ended
            part = b""
        if not part:
            os.close(terminal)
            return seen
        seen += part


def shown_on_terminal(command, environ=None, columns=80):
    """Run a program on a terminal; return its status, as `os.waitpid` gives it, and what it shows."""
    pid, terminal = start_on_terminal(command, dict(os.environ if environ is None else environ), columns)
    seen = read_to_end(terminal)
    return os.waitpid(pid, 0)[1], seen


def python(code):
    """Return the command that runs a program in this Python."""
    return [sys.executable, "-c", code]
