"""What a `NanGuard` reports. Pure data."""

from typing import Tuple

from ..diagnosis.findings import Finding
from ..records import Record, ShownAsReport
from .nan_causes import finding
from .nan_record import NanRecord


class NanReport(ShownAsReport, Record):
    """The first NaN of a training: step, batch, layer and operation, and whether data, model, precision or device cause it.

    Attributes
    ----------
    findings : tuple of Finding
        One, the cause.
    record : NanRecord
        What was seen. `NanReport.of` judges it again, also one that was read from a file.
    """

    findings: Tuple[Finding, ...]
    record: NanRecord

    @classmethod
    def of(cls, record: NanRecord) -> "NanReport":
        """Return the report of a record."""
        return cls((finding(record),), record)
