"""Starts the child with a time limit, and turns whatever happens into one of a closed set of outcomes."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ...children.output import Reader
from ...children.process_tree import MARK, ask_where, end_all
from ...selection.request import NO_ACCELERATOR
from .result import OUTCOMES, TIMEOUT_S, Trial

__all__ = ["OUTCOMES", "Trial", "absolute_path", "how_it_ended", "run_child", "try_device"]

#: What `child` speaks.
_PROTOCOL = 1

#: No memory, no process slot, no descriptors, no thread, the interpreter is gone, this one is shutting down.
_CANNOT_START = (OSError, ValueError, MemoryError, RuntimeError, subprocess.SubprocessError)

Environment = Sequence[Tuple[str, str]]
Tick = Callable[[], None]


def try_device(
    index: Optional[int],
    grow: bool = True,
    timeout_s: float = TIMEOUT_S,
    executable: Optional[str] = None,
    environment: Environment = (),
    tick: Optional[Tick] = None,
    framework: str = "tensorflow",
    libraries: Sequence[str] = (),
    plugins: Optional[Mapping[str, Any]] = None,
) -> Trial:
    """Import a framework in a child, list its accelerators and compute on one.

    Parameters
    ----------
    index : int or None
        Which accelerator, in the framework's order; None to import and list only.
    grow : bool
        Whether to let its memory grow, as `auto` would.
    timeout_s : float
        Seconds after which the child and all that it started are killed.
    executable : str or None
        The interpreter; this one by default.
    environment : sequence of (str, str)
        Variables to set in the child.
    tick : callable or None
        Called about every second while it runs.
    framework : {"tensorflow", "jax", "torch"}
        What to import.
    libraries : sequence of str
        Paths of libraries to load before that.
    plugins : mapping or None
        What the child has to know of plug-ins: ``device_type`` to try, ``others`` that do not count, and the class whose
        ``prepare`` is called (``"module:Class"``), each "" or empty where there is none.
    """
    python = executable or sys.executable
    if not python:
        return Trial("not-run", detail="this process does not know its interpreter (sys.executable is empty)")
    task: Dict[str, Any] = {"path": absolute_path(), "index": index, "grow": grow, "no_accelerator": NO_ACCELERATOR}
    task.update(framework=framework, libraries=list(libraries), device_type="", others=[], prepare="")
    task.update(plugins or {})
    # The child ends by itself some time after it should have been ended: this process may be killed while it waits.
    task["limit_s"] = timeout_s + 5.0
    try:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
    except OSError as error:  # a relative path, and the working folder was deleted
        return Trial("not-run", detail="the trial could not be started: %s" % error)
    return run_child([python, script, json.dumps(task)], timeout_s, environment, tick)


def absolute_path() -> List[str]:
    """Return this process's path: the child must judge the same environment."""
    try:
        cwd = os.getcwd()
    except OSError:  # the working folder was deleted: what was found there cannot be found again
        return [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]
    return [os.path.join(cwd, entry) if entry else cwd for entry in sys.path if isinstance(entry, str)]


def run_child(
    command: Sequence[str], timeout_s: float, environment: Environment = (), tick: Optional[Tick] = None
) -> Trial:
    """Run a child that speaks the protocol of `child`, whatever it does."""
    token = os.urandom(8).hex()
    readers: List[Reader] = []
    hung, answer = True, ""
    try:
        process = _start(command, dict(os.environ, **dict(environment, **{MARK: token})), readers)
    except _CANNOT_START as error:
        for reader in readers:
            reader.join()
        return Trial("not-run", detail="the trial could not be started: %s" % (error or type(error).__name__))
    try:
        hung = not _wait(process, timeout_s, tick)
        if hung:
            answer = readers[0].text()  # before the question, which may wake it
            ask_where(process)
    finally:
        # Also when the user interrupts the wait.
        ended = end_all(process, token)
        for reader in readers:
            reader.join()
    limit = "no answer within %g s%s" % (timeout_s, "" if ended else ", and the system cannot end it")
    answer = answer if hung else readers[0].text()
    return _judge(limit if hung else how_it_ended(process.returncode), hung, answer, readers[1].text())


def _start(command: Sequence[str], environ: Dict[str, str], readers: List[Reader]) -> "subprocess.Popen[bytes]":
    """Start the child with a reader on each of its outputs. Nothing stays open or running where that fails."""
    options: Dict[str, Any] = {}
    if os.name == "posix":
        options["start_new_session"] = True  # so that all that it starts can be ended with it
    # Made here and not by Popen, which up to Python 3.11 leaves some open where it runs out of descriptors.
    ours = [os.open(os.devnull, os.O_RDONLY)]
    try:
        for _ in range(2):
            reading, writing = os.pipe()
            ours.append(writing)
            readers.append(Reader(reading))
        return subprocess.Popen(
            list(command), stdin=ours[0], stdout=ours[1], stderr=ours[2], close_fds=True, env=environ, **options
        )
    finally:
        for descriptor in ours:
            os.close(descriptor)


def _wait(process: "subprocess.Popen[bytes]", timeout_s: float, tick: Optional[Tick]) -> bool:
    """Return whether the child ended in time."""
    deadline = time.monotonic() + timeout_s
    while True:
        left = deadline - time.monotonic()
        try:
            process.wait(max(0.0, left if tick is None else min(left, 1.0)))
            return True
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                return False
        if tick is not None:
            tick()


def _judge(ending: str, hung: bool, answer: str, output: str) -> Trial:
    stage, devices, last = "start", (), {}  # type: str, Tuple[str, ...], Dict[str, Any]
    for line in answer.splitlines():
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):  # cut short when the child was killed, or not the child's
            continue
        if isinstance(data, dict) and data.get("protocol") == _PROTOCOL:
            last = data
            stage = str(data.get("stage", stage))[:40]
            if isinstance(data.get("devices"), list):
                devices = tuple(str(name) for name in data["devices"])
    if last.get("outcome") in ("works", "raises", "wrong"):
        # What it said counts even if it dies afterwards: some plug-ins crash while the interpreter shuts down.
        detail, error = str(last.get("message", ""))[:4000], str(last.get("error", ""))[:200]
        files = last.get("files")
        loaded = tuple(str(path) for path in files) if isinstance(files, list) else ()
        return Trial(last["outcome"], stage, detail, error, devices, output, loaded)
    if stage == "start":
        # The interpreter itself did not come up here (no memory, or it is no Python): that says nothing of a framework.
        return Trial("not-run", stage, "the trial did not begin: %s" % ending, "", (), output)
    return Trial("hangs" if hung else "dies", stage, ending, "", devices, output)


def how_it_ended(status: Optional[int]) -> str:
    """Return how a child ended that gave no answer, for messages."""
    if os.name == "posix" and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # Then the system forgets how children ended, and Popen takes that for 0.
        return "it ended without an answer (how is not known, since this process ignores SIGCHLD)"
    if status is None:
        return "it ended without a status"
    if status < 0:
        try:
            return "it was ended by signal %s" % signal.Signals(-status).name
        except ValueError:
            return "it was ended by signal %d" % -status
    if status > 255:  # Windows ends a process with the code of its exception, such as 0xC0000005
        return "it was ended by exception 0x%08X" % status
    return "it ended with status %d and no answer" % status
