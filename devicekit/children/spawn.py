"""Starts processes: the only module that does. `process_tree` ends them, and `output` reads what they print."""

import errno
import os
import signal
import subprocess
import sys
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence

from ..errors import text_of

Process = subprocess.Popen

NULL, PIPE = subprocess.DEVNULL, subprocess.PIPE

#: On Windows.
CREATE_NEW_PROCESS_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)

#: No memory, no process slot, no descriptors, no thread, the interpreter is gone, this process is shutting down.
CANNOT_START = (OSError, ValueError, MemoryError, RuntimeError, subprocess.SubprocessError)

TIMED_OUT = subprocess.TimeoutExpired


def spawn(command: Sequence[str], variables: Mapping[str, str], **options: Any) -> "Process[bytes]":
    """Start a process in its own session and process group, so that all that it starts can be ended with it.

    The options are those of `subprocess.Popen`.

    Raises
    ------
    OSError, ValueError, MemoryError, RuntimeError, subprocess.SubprocessError
        If it cannot be started: `CANNOT_START`.
    """
    if os.name == "posix":
        options["start_new_session"] = True
    else:
        options.setdefault("creationflags", getattr(subprocess, "CREATE_NO_WINDOW", 0))
    return subprocess.Popen(list(command), env=dict(variables), close_fds=True, **options)


class ToolResult(NamedTuple):
    """What a system tool printed; ``status`` is None if it ran past its time limit."""

    status: Optional[int]
    stdout: str
    stderr: str


def spawn_here(command: Sequence[str], variables: Mapping[str, str], **options: Any) -> "Process[bytes]":
    """Start a command on the terminal of this process, in its process group. The options are those of `subprocess.Popen`.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    return subprocess.Popen(list(command), env=dict(variables), **options)


def end_with_parent(number: int = 9, parent: int = 0) -> Optional[Callable[[], None]]:
    """Return what lets the kernel kill a command where this process is killed, as if it were one (Linux).

    It is to be called in the new process; ``number`` is the signal, SIGKILL by default, and ``parent`` the process whose end
    counts, this one by default.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):  # a static interpreter
        return None
    parent = parent or os.getpid()

    def ask() -> None:
        prctl(1, int(number), 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it was killed before the kernel was asked
            os.kill(os.getpid(), number)

    return ask


def absolute_path() -> List[str]:
    """Return this process's module search path, for a child that must find the same modules.

    The folders of the program itself come last: a file typing.py or numpy.py in them is not what a framework imports.
    """
    try:
        cwd = os.getcwd()
    except OSError:  # the working folder was deleted: what was found there cannot be found again
        return [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]
    path = [os.path.join(cwd, entry) if entry else cwd for entry in sys.path if isinstance(entry, str)]
    script = os.path.dirname(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else cwd
    return list(dict.fromkeys(isolated(path, (cwd, script)) + path))


def isolated(path: Sequence[str], folders: Sequence[str]) -> List[str]:
    """Return a module search path without folders, except where the user has put them on it with PYTHONPATH."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    meant = {os.path.abspath(entry) for entry in named if entry}
    return [entry for entry in path if entry not in folders or entry in meant]


def why_not_started(error: BaseException) -> str:
    """Return why a process could not be started, for messages."""
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:  # Windows: "%1 is not a valid Win32 application"
        return "it is not a program of this system"
    return text_of(error) or type(error).__name__


def how_it_ended(status: Optional[int]) -> str:
    """Return how a process ended that gave no answer, for messages."""
    if os.name == "posix" and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # Then the system forgets how children ended, and Popen takes that for 0.
        return "it ended without an answer (how is not known, since this process ignores SIGCHLD)"
    if status is None:
        return "it ended without a status"
    if status < 0:
        try:
            return "it was ended by signal %s" % signal.Signals(-status).name
        except ValueError:
            return "it was ended by signal %d" % -status
    if status > 255:  # Windows ends a process with the code of its exception, such as 0xC0000005
        return "it was ended by exception 0x%08X" % status
    return "it ended with status %d and no answer" % status
