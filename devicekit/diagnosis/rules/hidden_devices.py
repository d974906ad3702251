"""What hides every GPU from a framework: environment variables, and MIG mode without slices."""

from typing import Iterable

from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .adapter_findings import hiding_variable
from .cuda_order import hidden_from_cuda, without_slices
from .driver_health import cuda_in_use
from .jax_plugins import jax_hidden
from .oneapi import intel_hidden
from .registry import rule
from .rocm import amd_closed_bridge, amd_hidden, amd_refused_target


@rule("device-hidden")
def device_hidden(view: View) -> Iterable[Finding]:
    """An environment variable hides every GPU."""
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES")
    if value is not None and cuda_in_use(view) and view.vendor("nvidia") and hidden_from_cuda(view):
        yield _hidden(view, "CUDA_VISIBLE_DEVICES", value, "cuda")
    for platform, (name, value) in (("rocm", amd_hidden(view)), ("xpu", intel_hidden(view))):
        if name:
            yield _hidden(view, name, value, platform)
    yield from amd_closed_bridge(view)
    yield from amd_refused_target(view)
    if cuda_in_use(view) and without_slices(view):
        yield _without_slices(view)
    yield from jax_hidden(view)
    yield from hiding_variable(view)


def _without_slices(view: View) -> Finding:
    gpu = without_slices(view)[0]
    place = gpu.bus_id or str(gpu.index)
    return Kind("device-hidden", "warning", ("cuda",), pages.MIG).finding(
        "%s is in MIG mode without slices, so no program can use it." % gpu.name,
        (Evidence("MIG mode, no slices", gpu.mig_devices.source),),
        (
            view.shell.root_fix(
                "List the possible sizes of slices", "nvidia-smi", "mig", "-i", place, "-lgip", changes=""
            ),
            Fix(
                "Create a slice: sudo nvidia-smi mig -i %s -cgi PROFILE -C, with the number of one of them" % place,
                who="admin",
                changes="system",
            ),
            view.shell.root_fix("Turn MIG mode off", "nvidia-smi", "-i", place, "-mig", "0", instead=True),
        ),
    )


def _hidden(view: View, name: str, value: str, platform: str) -> Finding:
    deliberate = value.strip() in ("", "-1", "none", "None", "NoDevFiles")
    blocks = (platform,)
    severity = "info" if deliberate else "warning"
    return Kind("device-hidden", severity, blocks, pages.CUDA_GUIDE if platform == "cuda" else "").finding(
        "%s is set to '%s', which hides every GPU." % (name, value[:60]),
        (Evidence("%s=%s" % (name, value[:60]), "environment"),),
        (view.shell.unset_fix(name),),
    )
