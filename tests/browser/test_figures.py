"""Figures: what is drawn, that the user's own matplotlib stays as it is, and that hostile names are text in them."""

import re
from io import BytesIO
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure
from measurements import HOSTILE, benchmark, comparison, tuning

import devicekit
from devicekit.report.figures.drawing import measured, shortened
from devicekit.report.figures.svg import CLASSES, inline_svg


def words(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts] + [axes.get_xlabel(), axes.get_ylabel()]
        found += [text.get_text() for text in axes.get_yticklabels()]
    return [text for text in found if text]


@pytest.mark.parametrize("width", [4.6, 10.0])
@pytest.mark.parametrize("result", [benchmark(), comparison(), tuning()], ids=["bench", "comparison", "tuning"])
def test_a_figure_fits_its_frame(result, width):
    figure = devicekit.plot(result, width=width)
    assert isinstance(figure, Figure)
    assert figure.get_size_inches()[0] == width
    figure.canvas.draw()
    frame = figure.bbox
    for axes in figure.axes:
        box = axes.get_tightbbox(figure.canvas.get_renderer())
        assert box.x0 >= frame.x0 - 3
        assert box.x1 <= frame.x1 + 6
        assert box.y0 >= frame.y0 - 3
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_throughput_names_what_differs_and_tells_the_uncertainty():
    figure = devicekit.plot(benchmark())
    said = words(figure)
    assert "gpu:0, mixed\\_float16, XLA" in said or "gpu:0, mixed_float16, XLA" in said
    assert any(re.match(r"410 ± \d|409 ± \d|41\d ± \d", text) for text in said), said
    assert "images per second (mean ± standard error)" in said
    assert any("no memory" in text for text in said)
    rates = [patch.get_width() for patch in figure.axes[0].patches]
    assert rates == [row.per_second for row in benchmark().rows[:3]]


def test_errors_stand_beside_their_tolerance():
    found = comparison()
    figure = devicekit.plot(found, "errors")
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    drawn = [value for line in axes.lines for value in line.get_xdata()]
    for item in found.differences:
        if item.measure is not None and 0 < item.measure.max_relative_error < 1:
            assert item.measure.max_relative_error in drawn
            assert item.measure.tolerance in drawn
    said = words(figure)
    assert "outside the tolerance" in [text.get_text() for text in figure.legends[0].get_texts()]
    assert any("no kernel, ran on cpu" in text for text in said)
    assert any("3 not finite" in text for text in said)


def test_divergence_has_its_controls():
    found = comparison()
    figure = devicekit.plot(found, "divergence")
    assert len(figure.axes) == 2
    for axes, item in zip(figure.axes, found.divergences):
        assert axes.get_yscale() == "log"
        assert list(axes.lines[0].get_ydata()) == list(item.weights)
        assert len(axes.lines) == (4 if item.first_step else 3)
        assert "step" in (axes.get_xlabel(), axes.get_ylabel())
    assert any("from step 4" in text for text in words(figure))


def test_many_layers_are_the_worst_in_their_order():
    figure = devicekit.plot(comparison(layers=200), "errors")
    names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert len(names) == 48
    assert any("199" in name for name in names)
    assert any("the worst 48 of" in text for text in words(figure))


def test_the_gain_of_each_option_is_a_bar():
    figure = devicekit.plot(tuning())
    said = words(figure)
    assert {"1.31", "0.87", "1.83", "not measured"} <= set(said)


def test_matplotlib_is_left_as_it_was(run_json):
    found = run_json(
        "import json, sys, matplotlib\n"
        "matplotlib.rcParams['font.size'] = 7\n"
        "def settings():\n"
        "    rc = matplotlib.rcParams\n"
        "    return {name: repr(dict.__getitem__(rc, name)) for name in rc}  # asking for the back-end would choose one\n"
        "before = settings()\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import devicekit, measurements\n"
        "figure = devicekit.plot(measurements.benchmark())\n"
        "figure.savefig('plot.svg'); figure.savefig('plot.png')\n"
        "print(json.dumps([before == settings(), 'matplotlib.pyplot' in sys.modules]))",
        __file__.rpartition("browser")[0],
        flags=["-W", "error"],
    )
    assert found == [True, False]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_text(text):
    figure = devicekit.plot(benchmark(text), width=20)
    svg = inline_svg(figure, "figure", "Title " + text, "Description " + text)
    root = ElementTree.fromstring(svg)
    tags = {element.tag for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "g", "path", "text", "tspan", "defs", "use", "clipPath", "rect"}
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    assert all(element.get("href", "#").startswith("#figure-") for element in root.iter("use"))
    if "$" in text:
        assert any(text in (element.text or "") for element in root.iter("text"))


def test_colours_are_the_pages():
    svg = inline_svg(devicekit.plot(comparison()), "figure", "t", "d")
    assert not re.search(r'(fill|stroke)="(?!none)', svg)
    classes = {name for group in re.findall(r'class="([^"]*)"', svg) for name in group.split()}
    assert {"f-ink", "s-faint", "s-blue"} <= classes
    assert classes <= {"%s-%s" % (kind, name) for kind in "fs" for name in CLASSES.values()}
    # The same twice: a page can be compared with an earlier one.
    assert svg == inline_svg(devicekit.plot(comparison()), "figure", "t", "d")


def test_what_cannot_be_drawn_is_told():
    empty = devicekit.Comparison("cpu", ())
    for wrong, error in ((42, TypeError), (devicekit.BenchmarkResult(()), ValueError), (empty, ValueError)):
        with pytest.raises(error, match="drawn|nothing to draw"):
            devicekit.plot(wrong)
    with pytest.raises(ValueError, match="errors and divergence"):
        devicekit.plot(comparison(), "banana")
    with pytest.raises(ValueError, match="errors and divergence"):
        devicekit.plot(benchmark(), "errors")
    with pytest.raises(ValueError, match="inches"):
        devicekit.plot(benchmark(), width=float("nan"))


def test_numbers_have_the_digits_that_mean_something():
    assert measured(413.02, 2.37) == "413 ± 2"
    assert measured(6.193, 0.053) == "6.19 ± 0.05"
    assert measured(98.7, float("nan")) == "98.7"
    assert shortened("encoder/block_2/attention", 15) == "encode…ttention"


def test_a_figure_is_written_in_every_format():
    figure = devicekit.plot(tuning(HOSTILE[0]))
    for form in ("svg", "png", "pdf"):
        stream = BytesIO()
        figure.savefig(stream, format=form)
        assert len(stream.getvalue()) > 1000
    assert matplotlib.rcParams["font.size"] == 10.0
