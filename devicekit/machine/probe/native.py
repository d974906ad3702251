"""Operating system, C library, and what the dynamic loader would find."""

import re
from typing import Callable, Dict, Iterable, List, Optional, Tuple

from ..facts import Fact, Library, Native, OsRelease
from ..host import Host
from .cuda_places import windows_steps
from .processor import read_processor


def read_native(host: Host) -> Native:
    """Return what is known of the operating system and the processor."""
    return Native(
        system=host.system,
        release=host.scrub(host.release),
        os_version=_read_os_version(host),
        architecture=host.architecture,
        libc=_read_libc(host),
        msvc=_read_msvc(host),
        os_release=_read_os_release(host),
        secure_boot=_read_secure_boot(host),
        shared_memory_bytes=_read_shared_memory(host),
        **read_processor(host)._asdict(),
    )


#: Where a Linux distribution says what it is, the first that is there (freedesktop.org, os-release).
_OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")


def _read_os_version(host: Host) -> "Fact[str]":
    if host.system != "linux":
        return Fact.of(host.release, "the operating system")
    for path in _OS_RELEASE:
        text = host.text_or_none(path)
        if text is not None:
            return Fact.of(parse_os_release(text), path)
    return Fact.unknown("no os-release file", "/etc/os-release")


def parse_os_release(text: str) -> str:
    """Return the name of a distribution.

    ::

        PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
        NAME="Debian GNU/Linux"
    """
    fields = _fields(text)
    return fields.get("PRETTY_NAME") or fields.get("NAME") or "Linux"


def _fields(text: str) -> Dict[str, str]:
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, value in pairs}


def _read_os_release(host: Host) -> "Fact[OsRelease]":
    if host.system != "linux":
        return Fact.absent(problem="Linux distributions have one")
    for path in _OS_RELEASE:
        text = host.text_or_none(path)
        fields = _fields(text) if text is not None else {}
        if fields.get("ID"):
            like = tuple(fields.get("ID_LIKE", "").lower().split())
            return Fact.of(OsRelease(fields["ID"].lower(), like, fields.get("VERSION_ID", "")), path)
        if fields:
            return Fact.unknown("it has no ID", path)
    return Fact.unknown("no os-release file", _OS_RELEASE[0])


#: UEFI's variable, by the number of its maker (UEFI specification, 3.3): four bytes of attributes and one of value.
_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def _read_secure_boot(host: Host) -> "Fact[bool]":
    if host.system != "linux":
        return Fact.absent(problem="read on Linux only, where drivers are built for a kernel")
    try:
        value = host.read_bytes(_SECURE_BOOT, 5)
    except (FileNotFoundError, NotADirectoryError):
        if host.is_dir("/sys/firmware/efi/efivars") and host.names_if_any("/sys/firmware/efi/efivars"):
            return Fact.of(False, _SECURE_BOOT)
        return Fact.unknown("UEFI's variables are not shown here", "/sys/firmware/efi/efivars")
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _SECURE_BOOT)
    return Fact.of(len(value) == 5 and value[4] == 1, _SECURE_BOOT)


_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - not a temporary file, the folder itself
_MOUNTS = "/proc/self/mountinfo"
_SIZE = re.compile(r"(?:^|,)size=(\d{1,15})(k?)(?:,|$)")


def _read_shared_memory(host: Host) -> "Fact[int]":
    if host.system != "linux":
        return Fact.absent(problem="a folder of Linux")
    try:
        lines = host.read_text(_MOUNTS, 4 << 20).splitlines()
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _MOUNTS)
    size = parse_shared_memory(lines)
    return Fact.unknown("no size is given", _MOUNTS) if size is None else Fact.of(size, _MOUNTS)


def parse_shared_memory(lines: Iterable[str]) -> Optional[int]:
    """Return the bytes of the file system on ``/dev/shm``, None where no size is given (half of the memory, as a rule).

    ::

        634 629 0:147 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,size=65536k,inode64
    """
    found = None
    for line in lines:  # what is mounted later hides what was there
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if len(fields) > 4 and fields[4] == _SHARED_MEMORY and len(kind) > 2:
            match = _SIZE.search(kind[2])
            found = int(match.group(1)) << (10 if match.group(2) else 0) if match else None
    return found


def _read_libc(host: Host) -> "Fact[str]":
    if host.system != "linux":
        return Fact.absent("the C library of %s has no version of this kind" % host.system)
    version = host.libc()
    if version:
        return Fact.of(version, "confstr")
    for folder in ("/lib", "/usr/lib"):
        if any(name.startswith("ld-musl-") for name in host.names_if_any(folder)):
            return Fact.of("musl", folder)
    return Fact.unknown("neither glibc's confstr nor a musl loader was found")


_MSVC = re.compile(r"(msvcp|vcruntime)140(_\d)?\.dll$")


def _read_msvc(host: Host) -> "Fact[Tuple[Library, ...]]":
    """The Visual C++ runtime where Windows looks for it: next to the interpreter, in the system's folder, on PATH.

    A Python brings some of it along, conda all of it.
    """
    if host.system != "windows":
        return Fact.absent(problem="the Visual C++ runtime is Windows' own")
    system = host.join(host.system_folder(), "System32")
    try:
        host.list_names(system)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), system)
    interpreter = host.interpreter
    found: List[Library] = []
    folders = [host.path.dirname(interpreter.executable)]
    for prefix in (interpreter.prefix, interpreter.base_prefix):
        folders += [prefix, host.join(prefix, "Library", "bin")]
    _search(host, folders, "interpreter", _is_msvc, found, [])
    others = find_libraries(host, _is_msvc)
    return Fact.of(
        tuple(dict.fromkeys((*found, *(others.or_none() or ())))), "System32, PATH and the interpreter's folders"
    )


def _is_msvc(name: str) -> bool:
    return _MSVC.match(name.lower()) is not None


# The search for native libraries: each step yields folders or files and says its name.

#: Where Linux may have libraries that neither the environment nor the dynamic linker's cache names.
_USUAL_FOLDERS = ("/usr/lib/wsl/lib", "/usr/local/cuda/lib64", "/opt/rocm/lib")
#: The dynamic linker's own folders: listed only where there is no cache (musl, minimal images), since they are large.
_LOADER_FOLDERS = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
_PATH_VARIABLE = {"linux": "LD_LIBRARY_PATH", "macos": "DYLD_LIBRARY_PATH", "windows": "PATH"}


def find_libraries(host: Host, wanted: Callable[[str], bool]) -> "Fact[Tuple[Library, ...]]":
    """Return the native libraries whose file name is wanted, in the dynamic linker's order.

    Order (``ld.so(8)``): the path variable, the dynamic linker's cache, the usual folders; on Windows that of `windows_steps`.
    """
    found: List[Library] = []
    problems: List[str] = []
    variable = _PATH_VARIABLE.get(host.system, "LD_LIBRARY_PATH")
    if host.system == "windows":
        for via, folders in windows_steps(host):
            _search(host, folders, via, wanted, found, problems)
    else:
        folders = tuple(part for part in host.variable(variable).split(":") if part)
        _search(host, folders, variable, wanted, found, problems)
    cache = host.loader_cache()
    for name in sorted(filter(wanted, cache)):
        found.append(_library(host, name, cache[name], "ld.so.cache"))
    if host.system == "linux":
        folders = _USUAL_FOLDERS if cache else _LOADER_FOLDERS + _USUAL_FOLDERS
        _search(host, folders, "system", wanted, found, problems)
    source = "%s%s and the usual folders" % (variable, ", ld.so.cache" if host.system == "linux" else "")
    if problems and not found:
        return Fact.unknown("; ".join(problems[:3]), source)
    unique: Dict[Tuple[str, str], Library] = {}
    for item in found:
        # Windows: System32 is on PATH as well, in whatever case.
        unique.setdefault((item.name, host.path.normcase(item.path)), item)
    return Fact.of(tuple(unique.values()), source)


def _search(
    host: Host,
    folders: Iterable[str],
    via: str,
    wanted: Callable[[str], bool],
    found: List[Library],
    problems: List[str],
) -> None:
    for folder in dict.fromkeys(folders):
        try:
            names = host.list_names(folder)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problems.append(host.scrub(str(error)))
            continue
        for name in filter(wanted, names):
            found.append(_library(host, name, host.join(folder, name), via))


def _library(host: Host, name: str, path: str, via: str) -> Library:
    target = host.path.basename(host.real_path(path))
    return Library(name, host.scrub(path), via, "" if target.lower() == name.lower() else host.scrub(target))


def numbers_in(text: str) -> Tuple[int, ...]:
    """Return the numbers in a text, to sort versions by."""
    return tuple(int(part) for part in re.findall(r"\d{1,9}", text))


def first_library(libraries: "Fact[Tuple[Library, ...]]", *names: str) -> Optional[Library]:
    """Return the library that the dynamic linker would take for one of these names, or None.

    Raises
    ------
    UnknownFactError
        If the search could not be made.
    """
    return next((item for item in libraries.value or () if item.name in names), None)
