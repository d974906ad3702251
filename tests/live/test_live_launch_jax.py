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


def test_one_process(tmp_path):
    assert run(tmp_path, ALONE).strip() == "DataParallel True (1,)"


def test_too_late_for_several_processes(tmp_path):
    variables = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
    assert run(tmp_path, LATE, **variables).strip() == "runtime-already-initialized"
