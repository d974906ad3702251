"""What a monitor concludes. Pure data."""

from typing import Optional, Tuple

from ..diagnosis.findings import Finding
from ..records import Record, ShownAsReport
from .causes import figures, findings
from .training_record import TrainingRecord


class MonitorReport(ShownAsReport, Record):
    """Where a training's time went, and why.

    Attributes
    ----------
    findings : tuple of Finding
        What makes it slow; empty if nothing does.
    record : TrainingRecord
        What was measured. `MonitorReport.of` judges it again, also one that was read from a file.
    """

    _json = ("step_s", "wait_s", "compute_s", "findings", "record")

    findings: Tuple[Finding, ...]
    record: TrainingRecord

    @classmethod
    def of(cls, record: TrainingRecord) -> "MonitorReport":
        """Return the report of a record."""
        return cls(findings(record), record)

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
