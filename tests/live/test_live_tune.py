"""Tuning with real workers: what wins is kept, what does not win or changes the results is not; and `auto` applies it."""

import json

import pytest
from live_prelude import VERSION, only_tf2

pytestmark = only_tf2

#: A layer whose work can be left out without anybody seeing it; or, as some kernels do, with results that are not the same.
MODELS = """
import os
import tensorflow as tf
keras = tf.keras

class Busy(keras.layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(name="kernel", shape=(int(shape[-1]), 64), initializer="glorot_uniform")

    def call(self, x):
        y = tf.matmul(x, self.kernel)
        if "TUNE_TEST_ROUGH" in os.environ:
            # Gradients that float16 has no numbers for, without a loss scale.
            scale = tf.constant(1e-7, y.dtype)
            y = tf.cast(tf.cast(y * scale, tf.float16), y.dtype) / scale
        if "TUNE_TEST_LEAN" not in os.environ:
            waste = tf.reshape(tf.range(400.0 * 400.0), (400, 400)) + tf.reduce_sum(tf.stop_gradient(y))
            for _ in range(8):
                waste = tf.matmul(waste, waste) * 1e-9
            y = y + 0.0 * tf.reduce_mean(tf.clip_by_value(waste, -1.0, 1.0))
        return y

def small():
    return keras.Sequential([keras.Input((16,)), Busy(), keras.layers.Dense(3)])
"""

TUNE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import devicekit
from devicekit.measure.tuning.options import Option
lean = ("TUNE_TEST_LEAN", "1")
options = [
    Option("lean", "on", (lean,)),
    Option("rough", "on", (lean, ("TUNE_TEST_ROUGH", "1"))),
    Option("nothing", "at all", (("TUNE_TEST_NOTHING", "1"),)),
]
assert "tensorflow" not in sys.modules
found = devicekit.tune("tune_models:small", device="cpu", framework="tensorflow", batch_size=8, options=options, budget_s=600)
again = devicekit.tune("tune_models:small", device="cpu", framework="tensorflow", batch_size=8, options=options)
assert "tensorflow" not in sys.modules
print(json.dumps({"tuning": found.to_dict(), "again": again.to_dict(), "line": str(found)}))
"""

AUTO = """
import json, os, sys
import devicekit
selection = devicekit.auto("cpu", framework="tensorflow", tune=True)
assert devicekit.auto("cpu", framework="tensorflow", tune=True) is selection
import tensorflow as tf
print(json.dumps({"selection": selection.to_dict(), "variable": os.environ.get("TUNE_TEST_LEAN")}))
"""


def test_what_wins_is_kept_what_changes_results_is_not_and_auto_applies_it(program, tmp_path):
    (tmp_path / "tune_models.py").write_text(MODELS)
    data = program(TUNE, str(tmp_path), timeout=900)
    tuning = data["tuning"]
    assert (tuning["device"], tuning["framework"], tuning["cached"]) == ("cpu", "tensorflow", False)
    lean, rough, nothing = tuning["options"]
    assert lean["kept"], tuning
    assert lean["gain"] > 1.3
    assert "the same to the last bit" in lean["reason"]
    assert tuning["gain"] > 1.3
    assert not rough["kept"]
    assert rough["gain"] > 1.3
    assert rough["reason"].startswith("faster, but its results are others: ")
    assert not nothing["kept"], tuning
    assert data["again"]["cached"]
    assert data["again"]["options"] == tuning["options"]
    assert "lean on kept" in data["line"]
    applied = program(AUTO)
    assert applied["variable"] == "1"
    changes = [(item["what"], item["name"], item["value"], item["before"]) for item in applied["selection"]["changes"]]
    assert ("environment", "TUNE_TEST_LEAN", "1", None) in changes
    assert "tuned: lean on" in applied["selection"]["reason"]


CONTINUE = """
import json, os, pathlib
import devicekit
from devicekit.measure.tuning.options import Option
options = [Option(name, "on", (("TUNE_TEST_" + name.upper(), "1"),)) for name in ("first", "second")]
def tune(budget_s):
    return devicekit.tune("mlp", device="cpu", framework="tensorflow", options=options, budget_s=budget_s)
found = [tune(0.01)]
# As if there had been time for the first.
(path,) = pathlib.Path(os.environ["DEVICEKIT_CACHE_DIR"]).glob("tune-*")
data = json.loads(path.read_text())
data["tuning"]["options"][0].update(gain=0.5, reason="slower, as was seen before")
path.write_text(json.dumps(data))
found += [tune(0.02), tune(600), tune(900)]
print(json.dumps([item.to_dict() for item in found]))
"""


def test_a_larger_budget_continues_with_what_is_left(program):
    none, same, continued, again = program(CONTINUE, timeout=900)
    assert [item["reason"] for item in none["options"]] == ["not tried: the time budget of 0.01 s ran out"] * 2
    assert same["cached"]
    first, second = continued["options"]
    assert (first["gain"], first["reason"]) == (0.5, "slower, as was seen before")
    assert second["gain"] is not None
    assert not continued["cached"]
    assert continued["seconds"] > none["seconds"]
    assert again["cached"]
    assert again["options"] == continued["options"]


#: A tuning of this machine in its present state, as if it had been measured.
KEPT = """
import json, os, sys, warnings
import devicekit
from devicekit.runtime.settings import cache_folder
from devicekit.measure.tuning import cache
from devicekit.runtime.speed_cache import this_state
def keep(*options):
    cache.save(cache_folder(), this_state(), [], devicekit.measure.Tuning("cpu", "tensorflow", "mlp", options, 1.5))
threads = devicekit.measure.TunedOption(
    "threads", "intra=1 inter=1", 1.2, True, "", (("TF_NUM_INTRAOP_THREADS", "1"), ("TF_NUM_INTEROP_THREADS", "1"))
)
onednn = devicekit.measure.TunedOption("onednn", "off", 1.1, True, "", (("TF_ENABLE_ONEDNN_OPTS", "0"),))
half = devicekit.measure.TunedOption("precision", "mixed_bfloat16", 1.3, True, "", (), (), (("precision", "mixed_bfloat16"),))
"""


@pytest.mark.skipif(VERSION < (2, 16), reason="setuptools, which this release imports, puts its own folder on the path")
def test_what_comes_too_late_is_said(program):
    code = """
keep(threads, onednn)
import tensorflow as tf
if sys.argv[1] == "computed":
    tf.zeros(1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto("cpu", framework="tensorflow", tune=True)
told = [w.message.finding.code for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
print(json.dumps({"told": told, "selection": selection.to_dict()}))
"""
    # oneDNN is asked for at the import, threads are made with the first operation.
    for argument, late in (("imported", ["onednn off"]), ("computed", ["threads intra=1 inter=1", "onednn off"])):
        data = program(KEPT + code, argument)
        assert "runtime-already-initialized" in data["told"]
        (finding,) = [item for item in data["selection"]["findings"] if item["code"] == "runtime-already-initialized"]
        assert "(%s)" % ", ".join(late) in finding["summary"]
        names = [item["name"] for item in data["selection"]["changes"]]
        assert ("TF_NUM_INTRAOP_THREADS" in names) == (argument == "imported")
        assert "TF_ENABLE_ONEDNN_OPTS" not in names


@pytest.mark.parametrize("asked", [None, "float32"])
def test_the_tuned_precision_gives_way_to_the_users(program, asked):
    code = """
keep(half)
asked = json.loads(sys.argv[1])
selection = devicekit.auto("cpu", framework="tensorflow", tune=True, precision=asked)
import tensorflow as tf
policy = tf.keras.mixed_precision.global_policy().name
print(json.dumps({"policy": policy, "selection": selection.to_dict()}))
"""
    data = program(KEPT + code, json.dumps(asked))
    assert data["policy"] == (asked or "mixed_bfloat16")
    values = [item["value"] for item in data["selection"]["changes"] if item["name"] == "keras dtype policy"]
    assert values == [asked or "mixed_bfloat16"]


def test_tuned_threads_are_the_ones_that_tensorflow_starts(program):
    code = """
keep(threads)
devicekit.auto("cpu", framework="tensorflow", tune=sys.argv[1] == "tuned")
import tensorflow as tf
x = tf.random.normal((512, 512))
for _ in range(20):
    x = tf.matmul(x, x) * 1e-3
names = [open("/proc/self/task/%s/comm" % task).read().strip() for task in os.listdir("/proc/self/task")]
print(json.dumps(sum(name.startswith("tf_") for name in names)))
"""
    tuned, default = (program(KEPT + code, word) for word in ("tuned", "default"))
    if default > 1:
        assert tuned < default
