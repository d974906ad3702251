"""What the value of a variable of devicekit says that switches something on or off. Pure."""

from typing import Optional

_WORDS = {
    "": False, "0": False, "false": False, "no": False, "none": False, "off": False,
    "1": True, "true": True, "yes": True, "on": True,
}  # fmt: skip


def parse_switch(value: str) -> Optional[bool]:
    """Return what a value says, None if it says neither.

    >>> parse_switch("False"), parse_switch("on"), parse_switch("maybe")
    (False, True, None)
    """
    return _WORDS.get(value.strip().lower())
