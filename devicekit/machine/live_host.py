"""`LiveHost`: the machine that this process runs on."""

import os
import posixpath
import stat
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..children.scripts import ARCHIVE, package_folder, script_path
from .driver_query import LiveQuestion, Question
from .host import Entry, FileInfo, Host, Interpreter

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..children.spawn import ToolResult

SYSTEMS = {"linux": "linux", "win32": "windows", "cygwin": "windows", "darwin": "macos"}


def this_interpreter() -> Interpreter:
    """Describe the interpreter that runs this code."""
    from .probe.interpreter_child import describe

    return Interpreter.from_dict(describe())


def _check(path: str) -> None:
    """Refuse what no system call takes: it would be a ValueError, and probers expect an OSError."""
    if "\0" in path:
        raise OSError(22, "a path with a null character", path)


#: winerror.h: ERROR_INVALID_NAME.
_INVALID_NAME = 123

#: Seconds for the answers of all drivers together.
DEADLINE_S = 2.0


class LiveHost(Host):
    """The machine that this process runs on.

    Parameters
    ----------
    interpreter : Interpreter or None
        The interpreter to examine; this one by default.
    deadline_s : float
        Seconds from now after which a driver counts as one that does not answer.
    """

    is_live = True

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
        gone, preset = self.interpreter.unset, dict(self.interpreter.preset)
        if not (gone or preset):
            return os.environ
        return {name: value for name, value in {**os.environ, **preset}.items() if name not in gone}

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
        try:
            return sorted(os.listdir(path))
        except OSError as error:
            # Windows: a name that no folder can have, as a part of PATH in quotes. Python has no exception for it.
            if getattr(error, "winerror", 0) == _INVALID_NAME:
                raise FileNotFoundError(error.errno, error.strerror, path) from None
            raise

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
        # Asked only where not everybody may: thousands of files are looked at.
        needed = stat.S_IROTH | (stat.S_IXOTH if kind == "folder" else 0)
        readable = os.name != "posix" or status.st_mode & needed == needed
        if not readable:
            readable = os.access(path, os.R_OK | (os.X_OK if kind == "folder" else 0))
        return FileInfo(kind, status.st_size, status.st_mtime_ns, shared, readable)

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def accessible(self, path: str) -> bool:
        return os.access(path, os.R_OK | os.W_OK)

    def writable(self, path: str) -> bool:
        return os.access(path, os.W_OK)

    def own_module(self, name: str) -> str:
        # Also for another interpreter, and from an archive, which holds what devicekit needs.
        path = os.path.join(package_folder(), name + ".py")
        return path if ARCHIVE or os.path.isfile(path) else ""

    def is_root(self) -> bool:
        return hasattr(os, "geteuid") and os.geteuid() == 0

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

    def owner_of(self, path: str) -> str:
        if os.name != "posix":
            return ""
        try:
            number = os.stat(path).st_uid
        except (OSError, ValueError):
            return ""
        return {os.geteuid(): "this user", 0: "root"}.get(number, "another user")

    def loader_cache(self) -> Mapping[str, str]:
        if self._loader_cache is None:
            self._loader_cache = {}
            if self.system == "linux":
                from .probe.elf import parse_ld_cache

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

    def run(self, argv: Sequence[str], timeout_s: float = 2.0) -> "ToolResult":
        from ..children.tool import run_tool

        return run_tool(argv, timeout_s)

    def ask(self, name: str, task: Optional[Mapping[str, Any]] = None) -> Question:
        script = script_path("machine/probe/%s_child.py" % name)
        return LiveQuestion(script, task or {}, self._deadline, self._deadline_s)
