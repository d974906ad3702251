"""What could kill or hang this process is tried in a child first.

`try_device` starts it with a time limit and returns a `Trial` of a closed set of outcomes; `verdicts` keeps the
result under a fingerprint of all that it depended on; `find_out` lets one of many processes try for all of them.
To look a verdict up loads nothing that starts processes.
"""

from .fingerprint import fingerprint
from .trial import OUTCOMES, TIMEOUT_S, Trial
from .turns import find_out
from .verdicts import load_verdict, save_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .start import try_device

__all__ = [
    "OUTCOMES", "TIMEOUT_S", "Trial", "find_out", "fingerprint", "load_verdict", "save_verdict", "try_device",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name != "try_device":
        raise AttributeError("module 'devicekit.selftest' has no attribute %r" % name)
    from .start import try_device

    return try_device
