"""A figure that a notebook shows without pyplot."""

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["ShownFigure"]


class ShownFigure(Figure):  # type: ignore[misc]
    """A matplotlib figure that is its own picture in a notebook: only figures of pyplot are shown there otherwise."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png", dpi=144)
        return stream.getvalue()
