"""Programs on a terminal of their own (POSIX)."""

import os
import sys


def start_on_terminal(command, environ):
    """Start a program as the first on a new terminal, whose keys reach it; return its number and the terminal's other end.

    When such a program ends, Linux throws away what was printed and not yet read.
    """
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], list(command), environ)
    return pid, terminal


def shown_on_terminal(command, environ=None, columns=80):
    """Run a program on a terminal that belongs to no session; return its status and what it shows."""
    import fcntl
    import pty
    import struct
    import subprocess
    import termios

    terminal, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        command, env=environ, stdin=program, stdout=program, stderr=program, start_new_session=True
    )
    os.close(program)
    seen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux: all have ended
            part = b""
        if not part:
            break
        seen += part
    os.close(terminal)
    return process.wait(), seen


def python(code):
    """Return the command that runs a program in this Python."""
    return [sys.executable, "-c", code]
