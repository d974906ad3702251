"""Variables that leave a child process nothing but what was leased for it, within what the user's own leave. Pure.

Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; ROCm, "GPU isolation techniques" (HIP_VISIBLE_DEVICES counts
what ROCR_VISIBLE_DEVICES leaves); Level Zero, "Environment Variables" (ZE_AFFINITY_MASK); the DirectML plug-in's sources
(DML_VISIBLE_DEVICES).
"""

from typing import Dict, List, Sequence, Tuple

from ...diagnosis.findings import Candidate
from ...diagnosis.rules.cuda_order import parse_visible
from ...diagnosis.rules.rocm_devices import number_in_hip
from ...machine.facts import Machine, Process
from ...selection.plan import number_of


def visible(machine: Machine, devices: Sequence[Candidate]) -> Tuple[Dict[str, str], str]:
    """Return the variables that make only these devices of one platform visible, and why there are none, "" if there are."""
    platform = devices[0].platform if devices else ""
    process = machine.process
    if platform == "cuda":
        return {"CUDA_VISIBLE_DEVICES": ",".join(_cuda(process, devices))}, ""
    if platform == "rocm":
        named = [item.uuid or number_in_hip(machine, item.location) for item in devices]
        if all(named):
            return {"HIP_VISIBLE_DEVICES": ",".join(named)}, ""
        return {}, "the order in which ROCm numbers %s is unknown" % ", ".join(item.device for item in devices)
    if platform == "xpu":
        mask = [entry.strip() for entry in (process.env("ZE_AFFINITY_MASK") or "").split(",") if entry.strip()]
        return {"ZE_AFFINITY_MASK": ",".join(_entry(mask, number_of(item)) for item in devices)}, ""
    if platform == "directml" and all(item.location.startswith("adapter ") for item in devices):
        return {"DML_VISIBLE_DEVICES": ",".join(item.location[len("adapter ") :] for item in devices)}, ""
    return {}, "no variable restricts a process to one device of the platform %s" % (platform or "of these devices")


def _cuda(process: Process, devices: Sequence[Candidate]) -> List[str]:
    """Identifiers; where they are not all known, numbers as the user's own variable has them: both kinds do not mix."""
    if all(item.uuid for item in devices):
        return [item.uuid for item in devices]
    value = process.env("CUDA_VISIBLE_DEVICES")
    if value is None:
        return [str(number_of(item)) for item in devices]
    names, numbers = parse_visible(value)
    entries = list(names) or [str(number) for number in numbers]
    return [_entry(entries, number_of(item)) for item in devices]


def _entry(entries: Sequence[str], number: int) -> str:
    return entries[number] if number < len(entries) else str(number)
