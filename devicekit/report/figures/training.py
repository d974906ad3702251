"""The time of a training's steps, and what the GPUs did, over time."""

from typing import Any, List, NamedTuple, Sequence, Tuple

from ...watch.machine_causes import by_gpu
from ...watch.training_record import GpuSample, TrainingRecord
from .drawing import BLUE, FAINT, GREEN, INK, PURPLE, RED, WIDE, Entries, Panel

#: More points than these are not seen, and would make a page large; more GPUs neither.
_MOST_POINTS, _MOST_GPUS = 300, 4


class _Curve(NamedTuple):
    points: Sequence[Tuple[float, float]]
    color: str
    line: str
    mark: str
    text: str


def training_panels(record: TrainingRecord, width: float) -> Tuple[Panel, ...]:
    """Return the panel of the steps, and that of the GPUs if there are figures of any."""
    wide = width >= WIDE
    found = [("Time of a step, in milliseconds", _step_curves(record), 0.0)]
    gpus = [curve for index, samples in by_gpu(record.gpus).items() for curve in _gpu_curves(index, samples)]
    found.append(("GPUs, in percent", gpus[: 2 * _MOST_GPUS], 100.0))
    return tuple(_panel(title, curves, most, wide) for title, curves, most in found if curves)


def _panel(title: str, curves: List[_Curve], most: float, wide: bool) -> Panel:
    return Panel(2.0, title, lambda axes: _draw(axes, curves, most, wide))


def _step_curves(record: TrainingRecord) -> List[_Curve]:
    windows = [item for item in record.windows if item.steps]
    waits = [(item.at_s, 1000 * item.wait_s / item.steps) for item in windows if item.wait_s is not None]
    sampled = [(item.at_s, 1000 * item.wait_s) for item in record.samples if item.wait_s is not None]
    curves = [_Curve([(item.at_s, 1000 * item.seconds / item.steps) for item in windows], BLUE, "-", "o", "whole step")]
    if waits:
        curves.append(_Curve(waits, RED, "--", "s", "waiting for data"))
    else:
        curves.append(_Curve(sampled, RED, "", "s", "waiting for data, in synchronized steps"))
    return [curve for curve in curves if curve.points]


def _gpu_curves(index: int, samples: Sequence[GpuSample]) -> List[_Curve]:
    color = (BLUE, RED, GREEN, PURPLE)[index % 4]
    busy = [(item.at_s, float(item.utilization_percent)) for item in samples if item.utilization_percent is not None]
    held = [
        (item.at_s, 100.0 * item.memory_used_bytes / item.memory_bytes)
        for item in samples
        if item.memory_used_bytes is not None and item.memory_bytes
    ]
    curves = [
        _Curve(busy, color, "-", "o", "GPU %d: utilization" % index),
        _Curve(held, color, "--", "s", "GPU %d: memory" % index),
    ]
    return [curve for curve in curves if curve.points]


def _draw(axes: Any, curves: List[_Curve], most: float, wide: bool) -> Entries:
    from matplotlib.lines import Line2D

    entries: List[Tuple[Any, str]] = []
    for curve in curves:
        points = curve.points[:: -(-len(curve.points) // _MOST_POINTS)]
        style: Any = {"color": curve.color, "linestyle": curve.line, "marker": curve.mark, "markersize": 4.5}
        every = max(1, len(points) // 8) if curve.line else 1
        axes.plot(*zip(*points), markevery=every, linewidth=1.8, **style)
        entries.append((Line2D([], [], linewidth=1.8, **style), curve.text))
    axes.set_ylim(0.0, 1.08 * max([most] + [value for curve in curves for _, value in curve.points]) or 1.0)
    axes.set_xlim(left=0.0)
    axes.locator_params(axis="x", nbins=8 if wide else 5)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.grid(True, color=FAINT)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("seconds since the training began", loc="right", color=INK)
    return entries
