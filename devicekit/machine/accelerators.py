"""The graphics hardware of a machine that could compute, from all its sources, each piece once. Pure."""

from typing import Iterator, List, NamedTuple, Optional, Tuple

from .facts import DxAdapter, Machine
from .vendors import AMD, APPLE, INTEL, NVIDIA, VENDORS, vendor_of


class Accelerator(NamedTuple):
    """A piece of graphics hardware: what it is and where that was seen. ``remark``: what is uncertain about it."""

    vendor: str
    name: str
    memory_bytes: Optional[int]
    source: str
    memory_free_bytes: Optional[int] = None
    uuid: str = ""
    compute_capability: str = ""
    remark: str = ""
    memory_used_bytes: Optional[int] = None
    utilization_percent: Optional[int] = None
    location: str = ""
    numbering: str = ""


def accelerators(machine: Machine) -> Tuple[Accelerator, ...]:
    """Return all graphics hardware that could compute, NVIDIA first, each piece once.

    Raises
    ------
    UnknownFactError
        If no source could be read.
    """
    found = list(_by_driver(machine))
    listed = any(item.vendor == NVIDIA.key for item in found)
    if machine.native.system == "linux":
        described = list(_described(machine))
        found += described
        found += _on_bus(machine, listed, [item.location for item in described])
        # The adapters of WSL, whose PCI bus does not distinguish them.
        found += _adapters(machine, machine.directml.adapters.or_none() or (), listed)
    elif machine.native.system == "windows":
        adapters = machine.directml.adapters
        found += _adapters(machine, (adapters.or_none() if found else adapters.value) or (), listed)
        if not found and not adapters.or_none():
            machine.driver.nvml.value  # noqa: B018 NVIDIA's driver that does not answer may have a GPU that is listed nowhere
    elif machine.metal.chip.value:
        chip = machine.metal.chip
        found.append(Accelerator(APPLE.key, "%s GPU" % chip.value, machine.metal.memory_bytes.or_none(), chip.source))
    order = {vendor.key: place for place, vendor in enumerate(VENDORS)}
    # A snapshot may name a vendor that is not known here.
    return tuple(sorted(found, key=lambda item: order.get(item.vendor, len(order))))


def _by_driver(machine: Machine) -> Iterator[Accelerator]:
    for gpu in machine.driver.gpus.or_none() or ():
        yield Accelerator(
            gpu.vendor,
            gpu.name,
            gpu.memory_bytes.or_none(),
            machine.driver.gpus.source,
            gpu.memory_free_bytes.or_none(),
            gpu.uuid,
            gpu.compute_capability.or_none() or "",
            gpu.problem,
            gpu.memory_used_bytes.or_none(),
            gpu.utilization_percent.or_none(),
            gpu.bus_id,
        )


def _described(machine: Machine) -> Iterator[Accelerator]:
    """What AMD's and Intel's drivers report of their GPUs, in their order."""
    rocm, oneapi = machine.rocm, machine.oneapi
    for amd in rocm.gpus.or_none() or ():
        yield Accelerator(
            AMD.key,
            amd.name,
            amd.memory_bytes,
            rocm.gpus.source,
            amd.memory_free_bytes,
            amd.uuid,
            memory_used_bytes=amd.memory_used_bytes,
            location=amd.bus_id,
            numbering="driver",
        )
    for intel in oneapi.gpus.or_none() or ():
        if intel.bus_id:
            yield Accelerator(
                INTEL.key, intel.name, None, oneapi.gpus.source, location=intel.bus_id, numbering="driver"
            )


def _on_bus(machine: Machine, nvidia_listed: bool, addresses: List[str]) -> Iterator[Accelerator]:
    """What is on the PCI bus and no driver described; ``addresses``: where what is described is located."""
    displays = machine.driver.displays
    for display in displays.value or ():
        vendor = vendor_of(display.vendor_id)
        if vendor is None or (vendor is NVIDIA and nvidia_listed) or display.address in addresses:
            continue
        if vendor is AMD and "" in addresses:  # its driver listed one without saying where it is
            addresses.remove("")
            continue
        name = "%s GPU [%s:%s]" % (vendor.title, display.vendor_id, display.device_id)
        source = "%s/%s" % (displays.source, display.address)
        yield Accelerator(vendor.key, name, None, source, location=display.address)


def _adapters(machine: Machine, adapters: Tuple[DxAdapter, ...], nvidia_listed: bool) -> Iterator[Accelerator]:
    linux = machine.native.system == "linux"
    for adapter in adapters:
        vendor = vendor_of(adapter.vendor_id)
        if vendor is None or adapter.software or (vendor is NVIDIA and nvidia_listed) or (linux and adapter.neural):
            continue
        yield Accelerator(vendor.key, adapter.name, adapter.memory_bytes, machine.directml.adapters.source)
