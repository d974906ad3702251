"""`device_scope` on a CPU that is split into logical devices; TensorFlow says where things are."""

import pytest
from live_prelude import PRELUDE, only_tf1, only_tf2

SPLIT = PRELUDE + "import devicekit\nsplit_cpu()\n"
WHERE = "def where(x): return x.device.rpartition('device:')[2]\ndef here(): return where(tf.add(1.0, 1.0))\n"


@only_tf2
def test_variables_operations_functions_nesting_and_restoring(program):
    code = (
        SPLIT
        + WHERE
        + """
seen = {}
with devicekit.device_scope("/CPU:1") as selection:
    seen["variable"], seen["operation"] = where(tf.Variable(1.0)), here()
    seen["function"] = where(tf.function(lambda x: x @ x)(tf.ones((2, 2))))
    with devicekit.device_scope("cpu:2"):
        seen["nested"] = here()
    seen["restored"] = here()
    try:
        with devicekit.device_scope("cpu:2"):
            raise KeyError
    except KeyError:
        seen["after an error"] = here()
seen["outside"] = here()
scope = devicekit.device_scope("cpu:1")
with scope:
    with scope:
        seen["entered twice"] = here()
    seen["left once"] = here()
seen["left twice"] = here()
print(json.dumps([seen, selection.device]))
"""
    )
    seen, device = program(code)
    assert seen == {
        "variable": "CPU:1", "operation": "CPU:1", "function": "CPU:1", "nested": "CPU:2", "restored": "CPU:1",
        "after an error": "CPU:1", "outside": "CPU:0", "entered twice": "CPU:1", "left once": "CPU:1", "left twice": "CPU:0",
    }  # fmt: skip
    assert device == "cpu:1"


@pytest.mark.smoke
@only_tf2
def test_fit_places_weights_and_optimizer(program):
    code = (
        SPLIT
        + """
import numpy as np
model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
with devicekit.device_scope("cpu:1"):
    model.compile("adam", "mse")
    model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), verbose=0)
slots = model.optimizer.variables
slots = slots() if callable(slots) else slots
def device(variable):
    inner = getattr(variable, "value", variable)
    return (variable if callable(inner) else inner).device
print(json.dumps(sorted({device(v).rpartition("device:")[2] for v in list(model.weights) + list(slots)})))
"""
    )
    assert program(code) == ["CPU:1"]


@only_tf2
def test_decorators(program):
    code = (
        SPLIT
        + WHERE
        + """
import asyncio
@devicekit.device_scope("cpu:1")
def function(): return here()
@devicekit.device_scope("cpu:1")
def generator():
    got = yield here()
    yield [got, here()]
@devicekit.device_scope("cpu:2")
async def coroutine():
    await asyncio.sleep(0)
    return here()
steps = generator()
seen = [function(), next(steps), here(), steps.send("sent"), here(), asyncio.run(coroutine()), here(), function.__name__]
print(json.dumps(seen))
"""
    )
    assert program(code) == ["CPU:1", "CPU:1", "CPU:0", ["sent", "CPU:1"], "CPU:0", "CPU:2", "CPU:0", "function"]


@only_tf2
def test_threads_have_their_own_scopes_also_with_one_object(program):
    code = (
        SPLIT
        + WHERE
        + """
import threading
shared = devicekit.device_scope("cpu:1")
seen, errors = [set(), set(), set()], []
def work(number, scope, repeat):
    try:
        for _ in range(repeat):
            with scope or devicekit.device_scope("cpu:%d" % number):
                seen[number].add(here())
    except Exception as error:
        errors.append(repr(error))
threads = [threading.Thread(target=work, args=a) for a in ((0, None, 300), (2, None, 300), (1, shared, 300), (1, shared, 300))]
[t.start() for t in threads]; [t.join() for t in threads]
print(json.dumps([[sorted(s) for s in seen], errors, here()]))
"""
    )
    assert program(code) == [[["CPU:0"], ["CPU:1"], ["CPU:2"]], [], "CPU:0"]


@only_tf2
def test_tasks_keep_their_devices_across_await(program):
    code = (
        SPLIT
        + WHERE
        + """
import asyncio
async def placed(number, repeat):
    seen = set()
    for _ in range(repeat):
        with devicekit.device_scope("cpu:%d" % number):
            seen.add(here())
            await asyncio.sleep(0)
            seen.add(here())
            with devicekit.device_scope("cpu:0"):
                await asyncio.sleep(0.001)
                assert here() == "CPU:0"
            seen.add(here())
        assert here() == "CPU:0"
    return sorted(seen)
async def unplaced():
    seen = set()
    for _ in range(30):
        seen.add(here())
        await asyncio.sleep(0.0005)
    return sorted(seen)
async def failing():
    with devicekit.device_scope("cpu:2"):
        await asyncio.sleep(0.002)
        raise KeyError("expected")
async def canceled():
    with devicekit.device_scope("cpu:2"):
        await asyncio.sleep(60)
async def main():
    loop = asyncio.get_event_loop()
    late = loop.create_task(canceled())
    results = await asyncio.gather(placed(1, 9), unplaced(), placed(2, 7), failing(), return_exceptions=True)
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    return [str(r) if isinstance(r, Exception) else r for r in results] + [here()]
original = asyncio.Handle._run
results = asyncio.run(main())
print(json.dumps(results + [here(), asyncio.Handle._run is original]))
"""
    )
    assert program(code) == [["CPU:1"], ["CPU:0"], ["CPU:2"], "'expected'", "CPU:0", "CPU:0", True]


@pytest.mark.smoke
@only_tf2
def test_a_device_that_is_not_there(program):
    code = (
        SPLIT
        + WHERE
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        with devicekit.device_scope("gpu") as selection:
            place = here()
try:
    with devicekit.device_scope("gpu:3", require=True):
        place = "entered"
except devicekit.DeviceUnavailableError as error:
    message = str(error)
errors = []
for wrong in ("banana", "gpu:0,1", 5, ["gpu"]):
    try:
        devicekit.device_scope(wrong)
    except ValueError as error:
        errors.append(str(error)[:20])
print(json.dumps([place, selection.fallback, [type(w.message).__name__ for w in caught], message, len(errors)]))
"""
    )
    place, fallback, categories, message, errors = program(code)
    assert (place, fallback, errors) == ("CPU:0", True, 4)
    assert categories == ["FallbackWarning"]
    assert "'gpu:3' was required" in message


@only_tf2
def test_without_an_argument_it_is_what_auto_chose(program):
    code = """
import devicekit, json
with devicekit.device_scope() as before:
    pass
devicekit.auto("cpu")
with devicekit.device_scope() as after:
    pass
print(json.dumps([before.device, after.device]))
"""
    assert program(code, flags=["-W", "ignore"]) == ["cpu", "cpu"]


@pytest.mark.parametrize(
    "calls, told",
    [
        ("()", [""]),
        ("('auto')('auto')('fastest')", [""]),
        ("('gpu')('auto')", ["gpu"]),
        ("('auto')('gpu')", ["", "gpu"]),
        ("('cpu')", []),
    ],
)
@only_tf2
def test_a_device_that_is_left_open_falls_back_with_one_warning(program, calls, told):
    code = """
from devicekit.runtime import scope_target
from devicekit.testing import load
machine = load("linux-cudnn-missing")
scope_target.real_machine = lambda: machine
seen = []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for call in sys.argv[1].replace(")(", ") (").split():
        with eval("devicekit.device_scope" + call) as selection:
            seen.append([selection.device, selection.fallback])
texts = [str(item.message) for item in caught if isinstance(item.message, devicekit.FallbackWarning)]
print(json.dumps([seen, texts]))
"""
    seen, texts = program(PRELUDE + "import devicekit\n" + code, calls)
    assert seen == [["cpu", "'cpu'" not in calls]] * calls.count("(")
    assert [text.partition(":")[0] for text in texts] == ["cudnn-missing"] * len(told)
    assert ["'gpu' was requested." in text for text in texts] == [name == "gpu" for name in told]


@only_tf2
def test_a_comparison_says_why_auto_is_the_cpu(program):
    code = """
import devicekit
import numpy as np
from devicekit.runtime import scope_target
from devicekit.testing import load
machine = load("linux-cudnn-missing")
scope_target.real_machine = lambda: machine
model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
model.build((None, 3))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = devicekit.compare(model, np.ones((2, 3), "float32"))
named = devicekit.compare(model, np.ones((2, 3), "float32"), devices="cpu")
codes = [[item.code for item in found.findings] for found in (result, named)]
print(json.dumps([codes, [item.category.__name__ for item in caught if "cudnn" in str(item.message)]]))
"""
    assert program(PRELUDE + code) == [[["cudnn-missing"], []], ["FallbackWarning"]]


@only_tf1
def test_graphs_and_sessions(program):
    code = (
        SPLIT
        + """
with devicekit.device_scope("cpu:1") as selection:
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v = tf.Variable([[1.0, 0.0], [0.0, 1.0]], name="v")
    with devicekit.device_scope("/CPU:2"):
        b = tf.matmul(a, v)
    c = b + a
d = c + 1.0
options, metadata = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE), tf.compat.v1.RunMetadata()
with tf.compat.v1.Session() as session:
    session.run(tf.compat.v1.global_variables_initializer())
    result = session.run(d, options=options, run_metadata=metadata)
ran = {n.node_name: s.device.rpartition("device:")[2] for s in metadata.step_stats.dev_stats for n in s.node_stats}
print(json.dumps([[x.device for x in (a, v, b, c, d)], ran["MatMul"], result.tolist(), selection.device]))
"""
    )
    placed, ran, result, device = program(code)
    assert placed == ["/device:CPU:1", "/device:CPU:1", "/device:CPU:2", "/device:CPU:1", ""]
    assert ran == "CPU:2"
    assert result == [[3.0, 5.0], [7.0, 9.0]]
    assert device == "cpu:1"


@only_tf1
def test_fit_and_eager_execution_in_tensorflow_1(program):
    code = (
        SPLIT
        + """
import numpy as np
with devicekit.device_scope("cpu:1"):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    losses = model.fit(np.ones((8, 3)), np.ones((8, 1)), epochs=2, verbose=0).history["loss"]
print(json.dumps([sorted({w.device for w in model.weights}), bool(losses[1] < losses[0])]))
"""
    )
    assert program(code) == [["/device:CPU:1"], True]
    code = (
        PRELUDE
        + "import devicekit\nsplit_cpu()\ntf.compat.v1.enable_eager_execution()\n"
        + WHERE
        + """
with devicekit.device_scope("cpu:1"):
    inside = here()
print(json.dumps([inside, here()]))
"""
    )
    assert program(code) == ["CPU:1", "CPU:0"]


@pytest.mark.parametrize("body", ["pass", "raise KeyError"])
def test_a_scope_leaves_no_trace(program, body):
    code = (
        SPLIT
        + """
try:
    with devicekit.device_scope("cpu"):
        %s
except KeyError:
    pass
print(json.dumps(tf.add(1.0, 1.0).device))
"""
        % body
    )
    assert program(code).rpartition(":")[0] in ("", "/job:localhost/replica:0/task:0/device:CPU")


#: A layer whose gradient is computed where `on_cpu` says, next to the same one without it.
ON_CPU = """
import numpy as np
keras = tf.keras
L = keras.layers
V3 = keras.__version__.startswith("3.")
def make(wrap):
    keras.utils.set_random_seed(3) if hasattr(keras.utils, "set_random_seed") else tf.compat.v1.set_random_seed(3)
    around = devicekit.on_cpu if wrap else lambda layer: layer
    words = keras.Input((6,), dtype="int32")
    x = around(L.Embedding(10, 8, mask_zero=True))(words)
    x = around(L.LSTM(5, return_sequences=True))(x)
    x = around(L.Add())([x, x])  # one tensor twice
    x = around(L.BatchNormalization())(x)
    if V3:
        x = around(L.MultiHeadAttention(2, 4))(x, x)
        x = around(L.Dropout(0.3, seed=5))(x)
    x = around(L.GlobalAveragePooling1D())(x)
    end = around(L.Dense(2, kernel_regularizer="l2", activity_regularizer="l2"))(x)
    return keras.Model(words, end)
generator = np.random.RandomState(0)
x, y = generator.randint(0, 4, (16, 6)).astype("int32"), generator.standard_normal((16, 2)).astype("float32")
def apart(one, other):
    return max(float(np.abs(np.array(a) - np.array(b)).max()) for a, b in zip(one, other))
def trained(wrap, start=None, **options):
    model = make(wrap)
    if start is not None:
        model.set_weights(start)
    before = model.get_weights()
    model.compile("sgd", "mse", **options)
    losses = model.fit(x, y, epochs=2, batch_size=8, verbose=0, shuffle=False).history["loss"]
    return model, before, losses
"""


@only_tf2
def test_a_layer_on_the_cpu_computes_and_trains_as_it_does_elsewhere(program, tmp_path):
    code = (
        SPLIT
        + ON_CPU
        + """
found = {}
for eager in (True, False):
    alone, start, losses = trained(False, run_eagerly=eager)
    wrapped, _, same = trained(True, start, run_eagerly=eager)
    found["eager" if eager else "compiled"] = [apart(alone.get_weights(), wrapped.get_weights()), apart([losses], [same])]
config = keras.Model.from_config(wrapped.get_config())
config.set_weights(wrapped.get_weights())
path = os.path.join(sys.argv[1], "model.keras" if V3 else "model.h5")
wrapped.save(path)
loaded = keras.models.load_model(path)
found["again"] = [apart([wrapped.predict(x)], [other.predict(x)]) for other in (config, loaded)]
found["names"] = [layer.name for layer in wrapped.layers] == [layer.name for layer in loaded.layers]
places = []
class Where(L.Layer):
    def call(self, x):
        @tf.custom_gradient
        def seen(value):
            result = tf.identity(value)
            places.append(result.device[-5:])
            def back(up):
                up = tf.identity(up)
                places.append(up.device[-5:])
                return up
            return result, back
        return seen(x)
for layer in (Where(), devicekit.on_cpu(Where())):
    value = tf.Variable([1.0, 2.0])
    layer(value)
    del places[:]
    with devicekit.device_scope("cpu:1"):
        with tf.GradientTape() as tape:
            result = layer(value)
        tape.gradient(result, value)
    found.setdefault("places", []).append(list(places))
print(json.dumps(found))
"""
    )
    found = program(code, str(tmp_path), timeout=900)
    assert max(found["eager"] + found["compiled"]) < 1e-5
    assert max(found["again"]) < 1e-6
    assert found["names"]
    assert found["places"] == [["CPU:1", "CPU:1"], ["CPU:0", "CPU:0"]]


@only_tf1
def test_a_layer_on_the_cpu_in_graphs(program):
    code = (
        SPLIT
        + ON_CPU
        + """
alone, start, losses = trained(False)
wrapped, _, same = trained(True, start)
print(json.dumps([apart(alone.get_weights(), wrapped.get_weights()), apart([losses], [same])]))
"""
    )
    assert max(program(code, timeout=900)) < 1e-5
