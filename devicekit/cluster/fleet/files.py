"""Snapshots in files: reads and writes a folder of them."""

import re
from pathlib import Path
from typing import Iterator, NamedTuple

from ...errors import DevicekitError
from ...runtime.scratch import replace_file
from .groups import LIMIT_BYTES


class Reading(NamedTuple):
    """A node's snapshot, or why there is none."""

    node: str
    content: bytes = b""
    problem: str = ""


def readings_from(folder: str) -> Iterator[Reading]:
    """Yield the snapshots in a folder; a file is named as its node, with ``.json``.

    Raises DevicekitError if there is no such folder, or no file in it.
    """
    place = Path(folder)
    try:
        names = sorted(item.name for item in place.iterdir() if item.name.lower().endswith(".json"))
    except (OSError, ValueError) as error:
        raise DevicekitError("%s cannot be read: %s" % (folder, getattr(error, "strerror", None) or error)) from error
    if not names:
        raise DevicekitError(
            "no file *.json in %s; run on each node: devicekit snapshot -o '%s/{node}.json'" % (folder, folder)
        )
    for name in names:
        yield _read(place / name)


def _read(path: Path) -> Reading:
    node = path.name[: -len(".json")] or path.name
    try:
        if not path.is_file():  # a pipe would be waited for
            return Reading(node, problem="%s is not a file" % path.name)
        with path.open("rb") as stream:
            return Reading(node, stream.read(LIMIT_BYTES + 1))
    except OSError as error:
        return Reading(node, problem="it cannot be read: %s" % (error.strerror or error))


def keep_snapshot(folder: str, reading: Reading) -> None:
    """Write a snapshot into a folder, as `readings_from` reads it; raise DevicekitError if it cannot be written."""
    name = re.sub(r"[^\w.@-]", "_", reading.node, flags=re.ASCII).lstrip(".") or "node"
    try:
        place = Path(folder)
        if place.is_file():
            raise DevicekitError("%s is a file: name a folder for the snapshots" % folder)
        place.mkdir(parents=True, exist_ok=True)
        replace_file(str(place / (name + ".json")), reading.content)
    except (OSError, ValueError) as error:
        raise DevicekitError(
            "%s cannot be written: %s" % (folder, getattr(error, "strerror", None) or error)
        ) from error
