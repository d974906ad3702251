"""The search for the largest batch that fits: growing, then narrowing, in processes that may run out of memory.

A process tries larger and larger batches until one ends it; the next process begins between the largest that went well
and that one. So there are as many processes as failures, and one more.
"""

import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ...children.call import ChildReport, run_child
from ...errors import DevicekitError, DeviceUnavailableError, log
from ...logs.errors import ran_out_of_memory

#: The search ends when the largest that fits is known to so large a part of itself.
RESOLUTION = 0.1

#: A step up aims at this part of the memory, and is at most so many times the batch before: the memory that a batch takes
#: is not quite a straight line.
_AIM, _FURTHEST = 0.95, 8

#: What two batches take is known to this part of the memory: a third is expected to add at least as much.
_TOLD_APART = 0.02

#: A batch may take this many times as long as the one before, which was at least half as large; then it hangs.
_PATIENCE = 20.0
_LEAST_PATIENCE_S = 60.0

_STAGE_TRY, _STAGE_FITS = "try", "fits"


class Found(NamedTuple):
    """What a search found.

    Attributes
    ----------
    size : int
        The largest batch that went well, 0 if none did.
    failed : int or None
        The smallest that did not, None if every one went well.
    seconds : float
        How long a step with the largest took.
    why : str
        What ended the first batch that did not go well.
    """

    size: int
    failed: Optional[int]
    seconds: float
    why: str


class Limits(NamedTuple):
    """Where a search begins, and between which sizes it stays.

    Attributes
    ----------
    start, least, most : int
    step_limit_s : float
        A batch with slower steps ends the search.
    """

    start: int
    least: int
    most: int
    step_limit_s: float = float("inf")


class _Stalled(Exception):
    """A batch takes so much longer than the one before that it is given up."""


def next_size(
    fits: int, failed: Optional[int], start: int, least: int, most: int, larger: Optional[int] = None
) -> Optional[int]:
    """Return the batch to try next, None if the largest is known well enough.

    Parameters
    ----------
    fits : int
        The largest that went well, 0 if none did yet.
    failed : int or None
        The smallest that did not.
    start, least, most : int
        Where to begin, and the limits.
    larger : int or None
        What `larger_size` returned for those that went well; twice the largest if the memory was not measured.

    Examples
    --------
    >>> next_size(0, None, 1, 1, 1000), next_size(64, None, 1, 1, 1000), next_size(64, 128, 1, 1, 1000)
    (1, 128, 96)
    """
    if failed is None:
        if not fits:
            return min(start, most)
        return min(larger or 2 * fits, most) if fits < most else None
    if not fits:
        return max(least, failed // 2) if failed > least else None
    gap = failed - fits
    if gap <= max(1, int(fits * RESOLUTION)):
        return None
    middle = fits + gap // 2
    return middle - middle % 8 if gap > 32 else middle


def larger_size(taken: Sequence[Tuple[int, float]]) -> int:
    """Return a batch that takes nearly all of the memory, as far as the batches that went well tell; twice the last if not.

    Parameters
    ----------
    taken : sequence of (int, float)
        Sizes that went well, in rising order, each with the part of the memory that was taken by then, 0 if it is unknown.

    Examples
    --------
    >>> larger_size([(1, 0.01)]), larger_size([(8, 0.3)]), larger_size([(8, 0.3), (24, 0.7)]), larger_size([(96, 0.0)])
    (8, 25, 34, 192)
    """
    size, share = taken[-1]
    wanted = 2.0 * size
    if len(taken) > 1 and share > 0.0:
        before, share_before = taken[-2]
        wanted = _AIM * (size + (1.0 - share) * (size - before) / max(_TOLD_APART, share - share_before))
    elif share > 0.0:
        # What no batch is needed for (weights, the optimizer's state) is counted as if it grew: so this stays below.
        # Twice as much does not fit where one takes more than half of it, or hardly.
        wanted = max(wanted if share < 0.5 else 0.0, _AIM * size / share)
    return max(size + max(1, int(size * RESOLUTION)), int(min(wanted, _FURTHEST * size)))


def rounded(size: int, margin: float, least: int, most: int) -> int:
    """Return a batch that stays below one that fits by a margin, as a multiple of 8 from 16 on.

    Examples
    --------
    >>> rounded(1000, 0.1, 1, 4096), rounded(12, 0.1, 1, 4096), rounded(1112, 0.1, 1, 1000), rounded(1, 0.1, 1, 64)
    (896, 10, 1000, 1)
    """
    wanted = int(size * (1.0 - margin) + 1e-9)
    if wanted >= most:
        return most
    if wanted >= 16:
        wanted -= wanted % 8
    return max(least, 1, wanted)


class _Turn:
    """What is known while a worker runs; its messages come in another thread."""

    def __init__(self, fits: int, failed: Optional[int], deadline: float) -> None:
        self.fits, self.failed = fits, failed
        self.trying: Optional[int] = None
        self.seconds = 0.0
        self._deadline = deadline
        self._since = time.monotonic()
        self._taken = 0.0

    def heard(self, said: Dict[str, Any]) -> None:
        now = time.monotonic()
        if said.get("stage") == _STAGE_TRY:
            self.trying, self._since = int(said["batch_size"]), now
        elif said.get("stage") == _STAGE_FITS:
            self.fits, self.trying = int(said["batch_size"]), None
            self.seconds, self._taken = float(said["seconds"]), now - self._since
            self._since = now

    def check(self) -> None:
        if self.trying is not None and self._taken:
            if time.monotonic() - self._since > max(_LEAST_PATIENCE_S, _PATIENCE * self._taken):
                raise _Stalled


def search(
    function: str,
    task: Dict[str, Any],
    limits: Limits,
    *,
    timeout_s: float,
    environment: Sequence[Tuple[str, Optional[str]]] = (),
    tick: Optional[Callable[[str], None]] = None,
) -> Found:
    """Find the largest batch that a worker's function can take.

    Parameters
    ----------
    function : str
        See `children.call.run_child`. It is called with the task and what `next_size` takes, tries one batch after
        the other, and says which one it tries and which one went well.
    task : dict
        What it needs besides.
    timeout_s : float
        For the whole search; then what is known by then is returned.
    environment : sequence of (str, str or None)
        Variables of the worker.
    tick : callable or None
        Called about every second with what is being tried.

    Raises
    ------
    DevicekitError
        If the first batch fails, and not for lack of memory; or the worker cannot be started.
    """
    deadline = time.monotonic() + timeout_s
    fits, failed, seconds, why = 0, None, 0.0, ""  # type: int, Optional[int], float, str
    while True:
        size = next_size(fits, failed, limits.start, limits.least, limits.most)
        left = deadline - time.monotonic()
        if size is None or (left <= 0 and fits) or seconds > limits.step_limit_s:
            return Found(fits, failed, seconds, why)
        if left <= 0:
            raise DevicekitError(
                "no batch of %d could be tried within %g s; timeout_s gives it more" % (size, timeout_s)
            )
        turn = _Turn(fits, failed, deadline)
        order = dict(task, fits=fits, failed=failed, **limits._asdict())
        report = _run(function, order, turn, left, environment, tick)
        seconds = turn.seconds or seconds
        if report is not None and report.outcome == "done":
            return Found(turn.fits, failed, seconds, why)
        tried = turn.trying if turn.trying is not None else size
        out_of_time = report is not None and report.outcome == "hung"
        if out_of_time and turn.fits:
            return Found(turn.fits, failed, seconds, why)
        _raise_for(report, turn, tried, timeout_s)
        ending = _ending(report, tried)
        log("info", "%s", ending)
        fits, failed, why = turn.fits, tried, ending


def _run(
    function: str,
    order: Dict[str, Any],
    turn: _Turn,
    timeout_s: float,
    environment: Sequence[Tuple[str, Optional[str]]],
    tick: Optional[Callable[[str], None]],
) -> Optional[ChildReport]:
    """Run one worker; None if it stalled."""

    def every() -> None:
        if tick is not None:
            tick("trying a batch of %s" % (turn.trying or turn.fits or order["start"]))
        turn.check()

    try:
        return run_child(
            function, order, timeout_s=timeout_s, environment=environment, on_message=turn.heard, tick=every
        )
    except _Stalled:
        return None


def _raise_for(report: Optional[ChildReport], turn: _Turn, tried: int, timeout_s: float) -> None:
    """Raise where no batch can be found by trying smaller ones."""
    if report is None or turn.fits:
        # What worked with a smaller batch fails for the size of this one, whatever it calls that.
        return
    if report.outcome == "not-run":
        raise DevicekitError("the batch cannot be tried: %s" % report.detail)
    if report.outcome == "hung":
        raise DevicekitError("a batch of %d was not done within %g s; timeout_s gives it more" % (tried, timeout_s))
    if report.outcome == "raised" and not ran_out_of_memory(report):
        if report.error == "BatchModelError":
            raise DevicekitError(report.detail)
        if report.error == "DeviceUnavailableError":
            raise DeviceUnavailableError(report.detail)
        raise DevicekitError("a batch of %d cannot be computed: %s: %s" % (tried, report.error, report.detail[:1500]))
    if report.outcome == "died" and turn.trying is None:
        # Before the first batch: it is the framework, the device or the model, not the size.
        raise DevicekitError(
            "the process that should try a batch ended before it could (%s): %s" % (report.detail, _last(report.output))
        )


def _ending(report: Optional[ChildReport], tried: int) -> str:
    if report is None:
        return "a batch of %d takes many times as long as a smaller one" % tried
    if ran_out_of_memory(report):
        return "a batch of %d runs out of memory" % tried
    return "a batch of %d fails: %s" % (tried, (report.detail or report.error)[:500])


def _last(output: str) -> str:
    lines: List[str] = [line for line in output.splitlines() if line.strip()]
    return lines[-1][:500] if lines else "it said nothing"
