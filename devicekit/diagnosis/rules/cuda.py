"""The CUDA libraries that the TensorFlow build opens, against those that can be found."""

import re
from typing import Iterable, List, Sequence, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Library
from ...matrix.gpu_support import capability_number
from ...matrix.matrix import version_at_least
from ...matrix.projects import sort_key
from ...matrix.tables import TensorFlowRow
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..install_fixes import repair_install
from ..view import View
from .gpu_builds import no_library_for
from .gpu_code import capabilities, visible_gpus
from .jax_plugins import jax_cudnn_missing, jax_cudnn_unfit, jax_library_missing
from .libraries import Search, cudnn_name, export, folder_of, needed, others_of, search
from .registry import rule
from .shared_libraries import jax_cudnn_too_old

_HIDDEN = ("driver-missing", "wsl-without-gpu", "container-without-gpu", "cpu-only-build", "device-hidden")

#: From this release on, the wheel's own search path (RUNPATH) leads to pip's nvidia-* packages.
_RUNPATH_SINCE = "2.14"


def _fixes(view: View, row: TensorFlowRow, found: Search) -> Sequence[Fix]:
    """How these libraries come to be found."""
    if found.repair.load and not found.repair.lacks:
        return _load_first(view, found)
    if found.repair.refused:
        item = found.repair.refused[0]
        folder = folder_of(item)
        if item.unsafe == "it is in the working folder":
            text = "Install the libraries next to TensorFlow: devicekit loads nothing from the working folder"
            return (Fix(text, changes="packages"),)
        text = "Make the folder writable only for its owner: devicekit loads nothing that any user can change"
        return (
            view.shell.run_fix(text, "chmod", "-R", "o-w", folder, changes="files"),
            export(view, [folder], instead=True),
        )
    missing = [name for name in found.missing if found.attempts[name].library is None]
    installed = [item for item in view.machine.cuda.libraries.value or () if item.name in missing]
    if view.machine.native.system == "windows":
        if len({item.name for item in installed}) == len(set(missing)):
            return (export(view, list(dict.fromkeys(map(folder_of, installed)))),)
    elif version_at_least(row.minor, _RUNPATH_SINCE):
        owner = view.tensorflow
        name = owner.name if owner is not None else "tensorflow"
        requirement = "%s[and-cuda]==%s" % (name, view.tensorflow_version)
        return repair_install(view, "Install the CUDA libraries of this build", requirement, extra="and-cuda")
    windows = view.machine.native.system == "windows"
    cuda = "CUDA %s and cuDNN %s" % (_WINDOWS_CUDA if windows else (row.linux_cuda, row.linux_cudnn))
    where = "their bin folders on PATH" if windows else "their lib64 folder on LD_LIBRARY_PATH"
    return (Fix("Install %s from NVIDIA's archive and put %s" % (cuda, where), who="admin", changes="system"),)


#: What TensorFlow 2.5 to 2.10, the last with GPUs on native Windows, were built for.
_WINDOWS_CUDA = ("11.2", "8.1")


@rule("cuda-version-mismatch", hidden_by=_HIDDEN)
def cuda_version_mismatch(view: View) -> Iterable[Finding]:
    """CUDA is there, of a version that this build does not use."""
    rows, found = needed(view), search(view)
    if rows is None or found is None:
        return
    # By the runtime alone: neighboring releases share the names of some of the other libraries.
    runtime = next((name for name in found.names if "cudart" in name), "")
    others = others_of(view, runtime) if runtime in found.repair.lacks else []
    if not others:
        return
    yield Kind("cuda-version-mismatch", "warning", ("tensorflow.cuda",), pages.TENSORFLOW_BUILDS).finding(
        "%s needs CUDA %s, but another version is installed." % (view.tensorflow_label, rows[1].cuda),
        tuple(Evidence("%s instead of %s" % (other.name, runtime), other.path) for other in others[:3]),
        _fixes(view, rows[0], found),
    )


@rule("cuda-library-missing", hidden_by=(*_HIDDEN, "cuda-version-mismatch"))
def cuda_library_missing(view: View) -> Iterable[Finding]:
    """A CUDA library that this build opens cannot be found; TensorFlow then uses no GPU at all."""
    yield from no_library_for(view)
    yield from jax_library_missing(view)
    rows, found = needed(view), search(view)
    if rows is None or found is None:
        return
    missing = [name for name in found.missing if "cudnn" not in name]
    if found.repairable or not missing:
        management = list(_management_library(view))
        yield from management or ([_loadable_first(view, found)] if found.repairable else [])
        return
    absent = [name for name in missing if found.attempts[name].library is None]
    needy = [name for name in missing if name not in absent]
    what = "%s not found" % ", ".join(absent)
    if not absent:
        lacks = dict.fromkeys(other for name in needy for other in found.attempts[name].lacks)
        what = "%s needs %s, which is not found" % (", ".join(needy), ", ".join(lacks))
    yield Kind("cuda-library-missing", "warning", ("tensorflow.cuda",), pages.TENSORFLOW).finding(
        "%s cannot use the GPU: CUDA libraries are missing (%s)." % (view.tensorflow_label, what),
        tuple(_why(view, name, found) for name in missing[:8]),
        _fixes(view, rows[0], found),
    )


def _why(view: View, name: str, found: Search) -> Evidence:
    """What is known of a library that does not load."""
    library = found.attempts[name].library
    if library is not None:
        return Evidence("%s needs %s" % (name, ", ".join(found.attempts[name].lacks)), library.path)
    refused = next((item for item in found.repair.refused if item.name == name), None)
    if refused is not None:
        return Evidence("%s is installed, but %s" % (name, refused.unsafe), refused.path)
    there = next((item for item in view.machine.cuda.libraries.value or () if item.name == name), None)
    if there is not None:
        return Evidence("%s is installed, but not where this build looks" % name, there.path)
    return Evidence("%s not found" % name, view.machine.cuda.libraries.source)


def _loadable_first(view: View, found: Search) -> Finding:
    """Everything is installed, and something is not where this build looks: loading it first is enough."""
    files = found.repair.load
    return Kind("cuda-library-missing", "info", (), pages.TENSORFLOW).finding(
        "%s does not find %s, although installed, and would use no GPU. devicekit.auto() loads %s first."
        % (view.tensorflow_label, _lie([item.name for item in files]), "it" if len(files) == 1 else "them"),
        tuple(_why(view, name, found) for name in found.missing[:8]),
        _load_first(view, found),
    )


def _lie(names: List[str]) -> str:
    if len(names) > 3:
        return "%s and %d more libraries" % (", ".join(names[:2]), len(names) - 2)
    return ", ".join(names)


def _load_first(view: View, found: Search) -> Sequence[Fix]:
    folders = list(dict.fromkeys(map(folder_of, found.repair.load)))
    text = "In your program, call auto() before TensorFlow is imported"
    return (view.shell.program_fix(text, "import devicekit; devicekit.auto()"), export(view, folders, instead=True))


def _management_library(view: View) -> Iterable[Finding]:
    """From 2.21 on TensorFlow asks NVIDIA's management library first, which a container may come without (measured)."""
    name = "libnvidia-ml.so.1"
    libraries = view.machine.driver.libraries
    if name not in view.matrix.libraries(view.tensorflow_version or "") or view.machine.native.system != "linux":
        return
    if any(item.name == name for item in libraries.value or ()):
        return
    container = view.machine.process.container.or_none()
    yield Kind("cuda-library-missing", "warning", ("tensorflow.cuda",), pages.DRIVER_CAPABILITIES).finding(
        "%s cannot use the GPU: NVIDIA's management library (%s) is missing." % (view.tensorflow_label, name),
        (Evidence("%s not found" % name, libraries.source),),
        (
            view.shell.run_container_fix(
                "Start the container with the driver's utilities as well",
                "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
                "--device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
            )
            if container
            else Fix("Reinstall the complete driver, which includes the library", who="admin", changes="driver"),
        ),
    )


@rule("cudnn-missing", hidden_by=(*_HIDDEN, "cuda-version-mismatch", "cuda-library-missing"))
def cudnn_missing(view: View) -> Iterable[Finding]:
    """The CUDA libraries are there, cuDNN is not."""
    yield from jax_cudnn_missing(view)
    rows, found = needed(view), search(view)
    if rows is None or found is None or found.repairable:
        return
    name = cudnn_name(view, rows[0])
    if name not in found.missing:
        return
    evidence = [_why(view, name, found)]
    evidence += [Evidence("%s is there" % other.name, other.path) for other in others_of(view, name)[:2]]
    yield Kind("cudnn-missing", "warning", ("tensorflow.cuda",), pages.TENSORFLOW).finding(
        "%s cannot use the GPU: cuDNN (%s) is not installed." % (view.tensorflow_label, name),
        tuple(evidence),
        _cudnn_fix(view, rows[0], found),
    )


def _cudnn_fix(view: View, row: TensorFlowRow, found: Search) -> Sequence[Fix]:
    windows = view.machine.native.system == "windows"
    if windows or found.repair.refused or not version_at_least(row.minor, _RUNPATH_SINCE):
        return _fixes(view, row, found)
    # cuDNN from 9.11 on has no code for Pascal and Volta, which these builds support.
    bounds = ">=9.3,<9.11" if row.linux_cudnn == "9" else "==%s.*" % row.linux_cudnn
    major = row.linux_cuda.split(".")[0]
    return (view.shell.install_fix("Install cuDNN", "nvidia-cudnn-cu%s%s" % (major, bounds)),)


_BEFORE_CUDNN = _HIDDEN + ("cuda-version-mismatch", "cuda-library-missing", "cudnn-missing")


def _is_wheels(library: Library) -> bool:
    """Whether pip brought it, even where LD_LIBRARY_PATH leads there."""
    return library.found_via == "pip" or "/nvidia/cudnn/" in library.path


def _cudnn_version(view: View, library: Library, row: TensorFlowRow) -> str:
    """The version of the cuDNN that would be loaded.

    Raises
    ------
    UnknownFactError
        If neither its package nor the name of its file says it.
    """
    if library.version:
        return library.version
    if _is_wheels(library):
        version = view.machine.python.version_of("nvidia-cudnn-cu%s" % row.linux_cuda.partition(".")[0])
        if version:
            return version
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)*)$", library.target or library.name)
    if match is None:
        raise UnknownFactError("%s: its name does not say which version it is" % library.path)
    return match.group(1)


@rule("cudnn-version-mismatch", hidden_by=_BEFORE_CUDNN)
def cudnn_version_mismatch(view: View) -> Iterable[Finding]:
    """A cuDNN older than the one that TensorFlow was compiled with, or too new for the GPU."""
    yield from jax_cudnn_unfit(view)
    yield from jax_cudnn_too_old(view)
    rows = needed(view) if view.machine.native.system == "linux" else None
    if rows is None or not rows[0].linux_cudnn:
        return
    row, found, name = rows[0], search(view), cudnn_name(view, rows[0])
    library = found.taken(name) if found is not None and name in found.attempts else None
    compiled, seen = view.matrix.compiled_cudnn(view.tensorflow_version or "")
    if library is None or not compiled:
        return
    version = _cudnn_version(view, library, row)
    line = view.matrix.cudnn(version)
    oldest = capability_number(line.oldest_capability) if line is not None else (0, 0)
    present = capabilities(view, visible_gpus(view))
    # Where no cuDNN that the build takes has code for the GPU, the build has none either: that is another finding.
    left = [
        text
        for text in present
        if text
        and capability_number(text) < oldest
        and version_at_least(compiled, view.matrix.cudnn_before(text)) is False
    ]
    short = ".".join(version.split(".")[:3])
    blocks: Tuple[str, ...] = ("tensorflow.cuda",)
    if version_at_least(version, compiled) is False:
        reason = "was compiled with cuDNN %s and refuses the older %s that is installed" % (compiled, short)
        evidence = Evidence("compiled with %s" % compiled, seen)
    elif left and line is not None:
        reason = "would load cuDNN %s, which has no code for compute capability %s" % (short, left[0])
        evidence = Evidence(
            "cuDNN %s has code from %s on" % (line.versions, line.oldest_capability), "devicekit's compatibility data"
        )
        blocks = ("tensorflow.cuda",) if len(left) == len(present) else ()
    else:
        return
    yield Kind("cudnn-version-mismatch", "warning", blocks, pages.CUDNN).finding(
        "%s %s: convolutions and recurrent layers fail on the GPU." % (view.tensorflow_label, reason),
        (Evidence("cuDNN %s" % version, library.path), evidence),
        _other_cudnn(view, row, library, compiled, left),
    )


def _other_cudnn(view: View, row: TensorFlowRow, library: Library, compiled: str, left: Sequence[str]) -> Sequence[Fix]:
    before = min((view.matrix.cudnn_before(text) for text in left), key=sort_key, default="")
    limit = before or "%d" % (int(row.linux_cudnn) + 1)
    if not _is_wheels(library):
        text = "Install cuDNN >=%s,<%s in place of %s" % (compiled, limit, library.path)
        return (Fix(text, who="admin", changes="system"),)
    name = "nvidia-cudnn-cu%s" % row.linux_cuda.partition(".")[0]
    return (view.shell.install_fix("Install a cuDNN that both support", "%s>=%s,<%s" % (name, compiled, limit)),)


@rule("xla-toolchain-missing", hidden_by=(*_BEFORE_CUDNN, "driver-shadowed", "driver-too-old"))
def xla_toolchain_missing(view: View) -> Iterable[Finding]:
    """Nothing to compile for the GPU with: from 2.11 on Keras compiles the optimizer's step, or the whole step, there."""
    rows = needed(view) if view.machine.native.system == "linux" else None
    if rows is None:
        return
    row, toolchain = rows[0], view.machine.cuda.toolchain
    found = toolchain.value or ()
    if any(item.name == "libdevice.10.bc" for item in found):
        return
    by_default = version_at_least(row.minor, "2.11")
    missing = "libdevice.10.bc" if found else "libdevice.10.bc and ptxas"
    text = "Install the CUDA compiler next to TensorFlow"
    command = repair_install(view, text, "nvidia-cuda-nvcc-cu%s" % row.linux_cuda.partition(".")[0], extra="and-cuda")
    toolkit = view.shell.set_fix(
        "Install the compiler of the CUDA %s toolkit and set its folder for XLA" % row.linux_cuda,
        "XLA_FLAGS",
        "--xla_gpu_cuda_data_dir=/usr/local/cuda",
    )
    blocks = ("tensorflow.xla",)
    yield Kind("xla-toolchain-missing", "warning" if by_default else "info", blocks, pages.XLA_TOOLCHAIN).finding(
        "CUDA's %s not found: whatever XLA compiles for the GPU fails%s."
        % (missing, ", and Keras compiles with XLA in model.fit" if by_default else " (jit_compile=True)"),
        tuple(Evidence("%s not found" % name, toolchain.source) for name in missing.split(" and "))
        + tuple(Evidence("%s is there" % item.name, item.path) for item in found[:1]),
        command if version_at_least(row.minor, _RUNPATH_SINCE) else (toolkit,),
    )
