"""The processor and the machine's memory, and how much of both this process may use."""

from typing import Dict, Mapping, NamedTuple, Optional, Tuple

from ..facts import Fact
from ..host import Host
from .cgroup import read_limits


class Processor(NamedTuple):
    """What `Native` has of the processor and memory, under the same names."""

    cpu_model: "Fact[str]"
    cpu_flags: "Fact[Tuple[str, ...]]"
    cpu_count: "Fact[int]"
    memory_bytes: "Fact[int]"
    cpu_affinity: "Fact[int]"
    cpu_quota: "Fact[float]"
    cpu_usable: "Fact[float]"
    performance_cores: "Fact[int]"
    memory_limit_bytes: "Fact[int]"
    address_space_bytes: "Fact[int]"


def read_processor(host: Host) -> Processor:
    """Return what is known of the processor, the memory, and the limits of this process."""
    if host.system == "linux":
        return _read_linux(host)
    if host.system == "windows":
        return _read_windows(host)
    return _read_macos(host)


def _read_linux(host: Host) -> Processor:
    path = "/proc/cpuinfo"
    try:
        model, flags, count = parse_cpuinfo(host.read_text(path, 16 << 20))
        problem = ""
    except OSError as error:
        model, flags, count, problem = "", (), 0, host.scrub(str(error))
    if host.architecture in ("x86_64", "i386", "i686") and flags and "fpu" not in flags:
        # QEMU's user mode shows the file of the machine that it runs on.
        flags, problem = (), "these are the flags of another architecture: the program runs emulated"
    limits = read_limits(host)
    cores: Fact[int] = Fact.of(count, path) if count else Fact.unknown(problem or "no processors listed", path)
    affinity = _read_affinity(host, cores, limits.processors)
    return Processor(
        cpu_model=Fact.of(model, path) if model else Fact.unknown(problem or "no model name", path),
        cpu_flags=Fact.of(flags, path) if flags else Fact.unknown(problem or "no flags", path),
        cpu_count=cores,
        memory_bytes=_read_memory(host),
        cpu_affinity=affinity,
        cpu_quota=limits.quota,
        cpu_usable=_usable(cores, affinity, limits.quota),
        performance_cores=Fact.absent(problem="asked on macOS only"),
        memory_limit_bytes=limits.memory_bytes,
        address_space_bytes=_read_address_space(host),
    )


def _read_affinity(host: Host, count: "Fact[int]", cpuset: "Fact[int]") -> "Fact[int]":
    """On how many processors the process may run; where a cpuset says the same, that is where it comes from."""
    try:
        number, problem = host.affinity(), "not told"
    except OSError as error:
        number, problem = 0, host.scrub(str(error))
    if cpuset.content and cpuset.content != count.content and (not number or number == cpuset.content):
        return cpuset
    return Fact.of(number, "sched_getaffinity") if number else Fact.unknown(problem, "sched_getaffinity")


def _usable(count: "Fact[int]", affinity: "Fact[int]", quota: "Fact[float]") -> "Fact[float]":
    """How many cores' work the process can get done at a time: the lowest of what is known."""
    found = [(float(fact.content), fact.source) for fact in (count, affinity, quota) if fact.content]
    if not (count.content or affinity.content):
        return Fact.unknown(count.problem or affinity.problem or "the processors were not counted", count.source)
    least, source = min(found, key=lambda item: item[0])
    unsure = next((fact.problem for fact in (affinity, quota) if not fact.known), "")
    return Fact.of(least, source, unsure)


#: What the ARM architecture's designers and licensees are called in "CPU implementer", and their cores in "CPU part".
_ARM_PARTS = {
    ("0x41", "0xd03"): "ARM Cortex-A53", ("0x41", "0xd04"): "ARM Cortex-A35", ("0x41", "0xd05"): "ARM Cortex-A55",
    ("0x41", "0xd07"): "ARM Cortex-A57", ("0x41", "0xd08"): "ARM Cortex-A72", ("0x41", "0xd09"): "ARM Cortex-A73",
    ("0x41", "0xd0a"): "ARM Cortex-A75", ("0x41", "0xd0b"): "ARM Cortex-A76", ("0x41", "0xd0c"): "ARM Neoverse N1",
    ("0x41", "0xd0d"): "ARM Cortex-A77", ("0x41", "0xd40"): "ARM Neoverse V1", ("0x41", "0xd41"): "ARM Cortex-A78",
    ("0x41", "0xd42"): "ARM Cortex-A78AE", ("0x41", "0xd49"): "ARM Neoverse N2", ("0x41", "0xd4f"): "ARM Neoverse V2",
    ("0x4e", "0x004"): "NVIDIA Carmel", ("0xc0", "0xac3"): "Ampere-1",
}  # fmt: skip


def parse_cpuinfo(text: str) -> Tuple[str, Tuple[str, ...], int]:
    """Return model name, instruction flags and number of logical processors.

    ::

        processor       : 0
        model name      : Intel(R) Xeon(R) Processor @ 2.60GHz
        flags           : fpu vme sse4_1 avx avx2 fma

    ARM has numbers instead of a name (util-linux, ``sys-utils/lscpu-arm.c``)::

        processor       : 0
        Features        : fp asimd evtstrm crc32 atomics
        CPU implementer : 0x41
        CPU part        : 0xd0c

    Where processors differ, as the large and small cores of one chip do, an instruction counts only if all have it: a
    thread can be moved to any of them.
    """
    model, common, count = "", None, 0  # type: str, Optional[Tuple[str, ...]], int
    last = ""
    implementer = part = ""
    for line in text.splitlines():
        label, colon, value = line.partition(":")
        label = label.strip()
        if not colon:
            continue
        if label == "processor":
            count += 1
        elif label == "model name" and not model:
            model = value.strip()
        elif label in ("flags", "Features") and value != last:
            last = value
            flags = dict.fromkeys(value.split())
            common = tuple(flags) if common is None else tuple(item for item in common if item in flags)
        elif label == "CPU implementer":
            implementer = value.strip().lower()
        elif label == "CPU part":
            part = value.strip().lower()
    return model or _ARM_PARTS.get((implementer, part), ""), common or (), count


def _read_memory(host: Host) -> "Fact[int]":
    path = "/proc/meminfo"
    try:
        total = parse_meminfo(host.read_text(path))
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), path)
    return Fact.of(total, path) if total else Fact.unknown("no MemTotal line", path)


def parse_meminfo(text: str) -> int:
    """Return the total memory in bytes, 0 if it is not there.

    ::

        MemTotal:       24637016 kB
    """
    for line in text.splitlines():
        parts = line.split()
        if len(parts) >= 2 and parts[0] == "MemTotal:" and parts[1].isdecimal() and len(parts[1]) < 20:
            return int(parts[1]) * 1024
    return 0


def _read_address_space(host: Host) -> "Fact[int]":
    path = "/proc/self/limits"
    try:
        size = parse_limits(host.read_text(path))
    except FileNotFoundError:
        return Fact.absent(path)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), path)
    return Fact.of(size, path) if size is not None else Fact.absent(path)


def parse_limits(text: str) -> Optional[int]:
    """Return how large the process's address space may grow in bytes, None if that is not limited (``ulimit -v``).

    ::

        Limit                     Soft Limit           Hard Limit           Units
        Max address space         2147483648           unlimited            bytes
    """
    for line in text.splitlines():
        if line.startswith("Max address space"):
            words = line[len("Max address space") :].split()
            if words and words[0].isdecimal() and len(words[0]) < 20:
                return int(words[0])
    return None


_REGISTRY = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor"


def _read_windows(host: Host) -> Processor:
    """Windows writes a key for each logical processor when it starts."""
    model, problem, count = "", "", 0
    try:
        keys = host.registry(_REGISTRY)
        count = len(keys)
        model = str(keys[0][1].get("ProcessorNameString", "")).strip() if keys else ""
    except OSError as error:
        problem = host.scrub(str(error))
    features = host.cpu_features() if host.architecture == "AMD64" else ()
    total = host.memory_bytes()
    number = host.affinity()
    cores: Fact[int] = Fact.of(count, _REGISTRY) if count else Fact.unknown(problem or "none listed", _REGISTRY)
    # Beyond 64 processors the mask is of one group only, and says nothing of the others.
    affinity: Fact[int] = Fact.absent("GetProcessAffinityMask")
    if number and count <= 64:
        affinity = Fact.of(number, "GetProcessAffinityMask")
    source = "IsProcessorFeaturePresent"
    return Processor(
        cpu_model=Fact.of(host.scrub(model), _REGISTRY) if model else Fact.unknown(problem or "no name", _REGISTRY),
        cpu_flags=Fact.of(features, source) if features else Fact.unknown("not told by this Windows", source),
        cpu_count=cores,
        memory_bytes=Fact.of(total, "GlobalMemoryStatusEx")
        if total
        else Fact.unknown("not told", "GlobalMemoryStatusEx"),
        cpu_affinity=affinity,
        cpu_quota=Fact.unknown("not read on windows"),
        cpu_usable=_usable(cores, affinity, Fact.absent()),
        performance_cores=Fact.absent(problem="asked on macOS only"),
        memory_limit_bytes=Fact.unknown("not read on windows"),
        address_space_bytes=Fact.absent(problem="Windows has no such limit"),
    )


_SYSCTL = "/usr/sbin/sysctl"
_NAMES = ("machdep.cpu.brand_string", "hw.logicalcpu", "hw.memsize", "hw.perflevel0.logicalcpu")


def _read_macos(host: Host) -> Processor:
    source, problem = "sysctl", ""
    values: Mapping[str, str] = {}
    try:
        answer = host.run([_SYSCTL, *_NAMES])
        values, problem = parse_sysctl(answer.stdout), answer.stderr if answer.status is None else "not told"
    except OSError as error:
        problem = host.scrub(str(error))
    model = values.get("machdep.cpu.brand_string", "")
    count = _number(values, "hw.logicalcpu", problem)
    # Only Apple silicon has cores of several kinds; Intel's Macs do not know the name.
    fast = _number(values, "hw.perflevel0.logicalcpu", problem)
    none = "macOS has no such limit"
    return Processor(
        cpu_model=Fact.of(host.scrub(model), source + " machdep.cpu.brand_string")
        if model
        else Fact.unknown(problem, source),
        cpu_flags=Fact.unknown("not read on macos"),
        cpu_count=count,
        memory_bytes=_number(values, "hw.memsize", problem),
        cpu_affinity=Fact.absent(problem=none),
        cpu_quota=Fact.absent(problem=none),
        cpu_usable=_usable(count, Fact.absent(), Fact.absent()),
        performance_cores=Fact.absent(fast.source) if values and not fast.known else fast,
        memory_limit_bytes=Fact.absent(problem=none),
        address_space_bytes=Fact.unknown("not read on macos"),
    )


def _number(values: Mapping[str, str], name: str, problem: str) -> "Fact[int]":
    text = values.get(name, "")
    if text.isdecimal() and 0 < len(text) < 19 and int(text):
        return Fact.of(int(text), "sysctl " + name)
    return Fact.unknown(problem or "not told", "sysctl " + name)


def parse_sysctl(text: str) -> Dict[str, str]:
    """Return the values that ``sysctl NAME...`` printed; it leaves out the names that it does not know.

    ::

        machdep.cpu.brand_string: Apple M2
        hw.logicalcpu: 8
        hw.memsize: 17179869184
        hw.perflevel0.logicalcpu: 4
    """
    found: Dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(": ")
        if colon:
            found[name.strip()] = value.strip()
    return found
