"""Verdicts of trials, kept in one small file each under a fingerprint of all that they depended on."""

import json
import os
import stat
import time
from dataclasses import replace
from typing import Any, Dict, Optional

from .fingerprint import SCHEMA, stamp
from .trial import OUTCOMES, Trial

__all__ = ["load_verdict", "save_verdict"]

#: A device that failed may be free or mended soon; one that worked works until something under the fingerprint changes.
_FAILED_LIFE_S = 600.0
_WORKS_LIFE_S = 30 * 24 * 3600.0

#: A temporary file or a lock that is older was left by a process that was killed.
_STALE_S = 3600.0

_LIMIT_BYTES = 1 << 20
_MOST_FILES = 2000
_TEXTS = ("outcome", "stage", "detail", "error", "output")


def _file(folder: str, key: str) -> str:
    return os.path.join(folder, "verdict-%s.json" % key)


def load_verdict(folder: str, key: str) -> Optional[Trial]:
    """Return the verdict under a fingerprint; None where there is none, or it is too old, damaged, or not ours.

    Ours is a regular file of this user that nobody else can write; a link is followed nowhere. It also counts no more
    when one of the native files that the trial loaded has changed.
    """
    try:
        data = json.loads(_read(_file(folder, key)))
        if data["schema"] != SCHEMA or data["key"] != key:
            return None
        trial = _decode(data["trial"])
        age = time.time() - float(data["time"])
        stamps = {str(path): (int(when), int(size)) for path, when, size in data["files"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    life = _WORKS_LIFE_S if trial.outcome == "works" else _FAILED_LIFE_S
    if not 0 <= age < life or any(stamp(path) != then for path, then in stamps.items()):
        return None
    return replace(trial, files=tuple(stamps))


def _read(path: str) -> str:
    # Without O_NONBLOCK a FIFO of that name would be waited for.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    with open(os.open(path, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LIMIT_BYTES:
            raise ValueError("no file of ours")
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise ValueError("somebody else's, or somebody else could write it")
        return stream.read(_LIMIT_BYTES + 1).decode("utf-8")


def _decode(values: Dict[str, Any]) -> Trial:
    texts = [values[name] for name in _TEXTS]
    devices = values["devices"]
    if values["outcome"] not in OUTCOMES or values["outcome"] == "not-run":
        raise ValueError("no outcome")
    if not isinstance(devices, list) or not all(isinstance(text, str) for text in texts + devices):
        raise TypeError("a text is something else")
    outcome, stage, detail, error, output = texts
    return Trial(outcome, stage, detail, error, tuple(devices), output)


def save_verdict(folder: str, key: str, trial: Trial) -> Optional[str]:
    """Keep a verdict; return what went wrong, None where nothing did. The file is replaced as a whole."""
    if trial.outcome == "not-run":
        return None
    values: Dict[str, Any] = {name: getattr(trial, name) for name in _TEXTS}
    values["devices"] = list(trial.devices)
    if trial.outcome == "works":
        values["output"] = ""  # nobody asks what it said on its way
    stamps = [(path, stamp(path)) for path in trial.files[:_MOST_FILES]]
    files = [(path, then[0], then[1]) for path, then in stamps if then is not None]
    data = {"schema": SCHEMA, "key": key, "time": time.time(), "trial": values, "files": files}
    import tempfile

    temporary = ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".verdict-", dir=folder)  # for this user only
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(data, stream)
        os.replace(temporary, _file(folder, key))
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        return "%s: %s" % (folder, error.strerror or error)
    _tidy(folder)
    return None


def _tidy(folder: str) -> None:
    """Remove what has outlived its time: a new fingerprint makes a new file."""
    now = time.time()
    try:
        names = os.listdir(folder)
    except OSError:  # a folder that may be written but not read
        return
    for name in names:
        life = _STALE_S if name.startswith((".verdict-", "trial-")) else None
        if name.startswith("verdict-"):
            life = _WORKS_LIFE_S
        path = os.path.join(folder, name)
        try:
            if life is not None and now - os.lstat(path).st_mtime > life:
                os.unlink(path)
        except OSError:  # another process was faster, or it is somebody else's
            continue
