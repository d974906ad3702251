"""Asks every node of a Ray cluster: one small task for each, which starts devicekit in a separate process there.

What is sent to a node is the code of `ray_child`, so that a node without devicekit answers, too. The task asks for no
processors, so that a busy cluster answers. Facts of Ray: ``NodeAffinitySchedulingStrategy`` pins a task to a node
(docs.ray.io/en/latest/ray-core/scheduling); a worker of a task without GPUs may see ``CUDA_VISIBLE_DEVICES`` emptied by Ray
(``ray/_private/accelerators/accelerator.py``), while its process was started with the node's own value.
"""

import importlib.util
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ...children.call import run_child
from ...errors import DevicekitError
from .files import Reading
from .ray_child import task_of_node

#: A node's own time limit is shorter, so that it can say where it ended.
_MARGIN_S = 5.0

#: For the import of Ray and the connection, which take seconds; a cluster that is not there is given up after these.
_CONNECTING_S = 45.0


def readings_of_ray(address: Optional[str], timeout_s: float, tick: Callable[[int], None]) -> Iterator[Reading]:
    """Yield a snapshot from every node of a Ray cluster.

    A cluster that this process is connected to is queried from here. Otherwise a separate process connects, because Ray
    waits forever for a cluster that is gone, and prints what is not ours. ``address`` is as `ray.init` takes it; None
    or "": the connected cluster, or the one that Ray finds. ``timeout_s`` is for all nodes together; ``tick`` is called
    about once a second with the number of nodes that answered. Raises DevicekitError if Ray is not installed or no
    cluster can be reached.
    """
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized() and not address:
        yield from _ask_all(ray, timeout_s, tick)
        return
    if importlib.util.find_spec("ray") is None:
        raise DevicekitError('Ray is not installed here: pip install "devicekit[ray]"')
    answered: List[Reading] = []
    connected: List[bool] = []
    cluster = address or "auto"
    began = time.monotonic()

    def take(said: Dict[str, Any]) -> None:
        if "connected" in said:
            connected.append(True)
        if "node" in said:
            answered.append(Reading(said["node"], said["content"].encode("utf-8"), said["problem"]))

    def wait() -> None:
        if not connected and time.monotonic() - began > _CONNECTING_S:
            raise DevicekitError(
                "no Ray cluster can be reached at %r: no answer within %g s" % (cluster, _CONNECTING_S)
            )
        tick(len(answered))

    task = {"address": cluster, "timeout_s": timeout_s}
    report = run_child(
        "devicekit.cluster.fleet.ray_nodes:gather",
        task,
        timeout_s=timeout_s + 2 * _CONNECTING_S,
        environment=(("RAY_USAGE_STATS_ENABLED", "0"),),
        on_message=take,
        tick=wait,
    )
    if report.outcome != "done" and not answered:
        because = report.detail.strip().splitlines() or [report.error or report.outcome]
        raise DevicekitError("no Ray cluster can be reached at %r: %s" % (cluster, because[0]))
    yield from answered
    if report.outcome != "done":
        yield Reading("", problem="Ray's driver %s: %s" % (report.outcome, report.detail))


def gather(task: Dict[str, Any], say: Callable[..., None]) -> int:
    """Connect to a cluster and say what each node answers; run by `devicekit.children.call`."""
    import os
    import tempfile

    import ray

    number = 0
    with tempfile.TemporaryDirectory() as folder:
        # Ray puts the folder that its driver runs in on every node's path: this one holds nothing, and is taken off again.
        os.chdir(folder)
        ray.init(address=task["address"], logging_level="ERROR", log_to_driver=False)
        say(connected=True)
        try:
            for reading in _ask_all(ray, task["timeout_s"], lambda _: None, os.path.abspath(os.curdir)):
                number += 1
                say(node=reading.node, content=reading.content.decode("utf-8"), problem=reading.problem)
        finally:
            ray.shutdown()
            os.chdir(os.path.dirname(folder))
    return number


def _ask_all(ray: Any, timeout_s: float, tick: Callable[[int], None], ours: str = "") -> Iterator[Reading]:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    deadline = time.monotonic() + timeout_s
    task = ray.remote(task_of_node())
    waiting: Dict[Any, str] = {}
    done = 0
    for node_id, name, alive in _named(ray.nodes()):
        if not alive:
            yield Reading(name, problem="Ray says that it is dead")
            continue
        pinned = NodeAffinitySchedulingStrategy(node_id=node_id, soft=False)
        options = task.options(num_cpus=0, max_retries=0, scheduling_strategy=pinned)
        waiting[options.remote(max(1.0, timeout_s - _MARGIN_S), ours)] = name
    while waiting and time.monotonic() < deadline:
        left = max(0.0, min(1.0, deadline - time.monotonic()))
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=left)
        for item in ready:
            yield _answer(ray, item, waiting.pop(item))
            done += 1
        tick(done)
    for item, name in waiting.items():
        ray.cancel(item, force=True)
        yield Reading(name, problem="no answer within %g s" % timeout_s)


def _named(nodes: List[Dict[str, Any]]) -> Iterator[Tuple[str, str, bool]]:
    """Yield the nodes with unique names: several raylets may run on one machine."""
    names = [str(node.get("NodeManagerHostname") or node.get("NodeName") or "node") for node in nodes]
    for node, name in zip(nodes, names):
        own = str(node.get("NodeName") or "")
        number = str(node["NodeID"])
        if names.count(name) > 1:
            others = [str(item.get("NodeName") or "") for item in nodes]
            name = own if own and others.count(own) == 1 else "%s-%s" % (name, number[:8])
        yield number, name, bool(node.get("Alive", node.get("alive")))


def _answer(ray: Any, item: Any, name: str) -> Reading:
    try:
        found = ray.get(item)
    except ray.exceptions.RayError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return Reading(name, problem="the task ended with %s: %s" % (type(error).__name__, lines[-1].strip()[:300]))
    problem = str(found.get("problem", ""))
    return Reading(name, b"" if problem else str(found.get("snapshot", "")).encode("utf-8"), problem)
