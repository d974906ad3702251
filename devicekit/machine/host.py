"""The one door to the machine: read, list, look, run, environment, registry, loader cache.

Probers get a `Host` and nothing else, so that a whole machine can be a folder (`SimulatedHost`, which never falls
through to the real one) and another interpreter can be examined from outside (`LiveHost(interpreter=...)`).
"""

import os
import posixpath
import stat
import sys
import time
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..records import Record
from .driver_query import LiveQuestion, Question

__all__ = ["Entry", "FileInfo", "Host", "Interpreter", "LiveHost", "Question", "RunResult", "this_interpreter"]

SYSTEMS = {"linux": "linux", "win32": "windows", "cygwin": "windows", "darwin": "macos"}


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    is_dir: bool


class FileInfo(NamedTuple):
    """What ``stat`` says. ``kind``: file, folder, device or other; ``shared``: every user may write or replace it."""

    kind: str
    size: int
    mtime_ns: int
    shared: bool = False


class RunResult(NamedTuple):
    """What a command printed; ``status`` is None where it ran past its time limit."""

    status: Optional[int]
    stdout: str
    stderr: str


class Interpreter(Record):
    """The Python interpreter that is examined. All paths are the machine's own, not scrubbed."""

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


#: Frameworks whose presence in `sys.modules` matters: whoever is imported already is meant.
WATCHED_MODULES = ("tensorflow", "keras", "tf_keras", "jax", "torch")


def this_interpreter() -> Interpreter:
    """Describe the interpreter that runs this code."""
    from .probe.interpreter_child import describe

    return Interpreter.from_dict(describe())


class Host:
    """What a prober may ask. Paths are the examined machine's; every read can raise OSError."""

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
        """Return what a path is, or None where nothing is there; links are followed."""
        raise NotImplementedError

    def real_path(self, path: str) -> str:
        """Return the path with links resolved."""
        raise NotImplementedError

    def accessible(self, path: str) -> bool:
        """Return whether this user may open a device node for reading and writing."""
        raise NotImplementedError

    def group_of(self, path: str) -> str:
        """Return the group that owns a file: its name, its number where it has no name here, "" where nobody says."""
        raise NotImplementedError

    def loader_cache(self) -> Mapping[str, str]:
        """Return the dynamic loader's cache: library name to path (empty where there is none)."""
        raise NotImplementedError

    def libc(self) -> str:
        """Return the C library's name and version ("glibc 2.36"), "" where it does not say."""
        raise NotImplementedError

    def affinity(self) -> int:
        """Return on how many logical processors this process may run, 0 where the system does not say (macOS never does)."""
        raise NotImplementedError

    def memory_bytes(self) -> int:
        """Return the machine's memory as Windows tells it, 0 where it does not; Windows only."""
        raise NotImplementedError

    def cpu_features(self) -> Tuple[str, ...]:
        """Return the processor's instruction sets as Windows tells them, () where it does not; Windows only."""
        raise NotImplementedError

    def registry(self, key: str) -> List[Tuple[str, Dict[str, Any]]]:
        """Return the subkeys of a key below HKEY_LOCAL_MACHINE with their values; Windows only."""
        raise NotImplementedError

    def run(self, argv: Sequence[str], timeout_s: float = 2.0) -> RunResult:
        """Run a system tool by its absolute path."""
        raise NotImplementedError

    def ask(self, name: str, task: Optional[Mapping[str, Any]] = None) -> "Question":
        """Ask a driver's library in a child process: ``probe/NAME_child.py``, which gets the task. Returns at once."""
        raise NotImplementedError

    # What follows from it.
    def read_text(self, path: str, limit: int = 1 << 20) -> str:
        """Return a text file; bytes that are no UTF-8 are replaced."""
        return self.read_bytes(path, limit).decode("utf-8", "replace")

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

    def scrub(self, text: str) -> str:
        """Return a text without this user's home folder, user name and host name.

        Everything that enters a `Machine` goes through this, so that nothing personal can leave by a report.
        """
        if self.home and len(self.home) > 1 and self.home in text:
            text = _replace_folder(text, self.home, "~")
        for word, mask in ((self.user, "<user>"), (self.node, "<host>")):
            if len(word) > 2 and word not in ("root", "localhost") and word in text:
                text = _replace_word(text, word, mask)
        return text

    def expand(self, text: str) -> str:
        """Return a scrubbed path as the real one."""
        if text == "~" or text.startswith(("~/", "~\\")):
            text = self.home + text[1:]
        return text.replace("<user>", self.user).replace("<host>", self.node)


def _replace_folder(text: str, folder: str, mask: str) -> str:
    import re

    return re.sub(re.escape(folder) + r"(?![\w.-])", lambda _: mask, text)


def _replace_word(text: str, word: str, mask: str) -> str:
    import re

    return re.sub(r"(?<![\w.-])" + re.escape(word) + r"(?![\w-])", lambda _: mask, text)


def _check(path: str) -> None:
    """Refuse what no system call takes: it would be a ValueError, and probers expect an OSError."""
    if "\0" in path:
        raise OSError(22, "a path with a null character", path)


#: So many seconds may the drivers that are asked take, all of them together.
DEADLINE_S = 2.0


class LiveHost(Host):
    """The machine that this process runs on.

    Parameters
    ----------
    interpreter : Interpreter or None
        The interpreter to examine; this one by default.
    deadline_s : float
        Seconds from now on after which a driver that was asked and has not answered counts as one that does not answer.
    """

    def __init__(self, interpreter: Optional[Interpreter] = None, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._deadline = time.monotonic() + deadline_s
        self.system = SYSTEMS.get(sys.platform, sys.platform)
        if hasattr(os, "uname"):
            uname = os.uname()
            self.release, self.architecture, self.node = uname.release, uname.machine, uname.nodename
        else:
            version = sys.getwindowsversion()  # type: ignore[attr-defined,unused-ignore]
            self.release = "%d.%d.%d" % (version.major, version.minor, version.build)
            # A 32-bit process on 64-bit Windows sees the machine's own architecture in the second variable only.
            environ = os.environ
            self.architecture = environ.get("PROCESSOR_ARCHITEW6432") or environ.get("PROCESSOR_ARCHITECTURE", "")
            self.node = environ.get("COMPUTERNAME", "")
        home = os.path.expanduser("~")
        self.home = "" if home == "~" else home.rstrip("/\\")
        self.user = os.environ.get("USER") or os.environ.get("USERNAME") or posixpath.basename(self.home)
        self.interpreter = interpreter or this_interpreter()
        self._loader_cache: Optional[Dict[str, str]] = None  # read once: three probers search it

    def environ(self) -> Mapping[str, str]:
        return os.environ

    def read_bytes(self, path: str, limit: int = 1 << 20, offset: int = 0) -> bytes:
        _check(path)
        # A folder of FIFOs or device files must not be able to block a probe.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError("%s is not a regular file" % path)
        with open(path, "rb") as stream:
            if offset:
                stream.seek(offset)
            return stream.read(limit)

    def list_dir(self, path: str) -> List[Entry]:
        _check(path)
        with os.scandir(path) as entries:
            found = []
            for entry in entries:
                try:
                    found.append(Entry(entry.name, entry.is_dir()))
                except OSError:  # a link that leads nowhere, or in a circle
                    found.append(Entry(entry.name, False))
        found.sort()
        return found

    def list_names(self, path: str) -> List[str]:
        _check(path)
        return sorted(os.listdir(path))

    def info(self, path: str) -> Optional[FileInfo]:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        if stat.S_ISREG(status.st_mode):
            kind = "file"
        elif stat.S_ISDIR(status.st_mode):
            kind = "folder"
        elif stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            kind = "device"
        else:
            kind = "other"
        shared = os.name == "posix" and bool(status.st_mode & stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
        return FileInfo(kind, status.st_size, status.st_mtime_ns, shared)

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def accessible(self, path: str) -> bool:
        return os.access(path, os.R_OK | os.W_OK)

    def group_of(self, path: str) -> str:
        try:
            number = os.stat(path).st_gid
        except (OSError, ValueError):
            return ""
        try:
            import grp

            return grp.getgrgid(number).gr_name
        except (ImportError, KeyError, OSError):  # Windows; in a container the host's groups have no names
            return str(number) if os.name == "posix" else ""

    def loader_cache(self) -> Mapping[str, str]:
        if self._loader_cache is None:
            self._loader_cache = {}
            if self.system == "linux":
                from .probe.ld_cache import parse_ld_cache

                try:
                    self._loader_cache = parse_ld_cache(self.read_bytes("/etc/ld.so.cache", 16 << 20))
                except OSError:  # musl has none; an image may have been made without it
                    pass
        return self._loader_cache

    def libc(self) -> str:
        try:
            return os.confstr("CS_GNU_LIBC_VERSION") or ""
        except (AttributeError, OSError, ValueError):  # Windows; macOS and musl do not know the name
            return ""

    def affinity(self) -> int:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        from . import windows

        return windows.affinity()

    def memory_bytes(self) -> int:
        from . import windows

        return windows.memory_bytes()

    def cpu_features(self) -> Tuple[str, ...]:
        from . import windows

        return windows.cpu_features(self.release)

    def registry(self, key: str) -> List[Tuple[str, Dict[str, Any]]]:
        from . import windows

        return windows.registry(key)

    def run(self, argv: Sequence[str], timeout_s: float = 2.0) -> RunResult:
        from ..children.spawn import run_tool

        return RunResult(*run_tool(argv, timeout_s))

    def ask(self, name: str, task: Optional[Mapping[str, Any]] = None) -> Question:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe", name + "_child.py")
        return LiveQuestion(script, task or {}, self._deadline, self._deadline_s)
