"""Ends a child and all that it started, and leaves no zombie.

A process that leaves the child's session (a daemon) is out of reach of the session's signal. On Linux it is found by
what it inherited: the child's environment has a variable `MARK` with a value of its own, and ``/proc/PID/environ``
shows that for every process of this user. A process that also replaces its environment by ``execve`` gets away; so does
one that leaves the session on macOS, and every grandchild on Windows.
"""

import os
import signal
import subprocess
import time
from typing import List, Set

__all__ = ["MARK", "ask_where", "end_all"]

#: Set in a trial's environment; also tells `devicekit.auto`, should a framework's import call it, not to try again.
MARK = "DEVICEKIT_TRIAL"

#: A process that ignores SIGKILL sits in the kernel, as with a driver that does not answer: it is left there.
_PATIENCE_S = 5.0


def ask_where(process: "subprocess.Popen[bytes]") -> None:
    """Let a child that hangs print where: `child` has a handler for this signal that needs no help from Python."""
    if os.name == "posix":
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)


def end_all(process: "subprocess.Popen[bytes]", token: str) -> bool:
    """Kill the child and what it started; return whether the child could be ended."""
    found: Set[int] = set()
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # everybody has ended already
            pass
        _end_marked(("%s=%s" % (MARK, token)).encode("ascii"), found)
    elif process.poll() is None:
        process.kill()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        return False
    _reap(found - {process.pid})
    return True


def _end_marked(mark: bytes, found: Set[int]) -> None:
    """Kill all that carry the mark until there are none: one that forks all the time needs more than one round."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        marked = _marked(mark)
        for pid in marked:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # it has ended, or has become somebody else's
                pass
        found.update(marked)
        if not marked or time.monotonic() > deadline:
            return
        time.sleep(0.01)


def _marked(mark: bytes) -> List[int]:
    found: List[int] = []
    try:
        names = os.listdir("/proc")
    except OSError:  # macOS
        return found
    for name in names:
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as stream:
                variables = stream.read()
        except OSError:  # it has ended, or is another user's
            continue
        if mark in variables:
            found.append(int(name))
    return found


def _reap(pids: Set[int]) -> None:
    """Collect those that have become this process's children: it may be process 1 of a container."""
    deadline = time.monotonic() + 1.0
    for pid in pids:
        while time.monotonic() < deadline:
            try:
                if os.waitpid(pid, os.WNOHANG)[0] == pid:
                    break
            except OSError:  # somebody else's, as a rule
                break
            time.sleep(0.01)
