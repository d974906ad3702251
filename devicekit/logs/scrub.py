"""Removes user names in paths, e-mail addresses, secrets and control characters from a line."""

import re

#: A user name, up to a separator.
_WORD = r"[^\\/:*?\"<>|\s']{1,64}"

_RULES = (
    # A user's folder, on each system; the rest of the path is kept.
    (
        re.compile(
            r"(?i)\b([a-z]:[\\/]{1,4}(?:users|documents and settings)[\\/]{1,4})(?!public\b|default\b)"
            r"(?:[^\\/:*?\"<>|]{1,64}(?=[\\/])|" + _WORD + ")"
        ),
        r"\1<user>",
    ),
    (re.compile(r"(/(?:home|Users)/)(?!Shared/)" + _WORD), r"\1<user>"),
    (re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}\b"), "<address>"),
    # user@host in a prompt.
    (re.compile(r"^[\w.-]{1,32}@[\w.-]{1,64}(?=[:~ ])"), "<user>@<host>"),
    (re.compile(r"(://)[^/\s:@]{1,64}:[^/\s@]{1,128}@"), r"\1<secret>@"),
    (
        re.compile(
            r"(?i)\b((?:api[_-]?key|token|secret|passw(?:or)?d|authorization|bearer)\b['\"]?\s{0,3}[=:]\s{0,3}['\"]?)"
            r"[^\s'\",;]{4,256}"
        ),
        r"\1<secret>",
    ),
    (re.compile(r"\b(?:hf|ghp|gho|sk|pypi)[-_][A-Za-z0-9_-]{16,256}"), "<secret>"),
)


def scrub(line: str) -> str:
    """Return a line without user names, addresses and secrets.

    >>> scrub("ImportError: /home/anna/venv/lib/libx.so: cannot open")
    'ImportError: /home/<user>/venv/lib/libx.so: cannot open'
    """
    for pattern, replacement in _RULES:
        line = pattern.sub(replacement, line)
    return line


def printable(text: str, ascii_only: bool = False) -> str:
    r"""Return a text without control characters.

    Names come from drivers and files: an escape sequence in one must not reach the terminal.

    >>> printable("GPU\x1b[31m")
    'GPU?[31m'
    """
    clean = "".join(character if character.isprintable() else "?" for character in text)
    return clean.encode("ascii", "replace").decode("ascii") if ascii_only else clean
