"""The processor against what the installed wheels need, and what this process is granted of it and of the memory. Pure."""

import math
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Distribution, Native
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .registry import rule

#: What the field calls instructions that Linux abbreviates.
_NAMES = {
    "abm": "LZCNT", "atomics": "LSE atomic", "cx16": "CMPXCHG16B", "lahf_lm": "LAHF", "pni": "SSE3", "sse4_1": "SSE4.1",
    "sse4_2": "SSE4.2",
}  # fmt: skip

#: What Windows tells of at all; of any other instruction nothing is known there.
_TOLD_BY_WINDOWS = ("sse2", "ssse3", "sse4_1", "sse4_2", "avx", "avx2")

#: Where the projects say what they need; of the others it was tried.
_PAGES = {
    "numpy": pages.NUMPY_SIMD,
    "tensorflow": pages.TENSORFLOW_CPU,
}


class _Lack(NamedTuple):
    """A wheel and the instructions that it needs and that are not there. ``page``: where the project says so."""

    label: str
    missing: Tuple[str, ...]
    ends: str
    instead: Tuple[str, ...]
    blocks: Tuple[str, ...]
    page: str


@rule("cpu-instructions-missing", hidden_by=("python-unsupported", "platform-unsupported"))
def cpu_instructions_missing(view: View) -> Iterable[Finding]:
    """The processor, or the virtual machine, lacks instructions that a wheel uses: the import kills the process."""
    native = view.machine.native
    # Macs on which current wheels install have all of them; a translated interpreter is another finding.
    if native.system == "macos":
        return
    lacks: List[_Lack] = []
    for label, distribution, project, version, blocks in _wheels(view):
        if distribution is not None and _built_elsewhere(view, distribution):
            continue
        lack = _lack(view, label, project, version, blocks)
        if lack is not None:
            lacks.append(lack)
    if not lacks:
        return
    flags = native.cpu_flags.value or ()
    missing = tuple(dict.fromkeys(name for lack in lacks for name in lack.missing))
    virtual = _virtual(native)
    yield Finding(
        "cpu-instructions-missing",
        "error",
        "%s instructions, which this %s lacks: %s."
        % (
            ", ".join("%s uses %s" % (lack.label, _listed(lack.missing)) for lack in lacks),
            "virtual machine's processor" if virtual else "processor",
            "its import crashes the process" if lacks[0].ends == "kills" else "its import fails",
        ),
        (
            Evidence("no %s among %d flags" % (", ".join(missing), len(flags)), native.cpu_flags.source),
            Evidence(native.cpu_model.or_none() or native.architecture, native.cpu_model.source),
        ),
        tuple(_fixes(view, lacks, virtual)),
        tuple(dict.fromkeys(name for lack in lacks for name in lack.blocks)),
        lacks[0].page,
    )


_Wheel = Tuple[str, Optional[Distribution], str, str, Tuple[str, ...]]


def _wheels(view: View) -> Iterable[_Wheel]:
    """The installed wheels that could need something, NumPy first: who imports it dies with it."""
    python = view.machine.python
    numpy = python.distribution("numpy")
    version = numpy.version.or_none() if numpy is not None else None
    if version:
        yield "NumPy %s" % version, numpy, "numpy", version, ("tensorflow", "jax", "torch", "keras")
    if view.has_tensorflow:
        owner, version = view.tensorflow, view.tensorflow_version
        if owner is not None and version and view.tensorflow_row is not None:
            yield view.tensorflow_label, owner, owner.name, version, ("tensorflow",)
    for name, framework, label in (("jaxlib", "jax", "jaxlib"), ("torch", "torch", "PyTorch")):
        found = python.distribution(name)
        version = found.version.or_none() if found is not None else None
        if version:
            yield "%s %s" % (label, version), found, name, version, (framework,)
    elsewhere = python.environment == "conda"
    if not (view.has_tensorflow or elsewhere or python.distribution("jaxlib", "torch")):
        yield "Every wheel of TensorFlow", None, "tensorflow", "2.21.0", ("tensorflow", "keras")


def _lack(view: View, label: str, project: str, version: str, blocks: Tuple[str, ...]) -> Optional[_Lack]:
    native = view.machine.native
    needs = view.matrix.instructions(project, version, view.target.architecture)
    if not needs:
        return None
    flags = native.cpu_flags.value or ()
    missing: Dict[str, None] = {}
    ends, instead, avoidable = "", (), True  # type: str, Tuple[str, ...], bool
    for need in needs:
        absent = [name for name in need.needs if name not in flags]
        if native.system == "windows":
            absent = [name for name in absent if name in _TOLD_BY_WINDOWS]
        if absent:
            missing.update(dict.fromkeys(absent))
            ends, instead = "kills" if "kills" in (ends, need.ends) else need.ends, need.instead
            avoidable = avoidable and bool(need.instead)
    if not missing:
        return None
    page = _PAGES.get("tensorflow" if "tensorflow" in project else project, "")
    return _Lack(label, tuple(missing), ends, instead if avoidable else (), blocks, page)


def _listed(flags: Tuple[str, ...]) -> str:
    names = [_NAMES.get(name, name.upper()) for name in flags]
    return names[0] if len(names) == 1 else "%s and %s" % (", ".join(names[:-1]), names[-1])


def _virtual(native: Native) -> bool:
    """Whether this is a virtual machine, by its processor's flag or by the names that QEMU gives its generic models."""
    model = native.cpu_model.or_none() or ""
    generic = ("QEMU Virtual CPU", "Common KVM processor", "Common 32-bit KVM processor", "VirtualApple")
    return "hypervisor" in (native.cpu_flags.or_none() or ()) or model.startswith(generic)


def _fixes(view: View, lacks: List[_Lack], virtual: bool) -> Iterable[Fix]:
    native = view.machine.native
    if virtual and (native.cpu_model.or_none() or "").startswith("VirtualApple"):
        yield view.shell.run_container_fix("Use the ARM image, which this Mac runs natively", "--platform linux/arm64")
    elif virtual:
        yield Fix(
            "On the host, set the virtual machine's CPU type to the host's processor and restart it: CPU type 'host' "
            "(Proxmox), -cpu host (QEMU), mode='host-passthrough' (libvirt); for VirtualBox, turn Hyper-V off",
            who="admin",
            changes="system",
        )
    if all(lack.instead for lack in lacks):
        wanted = tuple(dict.fromkeys(item for lack in lacks for item in lack.instead))
        yield view.shell.install_fix("Install releases that do not need them", *wanted, instead=virtual)
    elif not any("torch" in lack.blocks for lack in lacks) and native.system == "linux" and view.target.bits == 64:
        yield view.shell.install_fix(
            "Run Keras 3 on PyTorch, which does not need them",
            "torch",
            "keras>=3",
            *_old_numpy(view),
            instead=virtual,
        )
        yield view.shell.set_fix("Let Keras compute with it", "KERAS_BACKEND", "torch")
    yield Fix("Use a processor that has them, or build the framework from source without them", instead=True)


def _old_numpy(view: View) -> Tuple[str, ...]:
    """The NumPy to install with something else, where this processor does not run the newest."""
    flags = view.machine.native.cpu_flags.or_none() or ()
    needs = view.matrix.instructions("numpy", "2.4", view.target.architecture)
    found = [item for need in needs if not set(need.needs) <= set(flags) for item in need.instead]
    return tuple(dict.fromkeys(found))


def _built_elsewhere(view: View, item: Distribution) -> bool:
    """Whether a distribution comes from conda, the system, or was built here: the registry's wheels say nothing of it."""
    if item.platform_tags and all(tag.startswith("linux_") for tag in item.platform_tags):
        return item.name != "tensorflow-directml"  # whose own wheels are tagged so
    if view.machine.python.environment == "conda" and item.installer not in ("pip", "uv"):
        return True
    return item.location.startswith("/usr/lib/python3/dist-packages/")


#: So many times more threads than cores are worth a note: below, the scheduler evens it out.
_FAR_MORE = 2


@rule("cpu-quota-ignored")
def cpu_quota_ignored(view: View) -> Iterable[Finding]:
    """A control group grants the time of few cores, and frameworks start a thread for each processor that they see.

    Tried with TensorFlow 2.21, JAX 0.12 and PyTorch 2.13: all three count the processors that the affinity leaves (so
    that of a cpuset, too), and none looks at a quota.
    """
    native, process = view.machine.native, view.machine.process
    if native.system != "linux" or not native.cpu_quota.present:
        return
    quota = native.cpu_quota.value or 0.0
    seen = native.cpu_affinity.or_none() or native.cpu_count.value or 0
    cores = max(1, math.ceil(quota))
    if seen < _FAR_MORE * cores:
        return
    names = _thread_variables(view)
    if all(process.env(group[0]) is not None for group in names):
        return
    settings = [(name, str(cores)) for group in names for name in group if process.env(name) is None]
    fixes = [view.shell.set_all_fix("Limit threads to the quota", settings)]
    if process.container.or_none():
        span = "0-%d" % (cores - 1) if cores > 1 else "0"
        text = "Pin the container to whole processors, which frameworks respect"
        fixes.append(view.shell.run_container_fix(text, "--cpuset-cpus=%s" % span, instead=True))
    yield Kind("cpu-quota-ignored", "info", (), pages.CGROUP).finding(
        "This process is limited to %g of %d cores, but frameworks start %d threads, which slows them down."
        % (quota, seen, seen),
        (
            Evidence("%g cores" % quota, native.cpu_quota.source),
            Evidence("%d processors to run on" % seen, native.cpu_affinity.source or native.cpu_count.source),
        ),
        tuple(fixes),
    )


def _thread_variables(view: View) -> Tuple[Tuple[str, ...], ...]:
    """By which variables the installed frameworks let their threads be counted, the most important first (each tried)."""
    python = view.machine.python
    names: List[Tuple[str, ...]] = []
    if view.has_tensorflow:
        names.append(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"))
    if python.distribution("jaxlib"):
        names.append(("NPROC",))
    if python.distribution("torch") or not names:
        names.append(("OMP_NUM_THREADS",))
    return tuple(names)


@rule("memory-limit-too-low", hidden_by=("framework-missing",))
def memory_limit_too_low(view: View) -> Iterable[Finding]:
    """A limit on this process leaves less memory than a framework's import takes."""
    native = view.machine.native
    if native.system != "linux":
        return
    unknown = ""
    for fact, kind in ((native.memory_limit_bytes, "memory"), (native.address_space_bytes, "address space")):
        if not fact.known:
            unknown = unknown or "%s: %s" % (fact.source or kind, fact.problem)
        elif fact.value:
            yield from _short(view, fact.value, fact.source, kind)
    if unknown:
        raise UnknownFactError(unknown)


def _short(view: View, limit: int, source: str, kind: str) -> Iterable[Finding]:
    """The finding on the framework that a limit leaves least for, where there is one."""
    worst: List[Tuple[bool, int, str, str]] = []
    for label, project, version in _frameworks(view):
        known = view.matrix.import_memory(project, version)
        if known is not None:
            fatal = known.killed_bytes if kind == "memory" else known.address_space_bytes
            takes = max(known.resident_bytes if kind == "memory" else 0, fatal)
            if limit <= takes:
                worst.append((limit <= fatal, takes, label, known.tried))
    if not worst:
        return
    fatal_here, takes, label, tried = max(worst)
    ends = "hardly any is left for a model"
    if fatal_here:
        ends = "it fails" if kind == "address space" else "the kernel ends the process (Killed)"
    yield Kind("memory-limit-too-low", "error" if fatal_here else "info").finding(
        "This process is limited to %s of %s, and importing %s alone takes %s: %s."
        % (_size(limit), kind, label, _size(takes), ends),
        (Evidence("%s: %s" % (kind, _size(limit)), source), Evidence(_size(takes), "tried with %s" % tried)),
        (_more_memory(view, kind),),
    )


def _more_memory(view: View, kind: str) -> Fix:
    if kind == "address space":
        text = "Remove the limit in the shell that starts the program"
        return view.shell.run_fix(text, "ulimit", "-v", "unlimited", changes="system")
    return Fix(
        "Give the container or service at least 2 GiB: docker run --memory=2g, resources.limits.memory in "
        "Kubernetes, MemoryMax= in a systemd unit",
        who="admin",
        changes="system",
    )


def _frameworks(view: View) -> Iterable[Tuple[str, str, str]]:
    """Label, project and version of the installed frameworks.

    Raises
    ------
    UnknownFactError
        If a version cannot be read.
    """
    if view.has_tensorflow:
        if not view.tensorflow_version:
            raise UnknownFactError("TensorFlow's version is unknown")
        yield view.tensorflow_label, "tensorflow", view.tensorflow_version
    for name, label in (("jaxlib", "JAX"), ("torch", "PyTorch")):
        version = view.version(name)
        if version:
            yield "%s %s" % (label, version), name, version


def _size(size: int) -> str:
    return "%.1f GiB" % (size / (1 << 30)) if size >= 1 << 30 else "%d MiB" % (size >> 20)
