"""``devicekit compare``: what is refused before a framework is imported, and the scripts of reproducers."""

import ast
import json
import os
import subprocess
import sys

import pytest

from devicekit.cli.main import main
from devicekit.errors import DevicekitError
from devicekit.measure.numerics.reproducer_script import script_for
from devicekit.measure.numerics.result import Difference, Measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["resnet51"], "unknown model 'resnet51'; did you mean resnet50; accepted are MODULE:FUNCTION and resnet50"),
        (["mymodel:"], "unknown model"),
        ([], "MODULE:FUNCTION"),
        (["mymodel:make", "--framework", "theano"], "invalid choice: 'theano'"),
        (["mymodel:make", "--shape", "a"], "--shape"),
        (["no_such_module:make"], "no_such_module"),
    ],
)
def test_wrong_use_is_refused(arguments, message, capsys):
    pytest.importorskip("numpy")
    try:
        status = main(["compare", *arguments])
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert message in captured.err


@pytest.mark.parametrize("model", ["mlp", "mymodel:make"])
def test_what_is_installed_comes_before_the_working_folder(model, tmp_path):
    # Python 3.9 itself imports typing for -m, before a line of ours runs.
    for name in ("textwrap", "json", "mymodel") + (() if sys.version_info[:2] == (3, 9) else ("typing",)):
        (tmp_path / (name + ".py")).write_text("open(%r, 'w').close()\nraise ImportError\n" % (name + ".ran"))
    command = [sys.executable, "-m", "devicekit", "compare", model, "--timeout", "60"]
    done = subprocess.run(
        command, cwd=str(tmp_path), env=dict(os.environ, PYTHONPATH=ROOT), capture_output=True, timeout=120, check=False
    )
    # The modules of the model are looked for, and there may be a framework or not.
    assert done.returncode in ((0, 1, 2) if model == "mlp" else (1, 2)), done.stderr.decode()
    ran = {name for name in os.listdir(str(tmp_path)) if name.endswith(".ran")}
    assert ran <= (set() if model == "mlp" else {"mymodel.ran"}), done.stderr.decode()


@pytest.mark.only_on("posix", reason="Windows does not delete a folder that is in use")
@pytest.mark.parametrize("arguments", [["compare", "x:y"], ["bench", "--model", "x:y"], ["tune", "--model", "x:y"]])
def test_a_working_folder_that_was_deleted_is_not_searched(arguments, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert main([*arguments, "--framework", "torch"]) in (1, 2)


MEASURE = Measure("float32", (3,), 0.5, 0.3, 8e6, 0.99, 0, 2e-6)
ABOUT = Difference("gradient", "block/conv", "Conv2D", "gradient of kernel", "gpu:0", "tensorflow", "differs", MEASURE)


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
@pytest.mark.parametrize(
    "config", [{"registered_name": None, "name": 'a "quoted" \\ {name}'}, {"class_name": "Conv2D"}]
)
def test_a_script_is_a_program_with_the_layer_in_it(framework, config):
    text = script_for(
        framework, "keras", config=json.dumps(config), layout="[[], {}]", device="GPU:0", about=ABOUT, seed=3
    )
    assert "devicekit" not in text
    named = {
        node.targets[0].id: node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert json.loads(ast.literal_eval(named["CONFIG"].args[0])) == config
    # Between the tolerance and what was seen.
    assert "LIMIT = 0.001" in text


def test_there_is_no_script_for_tensorflow_1():
    with pytest.raises(DevicekitError, match="no reproducer for tensorflow1"):
        script_for("tensorflow1", "keras", config="{}", layout="[]", device="DML:0", about=ABOUT, seed=0)


@pytest.mark.parametrize("answer", ["{}", "[1]", '{"comparison": 3}', '{"comparison": {}, "files": 5}'])
def test_an_answer_that_the_model_has_written_is_refused(tmp_path, answer):
    pytest.importorskip("numpy")
    (tmp_path / "mine.py").write_text(
        "import os\n"
        "for descriptor in range(3, 20):\n"
        "    try:\n"
        '        os.write(descriptor, b\'{"protocol": 1, "result": %s}\\n\')\n'
        "    except OSError:\n"
        "        pass\n"
        "os._exit(0)\n" % answer
    )
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join((str(tmp_path), ROOT)))
    command = [sys.executable, "-m", "devicekit", "compare", "mine:build"]
    done = subprocess.run(command, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
    assert b"comparison" in done.stderr
