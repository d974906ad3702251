"""The report of ``devicekit run --watch``."""

from typing import List, Optional, Tuple

from ..watch.command_causes import used_gpus
from ..watch.failed_command import how_it_ended
from ..watch.machine_causes import by_gpu
from ..watch.result import CommandReport
from ..watch.training_record import CommandRecord
from .amounts import memory
from .monitor import duration, gpu_text
from .terminal import Style, findings_lines, labeled

#: Of what ended sooner, averages mean nothing.
_ENOUGH_S = 0.5


def command_text(report: CommandReport) -> str:
    """Return the report of a command as text, without colors."""
    return watched_text(report, Style(width=100, unicode=True))


def watched_text(report: CommandReport, style: Style) -> str:
    """Return the report of a command as text."""
    lines = ["devicekit: " + style.plain(heading(report.record))]
    for name, value in rows(report.record):
        lines += labeled(style, name, value, 2)
    if report.findings:
        lines += ["", *findings_lines(report.findings, style)]
    else:
        lines += style.wrap(conclusion(report), "  ")
    return "\n".join(lines).rstrip("\n")


def heading(record: CommandRecord) -> str:
    """Return which command it was and how it ended."""
    if record.status is None:
        return "%s has run for %s" % (record.name, duration(record.seconds))
    return "%s ran for %s and %s" % (record.name, duration(record.seconds), how_it_ended(record.status))


def conclusion(report: CommandReport) -> str:
    """Return the outcome in a sentence."""
    if report.findings:
        return "Found: %s." % ", ".join(finding.code for finding in report.findings)
    if len(report.record.hosts) < 2 and not report.record.gpus:
        return "Too little was seen to tell what slows it down."
    return "Nothing is seen that slows it down. Whether it waits for its data cannot be seen from outside."


def rows(record: CommandRecord) -> List[Tuple[str, str]]:
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
