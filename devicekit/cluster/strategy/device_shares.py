"""Which of this machine's devices each of several processes gets, and the variables that leave it only those. Pure.

A number is the framework's own, under the variables that the user has set. Leaving a process fewer devices is therefore
picking entries of the user's list where there is one: what the user has hidden stays hidden.

Sources: docs.nvidia.com, "CUDA Environment Variables" (``CUDA_VISIBLE_DEVICES``); rocm.docs.amd.com, "GPU isolation
techniques" (``HIP_VISIBLE_DEVICES``); github.com/microsoft/tensorflow-directml-plugin (``DML_VISIBLE_DEVICES``);
Level Zero specification (``ZE_AFFINITY_MASK``).
"""

from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from ...diagnosis.findings import Candidate
from ...selection.plan import number_of
from .cluster_environment import Cluster

#: The variables that name a platform's visible devices; the first one that the user has set is the one that counts.
_VARIABLES = {
    "cuda": ("CUDA_VISIBLE_DEVICES",),
    "rocm": ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "directml": ("DML_VISIBLE_DEVICES",),
    "xpu": ("ZE_AFFINITY_MASK",),
}


def share_out(devices: Sequence[Candidate], processes: int) -> Optional[List[Tuple[Candidate, ...]]]:
    """Return the devices of each process, the same number for all; None if there are fewer devices than processes.

    What is over stays idle: processes that train together wait for the slowest.
    """
    each = len(devices) // processes
    if not each:
        return None
    return [tuple(devices[rank * each : (rank + 1) * each]) for rank in range(processes)]


def bound_by_slurm(environ: Mapping[str, str]) -> bool:
    """Return whether Slurm gives each task devices of its own (``--gpus-per-task``, ``--gpu-bind``)."""
    return bool(
        environ.get("SLURM_GPUS_PER_TASK")
        or environ.get("SLURM_GPU_BIND")
        or "gpu" in environ.get("SLURM_TRES_PER_TASK", "")
    )


def own_share(devices: Sequence[Candidate], cluster: Cluster, environ: Mapping[str, str]) -> Sequence[Candidate]:
    """Return those of this machine's devices that one of several processes on it takes.

    All of them if they were shared out before, by `devicekit launch`, Slurm or the author of ``TF_CONFIG``.
    """
    rank, size = cluster.local_rank, cluster.local_size
    if rank is None or size is None or not 0 <= rank < size or cluster.source not in ("slurm", "torchrun"):
        return devices
    if "DEVICEKIT_LAUNCH" in environ or (cluster.source == "slurm" and bound_by_slurm(environ)):
        return devices
    shared = share_out(devices, size)
    return devices if shared is None else shared[rank]


def visible_variables(devices: Sequence[Candidate], environ: Mapping[str, str]) -> Tuple[Tuple[str, str], ...]:
    """Return the variables that make only these devices visible to a process.

    Raises ValueError if there is no variable for the platform, or the user's own list has no such entry.
    """
    platform = devices[0].platform
    names = _VARIABLES.get(platform)
    if names is None:
        raise ValueError("no variable can restrict a process to some of the %s devices" % platform)
    name = next((item for item in names if environ.get(item, "").strip()), names[0])
    given = [item.strip() for item in environ.get(name, "").split(",") if item.strip()]
    if not given:
        # A slice has no number of its own.
        return (
            (name, ",".join(item.uuid if item.uuid.startswith("MIG-") else str(number_of(item)) for item in devices)),
        )
    numbers = [number_of(item) for item in devices]
    if max(numbers) >= len(given):
        raise ValueError("%s=%s has no entry %d, counted from 0" % (name, environ[name], max(numbers)))
    return ((name, ",".join(given[number] for number in numbers)),)


def hidden_variables(devices: Sequence[Candidate], environ: Mapping[str, str]) -> Tuple[Tuple[str, str], ...]:
    """Return the variables that leave a process no accelerator, for the platforms of these devices."""
    found: Dict[str, str] = {}
    if not environ.get("DEVICEKIT_DEVICE"):
        found["DEVICEKIT_DEVICE"] = "cpu"
    for device in devices:
        if device.platform in ("cuda", "rocm"):
            found[_VARIABLES[device.platform][0]] = "-1"
    return tuple(found.items())
