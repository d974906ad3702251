"""A plan becomes a process: apply it, try it, check it; scopes, and the adapters of the frameworks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .verification import Verification as Verification

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Verification": "verification",
        },
    )
