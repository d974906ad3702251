"""A machine as a few lines of text, to be pasted into a bug report and back into ``--machine -``.

    devicekit-machine-1 eNq1WVtv2zgW/iuEnzKA...

Compressed JSON in base64: what else is on the page (quotation marks, spaces, other lines) does not matter.
"""

import base64
import binascii
import re
import textwrap
import zlib
from typing import List, Optional

from ..errors import MachineFileError

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
