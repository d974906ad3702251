"""What is concluded from a step that has the first NaN of a training: records, and one change in each."""

import json

import pytest

from devicekit.runtime.frameworks.training import NonFinite
from devicekit.watch import NanRecord, NanReport
from devicekit.watch.nan_causes import finding
from devicekit.watch.training_record import VALIDATION, NanRun

LOG = NonFinite("forward", "log_of_x", "Log", "float32", 0, 8, (3,), 0.0, 1.9)
FINE = NanRun("cpu", "float64", None, 70000.0)
HALF = NonFinite("forward", "large", "Mul", "float16", 0, 2)
KERNEL = NonFinite("update", "net/kernel", "RealDiv", "float16", 2)
WIDE = KERNEL.replace(dtype="float64")

#: log(0) in a layer, on a GPU.
RECORD = NanRecord(
    framework="torch", model="net", device="cuda:0", step=5, epoch=0, batch=5, seen_step=15, variables=("net/kernel",),
    runs=(
        NanRun("cuda:0", "as trained", LOG, 1.9), NanRun("cpu", "as trained", LOG, 1.9),
        NanRun("cpu", "float64", LOG.replace(dtype="float64"), 1.9),
    ),
    norm_start=3.0, norm_before=3.1, learning_rate=0.01,
)  # fmt: skip


def with_runs(*firsts, largest=2.0, **changes):
    runs = [run.replace(first=first, largest=largest) for run, first in zip(RECORD.runs, firsts)]
    return RECORD.replace(runs=tuple(runs), **changes)


CAUSES = {
    "log-of-zero": ("operation-undefined", RECORD),
    "gradient-of-a-root": (
        "operation-undefined",
        with_runs(*[NonFinite("gradient", "norm", "SqrtGrad", "float32", 3)] * 3),
    ),
    "loaded-nan": ("weights-not-finite", RECORD.replace(start=("net/kernel",))),
    "nan-in-the-data": ("input-not-finite", RECORD.replace(inputs=(("x/age", 2),), input_rows=(3, 7))),
    "grown-weights": ("values-exploded", RECORD.replace(norm_before=4e9)),
    "beyond-float32": ("values-exploded", with_runs(LOG, LOG, None, largest=1e45)),
    "large-exponential": (
        "values-exploded",
        with_runs(*[NonFinite("forward", "e", "Exp", "float32", 0, 4)] * 3, largest=1e3),
    ),
    "large-update": ("values-exploded", with_runs(None, None, None, largest=1e22)),
    "float16": ("precision-too-low", with_runs(HALF, HALF, None)),
    "float32-underflow": ("precision-too-low", with_runs(LOG, LOG, None)),
    "float16-weight": ("precision-too-low", with_runs(KERNEL, KERNEL, None)),
    "float16-on-the-cpu-just-fits": ("precision-too-low", with_runs(HALF, None, None, largest=65536.0)),
    "float16-of-the-program": ("precision-too-low", with_runs(HALF, HALF, HALF)),
    "float16-before-an-update": ("precision-too-low", with_runs(HALF, HALF, WIDE)),
    "float16-and-a-large-step": ("values-exploded", with_runs(KERNEL, KERNEL, None, learning_rate=100.0)),
    "float32-of-the-program": ("values-exploded", with_runs(*[LOG.replace(operation="Mul")] * 3)),
    "only-the-device-in-float16": ("numerics-divergent", with_runs(HALF, None, None, largest=60000.0)),
    "only-the-device": ("numerics-divergent", with_runs(LOG, None, None)),
    "optimizer-without-epsilon": ("operation-undefined", with_runs(KERNEL, KERNEL, WIDE)),
    "validation-data": ("input-not-finite", NanRecord("jax", seen_in=VALIDATION, inputs=(("x", 1),), input_rows=(3,))),
    # What is not known is not named.
    "not-repeated": ("cause-unknown", NanRecord("jax", problem="The batches do not fit.")),
    "no-float64": ("cause-unknown", RECORD.replace(runs=RECORD.runs[:2])),
    "no-cpu": ("cause-unknown", RECORD.replace(runs=(RECORD.runs[0], FINE))),
    "cpu-fails": (
        "cause-unknown",
        RECORD.replace(runs=(RECORD.runs[0], NanRun("cpu", "as trained", problem="ValueError: x"), FINE)),
    ),
    "finite-when-eager": ("cause-unknown", with_runs(None, None, None, variables=())),
    "float16-log-of-the-program": ("cause-unknown", with_runs(*[LOG.replace(dtype="float16")] * 3)),
    "optimizer-in-float64-too": ("cause-unknown", with_runs(KERNEL, KERNEL, WIDE.replace(operation="Mul"))),
    "validation-alone": ("cause-unknown", NanRecord("jax", seen_in=VALIDATION, seen_step=9)),
    "float32-weight": ("cause-unknown", with_runs(*[KERNEL.replace(dtype="float32")] * 2, None)),
    "update-alone": ("cause-unknown", with_runs(None, None, None)),
}


@pytest.mark.parametrize("name", sorted(CAUSES))
def test_the_cause(name):
    code, record = CAUSES[name]
    found = finding(record)
    assert found.code == code
    assert found.fix
    assert record.step is None or "step 5 (epoch 0, batch 5)" in found.summary


@pytest.mark.parametrize("name", sorted(CAUSES))
def test_a_record_is_judged_again_after_json(name):
    code, record = CAUSES[name]
    data = json.loads(json.dumps(NanReport.of(record).to_dict(), allow_nan=False))
    again = NanRecord.from_dict(data["record"])
    assert again == record
    assert NanReport.of(again).findings[0].code == code


def test_on_the_cpu_float32_that_is_too_coarse_is_no_fault_of_a_device():
    runs = (NanRun("cpu", "as trained", LOG, 1.9), FINE)
    assert finding(RECORD.replace(device="cpu", runs=runs)).code == "precision-too-low"


def test_a_value_beyond_float16_is_named():
    found = finding(with_runs(HALF, HALF, None, largest=1.12e7))
    assert found.summary.endswith("The largest value in float64 is 1.12e+07. float16 holds at most 65504.")
    assert found.fix[0].command == 'Layer(..., dtype="float32")'
    coarse = HALF.replace(dtype="bfloat16")
    assert "bfloat16" not in finding(with_runs(coarse, coarse, None)).fix[0].text  # it is that already


def test_weights_in_float16_are_kept_in_float32():
    found = finding(with_runs(KERNEL, KERNEL, None))
    assert found.fix[0].command == 'keras.mixed_precision.set_global_policy("mixed_float16")'


@pytest.mark.parametrize(
    "operation, words",
    [
        ("RealDiv", "ops.divide("),
        ("reciprocal", "ops.reciprocal("),
        ("rsqrt", "ops.sqrt("),
        ("gather", "input_dim"),
        ("", "-1e9"),
        ("convert_element_type", "-1e9"),
    ],
)
def test_a_division_is_not_advised_for_what_is_none(operation, words):
    first = LOG.replace(operation=operation, nans=2, infinities=0)
    found = finding(with_runs(first, first, first.replace(dtype="float64")))
    assert found.code == "operation-undefined"
    assert words in found.fix[0].command


def test_a_report_shows_itself():
    report = NanReport.of(RECORD.replace(model="<b>\x1b[31m", saved="step.npz"))
    text = " ".join(str(report).split())
    assert 'in step 5 (epoch 0, batch 5), in the output of layer "log_of_x" (operation Log).' in text
    assert "from inputs of 0 to 1.9, example 3 of the batch" in text
    assert "ops.log(ops.maximum(x, 1e-7))" in text
    assert "step.npz" in text
    assert "\x1b" not in str(report)
    page = report._repr_html_()
    assert "operation-undefined" in page
    assert "<b>" not in page
