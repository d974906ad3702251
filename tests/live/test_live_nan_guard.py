"""`devicekit.NanGuard` in trainings with the real Keras that is installed, on any framework."""

import pytest
from live_prelude import only_tf1, only_tf2

PROGRAM = """
import importlib.util, json, os, sys, warnings
import numpy as np
installed = [name for name in ("tensorflow", "jax", "torch") if importlib.util.find_spec(name) is not None]
os.environ.setdefault("KERAS_BACKEND", installed[0])
try:
    import keras
    from keras import ops
except ImportError:
    import tensorflow as tf
    keras = tf.keras
    ops = None
import devicekit
from devicekit.watch import NanRecord, NanReport
warnings.simplefilter("ignore")
L = keras.layers
numbers = np.random.RandomState(0)
x = numbers.uniform(1.0, 2.0, (96, 8)).astype("float32")
y = numbers.uniform(1.0, 2.0, (96, 4)).astype("float32")

def math(name):
    return getattr(ops, name) if ops else {"log": tf.math.log, "sqrt": tf.sqrt}[name]

class Log(L.Layer):
    def call(self, x):
        return math("log")(x)

class Root(L.Layer):
    def call(self, x):
        return math("sqrt")(x * x)

class Large(L.Layer):
    def call(self, x):
        return x * 60000.0

def model_of(*layers, loss="mse", optimizer="sgd", **options):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((8,)), *layers, L.Dense(4, name="head")])
    model.compile(optimizer, loss, **options)
    return model

def fit(model, x=x, y=y, guard=None, **options):
    guard = guard or devicekit.NanGuard(quiet=True, save=sys.argv[1])
    model.fit(x, y, **dict(dict(batch_size=8, shuffle=False, verbose=0, epochs=2), callbacks=[guard], **options))
    return guard

def outcome(guard):
    if guard.report is None:
        return None
    record = guard.report.record
    assert NanRecord.from_dict(json.loads(json.dumps(record.to_dict(), allow_nan=False))) == record
    first = record.runs[0].first if record.runs and record.runs[0].first else None
    return {"code": guard.report.findings[0].code, "step": record.step, "epoch": record.epoch, "batch": record.batch,
            "layer": first and first.name, "phase": first and first.phase, "operation": first and first.operation,
            "rows": first and first.rows, "inputs": dict(record.inputs), "text": str(guard),
            "page": len(guard._repr_html_())}
"""

#: A model with a step of its own, as its users write it for TensorFlow or JAX; `Own` is None on PyTorch.
OWN_STEP = """
framework = keras.backend.backend() if ops else "tensorflow"
Own = None
if framework == "tensorflow":
    import tensorflow as tf

    class Own(keras.Model):
        def train_step(self, data):
            inputs, targets = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(inputs, training=True) - targets) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            return {"loss": loss}

if framework == "jax":
    import jax

    class Own(keras.Model):
        def train_step(self, state, data):
            trainable, others, optimizer, metrics = state
            inputs, targets = data

            def loss_of(trainable, others):
                outputs, others = self.stateless_call(trainable, others, inputs, training=True)
                return ops.mean((outputs - targets) ** 2), others

            (loss, others), gradients = jax.value_and_grad(loss_of, has_aux=True)(trainable, others)
            trainable, optimizer = self.optimizer.stateless_apply(optimizer, gradients, trainable)
            return {"loss": loss}, (trainable, others, optimizer, metrics)

def own_step(optimizer, **options):
    inner = keras.Input((8,))
    model = Own(inner, L.Dense(4)(Log(name="log_of_x")(inner)))
    model.compile(optimizer, **options)
    return model
"""


@only_tf1
def test_tensorflow_1_is_refused(program):
    data = program(
        """
import json
import numpy as np
import tensorflow as tf
import devicekit
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
model.compile("sgd", "mse")
x = np.zeros((8, 2), "float32")
errors = []
for callback in (devicekit.NanGuard(quiet=True), devicekit.Monitor(nan=True, quiet=True)):
    try:
        model.fit(x, x[:, :1], verbose=0, callbacks=[callback])
    except RuntimeError as error:
        errors.append(str(error))
print(json.dumps(errors))
"""
    )
    assert len(data) == 2
    assert all("this is TensorFlow 1. Use keras.callbacks.TerminateOnNaN" in error for error in data)


@only_tf2
def test_planted_causes(program, tmp_path):
    path = tmp_path / "step.npz"
    data = program(
        PROGRAM
        + """
def changed(step, row, value, like=x):
    array = like.copy()
    array[8 * step + row] = value
    return array

def ratio(y_true, y_pred):
    return math("sqrt")((y_pred - y_true) ** 2 + 1.0) / y_true[:, :1]

slow = keras.optimizers.SGD(1e-30)
half = "float16" if ops else "mixed_float16"
inner = L.Dense(8, use_bias=False, kernel_initializer="zeros", name="inner")
found = {
    "log": fit(model_of(Log(name="log_of_x"), L.Dense(5)), changed(5, 3, 0.0)),
    "division": fit(model_of(L.Dense(5), loss=ratio), y=changed(4, 2, 0.0, y)),
    "input": fit(model_of(L.Dense(5)), changed(7, 1, np.nan)),
    "root": fit(model_of(inner, Root(name="root_of_x"), L.Dense(5))),
    "exploding": fit(model_of(L.Dense(5), optimizer=keras.optimizers.SGD(1e4))),
    # With the weights of the bad step the batch before, which went well, is not finite either.
    "loss alone": fit(model_of(optimizer=keras.optimizers.SGD(1e6))),
    "float16": fit(model_of(Large(name="large", dtype=half), L.Dense(5), optimizer=slow), changed(6, 4, 2.5, x * 0.5)),
}
with np.load(sys.argv[1], allow_pickle=False) as saved:
    names = sorted(saved)
print(json.dumps({"found": {name: outcome(guard) for name, guard in found.items()}, "saved": names}))
""",
        str(path),
    )
    found = data["found"]
    assert {
        name: item and (item["code"], item["step"], item["layer"], item["phase"]) for name, item in found.items()
    } == {
        "log": ("operation-undefined", 5, "log_of_x", "forward"),
        "division": ("operation-undefined", 4, "the loss", "loss"),
        "input": ("input-not-finite", 7, found["input"]["layer"], "input"),
        "root": ("operation-undefined", 0, "root_of_x", "gradient"),
        "exploding": ("values-exploded", *(found["exploding"][name] for name in ("step", "layer", "phase"))),
        "loss alone": ("values-exploded", found["loss alone"]["step"], "the loss", "loss"),
        "float16": ("precision-too-low", 6, "large", "forward"),
    }
    assert (found["log"]["epoch"], found["log"]["batch"], found["log"]["rows"]) == (0, 5, [3])
    assert found["log"]["operation"].lower() == "log"
    assert "div" in found["division"]["operation"].lower()
    assert found["input"]["inputs"] == {"x": 8}
    assert found["exploding"]["step"] < 10
    assert all(item["page"] > 1000 and item["code"] in item["text"] for item in found.values())
    assert {"batch/x", "batch/y"} < set(data["saved"])
    assert any(name.endswith("/kernel") or "/kernel_0" in name for name in data["saved"])


@only_tf2
def test_what_does_not_fit_into_the_precision(program, tmp_path):
    """Weights and gradients in float16 too: the same in float64 must say whether the values are defined."""
    data = program(
        PROGRAM
        + """
policies = keras.config if ops else keras.mixed_precision
set_policy = policies.set_dtype_policy if ops else policies.set_global_policy
Adam, SGD = keras.optimizers.Adam, keras.optimizers.SGD

class Own(L.Layer):
    def call(self, x):
        cast = ops.cast if ops else tf.cast
        return cast(cast(x, "float16") * 60000.0, "float32")

def inner(**options):  # its output is zero
    return L.Dense(5, name="inner", **dict(dict(kernel_initializer="zeros"), **options))

def dead():
    return inner(bias_initializer=keras.initializers.Constant(-1.0)), L.ReLU()

def at(step, value, like=x):
    array = like.copy()
    array[8 * step + 2] = value
    return array

found = {}

def case(name, policy, make, x=x, y=y):
    set_policy(policy)
    try:
        model = make()
    finally:
        set_policy("float32")
    guard = fit(model, x, y, epochs=1)
    item = outcome(guard)
    found[name] = item and [item[key] for key in ("code", "step", "phase", "layer", "text")]
    if item:
        first = guard.report.record.runs[0].first
        found[name].append(first and first.dtype)

large = {"x": at(0, 6e4), "y": at(0, 50.0, y)}
squares = {"x": at(0, 3e3), "y": at(0, 50.0, y)}
loss = keras.losses.MeanSquaredError(dtype="float16") if ops else "mse"
zero = at(4, 0.0)
for policy in ("float16", "bfloat16", "mixed_float16", "mixed_bfloat16"):
    case("log " + policy, policy, lambda: model_of(Log(name="log_of_x"), L.Dense(5)), zero)
for seed in range(3):
    keras.utils.set_random_seed(seed)
    case("activation %d" % seed, "float16", lambda: model_of(L.Dense(64, activation="relu"), L.Dense(64), optimizer=SGD(1e-3)),
         at(4, 6e4))
case("mixed", "mixed_float16", lambda: model_of(Large(name="large"), L.Dense(5), optimizer=SGD(1e-30)), at(4, 2.5, x * 0.5))
case("converts", "float32", lambda: model_of(Own(name="own"), L.Dense(5), optimizer=SGD(1e-30)), at(4, 2.5, x * 0.5))
case("loss", "float16", lambda: model_of(inner(), loss=loss, optimizer=SGD(1e-30)), y=at(4, 600.0, y))
case("gradient", "float16", lambda: model_of(inner(), optimizer=SGD(1e-3)), **large)
case("own type", "float32", lambda: model_of(inner(dtype="float16"), optimizer=SGD(1e-3)), **large)
case("squares", "float16", lambda: model_of(inner(), optimizer=Adam(1e-3)), **squares)
case("epsilon", "float16", lambda: model_of(*dead(), optimizer=Adam(1e-3, epsilon=1e-8)))
case("beta", "bfloat16", lambda: model_of(inner(), optimizer=Adam(1e-3, beta_1=0.999)))
case("no epsilon", "float32", lambda: model_of(*dead(), optimizer=Adam(1e-3, epsilon=0.0)))
case("large step", "float16", lambda: model_of(L.Dense(5, name="inner"), optimizer=SGD(6e4)))
# What the findings advise.
case("fixed gradient", "float16", lambda: model_of(inner(dtype="float32"), optimizer=SGD(1e-12)), **large)
case("fixed squares", "mixed_float16", lambda: model_of(inner(), optimizer=Adam(1e-3)), **squares)
case("fixed epsilon", "float16", lambda: model_of(*dead(), optimizer=Adam(1e-3, epsilon=1e-4)))
case("fixed beta", "mixed_bfloat16", lambda: model_of(inner(), optimizer=Adam(1e-3, beta_1=0.999)))
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    case("exploding", "float32", lambda: model_of(L.Dense(5), optimizer=SGD(1e18)))
print(json.dumps({"found": found, "heard": [str(item.message) for item in heard if "devicekit" in item.filename]}))
""",
        str(tmp_path / "step.npz"),
    )
    found, low = data["found"], "precision-too-low"
    assert not data["heard"]
    assert found.pop("exploding")[0] == found.pop("large step")[0] == "values-exploded"
    assert {name: found.pop(name) for name in list(found) if name.startswith("fixed")} == dict.fromkeys(
        ["fixed gradient", "fixed squares", "fixed epsilon", "fixed beta"]
    )
    texts = {name: " ".join(item[4].split()) for name, item in found.items()}
    seen = {name: (item[0], item[1], item[2], item[5]) for name, item in found.items()}
    for policy in ("float16", "bfloat16", "mixed_float16", "mixed_bfloat16"):
        dtype = policy.rpartition("_")[2]
        assert seen.pop("log " + policy) == ("operation-undefined", 4, "forward", dtype)
    for name in ("activation 0", "activation 1", "activation 2", "mixed", "converts"):
        assert seen.pop(name)[0] == low, name
    assert {name: item[:3] for name, item in seen.items()} == {
        "loss": (low, 4, "loss"),
        "gradient": (low, 0, "gradient"),
        "own type": (low, 0, "gradient"),
        "squares": (low, 0, "update"),
        "epsilon": (low, 0, "update"),
        "beta": (low, 0, "update"),
        "no epsilon": ("operation-undefined", 0, "update"),
    }
    dtypes = {name: item[3] for name, item in seen.items() if name != "loss"}  # JAX does not say it of an operation
    assert dtypes == dict(dict.fromkeys(dtypes, "float16"), beta="bfloat16", **{"no epsilon": "float32"})
    for name in ("gradient", "own type", "activation 0"):
        assert "float16 holds at most 65504." in texts[name]
    assert 'set_global_policy("mixed_float16")' in texts["squares"]


@only_tf2
def test_the_largest_value_of_all_replicas(program, tmp_path):
    data = program(
        PROGRAM
        + """
if not ops or keras.backend.backend() != "tensorflow":
    print(json.dumps({}))
    raise SystemExit
import tensorflow as tf
configuration = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], configuration)
x[2], y[2] = 6e4, 50.0  # the first replica has it
keras.config.set_dtype_policy("float16")
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = model_of(L.Dense(5, kernel_initializer="zeros"), optimizer="adam")
print(json.dumps(outcome(fit(model))))
""",
        str(tmp_path / "step.npz"),
    )
    if not data:
        pytest.skip("this is for Keras 3 on TensorFlow")
    assert (data["code"], data["step"], data["phase"]) == ("precision-too-low", 0, "gradient")
    assert "float16 holds at most 65504." in " ".join(data["text"].split())


@only_tf2
def test_a_batch_that_replicas_share(program, tmp_path):
    data = program(
        PROGRAM
        + """
if ops and keras.backend.backend() != "tensorflow":
    print(json.dumps({}))
    raise SystemExit
import tensorflow as tf
configuration = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], configuration)
bad, zero = x.copy(), x.copy()
bad[6 * 8 + 5, 2] = np.nan  # of the second replica
zero[5 * 8 + 5, 0] = 0.0
found = []
for values in (x, bad, zero):
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = model_of(Log(name="log_of_x"), L.Dense(5), optimizer="adam")
    found.append(outcome(fit(model, values)))
print(json.dumps(found), flush=True)
os._exit(0)  # TensorFlow 2.8's MirroredStrategy raises at the end
""",
        str(tmp_path / "step.npz"),
    )
    if not data:
        pytest.skip("this is for TensorFlow")
    healthy, bad, zero = data
    assert healthy is None
    assert (bad["code"], bad["step"], bad["inputs"]) == ("input-not-finite", 6, {"x": 1})
    # What Keras 2 has of two replicas cannot be run eagerly.
    assert (zero["code"], zero["step"]) in (("operation-undefined", 5), ("cause-unknown", 5))


@only_tf2
def test_an_optimizer_without_epsilon_and_a_loss_that_no_step_shows(program, tmp_path):
    data = program(
        PROGRAM
        + """
dead = L.Dense(5, activation="relu", bias_initializer=keras.initializers.Constant(-100.0))
bad = x.copy()
bad[3, 2] = np.nan
batches = lambda values: ((values[first:first + 8], y[first:first + 8]) for first in range(0, 96, 8))
found = {
    "epsilon": outcome(fit(model_of(dead, optimizer=keras.optimizers.Adam(epsilon=0.0)))),
    "arrays": outcome(fit(model_of(), validation_data=(bad, y))),
    "generator": outcome(fit(model_of(), validation_data=batches(bad), epochs=1)),
    "healthy": outcome(fit(model_of(), validation_data=(x, y))),
}
monitor = devicekit.Monitor(nan=True, quiet=True)
model_of().fit(x, y, batch_size=8, verbose=0, callbacks=[monitor], validation_data=(bad, y))
found["monitor"] = [item.code for item in monitor.report.findings][0]

class Odd(keras.Model):
    broken = False
    @property
    def metrics(self):
        if self.broken:
            raise RuntimeError("not now")
        return super().metrics

class Break(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        self.model.broken = 2 <= batch < 8

if ops and keras.backend.backend() == "tensorflow":  # the others ask for them in each step
    for name, values in (("finite", x), ("given up", bad)):
        begin = keras.Input((8,))
        model = Odd(begin, L.Dense(4)(begin))
        model.compile("sgd", "mse")
        guard = devicekit.NanGuard(quiet=True, every=4)
        rolled = np.roll(values, 40, axis=0)
        model.fit(rolled, y, batch_size=8, shuffle=False, verbose=0, callbacks=[guard, Break()])
        found[name] = [outcome(guard), str(guard)]
print(json.dumps(found))
""",
        str(tmp_path / "step.npz"),
    )
    assert (data["epsilon"]["code"], data["epsilon"]["phase"]) == ("operation-undefined", "update")
    assert "Adam(epsilon=1e-7)" in data["epsilon"]["text"]
    assert (data["arrays"]["code"], data["arrays"]["inputs"]) == ("input-not-finite", {"x": 1})
    assert "validation data" in data["arrays"]["text"]
    assert (data["generator"]["code"], data["generator"]["step"]) == ("cause-unknown", None)
    assert data["healthy"] is None
    assert data["monitor"] == "input-not-finite"
    if "finite" in data:
        assert data["finite"] == [None, "devicekit: NanGuard watched 4 steps, and then no more: RuntimeError: not now"]
        assert data["given up"][0]["code"] == "cause-unknown"
        assert "NanGuard watched 4 steps" in " ".join(data["given up"][1].split())


@only_tf2
def test_what_is_not_finite_in_healthy_steps_is_no_cause(program, tmp_path):
    data = program(
        PROGRAM
        + """
if not ops:
    print(json.dumps({}))
    raise SystemExit

def functional(front, **options):
    keras.utils.set_random_seed(1)
    data = keras.Input((8,))
    logarithm = L.Lambda(lambda value: ops.log(value[:, :1]), name="logarithm")(data)
    model = keras.Model(data, L.Dense(4)(L.Concatenate()([front(data), logarithm])))
    model.compile("sgd", **dict({"loss": "mse"}, **options))
    return model

def masked(data):  # as attention does
    scores = L.Dense(8)(data)
    scores = L.Lambda(lambda value: ops.where(ops.arange(8) < 4, value, -np.inf), name="mask")(scores)
    return L.Softmax()(scores)

def filling(data):
    return L.Lambda(lambda value: ops.where(ops.isnan(value), 0.0, value), name="fill")(data)

def without_nan(y_true, y_pred):
    return ops.mean(ops.where(ops.isnan(y_true), 0.0, ops.square(ops.where(ops.isnan(y_true), 0.0, y_true) - y_pred)))

def my_loss(y_true, y_pred):
    return ops.mean(y_pred) * np.nan

zero, filled, unknown = x.copy(), x.copy(), y.copy()
zero[5 * 8 + 3, 0] = filled[5 * 8 + 3, 0] = 0.0
filled[5 * 8 + 1, 4] = unknown[5 * 8 + 1, 2] = np.nan
tokens = np.arange(96 * 8).reshape(96, 8) % 7
bad = y.copy()
bad[6 * 8] = np.nan
keras.utils.set_random_seed(1)
embedding = keras.Sequential([keras.Input((8,), dtype="int32"), L.Embedding(7, 4), L.Flatten(), L.Dense(4)])
embedding.compile("sgd", "mse")
guards = [devicekit.NanGuard(quiet=True, save=sys.argv[1] + name) for name in ("1.npz", "2.npz")]
large = y.copy()
large[4 * 8] = 1e25
found = {
    "mask": outcome(fit(functional(masked), zero)),
    "fill": outcome(fit(functional(filling), filled)),
    "target": outcome(fit(functional(L.Dense(3), loss=without_nan), zero, unknown)),
    "metric": outcome(fit(functional(L.Dense(3), metrics=[my_loss]))),
    "large": outcome(fit(model_of(L.Dense(5)), y=large)),
    "tokens": outcome(fit(embedding, tokens.astype("int32"), bad)),
}
with np.load(sys.argv[1], allow_pickle=False) as saved:
    found["kind"] = saved["batch/x"].dtype.kind
model_of(L.Dense(5)).fit(x, bad, batch_size=8, verbose=0, shuffle=False, callbacks=guards)
found["guards"] = [os.path.exists(sys.argv[1] + name) and guard.report.record.saved.endswith(name) for guard, name in
                   zip(guards, ("1.npz", "2.npz"))]
found["codes"] = [guard.report.findings[0].code for guard in guards]
print(json.dumps(found))
""",
        str(tmp_path / "step.npz"),
    )
    if not data:
        pytest.skip("these are for Keras 3")
    assert [(data[name]["step"], data[name]["layer"], data[name]["rows"]) for name in ("mask", "fill", "target")] == [
        (5, "logarithm", [3])
    ] * 3
    assert data["mask"]["operation"].lower() in ("log", "")  # JAX would stop at the mask
    assert data["fill"]["operation"].lower() == data["target"]["operation"].lower() == "log"
    assert data["metric"] is None
    assert (data["large"]["code"], data["large"]["step"]) == ("values-exploded", 4)
    assert (data["tokens"]["code"], data["tokens"]["step"], data["kind"]) == ("input-not-finite", 6, "i")
    assert data["guards"] == [True, True]
    assert data["codes"] == ["input-not-finite"] * 2


@pytest.mark.parametrize(
    "options, error",
    [
        ({"save": 3}, TypeError),
        ({"save": ""}, ValueError),
        ({"save": "/no/such/folder/step.npz"}, ValueError),
        ({"every": 1.5}, ValueError),
        ({"memory_gb": 0}, ValueError),
    ],
)
def test_wrong_options_are_refused_at_once(options, error):
    pytest.importorskip("keras")
    import devicekit

    with pytest.raises(error, match=next(iter(options))):
        devicekit.NanGuard(**options)


@only_tf2
def test_a_healthy_training_is_the_same_with_a_guard(program, tmp_path):
    data = program(
        PROGRAM
        + """
def arrays(guards):
    model = model_of(L.Dense(16, activation="relu"), L.BatchNormalization(), L.Dropout(0.3), optimizer="adam")
    options = dict(batch_size=10, verbose=0, epochs=2, callbacks=guards, validation_data=(x, y))
    model.fit(x, y, **options)
    model.fit(x, y, **options)
    return model

def generator(guards):
    def batches():
        while True:
            for first in range(0, 96, 16):
                yield x[first:first + 16], y[first:first + 16]
    model = model_of(L.Dense(5))
    model.fit(batches(), steps_per_epoch=12, epochs=2, verbose=0, callbacks=[*guards, devicekit.Monitor(quiet=True)])
    return model

def skipped_steps(guards):
    policy = keras.mixed_precision if not ops else keras.config
    set_policy = policy.set_global_policy if not ops else policy.set_dtype_policy
    set_policy("mixed_float16")
    try:
        optimizer = keras.optimizers.SGD(0.01)
        if ops:
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=2.0 ** 40)
        model = model_of(L.Dense(5), optimizer=optimizer)
        before = [np.array(value) for value in model.get_weights()]
        model.fit(x[:32], y[:32], batch_size=8, epochs=1, verbose=0, callbacks=guards)
        if ops:  # every step was skipped
            assert all(np.array_equal(old, new) for old, new in zip(before, model.get_weights()))
    finally:
        set_policy("float32")
    return model

found = {}
for kind in (arrays, generator, skipped_steps):
    guard = devicekit.NanGuard(quiet=True, every=7)
    weights = []
    for guards in ([], [guard, guard]):
        keras.utils.set_random_seed(5)
        weights.append(kind(guards).get_weights())
    same = all(np.array_equal(old, new) for old, new in zip(*weights))
    found[kind.__name__] = [len(weights[0]), same, guard.report is None]
print(json.dumps(found))
""",
        str(tmp_path / "step.npz"),
    )
    assert data == {"arrays": [8, True, True], "generator": [4, True, True], "skipped_steps": [4, True, True]}


@only_tf2
def test_a_training_goes_on_as_without_a_guard_or_stops(program, tmp_path):
    data = program(
        PROGRAM
        + """
def weights_after(guards):
    keras.utils.set_random_seed(5)
    model = model_of(Log(), L.Dense(5), optimizer="adam")
    bad = x.copy()
    bad[40] = 0.0
    history = model.fit(bad, y, batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=guards)
    return model.get_weights(), len(history.history["loss"])

plain = weights_after([])
going_on = weights_after([devicekit.NanGuard(quiet=True, every=3)])
stopped = weights_after([devicekit.NanGuard(quiet=True, every=3, stop=True)])
same = all(np.array_equal(old, new, equal_nan=True) for old, new in zip(plain[0], going_on[0]))
small = devicekit.NanGuard(quiet=True, memory_gb=1e-6)
weights_after([small])
print(json.dumps({"same": same, "epochs": [plain[1], going_on[1], stopped[1]], "small": small.report.record.problem,
                  "code": small.report.findings[0].code}))
""",
        str(tmp_path / "step.npz"),
    )
    assert data["same"]
    assert data["epochs"] == [3, 3, 1]
    if data["code"] == "cause-unknown":
        assert "memory_gb" in data["small"]


@only_tf2
def test_a_monitor_with_a_guard_in_it(program, tmp_path):
    path = tmp_path / "step.npz"
    data = program(
        PROGRAM
        + """
from devicekit.watch import MonitorReport
import devicekit.watch.nan_replay as replay
rounds = []
investigate = replay.investigate
replay.investigate = lambda *arguments: rounds.append(1) or investigate(*arguments)
zero = x.copy()
zero[40] = 0.0

def train(data, *guards):
    monitor = devicekit.Monitor(nan=True, quiet=True)
    model = model_of(Log(name="log_of_x"), L.Dense(5))
    before = len(rounds)
    model.fit(data, y, batch_size=8, shuffle=False, verbose=0, epochs=2, callbacks=[*guards, monitor])
    report = monitor.report
    again = json.loads(json.dumps(monitor.to_dict(), allow_nan=False))
    assert (again["nan"] is None) == (report.nan is None)
    function = model.train_function
    return {"codes": [item.code for item in report.findings], "step": report.nan and report.nan.record.step,
            "rounds": len(rounds) - before, "steps": report.record.steps, "text": str(monitor), "page": monitor._repr_html_(),
            "wrapped": hasattr(function, "nan_recorder") or hasattr(getattr(function, "__self__", None), "_wrapped")}

own = devicekit.NanGuard(quiet=True, save=sys.argv[1])
found = {"healthy": train(x), "alone": train(zero), "both": train(zero, own)}
found["own"] = outcome(own)
found["saved"] = os.path.exists(sys.argv[1])
print(json.dumps(found))
""",
        str(path),
    )
    assert not {"operation-undefined", "cause-unknown"} & set(data["healthy"]["codes"])
    assert data["healthy"]["step"] is None
    for name in ("alone", "both"):
        found = data[name]
        assert (found["codes"][0], found["step"], found["steps"]) == ("operation-undefined", 5, 24)
        # The state was kept and the step repeated once, for both.
        assert (found["rounds"], found["wrapped"]) == (1, False)
        assert "log_of_x" in found["text"]
        assert "operation-undefined" in found["page"]
    assert (data["own"]["code"], data["own"]["step"], data["saved"]) == ("operation-undefined", 5, True)


@only_tf2
def test_what_the_first_step_makes_begins_as_it_did(program, tmp_path):
    """Optimizers make variables that begin with something else than zero, and a schedule is not asked for its step."""
    data = program(
        PROGRAM
        + OWN_STEP
        + """
bad = x.copy()
bad[43] = 0.0
policies = keras.config if ops else keras.mixed_precision
set_policy = policies.set_dtype_policy if ops else policies.set_global_policy
guards = {}
for name, optimizer, options in (
    ("scaled", "adam", {}), ("adagrad", keras.optimizers.Adagrad(0.01), {}), ("nadam", "nadam", {}),
    ("eager", keras.optimizers.Adagrad(0.01), {"run_eagerly": True}),
    ("schedule", keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)), {}),
):
    if name == "scaled":
        set_policy("mixed_float16")
    model = model_of(Log(name="log_of_x"), L.Dense(5), optimizer=optimizer, **options)
    set_policy("float32")
    guards[name] = fit(model, bad)

if Own is not None:
    guards["own step"] = fit(own_step("adam"), bad)
rates = {name: guard.report.record.learning_rate for name, guard in guards.items()}
print(json.dumps({"found": {name: outcome(guard) for name, guard in guards.items()}, "rates": rates}))
""",
        str(tmp_path / "step.npz"),
    )
    found = {name: (item["code"], item["step"], item["layer"], item["rows"]) for name, item in data["found"].items()}
    assert found == dict.fromkeys(found, ("operation-undefined", 5, "log_of_x", [3]))
    assert data["rates"]["adagrad"] == pytest.approx(0.01)
    assert data["rates"]["schedule"] in (None, pytest.approx(0.1 * 0.5**5))


@only_tf2
def test_compiled_steps_accumulated_gradients_and_steps_of_its_own(program, tmp_path):
    data = program(
        PROGRAM
        + OWN_STEP
        + """
if not ops:
    print(json.dumps({}))
    raise SystemExit
bad = x.copy()
bad[43] = 0.0
every = {"gradient_accumulation_steps": 4}
Adam, SGD = keras.optimizers.Adam, keras.optimizers.SGD
models = {"accumulated": model_of(Log(name="log_of_x"), L.Dense(5), optimizer=Adam(1e-3, **every))}
if Own is not None:  # torch.compile would take a minute
    models["compiled"] = model_of(Log(name="log_of_x"), L.Dense(5), optimizer="adam", jit_compile=True)
    models["all"] = own_step(Adam(1e-3, **every), jit_compile=True)
found = {name: outcome(fit(model, bad)) for name, model in models.items()}
# The gradient is not finite from the first step on, but the weights are until it is applied.
inner = L.Dense(8, use_bias=False, kernel_initializer="zeros")
gradient = outcome(fit(model_of(inner, Root(name="root_of_x"), L.Dense(5), optimizer=SGD(1e-3, **every))))
healthy = outcome(fit(model_of(optimizer=SGD(1e-3, **every), jit_compile=Own is not None)))
print(json.dumps({"found": found, "gradient": gradient, "healthy": healthy}))
""",
        str(tmp_path / "step.npz"),
    )
    if not data:
        pytest.skip("these are for Keras 3")
    found = {name: (item["code"], item["step"], item["layer"], item["rows"]) for name, item in data["found"].items()}
    assert found == dict.fromkeys(found, ("operation-undefined", 5, "log_of_x", [3]))
    gradient = data["gradient"]
    assert [gradient[name] for name in ("code", "step", "layer")] == ["operation-undefined", 0, "root_of_x"]
    assert gradient["phase"] == "gradient"
    assert data["healthy"] is None


@only_tf2
def test_what_no_variable_of_the_model_has(program, tmp_path):
    """Variables that Keras does not know are repeated as they were; if something else differs, no step is named."""
    data = program(
        PROGRAM
        + """
framework = keras.backend.backend() if ops else "tensorflow"
if framework == "jax":
    print(json.dumps({}))
    raise SystemExit
found = {}
if framework == "tensorflow":
    import tensorflow as tf

    class Own(keras.Model):
        def train_step(self, data):
            inputs, targets = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(inputs, training=True) - targets) ** 2)
            for total, gradient in zip(self.totals, tape.gradient(loss, self.trainable_variables)):
                total.assign_add(gradient)
            self.count.assign_add(1)

            def apply():
                pairs = zip(self.totals, self.trainable_variables)
                self.optimizer.apply_gradients([(item / 4.0, own) for item, own in pairs])
                for item in self.totals:
                    item.assign(tf.zeros_like(item))
                return 0

            tf.cond(self.count % 4 == 0, apply, lambda: 0)
            return {"loss": loss}

    bad = x.copy()
    bad[43] = 0.0
    inner = keras.Input((8,))
    model = Own(inner, L.Dense(4)(Log(name="log_of_x")(inner)))
    model.totals = [tf.Variable(tf.zeros(item.shape), trainable=False) for item in model.trainable_variables]
    model.count = tf.Variable(0, trainable=False)
    model.compile(keras.optimizers.SGD(1e-3))
    found["accumulated"] = outcome(fit(model, bad))

class Reset(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.weights = self.model.get_weights()

    def on_train_batch_end(self, batch, logs=None):
        if batch < 7:
            self.model.set_weights(self.weights)

keras.utils.set_random_seed(1)
relu = [L.Dense(64, activation="relu") for _ in range(2)]
model = model_of(*relu, optimizer=keras.optimizers.SGD(50.0))
guard = devicekit.NanGuard(quiet=True, every=100)
model.fit(x, y, batch_size=8, shuffle=False, verbose=0, callbacks=[guard, Reset()])
found["reset"] = outcome(guard)
print(json.dumps(found))
""",
        str(tmp_path / "step.npz"),
    )
    if not data:
        pytest.skip("on JAX a callback does not change the state, and all of it is in the model's variables")
    if "accumulated" in data:
        own = data["accumulated"]
        assert (own["code"], own["step"], own["layer"], own["rows"]) == ("operation-undefined", 5, "log_of_x", [3])
    assert (data["reset"]["code"], data["reset"]["step"]) == ("cause-unknown", None)
    assert "go another way" in " ".join(data["reset"]["text"].split())


@only_tf2
def test_ctrl_c_and_copies(program, tmp_path):
    """What a step showed before Ctrl-C is reported, nothing stays behind, and callbacks can be copied and sent."""
    data = program(
        PROGRAM
        + """
import copy, pickle
bad = x.copy()
bad[11] = 0.0
seen = []

def batches():
    for step in range(12):
        if step == 6:
            raise KeyboardInterrupt
        yield bad[8 * step:8 * step + 8], y[8 * step:8 * step + 8]

class Stop(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 6:
            raise KeyboardInterrupt

model = model_of(Log(name="log_of_x"), L.Dense(5))
stopped = devicekit.NanGuard(quiet=True)
try:
    model.fit(bad, y, batch_size=8, shuffle=False, verbose=0, callbacks=[stopped, Stop()])
except KeyboardInterrupt as error:
    kept = error  # as a notebook does, and with it all frames of fit
wrapped = hasattr(model.train_function, "nan_recorder")
model = model_of(Log(name="log_of_x"), L.Dense(5))
guard, monitor = devicekit.NanGuard(quiet=True), devicekit.Monitor(quiet=True)
try:
    model.fit(batches(), verbose=0, callbacks=[guard, monitor])
except BaseException as error:
    seen.append(type(error).__name__)
callbacks = [guard, monitor]
copies = [copy.deepcopy(callbacks), pickle.loads(pickle.dumps(callbacks))]
same = [[str(one) == str(other) for one, other in zip(callbacks, items)] for items in copies]
fresh = copies[1]
fresh[0].report = None
model = model_of(L.Dense(5))
model.fit(x, y, verbose=0, callbacks=fresh)
print(json.dumps({"seen": seen, "same": same, "report": guard.report is not None, "fresh": fresh[0].report is None,
                  "steps": fresh[1].report.record.steps, "stopped": outcome(stopped), "wrapped": wrapped}))
""",
        str(tmp_path / "step.npz"),
    )
    assert data["seen"]
    assert data["same"] == [[True, True], [True, True]]
    assert data["fresh"]
    assert data["steps"] == 3
    assert (data["stopped"]["code"], data["stopped"]["step"], data["wrapped"]) == ("operation-undefined", 1, False)
