"""What a build can do with a GPU and its driver. Pure."""

import re
from typing import NamedTuple, Optional, Tuple

from .matrix import Matrix, version_at_least
from .projects import Build
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


def refuses_driver(build: Build, target: Target, matrix: Matrix) -> Optional[str]:
    """Return why the NVIDIA driver of a target cannot run a build, None if it can or where that is not known."""
    row = matrix.cuda(build.cuda)
    if row is None or not target.driver:
        return None
    least = row.windows_driver if target.system == "windows" else row.linux_driver
    if driver_at_least(target.driver, least) is False:
        return "CUDA %s needs NVIDIA driver %s or later; %s is loaded" % (row.cuda, least, target.driver)
    return None


def driver_at_least(driver: str, least: str) -> Optional[bool]:
    """Return whether an NVIDIA driver is at least another; of a branch alone it is not known how its releases compare.

    >>> driver_at_least("535.104.05", "525.60.13"), driver_at_least("535", "525.60.13"), driver_at_least("525", "525.60.13")
    (True, True, None)
    """
    if "." not in driver and driver == least.partition(".")[0] != least:
        return None
    return version_at_least(driver, least)
