"""Small right models of every common kind for ``tools/false_alarms.py``; each is built by Keras 3 on every backend.

Each function of `MODELS` takes made-up data and returns a compiled model, inputs and targets.
"""

import contextlib

import keras
import numpy as np
from keras import layers, ops

COUNT = 16


class Data:
    """Random arrays with ``COUNT`` examples."""

    def __init__(self, seed):
        self.generator = np.random.RandomState(seed)

    def normal(self, *shape):
        return self.generator.standard_normal((COUNT, *shape)).astype("float32")

    def uniform(self, *shape):
        return self.generator.uniform(size=(COUNT, *shape)).astype("float32")

    def integers(self, high, *shape):
        return self.generator.randint(0, high, (COUNT, *shape)).astype("int32")


MODELS = {}


def example(make):
    """Add a model to `MODELS`."""
    MODELS[make.__name__] = make
    return make


def classifier(model, optimizer="adam", **options):
    """Compile a model whose last layer is a softmax over classes."""
    model.compile(optimizer, "sparse_categorical_crossentropy", **options)
    return model


def regressor(model, optimizer="sgd", loss="mse", **options):
    """Compile a model that returns numbers."""
    model.compile(optimizer, loss, **options)
    return model


def stack(shape, *parts, dtype=None):
    """Return a Sequential model."""
    return keras.Sequential([keras.Input(shape, dtype=dtype), *parts])


def classes(count=4):
    """Return the last layer of a classifier; it computes in float32 whatever the others do."""
    return layers.Dense(count, activation="softmax", dtype="float32")


@contextlib.contextmanager
def policy(name):
    """Make layers in a dtype policy."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


# Dense models.


@example
def mlp(data):
    model = stack((12,), layers.Dense(16, "relu"), layers.Dense(8, "tanh"), classes())
    return classifier(model), data.normal(12), data.integers(4)


@example
def mlp_batch_normalization(data):
    parts = [layers.Dense(16), layers.BatchNormalization(), layers.Activation("relu"), layers.Dropout(0.3)]
    return classifier(stack((12,), *parts, classes())), data.normal(12), data.integers(4)


@example
def mlp_selu(data):
    dense = [layers.Dense(16, "selu", kernel_initializer="lecun_normal") for _ in range(3)]
    model = stack((12,), *dense, layers.AlphaDropout(0.1), layers.Dense(1))
    return regressor(model, "rmsprop"), data.normal(12), data.normal(1)


@example
def mlp_activations(data):
    names = ("gelu", "elu", "silu", "softplus", "softsign", "mish", "hard_sigmoid", "leaky_relu", "relu6")
    model = stack((12,), *[layers.Dense(10, name) for name in names], layers.Dense(1))
    return regressor(model, "nadam"), data.normal(12), data.normal(1)


@example
def mlp_regularized(data):
    both = keras.regularizers.L1L2(1e-3, 1e-2)
    parts = [layers.Dense(16, "relu", kernel_regularizer=both), layers.ActivityRegularization(l2=1e-3)]
    parts.append(layers.Dense(8, "tanh", kernel_constraint=keras.constraints.MaxNorm(1.0), activity_regularizer="l1"))
    return regressor(stack((12,), *parts, layers.Dense(1))), data.normal(12), data.normal(1)


@example
def logistic(data):
    model = regressor(stack((20,), layers.Dense(1, "sigmoid")), "adagrad", "binary_crossentropy")
    return model, data.normal(20), data.integers(2, 1).astype("float32")


@example
def logits_smoothed(data):
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
    model = regressor(stack((20,), layers.Dense(12, "relu"), layers.Dense(5)), "adamw", loss)
    return model, data.normal(20), np.eye(5, dtype="float32")[data.integers(5)]


@example
def huber_clipped(data):
    optimizer = keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True, clipnorm=0.5)
    model = stack((10,), layers.Normalization(), layers.Dense(12, "relu"), layers.Dense(2))
    x = data.normal(10) * 5 + 3
    model.layers[0].adapt(x)
    return regressor(model, optimizer, "huber"), x, data.normal(2) * 4


@example
def hinge_averaged(data):
    optimizer = keras.optimizers.Adam(0.002, use_ema=True, weight_decay=0.01)
    model = regressor(stack((10,), layers.Dense(12, "tanh"), layers.Dense(1)), optimizer, "hinge")
    return model, data.normal(10), data.integers(2, 1).astype("float32") * 2 - 1


@example
def residual_mlp(data):
    x = start = keras.Input((12,))
    for _ in range(4):
        x = layers.Add()([x, layers.Dense(12, "relu")(layers.LayerNormalization()(x))])
    return regressor(keras.Model(start, layers.Dense(1)(x)), "lion"), data.normal(12), data.normal(1)


@example
def highway(data):
    x = start = keras.Input((12,))
    for _ in range(3):
        gate, new = layers.Dense(12, "sigmoid", bias_initializer="ones")(x), layers.Dense(12, "relu")(x)
        x = layers.Add()([layers.Multiply()([gate, new]), layers.Multiply()([1.0 - gate, x])])
    return classifier(keras.Model(start, classes()(x)), "sgd"), data.normal(12), data.integers(4)


@example
def maxout(data):
    start = keras.Input((12,))
    x = layers.Maximum()([layers.Dense(8)(start) for _ in range(3)])
    return classifier(keras.Model(start, classes()(x)), "adamax"), data.normal(12), data.integers(4)


@example
def mixture_of_experts(data):
    start = keras.Input((8,))
    experts = layers.Concatenate(axis=1)([layers.Reshape((1, 6))(layers.Dense(6, "relu")(start)) for _ in range(3)])
    x = layers.Dot(1)([layers.Dense(3, "softmax")(start), experts])
    return regressor(keras.Model(start, layers.Dense(1)(x))), data.normal(8), data.normal(1)


@example
def autoencoder(data):
    encoder = keras.Sequential([keras.Input((16,)), layers.Dense(8, "relu"), layers.Dense(3)], name="encoder")
    decoder = keras.Sequential(
        [keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(16, "sigmoid")], name="decoder"
    )
    start, x = keras.Input((16,)), data.uniform(16)
    return regressor(keras.Model(start, decoder(encoder(start))), "adam", "binary_crossentropy"), x, x


# Several inputs or outputs.


@example
def wide_and_deep(data):
    wide, deep = keras.Input((6,), name="wide"), keras.Input((10,), name="deep")
    hidden = layers.Dense(8, "relu")(layers.Dense(12, "relu")(deep))
    model = keras.Model([wide, deep], layers.Dense(1)(layers.Concatenate()([wide, hidden])))
    return regressor(model, "ftrl"), [data.normal(6), data.normal(10)], data.normal(1)


@example
def named_inputs(data):
    numbers, kinds = keras.Input((5,), name="numbers"), keras.Input((2,), dtype="int32", name="kinds")
    x = layers.Concatenate()([numbers, layers.Flatten()(layers.Embedding(7, 3)(kinds))])
    model = keras.Model({"numbers": numbers, "kinds": kinds}, classes()(layers.Dense(8, "relu")(x)))
    return classifier(model), {"numbers": data.normal(5), "kinds": data.integers(7, 2)}, data.integers(4)


@example
def several_outputs(data):
    start = keras.Input((10,))
    x = layers.Dense(12, "relu")(start)
    model = keras.Model(start, [layers.Dense(1, name="size")(x), layers.Dense(3, "softmax", name="kind")(x)])
    model.compile("adam", ["mse", "sparse_categorical_crossentropy"], loss_weights=[0.3, 1.0])
    return model, data.normal(10), [data.normal(1), data.integers(3)]


@example
def siamese(data):
    tower = keras.Sequential([keras.Input((10,)), layers.Dense(8, "relu"), layers.Dense(4)], name="tower")
    one, other = keras.Input((10,)), keras.Input((10,))
    apart = ops.sum(ops.square(tower(one) - tower(other)), axis=1, keepdims=True)
    model = keras.Model([one, other], layers.Dense(1, "sigmoid")(apart))
    return regressor(model, "sgd", "binary_crossentropy"), [data.normal(10), data.normal(10)], data.uniform(1).round()


@example
def recommender(data):
    user, film = keras.Input((1,), dtype="int32"), keras.Input((1,), dtype="int32")
    both = [layers.Flatten()(layers.Embedding(9, 4)(one)) for one in (user, film)]
    model = keras.Model([user, film], layers.Dot(1, normalize=True)(both))
    return regressor(model, "adagrad"), [data.integers(9, 1), data.integers(9, 1)], data.uniform(1)


# Convolutions.


def images(data, size=16):
    return data.uniform(size, size, 3)


@example
def cnn(data):
    parts = [layers.Conv2D(8, 3, activation="relu"), layers.MaxPooling2D(), layers.Conv2D(8, 3, activation="relu")]
    return classifier(stack((16, 16, 3), *parts, layers.Flatten(), classes())), images(data), data.integers(4)


@example
def cnn_batch_normalization(data):
    parts = []
    for filters in (6, 8):
        parts += [layers.Conv2D(filters, 3, padding="same", use_bias=False), layers.BatchNormalization()]
        parts += [layers.ReLU(), layers.AveragePooling2D(2)]
    model = stack((16, 16, 3), *parts, layers.GlobalAveragePooling2D(), classes())
    return classifier(model, "sgd"), images(data), data.integers(4)


@example
def cnn_dilated(data):
    parts = [layers.Conv2D(6, 3, dilation_rate=rate, padding="same", activation="elu") for rate in (1, 2, 3)]
    model = stack((16, 16, 3), *parts, layers.GlobalMaxPooling2D(), layers.Dense(1))
    return regressor(model), images(data), data.normal(1)


@example
def cnn_groups(data):
    parts = [layers.Conv2D(8, 3), layers.GroupNormalization(4), layers.PReLU(), layers.Conv2D(8, 3, 2, groups=2)]
    parts += [layers.LeakyReLU(), layers.SpatialDropout2D(0.2), layers.Flatten()]
    return classifier(stack((16, 16, 3), *parts, classes())), images(data), data.integers(4)


@example
def separable(data):
    parts = [layers.SeparableConv2D(8, 3, activation="relu"), layers.DepthwiseConv2D(3, 2, depth_multiplier=2)]
    parts += [layers.UnitNormalization(), layers.Flatten()]
    return classifier(stack((16, 16, 3), *parts, classes())), images(data), data.integers(4)


@example
def spectral(data):
    parts = [layers.SpectralNormalization(layers.Conv2D(6, 3, activation="relu")), layers.Flatten()]
    return regressor(stack((12, 12, 3), *parts, layers.Dense(1))), images(data, 12), data.normal(1)


@example
def unet(data):
    start = keras.Input((16, 16, 3))
    high = layers.Conv2D(6, 3, padding="same", activation="relu")(start)
    low = layers.Conv2D(8, 3, padding="same", activation="relu")(layers.MaxPooling2D()(high))
    up = layers.Concatenate()([layers.Conv2DTranspose(6, 3, 2, padding="same", activation="relu")(low), high])
    model = keras.Model(start, layers.Conv2D(1, 1, activation="sigmoid")(up))
    return regressor(model, "adam", "binary_crossentropy"), images(data), data.uniform(16, 16, 1).round()


@example
def upsampling(data):
    parts = [layers.Conv2D(6, 3, padding="same", activation="relu"), layers.UpSampling2D(interpolation="bilinear")]
    parts += [
        layers.Cropping2D(1),
        layers.ZeroPadding2D(1),
        layers.Conv2D(3, 3, padding="same"),
        layers.Resizing(16, 16),
    ]
    return regressor(stack((8, 8, 3), *parts), "adam", "mae"), images(data, 8), images(data)


@example
def resnet(data):
    x = start = keras.Input((16, 16, 3))
    for filters, strides in ((8, 1), (8, 1), (12, 2)):
        y = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(filters, 3, strides, "same")(x)))
        y = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(y))
        x = layers.ReLU()(layers.Add()([y, layers.Conv2D(filters, 1, strides)(x)]))
    model = keras.Model(start, classes()(layers.GlobalAveragePooling2D()(x)))
    return classifier(model, keras.optimizers.SGD(0.1, 0.9)), images(data), data.integers(4)


@example
def inception(data):
    x = start = keras.Input((16, 16, 3))
    for _ in range(2):
        arms = [layers.Conv2D(4, size, padding="same", activation="relu")(x) for size in (1, 3, 5)]
        x = layers.Concatenate()([*arms, layers.MaxPooling2D(3, 1, "same")(x)])
    model = keras.Model(start, classes()(layers.GlobalAveragePooling2D()(x)))
    return classifier(model), images(data), data.integers(4)


@example
def squeeze_and_excite(data):
    start = keras.Input((16, 16, 3))
    x = layers.Conv2D(8, 3, activation="hard_silu")(start)
    scale = layers.Dense(8, "hard_sigmoid")(layers.Dense(4, "relu")(layers.GlobalAveragePooling2D(keepdims=True)(x)))
    model = keras.Model(start, classes()(layers.GlobalAveragePooling2D()(layers.Multiply()([x, scale]))))
    return classifier(model), images(data), data.integers(4)


@example
def wavenet(data):
    x = start = keras.Input((24, 3))
    for rate in (1, 2, 4):
        tanh, gate = (
            layers.Conv1D(6, 2, padding="causal", dilation_rate=rate, activation=a)(x) for a in ("tanh", "sigmoid")
        )
        x = layers.Multiply()([tanh, gate])
    return regressor(keras.Model(start, layers.Dense(1)(x)), "adam"), data.normal(24, 3), data.normal(24, 1)


@example
def cnn_1d(data):
    parts = [layers.Conv1D(8, 5, activation="relu"), layers.MaxPooling1D(), layers.Conv1DTranspose(6, 3, 2)]
    parts += [layers.GlobalAveragePooling1D()]
    return classifier(stack((24, 3), *parts, classes())), data.normal(24, 3), data.integers(4)


@example
def cnn_3d(data):
    parts = [layers.Conv3D(4, 3, activation="relu"), layers.MaxPooling3D(), layers.Conv3D(4, 2), layers.Flatten()]
    return classifier(stack((8, 8, 8, 2), *parts, classes())), data.normal(8, 8, 8, 2), data.integers(4)


# Recurrent models.


@example
def lstm(data):
    model = stack((8, 6), layers.LSTM(8, return_sequences=True), layers.LSTM(6), layers.Dense(1))
    return regressor(model, "adam"), data.normal(8, 6), data.normal(1)


@example
def gru_masked(data):
    x = data.normal(8, 6)
    x[:5, 5:] = 0.0
    return classifier(stack((8, 6), layers.Masking(), layers.GRU(8), classes())), x, data.integers(4)


@example
def gru_before(data):
    model = stack(
        (6, 4), layers.GRU(6, reset_after=False, return_sequences=True), layers.TimeDistributed(layers.Dense(2))
    )
    return regressor(model, "rmsprop"), data.normal(6, 4), data.normal(6, 2)


@example
def simple_rnn(data):
    model = stack((10, 4), layers.SimpleRNN(8, recurrent_dropout=0.2, dropout=0.1), layers.Dense(1))
    return regressor(model), data.normal(10, 4), data.normal(1)


@example
def bidirectional_text(data):
    parts = [layers.Embedding(30, 8, mask_zero=True), layers.Bidirectional(layers.LSTM(6)), classes()]
    return classifier(stack((8,), *parts, dtype="int32")), data.integers(30, 8), data.integers(4)


@example
def recurrent_cells(data):
    cells = [layers.LSTMCell(6), layers.GRUCell(5), layers.SimpleRNNCell(4)]
    return regressor(stack((6, 4), layers.RNN(cells), layers.Dense(1))), data.normal(6, 4), data.normal(1)


@example
def sequence_to_sequence(data):
    source, target = keras.Input((6, 4)), keras.Input((5, 3))
    _, *states = layers.LSTM(8, return_state=True)(source)
    x = layers.LSTM(8, return_sequences=True)(target, initial_state=states)
    model = keras.Model([source, target], layers.Dense(3, "softmax")(x))
    return classifier(model), [data.normal(6, 4), data.normal(5, 3)], data.integers(3, 5)


@example
def convolutional_lstm(data):
    parts = [layers.ConvLSTM2D(4, 3, padding="same"), layers.Flatten(), layers.Dense(1)]
    return regressor(stack((4, 6, 6, 2), *parts)), data.normal(4, 6, 6, 2), data.normal(1)


# Attention.


def block(x, other=None, units=8, **options):
    """Return a block of a transformer, before normalization."""
    normal = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(2, units // 2)(normal, normal if other is None else other, **options)
    hidden = layers.Dense(2 * units, "gelu")(layers.LayerNormalization()(x))
    return x + layers.Dropout(0.1)(layers.Dense(units)(hidden))


class Positions(layers.Layer):
    """Embeds tokens with their positions."""

    def __init__(self, length, units, **options):
        super().__init__(**options)
        self.sizes = (length, units)
        self.tokens, self.places = (
            layers.Embedding(30, units, name="tokens"),
            layers.Embedding(length, units, name="places"),
        )

    def call(self, x):
        return self.tokens(x) + self.places(ops.arange(ops.shape(x)[1]))

    def get_config(self):
        return dict(super().get_config(), length=self.sizes[0], units=self.sizes[1])


@example
def transformer_encoder(data):
    start = keras.Input((8,), dtype="int32")
    x = block(block(Positions(8, 8)(start)))
    model = keras.Model(start, classes()(layers.GlobalAveragePooling1D()(x)))
    return classifier(model), data.integers(30, 8), data.integers(4)


@example
def transformer_decoder(data):
    start = keras.Input((8,), dtype="int32")
    x = block(Positions(8, 8)(start), use_causal_mask=True)
    model = keras.Model(start, layers.Dense(30)(layers.LayerNormalization()(x)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return regressor(model, "adamw", loss), data.integers(30, 8), data.integers(30, 8)


@example
def transformer_translation(data):
    source, target = keras.Input((6,), dtype="int32"), keras.Input((5,), dtype="int32")
    memory = block(Positions(6, 8)(source))
    x = block(block(Positions(5, 8)(target), use_causal_mask=True), memory)
    model = keras.Model([source, target], layers.Dense(30, "softmax")(x))
    return classifier(model), [data.integers(30, 6), data.integers(30, 5)], data.integers(30, 5)


@example
def vision_transformer(data):
    start = keras.Input((16, 16, 3))
    x = layers.Reshape((16, 8))(layers.Conv2D(8, 4, 4)(start))
    x = layers.Flatten()(layers.LayerNormalization()(block(x)))
    return classifier(keras.Model(start, classes()(x)), "adamw"), images(data), data.integers(4)


@example
def grouped_queries(data):
    start = keras.Input((8, 8))
    x = start + layers.GroupQueryAttention(4, 4, 2)(start, start)
    model = keras.Model(start, layers.Dense(1)(layers.RMSNormalization()(x)))
    return regressor(model, "adam"), data.normal(8, 8), data.normal(8, 1)


@example
def attention(data):
    query, value = keras.Input((5, 6)), keras.Input((7, 6))
    x = layers.Concatenate()(
        [layers.Attention(use_scale=True)([query, value]), layers.AdditiveAttention()([query, value])]
    )
    model = keras.Model([query, value], layers.Dense(1)(layers.GlobalMaxPooling1D()(x)))
    return regressor(model), [data.normal(5, 6), data.normal(7, 6)], data.normal(1)


@example
def mixer(data):
    x = start = keras.Input((8, 6))
    for _ in range(2):
        swapped = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        x = x + layers.Permute((2, 1))(layers.Dense(8, "gelu")(swapped))
        x = x + layers.Dense(6, "gelu")(layers.LayerNormalization()(x))
    model = keras.Model(start, classes()(layers.GlobalAveragePooling1D()(x)))
    return classifier(model), data.normal(8, 6), data.integers(4)


@example
def einsum(data):
    parts = [layers.EinsumDense("abc,cde->abde", (6, 2, 5), "relu", "de"), layers.Flatten(), layers.Dense(1)]
    return regressor(stack((6, 4), *parts)), data.normal(6, 4), data.normal(1)


# Random numbers in training.


@example
def augmented(data):
    parts = [layers.RandomFlip(), layers.RandomRotation(0.1), layers.RandomZoom(0.2), layers.Conv2D(6, 3)]
    return classifier(stack((16, 16, 3), *parts, layers.Flatten(), classes())), images(data), data.integers(4)


@example
def augmented_colors(data):
    parts = [layers.RandomTranslation(0.1, 0.1), layers.RandomContrast(0.2), layers.RandomBrightness(0.2, (0.0, 1.0))]
    parts += [layers.RandomCrop(12, 12), layers.Conv2D(6, 3, activation="relu"), layers.GlobalAveragePooling2D()]
    return classifier(stack((16, 16, 3), *parts, classes())), images(data), data.integers(4)


@example
def noisy(data):
    parts = [layers.GaussianNoise(0.3), layers.Dense(12, "relu"), layers.GaussianDropout(0.2), layers.Dropout(0.5)]
    return regressor(stack((10,), *parts, layers.Dense(1)), "adam"), data.normal(10), data.normal(1)


class Sampling(layers.Layer):
    """Draws from a normal distribution and adds the divergence of that to the loss."""

    def __init__(self, **options):
        super().__init__(**options)
        self.generator = keras.random.SeedGenerator(3)

    def call(self, inputs):
        mean, log = inputs
        self.add_loss(-0.05 * ops.mean(1 + log - ops.square(mean) - ops.exp(log)))
        return mean + ops.exp(0.5 * log) * keras.random.normal(ops.shape(mean), dtype=mean.dtype, seed=self.generator)


@example
def vae(data):
    start, x = keras.Input((16,)), data.uniform(16)
    hidden = layers.Dense(12, "relu")(start)
    code = Sampling()([layers.Dense(3)(hidden), layers.Dense(3)(hidden)])
    model = keras.Model(start, layers.Dense(16, "sigmoid")(layers.Dense(12, "relu")(code)))
    return regressor(model, "adam", "binary_crossentropy"), x, x


# Classes and training steps of the user.


class Block(layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.inner, self.norm = layers.Dense(units, "relu", name="inner"), layers.LayerNormalization(name="norm")

    def call(self, x):
        return self.norm(self.inner(x)) + x

    def get_config(self):
        return dict(super().get_config(), units=self.units)


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(6, name="first"), Block(6, name="second")]
        self.last = layers.Dense(1, name="last")

    def call(self, x, training=False):
        for one in self.blocks:
            x = one(x) * 0.5
        return self.last(x)


class OwnStep(Subclassed):
    def train_step(self, *arguments):
        return super().train_step(*arguments)


class OwnLoss(Subclassed):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return ops.mean(ops.abs(y - y_pred)) + 0.01 * ops.mean(ops.square(y_pred))


class Adversary(keras.Model):
    """A generator and what judges it, trained together through a gradient that is turned around."""

    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential([layers.Dense(8, "leaky_relu"), layers.Dense(6, "tanh")], name="generator")
        self.judge = keras.Sequential([layers.Dense(8, "leaky_relu"), layers.Dense(1)], name="judge")

    def call(self, x):
        return self.judge(self.generator(x))


class Gan(Adversary):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        real = self.judge(y, training=training)
        made = self.generator(x, training=training)
        judged = self.judge(ops.stop_gradient(made), training=training)
        frozen = self.judge(made, training=training)
        return ops.mean(ops.softplus(-real)) + ops.mean(ops.softplus(judged)) + 0.5 * ops.mean(ops.softplus(-frozen))


class Recursive(layers.Layer):
    """Weights in nested lists, used several times."""

    def __init__(self, **options):
        super().__init__(**options)
        self.parts = {"first": [layers.Dense(6, "tanh"), layers.Dense(6)], "last": [layers.Dense(6, "relu")]}

    def build(self, shape):
        for part in self.parts["first"] + self.parts["last"]:
            part.build(shape)

    def call(self, x):
        for _ in range(2):
            x = self.parts["first"][1](self.parts["first"][0](x)) + x
        return self.parts["last"][0](x)


def built(model, x):
    """Return a model after its first call."""
    model(x[:2])
    return model


@example
def subclassed(data):
    x = data.normal(6)
    return regressor(built(Subclassed(), x)), x, data.normal(1)


@example
def own_train_step(data):
    x = data.normal(6)
    return regressor(built(OwnStep(), x), "adam"), x, data.normal(1)


@example
def own_compute_loss(data):
    x = data.normal(6)
    model = built(OwnLoss(), x)
    model.compile("adam", "mse")
    return model, x, data.normal(1)


@example
def adversary(data):
    x = data.normal(5)
    return regressor(built(Adversary(), x), "adam", "mse"), x, data.normal(1)


@example
def gan(data):
    x = data.normal(5)
    model = built(Gan(), x)
    model.compile(keras.optimizers.Adam(2e-4, beta_1=0.5), "mse")
    return model, x, data.normal(6)


@example
def nested_weights(data):
    return regressor(stack((6,), Recursive(), layers.Dense(1))), data.normal(6), data.normal(1)


def own_loss(y, guess):
    return ops.mean(ops.log(ops.cosh(y - guess)) + 0.1 * ops.abs(guess), axis=-1)


@example
def own_functions(data):
    model = stack(
        (8,), layers.Dense(8, activation=lambda x: x * ops.sigmoid(1.7 * x)), layers.Lambda(ops.square), layers.Dense(1)
    )
    return regressor(model, "adam", own_loss), data.normal(8), data.normal(1)


@example
def frozen(data):
    parts = [layers.Conv2D(6, 3, activation="relu", trainable=False), layers.BatchNormalization(trainable=False)]
    return classifier(stack((12, 12, 3), *parts, layers.Flatten(), classes())), images(data, 12), data.integers(4)


# Mixed precision, small integers, and weights of low rank.


@example
def mixed_bfloat16_mlp(data):
    with policy("mixed_bfloat16"):
        model = stack((12,), layers.Dense(16, "relu"), layers.BatchNormalization(), layers.Dense(8, "tanh"), classes())
        return classifier(model), data.normal(12), data.integers(4)


@example
def mixed_bfloat16_transformer(data):
    with policy("mixed_bfloat16"):
        return transformer_encoder(data)


@example
def mixed_bfloat16_lstm(data):
    with policy("mixed_bfloat16"):
        return lstm(data)


@example
def mixed_float16_mlp(data):
    with policy("mixed_float16"):
        return mlp(data)


@example
def mixed_float16_cnn(data):
    with policy("mixed_float16"):
        return cnn_batch_normalization(data)


@example
def bfloat16_mlp(data):
    with policy("bfloat16"):
        return mlp(data)


def quantized(model, kind):
    """Return a model with weights in small integers."""
    optimizer, loss = model.optimizer, model.loss
    model.quantize(kind)
    model.compile(optimizer.__class__.from_config(optimizer.get_config()), loss)
    return model


@example
def int8_mlp(data):
    model, x, y = mlp(data)
    return quantized(model, "int8"), x, y


@example
def int8_embedding(data):
    parts = [layers.Embedding(30, 8), layers.GlobalAveragePooling1D(), layers.Dense(8, "relu"), layers.Dense(1)]
    model = regressor(stack((6,), *parts, dtype="int32"))
    return quantized(model, "int8"), data.integers(30, 6), data.normal(1)


@example
def lora_mlp(data):
    parts = [layers.Dense(12, "relu", lora_rank=2), layers.Dense(8, "tanh", lora_rank=2, lora_alpha=4), layers.Dense(1)]
    return regressor(stack((10,), *parts), "adam"), data.normal(10), data.normal(1)


@example
def lora_attention(data):
    model, x, y = transformer_encoder(data)
    for layer in model._flatten_layers():
        if isinstance(layer, (layers.EinsumDense, layers.Embedding)):
            layer.enable_lora(2)
    return classifier(model), x, y


# keras.applications, with few classes and small images.


def application(name, size, **options):
    """Add a model of keras.applications to `MODELS`."""

    def make(data):
        kind = getattr(keras.applications, name)
        model = kind(weights=None, input_shape=(size, size, 3), classes=4, **options)
        return classifier(model), images(data, size), data.integers(4)

    MODELS[name] = make


application("MobileNet", 32, alpha=0.25)
application("MobileNetV2", 32, alpha=0.35)
application("MobileNetV3Small", 32, minimalistic=True, include_preprocessing=False)
application("EfficientNetV2B0", 32, include_preprocessing=False)
application("EfficientNetB0", 32)
application("ResNet50", 32)
application("DenseNet121", 32)
application("VGG16", 32)
