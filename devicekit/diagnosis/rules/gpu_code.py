"""The GPU code in TensorFlow's build against the GPUs, and the oldest driver that can do for both. Pure."""

from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...matrix.gpu_names import capability_of
from ...matrix.gpu_support import code_for, gpu_defect, is_capability, newer_than_build
from ...matrix.projects import Build
from ...matrix.tables import Defect
from ...matrix.target import Target
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..install_fixes import replace_by_goal
from ..view import View
from .cuda_order import cuda_accelerators
from .gpu_builds import no_code_for
from .registry import rule


def capabilities(view: View, gpus: Sequence[Accelerator]) -> List[str]:
    """Return the compute capabilities of NVIDIA GPUs, "" if one is not known."""
    return [item.compute_capability or capability_of(item.name, view.matrix) or "" for item in gpus]


def visible_gpus(view: View) -> Sequence[Accelerator]:
    """Return the NVIDIA GPUs in the order of the candidate devices; all where none is visible."""
    return cuda_accelerators(view) or view.vendor("nvidia")


def compiled_for_all(view: View) -> bool:
    """Return whether the driver has to compile TensorFlow's code for every GPU whose compute capability is known."""
    known = [text for text in capabilities(view, visible_gpus(view)) if text]
    return bool(known) and all(tensorflow_code_for(view, text).kind in ("compiled", "newer") for text in known)


class Code(NamedTuple):
    """What TensorFlow's build has for a GPU.

    Attributes
    ----------
    kind : {"machine", "compiled", "newer", "none", "unknown"}
        As `devicekit.matrix.gpu_support.Code`; ``newer``: the driver compiles it, and the GPU is newer than the build's
        CUDA release, so that only a run can tell whether it works.
    defect : Defect or None
        The reports that it fails.
    """

    kind: str
    defect: Optional[Defect] = None


def tensorflow_code(view: View) -> Tuple[Tuple[str, ...], str]:
    """Return which GPU code TensorFlow's build has, and where that was read; () if that is not known."""
    build, owner = view.tensorflow_build, view.tensorflow
    if build is not None and build.compute_capabilities.or_none():
        have = build.compute_capabilities.or_none() or ()
        # A snapshot can be written by hand.
        return have if all(map(is_capability, have)) else (), build.compute_capabilities.source
    project = view.matrix.project(owner.name) if owner is not None else None
    release = project.release(view.tensorflow_version or "") if project is not None else None
    for item in release.builds if release is not None else ():
        if item.kind == "cuda" and item.capabilities:
            return item.capabilities, item.source
    return (), ""


def tensorflow_code_for(view: View, capability: str) -> Code:
    """Return what TensorFlow's build has for a compute capability."""
    if not capability:
        return Code("unknown")
    have, source = tensorflow_code(view)
    row = view.tensorflow_row
    build = Build((), (), "cuda", row.linux_cuda if row is not None else "", "", have, "", (), source)
    target = Target("", "linux", "x86_64", capabilities=(capability,))
    kind = code_for(build, target).kind
    defect = gpu_defect("tensorflow", view.tensorflow_version or "", build, target, view.matrix)
    if defect is not None and defect.effect == "fails":
        return Code("newer", defect)
    return Code("newer" if kind == "compiled" and newer_than_build(build, (capability,), view.matrix) else kind)


@rule(
    "compute-capability-unsupported",
    hidden_by=("driver-missing", "wsl-without-gpu", "container-without-gpu", "cpu-only-build", "device-hidden"),
)
def compute_capability_unsupported(view: View) -> Iterable[Finding]:
    """The build has no code for the GPU, or none that runs before the driver has compiled it."""
    yield from no_code_for(view)
    gpus = visible_gpus(view) if view.uses_cuda else ()
    if not gpus:
        return
    known = capabilities(view, gpus)
    codes = {text: tensorflow_code_for(view, text) for text in filter(None, known)}
    have, source = tensorflow_code(view)
    for kind in ("none", "newer", "compiled"):
        for defect in dict.fromkeys(code.defect for code in codes.values() if code.kind == kind):
            numbers = [index for index, text in enumerate(known) if codes.get(text) == Code(kind, defect)]
            evidence = [Evidence("code for %s" % ", ".join(have), source)]
            evidence += [Evidence(gpus[index].name, gpus[0].source) for index in numbers[:3]]
            whole = len(numbers) == len(known)
            blocks = _blocks(kind, defect, numbers, whole)
            severity = "warning" if whole else "info"
            url = pages.CUDA_GPUS
            if defect is not None:
                evidence.append(Evidence("%s: %s" % (defect.says, defect.what), defect.sources[0]))
                url = defect.sources[0]
            yield Kind("compute-capability-unsupported", severity, blocks, url).finding(
                _summary(view, kind, defect, known[numbers[0]], gpus[numbers[0]].name),
                tuple(evidence),
                _other_code(view, kind, defect, whole),
            )


def _blocks(kind: str, defect: Optional[Defect], numbers: Sequence[int], whole: bool) -> Tuple[str, ...]:
    if kind == "none":
        return ("tensorflow.cuda",) if whole else tuple("tensorflow.gpu:%d" % index for index in numbers)
    if kind == "newer":
        part = "tensorflow.kernels" if defect is not None else "tensorflow.jit"
        return (part,) if whole else tuple("%s:%d" % (part, index) for index in numbers)
    return ()


def _summary(view: View, kind: str, defect: Optional[Defect], capability: str, gpu: str) -> str:
    what = {
        "none": "it ignores the GPU",
        "newer": "the driver compiles it at first use, which can take 30 minutes, and only a run can tell whether it works",
        "compiled": "the driver compiles it at first use, which can take 30 minutes",
    }[kind]
    if defect is not None:
        what = "it lists the GPU, and operations on it are %s to fail" % defect.says
    machine = "" if kind == "none" else "machine "
    label = view.tensorflow_label
    return "%s has no %scode for compute capability %s (%s): %s." % (label, machine, capability, gpu, what)


def _other_code(view: View, kind: str, defect: Optional[Defect], whole: bool) -> Sequence[Fix]:
    if kind == "none" and not whole:
        return (Fix("Use the other GPUs; an older TensorFlow can use this one", changes="code"),)
    if kind == "none":
        text = "Install the newest TensorFlow that supports this GPU"
        return replace_by_goal(view, text, "cuda", "tensorflow[and-cuda]")
    if defect is not None:
        return (
            view.shell.run_fix(defect.do, "devicekit", "resolve", "cuda", "--framework", "jax"),
            view.shell.run_fix(
                "See what the self-test says here: a device that passes it is used", "devicekit", "verify", instead=True
            ),
        )
    return (
        view.shell.set_fix(
            "Let the first run finish, with a cache that holds what it compiles", "CUDA_CACHE_MAXSIZE", "4294967296"
        ),
        Fix(
            "Use a build with machine code for it, such as NVIDIA's TensorFlow container",
            changes="system",
            instead=True,
        ),
    )
