"""Rows about releases of NumPy and protobuf that do not fit."""

from log_rows.texts import ANY_INSTALL, IMPORTED, LINUX, MAC, NUMPY, PROTO, WINDOWS

SIZE = "ValueError: numpy.%s size changed, may indicate binary incompatibility. Expected %d from C header, got %d"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    # NumPy 1.26 passes numpy._core on.
    (
        "ModuleNotFoundError: No module named 'numpy._core'",
        {"python": "3.10", "packages": {"tensorflow": "2.11.0", "numpy": "1.24.3"}},
        [r"numpy==1\.26\."],
        [">=1.20"],
    ),
    (
        "ModuleNotFoundError: No module named 'numpy._core'",
        {"python": "3.8", "packages": {"tensorflow": "2.10.0", "numpy": "1.24.3"}},
        [],
        [r"numpy==1\.26"],
    ),
    (
        "AttributeError: 'module' object has no attribute '_internal_create_key'",
        {"os": "linux", "packages": {"protobuf": "3.14.0", "tensorflow": "2.3.0"}},
        [r"protobuf 3\.14\.0 has it: another, older one is found first"],
        ["uninstall -y tensorflow"],
    ),
    (
        "ImportError: cannot import name 'any_pb2' from 'google.protobuf'",
        LINUX,
        ["pip install"],
        ["object_detection", "protoc "],
    ),
    (
        "TypeError: __new__() got an unexpected keyword argument 'serialized_options'",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow": "2.1.0", "protobuf": "3.11.3"}},
        ["protobuf 3.11.3 has it", "until none is left"],
        ["3.19"],
    ),
    (
        "TypeError: __init__() got an unexpected keyword argument 'serialized_options'",
        {"os": "macos", "python": "3.7", "packages": {"tensorflow": "1.13.1"}},
        [r"protobuf>=3\.6,<3\.21"],
        ["upgrade protobuf"],
    ),
    (
        "downgrade to 'numpy<2' or try to upgrade the affected module.",
        {"os": "windows", "python": "3.10"},
        ["numpy<2"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'numpy.core._multiarray_umath'\n"
        "ImportError: numpy.core.multiarray failed to import",
        {"os": "windows"},
        ["newest release"],
        [r"numpy<2"],
    ),
    # What `pip check` says, without the words of an installation.
    (
        "tensorflow 2.10.0 has requirement protobuf<3.20,>=3.9.2, but you have protobuf 4.21.1.",
        {"os": "linux"},
        [r"pip install protobuf==3\.19\."],
        [r"4\.21\.1\. "],
    ),
    # protobuf of Python 2, NVIDIA's own TensorFlow 1.15, and a strategy without a GPU.
    (
        "AttributeError: 'module' object has no attribute 'Default'",
        {"os": "linux", "python": "2.7"},
        ["install --upgrade protobuf"],
        ["tensorflow"],
    ),
    # NumPy 1.16.3 and the data sets of an older Keras; a program's own file.
    (
        '  File "/x/lib/python3.6/site-packages/keras/datasets/imdb.py", line 59, in load_data\n'
        "ValueError: Object arrays cannot be loaded when allow_pickle=False",
        {"os": "linux", "python": "3.6", "packages": {"keras": "2.2.4", "tensorflow": "1.13.1", "numpy": "1.16.4"}},
        ["numpy<1.16.3"],
        ["allow_pickle=True"],
    ),
    # A protobuf loads code of its own major release and of the one before, no older.
    (
        "VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading: gencode 5.28.3 runtime 4.25.3.",
        {"packages": {"tensorflow": "2.19.0"}},
        ["protobuf>=5.28.3,<6"],
        [],
    ),
    (
        "thinc 8.2.2 requires numpy>=1.24, but you have numpy 1.23.5 which is incompatible.\n"
        "Successfully installed numpy-1.23.5 tensorflow-2.12.0",
        {},
        [r"tensorflow>=2\.1[23]"],
        [r"numpy==1\.23\.5"],  # which is there
    ),
    (
        "google-cloud-storage 3.1 requires protobuf>=5.26, but you have protobuf 4.25.8 which is incompatible.",
        {},
        [r"protobuf>=5\.26"],
        ["protobuf>=protobuf"],
    ),
    (
        "AttributeError: _ARRAY_API not found\nA module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.3\n"
        "Traceback (most recent call last):\n  File "
        '"C:\\Local\\local-packages\\Python310\\site-packages\\tensorflow\\python\\a.py", '
        "line 9, in <module>\nAttributeError: _ARRAY_API not found",
        WINDOWS,
        ["numpy<2"],
        ["Python310"],
    ),
    # The Python of a path on Windows: there is no NumPy before 1.26 for it.
    (
        'Traceback (most recent call last):\n  File "C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python312\\Lib\\'
        'site-packages\\tf2onnx\\utils.py", line 49, in <module>\n'
        "AttributeError: module 'numpy' has no attribute 'object'.",
        {},
        ["--upgrade tf2onnx"],
        ["numpy<"],
    ),
    # No NumPy before 1.26 runs on Python 3.12, and NumPy itself only says that it lacks the name.
    (
        'Traceback (most recent call last):\n  File "/u/lib/python3.12/site-packages/tf2onnx/utils.py", line 49, in <module>\n'
        '  File "/u/lib/python3.12/site-packages/numpy/__init__.py", line 397, in __getattr__\n'
        "AttributeError: module 'numpy' has no attribute 'object'.",
        {"python": "3.12"},
        ["--upgrade tf2onnx"],
        ["numpy<"],
    ),
    (
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\n"
        "onnx 1.12.0 requires protobuf<=3.20.1,>=3.12.2, but you have protobuf 4.21.9 which is incompatible.",
        {},
        [r"protobuf<=3\.20\.1,>=3\.12\.2", "--upgrade onnx"],
        ["TensorFlow"],
    ),
    # TensorFlow was built for NumPy 1, or for a newer NumPy 1 than the one here: the newest is right in both cases.
    (
        "TypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> handle",
        {"os": "linux"},
        ['--upgrade "?numpy<2'],
        ["NumPy 2 is installed"],
    ),
    # protobuf 3.20.3 has what newer code asks for, and takes older code.
    (
        "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/venv/lib/python3.10/site-packages/x)",
        {"os": "linux"},
        [r"protobuf==3\.20\.3"],
        ["--upgrade protobuf"],
    ),
    # What another package needs is older than any current TensorFlow: an older Python, or an older TensorFlow.
    (
        "ERROR: Cannot install -r needs.txt (line 2) and tensorflow because these package versions have conflicting "
        "dependencies.\n    tensorflow 2.17.0 depends on numpy<2.0.0 and >=1.26.0\n    oldlib 1.4.0 depends on "
        "numpy<1.19.0 and >=1.16.0",
        LINUX,
        [r"python 3\.8 .*oldlib==1\.4\.0"],
        ["into needs.txt"],
    ),
    (
        "ERROR: Cannot install -r base.txt (line 3) and protobuf==4.25.0 because these package versions have conflicting "
        "dependencies.",
        {"packages": {"tensorflow": "2.10.0"}},
        ["into base.txt"],
        ["pip install"],
    ),
    (
        "Traceback (most recent call last):\n"
        '  File "/u/lib/python3.11/site-packages/skimage/draw/a.py", line 3, in <module>\n'
        "    numpy.AxisError\nAttributeError: module 'numpy' has no attribute 'AxisError'",
        {**LINUX, "packages": {"numpy": "2.1.0"}},
        [r'"numpy<2"', r"--upgrade scikit-image"],
        [],
    ),
    # Numba says which NumPy it takes; the container and WSL each may not open the GPU.
    (
        "ImportError: Numba needs NumPy 1.26 or less. Got NumPy 2.0.",
        LINUX,
        [r'"numpy==1\.26\.\*"', "numba"],
        ["TensorFlow"],
    ),
    (
        "SystemError: initialization of _internal failed without raising an exception",
        LINUX,
        [r"numpy<1\.24"],
        ["TensorFlow"],
    ),
    (
        "numba 0.59.1 requires numpy<1.27,>=1.22, but you have numpy 2.1.0 which is incompatible.",
        {},
        ['"numpy<1.27'],
        [],
    ),
    # protobuf's native part of another version.
    (
        '  File "/srv/env/lib/python3.8/site-packages/google/protobuf/message.py", line 40, in <module>\n'
        "    from google.protobuf.pyext import _message\nTypeError: bases must be types",
        {**LINUX, "packages": {"tensorflow": "2.9.1"}, "python": "3.8"},
        [r"--force-reinstall --no-cache-dir protobuf==3\."],
        ["devicekit doctor"],
    ),
    # What was compiled for NumPy 1 does not run on NumPy 2.
    (
        "RuntimeError: module compiled against API version 0xf but this version of numpy is 0xd\n"
        '  File "/srv/env/lib/python3.9/site-packages/tensorflow/python/framework/dtypes.py", line 29, in <module>\n'
        "TypeError: Unable to convert function return value to a Python type! The signature was",
        LINUX,
        [r'"numpy>=1\.22,<2"'],
        ["--upgrade numpy"],
    ),
    (
        "RuntimeError: module compiled against API version 0xf but this version of numpy is 0xd",
        {**WINDOWS, "python": "3.8", "packages": {"tensorflow": "2.4.1", "numpy": "1.19.5"}},
        [r"goes with numpy up to 1\.19\.5"],
        [ANY_INSTALL],
    ),
    (
        IMPORTED % "keras/src/backend/jax/__init__.py"
        + "AttributeError: module 'numpy.dtypes' has no attribute 'StringDType'",
        LINUX,
        [r"NumPy is older", r"--upgrade numpy"],
        [r"no longer has", r"tf-keras"],
    ),
    # The user's own site comes before the container's packages.
    (
        'Traceback (most recent call last):\n  File "/app/run.py", line 2, in <module>\n    import tensorflow as tf\n'
        '  File "/usr/lib/python3.10/dist-packages/tensorflow/core/framework/types_pb2.py", line 5, in <module>\n'
        '  File "/home/me/.local/lib/python3.10/site-packages/google/protobuf/descriptor.py", line 561, in __new__\n'
        + PROTO,
        {"os": "container"},
        [r"\A.*\n.*~/\.local.*\nexport PYTHONNOUSERSITE=1\n", "--no-home", "uninstall -y protobuf"],
        ["protobuf<", "PATH="],
    ),
    (
        "ImportError: cannot import name '_message' from 'google.protobuf.pyext' "
        "(/opt/e/lib/python3.8/site-packages/google/protobuf/pyext/__init__.py)",
        LINUX,
        [r'--force-reinstall --no-cache-dir "protobuf<3\.21"'],
        ["<6", "NOUSERSITE"],
    ),
    (
        "    from google.protobuf.pyext import _message\nImportError: DLL load failed: The specified procedure could "
        "not be found.",
        WINDOWS,
        [r"3\.6\.8", r"protobuf==3\.6\.0"],
        [r"VCRedist"],
    ),
    # Code that was generated for protobuf 3, and a TensorFlow whose own was not.
    (
        "TypeError: Descriptors cannot be created directly.",
        {"packages": {"tensorflow": "2.15.0", "tensorflow-hub": "0.12.0"}, "python": "3.10", "os": "linux"},
        [r"protobuf==3\.20\.3", "Update the package"],
        [r"protobuf==4"],
    ),
    (
        "TypeError: Descriptors cannot be created directly.",
        {"packages": {"tensorflow": "2.20.0"}},
        ["Update the package"],
        ["3.20"],
    ),
    (
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.2 as it may crash.\n"
        "ImportError: numpy.core.umath failed to import",
        {"packages": {"tensorflow": "2.13.0", "numpy": "2.0.2"}},
        [r"numpy==1\.24\.3"],
        [],
    ),
    (
        "[libprotobuf FATAL google/protobuf/message_lite.cc:353] CHECK failed: target + size == res: \ntensorflow-metal 1.1.0",
        MAC,
        [r"tensorflow-metal==1\.1\.0"],
        ["nvidia"],
    ),
    (
        'File "/root/.local/share/virtualenvs/app-x/lib/python3.10/site-packages/a.py"\n$ pipenv run python a.py\n'
        + NUMPY,
        {**LINUX, "packages": {"tensorflow": "2.9.1"}},
        [r"pipenv install .?numpy"],
        [r"pip install -"],
    ),
    (
        "tensorflow 2.5.0 has requirement numpy~=1.19.2, but you'll have numpy 1.21.6 which is incompatible.",
        {},
        [r"numpy~=1\.19\.2"],
        ["no longer has"],
    ),
    # NumPy that is too old, or does not load, is not fixed by an older one
    (
        "ImportError: numpy.core._multiarray_umath failed to import",
        {**WINDOWS, "python": "3.6", "packages": {"numpy": "1.14.5"}},
        ["--force-reinstall --no-cache-dir numpy"],
        ["numpy<2"],
    ),
    (
        "ImportError: numpy.core.umath failed to import",
        {**LINUX, "python": "3.11"},
        ["numpy<2"],
        ["force-reinstall"],
    ),
    # sizes of NumPy's structures: 96 is NumPy 1, 88 is NumPy 2
    (SIZE % ("dtype", 96, 88), LINUX, [r"numpy<2"], [r"numpy>=2"]),
    (SIZE % ("dtype", 88, 96), LINUX, [r"numpy>=2"], [r"numpy<2"]),
    (SIZE % ("ndarray", 88, 80), LINUX, ["--upgrade numpy"], [r"numpy<2"]),
    (NUMPY, {**WINDOWS, "packages": {"tensorflow": "2.6"}}, [r"numpy==1\.(19|2[0-3])\."], [r"numpy<2\b"]),
    (
        PROTO,
        {**LINUX, "packages": {"tensorflow": "2.7.1", "protobuf": "4.21.0"}, "python": "3.8"},
        [r"protobuf==3\."],
        [r"tensorflow==2\.15"],
    ),
    ("    tensorflow 2.7.0 depends on numpy<1.22\nERROR: ResolutionImpossible", LINUX, [r"numpy<1\.22"], ["driver"]),
    # An old interface of NumPy, numbered without 0x: the library is newer than NumPy.
    (
        "RuntimeError: module compiled against API version a but this version of numpy is 9",
        {},
        ["--upgrade numpy"],
        ["<2"],
    ),
]
