"""Which processes this one belongs to, read from the environment. Pure.

What is read, and where that is described:

- ``TF_CONFIG``: TensorFlow's own, also set by Kubeflow's TFJob (tensorflow.org, "Multi-worker training with Keras");
- ``RANK``, ``WORLD_SIZE``, ``LOCAL_RANK``, ``MASTER_ADDR``, ``MASTER_PORT``: torchrun and Kubeflow's PyTorchJob
  (docs.pytorch.org, "torchrun"); in an indexed job of Kubernetes ``JOB_COMPLETION_INDEX`` stands for ``RANK``
  (kubernetes.io, "Indexed Job");
- ``JAX_COORDINATOR_ADDRESS`` (read by ``jax.distributed.initialize``), with ``JAX_NUM_PROCESSES`` and ``JAX_PROCESS_ID``;
- ``KERAS_DISTRIBUTION_JOB_ADDRESSES``, ``..._NUM_PROCESSES``, ``..._PROCESS_ID`` (read by ``keras.distribution.initialize``);
- the variables of a Slurm step: ``SLURM_PROCID``, ``SLURM_NTASKS``, ``SLURM_LOCALID``, ``SLURM_STEP_NODELIST``, ...
  (slurm.schedmd.com, "srun", OUTPUT ENVIRONMENT VARIABLES).
"""

import re
from typing import List, Mapping, Optional, Tuple

from ...records import Record, parse_json

#: More hosts than this in one list are a mistake.
LARGEST = 100000

_RANGE = re.compile(r"(\d+)(?:-(\d+))?$")
_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?$")


def expand_hosts(text: str) -> List[str]:
    """Return the hosts of a list in Slurm's short form, in its order; raise ValueError if it is invalid or too long.

    >>> expand_hosts("node[01-03,07],gpu5")
    ['node01', 'node02', 'node03', 'node07', 'gpu5']
    >>> expand_hosts("r[1-2]n[1-2]-ib")
    ['r1n1-ib', 'r1n2-ib', 'r2n1-ib', 'r2n2-ib']
    """
    hosts: List[str] = []
    for word in _split(text):
        hosts += _expand_word(word, text)
        if len(hosts) > LARGEST:
            raise ValueError("the host list %r names more than %d hosts" % (text[:80], LARGEST))
    return hosts


def _split(text: str) -> List[str]:
    """Split at the commas outside brackets.

    >>> _split("a[1,2],b")
    ['a[1,2]', 'b']
    """
    words, depth, word = [], 0, ""
    for character in text.strip():
        depth += (character == "[") - (character == "]")
        if depth not in (0, 1):
            raise ValueError("invalid host list %r: its brackets do not match" % text[:80])
        if character == "," and depth == 0:
            words.append(word)
            word = ""
        else:
            word += character
    if depth:
        raise ValueError("invalid host list %r: its brackets do not match" % text[:80])
    words.append(word)
    if any(not word.strip() or re.search(r"\s", word.strip()) for word in words):
        raise ValueError("invalid host list %r: a host name is empty or has a space in it" % text[:80])
    if any(word.strip().startswith("-") for word in words):  # ssh and srun would take it for an option
        raise ValueError("invalid host list %r: a host name must not start with '-'" % text[:80])
    return [word.strip() for word in words]


def _expand_word(word: str, text: str) -> List[str]:
    head, bracket, rest = word.partition("[")
    if not bracket:
        return [word]
    inside, _, tail = rest.partition("]")
    tails = _expand_word(tail, text) if tail else [""]
    found: List[str] = []
    for item in inside.split(","):
        match = _RANGE.match(item.strip())
        if match is None:
            raise ValueError("invalid host list %r: [%s] must hold numbers or ranges" % (text[:80], inside[:40]))
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first) or (int(last) - int(first) + 1) * len(tails) > LARGEST:
            raise ValueError("invalid host list %r: %s is not a range, or too long" % (text[:80], item.strip()[:40]))
        for number in range(int(first), int(last) + 1):
            # The width of the first number applies to all: node[08-10] is node08, node09, node10.
            found += [head + str(number).zfill(len(first)) + end for end in tails]
    return found


def expand_counts(text: str) -> List[int]:
    """Return the numbers of a list in Slurm's short form, one for each node; raise ValueError if it is invalid.

    >>> expand_counts("2(x3),1")
    [2, 2, 2, 1]
    """
    counts: List[int] = []
    for item in text.split(","):
        match = _COUNT.match(item.strip())
        if match is None or int(match.group(2) or 1) > LARGEST:
            raise ValueError("invalid list of counts %r: write it as 2(x3),1" % text[:80])
        counts += [int(match.group(1))] * int(match.group(2) or 1)
    return counts


class Cluster(Record):
    """The processes that train together, and which of them this one is.

    Attributes
    ----------
    size : int
        How many processes.
    index : int
        Which one this is, counted from 0; that of an evaluator counts evaluators.
    local_rank : int or None
        Its number among those on this machine, None if unknown.
    local_size : int or None
        How many of them are on this machine, None if unknown.
    workers : tuple of str
        Their addresses, ``host:port``, in order; empty if only the first one's is known.
    coordinator : str
        ``host:port`` of the first one, where the others meet; "" if unknown.
    role : {"worker", "evaluator"}
        An evaluator takes no part in training.
    source : str
        Where this comes from: ``"TF_CONFIG"``, ``"torchrun"``, ``"jax"``, ``"keras"`` or ``"slurm"``.
    """

    #: Without addresses: names of machines stay on the machine.
    _json = ("size", "index", "local_rank", "local_size", "role", "source")

    size: int
    index: int
    local_rank: Optional[int]
    local_size: Optional[int]
    workers: Tuple[str, ...]
    coordinator: str
    role: str
    source: str


def parse_cluster(environ: Mapping[str, str]) -> Optional[Cluster]:
    """Return the processes that the environment names; None if it names none, or only one.

    ``TF_CONFIG`` takes precedence. An invalid value raises a ValueError that names the variable and is never ignored:
    the process would train alone, and the others would wait for it.
    """
    if environ.get("TF_CONFIG", "").strip():
        return _tf_config(environ)
    for reader in (_torchrun, _jax, _keras, _slurm):
        cluster = reader(environ)
        if cluster is not None:
            return cluster if cluster.size > 1 else None
    return None


def check_address(address: object, source: str) -> str:
    """Return an address if it is ``host:port``, otherwise raise a ValueError; ``source`` says where it came from."""
    text = address if isinstance(address, str) else ""
    host, _, port = text.rpartition(":")
    if not host.strip("[]") or any(item.isspace() for item in text) or not _is_port(port):
        raise ValueError("%s: expected host:port, got %r" % (source, address))
    return text


def _is_port(text: str) -> bool:
    return text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536


def _number(environ: Mapping[str, str], name: str, below: Optional[int] = None) -> int:
    text = environ.get(name, "").strip()
    if not text.isdigit() or len(text) > 9:
        raise ValueError("%s: expected a whole number, got %r" % (name, text[:40]))
    if below is not None and int(text) >= below:
        raise ValueError("%s is %s, but with %d processes it must be from 0 to %d" % (name, text, below, below - 1))
    return int(text)


def _optional(environ: Mapping[str, str], name: str) -> Optional[int]:
    return _number(environ, name) if environ.get(name, "").strip() else None


def _size(environ: Mapping[str, str], name: str) -> int:
    size = _number(environ, name)
    if not 0 < size <= LARGEST:
        raise ValueError("%s: expected a number of processes from 1 to %d, got %d" % (name, LARGEST, size))
    return size


def _tf_config(environ: Mapping[str, str]) -> Optional[Cluster]:
    """Read ``{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}``."""
    text = environ["TF_CONFIG"]
    try:
        data = parse_json(text)
    except ValueError as error:
        raise ValueError("TF_CONFIG is not valid JSON (%s): %r" % (error, text[:80])) from error
    if not isinstance(data, dict) or not isinstance(data.get("cluster", {}), dict):
        raise ValueError("TF_CONFIG: expected a JSON object with an object 'cluster', got %r" % text[:80])
    jobs = data.get("cluster", {})
    if not jobs:
        return None  # as Kubeflow sets it for a job of one process
    if "ps" in jobs:
        raise ValueError(
            "TF_CONFIG has parameter servers ('ps'), which devicekit does not set up: create "
            "tf.distribute.ParameterServerStrategy in your program"
        )
    addresses: List[str] = []
    for job in ("chief", "worker"):
        listed = jobs.get(job, [])
        if isinstance(listed, dict):  # a sparse one, by number: {"0": "a:1", "2": "b:1"}
            raise ValueError("TF_CONFIG: the addresses of %r must be a list with all of them, got an object" % job)
        if not isinstance(listed, list):
            raise ValueError("TF_CONFIG: the addresses of %r must be a list" % job)
        addresses += [check_address(address, "TF_CONFIG") for address in listed]
    if len(set(addresses)) != len(addresses):
        raise ValueError("TF_CONFIG lists an address twice: %s" % ", ".join(addresses))
    task = data.get("task", {})
    kind, index = (task.get("type"), task.get("index")) if isinstance(task, dict) else (None, None)
    if isinstance(index, str) and index.isdigit():
        index = int(index)
    if kind not in ("chief", "worker", "evaluator") or not isinstance(index, int) or isinstance(index, bool):
        raise ValueError(
            "TF_CONFIG: 'task' needs a type ('worker', 'chief' or 'evaluator') and an index, got %r" % (task,)
        )
    if kind == "evaluator":
        return Cluster(len(addresses), index, None, None, tuple(addresses), "", "evaluator", "TF_CONFIG")
    chiefs, listed = len(jobs.get("chief", [])), jobs.get(kind, [])
    if not 0 <= index < len(listed):
        raise ValueError(
            "TF_CONFIG: the index of this %s is %d, but the list has %d addresses" % (kind, index, len(listed))
        )
    if len(addresses) < 2:
        return None
    number = index + (chiefs if kind == "worker" else 0)
    host = addresses[number].rpartition(":")[0]
    same = [at for at, address in enumerate(addresses) if address.rpartition(":")[0] == host]
    return Cluster(
        len(addresses), number, same.index(number), len(same), tuple(addresses), addresses[0], "worker", "TF_CONFIG"
    )  # fmt: skip


def _torchrun(environ: Mapping[str, str]) -> Optional[Cluster]:
    if not environ.get("WORLD_SIZE", "").strip():
        return None
    rank = "RANK" if environ.get("RANK", "").strip() else "JOB_COMPLETION_INDEX"
    if not environ.get(rank, "").strip():
        return None  # WORLD_SIZE alone is what other tools use too
    size = _size(environ, "WORLD_SIZE")
    host = environ.get("MASTER_ADDR", "").strip()
    coordinator = ""
    if host:
        coordinator = check_address("%s:%s" % (host, environ.get("MASTER_PORT", "29500").strip()), "MASTER_ADDR")
    elif size > 1:
        raise ValueError("WORLD_SIZE is %d, but MASTER_ADDR (the address of the first process) is not set" % size)
    return Cluster(
        size,
        _number(environ, rank, size),
        _optional(environ, "LOCAL_RANK"),
        _optional(environ, "LOCAL_WORLD_SIZE"),
        (),
        coordinator,
        "worker",
        "torchrun",
    )


def _jax(environ: Mapping[str, str]) -> Optional[Cluster]:
    if not (environ.get("JAX_COORDINATOR_ADDRESS", "").strip() and environ.get("JAX_NUM_PROCESSES", "").strip()):
        return None  # JAX itself takes the number of processes from the launcher
    size = _size(environ, "JAX_NUM_PROCESSES")
    index = "JAX_PROCESS_ID" if environ.get("JAX_PROCESS_ID", "").strip() else "JOB_COMPLETION_INDEX"
    address = check_address(environ["JAX_COORDINATOR_ADDRESS"].strip(), "JAX_COORDINATOR_ADDRESS")
    return Cluster(size, _number(environ, index, size), None, None, (), address, "worker", "jax")


def _keras(environ: Mapping[str, str]) -> Optional[Cluster]:
    prefix = "KERAS_DISTRIBUTION_"
    addresses = [item.strip() for item in environ.get(prefix + "JOB_ADDRESSES", "").split(",") if item.strip()]
    if not addresses:
        return None
    addresses = [check_address(item, prefix + "JOB_ADDRESSES") for item in addresses]
    counted = environ.get(prefix + "NUM_PROCESSES", "").strip()
    size = _size(environ, prefix + "NUM_PROCESSES") if counted else len(addresses)
    if len(addresses) not in (1, size):
        raise ValueError("%sJOB_ADDRESSES has %d addresses for %d processes" % (prefix, len(addresses), size))
    index = _number(environ, prefix + "PROCESS_ID", size)
    workers = tuple(addresses) if len(addresses) == size else ()
    return Cluster(size, index, None, None, workers, addresses[0], "worker", "keras")


def slurm_port(environ: Mapping[str, str]) -> int:
    """Return the first port that the processes of a Slurm step use; all of them compute the same one.

    Below 32768, where Linux begins to give ports to outgoing connections.
    """
    job = _optional(environ, "SLURM_JOB_ID") or _optional(environ, "SLURM_JOBID") or 0
    step = _optional(environ, "SLURM_STEP_ID") or _optional(environ, "SLURM_STEPID") or 0
    return 12000 + (job * 131 + step * 17) % 18000


def _slurm(environ: Mapping[str, str]) -> Optional[Cluster]:
    """Read the variables of a step. A batch script is not a step, has some of them too, and runs alone."""
    step = environ.get("SLURM_STEP_ID", environ.get("SLURM_STEPID", "")).strip()
    if not step.isdigit() or not environ.get("SLURM_PROCID", "").strip():
        return None
    counted = next((name for name in ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS") if environ.get(name)), "")
    if not counted:
        return None
    size = _size(environ, counted)
    index = _number(environ, "SLURM_PROCID", size)
    listed = "SLURM_STEP_NODELIST" if environ.get("SLURM_STEP_NODELIST") else "SLURM_JOB_NODELIST"
    if size == 1:
        return None
    try:
        hosts = expand_hosts(environ.get(listed, ""))
    except ValueError as error:
        raise ValueError("%s: %s" % (listed, error)) from error
    counts = _tasks_per_node(environ, size, len(hosts))
    places = [(node, local) for node, count in enumerate(counts) for local in range(count)]
    local_rank = _optional(environ, "SLURM_LOCALID")
    if environ.get("SLURM_DISTRIBUTION", "").startswith("cyclic") or local_rank not in (None, places[index][1]):
        places = _cyclic(counts)
    port = slurm_port(environ)
    workers = tuple("%s:%d" % (hosts[node], port + local) for node, local in places)
    node, local = places[index]
    return Cluster(
        size, index, local if local_rank is None else local_rank, counts[node], workers, workers[0], "worker", "slurm"
    )


def _tasks_per_node(environ: Mapping[str, str], size: int, hosts: int) -> List[int]:
    name = "SLURM_STEP_TASKS_PER_NODE" if environ.get("SLURM_STEP_TASKS_PER_NODE") else "SLURM_TASKS_PER_NODE"
    if environ.get(name):
        try:
            counts = expand_counts(environ[name])
        except ValueError as error:
            raise ValueError("%s: %s" % (name, error)) from error
    else:
        counts = [size // hosts + (node < size % hosts) for node in range(hosts)]
    if len(counts) != hosts or sum(counts) != size:
        raise ValueError("%s=%s does not fit %d tasks on %d nodes" % (name, environ.get(name, counts), size, hosts))
    return counts


def _cyclic(counts: List[int]) -> List[Tuple[int, int]]:
    """Return node and local number of each task if tasks are distributed to the nodes in turns.

    >>> _cyclic([2, 1])
    [(0, 0), (1, 0), (0, 1)]
    """
    return [(node, turn) for turn in range(max(counts)) for node, count in enumerate(counts) if turn < count]
