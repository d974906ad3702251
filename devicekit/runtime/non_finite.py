"""A value of a training step that is NaN or infinite. Pure data, read without NumPy and without a framework."""

from typing import Optional, Tuple

from ..records import Record


class NonFinite(Record):
    """The first value of a step that is NaN or infinite.

    Attributes
    ----------
    phase : str
        ``"input"``, ``"forward"``, ``"loss"``, ``"gradient"`` or ``"update"``.
    name : str
        The layer; of an update the variable.
    operation : str
        The framework's name of the operation, "" if it is not known.
    dtype : str
        Of the values.
    nans, infinities : int
        Number of elements.
    rows : tuple of int
        The first examples of the batch that are concerned, as far as that can be seen.
    low, high : float or None
        The range of what went into the layer.
    """

    phase: str
    name: str
    operation: str = ""
    dtype: str = ""
    nans: int = 0
    infinities: int = 0
    rows: Tuple[int, ...] = ()
    low: Optional[float] = None
    high: Optional[float] = None
