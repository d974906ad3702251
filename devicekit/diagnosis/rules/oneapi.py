"""Intel's GPUs: the driver's user-space libraries, who may open the nodes, and what hides the devices."""

from typing import Iterable, List, Optional, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...machine.facts import Installation
from ...machine.vendors import INTEL
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .driver_installs import install_compute_runtime
from .frameworks import users
from .unreachable import Denied, Withheld, denied_nodes

#: What ITEX needs and Intel's driver packages bring, as opposed to oneAPI.
DRIVER_LIBRARIES = ("libze_loader.so.1", "libOpenCL.so.1")

#: The release of oneAPI by the name of its SYCL runtime (readelf of ITEX 2.15.0.0 to 2.15.0.3, which need the last two).
_RELEASES = {"libsycl.so.6": "2023", "libsycl.so.7": "2024", "libsycl.so.8": "2025"}


def intel_driver_missing(view: View) -> Iterable[Finding]:
    """An Intel GPU whose kernel driver or Level Zero is not there."""
    machine = view.machine
    gpus = view.vendor(INTEL.key)
    if machine.native.system != "linux" or view.wsl or not users(view, INTEL.platform) or not gpus:
        return
    if not machine.oneapi.gpus.value:
        yield _kernel_driver_missing(view, gpus[0])
        return
    plugins = machine.python.plugins.or_none() or ()
    needed = [name for item in plugins if "libitex" in item.path for name in item.missing_libraries]
    absent = [name for name in DRIVER_LIBRARIES if name in needed]
    if not any(item.name.startswith("libze_intel_gpu.so") for item in machine.oneapi.libraries.value or ()):
        absent.append("libze_intel_gpu.so.1")
    if absent:
        # What oneAPI lacks besides is the plug-in's own finding, which then says that TensorFlow cannot be imported.
        fatal = any(name in DRIVER_LIBRARIES for name in absent) and set(needed) <= set(DRIVER_LIBRARIES)
        yield _level_zero_missing(view, gpus[0], absent, fatal)


def _kernel_driver_missing(view: View, gpu: Accelerator) -> Finding:
    driver = next((item.driver for item in view.displays(INTEL) if item.driver), "")
    return Kind("driver-missing", "warning", (INTEL.platform,), pages.DRIVER_INTEL).finding(
        "This machine has an Intel GPU, but no kernel driver has made a render node for it%s."
        % (" (it is bound to %s)" % driver if driver else ""),
        (
            Evidence(gpu.name, gpu.source),
            Evidence("no renderD* of Intel's", view.machine.oneapi.gpus.source or "/dev/dri"),
        ),
        (
            Fix(
                "Boot a kernel that supports this GPU: 6.2 or later for Arc A, 6.12 or later for Arc B (driver xe)",
                who="admin",
                changes="driver",
            ),
        ),
    )


def _level_zero_missing(view: View, gpu: Accelerator, absent: Sequence[str], fatal: bool) -> Finding:
    machine = view.machine
    blocks = (INTEL.platform, "tensorflow") if fatal else (INTEL.platform,)
    return Kind("driver-missing", "error" if fatal else "warning", blocks, pages.DRIVER_INTEL).finding(
        "This machine has an Intel GPU, but %s of its driver (Level Zero) %s not installed%s."
        % (
            ", ".join(absent[:-1]) + " and " + absent[-1] if len(absent) > 1 else absent[0],
            "is" if len(absent) == 1 else "are",
            "; TensorFlow cannot be imported without them" if fatal else "",
        ),
        (
            Evidence(gpu.name, gpu.source),
            *(Evidence("%s not found" % name, machine.oneapi.libraries.source) for name in absent),
        ),
        (install_compute_runtime(view),),
    )


def oneapi_fixes(view: View, missing: Sequence[str]) -> Tuple[Fix, ...]:
    """Return how to bring oneAPI's libraries to where the dynamic linker looks, the installed release of it first."""
    wanted = next((release for name, release in _RELEASES.items() if name in missing), "")
    there = _fitting(view.machine.oneapi.installations, wanted)
    if there is not None and there.found_via == "pip":
        folder = there.path.rpartition("/")[0]
        return (view.shell.library_folders_fix("Add pip's copy of them to the library search path", [folder]),)
    if there is not None:
        root = there.path.rpartition("/compiler/")[0]
        return (_load(view, "Load oneAPI into this shell before Python starts", root),)
    text = "Install Intel's oneAPI Base Toolkit%s from %s" % (" " + wanted if wanted else "", pages.ONEAPI)
    return (Fix(text, who="admin", changes="system"), _load(view, "Load it into this shell", "/opt/intel/oneapi"))


def _load(view: View, text: str, root: str) -> Fix:
    return view.shell.run_fix(text, ".", root + "/setvars.sh", changes="variables")


def _fitting(installations: Sequence[Installation], wanted: str) -> Optional[Installation]:
    for item in installations:
        release = item.version or _RELEASES.get(item.path.rpartition("/")[2], "")
        if not wanted or release.startswith(wanted):
            return item
    return None


def intel_withheld(view: View) -> Optional[Withheld]:
    """Return what a container on a machine with an Intel GPU and its driver was started without, None for nothing."""
    machine = view.machine
    if machine.process.container.value is None or not users(view, INTEL.platform):
        return None
    if any("renderD" in item.path for item in machine.driver.nodes):
        return None
    displays = machine.driver.displays
    bound = [item for item in displays.value or () if item.vendor_id in INTEL.pci_ids and item.driver in ("i915", "xe")]
    if not bound:
        return None
    seen = Evidence("the host's driver %s has %s" % (bound[0].driver, bound[0].address), displays.source)
    return Withheld(INTEL, ("/dev/dri/renderD*",), seen, "gpu.intel.com/%s" % bound[0].driver)


def intel_denied(view: View) -> Denied:
    """Return Intel's render nodes that this user must not open; one GPU that may be opened is enough."""
    machine = view.machine
    if not users(view, INTEL.platform):
        return Denied(INTEL.platform)
    nodes = {gpu.render_node for gpu in machine.oneapi.gpus.value or ()}
    denied = [item for item in machine.driver.nodes if not item.accessible and item.path in nodes]
    return denied_nodes(INTEL.platform, denied if len(denied) >= len(nodes) else [])


def intel_hidden(view: View) -> Tuple[str, str]:
    """Return the variable that hides every Intel GPU, and its value; ("", "") where none does."""
    process = view.machine.process
    selector = process.env("ONEAPI_DEVICE_SELECTOR")
    if not users(view, INTEL.platform) or not (selector or process.env("ZE_AFFINITY_MASK")):
        return "", ""
    count = len(view.machine.oneapi.gpus.value or ()) or len(view.vendor(INTEL.key))
    if not count:
        return "", ""
    if selector and not selects_gpu(selector, count):
        return "ONEAPI_DEVICE_SELECTOR", selector
    mask = process.env("ZE_AFFINITY_MASK")
    if mask and not _mask_leaves(mask, count):
        return "ZE_AFFINITY_MASK", mask
    return "", ""


def selects_gpu(selector: str, count: int) -> bool:
    """Return whether ONEAPI_DEVICE_SELECTOR leaves a GPU of so many to Level Zero, which ITEX and PyTorch use.

    The form (sycl/doc/EnvironmentVariables.md): terms with semicolons between them, ``backend:device,device``; a term
    that begins with ``!`` takes devices away. Without a term that gives, all is given.
    """
    given: List[bool] = []
    for term in selector.lower().split(";"):
        term = term.strip()
        discard = term.startswith("!")
        backend, colon, devices = term.lstrip("!").partition(":")
        if not colon or backend.strip() not in ("level_zero", "*"):
            given += [False] if not discard else []
            continue
        names = [name.strip() for name in devices.split(",")]
        some = any(name in ("*", "gpu") or _in_range(name, count) for name in names)
        if discard and any(name in ("*", "gpu") for name in names):
            return False
        if not discard:
            given.append(some)
    return any(given) if given else True


def _in_range(name: str, count: int) -> bool:
    root = name.partition(".")[0]
    return root == "*" or (root.isdecimal() and len(root) < 10 and int(root) < count)


def _mask_leaves(mask: str, count: int) -> bool:
    """Whether ZE_AFFINITY_MASK names a GPU that there is: numbers, or ``device.tile``, with commas between them."""
    return any(_in_range(part.strip(), count) for part in mask.split(","))
