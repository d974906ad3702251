"""What goes with what: bundled data, typed rows, and questions to them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .queries import Answer as Answer
    from .queries import driver_runs as driver_runs
    from .queries import goes_with as goes_with
    from .queries import has_code_for as has_code_for
    from .queries import has_wheel as has_wheel

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Answer": "queries",
            "driver_runs": "queries",
            "goes_with": "queries",
            "has_code_for": "queries",
            "has_wheel": "queries",
        },
    )
