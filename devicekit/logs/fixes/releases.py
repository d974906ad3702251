"""Which release of a package the bundled data names for a framework."""

import re
from typing import Optional, Tuple

from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, minor_of
from ...matrix.projects import sort_key
from .situation import Situation, known_specifier
from .steps import Steps

#: Which CUDA and cuDNN a TensorFlow is built with, before the data's oldest row (tensorflow.org/install/source#gpu).
_OLD_TENSORFLOW = (
    ("1.13", "10.0", "7.4"), ("1.11", "9.0", "7.2"), ("1.5", "9.0", "7"), ("1.3", "8.0", "6"), ("1.0", "8.0", "5.1"),
)  # fmt: skip


def old_tensorflow(about: Situation) -> Tuple[str, str]:
    """Return the CUDA and cuDNN of a TensorFlow before the data's oldest row; ``("", "")`` if it is another one."""
    if about.framework == "tensorflow" and about.version and about.row is None:
        for oldest, cuda, cudnn in _OLD_TENSORFLOW:
            if about.is_at_least(oldest):
                return cuda, cudnn
    return "", ""


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
