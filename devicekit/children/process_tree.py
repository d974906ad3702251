"""Ends a process and all that it started, and leaves no zombie.

A process that leaves the child's session (a daemon) is out of reach of the session's signal. On Linux it is found by
what it inherited: a variable in the child's environment with a value of its own, which ``/proc/PID/environ`` shows for
every process of this user. One that also replaces its environment by ``execve`` is found by the command alone (`adopting`).
It gets away elsewhere; so does one that leaves the session on macOS. On Windows all that the child starts is in one job.
"""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import Iterable, Iterator, List, Optional, Set

from .spawn import TIMED_OUT, Process
from .windows_job import end_job

#: Set in a child's environment; also tells `devicekit.auto`, should a framework's import call it, not to try again.
TRIAL_MARK = "DEVICEKIT_TRIAL"
#: Set for each worker of a launcher; the value is the launcher's own.
LAUNCH_MARK = "DEVICEKIT_LAUNCH"

#: A process that ignores SIGKILL waits in the kernel, as for a driver that does not answer: it is left there.
PATIENCE_S = 5.0

#: Processes that the system could not end: held, so that Python neither waits for them nor warns of them.
_unended: "List[Process[bytes]]" = []


def ask_where(process: "Process[bytes]") -> None:
    """Let a child that hangs print where: `child` has a handler for this signal that needs no help from Python."""
    if os.name == "posix":
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)


def end_all(process: "Process[bytes]", token: Optional[str], patience_s: float = PATIENCE_S, job: int = 0) -> bool:
    """Kill a process and what it started; return whether it could be ended.

    ``token`` is its value of `TRIAL_MARK`, None if it has none: then what left its session is not looked for. ``job`` is what
    `windows_job.start_in_job` returned for it.
    """
    strays: Set[int] = set()
    if os.name == "posix":
        send(signal.SIGKILL, (process.pid,))
        if token is not None:
            strays = _end_marked("%s=%s" % (TRIAL_MARK, token), patience_s)
    else:
        if job:
            end_job(job)
        if process.poll() is None:
            process.kill()
    try:
        process.wait(patience_s)
    except TIMED_OUT:
        leave(process)
        return False
    _reap(strays - {process.pid})
    return True


def leave(process: "Process[bytes]") -> None:
    """Let a process end by itself, without a warning of Python's."""
    _unended.append(process)


@contextmanager
def adopting() -> Iterator[None]:
    """End, at its end, what the processes started meanwhile leave behind, whatever session or environment that has (Linux).

    For the command only: this process becomes the parent of orphans, and every other child of it would be ended as well; and
    what asks this process to end is what Ctrl-C is. After one within another, the outer one still adopts.
    """
    outer = adopt(True)
    before = set(children()) if outer is not None else None
    try:
        with _interruptible():
            yield
    finally:
        if before is not None:
            end_children(before)
        if outer is False:
            adopt(False)


def end_children(before: Set[int]) -> None:
    """Kill this process's children except those before, and what becomes one when its parent is gone."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        left = set(children()) - before
        if not left:
            break
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
            except OSError:  # it has ended
                pass
        time.sleep(0.005)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let the signals that end a process be what Ctrl-C is, except those that it ignores, as under ``nohup``."""

    def interrupt(number: int, frame: Optional[object]) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        numbers = []
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def adopt(on: bool) -> Optional[bool]:
    """Let orphans become children of this process, or not; return whether they did before, None if that is not possible."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        prctl, before = ctypes.CDLL(None).prctl, ctypes.c_int()
        # PR_GET_CHILD_SUBREAPER, PR_SET_CHILD_SUBREAPER
        failed = prctl(37, ctypes.byref(before), 0, 0, 0) or prctl(36, int(on), 0, 0, 0)
    except (ImportError, OSError, AttributeError):  # a static interpreter
        return None
    return None if failed else bool(before.value)


def children() -> List[int]:
    """Return the children of this process (Linux)."""
    found = []
    try:
        names = os.listdir("/proc")
    except OSError:  # not mounted
        names = []
    for name in names:
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, "rb") as stream:
                    # "1234 (any name) S 1 ...": the parent follows the state.
                    if int(stream.read().rpartition(b")")[2].split()[1]) == os.getpid():
                        found.append(int(name))
            except (OSError, IndexError):  # it has ended
                continue
    return found


def send(number: int, groups: Iterable[int], mark: str = "") -> bool:
    """Send a signal to process groups, and to what carries a mark; return whether any process was reached."""
    reached = False
    for group in groups:
        try:
            if hasattr(os, "killpg"):
                os.killpg(group, number)
            else:
                os.kill(group, signal.SIGTERM)  # on Windows that is TerminateProcess
            reached = True
        except (OSError, ValueError):  # it has ended
            pass
    for pid in marked_processes(mark) if mark else ():
        try:
            os.kill(pid, number)
            reached = True
        except OSError:  # it has ended, or its number has become another user's
            pass
    return reached


def marked_processes(mark: str) -> List[int]:
    """Return the processes of this user that have ``NAME=VALUE`` in their environment (Linux)."""
    expected = mark.encode("ascii") + b"\0"
    found: List[int] = []
    try:
        names = os.listdir("/proc") if sys.platform.startswith("linux") else []
    except OSError:  # not mounted
        return found
    for name in names:
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open("/proc/%s/environ" % name, "rb") as stream:
                    if expected in stream.read() + b"\0":
                        found.append(int(name))
            except OSError:  # it has ended, or is another user's
                continue
    return found


def _end_marked(mark: str, patience_s: float) -> Set[int]:
    """Kill all that carry the mark until there are none: one that forks all the time needs more than one round."""
    deadline = time.monotonic() + patience_s
    killed: Set[int] = set()
    while True:
        marked = marked_processes(mark)
        for pid in marked:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # it has ended, or its number has become another user's
                pass
        killed.update(marked)
        if not marked or time.monotonic() > deadline:
            return killed
        time.sleep(0.01)


def _reap(pids: Set[int]) -> None:
    """Collect those that have become this process's children: it may be process 1 of a container."""
    deadline = time.monotonic() + 1.0
    for pid in pids:
        while time.monotonic() < deadline:
            try:
                if os.waitpid(pid, os.WNOHANG)[0] == pid:
                    break
            except OSError:  # another process's child, as a rule
                break
            time.sleep(0.01)
