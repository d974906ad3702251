"""What is known of a machine's accelerators: drivers, devices, and the libraries that frameworks open for them.

A part of `facts`, which is where everybody takes these names from.
"""

from dataclasses import dataclass
from typing import Optional, Tuple

from .fact import Fact

__all__ = [
    "AmdGpu", "Cuda", "DeviceNode", "DirectMl", "Driver", "DxAdapter", "Gpu", "GpuProcess", "Installation", "IntelGpu",
    "Library", "Metal",
    "MigDevice", "OneApi", "Opener", "PciDisplay", "Rocm", "Tpu", "Xid",
]  # fmt: skip


@dataclass(frozen=True)
class Library:
    """A native library that the loader would find. ``found_via`` names the search step that found it.

    ``target`` is the name of the file that a link leads to, which often says more of its version; "" for a file.
    ``version``: what the file's name, the package that it came with or its toolkit says; "" where nothing does.
    ``needs``: what it needs of its own kind (DT_NEEDED); ``folders`` and ``rpath``: where it tells the loader to look for
    that (DT_RUNPATH; without one, DT_RPATH); ``unsafe``: why nobody should load it unasked. These of CUDA's libraries only.
    """

    name: str
    path: str
    found_via: str
    target: str = ""
    version: str = ""
    needs: Tuple[str, ...] = ()
    folders: Tuple[str, ...] = ()
    rpath: Tuple[str, ...] = ()
    unsafe: str = ""


@dataclass(frozen=True)
class Opener:
    """A framework's library that opens others while it runs: the loader searches on its behalf.

    ``needs``, ``folders`` and ``rpath`` are as those of a `Library`; ``own``: the folders from which the framework loads by
    full path, before it leaves anything to the loader.
    """

    framework: str
    path: str
    folders: Tuple[str, ...]
    rpath: Tuple[str, ...] = ()
    needs: Tuple[str, ...] = ()
    own: Tuple[str, ...] = ()


@dataclass(frozen=True)
class PciDisplay:
    """A display or 3D controller on the PCI bus; ids are lower-case hexadecimal without prefix."""

    address: str
    vendor_id: str
    device_id: str
    driver: str


@dataclass(frozen=True)
class DeviceNode:
    """A device file and whether this user may open it for reading and writing.

    ``group``: the group that owns one that is not accessible, as its number where that has no name here.
    """

    path: str
    accessible: bool
    group: str = ""


@dataclass(frozen=True)
class GpuProcess:
    """A process that uses a GPU. ``kind``: compute, graphics, or mps (NVIDIA's service that shares a GPU)."""

    pid: int
    memory_bytes: Optional[int] = None
    kind: str = "compute"


@dataclass(frozen=True)
class MigDevice:
    """A slice of an NVIDIA GPU in MIG mode. ``profile``: ``1g.5gb``; the instances are NVIDIA's numbers."""

    uuid: str
    profile: str
    gpu_instance: Optional[int] = None
    compute_instance: Optional[int] = None
    memory_bytes: Optional[int] = None
    memory_free_bytes: Optional[int] = None


@dataclass(frozen=True)
class Xid:
    """An error that NVIDIA's driver wrote into the kernel's log, and how often. ``bus_id`` as in `Gpu`."""

    bus_id: str
    number: int
    count: int = 1


@dataclass(frozen=True)
class Gpu:
    """A GPU as its driver describes it.

    What follows ``compute_capability`` is NVIDIA's (NVML). ``ecc_errors``: uncorrectable ones since the driver was loaded,
    ``ecc_errors_total`` ever. ``memory_repair``: none, pending (at the next reset), failed. ``recovery``: what the driver
    says must be done first: none, reset, bus-reset, reboot, drain, drain-and-reset, recover-imex. ``processes``: without
    this one. ``problem``: why the driver cannot describe it, "" where it can.
    """

    vendor: str  # "nvidia", "amd", "intel", "apple", "qualcomm", "other"
    name: str
    index: int
    bus_id: str = ""
    uuid: str = ""
    memory_bytes: Fact[int] = Fact.unknown("not asked")
    compute_capability: Fact[str] = Fact.unknown("not asked")
    memory_free_bytes: Fact[int] = Fact.unknown("not asked")
    memory_used_bytes: Fact[int] = Fact.unknown("not asked")
    utilization_percent: Fact[int] = Fact.unknown("not asked")
    mig_enabled: Fact[bool] = Fact.unknown("not asked")
    mig_devices: Fact[Tuple[MigDevice, ...]] = Fact.unknown("not asked")
    ecc_errors: Fact[int] = Fact.unknown("not asked")
    ecc_errors_total: Fact[int] = Fact.unknown("not asked")
    memory_repair: Fact[str] = Fact.unknown("not asked")
    recovery: Fact[str] = Fact.unknown("not asked")
    persistence: Fact[bool] = Fact.unknown("not asked")
    compute_mode: Fact[str] = Fact.unknown("not asked")
    processes: Fact[Tuple[GpuProcess, ...]] = Fact.unknown("not asked")
    problem: str = ""


@dataclass(frozen=True)
class Driver:
    """Graphics hardware and its driver.

    ``nvml``: the version of NVIDIA's management library, which describes the GPUs; ``nvml_error`` is its number for why it
    did not start, ``nvml_silent`` says that it was asked and gave no answer. ``nvidia_version`` and ``cuda_version``: the
    driver's own, and the newest CUDA that it runs, as NVML says. ``xids``: since the machine's start.
    """

    displays: Fact[Tuple[PciDisplay, ...]]
    gpus: Fact[Tuple[Gpu, ...]]
    nodes: Tuple[DeviceNode, ...]
    nvidia_kernel_version: Fact[str]
    nvidia_library_version: Fact[str]
    libraries: Fact[Tuple[Library, ...]]
    nvml: Fact[str] = Fact.unknown("not asked")
    nvml_error: Fact[int] = Fact.absent(problem="not asked")
    nvml_silent: bool = False
    nvidia_version: Fact[str] = Fact.unknown("not asked")
    cuda_version: Fact[str] = Fact.unknown("not asked")
    xids: Fact[Tuple[Xid, ...]] = Fact.unknown("not asked")


@dataclass(frozen=True)
class Cuda:
    """CUDA libraries that could be loaded, wherever they come from.

    ``toolchain``: what compiling for the GPU needs besides, ``ptxas`` and ``libdevice.10.bc``.
    """

    libraries: Fact[Tuple[Library, ...]]
    toolchain: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    #: The folders of LD_LIBRARY_PATH as the loader read it when the process started; on Windows those of PATH.
    path: Tuple[str, ...] = ()
    #: Where the interpreter itself tells the loader to look (DT_RPATH, as conda's have it).
    rpath: Tuple[str, ...] = ()
    openers: Tuple[Opener, ...] = ()


@dataclass(frozen=True)
class AmdGpu:
    """An AMD GPU as its kernel's compute driver lists it, which is ROCm's own order.

    ``node``: its number in that list, which has processors as well. ``uuid``: as ROCm writes it (``GPU-`` and 16 digits),
    "" for a GPU without a serial number. ``pcie_atomics`` is None where its link to the processor says nothing of them.
    """

    name: str
    target: str  # "gfx1030"
    bus_id: str = ""
    uuid: str = ""
    render_node: str = ""
    memory_bytes: Optional[int] = None
    memory_used_bytes: Optional[int] = None
    compute_units: int = 0
    integrated: bool = False
    pcie_atomics: Optional[bool] = None
    node: int = 0

    @property
    def memory_free_bytes(self) -> Optional[int]:
        """What nobody used of the memory when it was read."""
        if self.memory_bytes is None or self.memory_used_bytes is None:
            return None
        return max(0, self.memory_bytes - self.memory_used_bytes)


@dataclass(frozen=True)
class Installation:
    """One of the places where a vendor's compute stack lies, and its version there, "" where nothing says it.

    ``found_via``: the variable that names it, "system", "pip", or "library" for what only a library's file shows.
    """

    version: str
    path: str
    found_via: str


@dataclass(frozen=True)
class Rocm:
    """AMD's compute stack.

    ``gfx``: the targets of the GPUs (``gfx1030``) that its kernel driver lists; ``withheld``: how many more it keeps from
    this container. ``module``: the kernel module amdgpu, its version where it was built by itself, else "in use".
    """

    kfd: Fact[DeviceNode]
    version: Fact[str]
    gfx: Fact[Tuple[str, ...]] = Fact.unknown("not asked")
    gpus: Fact[Tuple[AmdGpu, ...]] = Fact.unknown("not asked")
    withheld: int = 0
    module: Fact[str] = Fact.unknown("not asked")
    libraries: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    installations: Tuple[Installation, ...] = ()


@dataclass(frozen=True)
class IntelGpu:
    """An Intel GPU that has a render node. ``driver``: the kernel's, i915 or xe."""

    name: str
    bus_id: str
    device_id: str
    driver: str
    render_node: str
    integrated: bool = False


@dataclass(frozen=True)
class OneApi:
    """Intel's compute stack: the driver's user-space libraries (Level Zero, OpenCL) and the runtime of oneAPI.

    ``installations``: where oneAPI lies, whether the loader looks there or not; the newest first.
    """

    gpus: Fact[Tuple[IntelGpu, ...]] = Fact.unknown("not asked")
    libraries: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    installations: Tuple[Installation, ...] = ()


@dataclass(frozen=True)
class Tpu:
    """Google's TPUs. ``chips``: their generations; ``library``: the file libtpu.so that JAX would load."""

    chips: Fact[Tuple[str, ...]] = Fact.unknown("not asked")
    nodes: Tuple[DeviceNode, ...] = ()
    library: Fact[str] = Fact.unknown("not asked")


@dataclass(frozen=True)
class DxAdapter:
    """A DirectX adapter as Windows describes it; ids are lower-case hexadecimal without prefix.

    ``feature_level`` is Direct3D 12's highest (0xC000 is 12_0), None where Windows has not asked the adapter yet.
    ``compute_only``: it draws nothing; ``neural``: it is a neural processor. ``direct3d``: whether it has a Direct3D 12
    device of the level that TensorFlow asks for; ``directml``: whether DirectML then offers all that TensorFlow needs; None
    where that was not asked, and ``problem`` says what is missing.
    """

    name: str
    vendor_id: str
    device_id: str
    driver_version: str = ""
    memory_bytes: Optional[int] = None
    software: bool = False
    feature_level: Optional[int] = None
    compute_only: bool = False
    neural: bool = False
    direct3d: Optional[bool] = None
    directml: Optional[bool] = None
    problem: str = ""


@dataclass(frozen=True)
class DirectMl:
    """DirectX 12 and DirectML.

    ``ordered``: the adapters stand in the order in which DirectML builds number them. ``failure``: what DXCore or DXGI
    answered instead of a list. ``loads``: whether the DirectML library that TensorFlow would open can be opened.
    ``registered``: the adapters that Windows' registry has, where ``adapters`` are DirectX's own.
    """

    dxg: Fact[DeviceNode]
    libraries: Fact[Tuple[Library, ...]]
    bundled: Fact[str]
    adapters: Fact[Tuple[DxAdapter, ...]]
    ordered: bool = False
    failure: str = ""
    loads: Fact[bool] = Fact.unknown("not asked")
    registered: Tuple[DxAdapter, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether DirectX itself named the adapters, in contrast to the registry."""
        return self.adapters.known and self.adapters.source in ("DXGI", "DXCore") and not self.failure


@dataclass(frozen=True)
class Metal:
    """Apple's GPUs. ``memory_bytes``: of the whole machine, which processor and GPU share."""

    chip: Fact[str]
    rosetta: Fact[bool]
    gpu_cores: Fact[int] = Fact.unknown("not asked")
    memory_bytes: Fact[int] = Fact.unknown("not asked")
    macos: Fact[str] = Fact.unknown("not asked")
