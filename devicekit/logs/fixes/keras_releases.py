"""Keras is of another release than TensorFlow, a saved model or the program needs."""

import re

from ...diagnosis.frameworks import BACKENDS, TITLES
from ...matrix.matrix import minor_of
from ...matrix.projects import sort_key
from .installations import distribution_of
from .other_packages import ADD_ON, update_importer
from .releases import repaired
from .situation import Situation
from .steps import Steps


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
    if about.signature in _BY_SIGNATURE or _renamed(about, steps):
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
    minor = minor_of(about.version) if re.match(r"\d+\.\d+", about.version) else ""
    if "tf-nightly" in about.packages or "tf-nightly" in about.words:
        steps.install("With tf-nightly, Keras 2 is the nightly one, too", "tf-keras-nightly", remove=["tf-keras"])
        return
    if minor and about.is_at_least("2.16"):
        _keras_2_of(steps, minor, module)
        return
    if minor:
        _keras_of(about, steps, minor)
        return
    if "dtensor" in about.line and about.python and _without_dtensor(about, steps):
        return
    if about.packages.get("keras", "").startswith("3") and about.signature in _SAVED:
        steps.upgrade("Update Keras, and the package that brings the model (keras-hub)", "keras")
        return
    if _newer_tf_keras(about, steps):
        return
    _old_keras(about, steps)
    steps.say(
        "From 2.6 to 2.15 TensorFlow and Keras 2 have the same minor release (keras==2.10.* with tensorflow==2.10.*); "
        "TensorFlow from 2.16 on has Keras 3, and tf-keras for code of Keras 2"
    )
    steps.say("Or import Keras from TensorFlow everywhere: from tensorflow import keras (tf.keras)", changes="code")


def _keras_2_of(steps: Steps, minor: str, module: str) -> None:
    steps.install("For code and models of Keras 2, install tf-keras of this TensorFlow", "tf-keras==%s.*" % minor)
    steps.set("Let TensorFlow use it, before its import", "TF_USE_LEGACY_KERAS", "1")
    if re.match(r"keras\b(?!\.api\._v)", module):
        steps.say("That is for tensorflow.keras; in place of import keras: import tf_keras as keras", changes="code")


def _newer_tf_keras(about: Situation, steps: Steps) -> bool:
    """What an add-on brought along is newer than TensorFlow; return whether it is that."""
    if "tf_keras" not in "".join(about.known.frames[-1:]):
        return False
    text = (
        "tf-keras is newer than TensorFlow: it is of the same minor release. See which that is, and install tf-keras so"
    )
    steps.run(text + ' (2.15: "tf-keras==2.15.*")', "python -m pip list | grep -i -E 'tensorflow|keras'", on="linux")
    steps.say(
        "tensorflow-text and tensorflow-hub bring tf-keras along: pin tensorflow-text to TensorFlow's release too"
    )
    return True


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
    old = about.is_at_least("2.16") is False
    if not old and (about.packages.get("keras") or re.search("deepface|retinaface", "".join(about.known.frames))):
        text = "Install tf-keras, which TF_USE_LEGACY_KERAS asks for"
        steps.install(text, "tf-keras==%s.*" % minor_of(about.version) if about.version else "tf-keras")
        return
    _keras_of(about, steps, minor_of(about.version) if old else "")


#: What newer releases call an argument of Keras 1 or 2.
_RENAMED = {
    "nb_epoch": "epochs", "border_mode": "padding", "subsample": "strides", "nb_filter": "filters",
    "dim_ordering": "data_format", "init": "kernel_initializer", "W_regularizer": "kernel_regularizer",
    "b_regularizer": "bias_regularizer", "lr": "learning_rate", "period": "save_freq",
}  # fmt: skip


def _renamed(about: Situation, steps: Steps) -> bool:
    """A call with an argument that has another name or place now; False if another Keras wrote it into a model's file."""
    name = about.groups.get("name", "")
    if about.signature != "keras-unexpected-keyword" or "saved-model" in about.words:
        return False
    if name in _RENAMED:
        steps.say("In code: %s in place of %s" % (_RENAMED[name], name), changes="code")
    elif name in ("workers", "use_multiprocessing", "max_queue_size"):
        text = "In code: without %s; in Keras 3 it is an argument of keras.utils.PyDataset, not of fit" % name
        steps.say(text, changes="code")
    return bool(steps.fixes)


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
    tensor = re.search("A KerasTensor cannot|KerasTensor'> is not|[(]<KerasTensor", about.line)
    ours = about.signature == "keras-mixed" and (tensor or re.search(_OF_KERAS_3, frames))
    if not ours or about.is_at_least("2.16") is False:
        return False
    if tensor and "transformers" not in about.line and not ADD_ON.search(frames):
        text = "Call the function in a layer of your own (a keras.layers.Layer with call), or use the one of keras.ops"
        steps.say(text, changes="code")
    _legacy_keras(about, steps, "Or, for code of Keras 2: install tf-keras of TensorFlow's own minor release")
    return True


def _without_dtensor(about: Situation, steps: Steps) -> bool:
    """The Keras of the newest TensorFlow without DTensor (2.9 brought it) for this Python; False if there is none."""
    have = about.releases("tensorflow", "<2.9", about.platform, about.python)
    minor = minor_of(have[-1].version) if have else ""
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
        found = repaired(about, "keras")
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
    """What works with Keras 2 only (TensorFlow Hub's layer, Model Optimization), with a model of Keras 3."""
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
    have = about.releases("tensorflow", bounds, about.platform, about.python) if about.python else ()
    pin = "tensorflow%s" % ("==%s" % have[-1].version if have else bounds)
    text = "Install a TensorFlow whose Keras loads that file"
    if have or not about.python:
        steps.install(text, pin)
    else:  # 3.11 has all releases from 2.12 on
        steps.new_environment(text, "3.11", [pin])
    steps.say("Or, where it was saved, save the model as HDF5 (model.save('model.h5'))", changes="code", instead=True)


def _older_tensorflow(about: Situation, steps: Steps) -> None:
    """Keras 2.4 looks for a layer that TensorFlow has from 2.2 on (and under this name up to 2.15)."""
    minor = minor_of(about.version)
    if minor or (about.python and not about.releases("tensorflow", "<2.2", "", about.python)):
        _keras_of(about, steps, minor)
    else:
        text = "For a TensorFlow before 2.2, install the Keras of its time (before TensorFlow 1.13: keras==2.2.4)"
        steps.install(text, "keras==2.3.1")
        text = "Or, for TensorFlow 2.2 or newer with its own Keras: update TensorFlow (up to 2.15 it has Keras 2)"
        steps.install(text, "tensorflow>=2.2,<2.16", instead=True)


def _never_called(about: Situation, steps: Steps) -> None:
    """Keras 3 gives a model its input and output when it is called first, Keras 2 gave them when it was built."""
    found = ADD_ON.search("\n".join(about.known.frames))
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
    "keras-hub-layer": _hub_layer, "keras-tfmot": _hub_layer, "user-h5-damaged": _newer_zip,
    "keras-requires-tf": _older_tensorflow, "keras-never-called": _never_called,
}  # fmt: skip

#: What Keras once had at another place or does not have any more, by module and name, and what programs use now.
_MOVED = (
    (
        r"^keras\.legacy\b",
        "keras.legacy ended with Keras 2.3: update the package that imports it, or let it use tensorflow.keras (packages like "
        "keras-bert and keras-adamw do with the variable TF_KERAS=1)",
    ),
    (r"\bis_tensor$", "Mostly einops before 0.6.1 asks for it: python -m pip install --upgrade einops"),
    (r"image_dim_ordering$", "Of Keras 1: now image_data_format() and set_image_data_format('channels_last') ('tf')"),
    (r"\bbackend\.tf$", "keras.backend does not pass TensorFlow on: import tensorflow as tf, and write tf for K.tf"),
    (
        r"control_flow_ops$",
        "control_flow_ops is internal to TensorFlow: write tf.while_loop and tf.cond for those of K.control_flow_ops",
    ),
    (r"\bengine\b", "engine is internal and moves: Layer, InputSpec and Input are in keras.layers, Model in keras"),
    (
        r"np_utils|utils\.to_categorical$",
        "np_utils is gone: to_categorical is in tensorflow.keras.utils (and keras.utils), normalize next to it",
    ),
    (r"wrappers", "keras.wrappers (KerasClassifier, KerasRegressor) ended with Keras 2.11: use SciKeras (scikeras)"),
    (r"multi_gpu_model", "multi_gpu_model is gone: build the model in tf.distribute.MirroredStrategy().scope()"),
    (
        r"tensorflow_backend|[gs]et_session",
        "That is of Keras 2.3 and TensorFlow 1: tf.compat.v1.keras.backend.get_session and set_session, or none at all in "
        "TensorFlow 2",
    ),
    (
        r"\b(?:tf|vis|conv|generic|data|layer|losses|metrics|control_flow)_utils\b",
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
        "ImageDataGenerator is in tensorflow.keras.preprocessing.image, Tokenizer in tensorflow.keras.preprocessing.text",
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
    "ops": "2.16",
    "LayerNormalization": "2.0", "Attention": "2.0", "AdditiveAttention": "2.0", "MultiHeadAttention": "2.4",
    "EinsumDense": "2.4",
    "Rescaling": "2.6", "Resizing": "2.6", "Normalization": "2.6", "TextVectorization": "2.6", "StringLookup": "2.6",
    "IntegerLookup": "2.6", "RandomFlip": "2.6", "RandomRotation": "2.6", "RandomZoom": "2.6", "CategoryEncoding": "2.6",
    "image_dataset_from_directory": "2.3", "UnitNormalization": "2.9", "AdamW": "2.11", "GroupNormalization": "2.11",
    "Lion": "2.13", "EfficientNet": "2.3", "EfficientNetV2": "2.8", "RandomContrast": "2.6", "RandomTranslation": "2.6",
    "RandomCrop": "2.6", "CenterCrop": "2.6", "Discretization": "2.6", "Hashing": "2.6", "set_random_seed": "2.7",
    "text_dataset_from_directory": "2.3", "BackupAndRestore": "2.8",
}  # fmt: skip


def _since(name: str) -> str:
    """The TensorFlow that brought a name of Keras, "" if that is not known; its networks have several sizes."""
    return _SINCE.get(re.sub(r"^(EfficientNet(?:V2)?)(?:B\d|[SML])$", r"\1", name), "")


def outdated_add_on(about: Situation, steps: Steps) -> bool:
    """An installed package was written for another TensorFlow; False if the program itself was."""
    rule = about.signature == "keras-filename-rule"  # Keras itself raises it
    frames = [
        item for item in about.known.frames if not rule or not re.search(r"-packages[\\/](?:keras|tf_keras)[\\/]", item)
    ]
    found = ADD_ON.search("".join(frames[-1:]))
    if found and rule:
        _keras_2_package(about, steps, found.group(1))
        return True
    if (
        not found
        or "efficientnet" in about.words
        or re.match(r"keras(?:_[pac]|\.legacy)", about.groups.get("module", ""))
    ):
        return False  # a variable helps, or a package is missing
    if about.is_at_least(_since(about.groups.get("name", "")) or "0") is False:
        return False  # it was written for a newer one
    update_importer(about, steps, distribution_of(found.group(1)))
    return True


def _keras_2_package(about: Situation, steps: Steps, name: str) -> None:
    """A package that saves as Keras 2 does: its user does not change the names of its files."""
    text = "%s was written for Keras 2: install the last TensorFlow with it (Python 3.9 to 3.11)" % name
    if about.python not in ("3.12", "3.13", "3.14"):
        steps.install(text, "tensorflow==2.15.*")
    steps.upgrade("Or update %s, if a newer release is for Keras 3" % name, distribution_of(name), instead=True)
    _legacy_keras(about, steps, "Or, for a package that uses tensorflow.keras, install Keras 2 as well")


def _came_later(about: Situation, steps: Steps, module: str, name: str) -> bool:
    """A name that only a later release of TensorFlow and Keras has; False if it is not known for one."""
    since = _since(name)
    if module == "keras.src" and about.is_at_least("2.13") is not True:
        name, since = module, "2.13"  # also a saved model's, which names the classes of the Keras that wrote it
    if since and "keras" in module and (name == module or about.is_at_least(since) is False):
        steps.upgrade("%s came with TensorFlow %s: update TensorFlow" % (name, since), "tensorflow")
        if about.python and not about.releases("tensorflow", ">=%s" % since, about.platform, about.python):
            pythons = about.pythons("tensorflow", ">=%s" % since, about.platform)
            steps.fixes = []
            steps.new_environment(
                "%s came with TensorFlow %s, which needs a newer Python" % (name, since), pythons[0], ["tensorflow"]
            )
        return True
    return False


def _matterport(about: Situation, steps: Steps) -> None:
    """Mask R-CNN as everyone copies it, which needs more than moved names."""
    apple = about.macos and about.arch == "aarch64"  # has no Python that TensorFlow 1 takes
    if re.search(r"[\\/]mrcnn[\\/]model\.py", "".join(about.known.frames[-1:])) and not apple:
        text = "Matterport's Mask R-CNN is for TensorFlow 1 (for 2 there are forks): make an environment with that"
        old = ("tensorflow==1.15.*", "keras==2.2.5", "h5py<3", "protobuf<3.21")
        steps.new_environment(text, "3.7", old, instead=bool(steps.fixes))


def _moved(about: Situation, steps: Steps) -> bool:
    """A name that Keras has elsewhere, or has not yet; False if the line is about none."""
    module, name = about.groups.get("module", ""), about.groups.get("name", "")
    if about.signature.endswith("-bare") and not (about.version and name.endswith("_utils")):
        module = "keras"  # Python before 3.7 names no module
    if not module or about.signature not in NAMES_IN_KERAS:
        return False
    if "efficientnet" in about.words and "generic_utils" in module + name:
        steps.set("Let segmentation_models use tensorflow.keras, before its import", "SM_FRAMEWORK", "tf.keras")
        return True
    right = _OPTIMIZERS.get(name.lower())
    if right and re.search(r"keras(?:\.api)?\.optimizers$", module) and about.framework == "tensorflow":
        place = "keras" if about.packages.get("keras", "").startswith("3") else "tensorflow.keras"
        steps.say("Import it as: from %s.optimizers import %s" % (place, right), changes="code")
        return True
    if _came_later(about, steps, module, name):
        return True
    private = re.match(r"tensorflow(?:_core)?\.python\.keras\.?(.*)", module)
    if private is not None:
        public = ".".join(filter(None, ("tensorflow.keras", private.group(1))))
        # Keras had no public engine in TensorFlow.
        example = ": from %s import %s" % (public, name) if name and "engine" not in public else ""
        steps.say("Import from the public place, tensorflow.keras%s" % example, changes="code")
    known = [text for pattern, text in _MOVED if re.search(pattern, ".".join(filter(None, (module, name))))]
    stays = about.is_at_least("2.0") is True  # who has TensorFlow 2 has changed, or taken, a fork
    if not stays:
        _matterport(about, steps)
    for text in known[:1]:
        steps.say(text, changes="code", instead="mrcnn" in "".join(about.known.frames[-1:]) and not stays)
    if stays:
        _matterport(about, steps)
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
NAMES_IN_KERAS = (
    "keras-no-module", "keras-attr", "keras-cannot-import-name", "keras-cannot-import-bare", "keras-distribution-api",
)  # fmt: skip

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
    if re.search(_BY_KERAS_2, line) or (three and "keras-2-parts" in about.words):
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
    if "keras-2-parts" in about.words:  # the file names them
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
    minor = minor_of(about.version) if about.is_at_least("2.14") else ""
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


def keras_preprocessing(about: Situation, steps: Steps) -> None:
    """Keras 2.6 to 2.10 imports what TensorFlow brings, which does so up to 2.10."""
    by_keras = re.search(r"-packages[\\/]keras[\\/]", "".join(about.known.frames[-1:]))
    if by_keras and about.is_at_least("2.11"):
        _keras_of(about, steps, minor_of(about.version))
        return
    if by_keras and not about.version:
        text = "TensorFlow from 2.11 on does not bring it: there, install the Keras of TensorFlow's own minor release"
        steps.run("%s (keras==2.13.* for 2.13)" % text, "python -m pip show tensorflow keras")
    text = "With an older TensorFlow, install it" if steps.fixes else "Install it"
    steps.install(text, "keras-preprocessing", instead=bool(steps.fixes))
