"""What was measured: benchmarks, comparisons and tunings, each drawing with a table of the same figures."""

from typing import Any, List, Optional, Sequence, Tuple

from ...measure.benchmark.result import BenchmarkResult
from ...measure.memory.estimate import MemoryEstimate
from ...measure.numerics.result import VERDICTS, Comparison, Difference, Divergence
from ...measure.tuning.result import Tuning
from ...selection.throughput import Throughput
from ...watch.result import CommandReport, LiveFigures, MonitorReport, NanReport
from ..amounts import count, framework_title, grouped, memory, ratio, relative, worst_first
from ..benchmark import against_line, row_details
from ..comparison import headline, rest_of
from ..figures.divergence import divergence_panels
from ..figures.errors import error_panels
from ..figures.throughput import gain_panels, row_labels, throughput_panels
from ..figures.training import training_panels
from ..memory_estimate import heading as memory_heading
from ..memory_estimate import layers, parts
from ..monitor import (
    command_conclusion,
    command_heading,
    command_rows,
    conclusion,
    duration,
    facts,
    live_rows,
    nan_heading,
    nan_rows,
    speed,
    where,
)
from .components import FIRST_ROWS, Drawing, Report, Section, Table, Tag, severity_tags

#: A page stays under a megabyte, whatever was measured.
_MOST_STEPS, _MOST_TRAININGS, _MOST_LETTERS = 12, 8, 240


def benchmark_report(result: BenchmarkResult) -> Report:
    """Return the throughput of each row, and the findings."""
    fastest = result.fastest
    tags = severity_tags(result.findings)
    broken = sum(1 for row in result.rows if row.problem)
    if broken:
        tags.append(Tag("error", "%s without figures" % count(broken, "row")))
    if result.undecided:
        tags.append(Tag("warning", "cannot tell which is the fastest"))
    if any(row.under_load for row in result.measured):
        tags.append(Tag("warning", "measured under load"))
    if not all(row.steady for row in result.measured):
        tags.append(Tag("warning", "not every row was steady: use a longer warm-up"))
    heading, lead = "Nothing could be measured", "None of the rows has figures."
    rows = result.measured
    if rows:
        first = fastest or rows[0]
        several = len(rows) > 1
        heading = "%s is the fastest" % first.device if several else "%s: %s" % (first.device, _rate(first))
        speed = ": %s %s per second" % (grouped(first.per_second), first.unit) if several else ""
        lead = "%s, %s%s with %s." % (first.model, first.mode, speed, framework_title(first.framework))
        if fastest is None:
            heading = "Cannot tell which is the fastest"
            lead = "%s, %s: %s." % (first.model, first.mode, result.undecided)
    lead += " Measured earlier." if result.cached else " Measured in %.0f seconds." % result.seconds
    sections = [_throughput_section(result)] if result.rows else []
    return Report("bench", heading, lead, tags, result.findings, "" if tags else "No problems found.", sections)


def comparison_report(comparison: Comparison) -> Report:
    """Return whether the devices agree with the reference, the largest errors, and the findings."""
    heading = headline(comparison)
    names = {
        "agrees": "within the tolerance",
        "reduced-precision": "in reduced precision",
        "differs": "outside",
        "not-compared": "not compared",
    }
    tags = []
    for name in reversed(VERDICTS):
        number = sum(item.verdict == name for item in comparison.differences)
        if number:
            tags.append(Tag(name, "%d %s" % (number, names.get(name, name.replace("-", " ")))))
    trainings = [item.verdict for item in comparison.divergences]
    if trainings:
        wrong = sum(item in ("differs", "failed") for item in trainings)
        compared = len(trainings) - trainings.count("not-compared")
        if wrong:
            tags.append(Tag("differs", "%d of %d training runs diverge" % (wrong, len(trainings))))
        elif compared:
            tags.append(Tag("agrees", "training follows the reference"))
        else:
            tags.append(Tag("not-compared", "training was not compared"))
    lead = "Compared: %s with %s, in %.0f seconds; seed %d." % (
        (comparison.subject or "computations", comparison.reference, comparison.seconds, comparison.seed)
    )
    rest = rest_of(comparison)
    lead = "%s %s" % (rest, lead) if rest else lead
    sections = [_error_section(comparison)] if comparison.differences else []
    sections += [_training_section(comparison)] if comparison.divergences else []
    none = "No device is outside its tolerance."
    return Report("numerics", heading, lead, tags, comparison.findings, none, sections)


def tuning_report(tuning: Tuning) -> Report:
    """Return what was tried, what was kept, and the gain."""
    heading = "%s with %s" % (tuning.device, framework_title(tuning.framework))
    lead = (
        "%s trains %s times as fast as with the defaults." % (tuning.model, ratio(tuning.gain)) if tuning.gain else ""
    )
    kept = Tag("good", "%s of %s kept" % (len(tuning.kept), count(len(tuning.options), "option")))
    sections = [_gain_section(tuning)] if tuning.options else []
    tags = [kept, *severity_tags(tuning.findings)]
    return Report("tune", heading, lead, tags, tuning.findings, "No problems found.", sections)


def monitor_report(report: MonitorReport) -> Report:
    """Return where a training's time went, and why."""
    record = report.record
    heading = "%s with %s on %s" % (record.model or "model", framework_title(record.framework), where(record))
    table = Table("What was measured", ("What", "Value"), facts(report), ())
    sections = [Section("Training", [table], "Times are medians of all steps but the first ones.")]
    if record.windows:
        rows = [
            ("%.0f" % item.at_s, str(item.steps), duration(item.seconds / item.steps), duration(item.wait_s))
            for item in record.windows
        ]
        heads = ("Seconds", "Steps", "Each", "Waiting, in all")
        text = "Seconds since the training began."
        drawing = Drawing("time", lambda width: training_panels(record, width), speed(report), notebook=True)
        sections.append(Section("Over time", [Table("Steps over time", heads, rows, (0, 1, 2, 3))], text, drawing))
    tags = severity_tags(report.findings)
    return Report("monitor", heading, speed(report) + ".", tags, report.findings, conclusion(report), sections)


def live_report(figures: LiveFigures) -> Report:
    """Return what was measured last, while a model is trained."""
    record = figures.record
    heading = "%s with %s, %.0f s" % (record.model or "model", framework_title(record.framework), record.seconds)
    table = Table("Training", ("What", "Now"), live_rows(figures), ())
    return Report("monitor", heading, "", [], (), "", [Section("Training", [table])])


def command_report(report: CommandReport) -> Report:
    """Return what a command did to this machine, and what slowed it down."""
    table = Table("What was measured", ("What", "Value"), [*command_rows(report.record)], ())
    sections = [Section("Command", [table], "")]
    tags, ending = severity_tags(report.findings), command_conclusion(report)
    return Report("command", command_heading(report.record), "", tags, report.findings, ending, sections)


def memory_report(estimate: MemoryEstimate) -> Report:
    """Return what a training step needs of the memory, and for what."""
    table = Table("Memory at the peak", ("For", "Size"), [tuple(row) for row in parts(estimate)], (1,))
    rows = [row[1:] for row in layers(estimate)]
    heads = ("Layer", "Variables, gradients, optimizer", "Outputs")
    text = "What a layer returns is not all kept: a framework that fuses operations keeps less."
    sections = [
        Section("Memory", [table]),
        Section("Layers", [Table("Memory of each layer", heads, rows, (1, 2))], text),
    ]
    conclusion = "It does not fit." if estimate.findings else ""
    title, tags = memory_heading(estimate), severity_tags(estimate.findings)
    return Report("memory", title, "", tags, estimate.findings, conclusion, sections)


def nan_report(report: NanReport) -> Report:
    """Return the first NaN of a training, and where it comes from."""
    heads = ("Device", "Precision", "First NaN or infinity", "Largest magnitude")
    table = Table("The step, repeated", heads, [tuple(row) for row in nan_rows(report.record)], (3,))
    sections = [Section("The step, repeated", [table], "")] if report.record.runs else []
    tags = severity_tags(report.findings)
    return Report("nan", nan_heading(report.record), "", tags, report.findings, "", sections)


def _throughput_section(result: BenchmarkResult) -> Section:
    description = "; ".join("%s: %s" % (row.device, _rate(row)) for row in result.rows[:FIRST_ROWS])
    heads = (
        "Device", "Model", "Batch", "Per second", "95 % interval", "Step, ms (p50, p90, p99)", "Memory", "State",
    )  # fmt: skip
    tables = [Table("Throughput of each row", heads, [_throughput(row) for row in result.rows], (2, 3, 4, 5, 6))]
    labels = dict(zip(result.rows, row_labels(list(result.rows))))
    details = [(labels[row], "; ".join(row_details(row)[1:])) for row in result.measured]
    if any(text for _, text in details):
        tables.append(Table("Operations, energy and load", ("Device", "Per row"), details))
    against = [
        (against_line(labels[row], row, figure),)
        for row in result.measured
        for figure in result.against
        if figure.same_work(row)
    ]
    if against:
        tables.append(Table("Compared with other figures", ("Comparison",), against))
    text = (
        "More is better. In 19 of 20 cases the interval covers what many more processes give on average (Student's t)."
    )
    drawing = Drawing("throughput", lambda width: throughput_panels(result, width), description)
    return Section("Throughput", tables, text, drawing)


def _throughput(row: Throughput) -> Tuple[Any, ...]:
    state = Tag("ok", "steady") if row.steady else Tag("warning", "not steady")
    if row.under_load:
        state = Tag("warning", "under load")
    if row.per_second is None:
        state = Tag("fails", _cut(row.problem) or "no figures")
    details = [row.precision] + ["XLA"] * bool(row.xla) + ["input pipeline"] * row.input_pipeline
    return (
        "%s, %s" % (row.device, framework_title(row.framework)),
        "%s, %s, %s" % (row.model, row.mode, ", ".join(details)),
        "{:,}".format(row.batch_size),
        grouped(row.per_second),
        " to ".join(map(grouped, row.interval or ())),
        ", ".join(grouped(1000 * seconds) for _, seconds in row.latency),
        memory(row.memory_peak_bytes),
        state,
    )


def _rate(row: Throughput) -> str:
    if row.per_second is None:
        return _cut(row.problem) or "no figures"
    return "%s %s/s" % (grouped(row.per_second), row.unit)


def _gain_section(tuning: Tuning) -> Section:
    description = "; ".join(
        "%s %s: %s" % (item.name, item.setting, ratio(item.gain) or "not measured") for item in tuning.options
    )
    rows = [
        (
            item.name,
            item.setting,
            ratio(item.gain) or "not measured",
            Tag("good", "kept") if item.kept else Tag("left out", "left out"),
            item.reason,
            ", ".join(["%s=%s" % pair for pair in item.environment] + list(item.calls)),
        )
        for item in tuning.options
    ]
    table = Table(
        "Options that were tried", ("Option", "Setting", "Gain", "Result", "Reason", "How to set it"), rows, (2,)
    )
    drawing = Drawing("gains", lambda width: gain_panels(tuning, width), description)
    return Section("Gains", [table], "Each option was measured against the same run without it.", drawing)


def _error_section(comparison: Comparison) -> Section:
    ordered = worst_first(comparison.differences)
    wrong = [item for item in ordered if item.verdict in ("differs", "failed", "unsupported")]
    description = "%d of %d are not within their tolerance" % (len(wrong), len(ordered))
    description += ": %s" % "; ".join("%s, %s" % (item.name, item.what) for item in wrong[:5]) if wrong else ""
    heads = ("What", "Result", "Device", "Max. error", "Mean error", "Tolerance", "ULP", "Cosine")
    rows = [_difference(item) for item in ordered]
    table = Table("Furthest from the reference", heads, rows, (3, 4, 5, 6, 7), preview=True)
    text = "Errors relative to the size of the reference, for the same inputs and weights; the mark is the tolerance."
    drawing = Drawing("error", lambda width: error_panels(comparison, width), _cut(description))
    return Section("Error and tolerance", [table], text, drawing)


def _difference(item: Difference) -> Tuple[Any, ...]:
    measure = item.measure
    ran_on = "ran on %s" % item.ran_on if item.verdict == "unsupported" and item.ran_on else ""
    arithmetic = item.arithmetic if measure is None or item.arithmetic != measure.dtype else ""
    broken = "%d not finite" % measure.nonfinite if measure is not None and measure.nonfinite else ""
    note = "; ".join(text for text in (arithmetic, ran_on, _cut(item.detail), broken) if text)
    figures: Tuple[str, ...] = ("", "", "", "", "")
    if measure is not None:
        figures = (
            relative(measure.max_relative_error),
            relative(measure.mean_relative_error),
            relative(measure.tolerance),
            grouped(measure.max_ulp),
            "%.6f" % measure.cosine,
        )
    layer = "the whole model" if item.kind == "model" else item.name
    name = "%s: %s%s" % (layer, item.what, ", %s" % measure.dtype if measure is not None else "")
    return (_cut(name), Tag(item.verdict, item.verdict, note), "%s %s" % (item.device, item.framework), *figures)


def _training_section(comparison: Comparison) -> Section:
    trainings = comparison.divergences
    description = "; ".join("%s on %s: %s" % (item.label, item.device, item.verdict) for item in trainings[:FIRST_ROWS])
    heads = ("Training", "Result", "First step", "Weights", "Rounding", "Another seed", "Loss", "Reference loss")
    rows: List[Tuple[Any, ...]] = [
        (
            "%s on %s" % (item.label, item.device),
            Tag(item.verdict, item.verdict, _cut(item.detail)),
            "" if item.first_step is None else "from step %d" % item.first_step,
            *_step(item, -1),
        )
        for item in trainings
    ]
    tables = [Table("Distance from the reference after the last step", heads, rows, tuple(range(2, 8)))]
    tables += [_steps(item) for item in trainings[:_MOST_TRAININGS]]
    text = (
        "How far the weights are from the reference after each step. For comparison: what one rounded weight and what another "
        "seed do to the reference itself. A device that only rounds differently stays near the first."
    )
    drawing = Drawing("training", lambda width: divergence_panels(comparison, width), _cut(description))
    return Section("Training", tables, text, drawing)


def _step(item: Divergence, step: int) -> Tuple[str, ...]:
    """Return the figures of a step; -1: the last."""
    distances = [_at(values, step) for values in (item.weights, item.rounding, item.seed)]
    losses = [_at(values, step) for values in (item.loss, item.reference_loss)]
    return (
        *("" if value is None else relative(value) for value in distances),
        *("" if value is None else "%.6g" % value for value in losses),
    )


def _at(values: Sequence[float], step: int) -> Optional[float]:
    return values[step] if values and step < len(values) else None


def _steps(item: Divergence) -> Table:
    """Return some steps of a training, from the first to the last."""
    number = max(len(item.weights), len(item.rounding), len(item.seed))
    every = max(1, -(-number // _MOST_STEPS))
    steps = sorted({*range(0, number, every), number - 1} if number else set())
    rows = [(str(step + 1), *_step(item, step)) for step in steps]
    heads = ("Step", "Weights", "Rounding", "Another seed", "Loss", "Reference loss")
    return Table("Steps of %s on %s" % (item.label, item.device), heads, rows, (1, 2, 3, 4, 5), folded=True)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
