"""Kernels of the simulated device that compute wrong, the layer that each belongs to, and a program that looks for them."""

#: Model, operation, and the faults of its kernel with the layers that have it.
_TABLE = """
images      Conv2D                              conv,point       shifted lastchannel stale nan tail lone short
images      Conv2DBackpropFilter                conv,point       times100 half everyfourth lone short
images      Conv2DBackpropInput                 conv,point       negated lastrow
images      DepthwiseConv2dNative               depthwise        lastrow percent
images      DepthwiseConv2dNativeBackpropFilter depthwise        half
images      DepthwiseConv2dNativeBackpropInput  depthwise        swapped
images      Relu                                relu             clipped lastrow flushed
images      ReluGrad                            relu             negated lastchannel
images      MaxPool                             maximum          shifted infinite
images      MaxPoolGrad                         maximum          half
images      AvgPool                             average          percent
images      AvgPoolGrad                         average          double stale
images      Rsqrt                               norm             percent
images      SquaredDifference                   norm             percent permille
images      AddV2                               norm             unchanged
images      Sum                                 conv,depthwise,point,norm,classes droprow
images      BiasAdd                             conv,depthwise,point,classes nobias
images      BiasAddGrad                         conv,depthwise,point,classes droprow lastchannel
images      MatMul                              classes          tail lastchannel plus stale
tables      Tanh                                tanh             saturated swapped
tables      TanhGrad                            tanh             half
tables      Sigmoid                             sigmoid,softplus permille
tables      SigmoidGrad                         sigmoid          negated
tables      Erfc                                gelu             percent
tables      MatMul                              tanh,sigmoid,gelu,classes tail lone short
tables      Sum                                 tanh,sigmoid,gelu,classes,norm droprow
tables      Softmax                             classes          nan reversed permille
tables      Elu                                 elu              percent
tables      EluGrad                             elu              zeros
tables      Softplus                            softplus         clipped overflow
tables      SeluGrad                            selu             double
tables      Selu                                selu             plus
tables      Exp                                 exponential,gelu percent clipped
tables      LeakyReluGrad                       leaky            negated
tables      ConcatV2                            joined           lastrow
tables      ArgMax                              argmax           ties
tables      Sqrt                                root             permille tiny
tables      Log                                 logarithm        plus
sequences   GatherV2                            table            reversed
sequences   Sigmoid                             lstm,gru         permille saturated
sequences   TanhGrad                            lstm,gru         negated
sequences   MatMul                              lstm,gru,classes everyfourth
sequences   Mean                                norm,pool        half
sequences   Max                                 most             lastchannel
sequences   Cumsum                              sums             percent
drawing     StatelessRandomUniformV2            dropout          half zeros
drawing     StatelessRandomNormalV2             noise            half zeros
"""


def planted():
    """Return (model, fault, layers that may be named) for each fault."""
    found = []
    for line in _TABLE.strip().splitlines():
        model, operation, layers, *faults = line.split()
        found += [(model, "%s@%s" % (fault, operation), layers.split(",")) for fault in faults]
    return found


#: Takes a JSON list of (model, fault, layers) on its command line; the simulated device is "gpu:0".
PROGRAM = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import devicekit
devicekit.auto("gpu", verify="never")
import keras
L, ops = keras.layers, keras.ops

def images():
    start = keras.Input((8, 8, 3))
    x = L.BatchNormalization(name="norm")(L.Conv2D(4, 3, padding="same", name="conv")(start))
    x = L.DepthwiseConv2D(3, name="depthwise")(L.ReLU(name="relu")(x))
    x = L.Conv2D(8, 1, name="point")(L.MaxPooling2D(name="maximum")(x))
    return keras.Model(start, L.Dense(5, name="classes")(L.Flatten()(L.AveragePooling2D(3, name="average")(x))))

def tables():
    start = keras.Input((12,))
    x = L.Dense(16, activation="tanh", name="tanh")(start)
    x = L.Dense(16, activation="sigmoid", name="sigmoid")(x)
    x = L.LayerNormalization(name="norm")(L.Dense(16, activation="gelu", name="gelu")(x))
    kinds = ("elu", "softplus", "selu", "exponential")
    parts = [L.Activation(kind, name=kind)(x) for kind in kinds] + [L.LeakyReLU(name="leaky")(x)]
    parts += [ops.sqrt(ops.abs(x)), ops.log(ops.abs(x) + 1.0)]
    joined = L.Concatenate(name="joined")(parts)
    return keras.Model(start, [L.Dense(4, activation="softmax", name="classes")(joined), ops.argmax(joined, axis=-1)])

def sequences():
    start = keras.Input((6,), dtype="int32")
    x = L.LayerNormalization(name="norm")(L.Embedding(30, 8, name="table")(start))
    x = L.LSTM(6, return_sequences=True, name="lstm")(x)
    x = L.GRU(6, return_sequences=True, name="gru")(ops.cumsum(x, axis=1))
    x = L.Concatenate()([L.GlobalAveragePooling1D(name="pool")(x), L.GlobalMaxPooling1D(name="most")(x)])
    return keras.Model(start, L.Dense(4, name="classes")(x))

def drawing():
    start = keras.Input((12, 2))
    x = L.Flatten()(L.Conv1D(4, 3, groups=2, name="grouped")(start))  # which XLA computes, on the CPU
    x = L.Dropout(0.3, name="dropout")(L.Dense(8, name="first")(x))
    return keras.Model(start, L.Dense(4, name="classes")(L.GaussianNoise(0.2, name="noise")(x)))

#: Keras names operations after what they do.
OPERATIONS = {"sqrt": "root", "log": "logarithm", "argmax": "argmax", "cumsum": "sums"}
made = {}
def model_of(name):
    if name not in made:
        keras.utils.set_random_seed(1)
        made[name] = globals()[name]()
    return made[name]

found = {}
for name, fault, layers in json.loads(sys.argv[1]):
    model = model_of(name)
    options = dict(devices="gpu", seed=3)
    if "--train" in sys.argv:
        generator = np.random.RandomState(0)
        x = generator.standard_normal((8, *model.input_shape[1:])).astype("float32")
        outputs = model.outputs[0]
        options.update(inputs=x, targets=generator.randint(0, int(outputs.shape[-1]), 8), steps=2, optimizers=["sgd"],
                       loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    os.environ["DEVICEKIT_SIM_KERNEL"] = fault
    try:
        comparison = devicekit.compare(model, **options)
    except Exception as error:
        found[name + " " + fault] = {"error": repr(error)}
        continue
    finally:
        os.environ.pop("DEVICEKIT_SIM_KERNEL")
    layer = lambda item: OPERATIONS.get(item.operation.lower(), item.name.partition("/")[0])
    alone = [item for item in comparison.differences if item.kind != "model"]
    wrong = sorted({layer(item) for item in alone if item.verdict in ("differs", "failed")})
    details = sorted({"%s: %s" % (item.what, item.detail) for item in alone if item.verdict == "differs"})
    reduced = sorted({item.name for item in comparison.differences if item.verdict == "reduced-precision"})
    found[name + " " + fault] = {
        "found": not comparison.agrees, "wrong": wrong, "right": bool(wrong) and set(wrong) <= set(layers),
        "reduced": reduced, "details": details[:3], "training": [item.verdict for item in comparison.divergences],
        "left": [item.detail for item in comparison.left_to_cpu],
    }
    print(name, fault, json.dumps(found[name + " " + fault]), file=sys.stderr, flush=True)
print(json.dumps(found))
"""
