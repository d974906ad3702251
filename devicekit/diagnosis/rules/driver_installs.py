"""Which NVIDIA driver is there, which one is needed, and how a driver is installed or updated. Pure.

By the distribution's package manager, in Windows, or on a container's host.

The commands are data (matrix/data/driver_installs.json), each with the page that it is from.
"""

import re
from typing import Dict, List, Optional, Sequence, Tuple

from ...machine.facts import Native, OsRelease
from ...matrix.gpu_names import capability_of
from ...matrix.gpu_support import DriverLimit, DriverNeed, driver_limits, needed_driver
from ...matrix.matrix import accepts, minor_of, version_at_least
from ...matrix.tables import DriverInstall
from .. import pages
from ..findings import Fix
from ..view import View

#: What reports and old snapshots call distributions, of which only the name is known.
_NAMES = (("Ubuntu", "ubuntu"), ("Debian GNU/Linux", "debian"), ("Fedora", "fedora"), ("Arch Linux", "arch"))


def release_of(native: Native) -> Optional[OsRelease]:
    """Return which Linux distribution it is, None if that is not known."""
    known = native.os_release.or_none()
    if known is not None:
        return known
    name = native.os_version.or_none() or ""
    ident = next((ident for start, ident in _NAMES if name.startswith(start)), "")
    version = re.search(r"\d+(\.\d+)*", name)
    return OsRelease(ident, (), version.group() if version else "") if ident else None


def _row(view: View, limit: str = "", least: str = "") -> Optional[DriverInstall]:
    """The row for this distribution that installs a new enough driver, None if there is none.

    ``limit``: the last branch for one of the GPUs; ``least``: the oldest driver that is needed.
    """
    release = release_of(view.machine.native)
    if release is None:
        return None
    for row in view.matrix.driver_installs():
        if release.id not in row.ids or (row.versions and not accepts(row.versions, release.version)):
            continue
        if not (row.limit == limit or (row.limit == "*" and limit)):
            continue
        if row.newest and least and version_at_least(row.newest, least.partition(".")[0]) is False:
            continue
        return row
    return None


def _values(view: View, **more: str) -> Dict[str, str]:
    native = view.machine.native
    release = release_of(native)
    version = release.version if release is not None else ""
    arch = "sbsa" if native.architecture in ("aarch64", "arm64") else "x86_64"
    return dict(version=version, major=version.partition(".")[0], arch=arch, release=native.release, **more)


def _filled(words: Sequence[str], values: Dict[str, str]) -> Tuple[str, ...]:
    return tuple(word.format(**values) for word in words)


def _elsewhere(view: View, text: str) -> Optional[List[Fix]]:
    """The steps where the driver is not this system's own: in Windows, or on the host of a container."""
    machine = view.machine
    if machine.native.system == "windows" or view.wsl:
        return list(vendor_driver(text + (" in Windows" if view.wsl else "")))
    if machine.process.container.or_none():
        return [Fix(text + " on the host: the container uses the host's driver", who="admin", changes="driver")]
    return None


def _steps(view: View, text: str, limit: str, least: str) -> List[Fix]:
    elsewhere = _elsewhere(view, text)
    if elsewhere is not None:
        return elsewhere
    row = _row(view, limit, least)
    if row is None:
        install = [Fix("%s: %s" % (text, pages.DRIVER_INSTALLATION), who="admin", changes="driver")]
    else:
        values = _values(view, branch=limit)
        commands = [_filled(words, values) for words in row.commands]
        needs = "; it needs %s" % row.needs.format(**values) if row.needs else ""
        install = [view.shell.system_packages_fix(text + needs, *commands, changes="driver")]
    return [*install, *_trusted_key(view, row), view.shell.restart_fix("Restart the machine")]


def _trusted_key(view: View, row: Optional[DriverInstall]) -> List[Fix]:
    """With Secure Boot, the kernel loads a module that was built here only if the firmware knows its key."""
    if not view.machine.native.secure_boot.or_none():
        return []
    if row is not None and not row.mok:
        return []
    text = "Secure Boot is on: let the firmware trust the key of the module (at the restart, choose Enroll MOK)"
    if row is None:
        return [Fix(text, who="admin", changes="system")]
    return [view.shell.root_fix(text, "mokutil", "--import", row.mok)]


def install_driver(view: View) -> Tuple[Fix, ...]:
    """Return how to install NVIDIA's driver."""
    limit = driver_limit(view)
    branch = " (branch %s, the last one for %s)" % (limit.branch, limit.gpu) if limit is not None else ""
    return tuple(_steps(view, "Install the NVIDIA driver%s" % branch, limit.branch if limit is not None else "", ""))


def update_driver(view: View, least: str, why: str = "to ") -> List[Fix]:
    """Return how to get an NVIDIA driver that is new enough; nothing where such a driver has dropped a GPU."""
    limit = driver_limit(view)
    if limit is not None and version_at_least(least, limit.following):
        return []
    text = "Update the NVIDIA driver %s%s or later" % (why, least)
    if limit is None:
        return _steps(view, text, "", least)
    text += ", up to branch %s (the last one for %s)" % (limit.branch, limit.gpu)
    return _steps(view, text, limit.branch, least)


#: GPUs of data centers by their names: those of other lines have a word of it in theirs.
_CONSUMER = re.compile(r"GeForce|RTX|GTX|Quadro|TITAN|MX\d|Jetson|Orin", re.IGNORECASE)


def forward_compatibility(view: View, cuda: str) -> List[Fix]:
    """Return how a newer CUDA runs on an older driver: with NVIDIA's package for GPUs of data centers."""
    names = [gpu.name for gpu in view.vendor("nvidia")]
    row = _row(view)
    if "." not in cuda or view.wsl or row is None or not row.compat or not names or any(map(_CONSUMER.search, names)):
        return []
    number = "-".join(cuda.split(".")[:2])
    text = "Keep the driver and install its forward compatibility package, for branches that NVIDIA's table lists: %s"
    install = _filled(row.compat, _values(view, cuda=number))
    folder = "/usr/local/cuda-%s/compat" % minor_of(cuda)
    keep = bool(view.machine.process.env("LD_LIBRARY_PATH"))
    first = view.shell.system_packages_fix(text % pages.FORWARD_COMPATIBILITY, install, changes="system")
    return [
        first.replace(instead=True),
        view.shell.library_folders_fix("Let programs find it", [folder], keep=keep),
    ]


def load_module(view: View) -> List[Fix]:
    """Return how NVIDIA's kernel module, which is installed, comes to be loaded."""
    native, row = view.machine.native, _row(view)
    fixes: List[Fix] = []
    built = [item for item in view.machine.driver.modules.or_none() or () if item.name == "nvidia"]
    if built and not any(native.release in item.kernels for item in built):
        text = "Build the module for the running kernel (%s), for which DKMS has none" % native.release
        commands = [_filled(row.headers, _values(view))] if row is not None else []
        fixes.append(
            view.shell.system_packages_fix(
                text, *commands, ("dkms", "autoinstall", "-k", native.release), changes="driver"
            )
        )
    text = "Load the module; an error message says why it was not loaded"
    fixes.append(view.shell.root_fix(text, "modprobe", "nvidia", changes="driver"))
    if native.secure_boot.or_none() is False:
        return fixes
    if native.secure_boot.or_none():
        key = "/var/lib/dkms/mok.pub" if built else row.mok if row is not None else ""
        text = "Secure Boot is on, so the key of the module must be known to the firmware (then restart: Enroll MOK)"
        step = (
            view.shell.root_fix(text, "mokutil", "--import", key) if key else Fix(text, who="admin", changes="system")
        )
        return [*fixes, step]
    text = "If Secure Boot is on (mokutil --sb-state), sign the module or turn Secure Boot off"
    return [*fixes, Fix(text, who="admin", changes="system")]


def remove_linux_driver(view: View) -> Fix:
    """Return how to remove a Linux driver from WSL, which uses the driver of Windows."""
    text = "Uninstall the Linux driver: WSL uses the Windows driver"
    release = release_of(view.machine.native)
    if release is not None and release.id in ("ubuntu", "debian"):
        return view.shell.root_fix(text, "apt-get", "purge", "libnvidia-compute-*", changes="driver")
    return Fix(text, who="admin", changes="driver")


def vendor_driver(text: str) -> Tuple[Fix, ...]:
    """Return how to install the driver of a GPU's vendor in Windows."""
    return (Fix(text, who="admin", changes="driver"), Fix("Restart Windows", who="reboot", changes="system"))


def install_rocm(release: str) -> Fix:
    """Return how to install a release of ROCm: its repository has the release in its address, and AMD's page names it."""
    text = "Install ROCm %s as AMD's documentation of that release describes: %s" % (release, pages.ROCM_LINUX)
    return Fix(text, who="admin", changes="system")


#: Distributions whose own packages include the runtime (packages.ubuntu.com, packages.debian.org, archlinux.org/packages;
#: 2026-11-22).
_COMPUTE_RUNTIME = (
    ("ubuntu", ">=24.10", ("apt-get", "install", "-y", "libze1", "libze-intel-gpu1", "intel-opencl-icd")),
    ("debian", ">=13", ("apt-get", "install", "-y", "libze1", "libze-intel-gpu1", "intel-opencl-icd")),
    ("arch", "", ("pacman", "-S", "level-zero-loader", "intel-compute-runtime")),
)


def install_compute_runtime(view: View) -> Fix:
    """Return how to install the user-space driver of Intel's GPUs."""
    release = release_of(view.machine.native)
    for ident, versions, words in _COMPUTE_RUNTIME if release is not None else ():
        if release is not None and release.id == ident and (not versions or accepts(versions, release.version)):
            return view.shell.system_packages_fix("Install Intel's compute runtime", words)
    text = "Install Intel's compute runtime (Level Zero and OpenCL) from Intel's repository for this system"
    return Fix(text, who="admin", changes="driver")


def driver_version(view: View) -> Tuple[str, str]:
    """Return the version of NVIDIA's driver that programs meet, and where it was seen; "" if it is not known."""
    driver = view.machine.driver
    # In WSL the driver is Windows' own, of which only NVML tells; so on Windows.
    windows = view.machine.native.system == "windows" or bool(view.machine.process.wsl.or_none())
    fact = driver.nvidia_version if windows else driver.nvidia_kernel_version
    return fact.or_none() or "", fact.source


def capabilities_of(view: View) -> Tuple[str, ...]:
    """Return the known compute capabilities of the NVIDIA GPUs."""
    found = [item.compute_capability or capability_of(item.name, view.matrix) for item in view.vendor("nvidia")]
    return tuple(text for text in found if text)


def driver_need(view: View, cuda: str, compiled: bool = False) -> Optional[DriverNeed]:
    """Return the oldest driver that a build for a CUDA release needs here, None if it is not known.

    ``compiled``: the driver has to compile the build's code for the GPUs.
    """
    windows = view.machine.native.system == "windows" or bool(view.machine.process.wsl.or_none())
    return needed_driver(cuda, capabilities_of(view), "windows" if windows else "linux", view.matrix, compiled)


def driver_limit(view: View) -> Optional[DriverLimit]:
    """Return the last driver branch for the oldest of the NVIDIA GPUs, None where current drivers support all of them."""
    limits = driver_limits(capabilities_of(view), view.matrix)
    return limits[0] if limits else None
