"""Results of self-tests, cached in one small file each, keyed by a fingerprint of all that they depended on."""

from typing import Any, Dict, Optional

from ..cache import JsonCache
from .fingerprint import SCHEMA, stamp
from .result import OUTCOMES, Trial

#: A device that failed may be free or fixed soon; one that worked works until something under the fingerprint changes.
_FAILED_LIFE_S = 600.0
_WORKS_LIFE_S = 30 * 24 * 3600.0

_CACHE = JsonCache("self-test", SCHEMA, _WORKS_LIFE_S)

_MOST_FILES = 2000


def load_result(folder: str, key: str) -> Optional[Trial]:
    """Return the result for a fingerprint; None if there is none, or it is too old, damaged, or not ours.

    A result is no longer valid when one of the native files that the trial loaded has changed.
    """
    found = _CACHE.read(folder, _CACHE.name(key), key, _decode, _life_of)
    return None if found is None else found[1]


def _life_of(trial: Trial) -> float:
    return _WORKS_LIFE_S if trial.outcome == "works" else _FAILED_LIFE_S


def _decode(data: Dict[str, Any]) -> Trial:
    trial = Trial.from_dict(data["trial"])
    if trial.outcome not in OUTCOMES or trial.outcome == "not-run":
        raise ValueError("no outcome")
    stamps = {str(path): (int(when), int(size)) for path, when, size in data["files"]}
    if any(stamp(path) != then for path, then in stamps.items()):
        raise ValueError("a file that it loaded has changed")
    return trial.replace(files=tuple(stamps))


def save_result(folder: str, key: str, trial: Trial) -> Optional[str]:
    """Cache a result; return what went wrong, None if nothing did. The file is replaced as a whole."""
    if trial.outcome == "not-run":
        return None
    # If it works, what it printed does not matter.
    values = trial.replace(files=(), output="" if trial.outcome == "works" else trial.output).to_dict()
    stamps = [(path, stamp(path)) for path in trial.files[:_MOST_FILES]]
    files = [(path, then[0], then[1]) for path, then in stamps if then is not None]
    return _CACHE.write(folder, _CACHE.name(key), key, {"trial": values, "files": files})
