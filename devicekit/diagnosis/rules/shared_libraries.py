"""CUDA's libraries that several frameworks in one environment share: files of two wheels, and one cuDNN for all. Pure.

Sources: the directories of NVIDIA's wheels (``overlaps.json``); https://github.com/jax-ml/jax/issues/19004, 18032 and 9454
(of two frameworks in a process, the cuDNN of the one that loads it first is used by both); ``jax_plugins/xla_cuda12``
(refuses a cuDNN older than the one it was built with).
"""

import re
from typing import Dict, Iterable, Iterator, List, Tuple

from ...machine.facts import Distribution
from ...matrix.matrix import accepts
from .. import pages
from ..findings import Evidence, Finding, Kind
from ..install_fixes import share_libraries
from ..view import View
from .frameworks import gpu_build, users


def _installed(view: View) -> Dict[str, Distribution]:
    distributions = view.machine.python.distributions.value or ()
    return {item.name: item for item in distributions if item.name.startswith("nvidia-")}


def overwritten_libraries(view: View) -> Iterator[Finding]:
    """Two of NVIDIA's distributions that install the same file: the one for CUDA 12 and the one for CUDA 13, say."""
    if view.machine.native.system != "linux":
        return
    installed = _installed(view)
    rivals: Dict[Tuple[str, ...], List[str]] = {}
    for name in installed:
        for file, writers in view.matrix.overlaps(name):
            both = [item for item in writers if item in installed]
            if len(both) > 1:
                both = [item for item in both if accepts(writers[item], installed[item].version.value or "")]
            if name in both and len(both) > 1 and file not in rivals.get(tuple(both), ()):
                rivals.setdefault(tuple(both), []).append(file)
    if not rivals:
        return
    first, files = next(iter(rivals.items()))
    names = tuple(dict.fromkeys(name for both in rivals for name in both))
    evidence = [Evidence("%s %s" % (name, installed[name].version.value), installed[name].location) for name in names]
    there = next(
        (item for item in view.machine.cuda.libraries.or_none() or () if item.path.endswith("/" + files[0])), None
    )
    owner = [name for name in first if there is not None and installed[name].version.value == there.version]
    if there is not None and len(owner) == 1:
        evidence.append(Evidence("the file is from %s %s" % (owner[0], there.version), there.path))
    labels = ["%s %s" % (name, installed[name].version.value) for name in first]
    yield Kind("distributions-conflict", "warning", (), pages.CUDNN).finding(
        "%s both install %s: the last one replaced the other's, so that a framework loads a library for another CUDA."
        % (" and ".join(labels), files[0]),
        tuple(evidence),
        share_libraries(view, users(view, "cuda"), names),
    )


def jax_cudnn_too_old(view: View) -> Iterable[Finding]:
    """A cuDNN older than JAX's plug-in for CUDA was built with, which another framework's requirement brought."""
    build = gpu_build(view, "jax")
    major = build.cuda_release if build is not None else ""
    if build is None or not major or view.machine.native.system != "linux":
        return
    name = "nvidia-cudnn-cu%s" % major
    cudnn, plugin = (
        view.machine.python.distribution(name),
        view.machine.python.distribution("jax-cuda%s-plugin" % major),
    )
    version = (cudnn.version.or_none() if cudnn is not None else None) or ""
    least = _least(plugin.requires if plugin is not None else (), name)
    if cudnn is None or not version or not least or accepts(">=" + least, version) is not False:
        return
    wanting = [item for item in view.machine.python.distributions.value or () if _exactly(item, name)]
    because = " for %s" % " and ".join(item.name for item in wanting) if wanting else ""
    frameworks = tuple(
        item for item in users(view, "cuda") if item == "jax" or item in {other.name for other in wanting}
    )
    yield Kind("cudnn-version-mismatch", "warning", ("jax.cuda",), pages.JAX).finding(
        "%s needs cuDNN %s or later and does not use the GPU with the %s that is installed%s."
        % (build.label, _short(least), _short(version), because),
        (Evidence("%s %s" % (name, version), cudnn.location),)
        + tuple(Evidence("%s requires %s" % (item.name, name), item.location) for item in wanting),
        share_libraries(view, frameworks)
        if len(frameworks) > 1
        else (view.shell.install_fix("Install the cuDNN that it needs", "%s>=%s" % (name, least)),),
    )


def _least(requires: Iterable[str], name: str) -> str:
    """The oldest release that one of these requirements lets in, "" if none is about the project."""
    for text in requires:
        if re.match(re.escape(name) + r"(?![\w-])", text.replace("_", "-")):
            found = re.search(r">=\s*([0-9.]+)", text.partition(";")[0])
            return found.group(1) if found is not None else ""
    return ""


def _exactly(item: Distribution, name: str) -> bool:
    return any(re.match(re.escape(name) + r"\s*\(?==", text.replace("_", "-")) for text in item.requires)


def _short(version: str) -> str:
    return ".".join(version.split(".")[:3])
