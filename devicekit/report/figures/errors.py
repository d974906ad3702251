"""The error of each layer or operation on one device, and its tolerance."""

from math import isfinite
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ...measure.numerics.result import Comparison, Difference
from ..amounts import excess
from .drawing import BLUE, FAINT, GREY, INK, PURPLE, RED, WIDE, Entries, Panel, decades, label, rows_of_bars, shortened

#: More names than this are not legible in one figure: then the worst are drawn, in the order of computation.
MOST_ROWS = 48

#: Color and shape of a verdict.
_MARKS = {
    "agrees": (BLUE, "o", "within the tolerance"),
    "reduced-precision": (PURPLE, "D", "reduced precision"),
    "differs": (RED, "X", "outside the tolerance"),
}


class _Row(NamedTuple):
    """The largest errors of one layer or operation: of its output, and of its gradients."""

    name: str
    forward: Optional[Difference]
    gradient: Optional[Difference]


def error_panels(comparison: Comparison, width: float) -> Tuple[Panel, ...]:
    """Return one panel for each device."""
    devices: Dict[Tuple[str, str], List[Difference]] = {}
    for item in comparison.differences:
        devices.setdefault((item.device, item.framework), []).append(item)
    several = len({framework for _, framework in devices}) > 1
    drawn = {target: _rows(items) for target, items in devices.items()}
    # One axis for all panels, so that devices can be compared by eye.
    limits = _limits([row for rows in drawn.values() for row in rows])
    return tuple(
        _panel("%s %s" % (framework, device) if several else device, rows, limits, width)
        for (device, framework), rows in drawn.items()
    )


def _excess(item: Optional[Difference]) -> float:
    return -1.0 if item is None else excess(item)


def _name(item: Difference) -> str:
    """Return the name of a row: the model's own name would look like that of one more layer."""
    return "the whole model" if item.kind == "model" else item.name


def _rows(items: List[Difference]) -> List[_Row]:
    groups: Dict[Tuple[str, str], List[Difference]] = {}
    for item in items:
        if item.measure is not None:
            groups.setdefault((_name(item), item.measure.dtype), []).append(item)
    for item in items:
        if item.measure is None:  # it goes to the row of the same layer if there is one
            known = next((key for key in groups if key[0] == _name(item)), (_name(item), ""))
            groups.setdefault(known, []).append(item)
    several = len({dtype for _, dtype in groups if dtype}) > 1
    order = {id(item): place for place, item in enumerate(items)}
    rows = []
    for (name, dtype), members in sorted(groups.items(), key=lambda pair: min(order[id(item)] for item in pair[1])):
        gradients = [item for item in members if item.kind == "gradient" or item.what.startswith("gradient")]
        forward = [item for item in members if item not in gradients]
        title = "%s, %s" % (name, dtype) if several and dtype else name
        rows.append(_Row(title, max(forward, key=_excess, default=None), max(gradients, key=_excess, default=None)))
    return rows


def _panel(device: str, rows: List[_Row], limits: Tuple[float, float], width: float) -> Panel:
    total = len(rows)
    if total > MOST_ROWS:
        worst = sorted(
            range(total), key=lambda place: -max(_excess(rows[place].forward), _excess(rows[place].gradient))
        )
        rows = [rows[place] for place in sorted(worst[:MOST_ROWS])]
    wide = width >= WIDE

    def draw(axes: Any) -> Entries:
        from matplotlib.lines import Line2D

        _draw(axes, rows, limits, wide)
        handles = [
            (Line2D([], [], color=color, marker=mark, linestyle="none", markersize=7), text)
            for verdict, (color, mark, text) in _MARKS.items()
            if any(item is not None and item.verdict == verdict for row in rows for item in row[1:])
        ]
        if any(row.gradient is not None for row in rows):
            handles.append(
                (
                    Line2D([], [], color=GREY, marker="o", fillstyle="none", linestyle="none"),
                    "hollow: largest of its gradients",
                )
            )
            handles.append((Line2D([], [], color=GREY, marker="o", linestyle="none"), "filled: output"))
        handles.append(
            (
                Line2D([], [], color=INK, marker="|", linestyle="none", markersize=10, mew=1.6),
                "what rounding explains (tolerance)",
            )
        )
        return handles

    title = "Error on %s" % device
    if total > len(rows):
        title += ": the worst %d of %d" % (len(rows), total)
    return Panel(0.2 + 0.235 * max(len(rows), 2), shortened(title, 80 if wide else 36), draw)


def _draw(axes: Any, rows: List[_Row], limits: Tuple[float, float], wide: bool) -> None:
    places = rows_of_bars(axes, [shortened(row.name, 44 if wide else 25) for row in rows])
    axes.tick_params(axis="y", labelsize=9.5)
    axes.set_xscale("log")
    least, most = limits
    axes.set_xlim(least, most)
    broken = float("nan")
    # Few objects with many points each keep the page small.
    lines_x = [value for _ in places for value in (least, most, broken)]
    lines_y = [value for place in places for value in (place, place, broken)]
    axes.plot(lines_x, lines_y, color=FAINT, linewidth=0.8, zorder=0)
    ticks_x: List[float] = []
    ticks_y: List[float] = []
    points: Dict[Tuple[str, bool], List[Tuple[float, float]]] = {}
    for place, row in zip(places, rows):
        both = row.forward is not None and row.gradient is not None
        half = 0.15 if both else 0.3
        for item, offset in ((row.forward, -0.17 if both else 0.0), (row.gradient, 0.17 if both else 0.0)):
            if item is None:
                continue
            found, height = item.measure, place + offset
            if found is None:
                axes.text(least * 1.3, height, _missing(item), va="center", color=_missing_color(item), fontsize=9)
                continue
            if found.tolerance > 0:
                ticks_x += [found.tolerance, found.tolerance, broken]
                ticks_y += [height - half, height + half, broken]
            error = found.max_relative_error
            # A value that is not a number is drawn at the right edge, and an error of zero at the left edge.
            drawn = most / 1.3 if not isfinite(error) else min(max(error, least * 1.15), most / 1.3)
            points.setdefault((item.verdict, item is row.gradient), []).append((drawn, height))
            if not isfinite(error) or found.nonfinite:
                text = "%d not finite " % found.nonfinite if found.nonfinite else "not finite "
                axes.text(drawn / 1.25, height, text, va="center", ha="right", color=RED, fontsize=9)
    axes.plot(ticks_x, ticks_y, color=INK, linewidth=1.6, solid_capstyle="butt")
    for (verdict, hollow), members in points.items():
        color, mark, _ = _MARKS.get(verdict, (RED, "X", ""))
        axes.plot(
            [x for x, _ in members],
            [y for _, y in members],
            marker=mark,
            linestyle="none",
            color=color,
            markerfacecolor="none" if hollow else color,
            markeredgewidth=1.4,
            markersize=6.5,
            clip_on=False,
        )
    decades(axes.xaxis, 8 if wide else 5)
    axes.set_xlabel("maximum relative error (logarithmic)", loc="right")


def _missing_color(item: Difference) -> str:
    return GREY if item.verdict == "not-compared" else RED


def _missing(item: Difference) -> str:
    texts = {"failed": "failed", "not-compared": "not compared"}
    text = texts.get(item.verdict) or "no kernel" + (", ran on %s" % item.ran_on if item.ran_on else "")
    return label(shortened(text, 40))


def _limits(rows: List[_Row]) -> Tuple[float, float]:
    """Return the ends of the axis, around all positive errors and tolerances."""
    values = []
    for row in rows:
        for item in (row.forward, row.gradient):
            if item is not None and item.measure is not None:
                values += [item.measure.max_relative_error, item.measure.tolerance]
    seen = [value for value in values if isfinite(value) and value > 0]
    if not seen:
        return 1e-8, 1.0
    return max(min(seen), max(seen) * 1e-12) / 4.0, max(seen) * 4.0
