"""Which accelerators each installed framework was built for. Pure."""

import re
from typing import NamedTuple, Optional, Tuple

from ...errors import UnknownFactError
from ...matrix.matrix import version_at_least
from ..frameworks import BACKENDS, TITLES
from ..view import View


class GpuBuild(NamedTuple):
    """What JAX or PyTorch was built for.

    Attributes
    ----------
    label : str
        The name for messages: ``PyTorch 2.9.1``.
    version : str
        "" if it is not known.
    cuda, rocm : str
        The releases that it was built with (``"12.8"``; of JAX's plug-ins the major number alone); "" if it was not,
        ``"?"`` where it was and nothing says which.
    known : bool
        Whether anything says so; where nothing does, both are "".
    source : str
        What says it.
    """

    label: str
    version: str
    cuda: str
    rocm: str
    known: bool
    source: str

    @property
    def cuda_release(self) -> str:
        """The release of CUDA, "" if it was built without.

        Raises
        ------
        UnknownFactError
            If it was built with CUDA and nothing says which.
        """
        if self.cuda == "?":
            raise UnknownFactError("%s: cannot tell for which CUDA it was built" % self.label)
        return self.cuda


def is_there(view: View, framework: str) -> bool:
    """Return whether a framework is installed, with metadata or without."""
    if framework == "tensorflow":
        return view.has_tensorflow
    python = view.machine.python
    return python.distribution(framework) is not None or python.build(framework) is not None


def gpu_build(view: View, framework: str) -> Optional[GpuBuild]:
    """Return what JAX or PyTorch was built for, None if it is not installed."""
    if not is_there(view, framework):
        return None
    python = view.machine.python
    build = python.build(framework)
    version = python.version_of(framework) or (build.version.or_none() if build is not None else None) or ""
    label = ("%s %s" % (TITLES[framework], version)).strip()
    if build is not None and build.cuda.known and build.rocm.known:
        cuda = (build.cuda_version.or_none() or "?") if build.cuda.value else ""
        rocm = (build.rocm_version.or_none() or "?") if build.rocm.value else ""
        if cuda or rocm or framework == "torch" or "+cuda" not in (python.version_of("jaxlib") or ""):
            return GpuBuild(label, version, cuda, rocm, True, build.cuda.source)
    found = python.distribution(framework)
    location = found.location if found is not None else ""
    releases = _jax_plugins(view) if framework == "jax" else _torch_name(view, version)
    if releases is None:
        return GpuBuild(label, version, "", "", False, location)
    return GpuBuild(label, version, releases[0], releases[1], True, location)


def _jax_plugins(view: View) -> Tuple[str, str]:
    """CUDA and ROCm by the distributions of the plug-ins; up to 0.4.2x a jaxlib of its own had CUDA in it."""
    cuda = rocm = ""
    for item in view.machine.python.distributions.value or ():
        match = re.match(r"jax-(cuda|rocm)(\d+)-p(?:jrt|lugin)$", item.name)
        if match is not None and match.group(1) == "cuda":
            cuda = max(cuda, match.group(2))
        elif match is not None:
            rocm = match.group(2)
        elif item.name == "jaxlib" and "+cuda" in (item.version.or_none() or ""):
            cuda = cuda or re.sub(r"^(\d+).*", r"\1", str(item.version.or_none()).partition("+cuda")[2])
    return cuda, rocm


def _torch_name(view: View, version: str) -> Optional[Tuple[str, str]]:
    """What the version of a PyTorch says (``2.9.1+cu128``), or which wheel of it is on the registry for this system."""
    local = version.partition("+")[2]
    match = re.match(r"(cu|rocm)(\d+)(?:\.(\d+))?", local)
    if match is not None:
        digits = match.group(2)
        number = "%s.%s" % (digits, match.group(3)) if match.group(3) else "%s.%s" % (digits[:-1], digits[-1])
        return (number, "") if match.group(1) == "cu" else ("", number)
    if local:
        return "", ""
    project, target = view.matrix.project("torch"), view.target
    release = project.release(version) if project is not None else None
    for build in release.builds if release is not None else ():
        if any(target.takes_platform(tag) for tag, _ in build.wheels):
            return build.cuda, ""
    return None


def uses(view: View, framework: str, platform: str) -> bool:
    """Return whether the installed build of a framework has code for a platform, working or not."""
    if platform in ("xpu", "metal", "tpu"):
        return _uses_by_addition(view, framework, platform)
    if framework == "tensorflow":
        return {"cuda": view.uses_cuda, "rocm": view.uses_rocm}.get(platform, False)
    found = gpu_build(view, framework)
    return found is not None and bool({"cuda": found.cuda, "rocm": found.rocm}.get(platform))


def users(view: View, platform: str) -> Tuple[str, ...]:
    """Return the installed frameworks whose build has code for a platform."""
    return tuple(name for name in BACKENDS if uses(view, name, platform))


def _uses_by_addition(view: View, framework: str, platform: str) -> bool:
    """The same for platforms that a plug-in or a build of its own adds, and none of the usual builds has."""
    python = view.machine.python
    if (framework, platform) == ("tensorflow", "xpu"):
        if not python.plugins.known:
            return python.distribution("intel-extension-for-tensorflow") is not None
        # Its flavor for processors brings no device (libitex_cpu alone: seen with 2.15.0.0).
        return any("libitex_gpu" in item.path for item in python.plugins.content or ())
    build = python.build(framework)
    if (framework, platform) == ("torch", "xpu"):
        xpu = build.xpu.or_none() if build is not None else None
        return "+xpu" in (python.version_of("torch") or "") if xpu is None else xpu
    if (framework, platform) == ("torch", "metal"):
        apple = view.machine.native.system == "macos" and python.architecture == "arm64"
        # Metal came with 1.12 (its release notes).
        return apple and is_there(view, "torch") and version_at_least(python.version_of("torch") or "2", "1.12") is True
    names = {
        ("tensorflow", "metal"): ("tensorflow-metal",),
        ("jax", "metal"): ("jax-metal",),
        ("tensorflow", "tpu"): ("tensorflow-tpu",),
        ("jax", "tpu"): ("libtpu",),
    }.get((framework, platform), ())
    if (framework, platform) == ("jax", "tpu") and view.machine.tpu.library.or_none():
        return python.distribution("jax") is not None
    return bool(names) and python.distribution(*names) is not None
