"""Errors that NVIDIA's driver wrote into the kernel's log since the machine's start (Xid errors)."""

import re
from typing import Dict, Optional, Tuple

from ..facts import Fact, Xid
from ..host import Host

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
