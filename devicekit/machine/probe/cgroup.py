"""Linux control groups: what the groups that this process is in, and all above them, grant it of processors and memory.

A limit of any group on the way from the process's own to the root holds (``cgroups(7)``; the kernel's
``Documentation/admin-guide/cgroup-v1/`` and ``cgroup-v2.rst``). Version 1 has a hierarchy for each controller, version 2
one for all, and both can be mounted at the same time. In a container the path is often ``/`` and the mount shows only
the container's own part: what is above it cannot be seen from inside.
"""

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..facts import Fact
from ..host import Host

_OWN = "/proc/self/cgroup"
_MOUNTS = "/proc/self/mountinfo"
_UNLIMITED = float("inf")


class Mount(NamedTuple):
    """A mounted hierarchy. ``controllers``: those of version 1; version 2 has none here. ``root``: the group at its top."""

    controllers: Tuple[str, ...]
    root: str
    folder: str


class Limits(NamedTuple):
    """What is granted: processor time in cores, a number of processors, bytes of memory. Absent if nothing limits."""

    quota: "Fact[float]"
    processors: "Fact[int]"
    memory_bytes: "Fact[int]"


def read_limits(host: Host) -> Limits:
    """Return the limits of the groups that this process is in."""
    try:
        paths = parse_cgroup(host.read_text(_OWN))
        mounts = parse_mounts(host.read_text(_MOUNTS, 4 << 20))
    except FileNotFoundError as error:  # a kernel without control groups
        absent: Fact[Any] = Fact.absent(error.filename or _OWN)
        return Limits(absent, absent, absent)
    except OSError as error:
        unknown: Fact[Any] = Fact.unknown(host.scrub(str(error)), _OWN)
        return Limits(unknown, unknown, unknown)
    if paths and not mounts:
        unknown = Fact.unknown("no hierarchy of control groups is mounted here", _MOUNTS)
        return Limits(unknown, unknown, unknown)
    return Limits(
        _least(host, _folders(host, paths, mounts, "cpu"), _read_quota),
        _read_processors(host, _folders(host, paths, mounts, "cpuset")),
        _whole(_least(host, _folders(host, paths, mounts, "memory"), _read_memory)),
    )


def read_oom_kills(host: Host) -> Optional[int]:
    """Return how many processes of this process's group the kernel has ended for want of memory, None if it does not tell.

    It counts them in ``memory.events`` (version 2) and, since Linux 4.13, in ``memory.oom_control`` (version 1).
    """
    try:
        paths = parse_cgroup(host.read_text(_OWN))
        mounts = parse_mounts(host.read_text(_MOUNTS, 4 << 20))
    except OSError:
        return None
    for folder, is_second in _folders(host, paths, mounts, "memory"):
        try:
            text = host.read_text(folder + ("/memory.events" if is_second else "/memory.oom_control"))
        except OSError:  # the root group has none
            continue
        for line in text.splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill" and value.isdigit():
                return int(value)
    return None


def parse_cgroup(text: str) -> Dict[str, str]:
    """Return the path of the process's group for each controller of version 1, and for ``""`` that of version 2.

    ::

        12:cpu,cpuacct:/docker/5f2c
        1:name=systemd:/docker/5f2c
        0::/user.slice/user-1000.slice/session-2.scope
    """
    found: Dict[str, str] = {}
    for line in text.splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and parts[2].startswith("/"):
            for name in parts[1].split(","):
                found.setdefault(name, parts[2])
    return found


def parse_mounts(text: str) -> Tuple[Mount, ...]:
    r"""Return the mounted hierarchies of a ``mountinfo`` (``proc(5)``): root and mount point are its fields 4 and 5.

    ::

        32 24 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
        36 31 0:31 /docker/5f2c /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:14 - cgroup cgroup rw,cpu,cpuacct
    """
    found: List[Mount] = []
    for line in text.splitlines():
        if " - cgroup" not in line:
            continue
        before, _, after = line.rpartition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if len(fields) < 5 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        names: Tuple[str, ...] = ()
        if kind[0] == "cgroup":
            options = kind[2].split(",") if len(kind) > 2 else []
            names = tuple(name for name in options if name not in ("rw", "ro"))
            if not names:
                continue
        found.append(Mount(names, _unescaped(fields[3]), _unescaped(fields[4])))
    return tuple(found)


def _unescaped(text: str) -> str:
    """Return a path with its blanks: ``mountinfo`` writes them as octal numbers."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def group_folders(path: str, mount: Mount) -> Tuple[str, ...]:
    """Return the folders of a group and of all above it that a mount shows, the group's own first.

    >>> group_folders("/a.slice/b.scope", Mount((), "/", "/sys/fs/cgroup"))
    ('/sys/fs/cgroup/a.slice/b.scope', '/sys/fs/cgroup/a.slice', '/sys/fs/cgroup')
    >>> group_folders("/docker/5f2c", Mount(("cpu",), "/docker/5f2c", "/sys/fs/cgroup/cpu"))
    ('/sys/fs/cgroup/cpu',)
    """
    inside = ""
    if mount.root == "/":
        inside = path
    elif path.startswith(mount.root + "/"):
        inside = path[len(mount.root) :]
    names = [name for name in inside.split("/") if name]
    if ".." in names:  # a group outside of the part that this namespace shows
        names = []
    return tuple("/".join([mount.folder.rstrip("/"), *names[:count]]) for count in range(len(names), -1, -1))


def _folders(host: Host, paths: Dict[str, str], mounts: Sequence[Mount], controller: str) -> List[Tuple[str, bool]]:
    """The folders in which a controller's limits of this process stand, each with whether it is of version 2."""
    found: List[Tuple[str, bool]] = []
    for name in (controller, ""):
        path = paths.get(name)
        fitting = [item for item in mounts if (name in item.controllers if name else not item.controllers)]
        if path is None or not fitting:
            continue
        # The same hierarchy may be mounted several times: the one that shows this group is the right one.
        near = [item for item in fitting if item.root == "/" or (path + "/").startswith(item.root + "/")]
        found += [(folder, not name) for folder in group_folders(path, (near or fitting)[0])]
    return list(dict.fromkeys(found))


#: Reads the limit that is in a folder: its value, infinite if there is none, and the file.
_Reader = Callable[[Host, str, bool], Iterator[Tuple[float, str]]]


def _least(host: Host, folders: Sequence[Tuple[str, bool]], read: _Reader) -> "Fact[float]":
    """The lowest of the limits on the way to the root, with the file that states it."""
    least, source, problem = _UNLIMITED, "", ""
    for folder, second in folders:
        try:
            for value, path in read(host, folder, second):
                if value < least:
                    least, source = value, path
        except FileNotFoundError:  # the root has no such file, and no group where the controller is switched off
            continue
        except (OSError, ValueError) as error:
            problem = problem or host.scrub("%s: %s" % (folder, error))
    if least < _UNLIMITED:
        return Fact.of(least, host.scrub(source), problem)
    return Fact.unknown(problem, _OWN) if problem else Fact.absent(_OWN)


def _whole(fact: "Fact[float]") -> "Fact[int]":
    return Fact(fact.status, None if fact.content is None else int(fact.content), fact.source, fact.problem)


def _read_quota(host: Host, folder: str, second: bool) -> Iterator[Tuple[float, str]]:
    if second:
        path = folder + "/cpu.max"
        yield parse_cpu_max(host.read_text(path, 256)), path
    else:
        path = folder + "/cpu.cfs_quota_us"
        quota = host.read_text(path, 256)
        if quota.strip() != "-1":
            yield parse_cpu_quota(quota, host.read_text(folder + "/cpu.cfs_period_us", 256)), path


def parse_cpu_max(text: str) -> float:
    """Return how many cores' time a ``cpu.max`` of version 2 grants, infinity if it sets no limit.

    >>> parse_cpu_max("150000 100000"), parse_cpu_max("max 100000")
    (1.5, inf)

    Raises
    ------
    ValueError
        If it is something else.
    """
    words = text.split()
    if words and words[0] == "max":
        return _UNLIMITED
    if len(words) not in (1, 2):
        raise ValueError("not understood: %r" % text[:40])
    return parse_cpu_quota(words[0], words[1] if len(words) == 2 else "100000")


def parse_cpu_quota(quota: str, period: str) -> float:
    """Return how many cores' time a quota in a period grants, both in microseconds.

    >>> parse_cpu_quota("50000", "100000")
    0.5

    Raises
    ------
    ValueError
        If these are no such numbers.
    """
    return _positive(quota) / _positive(period)


def _positive(text: str) -> int:
    word = text.strip()
    if not (word.isascii() and word.isdigit() and len(word) < 20 and int(word)):
        raise ValueError("not understood: %r" % text[:40])
    return int(word)


def _read_memory(host: Host, folder: str, second: bool) -> Iterator[Tuple[float, str]]:
    # From memory.high on, the kernel takes memory away and slows the process down nearly to a stop.
    for name in ("memory.max", "memory.high") if second else ("memory.limit_in_bytes",):
        path = "%s/%s" % (folder, name)
        limit = parse_memory_limit(host.read_text(path, 256))
        if limit is not None:
            yield limit, path


#: Version 1 has no word for "no limit": it shows the largest number of whole pages.
_NO_LIMIT = 1 << 60


def parse_memory_limit(text: str) -> Optional[int]:
    """Return a limit in bytes, None if there is none.

    >>> parse_memory_limit("536870912"), parse_memory_limit("max"), parse_memory_limit("9223372036854771712")
    (536870912, None, None)

    Raises
    ------
    ValueError
        If it is something else.
    """
    word = text.strip()
    if word in ("max", "-1"):
        return None
    if not (word.isascii() and word.isdigit() and len(word) < 21):
        raise ValueError("not understood: %r" % text[:40])
    return int(word) if int(word) < _NO_LIMIT else None


def _read_processors(host: Host, folders: Sequence[Tuple[str, bool]]) -> "Fact[int]":
    """How many processors the cpuset has: the nearest group's counts, which includes the groups above it."""
    for folder, second in folders:
        for name in ("cpuset.cpus.effective",) if second else ("cpuset.effective_cpus", "cpuset.cpus"):
            path = "%s/%s" % (folder, name)
            try:
                return Fact.of(sum(map(len, parse_cpu_list(host.read_text(path, 1 << 16)))), host.scrub(path))
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                return Fact.unknown(host.scrub(str(error)), host.scrub(path))
    return Fact.absent(_OWN)


def parse_cpu_list(text: str) -> List[range]:
    """Return the numbers of the processors that a list names.

    >>> parse_cpu_list("0-3,8,10-11")
    [range(0, 4), range(8, 9), range(10, 12)]

    Raises
    ------
    ValueError
        If it is no such list, or an empty one.
    """
    found = []
    for part in text.strip().split(","):
        first, dash, last = part.partition("-")
        numbers = [int(word) for word in (first, last if dash else first) if word.isascii() and word.isdigit()]
        if len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1] < 1 << 20:
            raise ValueError("not understood: %r" % text[:40])
        found.append(range(numbers[0], numbers[1] + 1))
    return found


def memory_left(host: Host) -> Optional[int]:
    """Return how many bytes the control groups still grant, None if they set no limit, or it is unknown.

    What the kernel would give back without a disk (files that were read and are not in use) is not counted as used.
    """
    try:
        paths = parse_cgroup(host.read_text(_OWN))
        mounts = parse_mounts(host.read_text(_MOUNTS, 4 << 20))
    except OSError:  # not Linux, or a sandbox
        return None
    left: List[int] = []
    for folder, second in _folders(host, paths, mounts, "memory"):
        try:
            limits = [limit for limit, _ in _read_memory(host, folder, second)]
            used = _positive(
                host.read_text("%s/%s" % (folder, "memory.current" if second else "memory.usage_in_bytes"), 256)
            )
            idle = parse_memory_stat(host.read_text(folder + "/memory.stat", 1 << 16), second)
        except (OSError, ValueError):  # the root has no such files, and no group where the controller is switched off
            continue
        left += [max(0, int(limit) - used + idle) for limit in limits]
    return min(left) if left else None


def parse_memory_stat(text: str, second: bool) -> int:
    r"""Return the bytes of files that are kept in memory and were not used lately, of a group and all below it.

    >>> parse_memory_stat("anon 4096\ninactive_file 8192\n", True)
    8192
    """
    name = "inactive_file" if second else "total_inactive_file"
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == name and words[1].isdigit():
            return int(words[1])
    return 0


def read_throttling(host: Host) -> Optional[Tuple[int, int]]:
    """Return the periods of the quota that was used up most, and those in which it was; None without a quota."""
    try:
        paths = parse_cgroup(host.read_text(_OWN))
        mounts = parse_mounts(host.read_text(_MOUNTS, 4 << 20))
    except OSError:  # not Linux, or a sandbox
        return None
    found: List[Tuple[int, int]] = []
    for folder, _ in _folders(host, paths, mounts, "cpu"):
        try:
            found.append(parse_throttling(host.read_text(folder + "/cpu.stat", 4096)))
        except (OSError, ValueError):  # the root has none, and no group where the controller is switched off
            continue
    found = [item for item in found if item[0]]
    return max(found, key=lambda item: item[1]) if found else None


def parse_throttling(text: str) -> Tuple[int, int]:
    r"""Return the scheduling periods of a ``cpu.stat``, of either version, and those in which the quota was used up.

    >>> parse_throttling("usage_usec 9\nnr_periods 40\nnr_throttled 12\nthrottled_usec 800\n")
    (40, 12)

    Raises
    ------
    ValueError
        If they are not in it.
    """
    words = dict(line.split()[:2] for line in text.splitlines() if len(line.split()) >= 2)
    if "nr_periods" not in words:
        raise ValueError("not understood: %r" % text[:40])
    return int(words["nr_periods"]), int(words.get("nr_throttled", "0"))
