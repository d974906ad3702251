"""The outcome of a worker as a row: figures, or the reason why there are none. Pure, except that names are removed."""

from typing import Any, Dict, Sequence

from ...children.call import ChildReport
from ...logs.errors import NO_KERNEL, classify_error, ran_out_of_memory
from ...selection.throughput import Throughput

_INTERRUPTED = "interrupted before it was measured"


def row_of(report: ChildReport, task: Dict[str, Any]) -> Throughput:
    """Return what a worker has measured, or a row that says why there is nothing."""
    if report.outcome == "done":
        return Throughput.from_dict(report.result)
    return _row_without_figures(task, problem_of(report))


def interrupted_row(task: Dict[str, Any]) -> Throughput:
    """Return the row of a task that the user did not wait for."""
    return _row_without_figures(task, _INTERRUPTED)


def was_interrupted(row: Throughput) -> bool:
    """Return whether a row is one of `interrupted_row`."""
    return row.problem == _INTERRUPTED


def _row_without_figures(task: Dict[str, Any], problem: str) -> Throughput:
    from .models import model_named

    known = model_named(task["model"])
    return Throughput(
        model=task["model"],
        device=task["device"],
        framework=task["framework"],
        mode=task["mode"],
        precision=task["precision"],
        xla=task["xla"],
        batch_size=known.batch_size if task["batch_size"] in (None, "auto") and known is not None else _whole(task),
        unit=known.unit if known is not None else "examples",
        input_pipeline=task["input_pipeline"],
        steady=False,
        problem=problem,
    )


def _whole(task: Dict[str, Any]) -> int:
    return task["batch_size"] if isinstance(task["batch_size"], int) else 0


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
    }.get(str(stage), stage)
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
    """Return the figures of several processes as one row.

    Processes that were disturbed by other programs count only if fewer than two were not.
    """
    good = [row for row in rows if not row.problem]
    quiet = [row for row in good if not row.under_load]
    counted = quiet if len(quiet) > 1 or len(quiet) == len(good) else good
    if len(good) < 2:
        return good[0] if good else rows[0]
    peaks = [row.memory_peak_bytes for row in counted if row.memory_peak_bytes is not None]
    loads = [row.load for row in counted if row.load is not None]
    energies = [row.energy_joules for row in counted]
    return counted[0].replace(
        step_seconds=tuple(seconds for row in counted for seconds in row.step_seconds),
        warmup_seconds=tuple(seconds for row in counted for seconds in row.warmup_seconds),
        runs=tuple(len(row.step_seconds) for row in counted),
        memory_peak_bytes=max(peaks) if peaks else None,
        steady=all(row.steady for row in counted),
        load=sum(loads) / len(loads) if loads else None,
        under_load=any(row.under_load for row in counted),
        loaded_steps=sum(row.loaded_steps if row in counted else len(row.step_seconds) for row in good),
        energy_joules=None if None in energies else sum(energy for energy in energies if energy is not None),
    )
