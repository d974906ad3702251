"""What a watched command is found to do. Pure data."""

from typing import Tuple

from ..diagnosis.findings import Finding
from ..records import Record, ShownAsReport
from .command_causes import findings
from .command_record import CommandRecord


class CommandReport(ShownAsReport, Record):
    """What a command did to this machine, and what slowed it down.

    Attributes
    ----------
    findings : tuple of Finding
        What slows it down, as far as it can be seen from outside; empty if nothing does.
    record : CommandRecord
        What was measured. `CommandReport.of` judges it again, also one that was read from a file.
    """

    findings: Tuple[Finding, ...]
    record: CommandRecord

    @classmethod
    def of(cls, record: CommandRecord) -> "CommandReport":
        """Return the report of a record."""
        return cls(findings(record), record)
