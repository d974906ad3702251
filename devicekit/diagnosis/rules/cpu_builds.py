"""TensorFlow builds without GPU support on a machine that has a GPU for another build."""

from typing import Iterable, Sequence, Tuple

from ...matrix.matrix import version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..frameworks import TITLES
from ..install_fixes import elsewhere, replace_by_goal
from ..view import View
from .frameworks import is_there, uses
from .gpu_builds import without_cuda
from .registry import rule


@rule("cpu-only-build", hidden_by=("wsl-without-gpu", "container-without-gpu"))
def cpu_only_build(view: View) -> Iterable[Finding]:
    """An NVIDIA GPU and a TensorFlow that was built without GPU support; a TPU and a framework without what it needs."""
    yield from _tpu_without_build(view)
    yield from without_cuda(view)
    if not view.has_tensorflow or view.uses_cuda or view.uses_rocm or view.directml_flavor or not view.vendor("nvidia"):
        return
    gpu = view.vendor("nvidia")[0]
    owner = view.tensorflow
    name = owner.name if owner is not None else "tensorflow"
    reason, fixes = _other_build(view, name)
    build = view.tensorflow_build
    source = build.cuda.source if build is not None and build.cuda.known else (owner.location if owner else "")
    yield Kind("cpu-only-build", "warning", ("tensorflow.cuda",), pages.TENSORFLOW).finding(
        "This machine has an NVIDIA GPU, but %s." % reason,
        (Evidence(gpu.name, gpu.source), Evidence(view.tensorflow_label, source)),
        fixes,
    )


def _other_build(view: View, name: str) -> Tuple[str, Sequence[Fix]]:
    """Why this build has no GPU support, and what to install instead."""
    version = view.tensorflow_version or ""
    if view.machine.native.system == "windows" and not (name == "tensorflow-cpu" and _before(version, "2.11")):
        wsl = view.shell.install_wsl_fix("Use TensorFlow in WSL 2")
        words = "Create an environment with Python %s and the last release with GPU support"
        older = LazyFixes(lambda: (wsl, elsewhere(view, words, "cuda", "tensorflow<2.11", "numpy<2", instead=True)))
        return "TensorFlow has no GPU support on native Windows since 2.11", older
    reason = "%s is built without GPU support" % name
    if view.machine.native.architecture not in ("x86_64", "AMD64"):
        return reason, (
            Fix(
                "Use NVIDIA's TensorFlow container: there are no TensorFlow wheels with CUDA for this processor",
                changes="system",
            ),
        )
    # The extra that brings CUDA's libraries exists from 2.14 on.
    extra = "" if _before(version, "2.14") or view.machine.native.system == "windows" else "[and-cuda]"
    requirement = "tensorflow%s%s" % (extra, "==%s" % version if version else "")
    return reason, replace_by_goal(view, "Replace it with the CUDA build", "cuda", requirement, version=version)


def _before(version: str, limit: str) -> bool:
    return bool(version) and version_at_least(version, limit) is False


def _tpu_without_build(view: View) -> Iterable[Finding]:
    """A TPU, and a framework without what it needs for it."""
    chips = view.machine.tpu.chips.or_none() or ()
    python = view.machine.python
    present = [name for name in ("jax", "tensorflow") if is_there(view, name)]
    lacking = [name for name in present if not uses(view, name, "tpu")]
    if not chips or not present or len(lacking) < len(present):
        return
    name = lacking[0]
    missing = "libtpu" if name == "jax" else "tensorflow-tpu"
    version = python.version_of("jax") or ""
    fix = view.shell.install_fix("Install JAX with TPU support", "jax[tpu]%s" % ("==" + version if version else ""))
    if name == "tensorflow":
        fix = view.shell.install_fix("Use Keras on JAX, whose TPU library is on PyPI", "keras", "jax[tpu]")
    yield Kind("cpu-only-build", "info", tuple("%s.tpu" % item for item in lacking), pages.JAX_TPU).finding(
        "This machine has a TPU, but %s is installed without %s."
        % (TITLES["jax"] if name == "jax" else view.tensorflow_label, missing),
        (
            Evidence("%d chips of TPU %s" % (len(chips), chips[0]), view.machine.tpu.chips.source),
            Evidence("no libtpu", view.machine.tpu.library.source),
        ),
        (fix,),
    )
