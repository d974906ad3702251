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
    (
        ("%2f",),
        re.compile(r"(?i)(%2f(?:home|users)%2f)(?:(?!%2f)[^\\/:*?\"<>|\s']){1,64}"),
        r"\1<user>",
    ),
    # An account of Windows or of Azure; the system's own have shorter ones.
    (("s-1-",), re.compile(r"(?i)\bS-1-(?:5-21|12-1)(?:-\d{1,10}){2,5}\b"), "<user>"),
    (("@",), re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}\b"), "<address>"),
    # user@host in a prompt.
    (("@",), re.compile(r"^[\w.-]{1,32}@[\w.-]{1,64}(?=[:~ ])"), "<user>@<host>"),
    (("://",), re.compile(r"(://)[^/\s:@]{1,64}:[^/\s@]{1,128}@"), r"\1<secret>@"),
    (
        ("key", "token", "secret", "passw", "credential", "authorization", "bearer"),
        re.compile(
            # WANDB_API_KEY=... and sharedAccessKey=... as well.
            r"(?i)(?<![a-z0-9])((?:(?:api|(?:shared)?access|account|private|secret)[_-]?key"
            r"|(?:access|auth|client|id|refresh|session)?(?:token|secret)|passw(?:or)?d|credentials?|authorization|bearer)"
            r"\b['\"]?\s{0,3}[=:]\s{0,3}['\"]?(?:(?:basic|bearer|digest|token) )?)"
            r"[^\s'\",;]{4,256}"
        ),
        r"\1<secret>",
    ),
    (
        ("--", "bearer "),
        re.compile(
            r"(?i)((?<!\S)--(?:[a-z0-9]{1,32}[-_]){0,4}(?:key|token|secret|passw(?:or)?d) |\bbearer (?=\S{12}))"
            r"['\"]?(?!-)[^\s'\",;]{4,256}"
        ),
        r"\1<secret>",
    ),
    # A token of conda's channels.
    (("/t/",), re.compile(r"(://[^/\s]{1,128}/t/)[^/\s]{4,128}"), r"\1<secret>"),
    (
        ("hf-", "hf_", "sk-", "sk_", "pypi", "gho", "ghp", "ghr", "ghs", "ghu", "pat-", "pat_", "npm_", "nvapi", "xox"),
        re.compile(
            r"(?<![A-Za-z0-9])(?:hf|gh[oprsu]|github_pat|glpat|sk|pypi|npm|dckr_pat|nvapi|xox[abeprs])[-_][A-Za-z0-9_-]{16,256}"
        ),
        "<secret>",
    ),
    # Keys of AWS and Google, and JSON Web Tokens.
    (
        ("akia", "asia", "aiza"),
        re.compile(r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[A-Za-z0-9_-]{35})"),
        "<secret>",
    ),
    (
        ("eyj",),
        re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{6,512}\.[A-Za-z0-9_-]{6,4096}(?:\.[A-Za-z0-9_-]{0,4096})?"),
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
