"""How training drifts from the reference, beside what rounding and another seed alone would do."""

from math import isfinite
from typing import Any, List, Sequence, Tuple

from ...measure.numerics.result import Comparison, Divergence
from .drawing import BLUE, FAINT, GREEN, GREY, INK, RED, WIDE, Entries, Panel, decades, label, shortened

__all__ = ["divergence_panels"]


def divergence_panels(comparison: Comparison, width: float) -> Tuple[Panel, ...]:
    """Return one panel for each device and optimizer."""
    return tuple(_panel(item, width) for item in comparison.divergences)


def _panel(item: Divergence, width: float) -> Panel:
    wide = width >= WIDE
    curves: List[Tuple[Sequence[float], str, str, str, str]] = [
        (item.weights, BLUE, "-", "o", "this device"),
        (item.rounding, GREY, "--", "s", "one weight rounded, on the reference"),
        (item.seed, GREEN, ":", "^", "another seed, on the reference"),
    ]
    curves = [curve for curve in curves if curve[0]]

    def draw(axes: Any) -> Entries:
        from matplotlib.lines import Line2D
        from matplotlib.ticker import MaxNLocator

        axes.set_yscale("log")
        least, most = _limits([value for curve in curves for value in curve[0]])
        if item.first_step is not None:
            most *= (most / least) ** 0.22  # room for its note, above the curves
        axes.set_ylim(least, most)
        steps = max([len(curve[0]) for curve in curves] or [1])
        handles = []
        for values, colour, line, mark, text in curves:
            # A logarithm of zero is drawn at the lower edge: no difference at all, which is not a gap.
            drawn = [max(value, least) if isfinite(value) else most for value in values]
            every = max(1, len(values) // 8)
            style = {"color": colour, "linestyle": line, "marker": mark, "markersize": 4.5, "linewidth": 1.8}
            axes.plot(range(1, len(values) + 1), drawn, markevery=every, **style)
            handles.append((Line2D([], [], **style), text))
        if item.first_step is not None:
            axes.axvline(item.first_step, color=RED, linewidth=1.4)
            late = item.first_step > steps / 2
            axes.annotate(
                "further than rounding\nfrom step %d" % item.first_step,
                (item.first_step, most),
                xytext=(-6 if late else 6, -6),
                textcoords="offset points",
                va="top",
                ha="right" if late else "left",
                color=RED,
                fontsize=9.5,
            )
        axes.set_xlim(0.5, steps + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(8 if wide else 5, integer=True))
        decades(axes.yaxis, 6)
        axes.yaxis.grid(True, color=FAINT)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("step", loc="right")
        axes.set_ylabel("relative distance of weights", rotation_mode="anchor")
        if not curves:
            axes.text(1.0, least * 2, label(shortened(item.detail or "nothing was measured", 60)), color=INK)
        return handles

    title = "%s on %s: %s" % (item.optimizer, item.device, item.verdict)
    return Panel(2.3, shortened(title, 80 if wide else 36), draw)


def _limits(values: List[float]) -> Tuple[float, float]:
    seen = [value for value in values if isfinite(value) and value > 0]
    if not seen:
        return 1e-8, 1.0
    return min(seen) / 2.0, max(seen) * 3.0
