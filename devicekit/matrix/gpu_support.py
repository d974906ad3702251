"""What a build can do with a GPU and its driver. Pure."""

import re
from typing import NamedTuple, Optional, Sequence, Tuple

from .matrix import Matrix, accepts, version_at_least
from .projects import Build, Release
from .tables import Defect
from .target import Target

#: The CUDA release that JAX's plug-ins are made with, as the matrix names it; they say the major number alone.
JAX_CUDA = {"12": "12.1", "13": "13.0"}


class Code(NamedTuple):
    """What GPU code a build has for the GPUs of a target.

    Attributes
    ----------
    kind : {"machine", "compiled", "none", "unknown"}
        ``machine``: ready to run. ``compiled``: the driver compiles it at first use, which takes minutes. ``none``: it
        does not run.
    refusal : str or None
        Why it does not run.
    """

    kind: str
    refusal: Optional[str] = None


#: As CUDA's compiler, or NVIDIA's tables of GPUs, write a compute capability.
_CAPABILITY = re.compile(r"(?:sm_|compute_)?\d{2,4}[a-z]?|\d{1,3}\.\d{1,3}")


def is_capability(text: str) -> bool:
    """Return whether a text is a compute capability."""
    return _CAPABILITY.fullmatch(text) is not None


def capability_number(text: str) -> Tuple[int, int]:
    """Return a compute capability as two numbers.

    >>> capability_number("sm_89"), capability_number("compute_120"), capability_number("8.9")
    ((8, 9), (12, 0), (8, 9))
    """
    digits = re.sub(r"[a-z]+$", "", text.partition("_")[2] or text)
    major, dot, minor = digits.partition(".")
    return (int(major), int(minor or 0)) if dot else (int(digits[:-1]), int(digits[-1]))


def code_for(build: Build, target: Target) -> Code:
    """Return what GPU code a build has for the best served GPU of a target.

    Machine code runs on later minor numbers of the same major one; PTX is compiled by the driver for anything newer (CUDA
    C++ Programming Guide, "Application Compatibility"). TensorFlow's builds have both for ``compute_80``, and machine code
    only for ``sm_80`` (its ``configure.py``).
    """
    known = [value for value in target.capabilities if value]
    if not build.capabilities or not known:
        return Code("unknown")
    best = Code("none")
    for text in known:
        gpu = capability_number(text)
        for item in build.capabilities:
            code = capability_number(item)
            if code[0] == gpu[0] and code[1] <= gpu[1]:
                return Code("machine")
            if item.startswith("compute_") and code <= gpu:
                best = Code("compiled")
    if best.kind == "none":
        have = ", ".join(build.capabilities)
        return Code("none", "it has no code for compute capability %s, only for %s" % (", ".join(known), have))
    return best


def gpu_code_in(release: Release, build: Build, matrix: Matrix) -> Tuple[str, ...]:
    """Return the GPU code in a build: TensorFlow's wheels state it, of JAX's and PyTorch's it was read; () if unknown."""
    if build.capabilities or release.project not in ("jax", "torch"):
        return build.capabilities
    cuda = build.cuda.partition(".")[0] if release.project == "jax" else build.cuda
    return matrix.gpu_code(release.project, release.version, cuda)


def refuses_gpu(build: Build, target: Target, matrix: Matrix) -> Optional[str]:
    """Return why a build runs on none of the GPUs of a target, None if it runs on one or that is not known."""
    known = [text for text in target.capabilities if text]
    row = matrix.cuda(JAX_CUDA.get(build.cuda, build.cuda))
    if build.capabilities or row is None or not known or len(known) < len(target.capabilities):
        return code_for(build, target).refusal
    # What is in the build is not known; code for these no compiler of that CUDA release makes.
    if all(capability_number(text) < capability_number(row.oldest_capability) for text in known):
        return "CUDA %s has no code for compute capability %s, only from %s on" % (
            row.cuda, ", ".join(known), row.oldest_capability,
        )  # fmt: skip
    return None


def gpu_defect(framework: str, version: str, build: Build, target: Target, matrix: Matrix) -> Optional[Defect]:
    """Return what speaks against a release on the GPUs of a target, whatever else is installed; None if nothing does."""
    known = [value for value in target.capabilities if value]
    for item in matrix.defects(framework, version) if known else ():
        # What depends on more than the GPU and the build's code for it, another set may avoid.
        alone = not (item.libraries or item.gpus or item.without or item.gfx or item.chips or item.instructions)
        if not (alone and item.capabilities and item.code and item.severity == "warning"):
            continue
        if not all(accepts(item.capabilities, text) for text in known):
            continue
        kind = code_for(build, target).kind
        if kind == item.code or (kind == "unknown" and newer_than_build(build, known, matrix)):
            return item
    return None


def newer_than_build(build: Build, capabilities: Sequence[str], matrix: Matrix) -> bool:
    """Return whether the compiler of a build's CUDA release makes code for none of some GPUs: they came later."""
    row = matrix.cuda(build.cuda)
    known = [capability_number(text) for text in capabilities if text]
    return row is not None and bool(known) and min(known) > capability_number(row.newest_capability)


class DriverNeed(NamedTuple):
    """The oldest NVIDIA driver that can do, and for what: ``"for CUDA 12.5"``."""

    version: str
    purpose: str


def needed_driver(
    cuda: str, capabilities: Sequence[str], system: str, matrix: Matrix, compiled: bool = False
) -> Optional[DriverNeed]:
    """Return the oldest driver that a build for a CUDA release needs on one of some GPUs, None if it is not known.

    Parameters
    ----------
    cuda : str
        The CUDA release of the build (of JAX's plug-ins the major number): its libraries run on the drivers of NVIDIA's table
        of minor-version compatibility.
    capabilities : sequence of str
        Compute capabilities of the GPUs. A driver older than the first toolkit that supports a GPU does not know the GPU
        either; of that driver the branch counts, because each update of the toolkit came with another version of it.
    system : {"linux", "windows"}
        Whose driver it is: in WSL, Windows'.
    compiled : bool
        Whether the driver has to compile the build's PTX, which one older than the build's toolkit does not read (CUDA
        Compatibility, "Application considerations for minor version compatibility").
    """
    row = matrix.cuda(JAX_CUDA.get(cuda, cuda))
    label = "CUDA %s" % (cuda if cuda in JAX_CUDA or row is None else row.cuda)
    windows = system == "windows"
    needs = []
    if row is not None:
        own = row.own_windows_driver if windows else row.own_linux_driver
        if compiled and own:
            needs.append(DriverNeed(own, "to compile the PTX of %s" % label))
        needs.append(DriverNeed(row.windows_driver if windows else row.linux_driver, "for %s" % label))
    toolkits = [(text, matrix.first_toolkit(text)) for text in capabilities if text]
    drivers = [
        DriverNeed((first.own_windows_driver if windows else first.own_linux_driver).split(".")[0],
                   "for compute capability %s" % text)
        for text, first in toolkits
        if first is not None
    ]  # fmt: skip
    if drivers and len(drivers) == len(toolkits):  # otherwise there is a GPU that any driver supports
        needs.append(min(drivers, key=lambda need: int(need.version or 0)))
    return max((need for need in needs if need.version), key=lambda need: _parts(need.version), default=None)


def _parts(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


class DriverLimit(NamedTuple):
    """The last branch of NVIDIA's driver that supports a GPU, the one after it, and for which GPU it is the last."""

    branch: str
    following: str
    gpu: str


def driver_limits(capabilities: Sequence[str], matrix: Matrix) -> Tuple[DriverLimit, ...]:
    """Return which drivers are the last ones for some GPUs, the oldest first; nothing for GPUs that all current ones support.

    Windows numbers its drivers of a branch on within it (581 and 582 belong to 580): the limit is the branch that follows.
    """
    rows = [(matrix.architecture(text), text) for text in capabilities if text]
    found = [
        DriverLimit(row.last_driver, row.next_driver, "compute capability %s (%s)" % (text, row.architecture))
        for row, text in rows
        if row is not None and row.last_driver
    ]
    return tuple(sorted(found, key=lambda limit: _parts(limit.following)))


def refuses_driver(build: Build, target: Target, matrix: Matrix) -> Optional[str]:
    """Return why the driver of a target, or any, cannot run a build on its GPUs; None if it can or that is not known."""
    if not build.cuda:
        return None
    compiled = code_for(build, target).kind == "compiled"
    system = "windows" if target.wsl else target.system
    need = needed_driver(build.cuda, target.capabilities, system, matrix, compiled)
    limits = driver_limits(target.capabilities, matrix)
    limit = limits[-1] if limits and len(limits) == len(target.capabilities) else None
    if limit is not None and need is not None and version_at_least(need.version, limit.following):
        return "NVIDIA driver %s or later is needed %s, and %s is the last branch for %s" % (
            need.version, need.purpose, limit.branch, limit.gpu,
        )  # fmt: skip
    if target.driver and need is not None and driver_at_least(target.driver, need.version) is False:
        return "NVIDIA driver %s is loaded; %s or later is needed %s" % (target.driver, need.version, need.purpose)
    if target.driver and limit is not None and version_at_least(target.driver, limit.following):
        return "NVIDIA driver %s is loaded; %s is the last branch for %s" % (target.driver, limit.branch, limit.gpu)
    return None


def refuses_targets(tensorflow_rocm: str, targets: Sequence[str], matrix: Matrix) -> Optional[str]:
    """Return why a release of tensorflow-rocm runs on none of AMD's GPUs with these targets, None if it runs on one.

    Where the targets are not known, nothing is refused. Of a release whose code is not known, nothing is promised.
    """
    if not targets:
        return None
    row = matrix.rocm(tensorflow_rocm)
    if row is None or not row.gfx:
        return "on which of AMD's GPUs it runs is not known"
    if set(targets) & set(row.gfx):
        return None
    have = ", ".join(row.gfx)
    return "it does not run on %s, only on %s" % (" and ".join(targets), have)


def driver_at_least(driver: str, least: str) -> Optional[bool]:
    """Return whether an NVIDIA driver is at least another; of a branch alone it is not known how its releases compare.

    >>> driver_at_least("535.104.05", "525.60.13"), driver_at_least("535", "525.60.13"), driver_at_least("525", "525.60.13")
    (True, True, None)
    """
    if "." not in driver and driver == least.partition(".")[0] != least:
        return None
    return version_at_least(driver, least)
