"""The I/O boundary: what may be asked of a machine (files, environment, registry, dynamic linker, commands, drivers).

Probers get a `Host` and nothing else, so that a whole machine can be a folder (`SimulatedHost`, which never falls
through to the real one) and another interpreter can be examined from outside (`LiveHost(interpreter=...)`).
"""

import posixpath
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..records import Record
from .driver_query import Question

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..children.spawn import ToolResult

#: Folders of Windows by the variable that names them, and where they are as a rule. It need not be the drive C.
_WINDOWS_FOLDERS = {"SYSTEMROOT": "C:\\Windows", "PROGRAMFILES": "C:\\Program Files"}


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    is_dir: bool


class FileInfo(NamedTuple):
    """What ``stat`` says. ``kind``: file, folder, device or other; ``shared``: every user may write or replace it.

    ``readable``: this user may read the file, or list the folder and reach what is in it.
    """

    kind: str
    size: int
    mtime_ns: int
    shared: bool = False
    readable: bool = True


class Interpreter(Record):
    """The Python interpreter that is examined. All paths are the machine's own, not scrubbed.

    ``problem``: the variable that keeps it from starting, or from finding its own standard library; "" if none does.
    ``unset``, ``preset``: variables that its own start removes, or gives another value (a ``.pth`` file, ``sitecustomize``).
    ``lacking``: modules of the standard library that every framework needs and that this Python was built without.
    """

    implementation: str
    version: str
    bits: int
    executable: str
    prefix: str
    base_prefix: str
    stdlib: str
    architecture: str
    sys_path: Tuple[str, ...]
    site_paths: Tuple[str, ...]
    user_site: str
    extension_suffixes: Tuple[str, ...]
    cwd: str
    modules: Tuple[Tuple[str, str], ...] = ()
    keras_backend: str = ""
    problem: str = ""
    unset: Tuple[str, ...] = ()
    preset: Tuple[Tuple[str, str], ...] = ()
    lacking: Tuple[str, ...] = ()


#: Frameworks whose presence in `sys.modules` matters: one that is imported is the selected framework.
WATCHED_MODULES = ("tensorflow", "keras", "tf_keras", "jax", "torch")


class Host:
    """What a prober may ask. Paths are the examined machine's; every read can raise OSError."""

    #: Whether it is the machine that this process runs on.
    is_live: bool = False
    system: str = "linux"
    release: str = ""
    architecture: str = ""
    interpreter: Interpreter
    home: str = ""
    user: str = ""
    node: str = ""

    @property
    def path(self) -> Any:
        """The path module of the examined machine (`posixpath` or `ntpath`)."""
        if self.system == "windows":
            import ntpath

            return ntpath
        return posixpath

    def join(self, *parts: str) -> str:
        """Join parts of a path in the way of the examined machine."""
        result: str = self.path.join(*parts)
        return result

    # What the concrete hosts answer.
    def environ(self) -> Mapping[str, str]:
        """Return the environment variables."""
        raise NotImplementedError

    def read_bytes(self, path: str, limit: int = 1 << 20, offset: int = 0) -> bytes:
        """Return up to ``limit`` bytes of a file from ``offset`` on."""
        raise NotImplementedError

    def list_dir(self, path: str) -> List[Entry]:
        """Return the names in a folder, sorted."""
        raise NotImplementedError

    def list_names(self, path: str) -> List[str]:
        """Return the names in a folder, sorted, without asking what each of them is."""
        return [entry.name for entry in self.list_dir(path)]

    def info(self, path: str) -> Optional[FileInfo]:
        """Return what a path is, or None if nothing is there; links are followed."""
        raise NotImplementedError

    def real_path(self, path: str) -> str:
        """Return the path with links resolved."""
        raise NotImplementedError

    def accessible(self, path: str) -> bool:
        """Return whether this user may open a device node for reading and writing."""
        raise NotImplementedError

    def writable(self, path: str) -> bool:
        """Return whether this user may make files in a folder."""
        raise NotImplementedError

    def own_module(self, name: str) -> str:
        """Return the path of a module that is installed together with devicekit, "" if there is none."""
        return ""

    def is_root(self) -> bool:
        """Return whether this user is root, who needs no sudo; False on Windows."""
        raise NotImplementedError

    def group_of(self, path: str) -> str:
        """Return the group that owns a file: its name, its number if it has no name here, "" where no one says."""
        raise NotImplementedError

    def owner_of(self, path: str) -> str:
        """Return who owns a file: "root", "this user", "another user" (whose name is private), "" where no one says."""
        raise NotImplementedError

    def loader_cache(self) -> Mapping[str, str]:
        """Return the dynamic loader's cache: library name to path (empty if there is none)."""
        raise NotImplementedError

    def libc(self) -> str:
        """Return the C library's name and version ("glibc 2.36"), "" where it does not say."""
        raise NotImplementedError

    def affinity(self) -> int:
        """Return on how many logical processors this process may run, 0 if the system does not say (macOS never does)."""
        raise NotImplementedError

    def memory_bytes(self) -> int:
        """Return the machine's memory as Windows reports it, 0 if it does not; Windows only."""
        raise NotImplementedError

    def cpu_features(self) -> Tuple[str, ...]:
        """Return the processor's instruction sets as Windows reports them, () where it does not; Windows only."""
        raise NotImplementedError

    def registry(self, key: str) -> List[Tuple[str, Dict[str, Any]]]:
        """Return the subkeys of a key below HKEY_LOCAL_MACHINE with their values; Windows only."""
        raise NotImplementedError

    def run(self, argv: Sequence[str], timeout_s: float = 2.0) -> "ToolResult":
        """Run a system tool by its absolute path."""
        raise NotImplementedError

    def ask(self, name: str, task: Optional[Mapping[str, Any]] = None) -> "Question":
        """Ask a driver's library in a child process: ``probe/NAME_child.py``, which gets the task. Returns at once."""
        raise NotImplementedError

    # What follows from it.
    def read_text(self, path: str, limit: int = 1 << 20) -> str:
        """Return a text file; bytes that are no UTF-8 are replaced."""
        return self.read_bytes(path, limit).decode("utf-8", "replace")

    def text_or_none(self, path: str, limit: int = 1 << 20) -> Optional[str]:
        """Return a text file, None if it cannot be read."""
        try:
            return self.read_text(path, limit)
        except OSError:
            return None

    def names_if_any(self, path: str) -> List[str]:
        """Return the names in a folder, none if it cannot be listed."""
        try:
            return self.list_names(path)
        except OSError:
            return []

    def is_dir(self, path: str) -> bool:
        """Return whether a folder is there."""
        info = self.info(path)
        return info is not None and info.kind == "folder"

    def is_file(self, path: str) -> bool:
        """Return whether a regular file is there."""
        info = self.info(path)
        return info is not None and info.kind == "file"

    def exists(self, path: str) -> bool:
        """Return whether anything is there."""
        return self.info(path) is not None

    def variable(self, name: str) -> str:
        """Return an environment variable, "" if it is not set. ``name`` is in upper case; Windows ignores the case."""
        windows = self.system == "windows"
        return next((text for key, text in self.environ().items() if (key.upper() if windows else key) == name), "")

    def system_folder(self, variable: str = "SYSTEMROOT") -> str:
        """Return Windows' own folder, or that of programs (``PROGRAMFILES``): an absolute path on a drive in any case."""
        text = self.variable(variable)
        return self.path.normpath(text) if re.match(r"[A-Za-z]:[\\/]", text) else _WINDOWS_FOLDERS[variable]

    def scrub(self, text: str) -> str:
        """Return a text without this user's home folder, user name and host name.

        Everything that enters a `Machine` goes through this, so that nothing personal can leave by a report.
        """
        windows = self.system == "windows"
        home = _spellings(self.home) if windows else re.escape(self.home)
        if len(self.home) > 1 and (windows or self.home in text):
            text = re.sub(home + r"(?![\w.-])", "~", text, flags=re.IGNORECASE if windows else 0)
        for word, mask in ((self.user, "<user>"), (self.node, "<host>")):
            if len(word) > 2 and word not in ("root", "localhost") and word in text:
                text = re.sub(r"(?<![\w.-])" + re.escape(word) + r"(?![\w-])", mask, text)
        return text

    def expand(self, text: str) -> str:
        """Return a scrubbed path as the real one."""
        if text == "~" or text.startswith(("~/", "~\\")):
            text = self.home + text[1:]
        return text.replace("<user>", self.user).replace("<host>", self.node)


def _spellings(path: str) -> str:
    r"""Return a pattern for a folder of Windows: both slashes, also doubled as in messages, and short names (``MARIAL~1``)."""
    parts = []
    for part in re.split(r"[\\/]+", path):
        stem, dot, ending = part.replace(" ", "").rpartition(".")
        stem, ending = (stem.replace(".", ""), "." + ending[:3]) if dot else (ending, "")
        # The second form: the fifth of those whose names begin alike, and later ones, have a checksum.
        short = r"(?:%s|%s[\dA-F]{4})~\d{1,6}%s" % tuple(map(re.escape, (stem[:6], stem[:2], ending)))
        parts.append("(?:%s|%s)" % (re.escape(part), short))
    return r"[\\/]+".join(parts)
