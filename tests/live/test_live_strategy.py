"""`devicekit.strategy` with the real TensorFlow: its own objects, on the processor and on simulated hardware."""

import json

import pytest
from live_prelude import VERSION, only_tf2

#: Makes the strategy, trains within its scope, and says what it is.
TRAIN = """
import json, sys, warnings
warnings.simplefilter("ignore")
import devicekit
strategy = devicekit.strategy(*sys.argv[1:])
import numpy as np
import tensorflow as tf
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
losses = model.fit(np.ones((32, 3), "float32"), np.ones((32, 1), "float32"), batch_size=8, epochs=2, verbose=0).history["loss"]
ops = getattr(strategy.extended, "_cross_device_ops", None)
print(json.dumps([type(strategy).__name__, strategy.num_replicas_in_sync, type(ops).__name__, bool(losses[1] < losses[0])]))
"""

REFUSED = """
import json, sys, warnings
import devicekit
%s
try:
    print(json.dumps(["made", type(devicekit.strategy(*sys.argv[1:])).__name__, ""]))
except devicekit.DeviceUnavailableError as error:
    print(json.dumps(["refused", error.findings[0].code, str(error)]))
"""

WORKERS = json.dumps({"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}, "task": {"type": "worker", "index": 0}})


@pytest.mark.smoke
def test_one_device(program):
    kind, replicas, _, learned = program(TRAIN, "cpu")
    assert kind in ("OneDeviceStrategy", "OneDeviceStrategyV1")
    assert (replicas, learned) == (1, True)


def test_what_is_required_and_not_there(program):
    code = REFUSED % ""
    outcome, _, _ = program(code.replace("*sys.argv[1:]", "require=True"))
    assert outcome == "refused"


@only_tf2
def test_too_late_for_several_workers(program):
    code = REFUSED % "import tensorflow as tf; tf.constant(1)"
    outcome, cause, text = program(code, env={"TF_CONFIG": WORKERS})
    assert (outcome, cause) == ("refused", "runtime-already-initialized")
    assert "before the first operation" in text


def test_tensorflow_needs_the_addresses_of_all(program):
    environ = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
    outcome, cause, _ = program(REFUSED % "", env=environ)
    assert (outcome, cause) == ("refused", "setting-invalid" if VERSION >= (2, 0) else "framework-unsupported")


def test_a_broken_variable_is_an_error(python):
    text = python("import devicekit\ndevicekit.strategy()", env={"TF_CONFIG": "{"}, status=1)
    assert "ValueError: TF_CONFIG is not valid JSON" in text


@only_tf2
def test_two_devices_mirror_each_other(program, simulated_gpu):
    found = program(TRAIN, "gpu:0,1", env=simulated_gpu)
    assert found == ["MirroredStrategy", 2, "ReductionToOneDevice", True]


@only_tf2
def test_named_devices_that_are_not_there_are_refused(program, simulated_gpu):
    outcome, _, text = program(REFUSED % "", "gpu:0,5", env=simulated_gpu)
    assert outcome == "refused"
    assert "gpu:0,5" in text


@only_tf2
def test_too_late_for_several_devices(program, simulated_gpu):
    code = REFUSED % "import tensorflow as tf; tf.config.set_visible_devices([], 'GPU'); tf.constant(1)"
    outcome, cause, _ = program(code, "gpu:0,1", env=simulated_gpu)
    assert (outcome, cause) == ("refused", "runtime-already-initialized")
