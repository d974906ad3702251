"""The report of a comparison: worst first, aligned, and within the terminal's width."""

import json

import pytest

from devicekit.diagnosis.findings import Evidence, Finding, Fix
from devicekit.measure.numerics.result import VERDICTS, Comparison, Difference, Divergence, Measure
from devicekit.report.comparison import comparison_report_text, comparison_text, described, headline, rest_of
from devicekit.report.terminal import Style

INF = float("inf")


def measure(largest=1e-7, tolerance=1e-6, **more):
    values = {"dtype": "float32", "shape": (3,), "max_relative_error": largest, "mean_relative_error": largest / 3}
    values.update({"max_ulp": largest * 1.7e7, "cosine": 0.999999, "nonfinite": 0, "tolerance": tolerance})
    return Measure(**dict(values, **more))


def difference(verdict="agrees", name="dense_1", what="output", device="gpu:0", found=None, **more):
    names = {"kind": "layer", "operation": "Dense", "framework": "tensorflow"}
    return Difference(name=name, what=what, device=device, verdict=verdict, measure=found, **dict(names, **more))


DIFFERENCES = (
    difference(found=measure(5e-7)),
    difference("reduced-precision", "conv", found=measure(5e-4), detail="like TF32", operation="Conv2D"),
    difference("differs", "block_1/attention/query", "gradient of kernel", found=measure(0.2), detail="wrong sign"),
    difference("differs", "norm", found=measure(INF, nonfinite=3, max_ulp=INF), detail="NaN in 3 elements"),
    difference("failed", "sort", detail="InvalidArgumentError: no kernel\x1b[31m"),
    difference("unsupported", "fft", ran_on="/device:CPU:0"),
)
TRAINING = Divergence(
    "adam",
    "gpu:0",
    "tensorflow",
    (2.0, 1.5),
    (2.0, 1.0),
    (1e-3, 1e-2),
    (1e-7, 1e-6),
    (0.1, 0.2),
    "differs",
    1,
    "far off",
)
FINDING = Finding("numerics-divergent", "error", "norm is wrong.", (Evidence("NaN", "measured"),), (Fix("Update"),))


def comparison(differences=DIFFERENCES, divergences=(TRAINING,), findings=(FINDING,)):
    return Comparison(
        "cpu in float64 with tensorflow", ("gpu:0",), tuple(differences), divergences, findings, "my_model", 3, 12.34
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_it_fits_the_terminal(width):
    text = comparison_text(comparison(), Style(width))
    for line in text.splitlines():
        assert len(line) <= width, line
    assert "\x1b" not in text
    for words in (
        "my_model",
        "wrong sign",
        "NaN in 3",
        "like TF32",
        "ran on",
        "/device:CPU:0",
        "far off",
        "norm is wrong.",
    ):
        assert words in text


def test_the_worst_comes_first():
    lines = comparison_text(comparison(), Style(110)).splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("  ") and line.split()[0] in VERDICTS]
    assert shown[:6] == ["differs", "differs", "failed", "unsupported", "reduced-precision", "agrees"]
    assert lines.index(next(line for line in lines if "norm output" in line)) < lines.index(
        next(line for line in lines if "query gradient" in line)
    )


def test_figures_are_in_columns():
    lines = comparison_text(comparison(), Style(120)).splitlines()
    head = next(line for line in lines if "cosine" in line)
    rows = [line for line in lines if line.strip().partition(" ")[0] in VERDICTS and "e-0" in line]
    assert rows
    assert {len(line) for line in rows} == {len(head)}


def test_all_that_is_wrong_is_shown_and_the_rest_is_counted():
    many = [difference(name="layer_%d" % number, found=measure()) for number in range(100)]
    text = comparison_text(comparison(many, (), ()), Style(100))
    assert "and 80 more, none of them worse" in text
    assert "agrees 100" in text
    wrong = [difference("differs", "wrong_%d" % number, found=measure(1.0)) for number in range(50)]
    text = comparison_text(comparison(many + wrong, (), ()), Style(100))
    assert all("wrong_%d " % number in text for number in range(50))
    assert "layer_1" not in text


def test_colors_are_optional():
    assert "\033[31;1m" in comparison_text(comparison(), Style(100, color=True))
    assert "\033" not in comparison_text(comparison(), Style(100))


def test_where_all_agrees_it_says_how_much_was_compared():
    fine = comparison(DIFFERENCES[:2], (), ())
    text = " ".join(comparison_text(fine, Style(100)).split())
    assert "gpu:0 agrees with the reference (2 compared, 1 with reduced precision)." in text
    text = " ".join(comparison_text(comparison(), Style(100)).split())
    assert "The kernel gradient of block_1/attention/query (Dense) on gpu:0 has the wrong sign; " in text
    assert "also wrong: 1 other layer" in text
    assert "othing was compared" in comparison_text(comparison((), (), ()), Style(100))
    assert fine.agrees
    assert not comparison().agrees


def test_print_shows_the_whole_report():
    text = str(comparison())
    assert text == comparison_report_text(comparison())
    for words in ("norm is wrong.", "Training on gpu:0", "wrong sign", "What helps: Update."):
        assert words in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"detail": "the right result times 100"},
            "the filter gradient of conv (Conv2D) on gpu:0 is the right one times 100",
        ),
        ({"detail": "zeros, only in 61..63 of axis 1, the last 3 of 64"}, "is zero"),
        ({"detail": "wrong only in 3 of axis 0, the last 1 of 4"}, "is wrong only in 3 of axis 0, the last 1 of 4"),
        ({"detail": "shifted by +1 along axis 1; in training"}, "is shifted by +1 along axis 1"),
        ({"detail": "stale: equal to an input or earlier result (number 0), so that"}, "is stale"),
        ({"detail": "NaN in 3 elements"}, "has NaN in 3 elements"),
        ({"detail": "clipped at 65504"}, "is clipped at 65504"),
        ({"detail": "axes 0 and 1 transposed"}, "has axes 0 and 1 transposed"),
        ({"found": measure(2e-3)}, "is wrong by up to 2.0e-03 of its size, where rounding explains 1.0e-06"),
        ({"found": measure(INF, nonfinite=3)}, "is not finite in 3 elements"),
        (
            {"what": "gradient of input 0", "detail": "wrong sign"},
            "the gradient of input 0 of conv (Conv2D) on gpu:0 has",
        ),
        ({"what": "output, call 2", "detail": "zeros"}, "the output (call 2) of conv (Conv2D)"),
        (
            {"kind": "model", "name": "net", "what": "loss", "detail": "zeros"},
            "the loss of the whole model on gpu:0 is zero",
        ),
    ],
)
def test_what_is_wrong_is_said_in_words(changes, words):
    given = {"name": "first", "operation": "Conv2D", "what": "gradient of kernel", "kind": "gradient"}
    assert words.replace("of conv ", "of first ") in described(difference("differs", **dict(given, **changes)))


def test_a_device_that_agrees_is_not_accused():
    rows = [difference(device="cpu", found=measure()) for _ in range(57)]
    rows.append(
        difference("differs", "conv", "gradient of kernel", operation="Conv2D", detail="the right result times 100")
    )
    found = comparison(rows, (), ()).replace(devices=("cpu", "gpu:0"))
    assert headline(found) == "The filter gradient of conv (Conv2D) on gpu:0 is the right one times 100"
    assert rest_of(found) == "cpu agrees in all 57 comparisons."
    assert "cpu" not in headline(found)
    both = comparison(rows[:57], (), ()).replace(devices=("cpu", "gpu:0"))
    assert headline(both) == "cpu and gpu:0 agree with the reference"


def test_training_alone_is_named_as_such():
    found = comparison((difference(found=measure()),), (TRAINING,))
    assert (
        headline(found) == "Training with adam on gpu:0 leaves the CPU's path at step 1, though each layer alone agrees"
    )
    missing = comparison((difference(found=measure()),), (TRAINING.replace(verdict="unsupported"),), ())
    assert headline(missing) == "Training with adam needs an operation that gpu:0 does not have"


def test_an_empty_comparison_has_a_report():
    assert "othing was compared" in comparison_text(Comparison("cpu", ()), Style(80))


def test_it_is_json():
    data = json.loads(json.dumps(comparison().to_dict(), allow_nan=False))
    assert data["differences"][3]["measure"]["max_ulp"] == "inf"
    assert data["agrees"] is False
