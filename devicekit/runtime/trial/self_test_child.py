"""Self-tests of a framework: imports it, lists its devices, computes on one of them, or on all and trains a Keras model.

On a device it goes through what training touches, in the order of `STAGES`: a device that multiplies matrices can still
fail at the first elementwise kernel, the first convolution, or where XLA compiles a step. Results are compared with what
this file computes in plain Python.

Run in a child process, of another interpreter for ``devicekit verify``; see `devicekit.children.child`. Standard library
only, Python 3.6 and later, imports nothing of devicekit by itself. ``say(stage=...)`` comes before each step, so that the
parent knows where it died.
"""

import importlib
import importlib.util
import itertools
import math
import os
import re
import sys
import traceback
from operator import mul

# The types are comments, which this name is for; `typing` itself is left to the framework.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401


#: What is computed on a device, in this order.
STAGES = ("product", "elementwise", "random", "convolution", "train")


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


def compute_on(device, name, say, stages=STAGES):  # type: (Any, str, Any, tuple[str, ...]) -> None
    """Take a device, one of the classes below, through the stages."""
    for stage in stages:
        say(stage=stage, device=name)
        check(stage, getattr(device, stage)())


# One device.


def test_device(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Import a framework, list its accelerators, compute on one."""
    load_first(task["libraries"])
    try:
        names = TRIALS[task["framework"]](task, say)
    except ArithmeticError as error:
        return {"outcome": "wrong", "error": type(error).__name__, "message": message_of(error)}
    except Exception as error:  # answered here: its traceback would only repeat what the framework has printed
        return {"outcome": "raised", "error": type(error).__name__, "message": message_of(error)}
    return {"outcome": "works", "devices": names, "files": loaded_files()}


def message_of(error):  # type: (BaseException) -> str
    """Return the text of an exception. TensorFlow writes where a function was defined first, and what failed last."""
    text = re.sub(r'^ *File ".*", line \d+, in .*\n+(?: {4}.*\n+)?', "", str(error), flags=re.MULTILINE)
    return text if len(text) <= 2000 else "%s\n...\n%s" % (text[:500], text[-1500:])


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
    compute_on(TensorFlow(tf, chosen.device_type + ":0"), names[task["index"]], say)
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
    chosen = found[position or 0]
    compute_on(Jax(jax, chosen), str(chosen), say)
    return names


def try_torch(task, say):  # type: (Any, Any) -> list[str]
    """PyTorch."""
    import torch

    prepare(task, say)
    say(stage="list")
    names = torch_accelerators(torch, task["device_type"])
    if not is_there(say, names, task["index"]):
        return names
    name = names[task["index"]]
    compute_on(Torch(torch, name), name, say)
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


TRIALS = {"tensorflow": try_tensorflow, "jax": try_jax, "torch": try_torch}


# What a framework does at each stage.


class TensorFlow:
    """Operations of TensorFlow 1.15 and 2 on one of its devices, ``GPU:0``."""

    def __init__(self, tf, name):  # type: (Any, str) -> None
        self.tf = tf
        self.name = name

    def run(self, function, inputs, anywhere=False):  # type: (Any, Any, bool) -> Any
        """Return the values of the tensors that a function makes of the inputs, computed on the device.

        An operation may run ``anywhere`` if training does not depend on that the device has a kernel for it.
        """
        tf = self.tf
        if not tf.executing_eagerly():
            return self.run_graph(function, inputs, anywhere)
        with tf.device("/device:" + self.name):
            tensors = function(*[tf.constant(item) for item in inputs])
        kind = self.name.partition(":")[0]
        for tensor in tensors:
            if kind not in tensor.device.rpartition("device:")[2] and not anywhere:  # soft placement
                raise NoKernel("it has no kernel on the device: it ran on %s" % tensor.device)
        return [tensor.numpy() for tensor in tensors]

    def run_graph(self, function, inputs, anywhere):  # type: (Any, Any, bool) -> Any
        """Do so in a session. The inputs are fed: what follows from constants is computed on the processor beforehand."""
        tf = self.tf
        values = [importlib.import_module("numpy").array(item, "float32") for item in inputs]
        tf.config.set_soft_device_placement(anywhere)
        with tf.Graph().as_default():
            with tf.device("/device:" + self.name):
                fed = [tf.compat.v1.placeholder("float32", value.shape) for value in values]
                fetched = function(*fed)
            with tf.compat.v1.Session() as session:
                return session.run(fetched, dict(zip(fed, values)))

    def product(self):  # type: () -> Any
        tf = self.tf

        def compute(left, right):  # type: (Any, Any) -> Any
            with tf.GradientTape() as tape:
                tape.watch(right)
                product = tf.matmul(left, right)
                total = tf.reduce_sum(product)
            return [product, tape.gradient(total, right)]

        return self.run(compute, operands())

    def elementwise(self):  # type: () -> Any
        tf = self.tf
        return self.run(lambda numbers: [tf.tanh(numbers), tf.nn.relu(numbers)], [numbers()])

    def random(self):  # type: () -> Any
        tf, keyed = self.tf, self.tf.executing_eagerly()  # Keras takes the keyed form with TensorFlow 2
        draw = tf.random.stateless_uniform if keyed else tf.random.uniform
        return self.run(lambda: [draw((MANY,), seed=(1, 2)) if keyed else draw((MANY,))], [], anywhere=True)

    def convolution(self):  # type: () -> Any
        tf = self.tf

        def compute(image, kernel, factors):  # type: (Any, Any, Any) -> Any
            with tf.GradientTape() as tape:
                tape.watch([image, kernel])
                result = tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME")
                total = tf.reduce_sum(result * factors)
            return [result] + list(tape.gradient(total, [image, kernel]))

        return self.run(compute, images())

    def train(self):  # type: () -> Any
        tf = self.tf
        keras = keras_of(tf)
        if keras is not None:
            with tf.device("/device:" + self.name):
                try:
                    return keras_step(keras, self.compiles(keras))
                except (AttributeError, ImportError, LookupError, NameError, TypeError, ValueError):
                    # Keras does not go with what is installed: no fault of the device, which raises others. The
                    # diagnosis says it, and so does `devicekit verify`.
                    traceback.print_exc()

        def compute(inputs, targets, *weights):  # type: (Any, Any, *Any) -> Any
            with tf.GradientTape() as tape:
                tape.watch(weights)
                hidden = tf.tanh(tf.matmul(inputs, weights[0]) + weights[1])
                loss = tf.reduce_mean(tf.square(tf.matmul(hidden, weights[2]) + weights[3] - targets))
            gradients = tape.gradient(loss, weights)
            return [loss] + [weight - slope for weight, slope in zip(weights, gradients)]

        inputs, targets, weights = training()
        loss, *after = self.run(compute, [inputs, targets] + weights)
        return loss, after

    def compiles(self, keras):  # type: (Any) -> dict[str, Any]
        """Return the options with which Keras compiles its step as it does by itself, without XLA if that is not there.

        TensorFlow has XLA for the processor and for what it was built for, not for the devices of plug-ins (DirectML,
        Metal); Keras 3 would take it for most of these as well.
        """
        built_in = self.name.startswith("CPU") or self.tf.test.is_built_with_gpu_support()
        return {} if built_in or not hasattr(keras, "ops") else {"jit_compile": False}


def keras_of(tf):  # type: (Any) -> Any
    """Return the Keras that computes with TensorFlow here, None if none does."""
    for load in (lambda: importlib.import_module("keras") if has_keras() else None, lambda: tf.keras):
        try:
            keras = load()
            if keras is not None and keras.backend.backend() == "tensorflow":
                return keras
        except Exception:  # one that does not go with this TensorFlow is not what its user trains with
            traceback.print_exc()
    return None


class Jax:
    """Operations of JAX on one of its devices, each compiled as a whole. Keras would train with no others."""

    def __init__(self, jax, device):  # type: (Any, Any) -> None
        self.jax = jax
        self.device = device

    def run(self, function, inputs):  # type: (Any, Any) -> Any
        array = importlib.import_module("numpy").array  # JAX's own would compile something for each shape
        with self.jax.default_device(self.device):
            return self.jax.jit(function)(*[array(item, "float32") for item in inputs])

    def product(self):  # type: () -> Any
        jax = self.jax

        def compute(left, right):  # type: (Any, Any) -> Any
            return jax.numpy.matmul(left, right), jax.grad(lambda item: jax.numpy.matmul(left, item).sum())(right)

        return self.run(compute, operands())

    def elementwise(self):  # type: () -> Any
        np = self.jax.numpy
        return self.run(lambda numbers: [np.tanh(numbers), np.maximum(numbers, 0)], [numbers()])

    def random(self):  # type: () -> Any
        random = self.jax.random
        return [self.run(lambda: random.uniform(random.PRNGKey(0), (MANY,)), [])]

    def convolution(self):  # type: () -> Any
        jax = self.jax

        def compute(image, kernel, factors):  # type: (Any, Any, Any) -> Any
            def total(image, kernel):  # type: (Any, Any) -> Any
                layout = ("NHWC", "HWIO", "NHWC")
                result = jax.lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=layout)
                return (result * factors).sum(), result

            gradients, result = jax.grad(total, (0, 1), has_aux=True)(image, kernel)
            return (result, *gradients)

        return self.run(compute, images())

    def train(self):  # type: () -> Any
        jax = self.jax

        def compute(inputs, targets, *weights):  # type: (Any, Any, *Any) -> Any
            def loss_of(weights):  # type: (Any) -> Any
                hidden = jax.numpy.tanh(jax.numpy.matmul(inputs, weights[0]) + weights[1])
                return ((jax.numpy.matmul(hidden, weights[2]) + weights[3] - targets) ** 2).mean()

            loss, gradients = jax.value_and_grad(loss_of)(weights)
            return loss, [weight - slope for weight, slope in zip(weights, gradients)]

        inputs, targets, weights = training()
        return self.run(compute, [inputs, targets] + weights)


class Torch:
    """Operations of PyTorch on one of its devices. Keras would train with no others, compiled only if it is asked to."""

    def __init__(self, torch, name):  # type: (Any, str) -> None
        self.torch = torch
        self.name = name

    def tensors(self, values):  # type: (Any) -> list[Any]
        return [self.torch.tensor(item, device=self.name, requires_grad=True) for item in values]

    def product(self):  # type: () -> Any
        left, right = self.tensors(operands())
        product = self.torch.matmul(left, right)
        product.sum().backward()
        return product, right.grad

    def elementwise(self):  # type: () -> Any
        (values,) = self.tensors([numbers()])
        return self.torch.tanh(values), self.torch.relu(values)

    def random(self):  # type: () -> Any
        return [self.torch.rand(MANY, device=self.name)]

    def convolution(self):  # type: () -> Any
        image, kernel, factors = self.tensors(images())
        # Channels come first in PyTorch.
        first, second = image.permute(0, 3, 1, 2).contiguous(), kernel.permute(3, 2, 0, 1).contiguous()
        result = self.torch.nn.functional.conv2d(first, second, padding=1).permute(0, 2, 3, 1)
        (result * factors).sum().backward()
        return result, image.grad, kernel.grad

    def train(self):  # type: () -> Any
        inputs, targets, weights = training()
        inputs, targets, *weights = self.tensors([inputs, targets] + weights)
        hidden = self.torch.tanh(self.torch.matmul(inputs, weights[0]) + weights[1])
        loss = ((self.torch.matmul(hidden, weights[2]) + weights[3] - targets) ** 2).mean()
        loss.backward()
        return loss, [weight - weight.grad for weight in weights]


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
            message = message_of(error)
            traceback.print_exc()
        except Exception as second:  # an exception whose own text raises
            message = "its text cannot be read: %s" % type(second).__name__
        return {"outcome": outcome, "error": type(error).__name__, "message": message}


def walk_tensorflow(tf, say, _):  # type: (Any, Any, bool) -> None
    """TensorFlow 1.15 and 2; Keras by ``import keras``, and by ``tf.keras`` where there is no Keras of its own."""
    names = tensorflow_devices(tf)
    say(stage="list", devices=names)
    for name in names:
        if not name.startswith("XLA_"):  # of old releases: a second name of the same device, not to compute on
            compute_on(TensorFlow(tf, name), name, say, STAGES[:-1])
    say(stage="train", device="")
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
    say(stage="list", devices=[str(device) for device in devices])
    for device in devices:
        compute_on(Jax(jax, device), str(device), say, STAGES[:-1] if keras else STAGES)
    if keras:
        say(stage="train", device="")
        train_keras(importlib.import_module("keras"), "jax")


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
    say(stage="list", devices=names)
    for name in names:
        compute_on(Torch(torch, name), name, say, STAGES[:-1] if keras else STAGES)
    if keras:
        say(stage="train", device="")
        train_keras(importlib.import_module("keras"), "torch")


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
    say(stage="list", devices=names)
    say(stage="product")
    left, right = operands()
    if hasattr(keras, "ops"):
        ops = keras.ops
        tensors = [ops.convert_to_tensor(item, dtype="float32") for item in (left, right)]
        product = ops.convert_to_numpy(ops.matmul(*tensors))
    else:
        ops = keras.backend
        product = ops.eval(ops.dot(ops.constant(left), ops.constant(right)))
    check("product", [product])
    say(stage="train")
    train_keras(keras)


def train_keras(keras, backend=None):  # type: (Any, str | None) -> None
    """Train one step of a model as its user would."""
    if backend is not None and keras.backend.backend() != backend:
        raise RuntimeError("Keras computes with %s, not with %s" % (keras.backend.backend(), backend))
    check("train", keras_step(keras, {}))


def keras_step(keras, options):  # type: (Any, dict[str, Any]) -> tuple[float, list[Any]]
    """Train one step of a model of two layers, and return its loss and its weights."""
    array = importlib.import_module("numpy").array
    inputs, targets, weights = training()
    layers = keras.layers
    given = layers.Input(shape=(len(inputs[0]),))
    hidden = layers.Dense(len(weights[1]), activation="tanh", dtype="float32")(given)
    model = keras.models.Model(given, layers.Dense(1, dtype="float32")(hidden))
    optimizers = keras.optimizers
    # Keras 2.6 alone has the names of its optimizers there, and not their classes.
    by_name = {"class_name": "SGD", "config": {"learning_rate": 1.0}}
    optimizer = optimizers.SGD(1.0) if hasattr(optimizers, "SGD") else optimizers.get(by_name)
    model.compile(optimizer=optimizer, loss="mse", **options)
    model.set_weights([array(item, "float32") for item in weights])
    batch = [array(item, "float32") for item in (inputs, targets)]
    history = model.fit(*batch, batch_size=len(inputs), epochs=1, verbose=0).history
    return history["loss"][0], model.get_weights()


# What is computed, and what it must be. The numbers of the products and convolutions are small and whole, so that every
# float format of a device holds them exactly, TensorFloat-32 and bfloat16 too.

MANY = 1024


def operands():  # type: () -> tuple[list[list[float]], list[list[float]]]
    """Return two matrices."""
    left = [[float(i + k) for k in range(8)] for i in range(8)]
    right = [[float(k - j) for j in range(8)] for k in range(8)]
    return left, right


def matrix_product(left, right):  # type: (Any, Any) -> list[list[float]]
    """Return the product of two matrices."""
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]


def right_product():  # type: () -> Any
    """Return the product of the operands, and the gradient of its sum by the right one."""
    left, right = operands()
    return matrix_product(left, right), [[sum(column)] * 8 for column in zip(*left)]


def numbers():  # type: () -> list[float]
    """Return numbers from -2 to 2."""
    return [k / 8.0 - 2 for k in range(33)]


def right_elementwise():  # type: () -> Any
    """Return ``tanh(x)`` and ``relu(x)``."""
    return [math.tanh(x) for x in numbers()], [max(x, 0.0) for x in numbers()]


def images():  # type: () -> tuple[Any, Any, Any]
    """Return an image of 5 by 5 points in 2 channels, a kernel of 3 by 3 to 3 channels, and factors of the result."""
    image = [[[[float((3 * h + 5 * w + 7 * c) % 11 - 5) for c in range(2)] for w in range(5)] for h in range(5)]]
    kernel = [
        [[[float((2 * i + 3 * j + 5 * c + o) % 7 - 3) for o in range(3)] for c in range(2)] for j in range(3)]
        for i in range(3)
    ]
    factors = [[[[float((h + 2 * w + 3 * o) % 5 - 2) for o in range(3)] for w in range(5)] for h in range(5)]]
    return image, kernel, factors


def right_convolution():  # type: () -> Any
    """Return the convolution, of the image's size, and the gradients of the sum of its result times the factors."""
    image, kernel, factors = images()
    expected = [[[[0.0] * 3 for _ in range(5)] for _ in range(5)]]
    image_slope = [[[[0.0] * 2 for _ in range(5)] for _ in range(5)]]
    kernel_slope = [[[[0.0] * 3 for _ in range(2)] for _ in range(3)] for _ in range(3)]
    places = itertools.product(range(5), range(5), range(3), range(3), range(2), range(3))
    for h, w, i, j, c, o in places:
        y, x = h + i - 1, w + j - 1
        if 0 <= y < 5 and 0 <= x < 5:
            expected[0][h][w][o] += image[0][y][x][c] * kernel[i][j][c][o]
            image_slope[0][y][x][c] += factors[0][h][w][o] * kernel[i][j][c][o]
            kernel_slope[i][j][c][o] += factors[0][h][w][o] * image[0][y][x][c]
    return expected, image_slope, kernel_slope


def training():  # type: () -> tuple[Any, Any, list[Any]]
    """Return inputs and targets of a batch, and the weights and biases of two layers."""
    inputs = [[((3 * i + 5 * j) % 8 - 4) / 4.0 for j in range(4)] for i in range(8)]
    targets = [[((5 * i) % 8 - 3) / 4.0] for i in range(8)]
    first = [[((2 * j + 3 * k) % 7 - 3) / 8.0 for k in range(8)] for j in range(4)]
    second = [[((3 * k) % 5 - 2) / 4.0] for k in range(8)]
    return inputs, targets, [first, [0.0] * 8, second, [0.0]]


def right_training():  # type: () -> Any
    """Return the loss, and the weights after a step of gradient descent on it with a learning rate of 1.

    The loss is the mean squared error, the activation between the layers tanh.
    """
    inputs, targets, (first, first_bias, second, second_bias) = training()
    hidden = [[math.tanh(value) for value in row] for row in matrix_product(inputs, first)]
    errors = [row[0] - target[0] for row, target in zip(matrix_product(hidden, second), targets)]
    expected = sum(error * error for error in errors) / len(errors)
    slopes = [2 * error / len(errors) for error in errors]
    inner = [[s * weight[0] * (1 - h * h) for h, weight in zip(row, second)] for s, row in zip(slopes, hidden)]
    by_first, by_second = matrix_product(zip(*inputs), inner), [sum(map(mul, slopes, row)) for row in zip(*hidden)]
    after = [
        [[value - slope for value, slope in zip(*rows)] for rows in zip(first, by_first)],
        [value - sum(column) for value, column in zip(first_bias, zip(*inner))],
        [row[0] - slope for row, slope in zip(second, by_second)],
        [second_bias[0] - sum(slopes)],
    ]
    return expected, after


#: What each stage must give, by how much it may be off, and what that is. TensorFloat-32 and bfloat16 round the factors of
#: products to 3 and 2 digits; an elementwise function of a device may be approximated.
RIGHT = {
    "product": (right_product, 0.5, ("a matrix product", "the gradient of a matrix product")),
    "elementwise": (right_elementwise, 0.01, ("tanh", "relu")),
    "convolution": (
        right_convolution,
        0.5,
        ("a convolution", "the gradient of a convolution by its input", "the gradient of a convolution by its kernel"),
    ),
    "train": (right_training, 0.02, ("the loss of a training step", "the weights after a training step")),
}


def check(stage, results):  # type: (str, Any) -> None
    """Raise where what a device gave at a stage is not right."""
    if stage == "random":
        check_random(*results)
        return
    right, tolerance, names = RIGHT[stage]
    for found, expected, what in zip(results, right(), names):
        compare(found, expected, tolerance, what)


def check_random(values):  # type: (Any) -> None
    """See that random numbers are spread evenly from 0 to 1. Which ones they are is the device's own matter."""
    found = flat(values)
    mean = sum(found) / len(found) if found else 0.0
    variance = sum((value - mean) ** 2 for value in found) / max(1, len(found))
    # Of so many numbers the mean is off by 0.009 and the variance by 0.0023, one standard deviation each.
    if len(found) != MANY or not all(0 <= value <= 1 for value in found) or abs(mean - 0.5) > 0.06:
        raise Wrong("%d random numbers from 0 to 1 are not: their mean is %g" % (len(found), mean))
    if abs(variance - 1 / 12.0) > 0.02:
        raise Wrong("random numbers from 0 to 1 have a variance of %g instead of 0.083" % variance)


def compare(found, expected, tolerance, what):  # type: (Any, Any, float, str) -> None
    """Raise where numbers differ; how they are nested does not matter."""
    found, expected = flat(found), flat(expected)
    if len(found) != len(expected):
        raise Wrong("%s has %d numbers instead of %d" % (what, len(found), len(expected)))
    # `max` may leave NaN out.
    worst = max(abs(a - b) if a == a else float("inf") for a, b in zip(found, expected))
    if not worst < tolerance:
        raise Wrong("%s is off by %g" % (what, worst) if worst < float("inf") else "%s is not a number" % what)


def flat(values):  # type: (Any) -> list[float]
    """Return the numbers of an array, a tensor or nested lists, one after another."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, (list, tuple)):
        return [number for item in values for number in flat(item)]
    try:
        return [float(values)]
    except (TypeError, ValueError) as error:
        raise Wrong("a result is not made of numbers: %s" % error) from error


WALKS = {"tensorflow": walk_tensorflow, "keras": walk_keras, "jax": walk_jax, "torch": walk_torch}
