"""Free ports on this machine."""

import random
import socket
from typing import List

#: Below the ports that systems give to outgoing connections (Linux: from 32768 on), so that no process is given one of these
#: between now and when the process that it is for listens on it.
FIRST, LAST = 12000, 32000


def free_ports(count: int) -> List[int]:
    """Return ports on which no process of this machine listens, different ones each time.

    Raise OSError if there are too few.
    """
    found: List[int] = []
    held: List[socket.socket] = []
    try:
        for port in random.SystemRandom().sample(range(FIRST, LAST), min(LAST - FIRST, 200 + 20 * count)):
            if len(found) == count:
                break
            # Of all addresses: a server that listens on one of them is in the way as well.
            trial = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                trial.bind(("", port))
            except OSError:
                trial.close()
                continue
            held.append(trial)  # until all are found, so that none is found twice
            found.append(port)
    finally:
        for trial in held:
            trial.close()
    if len(found) < count:
        raise OSError("no %d free ports between %d and %d" % (count, FIRST, LAST))
    return found
