"""`compare` on real models: a layer with a fault is named, and no other; a model without one raises nothing."""

import pytest
from compare_models import CLEAN, DRAWING, FAULTS, GRAPH_FAULTS, TENSORFLOW, check_faults
from live_prelude import only_tf1, only_tf2

START = TENSORFLOW + FAULTS


@only_tf2
def test_planted_faults_are_named_with_their_layer_and_no_other(program):
    found = program(START + "print(json.dumps(plant('cpu:1')))")
    assert len(found) == 5
    check_faults(found)


@only_tf1
def test_planted_faults_are_named_in_graphs(program):
    found = program(START + GRAPH_FAULTS + "print(json.dumps(plant('cpu:1')))")
    assert len(found) == 5
    check_faults(found)


@only_tf2
def test_models_without_a_fault_raise_nothing(program):
    code = """
found = {}
for seed, (name, make) in enumerate(MODELS.items()):
    tf.random.set_seed(seed)
    model = make()
    before = [np.array(item) for item in model.get_weights()]
    comparison = devicekit.compare(model, inputs_of(name, seed), devices=("cpu", "cpu:1"), seed=seed)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    layers = sorted({item.name for item in comparison.differences if item.kind == "layer"})
    found[name] = [layers, comparison.agrees, [item.code for item in comparison.findings], list(comparison.devices)]
    assert comparison.agrees and not comparison.findings, (name, named(comparison, "cpu", "cpu:1"))
print(json.dumps(found))
"""
    found = program(START + CLEAN + code, timeout=900)
    assert {name: value[1:] for name, value in found.items()} == {name: [True, [], ["cpu", "cpu:1"]] for name in found}
    assert len(found) == 6
    assert {"inner/dense", "twice"} <= {name.rstrip("_0123456789") for name in found["nested"][0]}
    assert {"first", "first/inner", "first/norm", "second", "last"} <= set(found["subclassed"][0])


@only_tf2
def test_a_layer_that_draws_random_numbers_in_inference_is_not_compared(program):
    code = "print(json.dumps([drawing(seed) for seed in ('held', None, 3)] if V3 else []))"
    assert program(START + DRAWING + code) in ([], [[True, "not-compared", "agrees"]] * 3)


@only_tf2
def test_what_rounding_alone_does_is_not_called_wrong(program):
    code = """
def alike():
    start = keras.Input((6,), dtype="int32")
    x = L.Embedding(20, 4)(start)
    x = L.Attention()([x, x])  # nearly the mean for each token: the keys of the next are alike, and its gradient cancels
    x = L.Attention(use_scale=True)([x, x])
    return keras.Model(start, L.Dense(1)(L.GlobalAveragePooling1D()(x)))

def masked():  # whether a subnormal number is zero
    start = keras.Input((4, 3))
    return keras.Model(start, L.Dense(1)(L.GRU(3)(L.Masking(0.0)(start))))

wrong = {}
for make in (alike, masked):
    for seed in range(2):
        tf.random.set_seed(seed)
        comparison = devicekit.compare(make(), devices="cpu", seed=seed)
        if comparison.findings:
            wrong["%s %d" % (make.__name__, seed)] = named(comparison, "cpu")

def overflowing(size):
    model = keras.Sequential([keras.Input((2,)), L.Dense(1, dtype="mixed_float16", kernel_initializer="ones")])
    x = np.full((8, 2), size, "float32")
    found = devicekit.compare(model, x, x[:, :1], devices="cpu", loss="mse", optimizers=["sgd"], steps=4)
    return [[item.verdict, len(item.loss), item.detail] for item in found.divergences], len(found.findings)
print(json.dumps([wrong, overflowing(300.0), overflowing(20.0)]))
"""
    wrong, at_once, later = program(START + code, timeout=900)
    assert wrong == {}
    assert [item[0] for item in at_once[0]] == ["not-compared"]
    assert later[0]
    for verdict, steps, detail in later[0]:
        assert verdict == "agrees"
        assert 0 < steps < 4
        assert "no finite weights on the CPU" in detail
    assert at_once[1] == later[1] == 0


@only_tf2
def test_the_model_and_the_process_are_left_as_they_were(program):
    code = """
import random
class Raises(L.Layer):
    error = KeyError
    def call(self, x):
        if on_the_device(x):
            raise self.error("on the device")
        return x
layers = [L.Dense(8), L.BatchNormalization(), Raises(name="raises"), L.Dropout(0.5), L.Dense(1)]
model = keras.Sequential([keras.Input((6,))] + layers)
model.compile("adam", "mse", metrics=["mae"])
x, y = np.random.RandomState(0).normal(size=(16, 6)).astype("float32"), np.ones((16, 1), "float32")
model.fit(x, y, batch_size=8, verbose=0)
def state():
    optimizer = model.optimizer.variables
    variables = list(model.weights) + list(optimizer() if callable(optimizer) else optimizer)
    variables += [item for metric in model.metrics for item in metric.variables]
    values = [np.array(item).tolist() for item in variables]
    keys = {layer.name: sorted(vars(layer)) for layer in model.layers}
    policy = keras.mixed_precision.global_policy().name
    return [values, keys, policy, keras.backend.floatx(), model.loss, id(model.optimizer)]
def draw():
    initial = np.array(L.Dense(2).kernel_initializer((2, 2))).tolist()
    return [random.random(), np.random.rand(), float(tf.random.uniform(())), initial]
def seed():
    random.seed(1); np.random.seed(1); tf.random.set_seed(1)
seed(); drawn = draw(); seed()
before = state()
failed = devicekit.compare(model, x, y, devices="cpu:1", steps=0)
verdicts = sorted({(item.name, item.verdict) for item in failed.differences if item.verdict != "agrees"})
after = state()
Raises.error = KeyboardInterrupt
interrupted = False
try:
    devicekit.compare(model, x, y, devices="cpu:1", steps=0)
except KeyboardInterrupt:
    interrupted = True
print(json.dumps([verdicts, interrupted, after == before, state() == before, draw() == drawn, failed.agrees]))
"""
    verdicts, interrupted, *same = program(START + code)
    assert verdicts == [["raises", "failed"], ["sequential", "failed"]]
    assert interrupted
    assert same == [True, True, True, False]


@only_tf2
def test_a_gradient_of_the_users_own_that_is_wrong_everywhere(program):
    code = """
class Doubled(L.Layer):
    def call(self, x):
        @tf.custom_gradient
        def square(value):
            return value * value, lambda upstream: upstream * value
        return square(x)
class Stopped(Doubled):
    def call(self, x):
        @tf.custom_gradient
        def stopped(value):
            return value * value, lambda upstream: tf.zeros_like(upstream)
        return stopped(x)
found = []
for layer in (Doubled(name="own"), Stopped(name="own")):
    model = keras.Sequential([keras.Input((6,)), L.Dense(4), layer, L.Dense(1)])
    found.append(named(devicekit.compare(model, devices="cpu"), "cpu"))
print(json.dumps(found))
"""
    wrong, stopped = program(START + code)
    assert list(wrong) == ["own"]
    assert [item[:2] for item in wrong["own"]] == [["gradient of input 0", "differs"]]
    assert "finite difference" in wrong["own"][0][3]
    assert stopped == {}


@only_tf2
def test_what_cannot_be_compared_is_said(program):
    code = """
model = keras.Sequential([keras.Input((4,)), L.Dense(2)])
x, y = np.ones((3, 4), "float32"), np.ones((3, 2), "float32")
said = []
def refuse(*arguments, **options):
    try:
        devicekit.compare(*arguments, **options)
        said.append("nothing")
    except (ValueError, devicekit.DevicekitError) as error:
        said.append("%s: %s" % (type(error).__name__, str(error)[:60]))
refuse(model, tf.ragged.constant([[1.0], [2.0, 3.0]]))
refuse(model, tf.data.Dataset.from_tensors(x))
refuse(model, np.array([["text"] * 4]))
refuse(model, x, y[:2])
refuse(model, x, y)
refuse(model, x, steps=3)
refuse(model, np.ones((3, 5), "float32"))
refuse(keras.Sequential([L.Dense(2)]))
refuse(model, x, devices="gpu", framework="tensorflow")
refuse(model, x, framework="jax")
print(json.dumps(said))
"""
    assert [text.partition(":")[0] for text in program(START + code)] == ["ValueError"] * 6 + [
        "DevicekitError", "ValueError", "DeviceUnavailableError", "ValueError"
    ]  # fmt: skip


@only_tf1
def test_models_in_graphs(program):
    code = """
found = {}
for name in ("dense", "convolution", "nested", "composed", "subclassed"):
    model = MODELS[name]()
    before = [np.array(item) for item in model.get_weights()]
    operations = len(tf.compat.v1.get_default_graph().get_operations())
    comparison = devicekit.compare(model, inputs_of(name, 0), devices=("cpu", "cpu:1"))
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    found[name] = [comparison.agrees, len(comparison.findings), named(comparison, "cpu", "cpu:1")]
    found[name].append(len(tf.compat.v1.get_default_graph().get_operations()) - operations < 200)
class Unknown(L.Layer):
    def __init__(self, units):
        super().__init__()
    def call(self, x):
        return x
try:
    devicekit.compare(keras.Sequential([keras.Input((6,)), Unknown(3)]), devices="cpu")
except devicekit.DevicekitError as error:
    found["error"] = str(error)
print(json.dumps(found))
"""
    found = program(START + CLEAN + code, timeout=900)
    assert "from its configuration" in found.pop("error")
    assert found == {name: [True, 0, {}, True] for name in found}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"devices": ()}, "devices is empty"),
        ({"devices": "gpu:0,1"}, "several devices"),
        ({"devices": "disk"}, "unknown device"),
        ({"frameworks": ["jax"]}, "two or more"),
        ({"optimizers": ["best"]}, "unknown optimizer"),
        ({"steps": -1}, "steps"),
        ({"batch_size": 0}, "batch_size"),
        ({"seed": True}, "seed"),
        ({"targets": [1.0]}, "for Keras models"),
        ({}, "a function needs inputs"),
    ],
)
def test_arguments_that_are_wrong(options, words):
    import devicekit

    with pytest.raises(ValueError, match=words):
        devicekit.compare(lambda x: x, **options)


@only_tf2
def test_what_was_adapted_is_in_the_reference_too(program):
    code = """
layer = L.Normalization() if hasattr(L, "Normalization") else L.experimental.preprocessing.Normalization()
layer.adapt(np.random.RandomState(0).uniform(size=(50, 6)).astype("float32") * 9)
model = keras.Sequential([keras.Input((6,)), layer, L.Dense(1)])
print(json.dumps(named(devicekit.compare(model, devices="cpu"), "cpu")))
"""
    assert program(START + code) == {}


@only_tf2
def test_a_model_compiled_with_a_loss_and_metrics_of_the_users_own_is_trained(program):
    code = """
def far(y, p):
    return ops.mean(ops.square(y - p)) if V3 else tf.reduce_mean(tf.square(y - p))

model = keras.Sequential([keras.Input((6,)), L.Dense(4, activation="relu"), L.Dense(1)])
model.compile("sgd", loss=far, metrics=[far])
x = np.random.RandomState(0).standard_normal((8, 6)).astype("float32")
comparison = devicekit.compare(model, x, x[:, :1], devices="cpu", optimizers=["sgd"], steps=2)
model.train_on_batch(x, x[:, :1])  # it is still compiled
print(json.dumps([(item.verdict, item.detail) for item in comparison.divergences]))
"""
    found = program(START + code)
    assert found
    assert {verdict for verdict, _ in found} == {"agrees"}, found


@only_tf2
def test_what_a_configuration_leaves_out_accuses_no_device(program):
    code = """
class Scaled(L.Layer):
    def __init__(self, factor=1.0, **more):
        super().__init__(**more)
        self.factor = factor
    def call(self, x):
        return x * self.factor
    def get_config(self):
        return super().get_config()

def scaled():
    return keras.Sequential([keras.Input((6,)), Scaled(3.0), L.Dense(1)])

def adapted():
    model = keras.Sequential([keras.Input((6,)), L.Dense(4), L.Dense(1)])
    if V3:
        model.layers[0].enable_lora(2, lora_alpha=8)
        model.layers[0].lora_kernel_b.assign(np.ones((2, 4), "float32"))
    return model

x = np.random.RandomState(0).standard_normal((8, 6)).astype("float32")
found = {}
for make in (scaled, adapted):
    comparison = devicekit.compare(make(), x, devices=("cpu", "cpu:1"))
    found[make.__name__] = [named(comparison, "cpu", "cpu:1"), len(comparison.findings)]
    found[make.__name__].append(any("float64" in item.detail for item in comparison.differences))
print(json.dumps([found, V3]))
"""
    found, keras3 = program(START + code)
    assert found["scaled"] == [{}, 0, keras3]
    assert found["adapted"] == [{}, 0, False]


@only_tf2
def test_a_stateful_model_is_compared_with_its_own_number_of_examples_and_keeps_its_state(program):
    code = """
start = keras.Input(batch_shape=(4, 5, 3))
hidden = L.GRU(6, stateful=True, return_sequences=True)(start)
model = keras.Model(start, L.Dense(1)(L.LSTM(6, stateful=True)(hidden)))
data = np.random.RandomState(0).standard_normal((8, 5, 3)).astype("float32")
model.predict(data, batch_size=4, verbose=0)
states = [np.array(item) for layer in model.layers for item in getattr(layer, "states", None) or ()]
comparison = devicekit.compare(model, data, data[:, 0, :1], devices="cpu", loss="mse", optimizers=["sgd"], steps=2)
after = [np.array(item) for layer in model.layers for item in getattr(layer, "states", None) or ()]
assert len(states) == 3 and all(map(np.array_equal, states, after))
details = [item.detail for item in comparison.differences if "CPU" in item.detail]
print(json.dumps([named(comparison, "cpu"), details, [item.verdict for item in comparison.divergences]]))
"""
    wrong, details, trained = program(START + code)
    assert (wrong, details) == ({}, [])
    assert trained
    assert set(trained) == {"agrees"}


@only_tf2
def test_a_model_in_bfloat16_that_draws_random_numbers_or_has_no_float64_trains_alike_when_compiled(program):
    code = """
class Halved(L.Layer):
    def call(self, x):
        return x * tf.constant(0.5, tf.bfloat16)

verdicts = []
if V3:
    x = np.random.RandomState(0).standard_normal((16, 8, 8, 2)).astype("float32")
    for layer in (L.RandomFlip, Halved):
        keras.utils.set_random_seed(1)
        parts = [layer(dtype="mixed_bfloat16"), L.Conv2D(4, 3, activation="relu", dtype="mixed_bfloat16")]
        parts += [L.BatchNormalization(dtype="mixed_bfloat16"), L.MaxPooling2D(), L.Flatten()]
        parts += [L.LayerNormalization(dtype="mixed_bfloat16"), L.Dense(5)]
        model = keras.Sequential([keras.Input((8, 8, 2)), *parts])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        found = devicekit.compare(model, x, np.arange(16) % 5, devices="cpu", optimizers=["sgd"], steps=3).divergences
        verdicts += [item.verdict for item in found]
print(json.dumps([verdicts, V3]))
"""
    verdicts, keras3 = program(START + code)
    # Two models, two optimizers, each eager and compiled.
    assert verdicts == ["agrees"] * 8 * keras3


@only_tf2
def test_the_whole_of_a_sequential_model_is_compared_in_float64(program):
    code = """
model = keras.Sequential([keras.Input((6,)), L.Dense(4, activation="relu"), L.Dense(1)])
print(json.dumps([item.detail for item in devicekit.compare(model, devices="cpu").differences if item.kind == "model"]))
"""
    assert not any("float64" in detail for detail in program(START + code))
