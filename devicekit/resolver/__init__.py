"""Which releases work together: the ways to a goal, the search, and what prevents it. Pure.

The search itself is resolvelib's. What it knows of releases is the bundled data.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Resolution as Resolution

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Resolution": "result",
        },
    )
