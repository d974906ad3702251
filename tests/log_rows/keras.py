"""Rows about releases of Keras that do not fit."""

from log_rows.texts import ANY_INSTALL, IMPORTED, LINUX, MAC, NO_JAX, WINDOWS

TF_KERAS = (
    'Traceback (most recent call last):\n  File "/venv/lib/python3.12/site-packages/tf_keras/src/saving/load.py", line 21, in '
    "<module>\n    import tensorflow.compat.v1.logging as logging\n"
    "ModuleNotFoundError: No module named 'tensorflow.compat.v1.logging'"
)
HUB = (
    "ValueError: Only instances of `keras.Layer` can be added to a Sequential model. Received: "
    "<tensorflow_hub.keras_layer.KerasLayer object at 0x7f3a> (of type <class 'tensorflow_hub.keras_layer.KerasLayer'>)"
)
NO_HDF5 = "OSError: Unable to open file (file signature not found)"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    ("ValueError: Attempt to convert a value (<KerasTensor shape=(None, 8)>) to a Tensor.", {}, [r"keras\.ops"], []),
    ("AttributeError: 'NoneType' object has no attribute '_inbound_nodes'", {}, ["Lambda"], ["pip install"]),
    (
        "AttributeError: 'Adam' object has no attribute 'build'",
        {"packages": {"tensorflow": "2.11.0"}},
        ["compile=False"],
        [r"2\.13 and 2\.14"],
    ),
    ("ValueError: Unable to create dataset (name already exists)", {}, [r"model\.keras"], ["pip install"]),
    (
        "ImportError: cannot import name 'runtime_version' from 'google.protobuf'",
        {**LINUX, "packages": {"tensorflow": "2.19.0", "protobuf": "4.25.3"}},
        [r"protobuf>=5\.26,<6"],
        [],
    ),
    (
        "RuntimeError: It looks like you are trying to use a version of multi-backend Keras that does not support TensorFlow "
        "2.0. We recommend using `tf.keras`, or alternatively, downgrading to TensorFlow 1.14.",
        {**LINUX, "packages": {"keras": "2.2.5", "tensorflow": "2.0.0"}},
        ["install keras==2.3.1"],
        ["keras==2.0"],
    ),
    *(
        (
            line + "ImportError: Keras cannot be imported. Check that it is installed.",
            {**LINUX, "packages": {"tensorflow": "2.17.0", **packages}},
            [r'"tf-keras==2\.17\.\*"'],
            ["keras>=3"],
        )
        for line, packages in (
            ("", {"keras": "3.5.0"}),
            ('  File "/env/lib/python3.11/site-packages/retinaface/model.py", line 3, in <module>\n', {}),
        )
    ),
    ("AttributeError: module 'keras.backend' has no attribute 'tensorflow_backend'", {}, [r"Keras 2\.3"], []),
    # Keras 1's names, a package that a variable leads to tensorflow.keras, and what Keras 3 calls otherwise.
    (
        "AttributeError: module 'keras.backend' has no attribute 'image_dim_ordering'",
        {"packages": {"tensorflow": "1.14.0", "keras": "2.3.1"}},
        ["image_data_format"],
        ["pip install"],
    ),
    (
        '  File "/e/lib/python3.7/site-packages/keras_lookahead/optimizer.py", line 3, in <module>\n'
        "ModuleNotFoundError: No module named 'keras.legacy'",
        {},
        ["TF_KERAS"],
        [],
    ),
    ("AttributeError: 'KerasHistory' object has no attribute 'layer'", {}, [r"_keras_history\.operation"], []),
    # An error that a terminal broke behind a quotation mark.
    (
        "AttributeError: module 'tensorflow._api.v2.compat.v2.__internal__'\n"
        "has no attribute 'register_load_context_function'. Did you mean: 'register_call_context_function'?",
        {"packages": {"tensorflow": "2.16.1", "tf-keras": "2.15.0"}},
        [r"tf-keras==2\.16"],
        [],
    ),
    # An internal part of TensorFlow that Keras imports, or another package: the file that asks is of another release.
    (
        '  File "/e/lib/python3.10/site-packages/keras/dtensor/lazy_variable.py", line 26, in <module>\n'
        "ModuleNotFoundError: No module named 'tensorflow.python.trackable'",
        {"packages": {"tensorflow": "2.9.1"}},
        [r"keras==2\.9\.\*"],
        ["uninstall"],
    ),
    (
        '  File "/e/lib/python3.10/site-packages/ringreduce/tensorflow/ops.py", line 7, in <module>\n'
        "ModuleNotFoundError: No module named 'tensorflow.python.framework.load_all'",
        {"packages": {"tensorflow": "2.9.1"}},
        ["--upgrade ringreduce", "TensorFlow that this ringreduce was released for"],
        ["uninstall"],
    ),
    (
        '  File "/home/u/train.py", line 3, in <module>\n'
        "ModuleNotFoundError: No module named 'tensorflow.python.ops.rnn_cells'",
        {"packages": {"tensorflow": "2.9.1"}},
        ["written for another release of TensorFlow"],
        ["uninstall"],
    ),
    (
        '  File "/e/lib/python3.10/site-packages/tensorflow/python/eager/context.py", line 7, in <module>\n'
        "ModuleNotFoundError: No module named 'tensorflow.python.trackable'",
        {"packages": {"tensorflow": "2.9.1"}},
        ["uninstall"],
        [],
    ),
    (
        "TypeError: jit_compile is not a valid argument, kwargs should be empty  for `optimizer_experimental.Optimizer`.",
        {"packages": {"tensorflow": "2.9.1"}},
        ["compile=False", "TensorFlow that saved it"],
        [r"optimizers\.legacy"],
    ),
    # A traceback with paths of Unix is not of Windows.
    (
        '  File "/opt/a/lib/python3.11/site-packages/tensorflow/python/util/traceback_utils.py", line 153, in error_handler\n'
        "ValueError: A KerasTensor cannot be used as input to a TensorFlow function.",
        {"packages": {"tensorflow": "2.17.0"}},
        ["export TF_USE_LEGACY_KERAS=1"],
        ["env:"],
    ),
    (
        "Using a while_loop for converting RngReadAndSkip cause there is no registered converter for this op.",
        {"os": "linux", "packages": {"tensorflow": "2.10.0"}},
        [r"tensorflow>=2\.12"],
        [r"2\.8\."],
    ),
    (
        "Using a while_loop for converting RngReadAndSkip cause there is no registered converter for this op.",
        {"os": "windows", "packages": {"tensorflow": "2.10.0"}},
        [r"tensorflow==2\.8\.\*"],
        [r"2\.12"],
    ),
    (
        'ValueError: Tensor Tensor("probs:0", shape=(?, 2), dtype=float32) is not an element of this graph.',
        LINUX,
        [r"threaded=False", "as_default"],
        [],
    ),
    # TF_USE_LEGACY_KERAS changes tensorflow.keras alone.
    (
        "AttributeError: module 'keras.backend' has no attribute 'placeholder'",
        {"packages": {"keras": "3.6.0", "tensorflow": "2.17.1"}},
        ["TF_USE_LEGACY_KERAS", "import tf_keras as keras"],
        [],
    ),
    (
        "AttributeError: module 'keras.api._v2.keras' has no attribute 'layers'",
        {"packages": {"keras": "3.6.0", "tensorflow": "2.17.1"}},
        ["TF_USE_LEGACY_KERAS"],
        ["import tf_keras"],
    ),
    (
        "AttributeError: module 'keras.api.optimizers' has no attribute 'sgd'",
        {"packages": {"keras": "3.6.0", "tensorflow": "2.17.1"}},
        ["from keras.optimizers import SGD"],
        ["tf-keras=="],
    ),
    ("AttributeError: module 'keras.backend' has no attribute 'is_tensor'", {}, ["upgrade einops"], []),
    (
        "AttributeError: module 'keras.api.preprocessing' has no attribute 'text'",
        {"packages": {"keras": "3.6.0", "tensorflow": "2.17.1"}},
        [r"Tokenizer in tensorflow\.keras\.preprocessing\.text"],
        [],
    ),
    (
        "ImportError: cannot import name '_obtain_input_shape' from 'keras.applications.imagenet_utils' (/a/keras/x.py)",
        {},
        [r"keras_applications\.imagenet_utils", r"keras==2\.1\.6"],
        ["tf-keras"],
    ),
    (
        "AttributeError: 'Node' object has no attribute 'output_masks'",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "2.0"}},
        ["from tensorflow import keras"],
        [],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'get_default_graph'",
        {"packages": {"tensorflow": "2.0"}},
        ["from tensorflow import keras", r"tf\.compat\.v1\.get_default_graph"],
        [],
    ),
    # What pip got to install is what is there, unless a fact says otherwise.
    (
        "  Downloading keras-2.6.0-py2.py3-none-any.whl (1.3 MB)\n  Downloading tensorflow-2.5.1-cp37-cp37m-manylinux2010_x86_"
        "64.whl (454.4 MB)\nAttributeError: module 'tensorflow.compat.v2.__internal__' has no attribute 'dispatch'",
        {"os": "container", "python": "3.7"},
        [r"install tensorflow==2\.5\.1 keras==2\.4\.3"],
        [],
    ),
    (
        "Successfully installed keras-2.6.0 tensorflow-2.5.1\n"
        "AttributeError: module 'tensorflow.compat.v2.__internal__' has no attribute 'dispatch'",
        {"os": "linux", "python": "3.9", "packages": {"tensorflow": "2.7.0"}},
        [r"keras==2\.7"],
        [r"2\.5\.1"],
    ),
    (
        "/srv/env/lib/python3.7/site-packages/keras/legacy/interfaces.py in wrapper(*args, **kwargs)\n"
        "AttributeError: module 'tensorflow' has no attribute 'get_default_graph'",
        {"os": "linux"},
        ["from tensorflow import keras"],
        ["compat"],
    ),
    (
        "ValueError: Data of type <class 'keras.src.backend.common.keras_tensor.KerasTensor'> is not allowed only "
        "(<class 'tensorflow.python.framework.tensor.Tensor'>, <class 'transformers.utils.generic.ModelOutput'>) is "
        "accepted for attention_mask.",
        {"packages": {"transformers": "4.38.2"}},
        ["tf-keras", "TF_USE_LEGACY_KERAS"],
        ["keras.ops"],
    ),
    # Python before 3.7 does not say of which module.
    (
        "ImportError: cannot import name 'multi_gpu_model'",
        {"os": "linux"},
        ["MirroredStrategy"],
        ["one place", "same minor release"],
    ),
    (
        IMPORTED % "official/modeling/tf_utils.py"
        + "AttributeError: module 'keras._tf_keras.keras.layers' has no attribute 'experimental'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        ["install --upgrade tf-models-official"],
        [r"upgrade official"],
    ),
    # Model Optimization knows Keras 2 only.
    (
        "ValueError: `to_quantize` can only either be a keras Sequential or Functional model.",
        {"os": "linux", "packages": {"tensorflow": "2.17.0"}},
        [r"tf-keras==2\.17\.\*", "TF_USE_LEGACY_KERAS=1"],
        [],
    ),
    (
        "ValueError: `to_quantize` can only either be a keras Sequential or Functional model.",
        {"os": "linux", "packages": {"tensorflow": "2.9.0"}},
        ["with tf.keras"],
        ["tf-keras==", "TF_USE_LEGACY_KERAS"],
    ),
    # A network that came with a later release, in one of its sizes.
    (
        "AttributeError: module 'tensorflow.keras.applications' has no attribute 'EfficientNetB0'",
        {"os": "linux", "packages": {"tensorflow": "2.1.0"}},
        [r"came with TensorFlow 2\.3", "--upgrade tensorflow"],
        ["install keras"],
    ),
    # A part of Keras that was a package once.
    (
        "ModuleNotFoundError: No module named 'keras.backend.tensorflow_backend'; 'keras.backend' is not a package",
        {"os": "windows"},
        [r"tf\.compat\.v1\.keras\.backend"],
        ["[Rr]ename"],
    ),
    # What Keras took from TensorFlow, and passed on.
    ("AttributeError: module 'keras.backend' has no attribute 'control_flow_ops'", {}, [r"tf\.while_loop"], []),
    (
        "AttributeError: 'module' object has no attribute 'control_flow_ops'",
        {"os": "linux", "python": "2.7"},
        [r"keras==1\.2\.2"],
        ["uninstall"],
    ),
    (
        "AttributeError: module 'tensorflow.python' has no attribute 'control_flow_ops'",
        {"python": "3.5"},
        [r"keras==1\.2\.2"],
        [],
    ),
    # Mask R-CNN, in a fork for TensorFlow 2; TensorFlow 1 has nothing for Apple silicon.
    (
        'Traceback (most recent call last):\n  File "/Users/u/mrcnn/model.py", line 256, in <module>\n'
        "    class ProposalLayer(KE.Layer):\nAttributeError: module 'keras.engine' has no attribute 'Layer'",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.5.0", "keras": "2.5.0"}},
        ["Layer, InputSpec"],
        [r"tensorflow==1\."],
    ),
    # Keras renamed arguments, and another Keras of the same generation does not know them either.
    (
        "TypeError: fit() got an unexpected keyword argument 'nb_epoch'",
        {"os": "linux", "packages": {"keras": "2.4.3", "tensorflow": "2.4.0"}},
        ["epochs in place of nb_epoch"],
        ["one place", "pip install"],
    ),
    (
        "TypeError: Conv2D.__init__() got an unexpected keyword argument 'border_mode'",
        {"packages": {"keras": "3.3.3", "tensorflow": "2.16.1"}},
        ["padding in place of border_mode"],
        ["tf-keras"],
    ),
    (
        "Trainer.fit() got an unexpected keyword argument 'workers'",
        {"packages": {"keras": "3.4.0", "tensorflow": "2.17.0"}},
        [r"without workers.*PyDataset"],
        ["pip install"],
    ),
    (
        "AttributeError: 'Adam' object has no attribute 'lr'",
        {"packages": {"keras": "3.0.5"}},
        ["learning_rate"],
        ["doctor"],
    ),
    (
        "AttributeError: module 'keras.api._v2.keras' has no attribute '__version__'",
        {"packages": {"tensorflow": "2.14.0"}},
        [r"keras\.__version__"],
        ["pip install"],
    ),
    # Converters to ONNX know one Keras each.
    (
        'File "/e/site-packages/tf2onnx/convert.py", line 331, in _rename\n'
        "AttributeError: 'Sequential' object has no attribute 'output_names'",
        {"packages": {"tensorflow": "2.17.0", "tf2onnx": "1.16.1"}},
        [r"model\.output_names"],
        [r"--upgrade tf2onnx"],
    ),
    # Two distributions with the same files: the one that is there is updated, or replaced.
    (
        "Failed to import transformers.modeling_tf_utils because of the following error (look up to see its traceback):\n"
        "No module named 'tensorflow.python.keras.engine.keras_tensor'",
        {"os": "linux", "python": "3.6", "packages": {"transformers": "4.12.3", "tensorflow-gpu": "2.1.0"}},
        [r"uninstall -y tensorflow-gpu && python -m pip install tensorflow\n"],
        [r"--upgrade tensorflow"],
    ),
    # An add-on that was written for a newer Keras is not out of date.
    (
        IMPORTED % "keras_hub/src/bounding_box/converters.py" + "ImportError: cannot import name 'ops' from 'keras' "
        "(/srv/env/lib/python3.11/site-packages/keras/__init__.py)",
        {
            "os": "linux",
            "python": "3.9",
            "packages": {"keras": "2.10.0", "keras-hub": "0.18.1", "tensorflow": "2.10.0"},
        },
        ["--upgrade tensorflow"],
        ["--upgrade keras-hub"],
    ),
    (
        "TypeError: <class 'keras.src.models.functional.Functional'> could not be deserialized properly.\n\n"
        "config={'module': 'keras.src.engine.functional', 'class_name': 'Functional'}",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        ["tf-keras==2.16.*"],
        ["--upgrade keras"],
    ),
    (
        "AttributeError: '_UserObject' object has no attribute 'add_slot'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1", "keras": "3.3.3"}},
        ["include_optimizer=False", "tf-keras==2.16.*"],
        ["TFSMLayer"],
    ),
    (
        "ValueError: You have tensorflow 2.17.0 and this requires tf-keras package. Please run `pip install tf-keras`",
        {"os": "windows", "packages": {"deepface": "0.0.93", "tensorflow": "2.17.0"}},
        [r"tf-keras==2\.17"],
        ["not known"],
    ),
    (
        IMPORTED
        % "tf_keras/src/saving/legacy/saved_model/load_context.py"
        + "AttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute "
        "'register_load_context_function'",
        {},
        ["tf-keras is newer than TensorFlow", "same minor release"],
        [r"keras==2\.10"],
    ),
    # keras.src is of 2.13, which a saved model names, too.
    (
        "ModuleNotFoundError: No module named 'keras.src'",
        {"packages": {"keras": "2.6.0"}},
        ["came with TensorFlow 2.13"],
        [],
    ),
    # A program that Keras 2.3 was the last for.
    (
        'Traceback (most recent call last):\n  File "/home/u/Mask_RCNN/mrcnn/model.py", line 255, in <module>\n'
        "    class ProposalLayer(KE.Layer):\nAttributeError: module 'keras.engine' has no attribute 'Layer'",
        {"os": "linux", "packages": {"tensorflow": "2.6.0"}},
        ["3.7", r"tensorflow==1\.15", "Layer, InputSpec"],
        [],
    ),
    # A model and the code of Keras that runs it are of two releases; PyTorch has a Sequential as well.
    (
        '  File "/e/lib/python3.9/site-packages/keras/engine/training.py", line 741, in distribute_strategy\n'
        "    return self._distribution_strategy or tf.distribute.get_strategy()\n"
        "AttributeError: 'Sequential' object has no attribute '_distribution_strategy'",
        {**LINUX, "python": "3.9", "packages": {"tensorflow": "2.7.0"}},
        [r"\ATwo Kerases", r"keras==2\.7\.0"],
        ["doctor"],
    ),
    # A command that starts pip itself also needs the program's own Python.
    (
        'File "D:\\UI\\python_embeded\\Lib\\site-packages\\transformers\\activations_tf.py", line 27, in <module>\n'
        "ValueError: Your currently installed version of Keras is Keras 3, but this is not yet supported in Transformers. "
        "Please install the backwards-compatible tf-keras package with `pip install tf-keras`.",
        WINDOWS,
        [r"type D:\\UI\\python_embeded\\python\.exe in place of python"],
        [],
    ),
    # A SavedModel is not always a model of Keras, and an optimizer has two generations.
    (
        '  File "/env/lib/python3.8/site-packages/tensorflow/python/keras/saving/saved_model/load.py", line 249, in add\n'
        "KeyError: 'name'",
        {},
        [r"tf\.saved_model\.load", "TFSMLayer"],
        ["doctor"],
    ),
    ("AttributeError: 'AutoTrackable' object has no attribute 'fit'", {}, [r"keras\.models\.load_model"], ["doctor"]),
    (
        "ValueError: You are trying to restore a checkpoint from a legacy Keras optimizer into a v2.11+ Optimizer, which can",
        {},
        [r"optimizers\.legacy\.Adam\(\)", "expect_partial"],
        ["pip"],
    ),
    (
        "Attribute Error: module 'tensorflow._api.v1.compat.v2' has no attribute '__internal__'",
        {},
        [r"keras==2\.3\.1"],
        ["tf-keras=="],
    ),
    (
        'Traceback (most recent call last):\n  File "/env/lib/python3.6/site-packages/autolib/net.py", line 4, in <module>\n'
        "AttributeError: module 'tensorflow.keras.layers.experimental.preprocessing' has no attribute 'RandomZoom'",
        {},
        ["--upgrade autolib", r"tensorflow==2\.6"],
        [r"2\.15"],
    ),
    # Releases as people write them.
    (
        "tensorflow=2.5.0\nAttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'tracking'",
        {},
        [r"keras==2\.5"],
        ["tf-keras"],
    ),
    (
        "TensorFlow version: 2.17.0-dev20240102\nAttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no "
        "attribute 'register_load_context_function'",
        {},
        ["install tf-keras-nightly"],
        [r"tf-keras==2"],
    ),
    # Keras 3 and code for Keras 2, of a package or the user's.
    (
        'Traceback (most recent call last):\n  File "/srv/env/lib/python3.11/site-packages/facelib/net.py", line 3, in load\n'
        '  File "/srv/env/lib/python3.11/site-packages/keras/src/ops/operation.py", line 228, in input\n'
        "ValueError: The layer sequential_1 has never been called and thus has no defined input.",
        {},
        ["--upgrade facelib", "tf-keras", "TF_USE_LEGACY_KERAS"],
        ["model.inputs"],
    ),
    ("AttributeError: The layer cnn has never been called and thus has no defined output.", {}, ["model.outputs"], []),
    (
        "ValueError: Layer 'dense_3' expected 2 variables, but received 0 variables during loading. Expected: "
        "['dense_3/kernel:0', 'dense_3/bias:0']",
        {},
        ["metadata.json", "model.h5"],
        ["layer or model of your own", "TF_USE_LEGACY_KERAS"],
    ),
    (
        '  File "/env/lib/python3.7/site-packages/tensorflow_core/python/keras/utils/generic_utils.py", line 254, in '
        "class_and_config_for_serialized_keras_object\nAttributeError: 'list' object has no attribute 'items'",
        {"packages": {"tensorflow": "2.1.0"}},
        [r"tensorflow>=2\.2"],
        ["keras=="],
    ),
    (
        "RuntimeError: Tensor on device cuda:0 is not on the expected device meta!\nkeras 3.0, KERAS_BACKEND=torch, T4",
        {},
        ["--upgrade keras"],
        ["device_map"],
    ),
    # A Keras of another age than TensorFlow, by the words of the import that fails.
    (
        IMPORTED.replace("3.11", "3.7") % "keras/__init__.py"
        + "ImportError: Keras requires TensorFlow 2.2 or higher. Install TensorFlow via `pip install tensorflow`",
        {},
        [r"install keras==2\.3\.1", r"tensorflow>=2\.2,<2\.16"],
        [r"keras>=3"],
    ),
    (
        'File "/opt/env/bin/segment", line 9, in <module>\n    from keras.preprocessing.image import ImageDataGenerator\n'
        "ImportError: cannot import name 'ImageDataGenerator' from 'keras.preprocessing.image'",
        {},
        [r"install \"tensorflow<2\.16\""],
        [r"cudatoolkit"],
    ),
    (
        "No module named 'keras.saving.hdf5_format'",
        {},
        [r"--upgrade transformers", r"tensorflow==2\.10\.\*"],
        [r"tf-keras"],
    ),
    # Keras 2 of tf_keras stays Keras 2, pip's libraries of TensorFlow 2.14 lack one, and a GPU that others had filled.
    (
        IMPORTED % "tf_keras/src/engine/input_layer.py" + "ValueError: Unrecognized keyword arguments: ['batch_shape']",
        LINUX,
        [r"use keras\.models\.load_model", r"unset TF_USE_LEGACY_KERAS"],
        [r"--upgrade"],
    ),
    (
        "AttributeError: module 'tensorflow_core._api.v2.config' has no attribute 'experimental_list_devices'",
        LINUX,
        [r"tensorflow\.keras", r"TensorFlow 2\.0"],
        [r"pip check"],
    ),
    (
        "ValueError: Failed to find data adapter that can handle input: <class 'batches.ImageSequence'>, <class 'NoneType'>",
        {},
        [r"the same Keras"],
        [r"doctor"],
    ),
    # Two Kerases, where the message or the traceback says which is which.
    (
        'Traceback (most recent call last):\n  File "/srv/app/fit.py", line 9, in <module>\n    net.compile(Adam())\n'
        '  File "/srv/e/lib/python3.12/site-packages/tf_keras/src/optimizers/__init__.py", line 335, in get\n'
        "ValueError: Could not interpret optimizer identifier: <keras.src.optimizers.adam.Adam object at 0x7f00>",
        {**LINUX, "packages": {"tensorflow": "2.18.0", "tf-keras": "2.18.0"}},
        [r"from tf_keras\.optimizers import Adam", r"TF_USE_LEGACY_KERAS=1"],
        [r"pip install", r"everywhere"],
    ),
    (
        "ValueError: A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic placeholder",
        {**LINUX, "packages": {"tensorflow": "2.18.0"}},
        [r"keras\.layers\.Layer", r"keras\.ops", r"tf-keras==2\.18"],
        [r"everywhere"],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/app/fit.py", line 9, in <module>\n    net.add(layer)\n'
        '  File "/srv/e/lib/python3.7/site-packages/keras/backend/tensorflow_backend.py", line 695, in is_tensor\n'
        "AttributeError: module 'tensorflow.python.framework.ops' has no attribute '_TensorLike'",
        LINUX,
        [r"\A.*\n.*2\.5.*\n.*keras==2\.4\.3"],
        [r"up to 2\.15 have", r"uninstall"],
    ),
    (
        "keras_tuner.src.errors.FatalTypeError: Expected the model-building function, or HyperModel.build() to return a valid "
        "Keras Model instance. Received: <tf_keras.src.engine.sequential.Sequential object at 0x7f00>",
        {**LINUX, "packages": {"tensorflow": "2.18.0", "tf-keras": "2.18.0"}},
        [r"import keras;", r"unset TF_USE_LEGACY_KERAS"],
        [r"devicekit doctor"],
    ),
    # A program with a package's name that hides nothing: it is the script itself, and the package runs.
    (
        'Traceback (most recent call last):\n  File "/srv/app/keras.py", line 9, in <module>\n    net = load_model("n.h5")\n'
        '  File "/srv/e/site-packages/tensorflow/python/keras/saving/save.py", line 137, in load_model\n'
        "ValueError: ('Unrecognized keyword arguments:', dict_keys(['ragged']))",
        LINUX,
        [r"\AThe code or the saved model"],
        [r"Rename"],
    ),
    # What a saved model holds, and what saves it.
    (
        '  File "/srv/e/lib/python3.9/site-packages/keras/utils/generic_utils.py", line 103, in func_load\n'
        "    code = marshal.loads(raw_code)\nValueError: bad marshal data (unknown type code)",
        LINUX,
        [r"Lambda layer", r"load_weights"],
        [r"pip "],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/e/site-packages/facenet/nets.py", line 3, in conv\n'
        '  File "/srv/e/site-packages/keras/src/backend/common/keras_tensor.py", line 156, in __tf_tensor__\n'
        "ValueError: A KerasTensor cannot be used as input to a TensorFlow function.",
        LINUX,
        [r"tf-keras", r"TF_USE_LEGACY_KERAS=1"],
        [r"import Keras from TensorFlow everywhere"],
    ),
    # What is named before the last line, or only by the folders of a traceback.
    (
        IMPORTED
        % "keras/src/backend/torch/__init__.py"
        + "    import torch\nModuleNotFoundError: No module named 'torch'\n\n"
        "ImportError: Keras cannot be imported. Check that it is installed.",
        LINUX,
        [r"set to the backend torch", r"Set KERAS_BACKEND"],
        [r"install \"?keras"],
    ),
    (
        "WARNING:tensorflow:Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras package "
        "installed.\nImportError: Keras cannot be imported. Check that it is installed.",
        {"os": "linux", "packages": {"tensorflow": "2.15.1"}},
        [r"tf-keras==2\.15\.\*"],
        ["keras>=3"],
    ),
    (
        "WARNING:tensorflow:Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras package "
        "installed.",
        {},
        [r"version\('tensorflow'\)"],
        ["pip install tf-keras", "keras>=3"],
    ),
    (
        "ImportError: cannot import name 'adam' from 'keras.optimizers' (/u/lib/python3.9/site-packages/keras/optimizers.py)",
        {"packages": {"tensorflow": "2.8.0", "keras": "2.8.0"}},
        [r"from tensorflow\.keras\.optimizers import Adam"],
        [ANY_INSTALL],
    ),
    (
        '  File "/u/lib/python3.6/importlib/__init__.py", line 126, in import_module\n'
        "ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental'",
        {"python": "3.6"},
        [r"install keras==2\.6\.0"],
        [r"2\.10", r"2\.16"],
    ),
    (  # Keras raises it, an installed package asks for it
        'Traceback (most recent call last):\n  File "/u/lib/python3.10/site-packages/NetKit/train.py", line 9, in fit\n'
        '  File "/u/lib/python3.10/site-packages/keras/src/callbacks/model_checkpoint.py", line 191, in __init__\n'
        "ValueError: The filepath provided must end in `.keras` (Keras model format). Received: filepath=net.h5",
        {},
        [r"\A.*\n.*NetKit was written for Keras 2", r"tensorflow==2\.15\.\*", r"tf-keras", "TF_USE_LEGACY_KERAS"],
        ["Change the file's name"],
    ),
    (  # a saved model: its user has no code to change
        "TypeError: Error when deserializing class 'DepthwiseConv2D' using config={'groups': 1}.\n\n"
        "Exception encountered: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}",
        {},
        [r"tf-keras.*\n(?:.*\n)+.*leave it out"],
        [r"leave it out\n(?:.*\n)+.*tf-keras"],
    ),
    (  # the zip of a newer Keras, and one that opens HDF5 only
        "net = tf.keras.models.load_model('net.keras')\n" + NO_HDF5,
        {**LINUX, "python": "3.8", "packages": {"tensorflow": "2.11.0"}},
        [r"metadata\.json", r"install tensorflow==2\.13\.1"],
        [r"(?i)delete", "download"],
    ),
    (
        '{"keras_version": "3.4.1", "date_saved": "2024-08-01@10:00:00"}\n'
        "net = tf.keras.models.load_model('net.keras')\n" + NO_HDF5,
        {**LINUX, "python": "3.8", "packages": {"tensorflow": "2.11.0"}},
        [r"--python 3\.11 .*tensorflow>=2\.16"],
        [r"2\.13", r"(?i)delete"],
    ),
    # What a shell exports does not reach a notebook.
    (
        "<ipython-input-4-2f1e5d6c7b8a> in <cell line: 3>()\n" + HUB,
        {},
        [r'os\.environ\["TF_USE_LEGACY_KERAS"\] = "1"'],
        [],
    ),
    (
        "os.environ['KERAS_BACKEND'] = 'torch'\n>>> import keras\n>>> keras.backend.backend()\n'tensorflow'",
        {**LINUX, "packages": {"keras": "2.15.0"}},
        ["tf-keras|keras==3|Keras 3"],
        ["very top"],
    ),
    # Keras's own files, over the TensorFlow whose folder is tensorflow_core.
    (
        "AttributeError: module 'tensorflow_core.compat.v2' has no attribute '__internal__'",
        {},
        [r"install keras==2\.3\.1"],
        [],
    ),
    # What an installed package asks for is not the reader's to change.
    (
        "ModuleNotFoundError                       Traceback (most recent call last)\nCell In[1], line 1\n"
        "----> 1 import layertools\n\n/opt/e/lib/python3.11/site-packages/layertools/blocks.py in <module>\n"
        "----> 3 from tensorflow.keras.layers.experimental import preprocessing\n\n"
        "ModuleNotFoundError: No module named 'tensorflow.keras.layers.experimental'",
        {**LINUX, "packages": {"tensorflow": "2.17.0"}},
        [r"\A.*\n.*\n.*install --upgrade layertools\n", r'install "tensorflow==2\.15\.\*"'],
        ["are in keras.layers"],
    ),
    (
        "ValueError: File format not supported: filepath=/m. Keras 3 only supports V3 `.keras` files and legacy H5 files",
        {**LINUX, "packages": {"tensorflow": "2.17.0"}},
        ["TFSMLayer", "tf-keras"],
        ["or load it"],
    ),
    (
        "ImportError: cannot import name '__version__' from 'keras' (/u/lib/python3.9/site-packages/keras/__init__.py)",
        {"packages": {"tensorflow": "2.9.1"}},
        [r"uninstall -y keras keras-nightly", "Keras of TensorFlow's release"],
        ["TF_USE_LEGACY"],
    ),
    (
        "/u/lib/python3.9/site-packages/efficientnet/__init__.py in init_keras_custom_objects()\n"
        "AttributeError: module 'keras.utils.generic_utils' has no attribute 'get_custom_objects'",
        {},
        ["SM_FRAMEWORK"],
        ["internal to Keras"],
    ),
    (
        "ValueError: Could not interpret initializer identifier: {'class_name': 'Orthogonal', 'config': {'gain': 1.0}}",
        {"packages": {"keras": "3.3.3", "tensorflow": "2.16.1"}},
        [r"tf-keras==2\.16"],
        [],
    ),
    (
        "ImportError: Keras cannot be imported. Check that it is installed.",
        {"packages": {"tensorflow": "2.17.0"}},
        [r'pip install "keras>=3"'],
        ["TF_USE_LEGACY_KERAS=1"],
    ),
    (
        "ImportError: cannot import name 'keras_tensor' from 'tensorflow.python.keras.engine'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        [r"tensorflow\.keras"],
        [r"from tensorflow\.keras\.engine"],
    ),
    (
        "$ pip show tensorflow | grep Version\nVersion: 2.16.1\nModuleNotFoundError: No module named "
        "'tensorflow.keras.layers.experimental'",
        LINUX,
        ["keras.layers since TensorFlow 2.6"],
        ["same minor release"],
    ),
    (
        NO_JAX,
        {**LINUX, "packages": {"tensorflow": "2.19.0", "keras": "3.10.0"}},
        ["KERAS_BACKEND=tensorflow"],
        ["keras>=3"],
    ),
    (NO_JAX, {**LINUX, "gpu": "RTX 4090"}, ["Set KERAS_BACKEND", r"jax\[cuda12\]"], ["keras>=3"]),
    (
        HUB,
        {"packages": {"tensorflow": "2.17.0"}},
        [r"tf-keras==2\.17\.", "TF_USE_LEGACY_KERAS=1"],
        ["Layer of the model"],
    ),
    (
        "AttributeError: module 'tensorflow.python.keras.backend' has no attribute 'get_graph'",
        {"packages": {"keras": "2.3.1", "tensorflow": "1.14.0"}},
        [r"keras==2\.2\.5"],
        [],
    ),
    (
        "RuntimeError: Expected a 'mps:0' generator device but found 'cpu'",
        {**MAC, "env": {"KERAS_BACKEND": "torch"}},
        ["--upgrade keras", "KERAS_TORCH_DEVICE=cpu"],
        ["tensorflow"],
    ),
    # what other packages look for in Keras
    (
        "AttributeError: module 'keras.api._v2.keras' has no attribute 'wrappers'",
        {**LINUX, "packages": {"tensorflow": "2.12.0"}},
        ["scikeras"],
        [r"keras==2\.12"],
    ),
    (
        "RuntimeError: Failed to import transformers.modeling_tf_utils because of the following error\n"
        "No module named 'keras.engine'",
        {**LINUX, "packages": {"tensorflow": "2.13.0"}},
        ["--upgrade transformers"],
        [r"keras==2\.13"],
    ),
    # what Keras has elsewhere now, and what it has not yet
    (
        "AttributeError: module 'tensorflow.python.keras.utils' has no attribute 'normalize'",
        {},
        [r"from tensorflow\.keras\.utils import normalize"],
        ["uninstall", ANY_INSTALL],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow.keras.engine.topology'",
        {**WINDOWS, "packages": {"tensorflow": "2.4.0"}},
        [r"keras\.layers"],
        [r"keras==2\.4"],
    ),
    (
        "ModuleNotFoundError: No module named 'keras.engine.topology'",
        {**LINUX, "packages": {"tensorflow": "2.15.0"}},
        [r"keras\.layers", r"tensorflow==2\.12"],
        [r"keras==2\.15"],
    ),
    (
        "ImportError: cannot import name 'MultiHeadAttention' from 'tensorflow.keras.layers'",
        {**LINUX, "python": "3.8", "packages": {"tensorflow": "2.3.0"}},
        [r"2\.4", "--upgrade tensorflow"],
        [r"keras==2"],
    ),
    (
        "ImportError: cannot import name 'AdamW' from 'tensorflow.keras.optimizers'",
        {**LINUX, "python": "3.6", "packages": {"tensorflow": "2.4.0"}},
        [r"2\.11", "newer Python"],
        ["--upgrade tensorflow"],
    ),
    (
        "ImportError: cannot import name 'np_utils' from 'keras.utils'",
        MAC,
        ["to_categorical"],
        ["nvidia"],
    ),
    (
        "ValueError: ('Unrecognized keyword arguments:', dict_keys(['border_mode', 'init']))",
        LINUX,
        ["Keras 1", "save_weights"],
        ["--upgrade"],
    ),
    (
        "TypeError: <class 'keras.src.models.sequential.Sequential'> could not be deserialized properly.",
        LINUX,
        ["custom_objects"],
        ["--upgrade tensorflow"],
    ),
    (
        'model = load_model("m.keras")\nValueError: Layer "fc" expected 1 input(s). Received 2 instead.',
        LINUX,
        ["--upgrade keras", "save_weights"],
        ["tf-keras"],
    ),
    # which side of a saved model is older
    (
        "ValueError: Unrecognized keyword arguments: ['batch_shape']",
        LINUX,
        ["Keras 3 saved", "--upgrade tensorflow"],
        ["tf-keras"],
    ),
    (
        "ValueError: Unrecognized keyword arguments passed to LSTM: {'batch_input_shape': (1, 1, 7)}",
        {**LINUX, "packages": {"tensorflow": "2.17.0"}},
        ["batch_shape", r"tf-keras==2\.17"],
        ["Keras 3 saved"],
    ),
    (
        "module 'keras' has no attribute '__internal__'",
        {**LINUX, "packages": {"tensorflow": "2.18.0", "tf-keras": "2.15.0"}},
        [r"tf-keras==2\.18"],
        [r"tensorflow==2\.15"],
    ),
    (
        "ValueError: Unable to import backend : pytorch",
        {**LINUX, "env": {"KERAS_BACKEND": "pytorch"}},
        ["KERAS_BACKEND=torch"],
        ["install.*tensorflow"],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow.compat.v2.keras'",
        {"packages": {"tensorflow": "2.17.0"}},
        ["tf-keras"],
        ["uninstall"],
    ),
    # tf-keras is what does not fit, not TensorFlow's files.
    (TF_KERAS, {"packages": {"tensorflow": "2.16.1"}}, [r"tf-keras==2\.16\.\*"], ["uninstall"]),
    (TF_KERAS, {}, [r"--upgrade tensorflow tf-keras"], ["uninstall"]),
    (
        "ImportError: cannot import name 'tf_utils'",
        {"packages": {"keras": "2.3.1", "tensorflow-gpu": "1.8.0"}},
        [r"keras==2\.2\.4"],
        [],
    ),
]
