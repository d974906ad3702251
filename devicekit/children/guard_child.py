"""Ends the workers of a launcher that was killed. Run by its path, isolated.

It reads lines from standard input: ``+PID`` for each worker, which leads a process group, ``-PID`` when that has ended,
and ``done``. If the input ends without ``done``, the launcher is gone: the workers are asked to end (SIGTERM), and killed
after a while. What left its group is found by the mark that all have inherited in their environment, and as a descendant of
the launcher at the last look, whatever its session and environment (both Linux).
"""

import os
import select
import signal
import sys
import time

# The types are comments: this file is also run alone.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Set  # noqa: F401

#: How often to look what has descended from the launcher: less often where that takes more than a hundredth of the time.
_LOOK_S = 0.5


def main(mark, grace_s, launcher):  # type: (str, float, int) -> None
    """Wait for the launcher's end."""
    # Last, so that nothing next to the package hides a module of the standard library.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from devicekit.children.process_tree import end_processes, send

    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups, followed = set(), set()  # type: Set[int], Set[tuple[int, int]]
    for line in _lines(launcher, followed):
        if line.strip() == b"done":
            return
        (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    send(signal.SIGTERM, groups, mark)
    while time.monotonic() < deadline and send(0, groups if os.name == "posix" else set(), mark):
        time.sleep(0.1)
    send(kill, groups, mark)
    end_processes(followed)


def _lines(launcher, followed):  # type: (int, Set[tuple[int, int]]) -> Iterator[bytes]
    """Yield what the launcher says, and note its descendants meanwhile."""
    from devicekit.children.process_tree import descendants

    said, pause_s = b"", _LOOK_S
    while True:
        if os.name == "posix" and not select.select([0], [], [], pause_s)[0]:
            started = time.process_time()
            found = descendants(launcher)
            if os.getppid() == launcher:  # else it has ended before or during the look, and what it had is elsewhere
                followed.clear()
                followed.update(found)
            pause_s = max(_LOOK_S, 100 * (time.process_time() - started))
            continue
        chunk = os.read(0, 1 << 12)
        if not chunk:
            return
        *lines, said = (said + chunk).split(b"\n")
        for line in lines:
            yield line


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
