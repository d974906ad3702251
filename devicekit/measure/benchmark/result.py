"""What a benchmark measured. Pure data."""

from typing import Any, List, Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Pairs, Record, Seconds, ShownAsReport
from ...selection.throughput import Throughput


class Figure(Record):
    """A figure to compare with: how fast a model ran on a device at some time.

    Attributes
    ----------
    model : str
    name : str
        The device's product name.
    device, framework, mode, precision, xla, input_pipeline, batch_size, unit
        As in `Throughput`.
    per_second : float
    low, high : float or None
        Ends of `Throughput.interval`.
    versions : tuple of (str, str)
    """

    model: str
    name: str
    device: str
    framework: str
    mode: str
    precision: str
    xla: Optional[bool]
    input_pipeline: bool
    batch_size: int
    unit: str
    per_second: float
    low: Optional[float] = None
    high: Optional[float] = None
    versions: Pairs[str] = ()

    def same_work(self, row: Throughput) -> bool:
        """Return whether a row did the same work; framework, compiler and batch size may differ."""
        own = (self.model, self.mode, self.precision, self.input_pipeline)
        return own == (row.model, row.mode, row.precision, row.input_pipeline)

    def clearly_differs(self, row: Throughput) -> bool:
        """Return whether a row's interval and this one's do not overlap."""
        if self.low is None or self.high is None or row.interval is None or row.under_load:
            return False
        return row.interval[1] < self.low or row.interval[0] > self.high


class BenchmarkResult(ShownAsReport, Record):
    """What was measured, device by device.

    Attributes
    ----------
    rows : tuple of Throughput
        In the order in which they were asked for.
    findings : tuple of Finding
        ``slower-than-cpu``, and what else was met.
    seconds : float
        How long all of it took.
    cached : bool
        Whether the figures come from an earlier measurement of the same state of this machine.
    settings : tuple of (str, object)
        What was asked for: numbers of batches, seed, time limits, ...
    interrupted : bool
        Whether it ended before everything was measured.
    against : tuple of Figure
        Figures to compare with.
    """

    _json = (
        "rows", "findings", "seconds", "cached", "settings", "interrupted", "against", "undecided",
    )  # fmt: skip

    rows: Tuple[Throughput, ...]
    findings: Tuple[Finding, ...] = ()
    seconds: Seconds = 0.0
    cached: bool = False
    settings: Pairs[Any] = ()
    interrupted: bool = False
    against: Tuple[Figure, ...] = ()

    @property
    def measured(self) -> Tuple[Throughput, ...]:
        """The rows that have figures."""
        return tuple(row for row in self.rows if row.per_second)

    @property
    def fastest(self) -> Optional[Throughput]:
        """The row that is faster than all others; None if none has figures, or `undecided` says why it can't be told."""
        rows = self.measured
        return max(rows, key=_speed) if rows and not self.undecided else None

    @property
    def undecided(self) -> str:
        """Why the figures don't say which row is the fastest, in a sentence; "" if they do, or there is nothing to compare."""
        rows = sorted(self.measured, key=_speed, reverse=True)
        if len(rows) < 2:
            return ""
        loaded = [row for row in rows if row.under_load]
        if loaded:
            share = max(row.load or 0.0 for row in loaded)
            return "other programs used %.0f %% of the processors while %s" % (100 * share, _were_measured(loaded))
        alone = [row for row in rows if row.interval is None]
        if alone:
            return "a single process does not show how much processes differ: repeat the measurement at least 3 times"
        best, others = rows[0], rows[1:]
        near = [row for row in others if _ends(row)[1] >= _ends(best)[0]]
        if near:
            names = _names([best, *near])
            return "the intervals of %s overlap: more repetitions or seconds make them narrower" % names
        return ""

    def relative_to_cpu(self, row: Throughput) -> Optional[float]:
        """Return a row's examples per second as a ratio to the CPU's at the same work; None without such a row.

        The batch size may differ: each device may have the one that suits it.
        """
        for other in self.rows:
            if other.device == "cpu" and _work(other) == _work(row) and other.per_second and row.per_second:
                return row.per_second / other.per_second
        return None


def _work(row: Throughput) -> Tuple[Any, ...]:
    return row.model, row.framework, row.mode, row.precision, row.input_pipeline


def _speed(row: Throughput) -> float:
    return row.per_second or 0.0


def _ends(row: Throughput) -> Tuple[float, float]:
    return row.interval or (0.0, float("inf"))


def _names(rows: List[Throughput]) -> str:
    names = list(dict.fromkeys(row.device for row in rows))
    if len(names) < len(rows):
        return "%d rows" % len(rows)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _were_measured(rows: List[Throughput]) -> str:
    return "%s %s measured" % (_names(rows), "was" if len(rows) == 1 else "were")


class BenchmarkInterrupted(KeyboardInterrupt):
    """The user interrupted `devicekit.benchmark`.

    Attributes
    ----------
    result : BenchmarkResult
        The rows that were finished.
    """

    def __init__(self, result: BenchmarkResult) -> None:
        super().__init__("interrupted after %d rows" % len(result.measured))
        self.result = result
