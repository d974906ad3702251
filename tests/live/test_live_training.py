"""Steps of training on the CPU next to themselves: what is compared, what is left out, and that nothing else changes."""

import pytest
from compare_models import FAULTS, TENSORFLOW
from live_prelude import PRELUDE, VERSION, only_tf1, only_tf2

PROGRAM = (
    PRELUDE
    + """
import numpy as np
import devicekit
warnings.simplefilter("ignore")
keras = tf.keras
layers = keras.layers
model = keras.Sequential([
    layers.InputLayer((6, 6, 2)),
    layers.Conv2D(3, 3, activation="relu"),
    layers.Dropout(0.5),
    layers.Flatten(),
    layers.Dense(4, activation="softmax"),
])
model.compile("sgd", "sparse_categorical_crossentropy")
generator = np.random.RandomState(0)
x, y = generator.standard_normal((12, 6, 6, 2)).astype("float32"), generator.randint(0, 4, 12)
model.train_on_batch(x, y)
before, predicted = [np.array(item) for item in model.get_weights()], model.predict(x)
found = devicekit.compare(model, x, y, devices="cpu", steps=3, batch_size=4, seed=5)
same = all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
again = np.array_equal(predicted, model.predict(x))
model.train_on_batch(x, y)  # what it was compiled with is still there
curves = [(item.loss, item.reference_loss, item.weights, item.rounding, item.seed) for item in found.divergences]
eager = [item for item in found.divergences if not item.compiled_by]
print(json.dumps({
    "same": bool(same), "again": bool(again), "agrees": found.agrees, "rate": model.layers[-3].rate,
    "optimizers": [item.optimizer for item in eager],
    "compiled": [item.label for item in found.divergences if item.compiled_by],
    "verdicts": sorted({item.verdict for item in found.divergences}),
    "steps": sorted({len(curve) for item in curves for curve in item}),
    "repeats": all(item.loss == item.reference_loss and max(item.weights) == 0 for item in eager),
    "falls": all(0 < max(item.rounding) < max(item.seed) for item in found.divergences),
}))
"""
)


def test_the_cpu_beside_itself(program):
    found = program(PROGRAM)
    optimizers = found.pop("optimizers")
    # AdamW came with Keras 2.11.
    assert optimizers in [["SGD, as compiled", "sgd", "momentum", "adam", *more] for more in ([], ["adamw"])]
    compiled = ["%s, steps compiled by tf.function" % name for name in optimizers]
    assert found.pop("compiled") == compiled * (VERSION >= (2, 0))
    expected = {"same": True, "again": True, "agrees": True, "rate": 0.5, "verdicts": ["agrees"], "steps": [3]}
    assert found == dict(expected, repeats=True, falls=True)


#: Models that cannot be trained twice the same without care, or not at all by anyone but their author.
PECULIAR = """
warnings.simplefilter("ignore")
generator = np.random.RandomState(0)
class Sampling(L.Layer):
    def call(self, x):
        numbers = keras.random.normal(ops.shape(x)) if V3 else tf.random.normal(tf.shape(x))
        return x + numbers
class Clock(L.Layer):
    count = 0
    def call(self, x):
        Clock.count += 1
        return x * float(Clock.count % 7)
class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = L.Dense(1)
    def call(self, x):
        return self.dense(x)
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        pairs = zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        self.optimizer.apply_gradients(pairs)
        return {"loss": loss}
class Secret(keras.regularizers.Regularizer):
    def __call__(self, weights):
        return 0.01 * tf.reduce_sum(weights ** 2)
    get_config = None
def images(*layers):
    return keras.Sequential([keras.Input((8, 8, 3)), *layers, L.Conv2D(3, 3), L.Flatten(), L.Dense(1)])
def vectors(*layers):
    return keras.Sequential([keras.Input((8,)), *layers, L.Dense(1)])
def train(model, devices=("cpu", "cpu:1"), **options):
    if not model.built:
        model(np.zeros((2, 8), "float32"))
    shape = (16, 8, 8, 3) if isinstance(model, keras.Sequential) and len(model.input_shape) == 4 else (16, 8)
    x, y = generator.standard_normal(shape).astype("float32"), generator.standard_normal((16, 1)).astype("float32")
    found = devicekit.compare(model, x, y, loss="mse", devices=devices, steps=2, batch_size=8, **options)
    rows = [[item.label, item.device, item.verdict, item.detail] for item in found.divergences]
    return [found.agrees, [item.code for item in found.findings], rows]
"""


@only_tf2
def test_random_numbers_and_steps_of_the_users_own_are_no_fault(program):
    code = """
augmented = images(L.RandomFlip(), L.RandomRotation(0.2)) if hasattr(L, "RandomFlip") else images()
found = {"augmented": train(augmented), "sampling": train(vectors(Sampling()))}
found["own"] = train(Own())
found["noise"] = train(vectors(L.GaussianNoise(0.5), L.Dropout(0.5)), optimizers=("sgd",))
print(json.dumps(found))
"""
    found = program(TENSORFLOW + FAULTS + PECULIAR + code, timeout=900)
    assert len(found) == 4
    for name, (agrees, codes, rows) in found.items():
        # Keras 2 draws for several images at the same time, in no fixed order, and other numbers in a graph.
        random = name in ("augmented", "sampling") and VERSION < (2, 16)
        verdicts = {"agrees", "not-compared"} if random else {"agrees"}
        assert (agrees, codes, len(rows) > 1) == (True, [], True), name
        assert {row[2] for row in rows} <= verdicts, name


@only_tf2
def test_moving_averages_of_weights_are_compared_and_a_graph_that_a_class_of_the_users_own_has_built(program):
    code = """
from devicekit.measure.numerics.training import _Trainer
class Built(keras.Model):
    def __init__(self, size):
        start = keras.Input((size,))
        super().__init__(inputs=start, outputs=L.Dense(1)(L.Dense(4, activation="relu")(start)))
averaging = V3 or hasattr(keras.optimizers.SGD, "_update_model_variables_moving_average")
def trained():
    model = Built(8)
    model.compile(keras.optimizers.SGD(0.01, **(dict(use_ema=True) if averaging else {})), "mse")
    x = generator.standard_normal((16, 8)).astype("float32")
    found = devicekit.compare(model, x, x[:, :1], devices="cpu", optimizers=["sgd"], steps=3).divergences
    return [[item.verdict, bool(item.compiled_by)] for item in found]
right = trained()
def train(self, device, double, make, batches, start, compiled=False, real=_Trainer.train):
    def still():
        optimizer = make()
        if compiled:
            optimizer._update_model_variables_moving_average = lambda *_: None
        return optimizer
    return real(self, device, double, still, batches, start, compiled)
_Trainer.train = train
print(json.dumps([right, trained(), averaging]))
"""
    right, wrong, averaging = program(TENSORFLOW + FAULTS + PECULIAR + code, timeout=600)
    assert right == [["agrees", False], ["agrees", True]] * 2
    assert wrong == [["agrees", False], ["differs" if averaging else "agrees", True], *right[2:]]


@only_tf2
def test_what_cannot_be_trained_twice_is_not_judged_and_does_not_hide_the_rest(program):
    code = """
found = {"clock": train(vectors(Clock())), "secret": train(vectors(L.Dense(3, kernel_regularizer=Secret())))}
layers = devicekit.compare(vectors(L.Dense(3, kernel_regularizer=Secret())), devices="cpu").differences
found["layers"] = sorted({item.operation for item in layers if item.verdict == "agrees"})
print(json.dumps(found))
"""
    found = program(TENSORFLOW + FAULTS + PECULIAR + code, timeout=900)
    everything = "sgd, momentum, adam, adamw"
    for name, reason in (("clock", "not deterministic"), ("secret", "cannot be made again")):
        rows = found[name][2]
        assert [row[1:3] for row in rows] == [["cpu", "not-compared"], ["cpu:1", "not-compared"]], name
        assert all(row[0] in (everything, everything[: -len(", adamw")]) and reason in row[3] for row in rows), name
    assert found["secret"][:2] == [True, []]
    assert found["layers"] == ["Dense", "Sequential"]


@only_tf2
def test_the_models_own_optimizer_is_tried_and_a_wrong_gradient_is_seen_behind_random_layers(program):
    code = """
model = vectors(L.GaussianNoise(0.5), Sampling(), WrongGradient())
model.compile(keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True), "mse")
print(json.dumps(train(model, optimizers=("sgd",))))
"""
    agrees, codes, rows = program(TENSORFLOW + FAULTS + PECULIAR + code, timeout=900)
    assert not agrees
    assert set(codes) == {"numerics-divergent"}
    own = "SGD, as compiled"
    assert [row[:3] for row in rows if "steps compiled" not in row[0]] == [
        [own, "cpu", "agrees"], [own, "cpu:1", "differs"], ["sgd", "cpu", "agrees"], ["sgd", "cpu:1", "differs"],
    ]  # fmt: skip


@only_tf2
def test_a_fault_of_compiled_code_alone_is_seen_with_the_models_own_optimizer(program):
    code = """
class OnlyCompiled(Product):
    def call(self, x):
        if tf.executing_eagerly():
            return matmul(x, self.kernel)
        return matmul(x, stop(2.0 * self.kernel) - self.kernel)
model = vectors(OnlyCompiled())
model.compile("rmsprop", "mse")
found = train(model, devices="cpu", optimizers=("sgd",))
model.compile("rmsprop", "mse", run_eagerly=True)
print(json.dumps([found, train(model, devices="cpu", optimizers=())]))
"""
    (agrees, codes, rows), eager = program(TENSORFLOW + FAULTS + PECULIAR + code, timeout=900)
    assert not agrees
    assert codes == ["numerics-divergent"]
    assert [[row[0], row[2]] for row in rows] == [
        ["RMSprop, as compiled", "agrees"],
        ["RMSprop, as compiled, steps compiled by tf.function", "differs"],
        ["sgd", "agrees"],
        ["sgd, steps compiled by tf.function", "differs"],
    ]
    assert [eager[0], [row[2] for row in eager[2]]] == [True, []]


@only_tf1
def test_random_numbers_in_graphs_are_not_judged(program):
    agrees, codes, rows = program(
        TENSORFLOW + FAULTS + PECULIAR + "print(json.dumps(train(vectors(Sampling()), 'cpu')))"
    )
    assert (agrees, codes) == (True, [])
    assert [row[2] for row in rows] == ["not-compared"]
    assert "not deterministic" in rows[0][3]


@pytest.mark.skipif(VERSION < (2, 16), reason="Keras 3 alone asks whether there is a GPU, and not where it computes")
def test_the_cpu_computes_recurrent_layers_itself(program, simulated_gpu):
    code = """
warnings.simplefilter("ignore")
import numpy as np
import devicekit
devicekit.auto("gpu", verify="never")
from tensorflow import keras
L = keras.layers
x, y = np.random.RandomState(0).normal(size=(8, 5, 3)).astype("float32"), np.ones((8, 2), "float32")
def made(around):
    recurrent = [around(L.LSTM(4, return_sequences=True)), around(L.Bidirectional(L.GRU(3)))]
    model = keras.Sequential([keras.Input((5, 3)), *recurrent, L.Dense(2)])
    model.compile("sgd", "mse")
    return model
made(devicekit.on_cpu).fit(x, y, verbose=0)
model = made(lambda layer: layer)
found = devicekit.compare(model, x, y, devices="gpu", optimizers=["sgd"], steps=2)
rows = [[item.label, item.verdict, "CudnnRNN" in item.detail, "on the CPU fails" in item.detail] for item in found.divergences]
print(json.dumps([rows, model.layers[0].use_cudnn]))
"""
    own, compiled = "SGD, as compiled", "SGD, as compiled, steps compiled by tf.function"
    rows, kept = program(PRELUDE + code, env=dict(simulated_gpu), timeout=600)
    # The simulated GPU has no such kernel; the CPU, which has none either, does without.
    assert rows == [
        [own, "agrees", False, False],
        [compiled, "unsupported", True, False],
        ["sgd", "agrees", False, False],
        ["sgd, steps compiled by tf.function", "unsupported", True, False],
    ]
    assert kept == "auto"
