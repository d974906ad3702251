"""What is known of a machine's accelerators: drivers, devices, and the libraries that frameworks open for them.

A part of `facts`, which is where everybody takes these names from.
"""

from dataclasses import dataclass
from typing import Optional, Tuple

from .fact import Fact

__all__ = [
    "Cuda", "DeviceNode", "DirectMl", "Driver", "DxAdapter", "Gpu", "Library", "Metal", "PciDisplay", "Rocm",
]  # fmt: skip


@dataclass(frozen=True)
class Library:
    """A native library that the loader would find. ``found_via`` names the search step that found it.

    ``target`` is the name of the file that a link leads to, which often says more of its version; "" for a file.
    """

    name: str
    path: str
    found_via: str
    target: str = ""


@dataclass(frozen=True)
class PciDisplay:
    """A display or 3D controller on the PCI bus; ids are lower-case hexadecimal without prefix."""

    address: str
    vendor_id: str
    device_id: str
    driver: str


@dataclass(frozen=True)
class DeviceNode:
    """A device file and whether this user may open it for reading and writing."""

    path: str
    accessible: bool


@dataclass(frozen=True)
class Gpu:
    """A GPU as its driver describes it."""

    vendor: str  # "nvidia", "amd", "intel", "apple", "qualcomm", "other"
    name: str
    index: int
    bus_id: str = ""
    uuid: str = ""
    memory_bytes: Fact[int] = Fact.unknown("not asked")
    compute_capability: Fact[str] = Fact.unknown("not asked")


@dataclass(frozen=True)
class Driver:
    """Graphics hardware and its driver."""

    displays: Fact[Tuple[PciDisplay, ...]]
    gpus: Fact[Tuple[Gpu, ...]]
    nodes: Tuple[DeviceNode, ...]
    nvidia_kernel_version: Fact[str]
    nvidia_library_version: Fact[str]
    libraries: Fact[Tuple[Library, ...]]


@dataclass(frozen=True)
class Cuda:
    """CUDA libraries that could be loaded, wherever they come from.

    ``toolchain``: what compiling for the GPU needs besides, ``ptxas`` and ``libdevice.10.bc``.
    """

    libraries: Fact[Tuple[Library, ...]]
    toolchain: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")


@dataclass(frozen=True)
class Rocm:
    """AMD's compute stack. ``gfx``: the targets of the GPUs (``gfx1030``) that its kernel driver lists."""

    kfd: Fact[DeviceNode]
    version: Fact[str]
    gfx: Fact[Tuple[str, ...]] = Fact.unknown("not asked")


@dataclass(frozen=True)
class DxAdapter:
    """A DirectX adapter as Windows describes it; ids are lower-case hexadecimal without prefix.

    ``feature_level`` is Direct3D 12's highest (0xC000 is 12_0), None where Windows has not asked the adapter yet.
    """

    name: str
    vendor_id: str
    device_id: str
    driver_version: str = ""
    memory_bytes: Optional[int] = None
    software: bool = False
    feature_level: Optional[int] = None


@dataclass(frozen=True)
class DirectMl:
    """DirectX 12 and DirectML."""

    dxg: Fact[DeviceNode]
    libraries: Fact[Tuple[Library, ...]]
    bundled: Fact[str]
    adapters: Fact[Tuple[DxAdapter, ...]]


@dataclass(frozen=True)
class Metal:
    """Apple's GPUs."""

    chip: Fact[str]
    rosetta: Fact[bool]
