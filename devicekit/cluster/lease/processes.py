"""Which process really has a lock: the one that took it may have ended, and what it started holds it with its open file.

Linux's ``/proc`` tells; elsewhere the record is believed. No process is sent a signal.
"""

import os
import sys
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .holder_records import pid_of, printable


def identity(pid: int) -> Dict[str, Any]:
    """Return what distinguishes a process from a later one of its number, and from one of another container."""
    found: Dict[str, Any] = {}
    started, namespace = _started(pid), _namespace()
    if started is not None:
        found["started"] = started
    if namespace:
        found["pid_namespace"] = namespace
    return found


def actual_holder(record: Mapping[str, Any], lock: str) -> Dict[str, Any]:
    """Return a record with the process that has the lock now.

    Parameters
    ----------
    record : mapping
        What the process that took the lock has written.
    lock : str
        The file of the lock, which is held.
    """
    pid, found = pid_of(record), dict(record)
    if pid is None or record.get("pid_namespace", "") != _namespace() or not _has_ended(pid, record.get("started")):
        return found
    others = _with_file(lock)
    if others:
        found["pid"], found["command"] = others[0]
    else:
        found["pid"] = None
        found["command"] = "a process that process %d (%s) started" % (pid, printable(record.get("command", "")))
    return found


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        return ""


def _started(pid: int) -> Optional[int]:
    """Return when a process began, in ticks since the system was started: no clock changes that."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as stream:
            fields = stream.read(4096).rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _has_ended(pid: int, started: Any) -> bool:
    """Return whether a process is surely gone; one that this user may not see is not."""
    now = _started(pid)
    if now is not None:
        return isinstance(started, int) and started != now
    try:
        # Elsewhere that may be any folder, and on Windows the signal 0 of `_is_hidden` is Ctrl-C.
        return sys.platform.startswith("linux") and os.path.isdir("/proc/self") and not _is_hidden(pid)
    except OSError:
        return False


def _is_hidden(pid: int) -> bool:
    """Return whether a process may be there that ``/proc`` does not show to this user (``hidepid``)."""
    if os.path.lexists("/proc/%d/stat" % pid):
        return False  # a zombie: its files are closed
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # there is one
        pass
    return True


def _with_file(path: str) -> List[Tuple[int, str]]:
    """Return the processes that have a file open, as far as this user may know, with their names."""
    found: List[Tuple[int, str]] = []
    try:
        wanted = os.lstat(path)
        names = sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True)
    except OSError:
        return found
    for pid in names:
        folder = "/proc/%d/fd" % pid
        try:
            if pid != os.getpid() and any(_is_same(os.path.join(folder, name), wanted) for name in os.listdir(folder)):
                found.append((pid, _name(pid)))
        except OSError:  # it has ended, or is another user's
            continue
    return found[::-1]


def _name(pid: int) -> str:
    """Return the name that ``ps`` shows of a process, without its arguments."""
    try:
        with open("/proc/%d/comm" % pid, "rb") as stream:
            return stream.read(64).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _is_same(path: str, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), wanted)
    except OSError:
        return False
