"""The fixes of a log: for this framework, system, GPU and release, and for no other."""

import itertools
import re

import pytest

from devicekit import explain
from devicekit.logs.context import known_from_facts
from devicekit.logs.fixes.providers import PROVIDERS, fixes_for
from devicekit.logs.fixes.situation import Situation, requirement_of
from devicekit.logs.fixes.steps import Steps
from devicekit.machine.facts import Fact
from devicekit.matrix import has_wheel
from devicekit.matrix.matrix import BUNDLED, accepts
from devicekit.matrix.projects import sort_key
from devicekit.testing import load

NO_TF = "No module named 'tensorflow'"
NO_CUDA_TORCH = "AssertionError: Torch not compiled with CUDA enabled"
IMPORTED = (
    'Traceback (most recent call last):\n  File "/srv/env/lib/python3.11/site-packages/%s", line 1, in <module>\n'
)
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
NO_DEVICE_0 = (
    "Invalid CUDA %s requested. Use 'device=cpu' or pass valid CUDA device(s) if available.\n\n"
    "torch.cuda.is_available(): False\ntorch.cuda.device_count(): 0\nos.environ['CUDA_VISIBLE_DEVICES']: None"
)
NO_WHEEL = "ERROR: No matching distribution found for %s"
NO_OPERATION = (
    "NotFoundError: Op type not registered '%s' in binary running on host. Make sure the Op and Kernel are registered in the "
    "binary running in this process."
)
NO_VERSION = "ERROR: Could not find a version that satisfies the requirement %s (from versions: 0.0.1)"
UV_OLD_SYSTEM = (
    "error: Distribution `torch==2.7.0 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a "
    "source distribution or wheel for the current platform\n\nhint: You're on %s, but `torch` (v2.7.0) only has wheels for "
    "the following platforms: %s"
)
NVIDIA_SMI = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
CUINIT = "E cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
GPU_REQUESTED = (
    "InvalidArgumentError: Cannot assign a device for operation a: Operation was explicitly assigned to /device:GPU:0 but "
    "available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure it is a valid device."
)
DLL_FAILED = (
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found."
)
HIP = "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"
NVRTC_ARCH = "cupy.cuda.compiler.CompileException: nvrtc: error: invalid value for --gpu-architecture (-arch)"
PTX = "CUDA error: the provided PTX was compiled with an unsupported toolchain."
CUDNN = (
    "E cuda_dnn.cc:378] Loaded runtime CuDNN library: %s but source was compiled with: %s.  CuDNN library needs to have"
)
OLD_DRIVER = (
    "RuntimeError: The NVIDIA driver on your system is too old (found version %s). Please update your GPU driver"
)
DLL = "W dso_loader.cc:64] Could not load dynamic library '%s'; dlerror: %s not found"
SHM = (
    "RuntimeError: DataLoader worker (pid 411) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory."
)
ORT = (
    "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:965] Failed to create CUDAExecutionProvider. Require cuDNN 9.* and "
    "CUDA 12.*. Please install all dependencies as mentioned in the GPU requirements page"
)
METAL = (
    "NotFoundError: dlopen(/u/lib/python3.9/site-packages/tensorflow-plugins/libmetal_plugin.dylib, "
    "6): Symbol not found: _TF_NewThing"
)
OP = "NotImplementedError: The operator 'aten::eig' is not currently implemented for the MPS device."
OOM_TORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB"
)
OOM_TF = (
    "ResourceExhaustedError: OOM when allocating tensor with shape[64,512] and type float on "
    "/job:localhost/device:GPU:0 by allocator GPU_0_bfc"
)
CUDNN_RNN = (
    "InternalError: No OpKernel was registered to support Op 'CudnnRNN' used by node a/CudnnRNN with these attrs\n"
)
KERAS_OWN = (
    "File /srv/env/lib/python3.11/site-packages/keras/api/layers/__init__.py:9\n----> 9 from keras.src.layers import Gated\n\n"
    "ImportError: cannot import name 'Gated' from '%s' (/srv/env/lib/python3.11/site-packages/keras/src/layers/__init__.py)"
)
OOM_JAX = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes."
GLIBC = "ImportError: /lib64/libc.so.6: version `GLIBC_%s' not found (required by /srv/env/lib/site-packages/%s)"
GLIBCXX = (
    "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
    "/e/site-packages/torch/lib/libtorch.so)"
)
CONDA_CUDA = (
    "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch-cuda=%s\n"
)
NOT_SUPPORTED = "ERROR: %s.whl is not a supported wheel on this platform."
NO_INDEX = (
    "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by "
    "'ConnectTimeoutError(...)': /simple/jax/\nERROR: Could not find a version that satisfies the requirement jax "
    "(from versions: none)\nERROR: No matching distribution found for jax"
)
AVX = (
    "F cpu_feature_guard.cc:37] The TensorFlow library was compiled to use AVX instructions, but "
    "these aren't available on your machine."
)
DOCKER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
NO_VENDOR = "docker: Error response from daemon: failed to discover GPU vendor from CDI: no known GPU vendor found"
NUMPY = "AttributeError: module 'numpy' has no attribute 'object'."
PROTO = "TypeError: Descriptors cannot be created directly."
JAX_METAL = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported. platform METAL jax_metal"

WINDOWS, LINUX, MAC = {"os": "windows"}, {"os": "linux"}, {"os": "macos"}
ANY_INSTALL = r"\b(pip|conda|uv) (pip )?install"

SIZE = "ValueError: numpy.%s size changed, may indicate binary incompatibility. Expected %d from C header, got %d"
TF_IO = "NotImplementedError: unable to open file: libtensorflow_io.so, from paths: ['libtensorflow_io.so']"

#: log, facts, what the answer must contain, what it must not.
DLOPEN = (
    "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1956] Cannot dlopen some GPU libraries. Please make sure the missing "
    "libraries mentioned above are installed properly if you would like to use GPU."
)
TF_KERAS = (
    'Traceback (most recent call last):\n  File "/venv/lib/python3.12/site-packages/tf_keras/src/saving/load.py", line 21, in '
    "<module>\n    import tensorflow.compat.v1.logging as logging\n"
    "ModuleNotFoundError: No module named 'tensorflow.compat.v1.logging'"
)
NO_BINARY = '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"'
NO_TOOLKIT = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
BITSANDBYTES = "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command"
JAXLIB = "ERROR: No matching distribution found for jaxlib==0.4.25+cuda12.cudnn89"
LIBCUDA = (
    "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: "
    "libcuda.so.1: cannot open shared object file: No such file or directory\n"
    "W tensorflow/stream_executor/cuda/cuda_driver.cc:269] failed call to cuInit: UNKNOWN ERROR (303)\n"
    "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 460.91.3"
)
NOT_COMPILED = "AssertionError: Torch not compiled with CUDA enabled"
DESERIALIZE = (
    "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
    "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu')"
)
NO_PROVIDER = (
    "[W:onnxruntime:Default, pybind_state.cc:640 CreateExecutionProvider] Failed to create CUDAExecutionProvider."
)
NO_DRIVER = "UserWarning: CUDA initialization: Found no NVIDIA driver on your system."

#: XLA of jaxlib, whose paths end like TensorFlow's.
JAXLIB_CUDNN = (
    "E external/org_tensorflow/tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:429] Could not create cudnn handle: "
    "CUDNN_STATUS_INTERNAL_ERROR"
)
OLD_PTXAS = (
    "W external/xla/xla/stream_executor/gpu/asm_compiler.cc:232] Falling back to the CUDA driver for PTX compilation; ptxas "
    "does not support CC 8.9\nE external/xla/xla/stream_executor/cuda/cuda_driver.cc:864] failed to load PTX text as a "
    "module: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid"
)
NO_HIP_CODE = "RuntimeError: HIP error: invalid device function"

#: PyTorch's error, from 2.1 on and before.
TORCH_OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s. GPU 0 has a total capacity of 8.00 GiB of which %s is "
    "free. %sIncluding non-PyTorch memory, this process has %s memory in use. Of the allocated memory %s is allocated by "
    "PyTorch, and %s is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
)
OLD_OOM = (
    "RuntimeError: CUDA out of memory. Tried to allocate %s (GPU 0; 8.00 GiB total capacity; %s already allocated; %s "
    "free; %s reserved in total by PyTorch)"
)
TF_OOM = (
    "2024-01-02 03:04:05.678901: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2021] Created device /job:localhost/"
    "replica:0/task:0/device:GPU:0 with %d MB memory:  -> device: 0, name: NVIDIA RTX A5000, compute capability: 8.6\n"
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,64,112,112] and "
    "type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
)
NO_JAX = (
    '  File "/venv/lib/python3.12/site-packages/keras/src/backend/__init__.py", line 34, in <module>\n'
    "    from keras.src.backend.jax import *  # noqa: F403\n"
    '  File "/venv/lib/python3.12/site-packages/keras/src/backend/jax/__init__.py", line 3, in <module>\n'
    "    from keras.src.backend.jax import core\nModuleNotFoundError: No module named 'jax'"
)
FULL_OOM = TORCH_OOM % ("512.00 MiB", "100.00 MiB", "", "7.80 GiB", "7.60 GiB", "90.00 MiB")
TAKEN_OOM = TORCH_OOM % (
    "20.00 MiB",
    "10.00 MiB",
    "Process 4711 has 6.90 GiB memory in use. ",
    "1.00 GiB",
    "0.9 GiB",
    "9.00 MiB",
)
PIECES_OOM = TORCH_OOM % ("1.00 GiB", "500.00 MiB", "", "7.40 GiB", "4.90 GiB", "2.40 GiB")
HUGE_OOM = TORCH_OOM % ("64.00 GiB", "7.00 GiB", "", "0.90 GiB", "0.60 GiB", "9.00 MiB")

#: What nvidia-smi, dpkg and others tell with an error.
CUDNN_HANDLE = (
    "2024-01-02 03:04:05.678901: E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:417] Could not create cudnn "
    "handle: CUDNN_STATUS_NOT_INITIALIZED\n"
)
SMI_ROW = "|    0   N/A  N/A     %d      %s   ...envs/tf/bin/python     %dMiB |\n"
NO_CUINIT = (
    "I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers on your machine, GPU will not be used.\n"
    "E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed "
    "call to cuInit: UNKNOWN ERROR (303)\n"
)
NO_DEVICE = "E xla/stream_executor/cuda/cuda_driver.cc:266] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no device\n"
DPKG = "ii  nvidia-driver-535  535.183.01-0ubuntu0.22.04.1\n"
HUB = (
    "ValueError: Only instances of `keras.Layer` can be added to a Sequential model. Received: "
    "<tensorflow_hub.keras_layer.KerasLayer object at 0x7f3a> (of type <class 'tensorflow_hub.keras_layer.KerasLayer'>)"
)
CLONE = (
    'Traceback (most recent call last):\n  File "/srv/src/vllm/vllm/%s.py", line 18, in <module>\n    import vllm._C\n'
    "ModuleNotFoundError: No module named 'vllm._C'"
)
NOT_READY = "failed call to cuInit: CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized\n"
MANAGER = (
    "nv-fabricmanager[9]: fabric manager NVIDIA GPU driver interface version 550.54.14 don't match with driver version "
    "550.90.07."
)
NMS = "RuntimeError: operator torchvision::nms does not exist\n"
WSL_ROCM = "ls: cannot access '/dev/kfd': No such file or directory\nhipGetDeviceCount: Returned hipErrorNoDevice\n"

JAX_WITHOUT_PLUGIN = (
    "WARNING:jax._src.xla_bridge:794: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not "
    "installed. Falling back to cpu."
)
NO_CUDA_PROVIDER = (
    "onnxruntime_inference_collection.py:197: UserWarning: Specified provider 'CUDAExecutionProvider' is not in available "
    "provider names.Available providers: 'AzureExecutionProvider, CPUExecutionProvider'"
)
PLUGIN = (
    "Jax plugin configuration error: Plugin module %%s could not be loaded\nTraceback (most recent call last):\n  File "
    '"/venv/lib/python3.12/site-packages/jax_plugins/xla_%s/__init__.py", line 25, in <module>\n    from jax._src.lib import '
    "xla_thing\nImportError: cannot import name 'xla_thing' from 'jax._src.lib' (/venv/lib/python3.12/site-packages/jax/_src/"
    "lib/__init__.py)"
)
SELECTOR = "python[71:90] -[MPSGraphExecutable newThing:descriptor:]: unrecognized selector sent to instance 0x600\n"
LIBTPU = (
    "RuntimeError: Unable to initialize backend 'tpu': INTERNAL: Failed to open /venv/lib/python3.10/site-packages/libtpu/"
    "libtpu.so: /venv/lib/python3.10/site-packages/libtpu/libtpu.so: cannot open shared object file: No such file or directory"
)
NO_HDF5 = "OSError: Unable to open file (file signature not found)"

#: A traceback that ends in a file, which imports from a module a name that is not there.
IMPORTS = (
    'Traceback (most recent call last):\n  File "%s", line 3, in <module>\n'
    "ImportError: cannot import name '%s' from '%s' (/venv/lib/python3.10/site-packages/"
)

ROWS = [
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
    # A processor's own age does not tell which instructions a vendor's build needs.
    (
        "Illegal instruction (core dumped)",
        {"os": "container", "cpu": "Intel Core i7-13700K", "packages": {"tensorflow": "2.12.0"}},
        ["i7-13700K has AVX", "this build needs AVX2 or AVX-512"],
        [],
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
    # A Mac with CUDA has an NVIDIA GPU with memory of its own; one with Apple's processor runs wheels for arm64.
    (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:271] Ran out of memory trying to allocate 12.5MiB.",
        {**MAC, "packages": {"tensorflow-gpu": "1.0.0"}, "cuda": "8.0"},
        ["allow_growth"],
        ["shares the Mac"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)",
        {**MAC, "python": "3.10", "cpu": "Apple M2"},
        [r"Apple silicon \(arm64\), from tensorflow 2\.13"],
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
        'ValueError: Tensor Tensor("probs:0", shape=(?, 2), dtype=float32) is not an element of this graph.',
        LINUX,
        [r"threaded=False", "as_default"],
        [],
    ),
    (
        "CUDA backend failed to initialize: operation cuInit(0) failed: CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        {"os": "linux", "packages": {"jax": "0.5.0"}},
        ["LD_LIBRARY_PATH", "If the driver was updated"],
        [],
    ),
    # PyTorch for ARM: what has code for the newest GPUs is in the index for CUDA 13.
    (
        "NVIDIA Thor with CUDA capability sm_110 is not compatible with the current PyTorch installation.",
        {"os": "linux", "arch": "aarch64", "gpu": "NVIDIA Thor"},
        ["whl/cu130"],
        ["cu128"],
    ),
    (
        "NVIDIA GH200 480GB with CUDA capability sm_90 is not compatible with the current PyTorch installation.",
        {"os": "linux", "arch": "aarch64"},
        [],
        ["cu130"],
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
        "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "
        '"D:\\app\\.venv\\Lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.',
        {"os": "windows", "packages": {"torch": "2.8.0", "uvicorn": "0.34"}},
        [r"Visual C\+\+", "import torch before all other packages, and before threads start"],
        [],
    ),
    # c10's own words: PyTorch, whatever else names none.
    (
        "No HIP GPUs are available",
        {"os": "linux", "gpu": "GeForce RTX 3060"},
        ["pip install torch", "whl/cu"],
        ["whl/rocm"],
    ),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "windows", "gpu": "AMD Radeon RX 9070 XT", "packages": {"torch": "2.9.0+rocm7"}},
        ["integrated GPU off"],
        [],
    ),
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
    # A container: its image lacks the compiler, or the host's driver.
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
        {"os": "container", "packages": {"torch": "2.7.1+cu126"}},
        ["the one with devel"],
        [],
    ),
    (
        "RuntimeError: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "container", "gpu": "NVIDIA A10"},
        ["--gpus all", "cuda-compat"],
        [],
    ),
    (
        "cudaError 35: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "560.35", "packages": {"tensorrt": "10.16.0"}},
        ["tensorrt-cu12"],
        [],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled\nOSError: CUDA_HOME environment variable is not set.",
        {"os": "linux", "gpu": "NVIDIA A10"},
        ["build for CUDA", "whl/cu|pip install torch"],
        ["conda install -c nvidia"],
    ),
    ("Failed to load the native TensorFlow runtime.", {"os": "windows"}, [r"Visual C\+\+"], []),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "linux", "packages": {"torch": "2.6.0", "nvidia-cudnn-cu12": "9.8.0.87"}},
        [r"force-reinstall .*torch==2\.6\.0"],
        [],
    ),
    (
        "RuntimeError: GET was unable to find an engine to execute this computation",
        {"os": "linux", "gpu": "Tesla T4", "packages": {"torch": "2.7.0"}},
        ["use float16"],
        [],
    ),
    (
        "InternalError: Blas GEMM launch failed : a.shape=(32, 784), b.shape=(784, 10), m=32, n=10, k=784",
        {"os": "linux", "gpu": "2x RTX 3090", "packages": {"tensorflow": "2.2.0"}},
        ["TensorFlow 2.5 or newer"],
        ["TF_FORCE_GPU_ALLOW_GROWTH"],
    ),
    # PyPI's wheels of which releases a system with an old C library takes, and whose library it is that needs a newer one.
    (
        GLIBC % ("2.28", "torch/lib/../../../../libcufft.so.11"),
        {"os": "linux", "os_version": "CentOS 7", "python": "3.10", "packages": {"torch": "2.4.0"}},
        [r"glibc 2\.17\..*\n.*--no-cache-dir torch==2\.4\.0", "newer Linux distribution"],
        [],
    ),
    (
        GLIBC % ("2.28", "torch/lib/libtorch_cpu.so"),
        {"os": "linux", "os_version": "Ubuntu 18.04", "python": "3.10", "packages": {"torch": "2.9.0"}},
        [r"pip install torch==2\.6\.0"],
        [],
    ),
    (
        GLIBC % ("2.34", "torch/lib/libtorch_cpu.so"),
        {"os": "linux", "os_version": "Ubuntu 20.04", "python": "3.10", "packages": {"torch": "2.9.0"}},
        [r"glibc 2\.28\..*\n.*--no-cache-dir torch==2\.9\.0"],
        [],
    ),
    (
        GLIBC % ("2.27", "jaxlib/libjax_common.so"),
        {"os": "linux", "python": "3.11", "packages": {"jax": "0.8.0"}, "gpu": "Tesla V100", "driver": "535.54"},
        [r"jax\[cuda12\]==0\.5\.3"],
        ["Only "],
    ),
    (
        GLIBC % ("2.23", "jaxlib/xla_extension.so"),
        {"os": "linux", "python": "3.6", "packages": {"jax": ""}},
        [r"Python 3\.12\n.*jax==0\.7\.0 jaxlib==0\.7\.0"],
        ["cuda12"],
    ),
    (
        GLIBC % ("2.29", "torch_spline_conv/_basis_cuda.so"),
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.3.0"}},
        ["Only torch_spline_conv needs it"],
        ["torch=="],
    ),
    (
        GLIBC % ("2.14", "torch/lib/libshm.so"),
        {"os": "linux", "os_version": "CentOS 6", "python": "3.6", "packages": {"torch": "1.0.0"}},
        ["newer Linux distribution"],
        ["torch=="],
    ),
    # JAX's first words for it, and a release of ONNX Runtime that raises where there is no GPU.
    (
        "UserWarning: No GPU found, falling back to CPU.",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.1.50", "jaxlib": "0.1.40"}, "python": "3.10"},
        [r"jax\[cuda12\]"],
        ["torch"],
    ),
    (
        "CUDA failure 100: no CUDA-capable device is detected ; GPU=0",
        {"os": "linux", "gpu": "none", "packages": {"onnxruntime-gpu": "1.7.0"}},
        [r"uninstall -y onnxruntime-gpu && python -m pip install onnxruntime$"],
        ["nothing has to be installed"],
    ),
    (
        "[ONNXRuntimeError] : 1 : FAIL : CUDA failure 209: no kernel image is available for execution on the device ; GPU=0",
        {"os": "linux", "gpu": "RTX 5080", "packages": {"onnxruntime-gpu": "1.20.1"}},
        [r"onnxruntime-gpu\[cuda,cudnn\]>=1\.22,<1\.27"],
        ["compile it"],
    ),
    # CTranslate2 wants cuDNN 8, and PyTorch brings cuDNN 9.
    (
        "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No "
        "such file or directory",
        {"os": "linux", "packages": {"torch": "2.5.1", "faster-whisper": "1.0.3"}},
        [r"--upgrade ctranslate2"],
        [],
    ),
    # AMD's word for its newest cards; NCCL where GPUs do not reach each other, or where it finds none of them in /sys.
    (
        "Memory access fault by GPU node-1 (Agent handle: 0x5500) on address 0x7f00. Reason: Unknown.",
        {"os": "linux", "gpu": "AMD Radeon RX 9070 XT", "packages": {"torch": "2.10.0+rocm7.1"}},
        ["TORCH_BLAS_PREFER_HIPBLASLT=0"],
        ["HSA_OVERRIDE"],
    ),
    (
        "rccl/src/transport/p2p.cc:200 NCCL WARN hipIpcGetMemHandle failed : invalid argument",
        {"os": "linux", "gpu": "AMD Radeon RX 7900 XTX"},
        ["NCCL_P2P_DISABLE=1", "rocm-smi"],
        [],
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
        "F tensorflow/core/framework/tensor.cc:812] Check failed: IsAligned() ptr = 0x7f00aa10cc21",
        {"os": "linux", "packages": {"tensorflow": "2.15.0", "intel-extension-for-tensorflow": "2.15.0.0"}},
        ["ITEX_ENABLE_NEXTPLUGGABLE_DEVICE=0"],
        [],
    ),
    (
        "RuntimeError: level_zero backend failed with error: 2147483646 (UR_RESULT_ERROR_UNKNOWN)",
        {"os": "linux", "gpu": "Intel Arc B580", "packages": {"torch": "2.7.0+xpu"}},
        ["Update Intel's graphics driver"],
        [],
    ),
    (
        "RuntimeError: This TensorFlow binary is not built with CUDA support.",
        {"os": "linux", "gpu": "GeForce GTX 970"},
        [r"and-cuda\]==2\.16\."],
        [],
    ),
    (
        "tensorflow-gpu has been removed",
        {"os": "linux", "gpu": "Radeon RX 6800"},
        ["pip install tensorflow"],
        ["and-cuda"],
    ),
    (
        "WARNING:tensorflow:TensorFlow GPU support is not available on native Windows for TensorFlow >= 2.11.",
        {"os": "windows", "gpu": "GeForce RTX 5090"},
        ["wsl --install", "fail at the first operation", "Keras on JAX or PyTorch"],
        [r"2\.10"],
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
        "RuntimeError: This TensorFlow binary is not built with CUDA support.",
        {"os": "linux", "gpu": "GeForce GT 750M"},
        ["from 2.3 on has no code for", r"3\.0", "use the CPU"],
        ["and-cuda", "pip install"],
    ),
    (
        "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file",
        {"os": "linux", "gpu": "Quadro K2000", "packages": {"tensorflow": "2.5.0"}},
        ["from 2.3 on has no code for"],
        ["and-cuda"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {"os": "linux", "gpu": "Radeon RX 580"},
        ["does not run on gfx803: compute on the CPU"],
        ["rocm7"],
    ),
    (
        "RuntimeError: operator torchvision::nms does not exist",
        {"os": "windows", "gpu": "Intel(R) UHD Graphics 620", "python": "3.11"},
        ["torchvision", "whl/cpu|pip install torch"],
        ["whl/xpu"],
    ),
    # JAX on GPUs from before Maxwell.
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Tesla K80", "packages": {"jax": "0.3.14"}},
        [r"jax\[cuda11_cudnn82\]==0\.3\.14"],
        ["cuda12"],
    ),
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Tesla K40m", "packages": {"jax": "0.4.30"}, "python": "3.12"},
        [r"0\.4\.3 is the last"],
        ["cuda12"],
    ),
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Quadro K4000", "packages": {"jax": "0.1.40"}},
        [r"compute capability 3\.5 or later.* JAX computes on the CPU"],
        ["pip install"],
    ),
    (
        "ImportError: /lib64/libm.so.6: version `GLIBC_2.23' not found (required by /x/tensorflow/python/"
        "_pywrap_tensorflow_internal.so)",
        {"os": "linux", "os_version": "CentOS 7", "packages": {"tensorflow-gpu": "1.13.1"}},
        [r"tensorflow-gpu==1\.15\.\*", "newer Linux distribution"],
        [r"tensorflow==2"],
    ),
    # The driver that an old release needs, and a Mac's TensorFlow from before Apple's plug-in.
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "384.130", "packages": {"tensorflow-gpu": "1.13.1"}, "gpu": "GTX 1080"},
        [r"CUDA 10\.0 \(410\.48 or later\)"],
        [],
    ),
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "418.67", "packages": {"tensorflow-gpu": "1.13.1"}},
        ["Update NVIDIA's driver"],
        [r"410\.48"],
    ),
    (
        "Cannot assign a device for operation: node was explicitly assigned to /device:GPU:0 but available devices are [ "
        "/job:localhost/replica:0/task:0/device:CPU:0 ].",
        {"os": "macos", "packages": {"tensorflow": "1.15.0"}},
        ["no GPU support from 1.2 to 2.4", "soft placement"],
        [],
    ),
    # A driver under another distribution's name, and what conda was asked for.
    (
        "E: Unable to locate package nvidia-driver-535",
        {"os": "linux", "os_version": "Debian 12"},
        ["sudo apt-get update", "install -y linux-headers-amd64 nvidia-driver", "non-free"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be in conflict:\n  - python 3.8*\n"
        "  - tensorflow 1.13.1*",
        {"os": "linux", "python": "3.8"},
        [r"python=3\.7 tensorflow=1\.13\.1"],
        [],
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
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"os": "container", "gpu": "Jetson Nano", "packages": {"tensorflow": "2.4.0"}},
        ["docker run --runtime nvidia"],
        ["--gpus all"],
    ),
    (
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        {"os": "linux", "cpu": "Intel(R) Xeon(R) CPU E5-2680 v3", "packages": {"tensorflow": "1.6.0"}},
        ["E5-2680 has AVX: what hides it is most likely a virtual machine"],
        [],
    ),
    (
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        {"os": "linux", "cpu": "Intel Celeron N4505", "packages": {"tensorflow": "2.10.0"}},
        ["In a virtual machine"],
        ["has AVX"],
    ),
    (
        "AttributeError: 'module' object has no attribute '_internal_create_key'",
        {"os": "linux", "packages": {"protobuf": "3.14.0", "tensorflow": "2.3.0"}},
        [r"protobuf 3\.14\.0 has it: another, older one is found first"],
        ["uninstall -y tensorflow"],
    ),
    # Files from someone's page, an own build for another CUDA, a Mac with an Intel processor, and what pip said long ago.
    (
        "tensorflow-1.13.1-cp35-none-linux_aarch64.whl is not a supported wheel on this platform.\nPython 3.5.0",
        {},
        ["from the same page", "calcsize"],
        [r"2\.3\.1", "pypi.org"],
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'cudart64_101.dll'; "
        "dlerror: cudart64_101.dll not found",
        {"os": "windows", "packages": {"tensorflow": "2.0.0"}, "gpu": "GeForce GTX 950M"},
        [r"needs CUDA 10\.1 and cuDNN 7\.6"],
        [r"CUDA 10\.0"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)",
        {"os": "macos", "os_version": "macOS Catalina 10.15.3"},
        ["Intel processors", "--python 3.12"],
        [r"3\.13"],
    ),
    (
        "Could not find a version that satisfies the requirement tensorflow==2.2.2",
        {"os": "linux", "os_version": "Debian 10.9"},
        [r"Python 3\.8", r"tensorflow==2\.2\.2"],
        [],
    ),
    (
        "  Could not find any downloads that satisfy the requirement tensorflow\nNo distributions at all found for tensorflow",
        {"os": "linux"},
        ["pip install --python env/bin/python tensorflow"],
        [],
    ),
    (
        "ImportError: cannot import name '_obtain_input_shape' from 'keras.applications.imagenet_utils' (/a/keras/x.py)",
        {},
        [r"keras_applications\.imagenet_utils", r"keras==2\.1\.6"],
        ["tf-keras"],
    ),
    # What pip was asked for, a build for the CPU on Windows, and a release that the facts say is installed.
    (
        "$ sudo pip3 install tensorflow\n  Downloading https://a/tensorflow-1.13.1-cp37-none-linux_armv7l.whl (93.2MB)\n"
        "    99% | 44.1MB 28.6MB/s eta 0:00:01Killed",
        LINUX,
        ["pip install --no-cache-dir tensorflow"],
        [],
    ),
    (
        ">>> tf.test.is_built_with_cuda()\nFalse",
        {"os": "windows", "packages": {"tensorflow": "2.3.0"}},
        [r"uninstall -y tensorflow; python -m pip install \"tensorflow==2\.3\.\*", r"CUDA 10\.1"],
        ["wsl", r"2\.10"],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow'",
        {"os": "windows", "python": "3.6", "packages": {"tensorflow": "2.0.0"}},
        ["tensorflow 2.0.0 is installed, for another Python", "kernel"],
        [],
    ),
    (
        "    def TFE_ContextOptionsSetAsync(arg1, async):\nSyntaxError: invalid syntax",
        {"os": "windows", "python": "3.7"},
        [r"Python 3\.6", "install --upgrade tensorflow"],
        ["64-bit"],
    ),
    (
        'Setting up TensorFlow plugin "fused_bias_act.cu": Compiling... Failed!',
        {"packages": {"tensorflow": "1.15"}},
        ["GCC 7", "CUDA toolkit"],
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
        "ImportError: cannot import name 'any_pb2' from 'google.protobuf'",
        LINUX,
        ["pip install"],
        ["object_detection", "protoc "],
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
        "ModuleNotFoundError: No module named '_pywrap_tensorflow_internal'",
        {"os": "windows", "python": "3.6", "packages": {"tensorflow-gpu": "1.2.0"}, "cuda": "8.0"},
        [r"CUDA 8\.0 and cuDNN 5\.1"],
        ["Redistributable"],
    ),
    # Which Python conda's ranges have, whose page a file for 32-bit ARM is of, and the last wheels that need no AVX.
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n"
        "Package python conflicts for:\ntensorflow -> python[version='2.7.*|3.5.*|3.6.*|>=3.6,<3.7.0a0']",
        {"os": "linux", "python": "3.7"},
        ["python=3.6 tensorflow"],
        [],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n"
        "Package python conflicts for:\ntensorflow -> python[version='3.6.*|>=3.7,<3.8.0a0']",
        {"os": "linux", "python": "3.7"},
        ["no set of packages"],
        ["does not support the Python"],
    ),
    (
        "UnsatisfiableError: The following specifications were found\nto be incompatible with the existing python "
        "installation in your environment:\n  - tensorflow-base -> python[version='>=3.5,<3.6.0a0|>=3.7,<3.8.0a0']",
        {"os": "windows", "python": "3.8"},
        ["python=3.7"],
        ["python=3.5"],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be in conflict:\n  - python 3.6*\n"
        "  - tensorflow 0.12.0rc0*",
        LINUX,
        ["for Python 3.6", "python=3.5"],
        [],
    ),
    (
        "tensorflow-1.12.0-cp35-none-linux_armv7l.whl is not a supported wheel on this platform.",
        {"os": "linux", "python": "3.6.7"},
        ["python3.5 -m pip", "from the same page"],
        ["x86-64", "2\\.6"],
    ),
    (
        "tensorflow-2.5.0-cp 37-none-linux_armv71.whl is not a supported wheel on this platform.",
        {"os": "linux", "python": "3.9", "arch": "armv7l"},
        ["64-bit system"],
        [],
    ),
    (
        "Illegal instruction: 4",
        {"os": "macos", "os_version": "10.13", "python": "3.6.4", "packages": {"tensorflow": "1.8.0"}},
        [r"tensorflow==1\.5\.0"],
        [r"python=3\.11"],
    ),
    (
        "AttributeError: 'Node' object has no attribute 'output_masks'",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "2.0"}},
        ["from tensorflow import keras"],
        [],
    ),
    (
        "E cuda_blas.cc:238] failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
        {"os": "linux", "packages": {"tfjs-node-gpu": "1.5.1"}, "gpu": "GeForce RTX 2070"},
        ["export TF_FORCE_GPU_ALLOW_GROWTH=true"],
        ["pip install", "tf\\.config"],
    ),
    # Old TensorFlow: what the facts say is there already, which wheel is the smallest change, and whose memory it is.
    (
        "OOM when allocating tensor with shape[1,2080,4160,3] and type float on /job:a/device:CPU:0 by allocator cpu",
        {"os": "windows", "packages": {"tensorflow": "1.5"}},
        [r"memory \(RAM\)"],
        ["nvidia-smi", "allow_growth"],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'get_default_graph'",
        {"packages": {"tensorflow": "2.0"}},
        ["from tensorflow import keras", r"tf\.compat\.v1\.get_default_graph"],
        [],
    ),
    (
        "tensorflow-1.4.0-cp36-cp36m-win_amd64.whl is not a supported wheel on this platform.",
        {"os": "windows", "python": "3.6.3"},
        ["most likely a 32-bit Python", r"64-bit \(x64\) Python 3\.6"],
        ["2\\.6"],
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
        "Ignoring visible gpu device (device: 0, name: Quadro M1200, pci bus id: 0000:01:00.0) with Cuda compute capability "
        "5.0. The minimum required Cuda capability is 5.2.",
        {"os": "linux", "packages": {"tensorflow": "1.2.0rc2"}, "gpu": "Quadro M1200"},
        [r"tensorflow-gpu==1\.2\.\*"],
        [r"2\.16"],
    ),
    (
        "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "packages": {"tensorflow": "1.12.0"}, "cuda": "9"},
        [r"CUDA 9\.0 \(384\.81 or later\)"],
        [],
    ),
    (
        "Device mapping: no known devices.",
        {"os": "linux", "python": "3.5", "packages": {"tensorflow-gpu": "1.1.0"}, "gpu": "GeForce GTX 1080"},
        ["uninstall -y tensorflow tensorflow-gpu"],
        [],
    ),
    (
        "E cuda_driver.cc:351] failed call to cuInit: UNKNOWN ERROR (303)\nI cuda_diagnostics.cc:163] no NVIDIA GPU device is "
        "present: /dev/nvidia0 does not exist",
        LINUX,
        ["--gpus all"],
        ["nvidia-modprobe"],
    ),
    # PyPI has each release of tensorflow-gpu, conda's channels few.
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu==2.2.0",
        {"os": "windows"},
        [r"conda create -n env -c conda-forge python=3\.8 cudatoolkit=10\.1 cudnn=7\.6", r"tensorflow-gpu==2\.2\.0"],
        [r"2\.1[01]"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.12",
        {"os": "windows"},
        [r"tensorflow==2\.10\.1"],
        [r"tensorflow-gpu==2"],
    ),
    (
        "  CalledProcessError\n\n  Command '['/c/virtualenvs/a-py3.11/bin/python', '-m', 'pip', 'install', '--use-pep517"
        "', '--no-deps', '/c/pypoetry/artifacts/e0/11/67/h5py-3.7.0.tar.gz']' returned non-zero exit status 1.",
        {"os": "linux", "python": "3.11"},
        ["h5py has no ready wheel", r"3\.8"],
        [],
    ),
    (
        "  - package cudnn-7.6.5.32-h2cb8ba8_1 requires cudatoolkit 10.0.*, but none of the providers can be installed\n"
        "   __cuda >=10.0 , which conflicts with any installable versions previously reported;",
        {"os": "windows"},
        ["Update NVIDIA's driver"],
        [],
    ),
    # Lines that name less than others of the same cause.
    (
        "E cuda_driver.cc:351] failed call to cuInit: UNKNOWN ERROR (303)\n"
        "I cuda_diagnostics.cc:163] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
        {"os": "linux"},
        ["as in a container", "--gpus all"],
        [],
    ),
    (
        "C:\\s\\onnxruntime\\core\\providers\\dml\\DmlExecutionProvider\\src\\A.cpp(588)\\onnxruntime.dll!00007FFB: (Call"
        "er: 00007FFB15BB3CA1) Exception(1) tid(1f38) 800736B1",
        {"os": "windows"},
        ["Windows error 800736B1", "mem_pattern"],
        [],
    ),
    (
        "WARNING:root:Failure to load the custom c++ tensorflow ops. This error is likely caused the version of "
        "TensorFlow and TensorFlow Decision Forests are not compatible.",
        {"os": "linux", "packages": {"tensorflow": "2.12.0"}},
        [r"tensorflow-decision-forests==1\.[34]"],
        [],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)\n"
        "ERROR: No matching distribution found for tensorflow",
        {"os": "macos", "python": "3.8"},
        ["tensorflow-macos"],
        [],
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
    # What has a kernel of its own, and a program that is newer than its TensorFlow.
    (
        "Error no kernel image is available for execution on the device at line 167 in file D:\\bitsandbytes\\csrc\\ops.cu",
        {"os": "windows", "python": "3.10"},
        ["--upgrade bitsandbytes"],
        ["arch_list"],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'config'",
        {"os": "linux", "python": "3.6", "packages": {"tensorflow": "2.2.0"}},
        ["uninstall -y tensorflow", r"tensorflow==2\.2\.0"],
        ["needs a newer"],
    ),
    (
        "ERROR: tensorflow-2.1.0-cp35-none-linux_armv7l.whl is not a supported wheel on this platform.",
        {"os": "linux", "os_version": "Raspbian 10", "arch": "armv7l", "python": "3.7"},
        [r"Python 3\.5", "64-bit system"],
        ["upgrade pip"],
    ),
    (
        "NotFoundError: No registered 'RngReadAndSkip' OpKernel for 'GPU' devices compatible with node {{node x}}",
        {"os": "windows", "packages": {"tensorflow": "2.9.1", "tensorflow-directml-plugin": "0.0.1.dev220621"}},
        ["CPU", r"tensorflow-directml-plugin==0\.4"],
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
    # bitsandbytes of the time before 0.42 searches LD_LIBRARY_PATH, which in WSL need not have the driver's folder.
    (
        "CUDA SETUP: WARNING! libcuda.so not found! Do you have a CUDA driver installed?\n"
        "UserWarning: WARNING: No GPU detected! Check your CUDA paths. Proceeding to load CPU-only library...",
        {"os": "wsl2"},
        ["LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    # A toolkit that is installed on Windows is there for a GPU.
    (
        "ERROR: No matching distribution found for tensorflow-gpu==2.11",
        {"os": "windows", "python": "3.10", "cuda": "11.2", "cudnn": "8.1"},
        ["Use WSL 2, where", r"tensorflow==2\.10\.1"],
        [],
    ),
    (
        "failed call to cuInit: UNKNOWN ERROR (-1)",
        {"os": "container", "gpu": "GTX 1060"},
        ["--gpus all"],
        [],
    ),
    (
        "downgrade to 'numpy<2' or try to upgrade the affected module.",
        {"os": "windows", "python": "3.10"},
        ["numpy<2"],
        [],
    ),
    (
        "xformers 0.0.28.post3 requires torch==2.5.1, but you have torch 2.4.0 which is incompatible.\n"
        "Successfully installed torch-2.4.0 torchaudio-2.4.0 torchvision-0.19.0",
        {},
        [r"install xformers==0\.0\.27\.post2"],
        [],
    ),
    # XPU's error without a free figure; kernels that do not know the GPU; xFormers; NixOS; RNN; a DLL without its name.
    (
        "RuntimeError: XPU out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.56 GiB total capacity; "
        "990.00 MiB already allocated; 990.00 MiB reserved in total by PyTorch)",
        {"os": "wsl2", "packages": {"torch": None, "intel-extension-for-pytorch": None}, "gpu": "Intel Arc A770"},
        ["smaller batch"],
        ["14.6"],
    ),
    (
        "[    3.044705] amdgpu 0000:04:00.0: kfd not supported on this ASIC",
        {"os": "linux", "os_version": "kernel 4.15", "gpu": "AMD Radeon RX Vega"},
        ["newer kernel"],
        ["too old"],
    ),
    (
        "Launching Web UI with arguments: --force-enable-xformers\n"
        "xformers-0.0.14.dev0-cp310-cp310-win_amd64.whl\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "gpu": "RTX 2070"},
        ["xFormers"],
        ["uninstall -y torch"],
    ),
    (
        "torch                        2.7.1+cu128\n"
        "torchaudio               2.7.1+cu128\n"
        "torchvision               0.22.1+cu128\n"
        "xformers                  0.0.32.dev1073\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "gpu": "RTX 5090"},
        ["xFormers"],
        [],
    ),
    (
        ">>> import onnx\n"
        "ImportError: /nix/store/6qx8ijrs82bnq60vp09pv46mdx4rnq9d-gcc-7.5.0-lib/lib/libstdc++.so.6: "
        "version `GLIBCXX_3.4.26' not found (required by "
        "/nix/store/ln8r1m11ypy3a642g4vab9c06mqmpsdn-python3.7-onnx-1.7.0/lib/python3.7/site-packages/on"
        "nx/onnx_cpp2py_export.cpython-37m-x86_64-linux-gnu.so)",
        {"os": "linux", "os_version": "NixOS", "python": "3.7", "packages": {"onnx": "1.7.0"}},
        ["nix-ld"],
        ["LD_LIBRARY_PATH out|unset"],
    ),
    (
        "Torch failed to start, restart your R session to try again. \n"
        "/home/R/x86_64-pc-linux-gnu-library/4.1/torch/lib/liblantern.so - /lib64/libstdc++.so.6: "
        "version `GLIBCXX_3.4.20' \n"
        "not found (required by /home/R/x86_64-pc-linux-gnu-library/4.1/torch/lib/liblantern.so)",
        {"os": "linux", "os_version": "CentOS 7"},
        ["newer"],
        [],
    ),
    (
        "2019-11-18 04:36:20.298226: W tensorflow/core/framework/op_kernel.cc:1622] OP_REQUIRES failed "
        "at cudnn_rnn_ops.cc:1491 : Unimplemented: createRnnDescriptor is unimplemented\n"
        "2019-11-18 04:36:20.298246: W tensorflow/core/common_runtime/base_collective_executor.cc:216] "
        "BaseCollectiveExecutor::StartAbort Unimplemented: createRnnDescriptor is unimplemented",
        {
            "os": "linux",
            "os_version": "Ubuntu 18.04",
            "python": "3.6",
            "packages": {"tensorflow-rocm": "2.0.0"},
            "gpu": "AMD Radeon VII",
            "rocm": "2.9.6",
        },
        ["RNN\\(LSTMCell"],
        [],
    ),
    (
        "OSError: [WinError 1114] Dynamic-link library (DLL) initialization routine failed\n"
        "A few minutes after starting training",
        {"os": "windows", "os_version": "Windows 11"},
        ["(?i)vc_?redist|visual c"],
        [],
    ),
    # A program of HIP itself, in a container and outside of it; results of one operation on two devices.
    (
        "error: 'hipErrorInvalidDevice'(101) at square.cpp:61",
        {"os": "linux", "gpu": "AMD Vega 56", "rocm": "5.1.3"},
        ["usermod -aG render,video"],
        ["that the build was made for"],
    ),
    (
        "hsa api call failure at: /src/rocminfo/rocminfo.cc:1102",
        {"os": "container", "gpu": "AMD"},
        ["--device=/dev/kfd", "host's kernel driver and the image's ROCm"],
        ["that the build was made for"],
    ),
    (
        'Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file',
        {"os": "windows", "rocm": "5.5.1"},
        ["on Linux itself"],
        ["Adrenalin"],
    ),
    (
        "tensor(10433.3145, device='cuda:0', grad_fn=<SumBackward0>)\ntensor(1619.2983, grad_fn=<SumBackward0>)",
        {"os": "linux", "packages": {"torch": "2.0.1+rocm5.4.2"}, "gpu": "AMD Instinct MI250X"},
        [r"gives 10433\.3145 where the CPU gives"],
        [],
    ),
    (
        "RuntimeError: cuda runtime error (4) : unspecified launch failure at /srv/pytorch/torch/lib/THC/THCTensorCopy.cu:85",
        {"os": "linux", "packages": {"torch": None}},
        ["CUDA_LAUNCH_BLOCKING"],
        ["AT_CHECK"],
    ),
    (
        "ImportError: /e/site-packages/torchvision/_C.so: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationE",
        {"os": "linux", "python": "3.7", "packages": {"torch": "1.3"}},
        [r"torchvision==0\.4\.1"],
        ["whl/cu"],
    ),
    (
        "RuntimeError: This version of jaxlib was built using AVX instructions, which your CPU and/or operating system do not "
        "support. This error is frequently encountered on macOS when running an x86 Python installation on ARM hardware.",
        {},
        ["On a Mac with Apple silicon"],
        [],
    ),
    # What the machine's own memory, another program's XLA and the driver's own CUDA are not.
    (
        "OOM when allocating tensor with shape[9,9] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by "
        "allocator cpu",
        {"os": "linux", "packages": {"tensorflow": "1.12.0"}},
        [r"main memory \(RAM\)", "load the data in parts"],
        ["nvidia-smi", "growth"],
    ),
    (
        "bfc_allocator.cc:419] Allocator (cuda_host_bfc) ran out of memory trying to allocate 3.73GiB",
        {"os": "linux", "packages": {"tensorflow": "1.14.0"}},
        [r"RAM\)", "TF_GPU_HOST_MEM_LIMIT_IN_MB"],
        ["nvidia-smi", "growth"],
    ),
    (
        "W external/xla/xla/dso.cc:66] Could not load dynamic library 'libcublasLt.so.11'; dlerror: libcublasLt.so.11: "
        "cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"jaxlib": None}},
        ["^JAX could not load"],
        ["TensorFlow"],
    ),
    (
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11020).",
        {"os": "linux", "packages": {"torch": None}, "cuda": "11.2"},
        ["cu118"],
        [r"for CUDA 11\.2 \("],
    ),
    (
        "UserWarning: No GPU/TPU found, falling back to CPU.",
        {"os": "linux", "python": "3.6", "packages": {"jax": None}, "cuda": "10.1"},
        [r"jaxlib==0\.1\.69\+cuda101"],
        ["cuda12", "uv venv"],
    ),
    (
        "pip install https://storage.googleapis.com/jax-releases/cuda100/jaxlib-0.1.29-cp37-none-linux_x86_64.whl\n"
        "UserWarning: No GPU/TPU found, falling back to CPU.",
        {"os": "linux", "python": "3.7", "packages": {"jaxlib": "0.1.29"}},
        ["is a build for CUDA and found no GPU", "TF_CPP_MIN_LOG_LEVEL"],
        [],
    ),
    # Intel's GPU through OpenCL alone, and a loader that is older than oneAPI.
    (
        "[opencl:cpu][opencl:0] Intel(R) OpenCL, Intel(R) Core(TM) i9 OpenCL 3.0\n"
        "[opencl:gpu][opencl:1] Intel(R) OpenCL Graphics, Intel(R) Arc(TM) A770 Graphics OpenCL 3.0 NEO  [23.17.26241.33]",
        {"os": "linux", "os_version": "Ubuntu 22.04"},
        ["OpenCL only", "libze-intel-gpu1"],
        [],
    ),
    (
        "<LOADER>[INFO]: failed to load adapter 'libur_adapter_level_zero.so.0' with error: /x/libur_adapter_level_zero.so.0: "
        "undefined symbol: zeDeviceGetRootDevice\n"
        "<LOADER>[INFO]: failed to load adapter 'libur_adapter_cuda.so.0' with error: libcuda.so.1: cannot open shared object "
        "file: No such file or directory",
        {"os": "linux", "gpu": "Intel"},
        ["libze_loader", "libze1"],
        ["(?i)nvidia|cuda"],
    ),
    (
        "F itex/core/utils/op_kernel.cc:54] Check failed: false Multiple KernelCreateFunc registration",
        {"os": "linux", "packages": {"intel-extension-for-tensorflow": "2.13.0"}},
        [r"tensorflow==2\.13\."],
        [],
    ),
    # AMD: a processor's Vega, and what MIOpen compiles.
    (
        HIP,
        {"os": "linux", "packages": {"tensorflow-rocm": None}, "gpu": "AMD Radeon Vega 11 (Ryzen 5 2400G)"},
        [r"GFX_VERSION=9\.0\.0", "gfx902"],
        [r"10\.3\.0"],
    ),
    (
        "/tmp/comgr-9b418c/include/miopen_rocrand.hpp:45:10: fatal error: 'rocrand/rocrand_xorwow.h' file not found",
        {"os": "linux", "packages": {"torch": "2.8.0+rocm6.4"}},
        ["rocrand-dev"],
        ["/dev/kfd"],
    ),
    (
        "ImportError: /e/site-packages/torch/lib/libcaffe2.so: undefined symbol: _ZTIN3c1010TensorImplE",
        {"os": "linux"},
        ["Libraries of another PyTorch"],
        ["tensorflow"],
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
        "InvalidArgumentError: No OpKernel was registered to support Op 'Census' with these attrs.  "
        "Registered devices: [CPU], Registered kernels:\n  device='GPU'",
        {},
        ["GPU only", "is_built_with_cuda"],
        ["soft"],
    ),
    (
        "RuntimeError: Command ['singularity', '--silent', 'run', 'image.sif', 'prog'] exited 1: stderr=\n"
        "Error: No GPU device found!",
        {"os": "linux"},
        ["exec --nv IMAGE"],
        [],
    ),
    ("$ singularity run tf-gpu.img\nDevice mapping: no known devices.", {}, ["exec --nv IMAGE"], ["tensorflow-gpu=="]),
    (
        "$ singularity run --nv my.sif\nWARNING: The NVIDIA Driver was not detected.  GPU functionality will not be "
        "available.",
        {"os": "linux"},
        ["outside of the container", "gres"],
        ["Start the container"],
    ),
    ("Error: No GPU device found!", {}, ["nvidia-smi"], ["nothing has to be installed"]),
    # A release that is pinned stays, with a Python that has it.
    (
        "Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/cu113\n"
        + NO_VERSION % "torch==1.12.1+cu113",
        {"os": "windows", "python": "3.11.9"},
        ["\\.\\s+Make an environment.*\\n.*torch==1\\.12\\.1", "cu126"],
        [],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device (nms_cuda at "
        "/tmp/torchvision/csrc/cuda/nms_cuda.cu:127)",
        {"os": "linux", "gpu": "Tesla V100"},
        ["What has no code for the GPU is torchvision", "TORCH_CUDA_ARCH_LIST=7\\.0"],
        ["get_arch_list"],
    ),
    (
        "python run.py --device mps:0\nValueError: loss is nan",
        {"os": "macos", "gpu": "Apple M3"},
        ["PyTorch"],
        ["tensorflow-metal"],
    ),
    (
        "Illegal Instruction (core dumped)",
        {"os": "linux", "os_version": "Ubuntu 20.04, Raspberry Pi 4"},
        ["ARM"],
        ["AVX"],
    ),
    (
        "Neither CUDA nor MPS are available - defaulting to CPU. Note: This module is much faster with a GPU.",
        {"os": "linux", "gpu": "AMD Radeon RX 7900 XTX"},
        ["whl/rocm"],
        ["nvidia-smi"],
    ),
    (
        "RuntimeError: nms is not compiled with GPU support",
        {"packages": {"torch": "1.8.2+cu102", "mmcv-full": "1.3"}},
        ["mmcv-full"],
        [],
    ),
    ("WARNING  ROCm: no agent was found", {"os": "windows"}, ["hipinfo", "Adrenalin"], ["modprobe"]),
    (
        "Could not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot open shared object file",
        {"os": "container"},
        ["image that has cuDNN 7"],
        [],
    ),
    # CTranslate2 and llama.cpp compute on GPUs without a framework.
    (
        "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA runtime version",
        {"os": "windows", "gpu": "AMD Radeon RX 6600"},
        ["CTranslate2", 'device="cpu"'],
        ["tensorflow", "driver is older"],
    ),
    (
        "CUDA error 209 at vendor/llama.cpp/ggml-cuda.cu:22: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": None, "llama-cpp-python": None}},
        ["build of llama\\.cpp"],
        ["get_arch_list", "whl/cu"],
    ),
    (
        "CUDA Error: No kernel image is available for execution on the device",
        {"gpu": "Quadro P4000"},
        ["compute capability 6\\.1"],
        [],
    ),
    (
        'CMAKE_ARGS="-DLLAMA_CUBLAS=on" pip install llama-cpp-python\nAVX = 1 | WASM_SIMD = 0 | BLAS = 0 | SSE3 = 1 |',
        {"os": "linux"},
        ["build for the CPU", "llama-cpp-python"],
        [],
    ),
    # The driver runs the CUDA that is stated: it may not answer.
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "windows", "driver": "445.75", "cuda": "10.0", "packages": {"torch": "1.2.0"}},
        ["Driver 445\\.75 runs CUDA 10\\.0", "nvidia-smi"],
        [],
    ),
    (
        "RuntimeError: cuda runtime error (801) : operation not supported at torch/csrc/generic/StorageSharing.cpp:245",
        {"os": "windows"},
        ["num_workers=0"],
        ["cannot be explained"],
    ),
    ("ValueError: No GPU devices detected", {"os": "linux"}, ["getDeviceCount", "CuPy"], ["devicekit doctor"]),
    # A Mac that gets no wheel for Intel processors has Apple silicon.
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow==2.10.1",
        {"os": "macos", "python": "3.10"},
        ["Apple silicon: tensorflow 2\\.13", "tensorflow-macos==2\\.10"],
        ["older pip"],
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
        "warning: gpu support may not be enabled, check that you have installed GPU drivers: nvidia-smi command failed",
        {"os": "wsl2", "gpu": "NVIDIA GeForce RTX 4080"},
        ["Update ollama", "wsl --update"],
        [],
    ),
    (
        "WARNING: No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode.",
        {"os": "wsl2", "gpu": "NVIDIA"},
        ["wsl --update"],
        [],
    ),
    (
        "ValueError: Requested 4 devices but only 1 are visible",
        {"os": "linux"},
        ["nvidia-smi -L", "CUDA_VISIBLE_DEVICES"],
        ["doctor"],
    ),
    (
        "INFO --> Using torch device: CPU",
        {"os": "linux", "gpu": "AMD Radeon RX 6800", "packages": {"torch": "2.4.1+cu121"}},
        ["whl/rocm"],
        [],
    ),
    (
        "INFO --> Using torch device: CPU",
        {"gpu": "NVIDIA A100", "packages": {"torch": "2.4.1+cpu"}},
        ["without CUDA"],
        [],
    ),
    ("ERROR   cuDNN not found. See the instructions", {"os": "windows"}, ["cuDNN cannot be found"], []),
    # How much memory TensorFlow 1 found, and which releases have code for an old GPU.
    (
        "Free memory: 190.31MiB\nE cuda_driver.cc:1002] failed to allocate 190.31M from device: CUDA_ERROR_OUT_OF_MEMORY",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.0"}},
        ["only 190 MB free at its start"],
        [],
    ),
    (
        "tensorflow.python.framework.errors_impl.InternalError: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"tensorflow": "2.3.0"}, "gpu": "GTX 960M"},
        [r"2\.4\.0 is the next release, 2\.10\.1 the newest"],
        [],
    ),
    (
        "Library not loaded: @rpath/libcublas.8.0.dylib",
        {"os": "macos", "packages": {"tensorflow-gpu": "1.1.0"}},
        [r"ended with 10\.13"],
        [],
    ),
    # What a TensorFlow 1 that is installed has, what 1.0 renamed, and what belongs to another release.
    (
        "AttributeError: module 'tensorflow' has no attribute 'Session'",
        {"os": "linux", "packages": {"tensorflow": "1.7.0"}},
        ["which has tf.Session", "uninstall"],
        ["compat"],
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
        "/srv/env/lib/python3.7/site-packages/keras/legacy/interfaces.py in wrapper(*args, **kwargs)\n"
        "AttributeError: module 'tensorflow' has no attribute 'get_default_graph'",
        {"os": "linux"},
        ["from tensorflow import keras"],
        ["compat"],
    ),
    (
        "CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated",
        {"os": "linux"},
        ["multi-user"],
        ["Tdr"],
    ),
    (
        "NotFoundError: /srv/a.so: undefined symbol: _ZN10tensorflow8internal21CheckOpMessageBuilder9NewStringB5cxx11Ev",
        {"os": "linux", "packages": {"tensorflow": "1.0.1"}},
        ["_GLIBCXX_USE_CXX11_ABI=0"],
        [],
    ),
    # What precedes the first error of the driver, on what the GPU shares its memory with, and on ARM without conda.
    (
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:2259] Unable to load cuDNN DSO\nE cuda_diagnostics.cc:296] kernel "
        "version 367.44.0 does not match DSO version 352.99.0 -- cannot find working devices in this configuration",
        {"os": "linux", "os_version": "Ubuntu 14.04"},
        [r"352\.99\.0\) is older than the module \(367\.44\.0\): remove the older copy"],
        ["built for"],
    ),
    (
        "failed to allocate 5.04G (5412929536 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
        {"os": "linux", "gpu": "Jetson TX2", "arch": "aarch64", "packages": {"tensorflow": "1.7"}},
        ["shares the machine's memory"],
        ["nvidia-smi"],
    ),
    (
        "ImportError: /usr/lib/arm-linux-gnueabihf/libstdc++.so.6: version `GLIBCXX_3.4.22' not found (required by /usr/x.so)",
        {"os": "linux"},
        ["newer release of the system"],
        ["conda install"],
    ),
    (
        "ImportError: /usr/lib/x86_64-linux-gnu/libstdc++.so.6: version `CXXABI_1.3.11' not found (required by /usr/x.so)",
        {"os": "linux", "os_version": "Ubuntu 16.04", "packages": {"tensorflow": "1.13.1"}},
        [r"\A[^$]*ppa:ubuntu-toolchain-r/test"],
        [],
    ),
    (
        '[name: "/cpu:0"\ndevice_type: "CPU"\nmemory_limit: 268435456]',
        {"os": "linux", "gpu": "GTX 1080"},
        ["tensorflow-gpu has"],
        [],
    ),
    # A GPU that is newer than the CUDA that a build has, by what is known of it.
    (
        "RuntimeError: NVCC returned an error.\nnvcc fatal   : Unsupported gpu architecture 'compute_86'",
        {"os": "windows", "packages": {"tensorflow-gpu": "1.15"}, "gpu": "RTX 3080", "cuda": "10.0"},
        ["in WSL 2: NVIDIA's container"],
        [r"11\.1 or later"],
    ),
    (
        "E cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED\n"
        "tensorflow.python.framework.errors_impl.InternalError: Blas GEMM launch failed : a.shape=(100, 300)",
        {"os": "linux", "gpu": "RTX 3060 Ti", "cuda": "10.0"},
        ["no code for this GPU"],
        ["smaller batch"],
    ),
    (
        "E cuda_blas.cc:652] failed to run cuBLAS routine cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED",
        {"os": "linux", "python": "2.7", "packages": {"tensorflow-gpu": "1.12"}},
        ["GPU is newer than this TensorFlow's CUDA"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'numpy.core._multiarray_umath'\n"
        "ImportError: numpy.core.multiarray failed to import",
        {"os": "windows"},
        ["newest release"],
        [r"numpy<2"],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux"},
        ["lspci"],
        [],
    ),
    # A range of releases before 1.15 is for old Pythons, whatever the name; the GPU's name is none of macOS.
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu<=1.14.0,>=1.10.0",
        {"os": "linux", "python": "3.8"},
        [r"python=3\.7", r"tensorflow-gpu<=1\.14\.0,>=1\.10\.0"],
        ["and-cuda", r"3\.13"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu<1.15",
        {"os": "macos", "python": "3.7"},
        ["leave -gpu out", r'"tensorflow<1\.15"'],
        [r"pip install tensorflow$"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow==1.13.1",
        {"os": "windows", "python": "3.7"},
        ["64-bit", "upgrade pip"],
        ["venv"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu>=2.0",
        {"os": "linux", "python": "3.12"},
        ["and-cuda"],
        [r"2\.11\.0"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow<2.0",
        {"os": "linux", "python": "3.9"},
        [r"\A[^$]*python=3\.7"],
        [],
    ),
    # Up to 2.0, the plain name has no GPU.
    (
        "tensorflow           1.14.0\ntensorflow-gpu       1.14.0\n>>> tf.test.is_gpu_available()\nFalse",
        {"os": "linux", "packages": {"tensorflow": "1.14.0", "tensorflow-gpu": "1.14.0"}, "gpu": "Tesla V100"},
        [r"pip install tensorflow-gpu==1\.14\.0"],
        [r"pip install tensorflow==1"],
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
        "E cuda_dnn.cc:332] could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "E cuda_dnn.cc:340] possibly insufficient driver version: 410.79.0",
        {"os": "linux", "driver": "410.79", "cuda": "9.0", "packages": {"tensorflow-gpu": ""}},
        [r"tf\.Session\(config"],
        ["update the driver"],
    ),
    (
        "I dso_loader.cc:99] Couldn't open CUDA library libcudnn.so. LD_LIBRARY_PATH: /usr/local/nvidia/lib64\n"
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:1562] Unable to load cuDNN DSO",
        {"os": "linux"},
        ["built for"],
        ["and-cuda"],
    ),
    (
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:1562] Unable to load cuDNN DSO\nI cuda_diagnostics.cc:146] libcuda "
        "reported version is: Not found: was unable to find libcuda.so DSO loaded into this program",
        {"os": "container"},
        ["--gpus all"],
        ["and-cuda"],
    ),
    (
        "ImportError: No module named '_pywrap_tensorflow'",
        {"os": "windows", "python": "3.4"},
        [r"3\.5"],
        ["Visual"],
    ),
    (
        "ImportError: dlopen(/opt/tensorflow/python/_pywrap_tensorflow_internal.so, 6): Symbol not found: "
        "_SecKeyCopyExternalRepresentation",
        {"os": "macos", "packages": {"tensorflow": "1.10.0"}},
        [r"10\.12\.6"],
        ["doctor"],
    ),
    (
        "PermissionError: [Errno 13] Permission denied: 'C:\\\\ProgramData\\\\Anaconda3\\\\pkgs\\\\cache\\\\2.json'",
        {"os": "windows"},
        ["as administrator"],
        ["chown"],
    ),
    (
        "The following packages have unmet dependencies:\n python3-tflite-runtime : Depends: python3 (< 3.10) but 3.11.2-1 is "
        "to be installed\nE: Unable to correct problems, you have held broken packages.",
        {"os": "linux", "python": "3.11.2", "arch": "aarch64"},
        ["pip install tflite-runtime", "numpy<2"],
        ["windows"],
    ),
    # What has ended, a machine without a GPU, and two OpenMP runtimes that are no lack of shared memory.
    (
        "ERROR: No matching distribution found for onnxruntime-coreml==1.13.1",
        {"os": "macos", "python": "3.10.14", "arch": "x86_64"},
        ["pip install onnxruntime(?!-)"],
        ["#files"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "none"},
        ['device "cpu"'],
        ["whl/cu"],
    ),
    (
        "OMP: Error #179: Function pthread_mutex_init failed:\nOMP: System error #22: Invalid argument",
        {"os": "macos", "packages": {"torch": "2.2.2"}},
        ["other order"],
        ["shm", "KMP_DUPLICATE_LIB_OK"],
    ),
    (
        "ERROR: tflite_runtime-2.1.0.post1-cp37-cp37m-linux_armv7l.whl is not a supported wheel on this platform",
        {"os": "linux", "os_version": "Raspbian 10", "python": "3.7", "arch": "armv6l"},
        ["ARMv6", "64-bit"],
        ["#files"],
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
    # Before the first tensor, the size of the batch does not matter.
    (
        "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before "
        "calling NumCudaDevices() that might have already set an error? Error 2: out of memory (Triggered internally at "
        "CUDAFunctions.cpp:109.)",
        {"os": "wsl2", "packages": {"torch": "1.13.0"}},
        ["CUDA_VISIBLE_DEVICES=0", "wslconfig", "nvidia-smi"],
        ["smaller batch"],
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
    # Import names that differ from those of the distributions.
    (
        "ModuleNotFoundError: No module named 'grpc'",
        {"packages": {"tensorflow": "2.10.0"}},
        ['install "?grpcio'],
        ["install grpc$"],
    ),
    (
        IMPORTED % "official/modeling/tf_utils.py"
        + "AttributeError: module 'keras._tf_keras.keras.layers' has no attribute 'experimental'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        ["install --upgrade tf-models-official"],
        [r"upgrade official"],
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
    # pytorch-directml has no newer release.
    (
        "RuntimeError: Could not run 'aten::normal_' with arguments from the 'DML' backend.",
        {"os": "windows", "packages": {"pytorch-directml": "1.8.0a0.dev220506"}},
        ["module.to..cpu", "uninstall -y pytorch-directml; python -m pip install torch-directml"],
        ["upgrade pytorch-directml"],
    ),
    # ONNX Runtime on DirectML; .NET has no pip.
    (
        "RUNTIME_EXCEPTION : Non-zero status code returned while running Add node. Name:'a' Status Message: D:\\ort\\core\\"
        "providers\\dml\\MLOperatorAuthorImpl.cpp(2482)\\onnxruntime_pybind11_state.pyd!00007FFD: (caller: 00007FFD) "
        "Exception(3) tid(1828) 80070057 The parameter is incorrect.",
        {"os": "windows", "packages": {"onnxruntime-directml": "1.17.3"}},
        ["enable_mem_pattern = False", "--upgrade onnxruntime-directml", "CPUExecutionProvider"],
        [],
    ),
    (
        "OnnxRuntimeException: Non-zero status code returned while running Trilu node. Status Message: D:\\ort\\core\\"
        "providers\\dml\\MLOperatorAuthorImpl.cpp(2448)\\onnxruntime.DLL!00007FFD: (caller: 00007FFD) Exception(3) tid(4b4) "
        "80070057 The parameter is incorrect.",
        {"os": "windows"},
        ["enable_mem_pattern = False"],
        ["pip install"],
    ),
    # The compiler's own message is not in the line: it is one of two.
    (
        "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/x/cuda_utils.c', '-O3', '-shared', '-lcuda', '-o', "
        "'/tmp/x/cuda_utils.so']' returned non-zero exit status 1.",
        {"os": "linux", "python": "3.11", "packages": {"torch": "2.5.1"}},
        ["libcuda", r"python3\.11-dev"],
        [],
    ),
    # A wheel of another place than PyPI.
    (
        "ImportError: /lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.29' not found (required by /srv/env/lib/python3.8/"
        "site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow": "2.3"}},
        [r"--force-reinstall --no-cache-dir tensorflow==2\.3\.4"],
        [],
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
    # The release is that of TensorFlow, and the build is another one than PyPI's.
    (
        "NotFoundError: /srv/env/lib/python3.7/site-packages/tensorflow_text/python/metrics/_text_similarity_metric_ops.so: "
        "undefined symbol: _ZN10tensorflow8OpKernel11TraceStringEPNS_15OpKernelContextEb",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow-gpu": "2.4.1", "tensorflow-text": "2.4.1"}},
        [r"force-reinstall --no-cache-dir .?tensorflow-gpu==2\.4\."],
        [r"install tensorflow-text"],
    ),
    # A card for data centers is not in WDDM by itself.
    (
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2", "gpu": "NVIDIA L40S"},
        ["nvidia-smi -g 0 -dm 0", "wsl --update"],
        ["apt"],
    ),
    (
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2", "gpu": "NVIDIA RTX A5000"},
        ["wsl --update"],
        ["-dm 0"],
    ),
    (
        "SystemError: GPU device not found",
        {"os": "linux", "packages": {"tf-nightly-gpu": "2.5"}, "cuda": "11.0"},
        [r"TensorFlow 2\.5 needs CUDA 11\.2"],
        [r"and-cuda"],
    ),
    # A machine for which CUDA is stated has an NVIDIA GPU.
    # Who states CUDA has an NVIDIA GPU.
    (
        "tf.config.list_physical_devices('GPU') # result show []",
        {"os": "windows", "packages": {"tensorflow": "2.11.0"}, "cuda": "11.6"},
        ["wsl --install"],
        [],
    ),
    # Intel's own builds of PyTorch have numbers that no index of PyTorch has.
    (
        "ERROR: No matching distribution found for torch==1.13.0a0",
        {"os": "windows", "python": "3.9", "gpu": "Intel Arc A770M"},
        ["whl/xpu"],
        [r"install torch==", "pypi.org"],
    ),
    ("Error: couldn't find any HIP devices", {"os": "container", "gpu": "Radeon PRO W6800"}, ["--device=/dev/kfd"], []),
    # In a container NCCL lacks shared memory first of all; AMD's HIP SDK on Windows needs AMD's driver there.
    (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:839, unhandled system error, NCCL version 2.8.3",
        {"os": "container", "packages": {"torch": "1.8.0"}},
        ["shared memory", "ipc=host"],
        ["SOCKET_IFNAME"],
    ),
    (
        "hipGetDeviceCount: Returned hipErrorNoDevice :",
        {"os": "windows", "gpu": "AMD Radeon RX 7900 XT", "rocm": "5.7.1"},
        ["Adrenalin"],
        ["use Linux"],
    ),
    (
        "RuntimeError: HIP error: no kernel image is available for execution on the device",
        {"os": "wsl2", "packages": {"torch": "2.4.0+rocm6.1"}, "gpu": "AMD Radeon RX 7900 XTX"},
        ["libhsa-runtime64"],
        ["nvidia"],
    ),
    # No build of the registry has code for it, though AMD supports it.
    (
        "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 23754 MB memory\nSegmentation fault (core dumped)",
        {"os": "linux", "packages": {"tensorflow-rocm": "2.11"}, "gpu": "AMD Radeon RX 7900 XTX", "rocm": "5.5"},
        ["no code for this GPU", "newer builds"],
        ["OVERRIDE"],
    ),
    # Python 2.7 is of the time of TensorFlow 1, whose program does not run on 2.
    (
        "ERR [DataParallel] TensorFlow was not built with CUDA support!",
        {"os": "linux", "python": "2.7"},
        ["tensorflow-gpu==RELEASE"],
        [r"python 3\.", "and-cuda"],
    ),
    # rocminfo itself fails: ROCm is installed, and no library is missing.
    (
        "hsa api call failure at: /src/rocminfo.cc:1282\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "linux", "gpu": "AMD Radeon PRO W7800", "rocm": "6.3"},
        ["usermod", "dmesg", "reboot"],
        ["LD_LIBRARY_PATH", "Install the ROCm", "does not support [^t]", r"usermod(?:.|\n)*usermod"],
    ),
    (
        "hsa api call failure at: /src/rocminfo.cc:1140\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "linux", "gpu": "RX 580", "packages": {"torch": None}},
        ["does not support gfx803"],
        ["tensorflow"],
    ),
    (
        "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x3f7. Reason: Page not present",
        {"os": "linux", "gpu": "AMD RX 580", "packages": {"tensorflow-rocm": "2.2.0"}},
        ["does not support gfx803", "reboot"],
        ["torch"],
    ),
    # MIOpen fails on a GPU that it has kernels for.
    (
        "MIOpen Error: handleocl.cpp:332: Cannot Initialize Handle from Queue\ncould not create miopen handle",
        {"os": "linux", "gpu": "AMD Radeon VII (gfx906)", "packages": {"tensorflow-rocm": "1.14"}},
        ["other releases", r"rm -rf ~/\.cache/miopen"],
        ["no code", "use the CPU"],
    ),
    # The last releases for an old Python are on JAX's own page alone.
    (
        "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
        "Memory usage: 46637514752 bytes free, 47587131392 bytes total.",
        {"os": "linux", "python": "3.8", "packages": {"jax": "0.4.13"}},
        [r'"jax\[cuda12_pip\]" -f https://storage'],
        [r"jax\[cuda12\]"],
    ),
    # The tensors are on the CPU, so that a fallback to it is none.
    (
        "NotImplementedError: Could not run 'torch_ipex::adam_fused_step' with arguments from the 'CPU' backend. This could "
        "be because the operator doesn't exist for this backend",
        {"os": "linux", "packages": {"torch": "2.8.0"}, "gpu": "Intel Arc B580"},
        [r'\.to\("xpu"\)'],
        ["FALLBACK"],
    ),
    (
        "NotImplementedError: Could not run 'aten::_upsample_bicubic2d_aa.out' with arguments from the 'XPU' backend. This "
        "could be because the operator doesn't exist for this backend",
        {
            "os": "windows",
            "packages": {"torch": "2.1.0", "intel-extension-for-pytorch": "2.1.30+xpu"},
            "gpu": "Arc A770",
        },
        [r"\.cpu\(\)", "PyTorch 2.5"],
        ["FALLBACK"],
    ),
    (
        "/Users/a/env/lib/python3.10/site-packages/bitsandbytes/cuda_setup\nWARNING: No libcudart.so found! Install CUDA",
        {"os": "macos", "arch": "arm64", "gpu": "Apple M2"},
        ["AdamW8bit", "mps"],
        ["tensorflow"],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "linux",
            "gpu": "Arc A770",
            "packages": {"tensorflow": "2.12.0", "intel-extension-for-tensorflow": "0.0.0"},
        },
        [r"intel-extension-for-tensorflow\[xpu\]", "libze|level-zero"],
        ["nothing has to be installed"],
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
    # The CUDA that is there says which ONNX Runtime it may be, and what the one that is installed lacks.
    (
        "LoadLibrary failed with error 126 when trying to load "
        '"C:\\Python310\\lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
        {"os": "windows", "python": "3.10", "cuda": "11.8"},
        [r"CUDA 11\.8 and cuDNN 8"],
        [r"from 1\.19 on"],
    ),
    (
        "Applied providers: ['CPUExecutionProvider'], with options: {'CPUExecutionProvider': {}}",
        {"cuda": "10.1", "packages": {"onnxruntime-gpu": "1.9.0"}},
        ["not CUDA 10.1"],
        ["CUDA 12"],
    ),
    # pip has nothing at all of a package: mostly for this Python.
    (
        "ERROR: Could not find a version that satisfies the requirement coqui-tts (from versions: none)",
        {"os": "windows", "python": "3.13"},
        ["older one than 3.13", "pypi.org/project/coqui-tts"],
        [],
    ),
    (
        "RuntimeError: TTS requires python >= 3.9 and < 3.12 but your Python version is 3.12.0 (tags/v3.12.0)",
        {"os": "windows"},
        ["py -3.1[01] -m venv", "pip install tts"],
        [],
    ),
    # A compiler's error below the sentence that only announces it.
    (
        "RuntimeError: NVCC returned an error. See below for full command line and output log:\n"
        "C:/env/tensorflow/include\\absl/strings/string_view.h(52): fatal error C1189: #error:  C++ versions less than C++14 "
        "are not supported.",
        {"os": "windows"},
        [r"C\+\+14"],
        ["NVCC returned"],
    ),
    # Nothing is printed of it: the results are wrong, or the program hangs.
    (
        "The program prints nothing and hangs.",
        {"gpu": "GeForce RTX 3090", "packages": {"tensorflow-gpu": "1.13.1"}},
        ["CUDA 10 or older", r"TensorFlow 2\.5 or newer"],
        [],
    ),
    # The date of TensorFlow's lines: what came later did not print them.
    (
        "2018-11-14 07:13:40.421997: E T:\\src\\github\\tensorflow\\tensorflow\\stream_executor\\cuda\\cuda_blas.cc:654] "
        "failed to run cuBLAS routine cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED",
        {"os": "windows", "gpu": "GeForce RTX 2070"},
        ["TensorFlow before 1.13", "compute capability 7.5"],
        [r"11\.2"],
    ),
    (
        "2019-03-01 00:00:00.000000: E tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: "
        "CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "linux"},
        [r"tf\.Session"],
        ["set_memory_growth"],
    ),
    # A GPU that is too old for cuDNN of any PyTorch.
    (
        'RuntimeError: "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"\n  File "torch\\nn\\modules\\conv.py", line 459',
        {"os": "windows", "gpu": "GeForce GTX 760"},
        [r"compute capability 3\.0"],
        ["--upgrade"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "windows", "gpu": "Radeon 780M"},
        [r"cudnn\.enabled = False"],
        ["nvidia-smi"],
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
    # Docker on a Mac.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file",
        {"os": "macos"},
        ["outside of"],
        ["nvidia's driver"],
    ),
    (
        "[INFO] TORCH CUDA version not installed/working.",
        {"os": "macos", "gpu": "Apple M1"},
        ['"?mps"?'],
        ["nvidia-smi"],
    ),
    # A notebook goes on with what it has imported.
    (
        "[/usr/local/lib/python3.7/dist-packages/jax/_src/lib/__init__.py](https://localhost:8080/#) in <module>\n"
        "google.colab\nAttributeError: module 'jax' has no attribute 'version'",
        {"os": "linux"},
        ["Restart the kernel"],
        [],
    ),
    # A launcher quotes the error of the command that it ran.
    (
        'Traceback (most recent call last):\n  File "/home/u/webui/launch.py", line 34, in run\n'
        "    raise RuntimeError(message)\nRuntimeError: Error running command.\nCommand: python -c 1\nError code: 1\n"
        'stderr: Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        "AssertionError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS",
        {"os": "linux"},
        ["sees no GPU that it can use", "torch.version.cuda"],
        ["Error running command"],
    ),
    # Mask R-CNN, in a fork for TensorFlow 2; TensorFlow 1 has nothing for Apple silicon.
    (
        'Traceback (most recent call last):\n  File "/Users/u/mrcnn/model.py", line 256, in <module>\n'
        "    class ProposalLayer(KE.Layer):\nAttributeError: module 'keras.engine' has no attribute 'Layer'",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.5.0", "keras": "2.5.0"}},
        ["Layer, InputSpec"],
        [r"tensorflow==1\."],
    ),
    # The driver's 32-bit library is found on the way to the other.
    (
        'msg="Unable to load nvcuda" error="Unable to load /usr/lib/libcuda.so.418.74 library to query for Nvidia GPUs: '
        '/usr/lib/libcuda.so.418.74: wrong ELF class: ELFCLASS32"\n'
        "dlerr: /usr/lib64/libcuda.so.418.74: undefined symbol: cuCtxCreate_v3",
        {"os": "linux", "driver": "418.74"},
        ["driver is older", "Update NVIDIA's driver"],
        ["processor architecture"],
    ),
    # llama.cpp, compiled without a library for the GPU.
    (
        "llm_load_tensors: offloaded 0/33 layers to GPU\nAVX = 1 | WASM_SIMD = 0 | BLAS = 0 | SSE3 = 1 | VSX = 0 |",
        {"os": "linux", "cuda": "12.6", "packages": {"llama-cpp-python": "0.2.89"}},
        ["GGML_CUDA", "llama-cpp-python/whl/cu"],
        [],
    ),
    (
        "cellpose version: \t4.1.1\nplatform:       \tdarwin\npython version: \t3.14.4\ntorch version:  \t2.10.0\n"
        "[INFO] Neither TORCH CUDA nor MPS version not installed/working.\n[INFO] >>>> using CPU\n",
        {},
        [r"no Apple GPU \(MPS\)", r"platform\.machine"],
        ["CUDA", "accelerator="],
    ),
    (
        "cellpose version: \t4.1.1\nplatform:       \twin32\npython version: \t3.12.4\ntorch version:  \t2.8.0\n"
        "[INFO] Neither TORCH CUDA nor MPS version not installed/working.\n[INFO] >>>> using CPU\n",
        {"gpu": "NVIDIA GeForce RTX 3060"},
        ["CPU build|without CUDA", r"torch==2\.8\.0\S* --index-url \S+/cu12"],
        ["MPS\\)"],
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
    (
        'F tensorflow/core/grappler/costs/op_level_cost_estimator.cc:710] Check failed: 0 < gflops (0 vs. 0)type: "CPU"',
        {"os": "macos", "arch": "arm64"},
        ["-U tensorflow|--upgrade tensorflow"],
        ["venv fresh"],
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
    # A release that is known by its minor release alone stays.
    (
        "ImportError: DLL load failed: %1 is not a valid Win32 application.",
        {"os": "windows", "packages": {"tensorflow": "2.3"}},
        [r'pip install "?tensorflow==2\.3\.\*'],
        [r"pip install tensorflow$"],
    ),
    # What `pip check` says, without the words of an installation.
    (
        "tensorflow 2.10.0 has requirement protobuf<3.20,>=3.9.2, but you have protobuf 4.21.1.",
        {"os": "linux"},
        [r"pip install protobuf==3\.19\."],
        [r"4\.21\.1\. "],
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
    # TensorFloat-32 came with compute capability 8.0, and with TensorFlow 2.4.
    (
        "NaN loss during training.",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.12.0"}, "gpu": "GTX 1080"},
        ["lower the learning rate", "device diverges"],
        ["float_32"],
    ),
    (
        "Not equal to tolerance rtol=1e-07, atol=0",
        {"packages": {"torch": "2.4.0"}, "gpu": "RTX 2080 Ti"},
        ["on the CPU to compare"],
        ["TF32", "learning rate"],
    ),
    (
        "Not equal to tolerance rtol=1e-07, atol=0",
        {"packages": {"torch": "2.4.0"}, "gpu": "RTX 3080"},
        ["TF32"],
        ["learning rate"],
    ),
    # The errors of TensorFlow 1's sessions, which end the program that asks for a GPU.
    (
        "InvalidArgumentError (see above for traceback): Cannot assign a device for operation a: Operation was explicitly "
        "assigned to /device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ].",
        {},
        ["The program requests a GPU that TensorFlow does not list"],
        [],
    ),
    (
        "InternalError (see above for traceback): CUB reduce errorinvalid device function",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.4.0"}},
        ["no code for this GPU"],
        [],
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
        "E c:\\tf_jenkins\\home\\workspace\\cuda_blas.cc:372] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED\n"
        "W tensorflow/stream_executor/stream.cc:1390] attempting to perform BLAS operation without BLAS support",
        WINDOWS,
        ["allow_growth=True"],
        ["set_memory_growth"],
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
    # protobuf of Python 2, NVIDIA's own TensorFlow 1.15, and a strategy without a GPU.
    (
        "AttributeError: 'module' object has no attribute 'Default'",
        {"os": "linux", "python": "2.7"},
        ["install --upgrade protobuf"],
        ["tensorflow"],
    ),
    (
        "Collecting nvidia-tensorflow[horovod]\n  Downloading nvidia-tensorflow-0.0.1.dev5.tar.gz (7.9 kB)\n"
        "  error: subprocess-exited-with-error",
        {"os": "windows", "python": "3.8"},
        ["WSL 2", r"Python 3\.8"],
        ["only-binary"],
    ),
    (
        "nvidia-tensorflow 1.15.4+nv20.11 requires nvidia-tensorboard==1.15.0+nv20.11, but you have nvidia-tensorboard "
        "1.15.0+nv20.12 which is incompatible.",
        {},
        [r"nvidia-tensorboard==1\.15\.0\+nv20\.11"],
        ["CUDA", "LD_LIBRARY_PATH"],
    ),
    (
        "WARNING:tensorflow:There are non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce.",
        {"os": "linux", "packages": {"tensorflow": "2.1.0"}, "cuda": "10.2", "gpu": "RTX 2080 Ti"},
        [r"CUDA 10\.1"],
        ["and-cuda"],
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'python'",
        {"packages": {"tensorflow": "2.1.0"}},
        ["public name"],
        [ANY_INSTALL],
    ),
    # TensorFlow 1, whose sessions have options of their own: by its release, by how it prints nodes, by its contrib.
    (
        "E cuda_dnn.cc:334] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.12.0"}},
        ["allow_growth=True"],
        ["set_memory_growth", "TF_FORCE_GPU"],
    ),
    (
        "InvalidArgumentError: Cannot assign a device for operation 'a': Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\n\t [[Node: a = Softmax[T=DT_FLOAT]()]]",
        {},
        ["allow_soft_placement=True"],
        ["set_soft_device_placement"],
    ),
    # No device has a kernel: another placement does not help.
    (
        "InvalidArgumentError: No OpKernel was registered to support Op 'TPUReplicatedInput' used by node a\n"
        "Registered devices: [CPU, GPU]\nRegistered kernels:\n  <no registered kernels>",
        LINUX,
        ["kernel of it for no device"],
        ["soft"],
    ),
    # What TensorFlow 1 itself checks on Windows.
    (
        '  File "C:\\env\\lib\\site-packages\\tensorflow\\python\\platform\\self_check.py", line 75, in preload_check\n'
        "    ctypes.WinDLL(build_info.cudart_dll_name)\nOSError: [WinError 126] The specified module could not be found",
        {"os": "windows", "python": "3.6"},
        [r"CUDA 9\.0\) needs CUDA 10\.0", "cudart64_100"],
        ["11", "WSL"],
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
    # A library of TensorFlow's for another Python, whatever the processor.
    (
        "ImportError: /usr/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so: undefined symbol: "
        "_PyThreadState_Current",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "1.12.0"}},
        [r"python=3\.6 "],
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
    (
        "I cuda_dnn.cc:384] Loaded cuDNN version 8400\n\nProcess finished with exit code -1073740791 (0xC0000409)",
        {"os": "windows"},
        ["Put the 64-bit zlibwapi"],
        ["python -m venv"],
    ),
    (
        "F tensorflow/core/common_runtime/dml/dml_heap_allocator.cc:76] Check failed: (((HRESULT)((device_->"
        "CreateCommittedResource(&heap, flags, &desc, state, nullptr, IID_PPV_ARGS(&resource))))) >= 0) == true (0 vs. 1)",
        {"os": "windows", "packages": {"tensorflow-directml": "1.15.5"}},
        ["smaller batch"],
        ["nvidia"],
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
        "AttributeError: module 'keras.api._v2.keras' has no attribute '__version__'",
        {"packages": {"tensorflow": "2.14.0"}},
        [r"keras\.__version__"],
        ["pip install"],
    ),
    (
        "InvalidArgumentError: Cannot assign a device for operation a: {{node a}} was explicitly assigned to /device:GPU:0 "
        "but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device specification "
        "refers to a valid device. The requested device appears to be a GPU, but CUDA is not enabled.",
        {"os": "linux", "packages": {"tensorflow": "2.8.4"}},
        ["set_soft_device_placement"],
        ["and-cuda"],
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
        "docker run --rm --gpus=all nvcr.io/nvidia/k8s/cuda-sample:nbody nbody -gpu -benchmark\n"
        "Error: only 0 Devices available, 1 requested.  Exiting.",
        {"os": "linux"},
        ["driver answers in another container"],
        ["pip"],
    ),
    (
        NO_VERSION % "tensorflow==2.10.0",
        {"os": "linux", "python": "3.11"},
        [r"2\.12\.0 to 2\.\d+\.0 have wheels for Python 3\.11", r"venv --python 3\.10"],
        [],
    ),
    (
        "Using provider ['CPUExecutionProvider'] - Device:cpu",
        {"os": "windows", "gpu": "AMD Radeon RX 7800 XT", "packages": {"torch": "2.1.2+cu118"}},
        ["install onnxruntime-directml"],
        ["torch"],
    ),
    (
        "ImportError: dlopen(/Users/me/env/lib/python3.8/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so, 6): "
        "no suitable image found.  Did find:\n\t/Users/me/env/lib/python3.8/site-packages/tensorflow/python/"
        "_pywrap_tensorflow_internal.so: incompatible cpu-subtype: 0x00000008 in _pywrap_tensorflow_internal.so",
        {"os": "macos"},
        ["Haswell", "PyPI's tensorflow"],
        ["devicekit doctor"],
    ),
    (
        "AttributeError: partially initialized module 'numpy' has no attribute 'ndarray' (most likely due to a circular "
        "import)",
        {"os": "linux", "packages": {"tensorflow": "2.9.1"}},
        [r"find_spec\('numpy'\)"],
        ["tensorflow"],
    ),
    (
        "Process finished with exit code 134 (interrupted by signal 6: SIGABRT)",
        {"os": "macos", "packages": {"tensorflow-macos": "2.9.2", "tensorflow-metal": "0.5.1"}},
        ["uninstall -y tensorflow-metal"],
        ["cuda"],
    ),
    (
        "NotFoundError: Graph execution error:\ncould not find registered platform with id: 0x12f3c4a60",
        {"os": "macos", "packages": {"tensorflow": "2.13.0", "tensorflow-metal": "1.0.1"}},
        ["legacy"],
        [r"tensorflow==2\.18"],
    ),
    # Packages of one system alone, on another or on one that is not known.
    (
        NO_WHEEL % "tensorflow-macos==2.13.0",
        {},
        [r"install tensorflow==2\.13\.0$"],
        ["install tensorflow-macos", "uv venv"],
    ),
    (NO_WHEEL % "tensorflow-macos==2.13.0", {"os": "linux"}, [r"install tensorflow==2\.13\.0$"], ["machine"]),
    (
        NO_WHEEL % "tensorflow-macos==2.13.0",
        {"os": "windows", "python": "3.12"},
        [r"py -3\.11 .* install tensorflow==2\.13\.0$"],
        [],
    ),
    (NO_WHEEL % "tensorflow-intel==2.13.0", {}, [r"install tensorflow==2\.13\.0$"], []),
    (NO_WHEEL % "tensorflow-metal", {"os": "linux"}, ["Leave it out"], ["wheel"]),
    (
        "Could not locate cublasLt64_11.dll. Please make sure it is in your library path!",
        {"os": "windows"},
        ["CUDA 11"],
        ["sudo"],
    ),
    (
        "E cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified "
        "launch failure\nE dnn.cc:616] CUDNN_STATUS_INTERNAL_ERROR",
        {"os": "windows"},
        ["TDR"],
        ["ALLOW_GROWTH"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'directml' (choose from 'cuda', 'cpu')",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT"},
        ["install onnxruntime-directml", r"uninstall -y [^;]*onnxruntime-gpu"],
        ["tensorflow", "nvidia"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'directml' (choose from 'dml', 'cpu')",
        {"os": "windows"},
        ["--execution-provider dml"],
        ["pip install"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'openvino' (choose from 'cpu')",
        {"os": "windows"},
        ["install onnxruntime-openvino"],
        ["cudnn"],
    ),
    (
        "ValueError: torch.cuda.is_available() should be True but is False. xformers' memory efficient attention is only "
        "available for GPU",
        {"os": "windows", "gpu": "Intel Arc A750", "packages": {"torch": "2.0.1+cu118"}},
        ["whl/xpu"],
        ["whl/cu", "nvidia-smi"],
    ),
    (
        "$ nvidia-smi\nSegmentation fault",
        {"os": "wsl2", "driver": "551.76"},
        ["In Windows: install NVIDIA's current driver"],
        ["PYTHONFAULTHANDLER"],
    ),
    (
        "nvidia-container-cli: mount error: stat failed: /usr/lib/wsl/lib/libcuda.so.1: no such file or directory",
        {"os": "wsl2"},
        ["wsl --update"],
        ["apt"],
    ),
    (
        "UserWarning: The operator 'aten::_foreach_add_.List' is not currently supported on the DML backend",
        {"os": "windows"},
        ["foreach=False"],
        ["pip install"],
    ),
    # WSL's runtime of ROCm ends with an assertion, and HIP's numbers of errors.
    (
        "rocminfo: ./wsl/thunk_proxy.cpp:111: void thunk_proxy::QueryAdapterInfo(D3DKMT_HANDLE): Assertion `ret == 0' failed.",
        {"os": "wsl2", "gpu": "RX 7900 XTX"},
        [r"wsl --update", r"AMD's current driver"],
        [r"venv fresh"],
    ),
    (
        "F gpu_launch_config.h:174] Check failed: err == hipSuccess (98 vs. 0)",
        {"os": "linux", "gpu": "MI100 (gfx908)", "packages": {"tensorflow-rocm": "2.12.0"}},
        [r"gfx908"],
        [r"venv fresh"],
    ),
    (
        "NotFoundError: No registered '_FusedConv2D' OpKernel for 'GPU' devices compatible with node {{node BiasAdd}}",
        {"packages": {"tensorflow-rocm": "2.1.1"}},
        [r"'remapping': False"],
        [],
    ),
    (
        "ValueError: Using a `device_map` requires `accelerate`. You can install it with `pip install accelerate`",
        {},
        [r"pip install accelerate"],
        [],
    ),
    # AMD's GPUs: what the time of HCC printed, a driver that is too old, a processor's GPU.
    (
        "  what():  No device code available for function: _ZN5Eigen8internal15EigenMetaKernel\nAborted (core dumped)",
        {"os": "linux", "gpu": "RX 580 (gfx803)", "packages": {"tensorflow-rocm": "1.10.0"}},
        [r"gfx803 is 2\.2\.0"],
        [r"venv fresh"],
    ),
    (
        "rocm_driver.cc:1294] failed to query device memory info: HIP_ERROR_InvalidValue",
        {"os": "container", "gpu": "MI250X", "packages": {"tensorflow-rocm": "2.14.0"}, "rocm": "6.0"},
        [r"image for an older ROCm"],
        [r"LD_LIBRARY_PATH"],
    ),
    (
        "#0  0x00007fffa6ed9cd8 in  () at /opt/rocm/hip/lib/libamdhip64.so.5\ninterrupted by signal 11: SIGSEGV",
        {"os": "linux", "gpu": "Ryzen 7 5825U", "packages": {"torch": "2.0.1"}, "rocm": "5.4.3"},
        [r"HSA_OVERRIDE_GFX_VERSION=9\.0\.0"],
        [r"venv fresh"],
    ),
    # A container: the group by its number; in WSL through another device.
    ("Error response from daemon: Unable to find group render: no matching", LINUX, [r"stat -c %g"], []),
    (
        "docker run -it --device=/dev/dri image sycl-ls\n[opencl:cpu:0] Intel(R) OpenCL, Intel(R) Core(TM) i7-1270P 3.0",
        {"os": "wsl2", "gpu": "Intel Iris Xe"},
        [r"--device /dev/dxg -v /usr/lib/wsl:/usr/lib/wsl"],
        [r"renderD128"],
    ),
    # Converters to ONNX know one Keras each.
    (
        'File "/e/site-packages/tf2onnx/convert.py", line 331, in _rename\n'
        "AttributeError: 'Sequential' object has no attribute 'output_names'",
        {"packages": {"tensorflow": "2.17.0", "tf2onnx": "1.16.1"}},
        [r"model\.output_names"],
        [r"--upgrade tf2onnx"],
    ),
    ("fatal error: 'level_zero/ze_api.h' file not found", LINUX, [r"libze-dev"], []),
    ("RuntimeError: Triton Error [ZE]: 0x78000011", {"os": "windows", "gpu": "Arc B580"}, [r"graphics driver"], []),
    # ROCm: a library that is missing ends the program as well, and so does an error of its runtime.
    (
        "NotFoundError: librccl.so: cannot open shared object file: No such file or directory\n  what():  std::bad_alloc",
        {"os": "linux", "os_version": "Fedora 39", "packages": {"tensorflow-rocm": "2.13.0.570"}, "rocm": "5.7"},
        [r"dnf install rccl"],
        [r"RAM|--mem"],
    ),
    (
        "### HCC STATUS_CHECK Error: HSA_STATUS_ERROR (0x1000) at file:mcwamp_hsa.cpp line:3655\nAborted (core dumped)",
        {"os": "linux", "gpu": "RX Vega 64", "rocm": "1.8"},
        [r"rocminfo"],
        [r"venv fresh"],
    ),
    ("amdgpu, 1.9-307: added", {"os": "linux", "gpu": "Vega 10"}, [r"--no-dkms"], []),
    (
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB (GPU 0; 512.00 MiB total capacity",
        {"os": "linux", "gpu": "Radeon 680M"},
        [r"UMA frame buffer"],
        [],
    ),
    (
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB (GPU 0; 24.00 GiB total capacity",
        {"os": "linux", "gpu": "RX 7900 XTX"},
        [r"smaller batch"],
        [r"UMA"],
    ),
    # A process that has forked, and one whose shared memory ends.
    (
        "RuntimeError: cuda runtime error (3) : initialization error at ../torch/csrc/cuda/Module.cpp:33",
        LINUX,
        [r"spawn"],
        [r"notebook"],
    ),
    ("Bus error (core dumped)", {"os": "container"}, [r"--shm-size"], []),
    (
        "terminate called after throwing an instance of 'dnnl::error'\n  what():  could not create an engine",
        {"os": "linux", "gpu": "Intel Max 1550", "packages": {"intel-extension-for-tensorflow": "2.14.0.1"}},
        [r"oneAPI.*sycl-ls"],
        [r"install.*torch"],
    ),
    # A tensor that a device and the CPU compute differently.
    (
        "tensor([[[[1.5, 2.5]]]], grad_fn=<ReluBackward0>)\ntensor([[[[7.5, 2.5]]]], device='mps:0', grad_fn=<ReluBackward0>)",
        {"os": "macos", "arch": "arm64", "packages": {"torch": "1.13.0"}},
        [r"Update PyTorch and macOS"],
        [],
    ),
    # Two distributions with the same files: the one that is there is updated, or replaced.
    (
        "Failed to import transformers.modeling_tf_utils because of the following error (look up to see its traceback):\n"
        "No module named 'tensorflow.python.keras.engine.keras_tensor'",
        {"os": "linux", "python": "3.6", "packages": {"transformers": "4.12.3", "tensorflow-gpu": "2.1.0"}},
        [r"uninstall -y tensorflow-gpu && python -m pip install tensorflow\n"],
        [r"--upgrade tensorflow"],
    ),
    (
        "Available devices: [CpuDevice(id=0)]",
        {"os": "linux", "gpu": "gfx1103", "packages": {"jax": "0.4.23"}, "rocm": "6.0.0"},
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0"],
        [],
    ),
    (
        "Available devices: [CpuDevice(id=0)]",
        {"os": "linux", "gpu": "gfx1100", "packages": {"jax": "0.4.23"}, "rocm": "6.0.0"},
        [r"jax-rocm60-plugin"],
        [r"HSA_OVERRIDE"],
    ),
    (
        "Error invalid device function at line 224 in file /src/csrc/ops.hip",
        {"os": "linux", "gpu": "RX 6700 XT"},
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [],
    ),
    # What a computation on a GPU that ROCm has dropped needs is the last build that was right on it.
    (
        "Epoch 1/10\n32/32 [==============================] - 1s 10ms/step - loss: nan",
        {"os": "linux", "packages": {"tensorflow-rocm": "2.3.0"}, "gpu": "RX 580", "rocm": "3.8"},
        [r"gfx803 is 2\.2\.0, with ROCm 3\.5"],
        [r"Update the framework"],
    ),
    (
        '  File "train.py", line 9, in main\n    assert torch.cuda.is_available()\nAssertionError',
        WINDOWS,
        [r"whl/cu"],
        [],
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
    # A release has wheels for some Pythons, and was measured to fail with what pip would bring.
    (
        HIP,
        {"os": "linux", "python": "3.12", "packages": {"tensorflow-rocm": "2.4.3"}, "gpu": "gfx1030", "rocm": "4.2"},
        [r"--python 3\.11 env && .* tensorflow-rocm==2\.13\.1\.600"],
        ["python -m pip install tensorflow-rocm"],
    ),
    (
        "ImportError: librccl.so.1: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow-rocm": "2.3.0"}, "rocm": "3.5.1"},
        [r'python -m pip install tensorflow-rocm==2\.2\.0 "numpy<1\.20" "protobuf<4\.21"$'],
        ["h5py"],
    ),
    # NumPy 1.16.3 and the data sets of an older Keras; a program's own file.
    (
        '  File "/x/lib/python3.6/site-packages/keras/datasets/imdb.py", line 59, in load_data\n'
        "ValueError: Object arrays cannot be loaded when allow_pickle=False",
        {"os": "linux", "python": "3.6", "packages": {"keras": "2.2.4", "tensorflow": "1.13.1", "numpy": "1.16.4"}},
        ["numpy<1.16.3"],
        ["allow_pickle=True"],
    ),
    (
        '  File "/srv/train.py", line 5, in <module>\n'
        "ValueError: Cannot load file containing pickled data when allow_pickle=False",
        {"os": "linux", "python": "3.10"},
        ["allow_pickle=True"],
        ["numpy<"],
    ),
    (
        "TypeError: this __dict__ descriptor does not support '_DictWrapper' objects",
        {"os": "linux", "python": "3.12", "packages": {"tensorflow": "2.16.1"}},
        ["WRAPT_DISABLE_EXTENSIONS"],
        ["typing-extensions<"],
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
    # No build for this Intel GPU: the one for the CPU, which looks for no CUDA.
    (
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.4.0"}, "gpu": "Intel HD Graphics 620"},
        ["tensorflow==1.4.0"],
        ["XPU"],
    ),
    (
        "No OpKernel was registered to support Op 'NcclAllReduce' used by {{node NcclAllReduce}} with these attrs",
        {"os": "linux", "packages": {"tensorflow": "2.2.0"}},
        ["list_physical_devices", "HierarchicalCopyAllReduce"],
        [],
    ),
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:320] Loaded runtime CuDNN library: 7.5.0 but source was compiled with: "
        "7.6.3.  CuDNN library major and minor version needs to match",
        {"os": "linux", "os_version": "JetPack 4.2", "arch": "aarch64", "packages": {"tensorflow": "1.15.2+nv20.2"}},
        ["NVIDIA's wheel"],
        ["newer cuDNN"],
    ),
    (
        "ImportError: /lib/aarch64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by "
        "/srv/env/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {
            "os": "linux",
            "os_version": "Ubuntu 18.04",
            "arch": "aarch64",
            "python": "3.7",
            "packages": {"tensorflow": "2.2.0"},
        },
        ["PyPI's own need", "tensorflow==2.1"],
        [],
    ),
    # The line is not of the TensorFlow that the facts name.
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; "
        "dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.10", "packages": {"tensorflow": "2.17.0"}, "gpu": "RTX 3060"},
        ["see which one runs"],
        ["and-cuda"],
    ),
    (
        "TypeError: <class 'keras.src.models.functional.Functional'> could not be deserialized properly.\n\n"
        "config={'module': 'keras.src.engine.functional', 'class_name': 'Functional'}",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        ["tf-keras==2.16.*"],
        ["--upgrade keras"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-deps",
        {"os": "macos", "arch": "arm64"},
        ["tensorflow-metal"],
        ["conda-forge"],
    ),
    (
        "[1]    55741 segmentation fault  python3 train.py",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.16.1", "tensorflow-metal": "1.1.0"}},
        ["uninstall -y tensorflow-metal"],
        [],
    ),
    # Windows 7 and 8 have neither winget nor WSL 2.
    (
        DLL_FAILED,
        {"os": "windows", "os_version": "Windows 7", "python": "3.7", "packages": {"tensorflow": "2.1.0"}},
        ["\\(https://aka.ms/vs"],
        ["winget"],
    ),
    (DLL_FAILED, {"os": "Windows 10", "python": "3.7", "packages": {"tensorflow": "2.1.0"}}, ["winget"], ["aka.ms"]),
    (
        "Num GPUs Available:  0",
        {"os": "Windows 8.1", "python": "3.8", "packages": {"tensorflow": "2.12.0"}, "gpu": "GTX 970"},
        ["tensorflow==2.10.1"],
        ["(?i)wsl"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow\n\n"
        "Current channels:\n\n  - https://repo.anaconda.com/pkgs/main/win-32",
        {"os": "windows", "os_version": "Windows 10", "python": "3.7"},
        ["64-bit Miniconda"],
        ["Python.Python"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.4.1",
        {"os": "windows"},
        ["cudatoolkit=11.0"],
        ["-c conda-forge tensorflow$"],
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
        "ImportError: /lib/aarch64-linux-gnu/libm.so.6: version `GLIBC_2.28' not found (required by "
        "/srv/env/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {"os": "linux", "os_version": "JetPack 4.2.1", "arch": "aarch64", "python": "3.7"},
        ["NVIDIA's wheel"],
        ["newer Linux"],
    ),
    (
        "ValueError: No model config found in the file at <GFile>.",
        {"packages": {"tensorflow": "2.13.0"}},
        ["load the weights"],
        ["doctor"],
    ),
    # A program that requests a GPU which TensorFlow does not list: the facts decide why.
    (
        GPU_REQUESTED,
        {"os": "windows", "packages": {"tensorflow": "1.12.0"}, "gpu": "GTX 1060"},
        ["tensorflow-gpu==1.12.0"],
        ["set_soft", "DirectML"],
    ),
    (
        GPU_REQUESTED,
        {"os": "linux", "packages": {"tensorflow-gpu": "1.14.0"}, "gpu": "GTX 1060", "cuda": "10.1"},
        ["CUDA 10.0"],
        ["uninstall"],
    ),
    (
        "InvalidArgumentError: Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. "
        "enable_soft_placement=0. Supported device types [CPU]. All available devices "
        "[/job:localhost/replica:0/task:0/device:CPU:0].",
        {"os": "windows", "packages": {"tensorflow": "2.15.0"}, "gpu": "RTX 4060"},
        ["WSL"],
        ["set_soft"],
    ),
    (
        "    tf.config.experimental.set_memory_growth(gpus[0], True)\nIndexError: list index out of range",
        {"os": "linux", "python": "3.10", "packages": {"tensorflow": "2.14.0"}, "gpu": "RTX 3060"},
        ["and-cuda.==2.14.0"],
        ["devicekit doctor"],
    ),
    (
        "AttributeError: '_UserObject' object has no attribute 'add_slot'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1", "keras": "3.3.3"}},
        ["include_optimizer=False", "tf-keras==2.16.*"],
        ["TFSMLayer"],
    ),
    (
        NO_DEVICE_0.replace("False", "True").replace("count(): 0", "count(): 1") % "'device=0,1'",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.4.0+cu121"}},
        ["GPU number", "nvidia-smi -L"],
        ["modprobe", "pip install"],
    ),
    (
        "Process exit code: -1073741819 (0xC0000005, Access Violation)",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.9.0+rocm7.1"}},
        ["no code for this GPU", "gfx1031"],
        ["PYTHONFAULTHANDLER"],
    ),
    ("Windows fatal exception: access violation", {"os": "windows", "packages": {"torch": "2.9.0"}}, ["crashed"], []),
    (
        "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.",
        {"os": "wsl2", "gpu": "none", "packages": {"jax": "0.4.31"}},
        ["CPU"],
        ["driver", "wsl --"],
    ),
    (
        "NotImplementedError: Output channels > 65536 not supported at the MPS device. As a temporary fix, you can set the "
        "environment variable `PYTORCH_ENABLE_MPS_FALLBACK=1` to use the CPU as a fallback for this op.",
        {"os": "macos", "gpu": "Apple M2", "packages": {"torch": "2.5.1"}},
        ["--upgrade torch", "does not help"],
        ["export PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    (
        "AttributeError: 'NoneType' object has no attribute 'cget_managed_ptr'",
        {"os": "windows", "packages": {"bitsandbytes": "0.41.1", "torch": "2.1.2+cu118"}},
        ["--upgrade bitsandbytes"],
        ["not known"],
    ),
    (
        "    xFormers wasn't build with CUDA support",
        {"os": "windows", "gpu": "RTX 3060", "packages": {"torch": "2.0.1+cpu", "xformers": "0.0.20"}},
        ["torch==2\\.0\\.1 .*whl/cu118"],
        [],
    ),
    (
        "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Conv node. CUDNN failure 5000: "
        "CUDNN_STATUS_EXECUTION_FAILED ; GPU=0",
        {"os": "linux", "gpu": "GTX 1080", "packages": {"onnxruntime-gpu": "1.22.0"}, "cudnn": "9.11"},
        ["nvidia-cudnn-cu12<9\\.11"],
        ["or a newer one"],
    ),
    (
        "torch.distributed.DistBackendError: NCCL error in: PG.cpp:1970, unhandled cuda error, NCCL version 2.21\n"
        "Last error:\nCuda failure 999 'unknown error'",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.5.1+cu124"}},
        ["nvidia-modprobe"],
        [],
    ),
    (
        "AttributeError: module 'torch.library' has no attribute 'register_fake'",
        {"os": "windows", "packages": {"torch": "2.3.1+cu121", "torchvision": "0.20.0"}},
        ["torchvision==0\\.18\\.1\\+cu121"],
        ["torch==2\\.7"],
    ),
    (
        "UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. "
        "changing env variable CUDA_VISIBLE_DEVICES after program start.\nRuntimeError: No CUDA GPUs are available",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.3.0+cu118"}},
        ["that vendor's GPUs"],
        ["NVIDIA's driver", "Restart"],
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
        "The program was built for 1 devices\n -11 (PI_ERROR_BUILD_PROGRAM_FAILURE)Exception caught at file:/s/ggml.cpp",
        {"os": "linux", "gpu": "Intel Arc A730M"},
        ["Intel's compute runtime"],
        ["CUDA", "RTX"],
    ),
    (
        "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "
        '"D:\\env\\Lib\\site-packages\\torch\\lib\\c10_hip.dll" or one of its dependencies.',
        {"os": "windows", "gpu": "RX 7900 XTX", "packages": {"torch": "2.9.0+rocm7.1"}},
        ["Adrenalin", "rocm-sdk"],
        ["VCRedist"],
    ),
    (
        "RuntimeError: GET was unable to find an engine to execute this computation",
        {"os": "linux", "gpu": "Tesla P100", "packages": {"torch": "2.8.0+cu128"}},
        ["no code for compute capability 6\\.0", "whl/cu126"],
        ["memory"],
    ),
    (
        "RuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to",
        {"os": "windows", "packages": {"torch": "2.4.1+cu121"}},
        ['\\$env:USE_LIBUV = "0"'],
        ["not known"],
    ),
    (
        "torch._inductor.exc.InductorError: RuntimeError: PassManager::run failed\n"
        "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'",
        {"os": "linux", "arch": "aarch64", "gpu": "NVIDIA GB10", "packages": {"torch": "2.9.0+cu130"}},
        ["TRITON_PTXAS_PATH"],
        ["whl/cu128"],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Unable to serialize MPS module",
        {"os": "macos", "packages": {"jax": "0.4.26", "jax-metal": "0.1.0"}},
        ["Metal", "cpu"],
        ["cause is not known"],
    ),
    (
        "ImportError: DLL load failed while importing onnx_cpp2py_export: A dynamic link library (DLL) initialization "
        "routine failed.",
        {"os": "windows", "packages": {"onnx": "1.16.2"}},
        ["onnx!=1\\.16\\.2", "VCRedist"],
        [],
    ),
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv",
        {"os": "linux", "packages": {"intel-extension-for-pytorch": "2.6.0", "torch": "2.6.0+cu124"}},
        ["uninstall -y torch .*torch==2\\.6\\.\\*"],
        [],
    ),
    (
        "CUDA error (/src/xformers/third_party/flash-attention/hopper/flash_fwd_launch_template.h:188): invalid argument",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"torch": "2.7.1+cu128", "xformers": "0.0.31"}},
        ["Hopper", "uninstall -y xformers"],
        ["nvidia-smi"],
    ),
    (
        "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"flash-attn": "2.7.0"}},
        ["newer than it", "--upgrade .*flash-attn"],
        ["flash-attn<2", "RTX 20"],
    ),
    (
        "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
        {"os": "linux", "gpu": "RTX 2080 Ti", "packages": {"flash-attn": "2.7.0"}},
        ["flash-attn<2"],
        ["newer than it"],
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
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: No visible GPU devices. (set JAX_PLATFORMS=cpu to "
        "skip this backend.)",
        {"os": "linux", "gpu": "RX 7900 XTX", "packages": {"jax": "0.4.35", "jax-rocm60-plugin": "0.4.35"}},
        ["finds no AMD GPU", "usermod -aG render"],
        ["has no part", "pip install"],
    ),
    (
        "RuntimeError: Distributed package doesn't have NCCL built in",
        {"os": "windows", "packages": {"torch": "2.3.0+cu121"}, "gpu": "RTX 4090"},
        ["gloo"],
        ["no wheel", "pip install"],
    ),
    (
        "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider names.Available providers: "
        "'DmlExecutionProvider, CPUExecutionProvider'",
        {"os": "windows", "packages": {"onnxruntime-directml": "1.18.0", "onnxruntime-gpu": "1.18.0"}},
        ["uninstall -y onnxruntime onnxruntime-gpu onnxruntime-directml", "onnxruntime-gpu==1\\.18"],
        [],
    ),
    (
        '  File "C:\\app\\nodes\\render.py", line 30, in rasterize\n    indices = raster_kernel.rasterize_image(pos, tri)\n'
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": "2.6.0+cu126"}, "gpu": "NVIDIA GeForce RTX 2070 SUPER"},
        ["PyTorch 2\\.6\\.0 has code", "TORCH_CUDA_ARCH_LIST=7\\.5"],
        ["pip install torch"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": "2.6.0+cu126"}, "gpu": "NVIDIA GeForce RTX 5060 Ti"},
        ["install torch .*whl/cu128"],
        ["ARCH_LIST"],
    ),
    (
        NO_DEVICE_0 % "'device=0'",
        {"os": "linux", "packages": {"torch": "2.5.1+cu124"}, "driver": "470.256.02", "gpu": "GTX 1660"},
        ["CUDA 12\\.4 needs driver 525", "torch==2\\.5\\.1 .*whl/cu118"],
        ["CPU build", "whl/cu124"],
    ),
    (
        NO_DEVICE_0 % "'device=0'",
        {"os": "windows", "packages": {"torch": "2.5.1+cu124"}, "gpu": "RTX 3060"},
        ["nvidia\\.com/drivers"],
        ["CPU build", "pip install"],
    ),
    (
        NO_DEVICE_0 % "'--device 0'",
        {"os": "windows", "packages": {"torch": "1.13.1+cpu"}},
        ["without CUDA", "torch==1\\.13\\.1 .*whl/cu117"],
        ["torch\\.version"],
    ),
    (
        "AssertionError: Invalid `--device 0` request, valid devices are 0 - -1.",
        {"packages": {"torch": None}},
        ["torch\\.version\\.cuda"],
        [],
    ),
    (
        "MisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {"os": "linux", "packages": {"torch": "2.1.2+cu121"}, "gpu": "RTX 3060"},
        ["build for CUDA", "modprobe nvidia"],
        ["pip install"],
    ),
    (
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).",
        {"os": "linux", "driver": "470.82.01", "gpu": "Tesla K80", "packages": {"torch": "2.2.0+cu121"}},
        ["no such driver for this GPU", "470\\.x is its last", "torch==2\\.2\\.0 .*whl/cu118"],
        ["Update NVIDIA", "ubuntu-drivers"],
    ),
    (
        '  File "/opt/conda/lib/python3.10/site-packages/torch_sparse/__init__.py", line 19, in <module>\n'
        "    torch.ops.load_library(spec.origin)\n"
        "OSError: libtorch_cuda_cpp.so: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"torch": "2.1.0+cu121", "torch-sparse": "0.6.15"}},
        ["torch_sparse .*torch-2\\.1\\.0\\+cu121\\.html"],
        ["pytorch3d"],
    ),
    (
        "W external/xla/xla/service/platform_util.cc:206] unable to create StreamExecutor for CUDA:0: : "
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 12884246528",
        {"os": "linux", "gpu": "RTX 3060", "packages": {"jax": "0.4.30"}},
        ["XLA_PYTHON_CLIENT_PREALLOCATE"],
        ["TensorFlow", "TF_FORCE"],
    ),
    # What the facts say in words: a job of Slurm, a notebook, a container of LXC.
    (NVIDIA_SMI, {"os": "linux", "note": "Slurm job on a GPU node"}, ["--gres=gpu:1"], ["modprobe"]),
    (NO_TF, {"os": "linux", "note": "works in a terminal, not in the notebook"}, ["%pip install tensorflow"], []),
    (
        "Failed to initialize NVML: Unknown Error",
        {"os": "linux", "os_version": "Debian 12 LXC container", "gpu": "RTX 3060"},
        ["nvidia-modprobe -u", "no-kernel-module"],
        ["rmmod"],
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
    # MIG is named by UUIDs; SELinux refuses podman's containers the nodes.
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        {"os": "linux", "gpu": "A100-SXM4-40GB MIG 1g.5gb", "packages": {"torch": "2.1.0"}},
        ["nvidia-smi -L", "CUDA_VISIBLE_DEVICES=MIG"],
        ["torchrun"],
    ),
    (
        "$ podman run --rm --device nvidia.com/gpu=all fedora nvidia-smi\nFailed to initialize NVML: Insufficient Permissions",
        {"os": "linux", "os_version": "Fedora 41"},
        ["label=disable"],
        [],
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
    (
        "ImportError: DLL load failed while importing numpy_ops: The specified module could not be found.",
        {"os": "windows", "python": "3.10", "packages": {"thinc": "8.2.1"}},
        ["VCRedist"],
        ["not known"],
    ),
    # A module that was never built for this kernel, as older releases of kmod word it.
    (
        "modprobe: FATAL: Module nvidia not found.",
        {"os": "linux", "os_version": "Ubuntu 20.04", "driver": "470.57"},
        [r"linux-headers-\$\(uname -r\) && sudo dkms autoinstall"],
        ["nvidia-uvm"],
    ),
    # The name of a kernel is not the GPU's maker.
    (
        "Error! Bad return status for module build on kernel: 5.13.18-amdgpu.ubuntu (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/550.90/build/make.log for more information.",
        {"os": "linux", "os_version": "Ubuntu 22.04", "driver": "550.90"},
        ["newer driver", "nvrm"],
        ["kfd"],
    ),
    # Another release of TensorFlow has no such private name: which Addons go with it.
    (
        IMPORTED % "tensorflow_addons/utils/types.py"
        + "    from tensorflow.python.keras.engine import keras_tensor\nImportError: cannot import name 'keras_tensor'",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "2.1.0"}},
        [r"tensorflow-addons==0\.9"],
        ["public place"],
    ),
    # uv says which tags there are: of this kind of system and processor, so it is the release of the system.
    (
        UV_OLD_SYSTEM
        % ("Linux (`manylinux_2_27_x86_64`)", "`manylinux_2_28_aarch64`, `manylinux_2_28_x86_64`, `win_amd64`"),
        {"os": "linux", "os_version": "Debian 10"},
        ["glibc", r'uv add "torch<2\.7\.0"'],
        ["required-environments"],
    ),
    (
        UV_OLD_SYSTEM % ("Linux (`manylinux_2_35_aarch64`)", "`manylinux_2_28_x86_64`, `win_amd64`"),
        {"os": "linux", "arch": "aarch64"},
        ["no wheel for this system"],
        ["glibc"],
    ),
    # Apple silicon has this wheel: the Python that does not take it is Intel's.
    (
        "error: Distribution `torch==2.5.1 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a "
        "source distribution or wheel for the current platform",
        {"os": "macos", "python": "3.11.6", "gpu": "Apple M3 Max"},
        ["Intel", "cpython-3.11-macos-aarch64"],
        [r"torch==2\.2", "registry"],
    ),
    (
        "error: Distribution `torch==2.8.0 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it "
        "doesn't have a source distribution or wheel for the current platform",
        {"os": "macos", "python": "3.11.6", "gpu": "Apple M3 Max"},
        ["sys_platform"],
        ["Intel processors, on a Mac with"],
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
        "ValueError: You have tensorflow 2.17.0 and this requires tf-keras package. Please run `pip install tf-keras`",
        {"os": "windows", "packages": {"deepface": "0.0.93", "tensorflow": "2.17.0"}},
        [r"tf-keras==2\.17"],
        ["not known"],
    ),
    (
        "ValueError: Cannot use GPU, CuPy is not installed",
        {"os": "linux", "packages": {"spacy": "3.7.4"}, "driver": "535.1", "gpu": "RTX 3060"},
        ["cupy-cuda12x"],
        ["pip list"],
    ),
    # RAPIDS: a driver, a GPU, a system that it is not for.
    (
        "cudf.errors.UnsupportedCUDAError: Please update your NVIDIA GPU driver to support CUDA Runtime.\n"
        "Detected CUDA Driver version: 11.4, CUDA Runtime version: 12.0",
        {"os": "linux", "os_version": "Ubuntu 20.04", "driver": "470.182"},
        ["driver is for CUDA 11.4", r"525\.60"],
        [],
    ),
    (
        "UserWarning: You will need a GPU with NVIDIA Volta™ architecture or newer. Detected GPU 0: NVIDIA GeForce GTX 1080",
        {"os": "linux", "packages": {"cudf-cu12": "24.4.0"}},
        [r"rapids=23\.12"],
        [],
    ),
    ((NO_VERSION % "cudf-cu12"), {"os": "windows", "python": "3.11"}, ["WSL 2"], ["Take another release"]),
    # Slurm gives a job that asks for no GPU an empty list: without that variable there is none either.
    (
        "RuntimeError: No CUDA GPUs are available",
        {"os": "linux", "env": {"CUDA_VISIBLE_DEVICES": "", "SLURM_JOB_ID": "4711"}, "packages": {"torch": "2.3.0"}},
        ["--gres=gpu:1"],
        ["unset"],
    ),
    # PyTorch is installed, and pip's isolated build does not see it.
    (
        "ModuleNotFoundError: No module named 'torch'\n  note: This error originates from a subprocess, and is likely not a "
        "problem with pip.\nerror: metadata-generation-failed",
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.2.0"}},
        ["--no-build-isolation"],
        ["pip install torch"],
    ),
    # A package of TensorFlow 1 that no release follows.
    (
        IMPORTED % "stable_baselines/common/misc_util.py" + "    import tensorflow.contrib as tc\n"
        "ModuleNotFoundError: No module named 'tensorflow.contrib'",
        {"os": "linux", "packages": {"stable-baselines": "2.10.2", "tensorflow": "2.9.1"}},
        [r"python 3\.7|python=3\.7", r"tensorflow==1\.15", "stable-baselines3"],
        ["--upgrade"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.10",
        {"os": "windows"},
        [r"cudatoolkit=11\.2", r"tensorflow==2\.10\.1"],
        ["conda-forge tensorflow"],
    ),
    # VirtualBox has no GPU for its guests: no driver helps there.
    (
        NVIDIA_SMI,
        {"os": "linux", "os_version": "Ubuntu 22.04 in VirtualBox on Windows 11"},
        ["VirtualBox gives its virtual machines no GPU", "WSL 2"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        NVIDIA_SMI,
        {"os": "linux", "os_version": "Ubuntu 22.04 (VMware ESXi)"},
        ["modprobe"],
        ["virtual machines no GPU"],
    ),
    (
        DLL % ("libcudart.so.10.1", "libcudart.so.10.1"),
        {"os": "linux", "python": "3.9", "packages": {"tensorflow": "2.11.0"}, "cuda": "11.8", "gpu": "RTX 3060"},
        [r"CUDA 10\.1 printed this, not TensorFlow 2\.11\.0"],
        ["and-cuda"],
    ),
    # What a POSIX shell has, and PowerShell does not.
    (
        "wrong results on GPU, correct on CPU",
        {"os": "windows", "packages": {"tensorflow-directml-plugin": "0.4.0.dev230202"}},
        [r'\n\$env:DEVICEKIT_VERIFY = "always"; python -c '],
        [r"\nDEVICEKIT"],
    ),
    ("Unit nvidia-gridd.service could not be found.", {"os": "windows"}, ["nvidia-smi -q$"], ["grep"]),
    ("nvcc fatal   : Value 'c++17' is not defined for option 'std'", {"os": "windows"}, ["CUDA"], ["/usr/local"]),
    (
        "F tensorflow/core/kernels/conv_2d_gpu.h:714] Non-OK-status: GpuLaunchKernel(kernel) status: Internal: invalid device "
        "function",
        {"os": "windows", "gpu": "AMD Radeon RX 6800", "packages": {"tensorflow": "2.10.1"}},
        ["DirectML"],
        ["install tensorflow-rocm"],
    ),
    # A pipeline is not pip.
    (IMPORTED % "transformers/pipelines/base.py" + "MemoryError", {"os": "linux"}, ["batch"], ["no-cache-dir"]),
    (IMPORTED % "pip/_vendor/cachecontrol/cache.py" + "MemoryError", {"os": "linux"}, ["--no-cache-dir"], ["batch"]),
    (
        "ERROR: No matching distribution found for tensorflow-directml-plugin",
        {"os": "macos"},
        ["tensorflow-metal"],
        ["wheel"],
    ),
    (
        "error: input types 'tensor<1x128xf32>' and 'tensor<1xf16>' are not broadcast compatible",
        {"os": "macos", "packages": {"tensorflow-macos": "2.10", "tensorflow-metal": "0.6"}},
        ["mixed_float16"],
        ["torch"],
    ),
    (
        "Library not loaded: @rpath/libtensorflow_framework.2.dylib",
        {"os": "macos", "packages": {"tensorflow": "2.18.0", "tensorflow-metal": "1.0.0"}},
        ["tensorflow-metal==1.2.0"],
        [],
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
        "ERROR: Could not find a version that satisfies the requirement jaxlib==0.4.13+cuda11.cudnn86 (from versions: 0.4.13, "
        "0.4.14, 0.4.16)",
        {"os": "linux", "python": "3.10"},
        ["jax"],
        ["upgrade pip"],
    ),
    (
        "NOT_IMPLEMENTED : Could not find an implementation for ConvInteger(10) node with name 'x'",
        {"packages": {"onnxruntime-gpu": "1.16.3"}},
        ["CPUExecutionProvider"],
        [],
    ),
    # nouveau, as NVIDIA's installer writes it.
    (
        "ERROR: The Nouveau kernel driver is currently in use by your system.",
        {"os": "linux", "gpu": "GTX 1080"},
        ["blacklist nouveau"],
        [],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux", "os_version": "Ubuntu 24.04", "gpu": "RTX 5090"},
        ["nvidia-driver-580-open"],
        [],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux", "os_version": "Ubuntu 24.04", "gpu": "RTX 3090"},
        ["dmesg"],
        ["-open"],
    ),
    # A card that runs the code of a relative, and the one that it is a relative of.
    (
        "Memory access fault by GPU node-1 on address 0x7f. Reason: Page not present or supervisor privilege.",
        {"os": "linux", "gpu": "RX 7600", "packages": {"torch": "2.3.0+rocm6.0"}},
        ["HSA_OVERRIDE_GFX_VERSION=11.0.0"],
        [],
    ),
    (
        "Memory access fault by GPU node-1 on address 0x7f. Reason: Page not present or supervisor privilege.",
        {"os": "linux", "gpu": "RX 7900 XTX", "packages": {"torch": "2.3.0+rocm6.0"}},
        ["AMD_SERIALIZE_KERNEL"],
        ["HSA_OVERRIDE"],
    ),
    ("/bin/sh: 1: hipcc: not found", {"os": "linux", "gpu": "RX 7900 XTX"}, ["/opt/rocm/bin"], ["cuda"]),
    # What is missing next to the framework.
    (
        "ERROR: Cannot uninstall blinker 1.4, RECORD file not found.",
        {"os": "linux"},
        ["--ignore-installed blinker"],
        ["program that brings it"],
    ),
    (
        "ImportError: Using `bitsandbytes` 8-bit quantization requires the latest version of bitsandbytes",
        {"os": "windows", "packages": {"torch": "2.3.0+cpu", "bitsandbytes": "0.43.1"}},
        ["whl/cu121"],
        [],
    ),
    (
        "error: Microsoft Visual C++ 14.0 or greater is required.",
        {"os": "windows", "python": "3.12"},
        ["BuildTools"],
        ["apt-get"],
    ),
    (
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed')",
        {"os": "windows"},
        ["global.cert"],
        ["Install Certificates"],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "windows",
            "gpu": "Arc A770",
            "packages": {"tensorflow-cpu": "2.10.0", "tensorflow-directml-plugin": "0.4.0.dev230202"},
        },
        ["Update Windows", "driver"],
        ["nothing has to be installed"],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "windows",
            "gpu": "RX 6800",
            "packages": {"tensorflow-cpu": "2.12.0", "tensorflow-directml-plugin": "0.4.0.dev230202"},
        },
        ["2.10"],
        ["nothing has to be installed"],
    ),
    # The registry's PyTorch 2.3 is for CUDA 12.1.
    (
        "torch.cuda.is_available() False",
        {"os": "linux", "gpu": "RTX 4060", "driver": "470.129", "packages": {"torch": "2.3.0"}},
        ["525.60.13 or later"],
        ["Replace it by"],
    ),
    (
        "Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA",
        {"os": "linux", "gpu": "GTX 680", "packages": {"jax": "0.4.30", "jax-cuda12-plugin": "0.4.30"}},
        ["leaves that GPU out"],
        ["modprobe"],
    ),
    # What a release of Python brought, and what one removed.
    ("ModuleNotFoundError: No module named 'tomllib'", {"python": "3.10"}, ["Python 3.11 or later"], ["tomllib\n"]),
    (
        "ImportError: cannot import name 'OrderedDict' from 'typing' (/usr/lib/python3.7/typing.py)",
        {"python": "3.7.1", "packages": {"tensorflow": "2.9.0"}},
        ["Python 3.7.2 or later"],
        [],
    ),
    (
        "TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'",
        {"python": "3.9"},
        ["Python 3.10 or later"],
        [],
    ),
    ("TypeError: 'type' object is not subscriptable", {"python": "3.11"}, [], ["uv venv"]),
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
    # A protobuf loads code of its own major release and of the one before, no older.
    (
        "VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading: gencode 5.28.3 runtime 4.25.3.",
        {"packages": {"tensorflow": "2.19.0"}},
        ["protobuf>=5.28.3,<7"],
        [],
    ),
    # pip reads what it puts into its cache whole.
    (
        "Collecting torch\n  Downloading torch-2.1.0-cp39-cp39-manylinux1_x86_64.whl (670.2 MB)\nMemoryError",
        {"os": "linux"},
        ["--no-cache-dir"],
        ["batch"],
    ),
    ("MemoryError", {"os": "linux"}, ["batch"], ["no-cache-dir"]),
    # The version names WSL.
    (
        "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or "
        "directory",
        {"os": "linux", "os_version": "Ubuntu 22.04 (WSL2)", "packages": {"torch": "2.0.1"}},
        ["/usr/lib/wsl/lib"],
        ["modprobe"],
    ),
    # A library of CUDA that does not start, on a GPU that this build has no code for; and on one that it has.
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"torch": "2.5.1+cu124"}},
        ["whl/cu128"],
        ["smaller batch"],
    ),
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.1.0+cu121"}},
        ["smaller batch"],
        ["whl/cu"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "windows", "gpu": "RTX 3060", "cuda": "10.2", "packages": {"torch": "1.5.0"}},
        ["whl/cu126"],
        ["library path"],
    ),
    # conda's PyTorch 1.12 may be for CUDA 11.
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 3080", "cuda": "11.6", "packages": {"torch": "1.12.1"}},
        ["smaller batch"],
        ["whl/cu"],
    ),
    (
        "failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
        {"os": "linux", "gpu": "RTX 3080", "packages": {"tensorflow-gpu": "1.15.0"}},
        ["TensorFlow 2.5 or newer"],
        ["GROWTH"],
    ),
    # The facts name a cuDNN that TensorFlow refuses.
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RTX 2080 Ti", "cudnn": "7.4.1", "packages": {"tensorflow": "2.1.0"}},
        ["needs cuDNN 7.6"],
        ["GROWTH"],
    ),
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RTX 2080 Ti", "cudnn": "7.6.5", "packages": {"tensorflow": "2.1.0"}},
        ["GROWTH"],
        [],
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
        "Looking in indexes: https://download.pytorch.org/whl/rocm5.6\nERROR: Could not find a version that satisfies the "
        "requirement torch==2.4.1 (from versions: 2.2.0+rocm5.6, 2.2.1+rocm5.6, 2.2.2+rocm5.6)",
        LINUX,
        [r"torch==2\.4\.1 --index-url \S+/whl/rocm6\.1"],
        ["pypi.org", "new environment"],
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
    (
        "Framework & Version: 2.6.0+cu124\nNVIDIA Driver Version: 575.64.03\n"
        "CUDA driver version is insufficient for CUDA runtime version, vllm",
        LINUX,
        [r"newer than CUDA 12\.4"],
        ["cu118"],
    ),
    (
        "GPU model: 5500 XT\nRuntimeError: HIP error: invalid device function",
        LINUX,
        ["gfx1012"],
        ["rocminfo"],
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
        "OSError: [WinError 126] The specified module could not be found. Error loading "
        '"C:\\env\\Lib\\site-packages\\torch\\lib\\'
        'cudnn_cnn_infer64_8.dll" or one of its dependencies.',
        {**WINDOWS, "gpu": "RTX 3060"},
        [r"torch --index-url \S+/whl/cu126"],
        [],
    ),
    (
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file\n"
        "/apps/spack/opt/spack/linux-rhel8/gcc-11/python-3.9/bin/python",
        LINUX,
        ["module load cuDNN"],
        ["pip install"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12060).\nOrin NX, L4T 36.4",
        {},
        ["JetPack"],
        ["ubuntu-drivers", "whl/cu"],
    ),
    (
        "Apple M1 Pro, macOS 14\nERROR: Could not find a version that satisfies the requirement "
        "tensorflow-macos==2.15.0 (from "
        "versions: 2.9.0, 2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)",
        {},
        ["x86-64 one", "macos-aarch64"],
        ["--upgrade pip"],
    ),
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        LINUX,
        ["cuda:0", "nvidia-smi -L"],
        [],
    ),
    (
        "#SBATCH -N 2\n#SBATCH -t 00:30:00\nMisconfigurationException('No supported gpu backend found!')",
        LINUX,
        ["--gpus=1"],
        [],
    ),
    (
        "#SBATCH --gpus-per-node=4\nMisconfigurationException('No supported gpu backend found!')",
        LINUX,
        [r"torch\.version\.cuda"],
        ["Ask for a GPU"],
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
        IMPORTED % "peft/config.py" + "AttributeError: 'NoneType' object has no attribute 'shape'",
        {},
        ["doctor"],  # what made it None is not known
        ["--upgrade"],
    ),
    (
        IMPORTED % "diffusers/a.py" + "OSError: [Errno 28] No space left on device: '/tmp/torchinductor_u/x.py'",
        {},
        ["Free room"],
        ["force-reinstall"],
    ),
    (
        IMPORTED % "huggingface_hub/utils/_http.py" + "GatedRepoError: 403 Client Error. (Request ID: Root=1-6)",
        {},
        ["hf auth login"],
        ["doctor"],
    ),
    (
        IMPORTED % "matplotlib/a.py" + "PermissionError: [Errno 13] Permission denied: '/opt/cache/m'",
        {},
        ["chown"],
        [],
    ),
    (
        'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
        {},
        ["--progress=plain"],
        [],
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
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled cuda error, NCCL version 2.7.8\n"
        "PyTorch 1.8.0, cudatoolkit=11.1, four A100 with the driver Version: 450.51.06",
        {**LINUX, "gpu": "A100"},
        [r"CUDA 11\.1 needs driver 450\.80", r"for CUDA 11\.1"],
        ["10\\.2"],
    ),
    (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled cuda error, NCCL version "
        "2.14.3\nDriver Version: 535.54.03",
        {**LINUX, "packages": {"torch": "2.0.1+cu118"}},
        ["NCCL_DEBUG"],
        ["driver for CUDA"],
    ),
    (
        "requirements not met: unsatisfied condition: cuda>=13.0 (cuda=12.6)\nJetPack 6.2, Jetson AGX Orin, "
        "in a docker container",
        {},
        ["JetPack", "jetson-containers"],
        ["On the host: update", "whl/", "pytorch.org"],
    ),
    (
        'File "/apps/easybuild/software/TensorFlow/2.3.1-foss/lib/python3.7/site-packages/tensorflow/a.py", line 58\n'
        "ImportError: libcudart.so.10.1: cannot open shared object file: No such file or directory",
        LINUX,
        [r"module load CUDA/10\.1"],
        ["conda install", "pip install"],
    ),
    (
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED",
        {"gpu": "RTX 3090"},
        [r"TensorFlow 2\.5 or newer", "tf1-py3"],
        ["and-cuda"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12080). Please update your GPU driver",
        {**LINUX, "driver": "570.133.20"},
        [r"CUDA 13\.0 \(580", r"whl/cu126"],
        [],
    ),
    (
        "Ultralytics YOLOv8.2.0 Python-3.10.12  torch-2.1.2+cu118 CUDA:0 (NVIDIA GeForce GTX 1650, 3904MiB)\n"
        "      2/50      2.31G        nan        nan        nan         31        640:",
        {},
        ["amp=False", "float32"],
        ["TF32 off.*amp"],
    ),
    (
        "SM80 kernel is not available. Make sure you GPUs with compute capability 8.0 or higher.\nCUDA, torch 2.8.0+cu128",
        WINDOWS,
        ["pip show torch sageattention", "without --use-sage-attention"],
        ["index-url"],
    ),
    (
        "  Getting requirements to build wheel ... error\n  ModuleNotFoundError: No module named "
        "'torch'\nCollecting flash_attn",
        WINDOWS,
        [r"install torch --index-url \S+/whl/cu126", "Visual Studio"],
        [],
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
    (
        "UNIMPLEMENTED: DNN library is not found.\nIt worked on Colab until today, with TensorFlow",
        {},
        ["Disconnect and delete runtime"],
        [],
    ),
    # The devices of a container of LXC are its host's; MIG without instances, in pods and in Slurm.
    (
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n"
        "inside an lxc container, Proxmox",
        {},
        ["On the host, at each of its starts", "nvidia-modprobe"],
        ["ubuntu-drivers", "modprobe nvidia "],
    ),
    (
        "panic: At least one device with migEnabled=true was not configured correctly: No MIG devices associated with "
        "/dev/nvidia0: GPU-fe14a161-d1f3-7706-c257-3b22fe15c684",
        {},
        ["nvidia-smi mig -cgi 0 -C"],
        [],
    ),
    (
        "slurmd: fatal: MIG mode is enabled, but no MIG devices were found. Please either create MIG instances",
        {},
        ["nvidia-smi mig -cgi 0 -C"],
        [],
    ),
    # For which Pythons ONNX Runtime has a release; an index that has PyTorch only.
    (
        "ERROR: Could not find a version that satisfies the requirement onnxruntime-gpu==1.16.3 (from versions: 1.17, 1.20.1)",
        {},
        [r"Python 3\.8, 3\.9, 3\.10 and 3\.11", r"onnxruntime-gpu==1\.20\.1"],
        [],
    ),
    (
        "Looking in indexes: https://download.pytorch.org/whl/rocm5.7\nPython: 3.10\nERROR: Could not find a version that "
        "satisfies the requirement onnxruntime-gpu==1.18.0 (from versions: none)",
        {},
        [r"--index-url https://pypi\.org/simple"],
        ["an older one"],
    ),
    # /dev/kfd on Windows; AMD's repository for another release of Ubuntu.
    (
        'Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file '
        "or directory\n - OS + Distro and Version: Windows 11",
        {},
        ["on Linux itself"],
        ["ls -l /dev/kfd", "modprobe"],
    ),
    (
        "Ubuntu 24.04\n hipsolver : Depends: libcholmod3 but it is not installable",
        {},
        ["Register AMD's repository"],
        ["LD_LIBRARY_PATH"],
    ),
    # A machine in one line: the GPU by its short name, Python without "version".
    (
        "RuntimeError: HIP error: invalid device function\ntorch: 2.5.0.dev20240710+rocm6.1\nRX 6700S, Ubuntu, python 3.10",
        {},
        [r"export HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["On Linux", "CUDA"],
    ),
    (
        "RuntimeError: No XPU devices are available.\nArc B580, Ubuntu 24.04",
        {},
        ["libze-intel-gpu1"],
        ["On Linux", "NVIDIA"],
    ),
    # NVIDIA's .run installer: the distribution's packages sign the module.
    (
        "Secure boot is on\nERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when",
        {"os": "Ubuntu 24.04"},
        ["nvidia-installer.log", "has to be signed", "ubuntu-drivers"],
        ["nvidia-uvm"],
    ),
    # XLA of JAX, and not of TensorFlow.
    (
        "F external/xla/xla/service/gpu/nvptx_compiler.cc:614] Check failed: options.is_autotuning_compilation \nimport jax",
        {"os": "Ubuntu 22.04", "driver": "530.30.02"},
        ["Update NVIDIA's driver", "older CUDA"],
        ["TensorFlow"],
    ),
    # An image of Intel's GPUs gets the device, and not the host's packages.
    (
        "Intel Iris Xe, Ubuntu 24.04\nWARNING  No GPU device found in OpenVINO. Falling back to CPU",
        {},
        ["--device /dev/dri"],
        ["usermod", "apt-get"],
    ),
    # A variable before the command.
    (
        "ODD_MODE=1 HSA_OVERRIDE_GFX_VERSION=11.0.0 python t.py\nMemory access fault by GPU node-1 (Agent handle: 0x1b37) on "
        "address 0x7f76. Reason: Page not present or supervisor privilege.\nAMD Radeon 8060S (Strix Halo)\nimport torch",
        {},
        ["unset HSA_OVERRIDE", "gfx1151"],
        ["AMD_SERIALIZE"],
    ),
    # Systems that install the driver in their own way.
    (
        'level=error msg="failed to start container" error="unknown or invalid runtime name: nvidia"\nTrueNAS 25.10',
        {},
        ["Install NVIDIA Drivers"],
        ["nvidia-ctk"],
    ),
    (
        NO_TOOLKIT + "\nUnraid 6.12.8",
        {},
        ["Nvidia-Driver"],
        ["nvidia-ctk"],
    ),
    # RAPIDS finds another CUDA first.
    (
        "ImportError: /v/lib/python3.10/site-packages/cuml/libcublas.so.11: undefined symbol: cublasLtGetStatusString, "
        "version libcublasLt.so.11",
        {"os": "linux"},
        ["unset LD_LIBRARY_PATH"],
        [],
    ),
    (
        "RuntimeError: level_zero backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)",
        {"os": "windows", "gpu": "Arc A770"},
        [],
        ["DirectML"],
    ),
    # Where a user says which system it is, and a distribution that is made from another one.
    ("I'm on Pop!_OS 22.04\n" + NVIDIA_SMI, {}, ["dkms autoinstall"], ["On Linux", "Windows"]),
    ("- **OS**: Nobara Linux 41\n" + NVIDIA_SMI, {}, ["dnf|akmods"], ["apt-get", "Windows"]),
    ("Kernel: 6.15.6-zen1-1-zen\n" + NVIDIA_SMI, {}, ["modprobe nvidia"], ["On Linux", "Windows"]),
    # Sources that pip builds, as there is no wheel: one for this Python, and not the tool that is missing.
    (
        "  Downloading ml_dtypes-0.4.1.tar.gz (690 kB)\n  error: subprocess-exited-with-error\n      error: odd option\n"
        "      [end of output]\n  ERROR: Failed building wheel for ml_dtypes",
        {"os": "linux", "python": "3.13"},
        [r"ml-dtypes 0\.4\.1 has wheels for .*3\.12", r"0\.5"],
        ["only-binary", "upgrade pip"],
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
    # A small ARM board: the release that fails is known.
    (
        "onnxruntime-1.21.0-cp311-cp311-manylinux_2_28_aarch64.whl\n>>> import onnxruntime\nIllegal instruction\nA Raspberry",
        {},
        [r"onnxruntime!=1\.21\.\*"],
        ["AVX"],
    ),
    # RAPIDS' packages are in NVIDIA's index, under other names.
    (
        "ERROR: Could not find a version that satisfies the requirement dask-cudf (from versions: none)",
        {"os": "linux"},
        ["pypi.nvidia.com dask-cudf-cu12"],
        ["Take another release"],
    ),
    # conda's cuDNN comes from conda.
    (
        CUDNN % ("9.10.1", "9.13.1") + " matching major version.\njax 0.7.2 pyhd8ed1ab_0 conda-forge\n"
        "jaxlib 0.7.2 cuda129py312hf4e5e6a_200 conda-forge",
        {},
        ['conda-forge "cudnn>=9.13,<10"'],
        ["pip install"],
    ),
    # The number of a GPU: of one process, and of several.
    (
        "W platform_util.cc:206] unable to create StreamExecutor for CUDA:6: CUDA error: Failed call to cuDeviceGet: "
        "CUDA_ERROR_INVALID_DEVICE: invalid device ordinal\nexport CUDA_VISIBLE_DEVICES=0,1,2,3\nimport jax",
        {},
        ["local_device_ids", "--ntasks-per-node"],
        ["unset CUDA"],
    ),
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        {"env": {"CUDA_VISIBLE_DEVICES": "0"}},
        ["unset CUDA"],
        ['= "-1"'],
    ),
    # A pod that lost its devices; modules of the host are not the cause.
    (
        "Failed to initialize NVML: Unknown Error\nAll pods on this node fail after some hours",
        {},
        ["PASS_DEVICE_SPECS"],
        ["modprobe", "driver again"],
    ),
    # An ended branch of the driver, whose module make could not build, in any language.
    (
        "make[1]: *** [/usr/src/kernel-headers-6.12/Makefile:1937: /var/lib/dkms/nvidia/470.239.06/build] Chyba 2",
        {},
        ["has ended branch 470"],
        ["apt-get"],
    ),
    (
        "[talos] error loading module nvidia: load nvidia failed: key was rejected by service",
        {},
        ["Talos signs"],
        ["mokutil"],
    ),
    # What a user says of WSL, and Intel's runtime in it.
    (
        "It runs on Windows with WSL1\nnvidia-container-cli: initialization error: WSL environment detected but no adapters "
        "were found: unknown",
        {},
        ["--set-version"],
        [],
    ),
    (
        "Arc A770 on WSL2(Ubuntu24.04LTS)\nAbort was called at 63 line in file:\nAborted (core dumped)",
        {},
        ["In Windows: update Intel's", "libze-intel-gpu1", "ONEAPI_DEVICE_SELECTOR"],
        ["usermod", "PYTHONFAULTHANDLER"],
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
    # conda says in its own words which Pythons its builds are for; the command is the user's.
    (
        "LibMambaUnsatisfiableError: Encountered problems while solving:\nCould not solve for environment specs\n"
        "   ├─ torchvision 0.16.2 would require\n"
        "   │  └─ python >=3.10,<3.11.0a0 *, which conflicts with any installable versions previously reported;",
        {"os": "linux", "python": "3.12"},
        ["conda create -n env python=3.10", "repeat the command"],
        ["3.13"],
    ),
    # A package installed in an environment is not there for sudo's Python.
    (
        "$ sudo python3 setup.py install\nModuleNotFoundError: No module named 'torch'",
        {"os": "linux", "python": "3.8"},
        [r"\A.*\nsudo runs the system's Python"],
        [],
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
    (
        "I'm on Windows 10 with the last pip and python 3.5.1.\n"
        "ERROR: tensorflow_gpu-1.13.1-cp35-cp35m-win_amd64.whl is not a supported wheel on this platform.",
        {},
        ["32 bits", "64-bit"],
        ["pip of that Python"],
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
    # A packed program has no sources, whatever build of PyTorch it has.
    (
        "torch: 1.5.0+cpu\nOSError: Can't get source for <function f at 0x7f>. TorchScript requires source access in order to",
        {"os": "windows"},
        ["module_collection_mode", "PYTORCH_JIT"],
        ["install torch"],
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
    # The system's C++ library is not there at all: conda is one more thing that is not.
    (
        "ImportError: libstdc++.so.6: cannot open shared object file: No such file or directory",
        {"os": "Ubuntu 20.04", "packages": {"jax": "0.2.5"}},
        [r"apt-get install -y libstdc\+\+6"],
        ["conda"],
    ),
    (
        "conda activate x\nImportError: libstdc++.so.6: cannot open shared object file: No such file or directory",
        {"os": "linux"},
        ["conda install -c conda-forge libstdcxx-ng"],
        [],
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
    # No NumPy before 1.26 runs on Python 3.12, and NumPy itself only says that it lacks the name.
    (
        'Traceback (most recent call last):\n  File "/u/lib/python3.12/site-packages/tf2onnx/utils.py", line 49, in <module>\n'
        '  File "/u/lib/python3.12/site-packages/numpy/__init__.py", line 397, in __getattr__\n'
        "AttributeError: module 'numpy' has no attribute 'object'.",
        {"python": "3.12"},
        ["--upgrade tf2onnx"],
        ["numpy<"],
    ),
    # Homebrew's folder on Intel processors.
    (
        "Unable to find installation candidates for nvidia-cublas-cu11 (11.10.3.66)\n"
        "  at /usr/local/Cellar/poetry/1.2.2_1/libexec/lib/python3.11/site-packages/poetry/installation/chooser.py:103",
        {},
        [r"poetry add .?torch>=1.13.1,<2.3"],
        ["jax"],
    ),
    # Which Python it is stands next to the system; the file is for the same one.
    (
        "Hi, on windows 10 1809 and Python 3.7 I get:\ntorch-1.0.0-cp37-cp37m-win_amd64.whl is not a supported wheel on this",
        {},
        ["32 bits"],
        ["pip of that Python"],
    ),
    (
        "Tested on Windows 10 with Python 3.7.\ntorch-1.0.0-cp37-cp37m-win_amd64.whl is not a supported wheel on this",
        {},
        ["pip of that Python"],
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
    # A Linux with DirectML is WSL.
    (
        "[GCC 9.4.0] on linux\nI dml_device_factory.cc:132] DirectML device enumeration: found 0 compatible adapters.",
        {"gpu": "Radeon Vega 8"},
        [r"wsl --update", "21H2"],
        ["1903"],
    ),
    # The step for another system stays away, whatever it would install.
    (
        "RuntimeError: Cannot find a working triton installation.",
        {"os": "windows", "gpu": "RTX 3060", "packages": {"torch": None}},
        ["triton-windows"],
        ["On Linux", "install torch"],
    ),
    # AMD's PyTorch for Windows has no code for old GPUs.
    (
        "RuntimeError: Found no NVIDIA driver on your system.\nI have a Radeon RX580 on Windows 11",
        {},
        ["install torch-directml"],
        ["AMD's build of PyTorch for Windows, for", "NVIDIA's driver"],
    ),
    (
        "ComfyUI\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed "
        "a driver",
        {"os": "windows", "gpu": "Radeon RX 580"},
        ["install torch-directml", "--directml"],
        ["AMD's build of PyTorch for Windows, for", "NVIDIA's driver"],
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
    # The container toolkit starts on the host.
    (
        "docker: stderr: nvidia-container-cli: initialization error:\nnvml error: driver/library version mismatch: unknown",
        {"os": "container"},
        [r"^The NVIDIA driver.*\nOn the host: restart"],
        ["libcuda1"],
    ),
    # DirectML has no allocator of CUDA or HIP.
    (
        "ComfyUI\nRuntimeError: Could not allocate tensor with 9831040 bytes. There is not enough GPU video memory available!",
        {"os": "windows", "gpu": "RX 6600", "packages": {"torch-directml": None}},
        ["--lowvram", "DirectML shares"],
        ["ALLOC_CONF"],
    ),
    # A nightly release is on PyPI for some weeks only.
    (
        "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
        {"os": "linux", "gpu": "RTX 3060", "packages": {"tensorflow": "2.17.0-dev20240101"}},
        [r"uninstall -y tf-nightly && .*tensorflow\[and-cuda\]==2\.17\.\*"],
        ["==2.17.0-dev"],
    ),
    # ARM has wheels today that an old pip, or that time, did not have.
    (
        "Raspberry Pi 4, aarch64, Ubuntu 20.04, Python 3.8.10\n" + NO_WHEEL % "tensorflow",
        {},
        [r"2\.10\.0 on", r"tensorflow==2\.13\.1"],
        ["x86-64", "compile it from"],
    ),
    # What Windows says in other languages has no number before Python 3.8, and little of it is ASCII.
    ("ImportError: DLL load failed: Файл подкачки слишком мал для завершения операции.", {}, ["aging file"], ["AVX"]),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: "
        "Le fichier de pagination est insuffisant pour terminer cette opération.",
        {},
        ["exhausted.\nLet Windows manage"],
        ["AVX"],
    ),
    *(
        ("ImportError: DLL load failed: %s." % said, {"packages": {"tensorflow": "2.4.0"}}, [wanted], [])
        for said, wanted in (
            ("指定されたモジュールが見つかりません", r"Visual C\+\+"),
            ("동적 연결 라이브러리(DLL) 초기화 루틴을 실행할 수 없습니다", "AVX"),
            ("指定されたプロシージャが見つかりません", r"Visual C\+\+"),
            ("%1 不是有效的 Win32 应用程序", "fresh environment"),
        )
    ),
    # A session of TensorFlow 1 that looked for no GPU.
    (
        "conda 4.5\n2019-03-01 10:00:00.000000: I direct_session.cc:307] Device mapping: no known devices.",
        {"os": "linux", "gpu": "Quadro P1000", "packages": {"tensorflow-gpu": "1.9.0"}},
        [r'conda install "tensorflow=1\.9\.0=gpu\*"', r"tensorflow-gpu==1\.9\.0"],
        [r"\[and-cuda\]"],
    ),
    # The form for issues of WSL names the Windows around it first.
    (
        "Microsoft Windows [Version 10.0.19043.1]\n\n- [x] WSL 2\n- [ ] WSL 1\n\n$ nvidia-smi\n" + NVIDIA_SMI,
        {},
        [r"wsl --update", "21H2", "purge"],
        ["Restart Windows"],
    ),
    # An old build whose release is for older Pythons: its index alone does not help.
    (
        NO_WHEEL % "torch==1.9.0+cu111" + "\nI use Python 3.11 here",
        {},
        ["3.6 to 3.9", r"-3\.9 "],
        [r"^python -m pip install torch==1\.9\.0"],
    ),
    (NO_WHEEL % "torch==1.10.0+cu113", {}, ["3.6 to 3.9", r"1\.10\.0\+cu113 -f", r"-3\.9 "], ["has no torch"]),
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
    (
        "F dml_command_recorder.cc:366] Check failed: (((HRESULT)((dml_device_->GetDeviceRemovedReason()))) >= 0) == true",
        {"os": "windows", "packages": {"tensorflow-directml": "1.15.3"}},
        ["--upgrade tensorflow-directml", "TdrDelay"],
        ["dmesg"],
    ),
    # Services of docker compose, docker from the snap, pods, LXC containers and jobs.
    (
        '$ docker compose up\nError response from daemon: could not select device driver "nvidia" with capabilities: [[gpu]]',
        {"os": "Linux Mint 21"},
        ["apt-get install -y nvidia-container-toolkit", "docker compose up -d", "snap"],
        ["reservations", "docker run"],
    ),
    (
        "$ docker run --gpus all nvcr.io/nvidia/k8s/cuda-sample:nbody\ndocker: Error response from daemon: could not select "
        'device driver "" with capabilities: [[gpu]].',
        {},
        ["docker run --gpus all", "nvidia-ctk runtime configure"],
        ["limits: nvidia"],
    ),
    (
        "$ kubectl exec -it train-0 -- nvidia-smi\nFailed to initialize NVML: Unknown Error",
        {"os": "container"},
        ["compatWithCPUManager", "PASS_DEVICE_SPECS"],
        ["docker run", "--device="],
    ),
    (
        "$ docker exec train nvidia-smi\nFailed to initialize NVML: Unknown Error",
        {"os": "container"},
        ["--device=/dev/nvidia0", "create-dev-char-symlinks"],
        ["PASS_DEVICE_SPECS"],
    ),
    (
        "root@ct7:~# nvidia-smi   # an LXC of Proxmox\nFailed to initialize NVML: Driver/library version mismatch",
        {},
        ["host's release in the container", "--no-kernel-module"],
        ["purge", "ubuntu-drivers"],
    ),
    ("$ sbatch train.sh\n" + NVIDIA_SMI, {}, [r"--gres=gpu:1", "administrators"], ["apt-get", "modprobe"]),
    ("#PBS -q long\nRuntimeError: No CUDA GPUs are available", {}, [r"ngpus=1"], ["apt-get", "modprobe"]),
    # The tools and the key of this distribution build and sign the driver's module.
    (
        "Fedora Linux 40, RTX 4060\n" + NVIDIA_SMI,
        {},
        [r"kernel-devel-\$\(uname -r\) && sudo akmods --force", "akmods/certs", r"free-release-40\."],
        ["dkms", "apt-get"],
    ),
    ("fedora\n" + NVIDIA_SMI, {"os": "linux"}, ["package manager of the distribution"], [r"release-\."]),
    (
        "Rocky Linux 9.4\nmodprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
        {},
        ["--import /var/lib/dkms/mok.pub"],
        ["shim-signed"],
    ),
    (
        "openSUSE Leap 15.6\nmodprobe: ERROR: could not insert 'nvidia': Required key not available",
        {},
        ["KEY_OF_THE_PACKAGE"],
        ["shim-signed", "dkms"],
    ),
    (
        "modprobe: FATAL: Module nvidia-current not found in directory /lib/modules/6.1.0-18-amd64",
        {},
        ["linux-headers", "dkms autoinstall"],
        ["ubuntu-drivers"],
    ),
    (
        "modprobe: FATAL: Module nvidia-current not found in directory /lib/modules/6.1.0-18-amd64\n"
        "modprobe: ERROR: could not insert 'nvidia': Operation not permitted",
        {},
        ["linux-headers", "dkms autoinstall"],
        ["modprobe nvidia"],
    ),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file\n"
        "$ nvidia-smi\n| NVIDIA-SMI 525.60.11    Driver Version: 525.60.11    CUDA Version: 12.0     |",
        {"os": "arch"},
        ["docker context ls", "Docker Engine"],
        ["install NVIDIA's driver"],
    ),
    (
        "CentOS 7\nnvidia-driver-latest-dkms-545.23.08-1.el7.x86_64\ncuda runtime error (802) : system not yet initialized",
        {},
        ["yum install nvidia-fabric-manager-545.23.08"],
        ["dnf", "manager-VERSION"],
    ),
    (
        "my nvidia driver version is 390.77\ncupy.cuda.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver "
        "version is insufficient for CUDA runtime version",
        {},
        ["older CUDA"],
        ["cupy-cuda11x"],
    ),
    (
        "ImportError: libamdhip64.so.5: cannot open shared object file: No such file or directory",
        {"os": "linux", "rocm": "5.0.0"},
        [r"/opt/rocm\*/hip/lib"],
        ["CUDA"],
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
    (" cuda : Depends: cuda-12-6 (>= 12.6.2) but it is not going to be installed", {}, ["--fix-broken"], ["pip"]),
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
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\n"
        "onnx 1.12.0 requires protobuf<=3.20.1,>=3.12.2, but you have protobuf 4.21.9 which is incompatible.",
        {},
        [r"protobuf<=3\.20\.1,>=3\.12\.2", "--upgrade onnx"],
        ["TensorFlow"],
    ),
    (
        "torch 2.9.0+rocm6.4\nMIOpen Error: hipoc_program.cpp:299: Code object build failed. Source: naive_conv.cpp\n"
        "RuntimeError: miopenStatusUnknownError",
        {"os": "linux", "gpu": "Radeon RX 9060 XT"},
        [r"cudnn\.enabled = False"],
        ["CUDA_"],
    ),
    # Packages that apt does not install, a GPU that is newer than the kernel, clusters, and a library's own package.
    (
        "The following packages have unmet dependencies:\n libnvidia-gl-550 : Depends: libnvidia-common-550 but it is not "
        "installable",
        {"os": "Ubuntu 24.04"},
        ["--fix-broken install", "do not mix", "ubuntu-drivers"],
        ["modprobe", "pip"],
    ),
    (
        "Ubuntu 24.04\n[    3.7] amdgpu 0000:c5:00.0: amdgpu: Fatal error during GPU init",
        {},
        [r"linux-generic-hwe-24\.04", "linux-firmware"],
        ["nvidia"],
    ),
    (
        "$ kubectl describe pod a\n0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\nCRI-O 1.28",
        {},
        ["--runtime=crio --set-as-default", "restart crio", "microk8s enable", "runtimeClassName"],
        ["containerd"],
    ),
    (
        "ImportError: librocm_smi64.so.5: cannot open shared object file: No such file or directory",
        {"os": "arch", "packages": {"tensorflow-rocm": "2.8.0"}},
        ["pacman -S rocm-smi-lib"],
        ["apt"],
    ),
    (
        "ModuleNotFoundError: No module named 'pyarrow._cuda'",
        {"os": "linux", "driver": "460.32"},
        ["cudf-cu11"],
        ["numpy"],
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
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv\n",
        {"packages": {"torch": "2.0.0a0+git12"}},
        [r"torch==2\.0\.\*.*intel-extension-for-pytorch==2\.0\.\*"],
        ["release-whl"],
    ),
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-gpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameB5cxx11Ev",
        {"packages": {"torch": "2.1.0+cu121"}},
        ["PyTorch and its extension", "release-whl"],
        [r"pip install torch"],
    ),
    (
        "JetPack 6.0 on a Jetson Orin Nano\njax 0.4.31\nINTERNAL: Failed call to cudaGetFuncBySymbol: no kernel image is "
        "available for execution on the device",
        {},
        [r"pypi\.jetson-ai-lab\.io", "jetson-containers"],
        ["install-tf-jetson", r"jax\[cuda"],
    ),
    (
        "ImportError: DLL load failed while importing onnxruntime_pybind11_state: The specified procedure could not be found.",
        {"os": "Windows Server 2016", "packages": {"onnxruntime": "1.15.0"}},
        ["VCRedist", "Windows 10"],
        ["CUDA"],
    ),
    (
        "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error",
        {"os": "openSUSE Leap 15.2"},
        ["cables sit firmly", "reboot|[Rr]estart the machine"],
        ["apt"],
    ),
    # A full disk in another language, and what setuptools and h5py have for an old PyTorch and for TensorFlow.
    (
        "ERROR: Could not install packages due to an OSError: [Errno 28] Espacio insuficiente en el dispositivo",
        {"os": "linux", "packages": {"torch": None}},
        ["disk", "TMPDIR"],
        [],
    ),
    (
        IMPORTED % "torch/utils/cpp_extension.py" + "ImportError: cannot import name 'packaging' from 'pkg_resources' "
        "(/srv/env/lib/python3.11/site-packages/pkg_resources/__init__.py)",
        {"os": "linux"},
        [r"setuptools<70"],
        ["--upgrade setuptools"],
    ),
    (
        "pip install tensorflow\n  ERROR: Failed building wheel for h5py",
        {"os": "linux"},
        [r"Python 3\.13", "pip install .*tensorflow"],
        [r"3\.14 env"],
    ),
    # Exact builds of another system in conda's file, and a compiler that CMake or nvcc does not find.
    (
        "ResolvePackageNotFound:\n  - gxx_impl_linux-64==7.3.0=hdf63c60_1\n  - h5py==2.9.0=py37h7918eee_0",
        {"os": "macos"},
        ["exact builds", "--from-history"],
        ["conda-forge", "machine"],
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
    # TensorFlow was built for NumPy 1, or for a newer NumPy 1 than the one here: the newest is right in both cases.
    (
        "TypeError: Unable to convert function return value to a Python type! The signature was\n\t() -> handle",
        {"os": "linux"},
        ['--upgrade "?numpy<2'],
        ["NumPy 2 is installed"],
    ),
    # Docker on a Mac emulates Intel processors without AVX: a native Python on the Mac does not help.
    (
        "docker run on my Apple M2\nThe TensorFlow library was compiled to use AVX instructions, but these aren't available "
        "on your machine.\nqemu: uncaught target signal 6 (Aborted) - core dumped",
        {},
        ["linux/arm64"],
        ["uv venv", "Miniforge"],
    ),
    # An ARM board has no AVX: another build is for ARM as well.
    (
        "Raspberry Pi 4, torch 2.4 from download.pytorch.org\nIllegal instruction (core dumped)",
        {},
        ["ARM processor", "older release", "export OPENBLAS"],
        ["AVX2? or a hosted", r"\$env:"],
    ),
    # DeepSpeed compiles beforehand what Windows does not have.
    (
        'File "D:\\src\\DeepSpeed\\setup.py", line 182, in <module>\nAssertionError: Unable to pre-compile async_io',
        {},
        [r"\$env:DS_BUILD_OPS"],
        ["apt-get", "export "],
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
    # There is no CUDA for Macs, whatever the channel.
    (
        "Platform: osx-arm64\nLibMambaUnsatisfiableError: Encountered problems while solving:\n"
        "  - nothing provides cuda 12.1.* needed by pytorch-cuda-12.1-ha16c6d3_5\n"
        "   └─ cuda 12.1.* , which does not exist (perhaps a missing channel).",
        {},
        ["no CUDA for macOS", "Leave out all"],
        ["conda search", "override-channels"],
    ),
    # protobuf 3.20.3 has what newer code asks for, and takes older code.
    (
        "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/venv/lib/python3.10/site-packages/x)",
        {"os": "linux"},
        [r"protobuf==3\.20\.3"],
        ["--upgrade protobuf"],
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
    # A program that PyInstaller packed: what it lacks is not missing in the environment.
    (
        "ModuleNotFoundError: No module named 'tensorflow'\n[4711] Failed to execute script 'app' due to unhandled exception!",
        {"os": "windows"},
        ["pyinstaller-hooks-contrib", "--collect-all"],
        ["install tensorflow"],
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
    # TensorFlow's package for cloud storage, whose wheels begin late on Apple silicon.
    (
        "I have an M2 MacBook.\n$ poetry install\nUnable to find installation candidates for "
        "tensorflow-io-gcs-filesystem (0.31.0)",
        {},
        [r"poetry add tensorflow-io-gcs-filesystem==0\.3[4-7]"],
        ["up to 0.31,"],
    ),
    # A name that JAX has under another module.
    (
        "AttributeError: module 'jax' has no attribute 'tree_multimap'",
        {"os": "linux"},
        [r"from 0\.3\.16 on"],
        ["--upgrade jax"],
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
    (
        IMPORTED % "kornia/__init__.py" + "    from scipy.misc import dilate2\n"
        "ImportError: cannot import name 'dilate2'",
        {"os": "linux"},
        ["upgrade kornia"],
        ["own files", "force-reinstall"],
    ),
    # A machine in one line, as people write it; what is offered or asked for in such a line is no machine.
    (
        "TensorFlow 2.18, Windows 11, RTX 3060, Python 3.11\n>>> tf.config.list_physical_devices('GPU')\n[]",
        {},
        [r"wsl --install", r"tensorflow==2\.10"],
        ["nvidia-driver", "apt"],
    ),
    (
        "We tested TensorFlow 2.18, Windows 11, Python 3.11\nImportError: libcudnn.so.9: cannot open shared object file",
        {},
        ["cudnn"],
        ["wsl --install", r"\bWindows"],
    ),
    # What an old PyTorch says of half precision on the CPU, and tf.contrib looked for under tf.compat.v1.
    (
        "RuntimeError: _thnn_conv2d_forward not supported on CPUType for Half",
        {"os": "linux", "packages": {"torch": "1.3.1"}},
        [r"model\.float\(\)"],
        ["doctor"],
    ),
    (
        "AttributeError: module 'tensorflow.compat.v1' has no attribute 'contrib'",
        {"os": "linux"},
        ["tf_slim", r"tensorflow==1\.15"],
        ["pip check"],
    ),
    # A GPU of AMD by its number alone, and a variable that names a library of bitsandbytes.
    (
        "GPU :- AMD 6600xt\n"
        + NO_CUDA_TORCH
        + '\nFile "C:\\Users\\w\\ComfyUI\\comfy\\sd.py", line 459, in load_checkpoint',
        {"os": "windows"},
        ["AMD's build of PyTorch", "--directml"],
        ["cu126"],
    ),
    (
        "WARNING: BNB_CUDA_VERSION=124 environment variable detected; loading libbitsandbytes_cuda124.so.\n"
        "Could not find the bitsandbytes CUDA binary at "
        "PosixPath('/usr/lib/python3.11/site-packages/bitsandbytes/libbitsandbytes_cuda124.so')",
        {"os": "linux"},
        ["unset BNB_CUDA_VERSION", "--upgrade bitsandbytes"],
        ["LD_LIBRARY_PATH"],
    ),
    # The web UI's check says no cause: both are named, and its fork for AMD's GPUs has its own way.
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {"os": "linux"},
        ["torch.version.hip", "nvidia-smi", r"pip install torch --index-url \S+/cu126"],
        ["doctor"],
    ),
    (
        'File "C:\\stable-diffusion-webui-directml\\launch.py", line 48, in <module>\n'
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {"os": "windows"},
        ["--use-directml"],
        ["index-url"],
    ),
    # Lightning takes Apple's GPU for "gpu" where PyTorch reaches it; before 1.7 it knew none.
    (
        IMPORTED % "pytorch_lightning/trainer/trainer.py"
        + "MisconfigurationException: No supported gpu backend found!",
        {"os": "macos", "arch": "arm64", "gpu": "Apple M1"},
        [r"platform\.machine\(\)", "Python for arm64", 'accelerator="cpu"'],
        ["CUDA", 'device "mps"'],
    ),
    (
        "MisconfigurationException: GPUAccelerator can not run on your system since the accelerator is not available. The "
        "following accelerator(s) is available and can be passed into `accelerator` argument of `Trainer`: ['cpu'].",
        {"os": "macos", "arch": "arm64", "packages": {"torch": "1.13.0"}},
        ['accelerator="mps"'],
        ["tensorflow"],
    ),
    # A question for a GPU names it, and a list in a log names its packages.
    (
        "Is NVIDIA GeForce RTX 5060 Laptop GPU supported?\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "[2025-10-13 18:27:05,692][DEBUG]  - torch                       2.5.1",
        {"os": "linux"},
        [r"pip install torch --index-url \S+/cu128"],
        ["RTX 40", "get_arch_list"],
    ),
    # The kernels of vLLM are compiled for one PyTorch: both are replaced, or the image that has them.
    (
        "docker run --gpus all vllm/vllm-openai:latest --model Qwen/Qwen3-4B-AWQ\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "|   0  NVIDIA GeForce RTX 5090        Off |   00000000:01:00.0 Off |                  N/A |",
        {"os": "linux"},
        ["docker pull vllm/vllm-openai"],
        ["pip install torch", "uninstall"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "linux", "gpu": "NVIDIA GeForce RTX 5090", "packages": {"torch": "2.6.0", "vllm": "0.8.4"}},
        [r"uv pip install .*vllm --torch-backend=auto"],
        ["pip install torch", "docker"],
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
    (
        IMPORTED
        % "transformers/utils/import_utils.py"
        + "RuntimeError: Failed to import transformers.models.opt.modeling_opt because of the following error (look up to see "
        "its traceback):\nNo module named 'leftpad.inner'",
        {**LINUX, "packages": {"torch": "2.4.0"}},
        [r"leftpad\.inner"],
        ["look up to see"],
    ),
    # Windows has no memory that grows in place.
    (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB. If reserved memory is >> allocated "
        "memory try setting max_split_size_mb to avoid fragmentation.",
        {**WINDOWS, "packages": {"torch": "2.1.0"}},
        [r"PYTORCH_CUDA_ALLOC_CONF = \"max_split_size_mb:128\""],
        ["expandable_segments"],
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
    # A model and the code of Keras that runs it are of two releases; PyTorch has a Sequential as well.
    (
        '  File "/e/lib/python3.9/site-packages/keras/engine/training.py", line 741, in distribute_strategy\n'
        "    return self._distribution_strategy or tf.distribute.get_strategy()\n"
        "AttributeError: 'Sequential' object has no attribute '_distribution_strategy'",
        {**LINUX, "python": "3.9", "packages": {"tensorflow": "2.7.0"}},
        [r"\ATwo Kerases", r"keras==2\.7\.0"],
        ["doctor"],
    ),
    (
        '  File "/e/lib/python3.9/site-packages/torch/nn/modules/module.py", line 741, in __getattr__\n'
        "    raise AttributeError(\n"
        "AttributeError: 'Sequential' object has no attribute '_non_persistent_buffers_set'",
        {**LINUX, "python": "3.9", "packages": {"torch": "2.1.0"}},
        [r"The first error is"],
        ["Keras"],
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
    (
        "11:02:10 ERROR    Could not load torch: [WinError 126] The specified module could not be found. Error loading\n"
        '                  "D:\\app\\venv\\lib\\site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
        WINDOWS,
        [r"libomp140", r"PyTorch 2\.4\.1 or later"],
        ["winget install --id Microsoft.VCRedist"],
    ),
    (
        "RuntimeError: The exporter of this operation met a shape that it does not know in\nthe second of its inputs.",
        {},
        [r"does not know in the second of its inputs\. What caused it is not known"],
        [],
    ),
    # What PyTorch was built with is not the toolkit that is there.
    (
        "PyTorch version: 1.5.1\nCUDA used to build PyTorch: 10.2\nIs CUDA available: No\nCUDA runtime version: 10.0.130\n"
        "Nvidia driver version: 410.104",
        {**LINUX, "gpu": "Tesla P100", "driver": "410.104", "cuda": "10.0"},
        [r"\ACUDA 10\.2 needs driver 440\.33", r"torch==1\.5\.1\+cu92"],
        [],
    ),
    # A build of the time before each had an index.
    (
        NO_WHEEL % "torch==1.9.1+cu111",
        {**LINUX, "python": "3.9"},
        [r"pip install torch==1\.9\.1\+cu111 -f \S+/torch_stable\.html"],
        ["has no torch", "cu126"],
    ),
    (
        NO_WHEEL % "torch==1.9.1+cu111",
        {**WINDOWS, "python": "3.10"},
        [r"for Python 3\.6 to 3\.9", r"install torch --index-url \S+/cu126", r"py -3\.9 .*1\.9\.1\+cu111 -f"],
        ["has no torch"],
    ),
    (
        NO_WHEEL % "torch==1.7.1+cu110",
        {**LINUX, "python": "3.12"},
        [r"--python 3\.8 .*torch==1\.7\.1\+cu110 -f"],
        ["data begin"],
    ),
    # Only Ubuntu has ubuntu-drivers.
    (
        "Failed to initialize NVML: Driver/library version mismatch",
        {**LINUX, "os_version": "Debian 12"},
        [r"purge .* && sudo apt-get install nvidia-driver"],
        ["ubuntu-drivers"],
    ),
    # The library is missed by bitsandbytes, whose line does not name it.
    (
        "CUDA SETUP: Loading binary /e/lib/python3.10/site-packages/bitsandbytes/libbitsandbytes_cuda117.so...\n"
        "libcusparse.so.11: cannot open shared object file: No such file or directory",
        {**LINUX, "packages": {"bitsandbytes": None, "torch": None}},
        [r"pip install --upgrade bitsandbytes"],
        ["unset LD_LIBRARY_PATH", "force-reinstall"],
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
    # In Proxmox a host has a host: the driver's libraries are needed in between as well.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: "
        "no such file or directory: unknown\ndocker in an LXC container of Proxmox",
        LINUX,
        ["LXC container too, without the kernel module"],
        [],
    ),
    # ollama looks for NVIDIA's driver on every machine; the GPU is AMD's.
    (
        'level=INFO source=gpu.go:343 msg="Unable to load libcudart.so.11.0: your nvidia driver is too old or missing"\n'
        'level=WARN source=amd_linux.go:346 msg="amdgpu is not supported" gpu=0 gpu_type=gfx1032 supported_types="[gfx1030]"',
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["nvidia"],
    ),
    # pip has CuPy's sources under this name; the packages that are built have others.
    (
        "Collecting cupy\n    Options: {'package_name': 'cupy', 'wheel_libs': []}\n"
        "    Microsoft Visual C++ 14.0 is required. Get it with Build Tools",
        WINDOWS,
        [r"cupy-cuda12x\[ctk\]", "cupy-cuda11x"],
        ["apt"],
    ),
    (
        "CUDNN failure: CUDNN_STATUS_NOT_INITIALIZED\non a Jetson AGX Xavier; it runs well outside the docker",
        LINUX,
        ["docker run --runtime nvidia --group-add video"],
        [],
    ),
    # A name that is new in JAX: this JAX is the older one.
    (
        IMPORTED % "flax/core/meta.py" + "AttributeError: module 'jax.sharding' has no attribute 'PartitionSpec'",
        LINUX,
        ["--upgrade jax jaxlib", "older release of flax"],
        ["--upgrade flax"],
    ),
    # The system is not known: the steps for Linux say so.
    (NVIDIA_SMI, {}, ["On Linux: load the driver's kernel module", "dkms autoinstall", "no driver yet"], []),
    (NVIDIA_SMI, WINDOWS, [], ["modprobe", "dkms"]),
    # It works in a container: the program that fails is outside of it.
    (
        "RuntimeError: No HIP GPUs are available\nIt works in any docker container (docker run --device /dev/kfd ubuntu)",
        LINUX,
        ["usermod -aG render,video"],
        ["docker run"],
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
    (
        "WSL environment detected.\nROCR: unsupported GPU\nhsa api call failure at: /src/rocminfo/rocminfo.cc:1306\n"
        "Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "wsl2", "gpu": "Radeon RX 7600"},
        ["wsl_compatibility", "dual boot"],
        ["HSA_ENABLE_DXG_DETECTION", "HSA_OVERRIDE"],
    ),
    # A GPU by its short name next to the log: the override runs the code of its relative, or a build with its own code.
    (
        "RuntimeError: HIP error: invalid device function\ntorch 2.6.0+rocm6.2.4, RX 7600 XT, Ubuntu 24.04",
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0", "gfx1102"],
        [r"10\.3\.0", "rocminfo"],
    ),
    # Kubernetes: a device plugin that finds no GPU, and more than one node has.
    (
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.\ndocker: 19.03.4, nvidia-docker2=2.0.3, kubernetes:1.15.3",
        LINUX,
        ["runtime configure --runtime=docker --set-as-default", "single node"],
        ["docker run"],
    ),
    ("0/2 nodes are available: 2 Insufficient amd.com/gpu.", LINUX, [r"amd\.com/gpu: 1"], ["nvidia"]),
    # conda 4 repeats what the driver has, whatever the conflict is.
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with your CUDA driver:\n"
        "  - feature:/linux-64::__cuda==11.4=0\nYour installed CUDA driver is: 11.4",
        LINUX,
        ["conda update -n base conda", "new environment"],
        ["driver-install", "CONDA_OVERRIDE_CUDA", "Update NVIDIA"],
    ),
    # CuPy compiles with its own CUDA: the one that knows the GPU and that the driver runs.
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce GTX 1080", "driver": "580.95"},
        [r"cupy-cuda12x\[ctk\]"],
        ["13x", "cuda11x"],
    ),
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce RTX 3090", "driver": "470.57"},
        ["cupy-cuda11x", "toolkit"],
        ["from source"],
    ),
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce RTX 2080", "driver": "435.21"},
        ["install cupy-cuda101", "525"],
        ["cuda11x"],
    ),
    # What the text says of docker and of the container decides where the GPU is missing.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: "
        "no such file or directory: unknown\nDocker Desktop 4.19.0, Pop!_OS 22.04",
        LINUX,
        ["docker context use default"],
        ["driver on the host"],
    ),
    (
        "E itex/core/devices/gpu/itex_gpu_runtime.cc:174] Can not found any devices.\nThis is in a docker container, Arc A770",
        LINUX,
        ["--device /dev/dri"],
        ["usermod"],
    ),
    # The kernel refuses to open the device; a missing group has another message.
    (
        "Unable to open /dev/kfd read-write: Operation not permitted\nme is member of render group",
        LINUX,
        ["dmesg", "amdgpu-dkms"],
        ["usermod"],
    ),
    # Python 3.6 does not say where the name is missing; the line above does.
    (
        'Traceback (most recent call last):\n  File "/srv/env/lib/python3.6/site-packages/grid/jit.py", line 7, in <module>\n'
        "    from numba import cuda, numpy_support\nImportError: cannot import name 'numpy_support'",
        LINUX,
        [r"numba<0\.50"],
        ["devicekit doctor"],
    ),
    (PTX, {"os": "Manjaro", "driver": "460.80"}, ["pacman"], ["ubuntu"]),
    (PTX + "\nManjaro, nvidia-utils 460.80", LINUX, ["pacman"], ["ubuntu"]),
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
    (NOT_SUPPORTED % "numpy-1.18.5-cp38-cp38-macosx_11_0_arm64", {}, ["prints arm64"], ["numpy==", "container"]),
    # A SavedModel is not always a model of Keras, and an optimizer has two generations.
    (
        '  File "/env/lib/python3.8/site-packages/tensorflow/python/keras/saving/saved_model/load.py", line 249, in add\n'
        "KeyError: 'name'",
        {},
        [r"tf\.saved_model\.load", "TFSMLayer"],
        ["doctor"],
    ),
    ("AttributeError: 'AutoTrackable' object has no attribute 'fit'", {}, [r"keras\.models\.load_model"], ["doctor"]),
    ("OSError: SavedModel file does not exist at: out/best.keras/{saved_model.pb}", {}, ["relative", "2.12 on"], []),
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
    (NOT_SUPPORTED % "tensorflow-1.10.0-cp35-none-linux_armv7l", {}, [r"python3\.5 -m pip"], ["conda"]),
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
    (
        'Traceback (most recent call last):\n  File "/env/lib/python3.6/site-packages/autolib/net.py", line 4, in <module>\n'
        "AttributeError: module 'tensorflow.keras.layers.experimental.preprocessing' has no attribute 'RandomZoom'",
        {},
        ["--upgrade autolib", r"tensorflow==2\.6"],
        [r"2\.15"],
    ),
    (
        "TF_GPU_ALLOCATOR=cuda_malloc_async\nInternalError: No allocator statistics",
        {},
        ["unset TF_GPU_ALLOCATOR"],
        ["doctor"],
    ),
    # A GPU that is newer than the CUDA which the build loads.
    (
        "name: GeForce RTX 3060 computeCapability: 8.6\nSuccessfully opened dynamic library cublas64_10.dll",
        {},
        [r"tensorflow==2\.10"],
        ["2\\.21", "leaves that GPU out"],
    ),
    ("| GPU  | RX 570 |\n" + HIP, LINUX, ["gfx803"], ["10.3.0"]),
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
    # Releases as people write them.
    (
        "tensorflow=2.5.0\nAttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'tracking'",
        {},
        [r"keras==2\.5"],
        ["tf-keras"],
    ),
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
        '  File "/usr/lib/python3.6/site-packages/tensorflow/python/keras/initializers/initializers_v1.py", line 23, in '
        "<module>\nImportError: cannot import name 'keras_export'",
        {},
        ["uninstall -y tensorflow tensorflow-cpu", "files of two TensorFlows"],
        [],
    ),
    # XLA: CUDA's folder with blanks in its name on Windows, and a build without XLA.
    (
        "W nvptx_compiler.cc:70] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.\n"
        "W nvptx_compiler.cc:74]   D:/NVIDIA GPU Computing Toolkit/CUDA/v11.2/bin",
        {"packages": {"tensorflow": "2.8.0"}},
        [r"data_dir='D:/NVIDIA GPU Computing Toolkit/CUDA/v11\.2'"],
        ["Install the CUDA toolkit", "export"],
    ),
    (
        "UNIMPLEMENTED: Could not find compiler for platform CUDA: NOT_FOUND: could not find registered compiler for platform "
        "CUDA -- was support for that platform linked in?",
        LINUX,
        ["jit_compile"],
        ["nvcc", "ptxas"],
    ),
    # TensorFlow Lite.
    (
        "RuntimeError: Select TensorFlow op(s), included in the given model, is(are) not supported by this interpreter. Make "
        "sure you apply/link the Flex delegate before inference.",
        {},
        ["tf.lite.Interpreter", "TFLITE_BUILTINS"],
        ["GPU"],
    ),
    ("ValueError: Didn't find op for builtin opcode 'FULLY_CONNECTED' version '12'.", {}, ["tflite-runtime"], []),
    ("RuntimeError: Encountered unresolved custom op: edgetpu-custom-op.Node", {}, ["load_delegate"], ["SELECT"]),
    ("RuntimeError: Encountered unresolved custom op: Roll.See instructions:", {}, ["SELECT_TF_OPS"], ["edgetpu"]),
    # Operations that a device refuses.
    (
        "UnimplementedError:  Fused conv implementation does not support grouped convolutions for now.",
        {},
        ["channels", "jit_compile=True"],
        ["remapper"],
    ),
    ("InvalidArgumentError: input depth must be evenly divisible by filter depth: 4 vs 3", {}, ["4 channels"], []),
    (
        "DML doesn't support exponential_avg_factor != 1 at the moment.",
        {"os": "windows"},
        ["fused=False", "/CPU:0"],
        ["soft_device_placement"],
    ),
    (
        "I use tensorflow 1.8.0\nCannot assign a device for operation 'a/Foo': Could not satisfy explicit device specificatio"
        "n '/device:GPU:0' because no supported kernel for GPU devices is available.",
        {},
        ["allow_soft_placement=True"],
        ["set_soft"],
    ),
    (
        "I use tensorflow 1.8.0\nCannot assign a device for operation 'a/Softmax': Could not satisfy explicit device "
        "specification '/device:GPU:0' because no supported kernel for GPU devices is available.",
        {},
        [r"tensorflow-gpu==1\.8"],
        [],
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
    (
        "ERROR: Cannot install -r base.txt (line 3) and protobuf==4.25.0 because these package versions have conflicting "
        "dependencies.",
        {"packages": {"tensorflow": "2.10.0"}},
        ["into base.txt"],
        ["pip install"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement grpcio~=1.37.0 (from tensorflow-macos) (from versions"
        ": 1.0.0, 1.40.0)",
        {},
        ["conda install -c apple tensorflow-deps"],
        ["pip check"],
    ),
    (
        "RuntimeError: Expected is_sm90 || is_sm8x || is_sm75 to be true, but got false.",
        {},
        ["sdpa", "USE_FLASH_ATTENTION", "Turing"],
        ["doctor", "flash-attn<2"],
    ),
    ("RuntimeError: SGLang only supports sm75 and above.", LINUX, ["llama.cpp"], ["doctor", "flash-attn<2"]),
    (
        "ValueError: You can't train a model that has been loaded in 8-bit or 4-bit precision on a different device than "
        "the one you're training on.",
        LINUX,
        ["process_index"],
        ["doctor"],
    ),
    (
        "FileNotFoundError: Cannot find DGL C++ graphbolt library at C:\\env\\Lib\\site-packages\\dgl\\graphbolt\\"
        "graphbolt_pytorch_2.4.1.dll",
        WINDOWS,
        ["up to 2.2.1", "python -c"],
        ["doctor"],
    ),
    ("ModuleNotFoundError: No module named 'torchdata.datapipes'", LINUX, ["torchdata<0.10"], ["install torchdata\n"]),
    (
        "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:4242",
        LINUX,
        ["ended first"],
        [],
    ),
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
    (
        "NotImplementedError: Could not run 'aten::_sparse_coo_tensor_with_dims_and_tensors' with arguments from the "
        "'SparseMPS' backend. This could be because the operator doesn't exist for this backend",
        MAC,
        ["--device cpu", "to_dense"],
        ["FALLBACK=1"],
    ),
    # An image has its own numbers for the groups' names, and a rootless container has none of the user's.
    (
        "Unable to open /dev/kfd read-write: Permission denied",
        {"os": "container", "gpu": "Radeon RX 7900 XTX"},
        [r"--group-add \$\(stat -c %g /dev/kfd\)"],
        ["usermod"],
    ),
    (
        "podman rootless\nUnable to open /dev/kfd read-write: Permission denied",
        {**LINUX, "gpu": "Radeon RX 7900 XTX"},
        ["keep-groups"],
        ["usermod"],
    ),
    (
        "AttributeError: 'NoneType' object has no attribute 'fully_fused_projection_fwd'",
        LINUX,
        ["CUDA_HOME"],
        ["doctor"],
    ),
    (
        "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",
        LINUX,
        ["without CUDA", "whl/cu"],
        ["pip check"],
    ),
    ("AttributeError: module 'torch' has no attribute 'frombuffer'", LINUX, [r"PyTorch 1\.10"], ["pip check"]),
    (
        "RuntimeError: Expected one of cpu, cuda, xpu, mkldnn, hip, meta device type at start of device string: mps",
        MAC,
        ["--upgrade torch"],
        ["whl/xpu"],
    ),
    (
        "RuntimeError: Expected one of cpu, cuda, xpu, mkldnn device type at start of device string: privateuseone",
        WINDOWS,
        ["import torch_directml"],
        ["whl/"],
    ),
    ("nvcc fatal   : Cannot find compiler 'cl.exe' in PATH", WINDOWS, ["Native Tools"], ["doctor"]),
    ("nvcc fatal   : Value 'c++17' is not defined for option 'std'", LINUX, ["from 11 on", "CUDA_HOME"], ["doctor"]),
    (
        "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...':",
        LINUX,
        [r"CXX=g\+\+-10"],
        [],
    ),
    (
        "c10/util/C++17.h:27:2: error: #error You need C++17 to compile PyTorch",
        LINUX,
        [r"-std=c\+\+17"],
        ["toolkit from"],
    ),
    ("ValueError: Unknown CUDA arch (12.0) or GPU not supported", LINUX, [r"names 12\.0", "get_arch_list"], []),
    (
        "    arch_list[-1] += '+PTX'\nIndexError: list index out of range",
        LINUX,
        ["TORCH_CUDA_ARCH_LIST="],
        ["doctor"],
    ),
    ("RuntimeError: CUDA error: invalid configuration argument", LINUX, ["65536"], ["nvidia-smi"]),
    (
        "TypeError: Accelerator.__init__() got an unexpected keyword argument 'dispatch_batches'",
        LINUX,
        ["--upgrade transformers accelerate"],
        [],
    ),
    # A package that was compiled where it saw no CUDA raises an error of its own code.
    ("NameError: name '_C' is not defined", LINUX, ["CUDA_HOME", "no-build-isolation"], ["doctor"]),
    (
        "ImportError: cannot import name '_C' from 'groundingdino' (/e/groundingdino/__init__.py)",
        LINUX,
        ["CUDA_HOME"],
        ["--upgrade groundingdino"],
    ),
    ("SystemError: PY_SSIZE_T_CLEAN macro must be defined for '#' formats", LINUX, [r"\.triton", "CPATH"], ["doctor"]),
    (
        "I am using wsl 1 on windows 10.\nRuntimeError: Found no NVIDIA driver on your system.",
        {},
        ["^This is WSL 1", "wsl"],
        ["modprobe"],
    ),
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
    (
        "RuntimeError: Input type (float) and bias type (c10::Half) should be the same",
        MAC,
        ["--no-half", r"x\.to\(model\.dtype\)"],
        ["doctor"],
    ),
    (
        "ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM",
        LINUX,
        ["4 ?bit", "offload"],
        [],
    ),
    ("RuntimeError: Error compiling objects for extension", LINUX, ["first compiler line"], ["doctor"]),
    (
        "c1xx: fatal error C1083: Cannot open include file: 'corecrt.h': No such file or directory",
        WINDOWS,
        ["Native Tools"],
        [],
    ),
    ("RuntimeError: PyTorch is not linked with support for mps devices", MAC, ["MPS"], ["whl/cu"]),
    ("RuntimeError: invalid low watermark ratio 1.4", MAC, ["unset PYTORCH_MPS_HIGH"], []),
    ("RuntimeError: User specified an unsupported autocast device_type 'mps'", MAC, [r"2\.5"], ["whl/cu"]),
    ("ValueError: fp16 mixed precision requires a GPU (not 'mps').", MAC, ["mixed_precision no"], ["whl/cu", "NVIDIA"]),
    (
        "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`",
        LINUX,
        ["magma"],
        [],
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
        "ImportError: dlopen(/e/torch/_C.so): Library not loaded: /usr/local/opt/libomp/lib/libomp.dylib",
        MAC,
        ["brew install libomp"],
        ["pip check"],
    ),
    # NVIDIA's wheels for Jetson link with the system's OpenBLAS and with JetPack's CUDA.
    (
        "ImportError: /u/lib/python3.6/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: sgesdd",
        {**LINUX, "gpu": "Jetson TX2"},
        ["libopenblas"],
        ["released for"],
    ),
    (
        "OSError: libcurand.so.10: cannot open shared object file: No such file or directory\ntorch",
        {**LINUX, "gpu": "Jetson Nano"},
        ["nvidia-jetpack"],
        ["cu12"],
    ),
    (
        "OSError: /h/.local/lib/python3.8/site-packages/torchaudio/lib/libtorchaudio.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv",
        {**LINUX, "gpu": "Jetson Nano"},
        [r"pytorch/audio\.git"],
        ["whl/", "PYTHONNOUSERSITE"],
    ),
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.\ntorch",
        {**LINUX, "gpu": "Instinct MI300X"},
        [r"version\.hip"],
        ["toolkit"],
    ),
    (
        "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!",
        LINUX,
        ["cuda"],
        ["nothing has to be"],
    ),
    ("Could not load symbol cudnnGetLibConfig. Error code 127", WINDOWS, ["cudnnGetLibConfig", "PATH"], []),
    (
        "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, "
        "but not set",
        {},
        ["torchrun"],
        ["doctor"],
    ),
    ("RuntimeError: No backend type associated with device type cpu", {}, ["cpu:gloo"], ["torchrun"]),
    ("SafetensorError: Error while deserializing header: HeaderTooLarge", {}, ["download it again", "git lfs"], []),
    ("ValueError: Model architectures ['NewForCausalLM'] are not supported for now.", LINUX, ["vllm"], ["doctor"]),
    (
        "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).",
        LINUX,
        ["divides 28"],
        [],
    ),
    ("AttributeError: 'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'", LINUX, ["torch_extensions"], []),
    ("ModuleNotFoundError: No module named 'amp_C'", LINUX, ["Apex"], ["pip check"]),
    ("ImportError: dlopen: cannot load any more object with static TLS", LINUX, ["before all others"], []),
    # A data type that the backend lacks is nothing that its fallback to the CPU catches.
    (
        "TypeError: Trying to convert BFloat16 to the MPS backend but it does not have support for that dtype.",
        MAC,
        ["2.3", "float16"],
        ["FALLBACK"],
    ),
    ("TypeError: MPS BFloat16 is only supported on MacOS 14 or newer", MAC, ["macOS to 14"], ["FALLBACK"]),
    (
        "TypeError: Trying to convert ComplexFloat to the MPS backend but it does not have support for that dtype.",
        MAC,
        [r'to\("cpu"\)'],
        [],
    ),
    (
        "MPSNDArray.mm:850: failed assertion `[MPSNDArray initWithDevice:] Error: total bytes of NDArray > 2**32'",
        MAC,
        ["^One tensor is larger", "smaller batch"],
        ["FALLBACK"],
    ),
    (
        "MPSNDArray.mm:782: failed assertion '[MPSNDArray, initWithBuffer:] Error: buffer is not large enough. Must be 96'",
        MAC,
        ["install --upgrade torch"],
        ["FALLBACK"],
    ),
    (
        "RuntimeError: new(): expected key in DispatchKeySet(CPU, CUDA, HIP, XLA, MPS) but got: PrivateUse1",
        WINDOWS,
        ["--upgrade torch-directml"],
        [],
    ),
    # nvcc refuses other compilers than GCC and MSVC as well.
    (
        "host_config.h(160): error: #error directive: -- unsupported NVHPC compiler found! Only NVHPC 23.X is supported.\n"
        "RuntimeError: Error building extension 'fused_adam'",
        LINUX,
        ["CXX=g\\+\\+", "module unload"],
        [],
    ),
    (
        "RuntimeError: Compiler: cl is not found.",
        {},
        ["VCTools", "Native Tools"],
        ["include and libs"],
    ),
    ("NotImplementedError: Cannot copy out of meta tensor; no data!", {}, ["device_map", "low_cpu_mem_usage"], []),
    (
        "RuntimeError: Tensor on device cuda:0 is not on the expected device meta!\nkeras 3.0, KERAS_BACKEND=torch, T4",
        {},
        ["--upgrade keras"],
        ["device_map"],
    ),
    # The names of PyTorch's own libraries tell which PyTorch an add-on was compiled for.
    (
        "ImportError: libc10_cuda.so: cannot open shared object file: No such file or directory",
        {**LINUX, "python": "3.11"},
        ["without CUDA", "whl/cu"],
        ["of the same"],
    ),
    (
        "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory",
        LINUX,
        [r"1\.8 to 1\.13", "Compile the add-on"],
        [],
    ),
    ("RuntimeError: Gloo connectFullMesh failed with [pair.cc:144] no error", LINUX, ["GLOO_SOCKET_IFNAME="], []),
    (
        "RuntimeError: [enforce fail at device.cc:84] rp != nullptr. Unable to find address for: eno9",
        LINUX,
        ["^eno9 is not", "ip -br addr"],
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
        "RuntimeError: unable to open shared memory object </torch_7_8> in read-write mode: Too many open files (24)",
        LINUX,
        ["ulimit -n"],
        ["shm"],
    ),
    (
        "MIOpen(HIP): Error [BuildHip] HIPRTC status = HIPRTC_ERROR_COMPILATION (6), source file: MIOpenNeuron.cpp\n"
        "/tmp/comgr-1-2-3a/include/miopen_cstdint.hpp:36:34: error: typedef redefinition with different types\n"
        "RuntimeError: miopenStatusUnknownError",
        {**LINUX, "gpu": "Radeon RX 6650 XT"},
        [r"cudnn\.enabled = False"],
        ["HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: Couldn't find appropriate backend to handle uri a.wav and format None.",
        {},
        ["install soundfile"],
        [],
    ),
    # A PyTorch that is older than the GPU fails in cuDNN first.
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        {**LINUX, "gpu": "RTX 2060", "packages": {"torch": "1.0.1"}, "python": "3.8"},
        ["CUDA 9", "whl/cu"],
        ["ldconfig"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\ntorch 1.5.1, CUDA 10.2, RTX 3080",
        LINUX,
        ["whl/cu"],
        [],
    ),
    (
        "RuntimeError: No HIP GPUs are available\nRyzen 7 5700U with Radeon Graphics\ntorch\\csrc\\",
        WINDOWS,
        ["gfx90c", "CPU"],
        ["Linux"],
    ),
    ("AssertionError: Torch not compiled with CUDA enabled\nJetson AGX Orin", LINUX, [r"3\.8 in 5"], []),
    # OpenVINO's other devices, a virtual GPU without CUDA, a Jetson's containers.
    (
        "src\\plugins\\intel_npu\\src\\plugin\\src\\backends.cpp:247:\nNo NPU devices were found.",
        {"os": "Windows 11"},
        [r"Windows Update", r"NPU driver"],
        [r"usermod", r"/dev/accel"],
    ),
    (
        'RuntimeError: Device with "NPU" name is not registered in the OpenVINO Runtime',
        {"os": "Ubuntu 24.04"},
        [r"intel-level-zero-npu", r"usermod -aG render", r"/dev/accel"],
        [r"Windows Update", r"libze-intel-gpu1"],
    ),
    ("    Quadro P400: invalid vendor type", {}, [r"onnxruntime", r"Intel GPU"], [r"intel-opencl-icd"]),
    (
        'msg="no compatible GPUs were discovered"\n|   0  NVIDIA A16-4A          WDDM  | 00000000:02:01.0  On |     N/A |',
        {},
        [r"ends in Q or C"],
        [r"install the graphics driver again"],
    ),
    (
        "NVIDIA Jetson Nano\nINFO:    Could not find any nv files on this host!",
        {},
        [r"--runtime nvidia", r"aarch64-linux-gnu/tegra"],
        [r"node with a GPU"],
    ),
    (
        'level=INFO msg="Unable to load cudart CUDA management library /usr/lib/libcudart.so.12: cudart init failure: 100"',
        {"os": "Ubuntu 22.04"},
        [r"nvidia-smi", r"CUDA_VISIBLE_DEVICES"],
        [r"nothing has to be installed"],
    ),
    # Memory of the machine, not of the GPU; and a cuDNN that does not start.
    (
        "E xla/stream_executor/cuda/cuda_driver.cc:1629] failed to alloc 2147483648 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: "
        "out of memory",
        {"os": "wsl2"},
        [r"wslconfig", r"prefetch"],
        [r"memory growth", r"nvidia-smi"],
    ),
    (
        "W gpu_host_allocator.h:46] could not allocate pinned host memory of size: 8589934592",
        {"os": "Ubuntu 22.04"},
        [r"ulimit -l", r"shuffle"],
        [r"wslconfig", r"nvidia-smi"],
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
        "AttributeError: module 'cupy' has no attribute 'asarray'",
        {},
        [r"pip uninstall -y cupy cupy-cuda11x", r"pip list"],
        [r"pip check"],
    ),
    # rocBLAS: the old folder that a loader finds first, and an SDK without the GPU.
    (
        "rocBLAS error: Cannot read /opt/rocm-5.4.0/rocblas/lib/rocblas/library/TensileLibrary.dat: No such file or directory",
        {},
        [r"ROCBLAS_TENSILE_LIBPATH", r"LD_LIBRARY_PATH=/opt/rocm/lib\n"],
        [r"HSA_OVERRIDE"],
    ),
    (
        "rocBLAS error: Cannot read C:\\Program Files\\AMD\\ROCm\\6.2\\bin\\/rocblas/library/TensileLibrary.dat: No such file "
        "or directory for GPU arch : gfx1200",
        {},
        [r"HIP SDK 6\.4\.2"],
        [r"HSA_OVERRIDE", r"DirectML"],
    ),
    # NVIDIA's installer: a driver in use, and a GPU that it does not know.
    (
        "ERROR: An NVIDIA kernel module 'nvidia-uvm' appears to already be loaded in your kernel.",
        {},
        [r"isolate multi-user", r"--toolkit"],
        [r"pip", r"doctor"],
    ),
    (
        "WARNING: You do not appear to have an NVIDIA GPU supported by the 470.63.01",
        {},
        [r"lspci", r"newer one for a new GPU"],
        [r"Secure Boot"],
    ),
    (
        'RunPodSandbox failed: no runtime for "nvidia" is configured',
        {},
        [r"--runtime=containerd", r"toolkit\.env"],
        [r"--gpus"],
    ),
    (
        "kernel 5.15.90.1-microsoft-standard-WSL2\n" + NVIDIA_SMI,
        {},
        [r"purge 'nvidia-driver", r"wsl --update"],
        [r"modprobe", r"ubuntu-drivers"],
    ),
    (
        "CentOS 7\nNVRM: nouveau, rivafb, nvidiafb or rivatv\n" + NVIDIA_SMI,
        {},
        [r"sudo dracut"],
        [r"\bsudo update-initramfs"],
    ),
    # Xid 13 is of a program; its words are not those of a processor.
    (
        "NVRM: Xid (PCI:0000:41:00): 13, pid=7, name=python3, Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Illegal "
        "Instruction Encoding",
        {},
        [r"CUDA_LAUNCH_BLOCKING=1", r"compute-sanitizer"],
        [r"AVX", r"power"],
    ),
    # A library of the driver that only the cache of the host's linker has.
    (
        "nvidia-container-cli: detection error: open failed: /usr/lib64/libnvidia-tls.so.525.60.11: no such file or directory",
        {},
        [r"sudo ldconfig", r"libnvidia-tls\.so\.525"],
        [r"--gpus"],
    ),
    # A Jetson by its software's name, where OpenBLAS takes the processor for another.
    (
        ">>> import onnx\nIllegal instruction (core dumped)\nXavier NX, JetPack 4.6",
        {},
        [r"OPENBLAS_CORETYPE=ARMV8"],
        [r"AVX"],
    ),
    (
        NO_WHEEL % "onnxruntime-gpu",
        {"os": "Ubuntu 22.04", "arch": "aarch64", "python": "3.10"},
        [r"install onnxruntime$"],
        [r"install onnxruntime-gpu"],
    ),
    # Intel's Arc A series on the driver xe; a runtime that is there, and too old for the kernel.
    (
        "Number of platforms                               0\nIntel Arc A380, booted with xe.force_probe=56a5",
        {},
        [r"xe\.force_probe", r"i915"],
        [r"usermod", r"apt-get install"],
    ),
    (
        "Number of platforms                               0",
        {**LINUX, "gpu": "Intel Arc A770"},
        [r"installed already: update it"],
        [r"force_probe"],
    ),
    # apt: AMD's packages next to those of the distribution, and what AMD has no more.
    (
        " rocm-dev : Depends: rocm-cmake (= 0.14.0.60300-9~24.04) but 6.0.0-1 is to be installed",
        {},
        [r"Pin-Priority: 600", r"takes rocm-cmake 6\.0\.0-1"],
        [r"amdgpu-install"],
    ),
    (
        " rocm-dkms : Depends: rock-dkms but it is not installable",
        {},
        [r"amdgpu-install"],
        [r"Pin-Priority"],
    ),
    # An executable stack, also of a library without which most programs do.
    (
        "Unable to load library: libnvinfer_builder_resource.so.10.3.0: libnvinfer_builder_resource.so.10.3.0: cannot enable "
        "executable stack as shared object requires: Invalid argument",
        {},
        [r"TensorRT 10\.8", r"clear-execstack"],
        [],
    ),
    # What moved in Numba, what came with a later Python, and two packages of different times.
    ("ModuleNotFoundError: No module named 'numba.decorators'", {}, [r"numba<0\.50", r"Update the package"], []),
    (
        "ImportError: cannot import name 'TypeAlias' from 'typing' (/usr/lib/python3.9/typing.py)",
        {},
        [r"Python 3\.10", r"uv venv"],
        [r"jax", r"struct"],
    ),
    (
        "ImportError: cannot import name 'override' from 'typing' (/usr/lib/python3.11/typing.py)",
        {},
        [r"venv --python 3\.12"],
        [],
    ),
    # jax-metal, which a framework on top of JAX calls; a JAX whose build with CUDA PyPI has not; conda's own jaxlib.
    (
        "error: failed to legalize operation 'mhlo.sort'\njax-metal                 0.1.0",
        {},
        [r"JAX_PLATFORMS=cpu"],
        [r"PowerShell", r"env:"],
    ),
    (
        "INVALID_ARGUMENT: DLPack tensor is on GPU, but no GPU backend was provided.\njax 0.4.20\njaxlib 0.4.20",
        {},
        [r'"jax\[cuda12_pip\]==0\.4\.20" -f https', r'upgrade "jax\[cuda12\]"'],
        [],
    ),
    (
        "XlaRuntimeError: INTERNAL: libdevice not found at ./libdevice.10.bc\nIt is in $CONDA_PREFIX/nvvm/libdevice, of "
        "conda-forge jaxlib",
        {},
        [r"cuda_data_dir=\$CONDA_PREFIX"],
        [r"nvidia-cuda-nvcc-cu12"],
    ),
    # A jaxlib for CUDA that was asked for "gpu", which the JAX of its time takes for AMD's as well.
    (
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: "
        '"rocm". Available platform names are: Host CUDA',
        {},
        [r'"jax_platforms", "cuda"', r"JAX_PLATFORMS=cuda"],
        [r"rocm7"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: "
        '"rocm". Available platform names are: Host CUDA',
        {**LINUX, "gpu": "AMD Instinct MI210"},
        [r"jax-rocm7-plugin"],
        [r"JAX_PLATFORMS=cuda"],
    ),
    # A jaxlib that has CUDA itself needs no plug-in; where it has not, the plug-in follows the JAX that is there.
    (
        "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'\n"
        "jaxlib                    0.4.14+cuda12.cudnn89",
        {},
        [r"uninstall -y jax-cuda12-plugin jax-cuda12-pjrt"],
        [r"upgrade jax jaxlib"],
    ),
    (
        "INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.70) and framework PJRT API version 0.54).",
        {**LINUX, "packages": {"jax": "0.4.35", "jaxlib": "0.4.35"}, "gpu": "RTX A6000"},
        [r'"jax\[cuda12\]==0\.4\.35"'],
        [r"upgrade"],
    ),
    # What stops the build of NVIDIA's module: another gcc; a branch that has ended, which no package of today replaces.
    (
        "Compiler version check failed:\n\nThe major and minor number of the compiler used to\ncompile the kernel:\n",
        {},
        [r"IGNORE_CC_MISMATCH=1", r"--no-cc-version-check"],
        [r"nouveau", r"mokutil"],
    ),
    (
        "Error! Bad return status for module build on kernel: 6.6.1-arch1-1 (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/390.154/build/make.log for more information.",
        {},
        [r"branch 390", r"linux-lts", r"nvidia-390xx-dkms"],
        [r"nvidia-open"],
    ),
    (
        "Error! Bad return status for module build on kernel: 6.6.1-arch1-1 (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/550.1.2/build/make.log for more information.",
        {},
        [r"newer driver"],
        [r"has ended"],
    ),
    (
        "NVRM kgspInitRm_IMPL: missing NVDEC0 engine, cannot initialize GSP-RM\nNVRM: GPU 0000:0a:00.0: RmInitAdapter failed!",
        {},
        [r"open kernel modules", r"without -open"],
        [r"Switch the machine off"],
    ),
    # A machine without NVSwitch needs no fabric manager; with one, its version counts.
    (
        "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
        {},
        [r"nvidia-fabricmanager-BRANCH"],
        [],
    ),
    # NVML: a device node that may not be opened is not a call that is not allowed.
    ("pynvml.nvml.NVMLError_NoPermission: Insufficient Permissions", {}, [r"Mig", r"SYS_ADMIN"], [r"usermod"]),
    ("Failed to initialize NVML: Insufficient Permissions", {}, [r"usermod", r"ls -l /dev/nvidia"], [r"SYS_ADMIN"]),
    # Slurm: built without the library, and without it on the node.
    (
        "slurmd: fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm "
        "was configured.",
        {},
        [r"built without", r"slurm-wlm-nvml-plugin", r"File=/dev/nvidia"],
        [r"--gres", r"pip install"],
    ),
    (
        "slurmd: We were configured with nvml functionality, but that lib wasn't found on the system.",
        {},
        [r"nvidia-smi", r"restart slurmd"],
        [r"--gres"],
    ),
    # oneAPI: of which year a library is, and which of two is too new.
    ("ImportError: libmkl_sycl.so.2: cannot open shared object file", {}, [r"libmkl_sycl\.so\.2 of 2022"], []),
    (
        "ImportError: /e/lib/libmkl_sycl_blas.so.4: undefined symbol: _ZN4sycl3_V17handler3fooEb",
        {},
        [r"oneMKL is newer", r"intel-sycl-rt"],
        [r"xpu-smi"],
    ),
    # PaddlePaddle words CUDA's errors its own way.
    (
        "Error: cudaGetDeviceCount failed in paddle::platform::GetCUDADeviceCountImpl, error code : 35, Please see detail",
        {},
        [r"Update NVIDIA's driver", r"label"],
        [r"pip install torch", r"tensorflow"],
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
    (
        "RuntimeError: (PreconditionNotMet) The third-party dynamic library (mklml.dll) that Paddle depends on is not "
        "configured correctly. (error code is 126)",
        WINDOWS,
        [r"paddle/libs"],
        [r"CUDA 11"],
    ),
    # The number of OpenVINO's libraries is its release.
    (
        "Failed to load library libonnxruntime_providers_openvino.so with error: /e/capi/libopenvino_c.so.2500: undefined "
        "symbol: _ZN2ov4Core3fooEv",
        LINUX,
        [r"openvino==2025\.0\.0", r"Two releases"],
        [r"cuDNN"],
    ),
    # pip's TensorRT is there, in its own folder.
    (
        "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot open shared object "
        "file: No such file or directory\ntensorrt_cu12_libs        10.9.0",
        LINUX,
        [r"tensorrt_libs\.__path__", r"number in libnvinfer\.so\.10"],
        [r"pip install"],
    ),
    # The driver container of the GPU Operator.
    (
        "Resolving Linux kernel version...\nCould not resolve Linux kernel version",
        {},
        [r"driver\.enabled=false", r"DNS"],
        [r"docker run"],
    ),
    ("Could not unload NVIDIA driver kernel modules, driver is in use", {}, [r"Drain the node"], [r"nvidia-ctk"]),
    # NCCL's own file of connections matters where it fails, and there alone.
    (
        "h:1:9 [0] NCCL INFO NCCL_GRAPH_FILE set by environment to /opt/x.xml\nNCCL error in: x.cpp:1, unhandled system error",
        {},
        [r"unset NCCL_GRAPH_FILE", r"/etc/nccl\.conf"],
        [r"NCCL_P2P", r"Env:"],
    ),
    # A GPU that people name in a sentence.
    (
        "Status Message: CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the "
        "device\nI have an RTX 5080 and onnxruntime-gpu==1.23.0",
        {},
        [r"onnxruntime-gpu==1\.22\.0"],
        [],
    ),
    # The toolkit of the driver's CUDA, for Numba; the folder of a DLL, for CuPy; the library of Windows' driver, in WSL.
    (
        "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR\n"
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 7.5; current version is '7.4'",
        {},
        [r"cudatoolkit=11\.4"],
        [],
    ),
    (
        "cupy.cuda.compiler.CompileException: nvrtc: error: failed to open nvrtc-builtins64_112.dll.",
        WINDOWS,
        [r"CUDA\\v11\.2\\bin"],
        [r"LD_LIBRARY"],
    ),
    (
        "RuntimeError: Failed to dlopen libcuda.so\nLinux version 5.15.90.1-microsoft-standard-WSL2",
        {},
        [r"LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    # Wheels for x86 alone, on ARM: no older release has one, and a marker leaves it out.
    (
        "hint: You're on Linux (`manylinux_2_35_aarch64`), but `onnxruntime-gpu` (v1.22.0) only has wheels for the following "
        "platforms: `manylinux_2_27_x86_64`, `win_amd64`",
        {},
        [r"onnxruntime; platform_machine != 'x86_64'"],
        [r"older release", r"required-environments"],
    ),
    (
        "hint: You're on Linux (`manylinux_2_17_x86_64`), but `onnxruntime-gpu` (v1.22.0) only has wheels for the following "
        "platforms: `manylinux_2_27_x86_64`, `win_amd64`",
        {},
        [],
        [r"platform_machine"],
    ),
    # tensorflow-gpu in a release that there was: it stays, on a Python that has it.
    (
        NO_WHEEL % "tensorflow-gpu==2.4.1",
        {**LINUX, "python": "3.11"},
        ["python 3.8", "tensorflow-gpu==2.4.1"],
        ["and-cuda"],
    ),
    (
        NO_WHEEL % "tensorflow-gpu==2.4.1",
        {**LINUX, "python": "3.9"},
        ["tensorflow-gpu==2.10.1", "python 3.8"],
        ["2.11", "and-cuda"],
    ),
    (NO_WHEEL % "tensorflow-gpu==2.12.0", {**LINUX, "python": "3.11"}, ["and-cuda"], ["install tensorflow-gpu"]),
    # TensorFlow with pip's CUDA: 2.21.0 takes no GPU with them, and cuDNN from 9.11 on has no code for Pascal.
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**WINDOWS, "python": "3.11", "packages": {"tensorflow": "2.14.0"}, "gpu": "GTX 1060"},
        [r"and-cuda\]==2\.20\.\*\" \"nvidia-cudnn-cu12<9\.11"],
        [],
    ),
    # What an older TensorFlow for Windows left behind is not what the new one requires.
    (
        "tensorflow-intel 2.15.0 requires numpy<2.0.0,>=1.23.5, but you have numpy 2.1.3 which is incompatible.\n"
        "tensorflow-intel 2.15.0 requires tensorboard<2.16,>=2.15, but you have tensorboard 2.20.0 which is incompatible.",
        {},
        [r"uninstall -y tensorflow-intel tensorflow\b", r"tensorflow==2\.20\.\*"],
        [r"numpy<2"],
    ),
    # The line of modprobe says why nvidia-smi reaches no driver.
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
        "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
        {},
        [r"^Secure Boot refuses", r"mokutil --import"],
        [],
    ),
    # Line 62 is of TensorFlow 2.10 and 2.11, which an older Visual C++ runtime does for.
    (
        'File "C:\\env\\lib\\site-packages\\tensorflow\\python\\pywrap_tensorflow.py", line 62, in <module>\n'
        "    # This try catch logic is because there is no bazel equivalent for py_extension.\n"
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) "
        "initialization "
        "routine failed.",
        {**WINDOWS, "packages": {"tensorflow": "2.10.0"}},
        [r"AVX", r"winget install"],
        [r"2\.17"],
    ),
    # An array that is copied as a whole; the two copies of a plug-in; a hosted notebook without a GPU.
    (
        "InternalError: Failed copying input tensor from CPU:0 to GPU:0 in order to run _EagerConst: "
        "Dst tensor is not initialized.",
        {"packages": {"tensorflow": "2.9.1"}},
        [r"tf\.data\.Dataset"],
        [r"smaller batch"],
    ),
    (
        'status: INTERNAL: platform is already registered with name: "DML"',
        {**WINDOWS, "packages": {"tensorflow-cpu": "2.10.0"}},
        [r"uninstall -y tensorflow-directml-plugin"],
        [],
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
        "kernel driver does not appear to be running on this host (8a1c6f9d2b3e): /proc/driver/nvidia/version does not exist\n"
        "root@8a1c6f9d2b3e:/content#",
        {},
        [r"Change runtime type"],
        [r"docker"],
    ),
    # The installed release of JAX and of vLLM is put right before a newer one is installed.
    (
        "Unable to initialize backend 'cuda': Found cuSOLVER version 11101, but JAX was built against version 11401, which "
        "is newer. The copy of cuSOLVER that is installed must be at least as new as the version against which JAX was built.",
        {**LINUX, "packages": {"jax": "0.4.20", "jaxlib": "0.4.20+cuda11.cudnn86"}},
        [r'"jax\[cuda11_pip\]==0\.4\.20" -f https', r"unset LD_LIBRARY_PATH"],
        [],
    ),
    (
        "ImportError: /venv/lib/python3.11/site-packages/vllm/_C.abi3.so: undefined symbol: _ZN3c106ivalue6Future",
        {**LINUX, "packages": {"torch": "2.7.1", "vllm": "0.8.5"}},
        [r"--force-reinstall vllm==0\.8\.5", r"uv venv"],
        [],
    ),
    # Lightning asks for a GPU, and raises: a build for the CPU is replaced, and without a GPU the program has to change.
    (
        "MisconfigurationException: You requested GPUs: [0, 1]\n But your machine only has: []\n"
        "_pytorch_select           0.1                       cpu_0  ",
        {},
        [r'conda install "pytorch=\*=\*cuda'],
        [r"nothing has to be installed", r"hidden GPU"],
    ),
    (
        "MisconfigurationException: You requested GPUs: [0]\n But your machine only has: []",
        {**LINUX, "python": "3.10", "packages": {"torch": "1.13.1+cpu"}},
        [r"build without CUDA", r"torch==1\.13\.1.*whl/cu117"],
        [r"nothing has to be installed", r"hidden GPU"],
    ),
    # The web UI for AMD's GPUs takes PyTorch for the CPU where it finds no HIP SDK: no build for CUDA helps.
    (
        "ROCm: version=None\nZLUDA support: experimental\nFailed to install ZLUDA: name 'HIPSDK' is not defined\n"
        "Using CPU-only torch\n" + NO_CUDA_TORCH,
        {},
        [r"HIP SDK", r"HIP_PATH", r"6\.4\.2", r"venv and \.zluda", r"--directml"],
        [r"whl/cu", r"git clone"],
    ),
    (
        'venv "D:\\sd\\stable-diffusion-webui-amdgpu-forge\\venv\\Scripts\\Python.exe"\n' + NO_CUDA_TORCH,
        {"os": "windows"},
        [r"--directml", r"HIP SDK"],
        [r"whl/cu", r"git clone"],
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
    # Of one block there may be too much where memory is free: Intel's older GPUs take none of 4 GiB.
    (
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 5.50 GiB. GPU 0 has a total capacity of 15.91 GiB. "
        "Of the allocated memory 210.00 MiB is allocated by PyTorch, and 4.00 MiB is reserved by PyTorch but unallocated.",
        {**LINUX, "gpu": "Intel Arc A770"},
        [r"export UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1"],
        [r"xpu-smi", r"exhausted"],
    ),
    (
        "RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to allocate 4.50 GiB",
        {**LINUX, "gpu": "Intel Arc A750"},
        [r"4 GiB or more", r"in slices"],
        [r"RELAXED", r"xpu-smi"],
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
        IMPORTS % ("/venv/lib/python3.10/site-packages/tensorflow/python/x.py", "nn_gradient", "tensorflow.python.ops")
        + "tensorflow/python/ops/__init__.py)",
        {},
        [r"two versions", r"ninstall every"],
        [],
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
    # TensorFlow before 1.3 does not name the allocator, conda has builds for an old driver, and a Dockerfile sets variables.
    (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:277] Ran out of memory trying to allocate 1.25GiB.  See logs for "
        "memory state.",
        {"os": "linux"},
        [r"device's memory", r"nvidia-smi\n(?s:.*)allow_growth=True"],
        [r"does not say whether", r"set_memory_growth"],
    ),
    (
        "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {**LINUX, "python": "3.6", "driver": "390.87", "packages": {"tensorflow-gpu": "1.12.0"}, "note": "conda"},
        [r"release of TensorFlow for an older CUDA"],
        [r"conda install"],
    ),
    (
        "$ conda activate tf\ncudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {**LINUX, "python": "3.6", "driver": "390.87", "packages": {"tensorflow-gpu": "1.12.0"}},
        [r"conda install tensorflow-gpu cudatoolkit=9\.0"],
        [r"9\.1"],
    ),
    (
        "nothing provides __cuda needed by tensorflow-2.9.1-cuda112py310",
        LINUX,
        [r"ENV CONDA_OVERRIDE_CUDA="],
        [r"PowerShell"],
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
        IMPORTED.replace("3.11", "3.10") % "keras/preprocessing/__init__.py"
        + "ModuleNotFoundError: No module named 'keras_preprocessing'",
        {"packages": {"tensorflow": "2.12.1"}},
        [r"keras==2\.12"],
        [r"keras-preprocessing"],
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
    # The container has the GPU, and the linker takes the stub of the toolkit for the driver's library.
    (
        "$ docker run --runtime=nvidia -it nvidia/cuda:9.0-devel bash\n"
        "\tlibcuda.so.1 => /usr/local/cuda-9.0/lib64/stubs/libcuda.so.1 (0x00007f0000000000)\n"
        "I cuda_diagnostics.cc:189] libcuda reported version is: Not found: was unable to find libcuda.so DSO loaded into "
        "this program",
        {},
        [r"grep -v stubs"],
        [r"docker run --gpus", r"container toolkit", r"without the GPU"],
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
    # No kernel of cuDNN's layer at all: a build for the CPU. With kernels for a GPU it is the right one, and sees none.
    (
        CUDNN_RNN + "Registered devices: [CPU, XLA_CPU]\nRegistered kernels:\n  <no registered kernels>\n",
        {"os": "linux", "packages": {"tensorflow": "1.13.1", "tensorflow-gpu": "1.13.1"}},
        [r"without GPU support", r"uninstall -y tensorflow tensorflow-gpu && .*install tensorflow-gpu==1\.13\.1"],
        [r"is listed", r"2\.6"],
    ),
    (
        CUDNN_RNN + "Registered devices: [CPU]\nRegistered kernels:\n  <no registered kernels>\n",
        {},
        [r"tensorflow-gpu==RELEASE"],
        [r"tensorflow==\d"],
    ),
    (
        CUDNN_RNN + "Registered devices: [CPU]\nRegistered kernels:\n  device='GPU'; T in [DT_FLOAT]\n",
        {},
        [r"needs an NVIDIA GPU"],
        [r"pip install"],
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
    # The GPU of a container: Intel's for vLLM, AMD's under Docker Desktop; providers as a text; an old GPU; torchao.
    (
        "RuntimeError: Failed to infer device type, please set the environment variable\nWarning: XPU device count is zero! "
        "(Triggered internally at /pytorch/c10/xpu/XPUFunctions.cpp:113.)",
        LINUX,
        [r"\A.*Intel.*\n.*\n.*--device /dev/dri"],
        [r"nvidia-smi", r"install vllm|force-reinstall"],
    ),
    (
        "docker: Error response from daemon: error gathering device information while adding custom device "
        '"/dev/kfd": no such file or directory.\nNAME DESCRIPTION DOCKER ENDPOINT\n'
        "desktop-linux *   Docker Desktop   unix:///home/u/.docker/desktop/docker.sock",
        LINUX,
        [r"\A.*virtual machine.*\n.*\n.*docker context use default"],
        [r"modprobe"],
    ),
    (
        "ValueError: CUDAExecutionProvider does not contain a subset of available providers ['CUDAExecutionProvider', "
        "'CPUExecutionProvider']",
        {},
        [r'providers=\["CUDAExecutionProvider"'],
        [r"doctor"],
    ),
    (
        "RuntimeError: GPUs with compute capability below 7.0 are not supported.",
        {**LINUX, "gpu": "Tesla P100", "packages": {"vllm": "0.11.0", "torch": "2.8.0"}},
        [r"capability 7\.0 or later", r"llama\.cpp"],
        [r"doctor", ANY_INSTALL],
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
    (
        "UserWarning: The operator 'aten::native_dropout' is not currently supported on the DML backend and will fall back to "
        "run on the CPU.",
        WINDOWS,
        [r"--upgrade torch-directml", r"(?i)nothing is wrong"],
        [r"\.to\('cpu'\)"],
    ),
    (
        "[E:onnxruntime:, sequential_executor.cc:572] Non-zero status code returned while running Mul node. Name:'a' Status "
        "Message: CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the device",
        {**LINUX, "gpu": "RTX 5080", "packages": {"onnxruntime-gpu": "1.23.0"}},
        [r"onnxruntime-gpu==1\.22\.0"],
        [r"pytorch\.org"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.4.1 (from versions: 2.12.0rc0, "
        "2.12.0rc1, 2.12.0, 2.12.1, 2.13.0, 2.13.1, 2.14.0, 2.14.1, 2.15.0)",
        {"os": "macos", "python": "3.11", "gpu": "Apple M1"},
        [r"macos-aarch64", r"uv pip install tensorflow==2\.(?:1[3-9]|2)"],
        [r"Intel processors: make", r"python3?\.8|==2\.4\.1"],
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
        "WARNING _custom_ops.py:15] Failed to import from vllm._C with ImportError('libcudart.so.12: cannot open shared "
        "object file: No such file or directory')\nValueError: Bfloat16 is only supported on GPUs with compute capability of "
        "at least 8.0. Your Tesla V100 GPU has compute capability 7.0. You can use float16 instead by explicitly setting the "
        "`dtype` flag in CLI, for example: --dtype=half.",
        {},
        [r"\A.*bfloat16.*\n.*--dtype half"],
        [],
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
    # A docker build has no GPU.
    (
        "Step 5/7 : RUN python3 train.py\nE cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
        {"os": "linux"},
        [r"build has no GPU", r"docker run --gpus all", r"stubs"],
        [r"modprobe", r"install NVIDIA"],
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
    # A container in WSL gets /dev/dxg.
    (
        "$ uname -r\n6.6.87.2-microsoft-standard-WSL2\n$ docker run --device=/dev/kfd --device=/dev/dri rocm/pytorch\n"
        'docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no '
        "such file or directory.",
        {},
        [
            r"WSL have no /dev/kfd",
            r"docker run --device=/dev/dxg -e HSA_ENABLE_DXG_DETECTION=1 -v /usr/lib/wsl/lib/libdxcore",
        ],
        [r"export HSA_ENABLE", r"rm \""],
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
    # Keras 2 of tf_keras stays Keras 2, pip's libraries of TensorFlow 2.14 lack one, and a GPU that others had filled.
    (
        IMPORTED % "tf_keras/src/engine/input_layer.py" + "ValueError: Unrecognized keyword arguments: ['batch_shape']",
        LINUX,
        [r"use keras\.models\.load_model", r"unset TF_USE_LEGACY_KERAS"],
        [r"--upgrade"],
    ),
    (
        "Could not load library libcudnn_cnn_train.so.8. Error: libnvrtc.so: cannot open shared object file: No such file",
        {**LINUX, "packages": {"tensorflow": "2.14.1"}},
        [r"nvrtc-cu11==11\.8\.89", r"ln -s libnvrtc\.so\.11\.2"],
        [r"so\.12"],
    ),
    (
        "Limit:                    73400320\nInUse:                        4096\n"
        "tensorflow.python.framework.errors_impl.InternalError: Dst tensor is not initialized.",
        LINUX,
        [r"(?s)only 73 MB.*nvidia-smi.*smaller batch"],
        [],
    ),
    # Names that Keras and TensorFlow gave up, or have only since a release.
    (
        "AttributeError: 'Functional' object has no attribute 'predict_classes'",
        {},
        [r"argmax\(model\.predict"],
        [r"doctor"],
    ),
    ("AttributeError: 'Model' object has no attribute 'fit_generator'", {}, [r"model\.fit\b"], [r"argmax"]),
    (
        "AttributeError: module 'tensorflow_core._api.v2.config' has no attribute 'set_visible_devices'",
        {**LINUX, "python": "3.7.9"},
        [r"config\.experimental\.set_visible_devices", r"tensorflow>=2\.1"],
        [r"pip check"],
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
    # An empty list below its label, where the line that prints both is there, too.
    (
        "print(tf.__version__)\nprint(f'my devices : {tf.config.list_physical_devices(\"GPU\")}')\n2.5.0\nmy devices : []",
        {**LINUX, "python": "3.8.10", "packages": {"tensorflow": "2.5.0"}, "cuda": "11.0"},
        [r"CUDA 11\.2"],
        [],
    ),
    # What is decided by one variable, or by the releases of the system or of the toolkit.
    (
        "Error: mkl-service + Intel(R) MKL: MKL_THREADING_LAYER=INTEL is incompatible with libgomp.so.1 library.",
        LINUX,
        [r"export MKL_THREADING_LAYER=GNU"],
        [],
    ),
    ("RuntimeError: MPS does not support min op with int64 input", {}, [r"13\.3", r"upgrade torch"], [r"MPS_FALLBACK"]),
    (
        "rocblaslt warning: No paths matched /e/torch/lib/hipblaslt/library/*gfx906*co. Make sure that it is set correctly.\n"
        "RuntimeError: CUDA error: HIPBLAS_STATUS_NOT_SUPPORTED when calling `HIPBLAS_STATUS_NOT_SUPPORTED`",
        LINUX,
        [r"export TORCH_BLAS_PREFER_HIPBLASLT=0"],
        [r"HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: The device (Intel(R) Arc(TM) Graphics) doesn't support querying the available free memory.",
        LINUX,
        [r"export UR_L0_ENABLE_SYSMAN_ENV_DEFAULT=0"],
        [r"first error"],
    ),
    (
        "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check it",
        {**LINUX, "python": "3.7"},
        [r"cudatoolkit=11\.2", r"numba<0\.54"],
        [r"numba-cuda"],
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
    # docker run --gpus without a CDI description: NVIDIA's comes with the toolkit, for others leave the option out.
    (
        NO_VENDOR,
        {**LINUX, "gpu": "Intel UHD 630"},
        [r"Without --gpus", r"docker run --device /dev/dri"],
        [r"nvidia-ctk|oolkit"],
    ),
    (
        NO_VENDOR,
        {**LINUX, "gpu": "NVIDIA RTX A2000"},
        [r"docker run --gpus all", r"nvidia-ctk cdi generate"],
        [r"podman"],
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
    # Slurm's nodes, the GPU's own processor, JAX's memory, and what is for another maker's GPU.
    (
        "slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, see https://github.com/x\n"
        "slurmstepd: error: pyxis: couldn't start container",
        {},
        [r"install -y libnvidia-container-tools"],
        [r"docker", r"first error"],
    ),
    ("Reason=gres/gpu count reported lower than configured (3 < 4)", LINUX, [r"nvidia-smi -L", r"state=resume"], []),
    (
        "NVRM: Xid (PCI:0000:41:00): 119, pid=911, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP!",
        {**LINUX, "gpu": "NVIDIA A100"},
        [r"sudo reboot", r"NVreg_EnableGpuFirmware=0 \| sudo tee"],
        [r"dmesg"],
    ),
    (
        "NVRM: Xid (PCI:0000:41:00): 119, pid=911, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP!",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 5090"},
        [r"another release of the driver"],
        [r"NVreg_"],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 3.00GiB on device ordinal 0",
        LINUX,
        [r"three quarters.*\n.*export XLA_PYTHON_CLIENT_PREALLOCATE=false"],
        [r"batch; JAX"],
    ),
    (
        "Traceback (most recent call last):\n"
        '  File "D:\\m\\envs\\ocr\\lib\\site-packages\\onnxruntime\\capi\\_pybind_state.py", line 32, in <module>\n'
        "ImportError: DLL load failed while importing onnxruntime_pybind11_state: A dynamic link library (DLL) "
        "initialization routine failed.",
        WINDOWS,
        [r"conda install -c conda-forge vs2015_runtime[\s\S]*winget"],
        [],
    ),
    (
        "OSError: libcublas.so.12: cannot open shared object file: No such file or directory (onnxruntime)",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XT", "python": "3.11", "packages": {"onnxruntime-gpu": "1.20.1"}},
        [
            r"uninstall -y onnxruntime onnxruntime-gpu && python -m pip install onnxruntime-migraphx",
            r"install onnxruntime(\n|$)",
        ],
        [r"cuda-toolkit"],
    ),
    # The file that fails names the package to update; a JAX keeps its CUDA.
    (
        "cupy.cuda.compiler.CompileException: /u/site-packages/cupy/_core/include/cupy/_cuda/cuda-12.6/cuda_fp16.h(131): "
        'catastrophic error: cannot open source file "vector_types.h"',
        LINUX,
        [r'"nvidia-cuda-runtime-cu12==12\.6\.\*"', r'--upgrade "cupy-cuda12x\[ctk\]"'],
        [r"another CUDA", r"cupy-cuda11x"],
    ),
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
    (
        "$ docker run --rm --gpus all cuda nvidia-smi\nFailed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2"},
        [r"no-cgroups=false --in-place && sudo systemctl restart docker"],
        [],
    ),
    (
        "|   0  Tesla P40                    TCC   |   00000000:65:00.0 Off |                    0 |\n"
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {},
        [r"nvidia-smi -g 0 -dm 0"],
        [r"wsl --update"],
    ),
    (
        "Unable to determine the device handle for GPU1: 0000:65:00.0: Unknown Error\nNo devices were found",
        {"os": "wsl2"},
        [r"nvidia-smi -g 0 -dm 0"],
        [r"dmesg"],
    ),
    # One library of CUDA 10.1; NCCL in a container; a library of others for TensorFlow 1.
    (
        "I dso_loader.cc:48] Successfully opened dynamic library libcudart.so.10.1\nW dso_loader.cc:59] Could not load dynamic"
        " library 'libcublas.so.10'; dlerror: libcublas.so.10: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow": "2.3.1"}, "cuda": "10.1"},
        [r"libcublas10=10\.2\.1\.243-1", r"cuda-10\.2/lib64"],
        [r"conda install", r"2\.1, 2\.2"],
    ),
    (
        "InternalError: 2 root error(s) found.\n  (0) Internal:  NCCL: unhandled system error. Set NCCL_DEBUG=WARN for it.",
        {"os": "container", "packages": {"tensorflow": "2.3.1"}},
        [r"\A.*shared memory", r"--ipc=host", r"NCCL_DEBUG"],
        [r"devicekit doctor"],
    ),
    (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    import model\n  File '
        '"/srv/models/research/object_detection/box_predictor.py", line 23, in <module>\n    slim = tf.contrib.slim\n'
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"\A.*\nRun it on TensorFlow 1\.15", r"tensorflow/models"],
        [r"Replace what it takes"],
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
    # A program with a package's name that hides nothing: it is the script itself, and the package runs.
    (
        'Traceback (most recent call last):\n  File "/srv/app/keras.py", line 9, in <module>\n    net = load_model("n.h5")\n'
        '  File "/srv/e/site-packages/tensorflow/python/keras/saving/save.py", line 137, in load_model\n'
        "ValueError: ('Unrecognized keyword arguments:', dict_keys(['ragged']))",
        LINUX,
        [r"\AThe code or the saved model"],
        [r"Rename"],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/app/keras.py", line 1, in <module>\n    import tensorflow as tf\n'
        '  File "/srv/e/site-packages/tensorflow/python/util/lazy_loader.py", line 7, in _load\n'
        "ModuleNotFoundError: No module named 'keras.api'; 'keras' is not a package",
        LINUX,
        [r"Rename"],
        [],
    ),
    # A cuDNN that is not found, in a message of several lines.
    (
        "UnimplementedError: Graph execution error:\n\nDetected at node 'net/conv2d/Conv2D' defined at (most recent call "
        "last):\nNode: 'net/conv2d/Conv2D'\nDNN library is not found.\n\t [[{{node net/conv2d/Conv2D}}]]",
        {**LINUX, "packages": {"tensorflow": "2.9.1"}},
        [r"CUDA 11\.2 and cuDNN 8\.1 or a later 8", r"conda-forge cudatoolkit=11\.2"],
        [r"soft_device_placement"],
    ),
    # The Python is right, and the package in it is for the other processor.
    (
        "ImportError: dlopen(/opt/py/lib/python3.11/site-packages/tensorflow/python/_pywrap_tensorflow.so, 0x0006): tried: "
        "'/opt/py/x.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
        {**MAC, "python": "3.11"},
        [r"\A.*\n.*\n.*uninstall -y tensorflow && python -m pip install tensorflow\n"],
        [],
    ),
    # On Windows tensorflow-intel has the files of TensorFlow 2.11 to 2.17.
    (
        "tensorflow-directml-plugin 0.4.0.dev230202 requires tensorflow-cpu==2.10.0, but you have tensorflow-cpu 2.13.1 which "
        "is incompatible.",
        WINDOWS,
        [r"uninstall -y [^;&]*tensorflow-intel.* tensorflow-cpu==2\.10\.0"],
        [],
    ),
    (
        'status: INTERNAL: platform is already registered with name: "METAL"',
        MAC,
        [r"\A.*\n.*\n.*uninstall -y tensorflow-metal\n"],
        [],
    ),
    (
        "Cell In[3], line 1\n----> 1 import tensorflow as tf\nModuleNotFoundError: No module named 'tensorflow'",
        WINDOWS,
        [r"\A.*\n.*%pip install tensorflow"],
        [],
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
    # protobuf's native part of another version.
    (
        '  File "/srv/env/lib/python3.8/site-packages/google/protobuf/message.py", line 40, in <module>\n'
        "    from google.protobuf.pyext import _message\nTypeError: bases must be types",
        {**LINUX, "packages": {"tensorflow": "2.9.1"}, "python": "3.8"},
        [r"--force-reinstall --no-cache-dir protobuf==3\."],
        ["devicekit doctor"],
    ),
    # A Python for Intel processors on a Mac: Apple's TensorFlow has wheels for these, too, up to 2.12.
    (
        "(tf) me@x86_64-apple-darwin20 ~ % pip install tensorflow-macos\n"
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos (from versions: none)",
        {**MAC, "python": "3.9"},
        [r"SYSTEM_VERSION_COMPAT=0\n.*\n.*pip install tensorflow-macos\n", "macos-aarch64"],
        ["made for arm64"],
    ),
    (
        NO_WHEEL % "tensorflow-macos",
        {**MAC, "python": "3.9", "gpu": "AMD Radeon Pro 5500M"},
        ["SYSTEM_VERSION_COMPAT=0", r"pip install tensorflow\Z"],
        ["aarch64", "arm64"],
    ),
    # A file whose tags fit this Python: it has 32 bits, and no other release helps.
    (
        "tensorflow_gpu-1.4.0-cp36-cp36m-win_amd64.whl is not a supported wheel on this platform.",
        {**WINDOWS, "python": "3.6"},
        [r"64-bit \(x64\) Python 3\.6"],
        ["WSL", ANY_INSTALL],
    ),
    # Plain tensorflow is the same where there is no wheel by another of its names.
    (
        NO_WHEEL % "tensorflow-cpu==2.15.0",
        {**MAC, "python": "3.11", "gpu": "Apple M2"},
        [r"pip install tensorflow==2\.15\.0"],
        ["container"],
    ),
    (
        NO_WHEEL % "tensorflow-intel==2.15.0",
        {"os": "wsl2", "python": "3.10"},
        [r"pip install tensorflow==2\.15\.0"],
        ["container"],
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
        "RuntimeError: No GPU found. A GPU is needed for quantization.",
        {"os": "macos", "gpu": "Apple M3"},
        [r"without load_in_4bit", r'"mps"'],
        [r"tensorflow"],
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
    # The 64-bit Python of the same release, as far as it has what was asked for.
    (
        "Python 3.10.6 (tags/v3.10.6:9c7b4bd) [MSC v.1932 32 bit (Intel)]\n"
        + IMPORTED % "../../launch_utils.py"
        + "ERROR: Could not find a version that satisfies the requirement torch==2.1.2 (from versions: none)",
        WINDOWS,
        [r"64-bit \(x64\) Python 3\.10\b"],
        [r"Python 3\.1[1-9]", r"py -3\.1[1-9]"],
    ),
    (
        "Python 3.9.13 (tags/v3.9.13:6de2ca5) [MSC v.1929 32 bit (Intel)] on win32\n" + NO_WHEEL % "tensorflow==2.10",
        WINDOWS,
        [r"py -3\.9 -m venv", r"tensorflow==2\.10\.\*"],
        [r"Python 3\.1\d"],
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
    (
        "TypeError: Operation 'neg_out_mps()' does not support input type 'int64' in MPS backend.",
        {},
        [r"\A.*\n.*\n.*--upgrade torch"],
        [r"MPS_FALLBACK"],
    ),
    (
        "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB. Please set "
        '`NCCL_P2P_DISABLE="1"` and `NCCL_IB_DISABLE="1"` or use `accelerate launch`',
        LINUX,
        [r"export NCCL_P2P_DISABLE=1", r"export NCCL_IB_DISABLE=1"],
        [r"topo"],
    ),
    (
        'OSError: [WinError 182] The operating system cannot run %1. Error loading "C:\\miniforge3\\envs\\t\\Lib\\'
        'site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
        {},
        [r"conda list openmp"],
        [r"pip install", r"VCRedist"],
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
        "ValueError: The following argument(s) are not supported with the native Keras format: ['options']",
        {**LINUX, "packages": {"tensorflow": "2.13.1"}},
        [r"save_best_only", r"\.h5"],
        [r"as the message says"],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/e/site-packages/facenet/nets.py", line 3, in conv\n'
        '  File "/srv/e/site-packages/keras/src/backend/common/keras_tensor.py", line 156, in __tf_tensor__\n'
        "ValueError: A KerasTensor cannot be used as input to a TensorFlow function.",
        LINUX,
        [r"tf-keras", r"TF_USE_LEGACY_KERAS=1"],
        [r"import Keras from TensorFlow everywhere"],
    ),
    # A wheel that only refers to a distribution without one for this Python; what conda installs for a TensorFlow of pip.
    (
        NO_WHEEL % "tensorflow==2.9.3",
        {"os": "macos", "gpu": "Apple M1", "python": "3.8"},
        [r"install tensorflow==2\.13\.0"],
        [r"2\.13\.1"],
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcufft.so.10'",
        {**LINUX, "packages": {"tensorflow": "2.11.0"}},
        [r"export LD_LIBRARY_PATH=\$CONDA_PREFIX/lib"],
        [],
    ),
    (
        "2020-01-01 10:00:00.000000: F tensorflow/core/platform/cpu_feature_guard.cc:37] The TensorFlow library was "
        "compiled to "
        "use AVX instructions, but these aren't available on your machine.",
        LINUX,
        [r"conda create -n env -c conda-forge python=3\.11 tensorflow"],
        [],
    ),
    (
        "W gpu_device.cc:2433] TensorFlow was not built with CUDA kernel binaries compatible with compute capability "
        "12.0. CUDA "
        "kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
        {**LINUX, "gpu": "GeForce RTX 5080", "packages": {"tensorflow": "2.19.0"}},
        [r"docker run --gpus all .*tensorflow:25\.02-tf2-py3"],
        [],
    ),
    # tensorflow and tensorflow-cpu own one folder.
    (
        '  File "/srv/env/lib/python3.11/site-packages/tensorflow_addons/utils/types.py", line 29, in <module>\n'
        "ModuleNotFoundError: No module named 'keras.src.engine'",
        {**LINUX, "packages": {"tensorflow-cpu": "2.16.2", "tensorflow-addons": "0.23.0"}},
        [r"tensorflow-cpu==2\.15"],
        [r"\btensorflow=="],
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
        IMPORTED % "keras/src/backend/jax/__init__.py"
        + "AttributeError: module 'numpy.dtypes' has no attribute 'StringDType'",
        LINUX,
        [r"NumPy is older", r"--upgrade numpy"],
        [r"no longer has", r"tf-keras"],
    ),
    # Variables of JAX.
    (
        IMPORTED % "jax/_src/xla_bridge.py" + "    assert _default_backend is not None\nAssertionError",
        LINUX,
        [r"unset JAX_PLATFORMS"],
        [r"doctor"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'CUDA': Backend 'CUDA' is not in the list of known backends: "
        "['cpu', 'tpu'].",
        LINUX,
        [r"lower case", r"unset JAX_PLATFORMS"],
        [r"pip install"],
    ),
    # Files that cannot be read, or are not there any more.
    (
        "PermissionError: [Errno 13] Permission denied: '/srv/env/lib/python3.11/site-packages/wrapt/__init__.py'",
        LINUX,
        [r"may not read", r"chmod -R a\+rX"],
        [r"pip may not write"],
    ),
    (
        "/srv/env/bin/python: error while loading shared libraries: libpython3.10.so.1.0: cannot open shared object file",
        LINUX,
        [r"moved or removed", r"-m venv"],
        [r"libatlas"],
    ),
    (
        "ImportError: /opt/tool/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
        "/srv/tf/libtensorflow_cc.so.2)",
        LINUX,
        [r"/opt/tool/lib", r"unset LD_LIBRARY_PATH"],
        [r"conda"],
    ),
    (
        "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "470.256.02", "packages": {"ctranslate2": "4.1.0"}},
        ["for CUDA 12", r"ctranslate2==3\.24\.0 nvidia-cublas-cu11"],
        ["torch"],
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
    (DLOPEN, {"os": "linux"}, ["was built for", r"2\.14 or later"], ["Let pip install"]),
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable",
        {"os": "windows", "gpu": "AMD Radeon RX 6600"},
        ["stable-diffusion-webui-amdgpu", "--use-directml"],
        [r"installrad"],
    ),
    (
        "zsh: illegal hardware instruction  python",
        {"os": "macos", "python": "3.9"},
        ["cpython-3.9-macos-aarch64"],
        ["3.12"],
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
        "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
        {"os": "windows"},
        ["--no-half --precision full", r"model\.float\(\)"],
        ["tensors to the CPU"],
    ),
    (
        "ImportError: Using `bitsandbytes` 4-bit quantization requires Accelerate: `pip install accelerate`",
        {"os": "linux"},
        ["accelerate bitsandbytes", r"cuda\.is_available"],
        [],
    ),
    (
        "ImportError: Using `bitsandbytes` 4-bit quantization requires Accelerate: `pip install accelerate`",
        MAC,
        ["load_in_8bit", "GGUF"],
        ["pip install"],
    ),
    (
        "whisper/transcribe.py:126: UserWarning: FP16 is not supported on CPU; using FP32 instead",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3060", "python": "3.11"},
        [r"torch\.version\.cuda", r"download\.pytorch\.org/whl/cu"],
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
        "RuntimeError: Not compiled with GPU support (deform_conv_forward at layers/csrc/deformable/deform_conv.h:137)",
        {"os": "linux"},
        ["FORCE_CUDA=1", "CUDA_HOME", "folder build"],
        [r"uninstall -y torch\b"],
    ),
    (
        "ValueError: Requested int8_float16 compute type, but the target device or backend do not support efficient "
        "int8_float16 computation.",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3060"},
        [r'compute_type="int8"', "float32", 'device="cuda"'],
        [],
    ),
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
        "Ultralytics YOLOv8.2.0 Python-3.11.4 torch-2.2.0+cpu\nValueError: Invalid CUDA 'device=0' requested.",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3070"},
        [r"torch==2\.2\.0\S* torchvision"],
        [],
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
    (
        "ERROR: Cannot install tensorflow and torch because these package versions have conflicting dependencies.\n\n"
        "The conflict is caused by:\n    torch 2.5.1+cu121 depends on typing-extensions>=4.8.0\n"
        "    tensorflow-intel 2.12.1 depends on typing-extensions<4.6.0 and >=3.6.6\n",
        {},
        [r"tensorflow>=2\.14"],
        ["Loosen", "tensorflow-intel>="],
    ),
    (
        "E cuda_blas.cc:238] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED",
        {**WINDOWS, "packages": {"tensorflow": "2.3.0"}},
        [r"\A.*\n.*end them; restart the kernels.*\nnvidia-smi", r"set_memory_growth(?:.*\n)+.*smaller batch"],
        [],
    ),
    (
        CUDNN % ("8.0.4", "8.1.0"),
        {"packages": {"tensorflow": "2.6.0"}},
        [r"cudatoolkit=11\.2 cudnn=8\.1", r"On Linux:.*\nldconfig -p", r"where\.exe cudnn64_8\.dll"],
        [r"cu12"],
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
    (
        "ValueError: File not found: filepath=net.keras. Please ensure the file is an accessible `.keras` zip file.",
        {},
        [r"os\.path\.exists", r"zipfile\.is_zipfile"],
        ["devicekit doctor", ANY_INSTALL],
    ),
    (
        "OSError: [Errno 2] Unable to open file (unable to open file: name = 'net.h5', errno = 2, error message = 'No such "
        "file or directory', flags = 0, o_flags = 0)",
        {},
        [r"os\.path\.exists"],
        ["devicekit doctor", "zipfile"],
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
    (  # PyTorch's index for CUDA 11.7 has nothing for a newer Python; the registry's build for Windows is for the CPU
        "D:\\w>pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu117\n"
        "Looking in indexes: https://download.pytorch.org/whl/cu117\n"
        "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\n"
        + NO_WHEEL
        % "torch",
        {},
        [r"torch torchvision torchaudio --index-url \S+/cu126", r"py -3\.11 .* torchaudio --index-url \S+cu117"],
        [r"pypi\.org", r"3\.14", "uv venv", r"upgrade pip"],
    ),
    (
        "Looking in indexes: https://download.pytorch.org/whl/cu117\n" + NO_WHEEL % "torch==2.0.1",
        {**WINDOWS, "python": "3.12", "driver": "471.41"},
        [r"torch --index-url \S+/cu118", r"torch==2\.0\.1 --index-url \S+/cu117"],
        [r"install torch==[\d.]+\n"],
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
    # AMD's GPUs: what belongs to PyTorch, a name without its ending, ROCm's build in WSL.
    (
        'Traceback (most recent call last):\n  File "/s/ComfyUI/main.py", line 7, in <module>\nRuntimeError: Found no NVIDIA '
        "driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com",
        {**LINUX, "gpu": "AMD Radeon RX 6750 GRE"},
        [r"install torch torchvision torchaudio --index-url \S+rocm", "HSA_OVERRIDE_GFX_VERSION=10.3.0"],
        ["ubuntu-drivers"],
    ),
    (
        ">>> torch.version.hip\n'6.4.43482-0f2d60242'\n>>> torch.cuda.is_available()\nFalse\n"
        "Linux-6.6.87.2-microsoft-standard-WSL2-x86_64-with-glibc2.39",
        {},
        ["HSA_ENABLE_DXG_DETECTION"],
        ["NVIDIA", "index-url"],
    ),
    # What a shell exports does not reach a notebook.
    (
        "<ipython-input-4-2f1e5d6c7b8a> in <cell line: 3>()\n" + HUB,
        {},
        [r'os\.environ\["TF_USE_LEGACY_KERAS"\] = "1"'],
        [],
    ),
    # DirectML's older name.
    (
        "ERROR: Could not find a version that satisfies the requirement pytorch-directml (from versions: none)",
        {"os": "windows", "python": "3.13"},
        ["torch_directml", r"3\.12 .*torch-directml"],
        ["pytorch-directml/#files"],
    ),
    # Slurm's GPUs, each task's number 0.
    (
        "srun: job 7 has been allocated resources\nRuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported "
        "devices found for platform CUDA (you may need to uninstall the failing plugin package, or set JAX_PLATFORMS=cpu)",
        {},
        ["--gres=gpu:N", r"local_device_ids=\[0\]"],
        ["uninstall", "CPU"],
    ),
    # A build of ONNX Runtime without OpenVINO, and of JAX without CUDA.
    (
        "ValueError: ['OpenVINOExecutionProvider'] does not contain a subset of available providers ['CPUExecutionProvider']",
        LINUX,
        ["onnxruntime-openvino"],
        ["preload_dlls", r"install \W?onnxruntime-gpu"],
    ),
    (
        "WARNING: jax 0.4.14 does not provide the extra 'cuda12_pip'",
        {"os": "windows"},
        ["WSL 2"],
        [],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {**LINUX, "python": "3.11", "packages": {"jax": "0.5.2", "jaxlib": "0.5.1", "numpy": "2.0.2"}},
        [r'"jax\[cuda12\]==0\.5\.2"'],
        ["numpy", "scipy"],
    ),
    # Intel's extension for PyTorch.
    (
        "ImportError: /opt/e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZN3c1010TensorTypeC1ENS_8optionalINS_10ScalarTypeEEE",
        {**LINUX, "packages": {"torch": "2.3.1", "intel-extension-for-pytorch": "2.2.0"}},
        [r"\"intel-extension-for-pytorch==2\.3\.\*\""],
        ["tensorflow", "force-reinstall"],
    ),
    # The Python that the requested release is for.
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos==2.14.0 (from versions: 2.9.0, "
        "2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)",
        {"os": "macos", "python": "3.9", "gpu": "Apple M1"},
        [r"cpython-3\.9-macos-aarch64"],
        [r"cpython-3\.12"],
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
    # Keras reads its backend once.
    (
        ">>> import keras\n>>> import os\n>>> os.environ['KERAS_BACKEND'] = 'torch'\n>>> keras.config.backend()\n'tensorflow'",
        LINUX,
        ["very top", "restart"],
        ["pip"],
    ),
    (
        "os.environ['KERAS_BACKEND'] = 'torch'\n>>> import keras\n>>> keras.backend.backend()\n'tensorflow'",
        {**LINUX, "packages": {"keras": "2.15.0"}},
        ["tf-keras|keras==3|Keras 3"],
        ["very top"],
    ),
    # TPUs.
    (
        "WARNING:jax._src.xla_bridge:970: A Google TPU may be present on this machine, but either a TPU-enabled jaxlib or "
        "libtpu is not installed. Falling back to cpu.",
        {**LINUX, "packages": {"jax": "0.6.2"}},
        [r'"jax\[tpu\]==0\.6\.2"'],
        ["cuda"],
    ),
    (
        "/e/jax/__init__.py:31: UserWarning: cloud_tpu_init failed: AttributeError(\"module 'libtpu' has no attribute "
        "'get_library_path'\")",
        LINUX,
        ["uninstall -y tensorflow-tpu libtpu", r'"jax\[tpu\]"'],
        ["cuda"],
    ),
    # ROCm in WSL.
    (
        "WSL environment detected.\nhsa_init Failed, possibly no supported GPU devices",
        {},
        ["HSA_ENABLE_DXG_DETECTION=1", "AMD's current driver"],
        ["usermod", "NVIDIA"],
    ),
    # Intel's GPUs, and others that OpenVINO does not know.
    (
        "[W Device.cpp:120] Warning: XPU Device count is zero! (function initGlobalDevicePoolState)\nSegmentation fault",
        {**LINUX, "gpu": "Intel Arc A750"},
        [r"\A.*compute runtime"],
        ["doctor", "CPU"],
    ),
    (
        "[GPU] Context was not initialized for 0 device",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 3060"},
        ['"CPU"'],
        ["compute runtime", "nvidia-driver"],
    ),
    (
        'Device with "GPU" name is not registered in the OpenVINO Runtime',
        {**LINUX, "gpu": "Intel Iris Xe"},
        ["compute runtime"],
        ["another maker"],
    ),
    # pip and the program do not mean the same TensorFlow.
    (
        "Requirement already satisfied: tensorflow==1.15.0 in /opt/e/lib/python3.7/site-packages (1.15.0)\n"
        "<ipython-input-2-0a1b2c3d4e5f> in <module>\nAttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"uninstall -y tensorflow", r"install tensorflow==1\.15\.0", "restart the notebook"],
        ["conda", "tf_slim"],
    ),
    (
        "$ pip install tensorflow==1.15.0\nRequirement already satisfied: six in /opt/e/lib/python3.9/site-packages\n"
        "ERROR: No matching distribution found for tensorflow==1.15.0\n"
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"1\.15"],
        ["uninstall"],
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
    # A virtual machine that hides AVX.
    (
        "Illegal instruction (core dumped)\nmodel name\t: QEMU Virtual CPU version 2.5+\n"
        "flags\t\t: fpu de pse tsc msr pae sse sse2 ht syscall nx lm pni cx16 hypervisor lahf_lm",
        LINUX,
        [r"\A.*\nIn the virtual machine's settings"],
        [],
    ),
    (
        "Illegal instruction (core dumped)\nflags\t\t: fpu de pse tsc msr sse sse2 pni cx16 avx hypervisor lahf_lm",
        LINUX,
        [r"\A.*\nUse a build"],
        [],
    ),
    # cuDNN suspects the driver.
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:361] Possibly insufficient driver version: 396.54.0",
        {**LINUX, "packages": {"tensorflow": "1.13.1"}},
        [r"\A.*\nThe driver \(396\.54\S*\) runs CUDA up to 9\.2"],
        [],
    ),
    (
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: "
        "CUDNN_STATUS_NOT_INITIALIZED\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 15707198976 bytes free, 16231397376 bytes "
        "total.\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:453] Possibly insufficient driver version: 470.129.6",
        LINUX,
        [r"\A.*older than CUDA 12 needs.*\nUpdate NVIDIA's driver"],
        ["memory at once"],
    ),
    # The notebook is not started in the environment that was made for it.
    (
        "$ conda create -n deep python=3.10 tensorflow\n$ conda activate deep\n$ jupyter lab\n"
        "ModuleNotFoundError: No module named 'tensorflow'",
        LINUX,
        [r"\A.*\n.*kernel.*\nconda install -n ENV ipykernel\nThen\nconda run .* --user --name ENV"],
        [],
    ),
    # R activates no environment.
    (
        "> library(tensorflow)\nImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.22' not found (required by "
        "/opt/conda/envs/r-tensorflow/lib/python3.8/site-packages/scipy/fft/_pocketfft/pypocketfft.so)",
        LINUX,
        [r"LD_LIBRARY_PATH=/opt/conda/envs/r-tensorflow/lib R\b", "-p /opt/conda/envs/r-tensorflow"],
        ["CONDA_PREFIX"],
    ),
    # What cuDNN needs, by the release; and the memory that it may lack.
    (
        "UnknownError: Fail to find the dnn implementation.\n\t [[{{node CudnnRNN}}]]",
        {**LINUX, "gpu": "NVIDIA GeForce GTX 1080", "packages": {"tensorflow": "2.3.0"}},
        [r"needs cuDNN 7\.6 .* CUDA 10\.1", "TF_FORCE_GPU_ALLOW_GROWTH=true"],
        [],
    ),
    # Nothing was computed yet: the memory is another program's.
    (
        "failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 8510701568",
        LINUX,
        [r"\A.*\n.*\nnvidia-smi\nUse another GPU"],
        ["batch", "growth"],
    ),
    # Keras's own files, over the TensorFlow whose folder is tensorflow_core.
    (
        "AttributeError: module 'tensorflow_core.compat.v2' has no attribute '__internal__'",
        {},
        [r"install keras==2\.3\.1"],
        [],
    ),
    # Types that meet in an operation.
    (
        "InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a half tensor but is a float "
        "tensor [Op:AddV2]",
        {},
        [r"tf\.cast", "mixed_float16"],
        ["driver", "install"],
    ),
    (
        "TypeError: Input 'b' of 'MatMul' Op has type float64 that does not match type int32 of argument 'a'.",
        {},
        [r"tf\.cast"],
        ["float16", "install"],
    ),
    (
        '$ conda env create --file gpu.yml\nThe "tensorflow-gpu" package has been removed!\nPlease install "tensorflow"',
        LINUX,
        [r"file, write tensorflow\[and-cuda\]"],
        ["pip install"],
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
        'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n'
        '  File "/opt/e/lib/python3.12/site-packages/layertools/old.py", line 4, in <module>\n'
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"\A.*\n.*\n.*install --upgrade layertools\n", r"tensorflow==1\.15\.5"],
        ["contrib.slim"],
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
    (
        "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n"
        "`cutlassF-pt` is not supported because:\n"
        "    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
        WINDOWS,
        [r"no kernel for a GPU this new", r"\A.*\n.*\n.*uninstall -y xformers"],
        [r"xformers\.info"],
    ),
    # The releases that pip lists say for which Python and system it looks.
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.18.0 (from versions: 2.16.0rc0, 2.16.1, "
        "2.16.2)\nERROR: No matching distribution found for tensorflow==2.18.0",
        {},
        [r"no wheel for macos-x86_64", r"install tensorflow==2\.16\.2", r"cpython-3\.\d+-macos-aarch64"],
        [r"py -3"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.12.0 (from versions: 2.16.0rc0, 2.16.1, "
        "2.16.2, 2.17.0, 2.17.1)",
        {},
        [
            r"not for 3\.12",
            r"\A.*\n.*2\.12\.0 has wheels",
            r"venv --python 3\.11(.|\n)*2\.16\.1 to 2\.\d+.*Python 3\.12",
        ],
        [r"macos-x86_64"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.4.0 (from versions: 2.2.0, 2.2.1, "
        "2.2.2, "
        "2.2.3, 2.3.0, 2.3.1, 2.3.2, 2.3.3, 2.3.4)",
        LINUX,
        [r"pip is too old", r"pip install --upgrade pip"],
        [r"conda create|venv"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==1.15.0 (from versions: 2.5.0, "
        "2.5.1, 2.5.2, "
        "2.5.3, 2.6.0)",
        LINUX,
        [r"\A.*\n.*make an environment with Python 3\.7", r"have wheels for Python 3\.9"],
        [],
    ),
    (
        "$ python -m pip install tensorflow-macos\n  error: Unable to load dependency HDF5, make sure HDF5 is installed "
        "properly"
        "\n  ERROR: Failed building wheel for h5py",
        {"os": "macos"},
        [r"venv --python 3\.12 env .* tensorflow-macos"],
        [r"env/bin/python h5py"],
    ),
    (
        "(env) me@x86_64-apple-darwin13 ~ % pip install tensorflow-macos\n"
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos (from versions: none)",
        {},
        [r"processor: install tensorflow itself.*\n.*pip install tensorflow\n"],
        [r"py -3"],
    ),
    (
        "C:\\>pip install tensorflow==2.4.0rc2\nERROR: Could not find a version that satisfies the requirement "
        "tensorflow==2.4.0rc2 (from versions: none)\nsys.version: 3.8.2 [MSC v.1916 32 bit (Intel)]",
        {"os": "windows"},
        [r"Python\.Python\.3\.8", r'tensorflow==2\.4\.0 "protobuf<4\.21"$'],
        [r"rc2\n.*rc2$"],
    ),
    # TensorFlow 1 on Windows.
    (
        "    % (build_info.cudart_dll_name, build_info.cuda_version_number))\nImportError: Could not find 'cudart64_100.dll'. "
        "TensorFlow requires that this DLL be installed in a directory that is named in your %PATH% environment variable.",
        {},
        [r"CUDA 10\.0", r"where\.exe cudart64_100\.dll"],
        [r"11\.2", r"cudart64_110"],
    ),
    (
        "ImportError: Could not find 'nvcuda.dll'. TensorFlow requires that this DLL be installed in a directory that "
        "is named "
        "in your %PATH% environment variable.",
        {},
        [r"nvidia\.com/drivers", r"uninstall -y tensorflow-gpu; python -m pip install tensorflow$"],
        [],
    ),
    (
        "    from google.protobuf.pyext import _message\nImportError: DLL load failed: The specified procedure could "
        "not be found.",
        WINDOWS,
        [r"3\.6\.8", r"protobuf==3\.6\.0"],
        [r"VCRedist"],
    ),
    (
        "ImportError: DLL load failed with error code 3221225501 while importing _pywrap_tensorflow_internal",
        {},
        [r"AVX"],
        [r"VCRedist"],
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
    # macOS.
    (
        '  File "keras/src/engine/training.py", line 3582, in compile_from_config\n'
        "AttributeError: 'SGD' object has no attribute 'build'",
        {"os": "macos", "packages": {"tensorflow": "2.14.0"}},
        [r"compile=False", r"tensorflow==2\.15\."],
        [r"keras==2\.14"],
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
    # PyTorch, ONNX Runtime and bitsandbytes of releases that do not go together, or not with Windows.
    (
        '[E:onnxruntime:Default, provider_bridge_ort.cc:1992] LoadLibrary failed with error 126 "" when trying to load '
        '"C:\\e\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
        {**WINDOWS, "packages": {"torch": "2.3.0+cu121", "onnxruntime-gpu": "1.20.1"}},
        [r"from 1\.19 on needs CUDA 12 and cuDNN 9", r"PyTorch 2\.3\.0, which brings cuDNN 8.{0,20}2\.4"],
        [],
    ),
    (
        "non-existent: {WindowsPath('/usr/local/cuda/lib64')}\nDEBUG: Possible options found for libcudart.so: set()\n"
        + BITSANDBYTES,
        {},
        [r"\Abitsandbytes before 0\.43\.0 is for Linux only", r"upgrade bitsandbytes"],
        [r"LD_LIBRARY_PATH"],
    ),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\fbgemm.dll" or one of its dependencies.',
        {**WINDOWS, "packages": {"torch": "2.4.0+cu118"}},
        [r'"torch>=2\.4\.1" --index-url \S+/cu118'],
        [],
    ),
    (
        "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000",
        {},
        [r"accelerate launch --num_processes"],
        [],
    ),
    # JAX for TPUs stays in its release, except where that release's own libtpu is the faulty one.
    (LIBTPU, {"packages": {"jax": "0.4.20"}}, [r'"jax\[tpu\]==0\.4\.20" -f '], [r"upgrade"]),
    (LIBTPU, {"packages": {"jax": "0.4.14"}}, [r'"jax\[tpu\]==0\.4\.16" -f '], [r"upgrade", r"0\.4\.14\" -f"]),
    # Whether it is a container that has too little shared memory is not known.
    (SHM, {}, [r"\.\s+.*If it runs in a container.*\n.*--shm-size(?:.*\n)+.*num_workers=0(?:.*\n)+.*remount"], []),
    # A GPU that PyTorch's builds for CUDA 12.8 and later leave out.
    (
        "/usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py:300: UserWarning: \nTesla P100-PCIE-16GB with CUDA "
        "capability sm_60 is not compatible with the current PyTorch installation.\nFileNotFoundError: /kaggle/input/x.csv",
        {},
        [r"install torch --index-url \S+/cu126", r"T4"],
        [r"torch==", r"cudnn"],
    ),
    # A program's own Python, and what belongs to its PyTorch.
    (
        r'  File "D:\Tools\maker 2\system\python\lib\site-packages\torch\cuda\__init__.py", line 9, in _lazy_init'
        + "\n"
        "AssertionError: Torch not compiled with CUDA enabled",
        {},
        [r"D:\\Tools\\maker 2\\system\\python\\python\.exe", r"torchvision and torchaudio"],
        [],
    ),
    (
        r'  File "D:\venv\python\lib\site-packages\torch\cuda\__init__.py", line 9, in _lazy_init'
        + "\n"
        + NO_CUDA_TORCH,
        {"packages": {"torch": "2.4.0", "torchvision": "0.19.0"}},
        [r"torch==2\.4\.0 torchvision"],
        [r"its own Python", "if they are there"],
    ),
    # jax-metal on a macOS that is older than it.
    (
        SELECTOR,
        {**MAC, "python": "3.11", "packages": {"jax-metal": "0.0.5", "jax": "0.4.20"}},
        [r"\.\s+Update macOS to 14\.4", r"jax-metal==0\.0\.3 jax==0\.4\.11 jaxlib==0\.4\.10"],
        [r"jax-metal==0\.1"],
    ),
    (SELECTOR, {**MAC, "python": "3.12", "packages": {"jax-metal": "0.0.7"}}, [r"14\.4"], [r"0\.4\.10"]),
    # The container toolkit is there, and this docker does not use it.
    (
        DOCKER + "\nii  nvidia-container-toolkit  1.16.1-1  amd64  NVIDIA Container toolkit",
        LINUX,
        [r"\.\s+.*Restart docker", r"sudo systemctl restart docker"],
        [r"install nvidia", r"package repository"],
    ),
    (
        DOCKER
        + "\n$ docker context ls\ndefault       Current DOCKER_HOST based configuration   unix:///var/run/docker.sock\n"
        "desktop-linux *   Docker Desktop   unix:///home/u/.docker/desktop/docker.sock",
        LINUX,
        [r"docker context use default"],
        [r"package repository"],
    ),
    (DOCKER + "\n$ snap services docker\ndocker.dockerd  enabled  active", LINUX, [r"sudo snap remove docker"], []),
    # A plug-in of JAX that asks JAX for what it does not have.
    (
        PLUGIN % "cuda12",
        {},
        [r"xla_cuda12 could not be started", r'upgrade "jax\[cuda12\]"'],
        [r"install --upgrade jax jaxlib"],
    ),
    (
        PLUGIN % "cuda12",
        {**LINUX, "packages": {"jax": "0.4.35", "jaxlib": "0.4.35", "jax-cuda12-plugin": "0.6.2"}},
        [r"jax\[cuda12\]==0\.4\.35"],
        [r"upgrade"],
    ),
    (PLUGIN % "rocm7", LINUX, [r"jax-rocm7-plugin=="], [r"cuda12"]),
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
        "tensorflow                2.3.0           mkl_py37h04bc1aa_0\n>>> tf.config.list_physical_devices('GPU')\n[]",
        {**LINUX, "gpu": "GeForce RTX 2070"},
        [r'conda install "tensorflow=2\.3\.0=gpu\*"'],
        [r"pip install tensorflow==2\.3\.0", r"conda-forge"],
    ),
    (
        "ERROR: Cannot uninstall 'wrapt'. It is a distutils installed project and thus we cannot accurately determine which "
        "files belong to it which would lead to only a partial uninstall.",
        {},
        [r"pip install --ignore-installed wrapt"],
        [r"uninstall -y tensorflow"],
    ),
    # An old TensorFlow in a new environment: with the packages of its time.
    (
        NO_WHEEL % "tensorflow==1.15.0",
        {**LINUX, "python": "3.8"},
        [
            r"conda create -y -n env python=3\.7 .* tensorflow==1\.15\.0 numpy==1\.19\.5 protobuf==3\.20\.3 h5py==2\.10\.0"
        ],
        [r"uv venv"],
    ),
    (
        NO_WHEEL % "tensorflow-directml-plugin",
        {"os": "windows", "python": "3.11"},
        [r"py -3\.10 .* tensorflow-cpu==2\.10\.0 tensorflow-directml-plugin==\S+ \"numpy<2\""],
        [r"operating system"],
    ),
    # PyTorch and its add-ons.
    (
        "/srv/env/lib/python3.8/site-packages/torch/cuda/__init__.py:155: UserWarning: \nNVIDIA GeForce RTX 5080 with CUDA "
        "capability sm_120 is not compatible with the current PyTorch installation.",
        LINUX,
        [r"\.\s+PyTorch's builds .{0,60}newer Pythons than 3\.8", r"whl/cu128"],
        [r"uninstall"],
    ),
    (
        "Ultralytics YOLOv8.2.0 Python-3.10.12 torch-2.1.2+cu118 CUDA:0 (NVIDIA GeForce RTX 2060, 6144MiB)\n"
        "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
        WINDOWS,
        [r"torchvision==0\.16\.2\+cu118"],
        [r"uninstall"],
    ),
    (
        "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 12.8",
        {"os": "windows", "packages": {"torch": "2.8.0+cu128"}},
        [r'install "?triton-windows==3\.4\.\*'],
        [r"upgrade triton", r"3\.3\.\*", r"force-reinstall"],
    ),
    (
        "enqueue.cc:77 NCCL WARN Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'\n"
        "Illegal instruction (core dumped)",
        {"os": "linux", "driver": "515.65.01", "packages": {"torch": "2.0.1"}},
        [r"\.\s+Update NVIDIA's driver(?! for)", r"newer than CUDA 11\.7"],
        [r"\bAVX\b", r"cu118"],
    ),
    ("Duplicate GPU detected : rank 3 and rank 1 both on CUDA device 6000", LINUX, [r"set_device"], [r"-c DEFAULT"]),
    (
        ">>> import torchaudio\nOSError: libtorch_hip.so: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.8", "packages": {"torch": "1.11.0+cu113"}},
        [r"torchaudio==0\.11\.0\+cu113"],
        [r"torch==", r"force-reinstall"],
    ),
    (
        "OSError: /src/bitsandbytes/bitsandbytes/libbitsandbytes_cuda126.so: cannot open shared object file: No such file",
        LINUX,
        [r"\.\s+Start the program in another folder"],
        [r"upgrade bitsandbytes"],
    ),
    (
        '  File "/opt/app/.venv/lib64/python3.12/site-packages/torch/__init__.py", line 424, in <module>\n'
        "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
        LINUX,
        [r"python3 -m venv"],
        [r"force-reinstall"],
    ),
    (
        "Found GPU0 GeForce GT 710 which is of cuda capability 3.5.\n"
        "PyTorch no longer supports this GPU because it is too old.\n"
        "The minimum cuda capability supported by this library is 3.7.",
        WINDOWS,
        [r"use the CPU, or another GPU"],
        [r"previous-versions", r"uninstall"],
    ),
    (
        "pytorch version: 2.6.0+rocm6.3\nHIP error: invalid device function",
        {"os": "linux", "gpu": "gfx1201", "packages": {"torch": "2.6.0+rocm6.3", "torchvision": "0.21.0+rocm6.3"}},
        [r"uninstall -y torch torchvision"],
        [],
    ),
    (
        "ValueError: Due to a serious vulnerability issue in `torch.load`, upgrade torch to at least v2.6",
        {},
        [r"\.\s+Install a newer PyTorch"],
        [],
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
    (
        "UnsupportedCUDAError: A GPU with NVIDIA Volta™ (Compute Capability 7.0) or newer architecture is required.",
        LINUX,
        [r"rapids=23\.12"],
        [],
    ),
    (
        "The package you are trying to install is only a placeholder project on PyPI.org repository.",
        {"os": "windows"},
        ["WSL 2"],
        ["Install the CUDA"],
    ),
    (
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 6995392 bytes free, 8721572352 bytes total.\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:453] Possibly insufficient driver version: 510.47.3\n"
        "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed.",
        LINUX,
        ["nvidia-smi"],
        [r"jax\[cuda12\]"],
    ),
    (
        "GPU 0: NVIDIA GeForce GTX 1650 (UUID: GPU-1)\nnumba.cuda.cudadrv.error.CudaSupportError: Error at driver init: "
        "Call to cuInit results in CUDA_ERROR_NO_DEVICE (100)",
        {"os": "wsl2"},
        ["LD_LIBRARY_PATH=/usr/lib/wsl/lib", "NUMBA_CUDA_DRIVER"],
        ["wsl --update"],
    ),
    (
        "Failed to initialize NVML: Unknown Error\nGPU 0: NVIDIA A10 (UUID: GPU-f)",
        LINUX,
        ["container"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        'Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: no resources\nPRETTY_NAME="Rocky Linux 9.4"',
        {"os": "wsl2", "gpu": "AMD Radeon RX 7900 XTX"},
        ["usecase=wsl,rocm --no-dkms"],
        ["kernel driver"],
    ),
    ("Failed to open file '/dev/accel/accel0': Permission denied", LINUX, ["usermod -aG render"], ["TPU"]),
    (
        "numba LinkerError\nptxas application ptx input, line 9; fatal   : Unsupported .version 7.3; current version is '7.1'",
        {"os": "windows", "packages": {"torch": "1.7.1"}},
        ["toolkit of the driver"],
        ["PyTorch"],
    ),
    ("ERROR: No matching distribution found for jax-cuda12-pjrt==0.5.1", {"os": "macos"}, [r"install jax\s*$"], []),
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
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
        "from http://www.nvidia.com/Download/index.aspx",
        {**LINUX, "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.7.1"}},
        [r"whl/rocm", r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [],
    ),
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
        "from http://www.nvidia.com/Download/index.aspx",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.7.1"}},
        [r"whl/rocm"],
        ["HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by "
        "downloading and installing a new version\n| NVIDIA-SMI 470.86       Driver Version: 470.86      CUDA Version: 11.4 |",
        LINUX,
        [r"cu118"],
        ["cu126"],
    ),
    (
        NO_CUDA_PROVIDER,
        {**LINUX, "driver": "580.95.05", "gpu": "NVIDIA H200", "python": "3.12", "packages": {"onnxruntime": "1.30.0"}},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]>=1\.28", "preload_dlls"],
        [r"<1\.27"],
    ),
    # CUDA 13 has no code for Pascal, and its builds begin with Python 3.11.
    (
        NO_CUDA_PROVIDER,
        {**LINUX, "driver": "580.95.05", "gpu": "GTX 1080", "python": "3.12"},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]<1\.27"],
        [r">=1\.28"],
    ),
    (
        NO_CUDA_PROVIDER,
        {**WINDOWS, "driver": "581.15", "gpu": "RTX 4090", "python": "3.10"},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]<1\.27", "preload_dlls"],
        [r">=1\.28"],
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
        "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider\nnames.Available providers: "
        "'CPUExecutionProvider'",
        {"packages": {"onnxruntime": "1.18.0"}},
        ["without CUDA"],
        [],
    ),
    (
        "NVIDIA A10 with CUDA capability sm_86 is not compatible with the current PyTorch installation.",
        {"python": "3.6", "packages": {"torch": "1.8.1"}},
        ["previous-versions"],
        ["cu126"],
    ),
    (
        OOM_TORCH
        + " of which 30.0 MiB is free. Process 77 has 7.90 GiB memory in use. Of the allocated memory 7.10 GiB is "
        "allocated by PyTorch, and 300.0 MiB is reserved by PyTorch but unallocated.",
        {"os": "linux"},
        ["smaller batch"],
        ["kill"],
    ),
    (
        "OSError: libcuda.so: cannot open shared object file",
        {"os": "wsl2"},
        ["export LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    (
        "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend. This could be because "
        "the operator doesn't exist for this backend",
        {"packages": {"torch": "2.5.1+cu124", "torchvision": "0.20.1+cpu"}},
        [r"torchvision==0\.20\.1\+cu124 --index-url \S+/cu124"],
        ["torch==", "uninstall"],
    ),
    # A build that conda took from PyTorch's own channel, in a release that no current index has.
    (
        "cpuonly                   2.0                           0    pytorch\n"
        "pytorch                   1.10.2              py3.9_cpu_0    pytorch",
        {**LINUX, "gpu": "RTX 3080"},
        ["conda remove cpuonly", r"pytorch=1\.10\.2 torchvision cudatoolkit=11\.3"],
        ["whl/cu126"],
    ),
    # What ComfyUI prints at its start.
    (
        "pytorch version: 2.8.0+cu128\nDevice: cuda:0 NVIDIA GeForce GTX 1070 : cudaMallocAsync\n" + NO_KERNEL,
        LINUX,
        ["GTX 1070 .compute capability 6.1", "whl/cu126"],
        ["cu128"],
    ),
    (OLD_DRIVER % "11040", LINUX, [r"CUDA 11\.8", "whl/cu118"], ["previous-versions"]),
    (
        "PS C:\\app> docker run --gpus all IMAGE\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, "
        "please update your driver to a newer version\n"
        "| NVIDIA-SMI 551.78                 Driver Version: 551.78         CUDA Version: 12.4     |",
        {},
        [r"572\.61 or later"],
        [r"570\.124"],
    ),
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {**WINDOWS, "gpu": "Radeon RX 7800 XT"},
        ["AMD's build of PyTorch"],
        ["two commands"],
    ),
    (
        "Failed to initialize NVML: could not load NVML library.\nIf this is a GPU node, did you set the docker default "
        "runtime to `nvidia`?",
        {},
        ["runtimeClassName: nvidia"],
        ["docker run"],
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
        "CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.2 does not match the version torch was "
        "compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
        LINUX,
        [r"CUDA toolkit 11\.8", "whl/cu126"],
        ["force-reinstall", "LD_LIBRARY_PATH"],
    ),
    (
        "conda activate ds\nraise MissingCUDAException('CUDA_HOME does not exist, unable to compile CUDA op(s)')",
        {**LINUX, "packages": {"torch": "2.4.1+cu121"}},
        [r"cuda-nvcc=12\.1", r"CUDA_HOME=\W?\$CONDA_PREFIX"],
        ["/usr/local/cuda"],
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
        "/v/include/torch/csrc/python_headers.h:12:10: fatal error: Python.h: No such file or directory",
        {**LINUX, "os_version": "Ubuntu 22.04", "python": "3.11"},
        [r"apt-get install -y build-essential python3\.11-dev"],
        [r"-essential python3-dev"],
    ),
    (
        "ptxas fatal   : Value 'sm_90' is not defined for option 'gpu-name'\nInternal Triton PTX codegen error:",
        LINUX,
        [r"2\.1 or later for sm_89 and sm_90"],
        [r"\$env:"],
    ),
    # vLLM says which share is too much, and how much is free.
    (
        "ValueError: Free memory on device (30.00/40.00 GiB) on startup is less than desired GPU memory utilization (0.9, "
        "36.0 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
        LINUX,
        [r"--gpu-memory-utilization 0\.73"],
        ["larger share", "max-model-len"],
    ),
    # What the kernel says of the GPU is the cause, and not that the driver does not answer.
    (
        NVIDIA_SMI
        + "\nNVRM: The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:1b06)\nNVRM: installed in this system is not supported "
        "by open\nNVRM: nvidia.ko because it does not include the required GPU",
        {},
        ["too old for NVIDIA's open kernel modules", "nvidia-driver-580"],
        ["modprobe", "Secure Boot"],
    ),
    # A kernel of Arch that has headers and modules of its own.
    (
        "Error! Bad return status for module build on kernel: 6.12.41-1-lts (x86_64)",
        {},
        ["linux-lts-headers", "nvidia-open-dkms"],
        [r"-S linux-headers", r"nvidia-open "],
    ),
    (
        "$ which nvidia-smi\n/usr/bin/nvidia-smi\n" + NVIDIA_SMI,
        {"os": "wsl2"},
        ["apt-get purge", "wsl --update"],
        ["Secure Boot", "nouveau"],
    ),
    # Slurm: the driver is the cluster's, and so are the GPUs that a job gets.
    (
        "conda install pytorch cudatoolkit=10.2 -c pytorch\n"
        "| NVIDIA-SMI 418.87.01    Driver Version: 418.87.01    CUDA Version: 10.1     |\nGPU available: False",
        LINUX,
        [r"CUDA 10\.2 needs driver 440\.33", r"cudatoolkit=10\.1"],
        ["TensorFlow", "cu126"],
    ),
    (
        '$ python -c "import torch; print(torch.cuda.is_available())"\nTrue\n'
        '$ srun python -c "import torch; print(torch.cuda.is_available())"\nFalse',
        {},
        ["--gpus=1"],
        ["install"],
    ),
    (
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0b1c)\n"
        "  MIG 2g.20gb     Device  0: (UUID: MIG-1f2e3d4c-aaaa-5bbb-8ccc-0123456789ab)\n"
        "RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at CUDAContext.cpp:49, please report a bug",
        LINUX,
        ["export CUDA_VISIBLE_DEVICES=MIG-1f2e3d4c-aaaa-5bbb-8ccc-0123456789ab"],
        ["unset"],
    ),
    # onnxruntime-gpu is for CUDA 13 from 1.27 on.
    (
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared "
        "object file: No such file or directory",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.28.0"}, "driver": "550.54.14"},
        ["550.54.14 is too old for CUDA 13", r"onnxruntime-gpu\[cuda,cudnn\]>=1\.21,<1\.27"],
        [r"1\.28"],
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
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared "
        "object file: No such file or directory",
        {**LINUX, "gpu": "Intel UHD Graphics 770"},
        ["install onnxruntime-openvino", "install onnxruntime$"],
        ["install onnxruntime-gpu", "CUDA 12"],
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
    # The driver answers for AMD's GPU: nothing of NVIDIA's is to be asked.
    (
        ">>> torch.cuda.is_available()\nFalse\nROCk module version 6.10.5 is loaded",
        LINUX,
        [r"\+rocm"],
        ["nvidia-smi"],
    ),
    # OpenVINO computes on Intel's GPUs only.
    (
        "RuntimeError: Exception from src/inference/src/cpp/core.cpp:1:\n[GPU] Can't get FULL_DEVICE_NAME property as no "
        "supported devices found or an error happened during devices query.",
        {**LINUX, "gpu": "Intel UHD Graphics 620"},
        ["intel-opencl-icd", "legacy1", "render"],
        ["nvidia", "NVIDIA"],
    ),
    (
        "WARNING  No GPU device found in OpenVINO. Falling back to CPU.",
        {"os": "container"},
        ["--device /dev/dri --group-add"],
        ["--gpus", "NVIDIA"],
    ),
    (
        "RuntimeError: [CLDNN ERROR]. clGetPlatformIDs error -1001",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 3060"},
        ["Intel's GPUs"],
        ["modprobe", "nvidia-smi", "install NVIDIA"],
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
    (NO_WHEEL % "onnxruntime-silicon==1.16.3", {**MAC, "python": "3.12"}, [r"install onnxruntime$"], ["older one"]),
    (
        "[E:onnxruntime:, inference_session.cc] dml_provider_factory.cc(518)\\onnxruntime.dll!00007FFC: Exception(1) tid(3e) "
        "887A0004 The specified device interface or feature level is not supported on this system.",
        {**WINDOWS, "gpu": "AMD Radeon RX 6600"},
        [r"Microsoft\.AI\.DirectML"],
        [],
    ),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\backend_with_compiler.dll" or one of its dependencies.',
        {**WINDOWS, "packages": {"torch": "2.1.0a0+cxx11.abi"}},
        ["libuv", "XPU"],
        ["VCRedist"],
    ),
    (JAX_METAL, {**MAC, "python": "3.12"}, [r"jax==0\.5\.0"], ["PJRT_COMPATIBILITY"]),
    (
        "RuntimeError: Device type privateuseone is not supported for torch.Generator() api.",
        {},
        [r"Generator\('cpu'\)"],
        ["LSTM"],
    ),
    (
        "terminate called after throwing an instance of 'boost::filesystem::filesystem_error'\n  what():  "
        'boost::filesystem::permissions: Permission denied: "/home/u/.config/miopen//gfx908_120.HIP.2_16_0.ufdb.txt"',
        LINUX,
        ["MIOPEN_USER_DB_PATH", "MIOPEN_CUSTOM_CACHE_DIR"],
        ["usermod"],
    ),
    (
        "torch-directml 0.2.5.dev240914 requires torch==2.4.1, but you have torch 2.5.0 which is incompatible.",
        WINDOWS,
        [r"needs torch==2\.4\.1, but torch 2\.5\.0 is installed\."],
        [],
    ),
    (HIP, {**LINUX, "gpu": "AMD Radeon RX 580 (gfx803)"}, [r"580 \(gfx803\):"], []),
    (
        "RuntimeError: Could not allocate tensor with 1048576 bytes. There is not enough GPU video memory available!",
        WINDOWS,
        ["smaller"],
        ["nvidia-smi"],
    ),
    (
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.98 GiB",
        {"os": "wsl2", "gpu": "AMD Radeon RX 7800 XT", "packages": {"torch": "2.8.0+rocm6.4"}},
        ["smaller"],
        ["rocm-smi", "nvidia-smi"],
    ),
    # The newest build with code for the GPU has no wheel for this Python.
    (
        "rocBLAS error: Cannot read /x/lib/python3.9/site-packages/torch/lib/rocblas/library/TensileLibrary.dat: No such file",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "python": "3.9", "packages": {"torch": "2.0.1"}},
        [r"torch==2\.8\.0 --index-url \S+/rocm6\.4"],
        [r"rocm7"],
    ),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\fbgemm.dll" or one of its dependencies.',
        {**WINDOWS, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.8.0a0+rocm7.0.0rc20250801"}},
        ["libomp140", "BuildTools"],
        ["install torch", r"2\.4\.1"],
    ),
    (
        METAL,
        {**MAC, "python": "3.9", "packages": {"tensorflow": "2.6.0", "tensorflow-metal": "0.2.0"}},
        [r"tensorflow-macos==2\.6\.0", "macOS 12"],
        ["newest"],
    ),
    (
        "ERROR! Intel® Extension for PyTorch* needs to work with PyTorch 2.1.*, but PyTorch 2.2.0+cu121 is found.",
        {},
        [r"PyTorch 2\.1\.\*", r"PyTorch 2\.2\.0", "XPU"],
        ["tensorflow"],
    ),
    (
        '[ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126 "" when trying to load "C:\\e\\Lib\\site-packages\\'
        'onnxruntime\\capi\\onnxruntime_providers_openvino.dll"',
        {"python": "3.11", "packages": {"onnxruntime": "1.18.0", "onnxruntime-openvino": "1.18.0"}},
        [r"uninstall -y onnxruntime ", r"install onnxruntime-openvino==1\.18\.0", "add_openvino_libs_to_path"],
        [r"install onnxruntime=="],
    ),
    # ROCm as pip's packages is not under /opt/rocm.
    (
        "/e/lib/python3.12/site-packages/_rocm_sdk_core/lib/libamdhip64.so.7\nImportError: libMIOpen.so.1: cannot open shared "
        "object file: No such file or directory",
        LINUX,
        ["LD_LIBRARY_PATH", "_rocm_sdk_"],
        ["/opt/rocm"],
    ),
    # The build is for NVIDIA's GPUs: to pass another maker's GPU in does not help.
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
        {"os": "container", "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.7.0+cu126"}},
        [r"whl/rocm"],
        ["docker run", "/dev/kfd", "nvidia-smi"],
    ),
    # WSL has no kernel module for the GPU and no groups that own it.
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "wsl2", "gpu": "AMD Radeon RX 7900 XT", "packages": {"torch": "2.9.1+rocm7.2"}},
        ["rm .*libhsa-runtime64", "HSA_ENABLE_DXG_DETECTION"],
        ["usermod", "/dev/kfd", "modprobe"],
    ),
    # PyTorch 2.5 names the macOS that its predecessors needed.
    (
        "RuntimeError: The MPS backend is supported on MacOS 12.3+.Current OS version can be queried using `sw_vers`",
        {**MAC, "gpu": "Apple M1", "packages": {"torch": "2.5.0"}},
        ["Update macOS", r"from 2\.5 on 13", r"torch==2\.4\.1"],
        ["Intel"],
    ),
    (
        "WARNING:jax_plugins.xla_rocm7:rocm_plugin_extension not found\nRuntimeError: Unable to initialize backend 'rocm': "
        "Backend 'rocm' is not in the list of known backends: ['cpu', 'tpu']. (set JAX_PLATFORMS='' to automatically choose",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"jax": "0.9.1", "jaxlib": "0.9.1"}},
        ["Install ROCm 7", "LD_LIBRARY_PATH"],
        ["JAX_PLATFORMS", "install jax"],
    ),
    (
        "ERROR: Failed building wheel for grpcio",
        {**MAC, "python": "3.9"},
        [r"old pip[^\n]*\n[^\n]*\n[^\n]*has wheels"],
        [],
    ),
    (
        CUINIT
        + "\nI cuda_diagnostics.cc:204] kernel reported version is: 535.54.3\nI cuda_diagnostics.cc:310] kernel version "
        "seems to match DSO: 535.54.3",
        LINUX,
        ["--gres=gpu:1", "unset CUDA_VISIBLE_DEVICES"],
        ["docker"],
    ),
    (
        "ValueError: File format not supported: filepath=/m. Keras 3 only supports V3 `.keras` files and legacy H5 files",
        {**LINUX, "packages": {"tensorflow": "2.17.0"}},
        ["TFSMLayer", "tf-keras"],
        ["or load it"],
    ),
    (
        "ModuleNotFoundError: No module named 'pkg_resources'",
        LINUX,
        ["setuptools<82"],
        ["is not installed"],
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
        "F tsl/platform/default/env.cc:74] Check failed: ret == 0 (11 vs. 0)Thread tf_Compute creation via pthread_create() "
        "failed.",
        LINUX,
        ["ulimit -u", "pids", "fewer threads"],
        ["venv fresh", "devicekit doctor"],
    ),
    (
        "import torch\nRuntimeError: can't start new thread",
        LINUX,
        ["ulimit -u"],
        ["TensorFlow", r"tf\."],
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
        "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library "
        "libcudart.so.10.1\nInternalError: CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the "
        "device",
        {**LINUX, "python": "3.8", "gpu": "RTX 3060"},
        [r"TensorFlow 2\.5 or newer"],
        ["newest release", "leaves that GPU out"],
    ),
    (  # only Windows' nvidia-smi has this column
        ">>> tf.config.list_physical_devices('GPU')\n[]\n>>> tf.__version__\n'2.16.1'\n"
        "| GPU  Name                  Driver-Model | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
        "|   0  NVIDIA GeForce RTX 3060      WDDM  |   00000000:01:00.0  On |                  N/A |",
        {},
        ["2.10 was the last", "wsl --install"],
        [r"tensorflow\[and-cuda\](?:==2\.16|$)", "LD_LIBRARY_PATH"],
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
        '$ pip install tensorflow-gpu==1.12.0\n  File "/u/lib/python3.6/site-packages/tensorflow/python/keras/metrics.py", '
        "line 40, in <module>\n    from tensorflow.python.util.tf_export import keras_export\n"
        "ImportError: cannot import name 'keras_export'",
        {},
        ["two TensorFlows", r"uninstall -y .*tensorflow-gpu tensorflow\b", r"install tensorflow-gpu==1\.12\.0"],
        ["estimator"],
    ),
    (
        NO_CUDA_TORCH,
        {"gpu": "RTX 5090", "python": "3.8", "os": "linux"},
        ["newer Pythons than 3.8", "whl/cu128"],
        ["cu124"],
    ),
    (
        NO_CUDA_TORCH,
        {"gpu": "Tesla K80", "python": "3.9", "os": "linux", "driver": "470.82"},
        ["whl/cu11"],
        ["[Uu]pdate NVIDIA's driver"],
    ),
    (NO_CUDA_TORCH, {}, ["RTX 50 and other Blackwell GPUs: cu128"], []),
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
        ">>> torch.cuda.is_available()\nFalse\n| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |",
        {"os": "linux", "packages": {"torch": "2.5.1+cu124"}},
        [r"torch\.zeros\(1\)\.cuda\(\)", "CUDA_VISIBLE_DEVICES", "nvidia-uvm"],
        ["without CUDA", "pip install"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse\n| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |",
        {"os": "linux", "packages": {"torch": "2.9.0+cu130"}},
        ["CUDA 13.0 needs driver 580", "whl/cu128"],
        [],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.7.0 (from versions: 2.2.0, 2.2.1, 2.2.2)\n"
        "ERROR: No matching distribution found for torch==2.7.0",
        {"python": "3.12"},
        ["Macs with Intel processors", r'torch==2\.2\.2 "numpy<2"'],
        ["upgrade pip"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.7.0 (from versions: 2.2.0, 2.2.1, 2.2.2)",
        {"os": "macos", "gpu": "Apple M3"},
        ["with Apple silicon", "arm64"],
        [r"torch==2\.2"],
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
        "_pickle.UnpicklingError: Weights only load failed. This file can still be loaded",
        {},
        ["If you trust the file.*weights_only=False", "FORCE_NO_WEIGHTS_ONLY"],
        ["devicekit doctor"],
    ),
    (
        "RuntimeError: jaxlib/cuda/versions_helpers.cc:113: operation cuInit(0) failed: CUDA_ERROR_SYSTEM_NOT_READY",
        {"os": "linux", "driver": "570.86.15"},
        [r"nvidia-fabricmanager-570=570\.86\.15"],
        ["modprobe"],
    ),
    (
        'ERROR: No matching distribution found for jax-cuda12-plugin[with_cuda]<=0.7.0,>=0.7.0; extra == "cuda12"',
        {"os": "windows"},
        ["wsl --install", "pip install jax$"],
        ["0;"],
    ),
    (
        "RuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.",
        {"os": "windows", "packages": {"torch": "2.8.0+cu126"}},
        [r"triton-windows==3\.4\.\*"],
        ["--upgrade"],
    ),
    (
        '  File "/usr/lib/python3.10/selectors.py", line 11, in <module>\n    import select\n'
        "  File \"/work/net/select.py\", line 1, in <module>\nAttributeError: module 'torch' has no attribute 'nn'",
        {},
        ["Rename /work/net/select.py"],
        ["reinstall"],
    ),
    (
        OLD_DRIVER % "10000",
        {"packages": {"torch": "1.3.0"}, "os": "linux"},
        ["CUDA 9.2, which the driver runs"],
        [r"10\.2"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "container", "gpu": "RTX 3070", "packages": {"torch": "2.5.1+cpu"}},
        ["without CUDA", r"torch==2\.5\.1"],
        ["docker run"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "colab", "packages": {"torch": "2.5.1+cu124"}},
        ["Change runtime type"],
        ["install torch", "uninstall"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**LINUX, "arch": "aarch64", "gpu": "GH200", "packages": {"tensorflow": "2.17.0"}},
        ["nvcr.io/nvidia/tensorflow"],
        ["and-cuda"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**WINDOWS, "gpu": "RX 580", "packages": {"tensorflow": "2.10.0", "tensorflow-directml-plugin": "0.4.0"}},
        ["finds no adapter", "adapter's driver"],
        ["CUDA"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {"os": "macos", "arch": "x86_64", "gpu": "Radeon Pro 5500M", "packages": {"tensorflow": "2.16.2"}},
        [r"tensorflow-metal==1\.0", r"tensorflow==2\.13"],
        ["mps"],
    ),
    # What an interpreter answers to the question which GPUs there are.
    (
        ">>> torch.cuda.device_count()\n0",
        {**LINUX, "gpu": "RTX 3070", "packages": {"torch": "2.5.1+cpu"}},
        ["without CUDA", r"torch==2\.5\.1"],
        ["modprobe"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "macos", "gpu": "Apple M2", "packages": {"torch": "2.5.1"}},
        [r"\bmps\b"],
        ["install"],
    ),
    (
        ">>> jax.default_backend()\n'cpu'",
        {**LINUX, "gpu": "RTX 3070", "packages": {"jax": "0.4.35"}},
        [r"jax\[cuda12\]"],
        [],
    ),
    (
        "K.tensorflow_backend._get_available_gpus()\n[]",
        {**LINUX, "gpu": "RTX 2070", "packages": {"tensorflow": "2.0.0", "keras": "2.3.1"}},
        ["CUDA 10.0"],
        [],
    ),
    (
        ">>> ort.get_available_providers()\n['CPUExecutionProvider', 'AzureExecutionProvider']",
        {**WINDOWS, "gpu": "RTX 3070", "packages": {"onnxruntime": "1.20.0"}},
        ["onnxruntime-gpu"],
        [],
    ),
    # The driver is not known: CUDA 13's builds need a newer one than CUDA 12's.
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**WINDOWS, "gpu": "GTX 1650", "python": "3.12", "packages": {"torch": "2.9.1+cpu"}},
        ["whl/cu126"],
        ["cu130"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**WINDOWS, "gpu": "GTX 1650", "python": "3.12", "packages": {"torch": "2.9.1+cpu"}, "driver": "581.29"},
        ["whl/cu130"],
        [],
    ),
    # A variable that lets a GPU with code of its own pass as another one.
    (
        "RuntimeError: HIP error: invalid device function",
        {
            **LINUX,
            "gpu": "RX 7900 XTX",
            "packages": {"torch": "2.6.0+rocm6.2.4"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"},
        },
        ["unset HSA_OVERRIDE_GFX_VERSION"],
        [],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {
            **LINUX,
            "gpu": "RX 6600",
            "packages": {"torch": "2.4.1+rocm6.1"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
        },
        [r"export HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["unset HSA_OVERRIDE_GFX_VERSION"],
    ),
    # AMD has the wheels of tensorflow-rocm after 2.14 on its own site; ROCm by pip is in the environment.
    (
        NO_WHEEL % "tensorflow-rocm==2.16.1",
        {**LINUX, "python": "3.12", "gpu": "RX 7900 XTX"},
        ["repo.radeon.com", "this Python version"],
        ["has no wheel for Linux"],
    ),
    (
        "ImportError: libhipsparse.so.4: cannot open shared object file: No such file or directory",
        {**LINUX, "gpu": "Radeon AI PRO R9700", "packages": {"tensorflow-rocm": "2.21.0"}},
        [r"hipconfig -R"],
        [],
    ),
    # DirectML: a GPU that is too old for it, and the package for TensorFlow 1.
    (
        "I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 5500", "packages": {"tensorflow-directml-plugin": "0.4.0"}},
        ["use the CPU"],
        ["Update Windows"],
    ),
    (
        "I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 530", "packages": {"tensorflow-directml-plugin": "0.4.0"}},
        ["Update Windows"],
        ["use the CPU"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-directml",
        {"os": "windows", "gpu": "RX 6600", "python": "3.11"},
        ["3.7", "tensorflow-directml-plugin"],
        [],
    ),
    # A module of TensorFlow's own that lacks a name is of another release: no program imports this one.
    (
        "AttributeError: module 'tensorflow.python.keras.utils.generic_utils' has no attribute "
        "'populate_dict_with_module_objects'",
        {**LINUX, "packages": {"tensorflow": "2.3.0"}},
        ["uninstall", r"tensorflow==2\.3\.0"],
        ["Import from the public place"],
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
    # A hosted notebook has its own driver, and the CUDA of its own TensorFlow.
    (
        "import torch\nprint(torch.__version__)\ntorch.cuda.is_available()\n1.3.1\nFalse",
        {"os": "linux", "gpu": "T4", "python": "3.7"},
        ["whl/cu117"],
        ["cu126"],
    ),
    ("RuntimeError: No CUDA GPUs are available", {"os": "colab"}, ["Change runtime type"], []),
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
        {"os": "colab"},
        ["Change runtime type"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        "2026-03-17 00:42:56.263947: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] Cannot dlopen some GPU "
        "libraries.",
        {"os": "colab", "packages": {"tensorflow": "2.9.0"}, "gpu": "T4"},
        [r"tensorflow\[and-cuda\]==2\.20\."],
        ["conda"],
    ),
    (
        "|   0  A100-SXM4-40GB      Off  | 00000000:00:04.0 Off |                    0 |\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "linux", "packages": {"torch": "1.9.0+cu102"}, "python": "3.7"},
        [r"torch==1\.13\.1"],
        ["cu128"],
    ),
    (
        'FAIL : Error loading "E:\\venv\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends '
        'on "cudnn64_9.dll" which is missing. (Error 126: "")\nFailed to create CUDAExecutionProvider. Require cuDNN 9.* and '
        "CUDA 13.*, and the latest MSVC runtime.",
        {"os": "windows"},
        ["CUDA 13 and cuDNN 9", "onnxruntime-gpu"],
        ["CUDA 12"],
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
    # WSL is updated in Windows, and an AMD A10 is not NVIDIA's.
    (
        "2026-07-13 22:54:35.547805: F tensorflow/core/common_runtime/dml/dml_adapter_impl.cc:305] HRESULT failed with "
        "0xd0000001: DXCoreCreateAdapterFactory(IID_PPV_ARGS(&adapter_factory))\nPython 3.7.13 on [GCC 7.5.0] on linux",
        {"gpu": "AMD A10-7850K"},
        ["wsl --update", "AMD's current driver"],
        ["NVIDIA"],
    ),
    (
        "2026-11-20 06:36:17.062953: I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 5500", "packages": {"tensorflow-cpu": "2.10.0"}},
        ["Intel HD 5xx"],
        [],
    ),
    (
        "ModuleNotFoundError: No module named 'torch.dml'",
        {"os": "windows"},
        ["pip install torch-directml"],
        ["force-reinstall"],
    ),
    (
        "RuntimeError: The GPU device does not support Double (Float64) operations!",
        {"os": "windows", "gpu": "Intel Arc A770"},
        ["float32"],
        ["another release"],
    ),
    (
        "ValueError: Could not interpret initializer identifier: {'class_name': 'Orthogonal', 'config': {'gain': 1.0}}",
        {"packages": {"keras": "3.3.3", "tensorflow": "2.16.1"}},
        [r"tf-keras==2\.16"],
        [],
    ),
    # A home folder tells Linux, and PyTorch's release stays where a build of it has code for the GPU.
    (
        '  File "/home/user/miniconda3/envs/one/lib/python3.7/site-packages/torch/nn/functional.py", line 9, in relu\n'
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"gpu": "RTX 3080", "packages": {"torch": "1.12.1+cu102"}},
        [r"torch==1\.12\.1\+cu116 --index-url \S+/cu116"],
        ["cu126"],
    ),
    # An override that is set already is not the cure, and may be the cause.
    (
        "Callback: Queue 0x7f aborting with error : HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is "
        "invalid. code: 0x100f",
        {"os": "linux", "gpu": "gfx1150", "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}},
        ["unset HSA_OVERRIDE_GFX_VERSION"],
        ["export HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {
            "os": "linux",
            "gpu": "gfx1103",
            "packages": {"torch": "2.4.0+rocm6.1"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
        },
        ["gfx1103"],
        ["export HSA_OVERRIDE"],
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
    # JAX keeps its release where it has a plug-in for CUDA and is not older than the GPU.
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.5.0"}, "python": "3.11"},
        [r'"jax\[cuda12\]==0\.5\.0"'],
        ["upgrade"],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 5090", "packages": {"jax": "0.4.30"}, "python": "3.11"},
        [r'"jax\[cuda12\]=='],
        [r"0\.4\.30"],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.5.0"}, "python": "3.11", "driver": "470.82"},
        ["525 or later", r"jax\[cuda12\]"],
        [],
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
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.2 as it may crash.\n"
        "ImportError: numpy.core.umath failed to import",
        {"packages": {"tensorflow": "2.13.0", "numpy": "2.0.2"}},
        [r"numpy==1\.24\.3"],
        [],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-gpu==2.12.0",
        {"os": "linux", "arch": "x86_64", "python": "3.8"},
        ["newer Python", r'"tensorflow\[and-cuda\]==2.*"'],
        ["python -m pip install"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-gpu==1.15.0",
        {"os": "macos", "arch": "arm64", "python": "3.7"},
        ["uv venv --python 3"],
        ["cuda"],
    ),
    (
        "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2684) installed in this system is not supported by the "
        "NVIDIA 470.223.02 driver release.",
        {"os": "linux"},
        ["the newest for a new GPU", "ubuntu-drivers devices"],
        ["modprobe"],
    ),
    (
        "ImportError: Keras cannot be imported. Check that it is installed.",
        {"packages": {"tensorflow": "2.17.0"}},
        [r'pip install "keras>=3"'],
        ["TF_USE_LEGACY_KERAS=1"],
    ),
    (
        "E: Unable to locate package nvidia-container-toolkit",
        {"os": "linux"},
        ["its package repository"],
        [],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INVALID_ARGUMENT: DLPack tensor is on GPU, but no GPU backend was provided.",
        {"os": "linux", "packages": {"jax": "0.4.13", "jaxlib": "0.4.13"}},
        [r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "ImportError: DLL load failed while importing _pywrap_tf2: "
        "A dynamic link library (DLL) initialization routine failed.",
        {"os": "windows", "packages": {"tensorflow": "2.16.1"}},
        ["AVX", r"Visual C\+\+ Redistributable"],
        [],
    ),
    (
        "RuntimeError: Found GeForce GTX 1070 which is too old to be supported by the triton GPU compiler, which is used as",
        {"os": "linux", "packages": {"torch": "2.4.0"}},
        ["torch.compile", "TORCHDYNAMO_DISABLE=1"],
        ["index-url"],
    ),
    (
        "INTERNAL: CUDA Runtime error: Failed call to cudaGetRuntimeVersion: "
        "Error loading CUDA libraries. GPU will not be used.",
        {"os": "linux", "gpu": "RTX 4090", "packages": {"tensorflow": "2.20.0"}},
        [r"tensorflow\[and-cuda\]==2\.20"],
        ["JAX"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. "
        "This error may appear if you passed in a non-contiguous input.",
        {"os": "linux", "packages": {"torch": "2.1.0"}},
        [r"\.contiguous\(\)"],
        [],
    ),
    (
        "ImportError: cannot import name 'keras_tensor' from 'tensorflow.python.keras.engine'",
        {"os": "linux", "packages": {"tensorflow": "2.16.1"}},
        [r"tensorflow\.keras"],
        [r"from tensorflow\.keras\.engine"],
    ),
    (
        "RuntimeError: Could not allocate tensor with 1073741824 bytes. There is not enough GPU video memory available!",
        {"os": "windows", "packages": {"torch-directml": "0.2.5"}},
        ["DirectML shares it with the desktop"],
        ["nvidia-smi", "TensorFlow"],
    ),
    (
        "CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8904, which is newer.",
        {"os": "linux", "packages": {"jax": "0.4.20"}},
        ["cuDNN 8.9.4", "nvidia-cudnn-cu12>=8.9,<9"],
        [">=8904"],
    ),
    (
        "OSError: [WinError 126] The specified module could not be found. "
        'Error loading "C:\\\\env\\\\lib\\\\site-packages\\\\torch\\\\lib\\\\fbgemm.dll" or one of its dependencies.',
        {"os": "windows", "packages": {"torch": "2.4.0"}},
        ["PyTorch 2.4.1"],
        ["VCRedist"],
    ),
    (
        'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":1',
        {"os": "linux", "packages": {"torch": "2.1.0"}},
        ["smaller batch"],
        ["systemctl isolate", "drop_caches"],
    ),
    (
        "tensorflow/core/common_runtime/gpu/gpu_device.cc:1618] Found device 0 with properties: \n"
        "name: NVIDIA GeForce RTX 3070 major: 8 minor: 6 memoryClockRate(GHz): 1.725\n"
        "tensorflow/stream_executor/platform/default/dso_loader.cc:44] Successfully opened dynamic library libcudart.so.10.0",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.15"}},
        ["TensorFlow 2.5", "tf1-py3"],
        ["tensorflow-directml"],
    ),
    (
        "tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "tensorflow/stream_executor/cuda/cuda_dnn.cc:361] Possibly insufficient driver version: 387.26.0",
        {"os": "linux", "cuda": "9.1", "packages": {"tensorflow-gpu": "1.12"}},
        ["CUDA 9.1 .390.46 or later"],
        ["memory"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "AMD Radeon RX 580", "packages": {"torch": "2.5.0+cpu"}},
        ["ROCm does not support RX 580|ROCm does not support AMD Radeon RX 580"],
        ["whl/rocm"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "AMD Radeon VII", "packages": {"torch": "2.9.0+cpu"}},
        ["whl/rocm6.3"],
        ["rocm7"],
    ),
    (
        "rocBLAS error: Cannot read /opt/rocm-6.4.0/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU "
        "arch : gfx906",
        {"os": "linux", "gpu": "AMD Radeon VII", "packages": {"torch": "2.9.0+rocm6.4"}},
        ["newest build with code for gfx906 is that for ROCm 6.3", "torch==2.7.1"],
        [],
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
    ("tensorflow==1.12.0\ntensorflow-gpu==1.12.0", {}, ["uninstall -y tensorflow tensorflow-gpu"], []),
    (
        "RuntimeError: jaxlib version 0.4.30 is newer than and incompatible with jax version 0.4.20. Please update your jax",
        {"packages": {"jax": "0.4.20", "jaxlib": "0.4.30"}},
        ["jaxlib==0.4.20", "update both"],
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
        'docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no '
        "such file or directory.",
        {"os": "linux", "os_version": "Ubuntu 22.04", "gpu": "AMD Radeon RX 6800"},
        ["modprobe amdgpu", "Docker Engine"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "Unable to open /dev/kfd read-write: Invalid argument\nroot is member of nogroup group",
        {"os": "container", "gpu": "AMD Instinct MI300X"},
        ["all of /dev/dri", "dmesg"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "rocBLAS error: Could not initialize Tensile host: No devices found",
        {"os": "container", "gpu": "Radeon RX 7900 XTX"},
        ["--device=/dev/kfd"],
        ["compile the framework"],
    ),
    (
        "Num GPUs Available:  0",
        {"os": "linux", "arch": "aarch64", "gpu": "Jetson AGX Orin", "packages": {"tensorflow": "2.13.1"}},
        ["ARM processors have no GPU support", "NVIDIA's wheel"],
        ["and-cuda"],
    ),
    (
        "MIOpen Error: /MIOpen/src/gemm_geometry.cpp:131: Failed to find any solver\n"
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RX 580", "packages": {"tensorflow-rocm": "2.3.1"}},
        ["MIOpen", "gfx803"],
        ["cuDNN did not start", "smaller batch"],
    ),
    (
        "hsa_init Failed, possibly no supported GPU devices\nfailed call to hipInit: HIP_ERROR_InvalidDevice",
        {"os": "linux", "gpu": "RX Vega 56", "packages": {"tensorflow-rocm": "1.13.1"}},
        ["usermod -aG render,video"],
        [],
    ),
    (
        "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "packages": {"jaxlib": "0.1.70+cuda101"}},
        ["is a build for CUDA", "TF_CPP_MIN_LOG_LEVEL", "nvidia-smi"],
        ["build without CUDA"],
    ),
    (
        "tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/opt/venv/lib/python3.11/site-packages/"
        "tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.17.0", "tensorflow-metal": "1.1.0"}},
        ["does not load with it", "tensorflow-metal==1.2.0"],
        ["tensorflow-metal==1.1.0"],
    ),
    (
        'guarantee(false && "hipErrorNoBinaryForGpu: Coudn\'t find binary for current devices!")',
        {"os": "linux", "gpu": "RX 580", "packages": {"tensorflow-rocm": None}},
        ["too old for it", "tensorflow-rocm that runs on gfx803 is 2.2.0"],
        ["too new"],
    ),
    (
        "$ prime-select query\nintel\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        {},
        ["prime-select on-demand"],
        ["modprobe", "Install NVIDIA"],
    ),
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
        "01:00.0 3D controller: NVIDIA Corporation GA107M [GeForce RTX 3050 Mobile] (rev ff)",
        {},
        ["switchable graphics", "dmesg"],
        ["Install NVIDIA"],
    ),
    (
        "#SBATCH --gres=gpu:2\nexport CUDA_VISIBLE_DEVICES=0,1\nfailed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable "
        "device is detected",
        {},
        ["remove that line"],
        ["modprobe"],
    ),
    (
        "crw-rw---- 1 root render 234, 0 Mar  3 09:12 /dev/kfd\n>>> torch.cuda.is_available()\nFalse",
        {},
        ["usermod -aG render"],
        ["nvidia-smi"],
    ),
    (
        "tensorflow         conda-forge/linux-64::tensorflow-2.14.0-cpu_py311h6aa969b_0\n"
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {"os": "linux", "gpu": "NVIDIA A40"},
        ["tensorflow=\\*=\\*cuda", "CONDA_OVERRIDE_CUDA"],
        [],
    ),
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
    (NOT_COMPILED + "\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n", LINUX, ["for CUDA"], ["ARM", "macOS"]),
    ("CUDA_VISIBLE_DEVICES=NoDevFiles\nimport jax", LINUX, ["--gres=gpu:1"], ["torch"]),
    (
        "export CUDA_VISIBLE_DEVICES=MIG-0b6f53a7-0000,MIG-e18c2d94-0000\nRuntimeError: CUDA error: invalid device ordinal",
        LINUX,
        ["one MIG instance", "one process"],
        ["unset"],
    ),
    (
        "Unit nvidia-gridd.service could not be found.\nRuntimeError: CUDA error: CUDA-capable device(s) is/are busy or "
        "unavailable",
        LINUX,
        ["license", "nvidia-gridd"],
        ["End the other process"],
    ),
    (
        (TORCH_OOM % (("1.2.3 GiB",) * 6)).replace("Including", "Process 1 has ... MiB memory in use. Including"),
        LINUX,
        ["smaller batch"],
        [],
    ),
    (
        "$ pip show tensorflow | grep Version\nVersion: 2.16.1\nModuleNotFoundError: No module named "
        "'tensorflow.keras.layers.experimental'",
        LINUX,
        ["keras.layers since TensorFlow 2.6"],
        ["same minor release"],
    ),
    ("Name: tensorflow\nVersion: 2.15.1\n" + DLOPEN + "\n", LINUX, [r"TensorFlow 2\.15\.1"], []),
    (
        "from diffusers import x\nImportError: cannot import name 'cached_download' from 'huggingface_hub' (/v/__init__.py)",
        LINUX,
        ["--upgrade diffusers", "huggingface-hub<0.26"],
        ["upgrade huggingface"],
    ),
    (
        "import torchaudio\nOSError: libcudart.so.12: cannot open shared object file: No such file or directory\ntorch",
        {**LINUX, "packages": {"torch": "2.5.1+cpu"}},
        [r"torch==2\.5\.1 torchaudio --index-url \S+/cpu"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "$ python -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'\n"
        "2.6.0+cpu None False\n"
        "NVIDIA GeForce RTX 3060, 570.133.07\n",
        LINUX,
        [r"2\.6\.0\+cpu is the build without GPU support", "torch==2.6.0 "],
        [],
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
        NO_JAX,
        {**LINUX, "packages": {"tensorflow": "2.19.0", "keras": "3.10.0"}},
        ["KERAS_BACKEND=tensorflow"],
        ["keras>=3"],
    ),
    (NO_JAX, {**LINUX, "gpu": "RTX 4090"}, ["Set KERAS_BACKEND", r"jax\[cuda12\]"], ["keras>=3"]),
    ("Error 999: unknown error: CUDA unknown error\nimport torch", LINUX, ["rmmod nvidia_uvm"], []),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file\n"
        "desktop-linux *   Docker Desktop",
        {"os": "Ubuntu 24.04"},
        ["docker context use default"],
        ["ubuntu-drivers"],
    ),
    (
        "nvidia-smi\n|   0  NVIDIA A100-PCIE-40GB   On  |\nNo MIG devices found\n[]\n",
        LINUX,
        ["nvidia-smi mig -cgi 0 -C", "nvidia-smi -mig 0"],
        ["CUDA_VISIBLE_DEVICES"],
    ),
    (
        "NVRM: Xid (PCI:0000:65:00): 79, GPU has fallen off the bus.\nRuntimeError: CUDA error: unspecified launch failure",
        LINUX,
        ["power supply", "reboot"],
        ["CUDA_LAUNCH_BLOCKING", "compute-sanitizer"],
    ),
    (
        "/data/conda/envs/tf/lib/libdevice.10.bc\nlibdevice not found at ./libdevice.10.bc\nimport tensorflow\n",
        {**LINUX, "packages": {"tensorflow": "2.12.0"}},
        ["cp libdevice.10.bc nvvm/libdevice", r"cuda_data_dir=\$CONDA_PREFIX/lib"],
        ["nvidia-cuda-nvcc"],
    ),
    (FULL_OOM, LINUX, ["smaller batch"], ["expandable_segments", "kill", "one piece"]),
    (TAKEN_OOM, LINUX, [r"Process 4711 holds 6\.9 GiB of the GPU's 8 GiB", "kill 4711"], ["expandable_segments"]),
    (TAKEN_OOM, WINDOWS, ["taskkill /PID 4711 /F"], [r"\bkill 4711"]),
    (TAKEN_OOM, {"os": "container"}, ["outside of the container"], []),
    (PIECES_OOM, LINUX, [r"(?s)2\.4 GiB of PyTorch.*expandable_segments.*smaller batch"], ["kill"]),
    (HUGE_OOM, LINUX, ["64 GiB in one piece is more than the GPU has"], ["kill", "expandable_segments"]),
    (
        OLD_OOM % ("20.00 MiB", "1.00 GiB", "0 bytes", "1.10 GiB"),
        LINUX,
        [r"up to 6\.9 GiB"],
        ["expandable_segments", "kill"],
    ),
    (OLD_OOM % ("1.00 GiB", "4.00 GiB", "500.00 MiB", "7.20 GiB"), LINUX, [r"3\.2 GiB of PyTorch"], ["hold up"]),
    (TF_OOM % 376, LINUX, ["only 376 MB free", "nvidia-smi"], ["kill"]),
    (TF_OOM % 9641, LINUX, ["smaller batch"], ["MB free at its start"]),
    (
        NOT_COMPILED + "\nimport torchvision\nNVIDIA GeForce RTX 5070, 577.00\n",
        {**WINDOWS, "python": "3.12", "packages": {"torch": "2.8.0"}},
        ["uninstall -y torch torchvision", r"torch==2\.8\.0\S* torchvision --index-url \S+cu12[89]"],
        ["cu130", "cu126"],
    ),
    (
        NO_KERNEL + "\nNVIDIA GeForce RTX 5070, 580.95.05\n",
        {**LINUX, "packages": {"torch": "2.5.1", "torchvision": "0.20.1"}},
        ["uninstall -y torch torchvision", r"torch\S* torchvision"],
        ["2.5.1"],
    ),
    (
        CUDNN_HANDLE + SMI_ROW % (812, "C", 900) + SMI_ROW % (4711, "C", 23508),
        LINUX,
        ["process 4711 .*23508", "kill 4711"],
        ["812"],
    ),
    (CUDNN_HANDLE + SMI_ROW % (812, "G", 900), LINUX, ["nvidia-smi"], ["kill"]),
    (
        "$ docker compose up\n" + NO_CUINIT,
        {"os": "container"},
        ["compose.yaml", r"capabilities: \[gpu\]"],
        ["and-cuda"],
    ),
    (NO_CUINIT, {"os": "container"}, ["docker run --gpus all"], ["compose", "and-cuda"]),
    (
        NO_DEVICE + DPKG,
        {"os": "wsl2"},
        ["apt-get purge", "wsl --shutdown", "/usr/lib/wsl/lib"],
        ["Install NVIDIA's driver"],
    ),
    (NO_DEVICE + DPKG, {"os": "Ubuntu 22.04"}, [], ["apt-get purge", "wsl"]),
    (
        HUB,
        {"packages": {"tensorflow": "2.17.0"}},
        [r"tf-keras==2\.17\.", "TF_USE_LEGACY_KERAS=1"],
        ["Layer of the model"],
    ),
    (CLONE % "config", LINUX, ["another folder", "install -e"], ["pip check"]),
    (
        NOT_READY + MANAGER,
        {"os": "Ubuntu 22.04"},
        [r"nvidia-fabricmanager-550=550\.90\.07"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (NOT_READY, {"os": "Rocky 9"}, ["nvidia-fabric-manager-", "restart nvidia-fabricmanager"], ["apt-get", "modprobe"]),
    (NMS + "torch 2.7.1+rocm6.3\n", {"packages": {"torch": "2.7.1+rocm6.3"}}, [r"torchvision==0\.22\.1\+rocm6\.3"], []),
    (
        WSL_ROCM + "hsa-runtime-rocr4wsl-amdgpu 1.14.0\nimport torch\n",
        {"os": "wsl2", "gpu": "RX 7900 XT"},
        ["libhsa-runtime64"],
        [],
    ),
    (
        NOT_COMPILED + "\nNVIDIA GeForce RTX 4060, 577.00\n",
        {**LINUX, "python": "3.12", "packages": {"torch": "2.8.0"}},
        [r"torch==2\.8\.0\S* --index-url \S+cu12[68]"],
        ["cu130"],
    ),
    (
        DLOPEN + "\nnvidia-cudnn-cu12  8.9.7.29\n",
        {**LINUX, "packages": {"tensorflow": "2.16.1"}},
        ["nvidia/\\*/lib", r"and-cuda\]==2\.16\.2"],
        ["Let pip install"],
    ),
    (JAXLIB_CUDNN, LINUX, ["XLA_PYTHON_CLIENT_PREALLOCATE=false"], ["ensorFlow", "TF_"]),
    (OLD_PTXAS, LINUX, ["from CUDA 11.8 on", "first on PATH", r'"jax\[cuda12\]"'], ["leaves that GPU out"]),
    (NO_HIP_CODE + "\nGPU: Radeon 8060S\n", {}, ["gfx1151"], ["11.0.0"]),
    (NO_HIP_CODE + "\nStrix Halo, Ubuntu 24\n", {}, ["gfx1151"], ["11.0.0"]),
    ("NixOS 23.11\nImportError: libstdc++.so.6: cannot open shared object file", {}, ["nix-ld"], ["conda", "apt"]),
    (LIBCUDA, {"os": "NixOS 24.05"}, ["/run/opengl-driver/lib"], ["ubuntu", "dkms", "modprobe"]),
    (
        "Docker Desktop, WSL2\nE cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_OPERATING_SYSTEM: OS call failed or "
        "operation not supported on this OS",
        {},
        ["engine for WSL 2", "wsl --update"],
        ["modprobe", "dmesg"],
    ),
    ("WSL1 Ubuntu 20.04\n" + LIBCUDA, {}, ["wsl --set-version Ubuntu 2"], ["modprobe"]),
    (
        "ImportError: /home/$USER/env/lib/python3.11/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: "
        "undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
        {},
        ["built for another PyTorch", "flash-attn"],
        ["not known"],
    ),
    (
        'PyQt5 5.15\nOSError: [WinError 1114]\nError loading "C:\\p\\lib\\site-packages\\torch\\lib\\c10.dll" or one of its '
        "dependencies.",
        {},
        ["Import torch before PyQt"],
        [],
    ),
    (
        "srun --container-image=cuda\n" + CUINIT,
        LINUX,
        ["ConstrainDevices=yes"],
        [],
    ),
    (
        "DKMS make.log for nvidia-550.1\ncc: error: unrecognized command-line option '-ftrivial-auto-var-init=zero'\n",
        {},
        ["update-alternatives"],
        [],
    ),
    (
        "docker run --gpus all -it tensorflow/tensorflow:latest-gpu\nE tensorflow/stream_executor/cuda/cuda_driver.cc:313] "
        "failed call to cuInit: UNKNOWN ERROR (-1)\nI cuda_diagnostics.cc:200] libcuda reported version is: Not found: was "
        "unable to find libcuda.so DSO loaded into this program",
        {},
        ["capabilities=compute,utility"],
        [],
    ),
    ("JetPack 6.2\nImportError: libcudss.so.0: cannot open shared object file", {}, ["apt-get install -y cudss"], []),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "Ubuntu 22.04", "packages": {"torch": "2.4.0+rocm6.1"}},
        ["usermod -aG render,video", "/dev/kfd"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "[libprotobuf FATAL google/protobuf/message_lite.cc:353] CHECK failed: target + size == res: \ntensorflow-metal 1.1.0",
        MAC,
        [r"tensorflow-metal==1\.1\.0"],
        ["nvidia"],
    ),
    (
        "AttributeError: module 'tensorflow.python.keras.backend' has no attribute 'get_graph'",
        {"packages": {"keras": "2.3.1", "tensorflow": "1.14.0"}},
        [r"keras==2\.2\.5"],
        [],
    ),
    # an older build of the same release, for a driver that stays
    (
        OLD_DRIVER % "10000",
        {"os": "linux", "driver": "410.104", "packages": {"torch": "1.5.0"}, "gpu": "Tesla P100"},
        [r"torch==1.5.0\+cu92 -f "],
        ["cu118"],
    ),
    (
        OLD_DRIVER % "11040",
        {"os": "linux", "driver": "470.82", "packages": {"torch": "2.5.1+cu124"}},
        ["torch==2.5.1 --index-url https://download.pytorch.org/whl/cu118"],
        ["cu121"],
    ),
    (OLD_DRIVER % "11040" + "\n/content/drive/MyDrive", {}, ["hosted notebook cannot be changed"], ["ubuntu-drivers"]),
    (OLD_DRIVER % "11040", {"os": "Ubuntu 18.04"}, ["sudo ubuntu-drivers autoinstall"], []),
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
    ("RuntimeError: No backend type associated with device type xpu", {}, [r"xccl"], ["nvidia"]),
    (
        "ggml_metal_init: error: Error Domain=MTLLibraryErrorDomain Code=3 \"program_source:9:2: fatal error: 'ggml-x.h' file "
        'not found"',
        MAC,
        ["GGML_METAL_EMBED_LIBRARY", "Update the program"],
        ["macOS is too old"],
    ),
    (
        "ggml_metal_init: picking default device: AMD Radeon Pro 555\nggml_metal_init: error: Error "
        'Domain=MTLLibraryErrorDomain Code=3 "program_source:9:2: error: invalid type"',
        MAC,
        ["Apple silicon", "-ngl 0"],
        ["Update macOS"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'tpu': module 'jaxlib.xla_extension' has no attribute 'get_tpu_client' "
        "(set JAX_PLATFORMS='' to automatically choose an available backend)",
        LINUX,
        ["Change runtime type", r"jax\[tpu\]"],
        ['"-1"', "nvidia"],
    ),
    (
        "RuntimeError: Backend 'tpu_driver' failed to initialize: UNAVAILABLE: Failed to connect to remote server at address: "
        "grpc://10.0.0.2:8470.",
        {},
        ["Change runtime type", "setup_tpu"],
        [ANY_INSTALL],
    ),
    # a label that only PyTorch's own index has
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.6.0+cu124 (from versions: 2.5.1, 2.6.0)\n"
        "ERROR: No matching distribution found for torch==2.6.0+cu124",
        {**LINUX, "python": "3.11"},
        ["has wheels for this Python", r"torch==2\.6\.0 --index-url \S+/whl/cu124"],
        ["make an environment", "conda"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.6.0+cu124 (from versions: 2.5.1, 2.6.0)\n"
        "ERROR: No matching distribution found for torch==2.6.0+cu124",
        {**LINUX, "arch": "aarch64", "gpu": "GH200", "driver": "580.95.05"},
        [r"torch --index-url \S+/whl/cu130", "nvcr.io/nvidia/pytorch"],
        [r"whl/cu124\b(?! \()"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.0+cu121 (from versions: 2.6.0, 2.7.0)",
        {**LINUX, "arch": "aarch64", "gpu": "GH200"},
        [r"torch --index-url \S+/whl/cu128"],
        ["whl/cu121"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**LINUX, "arch": "aarch64", "gpu": "GH200"},
        [r"torch --index-url \S+/whl/cu128"],
        [],
    ),
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
    # what hides the GPU, what builds nothing for it
    (
        "RayTaskError(RuntimeError)\nMisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {},
        ["num_gpus=1"],
        [],
    ),
    (
        "MisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {**LINUX, "gpu": "RTX 3060"},
        [r"torch\.version\.cuda"],
        ["num_gpus"],
    ),
    (
        "nvcc fatal   : Unsupported gpu architecture 'compute_No CUDA devices found.'",
        {},
        ["CMAKE_CUDA_ARCHITECTURES"],
        ["too old"],
    ),
    (
        "common.cuh:9: ggml was not compiled with any CUDA arch <= 860",
        LINUX,
        ["CMAKE_CUDA_ARCHITECTURES"],
        [ANY_INSTALL],
    ),
    (
        "LibMambaUnsatisfiableError: Encountered problems while solving:\n  - package torchvision-0.15.2-py310_cu117 requires "
        "pytorch-cuda 11.7.*, but none of the providers can be installed",
        LINUX,
        ["torchvision 0.15.2 needs pytorch-cuda 11.7", "without a version"],
        ["pip"],
    ),
    # what JAX only notes, and what ends the program
    (
        "RuntimeError: Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute "
        "'GpuAllocatorConfig' (set JAX_PLATFORMS='' to automatically choose an available backend)",
        {**LINUX, "gpu": "RTX 3090"},
        ["JAX_PLATFORMS=cuda"],
        ["plug-in for ROCm"],
    ),
    (
        "RuntimeError: Unknown backend rocm. Available backends are ['cpu']",
        {**LINUX, "gpu": "gfx1151"},
        ["jax-rocm7-pjrt", "rocminfo"],
        ["cuda"],
    ),
    # a build for AMD's GPUs gets no tools of CUDA's, and Windows no word of DirectML
    (
        "torch.AcceleratorError: HIP error: unspecified launch failure\nSearch for hipErrorLaunchFailure",
        {**WINDOWS, "gpu": "RX 9070 XT"},
        ["AMD_SERIALIZE_KERNEL", "graphics driver"],
        ["CUDA"],
    ),
    ("torch.OutOfMemoryError: HIP out of memory.", {**WINDOWS, "gpu": "RX 9070 XT"}, ["smaller batch"], ["DirectML"]),
    (
        "torch.distributed.DistBackendError: [5] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via "
        "c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
        LINUX,
        ["did not arrive", "the one that ended first"],
        [ANY_INSTALL],
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
        "torch.__version__  = 2.7.0+rocm6.3\nOSError: CUDA_HOME environment variable is not set.",
        LINUX,
        ["AMD's ROCm"],
        ["Install the CUDA toolkit"],
    ),
    (
        "OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory",
        {**LINUX, "gpu": "RX 7900 XTX", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["built for CUDA", "torchvision"],
        [r"install torch==2\.5\.1$"],
    ),
    (
        "GGML_ASSERT: C:/Users/u/ggml-sycl.cpp:9: main_gpu_id<g_all_sycl_device_count",
        {},
        ["sycl-ls", "Compatibility Pack", "Intel's graphics driver"],
        ["nvidia", "apt"],
    ),
    # the kernel's name tells the distribution
    (
        "Error! Bad return status for module build on kernel: 6.9.4-200.fc40.x86_64 (x86_64)",
        LINUX,
        ["kernel-devel", "release-40.noarch", "kernel that was used before"],
        ["apt"],
    ),
    ("Error! Bad return status for module build on kernel: 6.9.1-arch1-1 (x86_64)", LINUX, ["pacman"], ["apt", "dnf"]),
    ("Error! Bad return status for module build on kernel: 6.8.0-45-generic (x86_64)", LINUX, ["apt-get"], ["dnf"]),
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\nNVRM: nouveau, rivafb or rivatv",
        LINUX,
        ["nouveau holds the GPU", "blacklist nouveau"],
        [],
    ),
    (
        "No devices were found\nNVRM: GPU 0000:01:00.0: RmInitAdapter: Cannot initialize GSP firmware RM",
        LINUX,
        ["GSP", "power"],
        [ANY_INSTALL],
    ),
    (
        "hint: You're on macOS (`macosx_15_0_x86_64`), but `onnxruntime` (v1.24.4) only has wheels for the following "
        "platforms: `manylinux_2_28_x86_64`, `macosx_14_0_arm64`, `win_amd64`\nuv sync",
        {},
        ["platform_machine == 'x86_64'", r"onnxruntime<1\.24\.4"],
        ["win32"],
    ),
    (
        "RuntimeError: Expected one of cpu, cuda device type at start of device string: dml",
        WINDOWS,
        ["install torch-directml"],
        ["xpu"],
    ),
    (
        "NCCL WARN Error: failed to extend /dev/shm/nccl-ab to 9 bytes, error: No space left on device (28)\nCUDA error: an "
        "illegal memory access was encountered",
        {"os": "container"},
        ["--shm-size"],
        ["compute-sanitizer", "num_workers"],
    ),
    # uv and PyTorch's own index: other releases for Macs
    (
        "Distribution `torch==2.4.0 @ registry+https://download.pytorch.org/whl/cpu` can't be installed because it doesn't "
        "have a source distribution or wheel for the current platform\nhint: You're on Linux (`manylinux_2_31_x86_64`), but "
        "`torch` (v2.4.0) only has wheels for the following platform: `macosx_11_0_arm64`",
        LINUX,
        [r"torch==2\.4\.0\+cpu", "uv lock"],
        ["conda-forge"],
    ),
    (
        "Distribution `torch==2.8.0 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it doesn't "
        "have a source distribution or wheel for the current platform\nhint: You're on macOS (`macosx_14_0_arm64`), but "
        "`torch` (v2.8.0) only has wheels for the following platforms: `linux_x86_64`, `win_amd64`",
        MAC,
        ["tool.uv.sources", "sys_platform != 'darwin'"],
        [r"\+cu126"],
    ),
    (
        "Distribution `torch==2.8.0+cu126 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it "
        "doesn't have a source distribution or wheel for the current platform\nhint: You're on Linux "
        "(`manylinux_2_31_aarch64`), but `torch` (v2.8.0+cu126) only has wheels for the following platforms: "
        "`manylinux_2_28_x86_64`, `win_amd64`",
        LINUX,
        ["."],
        ["the file for Macs"],
    ),
    ('Error: could not select device driver "cdi" with capabilities: [[gpu]]', LINUX, ["daemon.json"], [ANY_INSTALL]),
    # what the container toolkit reports is of the host
    (
        "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown",
        {"os": "container"},
        ["On the host: restart the machine"],
        ["from the image"],
    ),
    (
        "n1:7:9 [0] transport/nvls.cc:288 NCCL WARN Cuda failure 1 'invalid argument'",
        LINUX,
        ["nvidia-fabricmanager", "NCCL_NVLS_ENABLE=0"],
        [ANY_INSTALL],
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
    # xFormers: PyTorch changes, or xFormers
    (
        "xFormers can't load C++/CUDA extensions. xFormers was built for:\n    PyTorch 2.3.1+cu121 with CUDA 1201 "
        "(you have 2.3.1+cpu)",
        WINDOWS,
        [r"torch==2\.3\.1 --index-url \S+/whl/cu121"],
        ["sudo", "Or keep"],
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
    # conda and the driver's CUDA
    (
        "  - package cudatoolkit-11.3.1-h0 has constraint __cuda >=11.3 conflicting with __cuda-10.1-0",
        LINUX,
        [r"for CUDA 11\.3", r"cudatoolkit=10\.1", r"CONDA_OVERRIDE_CUDA=11\.3"],
        ["pip install", "tensorflow"],
    ),
    (
        "  └─ __cuda =* *, which is missing on the system.",
        LINUX,
        ["CONDA_OVERRIDE_CUDA", "nvidia-smi"],
        ["pip install"],
    ),
    # a build for AMD or Intel says whose GPU it is
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root. flash_attn",
        {**LINUX, "packages": {"torch": "2.6.0+rocm6.2"}},
        ["FLASH_ATTENTION_TRITON_AMD_ENABLE"],
        ["cuda-nvcc", "CUDA toolkit"],
    ),
    (
        "ValueError: Free memory on device xpu:0 (1.2/15.5 GiB) on startup is less than desired GPU memory utilization (0.9). "
        "vllm",
        LINUX,
        ["gpu-memory-utilization", "xpu-smi"],
        ["nvidia-smi", "CUDA_ALLOC"],
    ),
    (
        ">>> jax.devices()\n[CpuDevice(id=0)]",
        {**LINUX, "gpu": "AMD Instinct MI250", "rocm": "6.2.0", "packages": {"jax": "0.4.35"}},
        ["jax-rocm60-plugin==0.5.0"],
        ["cuda", "nvidia"],
    ),
    (
        ">>> jax.devices()\n[CpuDevice(id=0)]",
        {**LINUX, "gpu": "AMD Instinct MI300X", "rocm": "7.0", "python": "3.12", "packages": {"jax": "0.9.1"}},
        [r"jax==0\.9\.1 jaxlib==0\.9\.1 jax-rocm7-plugin==0\.9\.1 jax-rocm7-pjrt==0\.9\.1"],
        ["cuda", "nvidia"],
    ),
    # AMD's GPUs by what people call them
    (
        "RuntimeError: HIP error: invalid device function",
        {**LINUX, "gpu": "Strix Halo"},
        ["gfx1151"],
        [r"10\.3\.0", "nvidia-smi"],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {**LINUX, "gpu": "2x AMD Radeon Pro WX 4100"},
        ["gfx803", "does not support"],
        ["HSA_OVERRIDE"],
    ),
    # ollama runs as a service, which no shell's variables reach
    (
        'ollama[801]: level=WARN msg="amdgpu is not supported (supported types:[gfx1030])" gpu_type=gfx1032',
        LINUX,
        ["systemctl edit ollama", r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [ANY_INSTALL],
    ),
    (
        'msg="amdgpu is not supported (supported types:[])" gpu_type=gfx1036 library=ollama',
        WINDOWS,
        ["OLLAMA_VULKAN", "user's environment variables"],
        ["systemctl", "export"],
    ),
    (
        "RuntimeError: Failed to infer device type",
        WINDOWS,
        ["wsl --install", "pip install vllm"],
        ["sudo", "nvidia-smi"],
    ),
    (
        "RuntimeError: No such operator torchvision::nms",
        {**LINUX, "packages": {"torch": "1.6.0+cu101", "torchvision": "0.7.0"}},
        [r"torch==1\.6\.0\+cu101 torchvision==0\.7\.0\+cu101 -f "],
        ["tensorflow"],
    ),
    (
        "RuntimeError: cuda runtime error (30) : unknown error at ..\\aten\\src\\THC\\THCGeneral.cpp:50",
        {},
        ["Restart Windows"],
        ["sudo", "modprobe"],
    ),
    (
        "RuntimeError: MPS BFloat16 is only supported on MacOS 14 or newer\nOS: macOS 15.1 (x86_64)\n"
        "Python platform: macOS-10.16-x86_64-i386-64bit\nCPU: Apple M3",
        {},
        ["arm64"],
        ["PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    # what a build's label says
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "driver": "450.51", "packages": {"torch": "2.5.1+cu121"}},
        [r"for CUDA 12\.1"],
        ["uninstall -y torch &&"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "packages": {"torch": "2.5.1+cu121"}},
        ["driver"],
        ["most likely a build without CUDA", "uninstall -y torch"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["whl/cu1"],
        ["whl/rocm", "amdgpu"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "Radeon RX 7900 XTX", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["usermod -aG render,video", "amdgpu"],
        ["uninstall -y torch", "nvidia"],
    ),
    (
        ">>> import jax; jax.numpy.ones(3)\nSegmentation fault (core dumped)",
        {**LINUX, "packages": {"jax": "0.4.26", "jaxlib": "0.4.26", "jax-cuda12-plugin": "0.4.34"}},
        [r"jax-cuda12-plugin 0\.4\.34", r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "UserWarning: Specified provider 'OpenVINOExecutionProvider' is not in available provider names.",
        LINUX,
        ["uninstall -y onnxruntime", "force-reinstall .*onnxruntime-openvino"],
        [r"install onnxruntime-gpu", "CUDA"],
    ),
    (
        "UserWarning: Specified provider 'MIGraphXExecutionProvider' is not in available provider names.",
        LINUX,
        ["onnxruntime-migraphx"],
        [r"install onnxruntime-gpu", "nvidia"],
    ),
    (
        "python_embeded\\Lib\\site-packages\\triton\\windows_utils.py:1: UserWarning: Failed to find Python libs.",
        WINDOWS,
        ["include and libs", "python_embeded"],
        ["sudo", "python3-dev"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'rocm': Backend 'rocm' is not in the list of known backends: ['cpu']",
        {**LINUX, "gpu": "AMD Instinct MI300X", "rocm": "7.1", "python": "3.12"},
        [r"jax-rocm7-plugin==\d", "unset JAX_PLATFORMS"],
        ["nvidia", "cuda"],
    ),
    (
        "NvRmMemInitNvmap failed with No such file or directory",
        {"os": "container"},
        ["--runtime nvidia", "l4t"],
        ["pip "],
    ),
    ("NvRmMemInitNvmap failed with Permission denied", {}, ["."], ["l4t-"]),
    (
        "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",
        LINUX,
        [r'torch\.Generator\(device="cuda"\)'],
        [ANY_INSTALL, "driver"],
    ),
    (
        "RuntimeError: Expected a 'mps:0' generator device but found 'cpu'",
        {**MAC, "env": {"KERAS_BACKEND": "torch"}},
        ["--upgrade keras", "KERAS_TORCH_DEVICE=cpu"],
        ["tensorflow"],
    ),
    (
        "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.",
        {**MAC, "env": {"KERAS_BACKEND": "torch"}},
        ["float32", "KERAS_TORCH_DEVICE=cpu"],
        ["tensorflow", "upgrade torch"],
    ),
    (
        "$ apptainer exec app.sif python a.py\nRuntimeError: CUDA driver version is insufficient for CUDA runtime version",
        LINUX,
        ["--nv"],
        ["update NVIDIA's driver", "ubuntu-drivers"],
    ),
    ("Is MPS available? False", {**MAC, "os_version": "macOS 12.0"}, ["Update macOS"], ["nvidia", "cuda"]),
    (
        "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group.",
        LINUX,
        ["ray status", "--num-gpus"],
        ["tensorflow"],
    ),
    (
        "ERROR: Package 'torch' requires a different Python: 3.8.10 not in '>=3.10'",
        LINUX,
        [r"torch==2\.4\.1"],
        ["64-bit one"],
    ),
    (
        "RuntimeError: jaxlib/cuda/versions_helpers.cc:33: operation cudaRuntimeGetVersion(&version) failed: Error loading "
        "CUDA libraries. GPU will not be used.",
        {**LINUX, "gpu": "RTX 3090", "packages": {"jax": "0.4.38"}},
        [r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "AttributeError: module 'torch' has no attribute 'get_default_device'",
        {**LINUX, "packages": {"torch": "2.1.0"}},
        ["2.3 or newer", "--upgrade torch", "older release"],
        ["tensorflow"],
    ),
    (
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess.",
        {**LINUX, "packages": {"vllm": "0.6.1", "torch": "2.4.0"}},
        ["VLLM_WORKER_MULTIPROC_METHOD=spawn", "__main__"],
        ["tensorflow"],
    ),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file",
        WINDOWS,
        ["wsl --update", "driver in Windows"],
        ["snap", "apt "],
    ),
    (
        "Because torch==2.6.0+cu118 has no wheels with a matching platform tag (e.g., `macosx_15_0_arm64`) and you require "
        "torch==2.6.0+cu118, we can conclude that your requirements are unsatisfiable.",
        {},
        [r"torch==2\.6\.0(?!\+)", "leave the label out", "darwin"],
        ["conda-forge", "from source"],
    ),
    (
        "ERROR: No matching distribution found for torch==2.4.1+cu121",
        {**MAC, "arch": "arm64"},
        [r"torch==2\.4\.1(?!\+)", "leave the label out"],
        ["conda-forge", "from source"],
    ),
    ("Submitted batch job 71\n" + NVIDIA_SMI, {}, ["--gres=gpu:1", "login node"], ["apt-get", "dkms", "reboot"]),
    (
        "srun: job 8 has been allocated resources\nRuntimeError: Found no NVIDIA driver on your system. Please check that you "
        "have an NVIDIA GPU and installed a driver",
        {},
        ["--gres=gpu:1"],
        ["modprobe", "apt-get"],
    ),
    (
        "RuntimeError: No HIP GPUs are available",
        {**LINUX, "gpu": "RX 7800 XT"},
        ["rocminfo", "render,video"],
        ["nvidia"],
    ),
    (
        "crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 are not supported!",
        {**LINUX, "packages": {"llama-cpp-python": "0.3.4"}},
        ["gcc 12", r"CUDAHOSTCXX=g\+\+-12", "newer CUDA toolkit"],
        ["nvidia-cuda-nvcc", "XLA_FLAGS"],
    ),
    (
        "ncclSystemError: System call (socket, malloc, munmap, etc) failed.",
        {"os": "container"},
        ["--ipc=host"],
        ["batch"],
    ),
    ("OSError: [Errno 28] No space left on device: '/dev/shm/psm_1a2b'", {"os": "container"}, ["--shm-size"], ["jax"]),
    ("LINK : fatal error LNK1181: cannot open input file 'cuda.lib'", WINDOWS, ["triton-windows"], ["sudo"]),
    ("TypeError: Trying to convert Float8_e4m3fn to the MPS backend", MAC, ["fp16"], ["nvidia", "tensorflow"]),
    (
        "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89.",
        LINUX,
        ["AWQ"],
        ["tensorflow"],
    ),
    (
        "RuntimeError: Failed to infer device type",
        {"os": "linux", "gpu": "Radeon RX 7900 XTX"},
        ["amdsmi", "rocm/vllm"],
        ["nvidia-smi"],
    ),
    (
        'msg="amdgpu is not supported (supported types:[gfx1030 gfx1100])" gpu_type=gfx1035 library=/usr/lib/ollama',
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0", "OLLAMA_VULKAN=1"],
        [ANY_INSTALL, "AMD's own builds"],
    ),
    (
        'level=INFO msg="no compatible GPUs were discovered" ollama',
        {"os": "container", "gpu": "RTX 4070"},
        ["--gpus"],
        [ANY_INSTALL],
    ),
    ("NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please", LINUX, ["nvidia-driver-470"], ["tensorflow"]),
    ("Intel MKL FATAL ERROR: Error on loading function 'clGetPlatformIDs'.", LINUX, ["intel-opencl-icd"], ["conda"]),
    ("ERROR: No matching distribution found for mlx", MAC, ["arm64", "Apple silicon"], ["nvidia", "tensorflow"]),
    ("NameError: name 'autogptq_cuda_256' is not defined", LINUX, ["gptqmodel"], ["tensorflow"]),
    ("ModuleNotFoundError: No module named 'triton'", WINDOWS, ["triton-windows"], ["sudo", r"install triton$"]),
    (
        "nvcc fatal   : Value 'compute_86' is not defined for option 'gpu-architecture'",
        LINUX,
        [r"11\.1"],
        ["tensorflow"],
    ),
    (
        "ImportError: DLL load failed while importing _fused: The specified module could not be found.",
        WINDOWS,
        [r"torch\.version\.cuda"],
        ["sudo", "tensorflow"],
    ),
    (
        "RuntimeError: MPS backend out of memory (MPS allocated: 0 bytes, other allocations: 0 bytes, max allowed: 7 GB).",
        MAC,
        ["virtual machine", "CPU"],
        ["nvidia-smi"],
    ),
    (
        # The fallback is for operations without a kernel: this one has one, which refuses the type.
        "TypeError: Operation 'abs_out_mps()' does not support input type 'int64' in MPS backend.",
        MAC,
        ["--upgrade torch", "float32 or int32"],
        ["tensorflow", "nvidia", "PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    (
        "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot open shared object",
        LINUX,
        ["CUDAExecutionProvider", "tensorrt-cu12"],
        ["tensorflow", "torch"],
    ),
    (
        "llama_model_load: error loading model: unable to allocate CUDA0 buffer",
        LINUX,
        ["-ngl"],
        ["TensorFlow", "JAX"],
    ),
    ("AttributeError: module 'onnxruntime' has no attribute 'InferenceSession'", LINUX, ["uninstall -y"], ["torch"]),
    # the manager that the log shows, not pip
    (
        "Unable to find installation candidates for tensorflow (2.9.1)",
        {**MAC, "arch": "arm64", "python": "3.10"},
        ["poetry add tensorflow-macos==2.9"],
        [ANY_INSTALL],
    ),
    (
        "Unable to find installation candidates for tensorflow-io-gcs-filesystem (0.28.0)",
        {**MAC, "arch": "arm64"},
        [r"poetry add tensorflow-io-gcs-filesystem==0\.3"],
        [r"0\.31\.0", ANY_INSTALL],
    ),
    (
        "  - tensorflow requires Python >=3.9,<3.13, so it will not be installable for Python >=3.13,<4.0",
        {},
        [r'">=3\.9,<3\.13"', "poetry lock"],
        [ANY_INSTALL],
    ),
    (
        "error: Distribution `tensorflow-io-gcs-filesystem==0.37.1 @ registry+https://pypi.org/simple` can't be "
        "installed because it doesn't have a source distribution or wheel for the current platform",
        {**WINDOWS, "python": "3.11"},
        ["required-environments", r"win32", r"uv add tensorflow-io-gcs-filesystem==0\.31\.0"],
        [ANY_INSTALL],
    ),
    (
        "Because no versions of tensorflow-intel match 2.15.0.post1\n and test depends on tensorflow (^2.15.0.post1), version "
        "solving failed.",
        {**WINDOWS, "python": "3.11"},
        [r"poetry add tensorflow==2\.15\.1"],
        [ANY_INSTALL],
    ),
    (
        "  ├─ tensorflow [2.10.0|2.8.2|2.9.1] would require\n  │  └─ python 3.10.* , which can be installed;\n"
        "  └─ pin-1 is not installable because it requires\n"
        "     └─ python 3.11.* , which conflicts with any installable versions previously reported.",
        LINUX,
        [r"conda create -n env -c conda-forge python=3\.10"],
        ["pip install", r"3\.11"],
    ),
    (
        'File "/root/.local/share/virtualenvs/app-x/lib/python3.10/site-packages/a.py"\n$ pipenv run python a.py\n'
        + NUMPY,
        {**LINUX, "packages": {"tensorflow": "2.9.1"}},
        [r"pipenv install .?numpy"],
        [r"pip install -"],
    ),
    (
        "Because tensorflow==2.10.0 has no wheels with a matching Python ABI tag (e.g., `cp312`) and you require "
        "tensorflow==2.10.0\nNo solution found when resolving dependencies:",
        {**WINDOWS, "python": "3.12"},
        ["uv venv --python 3.10"],
        ["sudo", r"-m pip install"],
    ),
    (
        "Because all versions of tensorflow have no wheels with a matching Python version tag (e.g., `cp314`) and your "
        "project depends on tensorflow",
        {**LINUX, "python": "3.12"},
        [r"requires-python.*<3\.14"],
        [ANY_INSTALL],
    ),
    (
        "$ pipenv install tensorflow\nERROR: Could not find a version that matches tensorflow (from -r x.txt (line 2))",
        {**MAC, "python": "3.14", "arch": "x86_64"},
        [r"pipenv --python 3\.12 && pipenv install tensorflow"],
        ["conda"],
    ),
    (
        "tensorflow 2.5.0 has requirement numpy~=1.19.2, but you'll have numpy 1.21.6 which is incompatible.",
        {},
        [r"numpy~=1\.19\.2"],
        ["no longer has"],
    ),
    (
        CUDNN % ("8.4.0", "8.6.0"),
        {**LINUX, "packages": {"tensorflow": "2.12.0"}, "python": "3.8"},
        [r"nvidia-cudnn-cu11>=8\.6,<9", "LD_LIBRARY_PATH=.*nvidia.cudnn"],
        ["cu12"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n  - cudatoolkit=12.3*",
        {**WINDOWS, "packages": {"tensorflow": "2.16.1"}, "gpu": "RTX 3070"},
        ["WSL 2", r"tensorflow==2\.10\.1"],
        ["conda-forge, or pip"],
    ),
    (
        "PackagesNotFoundError: not available\n  - tensorflow-gpu\n  - https://repo.anaconda.com/pkgs/main/osx-64",
        {},
        [r"pip install tensorflow$"],
        ["cuda]", "nvidia"],
    ),
    # what is mostly meant where a GPU is there and none is listed
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {**LINUX, "gpu": "Tesla T4", "packages": {"tensorflow": "2.10.0"}},
        [r"CUDA 11\.2"],
        ["nothing has to be installed"],
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
    (
        "hint: You're using CPython 3.13 (`cp313`), but `tensorflow` (v2.18.0) only has wheels with the following Python ABI "
        "tags: `cp39`, `cp312`\nerror: Distribution `tensorflow==2.18.0 @ registry+https://pypi.org/simple` can't be",
        WINDOWS,
        [r"uv python pin 3\.12; uv add tensorflow==2\.18\.0"],
        [r"-m pip", "conda"],
    ),
    (
        "ERROR: tensorflow-2.3.1-cp36-cp36m-linux_aarch64.whl is not a supported wheel on this platform.",
        {**LINUX, "gpu": "Jetson Nano", "python": "3.8", "arch": "aarch64"},
        [r"python3\.6 -m pip"],
        [r"2\.13"],
    ),
    ("No matching distribution found for nvidia-tensorflow", LINUX, ["nvidia-pyindex", r"3\.8"], ["conda-forge"]),
    (
        "ModuleNotFoundError: No module named 'tensorflow'",
        {**LINUX, "packages": {"keras": "3.0.1", "torch": "2.1.2"}},
        ["KERAS_BACKEND=torch", "--upgrade keras"],
        ["wsl"],
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
    ("AttributeError: module 'keras_tuner.engine' has no attribute 'tuner'", LINUX, ["keras-tuner"], [r"keras==2"]),
    ("ModuleNotFoundError: No module named 'tf_slim'", LINUX, ["pip install tf-slim"], ["pip check"]),
    ("ImportError: No module named 'slim'", WINDOWS, ["PYTHONPATH"], [r"pip install slim", r"\$PWD"]),
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
    # ROCm's own numbers
    (
        "ImportError: libhipsparse.so.4: cannot open shared object file: No such file or directory",
        {**LINUX, "packages": {"tensorflow-rocm": "2.20.0"}, "rocm": "7.1"},
        ["LD_LIBRARY_PATH", "hipconfig -R"],
        [r"ROCm 4\b"],
    ),
    (
        "Ignoring visible gpu device (device: 0, name: AMD Radeon Pro W6800, pci bus id: 0000:03:00.0) with AMDGPU version : "
        "gfx1030. The supported AMDGPU versions are gfx1030gfx1100, gfx900, gfx906.",
        LINUX,
        ["newer TensorFlow from AMD's own index"],
        ["HSA_OVERRIDE_GFX_VERSION=", "nvidia"],
    ),
    (
        "/usr/lib/python3.8/dist-packages/tensorflow/libtensorflow_framework.so.2: undefined symbol: _ZN8hip_impl8hipThing",
        {**LINUX, "packages": {"tensorflow-rocm": "2.3.0"}, "rocm": "4.0"},
        ["ROCm"],
        ["uninstall", "venv"],
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
        "No OpKernel was registered to support Op 'NcclAllReduce' used by {{node Adam/NcclAllReduce}}",
        {**WINDOWS, "packages": {"tensorflow": "2.10.0"}},
        ["HierarchicalCopyAllReduce"],
        ["set_soft_device_placement"],
    ),
    (
        "  Building wheel for grpcio (setup.py) ... error",
        {**MAC, "arch": "arm64"},
        ["--only-binary :all: grpcio", "conda install -c conda-forge grpcio"],
        ["nvidia"],
    ),
    (
        "Unable to find installation candidates for keras (3.5.0)",
        {"python": "3.8"},
        [r"keras==2\.", "poetry env use"],
        ["compile it"],
    ),
    # for which systems there are wheels, where none is known
    (
        "Unable to find installation candidates for tensorflow (2.18.0)",
        {"python": "3.10"},
        ["Intel processors", r"2\.16\.2"],
        [ANY_INSTALL],
    ),
    (
        "Unable to find installation candidates for tensorflow-macos (2.12.0)",
        {**MAC, "arch": "x86_64", "python": "3.10"},
        [r"poetry add .tensorflow==2\.12"],
        ["tensorflow-macos=="],
    ),
    (
        "FROM python:3.9-alpine\nERROR: No matching distribution found for tensorflow",
        {"os": "container"},
        ["slim"],
        ["conda-forge"],
    ),
    (
        "ERROR: tensorflow-2.9.1-cp39-cp39-macosx_11_0_x86_64.whl is not a supported wheel on this platform.",
        {**MAC, "arch": "x86_64", "python": "3.9"},
        ["SYSTEM_VERSION_COMPAT=0"],
        ["nvidia"],
    ),
    (
        ">>> import torch\n>>> import tensorflow\nSegmentation fault (core dumped)",
        LINUX,
        ["import TensorFlow first"],
        ["sudo"],
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
    # sizes of NumPy's structures: 96 is NumPy 1, 88 is NumPy 2
    (SIZE % ("dtype", 96, 88), LINUX, [r"numpy<2"], [r"numpy>=2"]),
    (SIZE % ("dtype", 88, 96), LINUX, [r"numpy>=2"], [r"numpy<2"]),
    (SIZE % ("ndarray", 88, 80), LINUX, ["--upgrade numpy"], [r"numpy<2"]),
    # each release of tensorflow-io is for one TensorFlow, and Windows has none after 0.31
    (
        TF_IO,
        {**WINDOWS, "packages": {"tensorflow": "2.13.0"}},
        [r"tensorflow==2\.11", r"tensorflow-io==0\.31"],
        [r"0\.34"],
    ),
    (TF_IO, {**LINUX, "packages": {"tensorflow": "2.13.0"}}, [r"tensorflow-io==0\.34"], [r"0\.31"]),
    (
        "INTERNAL: libdevice not found at ./libdevice.10.bc",
        {**LINUX, "packages": {"tensorflow": "2.12.0"}},
        ["nvidia-cuda-nvcc-cu11", "export XLA_FLAGS=--xla_gpu_cuda_data_dir="],
        ["wsl"],
    ),
    (
        'File "/v/lib/python3.12/site-packages/tensorflow_addons/utils/types.py", line 29, in <module>\n'
        "ModuleNotFoundError: No module named 'keras.src.engine'",
        LINUX,
        ["ended", r"--python 3\.11", r"tensorflow-addons==0\.23\.0"],
        ["pip install keras"],
    ),
    ("Illegal instruction: 4", {**MAC, "packages": {"tensorflow": "1.12.0"}}, ["AVX"], ["arm64", "Rosetta"]),
    (
        "Exception: Capture cuda graph failed: CUDA error: operation not permitted when stream is capturing",
        LINUX,
        ["--disable-cuda-graph"],
        ["tensorflow", "jax", "usermod"],
    ),
    (
        "ggml_cuda_init: found 1 CUDA devices:\nCUDA error: operation not permitted when stream is capturing",
        LINUX,
        ["GGML_CUDA_DISABLE_GRAPHS=1"],
        ["usermod", ANY_INSTALL],
    ),
    ("ggml_vulkan: No devices found.", LINUX, ["mesa-vulkan-drivers", "render"], ["winget", "tensorflow"]),
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
        NO_CUDA_TORCH
        + '\n  File "C:\\ComfyUI_windows_portable\\python_embeded\\Lib\\torch\\cuda\\__init__.py", line 3',
        WINDOWS,
        [r"python_embeded\\python\.exe", "whl/cu"],
        ["sudo"],
    ),
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root. flash_attn",
        {"os": "linux", "gpu": "Radeon RX 7900 XTX"},
        ["FLASH_ATTENTION_TRITON_AMD_ENABLE"],
        ["cuda-nvcc"],
    ),
    (
        "sglang: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        LINUX,
        ["--mem-fraction-static"],
        ["tensorflow"],
    ),
    (
        "nvidia-container-cli: initialization error: change root failed: no such file or directory: unknown.",
        LINUX,
        ["snap", "nvidia-ctk"],
        ["pip install"],
    ),
    ("RuntimeError: HIP error: shared object initialization failed", LINUX, ["AMD"], ["tensorflow", "nvidia"]),
    (
        "LinkerError: ptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.2'",
        LINUX,
        ["driver is older", "driver"],
        ["nvidia-cuda-nvcc", "PyTorch build for CUDA 8", "tensorflow"],
    ),
    ("ggml_cuda_init: failed to initialize CUDA: unknown error", LINUX, ["nvidia-uvm"], ["tensorflow", "jax"]),
    ("numba: Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY (2)", LINUX, ["smaller"], ["TensorFlow", "JAX"]),
    (
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 10, 2) but found (9, 1, 0)",
        LINUX,
        ["unset LD_LIBRARY_PATH", r"9\.10"],
        ["tensorflow"],
    ),
    (
        "RuntimeError: Native API failed. Native API returns: -999 (Unknown PI error) -999 (Unknown PI error)",
        LINUX,
        ["Intel"],
        ["nvidia", "modprobe"],
    ),
    # of lines that say the same, the one that names the GPU decides, wherever it is
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "NVIDIA GeForce RTX 5070 Ti with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
        {},
        ["sm_120", "cu128"],
        ["nvidia-smi"],
    ),
    # a Python for a pinned release comes from the data
    (
        NO_WHEEL % "tensorflow==2.13.0",
        {**LINUX, "python": "3.12"},
        [r"--python 3\.11", r"3\.8, 3\.9, 3\.10 and 3\.11"],
        [r"--python 3\.12"],
    ),
    (NO_WHEEL % "tensorflow==2.13.0", {**WINDOWS, "python": "3.12"}, [r"py -3\.11"], ["uv venv"]),
    (NO_WHEEL % "tensorflow-directml", {**WINDOWS, "python": "3.9"}, [r"py -3\.7"], [r"py -3\.1"]),
    (NO_WHEEL % "torch==1.13.1", {**LINUX, "python": "3.12"}, [r"--python 3\.1[01]"], ["tensorflow"]),
    (NO_WHEEL % "tensorflow==1.14", {**LINUX, "python": "3.8"}, [r"3\.7"], ["has no wheel for Linux"]),
    (
        NO_WHEEL % "tensorflow==2.6.0",
        {**MAC, "arch": "arm64", "python": "3.9"},
        ["tensorflow-macos==2.6"],
        ["and-cuda"],
    ),
    (NO_WHEEL % "tensorflow==1.15", {**LINUX, "arch": "aarch64", "python": "3.6"}, ["aarch64", "source"], ["and-cuda"]),
    (
        NO_WHEEL % "torch",
        {**LINUX, "gpu": "Jetson Orin Nano", "arch": "aarch64", "python": "3.10"},
        ["JetPack"],
        ["download.pytorch"],
    ),
    (NO_WHEEL % "tensorflow", {**WINDOWS, "python": "3.11", "arch": "32-bit"}, ["64-bit", "winget"], ["sudo"]),
    # builds: for the system and the GPU, of this framework
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "GeForce RTX 3060"}, [r"whl/cu1\d\d", "torch"], ["tensorflow", "wsl"]),
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "Radeon RX 7900 XTX"}, ["AMD"], [r"whl/cu", "tensorflow"]),
    (NO_CUDA_TORCH, {**MAC, "gpu": "Apple M2"}, ["mps"], ["whl/cu", "nvidia-smi"]),
    (
        "AssertionError: Torch not compiled with XPU enabled",
        {**LINUX, "gpu": "Arc A770"},
        ["whl/xpu"],
        ["whl/cu", "tensorflow"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**WINDOWS, "packages": {"tensorflow": "2.16.1"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"WSL 2", r"2\.10"],
        ["and-cuda]==2.16"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**LINUX, "packages": {"tensorflow-cpu": "2.18.0"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"tensorflow\[and-cuda\]==2.18.0", "uninstall -y tensorflow-cpu"],
        ["wsl", "directml"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**LINUX, "gpu": "RTX 4090"},
        [r"jax\[cuda1[23]\]"],
        ["tensorflow", "torch"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**WINDOWS, "gpu": "RTX 4090"},
        ["WSL 2"],
        [r"install.*jax\[cuda"],
    ),
    (
        JAX_METAL,
        {**MAC, "packages": {"jax-metal": "0.1.1", "jax": "0.6.0"}, "gpu": "Apple M3"},
        ["jax-metal", r"jax==0\.5"],
        ["cuda"],
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
    (OLD_DRIVER % "11040", {**LINUX, "packages": {"torch": "2.4.0"}}, [r"11\.4"], ["11040", "tensorflow"]),
    # drivers, by this distribution
    (
        NVIDIA_SMI,
        {**LINUX, "os_version": "Ubuntu 22.04", "gpu": "RTX 3060"},
        ["ubuntu-drivers install", "modprobe nvidia", "Secure Boot"],
        ["dnf", "pacman"],
    ),
    (NVIDIA_SMI, {**LINUX, "os_version": "Fedora 41", "gpu": "RTX 3060"}, ["akmod-nvidia"], ["apt", "ubuntu"]),
    (NVIDIA_SMI, {**LINUX, "os_version": "Arch Linux", "gpu": "RTX 3060"}, ["pacman"], ["apt-get", "dnf"]),
    (NVIDIA_SMI, {"os": "wsl2", "gpu": "RTX 3060"}, ["In Windows", "purge"], ["apt-get install", "modprobe"]),
    (
        PTX,
        {**LINUX, "packages": {"torch": "2.1.0"}, "gpu": "Tesla V100", "driver": "470.57", "cuda": "12.1"},
        [r"530\.30", "branch 580"],
        ["tensorflow"],
    ),
    (PTX, {"os": "container", "packages": {"torch": "2.1.0"}, "cuda": "12.1"}, ["host"], ["apt", "reboot"]),
    # AMD: the override of the GPU's own family, or none
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 6700 XT"},
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [r"=11\.0", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 7600"},
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0"],
        [r"=10\.3", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"tensorflow-rocm": "2.4.3"}, "gpu": "Radeon RX 580"},
        ["not support"],
        ["HSA_OVERRIDE_GFX_VERSION=", "nvidia"],
    ),
    (HIP, {**LINUX, "packages": {"torch": None}}, ["rocminfo"], ["HSA_OVERRIDE_GFX_VERSION=", "tensorflow"]),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "container", "gpu": "AMD Instinct MI210", "packages": {"torch": None}},
        ["/dev/kfd"],
        ["--gpus", "nvidia"],
    ),
    # generations of NVIDIA GPUs
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**LINUX, "packages": {"torch": "2.3.0"}, "gpu": "GeForce RTX 5090", "python": "3.11"},
        [r"12\.8|whl/cu1[23]\d|torch=="],
        ["tensorflow"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**WINDOWS, "packages": {"torch": "2.9.0"}, "gpu": "GeForce GTX 1080", "python": "3.11"},
        ["whl/cu12"],
        ["cu130", "tensorflow"],
    ),
    (
        "W gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0.",
        {**LINUX, "packages": {"tensorflow": "2.19.0"}, "gpu": "RTX 5080"},
        ["nvcr.io"],
        [ANY_INSTALL + ".*(jax|torch)", "let it finish"],
    ),
    # memory
    (OOM_TORCH, {**LINUX, "packages": {"torch": "2.5.0"}}, ["batch"], ["TF_", "tf\\.config", "XLA"]),
    (OOM_TF, WINDOWS, [r"\$env:TF_FORCE_GPU_ALLOW_GROWTH"], ["export", "torch"]),
    (OOM_JAX, LINUX, ["XLA_PYTHON_CLIENT_PREALLOCATE"], ["TF_FORCE", "torch"]),
    ("RuntimeError: MPS backend out of memory (MPS allocated: 5.05 GB)", MAC, ["batch"], ["nvidia", "CUDA"]),
    (SHM, {"os": "container", "packages": {"torch": None}}, ["--shm-size"], ["nvidia-smi"]),
    (SHM, {**LINUX, "packages": {"torch": None}}, ["/dev/shm"], ["nvidia-smi"]),
    # the rest, by system
    (NO_TF, {**LINUX, "gpu": "RTX 3060"}, [r"tensorflow\[and-cuda\]"], ["wsl"]),
    (NO_TF, WINDOWS, ["install tensorflow"], ["and-cuda", "sudo"]),
    ("ModuleNotFoundError: No module named 'torch'", LINUX, ["install torch"], ["tensorflow", "jax"]),
    (CUINIT, {**WINDOWS, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["Remove-Item Env:CUDA_VISIBLE_DEVICES"], ["unset"]),
    (CUINIT, {**LINUX, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["unset CUDA_VISIBLE_DEVICES"], ["Remove-Item"]),
    (OP, {**MAC, "packages": {"torch": "2.2.0"}}, ["PYTORCH_ENABLE_MPS_FALLBACK"], [r"tf\.", "nvidia"]),
    (
        METAL,
        {**MAC, "packages": {"tensorflow-macos": "2.9.2"}, "python": "3.9"},
        [r"tensorflow-metal==0\.5\.1"],
        ["cuda", "directml"],
    ),
    (GLIBCXX, {**LINUX, "packages": {"torch": None}}, ["libstdcxx"], ["tensorflow", "winget"]),
    (AVX, {"os": "container", "cpu": "Apple M1 (qemu)"}, ["linux/arm64"], [r"1\.5"]),
    (AVX, {**LINUX, "cpu": "QEMU Virtual CPU version 2.5+"}, ["CPU type host"], ["linux/arm64"]),
    (AVX, {**LINUX, "note": "in a virtual environment; docker with qemu"}, ["linux/arm64"], ["CPU type host"]),
    (CONDA_CUDA % "12.8", LINUX, ["whl/cu128", "pytorch-gpu", "2\\.5"], ["tensorflow"]),
    (CONDA_CUDA % "13.0", WINDOWS, ["whl/cu130", "pytorch-gpu"], ["tensorflow", "sudo"]),
    (NO_INDEX, {**LINUX, "python": "3.11"}, ["HTTPS_PROXY", "pip config"], [ANY_INSTALL]),
    (AVX, {**LINUX, "packages": {"deepspeech": "0.1.0"}}, ["source"], [ANY_INSTALL]),
    (DOCKER, LINUX, ["--gpus all", "nvidia-ctk"], ["winget", "/dev/kfd"]),
    (
        "The installed version of bitsandbytes was compiled without GPU support.",
        WINDOWS,
        ["--upgrade bitsandbytes", r"torch\.version\.cuda"],
        ["tensorflow"],
    ),
    (
        "PyTorch no longer supports this GPU because it is too old. The minimum cuda capability that it supports is 3.7.",
        {**LINUX, "gpu": "GeForce GT 730"},
        ["CPU", "previous-versions"],
        ["Blackwell", "cu128"],
    ),
    (
        "ImportError: libnvinfer.so.8: cannot open shared object file: No such file or directory",
        LINUX,
        [r"tensorrt==8\.\*", "tensorrt_libs"],
        ["tensorflow", "winget"],
    ),
    ("OSError: libnvinfer.so.7: cannot open shared object file", LINUX, ["TensorRT 7"], [ANY_INSTALL]),
    (DOCKER, WINDOWS, ["WSL 2", "wsl --update", "--gpus all"], ["nvidia-ctk", "sudo", "host"]),
    (DOCKER, {**WINDOWS, "gpu": "AMD Radeon RX 7900 XTX"}, ["NVIDIA's GPUs only"], ["nvidia-ctk", "--gpus"]),
    (DOCKER, MAC, ["Mac"], ["nvidia-ctk", "--gpus", "sudo"]),
    (NUMPY, {**WINDOWS, "packages": {"tensorflow": "2.6"}}, [r"numpy==1\.(19|2[0-3])\."], [r"numpy<2\b"]),
    (
        PROTO,
        {**LINUX, "packages": {"tensorflow": "2.7.1", "protobuf": "4.21.0"}, "python": "3.8"},
        [r"protobuf==3\."],
        [r"tensorflow==2\.15"],
    ),
    (
        "ValueError: Unable to import backend : pytorch",
        {**LINUX, "env": {"KERAS_BACKEND": "pytorch"}},
        ["KERAS_BACKEND=torch"],
        ["install.*tensorflow"],
    ),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
        WINDOWS,
        ["winget", r"C\+\+"],
        ["sudo", "export"],
    ),
    ("ImportError: libd3d12.so: cannot open shared object file", {"os": "wsl2"}, ["wsl --update"], ["apt"]),
    (
        "ImportError: libd3d12.so: cannot open shared object file",
        {**LINUX, "gpu": "Arc A380", "packages": {"tensorflow-directml-plugin": None}},
        ["WSL"],
        ["apt", "wsl --"],
    ),
    (
        "libze_loader.so.1: cannot open shared object file: No such file or directory",
        {**LINUX, "os_version": "Fedora 40", "packages": {"torch": None}},
        ["level-zero"],
        ["nvidia", "apt"],
    ),
    (
        "  ╰─▶ Because there is no version of tensorflow-intel{sys_platform == 'win32'}==2.30.0 and",
        LINUX,
        ["tensorflow-intel", r"\[tool\.uv\]"],
        ["driver"],
    ),
    ("    tensorflow 2.7.0 depends on numpy<1.22\nERROR: ResolutionImpossible", LINUX, [r"numpy<1\.22"], ["driver"]),
    (
        "failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found",
        {"os": "wsl2", "container": "docker", "packages": {"tensorflow": "2.17.0"}},
        ["Docker Desktop", "libnvdxgdmal"],
        [ANY_INSTALL, "compute capability"],
    ),
    (
        "*** Received signal 11 ***\n*** BEGIN MANGLED STACK TRACE ***\n0   train    0x0000000100003f50 main + 20",
        {"packages": {"tensorflow": "2.12.0"}},
        ["Received signal 11", "PYTHONFAULTHANDLER"],
        [ANY_INSTALL],
    ),
    (
        "Process finished with exit code -1073741819 (0xC0000005)",
        WINDOWS,
        ["PYTHONFAULTHANDLER"],
        ["sudo", ANY_INSTALL],
    ),
    (
        "NotFoundError: dlopen(/Users/me/ops/area.so, 6): image not found",
        {**MAC, "packages": {"tensorflow": "2.0.0"}},
        [r"area\.so"],
        ["tensorflow-metal"],
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow.compat.v2.keras'",
        {"packages": {"tensorflow": "2.17.0"}},
        ["tf-keras"],
        ["uninstall"],
    ),
    (
        "Looking in indexes: https://mirror.example/simple\n"
        "ERROR: Could not find a version that satisfies the requirement tensorboard<2.2.0,>=2.1.0 (from tensorflow) "
        "(from versions: 1.15.0, 2.0.2)",
        {},
        [r"--index-url https://pypi\.org/simple"],
        ["driver"],
    ),
    (
        "conda-forge/win-64   18.5MB @   3.7MB/s  4.3s\nEncountered problems while solving:\n"
        "  - nothing provides requested tensorflow >=2.10",
        {},
        [r'pip install "tensorflow>=2\.10"'],
        ["conda-forge, which builds", "sudo"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow-gpu==2.12.0 (from versions: 2.10.0)",
        {**WINDOWS, "python": "3.9"},
        [r"2\.10", "WSL"],
        ["sudo"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-text",
        {**WINDOWS},
        [r"2\.10\.0", r"3\.10"],
        ["sudo"],
    ),
    (
        "java.lang.UnsatisfiedLinkError: C:\\app\\tensorflow_jni.dll: Can't find dependent libraries",
        {**WINDOWS, "packages": {"tensorflow": "1.12.0"}, "cuda": "10.0"},
        [r"CUDA 9\.0"],
        [ANY_INSTALL],
    ),
    (
        "/opt/v/lib/python3.6/site-packages/tensorflow/python/keras/activations/__init__.py in <module>()\n"
        "---> 22 from tensorflow.python.keras._impl.keras.activations import elu\n\nImportError: cannot import name 'elu'",
        LINUX,
        ["several releases", "uninstall"],
        ["driver"],
    ),
    (
        "Internal: Blas xGEMM launch failed : a.shape=[1,20000,3], b.shape=[1,3,20000], m=20000, n=20000, k=3",
        {**LINUX, "gpu": "RTX 3080", "packages": {"tensorflow-gpu": "1.14.0"}, "cuda": "10.0"},
        [r"TensorFlow 2\.5", r"CUDA 11", "tf1-py3"],
        ["batch", ANY_INSTALL],
    ),
    (
        "Internal: Blas xGEMM launch failed : a.shape=[1,20000,3], b.shape=[1,3,20000], m=20000, n=20000, k=3",
        {**LINUX, "gpu": "GTX 1080", "packages": {"tensorflow-gpu": "1.14.0"}, "cuda": "10.0"},
        ["batch"],
        ["compute capability"],
    ),
    # What a person writes above the log: the answers of a form, with the question as heading, or a line of its own.
    (
        "### TensorFlow version\n\n2.12\n\n### OS Platform and Distribution\n\nUbuntu 22.04\n\n" + DLOPEN,
        {},
        [r"CUDA 11\.8 and cuDNN 8"],
        ["and-cuda", "Windows"],
    ),
    ("TF 2.12, Ubuntu 22.04\n" + DLOPEN, {}, [r"CUDA 11\.8 and cuDNN 8"], ["and-cuda"]),
    ("OS: Fedora 40\n" + NO_DRIVER, {}, ["dnf install"], ["ubuntu", "apt-get"]),
    ("Operating System: CentOS Linux 7 (Core)\n" + NO_DRIVER, {}, ["package manager"], ["ubuntu", "apt-get"]),
    ("OS: Arch Linux\n" + NO_DRIVER, {"os_version": "Debian 12"}, ["apt-get"], ["pacman"]),
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
    # tf-keras is what does not fit, not TensorFlow's files.
    (TF_KERAS, {"packages": {"tensorflow": "2.16.1"}}, [r"tf-keras==2\.16\.\*"], ["uninstall"]),
    (TF_KERAS, {}, [r"--upgrade tensorflow tf-keras"], ["uninstall"]),
    ("ModuleNotFoundError: No module named 'keras_preprocessing'", {}, ["pip install keras-preprocessing"], ["check"]),
    (
        "ImportError: cannot import name 'tf_utils'",
        {"packages": {"keras": "2.3.1", "tensorflow-gpu": "1.8.0"}},
        [r"keras==2\.2\.4"],
        [],
    ),
    ("i have an rx 6600\n" + NO_BINARY, LINUX, [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"], [r"11\.0\.0"]),
    ("OS: Fedora 40\n" + NO_TOOLKIT, LINUX, ["dnf install -y nvidia-container-toolkit", "nvidia-ctk"], ["apt-get"]),
    (NO_TOOLKIT, {**LINUX, "os_version": "Ubuntu 20.04"}, ["apt-get install -y nvidia-container-toolkit"], ["dnf"]),
    # Of an RTX 50, without its driver's version: a build that every driver for it runs.
    ("It fails on an RTX 5090D in Ubuntu.\n" + NO_KERNEL, LINUX, ["whl/cu128"], ["get_arch_list"]),
    (NO_KERNEL + "\nRTX 5090, driver 570.124.06", {**LINUX, "gpu": "RTX 5090", "python": "3.11"}, ["-cu12"], ["-cu13"]),
    (NO_KERNEL, LINUX, ["RTX 30", "CUDA 11"], []),
    (BITSANDBYTES, LINUX, ["--upgrade bitsandbytes"], ["--force-reinstall"]),
    (JAXLIB, LINUX, [r"jax\[cuda12\]"], []),
    (
        JAXLIB,
        WINDOWS,
        [r"\A.*operating system", r"wsl --install", r"pip install jax\b", r'"jax\[cuda12\]"'],
        [r"cuda12_pip"],
    ),
    (JAXLIB, MAC, ["Linux alone", r"pip install jax\b"], [r"jax\[cuda"]),
    (JAXLIB, {**LINUX, "python": "3.8"}, [r"cuda12_pip\]\" -f"], []),
    ("ERROR: No matching distribution found for jaxlib==0.4.9", LINUX, ["begin with jaxlib"], ["known"]),
    ("ERROR: No matching distribution found for jaxlib==0.4.9", WINDOWS, ["WSL 2"], ["begin with jaxlib", "pypi.org"]),
    # The kernel has the driver, the loader does not find its library.
    (LIBCUDA, {**LINUX, "os_version": "Ubuntu 20.04"}, ["libnvidia-compute-460"], ["modprobe", "dkms"]),
    (LIBCUDA, {**LINUX, "os_version": "Debian 11"}, ["libcuda1"], ["modprobe", "dkms"]),
    # An old interface of NumPy, numbered without 0x: the library is newer than NumPy.
    (
        "RuntimeError: module compiled against API version a but this version of numpy is 9",
        {},
        ["--upgrade numpy"],
        ["<2"],
    ),
    ("zsh: no matches found: tensorflow[and-cuda]", LINUX, [r'install "tensorflow\[and-cuda\]"'], []),
    ("zsh: no matches found: tensorflow[and-cuda]", MAC, ["install tensorflow$", "for Linux"], []),
    (
        "Linker error log: ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
        MAC,
        ["no wheel for macOS"],
        ["pip install"],
    ),
    (METAL, {**LINUX, "packages": {"tensorflow": "2.14.1"}}, ["no wheel for Linux"], ["pip install"]),
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
    (
        "failed call to cuInit: CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: forward compatibility was attempted on non "
        "supported HW",
        {"os": "container", "gpu": "RTX 3070"},
        ["update the host's driver"],
        ["--gpus", "nvidia-ctk"],
    ),
    # A driver that no current build runs with, and one that CUDA 11.8 runs with.
    (NOT_COMPILED, {**LINUX, "driver": "440.100", "gpu": "RTX 2080"}, ["Update NVIDIA's driver", "525"], ["cu118"]),
    (NOT_COMPILED, {**LINUX, "driver": "470.82", "gpu": "RTX 3080"}, ["Update NVIDIA's driver", "whl/cu118"], []),
    (NOT_COMPILED, {**LINUX, "driver": "535.54", "gpu": "RTX 3080"}, ["whl/cu12"], ["driver", "cu118"]),
    (DESERIALIZE, {**LINUX, "gpu": "RTX 3080"}, ["build for CUDA"], []),
    (DESERIALIZE, {}, ["map_location"], []),
    # The Python that pip runs on, from the wheels that it takes.
    (
        "  Downloading tensorflow-2.18.0-cp39-cp39-win_amd64.whl.metadata (3.3 kB)\n"
        "ERROR: No matching distribution found for tensorflow-io-gcs-filesystem==0.37.1",
        {},
        [r"install tensorflow-io-gcs-filesystem==0\.31\.0"],
        ["venv"],
    ),
    # A name of a module is no distribution.
    (
        "ImportError: cannot import name 'tf_logging' from 'tensorflow.python.platform' (/venv/lib/python3.7/site-packages/"
        "tensorflow/python/platform/__init__.py)",
        {},
        ["uninstall -y tensorflow "],
        ["tf-logging"],
    ),
    # Programs with builds of their own.
    (
        "NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
        LINUX,
        [r"numba-cuda\[cu12\]"],
        ["torch"],
    ),
    (
        "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient "
        "for CUDA runtime version",
        {**LINUX, "driver": "470.182"},
        ["cupy-cuda11x"],
        ["torch", "tensorflow"],
    ),
    ("ValueError: Please provide a TPU Name to connect to.", {}, ["local", "Colab"], ["GPU"]),
    # A command is for the Python and the GPU that are there.
    (
        "InternalError: Blas GEMM launch failed : a.shape=(32, 64), b.shape=(64, 10), m=32, n=10, k=64",
        {**LINUX, "python": "3.7", "gpu": "RTX 3090", "packages": {"tensorflow": "2.1.0"}},
        [r"pip install tensorflow==2\.11\S* nvidia-cuda-runtime-cu11", r"venv --python 3\.1\d env .*and-cuda\]==2"],
        [r"pip install \"tensorflow\[and-cuda\]"],
    ),
    (
        "Ignoring visible gpu device (device: 0, name: GeForce GTX 560 Ti, pci bus id: 0000:01:00.0, compute capability: 2.1) "
        "with Cuda compute capability 2.1. The minimum required Cuda capability is 3.5.",
        {**LINUX, "python": "3.6", "packages": {"tensorflow-gpu": "1.12.0"}},
        ["No release of TensorFlow has code for .*2\\.1"],
        ["from source", "install"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 9010). Please update your GPU driver",
        {**LINUX, "gpu": "GTX 580", "packages": {"torch": "1.13.0"}, "driver": "390.157"},
        [r"390\.x is its last branch", "No release of PyTorch"],
        ["cu118", "ubuntu-drivers"],
    ),
    (
        "E rocm_driver.cc:606] failed to allocate 127.99TiB (140729850295296 bytes) from device: HIP_ERROR_OutOfMemory",
        {**LINUX, "packages": {"tensorflow-rocm": "2.9.1"}},
        ["not a real size", r"needs ROCm 5\.1"],
        ["smaller batch"],
    ),
    (
        "InvalidArgumentError: No OpKernel was registered to support Op 'NcclAllReduce' used by node NcclAllReduce",
        {**LINUX, "gpu": "RX 6800", "packages": {"tensorflow-rocm": "2.9.1"}},
        ["RCCL", "HierarchicalCopyAllReduce"],
        ["NVIDIA"],
    ),
    (
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against 7102 but linked against 6021",
        LINUX,
        [r"cuDNN 7\.1\.2", "LD_LIBRARY_PATH"],
        ["7102"],
    ),
    (
        NO_WHEEL % "tensorflow-gpu",
        {**WINDOWS, "python": "3.5", "arch": "32-bit"},
        [r"py -3\.10 .*tensorflow==2\.10"],
        ["tensorflow-gpu$"],
    ),
    ("ModuleNotFoundError: No module named 'numba.decorators'", {**LINUX, "python": "3.10"}, [], ["pip install"]),
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
    (
        "ModuleNotFoundError: No module named 'tensorflow_addons'",
        {**WINDOWS, "python": "3.10", "packages": {"tensorflow": "2.14.0"}},
        [r"addons==0\.22"],
        [],
    ),
    # Containers, WSL and distributions: a command is for the shell and the system that it is typed in.
    (
        "Unable to determine the device handle for GPU0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU",
        {"os": "wsl2", "gpu": "RTX 3060", "note": "Docker"},
        ["wsl --shutdown", "containers too", "restart Windows"],
        ["dmesg", "sudo"],
    ),
    (
        "Failed to initialize NVML: Driver/library version mismatch",
        {"os": "wsl2", "gpu": "RTX 3060"},
        ["wsl --shutdown", "Linux driver from WSL"],
        ["Restart the machine", "module"],
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
    (
        "E cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_DEVICE_UNAVAILABLE",
        {"os": "container"},
        ["On the host: if the mode is exclusive"],
        [],
    ),
    # What computes next to a framework, and is itself a build without CUDA.
    *(
        (line, {**LINUX, "gpu": "RTX 3060", "packages": {"torch": "2.6.0+cu124"}}, [must], ["torch", "tensorflow"])
        for line, must in (
            (
                "XGBoostError: [1:2:3] common.h:181: XGBoost version not compiled with GPU support.",
                "pip install xgboost",
            ),
            ("[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build.", "cmake.define.USE_CUDA=ON"),
            ("[LightGBM] [Fatal] GPU Tree Learner was not enabled in this build.", "--upgrade lightgbm"),
            ("ValueError: This CTranslate2 package was not compiled with CUDA support", "ctranslate2$"),
            (
                "ValueError: The device should not be 'gpu', since PaddlePaddle is not compiled with CUDA",
                "paddlepaddle-gpu",
            ),
            ("error: (-216) The library is compiled without CUDA support in function setDevice", "WITH_CUDA=ON"),
            ("RuntimeError: dlib was not compiled with CUDA support", "--no-binary dlib"),
            ("MXNetError: Compile with USE_CUDA=1 to enable GPU usage", "mxnet-cu112"),
        )
    ),
    (
        "ValueError: This CTranslate2 package was not compiled with CUDA support",
        {**LINUX, "arch": "aarch64"},
        ["WITH_CUDA=ON"],
        ["pip install", "torch"],
    ),
    ("ValueError: This CTranslate2 package was not compiled with CUDA support", MAC, ["CPU"], ["torch", "mps"]),
    ("RuntimeError: Not compiled with CUDA support", LINUX, [r"data\.pyg\.org", "FORCE_CUDA"], []),
    # The release that a sentence names.
    ("Using CUDA 11.7 with onnxruntime-gpu=1.15.1\n" + NO_PROVIDER, LINUX, [r"CUDA 11\.8 and cuDNN 8"], [r"1\.19 on"]),
]


def answer(log, facts):
    """The first finding above info, as a person reads it."""
    finding = next(item for item in explain(log, facts=facts) if item.severity != "info")
    return "\n".join([finding.summary, *(line for step in finding.fix for line in (step.text, step.command) if line)])


@pytest.mark.parametrize("log, facts, must, must_not", ROWS)
def test_a_fix_is_for_this_user(log, facts, must, must_not):
    text = answer(log, facts)
    missing = [item for item in must if not re.search(item, text, re.IGNORECASE)]
    misleading = [item for item in must_not if re.search(item, text, re.IGNORECASE)]
    assert not missing, text
    assert not misleading, text


#: Systems, GPUs and frameworks, each as facts, for every code; what a command of each kind never names.
SYSTEMS = (
    {},
    {"os": "linux", "os_version": "Ubuntu 24.04"},
    {"os": "linux", "os_version": "openSUSE Leap 15.6"},
    {"os": "linux", "arch": "aarch64"},
    {"os": "windows"},
    {"os": "windows", "arch": "32-bit"},
    {"os": "macos", "arch": "arm64"},
    {"os": "macos", "arch": "x86_64"},
    {"os": "wsl2"},
    {"os": "container"},
)
GPUS = (
    "",
    "GeForce RTX 5090",
    "GeForce GTX 1060",
    "Jetson Nano",
    "Radeon RX 6600",
    "Radeon RX 580",
    "Arc A770",
    "Apple M2",
)
FRAMEWORKS = (
    {},
    {"tensorflow": "2.6.0"},
    {"tensorflow": "2.19.1", "keras": None},
    {"tensorflow-gpu": "1.15"},
    {"jax": "0.4.30", "jaxlib": "0.4.30"},
    {"torch": "2.3.0+cu121", "torchvision": None},
    {"onnxruntime-gpu": "1.20.0"},
    {"tfjs-node-gpu": None},
)
NAMED = {
    "tensorflow": r"tensorflow|\bTF_|\btf\.",
    "jax": r"\bjax|XLA_PYTHON",
    "torch": r"torch|PYTORCH_",
    "onnxruntime": "onnx",
}
ELSEWHERE = {
    "windows": r"\b(sudo|apt|dnf|modprobe|dmesg|ldconfig|export|unset|grep)\b|LD_LIBRARY_PATH|/(dev|etc|opt|usr)/|-metal",
    "linux": r"\$env:|winget|\.exe\b|\bsetx\b|Remove-Item|tensorflow-metal|\bbrew\b|py -3",
    "macos": r"\b(sudo apt|dnf|modprobe|dmesg|ldconfig)\b|\$env:|winget|nvidia-smi|and-cuda|whl/cu|--gpus|directml|/dev/",
}


def test_an_index_that_the_cpu_refuses_as_well_is_the_programs():
    (found,) = explain(
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n"
        "IndexError: index out of range in self"
    )
    assert found.code == "user-code-error"
    assert "vocab_size" in found.fix[0].text


def test_a_warning_is_no_error_and_a_driver_that_does_not_start_lacks_no_kernel():
    old = "W asm_compiler.cc:235] Your CUDA software stack is old. We fallback to the NVIDIA driver for some compilation. The "
    first = explain(old + "ptxas error was: ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'")[0]
    assert first.severity == "warning"
    found = explain("E cuda_driver.cc:282] failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found")
    assert [item.code for item in found] == ["driver-mismatch"]


def situations():
    """Every code on every system, with every GPU and framework."""
    for code in sorted(PROVIDERS):
        for system in SYSTEMS:
            for gpu in GPUS:
                for packages in FRAMEWORKS:
                    facts = dict(system, packages=packages, python="3.9", driver="470.82", cuda="11.4")
                    yield code, dict(facts, **({"gpu": gpu} if gpu else {}))


def test_no_command_is_for_another_framework_or_system():
    """Computed for every code, system, GPU and framework: nothing fails, and no command is someone else's."""
    wrong = []
    for number, (code, facts) in enumerate(situations()):
        if number % 7:  # a sample; what is left out differs only in what other rows have
            continue
        about = Situation(code, known_from_facts(facts), {}, "", "", "")
        fixes = fixes_for(about, ())
        assert all(step.text for step in fixes)
        system = {"container": "linux", "wsl2": ""}.get(facts.get("os", ""), facts.get("os", ""))
        for command in filter(None, (step.command for step in fixes)):
            for name, pattern in NAMED.items():
                if about.framework and name != about.framework and re.search(pattern, command):
                    wrong.append((code, facts, command))
            # What is typed in WSL or in Windows says so in its words.
            if system in ELSEWHERE and re.search(ELSEWHERE[system], command):
                said = next(step.text for step in fixes if step.command == command)
                if "WSL" not in said:
                    wrong.append((code, facts, command))
    assert not wrong, "\n".join(map(str, wrong[:20]))


#: Logs whose fix installs something, for each of the mechanisms that choose a release.
INSTALLING = (
    NO_WHEEL % "tensorflow==2.4.1",
    NO_WHEEL % "jax==0.4.30",
    NO_WHEEL % "torch==1.7.1",
    NO_WHEEL % "tensorflow-gpu",
    NO_TF,
    NO_JAX,
    NO_CUDA_TORCH,
    NUMPY,
    PROTO,
    JAX_METAL,
    METAL,
    HIP,
    NO_KERNEL,
    CUDNN % ("8.0.5", "8.6.0"),
    "zsh: no matches found: jax[cuda12]==0.4.30",
    "RuntimeError: jaxlib is version 0.4.20, but this version of jax requires version >= 0.4.30.",
    "AttributeError: module 'tensorflow' has no attribute 'Session'",
    "Ignoring visible gpu device with Cuda compute capability 2.1. The minimum required Cuda capability is 3.5.",
    "tensorflow.python.framework.errors_impl.InternalError: Blas GEMM launch failed : a.shape=(32, 64), b.shape=(64, 10)",
    "Num GPUs Available: 0",
)


def test_a_command_has_the_form_of_each_shell():
    """PowerShell 5 has no &&, and no shell of Windows knows what POSIX has."""
    wrong = []
    for number, (code, facts) in enumerate(situations()):
        if number % 5 or facts.get("os") != "windows":
            continue
        for step in fixes_for(Situation(code, known_from_facts(facts), {}), ()):
            for shell, form in step.commands:
                bad = r"\bexport |\bunset |/dev/|\bsudo |/usr/" + (r"|&&" if shell == "powershell" else r"|^\$env:")
                if shell in ("powershell", "cmd") and re.search(bad, form):
                    wrong.append((shell, form))
    steps = explain(
        "ERROR: No matching distribution found for tensorflow==1.15.5", facts={**WINDOWS, "python": "3.11"}
    )[0].fix
    wrong += [item for step in steps for item in step.commands if item[0] == "powershell" and "&&" in item[1]]
    about = Situation("cause-unknown", known_from_facts(WINDOWS), {})
    steps = Steps(about)
    steps.run("Do both", "conda create -y -n env && conda run -n env python")
    assert dict(steps.fixes[0].commands)["powershell"] == "conda create -y -n env; conda run -n env python"
    assert " && " in dict(steps.fixes[0].commands)["cmd"]
    steps.run("See", "ls /usr/local/cuda")
    assert len(steps.fixes) == 1
    assert not wrong, wrong[:10]


def installed(steps, python):
    """The requirements of each command of pip without an index, and the Python that it is run with."""
    own = python
    for step in steps:
        command, python = step.command or "", own if step.instead else python
        made = re.search(r"--python (3\.\d+) env|py -(3\.\d+)|python=(3\.\d+)", command)
        python = next(filter(None, made.groups())) if made else python
        if made is None and step.text.startswith(("In WSL", "In Windows", "In it")):  # in another environment
            continue
        found = re.search(r"pip install (?!.*(?:-url|-f) )(.*)", command)
        if found:
            yield step, python, [item.strip("\"'") for item in found.group(1).split() if re.match(r"[\"'a-z]", item)]


def test_what_a_command_installs_has_a_wheel_for_its_python_and_system():
    """As far as the bundled matrix knows: of a release that the bounds take, and, for JAX, of a jaxlib that goes with it."""
    wrong = set()
    systems = [facts for facts in SYSTEMS if facts.get("os") and facts.get("arch") != "32-bit"]
    for number, (log, facts, packages) in enumerate(itertools.product(INSTALLING, systems, FRAMEWORKS)):
        python, gpu = "3.%d" % (7 + number % 7), GPUS[number % len(GPUS)]
        facts = dict(facts, packages=packages, python=python, **({"gpu": gpu} if gpu else {}))
        platform = known_from_facts(facts).platform
        for finding in explain(log, facts=facts):
            for step, its, requirements in installed(finding.fix, python):
                for item in requirements:
                    lacking = lacks_wheel(item, its, platform)
                    if lacking:
                        wrong.add("%s on %s: %s (%s)" % (lacking, platform, step.command, step.text))
    assert not wrong, "%d: %s" % (len(wrong), "\n".join(sorted(wrong)[:20]))


def lacks_wheel(requirement, python, platform):
    """The name of what has releases in some bounds, and none of them with a wheel; "" if there is one, or no data."""
    name, bounds = requirement_of(requirement)
    project = BUNDLED.project(name)
    releases = [item for item in (project.versions if project else ()) if accepts(bounds or ">=0", item) is True]
    if not releases or platform is None:
        return ""
    fitting = [item for item in releases if has_wheel(name, item, python, platform).status == "compatible"]
    if name == "jax" and fitting and (sort_key(fitting[-1]) >= (0, 4, 18) or python in ("3.12", "3.13")):
        least = "<=" + fitting[-1]
        return lacks_wheel("jaxlib" + least, python, platform) if accepts(least, "0.4.18") else "jaxlib"
    return "" if fitting else "%s for Python %s" % (requirement, python)


def test_every_step_says_who_does_it_and_what_it_changes():
    """``devicekit`` can do exactly what says what to install; a command has a form for each shell that it is for."""
    for code, facts in list(situations())[::13]:
        for step in fixes_for(Situation(code, known_from_facts(facts), {}), ()):
            assert (step.who == "devicekit") == (step.packages is not None), step
            assert step.command is None or dict(step.commands).get("posix") or dict(step.commands).get("powershell"), (
                step
            )
            assert (step.command is None) == (not step.commands), step


@pytest.mark.parametrize(
    "facts, wanted",
    [({"os": "macos"}, "tensorflow-metal"), ({"os": "windows"}, "WSL")],
)
def test_the_extra_for_cuda_where_there_is_no_cuda(facts, wanted):
    log = NO_WHEEL % 'nvidia-nccl-cu12==2.16.5; extra == "and-cuda"'
    found = explain(log, facts=facts)[0]
    assert any(wanted in step.text + (step.command or "") for step in found.fix)


@pytest.mark.parametrize("name, build", [("tensorflow", "cpu_py39h4655687_0"), ("pytorch", "cpu_generic_py311_1")])
def test_conda_names_the_package_that_it_installed_without_cuda(name, build):
    found = explain("%s    2.7.0    %s    conda-forge" % (name, build), facts={"gpu": "GeForce RTX 3060"})[0]
    assert 'conda install -c conda-forge "%s=*=*cuda*"' % name in [step.command for step in found.fix]


def test_tensors_on_two_devices_are_no_index_out_of_range():
    log = "RuntimeError: Expected all tensors to be on the same device, but found cuda:0 and cpu! (argument index)"
    text = " ".join(step.text for step in explain(log)[0].fix)
    assert "model.to(device)" in text
    assert "out of range" not in text


def test_the_release_of_tensorflow_that_needs_avx2_by_mistake():
    log = "Illegal instruction (core dumped)\nimport tensorflow"
    wanted = 'python -m pip install tensorflow==2.4.1 "protobuf<4.21"'
    for version in ("2.4.0", "2.4.1"):
        commands = [step.command for step in explain(log, facts={"packages": {"tensorflow": version}})[0].fix]
        assert (wanted in commands) == (version == "2.4.0")


@pytest.mark.parametrize("flags, has", [(("avx", "avx2"), True), (("sse4_2",), False)])
def test_a_processor_that_has_avx_is_not_sent_for_another(flags, has):
    machine = load("linux-cpu")
    machine = machine.replace(native=machine.native.replace(cpu_flags=Fact.of(flags, "/proc/cpuinfo")))
    text = " ".join(step.text for step in explain("Illegal instruction (core dumped)", machine)[0].fix)
    assert ("compiled for another one" in text) == has
    assert ("processor that has them" in text) != has
    assert "another computer" not in text


def test_a_fix_of_tensorflow_names_no_jax():
    """TensorFlow 2.12 requires JAX: its installer finds it."""
    log = "W gpu_device.cc:1956] Cannot dlopen some GPU libraries. Please make sure the missing libraries"
    facts = {"os": "linux", "python": "3.10", "gpu": "GeForce RTX 3060", "packages": {"tensorflow": "2.12.0"}}
    commands = [step.command or "" for step in explain(log, facts=facts)[0].fix]
    assert any("tensorflow==2.12.0" in command for command in commands)
    assert not any("jax" in command for command in commands)


def test_errors_that_only_pytorch_words_so_are_its_own():
    log = "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"
    found = explain(log)[0]
    assert found.code == "out-of-memory"
    assert not any("TensorFlow" in step.text for step in found.fix)


def test_jax_on_windows_is_for_the_cpu():
    log = (
        "RuntimeError: Unable to initialize backend 'cuda': UNIMPLEMENTED: LoadPjrtPlugin is not implemented on windows"
    )
    found = explain(log)[0]
    assert found.code == "platform-unsupported"
    assert "Remove-Item Env:JAX_PLATFORMS" in [step.command for step in found.fix]


def test_the_framework_that_the_log_names_is_stronger_than_a_signatures_own_words():
    """Signatures of lines that all frameworks print name the one that most of them are from."""
    log = "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"
    fix = explain(log)[0].fix
    assert any("XLA_PYTHON_CLIENT_PREALLOCATE" in (step.command or "") for step in fix)
    assert not any("TF_FORCE" in (step.command or "") or "TensorFlow" in step.text for step in fix)
    known = known_from_facts({})
    about = Situation("out-of-memory", known, {}, "no memory", summary="TensorFlow takes it all.")
    assert about.framework == "tensorflow"
    known.words.add("jax")
    assert about.framework == "jax"


def test_an_extension_is_told_the_cuda_that_pytorch_was_compiled_with():
    log = (
        "      RuntimeError:\n      The detected CUDA version (12.3) mismatches the version that was used to compile\n"
        "      PyTorch (11.7). Please make sure to use the same CUDA versions."
    )
    found = explain(log)[0]
    assert found.code == "cuda-version-mismatch"
    assert "CUDA toolkit 11.7" in found.fix[0].text


@pytest.mark.parametrize(
    "line", ["RuntimeError: No CUDA GPUs are available", "ValueError: fp16 mixed precision requires a GPU"]
)
def test_a_program_that_ends_for_want_of_a_gpu_is_told_so(line):
    finding = explain(line)[0]
    assert finding.severity == "error"
    assert finding.code in ("no-gpu", "cpu-only-build")


@pytest.mark.parametrize(
    "line", ["CUDA error: an illegal memory access was encountered", "CUDA error: unspecified launch failure"]
)
def test_a_kernel_that_fails_is_looked_for_in_the_program_first(line):
    first = explain("RuntimeError: " + line)[0].fix[0]
    assert "CUDA_LAUNCH_BLOCKING" in first.command
    assert "program" in first.text


def test_cudnn_errors_in_pytorchs_words_name_no_tensorflow():
    for status in ("NOT_INITIALIZED", "INTERNAL_ERROR", "MAPPING_ERROR"):
        fix = explain("RuntimeError: cuDNN error: CUDNN_STATUS_" + status)[0].fix
        assert fix
        assert not any(re.search("TensorFlow|JAX|TF_", step.text + (step.command or "")) for step in fix)


STUB = "RUN ln -s /usr/local/cuda/lib64/stubs/libcuda.so /usr/local/cuda/lib64/stubs/libcuda.so.1\n"
OPENED = "I tensorflow/stream_executor/platform/default/dso_loader.cc:50] Successfully opened dynamic library libcudart.so.12"
INSUFFICIENT = (
    "InternalError: cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version"
)
RNN = (
    "E tensorflow/stream_executor/dnn.cc:616] CUDNN_STATUS_BAD_PARAM\nin tensorflow/stream_executor/cuda/cuda_dnn.cc(1496): "
    "'cudnnSetRNNDataDescriptor( data_desc.get(), data_type, layout)'"
)
PTXAS = "W asm_compiler.cc:235] ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'"


@pytest.mark.parametrize(
    "log, facts, code, word",
    [
        (
            STUB + "E cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
            {"os": "container"},
            "driver-shadowed",
            "stubs",
        ),
        (OPENED + "\n" + INSUFFICIENT, {"os": "linux", "gpu": "RTX 3060"}, "driver-too-old", "525"),
        (RNN, {"packages": {"tensorflow": "2.4.1"}}, "user-code-error", "drop_remainder"),
        (PTXAS, {"os": "linux", "packages": {"tensorflow": "2.4.1"}}, "xla-toolchain-missing", "CUDA 11.1"),
    ],
)
def test_what_the_log_shows_decides_the_fix(log, facts, code, word):
    first = explain(log, facts=facts)[0]
    assert first.code == code
    assert word in "\n".join("%s\n%s" % (fix.text, fix.command) for fix in first.fix)


@pytest.mark.parametrize(
    "facts, wanted",
    [({}, "protobuf<6"), ({"os": "windows", "python": "3.12", "packages": {"tensorflow": "2.18.0"}}, "protobuf==5")],
)
def test_protobuf_has_what_the_generated_code_calls(facts, wanted):
    first = explain("AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'", facts=facts)[0]
    assert first.code == "protobuf-incompatible"
    assert wanted in first.fix[0].command


def test_an_abort_in_cudnn_names_the_release_that_tensorflow_needs():
    facts = {"os": "windows", "packages": {"tensorflow": "2.4.0"}, "gpu": "RTX 3070"}
    first = explain("Process finished with exit code -1073740791 (0xC0000409)", facts=facts)[0]
    assert any("CUDA 11.0 and cuDNN 8" in fix.text for fix in first.fix)


def test_the_file_that_the_loader_misses_is_named():
    line = DLL % ("libcusolver.so.11", "libnvJitLink.so.12: cannot open shared object file: No such file or directory;")
    fixes = explain(line, facts={"os": "linux", "gpu": "RTX 3060"})[0].fix
    assert "libnvJitLink.so.12" in fixes[0].text
    assert "nvidia-nvjitlink-cu12" in fixes[1].command


def test_a_traceback_in_an_add_on_is_about_the_add_on():
    log = (
        '  File "/x/lib/python3.9/site-packages/tensorflow_probability/python/internal/auto.py", line 419, in f\n'
        "AttributeError: module 'tensorflow.python.framework.type_spec' has no attribute '_NAME_TO_TYPE_SPEC'"
    )
    first = explain(log)[0]
    assert first.code == "dependency-incompatible"
    assert "tensorflow-probability" in first.fix[0].text


@pytest.mark.parametrize(("version", "code"), [("'2.4.1+cu121'", "driver-missing"), ("'2.4.1'", "cpu-only-build")])
def test_who_asks_pytorch_for_cuda_wants_it(version, code):
    log = ">>> import torch\n>>> torch.__version__\n%s\n>>> torch.cuda.is_available()\nFalse\n" % version
    finding = explain(log)[0]
    assert (finding.code, finding.severity) == (code, "warning")
    assert "nvidia-smi" in [step.command for step in finding.fix]


def test_jax_metal_is_named_by_the_summary_too():
    log = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported.\njax 0.6.2\njax-metal 0.1.1\n"
    assert not any("cuda" in (step.command or "") for step in explain(log)[0].fix)


def test_a_notebook_service_without_a_gpu_needs_no_driver():
    log = "RuntimeError: Found no NVIDIA driver on your system.\n/content/drive/MyDrive/run.py\n"
    finding = explain(log)[0]
    assert finding.code == "no-gpu"
    assert len(finding.fix) == 1
    assert "Change runtime type" in finding.fix[0].text


@pytest.mark.parametrize(
    "log, facts, word",
    [
        (DLL % ("libcudart.so.10.0", "x"), {"packages": {"tensorflow": "1.15.0"}, "gpu": "RTX 3090"}, "2.5 or newer"),
        (
            "ValueError: decay is deprecated in the new Keras optimizer",
            {"packages": {"tensorflow": "2.12.0"}},
            "schedule",
        ),
        ("<ipython-input-1-cd> in <module>\n%s" % NO_TF, {"os": "linux"}, "kernel"),
        ("RuntimeError: tf.placeholder() is not compatible with eager execution.", {}, "disable_v2_behavior"),
        (
            "ValueError: Trying to load a model of incompatible/unknown type. '/x' contains neither",
            {},
            "Delete the folder",
        ),
        ("ValueError: Unknown layer: MBBLOCK. Please ensure this object is passed", {}, "custom_objects"),
    ],
)
def test_the_fix_has_the_step_that_helps(log, facts, word):
    assert any(word in fix.text for fix in explain(log, facts=facts)[0].fix)


#: TensorFlow's logger, copied from a table of a page: other blanks, and more of them.
PASTED = (
    "2024-01-01  10:00:00.1: W  tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not  load "
    "dynamic\u00a0library 'libcusolver.so.11'; dlerror: libcusolver.so.11: cannot open shared object file"
)
INVALID_PTX = "InternalError: Failed to load PTX text as a module: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed"
UNMET = "ERROR: tensorflow 2.4.1 has requirement %s, but you'll have %s which is incompatible.\n"


@pytest.mark.parametrize(
    "log, facts, code, words",
    [
        ("No module named 'keras.legacy'", {}, "keras-incompatible", ["keras==2.3.1", "TF_KERAS"]),
        ("AttributeError: module 'keras.backend' has no attribute 'tf'", {}, "keras-incompatible", ["import tensorflow"]),
        (
            "ImportError: keras.optimizers.legacy is not supported in Keras 3. When using tf.keras, install tf_keras",
            {"packages": {"tensorflow": "2.17.0"}, "os": "linux"},
            "keras-incompatible",
            ["tf-keras==2.17.*", "TF_USE_LEGACY_KERAS"],
        ),
        (
            "ValueError: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}",
            {},
            "keras-incompatible",
            ["tf-keras", "leave it out"],
        ),
        ("No module named 'tensorflow.keras'", {}, "keras-incompatible", ["tf.__file__", "--force-reinstall"]),
        (
            "No module named 'tensorflow.keras'",
            {"packages": {"tensorflow": "1.5.0"}},
            "dependency-incompatible",
            ["install --upgrade tensorflow"],
        ),
        (PASTED, {"os": "linux", "packages": {"tensorflow": "2.5.0"}}, "cuda-library-missing", ["11.2"]),
        (
            UNMET % ("gast==0.3.3", "gast 0.4.0") + UNMET % ("h5py~=2.10.0", "h5py 3.1.0"),
            {"os": "linux"},
            "dependency-incompatible",
            ["gast==0.3.3 \"h5py~=2.10.0\""],
        ),
        ("step 9/10 - loss: 0.2 - acc: 0.9209Killed", {"os": "linux"}, "host-memory-exhausted", ["RAM"]),
        ("[I] KernelRestarter: restarting kernel (1/5), keep random ports", {}, "framework-broken", ["main memory"]),
        (
            "InternalError: Failed to get device name: HIP_ERROR_InvalidValue",
            {"os": "linux", "gpu": "Radeon RX 570", "packages": {"tensorflow-rocm": "2.4.3"}},
            "gfx-unsupported",
            ["gfx803"],
        ),
        (
            "W tensorflow/compiler/xla/nvptx_compiler.cc:70] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.",
            {"os": "windows", "packages": {"tensorflow-gpu": "2.2.0"}, "gpu": "RTX 2080"},
            "xla-toolchain-missing",
            ["CUDA toolkit 10.1"],
        ),
        (
            DLL % ("libcudart.so.10.2", "x"),
            {"os": "container", "gpu": "Jetson Nano", "arch": "aarch64", "packages": {"tensorflow": "2.5.0"}},
            "cuda-library-missing",
            ["--runtime nvidia"],
        ),
        (
            "Error: Installation of TensorFlow not found.\n\nPython exception encountered:\n"
            " AssertionError: Duplicate registrations for type 'experimentalOptimizer'",
            {},
            "keras-incompatible",
            ["same minor release"],
        ),
        ("Error: Installation of TensorFlow not found.", {}, "framework-missing", ["reticulate::py_config()"]),
        (
            "Error: Python module tensorflow.contrib.keras.python.keras was not found.",
            {},
            "dependency-incompatible",
            ["install_keras()"],
        ),
        ("No module named 'absl'", {"packages": {"tensorflow": "2.15.0"}}, "dependency-incompatible", ["absl-py"]),
        (
            "ImportError: cannot import name '_tf_stack' from 'tensorflow_core.python' (/e/site-packages/t/__init__.py)",
            {},
            "install-corrupt",
            ["Restart Python"],
        ),
        (
            "W op_kernel.cc:1830] OP_REQUIRES failed: Function invoked by the following node is not compilable",
            {"os": "macos"},
            "op-unsupported",
            ["jit_compile=False"],
        ),
        (
            "ValueError: Layer 'cell' expected 3 variables, but received 0 variables during loading. Expected: ['kernel']",
            {"packages": {"tensorflow": "2.18.0"}},
            "keras-incompatible",
            ["build()", "tf-keras==2.18.*"],
        ),
        (
            "NotFoundError: '__inference_init_4' is neither a type of a primitive operation nor a name of a function "
            "registered in binary running on worker-0. Make sure",
            {"packages": {"tensorflow": "2.1.0"}},
            "dependency-incompatible",
            ["same release"],
        ),
        (
            "WARNING:tensorflow:Failed to connect to the Tensorflow master. The TPU worker may not be ready",
            {},
            "device-lost",
            ["tpus list"],
        ),
        (
            "TPU initialization failed: open(/dev/accel0): Operation not permitted",
            {"packages": {"tensorflow": "2.12.0"}},
            "device-permission-denied",
            ["/dev/accel0", "--privileged"],
        ),
        (
            "INFO:tensorflow:Using MirroredStrategy with devices ('/device:GPU:0',)\nloss: nan",
            {"os": "linux", "gpu": "RTX 4090", "packages": {"tensorflow": "2.19.0"}},
            "numerics-divergent",
            ["NCCL_P2P_DISABLE=1"],
        ),
        (
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=11.2, please update your driver",
            {"os": "linux", "gpu": "RTX 2080", "cuda": "10.2"},
            "driver-too-old",
            ["CUDA 11.2 (460."],
        ),
        (
            "nvidia-container-cli --compute --require=cuda>=10.0 brand=tesla,driver>=384 --pid=1 /x]\\nnvidia-container-cli: "
            "requirement error: unsatisfied condition: brand = tesla",
            {},
            "driver-too-old",
            ["CUDA 10.0 (410.48"],
        ),
        (
            "WARNING:tensorflow:Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras "
            "package installed. You must install it",
            {"os": "linux", "packages": {"tensorflow": "2.15.0"}},
            "keras-incompatible",
            ["unset TF_USE_LEGACY_KERAS"],
        ),
        ("ImportError: cannot import name 'normalize_data_format'", {}, "keras-incompatible", ["keras==2.1.6"]),
        (
            "  File \"C:\\e\\tensorflow\\python\\pywrap_tensorflow_internal.py\", line 28, in <module>\n"
            "    _pywrap_tensorflow_internal = swig_import_helper()\nImportError: DLL load failed: The specified module could "
            "not be found.",
            {"os": "windows"},
            "msvc-runtime-missing",
            ["cuDNN on PATH"],
        ),
        (
            "node-3:1:2 [4] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp failed",
            {"os": "linux", "packages": {"tensorflow": "2.5.0"}},
            "cause-unknown",
            ["ulimit -l", "NCCL_IB_DISABLE=1"],
        ),
        (
            DLL % ("libcudart.so.11.0", "x"),
            {"os": "linux", "gpu": "Intel Arc A770", "packages": {"intel-extension-for-tensorflow": "1.1.0"}},
            "cause-unknown",
            ["setvars.sh", "XPU"],
        ),
        (
            "Looking in indexes: https://pypi.org/simple, https://www.piwheels.org/simple\n"
            + NO_WHEEL % "tensorflow==1.14.0",
            {"python": "3.9"},
            "python-unsupported",
            ["64-bit system"],
        ),
        (INVALID_PTX, {"os": "linux", "packages": {"tensorflow": "1.15.5"}}, "compute-capability-unsupported", ["nvidia-smi"]),
    ],
)  # fmt: skip
def test_the_cause_and_the_fix_of_more_of_tensorflows_failures(log, facts, code, words):
    first = explain(log, facts=facts)[0]
    text = "\n".join("%s\n%s" % (fix.text, fix.command) for fix in first.fix)
    assert first.code == code
    assert [word for word in words if word not in text] == []


def test_code_that_no_driver_compiles_is_no_proof_of_a_new_gpu():
    log = INVALID_PTX
    known = explain(log, facts={"gpu": "RTX 5090", "packages": {"tensorflow": "2.20.0"}})[0].fix
    unknown = explain(log, facts={"packages": {"tensorflow": "2.20.0"}})[0].fix
    assert "container" in known[0].text
    assert next(fix.text for fix in unknown if "container" in fix.text).startswith("For a Blackwell GPU")


@pytest.mark.parametrize(
    ("text", "system", "wsl", "version"),
    [
        ("Debian 12", "linux", None, "Debian 12"),
        ("ubuntu", "linux", None, "ubuntu"),
        ("Windows 11", "windows", False, "Windows 11"),
        ("Windows 11, WSL2", "linux", True, "Windows 11, WSL2"),
        ("macOS 14", "macos", False, "macOS 14"),
        ("wsl2", "linux", True, ""),
        ("darwin", "macos", False, ""),
        ("freebsd", "freebsd", False, ""),
    ],
)
def test_the_system_as_people_write_it(text, system, wsl, version):
    known = known_from_facts({"os": text})
    assert (known.system, known.wsl, known.os_version) == (system, wsl, version)


def test_a_build_without_kernels_for_a_gpu_is_no_build_for_the_cpu():
    """The line says what it has no code for; "was not built with CUDA" begins another sentence."""
    log = "TensorFlow was not built with CUDA kernel binaries compatible with compute capability 8.9. CUDA kernels will be"
    assert [finding.code for finding in explain(log, facts=LINUX)][:1] == ["compute-capability-unsupported"]


def test_a_wheel_that_does_not_build_is_named_by_its_first_line_already():
    """pip says "error" at once, and what failed in the end only after some hundred lines."""
    log = "Building wheels for collected packages: h5py\n  Building wheel for h5py (setup.py) ... error\n"
    findings = explain(log, facts={"os": "macos", "arch": "arm64", "python": "3.9"})
    assert findings[0].code == "platform-unsupported"
    assert "h5py" in findings[0].summary


def test_what_jax_tries_and_does_not_need_is_no_cause():
    tried = "INFO:jax._src.xla_bridge:Unable to initialize backend '%s': %s"
    log = [
        tried % ("tpu_driver", "NOT_FOUND: Unable to find driver in registry given worker: "),
        tried % ("tpu", "module 'jaxlib.xla_extension' has no attribute 'get_tpu_client'"),
    ]
    assert not explain("\n".join(log), facts={"os": "linux", "gpu": "RTX 3090"})


def test_a_jax_whose_plug_in_starts_is_no_build_for_the_cpu():
    log = [
        "RuntimeError: Unable to load cuSPARSE. Is it installed?",
        "WARNING:jax._src.xla_bridge:791: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not "
        "installed. Falling back to cpu.",
    ]
    assert [item.code for item in explain("\n".join(log))] == ["cuda-library-missing"]


def test_a_device_side_assert_without_its_condition_says_what_to_compare():
    found = explain("RuntimeError: CUDA error: device-side assert triggered")[0]
    text = "\n".join(step.text for step in found.fix)
    assert "CUDA_LAUNCH_BLOCKING" in text
    assert re.search(r"labels with the number of classes.*resize_token_embeddings.*runtime", text)


def test_an_index_out_of_range_is_no_want_of_memory():
    log = "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`%s"
    assert explain(log % "")[0].code == "out-of-memory"
    assert explain(log % ", CUDA error: device-side assert triggered")[0].code == "user-code-error"
