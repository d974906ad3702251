"""Rows about other packages that do not fit."""

from log_rows.texts import ANY_INSTALL, IMPORTED, IMPORTS, LINUX, MAC, NO_VERSION, WINDOWS

WIN_127 = (
    "Traceback (most recent call last):\n"
    '  File "C:\\%s\\torchvision\\extension.py", line 24, in _load_library\n    torch.ops.load_library(lib_path)\n'
    '  File "C:\\env\\Lib\\site-packages\\torch\\_ops.py", line 1032, in load_library\n    ctypes.CDLL(path)\n'
    '  File "C:\\Python311\\Lib\\ctypes\\__init__.py", line 376, in __init__\n'
    "OSError: [WinError 127] The specified procedure could not be found"
)
OLD_FOR_LOAD = (
    "ValueError: Due to a serious vulnerability issue in `torch.load`, even with `weights_only=True`, we now require users "
    "to upgrade torch to at least v2.6 in order to use the function."
)
NO_OPERATION = (
    "NotFoundError: Op type not registered '%s' in binary running on host. Make sure the Op and Kernel are registered in the "
    "binary running in this process."
)
TF_IO = "NotImplementedError: unable to open file: libtensorflow_io.so, from paths: ['libtensorflow_io.so']"
NMS = "RuntimeError: operator torchvision::nms does not exist\n"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    (
        "AttributeError: jax.xla_computation is removed in jax v0.4.36; use jax.jit(f).lower(...) APIs.",
        {**LINUX, "packages": {"jax": "0.4.36"}},
        [r"jax<0\.4\.3"],
        ["--upgrade jax"],
    ),
    (
        "AttributeError: module 'pynvml' has no attribute 'nvmlDeviceGetComputeRunningProcesses_v3'",
        LINUX,
        ["uninstall -y pynvml", "--upgrade nvidia-ml-py"],
        ["pip show"],
    ),
    *(
        (line, {**LINUX, "python": "3.11"}, ["venv --python 3.%d .*install.*-model-maker" % minor], ["upgrade"])
        for minor, line in (
            (
                10,
                "ERROR: Cannot install mediapipe-model-maker==0.2.1 because these package versions have conflicting "
                "dependencies",
            ),
            (
                10,
                "ERROR: Could not find a version that satisfies the requirement tensorflow-text>=2.9 (from "
                "mediapipe-model-maker) (from versions: none)",
            ),
            (
                9,
                '  File "/env/lib/python3.11/site-packages/tflite_model_maker/config.py", line 2, in <module>\n'
                "ModuleNotFoundError: No module named 'tensorflow.python.keras.applications.efficientnet'",
            ),
        )
    ),
    (
        "AttributeError: module 'jax' has no attribute 'tree_multimap'",
        {"packages": {"jax": "0.3.17", "brax": "0.0.12"}},
        ["--upgrade brax"],
        [],
    ),
    (
        "ImportError: cannot import name 'index_add' from 'jax.ops' (/env/lib/python3.9/site-packages/jax/ops/__init__.py)",
        {**LINUX, "packages": {"jax": "0.4.20"}},
        ["from 0.3.2 on"],
        ["--upgrade jax"],
    ),
    (
        "ImportError: DLL load failed while importing _ext: The specified module could not be found.",
        {"os": "windows", "packages": {"mmcv-full": "1.7.0"}},
        ["mim install mmcv-full"],
        ["vc_?redist"],
    ),
    (
        '  File "C:\\env\\lib\\site-packages\\pointnet2_ops\\utils.py", line 3, in <module>\n'
        "ImportError: DLL load failed while importing _ext: The specified module could not be found.",
        {"os": "windows", "packages": {"torch": "2.1.0"}},
        ["another PyTorch"],
        ["mmcv|MMCV|OpenMMLab"],
    ),
    # Extensions by the file that was not found, or does not fit; what is older than Triton 3.
    (
        "NameError: name 'selective_scan_cuda_core' is not defined",
        {**LINUX, "packages": {"torch": "2.1.0+cu121", "mamba-ssm": "1.1.1"}},
        ["compiled part of a package is missing", "compile it again"],
        [],
    ),
    (
        "ImportError: /opt/e/lib/python3.11/site-packages/selective_scan_cuda.cpython-311-x86_64-linux-gnu.so: undefined "
        "symbol: _ZN3c104cuda9SetDeviceEi",
        {**LINUX, "packages": {"torch": "2.4.0+cu121"}},
        ["no-build-isolation mamba-ssm"],
        ["selective-scan "],
    ),
    (
        "ImportError: /home/me/src/detectron2/_C.cpython-39-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi",
        {**LINUX, "packages": {"torch": "2.4.0+cu121"}},
        ["detectron2"],
        ["PACKAGE"],
    ),
    (
        "ModuleNotFoundError: No module named 'triton.common'",
        {**LINUX, "packages": {"triton": "3.1.0"}},
        ["update the package in the traceback"],
        [],
    ),
    # What begins with std:: is of libstdc++, not of PyTorch.
    (
        "ImportError: /opt/e/lib/python3.6/site-packages/torch/_C.so: undefined symbol: _ZNSt12bad_weak_ptrD1Ev",
        LINUX,
        ["libstdc"],
        ["reinstall torch"],
    ),
    (
        '  File "C:\\Users\\me\\AppData\\Local\\Packages\\PythonSoftwareFoundation.Python.3.8_q\\torch\\__init__.py", '
        "line 8, in <module>\nImportError: DLL load failed: The specified module could not be found.",
        WINDOWS,
        ["PyTorch's native library", r"python\.org"],
        ["TensorFlow"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement libtpu-nightly==0.1.dev20230301 (from versions: none)",
        {**LINUX, "packages": {"jax": "0.4.8"}},
        [r'--upgrade "jax\[tpu\]"', r"-f \S*libtpu_releases\.html"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'jax.extend'\n"
        '  File "/env/lib/python3.9/site-packages/flax/core/lift.py", line 3',
        {**LINUX, "packages": {"jax": "0.4.6", "jaxlib": "0.4.6", "flax": "0.8.5"}},
        [r"keep this JAX.*\n.*install flax==0\.7\.4"],
        [],
    ),
    # A graph of a newer TensorFlow, by what else it says.
    (
        "ValueError: ('There is a cyclic dependency between functions. ', \"Could not resolve ['__inference_call_17'].\")",
        {"packages": {"tensorflow": "2.3.1"}},
        ["newer TensorFlow", "--upgrade tensorflow"],
        ["operation"],
    ),
    (
        "ValueError: NodeDef mentions attr 'debug_name' not in Op<name=VarHandleOp; signature= -> resource:resource>",
        {"packages": {"tensorflow": "2.12.0"}},
        ["newer TensorFlow", "--upgrade tensorflow"],
        [],
    ),
    (
        "ValueError: The type '9' is not supported by this version of TensorFlow. (The object you are loading must have been "
        "created with a newer version of TensorFlow.)",
        {"packages": {"tensorflow": "2.1.0"}},
        ["newer TensorFlow"],
        [],
    ),
    # A release that forgot an import; all releases of one package exclude something.
    (
        'Traceback (most recent call last):\n  File "/e/lib/python3.6/site-packages/keras/preprocessing/image.py", line 9, in '
        '<module>\n  File "/e/lib/python3.6/site-packages/keras_preprocessing/image/iterator.py", line 20, in <module>\n'
        "NameError: name 'glob' is not defined",
        {},
        ["--upgrade keras-preprocessing"],
        ["not known"],
    ),
    # What a package uses although its import of it failed.
    *(
        (
            'Traceback (most recent call last):\n  File "/e/lib/python3.10/site-packages/textmodels/auto.py", line 9, '
            'in load\n    return build()\n  File "/e/lib/python3.10/site-packages/textmodels/parts.py", line 20, in build\n'
            "    part = make()\nNameError: name '%s' is not defined" % name,
            {},
            ["uses a name that it never imported", "--upgrade %s\n" % package, "--upgrade textmodels"],
            ["do not fit together:"],
        )
        for name, package in (("nn", "torch"), ("tf", "tensorflow"), ("init_empty_weights", "accelerate"))
    ),
    (
        "ERROR: Cannot install modelkit==0.4.2 and modelkit==0.4.1 because these package versions have conflicting "
        "dependencies.\n    modelkit 0.4.2 depends on indexer==1.2.6\n    modelkit 0.4.1 depends on coder==0.53",
        {"python": "3.11"},
        ["Python of the time of modelkit"],
        ["Loosen"],
    ),
    # Two add-ons that require a PyTorch each; SGLang's kernels; a name that JAX has no longer.
    (
        "torchvision 0.20.1 requires torch==2.5.1, but you have torch 2.6.0 which is incompatible.\n"
        "vllm 0.6.3 requires torch==2.4.0, but you have torch 2.6.0 which is incompatible.",
        {"os": "linux"},
        [r"No PyTorch suits all \(torchvision 0.20.1 requires torch==2.5.1; vllm 0.6.3 requires torch==2.4.0\)"],
        ["pip install"],
    ),
    (
        "torchvision 0.20.1 requires torch==2.5.1, but you have torch 2.6.0 which is incompatible.\n"
        "torchaudio 2.5.1 requires torch==2.5.1, but you have torch 2.6.0 which is incompatible.",
        {"os": "linux"},
        ["pip install"],
        ["No PyTorch suits"],
    ),
    (
        "ImportError: \n[sgl_kernel] CRITICAL: Could not load any common_ops library!\n"
        "- ImportError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"sglang": "0.5.2"}},
        ["install --force-reinstall --no-cache-dir sglang"],
        ["lib64"],
    ),
    (
        "AttributeError: module 'jax' has no attribute 'api'",
        {"packages": {"jax": "0.4.30", "flax": None}},
        [r"from 0\.2\.21 on", "flax"],
        [r"--upgrade jax jaxlib"],
    ),
    # An add-on that says for which TensorFlow it is, to the last number.
    (
        "WARNING:root:TensorFlow Decision Forests 1.9.0 is compatible with the following TensorFlow Versions: ['2.16.1']. "
        "However, TensorFlow 2.16.2 was detected.",
        {"packages": {"tensorflow": "2.16.2", "tensorflow-decision-forests": "1.9.0"}},
        [r"tensorflow==2\.16\.1"],
        ["force-reinstall"],
    ),
    # The file of an add-on that asks for what TensorFlow lacks is as telling as the line.
    (
        "Traceback (most recent call last):\n"
        '  File "/venv/lib/python3.8/site-packages/tensorflow_io/python/ops/core_ops.py", line 9, in <module>\n'
        "AttributeError: module 'tensorflow._api.v2.experimental' has no attribute 'register_filesystem_plugin'",
        {**LINUX, "packages": {"tensorflow": "2.3.0"}},
        [r"tensorflow-io==0\.16"],
        ["Install what is named"],
    ),
    (
        "ImportError: cannot import name 'tf_utils' from 'tensorflow.keras.utils' (/venv/keras/utils/__init__.py)",
        {**LINUX, "packages": {"tensorflow": "2.6.0", "tensorflow-addons": ""}},
        ["TensorFlow Addons was made for another", "tensorflow-addons=="],
        [],
    ),
    (
        "UnimplementedError: File system scheme 'hdfs' not implemented (file: 'hdfs://a/b')",
        {**LINUX, "packages": {"tensorflow": "2.8.0"}},
        ["Import tensorflow_io before the first hdfs path", r"tensorflow-io==0\.2\d"],
        ["/CPU:0"],
    ),
    # Transformers 5 and a PyTorch that has to stay.
    (
        "ImportError: cannot import name 'DTensor' from 'torch.distributed.tensor'",
        {"os": "linux", "packages": {"torch": "2.4.1", "transformers": "5.1.0", "vllm": "0.6.2"}},
        ['pip install "transformers<5"'],
        ["upgrade torch"],
    ),
    (
        "ImportError: cannot import name 'DTensor' from 'torch.distributed.tensor'",
        {"os": "linux", "packages": {"torch": "2.4.1", "transformers": "5.1.0"}},
        ["upgrade torch", 'pip install "transformers<5"'],
        [],
    ),
    (
        "[transformers] Disabling PyTorch because PyTorch >= 2.4 is required but found 2.2.1",
        {"os": "macos", "arch": "x86_64", "packages": {"torch": "2.2.1", "transformers": "5.3.0"}},
        ["last one for Macs", 'pip install "transformers<5"'],
        ["upgrade torch"],
    ),
    (
        "graph/xml.cc:300 NCCL WARN Could not find real path of /sys/class/pci_bus/0000:09/../../0000:09:00.0",
        {"os": "wsl2"},
        [r"from 2\.11 on", "Update PyTorch"],
        [],
    ),
    # Extensions that PyTorch compiles, and Intel's newer kind of device.
    (
        "ValueError: invalid literal for int() with base 10: '120a'",
        {"os": "linux", "packages": {"torch": ""}},
        ["TORCH_CUDA_ARCH_LIST"],
        [],
    ),
    (
        "RuntimeError: operator torchvision::nms does not exist",
        {"os": "windows", "gpu": "Intel(R) UHD Graphics 620", "python": "3.11"},
        ["torchvision", "whl/cpu|pip install torch"],
        ["whl/xpu"],
    ),
    (
        "ImportError: cannot import name 'model_lib_v2' from 'object_detection'",
        {},
        ["uninstall -y object-detection", "models/research"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow.compat.v1'",
        {"packages": {"tensorflow-gpu": "1.12"}},
        [r"tensorflow-gpu==1\.15\.\*"],
        ["uninstall"],
    ),
    (
        "  from tensorflow.python import tf2\nImportError: cannot import name 'tf2'",
        {"os": "linux", "packages": {"tensorflow": "1.12"}},
        [r"tensorflow==1\.15\.\*"],
        [],
    ),
    (
        "NotFoundError: dlopen(/Users/a/ops.so, 6): Symbol not found: __ZN10tensorflow11GetNodeAttrE",
        {"os": "macos", "python": "3.6"},
        ["Compile that library again", "get_link_flags"],
        ["pip check"],
    ),
    (
        "WARNING:root:Failure to load the custom c++ tensorflow ops. This error is likely caused the version of "
        "TensorFlow and TensorFlow Decision Forests are not compatible.",
        {"os": "linux", "packages": {"tensorflow": "2.12.0"}},
        [r"tensorflow-decision-forests==1\.[34]"],
        [],
    ),
    (
        "xformers 0.0.28.post3 requires torch==2.5.1, but you have torch 2.4.0 which is incompatible.\n"
        "Successfully installed torch-2.4.0 torchaudio-2.4.0 torchvision-0.19.0",
        {},
        [r"install xformers==0\.0\.27\.post2"],
        [],
    ),
    (
        "ImportError: /e/site-packages/torchvision/_C.so: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationE",
        {"os": "linux", "python": "3.7", "packages": {"torch": "1.3"}},
        [r"torchvision==0\.4\.1"],
        ["whl/cu"],
    ),
    (
        "ImportError: No lion_pytorch / lion_pytorch がインストールされていないようです",
        {"os": "windows"},
        ["pip install lion_pytorch"],
        [],
    ),
    # What TensorFlow 1.0 renamed, as Python 2 and 3 say it.
    (
        "AttributeError: 'module' object has no attribute 'unpack'",
        {"python": "2.7", "packages": {"tensorflow": "1.0"}},
        ["unstack"],
        ["pip install"],
    ),
    (
        "AttributeError: module 'tensorflow.python.training.training' has no attribute 'SummaryWriter'",
        {},
        ["FileWriter"],
        ["uninstall"],
    ),
    (
        "RuntimeError: nms is not compiled with GPU support",
        {"packages": {"torch": "1.8.2+cu102", "mmcv-full": "1.3"}},
        ["mmcv-full"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'mmcv._ext'",
        {"packages": {"torch": "1.11.0+cu115", "mmdet": "2.22.0"}},
        ["mmcv-full==1"],
        [],
    ),
    (
        "ImportError: /env/python3.7/site-packages/mmcv/_ext.cpython-37m-x86_64-linux-gnu.so: undefined symbol: _ZTIN3c10E",
        {"packages": {"torch": "1.7.1", "mmdet": "2.7.0"}},
        ["another PyTorch", "mim install mmcv-full"],
        [],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'pack'",
        {"os": "linux", "packages": {"tensorflow": "1.2.0"}},
        ["stack and unstack"],
        ["compat"],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow_core.estimator'",
        {"os": "linux", "packages": {"tensorflow": "1.15.0", "tensorflow-estimator": "2.1.0"}},
        [r"tensorflow-estimator==1\.15\.\*"],
        [],
    ),
    (
        "NotFoundError: /srv/a.so: undefined symbol: _ZN10tensorflow8internal21CheckOpMessageBuilder9NewStringB5cxx11Ev",
        {"os": "linux", "packages": {"tensorflow": "1.0.1"}},
        ["_GLIBCXX_USE_CXX11_ABI=0"],
        [],
    ),
    # Import names that differ from those of the distributions.
    (
        "ModuleNotFoundError: No module named 'grpc'",
        {"packages": {"tensorflow": "2.10.0"}},
        ['install "?grpcio'],
        ["install grpc$"],
    ),
    # The release is that of TensorFlow, and the build is another one than PyPI's.
    (
        "NotFoundError: /srv/env/lib/python3.7/site-packages/tensorflow_text/python/metrics/_text_similarity_metric_ops.so: "
        "undefined symbol: _ZN10tensorflow8OpKernel11TraceStringEPNS_15OpKernelContextEb",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow-gpu": "2.4.1", "tensorflow-text": "2.4.1"}},
        [r"force-reinstall --no-cache-dir .?tensorflow-gpu==2\.4\."],
        [r"install tensorflow-text"],
    ),
    (
        "ImportError: cannot import name 'get_submodules_from_kwargs'",
        {},
        ["keras-applications==1.0.8"],
        ["keras==2"],
    ),
    (
        "ImportError: dlopen(/Users/c/site-packages/h5py/_errors.cpython-36m-darwin.so, 2): Library not loaded: "
        "@loader_path/.dylibs/libhdf5.101.dylib\n"
        "  Reason: Incompatible library version: _errors.cpython-36m-darwin.so requires version 103.0.0 or later, but "
        "libhdf5.101.dylib provides version 102.0.0",
        {},
        ["needs a newer libhdf5", "DYLD_LIBRARY_PATH"],
        ["is not there"],
    ),
    # What the program compiles itself, for TensorFlow's headers; TensorFlow 1 on Windows.
    (
        "tensorflow.python.framework.errors_impl.NotFoundError: ./my_reader_op.so: undefined symbol: "
        "_ZTIN10tensorflow8OpKernelE",
        {"os": "linux", "packages": {"tensorflow": "1.12.0"}},
        ["Compile that library again", "get_compile_flags"],
        [ANY_INSTALL],
    ),
    (
        "op.cu(31): error: no instance of constructor "
        '"tensorflow::register_op::OpDefBuilderWrapper::OpDefBuilderWrapper" matches the argument list',
        {"os": "windows", "packages": {"tensorflow": "2.8.0"}},
        [r"--std=c\+\+14"],
        ["gcc", ANY_INSTALL],
    ),
    (
        "error: cannot call member function 'bool google::protobuf::Map<Key, T>::InnerMap::TableEntryIsList(a) const'",
        {"os": "linux", "packages": {"tensorflow": "1.15.0"}},
        [r"-ccbin g\+\+-7"],
        [ANY_INSTALL],
    ),
    (
        "nvidia-tensorflow 1.15.4+nv20.11 requires nvidia-tensorboard==1.15.0+nv20.11, but you have nvidia-tensorboard "
        "1.15.0+nv20.12 which is incompatible.",
        {},
        [r"nvidia-tensorboard==1\.15\.0\+nv20\.11"],
        ["CUDA", "LD_LIBRARY_PATH"],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'python'",
        {"packages": {"tensorflow": "2.1.0"}},
        ["public name"],
        [ANY_INSTALL],
    ),
    # An estimator of another release than TensorFlow.
    (
        IMPORTED % "tensorflow_estimator/python/estimator/run_config.py"
        + "AttributeError: module 'tensorflow.tools.docs.doc_controls' has no attribute 'inheritable_header'",
        {"packages": {"tensorflow": "1.15.0"}},
        [r'install "tensorflow-estimator==1\.15\.\*"'],
        ["uninstall"],
    ),
    (
        IMPORTED % "tensorflow_estimator/python/estimator/estimator.py"
        + "ImportError: cannot import name 'function_utils'",
        {"packages": {"tensorflow": "1.13.1"}},
        [r'install "tensorflow-estimator==1\.13\.\*"'],
        ["uninstall"],
    ),
    (
        "NotFoundError: Op type not registered 'ResizeNearestNeighborV9' in binary running on host.",
        {},
        ["made by a newer TensorFlow"],
        [ANY_INSTALL],
    ),
    (
        "NotFoundError: libtensorflow_framework.so.1: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow": "2.8.0"}},
        [r"1\.14 and 1\.15", "Compile it again"],
        ["uninstall"],
    ),
    # Operations of an add-on, and where it has no wheel for the release.
    (
        NO_OPERATION % "CaseFoldUTF8",
        {"os": "linux", "packages": {"tensorflow": "2.4.1"}},
        ["import tensorflow_text", r"tensorflow-text==2\.4\.\d$"],
        [],
    ),
    (
        NO_OPERATION % "CaseFoldUTF8",
        {"os": "windows", "python": "3.10", "packages": {"tensorflow": "2.15.0"}},
        ["WSL 2", r'"tensorflow==2\.10\.\*" "tensorflow-text==2\.10\.\*"'],
        ["text==2.15"],
    ),
    (
        NO_OPERATION % "SentencepieceOp",
        {"os": "macos", "arch": "arm64", "python": "3.10", "packages": {"tensorflow": "2.15.0"}},
        [r'"tensorflow==2\.17\.\*" "tensorflow-text==2\.17\.\*"'],
        ["text==2.15", "WSL"],
    ),
    (
        NO_OPERATION % "NormalizeUTF8",
        {"os": "macos", "packages": {"tensorflow-macos": "0.1a3"}},
        ["import tensorflow_text"],
        ["==0"],
    ),
    (
        NO_OPERATION % "Addons>MatchBilinear",
        {"os": "linux", "packages": {"tensorflow": "2.9.0"}},
        ["Addons>MatchBilinear", "import the add-on"],
        ["tensorflow-text"],
    ),
    (
        "ValueError: Using a `device_map` requires `accelerate`. You can install it with `pip install accelerate`",
        {},
        [r"pip install accelerate"],
        [],
    ),
    ("fatal error: 'level_zero/ze_api.h' file not found", LINUX, [r"libze-dev"], []),
    (
        "terminate called after throwing an instance of 'dnnl::error'\n  what():  could not create an engine",
        {"os": "linux", "gpu": "Intel Max 1550", "packages": {"intel-extension-for-tensorflow": "2.14.0.1"}},
        [r"oneAPI.*sycl-ls"],
        [r"install.*torch"],
    ),
    (
        "importlib.metadata.PackageNotFoundError: No package metadata was found for auto-gptq",
        LINUX,
        [r"pip install auto-gptq$"],
        [r"reinstall"],
    ),
    (
        "Could not find cuda drivers on your machine\nlibimf.so: cannot open shared object file: No such file or directory",
        {"os": "linux", "gpu": "Intel Max 1550", "packages": {"intel-extension-for-tensorflow": "2.14.0.1"}},
        [r"oneAPI"],
        [r"Keras 3 on PyTorch"],
    ),
    (
        "TypeError: this __dict__ descriptor does not support '_DictWrapper' objects",
        {"os": "linux", "python": "3.12", "packages": {"tensorflow": "2.16.1"}},
        ["WRAPT_DISABLE_EXTENSIONS"],
        ["typing-extensions<"],
    ),
    (
        "AttributeError: 'NoneType' object has no attribute 'cget_managed_ptr'",
        {"os": "windows", "packages": {"bitsandbytes": "0.41.1", "torch": "2.1.2+cu118"}},
        ["--upgrade bitsandbytes"],
        ["not known"],
    ),
    (
        "AttributeError: module 'torch.library' has no attribute 'register_fake'",
        {"os": "windows", "packages": {"torch": "2.3.1+cu121", "torchvision": "0.20.0"}},
        ["torchvision==0\\.18\\.1\\+cu121"],
        ["torch==2\\.7"],
    ),
    (
        "OSError: /e/site-packages/torchaudio/_torchaudio.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs",
        {"os": "linux", "packages": {"torch": "1.8.0", "torchaudio": "0.8.0"}, "python": "3.8"},
        ["torch==1\\.8\\.0 torchaudio==0\\.8\\.0 -f \\S+/torch_stable\\.html"],
        ["whl/cu12"],
    ),
    (
        "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
        {"os": "windows", "packages": {"torch": "2.5.1+cu124", "triton-windows": "3.1.0"}},
        ["BuildTools", "triton-windows"],
        ["headers", "python\\.org"],
    ),
    (
        '  File "/opt/conda/lib/python3.10/site-packages/torch_sparse/__init__.py", line 19, in <module>\n'
        "    torch.ops.load_library(spec.origin)\n"
        "OSError: libtorch_cuda_cpp.so: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"torch": "2.1.0+cu121", "torch-sparse": "0.6.15"}},
        ["torch_sparse .*torch-2\\.1\\.0\\+cu121\\.html"],
        ["pytorch3d"],
    ),
    # The same release again brings nothing that it does not have.
    (
        "AttributeError: module 'tensorflow' has no attribute 'function'",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow": "1.9.0"}},
        [r"tensorflow==2\.6\.2"],
        [r"1\.9\.0 again"],
    ),
    (
        "NotFoundError: /srv/env/lib/python3.6/site-packages/tf_sentencepiece/_ops.so.1.15.0: undefined symbol: "
        "_ZN10tensorflow14kernel_factory17OpKernelRegistrar12InitInternalEv",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow": "2.3.0"}},
        ["tf-sentencepiece that was released for"],
        [r"install tensorflow==2\.3\.0"],
    ),
    (
        IMPORTED % "shimmy/openai_gym_compatibility.py" + "    from gymnasium.wrappers.compatibility import LegacyEnv\n"
        "ModuleNotFoundError: No module named 'gymnasium.wrappers.compatibility'",
        {"os": "linux", "python": "3.10", "packages": {"stable-baselines3": "2.3.2", "gymnasium": "1.0.0a2"}},
        [r"gymnasium<1\.0"],
        [],
    ),
    (
        "Building wheels for collected packages: cupy\n  ERROR: Failed building wheel for cupy\nfatal error: cuda.h: No such "
        "file or directory",
        {"os": "linux", "python": "3.9"},
        ["cupy-cuda12x"],
        ["CUDA_HOME"],
    ),
    (
        NO_VERSION % "detectron2",
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.1.0"}},
        [r"--no-build-isolation git\+https://github.com/facebookresearch/detectron2"],
        ["Take another release"],
    ),
    # Another release of TensorFlow has no such private name: which Addons go with it.
    (
        IMPORTED % "tensorflow_addons/utils/types.py"
        + "    from tensorflow.python.keras.engine import keras_tensor\nImportError: cannot import name 'keras_tensor'",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "2.1.0"}},
        [r"tensorflow-addons==0\.9"],
        ["public place"],
    ),
    # What MMCV 2 moved to MMEngine.
    (
        IMPORTED % "mmseg/apis/train.py" + "    from mmcv.runner import build_runner\n"
        "ModuleNotFoundError: No module named 'mmcv.runner'",
        {"os": "linux", "python": "3.8", "packages": {"mmcv": "2.1.0", "torch": "1.13.1+cu117"}},
        ["mmcv-full<2", "--upgrade mmseg"],
        ["install torch"],
    ),
    (
        "ImportError: cannot import name 'TORCH_VERSION' from 'mmcv.utils'",
        {"packages": {"mmcv": "2.0.0"}},
        ["mmengine", "mmcv-full<2"],
        ["not known"],
    ),
    (
        "ValueError: Cannot use GPU, CuPy is not installed",
        {"os": "linux", "packages": {"spacy": "3.7.4"}, "driver": "535.1", "gpu": "RTX 3060"},
        ["cupy-cuda12x"],
        ["pip list"],
    ),
    ((NO_VERSION % "cudf-cu12"), {"os": "windows", "python": "3.11"}, ["WSL 2"], ["Take another release"]),
    # A package of TensorFlow 1 that no release follows.
    (
        IMPORTED % "stable_baselines/common/misc_util.py" + "    import tensorflow.contrib as tc\n"
        "ModuleNotFoundError: No module named 'tensorflow.contrib'",
        {"os": "linux", "packages": {"stable-baselines": "2.10.2", "tensorflow": "2.9.1"}},
        [r"python 3\.7|python=3\.7", r"tensorflow==1\.15", "stable-baselines3"],
        ["--upgrade"],
    ),
    # JAX says itself when it removed something; its own modules change with each release.
    (
        "AttributeError: jax.interpreters.xla.pytype_aval_mappings was deprecated in JAX v0.5.0 and removed in JAX v0.7.0.",
        {"packages": {"jax": "0.7.2", "numpyro": "0.13"}},
        ["from 0.7.0 on", "--upgrade numpyro"],
        [],
    ),
    (
        "ImportError: cannot import name 'safe_map' from 'jax._src.util' (/x/site-packages/jax/_src/util.py)",
        {"packages": {"jax": "0.6.0", "optax": "0.1.4"}},
        ["--upgrade optax"],
        [],
    ),
    # A jaxlib for this Python on this system does not exist.
    (
        "ImportError: jax requires jaxlib to be installed.",
        {"os": "windows", "python": "3.8"},
        ["no wheel for Python 3.8", "jax"],
        ["--upgrade jax"],
    ),
    (
        "error: Microsoft Visual C++ 14.0 or greater is required.",
        {"os": "windows", "python": "3.12"},
        ["BuildTools"],
        ["apt-get"],
    ),
    (
        IMPORTED % "gym/spaces/box.py" + "ModuleNotFoundError: No module named 'imp'",
        {"python": "3.12"},
        ["--upgrade gym", "--python 3.11"],
        ["install imp", "setuptools"],
    ),
    (
        "AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'",
        {"packages": {"pillow": "10.0.0"}},
        ["pillow<10", "LANCZOS"],
        [],
    ),
    (
        "!pip install --upgrade torch torchaudio\n"
        "AttributeError: module 'torchaudio._internal.module_utils' has no attribute 'requires_sox'",
        {"packages": {"torch": "1.9.0"}},
        ["Restart the kernel first", r"torchaudio==0\.9\.0"],
        [],
    ),
    (
        "Exception: Open3D was not built with PyTorch support!",
        LINUX,
        ["documentation of Open3D", "release of PyTorch"],
        ["uninstall"],
    ),
    (
        "AssertionError: MMCV==2.2.0 is used but incompatible. Please install mmcv>=2.0.0rc4, <2.2.0.",
        {},
        [r'install "mmcv>=2\.0\.0rc4, <2\.2\.0"'],
        ["doctor"],
    ),
    (
        IMPORTED
        % "trl/trainer/sft.py"
        + '  File "/srv/env/lib/python3.11/site-packages/peft/config.py", line 130, in load\n    return cls(**kwargs)\n'
        "TypeError: LoraConfig.__init__() got an unexpected keyword argument 'corda_config'",
        {},
        ["--upgrade peft", "pip check"],
        ["doctor"],
    ),
    (
        "pydantic 2.3.0 requires typing-extensions>=4.6.1, but you have typing-extensions 4.5.0 which is incompatible.\n"
        "Successfully installed keras-2.13.1 tensorflow-2.13.0 typing-extensions-4.5.0",
        {},
        [r"tensorflow>=2\.14"],
        [r'install "typing-extensions'],
    ),
    (
        "pydantic 2.3.0 requires typing-extensions>=4.6.1, but you have typing-extensions 4.5.0 which is incompatible.",
        {"packages": {"tensorflow": "2.15.0"}},  # which does not bound it
        [r"typing-extensions>=4\.6\.1"],
        [],
    ),
    (
        "SM80 kernel is not available. Make sure you GPUs with compute capability 8.0 or higher.\nCUDA, torch 2.8.0+cu128",
        WINDOWS,
        ["pip show torch sageattention", "without --use-sage-attention"],
        ["index-url"],
    ),
    (
        "  Using cached leftpad-0.4.0.tar.gz (69 kB)\n  error: subprocess-exited-with-error\n      error: odd option",
        {"os": "linux", "python": "3.13"},
        ["--only-binary=:all: leftpad", "odd option"],
        [],
    ),
    (
        "  Downloading grpcio-1.44.0.tar.gz (21 MB)\n  error: subprocess-exited-with-error\n"
        "      ModuleNotFoundError: No module named 'pkg_resources'",
        {"os": "windows", "python": "3.12"},
        ["grpcio>="],
        ["setuptools<"],
    ),
    # Releases of one package exclude each other: what each of them needs is not to be had.
    (
        "  Using cached leftpad-1.0-cp310-cp310-macosx_12_0_arm64.whl (2 MB)\nERROR: Cannot install pad[gpu]==2.1 and "
        "pad[gpu]==2.0 because these package versions have conflicting dependencies.\n"
        '    pad[gpu] 2.1 depends on onnxruntime-gpu==1.12.1; extra == "gpu"\n'
        '    pad[gpu] 2.0 depends on onnxruntime-gpu==1.12.1; extra == "gpu"',
        {},
        ["not made for macOS", "install pad$"],
        ["excludes each other into"],
    ),
    (
        "ERROR: Cannot install pad==2.1 and pad==2.0 because these package versions have conflicting dependencies.\n"
        "    pad 2.1 depends on odd==1.12.1\n    pad 2.0 depends on odd==1.12.1",
        {"os": "linux"},
        ["no such odd for this Python"],
        ["Loosen"],
    ),
    # RAPIDS' packages are in NVIDIA's index, under other names.
    (
        "ERROR: Could not find a version that satisfies the requirement dask-cudf (from versions: none)",
        {"os": "linux"},
        ["pypi.nvidia.com dask-cudf-cu12"],
        ["Take another release"],
    ),
    # TensorFlow Text goes with one release of TensorFlow; another one would take TensorFlow along.
    (
        "ImportError: WordPieceTokenizer requires the `tensorflow-text` package. Please install with `pip install "
        "tensorflow-text`.",
        {"packages": {"tensorflow": "2.15.0"}},
        [r"tensorflow-text==2\.15"],
        ["install tensorflow-text$"],
    ),
    # A model that was saved whole: PyTorch's classes changed since.
    (
        "YOLOv5 torch 1.11.0+cu113\nAttributeError: 'Upsample' object has no attribute 'recompute_scale_factor'",
        {"os": "windows"},
        ["git pull", "before 1.11", "state_dict"],
        [],
    ),
    # A resolver tries release after release where none has a wheel.
    (
        "ERROR: Cannot install tfx==1.11.0 and tfx==1.12.0 because these package versions have conflicting dependencies.\n"
        "    tfx 1.12.0 depends on tensorflow<2.12 and >=2.11.0\n",
        {"os": "macos", "arch": "arm64", "python": "3.9"},
        ["tensorflow<2.12 and >=2.11.0, of which no release has a wheel", "container"],
        ["Loosen", "excludes each other into"],
    ),
    (
        "ERROR: Cannot install tfx==1.11.0 and tfx==1.12.0 because these package versions have conflicting dependencies.\n"
        "    tfx 1.12.0 depends on tensorflow<2.12 and >=2.11.0\n",
        {"os": "linux", "python": "3.9"},
        ["excludes each other into"],
        ["no release has a wheel"],
    ),
    # Each release of TensorFlow is built with one of bazel.
    (
        "ERROR: Unrecognized option: --experimental_repo_remote_exec",
        {"os": "linux"},
        ["bazelisk", "git checkout"],
        ["pip"],
    ),
    # What a package imports and does not require is mostly called as it is imported.
    (
        IMPORTED % "tensorflow_datasets/core/dataset_builder.py"
        + "ModuleNotFoundError: No module named 'importlib_resources'",
        {"packages": {"tensorflow": "2.18.0"}},
        ["pip install importlib-resources"],
        ["works with TensorFlow"],
    ),
    (
        'Traceback (most recent call last):\n  File "/home/u/app/train.py", line 1, in <module>\n'
        "ModuleNotFoundError: No module named 'wibble'",
        {"packages": {"tensorflow": "2.18.0"}},
        ["README", "PYTHONPATH"],
        ["pip install"],
    ),
    # A compiler by its full name, in the output of Docker: there the user is root.
    (
        "FROM python:3.11-slim\n#8 6.315   error: command 'aarch64-linux-gnu-gcc' failed: No such file or directory",
        {"os": "container"},
        ["apt-get update && apt-get install -y build-essential", "Dockerfile"],
        ["sudo"],
    ),
    # Only Microsoft's compiler says so, and the redistributable has none.
    (
        "error: Microsoft Visual C++ 14.0 or greater is required. Get it with",
        {},
        [r"winget install --id Microsoft.VisualStudio.2022.BuildTools"],
        ["apt-get", "embedded"],
    ),
    # The program's own file imports what the library had: mostly the newest is there.
    (
        'Traceback (most recent call last):\n  File "/home/u/app/face.py", line 9, in <module>\n'
        "    from deepface.commons import distance\nImportError: cannot import name 'distance' from 'deepface.commons' "
        "(/home/u/env/lib/python3.10/site-packages/deepface/commons/__init__.py)",
        {},
        [r"\A.*\n.*mostly an older one", "Or, if|If what is installed is older"],
        [],
    ),
    # The traceback of the error, where another one was quoted without any above.
    (
        'ValueError: not this one\nTraceback (most recent call last):\n  File "/home/u/app/face.py", line 9, in <module>\n'
        "ImportError: cannot import name 'distance' from 'deepface.commons' (/home/u/env/lib/python3.10/site-packages/x.py)",
        {},
        ["mostly an older one"],
        [],
    ),
    # A name that the framework does not have: the same release again has no more.
    (
        "cannot import name 'log' from 'torch.distributed.elastic.agent.server.api' (/x/lib/python3.10/site-packages/torch/"
        "distributed/elastic/agent/server/api.py)",
        {"packages": {"torch": "2.4.0", "deepspeed": "0.14.0"}},
        ["--upgrade deepspeed", "PyTorch that it was released for"],
        ["torch==2.4.0"],
    ),
    # The step for another system stays away, whatever it would install.
    (
        "RuntimeError: Cannot find a working triton installation.",
        {"os": "windows", "gpu": "RTX 3060", "packages": {"torch": None}},
        ["triton-windows"],
        ["On Linux", "install torch"],
    ),
    # A library without its path is of the one package that the facts name; some are not on PyPI.
    (
        "ImportError: _C.cpython-38-x86_64-linux-gnu.so: undefined symbol: _ZN3c106detail14torchCheckFailE",
        {"packages": {"torch": "1.9.0", "detectron2": None}},
        [r"git\+https://github\.com/facebookresearch/detectron2"],
        [r"install torch=="],
    ),
    (
        "ImportError: /u/src/iou3d/iou3d.cpython-37m-x86_64-linux-gnu.so: undefined symbol: _ZN6caffe28TypeMeta21_typeMetaE",
        {},
        ["compile it again", "--no-build-isolation"],
        ["install torch"],
    ),
    (
        "ImportError: /x/lib/python3.7/site-packages/mmcv/_ext.cpython-37m-linux-gnu.so: undefined symbol: THPVariableClass",
        {},
        ["mmcv"],
        ["install torch"],
    ),
    # What another package requires, and nothing else decides.
    (
        "vllm 0.9.0 requires transformers>=4.51.1, but you have transformers 4.40.0 which is incompatible.",
        {},
        [r'install "?transformers>=4\.51\.1', "environment each"],
        [],
    ),
    # The add-on is the one for this TensorFlow: then the TensorFlow is another build.
    (
        "NotFoundError: /x/lib/python3.8/site-packages/tensorflow_addons/custom_ops/image/_image_ops.so: undefined symbol: "
        "_ZN10tensorflow12OpDefBuilder4AttrESs",
        {"os": "linux", "packages": {"tensorflow": "2.0.0", "tensorflow-addons": "0.6.0"}},
        [r"--force-reinstall .*tensorflow==2\.0\.\*"],
        [r"install tensorflow-addons"],
    ),
    (
        "NotFoundError: /x/lib/python3.6/site-packages/tensorflow_addons/custom_ops/image/_image_ops.so: undefined symbol: "
        "_ZN10tensorflow12OpDefBuilder4AttrESs",
        {"os": "linux"},
        [r"python 3\.11 env"],
        [r"^python -m pip install"],
    ),
    # A library for GPUs that is not installed, under the name that it has on PyPI; a protobuf that another package takes.
    (
        "ModuleNotFoundError: No module named 'cuml'",
        {"os": "linux", "driver": "550.54"},
        [r"extra-index-url=https://pypi\.nvidia\.com cuml-cu12"],
        ["Install what is named"],
    ),
    ("ModuleNotFoundError: No module named 'onnxruntime'", {"os": "macos"}, ["pip install onnxruntime$"], ["-gpu"]),
    ("ModuleNotFoundError: No module named 'numba'", {}, ["pip install numba$"], ["numba-cuda"]),
    ("ModuleNotFoundError: No module named 'cudf'", {"os": "windows"}, ["WSL 2"], ["pip install"]),
    (
        "ModuleNotFoundError: No module named 'cupy'",
        {"os": "windows", "driver": "472.12"},
        ["cupy-cuda11x"],
        ["cuda12x"],
    ),
    (
        "ModuleNotFoundError: No module named 'onnxruntime'",
        {"os": "windows", "gpu": "Radeon RX 6600"},
        ["onnxruntime-directml"],
        ["onnxruntime-gpu"],
    ),
    (
        "ModuleNotFoundError: No module named 'pyarrow._cuda'",
        {"os": "linux", "driver": "460.32"},
        ["cudf-cu11"],
        ["numpy"],
    ),
    (
        IMPORTED % "torch/utils/cpp_extension.py" + "ImportError: cannot import name 'packaging' from 'pkg_resources' "
        "(/srv/env/lib/python3.11/site-packages/pkg_resources/__init__.py)",
        {"os": "linux"},
        [r"setuptools<70"],
        ["--upgrade setuptools"],
    ),
    (
        "CMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_C_COMPILER could be found.\nFailed to build llama-cpp-python",
        {"os": "windows"},
        ["BuildTools", "x64 Native Tools"],
        ["doctor", "apt"],
    ),
    (
        "CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage",
        {"os": "linux", "os_version": "Ubuntu 22.04"},
        ["build-essential|g\\+\\+"],
        ["doctor", "winget"],
    ),
    (
        "nvcc fatal   : Could not set up the environment for Microsoft Visual Studio using 'C:/VS/vcvars64.bat'",
        {},
        ["x64 Native Tools"],
        ["doctor"],
    ),
    # A library of PyTorch Geometric for another PyTorch, on Windows.
    (
        'Traceback (most recent call last):\n  File "C:\\e\\site-packages\\torch_sparse\\__init__.py", line 18, in <module>\n'
        '  File "C:\\env\\Lib\\ctypes\\__init__.py", line 374, in __init__\n'
        "OSError: [WinError 127] The specified procedure could not be found",
        {"os": "windows", "packages": {"torch": "2.1.0+cu118"}},
        ["data.pyg.org/whl/torch-2.1.0"],
        ["doctor", "torchvision"],
    ),
    # DeepSpeed compiles beforehand what Windows does not have.
    (
        'File "D:\\src\\DeepSpeed\\setup.py", line 182, in <module>\nAssertionError: Unable to pre-compile async_io',
        {},
        [r"\$env:DS_BUILD_OPS"],
        ["apt-get", "export "],
    ),
    # torchtext has ended.
    (
        "OSError: /venv/lib/python3.11/site-packages/torchtext/lib/libtorchtext.so: undefined symbol: _ZN5torch3jit17x",
        {"os": "linux", "packages": {"torch": "2.6.0"}},
        ["has ended", r"torch==2\.3\.1 torchtext==0\.18\.0"],
        ["released for"],
    ),
    (
        "OSError: /venv/lib/python3.10/site-packages/torchtext/lib/libtorchtext.so: undefined symbol: _ZN5torch3jit17x",
        {"os": "linux", "packages": {"torch": "2.1.2"}},
        [r"released for PyTorch 2\.1\.2"],
        ["has ended"],
    ),
    # Building TensorFlow with bazel.
    (
        "ERROR: /src/external/nccl/BUILD:33:1: undeclared inclusion(s) in rule '@nccl//:nccl':",
        {"os": "linux"},
        ["bazel clean --expunge", "real paths"],
        ["doctor"],
    ),
    (
        "Target //tensorflow/tools/pip_package:build_pip_package failed to build\nFAILED: Build did NOT complete successfully",
        {"os": "linux"},
        ["tested_build_configurations", "bazel clean --expunge"],
        ["doctor"],
    ),
    # A name that JAX has under another module.
    (
        "AttributeError: module 'jax' has no attribute 'tree_multimap'",
        {"os": "linux"},
        [r"from 0\.3\.16 on"],
        ["--upgrade jax"],
    ),
    (
        IMPORTED % "kornia/__init__.py" + "    from scipy.misc import dilate2\n"
        "ImportError: cannot import name 'dilate2'",
        {"os": "linux"},
        ["upgrade kornia"],
        ["own files", "force-reinstall"],
    ),
    (
        "AttributeError: module 'tensorflow.compat.v1' has no attribute 'contrib'",
        {"os": "linux"},
        ["tf_slim", r"tensorflow==1\.15"],
        ["pip check"],
    ),
    (
        "WARNING: BNB_CUDA_VERSION=124 environment variable detected; loading libbitsandbytes_cuda124.so.\n"
        "Could not find the bitsandbytes CUDA binary at "
        "PosixPath('/usr/lib/python3.11/site-packages/bitsandbytes/libbitsandbytes_cuda124.so')",
        {"os": "linux"},
        ["unset BNB_CUDA_VERSION", "--upgrade bitsandbytes"],
        ["LD_LIBRARY_PATH"],
    ),
    # An error of transformers has its cause in the line below.
    (
        IMPORTED
        % "transformers/utils/import_utils.py"
        + "RuntimeError: Failed to import transformers.models.opt.modeling_opt because of the following error (look up to see "
        "its traceback):\nNo module named 'flash_attn_2_cuda'",
        {**LINUX, "packages": {"torch": "2.4.0"}},
        [r'attn_implementation="sdpa"', r"--no-build-isolation flash-attn"],
        ["doctor"],
    ),
    # The message of an error that a terminal has broken into lines, also with an indent.
    (
        "RuntimeError: Detected that PyTorch and torchvision were compiled with different \nCUDA versions. PyTorch has CUDA "
        "Version=12.4 and torchvision has CUDA \nVersion=12.6. Please reinstall the torchvision that matches your PyTorch \n"
        "install.",
        {},
        [r"\Atorchvision was built for another CUDA", r"install torch torchvision --index-url"],
        ["doctor"],
    ),
    # pip has CuPy's sources under this name; the packages that are built have others.
    (
        "Collecting cupy\n    Options: {'package_name': 'cupy', 'wheel_libs': []}\n"
        "    Microsoft Visual C++ 14.0 is required. Get it with Build Tools",
        WINDOWS,
        [r"cupy-cuda12x\[ctk\]", "cupy-cuda11x"],
        ["apt"],
    ),
    # A name that is new in JAX: this JAX is the older one.
    (
        IMPORTED % "flax/core/meta.py" + "AttributeError: module 'jax.sharding' has no attribute 'PartitionSpec'",
        LINUX,
        ["--upgrade jax jaxlib", "older release of flax"],
        ["--upgrade flax"],
    ),
    # conda 4 repeats what the driver has, whatever the conflict is.
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with your CUDA driver:\n"
        "  - feature:/linux-64::__cuda==11.4=0\nYour installed CUDA driver is: 11.4",
        LINUX,
        ["conda update -n base conda", "new environment"],
        ["driver-install", "CONDA_OVERRIDE_CUDA", "Update NVIDIA"],
    ),
    # Python 3.6 does not say where the name is missing; the line above does.
    (
        'Traceback (most recent call last):\n  File "/srv/env/lib/python3.6/site-packages/grid/jit.py", line 7, in <module>\n'
        "    from numba import cuda, numpy_support\nImportError: cannot import name 'numpy_support'",
        LINUX,
        [r"numba<0\.50"],
        ["devicekit doctor"],
    ),
    (
        "There are incompatible versions in the resolved dependencies:\n  numpy<1.19,>=1.16 (from oldlib==2.1.7->-r /tmp/p/c "
        '(line 4))\n  numpy~=1.19.2 (from tensorflow==2.4.4->-r /tmp/pipenv3/c (line 5))\npython_version = "3.7"',
        LINUX,
        [r"pipenv install \"tensorflow==2\.3\.\*\""],
        [r"python 3\.8"],
    ),
    (
        "oldlib 2.1.0 requires tensorflow==2.3.0, but you have tensorflow 2.18.0 which is incompatible.",
        LINUX,
        ["--upgrade oldlib", r"python 3\.8 .*oldlib==2\.1\.0"],
        [r"install tensorflow==2\.3"],
    ),
    # A name that a library of its own has moved, and a file for another processor's Python.
    (
        "AttributeError: module 'tensorflow_federated.python.learning' has no attribute 'from_keras_model'",
        {},
        ["pip show tensorflow-federated"],
        ["works with TensorFlow"],
    ),
    # A package that is newer than TensorFlow.
    (
        "`tensorflow`/`tensorflow-gpu`/`tf-nightly`/`tf-nightly-gpu` version: 1.14\n"
        "AttributeError: module 'tensorflow.compat.v2' has no attribute 'contrib'",
        {},
        [r"tensorflow==1\.15"],
        ["keras"],
    ),
    (
        "AttributeError: module 'tensorflow._api.v2.data' has no attribute 'AUTOTUNE'",
        {"packages": {"tensorflow": "2.3.0"}},
        [r"tensorflow>=2\.4"],
        ["pip check"],
    ),
    # What asks for tf.estimator: gone, or a distribution of its own that does not fit.
    (
        (IMPORTED % "tensorflow_hub/estimator.py")
        + "AttributeError: module 'tensorflow_hub.tf_v1' has no attribute 'estimator'\ntensorflow==2.18.0",
        {},
        ["--upgrade tensorflow-hub"],
        ["estimator==", "tensorflow=="],
    ),
    (
        "- tensorflow 2.3\nAttributeError: module 'tensorflow_hub.tf_v1' has no attribute 'estimator'",
        {},
        [r"tensorflow-estimator==2\.3\.\*"],
        ["tensorflow-hub"],
    ),
    ("AttributeError: module 'tensorflow._api.v2.compat.v1' has no attribute 'estimator'", {}, ["2.15"], ["pip check"]),
    (
        "Upgraded to tensorflow 2.17\nNotFoundError: /env/lib/python3.11/site-packages/tensorflow_text/python/ops/"
        "_sentence_ops.so: undefined symbol: _ZN3tsl5mutexC1Ev",
        {},
        [r"tensorflow-text==2\.17\."],
        [],
    ),
    (
        "pip install tensorflow==2.21.0 tensorflow-text==2.21.0\nImportError: /env/lib/python3.12/site-packages/"
        "tensorflow_text/core/pybinds/tflite_registrar.so: undefined symbol: icudt77_dat",
        {},
        [r"tensorflow-text==2\.20"],
        [r"tensorflow-text==2\.21"],
    ),
    # TensorFlow Addons and tf-keras of another release.
    (
        '  File "C:\\env\\lib\\site-packages\\tensorflow_addons\\layers\\crf.py", line 9, in <module>\n'
        "AttributeError: module 'tensorflow_core.keras.utils' has no attribute 'register_keras_serializable'",
        {},
        [r"tensorflow-addons==0\.19", r"tensorflow==2\.10"],
        ["import Keras from", "tf-keras"],
    ),
    ("ValueError: Didn't find op for builtin opcode 'FULLY_CONNECTED' version '12'.", {}, ["tflite-runtime"], []),
    (
        "ERROR: Could not find a version that satisfies the requirement grpcio~=1.37.0 (from tensorflow-macos) (from versions"
        ": 1.0.0, 1.40.0)",
        {},
        ["conda install -c apple tensorflow-deps"],
        ["pip check"],
    ),
    (
        "FileNotFoundError: Cannot find DGL C++ graphbolt library at C:\\env\\Lib\\site-packages\\dgl\\graphbolt\\"
        "graphbolt_pytorch_2.4.1.dll",
        WINDOWS,
        ["up to 2.2.1", "python -c"],
        ["doctor"],
    ),
    ("ModuleNotFoundError: No module named 'torchdata.datapipes'", LINUX, ["torchdata<0.10"], ["install torchdata\n"]),
    ("error: command 'gcc' failed: No such file or directory", LINUX, ["build-essential"], ["doctor"]),
    ("error: command 'cl.exe' failed: None", WINDOWS, ["VCTools"], ["doctor"]),
    (
        "ImportError: TorchCodec is required for load_with_torchcodec. Please install torchcodec to use this function.",
        {},
        ["install torchcodec", "FFmpeg"],
        ["doctor"],
    ),
    (
        "dcn_v2.cu:3:10: fatal error: THC/THC.h: No such file or directory",
        LINUX,
        ["older PyTorch", "TORCH_CHECK"],
        ["doctor"],
    ),
    ("AttributeError: module 'torch' has no attribute 'frombuffer'", LINUX, [r"PyTorch 1\.10"], ["pip check"]),
    (
        "RuntimeError: Expected one of cpu, cuda, xpu, mkldnn, hip, meta device type at start of device string: mps",
        MAC,
        ["--upgrade torch"],
        ["whl/xpu"],
    ),
    ("nvcc fatal   : Cannot find compiler 'cl.exe' in PATH", WINDOWS, ["Native Tools"], ["doctor"]),
    (
        "c10/util/C++17.h:27:2: error: #error You need C++17 to compile PyTorch",
        LINUX,
        [r"-std=c\+\+17"],
        ["toolkit from"],
    ),
    (
        "TypeError: Accelerator.__init__() got an unexpected keyword argument 'dispatch_batches'",
        LINUX,
        ["--upgrade transformers accelerate"],
        [],
    ),
    ("SystemError: PY_SSIZE_T_CLEAN macro must be defined for '#' formats", LINUX, [r"\.triton", "CPATH"], ["doctor"]),
    (
        "CUDA SETUP: Required library version not found: libsbitsandbytes_cpu.so. Maybe you need to compile it?\n"
        "dlopen(/e/libbitsandbytes_cpu.so, 0x0006): tried: '/e/libbitsandbytes_cpu.so' (not a mach-o file)",
        {},
        ["macOS", "load_in_8bit"],
        ["every CUDA"],
    ),
    # What an old PyTorch cannot compile for a Python, and which one can.
    ("RuntimeError: Dynamo is not supported on Python 3.12+", {}, [r"2\.4", "TORCHDYNAMO_DISABLE"], ["doctor"]),
    ("RuntimeError: torch.compile is not supported on Python 3.14+", {}, [r"2\.10", "Python 3.13"], ["wheel"]),
    ("RuntimeError: Windows not yet supported for torch.compile", WINDOWS, [r"2\.5", "triton-windows"], []),
    ("RuntimeError: Error compiling objects for extension", LINUX, ["first compiler line"], ["doctor"]),
    (
        "c1xx: fatal error C1083: Cannot open include file: 'corecrt.h': No such file or directory",
        WINDOWS,
        ["Native Tools"],
        [],
    ),
    (
        "ImportError: dlopen(/e/torch/_C.so): Library not loaded: /usr/local/opt/libomp/lib/libomp.dylib",
        MAC,
        ["brew install libomp"],
        ["pip check"],
    ),
    (
        "OSError: /h/.local/lib/python3.8/site-packages/torchaudio/lib/libtorchaudio.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv",
        {**LINUX, "gpu": "Jetson Nano"},
        [r"pytorch/audio\.git"],
        ["whl/", "PYTHONNOUSERSITE"],
    ),
    ("ValueError: Model architectures ['NewForCausalLM'] are not supported for now.", LINUX, ["vllm"], ["doctor"]),
    ("AttributeError: 'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'", LINUX, ["torch_extensions"], []),
    ("ModuleNotFoundError: No module named 'amp_C'", LINUX, ["Apex"], ["pip check"]),
    (
        "RuntimeError: Compiler: cl is not found.",
        {},
        ["VCTools", "Native Tools"],
        ["include and libs"],
    ),
    (
        "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory",
        LINUX,
        [r"1\.8 to 1\.13", "Compile the add-on"],
        [],
    ),
    # An import that fails is told again, without the exception's name.
    (
        "RuntimeError: Failed to import transformers.modeling_utils because of the following error:\n"
        "module 'torch' has no attribute 'compiler'",
        {"packages": {"torch": "2.0.1"}},
        [r"2\.1"],
        [],
    ),
    (
        "AttributeError: module 'torch.distributed' has no attribute 'ReduceOp'",
        WINDOWS,
        ["built without", "is_available"],
        ["pip check"],
    ),
    (
        "RuntimeError: Couldn't find appropriate backend to handle uri a.wav and format None.",
        {},
        ["install soundfile"],
        [],
    ),
    # What moved in Numba, what came with a later Python, and two packages of different times.
    ("ModuleNotFoundError: No module named 'numba.decorators'", {}, [r"numba<0\.50", r"Update the package"], []),
    # oneAPI: of which year a library is, and which of two is too new.
    ("ImportError: libmkl_sycl.so.2: cannot open shared object file", {}, [r"libmkl_sycl\.so\.2 of 2022"], []),
    (
        "ImportError: /e/lib/libmkl_sycl_blas.so.4: undefined symbol: _ZN4sycl3_V17handler3fooEb",
        {},
        [r"oneMKL is newer", r"intel-sycl-rt"],
        [r"xpu-smi"],
    ),
    # The number of OpenVINO's libraries is its release.
    (
        "Failed to load library libonnxruntime_providers_openvino.so with error: /e/capi/libopenvino_c.so.2500: undefined "
        "symbol: _ZN2ov4Core3fooEv",
        LINUX,
        [r"openvino==2025\.0\.0", r"Two releases"],
        [r"cuDNN"],
    ),
    # What an older TensorFlow for Windows left behind is not what the new one requires.
    (
        "tensorflow-intel 2.15.0 requires numpy<2.0.0,>=1.23.5, but you have numpy 2.1.3 which is incompatible.\n"
        "tensorflow-intel 2.15.0 requires tensorboard<2.16,>=2.15, but you have tensorboard 2.20.0 which is incompatible.",
        {},
        [r"uninstall -y tensorflow-intel tensorflow\b", r"tensorflow==2\.20\.\*"],
        [r"numpy<2"],
    ),
    (
        "ImportError: /venv/lib/python3.11/site-packages/vllm/_C.abi3.so: undefined symbol: _ZN3c106ivalue6Future",
        {**LINUX, "packages": {"torch": "2.7.1", "vllm": "0.8.5"}},
        [r"--force-reinstall vllm==0\.8\.5", r"uv venv"],
        [],
    ),
    # What a package asks for came with a newer PyTorch: the same one again, or one for XPU, has it no more than this.
    (
        IMPORTS % ("/venv/lib/python3.10/site-packages/transformers/x.py", "DTensor", "torch.distributed.tensor")
        + "/venv/lib/python3.10/site-packages/torch/distributed/tensor/__init__.py)",
        {"python": "3.10", "packages": {"torch": "2.4.1+cu121", "transformers": "4.52.4"}},
        [r"came with PyTorch 2\.5", r"torch==2\.[67]", r"older release of transformers"],
        [r"2\.4\.1", r"pip check"],
    ),
    (
        IMPORTED % "timm/layers/norm.py" + "AttributeError: module 'torch' has no attribute 'xpu'",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 3090", "packages": {"torch": "2.1.2", "timm": "1.0.9"}},
        [r"upgrade torch", r"older release of timm"],
        [r"[+/]xpu", r"not the build"],
    ),
    # A jaxlib for CUDA, in the facts or in a list, is not replaced by PyPI's, which is for the CPU.
    (
        "jaxlib is version 0.1.71, but this version of jax requires version 0.1.74.\n"
        "jaxlib                    0.1.71+cuda111           pypi_0    pypi",
        {},
        [r"jax==0\.2\.25", r"jaxlib==0\.1\.74\W+-f https://storage\S+jax_cuda_releases"],
        [r"upgrade"],
    ),
    (
        "RuntimeError: jaxlib is version 0.4.23, but this version of jax requires version >= 0.4.30.",
        {**LINUX, "packages": {"jax": "0.4.31", "jaxlib": "0.4.23+cuda12.cudnn89"}},
        [r'"jax<=0\.4\.23"', r"jax\[cuda12\]"],
        [r"jax jaxlib", r"jaxlib=="],
    ),
    # What another project's file, or the program itself, asks of a framework that does not have it.
    (
        IMPORTS % ("/venv/lib/python3.10/site-packages/deepexplain/methods.py", "nn_gradient", "tensorflow.python.ops")
        + "tensorflow/python/ops/__init__.py)",
        {},
        [r"upgrade deepexplain"],
        [r"two versions", r"ninstall every"],
    ),
    (
        IMPORTS % ("/venv/lib/python3.10/site-packages/somenet/sched.py", "AnyOptimizer", "torch.optim")
        + "torch/optim/__init__.py)",
        {"python": "3.10", "packages": {"torch": "2.3.0+cu121"}},
        [r"upgrade somenet", r"PyTorch that this somenet"],
        [r"install torch"],
    ),
    (
        IMPORTS % ("/work/train.py", "AnyOptimizer", "torch.optim") + "torch/optim/__init__.py)",
        {"python": "3.10", "packages": {"torch": "2.3.0+cu121"}},
        [r"requirements\.txt"],
        [r"install torch"],
    ),
    (
        IMPORTED.replace("3.11", "3.10") % "keras/preprocessing/__init__.py"
        + "ModuleNotFoundError: No module named 'keras_preprocessing'",
        {"packages": {"tensorflow": "2.12.1"}},
        [r"keras==2\.12"],
        [r"keras-preprocessing"],
    ),
    ("RuntimeError: operator torchao::dequantize_affine does not exist", {}, [r"uninstall -y torchao"], [r"doctor"]),
    # The release that belongs to what is there: Triton, ONNX Runtime, torch-directml; TensorFlow for Apple silicon.
    (
        "ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' (D:\\e\\triton\\compiler\\compiler.py)",
        {**WINDOWS, "packages": {"torch": "2.7.1+cu128", "triton-windows": "3.5.0"}},
        [r'install "?triton-windows==3\.3\.\*'],
        [r"install \S*triton\b(?!-)"],
    ),
    (
        "ModuleNotFoundError: No module named 'triton.common'",
        {**WINDOWS, "packages": {"triton-windows": "3.1.0"}},
        [r"3\.1 for PyTorch 2\.5"],
        [r"no wheels for Windows", r"install triton"],
    ),
    # What transformers requires, in a range; a newer PyTorch in the build that is there, not PyPI's.
    (
        "ImportError: huggingface-hub>=0.30.0,<1.0 is required for a normal functioning of this module, but found "
        "huggingface-hub==1.4.0.",
        LINUX,
        [r'install "?huggingface-hub>=0\.30\.0,<1\.0'],
        [r"--upgrade", r"doctor"],
    ),
    (
        "ImportError: cannot import name 'split_torch_state_dict_into_shards' from 'huggingface_hub' (/v/hub/a.py)",
        LINUX,
        [r'--upgrade "?huggingface-hub<1\b'],
        [],
    ),
    (
        OLD_FOR_LOAD,
        {"os": "windows", "python": "3.11", "packages": {"torch": "2.5.1+cu124"}},
        [r"torch==2\.6\.0 torchvision==0\.21\.0 torchaudio==2\.6\.0 --index-url \S+/cu124", r"safetensors"],
        [r"torch>="],
    ),
    (
        OLD_FOR_LOAD,
        {"os": "macos", "gpu": "Intel UHD 630", "python": "3.11", "packages": {"torch": "2.2.2"}},
        [r"transformers<4\.52", r"safetensors"],
        [r"install \S*torch\b"],
    ),
    (
        "AttributeError: module 'torch' has no attribute 'float8_e4m3fn'",
        {**WINDOWS, "packages": {"torch": "2.0.1+cu118"}},
        [r"torch==2\.6\.0 .*/cu118"],
        [r"--upgrade"],
    ),
    # Windows does not load an add-on of another PyTorch, which may be in the user's own folder.
    (
        WIN_127 % r"Users\u\AppData\Roaming\Python\Python311\site-packages",
        {},
        [r'(?s)AppData.Roaming hides.*PYTHONNOUSERSITE = "1"', r"uninstall -y torchvision"],
        [r"doctor", r"vc_redist|VCRedist", r"install torch"],
    ),
    (
        WIN_127 % r"env\Lib\site-packages",
        {"packages": {"torch": "2.4.1+cu124"}},
        [r"torchvision==0\.19\.1\+cu124 --index-url \S+/cu124"],
        [r"doctor", r"AppData"],
    ),
    (
        r"FileNotFoundError: Could not find module 'D:\e\Lib\site-packages\torchaudio\lib\libtorchaudio.pyd' (or one of its "
        "dependencies). Try using the full path with constructor syntax.",
        {"os": "windows", "packages": {"torch": "2.1.2", "torchaudio": "2.2.0"}},
        [r"torchaudio==2\.1\.2"],
        [r"doctor"],
    ),
    # xFormers of another PyTorch: all of that PyTorch, or the xFormers of the one that is there.
    (
        "xFormers was built for:\n    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.3.0+cu121)",
        LINUX,
        [
            r"torch==2\.2\.0 torchvision==0\.17\.0 torchaudio==2\.2\.0 --index-url \S+cu121",
            r"xformers==0\.0\.26\.post1",
        ],
        [],
    ),
    # Triton on Windows: Python's own folder comes before the runtime that was just installed.
    (
        "ImportError: DLL load failed while importing libtriton: Une routine d'initialisation d'une DLL a \xe9chou\xe9.\n"
        "LoadLibrary C:\\Python310\\msvcp140.dll",
        {"os": "windows", "packages": {"torch": "2.5.1+cu124"}},
        [r"(?s)winget install.*folder of python\.exe.*System32.*triton-windows"],
        [],
    ),
    # What JAX has no longer, or what no one knows: the package that asks for it is the older one.
    (
        IMPORTED % "numpyro/a.py"
        + "ImportError: cannot import name 'pjit_p' from 'jax.experimental.pjit' (/v/jax/pjit.py)",
        {},
        [r"0\.7\.0 on", r"upgrade numpyro", r'"jax<0\.7\.0"'],
        [r"upgrade jax"],
    ),
    (
        IMPORTED % "flax/a.py" + "ImportError: cannot import name 'ShapedArray' from 'jax' (/v/jax/__init__.py)",
        {"python": "3.9"},
        [r"upgrade flax", r'"jaxlib<0\.4\.14"'],
        [r"upgrade jax"],
    ),
    (
        IMPORTED % "brax/a.py" + "ImportError: cannot import name 'odd' from 'jax.core' (/v/jax/core.py)",
        {},
        [r"upgrade brax\n", r"(?s)older one.*upgrade brax jax jaxlib"],
        [],
    ),
    (
        IMPORTED % "brax/a.py" + "ImportError: cannot import name 'Mesh' from 'jax.sharding' (/v/jax/sharding.py)",
        {},
        [r"upgrade jax jaxlib"],
        [r"upgrade brax"],
    ),
    (
        "AttributeError: module 'tensorflow_core._api.v2.config' has no attribute 'set_visible_devices'",
        {**LINUX, "python": "3.7.9"},
        [r"config\.experimental\.set_visible_devices", r"tensorflow>=2\.1"],
        [r"pip check"],
    ),
    # Names that JAX has no longer: its own module raises, and what asked is the frame before.
    (
        'Traceback (most recent call last):\n  File "/e/lib/python3.11/site-packages/blackjax/types.py", line 3, in <module>\n'
        '  File "/e/lib/python3.11/site-packages/jax/_src/deprecations.py", line 55, in getattr\n'
        "AttributeError: module 'jax.core' has no attribute 'Shape'",
        {"packages": {"jax": "0.6.1"}},
        [r"install --upgrade blackjax\b", r"jax<0\.4\.29"],
        [r"--upgrade jax"],
    ),
    (
        "AttributeError: jax.core.Shape is deprecated. Use Shape = Sequence[int | Any].",
        {"packages": {"jax": "0.4.35"}},
        [r"jax<0\.4\.29"],
        [r"first error"],
    ),
    (
        'Traceback (most recent call last):\n  File "/e/site-packages/haiku/_src/module.py", line 1, in wrapped\n'
        "AttributeError: 'Config' object has no attribute 'jax_experimental_name_stack'",
        {"packages": {"jax": "0.3.25"}},
        [r"install dm-haiku==0\.0\.9"],
        [r"first error"],
    ),
    # A model of a newer ONNX, and quantization that asks for a newer package.
    (
        "Fail: [ONNXRuntimeError] : 1 : FAIL : Load model from x.onnx failed:/onnxruntime_src/onnxruntime/core/model.cc:1 "
        "onnxruntime::Model::Model Unsupported model IR version: 9, max supported IR version: 8",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.14.1"}},
        [r'install --upgrade "onnxruntime-gpu\[cuda,cudnn\]<1\.27"', r"ir_version = 8"],
        [r"first error"],
    ),
    (
        "Opset 21 is under development and support for this is limited. Current official support for domain ai.onnx is till "
        "opset 20.",
        {},
        [r"install --upgrade onnxruntime\b", r"opset_version=20"],
        [r"ir_version"],
    ),
    (
        "ImportError: Using `bitsandbytes` 8-bit quantization requires the latest version of bitsandbytes: `pip install -U "
        "bitsandbytes`",
        LINUX,
        [r"install --upgrade accelerate bitsandbytes", r"cuda\.is_available"],
        [],
    ),
    ("ImportError: Please update it: pip install -U peft", {}, [r"install --upgrade peft"], []),
    (
        "Traceback (most recent call last):\n"
        '  File "/u/lib/python3.10/site-packages/chex/_src/pytypes.py", line 44, in <module>\n'
        "    ArrayDType = jax._src.numpy\nAttributeError: module 'jax' has no attribute '_src'",
        {**LINUX, "packages": {"jax": "0.3.23", "jaxlib": "0.3.22+cuda11.cudnn82", "optax": "0.1.2", "chex": "0.1.4"}},
        [r"optax==0\.1\.4 chex==0\.1\.5"],
        [r"--upgrade", r"install.* jax"],
    ),
    (
        "Traceback (most recent call last):\n"
        '  File "/u/lib/python3.11/site-packages/brax/api.py", line 30, in <module>\n'
        "    from jax.core import Primitive\n"
        "ImportError: cannot import name 'Primitive' from 'jax.core' (/u/lib/python3.11/site-packages/jax/core.py)",
        {**LINUX, "packages": {"jax": "0.6.1", "jax-cuda12-plugin": "0.6.1"}},
        [r"--upgrade brax", r'"jax\[cuda12\]<0\.6\.0"'],
        [r"--upgrade jax"],
    ),
    (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    import model\n  File '
        '"/srv/models/research/object_detection/box_predictor.py", line 23, in <module>\n    slim = tf.contrib.slim\n'
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"\A.*\nRun it on TensorFlow 1\.15", r"tensorflow/models"],
        [r"Replace what it takes"],
    ),
    # Add-ons that require another TensorFlow than pip installed: they follow it, in releases for this Python.
    (
        "tf-keras 2.15.1 requires tensorflow<2.16,>=2.15, but you have tensorflow 2.16.2 which is incompatible.",
        {"python": "3.12"},
        [r"install tf-keras==2\.16\.0"],
        [r"install .?tensorflow<"],
    ),
    (
        "tensorflow-text 2.17.0 requires tensorflow<2.18,>=2.17.0, but you have tensorflow 2.18.0 which is incompatible.\n"
        "tf-keras 2.17.0 requires tensorflow<2.18,>=2.17, but you have tensorflow 2.18.0 which is incompatible.",
        {"os": "linux", "python": "3.11"},
        [r"install tensorflow-text==2\.18\.1 tf-keras==2\.18\.0"],
        [r"install .?tensorflow<"],
    ),
    (
        "tensorflow-text 2.15.0 requires tensorflow<2.16,>=2.15.0, but you have tensorflow 2.16.2 which is incompatible.",
        {"os": "linux", "python": "3.12"},
        [r"install tensorflow-text==2\.2\d"],
        [r"install .?tensorflow<", r"tensorflow-text==2\.16"],
    ),
    (
        "RuntimeError: Failed to infer device type",
        {"os": "linux", "gpu": "NVIDIA L4", "packages": {"vllm": "0.7.2", "pynvml": "11.5.3"}},
        [r"--upgrade pynvml"],
        [r"install --force-reinstall"],
    ),
    (
        "ImportError: libSM.so.6: cannot open shared object file: No such file or directory",
        LINUX,
        [r"(?s)uninstall -y opencv-python.*install opencv-python-headless", r"\blibsm6\b"],
        [r", ?$"],
    ),
    # The page of PyG, as PyPI has sources alone.
    (
        "OSError: /x/site-packages/torch_sparse/_spmm_cpu.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs",
        {"os": "linux", "packages": {"torch": "1.12.1+cu113"}},
        [
            r"--force-reinstall --no-deps",
            r"--only-binary :all: .*-f https://data\.pyg\.org/whl/torch-1\.12\.0\+cu113\.html",
        ],
        [r"no-build-isolation"],
    ),
    # What the message asks for is there: Python looked before.
    (
        "Successfully installed accelerate-0.20.3\nImportError: Using the `Trainer` with `PyTorch` requires "
        "`accelerate>=0.20.1`: Please run `pip install transformers[torch]` or `pip install accelerate -U`",
        {"os": "linux", "os_version": "Google Colab"},
        [r"restart Python, or the notebook's kernel"],
        [r"-m pip install"],
    ),
    (
        "ImportError: Using the `Trainer` with `PyTorch` requires `accelerate>=0.26.0`: Please run "
        "`pip install transformers[torch]` or `pip install 'accelerate>=0.26.0'`",
        {"os": "linux", "packages": {"accelerate": "0.21.0"}},
        [r"install \"transformers\[torch\]"],
        [r"is there"],
    ),
    # What a release dropped: the newest one again does not help.
    (
        IMPORTED % "facefix/data/blur.py"
        + "    from torchvision.transforms.functional_tensor import rgb_to_grayscale\n"
        + "ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'",
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.2.1", "torchvision": "0.17.1"}},
        [
            r"blur\.py, import from torchvision\.transforms\.functional\b",
            r"torch==2\.1\.2 torchvision==0\.16\.2 \"numpy<2\"",
        ],
        [r"torchvision==0\.17", r"uninstall"],
    ),
    (
        IMPORTED % "pyannote/audio/core/io.py" + "AttributeError: module 'torchaudio' has no attribute 'AudioMetaData'",
        LINUX,
        [r"torch==2\.8\.0 torchaudio==2\.8\.0", r"--upgrade pyannote-audio"],
        [r"uninstall", r"torchaudio --index", r"pyannote\b(?!-audio|\.audio)"],
    ),
    (
        IMPORTED % "pytorch_lightning/callbacks/bar.py"
        + "ImportError: cannot import name '_compare_version' from 'torchmetrics.utilities.imports' "
        + "(/e/site-packages/torchmetrics/utilities/imports.py)",
        LINUX,
        [r'"torchmetrics<1\.0"', r"--upgrade pytorch-lightning"],
        [r"--upgrade torchmetrics"],
    ),
    (
        "ModuleNotFoundError: No module named 'pytorch_lightning.utilities.distributed'",
        LINUX,
        [r"pytorch_lightning\.utilities\.rank_zero", r'"pytorch-lightning<2\.0"'],
        [r"pip check"],
    ),
    (
        IMPORTED % "peft/model.py"
        + "ImportError: cannot import name 'EncoderDecoderCache' from 'transformers' (/u/transformers/__init__.py)",
        LINUX,
        [r'"transformers>=4\.44,<5"', r'"peft<0\.14"'],
        [r"--upgrade transformers"],
    ),
    # Names of other packages in the words of a line.
    (
        "ImportError: cannot import name 'is_flash_attn_available' from 'transformers.utils' "
        "(/u/transformers/utils/__init__.py)",
        LINUX,
        [r"transformers<4\.35"],
        [r"flash-attn\b"],
    ),
    (
        "RuntimeError: Could not load libtorchcodec. Likely causes:",
        {**LINUX, "packages": {"torch": "2.10.0", "torchcodec": "0.9.0"}},
        [r"torchcodec==0\.10\.\*"],
        [r"ffmpeg"],
    ),
    # tensorflow and tensorflow-cpu own one folder.
    (
        '  File "/srv/env/lib/python3.11/site-packages/tensorflow_addons/utils/types.py", line 29, in <module>\n'
        "ModuleNotFoundError: No module named 'keras.src.engine'",
        {**LINUX, "packages": {"tensorflow-cpu": "2.16.2", "tensorflow-addons": "0.23.0"}},
        [r"tensorflow-cpu==2\.15"],
        [r"\btensorflow=="],
    ),
    (
        "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.4.6 as it may crash.\n"
        + IMPORTED % "keras/src/tree/torchtree_impl.py"
        + "AttributeError: module 'torch.utils._pytree' has no attribute 'register_pytree_node'",
        LINUX,
        [r"PyTorch is older than 2\.2", r"--upgrade torch"],
        [r"numpy<2"],
    ),
    (
        '  File "/srv/env/lib/python3.7/site-packages/tensorflow_core/python/autograph/impl/api.py", line 500, in f\n'
        "Cause: Bad argument number for Name: 3, expecting 4",
        LINUX,
        [r"gast==0\.2\.2"],
        [r"0\.3\.3"],
    ),
    (
        IMPORTED % "keras/src/tree/tree_api.py"
        + "ImportError: To use Keras, you need to have `optree` installed. Install it via `pip install optree`",
        LINUX,
        [r"pip install optree$"],
        [r"tf-keras", r"TensorFlow"],
    ),
    (
        "/srv/env/bin/python: error while loading shared libraries: libpython3.10.so.1.0: cannot open shared object file",
        LINUX,
        [r"moved or removed", r"-m venv"],
        [r"libatlas"],
    ),
    (
        '  File "/venv/lib/python3.11/site-packages/statsmodels/tsa/x.py", line 3, in <module>\n'
        "    from scipy.integrate import simps\nImportError: cannot import name 'simps' from 'scipy.integrate' "
        "(/venv/lib/python3.11/site-packages/scipy/integrate/__init__.py)",
        {"os": "linux", "python": "3.11"},
        [r"--upgrade statsmodels", r"scipy<1\.14"],
        [r"--upgrade scipy"],
    ),
    (
        "ImportError: cannot import name 'hann' from 'scipy.signal' (/u/python3.13/site-packages/scipy/signal/__init__.py)",
        {"python": "3.13"},
        [r"scipy\.signal\.windows"],
        [r"--upgrade scipy", r"scipy<1\.13"],
    ),
    (
        "ModuleNotFoundError: No module named 'sklearn.externals.six'",
        {},
        ["import joblib or six"],
        [r"install .*scikit-learn"],
    ),
    ("No module named 'keras_core'", {"packages": {"tensorflow": "2.12.0"}}, ["install keras-core"], ["keras=="]),
    (
        "ImportError: Using `bitsandbytes` 4-bit quantization requires Accelerate: `pip install accelerate`",
        {"os": "linux"},
        ["accelerate bitsandbytes", r"cuda\.is_available"],
        [],
    ),
    (
        "RuntimeError: roi_align_forward_impl: implementation for device cuda:0 not found.",
        {"os": "linux", "packages": {"torch": "2.0.1+cu117"}},
        [r"install mmcv==2\.1\.0 -f \S+/cu117/torch2\.0/index\.html"],
        ["CPU-only", "doctor"],
    ),
    (
        "mmdet/models\nPyTorch: 2.3.0+cu118\nModuleNotFoundError: No module named 'mmcv._ext'",
        {"os": "linux"},
        [r"torch==2\.1\.2", r"mmcv==2\.1\.0 -f \S+/cu118/torch2\.1/"],
        [r"torch2\.3", "mim"],
    ),
    (
        "ModuleNotFoundError: No module named 'mmcv._ext'",
        {"os": "linux", "packages": {"torch": "2.8.0+cu128"}, "gpu": "NVIDIA GeForce RTX 5090"},
        ["compile it"],
        [r"torch==2\.1", "openmmlab"],
    ),
    ("ModuleNotFoundError: No module named 'mmcv._ext'", {}, ["mim install"], ["openmmlab.com"]),
    (
        "ERROR: Cannot install tensorflow and torch because these package versions have conflicting dependencies.\n\n"
        "The conflict is caused by:\n    torch 2.5.1+cu121 depends on typing-extensions>=4.8.0\n"
        "    tensorflow-intel 2.12.1 depends on typing-extensions<4.6.0 and >=3.6.6\n",
        {},
        [r"tensorflow>=2\.14"],
        ["Loosen", "tensorflow-intel>="],
    ),
    # jaxlib and JAX of two releases.
    (
        "RuntimeError: jaxlib version 0.3.24 is newer than and incompatible with jax version 0.3.17. Please update your jax",
        {**LINUX, "python": "3.8"},
        [r"install jax==0\.3\.24", r"jaxlib==0\.3\.17\W+-f https://storage\S+jax_cuda_releases"],
        ["upgrade"],
    ),
    (
        "RuntimeError: jaxlib version 0.6.2 is newer than and incompatible with jax version 0.5.2. Please update your jax",
        LINUX,
        [r"install jaxlib==0\.5\.1"],
        [r"jaxlib==0\.5\.2"],
    ),
    # A name that came with a release of JAX.
    (
        "AttributeError: module 'jax' has no attribute 'shard_map'",
        {**LINUX, "python": "3.11", "packages": {"jax": "0.5.0", "jax-cuda12-plugin": "0.5.0", "flax": "0.10.2"}},
        [r'"jax\[cuda12\]>=0\.6\.1,<0\.7"'],
        ["upgrade"],
    ),
    (
        "/e/jax/__init__.py:31: UserWarning: cloud_tpu_init failed: AttributeError(\"module 'libtpu' has no attribute "
        "'get_library_path'\")",
        LINUX,
        ["uninstall -y tensorflow-tpu libtpu", r'"jax\[tpu\]"'],
        ["cuda"],
    ),
    (
        'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n'
        '  File "/opt/e/lib/python3.12/site-packages/layertools/old.py", line 4, in <module>\n'
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"\A.*\n.*\n.*install --upgrade layertools\n", r"tensorflow==1\.15\.5"],
        ["contrib.slim"],
    ),
    # pip is content with a PyTorch and a torchvision that are there, of whatever build they are.
    (
        "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA "
        "Version=12.1 and torchvision has CUDA Version=11.8..",
        LINUX,
        [r"uninstall -y torch torchvision && .*install torch torchvision --index-url \S+/cu121"],
        [r"unset", r"force-reinstall"],
    ),
    (
        NMS,
        {**LINUX, "python": "3.8", "gpu": "RTX 2080"},
        [r"uninstall -y torch torchvision && .* --index-url \S+/cu124"],
        [],
    ),
    (
        "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 12.8",
        {"os": "windows", "packages": {"torch": "2.8.0+cu128"}},
        [r'install "?triton-windows==3\.4\.\*'],
        [r"upgrade triton", r"3\.3\.\*", r"force-reinstall"],
    ),
    (
        ">>> import torchaudio\nOSError: libtorch_hip.so: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.8", "packages": {"torch": "1.11.0+cu113"}},
        [r"torchaudio==0\.11\.0\+cu113"],
        [r"torch==", r"force-reinstall"],
    ),
    (
        "ValueError: Due to a serious vulnerability issue in `torch.load`, upgrade torch to at least v2.6",
        {},
        [r"\.\s+Install a newer PyTorch"],
        [],
    ),
    # What is built for one PyTorch: with that one, and no other.
    (
        "ImportError: /opt/venv/lib/python3.11/site-packages/vllm/_C.abi3.so: undefined symbol: _ZN3c105ErrorC2ENS_14Source",
        LINUX,
        ["fresh environment", "uv pip install --python vllm-env vllm"],
        ["--no-deps"],
    ),
    (
        "ImportError: /v/lib/python3.10/site-packages/flash_attn_2_cuda.cpython.so: undefined symbol: _ZN3c1",
        {**LINUX, "packages": {"torch": "2.2.2+cu121"}},
        [r"flash-attn==2\.7\.4\.post1"],
        [],
    ),
    (
        "/v/include/torch/csrc/python_headers.h:12:10: fatal error: Python.h: No such file or directory",
        {**LINUX, "os_version": "Ubuntu 22.04", "python": "3.11"},
        [r"apt-get install -y build-essential python3\.11-dev"],
        [r"-essential python3-dev"],
    ),
    (
        "./server: error while loading shared libraries: libsycl.so.8: cannot open shared object file: No such file",
        LINUX,
        [r"\.8 of 2025"],
        [],
    ),
    (
        'File "/e/site-packages/torchvision/extension.py", line 1\nOSError: libtorch_cuda.so: cannot open shared object file: '
        "No such file or directory",
        {**LINUX, "packages": {"torch": "2.4.1+rocm6.1"}},
        [r"torchvision==0\.19\.1\+rocm6\.1 --index-url \S+/rocm6\.1"],
        ["/cu1"],
    ),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\backend_with_compiler.dll" or one of its dependencies.',
        {**WINDOWS, "packages": {"torch": "2.1.0a0+cxx11.abi"}},
        ["libuv", "XPU"],
        ["VCRedist"],
    ),
    (
        '[ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126 "" when trying to load "C:\\e\\Lib\\site-packages\\'
        'onnxruntime\\capi\\onnxruntime_providers_openvino.dll"',
        {"python": "3.11", "packages": {"onnxruntime": "1.18.0", "onnxruntime-openvino": "1.18.0"}},
        [r"uninstall -y onnxruntime ", r"install onnxruntime-openvino==1\.18\.0", "add_openvino_libs_to_path"],
        [r"install onnxruntime=="],
    ),
    (
        "ModuleNotFoundError: No module named 'pkg_resources'",
        LINUX,
        ["setuptools<82"],
        ["is not installed"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement h5py~=3.1.0 (from tensorflow-macos) (from versions: "
        "3.0.0, 3.1.0)\nERROR: No matching distribution found for h5py~=3.1.0",
        {**MAC, "python": "3.9", "gpu": "Apple M2", "packages": {"tensorflow-macos": "2.6.0"}},
        # They own one folder.
        [r"uninstall -y tensorflow-macos && python -m pip install tensorflow==2\.(?:1[3-9]|2\d)"],
        [r"2\.6\.0", "pip check"],
    ),
    (
        "ImportError: libflatbuffers.so.2: cannot open shared object file: No such file or directory\n"
        "tensorflow                2.10.0          cpu_py310h1_0    conda-forge",
        {},
        [r"conda install -c conda-forge flatbuffers=2\Z"],
        ["pip install", "pip check"],
    ),
    (
        "ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.18; Detected an installation of "
        "version 2.16.2. Please upgrade TensorFlow to proceed.",
        {**LINUX, "python": "3.11"},
        [r"tensorflow-probability==0\.24\.0", "upgrade tensorflow tf-keras"],
        [],
    ),
    (
        "ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.11; Detected an installation of "
        "version 2.10.1. Please upgrade TensorFlow to proceed.",
        {**LINUX, "python": "3.10"},
        [r"tensorflow-probability==0\.18\.0", r"tensorflow==2\.11\.\*"],
        ["--upgrade"],
    ),
    (
        "ERROR: Cannot install one-add-on==1.5 and tensorflow==2.11.0 because these package versions have conflicting "
        "dependencies.\nThe conflict is caused by:\n    one-add-on 1.5 depends on flatbuffers<3.0\n"
        "    tensorflow 2.11.0 depends on flatbuffers>=23.1.21",
        {},
        ["one-add-on 1.5 depends on flatbuffers<3.0, and tensorflow", "leave the version of one-add-on open"],
        ["Loosen"],
    ),
    (  # what both need is set by the user
        "ERROR: Cannot install flatbuffers==2.0, one==1.5 and tensorflow==2.11.0 because these package versions have "
        "conflicting dependencies.\n    one 1.5 depends on flatbuffers<3.0\n    tensorflow 2.11.0 depends on flatbuffers>=23",
        {},
        ["Loosen"],
        ["leave the version"],
    ),
    (
        '  File "/v/lib/python3.11/site-packages/flax/configurations.py", line 42, in bool_flag\n'
        "AttributeError: 'Config' object has no attribute 'define_bool_state'",
        {},
        ["--upgrade flax", r"jax<0\.4\.25"],
        ["--upgrade jax"],
    ),
    (
        '  File "/v/lib/python3.12/site-packages/optax/_src/base.py", line 3\n'
        "AttributeError: module 'jax.experimental.new' has no attribute 'Thing'",
        {"packages": {"jax": "0.8.1", "optax": "0.2.1"}},
        [r"--upgrade optax\n"],
        [],
    ),
    (
        "Disabling PyTorch because PyTorch >= 2.4 is required but found 2.2.2",
        {"packages": {"torch": "2.2.2", "transformers": "5.0.0"}},
        ["needs PyTorch 2.4 or later", r"(?s)transformers<5.*torch>=2\.4"],
        [],
    ),
    (
        "RuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.",
        {"os": "windows", "packages": {"torch": "2.8.0+cu126"}},
        [r"triton-windows==3\.4\.\*"],
        ["--upgrade"],
    ),
    (
        "ModuleNotFoundError: No module named 'torch.dml'",
        {"os": "windows"},
        ["pip install torch-directml"],
        ["force-reinstall"],
    ),
    # What JAX has no longer is not brought back by a newer JAX.
    (
        "ImportError: cannot import name 'linear_util' from 'jax' (/venv/lib/python3.11/site-packages/jax/__init__.py)",
        {"packages": {"jax": "0.4.30", "flax": "0.6.0"}},
        ["--upgrade flax", r'"jax<0\.4\.24" "jaxlib<0\.4\.24"'],
        ["--upgrade jax"],
    ),
    (
        "AttributeError: jax.tree_map was removed in JAX v0.6.0: use jax.tree.map (jax v0.4.25 or newer)",
        {"packages": {"jax": "0.6.2"}},
        [r'"jax<0\.6\.0" "jaxlib<0\.6\.0"'],
        ["--upgrade jax"],
    ),
    (
        "AttributeError: module 'jax.random' has no attribute 'KeyArray'",
        {},
        [r'"jax<0\.4\.24"'],
        ["--upgrade jax"],
    ),
    (
        "ImportError: cannot import name 'tree' from 'jax'",
        {"packages": {"jax": "0.4.20"}},
        ["--upgrade jax jaxlib"],
        ["<0"],
    ),
    (
        "RuntimeError: jaxlib version 0.4.30 is newer than and incompatible with jax version 0.4.20. Please update your jax",
        {"packages": {"jax": "0.4.20", "jaxlib": "0.4.30"}},
        ["jaxlib==0.4.20", "update both"],
        [],
    ),
    (
        "from diffusers import x\nImportError: cannot import name 'cached_download' from 'huggingface_hub' (/v/__init__.py)",
        LINUX,
        ["--upgrade diffusers", "huggingface-hub<0.26"],
        ["upgrade huggingface"],
    ),
    (NMS + "torch 2.7.1+rocm6.3\n", {"packages": {"torch": "2.7.1+rocm6.3"}}, [r"torchvision==0\.22\.1\+rocm6\.3"], []),
    (
        "ImportError: /home/$USER/env/lib/python3.11/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: "
        "undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
        {},
        ["built for another PyTorch", "flash-attn"],
        ["not known"],
    ),
    ("RuntimeError: No backend type associated with device type xpu", {}, [r"xccl"], ["nvidia"]),
    (
        "ImportError: /v/lib/python3.11/site-packages/_XLAC.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorE",
        {**LINUX, "packages": {"torch": "2.5.1"}},
        [r"torch_xla\[tpu\]~=2\.5\.0"],
        ["flash"],
    ),
    (
        "ImportError: /v/lib/python3.11/site-packages/deep_gemm/x.so: undefined symbol: _ZN2at5emptyE",
        LINUX,
        ["deep-gemm that was released for"],
        [],
    ),
    (
        "LibMambaUnsatisfiableError: Encountered problems while solving:\n  - package torchvision-0.15.2-py310_cu117 requires "
        "pytorch-cuda 11.7.*, but none of the providers can be installed",
        LINUX,
        ["torchvision 0.15.2 needs pytorch-cuda 11.7", "without a version"],
        ["pip"],
    ),
    # sound and video
    (
        "RuntimeError: Could not load libtorchcodec. Likely causes:",
        LINUX,
        [r"ffmpeg<8", "torchcodec"],
        ["brew", "nvidia"],
    ),
    (
        "OSError: dlopen(/v/torchaudio/lib/libtorchaudio_ffmpeg.so, 6): Library not loaded: @rpath/libavdevice.58.dylib",
        MAC,
        ["brew install ffmpeg"],
        ["Reinstall torch", "apt"],
    ),
    (
        "ImportError: /v/lib/python3.7/site-packages/_torch_sox.cpython-37m-x86_64-linux-gnu.so: undefined symbol: _ZN2at1xE",
        LINUX,
        ["torch torchaudio"],
        ["torch-sox"],
    ),
    # what excludes what, and what was built for which maker
    (
        "The conflict is caused by:\n    one 1.0 depends on torch==2.10.0\n    two 2.0 depends on torch==2.9.0\nERROR: "
        "ResolutionImpossible: for help visit https://pip.pypa.io",
        LINUX,
        [r"one 1\.0 needs exactly torch==2\.10\.0", "an environment each"],
        ["whl/cu"],
    ),
    (
        "OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory",
        {**LINUX, "gpu": "RX 7900 XTX", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["built for CUDA", "torchvision"],
        [r"install torch==2\.5\.1$"],
    ),
    (
        "RuntimeError: Cannot find a working triton installation.",
        LINUX,
        ["--upgrade torch", "TORCH_COMPILE_DISABLE"],
        ["triton-windows"],
    ),
    ("RuntimeError: Cannot find a working triton installation.", WINDOWS, ["triton-windows"], ["--upgrade torch"]),
    ("RuntimeError: Cannot find a working triton installation.", MAC, ["leave out torch.compile"], [ANY_INSTALL]),
    (
        "ValueError: This ORT build has ['AzureExecutionProvider', 'CPUExecutionProvider'] enabled. Since ORT 1.9, you are "
        "required to explicitly set the providers parameter",
        LINUX,
        [r'providers=\["CPUExecutionProvider"\]'],
        [ANY_INSTALL, "CUDA"],
    ),
    (
        "xFormers was built for:\n    PyTorch 2.3.1+cu121 with CUDA 1201 (you have 2.3.1+cu118)",
        LINUX,
        [r"torch==2\.3\.1 --index-url \S+/whl/cu121", r"--no-deps xformers --index-url \S+/whl/cu118"],
        ["whl/cpu"],
    ),
    (
        "xFormers was built for:\n    PyTorch 2.3.1+cu121 with CUDA 1201 (you have 2.3.1+rocm6.0)",
        LINUX,
        ["uninstall -y xformers", "ROCm"],
        ["whl/cu"],
    ),
    ("xFormers was built for:\n    PyTorch 2.3.1 (you have 2.3.1)", MAC, ["uninstall -y xformers"], ["whl/cu"]),
    (
        "RuntimeError: No such operator torchvision::nms",
        {**LINUX, "packages": {"torch": "1.6.0+cu101", "torchvision": "0.7.0"}},
        [r"torch==1\.6\.0\+cu101 torchvision==0\.7\.0\+cu101 -f "],
        ["tensorflow"],
    ),
    (
        "python_embeded\\Lib\\site-packages\\triton\\windows_utils.py:1: UserWarning: Failed to find Python libs.",
        WINDOWS,
        ["include and libs", "python_embeded"],
        ["sudo", "python3-dev"],
    ),
    (
        "AttributeError: module 'torch' has no attribute 'get_default_device'",
        {**LINUX, "packages": {"torch": "2.1.0"}},
        ["2.3 or newer", "--upgrade torch", "older release"],
        ["tensorflow"],
    ),
    ("NameError: name 'autogptq_cuda_256' is not defined", LINUX, ["gptqmodel"], ["tensorflow"]),
    (
        "ImportError: DLL load failed while importing _fused: The specified module could not be found.",
        WINDOWS,
        [r"torch\.version\.cuda"],
        ["sudo", "tensorflow"],
    ),
    (
        "Because no versions of tensorflow-intel match 2.15.0.post1\n and test depends on tensorflow (^2.15.0.post1), version "
        "solving failed.",
        {**WINDOWS, "python": "3.11"},
        [r"poetry add tensorflow==2\.15\.1"],
        [ANY_INSTALL],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        {},
        [r"1\.15", "tf-slim"],
        [r"compat\.v1\.contrib"],
    ),
    (
        "/lib/python3.11/site-packages/tensorflow_decision_forests/x.so: undefined symbol: _ZNK10tensorflow8OpKernel",
        {**LINUX, "packages": {"tensorflow": "2.16.1", "tensorflow-decision-forests": "1.8.1"}, "python": "3.11"},
        [r"tensorflow-decision-forests==1\.9"],
        ["sudo"],
    ),
    ("AttributeError: module 'keras_tuner.engine' has no attribute 'tuner'", LINUX, ["keras-tuner"], [r"keras==2"]),
    ("ModuleNotFoundError: No module named 'tf_slim'", LINUX, ["pip install tf-slim"], ["pip check"]),
    ("ImportError: No module named 'slim'", WINDOWS, ["PYTHONPATH"], [r"pip install slim", r"\$PWD"]),
    # what TensorFlow's own metadata ask for
    (
        "ModuleNotFoundError: No module named 'gast'",
        {**MAC, "python": "3.7", "packages": {"tensorflow": "2.3.1"}},
        [r"gast==0\.3\.3"],
        ["nvidia"],
    ),
    (
        "Cause: module 'gast' has no attribute 'Str'",
        {**LINUX, "packages": {"tensorflow": "2.1.0"}},
        [r"gast==0\.2\.2"],
        [r"gast==0\.3"],
    ),
    # each release of tensorflow-io is for one TensorFlow, and Windows has none after 0.31
    (
        TF_IO,
        {**WINDOWS, "packages": {"tensorflow": "2.13.0"}},
        [r"tensorflow==2\.11", r"tensorflow-io==0\.31"],
        [r"0\.34"],
    ),
    (TF_IO, {**LINUX, "packages": {"tensorflow": "2.13.0"}}, [r"tensorflow-io==0\.34"], [r"0\.31"]),
    (
        'File "/v/lib/python3.12/site-packages/tensorflow_addons/utils/types.py", line 29, in <module>\n'
        "ModuleNotFoundError: No module named 'keras.src.engine'",
        LINUX,
        ["ended", r"--python 3\.11", r"tensorflow-addons==0\.23\.0"],
        ["pip install keras"],
    ),
    (
        "OSError: /opt/lib/flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2E",
        LINUX,
        ["--no-build-isolation flash-attn"],
        ["tensorflow"],
    ),
    (
        "CUDA SETUP: Required library version not found: libbitsandbytes_cuda123.dll.",
        WINDOWS,
        [r"--upgrade bitsandbytes"],
        ["sudo"],
    ),
    (
        "  ╰─▶ Because there is no version of tensorflow-intel{sys_platform == 'win32'}==2.30.0 and",
        LINUX,
        ["tensorflow-intel", r"\[tool\.uv\]"],
        ["driver"],
    ),
    (
        "Looking in indexes: https://mirror.example/simple\n"
        "ERROR: Could not find a version that satisfies the requirement tensorboard<2.2.0,>=2.1.0 (from tensorflow) "
        "(from versions: 1.15.0, 2.0.2)",
        {},
        [r"--index-url https://pypi\.org/simple"],
        ["driver"],
    ),
    ("ModuleNotFoundError: No module named 'keras_preprocessing'", {}, ["pip install keras-preprocessing"], ["check"]),
    ("ModuleNotFoundError: No module named 'numba.decorators'", {**LINUX, "python": "3.10"}, [], ["pip install"]),
    (
        "ModuleNotFoundError: No module named 'tensorflow_addons'",
        {**WINDOWS, "python": "3.10", "packages": {"tensorflow": "2.14.0"}},
        [r"addons==0\.22"],
        [],
    ),
    (
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
        {"os": "container"},
        [r"\napt-get install -y libgl1"],
        ["sudo"],
    ),
    (
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
        {**LINUX, "os_version": "Fedora 40"},
        [],
        ["apt-get install"],
    ),
]
