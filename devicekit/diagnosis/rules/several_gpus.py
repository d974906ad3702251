"""What makes several GPUs of one machine slow together, or lets them hang: their links, and the memory they share. Pure.

Sources: NCCL User Guide, "Troubleshooting" (shared memory of containers, peer access); nvml.h (states of peer access and
NVLink); NCCL's ``misc/param.cc`` and ``misc/socket.cc`` (how it reads its variables); Docker's
documentation of ``--shm-size`` (64 MiB by default).
"""

import re
from typing import Iterable, List, Optional, Sequence, Tuple

from ...machine.facts import Fact, Gpu
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .cuda_order import cuda_view
from .driver_health import HIDDEN_BY, cuda_in_use, label, number_of, place
from .registry import rule

#: What these rules find.
CODES = ("shared-memory-too-small", "peer-access-unsupported", "gpu-link-degraded", "clocks-limited", "devices-unlike")

#: What NCCL's guide asks for. A segment takes 9.2 MiB for each channel to each peer ("size 9637888"): of Docker's 64 MiB two
#: GPUs can do with what four cannot (NCCL's issues 342, 1518).
_ENOUGH_BYTES = 1 << 30

_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - not a temporary file, the folder itself

#: Variables of NCCL that are numbers: 1 switches a way of exchange off.
_NUMBERS = ("NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE")
_NUMBER = re.compile(r"\s*([+-]?(?:0[xX][0-9A-Fa-f]+|\d+))")

#: A GPU below this share of what others of its model may do is limited: makers deliver cards of one model that differ by less.
_LIMITED_SHARE = 0.9

#: Why there is no direct access, in words (nvmlGpuP2PStatus_t).
_WHY = {
    "chipset": "the chipset does not support it",
    "gpu": "these GPUs do not support it",
    "topology": "they are below different parts of the machine",
    "disabled": "the driver's settings switch it off",
    "not-supported": "it is not supported",
}


def _used(view: View) -> Sequence[Gpu]:
    """The GPUs that a program sees, each once, if there are several."""
    if not cuda_in_use(view) or not view.machine.driver.gpus.value:
        return ()
    found: List[Gpu] = []
    for device in cuda_view(view).devices:
        if device.gpu not in found:
            found.append(device.gpu)
    return found if len(found) > 1 else ()


def nccl_number(view: View, name: str) -> Optional[int]:
    """Return the number that NCCL reads in a variable, None where it is not set; what is not one is 0 to it (``strtoll``)."""
    value = view.machine.process.env(name)
    if not value:
        return None
    found = _NUMBER.match(value)
    return int(found.group(1), 16 if found.group(1).lower().startswith("0x") else 10) if found else 0


def wrong_for_nccl(view: View) -> Iterable[Tuple[str, str]]:
    """Return variables of NCCL with values that cannot be meant, and what NCCL makes of them, where there are several GPUs."""
    names = [name for name in (*_NUMBERS, "NCCL_SOCKET_IFNAME") if view.machine.process.env(name)]
    if not names or not _used(view):
        return
    for name in names:
        if name in _NUMBERS and not _NUMBER.match(view.machine.process.env(name) or ""):
            yield name, "is not a number, which NCCL reads as 0: it has no effect"
        elif dict(view.machine.process.named_files.or_none() or ()).get(name) is False:
            yield name, 'names no network interface of this machine, so that NCCL ends with "no socket interface found"'


@rule("shared-memory-too-small", hidden_by=(*HIDDEN_BY, "device-hidden"))
def shared_memory_too_small(view: View) -> Iterable[Finding]:
    """Several GPUs, and less shared memory than NCCL asks for: a container has 64 MiB by default."""
    gpus, size = _used(view), view.machine.native.shared_memory_bytes
    if not gpus or (size.or_none() or _ENOUGH_BYTES) >= _ENOUGH_BYTES:
        return
    text = "%d MiB in /dev/shm" % ((size.or_none() or 0) >> 20)
    fix = view.shell.root_fix("Make it larger", "mount", "-o", "remount,size=8G", _SHARED_MEMORY)
    if view.machine.process.container.or_none():
        fix = Fix(
            "Start the container with more: --shm-size=8g (Kubernetes: an emptyDir with medium: Memory at /dev/shm)"
        )
    yield Kind("shared-memory-too-small", "info").finding(
        "The %d GPUs exchange data through shared memory, for which NCCL needs up to 1 GiB: %s." % (len(gpus), text),
        (Evidence(text, size.source),),
        (fix,),
    )


@rule("peer-access-unsupported", hidden_by=(*HIDDEN_BY, "device-hidden"))
def peer_access_unsupported(view: View) -> Iterable[Finding]:
    """Pairs of GPUs that do not read each other's memory."""
    names = {gpu.bus_id: label(gpu) for gpu in _used(view)}
    peers = view.machine.driver.peers
    if not names or not peers.known:
        return
    shared = nccl_number(view, "NCCL_SHM_DISABLE") != 1
    apart = [
        item for item in peers.content or () if item.first in names and item.second in names and item.state in _WHY
    ]
    if not apart:
        return
    every = len(apart) * 2 == len(names) * (len(names) - 1)
    evidence = ["%s and %s: %s" % (names[item.first], names[item.second], _WHY[item.state]) for item in apart[:4]]
    yield Kind("peer-access-unsupported", "info").finding(
        "%s cannot read each other's memory directly (%s): they exchange data through the %s, which is slower."
        % (
            "The GPUs" if every else "Some of the GPUs",
            _WHY[apart[0].state],
            "main memory" if shared else "network, as NCCL_SHM_DISABLE=1 keeps NCCL from the main memory",
        ),
        tuple(Evidence(text, peers.source) for text in evidence)
        + (() if shared else (Evidence("NCCL_SHM_DISABLE=1", "environment"),)),
        (
            *(() if shared else (view.shell.unset_fix("NCCL_SHM_DISABLE"),)),
            view.shell.set_fix(
                "Nothing to do while it works; if training hangs at its first step, keep NCCL from trying it",
                "NCCL_P2P_DISABLE",
                "1",
            ),
        ),
    )


def alike(devices: Iterable[Tuple[str, Optional[int]]]) -> bool:
    """Whether model and memory are the same, as far as they are known; a twentieth is what ECC and displays take."""
    devices = list(devices)
    sizes = [size for _, size in devices if size]
    return len({name for name, _ in devices}) == 1 and (not sizes or max(sizes) <= 1.05 * min(sizes))


def described(devices: Iterable[Tuple[str, str, Optional[int]]]) -> str:
    """Return labels of devices with name and memory: ``gpu:0 (Tesla T4, 15 GiB)``."""
    return ", ".join(
        "%s (%s%s)" % (label, name, ", %.0f GiB" % (size / 2**30) if size else "") for label, name, size in devices
    )


@rule("devices-unlike", hidden_by=(*HIDDEN_BY, "device-hidden", "compute-capability-unsupported"))
def devices_unlike(view: View) -> Iterable[Finding]:
    """GPUs of different models, or with different memory: programs that use all of them wait for the weakest."""
    gpus = _used(view)
    if not gpus or alike((gpu.name, gpu.memory_bytes.or_none()) for gpu in gpus):
        return
    text = described((number_of(view, gpu), gpu.name, gpu.memory_bytes.or_none()) for gpu in gpus)
    yield Kind("devices-unlike", "info").finding(
        "The GPUs differ: where they train together, the slowest sets the pace, the smallest memory the batch: %s."
        % text,
        (Evidence(text, view.machine.driver.gpus.source),),
        (Fix("Train on GPUs of one kind: devicekit.strategy() takes those like the first one", changes="code"),),
    )


@rule("gpu-link-degraded", hidden_by=(*HIDDEN_BY, "device-hidden"))
def gpu_link_degraded(view: View) -> Iterable[Finding]:
    """A GPU with fewer PCIe lanes or NVLinks than others of its kind, or with a quarter of its lanes or less."""
    evidence = [item for gpu in _used(view) for item in _weak_links(gpu, _used(view))]
    if evidence:
        yield Kind("gpu-link-degraded", "info", (), pages.NVML).finding(
            "GPUs that train together wait for the one with the slowest link: %s." % evidence[0].text,
            tuple(evidence),
            (
                view.shell.run_fix("See how the GPUs are connected", "nvidia-smi", "topo", "-m"),
                Fix(
                    "Put the card into a slot with all lanes, and look at the mainboard's settings and the bridge",
                    who="admin",
                ),
            ),
        )


def _weak_links(gpu: Gpu, gpus: Sequence[Gpu]) -> Iterable[Evidence]:
    like = [item for item in gpus if item.name == gpu.name]
    width, most = gpu.pcie_width.or_none() or 0, max(item.pcie_width.or_none() or 0 for item in like)
    own = gpu.pcie_width_max.or_none() or 0
    if width and (width < most or width * 4 <= own):
        text = "%s: %d of %d PCIe lanes" % (label(gpu), width, max(most, own))
        yield Evidence(text, gpu.pcie_width.source)
    links, usual = sum(gpu.nvlinks.or_none() or ()), max(sum(item.nvlinks.or_none() or ()) for item in like)
    if gpu.nvlinks.known and links < usual:
        text = "%s: %d NVLinks are up, %d on another one" % (label(gpu), links, usual)
        yield Evidence(text, gpu.nvlinks.source)


@rule("clocks-limited", hidden_by=(*HIDDEN_BY, "device-hidden"))
def clocks_limited(view: View) -> Iterable[Finding]:
    """A GPU with a lower power limit or a lower highest clock than others of its model."""
    gpus, run = _used(view), view.shell.root_fix
    evidence, fixes = [], []
    for gpu, seen, most in _limited(gpus, "power_limit_w", "W"):
        evidence.append(seen)
        text = "Give it the power of the others, if the card and its supply allow that; it lasts until the next restart"
        fixes.append(run(text, "nvidia-smi", "-i", place(gpu), "-pl", "%d" % most))
    for gpu, seen, _ in _limited(gpus, "clock_max_mhz", "MHz"):
        evidence.append(seen)
        text = "Take back what was set of its clocks; a card that was built with lower ones keeps them"
        fixes.append(run(text, "nvidia-smi", "-i", place(gpu), "-rgc"))
    if evidence:
        yield Kind("clocks-limited", "info", (), pages.NVML).finding(
            "GPUs that train together wait for the slowest one: %s." % evidence[0].text, tuple(evidence), tuple(fixes)
        )


def _limited(gpus: Sequence[Gpu], name: str, unit: str) -> Iterable[Tuple[Gpu, Evidence, float]]:
    """Return the GPUs for which this fact is lower than for others of their model, and the highest value of those."""
    for gpu in gpus:
        fact: Fact[float] = getattr(gpu, name)
        most = max(getattr(item, name).or_none() or 0 for item in gpus if item.name == gpu.name)
        own = fact.or_none() or most
        if own < _LIMITED_SHARE * most:
            text = "%s: at most %.0f %s, %.0f %s on another one" % (label(gpu), own, unit, most, unit)
            yield gpu, Evidence(text, fact.source), most
