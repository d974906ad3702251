"""The graphics driver: is it there, does it answer, does it fit the hardware and the build."""

import re
from typing import Iterable, Optional, Sequence, Tuple

from ...machine.facts import Library
from ...matrix.matrix import version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..install_fixes import replace_by_goal
from ..view import View
from .driver_health import cuda_in_use
from .driver_installs import driver_need, forward_compatibility, install_driver, remove_linux_driver, update_driver
from .frameworks import uses
from .gpu_builds import driver_too_old_for
from .gpu_code import compiled_for_all
from .oneapi import intel_driver_missing
from .registry import rule
from .rocm import amd_driver_missing


@rule("no-gpu", hidden_by=("wsl-without-gpu", "directml-unsupported"))
def no_gpu(view: View) -> Iterable[Finding]:
    """The machine has no GPU: nothing is wrong."""
    if view.wsl:
        return  # the GPU is Windows' there, and the PCI bus does not show it
    if view.accelerators or view.machine.driver.nodes or view.machine.rocm.kfd.value or view.machine.directml.dxg.value:
        return
    if view.machine.tpu.chips.or_none():
        return
    driver = view.machine.driver
    source = {"windows": view.machine.directml.adapters.source, "macos": view.machine.metal.chip.source}.get(
        view.machine.native.system, driver.displays.source
    )
    seen = "no GPU for computing among %d display controllers" % len(driver.displays.or_none() or ())
    summary = "This machine has no GPU."
    processor = view.machine.metal.chip.problem
    if view.machine.native.system == "macos" and processor:
        if uses(view, "tensorflow", "metal"):
            return  # Apple's plug-in up to 1.0 uses the GPUs of Intel Macs as well; only a run can tell
        seen, summary = processor, "No current framework can use the GPU of a Mac with an Intel processor."
    yield Finding("no-gpu", "info", summary, (Evidence(seen, source),), (), ())


@rule("driver-missing", hidden_by=("wsl-without-gpu", "container-without-gpu"))
def driver_missing(view: View) -> Iterable[Finding]:
    """A GPU without the driver's user-space library, or without the driver."""
    yield from amd_driver_missing(view)
    yield from intel_driver_missing(view)
    driver = view.machine.driver
    if not cuda_in_use(view) or not view.vendor("nvidia"):
        return
    names = ("nvcuda.dll",) if view.machine.native.system == "windows" else ("libcuda.so.1",)
    if any(item.name.lower() in names and not _is_stub(item) for item in driver.libraries.value or ()):
        return
    gpu = view.vendor("nvidia")[0]
    yield Kind("driver-missing", "warning", ("cuda",), pages.DRIVER_NVIDIA).finding(
        "This machine has an NVIDIA GPU, but the NVIDIA driver is not installed (%s not found)." % names[0],
        (Evidence(gpu.name, gpu.source), Evidence("%s not found" % names[0], driver.libraries.source)),
        LazyFixes(lambda: install_driver(view)),
    )


def _is_stub(library: Library) -> bool:
    return "/stubs/" in library.path


def _version(library: Library) -> Optional[str]:
    """The driver version in the name of the file, None if it has none."""
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)$", library.target or library.name)
    return match.group(1) if match else None


@rule("driver-shadowed", hidden_by=("driver-missing", "wsl-without-gpu", "container-without-gpu"))
def driver_shadowed(view: View) -> Iterable[Finding]:
    """Another libcuda hides the one that belongs to the loaded driver."""
    driver = view.machine.driver
    if not cuda_in_use(view) or view.machine.native.system != "linux":
        return
    found = [item for item in driver.libraries.value or () if item.name == "libcuda.so.1"]
    if not found:
        return
    first, others = found[0], found[1:]
    reason, own = _shadow(view, first, others)
    if not reason:
        return
    evidence = [Evidence("found first, through %s" % first.found_via, first.path)]
    if own is not None:
        evidence.append(Evidence("the driver's own%s" % (" (%s)" % _version(own) if _version(own) else ""), own.path))
    if driver.nvidia_kernel_version.or_none():
        evidence.append(
            Evidence("kernel module %s" % driver.nvidia_kernel_version.content, driver.nvidia_kernel_version.source)
        )
    yield Kind("driver-shadowed", "warning", ("cuda",), pages.DRIVER_NVIDIA).finding(
        "CUDA will not start: %s hides the driver's own libcuda, and %s." % (first.path, reason),
        tuple(evidence),
        _unshadow(view, first),
    )


def _shadow(view: View, first: Library, others: Sequence[Library]) -> Tuple[str, Optional[Library]]:
    """Why the first one is the wrong one, and which is the right one; "" if nothing is wrong with it."""
    kernel = view.machine.driver.nvidia_kernel_version.or_none()
    if _is_stub(first):
        return "is only a stub for linking", next((item for item in others if not _is_stub(item)), None)
    if view.wsl == 2:
        own = next((item for item in others if item.path.startswith("/usr/lib/wsl/")), None)
        if own is not None and not first.path.startswith("/usr/lib/wsl/"):
            return "belongs to a Linux driver, but WSL uses the Windows driver", own
        return "", None
    version = _version(first)
    if "/compat/" in first.path:
        other = others[0] if others else None
        # NVIDIA's forward-compatibility package is made for data-center GPUs, and for kernel modules older than itself.
        names = [gpu.name for gpu in view.vendor("nvidia")]
        if kernel and version and version_at_least(version, kernel) is False:
            return "belongs to an older driver (%s) than the loaded one" % version, other
        if names and all("GeForce" in name for name in names):
            return "is NVIDIA's forward-compatibility package, which GeForce cards do not support", other
        return "", None
    own = next((item for item in others if kernel and _version(item) == kernel), None)
    if own is not None and version and version != kernel:
        return "has another version (%s) than the loaded driver" % version, own
    return "", None


def _unshadow(view: View, library: Library) -> Tuple[Fix, ...]:
    folder = library.path.rpartition("/")[0]
    if library.found_via != "LD_LIBRARY_PATH":
        if view.wsl:
            return (remove_linux_driver(view),)
        text = "Remove %s from the dynamic linker's configuration (/etc/ld.so.conf.d), then update its cache" % folder
        return (view.shell.root_fix(text, "ldconfig"),)
    parts = (view.machine.process.env("LD_LIBRARY_PATH") or "").split(":")
    rest = [part for part in parts if part and part.rstrip("/") != folder]
    return (view.shell.only_folders_fix("Remove %s from LD_LIBRARY_PATH" % folder, "LD_LIBRARY_PATH", rest),)


@rule(
    "driver-mismatch",
    hidden_by=("driver-missing", "driver-shadowed", "wsl-without-gpu", "container-without-gpu"),
)
def driver_mismatch(view: View) -> Iterable[Finding]:
    """Kernel module and user-space driver are of different versions: an update without a restart."""
    driver = view.machine.driver
    if not cuda_in_use(view) or view.wsl:
        return
    if driver.nvml_error.value == _MISMATCH:
        yield _told_mismatch(view)
        return
    kernel, library = driver.nvidia_kernel_version.value, driver.nvidia_library_version.value
    if "/compat/" in driver.nvidia_library_version.source:
        return  # NVIDIA's forward-compatibility package is newer than the kernel module on purpose
    if not kernel or not library or kernel == library:
        return
    yield Kind("driver-mismatch", "warning", ("cuda",), pages.DRIVER_NVIDIA).finding(
        "The loaded NVIDIA kernel module (%s) and the installed driver library (%s) differ in version."
        % (kernel, library),
        _versions(view),
        (_restart(view),),
    )


#: What NVML calls it (nvml.h: NVML_ERROR_LIB_RM_VERSION_MISMATCH).
_MISMATCH = 18


def _restart(view: View) -> Fix:
    return view.shell.restart_fix("Restart the machine to load the updated driver")


def _versions(view: View) -> Tuple[Evidence, ...]:
    driver = view.machine.driver
    named = (("kernel module", driver.nvidia_kernel_version), ("library", driver.nvidia_library_version))
    return tuple(Evidence("%s %s" % (name, fact.or_none()), fact.source) for name, fact in named if fact.or_none())


def _told_mismatch(view: View) -> Finding:
    """What the driver itself says, whatever the names of the files are."""
    driver = view.machine.driver
    kernel, library = driver.nvidia_kernel_version.or_none(), driver.nvidia_library_version.or_none()
    versions = " (%s, %s)" % (kernel, library) if kernel and library and kernel != library else ""
    return Kind("driver-mismatch", "warning", ("cuda",), pages.DRIVER_NVIDIA).finding(
        "The loaded NVIDIA kernel module and the installed driver libraries differ in version%s." % versions,
        (Evidence(driver.nvml.problem, driver.nvml.source), *_versions(view)),
        (_restart(view),),
    )


@rule(
    "driver-too-old",
    hidden_by=("driver-missing", "driver-mismatch", "wsl-without-gpu", "container-without-gpu"),
)
def driver_too_old(view: View) -> Iterable[Finding]:
    """The driver is older than the oldest that runs the CUDA release of this build."""
    yield from driver_too_old_for(view)
    driver = view.machine.driver
    windows = view.machine.native.system == "windows"
    if not view.uses_cuda or view.machine.native.system == "macos":
        return
    build, row = view.tensorflow_build, view.known_row if windows else view.tensorflow_row
    version = (build.cuda_version.or_none() if build else None) or (row.linux_cuda if row else None)
    # Windows' builds name a file there; all that have GPU support since 2.5 are for 11.2.
    cuda = view.matrix.cuda("11.2" if windows and version_at_least(view.tensorflow_version or "", "2.5") else version)
    # In WSL the driver is Windows' own, of which only NVML tells; so on Windows.
    fact = driver.nvidia_version if windows or view.wsl else driver.nvidia_kernel_version
    kernel = fact.or_none() if windows or view.wsl else fact.value
    need = None if cuda is None else driver_need(view, cuda.cuda, compiled_for_all(view))
    if need is None or kernel is None or version_at_least(kernel, need.version) is not False:
        return
    of = " of %s" % view.tensorflow_label if need.purpose.startswith("for CUDA") else ""
    yield Kind("driver-too-old", "warning", ("tensorflow.cuda",), pages.CUDA_RELEASES).finding(
        "The NVIDIA driver %s is too old: at least %s is needed %s%s." % (kernel, need.version, need.purpose, of),
        (Evidence("driver %s" % kernel, fact.source),),
        LazyFixes(lambda: _newer_driver(view, need.version, cuda.cuda if cuda is not None else "")),
    )


def _newer_driver(view: View, least: str, cuda: str) -> Tuple[Fix, ...]:
    update = update_driver(view, least)
    if update:
        return (*update, *forward_compatibility(view, cuda))
    older = "Install the newest TensorFlow that a driver for this GPU runs"
    return tuple(replace_by_goal(view, older, "cuda", "tensorflow[and-cuda]"))
