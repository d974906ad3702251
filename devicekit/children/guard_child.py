"""Ends the workers of a launcher that was killed. Run by its path, isolated.

It reads lines from standard input: ``+PID`` for each worker, which leads a process group, ``-PID`` when that has ended,
and ``done``. If the input ends without ``done``, the launcher is gone: the workers are asked to end (SIGTERM), and killed
after a while. What left its group is found by the mark that all have inherited in their environment (Linux, where `guard`
ends what has left that, too).
"""

import os
import signal
import sys
import time

# The types are comments: this file is also run alone.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Set  # noqa: F401


def main(mark, grace_s):  # type: (str, float) -> None
    """Wait for the launcher's end."""
    # Last, so that nothing next to the package hides a module of the standard library.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from devicekit.children.process_tree import send

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
    send(signal.SIGTERM, groups, mark)
    while time.monotonic() < deadline and send(0, groups if os.name == "posix" else set(), mark):
        time.sleep(0.1)
    send(kill, groups, mark)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
