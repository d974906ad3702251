"""A request becomes a plan: which device, and why."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plan import Plan as Plan
    from .selection import Change as Change

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Change": "selection",
            "Plan": "plan",
        },
    )
