"""The CUDA libraries that the TensorFlow build opens, against those that can be found."""

from typing import Dict, Iterable, List, Tuple

from ..facts import Library
from ..findings import Evidence, Finding
from ..matrix import CudaRow, TensorFlowRow, version_at_least
from . import rule
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


def _findable(view: View, row: TensorFlowRow) -> Dict[str, Library]:
    """The CUDA libraries by name, without those that only pip brought where this build does not look there."""
    with_wheels = version_at_least(row.minor, _RUNPATH_SINCE)
    found: Dict[str, Library] = {}
    for item in view.machine.cuda.libraries.value or ():
        if item.found_via != "pip" or with_wheels:
            found.setdefault(item.name, item)
    return found


def _others(names: Iterable[str], found: Dict[str, Library]) -> List[Library]:
    """Libraries of the same kind and another version."""
    result = []
    for name in names:
        stem = name.partition(".so")[0] + ".so."
        result += [item for other, item in sorted(found.items()) if other.startswith(stem) and other.count(".") <= 3]
    return result


def _install(view: View) -> str:
    owner = view.tensorflow
    version = view.tensorflow_version
    name = owner.name if owner is not None else "tensorflow"
    return "%s[and-cuda]==%s" % (name, version)


@rule("cuda-version-mismatch", hidden_by=_HIDDEN)
def cuda_version_mismatch(view: View) -> Iterable[Finding]:
    """CUDA is there, of a version that this build does not use."""
    rows = needed(view)
    if rows is None:
        return
    row, cuda = rows
    found = _findable(view, row)
    missing = [name for _, name in cuda.libraries if name not in found]
    others = _others(missing, found)
    if len(missing) < len(cuda.libraries) or not others:
        return
    yield Finding(
        "cuda-version-mismatch",
        "warning",
        "%s uses CUDA %s; what is installed is another version." % (view.tensorflow_label, cuda.cuda),
        tuple(Evidence("%s instead of %s" % (other.name, missing[0]), other.path) for other in others[:3]),
        (view.install_fix("Install the CUDA libraries of this build beside it", _install(view)),),
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
    missing = [name for _, name in cuda.libraries if name not in found]
    if not missing:
        return
    yield Finding(
        "cuda-library-missing",
        "warning",
        "%s opens %s, which cannot be found: it will use no GPU." % (view.tensorflow_label, ", ".join(missing)),
        tuple(Evidence("%s not found" % name, view.machine.cuda.libraries.source) for name in missing[:8]),
        (view.install_fix("Install the CUDA libraries of this build beside it", _install(view)),),
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
    others = _others([name], found)
    evidence = [Evidence("%s not found" % name, view.machine.cuda.libraries.source)]
    evidence += [Evidence("%s is there" % other.name, other.path) for other in others[:2]]
    major = row.linux_cuda.split(".")[0]
    yield Finding(
        "cudnn-missing",
        "warning",
        "%s opens %s, which cannot be found: it will use no GPU." % (view.tensorflow_label, name),
        tuple(evidence),
        (view.install_fix("Install cuDNN", "nvidia-cudnn-cu%s==%s.*" % (major, row.linux_cudnn)),),
        ("cuda",),
        "https://www.tensorflow.org/install/pip",
    )
