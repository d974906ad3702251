"""`plot`: what was measured, as a matplotlib figure."""

from typing import Any, Optional, Tuple

from ..measure.benchmark.result import BenchmarkResult
from ..measure.numerics.result import Comparison
from ..measure.tuning.result import Tuning

__all__ = ["plot"]

#: What can be drawn of a comparison.
_PARTS = ("errors", "divergence")


def plot(result: Any, what: Optional[str] = None, *, width: float = 10.0) -> Any:
    """Draw a measurement and return the figure.

    matplotlib's object-oriented interface is used: the back-end, the current figure and your settings stay as they are. A
    notebook shows the figure; ``figure.savefig("throughput.png")`` writes it.

    Parameters
    ----------
    result : BenchmarkResult, Comparison or Tuning
        A benchmark: throughput of each row, with the standard error of the mean. A comparison: maximum relative error of
        each layer or operation against its tolerance, and the divergence of training over steps beside what rounding and
        another seed alone would cause. A tuning: the gain of each option.
    what : {"errors", "divergence"} or None
        Of a comparison, only this; by default both, as far as they were measured.
    width : float
        Of the figure in inches; its height follows from what there is to draw.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    DevicekitError
        Where matplotlib is not installed.
    TypeError
        Where the result is of another kind.
    ValueError
        Where there is nothing to draw, or an argument is not one of the accepted.
    """
    from .figures.divergence import divergence_panels
    from .figures.drawing import Panel, figure
    from .figures.errors import error_panels
    from .figures.gains import gain_panels
    from .figures.throughput import throughput_panels

    if what is not None and (what not in _PARTS or not isinstance(result, Comparison)):
        raise ValueError(
            "what=%r is not known; of a Comparison, %s can be asked for, of all else nothing"
            % (what, " and ".join(_PARTS))
        )
    if not 2.0 <= width <= 40.0:
        raise ValueError("a width of %r inches cannot be drawn; it may be 2 to 40" % width)
    panels: Tuple[Panel, ...]
    if isinstance(result, BenchmarkResult):
        panels = throughput_panels(result, width)
    elif isinstance(result, Comparison):
        panels = error_panels(result, width) if what in (None, "errors") else ()
        panels += divergence_panels(result, width) if what in (None, "divergence") else ()
    elif isinstance(result, Tuning):
        panels = gain_panels(result, width) if result.options else ()
    else:
        raise TypeError(
            "a %s cannot be drawn; what benchmark(), compare() and tune() return can" % type(result).__name__
        )
    if not panels:
        raise ValueError("there is nothing to draw: this %s holds no measurements" % type(result).__name__)
    return figure(panels, width)
