"""Ends a process and all that it started, and leaves no zombie.

A process that leaves the child's session (a daemon) is out of reach of the session's signal. On Linux it is found by
what it inherited: a variable in the child's environment with a value of its own, which ``/proc/PID/environ`` shows for
every process of this user. A process that also replaces its environment by ``execve`` gets away; so does one that leaves
the session on macOS, and every grandchild on Windows.
"""

import os
import signal
import time
from typing import Iterable, List, Optional, Set

from .spawn import TIMED_OUT, Process

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


def end_all(process: "Process[bytes]", token: Optional[str], patience_s: float = PATIENCE_S) -> bool:
    """Kill a process and what it started; return whether it could be ended.

    ``token`` is its value of `TRIAL_MARK`, None if it has none: then what left its session is not looked for.
    """
    strays: Set[int] = set()
    if os.name == "posix":
        send(signal.SIGKILL, (process.pid,))
        if token is not None:
            strays = _end_marked("%s=%s" % (TRIAL_MARK, token), patience_s)
    elif process.poll() is None:
        process.kill()
    try:
        process.wait(patience_s)
    except TIMED_OUT:
        _unended.append(process)
        return False
    _reap(strays - {process.pid})
    return True


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
        names = os.listdir("/proc")
    except OSError:  # macOS, Windows
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
