"""Trains one model in this process, block by block, whenever the process that started it says so: the body of a worker.

Two such workers, one with a setting and one without, take turns, so that both meet the same machine.
"""

import os
import time
from typing import Any, Callable, Dict, List, Tuple

from ..benchmark.child import DEFAULTS, loop_for, prepare, set_up
from ..benchmark.taking_steps import still_warming

Say = Callable[..., None]

#: How often an order is looked for: far less than a block takes, and no work worth speaking of.
_POLL_S = 0.002

#: Steps of the warm-up at most, if they do not get faster any more.
_MOST_WARMUP = 30


def take_turns(task: Dict[str, Any], say: Say) -> Dict[str, Any]:
    """Train when told to, until told to stop.

    Parameters
    ----------
    task : dict
        As for `devicekit.measure.benchmark.child.measure`; also ``folder``, where orders are left, ``warmup_s`` and
        ``block_s``, the seconds of the warm-up (at most) and of a block (at least, in whole steps).
    say : callable
        Told ``stage="ready"`` once, then for each block its steps and seconds, and for a check what it found.

    Notes
    -----
    Orders are files that are put in place whole: ``block``, ``check`` or ``controls`` (see
    `devicekit.measure.tuning.check_child`), ``stop``.
    """
    task = dict(DEFAULTS, **task)
    selection, keras = set_up(task, say)
    framework = selection.framework or "none"
    say(stage="build")
    network, job, unit = prepare(keras, task)
    loop = loop_for(framework)(keras, network, job)
    say(stage="warm-up")
    step_s = _warm_up(loop, float(task["warmup_s"]))
    say(stage="ready", step_s=step_s, batch_size=job.batch_size, unit=unit, xla=loop.xla, device=selection.device)
    number = 0
    while True:
        order = _next_order(task["folder"], number)
        if order == "block":
            steps, seconds = _block(loop, float(task["block_s"]), step_s)
            say(stage="block", steps=steps, seconds=seconds)
        elif order in ("check", "controls"):
            from .check_child import train

            say(stage="check", **train(keras, framework, task, controls=order == "controls"))
        else:
            return {"blocks": number}
        number += 1


def _warm_up(loop: Any, most_s: float) -> float:
    """Take steps until they do not get faster any more; return the seconds of the last ones."""
    began = time.perf_counter()
    taken: List[float] = []
    while len(taken) < 3 or (still_warming(taken) and len(taken) < _MOST_WARMUP):
        before = time.perf_counter()
        loop.step()
        taken.append(time.perf_counter() - before)
        if time.perf_counter() - began > most_s and len(taken) >= 2:
            break
    return min(taken[1:])


def _block(loop: Any, least_s: float, step_s: float) -> Tuple[int, float]:
    """Return how many steps were taken, and in how many seconds."""
    if step_s < least_s / 5:
        loop.step()  # wakes the threads and fills the caches that the other process has used
    began = time.perf_counter()
    steps = 0
    while True:
        loop.step()
        steps += 1
        seconds = time.perf_counter() - began
        if seconds >= least_s:
            return steps, seconds


def _next_order(folder: str, number: int) -> str:
    path = os.path.join(folder, "order-%d" % number)
    while not os.path.exists(path):
        time.sleep(_POLL_S)
    with open(path, encoding="ascii") as stream:
        return stream.read()
