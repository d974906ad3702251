"""The text of a reproducer's script, by framework. It is read by people who do not have devicekit."""

import math
from typing import Dict

from ...errors import DevicekitError
from .result import Difference

_HEAD = '''"""{title}

Computes the layer {name!r} ({operation}) on the CPU and on {device}, with the weights and the input in reproduce.npz,
and shows by how much outputs and gradients differ. Ends with status 1 if they do.

Needs NumPy, {needs}.
    python reproduce.py [DEVICE]
"""

import importlib
import json
import os
import sys

{environment}import numpy as np

{imports}

CONFIG = json.loads({config!r})
CALL = json.loads({layout!r})
DEVICE = sys.argv[1] if len(sys.argv) > 1 else {device!r}
#: Between what rounding explains and what was seen.
LIMIT = {limit!r}
DATA = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reproduce.npz"))
WEIGHTS = [DATA["weight_%d" % number] for number in range(sum(name.startswith("weight_") for name in DATA.files))]


def arguments(make):
    """Return the arguments of the layer's call, each array as the framework's."""

    def filled(value):
        if isinstance(value, dict) and set(value) == {{"array", "dtype"}}:
            return make(DATA[value["array"]], value["dtype"])
        if isinstance(value, dict):
            return {{name: filled(item) for name, item in value.items()}}
        return [filled(item) for item in value] if isinstance(value, list) else value

    return filled(CALL)


def weights_of_outputs(shapes):
    """Return fixed numbers to multiply the outputs by, so that there is one number to take gradients of."""
    generator = np.random.RandomState({seed})
    return [generator.uniform(0.25, 1.0, shape).astype("float32") for shape in shapes]


{layer}

def show(right, found):
    """Print how far two results are apart; return whether that is more than rounding explains."""
    wrong = False
    for name in right:
        one, other = np.asarray(right[name], "float64"), np.asarray(found[name], "float64")
        size = np.max(np.abs(one)) if one.size else 0.0
        error = np.max(np.abs(one - other)) / (size or 1.0) if one.size else 0.0
        bad = not error <= LIMIT
        wrong = wrong or bad
        note = "WRONG" if bad else "agrees"
        print("%-30s %-8s relative error %.2e, sum %.6g on the CPU, %.6g there" % (name, note, error, one.sum(), other.sum()))
    return wrong


{run}

if __name__ == "__main__":
    print("the layer on the CPU and on", DEVICE)
    sys.exit(1 if show(run(CPU), run(DEVICE)) else 0)
'''

_KERAS_3 = '''def make_layer():
    """Return the layer again."""
    return keras.saving.deserialize_keras_object(CONFIG)

'''

_KERAS_2 = '''def make_layer():
    """Return the layer again; a class of your own is taken from its module."""
    config, own = dict(CONFIG), {}
    module = config.pop("module", None)
    if module and not module.startswith("keras"):
        own[config["class_name"]] = getattr(importlib.import_module(module), config["class_name"])
    return keras.layers.deserialize(config, custom_objects=own)

'''

_TENSORFLOW = '''CPU = "/CPU:0"


def run(device):
    """Return outputs and gradients on a device, by name. The gradients are computed where the scope says, too."""
    with tf.device(device):
        args, kwargs = arguments(lambda values, dtype: tf.constant(values, dtype))
        layer = make_layer()
        layer(*args, **kwargs)
        layer.set_weights(WEIGHTS)
        inputs = [item for item in tf.nest.flatten([args, kwargs]) if tf.is_tensor(item) and item.dtype.is_floating]
        trained = list(layer.trainable_variables)
        with tf.GradientTape() as tape:
            for item in inputs:
                tape.watch(item)
            outputs = [item for item in tf.nest.flatten(layer(*args, **kwargs)) if item.dtype.is_floating]
            heads = weights_of_outputs([item.shape for item in outputs])
            total = tf.add_n([tf.reduce_sum(tf.cast(item, tf.float32) * head) for item, head in zip(outputs, heads)])
        # Keras 3's variables hold TensorFlow's.
        sources = inputs + [item if hasattr(item, "read_value") else item.value for item in trained]
        gradients = tape.gradient(total, sources)
    names = ["gradient of input %d" % number for number in range(len(inputs))]
    names += ["gradient of %s" % getattr(item, "path", item.name) for item in trained]
    found = {"output %d" % number: item.numpy() for number, item in enumerate(outputs)}
    found.update((name, tf.convert_to_tensor(item).numpy()) for name, item in zip(names, gradients) if item is not None)
    return found

'''

_JAX = '''CPU = "cpu:0"


def run(device):
    """Return outputs and gradients on a device, by name."""
    platform, _, number = device.partition(":")
    with jax.default_device(jax.devices(platform)[int(number or 0)]):
        args, kwargs = arguments(lambda values, dtype: jnp.asarray(values, dtype))
        layer = make_layer()
        layer(*args, **kwargs)
        layer.set_weights(WEIGHTS)
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        places = [i for i, item in enumerate(leaves) if hasattr(item, "dtype") and jnp.issubdtype(item.dtype, jnp.floating)]
        others = [item.value for item in layer.non_trainable_variables]

        def total(weights, inputs):
            filled = list(leaves)
            for place, value in zip(places, inputs):
                filled[place] = value
            given, named = jax.tree_util.tree_unflatten(tree, filled)
            result = layer.stateless_call(weights, others, *given, **named)[0]
            outputs = [item for item in jax.tree_util.tree_leaves(result) if jnp.issubdtype(item.dtype, jnp.floating)]
            heads = weights_of_outputs([item.shape for item in outputs])
            return sum(jnp.sum(item.astype("float32") * head) for item, head in zip(outputs, heads)), outputs

        weights = [item.value for item in layer.trainable_variables]
        compute = jax.value_and_grad(total, argnums=(0, 1), has_aux=True)
        (_, outputs), (of_weights, of_inputs) = compute(weights, [leaves[i] for i in places])
    found = {"output %d" % number: np.asarray(item) for number, item in enumerate(outputs)}
    found.update(("gradient of input %d" % number, np.asarray(item)) for number, item in enumerate(of_inputs))
    for item, gradient in zip(layer.trainable_variables, of_weights):
        found["gradient of %s" % item.path] = np.asarray(gradient)
    return found

'''

_TORCH = '''CPU = "cpu"


def run(device):
    """Return outputs and gradients on a device, by name."""
    with keras.device(device):
        args, kwargs = arguments(lambda values, dtype: keras.ops.convert_to_tensor(values, dtype))
        layer = make_layer()
        layer(*args, **kwargs)
        layer.set_weights(WEIGHTS)
        inputs = [item for item in keras.tree.flatten([args, kwargs]) if torch.is_tensor(item) and item.is_floating_point()]
        for item in inputs:
            item.requires_grad_(True)
        outputs = [item for item in keras.tree.flatten(layer(*args, **kwargs)) if item.is_floating_point()]
        heads = weights_of_outputs([tuple(item.shape) for item in outputs])
        total = sum((item.float() * torch.as_tensor(head).to(item.device)).sum() for item, head in zip(outputs, heads))
        total.backward()
    found = {"output %d" % number: item.detach().cpu().numpy() for number, item in enumerate(outputs)}
    sources = [("gradient of input %d" % number, item) for number, item in enumerate(inputs)]
    sources += [("gradient of %s" % item.path, item.value) for item in layer.trainable_variables]
    found.update((name, item.grad.detach().cpu().numpy()) for name, item in sources if item.grad is not None)
    return found

'''

_RUN: Dict[str, str] = {"tensorflow": _TENSORFLOW, "jax": _JAX, "torch": _TORCH}
_IMPORTS: Dict[str, str] = {
    "tensorflow": "import tensorflow as tf",
    "jax": "import jax\nimport jax.numpy as jnp",
    "torch": "import torch",
}


def script_for(
    framework: str, module: str, *, config: str, layout: str, device: str, about: Difference, seed: int
) -> str:
    """Return the script.

    Parameters
    ----------
    framework : {"tensorflow", "jax", "torch"}
    module : {"keras", "tf_keras", "tensorflow.keras"}
        The Keras to import.
    config, layout : str
        The layer, and the arguments of its call, as JSON.
    device : str
        The framework's name of the device.
    about : Difference
        What was found.
    seed : int

    Raises
    ------
    DevicekitError
        If there is no script for the framework.
    """
    if framework not in _RUN:
        raise DevicekitError("there is no reproducer for %s" % framework)
    third = module == "keras" and "registered_name" in config
    keras = "import %s as keras" % module if "." in module or module != "keras" else "import keras"
    return _HEAD.format(
        title="%s of %s is wrong on %s." % (about.what[:1].upper() + about.what[1:], about.name, about.device),
        name=about.name,
        operation=about.operation,
        device=device,
        needs="%s and Keras" % framework,
        environment='os.environ["KERAS_BACKEND"] = %r\n' % framework if third else "",
        imports="%s\n%s" % (_IMPORTS[framework], keras),
        config=config,
        layout=layout,
        limit=_limit(about),
        seed=seed,
        layer=_KERAS_3 if third else _KERAS_2,
        run=_RUN[framework],
    )


def _limit(about: Difference) -> float:
    """Return the geometric mean of what rounding explains and what was seen."""
    measure = about.measure
    if measure is None or not 0 < measure.max_relative_error < math.inf or measure.nonfinite:
        return 1e-3
    return float("%.1e" % math.sqrt(max(measure.tolerance, 1e-12) * measure.max_relative_error))
