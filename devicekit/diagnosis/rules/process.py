"""The process: what hides a device, who may open it, and what a container left out."""

import re
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ...matrix.matrix import version_at_least
from ..findings import Evidence, Finding, Fix, LazyFixes
from ..install_fixes import elsewhere, replace_by_goal
from ..view import View
from .adapter_findings import hiding_variable
from .cuda_order import hidden_from_cuda, without_slices
from .driver_health import cuda_in_use
from .gpu_builds import without_cuda
from .jax_plugins import jax_fatal_variable, jax_hidden
from .oneapi import intel_container, intel_denied, intel_hidden
from .registry import UNLOADABLE, rule
from .rocm import add_to_groups, amd_closed_bridge, amd_container, amd_denied, amd_hidden, amd_refused_target
from .tpu import tpu_denied, tpu_without_build

_CUDA_URL = "https://docs.nvidia.com/cuda/cuda-programming-guide/"


_BROKEN = (
    *UNLOADABLE, "framework-missing", "python-unsupported", "platform-unsupported", "install-corrupt",
    "distributions-conflict", "module-shadowed", "keras-incompatible", "numpy-incompatible", "protobuf-incompatible",
    "dependency-incompatible", "plugin-version-mismatch", "wsl-without-gpu",
)  # fmt: skip


@rule("environment-variable-fatal", hidden_by=_BROKEN)
def environment_variable_fatal(view: View) -> Iterable[Finding]:
    """A variable has a value at which TensorFlow gives up: by an exception, or by killing the process."""
    yield from jax_fatal_variable(view)
    if not view.has_tensorflow or view.tensorflow_row is None:
        return
    for name, reason, what, blocks in _fatal_values(view):
        value = view.machine.process.env(name) or ""
        yield Finding(
            "environment-variable-fatal",
            "error" if blocks else "warning",
            "%s %s: %s." % (name, reason, what),
            (Evidence("%s=%s" % (name, value[:120]), "environment"),),
            (
                view.shell.unset_fix(name, "Unset it"),
                Fix("Or correct its value where it is set (shell profile, Dockerfile, notebook)"),
            ),
            blocks,
            "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/compiler/jit/flags.cc"
            if name == "TF_XLA_FLAGS"
            else "",
        )
        return  # one is enough to stop TensorFlow; the next shows when it is gone


#: Name of the variable, what is wrong with it, what happens then, and what that blocks.
_Fatal = Tuple[str, str, str, Tuple[str, ...]]


def _fatal_values(view: View) -> Iterator[_Fatal]:
    process, version = view.machine.process, view.tensorflow_version or ""
    named = dict(process.named_files.or_none() or ())  # what is not known to be gone may be there
    # Seen from 2.20 on; 2.10 does not read it.
    if named.get("TF_PLUGGABLE_DEVICE_LIBRARY_PATH") is False and version_at_least(version, "2.20"):
        reason, what = "names a file or folder that does not exist", "TensorFlow's import fails"
        yield "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", reason, what, ("tensorflow",)
    if version_at_least(version, "2.0") is False:
        return  # 1.15 ignores what it does not know
    aborts = "the process is killed when TensorFlow lists its devices, after an import that works"
    blocks: Tuple[str, ...] = ("tensorflow.devices",)
    if view.machine.python.plugins.or_none():
        aborts, blocks = "the process is killed at the import, where a plug-in is registered", ("tensorflow",)
    for name in ("TF_XLA_FLAGS", "TF_JITRT_FLAGS"):
        value = process.env(name)
        if not value:
            continue
        if not value.strip().startswith("-"):
            if named.get(name) is False:
                yield name, "does not begin with a dash, and no file of that name exists", aborts, blocks
            continue
        problem = _flag_problem(value, view.matrix.flags(name), bool(version_at_least(version, "2.20")))
        if problem and (name == "TF_XLA_FLAGS" or version_at_least(version, "2.10")):
            yield name, problem, aborts, blocks
    value = process.env("XLA_FLAGS") or ""
    later = "the process is killed when XLA compiles something (jit_compile=True)"
    if named.get("XLA_FLAGS") is False:
        yield "XLA_FLAGS", "does not begin with a dash, and no file of that name exists", later, ()
    stray = [flag for flag in _split_flags(value) if flag.startswith("--tf_")]
    if stray:
        yield "XLA_FLAGS", "has %s, which belongs into TF_XLA_FLAGS" % stray[0].partition("=")[0], later, ()


#: A flag with a quoted value, or any other word.
_FLAG = re.compile(r"""(?:([\w-]+=)(?:'([^']*)'?|"([^"]*)"?)|\S+)\s*""")


def _split_flags(value: str) -> List[str]:
    """The flags of a variable as XLA splits them (parse_flags_from_env.cc): up to the first word without a dash."""
    found = []
    rest = value.strip()
    while rest.startswith("-"):
        match = _FLAG.match(rest)
        assert match is not None  # a dash is no white space
        name, single, double = match.groups()
        found.append(match.group().strip() if name is None else name + (single or double or ""))
        rest = rest[match.end() :]
    return found


def _flag_problem(value: str, known: Dict[str, str], strict: bool) -> Optional[str]:
    """What is wrong with a variable's flags; ``strict``: this release also stops at values that do not parse."""
    for flag in _split_flags(value):
        name, equals, text = flag[2:].partition("=") if flag.startswith("--") else (flag, "", "")
        takes = known.get(name)
        if takes is None or (takes != "switch" and not equals):
            return "has the flag %s, which TensorFlow does not know%s" % (
                flag.partition("=")[0][:60],
                "" if takes is None else " without a value",
            )
        if not strict or not equals:
            continue
        if takes == "switch" and text.lower() not in ("true", "false", "1", "0"):
            return "gives %s the value '%s' instead of true or false" % (flag.partition("=")[0], text[:20])
        if takes == "number" and not re.match(r"-?\d+$", text):
            return "gives %s the value '%s', which is no number" % (flag.partition("=")[0], text[:20])
        if name == "tf_xla_auto_jit" and not re.match(r"-?\d+$|fusible$|single-gpu\(-?\d+\)$", text):
            return "gives %s the value '%s', which it does not have" % (flag.partition("=")[0], text[:20])
    return None


@rule("container-without-gpu")
def container_without_gpu(view: View) -> Iterable[Finding]:
    """A container on a machine with a GPU and its driver, started without the GPU."""
    yield from amd_container(view)
    yield from intel_container(view)
    process, driver = view.machine.process, view.machine.driver
    container = process.container.value
    if container is None or any(item.path.startswith("/dev/nvidia") for item in driver.nodes):
        return
    kernel = driver.nvidia_kernel_version.value
    hardware = [item for item in driver.displays.or_none() or () if item.vendor_id == "10de"]
    if kernel is None and not (hardware and hardware[0].driver == "nvidia"):
        return
    seen = "the host's NVIDIA driver is %s" % (kernel or "loaded")
    yield Finding(
        "container-without-gpu",
        "warning",
        "This container runs on a host with an NVIDIA GPU, but was started without it: there is no /dev/nvidia*.",
        (Evidence(seen, driver.nvidia_kernel_version.source), Evidence(container, process.container.source)),
        (
            Fix("Ask for the GPU in the pod's resources: limits: nvidia.com/gpu: 1")
            if container == "kubernetes"
            else Fix(
                "Start the container with the GPU (the host needs the NVIDIA Container Toolkit)",
                "podman run --device nvidia.com/gpu=all ..." if container == "podman" else "docker run --gpus all ...",
            ),
        ),
        ("cuda",),
        "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/",
    )


@rule("cpu-only-build", hidden_by=("wsl-without-gpu", "container-without-gpu"))
def cpu_only_build(view: View) -> Iterable[Finding]:
    """An NVIDIA GPU and a TensorFlow that was built without GPU support; a TPU and a framework without what it needs."""
    yield from tpu_without_build(view)
    yield from without_cuda(view)
    if (
        not view.has_tensorflow
        or view.uses_cuda
        or view.uses_rocm
        or view.directml_flavour
        or not view.vendor("nvidia")
    ):
        return
    gpu = view.vendor("nvidia")[0]
    owner = view.tensorflow
    name = owner.name if owner is not None else "tensorflow"
    reason, fixes = _other_build(view, name)
    build = view.tensorflow_build
    source = build.cuda.source if build is not None and build.cuda.known else (owner.location if owner else "")
    yield Finding(
        "cpu-only-build",
        "warning",
        "There is an NVIDIA GPU, but %s." % reason,
        (Evidence(gpu.name, gpu.source), Evidence(view.tensorflow_label, source)),
        fixes,
        ("tensorflow.cuda",),
        "https://www.tensorflow.org/install/pip",
    )


def _other_build(view: View, name: str) -> Tuple[str, Sequence[Fix]]:
    """Why this build has no GPU support, and what to install instead."""
    version = view.tensorflow_version or ""
    if view.machine.native.system == "windows" and not (name == "tensorflow-cpu" and _before(version, "2.11")):
        wsl = Fix("Use TensorFlow in WSL 2 (in a Windows terminal)", "wsl --install")
        words = "Or make an environment with Python %s and the last release that had it"
        older = LazyFixes(lambda: (wsl, elsewhere(view, words, "cuda", "tensorflow<2.11", "numpy<2")))
        return "TensorFlow has had no GPU support on native Windows since 2.11", older
    reason = "%s is built without GPU support" % name
    if view.machine.native.architecture not in ("x86_64", "AMD64"):
        return reason, (
            Fix("For this processor there are no TensorFlow wheels with CUDA; NVIDIA's own containers have it"),
        )
    # The extra that brings CUDA's libraries exists from 2.14 on.
    extra = "" if _before(version, "2.14") or view.machine.native.system == "windows" else "[and-cuda]"
    requirement = "tensorflow%s%s" % (extra, "==%s" % version if version else "")
    return reason, replace_by_goal(view, "Replace it by the build with CUDA", "cuda", requirement, version=version)


def _before(version: str, limit: str) -> bool:
    return bool(version) and version_at_least(version, limit) is False


@rule("device-hidden")
def device_hidden(view: View) -> Iterable[Finding]:
    """An environment variable hides every GPU."""
    value = view.machine.process.env("CUDA_VISIBLE_DEVICES")
    if value is not None and cuda_in_use(view) and view.vendor("nvidia") and hidden_from_cuda(view):
        yield _hidden(view, "CUDA_VISIBLE_DEVICES", value, "cuda")
    for platform, (name, value) in (("rocm", amd_hidden(view)), ("xpu", intel_hidden(view))):
        if name:
            yield _hidden(view, name, value, platform)
    yield from amd_closed_bridge(view)
    yield from amd_refused_target(view)
    if cuda_in_use(view) and without_slices(view):
        yield _without_slices(view)
    yield from jax_hidden(view)
    yield from hiding_variable(view)


def _without_slices(view: View) -> Finding:
    gpu = without_slices(view)[0]
    place = gpu.bus_id or gpu.index
    return Finding(
        "device-hidden",
        "warning",
        "%s is in MIG mode and has no slices: no program sees anything of it." % gpu.name,
        (Evidence("MIG mode, no slices", gpu.mig_devices.source),),
        (
            view.shell.root_fix(
                "List the sizes that slices can have, then make one", "nvidia-smi mig -i %s -lgip" % place
            ),
            view.shell.root_fix("Or leave MIG mode", "nvidia-smi -i %s -mig 0" % place),
        ),
        ("cuda",),
        "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",
    )


def _hidden(view: View, name: str, value: str, platform: str) -> Finding:
    deliberate = value.strip() in ("", "-1", "none", "None", "NoDevFiles")
    return Finding(
        "device-hidden",
        "info" if deliberate else "warning",
        "%s is set to '%s', which hides every GPU." % (name, value[:60]),
        (Evidence("%s=%s" % (name, value[:60]), "environment"),),
        (view.shell.unset_fix(name),),
        (platform,),
        _CUDA_URL if platform == "cuda" else "",
    )


@rule("device-permission-denied", hidden_by=("container-without-gpu",))
def device_permission_denied(view: View) -> Iterable[Finding]:
    """A device node is there that this user may not open."""
    nodes = view.machine.driver.nodes
    denied = tuple(item.path for item in nodes if not item.accessible and "nvidia" in item.path)
    platform, groups, usual = "cuda", (), ("video",)  # type: str, Tuple[str, ...], Tuple[str, ...]
    for other, (paths, owners) in (
        ("rocm", amd_denied(view)),
        ("xpu", intel_denied(view)),
        ("tpu", (tpu_denied(view), ())),
    ):
        if paths and not denied:
            platform, denied, groups, usual = other, paths, owners, ("render", "video")
    dxg = view.machine.directml.dxg.or_none()
    if not denied and dxg is not None and not dxg.accessible:
        yield Finding(
            "device-permission-denied",
            "warning",
            "This user may not open %s, through which WSL reaches every GPU." % dxg.path,
            (Evidence("no read and write access", dxg.path),),
            (view.shell.root_fix("Let every user open it (WSL's own default)", "chmod a+rw %s" % dxg.path),),
            ("directml", "cuda", "rocm"),
        )
    if not denied:
        return
    command, text = add_to_groups(view, groups, usual)
    yield Finding(
        "device-permission-denied",
        "warning",
        "This user may not open %s." % ", ".join(denied[:3]),
        tuple(Evidence("no read and write access", path) for path in denied[:3]),
        (Fix(text, command),),
        (platform,),
    )
