"""The graphics driver: is it there, does it answer, does it fit the hardware and the build."""

from typing import Iterable, Tuple

from ..findings import Evidence, Finding, Fix
from ..matrix import version_at_least
from . import rule
from .view import View

_URL = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"


@rule("no-gpu", hidden_by=("wsl-without-gpu",))
def no_gpu(view: View) -> Iterable[Finding]:
    """The machine has no GPU: nothing is wrong."""
    if view.wsl:
        return  # the GPU is Windows' there, and the PCI bus does not show it
    if view.accelerators or view.machine.driver.nodes or view.machine.rocm.kfd.value or view.machine.directml.dxg.value:
        return
    driver = view.machine.driver
    source = {"windows": view.machine.directml.adapters.source, "macos": view.machine.metal.chip.source}.get(
        view.machine.native.system, driver.displays.source
    )
    seen = "%d display controllers, none of them a GPU that computes" % len(driver.displays.or_none() or ())
    yield Finding("no-gpu", "info", "This machine has no GPU.", (Evidence(seen, source),), (), ())


@rule("driver-missing", hidden_by=("wsl-without-gpu", "container-without-gpu", "cpu-only-build"))
def driver_missing(view: View) -> Iterable[Finding]:
    """An NVIDIA GPU without the driver's user-space library."""
    driver = view.machine.driver
    if not view.uses_cuda or not view.vendor("nvidia"):
        return
    names = ("nvcuda.dll",) if view.machine.native.system == "windows" else ("libcuda.so.1",)
    if any(item.name.lower() in names for item in driver.libraries.value or ()):
        return
    gpu = view.vendor("nvidia")[0]
    linux = view.machine.native.system == "linux"
    yield Finding(
        "driver-missing",
        "warning",
        "There is an NVIDIA GPU, but %s of its driver is nowhere where the loader looks." % names[0],
        (Evidence(gpu.name, gpu.source), Evidence("%s not found" % names[0], driver.libraries.source)),
        (
            Fix("Install NVIDIA's driver and restart", "sudo ubuntu-drivers install")
            if linux and "Ubuntu" in (view.machine.native.os_version.or_none() or "")
            else Fix("Install NVIDIA's driver for this system and restart"),
        ),
        ("cuda",),
        _URL,
    )


@rule("driver-mismatch", hidden_by=("driver-missing", "wsl-without-gpu", "container-without-gpu", "cpu-only-build"))
def driver_mismatch(view: View) -> Iterable[Finding]:
    """Kernel module and user-space driver are of different versions: an update without a restart."""
    driver = view.machine.driver
    if not view.uses_cuda or view.wsl:
        return
    kernel, library = driver.nvidia_kernel_version.value, driver.nvidia_library_version.value
    if "/compat/" in driver.nvidia_library_version.source:
        return  # NVIDIA's forward-compatibility package is newer than the kernel module on purpose
    if not kernel or not library or kernel == library:
        return
    yield Finding(
        "driver-mismatch",
        "warning",
        "The loaded NVIDIA kernel module is %s, the installed driver library %s." % (kernel, library),
        (
            Evidence("kernel module %s" % kernel, driver.nvidia_kernel_version.source),
            Evidence("library %s" % library, driver.nvidia_library_version.source),
        ),
        (Fix("Restart the machine: the driver was updated while the old kernel module was in use", "sudo reboot"),),
        ("cuda",),
        _URL,
    )


@rule(
    "driver-unhealthy",
    hidden_by=("driver-missing", "driver-mismatch", "wsl-without-gpu", "container-without-gpu", "cpu-only-build"),
)
def driver_unhealthy(view: View) -> Iterable[Finding]:
    """The kernel module is not loaded, or the node for computing is missing.

    CUDA's start may load and make them itself, where the set-user-id helper nvidia-modprobe is installed: so this blocks
    nothing, and a trial decides.
    """
    driver = view.machine.driver
    if not view.uses_cuda or view.wsl or view.machine.native.system != "linux" or not view.vendor("nvidia"):
        return
    nodes = {item.path for item in driver.nodes}
    if driver.nvidia_kernel_version.value is None:
        summary = "NVIDIA's driver is installed, but its kernel module is not loaded."
        evidence = Evidence("not there", driver.nvidia_kernel_version.source)
        fixes: Tuple[Fix, ...] = (
            Fix("Load the module; its error message, if any, says why it was not loaded", "sudo modprobe nvidia"),
            Fix("Where Secure Boot is on, sign the module or switch Secure Boot off"),
        )
    elif "/dev/nvidiactl" in nodes and "/dev/nvidia-uvm" not in nodes:
        summary = "The module nvidia-uvm, which CUDA needs, is not loaded: /dev/nvidia-uvm is missing."
        evidence = Evidence("nodes: %s" % ", ".join(sorted(nodes)), "/dev")
        fixes = (Fix("Load it", "sudo nvidia-modprobe -u -c=0"), Fix("Or", "sudo modprobe nvidia-uvm"))
    else:
        return
    yield Finding("driver-unhealthy", "info", summary, (evidence,), fixes, (), _URL)


@rule(
    "driver-too-old",
    hidden_by=("driver-missing", "driver-mismatch", "wsl-without-gpu", "container-without-gpu", "cpu-only-build"),
)
def driver_too_old(view: View) -> Iterable[Finding]:
    """The driver is older than the oldest that runs the CUDA release of this build."""
    driver = view.machine.driver
    if not view.uses_cuda or view.machine.native.system != "linux":
        return
    build, row = view.tensorflow_build, view.tensorflow_row
    version = (build.cuda_version.or_none() if build else None) or (row.linux_cuda if row else None)
    cuda = view.matrix.cuda(version)
    kernel = driver.nvidia_kernel_version.value
    if cuda is None or kernel is None or version_at_least(kernel, cuda.linux_driver) is not False:
        return
    yield Finding(
        "driver-too-old",
        "warning",
        "The NVIDIA driver %s is older than %s, the oldest that runs CUDA %s of %s."
        % (kernel, cuda.linux_driver, cuda.cuda, view.tensorflow_label),
        (Evidence("driver %s" % kernel, driver.nvidia_kernel_version.source),),
        (Fix("Update NVIDIA's driver to %s or newer and restart" % cuda.linux_driver),),
        ("cuda",),
        "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/",
    )
