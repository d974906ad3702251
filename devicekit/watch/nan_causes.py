"""Why a training has a NaN: one finding from a `NanRecord`. Pure."""

from typing import Any, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence, Finding, Fix
from ..runtime.frameworks.training import NonFinite
from .training_record import VALIDATION, NanRecord, NanRun

_FLOAT32_MAX = 3.4e38

#: The norm of the weights is this many times what it was: they grow without limit.
_GROWTH = 1000.0

_HALF = ("float16", "bfloat16")

#: Parts of the names of operations that are not defined for some values.
_UNDEFINED = ("log", "sqrt", "pow", "div", "recip")


def finding(record: NanRecord) -> Finding:
    """Return the cause of the first NaN; ``cause-unknown`` if it was not found."""
    code, cause, fixes = _cause(record)
    summary = "%s %s" % (where(record), cause)
    return Finding(code, "error", summary, tuple(_evidence(record)), tuple(fixes))


def where(record: NanRecord) -> str:
    """Return a sentence with the step and what has the first NaN."""
    if record.step is None:
        return "NaN or infinity in the %s, seen after step %d." % (record.seen_in, record.seen_step)
    place = "step %d (epoch %s, batch %s)" % (record.step, record.epoch, record.batch)
    first = first_of(record)
    if record.inputs or first is None:
        return "The first NaN or infinity is in the %s of %s." % ("input" if record.inputs else record.seen_in, place)
    return "The first NaN or infinity is in %s, in %s." % (place, described(first))


def described(first: NonFinite) -> str:
    """Return what has it, in words: ``the gradient of layer "dense"``."""
    layer = first.name if first.name.startswith("the ") else 'layer "%s"' % first.name
    text = {
        "forward": "the output of %s" % layer,
        "input": "the input of %s" % layer,
        "gradient": "the gradient of %s" % layer,
        "update": 'the update of "%s"' % first.name,
    }.get(first.phase, first.name)
    return text + (" (operation %s)" % first.operation if first.operation else "")


def first_of(record: NanRecord) -> Optional[NonFinite]:
    """Return what is not finite first in the step as it was trained."""
    run = record.run("as trained")
    if run is not None and run.first is not None:
        return run.first
    if run is not None and record.variables:
        return NonFinite("update", record.variables[0])
    return None


def _cause(record: NanRecord) -> Tuple[str, str, List[Fix]]:
    first = first_of(record)
    if record.start:
        text = "The weights had it before: %s." % ", ".join(record.start[:3])
        return (
            "weights-not-finite",
            text,
            [_code("Look at where the weights come from: a checkpoint, or an initializer.")],
        )
    if record.inputs:
        text = "The %s has it: %s." % (_data(record), ", ".join(name for name, _ in record.inputs))
        return "input-not-finite", text, _INPUT
    if record.seen_in == VALIDATION:
        return "cause-unknown", "The training is finite.", _VALIDATED
    if record.step is None or first is None:
        failed = next((run.problem for run in record.runs if run.problem), "")
        unseen = "The step could not be run eagerly: %s" % failed if failed else "It is finite when it is run eagerly."
        return "cause-unknown", record.problem or unseen, _UNKNOWN
    double = record.run("float64")
    if first.phase == "update":
        return _update(record, first, double)
    still: Any = getattr(double, "first", None)
    if still and still.phase == "update":  # that comes later
        still = None
    # The operation in a type of the program's own whose result is too large for it.
    narrow = still.dtype if still and not any(part in still.operation.lower() for part in _UNDEFINED) else ""
    if grown(record) or narrow == "float32" or (double is not None and double.largest > _FLOAT32_MAX):
        return "values-exploded", "Activations, gradients or weights are beyond what %s holds." % first.dtype, _EXPLODED
    if double is None or (still and still.dtype in _HALF and not narrow):
        return "cause-unknown", "The step could not be repeated in float64.", _UNKNOWN
    if still and narrow not in _HALF:
        return _undefined(still)
    return _device_or_precision(record, first, double)


def _data(record: NanRecord) -> str:
    return "validation data" if record.seen_in == VALIDATION else "batch"


def grown(record: NanRecord) -> bool:
    """Return whether the weights are far larger than when the training began."""
    before, start = record.norm_before, record.norm_start
    return before is not None and start is not None and before > _GROWTH * max(start, 1.0)


def _update(record: NanRecord, first: NonFinite, double: Optional[NanRun]) -> Tuple[str, str, List[Fix]]:
    rate, half = record.learning_rate or 1.0, first.dtype in _HALF
    if (half and rate > 1) or any(run.largest * rate > _FLOAT32_MAX**0.5 for run in record.runs) or grown(record):
        return "values-exploded", "The step itself is too large.", _EXPLODED
    if half and double is not None and double.first is None:
        return _device_or_precision(record, first, double)
    still: Any = getattr(double, "first", None)
    if still and still.phase == "update" and any(part in still.operation.lower() for part in _UNDEFINED):
        text = "Loss and gradients are finite. The optimizer makes it, in float64 too: for these values its %s is not defined."
        return "operation-undefined", text % still.operation, _OPTIMIZER
    return "cause-unknown", "Loss and gradients are finite: the optimizer makes it.", _UNKNOWN


def _undefined(first: NonFinite) -> Tuple[str, str, List[Fix]]:
    if "exp" in first.operation.lower() and not first.nans:
        return "values-exploded", "The exponential is too large even for float64.", _EXPLODED
    kind = "its derivative" if first.phase == "gradient" else "it"
    text = "The CPU has it in float64 too: for these values %s is not defined." % kind
    how, name = "Keep the operation away from these values", first.operation.lower()
    # The operation of a derivative is another than that of the program: of sqrt a division.
    if first.phase == "gradient":
        return "operation-undefined", text, [_code(how + ": add a small number in sqrt, log and powers.")]
    safe = [_code(how + ", for example", command) for part, command in _SAFE if part in name]
    return "operation-undefined", text, safe[:1] or (_INDEX if "gather" in name or "take" in name else _LAYER)


def _device_or_precision(record: NanRecord, first: NonFinite, double: NanRun) -> Tuple[str, str, List[Fix]]:
    beyond = first.dtype == "float16" and double.largest > 65504
    limit = "The largest value in float64 is %.3g." % double.largest
    if record.device != "cpu" and not beyond:
        same = record.run("as trained", "cpu")
        if same is None:
            return "cause-unknown", limit, _UNKNOWN
        if same.first is None:
            return "numerics-divergent", "The CPU does not have it in the same precision.", _DEVICE
    text = "float16 holds at most 65504." if beyond else "%s cannot hold what it needs." % first.dtype
    return "precision-too-low", "%s %s" % (limit, text), _precision(first) + _EXPLODED[1:] * beyond


def _evidence(record: NanRecord) -> List[Evidence]:
    found = []
    for name, count in record.inputs:
        which = _examples(", %s", record.input_rows)
        found.append(Evidence("%s: values that are not finite: %d%s" % (name, count, which), _data(record)))
    for run in record.runs:
        text = run.problem and "could not be repeated: %s" % run.problem
        text = text or (_values(run.first) if run.first is not None else "everything is finite")
        found.append(
            Evidence("%s (largest magnitude %.3g)" % (text, run.largest), "%s, %s" % (run.device, run.precision))
        )
    if record.variables:
        found.append(Evidence("not finite after the step: %s" % ", ".join(record.variables[:5]), "weights"))
    if record.norm_before is not None and record.norm_start is not None:
        text = "norm of the weights %.3g, at the start %.3g" % (record.norm_before, record.norm_start)
        rate = "" if record.learning_rate is None else "; learning rate %.3g" % record.learning_rate
        found.append(Evidence(text + rate, "state before the step"))
    if record.problem and record.step is not None:
        found.append(Evidence(record.problem, "NanGuard"))
    if record.saved:
        found.append(Evidence("batch and state before the step are saved", record.saved))
    return found


def _values(first: NonFinite) -> str:
    text = "%s: %d NaN and %d infinite in %s" % (described(first), first.nans, first.infinities, first.dtype)
    if first.low is not None:
        text += ", from inputs of %.6g to %.6g" % (first.low, first.high or 0.0)
    return text + _examples(", %s of the batch", first.rows)


def _examples(text: str, rows: Sequence[int]) -> str:
    """Return a text with which examples of the batch it is about, "" if that is not known."""
    numbers = ", ".join(map(str, rows))
    return text % (("example %s" if len(rows) == 1 else "examples %s") % numbers) if rows else ""


def _precision(first: NonFinite) -> List[Fix]:
    if first.dtype in _HALF and first.phase == "update":
        policy = 'keras.mixed_precision.set_global_policy("mixed_%s")'
        return [_code("Build the model with weights in float32", policy % first.dtype)]
    if first.dtype in _HALF:
        text = "Compute this layer, for the loss the last one, in float32"
        text += ", or in bfloat16, which has float32's range" * (first.dtype == "float16")
        return [_code(text, 'Layer(..., dtype="float32")')]
    return [_code("Use a form that does not lose small or large numbers: from_logits=True, log_softmax, logsumexp.")]


def _code(text: str, command: Optional[str] = None) -> Fix:
    return Fix(text, command, (("python", command),) if command else (), changes="code")


#: What keeps an operation away from the values for which it is not defined, by a part of its name.
_SAFE = (
    ("log", "ops.log(ops.maximum(x, 1e-7))"), ("sqrt", "ops.sqrt(ops.maximum(x, 1e-12))"),
    ("pow", "ops.power(ops.maximum(x, 1e-7), exponent)"), ("div", "ops.divide(x, ops.maximum(y, 1e-7))"),
    ("recip", "ops.reciprocal(ops.maximum(x, 1e-7))"),
)  # fmt: skip
_INDEX = [_code("Look for indices beyond the table, which JAX fills with NaN", "assert x.max() < embedding.input_dim")]
_LAYER = [
    _code("Look at what the layer does with these values. A mask of minus infinity that leaves nothing of an example is NaN "
          "after a softmax: use a large negative number", "ops.where(mask, scores, -1e9)"),
]  # fmt: skip

_INPUT = [_code("Find such examples before the training, and drop or fill them", "x[~np.isfinite(x)]")]
_EXPLODED = [
    _code(
        "Lower the learning rate, by a factor of 10 first, and clip gradients",
        "keras.optimizers.Adam(1e-4, clipnorm=1.0)",
    ),
    _code("Scale inputs and targets to about -1 to 1."),
]
_DEVICE = [Fix("See where the device differs from the CPU", "devicekit verify --numerics")]
_OPTIMIZER = [
    _code("Give the optimizer an epsilon above zero, which it divides by where a gradient is zero",
          "keras.optimizers.Adam(epsilon=1e-7)"),
    _code("Look at a constraint of this variable, and at a learning-rate schedule of your own at this step"),
]  # fmt: skip
_VALIDATED = [
    _code("Evaluate the training data: if that is finite, look for such values in the validation data; if not, at what a "
          "layer does outside of training, such as BatchNormalization", "model.evaluate(x, y)"),
]  # fmt: skip
_UNKNOWN = [_code("Look at each step by itself", "model.compile(..., run_eagerly=True); NanGuard(every=1)")]
