"""Which NVIDIA GPUs a CUDA program sees, and how it counts them. Pure.

Sources: CUDA C++ Programming Guide, "CUDA Environment Variables" (numbers, UUIDs and their beginnings, the stop at the
first bad entry, FASTEST_FIRST); MIG User Guide, "CUDA Device Enumeration" (slices); ``torch/cuda/__init__.py``, whose
reading of the variable was made to agree with the driver's (numbers as ``strtoul`` reads them, repeated entries, mixed
kinds).
"""

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...machine.facts import Fact, Gpu, Machine, MigDevice
from ...matrix.gpu_names import capability_of
from ...matrix.gpu_support import capability_number
from ..view import View

#: From this driver on one program sees one slice of each GPU instance, and whole GPUs next to them (MIG User Guide).
_SEVERAL_SLICES = 570


#: Said of a slice, where others are there.
_ONE_SLICE = "with this driver a program sees one slice (select it with CUDA_VISIBLE_DEVICES=MIG-...) and no whole GPU"


class CudaDevice(NamedTuple):
    """A GPU, or a slice of one in MIG mode, as a CUDA program sees it."""

    gpu: Gpu
    slice: Optional[MigDevice] = None

    @property
    def name(self) -> str:
        """The product's name, with the profile of a slice."""
        return "%s MIG %s" % (self.gpu.name, self.slice.profile) if self.slice is not None else self.gpu.name

    @property
    def uuid(self) -> str:
        """NVIDIA's identifier, "" if it is not known."""
        return self.slice.uuid if self.slice is not None else self.gpu.uuid

    @property
    def memory_bytes(self) -> Optional[int]:
        """All memory, None if it is not known."""
        return self.slice.memory_bytes if self.slice is not None else self.gpu.memory_bytes.or_none()

    @property
    def memory_free_bytes(self) -> Optional[int]:
        """What is free of it."""
        return self.slice.memory_free_bytes if self.slice is not None else self.gpu.memory_free_bytes.or_none()

    @property
    def memory_used_bytes(self) -> Optional[int]:
        """What all programs together use of it."""
        if self.slice is None:
            return self.gpu.memory_used_bytes.or_none()
        if self.slice.memory_bytes is None or self.slice.memory_free_bytes is None:
            return None
        return max(0, self.slice.memory_bytes - self.slice.memory_free_bytes)

    @property
    def utilization_percent(self) -> Optional[int]:
        """How busy it is; of a slice the driver does not tell it."""
        return self.gpu.utilization_percent.or_none() if self.slice is None else None


class CudaView(NamedTuple):
    """What a CUDA program sees.

    Attributes
    ----------
    devices : tuple of CudaDevice
        In CUDA's order: the first one is ``gpu:0``.
    remark : str
        Why it may be otherwise, or what of a GPU in MIG mode is left out; "" if nothing is to be said.
    restricted : bool
        Whether CUDA_VISIBLE_DEVICES leaves some out, or none in.
    """

    devices: Tuple[CudaDevice, ...]
    remark: str = ""
    restricted: bool = False


def cuda_view(view: View) -> CudaView:
    """Return what a CUDA program on this machine sees.

    Raises
    ------
    UnknownFactError
        If the machine's GPUs could not be listed.
    """
    machine = view.machine
    gpus = _all(view)
    ordered, doubt = _counted(gpus, view)
    value = machine.process.env("CUDA_VISIBLE_DEVICES")
    if value is None:
        seen = _at_once(ordered, machine)
        return CudaView(tuple(seen), doubt if len(seen) == len(ordered) else _ONE_SLICE)
    chosen, reason = _chosen(value, ordered, gpus, machine)
    # Where every entry is an identifier, the order is the user's own.
    by_identifier = value.strip().startswith(("GPU-", "MIG-"))
    return CudaView(tuple(chosen), reason or ("" if by_identifier or len(chosen) < 1 else doubt), True)


def _all(view: View) -> List[Gpu]:
    gpus = [gpu for gpu in view.machine.driver.gpus.or_none() or () if gpu.vendor == "nvidia"]
    # Without a driver that describes them, they are known from the bus, or from Windows.
    return gpus or [_undescribed(item.name, index) for index, item in enumerate(view.vendor("nvidia"))]


def _major(machine: Machine) -> Optional[int]:
    driver = machine.driver
    version = driver.nvidia_version.or_none() or driver.nvidia_kernel_version.or_none() or ""
    match = re.match(r"\d+", version)
    return int(match.group()) if match else None


def _slices(gpu: Gpu) -> List[MigDevice]:
    """The slices of a GPU that one program can see: of several compute instances in one GPU instance, the first."""
    found: List[MigDevice] = []
    taken = set()
    for item in gpu.mig_devices.or_none() or ():
        if item.gpu_instance is None or item.gpu_instance not in taken:
            found.append(item)
        taken.add(item.gpu_instance)
    return found


def _counted(gpus: Sequence[Gpu], view: View) -> Tuple[List[CudaDevice], str]:
    """All devices in the order in which CUDA counts them, and why that may be otherwise.

    GPUs that the driver has lost are not counted. NVML's own order is that of the PCI bus; CUDA's is "fastest first, by a
    simple heuristic" unless CUDA_DEVICE_ORDER says PCI_BUS_ID: no document says more of it.
    """
    healthy = [gpu for gpu in gpus if not gpu.problem]
    doubt = ""
    if view.machine.process.env("CUDA_DEVICE_ORDER") != "PCI_BUS_ID" and len({_kind(gpu) for gpu in healthy}) > 1:
        healthy.sort(key=lambda gpu: _speed(gpu, view))
        doubt = "CUDA numbers GPUs fastest first; nvidia-smi may differ. CUDA_DEVICE_ORDER=PCI_BUS_ID makes them agree."
    found: List[CudaDevice] = []
    for gpu in healthy:
        if gpu.mig_enabled.or_none() and gpu.mig_devices.known:
            found += [CudaDevice(gpu, item) for item in _slices(gpu)]
        else:
            found.append(CudaDevice(gpu))
    return found, doubt


def _kind(gpu: Gpu) -> Tuple[str, Optional[int]]:
    return gpu.name, gpu.memory_bytes.or_none()


def _speed(gpu: Gpu, view: View) -> Tuple[int, int, int]:
    """A guess at how fast a GPU is: newer ones first, then those with more memory; equal ones in bus order."""
    capability = gpu.compute_capability.or_none() or capability_of(gpu.name, view.matrix) or "0.0"
    major, minor = capability_number(capability)
    return -100 * major - minor, -(gpu.memory_bytes.or_none() or 0), gpu.index


def _at_once(devices: Sequence[CudaDevice], machine: Machine) -> List[CudaDevice]:
    """What of these one program can use: before driver 570 a single slice, and then no whole GPU."""
    major = _major(machine)
    first = next((item for item in devices if item.slice is not None), None)
    if first is None or (major is not None and major >= _SEVERAL_SLICES):
        return list(devices)
    return [first]


def parse_number(text: str) -> int:
    """Return the number that an entry begins with, as the C function strtoul reads it; -1 if there is none.

    >>> parse_number(" 1gpu"), parse_number("-1"), parse_number("gpu"), parse_number("+2")
    (1, -1, -1, 2)
    """
    match = re.match(r"\s*([+-]?\d{1,9})(?!\d)", text)
    return int(match.group(1)) if match else -1


def parse_visible(value: str) -> "Tuple[Tuple[str, ...], Tuple[int, ...]]":
    """Return the entries of CUDA_VISIBLE_DEVICES that count: identifiers, or numbers; of a repeated one nothing counts.

    >>> parse_visible("2,0,-1,1")
    ((), (2, 0))
    >>> parse_visible("GPU-8932f937,GPU-1,0")
    (('GPU-8932f937', 'GPU-1'), ())
    >>> parse_visible("0,0"), parse_visible("")
    (((), ()), ((), ()))
    """
    entries = value.split(",")
    for prefix in ("GPU-", "MIG-"):
        if value.strip().startswith(prefix):
            names: List[str] = []
            for entry in entries:
                if not entry.strip().startswith(prefix):
                    break
                if entry.strip() in names:
                    return (), ()
                names.append(entry.strip())
            return tuple(names), ()
    numbers: List[int] = []
    for entry in entries:
        number = parse_number(entry)
        if number in numbers:
            return (), ()
        if number < 0:
            break
        numbers.append(number)
    return (), tuple(numbers)


def _chosen(
    value: str, ordered: Sequence[CudaDevice], gpus: Sequence[Gpu], machine: Machine
) -> Tuple[List[CudaDevice], str]:
    """The devices that CUDA_VISIBLE_DEVICES leaves, in its order, and why that may be otherwise."""
    names, numbers = parse_visible(value)
    mig = any(item.slice is not None for item in ordered)
    found: List[CudaDevice] = []
    if numbers:
        # A number means a whole GPU, or the first slice of one that has several.
        counted = [
            item for index, item in enumerate(ordered) if item.gpu not in [other.gpu for other in ordered[:index]]
        ]
        for number in numbers:
            if number >= len(counted):
                break
            found.append(counted[number])
        return _at_once(found, machine), "numbers in CUDA_VISIBLE_DEVICES, and GPUs in MIG mode" if mig else ""
    for name in names:
        if name.startswith("GPU-") and not any(gpu.uuid for gpu in gpus):
            return list(ordered)[: len(names)], "the identifiers of the GPUs are unknown"
        if name.startswith("MIG-") and _unnamed(ordered, gpus):
            return list(ordered)[:1], "the identifiers of the slices are unknown"
        matches = _named(name, ordered, gpus)
        if len(matches) != 1:  # nothing of that name, or more than one: the list ends here
            break
        if matches[0] in found:
            return [], ""
        found.append(matches[0])
    kept: List[CudaDevice] = []
    for item in found:  # of several slices in one GPU instance CUDA takes one
        instances = [(other.gpu, other.slice.gpu_instance) for other in kept if other.slice is not None]
        if item.slice is None or (item.gpu, item.slice.gpu_instance) not in instances:
            kept.append(item)
    return _at_once(kept, machine), ""


def _unnamed(ordered: Sequence[CudaDevice], gpus: Sequence[Gpu]) -> bool:
    """Whether there are, or may be, slices whose identifiers are unknown."""
    if not all(gpu.mig_enabled.known and (gpu.mig_devices.known or not gpu.mig_enabled.content) for gpu in gpus):
        return True
    slices = [item for item in ordered if item.slice is not None]
    return bool(slices) and not any(item.uuid for item in slices)


def _named(name: str, ordered: Sequence[CudaDevice], gpus: Sequence[Gpu]) -> List[CudaDevice]:
    """The devices that an identifier, or its beginning, stands for."""
    old = re.match(r"MIG-(GPU-[0-9A-Fa-f-]+)/(\d+)/(\d+)$", name)
    slices = [CudaDevice(gpu, item) for gpu in gpus for item in gpu.mig_devices.or_none() or ()]
    if old is not None:  # as drivers before 470 name a slice
        numbers = (int(old.group(2)), int(old.group(3)))
        return [
            item
            for item in slices
            if item.gpu.uuid == old.group(1)
            and item.slice is not None
            and (item.slice.gpu_instance, item.slice.compute_instance) == numbers
        ]
    if name.startswith("MIG-"):
        return [item for item in slices if item.uuid.startswith(name)]
    of_gpu = [item for item in ordered if item.gpu.uuid.startswith(name)]
    # A GPU in MIG mode stands for its first slice.
    return of_gpu[:1] if len({item.gpu for item in of_gpu}) == 1 else of_gpu


def _numbering(view: View) -> str:
    """What the numbers of several GPUs count; see `devicekit.diagnosis.findings.Candidate`."""
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES")
    if value is not None and ("," in value or value.strip().startswith(("GPU-", "MIG-"))):
        return "variable"
    return "pci-bus" if view.machine.process.env("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" else "fastest-first"


def cuda_accelerators(view: View) -> List[Accelerator]:
    """Return what a CUDA program sees, for the candidates; GPUs that the driver has lost come last."""
    seen = cuda_view(view)
    source = view.machine.driver.gpus.source
    numbering = _numbering(view) if len(seen.devices) > 1 else ""
    found = [
        Accelerator(
            "nvidia",
            item.name,
            item.memory_bytes,
            source,
            item.memory_free_bytes,
            item.uuid,
            item.gpu.compute_capability.or_none() or "",
            seen.remark,
            item.memory_used_bytes,
            item.utilization_percent,
            item.gpu.bus_id or (item.gpu.uuid if item.slice is not None else ""),
            numbering,
        )
        for item in seen.devices
    ]
    if not seen.restricted:
        found += [item for item in view.vendor("nvidia") if item.remark]
    return found


def hidden_from_cuda(view: View) -> bool:
    """Return whether CUDA_VISIBLE_DEVICES hides GPUs that a CUDA program would see without it, and leaves none.

    Raises
    ------
    UnknownFactError
        If it has identifiers, and those of the GPUs or slices are not known.
    """
    gpus = _all(view)
    ordered, _ = _counted(gpus, view)
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES") or ""
    if parse_visible(value)[0]:
        view.machine.driver.gpus.value  # noqa: B018 - this raises where the driver's list could not be read
    return bool(ordered) and not cuda_view(view).devices


def without_slices(view: View) -> List[Gpu]:
    """Return the GPUs in MIG mode without slices, where a CUDA program sees nothing else either.

    Raises
    ------
    UnknownFactError
        If the driver's list could not be read, or the slices of one in it.
    """
    gpus = [gpu for gpu in view.machine.driver.gpus.value or () if gpu.vendor == "nvidia"]
    found = [gpu for gpu in gpus if gpu.mig_enabled.or_none() and not gpu.problem]
    empty = [gpu for gpu in found if not gpu.mig_devices.value]
    return empty if len(empty) == len(gpus) else []


def _undescribed(name: str, index: int) -> Gpu:
    return Gpu("nvidia", name, index, mig_enabled=Fact.unknown("no driver reports it"))
