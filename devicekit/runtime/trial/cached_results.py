"""Results of self-tests, cached in one small file each, keyed by a fingerprint of all that they depended on."""

import json
import os
import time
from typing import Any, Dict, Optional

from ..cache import read_own, tidy, write_whole
from .fingerprint import SCHEMA, stamp
from .result import OUTCOMES, Trial

#: A device that failed may be free or fixed soon; one that worked works until something under the fingerprint changes.
_FAILED_LIFE_S = 600.0
_WORKS_LIFE_S = 30 * 24 * 3600.0

#: A temporary file or a lock that is older was left by a process that was killed.
_STALE_S = 3600.0

_MOST_FILES = 2000
_TEXTS = ("outcome", "stage", "detail", "error", "output")


def _name(key: str) -> str:
    return "self-test-%s.json" % key


def load_result(folder: str, key: str) -> Optional[Trial]:
    """Return the result for a fingerprint; None if there is none, or it is too old, damaged, or not ours.

    Ours is a regular file that only this user can write; links are not followed. A result is no longer valid
    when one of the native files that the trial loaded has changed.
    """
    try:
        data = json.loads(read_own(os.path.join(folder, _name(key))))
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
    return trial.replace(files=tuple(stamps))


def _decode(values: Dict[str, Any]) -> Trial:
    texts = [values[name] for name in _TEXTS]
    devices = values["devices"]
    if values["outcome"] not in OUTCOMES or values["outcome"] == "not-run":
        raise ValueError("no outcome")
    if not isinstance(devices, list) or not all(isinstance(text, str) for text in texts + devices):
        raise TypeError("a text is something else")
    outcome, stage, detail, error, output = texts
    return Trial(outcome, stage, detail, error, tuple(devices), output)


def save_result(folder: str, key: str, trial: Trial) -> Optional[str]:
    """Cache a result; return what went wrong, None if nothing did. The file is replaced as a whole."""
    if trial.outcome == "not-run":
        return None
    values: Dict[str, Any] = {name: getattr(trial, name) for name in _TEXTS}
    values["devices"] = list(trial.devices)
    if trial.outcome == "works":
        values["output"] = ""  # what it printed does not matter then
    stamps = [(path, stamp(path)) for path in trial.files[:_MOST_FILES]]
    files = [(path, then[0], then[1]) for path, then in stamps if then is not None]
    data = {"schema": SCHEMA, "key": key, "time": time.time(), "trial": values, "files": files}
    problem = write_whole(folder, _name(key), json.dumps(data), ".self-test-")
    if problem is None:
        tidy(folder, _life_s)
    return problem


def _life_s(name: str) -> Optional[float]:
    """A new fingerprint makes a new file: how long one is kept that is not replaced."""
    if name.startswith(".self-test-") or (name.startswith("self-test-") and name.endswith(".lock")):
        return _STALE_S
    return _WORKS_LIFE_S if name.startswith("self-test-") else None
