"""The candidate devices that follow from the findings. Pure."""

from typing import FrozenSet, List, Optional, Tuple

from ..errors import UnknownFactError
from ..machine.accelerators import Accelerator
from ..machine.facts import DxAdapter, Native
from ..machine.vendors import VENDORS
from .findings import LISTED_IN_DOUBT, Candidate, Finding, NotEvaluated
from .frameworks import BACKENDS
from .rules.adapters import in_order, known_listing, numbered
from .rules.cuda_order import cuda_accelerators
from .rules.device_use import devices_in_doubt
from .rules.driver_health import driver_in_doubt
from .rules.frameworks import uses
from .rules.libraries import search
from .rules.rocm_devices import amd_first
from .view import View


def blocking(findings: Tuple[Finding, ...], what: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the codes of the findings that block one of these, in their order, each once."""
    codes = [finding.code for finding in findings if any(item in finding.blocks for item in what)]
    return tuple(dict.fromkeys(codes))


def blocking_device(findings: Tuple[Finding, ...], framework: str, platform: str, device: str) -> Tuple[str, ...]:
    """Return the codes of the findings that keep a framework from a device; ``platform`` is "" if it has none for it."""
    what = [item for item in (platform, "gpu", device) if item]
    return blocking(findings, tuple(what + ["%s.%s" % (framework, item) for item in what] + [framework]))


def frameworks_in(blocks: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the frameworks that the blocks of a finding name, () if one of the blocks applies to all frameworks."""
    names = [block.partition(".")[0] for block in blocks]
    return tuple(dict.fromkeys(names)) if all(name in BACKENDS for name in names) else ()


#: Where one of these rules could not be decided, only a run can tell whether a GPU works.
_DECIDING = frozenset(
    ("driver-missing", "driver-mismatch", "driver-unhealthy", "driver-too-old", "cuda-version-mismatch")
    + ("cuda-library-missing", "cudnn-missing", "device-permission-denied", "rocm-missing", "wsl-without-gpu")
    + ("driver-shadowed", "cudnn-version-mismatch", "directml-unsupported", "gfx-unsupported")
)


def candidates(
    view: View,
    findings: Tuple[Finding, ...],
    unsettled: FrozenSet[str] = frozenset(),
    framework: str = "tensorflow",
) -> Tuple[Tuple[Candidate, ...], List[NotEvaluated]]:
    """Return every device as a framework would use it, GPUs in the framework's order and the CPU last.

    ``unsettled`` are the codes of the rules that could not be decided.
    """
    undecided: List[NotEvaluated] = []
    found: List[Candidate] = []
    try:
        found = _gpus(view, findings, _is_open(view, findings, unsettled), framework)
        found += _tpus(view, findings, framework)
    except UnknownFactError as error:
        undecided.append(NotEvaluated("no-gpu", "cannot list the GPUs of this machine: %s" % error))
    # Where listing the devices kills the process, nothing can be computed either.
    blocked = blocking(findings, (framework, framework + ".devices"))
    native = view.machine.native
    found.append(Candidate("cpu", "cpu", _processor(native), not blocked, blocked, native.usable_memory_bytes))
    return tuple(found), undecided


def _tpus(view: View, findings: Tuple[Finding, ...], framework: str) -> List[Candidate]:
    """The TPU chips as devices of a framework; only a run can tell if one works."""
    found = []
    for number, chip in enumerate(view.machine.tpu.chips.or_none() or ()):
        platform = "tpu" if uses(view, framework, "tpu") else ""
        device = "tpu:%d" % number
        blocks = blocking_device(findings, framework, "tpu", device)
        blocks = tuple(code for code in blocks if platform or code == "cpu-only-build")
        usable = None if platform and not blocks else False
        found.append(Candidate(device, platform, "Google TPU %s" % chip, usable, blocks))
    return found


def _processor(native: Native) -> str:
    """The processor's name, and how many of its cores this process gets where that is not all."""
    name = native.cpu_model.or_none() or native.architecture
    usable, count, by = native.cpu_usable.or_none(), native.cpu_count.or_none(), native.cpu_limited_by
    return "%s, %g of %d cores (%s)" % (name, usable, count, by) if by and usable and count else name


def _is_open(view: View, findings: Tuple[Finding, ...], unsettled: FrozenSet[str]) -> bool:
    """Whether something about the driver is not known well enough to promise that its GPUs work."""
    unhealthy = any(finding.code == "driver-unhealthy" for finding in findings)
    return (unhealthy and driver_in_doubt(view)) or bool(unsettled & _DECIDING)


def _gpus(view: View, findings: Tuple[Finding, ...], unsettled: bool, framework: str) -> List[Candidate]:
    tensorflow = framework == "tensorflow"
    found = directml_candidates(view, findings, unsettled) if tensorflow else None
    if found is None:
        found = _supposed_or_listed(view, findings, unsettled, framework)
    if tensorflow and view.unknown_plugins:
        name = view.unknown_plugins[0].replace("\\", "/").rpartition("/")[2]
        found.append(_supposed(findings, name, "pluggable", framework, "gpu:%d" % len(found)))
    return found


def _supposed_or_listed(view: View, findings: Tuple[Finding, ...], unsettled: bool, framework: str) -> List[Candidate]:
    """The accelerators that were found, or what may be there although nothing lists it."""
    try:
        found = _listed(view, findings, unsettled, framework)
    except UnknownFactError:
        found = _unlisted(view, findings, framework)
        if not found:
            raise
    return found or _unlisted(view, findings, framework)


def _listed(view: View, findings: Tuple[Finding, ...], unsettled: bool, framework: str) -> List[Candidate]:
    """The accelerators that were found, in the framework's order."""
    found: List[Candidate] = []
    libraries = search(view, framework)
    # By itself the framework finds no GPU then; once `auto` has loaded what it lacks, it should.
    repairable = libraries is not None and libraries.repairable
    full = devices_in_doubt(view) if any(finding.code == "out-of-memory" for finding in findings) else frozenset()
    for item in _in_order(view, framework):
        platform = _platform(view, item, framework)
        device = "gpu:%d" % len(found)
        blocks = blocking_device(findings, framework, platform, device)
        if platform == "" and not blocks:
            blocks = tuple(finding.code for finding in findings if _explains(finding, framework))
        doubtful = unsettled or (platform == "cuda" and (repairable or device in full))
        in_doubt = _in_doubt(findings, framework, device) if platform == "cuda" else ""
        usable = False if blocks or platform == "" else None if doubtful or in_doubt else True
        remark = LISTED_IN_DOUBT[in_doubt] if in_doubt and not (blocks or doubtful) else ""
        found.append(
            Candidate(
                device,
                platform,
                item.name,
                usable,
                blocks,
                item.memory_bytes,
                item.memory_free_bytes,
                item.uuid,
                item.compute_capability,
                item.remark or remark,
                item.memory_used_bytes,
                item.utilization_percent,
                item.location,
                item.numbering,
            )
        )
    return found


def _in_doubt(findings: Tuple[Finding, ...], framework: str, device: str) -> str:
    """The part of a framework of which only a run can tell whether it works on a listed device, "" if there is none."""
    number = device.partition(":")[2]
    for part in LISTED_IN_DOUBT:
        name = "%s.%s" % (framework, part)
        if blocking(findings, (name, "%s:%s" % (name, number))):
            return part
    return ""


def _unlisted(view: View, findings: Tuple[Finding, ...], framework: str) -> List[Candidate]:
    """A GPU that no source lists and that may be there all the same."""
    behind_bridge = next((platform for platform in ("cuda", "rocm") if uses(view, framework, platform)), "")
    name = platform = ""
    if framework != "tensorflow":
        if view.wsl == 2 and behind_bridge:
            name, platform = "GPU behind the WSL bridge", behind_bridge
    elif view.machine.directml.dxg.or_none() is not None:
        name, platform = "GPU behind the WSL bridge", "directml" if view.directml_flavor else behind_bridge or "cuda"
    elif view.directml_flavor and not blocking(findings, ("directml",)) and view.wsl is None:
        if view.machine.native.system == "linux" or not view.machine.directml.adapters.known:
            name, platform = "DirectX 12 adapter", "directml"
    elif view.machine.native.system == "macos" and uses(view, framework, "metal"):
        name, platform = "GPU of this Mac", "metal"
    return [_supposed(findings, name, platform, framework, "gpu:0")] if name else []


def _supposed(findings: Tuple[Finding, ...], name: str, platform: str, framework: str, device: str) -> Candidate:
    """A device that only a run can show, unless something blocks its platform."""
    blocks = blocking_device(findings, framework, platform, "")
    return Candidate(device, platform, name, False if blocks else None, blocks)


def _explains(finding: Finding, framework: str) -> bool:
    """Whether a finding says why a framework has no platform for a GPU."""
    codes = ("cpu-only-build", "gpu-vendor-unsupported", "framework-missing")
    return finding.code in codes and finding.concerns(framework)


def _in_order(view: View, framework: str) -> List[Accelerator]:
    """The accelerators in the framework's order: as CUDA or HIP count them, without those that are hidden."""
    accelerators = amd_first(view, view.accelerators, framework)
    nvidia = [item for item in accelerators if item.vendor == "nvidia"]
    if not nvidia or not uses(view, framework, "cuda"):
        return accelerators
    # Where nothing is left, all are shown, with what hides them.
    seen = cuda_accelerators(view) or nvidia
    return seen + [item for item in accelerators if item.vendor != "nvidia"]


def _platform(view: View, item: Accelerator, framework: str) -> str:
    """By which platform an installed framework would drive an accelerator, "" if it cannot."""
    if framework != "tensorflow":
        platform = next((vendor.platform for vendor in VENDORS if vendor.key == item.vendor), "")
        return platform if platform and uses(view, framework, platform) else ""
    if view.directml_flavor and view.machine.native.system == "windows":
        return "directml"
    if item.vendor == "nvidia":
        return "cuda" if view.uses_cuda else ""
    if item.vendor == "amd":
        return "rocm" if view.uses_rocm else ""
    if item.vendor == "apple":
        return "metal" if view.has_tensorflow else ""
    return "xpu" if item.vendor == "intel" and uses(view, framework, "xpu") else ""


def directml_candidates(view: View, findings: Tuple[Finding, ...], unsettled: bool) -> Optional[List[Candidate]]:
    """Return TensorFlow's DirectML devices in its order, then the adapters that it rejects; None if they are not known."""
    listing = known_listing(view)
    if listing is None:
        return None
    found: List[Candidate] = []
    asked = view.machine.directml.answered
    for item in listing.listed or listing.hidden:
        device = "gpu:%d" % len(found)
        blocks = blocking_device(findings, "tensorflow", "directml", device)
        sure = not unsettled and not (asked and (item.direct3d is None or item.directml is None))
        usable = False if blocks else True if sure else None
        found.append(
            Candidate(
                device, "directml", item.name, usable, blocks, item.memory_bytes,
                location=_location(view, item), numbering="driver",
            )
        )  # fmt: skip
    for item in listing.rejected:
        device = "gpu:%d" % len(found)
        blocks = blocking_device(findings, "tensorflow", "directml", device)
        found.append(Candidate(device, "directml", item.name, False, blocks, item.memory_bytes))
    return found


def _location(view: View, adapter: DxAdapter) -> str:
    """Which of the adapters it is that DML_VISIBLE_DEVICES counts, hidden or not."""
    for number, item in enumerate(numbered(in_order(view))):
        if item is adapter:
            return "adapter %d" % number
    return ""
