"""What a build can do with a GPU and its driver. Pure."""

import re
from typing import NamedTuple, Optional, Sequence, Tuple

from .matrix import Matrix, accepts, version_at_least
from .projects import Build
from .tables import Defect
from .target import Target


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
        The CUDA release of the build: its libraries run on the drivers of NVIDIA's table of minor-version compatibility.
    capabilities : sequence of str
        Compute capabilities of the GPUs. A driver older than the first toolkit that supports a GPU does not know the GPU
        either; of that driver the branch counts, because each update of the toolkit came with another version of it.
    system : {"linux", "windows"}
        Whose driver it is: in WSL, Windows'.
    compiled : bool
        Whether the driver has to compile the build's PTX, which one older than the build's toolkit does not read (CUDA
        Compatibility, "Application considerations for minor version compatibility").
    """
    row = matrix.cuda(cuda)
    windows = system == "windows"
    needs = []
    if row is not None:
        own = row.own_windows_driver if windows else row.own_linux_driver
        if compiled and own:
            needs.append(DriverNeed(own, "to compile the PTX of CUDA %s" % row.cuda))
        needs.append(DriverNeed(row.windows_driver if windows else row.linux_driver, "for CUDA %s" % row.cuda))
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


def refuses_driver(build: Build, target: Target, matrix: Matrix) -> Optional[str]:
    """Return why the NVIDIA driver of a target cannot run a build, None if it can or where that is not known."""
    if not target.driver or not build.cuda:
        return None
    compiled = code_for(build, target).kind == "compiled"
    need = needed_driver(build.cuda, target.capabilities, target.system, matrix, compiled)
    if need is not None and driver_at_least(target.driver, need.version) is False:
        return "NVIDIA driver %s is loaded; %s or later is needed %s" % (target.driver, need.version, need.purpose)
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
