"""Graphics hardware and its driver, from the PCI bus, /proc, device nodes and library names."""

import re
from typing import Dict, List, Optional, Tuple

from ..facts import DeviceNode, Driver, Fact, Gpu, Library, PciDisplay
from ..host import Host
from .native import find_libraries, first_library

__all__ = ["parse_nvidia_information", "parse_nvidia_version", "read_driver"]

_PCI = "/sys/bus/pci/devices"
_NVIDIA_PROC = "/proc/driver/nvidia"
_NODE_NAMES = re.compile(r"nvidia(\d+|ctl|-uvm|-modeset)$")

#: PCI classes: VGA controller, 3D controller, other display controller, processing accelerator.
_DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")


def read_driver(host: Host) -> Driver:
    """Return the graphics hardware and what is known of its driver."""
    libraries = find_libraries(host, _is_driver_library)
    return Driver(
        displays=_read_displays(host),
        gpus=_read_gpus(host),
        nodes=_read_nodes(host),
        nvidia_kernel_version=_read_nvidia_kernel(host),
        nvidia_library_version=_read_library_version(host, libraries),
        libraries=libraries,
    )


def _is_driver_library(name: str) -> bool:
    return name in ("libcuda.so.1", "libnvidia-ml.so.1") or name.lower() in ("nvcuda.dll", "nvml.dll")


def _read_displays(host: Host) -> "Fact[Tuple[PciDisplay, ...]]":
    if host.system != "linux":
        return Fact.absent(problem="the PCI bus is read on Linux only")
    try:
        entries = host.list_dir(_PCI)
    except FileNotFoundError:
        return Fact.absent(_PCI, "this machine has no PCI bus")
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _PCI)
    found: List[PciDisplay] = []
    for entry in entries:
        folder = host.join(_PCI, entry.name)
        try:
            kind = host.read_text(host.join(folder, "class"), 64).strip()
            if not kind.startswith(_DISPLAY_CLASSES):
                continue
            vendor = host.read_text(host.join(folder, "vendor"), 64).strip()[2:]
            device = host.read_text(host.join(folder, "device"), 64).strip()[2:]
        except OSError:  # the device was removed while it was looked at
            continue
        link = host.join(folder, "driver")
        driver = host.path.basename(host.real_path(link)) if host.exists(link) else ""
        found.append(PciDisplay(entry.name, vendor, device, driver))
    return Fact.of(tuple(found), _PCI)


def _read_gpus(host: Host) -> "Fact[Tuple[Gpu, ...]]":
    """NVIDIA GPUs as the loaded kernel module lists them, in PCI bus order."""
    if host.system != "linux":
        return Fact.absent(problem="read from the kernel module on Linux only")
    folder = _NVIDIA_PROC + "/gpus"
    try:
        entries = host.list_dir(folder)
    except FileNotFoundError:
        return Fact.absent(folder, "the NVIDIA kernel module is not loaded")
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), folder)
    gpus: List[Gpu] = []
    for entry in entries:
        try:
            text = host.read_text(host.join(folder, entry.name, "information"), 8192)
        except OSError:
            text = ""
        fields = parse_nvidia_information(text)
        gpus.append(
            Gpu(
                vendor="nvidia",
                name=fields.get("Model", "NVIDIA GPU"),
                index=len(gpus),
                bus_id=fields.get("Bus Location", entry.name),
                uuid=fields.get("GPU UUID", ""),
                memory_bytes=Fact.unknown("the kernel module's files do not say", folder),
                compute_capability=Fact.unknown("the kernel module's files do not say", folder),
            )
        )
    return Fact.of(tuple(gpus), folder)


def parse_nvidia_information(text: str) -> Dict[str, str]:
    """Return the fields of ``/proc/driver/nvidia/gpus/*/information``.

    ::

        Model:           NVIDIA A100-SXM4-40GB
        GPU UUID:        GPU-11111111-2222-3333-4444-555555555555
        Bus Location:    0000:07:00.0
    """
    fields = {}
    for line in text.splitlines():
        label, colon, value = line.partition(":")
        if colon:
            fields[label.strip()] = value.strip()
    return fields


def _read_nodes(host: Host) -> Tuple[DeviceNode, ...]:
    if host.system != "linux":
        return ()
    found = []
    for folder, matches in (("/dev", _NODE_NAMES.match), ("/dev/dri", re.compile(r"renderD\d+$").match)):
        try:
            entries = host.list_dir(folder)
        except OSError:  # no such folder: then there are no nodes
            continue
        for entry in entries:
            if matches(entry.name):
                path = host.join(folder, entry.name)
                found.append(DeviceNode(path, host.accessible(path)))
    return tuple(found)


def _read_nvidia_kernel(host: Host) -> "Fact[str]":
    path = _NVIDIA_PROC + "/version"
    try:
        version = parse_nvidia_version(host.read_text(path))
    except FileNotFoundError:
        return Fact.absent(path)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), path)
    return Fact.of(version, path) if version else Fact.unknown("no version in it", path)


def parse_nvidia_version(text: str) -> Optional[str]:
    """Return the kernel module's version.

    ::

        NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024
        NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build
    """
    for line in text.splitlines():
        if line.startswith("NVRM"):
            match = re.search(r"\s(\d{2,4}\.\d+(?:\.\d+)?)\s", line + " ")
            if match:
                return match.group(1)
    return None


def _read_library_version(host: Host, libraries: "Fact[Tuple[Library, ...]]") -> "Fact[str]":
    """The user-space driver's version, from the file that ``libcuda.so.1`` leads to (libcuda.so.550.54.15)."""
    if not libraries.known:
        return Fact.unknown(libraries.problem, libraries.source)
    library = first_library(libraries, "libcuda.so.1")
    if library is None:
        return Fact.absent(libraries.source)
    target = host.real_path(host.expand(library.path))
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)$", target)
    if match is None:
        return Fact.unknown("the file's name has no version", library.path)
    return Fact.of(match.group(1), host.scrub(target))
