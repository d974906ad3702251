"""The process: its environment variables, what it has imported, container and WSL."""

import re
from typing import Iterable, List, Mapping, Set, Tuple

from ...records import with_short_numbers
from ..facts import Fact, LoadedModule, Process
from ..host import Host
from .cuda_places import loader_path
from .distributions import TENSORFLOW_NAMES, split_folder_name

#: The variables that frameworks, drivers and loaders read. A list of names and no pattern: ``TF_TOKEN_*`` and
#: ``TF_VAR_*`` belong to another program and hold secrets.
VARIABLES = (
    "AMD_VISIBLE_DEVICES", "COLAB_RELEASE_TAG", "CONDA_PREFIX", "CUDA_CACHE_DISABLE", "CUDA_DEVICE_ORDER", "CUDA_DIR",
    "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "DEVICEKIT_CACHE_DIR", "DEVICEKIT_DEVICE", "DEVICEKIT_PLUGINS",
    "DEVICEKIT_QUIET", "DEVICEKIT_VERIFY", "DML_VISIBLE_DEVICES", "DYLD_LIBRARY_PATH", "ENABLE_PJRT_COMPATIBILITY",
    "GPU_DEVICE_ORDINAL", "HIP_VISIBLE_DEVICES", "HSA_ENABLE_DXG_DETECTION", "HSA_OVERRIDE_GFX_VERSION",
    "HSA_OVERRIDE_GFX_VERSION_1", "HSA_OVERRIDE_GFX_VERSION_2", "HSA_OVERRIDE_GFX_VERSION_3",
    "HSA_OVERRIDE_GFX_VERSION_4", "HSA_OVERRIDE_GFX_VERSION_5", "HSA_OVERRIDE_GFX_VERSION_6",
    "HSA_OVERRIDE_GFX_VERSION_7", "HSA_OVERRIDE_GFX_VERSION_8", "JAX_CHECK_TRACER_LEAKS",
    "JAX_COMPILATION_CACHE_MAX_SIZE", "JAX_DEBUG_INFS", "JAX_DEBUG_NANS", "JAX_DEFAULT_MATMUL_PRECISION",
    "JAX_DISABLE_JIT", "JAX_ENABLE_COMPILATION_CACHE", "JAX_ENABLE_X64", "JAX_LOGGING_LEVEL", "JAX_LOG_COMPILES",
    "JAX_NUMPY_DTYPE_PROMOTION", "JAX_NUMPY_RANK_PROMOTION", "JAX_NUM_CPU_DEVICES",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME", "JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "JAX_TRACEBACK_FILTERING",
    "KERAS_BACKEND", "KERAS_HOME", "KERAS_MAX_EPOCHS", "KERAS_MAX_STEPS_PER_EPOCH", "KERAS_TORCH_DEVICE",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "MAMBA_EXE", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE",
    "NCCL_SOCKET_IFNAME", "NPROC", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS", "ONEAPI_DEVICE_SELECTOR", "ONEAPI_ROOT", "PATH", "PJRT_DEVICE",
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONOPTIMIZE", "PYTHONPATH",
    "PYTHONPLATLIBDIR", "PYTHONSAFEPATH", "PYTHONWARNINGS", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ENABLE_MPS_FALLBACK", "ROCM_PATH",
    "ROCR_VISIBLE_DEVICES", "SYCL_DEVICE_FILTER", "TF_CPP_MIN_LOG_LEVEL", "TF_DETERMINISTIC_OPS", "TF_DIRECTML_PATH",
    "TF_ENABLE_ONEDNN_OPTS", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_FORCE_UNIFIED_MEMORY", "TF_GPU_ALLOCATOR",
    "TF_GPU_THREAD_MODE", "TF_JITRT_FLAGS", "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS",
    "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "TF_USE_LEGACY_KERAS", "TF_XLA_FLAGS", "TPU_ACCELERATOR_TYPE",
    "TPU_LIBRARY_PATH", "TPU_NAME", "TPU_VISIBLE_CHIPS", "VIRTUAL_ENV", "XLA_FLAGS", "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "XLA_PYTHON_CLIENT_PREALLOCATE", "ZE_AFFINITY_MASK",
)  # fmt: skip

#: Whose value names other machines: only that they are set is recorded.
PRESENCE_ONLY = (
    "TF_CONFIG", "KUBERNETES_SERVICE_HOST", "SLURM_JOB_ID", "TPU_WORKER_HOSTNAMES", "WSL_DISTRO_NAME", "WSL_INTEROP",
)  # fmt: skip


def read_process(host: Host) -> Process:
    """Return the environment variables that matter, imported frameworks, container and WSL."""
    environ = host.environ()
    # Windows' variable names have no case; PATH is usually spelt "Path" there.
    upper = {name.upper(): value for name, value in environ.items()} if host.system == "windows" else environ
    pairs = [(name, with_short_numbers(host.scrub(upper[name]))) for name in VARIABLES if name in upper]
    pairs += [(name, "<set>") for name in PRESENCE_ONLY if name in upper]
    backend = host.interpreter.keras_backend
    modules = tuple(
        LoadedModule(name, version, backend=backend if name == "keras" else "")
        for name, version in host.interpreter.modules
    )
    return Process(
        environ=tuple(sorted(pairs)),
        modules=modules,
        container=_read_container(host),
        wsl=_read_wsl(host),
        named_files=_read_named_files(host, upper),
        root=Fact.of(host.is_root(), "the user's number"),
        preset=tuple(name for name, _ in host.interpreter.preset),
    )


def _read_named_files(host: Host, environ: Mapping[str, str]) -> "Fact[Tuple[Tuple[str, bool], ...]]":
    """Whether what these variables name is there; flags that do not begin with a dash are the name of a file of flags."""
    found = []
    for name in ("TF_JITRT_FLAGS", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "TF_XLA_FLAGS", "XLA_FLAGS"):
        value = environ.get(name, "")
        if value and not (name.endswith("_FLAGS") and value.strip().startswith("-")):
            found.append((name, host.exists(host.join(host.interpreter.cwd, value))))
    wanted = environ.get("NCCL_SOCKET_IFNAME", "")
    interfaces = host.names_if_any("/sys/class/net") if len(wanted) > 1 else ()  # NCCL ignores a single letter
    if interfaces:
        found.append(("NCCL_SOCKET_IFNAME", any(matches_interface(wanted, name) for name in interfaces)))
    flags = _read_flags(host, environ.get("XLA_FLAGS", ""))
    return Fact.of((*found, *_read_framework(host), *flags), "environment")


def matches_interface(wanted: str, name: str) -> bool:
    """Whether NCCL takes a network interface: beginnings of names, with ``=`` whole names, with ``^`` all others.

    >>> [matches_interface(item, "eth0") for item in ("eth", "=eth", "ib,=eth0", "^docker,lo", "^=eth0")]
    [True, False, True, True, False]
    """
    others, wanted = wanted.startswith("^"), wanted.lstrip("^")
    exact, wanted = wanted.startswith("="), wanted.lstrip("=")  # a sign at the start is for the whole list
    parts = [part.partition(":")[0] for part in wanted.split(",") if part]
    return others is not any(
        name == part.lstrip("=") if exact or part.startswith("=") else name.startswith(part) for part in parts
    )


def _read_framework(host: Host) -> Iterable[Tuple[str, bool]]:
    """Whether TensorFlow's library in a folder of LD_LIBRARY_PATH, which comes before DT_RUNPATH, is of the same release."""
    parts = "tensorflow", "libtensorflow_framework.so.2"
    path = next(filter(host.is_file, (host.join(folder, parts[1]) for folder in loader_path(host))), "")
    if not path:
        return
    entries = filter(None, host.interpreter.sys_path)
    site = next((entry for entry in entries if host.is_file(host.join(entry, *parts))), "")
    if site:
        here = _releases(host, site)
        # TensorFlow for C has its version in the name of the file.
        there = _releases(host, host.path.dirname(host.path.dirname(path)))
        there = there or re.findall(r"so\.(\d+\.\d+)", host.real_path(path))
        if here and there:
            yield host.scrub(path), not {*here}.isdisjoint(there)


def _releases(host: Host, folder: str) -> List[str]:
    names = [split_folder_name(name) for name in host.names_if_any(folder) if name.endswith("-info")]
    return [".".join(version.split(".")[:2]) for name, version in names if name in TENSORFLOW_NAMES]


#: Flags that every jaxlib has: for them its library, 350 MB, is not read.
_COMMON_FLAGS = frozenset(("xla_dump_to", "xla_force_host_platform_device_count", "xla_gpu_cuda_data_dir"))

#: So much of a library is read at once.
_PART = 16 << 20


def _read_flags(host: Host, value: str) -> Iterable[Tuple[str, bool]]:
    """Whether jaxlib's library has the names of XLA's flags. What it has can still be a flag that was removed."""
    flags = [name for name in re.findall(r"(?:^|\s)--(xla_\w+)", value)[:20] if name not in _COMMON_FLAGS]
    folders = [host.join(entry, "jaxlib") for entry in host.interpreter.sys_path] if flags else []
    for folder in folders:
        for name in host.names_if_any(folder):
            if name.startswith(("libjax_common.", "jax_common.", "xla_extension.")):
                try:
                    missing = _not_in(host, host.join(folder, name), {flag.encode() for flag in flags})
                except OSError:  # not readable: then nothing is known of the flags
                    return []
                return [("--" + flag, flag.encode() not in missing) for flag in flags]
    return []


def _not_in(host: Host, path: str, words: Set[bytes]) -> Set[bytes]:
    """Return the words that a file does not contain."""
    offset, longest = 0, max(map(len, words))
    while words:
        part = host.read_bytes(path, _PART, offset)
        words = {word for word in words if word not in part}
        if len(part) < _PART:
            break
        offset += _PART - longest
    return words


def _read_container(host: Host) -> "Fact[str]":
    if host.system != "linux":
        return Fact.absent(problem="looked for on Linux only")
    for path, name in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if host.exists(path):
            return Fact.of(name, path)
    if "KUBERNETES_SERVICE_HOST" in host.environ():
        return Fact.of("kubernetes", "KUBERNETES_SERVICE_HOST")
    path = "/proc/1/cgroup"
    text = host.text_or_none(path)
    if text is None:  # no /proc, or not ours to read: then there is no sign of a container either
        return Fact.absent("/.dockerenv, /run/.containerenv")
    for mark, name in (("docker", "docker"), ("kubepods", "kubernetes"), ("libpod", "podman"), ("/lxc/", "lxc")):
        if mark in text:
            return Fact.of(name, path)
    return Fact.absent("/.dockerenv, /run/.containerenv, /proc/1/cgroup")


def _read_wsl(host: Host) -> "Fact[int]":
    if host.system != "linux":
        return Fact.absent(problem="WSL is Linux")
    path = "/proc/version"
    try:
        text = host.read_text(path)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), path)
    version, _ = parse_proc_version(text)
    return Fact.of(version, path) if version else Fact.absent(path)


def parse_proc_version(text: str) -> Tuple[int, str]:
    """Return the WSL version (0: none) and the kernel's version.

    ::

        Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x) (gcc ...) #1 SMP ...
        Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc ...) #1237-Microsoft ...
    """
    words = text.split()
    kernel = words[2] if len(words) > 2 else ""
    if "microsoft" not in kernel.lower():
        return 0, kernel
    # WSL 1 says "Microsoft" with a capital and keeps version 4.4; WSL 2 is a kernel of its own from 4.19 on.
    return (1 if kernel.startswith("4.4.") and "Microsoft" in kernel else 2), kernel
