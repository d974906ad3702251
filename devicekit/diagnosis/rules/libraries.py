"""Which CUDA libraries a framework's build opens, which of them it would not find, and how they come to be found. Pure."""

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Library, Opener
from ...matrix.tables import CudaRow, TensorFlowRow
from ..dynamic_linker import Attempt, DynamicLinker, Repair, repair
from ..findings import Fix
from ..frameworks import BACKENDS
from ..view import View


class Search(NamedTuple):
    """What a framework's build opens here, and what comes of it.

    ``names`` are in the order in which loading them meets what they need; ``attempts``: the result of loading each;
    ``repair``: what can be done about those that it would not find.
    """

    framework: str
    names: Tuple[str, ...]
    attempts: Dict[str, Attempt]
    repair: Repair
    late: bool = False  # the framework is imported already: it has looked for some of them

    @property
    def missing(self) -> Tuple[str, ...]:
        """The names that do not load."""
        return tuple(name for name in self.names if self.attempts[name].lacks)

    @property
    def repairable(self) -> bool:
        """Whether something does not load, and all of it would after loading some files by their path."""
        return bool(self.missing) and not self.repair.lacks and not self.late

    def taken(self, name: str) -> Optional[Library]:
        """The file that is used under a name, with the repair where there is one; None if there is none."""
        attempt = self.attempts[name]
        if not attempt.lacks:
            return attempt.library
        return next((item for item in self.repair.load if item.name == name), None)


def needed(view: View) -> "Tuple[TensorFlowRow, CudaRow] | None":
    """Return the rows that say which libraries this TensorFlow opens, None if they are not known or do not apply.

    Raises
    ------
    UnknownFactError
        If it is not known whether there is an NVIDIA GPU.
    """
    row = view.tensorflow_row
    system = view.machine.native.system
    if row is None or not view.uses_cuda or system not in ("linux", "windows"):
        return None
    if not view.vendor("nvidia"):
        if view.wsl and not view.accelerators:
            view.machine.driver.gpus.value  # noqa: B018 - no bus shows the GPU in WSL: this raises if the driver was silent
        return None
    build = view.tensorflow_build
    version = (build.cuda_version.or_none() if build else None) or row.linux_cuda
    cuda = view.matrix.cuda(_plain(version)) or view.matrix.cuda(row.linux_cuda)
    return (row, cuda) if cuda is not None else None


def _plain(version: str) -> str:
    """A Windows build says "64_112" for 11.2."""
    number = version.rpartition("_")[2] if "_" in version else ""
    return "%s.%s" % (number[:-1], number[-1]) if number else version


def cudnn_name(view: View, row: TensorFlowRow) -> str:
    """Return the name by which this TensorFlow opens cuDNN, "" if it opens none."""
    if view.machine.native.system == "windows":
        build = view.tensorflow_build
        version = (build.cudnn_version.or_none() if build else None) or ""
        return "cudnn%s.dll" % version if version else "cudnn64_%s.dll" % row.linux_cudnn
    return "libcudnn.so.%s" % row.linux_cudnn if row.linux_cudnn else ""


def _tensorflow_names(view: View) -> Tuple[str, ...]:
    """The CUDA libraries that this TensorFlow opens; an untraced release opens what the newest ones do."""
    rows = needed(view)
    if rows is None:
        return ()
    row, cuda = rows
    windows = view.machine.native.system == "windows"
    known = dict(cuda.windows_libraries if windows else cuda.libraries)
    traced = [name.partition(".so")[0][3:] for name in view.matrix.libraries(view.tensorflow_version or "")]
    stems = traced or [stem for stem in known if stem != "curand"]
    names = [known[stem] for stem in known if stem in stems]
    return (*names, *filter(None, [cudnn_name(view, row)]))


def _opener(view: View, framework: str) -> Optional[Opener]:
    """Who asks for the libraries: as read from the file, or as its release is known to be."""
    for item in view.machine.cuda.openers:
        if item.framework == framework:
            return item
    build = view.machine.python.build(framework)
    if framework != "tensorflow" or build is None:
        return None
    location, below = build.location, view.matrix.search_folders(view.tensorflow_version or "")
    separator = "\\" if "\\" in location else "/"
    site = location.rpartition(separator)[0]
    return Opener(framework, location, tuple(separator.join((site, *folder.split("/"))) for folder in below))


def search(view: View, framework: str = "tensorflow") -> Optional[Search]:
    """Return what comes of a framework's search for its libraries, None if it opens none or that is not known.

    Raises
    ------
    UnknownFactError
        If the libraries of this machine could not be listed.
    """
    if framework not in view.searches:
        view.searches[framework] = _search(view, framework)
    found: Optional[Search] = view.searches[framework]
    return found


def _search(view: View, framework: str) -> Optional[Search]:
    opener = _opener(view, framework)
    if opener is None:
        return None
    names = _tensorflow_names(view) if framework == "tensorflow" else opener.needs
    if framework == "jax":
        names = next(filter(None, map(view.matrix.opened, opener.path.split("/"))), ())
    if not names:
        return None
    cuda = view.machine.cuda
    loader = DynamicLinker(cuda, opener)
    attempts = {name: loader.open(name) for name in names}
    repaired = Repair()
    if any(item.lacks for item in attempts.values()):
        repaired = repair(cuda, opener, names) if framework == "tensorflow" else _unrepairable(attempts)
    late = any(module.name == framework for module in view.machine.process.modules)
    return Search(framework, names, attempts, repaired, late)


def _unrepairable(attempts: Dict[str, Attempt]) -> Repair:
    """JAX and PyTorch load all that is on the path themselves: what they do not find is not there."""
    return Repair(lacks=tuple(name for name, item in attempts.items() if item.lacks))


def missing_libraries(view: View, framework: str) -> Tuple[str, ...]:
    """Return the names of the CUDA libraries that a framework's build opens or needs, and would not find.

    Raises
    ------
    UnknownFactError
        If the libraries of this machine could not be listed.
    """
    found = search(view, framework)
    return found.missing if found is not None else ()


def repairs(view: View) -> Tuple[Tuple[str, Tuple[str, ...]], ...]:
    """Return, for each framework that needs it, the files to load by their path before its import, in this order."""
    made: List[Tuple[str, Tuple[str, ...]]] = []
    for framework in BACKENDS:
        try:
            found = search(view, framework)
        except UnknownFactError:
            continue
        if found is not None and found.repairable:
            made.append((framework, tuple(item.path for item in found.repair.load)))
    return tuple(made)


def export(view: View, folders: Sequence[str], instead: bool = False) -> Fix:
    """Return how folders come onto the dynamic linker's path, for every program that is started afterwards."""
    text = "For every program: add the folders to the library search path before Python starts"
    there = bool(view.machine.process.env("LD_LIBRARY_PATH"))
    return view.shell.library_folders_fix(text, folders, keep=there, instead=instead)


def folder_of(library: Library) -> str:
    """Return the folder of a library, by the separator of its path."""
    return library.path.rpartition("\\" if "\\" in library.path else "/")[0]


def others_of(view: View, name: str) -> List[Library]:
    """Libraries of the same kind and another version."""
    stem = re.split(r"\.so\.|64_", name)[0] + ("64_" if name.endswith(".dll") else ".so.")
    libraries = view.machine.cuda.libraries.value or ()
    return [item for item in libraries if item.name.lower().startswith(stem.lower()) and item.name != name]
