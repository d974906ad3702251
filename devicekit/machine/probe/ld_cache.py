"""The dynamic loader's cache, ``/etc/ld.so.cache``."""

import struct
from typing import Dict

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
