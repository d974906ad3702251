"""The CUDA libraries that the TensorFlow build opens, against those that can be found."""

from typing import Dict, Iterable, List, Sequence, Tuple

from ..facts import Library
from ..findings import Evidence, Finding, Fix
from ..matrix import CudaRow, TensorFlowRow, version_at_least
from . import rule
from .mending import mend
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
