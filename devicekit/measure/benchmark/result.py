"""What a benchmark measured. Pure data."""

from typing import Any, Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Pairs, Record, Seconds, ShownAsReport
from ...selection.throughput import Throughput


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
    """

    rows: Tuple[Throughput, ...]
    findings: Tuple[Finding, ...] = ()
    seconds: Seconds = 0.0
    cached: bool = False
    settings: Pairs[Any] = ()

    @property
    def fastest(self) -> Optional[Throughput]:
        """The row with the most examples per second, None if none has figures."""
        measured = [row for row in self.rows if row.per_second]
        return max(measured, key=lambda row: row.per_second or 0.0) if measured else None

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
