"""Which release fits: of Python, by what came and went with it, and of a package, by the bundled data."""

import re
from typing import Optional, Tuple

from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, minor_of, version_at_least
from ...matrix.projects import sort_key
from . import wheels
from .other_packages import importer
from .situation import Situation, known_specifier
from .steps import Steps

#: Modules and names by the release that brought them, and kinds of expressions ("What's New in Python").
_CAME = (
    ("3.7.2", r"OrderedDict' from 'typing"),
    ("3.8", r"(?:Literal|Protocol|Final|TypedDict|get_args|get_origin|cached_property)' from|importlib\.metadata"),
    ("3.9", r"(?:Annotated|cache)' from|zoneinfo|graphlib|attribute 'remove(?:pre|suf)fix|not subscriptable"),
    (
        "3.10",
        r"(?:ParamSpec|TypeAlias|Concatenate|TypeGuard|pairwise|NoneType|UnionType)' from|operand type\(s\) for \|",
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


def repaired(about: Situation, wrong: str) -> Optional[Tuple[str, ...]]:
    """Return the exact set in which the framework stays and what is wrong changes; None if too little is known."""
    target, version = about.target(), about.version.partition("+")[0]
    owner = about.distribution
    if target is None or not re.match(r"\d+\.\d+", version) or BUNDLED.project(owner) is None:
        return None
    from ...resolver.resolve import repair

    exact = version if version.count(".") >= 2 else version + ".*"
    there = {wrong: about.packages[wrong]} if about.packages.get(wrong) else {}
    try:
        found = repair(BUNDLED, target, there, ["%s==%s" % (owner, exact)], missing=(wrong,))
    except Exception:  # as in Situation.requirements
        return None
    return tuple(found) if found else None


def bounds_of(text: str) -> str:
    """Return the bounds in a requirement as pip or pipenv words it.

    >>> bounds_of("rasa 2.8 depends on numpy<1.19 and >=1.16"), bounds_of("numpy<1.19,>=1.16 (from rasa==2.8.7")
    ('<1.19,>=1.16', '<1.19,>=1.16')
    """
    return re.sub(r"^[^<>=!~]*|[;(].*| ", "", text).replace("and", ",")


def older_release(about: Situation, steps: Steps) -> bool:
    """An older TensorFlow, or an older Python, for what another package needs; False if nothing older has it."""
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS), "")
        other = next((name for name in needs if name not in TENSORFLOW_OWNERS and "<" in needs[name]), "")
        yours = re.search(r"(?:^|, |and )%s\b" % re.escape(needed), about.groups.get("requirement", "").lower())
        bounds = known_specifier(bounds_of(needs[other])) if owner and other and not yours else ""
        pythons = about.pythons(needed, bounds, about.platform) if bounds else ()
        release = re.search(r"(?: |==)(\d[\w.]*)(?: depends|$)", needs.get(other, ""))
        because = re.sub(r" \(from ", ", of ", needs.get(other, ""))
        if pythons and about.python not in pythons and (about.python or sort_key(pythons[0]) < (3, 10)):
            text = "%s, which is for Python %s and older: make an environment for it, in which pip chooses TensorFlow"
            pin = "%s==%s" % (other, release.group(1)) if release else other
            steps.new_environment(text % (because, pythons[0]), pythons[0], [pin, "tensorflow"])
            return True
        older = _takes(about, needed, bounds, needs[owner]) if pythons else ""
        if older:
            text = "%s: TensorFlow %s takes that as well; ask for it in the same command or file" % (because, older)
            steps.install(text, "tensorflow==%s.*" % older)
            return True
    return False


def _takes(about: Situation, needed: str, bounds: str, owner: str) -> str:
    """The newest minor release before the one that does not, of which a version of what is needed is in both bounds."""
    said, project = re.search(r"(?: |==)(\d+\.\d+)\S*(?: depends|$)", owner), BUNDLED.project(needed)
    there = [item for item in (project.versions if project is not None else ()) if accepts(bounds, item)]
    for release in reversed(
        about.releases("tensorflow", "<" + said.group(1), about.platform, about.python) if said else ()
    ):
        own = [text for text in release.builds[0].requires if re.match(needed + r"\b(?![-_])", text)]
        if any(accepts(bounds_of(text), version) for text in own for version in there):
            return minor_of(release.version)
    return ""


def python_unsupported(about: Situation, steps: Steps) -> None:
    """The code uses what a later Python brought, or a release has no wheel for this Python."""
    if about.signature not in ("py-typing-too-old", "py-newer-expression"):
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
