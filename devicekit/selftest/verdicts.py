"""Verdicts of trials, kept in one small file each under a fingerprint of all that they depended on."""

import hashlib
import json
import os
import tempfile
import time
from typing import Any, List, Optional

from ..facts import Machine
from .start import OUTCOMES, Trial

__all__ = ["fingerprint", "load_verdict", "save_verdict"]

_SCHEMA = 1

#: A device that failed may be free or mended soon; one that worked works until something under the fingerprint changes.
_FAILED_LIFE_S = 600.0
_WORKS_LIFE_S = 30 * 24 * 3600.0

#: Variables that do not change what a device does.
_NEUTRAL = (
    "DEVICEKIT_CACHE_DIR", "DEVICEKIT_DEVICE", "DEVICEKIT_QUIET", "DEVICEKIT_VERIFY", "PATH", "TF_CPP_MIN_LOG_LEVEL",
    "VIRTUAL_ENV",
)  # fmt: skip


def fingerprint(machine: Machine, index: int, grow: bool) -> str:
    """Return a hash of the interpreter, distributions, native files, driver, devices and variables."""
    python, driver = machine.python, machine.driver
    parts: List[Any] = [_SCHEMA, machine.devicekit_version, python.executable, python.version, index, grow]
    for item in python.distributions.or_none() or ():
        parts.append((item.name, item.version.or_none(), item.location, _stamp(os.path.join(item.location, "RECORD"))))
    for plugin in python.plugins.or_none() or ():
        parts.append((plugin.path, plugin.size_bytes, _stamp(plugin.path)))
    parts += [(gpu.name, gpu.uuid, gpu.bus_id) for gpu in driver.gpus.or_none() or ()]
    parts += [
        driver.nvidia_kernel_version.or_none(),
        driver.nvidia_library_version.or_none(),
        machine.rocm.version.or_none(),
    ]
    for libraries in (driver.libraries, machine.cuda.libraries, machine.directml.libraries):
        parts += [(item.name, item.path, _stamp(item.path)) for item in libraries.or_none() or ()]
    parts += [(name, value) for name, value in machine.process.environ if name not in _NEUTRAL]
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _stamp(path: str) -> "tuple[int, int] | None":
    try:
        status = os.stat(os.path.expanduser(path))
    except OSError:  # not there: that is part of the fingerprint too
        return None
    return status.st_mtime_ns, status.st_size


def _file(folder: str, key: str) -> str:
    return os.path.join(folder, "verdict-%s.json" % key)


def load_verdict(folder: str, key: str) -> Optional[Trial]:
    """Return the verdict under a fingerprint, None where there is none, it is too old, damaged, or somebody else's."""
    path = _file(folder, key)
    try:
        status = os.stat(path)
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return None
        with open(path, encoding="utf-8") as stream:
            data = json.loads(stream.read(256 << 10))
        if data["schema"] != _SCHEMA or data["key"] != key or data["trial"]["outcome"] not in OUTCOMES:
            return None
        trial = Trial(**dict(data["trial"], devices=tuple(data["trial"]["devices"])))
        age = time.time() - float(data["time"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    life = _WORKS_LIFE_S if trial.outcome == "works" else _FAILED_LIFE_S
    return trial if 0 <= age < life else None


def save_verdict(folder: str, key: str, trial: Trial) -> Optional[str]:
    """Keep a verdict; return what went wrong, None where nothing did. The file is replaced as a whole."""
    if trial.outcome == "not-run":
        return None
    values = {name: getattr(trial, name) for name in ("outcome", "stage", "detail", "error", "devices")}
    data = {"schema": _SCHEMA, "key": key, "time": time.time(), "trial": dict(values, devices=list(trial.devices))}
    temporary = ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".verdict-", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(data, stream)
        os.replace(temporary, _file(folder, key))
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        return "%s: %s" % (folder, error.strerror or error)
    return None
