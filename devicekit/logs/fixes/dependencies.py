"""Something that the framework is built on is of the wrong version: NumPy, protobuf, Keras, add-ons, plug-ins."""

import re
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ...diagnosis import pages
from ...diagnosis.frameworks import BACKENDS, TITLES
from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, version_at_least
from ...matrix.projects import Release, sort_key
from ..signatures import filled
from .extensions import pyg
from .situation import Situation, known_specifier, newest
from .steps import Steps
from .torch_builds import LAST, beside_torch
from .wheels import distribution_of, full_version, install_directml, known_module, newest_beside

#: Add-ons that are released for one release of their framework, by the beginning of the import name.
_ADD_ONS = {
    "tensorflow": (
        "tensorflow-text", "tensorflow-addons", "tensorflow-io", "tensorflow-decision-forests", "tensorflow-probability",
    ),
    "torch": ("torchvision", "torchaudio", "torchtext", "xformers", "flash-attn", "bitsandbytes", "torch-scatter"),
}  # fmt: skip


def _repaired(about: Situation, wrong: str) -> Optional[Tuple[str, ...]]:
    """Return the exact set in which the framework stays and what is wrong changes; None if too little is known."""
    target, version = about.target(), about.version.partition("+")[0]
    owner = about.distribution
    if target is None or not re.match(r"\d+\.\d+", version) or BUNDLED.project(owner) is None:
        return None
    from ...resolver.resolve import repair

    exact = version if version.count(".") >= 2 else version + ".*"
    there = {wrong: about.packages[wrong]} if about.packages.get(wrong) else {}
    try:
        found = repair(BUNDLED, target, there, ["%s==%s" % (owner, exact)], missing=(wrong,))
    except Exception:  # as in Situation.requirements
        return None
    return tuple(found) if found else None


def _exact(about: Situation, steps: Steps, wrong: str) -> bool:
    found = _repaired(about, wrong)
    if found is None or not any(item.startswith(wrong + "=") for item in found):
        return _fitting(about, steps, wrong)
    text = "Install the %s that goes with %s on Python %s" % (wrong, about.label, about.python)
    steps.install(text, *found)
    return True


def _fitting(about: Situation, steps: Steps, wrong: str) -> bool:
    """The newest release of a dependency that is known to work with the framework, where Python is not known."""
    works = newest_beside(about, wrong)
    if works:
        steps.install("Install the newest %s that works with %s" % (wrong, about.label), "%s==%s" % (wrong, works))
    return bool(works)


def _bounds(about: Situation, field: str) -> str:
    row = about.row
    return str(getattr(row, field)) if row is not None else ""


#: A file of an installed package, other than frameworks and what has its own steps.
_ADD_ON = re.compile(
    r"-packages[\\/](?!tensorflow|keras[\\/]|tf_keras|google|numpy|torch|jax|transformers|object_detection|mrcnn)"
    r"([A-Za-z]\w+)[\\/]"
)


def _user(about: Situation) -> str:
    """The distribution whose file the traceback ends in, "" if that is not known: CuPy has one for each CUDA."""
    # There JAX only says that it lacks a name.
    frames = [path for path in about.known.frames if not re.search(r"jax[\\/]_src[\\/]deprecations", path)]
    found = _ADD_ON.search("".join(frames[-1:]))
    name = distribution_of(found.group(1)) if found else ""
    return next((item for item in about.packages if item.startswith("cupy")), "") if name == "cupy" else name


#: A package other than the framework in the folder of pip's --user; on Windows pip takes that by itself for some Pythons.
_OF_USER = (
    r"(?:/\.local/lib/python[\d.]+/site-packages/(?:google/)?(?!tensorflow|torch(?!vision|audio)|jax)"
    r"|Roaming\\Python\\Python\d+\\site-packages\\(?=torch[va]))(\w+)"
)


def from_user_site(about: Situation, steps: Steps) -> bool:
    """A package in the user's own folder hides the environment's, whose framework imports it; False if not."""
    frames, last = about.known.frames, about.known.frames[-1:]
    if "ctypes" in "".join(last):  # which an add-on of PyTorch loads its library with
        last = [path for path in frames if "extension" in path][-1:]
    found = None if about.jetson else re.search(_OF_USER, " ".join((*last, about.line)))
    outside = " ".join(path for path in frames if not re.search(r"/\.local/|\\Roaming\\", path))
    if not found or not re.search(r"-packages[\\/](?:tensorflow|keras|torch|jax)", outside):
        return False
    name, where = distribution_of(found.group(1)), "AppData\\Roaming" if about.windows else "~/.local"
    text = "%s in %s hides the environment's own: let Python not look there (python -s does the same)"
    steps.set(text % (name, where), "PYTHONNOUSERSITE", "1")
    if about.container or about.words & {"docker", "singularity"}:
        steps.say("Or do not mount the home folder into the container (Apptainer: --no-home)", instead=True)
    steps.install("Or uninstall the one in %s" % where, remove=[name], instead=True)
    return True


#: The NumPy that brought a version of its C API (numpy/core/include/numpy/numpyconfig.h).
_NUMPY_OF_API = {"b": "1.13", "c": "1.14", "d": "1.16", "e": "1.20", "f": "1.22", "10": "1.23", "11": "1.25"}


def _numpy_of_api(about: Situation, steps: Steps) -> None:
    """NumPy is older than a package was compiled for; what was compiled with the headers of NumPy 1 does not run on 2."""
    since = _NUMPY_OF_API.get(about.groups["wanted"].lower().replace("0x", ""), "")
    bounds, steps.fixes = ">=%s,<2" % since, []
    if _exact(about, steps, "numpy"):
        packages = steps.fixes[-1].packages
        pins = [item[7:] for item in packages.install if item.startswith("numpy==")] if packages is not None else []
        if since and pins and not accepts(bounds, pins[0]):
            steps.fixes = []
            text = "%s goes with numpy up to %s: install the other package that the traceback names in an older release"
            steps.say(text % (about.label, pins[0]), changes="packages")
    elif since and about.releases("numpy", bounds, about.platform, about.python):
        steps.install("Install a newer NumPy 1, for which that package was compiled", "numpy" + bounds)
    else:
        steps.upgrade("Install a newer NumPy", "numpy")


def numpy_incompatible(about: Situation, steps: Steps) -> None:
    """NumPy of another generation than the framework was built for."""
    if about.signature == "pip-conflict-wants-numpy":
        rows, steps.fixes = steps.fixes, []
        steps.fixes += () if _older_release(about, steps) else rows
        return
    if about.signature == "np-abi-version" and "older than" in about.summary:
        _numpy_of_api(about, steps)
        return
    if steps.fixes and (about.signature.startswith("pip-") or "older than" in about.summary):
        return
    if not steps.fixes and _exact(about, steps, "numpy"):
        return
    user = "numba" if "Numba" in about.summary else _user(about)
    text = "Or update the package that uses what NumPy no longer has"
    if user:
        steps.upgrade(text, user, instead=True)
    else:
        steps.say(text, changes="packages", instead=True)


def newer_numpy(about: Situation, steps: Steps) -> None:
    """NumPy is older than what a package was compiled with."""
    bounds = _bounds(about, "numpy")
    if bounds and about.is_at_least("2.0"):
        steps.install("%s works with this NumPy" % about.label, "numpy%s" % bounds)
    else:
        steps.upgrade("Update NumPy to the newest that the framework supports", "numpy")


def protobuf_incompatible(about: Situation, steps: Steps) -> None:
    """The generated code and protobuf are of different generations."""
    wanted, works = about.groups.get("wanted", ""), newest_beside(about, "protobuf")
    if about.groups.get("name", "").startswith("bases"):
        bounds = "==%s" % works if works else "<3.21"  # the one whose native part is called so
        steps.reinstall("Write protobuf's files again", "protobuf" + bounds)
        steps.say(
            "If it stays, uninstall it, delete what is left in google/protobuf of site-packages, and install again"
        )
        return
    newer = about.groups.get("name", "") == "runtime_version" or (wanted and sort_key(wanted) >= (5,))
    if newer:
        _newer_protobuf(about, steps, wanted or "5.26")
        return
    rows, steps.fixes = steps.fixes, []
    if about.signature == "pb-descriptors" and about.framework == "tensorflow" and about.is_at_least("2.12"):
        # Its own code was generated for protobuf 4: another package's was not.
        if about.is_at_least("2.19") is False:
            text = "Install protobuf 3.20.3, which %s takes as well" % about.label
            steps.install(text, "protobuf==3.20.3")
        text = "Update the package whose *_pb2.py is in the traceback: that code was generated for protobuf 3"
        steps.say(text, changes="packages", instead=bool(steps.fixes))
        return
    if not _exact(about, steps, "protobuf"):
        steps.fixes = rows
    if not steps.fixes:
        steps.say(
            "Import TensorFlow before other libraries with a protobuf of their own (onnx, sentencepiece, ...), or use a "
            "process for each",
            changes="code",
        )
        if about.named("metal-plugin", "metal_plugin"):
            pair = ("tensorflow==2.14.*", "tensorflow-metal==1.1.0")
            steps.install("On a Mac with the plug-in for Metal: go back to the pair that does not clash", *pair)


def _newer_protobuf(about: Situation, steps: Steps, wanted: str) -> None:
    """The code was generated by a newer protoc than protobuf is: not every Python has such a protobuf."""
    if about.python and not about.releases("protobuf", ">=%s" % wanted, "", about.python):
        steps.say(
            "protobuf %s and later need a newer Python than %s: use Python 3.9 or later, or generate "
            "the code (*_pb2.py) again "
            "with an older protoc (package grpcio-tools)" % (wanted, about.python)
        )
        return
    steps.install("Install a protobuf that is at least as new as the generated code", "protobuf>=%s" % wanted)
    steps.say("Or generate the code (*_pb2.py) again with the protoc of the installed protobuf (package grpcio-tools)")


def keras_incompatible(about: Situation, steps: Steps) -> None:
    """Keras and its backend, or the code and Keras, are of different generations."""
    backend = about.known.environment.get("KERAS_BACKEND", "")
    if about.signature == "keras-backend-import" or (backend and backend not in BACKENDS):
        _backend(about, steps, about.groups.get("name") or backend)
        return
    module = about.groups.get("module", "")
    if about.signature == "py-no-module-framework" and module in BACKENDS:
        _missing_backend(about, steps, module)
        return
    if about.signature in _BY_SIGNATURE:
        _BY_SIGNATURE[about.signature](about, steps)
        return
    if _of_keras_2(about):
        _legacy_keras(about, steps)
        return
    if about.signature.startswith("pip-") and steps.fixes:
        return
    if (module, about.groups.get("name")) == ("keras", "__version__") or "Keras cannot be imported" in about.line:
        _keras_itself(about, steps)
        return
    if _mixed(about, steps) or _moved(about, steps) or _saved_model(about, steps) or _tf_keras_apart(about, steps):
        return
    if about.framework in ("jax", "torch"):
        steps.install("Update Keras: only Keras 3 runs on %s" % about.title, "keras>=3")
        return
    minor = ".".join(about.version.split(".")[:2]) if re.match(r"\d+\.\d+", about.version) else ""
    if "tf-nightly" in about.packages or "tf-nightly" in about.words:
        steps.install("With tf-nightly, Keras 2 is the nightly one, too", "tf-keras-nightly", remove=["tf-keras"])
        return
    if minor and about.is_at_least("2.16"):
        steps.install("For code and models of Keras 2, install tf-keras of this TensorFlow", "tf-keras==%s.*" % minor)
        steps.set("Let TensorFlow use it, before its import", "TF_USE_LEGACY_KERAS", "1")
        return
    if minor:
        _keras_of(about, steps, minor)
        return
    if "dtensor" in about.line and about.python and _without_dtensor(about, steps):
        return
    if about.packages.get("keras", "").startswith("3") and about.signature in _SAVED:
        steps.upgrade("Update Keras, and the package that brings the model (keras-hub)", "keras")
        return
    _old_keras(about, steps)
    steps.say(
        "From 2.6 to 2.15 TensorFlow and Keras 2 have the same minor release (keras==2.10.* with tensorflow==2.10.*); "
        "TensorFlow from 2.16 on has Keras 3, and tf-keras for code of Keras 2"
    )
    steps.say("Or import Keras from TensorFlow everywhere: from tensorflow import keras (tf.keras)", changes="code")


def _old_keras(about: Situation, steps: Steps) -> None:
    """A Keras for a TensorFlow of which only the generation is known."""
    if "_api.v1." in about.line:
        steps.install("For TensorFlow 1.13 to 1.15: the last Keras for it", "keras==2.3.1")
    elif "_TensorLike" in about.line or "tensorflow_backend" in "".join(about.known.frames[-1:]):
        steps.install("For TensorFlow 2.2 to 2.5: the Keras that only passes on TensorFlow's own", "keras==2.4.3")


def _keras_itself(about: Situation, steps: Steps) -> None:
    """Keras is not there, or two of its distributions are mixed."""
    if "Keras cannot be imported" not in about.line:
        steps.uninstall("Uninstall both: removing one alone takes files of the other", "keras", "keras-nightly")
        steps.say("Then install the Keras of TensorFlow's release: keras==2.10.* for 2.10, keras>=3 from 2.16 on")
        return
    _keras_of(about, steps, ".".join(about.version.split(".")[:2]) if about.is_at_least("2.16") is False else "")


def _mixed(about: Situation, steps: Steps) -> bool:
    """Two Kerases, where the line or the traceback says which is which; False if not."""
    frames = "\n".join(about.known.frames)
    given = re.search(r"identifier: <keras\.[\w.]*\.(\w+) object", about.line)
    if given and "tf_keras" in frames:
        text = "The model is of tf_keras: take what it gets from there, too (from tf_keras.optimizers import %s)"
        steps.say(text % given.group(1), changes="code")
        text = "Or, for code with tensorflow.keras: let TensorFlow use tf_keras, before its first import"
        steps.set(text, "TF_USE_LEGACY_KERAS", "1")
        return True
    tensor = "A KerasTensor cannot" in about.line
    ours = about.signature == "keras-mixed" and (tensor or re.search(_OF_KERAS_3, frames))
    if not ours or about.is_at_least("2.16") is False:
        return False
    if tensor and not _ADD_ON.search(frames):
        text = "Call the function in a layer of your own (a keras.layers.Layer with call), or use the one of keras.ops"
        steps.say(text, changes="code")
    _legacy_keras(about, steps, "Or, for code of Keras 2: install tf-keras of TensorFlow's own minor release")
    return True


def _without_dtensor(about: Situation, steps: Steps) -> bool:
    """The Keras of the newest TensorFlow without DTensor (2.9 brought it) for this Python; False if there is none."""
    have = about.releases("tensorflow", "<2.9", about.platform, about.python)
    minor = ".".join(have[-1].version.split(".")[:2]) if have else ""
    if minor:
        text = "The newest TensorFlow without dtensor for Python %s is %s: install its Keras"
        steps.install(text % (about.python, minor), "keras==%s.0" % minor)
        steps.say("If TensorFlow is an older one: the Keras of its own minor release", changes="packages", instead=True)
    return bool(minor)


def _keras_of(about: Situation, steps: Steps, minor: str) -> None:
    """The Keras that belongs to a TensorFlow; without a minor release, to one from 2.16 on."""
    if not minor or about.is_at_least("2.16"):
        steps.install("Install Keras, which TensorFlow from 2.16 on does not contain", "keras>=3")
        return
    if about.is_at_least("2.5") is False:
        old = "2.4.3" if about.is_at_least("2.2") else "2.3.1" if about.is_at_least("1.13") else "2.2.4"
        if about.packages.get("keras") != old:
            steps.install("Install the newest Keras for %s" % about.label, "keras==%s" % old)
    else:
        found = _repaired(about, "keras")
        right = found if found and any(item.startswith("keras==") for item in found) else ("keras==%s.*" % minor,)
        steps.install("Install the Keras of this TensorFlow", *right)
    steps.say("Import Keras from one place in the whole program: from tensorflow import keras", changes="code")


def _missing_backend(about: Situation, steps: Steps, name: str) -> None:
    """The framework that Keras is set to is not installed."""
    there = ["tensorflow"] if about.known.tensorflow is not None else []
    there += [item for item in ("jax", "torch") if item in about.packages]
    other = next((item for item in there if item != name), "")
    if other:
        text = "Let Keras use %s, which is installed (in ~/.keras/keras.json, too)" % TITLES[other]
        steps.set(text, "KERAS_BACKEND", other)
    else:
        steps.say(
            'Set KERAS_BACKEND (or "backend" in ~/.keras/keras.json) to a framework that is installed', changes="code"
        )
    extra = "[cuda12]" if name == "jax" and about.vendor == "nvidia" and not about.windows else ""
    steps.install("Or install %s" % TITLES[name], name + extra, instead=True)


def _hub_layer(about: Situation, steps: Steps) -> None:
    """A layer of TensorFlow Hub, which is of Keras 2, in a model of Keras 3."""
    _legacy_keras(about, steps)
    text = "Or make the whole model with tf_keras (import tf_keras): layers of Keras 2 and 3 do not mix"
    steps.say(text, changes="code", instead=True)


def _newer_zip(about: Situation, steps: Steps) -> None:
    """A .keras file, the zip of Keras 2.12 and later, and a Keras that opens HDF5 only."""
    saved = about.fact("saved_keras")
    if not saved:
        code = "import zipfile; print(zipfile.ZipFile('FILE').read('metadata.json'))"
        steps.run("See which Keras saved it (FILE: the .keras file)", 'python -c "%s"' % code)
    bounds = (
        ">=2.16" if saved.startswith("3") else "==%s.*" % saved if saved and sort_key(saved) > (2, 12) else ">=2.13"
    )
    have = about.releases("tensorflow", bounds, about.platform, about.python)
    text = "Install a TensorFlow whose Keras loads that file"
    if have or not about.python:
        steps.install(text, "tensorflow==%s" % have[-1].version if about.python and have else "tensorflow%s" % bounds)
    else:
        pythons = about.pythons("tensorflow", bounds, about.platform)
        steps.new_environment(text, "3.11" if "3.11" in pythons else pythons[0], ["tensorflow%s" % bounds])
    steps.say("Or, where it was saved, save the model as HDF5 (model.save('model.h5'))", changes="code", instead=True)


def _older_tensorflow(about: Situation, steps: Steps) -> None:
    """Keras 2.4 looks for a layer that TensorFlow has from 2.2 on (and under this name up to 2.15)."""
    minor = ".".join(about.version.split(".")[:2])
    if minor or (about.python and not about.releases("tensorflow", "<2.2", "", about.python)):
        _keras_of(about, steps, minor)
    else:
        text = "For a TensorFlow before 2.2, install the Keras of its time (before TensorFlow 1.13: keras==2.2.4)"
        steps.install(text, "keras==2.3.1")
        text = "Or, for TensorFlow 2.2 or newer with its own Keras: update TensorFlow (up to 2.15 it has Keras 2)"
        steps.install(text, "tensorflow>=2.2,<2.16", instead=True)


def _never_called(about: Situation, steps: Steps) -> None:
    """Keras 3 gives a model its input and output when it is called first, Keras 2 gave them when it was built."""
    found = _ADD_ON.search("\n".join(about.known.frames))
    if found:
        name = distribution_of(found.group(1))
        steps.upgrade("%s was written for Keras 2: update it" % name, name)
        _legacy_keras(about, steps, "If that does not help, let it use Keras 2: install tf-keras")
        return
    text = "Give the model its shape: keras.Input(shape=...) as first layer, or call it once (model(keras.Input(...)))"
    steps.say(text + "; model.inputs and model.outputs are there then", changes="code")
    _legacy_keras(about, steps, "Or, for code of Keras 2 that you cannot change: install tf-keras")


#: What is done for a signature, whatever else is known.
_BY_SIGNATURE = {
    "keras-hub-layer": _hub_layer, "user-h5-damaged": _newer_zip, "keras-requires-tf": _older_tensorflow,
    "keras-never-called": _never_called,
}  # fmt: skip

#: What Keras once had at another place or does not have any more, by module and name, and what programs use now.
_MOVED = (
    (
        r"^keras\.legacy\b",
        "keras.legacy ended with Keras 2.3: update the package that imports it, or let it use tensorflow.keras (packages like "
        "keras-bert and keras-adamw do with the variable TF_KERAS=1)",
    ),
    (r"\bbackend\.tf$", "keras.backend does not pass TensorFlow on: import tensorflow as tf, and write tf for K.tf"),
    (r"\bengine\b", "engine is internal and moves: Layer, InputSpec and Input are in keras.layers, Model in keras"),
    (
        r"np_utils|utils\.to_categorical$",
        "np_utils is gone: to_categorical is in tensorflow.keras.utils (and keras.utils), normalize next to it",
    ),
    (r"wrappers", "keras.wrappers (KerasClassifier, KerasRegressor) ended with Keras 2.11: use SciKeras (scikeras)"),
    (r"multi_gpu_model", "multi_gpu_model is gone: build the model in tf.distribute.MirroredStrategy().scope()"),
    (
        r"tensorflow_backend|[gs]et_session",
        "Sessions are of TensorFlow 1: tf.compat.v1.keras.backend.get_session and set_session, or none at all in TensorFlow 2",
    ),
    (
        r"\b(?:tf|conv|generic|data|layer|losses|metrics|control_flow)_utils\b",
        "This module is internal to Keras and moves with each release: use what keras.utils itself has, or the Keras that the "
        "program was written for",
    ),
    (r"\bobjectives\b", "keras.objectives is called keras.losses now"),
    (
        r"layers\.(?:core|convolutional|recurrent|embeddings|normalization|pooling|merge|noise|local|advanced_activations"
        r"|recurrent_v2|normalization_v2|preprocessing)\b",
        "Import layers from keras.layers (tensorflow.keras.layers) itself: the modules below it are internal",
    ),
    (r"layers\.Merge$|\bmerge$", "Merge is gone: use keras.layers.concatenate, add, multiply and so on"),
    (r"CuDNN(?:LSTM|GRU)", "LSTM and GRU use cuDNN by themselves since TensorFlow 2: write keras.layers.LSTM, GRU"),
    (
        r"preprocessing\.image|preprocessing\.(?:image_dataset_from_directory|sequence|text)|ImageDataGenerator",
        "Its parts are in keras.utils now (load_img, img_to_array, image_dataset_from_directory, pad_sequences); "
        "ImageDataGenerator is in tensorflow.keras.preprocessing.image, as legacy",
    ),
    (r"experimental\.preprocessing|layers\.experimental",
     "The layers of preprocessing are in keras.layers since TensorFlow 2.6"),
    (r"optimizers\.(?:optimizer_v2|experimental|optimizer_experimental)", "All optimizers are in keras.optimizers"),
)  # fmt: skip

#: The classes that keras.optimizers itself lacks in Keras 2.5 to 2.8, and which programs write in lower case.
_OPTIMIZERS = {
    item.lower(): item for item in ("Adam", "SGD", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl")
}

#: The TensorFlow that brought a name of tensorflow.keras.
_SINCE = {
    "LayerNormalization": "2.0", "Attention": "2.0", "AdditiveAttention": "2.0", "MultiHeadAttention": "2.4",
    "EinsumDense": "2.4",
    "Rescaling": "2.6", "Resizing": "2.6", "Normalization": "2.6", "TextVectorization": "2.6", "StringLookup": "2.6",
    "IntegerLookup": "2.6", "RandomFlip": "2.6", "RandomRotation": "2.6", "RandomZoom": "2.6", "CategoryEncoding": "2.6",
    "image_dataset_from_directory": "2.3", "UnitNormalization": "2.9", "AdamW": "2.11", "GroupNormalization": "2.11",
    "Lion": "2.13",
}  # fmt: skip

#: The TensorFlow that brought a name of tf itself or of its modules, by module and name.
_SINCE_TENSORFLOW = {
    "distribute.TPUStrategy": "2.3", "data.AUTOTUNE": "2.4", "types": "2.4", "experimental.numpy": "2.4",
    "data.experimental.service": "2.3", "experimental.ExtensionType": "2.7", "experimental.dtensor": "2.9",
    "config.experimental.enable_op_determinism": "2.8", "keras.utils.set_random_seed": "2.7", "random.split": "2.12",
    "io.gfile": "1.14", "data.Dataset.save": "2.10", "config.experimental.enable_tensor_float_32_execution": "2.4",
}  # fmt: skip


def outdated_add_on(about: Situation, steps: Steps) -> bool:
    """An installed package was written for another TensorFlow; False if the program itself was."""
    rule = about.signature == "keras-filename-rule"  # Keras itself raises it
    frames = [
        item for item in about.known.frames if not rule or not re.search(r"-packages[\\/](?:keras|tf_keras)[\\/]", item)
    ]
    found = _ADD_ON.search("".join(frames[-1:]))
    if found and rule:
        _keras_2_package(about, steps, found.group(1))
        return True
    if not found or "efficientnet" in about.words or re.match("keras_[pac]", about.groups.get("module", "")):
        return False  # a variable helps, or a package is missing
    _update_user(about, steps, distribution_of(found.group(1)))
    return True


def _update_user(about: Situation, steps: Steps, name: str) -> None:
    """The package in whose file the traceback ends asks for what this release of the framework does not have."""
    title = about.title or "TensorFlow"
    text = "The traceback ends in a file of %s, which was written for another %s: update it" % (name, title)
    steps.upgrade(text, name)
    have = about.releases("tensorflow", "<2.16", "", about.python) if about.python else ()
    if "layers.experimental" in about.line and have and have[-1].version[:4] != "2.15":
        text = "Or install the newest TensorFlow for Python %s" % about.python
        steps.install(text, "tensorflow==%s" % have[-1].version, instead=True)
    elif "layers.experimental" in about.line and (have or not about.python):
        text = "Or install the last TensorFlow with Keras 2 (Python 3.9 to 3.11)"
        steps.install(text, "tensorflow==2.15.*", instead=True)
    else:
        steps.say("Or install the %s that this %s was released for" % (title, name), changes="packages", instead=True)


def _keras_2_package(about: Situation, steps: Steps, name: str) -> None:
    """A package that saves as Keras 2 does: its user does not change the names of its files."""
    text = "%s was written for Keras 2: install the last TensorFlow with it (Python 3.9 to 3.11)" % name
    if about.python not in ("3.12", "3.13", "3.14"):
        steps.install(text, "tensorflow==2.15.*")
    steps.upgrade("Or update %s, if a newer release is for Keras 3" % name, distribution_of(name), instead=True)
    _legacy_keras(about, steps, "Or, for a package that uses tensorflow.keras, install Keras 2 as well")


def _moved(about: Situation, steps: Steps) -> bool:
    """A name that Keras has elsewhere, or has not yet; False if the line is about none."""
    module, name = about.groups.get("module", ""), about.groups.get("name", "")
    if not module or about.signature not in NAMES_IN_KERAS:
        return False
    if "efficientnet" in about.words and "generic_utils" in module + name:
        steps.set("Let segmentation_models use tensorflow.keras, before its import", "SM_FRAMEWORK", "tf.keras")
        return True
    right = _OPTIMIZERS.get(name.lower())
    if right and module.endswith("keras.optimizers") and about.framework == "tensorflow":
        place = "keras" if about.packages.get("keras", "").startswith("3") else "tensorflow.keras"
        steps.say("Import it as: from %s.optimizers import %s" % (place, right), changes="code")
        return True
    since = _SINCE.get(name, "")
    if since and "keras" in module and about.is_at_least(since) is False:
        steps.upgrade("%s came with TensorFlow %s: update TensorFlow" % (name, since), "tensorflow")
        if about.python and not about.releases("tensorflow", ">=%s" % since, about.platform, about.python):
            pythons = about.pythons("tensorflow", ">=%s" % since, about.platform)
            steps.fixes = []
            steps.new_environment(
                "%s came with TensorFlow %s, which needs a newer Python" % (name, since), pythons[0], ["tensorflow"]
            )
        return True
    private = re.match(r"tensorflow(?:_core)?\.python\.keras\.?(.*)", module)
    if private is not None:
        public = ".".join(filter(None, ("tensorflow.keras", private.group(1))))
        # Keras had no public engine in TensorFlow.
        example = ": from %s import %s" % (public, name) if name and "engine" not in public else ""
        steps.say("Import from the public place, tensorflow.keras%s" % example, changes="code")
    known = [text for pattern, text in _MOVED if re.search(pattern, ".".join(filter(None, (module, name))))]
    for text in known[:1]:
        steps.say(text, changes="code")
    if re.match(r"keras\.engine\b", module) and about.is_at_least("2.13") is not False:
        steps.install(
            "Or, for code that you cannot change: 2.12 is the last release with keras.engine (Python 3.8 to 3.11)",
            "tensorflow==2.12.*", "keras==2.12.*", instead=True,
        )  # fmt: skip
    if re.match(r"keras\.preprocessing\b", module) and about.is_at_least("2.16") is not False:
        _of_a_program(about, steps)
    if module == "keras.saving.hdf5_format" and not steps.fixes:
        steps.upgrade("Mostly Transformers before 4.25 looks for it: update that", "transformers")
        if about.python not in ("3.11", "3.12", "3.13", "3.14"):
            text = "Or use the last TensorFlow that has it (Python 3.7 to 3.10)"
            steps.install(text, "tensorflow==2.10.*", instead=True)
    if re.match(r"keras\.legacy\b", module) and about.is_at_least("2.3") is not True:
        steps.install(
            "Or, for code that you cannot change: 2.3.1 is the last Keras with keras.legacy (Python 3.5 to 3.8)",
            "tensorflow==2.2.*", "keras==2.3.1", "protobuf<3.21", instead=True,
        )  # fmt: skip
    return bool(known or private or steps.fixes)


def _of_a_program(about: Situation, steps: Steps) -> None:
    """The file is no one's to change: a command of an installed program."""
    if re.search(r"[\\/](?:bin|Scripts)[\\/][^\\/]+$", "".join(about.known.frames[-1:])):
        if not about.python or about.releases("tensorflow", "<2.16", about.platform, about.python):
            text = "Or, if no update of that program is for Keras 3: TensorFlow 2.15 is the last with Keras 2"
            steps.install(text, "tensorflow<2.16", instead=True)


#: Signatures of a name or a module that is not where a program looks for it.
NAMES_IN_KERAS = ("keras-no-module", "keras-attr", "keras-cannot-import-name", "keras-distribution-api")

#: Signatures of saved models that do not say which side is older.
_SAVED = ("keras-deserialise-frame", "keras-saved-object-unknown")

#: What only files of Keras 3 have, what only newer releases of Keras 3, and what only Keras 2 writes or takes.
_BY_KERAS_3 = (
    r"\['batch_shape'|keyword argument 'batch_shape'|module keras\.src\.(?!engine)|\bkeras\.src\.models\.functional"
)
_BY_NEW_KERAS_3 = r"'(?:quantization_config|optional|value_range|synchronized)'"
_BY_KERAS_2 = (
    r"passed to \w+: \{[^}]*'(batch_input_shape|weights|input_length|time_major|implementation|fused|renorm|groups)'"
    r"|module (?:keras\.(?:src\.)?engine|tensorflow\.python\.keras|tf_keras)\b"
    r"|Unknown layer: '?\"?(?:TFOpLambda|SlicingOpLambda)|initializer identifier: \{'class_name'"
)
#: Arguments that only Keras 1 wrote (2016 and before).
_BY_KERAS_1 = (
    r"'(?:input_dtype|border_mode|nb_filter|nb_row|nb_col|subsample|dim_ordering|output_dim|init|inner_init|[WbU]_regularizer"
    r"|[WbU]_constraint|inner_activation|consume_less|dropout_[WU]|batchnorm_mode)'"
)
_BY_NEWER_TENSORFLOW = (
    r"dict_keys\(\[[^]]*'(?:ragged|groups)'|Unknown layer: '?\"?Functional|not understood:', '(?:ragged|groups)'"
)


def _saved_model(about: Situation, steps: Steps) -> bool:
    """A model of another Keras: which of the two is older; False if the line does not say so."""
    line, three = about.line, about.packages.get("keras", "").startswith("3") or about.is_at_least("2.16")
    if _of_keras_1(about, steps) or _own_layers(about, steps) or _by_tf_keras(about, steps):
        return True
    if re.search(_BY_KERAS_2, line):
        old = re.search(_BY_KERAS_2, line)
        name = old.group(1) if old else ""
        steps.fixes = []
        how = ""
        if name:
            how = (
                "pass keras.Input(batch_shape=...) as the first layer"
                if name == "batch_input_shape"
                else "leave it out"
            )
            how = "%s is an argument of Keras 2, and this is Keras 3: in code, %s" % (name, how)
        saved = "saved-model" in about.words
        if how and not saved:
            steps.say(how, changes="code")
        text = "For code and models of Keras 2: install Keras 2 (tf-keras); it loads them as tf_keras.models.load_model"
        _legacy_keras(about, steps, text)
        if how and saved:
            steps.say("Or build the model in code, with its weights alone. " + how, changes="code", instead=True)
    elif re.search(_BY_NEWER_TENSORFLOW, line) and not three:
        steps.fixes = []
        steps.upgrade("A newer TensorFlow saved the model: update this one, at least to that release", "tensorflow")
        steps.say(
            "Or save the weights alone there (model.save_weights), and build the model here in code", instead=True
        )
    elif re.search(_BY_KERAS_3, line) or re.search(_BY_NEW_KERAS_3, line):
        steps.fixes = []
        if three and not re.search(_BY_KERAS_3, line):
            steps.upgrade("A newer Keras 3 saved the model: update Keras", "keras")
        elif about.python and sort_key(about.python) < (3, 9):
            text = "Keras 3 saved the model, and Keras 2 loads it: Keras 3 needs Python 3.9 or later"
            steps.new_environment(text, "3.11", ["tensorflow>=2.16"])
        else:
            text = "Keras 3 saved the model, and an older Keras loads it: update to Keras 3 (TensorFlow 2.16 or later)"
            steps.upgrade(text, "tensorflow", "keras")
        steps.say(
            "Or save the weights alone there (model.save_weights), and build the model here in code", instead=True
        )
    else:
        return False
    return True


def _of_keras_1(about: Situation, steps: Steps) -> bool:
    """An argument that Keras 2 renamed in 2017."""
    said = re.search(_BY_KERAS_1, about.line) if about.signature == "keras-unrecognized-args" else None
    if said is None:
        return False
    steps.fixes = []
    steps.say("%s is an argument of Keras 1: the model or the code is of 2016 or before" % said.group().strip("'"))
    steps.say(
        "Load the model with the Keras version that saved it (1.2.2, in its own environment), save its weights alone there "
        "(model.save_weights), and build the model here in code",
        changes="code",
    )
    return True


def _by_tf_keras(about: Situation, steps: Steps) -> bool:
    """A model of Keras 3 that tf_keras loads."""
    by = re.search(r"[\\/]tf_keras[\\/]", "".join(about.known.frames)) and re.search(_BY_KERAS_3, about.line)
    if not by or about.is_at_least("2.16") is False:
        return False
    steps.fixes = []
    text = "Keras 3 saved the model, and tf_keras (Keras 2) loads it: use keras.models.load_model"
    steps.say(text, changes="code")
    steps.unset("If it is set, so that tf.keras is Keras 3", "TF_USE_LEGACY_KERAS")
    return True


def _own_layers(about: Situation, steps: Steps) -> bool:
    """A model with layers of the program's own. The class in the message is the loading Keras': only Keras 3 has it there."""
    if not re.search(r"<class 'keras\.src\.models\.\w+\.\w+'> could not be deserialized", about.line):
        return False
    steps.fixes = []
    steps.say(
        "Pass the layers and functions of your own to load_model in custom_objects, or register them with "
        "keras.saving.register_keras_serializable before",
        changes="code",
    )
    steps.upgrade("If there are none, a newer Keras 3 saved the model: update Keras", "keras")
    steps.say("Or save the weights alone there (model.save_weights), and build the model here in code", instead=True)
    return True


def _tf_keras_apart(about: Situation, steps: Steps) -> bool:
    """tf-keras of an older release than TensorFlow: it is updated, TensorFlow stays."""
    found = about.packages.get("tf-keras", "").split(".")[:2]
    minor = about.version.split(".")[:2]
    failed = about.signature == "tf-no-module-python" and "tf-keras" in about.summary
    if failed and len(minor) < 2:
        steps.upgrade("Update both: they have the same minor release", "tensorflow", "tf-keras")
        return True
    if len(minor) < 2 or not about.is_at_least("2.16") or not (failed or (len(found) > 1 and found != minor)):
        return False
    named = " ".join(filter(None, ("tf-keras", ".".join(found))))
    text = "%s does not belong to %s: install that of the same release" % (named, about.label)
    steps.install(text, "tf-keras==%s.*" % ".".join(minor))
    return True


#: Files that only Keras 3 has.
_OF_KERAS_3 = r"[\\/]keras[\\/]src[\\/]backend[\\/]common"

#: Signatures of programs that need Keras 2.
_LEGACY = (
    "keras-legacy-missing",
    "keras-no-tf-keras",
    "keras-transformers-3",
    "keras-v3-format",
    "keras-not-in-keras-3",
    "keras-weights-unbuilt",
    "keras-distribution-api",
)


def _of_keras_2(about: Situation) -> bool:
    """Whether the program is written for Keras 2."""
    module = about.groups.get("module", "")
    return about.signature.startswith(_LEGACY) or re.search(r"compat\.v[12]\.keras", module) is not None


def _legacy_keras(
    about: Situation, steps: Steps, text: str = "Install tf-keras (Keras 2) of TensorFlow's own minor release"
) -> None:
    """Install tf-keras, which is Keras 2 for TensorFlow from 2.16 on."""
    set_already = about.signature == "keras-legacy-missing"
    minor = ".".join(about.version.split(".")[:2]) if about.is_at_least("2.14") else ""
    if minor or about.version:
        if not set_already or minor:
            steps.install(text, "tf-keras==%s.*" % minor if minor else "tf-keras")
    else:
        of = "'tf-keras==' + '.'.join(m.version('tensorflow').split('.')[:2]) + '.*'"
        run = (
            "import subprocess as s, sys, importlib.metadata as m; s.call([sys.executable, '-m', 'pip', 'install', %s])"
        )
        text += ", which this reads: the newest would take TensorFlow to another release"
        steps.run(text, 'python -c "%s"' % (run % of), changes="packages")
    if set_already:
        if about.is_at_least("2.16") is False:
            text = "%s has Keras 2 itself: if your shell sets the variable, remove it" % about.label
            steps.unset(text, "TF_USE_LEGACY_KERAS", instead=bool(minor))
        return
    steps.set("Let TensorFlow use it, before its import", "TF_USE_LEGACY_KERAS", "1")


def _backend(about: Situation, steps: Steps, name: str) -> None:
    right = {"pytorch": "torch", "torch.": "torch", "tf": "tensorflow", "theano": "tensorflow"}.get(name.lower(), "")
    right = right or (name.lower() if name.lower() in ("tensorflow", "jax", "torch", "openvino") else "")
    if right and right != name:
        text = "The backend is called %s: set KERAS_BACKEND, or backend in ~/.keras/keras.json" % right
        steps.set(text, "KERAS_BACKEND", right)
        return
    steps.say(
        'Set KERAS_BACKEND (or "backend" in ~/.keras/keras.json) to tensorflow, jax or torch, and install that one'
    )


def _of_its_own(about: Situation, steps: Steps) -> bool:
    """What the line itself decides, whatever the framework; return whether it does."""
    if about.signature in _CONFLICTS:
        _conflict(about, steps)
    elif about.signature == "pip-conflict-other" and about.groups["name"].startswith("tensorflow"):
        _another_framework(about, steps)
    elif about.signature == "build-needs-compiler" and not about.windows:
        _compiler(about, steps)
    elif re.search(
        r"torch_(?:scatter|sparse|cluster|spline_conv)\b.*(?:undefined sym|Symbol not|different CUDA)", about.line
    ):
        pyg(about, steps)
    elif about.signature == "gen-import-asks-to-install" and about.groups.get("asked_for"):
        _asked_for(about, steps)
    elif about.signature == "ort-model-newer":
        _newer_onnxruntime(about, steps)
    elif about.signature == "triton-other-release":
        name = "triton-windows" if about.windows else "triton"
        there = about.packages.get(name, "").startswith(about.triton)
        if sort_key(about.triton or "0") > (3,) and about.system in ("linux", "windows") and not there:
            steps.fixes = []
            steps.install("Install the Triton of %s" % about.label, "%s==%s.*" % (name, about.triton))
    elif about.signature == "torch-add-on-dll":
        found = re.findall("torchvision|torchaudio|bitsandbytes", " ".join((*about.known.frames, about.line)))
        fitting_add_on(about, steps, ("torchvision", *found)[-1], about.version.partition("+")[0])
    elif "newer TensorFlow than this 1.x" in about.summary:
        steps.install("1.15 is the last of TensorFlow 1 (Python 3.5 to 3.7)", "tensorflow==1.15.*", "protobuf<3.21")
        text = "Or install the release of that package for TensorFlow %s" % about.version
        steps.say(text, changes="packages", instead=True)
    elif "tf.estimator" in about.summary:
        _hub_estimator(about, steps)
    elif about.signature == "tf-v1-api-sub" and _path_in_tensorflow(about) in _SINCE_TENSORFLOW:
        since = _SINCE_TENSORFLOW[_path_in_tensorflow(about)]
        steps.install("tf.%s came with TensorFlow %s" % (_path_in_tensorflow(about), since), "tensorflow>=%s" % since)
        steps.say(
            "Or install the release of what asks for it that this TensorFlow was for", changes="packages", instead=True
        )
    elif "TensorFlow Addons" in about.summary:
        fitting_add_on(about, steps, "tensorflow-addons", about.version.partition("+")[0])
    else:
        return _gone(about, steps)
    return True


#: What SciPy and others do not have any more: from a module, since which release, and where it is now (release notes,
#: wheels). "edit", "keep": where what uses it is seldom updated.
_GONE = (
    (r"tri[lu]? scipy\.linalg", "SciPy", "1.13", "numpy has them: numpy.triu"),
    (
        r"(?:gaussian|hann|hamming|blackman|kaiser|bartlett|tukey|triang|boxcar) scipy\.signal", "SciPy", "1.13",
        "it is in scipy.signal.windows",
    ),
    (r"(?:simps|trapz|cumtrapz) scipy\.integrate", "SciPy", "1.14", "simpson, trapezoid and cumulative_trapezoid"),
    (
        r"(?:interp|array|zeros|ones|arange|linspace|histogram|sqrt|mean|log|exp|randn?|pi|ndarray|float\d\d) scipy", "SciPy",
        "1.12", "numpy has it",
    ),
    (r"\w+ scipy\.misc", "SciPy", "", "imageio and Pillow read and resize images, scipy.special has comb and logsumexp"),
    (r"(?:joblib|six) sklearn\.externals", "scikit-learn", "", "import joblib or six itself"),
    (r"is_flash_attn_available transformers\.utils", "transformers", "4.35", "is_flash_attn_2_available"),
    (
        r"(?:cached_download|url_to_filename|filename_to_url) huggingface_hub[\w.]*", "huggingface-hub", "0.26",
        "hf_hub_download",
    ),
    (r"AdamW transformers(?:\.optimization)?", "transformers", "4.50", "torch.optim.AdamW", "keep"),
    (r"(?:\w*Beam\w*Scorer|AutoModelWithLMHead|AutoModelForVision2Seq) transformers", "transformers", "5", "", "keep"),
    (
        r"functional_tensor torchvision\.transforms", "torchvision", "0.17",
        "import from torchvision.transforms.functional", "edit",
    ),
    (r"utils torchvision\.models", "torchvision", "", "import load_state_dict_from_url from torch.hub", "edit"),
    (
        r"(?:AudioMetaData|info|list_audio_backends|[gs]et_audio_backend|io|sox_effects|backend) torchaudio"
        r"|\w+ torchaudio\.(?:io|backend)", "torchaudio", "2.9", "torchaudio.load needs no backend", "keep",
    ),
    (r"_compare_version torchmetrics\.utilities\.imports", "torchmetrics", "1.0", "packaging.version", "keep"),
    (
        r"(?:rank_zero_only|EPOCH_OUTPUT|distributed|cloud_io) pytorch_lightning\.utilities(?:\.\w+)?", "pytorch-lightning",
        "2.0", "import rank_zero_only from pytorch_lightning.utilities.rank_zero", "edit",
    ),
    (r"metrics pytorch_lightning", "pytorch-lightning", "", "install and import torchmetrics", "edit"),
    (r"_six torch|\w+ torch\._six", "PyTorch", "", "torch.inf, str, collections.abc"),
    (r"legacy torchtext|\w*Field torchtext\.data", "torchtext", "0.12", "read the data with torch.utils.data", "edit"),
)  # fmt: skip


def _gone(about: Situation, steps: Steps) -> bool:
    """A newer release does not have it: what imports it is too old; return whether it is known to be so."""
    found = re.search(r"No module named '?([\w.]+)\.(\w+)", about.line)
    module, name = found.groups() if found else (about.groups.get("module", ""), about.groups.get("name", ""))
    row = next((row for row in _GONE if re.fullmatch(row[0], "%s %s" % (name, module))), None)
    there = about.packages.get(row[1].lower(), "") if row else ""
    if row is None or (there and row[2] and sort_key(there) < sort_key(row[2])):
        return False
    _, title, since, now = row[:4]
    last = "".join(about.known.frames[-1:])
    other = {"SciPy": "gensim", "huggingface-hub": "diffusers"}.get(title, "")
    by = _user(about) or (other if other in about.words else "")
    by = by if by != title.lower() else ""
    text = "%s has %s.%s no longer%s: " % (title, module, name, ", from %s on" % since if since else "")
    if row[4:] == ("keep",) and (by or not last):
        _keep(about, steps, title, since, text + "install")
        text = "Or " if steps.fixes else text
    if row[4:] == ("edit",):
        of = re.split(r"[\\/]", last)[-1] or "the file that the traceback names"
        steps.say("%sin %s, %s" % (text, of, now), changes="code")
    elif by and by != "apex":  # NVIDIA's has the name of another project
        steps.upgrade(text + "update %s, which imports it" % by, by, instead=bool(steps.fixes))
    else:
        text += "update the package whose file the traceback names; in your own code: %s" % now
        steps.say(text, changes="packages", instead=bool(steps.fixes))
    _keep(about, steps, title, since, "Or keep", instead=True)
    return True


#: The newest Python that has wheels of what is older.
_UNTIL = {"SciPy": "3.12", "torchtext": "3.9"}


def _keep(about: Situation, steps: Steps, title: str, since: str, text: str, instead: bool = False) -> None:
    """An older release, which still has something; with the PyTorch that it belongs to."""
    name, until = title.lower(), _UNTIL.get(title, "")
    text += " an older %s" % title
    if name in _ADD_ONS["torch"][:2] and since:
        have = about.releases("torch", "", about.platform, about.python)
        pairs = ((item.version, _companion_of(name, item.version)) for item in have)
        fitting = [torch for torch, pair in pairs if pair and sort_key(pair) < sort_key(since)]
        if fitting:
            _both_again(about, steps, name, fitting[-1], text, instead)
    elif since and not (until and about.python and sort_key(about.python) > sort_key(until)):
        text += " (up to Python %s)" % until if until and not about.python else ""
        steps.install(text, "%s<%s" % (name, since), instead=instead)


def _keras_preprocessing(about: Situation, steps: Steps) -> None:
    """Keras 2.6 to 2.10 imports what TensorFlow brings, which does so up to 2.10."""
    by_keras = re.search(r"-packages[\\/]keras[\\/]", "".join(about.known.frames[-1:]))
    if by_keras and about.is_at_least("2.11"):
        _keras_of(about, steps, ".".join(about.version.split(".")[:2]))
        return
    if by_keras and not about.version:
        text = "TensorFlow from 2.11 on does not bring it: there, install the Keras of TensorFlow's own minor release"
        steps.run("%s (keras==2.13.* for 2.13)" % text, "python -m pip show tensorflow keras")
    text = "With an older TensorFlow, install it" if steps.fixes else "Install it"
    steps.install(text, "keras-preprocessing", instead=bool(steps.fixes))


def dependency_incompatible(about: Situation, steps: Steps) -> None:
    """Something that is needed is missing or of another version."""
    module = about.groups.get("module", "") or about.groups.get("addon", "")
    if _of_its_own(about, steps) or _new_in_torch(about, steps):
        return
    if module == "keras_preprocessing":
        _keras_preprocessing(about, steps)
        return
    if re.search(r"compat\.v2|__internal__|\bkeras\b", module + about.line) and about.framework == "tensorflow":
        keras_incompatible(about, steps)
        return
    if re.search(r"/opt/intel|oneapi|libsycl|libur_|libze_", about.line):
        _oneapi(about, steps)
        return
    name = distribution_of(module) if module else ""
    version = about.version.partition("+")[0] or about.groups.get("tensorflow", "")
    # transformers has names of its own with "flash_attn".
    for add_on in () if module.startswith("transformers") else _ADD_ONS.get(about.framework, ()):
        if name == add_on or add_on in re.sub("[_ ]", "-", about.line + about.summary).lower():
            fitting_add_on(about, steps, add_on, version)
            return
    if "ml_dtypes" in about.line:
        _ml_dtypes(about, steps)
        return
    if about.framework == "jax":
        _jax(about, steps)
        return
    if "wanted" in about.groups and "package" in about.groups:
        return  # the signature names it
    if about.signature == "tf-undefined-any" and not re.search(r"(?:site|dist)-packages", about.line):
        steps.say("Compile that library again, with the headers and flags of the installed TensorFlow")
        steps.run("Its flags", 'python -c "import tensorflow as tf; print(tf.sysconfig.get_compile_flags())"')
        return
    missing = about.signature.startswith("py-no-module") or (
        about.signature == "gen-no-module" and known_module(module) and ("." not in module or name == "torch-directml")
    )
    if name == "triton" and missing and not about.linux and not about.macos:
        _triton(about, steps)
        return
    if _of_another_torch(about, steps) or _with_torch(about, steps) or _openvino(about, steps):
        return
    if name and name not in ("tensorflow", "torch", "keras") and missing:
        other = "Install it" if module != "torch.dml" else "DirectML's module is torch_directml: install it"
        steps.install(other, _as_required(about, name))
    elif steps.fixes:
        return
    elif about.signature == "gen-no-module" and "." in module and BUNDLED.project(name) is not None:
        steps.reinstall("A part of %s is missing: write its files again" % name, name)
    elif not _of_a_library(about, steps):
        _other_version(about, steps, version)


def _path_in_tensorflow(about: Situation) -> str:
    return ".".join((about.groups.get("module", ""), about.groups.get("name", "")))


def _hub_estimator(about: Situation, steps: Steps) -> None:
    """What asks for tf.estimator, which is a distribution of its own up to TensorFlow 2.15; mostly tensorflow-hub."""
    minor = ".".join(about.version.split(".")[:2])
    old = about.is_at_least("2.16") is False
    if not old:
        hub = "hub" in about.line or any("hub" in item for item in about.known.frames[-1:])
        user = "tensorflow-hub" if hub else _user(about)
        text = "TensorFlow from 2.16 on has no estimator: %s"
        if user:
            steps.upgrade(text % "update %s%s" % (user, ", which does without it from 0.16 on" * hub), user)
        else:
            steps.say(text % "update the package whose file the traceback names, or use TensorFlow 2.15")
    if old or not minor:
        text = "%snstall the tensorflow-estimator of TensorFlow's own minor release" % (
            "I" if minor else "Before 2.16: i"
        )
        steps.install(text, "tensorflow-estimator==%s.*" % (minor or "2.15"))


def _asked_for(about: Situation, steps: Steps) -> None:
    """What a message says to install, which may be there since after the import that looked for it."""
    wanted = re.search(r"requires `([\w-]+)(>=[\d.]*\d)`", about.line)
    there = about.packages.get(wanted.group(1), "") if wanted else ""
    if wanted and there and accepts(wanted.group(2), there):
        text = "%s %s is there; if it was installed after the first import: restart Python, or the notebook's kernel"
        steps.say(text % (wanted.group(1), there))
        return
    add = steps.upgrade if re.search("install (?:-U|--upgrade)", about.line) else steps.install
    add("Install what the message names, then restart Python", about.groups["asked_for"])


def _newer_onnxruntime(about: Situation, steps: Steps) -> None:
    """A model of a newer ONNX: the package that is installed, as another one would share its folder."""
    there = [item for item in about.packages if re.match("onnxruntime-(?:gpu|directml|openvino|migraphx|qnn)$", item)]
    text = "Update ONNX Runtime" if there else "Update ONNX Runtime (onnxruntime-gpu or another, if that is installed)"
    name = "".join(there[:1]) or "onnxruntime"
    # From 1.27 on it is for CUDA 13, which not every driver runs.
    steps.upgrade(text, name + "[cuda,cudnn]<1.27" * (name == "onnxruntime-gpu"))
    value, opset = about.groups.get("value"), about.groups.get("name")
    older = "save the model with ir_version = %s (onnx.load, onnx.save)" % value
    steps.say("Or %s" % (older if value else "export it with opset_version=%s" % opset), instead=True)


def _compiler(about: Situation, steps: Steps) -> None:
    """A package, or torch.compile, compiles something here."""
    text = "Install a C compiler and the headers of this Python (%s)"
    if about.linux_distribution in ("", "ubuntu", "debian"):
        command = "sudo apt-get install -y build-essential python%s-dev" % (about.python or "3")
        steps.run(text % "Debian, Ubuntu", command, on="linux", changes="system")
    if not steps.fixes or about.system is None:
        steps.say(text % "Fedora: gcc and python3-devel; Windows: Build Tools for Visual Studio", "admin", "system")
    steps.say("Or look for a wheel of the package for this Python: then nothing is compiled", instead=True)


def _with_torch(about: Situation, steps: Steps) -> bool:
    """Add-ons of another build than PyTorch: take those of its own index."""
    names = [item for item in ("torchvision", "torchaudio") if item in about.words or item in about.packages]
    if about.signature != "torch-so-missing" or not names or not about.torch_index:
        return False
    steps.fixes = []
    for name in names:
        fitting_add_on(about, steps, name, about.version.partition("+")[0])
    return True


def _openvino(about: Situation, steps: Steps) -> bool:
    """ONNX Runtime with OpenVINO on Windows, where OpenVINO's DLLs are another distribution's."""
    if about.groups.get("provider") != "openvino":
        return False
    name = "onnxruntime-openvino"
    pin = "==%s" % about.packages[name] if about.packages.get(name) else ""
    steps.install(
        "Uninstall both, which share a folder, then install only it", name + pin, remove=["onnxruntime", name]
    )
    steps.say(
        "Install the openvino that its page on PyPI names (1.17: 2023.3), and call "
        "onnxruntime.tools.add_openvino_win_libs.add_openvino_libs_to_path() before the session is made"
    )
    return True


#: Distributions by the files that they put next to the packages.
_FILES = {"_XLAC": "torch-xla", "_XLAC_cuda_functions": "torch-xla", "_torch_sox": "torchaudio"}


def new_vllm(steps: Steps, because: str, what: str = "vllm --torch-backend=auto", instead: bool = False) -> None:
    """Install vLLM together with the PyTorch that it needs."""
    command = "uv venv --python 3.12 vllm-env && uv pip install --python vllm-env " + what
    text = because + ": let uv install both into a fresh environment"
    steps.run(text, command, on="linux", changes="packages", instead=instead)


def _of_another_torch(about: Situation, steps: Steps) -> bool:
    """Name the distribution of a library that was compiled with another PyTorch; return whether its path tells."""
    found = re.search(r"(?:site|dist)-packages/(\w+?)(?:[./]|_cuda\b|_2_cuda\b)", about.line)
    if about.signature != "torch-undefined-addon" or found is None or found.group(1).startswith(("torch_lib", "lib")):
        return False
    name = _FILES.get(found.group(1), "") or distribution_of(found.group(1).lstrip("_"))
    version = about.version.partition("+")[0]
    if name in ("torchvision", "torchaudio"):
        fitting_add_on(about, steps, name, version)
        return True
    if name == "torch-xla":
        minor = ".".join(version.split(".")[:2])
        text = "Install PyTorch and torch_xla of the same release, with libtpu for TPUs"
        pin = "~=%s.0" % minor if minor else ""
        steps.install(text, "torch%s" % pin, "torch_xla[tpu]%s" % pin)
        return True
    of = "PyTorch %s" % version if version else "the installed PyTorch"
    if name == "vllm":  # its releases require one PyTorch each
        own = about.packages.get(name, "")
        if re.match(r"\d+(\.\d+)+$", own):
            text = "Install it again, with the PyTorch that it was compiled with"
            steps.run(text, "python -m pip install --force-reinstall vllm==%s" % own, on="linux", changes="packages")
        text = "This vLLM was compiled with another PyTorch than the one here"
        new_vllm(steps, text, instead=bool(steps.fixes))
        return True
    steps.say("Install the %s that was released for %s, or compile it again with that" % (name, of), changes="packages")
    if name == "xformers":
        return True
    command = "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation %s" % name
    steps.run("This takes a wheel if there is one, and compiles otherwise", command, changes="packages")
    return True


def _as_required(about: Situation, name: str) -> str:
    """Return a distribution with the bounds that the metadata of the installed framework set."""
    project = BUNDLED.project(about.distribution)
    release = project.release(full_version(about.version)) if project is not None and about.version else None
    for requirement in release.builds[0].requires if release is not None else ():
        bounds = re.match(
            re.escape(name) + r"((?:[<>=!~]=?[\w.*]+,?)*)(?:;|$)", requirement.replace(" ", ""), re.IGNORECASE
        )
        if bounds:
            return name + bounds.group(1)
    return name


def _no_release(about: Situation, steps: Steps) -> None:
    """The index has no release that meets a requirement."""
    found = about.requirements("cpu", "tensorflow") if "(from tensorflow" in about.line else None
    if found is not None:
        steps.install_set("Install the newest TensorFlow for this Python and system", found)
    elif about.groups.get("name"):
        text = "tensorflow-macos before 2.13 needs releases without wheels for Apple silicon: let conda bring those"
        steps.run(text, "conda install -c apple tensorflow-deps", changes="packages")
        text = "Or, on macOS 12 or later, take TensorFlow from 2.13 on, whose requirements all have wheels"
        steps.install(text, "tensorflow>=2.13", instead=True)
    else:
        steps.say("Take another release of what needs it, or the Python that this one was made for")


def _other_version(about: Situation, steps: Steps, version: str) -> None:
    """Something of another version than the framework needs, of which the line says no more."""
    source = re.search(r"cannot import name '?\w+'? from (?:partially initialized module )?'(\w+)", about.line)
    if source and source.group(1) == "transformers" and re.search("name '?(?:EncoderDecoder|Hybrid)Cache", about.line):
        steps.install("Transformers has it from 4.44 on", "transformers>=4.44,<5")  # 5 wants a newer PyTorch
        if "packages/peft/" in "".join(about.known.frames[-1:]).replace("\\", "/"):
            steps.install("Or keep transformers, with an older peft", "peft<0.14", instead=True)
        return
    if source and source.group(1) in ("tensorflow", "torch") and about.known.frames:
        if _user(about):
            _update_user(about, steps, _user(about))
            return
        if "-packages" not in about.known.frames[-1]:
            text = "The program was written for another release of %s: its requirements.txt or README names it"
            steps.say(text % about.title, changes="packages")
            return
    if source and source.group(1) not in ("tensorflow", "torch", "jax", "keras"):
        wanted = distribution_of(source.group(1))
        text, user = "Update %s; if that does not help, the package that imports from it" % wanted, _user(about)
        if user and user != wanted:
            text = "Update %s and what it imports from, in one command: so pip chooses releases that fit" % user
            steps.upgrade(text, user, wanted)
            steps.run("See which installed packages do not fit together", "python -m pip check")
            return
        if wanted == "huggingface-hub" and not about.packages.get("transformers", "").startswith("5"):
            wanted += "<1"  # for transformers 4
        steps.upgrade(text, wanted)
        steps.run("See which installed packages do not fit together", "python -m pip check")
        return
    if about.signature == "pip-requirement-any":
        _no_release(about, steps)
        return
    library = re.match(r"lib(flatbuffers)\.so\.([\d.]*\d)$", about.groups.get("library", ""))
    if library and "conda" in about.words:  # pip has no such library
        command = "conda install -c conda-forge %s=%s" % library.groups()
        steps.run("Install the release that this build needs", command, changes="packages")
        return
    # Where another package asks for what is not there, the same release again changes nothing.
    other = source and re.search(r"-packages[\\/](?!tensorflow|torch|keras|jax)", "".join(about.known.frames[-1:]))
    if about.framework and re.match(r"\d+\.\d+", version) and about.python and not other:
        text = "Install %s again together with what it needs" % about.label
        pin = "%s==%s" % (about.distribution, version if version.count(".") > 1 else version + ".*")
        steps.install(text, pin, index_url=about.torch_index if about.framework == "torch" else "")
    else:
        steps.say("Install what is named in a version that works with %s" % about.title, changes="packages")
    steps.run("See which installed packages do not fit together", "python -m pip check")


def _of_a_library(about: Situation, steps: Steps) -> bool:
    """A name that a library, other than a framework, does not have; False if it is about something else."""
    root, name = about.groups.get("module", "").partition(".")[0], about.groups.get("name", "")
    if about.signature != "gen-attribute-module" or root in ("", "tensorflow", "torch", "jax", "keras", "numpy"):
        return False
    text = (
        "The code was written for another release of %s: install the one that its README or requirements name, or look "
    )
    text = (text + "in the release notes of this one for what replaced %s") % (distribution_of(root), name)
    steps.run(text, "python -m pip show %s" % distribution_of(root))
    return True


def _triton(about: Situation, steps: Steps) -> None:
    if about.system is None:
        steps.install("On Linux, install it", "triton")
    steps.upgrade("On Windows, install the Triton that is made for it, of PyTorch's release", "triton-windows")


#: Signatures of installers that find no set of versions.
_CONFLICTS = (
    "pip-cannot-install-conflict", "pdm-pipenv-resolution", "poetry-version-solving", "poetry-missing-companion",
    "uv-no-solution",
)  # fmt: skip


def _conflict(about: Situation, steps: Steps) -> None:
    """No set of versions meets all requirements."""
    name, version = about.groups.get("requirement", ""), about.groups.get("version", "")
    if about.signature == "poetry-missing-companion":
        minor = ".".join(version.split(".")[:2])
        have = [item.version for item in about.releases("tensorflow", "==%s.*" % minor, about.platform, about.python)]
        right = [item for item in have if item != version]
        text = "Take a release of TensorFlow whose %s exists" % name
        steps.install(text, "tensorflow==%s" % right[-1] if right else "tensorflow!=%s" % version)
        return
    if about.manager:
        text = "A lock has to fit all Pythons and systems that pyproject.toml allows: narrow requires-python there"
        if about.manager == "pipenv":
            text = "A lock has to fit the Python of the Pipfile: set python_version under [requires]"
        steps.say('%s to what the framework has wheels for, such as ">=3.10,<3.13"' % text, changes="files")
    if not any(found(about, steps) for found in (_without_bound, _open_version, _older_release)):
        steps.say("Loosen the versions that you set yourself of the packages that the lines around this name")
    steps.say("Or install what excludes each other into an environment each", instead=True)


def _open_version(about: Situation, steps: Steps) -> bool:
    """Leave pip the release of what excludes TensorFlow's requirement; False if no line says what that is."""
    names = re.findall(r"(?:^|, |and )([\w.-]+)", about.groups.get("requirement", "").lower())
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS), "")
        other = next((name for name in needs if name not in TENSORFLOW_OWNERS and name in names), "")
        if owner and other and needed not in names and re.search("<|[~=]=", needs[owner] + needs[other]):
            steps.say("%s, and %s: leave the version of %s open" % (needs[other], needs[owner], other))
            return True
    return False


def _without_bound(about: Situation, steps: Steps) -> bool:
    """A newer TensorFlow that takes what another package needs; False if none is known to."""
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS and "<" in needs[name]), "")
        least = [re.search(r">=? ?(\d[\d.]*)", text) for name, text in needs.items() if name != owner]
        said = re.match(r"\S+ (\d+\.\d+(?:\.\d+)?) ", needs.get(owner, ""))
        if not said or not any(least):
            continue
        wanted = newest(item.group(1) for item in least if item)
        for release in about.releases(owner, ">" + said.group(1), "", about.python):
            bounds = [
                text for build in release.builds for text in build.requires if re.match(needed + r"\b(?!-)", text)
            ]
            texts = [re.sub(r"^[\w.-]+|;.*| ", "", text) for text in bounds]
            if texts and all(accepts(text or ">=0", wanted) for text in texts):
                minor, name = ".".join(release.version.split(".")[:2]), owner.replace("-intel", "")
                text = "%s from %s on takes %s %s: ask for such a release in the same command or file" % (
                    name,
                    minor,
                    needed,
                    wanted,
                )
                steps.install(text, "%s>=%s" % (name, minor))
                return True
    return False


def _bounds_of(text: str) -> str:
    """Return the bounds in a requirement as pip or pipenv words it.

    >>> _bounds_of("rasa 2.8 depends on numpy<1.19 and >=1.16"), _bounds_of("numpy<1.19,>=1.16 (from rasa==2.8.7")
    ('<1.19,>=1.16', '<1.19,>=1.16')
    """
    return re.sub(r"^[^<>=!~]*|[;(].*| ", "", text).replace("and", ",")


def _older_release(about: Situation, steps: Steps) -> bool:
    """An older TensorFlow, or an older Python, for what another package needs; False if nothing older has it."""
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS), "")
        other = next((name for name in needs if name not in TENSORFLOW_OWNERS and "<" in needs[name]), "")
        yours = re.search(r"(?:^|, |and )%s\b" % re.escape(needed), about.groups.get("requirement", "").lower())
        bounds = known_specifier(_bounds_of(needs[other])) if owner and other and not yours else ""
        pythons = about.pythons(needed, bounds, about.platform) if bounds else ()
        release = re.search(r"(?: |==)(\d[\w.]*)(?: depends|$)", needs.get(other, ""))
        because = re.sub(r" \(from ", ", of ", needs.get(other, ""))
        if pythons and about.python not in pythons and (about.python or sort_key(pythons[0]) < (3, 10)):
            text = "%s, which is for Python %s and older: make an environment for it, in which pip chooses TensorFlow"
            pin = "%s==%s" % (other, release.group(1)) if release else other
            steps.new_environment(text % (because, pythons[0]), pythons[0], [pin, "tensorflow"])
            return True
        older = _takes(about, needed, bounds, needs[owner]) if pythons else ""
        if older:
            text = "%s: TensorFlow %s takes that as well; ask for it in the same command or file" % (because, older)
            steps.install(text, "tensorflow==%s.*" % older)
            return True
    return False


def _takes(about: Situation, needed: str, bounds: str, owner: str) -> str:
    """The newest minor release before the one that does not, of which a version of what is needed is in both bounds."""
    said, project = re.search(r"(?: |==)(\d+\.\d+)\S*(?: depends|$)", owner), BUNDLED.project(needed)
    there = [item for item in (project.versions if project is not None else ()) if accepts(bounds, item)]
    for release in reversed(
        about.releases("tensorflow", "<" + said.group(1), about.platform, about.python) if said else ()
    ):
        own = [text for text in release.builds[0].requires if re.match(needed + r"\b(?![-_])", text)]
        if any(accepts(_bounds_of(text), version) for text in own for version in there):
            return ".".join(release.version.split(".")[:2])
    return ""


def _another_framework(about: Situation, steps: Steps) -> None:
    """A package that requires another TensorFlow than the one that is there: it moves, not the framework."""
    package, found, wanted = (about.groups[name] for name in ("package", "found", "wanted"))
    steps.upgrade("Update %s, if a newer release takes the TensorFlow that is here" % package, package)
    bounds = known_specifier(re.sub(r"^[\w-]+", "", wanted))
    pythons = about.pythons("tensorflow", bounds, about.platform) if bounds else ()
    if pythons:
        text = "Or, if you need it: its own environment, with %s" % wanted
        steps.new_environment(text, pythons[0], ["%s==%s" % (package, found)], instead=True)
    steps.say("Or leave it, if no program here uses it: pip only warns", instead=True)


def _oneapi(about: Situation, steps: Steps) -> None:
    """Two copies of oneAPI's libraries: those of the system and those that PyTorch's wheels bring."""
    if about.framework == "torch" and ("+xpu" in about.version or re.search(r"(site|dist)-packages/torch", about.line)):
        steps.say(
            "PyTorch's wheels for XPU bring oneAPI's libraries: start it in a new shell without "
            "setvars.sh, so that those of "
            "/opt/intel/oneapi do not come first"
        )
        steps.run("In this shell", "unset LD_LIBRARY_PATH", on="linux", changes="variables")
    elif not steps.fixes:
        steps.run(
            "Load oneAPI's environment first", "source /opt/intel/oneapi/setvars.sh", on="linux", changes="variables"
        )


def fitting_add_on(about: Situation, steps: Steps, add_on: str, version: str) -> None:
    """An add-on of a framework: of the framework's own minor release, or built for it."""
    if about.framework == "torch":
        if add_on in ("torchvision", "torchaudio"):
            pair = _companion_of(add_on, version)
            if about.jetson:
                _compiled_on_jetson(steps, add_on, pair)
            elif pair:
                text = "%s %s belongs to PyTorch %s: install it from the same index as PyTorch"
                index = about.torch_index or _said_index(about, version)
                label = index and "+" + index.rpartition("/")[2]  # without it, pip is content with another build
                pin, remove = "%s==%s%s" % (add_on, pair, label), () if label else (add_on,)
                steps.install(text % (add_on, pair, version), pin, remove=remove, index_url=index)
            elif not _old_torchvision(about, steps, add_on, version):
                _both_again(about, steps, add_on)
        else:
            _torch_add_on(about, steps, add_on)
        return
    minor = ".".join(version.split(".")[:2])
    project = BUNDLED.project(add_on)
    if add_on == "tensorflow-io" and not about.signature.startswith("pip-"):
        _io(about, steps, minor)
        return
    if minor and add_on == "tensorflow-text":
        have = [item for item in (project.versions if project is not None else ()) if accepts("==%s.*" % minor, item)]
        exact = newest(have)
        text = "Install the tensorflow-text of the same release as TensorFlow"
        steps.install(text, "tensorflow-text==%s" % exact if exact else "tensorflow-text==%s.*" % minor)
        return
    fitting = [
        item for item in reversed(project.versions if project is not None else ()) if _goes(add_on, item, version)
    ]
    if version and not fitting:
        pinned = [item.version for item in about.releases(add_on, "", "", about.python) if _requires(item, version)]
        fitting = pinned[::-1]
    if version and fitting:
        steps.install(
            "Install the %s that was released for %s" % (add_on, about.label), "%s==%s" % (add_on, fitting[0])
        )
    elif add_on == "tensorflow-addons":
        _addons_ended(about, steps, minor)
    else:
        steps.say("Install the %s that was released for this very TensorFlow" % add_on, changes="packages")
    wanted = re.match(r">=? ?(\d+\.\d+)", about.groups.get("wanted", ""))
    if add_on == "tensorflow-probability" and wanted:
        # Up to 2.15 each of its releases is made for one TensorFlow.
        if sort_key(wanted.group(1)) < (2, 16):
            steps.install("Or change TensorFlow", "%s==%s.*" % (about.distribution, wanted.group(1)), instead=True)
        else:
            steps.upgrade("Or update TensorFlow, with Keras 2 for it", "tensorflow", "tf-keras", instead=True)


def _compiled_on_jetson(steps: Steps, add_on: str, release: str) -> None:
    """NVIDIA's PyTorch for Jetson has no torchvision and torchaudio next to it."""
    text = "On a Jetson, compile %s with NVIDIA's PyTorch, in the release for that: PyPI's is for PyPI's" % add_on
    url = "git+https://github.com/pytorch/%s.git@v%s" % (add_on[5:], release or "RELEASE")
    steps.uninstall("Uninstall the one that does not fit", add_on)
    command = "python -m pip install --no-build-isolation --no-deps %s" % url
    steps.run(text, command, on="linux", changes="packages")


def moved_tensorflow(about: Situation, steps: Steps) -> None:
    """Add-ons that require another TensorFlow than pip installed: they follow it, where they have a release."""
    found, wanted = about.groups["found"], about.groups["wanted"]
    pins, newer = [], []
    names = about.groups["packages"].replace("_", "-").split()
    for name in names:
        if name == "tf-keras" or name in _ADD_ONS["tensorflow"]:
            have = about.releases(name, "", about.platform, about.python)
            pins += [name + "==" + item.version for item in have if _requires(item, found[11:])][-1:]
            newer += [name + "==" + item.version for item in have[-1:]]
    ours = newer and found.startswith("tensorflow ")
    back = about.releases("tensorflow", known_specifier(wanted[10:]), about.platform, about.python)
    rows, steps.fixes = steps.fixes, []
    if ours and len(pins) >= (len(names) if back else 1):
        steps.install("Install what was released for %s" % found, *pins)
        if back and len(names) == 1:
            steps.install("Or go back to the TensorFlow that it requires", wanted, instead=True)
    elif ours and not back:
        text = "There is no such pair for Python %s: install the newest one, with its TensorFlow"
        steps.install(text % about.python, newer[0])
    else:
        steps.fixes = rows
        dependency_incompatible(about, steps)


def _said_index(about: Situation, version: str = "") -> str:
    """PyTorch's index for the CUDA that the line says PyTorch, or else its add-on, was built for; "" if it says none."""
    rows = BUNDLED.indexes("torch", "cuda", about.platform or "linux-x86_64")
    builds = (about.groups.get("ours"), about.groups.get("theirs"))
    fitting = [row for row in rows if not version or accepts(row.versions, version)]
    return next((row.url for cuda in builds for row in fitting if row.cuda == cuda), "")


def _both_again(
    about: Situation, steps: Steps, add_on: str, torch: str = "", text: str = "", instead: bool = False
) -> None:
    """PyTorch and an add-on in builds that are not known: pip is content with what is there, so both are uninstalled.

    ``torch``: another release of it, in place of that.
    """
    text = text or "Uninstall both, and install both from one index, so that they are of one build"
    both: Tuple[str, ...] = ("torch", *dict.fromkeys((*add_on.split(), *beside_torch(about))))
    remove = () if torch else both
    old = bool(torch) and sort_key(torch) < (2, 3)
    if torch:
        both = tuple("%s==%s" % (name, _companion_of(name, torch) or torch) for name in both)
        both += ("numpy<2",) if old else ()
    goal = "cpu" if about.known.no_gpu else {"amd": "rocm", "intel": "xpu"}.get(about.vendor, "cuda")
    known = BUNDLED.indexes("torch", goal, about.platform or "linux-x86_64")
    rows = [row for row in known if not about.python or about.releases("torch", row.versions, "", about.python)]
    rows = [row for row in rows if not torch or accepts(row.versions, torch)]
    own = re.search(r"[a-z]", about.version.partition("+")[0])  # NVIDIA's container, a nightly build
    index = about.torch_index or _said_index(about)
    index = index if not torch or index.endswith("/cpu") or index in [row.url for row in rows] else ""
    if about.macos:
        steps.install(text, *both, remove=remove, instead=instead)
    elif own or about.jetson or not (index or rows):
        if not torch:
            steps.say("%s: the one that PyTorch came from" % text, changes="packages")
    else:
        new = about.capability.startswith("1")
        cuda = "12.8" if new else LAST["11" if about.driver_before(525) else "12"]
        index = index or next((row.url for row in rows if row.cuda == cuda), rows[0].url)
        if index.endswith("/cu126") and not about.capability:
            text += " (RTX 50 and other Blackwell GPUs: cu128 in place of cu126)"
        text += " (not for RTX 50)" if old and not about.capability else ""
        if not (new and old):
            steps.install(text, *both, remove=remove, index_url=index, instead=instead)


def newer_torch(about: Situation, steps: Steps, row: Mapping[str, Any]) -> bool:
    """A step that updates PyTorch where PyPI has no such build, to a release that has; return whether it is one."""
    least = re.search(r"PyTorch\D{1,20}(2\.\d+)", about.summary + row["text"])
    updates = row.get("upgrade") == ["torch"] or row.get("install") == ["torch>={wanted}"]
    intel = about.macos and about.arch == "x86_64"
    if not updates or least is None or not (about.torch_index or about.windows or intel):
        return False
    have = [item.version for item in about.releases("torch", ">=" + least.group(1), about.platform, about.python)]
    if intel and not have:
        text = "PyTorch 2.2.2 is the last one for Macs with Intel processors"
        if "torch.load" in about.line:
            steps.install("%s: keep it, with the last transformers that loads such files" % text, "transformers<4.52")
        else:
            steps.say(text)
        return True
    enough = (2, 6) if re.search("/(?:cpu|cu118|cu124)$", about.torch_index) and about.capability[:1] != "1" else (2, 7)
    new = [item for item in have if sort_key(item) >= enough] or have[-1:]
    release, before = [item for item in new if item[:4] == new[0][:4]][-1:], len(steps.fixes)
    if release:
        _both_again(about, steps, "torchvision torchaudio", release[0], filled(row["text"], about.groups))
    return len(steps.fixes) > before


#: The first PyTorch with some names that packages ask for.
_SINCE_TORCH = {
    "LRScheduler": "2.0", "xpu": "2.3", "RMSNorm": "2.4", "DTensor": "2.5", "flex_attention": "2.5", "amp": "1.10",
    "frombuffer": "1.10", "inference_mode": "1.9", "mps": "1.12", "set_float32_matmul_precision": "1.12",
    "sdp_kernel": "2.0", "scaled_dot_product_attention": "2.0", "set_default_device": "2.0", "vmap": "2.0", "func": "2.0",
    "device_mesh": "2.2", "attention": "2.3", "custom_fwd": "2.4",
}  # fmt: skip


def _new_in_torch(about: Situation, steps: Steps) -> bool:
    """What a package asks for came with a newer PyTorch than the installed one; return whether it is known."""
    found = re.search(r"(?:name '?(\w+)'? from|module) 'torch\b[^']*'(?: has no attribute '(\w+)')?", about.line)
    found = found or re.search(r"No module named '?torch\.[\w.]*?(\w+)\b()(?:'|$)", about.line)
    name = (found.group(1) or found.group(2) or "") if found else ""
    since = _SINCE_TORCH.get(name, "")
    if not since or version_at_least(about.packages.get("torch", "").partition("+")[0] or "0", since):
        return False
    user = re.search(r"-packages[\\/](?!torch[\\/])(\w+)", "".join(about.known.frames[-1:]))
    if not about.python or about.releases("torch", ">=" + since, "", about.python):
        text = "%s came with PyTorch %s: upgrade it (with torchvision and torchaudio, where they are installed)"
        row = {"text": text % (name, since), "upgrade": ["torch"]}
        if not newer_torch(about, steps, row):
            steps.of_signature([row])
    text = "Or, where PyTorch must stay, install an older release of %s"
    other = distribution_of(user.group(1)) if user else "what asks for %s" % name
    steps.say(text % other, changes="packages", instead=True)
    return True


#: The last xFormers 0.0.x of a PyTorch, which its metadata name.
_XFORMERS = {
    "2.0.1": "22", "2.1.0": "22.post7", "2.1.1": "23", "2.1.2": "23.post1", "2.2.0": "24", "2.2.1": "25",
    "2.2.2": "25.post1", "2.3.0": "26.post1", "2.3.1": "27", "2.4.0": "27.post2", "2.4.1": "28.post1", "2.5.0": "28.post2",
    "2.5.1": "28.post3", "2.6.0": "29.post3", "2.7.0": "30", "2.7.1": "31.post1", "2.8.0": "32.post2",
}  # fmt: skip


def xformers_pair(about: Situation, steps: Steps) -> None:
    """PyTorch and xFormers of different builds: one of the two changes."""
    wanted, found = about.groups.get("wanted", ""), about.groups.get("torch", "")
    base, _, label = wanted.partition("+")
    mine, _, own = found.partition("+")
    index = "https://download.pytorch.org/whl/%s"
    if about.macos or own.startswith("rocm"):
        steps.uninstall("This xFormers is for NVIDIA's GPUs: PyTorch's own attention does without it", "xformers")
        if not about.macos:
            text = "Or install the xFormers for ROCm, which is in PyTorch's index for ROCm: %s" % index % "rocm6.4"
            steps.say(text, changes="packages", instead=True)
        return
    others = beside_torch(about) if about.known.complete or base == mine else ("torchvision", "torchaudio")
    pins = ["%s==%s" % (name, _companion_of(name, base)) for name in others if _companion_of(name, base)]
    if re.match(r"cu\d+$", label):
        text = "Install the PyTorch that this xFormers was built for: %s for CUDA" % base
        steps.install(text, "torch==%s" % base, *pins, remove=["torch"], index_url=index % label)
    elif own != "cpu":
        steps.install("Install the PyTorch that this xFormers was built for", "torch==%s" % base, *pins)
    else:
        _torch_for(about, steps)
    if own == "cpu" or (base == mine and not own):
        return
    text = "Or keep PyTorch %s, and install the xFormers that was released for it" % found
    if base != mine:
        which = "xformers==0.0.%s" % _XFORMERS[mine] if mine in _XFORMERS else "its release notes say which one that is"
        steps.say("%s: %s" % (text, which), changes="packages", instead=True)
    elif re.match(r"cu\d+$", own):
        version = about.packages.get("xformers", "")
        name = "xformers==%s" % version if version else "xformers"
        text = "Or keep PyTorch %s, and install xFormers for the same CUDA, without another PyTorch" % found
        command = "python -m pip install --force-reinstall --no-deps %s --index-url %s" % (name, index % own)
        steps.run(text, command, changes="packages", instead=True)


def _torch_for(about: Situation, steps: Steps) -> None:
    """PyTorch's build for CUDA, where only the one for the CPU is installed."""
    found = about.requirements("cuda", "torch")
    if found is not None:
        steps.install_set("Replace it by PyTorch's build for CUDA", found, remove=["torch"])
    else:
        rows = BUNDLED.indexes("torch", "cuda", about.platform or "linux-x86_64")
        url = rows[0].url if rows else ""
        steps.install("Replace it by PyTorch's build for CUDA", "torch", remove=["torch"], index_url=url)


def _torch_add_on(about: Situation, steps: Steps, add_on: str) -> None:
    if add_on == "bitsandbytes":
        steps.upgrade("Update bitsandbytes: its current wheels have a library for every CUDA, also on Windows", add_on)
        return
    of = about.label if about.version else "the installed PyTorch"
    steps.say("Install the %s that was released for %s, or compile it for this PyTorch" % (add_on, of))
    if add_on == "flash-attn":
        # The last releases with wheels for older ones (its releases page).
        pin = {"2.1": "==2.6.3", "2.2": "==2.7.4.post1", "2.3": "==2.7.4.post1"}.get(
            ".".join(about.version.split(".")[:2]), ""
        )
        command = (
            "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation flash-attn" + pin
        )
        steps.run("This takes a wheel for the installed PyTorch if there is one, and compiles otherwise", command)


def _addons_ended(about: Situation, steps: Steps, minor: str) -> None:
    """TensorFlow Addons, whose last release is for TensorFlow 2.13 to 2.15."""
    if not minor and "tensorflow_core" in about.line:  # TensorFlow 2.0 and 2.1
        text = "This TensorFlow Addons needs a newer TensorFlow than 2.1: install a pair that fits (Python 3.7 to 3.10)"
        steps.install(text, "tensorflow==2.10.*", "tensorflow-addons==0.19.0")
        return
    if minor and about.is_at_least("2.16") is False:
        own = {"2.0": "0.6.0", "2.1": "0.9.1"}.get(minor, "0.23.0")
        steps.install(
            "Install the tensorflow-addons that was released for TensorFlow %s" % minor,
            "tensorflow-addons==%s" % own,
        )
        return
    steps.say(
        "TensorFlow Addons has ended: Keras has most of it now (AdamW, GroupNormalization, F1Score)", changes="code"
    )
    text = "Or install the newest TensorFlow that it works with"
    new = about.python in ("3.12", "3.13", "3.14")
    if new:
        steps.new_environment(text, "3.11", ["tensorflow==2.15.*", "tensorflow-addons==0.23.0"], instead=True)
    else:
        steps.install(text, "tensorflow==2.15.*", "tensorflow-addons==0.23.0", instead=True)


#: tensorflow-io of each TensorFlow, newest first (its README); Windows has wheels up to 0.31.
_IO = (
    ("2.16", "0.37"), ("2.15", "0.36"), ("2.14", "0.35"), ("2.13", "0.34"), ("2.12", "0.32"), ("2.11", "0.31"),
    ("2.10", "0.27"), ("2.9", "0.26"), ("2.8", "0.25"), ("2.7", "0.23"), ("2.6", "0.21"), ("2.5", "0.19"), ("2.4", "0.17"),
    ("2.3", "0.16"), ("2.2", "0.14"), ("2.1", "0.12"), ("2.0", "0.10"),
)  # fmt: skip


def _io(about: Situation, steps: Steps, minor: str) -> None:
    """tensorflow-io, each release of which is compiled for one TensorFlow."""
    pairs = [pair for pair in _IO if not about.windows or sort_key(pair[1]) <= (0, 31)]
    mine = dict(pairs).get(minor)
    if mine:
        steps.install(
            "Install the tensorflow-io that was compiled for TensorFlow %s" % minor, "tensorflow-io==%s.*" % mine
        )
        return
    tensorflow, own = pairs[0]
    where = "for Windows " if about.windows else ""
    text = "The newest tensorflow-io %sis %s, for TensorFlow %s: install the two" % (where, own, tensorflow)
    steps.install(text, "tensorflow==%s.*" % tensorflow, "tensorflow-io==%s.*" % own)
    steps.say(
        "Or do without it: tf.audio and tf.io decode common formats, and scipy.signal or librosa resample",
        changes="code", instead=True,
    )  # fmt: skip


#: torchvision of each PyTorch before 1.8, whose builds for GPUs are in one list of files (PyTorch, previous versions).
_OLD_TORCHVISION = {
    "1.7.1": "0.8.2", "1.7.0": "0.8.0", "1.6.0": "0.7.0", "1.5.1": "0.6.1", "1.5.0": "0.6.0", "1.4.0": "0.5.0",
    "1.3.1": "0.4.2", "1.3.0": "0.4.1", "1.2.0": "0.4.0",
}  # fmt: skip


def _old_torchvision(about: Situation, steps: Steps, add_on: str, version: str) -> bool:
    """An old PyTorch: its torchvision, of the same build for CUDA."""
    pair, label = _OLD_TORCHVISION.get(version, ""), about.version.partition("+")[2]
    if add_on != "torchvision" or not pair:
        return False
    label = "+%s" % label if label else ""
    names = "torch==%s%s torchvision==%s%s" % (version, label, pair, label)
    command = "python -m pip install %s -f https://download.pytorch.org/whl/torch_stable.html" % names
    steps.run("torchvision %s belongs to PyTorch %s: install both in the same build" % (pair, version), command)
    return True


def _companion_of(add_on: str, torch: str) -> str:
    """Return the torchvision or torchaudio that requires a PyTorch, "" if that is not known."""
    project = BUNDLED.project(add_on)
    for version in reversed(project.versions if project is not None and torch else ()):
        release = project.release(version) if project is not None else None
        if release is not None and any("torch==%s" % torch in build.requires for build in release.builds):
            return version
    return ""


def _requires(release: Release, tensorflow: str) -> bool:
    """Whether the metadata of a release name this TensorFlow."""
    texts = (text.partition(";")[0] for text in release.builds[0].requires)
    bounds = [text[len("tensorflow") :] for text in texts if re.match("tensorflow[<>=~]", text)]
    return bool(bounds) and accepts(bounds[0], full_version(tensorflow)) is True


def _goes(project: str, release: str, tensorflow: str) -> bool:
    companion = BUNDLED.companion(project, release)
    return companion is not None and bool(companion.tensorflow) and accepts(companion.tensorflow, tensorflow) is True


#: The first release of JAX without some names, with their module where another has them: 28 from 0.4.13 to 0.9.0 were
#: imported, of other ones the source was read.
_GONE_FROM_JAX = {
    "0.3.16": "jax.experimental.optimizers jax.experimental.stax jax.experimental.loops",
    "0.4.7": "jax.experimental.global_device_array",
    "0.4.11": "DeviceArray jax.experimental.PartitionSpec jax.interpreters.pxla.PartitionSpec jax.interpreters.pxla.Mesh",
    "0.4.14": "jax.ShapedArray",
    "0.4.24": "linear_util KeyArray trapz in1d",
    "0.4.25": "config define_bool_state",
    "0.4.29": "Shape",
    "0.4.31": "NamedShape maps",
    "0.4.34": "xla_computation",
    "0.4.36": "clear_backends ConcreteArray jax.experimental.export",
    "0.6.0": "tree_map tree_leaves Primitive Jaxpr ClosedJaxpr Var jaxpr_as_fun",
    "0.7.0": "pytype_aval_mappings abstractify safe_zip safe_map unzip2 pjit_p PositionalSharding",
    "0.8.0": "host_callback jax.util",
    "0.9.0": "xla_bridge xla_client xla_extension jax.experimental.enable_x64 jax.experimental.disable_x64",
    "0.10.0": "xla_pmap_p",
}

#: Where what is missing is newer than the installed JAX, not older.
_NEW_IN_JAX = re.compile(
    r"jax\.(?:sharding|typing|ffi|export|extend|tree|Array|P|set_mesh|shard_map|make_mesh|typeof|enable_x64|NamedSharding)\b"
    r"|jax\.experimental\.(?:pallas|shard_map|layout)$"
)

#: The first release of JAX with some names, as the wheels of 0.4.16 to 0.7.0 have them.
_SINCE_JAX = {
    "0.4.25": "jax.tree", "0.4.30": "jax.export jax.NamedSharding", "0.4.31": "jax.nn.dot_product_attention",
    "0.4.33": "jax.make_mesh", "0.5.0": "jax.ffi jax.sharding.use_mesh", "0.5.3": "jax.sharding.AxisType",
    "0.6.1": "jax.shard_map",
}  # fmt: skip


def _newer_jax(about: Situation, steps: Steps) -> bool:
    """The first releases that have what the line asks for, not the newest: later ones lack other names."""
    name = "jax%s.%s" % (about.groups.get("sub", ""), about.groups.get("attr") if about.signature == "jax-attr" else "")
    since = next((since for since, names in _SINCE_JAX.items() if name in names.split()), "")
    if not since or about.is_at_least(since):
        return False
    bounds = ">=%s,<0.%d" % (since, int(since.split(".")[1]) + 1)
    if about.python and not about.releases("jax", bounds, "", about.python):
        pythons = [item for item in about.pythons("jax", bounds) if item in ("3.12", "3.11", "3.10")]
        text = "%s came with JAX %s, which is for newer Pythons: make an environment with one"
        steps.new_environment(text % (name, since), pythons[0], ["jax" + bounds])
        return True
    plugin = any(item.startswith("jax-cuda12") for item in about.packages)
    steps.install("%s came with JAX %s: install that" % (name, since), "jax%s%s" % ("[cuda12]" * plugin, bounds))
    return True


def _asked_of_jax(about: Situation) -> str:
    """Return the name that the line asks for, with its module."""
    groups = about.groups
    module = groups.get("module") or "jax%s" % groups.get("sub", "")
    return ".".join(item for item in (module, groups.get("attr") or groups.get("name")) if item)


def _gone_from_jax(about: Situation) -> str:
    """Return the release from which on JAX does not have what the line asks for, "" if that is not known."""
    said = re.search(r"removed in JAX v?(\d[\d.]*\d)", about.line)
    full = _asked_of_jax(about)
    name = "define_bool_state" if "'define_bool_state'" in about.line else full.split(".")[-1]
    ours = re.search(r"jax(?!lib)\b|'Config' object", about.line) is not None
    found = (since for since, names in _GONE_FROM_JAX.items() if ours and {name, full} & set(names.split()))
    since = said.group(1) if said else next(found, "")
    return since if since and about.is_at_least(since) is not False else ""


#: Of these, newer releases have names of a newer JAX, and take any by their metadata.
_BEFORE_JAX_04 = {"chex": "<0.1.6", "optax": "<0.1.5"}


def _for_this_jax(about: Situation, names: Sequence[str]) -> List[str]:
    """The newest releases of add-ons that take the installed JAX: with newer ones pip replaces it, without its CUDA."""
    old, jax = about.is_at_least("0.4") is False, about.version.partition("+")[0]
    found = []
    for name in names:
        fit = [
            item.version
            for item in about.releases(name, _BEFORE_JAX_04.get(name, "") if old else "", "", about.python)
            if all(accepts(need[3:], jax) for one in item.builds for need in one.requires if re.match("jax[<>=]", need))
        ]
        fit = fit or ["0.0.9"] * (old and name == "dm-haiku")  # its releases are not in the data
        found += ["%s==%s" % (name, version) for version in fit[-1:] if version != about.packages.get(name)]
    return found


def _jax(about: Situation, steps: Steps) -> None:
    """JAX and jaxlib are released together."""
    own = "+cuda" in about.packages.get("jaxlib", "")  # from JAX's page: PyPI has no such build
    plugin = any("jax-cuda12" in name for name in about.packages)
    nvidia = about.vendor == "nvidia" and not about.windows and not about.macos
    both = ("jax[cuda12]",) if own or plugin or nvidia else ("jax", "jaxlib")
    if _newer_jax(about, steps):
        return
    if about.signature == "jax-jaxlib-old" and own and version_at_least(about.groups["jaxlib"], "0.1.65"):
        _older_jax(about, steps)
        return
    if about.signature == "jax-jaxlib-newer":
        _older_jaxlib(about, steps)
        return
    gone = _gone_from_jax(about)
    users = [
        name
        for name in ("flax", "optax", "chex", "dm-haiku", "numpyro")
        if about.packages.get(name) or name in about.words
    ]
    user = _user(about)
    users = users if not user or user in users else [user]
    # JAX's own modules lack what an add-on asks for: the add-on is older, or newer, than this JAX.
    asks = user and about.signature in ("py-cannot-import-dep", "jax-no-module")
    asks = asks and not _NEW_IN_JAX.match(_asked_of_jax(about))
    if not gone and not asks and not (users and about.signature == "jax-attr"):
        steps.upgrade("Update JAX with what belongs to it, in one command", *both)
        return
    text = (
        "JAX has it no longer, from %s on: update the package that uses it" % gone if gone else "Update what uses JAX"
    )
    pins = _for_this_jax(about, users) if own or plugin or about.is_at_least("0.4") is False else []
    if pins:
        steps.install("%s, as far as it takes this JAX" % text, *pins)
    elif users:
        steps.upgrade(text, *users)
    else:
        steps.say(text, changes="packages")
    if gone and not own and about.releases("jaxlib", "<" + gone, "", about.python):
        older = ["jax[cuda12]<%s" % gone] if plugin else ["jax<%s" % gone, "jaxlib<%s" % gone]
        steps.install("Or install an older JAX", *older, instead=True)
    elif not gone and not own and not pins:
        steps.upgrade("If JAX is the older one: update both", *users, *both, instead=True)


JAX_PAGE = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"


def _older_jax(about: Situation, steps: Steps) -> None:
    """The JAX of the jaxlib for CUDA that is there, or such a jaxlib: an update would bring PyPI's, for the CPU."""
    jaxlib, wanted = about.groups["jaxlib"], about.groups["wanted"]
    # JAX 0.2.25 requires 0.1.69, 0.2.14 0.1.65 (jax/version.py); a later one takes the jaxlib of its own number.
    jax = "==0.2.25" if version_at_least(jaxlib, "0.1.69") else "==0.2.14"
    jax = "<=" + jaxlib if version_at_least(jaxlib, "0.3") else jax
    steps.install("Keep jaxlib %s, a build for CUDA, with a JAX that takes it" % jaxlib, "jax" + jax)
    if version_at_least(wanted, "0.4.30"):  # from then on CUDA is in a plug-in of its own
        steps.upgrade("Or update JAX with its CUDA libraries", "jax[cuda12]", instead=True)
        return
    text = "Install a newer jaxlib for CUDA (11 or 12), from JAX's own page"
    command = 'python -m pip install "jaxlib==%s" -f %s' % (wanted, JAX_PAGE)
    steps.run(text, command, on="linux", changes="packages", instead=True)


def _older_jaxlib(about: Situation, steps: Steps) -> None:
    """The jaxlib of the JAX that is there, or the JAX of that jaxlib: PyPI has no jaxlib of before 0.4.13 any more."""
    jax, jaxlib = about.groups["jax"], about.groups["jaxlib"]
    data = BUNDLED.project("jax")
    release = data.release(jax) if data is not None else None
    needs = (text for build in (release.builds if release is not None else ()) for text in build.requires)
    bounds = next((text[6:] for text in needs if re.match("jaxlib[<>][^;]*$", text)), "==" + jax)
    found = about.releases("jaxlib", bounds, about.platform, about.python)
    if found:
        steps.install("Install the jaxlib of this JAX", "jaxlib==%s" % found[-1].version)
        linux = about.linux and about.vendor == "nvidia"
        names = ("jax[cuda12]",) if linux else ("jax", "jaxlib")
        steps.upgrade("Or update both, in one command", *names, instead=True)
        return
    if about.releases("jax", "==" + jaxlib, "", about.python):
        steps.install("Install the JAX of this jaxlib", "jax==%s" % jaxlib)
    command = 'python -m pip install "jaxlib==%s" -f %s' % (jax, JAX_PAGE)
    steps.run(
        "Install the jaxlib of this JAX, from JAX's own page", command, on="linux", changes="packages", instead=True
    )


def _ml_dtypes(about: Situation, steps: Steps) -> None:
    """The type is of a newer ml_dtypes, or of an older one."""
    name = about.groups.get("name", "") or about.line
    if re.search(r"float8_e4m3b11\b(?!fnuz)|float8_e4mb11", name):
        steps.install("ml_dtypes 0.3 renamed it: install one that still has it", "ml_dtypes==0.2.0")
        users = (
            ("jax", "jaxlib")
            if about.framework == "jax"
            else ("tensorflow",)
            if about.framework == "tensorflow"
            else ()
        )
        if users:
            steps.upgrade("Or update %s, which uses the new name" % about.title, *users, instead=True)
        return
    steps.upgrade("Install a newer ml_dtypes", "ml_dtypes")


def jax_metal(about: Situation, steps: Steps) -> None:
    """Apple's plug-in for JAX works with one JAX, and the macOS that it was made for (jax-metal's page on PyPI)."""
    if "unrecognized selector" in about.line and sort_key(about.linux_version or "13") < (14, 4):
        steps.say("Update macOS to 14.4 or later: jax-metal from 0.0.4 on is not for macOS 13", "admin", "system")
        if about.python not in ("3.12", "3.13", "3.14"):
            names = ("jax-metal==0.0.3", "jax==0.4.11", "jaxlib==0.4.10")
            steps.install("Or keep macOS 13 (13.4 or later), with the last set for it", *names, instead=True)
        return
    text = "jax-metal 0.1.1 was made for jax and jaxlib 0.4.26 to 0.5.0, on macOS 14.4 or later"
    steps.install(text, "jax-metal==0.1.1", "jax==0.5.0", "jaxlib==0.5.0")
    if "memory_space" not in about.line:  # which no variable brings back
        steps.set("If JAX is newer on purpose, let it accept the older plug-in", "ENABLE_PJRT_COMPATIBILITY", "1")
    steps.say("Or compute on the CPU: uninstall jax-metal", instead=True)


def jax_rocm(about: Situation, steps: Steps) -> None:
    """AMD's plug-in for JAX: of JAX's own release, and for the installed ROCm."""
    page = pages.ROCM_LINUX + "install/3rd-party/jax-install.html"
    rocm = about.fact("rocm").partition(".")[0]
    if rocm == "6":
        names = ("jax==0.5.0", "jaxlib==0.5.0", "jax-rocm60-plugin==0.5.0", "jax-rocm60-pjrt==0.5.0")
        steps.install("Install JAX with AMD's plug-in for ROCm 6", *names)
        steps.say("Newer JAX needs ROCm 7, with jax-rocm7-plugin: %s" % page, instead=True)
        return
    have = [item.version for item in about.releases("jax-rocm7-plugin", "", "linux-x86_64", about.python)]
    release = about.version if about.version in have else have[-1] if have else ""
    if not release:
        steps.say("Install AMD's plug-in for JAX: %s" % page)
        return
    names = ("jax==%s", "jaxlib==%s", "jax-rocm7-plugin==%s", "jax-rocm7-pjrt==%s")
    text = "Install JAX with AMD's plug-in for ROCm 7, all of one release"
    steps.install(text, *(name % release for name in names))
    if not rocm:
        steps.say("For ROCm 6 it is jax-rocm60-plugin, with JAX 0.5.0: %s" % page, instead=True)


def plugin_version_mismatch(about: Situation, steps: Steps) -> None:
    """A plug-in was built for another release of the framework."""
    text = " ".join((about.line, about.signature, about.summary, " ".join(about.packages))).lower()
    if "jax-metal" in text or "jax_metal" in text or (about.framework == "jax" and about.macos):
        jax_metal(about, steps)
    elif about.framework == "jax":
        if about.vendor == "amd" and about.linux:
            jax_rocm(about, steps)
            return
        cuda = "cuda13" if "cuda13" in text else "cuda12"
        goal = "jax[%s]" % cuda if about.system in (None, "linux") and about.vendor in ("", "nvidia") else "jax"
        text = "Install jax, jaxlib and the plug-in in one release, in one command"
        jax, plugin = about.packages.get("jax"), about.packages.get("jax-%s-plugin" % cuda)
        if "+cuda" in about.packages.get("jaxlib", ""):
            names = ["jax-%s-%s" % (item, part) for item in ("cuda12", "cuda13") for part in ("plugin", "pjrt")]
            steps.uninstall("This jaxlib has CUDA itself: uninstall the plug-in, which is of another release", *names)
            steps.upgrade("Or take the newest of all, in one command", goal, instead=True)
        elif jax and jax != plugin and about.is_at_least("0.4.30") and "[" in goal:  # the plug-in does not belong
            steps.install(text, "%s==%s" % (goal, jax))
        else:
            steps.upgrade(text, goal)
    elif about.framework in ("tensorflow", "") and (about.macos or "metal" in text):
        metal_pair(about, steps)
    elif "dml" in text or "directml" in text:
        directml_pair(about, steps)
    elif about.signature == "xpu-ipex-undefined-symbol":
        _ipex_for(about, steps)
    elif "intel-extension" in text or "itex" in text:
        itex_pair(about, steps)
    else:
        steps.say("Install the release of the framework that the plug-in was built for, or uninstall the plug-in")


def _ipex_for(about: Situation, steps: Steps) -> None:
    """Intel's extension for PyTorch has the first two numbers of its PyTorch; it ended with 2.8."""
    name, there = "intel-extension-for-pytorch", about.packages.get("torch", "")
    minor = ".".join(there.split(".")[:2])
    wanted = "%s==%s.*" % (name, minor) if minor else "%s with the first two numbers of PyTorch's version" % name
    if minor and sort_key(minor) > (2, 8):
        steps.uninstall(
            "The extension ended with PyTorch 2.8: take its import out of the program, and uninstall it", name
        )
    elif (
        minor and "pt-gpu" not in about.line and not re.search(r"\+(?:xpu|cxx11)", there + about.packages.get(name, ""))
    ):
        steps.install("Install the release of the extension that is for this PyTorch", wanted)
    else:
        page = "https://pytorch-extension.intel.com/release-whl/stable/xpu/us/"
        index = "for GPUs from Intel's index, %s" % page
        steps.say("Install the extension for this PyTorch (%s): %s" % (wanted, index), changes="packages")


def itex_pair(about: Situation, steps: Steps) -> None:
    """Intel's extension and its TensorFlow."""
    version = about.packages.get("intel-extension-for-tensorflow", "")
    if version.startswith("2."):
        minor = ".".join(version.split(".")[:2])
        steps.install("It belongs to TensorFlow %s" % minor, "tensorflow==%s.*" % minor)
    steps.say(
        "intel-extension-for-tensorflow 2.15 belongs to TensorFlow 2.15, 2.14 to 2.14, 2.13 to 2.13, "
        "1.x to 2.10 to 2.12"
    )


def directml_pair(about: Situation, steps: Steps) -> None:
    """The plug-in for DirectML works with one TensorFlow."""
    owners = [
        name
        for name in ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel")
        if name in about.packages
    ]
    newer = about.is_at_least("2.11") or re.search(r"have tensorflow(?:-cpu)? 2\.1[1-9]", about.line)
    if newer and about.windows:  # there tensorflow and tensorflow-cpu are empty, and tensorflow-intel has the files
        owners = list(dict.fromkeys((*owners, "tensorflow-cpu", "tensorflow-intel")))
    install_directml(about, steps, "The plug-in works with TensorFlow 2.10 alone (Python 3.7 to 3.10)", owners)


def metal_pair(about: Situation, steps: Steps) -> None:
    """Apple's plug-in and its TensorFlow; it also needs the macOS that it was built for."""
    version, old = about.version, _old_macos(about)
    pair = metal_for(version)
    if old or "OBJC_CLASS" in about.line or "unrecognized selector" in about.line:
        steps.say(
            "Update macOS to 12 (Monterey) or newer: the plug-in uses parts of Metal that older ones lack", who="admin"
        )
    there = about.packages.get("tensorflow-metal")
    minor = "==%s.*" % ".".join(version.split(".")[:2])
    apple = about.distribution == "tensorflow" and pair and about.is_at_least("2.13") is False
    own = about.releases("tensorflow-macos", minor, about.platform, about.python) if apple else ()
    if own:
        text = "Up to 2.12, the plug-in belongs to Apple's own tensorflow-macos, on macOS 12 or later: install that"
        names = ("tensorflow-macos==%s" % own[-1].version, "tensorflow-metal==%s" % pair)
        steps.install(text, *names, remove=["tensorflow"])
    elif pair and there != pair:
        steps.install("tensorflow-metal %s belongs to %s" % (pair, about.label), "tensorflow-metal==%s" % pair)
    else:
        newest_pair = ("tensorflow-metal==1.2.0", "tensorflow==2.18.*")
        text = "Install a pair that belongs together: the newest is this one"
        if pair:  # what is there belongs together by its numbers, and does not load
            text = "tensorflow-metal %s was made for %s, and does not load with it: take the newest pair" % (
                there,
                about.label,
            )
        steps.install(text, *newest_pair)
        steps.say(
            "Others: tensorflow-metal 1.1 belongs to TensorFlow 2.14 to 2.17, 1.0 to 2.13, 0.8 to 2.12, 0.5 to "
            "tensorflow-macos 2.9"
        )
    steps.uninstall("Or compute on the CPU, without the plug-in", "tensorflow-metal")


def _old_macos(about: Situation) -> bool:
    match = re.search(r"macOS (?:Big Sur )?(1[01])\b|Big Sur|Catalina", about.known.os_version)
    return match is not None


def metal_for(version: str) -> str:
    """Return the newest tensorflow-metal that was built for a TensorFlow, "" if there is none.

    >>> metal_for("2.9.1"), metal_for("2.16.1"), metal_for("2.4.0"), metal_for("2.20.0")
    ('0.5.1', '1.1.0', '', '')
    """
    project = BUNDLED.project("tensorflow-metal")
    if not re.match(r"\d+\.\d+", version) or project is None:
        return ""
    for release in reversed(project.versions):
        for hold in BUNDLED.holds("tensorflow-metal", release, "3.9"):
            if any(
                accepts(need.replace("tensorflow", "", 1), version)
                for need in hold.needs
                if need.startswith("tensorflow>")
            ):
                return release
    return ""


def metal_plugin_missing(about: Situation, steps: Steps) -> None:
    """Apple's plug-in, with a TensorFlow that it works with."""
    if about.framework == "jax" and about.macos:
        jax_metal(about, steps)
        return
    if about.framework not in ("tensorflow", "") or about.system not in ("macos", None):
        steps.say("tensorflow-metal is for TensorFlow on a Mac; PyTorch and ONNX Runtime use its GPU by themselves")
        return
    pair, own = metal_for(about.version), about.distribution or "tensorflow"
    if pair:
        steps.install("Install Apple's plug-in for %s" % about.label, "tensorflow-metal==%s" % pair)
    elif about.version:
        keep = about.requirements("metal", "tensorflow")
        text = "No tensorflow-metal was built for %s: install the newest pair" % about.label
        if keep is not None:
            steps.install_set(text, keep, remove=[own] if own != "tensorflow" else [])
        else:
            steps.install(text, "tensorflow-metal==1.2.0", "tensorflow==2.18.*")
    else:
        steps.install(
            "Install Apple's plug-in with the TensorFlow that it was built for",
            "tensorflow-metal",
            "tensorflow==2.18.*",
        )
    steps.say("It needs macOS 12 or later and a Python for arm64 (Apple silicon)")
