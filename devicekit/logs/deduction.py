"""What follows from facts about the machine, if the log alone names only a symptom.

The log says "no GPU is listed", the facts say TensorFlow 2.15 on Windows: then the build is the cause. Each step uses the same
matrix as the rules; unknown facts decide nothing.
"""

import math
import re
from types import MappingProxyType
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..diagnosis.findings import Evidence
from ..matrix.gpu_names import capability_of, target_of
from ..matrix.gpu_support import code_for
from ..matrix.matrix import BUNDLED, minor_of, version_at_least
from ..matrix.projects import Build
from ..matrix.queries import driver_runs, goes_with, has_code_for, has_wheel
from ..matrix.target import Target
from .context import Known
from .fixes.cuda import OLDEST_CUDNN
from .fixes.situation import other_target
from .fixes.torch_builds import OLD_BUILDS, old_driver
from .signatures import SAYS, remedy

#: Codes that mean that no GPU is used; they say nothing about a machine without one.
GPU_UNUSED = frozenset(
    (
        "no-gpu", "cpu-only-build", "cuda-library-missing", "driver-missing", "gpu-vendor-unsupported",
        "metal-plugin-missing", "directml-missing", "directml-unsupported", "driver-unhealthy",
    )
)  # fmt: skip


class Claim(NamedTuple):
    """A match with the code that it stands for on this machine.

    ``fix`` has the steps that the signature itself names, ``alone`` says whether these are all; ``groups``, ``line`` and
    ``signature`` are what the computed steps depend on.
    """

    code: str
    weight: float
    severity: str
    summary: str
    number: int
    evidence: Tuple[Evidence, ...]
    expects_gpu: bool = False
    fix: Sequence[Mapping[str, Any]] = ()
    alone: bool = False
    groups: Mapping[str, str] = MappingProxyType({})
    line: str = ""
    signature: str = ""


#: Stronger than a symptom, weaker than a line that names the cause.
_WEIGHT = 2.5

#: Claims that only say that the import fails.
_IMPORT_FAILS = frozenset(("framework-broken", "install-corrupt", "dependency-incompatible", "msvc-runtime-missing"))

#: Claims that cuDNN does not start. If the log also suspects the driver, its version decides.
_NOT_STARTED = frozenset(("out-of-memory", "cudnn-version-mismatch"))

#: Lines of CUDA's libraries that fail: for lack of memory, or as the build has no code for the GPU.
_LIBRARY_FAILS = (
    "tf-blas-gemm-launch", "cublas-execution-failed", "cublas-not-initialized", "cudnn-status-not-initialized",
    "cudnn-status-execution-failed", "tf-convolution-algorithm", "torch-cudnn-no-algorithm",
)  # fmt: skip

#: Lines of a process that crashed in native code.
_CRASHED = ("os-segfault", "os-exit-segfault")

#: Before which TensorFlow the wheels have no code for a compute capability: CUDA 9 knows none of 7.5, CUDA 10 none of 8.0.
_OLD_CUDA = "it was built with CUDA %s or older, which has no code for this GPU (compute capability %s)"
_BEFORE = (("8.0", "2.4", "10"), ("7.5", "1.13", "9"))

#: Claims made when an installer gives up.
_NOTHING_FITS = frozenset(("python-unsupported", "platform-unsupported", "framework-missing"))


Deduced = Optional[Tuple[str, str]]


def deduce(claims: Sequence[Claim], known: Known, calm: bool) -> List[Claim]:
    """Return the claims that follow from the facts, given those of the log.

    ``calm``: the log has lines that are known to be harmless. If it has nothing else, nothing is wrong.
    """
    if known.driver_library and known.driver_kernel and not _same(known.driver_library, known.driver_kernel):
        text = "The driver's library is %s, the loaded kernel module %s." % (known.driver_library, known.driver_kernel)
        return [_claim(("driver-mismatch", text), claims, SAYS["cause"])]
    best = max((claim.weight for claim in claims), default=0.0)
    codes = {claim.code for claim in claims if claim.weight == best}
    virtual = _virtual(known, codes)
    if virtual:
        return [_claim(virtual, claims, SAYS["cause"] + 1)._replace(severity="warning")]
    if best >= SAYS["cause"] or (not claims and known.machine is not None):
        return []  # without lines in the log, the rules know more about a whole machine
    steps: List[Callable[[Known], Deduced]] = []
    if not codes and not calm:
        steps += [_hidden, _owners, _numpy, _protobuf, _keras, _results, _build, _vendor, _capability, _generation]
        steps += [_driver]
    elif not codes and version_at_least(known.versions.get("cuda", "0"), "11") is False:
        steps += [_generation]  # nothing is printed of it: the program hangs, or its results are wrong
    elif codes and codes <= _IMPORT_FAILS:
        steps += [_owners, _numpy, _protobuf, _keras, _estimator]
    if codes and codes <= _IMPORT_FAILS and any(claim.signature in _CRASHED for claim in claims):
        steps += [_target, _jax_plugin]
    if any(claim.signature == "gen-hip-error" for claim in claims) and best < SAYS["symptom"]:
        steps += [_target]
    if any(claim.signature == "rocm-miopen-no-code-object" for claim in claims) and codes == {"gfx-unsupported"}:
        steps += [_miopen]
    if codes & _NOTHING_FITS and not any(claim.signature == "py-undefined-python" for claim in claims):
        steps += [_wheel]
    if any(claim.signature == "nccl-unhandled-cuda" for claim in claims) and best < SAYS["symptom"]:
        steps += [_driver]
    if codes & _NOT_STARTED and any(claim.code == "driver-too-old" for claim in claims):
        steps += [_driver]
    if any(claim.signature in _LIBRARY_FAILS for claim in claims) or codes == {"numerics-divergent"}:
        steps += [_generation, _cudnn]
    if codes == {"no-gpu"} and best < SAYS["symptom"]:
        steps += [_hidden, _narrowed, _build, _plugin, _extension, _vendor, _capability, _driver, _toolkit, _container]
        steps += [_none, _libraries]
    if codes and codes <= GPU_UNUSED and best < SAYS["symptom"]:
        steps += [_hidden, _narrowed, _build, _vendor, _capability, _driver, _toolkit, _container, _none]
    found = []
    for step in steps:
        made = step(known)
        if made is not None:
            found.append(_claim(made, claims))
            break
    return found


def _same(one: str, other: str) -> bool:
    """Whether two versions of a driver are the same: TensorFlow adds a third number (384.90.0)."""
    return [part.lstrip("0") for part in one.split(".")[:2]] == [
        part.lstrip("0") for part in other.split(".")[:2]
    ] and (
        one.split(".")[2:] in ([], ["0"])
        or other.split(".")[2:] in ([], ["0"])
        or one.split(".")[2:] == other.split(".")[2:]
    )


def _claim(made: Tuple[str, str], claims: Sequence[Claim], weight: float = _WEIGHT) -> Claim:
    code, text = made
    general = remedy(code)
    lines: List[Evidence] = [Evidence(text, "facts about the machine")]
    lines += [item for claim in claims[:2] for item in claim.evidence]
    # Of equally certain lines, the one about the same: an installer that finds nothing names what it looked for.
    same = code in _NOTHING_FITS
    first = max(claims, key=lambda claim: (claim.weight, (claim.code in _NOTHING_FITS) == same)) if claims else None
    return Claim(
        code=code, weight=weight, severity=general.get("severity", "error"), summary=text, number=0, evidence=tuple(lines),
        groups=first.groups if first else {}, line=first.line if first else "", signature=first.signature if first else "",
    )  # fmt: skip


def _pair(known: Known, other: str) -> Optional[str]:
    owner, version = known.tensorflow, known.packages.get(other)
    if owner is None or not owner[1] or not version:
        return None
    answer = goes_with("tensorflow", owner[1], other, version, known.versions.get("python", ""), BUNDLED)
    return answer.because if answer.status == "incompatible" else None


def _numpy(known: Known) -> Deduced:
    because = _pair(known, "numpy")
    return ("numpy-incompatible", because) if because else None


def _protobuf(known: Known) -> Deduced:
    because = _pair(known, "protobuf")
    return ("protobuf-incompatible", because) if because else None


def _keras(known: Known) -> Deduced:
    because = _pair(known, "keras")
    return ("keras-incompatible", because) if because else None


def _estimator(known: Known) -> Deduced:
    text = "tensorflow-estimator is of another release than TensorFlow, which lacks what it imports."
    return ("dependency-incompatible", text) if known.in_estimator else None


def _wheel(known: Known) -> Deduced:
    if known.architecture == "x86":
        return ("platform-unsupported", "This is a 32-bit Python; the frameworks only have wheels for 64-bit Python.")
    native = (
        known.architecture is None
        and bool(known.sought)
        and all(
            has_wheel(*item, minor_of(known.versions.get("python", "")), "macos-arm64", BUNDLED).status == "compatible"
            for item in known.sought.items()
        )
    )
    if known.system == "macos" and (native or known.architecture == "x86_64") and "apple" in known.vendors:
        return ("rosetta-python", "This Python is for Intel processors, on a Mac with Apple silicon.")
    python = known.versions.get("python")
    if known.architecture not in (None, "x86_64", "aarch64"):
        return ("platform-unsupported", "No framework has wheels for %s processors." % known.architecture)
    if known.system == "windows" and "jaxlib" in known.sought:
        old = version_at_least(known.sought["jaxlib"] or "1", "0.4.13") is False
        if old or version_at_least(python or "3.9", "3.8") is False:
            return ("platform-unsupported", "jaxlib before 0.4.13 is not for Windows: use it in WSL 2.")
    if not python:
        return None
    minor = minor_of(python)
    either = known.system == "macos" and known.platform is None
    platforms = ("macos-arm64", "macos-x86_64") if either else (known.platform or "linux-x86_64",)
    for name, version in {**known.packages, **known.sought}.items():
        if version and BUNDLED.project(name) is not None:
            version += ".0" if version.count(".") == 1 else ""
            answers = [has_wheel(name, version, minor, platform, BUNDLED) for platform in platforms]
            if any(answer.status != "incompatible" for answer in answers):
                continue
            elsewhere = any(
                has_wheel(name, version, other, platform, BUNDLED).status == "compatible"
                for platform in platforms
                for other in ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
            )
            return ("python-unsupported" if elsewhere else "platform-unsupported", answers[0].because + ".")
    return None


def _results(known: Known) -> Deduced:
    """Results that look wrong, on a machine with a GPU: without one there is nothing to compare with."""
    text = different_on_device(known.scalars)
    if text is None and known.vendors:
        text = rising_loss(known.losses) or different_tensors(known.tensors)
    if text is None and "apple" in known.vendors:
        text = immense_loss(known.losses)
    return ("numerics-divergent", text) if text else None


def _owners(known: Known) -> Deduced:
    owners = known.owners
    if len(owners) < 2:
        return None
    return ("distributions-conflict", "%s are installed into the same folder." % " and ".join(sorted(owners)))


def _hidden(known: Known) -> Deduced:
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
        value = known.environment.get(name)
        if value is not None and value.strip() in ("", "-1", "none", "NoDevFiles"):
            return ("device-hidden", "%s is set to '%s', which hides every GPU." % (name, value))
    return None


def _narrowed(known: Known) -> Deduced:
    """A variable selects a device by number, and none is found: the number may not exist (any more)."""
    both = [known.environment.get(name) for name in ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")]
    if all(both) and str(both[1]).strip() not in ("", "0"):
        text = "ROCR_VISIBLE_DEVICES leaves %s visible, and HIP_VISIBLE_DEVICES counts those from 0: %s does not exist."
        return ("device-hidden", text % (both[0], both[1]))
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
        value = known.environment.get(name, "0").split(",")[0].strip()
        if value not in ("", "0") and not value.startswith(("GPU-", "MIG-", "all")):
            return ("device-hidden", "%s selects the device '%s', which does not exist." % (name, value))
    return None


def _build(known: Known) -> Deduced:
    owner = known.tensorflow
    if owner is None or known.no_gpu or not (known.vendors or known.toolkit_stated):
        return None
    name, version = owner
    if name in ("tensorflow-cpu", "tensorflow-intel") and "tensorflow-directml-plugin" not in known.packages:
        return ("cpu-only-build", "%s is a build without GPU support." % name)
    plain = name in ("tensorflow", "tensorflow-gpu", "tf-nightly") and version
    if plain and known.system == "windows" and version_at_least(version, "2.11"):
        if "tensorflow-directml-plugin" not in known.packages:
            return (
                "cpu-only-build",
                "TensorFlow %s for Windows has no GPU support: 2.10 was the last release with it." % version,
            )
    if (
        known.system == "macos"
        and known.architecture != "x86_64"
        and not version.startswith("0.")  # Apple's own TensorFlow, which needs none
        and not ("tensorflow-metal" in known.packages or "metal-device" in known.words)
    ):
        return (
            "metal-plugin-missing",
            "On Apple silicon, TensorFlow needs the plug-in tensorflow-metal to use the GPU.",
        )
    return None


def _plugin(known: Known) -> Deduced:
    """The plug-in for DirectML is installed for another TensorFlow than its own, or it finds no device."""
    owner = known.tensorflow
    if owner is None or known.no_gpu or known.system != "windows" or "tensorflow-directml-plugin" not in known.packages:
        return None
    if owner[1] and minor_of(owner[1]) != "2.10":
        text = "tensorflow-directml-plugin was built for TensorFlow 2.10, and %s is installed." % owner[1]
        return ("plugin-version-mismatch", text)
    text = "The plug-in for DirectML lists no device: mostly Windows or the GPU's driver is too old for it."
    return ("directml-unsupported", text) if known.vendors else None


def _extension(known: Known) -> Deduced:
    """TensorFlow has Intel's extension and lists the CPU alone."""
    if "intel-extension-for-tensorflow" not in known.packages or known.vendors != {"intel"} or known.system != "linux":
        return None
    text = (
        "Intel's extension is installed, and TensorFlow lists no XPU: its part for GPUs or Intel's runtime is missing."
    )
    return ("driver-missing", text)


def _vendor(known: Known) -> Deduced:
    owner = known.tensorflow
    others = known.vendors - {"nvidia", "apple"}
    if owner is None or not others or "nvidia" in known.vendors:
        return None
    if owner[0] in ("tensorflow", "tensorflow-gpu", "tensorflow-cpu"):
        if not {"tensorflow-directml-plugin", "intel-extension-for-tensorflow"} & set(known.packages):
            vendor = {"amd": "AMD", "intel": "Intel", "qualcomm": "Qualcomm"}[sorted(others)[0]]
            text = "This build of TensorFlow only supports NVIDIA GPUs; this GPU is from %s." % vendor
            return ("gpu-vendor-unsupported", text)
    return None


def _capability(known: Known) -> Deduced:
    owner = known.tensorflow
    capability = known.versions.get("capability") or capability_of(known.gpu_name, BUNDLED)
    if owner is None or not owner[1] or not capability:
        return None
    answer = has_code_for("tensorflow", owner[1], capability, BUNDLED)
    return ("compute-capability-unsupported", answer.because + ".") if answer.status == "incompatible" else None


def _generation(known: Known) -> Deduced:
    """A GPU that came after the CUDA of an old build: what cuBLAS starts on it fails."""
    owner = known.tensorflow
    capability = known.versions.get("capability") or capability_of(known.gpu_name, BUNDLED)
    if owner is None and capability and known.packages.get("torch"):
        return _torch_code(known, known.packages["torch"], capability)
    if owner is None and capability and "torch" in known.words and version_at_least(capability, "3.5") is False:
        text = "PyTorch from 1.3 on has no code for this GPU (compute capability %s)." % capability
        return ("compute-capability-unsupported", text)
    name, release = owner or ("tensorflow", "")
    if name not in ("tensorflow", "tensorflow-gpu") or not capability:
        return None
    for first, version, cuda in _BEFORE:
        old = version_at_least(release, version) is False if release else known.before(version)
        if old and version_at_least(capability, first):
            text = "TensorFlow %s: %s." % (release or "before " + version, _OLD_CUDA % (cuda, capability))
            return ("compute-capability-unsupported", text)
    return None


def _cudnn(known: Known) -> Deduced:
    """A cuDNN that is older than the one that TensorFlow was built with, or of another major release, does not start."""
    owner, cudnn = known.tensorflow, known.versions.get("cudnn", "")
    row = BUNDLED.tensorflow(owner[1]) if owner is not None and owner[1] and known.system == "linux" else None
    needed = OLDEST_CUDNN.get(row.linux_cuda, "") if row is not None else ""
    if row is None or not needed or not re.match(r"\d+\.\d", cudnn):
        return None
    if cudnn.split(".")[0] == needed.split(".")[0] and version_at_least(cudnn, needed):
        return None
    text = "TensorFlow %s needs cuDNN %s or a newer one of that major release, and cuDNN %s is installed."
    return ("cudnn-version-mismatch", text % (row.minor, needed, cudnn))


def _torch_code(known: Known, version: str, capability: str) -> Deduced:
    """A PyTorch that has no code for the GPU: its kernels say so, the libraries of its CUDA may fail before."""
    plain, _, label = version.partition("+")
    cuda = re.match(r"cu(\d+)(\d)$", label)
    code = BUNDLED.gpu_code("torch", plain, ".".join(cuda.groups())) if cuda else ()
    if code:
        build = Build((), (), "cuda", "", "", code, "", (), "")
        because = code_for(build, Target("", "linux", "x86_64", capabilities=(capability,))).refusal or ""
    elif cuda or not (label or "conda" in known.words or version_at_least(known.versions.get("cuda", "0"), "11")):
        # The registry's own builds before 1.13 are for CUDA 10.
        old = int(cuda.group(1)) < 11 if cuda else version_at_least(plain, "1.8") is False
        because = _OLD_CUDA % ("10", capability) if old and version_at_least(capability, "8.0") else ""
        answer = has_code_for("torch", plain, capability, BUNDLED)
        because = because or (answer.because if not label and answer.status == "incompatible" else "")
    else:
        return None
    text = "PyTorch %s: %s." % (version, because.rpartition(": ")[2])
    return ("compute-capability-unsupported", text) if because else None


def _gfx(known: Known) -> str:
    return known.versions.get("gfx") or target_of(known.gpu_name, BUNDLED) or other_target(known.gpu_name)


def _target(known: Known) -> Deduced:
    """ROCm's builds end with a segmentation fault on a GPU that they have no code for."""
    gfx = _gfx(known)
    rocm = "rocm" in known.versions or any("rocm" in item for item in (*known.packages, *known.packages.values()))
    own = known.packages.get("tensorflow-rocm") or "3"  # the registry's builds: some GPUs are in none of them
    lacks = gfx and version_at_least(own, "2.15") is False and BUNDLED.newest_rocm(gfx) is None
    if not rocm or not (lacks or re.match(r"gfx(?:8|90c|101|103[1-9]|1103)", gfx)):
        return None
    text = "The builds for ROCm have no code for this GPU (%s): programs fail or crash on it."
    name = known.gpu_name
    return ("gfx-unsupported", text % (name if gfx in name else " ".join(filter(None, (name, gfx)))))


def _miopen(known: Known) -> Deduced:
    """MIOpen fails on a GPU that AMD supports."""
    gfx = _gfx(known)
    if not re.match(r"gfx(?:90[68a]|9[45]\d|1030|110[01]|120[01])$", gfx):
        return None
    if "HSA_OVERRIDE_GFX_VERSION" in known.environment or "torch" in known.packages:  # whose wheels have their own ROCm
        return None
    text = "MIOpen could not build or run a kernel, although ROCm supports this GPU (%s): parts of ROCm are of other releases."
    return ("rocm-version-mismatch", text % gfx)


def _jax_plugin(known: Known) -> Deduced:
    """A plug-in of another release than JAX ends in a segmentation fault at the first array."""
    jax = known.packages.get("jaxlib") or known.packages.get("jax") or ""
    plain = re.match(r"\d+\.\d+\.\d+", jax)
    for name, version in known.packages.items():
        if plain and version and re.match(r"jax-(?:cuda|rocm)\d+-(?:plugin|pjrt)$", name):
            if version.split(".")[:2] != jax.split(".")[:2] or version_at_least(plain.group(), version) is False:
                text = "%s %s does not belong to jaxlib %s: plug-ins are of the same release as JAX."
                return ("plugin-version-mismatch", text % (name, version, jax))
    return None


def _driver(known: Known) -> Deduced:
    driver, cuda, torch = known.versions.get("driver"), known.versions.get("cuda"), known.packages.get("torch", "")
    label = re.search(r"\+cu(\d{2})(\d)$", torch)
    project = BUNDLED.project("torch")
    if label:
        cuda = ".".join(label.groups())
    elif (
        not cuda and known.system == "linux" and project is not None and "+" not in torch and "conda" not in known.words
    ):
        release = project.release(torch)  # as the registry has it
        cuda = next((build.cuda for build in release.builds if build.cuda), cuda) if release is not None else cuda
        cuda = cuda or OLD_BUILDS.get(minor_of(torch), ("",))[0]
    if not driver or not cuda:
        return None
    system = "windows" if known.system == "windows" or known.wsl else "linux"
    answer = driver_runs(cuda, driver, system, BUNDLED)
    least = old_driver(cuda, system)
    if least and version_at_least(driver, least) is False:
        return ("driver-too-old", "CUDA %s needs driver %s or later on %s." % (cuda, least, system.title()))
    return ("driver-too-old", answer.because + ".") if answer.status == "incompatible" else None


def _toolkit(known: Known) -> Deduced:
    """CUDA with another major version than the release opens. Within CUDA 11 and later, minor versions are compatible."""
    owner, cuda = known.tensorflow, known.versions.get("cuda")
    row = BUNDLED.tensorflow(owner[1]) if owner is not None and owner[1] else None
    if row is None or not cuda or not row.linux_cuda or "." not in cuda:
        return None
    wanted = row.linux_cuda
    same = cuda.split(".")[0] == wanted.split(".")[0] and (
        version_at_least(wanted, "11") is True or cuda.split(".")[:2] == wanted.split(".")[:2]
    )
    if same:
        return None
    text = "TensorFlow %s needs the libraries of CUDA %s, but CUDA %s is installed." % (row.minor, wanted, cuda)
    return ("cuda-version-mismatch", text)


def _libraries(known: Known) -> Deduced:
    """A build with CUDA that lists no GPU where there is one: mostly it did not find its libraries."""
    owner = known.tensorflow
    if owner is None or not owner[1] or known.vendors != {"nvidia"} or known.no_gpu or known.system == "macos":
        return None
    name, version = owner
    if name == "tensorflow" and version_at_least(version, "2.1") is False and minor_of(version) != "1.15":
        return ("cpu-only-build", "tensorflow %s has no GPU support: that is in tensorflow-gpu." % version)
    text = "TensorFlow %s lists no GPU, and there is one: mostly CUDA's libraries or cuDNN are not found."
    return ("cuda-library-missing", text % version)


def _container(known: Known) -> Deduced:
    if known.container and "nvidia" in known.vendors and not known.packages.get("torch", "").endswith("+cpu"):
        return ("container-without-gpu", "The program runs in a container that has no access to the host's GPU.")
    return None


#: What runs virtual machines and cannot pass a GPU on to them.
_WITHOUT_GPU = re.compile(r"(?i)virtual ?box|vmware (?:workstation|player|fusion)|\bparallels\b")


def _virtual(known: Known, codes: Set[str]) -> Deduced:
    machine = _WITHOUT_GPU.search(known.os_version)
    if machine is None or not codes or not codes <= GPU_UNUSED:
        return None
    return ("no-gpu", "%s gives its virtual machines no GPU to compute with, whatever the host has." % machine.group())


def _none(known: Known) -> Deduced:
    return ("no-gpu", "This machine has no GPU.") if known.no_gpu else None


#: Number of epochs in a row in which the loss must rise, and by what factor in total.
_RISES = ((5, 1.5), (4, 2.0))

#: No loss of a training that works is as large.
_IMMENSE = 1e15

#: Values that should be equal differ by less than this, relatively; larger differences are other values.
_CLOSE = 0.01


def rising_loss(losses: Sequence[float]) -> Optional[str]:
    """Return a sentence if the training loss rises for several epochs, or becomes NaN or infinite."""
    finite = [value for value in losses if math.isfinite(value)]
    if finite and len(finite) < len(losses) and math.isfinite(losses[0]):
        return "The training loss becomes %s after %g." % ("not a number", finite[-1])
    for count, factor in _RISES:
        last = list(losses[-count:])
        if len(last) == count and last[-1] >= factor * last[0] and all(one < two for one, two in zip(last, last[1:])):
            return _rises(last)
    return None


def _rises(last: Sequence[float]) -> str:
    return "The training loss rises from epoch to epoch: %s." % ", ".join("%g" % value for value in last)


def different_tensors(printed: Sequence[Tuple[str, str]]) -> Optional[str]:
    """Return a sentence if a tensor was printed twice with slightly different values, or with NaN in one of them.

    Two tensors count as the same if the text after their values (shape, type) is the same. On two devices they differ by more.
    """
    for (one, kind), (two, other) in zip(printed, printed[1:]):
        devices = kind != other
        if _without_device(kind) != _without_device(other) or one == two:
            continue
        left, right = _numbers(one), _numbers(two)
        if not left or len(left) != len(right):
            continue
        for a, b in zip(left, right):
            if math.isfinite(a) != math.isfinite(b):
                return "The same computation gives %s once and %s another time." % (one.strip(), two.strip())
            if a != b and math.isfinite(a) and (abs(a - b) <= _CLOSE * max(abs(a), abs(b))) != devices:
                return "The same computation gives %s once and %s another time." % (one.strip(), two.strip())
    return None


def different_on_device(printed: Sequence[Tuple[str, str]]) -> Optional[str]:
    """Return a sentence if numbers were printed in pairs, from the device and from the CPU, and one pair differs.

    Two numbers that differ may be two results; a row of pairs of which another one agrees is a comparison.
    """
    agree, differ = 0, ""
    for (one, kind), (two, other) in zip(printed[::2], printed[1::2]):
        if "device=" not in kind or _without_device(kind) != other:
            return None
        left, right = float(one), float(two)
        agree += left == right != 0.0 or "grad_fn=" in other
        if abs(left - right) > _CLOSE * max(1.0, abs(left), abs(right)):
            differ = differ or "The device gives %s where the CPU gives %s." % (one, two)
    return differ if agree and differ else None


def immense_loss(losses: Sequence[float]) -> Optional[str]:
    """Return a sentence if the training loss is beyond every scale: float32 would overflow soon."""
    last = losses[-1] if losses else 0.0
    return "The training loss is %g: it diverges." % last if _IMMENSE < last < math.inf else None


def _without_device(kind: str) -> str:
    return re.sub(r", device='[^']*'", "", kind)


def _numbers(text: str) -> List[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []
