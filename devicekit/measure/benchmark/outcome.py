"""The outcome of a worker as a row: figures, or the reason why there are none. Pure, except that names are removed."""

from typing import Any, Dict, Sequence

from ...children.call import ChildReport
from ...logs.errors import NO_KERNEL, classify_error, ran_out_of_memory
from ...selection.throughput import Throughput


def row_of(report: ChildReport, task: Dict[str, Any]) -> Throughput:
    """Return what a worker has measured, or a row that says why there is nothing."""
    if report.outcome == "done":
        return Throughput.from_dict(report.result)
    from .models import model_named

    known = model_named(task["model"])
    return Throughput(
        model=task["model"],
        device=task["device"],
        framework=task["framework"],
        mode=task["mode"],
        precision=task["precision"],
        xla=task["xla"],
        batch_size=task["batch_size"] or (known.batch_size if known is not None else 0),
        unit=known.unit if known is not None else "examples",
        input_pipeline=task["input_pipeline"],
        steady=False,
        problem=problem_of(report),
    )


def problem_of(report: ChildReport) -> str:
    """Return in one sentence why a worker has measured nothing, without personal names."""
    from ...machine.live_host import LiveHost

    stage = next((said["stage"] for said in reversed(report.said) if "stage" in said), "start")
    where = {
        "start": "before the framework was imported",
        "import": "while the framework was imported and set up",
        "build": "while the model was made",
        "compile": "in the first step, which compiles",
        "warm-up": "in the warm-up",
        "measure": "in the measurement",
    }.get(stage, stage)
    detail = " ".join(LiveHost().scrub(report.detail).split())
    if ran_out_of_memory(report):
        return "out of memory, %s: take a smaller batch, or batch_size='auto'" % where
    if report.outcome == "hung":
        return "%s, %s: it was ended; timeout_s gives it more time" % (detail, where)
    if report.outcome == "raised":
        if report.error == "DeviceUnavailableError":
            return _short(detail)
        text = _short("%s: %s" % (report.error, detail) if detail else report.error)
        if classify_error(report.detail) in NO_KERNEL:
            return "an operation has no kernel on the device: %s" % text
        return text
    if report.outcome == "not-run":
        return _short(detail)
    return "the process ended (%s), %s" % (detail, where)


def _short(text: str, most: int = 300) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def joined(rows: Sequence[Throughput]) -> Throughput:
    """Return the figures of several processes as one row."""
    good = [row for row in rows if not row.problem]
    if len(good) < 2:
        return good[0] if good else rows[0]
    peaks = [row.memory_peak_bytes for row in good if row.memory_peak_bytes is not None]
    return good[0].replace(
        step_seconds=tuple(seconds for row in good for seconds in row.step_seconds),
        warmup_seconds=tuple(seconds for row in good for seconds in row.warmup_seconds),
        memory_peak_bytes=max(peaks) if peaks else None,
        steady=all(row.steady for row in good),
    )
