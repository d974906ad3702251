"""The last package in a traceback: which of its own requirements the installed packages do not meet."""

import re
from typing import Mapping, Sequence, Tuple

from ...machine.host import Host
from ...machine.probe.distributions import normalize, parse_metadata, split_folder_name
from ...matrix.matrix import BUNDLED, accepts
from ...matrix.queries import declared
from .situation import Situation
from .steps import Steps
from .wheels import distribution_of

#: A file of an installed package; what NumPy, TensorFlow and PyTorch require has rules of its own.
_FILE = re.compile(r"(.*-packages[\\/])(?!numpy|tensorflow[\\/]|tensorflow_core|torch[\\/]|google)([A-Za-z]\w+)")

#: Of a METADATA file: its requirements come before its long description.
_LIMIT_BYTES = 1 << 16

#: What a release requires, and the versions that are there by name.
_Requires = Tuple[Sequence[str], Mapping[str, str]]


def _next_to(path: str, host: Host, name: str) -> _Requires:
    """Return what the metadata next to an installed file say; nothing if this machine has no such file.

    A log may come from another machine: only the file itself is looked for, and nothing over the network.
    """
    path = host.expand(path)
    if path[:2] in ("//", "\\\\") or not host.is_file(path):
        return (), {}
    folder = _FILE.match(path).group(1)  # type: ignore[union-attr]
    entries = [entry for entry in host.names_if_any(folder) if entry.endswith(".dist-info")]
    there = dict(map(split_folder_name, entries))
    own = next((entry for entry in entries if split_folder_name(entry)[0] == name), "")
    text = host.text_or_none(host.join(folder, own, "METADATA"), _LIMIT_BYTES) if own else None
    return parse_metadata(text or "")[2], there


def unmet_requirements(about: Situation, steps: Steps) -> None:
    """Put first what meets the requirements of the last package in the traceback."""
    known = about.known
    path = next((item for item in reversed(known.frames) if _FILE.match(item)), "")
    if not path:
        return
    name = distribution_of(_FILE.match(path).group(2))  # type: ignore[union-attr]
    there: Mapping[str, str] = known.packages
    requires: Sequence[str] = ()
    project, owner = BUNDLED.project(name), known.machine and known.machine.python.distribution(name)
    if known.here:
        from ...machine.live_host import LiveHost

        requires, there = _next_to(path, LiveHost(), name)
    elif owner:
        requires = owner.requires
    elif project is not None and there.get(name):
        release = project.release(there[name])
        requires = release.builds[0].requires if release is not None else ()
    unmet = {}
    for needed, bounds in declared([text for text in requires if about.python or ";" not in text], about.python):
        version, bounds = there.get(normalize(needed), ""), re.sub(r"[ ()]", "", bounds)
        if version and bounds and accepts(bounds, version) is False:
            unmet[needed + bounds] = "%s %s" % (needed, version)
    label = "%s %s" % (name, there.get(name))
    if unmet:
        others, steps.fixes = steps.fixes, []
        text = "In the traceback is a file of %s, which requires %s; there is %s"
        steps.install(text % (label, ", ".join(unmet), ", ".join(unmet.values())), *unmet)
        steps.add(*(fix.replace(instead=True) for fix in others[:1]), *others[1:])
    elif requires and about.code == "cause-unknown":
        steps.say("What %s requires is met: update it, or search its issues for the message" % label)
