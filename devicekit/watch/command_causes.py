"""What slows a command down, as far as it can be seen from outside: pure functions from a `CommandRecord` to findings.

Whether it waits for its data is not: an idle GPU may as well be one that has nothing to do.
"""

from typing import Dict, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence, Finding, Fix
from ..diagnosis.frameworks import TITLES
from .machine_causes import by_gpu, clocks_limited, host_starved, memory_bound, memory_held, shared_device
from .training_record import CommandRecord, GpuSample

#: Looks at the GPUs, one each second at first, by which a program has begun to use one: an import of TensorFlow takes ten.
_ENOUGH_LOOKS = 30

#: A process that uses a GPU takes some hundred MiB of its memory for CUDA alone.
_LEAST_GROWTH_BYTES = 64 << 20

#: A command that takes less of a processor than this part computes nothing.
_COMPUTES, _WANTS_PROCESSORS = 0.5, 0.1


def findings(record: CommandRecord) -> Tuple[Finding, ...]:
    """Return what slows this command down, the worst cause first; empty if nothing is seen."""
    found: List[Optional[Finding]] = [_device_unused(record), _host_starved(record)]
    used = [item for items in used_gpus(record).values() for item in items]
    found += [clocks_limited(used), shared_device(used)]
    found.append(memory_bound(memory_held(record.hosts, record.memory_granted_bytes)))
    return tuple(finding for finding in found if finding is not None)


def used_gpus(record: CommandRecord) -> Dict[int, List[GpuSample]]:
    """Return the samples of each GPU that the command used, from when it did so.

    In a container the driver may not list its processes: a GPU that is the only one is used if its memory in use has grown.
    """
    samples = by_gpu(record.gpus)
    used = {index: [item for item in items if item.own] for index, items in samples.items()}
    used = {index: items for index, items in used.items() if items}
    if not used and len(samples) == 1:
        used = {index: items for index, items in samples.items() if _grown_bytes(items) >= _LEAST_GROWTH_BYTES}
    return used


def _grown_bytes(samples: Sequence[GpuSample]) -> int:
    known = [item.memory_used_bytes for item in samples if item.memory_used_bytes is not None]
    return max(known) - known[0] if known else 0


def _device_unused(record: CommandRecord) -> Optional[Finding]:
    """There is a GPU, the command computes, and not with the GPU."""
    used = used_gpus(record)
    if used:
        return _partly_used(record, sorted(used))
    samples = by_gpu(record.gpus)
    if not samples or record.hidden_by or min(map(len, samples.values())) < _ENOUGH_LOOKS:
        return None
    # A program that no list names may use it: only if its memory is the same, none has come.
    if any(item.own is None for item in record.gpus) or any(
        _grown_bytes(items) >= _LEAST_GROWTH_BYTES or items[0].memory_used_bytes is None for items in samples.values()
    ):
        return None
    busy = record.cpu_s is not None and record.cpu_s > _COMPUTES * record.seconds
    if not record.leased and not (record.frameworks and busy):
        return None
    gpus = ", ".join("GPU %d" % index for index in samples)
    looks = max(map(len, samples.values()))
    evidence = [
        Evidence("in %d looks no process of the command was on %s, and its memory in use did not grow" % (looks, gpus),
                 record.gpus[-1].source),
    ]  # fmt: skip
    if record.leased:
        evidence.append(Evidence("leased for it: %s" % ", ".join(record.leased), "devicekit"))
    if record.frameworks:
        names = ", ".join(TITLES.get(name, name) for name in record.frameworks)
        evidence.append(Evidence("it has loaded %s" % names, "/proc/PID/maps"))
    if record.cpu_s is not None and record.seconds:
        evidence.append(Evidence("it computed on %.1f processors" % (record.cpu_s / record.seconds), "the system"))
    fixes = (
        Fix("See why the GPU is not used, and how to fix it", "devicekit doctor"),
        Fix("Call devicekit.auto() in the program before anything else uses the framework, and look at what it returns",
            changes="code"),
    )  # fmt: skip
    return Finding("device-unused", "warning", "The command did not use the GPU.", tuple(evidence), fixes)


def _partly_used(record: CommandRecord, used: Sequence[int]) -> Optional[Finding]:
    """Fewer GPUs were used than were leased."""
    # Slices of one GPU have one number.
    if len(used) >= len(record.leased) or any("MIG" in name for name in record.leased):
        return None
    if len({item.at_s for item in record.gpus}) < _ENOUGH_LOOKS:
        return None
    evidence = (
        Evidence(
            "its processes were on %s only" % ", ".join("GPU %d" % index for index in used), record.gpus[-1].source
        ),
        Evidence("leased for it: %s" % ", ".join(record.leased), "devicekit"),
    )
    fixes = (
        Fix("Train on all of them: build the model inside of devicekit.strategy().scope()", changes="code"),
        Fix("Lease as many as it uses", "devicekit run --gpus %d -- COMMAND" % len(used), instead=True),
    )
    summary = "The command used %d of the %d GPUs that were leased for it." % (len(used), len(record.leased))
    return Finding("device-unused", "warning", summary, evidence, fixes)


def _host_starved(record: CommandRecord) -> Optional[Finding]:
    """Only a command that computes wants processors: one that asks a service to (docker run) is idle itself."""
    if len(record.hosts) < 2:
        return None
    first, last = record.hosts[0], record.hosts[-1]
    if last.load.own_cpu_s - first.load.own_cpu_s < _WANTS_PROCESSORS * (last.at_s - first.at_s):
        return None
    return host_starved(record.hosts)
