"""`SimulatedHost`: a folder that is a whole machine.

``host.json`` describes the machine: system, environment, interpreter, device nodes, loader cache, registry, answers of
commands and of drivers, what every user may write, and small files as text under ``files``. The optional folder ``root``
holds further files. With ``"like": "NAME"``, the machine is a copy of the one in the folder NAME next to it, and
``host.json`` lists only what differs.

It answers from there alone: a question without a recorded answer is "not found", never the real machine's answer.
"""

import json
import os
import stat
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..errors import MachineFileError
from ..records import parse_json
from .driver_query import Question
from .host import Entry, FileInfo, Host, Interpreter

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..children.spawn import ToolResult

#: What is usual, so that a machine's folder only says what is special about it.
_PYTHON_DEFAULTS: Dict[str, Any] = {
    "implementation": "cpython", "version": "3.11.7", "bits": 64, "architecture": "", "user_site": "", "modules": [],
}  # fmt: skip


#: The number of folders that may describe one machine: its own, the one that it is like, and the one that this is like.
MAX_LAYERS = 3


def host_data(folder: str) -> Dict[str, Any]:
    """Return what a folder says of its machine, including what it takes over from the machine that it is like.

    Raises
    ------
    MachineFileError
        If the folder, or one that it builds on, has no readable ``host.json``.
    """
    return _combined(folder, _layers(folder))


def _combined(folder: str, layers: Sequence[Tuple[str, Dict[str, Any]]]) -> Dict[str, Any]:
    data = layers[0][1]
    for _, changes in layers[1:]:
        data = _merged(data, changes)
    if not isinstance(data.get("system"), str):
        raise MachineFileError('%s is not a simulated machine: host.json has no "system"' % folder)
    return data


def _layers(folder: str) -> List[Tuple[str, Dict[str, Any]]]:
    """Return the folders that describe a machine with what their ``host.json`` says, the base first."""
    layers: List[Tuple[str, Dict[str, Any]]] = []
    current = os.path.abspath(folder)
    while True:
        if any(current == path for path, _ in layers):
            raise MachineFileError("%s is like itself: %s" % (folder, _chain(layers, current)))
        if len(layers) == MAX_LAYERS:
            raise MachineFileError(
                "%s builds on more than %d machines: %s" % (folder, MAX_LAYERS - 1, _chain(layers, current))
            )
        layers.append((current, _read(current)))
        base = layers[-1][1].pop("like", None)
        if base is None:
            return layers[::-1]
        if not isinstance(base, str) or base in ("", ".", "..") or any(mark in base for mark in "/\\"):
            raise MachineFileError(
                '%s: "like" must be the name of a folder next to it, got %s' % (current, json.dumps(base))
            )
        current = os.path.join(os.path.dirname(current), base)


def _chain(layers: Sequence[Tuple[str, Any]], last: str) -> str:
    return " -> ".join([os.path.basename(path) for path, _ in layers] + [os.path.basename(last)])


def _read(folder: str) -> Dict[str, Any]:
    try:
        data = parse_json(_content(os.path.join(folder, "host.json")))
    except (OSError, ValueError) as error:
        raise MachineFileError("%s is not a simulated machine: %s" % (folder, error)) from error
    if not isinstance(data, dict):
        raise MachineFileError("%s is not a simulated machine: host.json is not a JSON object" % folder)
    return data


def _content(path: str) -> bytes:
    """Return the content of a regular file: a FIFO could block, and a device have no end."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError("%s is not a regular file" % path)
    with open(path, "rb") as stream:
        return stream.read()


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> Dict[str, Any]:
    """Return an object with changes: objects are merged, null removes an entry, anything else replaces it."""
    merged = dict(base)
    for key, value in changes.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            before = merged.get(key)
            merged[key] = _merged(before if isinstance(before, dict) else {}, value)
        else:
            merged[key] = value
    return merged


class SimulatedHost(Host):
    """A machine made of data.

    Parameters
    ----------
    folder : str
        The folder with ``host.json``. With ``"like": "NAME"`` there, the machine in the folder NAME next to this one is the
        base and ``host.json`` lists only what differs, the files below ``root`` included: objects are merged, null removes
        an entry of the base, everything else, lists too, replaces it. The base may itself be like a third machine.

    Raises
    ------
    MachineFileError
        If the folder, or one that it builds on, has no readable ``host.json``; if machines are like one another in a
        circle; or if a machine builds on more than two others.
    """

    def __init__(self, folder: str) -> None:
        layers = _layers(folder)
        data = _combined(folder, layers)
        self.system = data["system"]
        self.release = data.get("release", "")
        self.architecture = data.get("architecture", "x86_64")
        self.home = data.get("home", "")
        self.user = data.get("user", "")
        self.node = data.get("node", "")
        self._environ: Dict[str, str] = data.get("env", {})
        self._nodes: Dict[str, bool] = {self._key(path): rw for path, rw in data.get("nodes", {}).items()}
        self._links: Dict[str, str] = {self._key(path): target for path, target in data.get("links", {}).items()}
        self._groups: Dict[str, str] = {self._key(path): name for path, name in data.get("groups", {}).items()}
        self._withheld: Set[str] = {self._key(path) for path in data.get("withheld", ())}
        self._denied: Set[str] = {self._key(path) for path in data.get("denied", ())}
        self._read_only: Set[str] = {self._key(path) for path in data.get("read_only", ())}
        self._shared: Set[str] = {self._key(path) for path in data.get("shared", ())}
        self._cache: Dict[str, str] = data.get("loader_cache", {})
        self._libc: str = data.get("libc", "glibc 2.35" if self.system == "linux" else "")
        told = ("sse2", "ssse3", "sse4_1", "sse4_2", "avx", "avx2") if self.system == "windows" else ()
        features = data.get("cpu_features", told)
        self._cpu_features: Tuple[str, ...] = tuple(features)
        self._affinity: int = data.get("affinity", 0)
        self._memory_bytes: int = data.get("memory_bytes", 0)
        self._registry: Dict[str, Dict[str, Dict[str, Any]]] = data.get("registry", {})
        self._commands: Dict[str, Dict[str, Any]] = data.get("commands", {})
        self._answers: Dict[str, Any] = data.get("answers", {})
        self._files: Dict[str, Tuple[str, bytes]] = {}
        self._folders: Dict[str, Dict[str, bool]] = {}
        for path, text in data.get("files", {}).items():
            self._add(path, text.encode("utf-8"))
        for path in data.get("folders", ()):
            self._add_folder(path)
        for path in data.get("nodes", {}):
            self._add_parent(path, False)
        for path, content in self._root_files(layers).items():
            self._add(path, content)
        self.interpreter = self._interpreter(data.get("python", {}))

    def _interpreter(self, python: Mapping[str, Any]) -> Interpreter:
        values = dict(_PYTHON_DEFAULTS, **python)
        minor = ".".join(values["version"].split(".")[:2])
        windows = self.system == "windows"
        prefix = values.setdefault("prefix", "C:\\venv" if windows else "/venv")
        values.setdefault("base_prefix", "C:\\Python" if windows else "/usr")
        values.setdefault(
            "executable", self.join(prefix, *(("Scripts", "python.exe") if windows else ("bin", "python")))
        )
        library = ("Lib",) if windows else ("lib", "python" + minor)
        site = self.join(prefix, *(library + ("site-packages",)))
        values.setdefault("stdlib", self.join(values["base_prefix"], *library))
        values.setdefault("site_paths", [site])
        values.setdefault("cwd", "C:\\project" if windows else "/project")
        values.setdefault("sys_path", [values["cwd"], values["stdlib"], site])
        values.setdefault("extension_suffixes", [".pyd"] if windows else [".so"])
        values["architecture"] = values["architecture"] or self.architecture
        for name, version in values.pop("installed", {}).items():
            self._add_distribution(site, name, version)
        return Interpreter.from_dict(values)

    def _add_distribution(self, site: str, name: str, version: str) -> None:
        """Add the least that makes a distribution: METADATA, and the import package for names that are one."""
        folder = self.join(site, "%s-%s.dist-info" % (name.replace("-", "_"), version))
        metadata = self.join(folder, "METADATA")
        if self._key(metadata) not in self._files:
            self._add(metadata, ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\n" % (name, version)).encode())

    def _key(self, path: str) -> str:
        key: str = self.path.normpath(path)
        return key.lower() if self.system == "windows" else key

    def _root_files(self, layers: Sequence[Tuple[str, Mapping[str, Any]]]) -> Dict[str, bytes]:
        """Return the files below ``root`` of all folders that describe the machine, by their path on the machine."""
        files: Dict[str, bytes] = {}
        for layer, data in layers:
            removed = {self._key(path) for path, text in (data.get("files") or {}).items() if text is None}
            files = {path: content for path, content in files.items() if self._key(path) not in removed}
            root = os.path.join(layer, "root")
            for parent, _, names in os.walk(root):
                for name in names:
                    full = os.path.join(parent, name)
                    path = "/" + os.path.relpath(full, root).replace(os.sep, "/")
                    if self.system == "windows":  # a first folder of one letter is a drive
                        path = path[1:].replace("/", ":/", 1).replace("/", "\\")
                    files[path] = _content(full)
        return files

    def _add(self, path: str, content: bytes) -> None:
        self._files[self._key(path)] = (path, content)
        self._add_parent(path, False)

    def _add_folder(self, path: str) -> None:
        self._folders.setdefault(self._key(path), {})
        self._add_parent(path, True)

    def _add_parent(self, path: str, is_dir: bool) -> None:
        parent, name = self.path.split(self.path.normpath(path))
        while name:
            known = self._folders.setdefault(self._key(parent), {})
            known[name] = known.get(name, False) or is_dir
            is_dir = True
            parent, name = self.path.split(parent)

    def _resolve(self, path: str) -> str:
        key = self._key(path)
        for _ in range(20):  # a longer chain of links is a circle
            if key not in self._links:
                break
            key = self._key(self.join(self.path.dirname(key), self._links[key]))
        return key

    def environ(self) -> Mapping[str, str]:
        return self._environ

    def read_bytes(self, path: str, limit: int = 1 << 20, offset: int = 0) -> bytes:
        key = self._resolve(path)
        if key in self._denied:
            raise PermissionError(13, "Permission denied", path)
        if key in self._withheld:  # what a container's device rules say no to
            raise PermissionError(1, "Operation not permitted", path)
        if key not in self._files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return self._files[key][1][offset : offset + limit]

    def list_dir(self, path: str) -> List[Entry]:
        key = self._resolve(path)
        if key in self._denied:
            raise PermissionError(13, "Permission denied", path)
        if key not in self._folders:
            raise FileNotFoundError(2, "No such file or directory", path)
        return sorted(Entry(name, is_dir) for name, is_dir in self._folders[key].items())

    def info(self, path: str) -> Optional[FileInfo]:
        key = self._resolve(path)
        if any(key.startswith(self.join(folder, "")) for folder in self._denied):
            return None
        readable = key not in self._denied
        if key in self._files:
            return FileInfo("file", len(self._files[key][1]), 0, key in self._shared, readable)
        if key in self._folders:
            return FileInfo("folder", 0, 0, key in self._shared, readable)
        if key in self._nodes:
            return FileInfo("device", 0, 0)
        return None

    def real_path(self, path: str) -> str:
        return self._resolve(path)

    def accessible(self, path: str) -> bool:
        return self._nodes.get(self._key(path), False)

    def writable(self, path: str) -> bool:
        return self._key(path) not in self._read_only

    def is_root(self) -> bool:
        return self.system != "windows" and self.user == "root"

    def group_of(self, path: str) -> str:
        return self._groups.get(self._resolve(path), "")

    def owner_of(self, path: str) -> str:
        return "root" if self._resolve(path) in self._denied else "this user"

    def loader_cache(self) -> Mapping[str, str]:
        return self._cache

    def libc(self) -> str:
        return self._libc

    def affinity(self) -> int:
        return self._affinity

    def memory_bytes(self) -> int:
        return self._memory_bytes

    def cpu_features(self) -> Tuple[str, ...]:
        return self._cpu_features

    def registry(self, key: str) -> List[Tuple[str, Dict[str, Any]]]:
        if key not in self._registry:
            raise FileNotFoundError(2, "The system cannot find the file specified", key)
        return sorted(self._registry[key].items())

    def run(self, argv: Sequence[str], timeout_s: float = 2.0) -> "ToolResult":
        from ..children.spawn import ToolResult

        answer = self._commands.get(" ".join(argv))
        if answer is None:
            raise FileNotFoundError(2, "No such file or directory", argv[0])
        if answer.get("hangs"):
            return ToolResult(None, "", "no answer within %g s" % timeout_s)
        return ToolResult(answer.get("status", 0), answer.get("stdout", ""), answer.get("stderr", ""))

    def ask(self, name: str, task: Optional[Mapping[str, Any]] = None) -> Question:
        return SimulatedQuestion(self._answers.get(name, "no process answers"))


class SimulatedQuestion(Question):
    """The answer that a folder gives for a driver: what its child would, or a text that says why there is none."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def answer(self) -> Mapping[str, Any]:
        if isinstance(self._answer, str):
            raise OSError(self._answer)
        answer: Mapping[str, Any] = self._answer
        return answer
