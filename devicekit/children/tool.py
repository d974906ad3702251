"""Runs programs that others wrote: tools of the system, and those that take minutes, such as an installer."""

import os
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .output import MOST_TEXT_BYTES, BoundedText, WholeText
from .process_tree import TRIAL_MARK, end_all
from .spawn import CANNOT_START, NULL, TIMED_OUT, ToolResult, end_with_parent
from .windows_job import end_job, start_in_job

_STEP_S = 0.2


class _LastLine(BoundedText):
    """What is printed, with the line that was printed last."""

    def last_line(self) -> str:
        """Return the last line that is not empty, "" if nothing was printed."""
        lines = [line.strip() for line in self.text()[-2000:].splitlines()]
        return next((line for line in reversed(lines) if line), "")


def run_tool(command: Sequence[str], timeout_s: float) -> ToolResult:
    """Run a tool of the system, called by its absolute path, and return what it printed: all of it, or that it is too much.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    if not os.path.isabs(command[0]):
        raise ValueError("system tools are called by their absolute path, not %r" % command[0])
    outputs: List[WholeText] = []
    ends: List[int] = []
    try:
        for _ in range(2):
            reading, writing = os.pipe()
            ends.append(writing)
            outputs.append(WholeText(reading))
        process, job = start_in_job(command, os.environ, stdin=NULL, stdout=ends[0], stderr=ends[1])
    except CANNOT_START as error:
        raise error if isinstance(error, OSError) else OSError(str(error)) from error
    finally:
        for writing in ends:
            os.close(writing)
    try:
        status = process.wait(timeout_s)
    except TIMED_OUT:
        end_all(process, None, job=job)
        return ToolResult(None, "", "no answer within %g s" % timeout_s)
    except BaseException:  # the user interrupts the wait
        end_all(process, None, job=job)
        raise
    if job:
        end_job(job)
    for output in outputs:
        output.join()
        if output.too_much:
            return ToolResult(None, "", "it printed more than %d MiB" % (MOST_TEXT_BYTES >> 20))
    return ToolResult(status, outputs[0].text(), outputs[1].text())


def run_long_tool(
    command: Sequence[str],
    variables: Mapping[str, str],
    *,
    timeout_s: float,
    token: str,
    tick: Optional[Callable[[str], None]] = None,
    folder: Optional[str] = None,
    keep_open: Sequence[int] = (),
) -> ToolResult:
    """Run a program, called by its absolute path, and return what it printed; whatever happens, nothing of it stays running.

    Parameters
    ----------
    command : sequence of str
    variables : mapping of str to str
        Its environment.
    timeout_s : float
        Seconds after which it and all that it started are killed.
    token : str
        The value of the variable `TRIAL_MARK` in its environment, by which what it starts is found.
    tick : callable or None
        Called about every second with the last line that it printed.
    folder : str or None
        Its working folder.
    keep_open : sequence of int
        Descriptors that it inherits (POSIX).

    Raises
    ------
    OSError
        If it cannot be started.
    """
    if not os.path.isabs(command[0]):
        raise ValueError("tools are called by their absolute path, not %r" % command[0])
    reading, writing = os.pipe()
    output = _LastLine(reading)
    options: Dict[str, Any] = {}
    if os.name == "posix":
        options.update(pass_fds=tuple(keep_open), preexec_fn=end_with_parent())
    try:
        process, job = start_in_job(
            command,
            dict(variables, **{TRIAL_MARK: token}),
            stdin=NULL, stdout=writing, stderr=writing, cwd=folder, **options,
        )  # fmt: skip
    finally:
        os.close(writing)
    deadline, status = time.monotonic() + timeout_s, None
    next_tick = time.monotonic() + 1.0
    try:
        while status is None and time.monotonic() < deadline:
            try:
                status = process.wait(_STEP_S)
            except TIMED_OUT:
                pass
            if tick is not None and time.monotonic() >= next_tick:
                next_tick = time.monotonic() + 1.0
                tick(output.last_line())
    finally:
        # Also when the user interrupts the wait.
        end_all(process, token, job=job)
        output.join()
    return ToolResult(status, output.text(), "" if status is not None else "no end within %g s" % timeout_s)
