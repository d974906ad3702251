"""Which of AMD's GPUs a program sees, and in which order. Pure."""

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...machine.facts import AmdGpu, Machine, Process
from ...matrix.tables import RocmRow
from ..view import View
from .frameworks import uses

#: What ROCm reads, the first by its runtime, of the others HIP the first that is not empty.
VARIABLES = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


class Visible(NamedTuple):
    """The numbers of the GPUs that are left, in their new order; and the variable that left none, "" if some are."""

    indices: Tuple[int, ...]
    hidden_by: str = ""


def visible_gpus(gpus: Sequence[AmdGpu], process: Process) -> Visible:
    """Return what ROCm's variables leave of the GPUs, in the order in which a framework numbers them.

    ROCR_VISIBLE_DEVICES is applied first, by ROCm's runtime. Of what is left HIP takes what HIP_VISIBLE_DEVICES says, or
    CUDA_VISIBLE_DEVICES where the former is not set or empty. GPU_DEVICE_ORDINAL is OpenCL's alone.

    Sources: ROCR-Runtime, runtime/hsa-runtime/core/runtime/amd_filter_device.cpp; clr, rocclr/device/rocm/rocdevice.cpp.
    """
    left = tuple(range(len(gpus)))
    value = process.env("ROCR_VISIBLE_DEVICES")
    if value is not None:  # set but empty leaves none
        left = _by_runtime(gpus, value)
        if gpus and not left:
            return Visible((), "ROCR_VISIBLE_DEVICES")
    for name in VARIABLES[1:]:
        value = process.env(name)
        if value:  # set but empty counts as not set
            # What the runtime tells HIP of a GPU without a serial number.
            chosen = _by_hip([gpus[index].uuid or "GPU-XX" for index in left], value)
            if left and not chosen:
                return Visible((), name)
            return Visible(tuple(left[index] for index in chosen))
    return Visible(left)


def number_in_hip(machine: Machine, bus_id: str) -> str:
    """Return what HIP_VISIBLE_DEVICES calls the GPU at an address, "" if there is none: HIP counts what ROCR's leaves."""
    gpus = machine.rocm.gpus.or_none() or ()
    value = machine.process.env("ROCR_VISIBLE_DEVICES")
    left = tuple(range(len(gpus))) if value is None else _by_runtime(gpus, value)
    return next((str(number) for number, index in enumerate(left) if bus_id and gpus[index].bus_id == bus_id), "")


#: What C's strtol takes for a whole number of any base, in the upper case that the runtime makes of it.
_NUMBER = re.compile(r"([+-]?)(0X[0-9A-F]+|0[0-7]*|[1-9][0-9]*)$")


def _by_runtime(gpus: Sequence[AmdGpu], value: str) -> Tuple[int, ...]:
    """What ROCR_VISIBLE_DEVICES leaves: numbers, or the beginning of a UUID, up to the first that is wrong or repeated."""
    chosen: List[int] = []
    for part in value.split(",")[: len(gpus)]:
        token = part.strip().upper()
        index = -1
        if token.startswith("G"):
            matching = [n for n, gpu in enumerate(gpus) if gpu.uuid.upper().startswith(token)]
            if 5 <= len(token) <= 20 and len(matching) == 1:
                index = matching[0]
        else:
            match = _NUMBER.match(token)
            if match is not None and len(token) < 20:
                digits = match.group(2)
                base = 16 if digits.startswith("0X") else 8 if digits.startswith("0") else 10
                index = -1 if match.group(1) == "-" and digits != "0" else int(digits, base)
        if not 0 <= index < len(gpus) or index in chosen:
            break
        chosen.append(index)
    return tuple(chosen)


def _by_hip(uuids: Sequence[str], value: str) -> Tuple[int, ...]:
    """What HIP_VISIBLE_DEVICES leaves: plain numbers or UUIDs up to the first that is wrong; a repeated one counts once."""
    chosen: List[int] = []
    for number, part in enumerate(value.split(",")):
        if not part and number == len(value.split(",")) - 1:
            break
        index = -1
        if "GPU-" in part:
            index = next((n for n, uuid in enumerate(uuids) if part in uuid), -1)
        elif re.match(r"(0|[1-9]\d{0,8})$", part):
            index = int(part)
        if not 0 <= index < len(uuids):
            break
        if index not in chosen:
            chosen.append(index)
    return tuple(chosen)


def target_of(gpu: AmdGpu, process: Process) -> Optional[str]:
    """Return the target as which ROCm treats a GPU; None if a variable names one that ROCm refuses.

    ``HSA_OVERRIDE_GFX_VERSION_1`` is for the first node behind the first processor, ``HSA_OVERRIDE_GFX_VERSION`` for all of
    them: 10.3.0 is gfx1030, 9.0.10 is gfx90a (libhsakmt/src/topology.c).
    """
    version = process.env("HSA_OVERRIDE_GFX_VERSION_%d" % gpu.node) or process.env("HSA_OVERRIDE_GFX_VERSION")
    if not version:
        return gpu.target
    match = re.match(r"\s*(\d{1,3})\.\s*(\d{1,3})\.\s*(\d{1,3})$", version)
    if match is None:
        return None
    numbers = tuple(int(part) for part in match.groups())
    return "gfx%d%x%x" % numbers if numbers[0] < 64 and max(numbers) < 256 else None


def rocm_row(view: View) -> Optional[RocmRow]:
    """Return what the installed tensorflow-rocm was built for, None if there is none or that is not known."""
    owner = view.tensorflow
    if owner is None or not view.uses_rocm:
        return None
    return view.matrix.rocm(owner.version.or_none() or "")


#: TensorFlow leaves out GPUs with fewer, where another one has as many (TF_MIN_GPU_MULTIPROCESSOR_COUNT's default).
_LEAST_UNITS = 8


def left_out(view: View, indices: Sequence[int]) -> Tuple[Tuple[int, str], ...]:
    """Return which of these GPUs TensorFlow leaves out, and why. Nothing where its list of targets is not known."""
    gpus, row = view.machine.rocm.gpus.or_none() or (), rocm_row(view)
    if row is None or not row.gfx:
        return ()
    found = []
    most = max([gpus[index].compute_units for index in indices] or [0])
    for index in indices:
        gpu = gpus[index]
        target = target_of(gpu, view.machine.process)
        if target is not None and target not in row.gfx:
            found.append((index, "it has no code for %s" % target))
        elif 0 < gpu.compute_units < _LEAST_UNITS <= most:
            found.append((index, "it has %d compute units, and another GPU has %d" % (gpu.compute_units, most)))
    return tuple(found)


def amd_first(view: View, accelerators: Sequence[Accelerator], framework: str) -> List[Accelerator]:
    """Return the accelerators in the order of a framework that is built for ROCm: AMD's first, as its variables say.

    What the framework leaves out comes behind what it uses, and what ROCm itself does not list behind that. Where the
    variables leave none, all stay in the driver's order.
    """
    if not uses(view, framework, "rocm"):
        return list(accelerators)
    gpus = view.machine.rocm.gpus.or_none() or ()
    amd = [item for item in accelerators if item.vendor == "amd"]
    others = [item for item in accelerators if item.vendor != "amd"]
    # What the driver keeps from this container is on the bus, and no program here can use it.
    listed, unlisted = amd[: len(gpus)], amd[len(gpus) + view.machine.rocm.withheld :]
    indices = visible_gpus(gpus, view.machine.process).indices
    if indices:
        ignored = [index for index, _ in left_out(view, indices)] if framework == "tensorflow" else []
        ordered = sorted(indices, key=lambda index: index in ignored)
        listed = [listed[index] for index in ordered if index < len(listed)]  # of a machine file, words can disagree
    return listed + unlisted + others
