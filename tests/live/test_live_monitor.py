"""`devicekit.Monitor` in trainings with the real Keras that is installed, on any framework."""

import importlib.util
import os
import signal
import subprocess
import sys

import pytest
from live_prelude import only_tf2

#: Where the administrator can make a control group with a quota: version 1, or 2 if its groups have the controller.
QUOTAS = [
    (folder, name, value)
    for folder, sign, name, value in (
        ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "cpu.cfs_quota_us", "20000"),
        ("/sys/fs/cgroup", "user.slice/cpu.max", "cpu.max", "20000 100000"),
    )
    if os.path.exists(os.path.join(folder, sign)) and os.access(folder, os.W_OK)
]

PROGRAM = """
import gc, importlib.util, json, os, subprocess, sys, threading, time
import numpy as np
installed = [name for name in ("tensorflow", "jax", "torch") if importlib.util.find_spec(name) is not None]
os.environ.setdefault("KERAS_BACKEND", installed[0])
try:
    import keras
    if int(keras.__version__.split(".")[0]) < 3:
        raise ImportError
except ImportError:
    import tensorflow as tf
    keras = tf.keras
import devicekit
from devicekit.watch import MonitorReport, TrainingRecord
first = {"input_shape": (8,)} if not hasattr(keras, "ops") else {}
layers = [keras.layers.Dense(4, **first)]
if not first:
    layers.insert(0, keras.Input((8,)))
model = keras.Sequential(layers)
model.compile("sgd", "mse")
x, y = np.zeros((320, 8), "float32"), np.zeros((320, 4), "float32")

def batches(pause_s, most=10 ** 9):
    for _ in range(most):
        time.sleep(pause_s)
        yield x[:32], y[:32]
    raise ValueError("no more")

exceptions = []

def fit(*data, keep=False, **options):
    monitor = devicekit.Monitor(quiet=True)
    assert isinstance(monitor, keras.callbacks.Callback) and isinstance(monitor, devicekit.Monitor)
    error = ""
    try:
        model.fit(*data, verbose=0, **dict(options, callbacks=[monitor, *options.get("callbacks", [])]))
    except (KeyboardInterrupt, Exception) as raised:
        error = type(raised).__name__
        exceptions.extend([raised] * keep)
    gc.collect()
    final = monitor._final is not None
    record = monitor.report.record
    assert TrainingRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record
    codes = [item.code for item in monitor.report.findings]
    seen = [item.text for finding in monitor.report.findings for item in finding.evidence]
    return {"seen": " ".join(seen), "codes": codes, "steps": record.steps, "ended": record.ended,
            "error": error, "final": final, "kind": record.source.kind,
            "step_s": monitor.report.step_s,
            "wait_s": monitor.report.wait_s, "devices": record.result_devices, "page": len(monitor._repr_html_()),
            "samples": len(record.samples)}
"""


def test_a_slow_generator_a_healthy_training_and_errors(program):
    data = program(
        PROGRAM
        + """
class Stop(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 5:
            raise KeyboardInterrupt

class Break(keras.callbacks.Callback):
    def on_test_batch_begin(self, batch, logs=None):
        raise ValueError
before = getattr(model, "train_function", None)
slow = fit(batches(0.1), steps_per_epoch=30)
function = model.train_function
arrays = fit(x, y, batch_size=8, epochs=2, validation_data=(x, y))
# Other programs only ever make a step longer than it is.
fits = []
while len(fits) < 20 and not (fits and "launch-bound" in fits[-1]["codes"]):
    fits.append(fit(x, y, batch_size=8, epochs=5))
tiny, shortest_s = fits[-1]["codes"], min(each["step_s"] - (each["wait_s"] or 0.0) for each in fits)
stopped = fit(x, y, batch_size=8, callbacks=[Stop()])
# As a notebook does, and a program that logs it later: with the exception all frames of fit are kept.
kept = fit(x, y, batch_size=8, callbacks=[Stop()], keep=True)
validated = fit(x, y, batch_size=8, callbacks=[Break()], keep=True, validation_data=(x, y))
broken = fit(batches(0.0, 15), steps_per_epoch=20)
names = [thread.name for thread in threading.enumerate() if "devicekit" in thread.name]
print(json.dumps({"slow": slow, "arrays": arrays, "stopped": stopped, "broken": broken, "threads": names,
                  "tiny": tiny, "shortest_s": shortest_s, "kept": kept, "validated": validated,
                  "same": model.train_function is function, "modern": hasattr(keras, "ops")}))
"""
    )
    # How busy the machine is that runs the tests is no one's fault.
    assert set(data["slow"]["codes"]) - {"host-starved"} == {"input-bound"}
    assert data["slow"]["wait_s"] > 0.05
    assert data["slow"]["samples"] >= 3
    assert data["slow"]["ended"] == "finished"
    if "host-starved" not in data["arrays"]["codes"]:
        assert set(data["arrays"]["codes"]) <= {"launch-bound"}
    # A machine that is slow or shared makes no step that is short.
    if "launch-bound" in data["tiny"] or data["shortest_s"] < 0.0028:
        assert set(data["tiny"]) - {"host-starved"} == {"launch-bound"}
    assert data["arrays"]["steps"] == 80
    assert data["arrays"]["page"] > 1000
    assert data["stopped"]["error"] == "KeyboardInterrupt"
    assert data["broken"]["ended"] != "finished"
    assert data["threads"] == []
    assert data["same"]
    if data["modern"]:
        assert data["slow"]["kind"] == "generator"
        assert data["slow"]["devices"] == ["cpu:0"]
        assert data["stopped"]["ended"] == "interrupted"
        assert [(data[name]["final"], data[name]["ended"]) for name in ("kept", "validated")] == [
            (True, "interrupted"),
            (True, "failed"),
        ]


TORCH = os.environ.get("KERAS_BACKEND", "torch") == "torch" and (
    "KERAS_BACKEND" in os.environ or not any(importlib.util.find_spec(name) for name in ("tensorflow", "jax"))
)


@pytest.mark.skipif(not TORCH or os.name != "posix", reason="the step of other frameworks asks for its batch")
def test_ctrl_c_between_two_steps_keeps_its_status(tmp_path):
    code = (
        PROGRAM
        + """
def stopped():
    for _ in range(20):
        yield x[:8], y[:8]
    raise KeyboardInterrupt
model.fit(stopped(), steps_per_epoch=40, verbose=0, callbacks=[devicekit.Monitor()])
"""
    )
    environ = dict(os.environ, DEVICEKIT_CACHE_DIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], env=environ, stderr=subprocess.PIPE, timeout=240)
    assert b"KeyboardInterrupt" in done.stderr
    assert done.returncode == (-signal.SIGINT if sys.version_info >= (3, 8) else 1)


def test_steps_that_are_compiled_again_and_again(program):
    data = program(
        PROGRAM
        + """
if not hasattr(keras, "ops") or keras.backend.backend() == "torch":
    print(json.dumps({}))
    raise SystemExit
jax = keras.backend.backend() == "jax"

def lengths(steps):
    for step in range(steps):
        yield np.zeros((4, 3 + step, 8), "float32"), np.zeros((4, 3 + step, 4), "float32")

def last_batches(epochs):
    for epoch in range(epochs):
        for size in (32, 32, 32, 1 + epoch):
            yield x[:size], y[:size]

def train(data, steps, epochs=1, **options):
    global model
    model = keras.Sequential([keras.Input((None, 8) if data is lengths else (8,)), keras.layers.Dense(4)])
    model.compile("sgd", "mse", **options)
    return fit(data(steps * epochs if data is lengths else epochs), steps_per_epoch=steps, epochs=epochs)["codes"]

again = {"lengths": train(lengths, 28, jit_compile=True)}
# TensorFlow without XLA has one program for all shapes.
other = train(last_batches, 4, 10) if jax else train(lengths, 28, jit_compile=False)
again.update({"last batches": other} if jax else {})
print(json.dumps({"again": again, "once": None if jax else other}))
"""
    )
    if not data:
        pytest.skip("tf.keras 2 and PyTorch compile nothing by default")
    for name, codes in data["again"].items():
        assert set(codes) - {"host-starved"} == {"retracing"}, name
    if data["once"] is not None:
        assert set(data["once"]) <= {"launch-bound", "host-starved"}


@only_tf2
def test_functions_of_ones_own_that_are_traced_again_and_again(program):
    data = program(
        PROGRAM
        + """
try:
    import tensorflow as tf
    counts = hasattr(sys.modules[type(tf.function(lambda: None)).__module__], "_frequent_tracing_detector_manager")
except ImportError:
    counts = False
if not counts or (hasattr(keras, "ops") and keras.backend.backend() != "tensorflow"):
    print(json.dumps({}))
    raise SystemExit

@tf.function
def scaled(value, number):
    return value * number

class Own(keras.Model):
    def train_step(self, batch):
        inputs, targets = batch
        self.taken = getattr(self, "taken", 0) + 1
        number = self.number(self.taken)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((scaled(self(inputs, training=True), number) - targets) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}

def steps(number, eager=True):
    global model
    begin = keras.Input((8,))
    model = Own(begin, keras.layers.Dense(4)(begin))
    model.number = number
    model.compile("sgd", "mse", run_eagerly=eager)
    return fit(x, y, batch_size=8)

def made_in_a_loop():
    while True:
        def doubled(value):
            return 2 * value
        yield tf.function(doubled)(x[:32]), y[:32]

detector = type(sys.modules[type(scaled).__module__]._frequent_tracing_detector_manager)
before = detector.called_with_tracing
results = {"numbers": steps(float), "tensors": steps(lambda number: tf.constant(float(number))),
           "few numbers": steps(lambda number: float(number % 3)), "compiled": steps(float, eager=False)}
model.compile("sgd", "mse")
model.number = float
results["loop"] = fit(made_in_a_loop(), steps_per_epoch=40)
print(json.dumps(dict(results, same=detector.called_with_tracing is before)))
"""
    )
    if not data:
        pytest.skip("this is for TensorFlow, which counts traces from 2.5 on")
    assert data.pop("same")
    first = {name: result["codes"][:1] == ["retracing"] for name, result in data.items()}
    assert first == {"numbers": True, "tensors": False, "few numbers": False, "compiled": False, "loop": True}
    assert not [name for name in first if not first[name] and "retracing" in data[name]["codes"]]
    assert "scaled (" in data["numbers"]["seen"]
    assert "doubled (" in data["loop"]["seen"]
    assert "traced 36 times in 40 steps" in data["numbers"]["seen"]


@only_tf2
def test_many_steps_in_a_call_on_one_device_and_on_two(program):
    data = program(
        """
import json
try:
    import tensorflow as tf
except ImportError:
    print(json.dumps({}))
    raise SystemExit
configuration = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], configuration)
"""
        + PROGRAM
        + """
mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
results = []
scopes = [(tf.device("CPU:0"), 4), (mirrored.scope(), 1)]
scopes += [(mirrored.scope(), 4)] * bool(first)  # Keras 3 itself fails with that
for scope, steps in scopes:
    with scope:
        model = keras.Sequential([*layers[:-1], keras.layers.Dense(4, **first)])
        model.compile("sgd", "mse", steps_per_execution=steps)
    done = fit(x, y, batch_size=8)
    monitor = devicekit.Monitor(quiet=True)
    seen = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: results.append(batch))
    model.fit(x, y, batch_size=8, verbose=0, callbacks=[monitor, seen])
    results[:] = [*[item for item in results if isinstance(item, list)],
                  [done["error"], results[-1], done["steps"], monitor.report.record.steps_per_execution]]
print(json.dumps(results), flush=True)
os._exit(0)  # TensorFlow 2.8's MirroredStrategy raises at the end
"""
    )
    if not data:
        pytest.skip("this is for TensorFlow")
    assert data[:2] == [["", 39, 10, 4], ["", 39, 40, 1]]
    assert data[2:] in ([], [["", 39, 10, 4]])


SEEN_LIVE = """
import io
class Terminal(io.StringIO):
    def isatty(self):
        return True
logs = os.path.join(sys.argv[1], "logs")
def live(stream, verbose):
    monitor = devicekit.Monitor(live=True, tensorboard=logs, quiet=True)
    before, sys.stderr = sys.stderr, stream
    try:
        model.fit(batches(0.05), steps_per_epoch=30, epochs=2, callbacks=[monitor], verbose=verbose)
    finally:
        sys.stderr = before
    return stream.getvalue()
"""


def test_figures_while_it_trains(program, tmp_path):
    data = program(
        PROGRAM
        + SEEN_LIVE
        + """
loaded = set(sys.modules)
shown, piped = live(Terminal(), 0), live(io.StringIO(), 0)
bar = live(Terminal(), 1)
files = [os.path.join(folder, name) for folder, _, names in os.walk(logs) for name in names]
threads = [thread.name for thread in threading.enumerate() if "devicekit" in thread.name]
print()
print(json.dumps({"shown": shown, "piped": piped, "bar": bar, "files": files, "threads": threads,
    "asked": sorted({"tensorboard", "tensorflow"}.intersection(set(sys.modules) - loaded)),
    "scalars": [[name in open(path, "rb").read().decode("latin-1") for name in ("step/seconds", "step/wait_percent")]
                for path in files]}))
""",
        str(tmp_path),
    )
    lines = [text.strip() for text in data["shown"].split("\r") if text.strip()]
    assert any("each; waiting for data: " in line for line in lines), lines
    assert len(lines) < 40  # as often as once a second
    assert data["shown"].rpartition("\r")[2] == ""
    assert data["shown"].split("\r")[-2].strip() == ""
    assert data["piped"] == ""
    if os.name != "nt":
        assert data["bar"].count("\n\r") == data["bar"].count("\x1b[A\r") > 1
    assert data["threads"] == []
    assert data["asked"] == []
    assert len(data["files"]) == 3  # of three monitors
    assert data["scalars"] == [[True, True]] * 3


def test_other_programs_take_the_processors_or_what_is_left_of_them(program):
    data = program(
        PROGRAM
        + """
# By another process: those that this one starts are its own.
starter = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'while True: pass'], stdout=2).pid)"

def busy(steps):
    for _ in range(steps):
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass
        yield x[:32], y[:32]

model.fit(x, y, verbose=0)
pids = [subprocess.check_output([sys.executable, "-c", starter]) for _ in range(3 * (os.cpu_count() or 1))]
try:
    result = fit(busy(100), steps_per_epoch=100)
    try:
        for name in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(name), os.SCHED_FIFO, os.sched_param(1))
        # Another program may have this priority, too: other tests run at the same time.
        for _ in range(5):
            first = fit(busy(150), steps_per_epoch=150)
            if "host-starved" not in first["codes"]:
                break
            time.sleep(2)
    except PermissionError:  # the administrator's
        first = {"codes": [], "seen": ""}
finally:
    for pid in pids:
        os.kill(int(pid), 9)
print(json.dumps({"result": result, "first": first}))
"""
    )
    assert "host-starved" in data["result"]["codes"]
    assert "for processors that other programs used" in data["result"]["seen"]
    assert "host-starved" not in data["first"]["codes"], data["first"]["seen"]


@pytest.mark.skipif(not QUOTAS, reason="no control group with a quota can be made here")
def test_a_quota_stops_the_training(program):
    parent, name, value = QUOTAS[0]
    folder = os.path.join(parent, "devicekit-test-%d" % os.getpid())
    os.mkdir(folder)
    try:
        with open(os.path.join(folder, name), "w") as stream:
            stream.write(value)
        data = program(
            PROGRAM
            + """
# Its processor time per step is fixed: on any machine the 40 steps take at least 24 periods of the quota.
def busy():
    while True:
        until = time.process_time() + 0.012
        while time.process_time() < until:
            pass
        yield x[:32], y[:32]
model.fit(x, y, verbose=0)
with open(sys.argv[1] + "/cgroup.procs", "w") as stream:
    stream.write("0")
print(json.dumps(fit(busy(), steps_per_epoch=40)))
""",
            folder,
        )
    finally:
        os.rmdir(folder)
    assert "host-starved" in data["codes"]
    assert "the quota was used up" in data["seen"]


#: A mount namespace of its own has a sign of NVIDIA's driver; `gpus` writes what the simulated library will say.
NVIDIA = """
import ctypes
libc = ctypes.CDLL(None)
assert libc.unshare(0x20000) == 0  # CLONE_NEWNS
assert libc.mount(b"none", b"/", None, 0x44000, None) == 0  # MS_REC | MS_PRIVATE: no mount reaches the machine
assert libc.mount(b"tmpfs", b"/proc/driver", b"tmpfs", 0, None) == 0
os.mkdir("/proc/driver/nvidia")
HEALTHY = dict(util=93, clock="1900/1980", temp=71, power="690/700/700", limits="0x4", pcie="16/16", mem="81920/40000")

def gpus(*changes):
    lines = []
    for change in changes:
        values = dict(HEALTHY, **change)
        lines += ["gpu=NVIDIA A", "proc=%d:900" % os.getpid(), *("%s=%s" % pair for pair in values.items())]
    with open(os.environ["SIM_NVML"][1:], "w") as stream:
        stream.write("\\n".join(lines))

pause = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: time.sleep(0.05))

def trained(scope="GPU:0", **options):
    global model
    with tf.device(scope):
        model = keras.Sequential([keras.layers.Dense(65536, **first), keras.layers.Dense(4)])
        model.compile("sgd", "mse", jit_compile=False)
        return fit(x, y, batch_size=4, callbacks=[pause], **options)
"""


@only_tf2
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the administrator mounts")
@pytest.mark.skipif(importlib.util.find_spec("pynvml") is None, reason="NVML is asked by nvidia-ml-py")
def test_what_nvml_reports_of_gpus_meanwhile(program, simulated_gpu, simulated_nvml, tmp_path):
    data = program(
        PROGRAM
        + NVIDIA
        + """
import tensorflow as tf
gpus({}, {}, {}, {"util": 0, "pcie": "1/16", "clock": "210/1980", "limits": "0x1"})
results = {"healthy": trained()}
small = {"mem": "1/0"}  # MiB
gpus(dict(small, limits="0x20", temp=92), dict(small, clock="700/1980", power="199/200/700"),
     dict(small, pcie="4/16"), dict(small, proc="999999:40"))
results.update(held_down=trained(), on_the_cpu=trained("CPU:0", steps_per_epoch=20))
gpus({"util": 20})
results["idle"] = trained()
print(json.dumps(results))
""",
        env=dict(simulated_gpu, LD_LIBRARY_PATH=simulated_nvml, SIM_NVML="@%s" % (tmp_path / "nvml")),
    )
    codes = {name: [code for code in result["codes"] if code != "host-starved"] for name, result in data.items()}
    assert codes["healthy"] == []
    assert codes["held_down"] == ["clocks-limited", "shared-device", "memory-bound"]
    assert codes["on_the_cpu"][0] == "device-unused"
    assert codes["idle"] == ["launch-bound"]
    seen = data["held_down"]["seen"]
    for text in ("(thermal)", "700 of 1980 MHz at a power limit of 200 W (delivered with 700 W)", "4 of 16 PCIe lanes",
                 "1 other process computed on GPU 3", "0.0 GiB were in use on the device"):  # fmt: skip
        assert text in seen
    assert "the GPU computes for 20 % of the time" in data["idle"]["seen"]


@only_tf2
def test_a_synchronized_step_gets_its_batch_whatever_it_consists_of(program):
    data = program(
        """
import json
try:
    import tensorflow as tf
except ImportError:
    print(json.dumps({}))
    raise SystemExit
from devicekit.runtime.frameworks.training_tensorflow import TensorFlowTraining
x = tf.reshape(tf.range(24.0), (12, 2))
ragged = tf.RaggedTensor.from_row_lengths(tf.range(24.0), [1, 3] * 6)
slices, results = tf.data.Dataset.from_tensor_slices, {}
kinds = {"tuple": slices((x, x[:, 0])).batch(5), "dict": slices({"a": x, "b": {"c": x}}).batch(5),
         "ragged": slices(ragged).batch(5),
         "none": slices(x).batch(5).map(lambda rows: (rows, None)), "sparse": slices((x, tf.sparse.from_dense(x))).batch(5),
         "texts": slices(["a", "b", "c"] * 4).batch(5)}

def plain(batch):
    if isinstance(batch, dict):
        return {name: plain(part) for name, part in batch.items()}
    if isinstance(batch, tuple):
        return [plain(part) for part in batch]
    if isinstance(batch, tf.SparseTensor):
        batch = tf.sparse.to_dense(batch)
    return batch if batch is None else str(batch.to_list() if hasattr(batch, "to_list") else batch.numpy().tolist())

for name, dataset in kinds.items():
    training, iterator, held, steps = TensorFlowTraining(), iter(dataset), [], []

    def function(iterator):
        held.append(iterator)
        return next(iterator)
    for _ in range(3):
        step = training.timed(function, (iterator,), 1)
        steps.append(plain(step.outputs))
        assert step.wait_s is not None and step.compute_s is not None
    try:
        next(held[0])
        left = True
    except StopIteration:
        left = False
    training.release()
    results[name] = [steps == [plain(batch) for batch in dataset], len({id(item) for item in held}), left]
print(json.dumps(results))
"""
    )
    if not data:
        pytest.skip("this is for TensorFlow")
    # A new iterator for each would take longer than all the rest.
    assert set(map(tuple, data.values())) == {(True, 1, False)}, data
