"""JAX's plug-ins for accelerators: do they belong to it, what they open, and the variables that choose among them. Pure.

Sources: ``jax/_src/xla_bridge.py`` (which platforms are tried, what an unknown or a failing one does),
``jaxlib/plugin_support.py`` (the versions that must be equal), ``jax_plugins/xla_cuda12/__init__.py`` (the libraries whose
versions are asked first of all); what they do was tried with JAX 0.4.30 to 0.12.0.
"""

import re
from typing import Iterable, Iterator, List, NamedTuple, Optional, Tuple

from ...machine.vendors import VENDORS
from ...matrix.gpu_support import capability_number
from .. import pages
from ..findings import Evidence, Finding, Kind
from ..view import View
from .driver_installs import capabilities_of
from .frameworks import gpu_build, is_there, uses

#: The platforms that ``JAX_PLATFORMS=gpu`` stands for; every one that is named must exist.
_ALIASES = {"gpu": ("cuda", "rocm")}

#: JAX's own names for platforms; another one may be a plug-in's that is not known here.
_KNOWN = ("cpu", "cuda", "rocm", "gpu", "tpu")

#: The libraries whose versions the CUDA plug-in asks before it registers itself, by CUDA's major number: cuDNN apart. From
#: 0.12 on the plug-in has the CUDA runtime in itself (seen: it asks for cuDNN first).
_OPENED = {
    "12": ("libcudart.so.12", "libcufft.so.11", "libcupti.so.12", "libcublas.so.12", "libcusparse.so.12", "libcusolver.so.11"),
    "13": ("libcufft.so.12", "libcupti.so.13", "libcublas.so.13", "libcusparse.so.12", "libcusolver.so.12"),
}  # fmt: skip
_CUDNN = "libcudnn.so.9"


class Mismatch(NamedTuple):
    """A plug-in of another version than jaxlib's."""

    distribution: str
    version: str
    jaxlib: str
    location: str


def mismatches(view: View) -> Tuple[Mismatch, ...]:
    """Return the CUDA plug-ins that are of another version than jaxlib; ROCm's are not compared by JAX either."""
    python = view.machine.python
    jaxlib = python.version_of("jaxlib")
    found = []
    for item in python.distributions.value or ():
        version = item.version.or_none()
        if jaxlib and version and re.match(r"jax-cuda\d+-(plugin|pjrt)$", item.name):
            if _numbers(version) != _numbers(jaxlib):
                found.append(Mismatch(item.name, version, jaxlib, item.location))
    return tuple(sorted(found, key=lambda item: "plugin" not in item.distribution))


def _numbers(version: str) -> str:
    match = re.match(r"\d+(?:\.\d+)*", version)
    return match.group() if match else version


def jax_mismatch(view: View) -> Iterable[Finding]:
    """A plug-in for CUDA of another version than jaxlib.

    JAX then leaves its kernels out, so that linear algebra, random numbers or recurrent layers fail on the GPU. Releases
    before 0.5.3 do not look, and fail at any place (seen: at the import, when devices are listed). What still works only
    a run can tell.
    """
    wrong = mismatches(view)
    build = gpu_build(view, "jax")
    if not wrong or build is None or not view.machine.python.version_of("jax"):
        return
    first = wrong[0]
    major = first.distribution[8:10]
    yield Kind("plugin-version-mismatch", "warning", ("jax.kernels",), pages.JAX).finding(
        "%s %s needs jaxlib %s; with %s, JAX does not use its kernels, and operations that need them fail on the GPU."
        % (first.distribution, first.version, _numbers(first.version), first.jaxlib),
        (*(Evidence("%s %s" % (item.distribution, item.version), item.location) for item in wrong),)
        + (Evidence("jaxlib %s" % first.jaxlib),),
        (
            view.shell.install_fix(
                "Install the plug-in of the same version", "jax[cuda%s]==%s" % (major, build.version)
            ),
        ),
    )


def _lacking(view: View) -> Tuple[str, Tuple[str, ...]]:
    """CUDA's major number, and what the plug-in asks for and would not find."""
    build = gpu_build(view, "jax")
    names = _OPENED.get(build.cuda_release, ()) if build is not None else ()
    if build is None or not names or view.machine.native.system != "linux" or not view.vendor("nvidia"):
        return "", ()
    # pip's packages are loaded by their path, anything else by the linker's search.
    found = {item.name for item in view.machine.cuda.libraries.value or ()}
    return build.cuda, tuple(name for name in (*names, _CUDNN) if name not in found)


def jax_library_missing(view: View) -> Iterable[Finding]:
    """A CUDA library that JAX's plug-in asks for: without it the plug-in gives up, and JAX computes on the processor."""
    major, lacking = _lacking(view)
    missing = tuple(name for name in lacking if name != _CUDNN)
    if missing:
        yield _missing(view, "cuda-library-missing", major, missing)


def jax_cudnn_missing(view: View) -> Iterable[Finding]:
    """The same for cuDNN alone."""
    major, lacking = _lacking(view)
    if lacking == (_CUDNN,):
        yield _missing(view, "cudnn-missing", major, lacking)


def jax_cudnn_unfit(view: View) -> Iterable[Finding]:
    """Pip's newest cuDNN on GPUs for which it no longer has code, while JAX's plug-in for CUDA 12 has."""
    build = gpu_build(view, "jax")
    if build is None or build.cuda_release != "12" or view.machine.native.system != "linux":
        return
    found = view.machine.python.distribution("nvidia-cudnn-cu12")
    version = (found.version.or_none() if found is not None else None) or ""
    line = view.matrix.cudnn(version) if version else None
    known = capabilities_of(view)
    if found is None or line is None or not known:
        return
    oldest = capability_number(line.oldest_capability)
    if any(capability_number(text) >= oldest for text in known):
        return
    yield Kind("cudnn-version-mismatch", "warning", ("jax.cuda",), pages.CUDNN).finding(
        "%s would load cuDNN %s, which has no code for compute capability %s: convolutions and recurrent layers fail."
        % (build.label, ".".join(version.split(".")[:3]), known[0]),
        (
            Evidence("cuDNN %s" % version, found.location),
            Evidence(
                "cuDNN %s has code from %s on" % (line.versions, line.oldest_capability),
                "devicekit's compatibility data",
            ),
        ),
        (
            view.shell.install_fix(
                "Install the last cuDNN that supports it", "nvidia-cudnn-cu12<%s" % view.matrix.cudnn_before(known[0])
            ),
        ),
    )


def _missing(view: View, code: str, major: str, names: Tuple[str, ...]) -> Finding:
    build = gpu_build(view, "jax")
    assert build is not None  # something of it is missing
    requirement = "jax[cuda%s]%s" % (major, "==" + build.version if build.version else "")
    return Kind(code, "warning", ("jax.cuda",), pages.JAX).finding(
        "%s cannot use the GPU: libraries of its CUDA plug-in are missing (%s)." % (build.label, ", ".join(names)),
        tuple(Evidence("%s not found" % name, view.machine.cuda.libraries.source) for name in names),
        (view.shell.install_fix("Install the CUDA libraries of the plug-in", requirement),),
    )


def jax_platforms(view: View) -> Optional[Tuple[str, ...]]:
    """Return the platforms that JAX_PLATFORMS names, aliases resolved, as JAX reads it; None if it chooses by itself."""
    value = view.machine.process.env("JAX_PLATFORMS")
    if not value:
        return None
    found: List[str] = []
    for name in value.split(","):
        found += _ALIASES.get(name, (name,))
    return tuple(found)


def listed_first(view: View) -> str:
    """Return the platform whose devices ``jax.devices()`` lists where a variable decides that, "" if none does."""
    name = (view.machine.process.env("JAX_PLATFORM_NAME") or "").lower()
    chosen = jax_platforms(view)
    return name or (chosen[0] if chosen else "")


def unavailable_platform(view: View) -> str:
    """Why JAX_PLATFORMS names what JAX cannot start, "" if nothing is known against it."""
    chosen = jax_platforms(view)
    if chosen is None:
        return ""
    reason = next(filter(None, (_cannot_start(view, name) for name in chosen)), "")
    if not reason and chosen == ("cuda",) and not view.vendor("nvidia") and not view.wsl:
        reason = "names only CUDA, but there is no NVIDIA GPU"
    return reason


def unavailable_name(view: View, name: str) -> str:
    """The same for JAX_PLATFORM_NAME, of which any platform of an alias will do, in capital letters as well."""
    platforms = _ALIASES.get(name, (name,))
    if name not in _KNOWN or name == "cpu":
        return ""
    there = [vendor for vendor in VENDORS if vendor.platform in platforms and uses(view, "jax", vendor.platform)]
    if name != "tpu" and there and not any(view.vendor(vendor.key) for vendor in there) and not view.wsl:
        return "names '%s', but there is no GPU for it" % name
    if there or uses(view, "jax", name):
        return ""
    return "names '%s', for which no plug-in is installed" % name


def _cannot_start(view: View, name: str) -> str:
    """Why JAX could not start a platform that it was set to use, "" if it could or that is not known."""
    if name in ("cuda", "rocm", "tpu"):
        if uses(view, "jax", name):
            return ""
        gpu = view.machine.process.env("JAX_PLATFORMS") or ""
        if name in _ALIASES.get("gpu", ()) and name not in gpu.split(","):
            return "names 'gpu', which means both CUDA and ROCm, and no plug-in for '%s' is installed" % name
        return "names '%s', for which no plug-in is installed" % name
    if name.strip().lower() in _KNOWN and name.strip().lower() != name:
        return "names '%s', which JAX does not know: names are lower case, without spaces" % name
    return "has an empty part" if not name else ""


def jax_hidden(view: View) -> Iterator[Finding]:
    """A variable that makes JAX leave the GPUs out, or compute on the processor all the same."""
    if not is_there(view, "jax"):
        return
    for vendor in VENDORS:
        platform = vendor.platform
        if not uses(view, "jax", platform) or not view.vendor(vendor.key):
            continue
        chosen, name = jax_platforms(view), (view.machine.process.env("JAX_PLATFORM_NAME") or "").lower()
        if chosen is not None and platform not in [item.lower() for item in chosen]:
            yield _hides(view, "JAX_PLATFORMS", "excludes the GPU", platform)
        elif name == "cpu":
            yield _hides(view, "JAX_PLATFORM_NAME", "makes JAX use the CPU", platform)


def _hides(view: View, name: str, what: str, platform: str) -> Finding:
    value = view.machine.process.env(name) or ""
    blocks = ("jax.%s" % platform,)
    return Kind("device-hidden", "info" if value.lower() == "cpu" else "warning", blocks, pages.JAX_VARIABLES).finding(
        "%s is set to '%s', which %s." % (name, value[:60], what),
        (Evidence("%s=%s" % (name, value[:60]), "environment"),),
        (view.shell.unset_fix(name),),
    )
