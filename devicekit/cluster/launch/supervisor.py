"""Starts processes that belong together, passes on what they print line by line, and ends all when one of them fails."""

import io
import os
import queue
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import IO, Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...children.foreground import write_through
from ...children.locks import ForkSafeLock
from ...children.process_tree import LAUNCH_MARK, marked_processes, send
from ...children.scripts import python_command
from ...children.spawn import CREATE_NEW_PROCESS_GROUP, NULL, PIPE, Process, spawn
from ...children.windows_job import end_job, start_in_job
from ...errors import is_without_reader, text_of
from ...records import Record, Seconds

#: A longer line is passed on in parts, each on a line of its own: memory must not grow with it.
LONGEST_LINE_BYTES = 1 << 20

#: Lines of different processes do not mix.
_lock = ForkSafeLock()

#: Streams that take nothing any more, and why: "" if the reader has seen enough (head).
_gone: Dict[str, str] = {}


def lost_output() -> str:
    """Return why lines were lost that someone waits for, "" if none were."""
    with _lock:
        return "; ".join("%s cannot be written: %s" % pair for pair in sorted(_gone.items()) if pair[1])


class Passer:
    """Reads an unbuffered pipe in its own thread until it ends, and writes each line, after a prefix, to stdout or stderr."""

    def __init__(self, pipe: Optional[IO[bytes]], stream: str, prefix: str) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._stream = stream
        self._prefix = prefix.encode("utf-8", "replace")
        self._thread = threading.Thread(target=self._pass_on, name="devicekit-pass", daemon=True)
        self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait until all is passed on, or that many seconds: another process may hold the pipe open."""
        self._thread.join(timeout_s)

    def _pass_on(self) -> None:
        rest = b""
        with self._pipe:
            while True:
                try:
                    part = os.read(self._pipe.fileno(), 1 << 16)
                except OSError:
                    part = b""
                if not part:
                    break
                lines = (rest + part).split(b"\n") if b"\n" in part else [rest + part]
                rest = lines.pop()
                while len(rest) >= LONGEST_LINE_BYTES:
                    lines.append(rest[:LONGEST_LINE_BYTES])
                    rest = rest[LONGEST_LINE_BYTES:]
                if lines:
                    self._write(b"".join(self._prefix + line + b"\n" for line in lines))
        if rest:
            self._write(self._prefix + rest + b"\n")

    def _write(self, data: bytes) -> None:
        with _lock:
            if self._stream in _gone:
                return
            try:
                stream: Any = getattr(sys, self._stream)
                stream.flush()
                if os.name == "posix":
                    _write_all(stream.fileno(), data)
                else:  # a console of Windows takes bytes of UTF-8 from Python only
                    write_through(stream, data)
            except (OSError, ValueError, AttributeError) as error:  # the work goes on
                _gone[self._stream] = _why(error)


def _why(error: Exception) -> str:
    if is_without_reader(error):
        return ""
    closed = isinstance(error, (io.UnsupportedOperation, AttributeError))
    return "it is closed" if closed else getattr(error, "strerror", None) or text_of(error)


def _write_all(descriptor: int, data: bytes) -> None:
    """Write without a buffer, in which a reader that has gone would leave something to fail with at the end."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # the output is a pipe that does not block
            time.sleep(0.01)


#: Signals that are passed on. SIGHUP comes when the terminal is closed.
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Task(Record):
    """One process to start. ``label`` precedes its lines and is used in messages: ``worker 0``."""

    label: str
    command: Tuple[str, ...]
    variables: Tuple[Tuple[str, str], ...] = ()


class Ended(Record):
    """How the process of a task ended."""

    label: str
    status: int  # exit status; 128 plus the signal's number if one ended it, as in shells
    signal: str  # the signal's name, "" if it ended by itself
    asked: bool  # whether the launcher had asked it to end
    seconds: Seconds

    def __str__(self) -> str:
        if not self.signal:
            return "%s ended with status %d" % (self.label, self.status)
        hint = ""
        if self.signal == "SIGKILL" and not self.asked:
            hint = " (by hand, or by the system for want of memory)"
        return "%s was ended by %s%s" % (self.label, self.signal, hint)


@dataclass
class Outcome:
    """The outcome of all."""

    status: int = 0  # 0; else that of the first failed process, or 128 plus the signal that ended the launcher
    ended: List[Ended] = field(default_factory=list)  # in the order in which they ended
    failed: Optional[Ended] = None  # the first one that failed by itself
    reason: str = ""  # one sentence if not all went well


class _Running:
    def __init__(self, task: Task, process: "Process[bytes]", job: int, passers: List[Passer]) -> None:
        self.task = task
        self.process = process
        self.job = job  # on Windows: with this process its handle ends, and with that the worker
        self.passers = passers
        self.started = time.monotonic()
        self.ended: Optional[Ended] = None


def supervise(tasks: Sequence[Task], *, grace_s: float = 10.0, say: Callable[[str], None]) -> Outcome:
    """Run all tasks at the same time until they have ended, and leave no process behind.

    ``grace_s``: seconds between asking processes to end and killing them; ``say`` gets messages for the user.
    """
    return _Supervisor(tasks, grace_s, say).run()


class _Supervisor:
    def __init__(self, tasks: Sequence[Task], grace_s: float, say: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._grace_s = grace_s
        self._say = say
        self._token = os.urandom(8).hex()
        self._mark = "%s=%s" % (LAUNCH_MARK, self._token)
        self._running: List[_Running] = []
        # What happens, in order: a process that has ended, or the number of a signal. Signal handlers may put into it.
        self._events: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._outcome = Outcome()
        self._ending = False
        self._kill_at: Optional[float] = None

    def run(self) -> Outcome:
        before = self._handle_signals()
        guard = self._start_guard()
        try:
            self._start_all(guard)
            while any(item.ended is None for item in self._running):
                self._step(guard)
        finally:
            self._end_rest()
            _tell(guard, b"done\n")
            _close(guard)
            for number, handler in before:
                signal.signal(number, handler)
        return self._outcome

    def _handle_signals(self) -> List[Tuple[int, Any]]:
        before: List[Tuple[int, Any]] = []
        if threading.current_thread() is not threading.main_thread():
            return before  # Python lets only the main thread handle signals
        for name in _PASSED_ON:
            number = getattr(signal, name, None)
            # A launcher under nohup goes on when the terminal is closed.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before.append((number, signal.signal(number, lambda got, frame: self._events.put(int(got)))))
        return before

    def _start_guard(self) -> "Process[bytes]":
        command = python_command(sys.executable, ("-I", "-S"), "children/guard_child.py")
        command += (self._mark, str(self._grace_s))
        return spawn(command, os.environ, stdin=PIPE, stdout=NULL, stderr=NULL)

    def _start_all(self, guard: "Process[bytes]") -> None:
        for task in self._tasks:
            try:
                running = self._start(task)
            except OSError as error:
                ended = Ended(task.label, 127, "", False, 0.0)
                self._fail(ended, "%s could not be started: %s" % (task.label, error.strerror or error))
                return
            self._running.append(running)
            _tell(guard, b"+%d\n" % running.process.pid)
            threading.Thread(target=self._wait_for, args=(running,), name="devicekit-wait", daemon=True).start()

    def _start(self, task: Task) -> _Running:
        # Its own group, so that all that it starts can be ended with it, and so that Ctrl-C comes once.
        group: Dict[str, Any] = {} if os.name == "posix" else {"creationflags": CREATE_NEW_PROCESS_GROUP}
        variables = dict(os.environ, **dict(task.variables), **{LAUNCH_MARK: self._token})
        process, job = start_in_job(task.command, variables, stdin=NULL, stdout=PIPE, stderr=PIPE, bufsize=0, **group)
        prefix = "[%s] " % task.label
        passers = [Passer(process.stdout, "stdout", prefix), Passer(process.stderr, "stderr", prefix)]
        return _Running(task, process, job, passers)

    def _wait_for(self, running: _Running) -> None:
        waitid = getattr(os, "waitid", None)  # not on Windows, and on macOS from 3.13 on
        if waitid is not None:
            waitid(os.P_PID, running.process.pid, os.WEXITED | os.WNOWAIT)
            # What it leaves behind ends with it. Now: until it is waited for, its number is not reused.
            send(signal.SIGKILL, {running.process.pid})
        running.process.wait()
        if running.job:
            end_job(running.job)
        self._events.put(running)

    def _step(self, guard: "Process[bytes]") -> None:
        """Take what has happened, or kill who was asked to end long ago."""
        try:
            # Not for ever: a signal on Windows does not wake who waits.
            event = self._events.get(timeout=0.5 if self._kill_at is None else 0.1)
        except queue.Empty:
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._kill_at = None
                left = self._left()
                self._say("%s did not end within %g s and will be killed" % (_labels(left), self._grace_s))
                self._send(getattr(signal, "SIGKILL", signal.SIGTERM))
            return
        if isinstance(event, _Running):
            _tell(guard, b"-%d\n" % event.process.pid)
            self._note(event)
        else:
            self._signalled(event)

    def _note(self, running: _Running) -> None:
        ended = _ended(running, self._ending)
        running.ended = ended
        self._outcome.ended.append(ended)
        if ended.status and not self._ending:
            for passer in running.passers:  # its last words come before what is said of it
                passer.join(1.0)
            self._fail(ended, "%s after %.1f s" % (ended, ended.seconds))

    def _fail(self, ended: Ended, text: str) -> None:
        self._outcome.failed = ended
        self._outcome.status = ended.status
        self._outcome.reason = text
        left = self._left()
        if left:
            text += "; ending %s (killed after %g s)" % (_labels(left), self._grace_s)
        self._say(text)
        self._end(signal.SIGTERM)

    def _signalled(self, number: int) -> None:
        name = signal.Signals(number).name
        if self._ending:
            self._say("%s: killing %s" % (name, _labels(self._left())))
            self._kill_at = None
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM))
            return
        self._outcome.status = 128 + number
        self._outcome.reason = "ended by %s" % name
        self._say("%s: passed on to %s (killed after %g s)" % (name, _labels(self._left()), self._grace_s))
        self._end(number)

    def _end(self, number: int) -> None:
        self._ending = True
        self._kill_at = time.monotonic() + self._grace_s
        self._send(number)

    def _left(self) -> List[_Running]:
        return [item for item in self._running if item.ended is None]

    def _send(self, number: int) -> None:
        for item in self._left():
            if item.process.returncode is not None:  # it has ended, which is not noted yet
                continue
            if os.name == "posix":
                send(number, {item.process.pid})
            elif number == signal.SIGTERM or not hasattr(signal, "CTRL_BREAK_EVENT") or self._kill_at is None:
                item.process.terminate()
            else:
                item.process.send_signal(getattr(signal, "CTRL_BREAK_EVENT"))  # noqa: B009 Windows alone has it

    def _end_rest(self) -> None:
        """End what the workers started and left behind, and the workers where this process itself is in trouble."""
        for item in self._left():
            if os.name == "posix" and item.process.returncode is None:
                send(signal.SIGKILL, {item.process.pid})
            elif item.process.poll() is None:
                item.process.terminate()
        deadline = time.monotonic() + 5.0
        while os.name == "posix" and time.monotonic() < deadline:
            left = marked_processes(self._mark)
            if not left:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:  # it has ended
                    pass
            time.sleep(0.02)
        for item in self._running:
            item.process.wait()
            for passer in item.passers:
                passer.join(2.0)


def _ended(running: _Running, asked: bool) -> Ended:
    status = running.process.returncode
    name = ""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = "signal %d" % -status
        status = 128 - status
    # Windows has statuses of 32 bits; whatever is not 0 must not become 0 in the launcher's own.
    return Ended(
        running.task.label, status & 0xFF or (1 if status else 0), name, asked, time.monotonic() - running.started
    )


def _labels(running: Sequence[_Running]) -> str:
    if len(running) > 8:
        return "%d processes" % len(running)
    return ", ".join(item.task.label for item in running) or "nothing"


def _tell(guard: "Process[bytes]", line: bytes) -> None:
    try:
        assert guard.stdin is not None
        guard.stdin.write(line)
        guard.stdin.flush()
    except OSError:  # it was killed; the launcher itself still ends its workers
        pass


def _close(guard: "Process[bytes]") -> None:
    try:
        assert guard.stdin is not None
        guard.stdin.close()
    except OSError:
        pass
    guard.wait()
