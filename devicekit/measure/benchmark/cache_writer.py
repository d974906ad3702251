"""Keeps what was measured, and finds it again: see `devicekit.measure.benchmark.cache` for where and how long."""

from typing import Any, Dict, List, Optional, Sequence

from ...runtime.settings import cache_folder
from . import cache
from .result import Throughput

__all__ = ["Keeper"]


class Keeper:
    """The figures of some tasks in the present state of this machine.

    Parameters
    ----------
    tasks : sequence of dict
        As `devicekit.measure.benchmark.arguments.tasks_for` returns them.
    """

    def __init__(self, tasks: Sequence[Dict[str, Any]]) -> None:
        # Own models may change under the same name.
        self._able = all(cache.is_kept(task) for task in tasks)
        self._tasks = tasks
        self._folder = cache_folder()
        self._state = cache.this_state() if self._able else ""

    def kept(self) -> Optional[List[Throughput]]:
        """Return the rows of all tasks; None where one of them is not there."""
        if not self._able:
            return None
        rows: List[Throughput] = []
        for task in self._tasks:
            row = cache.load(self._folder, self._state, dict(task, device=_meant(task)))
            if row is None:
                return None
            rows.append(row)
        return rows

    def keep(self, rows: Sequence[Throughput]) -> None:
        """Keep rows, one for each task. Where they cannot be written, the next call measures anew."""
        if self._able:
            for task, row in zip(self._tasks, rows):
                cache.save(self._folder, self._state, task, row)


def _meant(task: Dict[str, Any]) -> str:
    """The device's own name: of ``"gpu"``, ``"cuda:0"`` and the like the one that is chosen for it."""
    from ...api import select_device
    from ...machine.detect import real_machine

    if task["device"] == "cpu":
        return "cpu"
    return select_device(task["device"], framework=task["framework"], machine=real_machine()).device
