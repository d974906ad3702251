"""What looks at a program or a training while it runs, and says at the end what it saw."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .monitor import Monitor as Monitor
    from .nan_guard import NanGuard as NanGuard
    from .result import CommandReport as CommandReport
    from .result import MonitorReport as MonitorReport
    from .result import NanReport as NanReport
    from .training_record import CommandRecord as CommandRecord
    from .training_record import NanRecord as NanRecord
    from .training_record import TrainingRecord as TrainingRecord

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "CommandRecord": "training_record",
            "CommandReport": "result",
            "Monitor": "monitor",
            "MonitorReport": "result",
            "NanGuard": "nan_guard",
            "NanRecord": "training_record",
            "NanReport": "result",
            "TrainingRecord": "training_record",
        },
    )
