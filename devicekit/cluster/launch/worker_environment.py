"""The processes that `devicekit launch` starts on this machine: number, variables, devices. Pure."""

import json
from typing import Dict, List, Mapping, Sequence, Tuple

from ...records import Pairs, Record

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
