"""AMD's compute stack: its kernel driver's own list of GPUs, and where its libraries are.

Everything is read from /sys and /dev. AMD's library for that (amdsmi) reads the same files, and needs an installed ROCm to
say that there is none.
"""

import re
from typing import Any, Dict, List, Optional, Tuple

from ..facts import AmdGpu, DeviceNode, Fact, Installation, Library, Rocm
from ..host import Host
from .driver import device_node
from .native import find_libraries, numbers_in
from .pci_names import gpu_name

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_MODULE = "/sys/module/amdgpu"
_DXG = "/dev/dxg"
_LIBRARY = re.compile(r"lib(amdhip64|hsa-runtime64|rocdxg)\.so(\.\d+)*$")
_STEMS = ("libamdhip64.so", "libhsa-runtime64.so", "librocdxg.so")

#: Targets of GPUs that are a part of a processor (llvm.org/docs/AMDGPUUsage.html, "Processors", column APU).
_INTEGRATED = frozenset(
    ("gfx700", "gfx801", "gfx902", "gfx909", "gfx90c", "gfx1033", "gfx1035", "gfx1036", "gfx1037", "gfx1103", "gfx1150")
    + ("gfx1151", "gfx1152", "gfx1153")
)


def read_rocm(host: Host) -> Rocm:
    """Return the ROCm driver's node, its GPUs, and what is installed of the user-space stack."""
    if host.system != "linux":
        absent: Fact[Any] = Fact.absent(problem="ROCm's kernel driver exists on Linux only")
        return Rocm(kfd=absent, version=absent, gfx=absent, gpus=absent, module=absent, libraries=absent)
    node = "/dev/kfd"
    kfd: Fact[DeviceNode] = Fact.of(device_node(host, node), node) if host.exists(node) else Fact.absent(node)
    version, installations = _read_installations(host)
    libraries = _read_libraries(host, kfd.status == "value" or bool(installations) or version.status != "absent")
    if version.status == "absent":
        version, installations = _version_of_library(libraries, version, installations)
    gpus, withheld = _read_gpus(host)
    return Rocm(
        kfd=kfd,
        version=version,
        gfx=_targets(gpus),
        gpus=gpus,
        withheld=withheld,
        module=_read_module(host),
        libraries=libraries,
        installations=installations,
    )


def _targets(gpus: "Fact[Tuple[AmdGpu, ...]]") -> "Fact[Tuple[str, ...]]":
    if gpus.status == "value":
        return Fact.of(tuple(gpu.target for gpu in gpus.content or ()), gpus.source)
    if gpus.status == "absent":
        return Fact.absent(gpus.source, gpus.problem)
    return Fact.unknown(gpus.problem, gpus.source)


def _read_module(host: Host) -> "Fact[str]":
    if not host.exists(_MODULE):
        return Fact.absent(_MODULE)
    path = host.join(_MODULE, "version")
    version = host.text_or_none(path, 256)
    # The one that came with the kernel has no version of its own.
    return Fact.of("in use", _MODULE) if version is None else Fact.of(version.strip(), path)


# What is installed.


def _read_installations(host: Host) -> "Tuple[Fact[str], Tuple[Installation, ...]]":
    """The version that is in use, and all that are there.

    ROCm writes its version to ``.info/version`` in its folder, ``/opt/rocm`` or ``/opt/rocm-6.0.0``; the first is usually
    a link to one of the others. pip's packages of ROCm (``rocm-sdk-core``) are a world of their own, which PyTorch loads.
    """
    found: List[Installation] = []
    problems: List[Tuple[str, str]] = []
    folders = [("ROCM_PATH", host.environ().get("ROCM_PATH", "")), ("system", "/opt/rocm")]
    names = [name for name in host.names_if_any("/opt") if re.match(r"rocm-\d", name)]
    folders += [("system", "/opt/" + name) for name in sorted(names, key=numbers_in, reverse=True)]
    seen = set()
    for via, folder in folders:
        real = host.real_path(folder) if folder else ""
        if not folder or real in seen:
            continue
        seen.add(real)
        path = host.join(folder, ".info", "version")
        try:
            version = host.read_text(path, 256).strip()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problems.append((host.scrub(str(error)), path))
            continue
        if version:
            found.append(Installation(version, host.scrub(folder), via))
    fact: Fact[str] = Fact.absent("/opt/rocm/.info/version")
    if found:
        fact = Fact.of(found[0].version, found[0].path + "/.info/version")
    elif problems:
        fact = Fact.unknown(*problems[0])
    return fact, tuple(found) + _wheels(host)


def _wheels(host: Host) -> Tuple[Installation, ...]:
    found = []
    for entry in dict.fromkeys(host.interpreter.sys_path):
        # A path that names the folder of the package saves a look at everything else that is installed.
        folder = host.join(entry, "_rocm_sdk_core")
        if not host.is_dir(folder):
            continue
        wheels = (re.match(r"rocm_sdk_core-(.*)\.dist-info$", name) for name in host.names_if_any(entry))
        version = next((match.group(1) for match in wheels if match), "")
        found.append(Installation(version, host.scrub(folder), "pip"))
    return tuple(found)


def _read_libraries(host: Host, likely: bool) -> "Fact[Tuple[Library, ...]]":
    """The runtime's libraries. On a machine without any sign of ROCm, only the dynamic linker's cache is searched."""
    variable = host.environ().get("LD_LIBRARY_PATH", "")
    cached = any(name.startswith(_STEMS) for name in host.loader_cache())
    if not (likely or cached or "rocm" in variable or "hip" in variable or host.exists(_DXG)):
        return Fact.of((), "ld.so.cache")
    return find_libraries(host, lambda name: _LIBRARY.match(name) is not None)


def _version_of_library(
    libraries: "Fact[Tuple[Library, ...]]", absent: "Fact[str]", installations: Tuple[Installation, ...]
) -> "Tuple[Fact[str], Tuple[Installation, ...]]":
    """The version that the HIP runtime's file names, for a ROCm that a distribution has spread over its own folders."""
    if not libraries.known:
        return Fact.unknown(libraries.problem, libraries.source), installations
    for item in libraries.content or ():
        version = parse_hip_version(item.target or item.name)
        if version:
            return Fact.of(version, item.path), (Installation(version, item.path, "library"),) + installations
    return absent, installations


def parse_hip_version(name: str) -> str:
    """Return ROCm's release from the full name of the HIP runtime's library, "" where it does not say.

    ::

        libamdhip64.so.6.1.60103
        libamdhip64.so.5.7.31921

    HIP is numbered as ROCm is. AMD's own packages have ROCm's whole number in the third place: 6.1.3 is 60103.
    """
    match = re.match(r"libamdhip64\.so\.(\d{1,2})\.(\d{1,2})\.(\d{1,6})", name)
    if match is None:
        return ""
    major, minor, build = (int(part) for part in match.groups())
    if build // 10000 == major and build // 100 % 100 == minor:
        return "%d.%d.%d" % (major, minor, build % 100)
    return "%d.%d" % (major, minor)


# The GPUs.


def _read_gpus(host: Host) -> "Tuple[Fact[Tuple[AmdGpu, ...]], int]":
    """The GPUs in the kernel driver's order (processors are nodes of the same list), and how many it keeps from us.

    A container's device rules make the files of a GPU that was not given to it fail with EPERM; ROCm's runtime then goes
    on without that GPU (libhsakmt/src/topology.c), and so does this.
    """
    try:
        names = host.list_names(_NODES)
    except FileNotFoundError:
        return Fact.absent(_NODES, "AMD's kernel driver is not loaded"), 0
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _NODES), 0
    found: List[AmdGpu] = []
    withheld = 0
    for name in sorted(names, key=lambda text: (len(text), text)):
        folder = host.join(_NODES, name)
        path = host.join(folder, "properties")
        try:
            text = host.read_text(path, 8192)
        except OSError as error:
            if error.errno == 1:
                withheld += 1
                continue
            return Fact.unknown(host.scrub(str(error)), path), withheld
        target = parse_kfd_properties(text)
        if target and name.isdecimal():
            found.append(_read_gpu(host, folder, target, dict(parse_properties(text), node=int(name))))
    return Fact.of(tuple(found), _NODES), withheld


def _read_gpu(host: Host, folder: str, target: str, values: Dict[str, int]) -> AmdGpu:
    minor = values.get("drm_render_minor", 0)
    device = "/sys/class/drm/renderD%d/device" % minor
    location, unique = values.get("location_id", 0), values.get("unique_id", 0)
    name = _text(host, host.join(device, "product_name"))
    if not name and values.get("device_id"):
        revision = _text(host, host.join(device, "revision"))
        name = gpu_name(host, "1002", "%04x" % values["device_id"], revision[2:])
    name = name or "AMD GPU (%s)" % (_text(host, host.join(folder, "name")) or target)
    return AmdGpu(
        name=host.scrub(name),
        target=target,
        bus_id="%04x:%02x:%02x.%d" % (values.get("domain", 0), location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7)
        if location
        else "",
        uuid="GPU-%016x" % unique if unique else "",
        render_node="/dev/dri/renderD%d" % minor if minor else "",
        memory_bytes=_number(host, host.join(device, "mem_info_vram_total")),
        memory_used_bytes=_number(host, host.join(device, "mem_info_vram_used")),
        compute_units=values.get("simd_count", 0) // (values.get("simd_per_cu") or 1),
        integrated=target in _INTEGRATED,
        pcie_atomics=_read_atomics(host, folder),
        node=values["node"],
    )


def _text(host: Host, path: str) -> str:
    return (host.text_or_none(path, 4096) or "").strip()  # only some boards have the file


def _number(host: Host, path: str) -> Optional[int]:
    text = _text(host, path)
    return int(text) if text.isdecimal() and len(text) < 19 else None


#: Flags of a link (linux/drivers/gpu/drm/amd/amdkfd/kfd_crat.h): no 32-bit, and no 64-bit atomic operations.
_NO_ATOMICS = 0x4 | 0x8
_PCIE = 2


def _read_atomics(host: Host, folder: str) -> Optional[bool]:
    """Whether a GPU's PCIe link to a processor takes atomic operations.

    ::

        type 2
        node_from 1
        node_to 0
        weight 20
        max_bandwidth 31504
        flags 1
    """
    links = host.join(folder, "io_links")
    for name in host.names_if_any(links):
        values = parse_properties(_text(host, host.join(links, name, "properties")))
        if values.get("type") == _PCIE and "flags" in values:
            return not values["flags"] & _NO_ATOMICS
    return None


def parse_properties(text: str) -> Dict[str, int]:
    """Return the numbers of a file of the kernel driver's topology.

    ::

        cpu_cores_count 0
        simd_count 160
        simd_per_cu 2
        gfx_target_version 100300
        vendor_id 4098
        device_id 29631
        location_id 768
        domain 0
        drm_render_minor 128
        unique_id 10454863232523463452
    """
    values = {}
    for line in text.splitlines():
        label, _, value = line.partition(" ")
        if value.strip().isdecimal() and len(value) < 24:
            values[label] = int(value)
    return values


def parse_kfd_properties(text: str) -> str:
    """Return the GPU target of a node of AMD's kernel driver, "" for a processor.

    ::

        simd_count 160
        gfx_target_version 90010
        vendor_id 4098

    The number is major, minor and stepping with two decimal digits each; the name has the last two in hexadecimal, so that
    this one is ``gfx90a``.
    """
    number = parse_properties(text).get("gfx_target_version", 0)
    if not 0 < number < 10**10:
        return ""
    return "gfx%d%x%x" % (number // 10000, number // 100 % 100, number % 100)
