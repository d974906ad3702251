"""What Windows answers by function calls: instruction sets, processors, memory, registry. Only `host` asks here."""

import sys
from typing import Any, Dict, List, Tuple

#: Numbers of IsProcessorFeaturePresent (winnt.h, PF_..._INSTRUCTIONS_AVAILABLE), under the names that Linux gives them.
_FEATURES = (("sse2", 10), ("ssse3", 36), ("sse4_1", 37), ("sse4_2", 38), ("avx", 39), ("avx2", 40))

if sys.platform == "win32":

    def cpu_features(release: str) -> Tuple[str, ...]:
        """Return the instruction sets that Windows tells of, () before 10.0.19041: it denied them on every processor."""
        if tuple(map(int, release.split("."))) < (10, 0, 19041):
            return ()
        import ctypes

        ask = ctypes.WinDLL("kernel32").IsProcessorFeaturePresent
        return tuple(name for name, number in _FEATURES if ask(number))

    def affinity() -> int:
        """Return on how many logical processors this process may run, 0 if it is unknown.

        The mask that Windows gives covers one group of at most 64 processors: where it allows all of them, there may
        be more in other groups.
        """
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        ask = kernel.GetProcessAffinityMask
        ask.argtypes = (ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
        mine, system = ctypes.c_size_t(), ctypes.c_size_t()
        if not ask(kernel.GetCurrentProcess(), ctypes.byref(mine), ctypes.byref(system)) or mine.value == system.value:
            return 0
        return bin(mine.value).count("1")

    def memory_bytes() -> int:
        """Return the machine's memory (GlobalMemoryStatusEx), 0 if it is unknown."""
        import ctypes

        # MEMORYSTATUSEX: two 32-bit numbers, its own length first, then seven of 64 bits, of which the total is the first.
        status = (ctypes.c_uint64 * 8)()
        ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(status)
        return int(status[1]) if ctypes.WinDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status)) else 0

    def registry(key: str) -> List[Tuple[str, Dict[str, Any]]]:
        """Return the subkeys of a key below HKEY_LOCAL_MACHINE with their values."""
        import winreg

        found: List[Tuple[str, Dict[str, Any]]] = []
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as parent:
            for index in range(winreg.QueryInfoKey(parent)[0]):
                name = winreg.EnumKey(parent, index)
                values: Dict[str, Any] = {}
                with winreg.OpenKey(parent, name) as child:
                    for item in range(winreg.QueryInfoKey(child)[1]):
                        label, content, _ = winreg.EnumValue(child, item)
                        values[label] = content
                found.append((name, values))
        return found

else:

    def cpu_features(release: str) -> Tuple[str, ...]:
        """Return nothing: another system is asked otherwise."""
        return ()

    def affinity() -> int:
        """Return 0: another system is asked otherwise."""
        return 0

    def memory_bytes() -> int:
        """Return 0: another system is asked otherwise."""
        return 0

    def registry(key: str) -> List[Tuple[str, Dict[str, Any]]]:
        """Return nothing: other systems have no registry."""
        return []
