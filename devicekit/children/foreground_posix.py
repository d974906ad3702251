"""`foreground` on POSIX.

The command stays in this process's group, so that the terminal's keys (Ctrl-C, Ctrl-Z) reach both, as they reach the members
of a shell's pipeline. A stream that is a terminal is one for the command as well: a pseudo-terminal of the same size.
"""

import fcntl
import os
import pty
import resource
import select
import signal
import stat
import sys
import termios
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..errors import is_without_reader
from .output import PART_BYTES, not_written
from .spawn import Process, end_with_parent, spawn_here
from .watcher import Usage, Watcher

#: Signals that are passed on to the command. Those of the keyboard only if no terminal has sent them to it already.
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT")
_OF_THE_KEYBOARD = ("SIGINT", "SIGQUIT")

#: Seconds without output after which what the command has left behind is given a relay.
_SILENT_S = 0.2


class _Channel:
    """A stream of this process, and where its command writes instead."""

    def __init__(self, outer: int) -> None:
        self.outer = outer
        self.lost: Optional[OSError] = None
        self.is_terminal = os.isatty(outer)
        self.reader, self.writer = pty.openpty() if self.is_terminal else os.pipe()
        if self.is_terminal:
            attributes = termios.tcgetattr(outer)
            attributes[1] &= ~termios.OPOST  # the terminal itself turns \n into \r\n, once
            termios.tcsetattr(self.writer, termios.TCSANOW, attributes)
            self.fit()

    def fit(self) -> None:
        """Give the command's terminal the size of this one."""
        if self.is_terminal:
            size = fcntl.ioctl(self.outer, termios.TIOCGWINSZ, b"\0" * 8)
            fcntl.ioctl(self.writer if self.writer >= 0 else self.reader, termios.TIOCSWINSZ, size)

    def close_writer(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def pass_on(self) -> bytes:
        """Return what was read and written; b"" at the end, also where this process's own reader is gone."""
        try:
            part = os.read(self.reader, PART_BYTES)
        except OSError:  # the end of a pseudo-terminal on Linux
            return b""
        rest = memoryview(part)
        while rest:
            try:
                rest = rest[os.write(self.outer, rest) :]
            except BlockingIOError:  # a pipe that was made not to block
                select.select([], [self.outer], [])
            except OSError as error:  # gone or full: the command learns it when it writes next
                self.lost = error
                return b""
        return part

    def close(self) -> None:
        self.close_writer()
        os.close(self.reader)


class PosixRun:
    """One command, and the streams of this process that it gets in other forms."""

    def __init__(self, listen: Callable[[bytes], None], watcher: Watcher) -> None:
        self._listen = listen
        self._watcher = watcher
        self._channels = _channels()
        self._open: Dict[int, _Channel] = {item.reader: item for item in set(self._channels.values())}
        self._process: Optional["Process[bytes]"] = None
        self._before: List[Tuple[int, Any]] = []
        self._wake_reader, self._wake_writer = os.pipe()
        for end in (self._wake_reader, self._wake_writer):
            os.set_blocking(end, False)

    def until_it_ends(self, command: Sequence[str], variables: Mapping[str, str], handles: Sequence[int]) -> int:
        """Start it, pass on what it prints, and return how it ended."""
        self._handle_signals()
        streams = {name: channel.writer for name, channel in self._channels.items()}
        # Copies: a process that is forked from one with leases closes those before it becomes the command.
        copies = tuple(os.dup(handle) for handle in handles)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            self._process = spawn_here(command, variables, pass_fds=copies, preexec_fn=end_with_parent(), **streams)
        finally:
            for copy in copies:
                os.close(copy)
        for channel in self._open.values():
            channel.close_writer()
        self._watcher.begin(self._process.pid)
        while self._process.poll() is None:
            self._pass_on(self._watcher.look())
        self._watcher.end(_used_since(before))
        # What the command has left behind may hold the streams open, but what it has printed itself is here by now.
        while self._open and self._pass_on(_SILENT_S):
            pass
        if self._open:
            self._leave_a_relay()
        for channel in self._channels.values():
            if channel.lost is not None and not is_without_reader(channel.lost) and not self._process.returncode:
                raise not_written(channel.lost)
        return self._process.returncode

    def _pass_on(self, timeout_s: Optional[float]) -> bool:
        """Wait for output or a signal; return whether there was output."""
        ready = select.select([*self._open, self._wake_reader], [], [], timeout_s)[0]
        for descriptor in ready:
            channel = self._open.get(descriptor)
            if channel is None:
                os.read(descriptor, 512)
                continue
            part = channel.pass_on()
            if part:
                self._listen(part)
            else:
                del self._open[descriptor]
                channel.close()
        return any(descriptor != self._wake_reader for descriptor in ready)

    def _leave_a_relay(self) -> None:
        """Let a process of its own pass on what those say that the command has left behind."""
        if os.fork():
            return
        try:
            for name in (*_PASSED_ON, *_OF_THE_KEYBOARD):
                # What a shell has started in the background is not for the keyboard either, and a terminal whose first
                # process was this command (`ssh -t`, a container) says SIGHUP to what is left.
                ignored = name in (*_OF_THE_KEYBOARD, "SIGHUP")
                signal.signal(getattr(signal, name), signal.SIG_IGN if ignored else signal.SIG_DFL)
            self._listen = lambda part: None  # no one reads along any more
            while self._open:
                self._pass_on(None)
        finally:
            os._exit(0)

    def _handle_signals(self) -> None:
        ours = {"SIGCHLD": _woken, "SIGWINCH": self._resized}
        ours.update(dict.fromkeys(_PASSED_ON, self._forward))
        ours.update(dict.fromkeys(_OF_THE_KEYBOARD, self._forward_unless_typed))
        for name, handler in ours.items():
            number = getattr(signal, name)
            # What is ignored here (nohup) is ignored by the command as well.
            if name in ("SIGCHLD", "SIGWINCH") or signal.getsignal(number) is not signal.SIG_IGN:
                self._before.append((number, signal.signal(number, handler)))
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)

    def _forward(self, number: int, frame: Any) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _forward_unless_typed(self, number: int, frame: Any) -> None:
        if not _in_foreground():
            self._forward(number, frame)

    def _resized(self, number: int, frame: Any) -> None:
        for channel in self._open.values():
            channel.fit()
        self._forward(number, frame)  # it may have asked for the size before it was right

    def close(self) -> None:
        """Restore the signals of this process, and close what is left."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._before:
            signal.signal(number, handler)
        for channel in self._open.values():
            channel.close()
        os.close(self._wake_reader)
        os.close(self._wake_writer)


def _channels() -> Dict[str, _Channel]:
    """Return a channel for each standard stream that is open, one for both where they are one file, pipe or terminal."""
    found: Dict[str, _Channel] = {}
    known: Dict[Tuple[int, int], _Channel] = {}
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        try:
            status = os.fstat(descriptor)
        except OSError:  # closed, for the command as well
            continue
        if not os.get_inheritable(descriptor):  # it was closed, and opened by this process for itself
            continue
        if stat.S_ISCHR(status.st_mode) and not os.isatty(descriptor):  # /dev/null, /dev/full
            key = (descriptor, -1)
        else:
            key = (status.st_dev, status.st_ino)
        if key not in known:
            known[key] = _Channel(descriptor)
        found[name] = known[key]
    return found


def _used_since(before: Any) -> Usage:
    """Return what the processes used that this one has waited for since then, and what these have waited for."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
    # The largest of all children so far, which begin as copies of this process: of a command only if that is larger.
    least = max(before.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    return Usage(cpu_s, now.ru_maxrss * unit if now.ru_maxrss > least else None)


def _in_foreground() -> bool:
    """Whether this process has a terminal whose keys reach it and its command."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _woken(number: int, frame: Any) -> None:
    """Nothing: the signal's number in the pipe ends the wait."""
