"""Self-test of one device: imports the framework, lists the devices, computes on one of them.

Run in a child process, see `devicekit.children.child`; ``say(stage=...)`` comes before each step, so that the parent
knows where it died.
"""

import os
import sys

# The types are comments, which this name is for; `typing` itself is left to the framework.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401


class NoDevice(Exception):
    """The framework does not list the device that is to be tried."""


class NoKernel(Exception):
    """The framework has run an operation on the processor because the device has no kernel for it."""


def main(task, say):  # type: (Any, Any) -> dict[str, Any]
    """Run the self-test that the task describes."""
    say(stage="import")
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
    check(product.tolist())
    check_gradient(gradient.tolist())
    return names


def try_torch(task, say):  # type: (Any, Any) -> list[str]
    """PyTorch."""
    import torch

    prepare(task, say)
    say(stage="list")
    names = []  # type: list[str]
    for kind in (task["device_type"],) if task["device_type"] else ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            names += ["%s:%d" % (kind, number) for number in range(module.device_count())]
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is not None and not task["device_type"] and mps.is_available():
        names.append("mps:0")
    if not is_there(say, names, task["index"]):
        return names
    left, right = operands()
    device = names[task["index"]]
    weight = torch.tensor(right, device=device, requires_grad=True)
    product = torch.matmul(torch.tensor(left, device=device), weight)
    product.sum().backward()
    check(product.tolist())
    check_gradient(weight.grad.tolist())
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


def check(product):  # type: (object) -> None
    """Compare with what the product of these matrices is."""
    expected = [[float(sum((i + k) * (k - j) for k in range(8))) for j in range(8)] for i in range(8)]
    got = [[float(item) for item in row] for row in product]  # type: ignore[attr-defined]
    worst = max(abs(a - b) for x, y in zip(expected, got) for a, b in zip(x, y))
    if not worst < 0.5:  # also catches NaN; the values are whole numbers up to 500
        raise ArithmeticError("an 8 by 8 matrix product is off by %g" % worst)


def check_gradient(gradient):  # type: (Any) -> None
    """Compare with what the gradient of the product's sum by the second matrix is."""
    rows = [[float(item) for item in row] for row in gradient]
    if any(not abs(value - 8 * (k + 3.5)) < 0.5 for k, row in enumerate(rows) for value in row):
        raise ArithmeticError("the gradient of a sum of a matrix product is wrong")


def operands():  # type: () -> tuple[object, object]
    """Return two small matrices of whole numbers."""
    left = [[float(i + k) for k in range(8)] for i in range(8)]
    right = [[float(k - j) for j in range(8)] for k in range(8)]
    return left, right


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
    check(product.numpy())
    check_gradient(gradient.numpy())


def run_graph(tf, kind):  # type: (object, str) -> None
    """Multiply on the device in a session; TensorFlow 1.15."""
    left, right = operands()
    with tf.device("/device:%s:0" % kind):  # type: ignore[attr-defined]
        product = tf.matmul(tf.constant(left), tf.constant(right))  # type: ignore[attr-defined]
    with tf.compat.v1.Session() as session:  # type: ignore[attr-defined]
        check(session.run(product))


TRIALS = {"tensorflow": try_tensorflow, "jax": try_jax, "torch": try_torch}
