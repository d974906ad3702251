"""Where an environment keeps what is installed in it, what that is, and what of it only a replaced release needed."""

import csv
import glob
import os
from typing import Container, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

from ..children.call import Child, Command
from ..children.scripts import script_path
from ..errors import RemedyError
from ..machine.facts import Distribution, Machine, Python
from ..machine.probe.distributions import parse_metadata, split_folder_name
from ..matrix.matrix import Matrix, normal_name
from ..records import Record


def orphans(before: Machine, after: Machine, matrix: Matrix, required: FrozenSet[str]) -> Tuple[str, ...]:
    """Return the names of what nothing needs any more after a change, where what is new writes some of the same files.

    An installer leaves them, and the later one of two distributions overwrites the files of the other: so does PyTorch for
    CUDA 13 in the place of one for CUDA 12. ``required``: what distributions require that the facts do not have.
    """
    there, now = _distributions(before), _distributions(after)
    kept = {name for name in there if name in now and now[name].version.or_none() == there[name].version.or_none()}
    left = _brought(there, [name for name in there if name not in kept]) & kept
    needed = [{normal_name(text) for text in item.requires} for name, item in now.items() if name not in left]
    needed.append(set(required))
    while any(left & names for names in needed):
        still = {name for name in left if any(name in names for names in needed)}
        left -= still
        needed = [{normal_name(text) for text in now[name].requires} for name in still]
    new = set(now) - set(there)
    rivals = {name for own in left for _, writers in matrix.overlaps(own) for name in writers}
    return tuple(sorted(left)) if rivals & new else ()


def _distributions(machine: Machine) -> Dict[str, Distribution]:
    return {item.name: item for item in machine.python.distributions.value or ()}


def _brought(there: Dict[str, Distribution], names: List[str]) -> Set[str]:
    """Return NVIDIA's distributions that these require, and that those require."""
    found: Set[str] = set()
    waiting = list(names)
    while waiting:
        for text in there[waiting.pop()].requires:
            name = normal_name(text)
            if name.startswith("nvidia-") and name in there and name not in found:
                found.add(name)
                waiting.append(name)
    return found


_TIMEOUT_S = 30.0

#: More in one file is not what an installer writes.
_LIMIT_BYTES = 64 << 20


class Installed(Record):
    """One distribution of an environment.

    Attributes
    ----------
    name, version : str
        Normalized name; version as its folder says.
    origin : str
        Where it came from if not from an index: the text of its ``direct_url.json``; "" otherwise.
    """

    name: str
    version: str
    origin: str = ""


def own_folder(prefix: str) -> str:
    """Return where devicekit keeps in an environment what is needed to undo: outside its import path."""
    return os.path.join(prefix, ".devicekit")


class Layout(Record):
    """Where an environment keeps what is installed in it. Real paths, links resolved.

    Attributes
    ----------
    executable : str
        The interpreter as it is called.
    prefix, base_prefix : str
        Folder of the environment, and of the Python that it was made from.
    libraries : tuple of str
        Where modules are installed.
    scripts : str
        Where commands are installed.
    stdlib : str
        The standard library.
    bundled_pip : tuple of str
        The wheel of pip that this Python brings for new environments; empty if there is none.
    """

    executable: str
    prefix: str
    base_prefix: str
    libraries: Tuple[str, ...]
    scripts: str
    stdlib: str
    bundled_pip: Tuple[str, ...] = ()

    @property
    def roots(self) -> Tuple[str, ...]:
        """The folders that an installer writes to."""
        return tuple(dict.fromkeys((*self.libraries, self.scripts)))

    @property
    def own(self) -> str:
        """As `own_folder` says."""
        return own_folder(self.prefix)

    def metadata(self) -> List[str]:
        """Return the folders and files with the metadata of the installed distributions."""
        found: List[str] = []
        for folder in self.libraries:
            for ending in ("*.dist-info", "*.egg-info", "*.egg-link"):
                found += glob.glob(os.path.join(glob.escape(folder), ending))
        return sorted(path for path in found if not os.path.basename(path).startswith("~"))

    def installed(self) -> Tuple[Installed, ...]:
        """Return what is installed, in a fixed order. The folders are read, nothing is started."""
        found = []
        for path in self.metadata():
            name, version = split_folder_name(os.path.basename(path))
            origin = _text(os.path.join(path, "direct_url.json")).strip() if os.path.isdir(path) else ""
            found.append(Installed(name, version, origin))
        return tuple(sorted(found, key=lambda item: (item.name, item.version)))

    def required_by_others(self, known: Container[str]) -> FrozenSet[str]:
        """Return the names of what distributions require whose own names are not among the known ones."""
        found: List[str] = []
        for path in self.metadata():
            if split_folder_name(os.path.basename(path))[0] not in known:
                inner = "METADATA" if path.endswith(".dist-info") else "PKG-INFO"
                _, _, requires, _ = parse_metadata(_text(os.path.join(path, inner) if os.path.isdir(path) else path))
                found += map(normal_name, requires)
        return frozenset(found)

    def recorded(self, metadata: str) -> List[str]:
        """Return the real paths of the files that a distribution's RECORD names, whether they exist or not."""
        folder = os.path.dirname(metadata)
        lines = _text(os.path.join(metadata, "RECORD")).splitlines()
        names: List[str] = []
        try:
            names.extend(row[0] for row in csv.reader(lines) if row)
        except csv.Error:  # no installer wrote what follows
            pass
        return [os.path.normpath(os.path.join(folder, name)) for name in names]


def versions(installed: Tuple[Installed, ...]) -> Dict[str, str]:
    """Return the versions by name."""
    return {item.name: item.version for item in installed}


def _text(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(_LIMIT_BYTES).decode("utf-8", "replace")
    except OSError:  # an egg-info has none of these files
        return ""


def read_layout(executable: str) -> Layout:
    """Ask an interpreter where its environment is.

    Raises
    ------
    RemedyError
        If it does not answer, or its environment is not laid out as installers lay them out.
    """
    script = script_path("remedy/layout_child.py")
    # Isolated: neither the working folder nor variables lead it elsewhere. No byte code of devicekit's files.
    command = Command.of(script, {}, limit_s=_TIMEOUT_S, executable=executable, options=("-I", "-B"))
    report = Child(command).wait(_TIMEOUT_S)
    try:
        found = Layout.from_dict(report.result)
    except (ValueError, KeyError, TypeError):
        raise RemedyError("%s does not say where its packages are: %s" % (executable, report.detail)) from None
    prefix = os.path.realpath(found.prefix)
    return found.replace(
        prefix=prefix,
        base_prefix=os.path.realpath(found.base_prefix),
        libraries=tuple(dict.fromkeys(os.path.realpath(folder) for folder in found.libraries)),
        scripts=os.path.realpath(found.scripts),
        stdlib=os.path.realpath(found.stdlib),
    )


def why_not_changed(layout: Layout, python: Python) -> Optional[str]:
    """Return why nothing is installed into an environment, None if something may be."""
    environment = python.environment
    if environment == "conda" and glob.glob(
        os.path.join(glob.escape(layout.prefix), "conda-meta", "conda-[0-9]*.json")
    ):
        return "it is the base environment of conda, which conda itself runs in"
    if environment not in ("venv", "conda"):
        return "it is a Python of the system, not a virtual environment: other programs use its packages"
    outside = [folder for folder in layout.roots if not folder.startswith(layout.prefix + os.sep)]
    if outside:
        return "its packages are outside its folder: %s" % outside[0]
    if python.writable.or_none() is False:
        return "it is read-only, or another user's"
    return None


#: Known to `snapshot`, which removes it whatever was done since.
FILE = "devicekit-variables.pth"

#: What tunes a framework and is read when it is imported. What chooses a device or a backend is its user's decision, and what
#: the interpreter or the dynamic linker reads is in effect before any file is.
UNSETTABLE = ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "TF_JITRT_FLAGS", "TF_XLA_FLAGS", "XLA_FLAGS")

_LINE = "import os; os.environ.get(%s) == %s and os.environ.pop(%s)\n"

#: Python imports it after all ``.pth`` files, and only once.
_HOOK = "import os; exec('try: import sitecustomize\\nexcept Exception: pass')\n"


def unset_at_start(
    layout: Layout, names: Sequence[str], environ: Mapping[str, str], preset: Sequence[Tuple[str, str]] = ()
) -> None:
    """Make the Python of an environment unset variables when it starts, each as long as it has its present value.

    ``preset``: what that start sets.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    lines = [_LINE % (ascii(name), ascii(environ[name]), ascii(name)) for name in names if name in environ]
    if lines:
        lines[:0] = [_HOOK] if any(name in names for name, _ in preset) else []
        with open(os.path.join(layout.libraries[0], FILE), "a", encoding="ascii") as stream:
            stream.write("".join(lines))
