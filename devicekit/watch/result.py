"""What a monitor concludes. Pure data."""

from typing import Optional, Tuple

from ..diagnosis.findings import Finding
from ..records import Record, ShownAsReport
from .causes import figures, findings
from .nan_result import NanReport
from .training_record import TrainingRecord


class MonitorReport(ShownAsReport, Record):
    """Where a training's time went, and why.

    Attributes
    ----------
    findings : tuple of Finding
        What makes it slow; empty if nothing does. A NaN comes first.
    record : TrainingRecord
        What was measured. `MonitorReport.of` judges it again, also one that was read from a file.
    nan : NanReport or None
        Of ``Monitor(nan=True)``: the first NaN, None as long as everything is finite.
    """

    _json = ("step_s", "wait_s", "compute_s", "findings", "record", "nan")

    findings: Tuple[Finding, ...]
    record: TrainingRecord
    nan: Optional[NanReport] = None

    @classmethod
    def of(cls, record: TrainingRecord, nan: Optional[NanReport] = None) -> "MonitorReport":
        """Return the report of a record, and of what a `NanGuard` reports."""
        return cls((*(nan.findings if nan is not None else ()), *findings(record)), record, nan)

    @property
    def step_s(self) -> Optional[float]:
        """Seconds of a call of the training function, median; None if there were too few."""
        return figures(self.record).period_s

    @property
    def wait_s(self) -> Optional[float]:
        """Seconds of it in which the program waited for data; None if that cannot be seen."""
        return figures(self.record).wait_s

    @property
    def compute_s(self) -> Optional[float]:
        """Seconds of it once the batch is there; None if that cannot be seen."""
        return figures(self.record).compute_s
