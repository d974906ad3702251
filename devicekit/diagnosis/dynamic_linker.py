"""What the dynamic linker would find for a framework, replayed on the facts of a machine. Pure: nothing is loaded.

The order is glibc's (``elf/dl-load.c``, ``ld.so(8)``), as seen with ``LD_DEBUG=libs``: what the process has loaded under
that name; where the asking library has no DT_RUNPATH, the DT_RPATH of it, of those that need it, and of the program;
LD_LIBRARY_PATH as it was when the process started; DT_RUNPATH; the linker's cache; its own folders. A library that needs
another one that cannot be found does not load.

Windows has one list of folders for all (`machine.probe.cuda_places.windows_steps`), for what a library needs as well, and
ignores case. Compared with the real ones by ``tools/check_cuda_search.py`` and ``tools/check_dll_search.py``.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..machine.facts import Cuda, Library, Opener

#: Folders that the dynamic linker searches by default.
_OWN_FOLDERS = (
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64",
    "/usr/lib64", "/lib", "/usr/lib",
)  # fmt: skip

#: In the process already, or before everything else.
_FIRST = ("loaded", "LD_PRELOAD")


class Attempt(NamedTuple):
    """What came of looking for a library: the file that the loader takes, and the names that it does not find.

    ``lacks`` is the name itself, or what the file needs; empty where it loads.
    """

    library: Optional[Library]
    lacks: Tuple[str, ...] = ()


_Asking = Union[Library, Opener]


class DynamicLinker:
    """A process in which one framework's library asks for others.

    Parameters
    ----------
    cuda : Cuda
        What lies where.
    opener : Opener
        Who asks.

    Raises
    ------
    UnknownFactError
        If the libraries could not be listed.
    """

    def __init__(self, cuda: Cuda, opener: Opener) -> None:
        self._opener = opener
        self._path = cuda.path
        self._rpath = cuda.rpath
        libraries = cuda.libraries.value or ()
        self._windows = "\\" in opener.path
        self._files = {_key(item.path): item for item in libraries}
        self._cached = {item.name: item for item in reversed(libraries) if item.found_via == "ld.so.cache"}
        self.loaded: Dict[str, Library] = {self.key(item.name): item for item in libraries if item.found_via in _FIRST}

    def key(self, name: str) -> str:
        """Return a name as the system compares names."""
        return name.lower() if self._windows else name

    def open(self, name: str) -> Attempt:
        """Do what dlopen does with a name; what loads, stays loaded."""
        if self.key(name) in self.loaded:
            return Attempt(self.loaded[self.key(name)])
        own = self._in(name, self._opener.own)
        if own is not None and not self.load(own).lacks:
            return Attempt(own)
        library = self.find(name)
        return Attempt(None, (name,)) if library is None else self._load(library, True)

    def find(self, name: str) -> Optional[Library]:
        """Return the file that a name leads the framework to, None if it leads to none."""
        return self._in(name, self._opener.own) or self._find(name, (self._opener,))

    def load(self, library: Library) -> Attempt:
        """Do what dlopen does with a path: for what it needs, DT_RPATH of the caller of dlopen does not count (seen).

        On Windows what it needs has to be loaded: which folders count there depends on the release of Python.
        """
        return self._load(library, not self._windows)

    def _load(self, library: Library, searches: bool) -> Attempt:
        new = {self.key(library.name): library}
        lacks: List[str] = []
        waiting: List[Tuple[Library, Tuple[_Asking, ...]]] = [(library, (library,))]
        while waiting:
            item, chain = waiting.pop(0)
            for name in item.needs:
                if self.key(name) in self.loaded or self.key(name) in new or name in lacks:
                    continue
                found = self._find(name, chain) if searches else None
                if found is None:
                    lacks.append(name)
                else:
                    new[self.key(name)] = found
                    waiting.append((found, (found, *chain)))
        if not lacks:
            self.loaded.update(new)
        return Attempt(library, tuple(lacks))

    def _find(self, name: str, chain: "Tuple[_Asking, ...]") -> Optional[Library]:
        asking = chain[0]
        order: Tuple[str, ...] = ()
        if not asking.folders:
            for item in chain:
                order += item.rpath
            order += self._rpath
        order += self._path + asking.folders
        return self._in(name, order) or self._cached.get(name) or self._in(name, _OWN_FOLDERS)

    def _in(self, name: str, folders: Tuple[str, ...]) -> Optional[Library]:
        paths = (
            _key(folder.rstrip("\\") + "\\" + name if self._windows else folder + "/" + name) for folder in folders
        )
        return next((self._files[path] for path in paths if path in self._files), None)


def _key(path: str) -> str:
    return path.lower() if "\\" in path else path  # Windows ignores case


class Repair(NamedTuple):
    """How libraries that are installed, and would not be found, come to be found.

    ``load``: to be loaded by full path, in this order; ``refused``: would be needed, and should not be loaded unasked;
    ``lacks``: the names that are not there, or only in a refused file.
    """

    load: Tuple[Library, ...] = ()
    refused: Tuple[Library, ...] = ()
    lacks: Tuple[str, ...] = ()


#: Where a library is taken from first: a framework's own packages go together.
_RANK = {"pip": 0, "RUNPATH": 0, "conda": 1}


def repair(cuda: Cuda, opener: Opener, names: Sequence[str]) -> Repair:
    """Return which files to load by their full path so that a framework finds these libraries.

    A library that is loaded answers to its name, so that the framework's own search for it succeeds (measured with
    TensorFlow 2.15 to 2.21 and glibc, and with TensorFlow 2.10 for Windows).
    """
    libraries = cuda.libraries.value or ()
    # The process before the import: of what the framework will open, nothing is there yet.
    early = DynamicLinker(cuda, opener)
    load: List[Library] = []
    refused: List[Library] = []

    def attempt(name: str) -> Attempt:
        late = DynamicLinker(cuda, opener)
        late.loaded.update(early.loaded)
        return [late.open(item) for item in (*names[: names.index(name)], name)][-1]

    def provide(name: str, pending: Tuple[str, ...]) -> bool:
        own = early.find(name)
        there = [item for item in libraries if early.key(item.name) == early.key(name)]
        for item in sorted(there, key=lambda item: (item is not own, _RANK.get(item.found_via, 2))):
            if item.unsafe:
                refused.append(item)
                continue
            lacks = [other for other in early.load(item).lacks if other not in pending]
            if lacks and all(provide(other, (*pending, name)) for other in lacks):
                lacks = list(early.load(item).lacks)
            if early.key(item.name) in early.loaded:
                load.append(item)
                return True
        return False

    for name in names:
        found = attempt(name)
        # What would be found, and needs another one that would not be, is left to the framework.
        if found.lacks and all(provide(other, (name,)) for other in found.lacks if other != name):
            found = attempt(name)
        if found.lacks:
            provide(name, ())
    for item in [item for item in load if early.key(item.name).startswith("cudnn64_")]:
        load += _opened_later(early, [other for other in libraries if not other.unsafe and _is_next_to(other, item)])
    lacks = tuple(name for name in names if attempt(name).lacks)
    unique = {item.path: item for item in refused if lacks}
    return Repair(tuple(load), tuple(unique.values()), lacks)


def _is_next_to(library: Library, item: Library) -> bool:
    return library.path.rpartition("\\")[0].lower() == item.path.rpartition("\\")[0].lower()


def _opened_later(early: DynamicLinker, neighbors: Sequence[Library]) -> List[Library]:
    """What cuDNN for Windows opens by name at its first operations, and may not find: its parts, and zlib from 8.3 on."""
    waiting = [item for item in neighbors if early.key(item.name).startswith(("cudnn_", "zlibwapi"))]
    done: List[Library] = []
    while True:
        ready = [item for item in waiting if not early.load(item).lacks]
        if not ready:
            return done
        done += ready
        waiting = [item for item in waiting if item not in ready]
