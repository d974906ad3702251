"""What an ELF library needs (its DT_NEEDED entries), and which of them the dynamic linker would not find. Loads nothing."""

import struct
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..host import Host

#: More would be no library's dynamic section.
_LIMIT_BYTES = 1 << 20

_RPATH, _RUNPATH = 15, 29

#: How many libraries are followed from one; Intel's compute runtime has about thirty.
_MOST = 80

_LOADER_FOLDERS = (
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64",
    "/usr/lib64", "/lib", "/usr/lib",
)  # fmt: skip


class Dynamic(NamedTuple):
    """What a library says to the dynamic linker."""

    needed: Tuple[str, ...]
    folders: Tuple[str, ...]  # DT_RUNPATH, where there is none DT_RPATH; $ORIGIN not replaced
    has_runpath: bool = True  # then the dynamic linker ignores every DT_RPATH, the interpreter's as well


def read_dynamic(host: Host, path: str) -> Optional[Dynamic]:
    """Return the dynamic section of a 64-bit little-endian ELF file, None if it is not one or is truncated.

    The layout is of the System V ABI (elf.h: Elf64_Ehdr, Elf64_Phdr, Elf64_Dyn).

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        head = host.read_bytes(path, 64)
        if head[:6] != b"\x7fELF\x02\x01":
            return None
        (offset,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        table = host.read_bytes(path, size * count, offset)
        segments = [struct.unpack_from("<IIQQQQQQ", table, size * index) for index in range(count)]
        dynamic = next((item for item in segments if item[0] == 2), None)
        if dynamic is None or dynamic[5] > _LIMIT_BYTES:
            return None
        data = host.read_bytes(path, dynamic[5], dynamic[2])
        entries = [struct.unpack_from("<qQ", data, position) for position in range(0, len(data) - 15, 16)]
        values: Dict[int, int] = {}
        for tag, value in entries:
            values.setdefault(tag, value)
        address = values[5]
        start = next(
            address - item[3] + item[2] for item in segments if item[0] == 1 and item[3] <= address < item[3] + item[6]
        )
    except (struct.error, KeyError, StopIteration):
        return None

    def text(position: int, limit: int = 512) -> str:
        # Not the whole table: a framework's has megabytes of symbols.
        return host.read_bytes(path, limit, start + position).partition(b"\0")[0].decode("utf-8", "replace")

    needed = tuple(text(value) for tag, value in entries if tag == 1)
    has_runpath = _RUNPATH in values
    folders = text(values[_RUNPATH if has_runpath else _RPATH], _LIMIT_BYTES) if has_runpath or _RPATH in values else ""
    return Dynamic(needed, tuple(dict.fromkeys(part for part in folders.split(":") if part)), has_runpath)


def replace_origin(host: Host, folders: Sequence[str], path: str) -> Tuple[str, ...]:
    """Return the folders that a library at a path names, ``$ORIGIN`` replaced by its own."""
    origin = host.path.dirname(path)
    shown = [item.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for item in folders]
    return tuple(dict.fromkeys(host.path.normpath(item) for item in shown if item.startswith("/")))


def missing_libraries(host: Host, path: str, present: Sequence[str] = ()) -> Tuple[str, ...]:
    """Return the names of libraries that a library needs, directly or through others, and the dynamic linker would not find.

    Parameters
    ----------
    host : Host
    path : str
    present : sequence of str
        Names that are in the process already when the library is loaded.

    Raises
    ------
    OSError
        If the library itself cannot be read.
    """
    cache = host.loader_cache()
    if not cache:
        return ()  # without the dynamic linker's cache (musl, minimal images) its own folders are not known for sure
    listed = dict.fromkeys(present, "")
    waiting: List[Tuple[str, str]] = []
    missing: List[str] = []
    first = read_dynamic(host, path)
    waiting += [(name, path) for name in first.needed] if first is not None else []
    variable = [part for part in host.environ().get("LD_LIBRARY_PATH", "").split(":") if part]
    known = {path: first}
    while waiting and len(listed) < _MOST:
        name, by = waiting.pop(0)
        if name in listed:
            continue
        dynamic = known.get(by)
        folders = list(replace_origin(host, dynamic.folders, by)) if dynamic else []
        found = next(
            (
                host.join(folder, name)
                for folder in variable + folders
                if folder.startswith("/") and host.is_file(host.join(folder, name))
            ),
            "",
        )
        found = found or cache.get(name, "")
        if not found:
            found = next((folder for folder in _LOADER_FOLDERS if host.is_file(host.join(folder, name))), "")
        listed[name] = found
        if not found:
            missing.append(name)
        elif found.startswith("/") and found not in known and "/lib" in found and name not in _BASIC:
            try:
                known[found] = read_dynamic(host, found)
            except OSError:  # found, and not readable: the dynamic linker may be allowed more than we are
                known[found] = None
            below = known[found]
            waiting += [(item, found) for item in below.needed] if below is not None else []
    return tuple(missing)


#: Libraries of the system itself: what they need is there.
_BASIC = frozenset(
    ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1")
    + ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libz.so.1")
)
