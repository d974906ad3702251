"""Look for phrases of `phrases.txt` in prose, comments, docstrings and messages, as codespell does for single words.

``python tools/check_english.py PATH...`` prints each one with what to write instead, and exits with 1 if there are any. A
line that quotes such a phrase from elsewhere ends with ``english: quoted``.
"""

import json
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: What is checked in files of signatures and other data: the texts that users read, not the patterns.
TEXT_KEYS = {"summary", "text", "title", "because", "reason", "note"}

#: Recorded output of other programs, and data that is generated.
SKIPPED = re.compile(
    r"(^|/)(\.git|\.nox|build|node_modules|__pycache__|tests/machines|tests/signatures|docs/reference/schemas)(/|$)"
)


def load(path=HERE / "phrases.txt"):
    """Return (pattern, advice, mode, parts) for each phrase; mode is "only", "except" or ""."""
    phrases, mode, parts = [], "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        section = re.match(r"\[(only|except) (.+)\]$", line)
        if section:
            mode, parts = section.group(1), section.group(2).split()
        elif line and not line.startswith("#"):
            phrase, _, advice = line.partition(" -> ")
            # A phrase may go on in the next line of a comment or docstring.
            spaced = phrase.replace(" ", r"(?:[ \t]+|[ \t]*\n[ \t]*(?:#:?[ \t]*|> )?)")
            phrases.append((re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % spaced, re.IGNORECASE), advice, mode, parts))
    return phrases


def files(paths):
    """Yield the files to check below some paths."""
    for path in map(Path, paths):
        for one in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if one.suffix in (".py", ".md", ".json") and not SKIPPED.search(one.as_posix()):
                yield one


def texts(path):
    """Yield (line number of its beginning, text) of what people read in a file."""
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        yield 1, content
        return
    for number, line in enumerate(content.splitlines(), 1):
        for key, value in re.findall(r'"(\w+)":\s*("(?:[^"\\]|\\.)*")', line):
            if key in TEXT_KEYS:
                yield number, json.loads(value)


def applies(name, mode, parts):
    """Return whether a phrase holds for a file."""
    return not mode or any(part in name for part in parts) == (mode == "only")


def check(paths):
    """Return a line for each phrase that is found."""
    phrases, problems = load(), []
    for path in files(paths):
        name = os.path.relpath(str(path.resolve()), str(ROOT)).replace(os.sep, "/")
        for first, text in texts(path):
            lines = text.splitlines()
            for pattern, advice, mode, parts in phrases:
                if not applies(name, mode, parts):
                    continue
                for match in pattern.finditer(text):
                    offset = text.count("\n", 0, match.start())
                    if "english: quoted" not in lines[offset]:
                        phrase = " ".join(match.group().split())
                        problems.append("%s:%d: %s -> %s" % (name, first + offset, phrase, advice))
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1:] or ["."])
    print("\n".join(found))
    sys.exit(1 if found else 0)
