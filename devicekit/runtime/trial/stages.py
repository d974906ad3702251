"""Takes a framework through all that a program does with it, in a child of an interpreter: see `stages_child`."""

import json
import os
from typing import Callable, Optional, Sequence

from .result import Trial
from .start import run_child

__all__ = ["try_framework"]

#: TensorFlow's own lines say why a device is left out; they go to the child's output, which nobody sees unasked.
_TALKATIVE = (("TF_CPP_MIN_LOG_LEVEL", "0"),)


def try_framework(
    framework: str,
    keras: bool,
    executable: str,
    path: Sequence[str],
    timeout_s: float,
    tick: Optional[Callable[[], None]] = None,
) -> Trial:
    """Import a framework in a child, list its devices, compute on each, train one step.

    Parameters
    ----------
    framework : {"tensorflow", "keras", "jax", "torch"}
        What to import.
    keras : bool
        With JAX and PyTorch: whether Keras computes with it here, and is what is trained.
    executable : str
        The interpreter, Python 3.6 or later.
    path : sequence of str
        Where it looks for packages.
    timeout_s : float
        Seconds after which the child and all that it started are killed.
    tick : callable or None
        Called about every second while it runs.

    Returns
    -------
    Trial
        Its stage is also ``"train"``.
    """
    if not executable:
        return Trial("not-run", detail="the interpreter does not know its own path (sys.executable is empty)")
    try:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stages_child.py")
    except OSError as error:  # a relative path, and the working folder was deleted
        return Trial("not-run", detail="the trial could not be started: %s" % error)
    # The child ends by itself some time after it should have been ended: this process may be killed while it waits.
    task = {"framework": framework, "keras": keras, "path": list(path), "limit_s": timeout_s + 5.0}
    return run_child([executable, script, json.dumps(task)], timeout_s, _TALKATIVE, tick)
