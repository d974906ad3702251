"""NVIDIA's GPUs as its management library (NVML) describes them: asked in a child, `nvml_child`.

The question is put before anything else is read (`nvml_question`) and waited for last. If there is no answer, that is
a fact.
"""

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..facts import Driver, Fact, Gpu, GpuProcess, MigDevice, PeerAccess, Xid
from ..host import Host
from .nvml_question import NvmlQuestion

#: Where systems keep the kernel's log as text; most let only administrators read it.
_LOGS = ("/var/log/kern.log", "/var/log/messages", "/var/log/dmesg")

#: So much of the end of a log is read.
_LIMIT_BYTES = 1 << 18

_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9A-Fa-f:.]{4,20})\): (\d{1,4})")
_STAMP = re.compile(r"\[ *(\d{1,12})\.\d{6}\]")


def parse_xids(text: str) -> Tuple[Xid, ...]:
    """Return the errors in a kernel log, each once, in the order of their first lines.

    ::

        [  345.678901] NVRM: Xid (PCI:0000:07:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
        [  346.000000] NVRM: Xid (0000:07:00): 31, Ch 0000000b, engmask 00000120, intr 10000000
    """
    found: Dict[Tuple[str, int], int] = {}
    for place, number in _XID.findall(text):
        domain, _, rest = place.lower().partition(":")
        bus_id = "%s:%s" % (domain[-4:], rest if "." in rest else rest + ".0")
        found[bus_id, int(number)] = found.get((bus_id, int(number)), 0) + 1
    return tuple(Xid(bus_id, number, count) for (bus_id, number), count in found.items())


def parse_since_start(text: str) -> Optional[str]:
    """Return the part of a log that was written since the kernel's last start, None if it does not show that.

    The kernel's first line names its version; its stamps count the seconds since then, and fall back at a start.

    ::

        Nov 21 09:00:01 box kernel: [    0.000000] Linux version 6.5.0-1020-generic (buildd@lcy02) ...
        Nov 21 09:05:46 box kernel: [  345.678901] NVRM: Xid (PCI:0000:07:00): 79, ...
    """
    lines = text.splitlines()
    start: Optional[int] = None
    last = -1
    for number, line in enumerate(lines):
        if "Linux version " in line and ("kernel:" in line or "] Linux version " in line):
            start, last = number, -1
        match = _STAMP.search(line)
        if match is not None:
            seconds = int(match.group(1))
            if start is None or seconds < last - 5:  # lines of several processors may be a moment out of order
                start = number
            last = seconds
    return None if start is None else "\n".join(lines[start:])


def read_xids(host: Host) -> "Fact[Tuple[Xid, ...]]":
    """Return the errors as the system's log files have them."""
    if host.system != "linux":
        return Fact.absent(problem="read from the kernel's log of Linux")
    problem = "no log of the kernel"
    for path in _LOGS:
        info = host.info(path)
        if info is None or info.kind != "file":
            continue
        try:
            text = host.read_bytes(path, _LIMIT_BYTES, max(0, info.size - _LIMIT_BYTES)).decode("utf-8", "replace")
        except OSError as error:
            problem = host.scrub(str(error))
            continue
        recent = parse_since_start(text)
        if recent is not None:
            return Fact.of(parse_xids(recent), path)
        problem = "%s does not show when the machine was started" % path
    return Fact.unknown(problem, "the kernel's log")


def find_xids(host: Host) -> "Fact[Tuple[Xid, ...]]":
    """Return the errors where NVML's child, which reads them too, gave no answer: from the files, else from dmesg."""
    found = read_xids(host)
    if found.known:
        return found
    for path in ("/usr/bin/dmesg", "/bin/dmesg"):
        if not host.exists(path):
            continue
        try:
            done = host.run((path,), 0.5)
        except OSError as error:
            return Fact.unknown(host.scrub(str(error)), path)
        if done.status == 0:
            return Fact.of(parse_xids(done.stdout), path)
        return Fact.unknown(host.scrub((done.stderr.strip() or "status %s" % done.status)[:200]), path)
    return found


SOURCE = "NVML"


def read_nvml(host: Host, asked: NvmlQuestion, driver: Driver, minors: Mapping[str, str]) -> Driver:
    """Return the driver's facts with what NVML says.

    Parameters
    ----------
    host : Host
        The machine.
    asked : NvmlQuestion
        What `ask_nvml` returned.
    driver : Driver
        What is known without NVML.
    minors : mapping of str to str
        The kernel module's number of each GPU by its bus id: ``/dev/nvidiaN`` is its node.
    """
    source = host.scrub(asked.library) or SOURCE
    if asked.question is None:
        why: Fact[str] = Fact.absent("", asked.reason) if asked.needless else Fact.unknown(asked.reason, source)
        listed = bool(driver.gpus.or_none())
        return driver.replace(nvml=why, xids=read_xids(host) if listed else Fact.absent(problem=asked.reason))
    try:
        answer = dict(asked.question.answer())
    except OSError as error:
        silent = not isinstance(error, ChildProcessError)  # that one: there was no child to ask with
        nvml: Fact[str] = Fact.unknown(host.scrub(str(error))[:300], source)
        return driver.replace(nvml=nvml, nvml_silent=silent, xids=find_xids(host))
    if "unusable" in answer:
        return driver.replace(
            nvml=Fact.unknown(host.scrub(str(answer["unusable"]))[:300], source), xids=read_xids(host)
        )
    xids = answer.get("xids")
    xids = (
        Fact.of(parse_xids("\n".join(map(str, xids))), "the kernel's log")
        if isinstance(xids, list)
        else read_xids(host)
    )
    code = _whole(answer.get("error"))
    if code is not None:
        text = "%s (NVML error %d)" % (host.scrub(str(answer.get("text", "")))[:200] or "it did not start", code)
        return driver.replace(nvml=Fact.unknown(text, source), nvml_error=Fact.of(code, source), xids=xids)
    found = [parse_nvml_gpu(item, host) for item in _list(answer.get("gpus")) if isinstance(item, dict)]
    return driver.replace(
        nvml=_fact(answer.get("nvml_version"), str, host, source),
        nvidia_version=_fact(answer.get("driver_version"), str, host),
        cuda_version=_fact(answer.get("cuda_version"), str, host),
        xids=xids,
        gpus=_merged(found, driver, minors) if isinstance(answer.get("gpus"), list) else driver.gpus,
        peers=_peers(answer.get("peers"), found, host),
    )


def _whole(value: Any) -> Optional[int]:
    """Return a whole number as it is, and None for anything else; to Python True is one as well."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []


def _fact(value: Any, kind: type, host: Host, source: str = SOURCE) -> "Fact[Any]":
    """Turn an answer of the child into a fact."""
    if isinstance(value, dict):
        for status, make in (("absent", Fact.absent), ("unknown", Fact.unknown)):
            if status in value:
                reason = host.scrub(str(value[status]))[:300]
                return make(source, reason) if status == "absent" else make(reason, source)
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        return Fact.unknown("not told", source)
    return Fact.of(host.scrub(value)[:200] if isinstance(value, str) else value, source)


def parse_bus_id(text: str) -> str:
    """Return a PCI bus id in the kernel's spelling, "" where it is none.

    >>> parse_bus_id("00000000:0B:00.0"), parse_bus_id("0000:0b:00")
    ('0000:0b:00.0', '0000:0b:00.0')
    """
    match = re.match(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?$", text.strip().lower())
    if match is None:
        return ""
    domain, bus, device, function = match.groups()
    return "%04x:%s:%s.%s" % (int(domain or "0", 16), bus, device, function or "0")


def parse_nvml_gpu(item: Mapping[str, Any], host: Host) -> Gpu:
    """Return a GPU as the child described it.

    ::

        {"index": 0, "name": "NVIDIA A100-SXM4-40GB", "uuid": "GPU-5d5ba0d6-...", "bus_id": "00000000:07:00.0",
         "memory": [42949672960, 41943040000, 1006632960], "capability": "8.0", "mig_enabled": false,
         "ecc_errors": {"absent": "Not Supported (NVML error 3)"}, "processes": [{"pid": 4242, "memory": 943718400}]}
    """
    name, uuid = _fact(item.get("name"), str, host), _fact(item.get("uuid"), str, host)
    bus_id = _fact(item.get("bus_id"), str, host)
    total, free, used = _memory(item.get("memory"), host)
    mig_enabled = _fact(item.get("mig_enabled"), bool, host)
    return Gpu(
        vendor="nvidia",
        name=name.or_none() or "",
        index=_whole(item.get("index")) or 0,
        bus_id=parse_bus_id(bus_id.or_none() or ""),
        uuid=uuid.or_none() or "",
        memory_bytes=total,
        memory_free_bytes=free,
        memory_used_bytes=used,
        compute_capability=_fact(item.get("capability"), str, host),
        utilization_percent=_fact(item.get("utilization_percent"), int, host),
        mig_enabled=mig_enabled,
        mig_devices=_mig_devices(item.get("mig_devices"), mig_enabled, host),
        ecc_errors=_fact(item.get("ecc_errors"), int, host),
        ecc_errors_total=_fact(item.get("ecc_errors_total"), int, host),
        memory_repair=_fact(item.get("memory_repair"), str, host),
        recovery=_fact(item.get("recovery"), str, host),
        persistence=_fact(item.get("persistence"), bool, host),
        compute_mode=_fact(item.get("compute_mode"), str, host),
        processes=_processes(item.get("processes"), host),
        problem=host.scrub(str(item.get("error") or ""))[:300],
        pcie_width=_fact(item.get("pcie_width"), int, host),
        pcie_width_max=_fact(item.get("pcie_width_max"), int, host),
        nvlinks=_nvlinks(item.get("nvlinks"), host),
        clock_max_mhz=_fact(item.get("clock_max_mhz"), int, host),
        power_limit_w=_fact(item.get("power_limit_w"), float, host),
    )


def _nvlinks(value: Any, host: Host) -> "Fact[Tuple[bool, ...]]":
    if isinstance(value, list):
        return Fact.of(tuple(item is True for item in value), SOURCE)
    reason: Fact[Tuple[bool, ...]] = _fact(value, tuple, host)
    return reason


def _peers(value: Any, gpus: Sequence[Gpu], host: Host) -> "Fact[Tuple[PeerAccess, ...]]":
    """Whether the GPUs of each pair ``[0, 1, "chipset"]`` reach each other."""
    if not isinstance(value, list):
        reason: Fact[Tuple[PeerAccess, ...]] = _fact(value, tuple, host)
        return reason
    by_number = {gpu.index: gpu.bus_id for gpu in gpus}
    found = []
    for item in value:
        if isinstance(item, list) and len(item) == 3:
            first, second = (by_number.get(_whole(number) or 0, "") for number in item[:2])
            found.append(PeerAccess(first, second, str(item[2])[:20]))
    return Fact.of(tuple(found), SOURCE)


def _memory(value: Any, host: Host) -> "Tuple[Fact[int], Fact[int], Fact[int]]":
    """Total, free and used bytes. NVML tells none of a GPU whose memory is the machine's own (GB10, Jetson)."""
    numbers = [number for number in map(_whole, _list(value)) if number is not None and number >= 0]
    if len(numbers) == 3:
        total, free, used = (Fact.of(number, SOURCE) for number in numbers)
        return total, free, used
    reason: Fact[int] = _fact(value, int, host)
    return reason, reason, reason


def _processes(value: Any, host: Host) -> "Fact[Tuple[GpuProcess, ...]]":
    if not isinstance(value, list):
        reason: Fact[Tuple[GpuProcess, ...]] = _fact(value, tuple, host)
        return reason
    found = []
    for item in value:
        pid = _whole(item.get("pid")) if isinstance(item, dict) else None
        if pid is not None:
            found.append(GpuProcess(pid, _whole(item.get("memory")), str(item.get("kind", "compute"))[:20]))
    return Fact.of(tuple(found), SOURCE)


def _mig_devices(value: Any, enabled: "Fact[bool]", host: Host) -> "Fact[Tuple[MigDevice, ...]]":
    if not isinstance(value, list):
        if enabled.or_none() is not True:
            return Fact.absent(SOURCE, "not in MIG mode") if enabled.known else Fact.unknown(enabled.problem, SOURCE)
        reason: Fact[Tuple[MigDevice, ...]] = _fact(value, tuple, host)
        return reason
    found = []
    for item in value:
        if not isinstance(item, dict):
            continue
        name = _fact(item.get("name"), str, host).or_none() or ""
        total, free, _ = _memory(item.get("memory"), host)
        found.append(
            MigDevice(
                uuid=_fact(item.get("uuid"), str, host).or_none() or "",
                profile=name.rpartition("MIG ")[2],
                gpu_instance=_fact(item.get("gpu_instance"), int, host).or_none(),
                compute_instance=_fact(item.get("compute_instance"), int, host).or_none(),
                memory_bytes=total.or_none(),
                memory_free_bytes=free.or_none(),
            )
        )
    return Fact.of(tuple(found), SOURCE)


def _merged(reported: Sequence[Gpu], driver: Driver, minors: Mapping[str, str]) -> "Fact[Tuple[Gpu, ...]]":
    """The GPUs of NVML, with the kernel module's word on those that NVML cannot describe or does not list.

    In a container the kernel module may list all GPUs of the machine: one without a node is not this container's.
    """
    seen = {gpu.bus_id for gpu in reported if gpu.bus_id}
    nodes = {node.path for node in driver.nodes}
    others = [
        gpu.replace(bus_id=parse_bus_id(gpu.bus_id) or gpu.bus_id)
        for gpu in driver.gpus.or_none() or ()
        if gpu.bus_id not in minors or "/dev/nvidia%s" % minors[gpu.bus_id] in nodes
    ]
    others = [gpu for gpu in others if gpu.bus_id not in seen]
    found: Dict[str, Gpu] = {}
    for gpu in reported:
        if not gpu.bus_id and others:  # lost: both count in bus order, so that the next one left is this one
            known = others.pop(0)
            gpu = gpu.replace(name=gpu.name or known.name, bus_id=known.bus_id, uuid=gpu.uuid or known.uuid)
        found[gpu.bus_id or "~%04d" % gpu.index] = gpu.replace(name=gpu.name or "NVIDIA GPU")
    for gpu in others:
        found[gpu.bus_id] = gpu.replace(problem="the kernel module lists it, NVML does not")
    ordered = [found[key] for key in sorted(found)]
    if not ordered and not driver.gpus.known:
        return driver.gpus
    return Fact.of(tuple(gpu.replace(index=index) for index, gpu in enumerate(ordered)), SOURCE)
