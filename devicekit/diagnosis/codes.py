"""Every finding code, in order. Data only, so that naming the codes loads no rule."""

__all__ = ["CODES", "MEASURED_CODES"]

#: The order of evaluation, and of findings of the same severity: a cause stands before what it can hide.
CODES = (
    "python-unsupported", "platform-unsupported", "system-library-too-old", "cpu-instructions-missing",
    "msvc-runtime-missing", "framework-missing", "install-corrupt", "distributions-conflict", "module-shadowed",
    "keras-incompatible", "numpy-incompatible", "protobuf-incompatible", "dependency-incompatible",
    "plugin-version-mismatch", "plugin-broken", "rosetta-python", "wsl-without-gpu", "environment-variable-fatal",
    "container-without-gpu", "directml-missing", "directml-unsupported", "cpu-only-build", "metal-plugin-missing",
    "gpu-vendor-unsupported", "device-hidden", "device-permission-denied", "driver-missing", "driver-shadowed",
    "driver-mismatch", "driver-unhealthy", "driver-too-old", "rocm-missing", "rocm-version-mismatch", "gfx-unsupported",
    "compute-capability-unsupported", "cuda-version-mismatch", "cuda-library-missing", "cudnn-missing",
    "cudnn-version-mismatch", "xla-toolchain-missing", "device-busy", "out-of-memory", "memory-limit-too-low",
    "cpu-quota-ignored", "no-gpu",
)  # fmt: skip

#: Codes that only a run can show; `devicekit.runtime.trial` and `devicekit.runtime.apply` make these findings.
MEASURED_CODES = (
    "framework-broken", "runtime-already-initialized", "numerics-divergent", "device-lost", "op-unsupported",
    "cache-unwritable", "setting-invalid", "framework-unsupported", "keras-backend-differs", "slower-than-cpu",
    "devices-unlike",
)  # fmt: skip
