"""Self-tests: what could kill or hang this process is tried in a child first.

`try_device` runs one with a time limit and returns a `Trial` of a closed set of outcomes; `cached_results` caches it,
keyed by a fingerprint of all that it depended on; `find_out` lets one of many processes try for all of them. Looking up a
cached result loads nothing that starts processes.
"""

from .cached_results import load_result, save_result
from .fingerprint import fingerprint
from .once import find_out
from .result import OUTCOMES, TIMEOUT_S, DeviceTask, Trial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import try_device

__all__ = [
    "OUTCOMES", "TIMEOUT_S", "DeviceTask", "Trial", "find_out", "fingerprint", "load_result", "save_result", "try_device",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name != "try_device":
        raise AttributeError("module 'devicekit.runtime.trial' has no attribute %r" % name)
    from .run import try_device

    return try_device
