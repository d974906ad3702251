"""`benchmark`: workers for each device and setting, which take turns, so that all of them meet the same machine."""

import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from ...children.call import run_child
from ...diagnosis.findings import Finding
from ...errors import DevicekitError, check_positive
from ...runtime import speed_cache
from ...runtime.current import clean_environment
from ...runtime.settings import cache_folder
from ...selection.throughput import Throughput
from ..batch_size.search import Limits, rounded, search
from ..batch_size.trial import STEPS, try_sizes
from .arguments import tasks_for, unused_devices
from .models import model_named
from .outcome import interrupted_row, joined, row_of, was_interrupted
from .result import BenchmarkInterrupted, BenchmarkResult

#: A benchmark needs no larger batch than this, and none whose steps take longer.
_MOST = 4096
#: Of the largest batch that fits; see `find_batch_size`.
_MARGIN = 0.1
_STEP_LIMIT_S = 5.0


def largest_batch(
    task: Dict[str, Any],
    *,
    timeout_s: float = 600.0,
    environment: Sequence[Tuple[str, Optional[str]]] = (),
    tick: Optional[Callable[[], None]] = None,
) -> int:
    """Return the batch with which a benchmark is to be run: the largest that fits, as far as its steps are short.

    Parameters
    ----------
    task : dict
        Of `devicekit.measure.benchmark.child.measure`.
    timeout_s : float
        Seconds for the search.
    environment : sequence of (str, str or None)
        Variables of the processes.
    tick : callable or None
        Called about every second.

    Returns
    -------
    int
        1 if not even that fits: the benchmark itself says why. At most 4096, and on slow devices the first one whose
        steps take more than five seconds.
    """
    known = model_named(str(task.get("model")))
    start = known.batch_size if known is not None and not task.get("architecture") else 8
    try:
        found = search(
            "devicekit.measure.benchmark.benchmark:try_task",
            {"task": dict(task, batch_size=None), "memory_bytes": None},
            Limits(start, 1, _MOST, _STEP_LIMIT_S),
            timeout_s=timeout_s,
            environment=tuple(environment),
            tick=None if tick is None else (lambda what, call=tick: call()),  # type: ignore[misc]
        )
    except DevicekitError:
        return 1
    if found.failed is None and found.size:
        return found.size  # no memory's limit was met
    return rounded(found.size, _MARGIN, 1, _MOST)


def try_task(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Try a task of `devicekit.measure.benchmark.child.measure`, as it is measured."""
    from ..batch_size.host_memory import limit_memory
    from .child import measure

    asked = dict(task["task"], num_warmup_batches=1, num_batches=STEPS - 1, input_pipeline=False)
    state = {"limited": False}

    def quietly(**said: Any) -> None:
        # After the import and before the first batch.
        if said.get("stage") == "build" and not state["limited"]:
            from ...runtime.current import current_selection

            chosen = current_selection()
            limit_memory(task["memory_bytes"], chosen is None or chosen.platform == "cpu")
            state["limited"] = True

    def run(size: int) -> float:
        result = measure(dict(asked, batch_size=size), quietly)
        asked["settings"] = None  # threads are set once in a process
        _forget()
        return float(min(result["step_seconds"]))

    return try_sizes(task, run, say)


def _forget() -> None:
    """Give back what the last model held."""
    import gc
    import sys

    for name in ("keras", "tf_keras"):
        backend = getattr(sys.modules.get(name), "backend", None)
        if backend is not None and hasattr(backend, "clear_session"):
            backend.clear_session()
    gc.collect()


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


#: How long the steps of one row may take.
SECONDS = 60.0

#: Processes for each row. Fewer don't show how much processes differ.
REPEAT = 3

#: So many more turns are given to rows that other programs disturbed.
_EXTRA_TURNS = 2

#: A first step may compile for minutes; what takes longer than this is ended.
TIMEOUT_S = 900.0

_FUNCTION = "devicekit.measure.benchmark.child:measure"


def benchmark(
    model: Any = "resnet50",
    *,
    devices: Union[str, Iterable[str], None] = None,
    framework: Union[str, Iterable[str], None] = None,
    batch_size: Union[int, str, None] = None,
    num_batches: int = 100,
    num_warmup_batches: int = 10,
    mode: str = "training",
    precision: Union[str, Iterable[str], None] = None,
    xla: Union[bool, Iterable[Optional[bool]], None] = None,
    input_pipeline: bool = False,
    seed: int = 0,
    repeat: int = REPEAT,
    seconds: Optional[float] = SECONDS,
    timeout_s: float = TIMEOUT_S,
    shape: Optional[Sequence[int]] = None,
    settings: Optional[Dict[str, Any]] = None,
    environment: Sequence[Tuple[str, Optional[str]]] = (),
    refresh: bool = False,
) -> BenchmarkResult:
    """Measure how many images (or sequences, or examples) per second a model computes on each device.

    Each device and setting is measured in separate fresh processes, so that neither memory nor settings of one touch
    the next, or this process. They take turns, so that all rows meet the same machine. What fails becomes a row with its
    `Throughput.problem`.

    Parameters
    ----------
    model : str, model of Keras, or callable
        ``"resnet50"``, ``"mobilenet"``, ``"vgg16"``, ``"transformer"``, ``"lstm"`` or ``"mlp"``; ``"module:function"``, a
        function that returns a model of Keras, or such a model: of a model only the layers count, and it is trained on
        random numbers with the mean squared error and momentum, unless the function has compiled it.
    devices : str, iterable of str or None
        See `devicekit.select_device`; a string may name several with commas between them. By default the CPU and every
        accelerator that seems usable.
    framework : str, iterable of str or None
        One or more of ``"tensorflow"``, ``"jax"`` and ``"torch"``; by default as for `devicekit.auto`.
    batch_size : int, "auto" or None
        Examples in a step. By default the model's own (32 for ResNet-50); ``"auto"``: the largest that fits on the device.
    num_batches, num_warmup_batches : int
        Steps that count, and steps before them. Warm-up goes on as long as the steps get faster.
    mode : {"training", "inference"}
    precision : {"float32", "mixed_float16", "mixed_bfloat16"}, or several of them
        Keras's dtype policy, with its loss scaling.
    xla : bool, None, or several of them
        Whether to compile the steps by XLA; by default as Keras does by itself: 3.15 if there is
        an accelerator, 2 never.
    input_pipeline : bool
        Whether each step takes a new batch from the framework's input pipeline instead of the same one.
    seed : int
        Of weights and data.
    repeat : int
        How many processes to start for each row, in turns: how much they differ is what `Throughput.interval` says. A row
        that other programs disturbed gets up to two more.
    seconds : float or None
        After this many seconds of steps of a row no more are begun, but each process measures three in any case. None: no
        limit.
    timeout_s : float
        Seconds after which a process is ended.
    shape : sequence of int or None
        Of one example, instead of the model's own: ``(64, 64, 3)``.
    settings : dict or None
        Settings of the framework: ``intra_op_threads``, ``inter_op_threads``, ``tf32``, ``prefetch`` (batches prepared
        ahead), ``torch_compile``.
    environment : sequence of (str, str or None)
        Variables to set for the measurement, or to remove.
    refresh : bool
        Whether to measure again what was measured before in the same state of this machine.

    Returns
    -------
    BenchmarkResult
        One row for each framework, precision, choice of XLA and device.

    Raises
    ------
    ValueError
        If an argument is not one of the accepted; the message lists those.
    DevicekitError
        If no framework is installed.
    KeyboardInterrupt
        On Ctrl-C: a `devicekit.measure.BenchmarkInterrupted`, with the finished rows in its ``result``.

    Notes
    -----
    Steps during which other programs use more than 5 % of the processors don't count, and more are taken instead, as far
    as ``seconds`` allow (on Linux; elsewhere the load is not known). If there are too few others, they do count, and
    `Throughput.under_load` says so; such figures are not cached.
    """
    _check(repeat, timeout_s, seconds)
    started = time.monotonic()
    steps: Dict[str, Any] = {"num_batches": num_batches, "num_warmup_batches": num_warmup_batches, "seed": seed}
    own: Dict[str, Any] = {"shape": shape, "settings": dict(settings or {})}
    each = None if seconds is None else seconds / repeat
    what: Dict[str, Any] = {"mode": mode, "input_pipeline": input_pipeline, "seconds": each}
    tasks = tasks_for(model, devices, framework, batch_size, precision, xla, **steps, **own, **what)
    unused = unused_devices({task["framework"]: None for task in tasks}) if devices is None else ()
    run = _Run(tasks, clean_environment() + tuple(environment), timeout_s)
    # What was measured with other settings, inputs or models says nothing of the machine as programs find it.
    cache = None if environment or settings or shape is not None else SpeedCache(tasks, repeat)
    cached = None if cache is None or refresh else cache.load()
    rows = run.rows(repeat) if cached is None else cached
    if cached is None and cache is not None:
        cache.save(rows)
    asked = dict(steps, repeat=repeat, seconds=seconds, timeout_s=timeout_s)
    asked.update(shape=None if shape is None else list(shape), batch_size=batch_size)
    asked.update(settings=own["settings"], environment=dict(environment))
    result = BenchmarkResult(
        rows=tuple(rows),
        findings=unused + findings_of(rows),
        seconds=time.monotonic() - started,
        cached=cached is not None,
        settings=tuple(asked.items()),
        interrupted=run.interrupted,
    )
    if run.interrupted:
        raise BenchmarkInterrupted(result)
    return result


def _check(repeat: int, timeout_s: float, seconds: Optional[float]) -> None:
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 1 <= repeat <= 1000:
        raise ValueError("repeat must be a whole number from 1 to 1000, not %r" % (repeat,))
    check_positive(timeout_s, "timeout_s")
    if seconds is not None:
        check_positive(seconds, "seconds")


class _Run:
    """Measures the tasks, and says on a terminal how far it is."""

    def __init__(self, tasks: List[Dict[str, Any]], environment: Sequence[Tuple[str, Optional[str]]], timeout_s: float):
        self._tasks = tasks
        self._environment = environment
        self._timeout_s = timeout_s
        self.interrupted = False

    def rows(self, repeat: int) -> List[Throughput]:
        """Return one row for each task. The processes take turns; rows that were disturbed get some more."""
        from ...children.progress import Progress
        from ...runtime.settings import read_settings

        found: List[List[Throughput]] = [[] for _ in self._tasks]
        extra = _EXTRA_TURNS if repeat > 1 else 0
        try:
            with Progress("measuring", read_settings().quiet) as progress:
                for turn in range(repeat + extra):
                    for number, task in enumerate(self._tasks):
                        if not _is_complete(found[number], repeat):
                            place = (turn * len(self._tasks) + number + 1, repeat * len(self._tasks))
                            found[number].append(self._row(task, progress, place))
        except KeyboardInterrupt:
            self.interrupted = True
        return [joined(items) if items else interrupted_row(task) for task, items in zip(self._tasks, found)]

    def _row(self, task: Dict[str, Any], progress: Any, place: Tuple[int, int]) -> Throughput:
        progress.say(_what(task, place, {}))
        if task["batch_size"] == "auto":
            found = largest_batch(task, timeout_s=self._timeout_s, environment=self._environment, tick=progress.tick)
            task = dict(task, batch_size=found)
        report = run_child(
            _FUNCTION,
            task,
            timeout_s=self._timeout_s,
            environment=self._environment,
            on_message=lambda message: progress.say(_what(task, place, message)),
            tick=progress.tick,
        )
        return row_of(report, task)


def _what(task: Dict[str, Any], place: Tuple[int, int], message: Dict[str, Any]) -> str:
    """Return what a process does; first what changes: the end of a line of progress is cut off.

    >>> task = {"model": "resnet50", "device": "gpu:0", "framework": "jax"}
    >>> _what(task, (1, 3), {"stage": "measure", "done": 12, "of": 100})
    'measure 12/100: resnet50 on gpu:0 with jax (1 of 3)'
    """
    stage = message.get("stage", "start") + (" %d/%d" % (message["done"], message["of"]) if "of" in message else "")
    text = "%s: %s on %s with %s" % (stage, task["model"], task["device"], task["framework"])
    if place[0] > place[1]:
        return text + " (again: other programs were busy)"
    return text + (" (%d of %d)" % place if place[1] > 1 else "")


def _is_complete(rows: Sequence[Throughput], repeat: int) -> bool:
    """Return whether a row has its undisturbed processes, or will not get any."""
    if rows and rows[0].problem:
        return True  # it will not get better
    return sum(not row.under_load and not row.problem for row in rows) >= repeat


def findings_of(rows: Sequence[Throughput]) -> Tuple[Finding, ...]:
    """Return a finding for each accelerator that is slower than the CPU at the same work by more than the noise."""
    from ...selection.choose import slower_than_cpu

    found: List[Finding] = []
    for row in rows:
        for cpu in rows:
            same = (row.framework, row.mode, row.precision) == (cpu.framework, cpu.mode, cpu.precision)
            if cpu.device == "cpu" and same and row.device != "cpu":
                finding = slower_than_cpu(row, cpu)
                if finding is not None:
                    found.append(finding)
                break
    return tuple(found)
