"""Small files in the user's cache folder: read only if they are this user's, replaced as a whole.

`JsonCache` is what results of self-tests, benchmark figures and tunings are cached with, keyed by a fingerprint of the
machine's state.
"""

import json
import os
import stat
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from ..records import parse_json

#: A larger file is not ours.
_LIMIT_BYTES = 1 << 20

#: A temporary file or a lock that is older was left by a process that was killed.
_STALE_S = 3600.0

#: How long a file that another process has open is waited for.
_BUSY_S = 2.0

T = TypeVar("T")


class JsonCache:
    """Files of one kind, each a JSON object with the time at which it was written.

    Parameters
    ----------
    kind : str
        Beginning of their names: ``"bench"``.
    schema : int
        Raised if files of an earlier form must not be read.
    life_s : float
        How long a file counts.
    """

    def __init__(self, kind: str, schema: int, life_s: float) -> None:
        self._kind, self._schema, self._life_s = kind, schema, life_s

    def name(self, state: str, *key: str) -> str:
        """Return the name of the file for a state of the machine, or for a key in it."""
        return "%s.json" % "-".join((self._kind, state, *key))

    def read(
        self,
        folder: str,
        name: str,
        state: str,
        decode: Callable[[Dict[str, Any]], T],
        life_of: Optional[Callable[[T], float]] = None,
    ) -> Optional[Tuple[float, T]]:
        """Return when a file was written and what it holds; None if it is missing, too old, damaged, or not ours.

        Parameters
        ----------
        folder, name : str
        state : str
            In which it must have been written.
        decode : callable
            From the file's data to a value; raises if a part is missing or is something else.
        life_of : callable or None
            How long a value counts, if that depends on the value.
        """
        try:
            data = parse_json(_read_own(os.path.join(folder, name)))
            if data["schema"] != self._schema or data["state"] != state:
                return None
            then, value = float(data["time"]), decode(data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return None
        life_s = self._life_s if life_of is None else life_of(value)
        return (then, value) if 0 <= time.time() - then < life_s else None

    def read_all(
        self,
        folder: str,
        state: str,
        decode: Callable[[Dict[str, Any]], T],
        life_of: Optional[Callable[[T], float]] = None,
    ) -> List[T]:
        """Return what the files of a state hold, the newest first."""
        try:
            names = sorted(os.listdir(folder))
        except OSError:  # nothing was cached yet, or it may not be listed
            return []
        names = [name for name in names if name.startswith("%s-%s-" % (self._kind, state))]
        found = [
            item for item in (self.read(folder, name, state, decode, life_of) for name in names) if item is not None
        ]
        return [value for _, value in sorted(found, key=lambda item: -item[0])]

    def write(self, folder: str, name: str, state: str, data: Dict[str, Any]) -> Optional[str]:
        """Write a file, and remove those that are too old; return the problem, None if there was none."""
        text = json.dumps(dict(data, schema=self._schema, state=state, time=time.time()))
        problem = _write_whole(folder, name, text, ".%s-" % self._kind)
        if problem is None:
            self._tidy(folder)
        return problem

    def _tidy(self, folder: str) -> None:
        """Remove the files of this kind that are too old."""
        now = time.time()
        try:
            names = os.listdir(folder)
        except OSError:  # a folder that may be written but not read
            return
        for name in names:
            if not name.startswith(("%s-" % self._kind, ".%s-" % self._kind)):
                continue
            path = os.path.join(folder, name)
            life_s = _STALE_S if name.startswith(".") or name.endswith(".lock") else self._life_s
            try:
                if now - os.lstat(path).st_mtime > life_s:
                    os.unlink(path)
            except OSError:  # another process was faster, or it belongs to another user
                continue


def _read_own(path: str) -> str:
    """Return the text of a small regular file of this user that no other user can write. Links are not followed.

    Raises
    ------
    OSError
        If it does not exist or cannot be read.
    ValueError
        If it belongs to another user, can be written by others, is too large, or is not a regular text file.
    """
    # Without O_NONBLOCK a FIFO of that name would be waited for.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    with open(patiently(lambda: os.open(path, flags)), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LIMIT_BYTES:
            raise ValueError("not a file of devicekit")
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise ValueError("another user owns it, or could write it")
        return stream.read(_LIMIT_BYTES + 1).decode("utf-8")


def patiently(action: Callable[[], T]) -> T:
    """Open, replace or remove a file. Windows refuses while another process has it open, which takes milliseconds."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            return action()
        except PermissionError:
            if os.name != "nt" or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _write_whole(folder: str, name: str, text: str, prefix: str) -> Optional[str]:
    """Replace a file as a whole, readable by this user only; by ``prefix`` the temporary one is found after a kill."""
    import tempfile

    temporary = ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=prefix, dir=folder)  # for this user only
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        patiently(lambda: os.replace(temporary, os.path.join(folder, name)))
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        return "%s: %s" % (folder, error.strerror or error)
    return None
