"""Questions that a driver answers: asked in a child process, since a driver's library can hang, print or kill.

The child runs while the rest of the machine is read; whoever needs the answer waits for it, until the deadline that all
questions of one look at the machine share.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, List, Mapping

from .host import Question

__all__ = ["PROTOCOL", "LiveQuestion"]

#: Raised when the form of the children's answers changes.
PROTOCOL = 1

#: Children that the system could not end (waiting in the kernel for a device): kept, so that nobody waits for them.
_unended: "List[subprocess.Popen[bytes]]" = []


class LiveQuestion(Question):
    """A child that asks a driver, started at once.

    Parameters
    ----------
    script : str
        The absolute path of the child. It gets one JSON argument and prints one JSON object as its last line:
        ``{"protocol": 1, "answer": {...}}`` or ``{"protocol": 1, "error": "..."}``.
    task : mapping
        The argument.
    deadline : float
        On the clock of `time.monotonic`.
    limit_s : float
        The seconds that the deadline stands for, for messages.
    """

    def __init__(self, script: str, task: Mapping[str, Any], deadline: float, limit_s: float) -> None:
        self._deadline = deadline
        self._limit_s = limit_s
        self._problem = ""
        self._process: "subprocess.Popen[bytes] | None" = None
        if not sys.executable or getattr(sys, "frozen", False):
            self._problem = "this program has no interpreter to ask with"
            return
        # Isolated: neither the working folder nor the user's variables and packages have a say in the child.
        command = [sys.executable, "-I", "-S", script, json.dumps(dict(task))]
        options: Dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x08000000}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options
            )
        except (OSError, ValueError, MemoryError, RuntimeError, subprocess.SubprocessError) as error:
            self._problem = "the child could not be started: %s" % (error or type(error).__name__)

    def answer(self) -> Mapping[str, Any]:
        """Wait for the answer.

        Raises
        ------
        OSError
            Where there is none: the driver gave no answer in time, the child died, or it says what failed.
        ChildProcessError
            Where the child could not be started: then nothing is known of the driver.
        """
        process, self._process = self._process, None
        if process is None:
            raise ChildProcessError(self._problem or "the question was asked once already")
        try:
            out, _ = process.communicate(timeout=max(0.05, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._problem = "no answer within %g s" % self._limit_s
            _end(process)
            raise OSError(self._problem) from None
        except BaseException:  # the user interrupted the wait
            _end(process)
            raise
        return _parse(out, process.returncode)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    try:
        process.wait(0.1)
    except subprocess.TimeoutExpired:
        _unended.append(process)


def _parse(out: bytes, status: int) -> Mapping[str, Any]:
    lines = out.decode("utf-8", "replace").strip().splitlines()
    try:
        data = json.loads(lines[-1]) if lines else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("protocol") != PROTOCOL:
        ending = "it was ended by signal %d" % -status if status < 0 else "status %d" % (status & 0xFFFFFFFF)
        raise OSError("the driver's library gave no answer (%s)" % ending)
    answer = data.get("answer")
    if not isinstance(answer, dict):
        raise OSError(str(data.get("error", "no answer"))[:500])
    return answer
