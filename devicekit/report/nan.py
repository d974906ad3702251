"""The report of `devicekit.NanGuard`."""

from typing import List

from ..watch.nan_causes import described
from ..watch.nan_record import NanRecord, NanRun
from ..watch.result import NanReport
from .amounts import framework_title
from .terminal import Style, findings_lines


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
