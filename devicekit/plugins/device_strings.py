"""Device strings with the names of plug-ins' platforms: ``npu``, ``npu:0,2``, and TensorFlow's ``/device:NPU:0``."""

import re
from typing import Iterable, Optional, Tuple

from ..machine.facts import PlatformFacts
from ..selection.request import ACCEPTED, Request

__all__ = ["foreign_request", "installed"]

_PLAIN = re.compile(r"([a-z][a-z0-9]*)(?::(\d{1,4}(?:,\d{1,4})*))?$")
_NATIVE = re.compile(r"(?:/job:localhost)?(?:/replica:0)?(?:/task:0)?/(?:device:|physical_device:)?(\w+):(\d{1,4})$")


def installed() -> Tuple[PlatformFacts, ...]:
    """Return the platforms of the plug-ins of this machine, or of the one that a test has put in its place."""
    from ..machine.detect import detect_now

    return detect_now().platforms


def foreign_request(text: str, platforms: Optional[Iterable[PlatformFacts]] = None) -> Request:
    """Return the request for a platform of a plug-in.

    Parameters
    ----------
    text : str
        The device string.
    platforms : iterable of PlatformFacts or None
        Those that can be named; by default those of this machine.

    Raises
    ------
    ValueError
        Where it names none of them; the message lists everything that is accepted.
    """
    name = text.strip().lower()
    plain, native = _PLAIN.match(name), _NATIVE.match(name)
    match = plain or native
    known: Tuple[PlatformFacts, ...] = ()
    if match is not None:  # only then may it be the name of one
        known = installed() if platforms is None else tuple(platforms)
    for item in known:
        word = item.name if plain is not None else (item.device_type("tensorflow") or "").lower()
        if match is not None and word and match.group(1) == word:
            numbers = match.group(2)
            indices = tuple(int(number) for number in numbers.split(",")) if numbers else ()
            if len(set(indices)) != len(indices):
                raise ValueError("device %r names a device twice" % text[:80])
            return Request(text, "gpu", item.name, indices, plain is None, foreign=True, device_types=item.frameworks)
    further = "".join(", %r of %s" % (item.name, item.distribution) for item in known)
    raise ValueError("unknown device %r; accepted are %s%s" % (text[:80], ACCEPTED, further))
