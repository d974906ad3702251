"""What GPUs do meanwhile.

A child process asks NVIDIA's NVML every second, since a driver's library can hang, print or kill. Of AMD's, the kernel's files
are read if NVIDIA's driver is not installed: both count their GPUs from 0.
"""

import os
from typing import Any, Callable, Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from ..children.call import Child, Command
from ..children.scripts import script_path
from ..machine.host import Host
from ..machine.probe.amdgpu import find_amd_gpus, read_amd_loads
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
    """Collects samples until it is closed; none on a machine without NVIDIA's driver and without AMD's.

    Parameters
    ----------
    clock : callable
        Returns the seconds since the training began.
    task : dict or None
        What the child is given; see `devicekit.machine.probe.nvml_question.nvml_task`.
    choose : callable or None
        Takes the loads of all GPUs and returns those to keep; by default those that this process uses.
    host : Host or None
        The machine whose AMD GPUs `look` reads; None: it does not.

    Attributes
    ----------
    problem : str
        Once it is closed: why the driver did not answer, "" if it did or was not asked.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        task: Optional[Dict[str, Any]],
        choose: Optional[Callable[[Sequence[Any]], List[Mapping[str, Any]]]] = None,
        host: Optional[Host] = None,
    ) -> None:
        self.problem = ""
        self._clock = clock
        self._choose = choose or (lambda loads: own_loads(loads, os.getpid()))
        self._samples: List[GpuSample] = []
        self._child: Optional[Child] = None
        self._host = host
        self._amd = find_amd_gpus(host) if host is not None and task is None else ()
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

    def look(self) -> None:
        """Read what AMD's GPUs do now."""
        if self._host is not None and self._amd:
            self._take({"loads": read_amd_loads(self._host, self._amd)})

    def samples(self) -> Tuple[GpuSample, ...]:
        """Return the samples so far."""
        return tuple(self._samples)

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            report = child.wait(0.0)
            answer = report.result if isinstance(report.result, dict) else {}
            if not self._samples:
                self.problem = str(answer.get("text") or answer.get("unusable") or child.problem or "no answer yet")[
                    :200
                ]

    def _take(self, message: Dict[str, Any]) -> None:
        loads = message.get("loads")
        if not isinstance(loads, list):
            return
        at_s = self._clock()
        self._samples += [sample_of(load, at_s) for load in self._choose(loads)]
        if len(self._samples) > _MOST:
            kept = set(sorted({sample.at_s for sample in self._samples})[::2])
            self._samples = [sample for sample in self._samples if sample.at_s in kept]


def own_loads(loads: Sequence[Any], pid: int) -> List[Mapping[str, Any]]:
    """Return the loads of the GPUs that a process uses, with the number of other processes as ``others``.

    In a container NVML counts processes by the machine's numbers: if no GPU lists this process and there is only one GPU, one
    of the processes on it is this one.
    """
    known = _known(loads)
    used = [load for load in known if pid in load.get("pids", ())]
    if not used and len(known) != 1:
        return []
    return [
        dict(load, others=None if "pids" not in load else max(0, len(set(load["pids"])) - 1)) for load in used or known
    ]


def loads_for(loads: Sequence[Any], numbers: Collection[int]) -> List[Mapping[str, Any]]:
    """Return the loads of all GPUs, with how many of some processes use each as ``own``, and of others as ``others``.

    What is not listed may compute all the same, in a container: there ``others`` is left out.
    """
    found: List[Mapping[str, Any]] = []
    for load in _known(loads):
        listed = set(load["pids"]) if "pids" in load else None
        own = None if listed is None else len(listed.intersection(numbers))
        found.append(dict(load, own=own, others=len(listed) - own if listed is not None and own else None))
    return found


def _known(loads: Sequence[Any]) -> List[Mapping[str, Any]]:
    return [load for load in loads if isinstance(load, dict) and isinstance(load.get("index"), int)]


def sample_of(load: Mapping[str, Any], at_s: float) -> GpuSample:
    """Return the sample of what the child reported of one GPU."""
    numbers: Dict[str, Any] = {name: load[name] for name in _NUMBERS if isinstance(load.get(name), (int, float))}
    memory = load.get("memory")
    if isinstance(memory, list) and len(memory) == 3:
        numbers.update(memory_bytes=memory[0], memory_used_bytes=memory[2])
    limits = tuple(str(name) for name in load.get("limited_by") or ())
    own, others, source = load.get("own"), load.get("others"), str(load.get("source", "NVML"))
    return GpuSample(at_s, load["index"], limited_by=limits, others=others, own=own, source=source, **numbers)
