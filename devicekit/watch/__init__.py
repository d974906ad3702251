"""What looks at a program or a training while it runs, and says at the end what it saw."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .monitor import Monitor as Monitor
    from .result import MonitorReport as MonitorReport
    from .training_record import TrainingRecord as TrainingRecord

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Monitor": "monitor",
            "MonitorReport": "result",
            "TrainingRecord": "training_record",
        },
    )
