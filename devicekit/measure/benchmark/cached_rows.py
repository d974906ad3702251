"""Cached figures of benchmarks: see `devicekit.runtime.speed_cache` for where and how long."""

from typing import Any, Dict, List, Optional, Sequence

from ...runtime import speed_cache
from ...runtime.settings import cache_folder
from ...selection.throughput import Throughput
from .models import model_named
from .outcome import was_interrupted


def is_cacheable(task: speed_cache.Task) -> bool:
    """Return whether what a task measures is cached: a model that devicekit knows by name, with its own settings.

    The figures of a user's own model, of another input, or with other settings than the framework's depend on those, which
    are in no fingerprint.
    """
    own = task.get("architecture") or task.get("shape") or task.get("classes") or task.get("keras")
    settings = {name: value for name, value in (task.get("settings") or {}).items() if value is not None}
    return model_named(str(task["model"])) is not None and not own and not settings


class SpeedCache:
    """The figures of some tasks in the present state of this machine.

    Parameters
    ----------
    tasks : sequence of dict
        As `devicekit.measure.benchmark.arguments.tasks_for` returns them.
    repeat : int
        Rows of fewer processes than this are not loaded.
    """

    def __init__(self, tasks: Sequence[Dict[str, Any]], repeat: int = 1) -> None:
        # Own models may change under the same name.
        self._able = all(is_cacheable(task) for task in tasks)
        self._tasks = tasks
        self._repeat = repeat
        self._folder = cache_folder()
        self._state = speed_cache.this_state() if self._able else ""

    def load(self) -> Optional[List[Throughput]]:
        """Return the rows of all tasks; None if one of them is missing."""
        if not self._able:
            return None
        rows: List[Throughput] = []
        for task in self._tasks:
            row = speed_cache.load(self._folder, self._state, dict(task, device=_chosen_device(task)))
            if row is None or len(row.runs) < self._repeat:
                return None
            rows.append(row)
        return rows

    def save(self, rows: Sequence[Throughput]) -> None:
        """Save rows, one for each task. If they cannot be written, the next call measures again.

        Figures that were taken under load say little about the device: they are not saved, and neither is what the user
        did not wait for.
        """
        if self._able:
            kept = [
                (task, row) for task, row in zip(self._tasks, rows) if not row.under_load and not was_interrupted(row)
            ]
            for task, row in kept:
                speed_cache.save(self._folder, self._state, task, row)


def _chosen_device(task: Dict[str, Any]) -> str:
    """The device's own name; of ``"gpu"``, ``"cuda:0"`` and the like the one that would be chosen."""
    from ...machine.detect import real_machine
    from ...runtime.decide import plan_for
    from ...selection.request import parse_request

    if task["device"] == "cpu":
        return "cpu"
    return plan_for(parse_request(task["device"]), task["framework"], real_machine()).device
