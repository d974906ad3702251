"""Google's TPUs: chips on the PCI bus, their device nodes, and the library that drives them. No metadata server is asked."""

import re
from typing import List, Tuple

from ..facts import DeviceNode, Fact, Tpu
from ..host import Host

_PCI = "/sys/bus/pci/devices"
_GOOGLE = "0x1ae0"

#: Generations by PCI number (jax/_src/hardware_utils.py). The first has two.
_CHIPS = {
    "0x0027": "v2 or v3", "0x005e": "v4", "0x0062": "v5p", "0x0063": "v5e", "0x006f": "v6e", "0x0076": "7x",
    "0x0083": "8i", "0x007c": "8t",
}  # fmt: skip


def read_tpu(host: Host) -> Tpu:
    """Return the TPU chips, their nodes and their library.

    The bus is searched only where a node of a kind that TPUs have is there: ``/dev/accel0`` up to v4, ``/dev/vfio/0``
    later. Other devices have such nodes too; the number of the maker on the bus tells.
    """
    if host.system != "linux":
        absent = "TPUs are in Linux machines only"
        return Tpu(chips=Fact.absent(problem=absent), library=_read_library(host))
    nodes = _read_nodes(host)
    chips: Fact[Tuple[str, ...]] = Fact.absent("/dev/accel*, /dev/vfio")
    if nodes:
        chips = _read_chips(host)
    return Tpu(chips=chips, nodes=nodes if chips.content else (), library=_read_library(host))


def _read_nodes(host: Host) -> Tuple[DeviceNode, ...]:
    paths: List[str] = []
    if host.exists("/dev/accel0"):
        paths = ["/dev/accel%d" % number for number in range(16) if host.exists("/dev/accel%d" % number)]
    elif host.exists("/dev/vfio"):
        try:
            names = host.list_names("/dev/vfio")
        except OSError:  # root's alone on some machines: the bus tells all the same
            return (DeviceNode("/dev/vfio", False),)
        paths = ["/dev/vfio/" + name for name in names if re.match(r"\d+$", name)]
    return tuple(DeviceNode(path, host.accessible(path)) for path in paths)


def _read_chips(host: Host) -> "Fact[Tuple[str, ...]]":
    try:
        names = host.list_names(_PCI)
    except FileNotFoundError:
        return Fact.absent(_PCI)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _PCI)
    found = []
    for name in names:
        try:
            if host.read_text(host.join(_PCI, name, "vendor"), 64).strip() != _GOOGLE:
                continue
            number = host.read_text(host.join(_PCI, name, "device"), 64).strip()
        except OSError:  # the device was removed while it was looked at
            continue
        if number in _CHIPS:  # Google's virtual network card and disks have the same maker
            found.append(_CHIPS[number])
    return Fact.of(tuple(found), _PCI) if found else Fact.absent(_PCI)


def _read_library(host: Host) -> "Fact[str]":
    """The file that JAX loads: the one that TPU_LIBRARY_PATH names, else that of the package libtpu."""
    named = host.environ().get("TPU_LIBRARY_PATH", "")
    if named and host.is_file(named):
        return Fact.of(host.scrub(named), "TPU_LIBRARY_PATH")
    for entry in dict.fromkeys(host.interpreter.sys_path):
        path = host.join(entry, "libtpu", "libtpu.so")
        if host.is_file(path):
            return Fact.of(host.scrub(path), "libtpu on sys.path")
    return Fact.absent("libtpu on sys.path")
