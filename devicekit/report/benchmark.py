"""The reports of ``devicekit bench`` and ``devicekit tune``."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from ..measure.benchmark.result import BenchmarkResult, Figure
from ..measure.tuning.result import TunedOption, Tuning
from ..selection.throughput import Throughput
from .amounts import count, flops, framework_title, grouped, memory, rate, ratio
from .terminal import Style, findings_lines


def benchmark_line(result: BenchmarkResult) -> str:
    """Return a result in one line."""
    parts = []
    for row in result.rows:
        if row.per_second is None:
            parts.append("%s: %s" % (row.device, row.problem or "no figures"))
        else:
            parts.append("%s: %s %s/sec%s" % (row.device, rate(row.per_second), row.unit, _between(row)))
    models = ", ".join(dict.fromkeys(row.model for row in result.rows))
    parts += ["cannot tell which is the fastest"] if result.undecided else []
    return "devicekit: %s, %s" % (models, "; ".join(parts)) if parts else "devicekit: nothing was measured"


def _between(row: Throughput) -> str:
    return " (%s)" % " to ".join(map(rate, row.interval)) if row.interval is not None else ""


def benchmark_text(result: BenchmarkResult, style: Style) -> str:
    """Return the report of ``devicekit bench``."""
    rows = result.rows
    lines = [style.paint(line, "head") for line in style.wrap(_heading(rows))] + [style.rule]
    lines += _table(result, style)
    for row in rows:
        if row.problem:
            lines += [""] + style.wrap("%s: %s." % (_label(row, rows), row.problem.rstrip(".")))
    lines += _details(result, style)
    loaded = [row for row in rows if row.per_second and row.under_load]
    if loaded:
        names = ", ".join(_label(row, rows) for row in loaded)
        lines += [""] + style.wrap(
            "Under load: other programs used the processors while %s was measured. Close them and measure again; these "
            "figures are not kept for auto('fastest')." % names
        )
    moving = [row for row in rows if row.per_second and not row.steady]
    if moving:
        names = ", ".join(_label(row, rows) for row in moving)
        text = "The speed on %s changed during the measurement: raise --num-warmup-batches, or close other programs."
        lines += [""] + style.wrap(text % names)
    if result.cached:
        lines += [""] + style.wrap("This is a cached result, measured earlier in the same state of this machine.")
    if result.findings:
        lines += ["", *findings_lines(result.findings, style)]
    lines.append(style.rule)
    kind = "good" if result.fastest else "warning" if result.measured else "error"
    lines += [style.paint(line, kind) for line in style.wrap(_verdict(result))]
    return "\n".join(lines) + "\n"


def _heading(rows: Sequence[Throughput]) -> str:
    """Return what all rows have in common."""
    shared = [_values(get, rows) for get in (_model, _framework, _precision, _xla, _batch)]
    return "devicekit bench: %s" % ", ".join(values[0] for values in shared if len(values) == 1 and values[0])


def _values(get: Callable[[Throughput], str], rows: Sequence[Throughput]) -> List[str]:
    """Return the different values of rows. A row without figures may lack some, but not its precision."""
    if get is _precision:
        return list(dict.fromkeys(map(get, rows)))
    return list(dict.fromkeys(get(row) for row in rows if row.per_second) or dict.fromkeys(map(get, rows)))


def _model(row: Throughput) -> str:
    pipeline = " with input pipeline" if row.input_pipeline else ""
    return "%s of %s%s" % (row.mode, row.model, pipeline)


def _framework(row: Throughput) -> str:
    versions = dict(row.versions)
    name = "tensorflow" if row.framework == "tensorflow1" else row.framework
    return ("%s %s" % (framework_title(row.framework), versions.get(name, ""))).strip()


def _precision(row: Throughput) -> str:
    return row.precision


def _xla(row: Throughput) -> str:
    return {True: "XLA", False: "no XLA", None: ""}[row.xla]


def _batch(row: Throughput) -> str:
    return "batch size %d" % row.batch_size if row.batch_size else ""


def _label(row: Throughput, rows: Sequence[Throughput]) -> str:
    """Return the device of a row, and what else distinguishes it."""
    parts = [row.device]
    for get in (_framework, _precision, _xla):
        if len(_values(get, rows)) > 1:
            parts.append(get(row))
    return " ".join(part for part in parts if part)


def _table(result: BenchmarkResult, style: Style) -> List[str]:
    rows = result.rows
    unit = "%s/sec" % (rows[0].unit if len({row.unit for row in rows}) == 1 else "examples")
    columns: List[Tuple[str, Callable[[Throughput], str]]] = [("device", lambda row: row.device)]
    for title, get in (("framework", _framework), ("precision", _precision), ("", _xla), ("", _batch)):
        if len(_values(get, rows)) > 1:
            columns.append((title, get))
    columns += [
        (unit, lambda row: grouped(row.per_second) or "-"),
        ("95 % interval", lambda row: " to ".join(map(grouped, row.interval or ()))),
        ("p50 ms", lambda row: _milliseconds(row, "p50")),
        ("p99 ms", lambda row: _milliseconds(row, "p99")),
        ("steps", lambda row: str(len(row.step_seconds) or "")),
        ("memory", lambda row: memory(row.memory_peak_bytes)),
    ]
    if any(row.device != "cpu" for row in rows):
        columns.append(("to CPU", lambda row: ratio(result.relative_to_cpu(row))))
    columns.append(("", lambda row: row.name))
    # On a narrow terminal, leave out what matters least.
    cells = [[title] + [style.plain(get(row)) for row in rows] for title, get in columns]
    for title in ("steps", "p99 ms", "memory", "p50 ms", "95 % interval"):
        if sum(max(map(len, column)) + 2 for column in cells[:-1]) - 2 > style.width:
            cells = [column for column in cells if column[0] != title]
    return _aligned(cells, unit, style)


def _aligned(columns: List[List[str]], first_number: str, style: Style) -> List[str]:
    """Align text to the left and numbers to the right; the last column takes the rest of the line."""
    numbers = [column[0] for column in columns].index(first_number)
    laid: List[List[str]] = []
    for place, column in enumerate(columns):
        width = max(map(len, column))
        right = numbers <= place < len(columns) - 1
        laid.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    lines = ["  ".join(cells).rstrip()[: style.width].rstrip() for cells in zip(*laid)]
    return [style.paint(lines[0], "dim")] + lines[1:]


def _milliseconds(row: Throughput, name: str) -> str:
    seconds = dict(row.latency).get(name)
    return "" if seconds is None else grouped(1000 * seconds)


def _details(result: BenchmarkResult, style: Style) -> List[str]:
    """Return what is known besides of each row, and what it is compared with."""
    lines: List[str] = []
    for row in result.measured:
        parts = row_details(row)
        if parts:
            lines += style.wrap("%s: %s" % (_label(row, result.rows), ", ".join(parts)), "", "    ")
    compared = [(row, figure) for row in result.measured for figure in result.against if figure.same_work(row)]
    for row, figure in compared:
        lines += style.wrap(against_line(_label(row, result.rows), row, figure), "", "    ")
    if result.against and not compared:
        text = "No figure to compare with: those in the file are of another model, mode, precision or input."
        lines += style.wrap(text, "", "    ")
    return [""] + lines if lines else []


def row_details(row: Throughput) -> List[str]:
    """Return latency, operations per second, threads, energy and load of a row, as far as they are known."""
    parts = []
    latency = dict(row.latency)
    if latency:
        parts.append("90 %% of the steps within %s ms" % grouped(1000 * latency["p90"]))
    if row.flop_per_second is not None:
        share = " (%.1f %% of the device's peak)" % (100 * row.share_of_peak) if row.share_of_peak is not None else ""
        parts.append("%s%s" % (flops(row.flop_per_second), share))
    if row.threads:
        parts.append(count(row.threads, "thread"))
    if row.joules_per_example is not None:
        parts.append("%s J per %s" % (grouped(row.joules_per_example), row.unit.rstrip("s")))
    if row.load is not None and row.load >= 0.005:
        parts.append("other programs used %.0f %% of the processors" % (100 * row.load))
    if row.loaded_steps:
        parts.append("%s disturbed by them left out" % count(row.loaded_steps, "step"))
    return parts


def against_line(label: str, row: Throughput, figure: Figure) -> str:
    """Return how a row compares with a figure, in a sentence."""
    other = ", ".join(
        filter(None, (figure.name or figure.device, framework_title(figure.framework), _size(row, figure)))
    )
    between = " (%s to %s)" % (grouped(figure.low), grouped(figure.high)) if figure.low is not None else ""
    unsure = "" if figure.clearly_differs(row) else "; %s" % _doubt(row, figure)
    quotient = ratio((row.per_second or 0.0) / figure.per_second) if figure.per_second > 0 else "-"
    return "%s is %s times as fast as %s: %s %s/sec%s%s." % (
        label, quotient, other, grouped(figure.per_second), figure.unit, between, unsure
    )  # fmt: skip


def _doubt(row: Throughput, figure: Figure) -> str:
    """Return why a ratio says little."""
    if row.under_load:
        return "but measured under load"
    return "without intervals" if figure.low is None or row.interval is None else "the intervals overlap"


def _size(row: Throughput, figure: Figure) -> str:
    return "batch size %d" % figure.batch_size if figure.batch_size != row.batch_size else ""


def _verdict(result: BenchmarkResult) -> str:
    ended = "Interrupted after %.0f s." if result.interrupted else "Measured in %.0f s."
    ended = ended % result.seconds
    if not result.measured:
        return "Nothing could be measured. " + ended if result.interrupted else "Nothing could be measured."
    if len(result.measured) == 1:
        return ended
    fastest = result.fastest
    if fastest is None:
        return "Cannot tell which is the fastest: %s. %s" % (result.undecided, ended)
    return "%s is the fastest. %s" % (_label(fastest, result.rows), ended)


def tuning_line(tuning: Tuning) -> str:
    """Return a tuning in one line."""
    kept = ", ".join("%s %s" % (item.name, item.setting) for item in tuning.kept) or "nothing"
    gain = "" if tuning.gain is None else ", %s times as fast" % ratio(tuning.gain)
    return "devicekit: %s with %s: %s kept%s" % (tuning.device, tuning.framework, kept, gain)


def tuning_text(tuning: Tuning, style: Style) -> str:
    """Return the report of ``devicekit tune``: what was tried and kept, and how to set it without devicekit."""
    heading = "devicekit tune: %s on %s with %s" % (
        tuning.model, tuning.device, framework_title(tuning.framework)
    )  # fmt: skip
    lines = [style.paint(style.plain(heading), "head"), style.rule]
    for item in tuning.options:
        lines += _option_lines(item, style)
    if not tuning.options:
        lines.append("There are no options to try here.")
    kept = tuning.kept
    commands = [("%s=%s" % pair) for item in kept for pair in item.environment]
    commands += [call for item in kept for call in item.calls]
    if commands:
        lines += ["", style.paint("To set it yourself", "head")]
        lines += ["    " + style.paint(style.plain(text), "good") for text in commands]
    if tuning.cached:
        lines += [""] + style.wrap("This is a cached result, measured earlier in the same state of this machine.")
    if tuning.findings:
        lines += ["", *findings_lines(tuning.findings, style)]
    lines += [style.rule, style.paint(style.plain(_tuning_verdict(tuning)), "good" if kept else "dim")]
    return "\n".join(lines) + "\n"


def _option_lines(item: TunedOption, style: Style) -> List[str]:
    gain: Optional[str] = None if item.gain is None else "%s times" % ratio(item.gain)
    state: Any = "kept" if item.kept else "left"
    head = "%s %s" % (item.name, item.setting)
    lines = ["%s  %s  %s" % (style.paint(state, "good" if item.kept else "dim"), style.plain(head), gain or "")]
    return [line.rstrip() for line in lines] + (style.wrap(item.reason, "      ") if item.reason else [])


def _tuning_verdict(tuning: Tuning) -> str:
    if not any(item.gain is not None for item in tuning.options):
        return "Nothing could be measured: keep the framework's defaults."
    if not tuning.kept and tuning.undecided:
        return "Cannot tell whether other settings are faster: %s. Measured in %.0f s." % (
            tuning.undecided, tuning.seconds
        )  # fmt: skip
    if not tuning.kept:
        return "The framework's defaults are the fastest settings here. Measured in %.0f s." % tuning.seconds
    gain = "" if tuning.gain is None else ": together %s times as fast as the framework's defaults" % ratio(tuning.gain)
    return "%s kept%s. Measured in %.0f s." % (count(len(tuning.kept), "setting"), gain, tuning.seconds)
