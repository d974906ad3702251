"""`Target`: the machine that packages are chosen for, as far as packages depend on it. Pure."""

import re
from functools import lru_cache
from typing import Dict, Iterable, Optional, Tuple

from ..errors import UnknownFactError
from ..machine.accelerators import Accelerator, accelerators
from ..machine.facts import Machine
from ..machine.vendors import NVIDIA
from ..records import Record
from .gpu_names import capability_of, target_named
from .matrix import Matrix, accepts, minor_of
from .projects import Release

#: What ``--platform`` accepts: system and architecture.
PLATFORMS = ("linux-x86_64", "linux-aarch64", "windows-amd64", "macos-arm64", "macos-x86_64")

#: Versions of Python that are offered if the installed one does not fit, newest first.
PYTHONS = ("3.13", "3.12", "3.11", "3.10", "3.9", "3.8", "3.7")


class Target(Record):
    """What packages are chosen for.

    Attributes
    ----------
    python : str
        ``"3.11"``.
    system : {"linux", "windows", "macos"}
    architecture : {"x86_64", "aarch64"}
        Apple's and Windows' names for them are the same thing here.
    libc : str or None
        Version of glibc (``"2.36"``), ``"musl"``, None if it is not known or does not apply.
    macos : str or None
        Version of macOS, None if it is not known.
    bits : int
        Of the interpreter.
    described : bool
        Whether hardware and driver are known: not so where only Python and platform were named.
    vendors : tuple of str
        Makers of the GPUs that are there.
    capabilities : tuple of str
        Compute capabilities of the NVIDIA GPUs, ``("8.9",)``; "" for one that is not known.
    driver : str or None
        Version of the NVIDIA driver, or only its branch (``"535"``); None if it is not known.
    targets : tuple of str
        What code is built for on GPUs of other makers: ``"gfx1100"``, ``"Xe-HPG"``; empty if that is not known.
    jetson : bool
        Whether it is one of NVIDIA's Jetsons, for which NVIDIA alone builds.
    wsl : int or None
        1 or 2 in the Windows Subsystem for Linux.
    directx : bool or None
        Whether DirectX 12 can be reached, None if that is not known.
    """

    python: str
    system: str
    architecture: str
    libc: Optional[str] = None
    macos: Optional[str] = None
    bits: int = 64
    described: bool = False
    vendors: Tuple[str, ...] = ()
    capabilities: Tuple[str, ...] = ()
    driver: Optional[str] = None
    wsl: Optional[int] = None
    directx: Optional[bool] = None
    targets: Tuple[str, ...] = ()
    jetson: bool = False

    def targets_for(self, goal: str) -> Tuple[str, ...]:
        """Return those of ``targets`` that a platform is about: AMD's for ROCm, Intel's for XPU."""
        return tuple(item for item in self.targets if item.startswith("gfx") == (goal == "rocm"))

    @property
    def wheel_key(self) -> Tuple[object, ...]:
        """What decides which wheels it takes; targets that differ in their hardware only take the same ones."""
        return (self.python, self.system, self.architecture, self.libc, self.macos, self.bits)

    @property
    def platform(self) -> str:
        """As ``--platform`` names it."""
        other = {"windows": {"x86_64": "amd64", "aarch64": "arm64"}, "macos": {"aarch64": "arm64"}}
        return "%s-%s" % (self.system, other.get(self.system, {}).get(self.architecture, self.architecture))

    @property
    def label(self) -> str:
        """For sentences: "Python 3.11 on Linux x86_64"."""
        names = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
        return "Python %s on %s %s" % (self.python, names.get(self.system, self.system), self.platform.split("-")[1])

    def environment(self) -> Dict[str, str]:
        """Return the values that requirement markers ask for."""
        machine = {"windows": {"x86_64": "AMD64", "aarch64": "ARM64"}, "macos": {"aarch64": "arm64"}}
        python = self.python or "0"  # packaging 24, the last for Python 3.7, raises for ""
        return {
            "python_version": python,
            "python_full_version": python + ".0",
            "sys_platform": {"windows": "win32", "macos": "darwin"}.get(self.system, "linux"),
            "platform_system": {"windows": "Windows", "macos": "Darwin"}.get(self.system, "Linux"),
            "os_name": "nt" if self.system == "windows" else "posix",
            "platform_machine": machine.get(self.system, {}).get(self.architecture, self.architecture),
            "platform_release": "",
            "platform_version": "",
            "implementation_name": "cpython",
            "implementation_version": python + ".0",
            "platform_python_implementation": "CPython",
            "extra": "",
        }

    def takes_python(self, tag: str) -> bool:
        """Return whether this Python takes wheels with a Python tag (``cp311``, ``cp36+``, ``py3``)."""
        if tag == "py3" or "." not in self.python:  # of a bare "3" it is not known
            return True
        minor = int(self.python.split(".")[1])
        wanted = _python_of(tag)
        return minor >= wanted if tag.endswith("+") else minor == wanted

    def takes_platform(self, tag: str) -> bool:
        """Return whether this system takes wheels with a platform tag; versions that are not known count as new enough."""
        if tag == "any":
            return True
        if self.bits == 32:
            return False
        linux = re.match(r"(?:manylinux_(\d+)_(\d+)|linux)_(x86_64|aarch64)$", tag)
        if linux:
            if self.system != "linux" or self.libc == "musl" or linux.group(3) != self.architecture:
                return False
            if not linux.group(1) or not self.libc:
                return True
            return _numbers(self.libc) >= (int(linux.group(1)), int(linux.group(2)))
        mac = re.match(r"macosx_(\d+)_(\d+)_(x86_64|arm64|universal2)$", tag)
        if mac:
            machine = "aarch64" if mac.group(3) == "arm64" else mac.group(3)
            if self.system != "macos" or machine not in (self.architecture, "universal2"):
                return False
            return not self.macos or _numbers(self.macos) >= (int(mac.group(1)), int(mac.group(2)))
        return self.system == "windows" and tag == {"x86_64": "win_amd64", "aarch64": "win_arm64"}.get(
            self.architecture
        )

    def is_meant(self, tag: str) -> bool:
        """Return whether a platform tag of an installed wheel can be for this system and processor, of any versions."""
        systems = {"win": "windows", "mac": "macos", "man": "linux", "mus": "linux", "lin": "linux"}
        processor = re.search(r"(x86_64|amd64|aarch64|arm64)$", tag)
        plain = {"amd64": "x86_64", "arm64": "aarch64"}
        made_for = plain.get(processor.group(), processor.group()) if processor is not None else ""
        return systems.get(tag[:3], self.system) == self.system and made_for in ("", self.architecture or made_for)

    def takes_release(self, release: Release) -> bool:
        """Return whether what a release says of Python in its metadata lets this one in."""
        return accepts(release.requires_python.replace(" ", ""), self.python + ".99") is not False


@lru_cache(maxsize=1024)
def _python_of(tag: str) -> int:
    return int(re.sub(r"\D", "", tag)[1:])


def target_for(platform: str, python: str) -> Target:
    """Return the target of a platform's name and a Python version; its hardware is not known.

    >>> target_for("windows-amd64", "3.10.4").label
    'Python 3.10 on Windows amd64'
    """
    system, _, architecture = platform.partition("-")
    plain = {"amd64": "x86_64", "arm64": "aarch64"}.get(architecture, architecture)
    return Target(minor_of(python), system, plain)


def macos_version(text: str) -> Optional[str]:
    """Return the version of macOS that a Darwin kernel belongs to; a version of macOS stays what it is.

    >>> macos_version("23.4.0"), macos_version("25.1.0"), macos_version("14.4")
    ('14', '26', '14.4')
    """
    major = _numbers(text)[0]
    if not major:
        return None
    if 20 <= major <= 24:  # macOS 11 is Darwin 20
        return str(major - 9)
    if major == 25:  # from then on macOS is numbered by the year, as 26 and 27 are
        return "26"
    return "10.%d" % (major - 4) if major in (18, 19) else text


#: Releases of Windows by their build (learn.microsoft.com/windows/release-health and windows-server, 2026-11). A server that
#: has the build of a desktop release is not told from it.
_WINDOWS = {
    7600: "7", 7601: "7", 9200: "8", 9600: "8.1", 10240: "10 1507", 10586: "10 1511", 14393: "10 1607", 15063: "10 1703",
    16299: "10 1709", 17134: "10 1803", 17763: "10 1809", 18362: "10 1903", 18363: "10 1909", 19041: "10 2004",
    19042: "10 20H2", 19043: "10 21H1", 19044: "10 21H2", 19045: "10 22H2", 20348: "Server 2022", 22000: "11 21H2",
    22621: "11 22H2", 22631: "11 23H2", 25398: "Server 23H2", 26100: "11 24H2", 26200: "11 25H2",
}  # fmt: skip


def windows_build(release: str) -> Optional[int]:
    """Return the build number in a Windows release (10.0.19045), None if it has none."""
    match = re.match(r"\d+\.\d+\.(\d+)", release)
    return int(match.group(1)) if match else None


def windows_name(release: str) -> str:
    """Return a release of Windows as people know it.

    >>> windows_name("10.0.22631"), windows_name("6.3.9600"), windows_name("10.0.22635"), windows_name("10.0.17000")
    ('Windows 11 23H2', 'Windows 8.1', 'Windows 11 (build 22635)', 'Windows 10 (build 17000)')
    """
    build = windows_build(release)
    if build is None:
        return "Windows"
    known = _WINDOWS.get(build)
    return "Windows " + (known or "%s (build %d)" % ("11" if build >= 22000 else release.partition(".")[0], build))


def _numbers(version: str) -> Tuple[int, int]:
    parts = [int(number) for number in re.findall(r"\d+", version)[:2]] + [0, 0]
    return (parts[0], parts[1])


def target_of(machine: Machine, matrix: Matrix) -> Target:
    """Return what packages are chosen for on a machine; what could not be read counts as not known."""
    python, native, driver = machine.python, machine.native, machine.driver
    libc = native.libc.or_none() or ""
    try:
        found, described = accelerators(machine), True
    except UnknownFactError:
        found, described = (), False
    architecture = python.architecture.lower()
    gpus = [gpu for gpu in driver.gpus.or_none() or () if gpu.vendor == NVIDIA.key]
    dxg = machine.directml.dxg
    minor = re.match(r"\d{1,4}\.\d{1,4}(?!\d)", python.version)
    return Target(
        python=minor.group() if minor else "",
        system=native.system,
        architecture={"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}.get(architecture, architecture),
        libc=libc.split()[-1] if libc else None,
        macos=macos_version(native.os_version.or_none() or "") if native.system == "macos" else None,
        bits=python.bits,
        described=described,
        vendors=tuple(dict.fromkeys(item.vendor for item in found)),
        capabilities=tuple(gpu.compute_capability.or_none() or capability_of(gpu.name, matrix) or "" for gpu in gpus),
        driver=driver.nvidia_kernel_version.or_none() or driver.nvidia_library_version.or_none(),
        wsl=machine.process.wsl.or_none(),
        targets=machine.rocm.gfx.or_none() or (_targets(found, matrix) if native.system == "windows" else ()),
        directx=True if native.system == "windows" else (dxg.status == "value" if dxg.known else None),
    )


def _targets(gpus: Iterable[Accelerator], matrix: Matrix) -> Tuple[str, ...]:
    """Return what code is built for on the GPUs of AMD and Intel: Windows says no more of them than their names."""
    names = dict.fromkeys(gpu.name for gpu in gpus if gpu.vendor in ("amd", "intel"))
    return tuple(dict.fromkeys(filter(None, (target_named(name, matrix) for name in names))))
