"""NVIDIA's driver as it answers: what it refuses, GPUs that it has lost or that wait for a reset, errors that it reported.

Sources: NVML's return codes and recovery actions (``nvml.h``); NVIDIA's catalog of Xid errors
(docs.nvidia.com/deploy/xid-errors); "NVIDIA GPU Memory Error Management" for remapped rows and retired pages.
"""

from typing import Dict, Iterable, List, NamedTuple, Sequence, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Gpu
from ...machine.vendors import NVIDIA
from .. import pages
from ..findings import Evidence, Finding, Fix, LazyFixes
from ..view import View
from .cuda_order import cuda_view
from .driver_installs import load_module
from .frameworks import users
from .registry import rule

#: Where one of these fired, what NVML says is a symptom of it.
HIDDEN_BY = (
    *("driver-missing", "driver-shadowed", "driver-mismatch", "wsl-without-gpu", "container-without-gpu"),
    "device-permission-denied",
)

#: Xid errors of the hardware or the driver: the GPU needs a reset, or more.
FATAL_XIDS = {
    48: "its memory had an error that could not be corrected",
    62: "its internal processor stopped",
    64: "a damaged part of its memory could not be taken out of use",
    74: "its NVLink failed",
    79: "it has fallen off the bus",
    95: "its memory had an error that could not be contained",
    119: "its system processor (GSP) did not answer",
    120: "its system processor (GSP) failed",
    140: "its memory had errors that it could not recover from",
}

#: Xid errors that a program causes, or that end with the program.
HARMLESS_XIDS = {
    13: "a program made the GPU fail (graphics engine exception)",
    31: "a program read or wrote memory of the GPU that was not its own",
    43: "a program's work was stopped",
    45: "a program's work was cleared away after an error",
    63: "a damaged part of its memory was taken out of use",
    94: "its memory had an error, which ended one program",
}

#: Recovery actions after which the GPU can be used again, and whether it can be used before.
_RECOVERY = {
    "reset": ("must be reset", "nvidia-smi --gpu-reset -i %s", False),
    "bus-reset": ("must be reset together with its bus", "reboot", False),
    "reboot": ("needs a restart of the machine", "reboot", False),
    "drain-and-reset": ("must be reset", "nvidia-smi --gpu-reset -i %s", False),
    "drain": ("should not run work on several GPUs", "", True),
    "recover-imex": ("needs its IMEX domain to be recovered", "", True),
}


class Trouble(NamedTuple):
    """Something that is wrong with the driver or a GPU. ``doubt``: whether it makes uncertain that GPUs work at all."""

    severity: str
    summary: str
    evidence: Tuple[Evidence, ...]
    fix: Sequence[Fix] = ()
    blocks: Tuple[str, ...] = ()
    doubt: bool = False
    url: str = pages.NVML


def cuda_in_use(view: View) -> bool:
    """Return whether any installed framework was built for NVIDIA GPUs."""
    return bool(users(view, NVIDIA.platform))


def number_of(view: View, gpu: Gpu) -> str:
    """Return what a framework calls a GPU, ``gpu:N``; one that it does not see comes after all that it sees."""
    devices = cuda_view(view).devices
    for number, device in enumerate(devices):
        if device.gpu == gpu:
            return "gpu:%d" % number
    lost = [item for item in view.machine.driver.gpus.or_none() or () if item.problem]
    return "gpu:%d" % (len(devices) + (lost.index(gpu) if gpu in lost else len(lost)))


def label(gpu: Gpu) -> str:
    """Return what a person calls a GPU: its product and its place."""
    return "%s (%s)" % (gpu.name, gpu.bus_id or "GPU %d" % gpu.index)


def _gpus(view: View) -> List[Gpu]:
    """The GPUs that the driver describes, or once did.

    Raises
    ------
    UnknownFactError
        If the list could not be read.
    """
    return [gpu for gpu in view.machine.driver.gpus.value or () if gpu.vendor == "nvidia"]


def _troubles(view: View) -> List[Trouble]:
    """All that is wrong, the worst first."""
    found: List[Trouble] = []
    for make in (_not_loaded, _silent, _refusing, _lost, _waiting, _worn, _logged):
        found += make(view)
    order = ("warning", "info")
    return sorted(found, key=lambda item: order.index(item.severity))


def _not_loaded(view: View) -> Iterable[Trouble]:
    """The kernel module is not loaded, or the node for computing is missing.

    CUDA's start may load and make them itself, where the set-user-id helper nvidia-modprobe is installed: so this blocks
    nothing, and a trial decides.
    """
    driver = view.machine.driver
    if view.wsl or view.machine.native.system != "linux" or not view.vendor("nvidia"):
        return
    nodes = {item.path for item in driver.nodes}
    if driver.nvidia_kernel_version.value is None:
        yield Trouble(
            "info",
            "The NVIDIA driver is installed, but its kernel module is not loaded.",
            (Evidence("not there", driver.nvidia_kernel_version.source),),
            LazyFixes(lambda: (*load_module(view), *_older_branch(view))),
            doubt=True,
        )
    elif "/dev/nvidiactl" in nodes and "/dev/nvidia-uvm" not in nodes:
        yield Trouble(
            "info",
            "The kernel module nvidia-uvm, which CUDA needs, is not loaded (/dev/nvidia-uvm is missing).",
            (Evidence("nodes: %s" % ", ".join(sorted(nodes)), "/dev"),),
            (
                view.shell.root_fix("Load it", "nvidia-modprobe", "-u", "-c=0"),
                view.shell.root_fix("Load it without that program", "modprobe", "nvidia-uvm", instead=True),
            ),
            doubt=True,
        )


def _older_branch(view: View) -> Iterable[Fix]:
    """Of a GPU without a driver only its number on the bus is known: say which ones this driver does not load for."""
    version = view.machine.driver.nvidia_library_version.or_none() or ""
    dropped = {row.last_driver: "" for row in view.matrix.dropped_architectures(version)} if version else {}
    for row in view.matrix.dropped_architectures(version) if version else ():
        dropped[row.last_driver] += (", " if dropped[row.last_driver] else "") + row.architecture
    if dropped:
        last = "; ".join("branch %s for %s" % item for item in sorted(dropped.items(), reverse=True))
        yield Fix(
            "If the GPU is of a generation that driver %s no longer supports, install an older one: %s"
            % (version, last),
            who="admin",
            changes="driver",
            instead=True,
        )


def _restart(view: View, text: str = "Restart the machine; a driver that hangs does not recover by itself") -> Fix:
    windows = view.machine.native.system == "windows" or bool(view.wsl)
    return view.shell.restart_fix(text.replace("the machine", "Windows") if windows else text)


def place(gpu: Gpu) -> str:
    """Return what nvidia-smi takes after ``-i``: its numbers are not those of a framework."""
    return gpu.bus_id or str(gpu.index)


def _silent(view: View) -> Iterable[Trouble]:
    """NVML was asked and did not answer: the driver hangs or its library dies; or it is only slow."""
    driver = view.machine.driver
    if not driver.nvml_silent:
        return
    logged = _fatal(view)
    evidence = (Evidence(driver.nvml.problem, driver.nvml.source),) + tuple(
        _evidence(view, gpu, n) for gpu, n in logged
    )
    fixes = [view.shell.run_fix("Check whether nvidia-smi gets an answer", "nvidia-smi"), _restart(view)]
    if view.machine.native.system == "linux" and not view.wsl and "within" in driver.nvml.problem and not logged:
        text = "If it only starts slowly, keep it running between programs"
        fixes = [fixes[0], view.shell.root_fix(text, "nvidia-smi", "-pm", "1"), fixes[1].replace(instead=True)]
    yield Trouble(
        "warning" if logged else "info",
        "The NVIDIA driver did not answer when asked for its GPUs: %s." % driver.nvml.problem.rstrip("."),
        evidence,
        tuple(fixes),
        doubt=True,
    )


def _refusing(view: View) -> Iterable[Trouble]:
    """NVML does not start, and says why. 18 is driver-mismatch; 12 and 13 are the library's own business."""
    driver = view.machine.driver
    code = driver.nvml_error.value
    if code is None or code in (12, 13, 18):
        return
    if (
        code == 9
        and view.machine.native.system == "linux"
        and driver.nvidia_kernel_version.or_none() is None
        and not view.wsl
    ):
        return  # the module is not loaded: that was said
    bad = code in (11, 15, 16)
    yield Trouble(
        "warning" if bad else "info",
        "The NVIDIA driver fails to initialize: %s." % driver.nvml.problem.rstrip("."),
        (Evidence(driver.nvml.problem, driver.nvml.source),),
        (view.shell.run_fix("Check what nvidia-smi says", "nvidia-smi"), _restart(view)),
        doubt=True,
    )


def _lost(view: View) -> Iterable[Trouble]:
    """GPUs that the driver cannot describe any more."""
    lost = [gpu for gpu in _gpus(view) if gpu.problem]
    if not lost:
        return
    evidence = [Evidence("%s: %s" % (label(gpu), gpu.problem), view.machine.driver.gpus.source) for gpu in lost]
    evidence += [_evidence(view, gpu, number) for gpu, number in _fatal(view) if gpu in lost]
    whole = len(lost) == len(_gpus(view))
    names = ", ".join(label(gpu) for gpu in lost[:3])
    yield Trouble(
        "warning",
        "The driver lost access to %s." % names if len(lost) > 1 or not whole else "The driver lost %s." % names,
        tuple(evidence),
        (
            _restart(view, "Restart the machine; if that does not help, switch it off and on"),
            Fix(
                "If it happens again, check the card's power, seat and temperature; the card may be defective",
                who="admin",
            ),
        ),
        ("cuda",) if whole else tuple(number_of(view, gpu) for gpu in lost),
        doubt=True,
    )


def _waiting(view: View) -> Iterable[Trouble]:
    """GPUs that must be reset before they can be used, by the driver's own word."""
    for gpu in _gpus(view):
        action = gpu.recovery.or_none() or "none"
        if action == "none" or gpu.problem:
            continue
        words, command, usable = _RECOVERY.get(action, ("needs attention (%s)" % action, "", True))
        ends = Fix("End the programs that use it", changes="system", undoable=False)
        words_typed = command.replace("%s", place(gpu)).split()
        typed = view.shell.restart_fix("Restart the machine")
        if command != "reboot":
            typed = view.shell.root_fix("Reset it", *words_typed, undoable=False)
        yield Trouble(
            "info" if usable else "warning",
            "After a fault, %s %s." % (label(gpu), words),
            (Evidence("recovery action: %s" % action, gpu.recovery.source),),
            () if usable else (ends, typed),
            () if usable else _numbers(view, gpu),
        )


def _numbers(view: View, gpu: Gpu) -> Tuple[str, ...]:
    """What a framework calls a GPU or each of its slices; nothing where it does not see it."""
    return tuple("gpu:%d" % number for number, item in enumerate(cuda_view(view).devices) if item.gpu == gpu)


def _worn(view: View) -> Iterable[Trouble]:
    """GPUs whose memory had errors, waits for a repair, or could not be repaired."""
    for gpu in _gpus(view):
        repair, errors = gpu.memory_repair.or_none(), gpu.ecc_errors.or_none() or 0
        if repair == "failed":
            yield Trouble(
                "warning",
                "The memory of %s is damaged beyond self-repair." % label(gpu),
                (Evidence("row remapping failed", gpu.memory_repair.source),),
                (Fix("Have the card replaced: it works until the next error", who="admin"),),
            )
        elif repair == "pending":
            yield Trouble(
                "info",
                "%s will replace a damaged part of its memory at its next reset." % label(gpu),
                (Evidence("repair pending", gpu.memory_repair.source),),
                (view.shell.root_fix("When no program uses it", "nvidia-smi", "--gpu-reset", "-i", place(gpu)),),
            )
        elif errors:
            yield Trouble(
                "info",
                "The memory of %s had %d uncorrectable errors since the driver was loaded." % (label(gpu), errors),
                (Evidence("%d uncorrectable errors" % errors, gpu.ecc_errors.source),),
            )


def _fatal(view: View) -> List[Tuple[Gpu, int]]:
    """The GPUs for which the kernel's log has an error of the hardware, with its number."""
    by_bus: Dict[str, Gpu] = {gpu.bus_id: gpu for gpu in _gpus(view)}
    found = []
    for xid in view.machine.driver.xids.or_none() or ():
        if xid.number in FATAL_XIDS:
            found.append((by_bus.get(xid.bus_id, Gpu("nvidia", "GPU", 0, xid.bus_id)), xid.number))
    return found


def _evidence(view: View, gpu: Gpu, number: int) -> Evidence:
    return Evidence("Xid %d on %s: %s" % (number, label(gpu), FATAL_XIDS[number]), view.machine.driver.xids.source)


def _logged(view: View) -> Iterable[Trouble]:
    """Errors in the kernel's log on GPUs that answer."""
    driver = view.machine.driver
    if driver.nvml_silent:
        return
    fix = view.shell.kernel_log_fix("See when it happened and what the driver says", "xid")
    for gpu, number in _fatal(view):
        if not gpu.problem and gpu.recovery.or_none() in (None, "none"):
            yield Trouble(
                "info",
                "The driver reported an error of %s since the machine started: %s (Xid %d)."
                % (label(gpu), FATAL_XIDS[number], number),
                (_evidence(view, gpu, number),),
                (fix,),
                doubt=True,
                url=pages.XID,
            )
    others = [xid for xid in driver.xids.or_none() or () if xid.number not in FATAL_XIDS]
    for number in sorted({xid.number for xid in others}):
        those = [xid for xid in others if xid.number == number]
        yield Trouble(
            "info",
            "The driver reported an error %s since the machine started: %s (Xid %d)."
            % (_times(sum(xid.count for xid in those)), HARMLESS_XIDS.get(number, "an error of another kind"), number),
            tuple(Evidence("Xid %d, %s" % (xid.number, _times(xid.count)), xid.bus_id) for xid in those[:4]),
            (fix,),
            url=pages.XID,
        )


def _times(count: int) -> str:
    return "once" if count == 1 else "%d times" % count


@rule("driver-unhealthy", hidden_by=HIDDEN_BY)
def driver_unhealthy(view: View) -> Iterable[Finding]:
    """The driver does not answer properly, or not for every GPU."""
    if not cuda_in_use(view) or not view.vendor("nvidia"):
        return
    for item in _troubles(view):
        yield Finding("driver-unhealthy", item.severity, item.summary, item.evidence, item.fix, item.blocks, item.url)


def driver_in_doubt(view: View) -> bool:
    """Return whether something about the driver is wrong that may, or may not, keep its GPUs from working."""
    try:
        return any(item.doubt for item in _troubles(view))
    except UnknownFactError:
        return True
