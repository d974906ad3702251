"""The fingerprint of all that a self-test's result depends on, as far as it is known beforehand.

The native files that the trial loads are known only afterwards: `once` stores them with the result.
"""

import os
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ...machine.facts import Machine, PlatformFacts

try:
    from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # its public home, which loads all of OpenSSL before: 3 ms
    from hashlib import blake2b


#: Raised if results of an earlier form, or of a self-test that computed less, must not be read.
SCHEMA = 4

#: Variables that do not change whether a framework or a device works.
_NEUTRAL = frozenset((
    "DEVICEKIT_CACHE_DIR", "DEVICEKIT_DEVICE", "DEVICEKIT_QUIET", "DEVICEKIT_VERIFY", "CONDA_PREFIX", "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME", "KERAS_BACKEND", "KERAS_TORCH_DEVICE", "KUBERNETES_SERVICE_HOST", "NPROC", "OMP_NUM_THREADS",
    "PATH", "SLURM_JOB_ID", "TF_CONFIG", "TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_VMODULE",
    "TF_DETERMINISTIC_OPS", "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS", "TPU_NAME", "VIRTUAL_ENV",
    "TPU_ML_PLATFORM", "TPU_ML_PLATFORM_VERSION",  # TensorFlow and JAX set them when they are imported
    "WSL_DISTRO_NAME", "WSL_INTEROP", "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE",
))  # fmt: skip

#: The neutral ones that the other frameworks read when they start their devices.
_READ_BY = {
    "jax": frozenset((
        "JAX_PLATFORMS", "JAX_PLATFORM_NAME", "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "TPU_NAME",
    )),
}  # fmt: skip

#: Beginnings of the names of variables that frameworks, drivers and loaders read. A `Machine` records a part of them,
#: since it is shown to others; here only their hash is used.
_PREFIXES = (
    "CUDA_", "CUDNN_", "NVIDIA_", "CUBLAS_", "NCCL_", "HIP_", "HSA_", "ROCM_", "ROCR_", "MIOPEN_", "AMD_", "GPU_", "DML_",
    "TF_", "XLA_", "ITEX_", "SYCL_", "ONEAPI_", "ZE_", "ONEDNN_", "MKL_", "LD_", "DYLD_", "MALLOC_", "GLIBC_TUNABLES",
    "JAX_", "LIBTPU_", "TPU_", "PYTORCH_", "TORCH_",
)  # fmt: skip
#: These begin like TensorFlow's and are Terraform's.
_FOREIGN = ("TF_TOKEN_", "TF_VAR_", "TF_CLI_", "TF_LOG", "TF_IN_AUTOMATION", "TF_WORKSPACE", "TF_DATA_DIR")


#: What `Native` has of a processor and a memory that may be others, or as busy as they like, at the next start.
_PASSING = (
    "cpu_affinity", "cpu_count", "cpu_quota", "cpu_usable", "memory_bytes", "performance_cores", "memory_limit_bytes",
    "address_space_bytes",
)  # fmt: skip


def fingerprint(
    machine: Machine,
    index: Optional[int],
    grow: bool,
    environment: Sequence[Tuple[str, str]] = (),
    framework: str = "tensorflow",
    libraries: Sequence[str] = (),
    variables: Optional[Mapping[str, str]] = None,
    device_type: str = "",
) -> str:
    """Return a hash of the interpreter, distributions, native files, driver, devices and variables.

    Parameters
    ----------
    machine : Machine
        This machine, as it is now.
    index : int or None
        The accelerator that is tried; None if only the import is.
    grow : bool
        Whether its memory grows.
    environment : sequence of (str, str)
        Variables that are set for the trial.
    framework : {"tensorflow", "jax", "torch"}
        What is tried.
    libraries : sequence of str
        Paths of libraries that are loaded before it.
    variables : mapping or None
        The environment; by default this process's.
    device_type : str
        What the framework calls the device, where it is a plug-in's.
    """
    parts: List[Any] = [SCHEMA, machine.devicekit_version, index, grow, tuple(environment), framework]
    parts += [(path, _stamp_shown(path)) for path in libraries]
    # A folder may be shared among users, and a home among machines.
    parts.append(os.getuid() if hasattr(os, "getuid") else None)
    parts += _of_system(machine) + _of_packages(machine) + _of_devices(machine)
    if machine.platforms:
        parts += [device_type, [_identity(item) for item in machine.platforms]]
    neutral = _NEUTRAL - _READ_BY.get(framework, frozenset())
    parts += [(name, value) for name, value in machine.process.environ if name not in neutral]
    parts += sorted(
        (name, value)
        for name, value in (os.environ if variables is None else variables).items()
        if name.startswith(_PREFIXES) and not name.startswith(_FOREIGN) and name not in neutral
    )
    return digest(parts)


def _of_system(machine: Machine) -> List[Any]:
    native = machine.native
    parts: List[Any] = [item for item in sorted(vars(native).items()) if item[0] not in _PASSING]
    # These can kill an import; their sources can have the number of a container or a session in them.
    return [*parts, native.memory_limit_bytes.or_none(), native.address_space_bytes.or_none()]


def _of_packages(machine: Machine) -> List[Any]:
    python = machine.python
    parts: List[Any] = [python.implementation, python.version, python.executable, _stamp_shown(python.executable)]
    for item in python.distributions.or_none() or ():
        record = os.path.join(item.location, "RECORD")
        parts.append((item.name, item.version.or_none(), item.location, _stamp_shown(record)))
    parts += [(item.name, item.kind, item.location, item.hides) for item in python.packages]
    parts += [(item.path, item.size_bytes, _stamp_shown(item.path)) for item in python.plugins.or_none() or ()]
    for build in python.builds:
        parts += [_stamp_shown(os.path.join(build.location, name)) for name in _MAIN_FILES]
    return parts


def _of_devices(machine: Machine) -> List[Any]:
    """Drivers and devices, without free memory, processes and other things that change by themselves."""
    driver, rocm, directml, metal = machine.driver, machine.rocm, machine.directml, machine.metal
    parts: List[Any] = [driver.displays.or_none(), driver.nodes, driver.nvidia_kernel_version.or_none()]
    for gpu in driver.gpus.or_none() or ():
        parts += [gpu.vendor, gpu.name, gpu.bus_id, gpu.uuid, gpu.problem, gpu.compute_mode.or_none()]
        parts += [gpu.mig_enabled.or_none(), tuple(item.uuid for item in gpu.mig_devices.or_none() or ())]
    parts += [driver.nvidia_version.or_none(), driver.nvidia_library_version.or_none()]
    parts += [rocm.kfd.or_none(), rocm.version.or_none()]
    parts += [directml.dxg.or_none(), directml.bundled.or_none(), directml.adapters.or_none()]
    parts += [metal.chip.or_none(), metal.rosetta.or_none(), metal.macos.or_none()]
    parts += [(gpu.uuid, gpu.bus_id, gpu.target) for gpu in rocm.gpus.or_none() or ()]
    parts += [rocm.module.or_none(), machine.oneapi.gpus.or_none(), machine.tpu.chips.or_none()]
    for facts in (driver, machine.cuda, directml, rocm, machine.oneapi):
        parts += [(item.name, item.path, _stamp_shown(item.path)) for item in facts.libraries.or_none() or ()]
    return parts


def _identity(item: PlatformFacts) -> Tuple[Any, ...]:
    """Of a plug-in's facts only what it says not to change by itself."""
    data = item.facts.content.data if item.facts.content is not None else {}
    return item.name, item.distribution, item.version, item.facts.status, item.frameworks, repr(data.get("identity"))


def digest(parts: Any, size_bytes: int = 16) -> str:
    """Return a hash of plain values, as hexadecimal digits."""
    return str(blake2b(repr(parts).encode("utf-8", "replace"), digest_size=size_bytes).hexdigest())


#: What an import of a framework cannot do without, on one system or another.
_MAIN_FILES = (
    "__init__.py", "libtensorflow_cc.so.2", "libtensorflow_framework.so.2", "libtensorflow_framework.so.1",
    "libtensorflow_cc.2.dylib", "libtensorflow_framework.2.dylib", os.path.join("python", "_pywrap_tensorflow_common.dll"),
    os.path.join("python", "_pywrap_tensorflow_internal.so"), os.path.join("python", "_pywrap_tensorflow_internal.pyd"),
    os.path.join("lib", "libtorch_cpu.so"), os.path.join("lib", "libtorch_cuda.so"), os.path.join("lib", "libc10.so"),
    os.path.join("lib", "libtorch_cpu.dylib"), os.path.join("lib", "torch_cpu.dll"), os.path.join("lib", "torch_cuda.dll"),
)  # fmt: skip


def stamp(path: str) -> Optional[Tuple[int, int]]:
    """Return when a file was changed and how large it is, None if it is not there: that is a stamp, too."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _stamp_shown(path: str) -> Optional[Tuple[int, int]]:
    """Return the stamp of a path as a `Machine` shows it, which has no personal names in it."""
    if path.startswith("~"):
        path = os.path.expanduser(path)
    if "<user>" in path:
        path = path.replace("<user>", os.environ.get("USER") or os.environ.get("USERNAME") or "<user>")
    if "<host>" in path:
        path = path.replace("<host>", os.uname().nodename if hasattr(os, "uname") else "<host>")
    return stamp(path)
