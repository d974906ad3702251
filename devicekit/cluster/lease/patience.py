"""Waiting for one's turn: looking as often as is needed to be quick, and no more than that."""

import time
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from .waiting import Queue

__all__ = ["wait"]

#: How often to look whether something has changed, and whether a holder was killed, which changes nothing: the first ones in
#: the queue sooner.
_GLANCE_S = 0.05
_LOOK_S = 0.5
_FAR_LOOK_S = 2.0
_FRONT = 4


def wait(
    queue: Queue,
    keys: Sequence[str],
    count: int,
    records: Dict[str, Dict[str, Any]],
    timeout_s: Optional[float] = None,
    tell: Optional[Callable[[float], None]] = None,
    every_s: float = 1.0,
) -> Optional[Sequence[Tuple[str, Any]]]:
    """Return so many of these devices with their locks, None where they do not become free in time; see `Queue.attempt`.

    The place in the queue is kept until `Queue.leave`. ``tell`` is called with the seconds waited, at once when it is clear
    that there is a wait if ``every_s`` is short, and then every so many seconds.
    """
    start = time.monotonic()
    next_telling = start + (every_s if every_s > 1.0 else 0.0)
    while True:
        state = queue.state()
        taken = queue.attempt(keys, count, records)
        if taken is not None:
            return taken
        now = time.monotonic()
        if timeout_s is not None and now - start >= timeout_s:
            return None
        if tell is not None and now >= next_telling:
            next_telling = now + every_s
            tell(now - start)
        until = now + (_LOOK_S if queue.ahead < _FRONT else _FAR_LOOK_S)
        if timeout_s is not None:
            until = min(until, start + timeout_s)
        while time.monotonic() < until and 0 <= queue.state() - state < queue.changes_needed:
            time.sleep(min(_GLANCE_S, max(0.0, until - time.monotonic())))
