"""`Plain`: data of somebody else's form, as JSON has it, that can neither change nor differ in silence. Pure."""

import math
from typing import Any, Callable

__all__ = ["LIMIT_CHARACTERS", "Plain", "plain_data"]

#: A fact that is longer is none: a snapshot is sent by mail.
LIMIT_CHARACTERS = 1 << 18

_DEEPEST = 20


class Plain:
    """Strings, numbers, booleans, None, and lists and dictionaries of them: two are equal where their JSON is.

    Attributes
    ----------
    data : any
        The data; a copy of its own for each who asks.
    """

    __slots__ = ("_text",)

    def __init__(self, data: Any) -> None:
        import json  # only where there is a plug-in

        self._text = json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False)

    @property
    def data(self) -> Any:
        """The data; a copy of its own for each who asks."""
        import json

        return json.loads(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Plain(%s)" % self._text

    def __len__(self) -> int:
        """How many characters its JSON has."""
        return len(self._text)


def plain_data(value: Any, clean: Callable[[str], str] = str, _depth: int = 0) -> Any:
    """Return a copy of plain data, each text in it through a function.

    Raises
    ------
    ValueError
        Where something in it is no plain data, or lies too deep; the message says what.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        # Half of a surrogate pair can be written in no encoding of a file.
        return clean(str(value)).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("%r, which JSON cannot hold" % value)
        return float(value)
    if _depth >= _DEEPEST:
        raise ValueError("data nested more than %d deep" % _DEEPEST)
    if isinstance(value, (list, tuple)):
        return [plain_data(item, clean, _depth + 1) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError("a dictionary with the key %.60r, which is no string" % (key,))
        # A word that happens to be a user's name may be a key as well; a path may not have one in it.
        cleaned = [clean(key) if "/" in key or "\\" in key else key for key in value]
        return {name: plain_data(item, clean, _depth + 1) for name, item in zip(cleaned, value.values())}
    raise ValueError("%s, which is no plain data" % type(value).__name__)
