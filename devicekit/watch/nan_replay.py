"""Repeats the steps since the last good state, finds the first bad one, and runs it again to see where it comes from."""

import io
import zipfile
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ..errors import DevicekitError, first_line
from ..runtime.frameworks.replay import NOTHING, Replay, State, Usual, as_float, is_finite, unfit
from ..runtime.scratch import replace_file
from .nan_recorder import KeptStep, Window, loss_is_finite, norm_of
from .training_record import NanRecord, NanRun

_MADE_IN_FIRST_STEP = (
    "This step made variables of the model or its optimizer, and what they began with is not known: give the model an Input, "
    "and call optimizer.build(model.trainable_variables)."
)


def investigate(replay: Replay, function: Any, window: Window, saves: Sequence[str]) -> NanRecord:
    """Return what is known about the first NaN. The model's state is as before afterwards. ``saves``: files for the step."""
    model = replay.model
    record = NanRecord(
        framework=replay.framework,
        model=str(getattr(model, "name", "")),
        seen_in=window.seen_in,
        seen_step=window.seen_step,
        good_step=window.steps[0].step,
        loss=loss_name(model),
        norm_start=window.norm_start,
        problem=window.problem,
    )
    if window.good is None:
        return record.replace(problem=_MADE_IN_FIRST_STEP)
    kept = [step for step in window.steps if step.step <= window.seen_step]
    if any(step.batch is None for step in kept):
        return record
    with replay.restored():
        found = _first_bad(replay, function, window.good, kept)
        if found is None:
            problem = (
                "The same steps, repeated, go another way: random numbers, a state of your own that no variable of the model "
                "has, a changing callback, or a device that errs."
            )
            return record.replace(problem=problem)
        index, bad_variables = found
        replay.load(window.good)
        before, bad = window.good, kept[index]
        earlier = before
        for number, step in enumerate(kept[:index]):
            replay.step(function, step.batch)
            if number >= index - 2:
                earlier, before = before, replay.state()
        record = record.replace(
            step=bad.step, epoch=bad.epoch, batch=bad.number, problem="", variables=tuple(bad_variables),
            start=tuple(nan_weights(before)), norm_before=norm_of(before), learning_rate=learning_rate(before, model),
            device=replay.device(),
        )  # fmt: skip
        batches = [step.batch for step in kept[: index + 1]]
        usual = _usual(replay, earlier, batches)
        record = _inputs(record, replay, batches)
        batch, record = _without_inputs(record, replay, before, bad.batch, usual)
        record = record.replace(runs=_runs(replay, before, batch, record.device, usual))
        for save in saves:
            try:
                replace_file(save, packed(before, bad.batch, replay))
                record = record.replace(saved=record.saved or save)
            except (OSError, DevicekitError) as error:
                record = record.replace(problem="The step could not be saved as %s: %s" % (save, error))
    return record


def with_validation(record: NanRecord, replay: Replay, validation: Any) -> NanRecord:
    """Add the parts of the arrays to validate with that are not finite."""
    return _inputs(record, replay, [tuple(validation)]) if isinstance(validation, (list, tuple)) else record


def _usual(replay: Replay, earlier: State, batches: List[Any]) -> Usual:
    """Return what is not finite in the step before, from the state before that, which went well: a mask may be."""
    if len(batches) < 2:
        return NOTHING
    try:
        replay.load(earlier)
        return replay.usual(batches[-2])
    except Exception:  # a model's own code: the bad step itself shows what is the matter
        return NOTHING


def _without_inputs(
    record: NanRecord, replay: Replay, before: State, batch: Any, usual: Usual
) -> Tuple[Any, NanRecord]:
    """Return the batch to look at, and the record without inputs that are not the cause: a loss may mask such values.

    They are not if the step is not finite without them either.
    """
    if not record.inputs:
        return batch, record

    def filled(leaf: Any) -> Any:
        array = _array(leaf, replay)
        if array is None or is_finite(array):
            return leaf
        finite = array[np.isfinite(array)]
        value = np.median(finite) if finite.size else 1.0
        return np.where(np.isfinite(array), array, value).astype(array.dtype)

    try:
        replay.load(before)
        clean = replay.map(filled, batch)
        still = replay.trace(clean, usual=usual).first is not None
    except Exception:  # a model's own code, for which other values may be wrong
        still = False
    return (clean, record.replace(inputs=(), input_rows=())) if still else (batch, record)


def _first_bad(replay: Replay, function: Any, good: State, steps: List[KeptStep]) -> Optional[Tuple[int, List[str]]]:
    """Return the index of the first bad step, and what is not finite after it; None if it went another way before."""
    ignored = set(unfit(good))
    replay.load(good)
    found = None
    for index, step in enumerate(steps):
        finite = loss_is_finite(replay.step(function, step.batch), replay.model)
        if finite != loss_is_finite(step.logs, replay.model):
            return None
        if found is None:
            variables = [name for name in unfit(replay.state(copy=False)) if name not in ignored]
            found = (index, variables) if variables or not finite else None
    return found


def _inputs(record: NanRecord, replay: Replay, batches: List[Any]) -> NanRecord:
    """Add the parts of the last batch that are not finite, if those of the batches before are."""
    counts = []
    rows: Tuple[int, ...] = ()
    earlier = {name for batch in batches[:-1] for name, array in parts(batch, replay) if not is_finite(array)}
    for name, array in parts(batches[-1], replay):
        if name not in earlier and not is_finite(array):
            wrong = ~np.isfinite(array)
            counts.append((name, int(wrong.sum())))
            if array.ndim and not rows:
                rows = tuple(int(row) for row in np.flatnonzero(wrong.reshape(array.shape[0], -1).any(axis=1))[:5])
    return record.replace(inputs=tuple(counts), input_rows=rows)


def _runs(replay: Replay, before: State, batch: Any, device: str, usual: Usual) -> Tuple[NanRun, ...]:
    kinds = [(device, "as trained"), ("cpu", "as trained"), ("cpu", "float64")]
    runs = []
    for where, precision in kinds[device == "cpu" :]:
        on_cpu = where == "cpu" and (device != "cpu" or precision == "float64")
        try:
            replay.load(before)
            traced = replay.trace(batch, on_cpu, precision == "float64", usual)
        except Exception as error:  # a model's own code, in a precision or on a device that it may not know
            runs.append(NanRun(where, precision, problem=first_line(error)))
            continue
        runs.append(NanRun(where, precision, traced.first, traced.largest))
    return tuple(runs)


def nan_weights(state: State) -> List[str]:
    """Return the model's own variables that have a NaN."""
    found = []
    for name, value in zip(state.names, state.values):
        array = as_float(value)
        if array is not None and not name.startswith(("metrics/", "optimizer/")) and np.isnan(array).any():
            found.append(name)
    return found


def learning_rate(state: State, model: Any) -> Optional[float]:
    """Return the learning rate before a step, None if it is not known."""
    named = {name.rpartition("/")[2].partition(":")[0]: value for name, value in zip(state.names, state.values)}
    try:
        if "learning_rate" in named:
            return float(named["learning_rate"])
        optimizer = model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        schedule = getattr(optimizer, "_learning_rate", None)
        if not callable(schedule):
            return float(optimizer.learning_rate)
        # The optimizer's own count of steps is not asked: JAX keeps it elsewhere during a training.
        return float(schedule(named["iteration" if "iteration" in named else "iterations"]))
    except Exception:  # an optimizer of another kind, or a schedule of the user's
        return None


def loss_name(model: Any) -> str:
    """Return the name of a model's loss function."""
    loss = getattr(model, "loss", None)
    name = loss if isinstance(loss, str) else getattr(loss, "__name__", "" if loss is None else type(loss).__name__)
    return str(name)


def parts(batch: Any, replay: Replay, read: Optional[Callable[[Any, Replay], Any]] = None) -> List[Tuple[str, Any]]:
    """Return the arrays of a batch, with their names: ``x``, ``y``, ``sample_weight`` and what is in them.

    ``read`` returns one of them as an array; without it these are the floating-point ones.
    """
    named = _named(batch, "") if isinstance(batch, dict) else []
    if isinstance(batch, (list, tuple)):
        heads = ("x", "y", "sample_weight") if len(batch) <= 3 else [str(number) for number in range(len(batch))]
        named = [item for head, value in zip(heads, batch) for item in _named(value, head)]
    elif not named:
        named = [("x", batch)]
    arrays = [(name, (read or _array)(value, replay)) for name, value in named]
    return [(name, array) for name, array in arrays if array is not None]


def _named(value: Any, name: str) -> List[Tuple[str, Any]]:
    if isinstance(value, dict):
        return [item for key in value for item in _named(value[key], ("%s/%s" % (name, key)).strip("/"))]
    if isinstance(value, (list, tuple)):
        return [item for number, inner in enumerate(value) for item in _named(inner, "%s/%d" % (name, number))]
    return [(name, value)]


def _array(value: Any, replay: Replay) -> Optional[np.ndarray]:
    return as_float(value) if isinstance(value, np.ndarray) else replay.to_array(value)


def _plain(value: Any, replay: Replay) -> Optional[np.ndarray]:
    """Return the values of a tensor of numbers or truth values, None for anything else."""
    array = _array(value, replay)
    if array is None and hasattr(value, "shape"):
        try:
            array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        except (TypeError, ValueError, RuntimeError):  # ragged, sparse
            return None
    return array if array is None or array.dtype.kind in "biufc" else None


def packed(state: State, batch: Any, replay: Replay) -> bytes:
    """Return a ``.npz`` file with the numbers of a batch and the state before the step; nothing is pickled."""
    arrays = {"state/" + name: value for name, value in zip(state.names, state.values)}
    arrays.update(("batch/" + name, value) for name, value in parts(batch, replay, _plain))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in arrays.items():
            plain = as_float(value) if value.dtype.kind not in "biufc" else value
            if plain is not None:
                content = io.BytesIO()
                np.lib.format.write_array(content, np.asanyarray(plain), allow_pickle=False)
                archive.writestr(name.replace(":", "_") + ".npy", content.getvalue())
    return stream.getvalue()
