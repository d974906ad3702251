"""From a log to the root cause: lines are compared with signatures (data), the matches are weighed, findings come out.

Pure: text in, findings out. `read_log` is the whole way; everything else here is one step of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine import Explanation as Explanation
    from .engine import HarmlessLine as HarmlessLine
    from .excepthook import uninstall_excepthook as uninstall_excepthook
    from .explain import explain_log as explain_log

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Explanation": "engine",
            "HarmlessLine": "engine",
            "explain_log": "explain",
            "uninstall_excepthook": "excepthook",
        },
    )
