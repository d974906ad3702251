"""Rows about what is installed: missing, broken, twice there, shadowed or blocked."""

from log_rows.texts import ANY_INSTALL, IMPORTED, IMPORTS, LINUX, MAC, NO_TF, WINDOWS

KERAS_OWN = (
    "File /srv/env/lib/python3.11/site-packages/keras/api/layers/__init__.py:9\n----> 9 from keras.src.layers import Gated\n\n"
    "ImportError: cannot import name 'Gated' from '%s' (/srv/env/lib/python3.11/site-packages/keras/src/layers/__init__.py)"
)
CLONE = (
    'Traceback (most recent call last):\n  File "/srv/src/vllm/vllm/%s.py", line 18, in <module>\n    import vllm._C\n'
    "ModuleNotFoundError: No module named 'vllm._C'"
)
LIBTPU = (
    "RuntimeError: Unable to initialize backend 'tpu': INTERNAL: Failed to open /venv/lib/python3.10/site-packages/libtpu/"
    "libtpu.so: /venv/lib/python3.10/site-packages/libtpu/libtpu.so: cannot open shared object file: No such file or directory"
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    *(
        (
            "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by %s/lib/libtorch.so)"
            % path,
            LINUX,
            ["module load gcc"],
            ["conda install", "apt-get"],
        )
        for path in ("/sw/spack/opt/gcc-11.2/py-torch", "/apps/easybuild/PyTorch/1.12", "/cluster/software/torch/2.1")
    ),
    (
        "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
        "/software/miniconda3/envs/tf/lib/python3.9/site-packages/scipy/x.so)",
        LINUX,
        ["conda install"],
        ["module load"],
    ),
    (
        "OSError: [WinError 126] The specified module could not be found. Error loading "
        '"C:\\env\\Lib\\site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
        {**WINDOWS, "packages": {"torch": "2.5.1"}},
        ["VCRedist", "libomp140"],
        ["2.4.1"],
    ),
    # On Macs the distribution tensorflow is an empty one that requires tensorflow-macos of its own release.
    (
        "AttributeError: module 'tensorflow' has no attribute 'constant'",
        {"os": "macos", "packages": {"tensorflow": "2.14.0", "tensorflow-macos": "2.11.0"}},
        ["Uninstall all of them", "uninstall -y tensorflow tensorflow-macos"],
        [],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'constant'",
        {"os": "macos", "packages": {"tensorflow": "2.14.0", "tensorflow-macos": "2.14.0"}},
        ["Uninstall every TensorFlow"],
        ["Uninstall all of them"],
    ),
    (
        "ImportError: cannot import name 'tf2' from 'tensorflow.python' (/e/tensorflow/python/__init__.py)",
        {"os": "linux", "packages": {"tensorflow": "2.11.0"}},
        ["Uninstall every TensorFlow"],
        ["newer TensorFlow"],
    ),
    # pip finds it for the very Python that does not import it.
    (
        "$ python -m pip install tensorflow && python -c 'import tensorflow'\nRequirement already satisfied: tensorflow in "
        "/e/lib/python3.8/site-packages (2.3.0)\nModuleNotFoundError: No module named 'tensorflow'",
        {"os": "linux"},
        ["--force-reinstall"],
        [],
    ),
    (
        "ImportError: /opt/py/lib/python3.8/site-packages/torch/lib/libtorch_python.so: undefined symbol: _THError",
        {"os": "linux"},
        ["PyTorch's own libraries are of two versions", "echo \\$LD_LIBRARY_PATH"],
        [],
    ),
    # On Windows, what serves the GPU ends a process silently: which CUDA its TensorFlow needs, and which one is there.
    (
        "Process finished with exit code -1073740791 (0xC0000409)",
        {**WINDOWS, "packages": {"tensorflow": "2.6.0"}, "cuda": "11.4"},
        [r"2\.5 to 2\.10 needs CUDA 11\.2 and cuDNN 8\.1 \(CUDA 11\.4 is there\), and zlibwapi"],
        ["graphics driver"],
    ),
    (
        "Process finished with exit code -1073741819 (0xC0000005)",
        {**WINDOWS, "packages": {"tensorflow-gpu": "1.9.0"}, "cuda": "9.1"},
        [r"1\.5 to 1\.12 needs CUDA 9\.0 and cuDNN 7 \(CUDA 9\.1 is there\)"],
        ["zlibwapi"],
    ),
    (
        "Process finished with exit code -1073740791 (0xC0000409)",
        {**WINDOWS, "packages": {"tensorflow": "2.15.0"}, "cuda": "11.4"},
        ["fresh environment"],
        [r"CUDA 11\.2"],
    ),
    # What a packed program lacks is packed: nothing is wrong with the environment that it was packed from.
    (
        "Traceback (most recent call last):\n"
        '  File "PyInstaller/loader/pyimod02_importers.py", line 385, in exec_module\n'
        "ModuleNotFoundError: No module named 'tensorflow.python.framework'",
        LINUX,
        ["pyinstaller --collect-all tensorflow app", "pyinstaller-hooks-contrib"],
        ["uninstall"],
    ),
    (
        "tensorflow-gpu has been removed",
        {"os": "linux", "gpu": "Radeon RX 6800"},
        ["pip install tensorflow"],
        ["and-cuda"],
    ),
    # What a broken download was of, a board's containers, a processor that has AVX, and an older protobuf that is found first.
    (
        "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n    tensorflow-gpu==1.12.0 from "
        "https://files.example.org/t/tensorflow_gpu-1.12.0-cp36-cp36m-manylinux1_x86_64.whl:",
        {"os": "linux", "python": "3.6"},
        [r"--no-cache-dir tensorflow-gpu==1\.12\.0"],
        ["uninstall"],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow'",
        {"os": "windows", "python": "3.6", "packages": {"tensorflow": "2.0.0"}},
        ["tensorflow 2.0.0 is installed, for another Python", "kernel"],
        [],
    ),
    # The object detection API, what is linked with TensorFlow, and a TensorFlow 1 that is older than the program.
    (
        "ImportError: cannot import name 'fpn_pb2' from 'object_detection.protos' (C:\\models\\protos\\__init__.py)",
        {"os": "windows", "packages": {"tensorflow": "1.15"}},
        ["protoc object_detection"],
        ["pip install protobuf"],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'config'",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow": "2.2.0"}},
        ["uninstall -y tensorflow", r"tensorflow==2\.2\.0"],
        ["needs a newer"],
    ),
    (
        "ImportError: /e/site-packages/torch/lib/libcaffe2.so: undefined symbol: _ZTIN3c1010TensorImplE",
        {"os": "linux"},
        ["Libraries of another PyTorch"],
        ["tensorflow"],
    ),
    # What a TensorFlow 1 that is installed has, what 1.0 renamed, and what belongs to another release.
    (
        "AttributeError: module 'tensorflow' has no attribute 'Session'",
        {"os": "linux", "packages": {"tensorflow": "1.7.0"}},
        ["which has tf.Session", "uninstall"],
        ["compat"],
    ),
    # Up to 2.0, the plain name has no GPU.
    (
        "tensorflow           1.14.0\ntensorflow-gpu       1.14.0\n>>> tf.test.is_gpu_available()\nFalse",
        {"os": "linux", "packages": {"tensorflow": "1.14.0", "tensorflow-gpu": "1.14.0"}, "gpu": "Tesla V100"},
        [r"pip install tensorflow-gpu==1\.14\.0"],
        [r"pip install tensorflow==1"],
    ),
    # Of a NumPy whose folder has DLLs of another installation.
    (
        "Traceback (most recent call last):\n"
        '  File "C:\\env\\Lib\\site-packages\\torch\\storage.py", line 12, in <module>\n    import numpy as np\n'
        '  File "C:\\env\\Lib\\site-packages\\numpy\\_distributor_init.py", line 26, in <module>\n    WinDLL(filename)\n'
        '  File "C:\\Python311\\Lib\\ctypes\\__init__.py", line 376, in __init__\n'
        "OSError: [WinError 193] %1 is not a valid Win32 application",
        {"os": "windows"},
        ["--no-cache-dir .?numpy<2", "what is left of the folder numpy"],
        ["no-cache-dir torch"],
    ),
    ("OSError: [WinError 193] %1 is not a valid Win32 application", {"os": "windows"}, ["calcsize"], []),
    # In Python 3.8 and older the script itself has no folder.
    (
        "Traceback (most recent call last):\n"
        '  File "code.py", line 1, in <module>\n    from tensorflow import keras\n'
        '  File "/usr/lib/python3.8/pdb.py", line 77, in <module>\n    import code\n'
        '  File "/work/code.py", line 1, in <module>\n    from tensorflow import keras\n'
        "ImportError: cannot import name 'keras' from partially initialized module 'tensorflow' (most likely due to a "
        "circular import) (/usr/local/lib/python3.8/dist-packages/tensorflow/__init__.py)",
        {"os": "linux", "packages": {"tensorflow": "2.2.0"}},
        [r"Rename code\.py"],
        ["uninstall"],
    ),
    # A notebook goes on with what it has imported.
    (
        "[/usr/local/lib/python3.7/dist-packages/jax/_src/lib/__init__.py](https://localhost:8080/#) in <module>\n"
        "google.colab\nAttributeError: module 'jax' has no attribute 'version'",
        {"os": "linux"},
        ["Restart the kernel"],
        [],
    ),
    (
        'F tensorflow/core/grappler/costs/op_level_cost_estimator.cc:710] Check failed: 0 < gflops (0 vs. 0)type: "CPU"',
        {"os": "macos", "arch": "arm64"},
        ["-U tensorflow|--upgrade tensorflow"],
        ["venv fresh"],
    ),
    # A release that is known by its minor release alone stays.
    (
        "ImportError: DLL load failed: %1 is not a valid Win32 application.",
        {"os": "windows", "packages": {"tensorflow": "2.3"}},
        [r'pip install "?tensorflow==2\.3\.\*'],
        [r"pip install tensorflow$"],
    ),
    (
        "ImportError: No module named tensorflow",
        {"os": "linux", "python": "2.7"},
        [r"python -m pip install tensorflow==2\.1\.0"],
        [r"tensorflow==1"],
    ),
    # Python's own modules have what is named: a file, or the old package enum34, hides them.
    (
        IMPORTED % "tensorflow/python/framework/registry.py"
        + "AttributeError: module 'inspect' has no attribute 'getmembers'",
        {"packages": {"tensorflow": "1.4.0"}},
        [r"Rename your own file inspect\.py"],
        ["older Python", ANY_INSTALL],
    ),
    (
        IMPORTED % "re.py" + "AttributeError: module 'enum' has no attribute 'IntFlag'",
        {"python": "3.6"},
        ["uninstall -y enum34"],
        ["pip show"],
    ),
    (
        IMPORTED % "numpy/random/__init__.py" + "AttributeError: module 'random' has no attribute 'Random'",
        {},
        [r"Rename your own file random\.py"],
        ["pip show"],
    ),
    (
        "AttributeError: partially initialized module 'numpy' has no attribute 'ndarray' (most likely due to a circular "
        "import)",
        {"os": "linux", "packages": {"tensorflow": "2.9.1"}},
        [r"find_spec\('numpy'\)"],
        ["tensorflow"],
    ),
    ("Bus error (core dumped)", {"os": "container"}, [r"--shm-size"], []),
    (
        "[1]    55741 segmentation fault  python3 train.py",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.16.1", "tensorflow-metal": "1.1.0"}},
        ["uninstall -y tensorflow-metal"],
        [],
    ),
    ("Windows fatal exception: access violation", {"os": "windows", "packages": {"torch": "2.9.0"}}, ["crashed"], []),
    (
        "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider names.Available providers: "
        "'DmlExecutionProvider, CPUExecutionProvider'",
        {"os": "windows", "packages": {"onnxruntime-directml": "1.18.0", "onnxruntime-gpu": "1.18.0"}},
        ["uninstall -y onnxruntime onnxruntime-gpu onnxruntime-directml", "onnxruntime-gpu==1\\.18"],
        [],
    ),
    (NO_TF, {"os": "linux", "note": "works in a terminal, not in the notebook"}, ["%pip install tensorflow"], []),
    # PyTorch is installed, and pip's isolated build does not see it.
    (
        "ModuleNotFoundError: No module named 'torch'\n  note: This error originates from a subprocess, and is likely not a "
        "problem with pip.\nerror: metadata-generation-failed",
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.2.0"}},
        ["--no-build-isolation"],
        ["pip install torch"],
    ),
    # What is missing next to the framework.
    (
        "ERROR: Cannot uninstall blinker 1.4, RECORD file not found.",
        {"os": "linux"},
        ["--ignore-installed blinker"],
        ["program that brings it"],
    ),
    (
        "OSError: [WinError 126] The specified module could not be found. Error loading "
        '"C:\\env\\Lib\\site-packages\\torch\\lib\\'
        'cudnn_cnn_infer64_8.dll" or one of its dependencies.',
        {**WINDOWS, "gpu": "RTX 3060"},
        [r"torch --index-url \S+/whl/cu126"],
        [],
    ),
    (
        "  Getting requirements to build wheel ... error\n  ModuleNotFoundError: No module named "
        "'torch'\nCollecting flash_attn",
        WINDOWS,
        [r"install torch --index-url \S+/whl/cu126", "Visual Studio"],
        [],
    ),
    # A Mac's library that a package's own files lack: that package, and never a build for CUDA.
    (
        "ImportError: dlopen(/v/lib/python3.10/site-packages/onnxruntime_odd/a.so, 2): Library not loaded: @rpath/a.dylib",
        {"os": "macos"},
        ["package that brings onnxruntime_odd"],
        ["onnxruntime-gpu", "pip install"],
    ),
    (
        "ImportError: dlopen(/v/lib/python3.10/site-packages/onnxruntime/a.so, 0x0002): Library not loaded: @rpath/a.dylib",
        {"os": "macos"},
        ["onnxruntime"],
        ["onnxruntime-gpu"],
    ),
    # A package installed in an environment is not there for sudo's Python.
    (
        "$ sudo python3 setup.py install\nModuleNotFoundError: No module named 'torch'",
        {"os": "linux", "python": "3.8"},
        [r"\A.*\nsudo runs the system's Python"],
        [],
    ),
    # A packed program has no sources, whatever build of PyTorch it has.
    (
        "torch: 1.5.0+cpu\nOSError: Can't get source for <function f at 0x7f>. TorchScript requires source access in order to",
        {"os": "windows"},
        ["module_collection_mode", "PYTORCH_JIT"],
        ["install torch"],
    ),
    # A full disk in another language, and what setuptools and h5py have for an old PyTorch and for TensorFlow.
    (
        "ERROR: Could not install packages due to an OSError: [Errno 28] Espacio insuficiente en el dispositivo",
        {"os": "linux", "packages": {"torch": None}},
        ["disk", "TMPDIR"],
        [],
    ),
    # A program that PyInstaller packed: what it lacks is not missing in the environment.
    (
        "ModuleNotFoundError: No module named 'tensorflow'\n[4711] Failed to execute script 'app' due to unhandled exception!",
        {"os": "windows"},
        ["pyinstaller-hooks-contrib", "--collect-all"],
        ["install tensorflow"],
    ),
    # A package whose own files are of several releases; a name that another package asks for is something else.
    (
        "/srv/env/lib/python2.7/site-packages/keras/utils/__init__.py in <module>()\n----> 2 from . import np_utils\n\n"
        "ImportError: cannot import name np_utils",
        {"os": "linux"},
        ["own files of keras", "force-reinstall"],
        [],
    ),
    (
        IMPORTED % "peft/__init__.py" + "ImportError: cannot import name 'x_tuner' from 'peft.tuners' "
        "(/srv/env/lib/python3.11/site-packages/peft/tuners/__init__.py)",
        {"os": "linux"},
        ["own files of peft", "force-reinstall.* peft"],
        ["doctor"],
    ),
    # Python 3.6 does not say where the module is.
    (
        IMPORTED % "kornia/__init__.py" + "    from kornia.morph import dilate2\n"
        "ImportError: cannot import name 'dilate2'",
        {"os": "linux"},
        ["own files of kornia", "force-reinstall.* kornia"],
        ["doctor"],
    ),
    # Two releases of TensorFlow's files: loaded, left in the user's folder, or on the library path.
    (
        "<ipython-input-3-8a7c>\nImportError: cannot import name 'TensorFoo' from 'tensorflow.python.types.core' "
        "(/usr/local/lib/python3.9/dist-packages/tensorflow/python/types/core.py)",
        {},
        ["Restart the notebook's kernel"],
        ["keras"],
    ),
    (
        "NotFoundError: /home/someone/.local/lib/python3.8/site-packages/tensorflow/core/kernels/libtfkernel_sobol_op.so: "
        "undefined symbol: _ZN10tensorflow8OpKernel11TraceStringEv",
        {},
        [r"uninstall[\s\S]*rm -rf ~/\.local/lib/python3\.8/site-packages/tensorflow\b[\s\S]*install tensorflow"],
        [],
    ),
    (
        "### TensorFlow version: tf2.12.0\nImportError: /env/lib/python3.10/site-packages/tensorflow/python/platform/../../"
        "libtensorflow_cc.so.2: undefined symbol: _ZNK10tensorflow8OpKernel4nameEv",
        {},
        ["LD_LIBRARY_PATH", r"tensorflow==2\.12\.0"],
        ["rm -rf"],
    ),
    (
        '  File "/usr/lib/python3.6/site-packages/tensorflow/python/keras/initializers/initializers_v1.py", line 23, in '
        "<module>\nImportError: cannot import name 'keras_export'",
        {},
        ["uninstall -y tensorflow tensorflow-cpu", "files of two TensorFlows"],
        [],
    ),
    ("ImportError: dlopen: cannot load any more object with static TLS", LINUX, ["before all others"], []),
    (
        "AttributeError: module 'cupy' has no attribute 'asarray'",
        {},
        [r"pip uninstall -y cupy cupy-cuda11x", r"pip list"],
        [r"pip check"],
    ),
    # An executable stack, also of a library without which most programs do.
    (
        "Unable to load library: libnvinfer_builder_resource.so.10.3.0: libnvinfer_builder_resource.so.10.3.0: cannot enable "
        "executable stack as shared object requires: Invalid argument",
        {},
        [r"TensorRT 10\.8", r"clear-execstack"],
        [],
    ),
    (
        "RuntimeError: (PreconditionNotMet) The third-party dynamic library (mklml.dll) that Paddle depends on is not "
        "configured correctly. (error code is 126)",
        WINDOWS,
        [r"paddle/libs"],
        [r"CUDA 11"],
    ),
    (
        IMPORTS % ("/venv/lib/python3.10/site-packages/tensorflow/python/x.py", "nn_gradient", "tensorflow.python.ops")
        + "tensorflow/python/ops/__init__.py)",
        {},
        [r"two versions", r"ninstall every"],
        [],
    ),
    # A module of Keras asks another one of Keras for what it does not have: the two are of different releases.
    (
        "Cell In[7], line 1\n----> 1 import keras\n\n" + KERAS_OWN % "keras.src.layers",
        {"packages": {"keras": "3.4.1"}},
        [r"Restart the notebook's kernel", r"--force-reinstall --no-cache-dir keras==3\.4\.1"],
        [r"tf-keras", r"2\.16"],
    ),
    (
        KERAS_OWN % "keras.src.layers",
        {"packages": {"tensorflow": "2.14.0"}},
        [r"reinstall .*keras==2\.14\.\*"],
        [r"kernel"],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/app/keras.py", line 1, in <module>\n    import tensorflow as tf\n'
        '  File "/srv/e/site-packages/tensorflow/python/util/lazy_loader.py", line 7, in _load\n'
        "ModuleNotFoundError: No module named 'keras.api'; 'keras' is not a package",
        LINUX,
        [r"Rename"],
        [],
    ),
    (
        "Cell In[3], line 1\n----> 1 import tensorflow as tf\nModuleNotFoundError: No module named 'tensorflow'",
        WINDOWS,
        [r"\A.*\n.*%pip install tensorflow"],
        [],
    ),
    # A library that the files of NumPy need: they are written again, those of TensorFlow are whole.
    (
        "ImportError: dlopen(/Users/me/mambaforge/lib/python3.9/site-packages/numpy/linalg/lapack_lite.cpython-39-darwin.so, "
        "0x0002): Library not loaded: @rpath/liblapack.3.dylib",
        {**MAC, "python": "3.9", "packages": {"tensorflow-macos": "2.6.0"}},
        [r"--force-reinstall --no-cache-dir numpy==1\.23\.5", "conda-forge .*libcblas"],
        ["uninstall"],
    ),
    (
        "ImportError: dlopen(/usr/local/lib/python3.10/site-packages/numpy/core/_multiarray_umath.cpython-310-darwin.so, "
        "0x0002): Library not loaded: @rpath/libopenblas.0.dylib",
        {},
        [r'--force-reinstall --no-cache-dir "numpy<2"'],
        ["pip check"],
    ),
    (
        'OSError: [WinError 182] The operating system cannot run %1. Error loading "C:\\miniforge3\\envs\\t\\Lib\\'
        'site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
        {},
        [r"conda list openmp"],
        [r"pip install", r"VCRedist"],
    ),
    (
        IMPORTED % "keras/src/backend/tensorflow/__init__.py"
        + "    import tensorflow as tf\nModuleNotFoundError: No module named 'tensorflow'",
        {**LINUX, "packages": {"keras": "3.10.0", "torch": "2.7.0"}},
        [r"export KERAS_BACKEND=torch", r"pip install tensorflow"],
        [],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/over/numpy/core/__init__.py", line 23, in <module>\n'
        "    from . import multiarray\nModuleNotFoundError: No module named 'numpy.core._multiarray_umath'",
        LINUX,
        [r"in /srv/over, which PYTHONPATH", r"unset PYTHONPATH"],
        [r"reinstall", r"tensorflow"],
    ),
    # Files that cannot be read, or are not there any more.
    (
        "PermissionError: [Errno 13] Permission denied: '/srv/env/lib/python3.11/site-packages/wrapt/__init__.py'",
        LINUX,
        [r"may not read", r"chmod -R a\+rX"],
        [r"pip may not write"],
    ),
    (
        'Collecting tensorflow-gpu\n      The "tensorflow-gpu" package has been removed!\n',
        {**WINDOWS, "python": "3.11", "gpu": "NVIDIA GeForce GTX 1650"},
        [r"wsl --install\n(?:.*\n)+.*and-cuda(?:.*\n)+.*pip install tensorflow\Z"],
        [],
    ),
    (
        "Python 2.7.18 (default, Apr 20 2020)\n>>> import tensorflow\nTraceback (most recent call last):\n"
        "  File \"tensorflow.py\", line 2, in <module>\nAttributeError: 'module' object has no attribute 'keras'",
        {},
        [r"tensorflow\.pyc"],
        [],
    ),
    # pip and the program do not mean the same TensorFlow.
    (
        "Requirement already satisfied: tensorflow==1.15.0 in /opt/e/lib/python3.7/site-packages (1.15.0)\n"
        "<ipython-input-2-0a1b2c3d4e5f> in <module>\nAttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"uninstall -y tensorflow", r"install tensorflow==1\.15\.0", "restart the notebook"],
        ["conda", "tf_slim"],
    ),
    # The notebook is not started in the environment that was made for it.
    (
        "$ conda create -n deep python=3.10 tensorflow\n$ conda activate deep\n$ jupyter lab\n"
        "ModuleNotFoundError: No module named 'tensorflow'",
        LINUX,
        [r"\A.*\n.*kernel.*\nconda install -n ENV ipykernel\nThen\nconda run .* --user --name ENV"],
        [],
    ),
    (
        '$ conda env create --file gpu.yml\nThe "tensorflow-gpu" package has been removed!\nPlease install "tensorflow"',
        LINUX,
        [r"file, write tensorflow\[and-cuda\]"],
        ["pip install"],
    ),
    (
        "ERROR: Could not install packages due to an OSError: [WinError 5] Access is denied: "
        "'C:\\\\ProgramData\\\\Miniconda3\\\\"
        "Lib\\\\site-packages\\\\numpy\\\\core\\\\_multiarray.pyd'",
        WINDOWS,
        [r"for all users", r"python -m venv env"],
        [r"uninstall"],
    ),
    (
        "Requirement already satisfied: tensorflow-gpu in c:\\py\\lib\\site-packages (2.10.0)\n"
        '  Using cached tensorflow-gpu-2.12.0.tar.gz (2.6 kB)\n  python_version>"3.7"\nerror: metadata-generation-failed',
        {"os": "windows", "python": "3.9", "packages": {"tensorflow-gpu": "2.10.0"}},
        [r"Keep the tensorflow-gpu 2\.10\.0", r"wsl --install"],
        [r"pip install tensorflow\b"],
    ),
    (
        "Python 3.13.2 | packaged by conda-forge | (main, Feb 17 2025) [Clang 18.1.8 ] on darwin\n>>> import tensorflow\n"
        "libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: Invalid "
        "argument\n"
        "zsh: abort      python",
        {},
        [r"--python 3\.12 .*tensorflow<2\.20"],
        [r"doctor"],
    ),
    # JAX for TPUs stays in its release, except where that release's own libtpu is the faulty one.
    (LIBTPU, {"packages": {"jax": "0.4.20"}}, [r'"jax\[tpu\]==0\.4\.20" -f '], [r"upgrade"]),
    (LIBTPU, {"packages": {"jax": "0.4.14"}}, [r'"jax\[tpu\]==0\.4\.16" -f '], [r"upgrade", r"0\.4\.14\" -f"]),
    (
        "ERROR: Cannot uninstall 'wrapt'. It is a distutils installed project and thus we cannot accurately determine which "
        "files belong to it which would lead to only a partial uninstall.",
        {},
        [r"pip install --ignore-installed wrapt"],
        [r"uninstall -y tensorflow"],
    ),
    (
        "OSError: /src/bitsandbytes/bitsandbytes/libbitsandbytes_cuda126.so: cannot open shared object file: No such file",
        LINUX,
        [r"\.\s+Start the program in another folder"],
        [r"upgrade bitsandbytes"],
    ),
    # What is compiled by pip: PyTorch is there, and the isolated build does not see it.
    (
        "Collecting mamba-ssm\n  Getting requirements to build wheel ... error\n  error: subprocess-exited-with-error\n"
        "      ModuleNotFoundError: No module named 'torch'",
        {**LINUX, "packages": {"torch": "2.6.0"}},
        ["install mamba-ssm --no-build-isolation", "isolated build does not see"],
        ["install torch"],
    ),
    (
        ">>> onnxruntime.get_available_providers()\n['AzureExecutionProvider', 'CPUExecutionProvider']",
        {**LINUX, "gpu": "RTX 3090", "packages": {"onnxruntime": "1.22.0", "onnxruntime-gpu": "1.22.0"}},
        ["uninstall -y onnxruntime onnxruntime-gpu", r"onnxruntime-gpu==1\.22"],
        [r"onnxruntime-gpu$"],
    ),
    # The package for another maker's GPUs decides, and not the usual one.
    (
        ">>> onnxruntime.get_available_providers()\n['CPUExecutionProvider']",
        {**WINDOWS, "packages": {"onnxruntime-directml": "1.20.0", "onnxruntime": "1.20.0"}},
        ["uninstall -y onnxruntime onnxruntime-directml", r"install \"?onnxruntime-directml==1\.20"],
        ["onnxruntime-gpu"],
    ),
    (
        ">>> import pyarrow, tensorflow\n[mutex.cc : 452] RAW: Lock blocking 0x6000012a34b8   @",
        {**MAC, "arch": "arm64", "python": "3.11", "packages": {"tensorflow": "2.20.0"}},
        [r"install tensorflow==2\.19\.1"],
        ["Import tensorflow before", "devicekit doctor"],
    ),
    (  # no release before 2.20 has a wheel for it
        "import tensorflow\nlibc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock "
        "failed: Invalid argument",
        {**MAC, "arch": "arm64", "python": "3.13", "packages": {"tensorflow": "2.20.0"}},
        [r"python 3\.12 env", r"tensorflow<2\.20"],
        ["Import tensorflow before", r"^python -m pip install tensorflow==2\.19"],
    ),
    (
        "import tensorflow\n[mutex.cc : 452] RAW: Lock blocking 0x6000012a34b8   @",
        {**MAC, "python": "3.11", "packages": {"tensorflow": "2.18.0"}},
        ["Import tensorflow before"],
        [r"2\.19"],
    ),
    (
        '$ pip install tensorflow-gpu==1.12.0\n  File "/u/lib/python3.6/site-packages/tensorflow/python/keras/metrics.py", '
        "line 40, in <module>\n    from tensorflow.python.util.tf_export import keras_export\n"
        "ImportError: cannot import name 'keras_export'",
        {},
        ["two TensorFlows", r"uninstall -y .*tensorflow-gpu tensorflow\b", r"install tensorflow-gpu==1\.12\.0"],
        ["estimator"],
    ),
    (
        '  File "/usr/lib/python3.10/selectors.py", line 11, in <module>\n    import select\n'
        "  File \"/work/net/select.py\", line 1, in <module>\nAttributeError: module 'torch' has no attribute 'nn'",
        {},
        ["Rename /work/net/select.py"],
        ["reinstall"],
    ),
    # A module of TensorFlow's own that lacks a name is of another release: no program imports this one.
    (
        "AttributeError: module 'tensorflow.python.keras.utils.generic_utils' has no attribute "
        "'populate_dict_with_module_objects'",
        {**LINUX, "packages": {"tensorflow": "2.3.0"}},
        ["uninstall", r"tensorflow==2\.3\.0"],
        ["Import from the public place"],
    ),
    ("tensorflow==1.12.0\ntensorflow-gpu==1.12.0", {}, ["uninstall -y tensorflow tensorflow-gpu"], []),
    (
        "Requirement already satisfied: tensorflow in /opt/py/lib/python3.10/site-packages (2.15.0)\n"
        "/usr/bin/python3.8 /srv/net/main.py\nModuleNotFoundError: No module named 'tensorflow'",
        {},
        ["that is 3.8, and pip installed for 3.10", "/usr/bin/python3.8 -m pip install"],
        [],
    ),
    (
        "Requirement already satisfied: torch in c:\\python310\\lib\\site-packages (2.1.0)\n"
        "PS C:\\code> & C:/Python39/python.exe c:/code/a.py\nModuleNotFoundError: No module named 'torch'",
        {},
        ["C:/Python39/python.exe -m pip install"],
        [],
    ),
    (CLONE % "config", LINUX, ["another folder", "install -e"], ["pip check"]),
    # oneCCL, Metal's code, TPUs
    (
        "(77) |CCL_ERROR| global.cpp:99 f: failed\nto get it from ATL, set CCL_ZE_IPC_EXCHANGE=sockets explicitly",
        {**LINUX, "gpu": "Intel Data Center GPU Max"},
        ["CCL_ZE_IPC_EXCHANGE=sockets", "mpirun"],
        ["nvidia", ANY_INSTALL],
    ),
    ("oneCCL: atl_ofi_comm.cpp:9 f: EXCEPTION: failed to initialize ATL", LINUX, ["FI_PROVIDER_PATH"], ["nvidia"]),
    (
        "RuntimeError: oneCCL: exec.cpp:9 f: EXCEPTION: failed to start worker # 0",
        {},
        ["CCL_WORKER_AFFINITY"],
        ["nvidia"],
    ),
    (
        "ggml_metal_init: error: Error Domain=MTLLibraryErrorDomain Code=3 \"program_source:9:2: fatal error: 'ggml-x.h' file "
        'not found"',
        MAC,
        ["GGML_METAL_EMBED_LIBRARY", "Update the program"],
        ["macOS is too old"],
    ),
    ("AttributeError: module 'onnxruntime' has no attribute 'InferenceSession'", LINUX, ["uninstall -y"], ["torch"]),
    (
        "ModuleNotFoundError: No module named 'tensorflow'",
        {**LINUX, "packages": {"keras": "3.0.1", "torch": "2.1.2"}},
        ["KERAS_BACKEND=torch", "--upgrade keras"],
        ["wsl"],
    ),
    (
        ">>> import torch\n>>> import tensorflow\nSegmentation fault (core dumped)",
        LINUX,
        ["import TensorFlow first"],
        ["sudo"],
    ),
    # the rest, by system
    (NO_TF, {**LINUX, "gpu": "RTX 3060"}, [r"tensorflow\[and-cuda\]"], ["wsl"]),
    (NO_TF, WINDOWS, ["install tensorflow"], ["and-cuda", "sudo"]),
    ("ModuleNotFoundError: No module named 'torch'", LINUX, ["install torch"], ["tensorflow", "jax"]),
    (
        "Process finished with exit code -1073741819 (0xC0000005)",
        WINDOWS,
        ["PYTHONFAULTHANDLER"],
        ["sudo", ANY_INSTALL],
    ),
    (
        "/opt/v/lib/python3.6/site-packages/tensorflow/python/keras/activations/__init__.py in <module>()\n"
        "---> 22 from tensorflow.python.keras._impl.keras.activations import elu\n\nImportError: cannot import name 'elu'",
        LINUX,
        ["several releases", "uninstall"],
        ["driver"],
    ),
    ("zsh: no matches found: tensorflow[and-cuda]", LINUX, [r'install "tensorflow\[and-cuda\]"'], []),
    ("zsh: no matches found: tensorflow[and-cuda]", MAC, ["install tensorflow$", "for Linux"], []),
    # A name of a module is no distribution.
    (
        "ImportError: cannot import name 'tf_logging' from 'tensorflow.python.platform' (/venv/lib/python3.7/site-packages/"
        "tensorflow/python/platform/__init__.py)",
        {},
        ["uninstall -y tensorflow "],
        ["tf-logging"],
    ),
]
