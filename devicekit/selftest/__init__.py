"""What could kill or hang this process is tried in a child first.

`try_device` starts it with a time limit and returns a `Trial` of a closed set of outcomes; `verdicts` keeps the
result under a fingerprint of all that it depended on.
"""

from .start import OUTCOMES, Trial, try_device
from .verdicts import fingerprint, load_verdict, save_verdict

__all__ = ["OUTCOMES", "Trial", "fingerprint", "load_verdict", "save_verdict", "try_device"]
