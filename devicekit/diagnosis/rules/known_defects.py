"""What installed frameworks are known to compute wrongly here: one rule for all rows of ``defects.json``."""

import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Library
from ...matrix.matrix import accepts
from ...matrix.tables import Defect
from ..findings import Evidence, Finding, Fix, Kind
from ..frameworks import BACKENDS, TITLES
from ..view import View
from .frameworks import gpu_build, is_there, uses
from .gpu_code import capabilities, tensorflow_code_for, visible_gpus
from .keras import backend, has_backend, keras3_on, select_installed
from .libraries import search
from .registry import BROKEN_INSTALL, rule

#: File names of NVIDIA's libraries, and the packages that bring them for a major number of CUDA.
_FILES = {"cudnn": r"libcudnn\.so\.\d+$|cudnn64_\d+\.dll$", "cublas": r"libcublas\.so\.%s$|cublas64_%s\.dll$"}
_PACKAGES = {"cudnn": ("nvidia-cudnn-cu%s",), "cublas": ("nvidia-cublas-cu%s", "nvidia-cublas")}

_LABELS = {"cudnn": "cuDNN", "cublas": "cuBLAS", "rocm": "ROCm"}


class _Seen(NamedTuple):
    """A fact that a row asks for. ``label``: for the sentence, ``""`` where it need not be named."""

    evidence: Evidence
    label: str = ""


#: Where one of these fired, the framework does not compute on that hardware at all.
_UNUSED = (
    "platform-unsupported", "plugin-version-mismatch", "wsl-without-gpu", "container-without-gpu", "directml-missing",
    "directml-unsupported", "cpu-only-build", "metal-plugin-missing", "device-hidden", "device-permission-denied",
    "driver-missing", "driver-shadowed", "driver-mismatch", "driver-too-old", "rocm-missing", "rocm-version-mismatch",
    "gfx-unsupported", "compute-capability-unsupported", "cuda-version-mismatch", "cuda-library-missing", "cudnn-missing",
    "cudnn-version-mismatch",
)  # fmt: skip


@rule("known-defect", hidden_by=(*BROKEN_INSTALL, *_UNUSED))
def known_defect(view: View) -> Iterable[Finding]:
    """A framework, with its libraries and this hardware, of which it is known that it computes wrong values."""
    unknown: List[UnknownFactError] = []
    for framework in BACKENDS:
        version = _version(view, framework) if is_there(view, framework) else ""
        if not version and is_there(view, framework):
            unknown.append(UnknownFactError("the version of %s is not known" % TITLES[framework]))
        for row in view.matrix.defects(framework, version) if version else ():
            if row.effect == "fails":  # compute-capability-unsupported says that
                continue
            try:
                seen = _conditions(view, framework, row)
            except UnknownFactError as error:
                if row.severity != "info":  # of what would only be a note, it is not worth saying that it is open
                    unknown.append(error)
                continue
            if seen is not None:
                yield _finding(view, framework, version, row, seen)
    if unknown:
        raise unknown[0]


def _version(view: View, framework: str) -> str:
    if framework == "tensorflow":
        return (view.tensorflow_version or "").partition("+")[0]
    build = view.machine.python.build(framework)
    found = view.machine.python.version_of(framework) or (build.version.or_none() if build is not None else None)
    return (found or "").partition("+")[0]


def _conditions(view: View, framework: str, row: Defect) -> Optional[Tuple[_Seen, ...]]:
    """Return the facts for which a row applies, None if it does not.

    Raises
    ------
    UnknownFactError
        If a condition is not known, and all others hold.
    """
    env = view.machine.process.env
    name, _, value = row.set.partition("=")
    if any(env(item) for item in row.without) or (name and env(name) == value):
        return None
    if not any(_has_platform(view, framework, platform) for platform in row.platforms):
        return None
    seen: List[_Seen] = []
    # What costs least first; the libraries, of which most is unknown, last.
    for condition in (_processor, _chip, _gfx, _gpus, _libraries):
        facts = condition(view, framework, row)
        if facts is None:
            return None
        seen += facts
    return tuple(seen)


def _has_platform(view: View, framework: str, platform: str) -> bool:
    if platform == "cuda":
        return uses(view, framework, platform) and bool(view.vendor("nvidia"))
    # Of DirectML, its distribution is among the libraries of the row.
    return platform in ("cpu", "directml") or uses(view, framework, platform)


def _processor(view: View, framework: str, row: Defect) -> Optional[Sequence[_Seen]]:
    if not row.instructions:
        return ()
    flags = view.machine.native.cpu_flags
    if not set(row.instructions) <= set(flags.value or ()):
        return None
    return (_Seen(Evidence("a processor with %s" % ", ".join(row.instructions), flags.source)),)


def _chip(view: View, framework: str, row: Defect) -> Optional[Sequence[_Seen]]:
    if not row.chips:
        return ()
    chip = view.machine.metal.chip
    found = any(re.match(re.escape(name) + r"(?![0-9])", chip.value or "") for name in row.chips)
    return (_Seen(Evidence(str(chip.value), chip.source)),) if found else None


def _gfx(view: View, framework: str, row: Defect) -> Optional[Sequence[_Seen]]:
    if not row.gfx:
        return ()
    targets = view.machine.rocm.gfx
    found = [name for name in targets.value or () if name in row.gfx]
    return (_Seen(Evidence(found[0], targets.source), found[0]),) if found else None


def _gpus(view: View, framework: str, row: Defect) -> Optional[Sequence[_Seen]]:
    """The NVIDIA GPUs of a row: how many, of which compute capability, with which code in TensorFlow's build."""
    if not (row.capabilities or row.gpus or row.code):
        return ()
    gpus = visible_gpus(view)
    if len(gpus) < row.gpus:
        return None
    if not row.capabilities:
        return (_Seen(Evidence("%d GPUs" % len(gpus), gpus[0].source)),)
    fitting = []
    for gpu, text in zip(gpus, capabilities(view, gpus)):
        compiled = not row.code or (framework == "tensorflow" and tensorflow_code_for(view, text).kind != "machine")
        if text and accepts(row.capabilities, text) and compiled:
            fitting.append((gpu, text))
    if not fitting:
        return None
    gpu, text = fitting[0]
    return (_Seen(Evidence("%s (compute capability %s)" % (gpu.name, text), gpu.source), gpu.name),)


def _libraries(view: View, framework: str, row: Defect) -> Optional[Sequence[_Seen]]:
    seen = []
    for name, bounds in row.libraries:
        found = _library(view, framework, name)
        plain = re.match(r"\d+(\.\d+)*", found[0]) if found is not None else None  # ROCm: 6.4.43482-0f2d60242
        if found is None or plain is None or not accepts(bounds, plain.group()):
            return None
        label = "%s %s" % (_LABELS.get(name, name), found[0])
        seen.append(_Seen(Evidence(label, found[1]), label))
    return seen


def _library(view: View, framework: str, name: str) -> Optional[Tuple[str, str]]:
    """Return the version of what a framework loads, and where that was seen; None if it is not there."""
    if name == "rocm":
        return _rocm(view, framework)
    if name not in _FILES:
        owner = view.machine.python.distribution(name)
        return (str(owner.version.value), owner.location) if owner is not None else None
    major = _cuda_major(view, framework)
    pattern = re.compile(_FILES[name].replace("%s", re.escape(major)))
    packages = [text.replace("%s", major) for text in _PACKAGES[name]]
    owners = [item for item in map(view.machine.python.distribution, packages) if item is not None]
    library = _loaded(view, framework, pattern)
    if library is not None and library.version:
        return library.version, library.path
    if owners and (library is None or library.found_via == "pip" or "/nvidia/" in library.path):
        return str(owners[0].version.value), owners[0].location
    if library is not None:
        raise UnknownFactError("%s: its name does not say which version it is" % library.path)
    return None


def _rocm(view: View, framework: str) -> Optional[Tuple[str, str]]:
    build = gpu_build(view, framework) if framework != "tensorflow" else None
    if build is not None:  # it brings its own
        return (build.rocm, build.source) if build.rocm not in ("", "?") else None
    release = view.machine.rocm.version
    return (str(release.value), release.source) if release.value else None


def _cuda_major(view: View, framework: str) -> str:
    if framework != "tensorflow":
        build = gpu_build(view, framework)
        return build.cuda_release.partition(".")[0] if build is not None else ""
    build_info, row = view.tensorflow_build, view.tensorflow_row
    release = (build_info.cuda_version.or_none() if build_info else None) or (row.linux_cuda if row else "")
    digits = release.rpartition("_")[2]  # Windows' builds name a file: 64_112
    return digits[:-1] if "_" in release else digits.partition(".")[0]


def _loaded(view: View, framework: str, pattern: "re.Pattern[str]") -> Optional[Library]:
    """The file that a framework's own search comes to, else the first one of that name."""
    found = search(view, framework)
    names: Dict[str, None] = dict.fromkeys(found.names if found is not None else ())
    taken = [found.taken(name) for name in names if pattern.match(name)] if found is not None else []
    libraries = [item for item in taken if item is not None]
    libraries += [item for item in view.machine.cuda.libraries.value or () if pattern.match(item.name)]
    return libraries[0] if libraries else None


def _finding(view: View, framework: str, version: str, row: Defect, seen: Sequence[_Seen]) -> Finding:
    label = view.tensorflow_label if framework == "tensorflow" else "%s %s" % (TITLES[framework], version)
    named = [item.label for item in seen if item.label]
    with_these = " with %s" % " and ".join(named) if named else ""
    says = "" if row.status == "confirmed" else "users report that "
    evidence = [item.evidence for item in seen]
    status = "confirmed" if row.status == "confirmed" else "reported by users"
    evidence += [Evidence("%s (%s)" % (status, row.name), url) for url in row.sources]
    severity, blocks = row.severity, ("%s.%s" % (framework, "cuda" if row.effect == "refused" else "values"),)
    fixes = _fixes(view, framework, row)
    # Importing TensorFlow imports Keras, and with it this backend (seen: 2.21.0 with Triton 3.9.0, SIGABRT).
    if row.effect == "crashes" and keras3_on(view)[1] == "torch" and has_backend(view, "torch"):
        severity, blocks = "error", (framework,)
        select = select_installed(view, backend(view).source, framework)
        fixes = (*fixes, select.replace(instead=True)) if select is not None else fixes
    return Kind("known-defect", severity, blocks, row.sources[0]).finding(
        "%s%s: %s%s." % (label, with_these, says, row.what), tuple(evidence), fixes
    )


def _fixes(view: View, framework: str, row: Defect) -> Tuple[Fix, ...]:
    if row.requirements:
        major = _cuda_major(view, framework) if any("{cuda}" in text for text in row.requirements) else ""
        requirements = [text.replace("{cuda}", major) for text in row.requirements]
        return (view.shell.install_fix(row.do, *requirements),)
    if row.set:
        name, _, value = row.set.partition("=")
        return (view.shell.set_fix(row.do, name, value),)
    return (Fix(row.do),)
