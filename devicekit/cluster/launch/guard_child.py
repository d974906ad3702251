"""Ends the workers of a launcher that was killed. Run by its path, imported for `marked`.

It reads lines from standard input: ``+PID`` for each worker, which leads a process group, ``-PID`` when that has ended, and
``done``. Where the input
ends without ``done``, the launcher is gone: the workers are asked to end (SIGTERM), and killed after a while. What left
its group is found by the mark that all have inherited in their environment (Linux).
"""

import os
import signal
import sys
import time

#: Set for each worker; the value is the launcher's own.
MARK = "DEVICEKIT_LAUNCH"

# The types are comments: this file is also run alone.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Set  # noqa: F401


def marked(token):  # type: (str) -> List[int]
    """Return the processes of this user whose environment carries the mark."""
    mark = ("%s=%s\0" % (MARK, token)).encode("ascii")
    found = []  # type: List[int]
    try:
        names = os.listdir("/proc")
    except OSError:  # macOS, Windows
        return found
    for name in names:
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open("/proc/%s/environ" % name, "rb") as stream:
                    if mark in stream.read() + b"\0":
                        found.append(int(name))
            except OSError:  # it has ended, or is another user's
                pass
    return found


def send(number, groups, token=""):  # type: (int, Set[int], str) -> bool
    """Send a signal to groups, and to what carries the mark; return whether anybody was there."""
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
    for pid in marked(token) if token else ():
        try:
            os.kill(pid, number)
            reached = True
        except OSError:
            pass
    return reached


def main(token, grace_s):  # type: (str, float) -> None
    """Wait for the launcher's end."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups = set()  # type: Set[int]
    for line in sys.stdin.buffer:
        if line.strip() == b"done":
            return
        (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    send(signal.SIGTERM, groups, token)
    while time.monotonic() < deadline and send(0, groups if os.name == "posix" else set(), token):
        time.sleep(0.1)
    send(kill, groups, token)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
