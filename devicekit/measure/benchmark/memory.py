"""How much memory a process has used at most, if the framework does not count it: on the CPU."""

import sys
from typing import Optional


def peak_of_process() -> Optional[int]:
    """Return the largest amount of physical memory that this process has held, in bytes; None if that is not told.

    All of it counts: the interpreter and the framework's libraries (some 300 to 700 MB), the model, and the data. On
    Linux it is ``VmHWM`` of ``/proc/self/status``: what ``getrusage`` says there begins with the peak of the process that
    started this one.
    """
    if sys.platform == "win32":
        return None
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/self/status", encoding="ascii", errors="replace") as stream:
                lines = [line.split() for line in stream if line.startswith("VmHWM:")]
        except OSError:  # some sandboxes have no /proc
            return None
        return int(lines[0][1]) * 1024 if lines else None
    import resource

    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024
