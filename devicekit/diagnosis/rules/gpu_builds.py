"""JAX's and PyTorch's builds against the GPU and its driver. Pure."""

from functools import partial
from typing import Iterable, List, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...matrix.gpu_names import capability_of
from ...matrix.gpu_support import code_for
from ...matrix.matrix import minor_of, normal_name, version_at_least
from ...matrix.projects import Build
from ...matrix.target import Target, windows_build
from ...matrix.windows_gpu import ways_on_windows
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..view import View
from .cuda_order import cuda_accelerators
from .driver_installs import driver_need, driver_version, forward_compatibility, update_driver
from .frameworks import GpuBuild, gpu_build, uses
from .gpu_installs import jax_with_cuda, torch_build, torch_with_cuda
from .import_needs import applies
from .libraries import search

_URL = {
    "jax": pages.JAX,
    "torch": pages.TORCH,
}
_OTHERS = ("jax", "torch")


def _cuda_release(framework: str, build: GpuBuild) -> str:
    """The CUDA release of a build as the matrix names it; JAX's plug-ins say the major number alone."""
    release = build.cuda_release
    return {"12": "12.1", "13": "13.0"}.get(release, release) if framework == "jax" else release


def without_cuda(view: View) -> Iterable[Finding]:
    """An NVIDIA GPU, and a JAX without its plug-in or a PyTorch that was built without CUDA."""
    for name in _OTHERS:
        build = gpu_build(view, name)
        if build is None or not build.known or build.cuda or build.rocm or uses(view, name, "xpu"):
            continue
        gpus = view.vendor("nvidia")
        if not gpus:
            return
        summary = "%s is built without GPU support" % build.label
        if name == "jax":
            summary = "%s is installed without its CUDA plug-in" % build.label
        yield Kind("cpu-only-build", "warning", ("%s.cuda" % name,), _URL[name]).finding(
            "This machine has an NVIDIA GPU, but %s." % summary,
            (Evidence(gpus[0].name, gpus[0].source), Evidence(build.label, build.source)),
            tuple((jax_with_cuda if name == "jax" else torch_with_cuda)(view, build.version)),
        )


def other_vendor_for(view: View) -> Iterable[Finding]:
    """A GPU of AMD's or Intel's, and a JAX or a PyTorch that was built for none of its kind."""
    for name in _OTHERS:
        build = gpu_build(view, name)
        if build is None or not build.known or view.machine.native.system == "macos" or view.vendor("nvidia"):
            continue
        if any(uses(view, name, platform) for platform in ("rocm", "xpu")):
            continue
        gpu = next((item for item in view.accelerators if item.vendor in ("amd", "intel")), None)
        if gpu is None:
            return
        # An integrated GPU next to a processor is not a cause for alarm; a card of AMD's usually was bought to be used.
        severity = "warning" if gpu.vendor == "amd" and view.machine.native.system == "linux" else "info"
        blocks = ("%s.gpu" % name,)
        url = pages.ROCM if gpu.vendor == "amd" else _URL[name]
        yield Kind("gpu-vendor-unsupported", severity, blocks, url).finding(
            "%s cannot use the %s here." % (build.label, gpu.name),
            (Evidence(gpu.name, gpu.source), Evidence(build.label, build.source)),
            _for_gpu(view, name, gpu),
        )


def better_on_windows(view: View, gpu: Accelerator, framework: str) -> Tuple[Fix, ...]:
    """Return what uses a GPU of AMD or Intel on Windows better than DirectML does, the best first."""
    if view.machine.native.system != "windows":
        return ()
    build = windows_build(view.machine.native.release)
    fixes: List[Fix] = []
    for way in ways_on_windows(gpu.vendor, gpu.name, framework, view.matrix, build):
        if way.goal != "directml":
            text = way.text if way.arguments else "%s: %s (as of %s)" % (way.text, way.url, way.date)
            step = Fix(text)
            if way.arguments:
                step = view.shell.run_fix(text, "devicekit", "resolve", *way.arguments)
            fixes.append(step.replace(instead=bool(fixes)))
    return tuple(fixes)


def _for_gpu(view: View, framework: str, gpu: Accelerator) -> Tuple[Fix, ...]:
    vendor, system = gpu.vendor, view.machine.native.system
    if framework == "jax":
        if vendor == "amd" and system == "linux":
            text = "Install JAX's plug-in for ROCm 7 in a new environment; ROCm itself has to be on the system"
            python = minor_of(view.machine.python.version)
            return (view.shell.new_environment_fix(text, python, "rocm", ("jax[rocm7-local]",)),)
        return (Fix("Use PyTorch (device 'xpu' for Intel GPUs): JAX does not support this GPU here"),)
    goal, title = ("xpu", "Intel GPUs") if vendor == "intel" else ("rocm", "ROCm")
    rows = view.matrix.indexes("torch", goal, view.target.platform)
    targets = view.target.targets_for(goal)
    for row in rows:
        if not targets or set(targets) & set(row.code):
            text = "Replace it with PyTorch's build for %s" % title
            return (view.shell.replace_fix(text, ["torch"], "torch", index_url=row.url),)
    if system == "windows":
        better = better_on_windows(view, gpu, framework)
        if view.machine.python.distribution("torch-directml"):
            last = Fix("Use torch-directml, which is installed: model.to(torch_directml.device())", changes="code")
        else:
            text = "Use torch-directml in a new environment; it is not developed any more"
            last = view.shell.run_fix(text, "devicekit", "resolve", "directml", "--framework", "torch")
        return (*better, last.replace(instead=bool(better)))
    if rows:
        return (Fix("PyTorch's builds for %s are not made for %s: use the CPU" % (title, " and ".join(targets))),)
    theirs = view.matrix.maker("torch", goal, system)
    return (Fix(theirs or "No action possible: PyTorch has no build for this GPU here"),)


def driver_too_old_for(view: View) -> Iterable[Finding]:
    """NVIDIA's driver is older than the oldest that runs the CUDA release of JAX's plug-in or of the PyTorch build."""
    for name in _OTHERS:
        build = gpu_build(view, name)
        if build is None or not build.cuda or not view.vendor("nvidia"):
            continue
        need = driver_need(view, _cuda_release(name, build))
        version, source = driver_version(view)
        windows = view.machine.native.system == "windows" or bool(view.wsl)
        if not (version or windows) and view.machine.driver.nvidia_kernel_version.value is None:
            continue
        if need is None or version_at_least(version, need.version) is not False:
            continue
        purpose = need.purpose
        if purpose.startswith("for CUDA"):
            purpose = "for CUDA %s of %s" % (build.cuda, build.label)
        yield Kind("driver-too-old", "warning", ("%s.cuda" % name,), pages.CUDA_RELEASES).finding(
            "The NVIDIA driver %s is too old: at least %s is needed %s." % (version, need.version, purpose),
            (
                Evidence("driver %s" % version, source),
                Evidence("%s with CUDA %s" % (build.label, build.cuda), build.source),
            ),
            LazyFixes(partial(_newer_driver, view, name, build, need.version)),
        )


def _newer_driver(view: View, name: str, build: GpuBuild, least: str) -> Tuple[Fix, ...]:
    """A newer driver, or a build for an older one."""
    update = update_driver(view, least)
    other = [fix.replace(instead=bool(update)) for fix in _other_cuda(view, name, build)]
    keep = forward_compatibility(view, build.cuda) if update else []
    return (*update, *keep, *other) or (Fix("Use the CPU: no driver runs both this build and the GPU"),)


def _other_cuda(view: View, framework: str, build: GpuBuild) -> List[Fix]:
    """A build for another CUDA that the driver and the GPUs run, where there is one."""
    if framework == "torch":
        return [fix for fix in torch_build(view, build.version) if fix.packages is not None]
    if build.cuda != "13" or view.machine.native.system == "windows":
        return []
    gone = ("jax-cuda13-plugin", "jax-cuda13-pjrt")
    found = [fix for fix in jax_with_cuda(view, build.version) if fix.packages is not None]
    return [view.shell.packages_fix(fix.text, fix.packages.replace(remove=gone)) for fix in found if fix.packages]


def no_code_for(view: View) -> Iterable[Finding]:
    """NVIDIA GPUs for which the build of JAX or PyTorch has no code; PyTorch lists them all the same, and fails on them."""
    for name in _OTHERS:
        build = gpu_build(view, name)
        if build is None or not build.cuda:
            continue
        have = view.matrix.gpu_code(name, build.version.partition("+")[0], build.cuda_release)
        gpus = (cuda_accelerators(view) or list(view.vendor("nvidia"))) if have else []
        known = [item.compute_capability or capability_of(item.name, view.matrix) or "" for item in gpus]
        wheel = Build((), (), "cuda", "", "", have, "", (), "")
        refused = [
            index
            for index, text in enumerate(known)
            if text and code_for(wheel, Target("", "linux", "x86_64", capabilities=(text,))).kind == "none"
        ]
        if not refused:
            continue
        first, whole = gpus[refused[0]], len(refused) == len(gpus)
        fixes: Sequence[Fix] = (Fix("Use the other GPUs"),)
        if whole:
            fixes = _other_cuda(view, name, build) or (Fix("Use a release that supports it"),)
        blocks = ("%s.cuda" % name,) if whole else tuple("%s.gpu:%d" % (name, index) for index in refused)
        yield Kind("compute-capability-unsupported", "warning" if whole else "info", blocks, pages.CUDA_GPUS).finding(
            "%s with CUDA %s has no code for compute capability %s (%s)%s."
            % (
                build.label,
                build.cuda,
                known[refused[0]],
                first.name,
                ": it lists the GPU, but every operation on it fails" if name == "torch" else "",
            ),
            (
                Evidence("code for %s" % ", ".join(have), "devicekit's compatibility data"),
                Evidence(first.name, first.source),
            ),
            tuple(fixes),
        )


def no_library_for(view: View) -> Iterable[Finding]:
    """CUDA libraries that a PyTorch build is linked with and that are not there: its import fails.

    They come as distributions of their own, which it requires; another package's pins may have taken one away.
    """
    build = gpu_build(view, "torch")
    if build is None or not build.cuda or view.machine.native.system != "linux":
        return
    found = search(view, "torch")
    if found is None or not found.missing or found.repairable:
        return
    owner = view.machine.python.distribution("torch")
    requires = owner.requires if owner is not None else ()
    declared = [text for text in requires if text.startswith("nvidia-")]
    gone = [text for text in declared if not _is_installed(view, text) and applies(text, view)]
    # Where all of those are there, it is one that the extras of this one stand for (from 2.11 on).
    gone = gone or [text for text in requires if text.startswith("cuda-toolkit[") and applies(text, view)]
    wanted = [text.partition(";")[0].replace(" ", "").replace("(", "").replace(")", "") for text in gone]
    plain = build.version.partition("+")[0]
    again = view.shell.replace_fix("Reinstall it", ["torch"], "torch==%s" % plain)
    absent = tuple(dict.fromkeys(lack for name in found.missing for lack in found.attempts[name].lacks))
    yield Kind("cuda-library-missing", "error", ("torch",), _URL["torch"]).finding(
        "%s cannot be imported: %s not found." % (build.label, ", ".join(absent)),
        tuple(Evidence("%s not found" % name, view.machine.cuda.libraries.source) for name in absent[:8]),
        (view.shell.install_fix("Install its requirements", *wanted) if wanted else again,),
    )


def _is_installed(view: View, requirement: str) -> bool:
    """Return whether the distribution of a requirement is installed, in whatever version."""
    return view.machine.python.distribution(normal_name(requirement)) is not None
