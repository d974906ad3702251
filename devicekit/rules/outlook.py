"""What follows from the findings: candidate devices, and what each framework will do. Pure."""

from typing import FrozenSet, List, Optional, Tuple

from ..errors import UnknownFactError
from ..findings import Candidate, Finding, FrameworkStatus, NotEvaluated
from .view import Accelerator, View

__all__ = ["candidates", "statuses"]

_VENDOR_PLATFORM = {"nvidia": "cuda", "amd": "rocm", "apple": "metal", "intel": "xpu"}


#: Where one of these rules could not be decided, only a run can tell whether a GPU works.
_DECIDING = frozenset(
    ("driver-missing", "driver-mismatch", "driver-unhealthy", "driver-too-old", "cuda-version-mismatch")
    + ("cuda-library-missing", "cudnn-missing", "device-permission-denied", "rocm-missing", "wsl-without-gpu")
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
    other = view.machine.python.distribution("jax", "torch")
    blocked = _blocking(findings, ("tensorflow",)) if view.has_tensorflow or other is None else ()
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
        blocks = _blocking(findings, tuple(filter(None, (platform, "gpu", "tensorflow", "gpu:%d" % len(found)))))
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
    elif not found and view.directml_flavour and not _blocking(findings, ("directml",)) and view.wsl is None:
        if view.machine.native.system == "linux":
            found.append(_unlisted(view, findings, "DirectX 12 adapter", "directml"))
    if view.foreign_plugins:
        name = view.foreign_plugins[0].replace("\\", "/").rpartition("/")[2]
        blocks = _blocking(findings, ("tensorflow", "pluggable"))
        found.append(Candidate("gpu:%d" % len(found), "pluggable", name, False if blocks else None, blocks))
    return found


def _unlisted(view: View, findings: Tuple[Finding, ...], name: str, platform: str) -> Candidate:
    blocks = _blocking(findings, (platform, "gpu", "tensorflow"))
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
        if not part.strip().isdigit() or int(part) >= len(nvidia) or int(part) in chosen:
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


def _blocking(findings: Tuple[Finding, ...], what: Tuple[str, ...]) -> Tuple[str, ...]:
    codes = [finding.code for finding in findings if any(item in finding.blocks for item in what)]
    return tuple(dict.fromkeys(codes))


def statuses(view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...]) -> Tuple[FrameworkStatus, ...]:
    """Return what each installed framework will do."""
    found: List[FrameworkStatus] = []
    python = view.machine.python
    package = python.package("tensorflow")
    if view.has_tensorflow or (package is not None and (package.in_site or package.kind != "namespace")):
        broken = _blocking(findings, ("tensorflow",))
        no_keras = _blocking(findings, ("tensorflow", "keras"))
        known = view.tensorflow_row is not None
        kind = "DML" if view.directml_flavour == "fork" else "GPU"
        gpus = [item for item in devices if item.usable and item.platform != "cpu"]
        found.append(
            FrameworkStatus(
                framework="tensorflow",
                version=view.tensorflow_version,
                will_import=False if broken else True if known else None,
                will_run_keras=False if no_keras else True if known else None,
                devices=() if broken else ("CPU:0",) + tuple("%s:%d" % (kind, index) for index in range(len(gpus))),
                cause=(broken or no_keras or (None,))[0],
            )
        )
    for name, distribution in (("keras", "keras"), ("jax", "jax"), ("torch", "torch")):
        version = python.version_of(distribution)
        if version is None:
            continue
        tensorflow = found[0] if found and found[0].framework == "tensorflow" else None
        if name == "keras" and tensorflow is not None:
            blocked = _blocking(findings, ("keras", "tensorflow"))
            runs = tensorflow.will_run_keras
            found.append(FrameworkStatus("keras", version, runs, runs, tensorflow.devices, (blocked or (None,))[0]))
        else:
            found.append(FrameworkStatus(name, version, None, None))
    return tuple(found)
