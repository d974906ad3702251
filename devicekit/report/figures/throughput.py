"""Throughput of each device as bars, with the standard error of the mean."""

from typing import Any, Dict, List, Tuple

from ...measure.benchmark.result import BenchmarkResult
from ...selection.throughput import Throughput
from .drawing import BLUE, FAINT, GREY, INK, RED, WIDE, Entries, Panel, label, measured, rows_of_bars, shortened


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
        names = [shortened(name, 44 if wide else 20) for name in row_labels(rows)]
        places = rows_of_bars(axes, names)
        best = max((row.per_second or 0.0 for row in rows), default=0.0)
        for place, row in zip(places, rows):
            rate = row.per_second
            if rate is None:
                text = shortened("no figures: %s" % (row.problem or "nothing was measured"), 60 if wide else 26)
                axes.text(best * 0.01, place, label(text), va="center", color=RED, fontsize=10)
                continue
            axes.barh(place, rate, height=0.62, color=BLUE, linewidth=0)
            error = row.uncertainty or 0.0
            axes.errorbar(rate, place, xerr=error, color=INK, capsize=3.5, linewidth=1.2, capthick=1.2)
            axes.annotate(
                measured(rate, error),
                (rate + error, place),
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
        axes.set_xlabel("%s per second (mean ± standard error)" % label(rows[0].unit), loc="right")
        return ()

    title = "%s, %s" % (rows[0].model, rows[0].mode)
    return Panel(0.15 + 0.4 * len(rows), shortened(title, 80 if wide else 36), draw)
