"""Findings: rules, candidate devices, and what each framework will do."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .findings import Candidate as Candidate
    from .findings import Evidence as Evidence
    from .findings import Fix as Fix

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Candidate": "findings",
            "Evidence": "findings",
            "Fix": "findings",
        },
    )
