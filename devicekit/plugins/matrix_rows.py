"""Rows that plug-ins add to the matrix: checked, and chosen for a machine. Pure."""

import re
from typing import Any, Dict, Iterable, List, Mapping

from ..records import plain_data

_LISTS = ("requirements", "python", "systems", "architectures")
_TEXTS = ("framework", "source", "date")

#: Other names of the same processors, as systems have them.
_ARCHITECTURES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def checked_rows(rows: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Return the rows as plain data.

    Raises
    ------
    ValueError
        Where one is not as `devicekit.plugins.Platform.rows` says; the message says which and why.
    """
    found = []
    for number, row in enumerate(rows):
        where = "row %d of the matrix" % number
        data = plain_data(row) if isinstance(row, Mapping) and isinstance(row, dict) else None
        if not isinstance(data, dict):
            raise ValueError("%s is not a dictionary" % where)
        for name in _TEXTS:
            if not isinstance(data.get(name), str) or not data[name]:
                raise ValueError("%s lacks %r" % (where, name))
        for name in _LISTS:
            value = data.get(name, [])
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise ValueError("%s: %r is not a list of strings" % (where, name))
        if not data.get("requirements"):
            raise ValueError("%s lacks 'requirements'" % where)
        if not re.match(r"\d{4}-\d\d-\d\d$", data["date"]):
            raise ValueError("%s: the date is %.20r, not as in 2026-11-01" % (where, data["date"]))
        if not data["source"].startswith(("https://", "http://")):
            raise ValueError("%s: the source is not an address" % where)
        found.append(data)
    return found


def fits(row: Mapping[str, Any], python: str, system: str, architecture: str) -> bool:
    """Return whether a row is for a Python (``"3.11"``), a system and an architecture."""
    architecture = _ARCHITECTURES.get(architecture.lower(), architecture.lower())
    return (
        python in (row.get("python") or [python])
        and system in (row.get("systems") or [system])
        and architecture in (row.get("architectures") or [architecture])
    )
