"""What `Machine` does not say of processors and memory: physical cores, and installed memory allocators."""

from typing import Optional, Set, Tuple

from ...machine.host import Host

#: Memory allocators that programs are known to gain by, the smaller library of each first.
ALLOCATORS = ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libjemalloc.so.2")

_FOLDER = "/sys/devices/system/cpu"
#: More processors than this are no machine's.
_MOST = 8192


def physical_cores(host: Host, processors: Optional[int]) -> Optional[int]:
    """Return how many physical cores there are, None if that is not known, or this process may not use all of them.

    Parameters
    ----------
    processors : int or None
        How many logical processors this process may run on.
    """
    if host.system != "linux" or not processors:
        return None
    cores: Set[str] = set()
    count = 0
    while count < _MOST:
        try:
            text = host.read_text("%s/cpu%d/topology/thread_siblings_list" % (_FOLDER, count), 4096)
        except OSError:  # the last one is behind us, or this kernel does not say
            break
        cores.add(text.strip())  # what all processors of one core have in common, such as 0,32
        count += 1
    # With a part of the processors no one knows here which of them share a core.
    return len(cores) if cores and count == processors else None


def installed_allocators(host: Host) -> Tuple[str, ...]:
    """Return the paths of the installed allocators, one of each kind."""
    cache = host.loader_cache()
    found = [cache[name] for name in ALLOCATORS if name in cache]
    kinds = {path.rpartition("/")[2].partition(".")[0].partition("_")[0]: path for path in reversed(found)}
    return tuple(path for path in found if path in kinds.values())
