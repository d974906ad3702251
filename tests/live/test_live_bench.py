"""`benchmark` with real frameworks: tiny settings in real workers, on the CPU."""

import importlib.util
import json
import os
import sys

import pytest

import devicekit

FRAMEWORKS = [
    name
    for name in ("tensorflow", "jax", "torch")
    if importlib.util.find_spec(name) is not None
    # JAX and PyTorch are measured with Keras 3.
    and (name == "tensorflow" or importlib.util.find_spec("keras") is not None)
]
needs_tensorflow = pytest.mark.skipif("tensorflow" not in FRAMEWORKS, reason="TensorFlow is not installed here")

#: What a program of the tests begins with: a small model and few steps.
TINY = """
import json, sys
import devicekit
tiny = dict(devices="cpu", batch_size=8, num_batches=6, num_warmup_batches=2, repeat=1)
def shown(result):
    loaded = {"numpy", "tensorflow", "jax", "torch"} & set(sys.modules)
    print(json.dumps({"result": result.to_dict(), "loaded": sorted(loaded)}))
"""


def release():
    """TensorFlow's release as (major, minor), without importing it; None where there is none."""
    names = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos", "tensorflow-directml")
    for item in devicekit.detect().python.distributions.or_none() or ():
        if item.name in names and item.version.or_none():
            return tuple(int(part) for part in item.version.value.split(".")[:2])
    return None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_framework_is_measured_and_the_program_stays_clean(framework, program):
    found = program(TINY + "shown(devicekit.benchmark('mlp', framework=sys.argv[1], **tiny))", framework)
    assert found["loaded"] == []  # all was done in the worker
    result = found["result"]
    (row,) = result["rows"]
    assert row["problem"] == ""
    assert row["framework"].startswith(framework)
    assert (row["device"], row["platform"], row["unit"], row["parameters"]) == ("cpu", "cpu", "examples", 2913290)
    # Up to four times as many if other programs are busy.
    assert 6 <= len(row["step_seconds"]) <= 24
    assert row["runs"] == [len(row["step_seconds"])]
    assert (
        row["flops_per_step"] is None or row["flops_per_step"] > 2 * 8 * 2913290
    )  # a product and a sum for each weight
    assert set(row["latency"]) == {"p50", "p90", "p99"}
    assert len(row["warmup_seconds"]) >= 2
    assert row["per_second"] == pytest.approx(8 * len(row["step_seconds"]) / sum(row["step_seconds"]))
    # The interpreter, the framework, and weights with two moments in 32 bits, at least.
    assert sys.platform == "win32" or row["memory_peak_bytes"] > 3 * 4 * 2913290
    assert row["versions"][framework]
    assert result["settings"]["num_batches"] == 6
    assert result["cached"] is False


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_inference_with_the_input_pipeline(framework, program):
    code = """
shown(devicekit.benchmark(
    "mobilenet", framework=sys.argv[1], mode="inference", precision="mixed_bfloat16", input_pipeline=True, shape=(32, 32, 3),
    **tiny
))
"""
    (row,) = program(TINY + code, framework)["result"]["rows"]
    if framework == "tensorflow" and release() < (2, 4):
        assert "dtype policy" in row["problem"]
        return
    assert (row["problem"], row["precision"]) == ("", "mixed_bfloat16")
    assert (row["mode"], row["unit"], row["input_pipeline"]) == ("inference", "images", True)
    assert row["per_second"] > 0


@needs_tensorflow
@pytest.mark.skipif(release() is not None and release() < (2, 9), reason="XLA on the CPU is no part of this release")
def test_settings_are_compared_side_by_side_and_kept(program):
    code = """
many = dict(tiny, framework="tensorflow", xla=[True, False], repeat=2)
found = [devicekit.benchmark("mlp", **many) for _ in range(2)]
print(json.dumps([item.to_dict() for item in found]))
"""
    first, again = program(TINY + code)
    assert [(row["xla"], row["problem"]) for row in first["rows"]] == [(True, ""), (False, "")]
    assert all(len(row["runs"]) >= 2 and len(row["interval"]) == 2 for row in first["rows"])  # of two processes each
    # What other programs disturbed is not kept.
    quiet = not any(row["under_load"] for row in first["rows"])
    assert (first["cached"], again["cached"]) == (False, quiet)
    if quiet:
        assert [row["step_seconds"] for row in again["rows"]] == [row["step_seconds"] for row in first["rows"]]


def test_what_fails_is_a_row(program):
    code = """
tiny["framework"] = sys.argv[1]
found = [
    devicekit.benchmark("mobilenet", **dict(tiny, batch_size=1000000)),
    devicekit.benchmark("mlp", timeout_s=0.3, **tiny),
    devicekit.benchmark("mlp", **dict(tiny, devices="gpu:7")),
    devicekit.benchmark("missing:model", **tiny),
]
print(json.dumps([item.to_dict()["rows"][0] for item in found]))
"""
    large, slow, missing, unknown = program(TINY + code, FRAMEWORKS[0])
    assert large["problem"].startswith("out of memory, ")
    assert "no answer within 0.3 s" in slow["problem"]
    assert "'gpu:7' cannot be used" in missing["problem"]
    assert "No module named 'missing'" in unknown["problem"]
    assert {row["per_second"] for row in (large, slow, missing, unknown)} == {None}


def test_a_model_of_ones_own(program, tmp_path):
    (tmp_path / "mine.py").write_text(
        """
def keras():
    try:
        import keras
        return keras
    except ImportError:
        import tensorflow
        return tensorflow.keras

def model():
    k = keras()
    image = k.Input((8, 8, 3))
    hidden = k.layers.Flatten()(k.layers.Conv2D(4, 3)(image))
    return k.Model(image, k.layers.Dense(2)(hidden), name="mine")
""",
        encoding="utf-8",
    )
    code = """
sys.path.insert(0, sys.argv[2])
tiny["framework"] = sys.argv[1]
import mine
found = [devicekit.benchmark(model, **tiny) for model in (mine.model, mine.model())]
print(json.dumps([item.to_dict()["rows"][0] for item in found]))
"""
    rows = program(TINY + code, FRAMEWORKS[0], str(tmp_path), env={"KERAS_BACKEND": FRAMEWORKS[0]})
    assert [row["problem"] for row in rows] == ["", ""]
    assert [row["model"] for row in rows] == ["mine:model", "mine"]
    # A convolution of 3 x 3 x 3 x 4 + 4 weights, and 144 x 2 + 2.
    assert {(row["unit"], row["parameters"]) for row in rows} == {("images", 402)}


@pytest.mark.parametrize("framework", FRAMEWORKS[:1])
def test_models_have_as_many_weights_as_were_published(framework, program):
    code = """
import os
os.environ.setdefault("KERAS_BACKEND", sys.argv[1])
from devicekit.measure.benchmark.building import build
from devicekit.measure.benchmark.models import MODELS
try:
    import tensorflow as tf
    keras = tf.keras
except ImportError:
    import keras
print(json.dumps([(item.name, item.parameters, int(build(keras, item)[0].count_params())) for item in MODELS]))
"""
    for name, published, counted in program("import json, sys\n" + code, framework):
        assert counted == published, name


def test_data_are_the_same_for_the_same_seed_and_differ_from_batch_to_batch():
    import numpy as np

    from devicekit.measure.benchmark.data import batches, one_batch, parts_of
    from devicekit.measure.benchmark.models import MODELS, resized

    for model in MODELS:
        parts = parts_of(resized(model, {"shape": (32, 32, 3) if model.unit == "images" else None}))
        (inputs, labels), (again, _), (other, _) = (one_batch(parts, 4, seed) for seed in (7, 7, 8))
        assert np.array_equal(inputs, again)
        assert not np.array_equal(inputs, other)
        assert (len(inputs), labels.shape, labels.dtype) == (4, (4,), np.int32)
        assert 0 <= labels.min() <= labels.max() < model.classes
        stream, same = batches(parts, 4, 7), batches(parts, 4, 7)
        first, second = next(stream)[0], next(stream)[0]
        assert np.array_equal(first, next(same)[0])
        assert not np.array_equal(first, second)
        assert (first.shape, first.dtype) == (inputs.shape, inputs.dtype)
        if model.unit == "images":
            assert -1.0 <= first.min() < 0 < first.max() <= 1.0


def test_the_command_prints_json(python):
    arguments = [
        "bench",
        "--model",
        "mlp",
        "--device",
        "cpu",
        "--framework",
        FRAMEWORKS[0],
        "--batch_size",
        "8",
        "--json",
    ]
    arguments += ["--num_batches", "4", "--num-warmup-batches", "1", "--precision", "float32", "--repeat", "1"]
    data = json.loads(
        python("import sys; from devicekit.cli.main import main; sys.exit(main(sys.argv[1:]))", *arguments)
    )
    (row,) = data["rows"]
    assert (row["mode"], row["batch_size"], row["runs"]) == ("training", 8, [len(row["step_seconds"])])
    assert data["cached"] is False
    personal = {os.path.expanduser("~"), os.uname().nodename if hasattr(os, "uname") else ""} - {
        "",
        "/root",
        "localhost",
    }
    assert [word for word in personal if word in json.dumps(data)] == []


INTERRUPTED = """
import os, signal, sys
with open("mine.py", "w") as stream:
    stream.write('''
import os, signal
def model():
    import keras
    calls = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls")
    with open(calls, "a") as stream:
        stream.write("x")
    if os.path.getsize(calls) == 2:
        os.kill(int(os.environ["BENCH_PID"]), signal.SIGINT)
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
''')
os.environ["BENCH_PID"] = str(os.getpid())
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it runs in the background
os.environ["PYTHONPATH"] = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
from devicekit.cli.main import main
print("status", main(["bench", "--model", "mine:model", "--framework", sys.argv[1], "--device", "cpu", "--num_batches", "4",
                      "--num_warmup_batches", "1", "--batch_size", "8"]))
"""


@pytest.mark.skipif(
    not FRAMEWORKS or importlib.util.find_spec("keras") is None or not hasattr(os, "fork"),
    reason="needs Keras and signals",
)
def test_an_interrupted_benchmark_keeps_what_is_finished(python):
    out = python(INTERRUPTED, FRAMEWORKS[0])
    assert "status 130" in out
    assert "Interrupted after" in out
    assert "95 % interval" in out
    assert "Traceback" not in out
