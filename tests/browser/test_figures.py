"""Figures: what is drawn, that the user's own matplotlib stays as it is, and that hostile names are text in them."""

import re
import sys
from io import BytesIO
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure
from measurements import HOSTILE, benchmark, comparison, tuning

from devicekit.report.figures.divergence import divergence_panels
from devicekit.report.figures.drawing import figure, shortened
from devicekit.report.figures.errors import error_panels
from devicekit.report.figures.svg import CLASSES, inline_svg
from devicekit.report.figures.throughput import gain_panels, throughput_panels
from devicekit.report.figures.training import training_panels
from devicekit.watch import MonitorReport, TrainingRecord
from devicekit.watch.training_record import GpuSample, StepSample, StepWindow

#: Three seconds on two GPUs, of which one does not report its memory.
TRAINING = TrainingRecord(
    "tensorflow", steps=100, windows=tuple(StepWindow(float(n), 10, 1.0 + 0.1 * n) for n in range(3)),
    samples=(StepSample(5, 0.5, 0.04, 0.05), StepSample(15, 1.5, None, 0.05)),
    gpus=tuple(
        GpuSample(float(n), index, 20 + n, None if index else 3 * 2**30, 4 * 2**30) for n in range(3) for index in (0, 1)
    ),
)  # fmt: skip


def words(drawn):
    found = [text.get_text() for text in drawn.texts]
    for axes in drawn.axes:
        found += [text.get_text() for text in axes.texts] + [axes.get_xlabel(), axes.get_ylabel()]
        found += [text.get_text() for text in axes.get_yticklabels()]
    return [text for text in found if text]


@pytest.mark.parametrize("width", [4.6, 10.0])
@pytest.mark.parametrize(
    "panels, result",
    [
        (throughput_panels, benchmark()),
        (error_panels, comparison()),
        (divergence_panels, comparison()),
        (gain_panels, tuning()),
        (training_panels, TRAINING),
    ],
    ids=["throughput", "errors", "divergence", "gains", "training"],
)
def test_a_figure_fits_its_frame(panels, result, width):
    drawn = figure(panels(result, width), width)
    assert isinstance(drawn, Figure)
    assert drawn.get_size_inches()[0] == width
    drawn.canvas.draw()
    frame = drawn.bbox
    for axes in drawn.axes:
        box = axes.get_tightbbox(drawn.canvas.get_renderer())
        assert box.x0 >= frame.x0 - 3
        assert box.x1 <= frame.x1 + 6
        assert box.y0 >= frame.y0 - 3


def test_throughput_labels_what_differs_and_shows_the_interval():
    drawn = figure(throughput_panels(benchmark(), 10.0), 10.0)
    texts = words(drawn)
    assert "gpu:0, mixed\\_float16, XLA" in texts or "gpu:0, mixed_float16, XLA" in texts
    assert "409.9" in texts, texts
    assert "images per second" in texts
    assert "95 % confidence interval" in [text.get_text() for text in drawn.legends[0].get_texts()]
    assert any("no memory" in text for text in texts)
    rates = [patch.get_width() for patch in drawn.axes[0].patches]
    assert rates == [row.per_second for row in benchmark().rows[:3]]


def test_errors_are_drawn_with_their_tolerance():
    found = comparison()
    drawn = figure(error_panels(found, 10.0), 10.0)
    (axes,) = drawn.axes
    assert axes.get_xscale() == "log"
    values = [value for line in axes.lines for value in line.get_xdata()]
    for item in found.differences:
        if item.measure is not None and 0 < item.measure.max_relative_error < 1:
            assert item.measure.max_relative_error in values
            assert item.measure.tolerance in values
    texts = words(drawn)
    assert "outside the tolerance" in [text.get_text() for text in drawn.legends[0].get_texts()]
    assert any("no kernel, ran on cpu" in text for text in texts)
    assert any("3 not finite" in text for text in texts)


def test_divergence_is_drawn_with_its_controls():
    found = comparison()
    drawn = figure(divergence_panels(found, 10.0), 10.0)
    assert len(drawn.axes) == 2
    for axes, item in zip(drawn.axes, found.divergences):
        assert axes.get_yscale() == "log"
        assert list(axes.lines[0].get_ydata()) == list(item.weights)
        assert len(axes.lines) == (4 if item.first_step else 3)
        assert "step" in (axes.get_xlabel(), axes.get_ylabel())
    assert any("from step 4" in text for text in words(drawn))


def test_of_many_layers_the_worst_are_drawn_in_order():
    drawn = figure(error_panels(comparison(layers=200), 10.0), 10.0)
    names = [text.get_text() for text in drawn.axes[0].get_yticklabels()]
    assert len(names) == 48
    assert any("199" in name for name in names)
    assert any("the worst 48 of" in text for text in words(drawn))


def test_the_gain_of_each_option_is_a_bar():
    drawn = figure(gain_panels(tuning(), 10.0), 10.0)
    texts = words(drawn)
    assert {"1.31", "0.87", "1.83", "not measured"} <= set(texts)


def test_a_training_over_time():
    drawn = figure(training_panels(TRAINING, 10.0), 10.0)
    steps, gpus = drawn.axes
    assert [[round(value) for value in line.get_ydata()] for line in steps.lines] == [[100, 110, 120], [40]]
    assert [list(line.get_ydata()) for line in gpus.lines] == [[20, 21, 22], [75, 75, 75], [20, 21, 22]]
    texts = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
    assert texts[:2] == ["whole step", "waiting for data, in synchronized steps"]
    assert texts[2:] == ["GPU 0: utilization", "GPU 0: memory", "GPU 1: utilization"]
    waits = TRAINING.replace(windows=(StepWindow(0.0, 10, 1.0, 0.3),), gpus=())
    (only,) = figure(training_panels(waits, 4.6), 4.6).axes
    assert [round(line.get_ydata()[0]) for line in only.lines] == [100, 30]
    assert training_panels(TrainingRecord("jax"), 10.0) == ()


def test_a_long_training_is_a_short_drawing():
    gpus = tuple(TRAINING.gpus[0].replace(at_s=float(n)) for n in range(4000))
    drawn = figure(training_panels(TRAINING.replace(gpus=gpus), 10.0), 10.0)
    assert max(len(line.get_xdata()) for axes in drawn.axes for line in axes.lines) <= 300


def test_a_notebook_shows_a_training_with_colors_of_its_own():
    html = MonitorReport.of(TRAINING)._repr_html_()
    assert html.count("<svg") == 2
    for number, svg in enumerate(re.findall("<svg.*?</svg>", html)):
        root = ElementTree.fromstring(svg)
        assert not [item for item in root.iter() if "class" in item.attrib or "style" in item.attrib]
        assert ("#3b8bc8" in svg, "#d9691e" in svg, "currentColor" in svg) == (True, True, True), number
    names = re.findall(r'\bid="([^"]+)"', html)
    assert len(names) == len(set(names)) > 4


def test_a_notebook_without_matplotlib_shows_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    html = MonitorReport.of(TRAINING)._repr_html_()
    assert "<svg" not in html
    assert "Steps over time" in html


def test_the_settings_of_matplotlib_do_not_change(run_json):
    found = run_json(
        "import json, sys, matplotlib\n"
        "matplotlib.rcParams['font.size'] = 7\n"
        "def settings():\n"
        "    rc = matplotlib.rcParams\n"
        "    return {name: repr(dict.__getitem__(rc, name)) for name in rc}  # asking for the back-end would choose one\n"
        "before = settings()\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import measurements\n"
        "from devicekit.report.figures.drawing import figure\n"
        "from devicekit.report.figures.throughput import throughput_panels\n"
        "figure = figure(throughput_panels(measurements.benchmark(), 10.0), 10.0)\n"
        "figure.savefig('plot.svg'); figure.savefig('plot.png')\n"
        "print(json.dumps([before == settings(), 'matplotlib.pyplot' in sys.modules]))",
        __file__.rpartition("browser")[0],
        flags=["-W", "error"],
    )
    assert found == [True, False]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_text(text):
    drawn = figure(throughput_panels(benchmark(text), 20.0), 20.0)
    svg = inline_svg(drawn, "figure", "Title " + text, "Description " + text)
    root = ElementTree.fromstring(svg)
    tags = {element.tag for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "g", "path", "text", "tspan", "defs", "use", "clipPath", "rect"}
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    assert all(element.get("href", "#").startswith("#figure-") for element in root.iter("use"))
    if "$" in text:
        assert any(text in (element.text or "") for element in root.iter("text"))


def test_colors_are_classes_of_the_page():
    svg = inline_svg(figure(error_panels(comparison(), 10.0), 10.0), "figure", "t", "d")
    assert not re.search(r'(fill|stroke)="(?!none)', svg)
    classes = {name for group in re.findall(r'class="([^"]*)"', svg) for name in group.split()}
    assert {"f-ink", "s-faint", "s-blue"} <= classes
    assert classes <= {"%s-%s" % (kind, name) for kind in "fs" for name in CLASSES.values()}
    # The same twice: a page can be compared with an earlier one.
    assert svg == inline_svg(figure(error_panels(comparison(), 10.0), 10.0), "figure", "t", "d")


def test_numbers_have_significant_digits():
    assert shortened("encoder/block_2/attention", 15) == "encode…ttention"


def test_a_figure_is_written_in_every_format():
    drawn = figure(gain_panels(tuning(HOSTILE[0]), 10.0), 10.0)
    for form in ("svg", "png", "pdf"):
        stream = BytesIO()
        drawn.savefig(stream, format=form)
        assert len(stream.getvalue()) > 1000
    assert matplotlib.rcParams["font.size"] == 10.0
