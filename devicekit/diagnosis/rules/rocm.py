"""AMD's compute stack against the build that uses it."""

import re
from typing import Iterable, Optional, Sequence, Tuple

from ...machine.accelerators import Accelerator
from ...machine.facts import AmdGpu
from ...machine.vendors import AMD
from ...matrix.gpu_names import relative_of
from ...matrix.matrix import version_at_least
from ...matrix.tables import RocmRow
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..install_fixes import replace_by_goal
from ..view import View
from .driver_installs import install_rocm, vendor_driver
from .frameworks import gpu_build, users
from .registry import rule
from .rocm_devices import VARIABLES, left_out, rocm_row, target_of, visible_gpus
from .unreachable import Denied, Withheld, denied_nodes

_HIDDEN = ("rocm-missing", "wsl-without-gpu")


def _cards(view: View) -> Tuple[Accelerator, ...]:
    return view.vendor(AMD.key)


# What other words' rules ask of AMD's part: each makes findings of the code that its rule has.


def amd_driver_missing(view: View) -> Iterable[Finding]:
    """An AMD GPU whose kernel driver is not loaded, or is without its part for computing."""
    rocm, native = view.machine.rocm, view.machine.native
    if not users(view, AMD.platform) or native.system != "linux" or view.wsl or not _cards(view):
        return
    if rocm.kfd.value is not None:
        return
    displays = view.displays(AMD)
    bound = next((item.driver for item in displays if item.driver), "")
    gpu = _cards(view)[0]
    evidence = [Evidence(gpu.name, gpu.source), Evidence("not there", rocm.kfd.source)]
    fixes: Tuple[Fix, ...] = (
        view.shell.root_fix("Load it; an error message says why it was not loaded", "modprobe", "amdgpu"),
        Fix(
            "If that fails, boot a newer kernel, which supports newer GPUs, or install AMD's driver",
            who="admin",
            changes="driver",
        ),
    )
    if bound == "amdgpu":
        summary = "The AMD kernel driver amdgpu is loaded without compute support (/dev/kfd is missing)."
        fixes = (
            view.shell.kernel_log_fix("See the reason in the kernel log", "kfd|amdgpu"),
            Fix("Boot a kernel built with CONFIG_HSA_AMD, or install AMD's driver", who="admin", changes="driver"),
        )
    elif bound:
        summary = (
            "This machine has an AMD GPU, but it is bound to the driver %s instead of amdgpu, which ROCm needs." % bound
        )
        if bound.startswith("vfio"):
            text = "Release the GPU from the virtual machines it is reserved for"
            fixes = (Fix(text, who="admin", changes="system"),)
    else:
        summary = "This machine has an AMD GPU, but its kernel driver amdgpu is not loaded."
    if bound:
        evidence.append(Evidence("driver %s" % bound, view.machine.driver.displays.source))
    yield Finding("driver-missing", "warning", summary, tuple(evidence), fixes, (AMD.platform,), pages.ROCM_LINUX)


def amd_withheld(view: View) -> Optional[Withheld]:
    """Return what a container on a machine with an AMD GPU and its driver was started without, None for nothing."""
    machine = view.machine
    rocm = machine.rocm
    if machine.process.container.value is None or not users(view, AMD.platform):
        return None
    displays = [item for item in machine.driver.displays.value or () if item.vendor_id in AMD.pci_ids]
    render = any("renderD" in item.path for item in machine.driver.nodes)
    has_kfd = rocm.kfd.value is not None
    if (has_kfd and render) or not any(item.driver == "amdgpu" for item in displays):
        return None
    missing = (() if has_kfd else ("/dev/kfd",)) + (() if render else ("/dev/dri/renderD*",))
    seen = Evidence("the host's driver amdgpu has %s" % displays[0].address, machine.driver.displays.source)
    return Withheld(AMD, missing, seen, "amd.com/gpu")


def amd_denied(view: View) -> Denied:
    """Return AMD's nodes that this user must not open."""
    machine = view.machine
    if not users(view, AMD.platform):
        return Denied(AMD.platform)
    nodes = {gpu.render_node for gpu in machine.rocm.gpus.or_none() or () if gpu.render_node}
    denied = [item for item in machine.driver.nodes if not item.accessible and "renderD" in item.path]
    if nodes:  # those of other makers' GPUs do not matter
        denied = [item for item in denied if item.path in nodes]
    kfd = machine.rocm.kfd.value
    denied = ([kfd] if kfd is not None and not kfd.accessible else []) + denied
    return denied_nodes(AMD.platform, denied)


def amd_hidden(view: View) -> Tuple[str, str]:
    """Return the variable that hides every AMD GPU, and its value; ("", "") where none does."""
    process = view.machine.process
    if not users(view, AMD.platform) or all(process.env(name) is None for name in VARIABLES):
        return "", ""
    gpus: Sequence[AmdGpu] = view.machine.rocm.gpus.value or ()
    if not gpus:  # the driver lists none to us: the bus knows how many there are
        gpus = tuple(AmdGpu(item.name, "") for item in _cards(view))
    name = visible_gpus(gpus, process).hidden_by if gpus else ""
    return name, (process.env(name) or "") if name else ""


# ROCm in WSL: AMD's library librocdxg asks the driver of Windows through /dev/dxg.

#: From this release on ROCm in WSL goes through librocdxg; before, AMD had a package of its own for WSL.
_FIRST_BRIDGE = "7.2"

#: From this release on ROCm looks for the bridge unasked.
_BRIDGE_BY_ITSELF = "7.13"


def _bridge(view: View) -> Tuple[str, ...]:
    """Which parts of ROCm's way to the GPU are there in WSL 2; nothing elsewhere."""
    machine = view.machine
    if view.wsl != 2 or not users(view, AMD.platform) or machine.directml.dxg.value is None:
        return ()
    names = [item.name for item in machine.rocm.libraries.value or ()]
    return ("directx", "library") if any(name.startswith("librocdxg.so") for name in names) else ("directx",)


def _release(view: View) -> str:
    return (view.machine.rocm.version.value or "").partition("-")[0]


def amd_closed_bridge(view: View) -> Iterable[Finding]:
    """ROCm in WSL that was not set to look behind the bridge."""
    name = "HSA_ENABLE_DXG_DETECTION"
    value = view.machine.process.env(name)
    if "library" not in _bridge(view) or value == "1" or not version_at_least(_release(view), _FIRST_BRIDGE):
        return
    if value != "0" and version_at_least(_release(view), _BRIDGE_BY_ITSELF):
        return
    yield Kind("device-hidden", "warning", (AMD.platform,), pages.ROCM_WSL).finding(
        "ROCm %s finds the GPU of Windows only if %s=1, but it is %s."
        % (_release(view), name, "not set" if value is None else "'%s'" % value[:20]),
        (Evidence("not set" if value is None else "%s=%s" % (name, value[:20]), "environment"),),
        (view.shell.set_fix("Set it before Python starts", name, "1"),),
    )


def amd_refused_target(view: View) -> Iterable[Finding]:
    """HSA_OVERRIDE_GFX_VERSION with a value that ROCm refuses: it then lists no GPU at all (libhsakmt/src/topology.c)."""
    process = view.machine.process
    named = any(name.startswith("HSA_OVERRIDE_GFX_VERSION") for name, _ in process.environ)
    gpus = view.machine.rocm.gpus.value or () if named and users(view, AMD.platform) else ()
    refused = next((gpu for gpu in gpus if target_of(gpu, process) is None), None)
    if refused is None:
        return
    own = "HSA_OVERRIDE_GFX_VERSION_%d" % refused.node
    name = own if process.env(own) else "HSA_OVERRIDE_GFX_VERSION"
    value = (process.env(name) or "")[:60]
    yield Kind("device-hidden", "warning", (AMD.platform,), pages.ROCM_TARGETS).finding(
        "%s='%s' is not of the form 10.3.0: ROCm stops and lists no GPU." % (name, value),
        (Evidence("%s=%s" % (name, value), "environment"),),
        (view.shell.unset_fix(name, "Unset it, or set it to three numbers"),),
    )


def amd_bridge_missing(view: View) -> Iterable[Finding]:
    """ROCm in WSL without AMD's library that reaches the GPU of Windows."""
    rocm = view.machine.rocm
    if _bridge(view) != ("directx",) or not version_at_least(_release(view), _FIRST_BRIDGE):
        return
    yield Kind("wsl-without-gpu", "warning", (AMD.platform,), pages.ROCM_WSL).finding(
        "ROCm %s cannot reach the GPU of Windows: librocdxg.so is not installed." % _release(view),
        (
            Evidence("librocdxg.so not found", rocm.libraries.source),
            Evidence("ROCm %s" % rocm.version.value, rocm.version.source),
        ),
        (
            Fix("Install AMD's ROCDXG for this ROCm, as %s describes" % pages.ROCM_WSL, who="admin", changes="driver"),
            *vendor_driver("Install the current AMD driver in Windows"),
        ),
    )


# Rules of its own.


@rule("rocm-missing")
def rocm_missing(view: View) -> Iterable[Finding]:
    """A ROCm build without ROCm's driver or libraries, whichever GPU is present. PyTorch's builds include the libraries."""
    yield from _jax_alone(view)
    rocm, process = view.machine.rocm, view.machine.process
    if not view.uses_rocm:
        return
    # In WSL, ROCm reaches the GPU through /dev/dxg instead of its own driver. A GPU without a driver, and a container
    # without the GPU, are findings of their own.
    has_driver = rocm.kfd.value is not None or view.machine.directml.dxg.value is not None
    explained = bool(_cards(view)) and (process.container.or_none() is not None or not view.wsl)
    no_libraries = rocm.version.value is None
    if not no_libraries and (has_driver or explained):
        return
    missing = ([] if has_driver or explained else ["/dev/kfd"]) + (["/opt/rocm"] if no_libraries else [])
    # Without ROCm's libraries the import itself fails; without the driver it only finds no GPU.
    blocks = ("tensorflow.rocm", "tensorflow") if no_libraries else (AMD.platform,)
    yield Kind("rocm-missing", "error" if no_libraries else "warning", blocks, pages.ROCM).finding(
        "%s needs AMD ROCm, but %s %s missing."
        % (view.tensorflow_label, " and ".join(missing), "is" if len(missing) == 1 else "are"),
        tuple(Evidence("not there", path) for path in missing),
        _rocm_or_cpu(view),
    )


def _rocm_or_cpu(view: View) -> Sequence[Fix]:
    """The ROCm that the build was made for; or a build without it."""
    row, text = rocm_row(view), "Replace the build by one for the CPU"
    install = install_rocm(row.rocm if row is not None else "in the release this build was made for")
    cpu = replace_by_goal(view, text, "cpu", "tensorflow-cpu")
    return LazyFixes(lambda: (install, *(step.replace(instead=True) for step in cpu)))


def _jax_alone(view: View) -> Iterable[Finding]:
    """JAX with its plug-in for ROCm, which takes the libraries from the system: without them JAX goes on without it."""
    build, rocm = gpu_build(view, "jax"), view.machine.rocm
    if build is None or not build.rocm or rocm.version.value is not None or rocm.installations:
        return
    major = build.rocm[:1]
    yield Kind("rocm-missing", "warning", ("jax.rocm",), pages.ROCM_LINUX).finding(
        "%s uses the CPU: its plug-in needs ROCm %s, which is not installed." % (build.label, major),
        (Evidence("not there", "/opt/rocm"), Evidence("a plug-in for ROCm %s" % major, build.source)),
        (install_rocm(major),),
    )


@rule("rocm-version-mismatch", hidden_by=_HIDDEN)
def rocm_version_mismatch(view: View) -> Iterable[Finding]:
    """ROCm is there, of another release than the build was made for.

    The names of its libraries carry the major number, so that another one cannot be loaded; with another minor number
    some releases work together and some do not. tensorflow-rocm also looks in its own release's folder
    (``/opt/rocm-6.0.0``), whatever ``/opt/rocm`` is.
    """
    row, rocm = rocm_row(view), view.machine.rocm
    if row is None or rocm.version.value is None:
        return
    found, wanted = _numbers(rocm.version.value), _numbers(row.rocm)
    others = [item for item in rocm.installations if item.found_via != "pip" and _numbers(item.version) == wanted]
    if not found or found[:2] == wanted[:2] or others:
        return
    fatal = found[0] != wanted[0]
    blocks = ("tensorflow.rocm", "tensorflow") if fatal else ()
    yield Kind("rocm-version-mismatch", "error" if fatal else "warning", blocks, pages.ROCM_TENSORFLOW).finding(
        "%s was built for ROCm %s, but ROCm %s is installed%s."
        % (
            view.tensorflow_label,
            row.rocm,
            rocm.version.value.partition("-")[0],
            ", so its import fails" if fatal else "",
        ),
        (
            Evidence("ROCm %s" % rocm.version.value, rocm.version.source),
            Evidence("built for ROCm %s" % row.rocm, "devicekit's compatibility data"),
        ),
        (
            install_rocm(row.rocm),
            Fix(
                "Install the tensorflow-rocm for ROCm %d.%d in a new environment" % found[:2],
                changes="packages",
                instead=True,
            ),
        ),
    )


def _numbers(text: str) -> Tuple[int, ...]:
    parts = re.match(r"(\d+)\.(\d+)", text)
    return (int(parts.group(1)), int(parts.group(2))) if parts else ()


@rule("gfx-unsupported", hidden_by=(*_HIDDEN, "rocm-version-mismatch", "device-hidden", "container-without-gpu"))
def gfx_unsupported(view: View) -> Iterable[Finding]:
    """TensorFlow ignores every GPU whose target is not in its list, and ROCm's kernel driver those that it cannot use."""
    yield from _unlisted(view)
    yield from _torch_without_code(view)
    row, rocm = rocm_row(view), view.machine.rocm
    if row is None or not row.gfx:
        return
    gpus = rocm.gpus.value or ()
    indices = visible_gpus(gpus, view.machine.process).indices
    targets = [target_of(gpus[index], view.machine.process) for index in indices]
    if not indices or None in targets:
        return  # ROCm itself refuses such a variable, which is a finding of its own
    ignored = left_out(view, indices)
    if not ignored:
        return
    whole = len(ignored) == len(indices)
    overridden = any(gpus[index].target != target for index, target in zip(indices, targets))
    source = "HSA_OVERRIDE_GFX_VERSION" if overridden else rocm.gfx.source
    seen = tuple(dict.fromkeys(str(targets[indices.index(index)]) for index, _ in ignored))
    evidence = [Evidence("%s: %s" % (gpus[index].name, why), source) for index, why in ignored[:4]]
    evidence.append(
        Evidence("%s has %s" % (view.tensorflow_label, ", ".join(row.gfx)), "devicekit's compatibility data")
    )
    first = len(indices) - len(ignored)  # what is left out comes behind what is used
    if whole:
        summary = "%s has no code for %s: it ignores the GPU." % (view.tensorflow_label, " and ".join(seen))
        blocks: Tuple[str, ...] = ("tensorflow.rocm",)
    else:
        names = " and ".join(gpus[index].name for index, _ in ignored[:3])
        summary = "%s ignores %s: %s." % (view.tensorflow_label, names, ignored[0][1])
        blocks = tuple("tensorflow.gpu:%d" % (first + number) for number in range(len(ignored)))
    yield Kind("gfx-unsupported", "warning" if whole else "info", blocks, pages.ROCM_SYSTEMS).finding(
        summary,
        tuple(evidence),
        _fixes(view, row, seen) if whole else (),
    )


def _torch_without_code(view: View) -> Iterable[Finding]:
    """PyTorch lists every AMD GPU that ROCm does, and ends with an error or a crash on one that it has no code for."""
    build, gpus = gpu_build(view, "torch"), view.machine.rocm.gpus.or_none() or ()
    found = view.machine.python.build("torch")
    if found is not None and found.rocm.or_none() and gpus:
        found.rocm_version.value  # noqa: B018  # unknown: whether the build has code for these GPUs cannot be decided
    release = re.match(r"\d+\.\d+", build.rocm) if build is not None else None
    if build is None or release is None or not gpus or "+rocm" not in build.version:
        return  # a build of the user's own has code for the GPUs that were chosen
    have = view.matrix.rocm_code("torch", release.group())
    indices = visible_gpus(gpus, view.machine.process).indices
    targets = [target_of(gpus[index], view.machine.process) for index in indices]
    bare = [str(target) for target in targets if target is not None and target not in have]
    if not have or not bare:
        return
    whole = len(bare) == len(targets)
    fixes = [_pass_as(view, bare[0], have), Fix("See AMD's own builds: %s" % pages.ROCM_TORCH, changes="packages")]
    if bare[0].startswith(_BEFORE_VEGA):
        fixes = [Fix("Use the CPU: ROCm has dropped this generation of GPUs")]
    blocks = ("torch.rocm",) if whole else tuple("torch.gpu:%d" % targets.index(target) for target in bare)
    yield Kind("gfx-unsupported", "warning" if whole else "info", blocks, pages.ROCM_SYSTEMS).finding(
        "%s has no code for %s: it lists the GPU, but operations on it fail." % (build.label, " and ".join(bare)),
        (Evidence("code for %s" % ", ".join(have), "devicekit's compatibility data"),),
        tuple(fix for fix in fixes if fix is not None),
    )


def _unlisted(view: View) -> Iterable[Finding]:
    """AMD GPUs that have the driver amdgpu, and that its part for computing leaves out: too old, too new, no PCIe atomics."""
    machine = view.machine
    if not users(view, AMD.platform) or machine.rocm.kfd.value is None or machine.rocm.withheld:
        return
    gpus = machine.rocm.gpus.value
    if gpus is None:
        return
    listed = {gpu.bus_id for gpu in gpus}
    if "" in listed:
        return
    displays = [item for item in machine.driver.displays.value or () if item.vendor_id in AMD.pci_ids]
    lost = [item for item in displays if item.driver == "amdgpu" and item.address not in listed]
    if not lost:
        return
    names = [item.name for item in _cards(view) if item.source.endswith(tuple(card.address for card in lost))]
    blocks = tuple("gpu:%d" % (len(gpus) + n) for n in range(len(lost))) if gpus else (AMD.platform,)
    yield Kind("gfx-unsupported", "info" if gpus else "warning", blocks, pages.ROCM_SYSTEMS).finding(
        "ROCm's kernel driver does not support %s: the GPU is too old or too new for it, or its slot lacks PCIe atomics."
        % (" and ".join(names) or "the AMD GPU"),
        tuple(Evidence("%s is not listed as a compute GPU" % item.address, machine.rocm.gpus.source) for item in lost),
        (view.shell.kernel_log_fix("See the reason in the kernel log", "kfd"),),
    )


#: From ROCm 4.0 on nothing before Vega is supported (https://github.com/ROCm/legacy-rocm-build/issues/1353).
_BEFORE_VEGA = ("gfx6", "gfx7", "gfx8")


def _pass_as(view: View, target: str, have: Sequence[str]) -> Optional[Fix]:
    relative, version = relative_of(target)
    if relative not in have:
        return None
    text = "Make ROCm treat the GPU as %s: users report that it works, AMD does not support it" % relative
    return view.shell.set_fix(text, "HSA_OVERRIDE_GFX_VERSION", version)


def _fixes(view: View, row: RocmRow, seen: Sequence[str]) -> Sequence[Fix]:
    relative = _pass_as(view, seen[0], row.gfx)
    if relative is not None:
        return (relative, _others_builds())
    better = view.matrix.newest_rocm(seen[0])
    if better is None:
        return (_others_builds().replace(instead=False),)
    text = "Install tensorflow-rocm %s, which runs on %s, and ROCm %s" % (better.tensorflow_rocm, seen[0], better.rocm)
    return replace_by_goal(view, text, "rocm", "tensorflow-rocm==%s" % better.tensorflow_rocm)


def _others_builds() -> Fix:
    text = "See AMD's own builds, which are not on the package registry: %s" % pages.ROCM_TENSORFLOW
    return Fix(text, changes="packages", instead=True)
