"""Rows about CUDA's libraries and cuDNN."""

from log_rows.texts import ANY_INSTALL, BITSANDBYTES, CUDNN, DLL, GPU_REQUESTED, IMPORTED, LINUX, MAC, WINDOWS

ORT = (
    "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:965] Failed to create CUDAExecutionProvider. Require cuDNN 9.* and "
    "CUDA 12.*. Please install all dependencies as mentioned in the GPU requirements page"
)
DLOPEN = (
    "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1956] Cannot dlopen some GPU libraries. Please make sure the missing "
    "libraries mentioned above are installed properly if you would like to use GPU."
)
NO_PROVIDER = (
    "[W:onnxruntime:Default, pybind_state.cc:640 CreateExecutionProvider] Failed to create CUDAExecutionProvider."
)
OLD_PTXAS = (
    "W external/xla/xla/stream_executor/gpu/asm_compiler.cc:232] Falling back to the CUDA driver for PTX compilation; ptxas "
    "does not support CC 8.9\nE external/xla/xla/stream_executor/cuda/cuda_driver.cc:864] failed to load PTX text as a "
    "module: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid"
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    (
        "W external/org_tensorflow/tensorflow/compiler/xla/service/gpu/nvptx_compiler.cc:70] Can't find libdevice directory\n"
        "RuntimeError: Internal: libdevice not found at ./libdevice.10.bc",
        LINUX,
        ["xla_gpu_cuda_data_dir=FOLDER"],
        ["TensorFlow before"],
    ),
    (
        "operation gpuGetLastError() failed: cudaGetErrorString symbol not found.",
        {**LINUX, "packages": {"jax": "0.4.25"}},
        [r"jax\[cuda12\]"],
        ["TensorFlow"],
    ),
    (
        '  File "cupy\\cuda\\runtime.pxd", line 5, in init cupy.cuda.device\n'
        "ImportError: DLL load failed: The specified module could not be found.",
        WINDOWS,
        ["CuPy needs", "CUDA"],
        ["TensorFlow"],
    ),
    # JAX needs CUPTI, which others do without; its plug-in is there and does not load; without a GPU it raises.
    (
        "RuntimeError: Unable to load cuPTI. Is it installed?",
        {**LINUX, "packages": {"jax": "0.4.35"}},
        ["JAX cannot load cuPTI", r"jax\[cuda12\]"],
        [],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {
            **LINUX,
            "packages": {"jax": "0.4.35", "jax-cuda12-plugin": "0.4.35"},
            "env": {"LD_LIBRARY_PATH": "/opt/cuda-11.8/lib64"},
        },
        [r"\AJAX's plug-in.*\n.*\nunset LD_LIBRARY_PATH"],
        ["build for the CPU"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.",
        {"os": "linux", "packages": {"jax": "0.4.35"}},
        [r"(?s)\nnvidia-smi\n.*CUDA_VISIBLE_DEVICES.*export JAX_PLATFORMS=cpu"],
        ["computes on the CPU"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.",
        {"os": "linux", "gpu": "none", "packages": {"jax": "0.4.30"}},
        ["export JAX_PLATFORMS=cpu"],
        ["nothing has to be installed"],
    ),
    (
        "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 8.9.2.  CuDNN library needs to have matching major "
        "version and equal or higher minor version.",
        {**LINUX, "packages": {"jax": "0.4.25", "jaxlib": "0.4.25+cuda12.cudnn89", "nvidia-cudnn-cu12": "9.1.0.70"}},
        [r'\A.*\n.*\npython -m pip install "nvidia-cudnn-cu12>=8.9,<9"'],
        [],
    ),
    # CTranslate2: on Windows it dies silently, and wants cuDNN 9, which a PyTorch before 2.4 has not.
    (
        "Process finished with exit code -1073740791 (0xC0000409)",
        {"os": "windows", "packages": {"faster-whisper": "1.0.3"}},
        ["cuDNN's DLLs.*on PATH", "zlibwapi"],
        [],
    ),
    (
        "import whisperx\nUnable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}",
        {**LINUX, "packages": {"torch": "2.2.0"}},
        ["ctranslate2==4.4.0"],
        [],
    ),
    (
        "import whisperx\nUnable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}",
        {**LINUX, "packages": {"torch": "2.6.0"}},
        ["export LD_LIBRARY_PATH"],
        ["ctranslate2=="],
    ),
    (
        "/opt/conda/lib/gcc/x86_64-conda-linux-gnu/13.2.0/../../../../x86_64-conda-linux-gnu/bin/ld: cannot find -lcuda",
        {"os": "linux"},
        ["export LIBRARY_PATH=.*libcuda"],
        ["ln -s"],
    ),
    # What ends a process on Windows ends a notebook's kernel.
    (
        "The kernel appears to have died. It will restart automatically.",
        {"os": "windows", "gpu": "RTX 3070", "packages": {"tensorflow": "2.10.1"}},
        [r"CUDA 11\.2 and cuDNN 8\.1, and zlibwapi\.dll", "as a script"],
        [],
    ),
    (
        "UnknownError: Graph execution error:\n\nJIT compilation failed.\n\t [[{{node sequential/dense/Relu}}]]",
        {"os": "linux", "packages": {"tensorflow": "2.13.0"}},
        ["xla_gpu_cuda_data_dir"],
        [],
    ),
    (
        "  (0) INTERNAL: cublas error\n\t [[{{node model/conv2d/Conv2D}}]]",
        {"packages": {"tensorflow": "2.10.0"}},
        ["memory"],
        [],
    ),
    # TensorFlow 1.11 and 1.12 were compiled with cuDNN 7.2, those before with 7.0.
    (
        "ImportError: libcudnn.so.7: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.12.2"}},
        [r"CUDA 9\.0 and cuDNN 7\.2"],
        [],
    ),
    (
        "ImportError: DLL load failed: The specified module could not be found.\nFailed to load the native TensorFlow runtime",
        {"os": "windows", "packages": {"tensorflow-gpu": "1.11.0"}},
        [r"CUDA 9\.0 and cuDNN 7\.2"],
        [],
    ),
    (
        "ImportError: DLL load failed: The specified module could not be found.\nFailed to load the native TensorFlow runtime",
        {"os": "windows", "packages": {"tensorflow-gpu": "1.9.0"}},
        [r"CUDA 9\.0 and cuDNN 7 from"],
        [],
    ),
    # A hosted notebook's cuDNN is its owner's.
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:359] Loaded runtime CuDNN library: 8.0.4 but source was compiled with: "
        "8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.\n"
        'Traceback (most recent call last):\n  File "/content/train.py", line 2, in <module>\nUnknownError: a',
        {**LINUX, "packages": {"tensorflow": "2.5.0"}},
        ["leave that one installed"],
        [],
    ),
    # A build that tried to open cuDNN has GPU support, and in a container the image has to bring it.
    (
        "I tensorflow/stream_executor/dso_loader.cc:99] Couldn't open CUDA library libcudnn.so. LD_LIBRARY_PATH: /usr/lib\n"
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:1562] Unable to load cuDNN DSO",
        {"os": "container"},
        ["take an image in which the two belong together"],
        ["Up to 1.14"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "linux", "packages": {"torch": "2.6.0", "nvidia-cudnn-cu12": "9.8.0.87"}},
        [r"force-reinstall .*torch==2\.6\.0"],
        [],
    ),
    # CTranslate2 wants cuDNN 8, and PyTorch brings cuDNN 9.
    (
        "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No "
        "such file or directory",
        {"os": "linux", "packages": {"torch": "2.5.1", "faster-whisper": "1.0.3"}},
        [r"--upgrade ctranslate2"],
        [],
    ),
    (
        "F tensorflow/core/framework/tensor.cc:812] Check failed: IsAligned() ptr = 0x7f00aa10cc21",
        {"os": "linux", "packages": {"tensorflow": "2.15.0", "intel-extension-for-tensorflow": "2.15.0.0"}},
        ["ITEX_ENABLE_NEXTPLUGGABLE_DEVICE=0"],
        [],
    ),
    (
        "Loaded cuDNN library version 8.6.0, but jaxlib was built with version 8.9.4",
        {"os": "linux", "gpu": "Tesla K80"},
        ["cuda11_cudnn82"],
        ["cuda12"],
    ),
    # What has no code for the GPU is not installed: Kepler and CUDA 12, old Radeons and XLA, Intel's graphics and XPU.
    (
        "I tensorflow/tsl/cuda/cudart_stub.cc:28] Could not find cuda drivers on your machine, GPU will not be used.",
        {"os": "linux", "gpu": "Tesla K80", "python": "3.10"},
        [r"tensorflow\[and-cuda\]==2\.14"],
        [r"2\.2\d", "cu12"],
    ),
    (
        "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file",
        {"os": "linux", "gpu": "Quadro K2000", "packages": {"tensorflow": "2.5.0"}},
        ["from 2.3 on has no code for"],
        ["and-cuda"],
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'cudart64_101.dll'; "
        "dlerror: cudart64_101.dll not found",
        {"os": "windows", "packages": {"tensorflow": "2.0.0"}, "gpu": "GeForce GTX 950M"},
        [r"needs CUDA 10\.1 and cuDNN 7\.6"],
        [r"CUDA 10\.0"],
    ),
    (
        "ModuleNotFoundError: No module named '_pywrap_tensorflow_internal'",
        {"os": "windows", "python": "3.6", "packages": {"tensorflow-gpu": "1.2.0"}, "cuda": "8.0"},
        [r"CUDA 8\.0 and cuDNN 5\.1"],
        ["Redistributable"],
    ),
    (
        "I external/local_tsl/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers on your machine, GPU will not be used.",
        {"os": "container"},
        ["and-cuda", "--gpus all"],
        [],
    ),
    # CUDA's minor releases have libraries of the same names from 11.1 on.
    (
        "DNN library is not found.",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow": "2.8.0"}, "gpu": "GTX 1650", "cuda": "11.6"},
        [r"CUDA 11\.2 and cuDNN 8\.1"],
        ["other names"],
    ),
    (
        "DNN library is not found.",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow": "2.8.0"}, "gpu": "GTX 1650", "cuda": "10.1"},
        ["other names"],
        [],
    ),
    # ONNX Runtime for CUDA 11: whose libraries are there, and which has no code for a newer GPU.
    (
        'LoadLibrary failed with error 126 "" when trying to load "C:\\env\\onnxruntime_providers_cuda.dll"',
        {"os": "windows", "packages": {"onnxruntime-gpu": "1.16.3"}, "cuda": "11.8", "cudnn": "8.9"},
        ["CUDA 11.8 and cuDNN 8: put their folders on PATH"],
        ["install these"],
    ),
    (
        'LoadLibrary failed with error 126 "" when trying to load "C:\\env\\onnxruntime_providers_cuda.dll"',
        {"os": "windows", "packages": {"onnxruntime-gpu": "1.16.3"}, "cuda": "11.8", "gpu": "RTX 5070 Ti"},
        [r"onnxruntime-gpu\[cuda,cudnn\]>=1\.21"],
        [r"11\.8"],
    ),
    (
        "onnxruntime_pybind_state.cc:743 CUDA PATH is set but CUDA wasn't able to be loaded",
        {"os": "windows", "packages": {"onnxruntime-gpu": "1.16"}},
        [r"CUDA 11\.8 and cuDNN 8: install these"],
        [],
    ),
    (
        "W external/xla/xla/dso.cc:66] Could not load dynamic library 'libcublasLt.so.11'; dlerror: libcublasLt.so.11: "
        "cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"jaxlib": None}},
        ["^JAX could not load"],
        ["TensorFlow"],
    ),
    (
        "pip install https://storage.googleapis.com/jax-releases/cuda100/jaxlib-0.1.29-cp37-none-linux_x86_64.whl\n"
        "UserWarning: No GPU/TPU found, falling back to CPU.",
        {"os": "linux", "python": "3.7", "packages": {"jaxlib": "0.1.29"}},
        ["is a build for CUDA and found no GPU", "TF_CPP_MIN_LOG_LEVEL"],
        [],
    ),
    (
        "Could not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot open shared object file",
        {"os": "container"},
        ["image that has cuDNN 7"],
        [],
    ),
    (
        "W external/org_tensorflow/tensorflow/stream_executor/gpu/asm_compiler.cc:191] ptxas does not support CC 8.6\n"
        "E external/org_tensorflow/tensorflow/stream_executor/cuda/cuda_driver.cc:682] failed to get PTX kernel from module",
        {"os": "linux", "packages": {"jaxlib": "0.1.64+cuda110"}},
        ["jax"],
        ["TensorFlow"],
    ),
    # A part of cuDNN is in the packages of PyTorch, wherever the library that asks for it looks.
    (
        "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file",
        {"os": "linux", "packages": {"torch": "2.1.1+cu118"}},
        ["import torch as m.*/lib:\\$LD_LIBRARY_PATH"],
        ["unset"],
    ),
    ("ERROR   cuDNN not found. See the instructions", {"os": "windows"}, ["cuDNN cannot be found"], []),
    (
        "Library not loaded: @rpath/libcublas.8.0.dylib",
        {"os": "macos", "packages": {"tensorflow-gpu": "1.1.0"}},
        [r"ended with 10\.13"],
        [],
    ),
    (
        '[name: "/cpu:0"\ndevice_type: "CPU"\nmemory_limit: 268435456]',
        {"os": "linux", "gpu": "GTX 1080"},
        ["tensorflow-gpu has"],
        [],
    ),
    # A line that was broken where it was copied.
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:378] Loaded runtime CuDNN library: 5006\n(compatibility version 5000) "
        "but source was compiled with 5103 (compatibility version 5100).\nIf using a binary install, upgrade your CuDNN "
        "library to match.",
        {"os": "linux", "python": "2.7"},
        [r"cudnn=5\.1"],
        ["or a newer one"],
    ),
    (
        "I dso_loader.cc:99] Couldn't open CUDA library libcudnn.so. LD_LIBRARY_PATH: /usr/local/nvidia/lib64\n"
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:1562] Unable to load cuDNN DSO",
        {"os": "linux"},
        ["built for"],
        ["and-cuda"],
    ),
    # A nightly build is of the release before the one in its number.
    (
        "2020-11-03 12:07:52: I dso_loader.cc:49] Successfully opened dynamic library cudart64_110.dll\n2020-11-03 12:08: W "
        "tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'cusolver64_10.dll'; "
        "dlerror: cusolver64_10.dll not found",
        {"os": "windows", "packages": {"tf-nightly-gpu": "2.5.0.dev20201103"}, "cuda": "11.1"},
        [r"needs CUDA 11\.0 and cuDNN 8\.0"],
        [r"11\.2"],
    ),
    # The extras of onnxruntime-gpu need Python 3.10.
    (
        'LoadLibrary failed with error 126 "" when trying to load "C:\\env\\lib\\site-packages\\onnxruntime\\capi\\'
        'onnxruntime_providers_cuda.dll"',
        {"os": "windows", "python": "3.9"},
        [
            "pip show onnxruntime-gpu",
            r"py -3\.12 -m venv env; env.Scripts.python -m pip install .onnxruntime-gpu\[cuda",
        ],
        [r"^python -m pip install .onnxruntime-gpu"],
    ),
    # The compiler's own message is not in the line: it is one of two.
    (
        "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/x/cuda_utils.c', '-O3', '-shared', '-lcuda', '-o', "
        "'/tmp/x/cuda_utils.so']' returned non-zero exit status 1.",
        {"os": "linux", "python": "3.11", "packages": {"torch": "2.5.1"}},
        ["libcuda", r"python3\.11-dev"],
        [],
    ),
    (
        "SystemError: GPU device not found",
        {"os": "linux", "packages": {"tf-nightly-gpu": "2.5"}, "cuda": "11.0"},
        [r"TensorFlow 2\.5 needs CUDA 11\.2"],
        [r"and-cuda"],
    ),
    # The last releases for an old Python are on JAX's own page alone.
    (
        "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
        "Memory usage: 46637514752 bytes free, 47587131392 bytes total.",
        {"os": "linux", "python": "3.8", "packages": {"jax": "0.4.13"}},
        [r'"jax\[cuda12_pip\]" -f https://storage'],
        [r"jax\[cuda12\]"],
    ),
    # The CUDA that is there says which ONNX Runtime it may be, and what the one that is installed lacks.
    (
        "LoadLibrary failed with error 126 when trying to load "
        '"C:\\Python310\\lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
        {"os": "windows", "python": "3.10", "cuda": "11.8"},
        [r"CUDA 11\.8 and cuDNN 8"],
        [r"from 1\.19 on"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "windows", "gpu": "Radeon 780M"},
        [r"cudnn\.enabled = False"],
        ["nvidia-smi"],
    ),
    # A Python for which neither the newest ONNX Runtime nor the newest JAX has a wheel.
    (
        "LoadLibrary failed with error 126 when trying to load "
        '"C:\\env\\lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
        {"os": "windows", "python": "3.9"},
        ["1.19 for CUDA 12 and cuDNN 9", r"py -3\.1[0-4] "],
        ["^python -m pip install"],
    ),
    (
        "asm_compiler.cc:231] Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 8.6\n"
        'cuda_driver.cc:628] failed to get PTX kernel "add" from module: CUDA_ERROR_NOT_FOUND: named symbol not found',
        {"os": "linux", "python": "3.7", "packages": {"jaxlib": "0.3.25+cuda11.cudnn82"}},
        ["CUDA 11.1", "newer Python than 3.7", "3.11"],
        ["^python -m pip install"],
    ),
    (
        "WARNING:tensorflow:There are non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce.",
        {"os": "linux", "packages": {"tensorflow": "2.1.0"}, "cuda": "10.2", "gpu": "RTX 2080 Ti"},
        [r"CUDA 10\.1"],
        ["and-cuda"],
    ),
    # What TensorFlow 1 itself checks on Windows.
    (
        '  File "C:\\env\\lib\\site-packages\\tensorflow\\python\\platform\\self_check.py", line 75, in preload_check\n'
        "    ctypes.WinDLL(build_info.cudart_dll_name)\nOSError: [WinError 126] The specified module could not be found",
        {"os": "windows", "python": "3.6"},
        [r"CUDA 9\.0\) needs CUDA 10\.0", "cudart64_100"],
        ["11", "WSL"],
    ),
    (
        "I cuda_dnn.cc:384] Loaded cuDNN version 8400\n\nProcess finished with exit code -1073740791 (0xC0000409)",
        {"os": "windows"},
        ["Put the 64-bit zlibwapi"],
        ["python -m venv"],
    ),
    (
        "InvalidArgumentError: Cannot assign a device for operation a: node a was explicitly assigned to /device:GPU:0 but "
        "available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, "
        "/job:localhost/replica:0/task:0/device:XLA_CPU:0, /job:localhost/replica:0/task:0/device:XLA_GPU:0 ].",
        {"os": "linux"},
        [r"CUDA 10\.0", "cuDNN 7"],
        ["and-cuda"],
    ),
    (
        "Could not locate cublasLt64_11.dll. Please make sure it is in your library path!",
        {"os": "windows"},
        ["CUDA 11"],
        ["sudo"],
    ),
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:320] Loaded runtime CuDNN library: 7.5.0 but source was compiled with: "
        "7.6.3.  CuDNN library major and minor version needs to match",
        {"os": "linux", "os_version": "JetPack 4.2", "arch": "aarch64", "packages": {"tensorflow": "1.15.2+nv20.2"}},
        ["NVIDIA's wheel"],
        ["newer cuDNN"],
    ),
    # The line is not of the TensorFlow that the facts name.
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; "
        "dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.10", "packages": {"tensorflow": "2.17.0"}, "gpu": "RTX 3060"},
        ["see which one runs"],
        ["and-cuda"],
    ),
    # CUDA of the right release is installed, and not on the loader's path.
    (
        "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow-gpu": "1.6"}, "cuda": "9.0"},
        ["/usr/local/cuda-9.0/lib64"],
        [],
    ),
    (
        "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow-gpu": "1.6"}, "cuda": "9.1"},
        ["CUDA 9.0"],
        ["/usr/local/cuda-9"],
    ),
    (
        GPU_REQUESTED,
        {"os": "linux", "packages": {"tensorflow-gpu": "1.14.0"}, "gpu": "GTX 1060", "cuda": "10.1"},
        ["CUDA 10.0"],
        ["uninstall"],
    ),
    (
        "    tf.config.experimental.set_memory_growth(gpus[0], True)\nIndexError: list index out of range",
        {"os": "linux", "python": "3.10", "packages": {"tensorflow": "2.14.0"}, "gpu": "RTX 3060"},
        ["and-cuda.==2.14.0"],
        ["devicekit doctor"],
    ),
    (
        "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Conv node. CUDNN failure 5000: "
        "CUDNN_STATUS_EXECUTION_FAILED ; GPU=0",
        {"os": "linux", "gpu": "GTX 1080", "packages": {"onnxruntime-gpu": "1.22.0"}, "cudnn": "9.11"},
        ["nvidia-cudnn-cu12<9\\.11"],
        ["or a newer one"],
    ),
    (
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 46637514752 bytes free, 47587131392 bytes "
        "total.",
        {"os": "linux", "driver": "470.57", "packages": {"jax": "0.4.13", "jaxlib": "0.4.13+cuda11.cudnn86"}},
        ["jax\\[cuda11_pip\\]==0\\.4\\.13"],
        ["525", "cuda12"],
    ),
    (
        "Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda13.initialize()\n"
        "RuntimeError: Outdated cuBLAS installation found.\n  Version JAX was built against: 130100",
        {"os": "linux", "packages": {"jax": "0.8.1", "jaxlib": "0.8.1"}},
        ["jax\\[cuda13\\]"],
        ["cuda12"],
    ),
    (
        "torch._inductor.exc.InductorError: RuntimeError: PassManager::run failed\n"
        "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'",
        {"os": "linux", "arch": "aarch64", "gpu": "NVIDIA GB10", "packages": {"torch": "2.9.0+cu130"}},
        ["TRITON_PTXAS_PATH"],
        ["whl/cu128"],
    ),
    (
        '  File "/usr/local/lib/python3.12/dist-packages/torchaudio/_extension/utils.py", line 56, in _load_lib\n'
        "    torch.ops.load_library(paths[0])\n"
        "OSError: libcudart.so.13: cannot open shared object file: No such file or directory",
        {
            "os": "container",
            "packages": {"torch": "2.7.0a0+ecf3bae40a.nv25.02", "torchaudio": "2.11.0"},
            "cuda": "12.8",
        },
        ["--no-build-isolation .*pytorch/audio\\.git@v2\\.7\\.0"],
        ["uninstall -y torch "],
    ),
    (
        DLL % ("libcudart.so.10.1", "libcudart.so.10.1"),
        {"os": "linux", "python": "3.9", "packages": {"tensorflow": "2.11.0"}, "cuda": "11.8", "gpu": "RTX 3060"},
        [r"CUDA 10\.1 printed this, not TensorFlow 2\.11\.0"],
        ["and-cuda"],
    ),
    ("nvcc fatal   : Value 'c++17' is not defined for option 'std'", {"os": "windows"}, ["CUDA"], ["/usr/local"]),
    # The facts name a cuDNN that TensorFlow refuses.
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RTX 2080 Ti", "cudnn": "7.4.1", "packages": {"tensorflow": "2.1.0"}},
        ["needs cuDNN 7.6"],
        ["GROWTH"],
    ),
    # PyTorch was imported with its own CUDA: what its add-on does not find is of another one.
    (
        IMPORTED
        % "torchaudio/_extension/utils.py"
        + '  File "/srv/env/lib/python3.11/site-packages/torch/_ops.py", line 852, in load_library\n'
        "OSError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        {"packages": {"torch": "2.1.0+cu121", "torchaudio": "0.13.1"}},
        ["torchaudio==2.1.0", "whl/cu121"],
        ["--force-reinstall --no-cache-dir torch", "LD_LIBRARY_PATH"],
    ),
    (
        IMPORTED % "flash_attn/flash_attn_interface.py"
        + "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        {"packages": {"torch": "2.3.0"}},
        ["flash-attn that was released for PyTorch 2.3.0"],
        ["no-cache-dir torch", "LD_LIBRARY_PATH"],
    ),
    (
        IMPORTED % "torch/__init__.py"
        + "ImportError: libcublas.so.12: cannot open shared object file: No such file or directory",
        {"packages": {"torch": "2.3.0"}},
        ["--force-reinstall --no-cache-dir torch==2.3.0"],
        ["released for"],
    ),
    # A PyTorch next to it requires one exact cuDNN, too old for the other framework.
    (
        "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.8.0. CuDNN library needs to have matching major",
        {"os": "linux", "packages": {"jax": "0.6.0", "torch": "2.4.0"}},
        ["PyTorch 2.4.0 in this environment requires cuDNN 9.1.0", "torch==2.8.0"],
        [],
    ),
    (
        "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0. CuDNN library needs to have matching major",
        {"os": "linux", "packages": {"tensorflow": "2.18.0", "torch": "2.7.0"}},
        ["nvidia-cudnn-cu12>=9.3,<10"],
        ["brings it back"],
    ),
    (
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file\n"
        "/apps/spack/opt/spack/linux-rhel8/gcc-11/python-3.9/bin/python",
        LINUX,
        ["module load cuDNN"],
        ["pip install"],
    ),
    (
        "  - pytorch=2.5.1=py3.12_cuda12.4_cudnn9_0\n  - conda=25.1.1\nOSError: [WinError 127] The specified procedure "
        'could not be found. Error loading "C:\\env\\Lib\\site-packages\\torch\\lib\\c10_cuda.dll" or one of '
        "its dependencies.",
        WINDOWS,
        [r"torch==2\.5\.1 --index-url \S+/whl/cu12"],  # the registry's is for the CPU
        [r"\.dll is not"],
    ),
    (
        "OSError: [WinError 127] The specified procedure could not be found. Error loading "
        '"C:\\env\\Lib\\site-packages\\torch\\'
        'lib\\cudnn_ops64_9.dll" or one of its dependencies.',
        {**WINDOWS, "gpu": "RTX 5080"},
        [r"--index-url \S+/whl/cu128"],
        ["nvidia-cudnn"],
    ),
    (
        'File "/apps/easybuild/software/TensorFlow/2.3.1-foss/lib/python3.7/site-packages/tensorflow/a.py", line 58\n'
        "ImportError: libcudart.so.10.1: cannot open shared object file: No such file or directory",
        LINUX,
        [r"module load CUDA/10\.1"],
        ["conda install", "pip install"],
    ),
    (
        "UNIMPLEMENTED: DNN library is not found.\nIt worked on Colab until today, with TensorFlow",
        {},
        ["Disconnect and delete runtime"],
        [],
    ),
    # RAPIDS finds another CUDA first.
    (
        "ImportError: /v/lib/python3.10/site-packages/cuml/libcublas.so.11: undefined symbol: cublasLtGetStatusString, "
        "version libcublasLt.so.11",
        {"os": "linux"},
        ["unset LD_LIBRARY_PATH"],
        [],
    ),
    # conda's cuDNN comes from conda.
    (
        CUDNN % ("9.10.1", "9.13.1") + " matching major version.\njax 0.7.2 pyhd8ed1ab_0 conda-forge\n"
        "jaxlib 0.7.2 cuda129py312hf4e5e6a_200 conda-forge",
        {},
        ['conda-forge "cudnn>=9.13,<10"'],
        ["pip install"],
    ),
    # A nightly release is on PyPI for some weeks only.
    (
        "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
        {"os": "linux", "gpu": "RTX 3060", "packages": {"tensorflow": "2.17.0-dev20240101"}},
        [r"uninstall -y tf-nightly && .*tensorflow\[and-cuda\]==2\.17\.\*"],
        ["==2.17.0-dev"],
    ),
    (
        "[E:onnxruntime:Default] Failed to load\nCould not load library cudnn_cnn_infer64_8.dll. Error code 126",
        {"os": "windows", "packages": {"onnxruntime-gpu": None}},
        ["CUDA 11.8 and cuDNN 8", "PATH"],
        ["LD_LIBRARY_PATH"],
    ),
    # Libraries and extensions that are of another build than PyTorch, and boards with wheels of their own.
    (
        "$ pip list | grep torch\ntorch 2.0.1+cu118\nImportError: /e/site-packages/cuml/../../libcuml.so: undefined symbol: "
        "cublasLtGetVersion, version libcublasLt.so.12",
        {},
        ["RAPIDS and PyTorch for one CUDA", "import RAPIDS first"],
        ["force-reinstall", "unset LD_LIBRARY_PATH"],
    ),
    # apex says the CUDA of PyTorch in its own words; conda's channel has nvcc from 11.3 on.
    (
        "    Traceback (most recent call last):\n"
        '      File "/tmp/pip-req-build-1/setup.py", line 76, in check_cuda_torch_binary_vs_bare_metal\n'
        "    RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to "
        "compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 10.2.",
        {"os": "linux"},
        ["toolkit 10.2", "CUDA_HOME"],
        ["cuda-nvcc=10"],
    ),
    (
        "RuntimeError: Pytorch binaries were compiled with Cuda 12.1.",
        {"os": "linux"},
        ["toolkit 12.1", "cuda-nvcc=12.1"],
        ["doctor"],
    ),
    (
        "We tested TensorFlow 2.18, Windows 11, Python 3.11\nImportError: libcudnn.so.9: cannot open shared object file",
        {},
        ["cudnn"],
        ["wsl --install", r"\bWindows"],
    ),
    # cuDNN 9 for Windows is on PyPI; NVIDIA's installer has its DLLs one folder deeper.
    (
        "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!",
        {**WINDOWS, "packages": {"faster-whisper": "1.1.1"}},
        [
            r'pip install "nvidia-cudnn-cu12==9\.\*" nvidia-cublas-cu12',
            r"nvidia\.cudnn.*\\bin;\$env:PATH",
            r"bin\\12\.9",
        ],
        [],
    ),
    # The library is missed by bitsandbytes, whose line does not name it.
    (
        "CUDA SETUP: Loading binary /e/lib/python3.10/site-packages/bitsandbytes/libbitsandbytes_cuda117.so...\n"
        "libcusparse.so.11: cannot open shared object file: No such file or directory",
        {**LINUX, "packages": {"bitsandbytes": None, "torch": None}},
        [r"pip install --upgrade bitsandbytes"],
        ["unset LD_LIBRARY_PATH", "force-reinstall"],
    ),
    (
        "CUDNN failure: CUDNN_STATUS_NOT_INITIALIZED\non a Jetson AGX Xavier; it runs well outside the docker",
        LINUX,
        ["docker run --runtime nvidia --group-add video"],
        [],
    ),
    # What Numba and RAPIDS lack, PyTorch's channel in the command notwithstanding.
    (
        "NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:\n"
        "/usr/local/cuda-9.1/nvvm/lib64/libnvvm.so: cannot open shared object file: No such file or directory\n"
        "conda install -c rapidsai -c pytorch cudf=0.7 cudatoolkit=10.0",
        LINUX,
        ["unset CUDA_HOME NUMBAPRO_NVVM", r"cudatoolkit=10\.0"],
        ["torch", "numba-cuda"],
    ),
    (
        "OSError: cannot load library 'librmm.so': libcudart.so.10.1: cannot open shared object file\nimport cudf",
        LINUX,
        [r"conda install -c conda-forge cudatoolkit=10\.1", "docs.rapids.ai"],
        ["lib64"],
    ),
    # What starts elsewhere does not have a terminal's variables; what is not Python is not installed with pip.
    (
        "It works in a terminal, but not in Jupyter.\n- TensorFlow version: 2.10.0\n" + DLOPEN,
        LINUX,
        ["kernel.json"],
        [],
    ),
    (
        'const tf = require("@tensorflow/tfjs-node-gpu")\n' + DLL % (("libcudart.so.11.0",) * 2),
        LINUX,
        [r"CUDA 11\.2 and cuDNN 8\.1"],
        ["conda", "pip"],
    ),
    # XLA: CUDA's folder with blanks in its name on Windows, and a build without XLA.
    (
        "W nvptx_compiler.cc:70] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.\n"
        "W nvptx_compiler.cc:74]   D:/NVIDIA GPU Computing Toolkit/CUDA/v11.2/bin",
        {"packages": {"tensorflow": "2.8.0"}},
        [r"data_dir='D:/NVIDIA GPU Computing Toolkit/CUDA/v11\.2'"],
        ["Install the CUDA toolkit", "export"],
    ),
    # cuDNN: the minor release counts, and a recurrent layer has its own limits.
    (
        "DNN library initialization failed. Look at the errors above for more details.",
        {**LINUX, "packages": {"tensorflow": "2.19.0"}, "cudnn": "9.0"},
        [r"nvidia-cudnn-cu12>=9\.3,<10"],
        [],
    ),
    (
        "CUDNN_STATUS_EXECUTION_FAILED\nInternal: Failed to call ThenRnnBackward with model config: [rnn_mode]",
        {**LINUX, "packages": {"tensorflow": "2.2.0"}},
        ["smaller batch", "LSTMCell"],
        ["ldconfig"],
    ),
    # Not the machine's CUDA but the image's; not pip's command but the file.
    (
        "$ docker run --gpus all -it img python -c 'import tensorflow'\n"
        "ImportError: libcublas.so.10.0: cannot open shared object file: No such file or directory",
        {},
        ["take an image"],
        [],
    ),
    ("nvcc fatal   : Value 'c++17' is not defined for option 'std'", LINUX, ["from 11 on", "CUDA_HOME"], ["doctor"]),
    (
        "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...':",
        LINUX,
        [r"CXX=g\+\+-10"],
        [],
    ),
    ("ValueError: Unknown CUDA arch (12.0) or GPU not supported", LINUX, [r"names 12\.0", "get_arch_list"], []),
    (
        "    arch_list[-1] += '+PTX'\nIndexError: list index out of range",
        LINUX,
        ["TORCH_CUDA_ARCH_LIST="],
        ["doctor"],
    ),
    # What the loader of macOS refuses, and why: nothing that is reinstalled helps.
    (
        "ImportError: dlopen(/e/torch/_C.so): Library not loaded: @rpath/libtorch_cpu.dylib\n"
        "  Reason: tried: '/e/torch/lib/libtorch_cpu.dylib' (duplicate LC_RPATH '@loader_path')",
        MAC,
        [r"15\.4", "delete_rpath"],
        ["force-reinstall"],
    ),
    (
        "OSError: libcurand.so.10: cannot open shared object file: No such file or directory\ntorch",
        {**LINUX, "gpu": "Jetson Nano"},
        ["nvidia-jetpack"],
        ["cu12"],
    ),
    ("Could not load symbol cudnnGetLibConfig. Error code 127", WINDOWS, ["cudnnGetLibConfig", "PATH"], []),
    # nvcc refuses other compilers than GCC and MSVC as well.
    (
        "host_config.h(160): error: #error directive: -- unsupported NVHPC compiler found! Only NVHPC 23.X is supported.\n"
        "RuntimeError: Error building extension 'fused_adam'",
        LINUX,
        ["CXX=g\\+\\+", "module unload"],
        [],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"packages": {"torch": "1.8.0"}, "os": "Ubuntu 18.04"},
        [r"nvidia-smi", r"--upgrade torch torchvision"],
        [r"cudnn8"],
    ),
    # Other libraries on CUDA: DGL follows PyTorch, MXNet brings neither CUDA nor NCCL.
    (
        IMPORTED % "dgl/_ffi/base.py"
        + "OSError: libcudart.so.12: cannot open shared object file: No such file or directory",
        {"packages": {"torch": "2.1.0+cu118"}, "os": "Ubuntu 22.04"},
        [r"wheels/cu118/repo", r"torch\.version\.cuda"],
        [r"unset LD_LIBRARY_PATH", r"cudatoolkit"],
    ),
    (
        ">>> import mxnet\nOSError: libnccl.so.2: cannot open shared object file: No such file or directory",
        {"os": "Ubuntu 20.04"},
        [r"libnccl2", r"conda-forge nccl"],
        [r"tensorflow", r"Install the CUDA release"],
    ),
    (
        ">>> import mxnet\nOSError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        {"os": "Ubuntu 20.04"},
        [r"mxnet-cu112: 11\.2", r"pip install mxnet$"],
        [r"TensorFlow", r"cudatoolkit"],
    ),
    (
        "XlaRuntimeError: INTERNAL: libdevice not found at ./libdevice.10.bc\nIt is in $CONDA_PREFIX/nvvm/libdevice, of "
        "conda-forge jaxlib",
        {},
        [r"cuda_data_dir=\$CONDA_PREFIX"],
        [r"nvidia-cuda-nvcc-cu12"],
    ),
    (
        "PreconditionNotMetError: The third-party dynamic library (cudnn64_8.dll) that Paddle depends on is not configured "
        "correctly. (error code is 126)",
        WINDOWS,
        [r"cuDNN", r"bin, too"],
        [r"LD_LIBRARY_PATH", r"tensorflow"],
    ),
    (
        "RuntimeError: (PreconditionNotMet) Cannot load cudnn shared library. Cannot invoke method cudnnGetVersion.",
        LINUX,
        [r"LD_LIBRARY_PATH", r"paddle\.version"],
        [r"tensorflow", r"bin, too"],
    ),
    # pip's TensorRT is there, in its own folder.
    (
        "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot open shared object "
        "file: No such file or directory\ntensorrt_cu12_libs        10.9.0",
        LINUX,
        [r"tensorrt_libs\.__path__", r"number in libnvinfer\.so\.10"],
        [r"pip install"],
    ),
    (
        "cupy.cuda.compiler.CompileException: nvrtc: error: failed to open nvrtc-builtins64_112.dll.",
        WINDOWS,
        [r"CUDA\\v11\.2\\bin"],
        [r"LD_LIBRARY"],
    ),
    # The installed release of JAX and of vLLM is put right before a newer one is installed.
    (
        "Unable to initialize backend 'cuda': Found cuSOLVER version 11101, but JAX was built against version 11401, which "
        "is newer. The copy of cuSOLVER that is installed must be at least as new as the version against which JAX was built.",
        {**LINUX, "packages": {"jax": "0.4.20", "jaxlib": "0.4.20+cuda11.cudnn86"}},
        [r'"jax\[cuda11_pip\]==0\.4\.20" -f https', r"unset LD_LIBRARY_PATH"],
        [],
    ),
    # cuSOLVER 10 alone is missing: the CUDA is 11.1 or later, and this is TensorFlow 2.4.
    (
        "Could not load dynamic library 'libcusolver.so.10'; dlerror: libcusolver.so.10: cannot open shared object file",
        {"os": "linux"},
        [r"cudatoolkit=11\.0", r"from 2\.5 on"],
        [r"10\.1"],
    ),
    (
        "Could not load dynamic library 'libcublas.so.10'; dlerror: libcublas.so.10: cannot open shared object file\n"
        "Could not load dynamic library 'libcusolver.so.10'; dlerror: libcusolver.so.10: cannot open shared object file",
        {"os": "linux"},
        [r"cudatoolkit=10\.1"],
        [r"11\.0"],
    ),
    # TensorFlow before 1.5 compares "compatibility versions": another minor release of cuDNN is refused, a newer one, too.
    (
        "E cuda_dnn.cc:375] Loaded runtime CuDNN library: 7201 (compatibility version 7200) but source was compiled with 7004 "
        "(compatibility version 7000).",
        {**LINUX, "packages": {"tensorflow-gpu": "1.4.0"}},
        [r"needs cuDNN 7\.0\b", r"conda install cudnn=7\.0\b"],
        [r"newer cuDNN", r"older"],
    ),
    # vLLM for CUDA 13 where PyTorch, or the driver, is for CUDA 12; what it raised, not what it warned of.
    (
        '  File "/v/site-packages/vllm/platforms/cuda.py", line 21\nImportError: libcudart.so.13: cannot open shared object '
        "file",
        {**LINUX, "packages": {"vllm": "0.21.0", "torch": "2.11.0+cu129"}},
        [r"\A.*\n.*CUDA 12\.9.*\n.*vllm==0\.21\.0 \S+ https://wheels\.vllm\.ai/0\.21\.0/cu129 \S+ \S+/whl/cu129"],
        [r"force-reinstall"],
    ),
    (
        '  File "/v/site-packages/vllm/platforms/cuda.py", line 21\nImportError: libcudart.so.13: cannot open shared object '
        "file",
        {**LINUX, "driver": "550.54", "packages": {"torch": "2.11.0"}},
        [r"wheels\.vllm\.ai/VERSION/cu129"],
        [r"torch-backend=auto"],
    ),
    (
        "Could not load library libcudnn_cnn_train.so.8. Error: libnvrtc.so: cannot open shared object file: No such file",
        {**LINUX, "packages": {"tensorflow": "2.14.1"}},
        [r"nvrtc-cu11==11\.8\.89", r"ln -s libnvrtc\.so\.11\.2"],
        [r"so\.12"],
    ),
    # An empty list below its label, where the line that prints both is there, too.
    (
        "print(tf.__version__)\nprint(f'my devices : {tf.config.list_physical_devices(\"GPU\")}')\n2.5.0\nmy devices : []",
        {**LINUX, "python": "3.8.10", "packages": {"tensorflow": "2.5.0"}, "cuda": "11.0"},
        [r"CUDA 11\.2"],
        [],
    ),
    (
        "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check it",
        {**LINUX, "python": "3.7"},
        [r"cudatoolkit=11\.2", r"numba<0\.54"],
        [r"numba-cuda"],
    ),
    # One library of CUDA 10.1; NCCL in a container; a library of others for TensorFlow 1.
    (
        "I dso_loader.cc:48] Successfully opened dynamic library libcudart.so.10.1\nW dso_loader.cc:59] Could not load dynamic"
        " library 'libcublas.so.10'; dlerror: libcublas.so.10: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow": "2.3.1"}, "cuda": "10.1"},
        [r"libcublas10=10\.2\.1\.243-1", r"cuda-10\.2/lib64"],
        [r"conda install", r"2\.1, 2\.2"],
    ),
    # A cuDNN that is not found, in a message of several lines.
    (
        "UnimplementedError: Graph execution error:\n\nDetected at node 'net/conv2d/Conv2D' defined at (most recent call "
        "last):\nNode: 'net/conv2d/Conv2D'\nDNN library is not found.\n\t [[{{node net/conv2d/Conv2D}}]]",
        {**LINUX, "packages": {"tensorflow": "2.9.1"}},
        [r"CUDA 11\.2 and cuDNN 8\.1 or a later 8", r"conda-forge cudatoolkit=11\.2"],
        [r"soft_device_placement"],
    ),
    # An optimizer that Keras replaces on Apple silicon, and whose replacement does not exist; no saved model has it.
    (
        "WARNING:absl:There is a known slowdown when using v2.11+ Keras optimizers on M1/M2 Macs. Falling back to the legacy "
        "Keras optimizer, i.e., `tf.keras.optimizers.legacy.Lion`.\nValueError: Unknown optimizer: 'lion'. Please ensure you "
        "are using a `keras.utils.custom_object_scope` and that this object is included in the scope.",
        {**MAC, "python": "3.10"},
        [r"tensorflow>=2\.14", r"legacy\.Adam\b"],
        ["custom_objects", "devicekit doctor"],
    ),
    (
        "Falling back to the legacy Keras optimizer: There is a known slowdown when using v2.11+ Keras optimizers on M1/M2 "
        "Macs.\nAttributeError: 'str' object has no attribute 'minimize'",
        {**MAC, "python": "3.8"},
        [r"legacy\.Adam\b"],
        [ANY_INSTALL, "devicekit doctor"],
    ),
    # The linker wants libcuda.so, and the driver brings libcuda.so.1.
    (
        "/usr/bin/ld: cannot find -lcuda: No such file or directory\ncollect2: error: ld returned 1 exit status",
        {"os": "linux", "packages": {"torch": "2.1.0"}},
        [r"ldconfig -p \| grep libcuda", r"sudo ln -s"],
        [r"force-reinstall", r"unset LD_LIBRARY", r"LD_LIBRARY_PATH="],
    ),
    (
        "ImportError: /v/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclMemFree\n"
        "nvidia-nccl-cu11==2.14.3\nnvidia-nccl-cu12==2.27.3\n",
        LINUX,
        ["uninstall -y nvidia-nccl-cu11 nvidia-nccl-cu12"],
        ["unset LD_LIBRARY_PATH"],
    ),
    (
        "ValueError: The following argument(s) are not supported with the native Keras format: ['options']",
        {**LINUX, "packages": {"tensorflow": "2.13.1"}},
        [r"save_best_only", r"\.h5"],
        [r"as the message says"],
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcufft.so.10'",
        {**LINUX, "packages": {"tensorflow": "2.11.0"}},
        [r"export LD_LIBRARY_PATH=\$CONDA_PREFIX/lib"],
        [],
    ),
    (DLOPEN, {"os": "linux"}, ["was built for", r"2\.14 or later"], ["Let pip install"]),
    (
        "RuntimeError: Library libcublas.so.11 is not found or cannot be loaded",
        {"os": "linux"},
        ["nvidia-cublas-cu11", r"nvidia-cudnn-cu11==8", "LD_LIBRARY_PATH"],
        ["tensorflow", "conda", r"11\.2"],
    ),
    (
        "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
        {"os": "linux", "packages": {"ctranslate2": "4.6.0"}},
        ["nvidia-cublas-cu12", r"nvidia-cudnn-cu12==9"],
        ["tensorflow", "conda"],
    ),
    (
        CUDNN % ("8.0.4", "8.1.0"),
        {"packages": {"tensorflow": "2.6.0"}},
        [r"cudatoolkit=11\.2 cudnn=8\.1", r"On Linux:.*\nldconfig -p", r"where\.exe cudnn64_8\.dll"],
        [r"cu12"],
    ),
    (  # libcudart.so.11.0 and libcusolver.so.10 are both of CUDA 11.0: TensorFlow 2.4
        "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library "
        "libcudart.so.11.0\n"
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.10'; "
        "dlerror: libcusolver.so.10: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: "
        "/usr/local/cuda-11.2/lib64",
        {},
        [r"TensorFlow 2\.4 needs CUDA 11\.0 and", r"cudatoolkit=11\.0 cudnn=8\.0", r"TensorFlow 2\.5, .* CUDA 11\.2"],
        [r"CUDA 10\b"],
    ),
    (
        "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library "
        "cudart64_110.dll\n" + DLL % (("cusolver64_10.dll",) * 2),
        {},
        [r"TensorFlow 2\.4 needs CUDA 11\.0", r"TensorFlow 2\.5, .*or 2\.10, which was built for CUDA 11\.2"],
        [r"CUDA 10\b", r"2\.11", "conda"],
    ),
    # A release of ptxas that XLA refuses.
    (
        "F external/local_xla/xla/service/gpu/nvptx_compiler.cc:619] ptxas returned an error during compilation of ptx "
        "to sass: 'INTERNAL: ptxas 12.3.103 has a bug that we think can affect XLA. Please use a different version.'  If the "
        "error message indicates that a file could not be written, please verify that sufficient filesystem space is there.",
        {**LINUX, "packages": {"tensorflow": "2.15.0"}},
        [r"\A.*ptxas 12\.3\.103", r'--upgrade "nvidia-cuda-nvcc-cu12>=12\.3\.107"', r"export PATH=.*/bin:\$PATH"],
        ["CUDA_DIR=FOLDER"],
    ),
    # What cuDNN needs, by the release; and the memory that it may lack.
    (
        "UnknownError: Fail to find the dnn implementation.\n\t [[{{node CudnnRNN}}]]",
        {**LINUX, "gpu": "NVIDIA GeForce GTX 1080", "packages": {"tensorflow": "2.3.0"}},
        [r"needs cuDNN 7\.6 .* CUDA 10\.1", "TF_FORCE_GPU_ALLOW_GROWTH=true"],
        [],
    ),
    # conda-forge has cuDNN 8.4 and 8.8; pip has no libraries of CUDA 11.0 for TensorFlow.
    (
        DLL % ("libcudart.so.11.0", "libcudart.so.11.0: cannot open shared object file"),
        {**LINUX, "python": "3.9", "gpu": "NVIDIA A10", "packages": {"tensorflow": "2.12.0"}},
        [r"cudatoolkit=11\.8 cudnn=8\.8\n", r"nvidia-cudnn-cu11==8"],
        [],
    ),
    (
        DLL % ("libcusolver.so.10", "libcusolver.so.10: cannot open shared object file"),
        {**LINUX, "python": "3.8", "gpu": "NVIDIA A10", "packages": {"tensorflow": "2.4.1"}},
        [r"cudatoolkit=11\.0 cudnn=8\.0"],
        [r"wheels of pip", r"nvidia/\*/lib"],
    ),
    # TensorFlow 1 on Windows.
    (
        "    % (build_info.cudart_dll_name, build_info.cuda_version_number))\nImportError: Could not find 'cudart64_100.dll'. "
        "TensorFlow requires that this DLL be installed in a directory that is named in your %PATH% environment variable.",
        {},
        [r"CUDA 10\.0", r"where\.exe cudart64_100\.dll"],
        [r"11\.2", r"cudart64_110"],
    ),
    # macOS.
    (
        '  File "keras/src/engine/training.py", line 3582, in compile_from_config\n'
        "AttributeError: 'SGD' object has no attribute 'build'",
        {"os": "macos", "packages": {"tensorflow": "2.14.0"}},
        [r"compile=False", r"tensorflow==2\.15\."],
        [r"keras==2\.14"],
    ),
    # PyTorch, ONNX Runtime and bitsandbytes of releases that do not go together, or not with Windows.
    (
        '[E:onnxruntime:Default, provider_bridge_ort.cc:1992] LoadLibrary failed with error 126 "" when trying to load '
        '"C:\\e\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
        {**WINDOWS, "packages": {"torch": "2.3.0+cu121", "onnxruntime-gpu": "1.20.1"}},
        [r"from 1\.19 on needs CUDA 12 and cuDNN 9", r"PyTorch 2\.3\.0, which brings cuDNN 8.{0,20}2\.4"],
        [],
    ),
    # The library is in a folder where the loader does not look; CUDA 11.0 and 11.2 have another libcusolver.
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.10'; "
        "dlerror: libcusolver.so.10: cannot open shared object file: No such file or directory\n"
        "$ locate libcusolver.so.10\n/opt/cuda-11.0/lib64/libcusolver.so.10",
        {**LINUX, "packages": {"tensorflow": "2.4.1"}},
        [r"export LD_LIBRARY_PATH=/opt/cuda-11\.0/lib64\$", r"cudatoolkit=11\.0 cudnn=8\.0"],
        [r"11\.2"],
    ),
    (
        "error: Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.\n"
        "tensorflow                2.17.0          cuda120py311h2063012_201    conda-forge",
        LINUX,
        [r"\A(?:.*\n){2}conda install -c conda-forge cuda-nvcc", r"XLA_FLAGS=.*\$CONDA_PREFIX"],
        [r"nvidia-cuda-nvcc-cu12"],
    ),
    (
        '  File "/opt/app/.venv/lib64/python3.12/site-packages/torch/__init__.py", line 424, in <module>\n'
        "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
        LINUX,
        [r"python3 -m venv"],
        [r"force-reinstall"],
    ),
    # What fails is the library that the line names, whatever else is there.
    (
        "torch version: 2.2.0+cu121\nRuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open "
        "shared object file: No such file or directory",
        LINUX,
        [r"cupy-cuda12x\[ctk\]"],
        ["reinstall", "PyTorch"],
    ),
    (
        "$ export CUDA_HOME=$CUDA_HOME:/usr/local/cuda-11.8\n$ python -c 'from numba import cuda; cuda.cudadrv.libs.test()'\n"
        "libnvvm.so: cannot open shared object file: No such file or directory",
        LINUX,
        [r"CUDA_HOME=/usr/local/cuda-11\.8"],
        ["XLA"],
    ),
    # What the log shows as done is not the first step.
    (
        "$ pip install tensorflow[and-cuda]\n>>> import tensorflow as tf; tf.__version__\n'2.16.1'\n"
        ">>> tf.config.list_physical_devices('GPU')\nW tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] Cannot dlopen "
        "some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like "
        "to use GPU.\nSkipping registering GPU devices...\n[]",
        LINUX,
        [r"starts\s+export LD_LIBRARY_PATH=", r"tensorflow\[and-cuda\]==2\.16\.2"],
        [r"and-cuda\]==2\.16\.1"],
    ),
    (
        " + jax-cuda12-plugin==0.6.1\n + nvidia-cudnn-cu12==9.10.1.4\n + nvidia-cusparse-cu12==12.5.9.5\n"
        "RuntimeError: Unable to load cuSPARSE. Is it installed?",
        LINUX,
        [r"libraries\s+unset LD_LIBRARY_PATH\s+If"],
        [],
    ),
    # The extras of 1.27.0 need a release of nvidia-cuda-nvrtc-cu13 that does not exist.
    (
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared "
        "object file: No such file or directory",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.27.0"}, "driver": "580.95.05"},
        [r"onnxruntime-gpu\[cuda,cudnn\]>=1\.28"],
        [r"==1\.27"],
    ),
    (
        "CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.2 does not match the version torch was "
        "compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
        LINUX,
        [r"CUDA toolkit 11\.8", "whl/cu126"],
        ["force-reinstall", "LD_LIBRARY_PATH"],
    ),
    (
        "ptxas fatal   : Value 'sm_90' is not defined for option 'gpu-name'\nInternal Triton PTX codegen error:",
        LINUX,
        [r"2\.1 or later for sm_89 and sm_90"],
        [r"\$env:"],
    ),
    # onnxruntime-gpu is for CUDA 13 from 1.27 on.
    (
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared "
        "object file: No such file or directory",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.28.0"}, "driver": "550.54.14"},
        ["550.54.14 is too old for CUDA 13", r"onnxruntime-gpu\[cuda,cudnn\]>=1\.21,<1\.27"],
        [r"1\.28"],
    ),
    # TensorRT is not needed, and its release is the one that is named.
    (
        'FAIL : Error loading "C:\\app\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_tensorrt.dll" which '
        'depends on "nvinfer_10.dll" which is missing. (Error 126: "The specified module could not be found.")',
        {},
        ["Leave TensorRT out", "tensorrt-cu12>=10"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.8: cannot open shared object",
        LINUX,
        ["Leave TensorRT out", "tensorrt_libs"],
        ["tensorrt-cu12"],
    ),
    (
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcudnn.so.9: cannot open shared object "
        "file: No such file or directory",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.18.1"}, "cuda": "12.4", "cudnn": "8"},
        ["nvidia-cudnn-cu12>=9,<10"],
        ["unset LD_LIBRARY_PATH", "cuDNN 8: install"],
    ),
    (  # the same table, copied into a log of WSL
        ">>> tf.config.list_physical_devices('GPU')\n[]\n/home/u/venv/lib/python3.11/site-packages/tensorflow\n"
        "|   0  NVIDIA GeForce RTX 3060      WDDM  |   00000000:01:00.0  On |                  N/A |",
        {"packages": {"tensorflow": "2.16.1"}},
        ["and-cuda"],
        ["2.10 was the last"],
    ),
    (
        "InternalError: Graph execution error:\nAutotuner could not find any supported configs for HLO: %cudnn-conv-bias.1 "
        '= (f32[8,4,4,4]{3,2,1,0}, u8[0]{0}) custom-call(%a.1, %b.2), custom_call_target="__cudnn$convBiasActivationForward"',
        {**LINUX, "python": "3.12", "packages": {"tensorflow": "2.21.0", "nvidia-cudnn-cu12": "9.5.1.17"}},
        [r"nvidia-cudnn-cu12>=9\.24", "jit_compile=False", r"below compute capability 7\.5"],
        ["XLA_PYTHON_CLIENT", "devicekit doctor"],
    ),
    (  # cuDNN from 9.11 on has no code for it
        "INTERNAL: Autotuner could not find any supported configs for HLO: %cudnn-conv-bias-activation.6 = (f32[1]{0})",
        {**LINUX, "gpu": "Tesla V100", "packages": {"tensorflow": "2.21.0"}},
        ["jit_compile=False"],
        ["install"],
    ),
    (
        "ImportError: /v/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclGroupSimulateEnd",
        {"os": "linux", "packages": {"torch": "2.7.1+cu128"}},
        ["NCCL that was loaded first is older", r"(?s)unset LD_LIBRARY_PATH.*torch==2\.7\.1 --index-url \S+/cu128"],
        [],
    ),
    (
        "ImportError: /v/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclGroupSimulateEnd",
        {"os": "linux", "packages": {"torch": "2.10.0a0+rocm7.1rc2"}},
        ["the index that it came from"],
        ["pip install.* torch"],
    ),
    (
        "nvidia-nccl-cu12==2.27.3\nnvidia-nccl-cu13==2.28.9\n"
        "ImportError: /v/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommShrink",
        {},
        ["uninstall -y nvidia-nccl-cu12 nvidia-nccl-cu13"],
        ["unset"],
    ),
    (
        "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}",
        {"os": "linux", "packages": {"torch": "2.6.0+cu124"}},
        [r"export LD_LIBRARY_PATH=\$\(python"],
        ["unset LD_LIBRARY_PATH"],
    ),
    (
        "Could not load library libcudnn_ops_train.so.8. Error: /usr/lib/libcudnn_ops_train.so.8: symbol _ZN5cudnn1aE, "
        "version libcudnn_ops_infer.so.8 not defined in file libcudnn_ops_infer.so.8 with link time reference",
        {},
        ["another cuDNN version", "unset LD_LIBRARY_PATH"],
        ["pip install"],
    ),
    (
        "K.tensorflow_backend._get_available_gpus()\n[]",
        {**LINUX, "gpu": "RTX 2070", "packages": {"tensorflow": "2.0.0", "keras": "2.3.1"}},
        ["CUDA 10.0"],
        [],
    ),
    # CUDA 12's libraries by pip are of no use to a driver that is older than CUDA 12.
    (
        "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
        {**LINUX, "gpu": "RTX 3060", "driver": "470.42", "packages": {"tensorflow": "2.17.0"}},
        ["Update NVIDIA's driver", "525", r"and-cuda"],
        [],
    ),
    (
        "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
        {**LINUX, "gpu": "RTX 3060", "driver": "470.42", "packages": {"tensorflow": "2.14.0"}},
        [r"and-cuda"],
        ["Update NVIDIA's driver"],
    ),
    (
        "RuntimeError: Unable to load cuSPARSE. Is it installed? (jax_plugins/xla_cuda12)",
        {**LINUX, "gpu": "RTX 3060", "driver": "470.42", "packages": {"jax": "0.4.30"}},
        ["Update NVIDIA's driver", "525", r"jax\[cuda12\]"],
        [],
    ),
    # A ptxas that is too old may be pip's own: then an install leaves it.
    (
        "ptxas fatal   : Unsupported .version 8.8; current version is '8.4'",
        {**LINUX, "gpu": "RTX 4090", "packages": {"jax": "0.6.0"}},
        ["--upgrade nvidia-cuda-nvcc-cu12"],
        [],
    ),
    (
        "2026-03-17 00:42:56.263947: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] Cannot dlopen some GPU "
        "libraries.",
        {"os": "colab", "packages": {"tensorflow": "2.9.0"}, "gpu": "T4"},
        [r"tensorflow\[and-cuda\]==2\.20\."],
        ["conda"],
    ),
    (
        'FAIL : Error loading "E:\\venv\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends '
        'on "cudnn64_9.dll" which is missing. (Error 126: "")\nFailed to create CUDAExecutionProvider. Require cuDNN 9.* and '
        "CUDA 13.*, and the latest MSVC runtime.",
        {"os": "windows"},
        ["CUDA 13 and cuDNN 9", "onnxruntime-gpu"],
        ["CUDA 12"],
    ),
    # Parts of two cuDNNs: only one may be found; a missing one comes from pip.
    (
        "Could not load library libcudnn_cnn_infer.so.8. Error: /opt/conda/lib/python3.10/site-packages/nvidia/cudnn/lib/"
        "libcudnn_cnn_infer.so.8: undefined symbol: _ZN11nvrtcHelper4loadEb, version libcudnn_ops_infer.so.8",
        {"packages": {"torch": "2.1.0"}},
        ["unset LD_LIBRARY_PATH", r"--force-reinstall --no-cache-dir torch==2\.1\.0"],
        ["install it where it is found first"],
    ),
    (
        "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: "
        "No such file or directory",
        {"os": "linux", "packages": {"ctranslate2": "4.2"}},
        [r'pip install "nvidia-cudnn-cu12>=8\.9,<9"', "export LD_LIBRARY_PATH="],
        [],
    ),
    # An old cuDNN has nothing to do with the memory.
    (
        "Outdated cuDNN installation found.\nVersion JAX was built against: 8907\nMinimum supported: 9100\n"
        '  File "/home/user/miniforge3/lib/python3.12/site-packages/jax/_src/xla_bridge.py", line 9, in f',
        {"packages": {"jax": "0.4.31"}},
        [r"jax\[cuda12\]", r'conda install -c conda-forge "cudnn>=9\.1"'],
        ["PREALLOCATE"],
    ),
    # What is printed belongs to the question that a framework's own lines stand after.
    (
        "$ python3 -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"\n"
        "2026-04-02 08:37:39.670940: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not "
        "find TensorRT\n[]",
        {"os": "linux", "gpu": "NVIDIA A2", "packages": {"tensorflow": "2.17.0"}, "python": "3.11"},
        [r'"tensorflow\[and-cuda\]==2\.17\.0"'],
        [],
    ),
    (
        "INTERNAL: CUDA Runtime error: Failed call to cudaGetRuntimeVersion: "
        "Error loading CUDA libraries. GPU will not be used.",
        {"os": "linux", "gpu": "RTX 4090", "packages": {"tensorflow": "2.20.0"}},
        [r"tensorflow\[and-cuda\]==2\.20"],
        ["JAX"],
    ),
    (
        "CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8904, which is newer.",
        {"os": "linux", "packages": {"jax": "0.4.20"}},
        ["cuDNN 8.9.4", "nvidia-cudnn-cu12>=8.9,<9"],
        [">=8904"],
    ),
    (
        "Fail to find the dnn implementation.",
        {"os": "linux", "packages": {"tensorflow": "2.9"}},
        ["cuDNN", "same major"],
        [],
    ),
    (
        "> library(keras)\nImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory",
        {"os": "linux"},
        ["rserver.conf", "CUDA 9.0"],
        [],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: RET_CHECK failure (external/xla/xla/service/gpu/gpu_compiler.cc:618) "
        "dnn != nullptr",
        {"os": "linux", "gpu": "NVIDIA A100", "packages": {"jax": "0.4.20"}},
        ["could not start cuDNN", "jax"],
        ["tensorflow"],
    ),
    (
        "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "packages": {"jaxlib": "0.1.70+cuda101"}},
        ["is a build for CUDA", "TF_CPP_MIN_LOG_LEVEL", "nvidia-smi"],
        ["build without CUDA"],
    ),
    ("Name: tensorflow\nVersion: 2.15.1\n" + DLOPEN + "\n", LINUX, [r"TensorFlow 2\.15\.1"], []),
    (
        "import torchaudio\nOSError: libcudart.so.12: cannot open shared object file: No such file or directory\ntorch",
        {**LINUX, "packages": {"torch": "2.5.1+cpu"}},
        [r"torch==2\.5\.1 torchaudio --index-url \S+/cpu"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "$ python -c 'import tensorflow as tf; print(tf.config.list_physical_devices(\"GPU\"), tf.__version__)'\n[] 2.15.0\n"
        "NVIDIA GeForce RTX 3060, 570.133.07\n",
        LINUX,
        ["lists no GPU", "2.15.0"],
        [],
    ),
    (
        ">>> tf.__version__\n'2.12.0'\n>>> tf.config.list_physical_devices('GPU')\n[]\nNVIDIA GeForce RTX 3060, 570.133.07\n",
        LINUX,
        ["lists no GPU", "CUDA 11.8"],
        [],
    ),
    (
        "/data/conda/envs/tf/lib/libdevice.10.bc\nlibdevice not found at ./libdevice.10.bc\nimport tensorflow\n",
        {**LINUX, "packages": {"tensorflow": "2.12.0"}},
        ["cp libdevice.10.bc nvvm/libdevice", r"cuda_data_dir=\$CONDA_PREFIX/lib"],
        ["nvidia-cuda-nvcc"],
    ),
    (
        DLOPEN + "\nnvidia-cudnn-cu12  8.9.7.29\n",
        {**LINUX, "packages": {"tensorflow": "2.16.1"}},
        ["nvidia/\\*/lib", r"and-cuda\]==2\.16\.2"],
        ["Let pip install"],
    ),
    (OLD_PTXAS, LINUX, ["from CUDA 11.8 on", "first on PATH", r'"jax\[cuda12\]"'], ["leaves that GPU out"]),
    ("JetPack 6.2\nImportError: libcudss.so.0: cannot open shared object file", {}, ["apt-get install -y cudss"], []),
    # a library of CuPy, of vLLM, of PyTorch's add-ons
    (
        "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory\nFailed to import CuPy.",
        LINUX,
        [r"cupy-cuda12x\[ctk\]"],
        ["torch", "jax"],
    ),
    (
        "Failed to import CuPy.\ncudart64_110.dll -> not found",
        WINDOWS,
        ["cupy-cuda12x", "CUDA 11"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        'File "/srv/v/lib/python3.12/site-packages/vllm/x.py", line 1, in f\nImportError: libcudart.so.13: cannot open shared '
        "object file: No such file or directory",
        {**LINUX, "packages": {"torch": "2.9.0+cu128"}},
        ["--torch-backend=auto", "CUDA 13"],
        ["force-reinstall"],
    ),
    (
        "RuntimeError: jaxlib/cuda/versions_helpers.cc:33: operation cudaRuntimeGetVersion(&version) failed: Error loading "
        "CUDA libraries. GPU will not be used.",
        {**LINUX, "gpu": "RTX 3090", "packages": {"jax": "0.4.38"}},
        [r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 are not supported!",
        {**LINUX, "packages": {"llama-cpp-python": "0.3.4"}},
        ["gcc 12", r"CUDAHOSTCXX=g\+\+-12", "newer CUDA toolkit"],
        ["nvidia-cuda-nvcc", "XLA_FLAGS"],
    ),
    (
        "nvcc fatal   : Value 'compute_86' is not defined for option 'gpu-architecture'",
        LINUX,
        [r"11\.1"],
        ["tensorflow"],
    ),
    (
        "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot open shared object",
        LINUX,
        ["CUDAExecutionProvider", "tensorrt-cu12"],
        ["tensorflow", "torch"],
    ),
    (
        CUDNN % ("8.4.0", "8.6.0"),
        {**LINUX, "packages": {"tensorflow": "2.12.0"}, "python": "3.8"},
        [r"nvidia-cudnn-cu11>=8\.6,<9", "LD_LIBRARY_PATH=.*nvidia.cudnn"],
        ["cu12"],
    ),
    # what is mostly meant where a GPU is there and none is listed
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {**LINUX, "gpu": "Tesla T4", "packages": {"tensorflow": "2.10.0"}},
        [r"CUDA 11\.2"],
        ["nothing has to be installed"],
    ),
    # XLA's tools, of the framework that asks for them and from the channel that it is from
    (
        "OP_REQUIRES failed at xla_ops.cc:412 : Not found: ./bin/ptxas not found",
        {**LINUX, "packages": {"tensorflow": "2.3.0"}},
        ["ptxas", r"10\.1"],
        ["TRITON", "Triton"],
    ),
    (
        "$ mamba install tensorflow\nCan't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.\n"
        "  /home/conda/feedstock_root/build_artifacts/tensorflow/_build_env/targets/x86_64-linux",
        {**LINUX, "packages": {"tensorflow": "2.17.0"}},
        ["conda install -c conda-forge cuda-nvcc"],
        ["pip install"],
    ),
    (
        "INTERNAL: libdevice not found at ./libdevice.10.bc",
        {**LINUX, "packages": {"tensorflow": "2.12.0"}},
        ["nvidia-cuda-nvcc-cu11", "export XLA_FLAGS=--xla_gpu_cuda_data_dir="],
        ["wsl"],
    ),
    (
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 10, 2) but found (9, 1, 0)",
        LINUX,
        ["unset LD_LIBRARY_PATH", r"9\.10"],
        ["tensorflow"],
    ),
    # what ONNX Runtime asks for is not what TensorFlow needs
    (
        ORT,
        {**WINDOWS, "packages": {"onnxruntime-gpu": "1.19.2"}},
        ["CUDA 12", "cuDNN 9", r"onnxruntime-gpu\[cuda,cudnn\]"],
        ["TensorFlow", r"11\.2"],
    ),
    # CUDA by the name of the library, or by the release
    (
        DLL % ("cudart64_101.dll", "cudart64_101.dll"),
        WINDOWS,
        [r"10\.1", "PATH"],
        ["and-cuda", "LD_LIBRARY_PATH", "sudo"],
    ),
    (
        DLL % ("cudart64_110.dll", "cudart64_110.dll"),
        {**WINDOWS, "packages": {"tensorflow": "2.9.1"}},
        [r"11\.2", r"8\.1"],
        ["and-cuda]"],
    ),
    (
        DLL % ("libcudart.so.10.0", "libcudart.so.10.0"),
        {**LINUX, "gpu": "GTX 1080"},
        [r"10\.0"],
        ["and-cuda", r"\.dll"],
    ),
    (
        "Cannot dlopen some GPU libraries.",
        {**LINUX, "packages": {"tensorflow": "2.18.0"}, "gpu": "RTX 3090", "python": "3.11"},
        [r"and-cuda\]==2\.18\.0"],
        [r"2\.20", "wsl"],
    ),
    (
        "ImportError: libcublas.so.10: cannot open shared object file",
        {**LINUX, "gpu": "Jetson Xavier", "arch": "aarch64"},
        ["JetPack"],
        ["and-cuda"],
    ),
    # numbers as people know them
    (CUDNN % ("7004", "7201"), LINUX, [r"7\.2\.1", r"7\.0\.4"], ["7201", "7004"]),
    (CUDNN % ("9.1.0", "9.3.0"), {**LINUX, "packages": {"tensorflow": "2.19.0"}}, [r"nvidia-cudnn-cu12>=9\.3,<10"], []),
    (
        "ImportError: libnvinfer.so.8: cannot open shared object file: No such file or directory",
        LINUX,
        [r"tensorrt==8\.\*", "tensorrt_libs"],
        ["tensorflow", "winget"],
    ),
    ("OSError: libnvinfer.so.7: cannot open shared object file", LINUX, ["TensorRT 7"], [ANY_INSTALL]),
    (
        "java.lang.UnsatisfiedLinkError: C:\\app\\tensorflow_jni.dll: Can't find dependent libraries",
        {**WINDOWS, "packages": {"tensorflow": "1.12.0"}, "cuda": "10.0"},
        [r"CUDA 9\.0"],
        [ANY_INSTALL],
    ),
    # What a person writes above the log: the answers of a form, with the question as heading, or a line of its own.
    (
        "### TensorFlow version\n\n2.12\n\n### OS Platform and Distribution\n\nUbuntu 22.04\n\n" + DLOPEN,
        {},
        [r"CUDA 11\.8 and cuDNN 8"],
        ["and-cuda", "Windows"],
    ),
    ("TF 2.12, Ubuntu 22.04\n" + DLOPEN, {}, [r"CUDA 11\.8 and cuDNN 8"], ["and-cuda"]),
    # .NET has no pip.
    (
        "OnnxRuntimeException: [ErrorCode:RuntimeException] provider_bridge_ort.cc:1193 onnxruntime::ProviderLibrary::Get "
        '[ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126 "" when trying to load '
        r'"D:\App\bin\runtimes\win-x64\native\onnxruntime_providers_cuda.dll"',
        {},
        [r"CUDA 11\.8", "PATH"],
        ["pip"],
    ),
    # Names of CUDA 10.0 alone, and a version in brackets.
    (
        "Could not dlopen library 'libcurand.so.10.0'; dlerror: libcurand.so.10.0: cannot open shared object file",
        {**LINUX, "gpu": "RTX 2060"},
        [r"CUDA 10\.0"],
        ["and-cuda"],
    ),
    (
        "With tensorflow (version 1.14):\nCould not dlopen library 'libcudart.so.10.0'; dlerror: libcudart.so.10.0: cannot "
        "open shared object file",
        {**LINUX, "gpu": "RTX 2060"},
        [r"TensorFlow 1\.14 needs CUDA 10\.0"],
        ["and-cuda"],
    ),
    (BITSANDBYTES, LINUX, ["--upgrade bitsandbytes"], ["--force-reinstall"]),
    (
        "Linker error log: ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
        MAC,
        ["no wheel for macOS"],
        ["pip install"],
    ),
    (
        "the tensorflow version I am using is 2.12.0 (default)\n__wrapped__Conv3D_device_GPU:0}} DNN library is not found.",
        LINUX,
        [r"CUDA 11\.8 and cuDNN 8"],
        ["and-cuda"],
    ),
    (
        "TensorFlow version: 1.15\nInternalError: libdevice not found at ./libdevice.10.bc",
        LINUX,
        [r"toolkit 10\.0"],
        ["nvidia.cuda_nvcc"],
    ),
    # Programs with builds of their own.
    (
        "NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
        LINUX,
        [r"numba-cuda\[cu12\]"],
        ["torch"],
    ),
    (
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against 7102 but linked against 6021",
        LINUX,
        [r"cuDNN 7\.1\.2", "LD_LIBRARY_PATH"],
        ["7102"],
    ),
    # Releases whose extra or whose wheel does not exist.
    (
        DLL % ("libcudnn.so.8", "libcudnn.so.8"),
        {**LINUX, "packages": {"tensorflow": "2.15.0"}},
        [r"and-cuda\]==2\.15\.\*"],
        [r"2\.15\.0\""],
    ),
    (
        ORT,
        {**LINUX, "python": "3.8", "gpu": "RTX 3060", "packages": {"onnxruntime-gpu": "1.27.0"}, "driver": "535.1"},
        [r"venv --python 3\.12 env .*cuda,cudnn"],
        [r"^python -m pip install .*cuda,cudnn"],
    ),
    # The release that a sentence names.
    ("Using CUDA 11.7 with onnxruntime-gpu=1.15.1\n" + NO_PROVIDER, LINUX, [r"CUDA 11\.8 and cuDNN 8"], [r"1\.19 on"]),
]
