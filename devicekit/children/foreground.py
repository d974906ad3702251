"""Runs a command on the terminal of this process, passes its output on unchanged, and lets a listener read along."""

import errno
import os
import shutil
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from ..errors import is_without_reader
from .output import PART_BYTES, not_written
from .spawn import PIPE, TIMED_OUT, Process
from .watcher import Usage, Watcher
from .windows_job import end_job, processes_of_job, start_in_job, usage_of_job

#: Seconds in which the last output still comes after the command and all that it started have ended.
_LAST_WORDS_S = 0.5


def run_listening(
    command: Sequence[str],
    variables: Mapping[str, str],
    listen: Callable[[bytes], None],
    handles: Sequence[int] = (),
    on_rest: Callable[[int], None] = lambda number: None,
    watcher: Optional[Watcher] = None,
) -> int:
    """Run a command, and return its exit status, or minus the number of the signal that ended it.

    A standard stream that was closed when this process began is closed for the command as well (POSIX). On Windows a program
    without a window has none, and lets others print: what the command prints is heard, and goes nowhere.

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
    on_rest : callable
        Windows: called with the number of processes that the command has left behind, if any. These are waited for, since no
        lock is inherited there; Ctrl-C ends them.
    watcher : Watcher or None
        Looks at it in the pauses of its output.

    Raises
    ------
    OSError
        If it cannot be started.
    DevicekitError
        If a command that succeeds has printed what could not be written, as on a full disk.
    """
    watcher = watcher or Watcher()
    try:
        if os.name == "posix":
            from .foreground_posix import PosixRun

            run = PosixRun(listen, watcher)
            try:
                return run.until_it_ends(command, variables, handles)
            finally:
                run.close()
        return _run_on_windows(command, variables, listen, on_rest, watcher)
    finally:
        watcher.end(Usage())  # if it could not be started


def _run_on_windows(
    command: Sequence[str],
    variables: Mapping[str, str],
    listen: Callable[[bytes], None],
    on_rest: Callable[[int], None],
    watcher: Watcher,
) -> int:
    # Windows itself would look next to this interpreter before PATH, which is another Python than that of an active
    # environment, and would find no script such as conda.bat.
    program = shutil.which(command[0], path=variables.get("PATH")) or command[0]
    outer = {"stdout": sys.stdout, "stderr": sys.stderr}
    heard: Dict[str, Any] = {
        name: stream for name, stream in outer.items() if stream is not None and not stream.isatty()
    }
    options: Dict[str, Any] = dict(dict.fromkeys(heard, PIPE), bufsize=0, creationflags=0)
    lost: List[OSError] = []
    with _without_break():
        # It ends with this process, which has the lease.
        process, job = start_in_job([program, *command[1:]], variables, may_leave=True, **options)
        try:
            threads: List[threading.Thread] = []
            for name, stream in heard.items():
                arguments = (getattr(process, name), stream, listen, lost)
                threads.append(threading.Thread(target=_pass_on, args=arguments, name="devicekit-pass", daemon=True))
                threads[-1].start()
            watcher.begin(process.pid, job)
            status = _wait(process, watcher)
            _wait_for_rest(job, on_rest)
            watcher.end(Usage(*usage_of_job(job)))
        finally:
            end_job(job)
    for thread in threads:
        thread.join(_LAST_WORDS_S)
    if lost and status == 0:
        raise not_written(lost[0])
    return status


@contextmanager
def _without_break() -> Iterator[None]:
    """Leave Ctrl-Break to the command, as Ctrl-C; by default it would end this process at once."""
    number = getattr(signal, "SIGBREAK", None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(number, before)


def _wait_for_rest(job: int, on_rest: Callable[[int], None]) -> None:
    left = processes_of_job(job)
    if left:
        on_rest(len(left))
    try:
        while processes_of_job(job):
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass


def _wait(process: "Process[bytes]", watcher: Watcher) -> int:
    while True:
        try:
            pause_s = watcher.look()
            return process.wait(
                0.5 if pause_s is None else min(0.5, pause_s)
            )  # not for ever: Ctrl-C does not wake who waits
        except TIMED_OUT:
            continue
        except KeyboardInterrupt:  # the console has sent it to the command as well, which decides
            continue


def _pass_on(pipe: Any, stream: Any, listen: Callable[[bytes], None], lost: List[OSError]) -> None:
    with pipe:
        while True:
            part = os.read(pipe.fileno(), PART_BYTES)
            if not part:
                return
            try:
                write_through(stream, part)
            except ValueError:
                return
            except OSError as error:  # gone or full: the command learns it when it writes next
                if error.errno != errno.EBADF:  # that of a stream that was closed from the beginning
                    lost += [] if is_without_reader(error) else [error]
                    return
            listen(part)


def write_through(stream: Any, data: bytes) -> None:
    """Write bytes to a text stream past its buffer, where a reader that has gone would leave something to fail with later."""
    stream.flush()
    write, rest = getattr(stream.buffer, "raw", stream.buffer).write, memoryview(data)
    while rest:
        rest = rest[write(rest) :]


def end_as(status: int) -> int:
    """End this process by the signal that has ended a command, or return the command's status."""
    if status >= 0 or os.name != "posix":
        # Windows ends a process with the code of its exception, such as 0xC0000005; sys.exit takes signed numbers.
        return status - (1 << 32) if status >= 1 << 31 else status
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
