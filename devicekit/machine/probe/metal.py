"""Apple's GPUs, and whether the interpreter runs translated."""

import re
from typing import Any

from ..facts import Fact, Metal
from ..host import Host

_SYSCTL = "/usr/sbin/sysctl"
_IOREG = "/usr/sbin/ioreg"
_VERSION = "/System/Library/CoreServices/SystemVersion.plist"

#: Packages that compute on Apple's GPU: only for them it matters how large it is.
_USERS = ("tensorflow-plugins", "torch", "jax_plugins")


def read_metal(host: Host) -> Metal:
    """Return the Apple chip, its GPU and memory, and whether this interpreter runs under Rosetta."""
    if host.system != "macos":
        absent: Fact[Any] = Fact.absent(problem="not macOS")
        return Metal(chip=absent, rosetta=absent, gpu_cores=absent, memory_bytes=absent, macos=absent)
    brand = _sysctl(host, "machdep.cpu.brand_string")
    chip = brand.or_none() or ""
    if chip and not chip.startswith("Apple"):
        brand = Fact.absent(brand.source, chip)
    translated = _sysctl(host, "sysctl.proc_translated")
    rosetta: Fact[bool] = Fact.unknown(translated.problem, translated.source)
    if translated.status == "value":
        rosetta = Fact.of(translated.content == "1", translated.source)
    elif translated.status == "absent":  # Intel Macs do not have this name
        rosetta = Fact.of(False, translated.source)
    return Metal(
        chip=brand,
        rosetta=rosetta,
        gpu_cores=_read_cores(host) if brand.status == "value" else Fact.absent(brand.source, "no Apple chip"),
        memory_bytes=_read_memory(host),
        macos=_read_macos(host),
    )


def _sysctl(host: Host, name: str) -> "Fact[str]":
    source = "sysctl %s" % name
    try:
        answer = host.run([_SYSCTL, "-n", name])
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), source)
    if answer.status is None:
        return Fact.unknown(answer.stderr, source)
    if answer.status != 0:
        return Fact.absent(source)
    return Fact.of(answer.stdout.strip(), source)


def _read_memory(host: Host) -> "Fact[int]":
    """The memory of the machine, which an Apple chip's GPU shares with the processor."""
    memory = _sysctl(host, "hw.memsize")
    text = memory.or_none() or ""
    if text.isdecimal() and len(text) < 19:
        return Fact.of(int(text), memory.source)
    return Fact.unknown(memory.problem or "no number", memory.source)


def _read_cores(host: Host) -> "Fact[int]":
    """The number of the GPU's cores, where something is installed that computes on it: the tool takes 20 ms."""
    source = "ioreg AGXAccelerator"
    entries = dict.fromkeys(host.interpreter.sys_path)
    if not any(host.is_dir(host.join(entry, name)) for entry in entries for name in _USERS):
        return Fact.unknown("not asked, as nothing is installed that uses the GPU", source)
    try:
        answer = host.run([_IOREG, "-rc", "AGXAccelerator", "-d1"])
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), source)
    count = parse_core_count(answer.stdout)
    return Fact.of(count, source) if count else Fact.unknown(answer.stderr.strip()[:200] or "it does not say", source)


def parse_core_count(text: str) -> int:
    """Return the number of GPU cores that ``ioreg -rc AGXAccelerator -d1`` tells, 0 if it does not.

    ::

        +-o AGXAcceleratorG14G  <class AGXAcceleratorG14G, id 0x100000217, registered, matched, active, busy 0, retain 28>
            {
              "gpu-core-count" = 10
              "model" = "Apple M2"
            }
    """
    match = re.search(r'"gpu-core-count"\s*=\s*(\d{1,4})\b', text)
    return int(match.group(1)) if match else 0


def _read_macos(host: Host) -> "Fact[str]":
    try:
        version = parse_system_version(host.read_text(_VERSION, 8192))
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _VERSION)
    return Fact.of(version, _VERSION) if version else Fact.unknown("it does not say", _VERSION)


def parse_system_version(text: str) -> str:
    """Return the version of macOS from its ``SystemVersion.plist``, "" where it does not say.

    ::

        <key>ProductName</key>
        <string>macOS</string>
        <key>ProductVersion</key>
        <string>14.5</string>

    A program that was built for macOS 10 gets 10.16 from every later release, which says nothing.
    """
    match = re.search(r"<key>ProductVersion</key>\s*<string>(\d[\d.]{0,20})</string>", text)
    return match.group(1) if match and match.group(1) != "10.16" else ""
