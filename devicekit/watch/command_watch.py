"""Looks at a command and all that it starts while it runs: in the pauses of what passes on its output, without a thread.

`gpu_loads` asks NVIDIA's GPUs by a child process, and reads AMD's.
"""

from time import perf_counter, process_time
from typing import Any, List, Mapping, Optional, Sequence, Set, Tuple

from ..children.watcher import Usage, Watcher
from ..children.windows_job import processes_of_job
from ..errors import log, one_line
from ..machine.host import Host
from ..machine.probe.cuda_libraries import parse_loaded
from ..machine.probe.host_load import ProcessTree, read_host_load, read_shared_once
from ..machine.probe.nvml_question import NvmlQuestion, nvml_task
from ..machine.probe.processor import read_processor
from .gpu_loads import GpuLoads, loads_for
from .training_record import CommandRecord, HostSample

#: Seconds between two looks: short at first, for commands that end soon, then one second.
_FIRST_PAUSE_S, _PAUSE_S = 0.05, 1.0

#: Of a processor's time, at most one part in so many goes into looking.
_RARE_AT_FIRST, _RARE = 20, 100

#: Every second sample is dropped when there are more.
_MOST = 400

#: From this part of the memory on it is counted exactly, which takes longer.
_NEARLY_FULL = 0.9

#: When the libraries of the processes are looked at first, and again after twice the time until a framework is among them.
_LIBRARIES_AT_S = 4.0

#: Parts of the paths of frameworks' own libraries.
_FRAMEWORKS = (("tensorflow", "/libtensorflow_"), ("jax", "/jaxlib/"), ("torch", "/libtorch_"))

#: Variables by which a user says that no GPU is to be used, and the values that do.
_HIDING = (("CUDA_VISIBLE_DEVICES", ("", "-1")), ("JAX_PLATFORMS", ("cpu",)), ("JAX_PLATFORM_NAME", ("cpu",)))


class CommandWatch(Watcher):
    """Watches one command, which is started at once.

    Parameters
    ----------
    host : Host
        This machine.
    variables : mapping
        The command's environment.
    leased : sequence of str
        The devices that are leased for it.
    nvml : NvmlQuestion or None
        What to ask NVIDIA's driver; by default what `nvml_task` says.
    """

    def __init__(
        self,
        host: Host,
        variables: Mapping[str, str],
        leased: Sequence[str] = (),
        nvml: Optional[NvmlQuestion] = None,
    ) -> None:
        self._host = host
        self._leased = tuple(leased)
        self._hidden_by = next((name for name, values in _HIDING if variables.get(name) in values), "")
        processor = read_processor(host)
        self._processors = processor.cpu_usable.or_none()
        known = [fact.content for fact in (processor.memory_bytes, processor.memory_limit_bytes) if fact.content]
        self._granted = min(known) if known else None
        self._question = nvml_task(host) if nvml is None else nvml
        self._hosts: List[HostSample] = []
        self._frameworks: Set[str] = set()
        self._tree: Optional[ProcessTree] = None
        self._job = 0
        self._usage = Usage()
        self._peak_bytes = self._processes = 0
        self._pause_s, self._libraries_at = _FIRST_PAUSE_S, _LIBRARIES_AT_S
        self._look_at = self._seconds = 0.0
        self._ended = False
        self._gpus: Optional[GpuLoads] = None
        self._started = perf_counter()

    def _now(self) -> float:
        return perf_counter() - self._started

    def _loads(self, loads: Sequence[Any]) -> List[Mapping[str, Any]]:
        # Windows: the Python of a virtual environment only starts another, which uses the GPU.
        return loads_for(loads, processes_of_job(self._job) or (self._tree.numbers if self._tree is not None else ()))

    # What `run_listening` calls.

    def begin(self, number: int, job: int = 0) -> None:
        """Take the command's process number, and its job on Windows."""
        self._tree, self._job = ProcessTree(number), job
        # Not before: a process with threads had better not be forked.
        self._gpus = GpuLoads(self._now, self._question.task, self._loads, self._host)

    def look(self) -> Optional[float]:
        """Look if it is time, and return the seconds until the next look."""
        now = self._now()
        if self._tree is None or self._ended:
            return None
        if now >= self._look_at:
            before = process_time()
            try:
                self._take(self._tree, now)
            except Exception as error:  # the command goes on, whatever is the matter with its watch
                log("warning", "the command is watched no more: %s", one_line(error))
                self._tree = None
                return None
            # A machine with thousands of processes takes longer to look at: at most one part in a hundred of a processor.
            rare = _RARE if self._pause_s >= _PAUSE_S else _RARE_AT_FIRST
            self._look_at = now + max(self._pause_s, rare * (process_time() - before))
            self._pause_s = min(2 * self._pause_s, _PAUSE_S)
        return max(0.0, self._look_at - self._now())

    def end(self, usage: Usage) -> None:
        """Take what the system counted of the command, and end the child."""
        if self._ended:
            return
        self._ended, self._seconds, self._usage = True, self._now(), usage
        if self._gpus is not None:
            self._gpus.close()
        self._job = 0  # another may get its handle

    def _take(self, tree: ProcessTree, now: float) -> None:
        load = read_host_load(self._host, tree)
        if self._gpus is not None:
            self._gpus.look()
        held = load.memory_bytes
        if held is not None and self._granted and held > _NEARLY_FULL * self._granted:
            held = read_shared_once(self._host, tree.numbers)
            load = load.replace(memory_bytes=held)
        self._peak_bytes = max(self._peak_bytes, held or 0)
        self._processes = max(self._processes, load.processes or len(processes_of_job(self._job)))
        if load.processes is not None or not self._hosts:
            self._hosts.append(HostSample(now, load))
        if len(self._hosts) > _MOST:  # the first and the last one stay: what is between them is judged
            self._hosts = [*self._hosts[:-1:2], self._hosts[-1]]
        if self._host.system == "linux" and now >= self._libraries_at:
            self._frameworks.update(_frameworks(self._host, sorted(tree.numbers)[:20]))
            self._libraries_at = float("inf") if self._frameworks else 2 * now

    # What was measured.

    def record(self, name: str, status: Optional[int] = None) -> CommandRecord:
        """Return what was measured of the command."""
        gpus = self._gpus.samples() if self._gpus is not None else ()
        known = self._hosts[-1].load if self._hosts else None
        seen = known.own_cpu_s if known is not None and known.processes is not None else None
        # The system counts what has ended, the looks what still runs in the background.
        cpu = [item for item in (self._usage.cpu_s, seen) if item is not None]
        return CommandRecord(
            name=name,
            status=status,
            seconds=self._seconds if self._ended else self._now(),
            cpu_s=max(cpu) if cpu else None,
            processors=self._processors,
            processes=self._processes or None,
            memory_peak_bytes=max(self._peak_bytes, self._usage.peak_bytes or 0) or None,
            memory_granted_bytes=self._granted,
            hosts=tuple(self._hosts),
            gpus=gpus,
            gpus_unknown="" if gpus else self._question.reason or (self._gpus.problem if self._gpus else "not asked"),
            leased=self._leased,
            frameworks=tuple(sorted(self._frameworks)),
            hidden_by=self._hidden_by,
        )


def _frameworks(host: Host, numbers: Sequence[int]) -> Tuple[str, ...]:
    """Return the frameworks whose libraries some processes have loaded (Linux)."""
    found: Set[str] = set()
    for number in numbers:
        paths = parse_loaded(host.text_or_none("/proc/%d/maps" % number, 16 << 20) or "")
        found.update(name for name, part in _FRAMEWORKS if any(part in path for path in paths))
    return tuple(found)
