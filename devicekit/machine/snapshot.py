"""Machine files: what ``devicekit snapshot`` writes and ``--machine`` reads."""

import os
import sys
from typing import Any

from ..errors import MachineFileError
from ..records import parse_json
from .facts import Machine
from .packed import unpack

#: A snapshot of an environment with a thousand distributions has well under a megabyte.
LIMIT_BYTES = 32 << 20

_MAKE = "; make a machine file with: devicekit snapshot > machine.json"


def load_machine(path: str) -> Machine:
    """Read a machine file.

    Parameters
    ----------
    path : str
        A file, or ``"-"`` for standard input: a snapshot, or a page that has one (``doctor --issue``).

    Raises
    ------
    MachineFileError
        If it cannot be read, is too large, is not JSON, is truncated, is of a newer schema, or of the wrong shape.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            content = sys.stdin.buffer.read(LIMIT_BYTES + 1)
        else:
            with open(path, "rb") as stream:
                content = stream.read(LIMIT_BYTES + 1)
    except OSError as error:
        hint = "; name a snapshot in it" if os.path.isdir(path) else ""
        raise MachineFileError("%s cannot be read: %s%s" % (name, error.strerror or error, hint)) from error
    if len(content) > LIMIT_BYTES:
        raise MachineFileError(
            "%s has more than %d MiB; a machine file made by 'devicekit snapshot' has less than one"
            % (name, LIMIT_BYTES >> 20)
        )
    return Machine.from_dict(parse_machine(name, unpack(name, content, LIMIT_BYTES) or content))


def parse_machine(path: str, content: bytes) -> Any:
    """Return the plain data that a machine file holds; ``path`` is for the message.

    Raises
    ------
    MachineFileError
        If it is not JSON, or is truncated.
    """
    if not content.strip():
        raise MachineFileError("%s is empty%s" % (path, _MAKE))
    try:
        # utf-8-sig: PowerShell's redirection puts a byte order mark before the text, or writes UTF-16.
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        return parse_json(content.decode(encoding))
    except UnicodeDecodeError as error:
        raise MachineFileError("%s is not text in UTF-8: %s" % (path, error.reason)) from None
    except ValueError as error:
        # Where something inside ended with the text, only the place of the error tells that more should follow.
        at_end = getattr(error, "pos", 0) >= len(getattr(error, "doc", content).rstrip())
        cut = at_end or not content.rstrip().endswith((b"}", b"}\x00"))
        if getattr(error, "pos", 1) == 0:  # not even its beginning: a log, a script
            raise MachineFileError("%s is not JSON%s" % (path, _MAKE)) from None
        raise MachineFileError(
            "%s is not JSON%s: %s" % (path, " (it seems to be truncated)" if cut else "", error)
        ) from None
