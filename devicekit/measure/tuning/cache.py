"""Cached tunings, keyed by a fingerprint of the machine's state, as the figures of benchmarks are."""

from typing import Any, Dict, List, Optional, Sequence

from ...runtime.cache import JsonCache
from ...runtime.speed_cache import LIFE_S
from ...runtime.trial.fingerprint import digest
from .result import TunedOption, Tuning

#: Raised if tunings of an earlier form must not be read.
_CACHE = JsonCache("tune", 2, LIFE_S)


def load(folder: str, state: str, asked: Sequence[Any]) -> Optional[Tuning]:
    """Return what was found for the same question in the same state of this machine; None if there is nothing."""
    found = _CACHE.read(folder, _name(state, asked), state, _decode)
    return None if found is None else found[1]


def newest(folder: str, state: str, framework: str, device: str) -> Optional[Tuning]:
    """Return the last tuning of a device in this state of the machine, whatever model it was made with."""
    found = _CACHE.read_all(folder, state, _decode)
    return next((item for item in found if (item.framework, item.device) == (framework, device)), None)


def save(folder: str, state: str, asked: Sequence[Any], tuning: Tuning) -> Optional[str]:
    """Cache a tuning; return the problem, None if there was none."""
    values = {name: getattr(tuning, name) for name in ("device", "framework", "model", "gain", "seconds", "noise")}
    values["options"] = [
        dict(vars(item), environment=list(item.environment), settings=list(item.settings)) for item in tuning.options
    ]
    return _CACHE.write(folder, _name(state, asked), state, {"tuning": values})


def _name(state: str, asked: Sequence[Any]) -> str:
    return _CACHE.name(state, digest(list(asked), 8))


def _decode(data: Dict[str, Any]) -> Tuning:
    values = data["tuning"]
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
    noise = None if values["noise"] is None else float(values["noise"])
    return Tuning(texts[0], texts[1], texts[2], tuple(options), gain, (), float(values["seconds"]), True, noise)
