"""Runs a self-test in a child process with a time limit."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...children.call import ChildReport, Tick, run_child
from ...children.scripts import script_path
from ...children.spawn import absolute_path
from ...selection.request import NO_ACCELERATOR
from .result import OUTCOMES, TIMEOUT_S, DeviceTask, Trial

#: TensorFlow's own lines say why a device is left out; they go to the child's output, which is not shown by itself.
_TALKATIVE = (("TF_CPP_MIN_LOG_LEVEL", "0"),)


def try_device(
    task: DeviceTask,
    *,
    environment: Sequence[Tuple[str, str]] = (),
    executable: Optional[str] = None,
    timeout_s: float = TIMEOUT_S,
    tick: Optional[Tick] = None,
) -> Trial:
    """Import a framework in a child, list its accelerators and take one through what training touches.

    Parameters
    ----------
    task : DeviceTask
        What to try.
    environment : sequence of (str, str)
        Variables to set in the child.
    executable : str or None
        The interpreter; this one by default.
    timeout_s : float
        Seconds after which the child and all that it started are killed.
    tick : callable or None
        Called about every second while it runs.
    """
    values: Dict[str, Any] = {"device_type": "", "others": [], "prepare": "", "no_accelerator": NO_ACCELERATOR}
    values.update(vars(task), libraries=list(task.libraries))
    values.update(values.pop("plugins") or {})
    # The child must judge the same environment as this process.
    return _run(values, absolute_path(), environment, executable, timeout_s, tick)


def try_framework(
    task: Dict[str, Any], executable: str, path: Sequence[str], timeout_s: float, tick: Optional[Tick] = None
) -> Trial:
    """Import a framework in a child, list its devices, compute on each, train a model; see `self_test_child`.

    Parameters
    ----------
    task : dict
        ``framework``: ``"tensorflow"``, ``"keras"``, ``"jax"`` or ``"torch"``; ``keras``: with JAX and PyTorch, whether
        Keras computes with it here, and is what is trained.
    executable : str
        The interpreter, Python 3.6 or later.
    path : sequence of str
        Its module search path.
    timeout_s, tick
        See `try_device`.
    """
    if not executable:
        return Trial("not-run", detail="the interpreter does not know its own path (sys.executable is empty)")
    return _run(task, path, _TALKATIVE, executable, timeout_s, tick)


def _run(
    task: Dict[str, Any],
    path: Sequence[str],
    environment: Sequence[Tuple[str, str]],
    executable: Optional[str],
    timeout_s: float,
    tick: Optional[Tick],
) -> Trial:
    try:
        function = script_path("runtime/trial/self_test_child.py")
    except OSError as error:  # a relative path, and the working folder was deleted
        return Trial("not-run", detail="the child process could not be started: %s" % error)
    report = run_child(
        function, task, timeout_s=timeout_s, environment=environment, executable=executable, path=path, tick=tick
    )
    return trial_of(report)


def trial_of(report: ChildReport) -> Trial:
    """Return what a child's report says of a framework."""
    stage, device, devices = "start", "", ()  # type: str, str, Tuple[str, ...]
    passed: List[str] = []
    result = report.result if isinstance(report.result, dict) else {}
    for values in (*report.said, result):
        passed.append(stage)
        stage, device = str(values.get("stage", stage))[:40], str(values.get("device", device))[:200]
        if isinstance(values.get("devices"), list):
            devices = tuple(str(name) for name in values["devices"])
    outcome, error, detail = report.outcome, report.error, report.detail
    if outcome == "done":
        outcome, error, detail = result.get("outcome", ""), str(result.get("error", "")), str(result.get("message", ""))
        if outcome not in OUTCOMES[:3]:
            outcome, error, detail = "died", "", "it gave an answer that cannot be read"
    elif stage == "start" and outcome != "not-run":
        # The interpreter itself is broken here: that says nothing of a framework.
        outcome, error, detail = "not-run", "", "the self-test did not begin: %s" % detail
    files = result.get("files")
    loaded = tuple(str(path) for path in files) if isinstance(files, list) else ()
    done = tuple(name for name in dict.fromkeys(passed) if name != stage or outcome == "works")
    return Trial(outcome, stage, detail[:4000], error[:200], devices, report.output, loaded, device, done)
