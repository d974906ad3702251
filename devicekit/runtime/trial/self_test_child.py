"""Self-tests of a framework: imports it, lists its devices, computes on one of them, or on all and trains one step.

Run in a child process, of another interpreter for ``devicekit verify``; see `devicekit.children.child`. Standard library
only, Python 3.6 and later, imports nothing of devicekit by itself. ``say(stage=...)`` comes before each step, so that the
parent knows where it died.
"""

import importlib
import importlib.util
import os
import sys
import traceback

# The types are comments, which this name is for; `typing` itself is left to the framework.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401


class Wrong(ArithmeticError):
    """A result is not what it must be."""


class NoDevice(Exception):
    """The framework does not list the device that is to be tried."""


class NoKernel(Exception):
    """The framework has run an operation on the processor because the device has no kernel for it."""


def main(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Run the self-test that the task describes: of one device, or of all stages."""
    say(stage="import")
    return test_device(task, say) if "index" in task else walk_through(task, say)


# One device.


def test_device(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Import a framework, list its accelerators, compute on one."""
    load_first(task["libraries"])
    try:
        names = TRIALS[task["framework"]](task, say)
    except ArithmeticError as error:
        return {"stage": "compute", "outcome": "wrong", "error": type(error).__name__, "message": str(error)[:2000]}
    except Exception as error:  # answered here: its traceback would only repeat what the framework has printed
        return {"outcome": "raised", "error": type(error).__name__, "message": str(error)[:2000]}
    return {"outcome": "works", "devices": names, "files": loaded_files()}


def load_first(libraries):  # type: (list[str]) -> None
    """Load libraries that the framework would not find itself, as this process's parent is going to."""
    for path in libraries:
        import ctypes

        try:
            ctypes.CDLL(path)
        except OSError:  # the framework says what it lacks
            pass


def try_tensorflow(task, say):  # type: (Any, Any) -> list[str]
    """TensorFlow 1.15 and 2."""
    import tensorflow as tf

    prepare(task, say)
    first = str(tf.__version__).startswith("1.")
    say(stage="list")
    config = tf.config.experimental if first else tf.config
    left_out = list(task["no_accelerator"]) + task["others"]
    kind = task["device_type"]
    found = [
        d for d in config.list_physical_devices() if d.device_type == kind or not (kind or d.device_type in left_out)
    ]
    names = [device.name for device in found]
    if not is_there(say, names, task["index"]):
        return names
    chosen = found[task["index"]]
    config.set_visible_devices([chosen], chosen.device_type)
    if task["grow"]:
        tf.config.experimental.set_memory_growth(chosen, True)
    run_graph(tf, chosen.device_type) if first else run_eager(tf, chosen.device_type)
    return names


def prepare(task, say):  # type: (Any, Any) -> None
    """Let a plug-in of devicekit register its devices, as this process's parent is going to."""
    if task["prepare"]:
        from importlib import import_module

        say(stage="prepare")
        module, _, path = task["prepare"].partition(":")
        found = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
        platform = found() if isinstance(found, type) else found
        platform.prepare(task["framework"])


def is_there(say, names, index):  # type: (Any, list[str], int | None) -> bool
    """Report the listed devices; return whether one is to be tried."""
    say(stage="list", devices=names)
    if index is None:
        return False
    if index >= len(names):
        raise NoDevice("no such accelerator is listed")
    say(stage="compute")
    return True


def try_jax(task, say):  # type: (Any, Any) -> list[str]
    """JAX: its memory is taken as it is needed, here in any case."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    index = task["index"]
    if index is not None and not task["device_type"]:
        # As `auto` does it: the others are left alone, and what is wrong with them does not matter.
        jax.config.update("jax_cuda_visible_devices", str(index))
        jax.config.update("jax_rocm_visible_devices", str(index))
    prepare(task, say)
    say(stage="list")
    kind, left_out = task["device_type"], ["cpu"] + task["others"]
    found = jax.local_devices(backend=kind or None)
    found = [device for device in found if kind or device.platform not in left_out]
    # A device's own number counts what is visible, this one what the machine has.
    numbers = [getattr(device, "local_hardware_id", None) or 0 for device in found]
    names = [str(device) for device in found]
    position = index if index is None or index not in numbers else numbers.index(index)
    if not is_there(say, names, position):
        return names
    left, right = operands()
    with jax.default_device(found[position or 0]):
        first, weight = jax.numpy.array(left), jax.numpy.array(right)
        product = jax.numpy.matmul(first, weight)
        gradient = jax.grad(lambda matrix: jax.numpy.matmul(first, matrix).sum())(weight)
    check_product(product)
    check_gradient(gradient)
    return names


def try_torch(task, say):  # type: (Any, Any) -> list[str]
    """PyTorch."""
    import torch

    prepare(task, say)
    say(stage="list")
    names = torch_accelerators(torch, task["device_type"])
    if not is_there(say, names, task["index"]):
        return names
    left, right = operands()
    device = names[task["index"]]
    weight = torch.tensor(right, device=device, requires_grad=True)
    product = torch.matmul(torch.tensor(left, device=device), weight)
    product.sum().backward()
    check_product(product)
    check_gradient(weight.grad)
    return names


def loaded_files():  # type: () -> list[str]
    """Return the native files in this process: the cached result is valid as long as they stay the same."""
    files = set()
    try:
        with open("/proc/self/maps", errors="surrogateescape") as stream:
            for line in stream:
                fields = line.rstrip("\n").split(None, 5)
                if len(fields) == 6 and fields[5].startswith("/") and ".so" in os.path.basename(fields[5]):
                    files.add(fields[5])
    except OSError:  # not Linux: what Python itself has loaded
        for module in list(sys.modules.values()):
            # Not getattr: some modules load half of a framework when they are asked.
            path = getattr(module, "__dict__", {}).get("__file__")
            if isinstance(path, str) and path.endswith((".so", ".pyd", ".dylib")):
                files.add(path)
    return sorted(path for path in files if not path.endswith(" (deleted)"))


def run_eager(tf, kind):  # type: (object, str) -> None
    """Multiply and differentiate on the device; TensorFlow 2."""
    left, right = operands()
    with tf.device("/device:%s:0" % kind):  # type: ignore[attr-defined]
        weight = tf.Variable(right)  # type: ignore[attr-defined]
        with tf.GradientTape() as tape:  # type: ignore[attr-defined]
            product = tf.matmul(tf.constant(left), weight)  # type: ignore[attr-defined]
            loss = tf.reduce_sum(product)  # type: ignore[attr-defined]
        gradient = tape.gradient(loss, weight)
    if "CPU" in product.device.rpartition("device:")[2]:  # soft placement, where there is no kernel
        raise NoKernel("a matrix product has no kernel on the accelerator: it ran on %s" % product.device)
    check_product(product.numpy())
    check_gradient(gradient.numpy())


def run_graph(tf, kind):  # type: (object, str) -> None
    """Multiply on the device in a session; TensorFlow 1.15."""
    left, right = operands()
    with tf.device("/device:%s:0" % kind):  # type: ignore[attr-defined]
        product = tf.matmul(tf.constant(left), tf.constant(right))  # type: ignore[attr-defined]
    with tf.compat.v1.Session() as session:  # type: ignore[attr-defined]
        check_product(session.run(product))


TRIALS = {"tensorflow": try_tensorflow, "jax": try_jax, "torch": try_torch}


# All stages.


def walk_through(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Import a framework, list its devices, compute on each, train one step."""
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
    return ["cpu"] + torch_accelerators(torch)


def torch_accelerators(torch, device_type=""):  # type: (Any, str) -> list[str]
    """Return the accelerators, those of one type only if it is given."""
    names = []  # type: list[str]
    for kind in (device_type,) if device_type else ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            names += ["%s:%d" % (kind, index) for index in range(module.device_count())]
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is not None and not device_type and mps.is_available():
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


# What both compute.


def operands():  # type: () -> tuple[list[list[float]], list[list[float]]]
    """Return two small matrices of whole numbers, which every float format of a device holds exactly."""
    left = [[float(i + k) for k in range(8)] for i in range(8)]
    right = [[float(k - j) for j in range(8)] for k in range(8)]
    return left, right


def check_product(product, where="the device"):  # type: (object, str) -> None
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
