"""`examine_fleet`: collects snapshots of many machines, diagnoses and compares them."""

import json
from typing import Callable, Dict, Iterator, List, Optional, Set, Union

from ...machine.facts import Machine
from ...selection.request import parse_request
from .files import Reading, keep_snapshot, readings_from
from .groups import Judge
from .result import Fleet


def examine_fleet(
    folder: Optional[str] = None,
    *,
    machines: Optional[Dict[str, Machine]] = None,
    ray: Union[bool, str] = False,
    device: str = "auto",
    timeout_s: float = 120.0,
    keep: Optional[str] = None,
    tick: Optional[Callable[[int], None]] = None,
) -> Fleet:
    """Diagnose many machines, group those with the same findings, and name what sets the others apart.

    Name exactly one source. A node that does not answer, or whose snapshot cannot be read, is in the result with the
    reason.

    Parameters
    ----------
    folder : str, optional
        A folder with snapshots: ``NODE.json``, as ``devicekit snapshot -o 'folder/{node}.json'`` writes them.
    machines : dict of str to Machine, optional
        Machines by name.
    ray : bool or str, optional
        Every node of a Ray cluster: True for the one that is connected or that Ray finds, or its address.
    device : str, optional
        The device that each should use, see `devicekit.select_device`.
    timeout_s : float, optional
        Seconds for all nodes of a Ray cluster together.
    keep : str, optional
        A folder to save the snapshots in, one file per node.
    tick : callable, optional
        Called with the number of nodes so far, about once a second.

    Returns
    -------
    Fleet

    Raises
    ------
    ValueError
        If no source is named, or several; if an argument cannot be parsed.
    DevicekitError
        If nothing can be collected at all: no such folder, no Ray cluster.

    Examples
    --------
    >>> fleet = devicekit.cluster.examine_fleet("snapshots/")
    >>> for difference in fleet.differences:
    ...     print(difference.name, difference.usual, difference.unusual)
    """
    request = parse_request(device)
    if not timeout_s > 0:
        raise ValueError("timeout_s must be above zero, got %r" % timeout_s)
    tick = tick if tick is not None else _no_tick
    judge = Judge(request)
    problems: List[str] = []
    saved: Set[str] = set()
    for number, reading in enumerate(_readings(folder, machines, ray, timeout_s, tick), 1):
        if not reading.node:
            problems.append(reading.problem)
        elif reading.problem:
            judge.fail(reading.node, reading.problem)
        else:
            if keep is not None:
                _save(keep, reading, saved)
            judge.add(reading.node, reading.content)
        if number % 100 == 0:
            tick(number)
    return judge.result(problems)


def _readings(
    folder: Optional[str],
    machines: Optional[Dict[str, Machine]],
    ray: Union[bool, str],
    timeout_s: float,
    tick: Callable[[int], None],
) -> Iterator[Reading]:
    values = {"folder": folder, "machines": machines, "ray": ray}
    sources = [name for name, value in values.items() if value is not None and value is not False]
    if len(sources) != 1:
        raise ValueError(
            "name one source of snapshots (folder, machines or ray), got %s" % (" and ".join(sources) or "none")
        )
    if folder is not None:
        return readings_from(folder)
    if machines is not None:
        return _readings_of(machines)
    from .ray_nodes import readings_of_ray

    return readings_of_ray(ray if isinstance(ray, str) else None, timeout_s, tick)


def _no_tick(_: int) -> None:
    """Show nothing."""


def _save(folder: str, reading: Reading, saved: Set[str]) -> None:
    name, number = reading.node, 1
    while name in saved:
        number += 1
        name = "%s-%d" % (reading.node, number)
    saved.add(name)
    keep_snapshot(folder, reading._replace(node=name))


def _readings_of(machines: Dict[str, Machine]) -> Iterator[Reading]:
    for name, machine in machines.items():
        yield Reading(name, json.dumps(machine.to_dict()).encode("ascii"))
