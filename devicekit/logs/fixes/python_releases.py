"""What a release of Python brought or removed, and who has to change: the package or the Python."""

import re

from ...matrix.matrix import version_at_least
from . import wheels
from .other_packages import importer
from .situation import Situation
from .steps import Steps

#: Modules and names by the release that brought them, and kinds of expressions ("What's New in Python").
_CAME = (
    ("3.7.2", r"OrderedDict' from 'typing"),
    ("3.8", r"(?:Literal|Protocol|Final|TypedDict|get_args|get_origin|cached_property)' from|importlib\.metadata"),
    ("3.9", r"(?:Annotated|cache)' from|zoneinfo|graphlib|attribute 'remove(?:pre|suf)fix|not subscriptable"),
    (
        "3.10",
        r"(?:ParamSpec|TypeAlias|Concatenate|TypeGuard|pairwise|NoneType|UnionType)' from|operand type\(s\) for \|"
        "|^SyntaxError",
    ),
    ("3.12", r"(?:override|batched)' from"),
    ("3.11", r"' from '(?:typing|enum|datetime|contextlib)'|tomllib"),
)


#: Modules and names by the release that removed them.
_WENT = (
    ("3.10", r"'(?:Iterable|Mapping|Callable|Sequence|Sized|Container|Hashable|Iterator|Mutable\w+|Set|\w+View)'"),
    ("3.11", r"'(?:getargspec|formatargspec|coroutine|ArgSpec)'"),
    ("3.13", r"'?(?:cgi|cgitb|crypt|imghdr|sndhdr|telnetlib|pipes|audioop|lib2to3|nntplib|uu|xdrlib|mailcap)\b"),
    ("3.12", r"'?\b(?:imp|asyncore|asynchat|smtpd|SafeConfigParser|ImpImporter)\b"),
)


def python_unsupported(about: Situation, steps: Steps) -> None:
    """The code uses what a later Python brought, or a release has no wheel for this Python."""
    if about.signature not in ("py-typing-too-old", "py-newer-expression") and "later Python:" not in about.summary:
        wheels.python_unsupported(about, steps)
        return
    since = next((release for release, pattern in _CAME if re.search(pattern, about.line)), "3.12")
    python = since if version_at_least(since, "3.12") else "3.11"
    steps.run("Make an environment with Python %s or later" % since, "uv venv --python %s" % python, changes="files")
    by = importer(about)
    text = "Or install an older release of %s; an up-to-date pip chooses one for this Python"
    steps.say(text % (by or "the package whose file the traceback names"), changes="packages", instead=True)


def removed_from_python(about: Situation, steps: Steps) -> bool:
    """A package uses what this Python no longer has; False if the line is about something else."""
    if about.signature != "py-stdlib-typing":
        return False
    since, by = next((row[0] for row in _WENT if re.search(row[1], about.line)), ""), importer(about)
    gone = "Python has it no longer" + (", from %s on" % since if since else "")
    if by in ("", "tensorflow", "keras"):
        text = "%s: update the package whose file the traceback names, or use an older Python" % gone
        steps.say(text, changes="packages")
    else:
        steps.upgrade("%s: update %s, which uses it" % (gone, by), by)
    if since:
        older = "3.%d" % (int(since[2:]) - 1)
        text = "Or make an environment with Python %s" % older
        steps.run(text, "uv venv --python %s" % older, changes="files", instead=True)
    return True
