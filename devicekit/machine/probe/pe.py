"""Which DLLs a DLL needs: the import table of a PE file. Loads nothing."""

import struct
from typing import Dict, Optional, Tuple

from ..host import Host

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
