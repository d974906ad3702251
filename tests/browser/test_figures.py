"""Figures: what is drawn, that the user's own matplotlib stays as it is, and that hostile names are text in them."""

import re
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
    ],
    ids=["throughput", "errors", "divergence", "gains"],
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
