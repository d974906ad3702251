"""`examine_fleet`: snapshots of many machines are gathered, judged and compared."""

from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Union

from ...machine.facts import Machine
from ...selection.request import parse_request
from .groups import Judge
from .parse import Reading, node_names
from .result import Fleet

__all__ = ["examine_fleet"]


def examine_fleet(
    folder: Optional[str] = None,
    *,
    machines: Optional[Dict[str, Machine]] = None,
    ray: Union[bool, str] = False,
    command: Optional[str] = None,
    each: Optional[str] = None,
    nodes: Union[str, Sequence[str]] = (),
    device: str = "auto",
    timeout_s: float = 120.0,
    parallel: int = 32,
    keep: Optional[str] = None,
    tick: Optional[Callable[[int], None]] = None,
) -> Fleet:
    """Look at many machines: judge each, group those of which the same is to be said, and name what is unlike the others.

    Exactly one source has to be named. A node that does not answer, or whose snapshot cannot be read, is in the result with
    the reason.

    Parameters
    ----------
    folder : str, optional
        A folder with snapshots: ``NODE.json``, as ``devicekit snapshot -o 'folder/{node}.json'`` writes them.
    machines : dict of str to Machine, optional
        Machines that are there already, by name.
    ray : bool or str, optional
        Every node of a Ray cluster: True for the one that is connected or that Ray finds, or its address.
    command : str, optional
        A command line that asks all nodes and prints their snapshots: ``"srun -N 128 devicekit snapshot --line"``. No shell
        reads it.
    each : str, optional
        A command line for each of ``nodes``, with ``{node}`` in it: ``"ssh {node} devicekit snapshot"``. No shell reads it
        here; ssh hands the command to one on the other machine.
    nodes : str or sequence of str, optional
        ``"a,b,gpu[01-20]"``. With ``command``: those that have to answer.
    device : str, optional
        The device that is wanted on each, see `devicekit.select_device`.
    timeout_s : float, optional
        Seconds: for each node with ``each``, for all of them otherwise.
    parallel : int, optional
        So many nodes are asked at a time, with ``each``.
    keep : str, optional
        A folder to keep the snapshots in, one file a node.
    tick : callable, optional
        Called with the number of nodes so far, about once a second.

    Returns
    -------
    Fleet

    Raises
    ------
    ValueError
        Where no source is named, or several; where an argument cannot be understood.
    DevicekitError
        Where nothing can be gathered at all: no such folder, no Ray cluster, no such program.

    Examples
    --------
    >>> fleet = devicekit.cluster.examine_fleet("snapshots/")
    >>> for difference in fleet.differences:
    ...     print(difference.name, difference.usual, difference.unusual)
    """
    request = parse_request(device)
    named = node_names(nodes if isinstance(nodes, str) else ",".join(nodes))
    sources = [name for name, value in (
        ("folder", folder), ("machines", machines), ("ray", ray), ("command", command), ("each", each),
    ) if value is not None and value is not False]  # fmt: skip
    if len(sources) != 1:
        raise ValueError(
            "name one source of snapshots, not %s: a folder, machines, ray, command or each"
            % (" and ".join(sources) if sources else "none")
        )
    if each is not None and not named:
        raise ValueError("each=%r asks every node of a list: name them, as in nodes='a,b,gpu[01-20]'" % each)
    if named and command is None and each is None:
        raise ValueError("nodes= goes with each= or command=")
    if not timeout_s > 0 or parallel < 1:
        raise ValueError("timeout_s and parallel are above zero, not %r and %r" % (timeout_s, parallel))
    tell = tick if tick is not None else _nobody
    if folder is not None:
        from .files import readings_from

        readings = readings_from(folder)
    elif machines is not None:
        readings = _readings_of(machines)
    elif command is not None:
        from .commands import readings_of_all

        readings = readings_of_all(command, timeout_s)
    elif each is not None:
        from .commands import readings_of_each

        readings = readings_of_each(each, named, timeout_s, parallel, tell)
    else:
        from .ray_nodes import readings_of_ray

        readings = readings_of_ray(ray if isinstance(ray, str) else None, timeout_s, tell)
    judge = Judge(request)
    problems: List[str] = []
    kept: Set[str] = set()
    for number, reading in enumerate(readings, 1):
        if not reading.node:
            problems.append(reading.problem)
        elif reading.problem:
            judge.fail(reading.node, reading.problem)
        else:
            if keep is not None:
                _keep(keep, reading, kept)
            judge.add(reading.node, reading.content)
        if number % 100 == 0:
            tell(number)
    for name in named:
        if not judge.has(name):
            judge.fail(name, "no snapshot of it came")
    return judge.result(problems)


def _nobody(_: int) -> None:
    """Nobody wants to know how far it is."""


def _keep(folder: str, reading: Reading, kept: Set[str]) -> None:
    from .files import keep

    name, number = reading.node, 1
    while name in kept:
        number += 1
        name = "%s-%d" % (reading.node, number)
    kept.add(name)
    keep(folder, reading._replace(node=name))


def _readings_of(machines: Dict[str, Machine]) -> Iterator[Reading]:
    import json

    for name, machine in machines.items():
        yield Reading(name, json.dumps(machine.to_dict()).encode("ascii"))
