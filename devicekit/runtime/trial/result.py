"""`Trial`: the outcome of a self-test, one of a closed set."""

from typing import Any, Mapping, Optional, Sequence, Tuple

from ...records import Record

#: ``works``; ``wrong``: a result is not what it must be; the others as in `devicekit.children.call.OUTCOMES`. With
#: ``not-run`` nothing is known of the framework.
OUTCOMES = ("works", "wrong", "raised", "died", "hung", "not-run")

#: What is computed on a device, in this order; see `self_test_child`. Before that come ``"start"``, ``"import"``,
#: ``"prepare"`` and ``"list"``.
COMPUTING = ("product", "elementwise", "random", "convolution", "train")

#: A cold import of TensorFlow takes up to 8 s, the first kernel on a GPU without machine code much longer.
TIMEOUT_S = 90.0


class DeviceTask(Record):
    """What to try.

    Attributes
    ----------
    index : int or None
        Which accelerator, in the framework's order; None to import and list only.
    grow : bool
        Whether to let its memory grow, as `auto` would.
    framework : {"tensorflow", "jax", "torch"}
        What to import.
    libraries : sequence of str
        Paths of libraries to load before that.
    plugins : mapping or None
        What the child has to know of plug-ins: ``device_type`` to try, ``others`` that do not count, and the class whose
        ``prepare`` is called (``"module:Class"``); each may be missing.
    """

    index: Optional[int]
    grow: bool = True
    framework: str = "tensorflow"
    libraries: Sequence[str] = ()
    plugins: Optional[Mapping[str, Any]] = None


class Trial(Record):
    """The outcome of a self-test.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    stage : str
        ``"start"``, ``"import"``, ``"prepare"``, ``"list"`` or one of `COMPUTING`: how far it came.
    detail : str
        Error message, signal or time limit.
    error : str
        Type of the exception, "" without one.
    devices : tuple of str
        What the framework listed.
    output : str
        The beginning and the end of what it printed.
    files : tuple of str
        The native files that were loaded, if it came far enough to report them.
    device : str
        What the framework calls the device that was computed on at that stage, "" if none in particular.
    passed : tuple of str
        The stages that were completed, on every device that was tried.
    """

    outcome: str
    stage: str = ""
    detail: str = ""
    error: str = ""
    devices: Tuple[str, ...] = ()
    output: str = ""
    files: Tuple[str, ...] = ()
    device: str = ""
    passed: Tuple[str, ...] = ()
