"""How training drifts from the reference, compared with what rounding and another seed alone do."""

from math import isfinite
from typing import Any, List, NamedTuple, Sequence, Tuple

from ...measure.numerics.result import Comparison, Divergence
from .drawing import BLUE, FAINT, GREEN, GREY, INK, RED, WIDE, Entries, Panel, decades, label, shortened


def divergence_panels(comparison: Comparison, width: float) -> Tuple[Panel, ...]:
    """Return one panel for each device and optimizer, all with the same axes."""
    items = comparison.divergences
    values = [value for item in items for curve in (item.weights, item.rounding, item.seed) for value in curve]
    steps = max([len(curve) for item in items for curve in (item.weights, item.rounding, item.seed)] or [1])
    least, most = _limits(values)
    if any(item.first_step is not None for item in items):
        most *= (most / least) ** 0.22  # room for a note above the curves
    return tuple(_panel(item, _Axes(least, most, steps), width) for item in items)


class _Curve(NamedTuple):
    """The distance from the reference after each step, and how it is drawn."""

    values: Sequence[float]
    color: str
    line: str
    mark: str
    text: str


class _Axes(NamedTuple):
    """The ends of the axes of all panels."""

    least: float
    most: float
    steps: int


def _panel(item: Divergence, ends: _Axes, width: float) -> Panel:
    wide = width >= WIDE
    curves = [
        _Curve(item.weights, BLUE, "-", "o", "this device"),
        _Curve(item.rounding, GREY, "--", "s", "one weight rounded, on the reference"),
        _Curve(item.seed, GREEN, ":", "^", "another seed, on the reference"),
    ]
    measured = [curve for curve in curves if curve.values]
    title = "%s on %s: %s" % (item.label, item.device, item.verdict)
    return Panel(2.3, shortened(title, 80 if wide else 36), lambda axes: _draw(axes, item, measured, ends, wide))


def _draw(axes: Any, item: Divergence, curves: List[_Curve], ends: _Axes, wide: bool) -> Entries:
    from matplotlib.ticker import MaxNLocator

    axes.set_yscale("log")
    least, most, steps = ends
    axes.set_ylim(least, most)
    entries = [(_draw_curve(axes, curve, least, most), curve.text) for curve in curves]
    if item.first_step is not None:
        _mark_step(axes, item.first_step, most, late=item.first_step > steps / 2)
    axes.set_xlim(0.5, steps + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(8 if wide else 5, integer=True))
    decades(axes.yaxis, 6)
    axes.yaxis.grid(True, color=FAINT)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("step", loc="right")
    axes.set_ylabel("relative distance of weights", rotation_mode="anchor")
    if not curves:
        axes.text(1.0, least * 2, label(shortened(item.detail or "nothing was measured", 60)), color=INK)
    return entries


def _draw_curve(axes: Any, curve: _Curve, least: float, most: float) -> Any:
    """Draw a curve and return its mark for the legend."""
    from matplotlib.lines import Line2D

    # A logarithm of zero is drawn at the lower edge: no difference at all, which is not a gap.
    values = [max(value, least) if isfinite(value) else most for value in curve.values]
    style: Any = {
        "color": curve.color,
        "linestyle": curve.line,
        "marker": curve.mark,
        "markersize": 4.5,
        "linewidth": 1.8,
    }
    axes.plot(range(1, len(values) + 1), values, markevery=max(1, len(values) // 8), **style)
    return Line2D([], [], **style)


def _mark_step(axes: Any, step: int, most: float, late: bool) -> None:
    """Mark the step from which the distance is larger than rounding explains."""
    axes.axvline(step, color=RED, linewidth=1.4)
    axes.annotate(
        "further than rounding\nfrom step %d" % step,
        (step, most),
        xytext=(-6 if late else 6, -6),
        textcoords="offset points",
        va="top",
        ha="right" if late else "left",
        color=RED,
        fontsize=9.5,
    )


def _limits(values: List[float]) -> Tuple[float, float]:
    seen = [value for value in values if isfinite(value) and value > 0]
    if not seen:
        return 1e-8, 1.0
    return min(seen) / 2.0, max(seen) * 3.0
