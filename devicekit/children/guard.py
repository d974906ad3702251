"""Runs the command below a guard, so that all that it starts ends with it, even where it is killed (Linux).

The process that was started waits for its child, the guard, which is in its own session, and the parent of the command and of
every orphan that this leaves. Whichever of the three is killed, or a whole process group: what is left ends the rest.
"""

import os
import select
import signal
import sys
import threading
import time
from typing import Set

from .foreground import end_as
from .process_tree import adopt, children, end_children
from .spawn import end_with_parent

#: Signals that are passed on to the command, unless they were sent to it as well: to the group, as by the keyboard.
_PASSED_ON = ("SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2")

#: Seconds in which a signal to the group reaches the command, too.
_TOGETHER_S = 0.2


def go_on_below_guard(patience_s: float) -> None:
    """Return in a new process, the command; this one waits for it, and ends as it does.

    ``patience_s``: seconds between asking the command to end, after this process was killed, and killing it.
    """
    if not sys.platform.startswith("linux") or signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        return
    if threading.active_count() > 1 or adopt(True) is None:
        return
    numbers: Set[int] = {signal.SIGCHLD, signal.SIGTERM}
    named = {getattr(signal, name) for name in _PASSED_ON}
    numbers |= {number for number in named if signal.getsignal(number) is not signal.SIG_IGN}
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    launcher, others = os.getpid(), set(children())  # as of a shell that has become this process
    heard, tells = os.pipe()  # which signals have reached the command
    try:
        guard = os.fork()
    except OSError:  # no process slot: without a guard, then
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    if guard:
        os.close(tells)
        _wait(guard, numbers, heard, others)
    os.close(heard)
    end_with_parent(signal.SIGTERM, launcher)()  # type: ignore[misc]
    adopt(True)
    guard = os.getpid()
    command = os.fork()
    if command:
        os.close(tells)
        os.setsid()
        _guard(command, numbers, launcher, patience_s)
    end_with_parent(signal.SIGKILL, guard)()  # type: ignore[misc]
    os.set_blocking(tells, False)
    signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(guard: int, numbers: Set[int], heard: int, others: Set[int]) -> None:
    """Pass signals on until the guard ends, and end as it does."""
    reached, passed = bytearray(), bytearray()
    while True:
        number = signal.sigwaitinfo(numbers).si_signo
        if number == signal.SIGCHLD:
            _end_with(guard, others)
        elif not _has_reached(number, heard, reached, passed):
            passed.append(number)
            os.kill(guard, number)


def _has_reached(number: int, heard: int, reached: bytearray, passed: bytearray) -> bool:
    """Return whether the command has got a signal, too, and not from here."""
    deadline = time.monotonic() + _TOGETHER_S
    while number not in reached:
        left = max(0.0, deadline - time.monotonic())
        part = os.read(heard, 512) if select.select([heard], [], [], left)[0] else b""
        if not part:
            return False
        for other in part:
            if other in passed:
                passed.remove(other)
            else:
                reached.append(other)
    reached.remove(number)
    return True


def _guard(command: int, numbers: Set[int], launcher: int, patience_s: float) -> None:
    """Pass signals on until the command ends, and end as it does; end it if the process that waits was killed."""
    kill_at = float("inf")
    while True:
        if os.getppid() != launcher and kill_at == float("inf"):
            kill_at = time.monotonic() + patience_s
            os.kill(command, signal.SIGTERM)
        info = signal.sigtimedwait(numbers, min(max(0.0, kill_at - time.monotonic()), 1000.0))
        if info is not None and info.si_signo == signal.SIGCHLD:
            _end_with(command, set())
        elif info is not None and os.getppid() == launcher:
            os.kill(command, info.si_signo)
        elif time.monotonic() >= kill_at:
            os.kill(command, signal.SIGKILL)
            kill_at += patience_s


def _end_with(child: int, others: Set[int]) -> None:
    """Where a child has ended, end what it has left, and then this process in the same way."""
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        end_children(others)
        returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        status = end_as(returncode)
        if returncode < 0:  # the signal waits
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {-returncode})
        os._exit(status)
