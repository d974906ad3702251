"""The last package in a traceback: which of its own requirements the installed packages do not meet."""

import re
from typing import Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...machine.host import Host
from ...machine.probe.distributions import normalize, parse_metadata, split_folder_name
from ...matrix.bounds import requirement_parts
from ...matrix.matrix import BUNDLED, accepts
from ...matrix.target import target_for
from ..context import Known
from .situation import Situation
from .steps import Steps
from .wheels import distribution_of

#: A file of an installed package; what NumPy, TensorFlow and PyTorch require has rules of its own.
_FILE = re.compile(
    r"(?P<folder>.*-packages[\\/])(?!numpy|tensorflow[\\/]|tensorflow_core|torch[\\/]|google)(?P<name>[A-Za-z]\w+)"
)

#: Of a METADATA file: its requirements come before its long description.
_LIMIT_BYTES = 1 << 16


class Declared(NamedTuple):
    """An installed release: what it requires, and the releases that are there, by name."""

    name: str
    version: str
    requires: Sequence[str]
    there: Mapping[str, str]


def declared_next_to(path: str, host: Host) -> Optional[Declared]:
    """Return what the metadata next to an installed file say; None if this machine has no such file.

    A log may come from another machine: of what it names, only the file itself is looked for, and nothing over the network.
    """
    found = _FILE.match(host.expand(path))
    if found is None or path[:2] in ("//", "\\\\") or not host.is_file(found.string):
        return None
    folder, names = found.group("folder"), (distribution_of(found.group("name")), normalize(found.group("name")))
    entries: Dict[str, str] = {}
    for entry in host.names_if_any(folder):
        if entry.endswith(".dist-info"):
            entries[split_folder_name(entry)[0]] = entry
    name = next((item for item in names if item in entries), "")
    text = host.text_or_none(host.join(folder, entries[name], "METADATA"), _LIMIT_BYTES) if name else None
    there = {item: split_folder_name(entry)[1] for item, entry in entries.items()}
    return Declared(name, there[name], parse_metadata(text)[2], there) if text else None


def _declared(about: Situation) -> Optional[Declared]:
    """What is known of the package: from this machine, a snapshot, or the releases that the log or the facts name."""
    known: Known = about.known
    path = next((item for item in reversed(known.frames) if _FILE.match(item)), "")
    if not path:
        return None
    if known.here:
        from ...machine.live_host import LiveHost

        return declared_next_to(path, LiveHost())
    name = distribution_of(_FILE.match(path).group("name"))  # type: ignore[union-attr]
    version, project = known.packages.get(name, ""), BUNDLED.project(name)
    owner = known.machine.python.distribution(name) if known.machine is not None else None
    release = project.release(version) if project is not None and version else None
    requires = owner.requires if owner is not None else release.builds[0].requires if release is not None else ()
    return Declared(name, version, requires, known.packages) if version else None


def _unmet(about: Situation, declared: Declared) -> Iterator[Tuple[str, str]]:
    """Yield the requirements that are not met, as the installer takes them, and the releases in their place."""
    target = about.target() or target_for("linux-x86_64", about.python or "3.11")
    for text in declared.requires:
        name, bounds = requirement_parts(text)
        version, bounds = declared.there.get(normalize(name), ""), bounds.strip(" ()")
        if version and bounds and accepts(bounds, version) is False and _holds(text, target.environment()):
            yield name + bounds.replace(" ", ""), "%s %s" % (name, version)


def _holds(requirement: str, environment: Mapping[str, str]) -> bool:
    from packaging.markers import InvalidMarker, Marker

    marker = requirement.partition(";")[2].strip()
    try:
        return not marker or Marker(marker).evaluate({**environment, "extra": ""})
    except InvalidMarker:
        return False


def unmet_requirements(about: Situation, steps: Steps) -> None:
    """Put first what meets the requirements of the last package in the traceback."""
    declared = _declared(about)
    unmet = dict(_unmet(about, declared)) if declared is not None else {}
    if declared is not None and not unmet and about.code == "cause-unknown":
        steps.say("What %s %s requires is met: update it, or search its issues for the message" % declared[:2])
    if declared is None or not unmet:
        return
    others, steps.fixes = steps.fixes, []
    text = "In the traceback is a file of %s %s, which requires %s; there is %s"
    steps.install(text % (*declared[:2], ", ".join(unmet), ", ".join(unmet.values())), *unmet)
    steps.add(*(fix.replace(instead=True) for fix in others[:1]), *others[1:])
