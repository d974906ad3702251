"""What slows any program down, of this machine's processors, memory and GPUs: pure functions from samples to findings."""

from typing import Dict, List, Optional, Sequence

from ..diagnosis.findings import Evidence, Finding, Fix
from .training_record import GpuSample, HostSample

#: Fewer looks than these decide nothing.
FEWEST_LOOKS = 3

#: A device that computes for less than this part of the time waits for its programs.
IDLE_PERCENT = 50

#: Memory is nearly used up from this part on.
MEMORY_SHARE = 0.95

_CLOCK_SHARE = 0.7
_THROTTLED_SHARE = 0.1

#: Waiting for a processor that others use makes a program slower by a quarter from this part of its time on.
_QUEUED_SHARE = 0.2


def memory_held(hosts: Sequence[HostSample], granted: Optional[int]) -> List[Evidence]:
    """Return that a program holds nearly all of this machine's memory that it may use, if so."""
    held = max((sample.load.memory_bytes or 0 for sample in hosts), default=0)
    if not granted or held <= MEMORY_SHARE * granted:
        return []
    text = "this program held %s of the %s that it may use on this machine" % (size(held), size(granted))
    return [Evidence(text, "/proc")]


def memory_bound(evidence: Sequence[Evidence]) -> Optional[Finding]:
    """The device's memory, or this machine's, is nearly used up, as the evidence says."""
    if not evidence:
        return None
    fixes = (
        Fix("Use a smaller batch; devicekit.find_batch_size() finds the largest that fits", changes="code"),
        Fix("Train in half precision", "devicekit.auto(precision='mixed_float16')",
            (("python", "devicekit.auto(precision='mixed_float16')"),), changes="code", instead=True),
    )  # fmt: skip
    return Finding("memory-bound", "warning", "It runs near the limit of the memory.", tuple(evidence), fixes)


def by_gpu(gpus: Sequence[GpuSample]) -> Dict[int, List[GpuSample]]:
    """Return the samples of each GPU."""
    found: Dict[int, List[GpuSample]] = {}
    for sample in gpus:
        found.setdefault(sample.index, []).append(sample)
    return dict(sorted(found.items()))


def clocks_limited(gpus: Sequence[GpuSample]) -> Optional[Finding]:
    """A GPU's clocks are held down by heat or power, or fewer PCIe lanes are in use than it has."""
    evidence = [
        item for index, samples in by_gpu(gpus).items() for item in _limits(_busy(samples), "NVML, GPU %d" % index)
    ]
    if not evidence:
        return None
    fixes = (
        Fix("Cool it: clear the airflow, raise the fan speed, lower the room's temperature", who="admin", changes="system"),
        Fix("Set the power limit that it was delivered with", "sudo nvidia-smi -pl WATTS",
            who="admin", changes="driver", instead=True),
        Fix("For PCIe lanes: put the card into another slot, and look at the mainboard's settings for lanes", who="admin",
            changes="system", instead=True),
    )  # fmt: skip
    return Finding("clocks-limited", "warning", "The GPU runs slower than it could: its clocks or its bus are held down.",
                   tuple(evidence), fixes)  # fmt: skip


def _limits(samples: Sequence[GpuSample], source: str) -> Sequence[Evidence]:
    """Return what holds one GPU down, of the looks in which it computed."""
    if len(samples) < FEWEST_LOOKS:
        return ()
    evidence = []
    hot = [item for item in samples if set(item.limited_by) & {"thermal", "power-brake", "hardware-slowdown"}]
    if len(hot) > 0.2 * len(samples):
        reasons = ", ".join(sorted({name for item in hot for name in item.limited_by}))
        heat = max((item.temperature_c or 0 for item in hot), default=0)
        evidence.append(Evidence("clocks held down (%s) in %d of %d looks, at up to %d °C"
                                 % (reasons, len(hot), len(samples), heat), source))  # fmt: skip
    # A GPU at its full power limit is doing what it was built for; far below its clocks it is not.
    capped = [item for item in samples if "power-cap" in item.limited_by and _clock_share(item) < _CLOCK_SHARE]
    if len(capped) > 0.5 * len(samples):
        item = capped[-1]
        evidence.append(Evidence("%s of %s MHz at a power limit of %.0f W (delivered with %s)" % (
            item.clock_mhz, item.clock_max_mhz, item.power_limit_w or 0.0,
            "%.0f W" % item.power_default_w if item.power_default_w else "an unknown one"), source))  # fmt: skip
    narrow = [
        item
        for item in samples
        if item.pcie_width and item.pcie_width_max and 2 * item.pcie_width <= item.pcie_width_max
    ]
    if len(narrow) == len(samples):
        text = "%d of %d PCIe lanes are in use" % (narrow[-1].pcie_width or 0, narrow[-1].pcie_width_max or 0)
        evidence.append(Evidence(text, source))
    return evidence


def shared_device(gpus: Sequence[GpuSample]) -> Optional[Finding]:
    """Another process computes on the same GPU."""
    evidence = []
    for index, looks in by_gpu(gpus).items():
        samples = [item for item in looks if item.others is not None]
        shared = [item for item in samples if item.others]
        if len(samples) < FEWEST_LOOKS or len(shared) < 0.3 * len(samples):
            continue
        number = max(item.others or 0 for item in shared)
        text = "%d other %s computed on GPU %d in %d of %d looks" % (
            number, "process" if number == 1 else "processes", index, len(shared), len(samples)
        )  # fmt: skip
        evidence.append(Evidence(text, shared[-1].source))
    if not evidence:
        return None
    fixes = (
        Fix(
            "See which processes they are",
            "rocm-smi --showpids" if evidence[0].source == "amdgpu" else "nvidia-smi",
            changes="",
        ),
        Fix(
            "Reserve a GPU: other programs that use devicekit then leave it alone",
            "devicekit run --gpus 1 -- python train.py",
        ),
    )
    return Finding("shared-device", "warning", "Another program used the same GPU meanwhile.",
                   tuple(evidence), fixes)  # fmt: skip


def host_starved(hosts: Sequence[HostSample]) -> Optional[Finding]:
    """The control group's quota is used up, or other programs take the processors."""
    if len(hosts) < 2:
        return None
    first, last = hosts[0], hosts[-1]
    evidence = [*_throttled(first, last), *_crowded(first, last)]
    if not evidence:
        return None
    fixes = (
        Fix("Give the container more processors (`docker run --cpus`, `resources.limits.cpu`)", who="admin", changes="system"),
        Fix("End or move other programs on this machine, or other virtual machines of its host", who="user",
            changes="system", instead=True),
        Fix("Let the framework start as many threads as it has processors' time", "devicekit tune --option threads",
            instead=True),
    )  # fmt: skip
    return Finding(
        "host-starved", "warning", "It does not get the processor time that it needs.", tuple(evidence), fixes
    )


def _throttled(first: HostSample, last: HostSample) -> Sequence[Evidence]:
    before, after = first.load, last.load
    if None in (before.periods, after.periods, before.throttled_periods, after.throttled_periods):
        return ()
    periods = (after.periods or 0) - (before.periods or 0)
    stopped = (after.throttled_periods or 0) - (before.throttled_periods or 0)
    if periods < 10 or stopped < _THROTTLED_SHARE * periods:
        return ()
    text = "the quota was used up in %d of %d periods, and all threads were stopped until the next" % (stopped, periods)
    return (Evidence(text, "cpu.stat of the control group"),)


def _crowded(first: HostSample, last: HostSample) -> Sequence[Evidence]:
    before, after = first.load, last.load
    if before.busy_cpu_s is None or after.busy_cpu_s is None:
        return ()
    busy, own, passed = after.busy_cpu_s - before.busy_cpu_s, after.own_cpu_s - before.own_cpu_s, last.at_s - first.at_s
    if passed < 1.0 or busy <= 0:
        return ()
    part = min(1.0, own / busy)
    found = []
    for began, ended, share, text, source in (
        # A thread waits for other threads of its own program as well: those of a program that fills its processors.
        (
            before.queued_s,
            after.queued_s,
            1 - part,
            "for processors that other programs used",
            "/proc/PID/task/TID/schedstat",
        ),
        (before.stolen_s, after.stolen_s, part, "while the hypervisor ran other virtual machines", "/proc/stat"),
    ):
        waited = (ended - began) * share if began is not None and ended is not None else 0.0
        if waited >= _QUEUED_SHARE * max(passed, own + waited):
            text = "its threads waited %.1f s %s, and ran %.1f s, in %.1f s" % (waited, text, own, passed)
            found.append(Evidence(text, source))
    return found


def _busy(samples: Sequence[GpuSample]) -> List[GpuSample]:
    """Return the samples in which the GPU computed: an idle one lowers its clocks and its lanes to save power."""
    return [item for item in samples if item.utilization_percent is None or item.utilization_percent >= IDLE_PERCENT]


def _clock_share(sample: GpuSample) -> float:
    return sample.clock_mhz / sample.clock_max_mhz if sample.clock_mhz and sample.clock_max_mhz else 1.0


def size(size_bytes: int) -> str:
    """Return bytes as ``1.5 GiB``."""
    return "%.1f GiB" % (size_bytes / 2.0**30)
