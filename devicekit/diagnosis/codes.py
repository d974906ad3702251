"""Every finding code, in order, and their pages. Data only, so that naming the codes loads no rule."""

import pkgutil
import re
from typing import Dict

#: The order of evaluation, and of findings of the same severity: a cause comes before what it can hide.
CODES = (
    "python-unsupported", "platform-unsupported", "system-library-too-old", "cpu-instructions-missing",
    "msvc-runtime-missing", "framework-missing", "install-corrupt", "distributions-conflict", "module-shadowed",
    "keras-incompatible", "numpy-incompatible", "protobuf-incompatible", "dependency-incompatible",
    "plugin-version-mismatch", "plugin-broken", "rosetta-python", "wsl-without-gpu", "environment-variable-fatal",
    "container-without-gpu", "directml-missing", "directml-unsupported", "cpu-only-build", "metal-plugin-missing",
    "gpu-vendor-unsupported", "device-hidden", "device-permission-denied", "driver-missing", "driver-shadowed",
    "driver-mismatch", "driver-unhealthy", "driver-too-old", "rocm-missing", "rocm-version-mismatch", "gfx-unsupported",
    "compute-capability-unsupported", "cuda-version-mismatch", "cuda-library-missing", "cudnn-missing",
    "cudnn-version-mismatch", "xla-toolchain-missing", "known-defect", "device-busy", "out-of-memory",
    "memory-limit-too-low", "cpu-quota-ignored", "shared-memory-too-small", "peer-access-unsupported", "gpu-link-degraded",
    "clocks-limited", "devices-unlike", "no-gpu",
)  # fmt: skip

#: Codes that only a run can show: `devicekit.runtime.trial` and `devicekit.runtime.apply` make these findings, or `explain`
#: from what the run printed.
MEASURED_CODES = (
    "framework-broken", "runtime-already-initialized", "numerics-divergent", "device-lost", "op-unsupported",
    "cache-unwritable", "setting-invalid", "framework-unsupported", "keras-backend-differs", "slower-than-cpu",
    "device-not-found", "blocked-by-policy", "host-memory-exhausted",
    "openmp-duplicated", "cuda-toolkit-missing", "user-code-error", "cause-unknown",
    "device-unused", "input-bound", "retracing", "host-starved", "shared-device", "memory-bound",
    "launch-bound", "will-not-fit", "weights-not-finite", "input-not-finite", "operation-undefined", "values-exploded",
    "precision-too-low",
)  # fmt: skip

#: Codes that `devicekit.explain` never names, and why no log shows them.
NOT_IN_LOGS = {
    "cache-unwritable": "devicekit's own: it cannot cache the result of a self-test",
    "setting-invalid": "devicekit's own: one of its variables has a value that it does not know",
    "framework-unsupported": "devicekit's own: it was asked for a framework that it does not set up",
    "keras-backend-differs": "devicekit's own: it was asked for another framework than Keras has",
    "cpu-quota-ignored": "nothing fails, and no program reports it",
    "gpu-link-degraded": "everything works, only slower",
    "memory-limit-too-low": "a log ends in Killed, which is host-memory-exhausted: it does not say whose limit it was",
    "numerics-divergent": "only two runs show it",
    "device-not-found": "devicekit's own: what was asked for is not on this machine",
    "devices-unlike": "everything works, only slower",
    "plugin-broken": "devicekit's own: a plug-in of devicekit does not work",
    "slower-than-cpu": "only two runs show it",
    "device-unused": "only measuring meanwhile shows it: `devicekit.Monitor`, `devicekit run --watch`",
    "input-bound": "only measuring during the training shows it: `devicekit.Monitor`",
    "retracing": "only measuring during the training shows it: `devicekit.Monitor`",
    "host-starved": "only measuring meanwhile shows it: `devicekit.Monitor`, `devicekit run --watch`",
    "clocks-limited": "everything works, only slower",
    "shared-device": "only measuring meanwhile shows it: `devicekit.Monitor`, `devicekit run --watch`",
    "memory-bound": "only measuring meanwhile shows it: `devicekit.Monitor`, `devicekit run --watch`",
    "will-not-fit": "devicekit's own: it was asked before the training (`devicekit.estimate_memory`)",
    "launch-bound": "only measuring during the training shows it: `devicekit.Monitor`",
    "weights-not-finite": "only repeating a step of the training shows it: `devicekit.NanGuard`",
    "input-not-finite": "only repeating a step of the training shows it: `devicekit.NanGuard`",
    "operation-undefined": "only repeating a step of the training shows it: `devicekit.NanGuard`",
    "values-exploded": "only repeating a step of the training shows it: `devicekit.NanGuard`",
    "precision-too-low": "only repeating a step of the training shows it: `devicekit.NanGuard`",
}


def code_pages() -> Dict[str, str]:
    """Return the page of each code: the sections of ``codes.md``."""
    from ..matrix.matrix import written_out

    text = written_out(pkgutil.get_data("devicekit", "diagnosis/codes.md") or b"").decode("utf-8")
    pages = [page for page in re.split(r"^(?=# [a-z-]+$)", text, flags=re.M) if page]
    return {page[2 : page.index("\n")]: page.rstrip("\n") + "\n" for page in pages}
