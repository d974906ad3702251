"""What an ELF library needs (its DT_NEEDED entries, versions of symbols), and what of it the dynamic linker would not find.

Loads nothing.
"""

import struct
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from ..host import Host

#: Flags of ld.so.cache entries for 64-bit ELF libraries: x86-64, s390x, ppc64, arm64, riscv64 (glibc, sysdeps ldconfig.h).
_LIBRARY_64 = (0x0303, 0x0403, 0x0503, 0x0A03, 0x1003)


def parse_ld_cache(data: bytes) -> Dict[str, str]:
    """Return the library names of an ``ld.so.cache`` with their paths; the dynamic linker takes the first of a name.

    The layout is glibc's ``struct cache_file_new`` (sysdeps/generic/dl-cache.h): a 48-byte header, then entries of flags,
    name offset, path offset, OS version and hardware capabilities; offsets count from the header.
    """
    start = data.find(b"glibc-ld.so.cache1.1")
    if start < 0 or len(data) < start + 48:
        return {}
    (count,) = struct.unpack_from("<I", data, start + 20)
    found: Dict[str, str] = {}
    for index in range(count):
        position = start + 48 + 24 * index
        if position + 24 > len(data):
            break
        flags, name, path = struct.unpack_from("<iII", data, position)
        if flags in _LIBRARY_64:
            found.setdefault(_string(data, start + name), _string(data, start + path))
    return found


def _string(data: bytes, position: int) -> str:
    end = data.find(b"\0", position)
    return data[position : end if end >= 0 else len(data)].decode("utf-8", "replace")


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

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    section = _read_section(host, path)
    if section is None:
        return None
    values, start = section.values, section.strings
    needed = tuple(_text(host, path, start + value) for tag, value in section.entries if tag == 1)
    has_runpath = _RUNPATH in values
    folders = ""
    if has_runpath or _RPATH in values:
        folders = _text(host, path, start + values[_RUNPATH if has_runpath else _RPATH], _LIMIT_BYTES)
    return Dynamic(needed, tuple(dict.fromkeys(part for part in folders.split(":") if part)), has_runpath)


class _Section(NamedTuple):
    """The entries of a dynamic section, the first value of each tag, and where the strings and the segments are."""

    entries: Tuple[Tuple[int, int], ...]
    values: Dict[int, int]
    strings: int
    segments: Tuple[Tuple[int, ...], ...]

    def offset(self, tag: int) -> int:
        """Return where in the file the address in an entry leads; KeyError or StopIteration if nowhere."""
        return _offset(self.values[tag], self.segments)


def _offset(address: int, segments: Sequence[Tuple[int, ...]]) -> int:
    return next(
        address - item[3] + item[2] for item in segments if item[0] == 1 and item[3] <= address < item[3] + item[6]
    )


def _read_section(host: Host, path: str) -> Optional[_Section]:
    """Read the dynamic section. The layout is of the System V ABI (elf.h: Elf64_Ehdr, Elf64_Phdr, Elf64_Dyn)."""
    try:
        segments = _segments(host, path)
        dynamic = next((item for item in segments if item[0] == 2), None)
        if dynamic is None or dynamic[5] > _LIMIT_BYTES:
            return None
        data = host.read_bytes(path, dynamic[5], dynamic[2])
        entries = tuple(struct.unpack_from("<qQ", data, position) for position in range(0, len(data) - 15, 16))
        values: Dict[int, int] = {}
        for tag, value in entries:
            values.setdefault(tag, value)
        return _Section(entries, values, _offset(values[5], segments), segments)
    except (struct.error, KeyError, StopIteration):
        return None


def _segments(host: Host, path: str) -> Tuple[Tuple[int, ...], ...]:
    head = host.read_bytes(path, 64)
    if head[:6] != b"\x7fELF\x02\x01":
        return ()
    (offset,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    table = host.read_bytes(path, size * count, offset)
    return tuple(struct.unpack_from("<IIQQQQQQ", table, size * index) for index in range(count))


def is_whole(host: Host, path: str, size: int) -> bool:
    """Return whether an ELF file has all that the dynamic linker maps."""
    try:
        ends = [item[2] + item[5] for item in _segments(host, path) if item[0] == 1]
    except (OSError, struct.error):
        return False
    return bool(ends) and max(ends) <= size


def _text(host: Host, path: str, position: int, limit: int = 512) -> str:
    # Not the whole table: a framework's has megabytes of symbols.
    return host.read_bytes(path, limit, position).partition(b"\0")[0].decode("utf-8", "replace")


_VERDEF, _VERDEFNUM, _VERNEED, _VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF

#: A needed version that may be missing: the dynamic linker only warns (elf.h: VER_FLG_WEAK).
_WEAK = 2

#: Bytes of a table of versions; libstdc++ defines about seventy.
_VERSIONS_BYTES = 64 << 10


def _versions_at(host: Host, path: str, tag: int) -> "Optional[Tuple[_Section, bytes]]":
    """Return the dynamic section of a file and one of its tables of versions, None if it has none."""
    section = _read_section(host, path)
    if section is None or tag not in section.values:
        return None
    return section, host.read_bytes(path, _VERSIONS_BYTES, section.offset(tag))


def defined_versions(host: Host, path: str) -> Optional[FrozenSet[str]]:
    """Return the versions of symbols that a library defines, None if it is not a library or its symbols have no versions.

    The layouts are of elf.h: Elf64_Verdef, Elf64_Verdaux, Elf64_Verneed, Elf64_Vernaux.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        table = _versions_at(host, path, _VERDEF)
        if table is None:
            return None
        section, data = table
        found, position = [], 0
        for _ in range(min(section.values[_VERDEFNUM], len(data) // 20)):
            first, following = struct.unpack_from("<II", data, position + 12)
            (name,) = struct.unpack_from("<I", data, position + first)
            found.append(_text(host, path, section.strings + name))
            position += following
        return frozenset(found)
    except (struct.error, KeyError, StopIteration):
        return None


def needed_versions(host: Host, path: str, library: str) -> Tuple[str, ...]:
    """Return the versions of symbols that a file needs of another library, none if it needs none or that cannot be told.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    try:
        table = _versions_at(host, path, _VERNEED)
        if table is None:
            return ()
        section, data = table
        position = 0
        for _ in range(min(section.values[_VERNEEDNUM], len(data) // 16)):
            count, name, inner, following = struct.unpack_from("<HIII", data, position + 2)
            if _text(host, path, section.strings + name) != library:
                position += following
                continue
            found, position = [], position + inner
            for _ in range(count):
                flags, _, text, following = struct.unpack_from("<HHII", data, position + 4)
                found += [] if flags & _WEAK else [_text(host, path, section.strings + text)]
                position += following
            return tuple(found)
    except (struct.error, KeyError, StopIteration):
        pass
    return ()


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
