"""A program on a device that computes wrong, and what is to be found of each fault."""

#: They end at once: PyTorch's thread for a device's gradients may still drop some when Python ends, which aborts it.
_START = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import devicekit
devicekit.auto("gpu", verify="never")
try:
    import torch, keras
except ImportError:
    from tensorflow import keras
"""

PROGRAM = (
    _START
    + """
layers = keras.layers
model = keras.Sequential([
    layers.InputLayer((8, 8, 2)),
    layers.Conv2D(4, 3, padding="same", activation="relu", name="convolution"),
    layers.Flatten(name="flat"),
    layers.Dense(32, activation="relu", name="inner"),
    layers.Dense(5, activation="softmax", name="classes"),
])
generator = np.random.RandomState(0)
x, y = generator.standard_normal((16, 8, 8, 2)).astype("float32"), generator.randint(0, 5, 16)
before = [np.array(item) for item in model.get_weights()]
found = devicekit.compare(model, x, y, devices="gpu", loss="sparse_categorical_crossentropy", steps=2,
                          optimizers=["sgd"])
assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
alone = [item for item in found.differences if item.kind in ("layer", "gradient")]
print(json.dumps({
    "wrong": sorted({"%s: %s" % (item.name, item.what) for item in alone if item.verdict == "differs"}),
    "reduced": sorted({item.name for item in alone if item.verdict == "reduced-precision"}),
    "arithmetic": sorted({item.arithmetic for item in alone if item.verdict == "reduced-precision"}),
    "other": sorted({item.verdict for item in found.differences} - {"agrees", "differs", "reduced-precision"}),
    "details": sorted({item.detail for item in alone if item.verdict == "differs"}),
    "training": sorted({
        item.verdict + ("" if item.first_step is None else " at step %d" % item.first_step) for item in found.divergences
    }),
    "compiled": sorted({item.compiled_by for item in found.divergences}),
    "left": [[item.layers, item.agrees, item.detail] for item in found.left_to_cpu],
    "advice": sorted({fix.text for item in found.findings for fix in item.fix if "on_cpu" in fix.text}),
    "places": sorted({item.ran_on for item in alone}),
    "codes": sorted({item.code for item in found.findings}),
}), flush=True)
os._exit(0)
"""
)

CASES = {
    "": {"wrong": [], "reduced": [], "training": ["agrees"], "codes": [], "left": []},
    "gradient": {
        "wrong": ["convolution: gradient of kernel"],
        "reduced": [],
        "training": ["differs at step 1"],
        "left": [[["convolution"], True, ""]],
        "codes": ["numerics-divergent"],
    },
    "bfloat16": {
        "wrong": [],
        "reduced": ["classes", "convolution", "inner"],
        "codes": ["numerics-divergent"],
    },
    "padding": {
        "reduced": [],
        "training": ["differs at step 1"],
        "left": [[["convolution"], True, ""]],
        "codes": ["numerics-divergent"],
    },
    "stale": {"reduced": [], "codes": ["numerics-divergent"]},
    # Keras takes the loss from what goes into softmax, so that training does not meet it.
    "nan": {"reduced": [], "codes": ["numerics-divergent"]},
}
#: Where nothing but this one layer may be named.
ALONE = {"padding": "convolution", "stale": "convolution", "nan": "classes"}


def check(found, fault):
    expected = CASES[fault]
    assert {name: found[name] for name in expected} == expected
    assert found["other"] == []
    assert [text.count("all agrees") for text in found["advice"]] == [1 for left in found["left"]]
    if fault == "bfloat16":
        assert "bfloat16" in found["arithmetic"]
    if fault in ALONE:
        assert found["wrong"]
        assert {item.partition(":")[0] for item in found["wrong"]} == {ALONE[fault]}
    return " ".join(found["details"])


#: On a device that computes right, but coarser.
COARSE = (
    _START
    + """
L = keras.layers

def images():
    part = L.Conv2D(8, 3, activation="relu", name="straight")
    return [part, L.BatchNormalization(), L.MaxPooling2D(), L.DepthwiseConv2D(3, activation="gelu", name="bent"),
            L.Flatten(), L.Dense(5, activation="softmax", name="classes")], (10, 10, 3)

def sequences():
    start = keras.Input((6, 16))
    x = L.LayerNormalization()(start + L.MultiHeadAttention(2, 8)(start, start))
    x = L.GlobalAveragePooling1D()(L.Dense(16, activation="gelu")(x))
    return keras.Model(start, L.Dense(5, activation="softmax")(x)), (6, 16)

found = {}
for make in images, sequences:
    keras.utils.set_random_seed(4)
    model, shape = make()
    model = keras.Sequential([L.InputLayer(shape), *model]) if isinstance(model, list) else model
    plain = {"jit_compile": False} if hasattr(keras, "ops") else {}  # a device of host memory has no XLA
    model.compile(loss="sparse_categorical_crossentropy", **plain)
    generator = np.random.RandomState(1)
    x, y = generator.standard_normal((32, *shape)).astype("float32"), generator.randint(0, 5, 32)
    result = devicekit.compare(model, x, y, devices="gpu", optimizers=["sgd", "adam"], steps=2)
    found[make.__name__] = {
        "agrees": result.agrees,
        "severities": sorted({item.severity for item in result.findings}),
        "wrong": sorted({"%s: %s" % (item.name, item.what) for item in result.differences if item.verdict == "differs"}),
        "reduced": sorted({item.arithmetic for item in result.differences if item.verdict == "reduced-precision"}),
        "astray": sorted({item.optimizer for item in result.divergences if item.verdict == "differs"}),
        "training": [item.detail for item in result.divergences if item.optimizer == "adam"],
    }
print(json.dumps(found), flush=True)
os._exit(0)
"""
)


def check_coarse(found, *models):
    """See that a device which rounds the factors of products to TF32 is accused of nothing in these models."""
    for name, item in found.items():
        assert (item["agrees"], item["wrong"], item["astray"]) == (True, [], []), (name, item)
        if name in models:
            assert (item["severities"], item["reduced"]) == (["info"], ["tf32"])
    details = " ".join(detail for name in models for detail in found[name]["training"])
    assert "as far as tf32 takes it" in details or not models, details
