"""`compare` of plain functions with TensorFlow: planted faults on a second device, clean functions on many seeds."""

import functions_prelude
from live_prelude import PRELUDE, only_tf1, only_tf2

START = 'OTHER = "cpu:1"\n' + PRELUDE + functions_prelude.PRELUDE

FAULTS = """
split_cpu(2)
def there(tensor): return tensor.device.endswith("CPU:1")
@tf.custom_gradient
def halved(y):
    return tf.tanh(y), lambda up: up * (1 - tf.tanh(y) ** 2) * (0.5 if there(y) else 1.0)
def reduced(a, b):
    if there(a):
        a, b = (tf.constant(rounded(item.numpy(), 10)) for item in (a, b))
    return a @ b
def padded(a, k):
    a = tf.pad(a, [[0, 0], [2, 0], [2, 0], [0, 0]] if there(a) else [[0, 0], [1, 1], [1, 1], [0, 0]])
    return tf.nn.conv2d(a, k, 1, "VALID")
def silent(a):
    mask = np.zeros(a.shape)
    mask[3, 5] = 1
    return tf.where(mask == 1, np.nan * a, a) if there(a) else tf.identity(a)
seen = {
    "wrong gradient": found(halved, x), "reduced precision": found(reduced, x, w),
    "padding": found(padded, image, kernel), "silent NaN": found(silent, x),
    "clean": found(tf.function(lambda a, b: tf.nn.softmax(tf.tanh(a @ b))), x, w),
}
print(json.dumps(seen))
"""


@only_tf2
def test_planted_faults_are_named(program):
    functions_prelude.check_faults(program(START + FAULTS), "cpu:1")


CLEAN = """
def mlp(a, b): return tf.nn.softmax(tf.nn.relu(a @ b))
def norm(a): return {"mean": tf.reduce_mean(a), "norm": (a - tf.reduce_mean(a, 0)) / tf.math.reduce_std(a, 0)}
def conv(a, k): return tf.nn.max_pool2d(tf.nn.conv2d(a, k, 2, "SAME"), 2, 2, "SAME")
def loss(a, i): return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=30 * a)
wrong = []
for seed in range(8):
    rng = np.random.RandomState(seed)
    x, w = rng.standard_normal((32, 64)), rng.standard_normal((64, 16))
    image, kernel = rng.standard_normal((2, 9, 9, 3)), rng.standard_normal((3, 3, 3, 4))
    for function, inputs in ((mlp, (x, w)), (norm, (x + 10,)), (conv, (image, kernel)), (loss, (x, np.arange(32)))):
        items = found(function, *inputs, devices=("cpu",), seed=seed)
        wrong += [[seed, function.__name__, what, *item] for what, item in items.items() if item[0] != "agrees"]
print(json.dumps(wrong))
"""


def test_clean_functions_agree(program):
    assert program(START + CLEAN) == []


REFERENCES = """
weights = tf.Variable(w.astype("float32"))
cases = {
    "plain": lambda a: tf.tanh(a),
    "its own float32": lambda a: a @ weights,
    "a cast": lambda a: tf.cast(a, tf.float32) * 2,
    "random": lambda a: tf.nn.dropout(a, rate=0.5),
    "nothing": lambda a: None,
}
seen = {}
tf.random.set_seed(11)
np.random.seed(5)
numbers = [tf.random.uniform(()).numpy().item() for _ in range(2)] + [np.random.rand()]
tf.random.set_seed(11)
np.random.seed(5)
again = [tf.random.uniform(()).numpy().item()]
for name, function in cases.items():
    try:
        seen[name] = examine_function(function, (tf.constant(x, tf.float32),), ["cpu"]).reference
    except ValueError as error:
        seen[name] = str(error)
again += [tf.random.uniform(()).numpy().item(), np.random.rand()]
print(json.dumps([seen, numbers == again]))
"""


@only_tf2
def test_references_and_random_functions_and_seeds(program):
    seen, same_numbers = program(START + REFERENCES)
    assert seen["plain"] == "cpu in float64 with tensorflow"
    assert seen["its own float32"].startswith("cpu in float32 with tensorflow, for the function does not take float64")
    assert "computes in that even where it is given float64" in seen["a cast"]
    assert "draws random numbers" in seen["random"]
    assert "training=False" in seen["random"]
    assert "returns no arrays" in seen["nothing"]
    assert same_numbers


@only_tf1
def test_random_functions_of_a_graph(program):
    code = """
try:
    examine_function(lambda a: tf.nn.dropout(a, rate=0.5), (x,), ["cpu"])
except ValueError as error:
    print(json.dumps(str(error)))
"""
    assert "draws random numbers" in program(START + code)
