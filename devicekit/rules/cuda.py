"""The CUDA libraries that the TensorFlow build opens, against those that can be found."""

import re
from typing import Dict, Iterable, List, Sequence, Tuple

from ..errors import UnknownFactError
from ..facts import Library
from ..findings import Evidence, Finding, Fix
from ..hardware import capability_number, code_for
from ..matrix import CudaRow, TensorFlowRow, version_at_least
from ..projects import Build
from ..target import Target
from . import rule
from .mending import mend, replace_by_goal
from .view import View

_HIDDEN = ("driver-missing", "wsl-without-gpu", "container-without-gpu", "cpu-only-build", "device-hidden")

#: From this release on, the wheel's own search path (RUNPATH) leads to pip's nvidia-* packages.
_RUNPATH_SINCE = "2.14"


def needed(view: View) -> "Tuple[TensorFlowRow, CudaRow] | None":
    """Return the rows that say which libraries this build opens, None where they are not known or do not apply."""
    row = view.tensorflow_row
    if row is None or not view.uses_cuda or view.machine.native.system != "linux" or not view.vendor("nvidia"):
        return None
    build = view.tensorflow_build
    version = (build.cuda_version.or_none() if build else None) or row.linux_cuda
    cuda = view.matrix.cuda(version) or view.matrix.cuda(row.linux_cuda)
    return (row, cuda) if cuda is not None else None


def _opened(view: View, cuda: CudaRow) -> List[str]:
    """The CUDA libraries that this TensorFlow opens; one that nobody traced opens what the newest ones do."""
    known = {name.partition(".so")[0]: name for _, name in cuda.libraries}
    traced = [name.partition(".so")[0] for name in view.matrix.libraries(view.tensorflow_version or "")]
    stems = traced or [stem for stem in known if stem != "libcurand"]
    return [known[stem] for stem in known if stem in stems]


def _findable(view: View, row: TensorFlowRow) -> Dict[str, Library]:
    """The CUDA libraries by name, without those that only pip brought where this build does not look there."""
    version = view.tensorflow_version or ""
    # 2.16.1 has no search path to pip's packages; 2.21.0 lacks the folder of cuSOLVER in it (both measured).
    with_wheels = version_at_least(row.minor, _RUNPATH_SINCE) and version != "2.16.1"
    found: Dict[str, Library] = {}
    for item in view.machine.cuda.libraries.value or ():
        if item.found_via == "pip" and (not with_wheels or (version == "2.21.0" and "libcusolver" in item.name)):
            continue
        found.setdefault(item.name, item)
    return found


def _in_wheels(view: View, names: Iterable[str]) -> List[str]:
    """The folders in which pip brought these libraries."""
    wanted = set(names)
    libraries = view.machine.cuda.libraries.value or ()
    folders = [item.path.rpartition("/")[0] for item in libraries if item.found_via == "pip" and item.name in wanted]
    return list(dict.fromkeys(folders))


def _others(name: str, found: Dict[str, Library]) -> List[Library]:
    """Libraries of the same kind and another version."""
    stem = name.partition(".so")[0] + ".so."
    return [item for other, item in sorted(found.items()) if other.startswith(stem) and other != name]


def _fixes(view: View, row: TensorFlowRow, missing: List[str]) -> Sequence[Fix]:
    """How these libraries come to be found."""
    folders = _in_wheels(view, missing)
    if len(folders) > 0 and version_at_least(row.minor, _RUNPATH_SINCE):
        path = ":".join(folders).replace("~", "$HOME")
        return (
            Fix(
                "pip brought them, and this build does not look there: put their folders on the loader's path",
                'export LD_LIBRARY_PATH="%s:$LD_LIBRARY_PATH"' % path,
            ),
        )
    owner = view.tensorflow
    if version_at_least(row.minor, _RUNPATH_SINCE):
        name = owner.name if owner is not None else "tensorflow"
        requirement = "%s[and-cuda]==%s" % (name, view.tensorflow_version)
        return mend(view, "Install the CUDA libraries of this build beside it", requirement, extra="and-cuda")
    cuda = "CUDA %s and cuDNN %s" % (row.linux_cuda, row.linux_cudnn)
    return (Fix("Install %s from NVIDIA's archive, and put their lib64 folder on LD_LIBRARY_PATH" % cuda),)


def _capabilities(view: View) -> List[str]:
    """The compute capabilities of the NVIDIA GPUs in the order of the candidate devices, "" where one is not known."""
    told = [gpu.compute_capability.or_none() for gpu in view.machine.driver.gpus.or_none() or ()]
    named: Dict[str, str] = {}  # servers have eight of one name, and looking one up takes its time
    found = []
    for index, item in enumerate(view.vendor("nvidia")):
        if item.name not in named:
            named[item.name] = view.matrix.compute_capability(item.name) or ""
        found.append((told[index] if index < len(told) else None) or named[item.name])
    return found


def _code_in(view: View) -> Tuple[Tuple[str, ...], str]:
    """Which GPU code the build has, and where that was read; () where that is not known."""
    build, owner = view.tensorflow_build, view.tensorflow
    if build is not None and build.compute_capabilities.or_none():
        return build.compute_capabilities.or_none() or (), build.compute_capabilities.source
    project = view.matrix.project(owner.name) if owner is not None else None
    release = project.release(view.tensorflow_version or "") if project is not None else None
    for item in release.builds if release is not None else ():
        if item.kind == "cuda" and item.capabilities:
            return item.capabilities, item.source
    return (), ""


@rule("compute-capability-unsupported", hidden_by=_HIDDEN)
def compute_capability_unsupported(view: View) -> Iterable[Finding]:
    """The build has no code for the GPU, or none that runs before the driver has compiled it."""
    gpus = view.vendor("nvidia") if view.uses_cuda else ()
    if not gpus:
        return
    have, source = _code_in(view)
    capabilities = _capabilities(view)
    kinds = {}
    for text in filter(None, capabilities):
        build = Build((), (), "cuda", "", "", have, "", (), source)
        kinds[text] = code_for(build, Target("", "linux", "x86_64", capabilities=(text,))).kind
    for kind in ("none", "compiled"):
        numbers = [index for index, text in enumerate(capabilities) if kinds.get(text) == kind]
        if not numbers:
            continue
        names = [gpus[index].name for index in numbers]
        refused = kind == "none"
        whole = len(numbers) == len(capabilities)
        # With the variable set, CUDA counts the GPUs in another order than this.
        single = view.machine.process.env("CUDA_VISIBLE_DEVICES") is None
        blocks = ("cuda",) if whole else tuple("gpu:%d" % index for index in numbers if single)
        text = capabilities[numbers[0]]
        yield Finding(
            "compute-capability-unsupported",
            "warning" if whole else "info",
            "%s has no %scode for compute capability %s (%s): %s."
            % (
                view.tensorflow_label,
                "" if refused else "machine ",
                text,
                names[0],
                "it ignores the GPU" if refused else "the driver compiles it at first use, which can take half an hour",
            ),
            (Evidence("code for %s" % ", ".join(have), source),)
            + tuple(Evidence(name, gpus[0].source) for name in names[:3]),
            _other_code(view, refused, whole),
            blocks if refused else (),
            "https://developer.nvidia.com/cuda-gpus",
        )


def _other_code(view: View, refused: bool, whole: bool) -> Sequence[Fix]:
    if refused and not whole:
        return (Fix("Use the other GPUs: TensorFlow leaves this one to other programs, or to an older release"),)
    if refused:
        text = "Install the newest TensorFlow with code for this GPU"
        return replace_by_goal(view, text, "cuda", "tensorflow[and-cuda]")
    return (
        Fix("Let the first run finish; keep what it compiled", "export CUDA_CACHE_MAXSIZE=4294967296"),
        Fix("Or use a build with machine code for it, such as NVIDIA's own TensorFlow container"),
    )


@rule("cuda-version-mismatch", hidden_by=_HIDDEN)
def cuda_version_mismatch(view: View) -> Iterable[Finding]:
    """CUDA is there, of a version that this build does not use."""
    rows = needed(view)
    if rows is None:
        return
    row, cuda = rows
    found = _findable(view, row)
    # By the runtime alone: neighbouring releases share the names of some of the other libraries.
    runtime = dict(cuda.libraries)["cudart"]
    others = _others(runtime, found)
    if runtime in found or not others:
        return
    missing = [name for name in _opened(view, cuda) if name not in found]
    yield Finding(
        "cuda-version-mismatch",
        "warning",
        "%s uses CUDA %s; what is installed is another version." % (view.tensorflow_label, cuda.cuda),
        tuple(Evidence("%s instead of %s" % (other.name, runtime), other.path) for other in others[:3]),
        _fixes(view, row, missing),
        ("cuda",),
        "https://www.tensorflow.org/install/source#gpu",
    )


@rule("cuda-library-missing", hidden_by=_HIDDEN + ("cuda-version-mismatch",))
def cuda_library_missing(view: View) -> Iterable[Finding]:
    """A CUDA library that this build opens cannot be found; TensorFlow then uses no GPU at all."""
    rows = needed(view)
    if rows is None:
        return
    row, cuda = rows
    found = _findable(view, row)
    missing = [name for name in _opened(view, cuda) if name not in found]
    if not missing:
        return
    yield Finding(
        "cuda-library-missing",
        "warning",
        "%s opens %s, which cannot be found: it will use no GPU." % (view.tensorflow_label, ", ".join(missing)),
        tuple(Evidence("%s not found" % name, view.machine.cuda.libraries.source) for name in missing[:8]),
        _fixes(view, row, missing),
        ("cuda",),
        "https://www.tensorflow.org/install/pip",
    )


@rule("cudnn-missing", hidden_by=_HIDDEN + ("cuda-version-mismatch", "cuda-library-missing"))
def cudnn_missing(view: View) -> Iterable[Finding]:
    """The CUDA libraries are there, cuDNN is not."""
    rows = needed(view)
    if rows is None or not rows[0].linux_cudnn:
        return
    row, _ = rows
    name = "libcudnn.so.%s" % row.linux_cudnn
    found = _findable(view, row)
    if name in found:
        return
    others = _others(name, found)
    evidence = [Evidence("%s not found" % name, view.machine.cuda.libraries.source)]
    evidence += [Evidence("%s is there" % other.name, other.path) for other in others[:2]]
    yield Finding(
        "cudnn-missing",
        "warning",
        "%s opens %s, which cannot be found: it will use no GPU." % (view.tensorflow_label, name),
        tuple(evidence),
        _cudnn_fix(view, row, name),
        ("cuda",),
        "https://www.tensorflow.org/install/pip",
    )


def _cudnn_fix(view: View, row: TensorFlowRow, name: str) -> Sequence[Fix]:
    if _in_wheels(view, [name]) or not version_at_least(row.minor, _RUNPATH_SINCE):
        return _fixes(view, row, [name])
    # cuDNN from 9.11 on has no code for Pascal and Volta, which these builds support.
    bounds = ">=9.3,<9.11" if row.linux_cudnn == "9" else "==%s.*" % row.linux_cudnn
    major = row.linux_cuda.split(".")[0]
    return (view.install_fix("Install cuDNN", "nvidia-cudnn-cu%s%s" % (major, bounds)),)


_BEFORE_CUDNN = _HIDDEN + ("cuda-version-mismatch", "cuda-library-missing", "cudnn-missing")


def _is_wheels(library: Library) -> bool:
    """Whether pip brought it, even where LD_LIBRARY_PATH leads there."""
    return library.found_via == "pip" or "/nvidia/cudnn/" in library.path


def _cudnn_version(view: View, library: Library, row: TensorFlowRow) -> str:
    """The version of the cuDNN that would be loaded.

    Raises
    ------
    UnknownFactError
        Where neither its package nor the name of its file says it.
    """
    if _is_wheels(library):
        told = view.machine.python.version_of("nvidia-cudnn-cu%s" % row.linux_cuda.partition(".")[0])
        if told:
            return told
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)*)$", library.target or library.name)
    if match is None:
        raise UnknownFactError("%s: its name does not say which version it is" % library.path)
    return match.group(1)


@rule("cudnn-version-mismatch", hidden_by=_BEFORE_CUDNN)
def cudnn_version_mismatch(view: View) -> Iterable[Finding]:
    """A cuDNN older than the one that TensorFlow was compiled with, or too new for the GPU."""
    rows = needed(view)
    row = rows[0] if rows is not None else None
    if row is None or not row.linux_cudnn:
        return
    library = _findable(view, row).get("libcudnn.so.%s" % row.linux_cudnn)
    compiled, seen = view.matrix.compiled_cudnn(view.tensorflow_version or "")
    if library is None or not compiled:
        return
    version = _cudnn_version(view, library, row)
    line = view.matrix.cudnn(version)
    oldest = capability_number(line.oldest_capability) if line is not None else (0, 0)
    capabilities = _capabilities(view)
    left = [text for text in capabilities if text and capability_number(text) < oldest]
    short = ".".join(version.split(".")[:3])
    blocks: Tuple[str, ...] = ("cuda",)
    if version_at_least(version, compiled) is False:
        reason = "was compiled with cuDNN %s, and refuses the older %s that is found" % (compiled, short)
        evidence = Evidence("compiled with %s" % compiled, seen)
    elif left and line is not None:
        reason = "would load cuDNN %s, which has no code for compute capability %s" % (short, left[0])
        evidence = Evidence(
            "cuDNN %s has code from %s on" % (line.versions, line.oldest_capability), "devicekit's matrix"
        )
        blocks = ("cuda",) if len(left) == len(capabilities) else ()
    else:
        return
    yield Finding(
        "cudnn-version-mismatch",
        "warning",
        "%s %s: convolutions and recurrent layers fail on the GPU." % (view.tensorflow_label, reason),
        (Evidence("cuDNN %s" % version, library.path), evidence),
        _other_cudnn(view, row, library, compiled, bool(left)),
        blocks,
        "https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/support-matrix.html",
    )


def _other_cudnn(view: View, row: TensorFlowRow, library: Library, compiled: str, old_gpu: bool) -> Sequence[Fix]:
    major = row.linux_cudnn
    limit = "9.11" if old_gpu and major == "9" else "%d" % (int(major) + 1)
    if not _is_wheels(library):
        text = "Put a cuDNN from %s on and before %s in the place of %s" % (compiled, limit, library.path)
        return (Fix(text),)
    name = "nvidia-cudnn-cu%s" % row.linux_cuda.partition(".")[0]
    return (view.install_fix("Install a cuDNN that goes with both", "%s>=%s,<%s" % (name, compiled, limit)),)


@rule("xla-toolchain-missing", hidden_by=(*_BEFORE_CUDNN, "driver-shadowed", "driver-too-old"))
def xla_toolchain_missing(view: View) -> Iterable[Finding]:
    """Nothing to compile for the GPU with: from 2.11 on Keras compiles the optimizer's step, or the whole step, there."""
    rows = needed(view)
    if rows is None:
        return
    row, toolchain = rows[0], view.machine.cuda.toolchain
    found = toolchain.value or ()
    if any(item.name == "libdevice.10.bc" for item in found):
        return
    by_default = version_at_least(row.minor, "2.11")
    missing = "libdevice.10.bc" if found else "libdevice.10.bc and ptxas"
    text = "Install CUDA's compiler beside TensorFlow"
    command = mend(view, text, "nvidia-cuda-nvcc-cu%s" % row.linux_cuda.partition(".")[0], extra="and-cuda")
    toolkit = Fix(
        "Install the compiler of the CUDA %s toolkit, and tell XLA its folder" % row.linux_cuda,
        "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda",
    )
    yield Finding(
        "xla-toolchain-missing",
        "warning" if by_default else "info",
        "%s of CUDA cannot be found: what XLA compiles for the GPU fails%s."
        % (missing, ", and Keras lets it compile in model.fit" if by_default else " (jit_compile=True)"),
        tuple(Evidence("%s not found" % name, toolchain.source) for name in missing.split(" and "))
        + tuple(Evidence("%s is there" % item.name, item.path) for item in found[:1]),
        command if version_at_least(row.minor, _RUNPATH_SINCE) else (toolkit,),
        (),
        "https://github.com/tensorflow/tensorflow/issues/58681",
    )
