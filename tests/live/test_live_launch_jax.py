"""Keras 3 on JAX in two processes that `devicekit launch` starts."""

import os
import re
import subprocess
import sys

SCRIPT = """
import os
import devicekit
distribution = devicekit.strategy()
import jax, keras, numpy as np
keras.utils.set_random_seed(0)
rank = jax.process_index()
pictures = np.random.RandomState(0).rand(64, 8).astype("float32")
labels = np.random.RandomState(1).randint(0, 10, 64)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(pictures[rank::2], labels[rank::2], batch_size=16, epochs=1, verbose=0)
total = sum(float(np.abs(np.asarray(weight)).sum()) for weight in model.get_weights())
print("%s of %d: weights %.6f" % (type(distribution).__name__, jax.process_count(), total))
"""

WATCHED = """
import logging, time, warnings
import devicekit
devicekit.strategy()
import jax, keras, numpy as np
keras.utils.set_random_seed(0)
class Printed(logging.Handler):
    def emit(self, record):
        print("logged", record.finding["code"])
logging.getLogger("devicekit").addHandler(Printed())
x, y = np.ones((8, 8), "float32"), np.ones((8, 4), "float32")
def batches(bad):
    for step in range(40):
        time.sleep(0.05)
        yield x * (np.nan if step == bad else 1.0), y
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
model.compile(keras.optimizers.SGD(1e-3), "mse")
monitor, guard = devicekit.Monitor(), devicekit.NanGuard()
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    model.fit(batches(None), verbose=0, callbacks=[monitor])
    model.fit(batches(30), verbose=0, callbacks=[guard])
for item in heard:
    if isinstance(item.message, devicekit.DeviceWarning):
        print("heard", item.message.finding.code)
codes = [item.code for item in monitor.report.findings]
print("found", *[code for code in codes if code == "input-bound"], guard.report.findings[0].code)
"""

ALONE = """
import devicekit
distribution = devicekit.strategy()
import keras
print(type(distribution).__name__, keras.distribution.distribution() is distribution, distribution.device_mesh.shape)
"""

LATE = """
import jax
jax.numpy.ones(1).block_until_ready()
import devicekit
try:
    devicekit.strategy()
except devicekit.DeviceUnavailableError as error:
    print(error.findings[0].code)
"""


def run(tmp_path, script, *launcher, **variables):
    (tmp_path / "train.py").write_text(script)
    done = subprocess.run(
        [sys.executable, *launcher, "train.py"],
        cwd=str(tmp_path),
        env=dict(os.environ, KERAS_BACKEND="jax", DEVICEKIT_CACHE_DIR=str(tmp_path / "cache"), **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4000:]
    return done.stdout.decode("utf-8", "replace")


def test_two_processes_end_with_the_same_weights(tmp_path):
    text = run(
        tmp_path, SCRIPT, "-m", "devicekit", "launch", "--workers", "2", "--devices", "cpu", "--framework", "jax"
    )
    found = re.findall(r"\[worker \d\] DataParallel of 2: weights ([\d.]+)", text)
    assert len(found) == 2
    assert found[0] == found[1]


def test_rank_0_speaks(tmp_path):
    """Both processes train alike, and each knows what slows it down."""
    text = run(
        tmp_path, WATCHED, "-m", "devicekit", "launch", "--workers", "2", "--devices", "cpu", "--framework", "jax"
    )
    found = re.findall(r"\[worker (\d)\] found input-bound (\S+)", text)
    assert sorted(rank for rank, _ in found) == ["0", "1"]
    (nan,) = {code for _, code in found}
    heard = set(re.findall(r"\[worker (\d)\] heard (\S+)", text))
    assert {("0", "input-bound"), ("0", nan)} <= heard
    assert {rank for rank, _ in heard} == {"0"}
    assert {("1", "input-bound"), ("1", nan)} <= set(re.findall(r"\[worker (\d)\] logged (\S+)", text))


def test_one_process(tmp_path):
    assert run(tmp_path, ALONE).strip() == "DataParallel True (1,)"


def test_too_late_for_several_processes(tmp_path):
    variables = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
    assert run(tmp_path, LATE, **variables).strip() == "runtime-already-initialized"
