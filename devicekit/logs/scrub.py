"""Removes user names in paths, e-mail addresses and secrets from a line."""

import re

#: A user name, up to a separator.
_WORD = r"[^\\/:*?\"<>|\s']{1,64}"

#: For each rule what a line in lower case must have for it, since most lines have nothing of the kind.
_RULES = (
    # A user's folder, on each system; the rest of the path is kept.
    (
        ("users", "documents and settings"),
        re.compile(
            r"(?i)\b([a-z]:[\\/]{1,4}(?:users|documents and settings)[\\/]{1,4})(?!public\b|default\b)"
            r"(?:[^\\/:*?\"<>|]{1,64}(?=[\\/])|" + _WORD + ")"
        ),
        r"\1<user>",
    ),
    (("/home/", "/users/"), re.compile(r"(/(?:home|Users)/)(?!Shared/)" + _WORD), r"\1<user>"),
    (("@",), re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}\b"), "<address>"),
    # user@host in a prompt.
    (("@",), re.compile(r"^[\w.-]{1,32}@[\w.-]{1,64}(?=[:~ ])"), "<user>@<host>"),
    (("://",), re.compile(r"(://)[^/\s:@]{1,64}:[^/\s@]{1,128}@"), r"\1<secret>@"),
    (
        ("key", "token", "secret", "passw", "authorization", "bearer"),
        re.compile(
            r"(?i)\b((?:api[_-]?key|token|secret|passw(?:or)?d|authorization|bearer)\b['\"]?\s{0,3}[=:]\s{0,3}['\"]?)"
            r"[^\s'\",;]{4,256}"
        ),
        r"\1<secret>",
    ),
    (
        tuple(name + mark for name in ("hf", "ghp", "gho", "sk", "pypi") for mark in "-_"),
        re.compile(r"\b(?:hf|ghp|gho|sk|pypi)[-_][A-Za-z0-9_-]{16,256}"),
        "<secret>",
    ),
)


def scrub(line: str) -> str:
    """Return a line without user names, addresses and secrets.

    >>> scrub("ImportError: /home/anna/venv/lib/libx.so: cannot open")
    'ImportError: /home/<user>/venv/lib/libx.so: cannot open'
    """
    lower = line.lower()
    for words, pattern, replacement in _RULES:
        for word in words:
            if word in lower:
                line = pattern.sub(replacement, line)
                break
    return line
