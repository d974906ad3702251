"""DirectML, WSL, and GPUs that another build than the installed one would use."""

import re
from typing import Iterable, List, Optional, Sequence, Tuple

from ..findings import Evidence, Finding, Fix, LazyFixes
from ..matrix import accepts, version_at_least
from . import rule
from .mending import elsewhere, replace_by_goal
from .view import View

_URL = "https://learn.microsoft.com/windows/ai/directml/gpu-tensorflow-plugin"
_LIBRARIES = ("libd3d12.so", "libdxcore.so")


@rule("wsl-without-gpu")
def wsl_without_gpu(view: View) -> Iterable[Finding]:
    """WSL 1, or WSL 2 without the bridge device or its libraries."""
    wsl = view.wsl
    if wsl is None or not view.has_tensorflow:
        return
    directml, process = view.machine.directml, view.machine.process
    found = {item.name for item in directml.libraries.value or ()}
    if wsl == 1:
        yield Finding(
            "wsl-without-gpu",
            "warning",
            "This is WSL 1, which has no access to any GPU.",
            (Evidence("WSL 1", process.wsl.source),),
            (
                Fix(
                    "In a Windows terminal, convert it to WSL 2: wsl --set-version NAME 2, with the NAME that wsl --list shows"
                ),
            ),
            ("cuda", "directml", "rocm"),
            _URL,
        )
    elif directml.dxg.value is None:
        # DXCore without its device does not fail, it aborts the process: the plug-in asks it at TensorFlow's import.
        fatal = view.directml_flavour == "plugin" and "libdxcore.so" in found
        yield Finding(
            "wsl-without-gpu",
            "error" if fatal else "warning",
            "WSL 2 has no /dev/dxg: the GPU bridge to Windows is not there%s."
            % (", and importing TensorFlow with the DirectML plug-in then aborts the process" if fatal else ""),
            (Evidence("/dev/dxg is missing", "/dev"),),
            (
                Fix(
                    "Update WSL and its kernel, and start it anew (in a Windows terminal)",
                    "wsl --update; wsl --shutdown",
                ),
                Fix("Install your GPU vendor's current Windows driver; nothing is installed inside WSL"),
            ),
            ("cuda", "directml", "rocm") + (("tensorflow",) if fatal else ()),
            _URL,
        )
    elif view.directml_flavour and not found.issuperset(_LIBRARIES):
        missing = [name for name in _LIBRARIES if name not in found]
        yield Finding(
            "wsl-without-gpu",
            "warning",
            "WSL 2 has the GPU bridge, but its libraries are not mapped in: %s." % ", ".join(missing),
            tuple(Evidence("%s not found" % name, directml.libraries.source) for name in missing),
            (Fix("Update WSL and start it anew (in a Windows terminal)", "wsl --update; wsl --shutdown"),),
            ("cuda", "directml"),
            _URL,
        )


@rule("directml-missing", hidden_by=("wsl-without-gpu",))
def directml_missing(view: View) -> Iterable[Finding]:
    """A DirectML build of TensorFlow where DirectX 12 is not."""
    if view.directml_flavour is None or view.machine.native.system == "windows":
        return
    directml = view.machine.directml
    found = {item.name for item in directml.libraries.value or ()}
    missing = [name for name in _LIBRARIES if name not in found]
    if not missing:
        return
    evidence = [Evidence("%s not found" % name, directml.libraries.source) for name in missing]
    if directml.bundled.or_none():
        evidence.append(Evidence("needed by %s" % directml.bundled.value, directml.bundled.source))
    # On a machine without a GPU nothing is lost: this is what its processor is used for.
    idle = view.wsl is not None or view.machine.driver.displays.or_none() is None or bool(view.accelerators)
    if view.wsl is None:
        evidence.append(Evidence("this is not WSL", view.machine.process.wsl.source))
    yield Finding(
        "directml-missing",
        "warning" if idle else "info",
        "%s is installed, but DirectX 12 is not here (%s): it will use no GPU."
        % (
            "tensorflow-directml" if view.directml_flavour == "fork" else "tensorflow-directml-plugin",
            ", ".join(missing),
        ),
        tuple(evidence),
        (
            Fix("Use this environment on Windows, or in WSL 2 (DirectML exists nowhere else)"),
            Fix("For an NVIDIA GPU under Linux, make a new environment with tensorflow[and-cuda] instead"),
        ),
        ("directml",),
        _URL,
    )


#: The oldest kernel of WSL with the bridge to DirectX, and the oldest for which Microsoft documents it.
_FIRST_KERNEL, _LEAST_KERNEL = "4.19.121", "5.10.43"

#: Direct3D 12's feature level 11_0, without which TensorFlow's DirectML builds leave an adapter out.
_LEAST_LEVEL = 0xB000


@rule("directml-unsupported", hidden_by=("wsl-without-gpu", "directml-missing"))
def directml_unsupported(view: View) -> Iterable[Finding]:
    """A DirectML build on a Windows or a WSL kernel that is too old for it, or without an adapter that it accepts."""
    flavour, native = view.directml_flavour, view.machine.native
    if flavour is None:
        return
    name = "tensorflow-directml" + ("" if flavour == "fork" else "-plugin")
    row = next(item for item in view.matrix.directml() if item.distribution == name)
    reason, fix = "", Fix("Update Windows to 10.0.%d or later" % row.windows_build)
    evidence: Tuple[Evidence, ...] = (Evidence(native.release, "the operating system"),)
    blocks: Tuple[str, ...] = ("directml",)
    if native.system == "windows":
        build = _windows_build(native.release)
        weak = _weak_adapters(view)
        if build is not None and build < row.windows_build:
            reason = "needs Windows build %d or later; this is %d" % (row.windows_build, build)
        elif weak:
            reason = "uses no adapter below Direct3D feature level 11_0, which %s does not reach" % weak[0]
            evidence = tuple(Evidence(text, view.machine.directml.adapters.source) for text in weak)
            fix = Fix("Install the vendor's current driver for it, or use another GPU: older ones have no such level")
    elif view.wsl == 2 and "microsoft" in native.release.lower():
        kernel = native.release.partition("-")[0]
        if version_at_least(kernel, _LEAST_KERNEL) is False:
            reason = "needs a WSL kernel from %s on; this is %s" % (_LEAST_KERNEL, kernel)
            fix = Fix("Update WSL's kernel and start it anew (in a Windows terminal)", "wsl --update; wsl --shutdown")
            blocks = ("directml",) if version_at_least(kernel, _FIRST_KERNEL) is False else ()
    if reason:
        yield Finding("directml-unsupported", "warning", "%s %s." % (name, reason), evidence, (fix,), blocks, _URL)


def _windows_build(release: str) -> Optional[int]:
    match = re.match(r"\d+\.\d+\.(\d+)", release)
    return int(match.group(1)) if match else None


def _weak_adapters(view: View) -> List[str]:
    """The adapters, where Windows says of each of them that its feature level is too low."""
    adapters = [item for item in view.machine.directml.adapters.value or () if not item.software]
    levels = [item.feature_level for item in adapters]
    if not levels or any(level is None or level >= _LEAST_LEVEL for level in levels):
        return []
    return [item.name for item in adapters]


@rule("gpu-vendor-unsupported", hidden_by=("wsl-without-gpu", "rosetta-python", "metal-plugin-missing"))
def gpu_vendor_unsupported(view: View) -> Iterable[Finding]:
    """There is a GPU that this build cannot use, and another build could."""
    if not view.has_tensorflow or view.directml_flavour or view.uses_rocm or view.vendor("nvidia"):
        return
    others = [item for item in view.accelerators if item.vendor in ("amd", "intel", "qualcomm")]
    if not others or view.machine.python.distribution("intel-extension-for-tensorflow"):
        return
    gpu = others[0]
    system = view.machine.native.system
    fixes, severity = _other_build(view, gpu.vendor)
    yield Finding(
        "gpu-vendor-unsupported",
        severity,
        "%s cannot use the %s here%s."
        % (view.tensorflow_label, gpu.name, "; a DirectML build can" if system == "windows" else ""),
        (Evidence(gpu.name, gpu.source), Evidence(view.tensorflow_label, _where(view))),
        fixes,
        ("gpu",),
        _URL if system == "windows" else "https://rocm.docs.amd.com/" if gpu.vendor == "amd" else "",
    )


def _where(view: View) -> str:
    build = view.tensorflow_build
    return build.location if build is not None else ""


def _other_build(view: View, vendor: str) -> Tuple[Sequence[Fix], str]:
    if view.machine.native.system == "windows":
        plugin = next(row for row in view.matrix.directml() if row.distribution == "tensorflow-directml-plugin")
        pins = ("tensorflow-cpu==%s.0" % plugin.tensorflow, "%s==%s" % (plugin.distribution, plugin.version), "numpy<2")
        if accepts(plugin.python, view.machine.python.version):
            words = "Replace TensorFlow by the release that has a DirectML plug-in"
            return replace_by_goal(view, words, "directml", *pins), "warning"
        words = "The DirectML plug-in needs Python %s: make an environment with %%s" % plugin.python
        return LazyFixes(lambda: (elsewhere(view, words, "directml", *pins),)), "warning"
    if vendor == "amd":
        return (Fix("Use AMD's own build of TensorFlow for ROCm, in a new environment"),), "warning"
    # An integrated GPU in a Linux machine: there is no maintained build for it, so it is no cause for alarm.
    if vendor == "intel":
        return (Fix("No maintained TensorFlow build uses Intel GPUs on Linux; PyTorch does (device 'xpu')"),), "info"
    return (Fix("No TensorFlow build uses this vendor's GPUs on Linux"),), "info"
