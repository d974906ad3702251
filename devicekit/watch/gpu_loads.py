"""What NVIDIA GPUs do meanwhile: a child process asks NVML every second, since a driver's library can hang, print or kill."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..children.call import Child, Command
from ..children.scripts import script_path
from .training_record import GpuSample

#: Seconds between two looks, and after which the child ends by itself whatever happens: thirty days.
_PAUSE_S = 1.0
_LONGEST_S = 30 * 86400.0

#: Every second sample is dropped when there are more.
_MOST = 4000

_NUMBERS = (
    "utilization_percent", "clock_mhz", "clock_max_mhz", "temperature_c", "power_w", "power_limit_w", "power_default_w",
    "pcie_width", "pcie_width_max",
)  # fmt: skip


class GpuLoads:
    """Collects samples until it is closed; none on a machine without NVIDIA's driver.

    Parameters
    ----------
    clock : callable
        Returns the seconds since the training began.
    task : dict or None
        What the child is given; see `devicekit.machine.probe.nvml_question.nvml_task`.
    """

    def __init__(self, clock: Callable[[], float], task: Optional[Dict[str, Any]]) -> None:
        self._clock = clock
        self._samples: List[GpuSample] = []
        self._child: Optional[Child] = None
        if task is not None:
            # As the questions of `machine.driver_query` are asked: isolated from the user's variables and packages.
            command = Command.of(
                script_path("machine/probe/nvml_child.py"),
                dict(task, watch_s=_PAUSE_S),
                limit_s=_LONGEST_S,
                options=("-I", "-S"),
                quick=True,
            )
            self._child = Child(command, on_message=self._take)

    def samples(self) -> Tuple[GpuSample, ...]:
        """Return the samples so far of the GPUs that this process uses."""
        return tuple(self._samples)

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.wait(0.0)

    def _take(self, message: Dict[str, Any]) -> None:
        loads = message.get("loads")
        if not isinstance(loads, list):
            return
        at_s = self._clock()
        self._samples += [sample_of(load, at_s) for load in own_loads(loads, os.getpid())]
        if len(self._samples) > _MOST:
            self._samples = self._samples[::2]


def own_loads(loads: Sequence[Any], pid: int) -> List[Mapping[str, Any]]:
    """Return the loads of the GPUs that a process uses, with the number of other processes as ``others``.

    In a container NVML counts processes by the machine's numbers: if no GPU lists this process and there is only one GPU, one
    of the processes on it is this one.
    """
    known = [load for load in loads if isinstance(load, dict) and isinstance(load.get("index"), int)]
    used = [load for load in known if pid in load.get("pids", ())]
    if not used and len(known) != 1:
        return []
    return [
        dict(load, others=None if "pids" not in load else max(0, len(set(load["pids"])) - 1)) for load in used or known
    ]


def sample_of(load: Mapping[str, Any], at_s: float) -> GpuSample:
    """Return the sample of what the child reported of one GPU."""
    numbers: Dict[str, Any] = {name: load[name] for name in _NUMBERS if isinstance(load.get(name), (int, float))}
    memory = load.get("memory")
    if isinstance(memory, list) and len(memory) == 3:
        numbers.update(memory_bytes=memory[0], memory_used_bytes=memory[2])
    limits = tuple(str(name) for name in load.get("limited_by") or ())
    return GpuSample(at_s, load["index"], limited_by=limits, others=load.get("others"), **numbers)
