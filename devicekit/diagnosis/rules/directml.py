"""DirectML, WSL, and GPUs that another build than the installed one would use."""

from typing import Iterable, List, Sequence, Tuple

from ...matrix.matrix import accepts, version_at_least
from ...matrix.target import windows_build, windows_name
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..install_fixes import elsewhere, replace_by_goal
from ..view import View
from .adapter_findings import unusable_adapters
from .driver_installs import vendor_driver
from .frameworks import uses
from .gpu_builds import better_on_windows, other_vendor_for
from .registry import rule
from .rocm import amd_bridge_missing

_LIBRARIES = ("libd3d12.so", "libdxcore.so")


@rule("wsl-without-gpu")
def wsl_without_gpu(view: View) -> Iterable[Finding]:
    """WSL 1, or WSL 2 without the bridge device or its libraries."""
    yield from amd_bridge_missing(view)
    wsl = view.wsl
    if not view.has_tensorflow:
        return
    if _bridge_fails(view):
        yield _failing_bridge(view)
        return
    if wsl is None:
        return
    directml, process = view.machine.directml, view.machine.process
    found = {item.name for item in directml.libraries.value or ()}
    if wsl == 1:
        yield Kind("wsl-without-gpu", "warning", ("cuda", "directml", "rocm"), pages.DIRECTML).finding(
            "WSL 1 has no GPU access.",
            (Evidence("WSL 1", process.wsl.source),),
            (
                view.shell.windows_fix("See the name of this distribution", ("wsl", "--list"), changes=""),
                Fix("Convert it to WSL 2: wsl --set-version NAME 2, in PowerShell", who="admin", changes="system"),
            ),
        )
    elif directml.dxg.value is None:
        fatal = view.directml_flavor if "libdxcore.so" in found else None
        blocks = ("cuda", "directml", "rocm", *_ABORTED.get(fatal or "", ()))
        yield Kind("wsl-without-gpu", "error" if fatal else "warning", blocks, pages.DIRECTML).finding(
            "WSL 2 has no GPU bridge to Windows (/dev/dxg is missing)%s." % _ABORTS.get(fatal or "", ""),
            (Evidence("/dev/dxg is missing", "/dev"),),
            _bridge_fixes(view),
        )
    elif view.directml_flavor and not found.issuperset(_LIBRARIES):
        missing = [name for name in _LIBRARIES if name not in found]
        yield Kind("wsl-without-gpu", "warning", ("cuda", "directml"), pages.DIRECTML).finding(
            "WSL 2 has the GPU bridge, but its libraries are missing: %s." % ", ".join(missing),
            tuple(Evidence("%s not found" % name, directml.libraries.source) for name in missing),
            (view.shell.update_wsl_fix("Update WSL and restart it"),),
        )


#: DXCore without its device does not fail, it aborts the process: under the plug-in at TensorFlow's import, under the build
#: of 1.15 when the devices are listed.
_ABORTS = {
    "plugin": ", and importing TensorFlow with the DirectML plug-in then aborts the process",
    "fork": ", and tensorflow-directml then aborts the process when it lists its devices",
}
_ABORTED = {"plugin": ("tensorflow",), "fork": ("tensorflow.devices",)}


def _bridge_fixes(view: View) -> Tuple[Fix, ...]:
    text = "Install your GPU vendor's current Windows driver; nothing is installed inside WSL"
    return (view.shell.update_wsl_fix("Update WSL and its kernel, and restart it"), *vendor_driver(text))


def _bridge_fails(view: View) -> bool:
    """Whether DXCore was asked and gave no list, at which DirectML builds abort the process."""
    directml = view.machine.directml
    return bool(
        view.machine.native.system == "linux"
        and view.directml_flavor
        and directml.failure
        and not (view.wsl and directml.dxg.value is None)
        and not directml.adapters.value
    )


def _failing_bridge(view: View) -> Finding:
    flavor, failure = view.directml_flavor or "", view.machine.directml.failure
    return Kind("wsl-without-gpu", "error", ("cuda", "directml", "rocm", *_ABORTED[flavor]), pages.DIRECTML).finding(
        "The GPU bridge to Windows does not answer%s." % _ABORTS[flavor],
        (Evidence(failure, "DXCore"),),
        _bridge_fixes(view),
    )


@rule("directml-missing", hidden_by=("wsl-without-gpu",))
def directml_missing(view: View) -> Iterable[Finding]:
    """A DirectML build of TensorFlow where DirectX 12 is not, or that is led to a DirectML library that cannot be loaded."""
    directml = view.machine.directml
    if view.directml_flavor is None:
        yield from _torch_without_directx(view)
        return
    if directml.loads.or_none() is False:
        yield _unloadable(view)
        return
    missing: List[str] = []
    if view.machine.native.system != "windows":
        found = {item.name for item in directml.libraries.value or ()}
        missing = [name for name in _LIBRARIES if name not in found]
    if not missing:
        if view.machine.process.env("TF_DIRECTML_PATH"):
            directml.loads.value  # noqa: B018 where no one knows that, no one knows that all is well
        return
    evidence = [Evidence("%s not found" % name, directml.libraries.source) for name in missing]
    if directml.bundled.or_none():
        evidence.append(Evidence("needed by %s" % directml.bundled.value, directml.bundled.source))
    idle = _has_idle_gpu(view)
    if view.wsl is None:
        evidence.append(Evidence("this is not WSL", view.machine.process.wsl.source))
    yield Kind("directml-missing", "warning" if idle else "info", ("directml",), pages.DIRECTML).finding(
        "%s is installed, but DirectX 12 is missing (%s): it will use no GPU."
        % (
            "tensorflow-directml" if view.directml_flavor == "fork" else "tensorflow-directml-plugin",
            ", ".join(missing),
        ),
        tuple(evidence),
        (
            Fix("Use this environment on Windows or in WSL 2, the only systems with DirectML"),
            Fix(
                "For an NVIDIA GPU on Linux, create an environment with tensorflow[and-cuda]",
                changes="packages",
                instead=True,
            ),
        ),
    )


def _has_idle_gpu(view: View) -> bool:
    """Whether there may be a GPU; on a machine without one nothing is lost, this is what its processor is used for."""
    return view.wsl is not None or view.machine.driver.displays.or_none() is None or bool(view.accelerators)


def _torch_without_directx(view: View) -> Iterable[Finding]:
    """torch-directml where DirectX 12 is not: it is opened at the import, which fails."""
    found = view.machine.python.distribution("torch-directml")
    libraries = view.machine.directml.libraries
    if found is None or view.machine.native.system != "linux":
        return
    if any(item.name == "libd3d12.so" for item in libraries.value or ()):
        return
    blocks = ("torch.directml",)
    yield Kind("directml-missing", "warning" if _has_idle_gpu(view) else "info", blocks, pages.DIRECTML_TORCH).finding(
        "torch-directml is installed, but DirectX 12 is missing: its import fails.",
        (Evidence("libd3d12.so not found", libraries.source), Evidence("needed by torch-directml", found.location)),
        (Fix("Use this environment on Windows or in WSL 2, the only systems with DirectML"),),
    )


def _unloadable(view: View) -> Finding:
    """DirectML itself cannot be loaded: TensorFlow then lists no adapter, whatever there is."""
    directml = view.machine.directml
    chosen = view.machine.process.env("TF_DIRECTML_PATH")
    windows = view.machine.native.system == "windows"
    evidence = (Evidence(directml.loads.problem or "it cannot be loaded", directml.loads.source),)
    if chosen:
        # What devicekit itself sets to keep a build from asking DirectX.
        blocks = ("directml",)
        severity = "info" if chosen == "/nonexistent" else "warning"
        return Kind("directml-missing", severity, blocks, pages.DIRECTML).finding(
            "TensorFlow will use no GPU: DirectML cannot be loaded from TF_DIRECTML_PATH='%s'." % chosen[:80],
            evidence,
            (view.shell.unset_fix("TF_DIRECTML_PATH", "Unset it: TensorFlow includes DirectML"),),
        )
    return Kind("directml-missing", "warning", ("directml",), pages.DIRECTML).finding(
        "TensorFlow will use no GPU: its DirectML library cannot be loaded.",
        evidence,
        (
            Fix("Install the current Windows updates", who="admin", changes="system"),
            *(() if windows else (view.shell.update_wsl_fix("Update WSL and restart it"),)),
        ),
    )


#: The oldest kernel of WSL with the bridge to DirectX, and the oldest for which Microsoft documents it.
_FIRST_KERNEL, _LEAST_KERNEL = "4.19.121", "5.10.43"


@rule("directml-unsupported", hidden_by=("wsl-without-gpu", "directml-missing"))
def directml_unsupported(view: View) -> Iterable[Finding]:
    """A DirectML build on a Windows or a WSL kernel that is too old for it, or without an adapter that it accepts."""
    flavor, native = view.directml_flavor, view.machine.native
    if flavor is None:
        return
    name = "tensorflow-directml" + ("" if flavor == "fork" else "-plugin")
    row = next(item for item in view.matrix.directml() if item.distribution == name)
    needed = windows_name("10.0.%d" % row.windows_build)
    reason, fix = "", Fix("Update to %s or later" % needed, who="admin", changes="system", undoable=False)
    release = native.release
    blocks: Tuple[str, ...] = ("directml",)
    if native.system == "windows":
        build = windows_build(native.release)
        if build is not None and build < row.windows_build:
            reason = "needs %s or later; this is %s" % (needed, windows_name(native.release))
            release = "%s, %s" % (windows_name(native.release), native.release)
    elif view.wsl == 2 and "microsoft" in native.release.lower():
        kernel = native.release.partition("-")[0]
        if version_at_least(kernel, _LEAST_KERNEL) is False:
            reason = "needs WSL kernel %s or later; this is %s" % (_LEAST_KERNEL, kernel)
            fix = view.shell.update_wsl_fix("Update WSL's kernel and restart it")
            blocks = ("directml",) if version_at_least(kernel, _FIRST_KERNEL) is False else ()
    if reason:
        evidence = (Evidence(release, "the operating system"),)
        yield Finding(
            "directml-unsupported", "warning", "%s %s." % (name, reason), evidence, (fix,), blocks, pages.DIRECTML
        )
        if blocks or not view.machine.directml.adapters.known:
            return
    yield from unusable_adapters(view, name)


@rule("gpu-vendor-unsupported", hidden_by=("wsl-without-gpu", "rosetta-python", "metal-plugin-missing"))
def gpu_vendor_unsupported(view: View) -> Iterable[Finding]:
    """There is a GPU that this build cannot use, and another build could."""
    yield from other_vendor_for(view)
    if not view.has_tensorflow or view.directml_flavor or view.uses_rocm or view.vendor("nvidia"):
        return
    others = [item for item in view.accelerators if item.vendor in ("amd", "intel", "qualcomm")]
    if not others or uses(view, "tensorflow", "xpu"):
        return
    gpu = others[0]
    system = view.machine.native.system
    better = better_on_windows(view, gpu, "tensorflow")
    fixes, severity = _other_build(view, gpu.vendor)
    if better:
        directml = fixes
        fixes = LazyFixes(lambda: better + (directml[0].replace(instead=True), *directml[1:]))
    blocks = ("tensorflow.gpu",)
    url = pages.DIRECTML if system == "windows" else pages.ROCM if gpu.vendor == "amd" else ""
    yield Kind("gpu-vendor-unsupported", severity, blocks, url).finding(
        "%s cannot use the %s here%s."
        % (view.tensorflow_label, gpu.name, "; a DirectML build could" if system == "windows" and not better else ""),
        (Evidence(gpu.name, gpu.source), Evidence(view.tensorflow_label, _where(view))),
        fixes,
    )


def _where(view: View) -> str:
    build = view.tensorflow_build
    return build.location if build is not None else ""


def _other_build(view: View, vendor: str) -> Tuple[Sequence[Fix], str]:
    if view.machine.native.system == "windows":
        plugin = next(row for row in view.matrix.directml() if row.distribution == "tensorflow-directml-plugin")
        pins = ("tensorflow-cpu==%s.0" % plugin.tensorflow, "%s==%s" % (plugin.distribution, plugin.version), "numpy<2")
        if accepts(plugin.python, view.machine.python.version):
            words = "Replace TensorFlow with the release that has a DirectML plug-in"
            return replace_by_goal(view, words, "directml", *pins), "warning"
        words = "The DirectML plug-in needs Python %s: create an environment with %%s" % plugin.python
        return LazyFixes(lambda: (elsewhere(view, words, "directml", *pins),)), "warning"
    if vendor == "amd":
        words = "Use AMD's TensorFlow build for ROCm in a new environment; this shows its releases"
        return (view.shell.run_fix(words, "devicekit", "resolve", "rocm"),), "warning"
    # An integrated GPU in a Linux machine: there is no maintained build for it, so it is not a cause for alarm.
    if vendor == "intel":
        return (Fix("Use PyTorch (device 'xpu'): no maintained TensorFlow build supports Intel GPUs on Linux"),), "info"
    return (Fix("No action possible: no TensorFlow build supports this vendor's GPUs on Linux"),), "info"
