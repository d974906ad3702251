"""Calls a function in a child process: starts it, listens, and turns whatever happens into one of a closed set of outcomes.

`Child` is started at once and answers later; `run_child` does both. What the child does is in `child`.
"""

import json
import os
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ..records import Record
from .output import FOREIGN_ANSWER_BYTES, MOST_ANSWER_BYTES, BoundedText, Messages
from .process_tree import PATIENCE_S, TRIAL_MARK, ask_where, end_all
from .scripts import package_folder, python_command
from .spawn import CANNOT_START, NULL, TIMED_OUT, Process, absolute_path, how_it_ended, spawn, why_not_started
from .windows_job import start_in_job

#: ``done``: the function returned; ``raised``: it raised; ``died``: the process ended by a signal, or without an answer;
#: ``hung``: it gave no answer in time; ``not-run``: the process could not be started, or its interpreter did not come up.
OUTCOMES = ("done", "raised", "died", "hung", "not-run")

#: Longer orders go by a file: Windows takes 32,767 characters for a whole command, Linux 128 KiB for an argument.
_LONGEST_ARGUMENT = 8000

#: Of a process that the user does not wait for, and that may wait in the kernel for ever.
_QUICK_PATIENCE_S = 0.1

Environment = Sequence[Tuple[str, Optional[str]]]
Tick = Callable[[], None]
Listener = Callable[[Dict[str, Any]], None]


class ChildReport(Record):
    """The outcome of a child.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    result : object
        What the function returned; None unless ``done``.
    error : str
        Type of the exception, "" without one.
    detail : str
        Message, signal or time limit.
    output : str
        Beginning and end of what was printed.
    said : tuple of dict
        What the function reported on its way.
    """

    outcome: str
    result: Any = None
    error: str = ""
    detail: str = ""
    output: str = ""
    said: Tuple[Dict[str, Any], ...] = ()


class Command(Record):
    """What to start.

    Attributes
    ----------
    arguments : tuple of str
        The interpreter, its options and a script.
    order : bytes
        For the script's standard input.
    environment : tuple of (str, str or None)
        Variables to set, or to remove.
    quick : bool
        A short question: what it prints is dropped, what left its session is not looked for, and a process that cannot
        be killed is given up at once.
    answer_bytes : int
        How much it may answer; another interpreter is asked short questions.
    """

    arguments: Tuple[str, ...]
    order: bytes = b""
    environment: Tuple[Tuple[str, Optional[str]], ...] = ()
    quick: bool = False
    answer_bytes: int = MOST_ANSWER_BYTES

    @classmethod
    def of(
        cls,
        function: str,
        task: Dict[str, Any],
        *,
        limit_s: float,
        path: Optional[Sequence[str]] = None,
        executable: Optional[str] = None,
        options: Sequence[str] = (),
        environment: Environment = (),
        quick: bool = False,
    ) -> "Command":
        """Return the command that calls a function; see `child` for its order.

        The process ends by itself some time after ``limit_s``: this one may be killed while it waits.
        """
        order = json.dumps({"function": function, "task": task, "path": path, "limit_s": limit_s + 5.0})
        arguments = python_command(executable or sys.executable, options, "children/child.py")
        most = FOREIGN_ANSWER_BYTES if executable else MOST_ANSWER_BYTES
        if len(order) <= _LONGEST_ARGUMENT:
            return cls((*arguments, order), b"", tuple(environment), quick, most)
        return cls(arguments, order.encode("utf-8"), tuple(environment), quick, most)


class Child:
    """A child process that was started; see `run_child`.

    Parameters
    ----------
    command : Command
        What to start.
    on_message : callable or None
        Called with what it says, in another thread; what that raises is raised by `wait`.

    Attributes
    ----------
    problem : str
        Why it could not be started, "" otherwise.
    """

    def __init__(self, command: Command, on_message: Optional[Listener] = None) -> None:
        self.problem = ""
        self._quick = command.quick
        self._token = None if command.quick else os.urandom(8).hex()
        self._answers: Optional[Messages] = None
        self._output: Optional[BoundedText] = None
        self._process: "Optional[Process[bytes]]" = None
        self._job = 0
        if not command.arguments[0]:
            self.problem = "this process does not know its interpreter (sys.executable is empty)"
            return
        if getattr(sys, "frozen", False) and command.arguments[0] == sys.executable:
            # It would be started again instead, and start itself again.
            self.problem = "this program is frozen, and has no interpreter to start"
            return
        try:
            self._process = self._start(command, on_message)
        except CANNOT_START as error:
            for reader in (self._answers, self._output):
                if reader is not None:
                    reader.join()
            self.problem = "the child process could not be started: %s" % why_not_started(error)

    def _start(self, command: Command, on_message: Optional[Listener]) -> "Process[bytes]":
        """Start the child with a reader on each of its outputs. Nothing stays open or running if that fails."""
        variables = dict(os.environ)
        for name, value in (*command.environment, (TRIAL_MARK, self._token)):
            if value is not None:
                variables[name] = value
            elif name != TRIAL_MARK:
                variables.pop(name, None)
        # Made here and not by Popen, which up to Python 3.11 leaves some open when it runs out of descriptors.
        ours = [_opened(command.order)]
        try:
            reading, writing = os.pipe()
            ours.append(writing)
            self._answers = Messages(reading, on_message, command.answer_bytes)
            if not command.quick:
                reading, writing = os.pipe()
                ours.append(writing)
                self._output = BoundedText(reading)
            errors = NULL if command.quick else ours[2]
            if command.quick:  # it starts nothing
                return spawn(command.arguments, variables, stdin=ours[0], stdout=ours[1], stderr=errors)
            process, self._job = start_in_job(
                command.arguments, variables, stdin=ours[0], stdout=ours[1], stderr=errors
            )
            return process
        finally:
            for descriptor in ours:
                os.close(descriptor)

    def wait(self, timeout_s: float, tick: Optional[Tick] = None) -> ChildReport:
        """Wait for the answer, end the child and all that it started, and return the report.

        Parameters
        ----------
        timeout_s : float
            Seconds after which they are killed.
        tick : callable or None
            Called about every second.
        """
        process, answers, output = self._process, self._answers, self._output
        if process is None or answers is None:
            return ChildReport("not-run", detail=self.problem)
        hung, ended, messages = True, False, answers.messages
        patience_s = _QUICK_PATIENCE_S if self._quick else PATIENCE_S
        try:
            hung = not self._ends_within(process, answers, timeout_s, tick)
            if hung and not self._quick:
                messages = list(messages)  # before the question, which may wake it
                ask_where(process)
        finally:
            # Also when the user interrupts the wait.
            ended = end_all(process, self._token, patience_s, self._job)
            answers.join(min(2.0, patience_s))
            if output is not None:
                output.join()
        if answers.failure is not None:
            raise answers.failure
        limit = "no answer within %g s%s" % (timeout_s, "" if ended else ", and the system cannot end it")
        ending = limit if hung else how_it_ended(process.returncode)
        if answers.too_much:  # whatever it answered besides is not the answer of a child of ours
            messages, ending = [item for item in messages if "say" in item], "it printed too much, and was ended"
        return _report(messages, hung, ending, output.text() if output is not None else "")

    @staticmethod
    def _ends_within(process: "Process[bytes]", answers: Messages, timeout_s: float, tick: Optional[Tick]) -> bool:
        """Return whether the child ended in time, or what it said made the listener raise."""
        started = time.monotonic()
        pause_s, next_tick = 0.001, started + 1.0
        while True:
            left = max(0.0, started + timeout_s - time.monotonic())
            # The end of its answers comes first, and wakes this thread; a process that the child started may hold them open.
            if answers.join(min(left, pause_s)):
                try:
                    process.wait(min(left, 0.5))
                    return True
                except TIMED_OUT:
                    pass
            elif process.poll() is not None:
                return True
            if answers.failure is not None or answers.too_much:
                return True
            now = time.monotonic()
            if now - started >= timeout_s:
                return False
            pause_s = min(2 * pause_s, 0.05)
            if tick is not None and now >= next_tick:
                next_tick = now + 1.0
                tick()


def _opened(order: bytes) -> int:
    """Return a descriptor to read the order from; of a file, since writing to a child that has died could end this process."""
    if not order:
        return os.open(os.devnull, os.O_RDONLY)
    import tempfile

    with tempfile.TemporaryFile() as stream:
        stream.write(order)
        stream.seek(0)
        return os.dup(stream.fileno())


def _report(messages: List[Dict[str, Any]], hung: bool, ending: str, output: str) -> ChildReport:
    said = tuple(message["say"] for message in messages if isinstance(message.get("say"), dict))
    last = messages[-1] if messages else {}
    # What it answered counts even if it dies afterwards: some plug-ins crash while the interpreter shuts down.
    if "result" in last:
        return ChildReport("done", last["result"], output=output, said=said)
    if "error" in last:
        return ChildReport("raised", None, str(last["error"])[:200], str(last.get("message", "")), output, said)
    if not said:
        # The interpreter itself did not come up (no memory, or it is not Python): that says nothing of the function.
        return ChildReport("not-run", detail="the child process did not begin: %s" % ending, output=output)
    return ChildReport("hung" if hung else "died", detail=ending, output=output, said=said)


def run_child(
    function: str,
    task: Dict[str, Any],
    *,
    timeout_s: float,
    environment: Environment = (),
    executable: Optional[str] = None,
    path: Optional[Sequence[str]] = None,
    on_message: Optional[Listener] = None,
    tick: Optional[Tick] = None,
) -> ChildReport:
    """Call a function in a fresh process and wait for what it returns.

    Parameters
    ----------
    function : str
        ``"devicekit.package.module:name"``, or the path of a script; it is called with the task and a function
        ``say(**values)``.
    task : dict
        Plain data.
    timeout_s : float
        Seconds after which the process and all that it started are killed.
    environment : sequence of (str, str or None)
        Variables to set there, or to remove.
    executable : str or None
        The interpreter; this one by default.
    path : sequence of str or None
        Its module search path; by default that of this process, with the folder of devicekit.
    on_message : callable or None
        Called with what the function says, in another thread; what it raises is raised here.
    tick : callable or None
        Called about every second while it runs.
    """
    try:
        if path is None:
            package = package_folder()
            path = absolute_path()
            path += [] if package in path else [package]
        command = Command.of(
            function, task, limit_s=timeout_s, path=path, executable=executable, environment=environment
        )
    except OSError as error:  # a relative path, and the working folder was deleted
        return ChildReport("not-run", detail="the child process could not be started: %s" % error)
    return Child(command, on_message=on_message).wait(timeout_s, tick)
