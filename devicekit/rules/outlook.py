"""What follows from the findings: candidate devices. Pure."""

from typing import FrozenSet, List, Optional, Tuple

from ..errors import UnknownFactError
from ..findings import Candidate, Finding, NotEvaluated
from .prediction import blocking
from .view import Accelerator, View

__all__ = ["candidates"]

_VENDOR_PLATFORM = {"nvidia": "cuda", "amd": "rocm", "apple": "metal", "intel": "xpu"}


#: Where one of these rules could not be decided, only a run can tell whether a GPU works.
_DECIDING = frozenset(
    ("driver-missing", "driver-mismatch", "driver-unhealthy", "driver-too-old", "cuda-version-mismatch")
    + ("cuda-library-missing", "cudnn-missing", "device-permission-denied", "rocm-missing", "wsl-without-gpu")
    + ("driver-shadowed", "cudnn-version-mismatch", "directml-unsupported")
)


def candidates(
    view: View, findings: Tuple[Finding, ...], unsettled: FrozenSet[str] = frozenset()
) -> Tuple[Tuple[Candidate, ...], List[NotEvaluated]]:
    """Return every device, GPUs in the framework's order and the CPU last.

    ``unsettled`` are the codes of the rules that could not be decided.
    """
    undecided: List[NotEvaluated] = []
    found: List[Candidate] = []
    try:
        found = _gpus(view, findings, _is_open(findings, unsettled))
    except UnknownFactError as error:
        undecided.append(NotEvaluated("no-gpu", "the GPUs of this machine could not be listed: %s" % error))
    # Where listing the devices kills the process, nothing can be computed either.
    blocked = blocking(findings, ("tensorflow", "tensorflow.devices"))
    try:
        if not view.has_tensorflow and view.machine.python.distribution("jax", "torch") is not None:
            blocked = ()
    except UnknownFactError:  # what is installed could not be listed: what the findings say holds for all of it
        pass
    name = view.machine.native.cpu_model.or_none() or view.machine.native.architecture
    found.append(Candidate("cpu", "cpu", name, not blocked, blocked, view.machine.native.memory_bytes.or_none()))
    return tuple(found), undecided


def _is_open(findings: Tuple[Finding, ...], unsettled: FrozenSet[str]) -> bool:
    """Whether something about the driver is not known well enough to promise that its GPUs work."""
    doubts = [finding for finding in findings if finding.code == "driver-unhealthy" and not finding.blocks]
    return bool(doubts) or bool(unsettled & _DECIDING)


def _gpus(view: View, findings: Tuple[Finding, ...], unsettled: bool) -> List[Candidate]:
    found: List[Candidate] = []
    for item in _in_order(view):
        platform = _platform(view, item)
        blocks = blocking(findings, tuple(filter(None, (platform, "gpu", "tensorflow", "gpu:%d" % len(found)))))
        if platform == "" and not blocks:
            blocks = tuple(
                f.code for f in findings if f.code in ("cpu-only-build", "gpu-vendor-unsupported", "framework-missing")
            )
        usable: Optional[bool] = None if unsettled else True
        if blocks or platform == "":
            usable = False
        found.append(Candidate("gpu:%d" % len(found), platform, item.name, usable, blocks, item.memory_bytes))
    if not found and view.machine.directml.dxg.or_none() is not None:
        found.append(
            _unlisted(view, findings, "GPU behind the WSL bridge", "directml" if view.directml_flavour else "cuda")
        )
    elif not found and view.directml_flavour and not blocking(findings, ("directml",)) and view.wsl is None:
        if view.machine.native.system == "linux":
            found.append(_unlisted(view, findings, "DirectX 12 adapter", "directml"))
    if view.foreign_plugins:
        name = view.foreign_plugins[0].replace("\\", "/").rpartition("/")[2]
        blocks = blocking(findings, ("tensorflow", "pluggable"))
        found.append(Candidate("gpu:%d" % len(found), "pluggable", name, False if blocks else None, blocks))
    return found


def _unlisted(view: View, findings: Tuple[Finding, ...], name: str, platform: str) -> Candidate:
    blocks = blocking(findings, (platform, "gpu", "tensorflow"))
    return Candidate("gpu:0", platform, name, False if blocks else None, blocks)


def _in_order(view: View) -> List[Accelerator]:
    """The accelerators in the order of CUDA_VISIBLE_DEVICES, where that leaves some; the hidden ones after them."""
    accelerators = list(view.accelerators)
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES")
    nvidia = [item for item in accelerators if item.vendor == "nvidia"]
    if value is None or not nvidia or not view.uses_cuda:
        return accelerators
    chosen: List[int] = []
    for part in value.split(","):
        if not part.strip().isdecimal() or len(part) > 9 or int(part) >= len(nvidia) or int(part) in chosen:
            break
        chosen.append(int(part))
    if not chosen:
        return accelerators
    return [nvidia[index] for index in chosen] + [item for item in accelerators if item.vendor != "nvidia"]


def _platform(view: View, item: Accelerator) -> str:
    """By which platform the installed TensorFlow would drive an accelerator, "" where it cannot."""
    if view.directml_flavour and view.machine.native.system == "windows":
        return "directml"
    if item.vendor == "nvidia":
        return "cuda" if view.uses_cuda else ""
    if item.vendor == "amd":
        return "rocm" if view.uses_rocm else ""
    if item.vendor == "apple":
        return "metal" if view.has_tensorflow else ""
    if item.vendor == "intel" and view.machine.python.distribution("intel-extension-for-tensorflow"):
        return "xpu"
    return ""
