"""Starts the child with a time limit, and turns whatever happens into one of a closed set of outcomes."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import IO, Any, Dict, List, Optional, Sequence, Tuple

from ..request import NO_ACCELERATOR

__all__ = ["OUTCOMES", "Trial", "try_device"]

#: ``not-run``: the child could not be started, so nothing is known.
OUTCOMES = ("works", "raises", "dies", "hangs", "wrong", "not-run")

#: How much of the child's output is kept: its end, where the error is.
_TAIL_BYTES = 64 << 10

#: A cold import of TensorFlow takes up to 8 s, the first kernel on a GPU without machine code much longer.
TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Trial:
    """What happened in the child.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    stage : str
        ``"import"``, ``"list"`` or ``"compute"``: how far it came.
    detail : str
        Error message, signal or time limit.
    error : str
        Type of the exception, "" where there was none.
    devices : tuple of str
        What the framework listed.
    output : str
        The end of what it printed.
    """

    outcome: str
    stage: str = ""
    detail: str = ""
    error: str = ""
    devices: Tuple[str, ...] = ()
    output: str = ""


def try_device(index: int, grow: bool = True, timeout_s: float = TIMEOUT_S, executable: Optional[str] = None) -> Trial:
    """Import TensorFlow in a child, list its accelerators and compute on one.

    Parameters
    ----------
    index : int
        Which accelerator, in the framework's order.
    grow : bool
        Whether to let its memory grow, as `auto` would.
    timeout_s : float
        Seconds after which the child and all that it started are killed.
    executable : str or None
        The interpreter; this one by default.
    """
    python = executable or sys.executable
    if not python:
        return Trial("not-run", detail="this process does not know its interpreter (sys.executable is empty)")
    task = {"path": _absolute_path(), "index": index, "grow": grow, "no_accelerator": NO_ACCELERATOR}
    command = [python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py"), json.dumps(task)]
    return run_child(command, timeout_s)


def _absolute_path() -> List[str]:
    """This process's path: the child must judge the same environment."""
    try:
        cwd = os.getcwd()
    except OSError:  # the working folder was deleted: what was found there cannot be found again
        return [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]
    return [os.path.join(cwd, entry) if entry else cwd for entry in sys.path if isinstance(entry, str)]


def run_child(command: Sequence[str], timeout_s: float) -> Trial:
    """Run a child that speaks the protocol of `child`, whatever it does."""
    options: Dict[str, Any] = {}
    if os.name == "posix":
        options["start_new_session"] = True  # so that all that it starts can be ended with it
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=True,
            **options,
        )
    except (OSError, ValueError) as error:  # no memory, no process slot, the interpreter is gone
        return Trial("not-run", detail="the trial could not be started: %s" % error)
    tails = [_Tail(process.stdout), _Tail(process.stderr)]
    hung = False
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        hung = True
    finally:
        _end(process)
        for tail in tails:
            tail.close()
    return _judge(process.returncode, hung, timeout_s, tails[0].text(), tails[1].text())


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the child's whole session, and wait for the child so that no zombie stays."""
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # everybody has ended already
            pass
    elif process.poll() is None:
        process.kill()
    process.wait()


class _Tail:
    """Reads a pipe to its end in a thread and keeps the last part: a child may print a gigabyte."""

    def __init__(self, stream: "Optional[IO[bytes]]") -> None:
        assert stream is not None
        self._stream = stream
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while True:
                chunk = os.read(self._stream.fileno(), 1 << 16)
                if not chunk:
                    return
                self._kept = (self._kept + chunk)[-_TAIL_BYTES:]
        except (OSError, ValueError):  # the pipe was closed while it was read
            return

    def close(self) -> None:
        # A grandchild that left the session may hold the pipe open for ever: it is not waited for.
        self._thread.join(1.0)
        if not self._thread.is_alive():
            self._stream.close()

    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")


def _judge(status: Optional[int], hung: bool, timeout_s: float, answer: str, output: str) -> Trial:
    stage, devices, last = "start", (), {}  # type: str, Tuple[str, ...], Dict[str, Any]
    for line in answer.splitlines():
        try:
            data = json.loads(line)
        except ValueError:  # cut short when the child was killed
            continue
        if isinstance(data, dict) and data.get("protocol") == 1:
            last = data
            stage = str(data.get("stage", stage))
            if isinstance(data.get("devices"), list):
                devices = tuple(str(name) for name in data["devices"])
    if last.get("outcome") in ("works", "raises", "wrong"):
        # What it said counts even if it dies afterwards: some plug-ins crash while the interpreter shuts down.
        return Trial(last["outcome"], stage, str(last.get("message", "")), str(last.get("error", "")), devices, output)
    if hung:
        return Trial("hangs", stage, "no answer within %g s" % timeout_s, "", devices, output)
    return Trial("dies", stage, _death(status), "", devices, output)


def _death(status: Optional[int]) -> str:
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
