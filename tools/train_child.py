"""Train in this environment, stage by stage, and say how far it gets; shared by the tools that try real environments.

    python train_child.py tensorflow    # tf.keras, and keras where it is another one
    python train_child.py tf_keras      # Keras 2 next to TensorFlow
    python train_child.py keras         # Keras 3 on the framework that KERAS_BACKEND names
    python train_child.py jax           # without Keras
    python train_child.py torch
    python train_child.py h5py          # or another project of PAIRS: it alone

Each stage that is through prints a line ``@STAGE <name>``, the last line is ``@TRAINED <version>`` or ``@FAILED <error>``;
with neither, the process was killed. It runs on every Python from 3.7 on, with nothing but the framework.
"""

import importlib
import importlib.util
import os
import shutil
import sys
import tempfile


def through(stage):
    """Say that a stage is through."""
    print("@STAGE " + stage, flush=True)


def check_keras(module, folder, tensorboard):
    """Train a dense net, an LSTM and a convolution, write and read HDF5, and run TensorBoard's callback."""
    import numpy as np

    layers = module.layers
    inputs = np.random.RandomState(0).rand(4, 4, 4).astype("float32")
    answers = np.array([0, 1, 0, 1], "float32")

    def compiled(*stack):
        model = module.models.Sequential(list(stack) + [layers.Dense(1, activation="sigmoid")])
        model.compile(optimizer="adam", loss="binary_crossentropy")
        return model

    dense = compiled(layers.Flatten(input_shape=(4, 4)))
    assert np.isfinite(dense.fit(inputs, answers, epochs=1, verbose=0).history["loss"][0])
    yield "dense"
    assert np.isfinite(compiled(layers.LSTM(2, input_shape=(4, 4))).train_on_batch(inputs, answers))
    yield "lstm"
    model = compiled(layers.Conv2D(2, 2, input_shape=(4, 4, 1)), layers.Flatten())
    assert np.isfinite(model.train_on_batch(inputs[..., None], answers))
    yield "convolution"
    path = os.path.join(folder, "model.h5")
    dense.save(path)
    again = module.models.load_model(path)
    assert np.allclose(dense.predict_on_batch(inputs), again.predict_on_batch(inputs), atol=1e-5)
    yield "hdf5"
    if tensorboard and importlib.util.find_spec("tensorboard") is not None:
        calls = [module.callbacks.TensorBoard(os.path.join(folder, "logs"))]
        dense.fit(inputs, answers, epochs=1, verbose=0, callbacks=calls)
        yield "tensorboard"


def check_jax():
    """A jitted product, its gradient, random numbers, SciPy's part."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    yield "import"
    array = np.arange(4, dtype="float32").reshape(2, 2)
    assert np.allclose(jax.jit(lambda x: x @ x)(array), array @ array)
    gradient = jax.grad(lambda x: (x * x).sum())(jnp.asarray(array))
    assert np.allclose(np.asarray(gradient), 2 * array)
    assert np.asarray(jnp.asarray(array, "bfloat16")).dtype == jnp.bfloat16
    yield "dense"
    kernel = np.ones((1, 1, 2, 2), "float32")
    image = np.ones((1, 1, 4, 4), "float32")
    assert np.asarray(jax.lax.conv(image, kernel, (1, 1), "VALID")).shape == (1, 1, 3, 3)
    assert np.isfinite(np.asarray(jax.scipy.special.erf(jax.random.normal(jax.random.PRNGKey(0), (2,))))).all()
    yield "convolution"


def check_torch():
    """NumPy's arrays in and out, a dense net, an LSTM and a convolution with their gradients."""
    import torch

    yield "import"
    import numpy as np

    array = np.random.RandomState(0).rand(4, 4, 4).astype("float32")
    inputs = torch.from_numpy(array)
    assert np.allclose(inputs.numpy() * 2, (inputs * 2).numpy())
    assert torch.tensor(array).shape == (4, 4, 4)
    yield "arrays"
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters())
    torch.nn.functional.mse_loss(model(inputs), torch.zeros(4, 1)).backward()
    optimizer.step()
    yield "dense"
    torch.nn.LSTM(4, 2)(inputs)[0].sum().backward()
    yield "lstm"
    torch.nn.Conv2d(1, 2, 2)(inputs[:, None]).sum().backward()
    yield "convolution"


def check_h5py(folder):
    """A file written and read, with numbers and texts."""
    import h5py
    import numpy as np

    yield "import"
    path = os.path.join(folder, "file.h5")
    with h5py.File(path, "w") as file:
        file["numbers"] = np.arange(4, dtype="float32")
        file.attrs["text"] = "text"
    with h5py.File(path, "r") as file:
        assert list(file["numbers"][:]) == [0, 1, 2, 3]
        assert file.attrs["text"] in ("text", b"text")
    yield "use"


def check_ml_dtypes(folder):
    """Its types in NumPy's arrays."""
    import ml_dtypes
    import numpy as np

    yield "import"
    assert (np.arange(4).astype(ml_dtypes.bfloat16) + 1).astype("float32").sum() == 10
    yield "use"


def check_scipy(folder):
    """The parts that JAX and Keras import."""
    import numpy as np
    import scipy.linalg
    import scipy.ndimage
    import scipy.signal
    import scipy.sparse
    import scipy.special
    import scipy.stats

    yield "import"
    assert np.allclose(scipy.linalg.inv(2 * np.eye(2)), np.eye(2) / 2)
    assert np.isfinite(scipy.special.erf(np.ones(2))).all()
    assert np.isfinite(scipy.stats.norm.pdf(0.5))
    assert scipy.sparse.csr_matrix(np.eye(2)).sum() == 2
    assert scipy.signal.convolve(np.ones(3), np.ones(2)).sum() == 6
    yield "use"


def check_optree(folder):
    """A tree taken apart and put together."""
    import optree

    yield "import"
    assert optree.tree_map(lambda number: number + 1, {"a": (1, 2)}) == {"a": (2, 3)}
    yield "use"


def check_tensorboard(folder):
    """A file of events written."""
    import tensorboard.summary
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.plugins.histogram import summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    yield "import"
    assert summary.histogram_pb is not None
    assert tensorboard.summary is not None
    writer = EventFileWriter(folder)
    value = summary_pb2.Summary.Value(tag="loss", simple_value=1.0)
    writer.add_event(event_pb2.Event(step=1, summary=summary_pb2.Summary(value=[value])))
    writer.close()
    assert os.path.getsize(os.path.join(folder, os.listdir(folder)[0])) > 0
    yield "use"


def check_tensorflow(name, folder):
    """Every Keras that the environment has; only after the last one a stage is through."""
    import tensorflow

    yield "import"
    if name == "tf_keras":
        modules = [importlib.import_module("tf_keras")]
    else:
        modules = [tensorflow.keras]
        if tuple(map(int, tensorflow.__version__.split(".")[:2])) >= (2, 6):
            keras = importlib.import_module("keras")
            # Mostly the same under two names.
            if keras.models.Sequential is not tensorflow.keras.models.Sequential:
                modules.append(keras)
    runs = []
    for number, module in enumerate(modules):
        path = os.path.join(folder, str(number))
        os.mkdir(path)
        runs.append(check_keras(module, path, True))
    for stages in zip(*runs):
        yield stages[0]


def check_keras_alone(folder):
    """Keras 3 on JAX or PyTorch; TensorBoard's callback needs TensorFlow."""
    keras = importlib.import_module("keras")
    yield "import"
    yield from check_keras(keras, folder, False)


def main(name):
    """Run the stages; return the exit status."""
    folder = tempfile.mkdtemp()
    checks = {"jax": check_jax, "torch": check_torch}
    alone = {
        "h5py": check_h5py,
        "ml-dtypes": check_ml_dtypes,
        "scipy": check_scipy,
        "optree": check_optree,
        "tensorboard": check_tensorboard,
    }
    try:
        if name in checks:
            stages = checks[name]()
        elif name in alone:
            stages = alone[name](folder)
        else:
            stages = check_keras_alone(folder) if name == "keras" else check_tensorflow(name, folder)
        for stage in stages:
            through(stage)
    except BaseException as error:
        lines = str(error).strip().splitlines() or [""]
        # AutoGraph puts its own traceback before the error.
        text = lines[-1].strip() if lines[0].startswith("in user code") else lines[0]
        print("\n@FAILED %s: %s" % (type(error).__name__, text), flush=True)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("@TRAINED " + getattr(sys.modules[name.replace("-", "_")], "__version__", ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
