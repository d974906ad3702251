"""What all figures share: colors, panels, labels, and numbers."""

import contextlib
import warnings
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from ...errors import DevicekitError, printable, text_of
from ...records import Record

#: Inches; from this width on, there is more room for names and numbers.
WIDE = 7.0

#: From the palette of Okabe and Ito, which works with any kind of color blindness (https://jfly.uni-koeln.de/color/);
#: a shape or a word repeats what a color means. In dark mode, a page replaces their values: see `svg.CLASSES`.
BLUE, RED, GREEN, PURPLE = "#0072b2", "#d55e00", "#00795c", "#a3548a"
INK, GREY, FAINT = "#1f2830", "#606c78", "#d5dbe1"

#: The style of these figures, whatever the user's own style is: they must be legible at the size they are made for.
_STYLE: Dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.facecolor": "white",
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 11.0,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "white",
    "font.size": 11.0,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "legend.fontsize": 10.0,
    "legend.frameon": False,
    "text.color": INK,
    "text.usetex": False,
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 10.0,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 10.0,
}


class Panel(Record):
    """Axes with a title and a legend."""

    height: float  # of the axes, in inches
    title: str
    draw: Callable[[Any], "Entries"]  # draws on the axes and returns the entries of the legend


#: Entries of a legend: marks and texts.
Entries = Sequence[Tuple[Any, str]]


def require_matplotlib() -> None:
    """Import matplotlib, or raise a DevicekitError that says how to install it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise DevicekitError(
            'figures need matplotlib, which cannot be imported (%s): pip install "devicekit[report]"' % text_of(error)
        ) from error


@contextlib.contextmanager
def matplotlib_style(**more: Any) -> Iterator[None]:
    """Draw in devicekit's style, then restore the user's settings."""
    import matplotlib

    settings = {name: value for name, value in dict(_STYLE, **more).items() if name in matplotlib.rcParams}
    with matplotlib.rc_context(settings):
        yield


#: Inches: margin, height of a title, of a line of a legend, and of what is below the axes.
_EDGE, _TITLE, _LEGEND_LINE, _FOOT = 0.08, 0.32, 0.215, 0.58


def figure(panels: Sequence[Panel], width: float) -> Any:
    """Return a figure with panels one below the other; the width is in inches."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib_style():
        drawn = Figure(figsize=(width, 1.0))
        canvas = FigureCanvasAgg(drawn)
        axes = [drawn.add_axes((0.1, 0.1, 0.8, 0.8), label=str(place)) for place in range(len(panels))]
        entries = [panel.draw(item) for panel, item in zip(panels, axes)]
        columns = [_columns(item, width) for item in entries]
        heads = [
            _TITLE + _LEGEND_LINE * -(-len(item) // number) + (0.06 if item else 0.0)
            for item, number in zip(entries, columns)
        ]
        height = _EDGE + sum(_FOOT + panel.height + head for panel, head in zip(panels, heads))
        drawn.set_size_inches(width, height)
        top = height - _EDGE
        for panel, item, legend, number, head in zip(panels, axes, entries, columns, heads):
            x, y = _EDGE / width, top / height
            drawn.text(x, y, label(panel.title), va="top", ha="left", fontsize=12, fontweight="bold", color=INK)
            if legend:
                _legend(drawn, legend, number, (x, (top - _TITLE + 0.06) / height))
            bottom = top - head - panel.height
            left = _EDGE + 1.04 * _label_width(canvas, item)  # the same font is not as wide at each resolution
            box = (left / width, bottom / height, (width - left - _EDGE * 1.5) / width, panel.height / height)
            item.set_position(box)
            top = bottom - _FOOT
    return drawn


def _label_width(canvas: Any, axes: Any) -> float:
    """Return the width of the labels left of the axes, in inches."""
    with warnings.catch_warnings():
        # Drawing the figure later warns about characters that the font lacks; once is enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        box = axes.yaxis.get_tightbbox(canvas.get_renderer())
    if box is None:
        return 0.0
    inside = axes.get_window_extent().x0 - box.x0
    return float(max(inside, 0.0) / axes.figure.dpi)


def _columns(entries: Entries, width: float) -> int:
    """Return the number of columns of a legend, estimated from its longest text."""
    taken, room = [len(text) * 5.8 + 38 for _, text in entries] or [1.0], (width - 2 * _EDGE) * 72
    return len(taken) if sum(taken) < room else max(1, int(room / max(taken)))


def _legend(figure: Any, entries: Entries, columns: int, place: Tuple[float, float]) -> None:
    figure.legend(
        [handle for handle, _ in entries],
        [label(text) for _, text in entries],
        loc="upper left",
        bbox_to_anchor=place,
        ncol=columns,
        borderaxespad=0.0,
        borderpad=0.0,
        labelspacing=0.5,
        handlelength=1.8,
        handletextpad=0.5,
        columnspacing=1.4,
    )


def label(text: str) -> str:
    """Return text that matplotlib shows unchanged: no formulas between dollar signs, no control characters."""
    return printable(text).replace("$", "\\$")


def shortened(text: str, most: int) -> str:
    """Return text of at most ``most`` characters; the middle of a longer path or name is left out.

    >>> shortened("encoder/block_2/attention", 15)
    'encode…ttention'
    """
    if len(text) <= most:
        return text
    start = (most - 1) * 3 // 7
    return text[:start] + "…" + text[len(text) - (most - 1 - start) :]


_DIGITS = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power(value: float, place: object = None) -> str:
    """Return a power of ten for a logarithmic axis: ``10⁻⁷``."""
    from math import floor, log10

    if value <= 0:
        return "0"
    exponent = floor(log10(value) + 0.5)
    return "10" + "".join(_DIGITS[digit] for digit in str(exponent))


def decades(axis: Any, most: int = 7) -> None:
    """Put at most ``most`` ticks at powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(base=10.0, numticks=most))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(power))


def rows_of_bars(axes: Any, names: Sequence[str]) -> List[int]:
    """Label the rows of a horizontal chart from top to bottom, and return their positions."""
    places = list(range(len(names)))
    axes.set_yticks(places)
    axes.set_yticklabels([label(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return places
