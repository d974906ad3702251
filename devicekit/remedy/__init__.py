"""From a diagnosis to a working environment: what to install, applied, checked, and undone if it does not help."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Attempt as Attempt
    from .result import Change as Change
    from .result import Remedy as Remedy

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(__name__, {"Attempt": "result", "Change": "result", "Remedy": "result"})
