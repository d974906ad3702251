"""What each goal asks for: which distributions, on which hardware, and what the system has to bring. Pure."""

from typing import Dict, List, Optional, Sequence, Tuple
from weakref import WeakKeyDictionary

from ..matrix.gpu_support import JAX_CUDA, gpu_code_in, gpu_defect, refuses_driver, refuses_gpu, refuses_targets
from ..matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, Matrix
from ..matrix.projects import Build, Release, sort_key
from ..matrix.tables import IndexRow
from ..matrix.target import Target
from ..matrix.windows_gpu import ways_on_windows
from ..records import Record
from .engine import Filter, Need

#: What can be asked for. ``gpu``: whatever drives the GPU that is there; ``fastest``: that, or the CPU.
GOALS = ("gpu", "cpu", "cuda", "directml", "rocm", "metal", "xpu", "fastest")

FRAMEWORKS = ("tensorflow", "keras", "jax", "torch")

Goal = str

#: CUDA's libraries for TensorFlow 2.5 to 2.13, which look for them on the loader's path only.
_CUDA_11 = (
    "nvidia-cuda-runtime-cu11", "nvidia-cublas-cu11", "nvidia-cufft-cu11>=10,<11", "nvidia-curand-cu11",
    "nvidia-cusolver-cu11", "nvidia-cusparse-cu11", "nvidia-cudnn-cu11>=8,<9", "nvidia-cuda-nvcc-cu11",
)  # fmt: skip


#: Puts the folders of pip's CUDA libraries on the loader's path; to be typed before Python starts.
LOADER_PATH = (
    "export LD_LIBRARY_PATH=\"$(python -c 'import glob, sysconfig; "
    'print(":".join(glob.glob(sysconfig.get_paths()["purelib"] + "/nvidia/*/lib")))\')${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"'
)


class Stack(Record):
    """One way to reach a goal.

    Attributes
    ----------
    goal : str
        The platform: ``"cpu"``, ``"cuda"``, ``"directml"``, ``"rocm"``, ``"metal"``, ``"xpu"``.
    framework : str
    roots : tuple of Need
        What has to be installed; the first one becomes the newest possible. A plug-in comes before its framework.
    keep : tuple of Need
        Bounds on what may come along.
    refusal : str
        Why this way does not exist for the target, "" if it does.
    loader_path : bool
        Whether the folders of pip's CUDA libraries have to be on the loader's path.
    system_cuda : bool
        Whether CUDA and cuDNN have to be installed on the system.
    index : IndexRow or None
        The index of its makers that a project is taken from, None for the package registry.
    """

    goal: Goal
    framework: str
    roots: Tuple[Need, ...] = ()
    keep: Tuple[Need, ...] = ()
    refusal: str = ""
    loader_path: bool = False
    system_cuda: bool = False
    index: Optional[IndexRow] = None


def platforms_for(goal: str, target: Target) -> Tuple[str, ...]:
    """Return the platforms that a goal means on a target, the best first."""
    if goal not in ("gpu", "fastest"):
        return (goal,)
    found: List[str] = []
    for vendor in target.vendors:
        if target.system == "macos":
            found.append("metal")
        elif target.system == "windows" or target.wsl:
            found += ["cuda"] if vendor == "nvidia" else ["xpu"] if _has_xpu_on_windows(vendor, target) else []
            found.append("directml")
        else:
            found += {"nvidia": ["cuda"], "amd": ["rocm"], "intel": ["xpu"]}.get(vendor, [])
    if goal == "fastest":
        found.append("cpu")
    elif not found:
        # No GPU, or none is known: what most people mean on this system.
        found.append({"windows": "directml", "macos": "metal"}.get(target.system, "cuda"))
    return tuple(dict.fromkeys(found))


def _has_xpu_on_windows(vendor: str, target: Target) -> bool:
    ways = [way for text in target.targets_for("xpu") for way in ways_on_windows(vendor, text, "torch", BUNDLED)]
    return target.system == "windows" and any(way.goal == "xpu" for way in ways)


def stacks(goal: Goal, framework: str, target: Target, matrix: Matrix, kept: Sequence[str]) -> Tuple[Stack, ...]:
    """Return the ways to reach a platform with a framework, the newest first.

    Parameters
    ----------
    goal : str
        A platform, as `platforms_for` gives it.
    framework : {"tensorflow", "keras", "jax", "torch"}
    target : Target
    matrix : Matrix
    kept : sequence of str
        Names of distributions that the user keeps: of two that do the same, the kept one is taken.
    """
    if framework == "keras":
        return tuple(
            Stack(item.goal, "keras", (Need("keras"),) + item.roots, item.keep, item.refusal, item.loader_path,
                  item.system_cuda)
            for item in stacks(goal, "tensorflow", target, matrix, kept)
            if not any("1.15" in need.text or need.text == "tensorflow-directml" for need in item.roots)
        )  # fmt: skip
    ways = _ways(goal, framework, target, matrix, kept)
    return tuple(item.replace(keep=item.keep + old_cards(target, matrix)) for item in ways) if goal == "cuda" else ways


def _ways(goal: Goal, framework: str, target: Target, matrix: Matrix, kept: Sequence[str]) -> Tuple[Stack, ...]:
    if framework == "jax":
        return _jax(goal, target, matrix)
    if framework == "torch":
        return _torch(goal, target, matrix)
    found = {"cpu": _cpu, "cuda": _cuda, "directml": _directml, "rocm": _rocm, "metal": _metal, "xpu": _xpu}[goal](
        target
    )
    if goal in ("cpu", "cuda"):
        own = [name for name in kept if name in TENSORFLOW_OWNERS and name not in ("tensorflow", "tensorflow-cpu")]
        found = found + [Stack(goal, "tensorflow", _roots(name)) for name in own]
    # What the user keeps by name comes first, and alone if another distribution of TensorFlow would overwrite it.
    named = [item for item in found if any(need.text.partition("[")[0] in kept for need in item.roots)]
    alone = named and any(name in TENSORFLOW_OWNERS[1:] for name in kept)
    return tuple(named if alone else named + [item for item in found if item not in named])


def keras_backend(frameworks: Sequence[str]) -> str:
    """Return what Keras computes with in a set: the first framework that is asked for besides it, else TensorFlow."""
    return next((name for name in frameworks if name != "keras"), "tensorflow")


def keras_on(backend: str, goal: Goal) -> Stack:
    """Return the way of Keras to a platform on a backend other than TensorFlow, which is a way of its own."""
    if backend == "torch" and goal == "directml":
        # keras/src/backend/torch/core.py
        return Stack(goal, "keras", refusal="Keras on PyTorch takes CUDA, Apple's and Intel's GPUs, and not DirectML")
    title = {"jax": "JAX", "torch": "PyTorch"}[backend]
    return Stack(goal, "keras", (Need("keras>=3", because="Keras runs on %s from 3.0 on" % title),))


def filter_for(way: Sequence[Stack], target: Target, matrix: Matrix) -> Filter:
    """Return what tells whether a release does for a way, a stack for each framework, on a target's hardware."""
    cuda = any(item.goal == "cuda" for item in way)
    roots = [need.text for item in way for need in item.roots]
    indexed = [item.index.project for item in way if item.index is not None]
    jax = next((major for major in JAX_CUDA if any(text.startswith("jax[cuda%s]" % major) for text in roots)), "")
    # Of which Python is asked makes no difference to the hardware, and many releases have one CUDA and the same code.
    refusals = _REFUSALS.setdefault(matrix, {}).setdefault(target.replace(python=""), {})

    def allow(release: Release, build: Build) -> Optional[str]:
        if release.project in indexed and build.kind in ("rocm", "xpu"):
            return _lacks_code(build, target.targets_for(build.kind))
        if release.project == "tensorflow-rocm" and any(item.goal == "rocm" for item in way):
            return refuses_targets(release.version, target.targets_for("rocm"), matrix)
        if not cuda or release.project not in _WITH_GPU_CODE:
            return None
        key = (release.project, release.version, build.source, jax)
        if key not in refusals:
            refusals[key] = refusal_on_cuda(release, build)
        return refusals[key]

    def refusal_on_cuda(release: Release, build: Build) -> Optional[str]:
        if release.project == "jax":
            # What has GPU code is its plug-in, which it requires in the same version.
            build = build._replace(kind="cuda", cuda=jax)
        if build.kind not in ("cuda", ""):
            return "this build has no GPU support"
        build = build._replace(capabilities=gpu_code_in(release, build, matrix))
        same = (build.cuda, build.capabilities)
        if same not in refusals:
            refusals[same] = refuses_driver(build, target, matrix) or refuses_gpu(build, target, matrix)
        return refusals[same] or _known_to_fail(release, build, target, matrix)

    return allow


_WITH_GPU_CODE = (*TENSORFLOW_OWNERS, "torch", "jax")

#: By matrix and target, for a build of a release, and for a CUDA release with GPU code: why it does not run there, if so.
_Verdicts = Dict[Target, Dict[Tuple[object, ...], Optional[str]]]
_REFUSALS: "WeakKeyDictionary[Matrix, _Verdicts]" = WeakKeyDictionary()


def _lacks_code(build: Build, targets: Sequence[str]) -> Optional[str]:
    if not targets or set(targets) & set(build.capabilities):
        return None
    return "it is not made for %s, only for %s" % (" and ".join(targets), ", ".join(build.capabilities))


def _known_to_fail(release: Release, build: Build, target: Target, matrix: Matrix) -> Optional[str]:
    framework = "tensorflow" if release.project in TENSORFLOW_OWNERS else release.project
    defect = gpu_defect(framework, release.version, build, target, matrix)
    if defect is None:
        return None
    gpus = ", ".join(value for value in target.capabilities if value)
    effect = "compute wrong values" if defect.effect == "wrong-values" else "fail"
    return "%s to %s on compute capability %s: %s (%s). %s" % (
        defect.says, effect, gpus, defect.what, defect.sources[0], defect.do,
    )  # fmt: skip


def _roots(*texts: str) -> Tuple[Need, ...]:
    return tuple(Need(text) for text in texts)


def _cpu(target: Target) -> List[Stack]:
    # Without GPU code the download is a fraction; on macOS and ARM the plain name is the one that goes on.
    small = Stack("cpu", "tensorflow", _roots("tensorflow-cpu"))
    plain = Stack("cpu", "tensorflow", _roots("tensorflow"))
    return [small, plain] if target.architecture == "x86_64" and target.system != "macos" else [plain, small]


#: The GPUs that Intel's extension for TensorFlow is made for (its README: Max, Flex, Arc A).
_ITEX = ("Xe-HPG", "Xe-HPC")

_NO_JETSON = "the wheels on the package registry are not made for Jetson"


def _cuda(target: Target) -> List[Stack]:
    if target.jetson:
        return [Stack("cuda", "tensorflow", refusal=_NO_JETSON)]
    if target.system == "macos":
        return [Stack("cuda", "tensorflow", refusal="macOS has no CUDA: its GPUs are reached through Metal")]
    if target.system == "windows":
        return [
            Stack("cuda", "tensorflow", _roots("tensorflow>=2.1,<2.11"), system_cuda=True),
            Stack("cuda", "tensorflow", _roots("tensorflow-gpu<2.1"), system_cuda=True),
        ]
    because = "these builds look for it on the loader's path"
    wheels = tuple(Need(text, because=because) for text in _CUDA_11)
    with_nccl = (*wheels, Need("nvidia-nccl-cu11", because=because))
    return [
        Stack("cuda", "tensorflow", _roots("tensorflow[and-cuda]>=2.14")),
        # Its extra wants a TensorRT that has no wheel for Python 3.11; TensorFlow does without.
        Stack("cuda", "tensorflow", _roots("tensorflow>=2.14,<2.15") + with_nccl, loader_path=True),
        Stack("cuda", "tensorflow", _roots("tensorflow>=2.5,<2.14") + wheels, loader_path=True),
        Stack("cuda", "tensorflow", _roots("tensorflow>=2.1,<2.5"), system_cuda=True),
        Stack("cuda", "tensorflow", _roots("tensorflow-gpu<2.1"), system_cuda=True),
    ]


def _directml(target: Target) -> List[Stack]:
    if target.system == "macos":
        return [Stack("directml", "tensorflow", refusal="DirectML is part of Windows and of WSL")]
    return [
        Stack("directml", "tensorflow", _roots("tensorflow-directml-plugin", "tensorflow-cpu")),
        Stack("directml", "tensorflow", _roots("tensorflow-directml")),
    ]


def _rocm(target: Target) -> List[Stack]:
    if target.system != "linux":
        return [Stack("rocm", "tensorflow", refusal="TensorFlow uses ROCm on Linux only")]
    return [Stack("rocm", "tensorflow", _roots("tensorflow-rocm"))]


def _metal(target: Target) -> List[Stack]:
    if target.system != "macos":
        return [Stack("metal", "tensorflow", refusal="Metal is part of macOS")]
    return [
        Stack("metal", "tensorflow", _roots("tensorflow-metal", "tensorflow")),
        Stack("metal", "tensorflow", _roots("tensorflow-metal", "tensorflow-macos")),
    ]


def _xpu(target: Target) -> List[Stack]:
    if target.system != "linux":
        return [Stack("xpu", "tensorflow", refusal="Intel's extension for TensorFlow has GPU support on Linux only")]
    targets = target.targets_for("xpu")
    if targets and not set(targets) & set(_ITEX):
        text = "Intel's extension for TensorFlow is not made for %s, only for Arc A, Flex and Max (%s)"
        refusal = text % (" and ".join(targets), ", ".join(_ITEX))
        return [Stack("xpu", "tensorflow", refusal=refusal)]
    return [Stack("xpu", "tensorflow", _roots("intel-extension-for-tensorflow[xpu]", "tensorflow"))]


#: What XLA computes on, which JAX compiles with: it ignores every other AMD GPU (kSupportedGfxVersions in
#: xla/stream_executor/rocm/rocm_compute_capability.h, read on 2026-11-23). Its gfx900 and gfx906 are left out: ROCm's rocBLAS
#: has nothing for them from 6.4 on (https://github.com/ROCm/legacy-rocm-build/issues/4625).
XLA_TARGETS = (
    "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1101", "gfx1103", "gfx1150",
    "gfx1151", "gfx1200", "gfx1201",
)  # fmt: skip


def _jax(goal: Goal, target: Target, matrix: Matrix) -> Tuple[Stack, ...]:
    if goal == "rocm" and target.system == "linux" and target.architecture == "x86_64":
        targets = target.targets_for("rocm")
        if targets and not set(targets) & set(XLA_TARGETS):
            text = "JAX's compiler does not run on %s, only on %s"
            return (Stack("rocm", "jax", refusal=text % (" and ".join(targets), ", ".join(XLA_TARGETS))),)
        return (Stack("rocm", "jax", _roots("jax-rocm7-plugin", "jax[rocm7-local]", "jaxlib")),)
    if goal == "cuda" and target.jetson:
        return (Stack("cuda", "jax", refusal=_NO_JETSON),)
    if goal == "cpu":
        return (Stack("cpu", "jax", _roots("jax", "jaxlib")),)
    if goal == "cuda" and target.system == "linux":
        # The releases before have no such extra, which an installer only warns of.
        twelve = Stack("cuda", "jax", _roots("jax[cuda12]>=0.4.22", "jaxlib"))
        thirteen = Stack("cuda", "jax", _roots("jax[cuda13]>=0.7", "jaxlib"))
        # CUDA 13 needs a driver from 580 on; of one that is not known, CUDA 12's demand is the smaller one.
        new = target.driver is not None and _number(target.driver) >= 580
        return (thirteen, twelve) if new else (twelve,)
    return (Stack(goal, "jax", refusal="JAX has no wheel for %s on %s" % (goal, target.platform)),)


def _torch(goal: Goal, target: Target, matrix: Matrix) -> Tuple[Stack, ...]:
    if goal == "cuda" and target.jetson:
        return (Stack("cuda", "torch", refusal=_NO_JETSON),)
    own = tuple(
        Stack(goal, "torch", _roots("torch"), index=row) for row in matrix.indexes("torch", goal, target.platform)
    )
    registry = _torch_of_registry(goal, target)
    # The registry's wheels are made for CUDA on Linux; for its CPU they bring gigabytes for nothing.
    ways = registry + own if goal == "cuda" and target.system == "linux" else own + registry
    if ways:
        return ways
    text = "the package registry has no PyTorch for %s on %s, and neither has PyTorch's own index"
    return (Stack(goal, "torch", refusal=text % (goal, target.platform)),)


def _torch_of_registry(goal: Goal, target: Target) -> Tuple[Stack, ...]:
    if goal == "cpu" or (goal == "metal" and target.system == "macos" and target.architecture == "aarch64"):
        return (Stack(goal, "torch", _roots("torch")),)
    if goal == "cuda" and target.system == "linux":
        return (Stack("cuda", "torch", _roots("torch")),)
    if goal == "directml" and target.system != "macos":
        return (Stack("directml", "torch", _roots("torch-directml", "torch")),)
    return ()


def old_cards(target: Target, matrix: Matrix) -> Tuple[Need, ...]:
    """Return the bounds on cuDNN that GPUs need for which later releases have no code."""
    known = [(matrix.cudnn_before(text), text) for text in target.capabilities if text]
    limits = [(sort_key(before), before, text) for before, text in known if before]
    if not limits:
        return ()
    _, before, capability = min(limits)
    because = "from %s on cuDNN has no code for compute capability %s" % (before, capability)
    return tuple(Need("nvidia-cudnn-cu%d<%s" % (major, before), because=because) for major in (11, 12))


def _number(version: str) -> float:
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    return float("%s.%s" % (major, minor or "0")) if major.isdecimal() and (minor or "0").isdecimal() else 0.0
