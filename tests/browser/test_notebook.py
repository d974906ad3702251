"""Results in a real Jupyter kernel: what a notebook shows of them, and that nothing else is printed."""

import os
import re

import nbformat
import pytest
from measurements import HOSTILE
from nbclient import NotebookClient

import devicekit

CELLS = [
    "import sys; sys.path.insert(0, {folder!r}); import devicekit, measurements as m",
    "devicekit.select_device('auto')",
    "devicekit.diagnose()",
    "devicekit.detect()",
    "m.selection({hostile!r})",
    "m.diagnosis({hostile!r})",
    "m.comparison({hostile!r})",
    "m.benchmark({hostile!r})",
    "m.tuning({hostile!r})",
    "from devicekit.watch import live, TrainingRecord\n"
    "table = live._Table()\n"
    "for step in (3, 7):\n"
    "    table.show(live.LiveFigures(TrainingRecord('jax', model='<b>', steps=step)))",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = " ".join(HOSTILE[:5])
    cells = [nbformat.v4.new_code_cell(cell.format(folder=folder, hostile=text)) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    path = [os.path.dirname(os.path.dirname(devicekit.__file__)), os.environ.get("PYTHONPATH", "")]
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(filter(None, path)),
        DEVICEKIT_CACHE_DIR=str(tmp_path_factory.mktemp("cache")),
        JUPYTER_RUNTIME_DIR=str(tmp_path_factory.mktemp("runtime")),
        IPYTHONDIR=str(tmp_path_factory.mktemp("ipython")),
    )
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.execute(env=environment, cwd=str(tmp_path_factory.mktemp("notebook")))
    return [cell.outputs for cell in notebook.cells]


def test_nothing_is_printed(outputs):
    streams = [output for cell in outputs for output in cell if output.output_type == "stream"]
    assert streams == []


@pytest.mark.parametrize("place", range(1, 9))
def test_a_result_is_shown_as_html(outputs, place):
    (shown,) = outputs[place]
    html = shown.data["text/html"]
    assert html.startswith('<div class="devicekit"')
    assert html.endswith("</div>")
    assert "text/plain" in shown.data


def test_figures_of_a_training_replace_each_other(outputs):
    (shown,) = outputs[9]
    assert shown.data["text/plain"] == "step 7; waiting for data: unknown"
    assert ">7</td>" in shown.data["text/html"]
    assert "<b>" not in shown.data["text/html"]


def test_a_machine_is_a_short_table(outputs):
    (shown,) = outputs[3]
    assert "<table" in shown.data["text/html"]
    assert all(len(text) < 5000 for text in shown.data.values())


@pytest.mark.parametrize("place", range(4, 9))
def test_its_values_are_text(outputs, place):
    (shown,) = outputs[place]
    html = shown.data["text/html"]
    assert "&lt;script&gt;" in html
    assert not re.search(r"<(script|img|a|style|svg|iframe)\b", html)
    assert not re.search(r"<[^>]+\son\w+=", html)


def test_a_training_that_raised_ends_with_its_cell(tmp_path):
    """Jupyter keeps the exception, and with it all of `fit`."""
    cells = [
        "from devicekit.watch.keras_callback import FitEnd\nended = []\nclass CallbackList: pass",
        "def fit(callbacks):\n    FitEnd(callbacks, ended.append)\n    raise KeyboardInterrupt\nfit(CallbackList())",
        "ended",
    ]
    environment = {"JUPYTER_RUNTIME_DIR": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    path = [os.path.dirname(os.path.dirname(devicekit.__file__)), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True)
    client.execute(env=dict(os.environ, **environment), cwd=str(tmp_path))
    (shown,) = notebook.cells[2].outputs
    assert shown.data["text/plain"] == "['interrupted']"


def test_it_looks_right_in_both_themes(outputs, browser):
    html = "".join(outputs[place][0].data["text/html"] for place in range(1, 9))
    for dark, ink, paper in ((False, "#111111", "#ffffff"), (True, "#e8e8e8", "#111111")):
        page = "<!DOCTYPE html><meta charset='utf-8'><title>notebook</title><body style='color:%s;background:%s'>%s"
        browser.open(page % (ink, paper, html), 800, dark)
        assert browser.run("return document.title") == "notebook"
        # Whatever has words takes the theme's own color, on the theme's own ground.
        colors = browser.run(
            "return [...new Set([...document.querySelectorAll('.devicekit *')].map(e => getComputedStyle(e).color))]"
        )
        assert len(colors) == 1, colors
        assert browser.run("return document.documentElement.scrollWidth") <= 800
        assert browser.console() == []
