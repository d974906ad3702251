"""What the system has to bring for a set: hardware, drivers, libraries that no package brings. Pure."""

from typing import Iterator, List, Optional, Sequence, Tuple

from ..matrix.gpu_support import (
    capability_number,
    code_for,
    driver_at_least,
    driver_limits,
    gpu_code_in,
    needed_driver,
    newer_than_build,
    refuses_driver,
)
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
        "intel": "an Intel GPU (Arc, %s)" % ("Core Ultra or Max" if way[0].framework == "torch" else "Flex or Max"),
    }
    if vendor is not None:
        known = target.described or bool(target.vendors)
        found.append(SystemNeed(labels[vendor], (vendor in target.vendors) if known else None))
    if goal == "cuda":
        found += _cuda(way, solution, target, matrix)
    elif goal == "directml":
        found += _directx(target)
    elif goal == "rocm":
        found += _rocm(solution, target, matrix)
    elif goal == "metal":
        met = version_at_least(target.macos, "12") if target.macos else None
        found.append(SystemNeed("macOS 12.0 or later", met))
    elif goal == "xpu":
        if any(item.framework != "torch" for item in way):
            found.append(SystemNeed("Intel's GPU driver and the oneAPI base libraries of its release notes"))
        else:
            found.append(SystemNeed("Intel's GPU driver; the wheels bring oneAPI's libraries"))
    if target.system == "windows":
        found.append(SystemNeed("the Microsoft Visual C++ Redistributable 2015-2022 (x64)"))
    return tuple(found)


def _rocm(solution: Solution, target: Target, matrix: Matrix) -> List[SystemNeed]:
    found: List[SystemNeed] = []
    build, version = solution.builds.get("torch"), solution.versions.get("tensorflow-rocm")
    if build is not None:
        text = "AMD's kernel driver (amdgpu), or a current Linux kernel's own; PyTorch's wheels bring ROCm's libraries"
        found += [SystemNeed(text), _gfx(build.capabilities, target)]
    if "jax-rocm7-plugin" in solution.versions:
        found.append(SystemNeed("ROCm 7, installed on the system"))
    if version is None:
        return found
    row = matrix.rocm(version)
    found.append(SystemNeed("ROCm %s, installed on the system" % row.rocm if row else "the ROCm it was built for"))
    if row is not None and row.kernel_drivers:
        span = (row.kernel_drivers[0], row.kernel_drivers[-1])
        found.append(
            SystemNeed("AMD's kernel driver (amdgpu) of ROCm %s to %s, or a current Linux kernel's own" % span)
        )
    if row is not None and row.gfx:
        found.append(_gfx(row.gfx, target))
    return found


def _gfx(code: Sequence[str], target: Target) -> SystemNeed:
    targets = target.targets_for("rocm")
    met = bool(set(targets) & set(code)) if targets else None
    return SystemNeed("a GPU with one of its targets: %s" % ", ".join(code), met)


def _directx(target: Target) -> List[SystemNeed]:
    if target.system == "windows":
        gpu = bool(target.vendors) if target.described else None
        return [SystemNeed("64-bit Windows 10 version 1709 or later"), SystemNeed("a GPU with DirectX 12", gpu)]
    here = (target.wsl == 2 and bool(target.directx)) if target.described else None
    return [
        SystemNeed("WSL 2 with /dev/dxg, on Windows 10 21H2 or Windows 11", here),
        SystemNeed("the DirectX libraries that WSL maps in (libd3d12.so, libdxcore.so)", here),
    ]


def _builds(way: Sequence[Stack], solution: Solution, matrix: Matrix) -> List[Tuple[str, str, Build]]:
    """Return (distribution, CUDA version, build with its GPU code) of each framework in a set."""
    found: List[Tuple[str, str, Build]] = []
    for name in TENSORFLOW_OWNERS + ("torch", "jax"):
        build = solution.builds.get(name)
        if name == "jax" and any(item.framework == "jax" for item in way):
            thirteen = any(plugin.startswith("jax-cuda13") for plugin in solution.versions)
            build = solution.builds["jax"]._replace(cuda="13" if thirteen else "12")
        if build is not None and build.cuda:
            project = matrix.project(name)
            release = project.nearest(solution.versions[name]) if project is not None else None
            assert release is not None  # it was chosen among these
            found.append((name, build.cuda, build._replace(capabilities=gpu_code_in(release, build, matrix))))
    return found


def _driver(builds: Sequence[Build], target: Target, matrix: Matrix) -> Iterator[SystemNeed]:
    """Yield which NVIDIA driver some builds need, and which is the last one for the GPUs."""
    system = "windows" if target.wsl else target.system
    needs = [
        needed_driver(build.cuda, target.capabilities, system, matrix, code_for(build, target).kind == "compiled")
        for build in builds
    ]
    need = max((item for item in needs if item is not None), key=lambda item: sort_key(item.version), default=None)
    if need is None:
        return
    text = "NVIDIA driver %s or later (%s)" % need
    for limit in driver_limits(target.capabilities, matrix)[:1]:
        text += ", up to branch %s (the last one for %s)" % (limit.branch, limit.gpu)
    met: Optional[bool] = False if target.described else None
    if target.driver:
        # Of several GPUs one is enough to compute on.
        refused = any(refuses_driver(build, target, matrix) for build in builds)
        met = False if refused else driver_at_least(target.driver, need.version)
    yield SystemNeed(text, met)


def _cuda(way: Sequence[Stack], solution: Solution, target: Target, matrix: Matrix) -> List[SystemNeed]:
    found: List[SystemNeed] = []
    builds = _builds(way, solution, matrix)
    found += _driver([build for _, _, build in builds], target, matrix)
    majors = {version.partition(".")[0]: name for name, version, _ in builds}
    if len(majors) > 1:
        both = " and ".join("CUDA %s for %s" % item for item in sorted(majors.items()))
        found.append(SystemNeed("memory for two sets of libraries, which these releases do not share: %s" % both))
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
