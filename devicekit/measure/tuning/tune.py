"""`tune`: every setting against the framework's defaults, then all that paid together."""

import math
import os
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...errors import DevicekitError, check_positive
from ...machine.detect import real_machine
from ...machine.host import Host
from ...machine.live_host import LiveHost
from ...runtime.current import clean_environment
from ...runtime.decide import plan_for
from ...runtime.notices import unavailable
from ...selection.request import parse_request
from ...selection.selection import Selection, fallback_causes
from ..benchmark.arguments import tasks_for
from ..benchmark.models import model_named
from . import cache
from .options import Option, candidates, wanted
from .racing import Gain, Noise, Racer, RacerEnded, noise_of, race
from .result import TunedOption, Tuning

#: How long tuning may take.
BUDGET_S = 180.0

#: Seconds of a block: several periods of a quota (a tenth of a second), but shorter than the drift of a machine's speed.
_BLOCK_S = 0.5

#: Seconds of the pairs of blocks of one option, at the least and at the most.
_RACE_S = (4.0, 15.0)

#: Begins the reason of an option for which there was no time.
_NOT_TRIED = "not tried: "

#: What a step may take on a processor: smaller examples and batches than the benchmarks' own, if no one says others.
_ON_CPU: Dict[str, Dict[str, Any]] = {
    "resnet50": {"shape": [64, 64, 3], "batch_size": 8},
    "mobilenet": {"shape": [64, 64, 3], "batch_size": 8},
    "vgg16": {"shape": [64, 64, 3], "batch_size": 4},
    "transformer": {"batch_size": 4},
    "lstm": {"batch_size": 8},
}


def tune(
    model: Any = "resnet50",
    *,
    device: str = "auto",
    framework: Optional[str] = None,
    batch_size: Optional[int] = None,
    shape: Optional[Sequence[int]] = None,
    input_pipeline: bool = False,
    options: Optional[Iterable[Any]] = None,
    budget_s: float = BUDGET_S,
    seed: int = 0,
    refresh: bool = False,
) -> Tuning:
    """Find out what makes training faster on a device and leaves its results within what `devicekit.compare` allows.

    Each setting that the device, its processor and the framework have is tried on its own, in a process of its own that
    takes turns with one that has the framework's defaults. It is kept when it wins by more than the noise of this machine
    (measured in the same run, by two processes with the same settings), and a short training with it goes as one without.
    All that is kept is then measured together, against the defaults again. Nothing is changed in this process:
    ``devicekit.auto(tune=True)`` sets what was found, or you do, by `TunedOption.environment` and `TunedOption.calls`.

    Parameters
    ----------
    model : str, model of Keras, or callable
        What to train, as for `devicekit.benchmark`. Best the model that you will train: what pays depends on it.
    device : str
        One device; see `devicekit.select_device`.
    framework : {"tensorflow", "jax", "torch"} or None
        By default as for `devicekit.auto`.
    batch_size : int or None
        Examples in a step; by default the model's own, and fewer on the CPU.
    shape : sequence of int or None
        Of one example, instead of the model's own; on the CPU images are of 64 by 64 by default.
    input_pipeline : bool
        Whether each step takes a new batch from the framework's input pipeline.
    options : iterable of str, or None
        What to try: names of ``"threads"``, ``"onednn"``, ``"allocator"``, ``"tf32"``, ``"precision"``, ``"fpmath"``,
        ``"xla"``, ``"compile"``, ``"prefetch"``, or `measure.tuning.options.Option` objects of your own. By default all.
    budget_s : float
        Seconds after which no further setting is begun; what was not tried is listed as such. What is kept is measured once
        more after that. With a larger budget, a later call in the same state of this machine continues with what is left.
    seed : int
        Of weights and data.
    refresh : bool
        Whether to measure again what was measured before in the same state of this machine.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If an argument is not one of the accepted; the message lists those.
    DeviceUnavailableError
        If the device was named and cannot be used.
    DevicekitError
        If no framework is installed, or the model cannot be trained with the defaults either.

    Notes
    -----
    Variables that you have set are left as they are, and listed. Measure on a machine that is otherwise idle: threads that
    other programs take away count as noise at best, and as a reason for fewer threads at worst.
    """
    from ...runtime.settings import cache_folder
    from ...runtime.speed_cache import this_state

    check_positive(budget_s, "budget_s")
    machine = real_machine()
    selection = _selected(device, framework)
    unused = fallback_causes(selection)  # why it is not a better device
    task = _task(model, selection, batch_size, shape, input_pipeline, seed)
    host = LiveHost()
    before = clean_environment()
    environ = _environ(before)
    to_try, decided = candidates(
        machine,
        str(selection.framework),
        selection,
        environ=environ,
        physical=physical_cores(host, machine.native.cpu_affinity.or_none() or machine.native.cpu_count.or_none()),
        libraries=installed_allocators(host),
        input_pipeline=input_pipeline,
    )
    names = None if options is None else ([options] if isinstance(options, str) else list(options))
    to_try = wanted(to_try, names)
    if names is not None:
        decided = tuple(item for item in decided if item.name in names)
    asked = [sorted(task.items(), key=str), names and sorted(map(str, names))]
    folder, state = cache_folder(), this_state()
    earlier = None if refresh else cache.load(folder, state, asked)
    if earlier is not None and not _continues(earlier, budget_s):
        return earlier.replace(findings=unused)
    tuning = _Tuner(task, before, budget_s, earlier).run(to_try, decided, selection).replace(findings=unused)
    if tuning.kept or not tuning.undecided:
        cache.save(folder, state, asked, tuning)  # if it cannot be kept, it is measured again
    return tuning


def _is_left(item: TunedOption) -> bool:
    """Whether there was no time for an option."""
    return item.gain is None and item.reason.startswith(_NOT_TRIED)


def _continues(earlier: Tuning, budget_s: float) -> bool:
    """Whether a budget has time left for what an earlier tuning did not try."""
    return budget_s > earlier.seconds and any(map(_is_left, earlier.options))


def _selected(device: str, framework: Optional[str]) -> Selection:
    request = parse_request(device)
    if request.count > 1:
        raise ValueError("%r are several devices: name the one that is to be tuned" % device)
    selection = plan_for(request, framework, real_machine()).selection()
    if (selection.fallback and request.kind != "auto") or selection.framework is None or selection.device == "auto":
        raise unavailable(selection)
    return selection


def _task(
    model: Any,
    selection: Selection,
    batch_size: Optional[int],
    shape: Optional[Sequence[int]],
    input_pipeline: bool,
    seed: int,
) -> Dict[str, Any]:
    from ...diagnosis.findings import name_of

    tasks = tasks_for(
        model,
        [selection.device],
        name_of(selection.framework),
        batch_size,
        None,
        None,
        num_batches=1,
        num_warmup_batches=1,
        mode="training",
        input_pipeline=input_pipeline,
        seed=seed,
        seconds=None,
        shape=shape,
        # A pipeline as one writes it who does not think of it.
        settings={"prefetch": 0} if input_pipeline else {},
    )
    task = tasks[0]
    if selection.platform == "cpu" and model_named(str(task["model"])) is not None and not task.get("architecture"):
        for name, value in _ON_CPU.get(task["model"], {}).items():
            if task.get(name) is None:
                task[name] = value
    return task


def _environ(before: Sequence[Tuple[str, Optional[str]]]) -> Dict[str, str]:
    """The user's own variables: without those that `devicekit.auto` has set in this process."""
    environ = dict(os.environ)
    for name, value in before:
        if value is None:
            environ.pop(name, None)
        else:
            environ[name] = value
    return environ


class _Result(NamedTuple):
    option: Option
    gain: Optional[Gain]
    kept: bool
    reason: str

    def tuned(self) -> TunedOption:
        return self.option.tuned(None if self.gain is None else self.gain.ratio, self.kept, self.reason)


class _Tuner:
    """Measures options against the defaults, within a budget of time."""

    def __init__(
        self,
        task: Dict[str, Any],
        environment: Sequence[Tuple[str, Optional[str]]],
        budget_s: float,
        earlier: Optional[Tuning] = None,
    ) -> None:
        self._task, self._environment, self._budget_s = task, tuple(environment), budget_s
        self._began = time.monotonic() - (earlier.seconds if earlier is not None else 0.0)
        tried = [item for item in earlier.options if not _is_left(item)] if earlier is not None else []
        self._tried = {(item.name, item.setting): item for item in tried}
        self._check: Optional[Dict[str, Any]] = None
        self._noise = Noise(0.0)
        self._start_s = 0.0
        self._race_s = _RACE_S[0]

    def _left(self) -> float:
        return self._budget_s - (time.monotonic() - self._began)

    def _share(self, count: int) -> None:
        """Share what is left of the time among this many races, each with a start."""
        self._race_s = max(_RACE_S[0], min(_RACE_S[1], self._left() / count - self._start_s))

    def run(self, options: Sequence[Option], decided: Sequence[TunedOption], selection: Selection) -> Tuning:
        """Try all of them."""
        from ...children.progress import Progress
        from ...runtime.settings import read_settings

        results: List[_Result] = []
        gain: Optional[float] = None
        if options:
            with Progress("tuning", read_settings().quiet) as progress:
                results, gain = self._all(options, selection, progress)
        return Tuning(
            device=selection.device,
            framework=str(selection.framework),
            model=str(self._task["model"]),
            options=tuple(item.tuned() for item in results) + tuple(decided),
            gain=gain,
            seconds=time.monotonic() - self._began,
            noise=self._noise.ratio if results else None,
        )

    def _racer(self, option: Optional[Option], timeout_s: float, tick: Callable[[], None]) -> Racer:
        task = dict(self._task, warmup_s=max(2.0, self._budget_s / 20), block_s=_BLOCK_S)
        environment = self._environment
        if option is not None:
            settings = dict(option.settings)
            for name in ("precision", "xla"):
                if name in settings:
                    task[name] = settings.pop(name)
            task["settings"] = dict(task["settings"] or {}, **settings)
            environment += option.environment
        return Racer(task, environment, timeout_s, tick)

    def _all(
        self, options: Sequence[Option], selection: Selection, progress: Any
    ) -> Tuple[List[_Result], Optional[float]]:
        what = "tuning %s on %s with %s" % (self._task["model"], selection.device, selection.framework)
        progress.say("%s: the defaults" % what)
        # Longer than everything that is begun within the budget can take.
        with self._racer(None, 3 * self._budget_s + 600.0, progress.tick) as base:
            began = time.monotonic()
            try:
                base.warm_up(max(self._budget_s, 60.0))
            except RacerEnded as error:
                what = "%s cannot be trained on %s with the framework's defaults, so that there is nothing to tune: %s"
                raise DevicekitError(what % (self._task["model"], selection.device, error)) from error
            self._start_s = time.monotonic() - began
            left = [item for item in options if (item.name, item.setting) not in self._tried]
            self._share(len(left) + 2)  # the one without a setting, and the one with all of them
            try:
                same = self._race(base, None, progress)
            except RacerEnded as error:
                what = "how much two processes with the defaults differ could not be measured: %s; try a larger budget"
                raise DevicekitError(what % error) from error
            self._noise = noise_of(same)
            results = [_of_earlier(item, self._tried.get((item.name, item.setting))) for item in options]
            for number, option in enumerate(left):
                if self._left() <= 0:
                    reason = _NOT_TRIED + "the time budget of %g s ran out" % self._budget_s
                    result = _Result(option, None, False, reason)
                else:
                    self._share(len(left) - number + 1)
                    progress.say("%s: %s %s (%d of %d)" % (what, option.name, option.setting, number + 1, len(left)))
                    result = self._try(base, option, selection, progress)
                results[options.index(option)] = result
            results = _best_of_each(results)
            progress.say("%s: all together" % what)
            return self._together(base, results, selection, progress)

    def _race(self, base: Racer, option: Optional[Option], progress: Any) -> Gain:
        """Race a fresh process."""
        limit = max(self._left(), 3 * self._start_s)
        with self._racer(option, limit + 600.0, progress.tick) as other:
            other.warm_up(limit)
            return race(base, other, self._race_s)

    def _try(self, base: Racer, option: Option, selection: Selection, progress: Any) -> _Result:
        limit = max(self._left(), 3 * self._start_s)
        gain = None
        try:
            with self._racer(option, limit + 600.0, progress.tick) as other:
                other.warm_up(limit)
                gain = race(base, other, self._race_s, self._noise)
                if not gain.wins(self._noise):
                    return _Result(option, gain, False, self._lost(gain))
                return self._checked(base, other, option, gain, selection)
        except RacerEnded as error:
            if error.racer is base:
                raise
            if gain is not None:
                return _Result(option, gain, False, "faster, but its results could not be checked: %s" % error)
            return _Result(option, None, False, "it could not be measured: %s" % error)

    def _checked(self, base: Racer, other: Racer, option: Option, gain: Gain, selection: Selection) -> _Result:
        """Compare a short training with the setting and one without."""
        from .fidelity import judge_results

        limit = 60.0 + self._budget_s
        if self._check is None:
            self._check = base.check(limit, controls=True)
        found = other.check(limit)
        verdict = judge_results(
            found,
            self._check,
            arithmetic=option.arithmetic,
            device=selection.device,
            framework=str(selection.framework),
        )
        if not verdict.agrees:
            return _Result(option, gain, False, "faster, but its results are others: %s" % verdict.detail)
        reason = "%s; %s" % (option.why, verdict.detail) if option.why else verdict.detail
        return _Result(option, gain, True, reason)

    def _lost(self, gain: Gain) -> str:
        if gain.logarithm < -self._noise.logarithm:
            return "slower"
        if gain.logarithm > self._noise.logarithm:
            return "not sure: the ratio of single pairs of blocks varies too much on this machine"
        text = "no more than noise: two processes with the same settings differ by up to %.0f %% here"
        return text % (100 * (self._noise.ratio - 1))

    def _together(
        self, base: Racer, results: List[_Result], selection: Selection, progress: Any
    ) -> Tuple[List[_Result], Optional[float]]:
        """Measure all that was kept once more, in one process; what was luck does not win again."""
        kept = [item for item in results if item.kept]
        if not kept:
            return results, None
        best = max(kept, key=_logarithm)
        final = self._try(base, _merged([item.option for item in kept]), selection, progress)
        if len(kept) > 1 and not (final.kept and _logarithm(final) > _logarithm(best) - self._noise.logarithm):
            why = "it does not add to %s %s" % (best.option.name, best.option.setting)
            results = [_left(item, why) if item in kept and item is not best else item for item in results]
            final = self._try(base, best.option, selection, progress)
        if not final.kept:
            results = [
                _left(item, "it did not win again: %s" % final.reason) if item.kept else item for item in results
            ]
            return results, None
        return results, None if final.gain is None else final.gain.ratio


def _of_earlier(option: Option, found: Optional[TunedOption]) -> _Result:
    """Return what an earlier tuning found of an option; the budget is for the others."""
    if found is None:
        return _Result(option, None, False, "")
    gain = Gain(math.log(found.gain), 0.0) if found.gain is not None and found.gain > 0 else None
    return _Result(option, gain, found.kept, found.reason)


def _left(item: _Result, why: str) -> _Result:
    return item._replace(kept=False, reason=why)


def _logarithm(item: _Result) -> float:
    return item.gain.logarithm if item.gain is not None else 0.0


def _best_of_each(results: Sequence[_Result]) -> List[_Result]:
    """Keep one option of each name, the one that gains most."""
    best: Dict[str, _Result] = {}
    for item in results:
        if item.kept and (item.option.name not in best or _logarithm(item) > _logarithm(best[item.option.name])):
            best[item.option.name] = item
    found = []
    for item in results:
        winner = best.get(item.option.name)
        if item.kept and item is not winner and winner is not None:
            item = item._replace(kept=False, reason="%s gains more" % winner.option.setting)
        found.append(item)
    return found


#: From fine to coarse: together, options compute as the coarsest of them.
_COARSE = (None, "tf32", "bfloat16", "float16")


def _merged(options: Sequence[Option]) -> Option:
    if len(options) == 1:
        return options[0]
    arithmetic = max((item.arithmetic for item in options), key=_COARSE.index)
    return Option(
        "together",
        ", ".join("%s %s" % (item.name, item.setting) for item in options),
        tuple(pair for item in options for pair in item.environment),
        tuple(pair for item in options for pair in item.settings),
        tuple(call for item in options for call in item.calls),
        arithmetic,
    )


# Physical cores and memory allocators, which `Machine` does not tell.


#: Memory allocators that programs are known to gain by, the smaller library of each first.
ALLOCATORS = ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libjemalloc.so.2")

_FOLDER = "/sys/devices/system/cpu"
#: More processors than this are no machine's.
_MOST = 8192


def physical_cores(host: Host, processors: Optional[int]) -> Optional[int]:
    """Return how many physical cores there are, None if that is not known, or this process may not use all of them.

    Parameters
    ----------
    processors : int or None
        How many logical processors this process may run on.
    """
    if host.system != "linux" or not processors:
        return None
    cores: Set[str] = set()
    count = 0
    while count < _MOST:
        try:
            text = host.read_text("%s/cpu%d/topology/thread_siblings_list" % (_FOLDER, count), 4096)
        except OSError:  # the last one is behind us, or this kernel does not say
            break
        cores.add(text.strip())  # what all processors of one core have in common, such as 0,32
        count += 1
    # With a part of the processors no one knows here which of them share a core.
    return len(cores) if cores and count == processors else None


def installed_allocators(host: Host) -> Tuple[str, ...]:
    """Return the paths of the installed allocators, one of each kind."""
    cache = host.loader_cache()
    found = [cache[name] for name in ALLOCATORS if name in cache]
    kinds = {path.rpartition("/")[2].partition(".")[0].partition("_")[0]: path for path in reversed(found)}
    return tuple(path for path in found if path in kinds.values())
