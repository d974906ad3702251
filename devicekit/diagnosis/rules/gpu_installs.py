"""How to install a JAX or a PyTorch that can use the GPUs of a machine. Pure.

Source: https://docs.jax.dev/en/latest/installation.html (``jax[cuda12]``, ``jax[cuda13]``, their oldest drivers and GPUs).
"""

from typing import List, Sequence

from ...matrix.gpu_support import capability_number
from ...matrix.matrix import accepts, version_at_least
from .. import pages
from ..findings import Fix
from ..view import View
from .driver_installs import capabilities_of, driver_limit, driver_need, driver_version, update_driver


def runs(view: View, cuda: str) -> bool:
    """Return whether nothing that is known speaks against a CUDA release: neither the driver's age nor the GPUs'."""
    version, _ = driver_version(view)
    need = driver_need(view, cuda)
    least = need.version if need is not None else ""
    limit = driver_limit(view)
    if least and (version_at_least(version, least) is False or (limit and version_at_least(least, limit.following))):
        return False
    numbers = [capability_number(text) for text in capabilities_of(view)]
    # CUDA 13 has no code below Turing, CUDA 12 up to 12.7 none for Blackwell.
    if numbers and version_at_least(cuda, "13") is True:
        return max(numbers) >= (7, 5)
    return not numbers or version_at_least(cuda, "12.8") is not False or min(numbers) < (10, 0)


def _preferred(view: View, releases: List[str]) -> List[str]:
    """The best one first: the newest, unless nothing is known of a driver, as CUDA 13 needs a recent one."""
    known = bool(driver_version(view)[0])
    return sorted(releases, key=lambda cuda: not known and version_at_least(cuda, "13") is True)


def jax_with_cuda(view: View, version: str) -> List[Fix]:
    """Return how to get JAX's plug-in for CUDA for the installed JAX."""
    if view.machine.native.system == "windows":
        return [view.shell.install_wsl_fix("Use JAX in WSL 2: it has no GPU support on native Windows")]
    majors = _preferred(view, [cuda for cuda in ("13.0", "12.1") if runs(view, cuda)])
    majors = [cuda.partition(".")[0] for cuda in majors]
    for major in majors:
        project = view.matrix.project("jax-cuda%s-plugin" % major)
        if project is not None and version in project.versions:
            return [
                view.shell.install_fix("Install its plug-in for CUDA %s" % major, "jax[cuda%s]==%s" % (major, version))
            ]
    if majors:
        return [
            view.shell.install_fix("Install JAX with the plug-in for CUDA %s" % majors[-1], "jax[cuda%s]" % majors[-1])
        ]
    return _newer_driver(view, "JAX's plug-ins")


def _newer_driver(view: View, what: str) -> List[Fix]:
    limit, need = driver_limit(view), driver_need(view, "12.1")
    least = need.version.partition(".")[0] if need is not None else "525"
    if limit is not None and version_at_least(least, limit.following):
        text = "Use the CPU: %s need driver %s, and branch %s is the last one for %s"
        return [Fix(text % (what, least, limit.branch, limit.gpu))]
    return update_driver(view, least, "first: %s need " % what)


def torch_with_cuda(view: View, version: str) -> List[Fix]:
    """Return how to replace a PyTorch by its build for CUDA."""
    plain = version.partition("+")[0]
    project = view.matrix.project("torch")
    release = project.release(plain) if project is not None else None
    for build in release.builds if release is not None else ():
        fits = build.kind == "cuda" and any(view.target.takes_platform(tag) for tag, _ in build.wheels)
        same = version.endswith("+cu%s" % build.cuda.replace(".", ""))
        if (
            fits
            and not same
            and runs(view, build.cuda)
            and _made_for(view, view.matrix.gpu_code("torch", plain, build.cuda))
        ):
            # Where the version is the same, an installer sees nothing to do: the other build has to go first.
            text = "Replace it with the build on PyPI, which includes CUDA %s" % build.cuda
            return [view.shell.replace_fix(text, ["torch"], "torch==%s" % plain)]
    return torch_build(view, version)


def torch_build(view: View, version: str) -> List[Fix]:
    """Return how to replace a PyTorch by the build of PyTorch's own index that fits the driver and the GPUs."""
    plain = version.partition("+")[0]
    rows = view.matrix.indexes("torch", "cuda", view.target.platform)
    if not rows:
        return [Fix("See which builds PyTorch has for this platform: %s" % pages.TORCH)]
    fitting = [row for row in rows if runs(view, row.cuda) and _made_for(view, row.code)]
    same = [row for row in fitting if accepts(row.versions, plain)]
    if not fitting:
        return _newer_driver(view, "PyTorch's builds for CUDA 12")
    # The table has the preferred one first; nothing of this release, or not known: then the newest that is there.
    url = {row.cuda: row.url for row in same or fitting}
    cuda = _preferred(view, list(url))[0]
    text, requirement = "Replace it with PyTorch's build for CUDA %s" % cuda, "torch==%s" % plain if same else "torch"
    return [view.shell.replace_fix(text, ["torch"], requirement, index_url=url[cuda])]


def _made_for(view: View, code: Sequence[str]) -> bool:
    """Whether a build with this code runs on one of the GPUs, as far as both are known."""
    known = [capability_number(text) for text in capabilities_of(view)]
    have = [capability_number(text) for text in code]
    return not known or not have or any(item[0] == gpu[0] and item <= gpu for item in have for gpu in known)
