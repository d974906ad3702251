"""The parts of a page that have drawings: each with the same figures as a table beside it."""

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from ..measure.benchmark.result import BenchmarkResult
from ..measure.numerics.result import Comparison, Difference, Divergence
from ..measure.tuning.result import Tuning
from ..selection.throughput import Throughput
from .amounts import memory, rate, ratio, relative, worst_first
from .figures.divergence import divergence_panels
from .figures.drawing import Panel, figure, measured
from .figures.errors import error_panels
from .figures.gains import gain_panels
from .figures.svg import inline_svg
from .figures.throughput import throughput_panels

__all__ = ["Plot", "Section", "Table", "comparison_sections", "gain_section", "throughput_section"]

#: Inches: for a page beside which there is room, and for a phone.
_BROAD, _NARROW = 10.6, 4.6

#: A page stays under a megabyte, whatever was measured.
_MOST_PLOTS, _MOST_ROWS, _FIRST_ROWS, _MOST_STEPS, _MOST_LETTERS = 8, 300, 12, 12, 240


class Plot(NamedTuple):
    """One drawing in two shapes; ``svg`` elements."""

    broad: Any
    narrow: Any


class Table(NamedTuple):
    """Figures; a cell is text, or a state with its sign."""

    caption: str
    heads: Tuple[str, ...]
    rows: List[Tuple[Any, ...]]
    numbers: Tuple[int, ...]
    folded: bool = False
    left_out: str = ""


class Section(NamedTuple):
    """A heading with drawings and tables."""

    title: str
    text: str
    plots: Tuple[Plot, ...]
    tables: Tuple[Table, ...]


def throughput_section(result: BenchmarkResult) -> Section:
    """Return the bars of a benchmark and the table of their figures."""
    told = "; ".join("%s: %s" % (row.device, _rate(row)) for row in result.rows[:_FIRST_ROWS])
    plots = _plots("throughput", throughput_panels(result, _BROAD), throughput_panels(result, _NARROW), told)
    heads = (
        "Device", "Model", "Mode", "Precision", "Batch", "Per second", "Deviation", "Jitter", "Memory peak", "State",
    )  # fmt: skip
    rows = [_throughput(row) for row in result.rows[:_MOST_ROWS]]
    table = Table("Throughput of each row", heads, rows, (4, 5, 6, 7, 8), left_out=_left_out(len(result.rows)))
    text = "More is better. The uncertainty is the standard error of the mean over the steps."
    return Section("Throughput", text, plots, (table,))


def comparison_sections(comparison: Comparison) -> List[Section]:
    """Return the errors against their tolerances, and the divergence of training."""
    sections = []
    if comparison.differences:
        sections.append(_errors(comparison))
    if comparison.divergences:
        sections.append(_training(comparison))
    return sections


def gain_section(tuning: Tuning) -> Section:
    """Return the gain of each option and the table of them."""
    told = "; ".join(
        "%s %s: %s" % (item.name, item.setting, ratio(item.gain) or "not measured") for item in tuning.options
    )
    plots = _plots("gains", gain_panels(tuning, _BROAD), gain_panels(tuning, _NARROW), told)
    rows = [
        (
            item.name,
            item.setting,
            ratio(item.gain) or "not measured",
            _tag("good", "kept") if item.kept else _tag("left out", "left out"),
            item.reason,
            ", ".join(["%s=%s" % pair for pair in item.environment] + list(item.calls)),
        )
        for item in tuning.options
    ]
    table = Table("Options that were tried", ("Option", "Setting", "Gain", "Verdict", "Why", "It takes"), rows, (2,))
    return Section("Gains", "Each option was measured beside the same run without it.", plots, (table,))


def _plots(name: str, broad: Sequence[Panel], narrow: Sequence[Panel], told: str) -> Tuple[Plot, ...]:
    """Draw each panel in both shapes; imports matplotlib, and says so where it is not installed."""
    made = []
    for place, (one, other) in enumerate(zip(broad[:_MOST_PLOTS], narrow)):
        drawn = [
            _Svg(inline_svg(figure([panel], width), "%s-%d-%s" % (name, place, shape), panel.title, told))
            for panel, width, shape in ((one, _BROAD, "broad"), (other, _NARROW, "narrow"))
        ]
        made.append(Plot(*drawn))
    return tuple(made)


class _Svg(str):
    """An element that `inline_svg` made, in which everything is escaped: the template takes it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def _tag(kind: str, text: str, more: str = "") -> Dict[str, str]:
    return {"kind": kind, "text": text, "more": more}


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def _left_out(number: int) -> str:
    return "%d more are not shown: they are in the JSON." % (number - _MOST_ROWS) if number > _MOST_ROWS else ""


def _undrawn(number: int) -> str:
    return " The first %d of %d are drawn." % (_MOST_PLOTS, number) if number > _MOST_PLOTS else ""


def _rate(row: Throughput) -> str:
    if row.per_second is None:
        return _cut(row.problem) or "no figures"
    return "%s %s/s" % (measured(row.per_second, row.uncertainty or 0.0), row.unit)


def _throughput(row: Throughput) -> Tuple[Any, ...]:
    state = _tag("ok", "steady") if row.steady else _tag("warning", "not steady")
    if row.per_second is None:
        state = _tag("fails", _cut(row.problem) or "no figures")
    how = ["XLA"] * bool(row.xla) + ["input pipeline"] * row.input_pipeline
    return (
        "%s, %s" % (row.device, row.framework),
        row.model,
        row.mode,
        ", ".join([row.precision, *how]),
        str(row.batch_size),
        "" if row.per_second is None else _rate(row),
        rate(row.deviation),
        rate(row.jitter),
        memory(row.memory_peak_bytes),
        state,
    )


def _errors(comparison: Comparison) -> Section:
    ordered = worst_first(comparison.differences)
    wrong = [item for item in ordered if item.verdict in ("differs", "failed", "unsupported")]
    told = "Of %d, %d are not within a tolerance" % (len(ordered), len(wrong))
    told += ": %s" % "; ".join("%s, %s" % (item.name, item.what) for item in wrong[:5]) if wrong else ""
    panels = error_panels(comparison, _BROAD)
    plots = _plots("error", panels, error_panels(comparison, _NARROW), _cut(told))
    heads = ("What", "Verdict", "Device", "Max. error", "Mean error", "Tolerance", "ULP", "Cosine")
    numbers = (3, 4, 5, 6, 7)
    rows = [_difference(item) for item in ordered[:_MOST_ROWS]]
    tables = [Table("Furthest from the reference", heads, rows[:_FIRST_ROWS], numbers)]
    if len(rows) > _FIRST_ROWS:
        caption = (
            "All %d that were compared" % len(ordered) if len(ordered) == len(rows) else "The worst %d" % len(rows)
        )
        tables.append(Table(caption, heads, rows, numbers, True, _left_out(len(ordered))))
    text = "Relative to the size of the reference, for the same inputs and weights; the mark is the tolerance."
    return Section("Error against tolerance", text + _undrawn(len(panels)), plots, tuple(tables))


def _difference(item: Difference) -> Tuple[Any, ...]:
    found = item.measure
    ran = "ran on %s" % item.ran_on if item.verdict == "unsupported" and item.ran_on else ""
    arithmetic = item.arithmetic if found is None or item.arithmetic != found.dtype else ""
    remark = "; ".join(text for text in (arithmetic, ran, _cut(item.detail)) if text)
    figures: Tuple[str, ...] = ("", "", "", "", "")
    if found is not None:
        remark += "; %d not finite" % found.nonfinite if found.nonfinite else ""
        figures = (
            relative(found.max_relative_error),
            relative(found.mean_relative_error),
            relative(found.tolerance),
            "%.3g" % found.max_ulp,
            "%.6f" % found.cosine,
        )
    name = "%s: %s%s" % (item.name, item.what, ", %s" % found.dtype if found is not None else "")
    return (_cut(name), _tag(item.verdict, item.verdict, remark), "%s %s" % (item.device, item.framework), *figures)


def _training(comparison: Comparison) -> Section:
    found = comparison.divergences
    told = "; ".join("%s on %s: %s" % (item.optimizer, item.device, item.verdict) for item in found[:_FIRST_ROWS])
    plots = _plots(
        "training", divergence_panels(comparison, _BROAD), divergence_panels(comparison, _NARROW), _cut(told)
    )
    heads = ("Training", "Verdict", "First step", "Weights", "Rounding", "Another seed", "Loss", "Reference loss")
    rows: List[Tuple[Any, ...]] = [
        (
            "%s on %s" % (item.optimizer, item.device),
            _tag(item.verdict, item.verdict, _cut(item.detail)),
            "" if item.first_step is None else str(item.first_step),
            *[_last(values) for values in (item.weights, item.rounding, item.seed)],
            *["%.6g" % values[-1] if values else "" for values in (item.loss, item.reference_loss)],
        )
        for item in found
    ]
    tables = [Table("Distance from the reference after the last step", heads, rows[:_MOST_ROWS], tuple(range(2, 8)))]
    tables += [_steps(item) for item in found[:_MOST_PLOTS]]
    text = (
        "How far the weights are from the reference's after each step, beside what one rounded weight and what another seed "
        "do to the reference itself: a device that is only rounding differently stays near the first."
    )
    return Section("Training", text + _undrawn(len(found)), plots, tuple(tables))


def _last(values: Sequence[float]) -> str:
    return relative(values[-1]) if values else ""


def _steps(item: Divergence) -> Table:
    """Return some steps of a training, from the first to the last."""
    number = max(len(item.weights), len(item.rounding), len(item.seed))
    every = max(1, -(-number // _MOST_STEPS))
    steps = sorted({*range(0, number, every), number - 1} if number else set())
    rows: List[Tuple[Any, ...]] = [
        (
            str(step + 1),
            *[
                relative(values[step]) if step < len(values) else ""
                for values in (item.weights, item.rounding, item.seed)
            ],
            *["%.6g" % values[step] if step < len(values) else "" for values in (item.loss, item.reference_loss)],
        )
        for step in steps
    ]
    heads = ("Step", "Weights", "Rounding", "Another seed", "Loss", "Reference loss")
    caption = "Steps of %s on %s" % (item.optimizer, item.device)
    return Table(caption, heads, rows, (1, 2, 3, 4, 5), True)
