"""The reports of `devicekit.Monitor`, `devicekit.NanGuard` and ``devicekit run --watch``."""

from typing import List, Optional, Sequence, Tuple

from ..watch.causes import FEWEST_SAMPLES, FEWEST_STEPS, too_short
from ..watch.command_causes import used_gpus
from ..watch.failed_command import how_it_ended
from ..watch.machine_causes import by_gpu
from ..watch.nan_causes import described
from ..watch.result import CommandReport, LiveFigures, MonitorReport, NanReport
from ..watch.training_record import CommandRecord, GpuSample, NanRecord, NanRun, TrainingRecord
from .amounts import count, framework_title, memory
from .terminal import Style, findings_lines, labeled


def monitor_text(report: MonitorReport) -> str:
    """Return the report of a training as text, without colors."""
    style = Style(width=100, unicode=True)
    record = report.record
    heading = "devicekit: %s with %s on %s" % (
        record.model or "model", framework_title(record.framework), where(record)
    )  # fmt: skip
    lines = [style.plain(heading), *style.wrap(speed(report) + ".", "  ")]
    for name, value in facts(report):
        if name.startswith("GPU") or name == "Unknown":
            lines += labeled(style, name, value, 2)
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
    steps, samples = report.record.steps, len(report.record.samples)
    if report.step_s is None or steps < FEWEST_STEPS or samples < FEWEST_SAMPLES:
        return "Too few steps to tell what slows it down."
    if rest_s(report) > 0.5 * report.step_s:
        return "Callbacks, or Keras itself, take most of a step."
    if too_short(report.record):
        return "The steps are too short to tell whether they compute or are only started."
    return "Nothing slows it down." if report.wait_s is not None else "Nothing that was measured slows it down."


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


def facts(report: MonitorReport) -> List[Tuple[str, str]]:
    """Return what else was measured, as names with their values; what is not known is one row."""
    record = report.record
    rows = [
        (
            "Steps",
            str(record.steps) + (", the first in %s" % duration(record.first_step_s) if record.first_step_s else ""),
        ),
        ("Step", duration(report.step_s)),
        ("Waiting for data", duration(report.wait_s)),
        ("Computing", duration(report.compute_s)),
        ("Variables", ", ".join(record.variable_devices)),
        ("Results", ", ".join(record.result_devices)),
        ("Compiled versions of the step", str(record.programs[-1][1]) if record.programs else ""),
        ("Data", record.source.kind),
        *machine_rows(record),
        ("Cost of the monitor", duration(record.monitor_s)),
    ]
    unknown = ", ".join(name if name == "GPU" else name.lower() for name, value in rows if not value)
    return [row for row in rows if row[1]] + ([("Unknown", unknown)] if unknown else [])


def live_rows(figures: LiveFigures) -> List[Tuple[str, str]]:
    """Return what was measured last, as names with their values."""
    record, step_s, percent = figures.record, figures.scalars().get("step/seconds"), figures.wait_percent
    rows = [
        ("Step", "%d" % record.steps + (", %s each" % duration(step_s) if step_s else "")),
        ("Waiting for data", "" if percent is None else "%.0f %%" % percent),
    ]
    for gpu in record.gpus:
        percent, used, heat = gpu.utilization_percent, gpu.memory_used_bytes, gpu.temperature_c
        parts = [
            "" if percent is None else "%d %%" % percent,
            "" if used is None else "%s of %s" % (memory(used), memory(gpu.memory_bytes)),
            "" if heat is None else "%d °C" % heat,
        ]
        rows.append(("GPU %d" % gpu.index, ", ".join(filter(None, parts))))
    return [(name, value or "unknown") for name, value in rows]


def live_line(figures: LiveFigures) -> str:
    """Return what was measured last in one line.

    >>> live_line(LiveFigures(TrainingRecord("jax", steps=7)))
    'step 7; waiting for data: unknown'
    """
    (_, step), *others = live_rows(figures)
    return "; ".join(["step " + step, *("%s: %s" % (name.replace("W", "w", 1), value) for name, value in others)])


def machine_rows(record: TrainingRecord) -> List[Tuple[str, str]]:
    """Return what the GPUs and this machine's memory did; the value is "" if that is not known."""
    held = [item.load.memory_bytes for item in record.hosts if item.load.memory_bytes is not None]
    most = " of %s that it may use" % memory(record.memory_granted_bytes) if record.memory_granted_bytes else ""
    rows = [("Host memory", memory(max(held)) + " at most" + most if held else "")]
    rows += [("GPU %d" % index, gpu_text(samples)) for index, samples in by_gpu(record.gpus).items()]
    # On the CPU there is nothing to know of a GPU.
    used = any(not name.startswith("cpu") for name in record.result_devices) or record.accelerators
    return rows + ([("GPU", "")] if used and not record.gpus else [])


def gpu_text(samples: Sequence[GpuSample]) -> str:
    """Return what a GPU did, and what of it the driver did not report."""
    used = [item.memory_used_bytes for item in samples if item.memory_used_bytes is not None]
    parts = [
        ("utilization", _range([item.utilization_percent for item in samples], "%")),
        ("memory", "%s of %s at most" % (memory(max(used)), memory(samples[-1].memory_bytes)) if used else ""),
        ("clock", _range([item.clock_mhz for item in samples], "MHz", samples[-1].clock_max_mhz)),
        ("temperature", _range([item.temperature_c for item in samples], "°C")),
        ("power", _range([item.power_w for item in samples], "W", samples[-1].power_limit_w)),
        ("PCIe", _range([item.pcie_width for item in samples], "lanes", samples[-1].pcie_width_max)),
    ]
    text = ", ".join("%s %s" % part for part in parts if part[1])
    held = [item for item in samples if item.limited_by]
    if held:
        reasons = ", ".join(sorted({name for item in held for name in item.limited_by}))
        text += "; clocks held down in %d of %d looks: %s" % (len(held), len(samples), reasons)
    unknown = [name for name, value in parts if not value]
    return text + ("; unknown: %s" % ", ".join(unknown) if unknown else "")


def _range(values: "Sequence[Optional[float]]", unit: str, most: Optional[float] = None) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = "%.0f" % min(known), "%.0f" % max(known)
    text = low if low == high else "%s to %s" % (low, high)
    return "%s%s %s" % (text, " of %.0f" % most if most else "", unit)


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


#: Of what ended sooner, averages mean nothing.
_ENOUGH_S = 0.5


def command_text(report: CommandReport) -> str:
    """Return the report of a command as text, without colors."""
    return watched_text(report, Style(width=100, unicode=True))


def watched_text(report: CommandReport, style: Style) -> str:
    """Return the report of a command as text."""
    lines = ["devicekit: " + style.plain(command_heading(report.record))]
    for name, value in command_rows(report.record):
        lines += labeled(style, name, value, 2)
    if report.findings:
        lines += ["", *findings_lines(report.findings, style)]
    else:
        lines += style.wrap(command_conclusion(report), "  ")
    return "\n".join(lines).rstrip("\n")


def command_heading(record: CommandRecord) -> str:
    """Return which command it was and how it ended."""
    if record.status is None:
        return "%s has run for %s" % (record.name, duration(record.seconds))
    return "%s ran for %s and %s" % (record.name, duration(record.seconds), how_it_ended(record.status))


def command_conclusion(report: CommandReport) -> str:
    """Return the outcome in a sentence."""
    if report.findings:
        return "Found: %s." % ", ".join(finding.code for finding in report.findings)
    if len(report.record.hosts) < 2 and not report.record.gpus:
        return "Too little was seen to tell what slows it down."
    return "Nothing is seen that slows it down. Whether it waits for its data cannot be seen from outside."


def command_rows(record: CommandRecord) -> List[Tuple[str, str]]:
    """Return what was measured, as names with their values; what is not known is said."""
    found = [("Processors", _processors(record)), ("Memory", _memory(record))]
    if record.leased:
        found.append(("Leased", ", ".join(record.leased)))
    used = used_gpus(record)
    if not record.gpus:
        found.append(("GPU", "unknown: %s" % (record.gpus_unknown or "the driver did not answer")))
    elif not used:
        listed = all(item.own is not None for item in record.gpus)
        gpus = " or ".join("GPU %d" % index for index in by_gpu(record.gpus))
        text = "no process of the command was seen on %s" % gpus
        found.append(("GPU", text if listed else "unknown: the driver does not say which processes use it"))
    found += [("GPU %d" % index, gpu_text(samples)) for index, samples in used.items()]
    return found


def _processors(record: CommandRecord) -> str:
    if record.cpu_s is None:
        return "unknown: this system does not count them for a command"
    text = "%s in all" % duration(record.cpu_s)
    if record.seconds >= _ENOUGH_S:
        of = " of %g" % record.processors if record.processors else ""
        text = "%.2g%s on average, %s" % (record.cpu_s / record.seconds, of, text)
    if record.processes:
        text += ", one process" if record.processes == 1 else ", %d processes" % record.processes
    others = _others(record)
    return text + ("; other programs: %s" % ("unknown" if others is None else "%.2g" % others))


def _others(record: CommandRecord) -> Optional[float]:
    """Return how many processors other programs took."""
    if len(record.hosts) < 2:
        return None
    first, last = record.hosts[0], record.hosts[-1]
    passed_s = last.at_s - first.at_s
    if first.load.busy_cpu_s is None or last.load.busy_cpu_s is None or passed_s < _ENOUGH_S:
        return None
    busy_s = last.load.busy_cpu_s - first.load.busy_cpu_s - (last.load.own_cpu_s - first.load.own_cpu_s)
    return max(0.0, busy_s) / passed_s


def _memory(record: CommandRecord) -> str:
    if record.memory_peak_bytes is None:
        return "unknown"
    text = "%s at most" % memory(record.memory_peak_bytes)
    return text + (
        " of %s that it may use" % memory(record.memory_granted_bytes) if record.memory_granted_bytes else ""
    )
