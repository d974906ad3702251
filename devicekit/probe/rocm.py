"""AMD's compute stack."""

from typing import List, Tuple

from ..facts import DeviceNode, Fact, Rocm
from ..host import Host

__all__ = ["parse_kfd_properties", "read_rocm"]

_NODES = "/sys/class/kfd/kfd/topology/nodes"


def read_rocm(host: Host) -> Rocm:
    """Return the ROCm driver's node and the version of the user-space stack."""
    if host.system != "linux":
        absent = "ROCm's kernel driver exists on Linux only"
        return Rocm(
            kfd=Fact.absent(problem=absent), version=Fact.absent(problem=absent), gfx=Fact.absent(problem=absent)
        )
    node = "/dev/kfd"
    kfd: Fact[DeviceNode] = Fact.absent(node)
    if host.exists(node):
        kfd = Fact.of(DeviceNode(node, host.accessible(node)), node)
    source = "/opt/rocm/.info/version"
    try:
        version = Fact.of(host.read_text(source).strip(), source)
    except FileNotFoundError:
        version = Fact.absent(source)
    except OSError as error:
        version = Fact.unknown(str(error), source)
    return Rocm(kfd=kfd, version=version, gfx=_read_gfx(host))


def _read_gfx(host: Host) -> "Fact[Tuple[str, ...]]":
    """The targets of the GPUs, in the kernel driver's order; processors are nodes of the same list."""
    try:
        names = host.list_names(_NODES)
    except FileNotFoundError:
        return Fact.absent(_NODES, "AMD's kernel driver is not loaded")
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _NODES)
    found: List[str] = []
    for name in sorted(names, key=lambda text: (len(text), text)):
        path = host.join(_NODES, name, "properties")
        try:
            target = parse_kfd_properties(host.read_text(path, 8192))
        except OSError as error:  # a container may show the list and not what is in it
            return Fact.unknown(host.scrub(str(error)), path)
        if target:
            found.append(target)
    return Fact.of(tuple(found), _NODES)


def parse_kfd_properties(text: str) -> str:
    """Return the GPU target of a node of AMD's kernel driver, "" for a processor.

    ::

        simd_count 160
        gfx_target_version 90010
        vendor_id 4098

    The number is major, minor and stepping with two decimal digits each; the name has the last two in hexadecimal, so that
    this one is ``gfx90a``.
    """
    for line in text.splitlines():
        label, _, value = line.partition(" ")
        if label == "gfx_target_version" and value.strip().isdecimal() and len(value) < 12:
            number = int(value)
            return "gfx%d%x%x" % (number // 10000, number // 100 % 100, number % 100) if number else ""
    return ""
