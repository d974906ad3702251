"""The gain of each tuned setting, as a ratio to the speed without it."""

from typing import Any, Tuple

from ...measure.tuning.result import Tuning
from .drawing import BLUE, FAINT, GREY, INK, WIDE, Entries, Panel, rows_of_bars, shortened


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
