"""Fake frameworks with what the self-test calls of the real ones: right at every stage, unless something is planted there.

What each does at a stage comes from the variable ``PATIENT``, a JSON object of lines of Python:
``{"torch convolution": "raise RuntimeError"}``. Other stages are ``import``, ``list``, and ``fit`` of Keras. A line
``FOUND = off_by_one(FOUND)`` replaces what a device gives. ``PATIENT_DEVICES`` are the kinds of devices that TensorFlow
lists, ``PATIENT_GRAPH=1`` makes it one of sessions.
"""

import os

import devicekit.runtime.trial

CHILD = os.path.join(os.path.dirname(os.path.abspath(devicekit.runtime.trial.__file__)), "self_test_child.py")

_COMMON = (
    """
import json, os, runpy, signal, sys, time
CHILD = runpy.run_path(%r)

def off_by_one(item):
    return [off_by_one(value) for value in item] if isinstance(item, (list, tuple)) else item + 1

def act(stage, found=None):
    names = {"FOUND": found, "CHILD": CHILD, "off_by_one": off_by_one, "os": os, "signal": signal, "sys": sys, "time": time}
    exec(json.loads(os.environ.get("PATIENT", "{}")).get(__name__ + " " + stage, ""), names)
    return names["FOUND"]

def results(stage):
    if stage == "random":
        return [Array(item) for item in act(stage, [[k / 1024 for k in range(1024)]])]
    return [Array(item) for item in act(stage, CHILD["RIGHT"][stage][0]())]

class Array:
    def __init__(self, values, device=""):
        self.values = values.values if isinstance(values, Array) else values
        self.device, self.grad, self.slopes = device, None, ()
    def tolist(self):
        return self.values
    def itself(self, *arguments):
        return self
    shape = (1,)
    __add__ = __mul__ = __pow__ = numpy = sum = permute = contiguous = itself
    def __sub__(self, other):
        return other
    def backward(self):
        for tensor, slope in self.slopes:
            tensor.grad = slope

class Scope:
    def __init__(self, *arguments):
        pass
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass

act("import")
"""
    % CHILD
)

_KERAS = """
class backend:
    @staticmethod
    def backend():
        return os.environ.get("KERAS_BACKEND", "tensorflow")
class ops:
    @staticmethod
    def convert_to_tensor(rows, dtype):
        return Array(rows)
    @staticmethod
    def convert_to_numpy(tensor):
        return tensor
    @staticmethod
    def matmul(left, right):
        return results("product")[0]
class layers:
    @staticmethod
    def Input(shape):
        return None
    @staticmethod
    def Dense(units, activation=None, dtype=None):
        return lambda inputs: None
class optimizers:
    @staticmethod
    def SGD(rate):
        assert rate == 1.0
class models:
    class Model:
        def __init__(self, inputs, outputs):
            pass
        def compile(self, **options):
            self.options = options
        def set_weights(self, weights):
            pass
        def get_weights(self):
            return self.weights
        def fit(self, x, y, **options):
            act("fit")
            loss, weights = results("train")
            self.weights, self.history = weights.values, {"loss": [loss]}
            return self
"""

SOURCES = {
    "tensorflow": _COMMON
    + _KERAS
    + """
class Device:
    def __init__(self, kind):
        self.name, self.device_type = "/physical_device:%s:0" % kind, kind

class config:
    @staticmethod
    def list_physical_devices():
        act("list")
        return [Device(kind) for kind in os.environ.get("PATIENT_DEVICES", "CPU").split()]
    @staticmethod
    def set_visible_devices(devices, kind):
        pass
    @staticmethod
    def set_soft_device_placement(on):
        pass
    @staticmethod
    def set_memory_growth(device, on):
        if device.device_type == "CPU":
            raise ValueError("no such option")
config.experimental = config

GRAPH = os.environ.get("PATIENT_GRAPH") == "1"
if GRAPH:
    __version__ = "1.15.0"
PLACE = []

class device(Scope):
    def __init__(self, name):
        PLACE[:] = [name]

SLOPES = []

def computed(stage):
    first, *SLOPES[:] = [Array(item, PLACE[0]) for item in results(stage)]
    return first

class GradientTape(Scope):
    def watch(self, tensors):
        pass
    def gradient(self, total, sources):
        if isinstance(sources, tuple):  # the weights of a model
            return [Array(item, PLACE[0]) for item in SLOPES[0].values]
        return list(SLOPES) if isinstance(sources, list) else SLOPES[0]

class Graph(Scope):
    def as_default(self):
        return self

class Session(Scope):
    def run(self, fetched, fed):
        return fetched

class compat:
    class v1:
        Session = Session
        placeholder = staticmethod(lambda kind, shape: Array(None))

class nn:
    relu = staticmethod(lambda values: SLOPES[0])
    conv2d = staticmethod(lambda *arguments: computed("convolution"))

class random:
    uniform = staticmethod(lambda shape, seed=None: computed("random"))
    stateless_uniform = uniform

class test:
    is_built_with_gpu_support = staticmethod(lambda: False)

class keras:
    backend, ops, layers, models, optimizers = backend, ops, layers, models, optimizers

constant = Array
reduce_sum = square = lambda values: values
reduce_mean = lambda values: computed("train")
matmul = lambda left, right: computed("product")
tanh = lambda values: computed("elementwise")
executing_eagerly = lambda: not GRAPH
""",
    "keras": _COMMON + _KERAS,
    "jax": _COMMON
    + """
class Device:
    platform = "cpu"
    def __str__(self):
        return "cpu:0"

def devices(platform=None):
    act("list")
    return [Device()]

def local_devices(backend=None):
    return devices()

class config:
    @staticmethod
    def update(name, value):
        pass

class numpy:
    pass

class random:
    pass

default_device = Scope

def jit(function):
    stage = function.__qualname__.split(".")[1]
    def compiled(*inputs):
        found = results(stage)
        return found[0] if stage == "random" else found
    return compiled
""",
    "torch": _COMMON
    + """
import builtins

LEAVES = []

def tensor(values, device, requires_grad=False):
    LEAVES.append(Array(values))
    return LEAVES[-1]

def differentiable(stage, leaves):
    first, *slopes = results(stage)
    first.slopes = list(zip(leaves, slopes))
    return first

class nn:
    class functional:
        @staticmethod
        def conv2d(image, kernel, padding):
            return differentiable("convolution", LEAVES[-3:])

def matmul(left, right):
    return differentiable("product", LEAVES[-1:]) if sys._getframe(1).f_code.co_name == "product" else left

def tanh(values):
    if sys._getframe(1).f_code.co_name == "train":
        return values
    values.second = results("elementwise")
    return values.second[0]

def relu(values):
    return values.second[1]

def rand(count, device):
    return results("random")[0]

def mean(self):
    loss, after = results("train")
    loss.slopes = [(leaf, Array(item)) for leaf, item in zip(LEAVES[-4:], after.values)]
    return loss
Array.mean = mean

class cuda:
    @staticmethod
    def is_available():
        act("list")
        return os.environ.get("PATIENT_DEVICES", "CPU") != "CPU"
    @staticmethod
    def device_count():
        return 1
""",
    "numpy": _COMMON + "def array(values, kind):\n    return Array(values)\n",
}
