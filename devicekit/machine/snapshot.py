"""Machine files: what ``devicekit snapshot`` writes and ``--machine`` reads.

A machine can also be a few lines of text (compressed JSON in base64), to be pasted into a bug report and back into
``--machine -``; what else is on the page (quotation marks, spaces, other lines) does not matter.
"""

import base64
import binascii
import os
import re
import sys
import textwrap
import zlib
from typing import Any, List, Optional

from ..errors import MachineFileError
from ..records import parse_json
from .facts import Machine

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


_MARK = "devicekit-machine-1"

#: Of a line: a page with a fixed font shows it without a scroll bar of its own for each.
_WIDTH = 240

#: With the screen of `doctor` and what is around them, a bug report has at most 40 lines.
_MOST_LINES = 16

_PACKED = re.compile(_MARK + r"((?:[\s>|]*[A-Za-z0-9+/]+)+={0,2})")


def pack(content: bytes) -> List[str]:
    """Return the JSON of a machine as lines of text."""
    text = base64.b64encode(zlib.compress(content, 9)).decode("ascii")
    return [_MARK, *textwrap.wrap(text, max(_WIDTH, -(-len(text) // _MOST_LINES)))]


def unpack(path: str, content: bytes, limit_bytes: int) -> Optional[bytes]:
    """Return the JSON of the machine that is packed in a text, None if there is none; ``path`` is for the message.

    Raises
    ------
    MachineFileError
        If it is incomplete or damaged, or larger than the limit.
    """
    if content.lstrip()[:1] == b"{" or _MARK.encode("ascii") not in content:
        return None
    found = _PACKED.search(content.decode("utf-8", "replace"))
    if found is None:
        raise MachineFileError("%s has a line %s, and nothing below it" % (path, _MARK))
    try:
        packed = base64.b64decode(re.sub(r"[\s>|]", "", found.group(1)), validate=True)
        reader = zlib.decompressobj()
        plain = reader.decompress(packed, limit_bytes + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise MachineFileError("the machine in %s is incomplete or damaged: %s" % (path, error)) from None
    if len(plain) > limit_bytes:
        raise MachineFileError("the machine in %s has more than %d MiB" % (path, limit_bytes >> 20))
    if not reader.eof:
        raise MachineFileError("the machine in %s is incomplete" % path)
    return plain
