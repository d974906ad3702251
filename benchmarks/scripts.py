"""The programs that are measured, as text: each runs in a fresh process and prints its figures as JSON."""

#: What `import devicekit` adds to `sys.modules`, over what the bare interpreter has already.
MODULES = """
import sys
before = set(sys.modules)
import devicekit
new = sorted(set(sys.modules) - before)
import json
print(json.dumps(new))
"""

#: The first `detect()` of a process. The count shows that the folder with the distributions was really looked at.
DETECT_COLD = """
import time
started = time.perf_counter()
import devicekit
machine = devicekit.detect()
took = 1000 * (time.perf_counter() - started)
print([took, machine.python.distribution_count.value])
"""

#: The same with NVIDIA's driver about (1) or not (0): its library is simulated, and so is the sign of it that is looked for.
DETECT_NVIDIA = """
import time
started = time.perf_counter()
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
class Host(LiveHost):
    def exists(self, path):
        return (%d and path == "/proc/driver/nvidia") or LiveHost.exists(self, path)
machine = read_machine(Host())
took = 1000 * (time.perf_counter() - started)
import json
print(json.dumps([took, len(machine.driver.gpus.or_none() or ()), machine.driver.nvml.problem]))
"""

#: The later ones, each of which looks at the machine again.
DETECT_AGAIN = """
import statistics, time
import devicekit
devicekit.detect()
times = []
for _ in range(20):
    started = time.perf_counter()
    machine = devicekit.detect(refresh=True)
    times.append(1000 * (time.perf_counter() - started))
print([statistics.median(times), machine.python.distribution_count.value])
"""

DIAGNOSE = """
import statistics, time
import devicekit
machine = devicekit.detect()
devicekit.diagnose(machine)
times = []
for _ in range(100):
    started = time.perf_counter()
    devicekit.diagnose(machine)
    times.append(1000 * (time.perf_counter() - started))
print(statistics.median(times))
"""

#: What a start pays for a verdict that is known: its fingerprint and its file, as large as one of TensorFlow with CUDA (300
#: native files that are looked at again). The first time in the process, imports included, and the median of the later ones.
VERDICT = """
import os, statistics, sys, tempfile, time
import devicekit
machine = devicekit.detect()
folder = tempfile.mkdtemp()
libraries = []
for number in range(300):
    libraries.append(os.path.join(folder, "lib%d.so.1" % number))
    open(libraries[-1], "w").close()
times = []
for number in range(101):
    started = time.perf_counter()
    from devicekit.runtime.trial.once import load_result
    from devicekit.runtime.trial.fingerprint import fingerprint
    key = fingerprint(machine, 0, True)
    trial = load_result(folder, key)
    times.append(1000 * (time.perf_counter() - started))
    if number == 0:
        from devicekit.runtime.trial.once import save_result
        from devicekit.runtime.trial.result import Trial
        assert trial is None
        files = tuple(libraries)
        assert save_result(folder, key, Trial("works", "compute", devices=("GPU:0",), files=files)) is None
    else:
        assert len(trial.files) == 300
import shutil
shutil.rmtree(folder)
print([times[0], statistics.median(times[1:])])
"""

#: The first question to the matrix, its module imported before: reading the data is part of the time.
QUESTION = """
import time
from devicekit.matrix.queries import goes_with
started = time.perf_counter()
answer = goes_with("tensorflow", "2.10.1", "numpy", "2.0.2")
took = 1000 * (time.perf_counter() - started)
assert answer.status == "incompatible"
print(took)
"""

#: A whole set, in a process that has resolved before.
RESOLVE = """
import statistics, time
import devicekit
machine = devicekit.detect()
devicekit.resolve("cpu", machine=machine)
times = []
for _ in range(10):
    started = time.perf_counter()
    assert devicekit.resolve("cpu", machine=machine).possible
    times.append(1000 * (time.perf_counter() - started))
print(statistics.median(times))
"""

#: The most that a question about a GPU model costs: no TensorFlow does for it, so that what does instead is looked for.
RESOLVE_GPU = """
import time
import devicekit
machine = devicekit.detect()
devicekit.resolve("cpu", machine=machine)
started = time.perf_counter()
assert not devicekit.resolve("gpu", machine=machine, platform="linux-x86_64", gpu="RTX 5090").possible
print(1000 * (time.perf_counter() - started))
"""

#: A log from a file: seconds, peak memory in MB (None if the system does not tell), what was found.
EXPLAIN = """
import json, sys, time
import devicekit
started = time.perf_counter()
with open(%r, "rb") as stream:
    found = devicekit.logs.explain_log(stream)
took = time.perf_counter() - started
try:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
except ImportError:
    peak = None
print(json.dumps([took, peak, [item.code for item in found.findings]]))
"""

_BY_HAND = """
for gpu in tf.config.experimental.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
"""

_BY_AUTO = """
import devicekit
devicekit.auto()
"""

_TRAIN = """
import numpy as np
from tensorflow import keras
layers = [keras.layers.Dense(128, activation="relu"), keras.layers.Dense(128, activation="relu"), keras.layers.Dense(10)]
model = keras.models.Sequential(layers)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
rng = np.random.RandomState(0)
model.fit(rng.rand(4096, 64).astype("float32"), rng.randint(0, 10, 4096), batch_size=64, epochs=6, verbose=0)
"""

#: What people write by hand today (see which GPUs there are, let their memory grow), then train.
HAND = "import tensorflow as tf" + _BY_HAND + _TRAIN

#: The same program with devicekit instead.
AUTO = _BY_AUTO + _TRAIN

#: The lines alone, after TensorFlow was imported: far less noise than in the time of a whole program.
_LINES = (
    "import tensorflow as tf\nimport time\nstarted = time.perf_counter()%sprint(1000 * (time.perf_counter() - started))"
)
HAND_ALONE = _LINES % _BY_HAND
AUTO_ALONE = _LINES % _BY_AUTO

#: `devicekit bench`'s loop and one written by hand with `model.fit`, step by step in turns in one process: seconds of
#: each. Arguments: steps of the warm-up, and steps that count. Both take one batch of small images, in float32 on the CPU.
BENCH_LOOP = """
import json, sys, time
import devicekit
devicekit.auto("cpu", framework="tensorflow", verify="never", seed=0)
import tensorflow as tf
from devicekit.measure.benchmark.building import build
from devicekit.measure.benchmark.data import parts_of
from devicekit.measure.benchmark.step_loop import Job
from devicekit.measure.benchmark.loops_tensorflow import TensorFlowLoop
from devicekit.measure.benchmark.models import model_named, resized

keras, size, shape = tf.keras, 16, (64, 64, 3)
model = resized(model_named("resnet50"), {"shape": shape})
network, logits = build(keras, model)
job = Job("training", None, size, parts_of(model), "logits" if logits else "probabilities", "momentum")
loop = TensorFlowLoop(keras, network, job)

other = keras.applications.ResNet50(weights=None, input_shape=shape)
other.compile(optimizer=keras.optimizers.SGD(0.01, momentum=0.9), loss="sparse_categorical_crossentropy")
data = tf.data.Dataset.from_tensors(job.batch()).repeat()

found = {"bench": [], "fit": []}

class Turns(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        self.began = time.perf_counter()

    def on_train_batch_end(self, batch, logs=None):
        middle = time.perf_counter()
        loop.step()
        found["fit"].append(middle - self.began)
        found["bench"].append(time.perf_counter() - middle)

warmup, steps = int(sys.argv[1]), int(sys.argv[2])
other.fit(data, steps_per_epoch=warmup + steps, epochs=1, verbose=0, shuffle=False, callbacks=[Turns()])
found = {name: seconds[warmup:] for name, seconds in found.items()}
print(json.dumps(found))
"""

TENSORFLOW_VERSION = "import json, tensorflow as tf; print(json.dumps(tf.__version__))"

#: The same training with Keras on another framework, whose backend a variable names; with `auto()` before, and without.
_BACKEND = "import os\nos.environ['KERAS_BACKEND'] = '%s'\n"
_TRAIN_KERAS = _TRAIN.replace("from tensorflow import keras", "import keras")
PLAIN_ON = _BACKEND + _TRAIN_KERAS
AUTO_ON = _BACKEND + _BY_AUTO + _TRAIN_KERAS

#: What starts each framework for the next one, and its own scope.
OWN_SCOPE = {
    "tensorflow": ("import tensorflow as tf", "tf.device('/CPU:0')"),
    "jax": ("import jax\ndevice = jax.devices('cpu')[0]", "jax.default_device(device)"),
    "torch": (_BACKEND % "torch" + "import keras", "keras.device('cpu')"),
}

#: Enter and leave, in turns, as a user writes it: microseconds of every repeat, ours and the framework's.
SCOPE = """
import json, timeit
%s
import devicekit

def ours():
    with devicekit.device_scope("cpu"): pass

def theirs():
    with %s: pass

def ours_nested():
    with devicekit.device_scope("cpu"):
        with devicekit.device_scope("cpu"): pass

def theirs_nested():
    with %s:
        with %s: pass

def ours_native():
    with devicekit.device_scope("/CPU:0"): pass

def times(pair, repeats=15):
    found = [[], []]
    for function in pair:
        timeit.timeit(function, number=3)  # the first entry resolves the device and starts the framework
    slower = max(timeit.timeit(function, number=10) / 10 for function in pair)
    number = max(5, min(5000, int(0.05 / slower)))
    for repeat in range(repeats):
        for which in ((0, 1) if repeat %% 2 else (1, 0)):
            found[which].append(1e6 * timeit.timeit(pair[which], number=number) / number)
    return found

pairs = {"'cpu'": (ours, theirs), "'cpu' nested": (ours_nested, theirs_nested), "'/CPU:0'": (ours_native, theirs)}
print(json.dumps({name: times(pair) for name, pair in pairs.items()}))
"""

#: Joins a control group, and tunes the threads in it.
TUNE = """
import json, os
group = %r
if group:
    with open(group, "w") as stream:
        stream.write(str(os.getpid()))
import devicekit
usable = devicekit.detect().native.cpu_usable.or_none() or os.cpu_count()
tuning = devicekit.tune("transformer", device="cpu", framework="tensorflow", options=["threads"], budget_s=%d, refresh=True)
print(json.dumps([tuning.to_dict(), usable]))
"""

#: CPU seconds of a comparison without training, the model's making and TensorFlow's start not included; and its judgments.
COMPARE = """
import json, sys, time
import keras
import numpy as np
import devicekit
L = keras.layers
keras.utils.set_random_seed(0)
if sys.argv[1] == "resnet50":
    model = keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10)
elif sys.argv[1] == "lstm":
    model = keras.Sequential([keras.Input((300, 16)), L.LSTM(64), L.Dense(5)])
else:
    layers = [L.Conv2D(8, 3, padding="same", activation="relu"), L.BatchNormalization(), L.Conv2D(8, 3), L.Flatten()]
    model = keras.Sequential([keras.Input((16, 16, 3)), *layers, L.Dense(32, activation="gelu"), L.Dense(5)])
x = np.random.RandomState(0).normal(size=(8, *model.input_shape[1:])).astype("float32")
model(x[:1])
before = time.process_time()
comparison = devicekit.compare(model, x, devices="cpu")
assert comparison.agrees and not comparison.findings
print(json.dumps([time.process_time() - before, len(comparison.differences)]))
"""

#: What `devicekit.Monitor` or `NanGuard` costs `model.fit`: processor seconds by model, of the whole fit, in what is called
#: for each step, and once a fit. Only time in devicekit counts: the training function that it calls is taken out.
MONITOR = """
import json, sys, time
import numpy as np
import keras
import devicekit
L = keras.layers
rounds, steps = int(sys.argv[1]), int(sys.argv[2])
numbers = np.random.default_rng(0)

def mlp():
    layers = [keras.Input((784,)), L.Dense(1024, activation="relu"), L.Dense(1024, activation="relu"), L.Dense(10)]
    return keras.Sequential(layers), numbers.standard_normal((128 * steps, 784)).astype("float32"), 128

def lstm():
    layers = [keras.Input((32,)), L.Embedding(1000, 64), L.LSTM(64), L.Dense(10)]
    return keras.Sequential(layers), numbers.integers(0, 1000, (64 * steps, 32)), 64

def transformer():
    inputs = keras.Input((32,))
    hidden = L.Embedding(1000, 64)(inputs)
    hidden = L.Add()([hidden, L.MultiHeadAttention(4, 16)(hidden, hidden)])
    outputs = L.Dense(10)(L.GlobalAveragePooling1D()(L.Dense(256, activation="relu")(hidden)))
    return keras.Model(inputs, outputs), numbers.integers(0, 1000, (64 * steps, 32)), 64

def resnet50():
    model = keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10, classifier_activation=None)
    return model, numbers.standard_normal((16 * steps, 64, 64, 3)).astype("float32"), 16

# Adds up the thread's processor time in functions, by name.
class Cost:
    def __init__(self):
        self.steps, self.seconds = 0, {"once": 0.0, "each": 0.0, "function": 0.0}

    def count(self, name, function):
        def call(*arguments, **options):
            began = time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self.seconds[name] += time.thread_time() - began
        return call

def measured(model, x, y, batch):
    cost, watcher = Cost(), getattr(devicekit, sys.argv[3])(quiet=True)
    for name in dir(watcher):
        if name in ("on_train_begin", "on_train_end"):
            setattr(watcher, name, cost.count("once", getattr(watcher, name)))
        elif name.startswith(("on_epoch", "on_train_batch")):
            setattr(watcher, name, cost.count("each", getattr(watcher, name)))
    model.make_train_function(force=True)
    original = model.train_function
    inner = cost.count("function", original)

    def function(*arguments):
        return inner(*arguments)
    function.__wrapped__ = original
    model.train_function = function

    class Last(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            replay = getattr(watcher, "_replay", None)
            if hasattr(replay, "_with_batch"):  # on TensorFlow it compiles the function once more, with the batch
                compiled = replay._with_batch
                replay._with_batch = lambda *arguments: cost.count("function", compiled(*arguments))
            outer = model.train_function

            def step(*arguments):
                cost.steps += 1
                name = "each" if cost.steps > 1 else "once"  # it compiles in the first
                before = cost.seconds["function"]
                try:
                    return cost.count(name, outer)(*arguments)
                finally:
                    cost.seconds[name] -= cost.seconds["function"] - before
            model.train_function = step

    began = time.process_time()
    model.fit(x, y, batch_size=batch, verbose=0, callbacks=[watcher, Last()])
    fit_s = time.process_time() - began
    model.train_function = original
    own_s = cost.seconds["each"] + cost.seconds["once"]
    return {"fit_s": fit_s - own_s, "each_s": cost.seconds["each"], "once_s": cost.seconds["once"], "steps": cost.steps}

found = {}
for make in (mlp, lstm, transformer, resnet50)[: 1 if rounds < 3 else 4]:
    model, x, batch = make()
    y = numbers.integers(0, 10, len(x))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x[: 20 * batch], y[: 20 * batch], batch_size=batch, verbose=0)
    found[make.__name__] = [measured(model, x, y, batch) for _ in range(rounds)]
print(json.dumps(found))
"""
