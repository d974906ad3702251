"""Who may reach a GPU: containers that were started without it, and device nodes that this user must not open."""

from typing import Dict, Iterable, NamedTuple, Optional

from ...machine.vendors import AMD, INTEL, NVIDIA, Vendor
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .frameworks import users
from .oneapi import intel_denied, intel_withheld
from .registry import rule
from .rocm import amd_denied, amd_withheld
from .unreachable import Denied, Withheld


class _Start(NamedTuple):
    """How a container gets the GPUs of a vendor."""

    docker: str
    podman: str
    url: str
    note: str = ""


_STARTS: Dict[Vendor, _Start] = {
    NVIDIA: _Start(
        "--gpus all",
        "--device nvidia.com/gpu=all",
        pages.CONTAINER_NVIDIA,
        " (the host needs the NVIDIA Container Toolkit)",
    ),
    AMD: _Start(
        "--device /dev/kfd --device /dev/dri",
        "--device /dev/kfd --device /dev/dri",
        pages.CONTAINER_AMD,
    ),
    INTEL: _Start(
        "--device /dev/dri",
        "--device /dev/dri",
        pages.ITEX,
    ),
}


@rule("container-without-gpu")
def container_without_gpu(view: View) -> Iterable[Finding]:
    """A container on a machine with a GPU and its driver, started without the GPU."""
    for find in (amd_withheld, intel_withheld, _nvidia_withheld):
        withheld = find(view)
        if withheld is not None:
            yield _started_without(view, withheld)


def _started_without(view: View, withheld: Withheld) -> Finding:
    vendor, process = withheld.vendor, view.machine.process
    start = _STARTS[vendor]
    fix = view.shell.run_container_fix("Start the container with the GPU" + start.note, start.docker, start.podman)
    if process.container.or_none() == "kubernetes":
        fix = Fix("Request the GPU in the pod's resources: limits: %s: 1" % withheld.resource, changes="files")
    return Kind("container-without-gpu", "warning", (vendor.platform,), start.url).finding(
        "This container was started without the %s GPU of its host: %s %s missing."
        % (vendor.title, " and ".join(withheld.nodes), "is" if len(withheld.nodes) == 1 else "are"),
        (withheld.evidence, Evidence(process.container.or_none() or "", process.container.source)),
        (fix,),
    )


def _nvidia_withheld(view: View) -> Optional[Withheld]:
    driver = view.machine.driver
    if view.machine.process.container.value is None:
        return None
    if any(item.path.startswith("/dev/nvidia") for item in driver.nodes):
        return None
    kernel = driver.nvidia_kernel_version.value
    hardware = view.displays(NVIDIA)
    if kernel is None and not (hardware and hardware[0].driver == "nvidia"):
        return None
    seen = Evidence("the host's NVIDIA driver is %s" % (kernel or "loaded"), driver.nvidia_kernel_version.source)
    return Withheld(NVIDIA, ("/dev/nvidia*",), seen, "nvidia.com/gpu")


@rule("device-permission-denied", hidden_by=("container-without-gpu",))
def device_permission_denied(view: View) -> Iterable[Finding]:
    """A device node is there that this user must not open."""
    denials = [find(view) for find in (_nvidia_denied, amd_denied, intel_denied, _tpu_denied)]
    denied = next((item for item in denials if item.nodes), None)
    if denied is not None:
        yield Kind("device-permission-denied", "warning", (denied.platform,)).finding(
            "This user has no access to %s." % ", ".join(denied.nodes[:3]),
            tuple(Evidence("no read and write access", path) for path in denied.nodes[:3]),
            (_join_groups(view, denied),),
        )
        return
    dxg = view.machine.directml.dxg.or_none()
    if dxg is not None and not dxg.accessible:
        yield Kind("device-permission-denied", "warning", ("directml", "cuda", "rocm")).finding(
            "This user has no access to %s, through which WSL reaches every GPU." % dxg.path,
            (Evidence("no read and write access", dxg.path),),
            (view.shell.root_fix("Let every user open it, which is WSL's default", "chmod", "a+rw", dxg.path),),
        )


def _nvidia_denied(view: View) -> Denied:
    nodes = [item.path for item in view.machine.driver.nodes if not item.accessible and "nvidia" in item.path]
    return Denied(NVIDIA.platform, tuple(nodes), usual=("video",))


def _join_groups(view: View, denied: Denied) -> Fix:
    """How this user gets into the groups that own the nodes, as far as these have names here."""
    named = [name for name in denied.groups if not name.isdecimal()]
    if denied.groups and not named:
        numbers = " ".join("--group-add %s" % number for number in denied.groups)
        return view.shell.run_container_fix("Start the container with the groups of the host's nodes", numbers)
    if named == ["root"]:
        text = "The node belongs to root alone: let the system's rules (udev) give it to the group render"
        return Fix(text, who="admin", changes="system")
    groups = ",".join(name for name in named or denied.usual if name != "root")
    text = "Add yourself to the group that owns it, then log in again"
    return view.shell.root_fix(text, "usermod", "-aG", groups, "$USER")


def _tpu_denied(view: View) -> Denied:
    """Return the TPU's nodes that this user must not open, if a framework would use them."""
    if not users(view, "tpu"):
        return Denied("tpu")
    return Denied("tpu", tuple(item.path for item in view.machine.tpu.nodes if not item.accessible))
