"""Tunings, kept in one small file each under a fingerprint of the machine's state, as the figures of benchmarks are."""

import json
import os
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...runtime.cache import read_own, tidy, write_whole
from ...runtime.speed_cache import LIFE_S, this_state
from ...runtime.trial.fingerprint import digest
from .result import TunedOption, Tuning

__all__ = ["load", "newest", "save", "this_state"]

#: Raised where tunings of an earlier form must not be read.
_SCHEMA = 1

_STALE_S = 3600.0


def load(folder: str, state: str, asked: Sequence[Any]) -> Optional[Tuning]:
    """Return what was found for the same question in the same state of this machine; None where that is nothing."""
    found = _read(folder, _name(state, asked), state)
    return None if found is None else found[1]


def newest(folder: str, state: str, framework: str, device: str) -> Optional[Tuning]:
    """Return the last tuning of a device in this state of the machine, whatever model it was made with."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:  # nothing was kept yet, or it may not be listed
        return None
    found = [_read(folder, name, state) for name in names if name.startswith("tune-%s-" % state)]
    fitting = [
        item for item in found if item is not None and (item[1].framework, item[1].device) == (framework, device)
    ]
    return max(fitting, key=lambda item: item[0])[1] if fitting else None


def save(folder: str, state: str, asked: Sequence[Any], tuning: Tuning) -> Optional[str]:
    """Keep a tuning; return what went wrong, None where nothing did."""
    values = {name: getattr(tuning, name) for name in ("device", "framework", "model", "gain", "seconds")}
    values["options"] = [
        dict(vars(item), environment=list(item.environment), settings=list(item.settings)) for item in tuning.options
    ]
    data = {"schema": _SCHEMA, "state": state, "time": time.time(), "tuning": values}
    problem = write_whole(folder, _name(state, asked), json.dumps(data), ".tune-")
    if problem is None:
        tidy(folder, _life_s)
    return problem


def _name(state: str, asked: Sequence[Any]) -> str:
    return "tune-%s-%s.json" % (state, digest(list(asked), 8))


def _read(folder: str, name: str, state: str) -> Optional[Tuple[float, Tuning]]:
    try:
        data = json.loads(read_own(os.path.join(folder, name)))
        if data["schema"] != _SCHEMA or data["state"] != state:
            return None
        then, tuning = float(data["time"]), _decode(data["tuning"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None  # damaged, of another release, or not ours: it will be measured anew
    return (then, tuning) if 0 <= time.time() - then < LIFE_S else None


def _decode(values: Dict[str, Any]) -> Tuning:
    options: List[TunedOption] = []
    for item in values["options"]:
        settings = tuple((str(name), value) for name, value in item["settings"])
        if not all(isinstance(value, (bool, int, float, str, type(None))) for _, value in settings):
            raise TypeError("a setting is something else")
        options.append(
            TunedOption(
                str(item["name"]),
                str(item["setting"]),
                None if item["gain"] is None else float(item["gain"]),
                item["kept"] is True,
                str(item["reason"]),
                tuple((str(name), str(value)) for name, value in item["environment"]),
                tuple(map(str, item["calls"])),
                settings,
            )
        )
    gain = None if values["gain"] is None else float(values["gain"])
    texts = [str(values[name]) for name in ("device", "framework", "model")]
    return Tuning(texts[0], texts[1], texts[2], tuple(options), gain, (), float(values["seconds"]), True)


def _life_s(name: str) -> Optional[float]:
    if name.startswith(".tune-"):
        return _STALE_S
    return LIFE_S if name.startswith("tune-") else None
