"""Why a training is slow: pure functions from a `TrainingRecord` to findings.

A rule that lacks what it needs says nothing. The limits are chosen so that a healthy training has no finding; those that are
measured carry the reason.
"""

from statistics import median
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence, Finding, Fix
from .machine_causes import (
    FEWEST_LOOKS,
    IDLE_PERCENT,
    MEMORY_SHARE,
    by_gpu,
    clocks_limited,
    host_starved,
    memory_bound,
    memory_held,
    shared_device,
    size,
)
from .training_record import GpuSample, TrainingRecord

#: Fewer synchronized steps, or other steps, than these decide nothing.
FEWEST_SAMPLES, FEWEST_STEPS = 3, 10

#: How many times as long as its computation a step must take, and how much of it must be waiting, to be bound by its input.
_INPUT_FACTOR, _INPUT_SHARE = 1.25, 0.2

#: Keras takes up to a millisecond to hand over a batch that is there: the input is slow only from here on.
_SHORT_WAIT_S = 0.002

#: Keras's own work for a step (callbacks, arguments, starting the program) takes 0.3 to 2 ms on each framework: a step that
#: takes not much longer is spent on that.
_SHORT_STEP_S = 0.003

_MOST_PROGRAMS = 3


class Figures(NamedTuple):
    """What a step's time consists of, in seconds: medians, of the computation the lower quartile. None if it is not known."""

    period_s: Optional[float]
    wait_s: Optional[float]
    compute_s: Optional[float]

    @property
    def factor(self) -> Optional[float]:
        """How many times as fast the training would be if every batch were there at once."""
        if not self.period_s or not self.compute_s or self.wait_s is None:
            return None
        # What is neither waiting nor computing (other callbacks, logs) stays.
        return self.period_s / max(self.compute_s, self.period_s - self.wait_s)


def figures(record: TrainingRecord) -> Figures:
    """Return the parts of a step's time."""
    steps = sum(window.steps for window in record.windows)
    period_s = None
    if steps:
        period_s = median([window.seconds / window.steps for window in record.windows if window.steps])
    waits = [window.wait_s / window.steps for window in record.windows if window.wait_s is not None and window.steps]
    computed = sorted(sample.compute_s for sample in record.samples if sample.compute_s is not None)
    # Other programs and the synchronization itself only ever make a step longer.
    compute_s = computed[len(computed) // 4] if computed else None
    return Figures(period_s, median(waits) if waits else _sampled_wait(record, period_s, compute_s), compute_s)


def _sampled_wait(record: TrainingRecord, period_s: Optional[float], compute_s: Optional[float]) -> Optional[float]:
    """Return the wait of a step where it is seen in samples only.

    Workers deliver in bursts: most steps wait for nothing, some for long. So it is the mean, without the longest one, which
    may be an accident, and no more than what a step takes besides computing.
    """
    sampled = sorted(sample.wait_s for sample in record.samples if sample.wait_s is not None)
    if not sampled:
        return None
    kept = sampled[:-1] if len(sampled) > FEWEST_SAMPLES else sampled
    besides = period_s - compute_s if period_s is not None and compute_s is not None else kept[-1]
    return max(median(sampled), min(sum(kept) / len(kept), besides))


def findings(record: TrainingRecord) -> Tuple[Finding, ...]:
    """Return why this training is slow, the cause with the largest share first; empty if it is not."""
    if record.steps < FEWEST_STEPS:
        return ()
    found: List[Finding] = []
    for rule in _RULES:
        finding = rule(record)
        if finding is not None:
            found.append(finding)
    return tuple(found)


def _device_unused(record: TrainingRecord) -> Optional[Finding]:
    """The step's results are on the CPU, and a GPU was chosen, or the framework lists one."""
    results = record.result_devices
    on_cpu = bool(results) and all(name.startswith("cpu") for name in results)
    chosen = record.selected not in ("", "auto") and not record.selected.startswith("cpu")
    listed = bool(record.accelerators) and record.selected in ("", "auto")
    if not on_cpu or not (chosen or listed):
        return None
    device = record.selected if chosen else record.accelerators[0].lower()
    evidence = [
        Evidence("results of a step are on %s" % ", ".join(results), "the framework"),
        Evidence("variables are on %s" % (", ".join(record.variable_devices) or "an unknown device"), "the framework"),
    ]
    evidence.append(Evidence("auto() chose %s" % device, "devicekit") if chosen else _listed(record))
    fix = (
        Fix("Build and train the model outside of every scope that names the CPU (`tf.device`, `keras.device`, "
            "`jax.default_device`)", changes="code"),
        Fix("Call devicekit.auto() before anything else uses the framework, and look at what it returns", changes="code"),
    )  # fmt: skip
    return Finding("device-unused", "warning", "The steps run on the CPU although %s is there." % device,
                   tuple(evidence), fix)  # fmt: skip


def _listed(record: TrainingRecord) -> Evidence:
    return Evidence("it lists %s" % ", ".join(record.accelerators), "the framework")


def _input_bound(record: TrainingRecord) -> Optional[Finding]:
    """A step waits for its batch, and would be clearly faster if it did not."""
    parts = figures(record)
    if len(record.samples) < FEWEST_SAMPLES or parts.period_s is None or parts.wait_s is None:
        return None
    factor, share = parts.factor, parts.wait_s / parts.period_s
    if factor is None or factor < _INPUT_FACTOR or share < _INPUT_SHARE or parts.wait_s < _SHORT_WAIT_S:
        return None
    evidence = (
        Evidence(
            "%s a step, of which %s waiting for the batch; %s once the batch is there"
            % (_time(parts.period_s), _time(parts.wait_s), _time(parts.compute_s or 0.0)),
            "%d synchronized steps of %d" % (len(record.samples), record.steps),
        ),
        *_source_evidence(record),
    )
    summary = "Training waits for data: with the same batch again and again it would be %.1f times as fast." % factor
    return Finding("input-bound", "warning", summary, evidence, _input_fixes(record))


def _source_evidence(record: TrainingRecord) -> Sequence[Evidence]:
    source = record.source
    if not source.kind:
        return ()
    text = "fit() was given %s" % {"arrays": "arrays", "generator": "a generator"}.get(source.kind, "a " + source.kind)
    if source.workers is not None:
        text += " with %d workers" % source.workers if source.workers != 1 else " with one worker"
    if source.operations:
        text += ": %s" % " < ".join(source.operations)
    return (Evidence(text, "Keras"),)


def _input_fixes(record: TrainingRecord) -> Tuple[Fix, ...]:
    """Return what makes this kind of input faster, the part that is lacking first."""
    source = record.source
    if source.kind == "generator":
        return (
            Fix("Turn the generator into a keras.utils.PyDataset (keras.utils.Sequence in Keras 2), so that several "
                "workers prepare batches: a generator is run by one thread", changes="code"),
            Fix("Do in advance, once, what does not change: decode and resize, and store the result", changes="code",
                instead=True),
        )  # fmt: skip
    if source.kind == "PyDataset":
        python = "super().__init__(workers=%d, use_multiprocessing=True)" % max(4, 2 * (source.workers or 1))
        return (
            Fix("Prepare batches in several processes: threads share one interpreter, which Python code holds", python,
                (("python", python),), changes="code"),
        )  # fmt: skip
    if source.kind == "DataLoader":
        python = "DataLoader(dataset, num_workers=%d, persistent_workers=True)" % max(4, 2 * (source.workers or 0))
        return (Fix("Prepare batches in worker processes", python, (("python", python),), changes="code"),)
    if source.kind == "tf.data":
        fixes = []
        names = source.operations
        if any(name in ("Map", "FlatMap", "Generator") for name in names):
            python = "dataset.map(function, num_parallel_calls=tf.data.AUTOTUNE)"
            text = (
                "Prepare elements in parallel; a `from_generator` and a `py_function` run one at a time whatever is set"
            )
            fixes.append(Fix(text, python, (("python", python),), changes="code"))
        if not any("Prefetch" in name for name in names):
            python = "dataset = dataset.prefetch(tf.data.AUTOTUNE)"
            fixes.append(Fix("Prepare the next batch meanwhile", python, (("python", python),), changes="code"))
        shuffled = next((place for place, name in enumerate(names) if "Shuffle" in name), len(names))
        if any(name.endswith(("Map", "Interleave", "Generator")) for name in names[shuffled:]):
            python = "dataset = files.shuffle(10000).map(decode, num_parallel_calls=tf.data.AUTOTUNE)"
            text = "Shuffle before what decodes: a buffer of decoded elements is filled again in each epoch"
            fixes.append(Fix(text, python, (("python", python),), changes="code"))
        if not any("Cache" in name for name in names):
            python = "dataset = dataset.cache()"
            text = "Keep what was decoded, before anything random, if it fits into memory"
            fixes.append(Fix(text, python, (("python", python),), changes="code", instead=bool(fixes)))
        return tuple(fixes)
    text = "Prepare batches ahead and in parallel: a keras.utils.PyDataset with workers, or tf.data with prefetch"
    return (Fix(text, changes="code"),)


def _launch_bound(record: TrainingRecord) -> Optional[Finding]:
    """A step is so short that starting it takes most of the time, or the device is idle though nothing waits for data."""
    parts = figures(record)
    if parts.period_s is None or _input_bound(record) is not None:
        return None
    busy = _utilization(record.gpus)
    working_s = parts.period_s - (parts.wait_s or 0.0)
    batches = record.steps_per_execution
    idle = busy is not None and busy < IDLE_PERCENT
    short = working_s < _SHORT_STEP_S and (busy is None or idle) and not _computes(record, working_s)
    if not short and not (idle and (parts.wait_s or 0.0) < 0.1 * parts.period_s):
        return None
    apart = " without the wait for its batch" if parts.wait_s else ""
    evidence = [Evidence("%s a step%s" % (_time(working_s), apart), "%d steps" % record.steps)]
    if busy is not None:
        evidence.append(Evidence("the GPU computes for %d %% of the time" % busy, record.gpus[-1].source))
    if record.parameters is not None:
        evidence.append(Evidence("the model has %s parameters" % format(record.parameters, ","), "Keras"))
    fixes = [Fix("Use a larger batch: the same work for each step, and fewer steps", changes="code")]
    if batches == 1 and record.framework in ("tensorflow", "jax"):
        python = "model.compile(..., steps_per_execution=32)"
        text = "Let one call do many steps"
        if record.framework == "tensorflow":
            text += "; Monitor does not see then whether they wait for data: look for input-bound before"
        fixes.append(Fix(text, python, (("python", python),), changes="code"))
    if record.jit is False and record.framework in ("tensorflow", "torch"):
        python = "model.compile(..., jit_compile=True)"
        fixes.append(
            Fix("Compile the step, so that fewer programs are started", python, (("python", python),), changes="code")
        )
    on_cpu = all(name.startswith("cpu") for name in record.result_devices)
    summary = "The model is too small for the device: most of a step is spent on starting it, not on computing."
    if not short:
        summary = (
            "The device is idle for much of each step, and no step waits for data: starting programs takes the time."
        )
    return Finding("launch-bound", "info" if on_cpu else "warning", summary, tuple(evidence), tuple(fixes))


def _computes(record: TrainingRecord, working_s: float) -> bool:
    """Return whether the device goes on for most of a step when all of it was started, as JAX's does on the CPU too."""
    known = [sample.device_s for sample in record.samples if sample.device_s is not None]
    return bool(known) and median(known) > 0.5 * working_s


def too_short(record: TrainingRecord) -> bool:
    """Return whether a step is so short that some are seen to compute for most of it and others are not."""
    parts = figures(record)
    known = sorted(sample.device_s for sample in record.samples if sample.device_s is not None)
    if parts.period_s is None or not known or _utilization(record.gpus) is not None:
        return False
    working_s = parts.period_s - (parts.wait_s or 0.0)
    return working_s < _SHORT_STEP_S and known[len(known) // 4] <= 0.5 * working_s


def _retracing(record: TrainingRecord) -> Optional[Finding]:
    """The step, or a function that it or its data calls, is compiled again and again after the first steps."""
    step, functions = _compiled_steps(record), _traced_functions(record)
    if not step and not functions:
        return None
    fixes = [
        Fix("Give all batches one shape: pad sequences to a few lengths (buckets), drop the last incomplete batch "
            "(`drop_remainder=True`), resize images", changes="code"),
        Fix("In functions of your own, pass tensors and not Python numbers or strings, and create no function in a loop",
            changes="code", instead=True),
    ]  # fmt: skip
    summary = "The training step is compiled again and again, because what it is given has other shapes each time."
    if not step:
        summary = "TensorFlow traces a function of your own again and again: %s." % functions[0][0]
        fixes = [fix.replace(instead=index > 0) for index, fix in enumerate(reversed(fixes))]
    elif len({sample.shapes for sample in record.samples if sample.shapes}) < 2:
        summary = "The training step is compiled again and again."
    own = [
        Evidence("%s was traced %d times in %d steps" % (name, number, record.steps), "TensorFlow")
        for name, number in functions[:_MOST_PROGRAMS]
    ]
    return Finding("retracing", "warning", summary, (*step, *own), tuple(fixes))


def _traced_functions(record: TrainingRecord) -> List[Tuple[str, int]]:
    """Return the functions of the program that were traced in at least one of 20 steps, that with the most traces first."""
    often = [pair for pair in record.traced if pair[1] >= max(FEWEST_STEPS, record.steps / 20)]
    return sorted(often, key=lambda pair: -pair[1])


def _compiled_steps(record: TrainingRecord) -> List[Evidence]:
    """Return by what it is seen that the step itself is compiled again and again; empty if it is not."""
    counts = [(int(step), number) for step, number in record.programs]
    late = [number for step, number in counts if step > _MOST_PROGRAMS]
    shapes = {sample.shapes for sample in record.samples if sample.shapes}
    new = late[-1] - late[0] if late else 0
    slow = _slow_steps(record)
    # Where nearly every batch has a shape of its own, a step that compiles is no longer than the others.
    always = len(shapes) > 0.8 * len(record.samples)
    recompiled = bool(record.jit) and len(shapes) > _MOST_PROGRAMS and (len(slow) > _MOST_PROGRAMS or always)
    if new < _MOST_PROGRAMS and not recompiled:
        return []
    evidence = []
    if new >= _MOST_PROGRAMS:
        text = "%d compiled versions of the step; %d of them are later than step %d" % (late[-1], new, _MOST_PROGRAMS)
        evidence.append(Evidence(text, "the framework"))
    if shapes:
        text = "%d different shapes in %d batches: %s" % (
            len(shapes),
            len(record.samples),
            "; ".join(sorted(shapes)[:4]),
        )
        evidence.append(Evidence(text, "synchronized steps"))
    if slow:
        evidence.append(
            Evidence("the longest steps took %s" % ", ".join(_time(item) for item in slow[:4]), "all steps")
        )
    return evidence


def _slow_steps(record: TrainingRecord) -> List[float]:
    """Return the steps that took more than five times as long as others, and long enough for a compilation."""
    period_s = figures(record).period_s
    return [] if period_s is None else [item for item in record.longest_steps_s if item > max(0.05, 5 * period_s)]


def _memory_bound(record: TrainingRecord) -> Optional[Finding]:
    """The device's memory, or this machine's, is nearly used up."""
    evidence = []
    memory = record.memory
    limit = memory.limit_bytes if memory is not None else None
    totals = {sample.memory_bytes for sample in record.gpus if sample.memory_bytes}
    if limit is None and len(totals) == 1:  # of different GPUs it is not known which one the framework means
        (limit,) = totals
    if memory is not None and memory.peak_bytes and limit and memory.peak_bytes > MEMORY_SHARE * limit:
        text = "%s of %s were in use on the device" % (size(memory.peak_bytes), size(limit))
        evidence.append(Evidence(text, "the framework's allocator"))
    if memory is not None and memory.retries:
        text = "the allocator had to give memory back and try again %d times" % memory.retries
        evidence.append(Evidence(text, "torch.cuda.memory_stats"))
    return memory_bound([*evidence, *memory_held(record.hosts, record.memory_granted_bytes)])


def _clocks_limited(record: TrainingRecord) -> Optional[Finding]:
    return clocks_limited(record.gpus)


def _shared_device(record: TrainingRecord) -> Optional[Finding]:
    return shared_device(record.gpus)


def _host_starved(record: TrainingRecord) -> Optional[Finding]:
    return host_starved(record.hosts)


def _utilization(gpus: Sequence[GpuSample]) -> Optional[float]:
    """Return the percentage of the time in which the busiest GPU computes: a framework opens those too that it never uses."""
    found = []
    for samples in by_gpu(gpus).values():
        # The first look is from before the first step.
        known = [item.utilization_percent for item in samples[1:] if item.utilization_percent is not None]
        found += [median(known)] if len(known) >= FEWEST_LOOKS else []
    return max(found, default=None)


def _time(seconds: float) -> str:
    """Return a duration with its unit.

    >>> _time(0.0123), _time(2.5)
    ('12.3 ms', '2.50 s')
    """
    return "%.2f s" % seconds if seconds >= 1 else "%.3g ms" % (1000 * seconds)


#: In the order of what is looked at first: what is hidden by a worse cause comes after it.
_RULES: Tuple[Callable[[TrainingRecord], Optional[Finding]], ...] = (
    _device_unused, _retracing, _host_starved, _input_bound, _clocks_limited, _shared_device, _memory_bound, _launch_bound,
)  # fmt: skip
