"""Graphics hardware and its driver, from the PCI bus, /proc, device nodes and library names."""

import re
from typing import Dict, List, Optional, Tuple

from ..facts import DeviceNode, Driver, Fact, Gpu, KernelModule, Library, MigDevice, PciDisplay
from ..host import Host
from .native import find_libraries, first_library
from .nvml import read_nvml
from .nvml_question import NvmlQuestion, ask_nvml

_PCI = "/sys/bus/pci/devices"
_NVIDIA_PROC = "/proc/driver/nvidia"
_NODE_NAMES = re.compile(r"nvidia(\d+|ctl|-uvm|-modeset)$")

#: PCI classes: VGA controller, 3D controller, other display controller, processing accelerator.
_DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")


def read_driver(host: Host, asked: Optional[NvmlQuestion] = None) -> Driver:
    """Return the graphics hardware and what is known of its driver.

    Parameters
    ----------
    host : Host
        The machine.
    asked : NvmlQuestion or None
        What `ask_nvml` returned earlier; without it NVML is asked now.
    """
    asked = asked or ask_nvml(host)
    displays = _read_displays(host)
    if not asked.sign and any(item.vendor_id == "10de" for item in displays.or_none() or ()):
        asked = ask_nvml(host, sign=True)
    libraries = find_libraries(host, _is_driver_library)
    gpus, minors = _read_gpus(host)
    driver = Driver(
        displays=displays,
        gpus=gpus,
        nodes=_read_nodes(host),
        nvidia_kernel_version=_read_nvidia_kernel(host),
        nvidia_library_version=_read_library_version(host, libraries),
        libraries=libraries,
        modules=_read_modules(host),
    )
    return read_nvml(host, asked, driver, minors)


#: Where DKMS keeps what it has built: MODULE/VERSION/KERNEL/ARCHITECTURE/module (dkms(8)).
_DKMS = "/var/lib/dkms"


def _read_modules(host: Host) -> "Fact[Tuple[KernelModule, ...]]":
    if host.system != "linux":
        return Fact.absent(problem="DKMS is Linux's")
    try:
        names = host.list_names(_DKMS)
    except (FileNotFoundError, NotADirectoryError):
        return Fact.absent(_DKMS)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _DKMS)
    found: List[KernelModule] = []
    for name in names:
        if name not in ("nvidia", "amdgpu"):
            continue
        folder = host.join(_DKMS, name)
        for version in host.names_if_any(folder):
            if re.match(r"\d+\.", version):
                kernels = [item for item in host.names_if_any(host.join(folder, version)) if re.match(r"\d+\.", item)]
                found.append(KernelModule(name, version, tuple(kernels)))
    return Fact.of(tuple(found), _DKMS)


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


def _read_gpus(host: Host) -> "Tuple[Fact[Tuple[Gpu, ...]], Dict[str, str]]":
    """NVIDIA GPUs as the loaded kernel module lists them, in PCI bus order, and the module's number of each."""
    minors: Dict[str, str] = {}
    if host.system != "linux":
        return Fact.absent(problem="read from the kernel module on Linux only"), minors
    folder = _NVIDIA_PROC + "/gpus"
    try:
        entries = host.list_dir(folder)
    except FileNotFoundError:
        return Fact.absent(folder, "the NVIDIA kernel module is not loaded"), minors
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), folder), minors
    gpus: List[Gpu] = []
    for entry in entries:
        fields = parse_nvidia_information(host.text_or_none(host.join(folder, entry.name, "information"), 8192) or "")
        bus_id = fields.get("Bus Location", entry.name)
        uuid = fields.get("GPU UUID", "")
        uuid = "" if "?" in uuid else uuid  # question marks: no process has used the GPU since the module was loaded
        if "Device Minor" in fields:
            minors[bus_id] = fields["Device Minor"]
        slices = _read_slices(host, fields.get("Device Minor", ""))
        gpus.append(
            Gpu(
                vendor="nvidia",
                name=fields.get("Model", "NVIDIA GPU"),
                index=len(gpus),
                bus_id=bus_id,
                uuid=uuid,
                memory_bytes=Fact.unknown("the kernel module's files do not say", folder),
                compute_capability=Fact.unknown("the kernel module's files do not say", folder),
                mig_enabled=Fact.of(True, slices.source) if slices.or_none() else Fact.unknown("not asked", folder),
                mig_devices=slices,
            )
        )
    return Fact.of(tuple(gpus), folder), minors


def _read_slices(host: Host, minor: str) -> "Fact[Tuple[MigDevice, ...]]":
    """The slices of a GPU in MIG mode as the kernel module's files name them: GPU instances with compute instances."""
    folder = "%s/capabilities/gpu%s/mig" % (_NVIDIA_PROC, minor)
    found: List[MigDevice] = []
    try:
        for instance in host.list_dir(folder) if minor else ():
            if instance.is_dir and re.match(r"gi\d+$", instance.name):
                for part in host.list_dir(host.join(folder, instance.name)):
                    if part.is_dir and re.match(r"ci\d+$", part.name):
                        found.append(MigDevice("", "", int(instance.name[2:]), int(part.name[2:])))
    except FileNotFoundError:  # this GPU has no slices, or this driver no such files
        return Fact.unknown("not asked", folder)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), folder)
    found.sort(key=lambda item: (item.gpu_instance or 0, item.compute_instance or 0))
    return Fact.of(tuple(found), folder) if found else Fact.unknown("not asked", folder)


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
        found += [host.join(folder, name) for name in host.names_if_any(folder) if matches(name)]
    return tuple(device_node(host, path) for path in found)


def device_node(host: Host, path: str) -> DeviceNode:
    """Return a device file with its group if this user may not open it."""
    accessible = host.accessible(path)
    return DeviceNode(path, accessible, "" if accessible else host.scrub(host.group_of(path)))


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
