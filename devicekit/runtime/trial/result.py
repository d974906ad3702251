"""`Trial`: what happened in the child, one of a closed set of outcomes."""

from typing import Tuple

from ...records import Record

__all__ = ["OUTCOMES", "TIMEOUT_S", "Trial"]

#: ``not-run``: the child could not be started, or its interpreter did not come up, so nothing is known.
OUTCOMES = ("works", "raises", "dies", "hangs", "wrong", "not-run")

#: A cold import of TensorFlow takes up to 8 s, the first kernel on a GPU without machine code much longer.
TIMEOUT_S = 90.0


class Trial(Record):
    """What happened in the child.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    stage : str
        ``"start"``, ``"import"``, ``"list"`` or ``"compute"``: how far it came.
    detail : str
        Error message, signal or time limit.
    error : str
        Type of the exception, "" where there was none.
    devices : tuple of str
        What the framework listed.
    output : str
        The beginning and the end of what it printed.
    files : tuple of str
        The native files that were loaded, where it came far enough to say.
    """

    outcome: str
    stage: str = ""
    detail: str = ""
    error: str = ""
    devices: Tuple[str, ...] = ()
    output: str = ""
    files: Tuple[str, ...] = ()
