"""Starts a worker with a time limit and listens to it."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...records import Record
from ...runtime.trial.start import absolute_path, how_it_ended
from ..output import Reader
from ..process_tree import MARK, ask_where, end_all

__all__ = ["OUTCOMES", "WorkerReport", "run_worker"]

#: What `child` speaks.
_PROTOCOL = 1

#: ``done``: it returned; ``raised``: its function raised; ``died``: signal or exit without an answer; ``hung``: over its
#: time; ``not-run``: it could not be started.
OUTCOMES = ("done", "raised", "died", "hung", "not-run")

#: A line that is longer is not the worker's.
_LONGEST_LINE = 64 << 20

_OUT_OF_MEMORY = re.compile(
    r"ResourceExhausted|\bOOM\b|out of memory|OutOfMemory|RESOURCE_EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY|std::bad_alloc"
    r"|MemoryError|Unable to allocate|DefaultCPUAllocator: (?:can't allocate|not enough) memory|E_OUTOFMEMORY"
    # TensorFlow, where a batch is copied to a device that has no room for it; cuBLAS and cuDNN.
    r"|Dst tensor is not initialized|STATUS_ALLOC_FAILED"
)


class WorkerReport(Record):
    """What became of a worker.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    result : object
        What the function returned; None unless ``done``.
    error : str
        Type of the exception, "" where there was none.
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

    @property
    def out_of_memory(self) -> bool:
        """Whether it ended for want of memory: the framework said so, or the kernel killed it."""
        if self.outcome == "raised":
            return _OUT_OF_MEMORY.search("%s: %s" % (self.error, self.detail)) is not None
        if self.outcome == "died":
            return "SIGKILL" in self.detail or _OUT_OF_MEMORY.search(self.output[-20000:]) is not None
        return False


class _Lines:
    """Reads JSON lines from a pipe in a thread and hands each over as it comes. Closes the pipe when it is done."""

    def __init__(self, descriptor: int, on_message: Optional[Callable[[Dict[str, Any]], None]]) -> None:
        self.messages: List[Dict[str, Any]] = []
        self._descriptor = descriptor
        self._on_message = on_message
        self.failure: Optional[BaseException] = None
        self._thread = threading.Thread(target=self._read, name="devicekit-worker", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            os.close(descriptor)
            raise

    def _read(self) -> None:
        with os.fdopen(self._descriptor, "rb") as stream:
            while True:
                line = stream.readline(_LONGEST_LINE)
                if not line:
                    return
                try:
                    message = json.loads(line.decode("utf-8"))
                except (ValueError, RecursionError):  # cut short when the worker was killed
                    continue
                if isinstance(message, dict) and message.pop("protocol", None) == _PROTOCOL:
                    self._take(message)

    def _take(self, message: Dict[str, Any]) -> None:
        self.messages.append(message)
        said = message.get("say")
        if self._on_message is not None and isinstance(said, dict) and self.failure is None:
            try:
                self._on_message(said)
            except BaseException as error:  # belongs to the thread that waits
                self.failure = error

    def join(self) -> None:
        self._thread.join(2.0)


def run_worker(
    function: str,
    task: Dict[str, Any],
    *,
    timeout_s: float,
    environment: Sequence[Tuple[str, Optional[str]]] = (),
    executable: Optional[str] = None,
    on_message: Optional[Callable[[Dict[str, Any]], None]] = None,
    tick: Optional[Callable[[], None]] = None,
) -> WorkerReport:
    """Call a function of devicekit's in a fresh process and wait for what it returns.

    Parameters
    ----------
    function : str
        As ``"devicekit.package.module:name"``; it is called with the task and a function ``say(**values)``.
    task : dict
        Plain data.
    timeout_s : float
        Seconds after which the worker and all that it started are killed.
    environment : sequence of (str, str or None)
        Variables to set there, or to remove.
    executable : str or None
        The interpreter; this one by default. It must have devicekit's own dependencies.
    on_message : callable or None
        Called with what the worker says, in another thread; what it raises is raised here.
    tick : callable or None
        Called about every second while it runs.
    """
    python = executable or sys.executable
    if not python:
        return WorkerReport("not-run", detail="this process does not know its interpreter (sys.executable is empty)")
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    path = absolute_path()
    order: Dict[str, Any] = {"path": path if package in path else path + [package], "function": function, "task": task}
    order["limit_s"] = timeout_s + 5.0
    data = json.dumps(order).encode("utf-8")
    token = os.urandom(8).hex()
    variables = dict(os.environ, **{MARK: token})
    for name, value in environment:
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
    readers: List[Any] = []
    try:
        process = _start([python, script], data, variables, readers, on_message)
    except (OSError, ValueError, MemoryError, RuntimeError, subprocess.SubprocessError) as error:
        for reader in readers:
            reader.join()
        return WorkerReport("not-run", detail="the worker could not be started: %s" % (error or type(error).__name__))
    lines, output = readers
    hung = True
    try:
        hung = not _wait(process, timeout_s, lines, tick)
        if hung:
            ask_where(process)
    finally:
        # Also when the user interrupts the wait.
        end_all(process, token)
        for reader in readers:
            reader.join()
    if lines.failure is not None:
        raise lines.failure
    ending = "no answer within %g s" % timeout_s if hung else how_it_ended(process.returncode)
    return _judge(lines.messages, hung, ending, output.text())


def _start(
    command: List[str],
    data: bytes,
    variables: Dict[str, str],
    readers: List[Any],
    on_message: Optional[Callable[[Dict[str, Any]], None]],
) -> "subprocess.Popen[bytes]":
    """Start the worker with a reader on each of its outputs. Nothing stays open where that fails."""
    import tempfile

    options: Dict[str, Any] = {}
    if os.name == "posix":
        options["start_new_session"] = True  # so that all that it starts can be ended with it
    ours: List[int] = []
    # The order comes from a file: a worker that dies before it has read a pipe would end this process by SIGPIPE's error.
    with tempfile.TemporaryFile() as order:
        order.write(data)
        order.seek(0)
        try:
            reading, writing = os.pipe()
            ours.append(writing)
            readers.append(_Lines(reading, on_message))
            reading, writing = os.pipe()
            ours.append(writing)
            readers.append(Reader(reading))
            return subprocess.Popen(
                command, stdin=order, stdout=ours[0], stderr=ours[1], close_fds=True, env=variables, **options
            )
        finally:
            for descriptor in ours:
                os.close(descriptor)


def _wait(
    process: "subprocess.Popen[bytes]", timeout_s: float, lines: _Lines, tick: Optional[Callable[[], None]]
) -> bool:
    """Return whether the worker ended in time; sooner than that where what it said made the listener raise."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            process.wait(max(0.0, min(deadline - time.monotonic(), 0.5)))
            return True
        except subprocess.TimeoutExpired:
            if lines.failure is not None:
                return True
            if time.monotonic() >= deadline:
                return False
        if tick is not None:
            tick()


def _judge(messages: List[Dict[str, Any]], hung: bool, ending: str, output: str) -> WorkerReport:
    said = tuple(message["say"] for message in messages if isinstance(message.get("say"), dict))
    last = messages[-1] if messages else {}
    if "result" in last:
        return WorkerReport("done", last["result"], output=output, said=said)
    if "error" in last:
        return WorkerReport("raised", None, str(last["error"])[:200], str(last.get("message", "")), output, said)
    if not said:
        return WorkerReport("not-run", detail="the worker did not begin: %s" % ending, output=output)
    return WorkerReport("hung" if hung else "died", detail=ending, output=output, said=said)
