"""Self-test of a framework, for ``devicekit verify``: imports it, lists its devices, computes on each, trains one step.

Run in a child process of the examined interpreter, see `devicekit.children.child`: standard library only, Python 3.6 and
later, imports nothing of devicekit. ``say(stage=...)`` comes before each step.
"""

import importlib
import importlib.util
import sys
import traceback

# The types are comments, which this name is for; `typing` itself is left to the framework.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401


class Wrong(Exception):
    """A result that is not what it must be."""


def main(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Walk through the stages of the framework that the task names."""
    say(stage="import")
    try:
        module = importlib.import_module(task["framework"])
        say(stage="list")
        WALKS[task["framework"]](module, say, task["keras"])
        return {"outcome": "works"}
    except BaseException as error:  # also the SystemExit of a framework that gives up
        outcome = "wrong" if isinstance(error, Wrong) else "raised"
        try:
            message = str(error)[:2000]
            traceback.print_exc()
        except Exception as second:  # an exception whose own text raises
            message = "its text cannot be read: %s" % type(second).__name__
        return {"outcome": outcome, "error": type(error).__name__, "message": message}


def walk_tensorflow(tf, say, _):  # type: (Any, Any, bool) -> None
    """TensorFlow 1.15 and 2; Keras by ``import keras``, and by ``tf.keras`` where there is no Keras of its own."""
    names = tensorflow_devices(tf)
    say(stage="compute", devices=names)
    left, right = operands()
    eager = tf.executing_eagerly()
    for name in names:
        if name.startswith("XLA_"):  # of old releases: a second name of the same device, not to compute on
            continue
        if eager:
            with tf.device("/device:" + name):
                product = tf.matmul(tf.constant(left), tf.constant(right)).numpy()
        else:
            with tf.Graph().as_default():
                with tf.device("/device:" + name):
                    graph = tf.matmul(tf.constant(left), tf.constant(right))
                with tf.compat.v1.Session() as session:
                    product = session.run(graph)
        check_product(product, name)
    say(stage="train")
    train_keras(importlib.import_module("keras") if has_keras() else tf.keras)


def has_keras():  # type: () -> bool
    """Return whether there is a Keras of its own; TensorFlow up to 2.5 comes without."""
    if "keras" in sys.modules:
        return True
    spec = importlib.util.find_spec("keras")
    # A folder that happens to have the name is found as well, and comes from no file.
    return spec is not None and spec.origin not in (None, "namespace")


def tensorflow_devices(tf):  # type: (Any) -> list[str]
    """Return the names of TensorFlow's devices, as in ``CPU:0``; memory grows from now on."""
    config = tf.config
    if not hasattr(config, "list_physical_devices"):  # up to 2.0
        config = config.experimental
    names = []
    for device in config.list_physical_devices():
        names.append(device.name.split("physical_device:")[-1])
        if device.device_type not in ("CPU", "XLA_CPU", "XLA_GPU"):
            try:
                tf.config.experimental.set_memory_growth(device, True)
            except Exception:  # not every device has that; another process's memory is safe then as well
                pass
    return names


def walk_jax(jax, say, keras):  # type: (Any, Any, bool) -> None
    """JAX, with Keras where Keras computes with it."""
    devices = jax_devices(jax)
    say(stage="compute", devices=[str(device) for device in devices])
    left, right = operands()
    array, put, multiply = jax.numpy.array, jax.device_put, jax.numpy.matmul
    for device in devices:
        product = multiply(put(array(left), device), put(array(right), device))
        check_product(product, str(device))
    say(stage="train")
    if keras:
        train_keras(importlib.import_module("keras"), "jax")
        return
    first = array(left)
    gradient = jax.grad(lambda weight: multiply(first, weight).sum())(array(right))
    check_gradient(gradient)


def jax_devices(jax):  # type: (Any) -> list[Any]
    """Return the devices of the default platform, and the processor."""
    devices = list(jax.devices())
    if not any(device.platform == "cpu" for device in devices):
        try:
            devices += jax.devices("cpu")
        except RuntimeError:  # JAX_PLATFORMS leaves it out
            pass
    return devices


def walk_torch(torch, say, keras):  # type: (Any, Any, bool) -> None
    """PyTorch, with Keras where Keras computes with it."""
    names = torch_devices(torch)
    say(stage="compute", devices=names)
    left, right = operands()
    tensor, multiply = torch.tensor, torch.matmul
    for name in names:
        check_product(multiply(tensor(left, device=name), tensor(right, device=name)), name)
    say(stage="train")
    if keras:
        train_keras(importlib.import_module("keras"), "torch")
        return
    weight = tensor(right, device=names[-1], requires_grad=True)
    multiply(tensor(left, device=names[-1]), weight).sum().backward()
    check_gradient(weight.grad)


def torch_devices(torch):  # type: (Any) -> list[str]
    """Return the processor and the accelerators, as PyTorch calls them."""
    names = ["cpu"]
    for kind in ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            names += ["%s:%d" % (kind, index) for index in range(module.device_count())]
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is not None and mps.is_available():
        names.append("mps:0")
    return names


def walk_keras(keras, say, _):  # type: (Any, Any, bool) -> None
    """Keras 2 and 3 on the backend that it takes here."""
    backend = keras.backend.backend()
    names = []  # type: list[str]
    if backend in ("tensorflow", "jax", "torch"):
        module = importlib.import_module(backend)
        listing = {"tensorflow": tensorflow_devices, "jax": jax_devices, "torch": torch_devices}[backend]
        names = [str(item) for item in listing(module)]
    elif backend == "openvino":
        names = list(importlib.import_module("openvino").Core().available_devices)
    say(stage="compute", devices=names)
    left, right = operands()
    if hasattr(keras, "ops"):
        ops = keras.ops
        tensors = [ops.convert_to_tensor(item, dtype="float32") for item in (left, right)]
        product = ops.convert_to_numpy(ops.matmul(*tensors))
    else:
        ops = keras.backend
        product = ops.eval(ops.dot(ops.constant(left), ops.constant(right)))
    check_product(product, "Keras on %s" % backend)
    say(stage="train")
    train_keras(keras)


def train_keras(keras, backend=None):  # type: (Any, str | None) -> None
    """Train one step of a model of two layers, and see that it learned something."""
    if backend is not None and keras.backend.backend() != backend:
        raise RuntimeError("Keras computes with %s, not with %s" % (keras.backend.backend(), backend))
    numpy = importlib.import_module("numpy")
    layers = keras.layers
    inputs = layers.Input(shape=(4,))
    outputs = layers.Dense(1)(layers.Dense(8, activation="tanh")(inputs))
    model = keras.models.Model(inputs, outputs)
    model.compile(optimizer="sgd", loss="mse")
    before = [plain(item) for item in model.get_weights()]
    x, y = numpy.ones((8, 4), "float32"), numpy.ones((8, 1), "float32") * 3
    loss = float(model.fit(x, y, batch_size=8, epochs=1, verbose=0).history["loss"][0])
    if not 0 <= loss < 1e6:  # also catches NaN
        raise Wrong("the loss of a training step is %r" % loss)
    if [plain(item) for item in model.get_weights()] == before:
        raise Wrong("a training step changed no weight")


def operands():  # type: () -> tuple[list[list[float]], list[list[float]]]
    """Return two small matrices of whole numbers, which every float format of a device holds exactly."""
    left = [[float(i + k) for k in range(8)] for i in range(8)]
    right = [[float(k - j) for j in range(8)] for k in range(8)]
    return left, right


def check_product(product, where):  # type: (object, str) -> None
    """Compare with what the product of the operands is."""
    expected = [[float(sum((i + k) * (k - j) for k in range(8))) for j in range(8)] for i in range(8)]
    compare(plain(product), expected, "an 8 by 8 matrix product on %s" % where)


def check_gradient(gradient):  # type: (object) -> None
    """Compare with what the gradient of the sum of the product by the right operand is."""
    expected = [[float(28 + 8 * k)] * 8 for k in range(8)]
    compare(plain(gradient), expected, "the gradient of the sum of a matrix product")


def compare(got, expected, what):  # type: (Any, list[list[float]], str) -> None
    """Raise where two matrices differ."""
    try:
        worst = max(abs(float(a) - b) for x, y in zip(got, expected) for a, b in zip(x, y))
    except (TypeError, ValueError) as error:
        raise Wrong("%s is not a matrix of numbers: %s" % (what, error)) from error
    if not worst < 0.5:  # also catches NaN; the values are whole numbers up to 500
        raise Wrong("%s is off by %g" % (what, worst))


def plain(array):  # type: (Any) -> Any
    """Return an array or tensor as lists."""
    return array.tolist() if hasattr(array, "tolist") else array


WALKS = {"tensorflow": walk_tensorflow, "keras": walk_keras, "jax": walk_jax, "torch": walk_torch}
