"""`devicekit launch`: which processes to start here, with which variables, on which devices."""

import json
import os
import random
import socket
import sys
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from ...diagnosis.findings import Candidate
from ...errors import DevicekitError, DeviceUnavailableError, unknown_name
from ...machine.facts import Machine
from ...records import Pairs, Record
from ...selection.plan import number_of
from ...selection.request import parse_request
from ..strategy.cluster_environment import Cluster, parse_cluster, slurm_port
from ..strategy.device_shares import bound_by_slurm, hidden_variables, share_out, visible_variables
from .supervisor import Task

FRAMEWORKS = ("tensorflow", "jax", "torch")

#: A process that has one of these belongs to others already: starting more from it would lose them.
OURS = ("TF_CONFIG", "RANK", "JAX_PROCESS_ID", "KERAS_DISTRIBUTION_PROCESS_ID")


class Place(Record):
    """Where all the processes of a launch are."""

    hosts: Tuple[str, ...]  # the machine of each process, in the order of their numbers
    ports: Tuple[int, ...]  # of each process, for TensorFlow; not used by others on the same machine
    meeting_ports: Tuple[int, int]  # on the first machine: where PyTorch's and JAX's processes meet

    @property
    def addresses(self) -> List[str]:
        """``host:port`` of each process."""
        return ["%s:%d" % (bracketed(host), port) for host, port in zip(self.hosts, self.ports)]


class WorkerSpec(Record):
    """One process to start."""

    index: int  # its number among all
    local_rank: int  # its number on this machine
    variables: Pairs[str]  # to set for it
    devices: Tuple[str, ...] = ()  # what it gets, for the summary


def bracketed(host: str) -> str:
    """Return a host as it is written before a port.

    >>> bracketed("::1"), bracketed("node1")
    ('[::1]', 'node1')
    """
    return "[%s]" % host if ":" in host and not host.startswith("[") else host


def worker_variables(
    place: Place,
    index: int,
    local_rank: int,
    local_size: int,
    environ: Mapping[str, str],
    frameworks: Sequence[str] = FRAMEWORKS,
) -> Tuple[Tuple[str, str], ...]:
    """Return the variables that tell one process of the others; what the user has set to say where they meet stays."""
    size = len(place.hosts)
    found: Dict[str, str] = {}
    if "tensorflow" in frameworks and size > 1:
        task = {"type": "worker", "index": index}
        found["TF_CONFIG"] = json.dumps({"cluster": {"worker": place.addresses}, "task": task})
    # PyTorch's names are what most launchers set; they say to anybody which process this is.
    found["RANK"], found["WORLD_SIZE"] = str(index), str(size)
    found["LOCAL_RANK"], found["LOCAL_WORLD_SIZE"] = str(local_rank), str(local_size)
    found["MASTER_ADDR"], found["MASTER_PORT"] = place.hosts[0], str(place.meeting_ports[0])
    if "jax" in frameworks and size > 1:
        address = "%s:%d" % (bracketed(place.hosts[0]), place.meeting_ports[1])
        found["JAX_COORDINATOR_ADDRESS"] = address
        found["JAX_NUM_PROCESSES"], found["JAX_PROCESS_ID"] = str(size), str(index)
        found["KERAS_DISTRIBUTION_JOB_ADDRESSES"] = environ.get("JAX_COORDINATOR_ADDRESS") or address
        found["KERAS_DISTRIBUTION_NUM_PROCESSES"], found["KERAS_DISTRIBUTION_PROCESS_ID"] = str(size), str(index)
    for name in ("MASTER_ADDR", "MASTER_PORT", "JAX_COORDINATOR_ADDRESS"):
        if environ.get(name):
            found.pop(name, None)
    if not environ.get("PYTHONUNBUFFERED"):
        found["PYTHONUNBUFFERED"] = "1"  # a line appears when it is printed
    return tuple(found.items())


class Order(Record):
    """What the user requested."""

    command: Tuple[str, ...]  # the script and its arguments, or with `module` the module's
    module: bool = False  # a module to run, as with ``python -m``
    workers: Optional[int] = None  # number of processes; None: one for each usable accelerator, or one
    devices: str = "auto"  # what to distribute, see `devicekit.select_device`
    framework: Optional[str] = None  # whose variables to set; None: those of all
    port: Optional[int] = None  # the first port to use; None: free ones


class Share(Record):
    """The devices of this machine, shared out."""

    devices: Tuple[Tuple[str, ...], ...]
    variables: Tuple[Tuple[Tuple[str, str], ...], ...]
    idle: Tuple[str, ...] = ()


def plan_launch(
    order: Order, environ: Optional[Mapping[str, str]] = None, machine: Optional[Machine] = None
) -> Tuple[List[WorkerSpec], List[str]]:
    """Return the processes to start on this machine, and what the user should know.

    Raises DevicekitError if they cannot be started like this (the message says what to do), ValueError for a wrong
    argument or variable.
    """
    environ = os.environ if environ is None else environ
    _check(order)
    task = _slurm_task(environ)
    if task is None:
        for name in OURS:
            if environ.get(name):
                raise DevicekitError(
                    "%s is set, so this process is already one of several: run the script without devicekit launch, "
                    "or unset %s" % (name, name)
                )
    accelerators = _accelerators(order, machine)
    # Where Slurm gives every task its own devices, they are shared out among this task's processes only.
    ranks_before, ranks_here = 0, None
    workers = order.workers
    if task is not None and not bound_by_slurm(environ):
        ranks_before, ranks_here = task.local_rank or 0, task.local_size or 1
    if workers is None:
        workers = max(1, len(accelerators) // (ranks_here or 1))
    total = workers * (ranks_here or 1)
    share = share_devices(order.devices, accelerators, total, environ)
    place, first = _place(order, workers, task, environ)
    frameworks = (order.framework,) if order.framework else FRAMEWORKS
    local_first = (task.local_rank or 0) * workers if task is not None else 0
    local_size = workers * (task.local_size or 1) if task is not None else workers
    specs = []
    for rank in range(workers):
        at = ranks_before * workers + rank
        variables = worker_variables(place, first + rank, local_first + rank, local_size, environ, frameworks)
        variables += share.variables[at] + _backend(order.framework, environ)
        specs.append(WorkerSpec(first + rank, local_first + rank, variables, share.devices[at]))
    notes = []
    if share.idle:
        notes.append("%s: not used, because every process gets the same number of devices" % ", ".join(share.idle))
    if len(accelerators) > 1:
        notes += _hazards(machine, accelerators)
    return specs, notes


def _hazards(machine: Optional[Machine], devices: Sequence[Candidate]) -> List[str]:
    """What makes the GPUs of this machine slow together, or lets them hang."""
    from ...diagnosis.diagnose import diagnose
    from ...diagnosis.rules.several_gpus import CODES, alike
    from ...machine.detect import real_machine

    found = diagnose(machine if machine is not None else real_machine()).findings
    same = alike((item.name, item.memory_bytes) for item in devices)
    return [
        "%s [%s]" % (item.summary, item.code)
        for item in found
        if (item.code in CODES and not (same and item.code == "devices-unlike"))
        or (item.code == "environment-variable-fatal" and not item.blocks)  # of NCCL
    ]


def _check(order: Order) -> None:
    if not order.command:
        raise DevicekitError("nothing to start: run devicekit launch --workers 2 train.py, or -m package.module")
    if order.workers is not None and order.workers < 1:
        raise ValueError("--workers must be at least 1, got %d" % order.workers)
    if order.framework is not None and order.framework not in FRAMEWORKS:
        raise ValueError(unknown_name("framework", order.framework, FRAMEWORKS))
    if order.port is not None and not 0 < order.port < 65000:
        raise ValueError("--port must be from 1 to 64999, got %d" % order.port)
    if not order.module and not os.path.isfile(order.command[0]):
        problem = "not a script but a folder" if os.path.isdir(order.command[0]) else "no such file"
        raise DevicekitError("%s: %s (use -m to run a module)" % (problem, order.command[0]))


def _slurm_task(environ: Mapping[str, str]) -> Optional[Cluster]:
    """The Slurm task that this launcher is, where it is one of several."""
    if environ.get("TF_CONFIG"):
        return None
    only = {name: value for name, value in environ.items() if name.startswith("SLURM_")}
    return parse_cluster(only)


def _accelerators(order: Order, machine: Optional[Machine]) -> List[Candidate]:
    """The accelerators of this machine that the request means; none for the processor."""
    request = parse_request(order.devices)
    if request.kind == "cpu":
        return []
    from ...diagnosis.diagnose import diagnose
    from ...machine.detect import real_machine
    from ...runtime.decide import plan_for

    machine = machine if machine is not None else real_machine()
    plan = plan_for(request, order.framework, machine)
    reason = plan.reason if "was asked for" in plan.reason else "'%s' was asked for: %s" % (order.devices, plan.reason)
    if not plan.indices:
        if request.kind != "auto":
            raise DeviceUnavailableError(reason, plan.findings)
        return []
    listed = diagnose(machine).candidates_for(plan.framework)
    same = [item for item in listed if item.platform == plan.platform and item.usable is not False]
    named = plan.request.indices  # also where identifiers were
    if named:
        same = [item for item in same if number_of(item) in named]
        if len(same) != len(named):
            raise DeviceUnavailableError(reason, plan.findings)
    return same


def share_devices(asked: str, accelerators: Sequence[Candidate], processes: int, environ: Mapping[str, str]) -> Share:
    """Distribute accelerators among processes; raise DevicekitError if there are fewer of them than processes."""
    if not accelerators:
        hidden = hidden_variables((), environ) if parse_request(asked).kind == "cpu" else ()
        return Share((("cpu",),) * processes, (hidden,) * processes)
    shared = share_out(accelerators, processes)
    if shared is None:
        raise DevicekitError(
            "%d processes for %d devices (%s): processes that train together cannot share a device. Start at most %d, or "
            "use the CPU: --devices cpu"
            % (processes, len(accelerators), ", ".join(item.device for item in accelerators), len(accelerators))
        )
    used = [item for group in shared for item in group]
    if processes == 1 and not parse_request(asked).count:
        variables: Tuple[Tuple[Tuple[str, str], ...], ...] = ((),)  # all of them is what it has anyway
    else:
        variables = tuple(visible_variables(group, environ) for group in shared)
    names = tuple(tuple(item.device for item in group) for group in shared)
    return Share(names, variables, tuple(item.device for item in accelerators if item not in used))


def _backend(framework: Optional[str], environ: Mapping[str, str]) -> Tuple[Tuple[str, str], ...]:
    if framework is None or environ.get("KERAS_BACKEND"):
        return ()
    return (("KERAS_BACKEND", framework),)


def _place(order: Order, workers: int, task: Optional[Cluster], environ: Mapping[str, str]) -> Tuple[Place, int]:
    """Return where all processes are, and the number of this launcher's first one."""
    if task is not None:
        base = order.port or slurm_port(environ)
        # The task's own address says how many tasks of its machine come before it.
        offsets = [int(address.rpartition(":")[2]) - slurm_port(environ) for address in task.workers]
        hosts = [address.rpartition(":")[0] for address in task.workers for _ in range(workers)]
        ports = [base + 2 + offset * workers + rank for offset in offsets for rank in range(workers)]
        return Place(tuple(hosts), tuple(ports), (base, base + 1)), task.index * workers
    if order.port is not None:
        chosen = list(range(order.port, order.port + workers + 2))
    else:
        chosen = free_ports(workers + 2)
    return Place(("127.0.0.1",) * workers, tuple(chosen[2:]), (chosen[0], chosen[1])), 0


def local_tasks(order: Order, specs: Sequence[WorkerSpec]) -> List[Task]:
    """Return the processes as what `supervise` starts."""
    python = [sys.executable] + (["-m"] if order.module else []) + list(order.command)
    return [Task("worker %d" % spec.index, tuple(python), spec.variables) for spec in specs]


#: Below the ports that systems give to outgoing connections (Linux: from 32768 on), so that no process is given one of these
#: between now and when the process that it is for listens on it.
FIRST, LAST = 12000, 32000


def free_ports(count: int) -> List[int]:
    """Return ports on which no process of this machine listens, different ones each time.

    Raise OSError if there are too few.
    """
    found: List[int] = []
    held: List[socket.socket] = []
    try:
        for port in random.SystemRandom().sample(range(FIRST, LAST), min(LAST - FIRST, 200 + 20 * count)):
            if len(found) == count:
                break
            # Of all addresses: a server that listens on one of them is in the way as well.
            trial = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                trial.bind(("", port))
            except OSError:
                trial.close()
                continue
            held.append(trial)  # until all are found, so that none is found twice
            found.append(port)
    finally:
        for trial in held:
            trial.close()
    if len(found) < count:
        raise OSError("no %d free ports between %d and %d" % (count, FIRST, LAST))
    return found
