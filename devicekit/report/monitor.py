"""The reports of `devicekit.Monitor` and `devicekit.NanGuard`."""

from typing import List, Optional

from ..watch.causes import FEWEST_STEPS
from ..watch.nan_causes import described
from ..watch.result import MonitorReport, NanReport
from ..watch.training_record import NanRecord, NanRun, TrainingRecord
from .amounts import count, framework_title
from .terminal import Style, findings_lines


def monitor_text(report: MonitorReport) -> str:
    """Return the report of a training as text, without colors."""
    style = Style(width=100, unicode=True)
    record = report.record
    heading = "devicekit: %s with %s on %s" % (
        record.model or "model", framework_title(record.framework), where(record)
    )  # fmt: skip
    lines = [style.plain(heading), *style.wrap(speed(report) + ".", "  ")]
    if record.ended != "finished":
        lines[0] += ", " + {"running": "still running"}.get(record.ended, record.ended)
    if report.findings:
        lines += ["", *findings_lines(report.findings, style)]
    else:
        lines.append("  " + conclusion(report))
    return "\n".join(lines).rstrip("\n")


def where(record: TrainingRecord) -> str:
    """Return where a step's results are."""
    return ", ".join(record.result_devices) or record.selected or "an unknown device"


def conclusion(report: MonitorReport) -> str:
    """Return the outcome in a sentence."""
    if report.findings:
        return "Found: %s." % ", ".join(finding.code for finding in report.findings)
    if report.step_s is None or report.record.steps < FEWEST_STEPS:
        return "Too few steps to tell what slows it down."
    most = rest_s(report) > 0.5 * report.step_s
    return "Callbacks, or Keras itself, take most of a step." if most else "Nothing slows it down."


def rest_s(report: MonitorReport) -> float:
    """Return the seconds of a step that are neither a wait nor computing, as far as both are known: callbacks, logs."""
    if report.step_s is None or report.wait_s is None or report.compute_s is None:
        return 0.0
    rest = report.step_s - report.wait_s - report.compute_s
    return rest if rest > max(0.005, 0.2 * report.step_s) else 0.0


def speed(report: MonitorReport) -> str:
    """Return how many steps there were and what one consists of."""
    record = report.record
    text = "%s in %s" % (count(record.steps, "step"), duration(record.seconds))
    if report.step_s is None:
        return text
    text += ", %s each" % duration(report.step_s)
    parts = [
        "%s %s" % (duration(seconds), name)
        for seconds, name in ((report.wait_s, "waiting for data"), (report.compute_s, "computing"))
        if seconds is not None
    ]
    if rest_s(report):
        parts.append("%s in callbacks and in Keras itself" % duration(rest_s(report)))
    text += ": %s" % ", ".join(parts) if parts else ""
    return text + (" (first step: %s)" % duration(record.first_step_s) if record.first_step_s else "")


def duration(seconds: Optional[float]) -> str:
    """Return a duration with its unit.

    >>> duration(0.0123), duration(2.5), duration(75)
    ('12.3 ms', '2.5 s', '75 s')
    """
    if seconds is None:
        return ""
    return "%.3g s" % seconds if seconds >= 1 else "%.3g ms" % (1000 * seconds)


def facts(report: MonitorReport) -> List[List[str]]:
    """Return what else was measured, as names with their values."""
    record = report.record
    gpus = record.gpus
    rows = [
        ["Steps", "%d, the first in %s" % (record.steps, duration(record.first_step_s))],
        ["Step", duration(report.step_s)],
        ["Waiting for data", duration(report.wait_s)],
        ["Computing", duration(report.compute_s)],
        ["Variables", ", ".join(record.variable_devices)],
        ["Results", ", ".join(record.result_devices)],
        ["Compiled versions of the step", str(record.programs[-1][1]) if record.programs else ""],
        ["Data", record.source.kind],
        ["GPU utilization", _range([item.utilization_percent for item in gpus], "%")],
        ["GPU clock", _range([item.clock_mhz for item in gpus], "MHz")],
        ["GPU temperature", _range([item.temperature_c for item in gpus], "°C")],
        ["GPU power", _range([item.power_w for item in gpus], "W")],
        ["Cost of the monitor", duration(record.monitor_s)],
    ]
    return [row for row in rows if row[1]]


def _range(values: "List[Optional[float]]", unit: str) -> str:
    known = [value for value in values if value is not None]
    return "%.0f to %.0f %s" % (min(known), max(known), unit) if known else ""


def nan_text(report: NanReport) -> str:
    """Return the report as text, without colors."""
    style = Style(width=100, unicode=True)
    return "\n".join(
        [style.plain("devicekit: " + nan_heading(report.record)), "", *findings_lines(report.findings, style)]
    )


def nan_heading(record: NanRecord) -> str:
    """Return what was trained."""
    return "%s with %s on %s" % (record.model or "model", framework_title(record.framework), record.device)


def nan_rows(record: NanRecord) -> List[List[str]]:
    """Return each run of the bad step, as text."""
    return [[run.device, run.precision, _seen(run), "%.3g" % run.largest] for run in record.runs]


def _seen(run: NanRun) -> str:
    return run.problem or (described(run.first) if run.first is not None else "everything is finite")
