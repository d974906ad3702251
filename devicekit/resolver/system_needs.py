"""What the system has to bring for a set: hardware, drivers, libraries that no package brings. Pure."""

from typing import List, Sequence, Tuple

from ..matrix.gpu_support import capability_number, code_for, driver_at_least, needed_driver, newer_than_build
from ..matrix.matrix import TENSORFLOW_OWNERS, Matrix, version_at_least
from ..matrix.projects import Build, sort_key
from ..matrix.target import Target
from .engine import Solution
from .goals import LOADER_PATH, Stack
from .result import SystemNeed


def system_needs(way: Sequence[Stack], solution: Solution, target: Target, matrix: Matrix) -> Tuple[SystemNeed, ...]:
    """Return what the system has to bring, with whether it does as far as that is known."""
    found: List[SystemNeed] = []
    goal = way[0].goal
    vendor = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel"}.get(goal)
    labels = {
        "nvidia": "an NVIDIA GPU",
        "amd": "an AMD GPU that ROCm supports",
        "intel": "an Intel GPU (Arc, Flex or Max)",
    }
    if vendor is not None:
        known = target.described or bool(target.vendors)
        found.append(SystemNeed(labels[vendor], (vendor in target.vendors) if known else None))
    if goal == "cuda":
        found += _cuda(way, solution, target, matrix)
    elif goal == "directml":
        found += _directx(target)
    elif goal == "rocm":
        row = matrix.rocm(solution.versions.get("tensorflow-rocm", ""))
        found.append(SystemNeed("ROCm %s, installed on the system" % row.rocm if row else "the ROCm it was built for"))
        if row is not None and row.kernel_drivers:
            span = (row.kernel_drivers[0], row.kernel_drivers[-1])
            found.append(
                SystemNeed("AMD's kernel driver (amdgpu) of ROCm %s to %s, or a current Linux kernel's own" % span)
            )
        if row is not None and row.gfx:
            met = bool(set(target.targets) & set(row.gfx)) if target.targets and target.described else None
            found.append(SystemNeed("a GPU with one of its targets: %s" % ", ".join(row.gfx), met))
    elif goal == "metal":
        met = version_at_least(target.macos, "12") if target.macos else None
        found.append(SystemNeed("macOS 12.0 or later", met))
    elif goal == "xpu":
        found.append(SystemNeed("Intel's GPU driver and the oneAPI base libraries of its release notes"))
    if target.system == "windows":
        found.append(SystemNeed("the Microsoft Visual C++ Redistributable 2015-2022 (x64)"))
    return tuple(found)


def _directx(target: Target) -> List[SystemNeed]:
    if target.system == "windows":
        gpu = bool(target.vendors) if target.described else None
        return [SystemNeed("64-bit Windows 10 version 1709 or later"), SystemNeed("a GPU with DirectX 12", gpu)]
    here = (target.wsl == 2 and bool(target.directx)) if target.described else None
    return [
        SystemNeed("WSL 2 with /dev/dxg, on Windows 10 21H2 or Windows 11", here),
        SystemNeed("the DirectX libraries that WSL maps in (libd3d12.so, libdxcore.so)", here),
    ]


def _builds(way: Sequence[Stack], solution: Solution) -> List[Tuple[str, str, Build]]:
    """Return (distribution, CUDA version, build) of each framework in a set."""
    found: List[Tuple[str, str, Build]] = []
    for name in TENSORFLOW_OWNERS + ("torch",):
        build = solution.builds.get(name)
        if build is not None and build.cuda:
            found.append((name, build.cuda, build))
    if any(item.framework == "jax" for item in way):
        thirteen = any(name.startswith("jax-cuda13") for name in solution.versions)
        found.append(("jax", "13.0" if thirteen else "12.0", solution.builds["jax"]))
    return found


def _cuda(way: Sequence[Stack], solution: Solution, target: Target, matrix: Matrix) -> List[SystemNeed]:
    found: List[SystemNeed] = []
    builds = _builds(way, solution)
    needs = [
        needed_driver(version, target.capabilities, target.system, matrix, code_for(build, target).kind == "compiled")
        for _, version, build in builds
    ]
    driver = max((need for need in needs if need is not None), key=lambda need: sort_key(need.version), default=None)
    if driver is not None:
        met = driver_at_least(target.driver, driver.version) if target.driver else None
        if target.described and not target.driver:
            met = False
        found.append(SystemNeed("NVIDIA driver %s or later (%s)" % driver, met))
    for name, version, build in builds:
        if any(item.system_cuda for item in way) and name in TENSORFLOW_OWNERS:
            text = "CUDA %s and cuDNN %s from NVIDIA's archive, where the loader finds them" % (version, build.cudnn)
            found.append(SystemNeed(text))
        if code_for(build, target).kind == "compiled":
            newest = max(capability_number(item) for item in target.capabilities if item)
            text = (
                "patience: %s %s has no machine code for compute capability %d.%d; the driver compiles at first use, which "
                "takes minutes"
            )
            if newer_than_build(build, target.capabilities, matrix):
                text += ", and only a run can tell whether it works: the GPU is newer than the build's CUDA"
            found.append(SystemNeed(text % (name, solution.versions[name], newest[0], newest[1])))
    if any(item.loader_path for item in way) or solution.versions.get("tensorflow") in ("2.16.1", "2.21.0"):
        found.append(SystemNeed("pip's CUDA libraries on the loader's path: %s" % LOADER_PATH))
    return found
