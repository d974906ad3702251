"""The largest batch that fits: real processes that really run out of memory, and a process that trains on afterwards."""

import os

from live_prelude import VERSION, only_tf2

#: A quarter of a million numbers make an example of a megabyte, and hardly any work.
WIDE = """
import json, logging, os, sys
import numpy as np
import devicekit
LINES = []
class Lines(logging.Handler):
    def emit(self, record):
        if record.getMessage().startswith("a batch of "):
            LINES.append(record.getMessage())
logging.getLogger("devicekit").addHandler(Lines())
logging.getLogger("devicekit").setLevel(logging.INFO)
import tensorflow as tf
keras = tf.keras
def wide(features=250000, compiled=True):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(features,))])
    if compiled:
        model.compile("sgd", "mse")
    return model
def data(count, features=250000):
    return np.zeros((count, features), "float32"), np.zeros((count, 1), "float32")
"""

if VERSION >= (2, 16):  # Keras 3 asks for an Input layer
    WIDE = WIDE.replace(
        "[keras.layers.Dense(1, input_shape=(features,))]", "[keras.Input((features,)), keras.layers.Dense(1)]"
    )


def test_memory_runs_out_in_other_processes_and_this_one_trains_on(program):
    data = program(
        WIDE
        + """
model = wide()
before = [weight.tolist() for weight in model.get_weights()]
size = devicekit.find_batch_size(model, *data(4), device="cpu", max_batch_size=4000, memory="300MiB", margin=0.2)
same = before == [weight.tolist() for weight in model.get_weights()]
loss = model.fit(*data(8), verbose=0).history["loss"]
print(json.dumps({"size": size, "lines": LINES, "same": same, "loss": loss}))
"""
    )
    # A batch is in memory as it is made up, and once more as the framework's.
    assert 16 <= data["size"] <= 300
    assert data["size"] % 8 == 0
    assert data["lines"]
    assert data["same"]
    assert data["loss"] == [0.0]


@only_tf2
def test_the_memory_of_a_gpu_runs_out_in_other_processes(program, simulated_gpu):
    data = program(
        WIDE
        + """
chosen = devicekit.auto("gpu")
model = wide(compiled=False)
model.compile("sgd", "mse", jit_compile=False)  # XLA knows no simulated device
size = devicekit.find_batch_size(model, *data(4), max_batch_size=4000, margin=0.0)
loss = model.fit(*data(8), verbose=0).history["loss"]
print(json.dumps({"device": chosen.device, "size": size, "lines": LINES, "loss": loss}))
""",
        env=dict(simulated_gpu, DEVICEKIT_SIM_COUNT="1"),
    )
    assert data["device"] == "gpu:0"
    assert 64 <= data["size"] <= 256  # megabytes that the device has
    assert "runs out of memory" in data["lines"][0]
    assert data["loss"] == [0.0]


@only_tf2
def test_a_model_from_a_module_with_several_inputs(program, tmp_path):
    (tmp_path / "my_models.py").write_text(
        """
import tensorflow as tf
class Doubling(tf.keras.layers.Layer):
    def call(self, inputs):
        return inputs * 2.0
def make():
    left, right = tf.keras.layers.Input((3,), name="left"), tf.keras.layers.Input((5,), dtype="int32", name="right")
    ids = tf.keras.layers.Flatten()(tf.keras.layers.Embedding(7, 2)(right))
    both = tf.keras.layers.Concatenate()([Doubling()(left), ids])
    model = tf.keras.Model({"left": left, "right": right}, tf.keras.layers.Dense(4)(both))
    model.compile("adam", "mse")
    return model
""",
        encoding="utf-8",
    )
    data = program(
        WIDE
        + """
sys.path.insert(0, os.getcwd())
import my_models
x = {"left": np.ones((50, 3), "float32"), "right": np.full((50, 5), 6)}
sizes = [devicekit.find_batch_size(my_models.make, x, np.ones((50, 4), "float32"), device="cpu")]
try:
    devicekit.find_batch_size("my_models:make", x, np.ones((50, 9), "float32"), device="cpu")
except devicekit.DevicekitError as error:
    print(json.dumps({"sizes": sizes, "error": str(error), "lines": LINES}))
"""
    )
    assert data["sizes"] == [50]  # all there are, with the margin on top
    assert data["error"].startswith("a batch of 1 cannot be computed: ")  # the shapes differ, at any size
    assert data["lines"] == []


@only_tf2
def test_what_another_process_cannot_have_is_told_before_one_is_started(program):
    data = program(
        WIDE
        + """
class Own(keras.layers.Layer):
    def call(self, inputs):
        return inputs
class OwnModel(keras.Model):
    def call(self, inputs):
        return inputs
own = OwnModel()
own.compile("sgd", "mse")
x, y = data(3, 5)
cases = [
    dict(model=wide(5, compiled=False)), dict(model=own), dict(model=lambda: wide(5)), dict(model=wide), dict(model="wide"),
    dict(model=3), dict(margin=1.0), dict(mode="dreaming"), dict(y=y[:2]), dict(x=[["a"]]), dict(device="gpu:0,1"),
    dict(min_batch_size=9), dict(memory="lots"), dict(timeout_s=0),
]
said = []
for case in cases:
    try:
        devicekit.find_batch_size(**dict(dict(model=wide(5), x=x, y=y), **case))
    except (devicekit.DevicekitError, ValueError) as error:
        said.append(str(error))
print(json.dumps(said))
"""
    )
    parts = [
        "call model.compile", "class of this program's main file", "another process cannot import <lambda>",
        "another process cannot import wide of this program's main file", "'module:function'", "not int",
        "margin must be a number from 0", "accepted are 'training', 'inference'", "the same number of examples",
        "only numbers and booleans", "are several devices", "less than min_batch_size", "such as '8GiB'", "more than 0",
    ]  # fmt: skip
    assert [part for part, text in zip(parts, data) if part not in text] == []
    assert len(data) == len(parts)


@only_tf2
def test_the_fastest_is_measured_once_kept_and_taken(program, simulated_gpu):
    code = """
import json
import devicekit
def measured():
    return devicekit.benchmark("mlp", devices="cpu,gpu:0", num_batches=5, num_warmup_batches=1, seconds=4, xla=False, repeat=1)
result = measured()
selection = devicekit.auto("fastest", measure=True)  # there is nothing left to measure
with devicekit.device_scope("fastest") as inside:
    pass
found = {"selection": selection.to_dict(), "inside": inside.device, "cached": [result.cached, measured().cached]}
codes = [finding.code for finding in result.findings]
busy = any(row.under_load for row in result.rows)
print(json.dumps(dict(found, rows=[row.problem for row in result.rows], slower="slower-than-cpu" in codes, busy=busy)))
"""
    env = dict(simulated_gpu, DEVICEKIT_SIM_COUNT="1", DEVICEKIT_SIM_MEMORY_MB="1024")
    first = program(code, env=env)
    selection = first["selection"]
    if first["busy"]:  # what other programs disturbed is not kept
        assert (first["cached"], first["rows"]) == ([False, False], ["", ""])
        return
    assert (first["cached"], first["rows"]) == ([False, True], ["", ""])
    assert selection["reason"].startswith("the fastest in training of mlp: ")
    # Mostly the processor: the device is made of its cycles. On a machine that is busy with others the noise may be larger.
    device = "cpu" if first["slower"] else "gpu:0"
    assert (selection["device"], selection["fallback"], first["inside"]) == (device, False, device)
    assert (selection["findings"][0]["code"] == "slower-than-cpu") is first["slower"]
    code = """
import json, sys
import devicekit
selection = devicekit.select_device("fastest")
print(json.dumps({"device": selection.device, "loaded": "tensorflow" in sys.modules,
    "gpu": devicekit.select_device("gpu", policy="fastest").device}))
"""
    assert program(code, env=env) == {"device": device, "loaded": False, "gpu": "gpu:0"}


def test_the_example_measures_and_then_takes_the_fastest(python, tmp_path):
    example = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "which_device_is_faster.py")
    with open(example, encoding="utf-8") as stream:
        code = stream.read()
    env = {"DEVICEKIT_CACHE_DIR": str(tmp_path / "cache"), "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": ""}
    lines = [python(code, "mlp", "2", env=env).splitlines() for _ in range(2)]
    assert lines[0][2].startswith("cpu ")
    if "other programs were busy: these figures are not kept" not in lines[0]:
        assert [text[0] for text in lines] == ["training of mlp", "training of mlp (measured before)"]
        assert lines[0][2] == lines[1][2]
    assert lines[1][-1].startswith("devicekit: cpu")
