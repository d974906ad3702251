"""Throughput of each device as bars, with the interval of another measurement, and the gain of each tuned setting."""

from typing import Any, Dict, List, Tuple

from ...measure.benchmark.result import BenchmarkResult
from ...measure.tuning.result import Tuning
from ...selection.throughput import Throughput
from ..amounts import grouped
from .drawing import BLUE, FAINT, GREY, INK, RED, WIDE, Entries, Panel, label, rows_of_bars, shortened


def gain_panels(tuning: Tuning, width: float) -> Tuple[Panel, ...]:
    """Return one panel: a bar for each option, and one for all options that were kept."""
    wide = width >= WIDE
    rows = [("%s: %s" % (item.name, item.setting), item.gain, item.kept) for item in tuning.options]
    if tuning.gain is not None:
        rows.append(("all kept options", tuning.gain, True))

    def draw(axes: Any) -> Entries:
        from matplotlib.patches import Patch

        places = rows_of_bars(axes, [shortened(name, 44 if wide else 22) for name, _, _ in rows])
        gains = [gain for _, gain, _ in rows if gain is not None]
        least, most = min(gains + [1.0]), max(gains + [1.0])
        room = max(most - least, 0.1)
        for place, (_, gain, kept) in zip(places, rows):
            if gain is None:
                axes.text(1.0 + room * 0.02, place, "not measured", va="center", color=GREY, fontsize=10)
                continue
            axes.barh(
                place,
                gain - 1.0,
                left=1.0,
                height=0.6,
                facecolor=BLUE if kept else "none",
                edgecolor=BLUE if kept else GREY,
                linewidth=1.2,
            )
            right = gain >= 1.0
            axes.text(
                gain + room * (0.02 if right else -0.02),
                place,
                "%.2f" % gain,
                va="center",
                ha="left" if right else "right",
                color=INK,
                fontsize=10,
            )
        axes.axvline(1.0, color=INK, linewidth=1.0)
        axes.set_xlim(least - room * (0.18 if least < 1.0 else 0.03), most + room * 0.2)
        axes.xaxis.grid(True, color=FAINT)
        axes.locator_params(axis="x", nbins=7 if wide else 4)
        axes.set_xlabel("speed relative to the speed without it", loc="right")
        return [
            (Patch(facecolor=BLUE, edgecolor=BLUE), "kept"),
            (Patch(facecolor="none", edgecolor=GREY), "left out"),
        ]

    title = "%s on %s with %s" % (tuning.model, tuning.device, tuning.framework)
    return (Panel(0.2 + 0.36 * max(len(rows), 1), shortened(title, 80 if wide else 36), draw),)


def throughput_panels(result: BenchmarkResult, width: float) -> Tuple[Panel, ...]:
    """Return one panel for each model and mode, because units differ."""
    groups: Dict[Tuple[str, str, str], List[Throughput]] = {}
    for row in result.rows:
        groups.setdefault((row.model, row.mode, row.unit), []).append(row)
    return tuple(_panel(rows, width) for rows in groups.values())


def row_labels(rows: List[Throughput]) -> List[str]:
    """Return labels that distinguish rows: the device, and what is not the same in all."""
    parts: List[List[str]] = [
        [row.framework for row in rows],
        [row.precision for row in rows],
        ["XLA" if row.xla else "" for row in rows],
        ["batch of %d" % row.batch_size for row in rows],
        ["with input pipeline" if row.input_pipeline else "" for row in rows],
    ]
    different = [part for part in parts if len(set(part)) > 1]
    return [
        ", ".join([row.device, *(part[place] for part in different if part[place])]) for place, row in enumerate(rows)
    ]


def _panel(rows: List[Throughput], width: float) -> Panel:
    wide = width >= WIDE

    def draw(axes: Any) -> Entries:
        from matplotlib.ticker import FuncFormatter

        names = [shortened(name, 44 if wide else 20) for name in row_labels(rows)]
        places = rows_of_bars(axes, names)
        best = max((max(row.per_second or 0.0, *(row.interval or (0.0,))) for row in rows), default=0.0)
        for place, row in zip(places, rows):
            rate = row.per_second
            if rate is None:
                text = shortened("no figures: %s" % (row.problem or "nothing was measured"), 60 if wide else 26)
                axes.text(best * 0.01, place, label(text), va="center", color=RED, fontsize=10)
                continue
            axes.barh(
                place,
                rate,
                height=0.62,
                facecolor="none" if row.under_load else BLUE,
                edgecolor=GREY if row.under_load else BLUE,
                linewidth=1.2 if row.under_load else 0,
            )
            low, high = row.interval or (rate, rate)
            if row.interval is not None:
                errors = [[rate - max(low, 0.0)], [high - rate]]
                axes.errorbar(rate, place, xerr=errors, color=INK, capsize=3.5, linewidth=1.2, capthick=1.2)
            axes.annotate(
                grouped(rate),
                (max(high, rate), place),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                color=INK,
                fontsize=10,
            )
        axes.set_xlim(0.0, (best or 1.0) * (1.22 if wide else 1.45))
        axes.xaxis.grid(True, color=FAINT)
        axes.spines["bottom"].set_color(GREY)
        axes.locator_params(axis="x", nbins=7 if wide else 4)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: "{:,g}".format(value)))
        axes.set_xlabel("%s per second" % label(rows[0].unit), loc="right")
        return _legend(rows)

    title = "%s, %s" % (rows[0].model, rows[0].mode)
    return Panel(0.15 + 0.4 * len(rows), shortened(title, 80 if wide else 36), draw)


def _legend(rows: List[Throughput]) -> Entries:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    measured = [row for row in rows if row.per_second]
    entries: List[Tuple[Any, str]] = []
    if any(not row.under_load for row in measured):
        entries.append((Patch(facecolor=BLUE, edgecolor=BLUE), "mean of the processes"))
    if any(row.under_load for row in measured):
        entries.append((Patch(facecolor="none", edgecolor=GREY), "measured under load"))
    if any(row.interval is not None for row in measured):
        mark = Line2D([], [], color=INK, linewidth=1.2, marker="|", markersize=7)
        entries.append((mark, "95 % confidence interval"))
    return entries
