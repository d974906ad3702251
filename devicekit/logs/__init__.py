"""From a log to the root cause: lines are compared with signatures (data), the matches are weighed, findings come out.

Pure: text in, findings out. `read_log` is the whole way; everything else here is one step of it.
"""

from .engine import Explanation, read_log

__all__ = ["Explanation", "read_log"]
