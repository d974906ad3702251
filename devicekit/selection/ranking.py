"""Which device is the fastest, by figures of benchmarks. Pure: the figures are handed in."""

from typing import Dict, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ..records import Record
from .throughput import Throughput


class Ranking(Record):
    """Devices that were measured with the same work.

    Attributes
    ----------
    rows : tuple of Throughput
        The fastest first, one for each device, at least two.
    """

    rows: Tuple[Throughput, ...]

    @property
    def devices(self) -> Tuple[str, ...]:
        """The devices, the fastest first."""
        return tuple(row.device for row in self.rows)

    @property
    def cpu(self) -> Optional[Throughput]:
        """The CPU's figures, None where it was not measured."""
        return next((row for row in self.rows if row.device == "cpu"), None)

    def __str__(self) -> str:
        """What was measured, the fastest first."""
        first = self.rows[0]
        speeds = ", ".join("%s %s" % (row.device, _figure(row)) for row in self.rows)
        return "%s of %s: %s %s/s" % (first.mode, first.model, speeds, first.unit)


def rank(rows: Sequence[Throughput], framework: Optional[str], devices: Sequence[str]) -> Optional[Ranking]:
    """Return the devices by their speed.

    Parameters
    ----------
    rows : sequence of Throughput
        Figures of this machine in its present state, the newest first.
    framework : str or None
        Whose figures count; TensorFlow 1.15 is one of TensorFlow's releases.
    devices : sequence of str
        The devices among which is chosen.

    Returns
    -------
    Ranking or None
        Only what was measured with the same model, mode, precision, compiler and input can be compared. Of several such
        benchmarks the one that has most of the devices counts, of those the newest. None where none has two of them.

    Notes
    -----
    The batch size may differ from device to device: each is measured with what fits. An accelerator that is slower than the
    CPU by no more than the noise of both comes before it.
    """
    groups: Dict[Tuple[object, ...], Dict[str, Throughput]] = {}
    for row in rows:
        if row.device not in devices or name_of(row.framework) != name_of(framework) or not row.per_second:
            continue
        same = (row.model, row.mode, row.precision, row.xla, row.input_pipeline)
        groups.setdefault(same, {}).setdefault(row.device, row)
    if not groups:
        return None
    best = max(groups.values(), key=len)  # of several with as many, the first: the newest
    if len(best) < 2:
        return None
    return Ranking(tuple(_ordered(list(best.values()))))


def _ordered(rows: List[Throughput]) -> List[Throughput]:
    ordered = sorted(rows, key=lambda row: -(row.per_second or 0.0))
    cpu = next((row for row in ordered if row.device == "cpu"), None)
    if cpu is None:
        return ordered
    ahead = [row for row in ordered if row is not cpu and not is_faster(cpu, row)]
    return ahead + [cpu] + [row for row in ordered if row is not cpu and row not in ahead]


def is_faster(first: Throughput, second: Throughput) -> bool:
    """Return whether one is faster than the other by more than the noise.

    Between rows of several processes that is: their intervals do not overlap. Of a single process only the steps are known:
    by more than twice the standard error of their difference.
    """
    if not first.per_second or not second.per_second:
        return bool(first.per_second)
    if first.interval is not None and second.interval is not None:
        return first.interval[0] > second.interval[1]
    error = ((first.uncertainty or 0.0) ** 2 + (second.uncertainty or 0.0) ** 2) ** 0.5
    return bool(first.per_second - second.per_second > 2.0 * error)


def slower_than_cpu(row: Throughput, cpu: Throughput) -> Optional[Finding]:
    """Return the finding that an accelerator is slower than the CPU; None where it is not, or only by the noise."""
    if row.device == "cpu" or not row.per_second or not cpu.per_second or not is_faster(cpu, row):
        return None
    label = "%s (%s)" % (row.device, row.name) if row.name else row.device
    work = "in %s of %s" % (row.mode, row.model)
    return Kind("slower-than-cpu", "warning").finding(
        "%s is slower than the CPU %s: %s against %s %s per second."
        % (label, work, _figure(row), _figure(cpu), row.unit),
        (_evidence(row), _evidence(cpu)),
        (
            Fix(
                "Use the CPU for work of this size; auto('fastest') takes what was measured as the faster",
                'devicekit.auto("cpu")',
            ),
            Fix(
                "Or give the device more to do at a time: a larger batch, as far as its memory goes",
                "devicekit bench --model %s --batch_size auto" % row.model,
            ),
        ),
    )


def _evidence(row: Throughput) -> Evidence:
    error = " +/- %.2g" % row.uncertainty if row.uncertainty else ""
    text = "%s%s %s per second, batch size %d, %d steps" % (
        _figure(row), error, row.unit, row.batch_size, len(row.step_seconds)
    )  # fmt: skip
    return Evidence(text, "devicekit bench --model %s, on %s" % (row.model, row.device))


def _figure(row: Throughput) -> str:
    return "%.3g" % (row.per_second or 0.0) if (row.per_second or 0.0) < 1000 else "%.0f" % (row.per_second or 0.0)
