"""CUDA's libraries in every place where one may be, and what the dynamic linker needs to know to find them."""

import re
import struct
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..facts import Fact, Library, Opener
from ..host import Host
from .cuda_places import LOADER_FOLDERS, below, conda_folders, loader_path, toolkits, wheel_folders, windows_steps
from .elf import Dynamic, read_dynamic, replace_origin

#: Stems of the libraries that framework builds open at run time, and of those that these need.
STEMS = (
    "cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cusparseLt", "cudnn", "nccl", "nvrtc", "cupti",
    "nvJitLink", "nvshmem_host", "cufile",
)  # fmt: skip
_POSIX = tuple("lib%s.so." % stem for stem in STEMS) + ("libcudnn_",)
_WINDOWS = tuple(stem.lower() + "64_" for stem in STEMS) + ("cudnn_", "nvjitlink_", "zlibwapi")

#: The frameworks' libraries that open or need CUDA's, below a folder of the path.
_OPENERS = (
    ("tensorflow", ("tensorflow", "libtensorflow_framework.so.2")),
    ("tensorflow", ("tensorflow", "libtensorflow_framework.so.1")),
    ("tensorflow", ("tensorflow_core", "libtensorflow_framework.so.1")),
    ("jax", ("jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")),
    ("jax", ("jax_plugins", "xla_cuda12", "xla_cuda_plugin.so")),
    ("torch", ("torch", "lib", "libtorch_cuda.so")),
)

#: These two load by their full path what pip's packages have in any folder of the path, before everything else
#: (jax_plugins/xla_cuda12/__init__.py, torch/__init__.py: _preload_cuda_deps).
_LOAD_THEMSELVES = ("jax", "torch")

#: Next to PyTorch's library: they are loaded with it.
_BESIDE = ("libtorch_cpu.so", "libtorch_nvshmem.so")

#: A limit: no real layout of libraries has more.
_MOST_FOLDERS = 500


class Found(NamedTuple):
    """What `read_libraries` returns."""

    libraries: "Fact[Tuple[Library, ...]]"
    path: Tuple[str, ...]
    rpath: Tuple[str, ...]
    openers: Tuple[Opener, ...]


def read_libraries(host: Host) -> Found:
    """Return the CUDA libraries of this machine, the dynamic linker's path and the frameworks' libraries that open them."""
    windows = host.system == "windows"
    steps = windows_steps(host) if windows else [("LD_LIBRARY_PATH", loader_path(host))]
    path = tuple(dict.fromkeys(folder for _, folders in steps for folder in folders))
    detailed = windows or (host.system == "linux" and (_driver_is_about(host, path) or _links_cuda(host)))
    openers = _read_openers(host) if detailed and not windows else ()
    search = _Search(host, detailed)
    if host.system == "linux":
        search.add_files("loaded", _loaded(host))
        preloaded = re.split(r"[ :]+", host.environ().get("LD_PRELOAD", ""))
        search.add_files("LD_PRELOAD", [item for item in preloaded if item.startswith("/")])
    search.add_folders(steps)
    cache = host.loader_cache()
    search.add_files("ld.so.cache", [cache[name] for name in sorted(cache) if search.wanted(name)])
    search.add_folders([("pip", wheel_folders(host))])
    search.add_folders([("RUNPATH", _named(host, openers))])
    if host.system == "linux" and (detailed or not cache):
        search.add_folders([("system", LOADER_FOLDERS)])
    search.add_folders([("conda", conda_folders(host))])
    search.add_folders((via, below(host, folder)) for folder, via in toolkits(host))
    search.add_named()
    cache_too = ", ld.so.cache" if host.system == "linux" else ""
    source = "%s%s, pip's and conda's packages and the toolkits' folders" % (steps[-1][0], cache_too)
    libraries = tuple(search.found.values())
    if search.problems and not libraries:
        fact: "Fact[Tuple[Library, ...]]" = Fact.unknown("; ".join(search.problems[:3]), source)
    else:
        fact = Fact.of(libraries, source)
    rpath = _read_rpath(host) if detailed and not windows else ()
    return Found(fact, tuple(host.scrub(folder) for folder in path), rpath, openers)


def _named(host: Host, openers: Sequence[Opener]) -> List[str]:
    """The folders that the frameworks' libraries name."""
    return [host.expand(folder) for item in openers for folder in item.folders + item.rpath]


def _driver_is_about(host: Host, path: Sequence[str]) -> bool:
    """Whether NVIDIA's driver may answer: only then it is worth to look into files."""
    marks = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg", "/usr/lib/wsl/lib/libcuda.so.1")
    if "libcuda.so.1" in host.loader_cache() or any(host.exists(mark) for mark in marks):
        return True
    return any(host.exists(host.join(folder, "libcuda.so.1")) for folder in path)


def _links_cuda(host: Host) -> bool:
    """Whether the PyTorch here is linked with CUDA's libraries: then its import needs them, whatever the machine has."""
    return any(host.is_file(host.join(entry, *_OPENERS[-1][1])) for entry in dict.fromkeys(host.interpreter.sys_path))


def _read_openers(host: Host) -> Tuple[Opener, ...]:
    found: Dict[str, Opener] = {}
    for framework, parts in _OPENERS:
        for entry in dict.fromkeys(host.interpreter.sys_path):
            path = host.join(entry, *parts)
            opener = read_opener(host, framework, path) if framework not in found and host.is_file(path) else None
            if opener is not None:
                found[framework] = opener
    return tuple(found.values())


def read_opener(host: Host, framework: str, path: str) -> Optional[Opener]:
    """Return what a framework's library tells the dynamic linker, None if it cannot be read."""
    dynamic = _dynamic(host, path)
    if dynamic is None:
        return None
    needed, own = list(dynamic.needed), ()  # type: List[str], Tuple[str, ...]
    if framework in _LOAD_THEMSELVES:
        own = tuple(wheel_folders(host))
        for name in _BESIDE:
            neighbor = _dynamic(host, host.join(host.path.dirname(path), name))
            needed += neighbor.needed if neighbor is not None else ()
    needs = tuple(dict.fromkeys(name for name in needed if name.startswith(_POSIX)))
    folders, rpath = _told(host, path, dynamic)
    return Opener(framework, host.scrub(path), folders, rpath, needs, tuple(map(host.scrub, own)))


def _told(host: Host, path: str, dynamic: Dynamic) -> Tuple[Tuple[str, ...], Tuple[str, ...]]:
    """What a file tells the dynamic linker: DT_RUNPATH, and DT_RPATH, which is ignored if the other one is there."""
    folders = tuple(map(host.scrub, replace_origin(host, dynamic.folders, path)))
    return (folders, ()) if dynamic.has_runpath else ((), folders)


def _read_rpath(host: Host) -> Tuple[str, ...]:
    executable = host.real_path(host.interpreter.executable)
    dynamic = _dynamic(host, executable)
    return _told(host, executable, dynamic)[1] if dynamic is not None else ()


def _dynamic(host: Host, path: str) -> Optional[Dynamic]:
    try:
        return read_dynamic(host, path)
    except OSError:
        return None


def _imports(host: Host, path: str) -> Tuple[str, ...]:
    try:
        return read_imports(host, path) or ()
    except OSError:
        return ()


def _loaded(host: Host) -> List[str]:
    """The libraries in this process, where a framework runs in it: one that is loaded is not searched again."""
    if not host.interpreter.modules:
        return []
    return list(parse_loaded(host.text_or_none("/proc/self/maps", 16 << 20) or ""))


def parse_loaded(text: str) -> Tuple[str, ...]:
    """Return the files of ``/proc/self/maps``, each once.

    ::

        7f2c1c000000-7f2c1c0a0000 r--p 00000000 08:01 131 /venv/nvidia/cublas/lib/libcublas.so.12
    """
    fields = (line.split(None, 5) for line in text.splitlines())
    return tuple(dict.fromkeys(item[5] for item in fields if len(item) == 6 and item[5].startswith("/")))


class _Search:
    """Gathers libraries: each file once, under the first step that finds it."""

    def __init__(self, host: Host, detailed: bool) -> None:
        self.host = host
        self.detailed = detailed
        self.windows = host.system == "windows"
        self.found: Dict[str, Library] = {}
        self.problems: List[str] = []
        self._folders: Dict[str, Tuple[str, ...]] = {}
        self._owners: Dict[str, Dict[str, Tuple[str, int]]] = {}
        self._unsafe: Dict[str, str] = {}
        self._toolkits: Dict[str, str] = {}

    def wanted(self, name: str) -> bool:
        """Whether a file's name is one of CUDA's libraries."""
        if self.windows:
            return name.lower().endswith(".dll") and name.lower().startswith(_WINDOWS)
        return name.startswith(_POSIX) and ".so" in name

    def add_folders(self, steps: Iterable[Tuple[str, Iterable[str]]]) -> None:
        """Add what is in the folders of some steps."""
        for via, folders in steps:
            for folder in dict.fromkeys(folders):
                if folder not in self._folders:
                    self._folders[folder] = self._names(folder)
                for name in self._folders[folder]:
                    self._add(name, self.host.join(folder, name), via)

    def add_named(self) -> None:
        """Add what is where the libraries found so far send the dynamic linker, and so on."""
        while True:
            named = [self.host.expand(folder) for item in self.found.values() for folder in item.folders + item.rpath]
            new = [folder for folder in dict.fromkeys(named) if folder not in self._folders]
            if not new or len(self._folders) > _MOST_FOLDERS:
                return
            self.add_folders([("RUNPATH", new)])

    def _names(self, folder: str) -> Tuple[str, ...]:
        try:
            return tuple(filter(self.wanted, self.host.list_names(folder)))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            self.problems.append(self.host.scrub(str(error)))
            return ()

    def add_files(self, via: str, paths: Iterable[str]) -> None:
        """Add some files."""
        for path in paths:
            name = self.host.path.basename(path)
            if self.wanted(name):
                self._add(name, path, via)

    def _add(self, name: str, path: str, via: str) -> None:
        shown = self.host.scrub(path)
        if shown in self.found:
            return
        host = self.host
        target = host.path.basename(host.real_path(path))
        target = "" if target.lower() == name.lower() else host.scrub(target)
        needs, folders, rpath = (), (), ()  # type: Tuple[str, ...], Tuple[str, ...], Tuple[str, ...]
        dynamic = _dynamic(host, path) if self.detailed and not self.windows else None
        if self.windows:
            needs = tuple(filter(self.wanted, _imports(host, path)))
        if dynamic is not None:
            needs = tuple(item for item in dynamic.needed if item.startswith(_POSIX))
            folders, rpath = _told(host, path, dynamic) if needs else ((), ())
        unsafe = self._danger(path) if self.detailed else ""
        version = self._version(target or name, path)
        self.found[shown] = Library(name, shown, via, target, version, needs, folders, rpath, unsafe)

    def _version(self, name: str, path: str) -> str:
        match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)*)$", name)
        # "libcudart.so.11.0" is how every runtime of CUDA 11 is called.
        if match is not None and (match.group(1).count(".") > 1 or not name.startswith("libcudart.")):
            return match.group(1)
        return self._owner(path) or self._toolkit(path)

    def _owner(self, path: str) -> str:
        """The version of the pip package that a library came with: the one whose RECORD has it, at its size."""
        host = self.host
        separator = "\\" if host.system == "windows" else "/"
        entry, found, inside = path.rpartition(separator + "nvidia" + separator)
        if not found:
            return ""
        if entry not in self._owners:
            self._owners[entry] = self._records(entry)
        return self._owners[entry].get("nvidia/" + inside.replace("\\", "/"), ("", 0))[0]

    def _records(self, entry: str) -> Dict[str, Tuple[str, int]]:
        """What the RECORDs of NVIDIA's packages in a folder of the path say: file to version and size."""
        host = self.host
        found: Dict[str, Tuple[str, int]] = {}
        for name in host.names_if_any(entry):
            match = re.match(r"nvidia_[\w.]+-(\d[^-]*)\.dist-info$", name)
            if match is None:
                continue
            record = host.text_or_none(host.join(entry, name, "RECORD"), 4 << 20)
            for file, size in parse_sizes(record or ""):
                if file not in found:
                    found[file] = (match.group(1), size)
                    continue
                info = host.info(host.join(entry, *file.split("/")))
                # Packages of two CUDA versions write over one another: the size tells whose file it is.
                if info is not None and info.size == size and info.size != found[file][1]:
                    found[file] = (match.group(1), size)
        return found

    def _toolkit(self, path: str) -> str:
        """The version of the toolkit to which a library of the CUDA runtime belongs."""
        if "cudart" not in path.lower():
            return ""
        match = re.search(r"[\\/](?:cuda-|CUDA[\\/]v)(\d+\.\d+)[\\/]", self.host.real_path(path), re.I)
        return match.group(1) if match else ""

    def _danger(self, path: str) -> str:
        """Why a library should not be loaded unasked, "" where nothing speaks against it."""
        host = self.host
        folder = host.path.dirname(path)
        if folder not in self._unsafe:
            python = host.interpreter
            entries = [entry for entry in python.sys_path if entry and folder.startswith(host.join(entry, ""))]
            nearest = max(entries, key=len) if entries else folder
            # An environment within the working folder is not meant: its own folder for packages is nearer.
            in_cwd = nearest == python.cwd and nearest not in python.site_paths
            danger = "anybody may write its folder" if _is_shared(host, folder) else ""
            self._unsafe[folder] = "it is in the working folder" if in_cwd else danger
        if self._unsafe[folder]:
            return self._unsafe[folder]
        behind = host.path.dirname(host.real_path(path))
        shared = _is_shared(host, path) or (behind != folder and _is_shared(host, behind))
        return "anybody may write it" if shared else ""


def _is_shared(host: Host, path: str) -> bool:
    info = host.info(path)
    return info is not None and info.shared


def parse_sizes(record: str) -> Iterator[Tuple[str, int]]:
    """Return the files of a RECORD with their sizes.

    ::

        nvidia/cublas/lib/libcublas.so.12,sha256=Lx...,104128480
    """
    for line in record.splitlines():
        file, _, rest = line.partition(",")
        size = rest.rpartition(",")[2]
        if file.startswith("nvidia/") and size.isdecimal() and len(size) < 16:
            yield file, int(size)


# Which DLLs a DLL needs: the import table of a PE file.


#: No real import table has more entries.
_MOST = 512

#: Machine type of x86-64, and the magic number of its optional header (PE32+).
_AMD64, _PE32_PLUS = 0x8664, 0x20B


def read_imports(host: Host, path: str) -> Optional[Tuple[str, ...]]:
    """Return the names in the import table of a 64-bit DLL, None if it is not one or is truncated.

    The layout is of Microsoft's PE format (winnt.h: IMAGE_NT_HEADERS64, IMAGE_SECTION_HEADER, IMAGE_IMPORT_DESCRIPTOR).

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        head = host.read_bytes(path, 4096)
        (start,) = struct.unpack_from("<I", head, 60)
        signature, machine, count = struct.unpack_from("<4sHH", head, start)
        (size,) = struct.unpack_from("<H", head, start + 20)
        (magic,) = struct.unpack_from("<H", head, start + 24)
        if head[:2] != b"MZ" or (signature, machine, magic) != (b"PE\0\0", _AMD64, _PE32_PLUS):
            return None
        (table,) = struct.unpack_from("<I", head, start + 24 + 120)  # the second of the data directories
        sections = [struct.unpack_from("<8sIIII", head, start + 24 + size + 40 * index) for index in range(count)]

        def read(address: int, limit: int) -> bytes:
            for _, virtual, begin, raw, offset in sections:
                if begin <= address < begin + max(virtual, raw):
                    return host.read_bytes(path, limit, address - begin + offset)
            return b""

        data = read(table, 20 * _MOST) if table else b"\0" * 20
        names: Dict[str, None] = {}
        for position in range(0, len(data) - 19, 20):
            (name,) = struct.unpack_from("<I", data, position + 12)
            if not name:
                return tuple(names)
            names[read(name, 260).partition(b"\0")[0].decode("ascii", "replace")] = None
    except struct.error:
        pass
    return None
