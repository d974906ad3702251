"""Cached figures of benchmarks, keyed by a fingerprint of the machine's state and by what was measured.

The state is everything that a speed depends on: interpreter, distributions, native files, driver, devices and variables, as
for the results of self-tests, and also the processors that this process may use and the variables that set numbers of threads.
"""

import math
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import name_of
from ..machine.detect import real_machine
from ..machine.facts import Machine
from ..selection.selection import Change
from ..selection.throughput import Throughput
from .cache import JsonCache
from .current import current_changes
from .settings import cache_folder
from .trial.fingerprint import digest, fingerprint

#: Of `devicekit.measure.benchmark.child.measure`.
Task = Mapping[str, Any]

#: Raised if figures of an earlier form must not be read.
_SCHEMA = 2

#: Figures count for so long: clocks, temperatures and other users of the machine are in no fingerprint.
LIFE_S = 30 * 24 * 3600.0

#: Why something could not be measured may be another thing soon.
_PROBLEM_LIFE_S = 3600.0

_CACHE = JsonCache("bench", _SCHEMA, LIFE_S)

#: More steps of one benchmark are not cached.
_MOST_STEPS = 10000

#: What a speed depends on and the result of a self-test does not.
_SPEED_VARIABLES = (
    "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "TF_DETERMINISTIC_OPS", "NPROC",
    "OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "KMP_BLOCKTIME", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    "GOMP_CPU_AFFINITY",
)  # fmt: skip


def state_of(machine: Machine, changes: Sequence[Change] = (), variables: Optional[Mapping[str, str]] = None) -> str:
    """Return a hash of all that a speed on this machine depends on besides what is measured.

    Parameters
    ----------
    machine : Machine
        This machine, as it is now.
    changes : sequence of Change
        What devicekit has changed in this process: its variables count as they were before, so that what was measured
        after `devicekit.auto` is found by the next program before it.
    variables : mapping or None
        The environment; by default this process's.
    """
    environ = dict(os.environ if variables is None else variables)
    recorded = dict(machine.process.environ)
    for change in reversed(changes):
        if change.what != "environment":
            continue
        for values in (environ, recorded):
            if change.before is not None:
                values[change.name] = change.before
            else:
                values.pop(change.name, None)
    before = machine.replace(process=machine.process.replace(environ=tuple(sorted(recorded.items()))))
    native = machine.native
    parts: List[Any] = [_SCHEMA, fingerprint(before, None, False, variables=environ)]
    facts = (native.cpu_count, native.cpu_affinity, native.cpu_quota, native.cpu_usable, native.performance_cores)
    parts += [fact.or_none() for fact in facts]
    parts += [(name, environ.get(name)) for name in _SPEED_VARIABLES]
    return digest(parts)


def this_state() -> str:
    """Return the state of this machine as it is now; see `state_of`."""
    return state_of(real_machine(), current_changes())


def cached_speeds(machine: Machine) -> Tuple[Throughput, ...]:
    """Return what was measured on this machine in its present state, the newest first."""
    return rows_of(cache_folder(), state_of(machine, current_changes()))


def load(folder: str, state: str, task: Task) -> Optional[Throughput]:
    """Return what was measured before; None if there is nothing, or it is too old, damaged, not ours, or without figures.

    Parameters
    ----------
    folder : str
        See `devicekit.runtime.settings.cache_folder`.
    state : str
        Of this machine: `this_state`.
    task : dict
        Of `devicekit.measure.benchmark.child.measure`, with the device as in `Selection.device`. It counts only what took at
        least as many steps, or as many seconds.
    """
    found = _read(folder, _name(state, task), state)
    if found is None or found.row.problem or found.key != _key(task):
        return None
    enough = len(found.row.step_seconds) >= int(task["num_batches"])
    as_long = found.num_batches >= int(task["num_batches"]) and found.seconds >= _limit(task)
    return found.row if enough or as_long else None


def save(folder: str, state: str, task: Task, row: Throughput) -> Optional[str]:
    """Cache figures; return the problem, None if there was none. The file is replaced as a whole.

    A row without figures does not replace one with figures.
    """
    task = dict(task, device=row.device)
    name = _name(state, task)
    if row.problem:
        before = _read(folder, name, state)
        if before is not None and not before.row.problem:
            return None
    values = dict(row.to_dict(), step_seconds=list(row.step_seconds[-_MOST_STEPS:]))
    if len(row.step_seconds) > _MOST_STEPS:
        values["runs"] = []
    values["warmup_seconds"] = list(row.warmup_seconds[:_MOST_STEPS])
    limit = _limit(task)
    asked = [int(task["num_batches"]), None if math.isinf(limit) else limit]
    return _CACHE.write(folder, name, state, {"row": values, "key": _key(task), "asked": asked})


def rows_of(folder: str, state: str) -> Tuple[Throughput, ...]:
    """Return all that was measured in a state of this machine, the newest first; also what could not be measured.

    `Throughput.xla` is what was requested, None if nothing was: devices may differ in what the framework makes of that.
    """
    return tuple(item.row.replace(xla=item.xla) for item in _CACHE.read_all(folder, state, _decode, _life_of))


class _Entry(NamedTuple):
    key: List[Any]
    num_batches: int
    seconds: float
    row: Throughput

    @property
    def xla(self) -> Optional[bool]:
        value = self.key[5]
        return value if isinstance(value, bool) else None


def _limit(task: Task) -> float:
    seconds = task.get("seconds")
    return math.inf if seconds is None else float(seconds)


def _key(task: Task) -> List[Any]:
    size = task.get("batch_size")
    asked = [str(task["model"]), str(task["device"]), name_of(task["framework"]), str(task["mode"])]
    return asked + [str(task["precision"]), task.get("xla"), size, bool(task.get("input_pipeline"))]


def _name(state: str, task: Task) -> str:
    return _CACHE.name(state, digest(_key(task), 8))


def _read(folder: str, name: str, state: str) -> Optional[_Entry]:
    found = _CACHE.read(folder, name, state, _decode, _life_of)
    return None if found is None else found[1]


def _life_of(entry: _Entry) -> float:
    return _PROBLEM_LIFE_S if entry.row.problem else LIFE_S


def _decode(data: Dict[str, Any]) -> _Entry:
    row, key = _row(data["row"]), data["key"]
    count, seconds = data["asked"]
    if not isinstance(key, list) or len(key) != 8 or not _is_count(count):
        raise TypeError("not what was asked for")
    return _Entry(key, count, math.inf if seconds is None else float(seconds), row)


def _row(values: Dict[str, Any]) -> Throughput:
    row = Throughput.from_dict(values)
    if not all(_is_count(count or 0) for count in (row.batch_size, row.memory_peak_bytes, row.parameters)):
        raise ValueError("no count")
    for seconds in (row.step_seconds, row.warmup_seconds):
        if len(seconds) > _MOST_STEPS or not all(math.isfinite(item) and 0 <= item < 1e6 for item in seconds):
            raise ValueError("no seconds")
    amounts = (row.load, row.flops_per_step, row.peak_flops, row.energy_joules)
    if not all(amount is None or (math.isfinite(amount) and amount >= 0) for amount in amounts):
        raise ValueError("no amount")
    if sum(row.runs) not in (0, len(row.step_seconds)) or not all(_is_count(count) for count in row.runs):
        raise ValueError("no numbers of steps")
    return row


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60
