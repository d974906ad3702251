"""The note next to a lock: a small JSON object that says which process holds it or waits, for people and for the queue.

It counts only while the lock is held. Anybody who may take a lease may write it, so that nothing else is believed of it than
what another user may know: no signal is sent to a process because of it, and what is shown is made printable.
"""

import json
import os
import stat
import sys
from typing import Any, Dict, Mapping, Optional

from ...errors import LeaseError
from ...records import parse_json
from .locks import open_shared

_LIMIT_BYTES = 1 << 16

#: A waiting process that has not looked for so long is stopped: others do not wait for it.
_SILENT_S = 60.0


def write_record(path: str, record: Dict[str, Any], mode: int) -> None:
    """Replace the record that is there; raise LeaseError if the file cannot be written."""
    data = json.dumps(record, sort_keys=True).encode("ascii")
    handle = open_shared(path, mode)
    try:
        os.write(handle, data[:_LIMIT_BYTES])
        os.ftruncate(handle, len(data))
    except OSError as error:
        raise LeaseError("%s cannot be written: %s" % (path, error.strerror)) from error
    finally:
        os.close(handle)


def read_record(path: str) -> Dict[str, Any]:
    """Return a record, an empty one where there is none that can be read."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    for _ in range(3):  # one that is just being written is no JSON for a moment
        try:
            handle = os.open(path, flags)
        except OSError:  # this lock was never held
            return {}
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return {}
            data = os.read(handle, _LIMIT_BYTES)
        except OSError:
            return {}
        finally:
            os.close(handle)
        try:
            record = parse_json(data) if data else {}
        except ValueError:
            continue
        return record if isinstance(record, dict) else {}
    return {}


def touch(path: str) -> None:
    """Say that the one who waits is still looking."""
    try:
        if os.utime in os.supports_follow_symlinks:
            os.utime(path, follow_symlinks=False)
        else:
            os.utime(path)
    except OSError:  # the sign of life is missing for once
        pass


def modified(path: str) -> int:
    """Return when a file was changed last, 0 if it cannot be read."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def is_fresh(path: str, now_s: float) -> bool:
    """Return whether the one who waits has looked not long ago; ``now_s`` as `time.time` gives it."""
    try:
        return abs(now_s - os.stat(path).st_mtime) < _SILENT_S
    except OSError:
        return False


def command_name() -> str:
    """Return what this process is called: its script, without folders and arguments, which may be private."""
    name = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    if name == "__main__.py":  # python -m package
        name = os.path.basename(os.path.dirname(sys.argv[0]))
    return (name if name not in ("", "-c", "-m") else os.path.basename(sys.executable) or "python")[:60]


def integer(value: Any, smallest: int, largest: int) -> Optional[int]:
    """Return another user's value if it is an integer in these bounds, else None."""
    fits = isinstance(value, int) and not isinstance(value, bool) and smallest <= value <= largest
    return value if fits else None


def pid_of(record: Mapping[str, Any]) -> Optional[int]:
    """Return the process number in a record, None if there is none."""
    return integer(record.get("pid"), 1, (1 << 31) - 1)


def seconds_since(record: Mapping[str, Any], now_s: float) -> Optional[float]:
    """Return how long ago a record was made, None if it does not say; ``now_s`` as `time.time` gives it."""
    since = record.get("since")
    if isinstance(since, bool) or not isinstance(since, (int, float)) or not 0 <= since <= 1 << 40:
        return None
    return max(0.0, now_s - since)


def described(record: Mapping[str, Any], now_s: float, path: str = "") -> str:
    """Return who wrote a record: ``process 4242 (train.py) for 3 min``; ``path``: the record, for one that cannot be read."""
    pid, seconds = pid_of(record), seconds_since(record, now_s)
    if pid is None and not record.get("command"):
        return "a process that has not said which" + (", see %s" % path if path else "")
    name = printable(record.get("command", ""))
    text = "process %d (%s)" % (pid, name) if pid is not None else name
    return text + (" for %s" % span(seconds) if seconds is not None else "")


def printable(text: object) -> str:
    """Return what another user wrote without what a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in str(text)[:80])


def span(seconds: float) -> str:
    """Return a length of time in one unit.

    >>> span(0.4), span(90), span(7200), span(200000)
    ('0 s', '1 min', '2 h', '2 d')
    """
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return "%d %s" % (seconds // size, unit)
    return "%d s" % max(0, seconds)
