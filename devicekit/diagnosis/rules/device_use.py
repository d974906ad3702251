"""NVIDIA GPUs that another program holds or has filled, and what hides every GPU from a framework. Pure."""

from typing import FrozenSet, Iterable, List, Sequence, Tuple

from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .adapter_findings import hiding_variable
from .cuda_order import CudaDevice, cuda_view, hidden_from_cuda, without_slices
from .driver_health import HIDDEN_BY, cuda_in_use, label, place
from .jax_plugins import jax_hidden
from .oneapi import intel_hidden
from .registry import rule
from .rocm import amd_closed_bridge, amd_hidden, amd_refused_target


@rule("device-hidden")
def device_hidden(view: View) -> Iterable[Finding]:
    """An environment variable hides every GPU."""
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES")
    if value is not None and cuda_in_use(view) and view.vendor("nvidia") and hidden_from_cuda(view):
        yield _hidden(view, "CUDA_VISIBLE_DEVICES", value, "cuda")
    for platform, (name, value) in (("rocm", amd_hidden(view)), ("xpu", intel_hidden(view))):
        if name:
            yield _hidden(view, name, value, platform)
    yield from amd_closed_bridge(view)
    yield from amd_refused_target(view)
    if cuda_in_use(view) and without_slices(view):
        yield _without_slices(view)
    yield from jax_hidden(view)
    yield from hiding_variable(view)


def _without_slices(view: View) -> Finding:
    gpu = without_slices(view)[0]
    place = gpu.bus_id or str(gpu.index)
    return Kind("device-hidden", "warning", ("cuda",), pages.MIG).finding(
        "%s is in MIG mode without slices, so no program can use it." % gpu.name,
        (Evidence("MIG mode, no slices", gpu.mig_devices.source),),
        (
            view.shell.root_fix(
                "List the possible sizes of slices", "nvidia-smi", "mig", "-i", place, "-lgip", changes=""
            ),
            Fix(
                "Create a slice: sudo nvidia-smi mig -i %s -cgi PROFILE -C, with the number of one of them" % place,
                who="admin",
                changes="system",
            ),
            view.shell.root_fix("Turn MIG mode off", "nvidia-smi", "-i", place, "-mig", "0", instead=True),
        ),
    )


def _hidden(view: View, name: str, value: str, platform: str) -> Finding:
    deliberate = value.strip() in ("", "-1", "none", "None", "NoDevFiles")
    blocks = (platform,)
    severity = "info" if deliberate else "warning"
    return Kind("device-hidden", severity, blocks, pages.CUDA_GUIDE if platform == "cuda" else "").finding(
        "%s is set to '%s', which hides every GPU." % (name, value[:60]),
        (Evidence("%s=%s" % (name, value[:60]), "environment"),),
        (view.shell.unset_fix(name),),
    )


#: With less free memory than this part of all, a framework can start, and train nothing of size.
NEARLY_FULL = 0.05


@rule("device-busy", hidden_by=(*HIDDEN_BY, "device-hidden"))
def device_busy(view: View) -> Iterable[Finding]:
    """A GPU that takes one process at a time and has one, or takes none."""
    if not cuda_in_use(view) or not view.machine.driver.gpus.value:
        return
    for number, device in enumerate(cuda_view(view).devices):
        gpu = device.gpu
        mode = gpu.compute_mode.or_none() or "default"
        holders = [item for item in gpu.processes.or_none() or () if item.kind == "compute"]
        shared = any(item.kind == "mps" for item in gpu.processes.or_none() or ())
        if not (mode == "prohibited" or (mode.startswith("exclusive") and holders and not shared)):
            continue
        evidence = [Evidence("compute mode: %s" % mode, gpu.compute_mode.source)]
        evidence += [Evidence("process %d" % item.pid, gpu.processes.source) for item in holders[:3]]
        if mode == "prohibited":
            summary = "%s refuses all compute programs (compute mode prohibited)." % label(gpu)
        else:
            summary = "%s allows one process at a time, and process %d is using it." % (label(gpu), holders[0].pid)
        yield Kind("device-busy", "warning", ("gpu:%d" % number,), pages.MPS).finding(
            summary,
            tuple(evidence),
            _frees(view, [item.pid for item in holders])
            + (
                view.shell.root_fix(
                    "Allow several processes on the GPU, if the mode is not intended",
                    "nvidia-smi",
                    "-i",
                    place(gpu),
                    "-c",
                    "DEFAULT",
                    instead=bool(holders),
                ),
            ),
        )


def _frees(view: View, pids: Sequence[int]) -> Tuple[Fix, ...]:
    """Ways to end the processes that hold a GPU."""
    if not pids:
        return ()
    text = "End the program if it is yours; a notebook holds the GPU until you shut it down"
    return (view.shell.end_processes_fix(text, pids[:8]),)


def _filled(view: View) -> List[Tuple[int, CudaDevice]]:
    """The devices on which others have left next to no memory, by number."""
    found = []
    for number, device in enumerate(cuda_view(view).devices):
        total, free = device.memory_bytes, device.memory_free_bytes
        if not total or free is None or free >= NEARLY_FULL * total:
            continue
        others = sum(item.memory_bytes or 0 for item in device.gpu.processes.or_none() or ())
        # In a container other programs are not listed; this program may then be the one that fills it.
        if 2 * others >= total or not view.machine.process.modules:
            found.append((number, device))
    return found


@rule("out-of-memory", hidden_by=(*HIDDEN_BY, "device-hidden"))
def out_of_memory(view: View) -> Iterable[Finding]:
    """Other programs have left next to no memory on a GPU."""
    if not cuda_in_use(view) or not view.machine.driver.gpus.value:
        return
    for number, device in _filled(view):
        gpu = device.gpu
        total, free = device.memory_bytes or 0, device.memory_free_bytes or 0
        listed = sorted(gpu.processes.or_none() or (), key=lambda item: -(item.memory_bytes or 0))[:3]
        by = "process %d" % listed[0].pid if listed else "a program that is not visible from here"
        text = "%.1f of %.1f GiB are free" % (free / (1 << 30), total / (1 << 30))
        evidence = [Evidence(text, gpu.memory_free_bytes.source)]
        for item in listed:
            size = "" if item.memory_bytes is None else ", %.1f GiB" % (item.memory_bytes / (1 << 30))
            evidence.append(Evidence("process %d%s" % (item.pid, size), gpu.processes.source))
        ends = _frees(view, [item.pid for item in listed if item.kind == "compute"])
        yield Kind("out-of-memory", "warning").finding(
            "The memory of gpu:%d, %s, is almost full, used mostly by %s: %s." % (number, label(gpu), by, text),
            tuple(evidence),
            (*ends, Fix("Use another GPU or the CPU until that program ends", changes="code", instead=bool(ends))),
        )


def devices_in_doubt(view: View) -> FrozenSet[str]:
    """Return the devices, as ``gpu:N``, that may have too little left for a framework to start."""
    return frozenset("gpu:%d" % number for number, _ in _filled(view))
