"""``devicekit compare``: a device that computes wrong, named in a sentence, and shown again by a script without devicekit."""

import json
import os
import subprocess
import sys

from live_prelude import only_tf2

pytestmark = only_tf2

MODEL = """
import numpy as np
from tensorflow import keras
layers = keras.layers
def make():
    model = keras.Sequential([
        layers.InputLayer((8, 8, 2)),
        layers.Conv2D(4, 3, padding="same", activation="relu", name="convolution"),
        layers.Flatten(name="flat"),
        layers.Dense(5, name="classes"),
    ])
    return model, np.random.RandomState(0).standard_normal((8, 8, 8, 2)).astype("float32")
def number():
    return 3
"""
COMMAND = "import sys; from devicekit.cli.main import main; sys.exit(main(sys.argv[1:]))"


def ran(arguments, folder, env):
    environ = dict(os.environ, **env)
    environ.setdefault("PYTHONPATH", "")
    done = subprocess.run([sys.executable, *arguments], cwd=str(folder), env=environ, capture_output=True)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def test_a_wrong_gradient_is_named_and_reproduced(simulated_gpu, tmp_path):
    (tmp_path / "mymodel.py").write_text(MODEL, encoding="utf-8")
    wrong = dict(simulated_gpu, DEVICEKIT_SIM_FAULT="gradient", TF_CPP_MIN_LOG_LEVEL="3")
    command = ["-c", COMMAND, "compare", "mymodel:make", "--device", "cpu,gpu:0", "--json", "--reproducer", "report"]
    status, out, errors = ran(command, tmp_path, wrong)
    assert status == 1, errors
    found = json.loads(out)
    assert found["agrees"] is False
    assert {item["device"] for item in found["differences"] if item["verdict"] == "differs"} == {"gpu:0"}
    assert "report" in errors
    script = (tmp_path / "report" / "reproduce.py").read_text(encoding="utf-8")
    assert "devicekit" not in script
    # Isolated, so that devicekit cannot be imported from here; only the simulated device is.
    status, out, errors = ran([str(tmp_path / "report" / "reproduce.py")], tmp_path, wrong)
    lines = [line.split() for line in out.splitlines()]
    assert status == 1, errors
    assert [line[2] for line in lines if "WRONG" in line] == ["convolution/kernel"] or "kernel" in out
    status, out, errors = ran(
        [str(tmp_path / "report" / "reproduce.py")], tmp_path, dict(wrong, DEVICEKIT_SIM_FAULT="")
    )
    assert (status, "WRONG" in out) == (0, False), errors


def test_a_device_that_fails_while_the_model_is_built_is_compared(simulated_gpu, tmp_path):
    (tmp_path / "mymodel.py").write_text(MODEL, encoding="utf-8")
    broken = dict(simulated_gpu, DEVICEKIT_SIM_FAULT="raise", TF_CPP_MIN_LOG_LEVEL="3")
    command = ["-c", COMMAND, "compare", "mymodel:make", "--device", "cpu,gpu:0", "--json"]
    status, out, errors = ran(command, tmp_path, broken)
    assert status == 1, errors
    found = json.loads(out)["differences"]
    assert {item["verdict"] for item in found if item["device"] == "cpu"} == {"agrees"}
    failed = {item["name"] for item in found if item["verdict"] == "failed"}
    assert {"convolution", "classes"} <= failed


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "mymodel.py").write_text(MODEL, encoding="utf-8")
    status, out, errors = ran(["-c", COMMAND, "compare", "mymodel:number"], tmp_path, {})
    assert (status, out) == (2, "")
    assert "returned int; expected a Keras model" in errors
    assert "Traceback" not in errors
