"""Runs a command on the terminal of this process, passes its output on unchanged, and lets a listener read along."""

import os
import signal
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, Sequence

from .spawn import PIPE, TIMED_OUT, Process, spawn_here

_PART_BYTES = 1 << 16

#: Seconds in which output still comes after the command has ended, from what it has left behind.
_LAST_WORDS_S = 0.5


def run_listening(
    command: Sequence[str], variables: Mapping[str, str], listen: Callable[[bytes], None], handles: Sequence[int] = ()
) -> int:
    """Run a command, and return its exit status, or minus the number of the signal that ended it.

    Parameters
    ----------
    command : sequence of str
    variables : mapping
        Its environment.
    listen : callable
        Gets all that it prints on its standard streams, after it was passed on, in parts of at most 64 KiB. On Windows what
        goes to a console is not heard: there the command has the console itself.
    handles : sequence of int
        File descriptors that it inherits, under other numbers (POSIX).

    Raises
    ------
    OSError
        If it cannot be started.
    """
    if os.name == "posix":
        from .foreground_posix import PosixRun

        run = PosixRun(listen)
        try:
            return run.until_it_ends(command, variables, handles)
        finally:
            run.close()
    return _run_on_windows(command, variables, listen)


def _run_on_windows(command: Sequence[str], variables: Mapping[str, str], listen: Callable[[bytes], None]) -> int:
    outer = {"stdout": sys.stdout, "stderr": sys.stderr}
    heard: Dict[str, Any] = {
        name: stream for name, stream in outer.items() if stream is not None and not stream.isatty()
    }
    process = spawn_here(command, variables, bufsize=0, **dict.fromkeys(heard, PIPE))
    threads: List[threading.Thread] = []
    for name, stream in heard.items():
        arguments = (getattr(process, name), stream, listen)
        threads.append(threading.Thread(target=_pass_on, args=arguments, name="devicekit-pass", daemon=True))
        threads[-1].start()
    status = _wait(process)
    for thread in threads:
        thread.join(_LAST_WORDS_S)
    return status


def _wait(process: "Process[bytes]") -> int:
    while True:
        try:
            return process.wait(0.5)  # not for ever: Ctrl-C does not wake who waits
        except TIMED_OUT:
            continue
        except KeyboardInterrupt:  # the console has sent it to the command as well, which decides
            continue


def _pass_on(pipe: Any, stream: Any, listen: Callable[[bytes], None]) -> None:
    with pipe:
        while True:
            part = os.read(pipe.fileno(), _PART_BYTES)
            if not part:
                return
            try:
                stream.buffer.write(part)
                stream.buffer.flush()
            except (OSError, ValueError):  # gone or full: the command learns it when it writes next
                return
            listen(part)


def end_as(status: int) -> int:
    """End this process by the signal that has ended a command, or return the command's status."""
    if status >= 0 or os.name != "posix":
        return status
    import resource

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # The memory dump of the command is of use, not that of this process.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        signal.signal(-status, signal.SIG_DFL)
    except (OSError, ValueError):  # SIGKILL has no handler
        pass
    os.kill(os.getpid(), -status)
    return 128 - status
