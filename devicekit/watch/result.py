"""What a monitor, a NaN guard and a watched command conclude. Pure data."""

from typing import Dict, Optional, Tuple

from ..diagnosis.findings import Finding
from ..records import Record, ShownAsReport
from . import command_causes
from .causes import figures, findings
from .nan_causes import finding
from .training_record import CommandRecord, NanRecord, TrainingRecord


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


class LiveFigures(ShownAsReport, Record):
    """What `devicekit.Monitor` shows while it trains.

    Attributes
    ----------
    record : TrainingRecord
        What was measured last.
    """

    record: TrainingRecord

    @property
    def wait_percent(self) -> Optional[float]:
        """How much of a step is waiting for data; None if that is not known yet."""
        parts = figures(self.record)
        if not parts.period_s or parts.wait_s is None:
            return None
        return min(100.0, 100.0 * parts.wait_s / parts.period_s)

    def scalars(self) -> Dict[str, float]:
        """Return what is known, by TensorBoard's tags."""
        found: Dict[str, Optional[float]] = {
            "step/seconds": figures(self.record).period_s,
            "step/wait_percent": self.wait_percent,
        }
        for host in self.record.hosts:
            found["host/memory_bytes"] = host.load.memory_bytes
        for gpu in self.record.gpus:
            for name in ("utilization_percent", "memory_used_bytes", "clock_mhz", "temperature_c", "power_w"):
                found["gpu_%d/%s" % (gpu.index, name)] = getattr(gpu, name)
        return {tag: float(value) for tag, value in found.items() if value is not None}


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
        return cls(command_causes.findings(record), record)
