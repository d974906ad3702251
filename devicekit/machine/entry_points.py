"""Which of the installed distributions have entry points for devicekit, without a look at what else they are.

Entry points can be in any distribution, so all have to be asked. `importlib.metadata` takes 141 ms for a thousand of them;
opening their files, and looking for the group's name in the bytes, takes 7 ms, and where nothing was installed since, a
look at the folder's time of change (measured on Linux, with 400 files of entry points among 1,000 distributions).
"""

import os
import re
import time
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

from .host import Host

#: The group of entry points of platforms.
GROUP = "devicekit.platforms"

#: The variable that switches plug-ins off, or names the only distributions to look at.
VARIABLE = "DEVICEKIT_PLUGINS"

_WORDS = {
    "": False, "0": False, "false": False, "no": False, "none": False, "off": False,
    "1": True, "true": True, "yes": True, "on": True,
}  # fmt: skip

_LIMIT_BYTES = 64 << 10

#: A folder that has changed so recently may change again without another time.
_SETTLED_NS = 2 * 10**9

_kept: Dict[str, Tuple[Optional[int], List[str], FrozenSet[str]]] = {}


def parse_switch(value: str) -> Optional[bool]:
    """Return whether the value of a variable of devicekit switches something on or off, None if it says neither.

    >>> parse_switch("False"), parse_switch("on"), parse_switch("maybe")
    (False, True, None)
    """
    return _WORDS.get(value.strip().lower())


def switched_off(value: str) -> bool:
    """Return whether a value of the variable switches all plug-ins off."""
    return bool(value.strip()) and parse_switch(value) is False


def named_in(value: str) -> Tuple[str, ...]:
    """Return the distributions that a value of the variable names, as their folders spell them."""
    if parse_switch(value) is not None:
        return ()
    return tuple(item for item in re.split(r"[,\s]+", re.sub(r"[-.]", "_", value).lower()) if item)


def distributions_with(host: Host, folder: str, entries: Sequence[str]) -> List[str]:
    """Return those of a folder's distributions that have entry points for devicekit.

    Parameters
    ----------
    host : Host
    folder : str
        A folder of the path, such as ``site-packages``.
    entries : sequence of str
        The names of its ``.dist-info`` and ``.egg-info`` folders.
    """
    value = host.environ().get(VARIABLE, "")
    if switched_off(value):
        return []
    named = named_in(value)
    if named:  # on a slow disk naming them avoids waiting for the others
        raw = (item.rpartition(".")[0].partition("-")[0].lower().replace(".", "_") for item in entries)
        entries = [item for item, name in zip(entries, raw) if name in named]
    return _scan(folder, entries) if host.is_live else _read(host, folder, entries)


def _read(host: Host, folder: str, entries: Sequence[str]) -> List[str]:
    found = []
    for entry in entries:
        try:
            data = host.read_bytes(host.join(folder, entry, "entry_points.txt"), _LIMIT_BYTES)
        except OSError:  # most have none
            continue
        if GROUP.encode("ascii") in data:
            found.append(entry)
    return found


def _scan(folder: str, entries: Sequence[str]) -> List[str]:
    """The same on this machine, as quickly as can be: it is part of every look."""
    changed, asked = _changed(folder), list(entries)
    known = _kept.get(folder)
    if known is None or changed is None or known[:2] != (changed, asked):
        found = frozenset(item for item in asked if _has_group("%s/%s/entry_points.txt" % (folder, item)))
        known = (changed, asked, found)
        if changed is not None and time.time_ns() - changed > _SETTLED_NS:
            _kept[folder] = known
    return [item for item in asked if item in known[2]]


def _changed(folder: str) -> Optional[int]:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return None


def _has_group(path: str) -> bool:
    try:
        # A FIFO or a device in its place must not be able to block.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError:  # most have none
        return False
    try:
        return GROUP.encode("ascii") in os.read(handle, _LIMIT_BYTES)
    except OSError:  # a folder
        return False
    finally:
        os.close(handle)
