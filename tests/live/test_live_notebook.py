"""What a notebook shows of a program's first minutes, in a real kernel with the real TensorFlow."""

import os

import pytest

import devicekit

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "auto": "import devicekit\nselection = devicekit.auto()\nselection",
    "print": "print(selection)",
    "again": "devicekit.auto('gpu')",
    "scope": "with devicekit.device_scope('gpu:1'):\n    pass",
    "detect": "devicekit.detect()",
    "fit": (
        "import keras, numpy\n"
        "model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "x = numpy.zeros((640, 4), 'float32')\n"
        "history = model.fit(x, x[:, :1], epochs=2, verbose=0, callbacks=[devicekit.Monitor()])"
    ),
    "error": "devicekit.install_excepthook()\nraise ImportError('libcudnn.so.9: cannot open shared object file')",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folders = {
        name: str(tmp_path_factory.mktemp("folder"))
        for name in ("DEVICEKIT_CACHE_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    client = nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3", allow_errors=True)
    client.execute(env=dict(os.environ, **folders), cwd=str(tmp_path_factory.mktemp("notebook")))
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells)}


def streams(cell, name):
    return "".join(output.text for output in cell if output.output_type == "stream" and output.name == name)


def html(cell):
    return "".join(output.data["text/html"] for output in cell if output.output_type == "execute_result")


def test_the_first_cell_shows_a_table_and_prints_nothing(outputs):
    if devicekit.diagnose().by_code("no-gpu") is None:
        pytest.skip("on a machine with a GPU, what TensorFlow prints of it passes")
    assert streams(outputs["auto"], "stderr") == ""
    assert html(outputs["auto"]).count("This machine has no GPU") == 1
    (line,) = streams(outputs["print"], "stdout").splitlines()
    assert line.startswith("devicekit: cpu")


def test_each_cell_that_asks_in_vain_is_told(outputs):
    if devicekit.diagnose().by_code("no-gpu") is None:
        pytest.skip("there is a GPU")
    for name, device in (("again", "gpu"), ("scope", "gpu:1")):
        text = streams(outputs[name], "stderr")
        assert text.count("FallbackWarning") == 1
        assert "'%s' was requested" % device in text


def test_results_are_tables(outputs):
    assert "<table" in html(outputs["detect"])
    assert streams(outputs["detect"], "stderr") == ""


def test_training_ends_with_a_summary_and_an_error_with_its_cause(outputs):
    text = streams(outputs["fit"], "stderr")
    assert text.startswith("devicekit: sequential with TensorFlow on ")
    assert " steps in " in text
    assert [output.ename for output in outputs["error"] if output.output_type == "error"] == ["ImportError"]
    assert "devicekit [cudnn-missing]" in streams(outputs["error"], "stderr")
